//! Undo and redo: every byte, every mode, every file, in every order; and what happens when others wrote meanwhile.

use fastrand::Rng;
use memdir::commands::results::ChangeOutcome;
use memdir::commands::{self, ChangeOptions, UndoOptions};
use memdir::operation::dialects;
use serde_json::Value;

use crate::support::random_operations::{memory, operation};
use crate::support::{Memory, Tree, difference, handle};

#[track_caller]
fn same(got: &Tree, expected: &Tree, what: &str) {
    assert!(got == expected, "{what}\n{}", difference(expected, got));
}

/// Any sequence of operations, as many undos as revisions, as many redos: every state on the way is restored.
#[test]
fn as_many_undos_as_revisions_lead_back_and_as_many_redos_forth() {
    let mut revisions = 0;
    for seed in 0..150 {
        let memory = memory();
        let modes = [0o600, 0o644, 0o640];
        for (i, name) in memory.tree().keys().enumerate() {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(modes[i % 3]);
            fs_err::set_permissions(memory.dir().join(name), mode).unwrap();
        }
        let session = memory.session();
        let mut rng = Rng::with_seed(seed + 90_000);
        let how = ChangeOptions { force: true, create: true, ..ChangeOptions::default() };
        let (mut states, mut reported) = (vec![memory.tree()], Vec::new());
        for _ in 0..12 {
            let ops: Vec<Value> =
                (0..1 + rng.usize(..2)).map(|_| operation(&mut rng, states.last().unwrap())).collect();
            let text = Value::Array(ops).to_string();
            let Ok(batch) = dialects::parse_batch(&text) else { continue };
            if let Ok(ChangeOutcome::Changed(done)) = commands::change(&session, batch, &how)
                && done.rev.is_some()
            {
                states.push(memory.tree());
                reported.push(text);
            }
        }
        revisions += reported.len();
        let what = |verb: &str, i: usize| format!("seed {seed}: {verb} {i} of\n{}", reported.join("\n"));
        for i in (0..reported.len()).rev() {
            commands::undo(&session, &UndoOptions::default(), &ChangeOptions::default())
                .unwrap_or_else(|why| panic!("{}\n{why:?}", what("undo", i)));
            same(&memory.tree(), &states[i], &what("undo", i));
        }
        for i in 0..reported.len() {
            commands::redo(&session, None, &ChangeOptions::default())
                .unwrap_or_else(|why| panic!("{}\n{why:?}", what("redo", i)));
            same(&memory.tree(), &states[i + 1], &what("redo", i));
        }
    }
    assert!(revisions > 500, "{revisions}");
}

fn small() -> Memory {
    Memory::new().file("procedures/p.md", "- one\n- two\n- three\n")
}

fn at(text: &str) -> String {
    format!("procedures/p.md@{}", handle(text))
}

#[test]
fn undo_goes_further_back_and_reports_when_nothing_is_left() {
    let memory = small();
    memory.done(["add", "procedures/p.md", "four"]);
    memory.done(["rm", &at("one")]);
    memory.done(["undo"]).diff("M procedures/p.md\n+- one\n");
    memory.done(["undo"]).diff("M procedures/p.md\n-- four\n");
    memory.done(["undo"]).unchanged().stderr_contains("there is nothing to undo or redo");
    memory.done(["redo"]).diff("M procedures/p.md\n+- four\n");
    memory.done(["redo"]).diff("M procedures/p.md\n-- one\n");
    memory.done(["redo"]).unchanged();
}

#[test]
fn what_changes_nothing_neither_names_an_older_revision_that_is_none_nor_says_that_it_undid_one() {
    let memory = small();
    memory.done(["add", "procedures/p.md", "four"]);
    memory.done(["redo"]).unchanged().stderr_contains("there is nothing to undo or redo\n");
    memory.done(["undo"]);
    memory.done(["redo"]);
    let log = memory.done(["log", "--json"]).json();
    assert_eq!(log["entries"][1]["what"], "undo r1", "{log}");
    let answer = memory.done(["undo", "r2", "--json"]).unchanged().json();
    assert_eq!((&answer["changed"], answer.get("undone")), (&serde_json::json!(false), None), "{answer}");
}

#[test]
fn undo_by_takes_back_one_callers_change_under_anothers() {
    let memory = small();
    memory.run(["update", &at("one"), "uno"]).by("ann").exit(0);
    memory.run(["update", &at("three"), "tres"]).by("bob").exit(0);
    memory.done(["undo", "--by", "ann"]).diff("M procedures/p.md\n-- uno\n+- one\n");
    memory.done(["undo", "--by", "ann"]).unchanged();
    assert_eq!(memory.text("procedures/p.md").unwrap(), "- one\n- two\n- tres\n");
    let undone = memory.done(["undo", "--by", "bob", "--json"]).json();
    assert_eq!(undone["undone"], "r2");
}

