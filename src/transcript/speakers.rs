//! Parses text with speaker names (`## User`, `**User:**`, `User:`, `用户：`, or `>` and `⏺` from a terminal), and plain
//! text without any.
//!
//! Never mixes styles: the first speaker name sets the style for the text, and names in another style are content.
//! Names inside code fences are content, too, and so is the user's name where it is indented or placed differently from
//! the other names. What a tool printed within a turn of the model is a turn of its own where the export marks it.

mod shared_session;
mod terminal_signs;

use super::fences::lines_with_fences;
use super::lenient_json::LenientText;
use super::turn_builder::{TurnBuilder, parse_time};
use super::{Conversation, Role, TranscriptFormat};
use crate::text::word_list::{WordList, word_list};

const USER_NAMES: WordList = word_list!("transcript/user_names.txt");
const ASSISTANT_NAMES: WordList = word_list!("transcript/assistant_names.txt");
const TOOL_NAMES: WordList = word_list!("transcript/tool_names.txt");
const SYSTEM_NAMES: WordList = word_list!("transcript/system_names.txt");
/// Prefixes of model names with a version.
const MODEL_PREFIXES: &[&str] = &["claude ", "claude-", "gpt-", "gemini ", "gemini-", "chatgpt "];
/// Words that may precede a name, with a number.
const NAME_PREFIXES: &[&str] = &["turn ", "message ", "msg ", "step "];
/// Words that may follow a name.
const NAME_SUFFIXES: &[&str] = &[" message", " prompt", " response", " turn", "消息"];

/// The markup of a speaker name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpeakerStyle {
    /// `## User`; the heading level, 1 to 6.
    Heading(usize),
    /// `**User:**`, `**User**:`, `_**User**_`.
    Bold,
    /// `User:`
    Plain,
    /// `> hello` and `⏺ hello` in exported terminal contents.
    TerminalSign,
}

/// A line that names a speaker.
#[derive(Debug)]
struct SpeakerLine {
    style: SpeakerStyle,
    role: Role,
    at: Option<String>,
    /// The byte offset of the line.
    start: usize,
    /// The byte offset where the message text begins.
    body_start: usize,
    /// Starts with a lower case letter, as the keys of a config file do.
    lower_case: bool,
    /// Spaces at the start of the line.
    indent: usize,
    after_blank: bool,
}

/// Whether a text has speaker names: the user and the model, or the user with a name in the first line. A text with
/// names only in its second half is about something else and contains an example.
pub(super) fn has_speakers(text: &str) -> bool {
    is_conversation(text, &speaker_lines(text))
}

fn is_conversation(text: &str, lines: &[SpeakerLine]) -> bool {
    let has_role = |role| lines.iter().any(|mark| mark.role == role);
    let starts_text = || lines.first().is_some_and(|mark| !mark.lower_case && text[..mark.start].trim().is_empty());
    let preamble_len = lines.first().map_or(0, |mark| text[..mark.start].trim().len());
    has_role(Role::User) && (has_role(Role::Assistant) || starts_text()) && preamble_len * 2 <= text.len()
}

/// Parses a text with speaker names.
pub(super) fn parse_speakers(text: &str) -> Conversation {
    let lines = speaker_lines(text);
    let mut turns = TurnBuilder::default();
    let ends = lines.iter().skip(1).map(|mark| mark.start).chain([text.len()]);
    for (mark, end) in lines.iter().zip(ends) {
        turns.add_message(mark.role, &mark.at, [turn_body(&text[mark.body_start..end])].into_iter());
    }
    let before = lines.first().map_or("", |mark| &text[..mark.start]);
    let title = before.lines().find_map(|line| line.strip_prefix("# ")).map(|title| title.trim().to_owned());
    Conversation {
        kind: TranscriptFormat::Markdown,
        id: None,
        title,
        summary: None,
        turns: turns.into_turns(),
        skipped: 0,
    }
}

/// Reads a text without speaker names as one user turn.
pub(super) fn parse_plain(text: &str) -> Conversation {
    let mut turns = TurnBuilder::default();
    turns.add_message(Role::User, &None, [text].into_iter());
    Conversation {
        kind: TranscriptFormat::Plain,
        id: None,
        title: None,
        summary: None,
        turns: turns.into_turns(),
        skipped: 0,
    }
}

