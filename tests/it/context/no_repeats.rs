//! What a session's start has room for: the name of a file stands once above its lines, and no fact stands twice.

use serde_json::{Value, json};

use crate::hooks::recall::project;
use crate::support::{Memory, handle};

/// A rule of 80 characters.
fn rule(n: usize) -> String {
    let text = format!("Rule {n}: every change of the billing tables is reviewed by two people of team");
    format!("{text:x<80}")
}

fn memory(rules: usize) -> Memory {
    let bullets: String = (0..rules).map(|n| format!("- {}\n", rule(n))).collect();
    let m = Memory::new().file("facts/rules.md", &format!("# Rules\n\n> Summary: rules, billing, tables\n\n{bullets}"));
    m.configure(&format!("trusted: [{:?}]\n", m.dir().to_str().unwrap()));
    m
}

/// What `hook session-start` passes on.
fn session_start(m: &Memory) -> String {
    let input = json!({"session_id": "s", "cwd": m.dir()}).to_string();
    let ran = m.run(["hook", "session-start", "--host", "claude"]).stdin(input).may_change().exit(0);
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    envelope["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

fn tokens(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>().div_ceil(4)
}

#[test]
fn a_start_of_six_hundred_tokens_has_twenty_two_rules() {
    let m = memory(60);
    for text in [session_start(&m), m.done(["context", "-b", "600"]).stdout] {
        let shown = (0..60).filter(|n| text.contains(&rule(*n))).count();
        assert!(shown >= 22 && tokens(&text) <= 600, "{shown} {}\n{text}", tokens(&text));
        assert_eq!(text.matches("facts/rules.md:\n").count(), 1, "{text}");
        for command in ["query", "read", "add", "update FILE@HANDLE", "rm FILE@HANDLE"] {
            assert!(text.contains(command), "{command}\n{text}");
        }
    }
}

#[test]
fn a_name_above_and_the_start_of_a_line_make_an_address() {
    let m = memory(6)
        .file("facts/user.md", "# User\n\n- Lives in Austin\n  <!-- mem pin -->\n\n## Work\n\nStandup at ten.\n")
        .file("notes/all of it.md", "Prose.\n\n- Odd name\n");
    for order in [&["context"][..], &["context", "--stable"], &["context", "-b", "700"]] {
        let text = m.done(order).stdout;
        let (mut file, mut addresses) = (String::new(), Vec::new());
        for line in text.lines() {
            if let Some(name) = line.strip_suffix(".md:") {
                file = format!("{}.md", name.trim_start_matches("- "));
            }
            let place = line.strip_prefix("- ").and_then(|line| line.split(' ').next()).unwrap_or_default();
            if place.starts_with(['@', '#']) {
                addresses.push((format!("{file}{place}"), line.split_once(place).unwrap().1.trim().to_owned()));
            }
        }
        assert_eq!(addresses.len(), 9, "{addresses:?}\n{text}");
        for (address, words) in addresses {
            assert!(m.done(["read", &address]).stdout.contains(&words), "{address}: {words}");
        }
        assert!(text.contains("- Prose. (notes/all of it.md)\n"), "{text}");
    }
}

#[test]
fn a_new_fact_stands_once_in_a_session_start() {
    const NEW: &str = "Invoices are numbered by year since the audit";
    const PINNED: &str = "Never renumber an invoice that was sent";
    let starts: [fn(&Memory) -> String; 3] = [
        session_start,
        |m| m.run(["context", "--as", "r", "-b", "600"]).may_change().exit(0).stdout,
        |m| m.run(["context", "--as", "r", "-b", "600", "--stable"]).may_change().exit(0).stdout,
    ];
    for rules in [4, 60] {
        for (n, start) in starts.iter().enumerate() {
            let m = memory(rules);
            start(&m);
            m.done(["add", "rules", NEW]);
            m.done(["add", "rules", PINNED, "--pin"]);
            let told = start(&m);
            for text in [NEW, PINNED] {
                assert_eq!(told.matches(text).count(), 1, "{text}\n{told}");
                assert!(told.contains(&format!("+created: [rules] {text}")), "{told}");
                // The news in the stable order are the only place of the address.
                assert!(n == 1 || told.contains(&format!("{text} (facts/rules.md@{})", handle(text))), "{told}");
            }
            // Then it is a fact.
            let next = start(&m);
            assert_eq!((next.matches(PINNED).count(), next.contains("Memory updates")), (1, false), "{next}");
            let is_shown = next.contains(&format!("- @{} {NEW}\n", handle(NEW)));
            assert!(is_shown && next.matches(NEW).count() == 1, "{next}");
        }
    }
}

#[test]
fn a_text_that_the_news_cut_is_shown_whole_below() {
    let long = format!("Invoices {}", "are numbered by year and by month ".repeat(9)).trim().to_owned();
    let m = memory(4);
    for order in [&["context", "--as", "a"][..], &["context", "--as", "b", "--stable"]] {
        m.done(order.iter().copied());
    }
    m.done(["add", "rules", &long]);
    for order in [&["context", "--as", "a"][..], &["context", "--as", "b", "--stable"]] {
        let told = m.done(order.iter().copied()).stdout;
        assert_eq!((told.matches(&long).count(), told.matches("+created: [rules] Invoices").count()), (1, 1), "{told}");
    }
}

#[test]
fn what_is_known_against_a_new_fact_stands_in_the_news() {
    let project = project();
    project.put("work/CLAUDE.md", "# Rules\n\n- Never indent with tabs in every language\n");
    project.put("work/.git/HEAD", "ref: refs/heads/main\n");
    let start = || project.run(&["context", "--as", "r"]).stdout;
    start();
    project.run(&["add", "style", "Indent with tabs in every language"]);
    let told = start();
    let line = "+created: [style] Indent with tabs in every language (contradicts CLAUDE.md:3)\n";
    assert!(told.contains(line) && told.matches("Indent with tabs").count() == 1, "{told}");
}
