//! Keys and passwords in what a person or an agent writes.

use crate::support::{Memory, handle};

/// A token with the form of GitHub's, of no account.
const TOKEN: &str = "ghp_Zk4vQ2mXw8Ls7Rt1Yb6Nc3Jd9Hf5Ge0PaUiO";

fn operations() -> Vec<(Vec<String>, String)> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let sentence = format!("The deploy token is {TOKEN}");
    let tabs = format!("user@{}", handle("Prefers tabs"));
    let apply = |json: serde_json::Value| (words(&["apply"]), json.to_string());
    vec![
        (words(&["add", "user", &sentence]), String::new()),
        (words(&["update", &tabs, &sentence]), String::new()),
        (words(&["add", "user", "Deploys", "-m", &sentence]), String::new()),
        (words(&["append", "-t", "Deploy"]), format!("- {sentence}\n")),
        (words(&["write", "facts/new.md"]), format!("# New\n\n- {sentence}\n")),
        (words(&["patch", "user", "--old", "tabs", "--new", TOKEN]), String::new()),
        apply(serde_json::json!({"op": "set", "at": tabs, "meta": {"src": TOKEN}})),
        apply(serde_json::json!({"op": "add", "at": "user", "text": "Deploys", "reason": sentence})),
    ]
}

fn memory(policy: &str) -> Memory {
    Memory::new().policy(policy).file("facts/user.md", "# User\n\n- Prefers tabs\n")
}

#[test]
fn a_secret_is_written_with_a_warning() {
    for (words, stdin) in operations() {
        let memory = memory("version: 1\n");
        let ran = memory.run(&words).stdin(stdin).exit(0).stderr_contains("a secret is stored as plain text");
        assert!(!ran.stderr.contains(TOKEN), "{words:?}: {}", ran.stderr);
    }
}

#[test]
fn a_refused_secret_is_nowhere() {
    for (words, stdin) in operations() {
        let memory = memory("version: 2\nsecrets: refuse\n");
        let ran = memory.run(&words).stdin(stdin).exit(5).stderr_contains("secret: ").unchanged();
        assert!(!ran.stderr.contains(TOKEN), "{words:?}: {}", ran.stderr);
        let everything: Vec<String> = walkdir::WalkDir::new(memory.dir())
            .into_iter()
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| String::from_utf8_lossy(&fs_err::read(entry.path()).unwrap()).into_owned())
            .collect();
        assert!(everything.iter().all(|text| !text.contains(&TOKEN[4..])), "{words:?}");
    }
}

#[test]
fn the_name_of_a_new_file_is_searched_and_that_of_one_that_is_there_is_not() {
    let memory = memory("version: 2\nsecrets: refuse\n");
    let file = format!("facts/{TOKEN}.md");
    memory.run(["add", &file, "Deploys on Mondays"]).exit(5).stderr_contains("secret: ").unchanged();
    memory.put(&file, "# Deploy\n\n- Deploys on Mondays\n");
    memory.run(["add", &file, "Deploys in the evening"]).exit(0);
    memory.run(["add", &file, &format!("With {TOKEN}")]).exit(5).stderr_contains("secret: ").unchanged();
}

#[test]
fn what_is_there_already_and_what_only_looks_alike_passes() {
    let memory = memory("version: 2\nsecrets: refuse\n");
    memory.put("facts/old.md", format!("# Old\n\n- Token {TOKEN}\n- Two\n"));
    memory.run(["write", "old", "-f"]).stdin(format!("# Old\n\n- Token {TOKEN}\n- Three\n")).exit(0).quiet();
    memory.run(["rm", &format!("old@{}", handle(&format!("Token {TOKEN}")))]).exit(0).quiet();
    memory.run(["add", "user", "The token is kept in the vault under deploy/ghp"]).exit(0);
    let off = self::memory("version: 2\nsecrets: off\n");
    let ran = off.run(["add", "user", &format!("Token {TOKEN}")]).exit(0);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}

#[test]
fn the_flag_of_a_pinned_bullet_is_no_pin() {
    let memory = memory("version: 2\nsecrets: refuse\n");
    let pinned =
        "# Rules\n\n> Summary: tabs\n\n- Tabs only\n  <!-- mem imp=8 pin=yes added=2026-02-24 upd=2026-01-02 -->\n";
    memory.run(["write", "rules"]).stdin(pinned).exit(0).quiet();
    let exported = memory.run(["export", "--to", "json"]).exit(0).stdout;
    let other = Memory::new().policy("version: 2\nsecrets: refuse\n");
    let file = other.dir().parent().unwrap().join("all.json");
    fs_err::write(&file, exported).unwrap();
    other.run(["import", file.to_str().unwrap()]).exit(0);
    assert_eq!(other.text("facts/rules.md").as_deref(), Some(pinned));
    let history = memory.run(["log", "--all", "-p", "--json"]).exit(0).stdout;
    let third = Memory::new().policy("version: 2\nsecrets: refuse\n");
    fs_err::remove_dir_all(third.dir().join("facts")).ok();
    let file = third.dir().parent().unwrap().join("history.json");
    fs_err::write(&file, history).unwrap();
    third.run(["import", file.to_str().unwrap()]).exit(0);
    let ran = memory.run(["check", "--rot", memory.dir().to_str().unwrap()]).exit(0);
    assert!(ran.stdout.contains("0  keys and passwords in plain text"), "{ran}");
    // What only looks like the flag is looked at.
    memory.run(["write", "card"]).stdin("# Card\n\n- Card\n  <!-- mem pin=4821 note=x -->\n").exit(5);
}

