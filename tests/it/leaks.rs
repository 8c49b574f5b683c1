//! Nothing that an agent's allowlist leaves out reaches it through any verb, in any form of output: secrets are planted
//! wherever memory text can occur, and clap's own command tree is walked.
//!
//! Checks itself: the same walk by an agent without a list must show every secret.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use fs_err as fs;
use serde_json::json;

use crate::support::memory::full;
use crate::support::{CommandOutcome, CommandRun, Memory, handle};

const POLICY: &str = "version: 1
categories:
  system:
    - name: health
  custom:
    - name: work
      context: all
allowlists:
  planner: [work]
  doctor: [work, health]
";

const USER: &str = "---
title: Ann
summary: name, zqfrontline
---
# User

> Summary: name, zqsummary

- Name: Ann
- Prefers tabs
- [health] zqbullet of the knee
  <!-- mem id=zqident src=zqfrom imp=7 -->
  - zqchild of it
- Prefers tea
- Said twice

## Work

- Standup at ten
- [work] The parser comes first

## Health {#zqsection}

zqparagraph about the knee

- zqinside the section about the parser
- Said twice

### zqheading

- zqdeep dose [[facts/zqlinked]]

## Play

- Chess
";

/// Every secret holds these letters, and nothing else in the memory does.
pub const SECRETS: [&str; 34] = [
    "zqstate",
    "zqthread",
    "zqfrontline",
    "zqsummary",
    "zqbullet",
    "zqident",
    "zqfrom",
    "zqchild",
    "zqsection",
    "zqparagraph",
    "zqinside",
    "zqheading",
    "zqdeep",
    "zqlinked",
    "zqclinic",
    "zqtagged",
    "zqdescribed",
    "zqstem",
    "zqentry",
    "zqold",
    "zqrephrased",
    "zqremoved",
    "zqmoved",
    "zqarchived",
    "zqgone",
    "zqwent",
    "zqreason",
    "zqorigin",
    "zqrequested",
    "zqoutside",
    "zqrescued",
    "zqscoped",
    "zqmixed",
    "zqdeclared",
];

/// Commands that show no memory text to any agent: they read none, or (`mcp`) only what their client asks for, which
/// `mcp.rs` tests.
const WITHOUT: [&str; 7] = ["init", "schema", "completions", "man", "mcp", "merge", "merge-driver"];

/// A memory with everything in it, and a copy to begin again from.
pub struct Planted {
    pub memory: Memory,
    pub revisions: usize,
    /// The scope in which every command runs, as a front end is started with it; empty: in the memory itself.
    pub scope: &'static str,
    /// The name of the memory as a layer of another, from which every command is run; addresses name it.
    pub layer: Option<String>,
}

