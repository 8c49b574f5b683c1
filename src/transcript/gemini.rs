//! Gemini CLI: sessions as one JSON document or as a log of events, checkpoints, and the log of prompts.
//!
//! In the log of events a message is written again each time it grows; `$rewindTo` takes back a message and all behind
//! it; `$set.messages` replaces what the model is shown, which is not what was said: messages it leaves out (after a
//! compression, say) stay, those it holds are not taken twice.

use std::collections::{HashMap, HashSet, VecDeque};

use serde::Deserialize;

use super::frame::asks_memory;
use super::lines::each;
use super::loose::{Loose, Many, Word};
use super::parts::{Input, Parts};
use super::turns::{Turns, role, time};
use super::{Conversation, Kind, Role, Unreadable};

/// A session's record: its own fields, a message, or an event.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Record {
    session_id: Word,
    summary: Word,
    messages: Many<Record>,
    /// Of a checkpoint.
    history: Many<Record>,
    contents: Many<Record>,
    #[serde(rename = "$set")]
    set: Loose<Box<Record>>,
    #[serde(rename = "$rewindTo")]
    rewind: Word,
    id: Word,
    r#type: Word,
    timestamp: Word,
    content: Parts,
    /// What the person typed, where `content` is what the model was given.
    display_content: Parts,
    tool_calls: Many<Call>,
    /// Of a checkpoint.
    role: Word,
    parts: Parts,
    /// Of the log of prompts.
    message: Parts,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Call {
    id: Word,
    name: Word,
    args: Loose<Input>,
    result: Parts,
}

#[derive(Default)]
struct Reader {
    id: Option<String>,
    summary: Option<String>,
    messages: Vec<Record>,
    places: HashMap<String, usize>,
}

/// Reads a log of events.
pub(super) fn lines(bytes: &[u8]) -> Conversation {
    let mut reader = Reader::default();
    let skipped = each(bytes, |record| reader.take(record));
    reader.done(Kind::GeminiLines, skipped)
}

/// Reads a document: a session, a checkpoint, a bare list of messages.
pub(super) fn document(text: &str) -> Result<Conversation, Unreadable> {
    let record = if text.trim_start().starts_with('[') {
        Record { messages: serde_json::from_str(text)?, ..Record::default() }
    } else {
        serde_json::from_str::<Record>(text)?
    };
    let lists = [record.messages, record.history, record.contents];
    let skipped = lists.iter().map(|list| list.other).sum();
    let messages: Vec<Record> = lists.into_iter().flat_map(|list| list.items).collect();
    let first = |list: &[Record]| list.first().and_then(|message: &Record| message.session_id.0.clone());
    let id = record.session_id.0.or_else(|| first(&messages));
    let reader = Reader { id, summary: record.summary.0, messages, ..Reader::default() };
    Ok(reader.done(Kind::GeminiJson, skipped))
}

impl Reader {
    fn take(&mut self, record: Record) {
        if let Some(target) = &record.rewind.0 {
            return self.rewind(target);
        }
        if record.id.0.is_some() {
            return self.put(record);
        }
        let fields = match record.set.0 {
            Some(set) => *set,
            None => record,
        };
        self.id = fields.session_id.0.or(self.id.take());
        self.summary = fields.summary.0.or(self.summary.take());
        self.replace(fields.messages.items);
    }

    /// A new message, or a known one as it is now.
    fn put(&mut self, message: Record) {
        let id = message.id.as_str().to_owned();
        match self.places.get(&id) {
            Some(&place) => self.messages[place] = message,
            None => {
                self.places.insert(id, self.messages.len());
                self.messages.push(message);
            }
        }
    }

    /// Takes back a message and all behind it; all of them when it is unknown, as the program does.
    fn rewind(&mut self, target: &str) {
        let place = self.places.get(target).copied().unwrap_or(0);
        self.messages.truncate(place);
        self.places.retain(|_, at| *at < place);
    }

    /// What the model is shown from now on. Only what was never heard is new.
    fn replace(&mut self, messages: Vec<Record>) {
        if messages.is_empty() {
            return;
        }
        let mut same: HashMap<(String, String), VecDeque<usize>> = HashMap::new();
        for (place, message) in self.messages.iter().enumerate() {
            same.entry(likeness(message)).or_default().push_back(place);
        }
        for message in messages {
            let known = self.places.contains_key(message.id.as_str());
            let twin = same.get_mut(&likeness(&message)).and_then(VecDeque::pop_front);
            if !known && twin.is_none() {
                self.put(message);
            }
        }
    }

    fn done(self, kind: Kind, skipped: usize) -> Conversation {
        let mut turns = Turns::default();
        let mut answered = HashSet::new();
        let mut own = HashSet::new();
        for message in &self.messages {
            speak(message, &mut turns, &mut answered, &mut own);
        }
        Conversation { kind, id: self.id, title: self.summary, turns: turns.done(), skipped }
    }
}

/// What makes two messages the same one under two names.
fn likeness(message: &Record) -> (String, String) {
    let text = if message.content.is_empty() { message.parts.said() } else { message.content.said() };
    (message.r#type.as_str().to_owned(), text)
}

/// A message's turns. `answered` are calls whose result is told already: it comes with the call and with the next
/// message to the model. `own` are calls of memdir.
fn speak(message: &Record, turns: &mut Turns, answered: &mut HashSet<String>, own: &mut HashSet<String>) {
    let at = time(&message.timestamp);
    let name = if message.r#type.0.is_some() { &message.r#type } else { &message.role };
    // Notices of the program (`info`, `warning`, `error`) are nobody's words.
    let Some(role) = role(name.as_str()) else { return };
    let told = [&message.content, &message.parts, &message.message];
    for answer in told.iter().flat_map(|parts| parts.answers()) {
        let call = answer.call.unwrap_or_default();
        if call.is_empty() || answered.insert(call.clone()) {
            turns.answered(&at, &answer.text, own.contains(&call));
        }
    }
    let typed = role == Role::User && !message.display_content.is_empty();
    let said = if typed { [&message.display_content].to_vec() } else { told.to_vec() };
    turns.said(role, &at, said.into_iter().flat_map(|parts| parts.texts()));
    for call in &message.tool_calls.items {
        let command = call.args.0.as_ref().map_or("", |args: &Input| args.command.as_str());
        let mine = asks_memory(call.name.as_str(), command);
        own.extend(call.id.0.clone().filter(|_| mine));
        let results: Vec<String> = call.result.answers().map(|answer| answer.text).collect();
        let text = if results.is_empty() { call.result.said() } else { results.join("\n") };
        let ids: Vec<String> =
            call.id.0.clone().into_iter().chain(call.result.answers().filter_map(|answer| answer.call)).collect();
        if !ids.iter().any(|id| answered.contains(id)) {
            turns.answered(&at, &text, mine);
        }
        answered.extend(ids);
    }
}
