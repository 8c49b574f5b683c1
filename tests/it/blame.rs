//! Who last changed each bullet, when and from what: `list --blame`, and the whole life of one bullet in `log`.

use std::process::Command;

use memdir::commands::{self, ChangeOptions};
use memdir::document::Handle;
use memdir::operation::dialects;
use serde_json::{Value, json};

use crate::support::memory::full;
use crate::support::{Memory, handle, memdir_command};

const AT: &str = "2026-02-24T10:00:00Z";

/// The last changes of a file's bullets, by text.
fn blame(memory: &Memory, file: &str) -> Vec<(String, Value)> {
    let answer = memory.done(["list", file, "--blame", "--json"]).json();
    let row = |bullet: &Value| (bullet["text"].as_str().unwrap().to_owned(), bullet["blame"].clone());
    let rows: Vec<_> = answer["bullets"].as_array().unwrap().iter().map(row).collect();
    let flat = memory.done(["bullet", "list", file, "--blame", "--json"]).json();
    for bullet in answer["bullets"].as_array().unwrap() {
        let same = flat["bullets"].as_array().unwrap().iter().find(|other| other["address"] == bullet["address"]);
        assert_eq!(same.unwrap()["blame"], bullet["blame"], "both lists say the same");
    }
    rows
}

#[track_caller]
fn check(memory: &Memory, file: &str, expected: &[(&str, Value)]) {
    let expected: Vec<_> = expected.iter().map(|(text, blame)| ((*text).to_owned(), blame.clone())).collect();
    assert_eq!(blame(memory, file), expected);
}

fn by(rev: &str, actor: &str, change: &str) -> Value {
    json!({"change": change, "rev": rev, "at": AT, "actor": actor})
}

fn with(mut blame: Value, key: &str, value: &str) -> Value {
    blame[key] = json!(value);
    blame
}

fn unknown() -> Value {
    json!({"change": "unknown"})
}

fn outside(change: &str) -> Value {
    json!({"change": change, "actor": "outside"})
}

#[test]
fn each_bullet_names_its_last_change() {
    let memory = Memory::new();
    memory.run(["add", "user", "Prefers tabs", "Likes tea", "Two cats"]).by("ana").exit(0);
    let update = ["update", "user@acvh", "Indents by four spaces", "-m", "from a chat", "--source", "c7"];
    memory.run(update).by("bot").exit(0);
    memory.run(["set", &format!("user@{}", handle("Two cats")), "imp=7"]).by("eva").exit(0);
    let update = with(by("r2", "bot", "updated"), "from", "Prefers tabs");
    let update = with(with(update, "reason", "from a chat"), "source", "c7");
    let tea = by("r1", "ana", "added");
    check(
        &memory,
        "user",
        &[("Indents by four spaces", update), ("Likes tea", tea.clone()), ("Two cats", by("r3", "eva", "set"))],
    );
    memory.done(["list", "user", "--blame"]).stdout(&format!(
        "facts/user.md: tea, cats, indents, spaces\n@{} Indents by four spaces\n  r2 2026-02-24 10:00Z bot: updated from \"Prefers tabs\" \
         (why: from a chat) (from: c7)\n@{} Likes tea\n  r1 2026-02-24 10:00Z ana: added\n@{} Two cats\n  r3 2026-02-24 \
         10:00Z eva: set\n",
        handle("Indents by four spaces"),
        handle("Likes tea"),
        handle("Two cats"),
    ));
    // A removal beside a bullet, and one of metadata, leave the others what they were.
    memory.done(["rm", &format!("user@{}", handle("Indents by four spaces"))]);
    memory.done(["set", &format!("user@{}", handle("Two cats")), "imp="]);
    check(&memory, "user", &[("Likes tea", tea), ("Two cats", by("r5", "tester", "set"))]);
    assert!(memory.done(["list", "user", "--json"]).json()["bullets"][0].get("blame").is_none());
}

