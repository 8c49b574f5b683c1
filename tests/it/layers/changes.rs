//! Changes in layers: which memory they reach, what proves them, and what dry runs and messages say of it.

use fs_err as fs;
use serde_json::{Value, json};

use crate::hooks::Project;
use crate::support::{ProgramOutput, handle};

const MINE: &str = ".local/share/memdir";
const SAME: &str = "The same sentence in both";

/// A project's memory and one of the user's own with a bullet in common, as layers.
fn layered() -> Project {
    let project = Project::new();
    project.put(&format!("{MINE}/memdir.yaml"), "version: 1\n");
    project.put(&format!("{MINE}/facts/style.md"), &format!("# Style\n\n- {SAME}\n- Mine alone\n- Third of mine\n"));
    project.put("work/memory/facts/style.md", &format!("# Style\n\n- {SAME}\n"));
    let trusted = [project.memory(), project.home.path().join(MINE)];
    let config = format!("people: [tester]\ntrusted: {}\nlayers: [project, mine]\n", json!(trusted));
    project.put(".config/memdir/config.yaml", &config);
    project
}

#[track_caller]
fn done(project: &Project, words: &[&str]) -> String {
    let output = project.run(words);
    assert_eq!(output.status, 0, "{words:?} {output:#?}");
    output.stdout
}

/// The command refuses with this code, and no byte of either memory changes.
#[track_caller]
fn refused(project: &Project, words: &[&str], code: &str) -> ProgramOutput {
    let before = texts(project);
    let output = project.run(words);
    assert!(output.status != 0 && output.stderr.contains(code), "{words:?} {output:#?}");
    assert_eq!(texts(project), before, "{words:?}");
    output
}

fn at(layer: &str, text: &str) -> String {
    format!("{layer}style@{}", handle(text))
}

fn text(project: &Project, path: &str) -> String {
    fs::read_to_string(project.home.path().join(path)).unwrap_or_default()
}

fn mine(project: &Project) -> String {
    text(project, &format!("{MINE}/facts/style.md"))
}

fn near(project: &Project) -> String {
    text(project, "work/memory/facts/style.md")
}

fn texts(project: &Project) -> [String; 2] {
    [mine(project), near(project)]
}

#[track_caller]
fn apply(project: &Project, answer: &str) {
    let run = assert_cmd::Command::from_std(project.command(&["apply", "-"])).write_stdin(answer).output().unwrap();
    assert!(run.status.success(), "{answer} {run:?}");
}

#[test]
fn a_change_that_may_be_meant_for_a_broken_nearer_layer_is_refused() {
    let project = layered();
    let broken = "version: 2\ncategories: {custom: [{name: health}]}\nallowlists: {planner: [work]\n";
    project.put("work/memory/memdir.yaml", broken);
    for line in
        [&["add", "user", "meant for the project"][..], &["rm", "-f", "style"], &["undo"], &["rm", &at("", SAME)]]
    {
        let output = refused(&project, line, "invalid_policy");
        assert!(output.status == 5 && output.stderr.contains("the layer project is left out"), "{output:#?}");
    }
    // Reads go on, and who names the layer means it.
    assert!(done(&project, &["query", "alone"]).contains("Mine alone"));
    done(&project, &["rm", &at("mine:", "Mine alone")]);
    assert!(!mine(&project).contains("Mine alone"));
    done(&project, &["undo", "mine:"]);
    // A folder that reads like another layer hides the project's memory as well.
    project.put("work/memory/memdir.yaml", "version: 1\n");
    project.put("work/memory/mine:facts/x.md", "- Disguised\n");
    refused(&project, &["add", "user", "meant for the project"], "unsafe_file");
    assert_eq!(text(&project, &format!("{MINE}/facts/user.md")), "");
}

