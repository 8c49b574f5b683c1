//! Layers: memories that the user config names are read together; changes go to the nearest, or where an address says.

mod changes;

use fs_err as fs;
use serde_json::{Value, json};

use crate::hooks::Project;
use crate::leaks::{Planted, ROWS, SECRETS, walk};
use crate::support::{ProgramOutput, handle};

/// Where the user's own memory is in the home of a test.
const MINE: &str = ".local/share/memdir";

/// A project with a memory and one of the user's own, both trusted, and a config with these layers.
fn layered(layers: &str) -> Project {
    let project = Project::new();
    project.put(&format!("{MINE}/memdir.yaml"), "version: 1\n");
    project.put(
        &format!("{MINE}/facts/style.md"),
        "# Style\n\n- Indent with tabs in every language\n- Commit messages are written in English\n",
    );
    project.put("work/memory/facts/style.md", "# Style\n\n- Name tests after what went wrong\n");
    configure(&project, layers, true);
    project
}

fn configure(project: &Project, layers: &str, trusts_mine: bool) {
    let mut trusted = vec![project.memory()];
    trusted.extend(trusts_mine.then(|| project.home.path().join(MINE)));
    let config = format!("people: [tester]\ntrusted: {}\nlayers: {layers}\n", json!(trusted));
    project.put(".config/memdir/config.yaml", &config);
}

#[track_caller]
fn run(project: &Project, words: &[&str]) -> ProgramOutput {
    project.run(words)
}

#[track_caller]
fn done(project: &Project, words: &[&str]) -> String {
    let output = run(project, words);
    assert_eq!(output.status, 0, "{words:?} {output:#?}");
    output.stdout
}

fn mine(project: &Project, path: &str) -> String {
    fs::read_to_string(project.home.path().join(MINE).join(path)).unwrap_or_default()
}

const TABS: &str = "Indent with tabs in every language";

#[test]
fn reads_merge_all_layers_and_name_them() {
    let project = layered("[project, mine]");
    let at = format!("mine:facts/style.md@{}", handle(TABS));
    let context = done(&project, &["context"]);
    let line = |path: &str, text: &str| format!("\n{path}:\n- @{} {text}\n", handle(text));
    assert!(context.contains(&line("mine:facts/style.md", TABS)), "{context}");
    assert!(context.contains(&line("facts/style.md", "Name tests after what went wrong")), "{context}");
    assert!(!context.contains("More memory"), "everything is shown\n{context}");
    let near = context.find("Name tests").unwrap();
    assert!(near < context.find("Indent with").unwrap(), "the nearest first\n{context}");
    let index = done(&project, &["context", "--style", "index"]);
    assert!(index.contains("- mine:facts/style.md (") && index.contains("- facts/style.md ("), "{index}");
    let list = done(&project, &["list"]);
    assert!(list.contains("mine:facts/style.md") && list.contains("facts/user.md"), "{list}");
    let found: Value = serde_json::from_str(&done(&project, &["query", "indent", "--json"])).unwrap();
    assert_eq!(found["items"][0]["address"], at, "{found}");
    assert_eq!(done(&project, &["read", &at]), format!("- {TABS}\n"));
    assert!(done(&project, &["list", "mine:style"]).contains(TABS));
    assert!(done(&project, &["list", "project:style"]).contains("Name tests"));
    // From another directory, the user's own memory is the only layer.
    project.put("elsewhere/x", "");
    let start = project.home.path().join("elsewhere");
    let alone = done(&project, &["-C", start.to_str().unwrap(), "context"]);
    assert!(alone.contains(&line("facts/style.md", TABS)) && !alone.contains("Name tests"), "{alone}");
}

