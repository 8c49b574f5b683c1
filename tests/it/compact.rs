//! `compact`: places over their limit come back to it, by a model's decisions or first in, first out, and nothing is
//! lost on the way: what goes is in `archive/`, what stays is byte-identical, and `undo` restores every byte.

mod conditions;
mod digests;
mod duplicates;
mod model;
mod planted;
mod random_decisions;
mod weeks;

use serde_json::json;

use crate::support::{Memory, handle};

pub const TEN: &str = "version: 1\nlimits:\n  - {at: \"facts/*.md\", bullets: 10, on_limit: compact}\n";
const LOG: &str = "version: 1\nlimits:\n  - {at: \"episodes/*.md\", entries: 2, on_limit: compact}\n";

/// A file of numbered facts.
pub fn facts(n: usize) -> String {
    let mut text = "# User\n\n> Summary: facts.\n\n".to_owned();
    (1..=n).for_each(|i| text.push_str(&format!("- Fact number {i}\n")));
    text
}

fn at(text: &str) -> String {
    format!("facts/user.md@{}", handle(text))
}

#[test]
fn the_oldest_go_to_the_archive_and_undo_brings_every_byte_back() {
    let memory = Memory::new().policy(TEN).file("facts/user.md", &facts(12));
    let before = memory.tree();
    memory
        .run(["compact"])
        .exit(0)
        .stdout(&format!(
            "facts/user.md  r1\n- @{} Fact number 1\n- @{} Fact number 2\nnew file archive/facts/user.md  r1\n",
            handle("Fact number 1"),
            handle("Fact number 2")
        ))
        .stderr_contains("facts/user.md: 12 bullets, now 10: 2 of the oldest moved to archive/ (first in, first out; no model is configured)")
        .diff("A archive/facts/user.md\n+# User\n+\n+- Fact number 1\n+  <!-- mem archived=2026-02-24 from=# -->\n+- Fact number 2\n+  <!-- mem archived=2026-02-24 from=# -->\nM facts/user.md\n-- Fact number 1\n-- Fact number 2\n");
    memory.run(["compact"]).exit(0).stdout("").stderr_contains("nothing is over its limit").unchanged();
    memory.done(["check"]);
    memory.done(["undo"]);
    assert_eq!(memory.tree(), before);
}

#[test]
fn a_dry_run_shows_operations_that_apply_accepts_and_writes_nothing() {
    let memory = Memory::new().policy(TEN).file("facts/user.md", &facts(11));
    let shown = memory.run(["compact", "-n", "--json"]).exit(0).unchanged().json();
    assert_eq!(shown["operations"][0]["op"], "rm");
    assert_eq!(shown["operations"][0]["archive"], true);
    assert_eq!(shown["places"][0]["by_age"], 1);
    let operations = shown["operations"].to_string();
    let applied = memory.run(["apply"]).stdin(operations).exit(0);
    let other = Memory::new().policy(TEN).file("facts/user.md", &facts(11));
    assert_eq!(other.done(["compact"]).difference, applied.difference);
}

#[test]
fn several_commits_are_printed_as_one_batch_that_apply_accepts() {
    // The last two entries share the blank lines between them.
    for kept in ["2", "1"] {
        let memory = Memory::new().file("episodes/2026-02.md", EPISODES);
        let plan = memory.run(["compact", "2026-02", "--to", kept, "-n", "--json"]).exit(0).unchanged().json();
        let applied = memory.run(["apply"]).stdin(plan["operations"].to_string()).exit(0);
        let other = Memory::new().file("episodes/2026-02.md", EPISODES);
        assert_eq!(other.done(["compact", "2026-02", "--to", kept]).difference, applied.difference, "{plan}");
        assert_eq!(plan["warnings"], json!(null));
    }
}

#[test]
fn json_reports_for_each_place_who_decided() {
    let memory = Memory::new().policy(TEN).file("facts/user.md", &facts(11));
    let answer = memory.run(["compact", "user", "--json"]).exit(0).json();
    assert_eq!(
        answer["places"],
        json!([{
            "address": "facts/user.md", "measure": "bullets", "was": 11, "now": 10, "most": 10, "decided": 0, "by_age": 1,
            "reason": "no model is configured",
            "decisions": [{"by": "age", "action": "archive", "target": at("Fact number 1")}],
        }])
    );
    assert_eq!((&answer["decided"], &answer["by_age"], &answer["rev"]), (&json!(0), &json!(1), &json!("r1")));
    let none = memory.run(["compact", "--json"]).exit(0).json();
    assert_eq!((&none["changed"], &none["places"]), (&json!(false), &json!([])));
}