/// The text of a turn, without the horizontal rules between turns.
pub(super) fn turn_body(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(rest) = text.strip_suffix("---").or_else(|| text.strip_suffix("***")) {
        if !rest.is_empty() && !rest.ends_with('\n') {
            break;
        }
        text = rest.trim_end();
    }
    text
}

/// The lines that start a turn: speaker names, all in one style, or the signs of a terminal if no conversation with
/// names begins before them.
fn speaker_lines(text: &str) -> Vec<SpeakerLine> {
    if shared_session::starts_session(text) {
        let session = shared_session::session_lines(text);
        if is_conversation(text, &session) {
            return session;
        }
    }
    let names = names_below_header(text);
    let signs = terminal_signs::sign_lines(text);
    let Some(first_sign) = signs.first() else { return names };
    let is_first = names.first().is_some_and(|name| name.start < first_sign.start);
    if is_first && is_conversation(text, &names) { names } else { signs }
}

/// The lines with speaker names. A name in a header of fields (`**User:** Ana` above `**Created:** 2026-08-13`) does not
/// set the style if user and model are named in another one below.
fn names_below_header(text: &str) -> Vec<SpeakerLine> {
    let names = named_lines(text, 0);
    let header_end = names.first().and_then(|first| end_of_fields(text, first));
    let below = header_end.map(|end| named_lines(text, end)).unwrap_or_default();
    let has_role = |role| below.iter().any(|mark| mark.role == role);
    let is_in_another_style = below.first().is_some_and(|first| first.style != SpeakerStyle::Bold);
    if is_in_another_style && has_role(Role::User) && has_role(Role::Assistant) { below } else { names }
}

/// Where the block of fields ends to which a speaker name belongs; `None` if it is the name of a speaker.
fn end_of_fields(text: &str, name: &SpeakerLine) -> Option<usize> {
    let field = |line: &str| {
        let (_, name, body) = parse_bold(line.trim())?;
        (body < line.trim().len()).then(|| parse_speaker(name).is_none())
    };
    let before = text[..name.start].lines().next_back().and_then(field);
    let fields: Vec<(&str, bool)> =
        text[name.start..].split_inclusive('\n').map_while(|line| Some((line, field(line)?))).collect();
    let has_other = before == Some(true) || fields.iter().any(|(_, is_other)| *is_other);
    has_other.then(|| name.start + fields.iter().map(|(line, _)| line.len()).sum::<usize>())
}

/// The lines from a byte offset on with speaker names, all in the style of the first.
fn named_lines(text: &str, from: usize) -> Vec<SpeakerLine> {
    let mut found: Vec<SpeakerLine> = Vec::new();
    let mut after_blank = true;
    let mut tool_end = None;
    for (start, line, fenced) in lines_with_fences(text).skip_while(|(start, ..)| *start < from) {
        let parsed = (!fenced).then(|| parse_speaker_line(line, start)).flatten();
        let mark = parsed.map(|mark| SpeakerLine { after_blank, ..mark });
        if let Some(mark) = mark.filter(|mark| matches_style(mark, &found) && matches_layout(mark, &found)) {
            (tool_end, after_blank) = (None, false);
            found.push(mark);
            continue;
        }
        after_blank = line.trim().is_empty();
        let Some(last) = found.last().filter(|_| !fenced) else { continue };
        let end = start + line.len();
        let turn = |role, start| SpeakerLine { role, at: last.at.clone(), start, body_start: start, ..*last };
        match tool_end {
            Some(tag) if line.contains(tag) => {
                tool_end = None;
                found.push(turn(Role::Assistant, end));
            }
            None if last.role == Role::Assistant => {
                tool_end = tool_use_end(line);
                if tool_end.is_some_and(|tag| !line.contains(tag)) {
                    found.push(turn(Role::Tool, start));
                } else {
                    tool_end = None;
                }
            }
            _ => {}
        }
    }
    found
}

