//! What `sync` looks at before it commits: secrets, conflict markers that were left over, a sparse checkout; and what it
//! says about files that stay on this machine.

use crate::support::git_repo::Repo;
use crate::sync::{pair, settle};

const TOKEN: &str = "ghp_1234567890abcdefghijklmnopqrstuvwxyzAB";

fn head(repo: &Repo) -> String {
    repo.git(["rev-parse", "HEAD"])
}

#[test]
fn a_secret_is_named_before_it_is_pushed() {
    let (here, there) = pair();
    here.put("facts/keys.md", format!("# Keys\n\n- The token is {TOKEN}\n"));
    here.put(".env", format!("GITHUB_TOKEN={TOKEN}\n"));
    let dry = here.memdir(["sync", "-n"]).exit(0);
    let run = here.memdir(["sync"]).exit(0);
    for output in [dry, run] {
        assert!(output.stderr.contains("facts/keys.md:3 (") && output.stderr.contains(".env:1 ("), "{output:#?}");
        assert!(!output.stderr.contains(TOKEN) && !output.stdout.contains(TOKEN), "{output:#?}");
    }
    here.put("facts/keys.md", format!("# Keys\n\n- The token is {TOKEN}\n- more\n"));
    assert!(!here.memdir(["sync"]).exit(0).stderr.contains("secret"), "what is pushed already is no news");
    settle(&here, &there);
}

#[test]
fn a_secret_stops_the_sync_if_the_policy_refuses_it() {
    let (here, _) = pair();
    here.put("memdir.yaml", "version: 2\nsecrets: refuse\n");
    here.memdir(["sync"]).exit(0);
    let before = head(&here);
    here.put("facts/keys.md", format!("# Keys\n\n- The token is {TOKEN}\n"));
    let run = here.memdir(["sync"]).exit(5);
    assert!(run.stderr.contains("memdir: secret: ") && run.stderr.contains("facts/keys.md:3"), "{run:#?}");
    assert_eq!(head(&here), before);
    assert_eq!(here.git(["diff", "--cached", "--name-only"]), "");
}

#[test]
fn the_pin_of_a_bullet_is_no_secret() {
    let (here, _) = pair();
    here.put("memdir.yaml", "version: 2\nsecrets: refuse\n");
    here.put("facts/pins.md", "# Pins\n\n- Likes tea\n  <!-- mem pin=yes added=2026-01-02 -->\n");
    let run = here.memdir(["sync"]).exit(0);
    assert!(!run.stderr.contains("secret"), "{run:#?}");
}

#[test]
fn the_policy_that_init_writes_is_no_secret() {
    let here = Repo::whole();
    here.hub();
    fs_err::remove_file(here.memory().join("memdir.yaml")).unwrap();
    here.memdir(["init"]).exit(0);
    let policy = here.text("memdir.yaml");
    let policy = policy.replace("\nversion: 1", "\nversion: 2").replace("#secrets: warn", "secrets: refuse");
    assert!(policy.contains("\nsecrets: refuse"), "{policy}");
    here.put("memdir.yaml", policy);
    let run = here.memdir(["sync"]).exit(0);
    assert!(!run.stderr.contains("warning"), "{run:#?}");
}

#[test]
fn a_conflict_marker_that_was_left_over_stops_the_sync() {
    let (here, _) = pair();
    for left in ["||||||| 1f2e3d4\n- b\n>>>>>>> trip\n", "|||||||\n", ">>>>>>> trip\n"] {
        here.put("facts/left.md", format!("# Left\n\n- a\n{left}"));
        let before = head(&here);
        let run = here.memdir(["sync"]).exit(4);
        assert!(run.stdout.contains("facts/left.md: has a conflict marker that was left over"), "{run:#?}");
        assert_eq!(head(&here), before, "{left}");
        let check = here.memdir(["check"]).exit(6).stdout;
        assert!(check.contains("facts/left.md:4:1: error: conflict_markers: "), "{check}");
    }
    here.put("facts/left.md", "# Left\n\n- a\n\n```\n>>>>>>> trip\n```\n");
    here.memdir(["sync"]).exit(0);
}

