//! What a real model said, word for word, and what becomes of the memory that it was asked about.
//!
//! Each line of `fixtures/small_model/answers.jsonl` is a command whose answers `.ci/model` recorded from
//! SmolLM2-135M-Instruct. A model this small invents much: made-up turns, quotes, paths and texts.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;

use crate::support::Memory;

const RECORDED: &str = include_str!("../../../fixtures/small_model/answers.jsonl");

#[derive(Deserialize)]
struct Recorded {
    case: String,
    command: Vec<String>,
    input: String,
    files: BTreeMap<String, String>,
    answers: Vec<String>,
}

/// Prints what the command of a case answers and changes. All its answers are asked for, the memory is sound, and one
/// `undo` restores it.
fn replay(recorded: &Recorded) -> String {
    let memory = recorded.files.iter().fold(Memory::new(), |memory, (path, text)| memory.file(path, text));
    memory.script_model(&recorded.answers);
    let before = memory.tree();
    let ran = memory.run(&recorded.command).stdin(recorded.input.clone()).ends();
    assert_eq!(memory.model_requests().matches("_END_").count(), recorded.answers.len(), "{}: {ran}", recorded.case);
    memory.done(["check"]);
    let mut printed = format!("## {}: exit {}\n", recorded.case, ran.status);
    for text in [&ran.stdout, &ran.stderr, &ran.difference] {
        text.lines().for_each(|line| _ = writeln!(printed, "{line}"));
    }
    if memory.tree() != before {
        memory.done(["undo"]);
        assert_eq!(memory.tree(), before, "{}", recorded.case);
    }
    printed
}

