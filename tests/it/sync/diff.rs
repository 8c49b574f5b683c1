//! `diff`, `log` and `blame` of what a sync merged in.

use super::{FILE, assert_stderr_contains, assert_stdout_contains, pair};
use crate::support::git_repo::Repo;
use crate::support::handle;

/// The signs and texts of the bullets that `diff` lists, by file.
fn diff_rows(repo: &Repo, range: &[&str]) -> Vec<String> {
    let json = repo.memdir([&["diff", "--json"], range].concat()).exit(0).json();
    let mut rows = Vec::new();
    for file in json["files"].as_array().unwrap() {
        let path = file["path"].as_str().unwrap();
        match file["to"].as_str() {
            Some(to) => rows.push(format!("{path} -> {to}")),
            None => rows.push(path.to_owned()),
        }
        for row in file["effects"].as_array().into_iter().flatten().filter(|row| row["handle"].is_string()) {
            let was = row["was"]["text"].as_str().map(|was| format!("{was} -> ")).unwrap_or_default();
            rows.push(format!("{} {was}{}", row["sign"].as_str().unwrap(), row["text"].as_str().unwrap()));
        }
    }
    rows
}

/// Brings what a clone has to another one.
#[track_caller]
fn carry(from: &Repo, to: &Repo) {
    for repo in [from, to] {
        repo.memdir(["sync"]).exit(0);
    }
}

/// Two clones: in the first, a merge has a conflict in one file and brings another one.
fn conflicted_pair() -> (Repo, Repo) {
    let (here, there) = pair();
    there.memdir(["update", "user", "Prefers tabs", "Prefers spaces"]).exit(0);
    there.memdir(["add", "team", "Meets on Mondays"]).exit(0);
    there.memdir(["sync"]).exit(0);
    here.memdir(["update", "user", "Prefers tabs", "Prefers neither"]).exit(0);
    here.memdir(["sync"]).exit(4);
    (here, there)
}

#[test]
fn diff_since_a_revision_has_what_was_merged_after_it_and_no_more() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "First here"]).exit(0);
    carry(&here, &there);
    there.memdir(["update", "user", "Prefers tabs", "Prefers spaces"]).exit(0);
    there.memdir(["add", "team", "Meets on Mondays"]).exit(0);
    carry(&there, &here);
    let merged = ["facts/team.md", "+ Meets on Mondays", "facts/user.md", "~ Prefers tabs -> Prefers spaces"];
    assert_eq!(diff_rows(&here, &["r1"]), merged, "r1 is the last revision here");
    assert_eq!(diff_rows(&here, &[]), [""; 0], "what git has is recorded");
    here.memdir(["add", "other", "Second here"]).exit(0);
    assert_eq!(diff_rows(&here, &["r1..r2"]), [&["facts/other.md", "+ Second here"][..], &merged].concat());
    assert_eq!(diff_rows(&here, &["r2"]), [""; 0], "merged before r2");
    there.memdir(["mv", "team", "crew"]).exit(0);
    carry(&there, &here);
    assert_eq!(diff_rows(&here, &["r2"]), ["facts/team.md -> facts/crew.md"]);
    assert_eq!(diff_rows(&here, &["r1..r2", "user"]), merged[2..]);
    here.put(FILE, here.text(FILE).replace("Prefers spaces", "Prefers neither"));
    let edited = ["facts/user.md", "~ Prefers spaces -> Prefers neither"];
    assert_eq!(diff_rows(&here, &[]), edited, "only the outside edit");
    assert_eq!(diff_rows(&here, &["r2", "user"]), edited);
    assert_eq!(diff_rows(&here, &["r1", "user"]), ["facts/user.md", "~ Prefers tabs -> Prefers neither"]);
}

