//! `resolve` takes conflict markers apart again: what merges by bullet is merged, what is left is shown with handles or
//! decided by the given option; it is journaled, undoable, and keeps concurrent edits of a person.
//!
//! Needs git only where the common ancestor must come from its index.

use crate::support::git_repo::Repo;
use crate::support::{Memory, handle};

const BASE: &str = "# User\n\n- Standup at ten\n- Prefers tabs\n- Window seats\n";
const FILE: &str = "facts/user.md";

/// A file as git's own line merge leaves it, with diff3 markers: two adds at one place, two edits of one bullet.
const MARKED: &str = "# User\n\n- Standup at ten\n<<<<<<< HEAD\n- Prefers spaces\n- Likes dark mode\n||||||| 1f2e3d4\n- Prefers tabs\n=======\n- Prefers tabs\n- Speaks Dutch\n>>>>>>> other\n- Window seats\n";
const TWO_EDITS: &str = "# User\n\n<<<<<<< HEAD\n- Prefers spaces\n||||||| 1f2e3d4\n- Prefers tabs\n=======\n- Prefers any indent\n>>>>>>> other\n- Window seats\n";

/// A merge that git alone could not make, with markers in git's own style, in a clone that is not joined.
fn stopped(style: &str, ours: &str, theirs: &str) -> Repo {
    let repo = Repo::new();
    repo.git(["config", "merge.conflictStyle", style]);
    repo.parted(FILE, BASE, ours, theirs);
    repo.try_git(["merge", "--no-edit", "other"]).exit(1);
    repo
}

fn added(line: &str) -> String {
    BASE.replace("- Prefers tabs\n", &format!("- Prefers tabs\n{line}\n"))
}

#[test]
fn conflicts_that_merge_by_bullet_are_resolved() {
    let memory = Memory::new().file(FILE, MARKED);
    let ran = memory.done(["resolve", "user"]);
    assert!(ran.stdout.starts_with("facts/user.md  r1\n+ "), "{ran}");
    let text = memory.text(FILE).unwrap();
    let mut bullets: Vec<&str> = text.lines().filter(|l| l.starts_with("- ")).collect();
    bullets.sort();
    let all = ["- Likes dark mode", "- Prefers spaces", "- Speaks Dutch", "- Standup at ten", "- Window seats"];
    assert_eq!(bullets, all, "{text}");
    assert!(!text.contains("<<<<") && !text.contains("===="));
    let undone = memory.done(["undo"]);
    assert!(!undone.stdout.contains("===") && undone.stdout.contains("Speaks Dutch\n"), "{undone}");
    undone.stderr_contains("facts/user.md has conflict markers again");
    assert_eq!(memory.text(FILE).unwrap(), MARKED);
    memory.done(["redo"]);
    assert_eq!(memory.text(FILE).unwrap(), text);
    memory.done(["log"]).stdout_contains("tester: resolve; facts/user.md");
}

const EXAMPLE: &str = "# User\n\n- Reads conflicts such as\n\n```\nx\n<<<<<<< HEAD\n- Prefers spaces\n=======\n- Prefers tabs\n>>>>>>> other\ny\n```\n\n- Window seats\n";

#[test]
fn an_example_of_markers_in_a_block_of_code_is_no_conflict() {
    let memory = Memory::new().file(FILE, EXAMPLE);
    memory.done(["add", "user", "Likes dark mode"]);
    memory.done(["rm", "user", "- Window seats"]);
    memory.done(["check"]);
    assert!(!memory.done(["status"]).stdout.contains("conflict"));
    memory.done(["resolve", "--ours"]);
    memory.done(["resolve", "user", "--ours"]).stderr_contains("facts/user.md has no conflict markers");
    memory.run(["write", "style", "--create"]).stdin(EXAMPLE).exit(0);
    let text = memory.text(FILE).unwrap();
    assert!(text.contains("x\n<<<<<<< HEAD\n- Prefers spaces\n=======\n- Prefers tabs\n>>>>>>> other\ny\n"), "{text}");
    // With one marker outside the block it is a conflict.
    memory.put(FILE, EXAMPLE.replace(">>>>>>> other\ny\n```\n", "```\n>>>>>>> other\n"));
    memory.run(["add", "user", "Speaks Dutch"]).exit(5).stderr_contains("conflict_markers");
}

