//! The life of a memory: `prune`, `restore`, and what `rm` does in `archive/`.
//!
//! Each test states before and after; the rules are those of ARCHITECTURE.md (Life of a memory) unless it says otherwise.

mod decay;
mod random_lives;
mod source_documents;

use crate::support::{CommandRun, Memory, handle, memdir_command};

const RULES: &str = "version: 2\nlifetimes:\n  - {at: facts/**, unused: 60d, below: 3, purge: 30d}\nexpired: archive\n";

/// The day of a command, at noon.
fn on<'m>(memory: &'m Memory, day: &str, words: &[&str]) -> CommandRun<'m> {
    memory.run(words).env("MEMDIR_NOW", &format!("{day}T12:00:00Z"))
}

fn address(text: &str) -> String {
    format!("facts/user.md@{}", handle(text))
}

/// A memory whose uses are recorded since the first of January.
fn tracked(policy: &str, text: &str) -> Memory {
    let memory = Memory::new().policy(policy).file("facts/user.md", text);
    on(&memory, "2026-01-01", &["add", "other", "Starts the journal"]).exit(0);
    memory.put(".memdir/usage", "since\t2026-01-01\t0\n");
    memory
}

#[test]
fn expired_items_are_archived_and_purged_in_their_time() {
    let text = "# User\n\n## Trips\n\n- Is in Rome\n  <!-- mem exp=2026-03-01 -->\n- Likes trains\n";
    let memory = Memory::new().policy(RULES).file("facts/user.md", text);
    on(&memory, "2026-03-01", &["prune"]).exit(0).unchanged();
    let planned = on(&memory, "2026-03-02", &["prune", "-n"]).exit(0).unchanged();
    assert!(planned.stdout.contains("expired on 2026-03-01 (expired: archive)"), "{}", planned.stdout);
    on(&memory, "2026-03-02", &["prune"]).exit(0).diff(
        "A archive/facts/user.md\n+# User\n+\n+## Trips\n+\n+- Is in Rome\n\
         +  <!-- mem exp=2026-03-01 archived=2026-03-02 purge=2026-04-01 from=#trips -->\n\
         M facts/user.md\n+> Summary: trips, trains\n+\n-- Is in Rome\n-  <!-- mem exp=2026-03-01 -->\n",
    );
    on(&memory, "2026-03-31", &["prune"]).exit(0).unchanged();
    let purged = on(&memory, "2026-04-01", &["prune"]).exit(0);
    assert!(purged.stdout.contains("archived on 2026-03-02, to be purged from 2026-04-01 on"), "{}", purged.stdout);
    assert_eq!(memory.text("archive/facts/user.md"), None);
    // One revision each, which `undo` takes back.
    on(&memory, "2026-04-02", &["undo"]).exit(0);
    on(&memory, "2026-04-02", &["undo"]).exit(0);
    assert_eq!(memory.text("facts/user.md").as_deref(), Some(text));
}

#[test]
fn a_link_is_left_out_and_named() {
    let text = "# User\n\n- Is in Rome\n  <!-- mem exp=2026-03-01 -->\n- Likes trains\n";
    let memory = Memory::new().policy(RULES).file("facts/user.md", text);
    std::os::unix::fs::symlink("user.md", memory.dir().join("facts/link.md")).unwrap();
    let pruned = on(&memory, "2026-03-02", &["prune"]).exit(0).stdout_contains("archived facts/user.md@");
    pruned.stderr_contains("left out: 'facts/link.md' is a symbolic link");
    assert!(!memory.text("facts/user.md").unwrap().contains("Rome"));
}

#[test]
fn nothing_is_pruned_without_rules() {
    let old = "# User\n\n- Old\n  <!-- mem exp=2020-01-01 imp=0 upd=2019-01-01 -->\n";
    for policy in ["version: 2\n", "version: 1\n", "version: 2\nexpired: hide\n"] {
        let memory = tracked(policy, old);
        on(&memory, "2026-12-01", &["prune"]).exit(0).unchanged();
    }
}

/// "Policy: if `last_accessed > 60d` AND `importance < T` AND `!pinned` → `state=soft_deleted`, `purge_at=+30d`."
#[test]
fn unused_items_below_the_importance_are_archived_unless_pinned() {
    let rows = [
        ("Unimportant", "imp=2", true),
        ("Important", "imp=3", false),
        ("Unrated", "", false),
        ("Pinned", "imp=1 pin=true", false),
        ("Confirmed", "imp=1 upd=2026-02-20", false),
        ("Parent of a pinned one", "imp=0", false),
    ];
    let mut text = "# User\n\n".to_owned();
    for (name, meta, _) in rows {
        text.push_str(&format!("- {name}\n"));
        if !meta.is_empty() {
            text.push_str(&format!("  <!-- mem {meta} -->\n"));
        }
    }
    text.push_str("  - Child\n    <!-- mem pin=true -->\n");
    let memory = tracked(RULES, &text);
    // Uses are recorded since the first of January: sixty days later nothing is unused for longer.
    on(&memory, "2026-03-02", &["prune"]).exit(0).unchanged();
    let pruned = on(&memory, "2026-03-03", &["prune", "--json"]).exit(0).json();
    let archived: Vec<&str> =
        pruned["archived"].as_array().unwrap().iter().filter_map(|item| item["text"].as_str()).collect();
    assert_eq!(archived, ["Unimportant"]);
    let reason = pruned["archived"][0]["reason"].as_str().unwrap();
    assert_eq!(reason, "unused for 61 days, importance 2 below 3 (lifetimes: at: facts/**, unused: 60d)");
    for (name, _, gone) in rows {
        assert_eq!(memory.text("facts/user.md").unwrap().contains(&format!("- {name}\n")), !gone, "{name}");
    }
    let later = on(&memory, "2026-04-25", &["prune", "--json"]).exit(0).json();
    assert_eq!(later["archived"][0]["text"], "Confirmed", "{later}");
    assert_eq!(later["purged"][0]["text"], "Unimportant", "{later}");
}

