//! Findings about bullets that age has left little confidence, or whose last valid day is over.
//!
//! Never decides whether such a bullet is still true: the commands to try are for both answers.

use super::{LineIndex, finding};
use crate::code::{Code, SuggestedCommand};
use crate::commands::Session;
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::document::Document;
use crate::path::MemoryPath;
use crate::view::query::query_row::ConfidenceNote;
use crate::view::staleness::{StaleReason, stale_bullets};

/// The stale bullets of a file, each with its dates and the commands that confirm or remove it.
pub fn stale_findings(
    session: &Session,
    path: &MemoryPath,
    document: &Document,
    level: FindingLevel,
) -> Vec<CheckFinding> {
    let lines = LineIndex::of(document.text());
    let as_finding = |(bullet, reason): (usize, StaleReason)| {
        let line = lines.line(document.bullets()[bullet].line_start as usize);
        let name = document.handle_name(bullet);
        let address = format!("{path}{}", document.bullet_reference(bullet));
        let remove = SuggestedCommand::new("rm", address.clone());
        let (code, text, suggestions) = match reason {
            StaleReason::Expired(last) => {
                (Code::Expired, format!("@{name} has expired: {last} was its last day"), vec![remove])
            }
            StaleReason::Decayed(confidence) => {
                let confirm =
                    SuggestedCommand { subcommand: vec!["set"], operands: vec![address, "upd=today".to_owned()] };
                let note = ConfidenceNote::of(confidence).line();
                (Code::Stale, format!("@{name}: {note}"), vec![confirm, remove])
            }
        };
        CheckFinding { suggestions, ..finding(path, line, 1, code, level, text) }
    };
    let (decay, today) = (session.policy.policy.decay, session.now.date());
    stale_bullets(document, path, decay, today).into_iter().map(as_finding).collect()
}