#[test]
fn an_anchor_is_compared_in_the_repository_of_its_layer() {
    let project = layered("[project, mine]");
    project.put("work/.git/HEAD", "ref: refs/heads/main\n");
    project.put("work/a.sh", "project\n");
    project.put(".local/share/.git/HEAD", "ref: refs/heads/main\n");
    project.put(".local/share/a.sh", "mine\n");
    project.put(&format!("{MINE}/facts/code.md"), "# Code\n\n- The script says mine\n  <!-- mem when=src/** -->\n");
    let at = format!("mine:code@{}", handle("The script says mine"));
    done(&project, &["set", &at, "anchor=a.sh:1"]);
    let edit =
        json!({"session_id": "s", "cwd": project.work(), "tool_name": "Edit", "tool_input": {"file_path": "src/a.rs"}});
    let shown = |session: &str| {
        let mut edit = edit.clone();
        edit["session_id"] = session.into();
        let hook = project.hook(&["pre-tool", "--host", "claude"], edit.to_string().as_bytes());
        assert!(hook.contains("The script says mine"), "{hook}");
        [hook, done(&project, &["context"])].map(|text| text.contains("The script says mine (a.sh:1 changed)"))
    };
    assert_eq!(shown("a"), [false, false]);
    project.put(".local/share/a.sh", "other\n");
    assert_eq!(shown("b"), [true, true]);
}

#[test]
fn changes_go_to_the_nearest_layer_or_to_the_one_that_is_named() {
    for (layers, is_project) in [("[project, mine]", true), ("[mine, project]", false)] {
        let project = layered(layers);
        done(&project, &["add", "user", "Likes rain"]);
        assert_eq!(project.facts().contains("Likes rain"), is_project);
        assert_eq!(mine(&project, "facts/user.md").contains("Likes rain"), !is_project);
    }
    let project = layered("[project, mine]");
    let at = format!("mine:style@{}", handle(TABS));
    let changed = done(&project, &["update", &at, "Indent with spaces in every language"]);
    assert!(changed.contains("mine:facts/style.md  r1"), "{changed}");
    assert!(mine(&project, "facts/style.md").contains("with spaces"));
    let undone = done(&project, &["undo", "mine:r1"]);
    assert!(undone.starts_with("undone mine:r1\n") && undone.contains("mine:facts/style.md"), "{undone}");
    assert!(mine(&project, "facts/style.md").contains("with tabs"));
    done(&project, &["add", "user", "Likes rain"]);
    done(&project, &["add", "mine:user", "Likes snow"]);
    done(&project, &["undo"]);
    assert!(!project.facts().contains("Likes rain") && mine(&project, "facts/user.md").contains("Likes snow"));
    done(&project, &["undo", "mine:"]);
    assert!(!mine(&project, "facts/user.md").contains("Likes snow"));
    assert!(done(&project, &["redo", "mine:"]).contains("mine:facts/user.md"));
    assert!(mine(&project, "facts/user.md").contains("Likes snow"));
    // One batch, one memory.
    let before = (project.facts(), mine(&project, "facts/style.md"));
    let batch = json!({"operations": [{"op": "add", "at": "user", "text": "a"},
        {"op": "add", "at": "mine:user", "text": "b"}]});
    project.put("batch.json", &batch.to_string());
    let file = project.home.path().join("batch.json");
    let refused = run(&project, &["apply", "-F", file.to_str().unwrap()]);
    assert!(refused.status == 2 && refused.stderr.contains("names one layer"), "{refused:#?}");
    assert_eq!((project.facts(), mine(&project, "facts/style.md")), before);
}