#[test]
fn what_an_undo_brings_back_is_in_use() {
    let memory = tracked("version: 2\nlifetimes:\n  - {at: facts/**, unused: 30d}\n", "# User\n\n- Old\n");
    on(&memory, "2026-05-01", &["prune"]).exit(0);
    on(&memory, "2026-05-01", &["undo"]).exit(0);
    on(&memory, "2026-05-02", &["prune"]).exit(0).unchanged();
    assert!(on(&memory, "2026-06-01", &["prune"]).exit(0).stdout.contains("unused for 31 days"));
}

/// An entry may have no bullets.
#[test]
fn an_entry_that_an_undo_brings_back_is_in_use() {
    let memory = tracked("version: 2\nlifetimes:\n  - {at: episodes/**, unused: 30d}\n", "# User\n");
    memory.put("episodes/2026-01.md", "# 2026-01\n\n## 2026-01-06 Talk\n\nAbout trains.\n");
    assert!(on(&memory, "2026-05-01", &["prune"]).exit(0).stdout.contains("Talk"));
    on(&memory, "2026-05-01", &["undo"]).exit(0);
    on(&memory, "2026-05-02", &["prune"]).exit(0).unchanged();
}

/// An entry is archived as a whole: what has expired in it goes with it.
#[test]
fn an_unused_entry_with_an_expired_bullet_is_archived() {
    let policy = "version: 2\nexpired: archive\nlifetimes:\n  - {at: episodes/*, unused: 30d}\n";
    let memory = tracked(policy, "# User\n\n- Is in Rome\n  <!-- mem exp=2026-02-01 -->\n");
    let entry =
        "## Met Anna\n\n- Date: 2026-01-01\n- The office is closed\n  <!-- mem exp=2026-02-01 -->\n- She likes tea\n";
    memory.put("episodes/2026-01.md", format!("# 2026-01\n\n{entry}"));
    on(&memory, "2026-06-01", &["prune"]).exit(0).stdout_contains("archived episodes/2026-01.md#met-anna");
    assert!(!memory.text("facts/user.md").unwrap().contains("Rome"));
    let archived = memory.text("archive/episodes/2026-01.md").unwrap();
    assert!(archived.contains("The office is closed") && archived.contains("She likes tea"), "{archived}");
}

#[test]
fn a_list_marks_what_expired_and_a_read_prints_it_as_it_is() {
    let text = "# User\n\n- Is in Rome\n  <!-- mem exp=2026-02-20 -->\n- Is at home\n  <!-- mem exp=2026-02-24 -->\n";
    let memory = Memory::new().file("facts/user.md", text);
    for words in [&["list", "user"][..], &["bullet", "list", "user"]] {
        let shown = memory.done(words).stdout;
        assert!(shown.contains("Is in Rome (expired 2026-02-20)\n"), "{shown}");
        assert!(shown.contains("Is at home\n"), "{shown}");
    }
    let rows = &memory.done(["--json", "list", "user"]).json()["bullets"];
    assert_eq!((&rows[0]["expired"], rows[1].get("expired")), (&true.into(), None), "{rows}");
    memory.done(["read", "user"]).stdout(text);
}

#[test]
fn a_bullet_below_an_expired_one_is_shown_no_more_unless_it_is_pinned_or_has_its_own_day() {
    let text = "# User\n\n- Is in Rome\n  <!-- mem exp=2026-02-20 -->\n  - Stays at the harbour hotel\n  - The hotel keeps the \
                receipts\n    <!-- mem pin -->\n  - The hotel holds the bag\n    <!-- mem exp=2026-03-01 -->\n- The hotel at home\n";
    let memory = Memory::new().file("facts/user.md", text);
    let kept = ["The hotel keeps the receipts", "The hotel holds the bag", "The hotel at home"];
    for words in
        [&["query", "hotel"][..], &["query", "hotel", "--full"], &["context"], &["context", "--style", "records"]]
    {
        let shown = on(&memory, "2026-02-21", words).exit(0).stdout;
        assert!(!shown.contains("harbour") && kept.iter().all(|text| shown.contains(text)), "{words:?}\n{shown}");
        let before = on(&memory, "2026-02-20", words).exit(0).stdout;
        assert!(before.contains("Stays at the harbour hotel"), "{words:?}\n{before}");
    }
    let list = on(&memory, "2026-02-21", &["list", "user"]).exit(0).stdout;
    assert!(list.contains("Stays at the harbour hotel (expired 2026-02-20)\n"), "{list}");
    assert!(list.contains("holds the bag\n") && list.contains("keeps the receipts\n"), "{list}");
    assert!(on(&memory, "2026-02-21", &["query", "hotel", "--all"]).exit(0).stdout.contains("harbour"));
}

/// Days are local: a fact is found on all of its last day. The only test of the system's clock, because `MEMDIR_NOW`
/// brings its own zone; a run in which a day ends is repeated. A zone of POSIX needs no database.
#[test]
fn a_fact_is_valid_until_the_end_of_its_local_day() {
    let memory = Memory::new();
    let run = |zone: &str, words: &[&str]| {
        let mut command = memdir_command(&memory.dir());
        command.env_remove("MEMDIR_NOW").env("TZ", zone).args(words).output().unwrap()
    };
    let day_in = |zone: &str| {
        run(zone, &["set", "day@1", "-f", "upd=today"]);
        let text = memory.text("facts/day.md").unwrap();
        text.split("upd=").nth(1).unwrap()[..10].to_owned()
    };
    memory.done(["add", "day", "Today"]);
    // Twenty-six hours apart: never the same day.
    let days = || (day_in("EAST-14"), day_in("WEST+12"));
    let (east, west) = loop {
        let (east, west) = days();
        assert!(west < east, "{west} {east}");
        memory.done(["add", "user", "Is in Rome", "--exp", &west]);
        let finds = |zone: &str| String::from_utf8_lossy(&run(zone, &["query", "rome"]).stdout).contains("Is in Rome");
        let found = (finds("EAST-14"), finds("WEST+12"));
        memory.done(["rm", "user", "- Is in Rome"]);
        if days() == (east.clone(), west.clone()) {
            assert_eq!(found, (false, true));
            break (east, west);
        }
    };
    let records = |zone: &str| {
        run(zone, &["read", "other"]);
        memory.text(".memdir/usage").unwrap().lines().last().unwrap().to_owned()
    };
    memory.done(["add", "other", "Anything"]);
    let (in_east, in_west) = (records("EAST-14"), records("WEST+12"));
    assert!(days() != (east.clone(), west.clone()) || in_east.contains(&east) && in_west.contains(&west));
}

