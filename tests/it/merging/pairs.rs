//! Series of random pairs: each is merged, compared with the truth, counted; ARCHITECTURE.md's figures are asserted.
//!
//! `MEMDIR_SEED=SERIES:SEED` runs one pair and makes it small (`MEMDIR_WHOLE=1` does not), `MEMDIR_PAIRS=N` runs so
//! many of each series.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use memdir::operation::merge::{ConflictLabels, MergeOutcome, conflict_markers, merge};

use super::change::{Pair, pair};
use super::generator::Series;
use super::ideal::{ideal, mutants};
use super::judge::{Class, Wrong, judge, known, untouched};
use super::reader::read;
use super::shrink::shrink;
use super::truth::{Expected, Truth, truth};

pub const IDS: Series = Series { name: "ids", ids: true, operations: (1, 3), resaved: false };
pub const BARE: Series = Series { name: "bare", ids: false, operations: (1, 3), resaved: false };
pub const IDS_MANY: Series = Series { name: "ids-many", ids: true, operations: (4, 8), resaved: false };
pub const BARE_MANY: Series = Series { name: "bare-many", ids: false, operations: (4, 8), resaved: false };
/// One side saved by an editor that writes files in its own manner.
const RESAVED: Series = Series { name: "resaved", ids: false, operations: (1, 3), resaved: true };
const ALL: [Series; 4] = [IDS, BARE, IDS_MANY, BARE_MANY];