#[test]
fn a_proposal_takes_no_secret_into_the_memory() {
    let memory = memory("version: 2\nagents: {write: propose}\n");
    let sentence = format!("The deploy token is {TOKEN}");
    let waits = memory.run(["--as", "bot", "add", "tools", &sentence]).may_change().exit(5);
    waits.stderr_contains("warning: secret: a secret is stored as plain text");
    let id = memory.run(["inbox", "--json"]).exit(0).json()["proposals"][0]["id"].as_str().unwrap().to_owned();
    memory.put("memdir.yaml", "version: 2\nagents: {write: propose}\nsecrets: refuse\n");
    let refused = memory.run(["inbox", &id, "--accept"]).exit(5).stderr_contains("secret: ").unchanged();
    assert!(!refused.stderr.contains(TOKEN), "{}", refused.stderr);
    memory.put("memdir.yaml", "version: 2\nagents: {write: propose}\n");
    memory.run(["inbox", &id, "--accept"]).exit(0).stderr_contains("a secret is stored as plain text");
}

#[test]
fn a_summary_line_has_no_part_of_a_secret() {
    let memory = Memory::new();
    memory.run(["add", "tools", &format!("The deploy token is {TOKEN}"), "Deploys on Mondays"]).exit(0);
    let text = memory.text("facts/tools.md").unwrap();
    let summary = text.lines().find(|line| line.starts_with("> Summary:"));
    assert_eq!(summary, Some("> Summary: deploy, token"));
}

/// A memory in which each of these commands has something to do.
fn memory_with_work(policy: &str) -> Memory {
    let memory = Memory::new().policy(&format!("version: 2\nexpired: archive\nagents: {{write: propose}}\n{policy}"));
    memory.put("facts/user.md", "# User\n\n- Prefers tabs\n- Is in Rome\n  <!-- mem exp=2025-01-01 -->\n");
    memory.put("facts/long.md", "# Long\n\n- One apple\n- Two pears\n- Three plums\n");
    let sides = "<<<<<<< HEAD\n- Tea\n||||||| 1f2e3d4\n- Milk\n=======\n- Coffee\n>>>>>>> other\n";
    memory.put("facts/drinks.md", format!("# Drinks\n\n{sides}"));
    memory.run(["add", "tools", "Uses Bun"]).exit(0);
    memory.run(["add", "tools", "Uses Helix"]).exit(0);
    memory.run(["undo"]).exit(0);
    memory.run(["--as", "bot", "add", "tools", "Uses fish"]).may_change().exit(5);
    memory
}

#[test]
fn no_command_takes_a_secret_into_the_history_beside_its_text() {
    let refusing = memory_with_work("secrets: refuse\n");
    let tabs = format!("user@{}", handle("Prefers tabs"));
    let field = format!("{TOKEN}=1");
    let batch = serde_json::json!({
        "request": TOKEN, "operations": [{"op": "add", "at": "user", "text": "Deploys"}]
    });
    let cases: [(&[&str], String); 13] = [
        (&["undo", "-m", TOKEN], String::new()),
        (&["undo", "--source", TOKEN], String::new()),
        (&["redo", "-m", TOKEN], String::new()),
        (&["prune", "-m", TOKEN], String::new()),
        (&["compact", "long", "--to", "2", "-m", TOKEN], String::new()),
        (&["compact", "long", "--to", "2", "--source", TOKEN], String::new()),
        (&["inbox", "--accept", "-m", TOKEN], String::new()),
        (&["inbox", "--reject", "-m", TOKEN], String::new()),
        (&["resolve", "drinks", "--ours", "-m", TOKEN], String::new()),
        (&["apply"], batch.to_string()),
        (&["set", &tabs, "-f", &field], String::new()),
        (&["set", "user", &field], String::new()),
        (&["rm", &tabs, "-m", TOKEN], String::new()),
    ];
    for (words, stdin) in &cases {
        let ran = refusing.run(*words).stdin(stdin.clone()).exit(5);
        let ran = ran.stderr_contains("secret: this would be stored as plain text: an API key").unchanged();
        assert!(!ran.stderr.contains(TOKEN), "{words:?}: {}", ran.stderr);
        assert!(!refusing.run(["log", "--all", "--json"]).exit(0).stdout.contains(TOKEN), "{words:?}");
    }
    for (words, stdin) in cases {
        let warning = memory_with_work("");
        let ran = warning.run(words).stdin(stdin).exit(0);
        assert_eq!(ran.stderr.matches("a secret is stored as plain text: an API key").count(), 1, "{words:?}: {ran}");
    }
}

#[test]
fn an_imported_history_is_searched_with_its_reasons() {
    let memory = memory("version: 1\n");
    memory.run(["add", "user", "Deploys", "-m", TOKEN]).exit(0);
    let history = memory.run(["log", "--all", "-p", "--json"]).exit(0).stdout;
    let other = Memory::new().policy("version: 2\nsecrets: refuse\n");
    let file = other.dir().parent().unwrap().join("history.json");
    fs_err::write(&file, history).unwrap();
    other.run(["import", file.to_str().unwrap()]).exit(5).stderr_contains("secret: ").unchanged();
}
