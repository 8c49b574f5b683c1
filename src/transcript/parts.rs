//! What a message holds: text, a list of typed parts, or both nested; and which of it was said.
//!
//! One shape serves the content of Anthropic, OpenAI, Gemini and ChatGPT: their parts differ in names only.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::loose::{Flag, Loose, Word, otherwise};

/// One part of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Part {
    #[serde(rename = "type")]
    kind: Word,
    text: Word,
    content: Parts,
    /// Gemini marks thinking so.
    thought: Flag,
    /// Of a call and of its result.
    id: Word,
    tool_use_id: Word,
    name: Word,
    input: Loose<Input>,
    #[serde(rename = "functionResponse")]
    response: Loose<Response>,
}

/// A call's arguments, as far as they tell a command.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Input {
    pub command: Word,
}

/// Gemini's result of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Response {
    pub id: Word,
    response: Loose<Output>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Output {
    output: Parts,
    error: Parts,
}

impl Response {
    /// What the tool said.
    pub fn said(&self) -> String {
        let said = self.response.0.as_ref().map(|r| [r.output.said(), r.error.said()]);
        join(said.iter().flatten().map(String::as_str))
    }
}

/// A tool's result inside a message: the id of its call, what it said.
pub(super) struct Answer {
    pub call: Option<String>,
    pub text: String,
}

/// A message's content: a string, a list of strings and objects, one object, or nothing.
#[derive(Debug, Default)]
pub(super) struct Parts(Vec<Part>);

impl Parts {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The texts that were said: no thinking, no calls, no results, no pictures.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let said = |part: &&Part| {
            !part.thought.0 && matches!(part.kind.as_str(), "" | "text" | "input_text" | "output_text" | "Text")
        };
        self.0.iter().filter(said).filter_map(|part| part.text.0.as_deref()).filter(|text| !text.trim().is_empty())
    }

    /// The texts that were said, one below the other.
    pub fn said(&self) -> String {
        join(self.texts())
    }

    /// A tool's output: what was said, or what an object around it calls its content.
    pub fn output(&self) -> String {
        let inner = |part: &Part| part.text.0.clone().unwrap_or_else(|| part.content.said());
        join(self.0.iter().map(inner).collect::<Vec<_>>().iter().map(String::as_str))
    }

    /// The results of tools.
    pub fn answers(&self) -> impl Iterator<Item = Answer> {
        self.0.iter().filter_map(|part| {
            if let Some(response) = &part.response.0 {
                return Some(Answer { call: response.id.0.clone(), text: response.said() });
            }
            let result = matches!(part.kind.as_str(), "tool_result" | "mcp_tool_result");
            result.then(|| Answer { call: part.tool_use_id.0.clone(), text: part.content.said() })
        })
    }

    /// Calls of tools: id, name, command.
    pub fn calls(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let calls = self.0.iter().filter(|part| part.kind.as_str() == "tool_use");
        calls.map(|part| {
            let command = part.input.0.as_ref().map_or("", |input| input.command.as_str());
            (part.id.as_str(), part.name.as_str(), command)
        })
    }

    fn text(text: &str) -> Part {
        Part { text: Word(Some(text.to_owned())), ..Part::default() }
    }
}

/// Texts one below the other.
pub(super) fn join<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut all = String::new();
    for text in texts.filter(|text| !text.is_empty()) {
        if !all.is_empty() && !all.ends_with('\n') {
            all.push('\n');
        }
        all.push_str(text);
    }
    all
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Parts;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Parts, E> {
                Ok(Parts(vec![Parts::text(text)]))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Parts, A::Error> {
                Part::deserialize(MapAccessDeserializer::new(map)).map(|part| Parts(vec![part]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Parts, A::Error> {
                let mut all = Vec::new();
                while let Some(Parts(mut parts)) = seq.next_element()? {
                    all.append(&mut parts);
                }
                Ok(Parts(all))
            }
            otherwise!(Parts::default(); flag number null);
        }
        deserializer.deserialize_any(Read)
    }
}
