//! What a pull request changed: `diff` and `check --since` over git's revisions.
//!
//! Tests no merge.

use crate::support::git_repo::Repo;
use crate::support::{Memory, handle};

const FILE: &str = "facts/user.md";
const BASE: &str = "# User\n\n- Prefers tabs\n- Lives in Austin\n\n## Travel\n\n- Window seats\n";
const NOW: &str =
    "# User\n\n- Prefers spaces\n- Speaks Dutch\n- Plays the cello\n\n## Travel\n\n- Window seats\n- Lives in Austin\n";

fn two() -> Repo {
    let repo = Repo::new();
    repo.commit(FILE, BASE);
    repo.git(["checkout", "--quiet", "-b", "topic"]);
    repo.commit(FILE, NOW);
    repo
}

#[test]
fn a_pull_request_is_summarised_in_bullets() {
    let repo = two();
    let result = repo.memdir(["diff", "main..topic", "--stat"]).exit(0);
    assert_eq!(result.stdout, "+2 bullets, 1 updated, 1 moved in facts/user.md\n");
    let result = repo.memdir(["diff", "main..topic", "--bullets"]).exit(0);
    let [tabs, spaces, dutch, cello, austin] =
        ["Prefers tabs", "Prefers spaces", "Speaks Dutch", "Plays the cello", "Lives in Austin"].map(handle);
    let expected = format!(
        "facts/user.md\n~ @{spaces} Prefers spaces (was @{tabs} Prefers tabs)\n+ @{dutch} Speaks Dutch\n\
         + @{cello} Plays the cello\n> @{austin} Lives in Austin → #travel\n"
    );
    assert_eq!(result.stdout, expected);
    let lines = repo.memdir(["diff", "main..topic"]).exit(0).stdout;
    assert!(lines.contains("--- a/facts/user.md\n+++ b/facts/user.md\n") && lines.contains("-- Prefers tabs\n"));
    let json = repo.memdir(["diff", "main..topic", "--json"]).exit(0).json();
    assert_eq!((&json["from"], &json["to"]), (&"main".into(), &"topic".into()));
    assert_eq!(json["files"][0]["effects"][0]["was"]["text"], "Prefers tabs");
}

#[test]
fn a_revision_is_compared_with_now_and_with_the_merge_base() {
    let repo = two();
    repo.put(FILE, NOW.replace("- Speaks Dutch\n", ""));
    assert_eq!(repo.memdir(["diff", "HEAD", "--stat"]).exit(0).stdout, "-1 bullet in facts/user.md\n");
    repo.put(FILE, NOW);
    assert_eq!(repo.memdir(["diff", "HEAD"]).exit(0).stdout, "");
    repo.git(["checkout", "--quiet", "main"]);
    repo.commit("facts/other.md", "# Other\n\n- One\n");
    let parted = repo.memdir(["diff", "main...topic", "--stat"]).exit(0).stdout;
    assert_eq!(parted, "+2 bullets, 1 updated, 1 moved in facts/user.md\n");
    let apart = repo.memdir(["diff", "main..topic", "--stat"]).exit(0).stdout;
    assert!(apart.starts_with("-1 bullet in facts/other.md (removed)\n"), "{apart}");
    assert_eq!(repo.memdir(["diff", "main..topic", "other", "--stat"]).exit(0).stdout.lines().count(), 1);
}

#[test]
fn added_removed_and_renamed_files_are_reported() {
    let repo = Repo::new();
    repo.commit(FILE, BASE);
    repo.commit("facts/old.md", "# Old\n\n- Only here\n- And here\n");
    repo.put("inbox/proposal.md", "# P\n\n- Not consented\n");
    repo.git(["mv", "memory/facts/user.md", "memory/facts/person.md"]);
    fs_err::remove_file(repo.memory().join("facts/old.md")).unwrap();
    repo.put("facts/new.md", "# New\n\n- Fresh\n- Also fresh\n- Only here\n");
    let result = repo.memdir(["diff", "HEAD", "--stat"]).exit(0);
    let expected = "+2 bullets in facts/new.md (new file)\n-1 bullet, 1 moved in facts/old.md (removed)\n\
                    no bullet changed in facts/user.md → facts/person.md\n";
    assert_eq!(result.stdout, expected);
    let result = repo.memdir(["diff", "HEAD", "--bullets"]).exit(0);
    assert!(
        result.stdout.contains(&format!("> @{} Only here → facts/new.md#new\n", handle("Only here"))),
        "{result:#?}"
    );
    assert!(result.stdout.contains("facts/user.md → facts/person.md\n") && !result.stdout.contains("consented"));
}

#[test]
fn source_and_reason_are_reported_if_the_journal_has_them() {
    let repo = Repo::new();
    repo.commit(FILE, BASE);
    repo.memdir(["add", "user", "Speaks Dutch", "--source", "chat-12", "-m", "said in the retro"]).exit(0);
    let result = repo.memdir(["diff", "HEAD", "--bullets"]).exit(0);
    assert!(result.stdout.contains("Speaks Dutch (from: chat-12) (why: said in the retro)\n"), "{result:#?}");
}

