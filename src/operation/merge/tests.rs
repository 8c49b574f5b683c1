//! Merges of three texts: base, ours and theirs → expected.

use super::*;

fn merged(base: &str, ours: &str, theirs: &str) -> String {
    merge(base, ours, theirs, &ConflictLabels::default()).text
}

/// Checks a merge without conflict, with the sides swapped too.
pub fn check(base: &str, ours: &str, theirs: &str, expected: &str) {
    for (a, b) in [(ours, theirs), (theirs, ours)] {
        assert!(merge_by_structure(base, a, b).is_some(), "not understood");
        let got = merge(base, a, b, &ConflictLabels::default());
        assert_eq!(got.text, expected);
        assert!(got.conflicts.is_empty());
        assert_eq!(merged(base, &got.text, b), got.text, "merged again");
    }
}

pub fn check_conflict(base: &str, ours: &str, theirs: &str, expected: &str) {
    let got = merge(base, ours, theirs, &ConflictLabels::default());
    assert_eq!(got.text, expected);
    assert!(!got.conflicts.is_empty());
    for c in &got.conflicts {
        assert!(got.text.lines().nth(c.line - 1).unwrap().starts_with("<<<<<<<"));
    }
}

#[test]
fn one_side_alone_wins() {
    check("- a\n", "- b\n", "- a\n", "- b\n");
    check("- a\n", "- b\n", "- b\n", "- b\n");
    check("", "- a\n", "", "- a\n");
}

#[test]
fn bullets_are_independent() {
    check("- a\n- b\n", "- a\n- b\n- c\n", "- a\n", "- a\n- c\n");
    check(
        "# T\n\n- one thing\n- two things\n",
        "# T\n\n- one thing more\n- two things\n",
        "# T\n\n- one thing\n- two things more\n",
        "# T\n\n- one thing more\n- two things more\n",
    );
    check("# T\n\n- a\n", "# T\n\n- a\n- c\n", "# T\n\n- a\n- b\n", "# T\n\n- a\n- b\n- c\n");
    check("# T\n\n- a\n", "# T\n\n- a\n- b\n- d\n", "# T\n\n- a\n- b\n", "# T\n\n- a\n- b\n- d\n");
    check("- a\n- b\n- c\n", "- c\n", "- a\n- x\n- b\n- c\n", "- x\n- c\n");
}

#[test]
fn an_edit_merges_with_metadata_and_a_move() {
    check(
        "# T\n\n- Prefers tea\n\n## S\n\n- x y z\n",
        "# T\n\n- Prefers green tea\n\n## S\n\n- x y z\n",
        "# T\n\n- Prefers tea\n  <!-- mem imp=7 -->\n\n## S\n\n- x y z\n",
        "# T\n\n- Prefers green tea\n  <!-- mem imp=7 -->\n\n## S\n\n- x y z\n",
    );
    check(
        "# T\n\n- Prefers tea\n- other\n\n## S\n\n- x y z\n",
        "# T\n\n- Prefers green tea\n- other\n\n## S\n\n- x y z\n",
        "# T\n\n- other\n\n## S\n\n- x y z\n- Prefers tea\n",
        "# T\n\n- other\n\n## S\n\n- x y z\n- Prefers green tea\n",
    );
    check(
        "- a\n  <!-- mem imp=1 -->\n",
        "- a\n  <!-- mem imp=2 upd=2026-01-01 -->\n",
        "- a\n  <!-- mem imp=1 conf=0.5 upd=2026-02-01 -->\n",
        "- a\n  <!-- mem conf=0.5 imp=2 upd=2026-02-01 -->\n",
    );
}

#[test]
fn the_same_bullet_edited_twice_is_a_conflict_around_it_alone() {
    check_conflict(
        "# T\n\n- a\n- Prefers tabs\n- b\n",
        "# T\n\n- a\n- Prefers tabs always\n- b\n- c\n",
        "# T\n\n- x\n- a\n- Prefers spaces\n- b\n",
        "# T\n\n- x\n- a\n<<<<<<< ours\n- Prefers tabs always\n||||||| base\n- Prefers tabs\n=======\n- Prefers spaces\n>>>>>>> theirs\n- b\n- c\n",
    );
    check_conflict(
        "- Prefers tabs\n- b\n",
        "- b\n",
        "- Prefers tabs always\n- b\n",
        "<<<<<<< ours\n||||||| base\n- Prefers tabs\n=======\n- Prefers tabs always\n>>>>>>> theirs\n- b\n",
    );
    check_conflict(
        "- a\n",
        "- a\n  <!-- mem imp=1 -->\n",
        "- a\n  <!-- mem imp=2 -->\n",
        "<<<<<<< ours\n- a\n  <!-- mem imp=1 -->\n||||||| base\n- a\n=======\n- a\n  <!-- mem imp=2 -->\n>>>>>>> theirs\n",
    );
}

