//! Confidence that decreases with age: in `query`, `context` and `check --stale`, never in a file by itself.

use serde_json::json;

use crate::support::{CommandOutcome, Memory, handle};

const POLICY: &str = "version: 2\ndecay: {half_life: 180d, floor: 0.3}\n";

/// On 2026-02-24, 180 days have passed since 2025-08-28, and 90 since 2025-11-26.
const FACTS: &str = "# User

- Likes fresh coffee
  <!-- mem conf=0.9 added=2026-02-20 -->
- Likes old coffee
  <!-- mem conf=0.8 added=2024-01-01 upd=2025-08-28 -->
- Likes ancient coffee
  <!-- mem conf=0.9 added=2020-01-01 -->
- Likes undated coffee
  <!-- mem conf=0.9 -->
- Likes plain coffee

## Guesses
- Date: 2025-11-26
- Likes guessed coffee
  <!-- mem conf=0.2 -->
- Likes expired coffee
  <!-- mem conf=0.9 exp=2026-02-20 -->
";

fn memory() -> Memory {
    Memory::new().policy(POLICY).file("facts/user.md", FACTS)
}

/// The middle words of the bullets that a query finds, sorted.
fn found(memory: &Memory, words: &[&str], now: &str) -> String {
    let answer = memory.run([words, &["--json"]].concat()).env("MEMDIR_NOW", now).exit(0).unchanged().json();
    let items = answer["items"].as_array().unwrap().clone();
    let mut kinds: Vec<String> =
        items.iter().map(|item| item["text"].as_str().unwrap().split(' ').nth(1).unwrap().to_owned()).collect();
    kinds.sort();
    kinds.join(" ")
}

const NOW: &str = "2026-02-24T10:00:00Z";

#[test]
fn a_query_filters_by_what_is_left_of_the_confidence() {
    let memory = memory();
    let query = |least| found(&memory, &["query", "coffee", "--conf", least], NOW);
    assert_eq!(query("0.8"), "fresh undated");
    assert_eq!(query("0.4"), "fresh old undated");
    assert_eq!(query("0.3"), "ancient fresh old undated");
    assert_eq!(query("0"), "ancient fresh guessed old undated");
    // Without `decay`, nothing depends on age.
    let plain = Memory::new().file("facts/user.md", FACTS);
    assert_eq!(found(&plain, &["query", "coffee", "--conf", "0.8"], NOW), "ancient fresh old undated");
}

#[test]
fn a_clock_that_jumps_back_raises_no_confidence() {
    let query = |least, now| found(&memory(), &["query", "coffee", "--conf", least], now);
    assert_eq!(query("0.8", "2016-02-24T10:00:00Z"), "ancient expired fresh old undated");
    assert_eq!(query("0.91", "2016-02-24T10:00:00Z"), "");
    assert_eq!(query("0.31", "2036-02-24T10:00:00Z"), "undated");
}

#[test]
fn a_query_explains_what_age_left() {
    let memory = memory();
    let answer = memory.run(["query", "coffee", "--explain", "--json"]).exit(0).unchanged().json();
    let row = |word: &str| {
        let items = answer["items"].as_array().unwrap();
        items.iter().find(|item| item["text"].as_str().unwrap().contains(word)).unwrap()["confidence"].clone()
    };
    assert_eq!(row("old"), json!({"stated": 0.8, "effective": 0.4, "since": "2025-08-28", "age_days": 180}));
    assert_eq!(row("undated"), json!({"stated": 0.9, "effective": 0.9}));
    assert_eq!(row("guessed"), json!({"stated": 0.2, "effective": 0.2, "since": "2025-11-26", "age_days": 90}));
    assert_eq!(row("plain"), json!(null));
    let text = memory.run(["query", "coffee", "--explain"]).exit(0).unchanged();
    text.stdout_contains("    confidence 0.9, now 0.3: 2246 days since 2020-01-01\n")
        .stdout_contains("    confidence 0.9\n");
}

/// The facts and items of a context, one line each.
fn context_lines(ran: &CommandOutcome) -> Vec<&str> {
    ran.stdout.lines().filter(|line| line.starts_with("- ") && line.contains("coffee")).collect()
}

