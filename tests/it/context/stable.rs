//! `context --stable`, and what hooks and the MCP server get: what rarely changes comes first, so that a prompt cache
//! holds after an addition.

use serde_json::Value;

use crate::support::{Memory, handle};

/// Facts about a shop, each in a sentence of its own.
fn sentence(n: usize) -> String {
    let who = ["The billing team", "The warehouse", "Support", "The search service", "Design"][n % 5];
    let what = ["keeps", "reviews", "renames", "archives", "measures", "never touches", "publishes"][n / 5 % 7];
    format!("{who} {what} list number {n} before the release of the month")
}

fn memory(files: usize, bullets: usize) -> Memory {
    let mut memory = Memory::new();
    for file in 0..files {
        let rows: String = (0..bullets)
            .map(|n| match (file + n) % 17 {
                0 => format!("- {}\n  <!-- mem pin -->\n", sentence(file * bullets + n)),
                1 => format!("- {}\n  <!-- mem imp=8 -->\n", sentence(file * bullets + n)),
                2..6 => format!("- {}\n  <!-- mem added=2025-12-{:02} -->\n", sentence(file * bullets + n), 1 + n % 28),
                _ => format!("- {}\n", sentence(file * bullets + n)),
            })
            .collect();
        memory = memory.file(&format!("facts/topic{file:02}.md"), &format!("# Topic {file}\n\n{rows}"));
    }
    memory.file("episodes/2026-01.md", "# 2026-01\n\n## Move\n- Date: 2026-01-03\n- Summary: to the new rack\n")
}

fn before_news(text: &str) -> &str {
    text.split("\nMemory updates since").next().unwrap()
}

fn unchanged(before: &str, after: &str) -> f64 {
    let (before, after) = (before_news(before), before_news(after));
    let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    same as f64 / after.len() as f64
}

#[test]
fn an_addition_leaves_the_beginning_as_it_was() {
    for (files, bullets) in [(2, 6), (6, 20), (40, 12)] {
        for budget in ["400", "600", "2000", "8000"] {
            let m = memory(files, bullets);
            let stable = |m: &Memory| m.run(["context", "--stable", "--as", "r", "-b", budget]).exit(0).stdout;
            let first = stable(&m);
            m.done(["add", "topic01", "Returns go to the third dock since the flood"]);
            let second = stable(&m);
            let text = "Returns go to the third dock since the flood";
            let place = format!("@{}", handle(text));
            assert!(second.ends_with(&format!("- +created: [topic01] {text} (facts/topic01.md{place})\n")), "{second}");
            let share = unchanged(&first, &second);
            assert!(share >= 0.9, "{files} {bullets} {budget}: {share}\n{first}\n====\n{second}");
            let third = stable(&m);
            assert!(third.contains(&format!("\nNew facts:\nfacts/topic01.md:\n- {place} {text}\n")), "{third}");
            let share = unchanged(&second, &third);
            assert!(share >= 0.9 && !third.contains("Memory updates"), "{budget}: {share}\n{second}\n====\n{third}");
        }
    }
}

#[test]
fn the_index_has_no_word_of_a_bullet_that_was_corrected_removed_or_forgotten_today() {
    let lead = "Lead: Alice Zwick";
    let key = "Key: hunter7zulu";
    let written = |m: &Memory| {
        m.run(["add", "zteam", lead, key, "Drinks oolong"]).env("MEMDIR_NOW", "2026-02-20T10:00:00Z").exit(0);
    };
    let index = |m: &Memory| {
        let page = m.run(["context", "--stable", "-b", "2000"]).exit(0).stdout;
        page.lines().find(|line| line.starts_with("- facts/zteam.md")).unwrap_or_default().to_owned()
    };
    let address = |text: &str| format!("zteam@{}", handle(text));
    for change in [&["update"][..], &["rm"], &["rm", "--forget"]] {
        let m = memory(6, 20);
        written(&m);
        let before = index(&m);
        assert!(before.contains("zwick") && before.contains("hunter7zulu"), "{before}");
        m.done(["add", "zteam", "Meets in the harbour office"]);
        assert_eq!(index(&m), before, "an addition changes nothing");
        for (text, new) in [(lead, "Lead: Bob Yates"), (key, "Key: in the safe")] {
            let at = address(text);
            let new = (change == ["update"]).then_some(new);
            m.done(change.iter().copied().chain([at.as_str()]).chain(new));
        }
        let after = index(&m);
        assert!(!after.contains("zwick") && !after.contains("alice") && !after.contains("hunter7zulu"), "{after}");
    }
    // By hand, too.
    let m = memory(6, 20);
    written(&m);
    m.done(["add", "zteam", "Meets in the harbour office"]);
    let text = m.text("facts/zteam.md").unwrap();
    m.put("facts/zteam.md", text.replace("- Lead: Alice Zwick\n", "").replace("alice, zwick, ", ""));
    assert!(!index(&m).contains("zwick"), "{}", index(&m));
}

