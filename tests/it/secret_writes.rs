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