#[test]
fn what_a_sync_merged_in_is_no_outside_edit_after_the_next_change_either() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "First here"]).exit(0);
    carry(&here, &there);
    there.memdir(["update", "user", "Prefers tabs", "Prefers spaces"]).exit(0);
    carry(&there, &here);
    here.memdir(["add", "user#work", "Second here"]).exit(0);
    here.put(FILE, here.text(FILE).replace("Window seats", "Aisle seats"));
    here.memdir(["add", "user#work", "Third here"]).exit(0);
    let states = |args: &[&str]| -> Vec<String> {
        let log = here.memdir([&["log", "--json"], args].concat()).exit(0).json();
        let rows = log["entries"].as_array().unwrap();
        rows.iter()
            .map(|row| format!("{} {}", row["rev"].as_str().unwrap_or("-"), row["state"].as_str().unwrap()))
            .collect()
    };
    assert_eq!(states(&[]), ["r3 done", "- outside", "r2 done", "- merged", "r1 done"]);
    assert_eq!(states(&["user"]), states(&[]));
    assert_eq!(states(&["user#work@2"]), ["- merged", "- committed"]);
    assert_eq!(states(&["user#travel@1"]), ["- outside", "- committed"]);
}

#[test]
fn diff_in_a_scope_and_for_a_restricted_agent_has_what_was_merged_that_they_may_see() {
    let (here, there) = pair();
    here.put("memdir.yaml", "version: 1\nallowlists: {planner: [work], doctor: [work, health]}\n");
    here.memdir(["scope", "add", "web"]).exit(0);
    here.memdir(["-S", "web", "add", "user", "First in the scope"]).exit(0);
    here.memdir(["add", "a", "First of all"]).exit(0);
    carry(&here, &there);
    there.memdir(["-S", "web", "add", "user", "Second in the scope"]).exit(0);
    there.memdir(["add", "plans", "Plans ahead", "[health] Hidden wish"]).exit(0);
    there.memdir(["add", "health", "Hidden file"]).exit(0);
    carry(&there, &here);
    let in_scope = here.memdir(["-S", "web", "diff", "r1"]).exit(0);
    assert_stdout_contains(&in_scope, "+- Second in the scope\n");
    assert!(!in_scope.stdout.contains("Plans"), "{in_scope:#?}");
    let seen = here.memdir(["--as", "planner", "diff", "r1"]).exit(0);
    assert_stdout_contains(&seen, "Plans ahead");
    assert!(!seen.stdout.contains("Hidden") && !seen.stdout.contains("health.md"), "{seen:#?}");
    assert_stdout_contains(&here.memdir(["diff", "r1"]).exit(0), "Hidden wish");
}

#[test]
fn diff_since_a_revision_has_what_a_decided_merge_brought() {
    let (here, _there) = conflicted_pair();
    here.memdir(["resolve", "user", "--ours"]).exit(0);
    here.memdir(["sync"]).exit(0);
    // Of the other file only the summary differs.
    assert_eq!(diff_rows(&here, &["r1"]), ["facts/team.md", "+ Meets on Mondays", FILE]);
    assert_eq!(diff_rows(&here, &["r2", "team"]), [""; 0], "the merge began before r2");
}

#[test]
fn diff_between_revisions_has_what_was_merged_between_them() {
    let (here, there) = pair();
    let exchange = |command: &[&str]| {
        there.memdir(command).exit(0);
        carry(&there, &here);
    };
    here.memdir(["add", "other", "First here"]).exit(0);
    carry(&here, &there);
    exchange(&["update", "user", "Prefers tabs", "Prefers spaces"]);
    here.memdir(["add", "other", "Second here"]).exit(0);
    carry(&here, &there);
    exchange(&["update", "user", "Prefers spaces", "Prefers tabs"]);
    let there_and_back = ["facts/user.md", "~ Prefers tabs -> Prefers spaces"];
    assert_eq!(diff_rows(&here, &["r1..r2", "user"]), there_and_back);
    assert_eq!(diff_rows(&here, &["r2", "user"]), ["facts/user.md", "~ Prefers spaces -> Prefers tabs"]);
    assert_eq!(diff_rows(&here, &["r1", "user"]), [FILE], "only the summary");
    // A real edit between two merges of other files is none of theirs.
    here.memdir(["add", "user", "Before the edit"]).exit(0);
    here.put(FILE, here.text(FILE).replace("Window seats", "Aisle seats"));
    exchange(&["add", "team", "Meets on Mondays"]);
    here.memdir(["add", "user", "Third here"]).exit(0);
    let log = here.memdir(["log", "user", "--json"]).exit(0).json();
    let rows = log["entries"].as_array().unwrap().iter();
    let states: Vec<&str> = rows.map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["done", "outside", "done"], "{log}");
}

