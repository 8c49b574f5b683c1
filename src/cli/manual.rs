//! Renders the manual pages memdir-format(5) and memdir-durability(7), and sections of memdir(1), from markdown files.
//!
//! Never repeats the error codes by hand: they come from `Code::ALL`.

use std::fmt::Write;

use crate::code::Code;
use crate::document::MetaKey;

/// The page memdir-format(5) in roff.
pub fn format_page() -> String {
    let mut out = String::from(".TH memdir-format 5 \"\" \"memdir\" \"memdir\"\n");
    push_roff(&mut out, &include_str!("format.md").replace("{metadata keys}", &metadata_keys()));
    out.push_str(".SH CODES\nThe exit status is that of the first error; codes with exit 0 are warnings.\n");
    for code in Code::ALL {
        let retry = if code.retryable() { " Retryable." } else { "" };
        let _ = write!(out, ".TP\n\\fB{}\\fR (exit {})\n", code.name(), code.exit());
        push_roff_line(&mut out, &format!("{}{retry}", code.meaning()));
    }
    out
}

/// The page memdir-durability(7) in roff.
pub fn durability_page() -> String {
    let mut out = String::from(".TH memdir-durability 7 \"\" \"memdir\" \"memdir\"\n");
    push_roff(&mut out, include_str!("durability.md"));
    out
}

/// The sections of memdir(1) that no grammar contains: exit status, environment, files and examples.
pub fn program_sections() -> String {
    let mut out = String::new();
    push_roff(&mut out, include_str!("memdir.md"));
    out
}

/// The documented metadata keys as a markdown list, one line each.
fn metadata_keys() -> String {
    let line = |key: &MetaKey| format!("- {}: {}; {}", key.name(), key.spec().manual, key.spec().value.describe());
    MetaKey::ALL.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Converts the subset of markdown that the pages use: `# H`, paragraphs, `- term: text`, indented code.
fn push_roff(out: &mut String, markdown: &str) {
    let mut in_code = false;
    for text in markdown.lines() {
        let indented = text.strip_prefix("    ");
        if in_code && indented.is_none() {
            out.push_str(".EE\n");
            in_code = false;
        }
        if let Some(text) = indented {
            if !in_code {
                out.push_str(".PP\n.EX\n");
                in_code = true;
            }
            push_roff_line(out, text);
        } else if let Some(title) = text.strip_prefix("# ") {
            let _ = writeln!(out, ".SH {}", title.to_uppercase());
        } else if let Some((term, description)) = text.strip_prefix("- ").and_then(|t| t.split_once(": ")) {
            out.push_str(".TP\n\\fB");
            push_roff_line(out, &format!("{term}\u{0}"));
            push_roff_line(out, description);
        } else if text.is_empty() {
            out.push_str(".PP\n");
        } else {
            push_roff_line(out, text);
        }
    }
    if in_code {
        out.push_str(".EE\n");
    }
}

fn push_roff_line(out: &mut String, text: &str) {
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
        let page = format_page();
        for code in Code::ALL {
            assert!(page.contains(&format!("\\fB{}\\fR (exit {})", code.name(), code.exit())), "{}", code.name());
        }
    }

    #[test]
    fn the_page_of_the_program_lists_every_exit_status() {
        let page = program_sections();
        for code in Code::ALL {
            assert!(page.contains(&format!("\\fB{}\\fR\n", code.exit())), "{}", code.name());
        }
    }

    #[test]
    fn markdown_becomes_roff() {
        let mut out = String::new();
        push_roff(&mut out, "# Files\nplain -x\n\n- a=b: why\n    .code\n");
        assert_eq!(out, ".SH FILES\nplain \\-x\n.PP\n.TP\n\\fBa=b\\fR\nwhy\n.PP\n.EX\n\\&.code\n.EE\n");
    }
}