pub fn git(dir: &Path, line: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", dir).current_dir(dir).args(line);
    assert!(command.stdin(Stdio::null()).output().unwrap().status.success(), "{line:?}");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

impl Planted {
    pub fn new() -> Planted {
        let memory = Memory::new().policy(POLICY).file("facts/user.md", USER);
        let trusted = serde_json::Value::from(memory.dir().to_str().unwrap());
        memory.configure(&format!("people: [tester]\ntrusted: [{trusted}]\n"));
        let tagged = "---\ntags: [health]\ndescription: zqdescribed\n---\n- zqtagged\n";
        let memory = memory.file("facts/zqclinic.md", tagged).file("facts/health.md", "# Health\n\n- zqstem\n");
        let memory = memory.file("facts/plain.md", "# Plain\n\n- One\n- Two\n");
        let memory = memory.file("facts/mixed.md", "# Mixed\n\n- Three\n- [health] zqmixed\n\n[health] zqdeclared\n");
        let walk = "# 2026-02 Episodes\n\n## Walk\n- Summary: a walk\n- Date: 2026-02-24\n";
        let entry = format!("{walk}\n## Health\n- Summary: zqentry\n- Date: 2026-02-23\n");
        let memory = memory.file("episodes/2026-02.md", &entry).file("inbox/rescued-r1-0.md", "- zqrescued\n");
        let memory = memory.file("scopes/ana/memdir.yaml", "version: 1\n");
        let memory = memory.file("scopes/ana/facts/health.md", "- zqscoped knee\n");
        git(&memory.dir(), &["init", "-q", "-b", "main", "--separate-git-dir", "../git"]);
        git(&memory.dir(), &["add", "-A"]);
        git(&memory.dir(), &["commit", "-qm", "one"]);
        let lines: [&[&str]; 15] = [
            &["add", "plain", "Four", "-m", "for the list"],
            &["add", "user", "[health] zqold knee", "-m", "zqreason", "--source", "zqorigin"],
            &["update", "user", "[health] zqold knee", "[health] zqrephrased knee"],
            &["add", "user", "[health] zqremoved knee"],
            &["bullet", "del", "user", "[health] zqremoved knee"],
            &["add", "plain", "zqmoved to where it belongs"],
            &["mv", "PLAIN", "user#health"],
            &["add", "user", "[health] zqarchived knee"],
            &["bullet", "del", "--archive", "user", "[health] zqarchived knee"],
            &["update", "user", "Prefers tabs", "Prefers spaces"],
            &["rm", "GONE"],
            &["add", "user#work", "Reviews on Friday"],
            &["bullet", "del", "mixed", "Three"],
            &["undo"],
            &["add", "plain", "Five"],
        ];
        let gone = "---\ntags: health\n---\n- zqwent\n";
        memory.run(["write", "facts/zqgone.md"]).stdin(gone).exit(0);
        // Both have looked before the changes below, which are news to them.
        for reader in ["planner", "tester"] {
            memory.run(["context"]).by(reader).exit(0);
        }
        let moved = format!("plain@{}", handle("zqmoved to where it belongs"));
        for line in lines {
            let line = line.iter().map(|w| match *w {
                "PLAIN" => moved.as_str(),
                "GONE" => "zqgone",
                w => w,
            });
            let line: Vec<&str> = line.collect();
            match line[..] {
                ["rm", "zqgone"] => memory.done(["rm", "-f", "zqgone"]),
                _ => memory.done(line),
            };
        }
        let batch =
            json!({"request": "req-1", "operations": [{"op": "add", "at": "user", "text": "[health] zqrequested"}]});
        memory.run(["apply"]).stdin(batch.to_string()).exit(0);
        for (key, state) in [("tester/zqthread", r#"{"a":"zqstate"}"#), ("planner/one", "{}")] {
            memory.run(["checkpoint", "save", key]).stdin(state).exit(0);
        }
        let log = memory.done(["--json", "log"]).json();
        let revisions = log["entries"].as_array().unwrap().len();
        let now = memory.text("facts/user.md").unwrap();
        memory.put("facts/user.md", now.replace("- Chess\n", "- Chess\n- [health] zqoutside\n"));
        Planted { memory, revisions, scope: "", layer: None }.kept()
    }

    /// The same as a layer of a memory without allowlists.
    pub fn in_layer() -> Planted {
        let planted = Planted::new();
        let home = planted.memory.dir().parent().unwrap().to_owned();
        let name = home.file_name().unwrap().to_str().unwrap().trim_start_matches('.').to_lowercase();
        fs::create_dir_all(home.join("work/memory/facts")).unwrap();
        fs::write(home.join("work/memory/facts/user.md"), "# User\n\n- Works at the harbour\n").unwrap();
        let (own, layer) = (home.join("work/memory"), planted.memory.dir());
        let config = json!({"people": ["tester"], "trusted": [own, layer], "layers": ["project", layer]});
        planted.memory.configure(&config.to_string());
        Planted { layer: Some(name), ..planted }
    }

    /// The same, with the copy.
    pub fn kept(self) -> Planted {
        copy(&self.memory.dir(), &self.aside());
        self
    }

    fn aside(&self) -> std::path::PathBuf {
        self.memory.dir().with_file_name(".aside")
    }

    fn anew(&self) {
        fs::remove_dir_all(self.memory.dir()).unwrap();
        copy(&self.aside(), &self.memory.dir());
    }

    fn run(&self, line: &[String], stdin: Option<&str>, actor: &str) -> CommandRun<'_> {
        let mut line = line.to_vec();
        if let Some(layer) = &self.layer {
            let known = addresses();
            let names_revisions = line.iter().any(|word| ["show", "undo", "redo", "diff"].contains(&word.as_str()));
            let is_revision = |word: &String| {
                word.strip_prefix('r').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            };
            let is_of_layer = |word: &&mut String| known.contains(*word) || names_revisions && is_revision(word);
            for word in line.iter_mut().filter(is_of_layer) {
                *word = format!("{layer}:{word}");
            }
            line.splice(..0, ["-C".to_owned(), "work".to_owned()]);
        }
        let run = self.memory.run(&line).by(actor).env("EDITOR", "cat").env("MEMDIR_SCOPE", self.scope).may_change();
        let run = if self.layer.is_some() { run.env("MEMDIR", "") } else { run };
        match stdin {
            Some(text) => run.stdin(text),
            None => run,
        }
    }
}

/// A command line and its stdin.
pub type Line = (Vec<String>, Option<String>);
/// The command lines of commands, as in [`ROWS`].
pub type Rows<'a> = [(&'a str, &'a [&'a str])];