#[test]
fn a_move_with_a_reason_says_between_which_layers() {
    let project = layered();
    done(&project, &["mv", &at("mine:", "Third of mine"), "project", "-m", "for all"]);
    for log in [&["log", "-v"][..], &["log", "mine:", "-v"]] {
        let shown = done(&project, log);
        assert!(shown.contains("for all (moved from mine to project)"), "{shown}");
    }
}

#[test]
fn a_dry_run_that_is_handed_on_changes_the_layer_that_was_named() {
    let project = layered();
    let planned = done(&project, &["rm", &at("mine:", SAME), "-n", "--json"]);
    apply(&project, &planned);
    assert!(near(&project).contains(SAME) && !mine(&project).contains(SAME), "{:?}", texts(&project));
    let planned = done(&project, &["add", "mine:private", "A private fact", "-n", "--json"]);
    apply(&project, &planned);
    assert!(text(&project, &format!("{MINE}/facts/private.md")).contains("A private fact"));
    assert_eq!(text(&project, "work/memory/facts/private.md"), "");
    // Within a layer, and between layers.
    let planned = done(&project, &["mv", &at("mine:", "Mine alone"), "mine:private", "-n", "--json"]);
    apply(&project, &planned);
    assert!(text(&project, &format!("{MINE}/facts/private.md")).contains("Mine alone"));
    let shown = done(&project, &["mv", &at("mine:", "Third of mine"), "project", "-n"]);
    for head in
        ["--- a/project:facts/style.md\n+++ b/project:facts/style.md\n", "--- a/mine:facts/style.md\n+++ b/mine:"]
    {
        assert!(shown.contains(head), "{shown}");
    }
    let planned = done(&project, &["mv", &at("mine:", "Third of mine"), "project", "-n", "--json"]);
    let operations: Value = serde_json::from_str(&planned).unwrap();
    assert_eq!(operations["operations"].as_array().unwrap().len(), 1, "{planned}");
    apply(&project, &planned);
    assert!(near(&project).contains("Third of mine") && !mine(&project).contains("Third"), "{:?}", texts(&project));
}

#[test]
fn a_move_to_another_layer_needs_the_proof_of_any_other() {
    let project = layered();
    refused(&project, &["mv", "mine:style@2", "project"], "needs_proof");
    done(&project, &["mv", "mine:style@2", "project", "-f"]);
    assert!(near(&project).contains("Mine alone") && !mine(&project).contains("Mine alone"));
}

#[test]
fn a_move_of_what_the_nearer_layer_has_names_the_one_revision() {
    let project = layered();
    let output = project.run(&["mv", &at("mine:", SAME), "project"]);
    assert!(output.status == 0 && output.stderr.contains(": memdir undo mine:r"), "{output:#?}");
    assert!(!output.stderr.contains("memdir undo ;") && !output.stderr.contains("each layer"), "{output:#?}");
    done(&project, &["undo", "mine:"]);
    assert!(mine(&project).contains(SAME));
}

/// What an expired copy in the other layer says holds again, with the metadata that comes; of another copy it is said
/// what it does not get.
#[test]
fn a_move_to_a_layer_that_has_the_bullet_hides_it_nowhere() {
    let project = layered();
    done(&project, &["add", "style", "Indent with tabs", "--exp", "2026-01-01"]);
    done(&project, &["add", "mine:style", "Indent with tabs", "--pin"]);
    done(&project, &["mv", &at("mine:", "Indent with tabs"), "project"]);
    assert!(near(&project).contains("- Indent with tabs\n  <!-- mem pin=true -->\n"), "{}", near(&project));
    done(&project, &["add", "style", "Ship on Friday"]);
    done(&project, &["add", "mine:style", "Ship on Friday", "--imp", "9"]);
    let output = project.run(&["mv", &at("mine:", "Ship on Friday"), "project"]);
    assert!(output.stderr.contains("keeps its metadata; `set` gives it imp=9"), "{output:#?}");
}

