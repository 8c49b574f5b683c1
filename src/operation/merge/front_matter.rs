//! Merges front matter key by key; lists of words are merged as sets.
//!
//! Never parses YAML: a key is a line without indent plus the indented lines below it. The bytes of a key that only one
//! side changed are taken from that side.

use super::hunk::{MergeHunk, pick_changed};
use super::order;
use crate::document::summary;

/// Keys that hold the date of the last change: the later date wins.
const DATE_KEYS: [&str; 5] = ["updated", "last_updated", "modified", "last_modified", "date_modified"];

/// Front matter split into its fences and the lines of each key or comment.
struct FrontMatterLines<'a> {
    open_fence: &'a str,
    entries: Vec<(&'a str, &'a str)>,
    close_fence: &'a str,
}

/// Merges three front matters (fences included; empty if absent). `is_derived_term` returns whether memdir derives a
/// summary term from one of the texts.
pub fn merge(base: &str, ours: &str, theirs: &str, is_derived_term: &dyn Fn(&str) -> bool) -> Vec<MergeHunk> {
    if let Some(text) = pick_changed(Some(base), ours, theirs) {
        return vec![MergeHunk::Text(text.to_owned())];
    }
    match (split_keys(base), split_keys(ours), split_keys(theirs)) {
        (Some(o), Some(a), Some(b)) if !ours.is_empty() && !theirs.is_empty() => {
            merge_by_key(&o, &a, &b, is_derived_term)
        }
        _ => super::line_merge::merge_lines(base, ours, theirs),
    }
}

/// Splits front matter into keys; `None` if a key occurs twice.
fn split_keys(front: &str) -> Option<FrontMatterLines<'_>> {
    let mut lines = front.split_inclusive('\n').collect::<Vec<_>>();
    let close = lines.pop().unwrap_or_default();
    let open = if lines.is_empty() { "" } else { lines.remove(0) };
    let mut entries: Vec<(&str, &str)> = Vec::new();
    let mut at = open.len();
    for line in lines {
        let end = at + line.len();
        match entries.last_mut() {
            Some((_, text)) if line.trim().is_empty() || line.starts_with([' ', '\t', '-']) => {
                *text = &front[at - text.len()..end];
            }
            _ => {
                let key = if line.starts_with('#') { None } else { line.split_once(':') };
                entries.push((key.map_or(line.trim_end(), |(key, _)| key.trim_end()), &front[at..end]));
            }
        }
        at = end;
    }
    let twice = entries.iter().enumerate().any(|(i, (key, _))| entries[..i].iter().any(|(k, _)| k == key));
    (!twice).then_some(FrontMatterLines { open_fence: open, entries, close_fence: close })
}

fn merge_by_key(
    base: &FrontMatterLines,
    ours: &FrontMatterLines,
    theirs: &FrontMatterLines,
    is_derived_term: &dyn Fn(&str) -> bool,
) -> Vec<MergeHunk> {
    let fence = |of: fn(&FrontMatterLines) -> String| {
        let was = (!base.open_fence.is_empty()).then(|| of(base));
        pick_changed(was, of(ours), of(theirs)).unwrap_or_else(|| of(ours).min(of(theirs)))
    };
    let mut names: Vec<&str> = Vec::new();
    for (key, _) in base.entries.iter().chain(&ours.entries).chain(&theirs.entries) {
        if !names.contains(key) {
            names.push(key);
        }
    }
    let row = |front: &FrontMatterLines| -> Vec<u32> {
        front.entries.iter().filter_map(|(key, _)| names.iter().position(|n| n == key)).map(|i| i as u32).collect()
    };
    let compare = |a: u32, b: u32| names[a as usize].cmp(names[b as usize]);
    let mut out = vec![MergeHunk::Text(fence(|f| f.open_fence.to_owned()))];
    for id in order::merge_orders(&row(base), &row(ours), &row(theirs), &compare) {
        let key = names[id as usize];
        let [o, a, b] = [base, ours, theirs].map(|f| f.entries.iter().find(|(k, _)| *k == key).map(|(_, text)| *text));
        out.push(merge_key(key, o, a, b, is_derived_term));
    }
    out.push(MergeHunk::Text(fence(|f| f.close_fence.to_owned())));
    out
}

