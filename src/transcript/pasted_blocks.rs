//! Recognises pasted lines by the lines around them: tables, data, subtitles, markup, chats, letters.
//!
//! Never reads more than a few lines on each side, so that a long message costs no more per line than a short one.

use super::machine_lines::is_machine_line;
use super::own_statements::opens_with_author;
use super::pasted::PastedLines;
use super::pasted_requests::is_request;
use crate::text::word_list::{PhraseList, phrase_list};

const SALUTATIONS: PhraseList = phrase_list!("transcript/salutations.txt");
/// Groups to which a letter is addressed.
const ADDRESSED_GROUPS: PhraseList = phrase_list!("transcript/addressed_groups.txt");
const SIGN_OFFS: PhraseList = phrase_list!("transcript/sign_offs.txt");
/// Fields that a tool prints, and levels of a log, at the start of a line.
const TOOL_FIELDS: PhraseList = phrase_list!("transcript/tool_fields.txt");
const LOG_LEVELS: PhraseList = phrase_list!("transcript/log_levels.txt");

/// The lines on each side that are looked at.
const REACH: usize = 6;
/// Maximum length of a letter, in lines.
const MAX_LETTER_LINES: usize = 200;
/// Maximum length of a speaker's name, in characters and in words.
const MAX_NAME_CHARS: usize = 24;
const MAX_NAME_WORDS: usize = 3;

/// Whether a line belongs to a table, rows of data or markup.
pub(super) fn is_block_line(lines: PastedLines<'_>, at: usize) -> bool {
    let line = text_at(lines, at);
    let is_row = is_table_row(lines, at) || is_data_row(lines, at) || is_commit_row(lines, at);
    let is_tagged = is_tagged_row(lines, at) || is_changed_row(lines, at) || is_commented_code(lines, at);
    is_markup(line) || is_json_field(line) || is_row || is_tagged || is_setting(lines, at)
}

/// `[boot] ready` beside another line with the same tag.
fn is_tagged_row(lines: PastedLines<'_>, at: usize) -> bool {
    let tag = |n: usize| {
        let (tag, text) = lines.get(n)?.0.trim().strip_prefix('[')?.split_once("] ")?;
        (!tag.is_empty() && tag.len() <= MAX_NAME_CHARS && !text.is_empty()).then_some(tag)
    };
    let beside = [at.checked_sub(1), Some(at + 1)];
    tag(at).is_some_and(|own| beside.into_iter().flatten().any(|n| tag(n) == Some(own)))
}

/// A line that was removed or added, in a run of which one line is removed and added again with a change, or is a
/// program's: a list has one mark, and the sides of a list of pros and cons do not begin alike.
fn is_changed_row(lines: PastedLines<'_>, at: usize) -> bool {
    let marked = |line: &str| line.chars().next().filter(|c| matches!(c, '+' | '-')).is_some();
    if !marked(text_at(lines, at)) {
        return false;
    }
    let run: Vec<&str> = run_around(lines, at, marked).map(|n| text_at(lines, n)).collect();
    let with = |mark: char| run.iter().filter_map(move |line| line.strip_prefix(mark));
    let is_again = |old: &str, new: &str| {
        let (old, new) = (old.trim_start(), new.trim_start());
        let shared: usize = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
        shared >= MIN_SHARED_START && !opens_with_author(old)
    };
    let has_program = with('+').chain(with('-')).any(|line| is_machine_line(line) || is_code_line(line));
    let (has_old, has_new) = (with('-').next().is_some(), with('+').next().is_some());
    has_old && has_new && (has_program || with('-').any(|old| with('+').any(|new| is_again(old, new))))
}

/// How many bytes a removed line and the line that replaces it have in common at the start, at least.
const MIN_SHARED_START: usize = 4;

