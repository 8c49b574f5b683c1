//! The newest entries of the episodes, each with its own summary.
//!
//! Never reads a file: documents come as values.

use jiff::civil::Date;

use super::frame;
use super::gate::Gate;
use super::notes::Lengths;
use crate::policy::Policy;
use crate::view::outline::field;
use crate::view::query::count::Found;
use crate::view::query::facts::About;
use crate::view::query::items::Sort;
use crate::view::query::known::Known;

/// The most tokens of an entry's title and summary.
const MOST: usize = 40;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its address.
    pub address: String,
    /// When it is from.
    pub day: Option<Date>,
    /// Its title and its own summary, on one line and harmless.
    pub text: String,
}

impl Entry {
    /// Its line: `- 2026-02-24 Short ID: UUID → 16-char hex (episodes/2026-02.md#short-id)`.
    pub fn line(&self) -> String {
        let day = self.day.map_or(String::new(), |day| format!("{day} "));
        format!("- {day}{} ({})", frame::cut(&self.text, MOST), self.address)
    }
}

/// The entries of episode files, newest first; of one day the later one in its file.
pub fn entries(files: &[Found], policy: &Policy, gate: &Gate) -> Vec<Entry> {
    let known = Known::default();
    let mut all = Vec::new();
    for found in files {
        let about = About::new(found, &known);
        for item in (0..found.items.len()).rev() {
            if found.items[item].sort == Sort::Entry && gate.item(&about, item) {
                let own = if policy.categories.is_empty() { Vec::new() } else { about.categories(item) };
                let bounded = (0..policy.categories.len())
                    .filter(|n| policy.categories[*n].rag_length.is_some())
                    .filter(|n| own.contains(&policy.categories[*n].name.to_lowercase()))
                    .collect::<Vec<_>>();
                all.push((entry(&about, item), bounded));
            }
        }
    }
    all.sort_by_key(|(entry, _)| std::cmp::Reverse(entry.day));
    let mut lengths = Lengths::new(policy);
    all.retain(|(_, bounded)| lengths.takes(bounded, false));
    all.into_iter().map(|(entry, _)| entry).collect()
}

fn entry(about: &About<'_>, item: usize) -> Entry {
    let found = about.found;
    Entry {
        address: frame::line(&super::address(found, item)),
        day: about.moment(item).map(|m| m.day),
        text: frame::line(&titled(found, item)),
    }
}

/// An entry's title, with its own summary behind it.
pub fn titled(found: &Found, item: usize) -> String {
    let title = super::text(found, item);
    match field(&found.document, found.items[item].section as usize, "Summary") {
        Some(summary) if !summary.is_empty() => format!("{title}: {summary}"),
        _ => title,
    }
}