/// Merges the lines of one key.
fn merge_key(
    key: &str,
    base: Option<&str>,
    ours: Option<&str>,
    theirs: Option<&str>,
    is_derived_term: &dyn Fn(&str) -> bool,
) -> MergeHunk {
    if let Some(text) = pick_changed(Some(base), ours, theirs) {
        return MergeHunk::Text(text.unwrap_or_default().to_owned());
    }
    let conflict = || MergeHunk::Conflict {
        base: base.unwrap_or_default().to_owned(),
        ours: ours.unwrap_or_default().to_owned(),
        theirs: theirs.unwrap_or_default().to_owned(),
    };
    let (Some(a), Some(b)) = (ours, theirs) else { return conflict() };
    if DATE_KEYS.contains(&key) {
        let date = |text: &str| text.split_once(':').map(|(_, date)| date.trim().trim_matches(['"', '\'']).to_owned());
        return MergeHunk::Text(if (date(a), a) >= (date(b), b) { a } else { b }.to_owned());
    }
    let united = match key {
        "summary" | "description" => merge_summary(key, base.unwrap_or_default(), a, b, is_derived_term),
        _ => merge_lists(key, base, a, b),
    };
    united.map_or_else(conflict, MergeHunk::Text)
}

/// Merges a summary in front matter by the rule for summary lines.
fn merge_summary(
    key: &str,
    base: &str,
    ours: &str,
    theirs: &str,
    is_derived_term: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let value = |text: &str| {
        let value = text.split_once(':').map_or("", |(_, v)| v).trim().to_owned();
        let plain = !value.starts_with(['"', '\'', '|', '>', '[', '{']) && !value.contains('\n');
        plain.then_some(value)
    };
    let (o, a, b) = (value(base)?, value(ours)?, value(theirs)?);
    Some(format!("{key}: {}\n", summary::merge_summaries(&o, &a, &b, is_derived_term)?))
}

/// A list of words and its notation.
struct FrontList<'a> {
    /// The indent and dash before each word of a block list; `None` for `[a, b]`.
    bullet: Option<&'a str>,
    words: Vec<&'a str>,
}

/// Merges two lists as sets: the words that both sides kept, then the words that either side added.
fn merge_lists(key: &str, base: Option<&str>, ours: &str, theirs: &str) -> Option<String> {
    let was = base.map(parse_list).map_or(Some(Vec::new()), |l| l.map(|l| l.words))?;
    let (a, b) = (parse_list(ours)?, parse_list(theirs)?);
    let mut words: Vec<&str> = was.iter().copied().filter(|w| a.words.contains(w) && b.words.contains(w)).collect();
    let mut new: Vec<&str> = a.words.iter().chain(&b.words).copied().filter(|w| !was.contains(w)).collect();
    new.sort_unstable();
    new.dedup();
    words.extend(new);
    let says_all = |l: &FrontList| l.words.len() == words.len() && l.words.iter().all(|w| words.contains(w));
    let full = [(&a, ours), (&b, theirs)].into_iter().filter(|(l, _)| says_all(l)).map(|(_, text)| text).min();
    if let Some(text) = full {
        return Some(text.to_owned());
    }
    Some(match (a.bullet, b.bullet) {
        (None, None) => format!("{key}: [{}]\n", words.join(", ")),
        (Some(x), Some(y)) => {
            let lines: String = words.iter().map(|w| format!("{}{w}\n", x.min(y))).collect();
            format!("{key}:\n{lines}")
        }
        _ => return None,
    })
}

