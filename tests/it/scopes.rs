//! Scopes: memories of their own in one memory. What is in one is shown by no command of another, nor by a plain command
//! of the parent memory; a removed one is kept until it is purged; the memory's policy governs.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;

use fs_err as fs;
use serde_json::{Value, json};

use crate::leaks::{Line, Planted, ROWS, Rows, git, walk};
use crate::support::{CommandOutcome, Memory, handle, memdir_command};
use crate::sync::{pair, settle};

/// A memory with two scopes, `app` and `web`.
fn with_scopes(policy: &str) -> Memory {
    let memory = Memory::new().policy(policy);
    memory.done(["scope", "add", "app"]);
    memory.done(["scope", "add", "web"]);
    memory
}

#[test]
fn a_scope_is_a_memory_of_its_own() {
    let memory = Memory::new();
    memory
        .run(["-S", "app", "add", "user", "Likes tea"])
        .exit(3)
        .stderr_contains("hint: `memdir scope add app` makes one");
    memory.done(["scope", "add", "app"]).stderr_contains("scope 'app' added");
    memory.done(["-S", "app", "add", "user", "Likes tea"]).stdout_contains("new file facts/user.md");
    memory.done(["add", "user", "Likes rain"]);
    memory.done(["--scope", "app", "query", "likes"]).stdout_contains("Likes tea");
    let own = memory.run(["query", "likes"]).env("MEMDIR_SCOPE", "app").exit(0);
    assert!(own.stdout.contains("tea") && !own.stdout.contains("rain"), "{own}");
    let above = memory.done(["query", "likes"]);
    assert!(!above.stdout.contains("tea") && above.stdout.contains("rain"), "{above}");
    let log = memory.done(["--json", "-S", "app", "log"]).json();
    assert_eq!(log["entries"].as_array().unwrap().len(), 1);
    let undone = memory.done(["-S", "app", "undo"]);
    assert!(undone.difference.starts_with("D scopes/app/facts/user.md\n"), "{undone}");
    memory.done(["scope", "add", "app"]).stderr_contains("the scope 'app' exists, with 0 items").unchanged();
}

#[test]
fn the_commands_in_a_proposal_of_a_scope_name_the_scope() {
    let memory = with_scopes("version: 1\nsensitive: [contact]\n");
    memory.run(["-S", "app", "add", "user", "Phone: 12345"]).by("claude").may_change().exit(5);
    let file = fs_err::read_dir(memory.dir().join("scopes/app/inbox")).unwrap().next().unwrap().unwrap().path();
    let (id, text) = (file.file_stem().unwrap().to_str().unwrap(), fs_err::read_to_string(&file).unwrap());
    assert!(text.contains(&format!("`memdir -S app inbox {id} --accept`")), "{text}");
    memory.done(["-S", "app", "inbox", id, "--accept"]).stdout_contains("Phone: 12345");
}

#[test]
fn a_directory_that_a_person_made_is_a_scope_with_its_name() {
    let memory = Memory::new();
    for name in ["Team", "my notes"] {
        memory.put(&format!("scopes/{name}/facts/user.md"), "# User\n\n- Likes tea\n");
        memory.done(["scope", "list"]).stdout_contains(name);
        memory.done(["-S", name, "query", "tea"]).stdout_contains("Likes tea");
        memory.done(["-S", name, "add", "user", "Likes rain"]).stdout_contains("Likes rain");
        memory.run(["query", "rain"]).env("MEMDIR_SCOPE", name).exit(0).stdout_contains("Likes rain");
        memory.done(["scope", "rm", name]).stderr_contains("archived");
        memory.run(["-S", name, "list"]).exit(5).stderr_contains("invalid_path");
        memory.done(["scope", "add", "--restore", name]);
        memory.done(["scope", "rm", "--purge", name]);
        memory.run(["scope", "add", name]).exit(5).stderr_contains("invalid_path");
    }
}

/// The plain commands of the memory have no address for a file of a scope.
#[test]
fn a_path_below_scopes_is_refused_with_the_way_to_it() {
    let memory = with_scopes("version: 1\n");
    memory.done(["-S", "app", "add", "user", "Likes tea"]);
    for line in [
        &["read", "scopes/app/facts/user.md"][..],
        &["list", "scopes/app/"],
        &["add", "scopes/app/facts/user.md", "x"],
        &["set", "scopes/app/facts/user.md", "summary=x"],
        &["check", "memory/scopes/app/facts/user.md"],
    ] {
        let refused = memory.run(line).ends();
        assert!(refused.status != 0 && refused.difference.is_empty(), "{refused}");
        if line.iter().any(|word| word.contains("scopes/")) && line[0] != "list" {
            assert!(refused.stderr.contains("-S NAME"), "{refused}");
        }
    }
    memory.done(["add", "user", "Likes rain"]);
    memory.run(["mv", "user", "scopes/app/facts/user2.md"]).exit(5).stderr_contains("-S NAME");
    memory.run(["import", "memory/scopes/app"]).exit(2);
    memory.run(["set", "user", "summary=x"]).exit(0);
}

#[test]
fn a_name_is_one_plain_component() {
    let memory = Memory::new();
    for name in ["Web", "a/b", "..", ".archived", "facts", "con", "-x", ""] {
        let refused = memory.run(["scope", "add", "--", name]).exit(5);
        assert_eq!(refused.stderr.split(": ").nth(1), Some("invalid_path"), "{refused}");
        memory.run([&format!("--scope={name}"), "list"]).exit(5);
    }
    memory.run(["scope", "add"]).exit(2);
    memory.run(["scope", "rm", "none"]).exit(3).stderr_contains("scope_not_found");
    memory.run(["-S", "*", "list"]).exit(2).stderr_contains("for `query` only");
}

#[test]
fn no_link_is_a_scope() {
    let memory = with_scopes("version: 1\n");
    let elsewhere = tempfile::tempdir().unwrap();
    fs::create_dir(elsewhere.path().join("facts")).unwrap();
    fs::write(elsewhere.path().join("facts/user.md"), "- Elsewhere\n").unwrap();
    symlink(elsewhere.path(), memory.dir().join("scopes/link")).unwrap();
    memory.run(["-S", "link", "list"]).exit(5).stderr_contains("unsafe_file");
    memory.run(["--dir", "memory/scopes/link", "list"]).exit(5).stderr_contains("unsafe_file");
    memory.run(["scope", "rm", "link", "--purge"]).exit(5).stderr_contains("unsafe_file");
    let listed = memory.done(["scope"]);
    assert!(!listed.stdout.contains("link") && elsewhere.path().join("facts/user.md").exists(), "{listed}");
}

/// The scenario "retains memories after app uninstall" of the source document.
#[test]
fn a_removed_scope_is_kept_and_comes_back() {
    let memory = with_scopes("version: 1\n");
    memory.done(["-S", "app", "add", "user", "Likes tea"]);
    memory.run(["-S", "app", "append", "-t", "Met Bob"]).stdin("- In Lisbon\n").exit(0);
    let before = memory.tree();
    memory.done(["scope", "rm", "app", "-n"]).stderr_contains("would be archived, with 2 items").unchanged();
    memory.done(["scope", "rm", "app"]).stderr_contains("scope 'app' archived, with 2 items");
    assert!(memory.text("scopes/.archived/app/facts/user.md").is_some());
    memory.run(["-S", "app", "list"]).exit(3).stderr_contains("memdir scope add --restore app` brings it back");
    memory.run(["--dir", "memory/scopes/.archived/app", "query", "tea"]).ends();
    for line in
        [&["query", "tea", "-a"][..], &["-S", "*", "query", "tea", "-a"], &["context"], &["export", "--to", "json"]]
    {
        let ran = memory.done(line);
        assert!(!ran.stdout.contains("tea"), "{ran}");
    }
    let list = memory.done(["scope", "list", "--json"]).json();
    assert_eq!((&list["scopes"][0]["name"], &list["archived"][0]["name"]), (&json!("web"), &json!("app")));
    assert_eq!((&list["archived"][0]["bullets"], &list["archived"][0]["entries"]), (&json!(1), &json!(1)));
    assert_eq!(list["archived"][0]["changed"], "2026-02-24T10:00:00Z");
    memory
        .run(["scope", "add", "app"])
        .exit(4)
        .stderr_contains("an archived scope 'app' exists, with 2 items")
        .stderr_contains("try: memdir scope add --restore app");
    memory.done(["scope", "add", "--restore", "app"]).stderr_contains("restored, with 2 items");
    assert_eq!(memory.tree(), before);
    memory.done(["-S", "app", "undo"]);
    memory.run(["scope", "add", "--restore", "app"]).exit(4);
    memory.run(["scope", "add", "--restore", "none"]).exit(3);
}

