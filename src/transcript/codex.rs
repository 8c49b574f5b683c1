//! Codex rollouts: what went to the model (`response_item`) and what the person saw (`event_msg`), side by side.
//!
//! The same text comes twice; one is taken. Where events tell what a person typed, everything else that went to the
//! model in the person's name is the host's. Also the bare records of 2025, the JSON document before them, and what
//! `exec --json` prints.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::frame::{asks_memory, frame};
use super::lines::each;
use super::loose::{Loose, Many, Word};
use super::parts::Parts;
use super::turns::{Turns, role, time};
use super::{Conversation, Kind, Role, Unreadable};

/// A record: an envelope around an item, or a bare item.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Record {
    timestamp: Word,
    payload: Loose<Box<Record>>,
    /// `exec --json` calls its payload so.
    item: Loose<Box<Record>>,
    thread_id: Word,
    r#type: Word,
    id: Word,
    role: Word,
    content: Parts,
    message: Word,
    text: Word,
    name: Word,
    call_id: Word,
    arguments: Word,
    input: Word,
    output: Parts,
    aggregated_output: Word,
    command: Word,
    thread_name: Word,
    num_turns: Word,
}

/// The whole file, before there were lines.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Document {
    session: Loose<Record>,
    items: Many<Record>,
}

/// What a record says.
enum Heard {
    /// It went to or came from the model.
    Item(Role, Vec<String>),
    /// The person saw it.
    Event(Role, String),
    /// A tool's answer, and whether the tool was memdir.
    Tool(String, bool),
}

#[derive(Default)]
struct Reader {
    heard: Vec<(Option<String>, Heard)>,
    id: Option<String>,
    title: Option<String>,
    own_calls: HashSet<String>,
}

/// Reads a rollout.
pub(super) fn lines(bytes: &[u8]) -> Conversation {
    let mut reader = Reader::default();
    let skipped = each(bytes, |record| reader.take(record));
    reader.done(skipped)
}

/// Reads a rollout that is one JSON document.
pub(super) fn document(text: &str) -> Result<Conversation, Unreadable> {
    let document: Document = serde_json::from_str(text)?;
    let mut reader = Reader { id: document.session.0.and_then(|session| session.id.0), ..Reader::default() };
    for item in document.items.items {
        reader.take(item);
    }
    Ok(reader.done(document.items.other))
}

impl Reader {
    fn take(&mut self, record: Record) {
        let at = time(&record.timestamp);
        match (record.r#type.as_str(), record.payload.0, record.item.0) {
            ("session_meta", Some(meta), _) => self.id = self.id.take().or(meta.id.0),
            ("response_item", Some(item), _) => self.item(at, *item),
            ("event_msg", Some(event), _) => self.event(at, *event),
            ("item.completed", _, Some(item)) => self.printed(at, *item),
            ("thread.started", ..) => self.id = self.id.take().or(record.thread_id.0),
            ("", None, None) if record.role.0.is_none() => self.id = self.id.take().or(record.id.0),
            (_, None, None) => self.item(at, Record { payload: Loose(None), item: Loose(None), ..record }),
            _ => {}
        }
    }