#[test]
fn diff_since_a_time_has_what_was_merged_after_it() {
    let (here, there) = pair();
    let at = |repo: &Repo, time: &str, args: &[&str]| repo.memdir_at(time, args).exit(0);
    at(&here, "2026-03-01T10:00:00Z", &["add", "other", "First here"]);
    at(&here, "2026-03-01T10:00:00Z", &["sync"]);
    at(&there, "2026-03-02T10:00:00Z", &["sync"]);
    at(&there, "2026-03-02T10:00:00Z", &["update", "user", "Prefers tabs", "Prefers spaces"]);
    at(&there, "2026-03-02T10:00:00Z", &["sync"]);
    at(&here, "2026-03-02T10:00:00Z", &["sync"]);
    assert_eq!(at(&here, "2026-03-10T10:00:00Z", &["diff", "2d"]).stdout, "");
    let since = at(&here, "2026-03-03T09:00:00Z", &["diff", "1d", "--bullets"]);
    assert_stdout_contains(&since, "Prefers spaces");
}

#[test]
fn diff_has_what_a_merge_brought_that_git_ended() {
    let (here, there) = conflicted_pair();
    here.memdir(["add", "team", "Has mugs"]).exit(0);
    here.memdir(["resolve", "user", "--ours"]).exit(0);
    here.git(["add", "-A"]);
    here.git(["commit", "-qm", "Merged"]);
    here.memdir(["sync"]).exit(0);
    let team = ["facts/team.md", "+ Meets on Mondays", "+ Has mugs"];
    assert_eq!(diff_rows(&here, &["r1", "team"]), team);
    // A merge that is given up brings nothing.
    there.memdir(["sync"]).exit(0);
    there.memdir(["update", "user", "Prefers neither", "Prefers spaces"]).exit(0);
    there.memdir(["sync"]).exit(0);
    here.memdir(["update", "user", "Prefers neither", "Prefers both"]).exit(0);
    here.memdir(["sync"]).exit(4);
    here.git(["merge", "--abort"]);
    assert_eq!(diff_rows(&here, &["r3"]), ["facts/user.md", "~ Prefers neither -> Prefers both"]);
    here.memdir(["sync"]).exit(4);
    assert_eq!(diff_rows(&here, &["r1", "team"]), team);
}