#[test]
fn a_move_names_the_place_before_and_an_undo_is_a_change() {
    let memory = Memory::new();
    memory.run(["add", "user", "Prefers tabs", "Likes tea"]).by("ana").exit(0);
    memory.run(["mv", "user@acvh", "work"]).by("bot").exit(0);
    let moved = with(by("r2", "bot", "moved"), "moved_from", "facts/user.md#user");
    check(&memory, "work", &[("Prefers tabs", moved)]);
    check(&memory, "user", &[("Likes tea", by("r1", "ana", "added"))]);
    memory.run(["mv", "user", "home"]).by("eva").exit(0);
    let moved = with(by("r3", "eva", "moved"), "moved_from", "facts/user.md#user");
    check(&memory, "home", &[("Likes tea", moved)]);
    memory.run(["update", &format!("home@{}", handle("Likes tea")), "Drinks nothing"]).by("bot").exit(0);
    memory.run(["undo"]).by("eva").exit(0);
    let undone = with(by("r5", "eva", "updated"), "from", "Drinks nothing");
    check(&memory, "home", &[("Likes tea", undone)]);
}

#[test]
fn an_edit_outside_memdir_has_no_author() {
    let memory = Memory::new();
    memory.done(["add", "user", "Prefers tabs", "Likes tea", "Two cats"]);
    let edited = memory.text("facts/user.md").unwrap().replace("Likes tea", "Likes green tea") + "- By hand\n";
    memory.put("facts/user.md", edited);
    let expected = [
        ("Prefers tabs", by("r1", "tester", "added")),
        ("Likes green tea", with(outside("updated"), "from", "Likes tea")),
        ("Two cats", by("r1", "tester", "added")),
        ("By hand", outside("added")),
    ];
    check(&memory, "user", &expected);
    // The next revision does not take it for its own.
    memory.run(["add", "user", "One more"]).by("bot").exit(0);
    let more = [("One more", by("r2", "bot", "added"))];
    check(&memory, "user", &[&expected[..], &more].concat());
    memory.done(["list", "user", "--blame"]).stdout_contains("  outside: updated from \"Likes tea\"\n");
}

#[test]
fn equal_texts_have_their_own_last_changes() {
    let memory = Memory::new();
    memory.run(["add", "user#work", "Said twice"]).by("ana").exit(0);
    memory.run(["add", "user#home", "Said twice"]).by("bot").exit(0);
    memory.run(["add", "user#work", "Between"]).by("eva").exit(0);
    let rows = memory.done(["bullet", "list", "user", "--blame", "--json"]).json();
    let of = |n: usize| rows["bullets"][n]["blame"]["actor"].clone();
    assert_eq!([of(0), of(1), of(2)], ["ana", "eva", "bot"], "{rows}");
}

#[test]
fn what_no_revision_explains_is_unknown() {
    let memory = Memory::new().file("facts/old.md", "# Old\n\n- From before\n- Kept\n");
    check(&memory, "old", &[("From before", unknown()), ("Kept", unknown())]);
    memory.done(["add", "old", "New one"]);
    let new = ("New one", by("r1", "tester", "added"));
    check(&memory, "old", &[("From before", unknown()), ("Kept", unknown()), new.clone()]);
    memory.done(["list", "old", "--blame"]).stdout_contains("  unknown: no revision on this machine explains it\n");
    memory.done(["add", "user", "Prefers tabs"]);
    fs_err::remove_dir_all(memory.dir().join(".memdir")).unwrap();
    check(&memory, "old", &[("From before", unknown()), ("Kept", unknown()), ("New one", unknown())]);
    memory.run(["list", "facts", "--blame"]).exit(2).stderr_contains("--blame takes a file or section");
    memory.run(["list", "--blame"]).exit(2).stderr_contains("--blame takes a file or section");
}

#[test]
fn a_text_that_the_history_lost_is_unknown() {
    let memory = Memory::new();
    memory.done(["add", "user", "Prefers tabs"]);
    memory.put("facts/user.md", "# User\n\n- Written anew\n- Prefers tabs\n");
    memory.done(["add", "user", "One more"]);
    // Without slots and edits no text before the outside edit is left.
    fs_err::remove_dir_all(memory.dir().join(".memdir/undo")).unwrap();
    let journal = memory.dir().join(".memdir/journal");
    let text = fs_err::read_to_string(&journal).unwrap();
    let kept: Vec<&str> = text.split_inclusive('\n').filter(|line| !line.contains("\"rev\":1,")).collect();
    fs_err::write(&journal, kept.concat()).unwrap();
    let rows = blame(&memory, "user");
    assert_eq!(rows[0], ("Written anew".into(), unknown()));
    assert_eq!(rows[2], ("One more".into(), by("r2", "tester", "added")));
}

