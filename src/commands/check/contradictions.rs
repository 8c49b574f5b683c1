//! Finds pairs of bullets of one section that exclude each other.
//!
//! Never decides which of them is true, and compares no bullets of different files or sections: their subjects differ.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::civil::Date;

use super::{LineIndex, finding};
use crate::change::JournalEntry;
use crate::code::Code;
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::document::related_edge::stating_bullets;
use crate::document::{Document, ExpiryDates};
use crate::path::MemoryPath;
use crate::text::contradiction::compare_statements;
use crate::text::statement::Statement;

/// A word that more bullets of a section contain selects no candidates: in a list of sensor values, every bullet would
/// be compared with every other.
pub const MAX_BULLETS_PER_WORD: usize = 40;

/// The contradictions of a file, and the words that selected no candidates.
pub fn contradictions(
    journal: &[JournalEntry],
    path: &MemoryPath,
    document: &Document,
    level: FindingLevel,
    today: Date,
) -> (Vec<CheckFinding>, HashSet<String>) {
    let (written, lines) = (WrittenTexts::of(journal, path), LineIndex::of(document.text()));
    let name = |i: &usize| dated_handle(&written, document, *i);
    let as_finding = |group: &Vec<usize>| {
        let newest = group.last().map_or(0, |&i| document.bullets()[i].line_start as usize);
        let text = match &group[..] {
            [older, newer] => format!("{} contradicts {}", name(newer), name(older)),
            all => {
                let shown: Vec<String> = all.iter().take(MAX_NAMED).map(name).collect();
                let more = all.len() - shown.len();
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("{} bullets contradict each other: {}{more}", all.len(), shown.join(", "))
            }
        };
        finding(path, lines.line(newest), 1, Code::Contradiction, level, text)
    };
    let mut search = PairSearch { today: Some(today), ..PairSearch::of_at_most(usize::MAX) };
    let pairs = contradicting_pairs_within(document, &mut search);
    (groups_of_pairs(&pairs).iter().map(as_finding).collect(), search.frequent_words)
}

/// How many bullets of a larger group a finding names.
const MAX_NAMED: usize = 4;

/// The groups of bullets of one section of which each excludes every other one, by index, the first in the file first.
/// What has expired contradicts nothing that holds today.
pub fn contradicting_groups(document: &Document, today: Date) -> Vec<Vec<usize>> {
    let mut search = PairSearch { today: Some(today), ..PairSearch::of_at_most(usize::MAX) };
    groups_of_pairs(&contradicting_pairs_within(document, &mut search))
}

/// Groups in which every two bullets are one of the pairs, so that forty numbered bullets are one group and not 780
/// pairs. Each pair, the lesser index first, is in a group; the pairs are sorted.
fn groups_of_pairs(pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let all: HashSet<(usize, usize)> = pairs.iter().copied().collect();
    let mut grouped: HashSet<(usize, usize)> = HashSet::new();
    let mut groups = Vec::new();
    for (n, &(first, second)) in pairs.iter().enumerate() {
        if grouped.contains(&(first, second)) {
            continue;
        }
        let mut group = vec![first, second];
        for &(_, other) in pairs[n + 1..].iter().take_while(|pair| pair.0 == first) {
            if group.iter().all(|&one| all.contains(&(one, other))) {
                group.push(other);
            }
        }
        for (at, &one) in group.iter().enumerate() {
            grouped.extend(group[at + 1..].iter().map(|&other| (one, other)));
        }
        groups.push(group);
    }
    groups
}

/// A search through several documents: how far it may go, and what it leaves out.
pub struct PairSearch {
    /// How many pairs of bullets may still be compared.
    pub max_pairs: usize,
    /// The day on which a bullet must be valid; without one, all count.
    pub today: Option<Date>,
    /// The words that selected no pairs, because more than [`MAX_BULLETS_PER_WORD`] bullets of a section have them.
    pub frequent_words: HashSet<String>,
}

impl PairSearch {
    pub fn of_at_most(max_pairs: usize) -> PairSearch {
        PairSearch { max_pairs, today: None, frequent_words: HashSet::new() }
    }
}

/// The pairs of bullets of one section that exclude each other, by index, the first in the file first, as far as the
/// search may go.
pub fn contradicting_pairs_within(document: &Document, search: &mut PairSearch) -> Vec<(usize, usize)> {
    if search.max_pairs == 0 {
        return Vec::new();
    }
    let texts: Vec<_> = (0..document.bullets().len()).map(|i| document.bullet_text(i)).collect();
    let statements: Vec<Statement<'_>> = texts.iter().map(|text| Statement::of_item(text)).collect();
    let mut pairs: Vec<(usize, usize)> = candidate_pairs(document, &statements, search).into_iter().collect();
    search.max_pairs -= pairs.len();
    let expiry_dates = ExpiryDates::of(document, |_| false);
    let is_over = |bullet: usize| {
        search.today.is_some_and(|today| expiry_dates.last_day(bullet).is_some_and(|last| last < today))
    };
    pairs.retain(|&(a, b)| compare_statements(&statements[a], &statements[b]).is_some() && !is_over(a) && !is_over(b));
    pairs
}

