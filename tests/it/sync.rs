//! `sync` keeps clones of a memory equal through a bare repository: its commits, reports, merges and refusals.
//!
//! Never reaches another machine: the remote is a directory beside the clone.

mod clones;
mod crash;
mod diff;
mod homes;
mod locks;
mod network;
mod outgoing;
mod random_clones;
mod refusals;

use crate::support::ProgramOutput;
use crate::support::git_repo::Repo;

const FILE: &str = "facts/user.md";
const TEXT: &str = "# User\n\n## Work\n\n- Standup at ten\n- Prefers tabs\n\n## Travel\n\n- Window seats\n";

/// Two clones in step, with one file.
pub fn pair() -> (Repo, Repo) {
    let here = Repo::whole();
    here.hub();
    here.put(FILE, TEXT);
    here.memdir(["sync"]).exit(0);
    let there = here.hub_clone("there");
    there.memdir(["sync"]).exit(0);
    (here, there)
}

/// Both clones sync until neither has anything new for the other.
#[track_caller]
pub fn settle(here: &Repo, there: &Repo) {
    for repo in [here, there, here] {
        repo.memdir(["sync"]).exit(0);
    }
    assert_eq!(here.git(["rev-parse", "HEAD"]), there.git(["rev-parse", "HEAD"]));
    for repo in [here, there] {
        assert_eq!(repo.git(["status", "--porcelain"]), "");
    }
}

#[track_caller]
fn assert_stdout_contains(result: &ProgramOutput, part: &str) {
    assert!(result.stdout.contains(part), "no {part:?} in {result:#?}");
}

#[track_caller]
fn assert_stderr_contains(result: &ProgramOutput, part: &str) {
    assert!(result.stderr.contains(part), "no {part:?} in {result:#?}");
}

fn message(repo: &Repo) -> String {
    repo.git(["log", "-1", "--format=%B"]).trim_end().to_owned()
}

#[test]
fn the_first_sync_shares_everything_but_proposals_and_machine_state() {
    let repo = Repo::whole();
    repo.hub();
    repo.put("inbox/idea.md", "- Not consented to\n");
    repo.put("scopes/web/inbox/idea.md", "- Neither\n");
    repo.memdir(["add", "user", "Prefers tabs", "Lives in Austin"]).exit(0);
    let result = repo.memdir(["sync"]).exit(0);
    assert_stdout_contains(&result, "memory: 2 bullets added in 4 files\npushed 1 commit to origin/main\n");
    assert_stderr_contains(
        &result,
        "memdir: this clone merges by bullet from now on (.gitattributes, .gitignore, git config)\n",
    );
    assert_eq!(repo.git(["ls-files"]), ".gitattributes\n.gitignore\nfacts/user.md\nmemdir.yaml\n");
    assert_eq!(repo.git(["rev-parse", "HEAD"]), repo.git(["rev-parse", "@{upstream}"]));
    let result = repo.memdir(["sync"]).exit(0);
    assert_eq!((&*result.stdout, &*result.stderr), ("", "memdir: nothing to do, up to date with origin/main\n"));
}

#[test]
fn two_clones_that_add_under_one_heading_end_equal() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Likes dark mode"]).exit(0);
    there.memdir(["add", "user#work", "Speaks Dutch"]).exit(0);
    here.memdir(["sync"]).exit(0);
    let result = there.memdir(["sync"]).exit(0);
    assert_stdout_contains(
        &result,
        "memory: 1 bullet added in 1 file\nmerged 1 commit from origin/main: facts/user.md\npushed 2 commits",
    );
    settle(&here, &there);
    let text = here.text(FILE);
    assert!(text.contains("- Likes dark mode\n") && text.contains("- Speaks Dutch\n"), "{text}");
}

