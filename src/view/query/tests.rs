//! Whole questions on whole memories, before and after: what is found, in which order, and what the recipe is worth.

use jiff::civil::Date;

use super::answer::{Found, answer};
use super::count::{Counted, Look, count};
use super::filter::{Ask, Filter};
use super::known::Known;
use super::score::rank;
use super::spot::Spotter;
use super::terms::Terms;
use crate::path::MemoryPath;

const TODAY: Date = Date::constant(2026, 2, 24);

/// What a question finds in a memory of files.
fn found(files: &[(&str, &str)], ask: &Ask) -> Found {
    with_look(files, ask, Look::Spots)
}

fn with_look(files: &[(&str, &str)], ask: &Ask, plain: Look) -> Found {
    let terms = Terms::read(&ask.question, TODAY);
    let spotter = Spotter::new(&terms);
    let look = |i: usize| match plain {
        _ if terms.dated || terms.all.is_empty() => Look::All,
        Look::Spots if i < 4 => Look::Sample,
        look => look,
    };
    let counted: Vec<Counted> = files
        .iter()
        .enumerate()
        .map(|(i, (path, text))| count(&MemoryPath::found(path).unwrap(), text.as_bytes(), &terms, &spotter, look(i)))
        .collect();
    let known = Known::default();
    let filter = Filter { ask, since: None, until: None, today: TODAY };
    answer(&rank(&counted, &terms, &known, &|about, item| filter.pass(about, item)), &terms, ask)
}

fn ask(question: &str) -> Ask {
    Ask { question: question.into(), ..Ask::default() }
}

/// The texts that a question finds, best first.
#[track_caller]
fn check(files: &[(&str, &str)], question: &str, expected: &[&str]) {
    let found = found(files, &ask(question));
    let texts: Vec<&str> = found.items.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts, expected, "{question}");
}

const USER: (&str, &str) = (
    "facts/user.md",
    "# User\n\n> Summary: tabs, austin\n\n- Prefers tabs over spaces\n- Editor: vim, with tabs shown\n- Lives in Austin\n\n## Tabs {#tabs}\n- Width: four\n",
);

#[test]
fn words_in_any_form_are_found_and_nothing_else() {
    check(&[USER], "austin", &["Lives in Austin"]);
    check(&[USER], "living", &["Lives in Austin"]);
    check(&[USER], "berlin", &[]);
    check(&[USER], "summary", &[]);
}

#[test]
fn a_label_counts_more_than_a_mention() {
    check(
        &[("facts/a.md", "- the editor is for text\n- x\n- y\n- Editor: vim\n")],
        "editor",
        &["Editor: vim", "the editor is for text"],
    );
}

#[test]
fn of_equals_the_newest_comes_first_and_unknown_days_last() {
    let files = [
        ("episodes/2026-01.md", "## A\n- same words\n"),
        (
            "episodes/2026-02.md",
            "## B\n- Date: 2026-02-03\n\n* same words\n\n## C\n- Date: 2026-02-20\n\n* same words\n",
        ),
    ];
    let got = found(&files, &Ask { tags: vec![], within: vec!["**".into()], ..Ask::default() });
    let days: Vec<_> = got.items.iter().map(|r| r.date.clone().unwrap()).collect();
    let mut sorted = days.clone();
    sorted.sort_by(|a, b| b.cmp(a));
    assert_eq!(days, sorted);
}

#[test]
fn dates_of_question_and_heading_meet() {
    let files = [
        ("episodes/2023-05.md", "## Walk\n- Date: 2023-05-08\n- went to the lake\n"),
        ("episodes/2023-06.md", "## Walk\n- Date: 2023-06-08\n- went to the lake\n"),
    ];
    let got = found(&files, &ask("lake in June 2023"));
    assert_eq!((got.items[0].text.as_str(), got.items[0].path.as_str()), ("went to the lake", "episodes/2023-06.md"));
}

#[test]
fn when_prefers_what_tells_a_time_and_answers_are_no_questions() {
    let talk = (
        "facts/t.md",
        "- Mel: did you paint the sunrise?\n- Ana: hello\n- x\n- y\n- z\n- Ana: I painted the sunrise\n",
    );
    assert_eq!(found(&[talk], &ask("sunrise painting")).items[0].text, "Ana: I painted the sunrise");
    let two = ("facts/u.md", "- camping was fun with kids\n- a\n- b\n- c\n- d\n- camping was fun last Friday\n");
    assert_eq!(found(&[two], &ask("when was the camping")).items[0].text, "camping was fun last Friday");
}

#[test]
fn spots_and_a_look_at_everything_agree() {
    let files = [
        USER,
        (
            "facts/b.md",
            "# B\n\nLong *prose* about tabs.\n\n| k | v |\n|---|---|\n| tabs | 4 |\n\nRun:\n```\nmake tabs\n```\n",
        ),
        ("facts/c.md", "- 表格 tabs 缩进\n- Ťabs, tábs\n"),
        ("facts/d.md", "- nothing\n"),
        ("facts/e.md", "- TABS everywhere\n"),
        ("facts/f.md", "- nothing at all\n"),
    ];
    for question in ["tabs", "tab width", "缩进", "four tabs in vim editor", "make"] {
        let (few, all) = (found(&files, &ask(question)), with_look(&files, &ask(question), Look::All));
        let names = |f: &Found| f.items.iter().map(|r| (r.address.clone(), r.text.clone())).collect::<Vec<_>>();
        assert_eq!(names(&few), names(&all), "{question}");
    }
}

