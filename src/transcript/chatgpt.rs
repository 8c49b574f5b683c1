//! Parses ChatGPT's data export, where a conversation is a tree of messages: follows the branch from the current node
//! to the root.
//!
//! Never reads branches that were regenerated or edited away. Messages hidden in the program (custom instructions,
//! stored memories) become injected turns.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::json_lines::non_blank_lines;
use super::lenient_json::{LenientBool, LenientList, LenientObject, LenientText};
use super::message_content::{MessageContent, join_lines};
use super::turn_builder::{TurnBuilder, parse_role, parse_time};
use super::{Conversation, Role, TranscriptError, TranscriptFormat};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChatGptConversation {
    id: LenientText,
    conversation_id: LenientText,
    title: LenientText,
    current_node: LenientText,
    mapping: LenientObject<HashMap<String, LenientObject<ChatGptNode>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChatGptNode {
    parent: LenientText,
    message: LenientObject<ChatGptMessage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChatGptMessage {
    author: LenientObject<ChatGptAuthor>,
    create_time: LenientText,
    content: LenientObject<ChatGptContent>,
    metadata: LenientObject<ChatGptMetadata>,
    recipient: LenientText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChatGptAuthor {
    role: LenientText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChatGptContent {
    content_type: LenientText,
    parts: MessageContent,
    text: LenientText,
    result: LenientText,
    user_profile: LenientText,
    user_instructions: LenientText,
    model_set_context: LenientText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChatGptMetadata {
    is_visually_hidden_from_conversation: LenientBool,
    is_user_system_message: LenientBool,
}

/// Parses an export (an array of conversations), or a single conversation of it.
pub(super) fn parse_document(text: &str) -> Result<Vec<Conversation>, TranscriptError> {
    if text.trim_start().starts_with('{') {
        return Ok(vec![to_conversation(serde_json::from_str(text)?)]);
    }
    let trees: LenientList<ChatGptConversation> = serde_json::from_str(text)?;
    let mut all: Vec<Conversation> = trees.items.into_iter().map(to_conversation).collect();
    if let Some(first) = all.first_mut() {
        first.skipped += trees.skipped;
    }
    Ok(all)
}

/// Parses JSON Lines with one conversation per line.
pub(super) fn parse_lines(bytes: &[u8]) -> Vec<Conversation> {
    let (mut all, mut skipped) = (Vec::new(), 0);
    for line in non_blank_lines(bytes) {
        match super::json_lines::parse_record(line) {
            Some(tree) => all.push(to_conversation(tree)),
            None => skipped += 1,
        }
    }
    if let Some(first) = all.first_mut() {
        first.skipped += skipped;
    }
    all
}

fn to_conversation(tree: ChatGptConversation) -> Conversation {
    let mut turns = TurnBuilder::default();
    let skipped = nodes(&tree).filter(|(_, node)| node.0.is_none()).count();
    for message in active_branch(&tree) {
        add_message(message, &mut turns);
    }
    let (id, title) = (tree.conversation_id.0.or(tree.id.0), tree.title.0);
    Conversation { kind: TranscriptFormat::ChatGpt, id, title, summary: None, turns: turns.into_turns(), skipped }
}

fn nodes(tree: &ChatGptConversation) -> impl Iterator<Item = (&String, &LenientObject<ChatGptNode>)> {
    tree.mapping.0.iter().flatten()
}

/// The messages on the branch from the root to the current node.
fn active_branch(tree: &ChatGptConversation) -> Vec<&ChatGptMessage> {
    let node = |id: &str| tree.mapping.0.as_ref().and_then(|nodes| nodes.get(id)).and_then(|node| node.0.as_ref());
    let mut at = tree.current_node.0.as_deref().filter(|id| node(id).is_some()).or_else(|| latest_node(tree));
    let mut seen = HashSet::new();
    let mut messages = Vec::new();
    // A manually edited tree may contain a cycle.
    while let Some(id) = at.filter(|id| seen.insert(*id)) {
        let Some(node) = node(id) else { break };
        messages.extend(node.message.0.as_ref());
        at = node.parent.0.as_deref();
    }
    messages.reverse();
    messages
}

/// The node of the newest message, for a tree without a valid `current_node`.
fn latest_node(tree: &ChatGptConversation) -> Option<&str> {
    let age = |node: &LenientObject<ChatGptNode>| {
        let message = node.0.as_ref().and_then(|node| node.message.0.as_ref());
        message.map(|message| message.create_time.as_str().parse::<f64>().unwrap_or(0.0))
    };
    let aged = nodes(tree).filter_map(|(id, node)| Some((age(node)?, id.as_str())));
    aged.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1))).map(|(_, id)| id)
}

fn add_message(message: &ChatGptMessage, turns: &mut TurnBuilder) {
    let Some(content) = &message.content.0 else { return };
    let Some(role) = message.author.0.as_ref().and_then(|author| parse_role(author.role.as_str())) else { return };
    let at = parse_time(&message.create_time);
    let hidden =
        message.metadata.0.as_ref().is_some_and(|metadata| {
            metadata.is_visually_hidden_from_conversation.0 || metadata.is_user_system_message.0
        });
    let flat_text =
        || [&content.text, &content.result].into_iter().find_map(|word| word.0.as_deref()).unwrap_or_default();
    match (content.content_type.as_str(), role) {
        ("user_editable_context" | "model_editable_context", _) => {
            let texts = [&content.user_profile, &content.user_instructions, &content.model_set_context];
            turns.add_injected(role, &at, &join_lines(texts.into_iter().map(LenientText::as_str)));
        }
        ("thoughts" | "reasoning_recap", _) => {}
        (_, Role::Tool) => {
            let joined = content.parts.joined_text();
            turns.add_tool_result(&at, if joined.is_empty() { flat_text() } else { &joined }, false);
        }
        // A message addressed to a recipient is a tool call, not text for the user.
        (_, Role::Assistant) if !matches!(message.recipient.as_str(), "" | "all") => {}
        _ if hidden => {
            turns.add_injected(role, &at, &content.parts.joined_text());
        }
        ("text" | "multimodal_text" | "", _) => {
            let flat = [flat_text()].into_iter().filter(|_| content.parts.is_empty() && !flat_text().is_empty());
            turns.add_message(role, &at, content.parts.texts().chain(flat));
        }
        _ => {}
    }
}
