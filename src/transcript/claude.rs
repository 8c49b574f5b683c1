//! Parses Claude Code's JSON Lines: one record per line; one model message may span several records, and tool results
//! have the role `user`.
//!
//! Never yields turns for meta records (`isMeta`), side conversations, summaries, snapshots, API errors, thinking or
//! tool calls. Turns that the user replaced by editing stay: the user did write them.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::host_framing::is_memdir_call;
use super::json_lines::for_each_record;
use super::lenient_json::{LenientBool, LenientObject, LenientText};
use super::message_content::MessageContent;
use super::turn_builder::{TurnBuilder, parse_time};
use super::{Conversation, Role, TranscriptFormat};

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ClaudeRecord {
    r#type: LenientText,
    message: LenientObject<ClaudeMessage>,
    timestamp: LenientText,
    uuid: LenientText,
    session_id: LenientText,
    /// `--output-format stream-json` has snake case.
    #[serde(rename = "session_id")]
    stream_id: LenientText,
    #[serde(rename = "parent_tool_use_id")]
    parent_call: LenientText,
    is_meta: LenientBool,
    is_sidechain: LenientBool,
    is_compact_summary: LenientBool,
    is_api_error_message: LenientBool,
    origin: LenientObject<ClaudeOrigin>,
    attachment: LenientObject<ClaudeAttachment>,
    /// Of a `queue-operation`: a change to the queue of prompts typed while the model is working.
    operation: LenientText,
    content: MessageContent,
    summary: LenientText,
    ai_title: LenientText,
    custom_title: LenientText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ClaudeMessage {
    id: LenientText,
    model: LenientText,
    content: MessageContent,
}

/// The source of a user or queued message: `human`, or a part of the program.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ClaudeOrigin {
    kind: LenientText,
}

/// Data attached to a turn. Only `queued_command` is used: a prompt typed while the model was working.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ClaudeAttachment {
    r#type: LenientText,
    prompt: MessageContent,
    command_mode: LenientText,
    origin: LenientObject<ClaudeOrigin>,
}

#[derive(Default)]
struct ClaudeReader {
    turns: TurnBuilder,
    id: Option<String>,
    summary: Option<String>,
    ai_title: Option<String>,
    custom_title: Option<String>,
    /// The uuids of records seen so far; a resumed session repeats records.
    seen: HashSet<String>,
    /// Message id → 0-based index of its turn; later records with the same id extend that turn.
    turn_by_message: HashMap<String, usize>,
    /// The ids of tool calls that ran memdir.
    memdir_calls: HashSet<String>,
    /// Prompts already added when they left the queue; the file may repeat them as user turns.
    steered_prompts: HashSet<String>,
}

/// Parses a session file.
pub(super) fn parse_lines(bytes: &[u8]) -> Conversation {
    let mut reader = ClaudeReader::default();
    let skipped = for_each_record(bytes, |record| reader.add_record(record));
    let title = reader.custom_title.or(reader.ai_title).or(reader.summary);
    Conversation {
        kind: TranscriptFormat::ClaudeCode,
        id: reader.id,
        title,
        summary: None,
        turns: reader.turns.into_turns(),
        skipped,
    }
}

impl ClaudeReader {
    fn add_record(&mut self, record: ClaudeRecord) {
        self.id = self.id.take().or(record.session_id.0).or(record.stream_id.0);
        self.summary = record.summary.0.or(self.summary.take());
        self.ai_title = record.ai_title.0.or(self.ai_title.take());
        self.custom_title = record.custom_title.0.or(self.custom_title.take());
        let ignored_flags =
            [record.is_meta, record.is_sidechain, record.is_compact_summary, record.is_api_error_message];
        if ignored_flags.contains(&LenientBool(true)) || record.parent_call.0.is_some() {
            return;
        }
        if record.uuid.0.is_some_and(|uuid| !self.seen.insert(uuid)) {
            return;
        }
        let at = parse_time(&record.timestamp);
        match (record.r#type.as_str(), record.message.0, record.attachment.0) {
            ("user" | "human", Some(message), _) => {
                self.add_user_message(&at, &message.content, is_host_origin(&record.origin))
            }
            ("assistant", Some(message), _) if message.model.as_str() != "<synthetic>" => {
                self.add_assistant_message(&at, message)
            }
            ("attachment", _, Some(attachment)) => self.add_queued_prompt(&at, &attachment),
            ("queue-operation", ..) if record.operation.as_str() == "remove" => {
                self.add_steering_prompt(&at, &record.content)
            }
            _ => {}
        }
    }

    fn add_user_message(&mut self, at: &Option<String>, content: &MessageContent, from_host: bool) {
        for result in content.tool_results() {
            let is_memdir = result.call_id.is_some_and(|call| self.memdir_calls.contains(&call));
            self.turns.add_tool_result(at, &result.text, is_memdir);
        }
        if self.steered_prompts.remove(content.joined_text().trim()) {
            return;
        }
        if from_host {
            self.turns.add_injected(Role::User, at, &content.joined_text());
        } else {
            self.turns.add_message(Role::User, at, content.texts());
        }
    }

    fn add_assistant_message(&mut self, at: &Option<String>, message: ClaudeMessage) {
        let memdir_calls = message.content.tool_calls().filter(|(_, name, command)| is_memdir_call(name, command));
        self.memdir_calls.extend(memdir_calls.map(|(id, ..)| id.to_owned()));
        let known = message.id.0.as_ref().and_then(|id| self.turn_by_message.get(id)).copied();
        match known {
            Some(_) if message.content.texts().next().is_none() => {}
            Some(place) => self.turns.extend_turn(place, &message.content.joined_text()),
            None => {
                let index = self.turns.add_message(Role::Assistant, at, message.content.texts());
                self.turn_by_message.extend(message.id.0.zip(index));
            }
        }
    }

    fn add_queued_prompt(&mut self, at: &Option<String>, attachment: &ClaudeAttachment) {
        let typed = matches!(attachment.command_mode.as_str(), "" | "prompt") && !is_host_origin(&attachment.origin);
        let repeated = self.steered_prompts.remove(attachment.prompt.joined_text().trim());
        if typed && !repeated && attachment.r#type.as_str() == "queued_command" {
            self.turns.add_message(Role::User, at, attachment.prompt.texts());
        }
    }

    /// Adds a prompt that was typed while the model was working and passed to it without waiting for its turn to end.
    fn add_steering_prompt(&mut self, at: &Option<String>, content: &MessageContent) {
        if self.turns.add_message(Role::User, at, content.texts()).is_some() {
            self.steered_prompts.insert(content.joined_text().trim().to_owned());
        }
    }
}

/// Whether the origin is named and is not the user.
fn is_host_origin(origin: &LenientObject<ClaudeOrigin>) -> bool {
    origin.0.as_ref().is_some_and(|origin| !matches!(origin.kind.as_str(), "" | "human"))
}
