//! Parses Aider's chat history, `.aider.chat.history.md`, as Aider's `aider/io.py` writes it (`append_chat_history`)
//! and `aider/utils.py` reads it (`split_chat_history_markdown`): `#### ` and two spaces at the end mark each line of
//! the user, `> ` what the program printed; the rest is the model's answer.
//!
//! Never takes a line for one of the user's unless it is where Aider writes one: the answer may contain `####`, too.

use jiff::civil::DateTime;

use super::fences::lines_with_fences;
use super::turn_builder::TurnBuilder;
use super::{Conversation, Role, TranscriptFormat};

/// The line at the start of each session.
const SESSION_START: &str = "# aider chat started at ";
/// Opening words of lines that Aider prints in every session: they show a history whose beginning was cut off.
const TOOL_OPENINGS: [&str; 7] =
    ["> Aider v", "> Tokens: ", "> Applied edit to ", "> Main model: ", "> Model: ", "> Git repo: ", "> Commit "];
/// Aider's own question; an answer that was chosen for all files is logged as if it were typed.
const YES_OR_NO: &str = "(Y)es/(N)o";

/// Whether a text begins as a history of Aider does.
pub(super) fn starts_history(text: &str) -> bool {
    session_start(text.trim_start().lines().next().unwrap_or_default()).is_some()
}

/// Whether a text contains a history, also a fragment of one: a line that Aider printed, or one of the user where Aider
/// writes one.
pub(super) fn has_history(text: &str) -> bool {
    let mut position = HistoryPosition { blank: 2, after_aider: true, in_message: true };
    // Without the spaces at the ends of lines, which an editor may remove, both kinds of lines are needed.
    let (mut has_printed, mut has_message) = (false, false);
    for (_, line, fenced) in lines_with_fences(text) {
        if fenced {
            position = HistoryPosition::default();
            continue;
        }
        if session_start(line).is_some() {
            return true;
        }
        let is_printed = TOOL_OPENINGS.iter().any(|opening| line.starts_with(opening));
        if is_printed && ends_line(line) || marked_words(line).is_some() && position.may_start_message() {
            return true;
        }
        has_printed |= is_printed;
        has_message |= line.starts_with("#### ");
        if has_printed && has_message {
            return true;
        }
        let blank = if line.trim().is_empty() { position.blank + 1 } else { 0 };
        position = HistoryPosition { blank, ..HistoryPosition::default() };
    }
    false
}

/// The time in the first line of a session.
fn session_start(line: &str) -> Option<&str> {
    let time = line.strip_prefix(SESSION_START)?.trim();
    (time.len() == 19 && time.starts_with(|c: char| c.is_ascii_digit())).then_some(time)
}

/// Whether a line ends as Aider ends its own: with two spaces.
fn ends_line(line: &str) -> bool {
    line.trim_end_matches(['\r', '\n']).ends_with("  ")
}

/// The words of a line with the mark of the user and two spaces at the end.
fn marked_words(line: &str) -> Option<&str> {
    line.strip_prefix("#### ").filter(|_| ends_line(line))
}

/// What precedes a line of the history.
#[derive(Default)]
struct HistoryPosition {
    /// Blank lines directly before the line.
    blank: usize,
    /// Whether Aider wrote the last line that is not blank: one of the user, of the program, or the start of a session.
    after_aider: bool,
    in_message: bool,
}

impl HistoryPosition {
    /// Aider puts an empty line before each message, and two after each answer.
    fn may_start_message(&self) -> bool {
        self.in_message || self.blank >= if self.after_aider { 1 } else { 2 }
    }
}

