//! What the documents that memdir grew from ask of the life of a memory, each with the sentence that asks for it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::leaks::{Planted, ROWS, Rows, walk};
use crate::support::{CommandRun, Memory, handle};

fn on<'m>(memory: &'m Memory, day: &str, words: &[&str]) -> CommandRun<'m> {
    memory.run(words).env("MEMDIR_NOW", &format!("{day}T12:00:00Z"))
}

fn address(text: &str) -> String {
    format!("facts/user.md@{}", handle(text))
}

const POLICY: &str = "version: 2\nlifetimes:\n  - {at: facts/**, unused: 60d, below: 3, purge: 30d}\nexpired: archive\n\
     decay: {half_life: 90d, floor: 0.2}\n";

/// memory-spec 7: "Acceptance: no soft-deleted items in context; purge job removes post `purge_at`."
#[test]
fn what_is_archived_is_in_no_context_and_purged_after_its_day() {
    let text = "# User\n\n- Rents a flat\n  <!-- mem imp=1 upd=2026-01-01 -->\n- Keeps bees\n";
    let memory = Memory::new().policy(POLICY).file("facts/user.md", text);
    on(&memory, "2026-01-01", &["add", "user", "Has a dog"]).exit(0);
    on(&memory, "2026-01-01", &["read", "user"]).exit(0);
    on(&memory, "2026-03-02", &["prune"]).exit(0).unchanged();
    on(&memory, "2026-03-03", &["prune"]).exit(0);
    assert!(memory.text("archive/facts/user.md").unwrap().contains("purge=2026-04-02"));
    for words in [&["context"][..], &["context", "--style", "records"], &["query", "flat"], &["list", "user"]] {
        let shown = on(&memory, "2026-03-03", words).exit(0).stdout;
        assert!(!shown.contains("Rents a flat"), "{words:?}: {shown}");
    }
    on(&memory, "2026-04-01", &["prune"]).exit(0).unchanged();
    on(&memory, "2026-04-02", &["prune"]).exit(0);
    assert_eq!(memory.text("archive/facts/user.md"), None);
}

