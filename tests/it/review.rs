//! What agents propose under `agents.write: propose`: it waits, is committed on a branch, and is accepted by a merge.

use serde_json::json;

use crate::support::git_repo::Repo;
use crate::support::{Memory, handle};

const POLICY: &str = "version: 2\nsensitive: [city]\nagents: {write: propose}\n";
const USER: &str = "# User\n\n- Likes jazz\n- Likes tea\n";

/// The ids of the proposals that wait, by file name.
fn waiting(memory: &Memory) -> Vec<String> {
    let tree = memory.tree();
    let names = tree.keys().filter_map(|path| path.strip_prefix("inbox/")?.strip_suffix(".md"));
    names.map(str::to_owned).collect()
}

#[test]
fn a_change_by_an_agent_waits_as_one_proposal_and_a_person_accepts_it() {
    let h = |text: &str| handle(text);
    let writers: &[(&[&str], Option<&str>)] = &[
        (&["add", "user", "Prefers tabs"], None),
        (&["add", "user", "Prefers tabs", "Likes rain"], None),
        (&["add", "new", "Prefers tabs"], None),
        (&["update", "user", "Likes tea", "Likes coffee"], None),
        (&["rm", "user", "- Likes tea"], None),
        (&["rm", "user", "- Likes tea", "--archive"], None),
        (&["set", "user@TEA", "imp=9"], None),
        (&["mv", "user@TEA", "other"], None),
        (&["patch", "user", "--old", "tea", "--new", "rain"], None),
        (&["append", "-t", "A talk"], Some("- Said much\n")),
        (&["write", "about"], Some("# About\n\n- It\n")),
        (
            &["apply"],
            Some("[{\"op\":\"add\",\"at\":\"user\",\"text\":\"One\"},{\"op\":\"add\",\"at\":\"b\",\"text\":\"Two\"}]"),
        ),
    ];
    for (words, stdin) in writers {
        let words: Vec<String> = words.iter().map(|word| word.replace("TEA", &h("Likes tea"))).collect();
        let memory = Memory::new().policy(POLICY).file("facts/user.md", USER);
        let run = |memory: &Memory| {
            let run = memory.run(&words);
            match stdin {
                Some(text) => run.stdin(*text).by("planner").may_change().exit(5),
                None => run.by("planner").may_change().exit(5),
            }
        };
        let outcome = run(&memory);
        let ids = waiting(&memory);
        assert_eq!((outcome.stdout.as_str(), ids.len()), ("", 1), "{outcome}");
        assert!(outcome.stderr.contains("memdir: review: ") && outcome.stderr.contains(&ids[0]), "{outcome}");
        assert!(outcome.difference.lines().filter(|l| !l.starts_with(['+', '-'])).count() == 1, "{outcome}");
        // Again: the same proposal.
        assert!(run(&memory).difference.is_empty());
        memory.run(["inbox", &ids[0], "--accept"]).by("planner").exit(5);
        memory.run(["inbox", &ids[0], "--accept"]).exit(0);
        assert_eq!(waiting(&memory), [""; 0]);
        let other = Memory::new().policy(POLICY).file("facts/user.md", USER);
        let by_person = other.run(&words);
        match stdin {
            Some(text) => by_person.stdin(*text).exit(0),
            None => by_person.exit(0),
        };
        for path in ["facts/user.md", "facts/new.md", "facts/other.md", "facts/about.md", "archive/facts/user.md"] {
            let untimed = |text: Option<String>| text.map(|text| text.replace("planner", "tester"));
            assert_eq!(untimed(memory.text(path)), untimed(other.text(path)), "{words:?} {path}");
        }
    }
}

#[test]
fn a_dry_run_says_so_and_leaves_nothing() {
    let memory = Memory::new().policy(POLICY).file("facts/user.md", USER);
    let outcome = memory.run(["add", "user", "Prefers tabs", "-n"]).by("planner").exit(5).unchanged();
    assert!(outcome.stderr.contains("without -n the change would wait in inbox/"), "{outcome}");
    assert!(!outcome.stderr.contains("do not repeat it"), "{outcome}");
}

#[test]
fn rules_are_by_file_and_consent_does_not_replace_a_review() {
    let policy = "version: 2\nsensitive: [city]\nagents: {write: [{at: 'episodes/**', mode: direct}, {at: 'facts/user.md', mode: propose}]}\n";
    let memory = Memory::new().policy(policy).file("facts/user.md", USER).file("facts/b.md", "# B\n\n- b\n");
    memory.run(["add", "b", "Direct"]).by("planner").exit(0);
    memory.run(["append", "-t", "A talk"]).stdin("- Said\n").by("planner").exit(0);
    // One file of a batch is reviewed: all of it waits.
    let batch = json!([{"op": "add", "at": "b", "text": "x"}, {"op": "add", "at": "user", "text": "y"}]).to_string();
    let error = memory.run(["apply", "--json"]).by("planner").stdin(batch).may_change().exit(5).error();
    let ids = waiting(&memory);
    assert_eq!((error["code"].as_str(), error["changed"].as_bool()), (Some("review"), Some(false)));
    assert_eq!(error["details"], json!({"path": format!("inbox/{}.md", ids[0]), "proposal": ids[0]}));
    assert!(!memory.text("facts/b.md").unwrap().contains("- x"));
    let quote = "Yes, please remember that.";
    let run = memory.run(["add", "user", "City: Austin", "--consent", quote]).by("planner").may_change().exit(5);
    assert!(run.stderr.contains("memdir: review: "), "{run}");
    assert!(waiting(&memory).iter().any(|id| memory.text(&format!("inbox/{id}.md")).unwrap().contains(quote)));
    // What tidies by the policy, and what a person does, is not an agent's change.
    memory.run(["add", "user", "By a person"]).exit(0);
}