#[test]
fn history_and_checks_of_a_layer_and_its_errors_name_it() {
    let project = layered("[project, mine]");
    let at = format!("mine:style@{}", handle(TABS));
    let new = "Indent with spaces in every language";
    done(&project, &["update", &at, new]);
    done(&project, &["add", "user", "Likes rain"]);
    let log = done(&project, &["log", "mine:"]);
    assert!(log.contains("mine:r1 ") && log.contains("mine:facts/style.md") && !log.contains("user.md"), "{log}");
    assert_eq!(done(&project, &["log", "mine:style"]).lines().next(), log.lines().next());
    let life = done(&project, &["log", &format!("mine:style@{}", handle(new))]);
    assert!(life.contains("mine:r1") && life.contains(TABS), "{life}");
    let shown = done(&project, &["show", "mine:r1"]);
    assert!(shown.starts_with("mine:r1 ") && shown.contains(&format!("- @{} {TABS}", handle(TABS))), "{shown}");
    let rows: Value = serde_json::from_str(&done(&project, &["--json", "log", "mine:"])).unwrap();
    assert_eq!(
        (&rows["entries"][0]["rev"], &rows["entries"][0]["files"][0]),
        (&json!("mine:r1"), &json!("mine:facts/style.md"))
    );
    assert_eq!(done(&project, &["log", "--all", "mine:"]), log);
    done(&project, &["add", "mine:style", "Two blanks never"]);
    let diff = done(&project, &["diff", "mine:r1", "--bullets"]);
    assert!(diff.contains("mine:facts/style.md") && diff.contains("Two blanks never"), "{diff}");
    // What an error proposes works as it stands.
    let refused = run(&project, &["rm", &at]);
    let try_line = format!("try: memdir read mine:facts/style.md@{}", handle(new));
    assert!(refused.status == 4 && refused.stderr.contains(&try_line), "{refused:#?}");
    assert!(refused.stderr.contains("bullet_changed: in the layer mine: "), "{refused:#?}");
    for words in [&["rm", "mine:style@zzzz"][..], &["mv", "mine:style@zzzz", "project"], &["undo", "mine:r9"]] {
        let refused = run(&project, words);
        assert!(refused.status == 3 && refused.stderr.contains("in the layer mine: "), "{refused:#?}");
        let proposed: Vec<&str> = refused.stderr.lines().filter_map(|line| line.strip_prefix("try: ")).collect();
        assert!(proposed.iter().all(|line| line.contains("mine:") || *line == "memdir log"), "{proposed:?}");
    }
    // `check` of a file of a layer checks that file.
    project.put(&format!("{MINE}/facts/bad.md"), "# Bad\n\n- City: Paris\n- City: Berlin\n");
    let found = run(&project, &["check", "mine:bad", "--strict"]);
    assert!(found.status == 6 && found.stdout.contains("mine:facts/bad.md:4:"), "{found:#?}");
    let several = run(&project, &["check", "mine:bad", "user"]);
    assert!(several.status == 2 && several.stderr.contains("several layers"), "{several:#?}");
}

#[test]
fn layers_that_are_named_twice_or_lie_in_one_another_are_left_out() {
    let project = layered("[project, mine]");
    project.put("work/memory/old/memdir.yaml", "version: 1\n");
    project.put("work/memory/old/facts/a.md", "# A\n\n- Old one\n");
    let inner = format!("[project, {}]", project.memory().join("old").display());
    for (layers, problem) in [
        ("[project, mine, mine]", "the layer mine is listed twice"),
        ("[project, ~/.local/share/memdir, mine]", "the layer memdir is listed twice"),
        (inner.as_str(), "the layer old is left out: it and the layer project lie in one another"),
    ] {
        configure(&project, layers, true);
        let list = run(&project, &["list"]);
        assert!(list.stderr.contains(&format!("memdir: {problem}")), "{layers}: {list:#?}");
        assert!(!list.stdout.contains("old:"), "{list:#?}");
        assert!(done(&project, &["context"]).contains(problem), "{layers}");
    }
}

#[test]
fn a_bullet_is_promoted_and_each_half_can_be_undone() {
    let project = layered("[project, mine]");
    let text =
        "# Style\n\n## Commits\n\n- Sign off every commit\n  <!-- mem imp=8 -->\n  - with the address of the work\n";
    project.put(&format!("{MINE}/facts/style.md"), text);
    let at = format!("mine:style@{}", handle("Sign off every commit"));
    let style = || fs::read_to_string(project.memory().join("facts/style.md")).unwrap();
    let (before, before_mine) = (style(), mine(&project, "facts/style.md"));
    assert!(done(&project, &["mv", "-n", &at, "project"]).contains("Sign off"));
    assert_eq!((style(), mine(&project, "facts/style.md")), (before.clone(), before_mine.clone()));
    let moved = run(&project, &["mv", &at, "project"]);
    assert_eq!(moved.status, 0, "{moved:#?}");
    assert!(moved.stdout.contains("project:facts/style.md") && moved.stdout.contains("mine:facts/style.md"));
    assert!(moved.stderr.contains("memdir undo r1; memdir undo mine:r1"), "{moved:#?}");
    let promoted = "## Commits\n\n- Sign off every commit\n  <!-- mem imp=8 -->\n  - with the address of the work\n";
    assert!(style().ends_with(promoted), "{}", style());
    assert!(!mine(&project, "facts/style.md").contains("Sign off"));
    let undone = run(&project, &["undo"]);
    let other_half = "r1 was half of a move; to take the other half back: memdir undo mine:r1";
    assert!(undone.status == 0 && undone.stderr.contains(other_half), "{undone:#?}");
    done(&project, &["undo", "mine:r1"]);
    assert_eq!((style(), mine(&project, "facts/style.md")), (before, before_mine.clone()));
    // A place may be named, and a bullet may go the other way.
    done(&project, &["mv", &at, "project:rules"]);
    assert!(fs::read_to_string(project.memory().join("facts/rules.md")).unwrap().contains("Sign off"));
    let back = format!("rules@{}", handle("Sign off every commit"));
    done(&project, &["mv", &back, "mine:style"]);
    assert!(mine(&project, "facts/style.md").contains("Sign off"));
    // Only bullets move between layers, and what is refused there stays here.
    assert_eq!(run(&project, &["mv", "mine:style", "project"]).status, 2);
    project.put("work/memory/memdir.yaml", "version: 1\nlimits:\n  - {at: facts/*.md, bullets: 1}\n");
    let at = format!("mine:style@{}", handle("Sign off every commit"));
    let before = (style(), mine(&project, "facts/style.md"));
    assert_ne!(run(&project, &["mv", &at, "project"]).status, 0);
    assert_eq!((style(), mine(&project, "facts/style.md")), before);
}

