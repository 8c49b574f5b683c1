//! `compact --duplicates` from the command line, with a program as the model.

use serde_json::{Value, json};

use crate::support::{CommandRun, Memory, NOW, ProgramOutput, clean_command, handle, program};

const SEATS: &str = "Prefers window seats on trains";
const OFTEN: &str = "Usually prefers window seats on trains";

/// A memory with these facts, whose model gives this answer to every request; the requests are kept beside it.
fn with_answer(facts: &[&str], answer: &str) -> Memory {
    let memory = Memory::new();
    memory.put("facts/user.md", list(facts));
    let home = memory.dir().parent().unwrap().to_path_buf();
    fs_err::write(home.join("answer"), answer).unwrap();
    let home = home.to_str().unwrap();
    let line = format!("cat >> {home}/asked; echo _END_ >> {home}/asked; cat {home}/answer");
    memory.configure(&format!("people: [tester]\nmodel: {{provider: exec, command: [sh, -c, '{line}']}}\n"));
    memory
}

fn with(facts: &[&str], pairs: &[Value]) -> Memory {
    with_answer(facts, &json!({ "pairs": pairs }).to_string())
}

fn list(facts: &[&str]) -> String {
    format!("# User\n\n{}", facts.iter().map(|fact| format!("- {fact}\n")).collect::<String>())
}

fn verdict(n: usize, verdict: &str, keep: &str, text: Option<&str>) -> Value {
    json!({"n": n, "verdict": verdict, "keep": keep, "text": text})
}

fn run<'m>(memory: &'m Memory, words: &[&str]) -> CommandRun<'m> {
    memory.run(["compact", "--duplicates"].into_iter().chain(words.iter().copied()))
}

fn requests(memory: &Memory) -> usize {
    asked(memory).matches("_END_").count()
}

fn asked(memory: &Memory) -> String {
    fs_err::read_to_string(memory.dir().with_file_name("asked")).unwrap_or_default()
}

fn judged(memory: &Memory) -> String {
    memory.text(".memdir/duplicates").unwrap_or_default()
}

