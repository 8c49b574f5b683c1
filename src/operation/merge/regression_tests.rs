//! Merges that went wrong once: base, ours and theirs → expected.

use super::tests::{check, check_conflict};
use super::{ConflictLabels, merge};

#[test]
fn a_bullet_that_nobody_removed_outlives_the_one_above_it() {
    // One side indents a bullet below another, which the other side rewrites or removes.
    let base = "- Work at Acme\n- Standup at ten\n- Likes tea\n";
    let indented = "- Work at Acme\n  - Standup at ten\n- Likes tea\n";
    for theirs in ["- Job: Initech\n- Standup at ten\n- Likes tea\n", "- Standup at ten\n- Likes tea\n"] {
        check(base, indented, theirs, theirs);
    }
    // The bullet is edited where it stays.
    check("- a one\n- b two\n- c\n", "- a one\n  - b two\n- c\n", "- b two three\n- c\n", "- b two three\n- c\n");
    // What hangs below it stays below it.
    check(
        "- Echo\n- Delta\n- Foxtrot\n",
        "- Delta\n  - Foxtrot\n    - Echo\n",
        "- Echo\n- Foxtrot\n",
        "- Foxtrot\n  - Echo\n",
    );
    // A bullet that is rewritten; the other side lifts its grandchild, or lets another list hang below it.
    for [base, ours, theirs] in [
        [
            "- Plans for summer\n  - trip\n    - Book train\n",
            "- Holidays\n  - trip\n    - Book train\n",
            "- Plans for summer\n  - trip\n  - Book train\n",
        ],
        [
            "- Travel\n  - trip\n- Food\n  - Book train\n  - coffee\n",
            "- Travel\n  - trip\n  - Book train\n  - coffee\n",
            "- Trips\n  - trip\n- Food\n  - Book train\n  - coffee\n",
        ],
    ] {
        for sides in [[ours, theirs], [theirs, ours]] {
            let out = merge(base, sides[0], sides[1], &ConflictLabels::default());
            assert!(["trip", "Book train"].iter().all(|text| out.text.contains(text)), "{}", out.text);
        }
    }
}

#[test]
fn lines_that_neither_side_touched_keep_their_indent() {
    check(
        "# T\n\n- one\n\n  ```sh\nexport A=1\n  run\n  ```\n\n- x\n- two\n",
        "# T\n\n- one edited here\n\n  ```sh\nexport A=1\n  run\n  ```\n\n- x\n- two\n",
        "# T\n\n- one\n\n  ```sh\nexport A=1\n  run\n  ```\n\n- x\n- two altered\n",
        "# T\n\n- one edited here\n\n  ```sh\nexport A=1\n  run\n  ```\n\n- x\n- two altered\n",
    );
    check(
        "# T\n\n- one bullet\n\n## Steps\n\n1. Write the file:\n   ```sh\n   cat > x <<EOF\nhello: 1\n  nested: 2\nEOF\n   ```\n2. Run it\n\n## End\n\n- x y\n- two bullet\n",
        "# T\n\n- one edited here bullet\n\n## Steps\n\n1. Write the file:\n   ```sh\n   cat > x <<EOF\nhello: 1\n  nested: 2\nEOF\n   ```\n2. Run it\n\n## End\n\n- x y\n- two bullet\n",
        "# T\n\n- one bullet\n\n## Steps\n\n1. Write the file:\n   ```sh\n   cat > x <<EOF\nhello: 1\n  nested: 2\nEOF\n   ```\n2. Run it\n\n## End\n\n- x y\n- two altered bullet\n",
        "# T\n\n- one edited here bullet\n\n## Steps\n\n1. Write the file:\n   ```sh\n   cat > x <<EOF\nhello: 1\n  nested: 2\nEOF\n   ```\n2. Run it\n\n## End\n\n- x y\n- two altered bullet\n",
    );
    check(
        "# T\n\n- one\n  - nested one\nlazy line\n- x\n- two\n",
        "# T\n\n- one edited here\n  - nested one\nlazy line\n- x\n- two\n",
        "# T\n\n- one\n  - nested one\nlazy line\n- x\n- two altered\n",
        "# T\n\n- one edited here\n  - nested one\nlazy line\n- x\n- two altered\n",
    );
    check(
        "# T\n\nPara.\n\n  ```sh\nexport A=1\n  ```\n\n## S\n\n- one\n- x\n- two\n",
        "# T\n\nPara.\n\n  ```sh\nexport A=1\n  ```\n\n## S\n\n- one edited here\n- x\n- two\n",
        "# T\n\nPara.\n\n  ```sh\nexport A=1\n  ```\n\n## S\n\n- one\n- x\n- two altered\n",
        "# T\n\nPara.\n\n  ```sh\nexport A=1\n  ```\n\n## S\n\n- one edited here\n- x\n- two altered\n",
    );
}