#[test]
fn a_move_by_an_agent_under_review_says_that_nothing_is_kept() {
    for (reviewed, other) in [("work/memory", MINE), (MINE, "work/memory")] {
        let project = layered();
        project.put(&format!("{reviewed}/memdir.yaml"), "version: 2\nagents: {write: propose}\n");
        let words = ["--as", "bot", "mv", &at("mine:", "Mine alone"), "project"];
        let output = refused(&project, &words, "review");
        assert!(output.stderr.contains("nothing was kept") && !output.stderr.contains("without -n"), "{output:#?}");
        assert!(!output.stderr.contains("do not repeat it"), "{output:#?}");
        for dir in [reviewed, other] {
            assert!(!project.home.path().join(dir).join("inbox").exists(), "{dir}");
        }
    }
}

#[test]
fn a_proposal_in_a_layer_is_found_by_the_command_that_names_it() {
    let project = layered();
    project.put(&format!("{MINE}/memdir.yaml"), "version: 2\nagents: {write: propose}\n");
    let output = refused(&project, &["--as", "bot", "add", "mine:style", "Proposed"], "review");
    let line = output.stderr.lines().find_map(|line| line.strip_prefix("try: memdir inbox ")).unwrap();
    assert!(line.starts_with("mine:p"), "{output:#?}");
    assert!(output.stderr.contains(&format!("waits in inbox/ as {line};")), "{output:#?}");
    let file = text(&project, &format!("{MINE}/inbox/{}.md", line.trim_start_matches("mine:")));
    assert!(file.contains(&format!("Accept it with `memdir inbox {line} --accept`")), "{file}");
    let json = project.run(&["--as", "bot", "--json", "add", "mine:style", "Proposed"]).stderr;
    let error: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(error["details"]["proposal"], *line, "{json}");
    assert!(done(&project, &["inbox", line]).contains(&format!("{line} ")), "{}", done(&project, &["inbox", line]));
    assert!(done(&project, &["inbox", "mine:"]).contains("Proposed"));
    done(&project, &["inbox", line, "--accept"]);
    assert!(mine(&project).contains("Proposed") && !near(&project).contains("Proposed"));
}

#[test]
fn a_proposal_in_a_layer_goes_on_a_branch_of_its_repository() {
    let project = layered();
    project.put(".gitconfig", "[user]\n\tname = tester\n\temail = tester@example.org\n");
    project.put(&format!("{MINE}/memdir.yaml"), "version: 2\nagents: {write: propose}\n");
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.current_dir(project.home.path().join(MINE)).env("HOME", project.home.path()).args(words);
        let output = ProgramOutput::of(&mut git);
        assert_eq!(output.status, 0, "{words:?} {output:#?}");
        output.stdout
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "base"]);
    for text in ["Proposed", "Proposed later"] {
        refused(&project, &["--as", "bot", "add", "mine:style", text], "review");
    }
    let listed: Value = serde_json::from_str(&done(&project, &["inbox", "mine:", "--json"])).unwrap();
    let id = listed["proposals"][0]["id"].as_str().unwrap();
    let made: Value = serde_json::from_str(&done(&project, &["inbox", id, "--branch", "one", "--json"])).unwrap();
    assert_eq!(made["branch"]["commits"][0]["proposal"], id, "{made}");
    let message = git(&["log", "-1", "--format=%B", "one"]);
    assert!(message.contains(&format!("Memdir-Proposal: {}\n", id.trim_start_matches("mine:"))), "{message}");
    done(&project, &["inbox", "mine:", "--branch", "rest"]);
    assert_eq!(git(&["diff", "--name-only", "HEAD", "rest"]), "facts/style.md\n");
    refused(&project, &["inbox", "mine:p000000", "--branch", "none"], "proposal_not_found");
}

