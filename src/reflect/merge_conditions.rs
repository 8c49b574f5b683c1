//! Which bullets may become one: only those that count for the same agents, and under the same metadata.
//!
//! Never compares what bullets say.

use std::ops::Range;

use crate::document::{BulletMeta, Document, MetaKey, Visibility};
use crate::path::MemoryPath;

/// Keys that say nothing about when or for what a bullet holds.
const NEUTRAL_KEYS: [MetaKey; 5] = [MetaKey::Id, MetaKey::Imp, MetaKey::Pin, MetaKey::Conf, MetaKey::Dur];

/// The metadata that limits when, where or for what a bullet holds, as `key=value`, sorted.
pub fn limiting_metadata(meta: &BulletMeta) -> Vec<String> {
    let limits = |key: &str| match MetaKey::from_name(key) {
        Some(key) => !key.is_automatic() && !NEUTRAL_KEYS.contains(&key),
        None => true,
    };
    let mut all: Vec<String> =
        meta.0.iter().filter(|(key, _)| limits(key)).map(|(key, value)| format!("{key}={value}")).collect();
    all.sort();
    all
}

/// The lines of a document that each agent with an allowlist may not see.
pub struct HiddenLines<'d> {
    text: &'d str,
    by_agent: Vec<Vec<Range<usize>>>,
}

impl<'d> HiddenLines<'d> {
    /// `agents` are those of [`Visibility::of_agents`].
    pub fn of(document: &'d Document, path: &MemoryPath, agents: &[Visibility]) -> HiddenLines<'d> {
        let by_agent = agents.iter().map(|agent| agent.hidden_ranges(document, path)).collect();
        HiddenLines { text: document.text(), by_agent }
    }

    /// The agents, by number, that may not see the lines of a range; `None` if one of them may see a part of it.
    pub fn agents_without(&self, range: &Range<usize>) -> Option<Vec<usize>> {
        let mut agents = Vec::new();
        for (number, hidden) in self.by_agent.iter().enumerate() {
            let is_hidden = |at: usize| hidden.iter().any(|range| range.contains(&at));
            let mut at = range.start;
            let (mut shown_lines, mut hidden_lines) = (0, 0);
            for line in self.text[range.clone()].split_inclusive('\n') {
                match is_hidden(at) {
                    _ if line.trim().is_empty() => {}
                    true => hidden_lines += 1,
                    false => shown_lines += 1,
                }
                at += line.len();
            }
            match (shown_lines, hidden_lines) {
                (_, 0) => {}
                (0, _) => agents.push(number),
                _ => return None,
            }
        }
        Some(agents)
    }
}

/// The conditions of a bullet in one text, which is equal for bullets that may become one.
pub fn conditions_text(metadata: &[String], agents_without: &[usize]) -> String {
    let hidden = agents_without.iter().map(|agent| format!("hidden:{agent}"));
    metadata.iter().cloned().chain(hidden).collect::<Vec<_>>().join(" ")
}
