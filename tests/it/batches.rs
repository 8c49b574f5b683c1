//! Generated batches, valid and invalid: a batch is applied whole or not at all, and an error is one JSON object.

use fastrand::Rng;
use memdir::change::Etag;
use memdir::commands::results::ChangeOutcome;
use memdir::commands::{self, ChangeOptions};
use memdir::operation::dialects;
use serde_json::{Value, json};

use crate::support::memory::full;
use crate::support::random_operations::{batch, memory};
use crate::support::{Memory, difference, handle};

fn how(force: bool, dry_run: bool) -> ChangeOptions {
    ChangeOptions { force, dry_run, create: true, ..ChangeOptions::default() }
}

/// 3,000 batches, 10,000 in the full run, in process. Two memories are compared: one gets the batch, the other the
/// output of its `-n --json`.
#[test]
fn batches_are_applied_whole_or_not_at_all_as_their_dry_run_reports() {
    let (mut made, mut refused, mut idle) = (0, 0, 0);
    let rounds = if full() { 100 } else { 30 };
    for round in 0..rounds {
        let (memory, copy) = (memory(), memory());
        let (session, other) = (memory.session(), copy.session());
        let mut rng = Rng::with_seed(round);
        let mut tree = memory.tree();
        for step in 0..100 {
            let text = batch(&mut rng, &tree);
            let what = || format!("round {round}, step {step}: {text}");
            let force = rng.usize(..3) == 0;
            let Ok(read) = dialects::parse_batch(&text) else {
                refused += 1;
                continue;
            };
            let dry = commands::change(&session, read.clone(), &how(force, true));
            let wet = commands::change(&session, read, &how(force, false));
            let now = memory.tree();
            match (dry, wet) {
                (Err(dry), Err(wet)) => {
                    refused += 1;
                    assert_eq!(now, tree, "{}\n{}", what(), difference(&tree, &now));
                    assert_eq!(dry.rejections, wet.rejections, "{}", what());
                    assert!(!wet.rejections.is_empty() && wet.rejections.iter().all(|r| r.changed == Some(false)));
                    assert!(wet.rejections.iter().all(|r| r.code.name() != "internal"), "{}\n{wet:?}", what());
                }
                (Ok(ChangeOutcome::Changed(dry)), Ok(ChangeOutcome::Changed(wet))) => {
                    assert_eq!(wet.changed, now != tree, "{}", what());
                    assert_eq!(wet.changed, wet.rev.is_some(), "{}", what());
                    assert_eq!(dry.changed, wet.changed, "{}", what());
                    let (made_now, idle_now) = if wet.changed { (1, 0) } else { (0, 1) };
                    (made, idle) = (made + made_now, idle + idle_now);
                    let handed = Value::Array(dry.operations.unwrap()).to_string();
                    let handed =
                        dialects::parse_batch(&handed).unwrap_or_else(|r| panic!("{}\n{handed}\n{r:?}", what()));
                    commands::change(&other, handed, &how(force, false))
                        .unwrap_or_else(|r| panic!("{}\n{r:?}", what()));
                    let theirs = copy.tree();
                    assert_eq!(theirs, now, "{}\n{}", what(), difference(&now, &theirs));
                }
                (dry, wet) => panic!("{}\n-n: {dry:?}\nand: {wet:?}", what()),
            }
            tree = now;
        }
    }
    // Neither kind is rare, or the test would prove little.
    assert!(
        made > 15 * rounds && refused > 15 * rounds && 2 * idle > rounds,
        "{made} made, {refused} refused, {idle} idle"
    );
}