#[test]
fn undo_of_a_file_that_moved_on_merges_and_a_conflict_writes_nothing() {
    let memory = small();
    memory.done(["update", &at("one"), "uno"]);
    memory.put("procedures/p.md", "- uno\n- two\n- three\n- a person's\n");
    memory.done(["undo"]).diff("M procedures/p.md\n-- uno\n+- one\n");
    memory.done(["redo"]).diff("M procedures/p.md\n-- one\n+- uno\n");
    memory.put("procedures/p.md", "- UNO!\n- two\n- three\n- a person's\n");
    memory.run(["undo"]).exit(4).stderr_contains("conflict").stderr_contains("nothing was changed");
    let error = memory.run(["undo", "--json"]).exit(4).error();
    assert_eq!(error["details"]["path"], "procedures/p.md");
}

#[test]
fn keep_edited_keeps_an_edited_file_and_undoes_the_rest() {
    let memory = small().file("procedures/q.md", "- q\n");
    let ops = r#"[{"op":"add","at":"procedures/q.md","text":"more"},
                  {"op":"update","at":"procedures/p.md","old":"one","text":"uno"}]"#;
    memory.run(["apply"]).stdin(ops).exit(0);
    memory.put("procedures/p.md", "- UNO!\n- two\n- three\n");
    memory.run(["undo"]).exit(4);
    memory.done(["undo", "--keep-edited"]).diff("M procedures/q.md\n-- more\n").stderr_contains("procedures/p.md");
}

#[test]
fn a_revision_is_undone_once_and_by_its_name() {
    let memory = small();
    memory.done(["add", "procedures/p.md", "four"]);
    memory.done(["add", "procedures/p.md", "five"]);
    memory.done(["undo", "r1"]).diff("M procedures/p.md\n-- four\n");
    memory.run(["undo", "r1"]).exit(4).stderr_contains("exists");
    memory.run(["undo", "r99"]).exit(3).stderr_contains("revision_not_found");
    memory.done(["redo", "r1"]).diff("M procedures/p.md\n+- four\n");
}

#[test]
fn a_revision_that_is_not_undone_is_not_redone() {
    let memory = Memory::new();
    memory.done(["add", "u", "Likes tea", "Plays chess"]);
    memory.done(["add", "u", "Owns a boat"]);
    memory.run(["redo", "r1"]).exit(4).stderr_contains("exists: r1 is not undone, so there is nothing to redo");
    memory.run(["redo", "r2"]).exit(4);
    memory.done(["rm", &format!("u@{}", handle("Likes tea"))]);
    // What a later command removed was not taken by an editor.
    memory.run(["redo", "r1"]).exit(4);
    memory.run(["redo", "r1", "-n"]).exit(4);
    memory.done(["undo"]);
    memory.run(["redo", "r4"]).exit(4);
    memory.done(["redo", "r3"]).stdout_contains("redone r3");
}

#[test]
fn a_change_that_an_editor_dropped_is_named_by_status_and_made_again_by_redo() {
    let memory = small();
    let before = memory.text("procedures/p.md").unwrap();
    memory.done(["add", "procedures/p.md", "four"]);
    memory.put("procedures/p.md", before + "- from the editor\n");
    memory.done(["status"]).stdout_contains("r1");
    memory.done(["redo", "r1"]).diff("M procedures/p.md\n+- four\n");
}

/// The bullets that `status` lists as dropped.
fn dropped(memory: &Memory) -> Vec<String> {
    let status = memory.done(["status", "--json"]).json();
    let rows = status["dropped"].as_array().cloned().unwrap_or_default();
    rows.iter().map(|row| format!("{}: {}", row["rev"].as_str().unwrap(), row["text"].as_str().unwrap())).collect()
}

#[test]
fn redo_of_a_dropped_change_leaves_removed_what_a_later_change_removed() {
    let memory = Memory::new();
    memory.done(["add", "user", "Alpha one", "Beta two", "Gamma three"]);
    memory.done(["rm", &format!("user@{}", handle("Beta two"))]);
    memory.put("facts/user.md", "# User\n\n- Alpha one\n");
    assert_eq!(dropped(&memory), ["r1: Gamma three"]);
    memory.done(["redo", "r1"]).diff("M facts/user.md\n+- Gamma three\n");
    assert!(dropped(&memory).is_empty());
    memory.run(["redo", "r1"]).exit(4).stderr_contains("exists");
}

#[test]
fn redo_of_a_dropped_change_leaves_headings_removed_and_reaches_over_several_edits() {
    let memory = Memory::new();
    memory.done(["add", "user#Home", "Owns a boat", "Has two cats"]);
    memory.done(["add", "user", "Plays chess", "Keeps bees"]);
    memory.done(["rm", "-f", "user#home"]);
    memory.put("facts/user.md", "# User\n\n- Keeps bees\n");
    memory.done(["add", "user", "Lives in Lisbon"]);
    memory.done(["rm", &format!("user@{}", handle("Keeps bees"))]);
    memory.put("facts/user.md", "# User\n\n- Lives in Lisbon\n- from the editor\n");
    memory.run(["redo", "r1"]).exit(4).stderr_contains("exists: r1 is not undone");
    assert_eq!(dropped(&memory), ["r2: Plays chess"]);
    memory.done(["redo", "r2"]).diff("M facts/user.md\n+- Plays chess\n");
}

