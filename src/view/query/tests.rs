//! Queries on whole memories: what is found, in which order, and what each rule of the ranking contributes.

use jiff::civil::Date;

use super::bullet_origins::BulletOrigins;
use super::count::{FileCounts, ScanDepth, count_terms};
use super::filter::{ItemFilter, QueryOptions};
use super::prefilter::TermPrefilter;
use super::result::{QueryResult, query_result};
use super::score::rank;
use super::terms::QueryTerms;
use crate::path::MemoryPath;
use crate::policy::path_globs::GlobWork;

const TODAY: Date = Date::constant(2026, 2, 24);

/// The result of a query on a memory of files.
fn query(files: &[(&str, &str)], options: &QueryOptions) -> QueryResult {
    query_with_depth(files, options, ScanDepth::Prefiltered)
}

fn query_with_depth(files: &[(&str, &str)], options: &QueryOptions, plain: ScanDepth) -> QueryResult {
    let terms = QueryTerms::parse(&options.query, TODAY);
    let prefilter = TermPrefilter::new(&terms);
    let depth = |i: usize| match plain {
        _ if terms.has_dates || terms.all.is_empty() => ScanDepth::All,
        ScanDepth::Prefiltered if i < 4 => ScanDepth::Sample,
        look => look,
    };
    let counted: Vec<FileCounts> = files
        .iter()
        .enumerate()
        .map(|(i, (path, text))| {
            count_terms(
                &MemoryPath::from_disk_name(path).unwrap(),
                text.as_bytes().into(),
                &terms,
                &prefilter,
                depth(i),
            )
        })
        .collect();
    let origins = BulletOrigins::default();
    let filter =
        ItemFilter { options, since: None, until: None, today: TODAY, decay: None, glob_work: GlobWork::default() };
    query_result(&rank(&counted, &terms, &origins, &|facts, item| filter.check(facts, item)), &terms, &filter)
}

fn query_options(question: &str) -> QueryOptions {
    QueryOptions { query: question.into(), ..QueryOptions::default() }
}

/// Checks the texts that a query finds, best first.
#[track_caller]
fn check(files: &[(&str, &str)], question: &str, expected: &[&str]) {
    let found = query(files, &query_options(question));
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
    let got = query(&files, &QueryOptions { tags: vec![], within: vec!["**".into()], ..QueryOptions::default() });
    let days: Vec<_> = got.items.iter().map(|r| r.date.clone().unwrap()).collect();
    let mut sorted = days.clone();
    sorted.sort_by(|a, b| b.cmp(a));
    assert_eq!(days, sorted);
}

#[test]
fn last_time_prefers_the_newest_of_what_matches_about_equally() {
    let entry = |title: &str, day: &str, problem: &str| {
        format!("## {title}\n- Summary: {title}\n- Date: {day}\n- Problem: {problem}\n- Solution: fixed it\n\n")
    };
    let files = [
        (
            "episodes/2026-01.md",
            entry("Cache bug", "2026-01-05", "a bug in the cache, the bug of the cache was a race"),
        ),
        ("episodes/2026-02.md", entry("Login bug", "2026-02-20", "a bug in the login form lost the session of users")),
        (
            "episodes/2026-03.md",
            "## Trip to Oslo\n- Summary: trip to Oslo\n- Date: 2026-03-01\n- The train was late\n".into(),
        ),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let first = |question: &str| query(&files, &query_options(question)).items[0].path.clone();
    assert_eq!(first("What bug did we fix last time?"), "episodes/2026-02.md");
    assert_eq!(first("What was the latest bug?"), "episodes/2026-02.md");
    // What does not match does not come first because it is new, and without such words nothing changes.
    assert_eq!(first("What cache bug did we fix last time?"), "episodes/2026-01.md");
    assert_eq!(first("What bug did we fix in the cache?"), "episodes/2026-01.md");
}

#[test]
fn a_date_in_the_query_matches_the_heading() {
    let files = [
        ("episodes/2023-05.md", "## Walk\n- Date: 2023-05-08\n- went to the lake\n"),
        ("episodes/2023-06.md", "## Walk\n- Date: 2023-06-08\n- went to the lake\n"),
    ];
    let got = query(&files, &query_options("lake in June 2023"));
    assert_eq!((got.items[0].text.as_str(), got.items[0].path.as_str()), ("went to the lake", "episodes/2023-06.md"));
}

#[test]
fn when_prefers_items_with_a_time_and_questions_rank_lower() {
    let talk = (
        "facts/t.md",
        "- Mel: did you paint the sunrise?\n- Ana: hello\n- x\n- y\n- z\n- Ana: I painted the sunrise\n",
    );
    assert_eq!(query(&[talk], &query_options("sunrise painting")).items[0].text, "Ana: I painted the sunrise");
    let two = ("facts/u.md", "- camping was fun with kids\n- a\n- b\n- c\n- d\n- camping was fun last Friday\n");
    assert_eq!(query(&[two], &query_options("when was the camping")).items[0].text, "camping was fun last Friday");
}

#[test]
fn prefiltered_and_full_scans_agree() {
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
        let (few, all) = (
            query(&files, &query_options(question)),
            query_with_depth(&files, &query_options(question), ScanDepth::All),
        );
        let names = |f: &QueryResult| f.items.iter().map(|r| (r.address.clone(), r.text.clone())).collect::<Vec<_>>();
        assert_eq!(names(&few), names(&all), "{question}");
    }
}