/// As for a text that is forgotten: a commit keeps what a purge deletes.
#[test]
fn a_purge_says_that_git_may_have_what_it_deleted() {
    let memory = with_scopes("version: 1\n");
    memory.done(["-S", "app", "add", "user", "Earns 8822"]);
    let told = "git may still contain what was in the scope: committed versions stay in its history";
    let without = memory.done(["scope", "rm", "web", "--purge", "--json"]);
    assert!(without.json().get("warnings").is_none() && !without.stderr.contains(told), "{without}");
    git(&memory.dir(), &["init", "-q"]);
    let archived = memory.done(["scope", "rm", "app"]);
    assert!(!archived.stderr.contains(told), "{archived}");
    memory.done(["scope", "rm", "app", "--purge", "-n"]).stderr_contains(told);
    let purged = memory.done(["scope", "rm", "app", "--purge", "--json"]).json();
    assert_eq!(purged["warnings"][0]["message"], json!(told), "{purged}");
}

/// The scenario "purges memories on admin request", with the fields of the document's answer.
#[test]
fn a_purge_tells_how_many_items_it_deleted() {
    let memory = with_scopes("version: 1\n");
    for n in 1..=7 {
        memory.done(["-S", "app", "add", "user", &format!("Fact number {n}")]);
    }
    memory.run(["-S", "app", "append", "-t", "Met Bob"]).stdin("- In Lisbon\n").exit(0);
    memory.done(["-S", "app", "bullet", "del", "--archive", "user", "Fact number 3"]);
    let dry = memory.done(["scope", "rm", "app", "--purge", "-n", "--json"]).json();
    assert_eq!((&dry["deletedCount"], &dry["dry_run"]), (&json!(8), &json!(true)));
    assert!(memory.text("scopes/app/facts/user.md").is_some());
    let purged = memory.done(["scope", "rm", "app", "--purge", "--json"]).json();
    assert_eq!(
        (&purged["success"], &purged["deletedCount"], &purged["action"]),
        (&json!(true), &json!(8), &json!("purged"))
    );
    assert!(memory.tree().keys().all(|path| !path.contains("/app/")), "{:?}", memory.tree().keys());
    memory.run(["scope", "rm", "app", "--purge"]).exit(3).stderr_contains("scope_not_found");
    // An archived one too, and what a killed purge left.
    memory.done(["-S", "web", "add", "user", "Likes tea"]);
    memory.done(["scope", "rm", "web"]);
    memory.put("scopes/.archived/.purged-old/facts/x.md", "- x\n");
    memory.done(["scope", "rm", "web", "--purge"]).stderr_contains("purged: 1 item deleted for good");
    assert_eq!(memory.tree().keys().collect::<Vec<_>>(), ["memdir.yaml"]);
}

/// Text that may be shown nowhere but in the scope `app`: every word of it begins with `qz`.
const APP_FILES: [(&str, &str); 6] = [
    (
        "facts/user.md",
        "# User\n\n> Summary: qzsummary\n\n- Name: qzname knee\n- qzbullet [[facts/qzlink]] #qztag\n  <!-- mem id=qzident src=qzsource imp=7 -->\n\n## Health\n\nqzparagraph knee\n\n- qzinside the parser\n",
    ),
    ("facts/qzfile.md", "---\ntags: [health]\ndescription: qzdescribed\n---\n- qztagged\n"),
    ("facts/plain.md", "# Plain\n\n- qzplain\n"),
    ("episodes/2026-02.md", "# 2026-02 Episodes\n\n## qzentry\n- Summary: qzwalk\n- Date: 2026-02-23\n"),
    ("inbox/rescued-r1-0.md", "- qzrescued\n"),
    ("procedures/qzsteps.md", "# Steps\n\n- qzstep\n"),
];
/// And in the parent memory, nowhere but there.
const MEMORY_FILES: [(&str, &str); 3] = [
    ("facts/user.md", "# User\n\n- wxbullet knee [[wxlink]]\n- wxparser\n\n## Health\n\n- wxinside\n"),
    ("facts/wxfile.md", "---\ntags: [health]\n---\n- wxtagged\n"),
    ("episodes/2026-02.md", "# 2026-02 Episodes\n\n## wxentry\n- Summary: wxwalk\n- Date: 2026-02-23\n"),
];
/// What is in the scope from which the others are looked for.
const WEB_FILES: [(&str, &str); 4] = [
    (
        "facts/user.md",
        "# User\n\n- Prefers tea\n- Said twice\n- Links to [[scopes/app/facts/user]] and [[../../facts/user]]\n\n## Work\n\n- Standup at ten\n",
    ),
    ("facts/plain.md", "# Plain\n\n- One\n- Two\n"),
    ("facts/mixed.md", "# Mixed\n\n- Three\n"),
    ("episodes/2026-02.md", "# 2026-02 Episodes\n\n## Walk\n- Summary: a walk\n- Date: 2026-02-24\n"),
];

