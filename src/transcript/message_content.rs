//! The content of a message: a string, a list of typed parts, or both nested; and which of it is message text.
//!
//! One type serves Anthropic, OpenAI, Gemini and ChatGPT, because their parts differ only in names. Never includes
//! thinking, tool calls or images in the text.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::lenient_json::{LenientBool, LenientObject, LenientText, otherwise};

/// One part of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ContentPart {
    #[serde(rename = "type")]
    kind: LenientText,
    text: LenientText,
    content: MessageContent,
    /// Set by Gemini on thinking.
    thought: LenientBool,
    /// The id of a tool call; `tool_use_id` refers to it in the result.
    id: LenientText,
    tool_use_id: LenientText,
    name: LenientText,
    input: LenientObject<ToolCallInput>,
    #[serde(rename = "functionResponse")]
    response: LenientObject<FunctionResponse>,
}

/// The arguments of a tool call; only `command` is used, to detect calls of memdir.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolCallInput {
    pub command: LenientText,
}

/// A tool result in Gemini's format.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionResponse {
    pub id: LenientText,
    response: LenientObject<FunctionOutput>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FunctionOutput {
    output: MessageContent,
    error: MessageContent,
}

impl FunctionResponse {
    /// The tool's output and error, joined.
    pub fn joined_text(&self) -> String {
        let texts = self.response.0.as_ref().map(|r| [r.output.joined_text(), r.error.joined_text()]);
        join_lines(texts.iter().flatten().map(String::as_str))
    }
}

/// A tool result inside a message: the id of its call, and its text.
pub(super) struct ToolResultPart {
    pub call_id: Option<String>,
    pub text: String,
}

/// A message's content: a string, a list of strings and objects, one object, or nothing.
#[derive(Debug, Default)]
pub(super) struct MessageContent(Vec<ContentPart>);

impl MessageContent {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The message texts, without thinking, calls, results and images.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let is_text = |part: &&ContentPart| {
            !part.thought.0 && matches!(part.kind.as_str(), "" | "text" | "input_text" | "output_text" | "Text")
        };
        self.0.iter().filter(is_text).filter_map(|part| part.text.0.as_deref()).filter(|text| !text.trim().is_empty())
    }

    /// The message texts, one per line.
    pub fn joined_text(&self) -> String {
        join_lines(self.texts())
    }

    /// A tool's output: the text of each part, or of the `content` nested in it.
    pub fn tool_output(&self) -> String {
        let inner = |part: &ContentPart| part.text.0.clone().unwrap_or_else(|| part.content.joined_text());
        join_lines(self.0.iter().map(inner).collect::<Vec<_>>().iter().map(String::as_str))
    }

    /// The results of tool calls in the content, in their order.
    pub fn tool_results(&self) -> impl Iterator<Item = ToolResultPart> {
        self.0.iter().filter_map(|part| {
            if let Some(response) = &part.response.0 {
                return Some(ToolResultPart { call_id: response.id.0.clone(), text: response.joined_text() });
            }
            let result = matches!(part.kind.as_str(), "tool_result" | "mcp_tool_result");
            result.then(|| ToolResultPart { call_id: part.tool_use_id.0.clone(), text: part.content.joined_text() })
        })
    }

    /// The tool calls: id, name, command.
    pub fn tool_calls(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let calls = self.0.iter().filter(|part| part.kind.as_str() == "tool_use");
        calls.map(|part| {
            let command = part.input.0.as_ref().map_or("", |input| input.command.as_str());
            (part.id.as_str(), part.name.as_str(), command)
        })
    }

    fn text_part(text: &str) -> ContentPart {
        ContentPart { text: LenientText(Some(text.to_owned())), ..ContentPart::default() }
    }
}

/// Joins the non-empty texts with line breaks.
pub(super) fn join_lines<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut all = String::new();
    for text in texts.filter(|text| !text.is_empty()) {
        if !all.is_empty() && !all.ends_with('\n') {
            all.push('\n');
        }
        all.push_str(text);
    }
    all
}

impl<'de> Deserialize<'de> for MessageContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MessageContentVisitor;
        impl<'de> Visitor<'de> for MessageContentVisitor {
            type Value = MessageContent;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<MessageContent, E> {
                Ok(MessageContent(vec![MessageContent::text_part(text)]))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MessageContent, A::Error> {
                ContentPart::deserialize(MapAccessDeserializer::new(map)).map(|part| MessageContent(vec![part]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<MessageContent, A::Error> {
                let mut all = Vec::new();
                while let Some(MessageContent(mut parts)) = seq.next_element()? {
                    all.append(&mut parts);
                }
                Ok(MessageContent(all))
            }
            otherwise!(MessageContent::default(); flag number null);
        }
        deserializer.deserialize_any(MessageContentVisitor)
    }
}