/// The tag that ends what a tool printed, if a line within a turn of the model begins it, as SpecStory's exports do.
fn tool_use_end(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    match () {
        () if line.starts_with("<tool-use") => Some("</tool-use>"),
        () if line.starts_with('<') && line.contains("<summary>Tool use: ") => Some("</details>"),
        () => None,
    }
}

/// Whether a name matches the style of those before it. A heading must have the level of the same speaker's earlier
/// headings; for a new speaker other than user and model, the level of the first.
fn matches_style(mark: &SpeakerLine, earlier: &[SpeakerLine]) -> bool {
    let Some(first) = earlier.first() else { return matches!(mark.role, Role::User | Role::Assistant | Role::System) };
    match (mark.style, first.style) {
        (SpeakerStyle::Heading(_), SpeakerStyle::Heading(_)) => {
            let before = earlier.iter().find(|m| m.role == mark.role);
            let is_main_role = matches!(mark.role, Role::User | Role::Assistant);
            before.map_or(is_main_role || mark.style == first.style, |before| before.style == mark.style)
        }
        (a, b) => a == b,
    }
}

/// Whether a name of the user has the indentation of the first name and, if the second one has, a blank line before it.
/// Names of others count in any layout: their text must not become the user's.
fn matches_layout(mark: &SpeakerLine, earlier: &[SpeakerLine]) -> bool {
    let spaced = earlier.get(1).is_some_and(|second| second.after_blank);
    let indent = earlier.first().map_or(mark.indent, |first| first.indent);
    mark.role != Role::User || mark.indent == indent && (mark.after_blank || !spaced)
}

/// Parses a line with a speaker name, if it has one. `start` is its byte offset.
fn parse_speaker_line(line: &str, start: usize) -> Option<SpeakerLine> {
    let words = line.trim_end();
    // Emoji before a name are decoration.
    let inner = words.trim_start_matches(|c: char| c == ' ' || !c.is_ascii() && !c.is_alphanumeric());
    let indent = words.len() - inner.len();
    if inner.is_empty() || words.starts_with("    ") {
        return None;
    }
    let (style, name, body) = parse_heading(inner).or_else(|| parse_bold(inner)).or_else(|| parse_colon(inner))?;
    let (role, at) = parse_speaker(name)?;
    let lower_case = name.chars().next().is_some_and(char::is_lowercase);
    let spaces = words.len() - words.trim_start_matches(' ').len();
    let body_start = start + indent + body;
    Some(SpeakerLine { style, role, at, start, body_start, lower_case, indent: spaces, after_blank: false })
}

