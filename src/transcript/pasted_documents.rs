//! Recognises the beginning of a document in a message: headings, front matter, rules around a region, a diff, records
//! about the user.
//!
//! Never decides where an unmarked document ends.

use super::pasted::PastedLines;
use super::pasted_leads::{has_han, names_kind_of_text};
use super::pasted_quotations::QUOTATION_MARKS;
use super::pasted_requests::addresses_agents;
use crate::text::word_list::{WordList, word_list};

const PROMPT_HEADINGS: WordList = word_list!("transcript/prompt_headings.txt");

/// A rule of at least four equal marks, as programs put around what they print.
pub(super) fn rule_of(trimmed: &str) -> Option<&str> {
    let mark = trimmed.chars().next().filter(|c| "-=*_~#─━═".contains(*c))?;
    (trimmed.chars().count() >= 4 && trimmed.chars().all(|c| c == mark)).then_some(trimmed)
}

/// How many lines a region between two rules, or in quotation marks, has at most.
const MAX_REGION_LINES: usize = 200;

/// What ends the region that a line opens: the rule again, or the quotation mark that closes it further down.
pub(super) fn region_end(lines: PastedLines<'_>, at: usize) -> Option<String> {
    let trimmed = lines[at].0.trim();
    let below = || lines.iter().skip(at + 1).take(MAX_REGION_LINES).map(|(line, _)| line.trim());
    if let Some(rule) = rule_of(trimmed) {
        return below().any(|line| line == rule).then(|| rule.to_owned());
    }
    if let Some(end) = text_tag_end(trimmed) {
        return below().any(|line| line.ends_with(&end)).then_some(end);
    }
    // The documentation in a program's text.
    let docstring = ["\"\"\"", "'''"].into_iter().find(|mark| trimmed.starts_with(mark));
    if let Some(mark) = docstring.filter(|mark| !trimmed[mark.len()..].contains(mark)) {
        return below().any(|line| line.ends_with(mark)).then(|| mark.to_owned());
    }
    let open = trimmed.chars().next().filter(|c| matches!(c, '"' | '“' | '「' | '«'))?;
    let (_, close) = QUOTATION_MARKS.iter().find(|(mark, _)| *mark == open)?;
    let is_open = !trimmed[open.len_utf8()..].contains(*close);
    let closes = || below().take_while(|line| !line.is_empty()).any(|line| line.ends_with(*close));
    (is_open && closes()).then(|| close.to_string())
}

/// What closes a tag for a kind of text that stands alone on a line: `</工单>`, 【邮件结束】.
fn text_tag_end(line: &str) -> Option<String> {
    let is_kind = |name: &str| has_han(name) && name.chars().count() <= MAX_TAG_CHARS && names_kind_of_text(name);
    if let Some(name) = line.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).filter(|name| is_kind(name)) {
        return Some(format!("</{name}>"));
    }
    let name = line.strip_prefix('【')?.strip_suffix("开始】").filter(|name| is_kind(name))?;
    Some(format!("【{name}结束】"))
}

/// The longest name in a tag, in characters.
const MAX_TAG_CHARS: usize = 8;

/// A list item or line about "the user" in the third person, beside other lines: users do not speak of themselves like
/// that.
pub(super) fn is_about_user(lines: PastedLines<'_>, at: usize) -> bool {
    let line = lines[at].0.trim();
    let item = line.trim_start_matches(|c: char| matches!(c, '-' | '*' | '+' | '•' | '－') || c.is_ascii_digit());
    let is_item = item.len() < line.len();
    let item = item.trim_start_matches(['.', ')', '、']).trim_start();
    let opens = ["User ", "User's ", "User’s ", "The user ", "The user's ", "The user’s ", "用户"];
    let is_about = |text: &str| opens.iter().any(|opening| text.starts_with(opening));
    let has_other = lines.iter().enumerate().any(|(n, (line, _))| n != at && !line.trim().is_empty());
    is_about(item) && (is_item || has_other) || has_other && addresses_agents(line)
}

/// Whether a document begins at a heading: one of several, or the name of a file or of a kind of text. People put
/// headings into their requests, too; these have names of their own.
pub(super) fn is_document_start(lines: PastedLines<'_>, at: usize) -> bool {
    let heading = |line: &str| {
        let text = line.trim_start_matches('#');
        let level = line.len() - text.len();
        ((1..=4).contains(&level) && text.starts_with(' ')).then(|| text.trim().to_lowercase())
    };
    let Some(first) = heading(lines[at].0) else { return false };
    let is_prompt = |name: &str| PROMPT_HEADINGS.contains(name.trim_end_matches([':', '：']));
    let names: Vec<String> = lines[at..]
        .iter()
        .take(MAX_REGION_LINES)
        .filter(|(_, is_fenced)| !is_fenced)
        .filter_map(|(line, _)| heading(line))
        .collect();
    let is_file = first.rsplit_once('.').is_some_and(|(stem, end)| !stem.contains(' ') && (1..=4).contains(&end.len()));
    names.len() >= 2 && !is_prompt(&first) && names.iter().filter(|name| is_prompt(name)).count() * 2 < names.len()
        || is_file
        || names_memory(&first)
}

/// Whether a heading names what a program keeps about a person.
fn names_memory(heading: &str) -> bool {
    ["memories", "memory", "记忆", "user profile", "用户画像", "用户档案"].iter().any(|word| heading.contains(word))
}

/// Whether a file with front matter begins at a line: `---`, settings, `---`.
pub(super) fn is_front_matter(lines: PastedLines<'_>, at: usize) -> bool {
    let mut below = lines[at + 1..].iter().take(30).map(|(line, _)| line.trim());
    lines[at].0.trim() == "---"
        && below.next().is_some_and(|line| line.split_once(':').is_some_and(|(key, _)| !key.contains(' ')))
        && below.any(|line| line == "---")
}

pub(super) fn is_diff_head(trimmed: &str) -> bool {
    trimmed.starts_with("diff --git ") || trimmed.starts_with("--- a/") || trimmed.starts_with("@@ -")
}

/// A line of a diff, or an empty one.
pub(super) fn is_diff_line(line: &str) -> bool {
    let heads = ["diff --git ", "index ", "new file", "deleted file", "similarity ", "rename ", "Binary "];
    line.trim().is_empty()
        || line.starts_with(['+', '-', ' ', '@', '\\'])
        || heads.iter().any(|head| line.starts_with(head))
}