#[test]
fn other_commands_of_an_agent_wait_too() {
    let memory = Memory::new().policy(POLICY).file("facts/user.md", USER);
    memory.done(["add", "user", "A person's"]);
    memory.run(["undo"]).by("planner").may_change().exit(5).stderr_contains("memdir: review: ");
    memory.run(["compact", "user", "--to", "1"]).by("planner").may_change().exit(5).stderr_contains("memdir: review: ");
    assert!(memory.text("facts/user.md").unwrap().ends_with("- Likes jazz\n- Likes tea\n- A person's\n"));
    assert!(waiting(&memory).len() >= 2);
}

#[test]
fn what_a_model_finds_for_an_agent_waits_and_for_a_person_not() {
    for (caller, waits) in [("planner", true), ("", false)] {
        let memory = Memory::new().policy(POLICY).file("facts/user.md", USER);
        let operation =
            json!({"op": "add", "at": "facts/user.md", "text": "Name: Zhang San", "quote": "I'm Zhang San", "turn": 1});
        memory.put("../answer.json", json!({"operations": [operation]}).to_string());
        memory.put("../talk.md", "User: I'm Zhang San\n");
        let [answer, talk] = ["answer.json", "talk.md"].map(|name| memory.dir().with_file_name(name));
        let config = format!("model: {{provider: exec, command: [cat, {:?}]}}\n", answer.to_str().unwrap());
        memory.put("../config/memdir/config.yaml", &config);
        let report = memory.run(["reflect", talk.to_str().unwrap()]).by(caller).may_change().exit(0);
        assert_eq!(waiting(&memory).len(), usize::from(waits), "{report}");
        assert_eq!(memory.text("facts/user.md").unwrap().contains("Zhang San"), !waits, "{report}");
        if waits {
            let text = memory.text(&format!("inbox/{}.md", waiting(&memory)[0])).unwrap();
            assert!(text.contains("- Waits because: review of facts/user.md\n"), "{text}");
        }
    }
}

/// A repository with a committed memory under review, and two proposals about it.
fn repo() -> (Repo, Vec<String>) {
    let repo = Repo::new();
    repo.put("memdir.yaml", POLICY);
    repo.commit("facts/user.md", USER);
    for text in ["Prefers tabs", "Likes rain"] {
        repo.memdir(["add", "user", text, "--as", "planner"]).exit(5);
    }
    let ids = ids(&repo);
    assert_eq!(ids.len(), 2);
    (repo, ids)
}