/// Ways from one scope into another.
const ATTACKS: &Rows<'_> = &[
    (
        "read",
        &["read scopes/app/facts/user.md", "read ../app/facts/user.md", "read ../../facts/user.md", "read app:user"],
    ),
    ("read", &["-S app read user", "--dir memory/scopes/app read user", "-C memory/scopes/app read user"]),
    ("read", &["--dir scopes/app read user", "--dir app read user", "-S app --dir memory read user", "read @IDENT"]),
    ("list", &["-S app list", "--dir memory/scopes/app list", "list app:", "list scopes/app", "list user --blame"]),
    ("query", &["-S * query knee", "-S app query knee", "query knee -a --linked", "query --in scopes/** --full"]),
    (
        "query",
        &[
            r#"query < {"query": "knee", "filters": {"user_id": "app"}}"#,
            r#"query < {"query": "knee", "filters": {"user_id": "*"}}"#,
            r#"query < {"query": "parser", "filters": {"user_id": "../app"}}"#,
        ],
    ),
    (
        "mv",
        &[
            "mv scopes/app/facts/user.md mine",
            "mv app:user mine",
            "mv user ../app/facts/mine.md",
            "mv user scopes/app/x",
        ],
    ),
    (
        "import",
        &[
            "import memory/scopes/app",
            "import memory/scopes/app/facts/user.md",
            "import memory/facts",
            "import memory -n",
        ],
    ),
    (
        "import",
        &["import memory/scopes/app --from markdown", "import . --from markdown", "import memory --from markdown"],
    ),
    (
        "check",
        &[
            "check --against memory/scopes/app/facts/user.md",
            "check --against memory/facts/user.md",
            "check --rot .",
            "check --rot memory",
            "check --rot memory/facts",
            "check --rot memory/scopes/app",
        ],
    ),
    (
        "set",
        &["set user@TEA anchor=memory/scopes/app/facts/user.md:1-3", "set user@TEA anchor=scopes/app/facts/user.md:1"],
    ),
    ("diff", &["diff HEAD -- ../app", "diff HEAD~1..HEAD", "diff HEAD~1..HEAD --bullets", "diff HEAD~1 user"]),
    ("sync", &["sync", "sync -n", "--dir memory/scopes/app sync -n"]),
    ("log", &["-S app log -p", "--dir memory log -p", "log -p"]),
    ("undo", &["-S app undo -n", "--dir memory/scopes/app undo -n"]),
    ("scope", &["scope", "scope list", "scope rm app --purge", "scope add app --restore", "-S app scope list"]),
    ("context", &["-S app context", "--dir memory/scopes/app context", "context --style records"]),
    (
        "export",
        &[
            "export --to json scopes/app/facts/user.md",
            "export --to markdown app:user",
            "export --to html",
            "-S app export",
        ],
    ),
    ("tool", &[r#"tool anthropic < {"command": "view", "path": "/memories/scopes/app/facts/user.md"}"#]),
    ("tool", &[r#"tool anthropic < {"command": "view", "path": "/memories/../app/facts/user.md"}"#]),
    ("hook", &["hook session-start", "-S app hook session-start"]),
    (
        "__complete",
        &["__complete -- -S app read us", "__complete -- read app:us", "__complete -- --dir memory read us"],
    ),
];

/// A memory and two scopes, all with files, history and commits.
fn planted(scope: &'static str) -> Planted {
    let memory = with_scopes("version: 1\n");
    for (scope, files) in [("", &MEMORY_FILES[..]), ("scopes/app/", &APP_FILES[..]), ("scopes/web/", &WEB_FILES[..])] {
        files.iter().for_each(|(path, text)| memory.put(&format!("{scope}{path}"), text));
    }
    git(&memory.dir(), &["init", "-q", "-b", "main", "--separate-git-dir", "../git"]);
    for _ in 0..2 {
        git(&memory.dir(), &["add", "-A"]);
        git(&memory.dir(), &["commit", "-qm", "one", "--allow-empty"]);
        for (scope, word) in [("", "wxhistory"), ("app", "qzhistory"), ("web", "history")] {
            let run = |line: &[&str]| memory.run(line).env("MEMDIR_SCOPE", scope).exit(0);
            run(&["add", "plain", &format!("{word} of the knee"), "-m", &format!("{word} reason"), "--create"]);
            run(&["bullet", "del", "--archive", "plain", &format!("{word} of the knee")]);
            run(&["add", "plain", &format!("{word} stays")]);
        }
    }
    let log = memory.run(["--json", "log"]).env("MEMDIR_SCOPE", scope).exit(0).json();
    Planted { revisions: log["entries"].as_array().unwrap().len(), scope, layer: None, memory }.kept()
}

/// The words with these beginnings that an answer contains and the command line does not.
fn shown(prefixes: &[&str], line: &Line, ran: &CommandOutcome) -> BTreeSet<String> {
    let typed: Vec<&String> = line.0.iter().chain(&line.1).collect();
    let words =
        ran.stdout.split(|c: char| !c.is_alphanumeric()).chain(ran.stderr.split(|c: char| !c.is_alphanumeric()));
    let planted = words.filter(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)));
    planted.filter(|word| !typed.iter().any(|t| t.contains(word))).map(str::to_owned).collect()
}

/// The attacks, with the ids and handles that stand in them.
fn attacks() -> Vec<(String, Vec<String>)> {
    let filled = |line: &&str| line.replace("IDENT", "qzident").replace("TEA", &handle("Prefers tea"));
    ATTACKS.iter().map(|(verb, lines)| ((*verb).to_owned(), lines.iter().map(filled).collect())).collect()
}

/// Walks all commands and the attacks.
fn walk_all(
    scope: &'static str,
    look: &mut dyn FnMut(&Line, &CommandOutcome) -> Option<String>,
) -> (usize, Vec<String>) {
    let planted = planted(scope);
    let (mut tried, mut wrong) = walk(&planted, ROWS, "tester", &mut *look);
    let owned = attacks();
    let rows: Vec<(&str, Vec<&str>)> =
        owned.iter().map(|(verb, lines)| (verb.as_str(), lines.iter().map(String::as_str).collect())).collect();
    let rows: Vec<(&str, &[&str])> = rows.iter().map(|(verb, lines)| (*verb, lines.as_slice())).collect();
    let (more, also_wrong) = walk(&planted, &rows, "tester", look);
    tried += more;
    wrong.extend(also_wrong);
    (tried, wrong)
}

#[test]
fn no_command_in_a_scope_shows_another_scope_or_the_memory_above() {
    let (tried, wrong) = walk_all("web", &mut |line, ran| {
        let leaked = shown(&["qz", "wx"], line, ran);
        (!leaked.is_empty() || ran.status == 1).then(|| format!("shows {leaked:?}"))
    });
    assert!(tried > 400, "{tried}");
    assert!(wrong.is_empty(), "{} of {tried} leak:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}

/// Checks the walk itself, and that a scope is whole: in its own scope, every word is shown by some command.
#[test]
fn in_its_own_scope_the_same_walk_shows_every_word() {
    let mut seen = BTreeSet::new();
    let (_, wrong) = walk_all("app", &mut |line, ran| {
        seen.extend(shown(&["qz"], line, ran));
        let leaked = shown(&["wx"], line, ran);
        (!leaked.is_empty()).then(|| format!("shows {leaked:?}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let all = APP_FILES.iter().flat_map(|(path, text)| [path, text]);
    let words = all.flat_map(|text| text.split(|c: char| !c.is_alphanumeric())).filter(|word| word.starts_with("qz"));
    let hidden: BTreeSet<&str> = words.chain(["qzhistory"]).filter(|word| !seen.contains(*word)).collect();
    assert!(hidden.is_empty(), "the walk cannot find {hidden:?}");
}

/// From the memory, only what names a scope looks into it.
#[test]
fn no_plain_command_of_the_memory_shows_a_scope() {
    let mut seen = BTreeSet::new();
    let (tried, wrong) = walk(&planted(""), ROWS, "tester", |line, ran| {
        seen.extend(shown(&["wx"], line, ran));
        let leaked = shown(&["qz"], line, ran);
        (!leaked.is_empty()).then(|| format!("shows {leaked:?}"))
    });
    assert!(wrong.is_empty(), "{} of {tried} leak:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
    assert!(["wxbullet", "wxtagged", "wxentry", "wxhistory"].iter().all(|word| seen.contains(*word)), "{seen:?}");
}

#[test]
fn a_variable_that_is_not_utf_8_confines_all_the_same() {
    let memory = with_scopes("version: 1\n");
    let unreadable = OsString::from_vec(b"team\xc3".to_vec());
    let names = ["SCOPE", "AS", "MODE", "INSIDE", "DURABILITY", "REMOTE", "PROVIDER", "MODEL"];
    for name in names.map(|name| format!("MEMDIR_{name}")) {
        for line in [
            &["query", "likes"][..],
            &["-S", "web", "list"],
            &["add", "user", "Likes hail"],
            &["tool", "seed"],
            &["mcp"],
            &["check", "--rot", "."],
            &["reflect", "--check-model"],
        ] {
            let run = memory.run(line).env(&name, &unreadable).stdin("{}").ends();
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(said.contains(&format!("{name} is not UTF-8")) && !said.contains("rain"), "{line:?} {run}");
            assert_eq!(run.difference, "", "{line:?} {run}");
        }
        // A hook cannot fail, so it does nothing.
        let hook = memory.run(["hook", "claude", "session-start"]).env(&name, &unreadable).stdin("{}").exit(0);
        assert!(!hook.stdout.contains("rain") && hook.difference.is_empty(), "{hook}");
    }
}

#[test]
fn a_session_in_a_scope_names_no_other() {
    let memory = with_scopes("version: 1\n");
    let refused = |line: &[&str]| {
        let refused = memory.run(line).env("MEMDIR_SCOPE", "web").exit(5);
        assert!(refused.stderr.contains("scope_not_allowed"), "{refused}");
    };
    for line in [
        &["-S", "app", "list"][..],
        &["-S", "*", "query", "tea"],
        &["scope", "list"],
        &["scope", "add", "more"],
        &["scope", "rm", "app"],
        &["--dir", "memory/scopes/app", "list"],
    ] {
        refused(line);
    }
    memory.run(["-S", "web", "list"]).env("MEMDIR_SCOPE", "web").exit(0);
    memory.run(["--dir", "memory/scopes/web", "-S", "app", "list"]).exit(5).stderr_contains("scope_not_allowed");
    memory.run(["--dir", "memory/scopes/web", "scope", "list"]).exit(5).stderr_contains("scope_not_allowed");
    // A memory tool is started in a scope, and has no word for another.
    let view = json!({"command": "view", "path": "/memories/scopes/app/facts"}).to_string();
    let reply = memory.run(["-S", "web", "tool", "anthropic"]).stdin(view).exit(0).json_reply();
    assert_eq!(reply["is_error"], true);
}

#[test]
fn the_policy_above_governs() {
    let memory = with_scopes("version: 2\nsecrets: refuse\nlimits:\n  - {at: scopes/*/facts/*.md, bullets: 2}\n");
    memory.put("scopes/web/memdir.yaml", "version: 2\nsecrets: off\nlimits:\n  - {at: facts/user.md, bullets: 1}\n");
    let key =
        "Key: sk-ant-api03-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7pQ9rS1tU3vW5xY7zA9bC1dE3fG5-hJ7kL9AA";
    let refused = memory.run(["-S", "web", "add", "user", key]).exit(5);
    assert!(refused.stderr.contains("memdir: secret"), "{refused}");
    let warned = memory.done(["-S", "web", "add", "user", "Likes tea"]);
    assert!(warned.stderr.contains("of this scope, ignored: 'secrets' is looser"), "{warned}");
    memory.run(["-S", "web", "add", "user", "Likes rain"]).exit(5).stderr_contains("the policy allows 1");
    memory.done(["-S", "app", "add", "user", "Likes tea", "Likes rain"]);
    memory.run(["-S", "app", "add", "user", "Likes wind"]).exit(5).stderr_contains("the policy allows 2");
    memory.done(["add", "user", "a1", "b2", "c3"]);
    // However the scope is named.
    memory.run(["--dir", "memory/scopes/app", "add", "user", "Likes wind"]).exit(5);
    memory.run(["-C", "memory/scopes/app", "add", "user", "Likes wind"]).env("MEMDIR", "").exit(5);
}

/// The scenario "compacts memories when limit reached", and the same for bullets.
#[test]
fn a_limit_on_a_scope_counts_its_files_together() {
    let memory = with_scopes("version: 1\nlimits:\n  - {at: scopes/*, entries: 3, bullets: 2, on_limit: compact}\n");
    let entry = |scope: &str, month: &str, day: &str| {
        let line = [
            "-S",
            scope,
            "append",
            &format!("2026-{month}"),
            "-t",
            &format!("Talk {month} {day}"),
            "-d",
            &format!("2026-{month}-{day}"),
        ];
        memory.run(line).stdin("- x\n").exit(0)
    };
    entry("app", "02", "20");
    entry("app", "01", "10");
    entry("app", "01", "05");
    let fourth = entry("app", "02", "21");
    assert!(fourth.difference.contains("A scopes/app/archive/episodes/2026-01.md"), "{fourth}");
    assert!(!memory.text("scopes/app/episodes/2026-01.md").unwrap().contains("Talk 01 05"));
    let rows = memory.done(["scope", "list", "--json"]).json();
    assert_eq!(rows["scopes"][0]["entries"], 3);
    memory.done(["-S", "app", "undo"]);
    assert!(memory.text("scopes/app/episodes/2026-01.md").unwrap().contains("Talk 01 05"));
    // Each scope for itself; bullets of another file make room, pinned ones stay.
    memory.done(["-S", "web", "add", "one", "The first fact", "--pin"]);
    let earlier = memory.run(["-S", "web", "add", "two", "The second fact"]).env("MEMDIR_NOW", "2026-02-24T09:00:00Z");
    earlier.exit(0);
    let third = memory.done(["-S", "web", "add", "alpha", "The third fact"]);
    assert!(memory.text("scopes/web/archive/facts/two.md").is_some_and(|text| text.contains("second")), "{third}");
    memory.done(["-S", "web", "add", "three", "The fourth fact", "--pin"]);
    memory.run(["-S", "web", "add", "four", "The fifth fact"]).exit(5).stderr_contains("limit_reached");
    // The memory itself has no such limit.
    memory.done(["add", "user", "a1", "b2", "c3", "d4"]);
}

#[test]
fn compact_reduces_a_scope_that_is_over_its_limit() {
    let memory = with_scopes("version: 1\n");
    for (day, file, text) in
        [("05", "one", "alpha"), ("06", "two", "gamma"), ("07", "one", "beta"), ("08", "two", "delta")]
    {
        let ran = memory.run(["-S", "app", "add", file, text]).env("MEMDIR_NOW", &format!("2026-01-{day}T09:00:00Z"));
        ran.exit(0);
    }
    memory.done(["-S", "web", "add", "one", "alpha", "beta", "gamma", "--pin"]);
    memory.put("memdir.yaml", b"version: 1\nlimits:\n  - {at: scopes/*, bullets: 2, on_limit: compact}\n");
    memory.done(["-S", "app", "compact"]);
    let archived = ["one", "two"].map(|file| memory.text(&format!("scopes/app/archive/facts/{file}.md")).unwrap());
    assert!(archived[0].contains("alpha") && archived[1].contains("gamma"), "{archived:?}");
    memory.done(["-S", "app", "compact"]).stderr_contains("nothing is over its limit");
    // What is pinned stays, and is said to.
    memory.run(["-S", "web", "compact"]).exit(5).unchanged().stderr_contains("limit_reached");
}

#[test]
fn a_limit_on_a_scope_may_refuse() {
    let memory = with_scopes("version: 1\nlimits:\n  - {at: scopes/app, bullets: 2}\n");
    memory.done(["-S", "app", "add", "user", "First", "Second"]);
    let refused = memory.run(["-S", "app", "add", "other", "Third"]).exit(5);
    assert!(refused.stderr.contains("the scope would contain 3 bullets; the policy above allows 2"), "{refused}");
    memory.done(["-S", "web", "add", "user", "First", "Second", "Third"]);
}

#[test]
fn without_a_sound_policy_above_a_scope_is_closed() {
    let memory = with_scopes("version: 1\n");
    memory.done(["-S", "web", "add", "user", "Likes tea"]);
    memory.put("memdir.yaml", "version: 1\ncolour: blue\n");
    memory.run(["-S", "web", "list"]).exit(5).stderr_contains("the policy of the parent memory governs this scope");
    fs::remove_file(memory.dir().join("memdir.yaml")).unwrap();
    fs::create_dir_all(memory.dir().join("facts")).unwrap();
    memory.run(["-S", "web", "list"]).exit(5).stderr_contains("it has no memdir.yaml");
    memory.run(["-C", "memory/scopes/web", "list"]).env("MEMDIR", "").exit(5);
    // Without its marks the memory is still known by its history.
    fs::remove_dir(memory.dir().join("facts")).unwrap();
    memory.put(".memdir/x", "");
    memory.run(["--dir", "memory/scopes/web", "list"]).exit(5);
}

#[test]
fn an_allowlist_applies_in_every_scope() {
    let policy = "version: 1\nallowlists:\n  planner: [work]\n  doctor: [health, work]\n";
    let memory = with_scopes(policy);
    memory.put("scopes/app/facts/user.md", "# User\n\n- [work] Standup\n- [health] Knee\n");
    let seen = |agent: &str| memory.run(["-S", "app", "read", "user"]).by(agent).exit(0).stdout;
    assert!(seen("planner").contains("Standup") && !seen("planner").contains("Knee"));
    assert!(seen("doctor").contains("Knee"));
    memory.put("scopes/app/memdir.yaml", "version: 1\nallowlists:\n  doctor: [work]\n  planner: [work, health]\n");
    assert!(!seen("doctor").contains("Knee") && !seen("planner").contains("Knee"));
    memory.run(["scope", "list"]).by("planner").exit(5).stderr_contains("category_not_allowed");
}

#[test]
fn the_sizes_of_scopes_count_what_their_reader_may_see() {
    let memory = with_scopes("version: 1\n");
    memory.put("scopes/app/facts/user.md", "# User\n\n- [work] Standup\n- [health] Knee\n- [health] Dose\n");
    memory.put("scopes/app/facts/health.md", "# Health\n\n- Ward 7\n");
    memory.put("scopes/app/memdir.yaml", "version: 1\nallowlists:\n  planner: [work]\n  doctor: [health]\n");
    let row = |agent: &str| {
        let list = memory.run(["scope", "list", "--json"]).by(agent).exit(0).json();
        let rows = list["scopes"].as_array().unwrap().iter().chain(list["archived"].as_array().unwrap());
        let row = rows.clone().find(|row| row["name"] == "app").unwrap().clone();
        [row["files"].as_u64().unwrap(), row["bullets"].as_u64().unwrap()]
    };
    assert_eq!((row(""), row("planner"), row("other")), ([2, 4], [1, 1], [2, 4]));
    let items = |words: &[&str]| {
        let answer = memory.run(words.iter().copied().chain(["--json"])).by("planner").may_change().ends();
        let items = |value: &Value| value["items"].as_u64();
        match answer.status {
            0 => items(&answer.json()),
            _ => items(&answer.error()["details"]),
        }
    };
    assert_eq!(items(&["scope", "add", "app"]), Some(1));
    // A policy that cannot be read shows nothing to an agent.
    memory.put("scopes/app/memdir.yaml", "version: 1\nallowlists: 7\n");
    assert_eq!(row("planner"), [0, 0]);
    memory.put("scopes/app/memdir.yaml", "version: 1\nallowlists:\n  planner: [work]\n  doctor: [health]\n");
    memory.done(["scope", "rm", "app"]);
    assert_eq!((row(""), row("planner")), ([2, 4], [1, 1]));
    assert_eq!(items(&["scope", "add", "app"]), Some(1));
}

#[test]
fn a_shared_scope_is_read_by_all_and_changed_by_none() {
    let memory = with_scopes("version: 2\nshared: [team, gone]\n");
    memory.done(["scope", "add", "team"]);
    memory.done(["-S", "team", "add", "user", "Standup at ten, says the team"]);
    memory.done(["-S", "app", "add", "user", "Standup notes go to the app"]);
    memory.done(["-S", "web", "add", "user", "Standup in the web room"]);
    let found = memory.done(["-S", "web", "query", "standup"]);
    assert!(!found.stdout.contains("notes go to the app"), "{found}");
    let at = format!("team:facts/user.md@{}", handle("Standup at ten, says the team"));
    let json = memory.done(["-S", "web", "query", "standup", "--json"]).json();
    let addresses: Vec<&str> =
        json["items"].as_array().unwrap().iter().map(|i| i["address"].as_str().unwrap()).collect();
    assert!(json["found"] == 2 && addresses.contains(&at.as_str()), "{json}");
    assert_eq!(memory.done(["-S", "web", "query", "standup", "-L", "1", "--json"]).json()["shown"], 1);
    memory.done(["-S", "web", "read", &at]).stdout("- Standup at ten, says the team\n");
    memory.done(["-S", "web", "list", "team:"]).stdout_contains("team:facts/user.md");
    memory.done(["-S", "web", "list", "team:user"]).stdout_contains("Standup at ten");
    let context = memory.done(["-S", "web", "context"]);
    let line = at.replace('@', ":\n- @") + " Standup at ten, says the team\n";
    assert!(context.stdout.contains(&line), "{context}");
    assert!(!context.stdout.contains("notes go to the app"), "{context}");
    for line in [
        &["-S", "web", "rm", &at][..],
        &["-S", "web", "add", "team:user", "x"],
        &["-S", "web", "mv", "user", "team:mine"],
        &["-S", "web", "edit", "team:user"],
    ] {
        let refused = memory.run(line).ends();
        assert!(refused.status != 0 && refused.difference.is_empty(), "{refused}");
    }
    // The memory itself, and the shared scope, read no other through it.
    assert!(!memory.done(["-S", "team", "query", "standup"]).stdout.contains("web room"));
    memory.run(["read", &at]).exit(5);
    memory.run(["-S", "web", "read", "app:user"]).exit(5);
}

#[test]
fn a_scope_that_a_person_named_can_be_shared() {
    let memory = with_scopes("version: 2\nshared: [Team Notes, é]\n")
        .file("scopes/Team Notes/facts/user.md", "# User\n\n- Standup at ten\n")
        .file("scopes/é/facts/user.md", "# User\n\n- Standup in French\n");
    memory.done(["-S", "web", "add", "user", "Standup in the web room"]);
    let at = format!("Team Notes:facts/user.md@{}", handle("Standup at ten"));
    let json = memory.done(["-S", "web", "query", "standup", "--json"]).json();
    let addresses: Vec<&str> =
        json["items"].as_array().unwrap().iter().map(|item| item["address"].as_str().unwrap()).collect();
    assert!(json["found"] == 3 && addresses.contains(&at.as_str()), "{json}");
    memory.done(["-S", "web", "read", &at]).stdout("- Standup at ten\n");
    memory.done(["-S", "web", "list", "Team Notes:user"]).stdout_contains("Standup at ten");
    memory.done(["-S", "web", "query", "standup", "--in", "é:user"]).stdout_contains("Standup in French");
    memory.done(["-S", "web", "context"]).stdout_contains("Team Notes:facts/user.md");
    let refused = memory.run(["-S", "web", "add", "Team Notes:user", "x"]).exit(5).unchanged();
    refused.stderr_contains("scope_not_allowed: the scope 'Team Notes' is shared");
    // What another memory showed counts as no use of this one.
    assert!(!memory.text("scopes/web/.memdir/usage").unwrap_or_default().contains("Team Notes"));
    for name in ["a/b", "a:b", ".hidden", "'*'"] {
        memory.put("memdir.yaml", format!("version: 2\nshared: [\"{}\"]\n", name.trim_matches('\'')));
        memory.run(["check"]).may_change().exit(6).stdout_contains("shared");
    }
}

#[test]
fn a_shared_scope_is_named_in_errors_and_refused_by_what_would_answer_about_the_own_one() {
    let memory = with_scopes("version: 2\nshared: [team]\n");
    memory.done(["scope", "add", "team"]);
    memory.done(["-S", "team", "add", "user", "Standup at ten"]);
    memory.done(["-S", "web", "add", "user", "Standup in the web room"]);
    for (address, candidate) in [("team:user@zzzz", None), ("team:user#nope", Some("team:facts/user.md#user"))] {
        let error = memory.run(["-S", "web", "--json", "read", address]).exit(3).error();
        assert!(error["message"].as_str().unwrap().starts_with("in the scope team: "), "{error}");
        assert!(error["try"][0].as_str().unwrap().ends_with(" list team:facts/user.md"), "{error}");
        assert_eq!(error["details"]["candidates"][0]["address"].as_str(), candidate, "{error}");
    }
    for line in [
        &["log", "team:user"][..],
        &["list", "team:user", "--blame"],
        &["check", "team:user"],
        &["compact", "team:user", "--to", "1", "-n"],
        &["compact", "--duplicates", "team:user", "-n"],
        &["resolve", "team:user"],
        &["edit", "team:user"],
        &["add", "team:user", "x"],
        &["mv", "user", "team:mine"],
    ] {
        let refused = memory.run([&["-S", "web"], line].concat()).exit(5).unchanged();
        assert!(refused.stderr.contains("scope_not_allowed: the scope 'team' is shared"), "{refused}");
    }
}

#[test]
fn all_scopes_are_searched_from_the_memory_above() {
    let memory = with_scopes("version: 1\n");
    memory.done(["scope", "add", "old"]);
    memory.done(["add", "user", "Standup in the memory"]);
    memory.done(["-S", "app", "add", "user", "Standup in the app"]);
    memory.done(["-S", "old", "add", "user", "Standup in the past"]);
    memory.done(["scope", "rm", "old"]);
    let found = memory.done(["-S", "*", "query", "standup"]);
    let at = |text: &str| found.stdout.find(text);
    assert!(at("in the memory") < at("-S app: 1 item") && at("-S app: 1 item") < at("in the app"), "{found}");
    assert!(!found.stdout.contains("past") && !found.stdout.contains("-S web"), "{found}");
    let json = memory.done(["--json", "-S", "*", "query", "standup"]).json();
    assert_eq!((&json["scope"], &json["found"], &json["scopes"][0]["scope"]), (&json!("*"), &json!(2), &json!("app")));
    assert_eq!((&json["shown"], &json["scopes"][0]["found"]), (&json!(2), &json!(1)));
    assert!(found.stdout.contains(&format!("2 of 2 items, {} tokens", json["tokens"])), "{found}");
    let by_environment = memory.run(["query", "standup"]).env("MEMDIR_SCOPE", "*").exit(0);
    assert_eq!(by_environment.stdout, found.stdout);
    memory.run(["list"]).env("MEMDIR_SCOPE", "*").exit(2).stderr_contains("for `query` only");
    // A scope that is named is the scope that is searched.
    let one = memory.run(["-S", "app", "query", "standup"]).env("MEMDIR_SCOPE", "*").exit(0);
    assert!(one.stdout.contains("in the app") && !one.stdout.contains("in the memory"), "{one}");
    assert_eq!(json["scopes"][0]["items"][0]["path"], "facts/user.md");
    memory.done(["-S", "*", "query", "nothing-of-this-kind"]).stderr_contains("no matches");
}

impl CommandOutcome {
    /// The reply of a memory tool.
    fn json_reply(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{self}"))
    }
}

/// `getAppIdForConversation` of the source document: rules of the user config, by directory and by a field.
#[test]
fn a_conversation_goes_to_the_scope_that_the_rules_name() {
    let memory = with_scopes("version: 1\n");
    memory.done(["-S", "app", "add", "user", "Fact of the app"]);
    memory.done(["-S", "web", "add", "user", "Fact of the web"]);
    memory.done(["add", "user", "Fact of the memory"]);
    let home = memory.dir().parent().unwrap().to_owned();
    fs::create_dir_all(home.join("shop/web/src")).unwrap();
    let rules = format!(
        "people: [tester]\ntrusted: [{}]\nscopes:\n  - {{directory: '~/shop/web/**', scope: web}}\n  \
         - {{field: appId}}\n  - {{field: kind, is: 'ch*', scope: app}}\n",
        memory.dir().display()
    );
    memory.configure(&rules);
    let starts = |input: serde_json::Value, words: &[&str]| {
        let line = [words, &["hook", "session-start"]].concat();
        memory.run(line).stdin(input.to_string()).exit(0).stdout
    };
    let facts = |text: String| ["app", "web", "memory"].map(|name| text.contains(&format!("Fact of the {name}")));
    let web = json!({"session_id": "1", "cwd": home.join("shop/web/src"), "hook_event_name": "SessionStart"});
    assert_eq!(facts(starts(web.clone(), &[])), [false, true, false]);
    assert_eq!(facts(starts(web, &["-S", "app"])), [true, false, false], "an option is stronger than a rule");
    assert_eq!(facts(starts(json!({"cwd": &home, "kind": "chat"}), &[])), [true, false, false]);
    assert_eq!(facts(starts(json!({"cwd": &home}), &[])), [false, false, true]);
    // The field may be in the transcript. A scope that does not exist is none: nothing is shown, nothing is created.
    let transcript = home.join("t.jsonl");
    fs::write(&transcript, "{\"type\":\"x\"}\n{\"appId\":\"app\"}\n").unwrap();
    assert_eq!(facts(starts(json!({"cwd": &home, "transcript_path": transcript}), &[])), [true, false, false]);
    assert_eq!(starts(json!({"cwd": &home, "appId": "unknown"}), &[]).trim(), "{}");
    assert_eq!(starts(json!({"cwd": &home, "appId": "../app"}), &[]).trim(), "{}");
    // reflect asks the same rules.
    let prompt = |app: &str| {
        let talk =
            format!("{{\"appId\":\"{app}\",\"messages\":[{{\"role\":\"user\",\"content\":\"A fact of mine\"}}]}}");
        memory.run(["reflect", "--show-prompt"]).stdin(talk).ends()
    };
    // A transcript says where it took place.
    let cwd = home.join("shop/web/src");
    let line = json!({"type": "user", "cwd": cwd, "message": {"role": "user", "content": "A fact of mine"}});
    let placed = memory.run(["reflect", "--show-prompt"]).stdin(format!("{line}\n")).exit(0);
    assert!(placed.stdout.contains("Fact of the web"), "{placed}");
    let (here, none) = (prompt("app"), prompt("unknown"));
    assert!(here.stdout.contains("Fact of the app") && !here.stdout.contains("Fact of the memory"), "{here}");
    assert!(none.status == 3 && none.stderr.contains("scope_not_found"), "{none}");
}

/// A sync that brings a scope back takes its history along, though it notes in the scope what it merged.
#[test]
fn a_scope_that_a_sync_restores_keeps_its_history() {
    let (here, there) = pair();
    here.memdir(["scope", "add", "web"]).exit(0);
    here.memdir(["-S", "web", "add", "user", "Likes tea"]).exit(0);
    settle(&here, &there);
    here.memdir(["scope", "rm", "web"]).exit(0);
    settle(&here, &there);
    there.memdir(["scope", "add", "web", "--restore"]).exit(0);
    settle(&there, &here);
    assert!(here.memdir(["-S", "web", "log"]).exit(0).stdout.contains("facts/user.md"));
    here.memdir(["-S", "web", "undo", "-n"]).exit(0);
    // The archive is taken along, too.
    there.memdir(["-S", "web", "add", "user", "Likes coffee"]).exit(0);
    there.memdir(["scope", "rm", "web"]).exit(0);
    settle(&there, &here);
    assert!(here.memory().join("scopes/.archived/web/.memdir/journal").exists());
    assert!(!here.memory().join("scopes/web").exists());
}

/// Scopes are files of the memory's repository: committed, merged bullet by bullet, archived and purged with it.
#[test]
fn sync_takes_the_scopes_along() {
    let (here, there) = pair();
    here.memdir(["scope", "add", "app"]).exit(0);
    for n in 1..=5 {
        here.memdir(["-S", "app", "add", &format!("file{n}"), &format!("Fact number {n}")]).exit(0);
    }
    here.put("scopes/app/inbox/idea.md", "- Not consented to\n");
    settle(&here, &there);
    let tracked = there.git(["ls-files"]);
    assert!(tracked.contains("scopes/app/facts/file1.md") && tracked.contains("scopes/app/memdir.yaml"), "{tracked}");
    assert!(!tracked.contains("inbox/") && !tracked.contains("journal"), "{tracked}");
    // Both sides change one list: bullets are merged as in any file of the memory.
    here.memdir(["-S", "app", "add", "file1", "From here"]).exit(0);
    there.memdir(["-S", "app", "add", "file1", "From there"]).exit(0);
    settle(&here, &there);
    for repo in [&here, &there] {
        let list = repo.memdir(["-S", "app", "list", "file1"]).exit(0).stdout;
        assert!(list.contains("From here") && list.contains("From there"), "{list}");
        assert!(!repo.memdir(["query", "fact", "from"]).exit(0).stdout.contains("From"));
    }
    here.memdir(["scope", "rm", "app"]).exit(0);
    here.memdir(["sync"]).exit(0);
    let archived = here.git(["log", "-1", "--format=%B"]);
    assert!(archived.contains("bullets moved") && !archived.contains("removed"), "{archived}");
    settle(&here, &there);
    there.memdir(["-S", "app", "list"]).exit(3);
    there.memdir(["scope", "add", "app", "--restore"]).exit(0);
    assert!(there.memdir(["-S", "app", "query", "number"]).exit(0).stdout.contains("Fact number 5"));
    settle(&there, &here);
    assert!(here.memdir(["-S", "app", "query", "number"]).exit(0).stdout.contains("Fact number 5"));
    // The history and the proposals of this machine came along, and still are in no commit.
    here.memdir(["-S", "app", "log", "file1"]).exit(0);
    assert!(here.memory().join("scopes/app/inbox/idea.md").exists());
    assert!(!here.git(["log", "--all", "--name-only", "--format="]).contains("inbox/"));
    here.memdir(["scope", "rm", "app", "--purge"]).exit(0);
    settle(&here, &there);
    assert!(!there.memory().join("scopes/app/facts").exists());
    // The history on the other machine is deleted there.
    assert!(there.memory().join("scopes/app/.memdir").exists());
    // For a person; an agent may not delete it.
    let note = "`memdir scope rm app --purge` deletes it for good";
    for line in [&["status"][..], &["scope", "list"], &["sync"]] {
        let (own, bot) = (there.memdir(line).exit(0), there.memdir([&["--as", "bot"], line].concat()).exit(0));
        assert!(format!("{}{}", own.stdout, own.stderr).contains(note), "{line:?}: {own:?}");
        assert!(!format!("{}{}", bot.stdout, bot.stderr).contains(note), "{line:?}: {bot:?}");
    }
    let listed = there.memdir(["scope", "list", "--json"]).exit(0).json();
    assert_eq!(listed["leftovers"], json!(["app"]));
    assert!(!here.memdir(["status"]).exit(0).stderr.contains("scope rm"));
    let refused = there.memdir(["scope", "add", "app"]).exit(4);
    assert!(refused.stderr.contains("scope rm --purge app"), "{refused:?}");
    // Proposals may be in it, and no policy says any more what an agent may remove.
    there.memdir(["--as", "bot", "scope", "rm", "app", "--purge"]).exit(5);
    assert!(there.memory().join("scopes/app/.memdir").exists());
    there.memdir(["scope", "rm", "app", "--purge"]).exit(0);
    assert!(!there.memory().join("scopes/app").exists());
    there.memdir(["scope", "rm", "app", "--purge"]).exit(3);
    there.memdir(["scope", "add", "app"]).exit(0);
}

/// The name of one that a person made needs quotes in the command.
#[test]
fn what_is_left_of_a_scope_made_by_hand_is_named_and_deleted() {
    let memory = Memory::new().policy("version: 2\n").file("scopes/My Team/facts/user.md", "# User\n\n- One\n");
    memory.done(["-S", "My Team", "add", "user", "Two"]);
    std::fs::remove_dir_all(memory.dir().join("scopes/My Team/facts")).unwrap();
    memory.run(["scope", "list"]).exit(0).stderr_contains("`memdir scope rm 'My Team' --purge` deletes it for good");
    memory.run(["scope", "rm", "No Team", "--purge"]).exit(5);
    memory.run(["scope", "add", "My Team"]).exit(4).stderr_contains("`scope rm --purge 'My Team'`");
    memory.run(["scope", "rm", "My Team"]).exit(3).stderr_contains("`scope rm --purge 'My Team'`");
    let by_agent = memory.run(["scope", "rm", "My Team"]).by("bot").exit(3);
    assert!(!by_agent.stderr.contains("--purge"), "{by_agent}");
    memory.done(["scope", "rm", "My Team", "--purge"]);
    assert!(!memory.dir().join("scopes/My Team").exists());
}

/// So it does in the commands that bring it back.
#[test]
fn a_name_with_blanks_is_quoted_in_commands() {
    let memory = Memory::new().policy("version: 2\n").file("scopes/$(touch x)/facts/user.md", "# User\n\n- One\n");
    let archived = memory.done(["scope", "rm", "$(touch x)"]);
    assert!(archived.stderr.contains("`memdir scope add '$(touch x)' --restore` brings it back"), "{archived}");
}

/// What git did not remove, as of a branch that has not committed it, is the only copy.
#[test]
fn a_scope_without_its_policy_that_has_files_is_no_leftover() {
    for file in ["procedures/deploy.md", "procedures/deploy.sh", "archive/facts/user.md", "notes.md", "topics/a.md"] {
        let memory = Memory::new().policy("version: 2\n");
        memory.done(["scope", "add", "web"]);
        memory.done(["-S", "web", "add", "user", "One"]);
        memory.put(&format!("scopes/web/{file}"), "# Deploy\n\n- Only here\n");
        std::fs::remove_dir_all(memory.dir().join("scopes/web/facts")).unwrap();
        std::fs::remove_file(memory.dir().join("scopes/web/memdir.yaml")).unwrap();
        for line in [&["scope", "list"][..], &["status"]] {
            let run = memory.run(line).exit(0);
            let all = format!("{}{}", run.stdout, run.stderr);
            assert!(all.contains("the scope 'web' has files, but no memdir.yaml") && !all.contains("--purge"), "{run}");
        }
        assert_eq!(memory.run(["scope", "list", "--json"]).exit(0).json()["without_policy"], json!(["web"]));
        memory.run(["scope", "rm", "web", "--purge"]).exit(3).unchanged();
        memory.run(["scope", "add", "web"]).exit(4).unchanged();
        assert!(memory.dir().join("scopes/web/.memdir/journal").exists(), "{file}");
        memory.put("scopes/web/memdir.yaml", "");
        memory.run(["-S", "web", "log"]).exit(0).stdout_contains("add");
    }
}

/// Nor does a file go uncounted.
#[test]
fn a_purge_of_what_git_left_tells_how_many_files_waited() {
    let memory = Memory::new().policy("version: 2\n");
    memory.done(["scope", "add", "web"]);
    memory.done(["-S", "web", "add", "user", "One"]);
    memory.put("scopes/web/inbox/idea.md", "- Not consented to\n");
    memory.put("scopes/web/kept.txt", "of another program\n");
    std::fs::remove_dir_all(memory.dir().join("scopes/web/facts")).unwrap();
    std::fs::remove_file(memory.dir().join("scopes/web/memdir.yaml")).unwrap();
    std::fs::create_dir_all(memory.dir().join("scopes/web/archive/facts")).unwrap();
    for line in [&["scope", "rm", "web", "--purge", "-n", "--json"][..], &["scope", "rm", "web", "--purge", "--json"]] {
        let run = memory.run(line).may_change().exit(0).json();
        assert_eq!((&run["items"], &run["deletedCount"]), (&json!(1), &json!(1)), "{run}");
    }
    let left: Vec<_> =
        std::fs::read_dir(memory.dir().join("scopes/web")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["kept.txt"]);
}

/// A scope's changes are counted like those of the memory itself, and what a merge brings is no edit by a program.
#[test]
fn sync_reads_the_files_of_scopes() {
    let (here, there) = pair();
    here.memdir(["scope", "add", "app"]).exit(0);
    here.memdir(["-S", "app", "add", "user", "One"]).exit(0);
    settle(&here, &there);
    here.memdir(["-S", "app", "add", "user", "Two"]).exit(0);
    let synced = here.memdir(["sync"]).exit(0);
    assert!(synced.stdout.contains("memory: 1 bullet added in 1 file"), "{synced:?}");
    let body = here.git(["log", "-1", "--format=%b"]);
    assert!(body.contains("scopes/app/facts/user.md: 1 added\n"), "{body}");
    settle(&here, &there);
    there.memdir(["-S", "app", "add", "user", "Three"]).exit(0);
    settle(&there, &here);
    let status = here.memdir(["-S", "app", "status"]).exit(0);
    assert!(!status.stdout.contains("not yet recorded"), "{status:?}");
    let log = here.memdir(["-S", "app", "log", "-L", "0"]).exit(0);
    assert!(!log.stdout.contains("outside"), "{log:?}");
    let blame = here.memdir(["-S", "app", "list", "user", "--blame"]).exit(0);
    assert!(blame.stdout.contains("merged"), "{blame:?}");
}

/// A scope whose own policy cannot be read is closed to every command that would look into it.
#[test]
fn a_scope_with_a_broken_policy_is_closed() {
    let memory = with_scopes("version: 2\nshared: [app]\n");
    memory.done(["-S", "app", "add", "user", "Allergic to penicillin"]);
    memory.done(["-S", "web", "add", "user", "Likes tea"]);
    for broken in ["allowlists: {planner: [work]}\nbad: [\n", "\u{0}"] {
        memory.put("scopes/app/memdir.yaml", broken);
        for command in [
            &["-S", "*", "query", "penicillin"][..],
            &["-S", "app", "query", "penicillin"],
            &["-S", "web", "query", "penicillin"],
            &["-S", "web", "context", "-n"],
            &["-S", "web", "read", "app:user"],
            &["-S", "web", "list", "app:user"],
            &["-S", "web", "export", "--to", "jsonl", "app:user"],
        ] {
            let run = memory.run(command.iter().copied()).ends();
            assert!(!run.stdout.contains("llergic"), "{broken:?} {command:?}: {run}");
            assert!(format!("{}{}", run.stdout, run.stderr).contains("the scope 'app'"), "{command:?}: {run}");
        }
        // What is not in it is still found.
        let own = memory.run(["-S", "web", "query", "tea"]).exit(0);
        assert!(own.stdout.contains("Likes tea") && own.stderr.contains("left out: the scope 'app'"), "{own}");
        assert!(memory.run(["-S", "web", "context", "-n"]).exit(0).stdout.contains("Likes tea"));
        let all = memory.run(["-S", "*", "query", "penicillin"]).exit(0);
        assert!(all.stderr.contains("left out: the scope 'app'"), "{all}");
    }
}

/// No policy would govern it.
#[test]
fn what_is_below_scopes_and_no_scope_is_not_opened() {
    let memory = with_scopes("version: 2\n");
    memory.done(["-S", "app", "add", "user", "Allergic to nuts"]);
    memory.done(["scope", "rm", "app"]);
    memory.put("scopes/web/scopes/deep/facts/user.md", "# User\n\n- Allergic to nuts\n");
    for (inside, says) in [("scopes/.archived/app", "--restore app"), ("scopes/web/scopes/deep", "not a scope")] {
        let dir = memory.dir().join(inside);
        let named = memdir_command(&memory.dir()).arg("--dir").arg(&dir).args(["query", "nuts"]).output().unwrap();
        let within =
            memdir_command(&memory.dir()).current_dir(dir.join("facts")).args(["query", "nuts"]).output().unwrap();
        for run in [named, within] {
            let (out, error) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
            assert_eq!(run.status.code(), Some(3), "{error}");
            assert!(out.is_empty() && error.contains(says), "{out} {error}");
        }
    }
    memory.done(["scope", "add", "app", "--restore"]);
    assert!(memory.done(["-S", "app", "query", "nuts"]).stdout.contains("nuts"));
}

#[test]
fn an_agent_removes_no_scope_whose_items_it_may_not_remove() {
    let rows = [
        ("version: 2\nagents: {write: propose}\n", "version: 1\n", "Likes tea", "review: "),
        ("version: 2\n", "version: 2\nagents: {write: propose}\n", "Likes tea", "review: "),
        ("version: 1\nsensitive: [city]\n", "version: 1\n", "City: Rome", "consent: the scope 'app' holds city"),
        (
            "version: 1\n",
            "version: 1\nallowlists: {bot: [work], ana: [health]}\n",
            "Likes tea",
            "category_not_allowed: ",
        ),
    ];
    for (above, own, text, refused) in rows {
        let memory = with_scopes(above);
        memory.put("scopes/app/memdir.yaml", own);
        memory.put("scopes/app/facts/user.md", format!("# User\n\n- {text}\n"));
        let by_agent = |words: &[&str]| {
            memory.run(words).by("bot").exit(5).stderr_contains(refused).stderr_contains("nothing was changed");
        };
        by_agent(&["scope", "rm", "app"]);
        by_agent(&["scope", "rm", "app", "--purge"]);
        by_agent(&["scope", "rm", "app", "--purge", "-n"]);
        memory.done(["scope", "rm", "app"]);
        by_agent(&["scope", "rm", "app", "--purge"]);
        by_agent(&["scope", "add", "app", "--restore"]);
        memory.done(["scope", "add", "app", "--restore"]);
        // One without anything in it, or without such a rule, is the agent's to remove.
        memory.run(["scope", "rm", "web", "--purge"]).by("bot").may_change().exit(0);
        memory.done(["scope", "rm", "app", "--purge"]).stderr_contains("1 item deleted for good");
    }
    let memory = with_scopes("version: 2\nagents: {write: propose}\n");
    memory.run(["-S", "app", "add", "user", "Likes tea"]).by("bot").may_change().exit(5);
    memory.run(["scope", "rm", "app", "--purge"]).by("bot").exit(5).stderr_contains("proposals wait for a person");
    memory.done(["scope", "rm", "app", "--purge"]);
}

/// Hooks ask whether the parent memory is trusted.
#[test]
fn a_scope_of_a_trusted_memory_is_not_called_untrusted() {
    let memory = with_scopes("");
    memory.configure(&format!("people: [tester]\ntrusted: [{}]\n", memory.dir().display()));
    assert!(!memory.done(["-S", "web", "status"]).stderr.contains("not trusted"));
    memory.configure("people: [tester]\ntrusted: [/nowhere]\n");
    memory.done(["-S", "web", "status"]).stderr_contains("not trusted");
}

/// What its policy restricted may be missing.
#[test]
fn an_agent_reads_no_scope_whose_policy_is_no_yaml() {
    let memory = Memory::new();
    memory.done(["scope", "add", "team"]);
    memory.done(["scope", "add", "web"]);
    memory.done(["-S", "team", "add", "notes", "Team deploys on Monday"]);
    memory.put("memdir.yaml", "version: 2\nshared: [team]\n");
    memory.put("scopes/team/memdir.yaml", "version: 2\ncategories:\n  custom:\n    - name: [health\n");
    for line in [&["-S", "*", "query", "deploys"][..], &["-S", "web", "query", "deploys"], &["-S", "web", "context"]] {
        let ran = memory.run(line).env("CLAUDECODE", "1").by("").ends();
        assert!(!ran.stdout.contains("Monday"), "{line:?}: {}", ran.stdout);
    }
    let folder = memory.dir().join("scopes/team");
    let rot = memory.run(["check", "--rot", folder.to_str().unwrap()]).env("CLAUDECODE", "1").by("").ends();
    assert!(!rot.stdout.contains("Monday"), "{}", rot.stdout);
    assert!(memory.run(["-S", "team", "query", "deploys"]).exit(0).stdout.contains("Monday"), "a person reads on");
}
