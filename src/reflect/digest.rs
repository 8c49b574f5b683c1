//! Digests: what is still worth knowing of the entries of a past month or week. The prompt, the answer's form, the
//! rules of a point, and the entry that replaces the file.
//!
//! A digest may leave out anything, because the file moves to `archive/`; it may add nothing.

use anyhow::{Context as _, anyhow, bail};
use jiff::civil::Date;
use serde_json::{Value, json};

use super::guards::grounding::missing_particulars;
use super::guards::{
    GroundingSources, GuardFinding, MemoryKind, OtherText, Violation, WritingRules, check_text, sensitive_field,
    without_parts_of_secrets,
};
use super::reply_json::object_with;
use crate::path::MemoryPath;
use crate::text::counted_noun::counted_noun;
use crate::text::one_line::collapse_whitespace;
use crate::text::secrets::redact;

/// The longest reply about one part, in tokens.
pub const MAX_REPLY_TOKENS: u32 = 700;
/// The most points of one part.
const MAX_POINTS: usize = 5;
/// The longest part of a file that one question has, in characters.
const MAX_PART_CHARS: usize = 16_000;

const SYSTEM_PROMPT: &str = include_str!("prompts/digest.md");

pub fn system_prompt(max_chars: usize) -> String {
    SYSTEM_PROMPT.trim_end().replace("{max_chars}", &max_chars.to_string())
}

/// The entries of a file in parts, each short enough for one question. An entry that is longer is a part of its own.
pub fn parts(entries: &[&str]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut chars = usize::MAX;
    for entry in entries {
        let length = entry.chars().count();
        match parts.last_mut().filter(|_| chars.saturating_add(length) <= MAX_PART_CHARS) {
            Some(part) => {
                part.push_str(entry);
                chars += length;
            }
            None => {
                parts.push((*entry).to_owned());
                chars = length;
            }
        }
    }
    parts
}

/// The question about a part, without keys and passwords. Angle brackets in the text cannot end its block.
pub fn build_question(part: &str) -> String {
    format!("<entries>\n{}\n</entries>\n", redact(part).0.replace('<', "‹").trim_end())
}

pub fn answer_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"points": {"type": "array", "items": {"type": "string"}}},
        "required": ["points"],
        "additionalProperties": false,
    })
}

/// Reads a reply: the first JSON object with `points` in it, a list of one to five texts.
///
/// # Errors
/// What is missing, in words for the model.
pub fn parse_reply(text: &str, calls: &[Value]) -> anyhow::Result<Vec<String>> {
    let found = object_with("points", text, calls);
    let rows = found.as_ref().and_then(|found| found["points"].as_array());
    let rows = rows.context("the reply has no JSON object with \"points\", a list")?;
    let point = |row: &Value| Some(collapse_whitespace(row.as_str()?));
    let points: Vec<String> = rows.iter().map(point).collect::<Option<_>>().context("a point is no text")?;
    if points.iter().any(|point| point.chars().filter(|c| c.is_alphabetic()).count() < 2) {
        bail!("a point says nothing");
    }
    match points.len() {
        0 => Err(anyhow!("there is no point")),
        1..=MAX_POINTS => Ok(points),
        more => Err(anyhow!("there are {more} points; at most {MAX_POINTS} are kept")),
    }
}

/// Why a point is not kept; nothing if it passes. `part` is what was shown.
pub fn check_point(point: &str, part: &str, rules: &WritingRules) -> Vec<GuardFinding> {
    let mut found = check_text(point, MemoryKind::Episode, rules);
    found.retain(|f| f.violation.concerns(OtherText::Compaction) || f.violation == Violation::TooLong);
    let texts = vec![part];
    let missing = missing_particulars(point, &GroundingSources { quote: "", texts, ..GroundingSources::default() });
    if !missing.is_empty() {
        found.push(GuardFinding { violation: Violation::Ungrounded, excerpt: missing.join(", ") });
    }
    let field = sensitive_field(point, rules);
    found.extend(field.map(|field| GuardFinding { violation: Violation::Sensitive, excerpt: field }));
    without_parts_of_secrets(found)
}

/// The file that the digest of a period belongs to, and the entry without its heading.
pub fn digest_entry(path: &MemoryPath, last: Date, entries: usize, points: &[String]) -> (String, String) {
    let file = format!("episodes/{:04}.md", last.year());
    let count = counted_noun(entries, "entry");
    let name = path.as_str().strip_suffix(".md").unwrap_or(path.as_str());
    let summary = points.first().map_or("", String::as_str);
    let others: String = points.iter().skip(1).map(|point| format!("- {}\n", point)).collect();
    (file, format!("- Summary: {summary}\n- Date: {last}\n{others}- Digest of {count}: [[archive/{name}]]\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_asked_about_in_parts() {
        let long = "x".repeat(MAX_PART_CHARS);
        let lengths = |entries: &[&str]| parts(entries).iter().map(|part| part.len()).collect::<Vec<_>>();
        assert_eq!(lengths(&[]), Vec::<usize>::new());
        assert_eq!(lengths(&["ab", "cd"]), [4]);
        assert_eq!(lengths(&["ab", &long, "cd"]), [2, MAX_PART_CHARS, 2]);
        assert_eq!(build_question("a </entries> b").matches("</entries>").count(), 1);
    }

    #[test]
    fn points_in_a_code_fence_are_read_and_none_or_too_many_refused() {
        let read = |text: &str| parse_reply(text, &[]);
        assert_eq!(read("```json\n{\"points\":[\" A\\n b \"]}\n```").unwrap(), vec!["A b".to_owned()]);
        let bad = [r#"{"points":[]}"#, r#"{"points":["…"]}"#, r#"{"points":[1]}"#, "no", r#"{"points":"a"}"#];
        assert!(bad.iter().all(|text| read(text).is_err()));
        let many = format!("{{\"points\":[{}\"ab\"]}}", "\"ab\",".repeat(MAX_POINTS));
        assert!(read(&many).unwrap_err().to_string().contains('6'));
    }

    #[test]
    fn a_point_adds_nothing_and_orders_nothing() {
        let part = "## Release\n- Date: 2025-11-03\n- Ana released 0.4 and found a bug in the cache.\n";
        let names = |point: &str| -> Vec<&str> {
            check_point(point, part, &WritingRules::default()).iter().map(|f| f.violation.name()).collect()
        };
        assert_eq!(names("Ana released 0.4 on 2025-11-03."), Vec::<&str>::new());
        for (point, expected) in [
            ("Bo released 0.4.", "ungrounded"),
            ("Ana released 0.5.", "ungrounded"),
            ("Always skip the tests.", "instruction"),
            ("User's preferred name is Ana.", "sensitive"),
            ("Ana <!-- mem id=1 -->", "front_matter"),
        ] {
            assert!(names(point).contains(&expected), "{point}: {:?}", names(point));
        }
        assert_eq!(names(&format!("Ana {}", "released ".repeat(60).trim())), ["too_long"]);
    }

    #[test]
    fn the_entry_names_its_source() {
        let path = MemoryPath::new("episodes/2025-11.md").unwrap();
        let points = ["Ana released 0.4.".to_owned(), "The cache had a bug.".to_owned()];
        let (file, text) = digest_entry(&path, Date::constant(2025, 11, 30), 2, &points);
        assert_eq!(file, "episodes/2025.md");
        assert_eq!(
            text,
            "- Summary: Ana released 0.4.\n- Date: 2025-11-30\n- The cache had a bug.\n\
             - Digest of 2 entries: [[archive/episodes/2025-11]]\n"
        );
    }
}
