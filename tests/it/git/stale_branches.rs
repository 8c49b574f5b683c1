//! Bullets for a branch that other people merge, by the buttons of a hosting service, and that other clones know.
//!
//! Reaches no network: remotes are bare repositories beside the clones.

use crate::support::git_repo::Repo;
use crate::support::{ProgramOutput, program};

const FILE: &str = "facts/user.md";
const TEXT: &str = "# User\n\n- Standup at ten\n";
/// A bullet for the branch `login`, as `add --branch` writes it.
const LOGIN: &str = "- Login is rewritten\n  <!-- mem branch=login -->\n";

/// What became of the branches of bullets, as `check` says it.
#[track_caller]
fn findings(repo: &Repo) -> Vec<String> {
    let found = repo.memdir(["check", "--json"]).exit(0).json()["findings"].clone();
    let of_branches = found.as_array().unwrap().iter().filter(|one| one["code"] == "stale_branch");
    of_branches.map(|one| one["text"].as_str().unwrap().rsplit_once(", which ").unwrap().1.to_owned()).collect()
}

/// A repository whose branch `login` has a bullet of its own and another commit, pushed; `main` is checked out.
fn with_login() -> Repo {
    let repo = Repo::wired();
    repo.hub();
    repo.commit(FILE, TEXT);
    repo.git(["checkout", "--quiet", "-b", "login"]);
    repo.commit(FILE, &format!("{TEXT}{LOGIN}"));
    repo.commit(FILE, &format!("{TEXT}{LOGIN}- Sessions in redis\n"));
    repo.git(["checkout", "--quiet", "main"]);
    repo.git(["push", "--quiet", "origin", "main", "login"]);
    repo
}

#[test]
fn a_squash_or_a_rebase_is_recognised_although_main_went_on() {
    for way in [&["merge", "--quiet", "--squash", "login"][..], &["cherry-pick", "main..login"]] {
        let repo = with_login();
        repo.commit(FILE, &format!("{TEXT}- Logs go to loki\n"));
        repo.git(["checkout", "--quiet", "-b", "target"]);
        assert_eq!(findings(&repo), [""; 0]);
        repo.git(way);
        repo.git(["commit", "--quiet", "--allow-empty", "-m", "done"]);
        assert!(["Logs go", "Login is"].iter().all(|text| repo.text(FILE).contains(text)), "{}", repo.text(FILE));
        assert_eq!(
            findings(&repo),
            ["is not merged, but the bullet was squashed, rebased or cherry-picked"],
            "{way:?}"
        );
        // Where the branch is not here, but on the remote; also if the file was renamed meanwhile.
        repo.git(["branch", "--quiet", "-D", "login"]);
        repo.git(["mv", "memory/facts/user.md", "memory/facts/people.md"]);
        repo.save("renamed");
        assert_eq!(
            findings(&repo),
            ["is not merged, but the bullet was squashed, rebased or cherry-picked"],
            "{way:?}"
        );
    }
}

#[test]
fn a_bullet_that_did_not_come_from_its_branch_is_not_listed() {
    let repo = with_login();
    // Written on main, for a branch that others work on.
    repo.commit(FILE, &format!("{TEXT}{}", LOGIN.replace("rewritten", "frozen")));
    assert_eq!(findings(&repo), [""; 0]);
    // A branch on top of another, which was rewritten since.
    repo.git(["checkout", "--quiet", "-b", "stacked", "login"]);
    repo.commit("facts/more.md", "# More\n\n- Of stacked\n");
    assert_eq!(findings(&repo), [""; 0]);
    repo.git(["checkout", "--quiet", "login"]);
    repo.git(["rebase", "--quiet", "main"]);
    repo.git(["checkout", "--quiet", "stacked"]);
    assert_eq!(findings(&repo), [""; 0]);
}

#[test]
fn a_branch_that_only_the_remote_has_is_merged_like_one_of_this_clone() {
    let repo = with_login();
    repo.commit("facts/more.md", "# More\n\n- Of main\n");
    repo.git(["merge", "--quiet", "--no-edit", "login"]);
    repo.git(["branch", "empty"]);
    repo.git(["push", "--quiet", "origin", "main", "empty"]);
    assert_eq!(findings(&repo), ["was merged"]);
    let clone = repo.hub_clone("clone");
    assert_eq!(findings(&clone), ["was merged"]);
    // One of the remote without a commit of its own is open; and what is checked out from the remote is no other branch.
    clone.commit(FILE, &format!("{}- For the next\n  <!-- mem branch=empty -->\n", clone.text(FILE)));
    assert_eq!(findings(&clone), ["was merged"]);
    clone.git(["checkout", "--quiet", "login"]);
    clone.git(["checkout", "--quiet", "main"]);
    assert_eq!(findings(&clone), ["was merged"]);
    clone.git(["update-ref", "-d", "refs/remotes/origin/login"]);
    assert_eq!(findings(&clone), ["was merged"]);
    // A branch that went on since.
    repo.git(["checkout", "--quiet", "login"]);
    repo.commit("facts/more.md", "# More\n\n- Of login\n");
    repo.git(["push", "--quiet", "origin", "login"]);
    clone.git(["fetch", "--quiet"]);
    assert_eq!(findings(&clone), [""; 0]);
}

#[test]
fn a_clone_without_all_branches_calls_none_deleted() {
    let repo = with_login();
    repo.git(["checkout", "--quiet", "-b", "feature", "login"]);
    repo.commit("facts/more.md", "# More\n\n- Of feature\n");
    repo.git(["push", "--quiet", "origin", "feature"]);
    let hub = format!("file://{}", repo.root().with_file_name("hub.git").display());
    let cloned = |name: &str, options: &[&str]| -> ProgramOutput {
        let to = repo.root().with_file_name(name);
        let args = [&["clone", "--quiet"], options, &["--branch", "feature", &hub, to.to_str().unwrap()]];
        repo.git(args.concat());
        if name == "action" {
            // As the checkout of GitHub Actions leaves it.
            repo.git([
                "-C",
                to.to_str().unwrap(),
                "config",
                "remote.origin.fetch",
                "+refs/heads/*:refs/remotes/origin/*",
            ]);
        }
        let mut command = repo.program(program(), &to);
        ProgramOutput::of(command.args(["check"])).exit(0)
    };
    for (name, options) in
        [("single", &["--single-branch"][..]), ("shallow", &["--depth=1"]), ("action", &["--depth=1"]), ("whole", &[])]
    {
        assert!(!cloned(name, options).stdout.contains("deleted"), "{name}");
    }
    repo.git(["push", "--quiet", "origin", ":login"]);
    assert!(cloned("pruned", &[]).stdout.contains("the branch login, which was deleted"));
}
