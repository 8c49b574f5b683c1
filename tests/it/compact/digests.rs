//! `compact episodes --older` from the command line, with a program as the model.

use serde_json::json;

use crate::support::{CommandRun, Memory};

const NOVEMBER: &str = "# 2025-11 Episodes\n\n\
    ## Release\n- Date: 2025-11-03\n- Ana released 0.4.\n\n\
    ## Cache\n- Date: 2025-11-20\n- Ana found a bug in the cache, because keys were cut at 64 bytes.\n";
const DECEMBER: &str = "# 2025-12 Episodes\n\n## Offsite\n- Date: 2025-12-10\n- The team met in Bremen.\n";
const RECENT: &str = "# 2026-02 Episodes\n\n## Now\n- Date: 2026-02-10\n- Bo began the port.\n";

/// A memory with old months, whose model gives these answers.
fn with(answers: &[String]) -> Memory {
    let memory = Memory::new()
        .file("episodes/2025-11.md", NOVEMBER)
        .file("episodes/2025-12.md", DECEMBER)
        .file("episodes/2026-02.md", RECENT)
        .file("facts/user.md", "# User\n\n- Likes tea\n");
    memory.script_model(answers);
    memory
}

fn points(points: &[&str]) -> String {
    json!({ "points": points }).to_string()
}

fn older<'m>(memory: &'m Memory, words: &[&str]) -> CommandRun<'m> {
    memory.run(["compact", "episodes", "--older", "2 months"].into_iter().chain(words.iter().copied()))
}

const RELEASE: &str = "Ana released 0.4 on 2025-11-03.";
const CACHE: &str = "A bug in the cache cut keys at 64 bytes.";