/// Addresses right, wrong, near and hidden.
fn addresses() -> Vec<String> {
    let hidden = format!("user@{}", handle("[health] zqbullet of the knee"));
    let inside = format!("user@{}", handle("zqinside the section about the parser"));
    let seen = format!("user@{}", handle("Prefers tea"));
    let old = format!("user@{}", handle("[health] zqold knee"));
    let elsewhere = format!("plain@{}", handle("zqmoved to where it belongs"));
    let plain = [
        "user",
        "user#work",
        "user#health",
        "user#healt",
        "user#wrk",
        "user@3",
        "user@9",
        "user#health@1",
        "user@zzzz",
        "@zqident",
        "@zqsection",
        "user@zqident",
        "health",
        "helth",
        "zqclinic",
        "zqclinik",
        "facts/zqgone.md",
        "plain",
        "plan",
        "mixed",
        "mixd",
        "2026-02",
        "2026-02#health",
        "archive/facts/user.md",
        "inbox/rescued-r1-0.md",
        "nothing",
    ];
    plain.into_iter().map(str::to_owned).chain([hidden, inside, seen, old, elsewhere]).collect()
}

const TEXTS: [&str; 6] = ["Prefers tea", "Prefers te", "Said twice", "knee", "Standup at tne", "Chess"];