#[test]
fn a_merge_that_git_calls_a_conflict_and_the_driver_decides_is_concluded() {
    let (here, there) = pair();
    for (repo, command) in [(&here, ["mv", "me#work", "me#job"]), (&there, ["add", "me", "Only here"])] {
        repo.memdir(["mv", "user", "me"]).exit(0);
        repo.memdir(command).exit(0);
    }
    here.memdir(["sync"]).exit(0);
    let result = there.memdir(["sync"]).exit(0);
    assert_stdout_contains(&result, "\nmerged 1 commit from origin/main");
    assert_stdout_contains(&result, "\npushed 2 commits to origin/main\n");
    settle(&here, &there);
    assert!(here.text("facts/me.md").contains("- Only here\n"));
}

#[test]
fn a_change_from_another_clone_is_no_outside_edit_and_no_lost_change() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Likes dark mode"]).exit(0);
    here.memdir(["sync"]).exit(0);
    there.memdir(["sync"]).exit(0);
    there.memdir(["update", "user", "Likes dark mode", "Likes dim light"]).exit(0);
    there.memdir(["sync"]).exit(0);
    here.memdir(["sync"]).exit(0);
    let status = here.memdir(["status", "--json"]).exit(0).json();
    assert_eq!((status["outside"].to_string(), status["dropped"].to_string()), ("[]".into(), "[]".into()));
    assert!(!here.memdir(["log"]).exit(0).stdout.contains("outside"));
    here.put(FILE, here.text(FILE).replace("dim light", "no light"));
    assert_eq!(here.memdir(["status", "--json"]).exit(0).json()["outside"][0], FILE, "a person's edit still is one");
}

#[test]
fn undo_reverts_the_own_change_and_keeps_changes_of_others() {
    let (here, there) = pair();
    here.memdir(["add", "user#work", "Likes dark mode"]).exit(0);
    there.memdir(["add", "user#travel", "Aisle never"]).exit(0);
    there.memdir(["sync"]).exit(0);
    here.memdir(["sync"]).exit(0);
    here.memdir(["undo"]).exit(0);
    let text = here.text(FILE);
    assert!(!text.contains("Likes dark mode") && text.contains("- Aisle never\n"), "{text}");
    let result = here.memdir(["undo"]).exit(0);
    assert_stderr_contains(&result, "there is nothing to undo or redo");
    settle(&here, &there);
    assert_eq!(there.text(FILE), text);
}

#[test]
fn the_commit_message_names_reason_actor_and_source() {
    let (here, _) = pair();
    here.memdir(["add", "user#work", "Likes dark mode", "-m", "said in the retro", "--source", "talk-7"]).exit(0);
    here.memdir(["--as", "claude", "add", "user#work", "Draws maps"]).exit(0);
    here.memdir(["sync"]).exit(0);
    let expected = "said in the retro\n\nfacts/user.md: 2 added\n\nMemdir-By: tester\nMemdir-By: claude\n\
                    Memdir-Source: talk-7\nMemdir-Op: r1 add facts/user.md\nMemdir-Op: r2 add facts/user.md";
    assert_eq!(message(&here), expected);
    here.memdir(["add", "user#work", "x", "-m", "one"]).exit(0);
    here.memdir(["rm", "user#travel@1", "-f", "-m", "two\u{1b}[2J"]).exit(0);
    here.put("facts/new.md", "# New\n\n- By hand\n");
    here.memdir(["sync"]).exit(0);
    let text = message(&here);
    assert!(
        text.starts_with(
            "memory: 2 bullets added, 1 removed in 2 files\n\nfacts/new.md: new, 1 added (edited outside memdir)\n"
        ),
        "{text}"
    );
    assert!(
        !text.contains("talk-7") && !text.contains("r2 ") && text.contains("Memdir-Op: r4 rm facts/user.md"),
        "{text}"
    );
    assert!(!text.contains("Window seats"), "memory text stays out: {text}");
}