#[test]
fn status_counts_the_proposals_of_each_layer_and_names_it() {
    let project = layered();
    for dir in ["work/memory", MINE] {
        project.put(&format!("{dir}/memdir.yaml"), "version: 2\nagents: {write: propose}\n");
    }
    for text in ["One", "Two"] {
        refused(&project, &["--as", "bot", "add", "mine:style", text], "review");
    }
    refused(&project, &["--as", "bot", "add", "style", "Three"], "review");
    let status = done(&project, &["status"]);
    let lines = "\n1 proposal waits\ntry: memdir inbox\n2 proposals wait in mine\ntry: memdir inbox mine:\n";
    assert!(status.contains(lines), "{status}");
    let answer: serde_json::Value = serde_json::from_str(&done(&project, &["status", "--json"])).unwrap();
    let row = serde_json::json!({"what": "waiting", "count": 2, "layer": "mine", "command": "memdir inbox mine:"});
    assert_eq!((&answer["proposals"], &answer["attention"][1]), (&serde_json::json!(1), &row), "{answer}");
    done(&project, &["inbox", "mine:", "--reject"]);
    assert!(!done(&project, &["status"]).contains("in mine"));
}

#[test]
fn blame_compact_and_resolve_work_in_the_layer_that_is_named() {
    let project = layered();
    done(&project, &["add", "mine:style", "Written by memdir"]);
    let blame = done(&project, &["list", "mine:style", "--blame"]);
    let line = blame.lines().find(|line| line.contains("Written by memdir")).unwrap();
    let after = blame.split_once(line).unwrap().1;
    assert!(after.contains("r1") || line.contains("r1"), "{blame}");
    let compacted = done(&project, &["compact", "mine:style", "--to", "2"]);
    assert!(compacted.contains("mine:facts/style.md"), "{compacted}");
    assert_eq!(mine(&project).matches("\n- ").count(), 2, "{}", mine(&project));
    let conflict = "# T\n\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n";
    project.put(&format!("{MINE}/facts/t.md"), conflict);
    let output = project.run(&["resolve", "mine:t", "--both"]);
    assert_eq!(output.status, 0, "{output:#?}");
    let resolved = text(&project, &format!("{MINE}/facts/t.md"));
    assert!(resolved.contains("- a\n- b\n") && !resolved.contains("<<<<"), "{resolved}");
}

#[test]
fn errors_of_reads_in_a_layer_name_it() {
    let project = layered();
    for words in [["list", "mine:nope"], ["read", "mine:style#nosec"], ["read", "mine:style@zzzz"]] {
        let output = refused(&project, &words, "in the layer mine: ");
        let tries: Vec<&str> = output.stderr.lines().filter_map(|line| line.strip_prefix("try: memdir ")).collect();
        assert!(tries.iter().all(|line| line.contains(" mine:")), "{words:?} {output:#?}");
    }
    let output = refused(&project, &["list", "project:nope"], "facts/nope.md");
    assert!(!output.stderr.contains("in the layer"), "{output:#?}");
}

#[test]
fn addresses_in_errors_and_warnings_of_a_layer_name_it() {
    let project = layered();
    let candidates = |output: &ProgramOutput| -> Vec<String> {
        let error: Value = serde_json::from_str(&output.stderr).unwrap();
        let rows = error["details"]["candidates"].as_array().unwrap().iter();
        rows.map(|row| row["address"].as_str().unwrap().to_owned()).collect()
    };
    let output = refused(&project, &["--json", "mv", "mine:style@1", "project"], "needs_proof");
    assert_eq!(candidates(&output)[1], format!("mine:facts/style.md@{}", handle("Mine alone")));
    let output = refused(&project, &["--json", "list", "mine:style#nope"], "section_not_found");
    assert_eq!(candidates(&output), ["mine:facts/style.md#style"]);
    let output = project.run(&["--json", "add", "mine:style", "Not mine alone"]);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    let address = format!("mine:facts/style.md@{}", handle("Mine alone"));
    assert_eq!(answer["warnings"][0]["details"]["address"], address, "{output:#?}");
    assert!(answer["warnings"][0]["message"].as_str().unwrap().starts_with("in the layer mine: "), "{output:#?}");
    let moved = done(&project, &["mv", &at("mine:", "Third of mine"), "mine:other"]);
    assert!(moved.contains(" → mine:facts/other.md\n"), "{moved}");
    let nothing = project.run(&["redo", "mine:"]);
    assert!(nothing.stderr.contains("in the layer mine: there is nothing to undo or redo"), "{nothing:#?}");
}