/// The command lines tried, word by word; `~` is a blank within a word. `ADDRESS` is replaced by every address in turn,
/// `FILE` and `TEXT` by some files with every text, `REV` by every revision, `HIDDEN` by a hidden bullet; the part
/// after ` < ` is stdin.
pub const ROWS: &[(&str, &[&str])] = &[
    ("status", &["status"]),
    ("list", &["list", "list facts", "list archive", "list inbox", "list ADDRESS", "list --blame ADDRESS"]),
    ("read", &["read ADDRESS"]),
    (
        "context",
        &[
            "context",
            "context -b 8000",
            "context --stable",
            "context --stable -b 8000",
            "context -n --stable -b 400",
            "context --style index",
            "context --style index -b 8000",
            "context --style records",
            "context --style records -b 8000",
        ],
    ),
    (
        "reflect",
        &[
            "reflect --show-prompt < User: what of the knee, the dose, the parser?",
            "reflect --show-prompt --into health < User: knee",
            "reflect -n < User: knee",
            "reflect --queued",
        ],
    ),
    ("inbox", &["inbox", "inbox --accept", "inbox p123456 --reject", "inbox --branch b"]),
    (
        "compact",
        &[
            "compact",
            "compact --by-age",
            "compact --duplicates",
            "compact --duplicates -n ADDRESS",
            "compact ADDRESS --to 1",
            "compact -F - < {\"op\":\"rm\",\"at\":\"user\",\"text\":\"knee\"}",
        ],
    ),
    (
        "query",
        &[
            "query knee",
            "query knee --full --explain -a",
            "query parser section prefers --explain",
            "query what is told about the dose -a",
            "query walk summary of february",
            "query said twice -L 1",
            "query --category health",
            "query knee --category Health",
            "query --category work",
            "query --tag health",
            "query --in facts/* -a --full",
            "query --in archive --full",
            "query --in inbox --full",
            "query --by tester --full",
            "query --since 2d --full",
            "query --imp 5..10 --full",
            r#"query < {"query": "knee"}"#,
            r#"query < {"query": "knee", "agent": "doctor"}"#,
            r#"query < {"query": "knee", "agent": "doctor", "categories": ["health"]}"#,
            r#"query < {"query": "knee", "agent": "nobody", "return": "full"}"#,
            r#"query < {"query": "knee", "filters": {"category": "health"}}"#,
            r#"query < {"query": "knee", "filters": {"user_id": "ana"}}"#,
            r#"query < {"filters": {"user_id": "ana", "updated_before": "2030-01-01"}}"#,
        ],
    ),
    (
        "add",
        &[
            "add ADDRESS New~one",
            "add FILE TEXT",
            "add usr x",
            "add clinic x",
            "add user [health]~of~the~agent's~own",
            "add user x --id zqident",
        ],
    ),
    (
        "update",
        &[
            "update ADDRESS New~one",
            "update FILE TEXT New~one",
            "update user --index 3 New",
            "update user Prefers~tea [health]~now~hidden",
        ],
    ),
    ("rm", &["rm ADDRESS", "rm -f ADDRESS", "rm --archive ADDRESS", "rm --forget ADDRESS", "rm user plain -f"]),
    ("restore", &["restore ADDRESS"]),
    ("prune", &["prune", "prune -n", "prune -f"]),
    (
        "mv",
        &["mv ADDRESS other", "mv -f ADDRESS user#health", "mv ADDRESS health", "mv plain clinic", "mv HIDDEN plain"],
    ),
    ("set", &["set ADDRESS imp=3", "set ADDRESS summary=x", "set ADDRESS title=x"]),
    ("append", &["append ADDRESS -t T < - new"]),
    (
        "patch",
        &[
            "patch --old Prefers --new Likes ADDRESS",
            "patch --old knee --new arm ADDRESS",
            "patch --old Said~twice --new Said~once ADDRESS",
        ],
    ),
    ("write", &["write ADDRESS -f < - new"]),
    (
        "apply",
        &[
            r#"apply < [{"op": "rm", "at": "user", "text": "Said twice"}]"#,
            r#"apply < [{"op": "rm", "at": "user", "index": 3, "text": "Prefers tea"}]"#,
            r#"apply < [{"op": "update", "at": "user", "index": 3, "old": "knee", "text": "x"}]"#,
            r#"apply < [{"op": "update", "at": "HIDDEN", "text": "x", "seen": "00000000"}]"#,
            r#"apply < [{"op": "add", "at": "user#health", "text": "x"}]"#,
            r#"apply < [{"op": "add", "at": "user", "text": "x", "if_match": "0011223344556677"}]"#,
            r#"apply < [{"op": "patch", "at": "user", "pairs": [{"old": "e", "new": "x"}]}]"#,
            r#"apply < [{"op": "add", "at": "plain", "text": "x"}, {"op": "rm", "at": "HIDDEN"}]"#,
            r#"apply < [{"op": "add", "at": "plain", "text": "x"}, {"op": "add", "at": "user", "text": "y"}]"#,
            r#"apply < {"request": "req-1", "operations": [{"op": "add", "at": "plain", "text": "x"}]}"#,
            r#"apply < [{"op": "ad"}]"#,
        ],
    ),
    (
        "tool",
        &[
            r#"tool anthropic < {"command": "view", "path": "/memories"}"#,
            r#"tool anthropic < {"command": "view", "path": "/memories/HIDDEN"}"#,
            r#"tool anthropic < {"command": "view", "path": "/memories/user.md"}"#,
            r#"tool anthropic < {"command": "create", "path": "/memories/HIDDEN", "file_text": "x"}"#,
            r#"tool anthropic < {"command": "str_replace", "path": "/memories/user.md", "old_str": "knee"}"#,
            r#"tool anthropic < {"command": "insert", "path": "/memories/HIDDEN", "insert_line": 9, "insert_text": "x"}"#,
            r#"tool anthropic < {"command": "delete", "path": "/memories/facts"}"#,
            r#"tool anthropic < {"command": "rename", "old_path": "/memories/HIDDEN", "new_path": "/memories/x.md"}"#,
        ],
    ),
    ("edit", &["edit ADDRESS"]),
    ("bullet add", &["bullet add ADDRESS New~one"]),
    (
        "bullet del",
        &[
            "bullet del FILE TEXT",
            "bullet del --archive FILE TEXT",
            "bullet del --forget FILE TEXT",
            "bullet del user --index 3",
            "bullet del user knee --index 3",
        ],
    ),
    ("bullet update", &["bullet update FILE TEXT New~one"]),
    ("bullet list", &["bullet list ADDRESS", "bullet list --blame ADDRESS"]),
    ("embed", &["embed"]),
    ("stats", &["stats", "stats --csv", "stats --cost", "stats --since r2", "stats --since 2d"]),
    (
        "log",
        &["log", "log -p", "log --all -p", "log -p --by tester", "log -p -L 3", "log --since r2 -p", "log -p ADDRESS"],
    ),
    ("show", &["show REV"]),
    (
        "diff",
        &[
            "diff",
            "diff HEAD",
            "diff HEAD --bullets",
            "diff HEAD...HEAD --stat",
            "diff r3..r5 --bullets",
            "diff --since REV",
            "diff --since r1 ADDRESS",
            "diff REV",
            "diff --bullets REV",
            "diff r1 ADDRESS",
        ],
    ),
    ("undo", &["undo", "undo --by tester", "undo --keep-edited", "undo REV"]),
    ("redo", &["redo", "redo REV"]),
    (
        "check",
        &[
            "check",
            "check --fix",
            "check --since HEAD",
            "check --anchors",
            "check --anchors --fix",
            "check ADDRESS",
            "check --rot .",
            "check --rot memory",
            "check --rot memory/facts",
        ],
    ),
    ("resolve", &["resolve", "resolve ADDRESS"]),
    ("setup", &["setup git --check", "setup git -n", "setup git"]),
    ("scope", &["scope", "scope list", "scope add new -n", "scope rm ana -n", "scope rm ana --purge -n"]),
    ("sync", &["sync", "sync -n", "sync --home", "sync --setup"]),
    ("import", &["import memory -n", "import memory/facts -n", "import . -n", "import . --from markdown"]),
    (
        "export",
        &[
            "export --to json",
            "export --to jsonl",
            "export --to markdown",
            "export --to claude-index",
            "export --to server-memory",
            "export --to json-memory",
            "export --to records",
            "export --to html",
            "export --to html ADDRESS",
            "export --to json ADDRESS",
        ],
    ),
    (
        "checkpoint",
        &[
            "checkpoint list",
            "checkpoint load tester/zqthread",
            "checkpoint load planner/one",
            "checkpoint load nothing",
            "checkpoint save tester/zqthread < {}",
            "checkpoint save planner/one < {}",
            "checkpoint save planner/one --if-match 01234567 < {}",
            "checkpoint save planner/two < {",
            "checkpoint rm tester/zqthread",
            "checkpoint rm planner/one",
        ],
    ),
    (
        "hook",
        &[
            "hook session-start",
            "hook stop --host codex",
            "hook session-start < {\"session_id\":\"s\"}",
            "hook session-start --host gemini --budget 8000 < {\"session_id\":\"t\"}",
            "hook session-start --host cursor --budget 320 < {\"session_id\":\"u\"}",
            "hook user-prompt --host gemini < {\"session_id\":\"c\",\"prompt\":\"said twice, walk, dose and inside the section\"}",
            "hook pre-tool < {\"session_id\":\"d\",\"tool_input\":{\"prompt\":\"tell me of the knee and the clinic\"}}",
            "hook pre-compact < {\"session_id\":\"s\"}",
            "hook user-prompt < {\"session_id\":\"a\",\"prompt\":\"bullet of the knee, the section about the parser\"}",
            "hook pre-tool < {\"session_id\":\"b\",\"tool_input\":{\"command\":\"knee parser section\",\"path\":\"facts/health.md\"}}",
        ],
    ),
    ("etag", &["etag ADDRESS"]),
    ("where", &["where", "where ADDRESS"]),
    (
        "__complete",
        &["__complete -- read HALF", "__complete -- rm HALF", "__complete -- show HALF", "__complete -- add HALF"],
    ),
];