#[test]
fn changes_undone_before_the_commit_are_not_in_its_message() {
    let (here, _) = pair();
    here.memdir(["add", "user#work", "A slip", "-m", "slip"]).exit(0);
    here.memdir(["undo"]).exit(0);
    here.memdir(["add", "user#work", "Speaks Dutch", "-m", "kept"]).exit(0);
    here.memdir(["sync"]).exit(0);
    assert_eq!(message(&here), "kept\n\nfacts/user.md: 1 added\n\nMemdir-By: tester\nMemdir-Op: r3 add facts/user.md");
}

#[test]
fn a_dry_run_shows_the_commit_and_does_nothing() {
    let (here, there) = pair();
    there.memdir(["add", "user#work", "Speaks Dutch"]).exit(0);
    there.memdir(["sync"]).exit(0);
    here.memdir(["add", "user#work", "Likes dark mode", "-m", "why not"]).exit(0);
    let refs = || (here.git(["for-each-ref"]), here.git(["status", "--porcelain"]));
    let before = refs();
    let result = here.memdir(["sync", "-n"]).exit(0);
    assert_stdout_contains(
        &result,
        "dry run, nothing committed; the remote was not contacted\nwhy not\n\nfacts/user.md: 1 added\n",
    );
    let json = here.memdir(["sync", "-n", "--json"]).exit(0).json();
    assert_eq!(
        (&json["dry_run"], &json["committed"][0]["files"][0], &json["pushed"]),
        (&true.into(), &FILE.into(), &0.into())
    );
    assert_eq!(refs(), before);
}

/// Two clones that rephrased one bullet; the first has synced.
fn parted() -> (Repo, Repo) {
    let (here, there) = pair();
    here.memdir(["update", "user", "Prefers tabs", "Prefers spaces"]).exit(0);
    there.memdir(["update", "user", "Prefers tabs", "Prefers any indent"]).exit(0);
    there.memdir(["add", "user#travel", "Aisle never"]).exit(0);
    here.memdir(["sync"]).exit(0);
    (here, there)
}

#[test]
fn a_true_conflict_stops_where_plain_git_understands_and_lists_the_bullets() {
    let (here, there) = parted();
    let result = there.memdir(["sync"]).exit(4);
    let [tabs, spaces, any] = ["Prefers tabs", "Prefers spaces", "Prefers any indent"].map(crate::support::handle);
    let left = format!(
        "facts/user.md: 1 conflict left\nline 8\n  base   @{tabs} Prefers tabs\n  ours   @{any} Prefers any indent\n  \
         theirs @{spaces} Prefers spaces\ntry: memdir --dir {} resolve facts/user.md\n",
        there.memory().display()
    );
    assert!(result.stdout.ends_with(&left), "{result:#?}\n{left}");
    assert_eq!(there.git(["status", "--porcelain"]), "UU facts/user.md\n");
    assert_eq!(there.git(["rev-parse", "MERGE_HEAD"]), here.git(["rev-parse", "HEAD"]));
    let text = there.text(FILE);
    assert!(text.contains("<<<<<<< HEAD\n- Prefers any indent\n") && text.contains("- Aisle never\n"), "{text}");
    let json = there.memdir(["sync", "--json"]).exit(4).json();
    assert_eq!((&json["conflicts"][0]["path"], &json["changed"]), (&FILE.into(), &false.into()));
    assert!(!here.git(["log", "--all", "--format=%s"]).contains("indent"), "nothing was pushed");
}

#[test]
fn a_merge_that_is_decided_is_concluded() {
    for how in ["--ours", "--theirs", "--both"] {
        let (here, there) = parted();
        there.memdir(["sync"]).exit(4);
        there.memdir(["resolve", "user", how]).exit(0);
        there.memdir(["add", "user#work", "Said meanwhile"]).exit(0);
        let result = there.memdir(["sync"]).exit(0);
        assert_stdout_contains(&result, "memory: 1 commit from origin/main merged\npushed 2 commits to origin/main\n");
        settle(&here, &there);
        let text = here.text(FILE);
        let stands = (text.contains("- Prefers any indent\n"), text.contains("- Prefers spaces\n"));
        let expected = (how != "--theirs", how != "--ours");
        assert_eq!((stands, text.matches("Said meanwhile").count()), (expected, 1), "{how} {text}");
    }
}