#[test]
fn without_a_model_the_pairs_are_listed() {
    let memory = Memory::new().file("facts/user.md", &list(&[SEATS, "Drinks tea", OFTEN, "Drinks tea", "Has a dog"]));
    let ran = run(&memory, &[]).exit(0).unchanged();
    insta::assert_snapshot!(ran.stdout, @r"
    waiting facts/user.md#user@2 Drinks tea
            facts/user.md#user@4 Drinks tea
      equal texts (100 % alike); to remove one: memdir rm --archive --if-match 1150b63addb66915 'facts/user.md#user@4'
    waiting facts/user.md@j8fr Prefers window seats on trains
            facts/user.md@qt3n Usually prefers window seats on trains
      similar texts (90 % alike); to remove one: memdir rm --archive facts/user.md@qt3n
    ");
    ran.stderr_contains("no model is configured").stderr_contains("0 duplicates removed, 2 pairs waiting");
    assert_eq!(judged(&memory), "");
    let report = run(&memory, &["--json"]).exit(0).unchanged().json();
    assert_eq!(report["waiting_count"], 2);
    assert_eq!((&report["repeated_before"], &report["repeated_after"]), (&json!(2), &json!(2)));
    assert_eq!(report["dry_run"], json!(null));
    assert_eq!(run(&memory, &["-n", "--json"]).exit(0).unchanged().json()["dry_run"], true);
    // The commands do what they say.
    for pair in report["waiting"].as_array().unwrap() {
        let command = pair["command"].as_str().unwrap().replace('\'', "");
        memory.done(command.split(' ').skip(1));
    }
    assert_eq!(memory.text("facts/user.md").unwrap().matches("- ").count(), 3);
    run(&memory, &[]).exit(0).unchanged().stderr_contains("0 pairs waiting");
}

#[test]
fn a_duplicate_goes_to_the_archive_and_undo_brings_it_back() {
    let memory = with(&[SEATS, "Drinks tea", OFTEN, "drinks tea."], &[verdict(1, "same", "b", None)]);
    let before = memory.tree();
    let planned = run(&memory, &["-n"]).exit(0).unchanged();
    planned.stdout_contains("dry run");
    assert_eq!(judged(&memory), "", "a dry run keeps nothing");
    let ran = run(&memory, &[]).exit(0);
    insta::assert_snapshot!(ran.stdout, @r"
    archived facts/user.md@hmgx drinks tea.
      kept facts/user.md@t1e0 Drinks tea
      duplicate: the same text as facts/user.md@t1e0
    archived facts/user.md@j8fr Prefers window seats on trains
      kept facts/user.md@qt3n Usually prefers window seats on trains
      duplicate: says the same as facts/user.md@qt3n, by the model
    ");
    assert_eq!(memory.text("facts/user.md").unwrap(), {
        let kept = list(&["Drinks tea", OFTEN]);
        let (title, rest) = kept.split_once("\n\n").unwrap();
        let summary = memory.text("facts/user.md").unwrap().lines().find(|l| l.starts_with("> ")).map(str::to_owned);
        summary.map_or(kept.clone(), |line| format!("{title}\n\n{line}\n\n{rest}"))
    });
    let archive = memory.text("archive/facts/user.md").unwrap();
    assert!(archive.contains(&format!("- {SEATS}\n")) && archive.contains("- drinks tea.\n"), "{archive}");
    let log = memory.done(["log", "-L", "1"]).stdout;
    assert!(log.contains("the same text as") && log.contains("says the same as"), "{log}");
    memory.done(["check"]);
    memory.done(["undo"]);
    assert_eq!(memory.tree(), before);
}

#[test]
fn two_halves_become_one_bullet() {
    let (a, b) = ("Rents a boat from Greta", "Rents a boat in summer");
    let whole = "Rents a boat from Greta in summer";
    let memory = with(&[a, b], &[verdict(1, "merge", "a", Some(whole))]);
    let before = memory.tree();
    let report = run(&memory, &["--json"]).exit(0).json();
    assert_eq!(report["removed"][0]["new_text"], whole);
    let text = memory.text("facts/user.md").unwrap();
    assert!(text.contains(&format!("- {whole}\n")) && text.matches("- ").count() == 1, "{text}");
    let archive = memory.text("archive/facts/user.md").unwrap();
    assert!(archive.contains(a) && archive.contains(b), "{archive}");
    memory.done(["undo"]);
    assert_eq!(memory.tree(), before);
}

#[test]
fn a_verdict_that_would_lose_something_waits_for_a_person() {
    let (a, b) = ("Rents a boat from Greta", "Rents a boat in summer\n  <!-- mem pin=true -->");
    for answer in [verdict(1, "same", "a", None), verdict(1, "merge", "a", Some("Rents a boat from Greta in winter"))] {
        let memory = with(&[a, b], &[answer]);
        let ran = run(&memory, &[]).exit(0).unchanged();
        ran.stdout_contains("waiting").stderr_contains("1 pair asked about");
        assert_eq!(requests(&memory), 1);
        // It is not asked about again, and still listed.
        run(&memory, &[]).exit(0).unchanged().stdout_contains("a person must decide");
        assert_eq!(requests(&memory), 1);
    }
}

#[test]
fn a_pair_that_is_different_is_not_asked_about_for_fourteen_days() {
    let memory = with(&[SEATS, OFTEN], &[verdict(1, "different", "a", None)]);
    run(&memory, &[]).exit(0).unchanged().stderr_contains("now 0 of 2 (");
    let on = |day: &str| run(&memory, &[]).env("MEMDIR_NOW", &format!("2026-03-{day}T10:00:00Z"));
    on("09").exit(0).unchanged();
    assert_eq!(requests(&memory), 1);
    on("10").exit(0).unchanged();
    assert_eq!(requests(&memory), 2);
    // Another text makes another pair.
    memory.done(["update", &format!("user@{}", handle(OFTEN)), "Often prefers window seats on trains"]);
    on("10").exit(0).unchanged();
    assert_eq!(requests(&memory), 3);
    // A damaged file is thrown away, and the pair is asked about again.
    let damaged = judged(&memory).replace("different", "diff\0rent");
    memory.put(".memdir/duplicates", damaged);
    on("10").exit(0).unchanged();
    assert_eq!(requests(&memory), 4);
}

#[test]
fn what_code_can_tell_is_never_asked_about() {
    let facts = ["The server listens on port 8080", "The server listens on port 8081", "The door is open"];
    let memory = with(&facts, &[verdict(1, "same", "a", None)]);
    let report = run(&memory, &["--json"]).exit(0).unchanged().json();
    assert_eq!((&report["contradicting"], &report["asked"]), (&json!(1), &json!(0)));
    assert_eq!(requests(&memory), 0);
}

#[test]
fn pinned_bullets_stay() {
    let memory = with(&[], &[verdict(1, "same", "a", None)]);
    memory.put("facts/user.md", format!("# User\n\n- {SEATS}\n- {OFTEN}\n  <!-- mem pin=true -->\n"));
    run(&memory, &[]).exit(0);
    let text = memory.text("facts/user.md").unwrap();
    assert!(text.contains(OFTEN) && !text.contains(&format!("- {SEATS}")), "{text}");
    memory
        .put("facts/user.md", format!("# User\n\n- {SEATS}\n  <!-- mem pin=true -->\n- {OFTEN}\n  <!-- mem pin -->\n"));
    run(&memory, &[]).exit(0).unchanged();
}

#[test]
fn a_bad_answer_is_asked_for_once_more_and_removes_nothing() {
    for answer in ["I see two facts.", "{\"pairs\": [{\"n\": 7, \"verdict\": \"same\"}]}", ""] {
        let memory = with_answer(&[SEATS, OFTEN], answer);
        run(&memory, &[]).exit(0).unchanged().stderr_contains("not asked about all pairs");
        // A program that prints nothing has failed.
        assert_eq!(requests(&memory), if answer.is_empty() { 1 } else { 2 }, "{answer}");
    }
}

#[test]
fn a_model_that_cannot_be_reached() {
    let memory = Memory::new().file("facts/user.md", &list(&[SEATS, OFTEN, "Drinks tea", "Drinks tea"]));
    memory.configure("people: [tester]\nmodel: {provider: exec, command: ['false']}\n");
    // Configured: what code decides is done, the others wait.
    let ran = run(&memory, &["-n"]).exit(0).unchanged();
    ran.stderr_contains("not asked about all pairs").stderr_contains("1 duplicate removed, 1 pair waiting");
    // Named on the command line: an error, and nothing is changed.
    run(&memory, &["--provider", "exec"]).exit(8).unchanged();
}

#[test]
fn the_budget_of_the_day_stops_it() {
    let memory = with(&[SEATS, OFTEN], &[verdict(1, "same", "a", None)]);
    memory.configure(&format!("{}budget: {{tokens_per_day: 100}}\n", memory.config()));
    run(&memory, &[]).exit(0).unchanged().stderr_contains("token budget is used up");
    assert_eq!(requests(&memory), 0);
}

#[test]
fn a_secret_is_never_sent() {
    let key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    let facts = [format!("The key of the shop is {key}"), format!("The key of the old shop is {key}")];
    let memory = with(&[&facts[0], &facts[1]], &[verdict(1, "same", "a", None)]);
    run(&memory, &[]).exit(0).unchanged().stdout_contains("no model is asked");
    assert_eq!(requests(&memory), 0);
}

#[test]
fn a_file_or_section_alone() {
    let memory = with(&[], &[verdict(1, "same", "b", None)]);
    memory.put("facts/user.md", format!("# User\n\n## Travel\n\n- {SEATS}\n- {OFTEN}\n\n## Home\n\n- Has a dog\n"));
    memory.put("facts/work.md", "# Work\n\n- Writes tests first\n- writes tests first.\n");
    run(&memory, &["user#home"]).exit(0).unchanged().stderr_contains("of 1 bullet ");
    run(&memory, &["user#travel", "-n"]).exit(0).unchanged().stdout_contains("archived");
    run(&memory, &["work"]).exit(0).diff("A archive/facts/work.md\n+# Work\n+\n+- writes tests first.\n+  <!-- mem archived=2026-02-24 from=# -->\nM facts/work.md\n+> Summary: writes, tests\n+\n-- writes tests first.\n");
    run(&memory, &[&format!("user@{}", handle(SEATS))]).exit(2);
    run(&memory, &["user", "--to", "1"]).exit(2);
    run(&memory, &["--by-age"]).exit(2);
    run(&memory, &["nowhere"]).exit(3);
}

/// Pasted one after the other, the commands remove what they name, or nothing.
#[test]
fn a_command_to_remove_a_duplicate_is_safe_to_paste() {
    let memory = Memory::new()
        .file("facts/user.md", "# User\n\n- Likes tea\n\n## X\n\n- Likes tea\n- Likes tea\n- Allergic to nuts\n")
        .file("facts/a';touch pwned;'.md", "- Likes red wine in the evening\n- Likes red wine in the evenings\n");
    memory.configure("people: [tester]\n");
    let waiting = run(&memory, &["--json"]).exit(0).json()["waiting"].as_array().unwrap().clone();
    assert_eq!(waiting.len(), 4);
    let mut statuses = Vec::new();
    for row in waiting {
        let command = row["command"].as_str().unwrap().strip_prefix("memdir ").unwrap().to_owned();
        let words = format!("exec \"$0\" {command}");
        let mut shell = clean_command("sh", memory.dir().parent().unwrap());
        shell.env("MEMDIR", memory.dir()).env("MEMDIR_NOW", NOW).args(["-c", &words]).arg(program());
        statuses.push(ProgramOutput::of(&mut shell).status);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 0).count(), 2, "{statuses:?}");
    assert!(memory.text("facts/user.md").unwrap().contains("Allergic to nuts"));
    assert!(!memory.dir().join("pwned").exists() && !memory.dir().parent().unwrap().join("pwned").exists());
}

#[test]
fn a_restricted_agent_may_not() {
    let memory = with(&[SEATS, OFTEN], &[verdict(1, "same", "a", None)])
        .policy("version: 1\ncategories:\n  custom:\n    - name: health\nallowlists:\n  planner: [work]\n");
    run(&memory, &["--as", "planner"]).exit(5).unchanged();
    assert_eq!(requests(&memory), 0);
}

#[test]
fn with_allowlists_files_are_not_compared_with_each_other() {
    let memory = Memory::new().file("facts/user.md", &list(&[SEATS])).file("facts/travel.md", &list(&[SEATS]));
    run(&memory, &[]).exit(0).stderr_contains("1 pair waiting");
    let memory = memory.policy("version: 1\nallowlists: {planner: [work]}\n");
    run(&memory, &[]).exit(0).stderr_contains("0 pairs waiting");
}

#[test]
fn a_scope_has_its_own_pairs() {
    let memory = with(&[SEATS, OFTEN], &[verdict(1, "different", "a", None)]);
    memory.done(["scope", "add", "app"]);
    memory.done(["-S", "app", "add", "user", SEATS, "--create"]);
    let of_scope = memory.run(["-S", "app", "compact", "--duplicates"]).exit(0).unchanged();
    of_scope.stderr_contains("of 1 bullet ");
    assert_eq!(requests(&memory), 0);
    run(&memory, &[]).exit(0).unchanged().stderr_contains("of 2 bullets ");
    assert_eq!(requests(&memory), 1);
}

#[test]
fn a_model_that_contradicts_itself_removes_nothing() {
    let memory = with(&[SEATS, OFTEN], &[verdict(1, "same", "a", None)]);
    let home = memory.dir().parent().unwrap().to_path_buf();
    let home = home.to_str().unwrap();
    let second = json!({ "pairs": [verdict(1, "different", "a", None)] }).to_string();
    fs_err::write(format!("{home}/answer-2"), second).unwrap();
    let line =
        format!("cat >> {home}/asked; echo _END_ >> {home}/asked; cat {home}/answer; cp {home}/answer-2 {home}/answer");
    memory.configure(&format!("people: [tester]\nmodel: {{provider: exec, command: [sh, -c, '{line}']}}\n"));
    run(&memory, &[]).exit(0).unchanged().stdout_contains("answered differently when it was asked again");
    let questions = asked(&memory);
    let rows: Vec<&str> = questions.lines().filter(|line| line.starts_with("{\"n\":1,")).collect();
    let text = |row: &str, side: &str| serde_json::from_str::<Value>(row).unwrap()[side]["text"].clone();
    assert_eq!((rows.len(), text(rows[0], "a")), (2, text(rows[1], "b")), "{questions}");
    // It waits for a person, and is not asked about again.
    run(&memory, &[]).exit(0).unchanged().stdout_contains("a person must decide");
    assert_eq!(requests(&memory), 2);
}

#[test]
fn an_agents_run_takes_no_sensitive_field_away_on_the_models_word() {
    let facts = ["City: Hamburg", "City: Hamburg, in the north", "Drinks tea"];
    for dry_run in [&[][..], &["-n"]] {
        let memory = with(&facts, &[verdict(1, "same", "b", None)]);
        let refused = run(&memory, &[&["--as", "coder"], dry_run].concat()).may_change().exit(5);
        refused.stderr_contains("consent");
        assert!(memory.text("facts/user.md").unwrap().contains("- City: Hamburg\n"));
    }
    let memory = with(&facts, &[verdict(1, "same", "b", None)]);
    run(&memory, &[]).exit(0);
}
