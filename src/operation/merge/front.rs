//! Front matter, merged key by key; lists of words as sets.
//!
//! Never parses YAML: a key is a line at the margin with what is indented below it, and every byte of a key that one
//! side alone changed is that side's.

use super::order;
use super::part::{Part, pick};
use crate::document::summary;

/// Keys that say when a file was last changed: the later date counts.
const STAMPS: [&str; 5] = ["updated", "last_updated", "modified", "last_modified", "date_modified"];

/// A front matter taken apart: the fences, and the lines of each key or comment between them.
struct Front<'a> {
    open: &'a str,
    entries: Vec<(&'a str, &'a str)>,
    close: &'a str,
}

/// Merges three front matters (fences included; empty where there is none). `derived` tells memdir's summary terms.
pub fn merge(base: &str, ours: &str, theirs: &str, derived: &dyn Fn(&str) -> bool) -> Vec<Part> {
    if let Some(text) = pick(Some(base), ours, theirs) {
        return vec![Part::Text(text.to_owned())];
    }
    match (apart(base), apart(ours), apart(theirs)) {
        (Some(o), Some(a), Some(b)) if !ours.is_empty() && !theirs.is_empty() => by_key(&o, &a, &b, derived),
        _ => super::prose::merge(base, ours, theirs),
    }
}

/// Takes a front matter apart; `None` where a key stands twice.
fn apart(front: &str) -> Option<Front<'_>> {
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
    (!twice).then_some(Front { open, entries, close })
}

fn by_key(base: &Front, ours: &Front, theirs: &Front, derived: &dyn Fn(&str) -> bool) -> Vec<Part> {
    let fence = |of: fn(&Front) -> String| {
        let was = (!base.open.is_empty()).then(|| of(base));
        pick(was, of(ours), of(theirs)).unwrap_or_else(|| of(ours).min(of(theirs)))
    };
    let mut names: Vec<&str> = Vec::new();
    for (key, _) in base.entries.iter().chain(&ours.entries).chain(&theirs.entries) {
        if !names.contains(key) {
            names.push(key);
        }
    }
    let row = |front: &Front| -> Vec<u32> {
        front.entries.iter().filter_map(|(key, _)| names.iter().position(|n| n == key)).map(|i| i as u32).collect()
    };
    let compare = |a: u32, b: u32| names[a as usize].cmp(names[b as usize]);
    let mut out = vec![Part::Text(fence(|f| f.open.to_owned()))];
    for id in order::merge(&row(base), &row(ours), &row(theirs), &compare) {
        let key = names[id as usize];
        let [o, a, b] = [base, ours, theirs].map(|f| f.entries.iter().find(|(k, _)| *k == key).map(|(_, text)| *text));
        out.push(entry(key, o, a, b, derived));
    }
    out.push(Part::Text(fence(|f| f.close.to_owned())));
    out
}

/// One key's lines.
fn entry(
    key: &str,
    base: Option<&str>,
    ours: Option<&str>,
    theirs: Option<&str>,
    derived: &dyn Fn(&str) -> bool,
) -> Part {
    if let Some(text) = pick(Some(base), ours, theirs) {
        return Part::Text(text.unwrap_or_default().to_owned());
    }
    let clash = || Part::Clash {
        base: base.unwrap_or_default().to_owned(),
        ours: ours.unwrap_or_default().to_owned(),
        theirs: theirs.unwrap_or_default().to_owned(),
    };
    let (Some(a), Some(b)) = (ours, theirs) else { return clash() };
    if STAMPS.contains(&key) {
        return Part::Text(a.max(b).to_owned());
    }
    let united = match key {
        "summary" | "description" => scalars(key, base.unwrap_or_default(), a, b, derived),
        _ => lists(key, base, a, b),
    };
    united.map_or_else(clash, Part::Text)
}

/// The summary in front matter follows the summary line's rule.
fn scalars(key: &str, base: &str, ours: &str, theirs: &str, derived: &dyn Fn(&str) -> bool) -> Option<String> {
    let value = |text: &str| {
        let value = text.split_once(':').map_or("", |(_, v)| v).trim().to_owned();
        let plain = !value.starts_with(['"', '\'', '|', '>', '[', '{']) && !value.contains('\n');
        plain.then_some(value)
    };
    let (o, a, b) = (value(base)?, value(ours)?, value(theirs)?);
    Some(format!("{key}: {}\n", summary::united(&o, &a, &b, derived)?))
}

/// A list of words: how it is written, and the words.
struct List<'a> {
    /// What stands before each word of a list with a line for each; `None` for `[a, b]`.
    bullet: Option<&'a str>,
    words: Vec<&'a str>,
}

/// Two lists of words that grew from one: what both kept, then what each added.
fn lists(key: &str, base: Option<&str>, ours: &str, theirs: &str) -> Option<String> {
    let was = base.map(list).map_or(Some(Vec::new()), |l| l.map(|l| l.words))?;
    let (a, b) = (list(ours)?, list(theirs)?);
    let mut words: Vec<&str> = was.iter().copied().filter(|w| a.words.contains(w) && b.words.contains(w)).collect();
    let mut new: Vec<&str> = a.words.iter().chain(&b.words).copied().filter(|w| !was.contains(w)).collect();
    new.sort_unstable();
    new.dedup();
    words.extend(new);
    let says_all = |l: &List| l.words.len() == words.len() && l.words.iter().all(|w| words.contains(w));
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

fn list(text: &str) -> Option<List<'_>> {
    let (first, below) = text.split_once('\n')?;
    let value = first.split_once(':')?.1.trim();
    if let Some(inner) = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
        let simple = below.trim().is_empty() && !inner.contains(['[', ']', '{', '}', '"', '\'', '#']);
        let words = inner.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
        return simple.then_some(List { bullet: None, words });
    }
    let mut list = List { bullet: None, words: Vec::new() };
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
    use crate::operation::merge::part::{Side, on};

    fn check(base: &str, ours: &str, theirs: &str, expected: Result<&str, (&str, &str)>) {
        for swap in [false, true] {
            let (a, b) = if swap { (theirs, ours) } else { (ours, theirs) };
            let fenced = |t: &str| if t.is_empty() { String::new() } else { format!("---\n{t}---\n") };
            let got = merge(&fenced(base), &fenced(a), &fenced(b), &|_| true);
            let clash = got.iter().any(|p| matches!(p, Part::Clash { .. }));
            assert_eq!(clash, expected.is_err(), "{got:?}");
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
            assert_eq!((on(&got, Side::Ours), on(&got, Side::Theirs)), (fenced(want.0), fenced(want.1)));
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
        check("summary: a\n", "summary: a, b\n", "summary: a, c\n", Ok("summary: a, b, c\n"));
        check("tags: [a]\n", "tags: [a, b]\n", "tags: none\n", Err(("tags: [a, b]\n", "tags: none\n")));
    }
}