#[test]
fn a_conflict_in_a_block_of_code_is_one_while_git_lists_the_file_as_unmerged() {
    let code = |line: &str| format!("# User\n\n- Sets\n\n```\ntab = {line}\n```\n\n- Window seats\n");
    let repo = Repo::new();
    repo.parted(FILE, &code("8"), &code("4"), &code("2"));
    repo.try_git(["merge", "--no-edit", "other"]).exit(1);
    let text = repo.text(FILE);
    assert!(text.contains("```\n<<<<<<< HEAD\ntab = 4\n=======\ntab = 2\n>>>>>>> other\n```\n"), "{text}");
    for words in [
        &["add", "user", "Speaks Dutch"][..],
        &["rm", "user", "- Window seats"],
        &["rm", "-n", "user", "- Window seats"],
    ] {
        repo.memdir(words.iter().copied())
            .exit(5)
            .stderr_contains("facts/user.md contains merge conflict markers (line 6)");
    }
    repo.memdir(["check"]).exit(6).stdout_contains("has an unresolved merge conflict");
    repo.memdir(["status"]).exit(0).stdout_contains("conflict");
    repo.memdir(["resolve"]).exit(4).stdout_contains("1 conflict left");
    repo.memdir(["resolve", "--ours"]).exit(0);
    assert_eq!(repo.text(FILE), code("4"));
}

#[test]
fn the_remaining_conflicts_are_shown_with_the_handles_of_both_sides() {
    let memory = Memory::new().file(FILE, TWO_EDITS);
    let ran = memory.run(["resolve"]).may_change().exit(4);
    let [tabs, spaces, any] = ["Prefers tabs", "Prefers spaces", "Prefers any indent"].map(handle);
    let shown = format!(
        "facts/user.md: 1 conflict left\nline 3\n  base   @{tabs} Prefers tabs\n  ours   @{spaces} Prefers spaces\n  \
         theirs @{any} Prefers any indent\ntry: memdir resolve --ours facts/user.md\n\
         try: memdir resolve --theirs facts/user.md\ntry: memdir resolve --both facts/user.md\n"
    );
    assert!(ran.stdout.ends_with(&shown), "{ran}");
    let ran = memory.run(["resolve", "--json"]).may_change().exit(4);
    let json = ran.json();
    assert_eq!(json["left"][0]["conflicts"][0]["bullets"][2]["side"], "theirs");
    assert!(memory.text(FILE).unwrap().contains("<<<<<<< HEAD\n- Prefers spaces\n"));
}

#[test]
fn the_remaining_conflicts_are_decided_by_the_given_option() {
    for (flag, inside) in [
        ("--ours", "- Prefers spaces\n"),
        ("--theirs", "- Prefers any indent\n"),
        ("--both", "- Prefers spaces\n- Prefers any indent\n"),
    ] {
        let memory = Memory::new().file(FILE, TWO_EDITS);
        memory.done(["resolve", "user", flag]);
        assert_eq!(memory.text(FILE).unwrap(), format!("# User\n\n{inside}- Window seats\n"), "{flag}");
        memory.done(["add", "user", "It can be written again"]);
    }
}

#[test]
fn a_dry_run_shows_the_diff_and_writes_nothing() {
    let memory = Memory::new().file(FILE, TWO_EDITS);
    memory
        .done(["resolve", "-n", "--ours"])
        .unchanged()
        .stdout_contains("-<<<<<<< HEAD\n")
        .stdout_contains("dry run, nothing written\n");
    memory.done(["resolve", "--ours", "--json"]);
}

#[test]
fn markers_without_an_ancestor_are_left_to_a_person() {
    let plain = "# User\n\n<<<<<<< HEAD\n- Prefers spaces\n=======\n- Prefers any indent\n>>>>>>> other\n";
    let memory = Memory::new().file(FILE, plain);
    let ran = memory.run(["resolve"]).may_change().exit(4);
    ran.unchanged().stderr_contains("do not include the common ancestor").stdout_contains("  theirs @");
    memory.done(["resolve", "--both"]);
    assert_eq!(memory.text(FILE).unwrap(), "# User\n\n- Prefers spaces\n- Prefers any indent\n");
}

