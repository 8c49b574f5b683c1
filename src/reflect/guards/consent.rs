//! Fields that change only with consent, and whether the user gave it.
//!
//! Never asks: what is not agreed to waits in the inbox.

use super::Rules;
use crate::transcript::{Role, Turn};

/// The sensitive field that a text tells, by its label or a phrase of English or Chinese.
pub fn is_sensitive(text: &str, rules: &Rules) -> Option<String> {
    let low = text.to_lowercase();
    let label = low.split([':', '：']).next().unwrap_or_default().trim().replace(' ', "_");
    rules.sensitive.iter().find(|f| low.contains([':', '：']) && label == f.to_lowercase()).cloned()
}

/// Whether the user's own words agreed to have something remembered: a request in that turn, or a yes in it to the
/// assistant's question just before.
pub fn agreed(turns: &[Turn], at: usize) -> bool {
    let Some(turn) = turns.iter().find(|t| t.number == at && t.role == Role::User && !t.injected) else { return false };
    let low = turn.text.to_lowercase();
    ["remember", "save that", "记住", "记下"].iter().any(|p| low.contains(p))
}