#[test]
fn files_that_stay_on_this_machine_are_named() {
    let (here, _) = pair();
    here.git(["init", "--quiet", "facts/sub"]);
    here.put("facts/sub/own.md", "# Own\n\n- Nobody else has this\n");
    here.put("facts/local.md", "# Local\n\n- Nor this\n");
    here.put(".git/info/exclude", "facts/local.md\n");
    let run = here.memdir(["sync"]).exit(0);
    for part in ["only this machine has", "facts/local.md", "facts/sub/"] {
        assert!(run.stderr.contains(part), "{part} {run:#?}");
    }
}

#[test]
fn a_file_that_a_sparse_checkout_leaves_out_is_not_replaced() {
    let (here, there) = pair();
    here.put("facts/project.md", "# Project\n\n- Known to all\n");
    settle(&here, &there);
    there.git(["sparse-checkout", "set", "--no-cone", "/*", "!/facts/project.md"]);
    assert!(!there.memory().join("facts/project.md").exists());
    let before = head(&there);
    there.memdir(["add", "project", "new"]).exit(0);
    let run = there.memdir(["sync"]).exit(4);
    assert!(run.stderr.contains("facts/project.md is committed, but a sparse checkout leaves it out"), "{run:#?}");
    assert_eq!(head(&there), before);
}

/// A commit that git made.
fn commit(repo: &Repo, name: &str, text: &str) {
    repo.put(name, text);
    repo.git(["add", "--", name]);
    repo.git(["commit", "--quiet", "-m", "by git"]);
}

#[test]
fn a_secret_that_git_has_committed_is_named_before_it_is_pushed() {
    let (here, there) = pair();
    commit(&here, "facts/keys.md", &format!("# Keys\n\n- One\n- The token is {TOKEN}\n"));
    commit(&here, "facts/keys.md", "# Keys\n\n- One\n");
    for words in [&["sync", "-n"][..], &["sync"]] {
        let run = here.memdir(words.iter()).exit(0);
        assert!(run.stderr.contains("a secret is pushed as plain text: facts/keys.md:4 ("), "{run:#?}");
        assert!(!run.stderr.contains(TOKEN), "{run:#?}");
    }
    assert!(!here.memdir(["sync"]).exit(0).stderr.contains("secret"), "what is pushed already is no news");
    settle(&here, &there);
    // What the other clone pushed is not ours to name.
    commit(&there, "facts/more.md", &format!("# More\n\n- Also {TOKEN}\n"));
    there.memdir(["sync"]).exit(0);
    commit(&here, "facts/own.md", "# Own\n\n- a\n");
    assert!(!here.memdir(["sync"]).exit(0).stderr.contains("secret"));
}

#[test]
fn a_secret_that_git_has_committed_stops_the_sync_if_the_policy_refuses_it() {
    let (here, there) = pair();
    here.put("memdir.yaml", "version: 2\nsecrets: refuse\n");
    settle(&here, &there);
    let pushed = head(&here);
    commit(&here, "facts/keys.md", &format!("# Keys\n\n- The token is {TOKEN}\n"));
    here.put("facts/user.md", "# User\n\n- Pending\n");
    let (before, status) = (head(&here), here.git(["status", "--porcelain"]));
    let run = here.memdir(["sync"]).exit(5);
    let place = "memdir: secret: this would be pushed as plain text: facts/keys.md:3 (";
    assert!(run.stderr.contains(place) && run.stderr.contains(&before[..10]), "{run:#?}");
    assert!(run.stderr.contains(&format!("git reset --soft {}", &pushed[..10])), "{run:#?}");
    assert_eq!((head(&here), here.git(["status", "--porcelain"])), (before, status));
    assert_eq!(here.git(["ls-remote", "origin", "refs/heads/main"]).split('\t').next(), Some(pushed.trim()));
    // The mend that it names.
    here.git(["reset", "--soft", pushed.trim()]);
    here.put("facts/keys.md", "# Keys\n\n- The token is in the vault\n");
    here.memdir(["sync"]).exit(0);
    settle(&here, &there);
}