#[test]
fn plain_git_can_conclude_the_merge_too() {
    let (here, there) = parted();
    there.memdir(["sync"]).exit(4);
    there.put(FILE, TEXT.replace("Prefers tabs", "Prefers what is there"));
    there.git(["commit", "--quiet", "--all", "--no-edit"]);
    assert_stdout_contains(&there.memdir(["sync"]).exit(0), "pushed 2 commits");
    settle(&here, &there);
}

#[test]
fn a_file_that_one_side_removed_and_the_other_changed_waits_for_a_person() {
    let (here, there) = pair();
    here.put("facts/b.md", "# B\n\n- One\n");
    settle(&here, &there);
    here.memdir(["rm", "user", "-f"]).exit(0);
    there.memdir(["add", "user#work", "Speaks Dutch"]).exit(0);
    here.memdir(["sync"]).exit(0);
    let result = there.memdir(["sync"]).exit(4);
    assert_stdout_contains(
        &result,
        "facts/user.md: changed here, removed there\ntry: git add -- facts/user.md\ntry: git rm -- facts/user.md\n",
    );
    there.memdir(["sync"]).exit(4);
    there.git(["add", "--", FILE]);
    there.memdir(["sync"]).exit(0);
    settle(&here, &there);
    assert!(here.text(FILE).contains("Speaks Dutch"));
}

#[test]
fn a_file_that_both_sides_renamed_keeps_the_name_that_a_person_chooses() {
    for kept in [0, 1] {
        let (here, there) = pair();
        here.put("facts/plan.md", "# Plan\n\n- Measure twice\n- Cut the boards once\n- Glue all of the long joints\n- Paint the outer side green\n- Let it dry for two days\n");
        here.put(
            "facts/trip.md",
            "# Trip\n\n- Train at nine\n- Seats by the window\n- Hotel by the lake\n- Museum closes at five\n",
        );
        settle(&here, &there);
        for (repo, name) in [(&here, "a"), (&there, "b")] {
            repo.memdir(["mv", "plan", &format!("plan-{name}")]).exit(0);
            repo.memdir(["mv", "trip", &format!("trip-{name}")]).exit(0);
        }
        here.memdir(["sync"]).exit(0);
        there.memdir(["add", "plan-b", "Sand the edges"]).exit(0);
        let result = there.memdir(["sync"]).exit(4);
        let row = |name: &str| {
            let (a, b) = (format!("facts/{name}-a.md"), format!("facts/{name}-b.md"));
            let old = format!("facts/{name}.md");
            let keep =
                [format!("git rm -- {old} {a} && git add -- {b}"), format!("git rm -- {old} {b} && git add -- {a}")];
            let said = format!("{old}: renamed to {b} here and to {a} there, with the same text in both; keep one\n");
            (format!("{said}try: {}\ntry: {}\n", keep[0], keep[1]), keep)
        };
        let rows = [row("plan"), row("trip")];
        let told = format!("{}{}", rows[0].0, rows[1].0);
        assert_stdout_contains(&result, &told);
        assert_eq!(there.memdir(["resolve"]).exit(4).stdout, told);
        assert_eq!(there.memdir(["resolve", "plan-a"]).exit(4).stdout, rows[0].0);
        let unfinished = "unfinished merge: facts/plan-a.md\nunfinished merge: facts/plan-b.md\n";
        assert_stdout_contains(&there.memdir(["status"]).exit(0), unfinished);
        for (_, keep) in &rows {
            for command in keep[kept].split(" && ") {
                there.git(command.split(' ').skip(1));
            }
        }
        there.memdir(["sync"]).exit(0);
        settle(&here, &there);
        let [name, gone] = if kept == 0 { ["b", "a"] } else { ["a", "b"] };
        assert_eq!(here.text(&format!("facts/plan-{name}.md")).matches("Sand the edges").count(), 1);
        assert!(!here.memory().join(format!("facts/plan-{gone}.md")).exists());
        assert!(!there.memdir(["status"]).exit(0).stdout.contains("unfinished"));
    }
}

