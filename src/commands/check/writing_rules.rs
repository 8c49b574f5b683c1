//! `check --writing`: applies the writing rules of `reflect` to the existing bullets.
//!
//! Never checks evidence: no conversation is available. Only facts and episodes are checked; procedures are written as
//! instructions, which the rules would refuse.

use super::{PlaceCursor, finding};
use crate::code::Code;
use crate::commands::Session;
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::document::Document;
use crate::document::related_edge::stating_bullets;
use crate::document::summary::FileKind;
use crate::operation::file_change::file_kind;
use crate::path::MemoryPath;
use crate::reflect::guards::{self, MemoryKind, Violation, WritingRules};

/// The rule violations, each at the position of the offending words if they occur literally, else at the bullet's first
/// character.
pub fn writing_findings(session: &Session, path: &MemoryPath, document: &Document) -> Vec<CheckFinding> {
    let text_kind = match file_kind(path) {
        FileKind::Facts => MemoryKind::Fact,
        FileKind::Episodes => MemoryKind::Episode,
        FileKind::Other => return Vec::new(),
    };
    let rules = WritingRules { benign: Vec::new(), ..session.writing_rules() };
    let mut out = Vec::new();
    let mut places = PlaceCursor::new(document.text());
    for i in stating_bullets(document) {
        let start = document.bullets()[i].text_start as usize;
        for found in guards::check_text(&document.bullet_text(i), text_kind, &rules) {
            let within = document.bullet_raw(i).find(&found.excerpt).filter(|_| !found.excerpt.is_empty());
            let (line, col) = match within {
                Some(within) => below(places.at(start), &document.text()[start..start + within]),
                None => places.at(start),
            };
            out.push(finding(
                path,
                line,
                col,
                Code::Writing,
                FindingLevel::Warning,
                violation_message(found.violation, &found.excerpt),
            ));
        }
    }
    out
}

/// The line and column behind a text that starts at this line and column.
fn below((line, col): (usize, usize), text: &str) -> (usize, usize) {
    match text.rsplit_once('\n') {
        Some((above, last)) => (line + above.matches('\n').count() + 1, last.chars().count() + 1),
        None => (line, col + text.chars().count()),
    }
}

/// The message of a violation, e.g. `relative_date: 'yesterday'. Write dates in full …`.
fn violation_message(violation: Violation, what: &str) -> String {
    let words = if what.is_empty() { String::new() } else { format!(": '{what}'") };
    format!("{}{words}. {}", violation.name(), violation.rule().trim_end_matches('.'))
}