/// `-- text` or `# text` above or below a line of code.
fn is_commented_code(lines: PastedLines<'_>, at: usize) -> bool {
    let is_comment = |line: &str| ["-- ", "# "].iter().any(|mark| line.starts_with(mark));
    let is_code = |n: usize| {
        is_statement(text_at(lines, n))
            || lines.get(n).is_some_and(|(line, _)| is_code_line(line))
            || is_parent(lines, n)
    };
    is_comment(text_at(lines, at))
        && run_around(lines, at, is_comment).any(|n| n > 0 && is_code(n - 1) || n + 1 < lines.len() && is_code(n + 1))
}

/// `services:` above an indented `app:`, `mem_limit: 2g` or `- item`.
fn is_parent(lines: PastedLines<'_>, at: usize) -> bool {
    let is_key = |key: &str| !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    let is_entry = |line: &str| line.starts_with("- ") || line.split_once(':').is_some_and(|(key, _)| is_key(key));
    let is_below = |line: &str| line.starts_with([' ', '\t']) && is_entry(line.trim());
    text_at(lines, at).strip_suffix(':').is_some_and(is_key)
        && lines.get(at + 1).is_some_and(|(line, _)| is_below(line))
}

/// Whether a line is code, or a command with its options.
fn is_code_line(line: &str) -> bool {
    let line = line.trim();
    let is_command = line.split(' ').skip(1).any(|word| word.starts_with(['-', '+', '$', '|']) && word.len() > 1);
    is_machine_line(line) || line.is_ascii() && is_command && !line.ends_with(['.', '?', '!'])
}

/// `3be1 fix typo`, in a run of lines that begin with hashes of one length.
fn is_commit_row(lines: PastedLines<'_>, at: usize) -> bool {
    let hash = |line: &str| -> Option<String> {
        let (hash, subject) = line.split_once(' ')?;
        let is_hex = hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let has_both =
            hash.bytes().any(|b| b.is_ascii_digit()) && hash.bytes().any(|b| b.is_ascii_lowercase() || hash.len() > 6);
        (is_hex && has_both && (4..=40).contains(&hash.len()) && !subject.is_empty()).then(|| hash.to_owned())
    };
    let Some(own) = hash(text_at(lines, at)) else { return false };
    run_around(lines, at, |line| hash(line).is_some_and(|other| other.len() == own.len())).count() > 1
}

/// `"bio": "text",` in an object of several lines.
fn is_json_field(line: &str) -> bool {
    let key = line.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    key.is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
}

/// A line of a config file: `key = value` in a run of them or below `[section]`, `  key: value` below `parent:`.
fn is_setting(lines: PastedLines<'_>, at: usize) -> bool {
    let is_key =
        |key: &str| !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"'));
    let is_assignment =
        |line: &str| line.split_once('=').is_some_and(|(key, value)| is_key(key.trim_end()) && !value.starts_with('='));
    let is_section = |line: &str| line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).is_some_and(is_key);
    let is_in_run = |n: usize| is_assignment(text_at(lines, n)) || is_section(text_at(lines, n));
    if is_assignment(text_at(lines, at)) && (at > 0 && is_in_run(at - 1) || is_in_run(at + 1)) {
        return true;
    }
    let indent = |n: usize| lines[n].0.len() - lines[n].0.trim_start_matches(' ').len();
    let has_value = |line: &str| line.split_once(": ").is_some_and(|(key, _)| is_key(key));
    let is_parent = |n: &usize| indent(*n) < indent(at);
    let parent = (at.saturating_sub(REACH)..at).rev().find(is_parent);
    has_value(text_at(lines, at))
        && indent(at) >= 2
        && parent.is_some_and(|n| text_at(lines, n).strip_suffix(':').is_some_and(is_key))
}

