//! The file of a proposal that waits for review in `inbox/`: markdown that the user can read and edit, with the
//! operation as JSON.
//!
//! Never decides whether a proposal is accepted. A file that no longer parses is an error; nothing is guessed.

use serde_json::Value;

use crate::change::Etag;
use crate::code::{Code, Rejection};
use crate::operation::{Operation, dialects};
use crate::path::MemoryPath;
use crate::reflect::guards::Violation;
use crate::text::one_line::one_line;
use crate::text::shell_quote::shell_quote;

/// A proposal that waits for the user's review, to be written to `inbox/`.
#[derive(Clone, Debug, PartialEq)]
pub struct InboxItem {
    /// The operation, in memdir's JSON dialect; or an object with a list of `operations`.
    pub operation: Value,
    /// One line that summarises the change.
    pub title: String,
    /// Why it needs review.
    pub reason: String,
    /// The provider and model that proposed it, or the agent.
    pub by: String,
    /// The day of the proposal, `YYYY-MM-DD`.
    pub at: String,
    /// The last day on which it can be accepted, `YYYY-MM-DD`.
    pub until: String,
    /// The id of the conversation that it is based on.
    pub conversation: Option<String>,
    /// The number of the turn with the quote.
    pub turn: Option<usize>,
    /// The quote that is its evidence.
    pub quote: Option<String>,
    /// The change, as the lines of a unified diff without file headers.
    pub diff: String,
    /// The scope that it waits in.
    pub scope: Option<String>,
    /// The layer that it waits in, if it is not the nearest one where it was proposed.
    pub layer: Option<String>,
}

/// The id of a proposal: `p` and six hexadecimal digits of the operation's hash, so that the same operation waits only
/// once.
pub fn proposal_id(operation: &Value) -> String {
    format!("p{}", &Etag::of(operation.to_string().as_bytes()).hex()[..6])
}

/// The path of a proposal's file; `None` if `id` is not a proposal's id.
pub fn item_path(id: &str) -> Option<MemoryPath> {
    let plain = id.len() == 7 && id.starts_with('p') && id[1..].bytes().all(|b| b.is_ascii_hexdigit());
    plain.then(|| MemoryPath::new(&format!("inbox/{id}.md")).ok())?
}

/// The id of the proposal in a file, if the path is that of a proposal.
pub fn id_of(file: &MemoryPath) -> Option<&str> {
    let name = file.as_str().strip_prefix("inbox/")?.strip_suffix(".md")?;
    item_path(name).map(|_| name)
}

impl InboxItem {
    /// The text of its file.
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n\n- Proposed: {} by {}\n", one_line(&self.title), self.at, one_line(&self.by));
        out.push_str(&format!("- Waits because: {}\n", one_line(&self.reason)));
        if let Some(quote) = &self.quote {
            let turn = self.turn.map_or(String::new(), |n| format!(", turn {n}"));
            let of = self.conversation.as_deref().map_or(String::new(), |c| format!(" of {}", one_line(c)));
            out.push_str(&format!("- Said: \"{}\"{turn}{of}\n", one_line(quote)));
        }
        out.push_str(&format!("- Expires: {}\n", self.until));
        let id = proposal_id(&self.operation);
        let scope = self.scope.as_ref().map_or(String::new(), |name| format!(" -S {}", shell_quote(name)));
        let layer = self.layer.as_ref().map_or(String::new(), |name| format!("{name}:"));
        let itself =
            if layer.is_empty() { String::new() } else { format!(" (in that memory itself without `{layer}`)") };
        out.push_str(&format!(
            "\nAccept it with `memdir{scope} inbox {layer}{id} --accept`, reject it with `memdir{scope} inbox {layer}{id} \
             --reject`{itself}. What is accepted is the operation below; it may be edited first.\n",
        ));
        // Each line of the diff starts with a sign, and the JSON is a single line: neither can close its code fence.
        out.push_str("\n```diff\n");
        for line in self.diff.lines() {
            out.push_str(line);
            out.push('\n');
        }
        out.push_str(&format!("```\n\n```json\n{}\n```\n", self.operation));
        out
    }
}

