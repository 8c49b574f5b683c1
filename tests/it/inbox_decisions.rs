//! How a person decides on proposals that do not apply as they were made: the memory changed, the proposal was edited, or
//! it cannot be read.

use crate::support::git_repo::Repo;
use crate::support::{Memory, ProgramOutput, memdir_command};

const POLICY: &str = "version: 2\nagents: {write: propose}\n";
const USER: &str = "# User\n\n- A\n- B\n- C\n";

fn memory() -> Memory {
    Memory::new().policy(POLICY).file("facts/user.md", USER)
}

/// Proposes a change as an agent; the id of the proposal.
fn propose(memory: &Memory, words: &[&str]) -> String {
    let refused = memory.run(words.iter().copied()).by("bot").may_change().exit(5);
    let (_, id) = refused.stderr.split_once("try: memdir inbox ").expect(&refused.stderr);
    id.trim().to_owned()
}

fn waiting(memory: &Memory) -> usize {
    memory.tree().keys().filter(|path| path.starts_with("inbox/p")).count()
}

#[test]
fn a_proposal_on_an_index_is_accepted_with_force_after_the_file_changed() {
    let commands: [(&[&str], &str); 4] = [
        (&["update", "user@2", "B2", "-f"], "- A\n- B2\n- C\n- D\n"),
        (&["rm", "user@2", "-f"], "# User\n\n- A\n- C\n- D\n"),
        (&["set", "user@2", "imp=3", "-f"], "- A\n- B\n  <!-- mem imp=3 -->\n- C\n- D\n"),
        (&["rm", "user", "-f"], ""),
    ];
    for (words, expected) in commands {
        let memory = memory();
        let id = propose(&memory, words);
        memory.done(["add", "user", "D"]);
        let refused = memory.run(["inbox", &id, "--accept"]).exit(4).unchanged();
        for part in [
            format!("conflict: the proposal {id} cannot be accepted: facts/user.md changed since it was read"),
            format!("try: memdir inbox {id}\n"),
            format!("try: memdir inbox --accept -f {id}\n"),
            format!("try: memdir inbox --reject {id}\n"),
        ] {
            assert!(refused.stderr.contains(&part), "{part}: {refused}");
        }
        // In bulk, too.
        let other = propose(&memory, &["add", "tools", "T"]);
        let refused = memory.run(["inbox", "--accept"]).exit(4).unchanged();
        assert!(refused.stderr.contains(&format!("try: memdir inbox --accept -f {id}\n")), "{refused}");
        memory.done(["inbox", &other, "--accept"]);
        memory.done(["inbox", &id]).stdout_contains("only -f accepts it");
        memory.done(["inbox", &id, "--accept", "-f", "-n"]).stdout_contains(&format!("would accept {id}")).unchanged();
        memory.done(["inbox", &id, "--accept", "-f"]).stdout_contains(&format!("accepted {id}"));
        let text = memory.text("facts/user.md").unwrap_or_default();
        assert!(text.ends_with(expected) && text.is_empty() == expected.is_empty(), "{words:?} {text}");
        assert_eq!(waiting(&memory), 0);
        // Nothing is lost.
        memory.done(["undo"]);
        assert!(memory.text("facts/user.md").unwrap().ends_with("- A\n- B\n- C\n- D\n"));
    }
}

#[test]
fn an_index_that_means_another_bullet_is_reported_with_the_diff() {
    for (words, changed) in
        [(&["rm", "user@1", "-f"][..], "-- Z"), (&["set", "user@1", "imp=3", "-f"], " - Z\n+  <!--")]
    {
        let memory = memory();
        let id = propose(&memory, words);
        memory.put("facts/user.md", USER.replace("- A", "- Z\n- A"));
        let note = "it changes \"Z\"; when it was proposed, it changed \"A\"";
        let listed = memory.done(["inbox"]);
        assert!(listed.stdout.contains(note) && listed.stdout.contains(changed), "{listed}");
        memory.done(["inbox", &id, "--accept", "-f"]).stderr_contains(note);
    }
    // The same bullet, at the same index: nothing to say.
    let memory = memory();
    propose(&memory, &["rm", "user@1", "-f"]);
    memory.done(["add", "user", "D"]);
    assert!(!memory.done(["inbox"]).stdout.contains("when it was proposed"));
    let accepted = memory.done(["inbox", "--accept", "-f"]);
    assert!(!accepted.stderr.contains("when it was proposed"), "{accepted}");
}