/// An agent does not carry a sensitive field from one memory to another, in either direction, and leaves nothing behind.
#[test]
fn a_sensitive_bullet_moves_to_another_layer_with_consent_only() {
    let project = layered("[project, mine]");
    project.put(&format!("{MINE}/facts/user.md"), "# User\n\n- City: Bonn\n- Likes jazz\n");
    project.put("work/memory/facts/user.md", "# User\n\n- City: Cork\n");
    let shared = || fs::read_to_string(project.memory().join("facts/user.md")).unwrap();
    let before = (shared(), mine(&project, "facts/user.md"));
    let city = format!("mine:user@{}", handle("City: Bonn"));
    for (at, to, from) in [
        (city.clone(), "project", "mine"),
        (city.clone(), "project:notes", "mine"),
        (format!("user@{}", handle("City: Cork")), "mine:user", "project"),
    ] {
        let refused = run(&project, &["--as", "planner", "mv", &at, to]);
        assert_eq!((refused.status, refused.stdout.as_str()), (5, ""), "{refused:#?}");
        let why = format!("memdir: consent: city leaves {from} only with the user's consent; nothing was changed");
        assert!(refused.stderr.contains(&why), "{refused:#?}");
        assert_eq!((shared(), mine(&project, "facts/user.md")), before);
        assert_eq!((mine(&project, "inbox"), project.memory().join("inbox").exists()), (String::new(), false));
    }
    // The target's policy counts, too.
    project.put(&format!("{MINE}/memdir.yaml"), "version: 1\nsensitive: [pronouns]\n");
    let refused = run(&project, &["--as", "planner", "mv", &city, "project"]);
    assert!(refused.stderr.contains("city enters project only with the user's consent"), "{refused:#?}");
    assert_eq!((shared(), mine(&project, "facts/user.md")), before);
    assert!(!project.memory().join("inbox").exists());
    done(&project, &["--as", "planner", "mv", &format!("mine:user@{}", handle("Likes jazz")), "project"]);
    done(&project, &["--as", "planner", "mv", &city, "project", "--consent", "Yes, please remember that."]);
    assert!(shared().contains("City: Bonn"));
}

#[test]
fn a_nearer_layer_wins_a_contradiction_visibly() {
    let project = layered("[project, mine]");
    project.put("work/memory/facts/style.md", "# Style\n\n- Never indent with tabs in every language\n");
    let [near, far] = ["facts/style.md@", "mine:facts/style.md@"];
    let near = format!("{near}{}", handle("Never indent with tabs in every language"));
    let far = format!("{far}{}", handle(TABS));
    for words in [&["context"][..], &["context", "--stable"]] {
        let context = done(&project, words);
        let (path, place) = near.split_at(near.find('@').unwrap());
        let line = format!("{path}:\n- {place} Never indent with tabs in every language (overrules {far})\n");
        assert!(context.contains(&line) && !context.contains(&format!(" {TABS}\n")), "{context}");
    }
    let found = done(&project, &["query", "indent", "tabs"]);
    assert!(found.contains(&format!("{TABS} (overruled by {near})")), "{found}");
    let input = json!({"session_id": "s", "cwd": project.work(), "prompt": "indent the language files with tabs"});
    let shown = project.hook(&["user-prompt"], input.to_string().as_bytes());
    assert!(!shown.contains(&far) && !shown.contains(&format!(": {TABS}")), "{shown}");
    // The other way around.
    configure(&project, "[mine, project]", true);
    let context = done(&project, &["context"]);
    assert!(context.contains("(overrules project:facts/style.md@") && !context.contains("Never indent"), "{context}");
}

