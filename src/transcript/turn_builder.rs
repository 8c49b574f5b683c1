//! Collects turns: removes host framing, numbers the turns at the end.
//!
//! Truncates nothing: that comes after secrets were removed, because the rest of one that was cut is not recognised.

use jiff::Timestamp;

use super::host_framing::{FramedMessage, split_host_text, split_recalled, starts_with_recall};
use super::lenient_json::LenientText;
use super::message_content::join_lines;
use super::{Role, Turn};

/// The maximum length of tool output and injected text in a turn, in bytes.
const MAX_BYTES: usize = 8_000;
/// How much of a longer one is searched for secrets, in bytes; what is kept of it begins and ends in it.
const MAX_SEARCHED_BYTES: usize = 64 * 1024;

/// Turns in the order of the conversation.
#[derive(Debug, Default)]
pub(super) struct TurnBuilder(Vec<Turn>);

impl TurnBuilder {
    /// Adds a message of one or more texts. Text that a host inserted into a user message, or that a model repeats of a
    /// memory, becomes a separate, injected turn before it; a system message is injected as a whole. Returns the
    /// 0-based index of the message's turn; `None` if nothing is left of it.
    pub fn add_message<'a>(
        &mut self,
        role: Role,
        at: &Option<String>,
        texts: impl Iterator<Item = &'a str>,
    ) -> Option<usize> {
        match role {
            Role::Assistant => {
                let framed = split_recalled(&join_lines(texts));
                self.add_injected(role, at, &framed.injected);
                self.push(role, at, framed.typed, false)
            }
            Role::System => self.push(role, at, join_lines(texts).trim(), true),
            Role::Tool => self.add_tool_result(at, &join_lines(texts), false),
            Role::User => {
                let framed: Vec<FramedMessage> = texts.map(split_host_text).collect();
                self.add_injected(role, at, &join_lines(framed.iter().map(|f| f.injected.as_str())));
                self.push(role, at, join_lines(framed.iter().map(|f| f.typed.as_str())).trim(), false)
            }
        }
    }

    /// Adds a tool result. It is injected if the tool is memdir (`own`) or if it starts like recalled memory.
    pub fn add_tool_result(&mut self, at: &Option<String>, text: &str, own: bool) -> Option<usize> {
        let injected = own || starts_with_recall(text);
        let text = if injected { text.to_owned() } else { strip_reminders(text) };
        self.push(Role::Tool, at, text.trim(), injected)
    }

    /// Adds text that a host inserted.
    pub fn add_injected(&mut self, role: Role, at: &Option<String>, text: &str) -> Option<usize> {
        self.push(role, at, text.trim(), true)
    }

    /// Extends the turn at an index; a repetition of its text changes nothing.
    pub fn extend_turn(&mut self, index: usize, text: &str) {
        let (turn, text) = (&mut self.0[index].text, text.trim());
        if text.starts_with(turn.as_str()) {
            text.clone_into(turn);
        } else if !turn.ends_with(text) {
            turn.push_str("\n\n");
            turn.push_str(text);
        }
    }

    /// All turns, with 1-based numbers.
    pub fn into_turns(mut self) -> Vec<Turn> {
        for (index, turn) in self.0.iter_mut().enumerate() {
            turn.number = index + 1;
        }
        self.0
    }

    fn push(&mut self, role: Role, at: &Option<String>, text: impl Into<String>, injected: bool) -> Option<usize> {
        let text = text.into();
        if text.is_empty() {
            return None;
        }
        self.0.push(Turn { number: 0, role, at: at.clone(), text, injected });
        Some(self.0.len() - 1)
    }
}

/// A tool result without the reminders that a host appended.
fn strip_reminders(text: &str) -> String {
    if !text.contains("<system-reminder>") {
        return text.to_owned();
    }
    split_host_text(text).typed
}