#[test]
fn force_does_not_forget_another_text_than_the_proposer_saw() {
    let memory = memory();
    let id = propose(&memory, &["rm", "user@1", "--forget", "-f"]);
    memory.put("facts/user.md", USER.replace("- A", "- Z\n- A"));
    let refused = memory.run(["inbox", &id, "--accept", "-f"]).exit(4).unchanged();
    assert!(!refused.stderr.contains("--accept -f"), "{refused}");
    assert!(refused.stderr.contains(&format!("try: memdir inbox --reject {id}\n")), "{refused}");
}

/// The same with `seen` as the proof that the proposer had read the file.
#[test]
fn force_forgets_nothing_that_was_proven_by_a_checksum() {
    let memory = memory();
    let read = memory.text("facts/user.md").unwrap();
    let seen = memdir::change::Etag::of(read.as_bytes()).hex();
    let remove = |forget: bool| format!(r#"{{"op":"rm","at":"user","index":1,"forget":{forget},"seen":"{seen}"}}"#);
    for (forget, status) in [(true, 4), (false, 0)] {
        memory.run(["apply", "--as", "coder"]).stdin(format!("[{}]", remove(forget))).may_change().exit(5);
        memory.put("facts/user.md", read.replace("- A", "- Z\n- A"));
        let shown = memory.done(["inbox"]).stdout;
        assert_eq!(shown.contains("only -f accepts it"), !forget, "{shown}");
        let accepted = memory.run(["inbox", "--accept", "-f"]).exit(status);
        assert_eq!(memory.text("facts/user.md").unwrap().contains("- Z"), forget, "{accepted}");
        memory.run(["inbox", "--reject"]).ends();
        memory.put("facts/user.md", read.clone());
    }
}

/// What such a revision changes by mistake could not be undone.
#[test]
fn a_revision_that_forgets_forces_nothing() {
    let memory = memory().file("facts/tools.md", "# Tools\n\n- X\n- Y\n");
    let forget = propose(&memory, &["rm", "tools@1", "--forget", "-f"]);
    let edit = propose(&memory, &["update", "user@2", "B2", "-f"]);
    memory.put("facts/user.md", memory.text("facts/user.md").unwrap().replace("- A", "- Keep me\n- A"));
    for both in [[&edit, &forget], [&forget, &edit]] {
        let refused = memory.run(["inbox", "--accept", "-f", both[0], both[1]]).exit(4).unchanged();
        let refused = refused.stderr_contains(&format!("the proposal {edit} cannot be accepted, so none was"));
        refused.stderr_contains(&format!("cannot be undone; accept {forget} by itself"));
    }
    memory.done(["inbox", "--accept", &forget]);
    assert_eq!(memory.text("facts/tools.md").unwrap(), "# Tools\n\n- Y\n");
    memory.done(["inbox", "--accept", "-f", &edit]);
    memory.done(["undo"]);
    assert!(memory.text("facts/user.md").unwrap().contains("- Keep me\n- A\n"));
}

/// The same in one proposal.
#[test]
fn a_proposal_that_also_forgets_is_not_forced() {
    let memory = memory();
    let read = memory.text("facts/user.md").unwrap();
    let seen = memdir::change::Etag::of(read.as_bytes()).hex();
    let both = format!(
        r#"[{{"op":"update","at":"user","index":1,"text":"A2","seen":"{seen}"}},
            {{"op":"rm","at":"user@{}","forget":true}}]"#,
        crate::support::handle("B")
    );
    memory.run(["apply", "--as", "coder"]).stdin(both).may_change().exit(5);
    memory.put("facts/user.md", read.replace("- A", "- Keep me\n- A"));
    let refused = memory.run(["inbox", "--accept", "-f"]).exit(4).unchanged();
    refused.stderr_contains("-f forces nothing in a revision that forgets a text");
}