#[test]
fn without_a_record_of_uses_nothing_is_unused() {
    let memory =
        Memory::new().policy(RULES).file("facts/user.md", "# User\n\n- Old\n  <!-- mem imp=1 upd=2020-01-01 -->\n");
    on(&memory, "2026-03-02", &["prune", "-f"]).exit(0).unchanged();
}

#[test]
fn the_first_rule_that_matches_applies() {
    let policy = "version: 2\nlifetimes:\n  - {durability: permanent}\n  - {at: 'facts/**#keep'}\n  - {category: event, unused: 10d, purge: 5d}\n  - {tag: trip, unused: 20d}\n  - {at: 'facts/*', unused: 40d}\n";
    let text = "# User\n\n- A\n  <!-- mem dur=permanent -->\n- [event] B\n- C #trip\n- D\n\n## Keep\n\n- E\n";
    let memory = tracked(policy, text);
    let archived = |day: &str| -> Vec<String> {
        let result = on(&memory, day, &["prune", "-n", "--json"]).exit(0).json();
        result["archived"].as_array().unwrap().iter().map(|item| item["text"].as_str().unwrap().to_owned()).collect()
    };
    assert!(archived("2026-01-11").is_empty());
    assert_eq!(archived("2026-01-12"), ["[event] B"]);
    assert_eq!(archived("2026-01-22"), ["[event] B", "C #trip"]);
    // The journal knows that the bullet of the other file was added on the first of January.
    assert_eq!(archived("2026-02-11"), ["Starts the journal", "[event] B", "C #trip", "D"]);
}

#[test]
fn entries_are_archived_whole() {
    let policy = "version: 2\nlifetimes:\n  - {at: episodes/**, unused: 30d}\n";
    let entries = "# 2026-01 Episodes\n\n## One\n- Date: 2026-01-02\n- a\n\n## Two\n- Date: 2026-01-20\n- b\n";
    let memory = tracked(policy, "# User\n\n- a\n");
    memory.put("episodes/2026-01.md", entries);
    let before = memory.tree();
    on(&memory, "2026-02-02", &["prune"]).exit(0);
    assert_eq!(
        memory.text("archive/episodes/2026-01.md").unwrap(),
        "# 2026-01 Episodes\n\n## One\n<!-- mem archived=2026-02-02 from=# -->\n- Date: 2026-01-02\n- a\n\n"
    );
    // It goes back before the entry of a later day.
    on(&memory, "2026-02-03", &["restore", "archive/episodes/2026-01.md#one"]).exit(0);
    let after = memory.text("episodes/2026-01.md").unwrap();
    let summary = after.lines().find(|line| line.starts_with("> Summary")).unwrap_or_default().to_owned() + "\n\n";
    assert_eq!(after.replace(&summary, ""), entries);
    on(&memory, "2026-02-03", &["undo"]).exit(0);
    on(&memory, "2026-02-03", &["undo"]).exit(0);
    assert_eq!(memory.tree(), before);
}

#[test]
fn bullets_and_the_rest_of_their_section_come_back_below_one_heading() {
    let memory = Memory::new();
    memory.done(["add", "user#Travel", "Prefers window seats", "Likes night trains"]);
    memory.done(["rm", "--archive", &format!("user@{}", handle("Prefers window seats"))]);
    memory.done(["rm", "--archive", "-f", "user#travel"]);
    let restored = memory.done(["restore", "archive/facts/user"]);
    let ends = "## Travel\n\n- Likes night trains\n- Prefers window seats\n";
    let text = memory.text("facts/user.md").unwrap();
    assert!(text.ends_with(ends) && text.matches("## Travel").count() == 1, "{text}");
    let address = format!("@{} Prefers window seats → facts/user.md#travel", handle("Prefers window seats"));
    restored.stdout_contains("## Travel → facts/user.md#travel").stdout_contains(&address);
    assert!(memory.text("archive/facts/user.md").is_none());
}

#[test]
fn bullets_of_a_section_around_or_below_a_restored_one_share_its_headings() {
    let text = "# User\n\n## Travel\n\n- Has a passport\n\n### Trains\n\n- Night trains\n\n#### Seats\n\n- By the \
                window\n";
    let memory = Memory::new().file("facts/user.md", text);
    memory.done(["rm", "--archive", &format!("user@{}", handle("Has a passport"))]);
    memory.done(["rm", "--archive", &format!("user@{}", handle("By the window"))]);
    memory.done(["rm", "--archive", "-f", "user#trains"]);
    memory.done(["rm", "-f", "user#travel"]);
    memory.done(["restore", "archive/facts/user"]);
    let restored = memory.text("facts/user.md").unwrap();
    let summary = restored.lines().find(|line| line.starts_with("> Summary")).unwrap_or_default().to_owned();
    assert_eq!(restored.replace(&(summary + "\n\n"), ""), text);
}

