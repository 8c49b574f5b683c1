//! What the replies to one question have in common: an object somewhere in a text, and its tags.

use serde_json::Value;

/// The most tags of one memory.
const MAX_TAGS: usize = 4;
/// The longest tag, in characters.
const MAX_TAG_CHARS: usize = 24;
/// How many brackets of a text are tried as the start of a value: bounds the work on hostile replies.
const MAX_STARTS: usize = 32;
/// How much of a text is searched, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The JSON values in a text, from its first brackets on; a value inside another one follows it.
pub fn values_in(text: &str) -> impl Iterator<Item = Value> + '_ {
    let end = (0..=text.len().min(MAX_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let text = &text[..end];
    let starts = text.match_indices(['{', '[']).take(MAX_STARTS);
    starts.filter_map(|(at, _)| serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok())
}

/// The first JSON object with a key: in a tool call, else anywhere in the text.
pub fn object_with(key: &str, text: &str, calls: &[Value]) -> Option<Value> {
    calls.iter().cloned().chain(values_in(text)).find(|value| value.get(key).is_some())
}

/// The tags of a list, as they are written after `#`. Values that are not tags are left out.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_in_the_order_of_their_brackets() {
        let found: Vec<Value> = values_in("Sure: [{\"n\": 1}] {no} {\"n\": 2}").collect();
        assert_eq!(found, [serde_json::json!([{"n": 1}]), serde_json::json!({"n": 1}), serde_json::json!({"n": 2})]);
    }

    #[test]
    fn what_lies_behind_the_first_mebibyte_is_not_searched() {
        // The limit falls inside a character.
        let text = format!("{}é{{\"n\": 1}}", "x".repeat(MAX_BYTES - 1));
        assert_eq!(values_in(&text).count(), 0);
        assert_eq!(values_in(&text[1 << 10..]).count(), 1);
    }
}
