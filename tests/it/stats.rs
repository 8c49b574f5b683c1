//! `stats`: figures that can be counted by hand, as text, JSON and CSV.
//!
//! That a restricted agent learns nothing from them is tested in `leaks.rs`, too.

use serde_json::Value;

use crate::support::Memory;

/// A memory with two days of events and reads.
fn used_memory() -> Memory {
    let memory = Memory::new();
    let at = |day: &str, line: &[&str]| {
        memory.run(line).env("MEMDIR_NOW", &format!("{day}T10:00:00Z")).exit(0);
    };
    at("2026-02-22", &["add", "user", "Prefers tabs", "[work] Standup at ten", "Sees [[project]]"]);
    at("2026-02-22", &["read", "user@1"]);
    at("2026-02-24", &["update", "user", "Prefers tabs", "Prefers spaces"]);
    at("2026-02-24", &["rm", "user", "- Sees [[project]]"]);
    at("2026-02-24", &["undo"]);
    memory.run(["query", "standup"]).by("bot").exit(0);
    memory
}

/// `metric name actor value`, and the days.
fn rows(report: &Value) -> Vec<String> {
    let row = |figure: &Value| {
        let text = |key: &str| figure[key].as_str().unwrap_or("-").to_owned();
        let days: Vec<String> =
            figure["days"].as_array().into_iter().flatten().map(|d| format!("{}", d["day"])).collect();
        format!("{} {} {} {}{}", text("metric"), text("name"), text("actor"), figure["value"], days.concat())
    };
    report["figures"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn figures_are_those_that_can_be_counted() {
    let memory = used_memory();
    let report = memory.done(["--json", "stats"]).json();
    assert_eq!((&report["from"], &report["until"]), (&"2026-02-22".into(), &"2026-02-24".into()));
    let rows = rows(&report);
    for expected in [
        "items bullets in facts/ - 3.0",
        "items files - 1.0",
        "category none - 2.0",
        "category work - 1.0",
        "scopes all - 1.0",
        "scopes with memories - 1.0",
        "event ADD - 2.0\"2026-02-22\"",
        "event LINK - 1.0\"2026-02-22\"",
        "event UPDATE - 1.0\"2026-02-24\"",
        "event DELETE - 1.0\"2026-02-24\"",
        "event RESTORE - 1.0\"2026-02-24\"",
        "write add tester 3.0\"2026-02-22\"",
        "write undo tester 1.0\"2026-02-24\"",
        "read read tester 1.0\"2026-02-22\"",
        "read query bot 1.0\"2026-02-24\"",
        "created_per_hour - - 0.042",
        "never_used bullets - 1.0",
    ] {
        assert!(rows.contains(&expected.to_owned()), "no {expected} in {rows:#?}");
    }
    let later = self::rows(&memory.done(["--json", "stats", "--since", "2026-02-23"]).json());
    assert!(!later.iter().any(|row| row.starts_with("event ADD") || row.starts_with("read read")), "{later:#?}");
    assert!(later.contains(&"read query bot 1.0\"2026-02-24\"".to_owned()));
    memory.run(["stats", "--since", "soonish"]).exit(2).stderr_contains("usage");
}

#[test]
fn contexts_and_empty_answers_are_counted() {
    let memory = Memory::new();
    memory.run(["context"]).by("bot").exit(0);
    memory.done(["add", "user", "Prefers tabs"]);
    memory.run(["context", "-n"]).by("bot").exit(0);
    let shown = memory.run(["--json", "context"]).by("bot").exit(0).json();
    memory.run(["query", "tabs"]).by("bot").exit(0);
    memory.run(["query", "zebra"]).by("bot").exit(0);
    let report = memory.done(["--json", "stats"]).json();
    let rows = rows(&report);
    for expected in [
        "read context bot 2.0\"2026-02-24\"".to_owned(),
        "no_result context bot 1.0\"2026-02-24\"".to_owned(),
        format!("tokens_injected context bot {:?}\"2026-02-24\"", shown["tokens"].as_f64().unwrap()),
        "injection_rate - - 0.5".to_owned(),
        "read query bot 2.0\"2026-02-24\"".to_owned(),
        "no_result query bot 1.0\"2026-02-24\"".to_owned(),
        "never_used bullets - 0.0".to_owned(),
    ] {
        let is_absent = expected.ends_with(" 0.0");
        let found = rows.iter().any(|row| *row == expected || is_absent && row.starts_with("never_used"));
        assert_ne!(found, is_absent, "{expected}: {rows:#?}");
    }
}

#[test]
fn a_proposal_is_no_memory_and_no_change() {
    let memory = Memory::new().policy("version: 2\nagents: {write: propose}\n");
    memory.done(["add", "user", "one"]);
    let was = rows(&memory.done(["--json", "stats"]).json());
    let propose = |text: &str| {
        memory.run(["add", "user", text]).by("bot").may_change().exit(5);
        memory.done(["inbox"]).stdout_contains(text);
    };
    propose("two");
    assert_eq!(rows(&memory.done(["--json", "stats"]).json()), was);
    memory.done(["inbox", "--reject"]);
    assert_eq!(rows(&memory.done(["--json", "stats"]).json()), was);
    propose("three");
    memory.done(["inbox", "--accept"]);
    let accepted = rows(&memory.done(["--json", "stats"]).json());
    assert!(accepted.contains(&"event ADD - 2.0\"2026-02-24\"".to_owned()), "{accepted:#?}");
    assert!(!accepted.iter().any(|row| row.starts_with("event DELETE") || row.starts_with("write rm")));
}

#[test]
fn imported_bullets_are_added_ones() {
    let memory = Memory::new();
    memory.put("../x.md", "- a\n- b\n  - below\n- works_at [[c]]\n");
    memory.done(["import", "x.md"]);
    let first = rows(&memory.done(["--json", "stats"]).json());
    for expected in ["event ADD - 2.0", "event LINK - 1.0", "created_per_hour - - 2.0", "write write tester 1.0"] {
        assert!(first.iter().any(|row| row.starts_with(expected)), "{expected} {first:#?}");
    }
    assert!(!first.iter().any(|row| row.starts_with("event UPDATE")), "{first:#?}");
    memory.put("../x.md", "- a\n- d\n");
    memory.done(["import", "x.md"]);
    let second = rows(&memory.done(["--json", "stats"]).json());
    assert!(second.iter().any(|row| row.starts_with("event ADD - 3.0")), "{second:#?}");
    let none = memory.done(["stats", "--since", "r2"]).stdout;
    assert!(!none.contains("-0"), "{none}");
    memory.run(["stats", "--since", "r999"]).exit(3).unchanged().stderr_contains("revision_not_found: r999");
}

#[test]
fn compactions_are_counted_by_day() {
    let memory = Memory::new().policy("version: 2\nlimits: [{at: facts/*, bullets: 3, on_limit: compact}]\n");
    memory.done(["add", "user", "Likes tea", "Likes bread", "Likes rain"]);
    // By a change that exceeds the limit, and by the command.
    memory.done(["add", "user", "Likes snow"]);
    memory.done(["compact", "user", "--to", "2"]);
    // None of these is one.
    memory.done(["rm", "user", "- Likes rain", "--archive"]);
    memory.done(["undo"]);
    memory.done(["restore", "archive/facts/user.md", "-f"]);
    let rows = rows(&memory.done(["--json", "stats"]).json());
    assert!(rows.contains(&"compaction - tester 2.0\"2026-02-24\"".to_owned()), "{rows:#?}");
}

#[test]
fn removed_duplicates_are_counted_and_are_no_compaction() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Likes tea\n- likes tea.\n- Likes tea\n");
    memory.configure("people: [tester]\nmodel: {provider: exec, command: [cat]}\n");
    memory.done(["compact", "--duplicates"]);
    let rows = rows(&memory.done(["--json", "stats"]).json());
    assert!(rows.contains(&"duplicate - tester 2.0\"2026-02-24\"".to_owned()), "{rows:#?}");
    assert!(!rows.iter().any(|row| row.starts_with("compaction")), "{rows:#?}");
}

#[test]
fn text_has_lines_of_days_and_csv_a_line_for_each() {
    let memory = used_memory();
    let text =
        memory.done(["stats"]).stdout_contains("|█  |\n").stderr_contains("events from 2026-02-22 to 2026-02-24");
    assert!(text.stdout.lines().any(|line| line.starts_with("event ") && line.ends_with("|  █|")), "{text}");
    memory.run(["stats"]).env("LC_ALL", "C").exit(0).stdout_contains("|@  |\n");
    let csv = memory.done(["stats", "--csv"]).stdout;
    assert!(csv.starts_with("metric,name,actor,day,value\nitems,"), "{csv}");
    for line in ["write,add,tester,,3", "write,add,tester,2026-02-22,3"] {
        assert!(csv.lines().any(|row| row == line), "{csv}");
    }
    let empty = Memory::new();
    empty.done(["stats"]).stdout_contains("scopes");
    empty.done(["stats", "--cost"]).stdout("");
}

#[test]
fn an_agent_with_an_allowlist_gets_its_own_figures() {
    let memory = used_memory()
        .policy("version: 1\ncategories: {custom: [{name: work}, {name: health}]}\nallowlists: {bot: [work]}\n");
    let rows = rows(&memory.run(["--json", "stats"]).by("bot").exit(0).json());
    assert!(rows.contains(&"read query bot 1.0\"2026-02-24\"".to_owned()), "{rows:#?}");
    assert!(!rows.iter().any(|row| row.contains("tester") || row.starts_with("scopes") || row.starts_with("tokens")));
}

#[test]
fn the_whole_history_is_printed_with_all() {
    let memory = Memory::new();
    for n in 0..60 {
        memory.done(["add", "user", &format!("Fact number {n}")]);
    }
    let count = |line: &[&str]| memory.done(line).json()["entries"].as_array().unwrap().len();
    assert_eq!((count(&["--json", "log"]), count(&["--json", "log", "--all", "-p"])), (50, 60));
    memory.done(["log", "--all", "-p", "--json"]).stdout_contains("Fact number 0\"");
}

/// The texts of all markdown files.
fn texts(memory: &Memory) -> Vec<(String, String)> {
    let files = memory.tree().into_iter().filter(|(path, _)| path.ends_with(".md"));
    files.map(|(path, (bytes, _))| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// A memory whose history has a change of every kind: edits, moves, archived items, undo, and other programs.
fn eventful_memory() -> Memory {
    let memory = used_memory();
    memory.put("facts/notes.md", "# Notes\n\n- Written by an editor, gr\u{fc}n\n");
    memory.done(["add", "notes", "Likes tea"]);
    memory.done(["mv", "user@2", "notes", "-f"]);
    memory.done(["mv", "facts/notes.md", "facts/topics/notes.md"]);
    memory.done(["rm", "topics/notes", "- Likes tea", "--archive", "-m", "no longer"]);
    memory.run(["append", "-t", "Started"]).stdin("- Day one\n").exit(0);
    memory.put("facts/user.md", "# User\n\n- Prefers nothing\n");
    memory.done(["add", "user", "Last one"]);
    memory.put("facts/unrecorded.md", "# Unrecorded\n\n- Not yet known\n");
    memory
}

#[test]
fn a_history_is_read_back_with_its_texts_times_and_names() {
    let memory = eventful_memory();
    let export = memory.done(["log", "--all", "-p", "--json"]).stdout;
    let copy = Memory::new();
    copy.put("../history.json", &export);
    copy.done(["import", "history.json", "-n"]);
    assert_eq!(texts(&copy), []);
    copy.done(["import", "history.json"]).stderr_contains("history: 13 added");
    assert_eq!(texts(&copy), texts(&memory));
    // What happened, when, by whom and why; only the changes of other programs have become revisions, too.
    let rows = |memory: &Memory| -> Vec<String> {
        let log = memory.done(["log", "--all", "-p", "--json"]).json();
        let rows = log["entries"].as_array().unwrap().iter().filter(|row| row["actor"] != "outside");
        rows.map(|row| format!("{} {} {} {} {}", row["at"], row["actor"], row["reason"], row["state"], row["effects"]))
            .collect()
    };
    assert_eq!(rows(&copy), rows(&memory));
    // Each revision can still be taken back; what other programs changed only if it is named.
    let newest = copy.done(["undo"]).stdout;
    assert!(newest.contains("Last one") && !newest.contains("Not yet known"), "{newest}");
    copy.done(["redo"]);
    copy.done(["undo", "--by", "outside"]).stdout_contains("Not yet known");
    copy.done(["redo"]);
    // The second export has the same texts, and a second import nothing to add.
    copy.done(["log", "topics/notes", "--oneline"]).stdout_contains("mv");
}

#[test]
fn an_interrupted_import_of_a_history_goes_on_and_another_memory_is_left_alone() {
    let memory = eventful_memory();
    let export = memory.done(["log", "--all", "-p", "--json"]).stdout;
    let mut half: Value = serde_json::from_str(&export).unwrap();
    half["history"]["revisions"].as_array_mut().unwrap().truncate(5);
    let copy = Memory::new();
    copy.put("../half.json", half.to_string());
    copy.put("../history.json", &export);
    copy.done(["import", "half.json"]).stderr_contains("5 added, 0 already there");
    copy.done(["import", "history.json"]).stderr_contains("8 added, 5 already there");
    assert_eq!(texts(&copy), texts(&memory));
    copy.done(["import", "history.json"]).stderr_contains("0 added, 13 already there");
    copy.done(["add", "user", "Of its own"]);
    let before = texts(&copy);
    copy.run(["import", "history.json"]).exit(4).stderr_contains("exists");
    assert_eq!(texts(&copy), before);
}

#[test]
fn a_history_that_does_not_fit_together_changes_nothing() {
    let export = eventful_memory().done(["log", "--all", "-p", "--json"]).json();
    type Damage = fn(&mut Value);
    let cases: [(&str, Damage, i32, &str); 6] = [
        ("another version", |history| history["memdir_history"] = 2.into(), 2, "version 2"),
        (
            "a text that was changed",
            |history| history["revisions"][0]["files"][0]["text"] = "# Else\n".into(),
            2,
            "SHA-256",
        ),
        (
            "an edit of another text",
            |history| history["revisions"][1]["files"][0]["edits"][0][0] = 9999.into(),
            2,
            "fit",
        ),
        (
            "a missing revision",
            |history| drop(history["revisions"].as_array_mut().unwrap().remove(0)),
            2,
            "fit together",
        ),
        ("a path outside", |history| history["revisions"][0]["files"][0]["path"] = "../x.md".into(), 5, "invalid_path"),
        (
            "the machine's own folder",
            |history| history["revisions"][0]["files"][0]["path"] = ".memdir/x.md".into(),
            5,
            "",
        ),
    ];
    for (name, damage, status, words) in cases {
        let mut damaged = export.clone();
        damage(&mut damaged["history"]);
        let copy = Memory::new();
        copy.put("../history.json", damaged.to_string());
        let run = copy.run(["import", "history.json"]).exit(status);
        assert!(run.stderr.contains(words), "{name}: {run}");
        assert_eq!(texts(&copy), [], "{name}");
    }
    let copy = Memory::new();
    copy.put("../history.json", export.to_string());
    copy.run(["import", "history.json"]).by("claude").exit(5).stderr_contains("consent");
}

#[test]
fn a_part_of_the_log_has_no_texts_of_other_revisions() {
    let memory = Memory::new();
    memory.run(["add", "notes", "Salary of ana is 90k"]).by("ana").exit(0);
    memory.run(["add", "other", "Bob likes tea"]).by("bob").exit(0);
    for part in [&["--by", "bob"][..], &["facts/other.md"], &["--since", "r1"]] {
        let log = memory.done([&["log", "--all", "-p", "--json"], part].concat());
        assert!(log.json()["history"].is_null() && !log.stdout.contains("Salary"), "{part:?} {log}");
        assert_eq!(log.json()["entries"].as_array().unwrap().len(), 1, "{part:?} {log}");
    }
    let whole = memory.done(["log", "--all", "-p", "--json"]).json();
    assert_eq!(whole["history"]["revisions"].as_array().unwrap().len(), 2);
}

#[test]
fn a_forget_is_a_removal() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Likes tea\n- Likes rain\n");
    memory.done(["rm", "user@1", "-f", "--forget"]);
    let rows = rows(&memory.done(["--json", "stats"]).json());
    for expected in ["event DELETE", "write rm tester 1.0"] {
        assert!(rows.iter().any(|row| row.starts_with(expected)), "no {expected} in {rows:#?}");
    }
}

#[test]
fn a_caller_with_an_allowlist_gets_no_history_with_texts() {
    let memory = used_memory()
        .policy("version: 1\ncategories: {custom: [{name: work}, {name: health}]}\nallowlists: {bot: [work]}\n");
    let log = memory.run(["log", "--all", "-p", "--json"]).by("bot").exit(0).json();
    assert!(log["history"].is_null(), "{log}");
}

#[test]
fn a_person_has_one_name_for_reads_and_writes() {
    let memory = Memory::new();
    let home = memory.dir().parent().unwrap().to_owned();
    fs_err::write(home.join(".gitconfig"), "[user]\n\tname = Ana Lee\n").unwrap();
    let by_ana = |words: &[&str]| memory.run(words).env("MEMDIR_AS", "").env("USER", "ana").exit(0);
    by_ana(&["add", "user", "Prefers tabs"]);
    by_ana(&["read", "user"]);
    by_ana(&["context"]);
    memory.done(["read", "user"]);
    let rows = rows(&by_ana(&["--json", "stats"]).json());
    for expected in
        ["write add Ana Lee 1.0", "read read Ana Lee 1.0", "read context Ana Lee 1.0", "read read tester 1.0"]
    {
        assert!(rows.iter().any(|row| row.starts_with(expected)), "no {expected} in {rows:#?}");
    }
    assert!(!rows.iter().any(|row| row.contains(" ana ")), "{rows:#?}");
}

#[test]
fn what_is_archived_and_then_forgotten_is_no_compaction() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Likes tea\n- Likes rain\n");
    memory.done(["rm", "user@1", "--archive", "-f"]);
    memory.done(["rm", "archive/facts/user.md", "-f", "--forget"]);
    let rows = rows(&memory.done(["--json", "stats"]).json());
    assert!(!rows.iter().any(|row| row.starts_with("compaction")), "{rows:#?}");
}

#[test]
fn every_kind_of_event_is_counted() {
    let memory = Memory::new().policy("version: 2\nexpired: archive\n");
    memory.done(["add", "user", "Likes tea", "Likes rain", "Likes snow"]);
    memory.done(["add", "user", "Sees [[project]]"]);
    memory.done(["add", "user", "Visitor in the office", "--exp", "2026-02-23"]);
    memory.done(["update", "user", "Likes tea", "Likes green tea"]);
    memory.done(["prune"]);
    let merge = r#"[{"op": "update", "at": "user", "old": "Likes rain", "text": "Likes rain and snow", "archive": true},
        {"op": "rm", "at": "user", "text": "Likes snow", "archive": true}]"#;
    memory.run(["apply"]).stdin(merge).exit(0);
    memory.done(["rm", "user", "- Likes green tea"]);
    memory.done(["undo"]);
    memory.done(["rm", "user", "- Likes green tea"]);
    let rows = rows(&memory.done(["--json", "stats"]).json());
    let events: Vec<&str> = rows.iter().filter(|row| row.starts_with("event ")).map(|row| &row[6..]).collect();
    let kinds =
        ["ADD - 4.0", "DELETE - 2.0", "LINK - 1.0", "MERGE - 1.0", "RESTORE - 1.0", "TTL - 1.0", "UPDATE - 1.0"];
    assert_eq!(events, kinds.map(|kind| format!("{kind}\"2026-02-24\"")));
}