/// Words half typed.
const HALVES: [&str; 10] = ["", "us", "h", "user#", "user@", "2026-02#", "mixed@", "z", "health@", "r"];

/// The command lines of a verb.
fn lines(rows: &[&str], revisions: usize) -> Vec<Line> {
    let hidden = format!("user@{}", handle("[health] zqbullet of the knee"));
    let revs: Vec<String> = (1..=revisions + 1).map(|n| format!("r{n}")).collect();
    let some = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<String>>();
    let each = [
        ("ADDRESS", addresses()),
        ("FILE", some(&["user", "user#work", "mixed", "plain"])),
        ("TEXT", some(&TEXTS)),
        ("REV", revs),
        ("HALF", some(&HALVES)),
    ];
    let mut all = Vec::new();
    for row in rows {
        let (words, stdin) = row.split_once(" < ").map_or((*row, None), |(words, stdin)| (words, Some(stdin)));
        let stdin = stdin.map(|text| format!("{}\n", text.replace("HIDDEN", &hidden)));
        let mut lines: Vec<Vec<String>> = vec![words.split(' ').map(|w| w.replace('~', " ")).collect()];
        for (name, values) in &each {
            let at = |line: &Vec<String>| line.iter().position(|word| word == name);
            let filled = |line: Vec<String>| match at(&line) {
                None => vec![line],
                Some(at) => {
                    values.iter().map(|v| [&line[..at], std::slice::from_ref(v), &line[at + 1..]].concat()).collect()
                }
            };
            lines = lines.into_iter().flat_map(filled).collect();
        }
        let own = |word: String| if word == "HIDDEN" { hidden.clone() } else { word };
        // Of a row with many addresses or texts, every third, or all in the full run.
        let step = if full() || lines.len() == 1 { 1 } else { 3 };
        let lines = lines.into_iter().step_by(step);
        all.extend(lines.map(|line| (line.into_iter().map(own).collect(), stdin.clone())));
    }
    all
}

