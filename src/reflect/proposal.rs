//! A proposal that waits in `inbox/`: markdown that a person can read and edit, with the operation in it.
//!
//! Never decides whether it may pass. What is not readable any more is refused, not guessed.

use serde_json::Value;

use crate::change::Etag;
use crate::code::{Code, Rejection};
use crate::operation::{Operation, read};
use crate::path::MemoryPath;

/// An operation that waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The operation, in our own dialect.
    pub operation: Value,
    /// One line that says what it is about.
    pub title: String,
    /// Why it waits.
    pub why: String,
    /// Who proposes it: provider and model.
    pub by: String,
    /// When, `YYYY-MM-DD`.
    pub at: String,
    /// The last day on which it can be accepted, `YYYY-MM-DD`.
    pub until: String,
    /// The conversation it is from.
    pub conversation: Option<String>,
    /// The turn.
    pub turn: Option<usize>,
    /// The words that prove it.
    pub quote: Option<String>,
    /// The change, as lines of a unified diff without its head.
    pub diff: String,
}

/// The name of a proposal: from what it does, so that the same one waits once.
pub fn id(operation: &Value) -> String {
    format!("p{}", &Etag::of(operation.to_string().as_bytes()).hex()[..6])
}

/// Where a proposal waits.
pub fn path(id: &str) -> Option<MemoryPath> {
    let plain = id.len() == 7 && id.starts_with('p') && id[1..].bytes().all(|b| b.is_ascii_hexdigit());
    plain.then(|| MemoryPath::new(&format!("inbox/{id}.md")).ok())?
}

/// The id of the proposal in a file, if its name is one of a proposal's.
pub fn id_of(file: &MemoryPath) -> Option<&str> {
    let name = file.as_str().strip_prefix("inbox/")?.strip_suffix(".md")?;
    path(name).map(|_| name)
}

impl Proposal {
    /// Its file.
    pub fn text(&self) -> String {
        let mut out = format!("# {}\n\n- Proposed: {} by {}\n", one_line(&self.title), self.at, one_line(&self.by));
        out.push_str(&format!("- Waits because: {}\n", one_line(&self.why)));
        if let Some(quote) = &self.quote {
            let turn = self.turn.map_or(String::new(), |n| format!(", turn {n}"));
            let of = self.conversation.as_deref().map_or(String::new(), |c| format!(" of {}", one_line(c)));
            out.push_str(&format!("- Said: \"{}\"{turn}{of}\n", one_line(quote)));
        }
        out.push_str(&format!("- Expires: {}\n", self.until));
        out.push_str(&format!(
            "\nAccept it with `memdir inbox {0} --accept`, reject it with `memdir inbox {0} --reject`. What is accepted is \
             the operation below; it may be edited first.\n",
            id(&self.operation)
        ));
        // Each line of the diff begins with a sign, and the JSON is one line: neither can close its fence.
        out.push_str("\n```diff\n");
        for line in self.diff.lines() {
            out.push_str(line);
            out.push('\n');
        }
        out.push_str(&format!("```\n\n```json\n{}\n```\n", self.operation));
        out
    }
}

/// A proposal as it stands in its file, perhaps edited.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// Its title.
    pub title: String,
    /// The lines that say where it is from, as they stand.
    pub said: Vec<String>,
    /// The last day on which it can be accepted, if that can be read.
    pub until: Option<String>,
    /// Its diff.
    pub diff: String,
    /// The operation.
    pub operation: Result<Operation, Rejection>,
}

/// Reads a proposal's file.
pub fn read(text: &str) -> Waiting {
    let text = text.replace("\r\n", "\n");
    let title = text.lines().find_map(|l| l.strip_prefix("# ")).unwrap_or_default().trim().to_owned();
    let head = text.split("\n```").next().unwrap_or_default();
    let said: Vec<String> = head.lines().filter_map(|l| l.strip_prefix("- ")).map(str::to_owned).collect();
    let until = said.iter().find_map(|l| l.strip_prefix("Expires:")).map(|d| d.trim().to_owned());
    let none = || {
        Rejection::new(Code::InvalidOperation, "the proposal holds no operation any more")
            .hint("it stands in a ```json block of its file; reject the proposal if it cannot be mended")
    };
    let operation = match block(&text, "json") {
        Some(json) => operation(&json),
        None => Err(none()),
    };
    Waiting { title, said, until, diff: block(&text, "diff").unwrap_or_default(), operation }
}

fn operation(json: &str) -> Result<Operation, Rejection> {
    let mut batch = read::batch(json).map_err(|mut all| all.remove(0))?;
    match batch.operations.len() {
        1 => Ok(batch.operations.remove(0)),
        n => Err(Rejection::new(Code::InvalidOperation, format!("a proposal holds one operation, not {n}"))),
    }
}

/// A text of others as a part of one line.
fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

/// The last fenced block of a language.
fn block(text: &str, language: &str) -> Option<String> {
    let open = format!("```{language}");
    let mut found = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == open {
            let inner: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
            found = Some(inner.join("\n"));
        }
    }
    found
}

impl Waiting {
    /// Whether it can no longer be accepted on a day (`YYYY-MM-DD`). What has no readable day waits for ever.
    pub fn is_expired(&self, today: &str) -> bool {
        let is_day = |d: &&String| d.parse::<jiff::civil::Date>().is_ok();
        self.until.as_ref().filter(is_day).is_some_and(|until| until.as_str() < today)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn proposal(text: &str) -> Proposal {
        Proposal {
            operation: json!({"op": "add", "at": "facts/user.md", "text": text}),
            title: format!("+ {text}"),
            why: "sensitive: city".into(),
            by: "ollama llama3".into(),
            at: "2026-02-24".into(),
            until: "2026-03-03".into(),
            conversation: Some("abc".into()),
            turn: Some(3),
            quote: Some("I moved\nto Berlin".into()),
            diff: format!("+- {text}"),
        }
    }

    #[test]
    fn a_proposal_reads_back() {
        for text in ["City: Berlin", "``` fences ``` and # heads", "a \"quoted\" \u{202e} text", "住在上海"] {
            let one = proposal(text);
            let back = read(&one.text());
            assert_eq!(read::print(back.operation.as_ref().unwrap()), one.operation, "{}", one.text());
            assert_eq!(back.diff, one.diff);
            assert!(!back.is_expired("2026-03-03") && back.is_expired("2026-03-04"));
            assert_eq!(path(&id(&one.operation)).as_ref().and_then(id_of), Some(&*id(&one.operation)));
        }
    }

    #[test]
    fn what_a_person_broke_is_refused_with_the_mend() {
        for text in ["", "# x\n", "```json\nnope\n```\n", "```json\n[]\n```\n"] {
            assert!(read(text).operation.is_err(), "{text:?}");
        }
        assert!(!read("- Expires: soon\n").is_expired("2999-01-01"));
    }

    #[test]
    fn only_names_of_proposals_are_ids() {
        for name in ["x", "p12345", "p12345g", "../p123456", "rescued-1"] {
            assert_eq!(path(name), None, "{name}");
        }
    }
}
