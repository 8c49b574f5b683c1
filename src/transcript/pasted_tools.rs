//! Recognises what tools print and programs export: steps of an agent, prompts of several roles, escaped tags, rows of
//! CSV, shells, stack traces, parts of an Aider history.
//!
//! Never takes a single label for a form: a user writes `System: macOS 14` about their own machine.

use super::pasted::PastedLines;
use super::pasted_blocks::is_subtitle_time;
use crate::text::word_list::{WordList, word_list};

/// Names of an agent's steps, which alternate.
const AGENT_STEPS: WordList = word_list!("transcript/agent_steps.txt");
/// Names of the roles in a prompt.
const PROMPT_ROLES: WordList = word_list!("transcript/prompt_roles.txt");
/// What Aider prints in every session.
const AIDER_LINES: [&str; 4] = ["> Tokens: ", "> Applied edit to ", "> Commit ", "> Aider v"];
/// How many lines on each side are looked at.
const REACH: usize = 12;
/// Minimum number of rows of a table, and of values in each row.
const MIN_ROWS: usize = 3;

/// Whether a line shows itself as printed or exported.
pub(super) fn is_tool_line(lines: PastedLines<'_>, at: usize) -> bool {
    is_escaped_element(lines, at) || is_quoted_row(lines, at) || is_trace_message(lines, at)
}

/// Whether the paragraph that begins at a line was printed or exported.
pub(super) fn is_tool_paragraph(lines: PastedLines<'_>, at: usize) -> bool {
    let line = trimmed(lines, at);
    let mark = line.strip_prefix("[Pasted text #").and_then(|rest| rest.strip_suffix(']'));
    is_subtitle_time(line)
        || mark.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        || takes_turns(lines, at, AGENT_STEPS)
        || takes_turns(lines, at, PROMPT_ROLES)
}

/// Whether a session of a program begins at a line, with no end that can be seen.
pub(super) fn is_session_start(lines: PastedLines<'_>, at: usize) -> bool {
    is_windows_prompt(trimmed(lines, at)) || is_aider_part(lines, at)
}

fn trimmed<'t>(lines: PastedLines<'t>, at: usize) -> &'t str {
    lines.get(at).map_or("", |(line, _)| line.trim())
}

/// The lines around one, without it.
fn around<'l>(lines: PastedLines<'l>, at: usize) -> impl Iterator<Item = &'l str> {
    let range = at.saturating_sub(REACH)..lines.len().min(at + 1 + REACH);
    range.filter(move |n| *n != at).map(move |n| trimmed(lines, n))
}

/// Whether a line begins with a label of a list, and another one near it with another label of the list.
fn takes_turns(lines: PastedLines<'_>, at: usize, labels: WordList) -> bool {
    let label = |line: &str| {
        let name = line.split_once([':', '：'])?.0.trim_matches(['*', '[', ']', '#', ' ']).to_lowercase();
        labels.contains(&name).then_some(name)
    };
    let Some(own) = label(trimmed(lines, at)) else { return false };
    around(lines, at).filter_map(label).any(|other| other != own)
}

/// `&lt;context&gt;` up to `&lt;/context&gt;`.
fn is_escaped_element(lines: PastedLines<'_>, at: usize) -> bool {
    let names = |line: &'_ str, open: &str| -> Vec<String> {
        let parts = line.split(open).skip(1);
        let name = |part: &str| part.split_once("&gt;").map(|(name, _)| name.to_owned());
        let is_name = |name: &String| {
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        };
        parts.filter_map(name).filter(is_name).collect()
    };
    let from = at.saturating_sub(REACH);
    let opened = (from..=at).flat_map(|n| names(trimmed(lines, n), "&lt;").into_iter().map(move |name| (n, name)));
    opened.into_iter().any(|(n, name)| {
        let close = format!("&lt;/{name}&gt;");
        let end = (n..lines.len().min(n + 2 * REACH)).find(|m| trimmed(lines, *m).contains(&close));
        end.is_some_and(|end| end >= at)
    })
}

/// A row of CSV among others of as many values, some of them in quotation marks.
fn is_quoted_row(lines: PastedLines<'_>, at: usize) -> bool {
    let own = csv_values(trimmed(lines, at));
    let is_row = |n: &usize| csv_values(trimmed(lines, *n)) == own;
    let above = (at.saturating_sub(REACH)..at).rev().take_while(is_row).count();
    let below = (at + 1..lines.len().min(at + 1 + REACH)).take_while(is_row).count();
    let has_quotes = || (at - above..=at + below).any(|n| trimmed(lines, n).contains(",\""));
    own >= MIN_ROWS && above + 1 + below >= MIN_ROWS && has_quotes()
}

/// The number of values of a row of CSV; 0 of a line in which a space follows a comma outside quotation marks.
fn csv_values(line: &str) -> usize {
    let (mut count, mut is_quoted, mut after_comma) = (1, false, false);
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ' ' if after_comma => return 0,
            ',' if !is_quoted => count += 1,
            _ => {}
        }
        after_comma = c == ',' && !is_quoted;
    }
    if is_quoted || count == 1 { 0 } else { count }
}

/// The message of an exception above its frames.
fn is_trace_message(lines: PastedLines<'_>, at: usize) -> bool {
    let line = trimmed(lines, at);
    let below = || (at + 1..lines.len().min(at + 4)).map(|n| trimmed(lines, n)).filter(|line| !line.is_empty());
    let is_frame = |line: &str| line.starts_with("at ") && line.ends_with(')') && line.contains(':');
    let name = line.split([':', ' ']).next().unwrap_or_default();
    let is_exception = ["Error", "Exception"].iter().any(|end| name.ends_with(end));
    is_exception && below().next().is_some_and(is_frame)
        || line.starts_with("panic: ") && below().next().is_some_and(|line| line.starts_with("goroutine "))
}

/// `PS C:\work> dir`, `C:\Users\ana> type notes.txt`.
fn is_windows_prompt(line: &str) -> bool {
    let (path, is_power) = line.strip_prefix("PS ").map_or((line, false), |rest| (rest, true));
    let Some((path, _)) = path.split_once('>') else { return false };
    let is_drive = path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && path[1..].starts_with(":\\");
    is_drive || is_power && path.starts_with(['/', '~'])
}

/// A line of the user or of the program in an Aider history whose beginning is cut off: both are in the message.
fn is_aider_part(lines: PastedLines<'_>, at: usize) -> bool {
    let is_printed = |line: &str| AIDER_LINES.iter().any(|opening| line.starts_with(opening));
    let is_message = |line: &str| line.starts_with("#### ");
    let line = trimmed(lines, at);
    is_message(line) && lines.iter().any(|(line, _)| is_printed(line))
        || is_printed(line) && lines.iter().any(|(line, _)| is_message(line))
}
