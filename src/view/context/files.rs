//! The index: files with their summaries; the most recently changed first, if not all fit.
//!
//! Never opens a file: summaries are arguments.

use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::civil::Date;

use super::sanitize;
use crate::path::MemoryPath;
use crate::text::dates::find_dates;
use crate::text::format_size;

/// The maximum length of a summary in tokens.
const MAX_SUMMARY_TOKENS: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    pub path: MemoryPath,
    /// The size in bytes.
    pub size: u64,
    /// Empty if the file has none.
    pub summary: String,
}

impl IndexedFile {
    /// Its line without its size, which changes with every change.
    pub fn stable_line(&self) -> String {
        let path = sanitize::sanitize_line(self.path.as_str());
        match sanitize::sanitize_line(&self.summary) {
            none if none.is_empty() => format!("- {path}"),
            summary => format!("- {path}: {}", sanitize::truncate(&summary, MAX_SUMMARY_TOKENS)),
        }
    }

    /// Its line: `- facts/user.md (320B): user name, language, role`.
    pub fn line(&self) -> String {
        let path = sanitize::sanitize_line(self.path.as_str());
        match sanitize::sanitize_line(&self.summary) {
            none if none.is_empty() => format!("- {path} ({})", format_size(self.size)),
            summary => {
                format!("- {path} ({}): {}", format_size(self.size), sanitize::truncate(&summary, MAX_SUMMARY_TOKENS))
            }
        }
    }
}

/// Sorts files, given in path order, by value: first those that memdir wrote last, then episodes (newest first) and
/// facts in turn, then the rest. `written` holds the last revision that wrote each file.
pub fn sort_by_value(files: &mut Vec<IndexedFile>, written: &HashMap<&MemoryPath, u64>) {
    let mut episodes: Vec<(Reverse<Option<Date>>, usize)> = Vec::new();
    let mut turns: Vec<usize> = vec![usize::MAX; files.len()];
    let mut facts = 0usize;
    for (n, file) in files.iter().enumerate() {
        match file.path.folder() {
            _ if file.path.holds_episodes() => episodes.push((Reverse(date_in_name(&file.path)), n)),
            Some("facts") => {
                // Three facts files between two episode files: `facts.div_ceil(3)` leaves a slot for each episode file.
                facts += 1;
                turns[n] = facts + facts.div_ceil(3);
            }
            _ => {}
        }
    }
    episodes.sort_unstable();
    episodes.iter().enumerate().for_each(|(age, (_, n))| turns[*n] = 1 + 4 * age);
    let revision = |file: &IndexedFile| written.get(&file.path).copied();
    let mut order: Vec<(Reverse<Option<u64>>, usize, usize)> =
        files.iter().enumerate().map(|(n, file)| (Reverse(revision(file)), turns[n], n)).collect();
    order.sort_unstable();
    let mut all: Vec<Option<IndexedFile>> = files.drain(..).map(Some).collect();
    files.extend(order.into_iter().filter_map(|(.., n)| all[n].take()));
}

/// The date in a file's name: `2026-02`, `2026-W07`.
pub fn date_in_name(path: &MemoryPath) -> Option<Date> {
    let week = |stem: &str| {
        let (year, week) = stem.split_once("-W")?;
        let (year, week) = (year.parse().ok()?, week.parse().ok()?);
        Some(jiff::civil::ISOWeekDate::new(year, week, jiff::civil::Weekday::Monday).ok()?.date())
    };
    week(path.stem()).or_else(|| find_dates(path.stem(), None).first().and_then(|date| date.first_day()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_last_comes_first_then_new_episodes_and_facts() {
        let listed = |path: &str| IndexedFile { path: MemoryPath::new(path).unwrap(), size: 1, summary: String::new() };
        let names = ["a.md", "episodes/2026-01.md", "episodes/2026-02.md", "facts/a.md", "facts/b.md", "facts/c.md"];
        let mut files: Vec<IndexedFile> = names.iter().map(|n| listed(n)).collect();
        let written = MemoryPath::new("facts/c.md").unwrap();
        sort_by_value(&mut files, &HashMap::from([(&written, 7)]));
        let order: Vec<&str> = files.iter().map(|f| f.path.as_str()).collect();
        let expected = ["facts/c.md", "episodes/2026-02.md", "facts/a.md", "facts/b.md", "episodes/2026-01.md", "a.md"];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_line_has_path_and_size_and_summary() {
        let path = MemoryPath::new("facts/user.md").unwrap();
        let file = IndexedFile { path, size: 320, summary: "user name, language, role".into() };
        assert_eq!(file.line(), "- facts/user.md (320B): user name, language, role");
        let hostile = IndexedFile { summary: "x\n\n# y".into(), ..file };
        assert_eq!(hostile.line(), "- facts/user.md (320B): x # y");
    }
}