/// The verbs of clap's own tree, and whether each knows a dry run.
fn verbs() -> BTreeMap<String, bool> {
    let mut grammar = memdir::cli::grammar();
    grammar.build();
    let mut verbs = BTreeMap::new();
    for verb in grammar.get_subcommands() {
        let name = verb.get_name().to_owned();
        let dry = |verb: &clap::Command| verb.get_arguments().any(|a| a.get_long() == Some("dry-run"));
        let deeper: Vec<_> = verb.get_subcommands().map(|v| (format!("{name} {}", v.get_name()), dry(v))).collect();
        verbs.extend(if deeper.is_empty() { vec![(name, dry(verb))] } else { deeper });
    }
    verbs
}

#[test]
fn every_command_is_walked_or_shows_no_memory() {
    let known: BTreeSet<String> = ROWS.iter().map(|row| row.0).chain(WITHOUT).map(str::to_owned).collect();
    assert_eq!(verbs().into_keys().collect::<BTreeSet<_>>(), known);
}

/// Commands that read more than the filtered store of their session: the unfiltered store, or git objects.
const UNFILTERED_READERS: [&str; 35] = [
    "src/commands/allowlist_filter.rs",
    "src/commands/budget.rs",
    "src/commands/bullet_life.rs",
    "src/commands/change.rs",
    // Texts of commits; `diff` filters them, and review reads them as the user.
    "src/commands/commit_files.rs",
    "src/commands/compact/duplicates/pool.rs",
    "src/commands/consent.rs",
    "src/commands/embed.rs",
    "src/commands/findings_since.rs",
    // The earlier files of a bullet; only who sees everything may forget.
    "src/commands/forget.rs",
    "src/commands/inbox.rs",
    "src/commands/inbox/accept.rs",
    "src/commands/inbox/branch.rs",
    "src/commands/journal_notes.rs",
    "src/commands/list_and_read.rs",
    "src/commands/past_texts.rs",
    "src/commands/prune.rs",
    "src/commands/reflect/commit_chunk.rs",
    "src/commands/reflect/pending_chunk.rs",
    "src/commands/reflect/queue.rs",
    "src/commands/rename_conflicts.rs",
    "src/commands/resolve.rs",
    "src/commands/restricted_change.rs",
    "src/commands/scope.rs",
    "src/commands/scope_gate.rs",
    "src/commands/scope_limits.rs",
    "src/commands/scope_session.rs",
    "src/commands/sync/exchange.rs",
    "src/commands/sync/guard.rs",
    "src/commands/sync/outgoing.rs",
    "src/commands/sync/pending.rs",
    "src/commands/sync/unmerged.rs",
    "src/commands/sync_merges.rs",
    "src/commands/undo.rs",
    "src/commands/usage.rs",
];

#[test]
fn commands_that_read_unfiltered_are_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["src/commands", "src/cli"].into_iter().flat_map(|folder| {
        walkdir::WalkDir::new(root.join(folder)).into_iter().map(|e| e.unwrap()).filter(|e| e.file_type().is_file())
    });
    let reads_unfiltered =
        |text: &str| [".unfiltered()", ".read_objects(", ".filter_past_bytes("].iter().any(|word| text.contains(word));
    let readers: BTreeSet<String> = files
        .filter(|e| reads_unfiltered(&fs::read_to_string(e.path()).unwrap_or_default()))
        .map(|e| e.path().strip_prefix(root).unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(readers, UNFILTERED_READERS.map(str::to_owned).into(), "each must filter by itself what it prints");
}

