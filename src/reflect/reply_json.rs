//! What the replies to one question have in common: an object somewhere in a text, and its tags.

use serde_json::Value;

/// The most tags of one memory.
const MAX_TAGS: usize = 4;
/// The longest tag, in characters.
const MAX_TAG_CHARS: usize = 24;
/// How many braces of a text may begin the object.
const MAX_STARTS: usize = 20;

/// The first JSON object with a key: in a tool call, else anywhere in the text.
pub fn object_with(key: &str, text: &str, calls: &[Value]) -> Option<Value> {
    let starts = text
        .match_indices('{')
        .take(MAX_STARTS)
        .filter_map(|(at, _)| serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok());
    calls.iter().cloned().chain(starts).find(|value| value.get(key).is_some())
}

/// The tags of a list, as they are written after `#`. What is none is left out.
pub fn tags(list: Option<&Value>) -> Vec<String> {
    let is_tag = |tag: &String| {
        (1..=MAX_TAG_CHARS).contains(&tag.chars().count())
            && tag.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
            && !tag.chars().all(|c| c.is_ascii_digit())
    };
    let tags = list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let tags = tags.map(|tag| tag.trim().trim_start_matches('#').to_lowercase().replace(' ', "-")).filter(is_tag);
    tags.take(MAX_TAGS).collect()
}