/// The result of one pair.
#[derive(Debug)]
enum Found {
    Right,
    /// A conflict where there is none, or more of them than there are.
    FalseConflict,
    /// No conflict where there is one.
    Missed,
    /// A conflict is shown, but a bullet that was rewritten beyond recognition is beside it as a new one, or a new
    /// one inside it as a rewritten one: without ids this cannot be decided.
    Untold,
    /// Markers that cannot be read back.
    Malformed(&'static str),
    Wrong(Vec<Wrong>),
}

impl Found {
    /// Its name, and of damage the first class.
    fn kind(&self) -> String {
        match self {
            Found::Wrong(wrongs) => format!("{:?}", wrongs[0].class),
            Found::Malformed(why) => (*why).to_owned(),
            other => format!("{other:?}"),
        }
    }
}

/// Compares what an engine made of a pair with the truth.
fn examine(pair: &Pair, truth: &Truth, merged: &MergeOutcome, ids: bool) -> Found {
    let clean = merged.conflicts.is_empty();
    if truth.conflicts.is_empty() != clean {
        let lost = vanished(pair, &merged.text);
        return match (lost.is_empty(), clean) {
            (false, _) => Found::Wrong(lost),
            (_, true) => Found::Missed,
            _ => Found::FalseConflict,
        };
    }
    let known = known(pair);
    let wrongs = if clean {
        let mut wrongs = judge(&merged.text, &truth.sides[0], pair, &known, true);
        wrongs.extend(untouched(&merged.text, pair));
        wrongs
    } else {
        let Some(sides) = conflict_markers::split_sides(&merged.text, 7) else {
            return Found::Malformed("markers do not read back");
        };
        let line = |n: usize| merged.text.lines().nth(n - 1).unwrap_or_default();
        if merged.conflicts.iter().any(|c| !line(c.line).starts_with("<<<<<<< ours")) {
            return Found::Malformed("a clash names a line without its marker");
        }
        if sides.count != merged.conflicts.len() {
            return Found::Malformed("as many markers as clashes");
        }
        let texts = [&sides.ours, &sides.theirs];
        let each = [0, 1].map(|i| judge(texts[i], &truth.sides[i], pair, &known, false));
        let untold =
            !ids && (0..2).all(|i| each[i].iter().all(|w| is_unreported(w, pair, merged, &truth.sides[1 - i])));
        let wrongs = each.concat();
        if untold && !wrongs.is_empty() {
            return Found::Untold;
        }
        if sides.count > truth.conflicts.len() {
            return if wrongs.is_empty() { Found::FalseConflict } else { Found::Wrong(wrongs) };
        }
        wrongs
    };
    if wrongs.is_empty() { Found::Right } else { Found::Wrong(wrongs) }
}

/// Whether an error in one side's version is shown to the person who decides: it is inside the markers, or a new text,
/// one that the base does not have, is beside them.
fn is_unreported(wrong: &Wrong, pair: &Pair, merged: &MergeOutcome, other: &Expected) -> bool {
    let Some(text) = &wrong.text else { return false };
    let new = !read(&pair.base.print()).facts.iter().any(|f| f.text == *text);
    let first = text.trim_start_matches("¶ ").lines().next().unwrap_or_default();
    let inside = merged.conflicts.iter().any(|c| c.ours.contains(first) || c.theirs.contains(first));
    let others = || other.wants.iter().any(|w| w.options.iter().any(|o| o.text == *text));
    matches!(wrong.class, Class::Lost | Class::Stale | Class::Duplicated) && (inside || new && others())
}

/// Texts that a side wrote and that the result does not contain, not even inside markers.
fn vanished(pair: &Pair, text: &str) -> Vec<Wrong> {
    let base = read(&pair.base.print());
    let old: BTreeSet<&String> = base.facts.iter().map(|f| &f.text).collect();
    let known: BTreeSet<&str> = old.iter().flat_map(|t| t.trim_start_matches("¶ ").lines()).collect();
    let mut out = Vec::new();
    for side in [&pair.ours, &pair.theirs] {
        let stamp = |t: &str| t.starts_with("Updated: ");
        for fact in read(&side.print()).facts.into_iter().filter(|f| !old.contains(&f.text) && !stamp(&f.text)) {
            for line in fact.text.trim_start_matches("¶ ").lines().filter(|l| !known.contains(l) && !text.contains(*l))
            {
                out.push(Wrong { class: Class::Lost, what: line.to_owned(), text: None });
            }
        }
    }
    out
}

struct Failure {
    seed: u64,
    found: Found,
}

/// The figures of a series.
#[derive(Default)]
struct Tally {
    pairs: usize,
    unsettled: usize,
    twins: usize,
    mergeable: usize,
    right: usize,
    false_conflicts: usize,
    conflicted: usize,
    right_conflicts: usize,
    extra: usize,
    missed: usize,
    untold: usize,
    malformed: usize,
    classes: BTreeMap<Class, usize>,
    failures: Vec<Failure>,
}

impl Tally {
    fn add(&mut self, seed: u64, pair: &Pair, truth: &Truth, found: Found) {
        let mergeable = truth.conflicts.is_empty();
        self.twins += usize::from(pair.twins);
        *if mergeable { &mut self.mergeable } else { &mut self.conflicted } += 1;
        match &found {
            Found::Right if mergeable => self.right += 1,
            Found::Right => self.right_conflicts += 1,
            Found::FalseConflict if mergeable => self.false_conflicts += 1,
            Found::FalseConflict => self.extra += 1,
            Found::Missed => self.missed += 1,
            Found::Untold => self.untold += 1,
            Found::Malformed(_) => self.malformed += 1,
            Found::Wrong(wrongs) => {
                let classes: BTreeSet<Class> = wrongs.iter().map(|w| w.class).collect();
                classes.into_iter().for_each(|c| *self.classes.entry(c).or_default() += 1);
            }
        }
        if !matches!(found, Found::Right) {
            self.failures.push(Failure { seed, found });
        }
    }

