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

/// Checks that both orders use nine tenths of each budget, or show everything; `all` is how many rows the memory has,
/// `row` what is in each of them.
fn check_used(memory: &Memory, budgets: &[usize], row: &str, all: usize) {
    for budget in budgets {
        for order in ["--stable", "--quiet"] {
            let out = memory.done(["context", "-n", "-b", &budget.to_string(), order, "--json"]);
            let answer: Value = serde_json::from_str(&out.stdout).unwrap();
            let (tokens, shown) =
                (answer["tokens"].as_u64().unwrap() as usize, answer["text"].as_str().unwrap().matches(row).count());
            let is_used = tokens * 10 >= budget * 9 || shown == all;
            assert!(tokens <= *budget && is_used, "-b {budget} {order}: {tokens} tokens, {shown} rows");
        }
    }
}

#[test]
fn thousands_of_facts_of_two_words_use_the_budget() {
    let facts: String = (0..5000).map(|n| format!("- Fact {n}\n")).collect();
    check_used(&Memory::new().file("facts/user.md", &format!("# User\n\n{facts}")), &BUDGETS, " Fact ", 5000);
}

#[test]
fn entries_use_the_budget_where_there_are_no_facts() {
    let month = |month: usize| {
        let entry = |day: usize| {
            format!(
                "## Entry {day}\n- Date: 2026-{month:02}-{day:02}\n- Summary: ships in the harbour, seen by lantern\n\n"
            )
        };
        format!("# 2026-{month:02} Episodes\n\n{}", (1..21).map(entry).collect::<String>())
    };
    let memory = (1..12).fold(Memory::new(), |memory, n| memory.file(&format!("episodes/2026-{n:02}.md"), &month(n)));
    check_used(&memory, &BUDGETS, " Entry ", 220);
}

#[test]
fn an_important_item_is_shown_whole_or_counted() {
    let long = |n: usize, words: usize| format!("- Rule {n} {}END\n  <!-- mem imp=8 -->\n", "never ".repeat(words));
    let facts: String = (0..40).map(|n| long(n, 60 + 20 * (n % 8))).collect();
    let memory = Memory::new().file("facts/user.md", &format!("# User\n\n{facts}"));
    for budget in BUDGETS {
        for order in ["--stable", "--quiet"] {
            let text = memory.done(["context", "-n", "-b", &budget.to_string(), order]).stdout;
            let rules: Vec<&str> = text.lines().filter(|line| line.contains(" Rule ")).collect();
            assert!(!rules.is_empty() && rules.iter().all(|line| line.ends_with("never END")), "-b {budget}: {text}");
            assert!(rules.len() == 40 || text.contains(" more important: memdir query --imp 7.."), "{text}");
        }
    }
}
