//! Finds what the author of a message pasted rather than wrote: code fences, quoted and indented lines, comments,
//! mails, files, output, chats.
//!
//! Never decides what becomes of them. Where the end of a pasted passage cannot be seen, it is the end of the message.

use super::fences::lines_with_fences;
use super::inline_texts::text_behind_request;
use super::machine_lines::is_machine_line;
use super::own_statements::{is_said_by, names_own_statement, opens_with_author, own_speaker};
use super::pasted_blocks::{
    is_block_line, is_chat_line, is_data_line, is_file_rule, is_git_head, is_letter_start, is_log_line,
    is_message_head, is_name_and_time, is_prompt, is_said_in_chat, is_statement, is_timed_message,
};
use super::pasted_documents::{
    is_about_user, is_diff_head, is_diff_line, is_document_start, is_front_matter, region_end, rule_of,
};
use super::pasted_leads::{
    LeadReach, inline_passage, is_origin_lead, is_pointing_lead, is_source_lead, leads_and_asks, pasted_after_lead,
};
use super::pasted_paragraphs::{
    is_first, mark_before_pointer, mark_signed, own_tail, requested_passage, return_closing, spread_in_paragraphs,
};
use super::pasted_quotations::next_quotation;
use super::pasted_requests::is_request;
use super::pasted_tools::{is_session_start, is_tool_line, is_tool_paragraph};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

const MAIL_HEADERS: WordList = word_list!("transcript/mail_headers.txt");
const FORWARD_MARKS: PhraseList = phrase_list!("transcript/forward_marks.txt");
const DIALOGUE_NAMES: WordList = word_list!("transcript/dialogue_names.txt");

/// How far a pasted passage reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PastedSpan {
    /// The next lines up to a blank one.
    Paragraph,
    /// The lines that belong to a diff.
    Diff,
    /// The rest of the message.
    Rest,
}

/// How many passages of a message may be followed by words of the author, at most.
const MAX_PASSAGES: usize = 8;

