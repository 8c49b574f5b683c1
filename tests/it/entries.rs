//! Entries of episodes: their summary, and the date of what they contain.

use crate::support::Memory;

#[test]
fn bullets_of_an_older_entry_count_as_of_its_date() {
    let memory = Memory::new();
    memory.run(["append", "-d", "2026-01-10", "-t", "Trip"]).stdin("- Lost the kayak paddle\n").exit(0);
    let items = |words: &[&str]| {
        let json = memory.run(["--json", "query", "kayak"].iter().chain(words)).exit(0).json();
        json["items"].as_array().unwrap().clone()
    };
    assert_eq!(items(&[])[0]["date"], "2026-01-10");
    assert!(items(&["--since", "2026-02-01"]).is_empty());
    assert_eq!(items(&["--since", "2026-01-01", "--until", "2026-01-31"]).len(), 1);
}

#[test]
fn an_entry_has_one_summary() {
    let memory = Memory::new();
    let text = "- Summary: the text's own\n- Detail\n";
    memory
        .run(["append", "-t", "One", "-s", "the option's"])
        .stdin(text)
        .exit(0)
        .stderr_contains("the given summary was not used");
    let text = memory.text("episodes/2026-02.md").unwrap();
    assert_eq!(text.matches("- Summary:").count(), 1, "{text}");
}

#[test]
fn the_summary_of_an_entry_is_its_first_bullet() {
    for (text, entry) in [
        ("- Detail\n- Summary: short\n- More\n", "## One\n- Summary: short\n- Date: 2026-02-24\n- Detail\n- More\n"),
        ("- Summary: short\n- Detail\n", "## One\n- Summary: short\n- Date: 2026-02-24\n- Detail\n"),
        ("- Summary: short", "## One\n- Summary: short\n- Date: 2026-02-24\n"),
        (
            "- Detail\n- Summary: short\n  <!-- mem imp=7 -->\n",
            "## One\n- Summary: short\n  <!-- mem imp=7 -->\n- Date: 2026-02-24\n- Detail\n",
        ),
        // A summary of several lines, two of them, or one in a list or in code, is left as it is.
        ("- A\n- Summary: short\n  and long\n", "## One\n- Date: 2026-02-24\n- A\n- Summary: short\n  and long\n"),
        ("- Summary: a\n- Summary: b\n", "## One\n- Date: 2026-02-24\n- Summary: a\n- Summary: b\n"),
        ("- A\n  - Summary: b\n", "## One\n- Date: 2026-02-24\n- A\n  - Summary: b\n"),
        ("```\n- Summary: b\n```\n", "## One\n- Date: 2026-02-24\n\n```\n- Summary: b\n```\n"),
    ] {
        let memory = Memory::new();
        memory.run(["append", "-t", "One"]).stdin(text).exit(0);
        let written = memory.text("episodes/2026-02.md").unwrap();
        assert!(written.ends_with(entry), "{text:?} → {written}");
        memory.run(["append", "-t", "One"]).stdin(text).exit(0).unchanged();
    }
}

#[test]
fn a_text_that_leaves_a_block_open_is_refused() {
    for (text, line) in [
        ("text\n```\nlog line\n", "the code block that starts in line 2 is not closed"),
        ("text\n\n<!-- open comment\n", "the comment that starts in line 3 is not closed"),
        ("<pre>\nlog\n", "the HTML block that starts in line 1 is not closed"),
        ("---\na: b\n---\n~~~\nlog\n", "the code block that starts in line 4 is not closed"),
    ] {
        let memory = Memory::new();
        let reason = format!("would_break_structure: in the text: {line}");
        memory.run(["append", "-t", "Log"]).stdin(text).exit(5).stderr_contains(&reason);
        memory.run(["append", "procedures/p.md"]).stdin(text).exit(5).stderr_contains("is not closed");
        memory.run(["append", "-t", "Next"]).stdin("next thing\n").exit(0);
    }
}

#[test]
fn headings_in_the_text_of_an_entry_stay_in_the_entry() {
    let memory = Memory::new();
    for (title, text, written) in [
        (
            "head",
            "# H1 inside\n\n## H2 inside\n\n```\n# code\n```\n",
            "### H1 inside\n\n#### H2 inside\n\n```\n# code\n```\n",
        ),
        ("setext", "Line\n====\n\nLine2\n---\n- fact\n", "### Line\n\n#### Line2\n- fact\n"),
        ("fm", "---\na: b\n---\ntext\n", "---\na: b\n\n---\ntext\n"),
    ] {
        memory.run(["append", "-t", title]).stdin(text).exit(0);
        let now = memory.text("episodes/2026-02.md").unwrap();
        assert!(now.ends_with(&format!("## {title}\n- Date: 2026-02-24\n\n{written}")), "{now}");
        memory.run(["append", "-t", title]).stdin(text).exit(0).unchanged();
    }
    memory.run(["append"]).stdin("## One\n\n# Big\n\n## Two\n\ntext\n").exit(0);
    let text = memory.text("episodes/2026-02.md").unwrap();
    let high: Vec<&str> = text.lines().filter(|line| line.starts_with("# ") || line.starts_with("## ")).collect();
    assert_eq!(high, ["# 2026-02 Episodes", "## head", "# code", "## setext", "## fm", "## One", "## Two"]);
    memory.run(["append", "procedures/p.md"]).stdin("# Steps\n\n## First\n").exit(0);
    assert!(memory.text("procedures/p.md").unwrap().ends_with("# Steps\n\n## First\n"));
}

#[test]
fn a_date_in_code_or_below_a_bullet_is_not_that_of_the_entry() {
    for text in [
        "- The launch was fixed\n  - Date: 2027-05-01\n",
        "The message was:\n\n```\n- Date: none\n```\n",
        "# Part\n\n- Date: 2027-05-01\n",
    ] {
        let memory = Memory::new();
        memory.run(["append", "-t", "One"]).stdin(text).exit(0);
        let written = memory.text("episodes/2026-02.md").unwrap();
        assert!(written.contains("## One\n- Date: 2026-02-24\n"), "{written}");
    }
}