#[test]
fn an_error_with_json_through_the_binary_is_one_object() {
    let memory = memory();
    let mut rng = Rng::with_seed(4711);
    let (mut made, mut refused) = (0, 0);
    for _ in 0..300 {
        let text = batch(&mut rng, &memory.tree());
        let ran = memory.run(["apply", "--json"]).stdin(text.as_str()).ends();
        match ran.status {
            0 => {
                made += 1;
                let answer = ran.json();
                assert_eq!(answer["changed"], !ran.difference.is_empty(), "{text}\n{ran}");
            }
            status => {
                refused += 1;
                assert!(matches!(status, 2..=5), "{text}\n{ran}");
                let error = ran.error();
                assert_eq!(error["changed"], false, "{text}\n{ran}");
                assert_eq!(ran.difference, "", "{text}\n{ran}");
                for key in ["code", "message", "try", "retryable", "details"] {
                    assert!(error.get(key).is_some(), "no {key}: {ran}");
                }
            }
        }
    }
    assert!(made > 40 && refused > 40, "{made} made, {refused} refused");
}

#[test]
fn all_failures_of_a_refused_batch_are_reported_with_their_numbers() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Prefers tabs\n- Vegan\n");
    let ops = json!([
        {"op": "add", "at": "user", "text": "Likes tea"},
        {"op": "rm", "at": "user@zzzz"},
        {"op": "update", "at": "user", "index": 1, "text": "x"},
        {"op": "rm", "at": "nosuch@abcd"},
    ]);
    let ran = memory.run(["apply", "--json"]).stdin(ops.to_string()).exit(3);
    let error = ran.error();
    let result: Vec<(u64, &str)> = error["failures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["operation"].as_u64().unwrap(), f["code"].as_str().unwrap()))
        .collect();
    assert_eq!(result, [(1, "bullet_not_found"), (2, "needs_proof"), (3, "file_not_found")]);
    assert_eq!(error["code"], "bullet_not_found");
    let wrong = json!([{"op": "add", "at": "user"}, {"op": "add", "at": "user", "text": "x"}, {"op": "bake"}]);
    let error = memory.run(["apply", "--json"]).stdin(wrong.to_string()).exit(2).error();
    let numbers: Vec<_> = error["failures"].as_array().unwrap().iter().map(|f| f["operation"].clone()).collect();
    assert_eq!(numbers, [0, 2]);
}

#[test]
fn positions_and_handles_of_a_batch_mean_the_state_before_it() {
    let memory = Memory::new().file("procedures/p.md", "- a one\n- b two\n- c three\n");
    let seen = Etag::of(b"- a one\n- b two\n- c three\n").short();
    let ops = json!([
        {"op": "rm", "at": "procedures/p.md", "index": 1, "seen": seen},
        {"op": "update", "at": "procedures/p.md", "index": 2, "seen": seen, "text": "B two"},
        {"op": "add", "at": "procedures/p.md", "text": "d four"},
    ]);
    memory
        .run(["apply"])
        .stdin(ops.to_string())
        .exit(0)
        .diff("M procedures/p.md\n-- a one\n-- b two\n+- B two\n+- d four\n");
}

#[test]
fn a_text_that_a_batch_adds_twice_at_one_place_is_added_once() {
    let memory = Memory::new();
    let answer = memory.done(["add", "user", "Prefers tabs", "Lives in Austin", "Prefers  tabs", "--json"]).json();
    let signs: Vec<&str> =
        answer["files"][0]["effects"].as_array().unwrap().iter().map(|row| row["sign"].as_str().unwrap()).collect();
    assert_eq!(signs, ["+", "+", "="], "{answer}");
    let batch = r#"[{"op":"add","at":"user#food","text":"Tea"},{"op":"add","at":"user#food","text":"Tea","meta":{"imp":3}},
                    {"op":"add","at":"user#work","text":"Tea"}]"#;
    memory.run(["apply"]).stdin(batch).exit(0).stdout_contains("= Tea");
    let text = memory.text("facts/user.md").unwrap();
    assert_eq!((text.matches("- Prefers tabs\n").count(), text.matches("- Tea\n").count()), (1, 2), "{text}");
}

