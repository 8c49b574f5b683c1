//! Links from outside: who links to a file, links that lead nowhere, linked items of an answer.

use serde_json::Value;

use crate::support::{Memory, handle};

const USER: &str = "# User\n\n- Lives in Austin\n\n## Work {#job}\n\n- Standup at ten\n";
const PROJECT: &str =
    "# Project\n\n- owned_by [[user]] (since May)\n- Ana showed [the plan](user.md#work) to all\n- Uses Bun\n";
const FEBRUARY: &str =
    "# 2026-02 Episodes\n\n## Move\n- Date: 2026-02-20\n\nWe moved, see [[facts/user#Work|her work]].\n";

fn memory() -> Memory {
    Memory::new()
        .file("facts/user.md", USER)
        .file("facts/project.md", PROJECT)
        .file("episodes/2026-02.md", FEBRUARY)
        .file("facts/code.md", "# Code\n\n- `[[user]]` is a link\n\n```\n[[user]]\n```\n")
        .file("archive/facts/old.md", "- knew [[user]]\n")
}

#[test]
fn the_list_of_a_file_ends_with_its_backlinks() {
    let memory = memory();
    insta::assert_snapshot!(memory.run(["list", "user"]).exit(0).quiet().unchanged().stdout, @r"
    facts/user.md: User
    @qe2f Lives in Austin
    ## work ^job (1)
    ← episodes/2026-02.md#move → #Work: We moved, see [[facts/user#Work|her work]].
    ← facts/project.md@d8j0 owned_by
    ← facts/project.md@bw1b → #work: Ana showed [the plan](user.md#work) to all
    ");
    let section = memory.run(["list", "user#work"]).exit(0).quiet();
    assert_eq!(section.stdout.matches('←').count(), 2, "{section}");
    let section = section.stdout_contains("← facts/project.md@bw1b → #work: Ana showed");
    assert!(!section.stdout.contains("owned_by"), "{section}");
    memory.run(["list", "project"]).exit(0).stdout(&memory.done(["list", "project"]).stdout);
    assert!(!memory.done(["list", "project"]).stdout.contains('←'));
    assert!(!memory.done(["list"]).stdout.contains('←'));
    assert!(!memory.done(["bullet", "list", "user"]).stdout.contains('←'));
    let answer = memory.run(["list", "user", "--json"]).exit(0).json();
    let of = |i: usize, key: &str| answer["backlinks"][i][key].as_str();
    let owned = handle("owned_by [[user]] (since May)");
    assert_eq!(of(0, "address"), Some("episodes/2026-02.md#move"));
    assert_eq!((of(0, "part"), of(0, "handle")), (Some("Work"), None));
    assert_eq!(of(1, "address"), Some(&*format!("facts/project.md@{owned}")));
    assert_eq!((of(1, "relation"), of(1, "handle")), (Some("owned_by"), Some(&*owned)));
    assert_eq!((of(2, "relation"), of(2, "part")), (None, Some("work")));
    assert_eq!(answer["backlinks"].as_array().unwrap().len(), 3);
    memory.run(["read", of(1, "address").unwrap()]).exit(0).stdout_contains("owned_by");
    let one = memory.run(["list", "user", "--json", "-L", "3"]).exit(0).json();
    assert_eq!((one["backlinks"].as_array().unwrap().len(), &one["more"]), (1, &Value::from(2)));
}

#[test]
fn many_backlinks_are_counted_not_all_shown() {
    let memory = (0..30).fold(Memory::new().file("facts/user.md", USER), |memory, n| {
        memory.file(&format!("facts/f{n:02}.md"), &format!("- knows [[user]]\n- fact {n}\n"))
    });
    let plain = memory.run(["list", "user"]).exit(0);
    assert_eq!(plain.stdout.matches("← facts/f").count(), 10, "{plain}");
    assert!(plain.stdout.ends_with("← and 20 more; use -v to show all\n"), "{plain}");
    assert_eq!(memory.done(["list", "user", "-v"]).stdout.matches("← facts/f").count(), 30);
    assert_eq!(memory.done(["list", "user", "--json"]).json()["backlinks"].as_array().unwrap().len(), 30);
}

#[test]
fn of_two_files_with_one_name_only_the_resolved_one_is_linked() {
    let memory = Memory::new()
        .file("facts/user.md", "- a\n")
        .file("notes/user.md", "- b\n")
        .file("facts/x.md", "- knows [[user]]\n- has [[notes/user]]\n");
    let links = |file: &str| {
        let answer = memory.run(["list", file, "--json"]).exit(0).json();
        let rows = answer["backlinks"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|b| b["relation"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(links("user"), ["knows"]);
    assert_eq!(links("notes/user.md"), ["has"]);
}

#[test]
fn broken_links_are_reported_with_their_position() {
    let memory = memory().file(
        "facts/see.md",
        "# See\n\n- [[user]] [[user|me]] [[User.md]] [[user#work]] [[user#job|at work]] [[#see]]\n\
         - [[usr]] [[user#play]] [[#nothing]] [[user#^m1]]\n\
         - [a](user.md#work) [b](../episodes/2026-02.md) [c](usr.md) [d](user.md#play) [e](user.md#L4)\n\
         - `[[gone]]` \\[[gone]] ![[picture.png]] [f](https://x.y/gone.md)\n\n```\n[[gone]]\n```\n\n    [[gone]]\n\n<!-- [[gone]] -->\n",
    );
    let answer = memory.run(["check", "--json"]).ends();
    assert_eq!(answer.status, 6, "{answer}");
    let answer = answer.json();
    let found: Vec<(i64, i64, &str)> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            assert_eq!((f["code"].as_str(), f["path"].as_str()), (Some("dangling_link"), Some("facts/see.md")), "{f}");
            (f["line"].as_i64().unwrap(), f["col"].as_i64().unwrap(), f["text"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        found,
        [
            (4, 5, "no file named 'usr'"),
            (4, 13, "facts/user.md has no section, bullet or anchor 'play'"),
            (4, 27, "facts/see.md has no section, bullet or anchor 'nothing'"),
            (4, 40, "facts/user.md has no section, bullet or anchor '^m1'"),
            (5, 53, "no file named 'usr.md'"),
            (5, 65, "facts/user.md has no section, bullet or anchor 'play'"),
        ]
    );
}

fn shown(answer: &Value) -> Vec<(&str, Option<&str>)> {
    let rows = answer["items"].as_array().unwrap().iter();
    rows.map(|i| (i["text"].as_str().unwrap(), i["linked"]["with"].as_str())).collect()
}

#[test]
fn linked_items_are_included_only_on_request_and_are_marked() {
    let memory = memory();
    let plain = memory.run(["query", "owned", "--json"]).exit(0).json();
    assert_eq!(shown(&plain), [("owned_by [[user]] (since May)", None)]);
    assert_eq!(plain["linked"], Value::Null);
    let ran = memory.run(["query", "owned", "--linked"]).exit(0).quiet();
    insta::assert_snapshot!(ran.stdout, @r"
    facts/project.md: Project
    @d8j0 owned_by [[user]] (since May)
    facts/user.md: User
    @qe2f Lives in Austin  ← facts/project.md@d8j0 owned_by
    1 of 1 item and 1 linked, 42 tokens; whole texts: --full
    ");
    let answer = memory.run(["query", "owned", "--linked", "--json"]).exit(0).json();
    let with = format!("facts/project.md@{}", handle("owned_by [[user]] (since May)"));
    assert_eq!(shown(&answer), [("owned_by [[user]] (since May)", None), ("Lives in Austin", Some(&*with))]);
    let tie = &answer["items"][1]["linked"];
    assert_eq!((tie["direction"].as_str(), tie["relation"].as_str()), (Some("from"), Some("owned_by")));
    assert_eq!((&answer["shown"], &answer["found"], &answer["linked"]), (&1.into(), &1.into(), &1.into()));
}

#[test]
fn the_best_matching_item_of_a_linked_file_is_included() {
    let memory = Memory::new()
        .file("facts/a.md", "- boat plan for the summer, see [[b]]\n")
        .file("facts/b.md", "# B\n\n- first thing\n- boat thing\n");
    let linked = |words: &[&str]| {
        let answer = memory.run([&["query", "boat plan", "--linked", "--json"], words].concat()).exit(0).json();
        let rows = shown(&answer).into_iter().filter(|(_, with)| with.is_some());
        rows.map(|(text, _)| text.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(linked(&["-L", "1"]), ["boat thing"]);
    assert_eq!(linked(&[]), ["first thing"]);
}

#[test]
fn items_linking_to_a_result_are_included_two_at_most() {
    let memory = memory();
    let answer = memory.run(["query", "standup", "--linked", "--json"]).exit(0).json();
    let found = shown(&answer);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[0], ("Standup at ten", None));
    assert_eq!(answer["items"][1]["linked"]["direction"], "to");
    assert!(found[1].0.starts_with("We moved") && found[2].0.starts_with("owned_by"), "{found:?}");
}

#[test]
fn linked_items_pass_the_filters_and_keep_to_the_bounds() {
    let memory = memory()
        .file("facts/user.md", &format!("- Left in May\n  <!-- mem exp=2026-02-23 -->\n{}", &USER[8..]))
        .file("procedures/p.md", "- after [[project]]\n");
    let texts = |words: &[&str]| {
        let answer = memory.run([&["query", "--linked", "--json"], words].concat()).exit(0).json();
        shown(&answer).iter().map(|(text, _)| (*text).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&["owned"]), ["owned_by [[user]] (since May)", "Lives in Austin"]);
    assert_eq!(texts(&["owned", "--in", "project"]), ["owned_by [[user]] (since May)"]);
    assert_eq!(texts(&["bun", "--all"]), ["Uses Bun", "after [[project]]"]);
    assert_eq!(texts(&["owned", "-L", "1"]).len(), 2);
    for budget in [40, 60, 80, 120, 400] {
        let ran = memory.run(["query", "standup", "--linked", "-b", &budget.to_string()]).exit(0);
        assert!(memdir::text::llm_tokens::estimate_llm_tokens(&ran.stdout) <= budget, "{budget}\n{ran}");
    }
    let wide = memory.run(["query", "standup", "--linked", "-b", "120"]).exit(0);
    assert!(wide.stdout.contains("linked, "), "{wide}");
}

#[test]
fn only_the_link_lifts_an_item() {
    let lights = "- harbour, see the map\n";
    let order = |link: &str| {
        let memory = Memory::new()
            .file("facts/a.md", lights)
            .file("facts/b.md", lights)
            .file("facts/plan.md", &format!("- harbour lights plan, ready in May {link}\n"));
        let answer = memory.run(["query", "harbour lights plan", "--json"]).exit(0).json();
        let paths = answer["items"].as_array().unwrap().iter().map(|i| i["path"].as_str().unwrap().to_owned());
        paths.collect::<Vec<_>>()
    };
    assert_eq!(order("(x y)"), ["facts/plan.md", "facts/a.md", "facts/b.md"]);
    assert_eq!(order("[[b]]"), ["facts/plan.md", "facts/b.md", "facts/a.md"]);
}

#[test]
fn an_update_keeps_the_id_in_a_bullets_text() {
    let memory = Memory::new()
        .file("facts/server.md", "# Server\n\n- Runs on port 80 ^srv\n- Wraps\n  its line ^wrap\n")
        .file("facts/other.md", "# Other\n\n- see [[server#^srv]] and [[server#^wrap]]\n");
    let update = |old: &str, new: &str| memory.done(["update", &format!("server@{}", handle(old)), new]);
    update("Runs on port 80 ^srv", "Runs on port 81");
    update("Wraps its line ^wrap", "Is short");
    assert_eq!(
        memory.text("facts/server.md").unwrap().lines().filter(|line| line.starts_with("- ")).collect::<Vec<_>>(),
        ["- Runs on port 81 ^srv", "- Is short ^wrap"]
    );
    memory.done(["check", "other"]).stderr_contains("no findings");
    // The same text is no change, and an id of the new text replaces the old one.
    memory.run(["update", "server", "Runs on port 81 ^srv", "Runs on port 81"]).exit(0).unchanged();
    memory.done(["update", "server", "Runs on port 81 ^srv", "Runs on port 82 ^web"]);
    assert!(memory.text("facts/server.md").unwrap().contains("- Runs on port 82 ^web\n"));
}