#[test]
fn the_first_sync_looks_for_secrets_before_it_commits() {
    let here = Repo::whole();
    let hub = here.hub();
    here.git(["remote", "remove", "origin"]);
    here.put("memdir.yaml", "version: 2\nsecrets: refuse\n");
    commit(&here, "facts/keys.md", &format!("# Keys\n\n- The token is {TOKEN}\n"));
    here.put("facts/user.md", "# User\n\n- Pending\n");
    let (before, status) = (head(&here), here.git(["status", "--porcelain"]));
    let url = hub.to_str().unwrap();
    let run = here.memdir(["sync", url]).exit(5);
    assert!(run.stderr.contains("this would be pushed as plain text: facts/keys.md:3 ("), "{run:#?}");
    assert!(run.stderr.contains("nothing was changed"), "{run:#?}");
    assert_eq!((head(&here), here.git(["status", "--porcelain"])), (before, status));
    // What the remote has already is no news.
    here.git(["push", "--quiet", url, "main"]);
    here.memdir(["sync", url]).exit(0);
}

#[test]
fn conflict_markers_that_git_has_committed_are_not_pushed() {
    let (here, there) = pair();
    let fence = "```\n>>>>>>> b\n```\n";
    here.put("facts/how.md", format!("# How\n\n- a\n\n{fence}"));
    settle(&here, &there);
    let pushed = here.git(["ls-remote", "origin", "refs/heads/main"]);
    for (name, text, said) in [
        (
            "facts/left.md",
            "# Left\n\n- a\n>>>>>>> trip\n".to_owned(),
            "facts/left.md:4: has a conflict marker that was",
        ),
        (
            "facts/how.md",
            format!("# How\n\n- a\n>>>>>>> trip\n\n{fence}"),
            "facts/how.md:4: has a conflict marker that was",
        ),
        (
            "facts/all.md",
            "# All\n\n<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n".to_owned(),
            "facts/all.md:3: contains conflict markers",
        ),
    ] {
        commit(&here, name, &text);
        let run = here.memdir(["sync"]).exit(4);
        assert!(run.stdout.contains(said), "{said} {run:#?}");
        assert_eq!(here.git(["ls-remote", "origin", "refs/heads/main"]), pushed);
        here.put(name, "# Mended\n\n- a\n");
        here.git(["commit", "--quiet", "-am", "mended"]);
    }
    here.memdir(["sync"]).exit(0);
    settle(&here, &there);
}

#[test]
fn a_change_that_an_index_flag_hides_from_git_is_named() {
    let (here, _) = pair();
    here.put("facts/quiet.md", "# Quiet\n\n- a\n");
    here.memdir(["sync"]).exit(0);
    for (set, unset) in [("--skip-worktree", "--no-skip-worktree"), ("--assume-unchanged", "--no-assume-unchanged")] {
        here.git(["update-index", set, "facts/quiet.md"]);
        assert!(!here.memdir(["sync"]).exit(0).stderr.contains("does not look"), "nothing has changed yet");
        here.put("facts/quiet.md", format!("# Quiet\n\n- a\n- b {set}\n"));
        let run = here.memdir(["sync"]).exit(0);
        let mend = format!("`git update-index {unset} -- facts/quiet.md`");
        assert!(run.stderr.contains("git does not look at facts/quiet.md") && run.stderr.contains(&mend), "{run:#?}");
        here.git(["update-index", unset, "--", "facts/quiet.md"]);
        let run = here.memdir(["sync"]).exit(0);
        assert!(run.stdout.contains("committed") && !run.stderr.contains("does not look"), "{unset} {run:#?}");
    }
}