fn ids(repo: &Repo) -> Vec<String> {
    let list = repo.memdir(["inbox", "--json", "-n"]).exit(0).json();
    list["proposals"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_branch_has_one_commit_a_proposal_and_nothing_else_moves() {
    let (repo, ids) = repo();
    // What is staged, changed and not committed stays as it is, and out of the branch.
    repo.put("facts/user.md", format!("{USER}- Not committed\n"));
    repo.put("facts/staged.md", "# Staged\n");
    repo.git(["add", "memory/facts/staged.md"]);
    let state = |repo: &Repo| {
        (repo.git(["status", "--porcelain"]), repo.git(["rev-parse", "HEAD"]), repo.git(["diff", "--cached"]))
    };
    let before = (state(&repo), repo.text("facts/user.md"));
    let made = repo.memdir(["inbox", "--branch", "memory/team"]).exit(0);
    assert_eq!((state(&repo), repo.text("facts/user.md")), before);
    assert!(made.stderr.contains("branch memory/team: 2 commits; "), "{made:?}");
    let (tabs, rain) = (handle("Prefers tabs"), handle("Likes rain"));
    for line in [
        &format!("    + @{tabs} Prefers tabs"),
        &format!("    + @{rain} Likes rain"),
        &format!("Memdir-Proposal: {}", ids[0]),
    ] {
        assert!(made.stdout.lines().any(|l| l == line), "{line}\n{}", made.stdout);
    }
    assert_eq!(repo.git(["rev-list", "--count", "HEAD..memory/team"]).trim(), "2");
    assert_eq!(repo.git(["diff", "--name-only", "HEAD", "memory/team"]), "memory/facts/user.md\n");
    let text = repo.git(["show", "memory/team:memory/facts/user.md"]);
    assert!(
        text.contains("- Prefers tabs\n") && text.contains("- Likes rain\n") && !text.contains("Not committed"),
        "{text}"
    );
    let message = repo.git(["log", "-1", "--format=%B", "memory/team"]);
    assert!(message.starts_with("memory: add ") && message.contains("\nfacts/user.md\n+ @"), "{message}");
    let trailers = repo.git(["log", "--format=%(trailers)", "HEAD..memory/team"]);
    assert_eq!(trailers.matches("Memdir-By: planner\n").count(), 2, "{trailers}");
    assert!(ids.iter().all(|id| trailers.contains(&format!("Memdir-Proposal: {id}\n"))), "{trailers}");
    // They wait, say where, and are not committed a second time.
    repo.memdir(["inbox"]).exit(0).stdout_contains("Branch: memory/team from ");
    let again = repo.memdir(["inbox", "--branch", "memory/again"]).exit(0);
    let again = again.stderr_contains("no branch was made: every proposal is on a branch already; name one to commit");
    assert!(!repo.git(["branch", "--list"]).contains("memory/again"), "{again:?}");
    repo.memdir(["inbox", "--branch", "memory/team"]).exit(0);
    repo.memdir(["inbox", &ids[0], "--branch", "memory/team"]).exit(4).stderr_contains("memdir: exists: ");
    for name in ["a..b", "HEAD"] {
        repo.memdir(["inbox", &ids[0], "--branch", name]).exit(2).stderr_contains("memdir: usage: ");
    }
    // The same change again is the same proposal.
    repo.memdir(["add", "user", "Prefers tabs", "--as", "planner"]).exit(5).stderr_contains("memdir: review: ");
    assert_eq!(self::ids(&repo).len(), 2);
}

/// How a host merges.
#[test]
fn merging_is_accepting() {
    let reworded = |repo: &Repo| {
        repo.git(["checkout", "--quiet", "memory/team"]);
        let text = repo.text("facts/user.md").replace("Prefers tabs", "Prefers tabs to spaces");
        repo.put("facts/user.md", text);
        repo.git(["commit", "--quiet", "-am", "Reviewed"]);
        repo.git(["checkout", "--quiet", "main"]);
        repo.git(["merge", "--quiet", "--squash", "memory/team"]);
        repo.git(["commit", "--quiet", "-am", "Team (#4)"]);
    };
    let merges: [&dyn Fn(&Repo); 8] = [
        &|repo: &Repo| drop(repo.git(["merge", "--quiet", "--no-edit", "--no-ff", "memory/team"])),
        &|repo: &Repo| drop(repo.git(["merge", "--quiet", "--ff-only", "memory/team"])),
        // A squash with the text of the pull request, after a reviewer's correction.
        &|repo| {
            let body = repo.git(["log", "--format=%B", "main..memory/team"]);
            repo.git(["merge", "--quiet", "--squash", "memory/team"]);
            repo.put("facts/user.md", repo.text("facts/user.md").replace("Prefers tabs", "Prefers spaces"));
            repo.git(["commit", "--quiet", "-am", &format!("Team\n\n{body}\nmore")]);
        },
        // A squash whose message says nothing.
        &|repo| {
            repo.git(["merge", "--quiet", "--squash", "memory/team"]);
            repo.git(["commit", "--quiet", "-am", "Team"]);
        },
        // Other commits in between, and the branch's on top of them.
        &|repo| {
            repo.git(["commit", "--quiet", "--allow-empty", "-m", "Other"]);
            repo.git(["checkout", "--quiet", "-b", "rebased", "memory/team"]);
            repo.git(["rebase", "--quiet", "main"]);
            repo.git(["checkout", "--quiet", "main"]);
            repo.git(["merge", "--quiet", "--ff-only", "rebased"]);
        },
        // A review rewords a bullet on the branch, and the squash says nothing.
        &reworded,
        // The same, on a host that deletes the branch.
        &|repo| {
            reworded(repo);
            repo.git(["branch", "--quiet", "-D", "memory/team"]);
        },
        // A review drops a bullet.
        &|repo| {
            repo.git(["checkout", "--quiet", "memory/team"]);
            repo.put("facts/user.md", repo.text("facts/user.md").replace("- Prefers tabs\n", ""));
            repo.git(["commit", "--quiet", "-am", "Reviewed"]);
            repo.git(["checkout", "--quiet", "main"]);
            repo.git(["merge", "--quiet", "--squash", "memory/team"]);
            repo.git(["commit", "--quiet", "-am", "Team (#5)"]);
        },
    ];
    for merge in merges {
        let (repo, ids) = repo();
        repo.memdir(["inbox", "--branch", "memory/team"]).exit(0);
        // Checking the branch out merges nothing.
        repo.git(["checkout", "--quiet", "memory/team"]);
        assert!(repo.memdir(["inbox"]).exit(0).stdout.contains(&ids[0]));
        repo.git(["checkout", "--quiet", "main"]);
        merge(&repo);
        let text = repo.text("facts/user.md");
        let list = repo.memdir(["inbox"]).exit(0);
        for id in &ids {
            assert!(list.stdout.contains(&format!("merged {id}\n")), "{list:?}");
        }
        // A list changes nothing.
        assert!(repo.memdir(["inbox"]).exit(0).stdout.contains(&format!("merged {}\n", ids[0])));
        let pruned = repo.memdir(["prune"]).exit(0);
        assert!(ids.iter().all(|id| pruned.stdout.contains(id.as_str())), "{pruned:?}");
        assert_eq!((self::ids(&repo).len(), repo.text("facts/user.md")), (0, text));
        repo.memdir(["inbox"]).exit(0).stderr_contains("nothing pending");
    }
}

#[test]
fn a_similar_bullet_is_no_merge() {
    let (repo, ids) = repo();
    repo.memdir(["inbox", "--branch", "memory/team"]).exit(0);
    repo.put("facts/user.md", format!("{USER}- Prefers tabs to spaces\n"));
    repo.git(["commit", "--quiet", "-am", "By hand"]);
    assert!(ids.iter().all(|id| repo.memdir(["inbox"]).exit(0).stdout.contains(&format!("{id} add"))));
    assert_eq!(self::ids(&repo).len(), 2);
}

/// The metadata line of a bullet is no proof that another one got it.
#[test]
fn a_line_that_stood_there_before_is_no_merge() {
    let repo = Repo::new();
    repo.put("memdir.yaml", POLICY);
    let pinned = "# User\n\n- Likes tea\n  <!-- mem pin -->\n- Works at Acme\n\n## Home\n\n- Has a dog\n";
    repo.commit("facts/user.md", pinned);
    let acme = format!("user@{}", handle("Works at Acme"));
    repo.memdir(["set", &acme, "pin=yes", "--as", "planner"]).exit(5);
    repo.memdir(["add", "user#home", "Likes tea", "--as", "planner"]).exit(5);
    let ids = ids(&repo);
    repo.memdir(["inbox", "--branch", "memory/team"]).exit(0);
    let shown = repo.memdir(["inbox"]).exit(0).stdout;
    assert!(ids.len() == 2 && ids.iter().all(|id| shown.contains(id)) && !shown.contains("merged"), "{shown}");
    repo.memdir(["prune"]).exit(0);
    assert_eq!(self::ids(&repo), ids);
    // A merge of another hand, without the message: both lines are there once more.
    repo.git(["merge", "--quiet", "--squash", "memory/team"]);
    repo.git(["commit", "--quiet", "-m", "By hand"]);
    repo.memdir(["inbox"]).exit(0);
    repo.memdir(["prune"]).exit(0);
    assert_eq!(self::ids(&repo).len(), 0, "{}", repo.text("facts/user.md"));
}

#[test]
fn what_was_merged_is_not_accepted_a_second_time() {
    let (repo, ids) = repo();
    repo.memdir(["inbox", "--branch", "memory/team"]).exit(0);
    repo.git(["merge", "--quiet", "--no-edit", "memory/team"]);
    let text = repo.text("facts/user.md");
    let outcome = repo.memdir(["inbox", "--accept"]).exit(0);
    assert!(
        outcome.stdout.contains(&format!("merged {}", ids[0])) && !outcome.stdout.contains("accepted"),
        "{outcome:?}"
    );
    assert_eq!(repo.text("facts/user.md"), text);
}

#[test]
fn a_branch_that_is_gone_is_reported_and_can_be_made_again() {
    let (repo, ids) = repo();
    repo.memdir(["inbox", &ids[0], "--branch", "memory/one"]).exit(0);
    repo.git(["branch", "--quiet", "-D", "memory/one"]);
    let list = repo.memdir(["inbox", &ids[0]]).exit(0);
    assert!(list.stdout.contains("The branch is gone and was not merged"), "{list:?}");
    let both = repo.memdir(["inbox", "--branch", "memory/two"]).exit(0);
    assert!(both.stderr.contains("branch memory/two: 2 commits"), "{both:?}");
}

#[test]
fn a_file_that_another_proposal_moves_is_not_called_uncommitted() {
    let (repo, _) = repo();
    let names = ["ash", "birch", "cedar", "date", "elm", "fir"];
    for name in names {
        repo.put(&format!("facts/{name}.md"), format!("# {name}\n\n- Grows in spring\n"));
    }
    repo.git(["add", "-A"]);
    repo.git(["commit", "--quiet", "-m", "trees"]);
    for name in names {
        repo.memdir(["mv", name, &format!("trees/{name}"), "--as", "planner"]).exit(5);
        repo.memdir(["update", name, "Grows in spring", "Grows in autumn", "--as", "planner"]).exit(5);
    }
    let made = repo.memdir(["inbox", "--branch", "memory/team", "--json"]).exit(0).json();
    let warnings = made["warnings"].to_string();
    assert!(warnings.contains("another proposal on this branch moves or removes facts/"), "{warnings}");
    assert!(!warnings.contains("is not committed yet"), "{warnings}");
}

#[test]
fn what_cannot_be_committed_stays_and_says_why() {
    let (repo, _) = repo();
    // Not committed: the file that a proposal changes.
    repo.put("facts/draft.md", "# Draft\n\n- a\n");
    repo.memdir(["add", "draft", "b", "--as", "planner"]).exit(5);
    // Two proposals about one bullet: the second waits.
    for text in ["Likes coffee", "Likes water"] {
        repo.memdir(["update", "user", "Likes tea", text, "--as", "planner"]).exit(5);
    }
    repo.memdir(["add", "user", "City: Austin", "--as", "planner"]).exit(5);
    let made = repo.memdir(["inbox", "--branch", "memory/team", "--json"]).exit(0).json();
    assert_eq!(made["branch"]["commits"].as_array().unwrap().len(), 3, "{made}");
    let warnings = made["warnings"].to_string();
    for why in ["is not committed yet", "it changes what another proposal", "1 proposal waits for consent"] {
        assert!(warnings.contains(why), "{why}: {warnings}");
    }
    assert!(!repo.git(["log", "-p", "memory/team"]).contains("Austin"));
    // Alone, it is the error.
    let city = ids(&repo).into_iter().find(|id| repo.text(&format!("inbox/{id}.md")).contains("Draft")).unwrap();
    let before = repo.text(&format!("inbox/{city}.md"));
    repo.memdir(["inbox", &city, "--branch", "memory/draft"])
        .exit(3)
        .stderr_contains("facts/draft.md is not committed yet");
    assert_eq!(repo.text(&format!("inbox/{city}.md")), before);
    assert!(!repo.git(["branch", "--list"]).contains("memory/draft"));
}

#[test]
fn a_branch_that_git_cannot_create_marks_no_proposal() {
    let (repo, _) = repo();
    for name in ["HEAD", "-x", "a..b"] {
        repo.memdir(["inbox", &format!("--branch={name}")]).exit(2).stderr_contains("is not a name for a branch");
    }
    let lock = repo.root().join(".git/refs/heads/team.lock");
    fs_err::write(&lock, "").unwrap();
    let log = repo.memdir(["log"]).exit(0).stdout;
    repo.memdir(["inbox", "--branch", "team"]).exit(1).stderr_contains("team.lock");
    assert_eq!(repo.memdir(["log"]).exit(0).stdout, log);
    fs_err::remove_file(&lock).unwrap();
    repo.memdir(["inbox", "--branch", "team"]).exit(0).stderr_contains("branch team: 2 commits; ");
}

/// Others see the branch, and merging it accepts.
#[test]
fn an_agent_commits_its_own_proposals_only_and_none_that_waits_for_consent() {
    let (repo, own) = repo();
    repo.memdir(["add", "user", "City: Austin", "--as", "planner"]).exit(5);
    repo.memdir(["add", "user", "Owns a boat", "--as", "other"]).exit(5);
    let of =
        |text: &str| ids(&repo).into_iter().find(|id| repo.text(&format!("inbox/{id}.md")).contains(text)).unwrap();
    for (id, reason) in [(of("Austin"), "waits for the user's consent"), (of("a boat"), "is by another")] {
        let before = repo.text(&format!("inbox/{id}.md"));
        let refused = repo.memdir(["inbox", &id, "--branch", "memory/x", "--as", "planner"]).exit(5);
        assert!(refused.stderr.contains("memdir: consent: ") && refused.stderr.contains(reason), "{refused:?}");
        assert_eq!(repo.text(&format!("inbox/{id}.md")), before);
    }
    let made = repo.memdir(["inbox", "--branch", "memory/x", "--as", "planner"]).exit(0);
    assert!(made.stderr.contains("a person may commit it"), "{made:?}");
    let committed = repo.git(["log", "-p", "memory/x"]);
    assert!(own.iter().all(|id| committed.contains(id)), "{committed}");
    assert!(!committed.contains("Austin") && !committed.contains("boat"), "{committed}");
    repo.memdir(["inbox", &of("a boat"), "--branch", "memory/boat"]).exit(0);
}

#[test]
fn a_dry_run_of_a_branch_creates_none() {
    let (repo, ids) = repo();
    let before = repo.text(&format!("inbox/{}.md", ids[0]));
    repo.memdir(["inbox", "--branch", "memory/team", "-n"]).exit(0).stdout_contains("Prefers tabs");
    assert!(!repo.git(["branch", "--list"]).contains("memory/team"));
    assert_eq!(repo.text(&format!("inbox/{}.md", ids[0])), before);
    Memory::new().run(["inbox", "--branch", "memory/x"]).exit(0).stderr_contains("nothing pending");
    let alone = Memory::new().policy(POLICY).file("facts/user.md", USER);
    alone.run(["add", "user", "x"]).by("planner").may_change().exit(5);
    alone.run(["inbox", "--branch", "memory/x"]).exit(3).stderr_contains("memdir: no_repository: ");
}

#[test]
fn nothing_that_a_clone_brought_runs() {
    let (repo, _) = repo();
    repo.put("../.gitattributes", "*.md filter=evil diff=evil\n");
    let witness = repo.root().join("ran");
    let script = format!("touch {}; cat", witness.display());
    // Even a filter and a hook that the user has configured are not needed here.
    repo.git(["config", "filter.evil.clean", &script]);
    repo.git(["config", "filter.evil.smudge", &script]);
    let hook = repo.root().join(".git/hooks/pre-commit");
    fs_err::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    repo.memdir(["inbox", "--branch", "memory/team"]).exit(0);
    assert!(!witness.exists());
}

/// Each change of an agent by `-f`, and those that write the archive, can be accepted; they prove the state that the agent
/// saw, not a later one.
#[test]
fn what_was_forced_can_be_accepted_as_long_as_nothing_else_changed() {
    let commands: [&[&str]; 6] = [
        &["compact", "user", "--to", "2"],
        &["update", "user@1", "-f", "NEW"],
        &["rm", "user@1", "-f"],
        &["rm", "user", "-f"],
        &["mv", "user@1", "tools", "-f"],
        &["rm", "user#more", "-f"],
    ];
    for command in commands {
        let memory = Memory::new()
            .policy("version: 2\nagents: {write: propose}\n")
            .file("facts/user.md", "# User\n\n- One\n- Two\n- Three\n\n## More\n\n- Four\n");
        let refused = memory.run(command.iter().copied()).by("bot").may_change().exit(5);
        assert!(refused.stderr.starts_with("memdir: review: "), "{command:?}: {}", refused.stderr);
        let before = memory.text("facts/user.md");
        memory.done(["inbox", "--accept"]);
        assert_ne!(memory.text("facts/user.md"), before, "{command:?}");
        assert_eq!(waiting(&memory), [""; 0]);
    }
    let memory = Memory::new()
        .policy("version: 2\nagents: {write: propose}\n")
        .file("facts/user.md", "# User\n\n- One\n- Two\n");
    memory.run(["rm", "user@1", "-f"]).by("bot").may_change().exit(5);
    memory.run(["add", "tools", "Good"]).by("bot").may_change().exit(5);
    memory.put("facts/user.md", "# User\n\n- Zero\n- One\n- Two\n");
    let ids = waiting(&memory);
    let refused = memory.run(["inbox", "--accept"]).exit(4);
    let named: Vec<&String> = ids.iter().filter(|id| refused.stderr.contains(*id)).collect();
    assert_eq!(named.len(), 1, "{ids:?} {}", refused.stderr);
    assert!(refused.stderr.contains(&format!("try: memdir inbox --reject {}", named[0])), "{}", refused.stderr);
    memory.done(["inbox", "--reject", named[0]]);
    memory.done(["inbox", "--accept"]);
    assert_eq!(memory.text("facts/tools.md").unwrap().matches("Good").count(), 1);
}

#[test]
fn an_agent_withdraws_its_own_proposals_and_only_a_person_those_of_others() {
    let memory = Memory::new().policy(POLICY).file("facts/user.md", USER);
    memory.run(["add", "user", "Prefers tabs"]).by("writer").may_change().exit(5);
    let theirs = waiting(&memory).remove(0);
    memory.run(["add", "user", "Likes rain"]).by("planner").may_change().exit(5);
    let own = waiting(&memory).into_iter().find(|id| *id != theirs).unwrap();
    let their_rev = "r1";
    for words in [
        &["inbox", &theirs, "--reject"][..],
        &["inbox", &own, &theirs, "--reject"],
        &["inbox", "--reject"],
        &["inbox", &theirs, "--reject", "-n"],
        &["undo", their_rev],
        &["undo", their_rev, "-n"],
        &["undo", "--by", "writer"],
    ] {
        let refused = memory.run(words.iter().copied().chain(["--json"])).by("planner").exit(5).unchanged().error();
        assert_eq!(
            (refused["code"].as_str(), refused["changed"].as_bool()),
            (Some("consent"), Some(false)),
            "{refused}"
        );
        let why = format!("planner is an agent, and the proposal {theirs} is by writer: only a person can reject it");
        assert_eq!(refused["message"], why, "{words:?}");
        assert_eq!(refused["details"]["proposal"], theirs, "{words:?}");
        assert_eq!(refused["try"], json!([format!("memdir inbox --reject {theirs}")]), "{words:?}");
    }
    // Its own it takes back, either way.
    memory.run(["undo"]).by("planner").may_change().exit(0);
    assert_eq!(waiting(&memory), [theirs.as_str()]);
    memory.run(["undo"]).by("writer").may_change().exit(0);
    assert_eq!(waiting(&memory), [""; 0]);
    memory.run(["add", "user", "Likes rain"]).by("planner").may_change().exit(5);
    memory.run(["inbox", &own, "--reject"]).by("planner").may_change().exit(0);
    assert_eq!(waiting(&memory), [""; 0]);
    memory.run(["add", "user", "Prefers tabs"]).by("writer").may_change().exit(5);
    memory.done(["inbox", &theirs, "--reject"]);
    assert_eq!(waiting(&memory), [""; 0]);
    // What a person withdrew and took back, an agent does not withdraw again.
    memory.done(["undo"]);
    assert_eq!(waiting(&memory), [theirs.as_str()]);
    memory.run(["redo"]).by("planner").exit(5).unchanged().stderr_contains("only a person can reject it");
}

#[test]
fn a_proposed_move_says_where_to() {
    let memory = Memory::new().policy("version: 2\nagents: {write: propose}\n");
    memory.done(["add", "user", "Prefers tabs"]);
    memory.run(["mv", "user", "people"]).by("planner").may_change().exit(5);
    memory.done(["inbox"]).stdout_contains(" mv user to people\n");
}

/// What an agent forgets in a file of its own takes copies and history of the others along.
#[test]
fn an_agent_forgets_nothing_by_itself_where_a_file_is_reviewed() {
    let policy = "version: 2\nagents: {write: [{at: facts/a.md, mode: direct}, {at: '**', mode: propose}]}\n";
    let text = "A person wrote this long line";
    let memory = Memory::new().policy(policy).file("facts/a.md", "# A\n\n- First\n");
    memory.done(["add", "b", text]);
    memory.done(["update", "b@1", "A person changed this", "-f"]);
    memory.put("archive/facts/b.md", format!("# B\n\n- {text}\n- Kept\n"));
    memory.run(["add", "a", text]).by("bot").exit(0);
    memory.run(["rm", "a@2", "--forget", "-f", "-n"]).by("bot").exit(5).unchanged();
    let run = memory.run(["rm", "a@2", "--forget", "-f"]).by("bot").may_change().exit(5);
    run.stderr_contains("memdir: review: a person reviews what agents forget");
    assert!(memory.text("archive/facts/b.md").unwrap().contains(text));
    memory.done(["undo", "r2"]);
    assert!(memory.text("facts/b.md").unwrap().contains(text));
    // A person may.
    memory.done(["inbox", "--accept"]);
    assert!(!memory.text("archive/facts/b.md").unwrap().contains(text));
}

/// Nor does it remove what another agent proposed by forgetting the same text, or a sensitive field in the archive.
#[test]
fn an_agent_forgets_no_text_that_waits_of_another_or_that_needs_consent_in_the_archive() {
    let text = "Releases are tagged by CI at noon";
    let memory = Memory::new().policy("version: 2\nagents: {write: propose}\n").file("facts/a.md", "# A\n\n- First\n");
    memory.run(["add", "b", text]).by("bot2").may_change().exit(5);
    let of_another = waiting(&memory);
    memory.put("memdir.yaml", "version: 2\nsensitive: [city]\n");
    memory.run(["add", "a", text, "Austin by the river"]).by("bot1").exit(0);
    memory.run(["rm", "a@2", "--forget", "-f", "-n"]).by("bot1").exit(5).unchanged();
    let run = memory.run(["rm", "a@2", "--forget", "-f"]).by("bot1").may_change().exit(5);
    run.stderr_contains("memdir: review: the text to forget is also in proposals of others");
    assert!(waiting(&memory).contains(&of_another[0]) && waiting(&memory).len() == 2);
    memory.put("archive/facts/user.md", "# User\n\n## City\n\n- Austin by the river\n");
    let run = memory.run(["rm", "a@3", "--forget", "-f"]).by("bot1").may_change().exit(5);
    run.stderr_contains("memdir: consent: city changes only with the user's consent");
    assert!(memory.text("archive/facts/user.md").unwrap().contains("Austin"));
    // Its own proposal goes.
    memory.put("memdir.yaml", "version: 2\nagents: {write: propose}\n");
    memory.run(["add", "b", "Waits by the first agent"]).by("bot1").may_change().exit(5);
    let all = waiting(&memory).len();
    memory.put("memdir.yaml", "version: 2\n");
    memory.run(["add", "a", "Waits by the first agent"]).by("bot1").exit(0);
    memory.run(["rm", "a", "- Waits by the first agent", "--forget"]).by("bot1").exit(0);
    assert_eq!(waiting(&memory).len(), all - 1);
}

#[test]
fn the_users_words_are_added_to_a_proposal_that_waits() {
    let memory = Memory::new().policy(POLICY).file("facts/user.md", USER);
    let add = ["add", "user", "City: Porto"];
    memory.run(add).by("planner").may_change().exit(5).stderr_contains("memdir: consent: ");
    let path = format!("inbox/{}.md", waiting(&memory)[0]);
    assert!(!memory.text(&path).unwrap().contains("Said:"));
    let again = [&add[..], &["--consent", "yes please remember"]].concat();
    memory.run(&again).by("planner").may_change().exit(5).stderr_contains("memdir: review: ");
    let text = memory.text(&path).unwrap();
    assert!(text.contains("- Waits because: review of facts/user.md\n- Said: \"yes please remember\"\n"), "{text}");
    // Neither the same words nor none change it.
    assert!(memory.run(&again).by("planner").may_change().exit(5).difference.is_empty());
    assert!(memory.run(add).by("planner").may_change().exit(5).difference.is_empty());
    memory.done(["inbox"]).stdout_contains("Said: \"yes please remember\"");
}

#[test]
fn what_is_accepted_keeps_its_proposer_source_and_the_users_words() {
    let memory = Memory::new().policy(POLICY).file("facts/user.md", USER);
    let words = ["add", "user", "City: Porto", "--consent", "yes please remember", "--source", "conv1"];
    memory.run(words).by("planner").may_change().exit(5);
    memory.run(["add", "user", "Likes rain"]).by("bot").may_change().exit(5);
    let city =
        waiting(&memory).into_iter().find(|id| memory.text(&format!("inbox/{id}.md")).unwrap().contains("Porto"));
    memory.done(["inbox", "--accept", &city.unwrap()]);
    let told = "(proposed by: planner) (why: inbox: accepted) (from: conv1) (consent: yes please remember)";
    memory.done(["log", "-L", "1"]).stdout_contains(told);
    let row = memory.done(["log", "--by", "planner", "-L", "1", "--json"]).json()["entries"][0].clone();
    assert_eq!(
        (&row["actor"], &row["proposed_by"], &row["source"], &row["consent"]),
        (&json!("tester"), &json!("planner"), &json!("conv1"), &json!("yes please remember"))
    );
    memory.done(["list", "user", "--blame"]).stdout_contains("tester: added (proposed by: planner)");
    memory.done(["inbox", "--accept"]);
    memory.done(["log", "-L", "1"]).stdout_contains("(proposed by: bot) (why: inbox: accepted)\n");
    memory.done(["undo", "--by", "planner"]).stdout_contains("City: Porto");
    assert!(memory.text("facts/user.md").unwrap().contains("Likes rain"));
}

/// `compact` writes the files of archive/ as wholes.
#[test]
fn a_proposed_compaction_is_committed_on_a_branch() {
    let repo = Repo::new();
    repo.put("memdir.yaml", POLICY);
    repo.commit("facts/user.md", "# User\n\n- one\n- two\n- three\n");
    repo.memdir(["compact", "user", "--to", "1", "--as", "planner"]).exit(5);
    repo.memdir(["inbox", "--branch", "memory/compact"]).exit(0);
    let text = |path: &str| repo.git(["show", &format!("memory/compact:memory/{path}")]);
    let (kept, archived) = (text("facts/user.md"), text("archive/facts/user.md"));
    for bullet in ["- one\n", "- two\n", "- three\n"] {
        assert_ne!(kept.contains(bullet), archived.contains(bullet), "{kept}\n{archived}");
    }
    assert_eq!(kept.matches("\n- ").count(), 1, "{kept}");
}

#[test]
fn the_summary_on_a_branch_has_no_terms_that_a_later_commit_removed() {
    let repo = Repo::new();
    repo.memdir(["add", "notes", "free file"]).exit(0);
    repo.memdir(["add", "rules", "Handlers return json", "Other rule"]).exit(0);
    repo.put("memdir.yaml", POLICY);
    repo.save("base");
    repo.memdir(["mv", "rules@1", "notes", "-f", "--as", "planner"]).exit(5);
    repo.memdir(["mv", "notes@1", "rules", "-f", "--as", "planner"]).exit(5);
    repo.memdir(["inbox", "--branch", "memory/moves"]).exit(0).stderr_contains("2 commits");
    let notes = repo.git(["show", "memory/moves:memory/facts/notes.md"]);
    assert!(notes.contains("- Handlers return json\n") && !notes.contains("free"), "{notes}");
    repo.git(["checkout", "--quiet", "memory/moves"]);
    repo.memdir(["check"]).exit(0);
}

/// Its file is read-only as long as it has markers, and what resolves them is stale after that.
#[test]
fn a_resolution_by_an_agent_does_not_wait() {
    const MARKED: &str = "# Tea\n\n<<<<<<< HEAD\n- Likes green tea\n||||||| 1f2e3d4\n- Likes tea\n=======\n- Likes black tea\n>>>>>>> trip\n";
    const CITY: &str =
        "# Tea\n\n<<<<<<< HEAD\n- City: Bonn\n||||||| 1f2e3d4\n- City: Rome\n=======\n- City: Oslo\n>>>>>>> trip\n";
    let consent = "version: 2\nsensitive: [city]\n";
    for (policy, text, code, taken) in
        [(POLICY, MARKED, "review", "- Likes black tea\n"), (consent, CITY, "consent", "- City: Oslo\n")]
    {
        let memory = Memory::new().policy(policy).file("facts/tea.md", text);
        for more in [&[][..], &["-n"]] {
            let refused = memory.run([&["resolve", "tea", "--theirs"], more].concat()).by("planner").exit(5);
            for part in [
                &format!("memdir: {code}: "),
                "; the resolution of a conflict does not wait in inbox/",
                "try: memdir resolve --theirs tea\n",
            ] {
                assert!(refused.stderr.contains(part), "{part}: {refused}");
            }
            assert!(!refused.stderr.contains("without -n"), "{refused}");
        }
        assert_eq!(waiting(&memory), [""; 0]);
        memory.run(["resolve", "--theirs", "tea"]).exit(0);
        assert!(memory.text("facts/tea.md").unwrap().contains(taken));
    }
}