/// `小明 10:21`, `Kim 2026-03-04 10:21`: a name and a time alone on a line, at least twice in a message.
pub(super) fn is_name_and_time(lines: PastedLines<'_>, at: usize) -> bool {
    let is_head = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_time = |word: &str| {
            let parts = word.split([':', '：']);
            parts.clone().count() >= 2
                && parts
                    .into_iter()
                    .all(|part| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()))
        };
        let is_date = |word: &&&str| {
            word.bytes().any(|b| b.is_ascii_digit())
                || matches!(**word, "昨天" | "今天" | "上午" | "下午" | "Today" | "Yesterday")
        };
        match words.split_last() {
            Some((time, before)) if is_time(time) => {
                let names = before.len() - before.iter().skip(1).filter(is_date).count();
                (1..=2).contains(&names) && before[0].starts_with(char::is_alphabetic)
            }
            _ => false,
        }
    };
    is_head(text_at(lines, at))
        && lines[at.saturating_sub(MAX_LETTER_LINES)..]
            .iter()
            .take(2 * MAX_LETTER_LINES)
            .filter(|(line, _)| is_head(line))
            .count()
            >= 2
}

/// `jo 08:12 text`, `*jo* 08:12 text`: a name, a time and a message, on at least two lines of a message.
pub(super) fn is_timed_message(lines: PastedLines<'_>, at: usize) -> bool {
    let is_said = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default().trim_matches(['*', '[', ']', '<', '>', '@', '_']);
        let time = words.next().unwrap_or_default().trim_matches(['[', ']', '(', ')']);
        let is_time = time.split_once(':').is_some_and(|(hour, minute)| {
            let is_number = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
            is_number(hour) && is_number(minute.split(':').next().unwrap_or(minute))
        });
        is_time
            && name.starts_with(char::is_alphabetic)
            && name.chars().count() <= MAX_NAME_CHARS
            && words.next().is_some()
    };
    let around = lines[at.saturating_sub(REACH)..].iter().take(2 * REACH + 1);
    is_said(text_at(lines, at)) && around.filter(|(line, _)| is_said(line)).count() >= 2
}