#[test]
fn litter_of_a_killed_merge_is_not_committed() {
    let repo = Repo::whole();
    repo.hub();
    repo.put("facts/user.md", "# User\n\n- a\n");
    for litter in ["..merge_file_A.1-0.tmp", ".merge_file_AbCdEf", ".gitattributes.12-3.tmp", "facts/.user.md.9-1.tmp"]
    {
        repo.put(litter, "x");
    }
    repo.memdir(["sync"]).exit(0);
    let committed = repo.git(["ls-files"]);
    assert!(committed.contains("facts/user.md"), "{committed}");
    assert!(!committed.contains("merge_file") && !committed.contains("user.md.9-1"), "{committed}");
}

#[test]
fn hints_name_the_remote_that_the_caller_named() {
    let gone = crate::support::Memory::new();
    let ran = gone.run(["sync", "/nowhere/else.git"]).exit(5);
    assert!(ran.stderr.contains("try: memdir sync /nowhere/else.git") && ran.stderr.contains("`git init "), "{ran}");
    let (here, there) = pair();
    here.memdir(["update", "user", "Prefers tabs", "Prefers spaces"]).exit(0);
    here.memdir(["sync"]).exit(0);
    there.memdir(["update", "user", "Prefers tabs", "Prefers any indent"]).exit(0);
    let hub = here.root().with_file_name("hub.git").display().to_string();
    let run = there.memdir(["sync", &hub]).exit(4);
    let again = format!("try: memdir --dir {} sync '{hub}'\n", there.memory().display());
    assert!(run.stdout.replace('\'', "").ends_with(&again.replace('\'', "")), "{run:#?}");
}

/// The secret must not leave this machine: the sync refuses it, says nothing of it, and the remote stays as it is.
#[track_caller]
fn refuses_secret(repo: &Repo, words: &[&str], part: &str) {
    let pushed = repo.git(["ls-remote", "origin"]);
    let run = repo.memdir(words).exit(5);
    assert!(run.stderr.contains("memdir: secret: ") && run.stderr.contains(part), "{part} {run:#?}");
    assert!(!run.stderr.contains(TOKEN) && !run.stdout.contains(TOKEN), "{run:#?}");
    assert_eq!(repo.git(["ls-remote", "origin"]), pushed, "{part}");
}

#[test]
fn a_secret_is_refused_in_whatever_a_sync_would_commit() {
    let (here, _) = pair();
    here.put("memdir.yaml", "version: 2\nsecrets: refuse\n");
    here.memdir(["sync"]).exit(0);
    let before = head(&here);
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let line = format!("- token: {TOKEN}\n");
    let texts: [(&str, Vec<u8>, &str); 4] = [
        ("facts/latin.md", [b"# N\n\n- caf\xe9\n", line.as_bytes()].concat(), "facts/latin.md:4 ("),
        ("facts/wide.md", utf_16(&format!("# N\n\n{line}")), "facts/wide.md:3 ("),
        ("memdir.yaml", format!("version: 2\nsecrets: refuse\n# {line}").into_bytes(), "memdir.yaml:3 ("),
        ("facts/token ghp_1234567890abcdefghijklmnopqrstuvwxyzAB.md", b"# N\n\n- a\n".to_vec(), "the name of facts/"),
    ];
    for (name, text, part) in texts {
        here.put(name, text);
        refuses_secret(&here, &["sync"], part);
        assert_eq!(head(&here), before, "{name}");
        here.git(["clean", "--quiet", "-fd"]);
        here.git(["checkout", "--quiet", "."]);
    }
    here.put("facts/user.md", "# User\n\n- Pending\n");
    refuses_secret(&here, &["sync", "-m", &format!("token: {TOKEN}")], "the reason would be committed");
    assert_eq!(head(&here), before);
    here.memdir(["sync"]).exit(0);
}