#[test]
fn a_bullet_that_was_rephrased_outside_is_not_dropped() {
    let memory = Memory::new();
    memory.done(["add", "user", "Prefers tabs", "Deploys on Fridays", "Vegan since 2024"]);
    memory.done(["update", &format!("user@{}", handle("Prefers tabs")), "Prefers spaces"]);
    let text = memory.text("facts/user.md").unwrap();
    memory.put("facts/user.md", text.replace("Fridays", "Mondays"));
    assert!(dropped(&memory).is_empty());
    memory.run(["redo", "r1"]).exit(4).stderr_contains("exists");
    // Dropped beside it: an update whose bullet is gone, and a bullet of the first revision.
    memory.put("facts/user.md", "# User\n\n- Deploys on Mondays\n");
    assert_eq!(dropped(&memory), ["r2: Prefers spaces", "r1: Vegan since 2024"]);
    memory.done(["redo", "r1"]).diff("M facts/user.md\n+- Vegan since 2024\n");
    memory.done(["redo", "r2"]).diff("M facts/user.md\n+- Prefers spaces\n");
}

#[test]
fn an_update_that_an_editor_took_back_is_dropped_and_made_again() {
    let memory = Memory::new();
    memory.done(["add", "user", "Prefers tabs", "Vegan since 2024"]);
    let opened = memory.text("facts/user.md").unwrap();
    memory.done(["update", &format!("user@{}", handle("Prefers tabs")), "Prefers spaces"]);
    memory.put("facts/user.md", opened.replace("Vegan", "A vegan"));
    assert_eq!(dropped(&memory), ["r2: Prefers spaces"]);
    memory.done(["redo", "r2"]);
    let text = memory.text("facts/user.md").unwrap();
    assert!(text.ends_with("- Prefers spaces\n- A vegan since 2024\n"), "{text}");
}

#[test]
fn removed_moved_archived_and_written_files_are_restored_with_bytes_and_modes() {
    let memory =
        small().file("facts/user.md", "# User\n\nsee [[p]]\n").file("facts/latin.md", "# L\r\n\r\n- caf\u{e9}");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o640);
    fs_err::set_permissions(memory.dir().join("procedures/p.md"), mode).unwrap();
    let first = memory.tree();
    let steps: [&[&str]; 6] = [
        &["mv", "procedures/p.md", "procedures/renamed.md"],
        &["rm", "-f", "facts/latin.md"],
        &["rm", "-f", "--archive", "procedures/renamed.md"],
        &["set", "user", "title=Who"],
        &["mv", "user", "facts/deep/who.md"],
        &["rm", "-f", "facts/deep/who.md"],
    ];
    let mut states = vec![first];
    for step in steps {
        assert_ne!(memory.done(step).difference, "", "{step:?}");
        states.push(memory.tree());
    }
    memory.run(["write", "-f", "facts/latin.md"]).stdin("new\n").exit(0);
    for (i, state) in states.iter().enumerate().rev() {
        memory.done(["undo"]);
        same(&memory.tree(), state, &format!("undo to {i}"));
    }
}

#[test]
fn a_dry_undo_shows_and_writes_nothing() {
    let memory = small();
    memory.done(["rm", &at("two")]);
    memory.done(["undo", "-n"]).unchanged().stdout_contains("+- two");
    memory.done(["undo", "-n", "--json"]).unchanged();
    memory.done(["undo"]).diff("M procedures/p.md\n+- two\n");
}

#[test]
fn a_forgotten_text_cannot_be_restored_by_undo() {
    let memory = small();
    memory.done(["rm", "--forget", &at("two")]);
    memory.run(["undo", "r1"]).exit(3).stderr_contains("history_gone");
    memory.done(["undo"]).unchanged();
}

#[test]
fn undo_after_forget_proposes_no_older_revision() {
    let memory = Memory::new();
    memory.done(["add", "user", "Likes tea", "Likes cocoa"]);
    memory.done(["add", "places", "Lives in Oslo"]);
    memory.done(["rm", "--forget", &format!("places@{}", crate::support::handle("Lives in Oslo"))]);
    let refused = memory.run(["undo"]).exit(3).unchanged();
    let refused = refused.stderr_contains("was made with --forget").stderr_contains("try: memdir log\n");
    assert!(!refused.stderr.contains("try: memdir undo"), "{refused}");
}

/// No slot holds the text with which a file was created.
#[test]
fn the_creation_of_a_file_that_was_edited_since_is_undone_and_compared() {
    let memory = Memory::new();
    memory.done(["add", "preferences", "Prefers tabs"]);
    memory.done(["add", "user", "Lives in Austin"]);
    let created = memory.text("facts/preferences.md").unwrap();
    memory.put("facts/preferences.md", created + "- By hand\n");
    memory.done(["diff", "r1", "preferences"]).stdout_contains("+- By hand");
    memory.done(["undo", "r1"]).diff("M facts/preferences.md\n-> Summary: tabs\n-\n-- Prefers tabs\n");
}

#[test]
fn the_summary_of_a_merged_undo_names_what_is_left() {
    let memory = Memory::new();
    memory.done(["add", "user", "Bicycle: red", "Drinks tea"]);
    memory.done(["add", "user", "Car: blue"]);
    memory.done(["undo", "r1"]);
    assert_eq!(memory.text("facts/user.md").unwrap(), "# User\n\n> Summary: car\n\n- Car: blue\n");
    memory.done(["check"]);
    memory.done(["redo"]).stdout_contains("+ @");
    memory.done(["check"]);
}