#[test]
fn adjacent_sections_at_the_end_of_a_file_are_archived_and_restored_together() {
    let policy = "version: 2\nlifetimes:\n  - {at: episodes/**, unused: 30d}\n";
    let entry = |title: &str, day: u8| format!("## {title}\n- Date: 2026-01-{day:02}\n- {title}\n");
    let entries: Vec<String> = [("One", 2), ("Two", 3), ("Three", 4)].map(|(title, day)| entry(title, day)).into();
    let text = format!("# 2026-01 Episodes\n\n{}", entries.join("\n"));
    let memory = tracked(policy, "# User\n\n- a\n");
    memory.put("episodes/2026-01.md", &text);
    on(&memory, "2026-05-02", &["prune"]).exit(0);
    assert_eq!(memory.text("episodes/2026-01.md").unwrap(), "# 2026-01 Episodes\n");
    on(&memory, "2026-05-02", &["restore", "archive/episodes/2026-01.md"]).exit(0);
    let restored = memory.text("episodes/2026-01.md").unwrap();
    let summary = restored.lines().find(|line| line.starts_with("> Summary")).unwrap().to_owned() + "\n\n";
    assert_eq!(restored.replace(&summary, ""), text);
    // The first stays: nothing but its own lines is left.
    memory.done(["rm", "-f", "--archive", "2026-01#two", "2026-01#three"]);
    assert!(memory.text("episodes/2026-01.md").unwrap().ends_with(&entries[0]));
    memory.done(["undo"]);
    assert_eq!(memory.text("episodes/2026-01.md").unwrap(), restored);
}

#[test]
fn an_item_goes_back_to_its_place_without_the_journal() {
    let text = "# User\n\n- Top\n\n## Work\n\n- Uses tabs\n  <!-- mem id=tabs imp=7 -->\n  - in Go\n- Other\n\n### Boss\n\n- Is Ana\n";
    for gone in [false, true] {
        let memory = Memory::new().file("facts/user.md", text);
        for text in ["Top", "Uses tabs", "Is Ana"] {
            memory.done(["rm", "--archive", &address(text)]);
        }
        if gone {
            memory.put("facts/user.md", "# User\n");
        }
        std::fs::remove_dir_all(memory.dir().join(".memdir")).unwrap();
        memory.done(["restore", &address("Top"), &format!("archive/facts/user.md@{}", handle("Uses tabs"))]);
        memory.done(["restore", "user#boss"]);
        assert_eq!(memory.text("archive/facts/user.md"), None);
        let restored = memory.text("facts/user.md").unwrap();
        let summary = restored.lines().find(|line| line.starts_with("> Summary")).unwrap_or_default().to_owned();
        let restored = restored.replace(&(summary + "\n\n"), "");
        let expected = if !gone {
            text.replace(
                "- Uses tabs\n  <!-- mem id=tabs imp=7 -->\n  - in Go\n- Other\n",
                "- Other\n- Uses tabs\n  <!-- mem id=tabs imp=7 -->\n  - in Go\n",
            )
        } else {
            text.replace("- Other\n", "")
        };
        assert_eq!(restored, expected);
    }
}

#[test]
fn all_headings_that_are_gone_are_made_again() {
    let text =
        "# User\n\n## Work\n\n- Uses tabs\n\n### Boss\n\n- Is Ana\n\n#### Car\n\n- Is red\n\n### Desk\n\n- Is white\n";
    let memory = Memory::new().file("facts/user.md", text);
    for text in ["Uses tabs", "Is Ana", "Is red", "Is white"] {
        memory.done(["rm", "--archive", &address(text)]);
    }
    let without_summary = || {
        let text = memory.text("facts/user.md").unwrap();
        let summary = text.lines().find(|line| line.starts_with("> Summary")).map(|line| format!("{line}\n\n"));
        text.replace(&summary.unwrap_or_default(), "")
    };
    memory.put("facts/user.md", "# User\n\n- Own\n");
    memory.done(["restore", &format!("archive/facts/user.md@{}", handle("Is red"))]);
    let nested = "# User\n\n- Own\n\n## Work\n\n### Boss\n\n#### Car\n\n- Is red\n";
    assert_eq!(without_summary(), nested);
    memory.done(["undo"]);
    memory.done(["restore", "user"]);
    assert_eq!(without_summary(), text.replace("# User\n\n", "# User\n\n- Own\n\n"));
    assert_eq!(memory.text("archive/facts/user.md"), None);
}

#[test]
fn sections_go_back_below_the_headings_that_were_around_them() {
    let text = "# User\n\n## Work\n\n### Team\n\n#### Boss\n\n- Is Ana\n\n#### Desk\n\n- Is white\n";
    let memory = Memory::new().file("facts/user.md", text);
    memory.done(["rm", "-f", "--archive", "user#boss", "user#desk"]);
    memory.put("facts/user.md", "# User\n\n- Own\n");
    memory.done(["restore", "user"]);
    let restored = memory.text("facts/user.md").unwrap();
    assert!(restored.ends_with(&text["# User\n".len()..]), "{restored}");
}

#[test]
fn a_section_and_a_file_go_back_as_they_were() {
    let text = "---\ntags: [home]\n---\n# User\n\n- Top\n\n## Work\n- Uses tabs\n\n### Boss\n- Is Ana\n\n## End\n- x\n";
    let memory = Memory::new().file("facts/user.md", text);
    memory.done(["rm", "-f", "--archive", "user#work"]);
    assert_eq!(
        memory.text("archive/facts/user.md").unwrap(),
        "---\ntags: [\"home\"]\n---\n# User\n\n## Work\n<!-- mem archived=2026-02-24 from=# -->\n- Uses tabs\n\n### Boss\n- Is Ana\n\n"
    );
    memory.done(["restore", "archive/facts/user.md#work"]);
    assert_eq!(memory.text("archive/facts/user.md"), None);
    assert!(
        memory.text("facts/user.md").unwrap().ends_with("## End\n- x\n\n## Work\n- Uses tabs\n\n### Boss\n- Is Ana\n")
    );
    let whole = memory.text("facts/user.md");
    memory.done(["rm", "-f", "--archive", "user"]);
    memory.run(["read", "user"]).exit(3);
    assert!(memory.text("archive/facts/user.md").unwrap().contains("# User\n<!-- mem archived=2026-02-24 -->\n"));
    memory.done(["restore", "user"]);
    assert_eq!(memory.text("facts/user.md"), whole);
    // A second file of that name gets a number, and knows its path.
    memory.done(["rm", "-f", "--archive", "user"]);
    memory.done(["add", "user", "New"]);
    memory.done(["rm", "-f", "--archive", "user"]);
    assert!(memory.text("archive/facts/user-2.md").unwrap().contains("from=facts/user.md"));
    memory.done(["restore", "archive/facts/user-2.md"]);
    assert!(memory.text("facts/user.md").unwrap().ends_with("- New\n"));
    memory.run(["restore", "archive/facts/user.md"]).exit(4).stderr_contains("exists").unchanged();
}

