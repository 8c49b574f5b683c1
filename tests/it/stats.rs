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

/// `metric name agent value`, and the days.
fn rows(report: &Value) -> Vec<String> {
    let row = |figure: &Value| {
        let text = |key: &str| figure[key].as_str().unwrap_or("-").to_owned();
        let days: Vec<String> =
            figure["days"].as_array().into_iter().flatten().map(|d| format!("{}", d["day"])).collect();
        format!("{} {} {} {}{}", text("metric"), text("name"), text("agent"), figure["value"], days.concat())
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
        "never_used bullets - 2.0",
    ] {
        assert!(rows.contains(&expected.to_owned()), "no {expected} in {rows:#?}");
    }
    let later = self::rows(&memory.done(["--json", "stats", "--since", "2026-02-23"]).json());
    assert!(!later.iter().any(|row| row.starts_with("event ADD") || row.starts_with("read read")), "{later:#?}");
    assert!(later.contains(&"read query bot 1.0\"2026-02-24\"".to_owned()));
    memory.run(["stats", "--since", "soonish"]).exit(2).stderr_contains("usage");
}

#[test]
fn text_has_lines_of_days_and_csv_a_line_for_each() {
    let memory = used_memory();
    let text =
        memory.done(["stats"]).stdout_contains("|█  |\n").stderr_contains("events from 2026-02-22 to 2026-02-24");
    assert!(text.stdout.lines().any(|line| line.starts_with("event ") && line.ends_with("|  █|")), "{text}");
    memory.run(["stats"]).env("LC_ALL", "C").exit(0).stdout_contains("|@  |\n");
    let csv = memory.done(["stats", "--csv"]).stdout;
    assert!(csv.starts_with("metric,name,agent,day,value\nitems,"), "{csv}");
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