#[test]
fn revisions_of_memdir_are_summarised_the_same_way() {
    let memory = Memory::new().file(FILE, BASE);
    memory.done(["update", "user", "Prefers tabs", "Prefers spaces"]);
    memory.done(["mv", &format!("user@{}", handle("Lives in Austin")), "user#travel"]);
    memory.done(["diff", "r1", "--stat"]).stdout("1 moved in facts/user.md\n");
    let ran = memory.done(["diff", "2026-02-24", "--bullets"]);
    ran.stdout_contains("~ @").stdout_contains("Prefers spaces (was @").stdout_contains("Lives in Austin → #travel\n");
}

#[test]
fn an_invalid_revision_is_refused() {
    let repo = two();
    repo.memdir(["add", "user", "x y z"]).exit(0);
    for (range, code, status) in [
        ("nowhere", "revision_not_found", 3),
        ("main..nowhere", "revision_not_found", 3),
        ("--output=x..main", "revision_not_found", 3),
        ("r1..main", "usage", 2),
        ("main..r1", "usage", 2),
        ("r99", "revision_not_found", 3),
    ] {
        let result = repo.memdir(["diff", "--", range]).exit(status);
        assert!(result.stderr.starts_with(&format!("memdir: {code}: ")), "{range}: {result:#?}");
    }
    Memory::new().run(["diff", "main"]).exit(2).stderr_contains("'main' is not a revision, date or age");
}

#[test]
fn a_check_reports_only_new_findings_with_relative_paths() {
    let repo = Repo::new();
    let base = "# User\n\n- See [[nowhere]]\n- Lives in Austin\n";
    repo.commit(FILE, base);
    repo.git(["checkout", "--quiet", "-b", "topic"]);
    repo.commit(FILE, &(base.to_owned() + "- Also [[elsewhere]]\n"));
    repo.commit("facts/new.md", "# New\n\n- See [[missing]]\n");
    assert_eq!(repo.memdir_in_work_tree(["check"]).exit(6).stdout.lines().count(), 3);
    let result = repo.memdir_in_work_tree(["check", "--since", "main"]).exit(6);
    assert_eq!(
        result.stdout,
        "memory/facts/new.md:3:9: warning: dangling_link: no file named 'missing'\n\
         memory/facts/user.md:5:10: warning: dangling_link: no file named 'elsewhere'\n"
    );
    let json = repo.memdir_in_work_tree(["check", "--since", "main", "--json"]).exit(6).json();
    assert_eq!((&json["below"], &json["findings"][0]["path"]), (&"memory/".into(), &"facts/new.md".into()));
    repo.memdir_in_work_tree(["check", "--since", "topic"]).exit(0);
    repo.git(["checkout", "--quiet", "main"]);
    repo.commit("facts/other.md", "# Other\n\n- [[gone]]\n");
    repo.git(["checkout", "--quiet", "topic"]);
    assert_eq!(
        repo.memdir_in_work_tree(["check", "--since", "main"]).exit(6).stdout,
        result.stdout,
        "main went on, topic did not"
    );
    let inside = repo.program(env!("CARGO_BIN_EXE_memdir"), repo.memory()).args(["check", "--since", "main"]).output();
    assert!(inside.unwrap().stdout.starts_with(b"facts/new.md:3:9: "));
    let result = repo.memdir_in_work_tree(["check", "--since", "nowhere"]).exit(3);
    assert!(result.stderr.starts_with("memdir: revision_not_found: unknown git revision 'nowhere'"), "{result:#?}");
    Memory::new().run(["check", "--since", "main"]).exit(3).stderr_contains("memdir: no_repository: ");
}

#[test]
fn a_link_that_a_branch_leaves_dangling_is_new() {
    let repo = Repo::new();
    repo.put("facts/proj.md", "# Proj\n\n## Work\n\n- Uses Rust\n- Says [[nowhere]]\n");
    repo.commit(FILE, "# User\n\n- See [[proj]]\n- See [[proj#work]]\n- See [[never]]\n");
    let found = |since: &str| -> Vec<String> {
        let json = repo.memdir(["check", "--since", since, "--json"]).json();
        let findings = json["findings"].as_array().unwrap().clone();
        findings.iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found("main"), [""; 0]);
    repo.git(["checkout", "--quiet", "-b", "renamed"]);
    repo.git(["mv", "memory/facts/proj.md", "memory/facts/project.md"]);
    // What the file itself says is no news under its new name.
    assert_eq!(found("main"), ["no file named 'proj'"; 2]);
    repo.save("mv");
    repo.memdir(["check", "--since", "main"]).exit(6);
    repo.git(["checkout", "--quiet", "-b", "section", "main"]);
    repo.put("facts/proj.md", "# Proj\n\n## Tools\n\n- Uses Rust\n- Says [[nowhere]]\n");
    assert_eq!(found("main"), ["facts/proj.md has no section, bullet or anchor 'work'"]);
    repo.git(["checkout", "--quiet", "."]);
    repo.git(["rm", "--quiet", "memory/facts/proj.md"]);
    assert_eq!(found("main"), ["no file named 'proj'"; 2]);
}