#[test]
fn what_took_the_place_is_not_overwritten() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- A\n\n## Work\n\n- B\n");
    memory.done(["rm", "--archive", &address("A")]);
    memory.done(["add", "user", "A"]);
    memory
        .run(["restore", &format!("archive/facts/user.md@{}", handle("A"))])
        .exit(4)
        .stderr_contains("duplicate")
        .unchanged();
    memory.done(["rm", "-f", "--archive", "user#work"]);
    memory.done(["add", "user#Work", "C"]);
    memory.run(["restore", "archive/facts/user.md#work"]).exit(4).stderr_contains("exists").unchanged();
    memory.run(["restore", "nothing@acvh"]).exit(3).unchanged();
    memory.run(["restore", &format!("archive/facts/user.md@{}", handle("Z"))]).exit(3).unchanged();
    memory.run(["mv", "archive/facts/user.md", "other"]).exit(5).stderr_contains("restore").unchanged();
    memory.run(["add", "archive/facts/user.md", "x"]).exit(5).stderr_contains("read_only").unchanged();
}

#[test]
fn items_of_the_archive_are_removed_and_forgotten() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Aardvark\n- Badger\n- Camel\n");
    for text in ["Aardvark", "Badger", "Camel"] {
        memory.done(["rm", "--archive", &address(text)]);
    }
    let archived = |text: &str| format!("archive/facts/user.md@{}", handle(text));
    memory.done(["rm", &archived("Aardvark")]);
    assert!(!memory.text("archive/facts/user.md").unwrap().contains("Aardvark"));
    memory.done(["undo"]);
    assert!(memory.text("archive/facts/user.md").unwrap().contains("Aardvark"));
    memory.done(["rm", "--forget", &archived("Badger")]);
    let journal = String::from_utf8_lossy(&std::fs::read(memory.dir().join(".memdir/journal")).unwrap()).into_owned();
    assert!(!journal.contains("Badger") && !memory.text("archive/facts/user.md").unwrap().contains("Badger"));
    memory.done(["rm", "-f", "archive/facts/user.md"]);
    assert_eq!(memory.text("archive/facts/user.md"), None);
}

/// An archive that another program brought names any place.
#[test]
fn a_hostile_archive_restores_nothing_outside() {
    for from in ["../../outside.md", "/etc/x.md", ".git/config.md", "memdir.yaml", "inbox/p.md", "archive/x.md"] {
        let text = format!("# X\n<!-- mem archived=2026-01-01 from={from} -->\n\n- a\n");
        let memory = Memory::new().file("archive/facts/x.md", &text);
        let status = memory.run(["restore", "archive/facts/x.md"]).ends().unchanged();
        assert!(status.stderr.contains("invalid_path"), "{from}: {}", status.stderr);
    }
}

fn prunable() -> Memory {
    let text = "# User\n\n- Is in Rome\n  <!-- mem exp=2026-03-01 upd=2026-02-20 -->\n- Likes trains\n";
    Memory::new()
        .policy(RULES)
        .file("facts/user.md", text)
        .file("archive/facts/old.md", "# Old\n\n- Gone\n  <!-- mem archived=2026-01-20 purge=2026-02-19 from=# -->\n")
}

#[test]
fn a_clock_that_jumps_prunes_nothing() {
    for (day, part) in [("2016-02-24", "written on 2026-02-20"), ("2036-02-24", "more than 400 days")] {
        let memory = prunable();
        let refused = on(&memory, day, &["prune"]);
        // Ten years ago nothing had expired yet.
        if day.starts_with("2036") {
            refused.exit(5).unchanged().stderr_contains("clock_jumped").stderr_contains(part);
            on(&memory, day, &["prune", "-f"]).exit(0);
            assert_eq!(memory.text("archive/facts/old.md"), None);
        } else {
            refused.exit(0).unchanged();
        }
    }
    let memory = prunable();
    on(&memory, "2026-03-04", &["add", "user", "Today"]).exit(0);
    on(&memory, "2026-02-25", &["prune"]).exit(5).unchanged().stderr_contains("written on 2026-03-04");
}

#[test]
fn two_at_once_prune_once() {
    let memory = prunable();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut command = memdir_command(memory.dir().parent().unwrap());
                    command.arg("--dir").arg(memory.dir()).arg("prune").env("MEMDIR_NOW", "2026-03-04T12:00:00Z");
                    assert!(command.output().unwrap().status.success());
                })
            })
            .collect();
        runs.into_iter().for_each(|run| run.join().unwrap());
    });
    let log = memory.done(["log", "--oneline"]).stdout;
    assert_eq!(log.lines().count(), 1, "{log}");
    assert_eq!(memory.text("archive/facts/user.md").unwrap().matches("Is in Rome").count(), 1);
}

#[test]
fn overdue_proposals_are_dropped_with_the_rest() {
    let memory = prunable();
    let proposal = "# Adds a bullet\n\n- Proposed: 2026-01-01 by tester\n- Waits because: consent\n- Expires: 2026-01-08\n\n```json\n{\"op\":\"add\",\"at\":\"user\",\"text\":\"x\"}\n```\n";
    memory.put("inbox/p123456.md", proposal);
    let pruned = on(&memory, "2026-03-04", &["prune", "--json"]).exit(0).json();
    assert_eq!(pruned["dropped"][0]["text"], "p123456", "{pruned}");
    assert_eq!(memory.text("inbox/p123456.md"), None);
    on(&memory, "2026-03-04", &["undo"]).exit(0);
    assert_eq!(memory.text("inbox/p123456.md").as_deref(), Some(proposal));
}