/// A proposal parsed from its file, which the user may have edited.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingProposal {
    pub title: String,
    /// The list items above the diff: origin, reason, quote, expiry.
    pub details: Vec<String>,
    /// The last day on which it can be accepted, unparsed, if the file has one.
    pub until: Option<String>,
    pub diff: String,
    /// The operations, at least one, or why they cannot be read.
    pub operations: Result<Vec<Operation>, Rejection>,
}

/// The git branch on which a proposal is committed for a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReviewBranch {
    /// Its name, without `refs/heads/`.
    pub name: String,
    /// The commit from which it started.
    pub base: String,
}

/// How the line with the branch starts.
const BRANCH_LABEL: &str = "- Branch: ";
/// How the lines with the reason and with the quote start.
const REASON_LABEL: &str = "- Waits because: ";
const QUOTE_LABEL: &str = "- Said: ";

/// The text of a proposal's file with the user's words of consent, and what it waits for with them; unchanged if a person
/// took the line with the reason out.
pub fn with_consent(text: &str, words: &str, reason: &str) -> String {
    let head_end = text.find("\n```").map_or(text.len(), |at| at + 1);
    let (head, rest) = text.split_at(head_end);
    if !head.lines().any(|line| line.starts_with(REASON_LABEL)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + words.len());
    for line in head.split_inclusive('\n').filter(|line| !line.starts_with(QUOTE_LABEL)) {
        if line.starts_with(REASON_LABEL) {
            out.push_str(&format!("{REASON_LABEL}{}\n{QUOTE_LABEL}\"{}\"\n", one_line(reason), one_line(words)));
        } else {
            out.push_str(line);
        }
    }
    out + rest
}

/// The text of a proposal's file with another branch, or none: the last line of its head.
pub fn with_branch(text: &str, branch: Option<&ReviewBranch>) -> String {
    let head_end = text.find("\n```").map_or(text.len(), |at| at + 1);
    let (head, rest) = text.split_at(head_end);
    let mut lines: Vec<String> = head.split_inclusive('\n').map(str::to_owned).collect();
    lines.retain(|line| !line.starts_with(BRANCH_LABEL));
    if let Some(branch) = branch {
        let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let after = lines.iter().rposition(|line| line.starts_with("- ")).map_or(lines.len(), |at| at + 1);
        if let Some(last) = lines[..after].last_mut().filter(|last| !last.ends_with('\n')) {
            last.push_str(line_break);
        }
        lines.insert(after, format!("{BRANCH_LABEL}{} from {}{line_break}", branch.name, branch.base));
    }
    lines.concat() + rest
}

/// The turn of a conversation that a proposal is based on.
pub struct TurnOrigin<'a> {
    pub conversation: &'a str,
    pub turn: usize,
    pub quote: &'a str,
}

/// Parses a proposal's file. Errors are in the result's `operations`.
pub fn parse_item(text: &str) -> PendingProposal {
    let text = text.replace("\r\n", "\n");
    let title = text.lines().find_map(|l| l.strip_prefix("# ")).unwrap_or_default().trim().to_owned();
    let head = text.split("\n```").next().unwrap_or_default();
    let details: Vec<String> = head.lines().filter_map(|l| l.strip_prefix("- ")).map(str::to_owned).collect();
    let until = details.iter().find_map(|l| l.strip_prefix("Expires:")).map(|d| d.trim().to_owned());
    let no_operation = || {
        Rejection::new(Code::InvalidOperation, "no operation in the proposal file")
            .hint("restore the ```json block of the file, or reject the proposal")
    };
    let operations = match last_fenced_block(&text, "json") {
        Some(json) => parse_operations(&json),
        None => Err(no_operation()),
    };
    PendingProposal { title, details, until, diff: last_fenced_block(&text, "diff").unwrap_or_default(), operations }
}