/// The lines that memdir wrote in one file, with their days. Read from the journal when the first date is asked for,
/// and once for all bullets of the file.
pub(super) struct WrittenTexts<'a> {
    journal: &'a [JournalEntry],
    path: &'a MemoryPath,
    lines: OnceCell<HashMap<&'a str, Vec<WrittenLine<'a>>>>,
}

/// A line that memdir wrote, without list marker, and all that was written after it by the same edit.
struct WrittenLine<'a> {
    day: &'a str,
    from_here: &'a str,
}

impl<'a> WrittenTexts<'a> {
    pub(super) fn of(journal: &'a [JournalEntry], path: &'a MemoryPath) -> WrittenTexts<'a> {
        WrittenTexts { journal, path, lines: OnceCell::new() }
    }

    /// The day on which a text was last written, `YYYY-MM-DD`.
    fn day_of(&self, text: &str) -> Option<&'a str> {
        let lines = self.lines.get_or_init(|| self.read_lines());
        let with_first_line = lines.get(without_marker(text.lines().next()?))?;
        with_first_line.iter().find(|line| line.from_here.starts_with(text)).map(|line| line.day)
    }

    /// The lines by their text, the newest first.
    fn read_lines(&self) -> HashMap<&'a str, Vec<WrittenLine<'a>>> {
        let written = |entry: &'a JournalEntry| {
            let edits = entry.files.iter().filter(|f| f.path == *self.path).filter_map(|f| f.edits.as_ref());
            edits.flatten().filter_map(|edit| Some((entry.header.at.get(..10)?, edit.new.as_str())))
        };
        let mut lines: HashMap<&str, Vec<WrittenLine<'_>>> = HashMap::new();
        for (day, new) in self.journal.iter().rev().flat_map(written) {
            for line in new.lines().map(without_marker).filter(|line| !line.is_empty()) {
                let from_here = &new[line.as_ptr() as usize - new.as_ptr() as usize..];
                lines.entry(line).or_default().push(WrittenLine { day, from_here });
            }
        }
        lines
    }
}

/// A line without the marker and the check box of a list item.
fn without_marker(line: &str) -> &str {
    let line = line.trim();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let markers = [line.strip_prefix(['-', '*', '+']), number.strip_prefix(['.', ')']).filter(|_| number != line)];
    let item = markers.into_iter().flatten().find_map(|rest| rest.strip_prefix([' ', '\t']));
    let text = item.map_or(line, str::trim_start);
    ["[ ] ", "[x] ", "[X] "].iter().find_map(|check_box| text.strip_prefix(check_box)).unwrap_or(text).trim_start()
}

/// A bullet as findings name it: its handle, and its day where it is known.
pub(super) fn dated_handle(written: &WrittenTexts<'_>, document: &Document, bullet: usize) -> String {
    let date = date_of(written, document, bullet).map_or(String::new(), |date| format!(" ({date})"));
    format!("@{}{date}", document.handle_name(bullet))
}

/// The day a bullet was last confirmed or written: from its metadata, else from the journal.
fn date_of(written: &WrittenTexts<'_>, document: &Document, bullet: usize) -> Option<String> {
    let meta = document.bullet_meta(bullet).unwrap_or_default();
    let stamped = meta.changed().map(str::to_owned);
    stamped.or_else(|| written.day_of(document.bullet_raw(bullet).trim()).map(str::to_owned))
}

/// Pairs of bullets of one section with the same label, or with a rare word in common; no more than may be compared.
fn candidate_pairs(
    document: &Document,
    statements: &[Statement<'_>],
    search: &mut PairSearch,
) -> BTreeSet<(usize, usize)> {
    let mut by_word: HashMap<(usize, &str), Vec<usize>> = HashMap::new();
    for i in stating_bullets(document) {
        let statement = &statements[i];
        let words: BTreeSet<&str> =
            statement.label_key.as_deref().into_iter().chain(statement.content().map(|t| t.key.as_str())).collect();
        words
            .into_iter()
            .for_each(|word| by_word.entry((document.bullets()[i].section as usize, word)).or_default().push(i));
    }
    let mut rare: Vec<Vec<usize>> = Vec::new();
    for ((_, word), bullets) in by_word {
        match bullets.len() {
            ..2 => {}
            2..=MAX_BULLETS_PER_WORD => rare.push(bullets),
            _ => drop(search.frequent_words.insert(word.to_owned())),
        }
    }
    // In the order of the file, so that the same pairs are compared each time.
    rare.sort_unstable();
    let mut pairs = BTreeSet::new();
    for bullets in rare {
        let with_later = |n: usize, a: usize| bullets[n + 1..].iter().map(move |&b| (a, b));
        let all = bullets.iter().enumerate().flat_map(|(n, &a)| with_later(n, a));
        for pair in all {
            if pairs.len() == search.max_pairs {
                return pairs;
            }
            pairs.insert(pair);
        }
    }
    pairs
}