#[test]
fn tokens_since_a_day_are_those_of_its_calls() {
    let memory = Memory::new();
    let facts = ["Tests run on Friday.", "The linter is Ruff."];
    let answer = |text: &str| {
        format!(
            r#"{{"operations": [{{"op": "add", "at": "facts/project.md", "text": "{text}", "quote": "{text}", "turn": 1}}]}}"#
        )
    };
    memory.script_model(&facts.map(answer));
    let at = |day: &str, line: &[&str], stdin: &str| {
        memory.run(line).env("MEMDIR_NOW", &format!("{day}T10:00:00Z")).stdin(stdin).exit(0).json()
    };
    let tokens = |since: &str| -> f64 {
        let report = at("2026-02-25", &["stats", "--cost", "--since", since, "--json"], "");
        let rows = report["figures"].as_array().unwrap().iter().filter(|row| row["metric"] == "tokens");
        rows.filter_map(|row| row["value"].as_f64()).sum()
    };
    let of_day = |day: &str| at(day, &["status", "--json"], "")["models"]["tokens"].as_f64().unwrap();
    let mut spent = Vec::new();
    for (day, text) in ["2026-02-24", "2026-02-25"].into_iter().zip(facts) {
        assert_eq!(at(day, &["reflect", "--json"], &format!("User: {text}\n"))["counts"]["kept"], 1);
        spent.push(of_day(day));
    }
    assert!(spent[0] > 100.0 && spent[1] > 100.0, "{spent:?}");
    assert_eq!(["2026-02-24", "2026-02-25", "2026-02-26"].map(tokens), [spent[0] + spent[1], spent[1], 0.0]);
}

