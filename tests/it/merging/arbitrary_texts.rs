//! Texts that no generator of ours would write: real files and hostile ones, changed by chance, line by line.
//!
//! There is no truth about them; there are laws: no panic, one side alone wins, nothing that a side wrote vanishes.

use std::collections::BTreeSet;

use memdir::operation::merge::{ConflictLabels, conflict_markers, merge};
use similar::TextMerge;

use super::judge::content;
use super::random::Chance;
use crate::support::corpus;

/// Lines with a meaning in some format.
const STRANGE: &[&str] = &[
    "# H",
    "## H {#x}",
    "- a",
    "  - b",
    "* c",
    "1. one",
    "2) two",
    "```",
    "~~~",
    "    code",
    "> quote",
    "> Summary: a, b",
    "---",
    "***",
    "<!-- mem id=x imp=3 -->",
    "  <!-- mem id=x -->",
    "<!--",
    "-->",
    "<div>",
    "</div>",
    "| a | b |",
    "|---|---|",
    "===",
    "[x]: /u",
    "\t- tab",
    "-",
    "- ",
    "- ---",
    "- # h",
    "- > q",
    "- [ ] task",
    "<<<<<<< ours",
    "=======",
    ">>>>>>> theirs",
    "||||||| base",
    "\u{feff}",
    "tags: [a, b]",
    "a: b",
    "",
    "  ",
    "Summary",
    "User Profile: (ID: mem123)",
    "- Date: 2026-01-01",
    "- Updated: 2026-01-01",
    "\u{0}",
    "- 中文",
    "  continued",
    "- a  ",
    "\\- no",
    "&amp;",
    "- a",
    "- a",
];

/// A text like another, with some lines changed.
fn changed(chance: &mut Chance, text: &str, other: &[&str]) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for _ in 0..chance.between(1, 4) {
        let at = chance.below(lines.len() + 1);
        let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
        match chance.below(8) {
            0 | 1 => lines.insert(at, chance.one(STRANGE).to_owned() + eol),
            2 if !other.is_empty() => lines.insert(at, chance.one(other).to_owned() + eol),
            3 if at < lines.len() => drop(lines.remove(at)),
            4 if at < lines.len() => {
                let copy = lines[at].clone();
                lines.insert(chance.below(lines.len()), copy);
            }
            5 if at < lines.len() => {
                let end = (at + chance.between(1, 5)).min(lines.len());
                let moved: Vec<String> = lines.drain(at..end).collect();
                let to = chance.below(lines.len() + 1);
                lines.splice(to..to, moved);
            }
            6 if at < lines.len() => {
                let old = lines[at].trim_end().to_owned();
                lines[at] = format!("{old} {}{eol}", chance.word());
            }
            _ if at < lines.len() => {
                let old = lines[at].trim_end();
                let half = (0..=old.len() / 2).rev().find(|&i| old.is_char_boundary(i)).unwrap_or(0);
                lines[at] = format!("{}{eol}", &old[..half]);
            }
            _ => {}
        }
    }
    lines.concat()
}

/// Base texts: real files (cut short, the merge is what is tested), and piles of strange lines.
fn bases(chance: &mut Chance, real: &[(String, String)], hostile: &[String]) -> String {
    match chance.below(4) {
        0 if !real.is_empty() => {
            let (_, text) = chance.one(real);
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let from = chance.below(lines.len());
            let from = if chance.percent(60) { 0 } else { from };
            let part: String = lines[from..(from + 60).min(lines.len())].concat();
            let (_, varied) = chance.one(&corpus::variants(&part));
            if chance.percent(30) { varied } else { part }
        }
        1 => {
            let texts: Vec<String> =
                (0..chance.between(1, 6)).map(|_| format!("- {}\n", chance.one(hostile))).collect();
            texts.concat().chars().take(3000).collect()
        }
        _ => (0..chance.between(0, 25)).map(|_| chance.one(STRANGE).to_owned() + "\n").collect(),
    }
}

/// The lines of a text as they count: without blanks and list markers. A lone carriage return ends a line as well.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    fn bare(line: &str) -> &str {
        content(line).trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
    }
    text.split(['\n', '\r']).map(bare).filter(|l| !l.is_empty() && !["-", "*", "+"].contains(l))
}

/// Lines that a side wrote and that are neither in the base nor in the result. Derived lines are made anew.
fn vanished(base: &str, side: &str, got: &str) -> Vec<String> {
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (lines(base).collect(), lines(got).collect());
    let derived = |l: &str| {
        l.starts_with("> Summary:") || l.starts_with("<!-- mem") || l.starts_with("tags:") || l.contains("pdated:")
    };
    let lost = lines(side).filter(|l| !old.contains(l) && !derived(l) && !new.contains(l));
    lost.map(str::to_owned).collect()
}

