//! Tokens a day: what waits, what is drained, what two processes share, what midnight and a crash leave.

use super::script::{Script, add, ops};
use crate::support::Memory;
use memdir::commands::budget::{self, TokenLedger};
use memdir::commands::reflect::{ProposalTotals, enqueue_transcript};
use memdir::llm::{ErrorKind, LlmError, TokenUsage};
use serde_json::json;

const TALK: &str = "User: I'm Zhang San.\n";

fn name() -> Script {
    Script::of([ops(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")])])
}

#[test]
fn over_the_budget_a_conversation_waits_and_is_read_later() {
    let memory = Memory::new();
    let before = memory.tree();
    let mut poor = name();
    poor.budget = Some(100);
    let answer = poor.reads(&memory, TALK);
    assert!(answer.deferred.is_some() && poor.requests().is_empty());
    assert_eq!(memory.tree(), before);
    assert_eq!(memory.session().store.queued_names().unwrap().len(), 1);
    // The same conversation waits once.
    poor.reads(&memory, TALK);
    assert_eq!(memory.session().store.queued_names().unwrap().len(), 1);
    assert!(poor.drains(&memory).unwrap().deferred.is_some());
    let rich = name();
    let answer = rich.drains(&memory).unwrap();
    assert_eq!((answer.counts.kept, answer.deferred), (1, None));
    assert!(memory.session().store.queued_names().unwrap().is_empty());
    assert!(memory.text("facts/user.md").unwrap().contains("Zhang San"));
    assert_eq!(Script::of([]).drains(&memory).unwrap().conversations.len(), 0);
}

#[test]
fn spent_tokens_count_until_midnight() {
    let memory = Memory::new();
    let mut script = name();
    script.budget = Some(7000);
    script.reads(&memory, TALK);
    assert_eq!(TokenLedger::load(&memory.session().store).used_on("2026-02-24"), 110);
    let mut more = Script::of([ops(&[])]);
    more.budget = Some(6100);
    assert!(more.reads(&memory, "User: hello\n").deferred.is_some());
    more.day = Some("2026-02-25");
    assert!(more.reads(&memory, "User: hello\n").deferred.is_none());
    assert_eq!(TokenLedger::load(&memory.session().store).day, "2026-02-25");
}

#[test]
fn a_host_with_missing_or_wrong_usage_still_uses_the_budget() {
    for (usage, least) in [
        (TokenUsage::default(), 500),
        (TokenUsage { input: u64::MAX, output: u64::MAX }, u64::MAX),
        (TokenUsage { input: u64::MAX, output: 1 }, u64::MAX),
    ] {
        let memory = Memory::new();
        let mut reply = ops(&[add("facts/user.md", "Name: Zhang San", "I'm Zhang San")]).unwrap();
        reply.usage = usage;
        let mut script = Script::of([Ok(reply)]);
        script.budget = Some(7000);
        assert_eq!(script.reads(&memory, TALK).counts.kept, 1);
        let taken = TokenLedger::load(&memory.session().store).used_on("2026-02-24");
        assert!(taken >= least, "{usage:?}: {taken}");
        assert!(taken < u64::MAX || script.reads(&memory, "User: hello\n").deferred.is_some());
    }
}

#[test]
fn two_at_once_share_the_budget_and_a_crash_leaves_what_it_held_as_spent() {
    let memory = Memory::new();
    let (mut one, mut other) = (memory.session(), memory.session());
    (one.user_tokens_per_day, other.user_tokens_per_day) = (Some(1000), Some(1000));
    let held = budget::reserve(&one, "a", 600).unwrap().expect("there is room");
    assert!(budget::reserve(&other, "b", 600).unwrap().is_none());
    let (locked, _) = one.store.lock().unwrap();
    budget::settle(&one, &locked, held, TokenUsage { input: 100, output: 50 }, 1, &ProposalTotals::default());
    drop(locked);
    let dies = budget::reserve(&other, "b", 600).unwrap().expect("what was not needed is free again");
    drop(dies);
    assert_eq!(TokenLedger::load(&one.store).used_on("2026-02-24"), 750);
    assert!(budget::reserve(&one, "c", 600).unwrap().is_none());
}

#[test]
fn a_failed_queue_run_keeps_the_work_and_duplicates_nothing() {
    let memory = Memory::new();
    let mut poor = name();
    poor.budget = Some(100);
    poor.reads(&memory, TALK);
    let silent = Script::of([Err(LlmError::new(ErrorKind::Unreachable, "gone"))]);
    assert!(silent.drains(&memory).is_err());
    assert_eq!(memory.session().store.queued_names().unwrap().len(), 1);
    // Read in the meantime: the queue then has nothing new.
    name().reads(&memory, TALK);
    let nobody = Script::of([]);
    let answer = nobody.drains(&memory).unwrap();
    assert_eq!((answer.counts.found, nobody.requests().len()), (0, 0));
    assert!(memory.session().store.queued_names().unwrap().is_empty());
    assert_eq!(memory.text("facts/user.md").unwrap().matches("Zhang San").count(), 1);
}

#[test]
fn a_conversation_that_a_host_refuses_does_not_stop_the_others() {
    let memory = Memory::new();
    let mut poor = Script::of([]);
    poor.budget = Some(10);
    for talk in [TALK, "User: hello there\n"] {
        poor.reads(&memory, talk);
    }
    let refused = || Err(LlmError::new(ErrorKind::Rejected, "too long"));
    // The first of the two requests is refused; the other conversation is read all the same.
    let script = Script::of([refused(), ops(&[])]);
    let answer = script.drains(&memory).unwrap();
    assert!(answer.partial.as_deref().is_some_and(|why| why.contains("too long")), "{:?}", answer.partial);
    assert_eq!((script.requests().len(), memory.session().store.queued_names().unwrap().len()), (2, 1));
    // Two in a row, and a host refuses everything.
    poor.reads(&memory, "User: hello again\n");
    let script = Script::of([refused(), refused(), refused()]);
    assert!(script.drains(&memory).is_err());
    assert_eq!(script.requests().len(), 2);
}

#[test]
fn a_conversation_larger_than_any_budget_does_not_stop_the_others() {
    let memory = Memory::new();
    let mut poor = Script::of([]);
    poor.budget = Some(10);
    // Some of them are in the queue before the small one, whatever the order.
    for n in 0..6 {
        poor.reads(&memory, &format!("User: {}\n", format!("Talk {n} goes on. ").repeat(500)));
    }
    poor.reads(&memory, TALK);
    let mut script = name();
    script.budget = Some(6500);
    let answer = script.drains(&memory).unwrap();
    assert_eq!((answer.counts.kept, script.requests().len()), (1, 1));
    assert_eq!(memory.session().store.queued_names().unwrap().len(), 6);
    assert!(answer.deferred.is_some_and(|reason| reason.contains("raise budget.tokens_per_day")));
}

#[test]
fn status_reports_model_costs_and_pending_work() {
    let memory = Memory::new();
    name().reads(&memory, TALK);
    let mut poor = Script::of([]);
    poor.budget = Some(0);
    poor.reads(&memory, "User: hello again\n");
    let status = memory.done(["status", "--json"]).json();
    assert_eq!(status["models"]["tokens"], 110, "{status}");
    assert_eq!((&status["models"]["first_pass"], &status["queued"]), (&serde_json::json!(1.0), &serde_json::json!(1)));
    assert_eq!((&status["models"]["grounded"], &status["models"]["refused_by"]), (&json!(1.0), &json!(null)));
    memory.done(["status"]).stdout_contains("110 tokens").stdout_contains("1 conversation waits in the queue");
}

#[test]
fn status_and_the_report_tell_what_the_guards_decided() {
    let memory = Memory::new();
    let talk = "User: I deploy on Fridays. I live in Berlin.\n";
    let bad = add("facts/user.md", "He deploys on Fridays.", "deploy on Fridays");
    let invented = add("facts/user.md", "Pet: a cat", "I have a cat");
    let unsupported = add("facts/user.md", "Deployments happen on 9 Fridays.", "deploy on Fridays");
    let good = add("facts/user.md", "Deployments happen on Fridays.", "deploy on Fridays");
    let city = add("facts/user.md", "City: Berlin", "I live in Berlin");
    let script = Script::of([ops(&[bad, invented, unsupported, city]), ops(&[good]), ops(&[])]);
    let answer = script.reads(&memory, talk);
    let counts = answer.counts;
    assert_eq!((counts.kept, counts.proposed, counts.refused), (1, 2, 2), "{:?}", answer.decisions);
    // Two of four passed at once; of four that were compared with the conversation, it supports two.
    assert_eq!((answer.first_pass, answer.grounded), (Some(0.5), Some(0.5)));
    let refused = json!({"no_evidence": 1, "pronoun": 1});
    assert_eq!(json!(answer.refused_by), refused);
    let status = memory.done(["status", "--json"]).json();
    let models = &status["models"];
    assert_eq!(
        (&models["first_pass"], &models["grounded"], &models["refused_by"]),
        (&json!(0.5), &json!(0.5), &refused)
    );
    assert_eq!(status["proposals"], 2);
    let line = "proposals so far: 50 % passed all guards at the first attempt, 50 % grounded; refused: no_evidence 1, pronoun 1\n";
    memory.done(["status"]).stdout_contains(line).stdout_contains("2 proposals wait");
    // A second run adds to what status tells; its own report starts afresh.
    let more = add("facts/project.md", "The build runs on Bun.", "build runs on Bun");
    let answer = Script::of([ops(&[more])]).reads(&memory, "User: The build runs on Bun.\n");
    assert_eq!((answer.first_pass, answer.grounded, answer.refused_by.len()), (Some(1.0), Some(1.0), 0));
    memory.done(["status"]).stdout_contains("60 % passed all guards at the first attempt, 60 % grounded");
}

#[test]
fn what_another_process_wrote_meanwhile_counts_before_a_piece_is_committed() {
    let memory = Memory::new().policy("version: 2\nbudget: {writes_per_day: 1}\n");
    let other = memory.session();
    let script = name().meanwhile(0, move || {
        let (locked, _) = other.store.lock().unwrap();
        budget::add_writes(&other, &locked, 1);
    });
    let answer = script.reads(&memory, TALK);
    assert!(answer.deferred.is_some_and(|reason| reason.contains("1 of today's 1 memories are written")));
    assert_eq!((answer.counts.kept, answer.model.map(|model| model.turns)), (0, Some(1)));
    assert_eq!(memory.text("facts/user.md"), None);
    assert_eq!(memory.session().store.queued_names().unwrap().len(), 1);
    let mut later = name();
    later.day = Some("2026-02-25");
    assert_eq!(later.drains(&memory).unwrap().counts.kept, 1);
    assert!(memory.session().store.queued_names().unwrap().is_empty());
}

#[test]
fn a_smaller_conversation_does_not_hide_what_a_larger_one_needs() {
    let memory = Memory::new();
    let mut poor = Script::of([]);
    poor.budget = Some(10);
    let large = format!("User: {}\n", "The talk goes on. ".repeat(500));
    poor.reads(&memory, &large);
    poor.reads(&memory, TALK);
    let warned = |tokens: u64| {
        let policy = format!("version: 2\nbudget: {{tokens_per_day: {tokens}}}\n");
        memory.put("memdir.yaml", policy);
        memory.done(["status"]).stderr.contains("waits for a larger budget")
    };
    assert!(warned(10) && warned(8000) && !warned(100_000));
    // Another conversation that needs as much is read, and the first still waits.
    let mut rich = Script::of([ops(&[])]);
    rich.budget = Some(100_000);
    rich.reads(&memory, &large.replace("talk", "tale"));
    assert!(warned(8000) && !warned(100_000));
    // The queue is read, and one that needs less waits after it.
    let mut rich = Script::of([ops(&[]), ops(&[])]);
    rich.budget = Some(100_000);
    rich.drains(&memory).unwrap();
    let mut poor = Script::of([]);
    poor.budget = Some(10);
    poor.reads(&memory, "User: Hello again.\n");
    assert!(warned(10) && !warned(8000));
}

#[test]
fn status_tells_that_a_queued_transcript_was_dropped() {
    let memory = Memory::new();
    let gone = memory.dir().with_file_name("gone.jsonl");
    enqueue_transcript(&memory.session(), gone.to_str().unwrap(), "s1", 10).unwrap();
    let answer = Script::of([]).drains(&memory).unwrap();
    assert_eq!(answer.warnings.len(), 1, "{:?}", answer.warnings);
    assert!(memory.session().store.queued_names().unwrap().is_empty());
    let status = memory.done(["status"]);
    status.stderr_contains("1 queued transcript could not be read and was dropped, the last on 2026-02-24");
    let later = memory.run(["status"]).env("MEMDIR_NOW", "2026-03-03T10:00:00Z").exit(0);
    assert!(!later.stderr.contains("dropped"), "{later}");
}

#[test]
fn a_queue_that_another_process_reads_is_not_called_empty() {
    let memory = Memory::new();
    let mut poor = Script::of([]);
    poor.budget = Some(10);
    poor.reads(&memory, TALK);
    let session = memory.session();
    let name = session.store.queued_names().unwrap().remove(0);
    let claim = session.store.claim_queued(&session.signing_key().unwrap(), &name).unwrap();
    assert!(claim.is_some());
    let ran = memory.run(["reflect", "--queued"]).exit(0);
    let ran = ran.stderr_contains("another process is reading 1 conversation of the queue");
    assert!(!ran.stderr.contains("nothing pending"), "{ran}");
    drop(claim);
}

#[test]
fn an_item_of_the_queue_that_cannot_be_read_leaves_what_was_read_before_it() {
    let memory = Memory::new();
    let mut poor = name();
    poor.budget = Some(100);
    poor.reads(&memory, TALK);
    let broken = json!({"conversation": "User: I like tea.\n", "into": "facts/user.md#work@"}).to_string();
    let session = memory.session();
    let (locked, _) = session.store.lock().unwrap();
    locked.enqueue(&session.new_signing_key().unwrap(), "2026-02-25-broken.json", broken.as_bytes()).unwrap();
    drop(locked);
    let report = name().drains(&memory).unwrap();
    assert_eq!(report.counts.kept, 1, "{report:?}");
    assert!(report.partial.is_some(), "{report:?}");
    assert_eq!(memory.session().store.queued_names().unwrap(), ["2026-02-25-broken.json"]);
}

#[test]
fn status_tells_the_last_error_of_the_queue_without_secrets() {
    let memory = Memory::new();
    memory.configure("people: [tester]\nmodel: {provider: exec, command: [sh, -c, 'echo boom ghp_abcdefghijklmnopqrstuvwxyz0123456789 >&2; exit 3']}\n");
    let mut poor = name();
    poor.budget = Some(100);
    poor.reads(&memory, TALK);
    assert!(!memory.done(["status"]).stderr.contains("failed"));
    memory.run(["reflect", "--queued"]).exit(8);
    let status = memory
        .done(["status"])
        .stderr_contains("the last `memdir reflect --queued` failed on 2026-02-24: model: ")
        .stderr_contains("boom");
    assert!(!status.stderr.contains("ghp_"), "{status}");
    assert!(!memory.text(".memdir/queue_error").unwrap().contains("ghp_"));
    let json = memory.done(["status", "--json"]).json();
    assert!(json["warnings"].to_string().contains("failed on 2026-02-24"), "{json}");
    // Once the queue is read, there is no error to report.
    assert_eq!(name().drains(&memory).unwrap().counts.kept, 1);
    assert!(!memory.done(["status"]).stderr.contains("failed"));
}
