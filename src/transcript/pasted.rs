//! Finds what the author of a message pasted rather than wrote: code fences, quoted and indented lines, comments, mails,
//! files, output, chats.
//!
//! Never decides what becomes of them. Where the end of a pasted passage cannot be seen, it is the end of the message.

use super::fences::lines_with_fences;
use super::pasted_blocks::{
    is_block_line, is_git_head, is_letter_start, is_message_head, is_said_in_chat, is_subtitle_time,
};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

const MAIL_HEADERS: WordList = word_list!("transcript/mail_headers.txt");
const FORWARD_MARKS: PhraseList = phrase_list!("transcript/forward_marks.txt");
const PASTE_LEADS: PhraseList = phrase_list!("transcript/paste_leads.txt");
const PASTE_LEAD_ENDS: PhraseList = phrase_list!("transcript/paste_lead_ends.txt");
const ATTRIBUTIONS: PhraseList = phrase_list!("transcript/attributions.txt");
const TASK_LEADS: PhraseList = phrase_list!("transcript/task_leads.txt");
const TEXT_NOUNS: PhraseList = phrase_list!("transcript/text_nouns.txt");
const DIALOGUE_NAMES: WordList = word_list!("transcript/dialogue_names.txt");

/// The author in the first person: "I wrote:" leads to the author's own words.
const OWN_NAMES: [&str; 4] = ["i", "me", "we", "咱们"];
/// What makes a request polite, before its verb.
const POLITE_OPENINGS: [&str; 10] = [
    "please ",
    "can you ",
    "could you ",
    "would you ",
    "can you please ",
    "could you please ",
    "请",
    "能不能",
    "可以",
    "麻烦你",
];
/// A line above a pasted passage has at most so many words.
const MAX_LEAD_WORDS: usize = 12;

/// A quotation of so many words, or Chinese characters, is taken for another person's.
const MIN_QUOTED_WORDS: usize = 4;
const MIN_QUOTED_HAN: usize = 6;
/// The quotation marks that open and close.
const QUOTATION_MARKS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('「', '」'), ('«', '»')];

/// How far a pasted passage reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PastedSpan {
    /// The next lines up to a blank one.
    Paragraph,
    /// The rest of the message.
    Rest,
}