#[test]
fn a_context_marks_low_confidence_and_shows_it_last() {
    let memory = memory();
    let ran = memory.run(["context"]).exit(0).unchanged();
    let line = |kind: &str, mark: &str| {
        let text = format!("Likes {kind} coffee");
        format!("- @{} {text}{mark}", handle(&text))
    };
    assert_eq!(
        context_lines(&ran),
        [
            line("fresh", " (4d)"),
            line("undated", ""),
            line("plain", ""),
            line("old", " (180d) (low confidence 0.4)"),
            line("ancient", " (2246d) (low confidence 0.3)"),
            line("guessed", " (90d) (low confidence 0.2)"),
        ]
    );
    let answer = memory.run(["context", "--json"]).exit(0).json();
    let items = answer["items"].as_array().unwrap();
    let confidence = |word: &str| {
        items.iter().find(|item| item["text"].as_str().unwrap().contains(word)).unwrap()["confidence"].clone()
    };
    assert_eq!((confidence("fresh"), confidence("old"), confidence("plain")), (json!(0.89), json!(0.4), json!(null)));
    // Pinned and important items keep their groups.
    let memory = Memory::new().policy(POLICY).file(
        "facts/user.md",
        "- Important old coffee\n  <!-- mem imp=9 conf=0.9 upd=2024-01-01 -->\n- Important new coffee\n  \
         <!-- mem imp=8 conf=0.9 upd=2026-02-20 -->\n- Pinned old coffee\n  <!-- mem pin conf=0.9 upd=2024-01-01 -->\n",
    );
    let ran = memory.run(["context"]).exit(0);
    let words: Vec<String> =
        context_lines(&ran).iter().map(|l| l.split(' ').skip(2).take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(words, ["Pinned old", "Important new", "Important old"]);
}

#[test]
fn stale_bullets_are_notes_with_dates_and_commands_and_findings_if_strict() {
    let memory = memory();
    memory.run(["check"]).exit(0).stdout("").unchanged();
    let (old, ancient, expired) =
        (handle("Likes old coffee"), handle("Likes ancient coffee"), handle("Likes expired coffee"));
    let listed = memory.run(["check", "--stale"]).exit(0).unchanged().stdout(&format!(
        "facts/user.md:5:1: note: stale: @{old}: confidence 0.8, now 0.4: 180 days since 2025-08-28\n\
         try: memdir set facts/user.md@{old} upd=today\n\
         try: memdir rm facts/user.md@{old}\n\
         facts/user.md:7:1: note: stale: @{ancient}: confidence 0.9, now 0.3: 2246 days since 2020-01-01\n\
         try: memdir set facts/user.md@{ancient} upd=today\n\
         try: memdir rm facts/user.md@{ancient}\n\
         facts/user.md:17:1: note: expired: @{expired} has expired: 2026-02-20 was its last day\n\
         try: memdir rm facts/user.md@{expired}\n"
    ));
    listed.stderr_contains("1 file checked, no findings");
    let strict = memory.run(["check", "--stale", "--strict", "--json"]).may_change().exit(6).unchanged().json();
    assert_eq!(strict["findings"][0]["level"], "warning");
    assert_eq!(
        strict["findings"][0]["try"],
        json!([format!("memdir set facts/user.md@{old} upd=today"), format!("memdir rm facts/user.md@{old}")])
    );
    // Without `decay`, only a last day makes a bullet stale.
    let plain = Memory::new().file("facts/user.md", FACTS);
    assert_eq!(plain.run(["check", "--stale"]).exit(0).stdout.matches(" note: ").count(), 1);
}

#[test]
fn to_confirm_a_bullet_is_a_change_that_starts_its_age_anew() {
    let memory = memory();
    let old = format!("user@{}", handle("Likes old coffee"));
    let confirmed = memory.done(["set", &old, "upd=today"]).stdout_contains(" upd=2026-02-24\n");
    let lines = "-  <!-- mem conf=0.8 added=2024-01-01 upd=2025-08-28 -->\n\
                 +  <!-- mem conf=0.8 added=2024-01-01 upd=2026-02-24 -->\n";
    assert!(confirmed.difference.ends_with(lines), "{confirmed}");
    assert_eq!(found(&memory, &["query", "old", "--conf", "0.8"], NOW), "old");
    assert!(!memory.run(["check", "--stale"]).exit(0).stdout.contains(&handle("Likes old coffee")));
    memory.done(["log", "-L", "1"]).stdout_contains("set");
    // On the same day there is nothing to change; `today` is a date for every key that holds one, and for no other.
    memory.done(["set", &old, "upd=today"]).unchanged();
    memory.done(["set", &old, "exp=today", "dur=today"]);
    assert!(memory.text("facts/user.md").unwrap().contains("exp=2026-02-24 conf=0.8 dur=today"));
    memory.run(["set", &old, "upd=tomorrow"]).exit(2).stderr_contains("upd='tomorrow' is not valid");
    memory.done(["undo"]);
    memory.done(["undo"]);
    assert_eq!(memory.text("facts/user.md").unwrap(), FACTS);
}

#[test]
fn time_alone_writes_nothing() {
    let memory = memory();
    memory.done(["add", "user", "Likes new coffee"]);
    let before = memory.tree();
    for words in [
        &["query", "coffee", "--conf", "0.5", "--explain"][..],
        &["context"],
        &["check", "--stale"],
        &["status"],
        &["list", "user"],
        &["read", "user"],
    ] {
        memory.run(words).env("MEMDIR_NOW", "2027-02-24T10:00:00Z").exit(0).unchanged();
    }
    assert_eq!(memory.tree(), before);
    assert_eq!(found(&memory, &["query", "coffee", "--conf", "0.5"], "2027-02-24T10:00:00Z"), "undated");
}

#[test]
fn status_counts_what_needs_attention() {
    let memory = memory().file("facts/home.md", "# Home\n\n- City: Paris\n- City: Berlin\n");
    let put_proposal = |id: &str, until: &str| {
        let text =
            format!("# + x\n\n- Expires: {until}\n\n```json\n{{\"op\":\"add\",\"at\":\"user\",\"text\":\"x\"}}\n```\n");
        memory.put(&format!("inbox/{id}.md"), text);
    };
    put_proposal("p000001", "2026-02-23");
    put_proposal("p000002", "2026-02-24");
    put_proposal("p000003", "2026-02-25");
    let row = |what: &str, count: u32, command: &str| json!({"what": what, "count": count, "command": command});
    let answer = memory.run(["status", "--json"]).exit(0).unchanged().json();
    let expected = [
        row("expired", 1, "memdir check --stale"),
        row("stale", 2, "memdir check --stale"),
        row("contradicted", 1, "memdir check"),
        row("overdue", 1, "memdir prune"),
        row("waiting", 2, "memdir inbox"),
    ];
    assert_eq!(answer["attention"], json!(expected));
    assert_eq!(answer["proposals"], 3);
    memory.run(["status"]).exit(0).unchanged().stdout_contains(
        "1 bullet has expired\ntry: memdir check --stale\n\
         2 bullets have lost their confidence with age\ntry: memdir check --stale\n\
         1 contradiction\ntry: memdir check\n\
         1 proposal is overdue\ntry: memdir prune\n\
         2 proposals wait\ntry: memdir inbox\n",
    );
    let quiet = Memory::new().file("facts/user.md", "- Likes coffee\n").run(["status", "--json"]).exit(0).json();
    assert_eq!(quiet["attention"], json!(null));
}

#[test]
fn status_compares_no_bullets_of_a_memory_that_is_too_large() {
    let filler: String = (0..9000).map(|n| format!("- Shelf {n} holds item number {n} of {n}\n")).collect();
    let pair = "- City: Paris\n- City: Berlin\n- Old\n  <!-- mem exp=2020-01-01 -->\n";
    let memory = Memory::new().file("facts/a.md", pair).file("facts/filler.md", &filler);
    let answer = memory.run(["status", "--json"]).exit(0).json();
    let counted = json!([{"what": "expired", "count": 1, "command": "memdir check --stale"}]);
    assert_eq!(answer["attention"], counted);
}
