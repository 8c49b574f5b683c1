//! How far `context` uses its budget where some texts are long.

use serde_json::Value;

use crate::support::Memory;

const BUDGETS: [usize; 7] = [320, 400, 600, 1000, 2000, 4000, 8000];

/// A memory with so many small facts in a file, and so many long ones in another that is newer.
fn memory(short: usize, long: usize, words: usize) -> Memory {
    let small: String = (0..short)
        .map(|n| format!("- Small fact number {n} about the harbour display\n  <!-- mem added=2026-01-02 -->\n"))
        .collect();
    let large: String = (0..long)
        .map(|n| format!("- Report {n} {}\n  <!-- mem added=2026-02-02 -->\n", "word ".repeat(words).trim_end()))
        .collect();
    let files = [("facts/user.md", "User", small), ("facts/report.md", "Report", large)];
    files.into_iter().fold(Memory::new(), |memory, (path, title, bullets)| {
        memory.file(path, &format!("# {title}\n\n> Summary: {title}\n\n{bullets}"))
    })
}

#[test]
fn long_texts_do_not_hide_the_facts_of_other_files() {
    for (short, long, words) in [(30, 2, 1500), (300, 20, 300), (300, 200, 170)] {
        let memory = memory(short, long, words);
        for budget in BUDGETS {
            for order in ["--stable", "--quiet"] {
                let out = memory.done(["context", "-n", "-b", &budget.to_string(), order, "--json"]);
                let answer: Value = serde_json::from_str(&out.stdout).unwrap();
                let tokens = answer["tokens"].as_u64().unwrap() as usize;
                let shown = answer["text"].as_str().unwrap().matches("Small fact").count();
                let what = format!("{short} short, {long} of {words} words, -b {budget} {order}: {tokens}, {shown}");
                assert!(tokens <= budget && (tokens * 10 >= budget * 9 || shown == short), "{what}");
            }
        }
    }
}
