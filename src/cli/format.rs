//! The manual pages memdir-format(5) (files, policy keys, operations, answers, codes) and memdir-durability(7).
//!
//! Never says what the code does not: codes come from `Code::ALL`.

use std::fmt::Write;

use crate::code::Code;

/// The page in roff.
pub fn page() -> String {
    let mut out = String::from(".TH memdir-format 5 \"\" \"memdir\" \"memdir\"\n");
    roff(&mut out, include_str!("format.md"));
    out.push_str(".SH CODES\nThe exit status is the first code of a failure; 0 is a warning.\n");
    for code in Code::ALL {
        let retry = if code.retryable() { " Retryable." } else { "" };
        let _ = write!(out, ".TP\n\\fB{}\\fR (exit {})\n", code.name(), code.exit());
        line(&mut out, &format!("{}{retry}", code.meaning()));
    }
    out
}

/// The page about what becomes of files, in roff.
pub fn durability() -> String {
    let mut out = String::from(".TH memdir-durability 7 \"\" \"memdir\" \"memdir\"\n");
    roff(&mut out, include_str!("durability.md"));
    out
}

/// The small part of markdown that the page is written in: `# H`, paragraphs, `- term: text`, indented code.
fn roff(out: &mut String, markdown: &str) {
    let mut code = false;
    for text in markdown.lines() {
        let indented = text.strip_prefix("    ");
        if code && indented.is_none() {
            out.push_str(".EE\n");
            code = false;
        }
        if let Some(text) = indented {
            if !code {
                out.push_str(".PP\n.EX\n");
                code = true;
            }
            line(out, text);
        } else if let Some(title) = text.strip_prefix("# ") {
            let _ = writeln!(out, ".SH {}", title.to_uppercase());
        } else if let Some((term, about)) = text.strip_prefix("- ").and_then(|t| t.split_once(": ")) {
            out.push_str(".TP\n\\fB");
            line(out, &format!("{term}\u{0}"));
            line(out, about);
        } else if text.is_empty() {
            out.push_str(".PP\n");
        } else {
            line(out, text);
        }
    }
    if code {
        out.push_str(".EE\n");
    }
}

fn line(out: &mut String, text: &str) {
    if text.starts_with(['.', '\'']) {
        out.push_str("\\&");
    }
    out.push_str(&text.replace('\\', "\\e").replace('-', "\\-").replace('\0', "\\fR"));
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_lists_every_code() {
        let page = page();
        for code in Code::ALL {
            assert!(page.contains(&format!("\\fB{}\\fR (exit {})", code.name(), code.exit())), "{}", code.name());
        }
    }

    #[test]
    fn markdown_becomes_roff() {
        let mut out = String::new();
        roff(&mut out, "# Files\nplain -x\n\n- a=b: why\n    .code\n");
        assert_eq!(out, ".SH FILES\nplain \\-x\n.PP\n.TP\n\\fBa=b\\fR\nwhy\n.PP\n.EX\n\\&.code\n.EE\n");
    }
}
