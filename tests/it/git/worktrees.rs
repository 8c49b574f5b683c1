//! Branches and work trees: memory in the repository, private memory beside it, and bullets for one branch.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::git_repo::{Repo, finished};
use crate::support::{ProgramOutput, handle, program};

const FILE: &str = "facts/user.md";
const TEXT: &str = "# User\n\n## Work\n\n- Standup at ten\n\n## Travel\n\n- Window seats\n";

/// Runs memdir in a directory, which finds the memory by itself; `HOME` is beside the work tree.
fn memdir(repo: &Repo, dir: &Path, words: &[&str]) -> ProgramOutput {
    let mut command = repo.program(program(), dir);
    command.env("HOME", home(repo)).env("MEMDIR_AS", "").args(words);
    finished(command.output().unwrap())
}

fn home(repo: &Repo) -> PathBuf {
    repo.root().with_file_name("home")
}

/// A work tree of the repository on a branch of its own.
fn work_tree(repo: &Repo, name: &str) -> PathBuf {
    let dir = repo.root().with_file_name(name);
    repo.git(["worktree", "add", "--quiet", "-b", name, dir.to_str().unwrap()]);
    dir
}

fn git(repo: &Repo, dir: &Path, words: &[&str]) -> ProgramOutput {
    finished(repo.program("git", dir).args(words).output().unwrap())
}

#[test]
fn three_work_trees_change_one_memory_and_merge_by_bullet() {
    let repo = Repo::wired();
    repo.commit(FILE, TEXT);
    let (left, right) = (work_tree(&repo, "left"), work_tree(&repo, "right"));
    let trees = [repo.root().to_owned(), left.clone(), right.clone()];
    for (tree, name) in trees.iter().zip(["main", "left", "right"]) {
        let of_tree = |words: &[&str]| memdir(&repo, tree, words).exit(0);
        of_tree(&["add", "user#work", &format!("Work of {name}")]);
        of_tree(&["add", "user#travel", &format!("Travels from {name}")]);
        of_tree(&["add", &format!("topic-{name}"), &format!("Only {name} knows")]);
        // Each has a history of its own.
        assert_eq!(of_tree(&["log", "--json"]).json()["entries"].as_array().unwrap().len(), 3, "{name}");
        git(&repo, tree, &["add", "--all"]).exit(0);
        git(&repo, tree, &["commit", "--quiet", "-m", name]).exit(0);
    }
    memdir(&repo, &left, &["update", "user", "Window seats", "Aisle seats"]).exit(0);
    git(&repo, &left, &["commit", "--quiet", "--all", "-m", "seats"]).exit(0);
    for (tree, others) in [(repo.root(), ["left", "right"]), (&left, ["main", "right"]), (&right, ["main", "left"])] {
        for other in others {
            git(&repo, tree, &["merge", "--quiet", "--no-edit", other]).exit(0);
        }
    }
    let text = |tree: &Path| fs_err::read_to_string(tree.join("memory").join(FILE)).unwrap();
    for tree in &trees {
        let text = text(tree);
        for name in ["main", "left", "right"] {
            assert!(
                text.contains(&format!("- Work of {name}\n")) && text.contains(&format!("- Travels from {name}\n")),
                "{text}"
            );
            assert!(tree.join(format!("memory/facts/topic-{name}.md")).exists());
        }
        assert!(text.contains("- Aisle seats\n") && !text.contains("Window seats") && !text.contains("<<<<"), "{text}");
    }
    assert_eq!((text(&left), text(&right)), (text(repo.root()), text(repo.root())));
}

/// A repository without a memory, and a config with a folder for private ones.
fn without_memory() -> Repo {
    let repo = Repo::new();
    fs_err::remove_dir_all(repo.memory()).unwrap();
    fs_err::write(repo.root().join("a.txt"), "a").unwrap();
    repo.save("code");
    let config = repo.root().with_file_name("config").join("memdir/config.yaml");
    fs_err::create_dir_all(config.parent().unwrap()).unwrap();
    fs_err::write(config, "memory: {repositories: ~/private}\n").unwrap();
    fs_err::create_dir_all(home(&repo)).unwrap();
    repo
}

