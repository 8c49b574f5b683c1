//! Parses Codex rollouts, which log both the messages exchanged with the model (`response_item`) and the messages shown
//! to the user (`event_msg`).
//!
//! Never yields the same message twice, although most appear in both logs. If the file has user events, they are what
//! the user typed; every other item with the role `user` was inserted by the host. Also reads the records without
//! envelope of 2025, the older JSON document, and the output of `exec --json`.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::host_framing::{is_memdir_call, split_host_text};
use super::json_lines::for_each_record;
use super::lenient_json::{LenientList, LenientObject, LenientText};
use super::message_content::MessageContent;
use super::turn_builder::{TurnBuilder, parse_role, parse_time};
use super::{Conversation, Role, TranscriptError, TranscriptFormat};

/// A record: an envelope around an item or event, or an item without envelope.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexRecord {
    timestamp: LenientText,
    payload: LenientObject<Box<CodexRecord>>,
    /// The payload in the output of `exec --json`.
    item: LenientObject<Box<CodexRecord>>,
    thread_id: LenientText,
    r#type: LenientText,
    id: LenientText,
    role: LenientText,
    content: MessageContent,
    message: LenientText,
    text: LenientText,
    name: LenientText,
    call_id: LenientText,
    arguments: LenientText,
    input: LenientText,
    output: MessageContent,
    aggregated_output: LenientText,
    command: LenientText,
    thread_name: LenientText,
    num_turns: LenientText,
}

/// The oldest format: the whole file is one JSON document.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexDocument {
    session: LenientObject<CodexRecord>,
    items: LenientList<CodexRecord>,
}

/// A message found in the file.
enum CodexEntry {
    /// A message sent to or received from the model.
    ModelMessage(Role, Vec<String>),
    /// A message shown to the user.
    ShownMessage(Role, String),
    /// A tool's output, and whether the tool was memdir.
    ToolOutput(String, bool),
}

#[derive(Default)]
struct CodexReader {
    entries: Vec<(Option<String>, CodexEntry)>,
    id: Option<String>,
    title: Option<String>,
    memdir_calls: HashSet<String>,
}

/// Parses a rollout in JSON Lines.
pub(super) fn parse_lines(bytes: &[u8]) -> Conversation {
    let mut reader = CodexReader::default();
    let skipped = for_each_record(bytes, |record| reader.add_record(record));
    reader.into_conversation(skipped)
}

/// Parses a rollout that is one JSON document.
pub(super) fn parse_document(text: &str) -> Result<Conversation, TranscriptError> {
    let document: CodexDocument = serde_json::from_str(text)?;
    let mut reader = CodexReader { id: document.session.0.and_then(|session| session.id.0), ..CodexReader::default() };
    for item in document.items.items {
        reader.add_record(item);
    }
    Ok(reader.into_conversation(document.items.skipped))
}

impl CodexReader {
    fn add_record(&mut self, record: CodexRecord) {
        let at = parse_time(&record.timestamp);
        match (record.r#type.as_str(), record.payload.0, record.item.0) {
            ("session_meta", Some(meta), _) => self.id = self.id.take().or(meta.id.0),
            ("response_item", Some(item), _) => self.add_item(at, *item),
            ("event_msg", Some(event), _) => self.add_event(at, *event),
            ("item.completed", _, Some(item)) => self.add_exec_item(at, *item),
            ("thread.started", ..) => self.id = self.id.take().or(record.thread_id.0),
            ("", None, None) if record.role.0.is_none() => self.id = self.id.take().or(record.id.0),
            (_, None, None) => {
                self.add_item(at, CodexRecord { payload: LenientObject(None), item: LenientObject(None), ..record })
            }
            _ => {}
        }
    }