#[test]
fn a_query_in_files_of_one_layer_finds_them_and_one_in_no_file_says_so() {
    let project = layered();
    let found = |glob: &str, words: &str| -> Vec<String> {
        let answer: Value = serde_json::from_str(&done(&project, &["--json", "query", words, "--in", glob])).unwrap();
        answer["items"].as_array().unwrap().iter().map(|row| row["address"].as_str().unwrap().to_owned()).collect()
    };
    let at = |layer: &str, text: &str| format!("{layer}facts/style.md@{}", handle(text));
    for glob in ["mine:style", "mine:", "mine:facts/*.md", "mine:facts"] {
        assert_eq!(found(glob, "alone"), [at("mine:", "Mine alone")], "{glob}");
        assert_eq!(found(glob, "sentence"), [at("mine:", SAME)], "{glob}");
    }
    assert_eq!(found("project:style", "sentence"), [at("", SAME)]);
    assert_eq!(found("style", "sentence"), [at("", SAME), at("mine:", SAME)]);
    for glob in ["mine:nope", "nope", "team:style"] {
        let output = project.run(&["query", "sentence", "--in", glob]);
        assert!(output.status == 3 && output.stderr.contains("no file matches --in"), "{glob} {output:#?}");
    }
}

#[test]
fn the_name_of_a_layer_alone_moves_a_bullet_there() {
    let project = layered();
    project.put("work/memory/facts/note.md", "# Note\n\n- My private note\n");
    let bullet = format!("note@{}", handle("My private note"));
    // With a file of that name it may be either.
    project.put("work/memory/facts/mine.md", "# Mine\n\n- Other\n");
    let output = refused(&project, &["mv", &bullet, "mine"], "usage");
    assert!(output.stderr.contains("mine: is the layer, facts/mine.md the file"), "{output:#?}");
    fs::remove_file(project.home.path().join("work/memory/facts/mine.md")).unwrap();
    done(&project, &["mv", &bullet, "mine"]);
    assert!(text(&project, &format!("{MINE}/facts/note.md")).contains("My private note"));
    assert!(!text(&project, "work/memory/facts/note.md").contains("My private note"));
    assert_eq!(text(&project, "work/memory/facts/mine.md"), "");
    // A file or section is moved to no layer, whether its name stands alone or not.
    project.put("work/memory/facts/plain.md", "# Plain\n\n## Part\n\n- A line\n");
    for (at, to) in [("plain", "mine"), ("plain#part", "mine"), ("plain", "mine:plain"), ("plain#part", "mine:plain")] {
        let output = refused(&project, &["mv", at, to], "usage");
        assert!(output.stderr.contains("only a bullet can be moved to another layer"), "{output:#?}");
    }
    done(&project, &["mv", "plain", "facts/mine.md"]);
    assert!(text(&project, "work/memory/facts/mine.md").contains("A line"));
}

/// The layers of [`layered`] and one whose directory does not exist.
fn with_missing_team() -> Project {
    let project = layered();
    let missing = project.home.path().join("gone/team").display().to_string();
    let trusted = [project.memory(), project.home.path().join(MINE)];
    let config =
        format!("people: [tester]\ntrusted: {}\nlayers: {}\n", json!(trusted), json!(["project", "mine", missing]));
    project.put(".config/memdir/config.yaml", &config);
    project
}