#[test]
fn names_and_notes_of_others_mislead_no_diff() {
    let (here, there) = pair();
    here.put("memdir.yaml", "version: 1\nallowlists: {planner: [work], doctor: [work, health]}\n");
    here.memdir(["add", "other", "First here"]).exit(0);
    carry(&here, &there);
    there.put("facts/a\nb.md", "# N\n\n- Of two lines\n");
    there.put("facts/health.md", "# Diary\n\n- Secret diagnosis\n");
    there.memdir(["add", "plans", "Plans ahead"]).exit(0);
    carry(&there, &here);
    here.memdir(["add", "other", "Second here"]).exit(0);
    let seen = here.memdir(["--as", "planner", "diff", "r1..r2", "--bullets"]).exit(0);
    assert!(seen.stdout.contains("Plans ahead") && !seen.stdout.contains("Secret"), "{seen:#?}");
    let whole = here.memdir(["diff", "r1..r2", "--bullets"]).exit(0);
    assert!(whole.stdout.contains("Of two lines") && whole.stdout.contains("Secret diagnosis"), "{whole:#?}");
    // Without its commits, a merge counts as an outside edit; what is no name of a commit is no argument of git.
    let note = here.text(".memdir/sync");
    here.put("precious", "precious");
    let victim = format!("--output={}", here.memory().join("precious").display());
    let to = here.git(["rev-parse", "HEAD"]);
    for from in [&victim[..], "HEAD", &"f".repeat(40)] {
        here.put(
            ".memdir/sync",
            format!(r#"{{"rev":2,"merges":[{{"rev":0,"at":"","from":"{from}","to":"{}"}}]}}"#, to.trim()),
        );
        assert_eq!(diff_rows(&here, &["r1"]), ["facts/other.md", "+ Second here"], "{from}");
    }
    assert_eq!(here.text("precious"), "precious");
    here.put(".memdir/sync", note);
}

#[test]
fn what_was_forgotten_is_in_no_diff_although_git_has_it() {
    let (here, there) = pair();
    here.memdir(["add", "other", "First here"]).exit(0);
    carry(&here, &there);
    there.memdir(["add", "user", "The word is swordfish"]).exit(0);
    carry(&there, &here);
    here.memdir(["add", "user", "Third here"]).exit(0);
    here.memdir(["rm", "--forget", "user", "- The word is swordfish"]).exit(0);
    assert!(!here.memdir(["diff", "r1"]).exit(0).stdout.contains("swordfish"));
}

#[test]
fn a_file_that_the_other_clone_renamed_is_not_doubled_by_undo_and_keeps_its_authors() {
    let (here, there) = pair();
    here.memdir(["add", "trips", "Rome in May"]).exit(0);
    carry(&here, &there);
    there.memdir(["mv", "user", "team"]).exit(0);
    there.memdir(["mv", "trips", "journeys"]).exit(0);
    there.memdir(["sync"]).exit(0);
    here.memdir(["add", "user#work", "Hal writes the docs"]).exit(0);
    here.memdir(["sync"]).exit(0);
    let undone = here.memdir(["undo"]).exit(4);
    assert_stderr_contains(&undone, "facts/user.md was renamed to facts/team.md in git since r2");
    let removal = format!(" rm facts/team.md@{}\n", handle("Hal writes the docs"));
    assert_stderr_contains(&undone, &removal);
    assert!(!undone.stderr.contains("redo"), "{undone:#?}");
    // Nor is a revision that is in effect there made again under the old name.
    assert_stderr_contains(&here.memdir(["redo", "r2"]).exit(4), "was renamed to facts/team.md in git since r2");
    // One that the revision made is not gone either.
    let removal = format!(" rm facts/journeys.md@{}\n", handle("Rome in May"));
    assert_stderr_contains(&here.memdir(["undo", "r1"]).exit(4), &removal);
    let blame = here.memdir(["bullet", "list", "team", "--blame", "--json"]).exit(0).json();
    let subjects: Vec<(String, String)> = blame["bullets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let commit = row["blame"]["commit"]["id"].as_str().unwrap_or_else(|| panic!("{row}"));
            let parents = here.git(["rev-list", "--count", commit]);
            (row["text"].as_str().unwrap().to_owned(), parents.trim().to_owned())
        })
        .collect();
    assert_eq!(subjects[0], ("Standup at ten".into(), "1".into()));
    assert_eq!(subjects[2], ("Hal writes the docs".into(), "3".into()), "{subjects:?}");
    here.memdir(["rm", &format!("facts/team.md@{}", handle("Hal writes the docs"))]).exit(0);
    // What a revision replaced there is changed by hand.
    here.memdir(["update", "team", "Prefers tabs", "Prefers spaces"]).exit(0);
    carry(&here, &there);
    there.git(["mv", "facts/team.md", "facts/crew.md"]);
    carry(&there, &here);
    assert_stderr_contains(&here.memdir(["undo"]).exit(4), " list facts/crew.md\n");
}