#[test]
fn what_is_wrong_with_the_policy_of_a_layer_is_reported() {
    let project = layered("[project, mine]");
    project.put(&format!("{MINE}/memdir.yaml"), "version: 1\nlimits: [\n");
    for words in [&["list"][..], &["query", "tabs"], &["context"]] {
        let told = run(&project, words);
        assert!(told.status == 0 && told.stderr.contains("in the layer mine: "), "{words:?} {told:#?}");
        assert!(told.stdout.contains("mine:facts/style.md"), "{words:?} {told:#?}");
    }
}

#[test]
fn a_layer_that_is_missing_or_broken_is_reported_and_left_out() {
    let project = layered("[project, mine, ~/team/memory, relative]");
    project.put("team/x", "");
    let told = run(&project, &["query", "tests"]);
    assert_eq!(told.status, 0, "{told:#?}");
    assert!(told.stderr.contains("the layer team is left out"), "{told:#?}");
    assert!(told.stderr.contains("the layer 'relative' is neither project, mine"), "{told:#?}");
    assert!(done(&project, &["context"]).contains("… the layer team is left out"));
    // A policy that hides nothing knows what it hides: one that cannot be read closes its memory.
    project.put(&format!("{MINE}/memdir.yaml"), "version: 1\nallowlists: [\n");
    let told = run(&project, &["query", "indent"]);
    let is_open = told.stdout.contains(TABS);
    assert!(told.status == 0 && (is_open || told.stderr.contains("the layer mine is left out")), "{told:#?}");
    fs::remove_dir_all(project.home.path().join(MINE)).unwrap();
    let told = run(&project, &["query", "tests"]);
    assert!(told.status == 0 && told.stderr.contains("the layer mine is left out"), "{told:#?}");
    assert!(told.stdout.contains("Name tests"), "{told:#?}");
}