#[test]
fn the_diff_of_one_file_needs_no_history_of_another() {
    let memory = Memory::new();
    memory.run(["write", "facts/big.md", "--create"]).stdin(format!("# Big\n\n- {}\n", "x ".repeat(3000))).exit(0);
    memory.done(["add", "preferences", "Prefers tabs"]);
    memory.done(["add", "preferences", "Likes tea"]);
    memory.put("facts/big.md", "# Big\n\n- By hand\n");
    fs_err::remove_dir_all(memory.dir().join(".memdir/undo")).unwrap();
    memory.done(["diff", "r2", "preferences"]).stdout_contains("+- Likes tea");
}

#[test]
fn a_handle_from_before_an_edit_by_hand_is_explained_in_a_file_that_was_created_and_never_changed() {
    let memory = Memory::new();
    memory.done(["add", "preferences", "Prefers tabs"]);
    let created = memory.text("facts/preferences.md").unwrap();
    memory.put("facts/preferences.md", created.replace("Prefers tabs", "Prefers spaces"));
    let address = format!("preferences@{}", handle("Prefers tabs"));
    memory.run(["rm", &address]).exit(4).stderr_contains("bullet_changed").stderr_contains("Prefers spaces");
}

#[cfg(target_os = "linux")]
#[test]
fn a_moved_file_keeps_its_extended_attributes() {
    let memory = Memory::new().file("facts/old.md", "# Old\n\n- One\n");
    let at = |name: &str| memory.dir().join(name);
    if rustix::fs::setxattr(at("facts/old.md"), "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_err() {
        return;
    }
    let has_note = |name: &str| {
        let mut value = Vec::with_capacity(64);
        let read = rustix::fs::getxattr(at(name), "user.note", rustix::buffer::spare_capacity(&mut value));
        read.is_ok() && value == b"kept"
    };
    memory.done(["mv", "facts/old.md", "facts/new.md"]);
    assert!(has_note("facts/new.md"));
    memory.done(["undo"]);
    assert!(has_note("facts/old.md"));
}

/// Two callers in one list, each on bullets of its own: taking back all that one did leaves what the other did, or is
/// refused where adjacent lines changed so much that they cannot be distinguished; that is rare.
#[test]
fn undoing_all_of_one_callers_changes_leaves_exactly_the_others() {
    let (mut refused, mut reordered) = (0, 0);
    let base: String = (0..3).map(|i| format!("- ann {i}\n- bob {i}\n")).collect();
    for seed in 0..100 {
        let (both, alone) =
            (Memory::new().file("procedures/p.md", &base), Memory::new().file("procedures/p.md", &base));
        let (mut ann, mut bob, mut only) = (both.session(), both.session(), alone.session());
        (ann.actor, bob.actor, only.actor) = ("ann".into(), "bob".into(), "bob".into());
        let mut rng = Rng::with_seed(seed + 1000);
        let mut own = ["ann", "bob"].map(|who| (0..3).map(|i| format!("{who} {i}")).collect::<Vec<_>>());
        let (mut undos, mut log) = (0, Vec::new());
        for step in 0..10 {
            let who = rng.usize(..2);
            let texts = &mut own[who];
            let fresh = format!("{} says {step}", ["ann", "bob"][who]);
            let op = match rng.usize(..3) {
                0 if !texts.is_empty() => {
                    let text = texts.remove(rng.usize(..texts.len()));
                    serde_json::json!({"op": "rm", "at": at(&text)})
                }
                1 if !texts.is_empty() => {
                    let i = rng.usize(..texts.len());
                    let text = std::mem::replace(&mut texts[i], fresh.clone());
                    serde_json::json!({"op": "update", "at": at(&text), "text": fresh})
                }
                _ => {
                    texts.push(fresh.clone());
                    serde_json::json!({"op": "add", "at": "procedures/p.md", "text": fresh})
                }
            };
            log.push(format!("{} {op}", ["ann", "bob"][who]));
            let batch = || dialects::parse_batch(&op.to_string()).unwrap();
            commands::change(if who == 0 { &ann } else { &bob }, batch(), &ChangeOptions::default()).unwrap();
            match who {
                0 => undos += 1,
                _ => drop(commands::change(&only, batch(), &ChangeOptions::default()).unwrap()),
            }
        }
        let query = UndoOptions { by: Some("ann".into()), ..UndoOptions::default() };
        let before = (0..undos).find_map(|_| {
            let before = both.tree();
            commands::undo(&bob, &query, &ChangeOptions::default()).err().map(|why| (before, why))
        });
        match before {
            None => {
                // Nothing lost and nothing invented, ever; what two callers put into one place may come back in another
                // order.
                let lines = |m: &Memory| {
                    let mut lines: Vec<String> =
                        m.text("procedures/p.md").unwrap().lines().map(str::to_owned).collect();
                    lines.sort();
                    lines
                };
                assert_eq!(lines(&both), lines(&alone), "seed {seed}\n{}", log.join("\n"));
                reordered += usize::from(both.tree() != alone.tree());
            }
            Some((before, why)) => {
                refused += 1;
                assert_eq!(why.rejections[0].code.name(), "conflict", "seed {seed}: {why:?}");
                same(&both.tree(), &before, &format!("seed {seed}: a conflict writes nothing"));
            }
        }
    }
    assert!(refused == 0 && reordered <= 10, "{refused} refused, {reordered} reordered of 100");
}

