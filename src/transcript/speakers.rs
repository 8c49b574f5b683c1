//! Text in which speakers are named: `## User`, `**User:**`, `User:`, `用户：`, or `>` and `⏺` as a terminal has them;
//! and text in which nobody is.
//!
//! The first name tells how names are written in this text; what looks like another way of writing them is content.
//! Code fences hold no names.

use std::ops::Range;

use super::loose::Word;
use super::turns::{Turns, time};
use super::{Conversation, Kind, Role};

const USER: &[&str] = &["user", "human", "me", "you", "you said", "prompt", "用户", "我", "人类", "使用者", "你"];
const ASSISTANT: &[&str] = &[
    "assistant",
    "ai",
    "ai assistant",
    "bot",
    "model",
    "llm",
    "agent",
    "response",
    "chatgpt",
    "chatgpt said",
    "claude",
    "claude said",
    "gpt",
    "gemini",
    "gemini said",
    "codex",
    "copilot",
    "github copilot",
    "cursor",
    "助手",
    "助理",
    "机器人",
    "模型",
    "ai助手",
    "智能助手",
];
const TOOL: &[&str] = &["tool", "tool result", "tool output", "function", "工具", "工具结果"];
const SYSTEM: &[&str] = &["system", "系统"];
/// How names of models begin that carry a version.
const VERSIONED: &[&str] = &["claude ", "claude-", "gpt-", "gemini ", "gemini-", "chatgpt "];
/// Words that may come before a name, with a number.
const BEFORE: &[&str] = &["turn ", "message ", "msg ", "step "];
/// Words that may follow a name.
const AFTER: &[&str] = &[" message", " prompt", " response", " turn", "消息"];

/// How a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `## User`, of this level.
    Heading(usize),
    /// `**User:**`, `**User**:`, `_**User**_`.
    Bold,
    /// `User:`.
    Plain,
    /// `> hello` and `⏺ hello`: a terminal's contents, exported.
    Sign,
}

/// A line that names a speaker.
#[derive(Debug)]
struct Mark {
    style: Style,
    role: Role,
    at: Option<String>,
    /// Of the line in the text.
    start: usize,
    /// Where what is said begins.
    body: usize,
    /// Written small, as keys of settings are.
    small: bool,
}

/// Whether speakers are named: a person and a model, or somebody in the first line. A text that names them in its second
/// half only is about something else and shows an example.
pub(super) fn named(text: &str) -> bool {
    let marks = marks(text);
    let speaks = |role| marks.iter().any(|mark| mark.role == role);
    let opens = || marks.first().is_some_and(|mark| !mark.small && text[..mark.start].trim().is_empty());
    let about = marks.first().map_or(0, |mark| text[..mark.start].trim().len());
    speaks(Role::User) && (speaks(Role::Assistant) || opens()) && about * 2 <= text.len()
}

/// Reads a text in which speakers are named.
pub(super) fn read(text: &str) -> Conversation {
    let marks = marks(text);
    let mut turns = Turns::default();
    let ends = marks.iter().skip(1).map(|mark| mark.start).chain([text.len()]);
    for (mark, end) in marks.iter().zip(ends) {
        turns.said(mark.role, &mark.at, [body(&text[mark.body..end])].into_iter());
    }
    let before = marks.first().map_or("", |mark| &text[..mark.start]);
    let title = before.lines().find_map(|line| line.strip_prefix("# ")).map(|title| title.trim().to_owned());
    Conversation { kind: Kind::Markdown, id: None, title, turns: turns.done(), skipped: 0 }
}

/// Reads a text in which nobody is named: the user says all of it.
pub(super) fn plain(text: &str) -> Conversation {
    let mut turns = Turns::default();
    turns.said(Role::User, &None, [text].into_iter());
    Conversation { kind: Kind::Plain, id: None, title: None, turns: turns.done(), skipped: 0 }
}

/// What is said, without rules that part turns.
fn body(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(rest) = text.strip_suffix("---").or_else(|| text.strip_suffix("***")) {
        if !rest.is_empty() && !rest.ends_with('\n') {
            break;
        }
        text = rest.trim_end();
    }
    text
}

/// The lines that name speakers, all written in the way of the first.
fn marks(text: &str) -> Vec<Mark> {
    if text.contains('⏺') || text.contains('●') {
        let signs = signs(text);
        if !signs.is_empty() {
            return signs;
        }
    }
    let fences = fences(text);
    let mut fences = fences.iter().peekable();
    let mut marks: Vec<Mark> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        while fences.next_if(|fence| fence.end <= start).is_some() {}
        if fences.peek().is_some_and(|fence| fence.contains(&start)) {
            continue;
        }
        if let Some(mark) = mark(line, start).filter(|mark| fits(mark, &marks)) {
            marks.push(mark);
        }
    }
    marks
}