fn parse_list(text: &str) -> Option<FrontList<'_>> {
    let (first, below) = text.split_once('\n')?;
    let value = first.split_once(':')?.1.trim();
    if let Some(inner) = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
        let simple = below.trim().is_empty() && !inner.contains(['[', ']', '{', '}', '"', '\'', '#']);
        let words = inner.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
        return simple.then_some(FrontList { bullet: None, words });
    }
    let mut list = FrontList { bullet: None, words: Vec::new() };
    for line in below.lines() {
        let dash = line.find("- ").filter(|at| line[..*at].trim().is_empty())?;
        let word = line[dash + 2..].trim();
        if word.contains(": ") || word.ends_with(':') || word.starts_with("- ") {
            return None;
        }
        list.bullet.get_or_insert(&line[..dash + 2]);
        list.words.push(word);
    }
    (value.is_empty() && list.bullet.is_some()).then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::merge::hunk::{MergeSide, text_on};

    fn check(base: &str, ours: &str, theirs: &str, expected: Result<&str, (&str, &str)>) {
        for swap in [false, true] {
            let (a, b) = if swap { (theirs, ours) } else { (ours, theirs) };
            let fenced = |t: &str| if t.is_empty() { String::new() } else { format!("---\n{t}---\n") };
            let got = merge(&fenced(base), &fenced(a), &fenced(b), &|_| true);
            let conflict = got.iter().any(|p| matches!(p, MergeHunk::Conflict { .. }));
            assert_eq!(conflict, expected.is_err(), "{got:?}");
            let want = match expected {
                Ok(text) => (text, text),
                Err((ours, theirs)) => {
                    if swap {
                        (theirs, ours)
                    } else {
                        (ours, theirs)
                    }
                }
            };
            assert_eq!(
                (text_on(&got, MergeSide::Ours), text_on(&got, MergeSide::Theirs)),
                (fenced(want.0), fenced(want.1))
            );
        }
    }

    #[test]
    fn keys_are_merged_one_by_one() {
        check("a: 1\nb: 2\n", "a: 3\nb: 2\n", "a: 1\nb: 4\nc: 5\n", Ok("a: 3\nb: 4\nc: 5\n"));
        check("a: 1\n", "a: 1\nx: 1\n", "a: 1\ny: 2\n", Ok("a: 1\nx: 1\ny: 2\n"));
        check("a: 1\nb: 2\nc: 3\n", "b: 2\nc: 3\n", "a: 1\nc: 3\n", Ok("c: 3\n"));
        check("a: 1\n", "a: 2\n", "a: 3\n", Err(("a: 2\n", "a: 3\n")));
        check("a:\n  deep: 1\nb: 1\n", "a:\n  deep: 2\nb: 1\n", "a:\n  deep: 1\nb: 2\n", Ok("a:\n  deep: 2\nb: 2\n"));
        check("", "a: 1\n", "b: 1\n", Ok("a: 1\nb: 1\n"));
    }

    #[test]
    fn lists_are_sets_and_the_later_date_counts() {
        check("tags: [a, b]\n", "tags: [a, b, x]\n", "tags: [b, y]\n", Ok("tags: [b, x, y]\n"));
        check("tags:\n  - a\n", "tags:\n  - a\n  - c\n", "tags:\n  - b\n  - a\n", Ok("tags:\n  - a\n  - b\n  - c\n"));
        check("updated: 2026-01-01\n", "updated: 2026-02-01\n", "updated: 2026-03-01\n", Ok("updated: 2026-03-01\n"));
        check("updated: 1\n", "updated: 2026-01-05\n", "updated: \"2026-02-03\"\n", Ok("updated: \"2026-02-03\"\n"));
        check("updated: 1\n", "updated: '2026-01-05'\n", "updated: 2026-02-03\n", Ok("updated: 2026-02-03\n"));
        check("summary: a\n", "summary: a, b\n", "summary: a, c\n", Ok("summary: a, b, c\n"));
        check("tags: [a]\n", "tags: [a, b]\n", "tags: none\n", Err(("tags: [a, b]\n", "tags: none\n")));
    }
}