#[test]
fn an_undo_of_what_was_moved_since_names_the_move() {
    let memory = Memory::new();
    memory.done(["add", "user", "A one", "B two"]);
    memory.done(["update", "user", "A one", "A 1"]);
    memory.done(["mv", "user", "people"]);
    let moved = "facts/user.md was moved to facts/people.md by r3";
    for (rev, hint) in [("r2", "undo r3 first, then undo r2"), ("r1", "undo r3 first, then undo r1")] {
        let refused = memory.run(["undo", rev]).exit(4);
        refused.stderr_contains(moved).stderr_contains(hint).stderr_contains("try: memdir undo r3");
    }
    // As the hint says.
    memory.done(["undo", "r3"]);
    memory.done(["undo", "r2"]);
    assert!(memory.text("facts/user.md").unwrap().contains("- A one\n- B two\n"));
}

#[test]
fn an_undo_of_what_was_removed_since_says_so() {
    let memory = Memory::new();
    memory.done(["add", "user", "A one", "B two"]);
    memory.done(["update", "user", "A one", "A 1"]);
    memory.done(["rm", "facts/user.md", "-f"]);
    let refused = memory.run(["undo", "r2"]).exit(4);
    refused.stderr_contains("facts/user.md was removed by r3").stderr_contains("try: memdir undo r3");
    // It is gone, which is all that the undo of its creation could do.
    memory.done(["undo", "r1"]).unchanged();
}

#[test]
fn undo_leaves_the_waiting_proposal_of_another_alone() {
    let memory = Memory::new();
    memory.done(["add", "user", "Prefers tabs"]);
    memory.run(["add", "user", "Lives in Austin"]).by("planner").may_change().exit(5).stderr_contains("waits");
    memory.run(["undo"]).exit(0).stdout_contains("undone r1").stdout_contains("- @acvh Prefers tabs");
    // Named, it is withdrawn.
    memory.run(["undo", "--by", "planner"]).exit(0).stdout_contains("removed inbox/");
}

#[test]
fn a_precondition_is_refused_where_no_file_is_named() {
    let memory = Memory::new();
    memory.done(["add", "user", "Prefers tabs"]);
    for command in ["undo", "redo", "prune", "resolve", "inbox"] {
        memory.run([command, "--if-match", "deadbeef00"]).exit(2).unchanged();
    }
}

/// A bullet of the same text in another section is another one.
#[test]
fn an_undo_is_not_stopped_by_a_change_of_an_equal_bullet() {
    let text = "# Plan\n\n## Mon\n- gym\n- work\n\n## Tue\n- gym\n- rest\n";
    let memory = Memory::new().file("facts/plan.md", text);
    memory.done(["rm", "plan#mon@1", "-f"]);
    memory.done(["update", "plan#tue@1", "-f", "swim"]);
    memory.done(["undo", "r1"]);
    let now = memory.text("facts/plan.md").unwrap();
    assert!(now.contains("## Mon\n- gym\n- work\n") && now.contains("## Tue\n- swim\n"), "{now}");
}

/// A later revision put the bullet back, and another replaced or removed it: the text is out of date.
#[test]
fn an_undo_does_not_bring_back_what_later_changes_brought_back_and_replaced() {
    let two = handle("two");
    let (user, me) = (format!("user@{two}"), format!("me@{two}"));
    let update = ["update", &user, "TWO"];
    let cases: [(&str, &[&[&str]]); 8] = [
        ("r4", &[&["rm", "--archive", &user], &["restore", &user], &update]),
        ("r4", &[&["rm", &user], &["add", "user", "two"], &update]),
        ("r4", &[&["rm", &user], &["add", "user", "two"], &["rm", &user]]),
        ("r4", &[&["mv", &user, "me"], &["mv", &me, "user"], &update]),
        ("r3", &[&["mv", &user, "me"], &["rm", &me, "-f"]]),
        ("r3", &[&["mv", &user, "me"], &["mv", &me, "third"]]),
        ("r4", &[&["mv", "user", "me"], &["update", &me, "TWO"], &["rm", "me", "-f"]]),
        ("r3", &[&["rm", "--archive", &user], &["rm", &format!("archive/facts/{user}"), "-f"]]),
    ];
    for (by, steps) in cases {
        let memory = Memory::new();
        memory.done(["add", "user", "one", "two"]);
        let before = memory.tree();
        steps.iter().for_each(|step| drop(memory.done(*step)));
        let refused = memory.run(["undo", "r2"]).exit(4).unchanged();
        refused.stderr_contains("conflict: ").stderr_contains(&format!("try: memdir undo {by}\n"));
        memory.done(["undo", "r2", "--keep-edited"]).unchanged().stderr_contains("left as it is");
        // One revision after the other.
        steps.iter().for_each(|_| drop(memory.done(["undo"])));
        same(&memory.tree(), &before, &format!("{steps:?}"));
    }
}