/// The line above a message in an exported chat or a feed: `Ana — Today at 10:41`, `[12/02/26, 10:41] Ana: text`,
/// `12/02/2026, 10:41 - Ana: text`, `Ana, [3 Feb 2026 10:41]:`, `@ana · 3h`.
pub(super) fn is_message_head(line: &str) -> bool {
    let digits = |word: &str| word.bytes().filter(u8::is_ascii_digit).count();
    let is_time = |word: &str| {
        let word = word.trim_matches(['[', ']', '(', ')', ',', ':']);
        (3..=6).contains(&digits(word)) && word.contains(':') && word.bytes().all(|b| b.is_ascii_digit() || b == b':')
    };
    let is_date = |word: &str| {
        let word = word.trim_matches(['[', ']', '(', ')', ',']);
        let parts = word.split(['/', '.', '-']);
        (4..=8).contains(&digits(word))
            && parts.clone().count() == 3
            && parts.into_iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    // "u/nightowl · 3 h ago": the head of a post on the web.
    let is_handle = line.starts_with(['@']) || line.starts_with("u/") || line.starts_with("r/");
    if is_handle && line.contains([' ']) && line.contains(['·', '•']) {
        return true;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let starts_with_date = words.len() > 3 && is_date(words[0]) && is_time(words[1]);
    let ends_with_time = words.iter().rev().take(2).any(|word| is_time(word)) && words.len() <= 8;
    let is_bracketed = line.ends_with("]:") || line.ends_with(']');
    let is_post = words.len() <= 6
        && line.contains(" · ")
        && words.last().is_some_and(|age| {
            let number = age.trim_end_matches(['s', 'm', 'h', 'd', 'w']);
            number.len() < age.len() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        });
    starts_with_date || is_post || ends_with_time && (line.contains(" — ") || line.contains(", [") && is_bracketed)
}

/// The head of a commit as `git log` prints it, or of a part of a diff.
pub(super) fn is_git_head(line: &str) -> bool {
    let is_hash = |hash: &str| (6..=64).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
    line.strip_prefix("commit ").is_some_and(|rest| is_hash(rest.split(' ').next().unwrap_or_default()))
        || line.starts_with("@@ -") && line[2..].contains("@@")
        || line.starts_with("--- a/")
}

/// Whether a line is said by one of several speakers who take turns: a name occurs again after another one. A list of
/// labels (`City: Rome`) has each of them once.
pub(super) fn is_said_in_chat(lines: PastedLines<'_>, at: usize) -> bool {
    // "u/nightowl: I own 41 pens": a post on the web and the answers to it.
    let first_word = text_at(lines, at).trim_start_matches(['↳', '>', '-', '*', ' ']).split(' ').next();
    if first_word.is_some_and(|word| word.starts_with("u/") && word.len() > 3 && word.ends_with(':')) {
        return true;
    }
    // 302：装了净水器, below or above another room.
    if room(text_at(lines, at)).is_some_and(|own| {
        run_around(lines, at, |line| room(line).is_some()).any(|n| room(text_at(lines, n)) != Some(own))
    }) {
        return true;
    }
    if speaker(text_at(lines, at)).is_none() {
        return false;
    }
    let window = run_around(lines, at, |line| speaker(line).is_some());
    let names: Vec<&str> = window.filter_map(|n| speaker(text_at(lines, n))).collect();
    names.iter().enumerate().any(|(n, name)| {
        let again = names[n + 1..].iter().position(|other| other == name);
        again.is_some_and(|between| between > 0)
    })
}

/// The number of a room, or of a member, before what is said in a group.
fn room(line: &str) -> Option<&str> {
    let (number, said) = line.split_once(['：', ':'])?;
    let is_room = (3..=5).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    (is_room && said.chars().any(char::is_alphabetic)).then_some(number)
}

/// Whether a letter begins at a line below the author's own: a salutation with a name, and further down a closing with
/// another. What begins with the salutation is the author's own letter to the assistant.
pub(super) fn is_letter_start(lines: PastedLines<'_>, at: usize) -> bool {
    let has_own_lines = lines[..at].iter().any(|(line, _)| !line.trim().is_empty());
    let rest = at + 1..lines.len().min(at + MAX_LETTER_LINES);
    let closing = rest.clone().find(|n| is_closing(lines, *n));
    let is_to_others = |line: &str| {
        let low = line.to_lowercase();
        let has = |word: &str| {
            if word.is_ascii() {
                low.split(|c: char| !c.is_alphabetic()).any(|w| w == word)
            } else {
                low.contains(word)
            }
        };
        is_salutation(line) && ADDRESSED_GROUPS.iter().any(has)
    };
    // What its author asks below the signature of a letter is about the letter.
    let is_asked_about = |closing: usize| {
        let below =
            lines[closing..].iter().position(|(line, _)| line.trim().is_empty()).map_or(lines.len(), |n| closing + n);
        lines[below.min(lines.len())..].iter().any(|(line, _)| is_request(line))
    };
    match has_own_lines {
        true => closing.is_some() && (is_salutation(text_at(lines, at)) || is_bare_salutation(text_at(lines, at))),
        // No assistant is addressed as "tenants".
        false if is_to_others(text_at(lines, at)) => {
            closing.is_some()
                || rest
                    .into_iter()
                    .rev()
                    .find(|n| !text_at(lines, *n).is_empty())
                    .is_some_and(|n| is_signature(text_at(lines, n)))
        }
        false => is_salutation(text_at(lines, at)) && closing.is_some_and(is_asked_about),
    }
}

/// Whether a line is a salutation without a name: `您好：`.
fn is_bare_salutation(line: &str) -> bool {
    let plain = line.trim_end_matches([',', '，', '!', '！', ':', '：']);
    plain.len() < line.len() && !plain.is_ascii() && SALUTATIONS.iter().any(|words| plain == words)
}

/// A name alone on a line: `H. Vogel`, 物业 方.
fn is_signature(line: &str) -> bool {
    let is_end = |line: &str| line.ends_with(['。', '!', '！', '?', '？', ',', '，', ':', '：', '~', '…']);
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_name = if line.is_ascii() {
        words.iter().all(|word| word.starts_with(|c: char| c.is_ascii_uppercase())) && !line.ends_with('.')
    } else {
        line.chars().count() <= MAX_SIGNATURE_CHARS
    };
    is_name && (1..=MAX_NAME_WORDS).contains(&words.len()) && !is_end(line)
}

/// Maximum length of a Chinese signature, in characters.
const MAX_SIGNATURE_CHARS: usize = 8;

/// Whether a line is a salutation with a name: `Dear Ana,`.
pub(super) fn is_salutation(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    let line = line.trim_end_matches([',', '，', '!', '！', ':', '：']);
    SALUTATIONS.iter().any(|words| {
        if words.is_ascii() {
            line.strip_prefix(words).is_some_and(|name| name.starts_with(' ') && name.len() < 40)
        } else {
            (line.starts_with(words) || line.ends_with(words)) && line.chars().count() > words.chars().count()
        }
    })
}

/// `Best regards` above a name.
pub(super) fn is_closing(lines: PastedLines<'_>, at: usize) -> bool {
    let line = text_at(lines, at).to_lowercase();
    let line = line.trim_end_matches([',', '，', '!', '！', '。', '.']);
    SIGN_OFFS.iter().any(|words| line == words) && lines[at + 1..].iter().any(|(line, _)| !line.trim().is_empty())
}

fn text_at<'t>(lines: PastedLines<'t>, at: usize) -> &'t str {
    lines.get(at).map_or("", |(line, _)| line.trim())
}