#[test]
fn each_resolved_file_is_an_operation_of_its_own() {
    let plain = "# User\n\n<<<<<<< HEAD\n- Prefers spaces\n=======\n- Prefers any indent\n>>>>>>> other\n";
    let memory = Memory::new().file(FILE, plain).file("facts/other.md", plain);
    let files = memory.done(["resolve", "--both", "--json"]).json()["files"].clone();
    let operations: Vec<_> = files.as_array().unwrap().iter().map(|file| &file["effects"][0]["operation"]).collect();
    assert_eq!(operations, [0, 1], "{files}");
}

#[test]
fn nothing_to_resolve_and_incomplete_markers_are_reported() {
    let memory = Memory::new().file(FILE, BASE);
    memory.done(["resolve"]).unchanged().stderr_contains("nothing to do");
    memory.done(["resolve", "user"]).unchanged().stderr_contains("facts/user.md has no conflict markers");
    memory.run(["resolve", "none"]).exit(3).stderr_contains("file_not_found");
    let broken = "# User\n\n<<<<<<< a\n<<<<<<< b\n=======\n- x\n>>>>>>> b\n";
    memory.put(FILE, broken);
    memory.run(["resolve", "user"]).exit(5).stderr_contains("memdir: conflict_markers: ");
}

#[test]
fn gits_index_knows_the_ancestor_that_markers_do_not_show() {
    for style in ["merge", "diff3"] {
        let repo = stopped(style, &added("- Likes dark mode"), &added("- Speaks Dutch"));
        let run_output = repo.memdir(["resolve"]).exit(0);
        assert!(run_output.stdout.ends_with("\ntry: git -C memory add -- facts/user.md\n"), "{run_output:#?}");
        let again = repo.memdir(["resolve", "user"]).exit(0);
        assert_eq!(again.stdout, "try: git -C memory add -- facts/user.md\n", "git still waits");
        let inside = repo.memdir(["-C", "memory", "resolve", "user"]).exit(0);
        assert_eq!(inside.stdout, "try: git -C memory add -- facts/user.md\n");
        let text = repo.text(FILE);
        assert!(text.contains("- Likes dark mode\n") && text.contains("- Speaks Dutch\n") && !text.contains("<<<"));
        repo.git(["add", "--", "memory/facts/user.md"]);
        repo.git(["commit", "--quiet", "--no-edit"]);
        assert_eq!(repo.memdir(["resolve"]).exit(0).stdout, "");
    }
}

#[test]
fn text_that_a_person_wrote_beside_the_markers_stays() {
    for style in ["merge", "diff3"] {
        let repo = stopped(style, &added("- Likes dark mode"), &added("- Speaks Dutch"));
        let text = repo.text(FILE);
        let edited = text.replace("Standup at ten", "Standup at noon").replace("- Likes dark", "- Likes a very dark");
        repo.put(FILE, edited + "- Written by hand\n");
        repo.memdir(["resolve"]).exit(0);
        let text = repo.text(FILE);
        for line in ["- Standup at noon\n", "- Likes a very dark mode\n", "- Speaks Dutch\n", "- Written by hand\n"] {
            assert_eq!(text.matches(line).count(), 1, "{style} {line}\n{text}");
        }
    }
}

#[test]
fn crlf_stays() {
    let memory = Memory::new().file(FILE, &TWO_EDITS.replace('\n', "\r\n"));
    memory.run(["resolve", "user"]).may_change().exit(4);
    assert!(!memory.text(FILE).unwrap().replace("\r\n", "").contains('\n'));
    memory.done(["resolve", "user", "--theirs"]);
    assert_eq!(memory.text(FILE).unwrap(), "# User\r\n\r\n- Prefers any indent\r\n- Window seats\r\n");
}

