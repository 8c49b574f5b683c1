//! Relations that an agent's additions and updates write by themselves (`links` in the policy).

use serde_json::Value;

use crate::support::Memory;

const POLICY: &str = "version: 2\nlinks: {auto: 3, min: 0.6}\n";
const USER: &str = "# User\n\n- Deploys run on Fridays after a review\n- Likes green tea\n";
const PROJECT: &str = "# Project\n\n- The Friday deploys need a review\n";

fn memory() -> Memory {
    memory_with(POLICY)
}

fn memory_with(policy: &str) -> Memory {
    Memory::new().file("memdir.yaml", policy).file("facts/user.md", USER).file("facts/project.md", PROJECT)
}

fn text(memory: &Memory, path: &str) -> String {
    memory.text(path).unwrap()
}

/// The address of the bullet that begins with these words.
fn address(memory: &Memory, file: &str, words: &str) -> String {
    let list = memory.done(["list", file]).stdout;
    let line = list.lines().find(|line| line.contains(words)).unwrap();
    format!("{file}{}", line.split(' ').next().unwrap())
}

/// The lines of a file that are relations or their metadata.
fn relations(memory: &Memory, path: &str) -> Vec<String> {
    let text = text(memory, path);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_relation = |n: &usize| lines[*n].starts_with("- related_to");
    (0..lines.len()).filter(is_relation).map(|n| format!("{} {}", lines[n], lines[n + 1])).collect()
}

const DEPLOYS: [&str; 2] = [
    "- related_to [[facts/project#^mcf39408]] <!-- mem upd=2026-02-24 w=0.89 -->",
    "- related_to [[facts/user#^mbf9915c]] <!-- mem upd=2026-02-24 w=0.67 -->",
];