    /// What went to or came from the model.
    fn item(&mut self, at: Option<String>, item: Record) {
        let call = item.call_id.0.unwrap_or_default();
        match item.r#type.as_str() {
            "message" | "" => {
                // Developer messages are the program's own, every time the same.
                let said = role(item.role.as_str()).filter(|role| *role != Role::System);
                let texts: Vec<String> = item.content.texts().map(str::to_owned).collect();
                self.heard.extend(said.filter(|_| !texts.is_empty()).map(|role| (at, Heard::Item(role, texts))));
            }
            "function_call" | "custom_tool_call" => {
                let arguments = item.arguments.0.or(item.input.0).unwrap_or_default();
                if asks_memory(item.name.as_str(), &arguments) {
                    self.own_calls.insert(call);
                }
            }
            "function_call_output" | "custom_tool_call_output" => {
                let own = self.own_calls.contains(&call);
                self.heard.push((at, Heard::Tool(unwrapped(item.output.output()), own)));
            }
            _ => {}
        }
    }

    /// What the person saw.
    fn event(&mut self, at: Option<String>, event: Record) {
        let said = |role| event.message.0.clone().map(|text| Heard::Event(role, text));
        let heard = match event.r#type.as_str() {
            "user_message" => said(Role::User),
            "agent_message" => said(Role::Assistant),
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
        self.heard.extend(heard.map(|heard| (at, heard)));
    }

    /// What `exec --json` prints.
    fn printed(&mut self, at: Option<String>, item: Record) {
        let heard = match item.r#type.as_str() {
            "agent_message" | "assistant_message" => item.text.0.map(|text| Heard::Item(Role::Assistant, vec![text])),
            "command_execution" => {
                let own = asks_memory("", item.command.as_str());
                item.aggregated_output.0.map(|output| Heard::Tool(output, own))
            }
            _ => None,
        };
        self.heard.extend(heard.map(|heard| (at, heard)));
    }

    /// The person took back so many of their turns, with all that followed.
    fn roll_back(&mut self, turns: usize) {
        let events = self.heard.iter().any(|(_, heard)| matches!(heard, Heard::Event(Role::User, _)));
        let typed = |heard: &Heard| match heard {
            Heard::Event(Role::User, _) => true,
            Heard::Item(Role::User, texts) => !events && texts.iter().any(|text| !frame(text).own.is_empty()),
            _ => false,
        };
        let places = self.heard.iter().enumerate().rev().filter(|(_, (_, heard))| typed(heard));
        let Some((mut place, _)) = places.take(turns).last() else { return };
        // Its twin that went to the model comes right before it.
        let twin = place.checked_sub(1).map(|before| (&self.heard[before].1, &self.heard[place].1));
        if let Some((Heard::Item(Role::User, texts), Heard::Event(_, text))) = twin
            && texts.iter().any(|t| t.trim() == text.trim())
        {
            place -= 1;
        }
        self.heard.truncate(place);
    }

    fn done(self, skipped: usize) -> Conversation {
        let mut turns = Turns::default();
        let mut twins = Twins::of(&self.heard);
        for (at, heard) in self.heard {
            match heard {
                Heard::Tool(text, own) => {
                    turns.answered(&at, &text, own);
                }
                Heard::Event(role, text) if twins.alone(role, &text) => {
                    turns.said(role, &at, [text.as_str()].into_iter());
                }
                Heard::Item(Role::User, texts) if twins.typed => {
                    let (typed, put): (Vec<&str>, Vec<&str>) =
                        texts.iter().map(String::as_str).partition(|text| twins.seen(Role::User, text));
                    turns.injected(Role::User, &at, &put.join("\n"));
                    turns.said(Role::User, &at, typed.into_iter());
                }
                Heard::Item(role, texts) => {
                    turns.said(role, &at, texts.iter().map(String::as_str));
                }
                Heard::Event(..) => {}
            }
        }
        Conversation { kind: Kind::Codex, id: self.id, title: self.title, turns: turns.done(), skipped }
    }
}

/// How often each text comes as an event, beyond its items.
struct Twins {
    counts: HashMap<(Role, String), (usize, usize)>,
    /// Whether events tell what a person typed.
    typed: bool,
}

impl Twins {
    fn of(heard: &[(Option<String>, Heard)]) -> Twins {
        let mut twins = Twins { counts: HashMap::new(), typed: false };
        for (_, heard) in heard {
            match heard {
                Heard::Event(role, text) => {
                    twins.typed |= *role == Role::User;
                    twins.counts.entry((*role, text.trim().to_owned())).or_default().0 += 1;
                }
                Heard::Item(role, texts) => {
                    for text in texts {
                        twins.counts.entry((*role, text.trim().to_owned())).or_default().1 += 1;
                    }
                }
                Heard::Tool(..) => {}
            }
        }
        twins
    }

    /// Whether a text comes as an event, too.
    fn seen(&self, role: Role, text: &str) -> bool {
        self.counts.get(&(role, text.trim().to_owned())).is_some_and(|(events, _)| *events > 0)
    }

    /// Whether this event has no item that says the same; asked once for each event.
    fn alone(&mut self, role: Role, text: &str) -> bool {
        let Some((events, items)) = self.counts.get_mut(&(role, text.trim().to_owned())) else { return true };
        let alone = *events > *items;
        *items += usize::from(alone);
        alone
    }
}

/// A tool's output without the JSON that shells of 2025 put around it.
fn unwrapped(output: String) -> String {
    #[derive(Deserialize)]
    struct Wrapped {
        output: Word,
    }
    if !output.starts_with("{\"output\"") {
        return output;
    }
    serde_json::from_str::<Wrapped>(&output).ok().and_then(|wrapped| wrapped.output.0).unwrap_or(output)
}