#[test]
fn a_real_model_changes_only_what_the_rules_let_it_change() {
    let cases = RECORDED.lines().map(|line| serde_json::from_str(line).unwrap());
    let printed: String = cases.map(|recorded: Recorded| replay(&recorded)).collect();
    insta::assert_snapshot!(printed, @r#"
    ## question only: exit 0
    refused: 2024-jul-26; the build runs on Bun.; (no_evidence: facts/project.md, many_facts: ; the build runs on Bun.;)
    refused: The build takes place of a building made from green tea; it is known as a bun.; (no_evidence: facts/user.md, many_facts: ; it is known as a bun.;)
    refused: rm );[ (no_evidence: facts/user.md)
    refused: The build takes place of a building made of green tea; it is known as a bun(); (invalid_operation: update: 'at' or 'category' is missing)
    refused: {"op":"rm","quote":"facts/user.md","turn":38906572471,"at":""} (invalid_operation: rm: 'at' or 'category' is missing)
    refused: It is known as a bun）Bun！ (no_evidence: facts/user.md, pronoun: It, not_neutral:  as a bun）Bun！)
    2 turns, 6 found: 0 kept, 0 known, 0 waiting, 6 refused; exec sh, 0 tokens in, 0 out
    0 % passed all guards at the first attempt, 0 % grounded; refused: no_evidence 4, invalid_operation 2, many_facts 2, not_neutral 1, pronoun 1
    ## diet: exit 0
    refused: This is my favorite restaurant. (no_evidence: facts/project.md, not_third_person: my, pronoun: This is)
    refused: This is my favorite restaurant (no_evidence: facts/user.md, not_third_person: my, pronoun: This is)
    refused: This is my favorite restaurant (no_evidence: remarks/2018_05_04.jsoncjm@d3st-witchcranklitteriirrkrihliii, not_third_person: my, pronoun: This is)
    refused: This is my favorite restaurant (no_evidence: remarks/2018_05_04.jsoncjm@d3st-witchcranklitteriirrkrihliii, not_third_person: my, pronoun: This is)
    2 turns, 4 found: 0 kept, 0 known, 0 waiting, 4 refused; exec sh, 0 tokens in, 0 out
    0 % passed all guards at the first attempt, 0 % grounded; refused: no_evidence 4, not_third_person 4, pronoun 4
    ## languages: exit 0
    refused: This is written in English. (pronoun: This is, may_contradict: @d3st1x The build runs on Bun.)
    refused: {"op":"update","quote":"Today I changed my mind about this point","turn":1,"at":… (invalid_operation: update: 'text' is missing)
    refused: {"op":"update","quote":"I am not happy, I need to get rid of the text from this … (invalid_operation: update: 'text' is missing)
    refused: There are no additional options for this task. (no_evidence: Here is an alternative to remove the text in the message.)
    refused: {"op":"add","quote":"There are no additional options for this task.","turn":2,"a… (invalid_operation: add: 'text' is missing)
    refused: The text here does not exist in the database and will have to be replaced with a new one. This can only happen on the server of the customer who has paid for this service. So we need to change this text to a more official version. (invalid_operation: update: 'at' or 'category' is missing)
    2 turns, 6 found: 0 kept, 0 known, 0 waiting, 6 refused; exec sh, 0 tokens in, 0 out
    0 % passed all guards at the first attempt, 0 % grounded; refused: invalid_operation 4, may_contradict 1, no_evidence 1, pronoun 1
    ## too many: exit 0
    facts/topic-2.md  r1
    - @ttaj The billing service uses the database Postgres 16.
    - @cgh9 Dana Whitfield owns the billing service.
    new file archive/facts/topic-2.md  r1
    memdir: facts/topic-2.md: 6 bullets, now 4: 2 of the oldest moved to archive/ (first in, first out; the model's decision could not be applied: that deletes 3 items, more than needed)
    A archive/facts/topic-2.md
    +# Topic 2
    +
    +- The billing service uses the database Postgres 16.
    +  <!-- mem archived=2026-02-24 from=# -->
    +- Dana Whitfield owns the billing service.
    +  <!-- mem archived=2026-02-24 from=# -->
    M facts/topic-2.md
    -- The billing service uses the database Postgres 16.
    -- Dana Whitfield owns the billing service.
    +> Summary: invoices, staging, cluster, nodes, release, branch, stable, tabs, spaces
    +
    ## two bullets: exit 0
    facts/topic-4.md  r1
    - @fgg8 The staging cluster has three nodes.
    - @n0dv The release branch is called stable.
    new file archive/facts/topic-4.md  r1
    memdir: facts/topic-4.md: 6 bullets, now 4: 1 decision of the model
    A archive/facts/topic-4.md
    +# Topic 4
    +
    +- The staging cluster has three nodes.
    +  <!-- mem archived=2026-02-24 from=# -->
    +- The release branch is called stable.
    +  <!-- mem archived=2026-02-24 from=# -->
    M facts/topic-4.md
    +> Summary: invoices, tabs, spaces, indentation, lisbon
    +
    -- The staging cluster has three nodes.
    -- The release branch is called stable.
    ## sushi: exit 8
    memdir: model: the model's answer could not be used: the decision is "reject", but there are edits; nothing was changed
    ## colleague: exit 0
    refused: user: I'm Tomás Ferreira, I joined the search team in January 2026. I work on Ranking and Priya Nair. (not_third_person: I'm)
    3 turns, 1 found: 0 kept, 0 known, 0 waiting, 1 refused; exec sh, 0 tokens in, 0 out
    ## kayak: exit 0
    waiting facts/travel.md@j8fr Prefers window seats on trains
            facts/travel.md@qt3n Usually prefers window seats on trains
      the model's answer could not be used: the reply has no JSON object with "n" and "verdict" for any of the pairs (90 % alike); to remove one: memdir rm --archive facts/travel.md@qt3n
    memdir: not asked about all pairs: the model's answer could not be used: the reply has no JSON object with "n" and "verdict" for any of the pairs
    memdir: 2 pairs asked about, 1 of them different; exec/sh, 0 tokens
    memdir: 0 duplicates removed, 1 pair waiting; repeated: 2 of 4 bullets (50.0 %), now 1 of 4 (25.0 %)
    ## digest: exit 0
    waiting episodes/2025-11.md (2 entries): the model's answer could not be used: a point says nothing
    memdir: exec/sh, 0 tokens
    memdir: 0 old files digested, 1 waiting
    ## procedure: exit 0
    3 turns, 0 found: 0 kept, 0 known, 0 waiting, 0 refused; exec sh, 0 tokens in, 0 out
    memdir: nothing worth keeping
    "#);
}