#[test]
fn a_restricted_reader_learns_nothing_hidden() {
    let policy = "version: 1\ncategories:\n  system: [{name: health}]\n  custom: [{name: work, context: all}]\n\
                  allowlists:\n  planner: [work]\n";
    let memory = Memory::new().policy(policy);
    memory.run(["add", "health", "Sleeps badly", "Walks a lot"]).by("ana").exit(0);
    memory.run(["add", "user", "[health] Knee hurts", "Prefers tabs"]).by("ana").exit(0);
    let reason = ["-m", "because of the knee", "--source", "clinic"];
    memory
        .done([&["update", &format!("user@{}", handle("[health] Knee hurts")), "Runs at noon"][..], &reason].concat());
    memory.done([&["mv", &format!("health@{}", handle("Walks a lot")), "user"][..], &reason].concat());
    let shown = |actor: &str| memory.run(["list", "user", "--blame", "--json"]).by(actor).exit(0);
    let all = shown("tester").stdout;
    assert!(all.contains("Knee hurts") && all.contains("facts/health.md") && all.contains("clinic"), "{all}");
    let answer = shown("planner");
    let own: Vec<Value> =
        answer.json()["bullets"].as_array().unwrap().iter().map(|bullet| bullet["blame"].clone()).collect();
    let expected = [by("r3", "tester", "added"), by("r2", "ana", "added"), by("r4", "tester", "added")];
    assert_eq!(own, expected, "{answer}");
    memory.run(["list", "health", "--blame"]).by("planner").exit(5).stderr_contains("category_not_allowed");
}