#[test]
fn news_entries_index_and_records_are_those_of_all_layers() {
    let project = layered("[project, mine]");
    let entry = |day: &str, title: &str| format!("# {}\n\n## {title}\n\n- Date: {day}\n- Summary: done\n", &day[..7]);
    project.put("work/memory/episodes/2026-01.md", &entry("2026-01-10", "Tests renamed"));
    project.put(&format!("{MINE}/episodes/2026-02.md"), &entry("2026-02-20", "Moved house"));
    let long: String = (0..90).map(|n| format!("- In week {n} the harbour office counted {n} ships\n")).collect();
    project.put(&format!("{MINE}/facts/ships.md"), &format!("# Ships\n\n{long}"));
    project.put(&format!("{MINE}/procedures/move.md"), "# Move\n\n- Pack\n");
    let context = |words: &[&str]| done(&project, &[&["--as", "ana", "context"][..], words].concat());
    let first = context(&[]);
    assert!(!first.contains("Memory updates"), "{first}");
    for (line, more) in [
        ("- 2026-02-20 Moved house: done (mine:episodes/2026-02.md#moved-house)\n- 2026-01-10 Tests renamed", &first),
        ("… and 1 file with procedures in mine: memdir list mine:procedures\n", &first),
    ] {
        assert!(more.contains(line), "{line}\n{more}");
    }
    assert!(context(&["-b", "600"]).contains("- mine:facts/ships.md ("), "the index names what is left of a layer");
    // News of a layer come once to each reader, and name it.
    done(&project, &["add", "mine:user", "Likes snow"]);
    let told = context(&[]);
    let head = "Memory updates since mine:r0:\n- +created: mine: [user] Likes snow\n";
    assert!(told.starts_with(head), "{told}");
    assert!(!context(&[]).contains("Memory updates"), "once");
    assert!(done(&project, &["--as", "bob", "context"]).contains("Likes snow"));
    done(&project, &["add", "user", "Likes rain"]);
    done(&project, &["add", "mine:user", "Likes fog", "Likes hail", "Likes dew"]);
    let both = context(&["-n"]);
    assert!(both.starts_with("Memory updates since rev 0, mine:r1:\n- +created: [user] Likes rain\n"), "{both}");
    // What is left out may be of either memory.
    assert!(both.contains("\n… and 1 more: memdir log; memdir -g diff --since r1\n"), "{both}");
    let answer: Value = serde_json::from_str(&context(&["--json"])).unwrap();
    assert_eq!(answer["updates"][1]["path"], "mine:facts/user.md", "{answer}");
    assert_eq!((&answer["since"], &answer["more_updates"]), (&json!("r0, mine:r1"), &json!(1)));
    // A layer alone has news: the command shows that layer.
    done(&project, &["add", "mine:user", "Likes ice", "Likes mist", "Likes sun", "Likes wind"]);
    let told = context(&[]);
    assert!(told.contains("… and 1 more: memdir -g diff --since r2\n"), "{told}");
    assert!(done(&project, &["-g", "diff", "--since", "r2"]).contains("Likes wind"));
    // Newest first over all layers, ten of them.
    let records: Value = serde_json::from_str(&context(&["--style", "records", "--json"])).unwrap();
    let addresses: Vec<&str> =
        records["items"].as_array().unwrap().iter().map(|i| i["address"].as_str().unwrap()).collect();
    assert_eq!(addresses.len(), 10, "{records}");
    assert!(
        addresses[0].starts_with("facts/user.md@") && addresses[1].starts_with("mine:facts/user.md@"),
        "{addresses:?}"
    );
    assert_eq!(addresses[9], "mine:episodes/2026-02.md#moved-house", "{addresses:?}");
    assert!(records["text"].as_str().unwrap().contains("… and 95 more: memdir list"), "{records}");
}

#[test]
fn a_layer_that_cannot_be_read_is_reported_and_left_out_by_every_read() {
    let project = layered("[project, mine]");
    fs::create_dir_all(project.home.path().join(MINE).join(".memdir/journal")).unwrap();
    let why = "the layer mine is left out: the journal is a directory";
    for style in ["default", "index", "records"] {
        let context = done(&project, &["context", "--style", style]);
        assert!(context.contains(&format!("… {why}\n")) && !context.contains(TABS), "{style} {context}");
        assert!(context.contains("style.md") || context.contains("Name tests"), "{style} {context}");
    }
    for words in [&["query", "tests", "indent"][..], &["list"]] {
        let told = run(&project, words);
        assert!(told.status == 0 && told.stderr.contains(why), "{words:?} {told:#?}");
        assert!(told.stdout.contains("style.md") && !told.stdout.contains("mine:"), "{words:?} {told:#?}");
        let fields: Value = serde_json::from_str(&done(&project, &[words, &["--json"]].concat())).unwrap();
        assert_eq!(fields["left_out"], json!([why]), "{fields}");
    }
    let prompt = json!({"session_id": "s", "cwd": project.work(), "prompt": "name the tests after what went wrong"});
    let shown = project.hook(&["user-prompt"], prompt.to_string().as_bytes());
    assert!(shown.contains("Name tests after"), "{shown}");
}

#[test]
fn the_news_of_layers_with_long_names_fit_the_least_budget() {
    let names: Vec<String> = ('a'..='d').map(|c| c.to_string().repeat(60)).collect();
    let project =
        layered(&format!("[project, {}]", names.iter().map(|n| format!("~/{n}")).collect::<Vec<_>>().join(", ")));
    let memories: Vec<_> = names.iter().map(|name| project.home.path().join(name)).collect();
    for name in &names {
        project.put(&format!("{name}/memdir.yaml"), "version: 1\n");
        project.put(&format!("{name}/procedures/a.md"), "# A\n\n- b\n");
    }
    let config = format!("people: [tester]\ntrusted: {}\n", json!(memories));
    let layers = fs::read_to_string(project.home.path().join(".config/memdir/config.yaml")).unwrap();
    let layers = layers.lines().find(|line| line.starts_with("layers:")).unwrap().to_owned();
    project.put(".config/memdir/config.yaml", &format!("{config}{layers}\n"));
    for round in 0..2 {
        for budget in ["320", "400", "8000"] {
            let answer: Value =
                serde_json::from_str(&done(&project, &["--as", "ana", "context", "-b", budget, "--json"])).unwrap();
            assert!(answer["tokens"].as_u64() <= budget.parse().ok(), "{answer}");
            for name in &names {
                done(
                    &project,
                    &[
                        "add",
                        &format!("{name}:user"),
                        &format!("round {round} {budget} one"),
                        "two two",
                        "--force",
                        "--quiet",
                    ],
                );
            }
        }
    }
}