#[test]
fn a_text_that_may_never_have_been_merged_is_not_taken_for_decided() {
    let (here, there) = parted();
    there.put(".git/info/attributes", "*.md merge=binary\n");
    there.memdir(["sync", "-n"]).exit(0);
    there.git(["add", "--all"]);
    there.git(["commit", "--quiet", "-m", "by hand"]);
    there.git(["fetch", "--quiet"]);
    there.try_git(["merge", "origin/main"]).exit(1);
    let result = there.memdir(["sync"]).exit(4);
    assert_stdout_contains(&result, "facts/user.md: has no conflict markers, but is not marked as resolved in git\n");
    drop(here);
}

#[test]
fn markers_are_never_committed() {
    let (here, _) = pair();
    let marked =
        "# User\n\n<<<<<<< a\n- Prefers spaces\n||||||| o\n- Prefers tabs\n=======\n- Prefers any\n>>>>>>> b\n";
    here.put(FILE, marked);
    let before = here.git(["rev-parse", "HEAD"]);
    let result = here.memdir(["sync"]).exit(4);
    assert_stdout_contains(&result, "facts/user.md: contains conflict markers\ntry: memdir ");
    // No merge is in progress that could be concluded or cancelled.
    assert_stderr_contains(&result, "nothing was committed; resolve the conflicts, or indent such lines by a space");
    assert_eq!(here.git(["rev-parse", "HEAD"]), before);
    here.memdir(["resolve", "user", "--both"]).exit(0);
    here.memdir(["sync"]).exit(0);
}

#[test]
fn markers_that_somebody_committed_are_not_pushed() {
    let (here, there) = pair();
    here.put(
        FILE,
        TEXT.replace("- Prefers tabs\n", "<<<<<<< a\n- Prefers spaces\n=======\n- Prefers any\n>>>>>>> b\n"),
    );
    here.git(["commit", "--quiet", "--all", "-m", "by mistake"]);
    let hub = here.git(["ls-remote", "origin", "main"]);
    let result = here.memdir(["sync"]).exit(4);
    assert_stdout_contains(&result, "facts/user.md:6: contains conflict markers\ntry: memdir ");
    assert_stderr_contains(&result, "a commit contains conflict markers, so nothing was pushed");
    assert_eq!(here.git(["ls-remote", "origin", "main"]), hub);
    here.memdir(["resolve", "user", "--ours"]).exit(0);
    settle(&here, &there);
    assert!(there.text(FILE).contains("- Prefers spaces\n"));
}

#[test]
fn proposals_that_are_in_git_already_are_left_as_they_are() {
    let (here, there) = pair();
    here.put("inbox/old.md", "- Old\n");
    here.git(["add", "--force", "inbox/old.md"]);
    here.git(["commit", "--quiet", "-m", "an old mistake"]);
    here.put("inbox/old.md", "- Old, edited\n");
    here.put("inbox/new.md", "- New\n");
    here.git(["add", "--force", "inbox/new.md"]);
    here.memdir(["add", "user#work", "Speaks Dutch"]).exit(0);
    let result = here.memdir(["sync"]).exit(0);
    assert_stderr_contains(&result, "of inbox/ (inbox/new.md …) in git, although proposals are not shared");
    assert_eq!(here.git(["ls-files", "inbox"]), "inbox/old.md\n");
    assert_eq!((here.text("inbox/old.md"), here.text("inbox/new.md")), ("- Old, edited\n".into(), "- New\n".into()));
    there.memdir(["sync"]).exit(0);
    assert_eq!(there.text("inbox/old.md"), "- Old\n");
}