#[test]
fn an_addition_is_related_to_its_nearest_neighbours() {
    let memory = memory();
    memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
    insta::assert_snapshot!(text(&memory, "facts/project.md"), @r"
    # Project

    > Summary: deploys, review

    - The Friday deploys need a review
      <!-- mem id=mcf39408 -->
    - Friday deploys need two reviews
      - related_to [[facts/project#^mcf39408]]
        <!-- mem upd=2026-02-24 w=0.89 -->
      - related_to [[facts/user#^mbf9915c]]
        <!-- mem upd=2026-02-24 w=0.67 -->
    ");
    memory.run(["check"]).exit(0);
    // One revision, which `undo` takes back.
    memory.run(["undo"]).exit(0);
    assert_eq!((text(&memory, "facts/user.md"), relations(&memory, "facts/project.md")), (USER.to_owned(), vec![]));
}

#[test]
fn nothing_is_related_without_the_policy_by_hand_or_below_the_least_strength() {
    for (policy, agent) in
        [("version: 2\n", "claude"), (POLICY, ""), ("version: 2\nlinks: {auto: 3, min: 0.95}\n", "claude")]
    {
        let memory = memory_with(policy);
        let by = if agent.is_empty() { vec![] } else { vec!["--as", agent] };
        memory.run([by, vec!["add", "project", "Friday deploys need two reviews"]].concat()).exit(0);
        assert_eq!(relations(&memory, "facts/project.md"), Vec::<String>::new(), "{policy:?} {agent:?}");
    }
    let memory = memory();
    memory.run(["--as", "claude", "add", "project", "Plays the oboe"]).exit(0);
    memory.run(["--as", "claude", "append", "-t", "Deploys need two reviews", "--text", "Friday deploys"]);
    let tree = memory.tree();
    assert!(!tree.values().any(|(bytes, _)| String::from_utf8_lossy(bytes).contains("related_to")));
}

#[test]
fn at_most_as_many_as_the_policy_says_and_the_strongest() {
    let memory = memory_with("version: 2\nlinks: {auto: 1, min: 0.6}\n");
    memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
    assert_eq!(relations(&memory, "facts/project.md"), DEPLOYS[..1]);
}

#[test]
fn two_bullets_have_one_relation_whichever_is_written_again() {
    let memory = memory();
    memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
    assert_eq!(relations(&memory, "facts/project.md"), DEPLOYS);
    // The other end: its relation gets the present strength, and no second one is written back.
    let at = address(&memory, "user", "Deploys run");
    memory.run(["--as", "claude", "update", &at, "Deploys need Friday reviews"]).exit(0);
    assert_eq!(
        relations(&memory, "facts/user.md"),
        ["- related_to [[facts/project#^mcf39408]] <!-- mem upd=2026-02-24 w=1.00 -->"]
    );
    let project = relations(&memory, "facts/project.md");
    assert_eq!(project.len(), 2, "{project:?}");
    assert!(project[1].starts_with("- related_to [[facts/user#^mbf9915c]]"), "{project:?}");
    assert!(!project[1].ends_with("w=0.67 -->"), "{project:?}");
}

#[test]
fn an_update_drops_what_is_no_longer_similar() {
    let memory = memory();
    memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
    let at = address(&memory, "project", "Friday deploys need two");
    memory.run(["--as", "claude", "update", &at, "Likes black tea"]).exit(0);
    let tea = relations(&memory, "facts/project.md");
    assert_eq!(tea.len(), 1, "{tea:?}");
    assert!(tea[0].starts_with("- related_to [[facts/user#^"), "{tea:?}");
    let at = address(&memory, "project", "Likes black tea");
    memory.run(["--as", "claude", "update", &at, "Plays the oboe"]).exit(0);
    assert_eq!(relations(&memory, "facts/project.md"), Vec::<String>::new());
    assert!(text(&memory, "facts/project.md").ends_with("- Plays the oboe\n"));
}

#[test]
fn relations_go_with_their_bullet_and_follow_a_moved_file() {
    let memory = memory();
    memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
    memory.run(["mv", "facts/user.md", "facts/person.md"]).exit(0);
    assert!(relations(&memory, "facts/project.md")[1].contains("[[facts/person#^mbf9915c]]"));
    let at = address(&memory, "project", "Friday deploys need two");
    memory.run(["rm", &at]).exit(0);
    assert_eq!(text(&memory, "facts/project.md").matches("related_to").count(), 0);
}

#[test]
fn a_relation_is_no_item_and_brings_its_target() {
    let memory = memory();
    memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
    // The words of a relation are found nowhere.
    memory.run(["query", "related facts"]).exit(0).stdout("");
    assert!(!memory.done(["context"]).stdout.contains("related_to"));
    insta::assert_snapshot!(memory.run(["query", "two"]).exit(0).stdout, @r"
    facts/project.md: Project (2026-02-24)
    @vg3k Friday deploys need two reviews
    facts/project.md: Project
    @qxtw ^mcf39408 The Friday deploys need a review  ← facts/project.md@vg3k related_to
    facts/user.md: User
    @kfp2 ^mbf9915c Deploys run on Fridays after a review  ← facts/project.md@vg3k related_to
    1 of 1 item and 2 linked, 80 tokens; whole texts: --full
    ");
    // What a filter removes does not come along.
    let kept = memory.run(["query", "two", "--in", "facts/project.md"]).exit(0).stdout;
    assert!(!kept.contains("facts/user.md:"), "{kept}");
    let tight = memory.run(["query", "two", "-b", "54"]).exit(0).stdout;
    assert!(tight.contains("two reviews") && !tight.contains("linked"), "{tight}");
}

#[test]
fn strength_weighs_the_boost() {
    let boost = |w: &str| {
        let text = format!("# A\n\n- tea is green\n  - related_to [[b#^m1]]\n    <!-- mem w={w} -->\n");
        let memory = Memory::new().file("facts/a.md", &text).file("facts/b.md", "# B\n\n- tea is black ^m1\n");
        let answer = memory.run(["query", "tea", "--explain", "--json"]).exit(0).json();
        let items = answer["items"].as_array().unwrap().clone();
        let part = |item: &Value| item["parts"].as_array().unwrap().iter().find(|p| p["term"] == "(link)").cloned();
        items.iter().filter_map(|item| part(item)?["score"].as_f64()).fold(0.0, f64::max)
    };
    let (weak, strong) = (boost("0.20"), boost("1.00"));
    assert!(weak > 0.0 && (strong / weak - 5.0).abs() < 0.6, "{weak} {strong}");
}

#[test]
fn nothing_is_related_to_what_another_agent_may_not_see() {
    let policy = format!("{POLICY}allowlists:\n  coach: [project]\n  planner: [user, project]\n");
    let memory = memory_with(&policy);
    memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
    assert_eq!(relations(&memory, "facts/project.md"), DEPLOYS[..1]);
    assert_eq!(text(&memory, "facts/user.md"), USER);
    // A restricted agent relates within the file that it changes.
    let memory = memory_with(&policy);
    memory.run(["--as", "coach", "add", "project", "Friday deploys need two reviews"]).exit(0);
    assert_eq!(relations(&memory, "facts/project.md"), DEPLOYS[..1]);
}

#[test]
fn a_large_batch_is_an_import_and_is_not_related() {
    let memory = memory();
    let texts: Vec<String> = (0..21).map(|n| format!("Friday deploys need {n} reviews")).collect();
    let args = ["--as", "claude", "add", "project"].into_iter().map(str::to_owned).chain(texts);
    memory.run(args.collect::<Vec<_>>()).exit(0);
    assert_eq!(relations(&memory, "facts/project.md"), Vec::<String>::new());
}

#[test]
fn relations_are_no_statements() {
    let memory = memory_with("version: 2\nlinks: {auto: 3, min: 0.4}\n");
    memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
    memory.run(["--as", "claude", "add", "project", "Friday deploys need three reviews and green tea"]).exit(0);
    assert!(relations(&memory, "facts/project.md").len() > 3);
    memory.run(["check", "--writing", "--strict"]).exit(0);
    let figures = memory.done(["stats", "--csv"]).stdout;
    assert!(figures.lines().any(|line| line == "items,bullets in facts/,,,5"), "{figures}");
    memory.put("talk.md", "User: We deploy on Fridays.\n\nAssistant: Noted.\n");
    let prompt = memory.done(["reflect", "--show-prompt", "memory/talk.md"]).stdout;
    assert!(prompt.contains("three reviews") && !prompt.contains("related_to"), "{prompt}");
}

#[test]
fn a_relation_to_what_was_removed_is_reported() {
    let memory = memory();
    memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
    memory.put("facts/user.md", "# User\n\n- Likes green tea\n");
    let ran = memory.run(["check"]).ends();
    assert_eq!(ran.status, 6, "{ran}");
    ran.stdout_contains("dangling_link");
    memory.put("facts/user.md", USER);
    for removed in ["user", "user@1"] {
        let memory = self::memory();
        memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
        memory.done(["rm", removed, "-f"]);
        assert_eq!(relations(&memory, "facts/project.md").len(), 1, "{removed}");
        memory.run(["check"]).exit(0);
    }
}

#[test]
fn relations_follow_a_moved_bullet_and_go_with_a_removed_one() {
    let memory = memory();
    memory.run(["--as", "claude", "add", "project", "Friday deploys need two reviews"]).exit(0);
    let two = relations(&memory, "facts/project.md");
    assert_eq!(two.len(), 2, "{two:?}");
    memory.put("facts/notes.md", "# Notes\n\n- See [[user#^mbf9915c|deploys]] and [them](user.md#^mbf9915c)\n");
    let deploys = address(&memory, "user", "Deploys run");
    memory.done(["mv", &deploys, "people"]);
    assert!(relations(&memory, "facts/project.md")[1].contains("[[facts/people#^mbf9915c]]"));
    let notes = text(&memory, "facts/notes.md");
    assert!(notes.contains("[[people#^mbf9915c|deploys]] and [them](people.md#^mbf9915c)"), "{notes}");
    memory.run(["check"]).exit(0);
    memory.put("facts/notes.md", "# Notes\n\n- Nothing\n");
    memory.done(["rm", &address(&memory, "people", "Deploys run")]);
    assert_eq!(relations(&memory, "facts/project.md"), two[..1], "the other relation stays");
    memory.run(["check"]).exit(0);
    // One revision.
    memory.done(["undo"]);
    assert_eq!(relations(&memory, "facts/project.md").len(), 2);
    // Within its file, too, and with the bullet itself.
    memory.done(["rm", &address(&memory, "project", "The Friday deploys")]);
    assert_eq!(relations(&memory, "facts/project.md").len(), 1);
    memory.done(["rm", &address(&memory, "project", "Friday deploys need two")]);
    assert_eq!(relations(&memory, "facts/project.md"), Vec::<String>::new());
}