#[test]
fn the_stricter_policy_of_a_scope_holds_for_its_files() {
    let (here, _) = pair();
    here.memdir(["scope", "add", "web"]).exit(0);
    here.put("scopes/web/memdir.yaml", "version: 2\nsecrets: refuse\n");
    here.memdir(["sync"]).exit(0);
    here.put("scopes/web/facts/user.md", format!("# User\n\n- token: {TOKEN}\n"));
    refuses_secret(&here, &["sync"], "scopes/web/facts/user.md:3 (");
    here.git(["add", "."]);
    here.git(["commit", "--quiet", "-m", "by git"]);
    refuses_secret(&here, &["sync"], "scopes/web/facts/user.md:3 (");
}

#[test]
fn a_secret_is_refused_in_whatever_a_commit_of_git_has() {
    let (here, _) = pair();
    here.put("memdir.yaml", "version: 2\nsecrets: refuse\n");
    here.put(".gitattributes", "plain.md -diff\n");
    here.memdir(["sync"]).exit(0);
    let before = head(&here);
    let line = format!("- token: {TOKEN}\n");
    for (name, text) in [("plain.md", line.clone()), ("with-nul.md", format!("\0\n{line}"))] {
        commit(&here, name, &text);
        refuses_secret(&here, &["sync"], &format!("{name}:"));
        here.git(["reset", "--quiet", "--hard", before.trim()]);
    }
    here.git(["commit", "--quiet", "--allow-empty", "-m", &format!("token: {TOKEN}")]);
    refuses_secret(&here, &["sync"], "the message (");
    // What git shows here may not be what it sends.
    here.git(["reset", "--quiet", "--hard", before.trim()]);
    commit(&here, "facts/keys.md", &line);
    let with_secret = head(&here);
    here.git(["reset", "--quiet", "--hard", before.trim()]);
    commit(&here, "facts/keys.md", "- a\n");
    here.git(["replace", with_secret.trim(), "HEAD"]);
    here.git(["reset", "--quiet", "--hard", with_secret.trim()]);
    refuses_secret(&here, &["sync"], "facts/keys.md:1 (");
}

#[test]
fn a_secret_in_the_first_commit_is_refused_whatever_git_shows_of_it() {
    let here = Repo::whole();
    here.hub();
    here.git(["config", "log.showRoot", "false"]);
    here.put("memdir.yaml", "version: 2\nsecrets: refuse\n");
    here.git(["add", "."]);
    commit(&here, "facts/keys.md", &format!("# Keys\n\n- token: {TOKEN}\n"));
    refuses_secret(&here, &["sync"], "facts/keys.md:3 (");
}

#[test]
fn a_new_remote_gets_no_secret_that_the_old_one_has() {
    let (here, _) = pair();
    here.put("facts/keys.md", format!("# Keys\n\n- token: {TOKEN}\n"));
    let warned = here.memdir(["sync"]).exit(0).stderr;
    assert_eq!(warned.matches("a secret is").count(), 1, "{warned}");
    here.put("memdir.yaml", "version: 2\nsecrets: refuse\n");
    // A second line with what the remote's file has already is no news.
    here.put("facts/keys.md", format!("# Keys\n\n- token: {TOKEN}\n- again {TOKEN}\n"));
    here.memdir(["sync"]).exit(0);
    let other = here.root().with_file_name("other.git");
    here.git(["init", "--quiet", "--bare", other.to_str().unwrap()]);
    here.git(["remote", "set-url", "origin", other.to_str().unwrap()]);
    refuses_secret(&here, &["sync"], "facts/keys.md:3 (");
}

#[test]
fn tags_stay_on_this_machine() {
    let (here, _) = pair();
    here.git(["config", "push.followTags", "true"]);
    here.put("facts/user.md", "# User\n\n- More\n");
    here.git(["commit", "--quiet", "-am", "more"]);
    here.git(["tag", "-a", "-m", &format!("token: {TOKEN}"), "v1"]);
    here.memdir(["sync"]).exit(0);
    assert!(!here.git(["ls-remote", "origin"]).contains("refs/tags"));
}