#[test]
fn the_list_shows_what_accepting_would_write() {
    let memory = memory();
    let id = propose(&memory, &["add", "user", "Typo fakt"]);
    assert!(!memory.done(["inbox"]).stdout.contains("edited"));
    let path = format!("inbox/{id}.md");
    let edited = memory.text(&path).unwrap().replace("\"text\":\"Typo fakt\"", "\"text\":\"Another text\"");
    memory.put(&path, &edited);
    let listed = memory.done(["inbox"]);
    assert!(listed.stdout.contains("+- Another text\n") && !listed.stdout.contains("+- Typo fakt"), "{listed}");
    assert!(listed.stdout.contains("its operation was edited after it was proposed"), "{listed}");
    memory.done(["add", "user", "Another text"]);
    let listed = memory.done(["inbox"]);
    assert!(listed.stdout.contains("accepting it changes nothing") && !listed.stdout.contains("+- "), "{listed}");
    // What cannot be planned is shown as it was proposed, with the reason.
    let id = propose(&memory, &["patch", "user", "--old", "- C", "--new", "- C2"]);
    memory.done(["rm", "user", "- C"]);
    let listed = memory.done(["inbox", &id]);
    assert!(listed.stdout.contains("+- C2\n") && listed.stdout.contains("it cannot be accepted now: "), "{listed}");
}

#[test]
fn a_dry_run_says_what_would_be_decided() {
    let memory = memory();
    let id = propose(&memory, &["add", "user", "D"]);
    let planned = memory.done(["inbox", "--accept", "-n"]).unchanged();
    assert!(planned.stdout.ends_with(&format!("\nwould accept {id}\n")), "{planned}");
    let planned = memory.done(["inbox", "--reject", "-n"]).unchanged();
    assert!(planned.stdout.ends_with(&format!("\nwould reject {id}\n")), "{planned}");
    memory.done(["inbox", "--accept"]).stdout_contains(&format!("\naccepted {id}\n"));
}

#[test]
fn an_unreadable_proposal_is_named_and_the_others_are_decided_without_it() {
    let memory = memory();
    let [broken, good] = ["Q", "R"].map(|text| propose(&memory, &["add", "user", text]));
    let path = format!("inbox/{broken}.md");
    memory.put(&path, memory.text(&path).unwrap().replace("\"op\":", "\"opp\":"));
    let reason = format!("{path}: 'opp' is unknown; did you mean 'op'?");
    let listed = memory.done(["inbox"]);
    for part in [&reason, &format!("try: memdir inbox --reject {broken}\n"), &format!("{good} add R\n")] {
        assert!(listed.stdout.contains(part), "{part}: {listed}");
    }
    let json = memory.done(["inbox", &broken, "--json"]).json();
    assert_eq!(json["proposals"][0]["problem"], reason, "{json}");
    // Named, it is the error, and nothing is accepted.
    for ids in [&[broken.as_str()][..], &[&broken, &good]] {
        let words = [&["inbox", "--accept"], ids].concat();
        let refused = memory.run(words).exit(2).unchanged();
        assert!(refused.stderr.contains(&format!("the proposal {broken} cannot be read: {reason}")), "{refused}");
        assert!(refused.stderr.contains(&format!("try: memdir inbox --reject {broken}\n")), "{refused}");
    }
    let accepted = memory.done(["inbox", "--accept"]);
    assert!(accepted.stdout.contains(&format!("accepted {good}\n")), "{accepted}");
    assert!(accepted.stderr.contains(&reason) && accepted.stderr.contains("it stays in the inbox"), "{accepted}");
    assert_eq!(waiting(&memory), 1);
    memory.run(["inbox", "--accept"]).exit(2).unchanged().stderr_contains(&reason);
    memory.done(["inbox", "--reject", &broken]);
    assert_eq!(waiting(&memory), 0);
}

#[test]
fn a_proposal_without_read_permission_hides_no_other() {
    use std::os::unix::fs::PermissionsExt;
    if crate::support::test_dir::passed_as_nobody() {
        return;
    }
    let memory = memory();
    let [closed, good] = ["Q", "R"].map(|text| propose(&memory, &["add", "user", text]));
    let path = memory.dir().join(format!("inbox/{closed}.md"));
    let set_mode = |mode| fs_err::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    set_mode(0);
    let run = |words: &[&str]| {
        let mut command = memdir_command(&memory.dir());
        ProgramOutput::of(command.env_remove("MEMDIR_AS").arg("--dir").arg(memory.dir()).args(words)).exit(0)
    };
    let (listed, accepted) = (run(&["inbox"]), run(&["inbox", &good, "--accept"]));
    set_mode(0o644);
    assert!(listed.stdout.contains(&format!("its operation cannot be read: inbox/{closed}.md: ")), "{listed:?}");
    assert!(listed.stdout.contains(&format!("{good} add R\n")), "{listed:?}");
    assert!(accepted.stdout.contains(&format!("accepted {good}\n")), "{accepted:?}");
}