#[test]
fn an_id_may_start_with_a_digit() {
    check_conflict(
        "# U\n\n- weekly theme tests rust\n  <!-- mem id=3c3611 -->\n",
        "# U\n\n- review light anna friday\n  <!-- mem id=3c3611 -->\n",
        "# U\n\n- sqlite index backup lives\n  <!-- mem id=3c3611 -->\n",
        "# U\n\n<<<<<<< ours\n- review light anna friday\n  <!-- mem id=3c3611 -->\n||||||| base\n- weekly theme tests rust\n  <!-- mem id=3c3611 -->\n=======\n- sqlite index backup lives\n  <!-- mem id=3c3611 -->\n>>>>>>> theirs\n",
    );
}

#[test]
fn dates_of_different_entries_are_never_one() {
    check(
        "# 2026-02 Episodes\n\n## Moving plans\n\n- Date: 2026-02-03\n- Problem: the van was late\n- Solution: rented another one\n\n## Tax office\n\n- Date: 2026-02-04\n- Problem: form missing\n- Solution: asked Anna\n",
        "# 2026-02 Episodes\n\n## Tax office\n\n- Date: 2026-02-04\n- Problem: form missing\n- Solution: asked Anna\n\n## Ferry delay\n\n- Date: 2026-02-20\n- Problem: storm in the channel\n- Solution: took the train\n",
        "# 2026-02 Episodes\n\n## Tax office\n\n- Date: 2026-02-04\n- Problem: form missing\n- Solution: asked Anna\n\n## Server down\n\n- Date: 2026-02-23\n- Problem: disk full on staging\n- Solution: rotated logs\n",
        "# 2026-02 Episodes\n\n## Tax office\n\n- Date: 2026-02-04\n- Problem: form missing\n- Solution: asked Anna\n\n## Ferry delay\n\n- Date: 2026-02-20\n- Problem: storm in the channel\n- Solution: took the train\n\n## Server down\n\n- Date: 2026-02-23\n- Problem: disk full on staging\n- Solution: rotated logs\n",
    );
    check_conflict(
        "# E\n\n## Moving plans\n\n- Date: 2026-02-03\n- Problem: the van was late\n",
        "# E\n\n## Ferry delay\n\n- Date: 2026-02-20\n- Problem: storm in the channel\n",
        "# E\n\n## Moving plans\n\n- Date: 2026-02-03\n  - the day Ruth called\n- Problem: the van was late\n",
        "# E\n\n## Ferry delay\n\n- Date: 2026-02-20\n- Problem: storm in the channel\n\n## Moving plans\n\n<<<<<<< ours\n||||||| base\n- Date: 2026-02-03\n=======\n- Date: 2026-02-03\n  - the day Ruth called\n>>>>>>> theirs\n",
    );
}

#[test]
fn a_step_that_one_side_removed_stays_removed_whatever_the_list_became() {
    let (base, ours, theirs) = (
        "# U\n\nSteps to follow:\n1. Open the door\n2. Feed the cat\n3. Water the plants\n4. Lock the door\n",
        "# U\n\nSteps to follow:\n2. Feed the cat\n3. Water the plants\n4. Lock the door\n",
        "# U\n\nSteps to follow:\n1. Open the door\n2. Feed the cat\n3. Water the plants\n",
    );
    for (ours, theirs) in [(ours, theirs), (theirs, ours)] {
        let merged = merge(base, ours, theirs, &ConflictLabels::default());
        assert_eq!(merged.text, "# U\n\nSteps to follow:\n2. Feed the cat\n3. Water the plants\n");
    }
}