/// The lines of a message, each with whether it stands in a fence.
pub(super) type PastedLines<'t> = &'t [(&'t str, bool)];

/// A message, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageParts {
    /// The lines that its author wrote.
    pub own: String,
    /// The other lines.
    pub pasted: String,
}

impl MessageParts {
    /// Takes a message apart: every line goes to one of the parts, but a quotation in an own line goes to the other.
    pub fn of(text: &str) -> MessageParts {
        let lines: Vec<(&str, bool)> = lines_with_fences(text).map(|(_, line, fenced)| (line, fenced)).collect();
        let mut parts = MessageParts::default();
        let mut reader = PasteReader::default();
        for at in 0..lines.len() {
            match reader.is_pasted(&lines, at) {
                true => parts.pasted.push_str(lines[at].0),
                false => parts.push_own(lines[at].0),
            }
        }
        parts
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

/// The text before a long quotation, the quotation, and the text behind it.
fn next_quotation(line: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = line[from..].find(|c| QUOTATION_MARKS.iter().any(|(open, _)| *open == c)).map(|n| from + n) {
        let open = line[at..].chars().next()?;
        let start = at + open.len_utf8();
        let (_, close) = QUOTATION_MARKS.iter().find(|(mark, _)| *mark == open)?;
        let Some(end) = line[start..].find(*close).map(|n| start + n) else {
            from = start;
            continue;
        };
        let quotation = &line[start..end];
        let han = quotation.chars().filter(|c| is_unspaced(*c)).count();
        if quotation.split_whitespace().count() >= MIN_QUOTED_WORDS || han >= MIN_QUOTED_HAN {
            return Some((&line[..at], quotation, &line[end + close.len_utf8()..]));
        }
        from = end + close.len_utf8();
    }
    None
}

/// What is open while the lines of a message are read.
#[derive(Default)]
struct PasteReader {
    span: Option<PastedSpan>,
    /// Whether the open paragraph has a line with text.
    has_content: bool,
    is_comment: bool,
}

impl PasteReader {
    fn is_pasted(&mut self, lines: &[(&str, bool)], at: usize) -> bool {
        let (line, is_fenced) = lines[at];
        let trimmed = line.trim();
        if self.is_comment || COMMENTS.iter().any(|(open, _)| trimmed.starts_with(open)) {
            self.is_comment = !COMMENTS.iter().any(|(_, close)| trimmed.contains(close));
            return true;
        }
        match self.span {
            Some(PastedSpan::Rest) => return true,
            Some(PastedSpan::Paragraph) => {
                if trimmed.is_empty() && self.has_content {
                    self.span = None;
                }
                self.has_content |= !trimmed.is_empty();
                return true;
            }
            None => {}
        }
        if is_fenced || is_quoted(trimmed) || is_indented_code(lines, at) || is_source_comment(line) {
            return true;
        }
        let next = lines[at + 1..].iter().map(|(line, _)| line.trim()).find(|line| !line.is_empty());
        let beside = [at.checked_sub(1), Some(at + 1)].map(|n| lines.get(n?).map(|(line, _)| line.trim()));
        if is_log_line(trimmed) || is_statement(trimmed) || is_data_line(trimmed, beside) || is_block_line(lines, at) {
            return true;
        }
        if is_letter_start(lines, at) || is_git_head(trimmed) {
            self.span = Some(PastedSpan::Rest);
            return true;
        }
        if is_said_in_chat(lines, at) || is_subtitle_time(trimmed) || is_message_head(trimmed) {
            (self.span, self.has_content) = (Some(PastedSpan::Paragraph), true);
            return true;
        }
        self.span = pasted_from(trimmed, next);
        self.has_content = is_chat_line(trimmed);
        // Below the lead, quotation marks and fences show themselves where the passage ends.
        let is_marked = lines[at + 1..].iter().find(|(line, _)| !line.trim().is_empty());
        let is_marked = is_marked.is_some_and(|(line, is_fenced)| *is_fenced || is_quoted(line.trim()));
        if self.span.is_none() {
            self.span = pasted_after_lead(trimmed).filter(|_| !(is_marked && trimmed.ends_with([':', '：'])));
            // The line above a passage is the author's, unless the passage begins in it.
            return self.span.is_some() && !trimmed.ends_with([':', '：', '?', '.', '？', '。']);
        }
        true
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
    if is_mail_header(line) && next.is_some_and(is_mail_header) || is_file_rule(line) || is_prompt(line) {
        return Some(PastedSpan::Rest);
    }
    if is_chat_line(line) || line.starts_with("Traceback (") || line.starts_with("【转发】") {
        return Some(PastedSpan::Paragraph);
    }
    (is_dialogue_line(line) && next.is_some_and(is_dialogue_line)).then_some(PastedSpan::Rest)
}

/// Whether a line leads to something pasted: a request about it, or words about its origin.
fn pasted_after_lead(line: &str) -> Option<PastedSpan> {
    let lower = line.to_lowercase();
    let is_task = |request: &str| {
        let plain = POLITE_OPENINGS.iter().filter_map(|opening| request.strip_prefix(opening)).chain([request]);
        let is_short = request.split_whitespace().count() <= MAX_LEAD_WORDS;
        is_short && plain.into_iter().any(|plain| TASK_LEADS.iter().any(|task| plain.starts_with(task)))
    };
    let request = lower.split_once([':', '：']).map(|(request, _)| request);
    if request.is_some_and(is_task) {
        return Some(PastedSpan::Rest);
    }
    // "Can you summarise this mail?"
    if is_task(&lower) && lower.ends_with(['?', '.', '？', '。']) && TEXT_NOUNS.iter().any(|noun| lower.contains(noun))
    {
        return Some(PastedSpan::Paragraph);
    }
    let lead = lower.trim_end().strip_suffix([':', '：'])?.trim_end();
    if lead.split_whitespace().count() > MAX_LEAD_WORDS || lead.chars().count() > 80 {
        return None;
    }
    let starts = |phrase: &str| {
        lead.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let ends = |phrase: &str| {
        lead.strip_suffix(phrase).is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let names_author = |word: &str| OWN_NAMES.contains(&word) || word.contains('我');
    if ATTRIBUTIONS.iter().any(ends) && !lead.split(|c: char| !c.is_alphanumeric()).any(names_author) {
        return Some(PastedSpan::Paragraph);
    }
    (PASTE_LEADS.iter().any(starts) || PASTE_LEAD_ENDS.iter().any(ends)).then_some(PastedSpan::Rest)
}

/// `Interviewer: text`
fn is_dialogue_line(line: &str) -> bool {
    line.split_once([':', '：']).is_some_and(|(name, _)| DIALOGUE_NAMES.contains(&name.trim().to_lowercase()))
}

/// `2026-02-11 08:12:44 INFO text`, with or without brackets, and with `T` between date and time.
fn is_log_line(line: &str) -> bool {
    const LEVELS: [&str; 7] = ["ERROR ", "WARN ", "WARNING ", "INFO ", "DEBUG ", "FATAL ", "TRACE "];
    if LEVELS.iter().any(|level| line.starts_with(level)) {
        return true;
    }
    let shape: String =
        line.trim_start_matches('[').chars().take(16).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    matches!(shape.as_str(), "0000-00-00 00:00" | "0000-00-00T00:00" | "0000/00/00 00:00")
}

/// A statement of SQL.
fn is_statement(line: &str) -> bool {
    let low = line.to_lowercase();
    let is_query = ["select ", "delete from "].iter().any(|verb| low.starts_with(verb)) && low.contains(" from ");
    let upper = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "CREATE TABLE "];
    (is_query || upper.iter().any(|verb| line.starts_with(verb))) && line.contains([';', '*', '='])
}

/// An object of JSON on one line, or a row of values between commas beside another of as many.
fn is_data_line(line: &str, beside: [Option<&str>; 2]) -> bool {
    let is_object = line.starts_with(['{', '[']) && line.contains("\":");
    let commas = |line: &str| match line.contains(", ") || line.contains('，') {
        true => 0,
        false => line.matches(',').count(),
    };
    is_object || commas(line) >= 2 && beside.into_iter().flatten().any(|other| commas(other) == commas(line))
}

fn is_mail_header(line: &str) -> bool {
    let Some((name, _)) = line.split_once([':', '：']) else { return false };
    MAIL_HEADERS.contains(&name.trim_matches(['*', ' ']).to_lowercase())
}

/// Whether a line has at least three equal marks of a rule at its start.
fn has_rule(line: &str) -> bool {
    let Some(mark) = line.chars().next().filter(|c| matches!(c, '-' | '=' | '*' | '#' | '_')) else {
        return line.to_lowercase().starts_with("begin");
    };
    line.chars().take_while(|c| *c == mark).count() >= 3
}

/// `--- notes.md ---`, `==> notes.md <==`, `diff --git a/x b/x`: the name of a file above its text.
fn is_file_rule(line: &str) -> bool {
    let inner = line.trim_matches(['-', '=', '*', '<', '>', '+']);
    let has_both = line.len() - inner.len() >= 6 && inner.starts_with(' ') && inner.ends_with(' ');
    line.starts_with("diff --git ") || has_both && !inner.trim().is_empty()
}

/// `$ cat notes.md`: a command, with its output below.
fn is_prompt(line: &str) -> bool {
    let command = ["$ ", "❯ "].iter().find_map(|prompt| line.strip_prefix(prompt));
    command
        .is_some_and(|command| command.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '/' | '~')))
}

/// `[10:02] Dana: text`, `Dana  10:02 AM`: a line of a chat.
fn is_chat_line(line: &str) -> bool {
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