#[test]
fn a_file_that_git_leaves_out_here_is_not_written_over() {
    let (here, there) = pair();
    there.put("inbox/x.md", "- Theirs\n");
    there.git(["add", "--force", "inbox/x.md"]);
    there.git(["commit", "--quiet", "-m", "shared by mistake"]);
    there.memdir(["sync"]).exit(0);
    here.put("inbox/x.md", "- Mine\n");
    here.memdir(["add", "user#work", "Speaks Dutch"]).exit(0);
    let result = here.memdir(["sync"]).exit(4);
    assert_stderr_contains(
        &result,
        "memdir: exists: 'inbox/x.md' is part of origin/main, but exists here as a file that git ignores; ",
    );
    assert_eq!(here.text("inbox/x.md"), "- Mine\n");
}

#[test]
fn a_conflict_in_a_file_that_both_sides_renamed_is_decided_before_its_name() {
    let (here, there) = pair();
    let steps: String =
        (1..30).map(|n| format!("- Step {n} of the plan is done by the team number {}\n", n * 37)).collect();
    here.put(
        "facts/plan.md",
        format!("# Plan\n\n- Measure twice\n- Cut once\n- Glue\n- Paint the outer side green\n{steps}"),
    );
    settle(&here, &there);
    for (repo, name, colour) in [(&here, "a", "blue"), (&there, "b", "red")] {
        repo.memdir(["mv", "plan", &format!("plan-{name}")]).exit(0);
        repo.memdir(["update", &format!("plan-{name}@4"), &format!("Paint the outer side {colour}"), "-f"]).exit(0);
    }
    here.memdir(["sync"]).exit(0);
    let result = there.memdir(["sync"]).exit(4);
    assert!(there.text("facts/plan-b.md").contains("<<<<<<<"), "{}", there.text("facts/plan-b.md"));
    assert!(!result.stdout.contains("with the same text in both"), "{}", result.stdout);
    assert!(!result.stdout.contains("git add -- facts/plan-b.md"), "{}", result.stdout);
    assert_stdout_contains(&result, "facts/plan-b.md");
}

#[test]
fn a_note_that_is_new_in_a_folder_which_the_other_side_renamed_is_no_conflict() {
    let (here, there) = pair();
    for n in 1..=3 {
        here.put(
            &format!("facts/old/n{n}.md"),
            format!("# N{n}\n\n- Fact {n} about something\n- And one more of {n}\n"),
        );
    }
    settle(&here, &there);
    for n in 1..=3 {
        let (from, to) = (format!("facts/old/n{n}.md"), format!("facts/new/n{n}.md"));
        there.memdir(["mv", &from, &to, "--create"]).exit(0);
    }
    there.memdir(["sync"]).exit(0);
    here.put("facts/old/n4.md", "# N4\n\n- New note\n");
    here.memdir(["sync"]).exit(0);
    settle(&here, &there);
    assert_eq!(there.text("facts/old/n4.md"), "# N4\n\n- New note\n");
}

#[test]
fn a_file_that_is_deleted_in_a_merge_is_restored_or_removed() {
    for (command, left) in [(&["checkout", "--ours"][..], Some("ours")), (&["rm", "--quiet"], None)] {
        let (_, there) = parted();
        there.memdir(["sync"]).exit(4);
        fs_err::remove_file(there.memory().join(FILE)).unwrap();
        let run = there.memdir(["sync"]).exit(4);
        for part in ["facts/user.md: deleted here, although both sides have it", "checkout --theirs -- facts/user.md\n"]
        {
            assert_stdout_contains(&run, part);
        }
        there.git(command.iter().copied().chain(["--", FILE]));
        assert_eq!(there.memory().join(FILE).exists(), left.is_some());
    }
}