#[test]
fn a_budget_is_kept_and_a_threshold_leaves_nothing_that_does_not_fit() {
    let files = [USER];
    let all = query(&files, &query_options("tabs"));
    assert_eq!((all.shown, all.found), (3, 3));
    let few = query(&files, &QueryOptions { budget: Some(50), ..query_options("tabs") });
    assert!(few.tokens <= 50 && few.shown < 3 && few.found == 3);
    let one = query(&files, &QueryOptions { limit: Some(1), ..query_options("tabs") });
    assert_eq!((one.shown, one.found), (1, 3));
    let none =
        query(&files, &QueryOptions { threshold: Some(0.6), ..query_options("tabs quantum entanglement physics") });
    assert_eq!(none.found, 0);
    let good = query(&files, &QueryOptions { threshold: Some(0.6), ..query_options("prefers tabs") });
    assert_eq!(good.items[0].text, "Prefers tabs over spaces");
}

#[test]
fn the_explained_parts_add_up_to_the_score() {
    let got = query(&[USER], &QueryOptions { explain: true, ..query_options("tabs vim editor") });
    for row in &got.items {
        let sum: f64 = row.parts.iter().flatten().map(|p| p.score).sum();
        assert!((sum - row.score).abs() < 0.01, "{row:?}");
    }
}

/// The paths of the files, in the order in which a query finds them.
fn file_order(files: &[(&str, &str)], question: &str) -> Vec<String> {
    query(files, &query_options(question)).items.into_iter().map(|row| row.path).collect()
}

#[test]
fn of_equals_the_one_that_is_linked_with_a_good_one_comes_first() {
    let plan = |link: &str| format!("- the harbour lights plan, ready in May {link}\n");
    let lights = "- harbour, see the map\n";
    let before =
        [("facts/a.md", lights), ("facts/b.md", lights), ("facts/c.md", lights), ("facts/plan.md", &plan("(x y)"))];
    assert_eq!(file_order(&before, "harbour lights plan"), ["facts/plan.md", "facts/a.md", "facts/b.md", "facts/c.md"]);
    for link in ["[[b]]", "[x](b.md)", "[[facts/b#harbour|y]]"] {
        let after = [before[0], before[1], before[2], ("facts/plan.md", &plan(link))];
        let got = file_order(&after, "harbour lights plan");
        assert_eq!(got, ["facts/plan.md", "facts/b.md", "facts/a.md", "facts/c.md"], "linked to by {link}");
    }
    let ways = [("- harbour, see [[x10]]\n", true), ("- harbour, see `[[x10]]`\n", false)];
    for (text, links) in ways {
        let after = [before[0], before[1], ("facts/c.md", text), ("facts/x10.md", before[3].1)];
        let at = file_order(&after, "harbour lights plan").iter().position(|path| path == "facts/c.md");
        assert_eq!(at, Some(if links { 1 } else { 3 }), "{text}");
    }
}

#[test]
fn the_title_of_an_entry_counts_for_its_bullets() {
    let text = "# 2026-02 Episodes\n\n> Summary: logger fix, short ID, config refactor\n\n\
                ## Logger stdout leak fix\n\
                - Summary: pino pipeline stdout leak → custom JS transport\n\
                - Date: 2026-02-24\n\
                - Problem: pino-pretty in pipeline mode leaks to stdout\n\
                - Solution: Custom line-transport.js, removed pipeline entirely\n\
                - Lesson: pino worker threads cannot load .ts files in Bun\n\n\
                ## Short ID implementation\n\
                - Summary: UUID → 16-char hex short ID\n\
                - Date: 2026-02-24\n\
                - Task: Replace full UUID with shorter IDs\n\
                - Solution: First 64 bits of UUID v4 as 16-char hex\n\
                - Collision probability: ~1 in 2^64\n";
    for question in ["what bug did we fix last time?", "what bug did we fix?", "which bug was fixed"] {
        let found = query(&[("episodes/2026-02.md", text)], &query_options(question));
        assert_eq!(found.items[0].text, "Solution: Custom line-transport.js, removed pipeline entirely", "{question}");
    }
    // The title of an entry counts for no other one.
    let other = text.replace("Short ID implementation", "Slow query fix");
    let found = query(&[("episodes/2026-02.md", &other)], &query_options("which query was fixed"));
    assert_eq!(found.items[0].section.as_deref(), Some("slow-query-fix"));
}