#[test]
fn who_names_a_memory_means_that_one_alone() {
    let project = layered("[project, mine]");
    let memory = project.memory();
    for words in [&["-g", "list"][..], &["--dir", memory.to_str().unwrap(), "list"]] {
        let list = done(&project, words);
        assert!(!list.contains("mine:") && !list.contains("project:"), "{list}");
    }
    let mut command = project.command(&["list"]);
    let output = ProgramOutput::of(command.env("MEMDIR", &memory).stdin(std::process::Stdio::null()));
    assert!(!output.stdout.contains("mine:"), "{output:#?}");
    done(&project, &["scope", "add", "app"]);
    done(&project, &["-S", "app", "add", "user", "Likes tea"]);
    let scoped = done(&project, &["-S", "app", "context"]);
    assert!(!scoped.contains(TABS) && scoped.contains("Likes tea"), "{scoped}");
    assert!(!done(&project, &["query", "tea"]).contains("Likes tea"), "a scope stays apart");
    // A policy names no layer.
    project.put(".config/memdir/config.yaml", "people: [tester]\n");
    project.put("work/memory/memdir.yaml", "version: 1\nlayers: [project, mine]\n");
    let output = run(&project, &["list"]);
    assert!(!output.stdout.contains("mine:") && output.stderr.contains("layers"), "{output:#?}");
}

#[test]
fn hooks_read_trusted_layers_only() {
    let project = layered("[project, mine]");
    let input = project.input("claude", "session-start");
    let both = project.hook(&["session-start"], &input);
    assert!(both.contains(TABS) && both.contains("Name tests"), "{both}");
    configure(&project, "[project, mine]", false);
    let one = project.hook(&["session-start"], &input);
    assert!(!one.contains(TABS) && one.contains("Name tests") && one.contains("is not trusted"), "{one}");
    // A clone that is not trusted gets nothing, whatever the layers are.
    for layers in ["[project, mine]", "[mine, project]"] {
        let mine = project.home.path().join(MINE);
        let config = format!("trusted: {}\nlayers: {layers}\n", json!([mine]));
        project.put(".config/memdir/config.yaml", &config);
        for event in ["session-start", "user-prompt", "pre-tool"] {
            assert_eq!(project.hook(&[event], &project.input("claude", event)), "{}\n", "{layers} {event}");
        }
    }
}

#[test]
fn each_layer_shows_a_reader_what_its_own_policy_lets_it_see() {
    let project = layered("[project, mine]");
    project
        .put(&format!("{MINE}/memdir.yaml"), "version: 1\nallowlists:\n  planner: [work]\n  doctor: [health, work]\n");
    project.put(&format!("{MINE}/facts/user.md"), "# User\n\n- [work] Standup at ten\n- [health] Knee hurts\n");
    let at = format!("mine:user@{}", handle("[health] Knee hurts"));
    for words in [
        &["--as", "planner", "context"][..],
        &["--as", "planner", "query", "knee", "standup"],
        &["--as", "planner", "list", "mine:user"],
        &["--as", "planner", "read", "mine:user"],
        &["--as", "planner", "read", &at],
        &["--as", "planner", "mv", &at, "project"],
    ] {
        let output = run(&project, words);
        assert!(!output.stdout.contains("Knee") && !output.stderr.contains("Knee"), "{words:?} {output:#?}");
    }
    assert!(done(&project, &["--as", "planner", "query", "standup"]).contains("Standup at ten"));
    assert!(done(&project, &["--as", "ana", "query", "knee"]).contains("Knee hurts"));
}