/// Whether a name is written as those before it: headings at the level of the same speaker, or of another one for
/// those who speak for the first time.
fn fits(mark: &Mark, marks: &[Mark]) -> bool {
    let Some(first) = marks.first() else { return matches!(mark.role, Role::User | Role::Assistant | Role::System) };
    match (mark.style, first.style) {
        (Style::Heading(_), Style::Heading(_)) => {
            let before = marks.iter().find(|m| m.role == mark.role);
            let chief = matches!(mark.role, Role::User | Role::Assistant);
            before.map_or(chief || mark.style == first.style, |before| before.style == mark.style)
        }
        (a, b) => a == b,
    }
}

/// The speaker that a line names.
fn mark(line: &str, start: usize) -> Option<Mark> {
    let words = line.trim_end();
    // A picture before a name is decoration.
    let inner = words.trim_start_matches(|c: char| c == ' ' || !c.is_ascii() && !c.is_alphanumeric());
    let indent = words.len() - inner.len();
    if inner.is_empty() || words.starts_with("    ") {
        return None;
    }
    let (style, name, body) = heading(inner).or_else(|| bold(inner)).or_else(|| colon(inner))?;
    let (role, at) = speaker(name)?;
    let small = name.chars().next().is_some_and(char::is_lowercase);
    Some(Mark { style, role, at, start, body: start + indent + body, small })
}

/// `## User`: the level, the name, where the body begins.
fn heading(line: &str) -> Option<(Style, &str, usize)> {
    let level = line.len() - line.trim_start_matches('#').len();
    let name = line[level..].trim();
    let heading = (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']);
    heading.then(|| (Style::Heading(level), name.trim_matches(['*', '_', '#', ' ']), line.len()))
}

/// `**User:** hello`
fn bold(line: &str) -> Option<(Style, &str, usize)> {
    let open = line.len() - line.trim_start_matches(['*', '_']).len();
    if !(2..=4).contains(&open) {
        return None;
    }
    let close = open + line[open..].find("**").or_else(|| line[open..].find("__"))?;
    let name = &line[open..close];
    let after = &line[close..];
    let rest = after.trim_start_matches(['*', '_']);
    let body = rest.trim_start_matches([':', '：']);
    let colon = name.trim_end().ends_with([':', '：']) || body.len() < rest.len();
    let timed = rest.trim_start().starts_with(['(', '['])
        && rest.trim_end().trim_end_matches([':', '：']).ends_with([')', ']']);
    match rest.trim().is_empty() || colon {
        true => Some((Style::Bold, name, line.len() - body.len())),
        false => timed.then_some((Style::Bold, line, line.len())),
    }
}

/// `User: hello`
fn colon(line: &str) -> Option<(Style, &str, usize)> {
    let (name, mark) =
        line.char_indices().take(48).find(|(_, c)| matches!(c, ':' | '：')).map(|(at, c)| (&line[..at], c))?;
    // A colon within brackets belongs to a time.
    let (name, end) = match name.rfind(['(', '[']) {
        Some(open) => {
            let close = open + line[open..].find([')', ']'])?;
            let after = &line[close + 1..];
            (&line[..=close], close + 1 + after.chars().next().filter(|c| matches!(c, ':' | '：'))?.len_utf8())
        }
        None => (name, name.len() + mark.len_utf8()),
    };
    name.starts_with(|c: char| c.is_alphabetic() || c == '[').then_some((Style::Plain, name, end))
}

/// Who is named, and when they speak, if a name is all there is: `User`, `👤 User Message #2`, `1. User`,
/// `Assistant (2026-02-24T10:00:00Z)`.
fn speaker(name: &str) -> Option<(Role, Option<String>)> {
    let mut name = name.trim().trim_end_matches([':', '：', '*', '_']).trim_end();
    let mut beside = "";
    if let Some(open) = name.rfind(['(', '[']).filter(|open| *open > 0 && name.ends_with([')', ']'])) {
        beside = name[open..].trim_matches(['(', ')', '[', ']', ' ']);
        name = name[..open].trim_end();
    }
    if let Some((first, rest)) =
        name.split_once(['|', '·', '—', '–']).filter(|(_, rest)| rest.contains(char::is_numeric))
    {
        (name, beside) = (first.trim_end(), rest.trim());
    }
    let at = beside.contains('-').then(|| time(&Word(Some(beside.to_owned())))).flatten();
    let named = |name: &str| -> Option<Role> {
        let name = name.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let name = BEFORE.iter().find_map(|before| name.strip_prefix(before)).unwrap_or(&name);
        let name = name.trim_start_matches(|c: char| !c.is_alphabetic());
        let bare = name.trim_end_matches(|c: char| !c.is_alphabetic());
        let bare = AFTER.iter().find_map(|after| bare.strip_suffix(after)).unwrap_or(bare);
        let is = |names: &[&str]| names.contains(&bare) || names.contains(&name);
        let versioned = || VERSIONED.iter().any(|v| name.starts_with(v)) && name.len() < 32;
        match () {
            () if is(USER) => Some(Role::User),
            () if is(ASSISTANT) || versioned() => Some(Role::Assistant),
            () if is(TOOL) => Some(Role::Tool),
            () if is(SYSTEM) => Some(Role::System),
            () => None,
        }
    };
    named(name).or_else(|| named(beside)).map(|role| (role, at))
}

/// The lines of an exported terminal that begin with a sign: the person's, the model's, a tool's. None if the model
/// has none: a quotation alone names nobody.
fn signs(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let sign = |signs: &[&str]| signs.iter().find(|sign| line.starts_with(*sign)).map(|sign| sign.len());
        let role =
            [(Role::User, sign(&["> ", "❯ "])), (Role::Assistant, sign(&["⏺ ", "● "])), (Role::Tool, sign(&["  ⎿"]))];
        let told = role.into_iter().find_map(|(role, length)| Some((role, length?)));
        marks.extend(told.map(|(role, length)| Mark {
            style: Style::Sign,
            role,
            at: None,
            start,
            body: start + length,
            small: false,
        }));
    }
    let speaks = |role| marks.iter().any(|mark| mark.role == role);
    if speaks(Role::User) && speaks(Role::Assistant) { marks } else { Vec::new() }
}

