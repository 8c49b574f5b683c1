//! Turns as they are gathered: framing taken out, tool output bounded, numbered at the end.

use jiff::Timestamp;

use super::frame::{Framed, frame, recalls};
use super::loose::Word;
use super::parts::join;
use super::{Role, Turn};

/// Bytes of a tool's output, or of what a host put in, that a turn keeps.
const MOST: usize = 8_000;

/// Turns in the order of the conversation.
#[derive(Debug, Default)]
pub(super) struct Turns(Vec<Turn>);

impl Turns {
    /// What somebody said, in one or more texts. What a host put into a person's words becomes a turn of its own
    /// before them; what hosts and systems say is injected as a whole. Answers the turn's place, if there is one.
    pub fn said<'a>(&mut self, role: Role, at: &Option<String>, texts: impl Iterator<Item = &'a str>) -> Option<usize> {
        match role {
            Role::Assistant => self.push(role, at, join(texts).trim(), false),
            Role::System => self.push(role, at, bounded(join(texts).trim()), true),
            Role::Tool => self.answered(at, &join(texts), false),
            Role::User => {
                let framed: Vec<Framed> = texts.map(frame).collect();
                self.injected(role, at, &join(framed.iter().map(|f| f.injected.as_str())));
                self.push(role, at, join(framed.iter().map(|f| f.own.as_str())).trim(), false)
            }
        }
    }

    /// What a tool answered; `own` if the tool is memdir itself.
    pub fn answered(&mut self, at: &Option<String>, text: &str, own: bool) -> Option<usize> {
        let injected = own || recalls(text);
        let text = if injected { text.to_owned() } else { frame_of_tool(text) };
        self.push(Role::Tool, at, bounded(text.trim()), injected)
    }

    /// What a host put there.
    pub fn injected(&mut self, role: Role, at: &Option<String>, text: &str) -> Option<usize> {
        self.push(role, at, bounded(text.trim()), true)
    }

    /// More of what was said in the turn at a place; the same again changes nothing.
    pub fn more(&mut self, place: usize, text: &str) {
        let (turn, text) = (&mut self.0[place].text, text.trim());
        if text.starts_with(turn.as_str()) {
            text.clone_into(turn);
        } else if !turn.ends_with(text) {
            turn.push_str("\n\n");
            turn.push_str(text);
        }
    }

    /// All turns, numbered from 1.
    pub fn done(mut self) -> Vec<Turn> {
        for (place, turn) in self.0.iter_mut().enumerate() {
            turn.number = place + 1;
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

/// A tool's answer without the reminders that a host appended; all of it when there is nothing else.
fn frame_of_tool(text: &str) -> String {
    if !text.contains("<system-reminder>") {
        return text.to_owned();
    }
    frame(text).own
}

/// Beginning and end of a long text.
fn bounded(text: &str) -> String {
    if text.len() <= MOST {
        return text.to_owned();
    }
    let whole = |at: &usize| text.is_char_boundary(*at);
    let head = (0..=MOST / 2).rev().find(whole).unwrap_or(0);
    let tail = (text.len() - MOST / 2..=text.len()).find(whole).unwrap_or(text.len());
    format!("{}\n[… {} bytes left out …]\n{}", &text[..head], tail - head, &text[tail..])
}

/// When, as RFC 3339: from a text that is one, or from seconds or milliseconds since 1970 that make a likely date.
pub(super) fn time(word: &Word) -> Option<String> {
    let word = word.0.as_deref()?;
    if let Ok(number) = word.parse::<f64>() {
        let seconds = if number.abs() > 1e11 { number / 1e3 } else { number };
        let stamp = Timestamp::from_millisecond((seconds * 1e3) as i64).ok()?;
        return (seconds > 1e8).then(|| stamp.to_string());
    }
    let stamp = word.parse::<Timestamp>().ok()?;
    Some(if word.contains('T') { word.to_owned() } else { stamp.to_string() })
}

/// Who speaks, by any of the names that programs use.
pub(super) fn role(name: &str) -> Option<Role> {
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
        let at = |text: &str| time(&Word(Some(text.into())));
        assert_eq!(at("2026-02-24T10:00:00.125Z").as_deref(), Some("2026-02-24T10:00:00.125Z"));
        assert_eq!(at("1771927200").as_deref(), Some("2026-02-24T10:00:00Z"));
        assert_eq!(at("1771927200000").as_deref(), Some("2026-02-24T10:00:00Z"));
        assert_eq!(at("1771927200.5").as_deref(), Some("2026-02-24T10:00:00.5Z"));
        assert_eq!((at("soon"), at("0"), at("1e300"), at("NaN")), (None, None, None, None));
    }

    #[test]
    fn a_long_answer_keeps_both_ends() {
        let long = format!("first {} last", "中".repeat(9_000));
        let short = bounded(&long);
        assert!(short.len() < MOST + 60 && short.starts_with("first ") && short.ends_with(" last"), "{}", short.len());
    }
}
