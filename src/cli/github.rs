//! Annotations of GitHub Actions: `::warning file=…,line=…,col=…,title=…::message`, a workflow command on a line of its
//! own, which GitHub shows at that line of a pull request.
//!
//! Never lets a text end its command or begin another one: `%`, CR and LF are escaped as `%25`, `%0D` and `%0A`, in
//! properties also `:` and `,` as `%3A` and `%2C`, which is what the runner decodes
//! (<https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>, and `escapeData` and
//! `escapeProperty` in <https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts>).

use std::fmt::Write;

use super::sanitize;
use super::text::Printer;
use crate::commands::results::{CheckFinding, FindingLevel, WarningRow};

/// Appends the annotation of a finding. `prefix` turns its path into one from the root of the repository.
pub fn finding_annotation(printer: &mut Printer, prefix: &str, finding: &CheckFinding) {
    let mut properties = format!("file={}", escape_property(&format!("{prefix}{}", finding.path)));
    if finding.line > 0 {
        let _ = write!(properties, ",line={},col={}", finding.line, finding.col);
    }
    let mut message = sanitized(&finding.text);
    if finding.fixable {
        message.push_str(" (fixable with --fix)");
    }
    for command in finding.suggestions.iter().filter_map(|command| command.to_shell("")) {
        let _ = write!(message, "\ntry: {command}");
    }
    let kind = match finding.level {
        FindingLevel::Error => "error",
        FindingLevel::Warning => "warning",
        FindingLevel::Note => "notice",
    };
    let title = escape_property(finding.code);
    let _ = writeln!(printer.out, "::{kind} {properties},title={title}::{}", escape_data(&message));
}

/// Appends the annotation of a warning, which belongs to no file.
pub fn warning_annotation(out: &mut String, warning: &WarningRow) {
    let (title, message) = (escape_property(warning.code), escape_data(&sanitized(&warning.message)));
    let _ = writeln!(out, "::warning title={title}::{message}");
}

/// A text on one line, with control and invisible characters escaped.
fn sanitized(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    sanitize::escape_line(&mut out, text, true);
    out
}

fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::{OutputFormat, OutputLayout};
    use crate::code::SuggestedCommand;

    fn check(prefix: &str, finding: CheckFinding, expected: &str) {
        let format = OutputFormat::default();
        let mut printer =
            Printer { out: String::new(), err: String::new(), layout: OutputLayout::GitHub, format: &format };
        finding_annotation(&mut printer, prefix, &finding);
        assert_eq!(printer.out, expected);
        assert_eq!(printer.out.matches('\n').count(), 1);
    }

    fn finding(path: &str, text: &str) -> CheckFinding {
        let code = "dangling_link";
        CheckFinding {
            path: path.into(),
            line: 4,
            col: 2,
            level: FindingLevel::Warning,
            code,
            text: text.into(),
            ..Default::default()
        }
    }

    #[test]
    fn no_text_ends_its_command() {
        check(
            "memory/",
            finding("facts/a.md", "no file"),
            "::warning file=memory/facts/a.md,line=4,col=2,title=dangling_link::no file\n",
        );
        check(
            "",
            finding("a,line=1::error::b%0A\r\n.md", "100 %\r\n::error::x ::stop-commands::y"),
            "::warning file=a%2Cline=1%3A%3Aerror%3A%3Ab%250A%0D%0A.md,line=4,col=2,title=dangling_link::\
             100 %25\\r\\n::error::x ::stop-commands::y\n",
        );
    }

    #[test]
    fn a_finding_about_a_file_has_no_line_and_a_note_is_a_notice() {
        let whole = CheckFinding { line: 0, level: FindingLevel::Note, fixable: true, ..finding("a.md", "b") };
        check("", whole, "::notice file=a.md,title=dangling_link::b (fixable with --fix)\n");
        let hinted = CheckFinding {
            level: FindingLevel::Error,
            suggestions: vec![SuggestedCommand::new("rm", "a@b")],
            ..finding("a.md", "b")
        };
        check("", hinted, "::error file=a.md,line=4,col=2,title=dangling_link::b%0Atry: memdir rm a@b\n");
    }
}
