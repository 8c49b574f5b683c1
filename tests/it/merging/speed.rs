//! How long a merge takes: measured only where the large numbers are requested, because a busy machine is a poor clock.
//!
//! In a debug build the bounds are looser.

use std::time::{Duration, Instant};

use memdir::operation::merge::{ConflictLabels, merge};

use super::random::Chance;

/// A file of about so many bytes, and two changed copies that touch every 50th bullet at most.
fn texts(bytes: usize) -> [String; 3] {
    let mut chance = Chance::new(7);
    let mut lines = vec!["# Facts".to_owned(), String::new()];
    let mut size = 0;
    while size < bytes {
        if lines.len() % 40 == 0 {
            lines.extend([String::new(), format!("## {} {}", chance.heading(), lines.len()), String::new()]);
        }
        let line = format!("- {} {}", chance.bullet(), chance.below(100_000));
        size += line.len() + 1;
        lines.push(line);
    }
    let side = |chance: &mut Chance| {
        let mut lines = lines.clone();
        for _ in 0..(lines.len() / 100).max(3) {
            let at = chance.below(lines.len());
            if !lines[at].starts_with("- ") {
                continue;
            }
            match chance.below(4) {
                0 => lines.insert(at, format!("- {}", chance.bullet())),
                1 => drop(lines.remove(at)),
                2 => {
                    let moved = lines.remove(at);
                    let to = 2 + chance.below(lines.len() - 2);
                    lines.insert(to, moved);
                }
                _ => lines[at] = format!("- {}", chance.small_edit(&lines[at][2..])),
            }
        }
        lines.join("\n") + "\n"
    };
    let [ours, theirs] = [0, 1].map(|_| side(&mut chance));
    [lines.join("\n") + "\n", ours, theirs]
}

fn fastest(texts: &[String; 3], tries: usize) -> Duration {
    let one = |_| {
        let start = Instant::now();
        let merged = merge(&texts[0], &texts[1], &texts[2], &ConflictLabels::default());
        assert!(!merged.text.is_empty());
        start.elapsed()
    };
    (0..tries).map(one).min().expect("at least one try")
}

#[test]
fn merging_5_kb_takes_3_ms() {
    let looser = if cfg!(debug_assertions) { 40 } else { 1 };
    let small = fastest(&texts(5 << 10), 20);
    assert!(small < Duration::from_millis(3) * looser, "5 KB took {small:?}");
    if !crate::support::memory::full_or_skipped("a merge of 4 MB") {
        return;
    }
    let large = fastest(&texts(4 << 20), 5);
    println!("5 KB {small:?}, 4 MB {large:?}");
    assert!(large < Duration::from_secs(1) * looser, "4 MB took {large:?}");
}