#[test]
fn to_n_needs_no_policy_and_an_address() {
    let memory = Memory::new().file("facts/user.md", &facts(5));
    memory.run(["compact", "--to", "2"]).exit(2);
    memory.run(["compact", "user", "--to", "0"]).exit(2);
    memory.run(["compact", &at("Fact number 1"), "--to", "2"]).exit(2);
    memory.run(["compact", "nowhere", "--to", "2"]).exit(3);
    memory.run(["compact", "user"]).exit(0).stderr_contains("nothing is over its limit");
    memory.done(["compact", "user", "--to", "2"]);
    assert_eq!(
        memory.text("facts/user.md").unwrap(),
        "# User\n\n> Summary: facts.\n\n- Fact number 4\n- Fact number 5\n"
    );
    memory.done(["compact", "user", "--to", "2"]).unchanged();
}

#[test]
fn one_section_is_one_place() {
    let policy = "version: 1\nlimits:\n  - {at: \"facts/*.md#work\", bullets: 1}\n";
    let text = "# User\n\n> Summary: a.\n\n- a\n- b\n\n## Work\n\n- c\n- d\n\n## Home\n\n- e\n- f\n";
    let memory = Memory::new().policy(policy).file("facts/user.md", text);
    memory.run(["compact", "user#home"]).exit(0).unchanged();
    memory.run(["compact", "user#work"]).exit(0).diff(
        "A archive/facts/user.md\n+# User\n+\n+## Work\n+\n+- c\n+  <!-- mem archived=2026-02-24 from=#work -->\n\
             M facts/user.md\n-- c\n",
    );
    memory.done(["compact", "user#home", "--to", "1"]);
    assert_eq!(
        memory.text("facts/user.md").unwrap(),
        "# User\n\n> Summary: a.\n\n- a\n- b\n\n## Work\n\n- d\n\n## Home\n\n- f\n"
    );
}

#[test]
fn the_oldest_by_date_then_position_go_first_and_pinned_items_stay() {
    let text = "# User\n\n- pinned\n  <!-- mem pin=true -->\n- holds a pin\n  - inside\n    <!-- mem pin=true -->\n\
                - young\n  <!-- mem added=2026-02-01 -->\n- old\n  <!-- mem added=2025-01-01 -->\n- undated\n";
    let memory = Memory::new().file("facts/user.md", text);
    let left = |memory: &Memory| {
        let all = memory.text("facts/user.md").unwrap();
        let tops = all.lines().filter_map(|l| l.strip_prefix("- ")).map(str::to_owned);
        tops.collect::<Vec<_>>()
    };
    memory.done(["compact", "user", "--to", "4"]);
    assert_eq!(left(&memory), ["pinned", "holds a pin", "young", "old"]);
    memory.done(["compact", "user", "--to", "3"]);
    assert_eq!(left(&memory), ["pinned", "holds a pin", "young"]);
    memory.done(["compact", "user", "--to", "2"]);
    memory
        .run(["compact", "user", "--to", "1"])
        .exit(5)
        .stderr_contains("limit_reached")
        .stderr_contains("all other items are pinned");
    assert_eq!(left(&memory), ["pinned", "holds a pin"]);
}

#[test]
fn a_place_that_fails_does_not_block_the_others() {
    let pinned = "# P\n\n- a\n  <!-- mem pin=true -->\n- b\n  <!-- mem pin=true -->\n";
    let policy = "version: 1\nlimits:\n  - {at: \"facts/*.md\", bullets: 1}\n";
    let memory = Memory::new().policy(policy).file("facts/p.md", pinned).file("facts/user.md", &facts(2));
    memory.run(["compact"]).exit(0).stderr_contains("limit_reached").stderr_contains("facts/p.md would contain more");
    assert_eq!(memory.text("facts/p.md").unwrap(), pinned);
    assert_eq!(memory.text("facts/user.md").unwrap(), "# User\n\n> Summary: facts.\n\n- Fact number 2\n");
    memory.run(["compact"]).exit(5).stderr_contains("limit_reached");
}

#[test]
fn duplicates_are_distinguished_by_their_place() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- same\n- same\n- other\n- same\n");
    memory.done(["compact", "user", "--to", "2"]);
    assert_eq!(memory.text("facts/user.md").unwrap(), "# User\n\n- other\n- same\n");
    let same = "- same\n  <!-- mem archived=2026-02-24 from=# -->\n";
    assert_eq!(memory.text("archive/facts/user.md").unwrap(), format!("# User\n\n{same}{same}"));
}