#[test]
fn a_link_adds_a_tenth_of_the_better_score_and_is_explained() {
    let files = [("facts/a.md", "- harbour [[b]]\n"), ("facts/b.md", "- the harbour lights plan of the town\n")];
    let got = query(&files, &QueryOptions { explain: true, ..query_options("harbour lights plan") });
    let part = |row: usize| got.items[row].parts.iter().flatten().find(|p| p.term == "(link)").map(|p| p.score);
    let own = |row: usize| got.items[row].score - part(row).unwrap();
    assert_eq!(got.items[0].path, "facts/b.md");
    assert!((part(1).unwrap() - 0.1 * own(0)).abs() < 0.002, "{:?}", got.items);
    assert!((part(0).unwrap() - 0.1 * own(1)).abs() < 0.002, "{:?}", got.items);
    // Relevance counts an item's own words, not its links.
    let alone = query(&[("facts/a.md", "- harbour [[c]]\n"), files[1]], &query_options("harbour lights plan"));
    assert_eq!(got.items[1].relevance, alone.items[1].relevance);
}

#[test]
fn a_link_boosts_the_items_of_its_section_and_never_its_own_file() {
    let two = "# T\n\n## One\n\n- harbour, a map\n\n## Two\n\n- harbour, a map\n";
    let plan = ("facts/plan.md", "- the harbour lights plan, ready in May [[t#two]]\n");
    let got = query(&[("facts/t.md", two), plan], &query_options("harbour lights plan"));
    assert_eq!(got.items[1].section.as_deref(), Some("two"));
    let own = query(
        &[("facts/t.md", "- harbour lights plan [[t]]\n- harbour, a map\n")],
        &QueryOptions { explain: true, ..query_options("harbour plan") },
    );
    assert!(own.items.iter().flat_map(|row| row.parts.iter().flatten()).all(|p| p.term != "(link)"), "{own:?}");
}

#[test]
fn hidden_items_boost_nothing() {
    let files = [
        ("facts/a.md", "- harbour, a map\n"),
        ("facts/b.md", "- harbour, a map\n"),
        ("facts/plan.md", "- the harbour lights plan [[b]]\n  <!-- mem exp=2026-02-23 -->\n"),
    ];
    assert_eq!(file_order(&files, "harbour lights plan"), ["facts/a.md", "facts/b.md"]);
}

const TALK: (&str, &str) = (
    "episodes/2026-02.md",
    "# Talk\n\n- Ana: hello there\n- Ben: where did you find the kayak?\n- Ana: in the barn of the neighbour\n- Ben: nice\n\
     - Ana: it needs paint\n- Ben: the kayak of my uncle needs paint as well\n",
);

/// What each part contributes to the score of the first item with this text.
fn explained(files: &[(&str, &str)], question: &str, text: &str) -> Vec<String> {
    let found = query(files, &QueryOptions { explain: true, ..query_options(question) });
    let row = found.items.into_iter().find(|row| row.text == text).unwrap();
    row.parts.into_iter().flatten().map(|part| part.term).collect()
}

#[test]
fn another_speaker_than_the_named_one_loses_a_fifth() {
    let penalized = |question: &str, text: &str| explained(&[TALK], question, text).contains(&"(speaker)".to_owned());
    assert!(penalized("What does Ana paint?", "Ben: the kayak of my uncle needs paint as well"));
    assert!(!penalized("What does Ana paint?", "Ana: it needs paint"));
    // Both or none of them are named.
    assert!(!penalized("What do Ana and Ben paint?", "Ben: the kayak of my uncle needs paint as well"));
    assert!(!penalized("What needs paint?", "Ben: the kayak of my uncle needs paint as well"));
}

#[test]
fn neighbours_lend_their_text_and_not_their_label() {
    let files = [("facts/a.md", "- Ana: tea\n- Ben: coffee\n"), ("facts/b.md", "- x\n- y\n- z\n")];
    check(&files, "ana", &["Ana: tea"]);
    assert_eq!(explained(&files, "ana ben coffee tea", "Ben: coffee"), ["ben", "coffe", "tea", "(file)"]);
}

#[test]
fn the_answer_below_a_question_comes_first() {
    let found = query(&[TALK], &query_options("Where did Ana find the kayak?"));
    assert_eq!(found.items[0].text, "Ana: in the barn of the neighbour");
}

#[test]
fn a_word_that_the_memory_knows_otherwise_is_no_word_of_the_item() {
    let files =
        [("facts/a.md", "- mother bought kayaks\n"), ("facts/b.md", "- what else there is to say about the shop\n")];
    let relevance = |question: &str| query(&files, &query_options(question)).items[0].relevance;
    assert_eq!(relevance("mother buying kayaks"), 1.0);
    assert!(relevance("mom buying kayaks") < 1.0);
}