/// `## User`: the style, the name, and the byte offset in the line where the body begins.
fn parse_heading(line: &str) -> Option<(SpeakerStyle, &str, usize)> {
    let level = line.len() - line.trim_start_matches('#').len();
    let name = line[level..].trim();
    let heading = (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']);
    heading.then(|| (SpeakerStyle::Heading(level), name.trim_matches(['*', '_', '#', ' ']), line.len()))
}

/// Parses a speaker in bold, `**User:** hello`: the style, the name, and where the text starts.
fn parse_bold(line: &str) -> Option<(SpeakerStyle, &str, usize)> {
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
    if rest.trim().is_empty() || colon {
        Some((SpeakerStyle::Bold, name, line.len() - body.len()))
    } else {
        timed.then_some((SpeakerStyle::Bold, line, line.len()))
    }
}

/// Parses a speaker before a colon, `User: hello`: the style, the name, and where the text starts.
fn parse_colon(line: &str) -> Option<(SpeakerStyle, &str, usize)> {
    let (name, mark) =
        line.char_indices().take(48).find(|(_, c)| matches!(c, ':' | '：')).map(|(at, c)| (&line[..at], c))?;
    // A colon inside brackets is part of a time.
    let (name, end) = match name.rfind(['(', '[']) {
        Some(open) => {
            let close = open + line[open..].find([')', ']'])?;
            let after = &line[close + 1..];
            (&line[..=close], close + 1 + after.chars().next().filter(|c| matches!(c, ':' | '：'))?.len_utf8())
        }
        None => (name, name.len() + mark.len_utf8()),
    };
    name.starts_with(|c: char| c.is_alphabetic() || c == '[').then_some((SpeakerStyle::Plain, name, end))
}

/// The role and time, if the text is nothing but a speaker name: `User`, `👤 User Message #2`, `1. User`,
/// `Assistant (2026-02-24T10:00:00Z)`.
fn parse_speaker(name: &str) -> Option<(Role, Option<String>)> {
    let mut name = name.trim().trim_end_matches([':', '：', '*', '_']).trim_end();
    let mut suffix = "";
    if let Some(open) = name.rfind(['(', '[']).filter(|open| *open > 0 && name.ends_with([')', ']'])) {
        suffix = name[open..].trim_matches(['(', ')', '[', ']', ' ']);
        name = name[..open].trim_end();
    }
    if let Some((first, rest)) =
        name.split_once(['|', '·', '—', '–']).filter(|(_, rest)| rest.contains(char::is_numeric))
    {
        (name, suffix) = (first.trim_end(), rest.trim());
    }
    let at = suffix.contains('-').then(|| parse_time(&LenientText(Some(suffix.to_owned())))).flatten();
    let role_of = |name: &str| -> Option<Role> {
        let name = name.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let name = NAME_PREFIXES.iter().find_map(|before| name.strip_prefix(before)).unwrap_or(&name);
        let name = name.trim_start_matches(|c: char| !c.is_alphabetic());
        let trimmed = name.trim_end_matches(|c: char| !c.is_alphabetic());
        let bare = NAME_SUFFIXES.iter().find_map(|after| trimmed.strip_suffix(after)).unwrap_or(trimmed);
        let is = |names: WordList| names.contains(bare) || names.contains(name);
        let versioned = || MODEL_PREFIXES.iter().any(|v| name.starts_with(v)) && name.len() < 32;
        match () {
            () if is(USER_NAMES) => Some(Role::User),
            () if is(ASSISTANT_NAMES) || versioned() => Some(Role::Assistant),
            () if is(TOOL_NAMES) => Some(Role::Tool),
            () if is(SYSTEM_NAMES) => Some(Role::System),
            () => None,
        }
    };
    role_of(name).or_else(|| role_of(suffix)).map(|role| (role, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed_turns(text: &str) -> Vec<(Role, String)> {
        assert!(has_speakers(text), "{text}");
        parse_speakers(text).turns.into_iter().map(|turn| (turn.role, turn.text)).collect()
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
            assert_eq!(parsed_turns(text), both, "{text}");
        }
    }

    #[test]
    fn names_in_content_are_content() {
        let text = "## User\n\nwhat is in it?\n\n## Assistant\n\nTwo roles:\n\nUser: may read\n\n### System\n\n**User:** x\n\n```\n## User\n```\n";
        assert_eq!(parsed_turns(text).len(), 2);
        assert!(!has_speakers("# Roles\n\n## User\n\nMay read.\n\n## System\n\nMay write.\n"));
        assert!(!has_speakers("The user: a person.\nNothing else."));
        assert!(!has_speakers("user: admin\npassword: x\n"));
        let about = "It prints who made it, when, and under which licence. ".repeat(3);
        assert!(!has_speakers(&format!("# Skill\n\n{about}\n\n**User:** who?\n**Assistant:** Ana.\n")));
    }

    #[test]
    fn the_users_name_within_an_answer_is_content() {
        let spaced = "User: hi\n\nAssistant: Two roles:\nUser: may read\n\n  User: I live in Rome\n\nUser: bye\n";
        let users = |text| parsed_turns(text).into_iter().filter(|(role, _)| *role == Role::User).count();
        assert_eq!((users(spaced), parsed_turns(spaced).len()), (2, 3));
        // Without blank lines between the turns every name counts.
        assert_eq!(users("User: hi\nAssistant: hello\nUser: bye\n"), 2);
        // A model's name is never content: what follows it would become the user's.
        assert_eq!(users("User: hi\n\nAssistant: hello\n\nUser: bye\nAssistant: bye\n"), 2);
    }

    #[test]
    fn a_quoted_conversation_stays_in_the_users_message() {
        let quoted = "Look:\n\n> User: a\n> Assistant: b\n\n```\nUser: c\nAssistant: d\n```\n\n    Assistant: e\n\nI prefer tabs.";
        let text = format!("User: {quoted}\n\nAssistant: Noted.\n");
        assert_eq!(parsed_turns(&text), [(Role::User, quoted.to_owned()), (Role::Assistant, "Noted.".to_owned())]);
    }

    #[test]
    fn an_unclosed_fence_hides_no_speaker() {
        assert_eq!(parsed_turns("User: hi\n```\ncode\nAssistant: hello\n").len(), 2);
    }

    #[test]
    fn a_heading_may_contain_the_time() {
        let turns = parse_speakers("## User (2026-02-24 10:00:00Z)\n\nhi\n").turns;
        assert_eq!(turns[0].at.as_deref(), Some("2026-02-24T10:00:00Z"));
    }

    #[test]
    fn a_list_and_a_quote_in_an_answer_are_no_terminal() {
        let text = "## User\n\nHow?\n\n## Assistant\n\n● be short\n● be kind\n\n> I moved to Oslo.\n\nYour team deploys on Fridays.\n\n## User\n\nI prefer tea.\n";
        let roles = |text| parsed_turns(text).into_iter().map(|(role, _)| role).collect::<Vec<_>>();
        assert_eq!(roles(text), [Role::User, Role::Assistant, Role::User]);
        let late = "**You:**\n\nWhat do you know?\n\n**ChatGPT:**\n\nThe team deploys on Fridays.\n\n**You:**\n\nWrite the mail.\n\n**ChatGPT:**\n\n> Dear landlord\n\n● keep it short\n";
        assert_eq!(roles(late).len(), 4);
        let bullets_first = text.replace("## User\n\nHow", "● Exported today\n\n## User\n\nHow");
        assert_eq!(roles(&bullets_first).len(), 3);
        assert!(!has_speakers("> I moved to Oslo in May.\n\nThat is good news.\n\n● Ana comes too\n"));
        // The signs come first: a name in an answer is content.
        let terminal = "❯ hi\n\n● Two roles:\n\nUser: may read\n\nAssistant: may write\n\n❯ bye\n";
        assert_eq!(roles(terminal), [Role::User, Role::Assistant, Role::User]);
        assert_eq!(roles("> hi\n  there\n\n● hello\n  you\n"), [Role::User, Role::Assistant]);
    }

    #[test]
    fn a_header_of_fields_sets_no_style() {
        let header = "# Tea\n\n**User:** Ana  \n**Model:** x  \n**Created:** 8/13/2026  \n\n";
        let text = format!(
            "{header}## Prompt:\n\nWhich tea do I like?\n\n## Response:\n\nGreen tea, I guess.\n\n## Prompt:\n\nYes.\n"
        );
        assert_eq!(parsed_turns(&text).len(), 3);
        let bold = "**User:** Plan:\n**Goal:** tea\n\n**Assistant:** Fine.\n";
        assert_eq!(parsed_turns(bold)[0], (Role::User, "Plan:\n**Goal:** tea".to_owned()));
    }

    #[test]
    fn what_a_tool_printed_is_a_turn_of_the_tool() {
        let tool = "<tool-use data-tool-type=\"read\"><details>\n<summary>Tool use: **Read**</summary>\n\nDana approves.\n</details></tool-use>\n\nDone.";
        let older = "<details><summary>Tool use: **grep** • 1 match</summary>\n\nDana approves.\n\n</details>\n\nDone.";
        for (answer, end) in [(tool, "</tool-use>"), (older, "</details>")] {
            let text = format!(
                "_**User**_\n\nLook.\n\n---\n\n_**Agent (x)**_\n\nI look.\n\n{answer}\n\n---\n\n_**User**_\n\nBye.\n"
            );
            let turns = parsed_turns(&text);
            let roles: Vec<Role> = turns.iter().map(|(role, _)| *role).collect();
            assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant, Role::User], "{turns:?}");
            assert!(turns[2].1.contains("Dana") && turns[2].1.ends_with(end) && turns[3].1 == "Done.", "{turns:?}");
        }
        // The user may paste one.
        let pasted = parsed_turns(&format!("User: {tool}\n\nAssistant: ok\n"));
        assert!(pasted.iter().all(|(role, _)| *role != Role::Tool), "{pasted:?}");
    }
}