#[test]
fn no_text_breaks_the_merge_laws() {
    let (real, hostile) = (corpus::real(), corpus::texts());
    let hostile: Vec<String> = hostile.into_iter().filter(|t| t.len() < 300).collect();
    let all: Vec<&str> = real.iter().flat_map(|(_, t)| t.lines()).collect();
    let mut broken = Vec::new();
    let few = super::pairs::count(200);
    for seed in 0..few {
        let mut chance = Chance::new(seed ^ 0x6a75_6e6b);
        let base = bases(&mut chance, &real, &hostile);
        let [ours, theirs] = [0, 1].map(|_| changed(&mut chance, &base, &all));
        let mut law = |holds: bool, name: &str, got: &str| {
            if !holds {
                broken.push(format!(
                    "{name}, seed {seed}\n---- base\n{base:?}\n---- ours\n{ours:?}\n---- theirs\n{theirs:?}\n---- got\n{got:?}"
                ));
            }
        };
        let labels = ConflictLabels::default();
        for (o, a, b, want) in
            [(&base, &ours, &base, &ours), (&base, &base, &theirs, &theirs), (&base, &ours, &ours, &ours)]
        {
            let got = merge(o, a, b, &labels).text;
            law(got == *want, "one side alone wins", &got);
        }
        let got = merge(&base, &ours, &theirs, &labels);
        let swapped = merge(&base, &theirs, &ours, &labels);
        // A line merge takes one of two ways through repeated lines, and not the same one from both sides.
        let by_lines = |a: &str, b: &str| TextMerge::from_lines(base.as_str(), a, b).is_conflicted();
        if by_lines(&ours, &theirs) == by_lines(&theirs, &ours) {
            law(got.conflicts.is_empty() == swapped.conflicts.is_empty(), "sides swapped", &swapped.text);
        }
        for side in [&ours, &theirs] {
            let lost = vanished(&base, side, &got.text);
            law(lost.is_empty(), &format!("{lost:?} vanished"), &got.text);
        }
        // Markers cannot be distinguished in a text that contains some already.
        let marks =
            |t: &str| t.lines().any(|l| ["<<<<<<<", ">>>>>>>", "=======", "|||||||"].iter().any(|m| l.starts_with(m)));
        if !got.conflicts.is_empty() && ![&base, &ours, &theirs].iter().any(|t| marks(t)) {
            let sides = conflict_markers::split_sides(&got.text, 7);
            law(sides.as_ref().is_some_and(|s| s.count == got.conflicts.len()), "markers read back", &got.text);
        }
        // No line is invented; lists in front matter, metadata and the summary line are made of both sides.
        let known: BTreeSet<&str> = [&base, &ours, &theirs].into_iter().flat_map(|t| lines(t)).collect();
        let derived =
            |l: &str| l.starts_with("> Summary:") || l.starts_with("<!-- mem") || l.contains(": [") || marks(l);
        let strange = lines(&got.text).find(|l| !known.contains(l) && !derived(l));
        law(strange.is_none(), &format!("{strange:?} comes from nowhere"), &got.text);
    }
    let shown = broken.iter().take(4).cloned().collect::<Vec<_>>().join("\n\n");
    println!("{} broken laws in {few} pairs", broken.len());
    // In tens of thousands some text is so odd that the comparison itself goes wrong.
    assert!(broken.len() as u64 <= few / 500, "{} broken laws in {few} pairs:\n{shown}", broken.len());
}

/// Where there is no structure, a text merge: what git settles is settled in the same way.
#[test]
fn a_text_without_structure_merges_as_lines_do() {
    let (mut broken, mut clean) = (Vec::new(), 0);
    for seed in 0..super::pairs::count(150) {
        let mut chance = Chance::new(seed ^ 0x0070_6c61_696e);
        let base: String = (0..chance.between(3, 20)).map(|_| chance.sentence() + "\n").collect();
        let side = |chance: &mut Chance| {
            let mut lines: Vec<String> = base.lines().map(str::to_owned).collect();
            for _ in 0..chance.between(1, 2) {
                let at = chance.below(lines.len());
                match chance.below(3) {
                    0 => lines[at] = chance.sentence(),
                    1 => lines.insert(at, chance.sentence()),
                    _ if lines.len() > 2 => drop(lines.remove(at)),
                    _ => {}
                }
            }
            lines.join("\n") + "\n"
        };
        let [ours, theirs] = [0, 1].map(|_| side(&mut chance));
        let settled = TextMerge::from_lines(&*base, &*ours, &*theirs);
        if settled.is_conflicted() {
            continue;
        }
        clean += 1;
        let mut want = Vec::new();
        settled.to_writer(&mut want).expect("a vector takes it");
        let got = merge(&base, &ours, &theirs, &ConflictLabels::default());
        if !got.conflicts.is_empty() || got.text.as_bytes() != want {
            broken.push(format!("{base:?}\n{ours:?}\n{theirs:?}\n{:?}", got.text));
        }
    }
    assert!(clean > 30, "only {clean}");
    let shown = broken.iter().take(3).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(broken.is_empty(), "{} of {clean}:\n{shown}", broken.len());
}