/// A repository with two proposals, each on a branch of its own, of which the first was merged.
fn with_one_merged() -> (Repo, String, String) {
    let repo = Repo::new();
    repo.put("memdir.yaml", POLICY);
    repo.commit("facts/user.md", USER);
    let ids = ["Prefers tabs", "Likes rain"].map(|text| {
        repo.memdir(["add", "user", text, "--as", "planner"]).exit(5);
        let listed = repo.memdir(["inbox", "--json"]).exit(0).json();
        let rows = listed["proposals"].as_array().unwrap();
        let of_text = |row: &&serde_json::Value| row["title"].as_str().unwrap().contains(text);
        let id = rows.iter().find(of_text).unwrap()["id"].as_str().unwrap().to_owned();
        repo.memdir(["inbox", &id, "--branch", &format!("memory/{id}")]).exit(0);
        id
    });
    repo.git(["merge", "--quiet", "--no-edit", &format!("memory/{}", ids[0])]);
    let [merged, other] = ids;
    (repo, merged, other)
}

#[test]
fn the_status_knows_which_proposals_a_merge_accepted() {
    let (repo, ..) = with_one_merged();
    let status = repo.memdir(["status"]).exit(0);
    for part in ["1 proposal was accepted by a merge\n", " prune\n1 proposal waits\n"] {
        assert!(status.stdout.contains(part), "{part}: {status:?}");
    }
    assert_eq!(repo.memdir(["status", "--json"]).exit(0).json()["proposals"], 1);
    repo.memdir(["prune"]).exit(0);
    assert!(!repo.memdir(["status"]).exit(0).stdout.contains("accepted by a merge"));
}

#[test]
fn to_accept_a_merged_proposal_by_name_accepts_no_other() {
    let (repo, merged, other) = with_one_merged();
    let outcome = repo.memdir(["inbox", &merged, "--accept"]).exit(0);
    assert!(outcome.stdout.contains(&format!("merged {merged}\n")), "{outcome:?}");
    assert!(!outcome.stdout.contains("accepted") && !repo.text("facts/user.md").contains("Likes rain"), "{outcome:?}");
    assert!(repo.memdir(["inbox"]).exit(0).stdout.contains(&format!("{other} add")));
}

/// How many revisions the journal has.
fn revisions(repo: &Repo) -> usize {
    repo.memdir(["log", "--all", "--json"]).exit(0).json()["entries"].as_array().unwrap().len()
}