    /// Adds an item of the exchange with the model.
    fn add_item(&mut self, at: Option<String>, item: CodexRecord) {
        let call = item.call_id.0.unwrap_or_default();
        match item.r#type.as_str() {
            "message" | "" => {
                // System and developer messages are Codex's own and the same in every session.
                let author = parse_role(item.role.as_str()).filter(|role| *role != Role::System);
                let texts: Vec<String> = item.content.texts().map(str::to_owned).collect();
                self.entries.extend(
                    author.filter(|_| !texts.is_empty()).map(|role| (at, CodexEntry::ModelMessage(role, texts))),
                );
            }
            "function_call" | "custom_tool_call" => {
                let arguments = item.arguments.0.or(item.input.0).unwrap_or_default();
                if is_memdir_call(item.name.as_str(), &arguments) {
                    self.memdir_calls.insert(call);
                }
            }
            "function_call_output" | "custom_tool_call_output" => {
                let is_memdir = self.memdir_calls.contains(&call);
                self.entries
                    .push((at, CodexEntry::ToolOutput(unwrap_shell_output(item.output.tool_output()), is_memdir)));
            }
            _ => {}
        }
    }

    /// Adds a message shown to the user, or applies a change of the thread.
    fn add_event(&mut self, at: Option<String>, event: CodexRecord) {
        let shown = |role| event.message.0.clone().map(|text| CodexEntry::ShownMessage(role, text));
        let entry = match event.r#type.as_str() {
            "user_message" => shown(Role::User),
            "agent_message" => shown(Role::Assistant),
            "thread_name_updated" => {
                self.title = event.thread_name.0.or(self.title.take());
                None
            }
            "thread_rolled_back" => {
                self.roll_back(event.num_turns.as_str().parse().unwrap_or(0));
                None
            }
            _ => None,
        };
        self.entries.extend(entry.map(|entry| (at, entry)));
    }

    /// Adds an item of the output of `exec --json`.
    fn add_exec_item(&mut self, at: Option<String>, item: CodexRecord) {
        let entry = match item.r#type.as_str() {
            "agent_message" | "assistant_message" => {
                item.text.0.map(|text| CodexEntry::ModelMessage(Role::Assistant, vec![text]))
            }
            "command_execution" => {
                let is_memdir = is_memdir_call("", item.command.as_str());
                item.aggregated_output.0.map(|output| CodexEntry::ToolOutput(output, is_memdir))
            }
            _ => None,
        };
        self.entries.extend(entry.map(|entry| (at, entry)));
    }

    /// Drops the last `turns` user messages and everything after the first of them: the user rolled the thread back.
    fn roll_back(&mut self, turns: usize) {
        let has_user_events =
            self.entries.iter().any(|(_, entry)| matches!(entry, CodexEntry::ShownMessage(Role::User, _)));
        let typed = |entry: &CodexEntry| match entry {
            CodexEntry::ShownMessage(Role::User, _) => true,
            CodexEntry::ModelMessage(Role::User, texts) => {
                !has_user_events && texts.iter().any(|text| !split_host_text(text).typed.is_empty())
            }
            _ => false,
        };
        let indices = self.entries.iter().enumerate().rev().filter(|(_, (_, entry))| typed(entry));
        let Some((mut index, _)) = indices.take(turns).last() else { return };
        // The same message as an item for the model directly precedes the event: drop it too.
        let pair = index.checked_sub(1).map(|before| (&self.entries[before].1, &self.entries[index].1));
        if let Some((CodexEntry::ModelMessage(Role::User, texts), CodexEntry::ShownMessage(_, text))) = pair
            && texts.iter().any(|t| t.trim() == text.trim())
        {
            index -= 1;
        }
        self.entries.truncate(index);
    }

    fn into_conversation(self, skipped: usize) -> Conversation {
        let mut turns = TurnBuilder::default();
        let mut counts = MessageCounts::count(&self.entries);
        for (at, entry) in self.entries {
            match entry {
                CodexEntry::ToolOutput(text, is_memdir) => {
                    turns.add_tool_result(&at, &text, is_memdir);
                }
                CodexEntry::ShownMessage(role, text) if counts.take_event_only(role, &text) => {
                    turns.add_message(role, &at, [text.as_str()].into_iter());
                }
                CodexEntry::ModelMessage(Role::User, texts) if counts.has_user_events => {
                    let (typed, inserted): (Vec<&str>, Vec<&str>) =
                        texts.iter().map(String::as_str).partition(|text| counts.has_event(Role::User, text));
                    turns.add_injected(Role::User, &at, &inserted.join("\n"));
                    turns.add_message(Role::User, &at, typed.into_iter());
                }
                CodexEntry::ModelMessage(role, texts) => {
                    turns.add_message(role, &at, texts.iter().map(String::as_str));
                }
                CodexEntry::ShownMessage(..) => {}
            }
        }
        Conversation {
            kind: TranscriptFormat::Codex,
            id: self.id,
            title: self.title,
            summary: None,
            turns: turns.into_turns(),
            skipped,
        }
    }
}

/// How often each message occurs as an event and as an item.
struct MessageCounts {
    counts: HashMap<(Role, String), (usize, usize)>,
    /// Whether the file has user events; then they alone are what the user typed.
    has_user_events: bool,
}

impl MessageCounts {
    fn count(entries: &[(Option<String>, CodexEntry)]) -> MessageCounts {
        let mut message_counts = MessageCounts { counts: HashMap::new(), has_user_events: false };
        for (_, entry) in entries {
            match entry {
                CodexEntry::ShownMessage(role, text) => {
                    message_counts.has_user_events |= *role == Role::User;
                    message_counts.counts.entry((*role, text.trim().to_owned())).or_default().0 += 1;
                }
                CodexEntry::ModelMessage(role, texts) => {
                    for text in texts {
                        message_counts.counts.entry((*role, text.trim().to_owned())).or_default().1 += 1;
                    }
                }
                CodexEntry::ToolOutput(..) => {}
            }
        }
        message_counts
    }

    /// Whether the text also occurs as an event.
    fn has_event(&self, role: Role, text: &str) -> bool {
        self.counts.get(&(role, text.trim().to_owned())).is_some_and(|(events, _)| *events > 0)
    }

    /// Whether this event has no item with the same text. Counts the event as used: call once per event.
    fn take_event_only(&mut self, role: Role, text: &str) -> bool {
        let Some((events, items)) = self.counts.get_mut(&(role, text.trim().to_owned())) else { return true };
        let event_only = *events > *items;
        *items += usize::from(event_only);
        event_only
    }
}

/// A tool's output without the JSON object that the shell tool of 2025 wrapped around it.
fn unwrap_shell_output(output: String) -> String {
    #[derive(Deserialize)]
    struct ShellOutput {
        output: LenientText,
    }
    if !output.starts_with("{\"output\"") {
        return output;
    }
    serde_json::from_str::<ShellOutput>(&output).ok().and_then(|wrapped| wrapped.output.0).unwrap_or(output)
}
