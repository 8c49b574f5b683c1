//! The rules for texts that a model writes, and what it may read.
//!
//! Never decides which items a model may remove.

use anyhow::anyhow;

use super::super::Session;
use crate::reflect::compaction::CompactionRules;
use crate::reflect::guards::{self, OtherText};
use crate::reflect::judge;
use crate::text::secrets;

/// The rules of the session's policy.
pub(super) fn compaction_rules(session: &Session) -> CompactionRules<'_> {
    let policy = &session.policy.policy;
    CompactionRules { max_chars: policy.max_chars, sensitive: &policy.sensitive, check: &check_text }
}

/// Text without secrets, as it may be sent to a model.
pub(super) fn redact_secrets(text: &str) -> String {
    secrets::redact(text).0
}

/// Checks a text written by a model, apart from its length, line by line. It restates what people wrote, so the style
/// rules do not apply.
fn check_text(text: &str) -> anyhow::Result<()> {
    let rules = guards::WritingRules { max_chars: usize::MAX, sensitive: Vec::new(), benign: Vec::new() };
    let mut findings: Vec<guards::GuardFinding> =
        text.lines().flat_map(|line| guards::check_text(line, guards::MemoryKind::Fact, &rules)).collect();
    findings.retain(|f| f.violation.concerns(OtherText::Compaction));
    if findings.is_empty() { Ok(()) } else { Err(anyhow!(judge::describe_findings(&findings))) }
}