#[test]
fn an_error_after_a_first_revision_says_that_something_was_changed() {
    /// Words of a command that fails, where `OTHER` is the proposal that was not merged.
    type Case = (&'static str, fn(&Repo), &'static [&'static str], bool);
    let nothing: fn(&Repo) = |_| {};
    let cases: [Case; 5] = [
        ("an id that does not exist", nothing, &["inbox", "p000000", "--accept"], false),
        ("an id that does not exist", nothing, &["inbox", "p000000", "--branch", "memory/new"], false),
        ("the name of a branch", nothing, &["inbox", "OTHER", "--branch", "main"], true),
        (
            "a ref that is locked",
            |repo| fs_err::write(repo.root().join(".git/refs/heads/held.lock"), "").unwrap(),
            &["inbox", "OTHER", "--branch", "held"],
            true,
        ),
        (
            "a proposal that no longer applies",
            |repo| {
                let inbox = fs_err::read_dir(repo.memory().join("inbox")).unwrap().map(|file| file.unwrap().path());
                let has_rain = |path: &std::path::PathBuf| fs_err::read_to_string(path).unwrap().contains("rain");
                let waiting = inbox.filter(|path| path.is_file()).find(has_rain).unwrap();
                let text = fs_err::read_to_string(&waiting).unwrap();
                fs_err::write(waiting, text.replace("\"op\":\"add\"", "\"op\":\"rm\"")).unwrap();
            },
            &["inbox", "OTHER", "--accept"],
            true,
        ),
    ];
    for (what, prepare, words, is_committed) in cases {
        let (repo, merged, other) = with_one_merged();
        prepare(&repo);
        let before = revisions(&repo);
        let words = words.iter().map(|word| if *word == "OTHER" { other.as_str() } else { *word });
        let failed = repo.memdir(words.chain(["--json"]));
        assert_ne!(failed.status, 0, "{what}: {failed:?}");
        let error: serde_json::Value = serde_json::from_str(&failed.stderr).unwrap();
        assert_eq!(error["changed"], is_committed, "{what}: {failed:?}");
        assert_eq!(revisions(&repo) > before, is_committed, "{what}: {failed:?}");
        let waits = repo.memory().join(format!("inbox/{merged}.md")).exists();
        assert_eq!(waits, !is_committed, "{what}: {failed:?}");
    }
}

/// The diff of a proposal has the lines beside the change, and those that name its file.
#[test]
fn accepting_a_proposal_that_forgets_touches_no_other_than_those_with_the_text() {
    let memory = memory().file("facts/b.md", "# B\n\n- Prefers tabs\n- Owns cats\n");
    let kept = propose(&memory, &["add", "b", "Owns cats and dogs"]);
    let gone = propose(&memory, &["add", "user", "Prefers tabs"]);
    let other = propose(&memory, &["add", "user", "Owns cats"]);
    let forgets = propose(&memory, &["rm", "--forget", "b", "- Prefers tabs"]);
    let waits = |id: &str| memory.text(&format!("inbox/{id}.md"));
    let before = waits(&other);
    let told = format!("the text waited in {gone} too, which went with it");
    memory.run(["inbox", &forgets, "--accept", "-n"]).exit(0).unchanged().stderr_contains(&told);
    let accepted = memory.done(["inbox", &forgets, "--accept"]);
    assert!(accepted.stderr.contains(&told) && !accepted.stderr.contains("is also in"), "{accepted}");
    // The text was in the unchanged lines of one, which goes on waiting without it.
    assert!(!waits(&kept).unwrap().contains("Prefers tabs") && waits(&gone).is_none());
    assert_eq!(waits(&other), before);
    memory.done(["inbox", &kept, &other, "--accept"]);
    assert!(memory.text("facts/b.md").unwrap().ends_with("- Owns cats\n- Owns cats and dogs\n"));
}

#[test]
fn a_proposal_that_forgets_says_that_it_cannot_be_undone() {
    let memory = memory();
    let note = "accepting it also erases the text from the history, which cannot be undone";
    let plain = propose(&memory, &["rm", "user", "- B"]);
    let forgets = propose(&memory, &["rm", "--forget", "user", "- B"]);
    let batch = r#"[{"op":"add","at":"user","text":"D"},{"op":"rm","at":"user","text":"C","forget":true}]"#;
    let refused = memory.run(["apply"]).stdin(batch).by("bot").may_change().exit(5);
    let (_, both) = refused.stderr.split_once("try: memdir inbox ").expect(&refused.stderr);
    for (id, title) in [(forgets.as_str(), "rm --forget B"), (both.trim(), "rm --forget C")] {
        let listed = memory.done(["inbox", id]);
        assert!(listed.stdout.starts_with(&format!("{id} {title}\n")) && listed.stdout.contains(note), "{listed}");
        assert_eq!(memory.done(["inbox", id, "--json"]).json()["proposals"][0]["forgets"], true);
        let dry = memory.run(["inbox", id, "--accept", "-n"]).exit(0).unchanged();
        assert!(dry.stderr.contains(note) && dry.stderr.contains("is erased with it"), "{dry}");
    }
    let listed = memory.done(["inbox", &plain]);
    assert!(listed.stdout.starts_with(&format!("{plain} rm B\n")) && !listed.stdout.contains(note), "{listed}");
    assert_eq!(memory.done(["inbox", &plain, "--json"]).json()["proposals"][0].get("forgets"), None);
    let dry = memory.run(["inbox", &plain, "--accept", "-n"]).exit(0);
    assert!(!dry.stderr.contains("erase"), "{dry}");
}