/// Parses a history; its sessions are one conversation.
pub(super) fn parse_history(text: &str) -> Conversation {
    // An editor may have removed the spaces at the end of all lines.
    let is_marked = text.lines().any(|line| marked_words(line).is_some());
    let mut turns = TurnBuilder::default();
    let mut at = None;
    let mut current: (Role, Vec<&str>) = (Role::Assistant, Vec::new());
    let mut flush = |current: &mut (Role, Vec<&str>), at: &Option<String>| {
        let text = std::mem::take(&mut current.1).join("\n");
        turns.add_message(current.0, at, [text.as_str()].into_iter());
    };
    // At the start of a file that was cut off, a marked line is one of the user's.
    let mut position = HistoryPosition { blank: 2, after_aider: true, in_message: true };
    for (_, line, fenced) in lines_with_fences(text) {
        if let Some(started) = session_start(line).filter(|_| !fenced) {
            flush(&mut current, &at);
            current.0 = Role::Assistant;
            // The local time of the machine that wrote it; its offset is not known.
            at = started.parse::<DateTime>().ok().map(|time| time.to_string());
            position = HistoryPosition { after_aider: true, ..HistoryPosition::default() };
            continue;
        }
        let message = line.strip_prefix("#### ").filter(|_| !is_marked || ends_line(line));
        let (role, words) = match message.filter(|_| !fenced && position.may_start_message()) {
            Some(words) if words.contains(YES_OR_NO) => (Role::Tool, words),
            Some(words) => (Role::User, if words.trim() == "<blank>" { "" } else { words }),
            // A quote inside a code block of the answer is part of the answer.
            None if fenced => (Role::Assistant, line),
            None => match line.strip_prefix("> ").or((line.trim_end() == ">").then_some("")) {
                Some(words) => (Role::Tool, words),
                None if line.trim().is_empty() => (current.0, ""),
                None => (Role::Assistant, line),
            },
        };
        if role != current.0 {
            flush(&mut current, &at);
            current.0 = role;
        }
        current.1.push(words.trim_end());
        position = if line.trim().is_empty() {
            HistoryPosition { blank: position.blank + 1, in_message: false, ..position }
        } else {
            HistoryPosition {
                blank: 0,
                after_aider: !fenced && (ends_line(line) || line.starts_with("> ")),
                in_message: role == Role::User,
            }
        };
    }
    flush(&mut current, &at);
    Conversation {
        kind: TranscriptFormat::Aider,
        id: None,
        title: None,
        summary: None,
        turns: turns.into_turns(),
        skipped: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(text: &str) -> Vec<(Role, String)> {
        parse_history(text).turns.into_iter().map(|turn| (turn.role, turn.text)).collect()
    }

    fn user(text: &str) -> Vec<String> {
        turns(text).into_iter().filter(|(role, _)| *role == Role::User).map(|(_, text)| text).collect()
    }

    const START: &str = "\n# aider chat started at 2026-02-24 10:00:00\n\n> Aider v0.86.1  \n";

    #[test]
    fn a_fragment_is_a_history() {
        for text in [
            "#### use port 7070  \n\nDone.\n",
            "the rest.\n\n\n#### use port 7070  \n",
            "It returns early.\n\n> Tokens: 1.2k sent, 88 received.  \n> Applied edit to a.rs  \n",
            "the rest.\n\n> Tokens: 2.0k sent, 90 received.\n> Applied edit to b.rs\n\n#### format it\n\nDone.\n",
        ] {
            assert!(has_history(text), "{text}");
        }
        for text in ["#### Ports\n\nUse 7070.\n", "Ports\n#### use 7070  \n", "> Tokens: are they free?\n"] {
            assert!(!has_history(text), "{text}");
        }
    }

    #[test]
    fn each_line_belongs_to_who_wrote_it() {
        let text = format!(
            "{START}\n#### I prefer tabs  \n####   \n#### and short names  \n\nOK.\n\n#### Plan\n\n```\n> quoted\n#### I live in Rome  \n```\n\n> Applied edit to a.rs  \n"
        );
        let expected = [
            (Role::Tool, "Aider v0.86.1"),
            (Role::User, "I prefer tabs\n\nand short names"),
            (Role::Assistant, "OK.\n\n#### Plan\n\n```\n> quoted\n#### I live in Rome\n```"),
            (Role::Tool, "Applied edit to a.rs"),
        ];
        assert_eq!(turns(&text), expected.map(|(role, text)| (role, text.to_owned())));
        assert_eq!(parse_history(&text).turns[0].at.as_deref(), Some("2026-02-24T10:00:00"));
    }

    #[test]
    fn a_heading_of_the_answer_is_no_message_even_with_spaces_at_its_end() {
        let text =
            format!("{START}\n#### hi  \n\nHello.\n\n#### I live in Rome  \n\nUser: I live in Rome\n\n\n#### bye  \n");
        assert_eq!(user(&text), ["hi", "bye"]);
    }

    #[test]
    fn an_answer_that_was_interrupted_in_a_fence_hides_no_later_answer() {
        let text = format!(
            "{START}\n#### hi  \n\n```python\nx = 1\n\n> ^C again to exit  \n\n#### go on  \n\n```python\n#### no  \n```\n\n> Tokens: 1k sent, 1 received.  \n"
        );
        assert_eq!(user(&text), ["hi", "go on"]);
    }

    #[test]
    fn questions_of_the_program_and_a_logged_command_line_are_tool_output() {
        let text = "# aider chat started at 2026-02-24 10:00:00\n\n> /usr/bin/aider --message # Task\n\nI live in Rome.  \n> Aider v0.86.1  \n\n#### Add a.rs to the chat? (Y)es/(N)o/(A)ll [Yes]: a  \n\n#### <blank>  \n";
        assert!(user(text).is_empty(), "{:?}", turns(text));
    }

    #[test]
    fn a_history_without_trailing_spaces_or_without_its_beginning_is_read_too() {
        let bare = "# aider chat started at 2026-02-24 10:00:00\n\n> Aider v0.86.1\n\n#### hi\n\nhello\n\n#### Plan\n";
        assert_eq!(user(bare), ["hi"]);
        let tail = "#### hi  \n\nhello\n\n> Tokens: 1k sent, 1 received.  \n";
        assert!(has_history(tail) && !starts_history(tail) && !has_history("#### a heading\n\n> a quote\n"));
        assert_eq!(user(tail), ["hi"]);
    }
}
