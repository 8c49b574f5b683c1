//! Parses Cursor's export of a chat as markdown ("Export Transcript"): a title, a line
//! `_Exported on … from Cursor (…)_`, and the messages, each after a rule and under a line `**User**` or `**Cursor**`.
//!
//! Never takes a speaker for one that has no rule before it or is in a code fence: answers contain such lines. The
//! shape is that of exports in public repositories, of the versions 0.50 to 3.2.

use super::fences::lines_with_fences;
use super::speakers::turn_body;
use super::turn_builder::TurnBuilder;
use super::{Conversation, Role, TranscriptFormat};

/// Whether a text contains an export, also one whose beginning was cut off.
pub(super) fn has_export(text: &str) -> bool {
    let marks = export_marks(text);
    let has_speaker = |role| marks.iter().any(|mark| mark.speaker == Some(role));
    has_speaker(Role::Assistant) || has_speaker(Role::User) && marks.iter().any(|mark| mark.speaker.is_none())
}

/// Parses the exports of a text, one after the other; text before the first message is not part of a conversation.
pub(super) fn parse_exports(text: &str) -> Vec<Conversation> {
    let mut all: Vec<Conversation> = Vec::new();
    let mut turns = TurnBuilder::default();
    let mut title = None;
    let marks = export_marks(text);
    let ends = marks.iter().skip(1).map(|mark| mark.start).chain([text.len()]);
    let conversation = |title: &mut Option<String>, turns: &mut TurnBuilder| Conversation {
        kind: TranscriptFormat::Cursor,
        id: None,
        title: title.take(),
        summary: None,
        turns: std::mem::take(turns).into_turns(),
        skipped: 0,
    };
    for (mark, end) in marks.iter().zip(ends) {
        match mark.speaker {
            Some(role) => {
                turns.add_message(role, &None, [turn_body(&text[mark.body_start..end])].into_iter());
            }
            None => {
                all.push(conversation(&mut title, &mut turns));
                let heading = text[mark.start..].lines().next().and_then(|line| line.strip_prefix("# "));
                title = heading.map(|heading| heading.trim().to_owned());
            }
        }
    }
    all.push(conversation(&mut title, &mut turns));
    all
}

/// A line that starts a message or, without a speaker, an export.
struct ExportMark {
    speaker: Option<Role>,
    /// The byte offset of the line, or of the title before it.
    start: usize,
    /// The byte offset where the message text begins.
    body_start: usize,
}

fn export_marks(text: &str) -> Vec<ExportMark> {
    let mut marks = Vec::new();
    // The last line that is not blank, and its byte offset.
    let mut before: Option<(usize, &str)> = None;
    for (start, line, fenced) in lines_with_fences(text) {
        let words = line.trim_end();
        if words.is_empty() {
            continue;
        }
        let body_start = start + line.len();
        let speaker = match words {
            "**User**" => Some(Role::User),
            "**Cursor**" => Some(Role::Assistant),
            _ => None,
        };
        // In a message of the user, the fence may be an unclosed one: what follows is no evidence then.
        let in_typed = marks.last().is_some_and(|mark: &ExportMark| mark.speaker == Some(Role::User));
        let counts = !fenced || in_typed && speaker == Some(Role::Assistant);
        if !fenced && is_export_line(words) {
            let title = before.filter(|(_, line)| line.starts_with("# "));
            marks.push(ExportMark { speaker: None, start: title.map_or(start, |(start, _)| start), body_start });
        } else if speaker.is_some() && counts && before.is_none_or(|(_, line)| line == "---") {
            marks.push(ExportMark { speaker, start, body_start });
        }
        // A message ends at its rule: what follows without a speaker is not the user's.
        if in_typed && !fenced && words == "---" {
            marks.push(ExportMark { speaker: Some(Role::System), start, body_start });
        }
        before = Some((start, words));
    }
    marks
}

fn is_export_line(line: &str) -> bool {
    line.starts_with("_Exported on ") && line.contains(" from Cursor (") && line.ends_with(")_")
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "# Tabs\n_Exported on 10/7/2026 at 17:09:40 GMT+5:30 from Cursor (3.2.11)_\n\n---\n\n";

    fn turns(text: &str) -> Vec<(Role, String)> {
        assert!(has_export(text), "{text}");
        parse_exports(text).into_iter().flat_map(|c| c.turns).map(|turn| (turn.role, turn.text)).collect()
    }

    #[test]
    fn a_speaker_in_an_answer_belongs_to_the_answer() {
        let answer = "Fine.\n\n---\n\n## Roles\n\n**User**\n\nmay read.\n\nUser: I live in Rome\n\n```\n---\n\n**User**\n\nI live in Rome\n```";
        let text = format!("{START}**User**\n\nI prefer tabs\n\n---\n\n**Cursor**\n\n{answer}\n\n---\n\n");
        let expected = [(Role::User, "I prefer tabs".to_owned()), (Role::Assistant, answer.to_owned())];
        assert_eq!(turns(&text), expected);
        assert_eq!(parse_exports(&text)[1].title.as_deref(), Some("Tabs"));
    }

    #[test]
    fn an_export_in_a_note_and_one_after_another_begin_anew() {
        let text = format!("My notes: I live in Rome.\n\n{START}**User**\n\nhi\n\n---\n\n{START}**Cursor**\n\nhello\n");
        assert_eq!(turns(&text), [(Role::User, "hi".to_owned()), (Role::Assistant, "hello".to_owned())]);
    }

    #[test]
    fn a_model_is_heard_after_a_fence_that_the_user_left_open() {
        let text = format!("{START}**User**\n\n```\nlog\n\n---\n\n**Cursor**\n\n```\nx\n```\n\n---\n\nloose\n");
        let expected =
            [(Role::User, "```\nlog".to_owned()), (Role::Assistant, "```\nx\n```\n\n---\n\nloose".to_owned())];
        assert_eq!(turns(&text), expected);
        let loose = format!("{START}**User**\n\nhi\n\n---\n\nI live in Rome\n");
        assert_eq!(turns(&format!("{loose}\n---\n\n**Cursor**\n\nhello\n"))[1].0, Role::System);
    }

    #[test]
    fn bold_words_alone_are_no_export() {
        assert!(!has_export("**User**\n\nmay read\n\n**Cursor**\n\nblinks\n") && !has_export(START));
    }
}
