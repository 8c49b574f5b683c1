//! ChatGPT's export: every conversation a tree of messages, read from the node that was open last up to the root.
//!
//! Branches that were regenerated or edited away are not read; what is hidden in the program (custom instructions,
//! stored memories) is injected.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::lines::lines as split;
use super::loose::{Flag, Loose, Many, Word};
use super::parts::{Parts, join};
use super::turns::{Turns, role, time};
use super::{Conversation, Kind, Role, Unreadable};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tree {
    id: Word,
    conversation_id: Word,
    title: Word,
    current_node: Word,
    mapping: Loose<HashMap<String, Loose<Node>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Node {
    parent: Word,
    message: Loose<Message>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    author: Loose<Author>,
    create_time: Word,
    content: Loose<Content>,
    metadata: Loose<Metadata>,
    recipient: Word,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Author {
    role: Word,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Content {
    content_type: Word,
    parts: Parts,
    text: Word,
    result: Word,
    user_profile: Word,
    user_instructions: Word,
    model_set_context: Word,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    is_visually_hidden_from_conversation: Flag,
    is_user_system_message: Flag,
}

/// Reads an export, or one conversation of it.
pub(super) fn document(text: &str) -> Result<Vec<Conversation>, Unreadable> {
    if text.trim_start().starts_with('{') {
        return Ok(vec![conversation(serde_json::from_str(text)?)]);
    }
    let trees: Many<Tree> = serde_json::from_str(text)?;
    let mut all: Vec<Conversation> = trees.items.into_iter().map(conversation).collect();
    if let Some(first) = all.first_mut() {
        first.skipped += trees.other;
    }
    Ok(all)
}

/// Reads conversations one a line.
pub(super) fn lines(bytes: &[u8]) -> Vec<Conversation> {
    let (mut all, mut skipped) = (Vec::new(), 0);
    for line in split(bytes) {
        match super::lines::record(line) {
            Some(tree) => all.push(conversation(tree)),
            None => skipped += 1,
        }
    }
    if let Some(first) = all.first_mut() {
        first.skipped += skipped;
    }
    all
}

fn conversation(tree: Tree) -> Conversation {
    let mut turns = Turns::default();
    let skipped = nodes(&tree).filter(|(_, node)| node.0.is_none()).count();
    for message in branch(&tree) {
        speak(message, &mut turns);
    }
    let (id, title) = (tree.conversation_id.0.or(tree.id.0), tree.title.0);
    Conversation { kind: Kind::ChatGpt, id, title, turns: turns.done(), skipped }
}

fn nodes(tree: &Tree) -> impl Iterator<Item = (&String, &Loose<Node>)> {
    tree.mapping.0.iter().flatten()
}

/// The messages from the root to the node that was open last.
fn branch(tree: &Tree) -> Vec<&Message> {
    let node = |id: &str| tree.mapping.0.as_ref().and_then(|nodes| nodes.get(id)).and_then(|node| node.0.as_ref());
    let mut at = tree.current_node.0.as_deref().filter(|id| node(id).is_some()).or_else(|| latest(tree));
    let mut seen = HashSet::new();
    let mut messages = Vec::new();
    // A tree that was edited by hand may hold a circle.
    while let Some(id) = at.filter(|id| seen.insert(*id)) {
        let Some(node) = node(id) else { break };
        messages.extend(node.message.0.as_ref());
        at = node.parent.0.as_deref();
    }
    messages.reverse();
    messages
}

/// The youngest message's node, where none is said to be open.
fn latest(tree: &Tree) -> Option<&str> {
    let age = |node: &Loose<Node>| {
        let message = node.0.as_ref().and_then(|node| node.message.0.as_ref());
        message.map(|message| message.create_time.as_str().parse::<f64>().unwrap_or(0.0))
    };
    let aged = nodes(tree).filter_map(|(id, node)| Some((age(node)?, id.as_str())));
    aged.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1))).map(|(_, id)| id)
}

fn speak(message: &Message, turns: &mut Turns) {
    let Some(content) = &message.content.0 else { return };
    let Some(role) = message.author.0.as_ref().and_then(|author| role(author.role.as_str())) else { return };
    let at = time(&message.create_time);
    let hidden =
        message.metadata.0.as_ref().is_some_and(|metadata| {
            metadata.is_visually_hidden_from_conversation.0 || metadata.is_user_system_message.0
        });
    let flat = || [&content.text, &content.result].into_iter().find_map(|word| word.0.as_deref()).unwrap_or_default();
    match (content.content_type.as_str(), role) {
        ("user_editable_context" | "model_editable_context", _) => {
            let told = [&content.user_profile, &content.user_instructions, &content.model_set_context];
            turns.injected(role, &at, &join(told.into_iter().map(Word::as_str)));
        }
        ("thoughts" | "reasoning_recap", _) => {}
        (_, Role::Tool) => {
            let said = content.parts.said();
            turns.answered(&at, if said.is_empty() { flat() } else { &said }, false);
        }
        // What is sent to a tool is a call.
        (_, Role::Assistant) if !matches!(message.recipient.as_str(), "" | "all") => {}
        _ if hidden => {
            turns.injected(role, &at, &content.parts.said());
        }
        ("text" | "multimodal_text" | "", _) => {
            let flat = [flat()].into_iter().filter(|_| content.parts.is_empty() && !flat().is_empty());
            turns.said(role, &at, content.parts.texts().chain(flat));
        }
        _ => {}
    }
}