#[test]
fn an_undo_neither_brings_back_what_another_program_removed_nor_adds_a_bullet_twice() {
    let two = handle("two");
    let memory = Memory::new();
    memory.done(["add", "user", "one", "two"]);
    memory.done(["mv", &format!("user@{two}"), "me"]);
    fs_err::write(memory.dir().join("facts/me.md"), "# Me\n\n- three\n").unwrap();
    memory.run(["undo", "r2"]).exit(4).unchanged().stderr_contains("which another program removed, moved or replaced");

    let memory = Memory::new();
    memory.done(["add", "user", "one", "two"]);
    memory.done(["rm", &format!("user@{two}")]);
    memory.done(["add", "user#work", "two"]);
    memory.run(["undo", "r2"]).exit(4).unchanged().stderr_contains("a second time");

    let memory = Memory::new();
    memory.done(["add", "user", "one", "two"]);
    memory.done(["rm", &format!("user@{two}")]);
    memory.done(["add", "user", "two"]);
    memory.run(["undo", "r1"]).exit(4).unchanged().stderr_contains("would remove");

    let memory = Memory::new();
    memory.done(["add", "user#a", "one", "two"]);
    memory.done(["mv", &format!("user@{two}"), "user#b"]);
    memory.done(["mv", &format!("user@{two}"), "user#c"]);
    memory.run(["undo", "r2"]).exit(4).unchanged().stderr_contains("which was moved since");
}

#[test]
fn an_undo_that_skips_a_file_leaves_what_was_moved_out_of_it_where_it_is() {
    let memory = Memory::new();
    memory.done(["add", "user", "one", "two"]);
    memory.done(["mv", &format!("user@{}", handle("two")), "me"]);
    memory.done(["rm", "user", "-f"]);
    memory.done(["undo", "r2", "--keep-edited"]).unchanged().stderr_contains("facts/me.md: r2 moved bullets");
}

#[test]
fn undo_after_forget_takes_back_nothing_older() {
    let memory = Memory::new();
    memory.done(["add", "user", "A1", "--create"]);
    memory.done(["add", "project", "Older fact", "--create"]);
    memory.done(["add", "user", "Secret fact"]);
    memory.done(["add", "user", "Other fact"]);
    memory.done(["rm", "user", "- Secret fact", "--forget"]);
    let before = memory.tree();
    let refused = memory.run(["undo"]).ends();
    assert!(refused.status != 0 && refused.stderr.contains("r5"), "{refused}");
    assert_eq!(memory.tree(), before);
    let log = memory.done(["log"]).stdout;
    assert_eq!(log.matches("rm --forget").count(), 1, "{log}");
}

#[test]
fn undo_tells_a_moved_file_from_an_edited_one() {
    let memory = Memory::new();
    memory.done(["add", "user", "A1", "--create"]);
    let ops = r#"[{"op":"add","at":"user","text":"B2"},{"op":"add","at":"other","text":"C3","create":true}]"#;
    memory.run(["apply"]).stdin(ops).exit(0);
    memory.done(["mv", "user", "person", "--create"]);
    let undone = memory.done(["undo", "r2", "--keep-edited"]);
    assert!(!undone.stderr.contains("edited"), "{undone}");
    undone.stderr_contains("facts/user.md was moved to facts/person.md by r3; left as it is");
}

#[test]
fn a_redo_does_not_bring_back_what_later_changes_replaced() {
    let two = format!("user@{}", handle("two"));
    let memory = Memory::new();
    memory.done(["add", "user", "one"]);
    memory.done(["add", "user", "two"]);
    memory.done(["undo"]);
    memory.done(["add", "user", "two"]);
    memory.done(["update", &two, "TWO"]);
    memory.run(["redo", "r2"]).exit(4).unchanged().stderr_contains("try: memdir undo r5\n");
}

/// An equal bullet of another section went in between, so that the file has no more of them than the revision left.
#[test]
fn a_bullet_that_came_back_while_an_equal_one_went_is_not_added_twice() {
    let memory = Memory::new().file("facts/x.md", "# X\n\n## A\n\n- same\n- a\n\n## B\n\n- same\n- b\n");
    memory.done(["rm", "x#a@1", "-f"]);
    memory.done(["rm", "x#b@1", "-f"]);
    memory.done(["add", "x#a", "same"]);
    memory.run(["undo", "r1"]).exit(0).unchanged().stderr_contains("nothing of r1 is left to undo");
}