#[test]
fn a_limit_on_characters_counts_subsections_too() {
    let policy = "version: 1\nlimits:\n  - {at: \"facts/*.md\", chars: 10}\n";
    let memory =
        Memory::new().policy(policy).file("facts/user.md", "# U\n\n> Summary: a.\n\n- aaa\n  - bbbb\n- cccc\n- dddd\n");
    memory.done(["compact"]);
    assert_eq!(memory.text("facts/user.md").unwrap(), "# U\n\n> Summary: a.\n\n- cccc\n- dddd\n");
}

const EPISODES: &str = "# 2026-02 Episodes\n\n> Summary: first, second, third\n\n## First\n- Date: 2026-02-03\n- a\n\n\
                        ## Second\n- Date: 2026-02-01\n- b\n\n## Third\n- Date: 2026-02-02\n- c\n";

#[test]
fn entries_are_archived_whole_the_oldest_first() {
    let memory = Memory::new().policy(LOG).file("episodes/2026-02.md", EPISODES);
    let before = memory.tree();
    memory.run(["compact"]).exit(0).stderr_contains("episodes/2026-02.md: 3 entries, now 2");
    assert_eq!(
        memory.text("episodes/2026-02.md").unwrap(),
        "# 2026-02 Episodes\n\n> Summary: first, third\n\n## First\n- Date: 2026-02-03\n- a\n\n## Third\n- Date: 2026-02-02\n- c\n"
    );
    assert_eq!(
        memory.text("archive/episodes/2026-02.md").unwrap().trim_end(),
        "# 2026-02 Episodes\n\n## Second\n<!-- mem archived=2026-02-24 from=# -->\n- Date: 2026-02-01\n- b"
    );
    memory.done(["check"]);
    memory.done(["compact", "2026-02", "--to", "1"]);
    assert!(memory.text("episodes/2026-02.md").unwrap().ends_with("## First\n- Date: 2026-02-03\n- a\n"));
    memory.done(["undo"]);
    memory.done(["undo"]);
    assert_eq!(memory.tree(), before);
}

#[test]
fn an_appended_entry_makes_room_at_once() {
    let memory = Memory::new().policy(LOG);
    for (title, date) in [("One", "2026-02-01"), ("Two", "2026-02-02"), ("Three", "2026-02-03")] {
        memory.run(["append", "-t", title, "-d", date]).stdin("- x\n").exit(0);
    }
    let text = memory.text("episodes/2026-02.md").unwrap();
    assert!(!text.contains("## One") && text.contains("## Two") && text.contains("## Three"), "{text}");
    let archived = "## One\n<!-- mem archived=2026-02-24 from=# -->\n- Date: 2026-02-01\n- x\n";
    assert!(memory.text("archive/episodes/2026-02.md").unwrap().contains(archived));
    memory.done(["check"]);
    memory.done(["undo"]);
    assert!(memory.text("archive/episodes/2026-02.md").is_none());
    // What is older than all others goes at once, the newcomer too.
    memory
        .run(["append", "-t", "Zero", "-d", "2026-01-31", "2026-02"])
        .stdin("- y\n")
        .exit(0)
        .stderr_contains("1 of its oldest entries");
    assert!(memory.text("archive/episodes/2026-02.md").unwrap().contains("## Zero"));
}

#[test]
fn two_entries_that_touch_go_together() {
    let memory = Memory::new().file("episodes/2026-02.md", EPISODES);
    memory.done(["compact", "2026-02", "--to", "1"]);
    let text = memory.text("episodes/2026-02.md").unwrap();
    assert!(text.ends_with("## First\n- Date: 2026-02-03\n- a\n"), "{text}");
    let archive = memory.text("archive/episodes/2026-02.md").unwrap();
    assert!(archive.contains("## Second") && archive.contains("## Third"), "{archive}");
}

#[test]
fn a_new_bullet_without_a_date_is_dated_today() {
    let policy = "version: 1\nlimits:\n  - {at: \"facts/*.md\", bullets: 2, on_limit: compact}\n";
    let text = "# User\n\n- a\n  <!-- mem added=2026-01-01 -->\n- b\n  <!-- mem added=2026-01-02 -->\n";
    let memory = Memory::new().policy(policy).file("facts/user.md", text);
    memory.done(["add", "user", "new"]);
    assert_eq!(memory.text("facts/user.md").unwrap(), "# User\n\n- b\n  <!-- mem added=2026-01-02 -->\n- new\n");
}

