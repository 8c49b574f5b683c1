//! Compares a merged text with its expected content, and names what is wrong.
//!
//! Independent of how the text was made.

use std::collections::{BTreeMap, BTreeSet};

use super::change::Pair;
use super::model::{File, Key, Style, columns};
use super::reader::{Seen, read};
use super::truth::{Expected, Fact};

/// In what way a text is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Lost,
    Invented,
    Duplicated,
    Stale,
    Garbled,
    Summary,
    Front,
    Bytes,
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Wrong {
    pub class: Class,
    pub what: String,
    /// The text of the bullet or block it is about.
    pub text: Option<String>,
}

fn wrong(class: Class, what: impl Into<String>) -> Wrong {
    Wrong { class, what: what.into(), text: None }
}

fn of(class: Class, text: &str, what: String) -> Wrong {
    Wrong { class, what, text: Some(text.to_owned()) }
}

/// Every text a bullet or block had in one of the three files, with who had it.
pub struct Known {
    texts: BTreeSet<String>,
}

/// Reads the three files of a pair.
pub fn known(pair: &Pair) -> Known {
    let texts = |file: &File| read(&file.print()).facts.into_iter().map(|f| f.text).collect::<BTreeSet<_>>();
    Known { texts: [&pair.base, &pair.ours, &pair.theirs].into_iter().flat_map(texts).collect() }
}

/// Everything that is wrong with a text; nothing where it is right.
pub fn judge(text: &str, expected: &Expected, pair: &Pair, known: &Known, clean: bool) -> Vec<Wrong> {
    let seen = read(text);
    let mut out: Vec<Wrong> = seen.garbled.iter().map(|g| wrong(Class::Garbled, g.clone())).collect();
    things(&seen, expected, known, &mut out);
    headings(&seen, expected, pair, &mut out);
    for key in expected.front.keys().chain(seen.front.keys()).collect::<BTreeSet<_>>() {
        let (want, got) = (expected.front.get(key), seen.front.get(key));
        if !want.map_or(got.is_none(), |options| got.is_some_and(|g| options.contains(g))) {
            out.push(wrong(Class::Front, format!("{key}: {got:?} instead of {want:?}")));
        }
    }
    summary(&seen, text, pair, clean, &mut out);
    ends(text, pair, clean, &mut out);
    out
}

/// Bullets and blocks: each wanted one is there once, nothing else is.
fn things(seen: &Seen, expected: &Expected, known: &Known, out: &mut Vec<Wrong>) {
    let mut left: Vec<&Fact> = seen.facts.iter().collect();
    let mut missing = Vec::new();
    let mut taken: Vec<&Fact> = Vec::new();
    // Those with one possible place choose first, and those that may be missing last.
    let mut wants: Vec<_> = expected.wants.iter().collect();
    wants.sort_by_key(|w| (w.optional, w.options.len()));
    for want in wants {
        match left.iter().position(|got| want.options.contains(got)) {
            Some(at) => taken.push(left.remove(at)),
            None if want.optional => {}
            None => missing.push(want),
        }
    }
    for want in missing {
        let same_text = |got: &&Fact| want.options.iter().any(|o| o.text == got.text);
        if let Some(at) = left.iter().position(same_text) {
            let got = left.remove(at);
            let class = if want.options.iter().any(|o| o.path == got.path && o.parent == got.parent) {
                Class::Stale
            } else if got.parent.is_some() != want.options[0].parent.is_some() {
                Class::Garbled
            } else {
                Class::Stale
            };
            out.push(of(class, &got.text, format!("{got:?} instead of {:?}", want.options[0])));
            continue;
        }
        out.push(of(Class::Lost, &want.options[0].text, format!("{:?}", want.options[0])));
    }
    for got in left {
        let class = if taken.iter().any(|t| t.text == got.text) {
            Class::Duplicated
        } else if known.texts.contains(&got.text) {
            Class::Stale
        } else {
            Class::Invented
        };
        out.push(of(class, &got.text, format!("{got:?}")));
    }
    entries(seen, expected, out);
}

/// Where several sections have one name, their contents are not mixed.
fn entries(seen: &Seen, expected: &Expected, out: &mut Vec<Wrong>) {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    expected.headings.iter().for_each(|h| *names.entry(&h.path).or_default() += 1);
    for (path, _) in names.into_iter().filter(|(_, n)| *n > 1) {
        let mut places: BTreeMap<usize, BTreeSet<Key>> = BTreeMap::new();
        for want in expected.wants.iter().filter(|w| w.options[0].path == path && !w.optional) {
            let stands = seen.facts.iter().zip(&seen.homes).filter(|(got, _)| want.options.contains(got));
            let stands: Vec<usize> = stands.map(|(_, home)| *home).collect();
            // Elements that two of them share distinguish nothing.
            if let ([place], Some(home)) = (&stands[..], want.home) {
                places.entry(*place).or_default().insert(home);
            }
        }
        if places.values().any(|homes| homes.len() > 1) {
            out.push(wrong(Class::Garbled, format!("two entries named {path} are mixed")));
        }
    }
}

fn headings(seen: &Seen, expected: &Expected, pair: &Pair, out: &mut Vec<Wrong>) {
    let mut left: Vec<&String> = seen.headings.iter().collect();
    let mut wants: Vec<_> = expected.headings.iter().collect();
    wants.sort_by_key(|h| h.optional);
    for want in wants {
        match left.iter().position(|h| **h == want.path) {
            Some(at) => drop(left.remove(at)),
            None if want.optional => {}
            None => out.push(wrong(Class::Lost, format!("heading {}", want.path))),
        }
    }
    for path in left {
        let title = path.rsplit(" / ").next().unwrap_or_default();
        let had = |file: &File| file.sections.iter().any(|s| s.title == title);
        let class = if expected.headings.iter().any(|h| h.path == *path) {
            Class::Duplicated
        } else if had(&pair.base) || had(&pair.ours) || had(&pair.theirs) {
            Class::Stale
        } else {
            Class::Invented
        };
        out.push(wrong(class, format!("heading {path}")));
    }
}

