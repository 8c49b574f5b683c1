//! Renders manual pages as plain text, for terminals without `man` and for agents.
//!
//! Never reads any roff but that of our own pages: a request or an escape that they lack is not known.

/// The width of the text in columns.
const WIDTH: usize = 80;
/// How far the text below a heading, and that of a term below it, is indented.
const INDENT: usize = 4;
/// How fonts and characters are written in the pages, and as text. The last one is the backslash itself.
const ESCAPES: [(&str, &str); 9] = [
    ("\\fB", ""),
    ("\\fI", ""),
    ("\\fR", ""),
    ("\\-", "-"),
    ("\\&", ""),
    ("\\*(Aq", "'"),
    ("\\(aq", "'"),
    ("\\(bu", "•"),
    ("\\e", "\\"),
];

/// A manual page as text of at most 80 columns, but for words and examples that are longer.
pub fn roff_to_text(roff: &str) -> String {
    let mut text = PageText { indent: INDENT, ..PageText::default() };
    let mut lines = roff.lines();
    while let Some(line) = lines.next() {
        let (request, argument) = match line.strip_prefix('.') {
            Some(request) => request.split_once(' ').unwrap_or((request, "")),
            None => {
                text.push_line(&unescape(line));
                continue;
            }
        };
        text.end_paragraph();
        match request {
            "SH" => {
                text.start_block(0);
                text.out.push_str(&unescape(argument.trim_matches('"')));
                text.out.push('\n');
                text.indent = INDENT;
            }
            "TP" => {
                text.start_block(text.outer + INDENT);
                text.push_line(&unescape(lines.next().unwrap_or_default()));
                text.end_paragraph();
                text.indent = text.outer + 2 * INDENT;
            }
            // An item of a list: its marker is in the line of its text.
            "IP" => text.push_line(&unescape(argument.split(' ').next().unwrap_or_default())),
            "RS" => text.outer += INDENT,
            "RE" => text.outer = text.outer.saturating_sub(INDENT),
            "PP" => text.start_block(text.outer + INDENT),
            "EX" => text.is_example = true,
            "EE" => text.is_example = false,
            // Settings of the formatter, and `.br`, which only ends a line.
            _ => {}
        }
    }
    text.end_paragraph();
    text.out
}

/// A page as far as it is rendered.
#[derive(Default)]
struct PageText {
    out: String,
    paragraph: String,
    indent: usize,
    /// By how much the part between `.RS` and `.RE` is indented.
    outer: usize,
    is_example: bool,
}

impl PageText {
    fn push_line(&mut self, line: &str) {
        if self.is_example {
            self.out.push_str(format!("{:1$}{line}", "", self.indent + INDENT).trim_end());
            self.out.push('\n');
            return;
        }
        if !self.paragraph.is_empty() {
            self.paragraph.push(' ');
        }
        self.paragraph.push_str(line);
    }

    /// Leaves a line empty and sets the indentation.
    fn start_block(&mut self, indent: usize) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self.indent = indent;
    }

    /// Breaks the paragraph into lines.
    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        let mut width = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            match width {
                0 => self.out.extend(std::iter::repeat_n(' ', self.indent)),
                _ if self.indent + width + 1 + length > WIDTH => {
                    self.out.push('\n');
                    self.out.extend(std::iter::repeat_n(' ', self.indent));
                    width = 0;
                }
                _ => {
                    self.out.push(' ');
                    width += 1;
                }
            }
            self.out.push_str(word);
            width += length;
        }
        if width > 0 {
            self.out.push('\n');
        }
    }
}

fn unescape(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = ESCAPES.iter().find_map(|(escape, text)| Some((rest.strip_prefix(escape)?, *text)));
        let (after, text) = known.unwrap_or((&rest[1..], "\\"));
        out.push_str(text);
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_text() {
        let roff = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n.TH memdir-x 1  memdir memdir\n.SH NAME\nmemdir\\-x \\- Does x\n\
                    .SH \"CHANGE OPTIONS\"\n.TP\n\\fB\\-n\\fR, \\fB\\-\\-dry\\-run\\fR\nShow the user\\*(Aqs change\nand write nothing\n\
                    .PP\nThe path C:\\e and\n\\&.memdir\n.PP\n.EX\nmemdir  x\n.EE\n.RS\n.IP \\(bu 2\none\n.RE\n";
        let text = "NAME\n    memdir-x - Does x\n\nCHANGE OPTIONS\n\n    -n, --dry-run\n        Show the user's change and write nothing\n\n    \
                    The path C:\\ and .memdir\n\n        memdir  x\n    • one\n";
        assert_eq!(roff_to_text(roff), text);
    }

    #[test]
    fn lines_are_broken_at_words() {
        let words = "word ".repeat(40);
        let text = roff_to_text(&format!(".SH NAME\n{words}\n"));
        assert!(text.lines().all(|line| line.len() <= WIDTH) && text.lines().count() == 4, "{text}");
        assert_eq!(text.split_whitespace().filter(|word| *word == "word").count(), 40);
    }
}