/// The lines that `read` and `query` left behind, without the first.
fn uses(memory: &Memory) -> Vec<String> {
    let text = memory.text(".memdir/usage").unwrap_or_default();
    text.lines().skip(1).map(|line| line.replace('\t', " ")).collect()
}

#[test]
fn what_is_read_or_found_is_recorded_as_used() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Likes tea\n\n## Work\n\n- Uses tabs\n");
    memory.done(["read", "user"]);
    assert_eq!(memory.text(".memdir/usage"), None, "a memory that memdir never wrote gets no machine state");
    memory.done(["add", "user", "Keeps bees"]);
    on(&memory, "2026-03-01", &["read", "user"]).exit(0);
    on(&memory, "2026-03-02", &["read", &address("Likes tea"), "--json"]).exit(0);
    on(&memory, "2026-03-03", &["read", "user#work"]).exit(0);
    on(&memory, "2026-03-04", &["query", "tabs bees"]).exit(0);
    let tokens = on(&memory, "2026-03-05", &["context", "--json"]).exit(0).json()["tokens"].clone();
    on(&memory, "2026-03-05", &["list", "user"]).exit(0);
    on(&memory, "2026-03-05", &["read", "nothing"]).exit(3);
    on(&memory, "2026-03-05", &["query", "zebra"]).exit(0);
    on(&memory, "2026-03-06", &["mv", &address("Uses tabs"), "other"]).exit(0);
    on(&memory, "2026-03-07", &["mv", "other", "others"]).exit(0);
    let tabs = handle("Uses tabs");
    assert_eq!(
        uses(&memory),
        [
            "2026-03-01 read tester facts/user.md".to_owned(),
            format!("2026-03-02 read tester {}", address("Likes tea")),
            "2026-03-03 read tester facts/user.md#work".to_owned(),
            format!("2026-03-04 query tester {} {}", address("Uses tabs"), address("Keeps bees")),
            // How large a context was, and that nothing was found, are no uses.
            format!("2026-03-05 context {} tester ", tokens.as_u64().unwrap()),
            "2026-03-05 query 0 tester ".to_owned(),
            format!("2026-03-06 mv tester facts/other.md@{tabs}"),
            "2026-03-07 mv tester facts/others.md".to_owned(),
        ]
    );
    assert!(memory.text(".memdir/usage").unwrap().starts_with("since\t2026-03-01\t0\n"));
    memory.done(["rm", "--forget", &address("Likes tea")]);
    let left = memory.text(".memdir/usage").unwrap();
    assert!(!left.contains(&handle("Likes tea")) && left.contains("2026-03-04\tfold\t-\tfacts/user.md"), "{left}");
}

#[test]
fn a_use_keeps_an_item() {
    let text =
        "# User\n\n- A\n  <!-- mem imp=1 -->\n- B\n  <!-- mem imp=1 -->\n\n## Work\n\n- C\n  <!-- mem imp=1 -->\n";
    let memory = tracked(RULES, text);
    on(&memory, "2026-02-20", &["read", &address("A")]).exit(0);
    on(&memory, "2026-02-20", &["read", "user#work"]).exit(0);
    let archived = |day: &str| {
        let result = on(&memory, day, &["prune", "-n", "--json"]).exit(0).json();
        result["archived"]
            .as_array()
            .unwrap()
            .iter()
            .map(|i| i["text"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(archived("2026-03-10"), ["B"]);
    let status = on(&memory, "2026-03-10", &["status", "--json"]).exit(0).json();
    assert_eq!(status["attention"][0]["what"], "unused", "{status}");
    assert_eq!(status["attention"][0]["command"], "memdir prune", "{status}");
    assert_eq!(archived("2026-04-21"), ["B"]);
    assert_eq!(archived("2026-04-22"), ["A", "B", "C"]);
    on(&memory, "2026-04-22", &["read", "user"]).exit(0);
    assert!(archived("2026-04-22").is_empty());
    on(&memory, "2026-04-22", &["set", &address("B"), "upd=2026-04-30"]).exit(0);
    assert_eq!(archived("2026-06-22"), ["A", "C"]);
}

/// A caller that does not see an item does not learn that it is old, either.
#[test]
fn a_restricted_agent_prunes_nothing_and_counts_what_it_sees() {
    let policy = format!("{RULES}allowlists:\n  planner: [work]\n  doctor: [health]\n");
    let meta = "  <!-- mem imp=1 -->\n";
    let text = format!("# User\n\n## Work\n\n- A\n{meta}\n## Health\n\n- B\n{meta}- C\n{meta}");
    let memory = tracked(&policy, &text);
    let unused = |actor: &str| {
        let status = on(&memory, "2026-03-10", &["status", "--json"]).by(actor).exit(0).json();
        status["attention"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|row| row["what"] == "unused")
            .map(|row| row["count"].clone())
    };
    assert_eq!(unused("tester"), Some(3.into()));
    assert_eq!(unused("planner"), Some(1.into()));
    assert_eq!(unused("doctor"), Some(2.into()));
    for words in [&["prune"][..], &["prune", "-n"]] {
        on(&memory, "2026-03-10", words).by("planner").exit(5).unchanged().stderr_contains("category_not_allowed");
    }
    // Its own reads count, of what it was shown.
    on(&memory, "2026-03-09", &["read", "user"]).by("planner").exit(0);
    assert_eq!(unused("tester"), None);
}

/// A record that cannot be made disturbs no read.
#[test]
fn a_read_is_not_disturbed_by_what_stands_in_the_way() {
    let memory = Memory::new();
    memory.done(["add", "user", "Likes tea"]);
    let usage = memory.dir().join(".memdir/usage");
    let outside = memory.dir().parent().unwrap().join("outside");
    std::fs::write(&outside, "OUTSIDE").unwrap();
    let block: [&dyn Fn(); 3] =
        [&|| std::fs::create_dir(&usage).unwrap(), &|| std::os::unix::fs::symlink(&outside, &usage).unwrap(), &|| {
            std::fs::hard_link(&outside, &usage).unwrap()
        }];
    for block in block {
        block();
        memory.done(["read", "user"]).quiet();
        memory.done(["query", "tea"]);
        memory.done(["prune"]);
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "OUTSIDE");
        let _ = std::fs::remove_file(&usage).or_else(|_| std::fs::remove_dir(&usage));
    }
    // A torn record costs nothing but itself.
    memory.put(".memdir/usage", "since\t2026-01-01\t0\n2026-01-02\tread\ta\tfacts/us");
    memory.done(["read", "user"]);
    assert_eq!(uses(&memory), ["2026-01-02 read a facts/us", "2026-02-24 read tester facts/user.md"]);
}

#[test]
fn records_of_many_processes_are_all_kept_while_the_file_is_folded() {
    let memory = Memory::new();
    memory.done(["add", "user", "Likes tea"]);
    let filler = format!("2026-01-02\tread\ta\tfacts/{}.md\n", "x".repeat(100));
    memory.put(".memdir/usage", format!("since\t2026-01-01\t0\n{}", filler.repeat((1 << 20) / filler.len() - 4)));
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let memory = &memory;
            scope.spawn(move || {
                for n in 0..20 {
                    let store = memory.session().store;
                    store.record_use("2026-02-01".parse().unwrap(), "read", "a", &[format!("facts/t{thread}-{n}.md")]);
                }
            });
        }
    });
    let left = memory.text(".memdir/usage").unwrap();
    assert!(left.len() < 1 << 19, "{}", left.len());
    for thread in 0..8 {
        for n in 0..20 {
            assert!(left.contains(&format!("facts/t{thread}-{n}.md")), "{thread} {n}");
        }
    }
}

