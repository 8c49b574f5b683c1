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

/// Orders files, given by their paths, by value: those that memdir wrote last, then the newest episodes and the facts in
/// turn, then the rest. `written` is the last revision that wrote each.
pub fn by_value(files: &mut Vec<Listed>, written: &HashMap<&MemoryPath, u64>) {
    let mut episodes: Vec<(Reverse<Option<Date>>, usize)> = Vec::new();
    let mut turns: Vec<usize> = vec![usize::MAX; files.len()];
    let mut facts = 0usize;
    for (n, file) in files.iter().enumerate() {
        match file.path.folder() {
            Some("episodes") => episodes.push((Reverse(day(&file.path)), n)),
            Some("facts") => {
                // Between two episode files stand three of facts.
                facts += 1;
                turns[n] = facts + facts.div_ceil(3);
            }
            _ => {}
        }
    }
    episodes.sort_unstable();
    episodes.iter().enumerate().for_each(|(age, (_, n))| turns[*n] = 1 + 4 * age);
    let revision = |file: &Listed| written.get(&file.path).copied();
    let mut order: Vec<(Reverse<Option<u64>>, usize, usize)> =
        files.iter().enumerate().map(|(n, file)| (Reverse(revision(file)), turns[n], n)).collect();
    order.sort_unstable();
    let mut all: Vec<Option<Listed>> = files.drain(..).map(Some).collect();
    files.extend(order.into_iter().filter_map(|(.., n)| all[n].take()));
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