/// The summary line follows its own rule: what both keep stays, what one took out and nothing names leaves, what is
/// new terms are added while there is room.
fn summary(seen: &Seen, text: &str, pair: &Pair, clean: bool, out: &mut Vec<Wrong>) {
    let lines = [&pair.base, &pair.ours, &pair.theirs].map(|f| f.summary.clone().unwrap_or_default());
    let [base, ours, theirs] = &lines;
    if seen.summaries.len() > 1 {
        return out.push(wrong(Class::Summary, format!("{} summary lines", seen.summaries.len())));
    }
    let Some(line) = seen.summaries.first() else {
        if !ours.is_empty() && !theirs.is_empty() && clean {
            out.push(wrong(Class::Summary, "the summary line is gone"));
        }
        return;
    };
    let body: String =
        text.lines().filter(|l| !l.starts_with("> Summary:")).collect::<Vec<_>>().join("\n").to_lowercase();
    if line.iter().collect::<BTreeSet<_>>().len() != line.len() {
        out.push(wrong(Class::Summary, format!("a term twice in {line:?}")));
    }
    let all: BTreeSet<&String> = lines.iter().flatten().collect();
    for term in line.iter().filter(|t| !all.contains(t) && !body.contains(t.as_str())) {
        out.push(wrong(Class::Summary, format!("invented term {term:?}")));
    }
    if line.len() > 10 || columns(&line.join(", ")) > 100 {
        out.push(wrong(Class::Summary, format!("too long: {line:?}")));
    }
    if !clean {
        return;
    }
    let full = |line: &[String]| line.len() >= 9 || columns(&line.join(", ")) >= 75;
    for term in base.iter().filter(|t| !(ours.contains(t) && theirs.contains(t))) {
        if line.contains(term) && !body.contains(term.as_str()) {
            out.push(wrong(Class::Summary, format!("{term:?} is gone, and still in the line")));
        }
    }
    let new = |t: &&String| !base.contains(t);
    let kept = base.iter().filter(|t| ours.contains(t) && theirs.contains(t));
    for term in kept.chain(ours.iter().chain(theirs).filter(new)) {
        let crowded = full(line) || full(ours) || full(theirs);
        if !line.contains(term) && body.contains(term.as_str()) && !crowded {
            out.push(wrong(Class::Summary, format!("{term:?} is missing in {line:?}")));
        }
    }
}

/// Line ends, byte order mark and final newline are the base's, or those of the side that wrote others.
fn ends(text: &str, pair: &Pair, clean: bool, out: &mut Vec<Wrong>) {
    let styles = [&pair.base, &pair.ours, &pair.theirs].map(|f| f.style);
    let pick = |of: fn(&Style) -> bool| {
        let [base, ours, theirs] = styles.each_ref().map(of);
        if ours == base { theirs } else { ours }
    };
    if text.starts_with('\u{feff}') != pick(|s| s.bom) {
        out.push(wrong(Class::Bytes, "the byte order mark"));
    }
    let lone = text.matches('\n').count() - text.matches("\r\n").count();
    let crlf = pick(|s| s.crlf);
    if crlf && lone > 0 || !crlf && text.contains('\r') {
        out.push(wrong(Class::Bytes, "line ends are mixed"));
    }
    // A marker is a line: it ends the text where a conflict does.
    if clean && text.ends_with('\n') == pick(|s| s.open_end) {
        out.push(wrong(Class::Bytes, "the final newline"));
    }
}

/// Unchanged text stays byte for byte: whole sections that are the same in all three, and single lines.
pub fn untouched(text: &str, pair: &Pair) -> Vec<Wrong> {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = Vec::new();
    for section in &pair.base.sections {
        let lines = |f: &File| f.section(section.key).map(|s| f.section_lines(s));
        let own = lines(&pair.base).expect("it is the base's").join(eol);
        let same = [&pair.ours, &pair.theirs].iter().all(|f| lines(f).is_some_and(|l| l.join(eol) == own));
        if same && !text.contains(&own) {
            out.push(wrong(Class::Bytes, format!("section {} changed though nobody touched it", section.title)));
        }
    }
    // No line is new except those made of both sides; where a bullet moved to another list, its marker may be.
    let texts = [&pair.base, &pair.ours, &pair.theirs].map(|f| f.print());
    let known: BTreeSet<&str> = texts.iter().flat_map(|t| t.lines()).map(content).collect();
    let derived = |l: &str| l.starts_with("> Summary:") || l.starts_with("<!-- mem") || l.starts_with("tags:");
    for line in text.lines().map(content).filter(|l| !known.contains(l) && !derived(l)) {
        out.push(wrong(Class::Bytes, format!("no side has the line {line:?}")));
    }
    out
}

/// A line without its byte order mark, indentation and list marker. Blanks at its end count.
pub fn content(line: &str) -> &str {
    let line = line.trim_start_matches('\u{feff}').trim_start_matches([' ', '\t']);
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = number.strip_prefix(". ").or(number.strip_prefix(") ")).filter(|_| number.len() < line.len());
    rest.or_else(|| ["- ", "* ", "+ "].iter().find_map(|m| line.strip_prefix(m))).unwrap_or(line)
}