    fn print(&self, name: &str) -> String {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let mut out = String::new();
        writeln!(
            out,
            "{name}: {} pairs, {} with twins, {} unsettled ones left out",
            self.pairs, self.twins, self.unsettled
        )
        .unwrap();
        writeln!(
            out,
            "  mergeable {}: right {:.2} %, false conflicts {:.2} %; in conflict {}: right {:.2} %, missed {}, untold {}, more than true {}, malformed {}",
            self.mergeable,
            share(self.right, self.mergeable),
            share(self.false_conflicts, self.mergeable),
            self.conflicted,
            share(self.right_conflicts, self.conflicted),
            self.missed,
            self.untold,
            self.extra,
            self.malformed,
        )
        .unwrap();
        writeln!(out, "  pairs with damage: {:?}", self.classes).unwrap();
        out
    }
}

/// How many pairs of a series are looked at.
pub fn count(few: usize) -> u64 {
    let asked = std::env::var("MEMDIR_PAIRS").ok().and_then(|n| n.parse().ok());
    asked.unwrap_or(if crate::support::memory::full() { 20_000 } else { few as u64 })
}

fn run(series: Series, few: usize) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..count(few) {
        let pair = pair(seed, series);
        let truth = truth(&pair.base, &pair.ours, &pair.theirs);
        tally.pairs += 1;
        if truth.unsettled.is_some() {
            tally.unsettled += 1;
            continue;
        }
        let (_, truth, found) = looked_at(&pair, series);
        tally.add(seed, &pair, &truth, found);
    }
    println!("{}", tally.print(series.name));
    // One small pair of each kind, and the seeds of the others.
    let mut kinds: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for failure in &tally.failures {
        kinds.entry(failure.found.kind()).or_default().push(failure.seed);
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, seeds)| std::cmp::Reverse(seeds.len()));
    for (kind, seeds) in &kinds {
        println!("{} x {kind}: seeds {:?}", seeds.len(), &seeds[..seeds.len().min(12)]);
    }
    for (_, seeds) in kinds.iter().take(4) {
        println!("{}", report(series, seeds[0], true));
    }
    tally
}

/// A pair: the changes, the three texts, the result, the expected result. As small as it still fails, or in full.
pub fn report(series: Series, seed: u64, small: bool) -> String {
    let mut pair = pair(seed, series);
    let (_, _, found) = looked_at(&pair, series);
    let wanted = found.kind();
    if small && !matches!(found, Found::Right) {
        pair = shrink(pair, series.ids, |smaller| {
            let (_, truth, found) = looked_at(smaller, series);
            truth.unsettled.is_none() && found.kind() == wanted
        });
    }
    let (merged, truth, found) = looked_at(&pair, series);
    let texts = [&pair.base, &pair.ours, &pair.theirs].map(|f| f.print());
    let mut out = format!("==== MEMDIR_SEED={}:{seed} {wanted}\n", series.name);
    pair.story.iter().for_each(|s| writeln!(out, "  {s}").unwrap());
    for (name, text) in [("base", &texts[0]), ("ours", &texts[1]), ("theirs", &texts[2]), ("got", &merged.text)] {
        writeln!(out, "---- {name}\n{}", text.replace('\r', "␍")).unwrap();
    }
    writeln!(out, "---- expected conflicts: {:?}, unsettled: {:?}", truth.conflicts, truth.unsettled).unwrap();
    let ideal = ideal(&pair, &truth).replace('\r', "␍");
    writeln!(out, "---- expected (by identity, in an order of its own)\n{ideal}").unwrap();
    match &found {
        Found::Wrong(wrongs) => wrongs.iter().for_each(|w| writeln!(out, "WRONG {:?}: {}", w.class, w.what).unwrap()),
        other => writeln!(out, "{other:?}").unwrap(),
    }
    out
}

fn looked_at(pair: &Pair, series: Series) -> (MergeOutcome, Truth, Found) {
    let truth = truth(&pair.base, &pair.ours, &pair.theirs);
    let merged = merge(&pair.base.print(), &pair.ours.print(), &pair.theirs.print(), &ConflictLabels::default());
    let found = examine(pair, &truth, &merged, series.ids);
    (merged, truth, found)
}