#[test]
fn private_memory_is_one_for_all_work_trees() {
    let repo = without_memory();
    let tree = work_tree(&repo, "tree");
    fs_err::create_dir_all(tree.join("src/deep")).unwrap();
    memdir(&repo, repo.root(), &["-g", "init"]).exit(0);
    memdir(&repo, repo.root(), &["-g", "add", "user", "Private to the app"]).exit(0);
    for dir in [repo.root(), &tree, &tree.join("src/deep")] {
        for words in [&["-g", "list", "user"][..], &["list", "user"]] {
            assert!(memdir(&repo, dir, words).exit(0).stdout.contains("Private to the app"), "{}", dir.display());
        }
    }
    let dirs: Vec<_> = fs_err::read_dir(home(&repo).join("private")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(matches!(&dirs[..], [one] if one.to_str().unwrap().starts_with("anapp-")), "{dirs:?}");
    // Elsewhere -g is the general one, which does not exist here; with it, the repository keeps its own.
    let outside = home(&repo);
    memdir(&repo, &outside, &["-g", "list"]).exit(3);
    memdir(&repo, &outside, &["-g", "init"]).exit(0);
    memdir(&repo, &outside, &["-g", "add", "user", "General"]).exit(0);
    let list = memdir(&repo, &tree, &["-g", "list", "user"]).exit(0).stdout;
    assert!(list.contains("Private to the app") && !list.contains("General"), "{list}");
    // Another repository without one uses the general one, until it has its own.
    let other = repo.root().with_file_name("other");
    fs_err::create_dir_all(&other).unwrap();
    git(&repo, &other, &["init", "--quiet", "."]).exit(0);
    assert!(memdir(&repo, &other, &["-g", "list", "user"]).exit(0).stdout.contains("General"));
    memdir(&repo, &other, &["-g", "init"]).exit(0);
    memdir(&repo, &other, &["-g", "list", "user"]).exit(3);
}

#[test]
fn the_layer_mine_is_the_private_memory_of_the_repository() {
    let repo = without_memory();
    let config = repo.root().with_file_name("config").join("memdir/config.yaml");
    fs_err::write(config, "memory: {repositories: ~/private}\nlayers: [project, mine]\n").unwrap();
    memdir(&repo, &home(&repo), &["-g", "init"]).exit(0);
    memdir(&repo, &home(&repo), &["-g", "add", "user", "General"]).exit(0);
    memdir(&repo, repo.root(), &["-g", "init"]).exit(0);
    memdir(&repo, repo.root(), &["-g", "add", "user", "Private to the app"]).exit(0);
    memdir(&repo, repo.root(), &["init", "memory"]).exit(0);
    let list = memdir(&repo, repo.root(), &["query", "private", "general", "app"]).exit(0).stdout;
    assert!(list.contains("mine:facts/user.md") && list.contains("Private to the app"), "{list}");
    assert!(!list.contains("General"), "{list}");
}

#[test]
fn a_planted_git_file_opens_no_private_memory_of_another_repository() {
    let repo = without_memory();
    let tree = work_tree(&repo, "tree");
    memdir(&repo, repo.root(), &["-g", "init"]).exit(0);
    memdir(&repo, repo.root(), &["-g", "add", "user", "Private to the app"]).exit(0);
    let planted = repo.root().with_file_name("planted");
    fs_err::create_dir_all(&planted).unwrap();
    let of_tree = fs_err::read_to_string(tree.join(".git")).unwrap();
    let common = repo.root().join(".git");
    for text in
        [of_tree, format!("gitdir: {}\n", common.display()), "gitdir: ../tree/../an app/.git\n".into(), "junk".into()]
    {
        fs_err::write(planted.join(".git"), &text).unwrap();
        let seen = memdir(&repo, &planted, &["-g", "list", "user"]);
        assert!(seen.status == 3 && !seen.stdout.contains("Private"), "{text}: {seen:?}");
    }
    fs_err::remove_file(planted.join(".git")).unwrap();
    std::os::unix::fs::symlink(&common, planted.join(".git")).unwrap();
    assert_eq!(memdir(&repo, &planted, &["-g", "list", "user"]).status, 3);
    // A work tree that was moved by hand is not known to its repository any more.
    fs_err::remove_file(planted.join(".git")).unwrap();
    fs_err::rename(tree.join(".git"), planted.join(".git")).unwrap();
    assert_eq!(memdir(&repo, &planted, &["-g", "list", "user"]).status, 3);
}

#[test]
fn a_bullet_for_a_branch_is_listed_once_the_branch_is_merged_or_deleted() {
    let repo = Repo::wired();
    repo.commit(FILE, TEXT);
    let findings = |repo: &Repo| -> Vec<String> {
        let found = repo.memdir(["check", "--json"]).exit(0).json()["findings"].clone();
        let branch = |one: &&Value| one["code"] == "stale_branch";
        found.as_array().unwrap().iter().filter(branch).map(|one| one["text"].as_str().unwrap().to_owned()).collect()
    };
    for branch in ["login", "search"] {
        repo.git(["checkout", "--quiet", "-b", branch, "main"]);
        memdir(&repo, repo.root(), &["add", "user#work", &format!("{branch} is being rewritten"), "--branch"]).exit(0);
        assert!(repo.text(FILE).contains(&format!("<!-- mem branch={branch} -->")), "{}", repo.text(FILE));
        assert_eq!(findings(&repo), [""; 0]);
        repo.memdir(["list", "user#work"]).exit(0).stdout_contains(&format!("rewritten (branch {branch})\n"));
        repo.save(branch);
    }
    repo.git(["checkout", "--quiet", "main"]);
    repo.git(["merge", "--quiet", "--no-edit", "--no-ff", "login"]);
    let login = handle("login is being rewritten");
    assert_eq!(findings(&repo), [format!("@{login} is for the branch login, which was merged")]);
    repo.git(["branch", "--quiet", "-D", "login"]);
    assert_eq!(findings(&repo), [format!("@{login} is for the branch login, which was deleted")]);
    repo.memdir(["check", "--strict"]).exit(6);
    // Both ways out.
    repo.memdir(["set", &format!("user@{login}"), "branch="]).exit(0);
    assert_eq!(findings(&repo), [""; 0]);
    repo.save("kept");
    repo.git(["merge", "--quiet", "--no-edit", "search"]);
    assert_eq!(findings(&repo).len(), 1);
    repo.memdir(["rm", "--archive", &format!("user@{}", handle("search is being rewritten"))]).exit(0);
    assert_eq!(findings(&repo), [""; 0]);
    // A squash merges, too, although git does not know: also after other commits, but not a part of the branch.
    repo.git(["checkout", "--quiet", "-b", "squashed", "main"]);
    memdir(&repo, repo.root(), &["add", "user#work", "squashed is being rewritten", "--branch"]).exit(0);
    repo.save("one");
    repo.put("facts/more.md", "# More\n\n- Of the branch\n");
    repo.save("two");
    repo.git(["checkout", "--quiet", "main"]);
    let open = repo.git(["rev-parse", "HEAD"]);
    repo.git(["cherry-pick", "squashed~1"]);
    assert_eq!(findings(&repo), [""; 0]);
    repo.git(["reset", "--quiet", "--hard", open.trim()]);
    repo.git(["merge", "--quiet", "--squash", "squashed"]);
    repo.save("squash");
    let squashed = handle("squashed is being rewritten");
    let merged = [format!("@{squashed} is for the branch squashed, which was merged")];
    assert_eq!(findings(&repo), merged);
    repo.put("facts/more.md", "# More\n\n- Of the branch\n- And of main\n");
    repo.save("later");
    assert_eq!(findings(&repo), merged);
    repo.memdir(["rm", "--archive", &format!("user@{squashed}")]).exit(0);
    // A branch that has just been made is not merged, and one of a remote is not deleted.
    repo.git(["branch", "fresh"]);
    repo.memdir(["add", "user#work", "Fresh"]).exit(0);
    repo.memdir(["set", &format!("user@{}", handle("Fresh")), "branch=fresh"]).exit(0);
    assert_eq!(findings(&repo), [""; 0]);
    repo.git(["update-ref", "refs/remotes/origin/far", "HEAD"]);
    repo.memdir(["set", &format!("user@{}", handle("Fresh")), "branch=far"]).exit(0);
    assert_eq!(findings(&repo), [""; 0]);
}

#[test]
fn without_a_branch_the_option_is_refused() {
    let repo = Repo::new();
    repo.commit(FILE, TEXT);
    repo.git(["checkout", "--quiet", "--detach"]);
    memdir(&repo, repo.root(), &["add", "user", "x", "--branch"])
        .exit(2)
        .stderr_contains("--branch needs a git repository");
    assert_eq!(repo.text(FILE), TEXT);
}

#[test]
fn hooks_and_contexts_leave_out_what_is_for_another_branch() {
    let repo = Repo::new();
    repo.commit(FILE, TEXT);
    repo.memdir(["add", "rules", "Handlers return problem+json", "--when", "src/api/**"]).exit(0);
    repo.memdir(["set", &format!("rules@{}", handle("Handlers return problem+json")), "branch=login"]).exit(0);
    let config = repo.root().with_file_name("config").join("memdir/config.yaml");
    fs_err::create_dir_all(config.parent().unwrap()).unwrap();
    fs_err::write(config, format!("trusted: [{:?}]\n", repo.memory().to_str().unwrap())).unwrap();
    let seen = |session: &str| {
        let mut command = repo.program(program(), repo.root());
        command.env("MEMDIR_AS", "").args(["hook", "pre-tool"]);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = json!({"session_id": session, "cwd": repo.root(), "tool_name": "Edit", "tool_input": {"file_path": repo.root().join("src/api/a.rs")}});
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.to_string().as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    let context = || repo.memdir(["context", "-n"]).exit(0).stdout;
    assert_eq!(seen("a"), "{}\n");
    assert!(!context().contains("problem+json"));
    repo.git(["checkout", "--quiet", "-b", "login"]);
    assert!(seen("b").contains("problem+json"));
    assert!(context().contains("problem+json"));
}

#[test]
fn a_search_and_a_list_name_the_branch_that_a_bullet_is_for() {
    let repo = Repo::new();
    repo.commit(FILE, TEXT);
    repo.memdir(["add", "user#work", "Handlers return problem+json", "Handlers are async"]).exit(0);
    let at = handle("Handlers return problem+json");
    repo.memdir(["set", &format!("user@{at}"), "branch=login"]).exit(0);
    let marked = "Handlers return problem+json (branch login)\n";
    for branch in ["main", "login"] {
        repo.git(["checkout", "--quiet", "-B", branch]);
        for words in [&["query", "handlers"][..], &["list", "user#work"], &["query", "handlers", "--full"]] {
            let shown = repo.memdir(words).exit(0).stdout;
            assert!(shown.contains(marked) && shown.contains("Handlers are async\n"), "{branch} {words:?} {shown}");
        }
        let found = repo.memdir(["query", "handlers", "--json"]).exit(0).json();
        let branches: Vec<(&str, &serde_json::Value)> = found["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| (item["text"].as_str().unwrap(), &item["branch"]))
            .collect();
        assert!(branches.contains(&("Handlers return problem+json", &json!("login"))), "{found}");
        assert!(branches.contains(&("Handlers are async", &json!(null))), "{found}");
    }
}

#[test]
fn a_branch_that_is_checked_out_or_that_others_are_made_from_is_not_listed() {
    let repo = Repo::new();
    let findings = |repo: &Repo| {
        let found = repo.memdir(["check", "--json"]).json()["findings"].clone();
        found.as_array().unwrap().iter().filter(|one| one["code"] == "stale_branch").count()
    };
    repo.put(FILE, TEXT);
    let before = memdir(&repo, repo.root(), &["add", "user", "before the first commit", "--branch"]).exit(0);
    assert!(repo.text(FILE).contains("<!-- mem branch="), "{before:?}");
    assert_eq!(findings(&repo), 0, "before the first commit");
    repo.save("first");
    repo.put("facts/more.md", "# More\n\n- Of main\n");
    repo.save("second");
    repo.git(["checkout", "--quiet", "-b", "topic"]);
    assert_eq!(findings(&repo), 0, "on a new branch");
    memdir(&repo, repo.root(), &["add", "user", "while topic is checked out", "--branch"]).exit(0);
    repo.save("third");
    assert_eq!(findings(&repo), 0, "on a branch with a commit");
    // Neither is one that the next was made from.
    repo.git(["checkout", "--quiet", "-b", "stacked"]);
    repo.put("facts/more.md", "# More\n\n- Of stacked\n");
    repo.save("fourth");
    assert_eq!(findings(&repo), 0, "on a branch of a branch");
    repo.git(["checkout", "--quiet", "main"]);
    repo.git(["merge", "--quiet", "--no-edit", "stacked"]);
    assert_eq!(findings(&repo), 1, "topic was merged");
}

#[test]
fn a_branch_that_only_followed_another_is_open() {
    let repo = Repo::wired();
    repo.commit(FILE, TEXT);
    repo.git(["checkout", "--quiet", "-b", "feature"]);
    memdir(&repo, repo.root(), &["add", "user#work", "Only for feature", "--branch"]).exit(0);
    repo.git(["checkout", "--quiet", "main"]);
    repo.save("on main");
    repo.git(["checkout", "--quiet", "feature"]);
    repo.git(["merge", "--quiet", "--ff-only", "main"]);
    repo.git(["checkout", "--quiet", "main"]);
    let found = || repo.memdir(["check"]).exit(0).stdout.contains("which was merged");
    assert!(!found());
    // The commit of another clone, which came by a fast-forward, was merged beside those of main.
    repo.git(["checkout", "--quiet", "-b", "theirs", "feature"]);
    repo.commit("facts/more.md", "# More\n\n- a\n");
    repo.git(["checkout", "--quiet", "feature"]);
    repo.git(["merge", "--quiet", "--ff-only", "theirs"]);
    repo.git(["checkout", "--quiet", "main"]);
    assert!(!found());
    repo.git(["merge", "--quiet", "--no-ff", "--no-edit", "feature"]);
    assert!(found());
}

/// A work tree is removed with what git ignores in it.
#[test]
fn proposals_in_another_work_tree_are_named_and_kept_on_a_branch() {
    const POLICY: &str = "version: 2\nagents: {write: propose}\n";
    let repo = Repo::wired();
    repo.put("memdir.yaml", POLICY);
    repo.commit(FILE, TEXT);
    repo.save("policy");
    let (agent, other) = (work_tree(&repo, "agent"), work_tree(&repo, "other"));
    for text in ["Learnt in the work tree", "And this"] {
        memdir(&repo, &agent, &["--as", "bot", "add", "user", text]).exit(5);
    }
    let memory = agent.canonicalize().unwrap().join("memory");
    let note = format!("2 proposals wait in another work tree, and they go with it: {}", memory.display());
    for tree in [repo.root(), &other, &other.join("memory")] {
        for words in [&["inbox"][..], &["status"], &["--as", "bot", "inbox"]] {
            memdir(&repo, tree, words).exit(0).stderr_contains(&note);
        }
    }
    for words in [&["inbox"][..], &["status"]] {
        let own = memdir(&repo, &agent, words).exit(0);
        assert!(!own.stderr.contains("another work tree"), "{own:?}");
    }
    // An agent with an allowlist learns nothing of it.
    repo.put("memdir.yaml", format!("{POLICY}allowlists: {{bot: [work], ana: [home]}}\n"));
    let restricted = memdir(&repo, repo.root(), &["--as", "bot", "status", "--json"]).exit(0);
    assert!(!format!("{restricted:?}").contains("work tree"), "{restricted:?}");
    repo.put("memdir.yaml", POLICY);
    // Nor does one that only the other work tree restricts.
    let restricting = format!("{POLICY}allowlists: {{bot: [work], ana: [home]}}\n");
    fs_err::write(agent.join("memory/memdir.yaml"), restricting).unwrap();
    let restricted = memdir(&repo, repo.root(), &["--as", "bot", "status", "--json"]).exit(0);
    assert!(!format!("{restricted:?}").contains("work tree"), "{restricted:?}");
    fs_err::write(agent.join("memory/memdir.yaml"), POLICY).unwrap();
    // The step before it is removed.
    memdir(&repo, &agent, &["inbox", "--branch", "memory/agent"]).exit(0);
    repo.git(["worktree", "remove", agent.to_str().unwrap()]);
    let text = repo.git(["show", "memory/agent:memory/facts/user.md"]);
    assert!(["- Learnt in the work tree\n", "- And this\n"].iter().all(|bullet| text.contains(bullet)), "{text}");
    let after = memdir(&repo, repo.root(), &["inbox"]).exit(0);
    assert!(!after.stderr.contains("another work tree"), "{after:?}");
}