#[test]
fn a_budget_is_kept_and_a_threshold_leaves_nothing_that_does_not_fit() {
    let files = [USER];
    let all = found(&files, &ask("tabs"));
    assert_eq!((all.shown, all.found), (3, 3));
    let few = found(&files, &Ask { budget: Some(50), ..ask("tabs") });
    assert!(few.tokens <= 50 && few.shown < 3 && few.found == 3);
    let one = found(&files, &Ask { limit: Some(1), ..ask("tabs") });
    assert_eq!((one.shown, one.found), (1, 3));
    let none = found(&files, &Ask { threshold: Some(0.6), ..ask("tabs quantum entanglement physics") });
    assert_eq!(none.found, 0);
    let good = found(&files, &Ask { threshold: Some(0.6), ..ask("prefers tabs") });
    assert_eq!(good.items[0].text, "Prefers tabs over spaces");
}

#[test]
fn what_explains_a_score_adds_up_to_it() {
    let got = found(&[USER], &Ask { explain: true, ..ask("tabs vim editor") });
    for row in &got.items {
        let sum: f64 = row.parts.iter().flatten().map(|p| p.score).sum();
        assert!((sum - row.score).abs() < 0.01, "{row:?}");
    }
}

/// Addresses of files in the order in which a question finds them.
fn order(files: &[(&str, &str)], question: &str) -> Vec<String> {
    found(files, &ask(question)).items.into_iter().map(|row| row.path).collect()
}

#[test]
fn of_equals_the_one_that_is_linked_with_a_good_one_comes_first() {
    let plan = |link: &str| format!("- the harbour lights plan, ready in May {link}\n");
    let lights = "- harbour, see the map\n";
    let before =
        [("facts/a.md", lights), ("facts/b.md", lights), ("facts/c.md", lights), ("facts/plan.md", &plan("(x y)"))];
    assert_eq!(order(&before, "harbour lights plan"), ["facts/plan.md", "facts/a.md", "facts/b.md", "facts/c.md"]);
    for link in ["[[b]]", "[x](b.md)", "[[facts/b#harbour|y]]"] {
        let after = [before[0], before[1], before[2], ("facts/plan.md", &plan(link))];
        let got = order(&after, "harbour lights plan");
        assert_eq!(got, ["facts/plan.md", "facts/b.md", "facts/a.md", "facts/c.md"], "linked to by {link}");
    }
    let ways = [("- harbour, see [[x10]]\n", true), ("- harbour, see `[[x10]]`\n", false)];
    for (text, links) in ways {
        let after = [before[0], before[1], ("facts/c.md", text), ("facts/x10.md", before[3].1)];
        let at = order(&after, "harbour lights plan").iter().position(|path| path == "facts/c.md");
        assert_eq!(at, Some(if links { 1 } else { 3 }), "{text}");
    }
}

#[test]
fn a_link_adds_a_tenth_of_the_better_score_and_says_so() {
    let files = [("facts/a.md", "- harbour [[b]]\n"), ("facts/b.md", "- the harbour lights plan of the town\n")];
    let got = found(&files, &Ask { explain: true, ..ask("harbour lights plan") });
    let part = |row: usize| got.items[row].parts.iter().flatten().find(|p| p.term == "(link)").map(|p| p.score);
    let own = |row: usize| got.items[row].score - part(row).unwrap();
    assert_eq!(got.items[0].path, "facts/b.md");
    assert!((part(1).unwrap() - 0.1 * own(0)).abs() < 0.002, "{:?}", got.items);
    assert!((part(0).unwrap() - 0.1 * own(1)).abs() < 0.002, "{:?}", got.items);
    // What fits is what is said, not what is linked.
    let alone = found(&[("facts/a.md", "- harbour [[c]]\n"), files[1]], &ask("harbour lights plan"));
    assert_eq!(got.items[1].relevance, alone.items[1].relevance);
}

#[test]
fn a_link_to_a_section_lifts_what_stands_there_and_one_to_its_own_file_nothing() {
    let two = "# T\n\n## One\n\n- harbour, a map\n\n## Two\n\n- harbour, a map\n";
    let plan = ("facts/plan.md", "- the harbour lights plan, ready in May [[t#two]]\n");
    let got = found(&[("facts/t.md", two), plan], &ask("harbour lights plan"));
    assert_eq!(got.items[1].section.as_deref(), Some("two"));
    let own = found(
        &[("facts/t.md", "- harbour lights plan [[t]]\n- harbour, a map\n")],
        &Ask { explain: true, ..ask("harbour plan") },
    );
    assert!(own.items.iter().flat_map(|row| row.parts.iter().flatten()).all(|p| p.term != "(link)"), "{own:?}");
}

#[test]
fn what_may_not_be_shown_lifts_nothing() {
    let files = [
        ("facts/a.md", "- harbour, a map\n"),
        ("facts/b.md", "- harbour, a map\n"),
        ("facts/plan.md", "- the harbour lights plan [[b]]\n  <!-- mem exp=2026-02-23 -->\n"),
    ];
    assert_eq!(order(&files, "harbour lights plan"), ["facts/a.md", "facts/b.md"]);
}