#[test]
fn every_revision_records_the_tokens_that_led_to_it() {
    let record = "{\"record\": \"User prefers meetings after 2pm on weekdays.\", \"importance\": 6, \"tags\": []}";
    let steps = "{\"title\": \"Release the program\", \"steps\": [\"Run the tests\", \"Push the tag\"]}";
    let talk =
        "User: I prefer meetings after 2pm on weekdays. To release the program I run the tests and push the tag.\n";
    for (mode, answer) in [("--record", record), ("--procedure", steps)] {
        let memory = Memory::new();
        memory.script_model(&[answer.to_owned(), answer.to_owned()]);
        let ran = memory.run(["reflect", mode]).stdin(talk).exit(0);
        assert!(ran.stdout.contains("1 kept"), "{ran}");
        let report = memory.done(["--json", "stats", "--cost"]).json();
        let of = |metric: &str, name: &str| {
            let rows = report["figures"].as_array().unwrap().iter();
            let of = |row: &&Value| row["metric"] == metric && (name.is_empty() || row["name"] == name);
            rows.filter(of).filter_map(|row| row["value"].as_f64()).sum::<f64>()
        };
        // The program reports no tokens, so both are the same estimate.
        assert!(of("tokens", "input") > 100.0 && of("tokens", "output") > 5.0, "{mode}: {report}");
        let today = of("tokens_today", "");
        assert_eq!(of("tokens", "input") + of("tokens", "output"), today, "{mode}: {report}");
    }
}
