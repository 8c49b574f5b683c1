//! Power cuts, replayed: every state that the recorded calls of a command may have left on a disk which keeps what was
//! synced, and of the rest nothing, everything, or all but one.
//!
//! Never needs privileges: the states are plain directories. What a real disk does is `cuts.rs`.

use std::collections::BTreeSet;

use super::aftermath::{Expected, verdict, wrong};
use super::cases::chosen;
use super::model::{Disk, Image};
use super::order::Recorded;
use super::workspace::FaultWorkspace;
use super::{full, watched};

/// The states of a disk after which the power may go, each once, and whether the answer was out.
fn states(disk: &Disk) -> Vec<(bool, Image)> {
    let (mut known, mut states) = (BTreeSet::new(), Vec::new());
    for end in 0..=disk.len() {
        let loose = disk.loose(end);
        let mut add = |image: Image| {
            if known.insert((disk.answered(end), image.tree())) {
                states.push((disk.answered(end), image));
            }
        };
        add(disk.image(end, &|_| true, None));
        add(disk.image(end, &|i| !loose.contains(&i), None));
        for &one in &loose {
            add(disk.image(end, &|i| i != one, None));
            add(disk.image(end, &|i| i == one || !loose.contains(&i), None));
            if disk.is_write(one) {
                add(disk.image(end, &|_| true, Some(one)));
                add(disk.image(end, &|i| i == one || !loose.contains(&i), Some(one)));
            }
        }
    }
    states
}

#[test]
fn a_power_cut_loses_nothing_that_was_answered() {
    if !watched() {
        return;
    }
    let (mut tried, mut acknowledged, mut problems) = (0, 0, Vec::new());
    for case in chosen() {
        let recorded = Recorded::of(case, &[]);
        let expected = Expected::of(case, &recorded.before);
        let states = states(&recorded.disk());
        for (n, (answered, image)) in states.iter().enumerate() {
            if !full() && n % 3 != 0 && !answered {
                continue;
            }
            let workspace = FaultWorkspace::empty();
            image.write(workspace.path());
            tried += 1;
            acknowledged += usize::from(*answered);
            let mut result = wrong(&workspace, case, &expected);
            // Files whose durability was not awaited may be left over.
            result.retain(|w| !w.starts_with("litter"));
            if *answered && workspace.files() != expected.new {
                result.push("an acknowledged change is lost".into());
            }
            problems.extend(result.into_iter().map(|w| format!("{}: state {n}: {w}", case.name)));
        }
    }
    verdict(&format!("power cuts ({acknowledged} after the answer)"), tried, &problems);
}

#[test]
fn without_syncs_a_power_cut_loses_changes() {
    if !watched() {
        return;
    }
    let case = super::errors::named("update");
    let recorded = Recorded::of(case, &[("MEMDIR_DURABILITY", "fast")]);
    let lost = states(&recorded.disk())
        .into_iter()
        .filter(|(answered, image)| *answered && image.seen() == recorded.before.files());
    assert!(lost.count() > 0);
}