/// A file that was made at the path of one that was moved is another file.
#[test]
fn a_move_to_a_file_that_was_renamed_is_not_undone_in_a_new_file_of_its_name() {
    let memory = Memory::new()
        .file("facts/user.md", "# User\n\n- Apple pie\n")
        .file("facts/bee.md", "# Bee\n\n- Kept one\n- Kept two\n");
    memory.done(["mv", "bee@1", "user", "-f"]);
    memory.done(["mv", "user", "people"]);
    memory.done(["add", "user", "Something new"]);
    let refused = memory.run(["undo", "r1"]).exit(4).unchanged();
    assert!(refused.stderr.contains("facts/user.md was moved to facts/people.md by r2"), "{refused}");
    // Back at its place, it is the same file.
    memory.done(["rm", "user", "-f"]);
    memory.done(["mv", "people", "user"]);
    memory.done(["add", "user", "Something else"]);
    memory.done(["undo", "r1"]);
    assert!(memory.text("facts/bee.md").unwrap().contains("- Kept one\n"));
    assert!(!memory.text("facts/user.md").unwrap().contains("Kept one"));
}

/// An editor took the bullet out, and wrote one that another section has, too.
#[test]
fn undo_leaves_what_an_editor_wrote() {
    let text = "# User\n\n- Apple pie\n- Blue sky\n\n## Work\n\n- Cold tea\n- Apple pie\n\n## Home\n\n- Dark roast\n";
    let memory = Memory::new().file("facts/user.md", text);
    memory.done(["add", "user#work", "Early bird"]);
    let edited = memory.text("facts/user.md").unwrap().replace("- Early bird\n", "");
    let edited = edited.replacen("- Apple", "- Blue sky\n- Apple", 1);
    memory.put("facts/user.md", &edited);
    let undone = memory.done(["undo", "r1"]).unchanged();
    assert!(undone.stderr.contains("nothing of r1 is left to undo") && !undone.stdout.contains("undone"), "{undone}");
    // With the bullet still there, only that goes.
    for before in ["- Cold tea\n", "- Apple pie\n\n##"] {
        let memory = Memory::new().file("facts/user.md", text);
        memory.done(["add", "user#work", "Early bird"]);
        let after = before.replacen('\n', "\n- Early bird\n", 1);
        memory.put("facts/user.md", edited.replace(before, &after));
        memory.done(["undo", "r1"]);
        assert_eq!(memory.text("facts/user.md").unwrap().matches("- Blue sky\n").count(), 2);
        assert!(!memory.text("facts/user.md").unwrap().contains("Early bird"));
    }
}

/// A later change did the same: the summary line alone is nothing to undo, and nothing to redo after it.
#[test]
fn an_undo_that_would_change_the_summary_line_alone_is_none() {
    let text = "# User\n\n- Apple pie\n\n## Work\n\n- Cold tea\n- Dark roast\n";
    let memory = Memory::new().file("facts/user.md", text);
    memory.done(["rm", "user#work@2", "-f"]);
    memory.done(["add", "user#work", "Dark roast"]);
    let undone = memory.done(["undo", "r1"]).unchanged();
    assert!(undone.stderr.contains("nothing of r1 is left to undo") && undone.stdout.is_empty(), "{undone}");
    memory.done(["redo"]).unchanged();
    // A revision that changed that line only is undone.
    memory.done(["set", "user", "summary=Who they are"]);
    memory.done(["undo"]).stdout_contains("undone r3");
    assert!(!memory.text("facts/user.md").unwrap().contains("Who they are"));
}

#[test]
fn redo_brings_nothing_back_that_a_revision_in_between_removed_or_moved() {
    let memory =
        Memory::new().file("facts/user.md", "# User\n\n- Has a cat\n").file("facts/other.md", "# Other\n\n- x\n");
    memory.done(["add", "user", "Likes tea", "Likes beer", "Has a dog"]);
    memory.done(["rm", "user@3", "-f"]);
    memory.done(["mv", "user@3", "other", "-f"]);
    let before = (memory.text("facts/user.md"), memory.text("facts/other.md"));
    memory.done(["undo", "r1"]);
    memory.done(["redo"]).stdout_contains("redone r1");
    assert_eq!((memory.text("facts/user.md"), memory.text("facts/other.md")), before);
    memory.done(["undo"]).stdout_contains("undone r3");
    memory.done(["undo"]).stdout_contains("undone r2").stdout_contains("Likes beer");
}

#[test]
fn a_refused_redo_names_what_was_asked_for() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Has a cat\n");
    memory.done(["add", "new", "One", "Two", "--create"]);
    memory.done(["add", "new", "Three"]);
    memory.done(["undo"]);
    memory.done(["mv", "new", "other", "--create"]);
    memory.run(["redo"]).exit(4).stderr_contains("undo r4 first, then redo r2");
    memory.done(["undo"]);
    memory.put("facts/new.md", memory.text("facts/new.md").unwrap() + "- Three\n");
    memory.done(["redo", "r2"]).unchanged().stderr_contains("nothing of r2 is left to redo");
}

#[test]
fn an_undo_leaves_the_permissions_of_a_file_as_its_owner_set_them() {
    use std::os::unix::fs::PermissionsExt;
    let memory = Memory::new();
    let file = memory.dir().join("facts/user.md");
    let set = |mode| fs_err::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
    let mode = || fs_err::metadata(&file).unwrap().permissions().mode() & 0o777;
    memory.done(["add", "user", "One item"]);
    set(0o644);
    memory.done(["add", "user", "Two item"]);
    set(0o600);
    memory.done(["undo"]);
    assert_eq!(mode(), 0o600);
    set(0o640);
    memory.done(["redo"]);
    assert_eq!(mode(), 0o640);
}