#[test]
fn all_files_with_markers_are_one_change_also_what_was_archived() {
    let memory = Memory::new().file(FILE, TWO_EDITS).file("archive/facts/user.md", TWO_EDITS).file("facts/a.md", BASE);
    let ran = memory.done(["resolve", "--theirs"]);
    assert_eq!(ran.difference.matches("M ").count(), 2, "{ran}");
    memory.done(["undo"]);
    assert_eq!(memory.text("archive/facts/user.md").unwrap(), TWO_EDITS);
    memory.put("facts/a: b.md", TWO_EDITS);
    memory.run(["resolve", "--ours"]).may_change().ends().stderr_contains("was not changed");
    assert_eq!(memory.text("facts/a: b.md").unwrap(), TWO_EDITS);
    assert!(!memory.text(FILE).unwrap().contains("<<<"));
}

#[test]
fn a_file_that_one_side_removed_is_a_persons_to_decide() {
    let repo = Repo::wired();
    repo.commit(FILE, BASE);
    repo.git(["checkout", "--quiet", "-b", "other"]);
    repo.git(["rm", "--quiet", "memory/facts/user.md"]);
    repo.save("gone");
    repo.git(["checkout", "--quiet", "main"]);
    repo.commit(FILE, &added("- Speaks Dutch"));
    repo.try_git(["merge", "--no-edit", "other"]).exit(1);
    let run_output = repo.memdir(["resolve"]).exit(4);
    let shown = "facts/user.md: changed here, removed there\ntry: git -C memory add -- facts/user.md\ntry: git -C memory rm -- facts/user.md\n";
    assert_eq!(run_output.stdout, shown);
    repo.git(["-C", "memory", "add", "--", FILE]);
    repo.memdir(["resolve"]).exit(0);
    assert!(repo.text(FILE).contains("- Speaks Dutch\n"));
}

#[test]
fn status_and_refusals_lead_to_resolve() {
    let memory = Memory::new().file(FILE, BASE);
    memory.done(["add", "user", "Speaks Dutch"]);
    memory.put(FILE, TWO_EDITS);
    let ran =
        memory.done(["status"]).stdout_contains("conflict markers: facts/user.md\ntry: memdir resolve facts/user.md\n");
    assert!(!ran.stdout.contains("dropped"), "what is missing between markers is not decided yet: {ran}");
    memory
        .run(["add", "user", "x y z"])
        .exit(5)
        .stderr_contains("conflict_markers")
        .stderr_contains("try: memdir resolve facts/user.md\n");
}

#[test]
fn a_bullet_beside_the_markers_stays_one() {
    let base = "# W\n\n- Ships by boat on even Mondays\n- Other\n";
    let theirs = "# W\n\n- Ships by truck on odd Mondays\n- Ships by boat on odd Mondays\n- Other\n";
    let repo = Repo::wired();
    repo.parted(FILE, base, "# W\n\n- Other\n", theirs);
    repo.try_git(["merge", "--no-edit", "other"]).exit(1);
    repo.memdir(["resolve", "--both"]).exit(0);
    let text = repo.text(FILE);
    for line in theirs.lines().filter(|line| !line.is_empty()) {
        assert_eq!(text.matches(line).count(), 1, "{line}\n{text}");
    }
}

/// A file as jj writes a conflict: a diff of one side, and the other side.
const OF_JJ: &str = "# User\n\n- Standup at ten\n<<<<<<< conflict 1 of 1\n%%%%%%% diff from: qpvuntsm 1f2e \"base\"\n\\\\\\\\\\\\\\        to: rtsqusxu 3c4d \"one\"\n-- Prefers tabs\n+- Prefers spaces\n+++++++ ysrnknol 5e6f \"two\"\n- Prefers tabs\n- Speaks Dutch\n>>>>>>> conflict 1 of 1 ends\n- Window seats\n";

#[test]
fn the_markers_of_jj_are_read() {
    let memory = Memory::new().file(FILE, OF_JJ);
    let ran = memory.done(["list", "user"]);
    for marker in ["<<<<", "%%%%", "++++", ">>>>", "diff from"] {
        assert!(!ran.stdout.contains(marker), "{ran}");
    }
    let ran = memory.run(["check"]).ends().stdout_contains("facts/user.md:4:1: error: conflict_markers");
    assert_eq!(ran.status, 6, "{ran}");
    memory.done(["resolve", "user"]);
    let text = memory.text(FILE).unwrap();
    let mut bullets: Vec<&str> = text.lines().filter(|l| l.starts_with("- ")).collect();
    bullets.sort();
    assert_eq!(bullets, ["- Prefers spaces", "- Speaks Dutch", "- Standup at ten", "- Window seats"], "{text}");
    assert!(!text.contains("<<<<") && !text.contains("%%%%"), "{text}");
}