/// The lines around one, with it, for which something holds without a gap.
fn run_around(lines: PastedLines<'_>, at: usize, holds: impl Fn(&str) -> bool) -> impl Iterator<Item = usize> {
    let holds = |n: &usize| holds(text_at(lines, *n));
    let above = (at.saturating_sub(REACH)..at).rev().take_while(holds).count();
    let below = (at + 1..lines.len().min(at + 1 + REACH)).take_while(holds).count();
    at - above..at + below + 1
}

/// The name before a colon: `Ana: Are you free?`
fn speaker(line: &str) -> Option<&str> {
    let (name, text) = line.split_once([':', '：'])?;
    let starts_as_name = name.starts_with(|c: char| c.is_uppercase() || c.is_alphabetic() && !c.is_ascii());
    let is_short = name.chars().count() <= MAX_NAME_CHARS && name.split_whitespace().count() <= MAX_NAME_WORDS;
    (starts_as_name && is_short && !text.trim().is_empty()).then_some(name)
}

/// `<?xml …>`, or an element that begins and ends on the line.
fn is_markup(line: &str) -> bool {
    let opens_element = line.strip_prefix('<').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    line.starts_with("<?xml") || line.starts_with("<!DOCTYPE") || opens_element && is_whole_element(line)
}

/// Whether the element that a line begins with ends at the end of the line: emphasis in a sentence ends before.
fn is_whole_element(line: &str) -> bool {
    let name: String =
        line[1..].chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':')).collect();
    line.ends_with(&format!("</{name}>"))
}

/// The times above a subtitle: `00:00:01,000 --> 00:00:04,200`.
pub(super) fn is_subtitle_time(line: &str) -> bool {
    let is_time = |part: &str| {
        part.len() >= 7 && part.contains(':') && part.bytes().all(|b| b.is_ascii_digit() || b":.,".contains(&b))
    };
    line.split_once(" --> ")
        .is_some_and(|(from, to)| is_time(from) && is_time(to.split(' ').next().unwrap_or_default()))
}

/// A line between bars, in a run of those with a rule among them: `|---|---|`.
fn is_table_row(lines: PastedLines<'_>, at: usize) -> bool {
    let is_row = |line: &str| line.len() > 1 && line.starts_with('|') && line.ends_with('|');
    let is_rule = |line: &str| is_row(line) && line.contains("--") && line.bytes().all(|b| b"|-: ".contains(&b));
    is_row(text_at(lines, at)) && run_around(lines, at, is_row).any(|n| is_rule(text_at(lines, n)))
}