#[test]
fn a_batch_with_overlapping_operations_is_refused_whole() {
    let text = "# U\n\n- Prefers tabs\n- Vegan\n";
    let tabs = format!("procedures/u.md@{}", handle("Prefers tabs"));
    let meets = [
        json!([{"op": "update", "at": tabs, "text": "x"}, {"op": "rm", "at": tabs}]),
        json!([{"op": "rm", "at": tabs}, {"op": "rm", "at": tabs}]),
        json!([{"op": "update", "at": tabs, "text": "x"}, {"op": "update", "at": tabs, "text": "y"}]),
        json!([{"op": "set", "at": tabs, "meta": {"imp": "3"}}, {"op": "rm", "at": tabs}]),
        json!([{"op": "add", "at": "procedures/u.md", "text": "x"}, {"op": "write", "at": "procedures/u.md", "text": "- y\n"}]),
        json!([{"op": "mv", "at": "procedures/u.md", "to": "procedures/v.md"}, {"op": "add", "at": "procedures/u.md", "text": "x"}]),
        json!([{"op": "mv", "at": "procedures/u.md", "to": "procedures/v.md"}, {"op": "add", "at": "procedures/v.md", "text": "x"}]),
        json!([{"op": "mv", "at": tabs, "to": "procedures/w.md"}, {"op": "update", "at": tabs, "text": "y"}]),
        json!([{"op": "patch", "at": "procedures/u.md", "pairs": [{"old": "tabs", "new": "spaces"}]}, {"op": "rm", "at": tabs}]),
        // What is there already, and goes.
        json!([{"op": "rm", "at": tabs}, {"op": "add", "at": "procedures/u.md", "text": "Prefers tabs"}]),
        json!([{"op": "add", "at": "procedures/u.md", "text": "Prefers tabs"}, {"op": "update", "at": tabs, "text": "x"}]),
        json!([{"op": "mv", "at": tabs, "to": "procedures/w.md"}, {"op": "add", "at": "procedures/u.md", "text": "Prefers tabs"}]),
        json!([{"op": "rm", "at": "procedures/u.md"}, {"op": "add", "at": "procedures/u.md", "text": "Vegan"}]),
    ];
    for ops in meets {
        let memory = Memory::new().file("procedures/u.md", text);
        let ran = memory.run(["apply", "-f", "--create", "--json"]).stdin(ops.to_string()).exit(2);
        assert_eq!(ran.error()["code"], "overlapping_operations", "{ops}");
    }
}

#[test]
fn what_is_there_already_may_be_added_beside_changes_that_leave_it() {
    let text = "# U\n\n- Prefers tabs [[b]]\n- Vegan\n- Vegan\n";
    let add = |text: &str| json!({"op": "add", "at": "facts/u.md", "text": text});
    for ops in [
        json!([{"op": "mv", "at": "facts/b.md", "to": "facts/c.md"}, add("Prefers tabs [[b]]")]),
        json!([{"op": "rm", "at": "facts/u.md#u@2"}, add("Vegan")]),
        json!([{"op": "set", "at": "facts/u.md#u@1", "meta": {"imp": "3"}}, add("Prefers tabs [[b]]")]),
    ] {
        let memory = Memory::new().file("facts/u.md", text).file("facts/b.md", "- x\n");
        memory.run(["apply", "-f", "--json"]).stdin(ops.to_string()).exit(0);
        let text = memory.text("facts/u.md").unwrap();
        assert!(text.contains("- Prefers tabs [[") && text.contains("- Vegan\n"), "{ops}\n{text}");
    }
}