#[test]
fn a_front_matter_key_never_gets_two_values() {
    let text = "---\n<<<<<<< a\nowner: ann\n||||||| o\nowner: all\n=======\nowner: ben\n>>>>>>> b\n---\n\n# User\n\n<<<<<<< a\n- Prefers spaces\n||||||| o\n- Prefers tabs\n=======\n- Prefers any\n>>>>>>> b\n";
    let memory = Memory::new().file(FILE, text);
    let ran = memory.run(["resolve", "user", "--both"]).may_change().exit(4).stderr_contains("a key has one value");
    let left = memory.text(FILE).unwrap();
    assert!(
        left.contains("- Prefers spaces\n- Prefers any\n") && left.contains("<<<<<<< a\nowner: ann\n"),
        "{ran}{left}"
    );
    memory.done(["resolve", "user", "--theirs"]);
    assert!(memory.text(FILE).unwrap().starts_with("---\nowner: ben\n---\n"));
}

#[test]
fn resolve_names_what_it_could_not_search() {
    let memory = Memory::new().file("facts/tea.md", "# T\n\n<<<<<<< H\n- g\n=======\n- b\n>>>>>>> t\n");
    memory.put("facts/tee.md", memory.text("facts/tea.md").unwrap());
    fs_err::hard_link(memory.dir().join("facts/tee.md"), memory.dir().join("../beside")).unwrap();
    // A person has to look at it, so the answer is not a plain success.
    memory.run(["resolve", "--both"]).may_change().exit(4).stderr_contains("facts/tee.md");
}

#[test]
fn a_name_that_memdir_does_not_write_is_reported_and_no_success() {
    let memory = Memory::new().file("facts/a \"b\" $c.md", TWO_EDITS);
    let ran = memory.run(["resolve"]).may_change().exit(4);
    ran.stdout_contains("has conflict markers and a name that memdir does not write; resolve it in an editor\n");
}

const TWO_DATES: &str = "# User\n\n<<<<<<< a\n- Deploys on Fridays\n  <!-- mem exp=2026-04-10 imp=7 -->\n||||||| o\n\
- Deploys on Fridays\n=======\n- Deploys on Fridays\n  <!-- mem exp=2026-03-10 -->\n>>>>>>> b\n";

#[test]
fn a_conflict_in_metadata_names_the_keys_that_differ() {
    let memory = Memory::new().file(FILE, TWO_DATES);
    let ran = memory.run(["resolve", "user"]).may_change().exit(4);
    let sides = ["  base   ", "  ours   ", "  theirs "].map(|side| {
        let line = ran.stdout.lines().find(|line| line.starts_with(side)).unwrap_or_else(|| panic!("{side} {ran}"));
        line.split_once("Fridays").unwrap().1.to_owned()
    });
    // `imp` is merged.
    assert_eq!(sides, ["", " exp=2026-04-10", " exp=2026-03-10"], "{ran}");
    let json = memory.run(["resolve", "user", "--json"]).may_change().exit(4).json();
    assert_eq!(json["left"][0]["conflicts"][0]["bullets"][2]["metadata"]["exp"], "2026-03-10");
}

#[test]
fn a_bullet_is_not_kept_twice_for_its_metadata() {
    let memory = Memory::new().file(FILE, TWO_DATES);
    memory.run(["resolve", "user", "--both"]).may_change().exit(4).stderr_contains("a key has one value");
    let left = memory.text(FILE).unwrap();
    assert!(left.contains("<<<<<<<") && left.contains("exp=2026-04-10") && left.contains("exp=2026-03-10"), "{left}");
    memory.done(["resolve", "user", "--ours"]);
    let left = memory.text(FILE).unwrap();
    assert_eq!(left, "# User\n\n- Deploys on Fridays\n  <!-- mem exp=2026-04-10 imp=7 -->\n");
}