/// The rows of a bullet's log, newest first: revision, actor, change, text or place before.
fn life(memory: &Memory, address: &str) -> Vec<String> {
    let answer = memory.done(["log", address, "--json"]).json();
    let row = |entry: &Value| {
        let part = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let bullet = &entry["bullet"];
        let before = [&bullet["from"], &bullet["moved_from"]].into_iter().find(|value| value.is_string());
        let words = [&entry["rev"], &entry["actor"], &bullet["change"], before.unwrap_or(&Value::Null)];
        words.map(part).join(" ")
    };
    answer["entries"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn the_log_of_a_bullet_follows_it_to_other_files_and_back_to_its_first_text() {
    let memory = Memory::new();
    memory.run(["add", "user", "Likes tea", "Two cats", "-m", "said so", "--source", "c1"]).by("ana").exit(0);
    memory.run(["update", &format!("user@{}", handle("Likes tea")), "Likes green tea"]).by("bot").exit(0);
    let green = handle("Likes green tea");
    memory.run(["mv", &format!("user@{green}"), "work"]).by("eva").exit(0);
    memory.run(["add", "user", "Unrelated"]).by("eva").exit(0);
    let edited = memory.text("facts/work.md").unwrap().replace("Likes green tea", "Likes green tea and mate");
    memory.put("facts/work.md", edited);
    memory.run(["add", "work", "Also unrelated"]).by("bot").exit(0);
    let mate = handle("Likes green tea and mate");
    memory.run(["rm", "--archive", &format!("work@{mate}")]).by("ana").exit(0);
    let older = [
        "- outside updated Likes green tea",
        "r3 eva moved facts/user.md#user",
        "r2 bot updated Likes tea",
        "r1 ana added -",
    ];
    let archived = ["r6 ana moved facts/work.md#work"];
    assert_eq!(life(&memory, &format!("archive/facts/work@{mate}")), [&archived[..], &older].concat());
    memory.run(["undo"]).by("bot").exit(0);
    let restored = ["r7 bot moved archive/facts/work.md#work"];
    assert_eq!(life(&memory, &format!("work@{mate}")), [&restored[..], &archived, &older].concat());
    let log = memory.done(["log", &format!("work@{mate}")]);
    log.stdout_contains("r1 2026-02-24 10:00Z ana: add 2; facts/user.md (why: said so) (from: c1)\n")
        .stdout_contains("r2 2026-02-24 10:00Z bot: update; facts/user.md (was: Likes tea)\n")
        .stdout_contains("r3 2026-02-24 10:00Z eva: mv; facts/user.md facts/work.md (moved from: facts/user.md#user)\n")
        .stdout_contains("-- outside: changed outside memdir; facts/work.md (was: Likes green tea)\n");
    memory.run(["mv", "work", "office"]).by("eva").exit(0);
    let renamed = ["r8 eva moved facts/work.md#work"];
    let all = [&renamed[..], &restored, &archived, &older].concat();
    assert_eq!(life(&memory, &format!("office@{mate}")), all);
}

#[test]
fn the_log_of_a_bullet_goes_on_behind_a_removal_that_was_undone() {
    let memory = Memory::new();
    memory.run(["add", "user", "Likes tea", "Two cats"]).by("ana").exit(0);
    let tea = format!("user@{}", handle("Likes tea"));
    memory.run(["rm", &tea]).by("bot").exit(0);
    memory.run(["undo"]).by("eva").exit(0);
    let rows = ["r3 eva added -", "r2 bot removed -", "r1 ana added -"];
    assert_eq!(life(&memory, &tea), rows);
    // What happens to its neighbour is not its life.
    assert_eq!(life(&memory, &format!("user@{}", handle("Two cats"))), ["r1 ana added -"]);
    let edited = memory.text("facts/user.md").unwrap().replace("Two cats", "Three cats");
    memory.put("facts/user.md", edited);
    assert_eq!(life(&memory, &tea), rows);
    let cats = format!("user@{}", handle("Three cats"));
    assert_eq!(life(&memory, &cats), ["- outside updated Two cats", "r1 ana added -"]);
}

#[test]
fn the_log_of_a_bullet_shows_a_restricted_reader_nothing_hidden() {
    let policy = "version: 1\ncategories:\n  system: [{name: health}]\n  custom: [{name: work, context: all}]\n\
                  allowlists:\n  planner: [work]\n";
    let memory = Memory::new().policy(policy);
    memory.run(["add", "health", "Walks a lot", "Sleeps badly"]).by("ana").exit(0);
    memory.done(["mv", &format!("health@{}", handle("Walks a lot")), "user"]);
    let walks = format!("user@{}", handle("Walks a lot"));
    assert_eq!(life(&memory, &walks), ["r2 tester moved facts/health.md#health", "r1 ana added -"]);
    let shown = memory.run(["log", &walks, "--json"]).by("planner").exit(0);
    let entries = shown.json()["entries"].clone();
    assert_eq!(entries.as_array().unwrap().len(), 1, "{shown}");
    assert_eq!(entries[0]["bullet"], json!({"change": "added", "path": "facts/user.md"}), "{shown}");
    assert!(!shown.stdout.contains("health"), "{shown}");
}

/// A memory with so many revisions of a dozen bullets.
fn memory_with(revisions: usize) -> Memory {
    let memory = Memory::new();
    let session = memory.session();
    let text = |n: usize| format!("Version {n} of a fact that is about as long as such facts are");
    for n in 0..revisions {
        let operation = match n.checked_sub(12) {
            None => json!({"op": "add", "at": "many", "text": text(n)}),
            // Among so many texts a short handle is not unique.
            Some(old) => {
                let at = format!("many@{}", Handle::of(&text(old)).prefix(12));
                json!({"op": "update", "at": at, "text": text(n)})
            }
        };
        let batch = dialects::parse_batch(&operation.to_string()).unwrap();
        commands::change(&session, batch, &ChangeOptions::default()).unwrap();
    }
    memory
}

/// How many bytes of the journal a command reads.
fn journal_bytes_read(memory: &Memory, words: &[&str]) -> u64 {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let program = memdir_command(memory.dir().parent().unwrap());
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-qq", "-e", "trace=read,pread64", "-o"]).arg(trace.path()).arg(program.get_program());
    command.args(words).current_dir(memory.dir());
    assert!(command.output().unwrap().status.success(), "{words:?}");
    let trace = fs_err::read_to_string(trace.path()).unwrap();
    let journal = trace.lines().filter(|line| line.contains("/.memdir/journal>"));
    journal.filter_map(|line| line.rsplit_once(" = ")?.1.trim().parse::<u64>().ok()).sum()
}

#[test]
fn a_long_history_is_read_once_and_only_for_blame() {
    let memory = memory_with(if full() { 10_008 } else { 600 });
    let size = fs_err::metadata(memory.dir().join(".memdir/journal")).unwrap().len();
    let blamed = journal_bytes_read(&memory, &["list", "many", "--blame"]);
    assert!(blamed >= size && blamed < size + size / 10 + (64 << 10), "{blamed} of {size} bytes");
    assert!(journal_bytes_read(&memory, &["list", "many"]) < size / 2);
    let last = if full() { 10_008 } else { 600 };
    let rows = blame(&memory, "many");
    let revs: Vec<String> = rows.iter().map(|(_, blame)| blame["rev"].as_str().unwrap().to_owned()).collect();
    assert_eq!(revs, (last - 11..=last).map(|rev| format!("r{rev}")).collect::<Vec<_>>());
}

#[test]
fn the_log_of_a_bullet_goes_back_through_its_updates() {
    let memory = Memory::new();
    memory.done(["add", "user", "Lives in Austin", "--id", "home", "--create"]);
    memory.done(["add", "user", "Prefers tabs"]);
    memory.done(["update", "user", "Lives in Austin", "Moved to a house in Denver"]);
    memory.done(["update", "user", "Prefers tabs", "Prefers spaces"]);
    memory.done(["update", "user", "Moved to a house in Denver", "Lives in Boston"]);
    let revisions = |address: &str| {
        let json = memory.run(["--json", "log", address]).exit(0).json();
        let entries = json["entries"].as_array().unwrap().clone();
        entries.iter().map(|e| e["rev"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(revisions("user@home"), ["r5", "r3", "r1"]);
    assert_eq!(revisions(&format!("user@{}", handle("Lives in Boston"))), ["r5", "r3", "r1"]);
    assert_eq!(revisions(&format!("user@{}", handle("Prefers spaces"))), ["r4", "r2"]);
}

/// What another clone did comes by a sync; later revisions do not hide who did it.
#[test]
fn the_life_of_a_bullet_names_the_commits_that_brought_it() {
    let (here, there) = crate::sync::pair();
    let rows = |repo: &crate::support::git_repo::Repo, text: &str| {
        let answer = repo.memdir(["--json", "log", &format!("user@{}", handle(text))]).exit(0).json();
        let author = |row: &Value| {
            let commit = row["bullet"]["commit"].as_object()?;
            assert_eq!(commit["id"].as_str()?.len(), 40);
            Some(format!("{} by {}", row["state"].as_str()?, commit["author"].as_str()?))
        };
        let entries = answer["entries"].as_array().unwrap().clone();
        entries.iter().map(|row| author(row).unwrap_or_else(|| row["state"].as_str().unwrap().to_owned())).collect()
    };
    there.memdir(["update", &format!("user@{}", handle("Prefers tabs")), "Prefers spaces"]).exit(0);
    crate::sync::settle(&there, &here);
    let merged: Vec<String> = rows(&here, "Prefers spaces");
    assert_eq!(merged, ["committed by tester"]);
    here.memdir(["add", "user", "Likes tea"]).exit(0);
    crate::sync::settle(&here, &there);
    there.memdir(["update", &format!("user@{}", handle("Prefers spaces")), "Prefers two spaces"]).exit(0);
    crate::sync::settle(&there, &here);
    here.memdir(["add", "user", "Likes mate"]).exit(0);
    let all: Vec<String> = rows(&here, "Prefers two spaces");
    assert_eq!(all, ["merged by tester", "committed by tester"]);
    let log = here.memdir(["log", &format!("user@{}", handle("Prefers two spaces"))]).exit(0);
    assert!(log.stdout.contains(" (was: Prefers spaces) (commit ") && log.stdout.contains(" by tester)\n"), "{log:#?}");
    let blame = here.memdir(["list", "user#work", "--blame"]).exit(0);
    assert!(blame.stdout.contains("merged: updated from \"Prefers spaces\" (commit "), "{blame:#?}");
    // The clone that made the changes knows its revisions.
    let known: Vec<String> = rows(&there, "Prefers two spaces");
    assert_eq!(known, ["done", "done", "committed by tester"]);
}

/// Who edits a file may remove one bullet and add another in its place.
#[test]
fn an_edit_outside_memdir_updates_only_what_it_resembles() {
    let memory = Memory::new();
    memory.run(["add", "user", "Prefers tabs", "Vegan since 2024"]).by("ana").exit(0);
    memory.put("facts/user.md", memory.text("facts/user.md").unwrap().replace("Vegan since 2024", "Likes green tea"));
    check(&memory, "user", &[("Prefers tabs", by("r1", "ana", "added")), ("Likes green tea", outside("added"))]);
    let log = memory.done(["log", &format!("user@{}", handle("Likes green tea"))]);
    assert!(!log.stdout.contains("ana") && !log.stdout.contains("Vegan"), "{log}");
}