/// Runs everything as one agent; the output of each line is passed to `look`, which may reject it with a reason.
pub fn walk(
    planted: &Planted,
    rows: &Rows<'_>,
    actor: &str,
    mut look: impl FnMut(&Line, &CommandOutcome) -> Option<String>,
) -> (usize, Vec<String>) {
    let full = full();
    let (verbs, mut tried, mut turn, mut wrong) = (verbs(), 0, 0, Vec::new());
    for (verb, rows) in rows {
        for (words, stdin) in lines(rows, planted.revisions) {
            let mut forms: Vec<&[&str]> = vec![&[], &["--json"], &["-v"], &["--quiet"]];
            if verbs[*verb] {
                forms.extend([&["-n"][..], &["-n", "--json"]]);
            }
            if !full {
                // One form of each line, in turn: neighbours in the list try much the same.
                forms = vec![forms[turn % forms.len()]];
                turn += 1;
            }
            for form in forms {
                let (own, everywhere): (Vec<&str>, Vec<&str>) = form.iter().partition(|word| **word == "-n");
                let mut whole: Vec<String> = everywhere.into_iter().map(str::to_owned).collect();
                whole.extend(words.iter().cloned().chain(own.into_iter().map(str::to_owned)));
                let ran = planted.run(&whole, stdin.as_deref(), actor).ends();
                tried += 1;
                let run_output = (whole, stdin.clone());
                wrong.extend(look(&run_output, &ran).map(|why| format!("{why}\n{ran}")));
                if !ran.difference.is_empty() {
                    planted.anew();
                }
            }
        }
    }
    (tried, wrong)
}

/// The secrets that an answer contains and the command line does not.
fn found(run_output: &Line, ran: &CommandOutcome) -> Vec<&'static str> {
    let typed = |secret: &str| run_output.0.iter().chain(&run_output.1).any(|w| w.contains(secret));
    let shown = |secret: &str| ran.stdout.contains(secret) || ran.stderr.contains(secret);
    SECRETS.into_iter().filter(|secret| shown(secret) && !typed(secret)).collect()
}

#[test]
fn a_restricted_agent_is_never_shown_a_secret() {
    let handles = ["[health] zqbullet of the knee", "zqinside the section about the parser", "zqstem", "zqtagged"];
    let handles = handles.map(handle);
    let (tried, wrong) = walk(&Planted::new(), ROWS, "planner", |run_output, ran| {
        let typed = |secret: &String| run_output.0.iter().chain(&run_output.1).any(|w| w.contains(secret.as_str()));
        let result = |handle: &&String| {
            let forms = [format!("@{handle}"), format!("\"{handle}\"")];
            !typed(handle) && forms.iter().any(|form| ran.stdout.contains(form) || ran.stderr.contains(form))
        };
        let secrets = found(run_output, ran);
        let handles: Vec<&String> = handles.iter().filter(result).collect();
        let left = ran.stdout.lines().chain(ran.stderr.lines()).any(|line| {
            line.contains("zq") && {
                let typed: Vec<&String> = run_output.0.iter().chain(&run_output.1).collect();
                // Of letters only, and more than a random id has by chance.
                let words = line.split(|c: char| !c.is_alphabetic()).filter(|w| w.starts_with("zq") && w.len() > 4);
                words.into_iter().any(|word| !typed.iter().any(|t| t.contains(word)))
            }
        });
        if secrets.is_empty() && handles.is_empty() && !left && ran.status != 1 {
            None
        } else {
            Some(format!("shows {secrets:?} {handles:?}"))
        }
    });
    println!("{tried} command lines, {} leak", wrong.len());
    assert!(tried > 400);
    assert!(wrong.is_empty(), "{} leak:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}

#[test]
fn without_a_list_the_same_walk_shows_every_secret() {
    let mut seen = BTreeSet::new();
    walk(&Planted::new(), ROWS, "tester", |run_output, ran| {
        seen.extend(found(run_output, ran));
        None
    });
    let hidden: Vec<&str> = SECRETS.into_iter().filter(|secret| !seen.contains(secret)).collect();
    assert!(hidden.is_empty(), "the walk cannot find {hidden:?}");
}