/// Whether the operation in the text of a proposal's file is another than the one that was proposed under this id.
pub fn is_edited(text: &str, id: &str) -> bool {
    let json = last_fenced_block(&text.replace("\r\n", "\n"), "json").unwrap_or_default();
    serde_json::from_str::<Value>(&json).is_ok_and(|operation| proposal_id(&operation) != id)
}

fn parse_operations(json: &str) -> Result<Vec<Operation>, Rejection> {
    let batch = dialects::parse_batch(json).map_err(|mut all| all.remove(0))?;
    if !batch.operations.is_empty() {
        Ok(batch.operations)
    } else {
        Err(Rejection::new(Code::InvalidOperation, "a proposal must contain an operation"))
    }
}

/// The content of the last code fence of a language. The last, because a text above might contain a fence, too.
fn last_fenced_block(text: &str, language: &str) -> Option<String> {
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

impl PendingProposal {
    /// The conversation that it is from, if all it waits for is another conversation that states the same.
    pub fn lone_conversation(&self) -> Option<&str> {
        let detail = |name: &str| self.details.iter().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let (reason, _) = detail("Waits because:")?.split_once(' ')?;
        let is_alone = reason == Violation::Uncorroborated.name() && !detail("Waits because:")?.contains(", ");
        is_alone.then_some(self.origin()?.conversation)
    }

    /// The branch on which it is committed, if it is.
    pub fn branch(&self) -> Option<ReviewBranch> {
        let line = self.details.iter().find_map(|line| line.strip_prefix("Branch: "))?;
        let (name, base) = line.trim().rsplit_once(" from ")?;
        Some(ReviewBranch { name: name.to_owned(), base: base.to_owned() })
    }

    /// What it waits for, as its file says.
    pub fn reason(&self) -> &str {
        self.details.iter().find_map(|line| line.strip_prefix("Waits because:")).unwrap_or_default().trim()
    }

    /// Who proposed it, as its file says.
    pub fn proposer(&self) -> Option<&str> {
        self.details
            .iter()
            .find_map(|line| line.strip_prefix("Proposed: ")?.split_once(" by "))
            .map(|(_, by)| by.trim())
    }

    /// The turn that it is based on, if it is from a conversation.
    pub fn origin(&self) -> Option<TurnOrigin<'_>> {
        let said = self.details.iter().find_map(|line| line.strip_prefix("Said:"))?.trim();
        let (said, conversation) = said.rsplit_once(" of ")?;
        let (quote, turn) = said.rsplit_once(", turn ")?;
        Some(TurnOrigin { conversation, turn: turn.parse().ok()?, quote: quote.trim_matches('"') })
    }

    /// The user's words of consent that came with it. The quote of a turn is its evidence, no answer to a question.
    pub fn consent(&self) -> Option<&str> {
        let said = self.details.iter().find_map(|line| line.strip_prefix("Said:"))?.trim();
        Some(said.trim_matches('"')).filter(|_| self.origin().is_none())
    }

    /// Whether accepting it erases a text for good.
    pub fn forgets(&self) -> bool {
        self.operations.as_ref().is_ok_and(|operations| operations.iter().any(Operation::is_forget))
    }

    /// The bullets that it adds.
    pub fn added_texts(&self) -> impl Iterator<Item = &str> {
        self.diff.lines().filter_map(|line| line.strip_prefix('+')?.trim_start().strip_prefix("- "))
    }

    /// Whether it can no longer be accepted on a day (`YYYY-MM-DD`). Without a valid expiry date it never expires, nor
    /// while it is on a branch, where a pull request decides.
    pub fn is_expired(&self, today: &str) -> bool {
        if self.branch().is_some() {
            return false;
        }
        let is_day = |d: &&String| d.parse::<jiff::civil::Date>().is_ok();
        self.until.as_ref().filter(is_day).is_some_and(|until| until.as_str() < today)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn proposal(text: &str) -> InboxItem {
        InboxItem {
            operation: json!({"op": "add", "at": "facts/user.md", "text": text}),
            title: format!("+ {text}"),
            reason: "sensitive: city".into(),
            by: "ollama llama3".into(),
            at: "2026-02-24".into(),
            until: "2026-03-03".into(),
            conversation: Some("abc".into()),
            turn: Some(3),
            quote: Some("I moved\nto Berlin".into()),
            diff: format!("+- {text}"),
            scope: None,
            layer: None,
        }
    }

    #[test]
    fn the_commands_of_a_proposal_name_its_scope() {
        let item = InboxItem { scope: Some("my team".into()), ..proposal("City: Berlin") };
        let id = proposal_id(&item.operation);
        let commands = ["--accept", "--reject"].map(|verb| format!("`memdir -S 'my team' inbox {id} {verb}`"));
        assert!(commands.iter().all(|command| item.to_markdown().contains(command)), "{}", item.to_markdown());
    }

    #[test]
    fn the_commands_of_a_proposal_name_its_layer() {
        let item = InboxItem { layer: Some("mine".into()), ..proposal("City: Berlin") };
        let id = proposal_id(&item.operation);
        let commands = ["--accept", "--reject"].map(|verb| format!("`memdir inbox mine:{id} {verb}`"));
        assert!(commands.iter().all(|command| item.to_markdown().contains(command)), "{}", item.to_markdown());
    }

    #[test]
    fn a_proposal_reads_back() {
        for text in ["City: Berlin", "``` fences ``` and # heads", "a \"quoted\" \u{202e} text", "住在上海"] {
            let one = proposal(text);
            let back = parse_item(&one.to_markdown());
            assert_eq!(
                dialects::to_json(&back.operations.as_ref().unwrap()[0]),
                one.operation,
                "{}",
                one.to_markdown()
            );
            assert_eq!(back.diff, one.diff);
            let id = proposal_id(&one.operation);
            assert!(!is_edited(&one.to_markdown(), &id));
            assert!(is_edited(&one.to_markdown().replace("\"text\":\"", "\"text\":\"x"), &id));
            assert!(!back.is_expired("2026-03-03") && back.is_expired("2026-03-04"));
            assert_eq!(
                item_path(&proposal_id(&one.operation)).as_ref().and_then(id_of),
                Some(&*proposal_id(&one.operation))
            );
        }
    }

    #[test]
    fn a_branch_is_a_line_of_its_own_and_stops_the_clock() {
        let branch = ReviewBranch { name: "memory/a from b".into(), base: "1a2b3c".into() };
        for text in [proposal("City: Berlin").to_markdown(), "# x\r\n\r\n- Expires: 2026-01-01".into(), String::new()] {
            let with = with_branch(&text, Some(&branch));
            assert_eq!(parse_item(&with).branch().as_ref(), Some(&branch), "{with:?}");
            assert!(!parse_item(&with).is_expired("2999-01-01"));
            let other = ReviewBranch { name: "other".into(), base: "2b".into() };
            assert_eq!(parse_item(&with_branch(&with, Some(&other))).branch(), Some(other));
            assert!(text.is_empty() || with_branch(&with, None).trim_end() == text.trim_end(), "{with:?}");
            assert_eq!(parse_item(&with).operations, parse_item(&text).operations);
        }
        let item = parse_item(&proposal("City: Berlin").to_markdown());
        assert_eq!((item.reason(), item.proposer()), ("sensitive: city", Some("ollama llama3")));
    }

    #[test]
    fn a_broken_file_is_refused_with_a_hint() {
        for text in ["", "# x\n", "```json\nnope\n```\n", "```json\n[]\n```\n"] {
            assert!(parse_item(text).operations.is_err(), "{text:?}");
        }
        assert!(!parse_item("- Expires: soon\n").is_expired("2999-01-01"));
    }

    #[test]
    fn only_names_of_proposals_are_ids() {
        for name in ["x", "p12345", "p12345g", "../p123456", "rescued-1"] {
            assert_eq!(item_path(name), None, "{name}");
        }
    }
}