/// Code fences that are closed.
fn fences(text: &str) -> Vec<Range<usize>> {
    let mut fences = Vec::new();
    let mut open: Option<(u8, usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        let mark = words.bytes().next().filter(|b| matches!(b, b'`' | b'~'));
        let length = mark.map_or(0, |mark| words.bytes().take_while(|b| *b == mark).count());
        match (open, mark) {
            (None, Some(mark)) if length >= 3 => open = Some((mark, length, at)),
            (Some((opener, least, start)), Some(mark))
                if mark == opener && length >= least && length == words.len() =>
            {
                fences.push(start..at + line.len());
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    fences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<(Role, String)> {
        assert!(named(text), "{text}");
        read(text).turns.into_iter().map(|turn| (turn.role, turn.text)).collect()
    }

    #[test]
    fn every_way_of_naming_a_speaker() {
        let both = [(Role::User, "hi".to_owned()), (Role::Assistant, "hello".to_owned())];
        for text in [
            "## User\n\nhi\n\n### Assistant\n\nhello\n",
            "### User | 2026-02-24T10:00:00Z\n\nhi\n\n### Assistant | 2026-02-24T10:00:09Z\n\nhello\n",
            "# Chat\n\n## 👤 User Message #1\nhi\n\n---\n\n## Assistant response (2026-02-24T10:00:00Z)\nhello\n---\n",
            "**User:** hi\n\n**Assistant:** hello",
            "**User**: hi\n**Claude Opus 4.5**: hello",
            "_**User**_\n\nhi\n\n---\n\n_**Agent (model x)**_\n\nhello",
            "User: hi\nAssistant: hello",
            "Human: hi\n\nAI: hello",
            "user: hi\nassistant: hello",
            "用户：hi\n\n助手：hello",
            "我: hi\nAI助手: hello",
            "You said:\nhi\nChatGPT said:\nhello",
            "User (10:32): hi\nAssistant (10:33): hello",
            "🧑 **User**: hi\n\n🤖 **AI**: hello",
            "[USER]: hi\n[ASSISTANT]: hello",
            "## Turn 1: User\n\nhi\n\n## Turn 2: Assistant\n\nhello",
            "### Message 1 (User)\n\nhi\n\n### Message 2 (Assistant)\n\nhello",
            "**Prompt:** hi\n\n**Response:** hello",
            "✻ Welcome\n\n> hi\n\n⏺ hello\n",
            "**[User]**\nhi\n**[AI]**\nhello",
        ] {
            assert_eq!(said(text), both, "{text}");
        }
    }

    #[test]
    fn names_in_content_are_content() {
        let text = "## User\n\nwhat is in it?\n\n## Assistant\n\nTwo roles:\n\nUser: may read\n\n### System\n\n**User:** x\n\n```\n## User\n```\n";
        assert_eq!(said(text).len(), 2);
        assert!(!named("# Roles\n\n## User\n\nMay read.\n\n## System\n\nMay write.\n"));
        assert!(!named("The user: a person.\nNothing else."));
        assert!(!named("user: admin\npassword: x\n"));
        let about = "It prints who made it, when, and under which licence. ".repeat(3);
        assert!(!named(&format!("# Skill\n\n{about}\n\n**User:** who?\n**Assistant:** Ana.\n")));
    }

    #[test]
    fn a_fence_that_is_never_closed_hides_nobody() {
        assert_eq!(said("User: hi\n```\ncode\nAssistant: hello\n").len(), 2);
    }

    #[test]
    fn a_heading_may_tell_the_time() {
        let turns = read("## User (2026-02-24 10:00:00Z)\n\nhi\n").turns;
        assert_eq!(turns[0].at.as_deref(), Some("2026-02-24T10:00:00Z"));
    }
}