#[test]
fn nothing_leaves_under_an_unsound_policy() {
    let (here, there) = pair();
    here.put("memdir.yaml", "version: 2\nsecrets: refuse\n");
    settle(&here, &there);
    let pushed = here.git(["ls-remote", "origin"]);
    here.put("memdir.yaml", "version: 2\nsecrets: refuse\nconsent_days: 7\nconsent_days: 8\n");
    here.put("facts/keys.md", format!("# Keys\n\n- The token is {TOKEN}\n"));
    let before = head(&here);
    let run = here.memdir(["sync"]).exit(5);
    assert!(run.stderr.contains("memdir: invalid_policy: "), "{run:#?}");
    assert_eq!(head(&here), before);
    here.git(["add", "."]);
    here.git(["commit", "--quiet", "-m", "by git"]);
    assert!(here.memdir(["sync"]).exit(5).stderr.contains("memdir: invalid_policy: "));
    assert_eq!(here.git(["ls-remote", "origin"]), pushed);
    // What others push is merged: it may be the policy that works.
    there.put("facts/more.md", "# More\n\n- a\n");
    there.memdir(["sync"]).exit(0);
    here.memdir(["sync"]).exit(5);
    assert_eq!(here.text("facts/more.md"), "# More\n\n- a\n");
}

#[test]
fn conflict_markers_in_a_policy_are_neither_committed_nor_pushed() {
    let (here, there) = pair();
    here.memdir(["scope", "add", "web"]).exit(0);
    settle(&here, &there);
    here.put("memdir.yaml", "version: 2\nconsent_days: 7\n");
    here.memdir(["sync"]).exit(0);
    there.put("memdir.yaml", "version: 2\nconsent_days: 9\n");
    there.memdir(["sync"]).exit(4);
    let before = head(&there);
    there.git(["add", "memdir.yaml"]);
    let run = there.memdir(["sync"]).exit(4);
    assert!(run.stdout.contains("memdir.yaml: has conflict markers"), "{run:#?}");
    assert_eq!(head(&there), before);
    there.put("memdir.yaml", "version: 2\nconsent_days: 9\n");
    settle(&there, &here);
    for marked in ["memdir.yaml", "scopes/web/memdir.yaml"] {
        there.put(marked, "version: 2\n<<<<<<< a\n# x\n=======\n# y\n>>>>>>> b\n");
        let run = there.memdir(["sync"]).exit(4);
        assert!(run.stdout.contains(&format!("{marked}: has conflict markers")), "{run:#?}");
        there.git(["checkout", "--quiet", "."]);
    }
    let pushed = there.git(["ls-remote", "origin"]);
    commit(&there, "scopes/web/memdir.yaml", "version: 2\n<<<<<<< a\n# x\n=======\n# y\n>>>>>>> b\n");
    let run = there.memdir(["sync"]).exit(4);
    assert!(run.stdout.contains("scopes/web/memdir.yaml:2: contains conflict markers"), "{run:#?}");
    assert_eq!(there.git(["ls-remote", "origin"]), pushed);
}

#[test]
fn settings_of_git_hide_no_conflict_markers() {
    let (here, _) = pair();
    here.put(".gitattributes", "*.md -diff\n");
    here.memdir(["sync"]).exit(0);
    let pushed = here.git(["ls-remote", "origin"]);
    commit(&here, "facts/user.md", "# User\n\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n");
    for (key, value) in [
        ("color.ui", "always"),
        ("color.grep", "always"),
        ("grep.patternType", "fixed"),
        ("grep.patternType", "perl"),
        ("log.showSignature", "true"),
    ] {
        here.git(["config", key, value]);
        let run = here.memdir(["sync"]).exit(4);
        assert!(run.stdout.contains("facts/user.md:3: contains conflict markers"), "{key} {run:#?}");
        assert_eq!(here.git(["ls-remote", "origin"]), pushed, "{key}");
        here.git(["config", "--unset", key]);
    }
}