#[test]
fn a_private_bullet_does_not_reach_the_project_because_a_layer_is_missing() {
    let project = with_missing_team();
    let bullet = at("mine:", "Mine alone");
    for to in ["team", "team:", "team:style"] {
        let output = refused(&project, &["mv", &bullet, to], "the layer team is left out");
        assert!(output.stderr.contains("no_data_dir"), "{output:#?}");
    }
    assert_eq!(text(&project, "work/memory/facts/team.md"), "");
    // Neither in a batch, in which a name alone is no layer either.
    for to in ["team", "project"] {
        let batch = json!({"operations": [
            {"op": "mv", "at": bullet, "to": to}, {"op": "add", "at": "mine:style", "text": "Another"},
        ]});
        project.put("batch.json", &batch.to_string());
        let path = project.home.path().join("batch.json");
        refused(&project, &["apply", path.to_str().unwrap()], "");
    }
    // A destination without a layer is in that of the source.
    done(&project, &["mv", &bullet, "other"]);
    assert!(text(&project, &format!("{MINE}/facts/other.md")).contains("Mine alone"));
    assert_eq!(text(&project, "work/memory/facts/other.md"), "");
}

#[test]
fn an_address_of_a_layer_that_is_left_out_says_so() {
    let project = with_missing_team();
    for line in [
        &["update", "team:style@1", "x"][..],
        &["add", "team:style", "x"],
        &["undo", "team:"],
        &["redo", "team:"],
        &["read", "team:style"],
        &["list", "team:"],
        &["log", "team:"],
        &["show", "team:r1"],
        &["diff", "team:r1"],
        &["inbox", "team:"],
        &["check", "team:style"],
        &["query", "--in", "team:", "sentence"],
    ] {
        refused(&project, line, "memdir: no_data_dir: the layer team is left out");
    }
    // The project's policy has no fault.
    let checked = project.run(&["check"]);
    assert!(checked.status == 0 && !checked.stdout.contains("memdir.yaml"), "{checked:#?}");
}

#[test]
fn what_names_another_layer_can_be_given_to_the_next_command() {
    let project = layered();
    done(&project, &["add", "mine:style", "The first revision of mine"]);
    done(&project, &["add", "mine:style", "The second revision of mine"]);
    // Each file of a move between layers has the revision of its own memory.
    let moved = done(&project, &["mv", &at("mine:", "Mine alone"), "project", "--json"]);
    let moved: Value = serde_json::from_str(&moved).unwrap();
    let revs: Vec<_> = moved["files"].as_array().unwrap().iter().map(|file| (&file["path"], &file["rev"])).collect();
    let expected = [(json!("project:facts/style.md"), json!("r1")), (json!("mine:facts/style.md"), json!("r3"))];
    assert_eq!(revs, expected.each_ref().map(|(path, rev)| (path, rev)), "{moved}");
    assert!(moved.get("rev").is_none(), "{moved}");
    // Both ends of a range, and only of one layer.
    let diff = done(&project, &["diff", "mine:r1..mine:r2"]);
    assert!(diff.contains("second revision") && diff == done(&project, &["diff", "mine:r1..r2"]), "{diff}");
    refused(&project, &["diff", "mine:r1..project:r1"], "two layers");
    refused(&project, &["diff", "mine:r1", "project:style"], "two layers");
    let proposal = refused(&project, &["inbox", "mine:p123"], "no proposal");
    assert!(proposal.stderr.contains("try: memdir inbox mine:"), "{proposal:#?}");
    // Steps of a bullet's life, and only whole words of a hint.
    done(&project, &["mv", &at("mine:", "Third of mine"), "mine:other"]);
    let address = format!("mine:other@{}", handle("Third of mine"));
    let life: Value = serde_json::from_str(&done(&project, &["log", &address, "--json"])).unwrap();
    assert_eq!(life["entries"][0]["bullet"]["path"], "mine:facts/other.md", "{life}");
    assert_eq!(life["entries"][0]["bullet"]["moved_from"], "mine:facts/style.md#style", "{life}");
    let archived = refused(&project, &["restore", "mine:archive"], "");
    assert!(!archived.stderr.contains("mine:archived"), "{archived:#?}");
}