#[test]
fn sections_are_added_deleted_and_renamed() {
    check(
        "# T\n\n- a\n\n## Work\n\n- w one\n- w two\n",
        "# T\n\n- a\n\n## Job\n\n- w one\n- w two\n",
        "# T\n\n- a\n\n## Work\n\n- w one\n- w two\n- w three\n",
        "# T\n\n- a\n\n## Job\n\n- w one\n- w two\n- w three\n",
    );
    check(
        "# T\n\n- a\n",
        "# T\n\n- a\n\n## Travel\n\n- window seat\n",
        "# T\n\n- a\n\n## Travel\n\n- no red-eye flights\n",
        "# T\n\n- a\n\n## Travel\n\n- no red-eye flights\n- window seat\n",
    );
    check(
        "# T\n\n## A\n\n- a\n\n## B\n\n- b\n",
        "# T\n\n## B\n\n- b\n",
        "# T\n\n## A\n\n- a\n- new\n\n## B\n\n- b\n",
        "# T\n\n## A\n\n- new\n\n## B\n\n- b\n",
    );
}

#[test]
fn entries_of_one_title_stay_two() {
    let entry = |d: &str, s: &str| format!("\n## Weekly\n- Summary: {s}\n- Date: {d}\n");
    check(
        "# E\n",
        &format!("# E\n{}", entry("2026-02-03", "x")),
        &format!("# E\n{}", entry("2026-02-02", "y")),
        &format!("# E\n{}{}", entry("2026-02-02", "y"), entry("2026-02-03", "x")),
    );
}

#[test]
fn summaries_follow_their_own_rule() {
    check(
        "# T\n\n> Summary: name\n\n- Name: A\n",
        "# T\n\n> Summary: name, work\n\n- Name: A\n- Work: B\n",
        "# T\n\n> Summary: name, cat\n\n- Name: A\n- Cat: C\n",
        "# T\n\n> Summary: name, cat, work\n\n- Name: A\n- Cat: C\n- Work: B\n",
    );
}

#[test]
fn a_summary_of_one_side_is_no_reason_for_a_conflict() {
    let added = "# X\n\n- two\n";
    check(
        "# X\n",
        "# X\n\n> Summary: one\n\n## Job\n\n- one\n",
        added,
        "# X\n\n> Summary: one\n\n- two\n\n## Job\n\n- one\n",
    );
    check("# X\n", "# X\n\n> Summary: one\n\n- one\n", added, "# X\n\n> Summary: one\n\n- one\n- two\n");
    check("", "# X\n\n> Summary: one\n\n- one\n", added, "# X\n\n> Summary: one\n\n- one\n- two\n");
    check(
        "# X\n\n- base\n",
        "# X\n\n> Summary: one\n\n- base\n- one\n",
        "# X\n\nA paragraph.\n\n- base\n- two\n",
        "# X\n\n> Summary: one\n\nA paragraph.\n\n- base\n- one\n- two\n",
    );
    // One side deleted the line, the other one changed it.
    check(
        "# X\n\n> Summary: base\n\n- base\n",
        "# X\n\n> Summary: base, one\n\n- base\n- one\n",
        "# X\n\n- two\n- base\n",
        "# X\n\n> Summary: base, one\n\n- two\n- base\n- one\n",
    );
}

#[test]
fn line_endings_are_merged_separately() {
    check("\u{feff}- a\r\n- b\r\n", "\u{feff}- a\r\n- b\r\n- c", "\u{feff}- b\r\n", "\u{feff}- b\r\n- c");
    check("- a\n- b", "- a\r\n- b", "- a\n- b\n- c", "- a\r\n- b\r\n- c");
    check("- a\n\n- b\n", "- a\n\n- b\n\n- c\n", "- a\n\n- b  \n", "- a\n\n- b  \n\n- c\n");
}

