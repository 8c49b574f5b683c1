//! Nothing that an agent's allowlist leaves out reaches it through any verb, in any form of output: secrets are planted
//! wherever memory text can stand, and clap's own command tree is walked.
//!
//! Never trusts itself: the same walk by somebody without a list must show every secret.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use fs_err as fs;
use serde_json::json;

use crate::support::{Memory, Ran, Run, handle};

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
const SECRETS: [&str; 32] = [
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

/// Verbs that show no memory, whoever asks: nothing of one is read for them.
const WITHOUT: [&str; 6] = ["init", "schema", "completions", "man", "merge", "merge-driver"];

/// A memory with everything in it, and a copy to begin again from.
struct Planted {
    memory: Memory,
    revisions: usize,
}

fn git(dir: &Path, line: &[&str]) {
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
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

impl Planted {
    fn new() -> Planted {
        let memory = Memory::new().policy(POLICY).file("facts/user.md", USER);
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
        let log = memory.done(["--json", "log"]).json();
        let revisions = log["entries"].as_array().unwrap().len();
        let now = memory.text("facts/user.md").unwrap();
        memory.put("facts/user.md", now.replace("- Chess\n", "- Chess\n- [health] zqoutside\n"));
        let planted = Planted { memory, revisions };
        copy(&planted.memory.dir(), &planted.aside());
        planted
    }

    fn aside(&self) -> std::path::PathBuf {
        self.memory.dir().with_file_name("aside")
    }

    fn anew(&self) {
        fs::remove_dir_all(self.memory.dir()).unwrap();
        copy(&self.aside(), &self.memory.dir());
    }

    fn run(&self, line: &[String], stdin: Option<&str>, actor: &str) -> Run<'_> {
        let run = self.memory.run(line).by(actor).env("EDITOR", "cat").may_change();
        match stdin {
            Some(text) => run.stdin(text),
            None => run,
        }
    }
}

/// A command line and what stands on its stdin.
type Line = (Vec<String>, Option<String>);

fn line(words: &[&str]) -> Line {
    (words.iter().map(|w| (*w).to_owned()).collect(), None)
}

fn fed(words: &[&str], stdin: &str) -> Line {
    (line(words).0, Some(stdin.to_owned()))
}

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

#[expect(clippy::too_many_lines, reason = "one list: what is tried of each verb")]
fn rows(revisions: usize) -> BTreeMap<&'static str, Vec<Line>> {
    let all = addresses();
    let each = |before: &[&str], after: &[&str]| -> Vec<Line> {
        all.iter().map(|at| line(&[before, &[at.as_str()], after].concat())).collect()
    };
    let revs: Vec<String> = (1..=revisions + 1).map(|n| format!("r{n}")).collect();
    let of_revs =
        |before: &[&str]| -> Vec<Line> { revs.iter().map(|r| line(&[before, &[r.as_str()]].concat())).collect() };
    let texts = |before: &[&str], after: &[&str]| -> Vec<Line> {
        let at = |at: &str, text: &str| line(&[before, &[at, text], after].concat());
        TEXTS.iter().flat_map(|text| ["user", "user#work", "mixed", "plain"].map(|file| at(file, text))).collect()
    };
    let ask = |json: serde_json::Value| fed(&["query"], &json.to_string());
    let operation = |op: serde_json::Value| fed(&["apply"], &json!([op]).to_string());
    let batch = |ops: &[serde_json::Value]| fed(&["apply"], &json!(ops).to_string());
    let new = |verb: &str| all.iter().map(|at| fed(&[verb, at, "-f"], "# New\n\n- new\n")).collect::<Vec<Line>>();
    let hidden = format!("user@{}", handle("[health] zqbullet of the knee"));
    BTreeMap::from([
        ("status", vec![line(&["status"])]),
        (
            "list",
            [
                vec![line(&["list"]), line(&["list", "facts"]), line(&["list", "archive"]), line(&["list", "inbox"])],
                each(&["list"], &[]),
            ]
            .concat(),
        ),
        ("read", each(&["read"], &[])),
        (
            "context",
            vec![
                line(&["context"]),
                line(&["context", "-b", "8000"]),
                line(&["context", "--style", "index"]),
                line(&["context", "--style", "records", "-b", "8000"]),
            ],
        ),
        (
            "reflect",
            vec![
                fed(&["reflect", "--show-prompt"], "User: what of the knee, the dose, the parser?\n"),
                fed(&["reflect", "--show-prompt", "--into", "health"], "User: knee\n"),
                fed(&["reflect", "-n"], "User: knee\n"),
                line(&["reflect", "--queued"]),
            ],
        ),
        ("inbox", vec![line(&["inbox"]), line(&["inbox", "--accept"]), line(&["inbox", "p123456", "--reject"])]),
        (
            "query",
            vec![
                line(&["query", "knee"]),
                line(&["query", "knee", "--full", "--explain", "-a"]),
                line(&["query", "parser", "section", "prefers", "--explain"]),
                line(&["query", "what is told about the dose", "-a"]),
                line(&["query", "walk", "summary", "of", "february"]),
                line(&["query", "said twice", "-L", "1"]),
                line(&["query", "--category", "health"]),
                line(&["query", "knee", "--category", "Health"]),
                line(&["query", "--category", "work"]),
                line(&["query", "--tag", "health"]),
                line(&["query", "--in", "facts/*", "-a", "--full"]),
                line(&["query", "--in", "archive", "--full"]),
                line(&["query", "--in", "inbox", "--full"]),
                line(&["query", "--by", "tester", "--full"]),
                line(&["query", "--since", "2d", "--full"]),
                line(&["query", "--imp", "5..10", "--full"]),
                ask(json!({"query": "knee"})),
                ask(json!({"query": "knee", "agent": "doctor"})),
                ask(json!({"query": "knee", "agent": "doctor", "categories": ["health"]})),
                ask(json!({"query": "knee", "agent": "nobody", "return": "full"})),
                ask(json!({"query": "knee", "filters": {"category": "health"}})),
                ask(json!({"query": "knee", "filters": {"user_id": "ana"}})),
                ask(json!({"filters": {"user_id": "ana", "updated_before": "2030-01-01"}})),
            ],
        ),
        (
            "add",
            [
                each(&["add"], &["New one"]),
                texts(&["add"], &[]),
                vec![
                    line(&["add", "usr", "x"]),
                    line(&["add", "user", "[health] of the agent's own"]),
                    line(&["add", "user", "x", "--id", "zqident"]),
                    line(&["add", "clinic", "x"]),
                ],
            ]
            .concat(),
        ),
        (
            "update",
            [
                each(&["update"], &["New one"]),
                texts(&["update"], &["New one"]),
                vec![
                    line(&["update", "user", "--index", "3", "New"]),
                    line(&["update", "user", "Prefers tea", "[health] now hidden"]),
                ],
            ]
            .concat(),
        ),
        (
            "rm",
            [
                each(&["rm"], &[]),
                each(&["rm", "-f"], &[]),
                each(&["rm", "--archive"], &[]),
                each(&["rm", "--forget"], &[]),
                vec![line(&["rm", "user", "plain", "-f"])],
            ]
            .concat(),
        ),
        (
            "mv",
            [
                each(&["mv"], &["other"]),
                each(&["mv", "-f"], &["user#health"]),
                each(&["mv"], &["health"]),
                vec![line(&["mv", "plain", "clinic"]), line(&["mv", &hidden, "plain"])],
            ]
            .concat(),
        ),
        ("set", [each(&["set"], &["imp=3"]), each(&["set"], &["summary=x"]), each(&["set"], &["title=x"])].concat()),
        ("append", all.iter().map(|at| fed(&["append", at, "-t", "T"], "- new\n")).collect()),
        (
            "patch",
            [
                each(&["patch", "--old", "Prefers", "--new", "Likes"], &[]),
                each(&["patch", "--old", "knee", "--new", "arm"], &[]),
                each(&["patch", "--old", "Said twice", "--new", "Said once"], &[]),
            ]
            .concat(),
        ),
        ("write", new("write")),
        (
            "apply",
            vec![
                operation(json!({"op": "rm", "at": "user", "text": "Said twice"})),
                operation(json!({"op": "rm", "at": "user", "index": 3, "text": "Prefers tea"})),
                operation(json!({"op": "update", "at": "user", "index": 3, "old": "knee", "text": "x"})),
                operation(json!({"op": "update", "at": hidden, "text": "x", "seen": "00000000"})),
                operation(json!({"op": "add", "at": "user#health", "text": "x"})),
                operation(json!({"op": "add", "at": "user", "text": "x", "if_match": "0011223344556677"})),
                operation(json!({"op": "patch", "at": "user", "pairs": [{"old": "e", "new": "x"}]})),
                batch(&[json!({"op": "add", "at": "plain", "text": "x"}), json!({"op": "rm", "at": hidden})]),
                batch(&[
                    json!({"op": "add", "at": "plain", "text": "x"}),
                    json!({"op": "add", "at": "user", "text": "y"}),
                ]),
                fed(&["apply"], r#"{"request": "req-1", "operations": [{"op": "add", "at": "plain", "text": "x"}]}"#),
                fed(&["apply"], "[{\"op\": \"ad\"}]"),
            ],
        ),
        ("edit", each(&["edit"], &[])),
        ("bullet add", each(&["bullet", "add"], &["New one"])),
        (
            "bullet del",
            [
                texts(&["bullet", "del"], &[]),
                texts(&["bullet", "del", "--archive"], &[]),
                texts(&["bullet", "del", "--forget"], &[]),
                vec![
                    line(&["bullet", "del", "user", "--index", "3"]),
                    line(&["bullet", "del", "user", "knee", "--index", "3"]),
                ],
            ]
            .concat(),
        ),
        ("bullet update", texts(&["bullet", "update"], &["New one"])),
        ("bullet list", each(&["bullet", "list"], &[])),
        (
            "log",
            [
                vec![
                    line(&["log"]),
                    line(&["log", "-p"]),
                    line(&["log", "-p", "--by", "tester"]),
                    line(&["log", "-p", "-L", "3"]),
                    line(&["log", "--since", "r2", "-p"]),
                ],
                each(&["log", "-p"], &[]),
            ]
            .concat(),
        ),
        ("show", of_revs(&["show"])),
        (
            "diff",
            [
                vec![
                    line(&["diff"]),
                    line(&["diff", "HEAD"]),
                    line(&["diff", "HEAD", "--bullets"]),
                    line(&["diff", "HEAD...HEAD", "--stat"]),
                    line(&["diff", "r3..r5", "--bullets"]),
                ],
                of_revs(&["diff"]),
                of_revs(&["diff", "--bullets"]),
                each(&["diff", "r1"], &[]),
            ]
            .concat(),
        ),
        (
            "undo",
            [
                vec![line(&["undo"]), line(&["undo", "--by", "tester"]), line(&["undo", "--keep-edited"])],
                of_revs(&["undo"]),
            ]
            .concat(),
        ),
        ("redo", [vec![line(&["redo"])], of_revs(&["redo"])].concat()),
        (
            "check",
            [
                vec![line(&["check"]), line(&["check", "--fix"]), line(&["check", "--since", "HEAD"])],
                each(&["check"], &[]),
            ]
            .concat(),
        ),
        ("resolve", [vec![line(&["resolve"])], each(&["resolve"], &[])].concat()),
        ("setup", vec![line(&["setup", "git", "--check"]), line(&["setup", "git", "-n"]), line(&["setup", "git"])]),
        ("sync", vec![line(&["sync"]), line(&["sync", "-n"])]),
        ("where", [vec![line(&["where"])], each(&["where"], &[])].concat()),
        (
            "__complete",
            ["", "us", "h", "user#", "user@", "2026-02#", "mixed@", "z", "health@", "r"]
                .iter()
                .flat_map(|half| {
                    ["read", "rm", "show", "add", "check"].map(|verb| line(&["__complete", "--", verb, half]))
                })
                .chain([line(&["__complete", "--", "--as", "planner", "read", "user@"])])
                .collect(),
        ),
    ])
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
fn every_verb_is_walked_or_shows_no_memory() {
    let known: BTreeSet<String> = rows(1).into_keys().chain(WITHOUT).map(str::to_owned).collect();
    assert_eq!(verbs().into_keys().collect::<BTreeSet<_>>(), known);
}

/// Runs everything as one agent; what each line said goes to `look`, which may refuse it with a reason.
fn walk(actor: &str, mut look: impl FnMut(&Line, &Ran) -> Option<String>) -> (usize, Vec<String>) {
    let planted = Planted::new();
    let full = std::env::var_os("MEMDIR_FULL").is_some_and(|v| v == "1");
    let (verbs, mut tried, mut turn, mut wrong) = (verbs(), 0, 0, Vec::new());
    for (verb, lines) in rows(planted.revisions) {
        for (words, stdin) in lines {
            let mut forms: Vec<&[&str]> = vec![&[], &["--json"], &["-v"], &["--quiet"]];
            if verbs[verb] {
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
                let said = (whole, stdin.clone());
                wrong.extend(look(&said, &ran).map(|why| format!("{why}\n{ran}")));
                if !ran.difference.is_empty() {
                    planted.anew();
                }
            }
        }
    }
    (tried, wrong)
}

/// The secrets that an answer holds and nobody typed.
fn found(said: &Line, ran: &Ran) -> Vec<&'static str> {
    let typed = |secret: &str| said.0.iter().chain(&said.1).any(|w| w.contains(secret));
    let shown = |secret: &str| ran.stdout.contains(secret) || ran.stderr.contains(secret);
    SECRETS.into_iter().filter(|secret| shown(secret) && !typed(secret)).collect()
}

#[test]
fn a_restricted_agent_is_never_shown_a_secret() {
    let handles = ["[health] zqbullet of the knee", "zqinside the section about the parser", "zqstem", "zqtagged"];
    let handles = handles.map(handle);
    let (tried, wrong) = walk("planner", |said, ran| {
        let typed = |secret: &String| said.0.iter().chain(&said.1).any(|w| w.contains(secret.as_str()));
        let told = |handle: &&String| {
            let forms = [format!("@{handle}"), format!("\"{handle}\"")];
            !typed(handle) && forms.iter().any(|form| ran.stdout.contains(form) || ran.stderr.contains(form))
        };
        let secrets = found(said, ran);
        let handles: Vec<&String> = handles.iter().filter(told).collect();
        let left = ran.stdout.lines().chain(ran.stderr.lines()).any(|line| {
            line.contains("zq") && {
                let typed: Vec<&String> = said.0.iter().chain(&said.1).collect();
                let words = line.split(|c: char| !c.is_alphanumeric()).filter(|w| w.starts_with("zq"));
                words.into_iter().any(|word| !typed.iter().any(|t| t.contains(word)))
            }
        });
        match secrets.is_empty() && handles.is_empty() && !left && ran.status != 1 {
            true => None,
            false => Some(format!("shows {secrets:?} {handles:?}")),
        }
    });
    println!("{tried} command lines, {} leak", wrong.len());
    assert!(tried > 800);
    assert!(wrong.is_empty(), "{} leak:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}

#[test]
fn without_a_list_the_same_walk_shows_every_secret() {
    let mut seen = BTreeSet::new();
    let mut refused = BTreeSet::new();
    let (_, _) = walk("tester", |said, ran| {
        seen.extend(found(said, ran));
        if ran.stderr.contains("\"usage\"") {
            refused.insert(said.0.join(" "));
        }
        None
    });
    let hidden: Vec<&str> = SECRETS.into_iter().filter(|secret| !seen.contains(secret)).collect();
    assert!(hidden.is_empty(), "the walk cannot find {hidden:?}");
    println!("{refused:#?}");
}