/// The lines of a message, each with whether it stands in a fence.
pub(super) type PastedLines<'t> = &'t [(&'t str, bool)];

/// A message, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageParts {
    /// The lines that its author wrote.
    pub own: String,
    /// The lines that are not the user's own.
    pub pasted: String,
}

impl MessageParts {
    /// Takes a message apart: every line goes to one of the parts, but a quotation in an own line goes to the other.
    pub fn of(text: &str) -> MessageParts {
        let mut parts = MessageParts::default();
        let mut rest = text.to_owned();
        for _ in 0..MAX_PASSAGES {
            match parts.push_passage(&rest) {
                Some(tail) => rest = tail,
                None => return parts,
            }
        }
        parts.pasted.push_str(&rest);
        parts
    }

    /// Adds a message up to the place where its author's own words begin again below a passage; returns the rest.
    fn push_passage(&mut self, text: &str) -> Option<String> {
        let mut lines: Vec<(&str, bool)> = lines_with_fences(text).map(|(_, line, fenced)| (line, fenced)).collect();
        let mut reader = PasteReader::default();
        let mut pasted: Vec<bool> = (0..lines.len()).map(|at| reader.is_pasted(&lines, at)).collect();
        let tail = reader.span_start.and_then(|start| own_tail(&lines, start));
        let rest = tail.map(|tail| lines.split_off(tail).into_iter().map(|(line, _)| line).collect());
        pasted.truncate(lines.len());
        spread_in_paragraphs(&lines, &mut pasted);
        mark_signed(&lines, &mut pasted);
        mark_before_pointer(&lines, &mut pasted);
        if let Some(start) = reader.span_start {
            return_closing(&lines, start, reader.is_bounded || rest.is_some(), &mut pasted);
        }
        // "Jo is me": what Jo says in the chat is the author's.
        let own_lines = lines.iter().zip(&pasted).filter(|(_, pasted)| !**pasted);
        if let Some(speaker) = own_lines.into_iter().find_map(|((line, _), _)| own_speaker(line)) {
            (0..lines.len()).filter(|n| is_said_by(lines[*n].0, &speaker)).for_each(|n| pasted[n] = false);
        }
        for (at, (line, _)) in lines.iter().enumerate() {
            match (pasted[at], reader.inline_leads.iter().find(|(n, _)| *n == at)) {
                (true, _) => self.pasted.push_str(line),
                (false, Some((_, end))) => {
                    self.push_own(&line[..*end]);
                    self.own.push('\n');
                    self.pasted.push_str(&line[*end..]);
                }
                (false, None) => self.push_own(line),
            }
        }
        rest
    }

    fn push_own(&mut self, line: &str) {
        let mut rest = line;
        while let Some((before, quotation, after)) = next_quotation(rest) {
            self.own.push_str(before);
            self.own.push('…');
            self.pasted.push_str(quotation);
            self.pasted.push('\n');
            rest = after;
        }
        self.own.push_str(rest);
    }
}

/// What is open while the lines of a message are read.
#[derive(Default)]
struct PasteReader {
    span: Option<PastedSpan>,
    /// Whether the open paragraph has a line with text.
    has_content: bool,
    is_comment: bool,
    /// Where the passage began that reaches to the end of the message: 0-based index of a line.
    span_start: Option<usize>,
    /// Whether the author has asked for something already, so that nothing below the passage need be the author's.
    is_bounded: bool,
    /// Lines with a lead and the beginning of the passage: index of the line, and where the passage begins in it, in
    /// bytes.
    inline_leads: Vec<(usize, usize)>,
    /// Where the passage begins that a request above it speaks of: 0-based index of a line.
    opens_at: Option<usize>,
    /// What ends the open region: a rule as the one above it, or a quotation mark.
    region_end: Option<String>,
}

impl PasteReader {
    fn is_pasted(&mut self, lines: &[(&str, bool)], at: usize) -> bool {
        let (line, is_fenced) = lines[at];
        let trimmed = line.trim();
        if self.continues_span(line, trimmed) {
            return true;
        }
        if self.opens_at.take_if(|n| *n == at).is_some() {
            self.open_rest(lines, at);
            self.is_bounded = true;
            return true;
        }
        self.region_end = region_end(lines, at);
        if self.region_end.is_some() || is_fenced || is_quoted(trimmed) || is_indented_code(lines, at) {
            return true;
        }
        let next = lines[at + 1..].iter().map(|(line, _)| line.trim()).find(|line| !line.is_empty());
        let beside = [at.checked_sub(1), Some(at + 1)].map(|n| lines.get(n?).map(|(line, _)| line.trim()));
        let is_apart = is_log_line(trimmed) || is_statement(trimmed) || is_data_line(trimmed, beside);
        let is_apart = is_apart || is_tool_line(lines, at);
        if is_apart || is_source_comment(line) || is_block_line(lines, at) || is_about_user(lines, at) {
            return true;
        }
        if is_diff_head(trimmed) {
            self.span = Some(PastedSpan::Diff);
            return true;
        }
        if is_letter_start(lines, at)
            || is_git_head(trimmed)
            || is_session_start(lines, at)
            || is_document_start(lines, at)
            || is_front_matter(lines, at)
        {
            self.open_rest(lines, at);
            return true;
        }
        if is_said_in_chat(lines, at)
            || is_tool_paragraph(lines, at)
            || is_message_head(trimmed)
            || is_name_and_time(lines, at)
            || is_timed_message(lines, at)
        {
            (self.span, self.has_content) = (Some(PastedSpan::Paragraph), true);
            return true;
        }
        self.has_content = is_chat_line(trimmed);
        match pasted_from(trimmed, next) {
            Some(PastedSpan::Rest) => {
                self.open_rest(lines, at);
                // What a command printed has no end, and its author asks below it.
                self.is_bounded &= !is_prompt(trimmed);
                return true;
            }
            Some(span) => {
                self.span = Some(span);
                return true;
            }
            None => {}
        }
        self.read_lead(lines, at);
        false
    }

    /// Whether a line is part of what an earlier one opened.
    fn continues_span(&mut self, line: &str, trimmed: &str) -> bool {
        if self.is_comment || COMMENTS.iter().any(|(open, _)| trimmed.starts_with(open)) {
            self.is_comment = !COMMENTS.iter().any(|(_, close)| trimmed.contains(close));
            return true;
        }
        if let Some(end) = &self.region_end {
            if trimmed.ends_with(end.as_str()) {
                self.region_end = None;
            }
            return true;
        }
        match self.span {
            Some(PastedSpan::Rest) => true,
            Some(PastedSpan::Diff) => {
                let is_diff = is_diff_line(line);
                self.span = self.span.filter(|_| is_diff);
                is_diff
            }
            Some(PastedSpan::Paragraph) => {
                if trimmed.is_empty() && self.has_content {
                    self.span = None;
                }
                self.has_content |= !trimmed.is_empty();
                true
            }
            None => false,
        }
    }

    fn open_rest(&mut self, lines: &[(&str, bool)], at: usize) {
        self.span = Some(PastedSpan::Rest);
        // The headers of a mail are no passage yet.
        let headers = lines[at..].iter().take_while(|(line, _)| is_mail_header(line.trim())).count();
        self.span_start = Some(at + headers.saturating_sub(1));
        self.is_bounded = lines[..at].iter().any(|(line, _)| is_request(line));
    }

    /// Opens a passage below a lead, or within its line; the lead itself is the author's.
    fn read_lead(&mut self, lines: &[(&str, bool)], at: usize) {
        let line = lines[at].0.trim_end();
        let trimmed = line.trim();
        // Quotation marks and fences show themselves where the passage ends.
        let next = lines[at + 1..].iter().find(|(line, _)| !line.trim().is_empty());
        let is_marked = next.is_some_and(|(line, is_fenced)| {
            let text = line.trim();
            *is_fenced
                || is_quoted(text)
                || is_machine_line(line)
                || text.starts_with(['"', '“', '「', '|'])
                || rule_of(text).is_some()
        });
        let is_only_line = lines.iter().filter(|(line, _)| !line.trim().is_empty()).count() == 1;
        if let Some(end) = inline_passage(line).or_else(|| text_behind_request(line, is_only_line)) {
            if !line[end..].trim_start().starts_with(['"', '“', '「', '\'', '‘', '`']) {
                self.inline_leads.push((at, end));
                // Below it, its author goes on with what they have to do with it, and asks.
                if next.is_some_and(|(line, _)| opens_with_author(line) && is_request(line)) {
                    return;
                }
                self.open_rest(lines, at);
                self.is_bounded = true;
            }
            return;
        }
        if self.opens_at.is_none() {
            self.opens_at = requested_passage(lines, at).filter(|_| !is_marked);
        }
        if self.opens_at.is_some() {
            return;
        }
        let lead = trimmed.strip_suffix([':', '：']).map(str::trim_end);
        let is_own = names_own_statement(trimmed);
        let span = pasted_after_lead(trimmed).or_else(|| {
            let leads = lead.is_some_and(is_source_lead)
                || lead.is_none() && is_first(lines, at) && (is_pointing_lead(trimmed) || is_origin_lead(lines, at));
            (leads && !is_own).then_some(LeadReach::Rest)
        });
        match span.filter(|_| next.is_some() && !is_marked) {
            Some(LeadReach::Rest) => {
                self.open_rest(lines, at);
                self.is_bounded |= is_request(trimmed.trim_end_matches([':', '：'])) || leads_and_asks(trimmed);
            }
            Some(LeadReach::Paragraph) => self.span = Some(PastedSpan::Paragraph),
            None => {}
        }
    }
}

/// The marks around comments that may have several lines.
const COMMENTS: [(&str, &str); 2] = [("<!--", "-->"), ("/*", "*/")];

fn is_quoted(trimmed: &str) -> bool {
    trimmed.starts_with(['>', '＞'])
}

/// A line with four columns of indent below a blank line or other code; not the text of a list item.
fn is_indented_code(lines: &[(&str, bool)], at: usize) -> bool {
    let is_indented = |line: &str| (line.starts_with("    ") || line.starts_with('\t')) && !line.trim().is_empty();
    if !is_indented(lines[at].0) {
        return false;
    }
    let above = lines[..at].iter().rev().map(|(line, _)| *line);
    let mut above = above.skip_while(|line| is_indented(line)).peekable();
    let is_apart = above.peek().is_some_and(|line| line.trim().is_empty() || line.trim().ends_with(':'));
    let is_item = |line: &str| {
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        line.starts_with(['-', '*', '+']) || digits.len() < line.len() && digits.starts_with(['.', ')'])
    };
    is_apart && above.map(str::trim).find(|line| !line.is_empty()).is_some_and(|line| !is_item(line))
}

/// An indented comment in source code.
fn is_source_comment(line: &str) -> bool {
    line.starts_with([' ', '\t']) && ["# ", "// ", "-- "].iter().any(|mark| line.trim_start().starts_with(mark))
}

/// Whether a line is pasted, or introduces something pasted.
fn pasted_from(line: &str, next: Option<&str>) -> Option<PastedSpan> {
    let lower = line.to_lowercase();
    if lower.chars().count() < 60 && FORWARD_MARKS.iter().any(|mark| lower.contains(mark)) && has_rule(line) {
        return Some(PastedSpan::Rest);
    }
    let is_mail = is_mail_header(line) && next.is_some_and(|next| header_value(next).is_some());
    if is_mail || is_file_rule(line) || is_prompt(line) || is_model_markup(line) {
        return Some(PastedSpan::Rest);
    }
    if is_chat_line(line) || line.starts_with("Traceback (") || line.starts_with("【转发】") {
        return Some(PastedSpan::Paragraph);
    }
    (is_dialogue_line(line) && next.is_some_and(is_dialogue_line)).then_some(PastedSpan::Rest)
}

/// Whether a line is one of a dialogue: `Interviewer: text`.
fn is_dialogue_line(line: &str) -> bool {
    line.split_once([':', '：']).is_some_and(|(name, _)| DIALOGUE_NAMES.contains(&name.trim().to_lowercase()))
}

/// `<|im_start|>user`, `[INST] …`, `### Human:`: the marks of a model's prompt.
fn is_model_markup(line: &str) -> bool {
    let is_role = |rest: &str| {
        ["human:", "user:", "assistant:", "instruction:", "system:", "response:", "input:"]
            .contains(&rest.trim().to_lowercase().as_str())
    };
    line.contains("<|") && line.contains("|>")
        || ["[INST]", "<<SYS>>", "<s>["].iter().any(|mark| line.starts_with(mark))
        || line.strip_prefix("### ").is_some_and(is_role)
}

/// A header of a mail that is not from the author to the assistant.
fn is_mail_header(line: &str) -> bool {
    header_value(line).is_some_and(|value| !matches!(value.as_str(), "me" | "you" | "我" | "你"))
}

/// The value of a header of a mail, in lower case.
fn header_value(line: &str) -> Option<String> {
    let (name, value) = line.split_once([':', '：'])?;
    MAIL_HEADERS.contains(&name.trim_matches(['*', ' ']).to_lowercase()).then(|| value.trim().to_lowercase())
}

/// Whether a line has at least three equal marks of a rule at its start.
fn has_rule(line: &str) -> bool {
    let Some(mark) = line.chars().next().filter(|c| matches!(c, '-' | '=' | '*' | '#' | '_')) else {
        return line.to_lowercase().starts_with("begin");
    };
    line.chars().take_while(|c| *c == mark).count() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pasted_is_not_the_authors() {
        for pasted in [
            "```\nFACT\n```",
            "~~~text\nFACT\n~~~",
            "> FACT\n>> and more",
            "From: Dana <dana@example.org>\nSubject: setup\n\nFACT",
            "发件人：丹娜\n主题：设置\n\nFACT",
            "From: Dana\nTo: me\nSubject: setup\n\nFACT",
            "<工单>\n提交人：丹娜\nFACT\n</工单>",
            "【工单开始】\nFACT\n【工单结束】",
            "\"\"\"\nNotes.\n\nFACT\n\"\"\"\ndef run(): ...",
            "3be1 FACT\n77fa fix typo",
            "9f31c2a FACT\n10ab77e fix typo",
            "---------- Forwarded message ---------\nFrom: Ola\n\nFACT",
            "-------- 转发邮件 --------\n\nFACT",
            "Dana wrote:\nFACT",
            "李雷 于2026年2月9日写道：\nFACT",
            "<!-- FACT -->",
            "/* one\nFACT */",
            "def f():\n    # FACT",
            "Contents of https://example.org/page:\n\nFACT",
            "https://example.org/page 的内容：\n\nFACT",
            "--- notes/setup.md ---\nFACT",
            "==> notes.md <==\nFACT",
            "diff --git a/N b/N\n+FACT",
            "$ cat notes.txt\nFACT",
            "[10:02] Dana: FACT\n[10:03] me: ok",
            "[10:02] 丹娜：FACT",
            "Dana  10:02 AM\nFACT",
            "It printed this:\n\n    FACT",
            "Translate this into German: FACT",
            "把这句译成英文：FACT",
            "Interviewer: What is it?\nGuest: FACT",
            "Traceback (most recent call last):\nError: FACT",
            "2026-02-11 08:12:44 INFO FACT",
            "{\"bio\": \"FACT\", \"id\": 7}",
            "name,tool,note\nAnn,Figma,FACT",
            "SELECT 'FACT' AS note;",
            "同事写的：\n\nFACT",
            "Can you summarise this letter?\n\nFACT",
            "请翻译这段文字。\n\nFACT",
            "Hi Kim,\n\nFACT\n\nKind regards\nLee",
            "尊敬的王女士：\n\nFACT\n\n此致\n敬礼\n李雷",
            "tool;shell\nvim;FACT\ned;sh",
            "| tool | note |\n|:--|---|\n| vim | FACT |",
            "12\n00:01.000 --> 00:04.000\nFACT",
            "Kim: Are you there?\nLee: FACT\nKim: Good.",
            "小明：在吗？\n小红：FACT\n小明：好的。",
            "<note><p>FACT</p></note>",
            "<!DOCTYPE x>\n<p>FACT</p>",
            "Text from the scan:\n\nFACT",
            "会议录音转写：\nFACT",
            "user:\n  hobby: FACT\n  age: 7",
            "{\n  \"id\": 7,\n  \"bio\": \"FACT\"\n}",
            "[user]\nhobby = FACT\nage = 7",
            "HOBBY=FACT\nAGE=7",
            "commit 0a1b2c3d4e\nAuthor: Kim\n\n    FACT",
            "@@ -1,2 +1,3 @@\n # Me\n+FACT",
            "Kim — Today at 10:41\nFACT",
            "[12/02/26, 10:41:02] Kim: FACT",
            "12/02/2026, 10:41 - Kim: FACT",
            "Kim, [3 Feb 2026 at 10:41]:\nFACT",
            "@kim · 3h\nFACT",
        ] {
            let message = format!("Look at this.\n\n{pasted}\n");
            let own = MessageParts::of(&message).own;
            assert!(own.starts_with("Look at this.") && !own.contains("FACT"), "{pasted:?}: {own:?}");
        }
    }

    #[test]
    fn what_the_author_wrote_stays() {
        for own in [
            "I use Bun.",
            "Some things about me:\n- I use Bun\n    - and Deno\n",
            "I wrote:\nI use Bun.",
            "I call it \"the red button\". I use Bun.",
            "Tools, shells, editors: I use Bun.\nOthers, like ed, vi, nano: no.",
            "As I said:\nI use Bun.",
            "之前我说：\n我用Bun。",
            "My rules: tests first. I use Bun.",
            "The meeting is at 10:30.\nI use Bun.",
            "a\n\n---\n\nI use Bun.",
            "Date: Monday\nI use Bun.",
            "Remember this:\nI use Bun.",
            "1. first\n\n    I use Bun.",
            "Any feedback?\n\nThe team: I use Bun",
            "I wrote `make dist` into our release notes.",
            "Hello,\n\nI use Bun.\n\nThanks!\nKim",
            "City: Rome\nShell: zsh\nRuntime: I use Bun.",
            "I use Bun.\nPlease fix this.",
            "<b>I use Bun</b>, not Deno.",
            "a, b and c\nI use Bun, mostly\nd, e and f",
            "Explain this error.\nI use Bun.",
            "城市：罗马\n编辑器：我用Bun\n外壳：zsh",
            "Tools:\n- editor: vim\n- runtime: I use Bun.",
            "I meet Ana today at 10:41\nI use Bun.",
            "On 12/02/2026 I said that I use Bun.",
            "x = 1 and I use Bun.",
            "I use Bun · Deno is fine, too.",
            "added I use Bun.\nfaded ink",
            "<背景>\n我用Bun。\n</背景>",
            "that shop says this, and\n\nI use Bun.",
        ] {
            assert_eq!(MessageParts::of(own).own, own);
        }
        for (message, own) in [
            ("```\na\n```\nI use Bun.", "I use Bun."),
            ("Dana wrote:\nno tabs\n\nI use Bun.", "Dana wrote:\nI use Bun."),
            ("I use Bun. The log says:\n\n2026-02-11 08:12 disk full", "I use Bun. The log says:\n\n"),
            ("Here is Dana's mail:\n\n> no tabs\n\nI use Bun.", "Here is Dana's mail:\n\n\nI use Bun."),
            ("The ticket says \"no tabs in any file\". I use Bun.", "The ticket says …. I use Bun."),
            ("工单里写着“我的店开在有赞上”。我用Bun。", "工单里写着…。我用Bun。"),
            ("[10:02] Dana: no tabs\n\nI use Bun.", "I use Bun."),
            ("Lunch at 12:30\nI use Bun.", "Lunch at 12:30\nI use Bun."),
        ] {
            assert_eq!(MessageParts::of(message).own, own, "{message:?}");
        }
    }
}