#[test]
fn an_undone_redo_is_made_again() {
    let memory = Memory::new();
    memory.done(["add", "user", "Prefers tabs"]);
    for words in [&["undo"][..], &["redo"], &["undo", "r3"]] {
        memory.done(words);
    }
    assert_eq!(memory.text("facts/user.md"), None);
    memory.run(["undo", "r1"]).exit(4).stderr_contains("r1 is already undone, by r4");
    memory.done(["redo"]).stdout_contains("Prefers tabs");
    assert!(memory.text("facts/user.md").unwrap().contains("- Prefers tabs"));
    memory.run(["redo", "r1"]).exit(4);
    memory.done(["undo"]);
    assert_eq!(memory.text("facts/user.md"), None);
}

#[test]
fn a_diff_back_in_time_is_the_inverse() {
    let memory = Memory::new();
    memory.done(["add", "user", "Prefers tabs"]);
    memory.done(["add", "user", "Prefers vim"]);
    memory.done(["diff", "r2..r1"]).stdout_contains("-- Prefers vim");
    memory.done(["mv", "user", "person"]);
    memory.done(["add", "person", "Likes tea"]);
    memory.done(["diff", "r4..r2"]).stdout_contains("rename from facts/person.md\nrename to facts/user.md");
    memory.done(["diff", "r3..r1"]).stdout_contains("rename from facts/person.md\nrename to facts/user.md");
}

#[test]
fn a_large_file_whose_first_text_is_gone_hides_no_other_difference() {
    let memory = Memory::new();
    let big = (0..300).map(|n| format!("- Fact {n} of the big file with some words\n")).collect::<String>();
    memory.run(["write", "facts/big.md", "--create"]).stdin(format!("# Big\n\n{big}")).exit(0);
    memory.done(["add", "user", "Prefers tabs"]);
    memory.put("facts/big.md", format!("# Big\n\n{big}- By hand\n"));
    let user = memory.text("facts/user.md").unwrap();
    memory.put("facts/user.md", user.replace("tabs", "spaces"));
    let lost = "facts/big.md: its earlier text is no longer in this machine's history";
    memory.done(["diff"]).stdout_contains("+- Prefers spaces").stdout_contains(lost);
    let json = memory.done(["diff", "--json"]).json();
    assert_eq!(json["files"].as_array().unwrap().len(), 2, "{json}");
    memory.run(["diff", "r1", "big"]).exit(3).stderr_contains("history_gone");
}

#[test]
fn a_file_that_cannot_be_read_is_not_called_removed() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Prefers tabs\n");
    memory.done(["add", "user", "Lives in Austin"]);
    memory.done(["add", "other", "Something", "--create"]);
    memory.put("facts/user.md", b"# User\n\n- Caf\xe9\n");
    memory.put("facts/other.md", "# Other\n\n- Else\n");
    let reason = "is not UTF-8 (byte 13)";
    let shown =
        memory.done(["diff"]).stdout_contains(&format!("# facts/user.md: {reason}\n")).stdout_contains("+- Else");
    assert!(!shown.stdout.contains("removed file"), "{shown}");
    memory.run(["diff", "r1", "user"]).exit(5).stderr_contains(reason);
    memory.done(["status"]).stdout_contains("facts/user.md");
    // Another program put a folder in its place.
    std::fs::remove_file(memory.dir().join("facts/user.md")).unwrap();
    std::fs::create_dir(memory.dir().join("facts/user.md")).unwrap();
    let shown = memory.done(["diff"]).stdout_contains("# facts/user.md: ");
    assert!(!shown.stdout.contains("removed file"), "{shown}");
}

#[test]
fn a_revision_of_many_files_is_undone_where_others_wrote_since() {
    let memory = Memory::new();
    let write = |n: usize| {
        let text = format!("# F{n}\n\n{}", format!("- A fact of number {n}\n").repeat(2) + "- Other words\n");
        serde_json::json!({"op": "write", "at": format!("facts/f{n}.md"), "text": text, "create": true}).to_string()
    };
    let before = memory.tree();
    memory.run(["apply"]).stdin((0..40).map(write).collect::<Vec<_>>().join("\n")).exit(0);
    memory.done(["add", "f7", "Something later"]);
    memory.done(["undo", "r1"]).stdout_contains("facts/f39.md");
    let left = memory.tree();
    let added: Vec<&String> = left.keys().filter(|path| !before.contains_key(*path)).collect();
    assert_eq!(added, ["facts/f7.md"]);
    assert!(memory.text("facts/f7.md").unwrap().ends_with("- Something later\n"));
}

#[test]
fn the_hint_of_a_redo_names_no_option_that_it_lacks() {
    let memory = Memory::new();
    memory.done(["add", "user", "Prefers tabs"]);
    memory.done(["update", "user", "Prefers tabs", "Prefers spaces"]);
    memory.done(["undo"]);
    memory.done(["update", "user", "Prefers tabs", "Prefers nothing"]);
    memory.run(["redo", "r2"]).exit(4).unchanged().stderr_contains("hint: edit the file manually\n");
}