#[test]
fn each_old_month_becomes_one_entry_and_moves_to_the_archive() {
    let november = points(&[RELEASE, CACHE]);
    let memory = with(&[november.clone(), points(&["The team met in Bremen."]), november]);
    let before = memory.tree();
    // December ended less than two months before 2026-02-24.
    insta::assert_snapshot!(older(&memory, &[]).exit(0).stdout, @r"
    new file episodes/2025.md
    + ## 2025-11
    + @fqqw Summary: Ana released 0.4 on 2025-11-03.
    + @crbx Date: 2025-11-30
    + @n172 A bug in the cache cut keys at 64 bytes.
    + @rfm6 Digest of 2 entries: [[archive/episodes/2025-11]]
    episodes/2025-11.md → archive/episodes/2025-11.md
    ");
    insta::assert_snapshot!(memory.text("episodes/2025.md").unwrap(), @r"
    # 2025 Episodes

    > Summary: 2025-11, ana, released, bug, cache, cut, keys, bytes

    ## 2025-11
    - Summary: Ana released 0.4 on 2025-11-03.
    - Date: 2025-11-30
    - A bug in the cache cut keys at 64 bytes.
    - Digest of 2 entries: [[archive/episodes/2025-11]]
    ");
    assert_eq!(memory.text("episodes/2025-11.md"), None);
    let archived = memory.text("archive/episodes/2025-11.md").unwrap();
    assert!(archived.contains("## Release") && archived.contains("keys were cut at 64 bytes"), "{archived}");
    assert!(memory.model_requests().contains("Ana released 0.4"));
    memory.run(["check"]).exit(0);
    assert!(memory.done(["query", "cache", "bug"]).stdout.contains("cut keys at 64 bytes"));
    let stats = memory.done(["--json", "stats"]).json();
    let counted = stats["figures"].as_array().unwrap().iter().find(|figure| figure["metric"] == "digest");
    assert_eq!(counted.expect("a figure")["value"], 1.0);
    // A digest is not digested again, and what was done is not asked about again.
    let requests = memory.model_requests().matches("_END_").count();
    older(&memory, &[]).exit(0).unchanged();
    assert_eq!(memory.model_requests().matches("_END_").count(), requests);
    memory.run(["undo"]).exit(0);
    assert_eq!(memory.tree(), before);
    assert_eq!(memory.text("episodes/2025-11.md").unwrap(), NOVEMBER);
}

#[test]
fn a_dry_run_and_a_run_without_a_model_change_nothing() {
    let memory = with(&[points(&[RELEASE]), points(&["The team met in Bremen."])]);
    older(&memory, &["-n"]).exit(0).unchanged().stdout_contains("dry run").stdout_contains("2025");
    let memory = Memory::new().file("episodes/2025-11.md", NOVEMBER).file("episodes/2026-02.md", RECENT);
    let ran = older(&memory, &[]).exit(0).unchanged();
    insta::assert_snapshot!(ran.stdout, @"waiting episodes/2025-11.md (2 entries): no model is configured");
    ran.stderr_contains("0 old files digested, 1 waiting");
}

#[test]
fn a_digest_that_adds_something_is_asked_for_once_more() {
    let wrong = points(&["Carla released 0.4."]);
    let memory = with(&[wrong.clone(), points(&[RELEASE])]);
    memory.run(["compact", "episodes/2025-11.md", "--older", "30d"]).exit(0).stdout_contains(RELEASE);
    assert!(memory.model_requests().contains("(Carla)"), "{}", memory.model_requests());
    // The other file is still digested, if it is old.
    let memory = with(&[wrong.clone(), wrong, points(&["The team met in Bremen."])]);
    let ran = memory.run(["compact", "episodes", "--older", "2026-01-01"]).exit(0);
    assert!(ran.stdout.contains("waiting episodes/2025-11.md (2 entries): the model's answer could not be used"));
    assert_eq!(memory.text("episodes/2025-11.md").unwrap(), NOVEMBER);
    assert_eq!(memory.text("episodes/2025-12.md"), None);
}

#[test]
fn what_is_pinned_or_in_conflict_stays() {
    let memory = with(&[points(&["The team met in Bremen."])]);
    let pinned = NOVEMBER.replace("- Ana released 0.4.\n", "- Ana released 0.4.\n  <!-- mem pin -->\n");
    memory.put("episodes/2025-11.md", &pinned);
    let ran = memory.run(["compact", "episodes", "--older", "2026-01-01"]).exit(0);
    assert!(ran.stdout.contains("waiting episodes/2025-11.md (2 entries): something in it is pinned"), "{ran}");
    assert_eq!((memory.text("episodes/2025-11.md"), memory.text("episodes/2025-12.md")), (Some(pinned), None));
}

#[test]
fn a_long_month_is_asked_about_in_parts() {
    let entry = |n: usize| format!("## Day {n}\n- Date: 2025-11-{n:02}\n- Ana wrote {}\n\n", "notes ".repeat(900));
    let month: String = (1..=9).map(entry).collect();
    let memory =
        with(&["first", "second", "third", "fourth", "fifth"].map(|n| points(&[&format!("Ana wrote the {n} notes.")])));
    memory.put("episodes/2025-11.md", format!("# 2025-11 Episodes\n\n{month}"));
    memory.run(["compact", "episodes/2025-11", "--older", "2 months"]).exit(0).stdout_contains("new file");
    let digest = memory.text("episodes/2025.md").unwrap();
    assert!(digest.contains("- Ana wrote the fifth notes.") && digest.contains("Digest of 9 entries"), "{digest}");
    assert_eq!(memory.model_requests().matches("_END_").count(), 5);
}

#[test]
fn other_addresses_and_ages_are_refused() {
    let memory = with(&[]);
    for words in [
        &["compact", "facts", "--older", "2d"][..],
        &["compact", "--older", "2d"],
        &["compact", "episodes", "--older", "r1"],
        &["compact", "episodes", "--older", "long"],
        &["compact", "episodes", "--older", "2d", "--duplicates"],
        &["compact", "episodes", "--older", "2d", "--to", "3"],
    ] {
        memory.run(words.iter().copied()).exit(2).unchanged();
    }
}

#[test]
fn the_budget_ends_a_run() {
    let memory = with(&[points(&[RELEASE])]).policy("version: 2\nbudget: {tokens_per_day: 100}\n");
    older(&memory, &[]).exit(0).stdout_contains("today's token budget is used up");
    assert_eq!(memory.model_requests(), "");
    assert_eq!(memory.text("episodes/2025-11.md").unwrap(), NOVEMBER);
}

#[test]
fn a_file_of_which_an_allowlist_hides_a_part_stays() {
    let memory = with(&[points(&["The team met in Bremen."])]);
    memory.put(
        "memdir.yaml",
        "version: 1\ncategories: {custom: [{name: health}]}\n\
         allowlists: {planner: [work], doctor: [work, health]}\nagents: {default: planner}\n",
    );
    let hidden = NOVEMBER.replace("- Ana released 0.4.", "- [health] Ana released 0.4.");
    memory.put("episodes/2025-11.md", &hidden);
    let words = ["--as", "doctor", "compact", "episodes", "--older", "1 month"];
    memory.run(words).exit(0).stdout_contains("an allowlist hides a part of it from some agents");
    assert_eq!(memory.text("episodes/2025-11.md").as_deref(), Some(&*hidden));
    assert!(
        memory.model_requests().contains("Bremen") && !memory.model_requests().contains("Ana"),
        "{}",
        memory.model_requests()
    );
    assert_eq!(memory.text("episodes/2025-12.md"), None);
}

#[test]
fn an_error_after_the_first_file_is_told_beside_what_was_done() {
    // The model gives one answer, and fails at the second question.
    let memory = with(&[points(&[RELEASE])]);
    let again = || memory.run(["compact", "episodes", "--older", "2026-01-01", "--provider", "exec"]);
    let ran = again().may_change().exit(8);
    let ran = ran
        .stdout_contains("new file episodes/2025.md")
        .stdout_contains("waiting episodes/2025-12.md (1 entry): model: ")
        .stderr_contains("stopped: model: ")
        .stderr_contains("1 old file digested, 1 waiting");
    assert!(!ran.stderr.contains("nothing was changed"), "{ran}");
    assert_eq!(memory.text("episodes/2025-12.md").unwrap(), DECEMBER);
    memory.done(["log"]).stdout_contains("digest of episodes/2025-11.md");
    // Before the first file it is an error, and nothing changed.
    again().exit(8).unchanged();
}

#[test]
fn a_host_that_reports_no_tokens_uses_the_budget_all_the_same() {
    let memory = with(&[points(&[RELEASE, CACHE]), points(&["The team met in Bremen."])]);
    memory.put("memdir.yaml", "version: 2\nbudget: {tokens_per_day: 20000}\n");
    older(&memory, &[]).may_change().exit(0);
    let status = memory.done(["status", "--json"]).json();
    assert!(status["models"]["tokens"].as_u64() > Some(100), "{status}");
}