/// "Retrieval excludes soft-deleted; users can restore; delta surfaces transition once."
#[test]
fn each_transition_is_reported_once() {
    let memory = prunable();
    let news = |day: &str| {
        let text = on(&memory, day, &["context", "--as", "reader"]).exit(0).stdout;
        text.lines()
            .filter(|line| line.starts_with("- ↓") || line.starts_with("- ↺"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(news("2026-02-24").is_empty());
    on(&memory, "2026-03-04", &["prune"]).exit(0);
    assert_eq!(news("2026-03-04"), ["- ↓soft-deleted: [user] Is in Rome"]);
    assert!(news("2026-03-04").is_empty());
    on(&memory, "2026-03-05", &["restore", &address("Is in Rome")]).exit(0);
    assert_eq!(news("2026-03-05"), ["- ↺restored: [user] Is in Rome"]);
    assert!(news("2026-03-05").is_empty());
    on(&memory, "2026-03-06", &["prune"]).exit(0);
    on(&memory, "2026-03-06", &["query", "Rome"]).exit(0).stdout("");
}

/// A pin keeps a bullet from rules of disuse; its own last valid day says more than they do.
#[test]
fn a_pinned_bullet_is_archived_after_its_own_expiry_only() {
    let text = "# User\n\n- Is in Rome\n  <!-- mem pin=yes exp=2026-03-01 -->\n- Stays\n  <!-- mem pin=yes imp=0 -->\n";
    let memory = Memory::new().policy(RULES).file("facts/user.md", text);
    memory.run(["prune"]).env("MEMDIR_NOW", "2026-03-01T10:00:00Z").may_change().exit(0);
    assert!(memory.text("facts/user.md").unwrap().contains("- Is in Rome"));
    memory.run(["prune"]).env("MEMDIR_NOW", "2026-03-02T10:00:00Z").may_change().exit(0);
    let left = memory.text("facts/user.md").unwrap();
    assert!(!left.contains("- Is in Rome") && left.contains("- Stays"), "{left}");
    assert!(memory.text("archive/facts/user.md").unwrap().contains("- Is in Rome\n  <!-- mem pin=yes exp=2026-03-01"));
}

const STEPS: &str = "# Release\n\n1. Bump\n2. Test\n3. Tag\n4. Push\n5. Tell\n";

#[test]
fn a_restored_item_of_a_numbered_list_has_its_number_again() {
    let file = "procedures/release.md";
    let memory = Memory::new().file(file, STEPS);
    let address = |text: &str| format!("procedures/release@{}", handle(text));
    let archive = |texts: &[&str]| {
        memory.done(["rm", "--archive"].map(str::to_owned).into_iter().chain(texts.iter().map(|text| address(text))));
    };
    archive(&["Tag", "Push"]);
    let archived = memory.text("archive/procedures/release.md").unwrap();
    assert!(archived.contains("- Tag\n  <!-- mem archived=2026-02-24 from=# nr=3 -->\n"), "{archived}");
    memory.done(["restore", &address("Push")]);
    assert_eq!(memory.text(file).unwrap(), STEPS.replace("3. Tag\n", ""));
    memory.done(["restore", &address("Tag")]);
    assert_eq!(memory.text(file).unwrap(), STEPS);
    // The first and the last, and all of a gap at once, in another order than they left in.
    archive(&["Push"]);
    archive(&["Bump"]);
    archive(&["Test"]);
    archive(&["Tell"]);
    memory.done(["restore", "archive/procedures/release.md"]);
    assert_eq!(memory.text(file).unwrap(), STEPS);
    // What has the number now stays before it.
    archive(&["Tag"]);
    memory.put(file, STEPS.replace("Tag", "Sign"));
    memory.done(["restore", &address("Tag")]);
    assert_eq!(memory.text(file).unwrap(), format!("{}6. Tag\n", STEPS.replace("Tag", "Sign")));
    // The list with the gap, of two.
    let two = "# Release\n\n1. Bump\n2. Test\n3. Tag\n\nThen:\n\n1. Push\n2. Tell\n3. Rest\n";
    memory.put(file, two);
    for text in ["Tell", "Push", "Rest", "Tag", "Bump"] {
        archive(&[text]);
        memory.done(["restore", &address(text)]);
        assert_eq!(memory.text(file).unwrap(), two, "{text}");
    }
}

/// There is no other item that shows that the list has numbers.
#[test]
fn the_only_items_of_a_numbered_list_have_their_numbers_again() {
    for (text, items) in [("# List\n\n1. one\n", &["one"][..]), ("# List\n\n3. one\n4. two\n", &["one", "two"])] {
        let memory = Memory::new().file("facts/list.md", text);
        let addresses = items.iter().map(|item| format!("list@{}", handle(item)));
        memory.done(["rm", "--archive"].map(str::to_owned).into_iter().chain(addresses));
        memory.done(["restore", "archive/facts/list.md"]);
        assert_eq!(memory.text("facts/list.md").unwrap(), text);
    }
}

#[test]
fn an_item_without_a_number_returns_or_moves_to_a_list_without_numbers() {
    let text = "# Star\n\n* star\n* moon\n\nBetween.\n\n1) one\n2) two\n";
    let memory = Memory::new().file("facts/star.md", text).file("facts/other.md", "# Other\n\n- sun\n- sky\n");
    memory.done(["rm", "--archive", &format!("star@{}", handle("star"))]);
    memory.done(["restore", &format!("star@{}", handle("star"))]);
    assert!(memory.text("facts/star.md").unwrap().contains("* moon\n* star\n\nBetween.\n\n1) one\n2) two\n"));
    memory.done(["mv", &format!("other@{}", handle("sun")), "star"]);
    let moved = memory.text("facts/star.md").unwrap();
    assert!(moved.contains("* star\n* sun\n\nBetween.\n\n1) one\n2) two\n"), "{moved}");
}

/// An editor took a bullet out and left its metadata line, which then stands below the bullet before it.
#[test]
fn nothing_is_archived_or_purged_by_the_metadata_of_another_bullet() {
    let memory = Memory::new().policy(RULES);
    memory.done(["add", "user", "Deploys run on Mondays"]);
    memory.done(["add", "user", "Trial account valid", "--exp", "2026-03-01"]);
    memory.done(["add", "user", "Guest badge", "--exp", "2026-03-01"]);
    let text = memory.text("facts/user.md").unwrap().replace("- Trial account valid\n", "");
    memory.put("facts/user.md", &text);
    let pruned = on(&memory, "2026-03-10", &["prune"]).exit(0);
    assert!(pruned.stdout.contains("Guest badge") && !pruned.stdout.contains("Mondays"), "{pruned}");
    assert!(memory.text("facts/user.md").unwrap().contains("- Deploys run on Mondays\n"));
    on(&memory, "2026-03-11", &["prune"]).exit(0).unchanged();
    // The same in the archive: the last day of one is not that of the one above it.
    let memory = Memory::new().policy(RULES);
    memory.done(["add", "user", "One", "Two"]);
    on(&memory, "2026-02-24", &["rm", &address("One"), "--archive"]).exit(0);
    on(&memory, "2026-03-24", &["rm", &address("Two"), "--archive"]).exit(0);
    let archived = memory.text("archive/facts/user.md").unwrap();
    let mut lines: Vec<&str> = archived.lines().collect();
    let one = lines.iter().position(|line| *line == "- One").unwrap();
    let line = lines.remove(one + 1);
    let two = lines.iter().position(|line| *line == "- Two").unwrap();
    lines[two + 1] = line;
    memory.put("archive/facts/user.md", lines.join("\n") + "\n");
    on(&memory, "2026-04-01", &["prune"]).exit(0).unchanged();
}

#[test]
fn the_restore_of_a_text_that_is_live_again_proposes_to_remove_the_archived_one() {
    let memory = Memory::new();
    memory.done(["add", "user", "Same text"]);
    memory.done(["rm", &address("Same text"), "--archive"]);
    memory.done(["add", "user", "Same text"]);
    let proposed = format!("archive/facts/user.md@{}", handle("Same text"));
    let refused = memory.run(["restore", &address("Same text")]).exit(4);
    refused.stderr_contains("memdir: duplicate: ").stderr_contains(&format!("try: memdir rm {proposed}\n"));
    memory.done(["rm", &proposed]);
    assert!(memory.text("facts/user.md").unwrap().contains("- Same text\n"));
}

#[test]
fn a_conflict_in_an_archive_file_stops_the_prune_of_its_own_file_alone() {
    let text = "# User\n\n- Is in Rome\n  <!-- mem exp=2026-03-01 -->\n";
    let memory = Memory::new().policy(RULES).file("facts/user.md", text).file("facts/other.md", text);
    memory.put("archive/facts/user.md", "# User\n\n<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n");
    let pruned = on(&memory, "2026-03-02", &["prune"]).exit(0).stdout_contains("archived facts/other.md@");
    pruned.stderr_contains("archive/facts/user.md has an unresolved merge conflict, so nothing of facts/user.md");
    assert_eq!(memory.text("facts/user.md").as_deref(), Some(text));
}

/// A file may have an H1 for each of its parts.
#[test]
fn an_item_below_a_second_title_goes_back_below_it() {
    let text = "# Recipes\n\n# Soups\n\n- Lentils\n- Tomatoes\n\n# Cakes\n\n- Apple\n- Poppy\n";
    let memory = Memory::new().file("notes/kitchen.md", text);
    memory.done(["rm", "--archive", &format!("notes/kitchen.md@{}", handle("Poppy"))]);
    let archived = memory.text("archive/notes/kitchen.md").unwrap();
    assert!(archived.contains("# Cakes\n") && archived.contains("from=#cakes"), "{archived}");
    memory.done(["restore", "archive/notes/kitchen.md"]);
    assert_eq!(memory.text("notes/kitchen.md").as_deref(), Some(text));
}