#[test]
fn nested_items_are_bullets_too() {
    check(
        "- a\n  - x one\n  - y two\n",
        "- a\n  - x one more\n  - y two\n",
        "- a\n  - x one\n  - y two\n  - z\n",
        "- a\n  - x one more\n  - y two\n  - z\n",
    );
    check_conflict(
        "- a\n  - x\n- b\n",
        "- b\n",
        "- a\n  - x\n  - y\n- b\n",
        "<<<<<<< ours\n||||||| base\n- a\n  - x\n=======\n- a\n  - x\n  - y\n>>>>>>> theirs\n- b\n",
    );
}

#[test]
fn text_without_structure_is_merged_by_lines() {
    let marked = "<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n- z\n";
    assert!(merge_by_structure("- z\n", marked, "- z\n- new\n").is_none());
    assert_eq!(merged("- z\n", marked, "- z\n- new\n"), format!("{marked}- new\n"));
}

#[test]
fn a_base_with_markers_is_read_as_its_base() {
    let base = "<<<<<<<<< a\n- x one\n||||||||| o\n- x\n=========\n- x two\n>>>>>>>>> b\n- z\n";
    check(base, "- x one\n- z\n", "- x one\n- z\n- new\n", "- x one\n- z\n- new\n");
}

#[test]
fn text_added_on_both_sides_is_kept_once() {
    check(
        "- likes tea a lot\n- b\n",
        "- likes tea\n- b\n",
        "- likes tea a lot\n- b\n- likes tea\n",
        "- likes tea\n- b\n",
    );
    check("- a\n", "- a\n- new\n", "- a\n- new\n  <!-- mem imp=3 -->\n", "- a\n- new\n  <!-- mem imp=3 -->\n");
}

#[test]
fn equal_text_on_both_sides_outweighs_similarity() {
    check(
        "# W\n\n- Ships by boat on even Mondays\n- Other\n",
        "# W\n\n- Ships by truck on odd Mondays\n- Other\n",
        "# W\n\n- Ships by truck on odd Mondays\n- Ships by boat on odd Mondays\n- Other\n",
        "# W\n\n- Ships by truck on odd Mondays\n- Ships by boat on odd Mondays\n- Other\n",
    );
}

#[test]
fn lines_below_a_bullet_are_indented_for_its_new_marker() {
    check(
        "# T\n\n- one of many\n  goes on here\n  <!-- mem id=m1 -->\n\n## S\n\n1. first\n",
        "# T\n\n- one of many\n  goes on there\n  <!-- mem id=m1 -->\n\n## S\n\n1. first\n",
        "# T\n\n## S\n\n1. first\n2. one of many\n   goes on here\n   <!-- mem id=m1 -->\n",
        "# T\n\n## S\n\n1. first\n2. one of many\n   goes on there\n   <!-- mem id=m1 -->\n",
    );
}

#[test]
fn a_parent_with_a_new_text_keeps_what_the_other_side_changes_below_it() {
    let list = |head: &str, rest: &str| format!("# T\n\n- {head}\n  - one\n  - two\n{rest}");
    check(
        &list("Example:", "  - three\n"),
        &list("Usage:", "  - three\n"),
        &list("Example:", "  - three\n  - four\n"),
        &list("Usage:", "  - three\n  - four\n"),
    );
    check(
        &list("Example:", "  - three\n"),
        &list("Usage:", "  - three\n"),
        &list("Example:", "  - three changed\n"),
        &list("Usage:", "  - three changed\n"),
    );
    check(&list("{PROJECT}", ""), &list("Boat", ""), &list("{PROJECT}", "- Next\n"), &list("Boat", "- Next\n"));
    // Children of its own make it another bullet.
    check_conflict(
        "# T\n\n- Example:\n  - one\n  - two\n",
        "# T\n\n- Usage:\n  - other\n",
        "# T\n\n- Example:\n  - one\n  - two\n  - three\n",
        "# T\n\n- Usage:\n  - other\n<<<<<<< ours\n||||||| base\n- Example:\n  - one\n  - two\n=======\n\
         - Example:\n  - one\n  - two\n  - three\n>>>>>>> theirs\n",
    );
}
