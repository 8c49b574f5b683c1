//! Laws that hold for every merge, whatever is right: one side alone wins, order of sides does not matter, merging again
//! changes nothing; and where a line merge is clean and right, so is the engine.
//!
//! Uses the expected result only to decide which line merges are right.

use memdir::operation::merge::{ConflictLabels, merge};
use similar::TextMerge;

use super::change::pair;
use super::generator::Series;
use super::judge::{judge, known};
use super::pairs::{BARE, BARE_MANY, IDS, IDS_MANY, count};
use super::reader::read;
use super::truth::truth;

/// Bullets and blocks in file order.
fn order(text: &str) -> Vec<(String, Option<String>, String)> {
    read(text).facts.into_iter().map(|f| (f.path, f.parent, f.text)).collect()
}

fn texts(seed: u64, series: Series) -> [String; 3] {
    let pair = pair(seed, series);
    [&pair.base, &pair.ours, &pair.theirs].map(|f| f.print())
}

/// Fails with the first few of the pairs that break a law.
#[track_caller]
/// No pair of a small run breaks a law, and at most one in ten thousand of a full one.
fn none(broken: &[String], of: usize) {
    let shown = broken.iter().take(3).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(broken.len() <= of / 10_000, "{} of {of}:\n{shown}", broken.len());
}

fn shown(series: Series, seed: u64, texts: &[String; 3], got: &str) -> String {
    let [base, ours, theirs] = texts;
    format!("{}:{seed}\n---- base\n{base}\n---- ours\n{ours}\n---- theirs\n{theirs}\n---- got\n{got}", series.name)
}

#[test]
fn one_side_alone_wins_byte_for_byte() {
    let (mut broken, mut all) = (Vec::new(), 0);
    for series in [IDS, BARE, BARE_MANY] {
        for seed in 0..count(40) {
            let texts = texts(seed, series);
            let [base, ours, theirs] = texts.each_ref().map(String::as_str);
            for (o, a, b, want) in [(base, ours, base, ours), (base, base, theirs, theirs), (base, ours, ours, ours)] {
                all += 1;
                let got = merge(o, a, b, &ConflictLabels::default());
                if got.text != want || !got.conflicts.is_empty() {
                    broken.push(shown(series, seed, &texts, &got.text));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{} of {all}: {}", broken.len(), broken[0]);
}

#[test]
fn sides_swapped_give_the_same_bullets_in_the_same_order() {
    let (mut broken, mut all) = (Vec::new(), 0);
    for series in [IDS, BARE, IDS_MANY, BARE_MANY] {
        for seed in 0..count(40) {
            let texts = texts(seed, series);
            let [base, ours, theirs] = texts.each_ref().map(String::as_str);
            let one = merge(base, ours, theirs, &ConflictLabels::default());
            let other = merge(base, theirs, ours, &ConflictLabels::default());
            all += 1;
            let clean = one.conflicts.is_empty();
            let same =
                one.conflicts.len() == other.conflicts.len() && (!clean || order(&one.text) == order(&other.text));
            if !same {
                broken.push(shown(series, seed, &texts, &one.text) + "\n---- swapped\n" + &other.text);
            }
        }
    }
    println!("sides swapped: {} of {all} differ", broken.len());
    none(&broken, all);
}

/// How many clean merges change when one side is merged into them once more, of how many.
fn again(series: Series, few: usize) -> (usize, usize, Vec<String>) {
    let (mut broken, mut all) = (Vec::new(), 0);
    for seed in 0..count(few) {
        let texts = texts(seed, series);
        let [base, ours, theirs] = texts.each_ref().map(String::as_str);
        let Ok(merged) = merge(base, ours, theirs, &ConflictLabels::default()).into_clean_text() else { continue };
        all += 1;
        let twice = merge(base, &merged, theirs, &ConflictLabels::default());
        let mirrored = merge(base, ours, &merged, &ConflictLabels::default());
        for got in [twice, mirrored] {
            if got.text != merged {
                broken.push(shown(series, seed, &texts, &merged) + "\n---- merged again\n" + &got.text);
                break;
            }
        }
    }
    println!("{}: {} of {all} change when merged again", series.name, broken.len());
    (broken.len(), all, broken)
}

#[test]
fn merging_again_changes_nothing() {
    for (series, share) in [(IDS, 1000), (IDS_MANY, 990), (BARE, 970), (BARE_MANY, 970)] {
        let (changed, all, broken) = again(series, 50);
        assert!((all - changed + all / 1000) * 1000 >= all * share, "{changed} of {all}\n{}", broken.join("\n\n"));
    }
}

/// The result of git: the same algorithm as a library, or git itself where the large numbers are requested.
fn line_merge(texts: &[String; 3]) -> Option<String> {
    let merge = TextMerge::from_lines(&*texts[0], &*texts[1], &*texts[2]);
    (!merge.is_conflicted()).then(|| {
        let mut out = Vec::new();
        merge.to_writer(&mut out).expect("a vector takes it");
        String::from_utf8(out).expect("made of texts")
    })
}

fn git_merge(texts: &[String; 3]) -> Option<String> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let names = ["base", "ours", "theirs"];
    for (name, text) in names.iter().zip(texts) {
        fs_err::write(dir.path().join(name), text).expect("written");
    }
    let mut git = std::process::Command::new("git");
    let out = git.current_dir(&dir).args(["merge-file", "-p", "ours", "base", "theirs"]).output().expect("git runs");
    out.status.success().then(|| String::from_utf8(out.stdout).expect("made of texts"))
}

/// Pairs that a line merge settles rightly, and those of them that the engine does not.
fn against(lines: fn(&[String; 3]) -> Option<String>, few: u64) -> (usize, Vec<String>) {
    let (mut broken, mut right) = (Vec::new(), 0);
    for series in [IDS, BARE] {
        for seed in 0..few {
            let pair = pair(seed, series);
            let truth = truth(&pair.base, &pair.ours, &pair.theirs);
            let texts = texts(seed, series);
            let Some(text) = lines(&texts) else { continue };
            if truth.unsettled.is_some()
                || !truth.conflicts.is_empty()
                || !judge(&text, &truth.sides[0], &pair, &known(&pair), true).is_empty()
            {
                continue;
            }
            right += 1;
            let got = merge(&texts[0], &texts[1], &texts[2], &ConflictLabels::default());
            let bullets = |text: &str| {
                let mut facts = read(text).facts;
                facts.sort();
                facts
            };
            if !got.conflicts.is_empty() || bullets(&got.text) != bullets(&text) {
                broken.push(shown(series, seed, &texts, &got.text) + "\n---- git\n" + &text);
            }
        }
    }
    (right, broken)
}

#[test]
fn where_a_line_merge_is_clean_and_right_so_is_the_engine() {
    let (right, broken) = against(line_merge, count(120));
    println!("{right} line merges are clean and right, {} of them differ", broken.len());
    assert!(right > 30, "only {right}");
    none(&broken, right);
}

#[test]
fn where_git_merges_cleanly_and_rightly_so_does_the_engine() {
    let found = std::process::Command::new("git").arg("--version").output().is_ok();
    if !found {
        eprintln!("SKIPPED: git is missing");
        return;
    }
    let (right, broken) = against(git_merge, if crate::support::memory::full() { 2000 } else { 20 });
    println!("{right} merges of git are clean and right, {} of them differ", broken.len());
    assert!(right > 5, "only {right}");
    none(&broken, right);
}