#[test]
fn a_file_that_was_created_today_keeps_its_first_summary_in_the_index() {
    let m = memory(6, 20);
    let index = |m: &Memory| {
        let page = m.run(["context", "--stable", "-b", "2000"]).exit(0).stdout;
        page.lines().find(|line| line.starts_with("- facts/today.md")).unwrap_or_default().to_owned()
    };
    m.done(["add", "today", "First note on valves"]);
    let first = index(&m);
    assert!(first.contains("valves"), "{first}");
    m.done(["add", "today", "Second note on pistons"]);
    assert_eq!(index(&m), first, "an addition changes nothing");
    let first_note = format!("today@{}", handle("First note on valves"));
    m.done(["rm", &first_note]);
    assert!(!index(&m).contains("valves"), "but a removal does");
}

#[test]
fn over_a_day_of_additions_most_of_it_stays() {
    let m = memory(6, 20);
    let stable = |m: &Memory| {
        m.run(["context", "--stable", "-b", "2000"]).env("MEMDIR_NOW", "2026-02-24T23:59:00Z").exit(0).stdout
    };
    let mut last = stable(&m);
    let mut shares = Vec::new();
    for n in 0..24 {
        let (file, text) = (format!("topic{:02}", n * 5 % 6), format!("Shelf {n} holds what came back from the fair"));
        m.run(["add", &file, &text]).env("MEMDIR_NOW", &format!("2026-02-24T{n:02}:00:00Z")).exit(0);
        let next = stable(&m);
        shares.push(unchanged(&last, &next));
        last = next;
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let good = shares.iter().filter(|share| **share >= 0.9).count();
    println!("mean {mean:.3}, {good} of 24 at least 0.9");
    assert!(mean >= 0.9 && good >= 18, "{mean} {good} {shares:?}");
}

#[test]
fn how_to_use_it_comes_first_and_a_pinned_line_is_whole() {
    let long = "never deploy on a Friday, and if you must, ask the person on call ".repeat(12);
    let m = memory(6, 20).file("facts/rules.md", &format!("# Rules\n\n- {long}\n  <!-- mem pin -->\n"));
    for order in [&["context", "-b", "500"][..], &["context", "-b", "500", "--stable"]] {
        let ran = m.run(order).exit(0).quiet();
        let pinned = ran.stdout.lines().filter(|line| line.starts_with("- ") && line.contains('…')).count();
        assert_eq!(pinned, 0, "{ran}");
        assert!(ran.stdout.contains(" more pinned: memdir query --pinned"), "{ran}");
        assert_eq!(ran.stdout.starts_with("Long-term memory: `memdir`."), order.len() == 4, "{ran}");
    }
    let whole = m.run(["context", "-b", "2000", "--stable"]).exit(0).stdout;
    assert!(whole.contains(long.trim()), "{whole}");
}

#[test]
fn a_file_without_a_summary_is_listed_with_its_first_heading() {
    let m = Memory::new()
        .file("facts/a.md", "Text before.\n\n## Billing rules\n\n```sh\n# no heading\n```\n")
        .file("facts/b.md", "---\ntitle: Release notes\n---\n\n```\n# code\n```\n");
    let ran = m.run(["context", "--style", "index"]).exit(0).quiet();
    assert!(ran.stdout.contains("- facts/a.md (55B): Billing rules\n"), "{ran}");
    assert!(ran.stdout.contains(": Release notes\n"), "{ran}");
}

#[test]
fn the_start_of_a_session_has_six_hundred_tokens_unless_the_hook_says_otherwise() {
    let m = memory(40, 12);
    m.configure(&format!("trusted: [{:?}]\n", m.dir().to_str().unwrap()));
    let input = serde_json::json!({"session_id": "s", "cwd": m.dir()}).to_string();
    let tokens = |words: &[&str]| {
        let words = ["hook", "session-start", "--host", "claude"].iter().chain(words);
        let ran = m.run(words).stdin(input.clone()).exit(0);
        let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
        let text = envelope["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
        assert!(text.starts_with("Long-term memory:"), "{text}");
        text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>().div_ceil(4)
    };
    assert!((540..=600).contains(&tokens(&[])), "{}", tokens(&[]));
    assert!((900..=1000).contains(&tokens(&["--budget", "1000"])), "{}", tokens(&["--budget", "1000"]));
    // A hook cannot fail.
    assert!(tokens(&["-b", "1"]) <= 320);
}