#[test]
fn operations_can_be_added_to_the_same_batch() {
    let memory = Memory::new().policy(TEN).file("facts/user.md", &facts(10));
    let before = memory.tree();
    let add = r#"{"op":"add","at":"user","text":"Fact number 11"}"#;
    memory.run(["compact", "-F", "-"]).stdin(add).exit(0).stderr_contains("11 bullets, now 10");
    let text = memory.text("facts/user.md").unwrap();
    assert!(!text.contains("number 1\n") && text.ends_with("- Fact number 10\n- Fact number 11\n"), "{text}");
    memory.done(["undo"]);
    assert_eq!(memory.tree(), before);
    memory.run(["compact", "-F", "-"]).stdin("nonsense").exit(2);
    memory.run(["compact", "-F", "-"]).stdin(r#"{"op":"rm","at":"user@zzzz"}"#).exit(3);
}

#[test]
fn a_proof_does_not_match_a_changed_file() {
    let memory = Memory::new().file("facts/user.md", &facts(3));
    memory.run(["compact", "user", "--to", "2", "--if-match", "0123456789"]).exit(4).stderr_contains("conflict");
    let etag = memory.run(["list", "user", "--json"]).exit(0).json()["etag"].as_str().unwrap().to_owned();
    memory.done(["compact", "user", "--to", "2", "--if-match", &etag]);
}

#[test]
fn archived_and_pending_files_have_no_limit() {
    let policy = "version: 1\nlimits:\n  - {at: \"**\", bullets: 1}\n";
    let memory = Memory::new().policy(policy).file("archive/facts/user.md", &facts(3)).file("inbox/x.md", &facts(3));
    memory.run(["compact"]).exit(0).unchanged();
    memory.run(["compact", "archive/facts/user.md", "--to", "1"]).exit(5).stderr_contains("read_only");
}

#[test]
fn what_a_change_adds_is_never_what_a_limit_archives() {
    let policy = "version: 1\nlimits: [{at: facts/log.md, bullets: 3, on_limit: compact}]\n";
    let pinned = |name: &str| format!("- {name}\n  <!-- mem pin=true -->\n");
    let all_pinned = format!("# Log\n\n{}{}{}", pinned("p1"), pinned("p2"), pinned("p3"));
    let memory = Memory::new().policy(policy).file("facts/log.md", &all_pinned);
    let refused = memory.run(["add", "log", "notpinned"]).exit(5).stderr_contains("limit_reached");
    assert!(!refused.stderr.contains("notpinned"), "{refused}");
    assert!(refused.stderr.contains("p1"), "{refused}");
    let refused = memory.run(["add", "log", "p4", "pin=true"]).exit(5).stderr_contains("limit_reached");
    assert!(!refused.stderr.contains("p4"), "{refused}");
    let memory = Memory::new().policy(policy).file("facts/log.md", "# Log\n\n- one\n");
    memory.run(["add", "log", "six", "seven", "eight", "nine"]).exit(5).stderr_contains("limit_reached");
    memory.done(["add", "log", "six", "seven", "eight"]);
    assert!(memory.text("archive/facts/log.md").unwrap().contains("- one\n"));
    let entries = "# 2026-02 Episodes\n\n## A\n- x\n  <!-- mem pin=true -->\n\n## B\n- y\n  <!-- mem pin=true -->\n";
    let memory = Memory::new().policy(LOG).file("episodes/2026-02.md", entries);
    memory.run(["append", "-t", "C"]).stdin("- z\n").exit(5).stderr_contains("limit_reached");
}

#[test]
fn limits_of_bullets_and_of_entries_that_are_reached_together_archive_each_item_once() {
    let entry = |title: &str, day: u32| format!("## {title}\n\n- Date: 2026-01-0{day}\n- fact of {title}\n\n");
    for (at, bullets) in [("facts/log.md", 4), ("facts/log.md#one", 2)] {
        let policy = format!(
            "version: 1\nlimits:\n  - {{at: \"{at}\", bullets: {bullets}, on_limit: compact}}\n  - {{at: \"facts/log.md#log\", entries: 1, on_limit: compact}}\n"
        );
        let text = format!("# Log\n\n{}{}", entry("One", 1), entry("Two", 2));
        let memory = Memory::new().policy(&policy).file("facts/log.md", &text);
        let add = [
            json!({"op": "add", "at": "log#one", "text": "one more"}),
            json!({"op": "append", "at": "log", "title": "Three", "text": "- Date: 2026-01-03\n- fact of Three\n"}),
        ];
        memory.run(["apply"]).stdin(json!({ "operations": add }).to_string()).exit(0);
        let left = memory.text("facts/log.md").unwrap();
        assert!(left.contains("fact of Three") && !left.contains("fact of One"), "{left}");
        let archive = memory.text("archive/facts/log.md").unwrap();
        assert_eq!(archive.matches("fact of One").count(), 1, "{archive}");
    }
}
