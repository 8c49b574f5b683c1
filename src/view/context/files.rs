//! The index: the files with their summaries, those that changed last first when not all fit.
//!
//! Never opens a file: summaries come as values.

use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::civil::Date;

use super::frame;
use crate::path::MemoryPath;
use crate::text::dates::dates;
use crate::text::size;

/// The most tokens of a summary.
const MOST: usize = 40;

/// A file of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path.
    pub path: MemoryPath,
    /// Bytes.
    pub size: u64,
    /// Its summary; empty without one.
    pub summary: String,
}

impl Listed {
    /// Its line: `- facts/user.md (320B): user name, language, role`.
    pub fn line(&self) -> String {
        let path = frame::line(self.path.as_str());
        match frame::line(&self.summary) {
            none if none.is_empty() => format!("- {path} ({})", size(self.size)),
            summary => format!("- {path} ({}): {}", size(self.size), frame::cut(&summary, MOST)),
        }
    }
}

/// The files by value: those that memdir wrote last, then the newest episodes and the facts in turn, then the rest.
/// `written` is the last revision that wrote each.
pub fn by_value(files: &mut [Listed], written: &HashMap<&MemoryPath, u64>) {
    let mut episodes: Vec<(Reverse<Option<Date>>, &MemoryPath)> = files
        .iter()
        .filter(|f| f.path.folder() == Some("episodes"))
        .map(|f| (Reverse(day(&f.path)), &f.path))
        .collect();
    episodes.sort();
    let age: HashMap<MemoryPath, usize> =
        episodes.iter().enumerate().map(|(n, (_, path))| ((*path).clone(), 4 * n)).collect();
    let (mut facts, mut others) = (0, usize::MAX / 2);
    // Sorted by path: facts take their turn in that order.
    let mut turn: HashMap<MemoryPath, usize> = HashMap::new();
    for file in files.iter() {
        let rank = match file.path.folder() {
            Some("episodes") => age[&file.path],
            Some("facts") => {
                facts += 1;
                facts
            }
            _ => {
                others += 1;
                others
            }
        };
        turn.insert(file.path.clone(), rank);
    }
    files.sort_by_cached_key(|f| (Reverse(written.get(&f.path).copied()), turn[&f.path], f.path.clone()));
}

/// The day that a file's name tells: `2026-02`, `2026-W07`.
pub fn day(path: &MemoryPath) -> Option<Date> {
    let week = |stem: &str| {
        let (year, week) = stem.split_once("-W")?;
        let (year, week) = (year.parse().ok()?, week.parse().ok()?);
        Some(jiff::civil::ISOWeekDate::new(year, week, jiff::civil::Weekday::Monday).ok()?.date())
    };
    week(path.stem()).or_else(|| dates(path.stem(), None).first().and_then(|told| told.first()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_last_comes_first_then_new_episodes_and_facts() {
        let listed = |path: &str| Listed { path: MemoryPath::new(path).unwrap(), size: 1, summary: String::new() };
        let names = ["a.md", "episodes/2026-01.md", "episodes/2026-02.md", "facts/a.md", "facts/b.md", "facts/c.md"];
        let mut files: Vec<Listed> = names.iter().map(|n| listed(n)).collect();
        let written = MemoryPath::new("facts/c.md").unwrap();
        by_value(&mut files, &HashMap::from([(&written, 7)]));
        let order: Vec<&str> = files.iter().map(|f| f.path.as_str()).collect();
        let expected = ["facts/c.md", "episodes/2026-02.md", "facts/a.md", "facts/b.md", "episodes/2026-01.md", "a.md"];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_line_is_m2s() {
        let path = MemoryPath::new("facts/user.md").unwrap();
        let file = Listed { path, size: 320, summary: "user name, language, role".into() };
        assert_eq!(file.line(), "- facts/user.md (320B): user name, language, role");
        let hostile = Listed { summary: "x\n\n# y".into(), ..file };
        assert_eq!(hostile.line(), "- facts/user.md (320B): x # y");
    }
}