/// memory-spec 8: "event text, -- ADD|UPDATE|DELETE|MERGE|LINK|TTL|RESTORE"; "Acceptance: events recorded for all write
/// operations; exportable per user."
#[test]
fn every_change_is_an_event_with_its_time_and_actor() {
    let memory = Memory::new().policy(POLICY).file("facts/other.md", "# Other\n\n- Knows Ana\n");
    let by = |actor: &str, day: &str, words: &[&str]| {
        memory.run(words).env("MEMDIR_NOW", &format!("{day}T12:00:00Z")).by(actor).exit(0);
    };
    by("ana", "2026-01-01", &["add", "user", "Is in Rome", "--exp", "2026-01-31"]);
    by("ana", "2026-01-02", &["add", "user", "Keeps bees"]);
    by("ben", "2026-01-03", &["update", &address("Keeps bees"), "Keeps ten bees", "-m", "they swarmed"]);
    by("ben", "2026-01-04", &["mv", &address("Keeps ten bees"), "user#animals"]);
    by("ana", "2026-02-01", &["prune"]);
    by("ben", "2026-02-02", &["restore", &address("Is in Rome")]);
    by("ana", "2026-02-03", &["rm", &address("Keeps ten bees")]);
    by("ana", "2026-02-04", &["undo"]);
    let log = memory.run(["log", "--json"]).exit(0).json();
    let events: Vec<(&str, &str)> = log["entries"].as_array().unwrap().iter().rev().map(event).collect();
    let expected = [
        ("ana", "add"),
        ("ana", "add"),
        ("ben", "update"),
        ("ben", "mv"),
        ("ana", "rm"),
        ("ben", "restore"),
        ("ana", "rm"),
        ("ana", "undo r7"),
    ];
    assert_eq!(events, expected);
    let revs: Vec<&str> =
        log["entries"].as_array().unwrap().iter().rev().filter_map(|entry| entry["rev"].as_str()).collect();
    assert_eq!(revs, ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8"]);
    // "event, old_ref, new_ref, actor, meta, ts": the item, its text before and after, and why.
    let update = &memory.run(["log", "--json", "-p"]).exit(0).json()["entries"][5];
    assert_eq!(
        ["rev", "at", "actor", "what", "reason"].map(|key| update[key].as_str().unwrap_or_default()),
        ["r3", "2026-01-03T12:00:00Z", "ben", "update", "they swarmed"]
    );
    let side = |sign: &str, text: &str| json!({"sign": sign, "handle": handle(text), "text": text, "section": "user", "operation": 0});
    assert_eq!(update["effects"][0]["path"], "facts/user.md");
    assert_eq!(update["effects"][0]["effects"], json!([side("-", "Keeps bees"), side("+", "Keeps ten bees")]));
    // The one that a rule made names it.
    assert_eq!(log["entries"][3]["items"][0]["reason"], "expired on 2026-01-31 (expired: archive)", "{log}");
    let own = memory.run(["log", "--by", "ben", "--json"]).exit(0).json();
    assert_eq!(own["entries"].as_array().unwrap().len(), 3);
    // "GET /memory/{id}/history returns recent events."
    let life = memory.run(["log", &address("Is in Rome"), "--json"]).exit(0).json();
    let changes: Vec<&str> =
        life["entries"].as_array().unwrap().iter().filter_map(|entry| entry["bullet"]["change"].as_str()).collect();
    assert_eq!(changes, ["moved", "moved", "added"], "{life}");
}

/// memory-spec 8: "events recorded for all write operations", whatever the command.
#[test]
fn every_command_that_changes_a_file_leaves_an_event_of_its_actor() {
    let planted = Planted::new();
    let last = planted.memory.session().store.journal().unwrap().last().unwrap().rev;
    let mut commands = BTreeSet::new();
    // What nothing in the memory of the walk is there for.
    planted.memory.put("../notes.md", "- Keeps bees\n");
    let more: &Rows<'_> = &[("patch", &["patch user --old Chess --new Go"]), ("import", &["import notes.md"])];
    let (_, wrong) = walk(&planted, &[more, ROWS].concat(), "tester", |line, ran| {
        let paths = ran.difference.lines().filter_map(|line| line.split_once(' '));
        let changed = paths.filter(|(sign, path)| ["A", "M", "D"].contains(sign) && path.ends_with(".md"));
        let changed: BTreeSet<&str> = changed.map(|(_, path)| path).collect();
        if changed.is_empty() {
            return None;
        }
        let log = planted.memory.done(["log", "--json"]).json();
        let mut entries = log["entries"].as_array().unwrap().clone();
        let rev = |entry: &Value| entry["rev"].as_str().and_then(|rev| rev.strip_prefix('r')?.parse().ok());
        entries.retain(|entry| rev(entry) > Some(last));
        entries.retain(|entry| event(entry).0 == "tester" && !event(entry).1.is_empty());
        let files = entries.iter().flat_map(|entry| entry["files"].as_array().unwrap());
        let recorded: BTreeSet<&str> = files.filter_map(Value::as_str).collect();
        commands.extend(line.0.iter().find(|word| !word.starts_with('-')).cloned());
        (!changed.is_subset(&recorded)).then(|| format!("changed {changed:?}, recorded {recorded:?}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for command in [
        "add", "append", "apply", "bullet", "compact", "import", "mv", "patch", "redo", "restore", "rm", "set", "tool",
        "undo", "update", "write",
    ] {
        assert!(commands.contains(command), "{command} changes nothing");
    }
}

fn event(entry: &Value) -> (&str, &str) {
    (entry["actor"].as_str().unwrap_or_default(), entry["what"].as_str().unwrap_or_default())
}

/// memory-spec 10: "queue proposed patch for 7d"; "Acceptance: no sensitive field changes without consent; audit trail
/// contains decision."
#[test]
fn a_sensitive_change_waits_seven_days_and_its_decision_is_recorded() {
    let memory = Memory::new().policy("version: 2\n").file("facts/user.md", "# User\n\n- City: Rome\n");
    let propose = |day: &str| {
        let run = memory.run(["update", "user", "City: Rome", "City: Paris"]).may_change();
        run.env("MEMDIR_NOW", &format!("{day}T12:00:00Z")).by("codex").exit(5).stderr_contains("consent");
        memory.tree().keys().find(|path| path.starts_with("inbox/p")).cloned().unwrap()
    };
    let waiting = propose("2026-02-01");
    assert_eq!(memory.text("facts/user.md").unwrap(), "# User\n\n- City: Rome\n");
    on(&memory, "2026-02-08", &["prune"]).exit(0).unchanged();
    on(&memory, "2026-02-09", &["prune"]).exit(0);
    assert_eq!(memory.text(&waiting), None);
    let log = memory.run(["log", "-L", "1", "--json"]).exit(0).json();
    assert_eq!(log["entries"][0]["items"][0]["reason"], "a proposal that waited until 2026-02-08", "{log}");
    propose("2026-02-10");
    on(&memory, "2026-02-11", &["inbox", "--accept"]).exit(0);
    assert!(memory.text("facts/user.md").unwrap().contains("City: Paris"));
    assert_eq!(memory.run(["log", "-L", "1", "--json"]).exit(0).json()["entries"][0]["reason"], "inbox: accepted");
}

/// What the user put away, no agent brings back without them.
#[test]
fn an_agent_restores_no_sensitive_field_by_itself() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- City: Rome\n- Likes tea\n");
    memory.done(["rm", "--archive", &address("City: Rome"), &address("Likes tea")]);
    memory.run(["restore", &address("Likes tea")]).by("codex").exit(0);
    let refused = memory.run(["restore", &address("City: Rome")]).may_change().by("codex").exit(5);
    assert!(refused.stderr.contains("consent"), "{refused}");
    assert!(!memory.text("facts/user.md").unwrap().contains("City"));
    memory.run(["restore", &address("City: Rome")]).exit(0);
    assert!(memory.text("facts/user.md").unwrap().contains("City: Rome"));
}

/// json-memory, "Future Enhancements": "Confidence decay", "Expiry enforcement", "Conflict resolution", "Batch
/// operations", "Undo/rollback".
#[test]
fn preferences_age_expire_conflict_and_are_undone() {
    let text = "# User\n\n- Likes jazz\n  <!-- mem conf=0.8 upd=2026-01-01 -->\n- Diet: vegan\n  <!-- mem added=2026-01-01 -->\n";
    let memory = Memory::new().policy(POLICY).file("facts/user.md", text);
    let sure = |day: &str| on(&memory, day, &["query", "jazz", "--conf", "0.7"]).exit(0).stdout;
    assert!(sure("2026-01-02").contains("Likes jazz"));
    assert!(!sure("2026-06-01").contains("Likes jazz"));
    let batch = r#"[{"op": "add", "at": "user", "text": "Diet: omnivore"}, {"op": "add", "at": "user", "text": "Fasts",
        "meta": {"exp": "2026-06-02"}}]"#;
    on(&memory, "2026-06-01", &["apply"]).stdin(batch).exit(0);
    let found = on(&memory, "2026-06-01", &["check"]).ends();
    let pair =
        format!("@{} (2026-06-01) contradicts @{} (2026-01-01)", handle("Diet: omnivore"), handle("Diet: vegan"));
    assert!(found.stdout.contains(&pair), "{found}");
    let before = memory.tree();
    on(&memory, "2026-06-03", &["prune"]).exit(0);
    assert!(memory.text("archive/facts/user.md").unwrap().contains("Fasts"));
    on(&memory, "2026-06-03", &["undo"]).exit(0);
    assert_eq!(memory.tree(), before);
    on(&memory, "2026-06-03", &["undo"]).exit(0);
    assert_eq!(memory.text("facts/user.md").as_deref(), Some(text));
}
