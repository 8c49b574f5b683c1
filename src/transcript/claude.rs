//! Claude Code: a record a line, an answer over several lines, tool results in the user's name.
//!
//! Left out: what the program says to itself (`isMeta`), side conversations, summaries, snapshots, errors of the API,
//! thinking and calls. Turns that a person took back by editing stay: they were said.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::frame::asks_memory;
use super::lines::each;
use super::loose::{Flag, Loose, Word};
use super::parts::Parts;
use super::turns::{Turns, time};
use super::{Conversation, Kind, Role};

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Record {
    r#type: Word,
    message: Loose<Message>,
    timestamp: Word,
    uuid: Word,
    session_id: Word,
    /// `--output-format stream-json` has snake case.
    #[serde(rename = "session_id")]
    stream_id: Word,
    #[serde(rename = "parent_tool_use_id")]
    parent_call: Word,
    is_meta: Flag,
    is_sidechain: Flag,
    is_compact_summary: Flag,
    is_api_error_message: Flag,
    origin: Loose<Origin>,
    attachment: Loose<Attachment>,
    /// Of the queue of what a person types while the model is working.
    operation: Word,
    content: Parts,
    summary: Word,
    ai_title: Word,
    custom_title: Word,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    id: Word,
    model: Word,
    content: Parts,
}

/// Who put a message into the queue.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Origin {
    kind: Word,
}

/// What came with a turn; of interest is what a person typed while the model was working.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Attachment {
    r#type: Word,
    prompt: Parts,
    command_mode: Word,
    origin: Loose<Origin>,
}

#[derive(Default)]
struct Reader {
    turns: Turns,
    id: Option<String>,
    summary: Option<String>,
    ai_title: Option<String>,
    custom_title: Option<String>,
    /// Records that were seen: a resumed session repeats them.
    seen: HashSet<String>,
    /// Where an answer's turn is, by the answer's id.
    answers: HashMap<String, usize>,
    /// Calls of memdir.
    own_calls: HashSet<String>,
    /// What left the queue and may come again as a turn.
    steered: HashSet<String>,
}

/// Reads a session.
pub(super) fn lines(bytes: &[u8]) -> Conversation {
    let mut reader = Reader::default();
    let skipped = each(bytes, |record| reader.take(record));
    let title = reader.custom_title.or(reader.ai_title).or(reader.summary);
    Conversation { kind: Kind::ClaudeCode, id: reader.id, title, turns: reader.turns.done(), skipped }
}

impl Reader {
    fn take(&mut self, record: Record) {
        self.id = self.id.take().or(record.session_id.0).or(record.stream_id.0);
        self.summary = record.summary.0.or(self.summary.take());
        self.ai_title = record.ai_title.0.or(self.ai_title.take());
        self.custom_title = record.custom_title.0.or(self.custom_title.take());
        let aside = [record.is_meta, record.is_sidechain, record.is_compact_summary, record.is_api_error_message];
        if aside.contains(&Flag(true)) || record.parent_call.0.is_some() {
            return;
        }
        if record.uuid.0.is_some_and(|uuid| !self.seen.insert(uuid)) {
            return;
        }
        let at = time(&record.timestamp);
        match (record.r#type.as_str(), record.message.0, record.attachment.0) {
            ("user" | "human", Some(message), _) => self.user(&at, &message.content, hosts(&record.origin)),
            ("assistant", Some(message), _) if message.model.as_str() != "<synthetic>" => self.assistant(&at, message),
            ("attachment", _, Some(attachment)) => self.queued(&at, &attachment),
            ("queue-operation", ..) if record.operation.as_str() == "remove" => self.steered(&at, &record.content),
            _ => {}
        }
    }

    fn user(&mut self, at: &Option<String>, content: &Parts, hosts: bool) {
        for answer in content.answers() {
            let own = answer.call.is_some_and(|call| self.own_calls.contains(&call));
            self.turns.answered(at, &answer.text, own);
        }
        if self.steered.remove(content.said().trim()) {
            return;
        }
        if hosts {
            self.turns.injected(Role::User, at, &content.said());
        } else {
            self.turns.said(Role::User, at, content.texts());
        }
    }

    fn assistant(&mut self, at: &Option<String>, message: Message) {
        let own = message.content.calls().filter(|(_, name, command)| asks_memory(name, command));
        self.own_calls.extend(own.map(|(id, ..)| id.to_owned()));
        let known = message.id.0.as_ref().and_then(|id| self.answers.get(id)).copied();
        match known {
            Some(_) if message.content.texts().next().is_none() => {}
            Some(place) => self.turns.more(place, &message.content.said()),
            None => {
                let place = self.turns.said(Role::Assistant, at, message.content.texts());
                self.answers.extend(message.id.0.zip(place));
            }
        }
    }

    fn queued(&mut self, at: &Option<String>, attachment: &Attachment) {
        let typed = matches!(attachment.command_mode.as_str(), "" | "prompt") && !hosts(&attachment.origin);
        let again = self.steered.remove(attachment.prompt.said().trim());
        if typed && !again && attachment.r#type.as_str() == "queued_command" {
            self.turns.said(Role::User, at, attachment.prompt.texts());
        }
    }

    /// What a person typed and the model was given in the middle of its work.
    fn steered(&mut self, at: &Option<String>, content: &Parts) {
        if self.turns.said(Role::User, at, content.texts()).is_some() {
            self.steered.insert(content.said().trim().to_owned());
        }
    }
}

/// Whether somebody else than a person is named as the origin.
fn hosts(origin: &Loose<Origin>) -> bool {
    origin.0.as_ref().is_some_and(|origin| !matches!(origin.kind.as_str(), "" | "human"))
}