/// A row of values between commas or tabs, the same number in each of at least three rows, and no sentence.
fn is_data_row(lines: PastedLines<'_>, at: usize) -> bool {
    let marks = |line: &str, mark: char| {
        if line.contains(", ") || line.ends_with(['.', '。', '!', '?', ',']) { 0 } else { line.matches(mark).count() }
    };
    let is_in_run = |mark: char| {
        let own = marks(text_at(lines, at), mark);
        own > 0 && run_around(lines, at, |line| marks(line, mark) == own).count() >= 3
    };
    is_in_run(',') || is_in_run('\t') || is_in_run(';')
}

/// `2026-02-11 08:12:44 INFO text`, with or without brackets, and with `T` between date and time.
pub(super) fn is_log_line(line: &str) -> bool {
    // What devices and tools print: "[I][boot] …", "result: …".
    let is_tagged = line.starts_with('[') && line.find(']').is_some_and(|at| at < 12 && line[at..].starts_with("]["));
    let opens = |word: &str| line.strip_prefix(word).is_some_and(|rest| rest.starts_with(' '));
    if is_tagged || TOOL_FIELDS.iter().any(opens) || LOG_LEVELS.iter().any(opens) {
        return true;
    }
    let shape: String =
        line.trim_start_matches('[').chars().take(16).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    matches!(shape.as_str(), "0000-00-00 00:00" | "0000-00-00T00:00" | "0000/00/00 00:00")
}

/// A statement of SQL.
pub(super) fn is_statement(line: &str) -> bool {
    let low = line.to_lowercase();
    let is_query = ["select ", "delete from "].iter().any(|verb| low.starts_with(verb)) && low.contains(" from ");
    let upper = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "CREATE TABLE "];
    (is_query || upper.iter().any(|verb| line.starts_with(verb))) && line.contains([';', '*', '='])
}

/// An object of JSON on one line, or a row of values between commas beside another of as many.
pub(super) fn is_data_line(line: &str, beside: [Option<&str>; 2]) -> bool {
    let is_object = line.starts_with(['{', '[']) && line.contains("\":");
    let commas = |line: &str| if line.contains(", ") || line.contains('，') { 0 } else { line.matches(',').count() };
    is_object || commas(line) >= 2 && beside.into_iter().flatten().any(|other| commas(other) == commas(line))
}

/// `--- notes.md ---`, `==> notes.md <==`, `diff --git a/x b/x`: the name of a file above its text.
pub(super) fn is_file_rule(line: &str) -> bool {
    let inner = line.trim_matches(['-', '=', '*', '<', '>', '+']);
    let has_both = line.len() - inner.len() >= 6 && inner.starts_with(' ') && inner.ends_with(' ');
    line.starts_with("diff --git ") || has_both && !inner.trim().is_empty()
}

/// `$ cat notes.md`: a command, with its output below.
pub(super) fn is_prompt(line: &str) -> bool {
    let command = ["$ ", "❯ "].iter().find_map(|prompt| line.strip_prefix(prompt));
    command
        .is_some_and(|command| command.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '/' | '~')))
}

/// `[10:02] Dana: text`, `Dana  10:02 AM`: a line of a chat.
pub(super) fn is_chat_line(line: &str) -> bool {
    let is_time = |word: &str| {
        let word = word.trim_matches(['[', ']', '(', ')', ',']);
        let parts: Vec<&str> = word.split(':').collect();
        matches!(parts.len(), 2 | 3)
            && parts.iter().all(|part| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let last = words.iter().rposition(|word| !matches!(word.to_lowercase().as_str(), "am" | "pm"));
    let opens = words.first().is_some_and(|word| is_time(word)) && line.contains([':', '：']);
    let names = words.iter().skip(1).take(2).any(|word| word.ends_with([':', '：']) || word.contains('：'));
    opens && (names || line.starts_with(['[', '(']))
        || last.is_some_and(|last| (1..=4).contains(&last) && is_time(words[last]) && line.contains("  "))
}