/// The leak walk, by an agent that is restricted in a layer and not in the nearest memory.
#[test]
fn a_restricted_agent_is_never_shown_a_secret_of_a_layer() {
    let planted = Planted::in_layer();
    let layer = planted.layer.clone().unwrap();
    let secret = |text: &str| SECRETS.into_iter().find(|secret| text.contains(secret));
    let (tried, wrong) = walk(&planted, ROWS, "planner", |line, ran| {
        let typed = |secret: &str| line.0.iter().chain(&line.1).any(|word| word.contains(secret));
        let shown = [&ran.stdout, &ran.stderr].into_iter().find_map(|text| secret(text)).filter(|found| !typed(found));
        shown.map(|found| format!("shows {found}"))
    });
    assert!(tried > 400, "{tried}");
    assert!(wrong.is_empty(), "{} leak:\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
    // Nor by the history of the layer as a whole.
    let whole = [":", ": -p", ": --all", ": --all -p --json", ": --since r2"].map(|rest| format!("log {layer}{rest}"));
    let diffs = ["", " --bullets", "r2..r5", "r3 --stat"].map(|rest| format!("diff {layer}:{rest}"));
    let logs: Vec<&str> = whole.iter().map(String::as_str).collect();
    let diffs: Vec<&str> = diffs.iter().map(String::as_str).collect();
    let rows: [(&str, &[&str]); 2] = [("log", &logs), ("diff", &diffs)];
    let (_, wrong) = walk(&planted, &rows, "planner", |_, ran| {
        [&ran.stdout, &ran.stderr].into_iter().find_map(|text| secret(text)).map(|found| format!("shows {found}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The same walk without a list finds them, so the layer is read.
    let mut seen = std::collections::BTreeSet::new();
    let reading: Vec<(&str, &[&str])> =
        ROWS.iter().filter(|(verb, _)| ["query", "context", "list", "read"].contains(verb)).copied().collect();
    walk(&planted, &reading, "tester", |_, ran| {
        seen.extend(SECRETS.into_iter().filter(|secret| ran.stdout.contains(secret)));
        None
    });
    assert!(seen.len() > 20, "{layer}: {seen:?}");
}

#[test]
fn the_mcp_server_reads_layers_and_changes_the_nearest() {
    let project = layered("[project, mine]");
    let call = |id: u32, name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let add = json!({"operations": [{"op": "add", "at": "user", "text": "Likes rain"}]});
    let lines = [
        hello,
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(2, "memory_context", json!({})),
        call(3, "memory_query", json!({"query": "indent"})),
        call(4, "memory_change", add),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut child = project.command(&["mcp"]).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let output: ProgramOutput = child.wait_with_output().unwrap().into();
    // Twice in each answer, as text and as fields.
    assert_eq!(output.stdout.matches(&format!("mine:facts/style.md@{}", handle(TABS))).count(), 2, "{output:#?}");
    let line = format!("mine:facts/style.md:\\n- @{} {TABS}\\n", handle(TABS));
    assert_eq!(output.stdout.matches(&line).count(), 2, "{output:#?}");
    assert!(project.facts().contains("Likes rain"), "{output:#?}");
}

#[test]
fn a_memory_cannot_pass_its_texts_off_as_those_of_another_layer() {
    let project = layered("[project, mine]");
    project.put("work/memory/mine:facts/style.md", "# Style\n\n- Indent with zeal\n");
    let told = run(&project, &["query", "indent"]);
    assert!(told.stdout.contains(TABS) && !told.stdout.contains("zeal"), "{told:#?}");
    assert!(told.stderr.contains("the layer project is left out") && told.stderr.contains("mine:facts"), "{told:#?}");
    let start = project.hook(&["session-start"], &project.input("claude", "session-start"));
    assert!(start.contains(TABS) && !start.contains("zeal"), "{start}");
}

#[test]
fn a_hint_about_a_name_in_a_layer_names_the_layer() {
    let project = layered("[project, mine]");
    for words in [["read", "mine:stlye"], ["list", "mine:stlye"]] {
        let refused = run(&project, &words).exit(3).stderr;
        assert!(refused.contains("hint: did you mean mine:facts/style.md?"), "{refused}");
        assert!(refused.contains("try: memdir list mine:facts/style.md"), "{refused}");
    }
}