/// `share` per cent of mergeable pairs right at least; with ids everything.
fn hold(series: Series, few: usize, share: usize) {
    if let Ok(asked) = std::env::var("MEMDIR_SEED") {
        let (name, seed) = asked.split_once(':').expect("MEMDIR_SEED=SERIES:SEED");
        if name == series.name {
            let small = std::env::var_os("MEMDIR_WHOLE").is_none();
            println!("{}", report(series, seed.parse().expect("a number"), small));
        }
        return;
    }
    let tally = run(series, few);
    let table = tally.print(series.name);
    let judged = tally.mergeable + tally.conflicted;
    assert!(judged * 100 >= tally.pairs * 90 && tally.mergeable * 2 > judged, "{table}");
    assert!(tally.twins * 5 >= judged, "too few twins: {table}");
    // Without ids, one bullet taken out and another put in its place reads as a rewrite, once in thousands of pairs.
    let damage = if series.ids { judged / 5000 } else { judged / 500 + 1 };
    assert!(tally.classes.values().all(|n| *n <= damage) && tally.malformed == 0, "damage: {table}");
    // In a small sample one pair is more than a per cent.
    let spare = if series.ids { tally.mergeable / 2000 } else { 1 };
    assert!((tally.right + spare) * 100 >= tally.mergeable * share, "too few right: {table}");
    assert!(
        tally.false_conflicts.saturating_sub(spare) * 100 <= tally.mergeable * (100 - share).max(1),
        "too many false conflicts: {table}"
    );
    // Without ids a rewritten bullet can be a new one to everybody but the truth.
    let missed = if series.ids { tally.conflicted / 3000 } else { tally.conflicted / 10 + 1 };
    assert!(tally.missed + tally.untold <= missed, "missed conflicts: {table}");
    let right = if series.ids { 100 } else { share };
    assert!(
        (tally.right_conflicts + tally.missed + tally.untold + tally.conflicted / 500) * 100
            >= tally.conflicted * right,
        "conflicts: {table}"
    );
}

#[test]
fn pairs_with_ids_merge_right() {
    hold(IDS, 300, 100);
}

#[test]
fn pairs_without_ids_merge_right() {
    hold(BARE, 300, 99);
}

#[test]
fn many_operations_with_ids_merge_right() {
    hold(IDS_MANY, 120, 100);
}

#[test]
fn many_operations_without_ids_merge_right() {
    hold(BARE_MANY, 120, 98);
}

#[test]
fn a_side_that_another_editor_saved_merges_right() {
    hold(RESAVED, 100, 99);
}

/// The judge is tested: a result from the hidden identities is right, and every mutant of it is wrong.
#[test]
fn an_ideal_merge_is_right_and_a_spoiled_one_is_caught() {
    let mut caught: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut judged, mut conflicted) = (0, 0);
    for series in ALL {
        for seed in 0..count(70) {
            let pair = pair(seed, series);
            let truth = truth(&pair.base, &pair.ours, &pair.theirs);
            // A section that stays below one that is gone has a place that no text can show.
            let has_lost_parent =
                |e: &Expected| e.wants.iter().any(|w| w.options.iter().any(|o| o.path.contains(" /  / ")));
            if truth.unsettled.is_some() || truth.sides.iter().any(has_lost_parent) {
                continue;
            }
            let text = ideal(&pair, &truth);
            let about = || format!("{}:{seed}\n{:#?}\n{text}\n{}", series.name, pair.story, truth.conflicts.join("\n"));
            judged += 1;
            let known = known(&pair);
            if !truth.conflicts.is_empty() {
                conflicted += 1;
                let sides =
                    conflict_markers::split_sides(&text, 7).unwrap_or_else(|| panic!("no markers: {}", about()));
                for (i, side) in [sides.ours, sides.theirs].iter().enumerate() {
                    let wrongs = judge(side, &truth.sides[i], &pair, &known, false);
                    assert!(wrongs.is_empty(), "side {i}: {wrongs:#?}\n{}", about());
                }
                continue;
            }
            let wrongs = judge(&text, &truth.sides[0], &pair, &known, true);
            assert!(wrongs.is_empty(), "{wrongs:#?}\n{}", about());
            for (name, mutant) in mutants(&text, &pair.base.print(), seed as usize) {
                let found = !judge(&mutant, &truth.sides[0], &pair, &known, true).is_empty();
                let (seen, all) = caught.entry(name).or_default();
                (*seen, *all) = (*seen + usize::from(found), *all + 1);
                assert!(found, "{name} is not caught: {}\n{mutant}", about());
            }
        }
    }
    println!("{judged} ideal merges judged ({conflicted} with conflicts); mutants caught: {caught:?}");
    assert!(conflicted * 20 > judged, "{conflicted} of {judged} are in conflict");
    assert!(caught.values().all(|(seen, all)| seen == all), "{caught:?}");
}