#[test]
fn a_dry_run_with_force_is_handed_over_with_the_etag_that_proves_it() {
    let lines: [&[&str]; 4] =
        [&["rm", "x", "-f"], &["rm", "x@1", "-f"], &["update", "x@1", "New", "-f"], &["mv", "x@1", "y", "-f"]];
    for line in lines {
        let memory = Memory::new().file("facts/x.md", "# X\n\n- One\n- Two\n").file("facts/y.md", "# Y\n\n- Other\n");
        let planned = memory.run(line.iter().chain(&["-n", "--json"])).exit(0).stdout;
        let wanted = memory.tree();
        // Of another text it proves nothing.
        memory.put("facts/x.md", "# X\n\n- Changed\n- Two\n");
        memory.run(["apply", "-"]).stdin(planned.clone()).exit(4).unchanged();
        memory.put("facts/x.md", "# X\n\n- One\n- Two\n");
        assert_eq!(memory.tree(), wanted);
        memory.run(["apply", "-"]).stdin(planned).exit(0);
        let other = Memory::new().file("facts/x.md", "# X\n\n- One\n- Two\n").file("facts/y.md", "# Y\n\n- Other\n");
        other.done(line);
        assert_eq!(memory.tree(), other.tree(), "{line:?}");
    }
}

#[test]
fn a_dry_run_hands_over_the_users_words_and_options_say_more_than_the_batch() {
    let m = Memory::new().policy("version: 1\nsensitive: [city]\n").file("facts/user.md", "# User\n\n- Likes tea\n");
    let words = ["--as", "bot", "add", "user", "City: Bonn", "--consent", "yes, please remember that", "-n", "--json"];
    let planned = m.run(words).exit(0).stdout;
    m.run(["--as", "bot", "apply"]).stdin(planned).exit(0);
    let envelope = r#"{"operations":[{"op":"add","at":"user","text":"One"}],"reason":"of the batch","source":"s1"}"#;
    m.run(["apply", "-m", "of the caller", "--source", "s2"]).stdin(envelope).exit(0);
    let told = m.run(["log", "-L", "1"]).exit(0).stdout;
    for part in ["of the batch", "of the caller", "s2"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let no = r#"{"operations":[{"op":"add","at":"user","text":"City: Ulm"}],"consent":"no"}"#;
    m.run(["--as", "bot", "apply", "--consent", "yes, please remember"]).stdin(no).may_change().exit(5);
}

#[test]
fn a_dry_run_that_no_operations_can_make_says_so() {
    let memory = Memory::new();
    memory.done(["add", "x", "One"]);
    memory.done(["add", "x", "Two"]);
    let planned = memory.run(["undo", "-n", "--json"]).exit(0).stdout;
    assert!(planned.contains("so `memdir apply` cannot make the change"), "{planned}");
    memory.run(["apply", "-"]).stdin(planned).exit(2).unchanged();
}

#[test]
fn a_batch_with_an_id_is_applied_once_however_long_the_journal_is() {
    let memory = Memory::new();
    let batch = r#"{"request":"batch-1","operations":[{"op":"add","at":"user","text":"Lives in Rome"}]}"#;
    memory.run(["apply"]).stdin(batch).exit(0);
    memory.done(["update", "user", "Lives in Rome", "Lives in Paris"]);
    let filler = |from: usize| -> String {
        let words = "with a few words ".repeat(24);
        let add = |n: usize| format!("{{\"op\":\"add\",\"at\":\"f{}\",\"text\":\"Filler {n} {words}\"}}\n", n % 7);
        (from..from + 80).map(add).collect()
    };
    for n in 0..3 {
        memory.run(["apply"]).stdin(filler(n * 80)).exit(0);
        let again = memory.run(["apply", "--json"]).stdin(batch).exit(0);
        assert_eq!(again.json()["repeated"], true, "{n}");
        assert_eq!(again.json()["rev"], "r1", "{n}");
    }
    assert_eq!(memory.text("facts/user.md").unwrap().matches("Lives in").count(), 1);
}

#[test]
fn ids_before_the_end_of_the_journal_are_in_a_note() {
    let memory = Memory::new();
    let session = memory.session();
    let apply =
        |batch: &str| commands::change(&session, dialects::parse_batch(batch).unwrap(), &how(false, false)).unwrap();
    let words = "some words ".repeat(700);
    let named = |n: usize| {
        format!(r#"{{"request":"id-{n}","operations":[{{"op":"add","at":"f{}","text":"{n} {words}"}}]}}"#, n % 40)
    };
    (0..160).for_each(|n| drop(apply(&named(n))));
    // The first search of a long journal writes the note.
    for n in [0, 60, 159, 0, 1] {
        assert!(matches!(apply(&named(n)), ChangeOutcome::Repeated(_)), "{n}");
    }
    let note = fs_err::read_to_string(memory.dir().join(".memdir/cache-requests")).unwrap();
    assert!(note.lines().count() > 20, "{}", note.lines().count());
    assert!(!note.contains("id-"), "hashes only");
}

#[test]
fn an_update_to_a_text_that_the_batch_takes_from_another_bullet_is_no_duplicate() {
    let memory = Memory::new().file("facts/user.md", "- one\n- two\n- three\n");
    let [one, two] = ["one", "two"].map(|text| format!("user@{}", handle(text)));
    let update = |at: &str, text: &str| format!(r#"{{"op":"update","at":"{at}","text":"{text}"}}"#);
    let swap = format!("[{},{}]", update(&one, "two"), update(&two, "one"));
    memory.run(["apply"]).stdin(swap).exit(0);
    assert_eq!(memory.text("facts/user.md").unwrap(), "- two\n- one\n- three\n");
    memory.done(["undo"]);
    let replace = format!(r#"[{{"op":"rm","at":"{two}"}},{}]"#, update(&one, "two"));
    memory.run(["apply"]).stdin(replace).exit(0);
    assert_eq!(memory.text("facts/user.md").unwrap(), "- two\n- three\n");
    memory.done(["undo"]);
    // The bullet stays: an update of it to the text that it has is no change.
    let kept = format!("[{},{}]", update(&two, "two"), update(&one, "two"));
    memory.run(["apply"]).stdin(kept).exit(4).stderr_contains("duplicate: ");
    memory.run(["apply"]).stdin(update(&one, "two")).exit(4).stderr_contains("duplicate: @");
    // Nor may two bullets take one text, or a bullet a text that stands twice and is taken from one place.
    let three = format!("user@{}", handle("three"));
    let remove = format!(r#"{{"op":"rm","at":"{two}"}}"#);
    let both = format!("[{},{},{remove}]", update(&one, "two"), update(&three, "two"));
    memory.run(["apply"]).stdin(both).exit(4).unchanged().stderr_contains("duplicate: ");
    let children = format!("[{},{}]", update(&two, r"two\n  - child"), update(&one, "two"));
    memory.run(["apply"]).stdin(children).exit(4).unchanged().stderr_contains("duplicate: ");
    memory.put("facts/user.md", "- one\n- two\n- two\n");
    let first = r#"{"op":"rm","at":"user","index":2,"text":"two"}"#;
    let twice = format!("[{},{first}]", update(&one, "two"));
    memory.run(["apply"]).stdin(twice).exit(4).unchanged().stderr_contains("duplicate: ");
}

#[test]
fn code_in_a_bullet_is_the_same_in_printed_operations() {
    let text = "- Build the docs like this\n\n      make docs\n      make check\n- Then this\n\n  ```\n  a\n   \n  \tb\n  ```\n";
    let [direct, printed, proposed] = [(); 3].map(|()| Memory::new().policy("version: 2\nagents: {write: propose}\n"));
    direct.run(["add", "x"]).stdin(text).exit(0);
    assert!(direct.text("facts/x.md").unwrap().ends_with(&format!("\n\n{text}")));
    let planned = printed.run(["add", "x", "-n", "--json"]).stdin(text).exit(0).stdout;
    printed.run(["apply"]).stdin(planned).exit(0);
    let refused = proposed.run(["add", "x"]).by("bot").stdin(text).may_change().exit(5);
    let (_, id) = refused.stderr.split_once("try: memdir inbox ").unwrap();
    let id = id.trim();
    proposed.done(["inbox", id, "--accept"]);
    for memory in [printed, proposed] {
        assert_eq!(memory.text("facts/x.md"), direct.text("facts/x.md"));
    }
}