#[test]
fn what_both_sides_rewrote_in_one_place_is_a_conflict() {
    check_conflict(
        "# U\n\n- Prefers tabs\n- Lives in Austin\n- Vegan since 2024\n",
        "# U\n\n- Prefers spaces\n- Lives in Porto\n- Vegan since 2023\n",
        "# U\n\n- Prefers two spaces\n- Lives in Lisbon\n- Vegan since 2022\n",
        "# U\n\n<<<<<<< ours\n- Prefers spaces\n||||||| base\n- Prefers tabs\n=======\n- Prefers two spaces\n>>>>>>> theirs\n<<<<<<< ours\n- Lives in Porto\n||||||| base\n- Lives in Austin\n=======\n- Lives in Lisbon\n>>>>>>> theirs\n<<<<<<< ours\n- Vegan since 2023\n||||||| base\n- Vegan since 2024\n=======\n- Vegan since 2022\n>>>>>>> theirs\n",
    );
    check_conflict(
        "# U\n\nOld intro sentence.\n\n- a\n",
        "# U\n\nAnn leads the harbour project.\n\n- a\n",
        "# U\n\nEverything moved to the cloud in May.\n\n- a\n",
        "# U\n\n<<<<<<< ours\nAnn leads the harbour project.\n||||||| base\nOld intro sentence.\n=======\nEverything moved to the cloud in May.\n>>>>>>> theirs\n\n- a\n",
    );
    check_conflict(
        "# U\n\nIntro.\n\n## Identity\n\n- Ann\n\n## Work\n\n- Works at Initech\n",
        "# U\n\nIntro.\n\n## Identity\n\n- Ann\n\n## Career\n\n- Joined Acme in May\n",
        "# U\n\nIntro.\n\n## Identity\n\n- Ann\n\n## Job\n\n- Works at Initech\n",
        "# U\n\nIntro.\n\n## Identity\n\n- Ann\n\n<<<<<<< ours\n## Career\n||||||| base\n## Work\n=======\n## Job\n>>>>>>> theirs\n\n- Joined Acme in May\n",
    );
}

#[test]
fn two_updates_of_one_bullet_in_other_words_conflict_in_its_place_only() {
    let text = |bullet: &str| format!("# U\n\n- Vegan since 2024\n- {bullet}\n");
    let base = text("Lives in Lisbon");
    let (ours, theirs) = (text("Moved to Porto in May"), text("Home is Berlin now"));
    check_conflict(
        &base,
        &ours,
        &theirs,
        "# U\n\n- Vegan since 2024\n<<<<<<< ours\n- Moved to Porto in May\n||||||| base\n- Lives in Lisbon\n=======\n- Home is Berlin now\n>>>>>>> theirs\n",
    );
    // A bullet that both sides took out, and others that stand elsewhere, are no edits of one bullet.
    check(
        "# U\n\n- Lives in Lisbon\n- Vegan since 2024\n",
        "# U\n\n- Vegan since 2024\n- Moved to Porto in May\n",
        "# U\n\n- Vegan since 2024\n- Home is Berlin now\n",
        "# U\n\n- Vegan since 2024\n- Home is Berlin now\n- Moved to Porto in May\n",
    );
}

#[test]
fn what_both_sides_added_below_different_items_stays_below_each() {
    check(
        "# P\n\n- a\n",
        "# P\n\n- a\n- one\n  - open\n    <!-- mem imp=3 -->\n",
        "# P\n\n- a\n- two\n  - open\n    <!-- mem imp=3 -->\n",
        "# P\n\n- a\n- one\n  - open\n    <!-- mem imp=3 -->\n- two\n  - open\n    <!-- mem imp=3 -->\n",
    );
    check(
        "# P\n\n- a\n- b\n",
        "# P\n\n- a\n  - open\n- b\n",
        "# P\n\n- a\n- b\n  - open\n",
        "# P\n\n- a\n  - open\n- b\n  - open\n",
    );
    // Below one item it is kept once.
    check(
        "# P\n\n- a\n",
        "# P\n\n- a\n- one\n  - open\n  - x\n",
        "# P\n\n- a\n- one\n  - open\n  - y\n",
        "# P\n\n- a\n- one\n  - open\n  - x\n  - y\n",
    );
    check("# P\n\n- a\n", "# P\n\n- a\n  - open\n", "# P\n\n- a\n  - open\n", "# P\n\n- a\n  - open\n");
}

#[test]
fn both_edits_of_a_short_bullet_stand_in_the_conflict() {
    let [base, near, far] = ["milk", "oat milk", "soy"].map(|text| format!("# T\n\n- tea\n- {text}\n- rye\n"));
    let conflict = |ours: &str, theirs: &str| {
        format!(
            "# T\n\n- tea\n<<<<<<< ours\n- {ours}\n||||||| base\n- milk\n=======\n- {theirs}\n>>>>>>> theirs\n- rye\n"
        )
    };
    check_conflict(&base, &near, &far, &conflict("oat milk", "soy"));
    check_conflict(&base, &far, &near, &conflict("soy", "oat milk"));
    // A long new text in the place of a short one is a fact of its own, whatever the other side made of that.
    let own = base.replace("milk", "The harbour closes at six on Sundays in winter");
    let text = "# T\n\n- tea\n- The harbour closes at six on Sundays in winter\n<<<<<<< ours\n- oat milk\n||||||| base\n- milk\n=======\n>>>>>>> theirs\n- rye\n";
    check_conflict(&base, &near, &own, text);
}