impl Turn {
    /// Shortens a long turn that a tool or a host wrote to its first and last 4,000 bytes; messages of the user and the
    /// model stay whole. `redact` removes secrets before, because the rest of one that was cut is not recognised.
    pub fn shorten_inserted(&mut self, redact: &dyn Fn(&str) -> String) {
        let is_typed = matches!(self.role, Role::User | Role::Assistant) && !self.injected;
        if !is_typed && self.text.len() > MAX_BYTES {
            self.text = truncate_middle(&redact(&truncate_middle(&self.text, MAX_SEARCHED_BYTES)), MAX_BYTES);
        }
    }
}

/// The beginning and the end of a text over a maximum, in equal parts, cut at character boundaries.
fn truncate_middle(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let head = (0..=max_bytes / 2).rev().find(is_boundary).unwrap_or(0);
    let tail = (text.len() - max_bytes / 2..=text.len()).find(is_boundary).unwrap_or(text.len());
    format!("{}\n[… {} bytes left out …]\n{}", &text[..head], tail - head, &text[tail..])
}

/// A time as RFC 3339, from RFC 3339 or from seconds or milliseconds since 1970; `None` for numbers before 1973, which
/// are rather a counter than a time.
pub(super) fn parse_time(word: &LenientText) -> Option<String> {
    let word = word.0.as_deref()?;
    if let Ok(number) = word.parse::<f64>() {
        let seconds = if number.abs() > 1e11 { number / 1e3 } else { number };
        let stamp = Timestamp::from_millisecond((seconds * 1e3) as i64).ok()?;
        return (seconds > 1e8).then(|| stamp.to_string());
    }
    let stamp = word.parse::<Timestamp>().ok()?;
    Some(if word.contains('T') { word.to_owned() } else { stamp.to_string() })
}

/// The role for any of the names that programs use.
pub(super) fn parse_role(name: &str) -> Option<Role> {
    Some(match name {
        "user" | "human" => Role::User,
        "assistant" | "model" | "ai" | "gemini" | "bot" => Role::Assistant,
        "tool" | "function" | "ipython" => Role::Tool,
        "system" | "developer" => Role::System,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339() {
        let at = |text: &str| parse_time(&LenientText(Some(text.into())));
        assert_eq!(at("2026-02-24T10:00:00.125Z").as_deref(), Some("2026-02-24T10:00:00.125Z"));
        assert_eq!(at("1771927200").as_deref(), Some("2026-02-24T10:00:00Z"));
        assert_eq!(at("1771927200000").as_deref(), Some("2026-02-24T10:00:00Z"));
        assert_eq!(at("1771927200.5").as_deref(), Some("2026-02-24T10:00:00.5Z"));
        assert_eq!((at("soon"), at("0"), at("1e300"), at("NaN")), (None, None, None, None));
    }

    #[test]
    fn a_long_answer_keeps_both_ends() {
        let long = format!("first {} last", "中".repeat(9_000));
        let short = truncate_middle(&long, MAX_BYTES);
        assert!(
            short.len() < MAX_BYTES + 60 && short.starts_with("first ") && short.ends_with(" last"),
            "{}",
            short.len()
        );
    }

    #[test]
    fn secrets_are_removed_before_a_turn_is_shortened() {
        let redact = |text: &str| text.replace("SECRET", "[redacted]");
        let text = format!("{}SECRET{}", "a".repeat(MAX_BYTES / 2 - 3), "b".repeat(MAX_BYTES));
        let turn = |role, injected| Turn { number: 1, role, at: None, text: text.clone(), injected };
        for (role, injected) in [(Role::Tool, false), (Role::System, true), (Role::User, true)] {
            let mut turn = turn(role, injected);
            turn.shorten_inserted(&redact);
            assert!(turn.text.len() < MAX_BYTES + 60 && !turn.text.contains("SEC"), "{role:?}");
        }
        let mut typed = turn(Role::User, false);
        typed.shorten_inserted(&redact);
        assert_eq!(typed.text, text);
    }
}
