//! `reflect --record` from the command line, with a program as the model.

use serde_json::json;

use crate::support::{CommandRun, Memory};

const TALK: &str = "User: I prefer meetings after 2pm on weekdays. Phoenix is due on Nov 1.\n\nAssistant: Noted.\n";
const TEXT: &str = "User prefers meetings after 2pm on weekdays. Phoenix is due on Nov 1.";

/// A memory whose model gives these answers.
pub fn with(answers: &[String]) -> Memory {
    let memory = Memory::new();
    memory.script_model(answers);
    memory
}

fn answer(text: &str) -> String {
    json!({"record": text, "importance": 6, "tags": ["work"]}).to_string()
}

fn record<'m>(memory: &'m Memory, words: &[&str], talk: &str) -> CommandRun<'m> {
    memory.run(["reflect", "--record"].into_iter().chain(words.iter().copied())).stdin(talk)
}

#[test]
fn a_conversation_becomes_one_entry() {
    let memory = with(&[answer(TEXT), answer(TEXT), answer("User prefers meetings after 3pm on weekdays.")]);
    record(&memory, &["-n"], TALK).exit(0).unchanged().stdout_contains("dry run");
    let before = memory.tree();
    let ran = record(&memory, &["--related", "c1,c2"], TALK).exit(0);
    insta::assert_snapshot!(ran.stdout, @r"
    new file episodes/2026-02.md  r1
    + ## User prefers meetings after 2pm on weekdays
    + @xyyb Summary: User prefers meetings after 2pm on weekdays. Phoenix is due on Nov 1. #work
    + @qre0 Date: 2026-02-24
    2 turns, 1 found: 1 kept, 0 known, 0 waiting, 0 refused; exec sh, 0 tokens in, 0 out
    ");
    insta::assert_snapshot!(memory.text("episodes/2026-02.md").unwrap(), @r"
    # 2026-02 Episodes

    > Summary: user prefers meetings after, weekdays, phoenix, nov

    ## User prefers meetings after 2pm on weekdays
    - Summary: User prefers meetings after 2pm on weekdays. Phoenix is due on Nov 1. #work
      <!-- mem imp=6 src=c94cab176f1b3 related=c1,c2 -->
    - Date: 2026-02-24
    ");
    let asked = memory.model_requests();
    for part in [
        "I prefer meetings after 2pm",
        "\n- Key facts and information\n- User preferences or patterns\n- Important decisions or outcomes\n\
         - Lessons learned or insights\n",
    ] {
        assert!(asked.contains(part), "no {part:?} in {asked}");
    }
    // The same conversation makes no second record, and calls no model.
    record(&memory, &[], TALK).exit(0).unchanged().stderr_contains("processed before");
    assert_eq!(memory.model_requests().matches("_END_").count(), 2);
    memory.done(["context", "--style", "records"]).stdout_contains(&format!("1. [Created: 2026-02-24] {TEXT} #work\n"));
    for (id, found) in [("c94cab176f1b3", true), ("c1", true), ("c2", true), ("c", false), ("c1,c3", false)] {
        let ran = memory.done(["query", "--source", id]);
        assert_eq!(ran.stdout.contains("Phoenix is due"), found, "{ran}");
    }
    memory.done(["undo"]);
    assert_eq!(memory.tree(), before);
}

#[test]
fn a_record_has_a_decision_its_outcome_a_lesson_and_a_preference() {
    let talk = "User: We decided on Postgres. The migration failed because the lock timeout was too short. I prefer \
                small releases.\n";
    let text = "The team decided on Postgres. The migration failed because the lock timeout was too short. User prefers \
                small releases.";
    let memory = with(&[answer(text)]);
    record(&memory, &[], talk).exit(0).stdout_contains("1 kept");
    assert!(memory.text("episodes/2026-02.md").unwrap().contains(&format!("- Summary: {text} #work\n")));
}

#[test]
fn a_record_that_breaks_a_rule_is_asked_for_once_more() {
    let memory = with(&[answer("User works on Falcon."), answer(TEXT)]);
    record(&memory, &[], TALK).exit(0).stdout_contains(TEXT);
    assert!(memory.model_requests().contains("(Falcon)"), "{}", memory.model_requests());
    let memory = with(&[answer("User works on Falcon."), answer("User works on Falcon again.")]);
    let ran = record(&memory, &[], TALK).exit(0).unchanged();
    ran.stdout_contains("refused: User works on Falcon again. (ungrounded: Falcon");
}

#[test]
fn a_record_without_words_is_none() {
    for text in ["...", ",[1],", "123456.7890, 2,", "…"] {
        let memory = with(&[answer(text), answer(TEXT)]);
        record(&memory, &[], TALK).exit(0).stdout_contains(TEXT);
        let memory = with(&[answer(text), answer(text)]);
        record(&memory, &[], TALK).exit(8).unchanged().stderr_contains("says nothing");
    }
}

#[test]
fn the_request_of_the_sources_is_a_conversation() {
    let memory = with(&[answer(TEXT)]);
    let request = json!({
        "appId": "calendar", "conversationId": "conv-7", "conversationSummary": "A talk about meetings",
        "userMessages": ["I prefer meetings after 2pm on weekdays. Phoenix is due on Nov 1."],
        "assistantMessages": ["Noted."],
    });
    record(&memory, &[], &request.to_string()).exit(0);
    assert!(memory.text("episodes/2026-02.md").unwrap().contains("src=conv-7 "));
}

#[test]
fn importance_source_and_tags_are_those_of_the_text() {
    let text = "User asked to sort the invoices by month. The assistant sorted them.";
    let answer = json!({"record": text, "importance": 8, "tags": ["invoices"]}).to_string();
    let memory = with(&[answer]);
    record(&memory, &[], "User: Please sort the invoices by month.\n\nAssistant: I sorted them.\n").exit(0);
    for words in [&["sorted", "--imp", "7.."][..], &["--tag", "invoices"], &["--imp", "8"]] {
        let found = memory.done(["query"].iter().chain(words)).stdout;
        assert!(found.contains("The assistant sorted them."), "{words:?}: {found}");
    }
    let context = memory.done(["context", "-b", "400"]).stdout;
    let important = context.split("Pinned and important:").nth(1).unwrap().split("\n\n").next().unwrap();
    assert!(important.contains("The assistant sorted them.") && !context.contains("Importance:"), "{context}");
    assert!(!context.contains(" Tags:"), "{context}");
    assert_eq!(context.matches("The assistant sorted them.").count(), 1, "{context}");
}

#[test]
fn a_record_of_low_importance_stands_among_the_newest_entries_alone() {
    let memory = with(&[answer(TEXT)]);
    record(&memory, &[], TALK).exit(0);
    let context = memory.done(["context"]).stdout;
    assert_eq!(context.matches("Phoenix is due on Nov 1.").count(), 1, "{context}");
    assert!(context.contains("- 2026-02-24 User prefers meetings") && !context.contains("important"), "{context}");
}

#[test]
fn the_summary_of_the_program_is_asked_about_and_proves_nothing() {
    let request = json!({
        "appId": "calendar", "conversationId": "conv-7", "conversationSummary": "Dana wants <late> meetings",
        "userMessages": ["I prefer meetings after 2pm on weekdays. Phoenix is due on Nov 1."],
        "assistantMessages": ["Noted."],
    });
    let memory = with(&[answer("User meets Dana after 2pm on weekdays."), answer(TEXT)]);
    let ran = record(&memory, &[], &request.to_string()).exit(0).stdout_contains(TEXT);
    let ran = ran.stdout_contains("\n2 turns, ");
    let asked = memory.model_requests();
    assert!(asked.contains("<summary>\nDana wants ‹late> meetings\n</summary>"), "{asked}\n{ran}");
    assert!(asked.contains("[1] user: I prefer meetings") && asked.contains("(Dana)"), "{asked}");
}

#[test]
fn nothing_worth_keeping_and_no_model() {
    let memory = with(&[answer("")]);
    record(&memory, &[], TALK).exit(0).unchanged().stderr_contains("nothing worth keeping");
    record(&Memory::new(), &[], TALK).exit(8).unchanged().stderr_contains("no_model");
}

#[test]
fn the_eleventh_record_makes_the_model_decide_about_all_eleven() {
    let entry = |n: usize| format!("## Record {n}\n- Date: 2026-02-{:02}\n- Summary: User did task {n}.\n", n);
    let ten: Vec<String> = (1..=10).map(entry).collect();
    let file = format!("# 2026-02 Episodes\n\n> Summary: record\n\n{}", ten.join("\n"));
    let policy = "version: 2\nlimits: [{at: episodes/*, entries: 10, on_limit: compact}]\n";
    let entries = |memory: &Memory| memory.text("episodes/2026-02.md").unwrap().matches("\n## ").count();
    for (decision, gone) in [
        (json!({"action": "delete", "targetMemoryId": 4, "newContent": "", "reason": "done"}).to_string(), "Record 4"),
        // The newcomer may leave, too.
        (json!({"action": "delete", "targetMemoryId": 11, "newContent": "", "reason": "done"}).to_string(), "weekdays"),
        // Neither this answer nor the corrected one names an entry: the oldest leaves.
        ("none of them".to_owned(), "Record 1\n"),
    ] {
        let memory =
            with(&[answer(TEXT), decision.clone(), decision]).file("episodes/2026-02.md", &file).policy(policy);
        record(&memory, &[], TALK).exit(0);
        assert_eq!(entries(&memory), 10, "{gone}");
        let (kept, archived) =
            ["episodes/2026-02.md", "archive/episodes/2026-02.md"].map(|path| memory.text(path).unwrap()).into();
        assert!(!kept.contains(gone) && archived.contains(gone), "{gone}: {kept}\n{archived}");
        assert!(
            memory.model_requests().contains("User did task 1.") && memory.model_requests().contains("Phoenix is due"),
            "{gone}"
        );
    }
}

#[test]
fn a_record_over_the_limit_of_a_scope_makes_the_model_decide_about_its_oldest_file() {
    let entry = |n: usize| format!("## Record {n}\n- Date: 2026-01-{n:02}\n- Summary: User did task {n}.\n");
    let delete = json!({"action": "delete", "targetMemoryId": 2, "newContent": "", "reason": "done"}).to_string();
    let month = |entries: &[String]| format!("# 2026-01 Episodes\n\n> Summary: task\n\n{}", entries.join("\n"));
    for (january, gone, asked) in
        [(month(&[entry(1), entry(2)]), "Record 2", true), (month(&[entry(1)]), "Record 1", false)]
    {
        let most = january.matches("\n## ").count();
        let memory = with(&[answer(TEXT), delete.clone()])
            .policy(&format!("version: 2\nlimits: [{{at: scopes/*, entries: {most}, on_limit: compact}}]\n"))
            .file("scopes/app/facts/user.md", "# User\n\n- Likes wind\n")
            .file("scopes/app/episodes/2026-01.md", &january);
        record(&memory, &["-S", "app"], TALK).exit(0);
        assert!(memory.text("scopes/app/archive/episodes/2026-01.md").unwrap().contains(gone), "{gone}");
        assert!(memory.text("scopes/app/episodes/2026-02.md").unwrap().contains("Phoenix is due"), "{gone}");
        // The only entry of a file leaves without a question.
        assert_eq!(memory.model_requests().matches("_END_").count(), 1 + usize::from(asked), "{gone}");
    }
}

#[test]
fn ids_cannot_leave_their_metadata_line() {
    let memory = with(&[answer(TEXT)]);
    for id in ["c1 -->", "a b", "x=1", ""] {
        record(&memory, &["--related", id], TALK).exit(2).unchanged();
    }
    assert_eq!(memory.model_requests(), "");
}

#[test]
fn a_fifth_of_the_budget_is_left_for_what_a_person_asks() {
    // About 1,550 tokens are reserved for so short a conversation.
    let memory = with(&[answer(TEXT)]).policy("version: 2\nbudget: {tokens_per_day: 1800}\n");
    let by_agent = record(&memory, &[], TALK).by("claude").exit(0).unchanged();
    by_agent.stderr_contains("of which an agent may spend four fifths): raise budget.tokens_per_day to ");
    assert_eq!(memory.model_requests(), "");
    record(&memory, &[], TALK).exit(0).stdout_contains(TEXT);
}

#[test]
fn a_late_model_is_reported_with_the_time_that_it_had() {
    let memory = Memory::new();
    memory.configure("people: [tester]\nmodel: {provider: exec, command: [sleep, '20']}\n");
    let ran = record(&memory, &["--timeout", "1"], TALK).exit(0).unchanged();
    assert!(format!("{ran}").contains("did not answer within 1 s"), "{ran}");
}

const EARLY: &str = "User prefers meetings after 2pm on weekdays.";
const FRIDAYS: &str = "User prefers no meetings on Fridays.";

/// A memory of two records with the same tag, the first with the ids of others, whose model then gives these answers.
fn with_two_records(answers: &[String]) -> Memory {
    let record_of =
        |text: &str, importance: u8| json!({"record": text, "importance": importance, "tags": ["work"]}).to_string();
    let memory = with(&[&[record_of(EARLY, 9), record_of(FRIDAYS, 1)], answers].concat());
    record(&memory, &["--related", "c1,c2"], "User: I prefer meetings after 2pm on weekdays.\n").exit(0);
    record(&memory, &["--related", "c2,c3"], "User: I prefer no meetings on Fridays.\n").exit(0);
    memory
}

#[test]
fn two_records_may_become_one() {
    let merge = |text: &str| {
        json!({"action": "edit", "targetMemoryId": 1, "absorbs": [2], "newContent": text, "reason": "meetings"})
            .to_string()
    };
    for text in
        [format!("- Summary: {EARLY} {FRIDAYS} #work"), format!("- Summary: {EARLY} #work\n- Summary: {FRIDAYS} #work")]
    {
        let memory = with_two_records(&[merge(&text)]);
        let ran = memory.run(["compact", "episodes/2026-02", "--to", "1"]).exit(0);
        ran.stderr_contains("2 entries, now 1: 1 decision of the model");
        let file = memory.text("episodes/2026-02.md").unwrap();
        let first = text.lines().next().unwrap();
        // What they come from, and what they were related to.
        let related = "cd92a402c4d2b,c1,c2,cd34815960071,c3";
        assert!(file.contains(&format!("{first}\n  <!-- mem imp=9 related={related} -->")), "{file}");
        assert!(file.contains(EARLY) && file.contains(FRIDAYS), "{file}");
    }
    for (text, reason) in [
        (format!("- Summary: {EARLY} {FRIDAYS}"), "the tags of the items"),
        (format!("- Summary: {EARLY} {FRIDAYS} #home #work"), "the tags of the items"),
        (format!("- Summary: {EARLY} #work"), "lacks words of item 2"),
        (
            "- Summary: User prefers meetings on Fridays. User prefers no meetings after 2pm on weekdays. #work".into(),
            "item",
        ),
    ] {
        let memory = with_two_records(&[merge(&text), merge(&text)]);
        let ran = memory.run(["compact", "episodes/2026-02", "--to", "1"]).exit(0);
        ran.stderr_contains("the model's decision could not be applied").stderr_contains(reason);
    }
}

#[test]
fn the_model_that_decides_which_record_leaves_is_told_its_importance() {
    let delete = json!({"action": "delete", "targetMemoryId": 2, "newContent": "", "reason": "less"}).to_string();
    let memory = with_two_records(&[delete]);
    memory.run(["compact", "episodes/2026-02", "--to", "1"]).exit(0);
    let asked = memory.model_requests();
    for line in [
        r#""entry":"user-prefers-meetings-after-2pm-on-weekdays","date":"2026-02-24","importance":9"#,
        r#""entry":"user-prefers-no-meetings-on-fridays","date":"2026-02-24","importance":1"#,
    ] {
        assert!(asked.contains(line), "{asked}");
    }
}

#[test]
fn a_decision_of_the_model_that_fails_is_told() {
    let policy = "version: 2\nlimits: [{at: episodes/*, entries: 1, on_limit: compact}]\n";
    let memory =
        with(&[answer(TEXT), answer("User likes tea."), "none of them".into(), "nor now".into()]).policy(policy);
    record(&memory, &[], TALK).exit(0);
    let ran = record(&memory, &[], "User: I like tea.\n").exit(0);
    ran.stderr_contains("episodes/2026-02.md was over its limit: 2 entries, now 1: 1 of the oldest moved to archive/")
        .stderr_contains("the model's decision could not be applied");
    let why = "over its limit of 1 entry: first in, first out; the model's decision could not be applied\n";
    memory.done(["log"]).stdout_contains(why);
}