#[test]
fn what_occurs_below_another_heading_of_the_same_name_is_added_all_the_same() {
    let base = "# P\n\n## A\n\n### Todo\n\n- call Bob\n\n## B\n\n### Todo\n\n- order the desk\n- paint the wall\n\n## Log\n\n- may\n";
    check(
        base,
        &base.replace("- order the desk\n", "").replace("- may\n", "- may\n- june\n"),
        &base.replace("- order the desk\n", "- call Bob\n"),
        &base.replace("- order the desk\n", "- call Bob\n").replace("- may\n", "- may\n- june\n"),
    );
    let base = "# P\n\n## A\n\n### Status\n\n- green light\n\n## B\n\n### Status\n\n- red light\n\n## Log\n\n- may\n";
    let removed = base.replace("- red light\n", "").replace("- may\n", "- may\n- june\n");
    let edited = base.replace("- red light\n", "- green light\n");
    let merged = merge(base, &removed, &edited, &ConflictLabels::default());
    assert_eq!(merged.text.matches("- green light\n").count(), 2, "{}", merged.text);
    let base = "- t\n\n```\npull\nrestart\nsleep 30\ncheck\n```\n";
    check(
        base,
        &base.replace("sleep 30\n", "").replace("- t\n", "- t\n- u\n"),
        &base.replace("sleep 30\ncheck\n", "check\nrestart\n"),
        &base.replace("sleep 30\ncheck\n", "check\nrestart\n").replace("- t\n", "- t\n- u\n"),
    );
}

#[test]
fn a_duplicate_with_a_paragraph_outlives_the_bare_one() {
    let base = "# T\n\n- Deploys run on Monday\n- Standup at ten\n";
    let ours = base.replace("Monday", "Friday");
    for more in ["\n  Ask Bob for the key.\n", "\n  ```\n  make\n  ```\n", "  <!-- mem imp=3 -->\n\n  Ask Bob.\n"] {
        let theirs = format!("{base}- Deploys run on Friday\n{more}");
        check(base, &ours, &theirs, &theirs.replace("- Deploys run on Monday\n", ""));
        // Each side has other lines below the text.
        let ours = ours.replace("Friday\n", "Friday\n\n  Not in winter.\n");
        let merged = merge(base, &ours, &theirs, &ConflictLabels::default());
        assert!(merged.text.contains("Not in winter.") && merged.text.contains(more), "{}", merged.text);
    }
    // An id may be linked to.
    let merged = merge(
        &base.replace("Monday\n", "Monday\n  <!-- mem id=m1 -->\n"),
        &ours.replace("Friday\n", "Friday\n  <!-- mem id=m1 -->\n"),
        &format!("{base}- Deploys run on Friday\n  <!-- mem id=m2 -->\n\n  Ask Bob.\n")
            .replace("Monday\n", "Monday\n  <!-- mem id=m1 -->\n"),
        &ConflictLabels::default(),
    );
    assert!(["id=m1", "id=m2", "Ask Bob."].iter().all(|part| merged.text.contains(part)), "{}", merged.text);
}

#[test]
fn a_bullet_that_one_side_moved_and_the_other_copied_stands_there_once() {
    check(
        "# T\n\n## A\n\n- Ana likes tea\n- Bob likes coffee\n\n## B\n\n- Carl likes milk\n",
        "# T\n\n## A\n\n- Bob likes coffee\n\n## B\n\n- Carl likes milk\n- Ana likes tea\n- Dora likes rum\n",
        "# T\n\n## A\n\n- Ana likes tea\n- Bob likes coffee\n- Emil likes ale\n\n## B\n\n- Carl likes milk\n- Ana likes tea\n",
        "# T\n\n## A\n\n- Bob likes coffee\n- Emil likes ale\n\n## B\n\n- Carl likes milk\n- Ana likes tea\n- Dora likes rum\n",
    );
}

#[test]
fn two_new_blocks_of_code_that_differ_in_indent_are_a_conflict() {
    let with = |block: &str| format!("# T\n\n- a\n\n{block}");
    let [one, other] = ["  b:\n    c: 1\n", "  b:\n  c: 1\n"].map(|code| with(&format!("```yaml\na:\n{code}```\n")));
    let merged = merge("# T\n\n- a\n", &one, &other, &ConflictLabels::default());
    assert_eq!(merged.conflicts.len(), 1, "{}", merged.text);
    // Blanks at the ends of lines mean nothing in code, nor where the lines of a paragraph end.
    check("# T\n\n- a\n", &one, &one.replace("a:\n", "a:  \n"), &one);
    check("# T\n\n- a\n", &with("one two\nthree\n"), &with("one\ntwo three\n"), &with("one\ntwo three\n"));
}
