//! What each rule of categories and allowlists shows and refuses, command by command.

use serde_json::json;

use crate::support::{CommandOutcome, CommandRun, Memory, handle};

const POLICY: &str = "version: 1
categories:
  custom:
    - name: health
allowlists:
  planner: [work]
  doctor: [work, health]
";

fn memory() -> Memory {
    let memory = Memory::new().policy(POLICY);
    let user = "# User\n\n> Summary: tabs, knee\n\n- Prefers tabs\n- [health] Knee hurts\n\n## Health\n\n- Takes aspirin\n\n\
                ## Work\n\n- Standup at ten\n";
    memory.file("facts/user.md", user).file("facts/health.md", "- Sleeps badly\n").file("facts/plain.md", "- One\n")
}

/// A command as an agent.
fn by<'m>(memory: &'m Memory, agent: &str, line: &[&str]) -> CommandRun<'m> {
    memory.run(line).by(agent)
}

#[track_caller]
fn refused(memory: &Memory, line: &[&str]) {
    let ran = by(memory, "planner", line).exit(5);
    assert!(ran.stderr.contains("category_not_allowed"), "{ran}");
    let ran = by(memory, "planner", &[&["--json"], line].concat()).exit(5);
    assert_eq!(ran.error()["code"], "category_not_allowed", "{ran}");
}

#[test]
fn a_file_is_read_without_its_hidden_parts() {
    let memory = memory();
    let seen = "# User\n\n\n- Prefers tabs\n\n## Work\n\n- Standup at ten\n";
    by(&memory, "planner", &["read", "user"]).exit(0).stdout(seen).stderr_contains("not shown");
    by(&memory, "planner", &["read", "plain"]).exit(0).stdout("- One\n").quiet();
    let whole = memory.text("facts/user.md").unwrap();
    for agent in ["doctor", "tester"] {
        by(&memory, agent, &["read", "user"]).exit(0).stdout(&whole).quiet();
    }
}

#[test]
fn a_category_is_the_same_with_a_dash_an_underscore_or_a_space() {
    for name in ["medical_history", "medical-history", "Medical history"] {
        let policy =
            format!("categories: {{custom: [{{name: {name}}}]}}\nallowlists: {{planner: [], doctor: [{name}]}}\n");
        let memory = Memory::new().policy(&policy).file("facts/medical-history.md", "- From the file\n");
        memory.done(["add", "user", "Drinks tea"]);
        memory.done(["add", "user#medical_history", "Had surgery"]);
        memory.done(["add", "user", "[medical_history] Takes lithium", "[medical-history] Takes iron"]);
        memory.run(["apply"]).stdin(r#"{"op":"add","category":"medical_history","text":"Has asthma"}"#).exit(0);
        by(&memory, "planner", &["read", "user"]).exit(0).stdout("# User\n\n\n- Drinks tea\n\n");
        let listed = by(&memory, "planner", &["list", "user"]).exit(0).stdout;
        assert!(listed.contains("Drinks tea") && listed.matches('@').count() == 1, "{name}: {listed}");
        for asked in ["medical_history", "medical-history", "medical history"] {
            let found = memory.done(["query", "--category", asked]).stdout;
            for text in ["From the file", "Had surgery", "Takes lithium", "Takes iron", "Has asthma"] {
                assert!(found.contains(text), "{name} {asked}: {found}");
            }
        }
    }
}

#[test]
fn categories_that_differ_in_signs_are_others() {
    let file = |tag: &str, text: &str| format!("---\ntags: ['{tag}']\n---\n# X\n\n- Uses {text}\n");
    let memory =
        Memory::new().file("facts/one.md", &file("C", "pointers")).file("facts/two.md", &file("C++", "templates"));
    for (asked, text) in [("c", "pointers"), ("C++", "templates")] {
        let found = memory.done(["query", "--category", asked]).stdout;
        assert!(found.contains(text) && found.matches("Uses").count() == 1, "{asked}: {found}");
    }
}

#[test]
fn hidden_items_cannot_be_queried() {
    let memory = memory();
    let bullet = format!("user@{}", handle("[health] Knee hurts"));
    for address in ["health", "user#health", &bullet, "facts/health.md"] {
        for verb in ["read", "list", "where"] {
            refused(&memory, &[verb, address]);
        }
    }
    refused(&memory, &["query", "--category", "health"]);
    refused(&memory, &["query", "knee", "--category", "Health"]);
    by(&memory, "planner", &["query", "--category", "sports"]).exit(0);
    by(&memory, "doctor", &["query", "--category", "health"]).exit(0).stdout_contains("Knee hurts");
}

#[test]
fn hidden_files_and_items_are_not_listed_or_counted() {
    let memory = memory();
    by(&memory, "planner", &["list"]).exit(0).stdout("facts/plain.md (6B)\nfacts/user.md (51B)\n");
    by(&memory, "planner", &["bullet", "list", "user"])
        .exit(0)
        .stdout_contains("2 @")
        .stdout_contains("Standup at ten");
    let found = by(&memory, "planner", &["--json", "query", "--in", "facts/*"]).exit(0).json();
    let all = by(&memory, "doctor", &["--json", "query", "--in", "facts/*"]).exit(0).json();
    assert!(found["found"].as_u64() < all["found"].as_u64(), "{found}");
    assert!(!found.to_string().contains("nee") && all.to_string().contains("Knee"));
}

#[test]
fn the_default_list_applies_to_agents_without_a_list() {
    let memory = memory();
    by(&memory, "somebody", &["read", "health"]).exit(0);
    let memory = memory.policy(&format!("{POLICY}agents:\n  default: planner\n"));
    by(&memory, "somebody", &["read", "health"]).exit(5);
    by(&memory, "somebody", &["--as", "doctor", "read", "health"]).exit(0);
    by(&memory, "doctor", &["--as", "somebody", "read", "health"]).exit(5);
    let memory = memory.policy(&format!("{POLICY}agents:\n  default: nobody\n"));
    by(&memory, "somebody", &["read", "health"]).exit(5);
}

#[test]
fn the_git_user_name_selects_the_list_of_a_plain_read_too() {
    let memory = memory();
    let named = |name: &str| {
        let config = memory.dir().with_file_name(".gitconfig");
        fs_err::write(config, format!("[user]\n\tname = {name}\n")).unwrap();
        memory.run(["read", "health"]).env("MEMDIR_AS", "").ends().status
    };
    assert_eq!((named("planner"), named("doctor")), (5, 0));
}

#[test]
fn completions_use_the_filter_of_the_actor_in_the_command_line() {
    let memory = memory();
    let sections = |words: &[&str]| memory.run([&["__complete", "--"], words, &["user#"]].concat()).exit(0).stdout;
    assert!(sections(&["read"]).contains("user#health\t"));
    for named in [&["--as", "planner", "read"][..], &["--as=planner", "read"]] {
        assert!(!sections(named).contains("health") && sections(named).contains("user#work\t"));
    }
}

#[test]
fn a_query_can_narrow_the_visible_items_and_never_widen_them() {
    let memory = memory();
    let ask = |caller: &str, options: &[&str], agent: &str| {
        let question = json!({"query": "knee", "agent": agent, "categories": ["health"]}).to_string();
        memory.run([&["--json"], options, &["query"]].concat()).by(caller).stdin(question).ends()
    };
    for (caller, options, agent, status) in [
        ("doctor", &[][..], "doctor", 0),
        ("doctor", &[], "planner", 5),
        ("planner", &[], "doctor", 5),
        ("tester", &[], "planner", 5),
        ("tester", &["--as", "doctor"], "doctor", 0),
        ("tester", &["--as", "doctor"], "planner", 2),
        ("tester", &["--as", "planner"], "doctor", 2),
    ] {
        let ran = ask(caller, options, agent);
        assert_eq!(ran.status, status, "{caller} {options:?} {agent}: {ran}");
    }
    let narrow = json!({"query": "knee", "agent": "planner"}).to_string();
    let ran = memory.run(["--json", "query"]).stdin(narrow).exit(0);
    assert!(!ran.stdout.contains("Knee"), "{ran}");
}

#[test]
fn a_file_with_hidden_parts_cannot_be_changed_by_a_restricted_agent() {
    let memory = memory();
    let before = memory.text("facts/user.md").unwrap();
    let present = format!("user@{}", handle("Prefers tabs"));
    for line in [
        &["add", "user#work", "Reviews on Friday"][..],
        &["add", "user", "x"],
        &["update", "user", "Prefers tabs", "Prefers spaces"],
        &["update", "user", "Knee hurts", "x"],
        &["update", "user", "Nothing like it", "x"],
        &["bullet", "del", "user", "--index", "1"],
        &["set", &present, "imp=3"],
        &["mv", &present, "plain"],
        &["patch", "--old", "tabs", "--new", "spaces", "user"],
    ] {
        refused(&memory, line);
        refused(&memory, &[line, &["-n"]].concat());
    }
    assert_eq!(memory.text("facts/user.md").unwrap(), before);
    let batch = json!([{"op": "add", "at": "plain", "text": "x"}, {"op": "add", "at": "user", "text": "y"}]);
    memory.run(["apply"]).by("planner").stdin(batch.to_string()).exit(5);
    let added = by(&memory, "planner", &["add", "plain", "Two"]).exit(0);
    assert!(added.difference.contains("+- Two\n"), "{added}");
    let shown = by(&memory, "planner", &["add", "-n", "plain", "Three"]).exit(0);
    assert!(shown.stdout.contains("+- Three"), "{shown}");
    by(&memory, "doctor", &["update", "user", "Prefers tabs", "Prefers spaces"]).exit(0);
}

#[test]
fn every_refusal_for_something_hidden_is_the_same() {
    let memory = memory().file("facts/Tagged.md", "---\ntags: [health]\n---\n- See [[plain]] ^known\n");
    let message = |line: &[&str]| by(&memory, "planner", &[&["--json"], line].concat()).exit(5).error().to_string();
    let hidden = format!("user@{}", handle("[health] Knee hurts"));
    let first = message(&["add", "health", "x"]);
    for line in [
        &["rm", &hidden][..],
        &["update", "user", "Knee hurts", "x"],
        &["add", "user", "x"],
        &["add", "plain", "[health] x"],
        // A hidden file contains the id, or has the same name in other letters.
        &["update", "@known", "x"],
        &["add", "tagged", "x", "--create"],
    ] {
        assert_eq!(message(line), first, "{line:?}");
    }
}

#[test]
fn what_a_file_hides_is_neither_counted_by_index_nor_confirmed_by_a_guess() {
    let more = |hidden: &str| {
        let memory = memory();
        let user = memory.text("facts/user.md").unwrap();
        memory.file("facts/user.md", &format!("{user}{hidden}"))
    };
    let one = more("- [health] Blood type zero\n");
    let two = more("- [health] Wears glasses\n- [health] Walks a lot\n- [health] Twice a week\n");
    let guess = format!("user@{}", handle("[health] Wears glasses"));
    let beyond: Vec<String> = (3..9).map(|index| format!("user@{index}")).collect();
    let addresses = beyond.iter().map(String::as_str).chain([guess.as_str(), "user#nope", "user@zzzz", "user"]);
    for address in addresses {
        for verb in ["read", "list", "log", "etag"] {
            let [first, second] = [&one, &two].map(|memory| by(memory, "planner", &["--json", verb, address]).ends());
            let shown = |ran: &CommandOutcome| (ran.status, ran.stdout.clone(), ran.stderr.clone());
            assert_eq!(shown(&first), shown(&second), "{verb} {address}");
        }
    }
}

#[test]
fn changes_that_reach_what_is_hidden_are_refused() {
    let memory = memory();
    let bullet = format!("user@{}", handle("[health] Knee hurts"));
    refused(&memory, &["rm", &bullet]);
    refused(&memory, &["update", &bullet, "x"]);
    refused(&memory, &["mv", &bullet, "plain"]);
    refused(&memory, &["add", "user#health", "x"]);
    refused(&memory, &["add", "health", "x"]);
    refused(&memory, &["add", "plain", "[health] x"]);
    refused(&memory, &["rm", "-f", "user"]);
    refused(&memory, &["rm", "-f", "health"]);
    refused(&memory, &["mv", "user", "other"]);
    refused(&memory, &["mv", "plain", "health"]);
    refused(&memory, &["edit", "user"]);
    refused(&memory, &["bullet", "del", "--forget", "user", "Prefers tabs"]);
    refused(&memory, &["sync"]);
    refused(&memory, &["resolve"]);
    let ran = by(&memory, "planner", &["write", "-f", "user"]).stdin("# User\n\n- x\n").exit(5);
    assert!(ran.stderr.contains("category_not_allowed"), "{ran}");
    by(&memory, "planner", &["rm", "-f", "plain"]).exit(0);
    by(&memory, "doctor", &["bullet", "del", "--forget", "user", "Prefers tabs"]).exit(0);
}

#[test]
fn changes_of_hidden_parts_are_neither_shown_nor_undone() {
    let memory = memory();
    memory.done(["add", "health", "Walks more"]);
    memory.done(["add", "user", "[health] Eats well"]);
    memory.done(["add", "plain", "Two"]);
    let log = by(&memory, "planner", &["--json", "log", "-p"]).exit(0).json();
    let revs: Vec<&str> = log["entries"].as_array().unwrap().iter().map(|e| e["rev"].as_str().unwrap()).collect();
    assert_eq!(revs, ["r3", "r2"], "{log}");
    refused(&memory, &["show", "r1"]);
    refused(&memory, &["undo", "r1"]);
    refused(&memory, &["undo", "r2"]);
    by(&memory, "planner", &["show", "r3"]).exit(0).stdout_contains("Two");
    by(&memory, "planner", &["undo", "r3"]).exit(0);
    by(&memory, "planner", &["redo", "r3"]).exit(0);
}

#[test]
fn a_policy_that_restricts_and_is_not_understood_shows_nothing() {
    let memory = memory();
    for broken in ["version: 1\nallowlists: planner\n", "version: 1\nallowlists:\n  planner: [work\n"] {
        let memory = Memory::new().policy(broken).file("facts/health.md", "- Sleeps badly\n");
        let ran = memory.run(["read", "health"]).ends();
        assert!(ran.status == 5 && ran.stderr.contains("invalid_policy"), "{ran}");
    }
    let memory = memory.policy("version: 1\n#allowlists:\nunknown: 1\n");
    by(&memory, "planner", &["read", "health"]).exit(0);
}

#[test]
fn a_policy_that_cannot_be_read_shows_nothing() {
    let with_byte = [POLICY.as_bytes(), b"# caf\xe9\n"].concat();
    let wide: Vec<u8> = POLICY.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let long = format!("{POLICY}{}", "#".repeat(66_000));
    let refuses = |memory: &Memory, what: &str| {
        for line in [&["read", "health"][..], &["list"], &["context"], &["add", "plain", "x"]] {
            let ran = by(memory, "planner", line).exit(5);
            assert!(ran.stderr.contains("invalid_policy: memdir.yaml") && ran.stdout.is_empty(), "{what}: {ran}");
        }
    };
    for (what, bytes) in [("latin-1", &with_byte[..]), ("utf-16", &wide), ("long", long.as_bytes())] {
        let memory = memory();
        memory.put("memdir.yaml", bytes);
        refuses(&memory, what);
    }
    let file = |memory: &Memory| memory.dir().join("memdir.yaml");
    let memory = self::memory();
    fs_err::remove_file(file(&memory)).unwrap();
    fs_err::create_dir(file(&memory)).unwrap();
    refuses(&memory, "a directory");
    fs_err::remove_dir(file(&memory)).unwrap();
    memory.put("policy.txt", POLICY);
    fs_err::os::unix::fs::symlink(memory.dir().join("policy.txt"), file(&memory)).unwrap();
    refuses(&memory, "a link");
}

#[test]
fn set_keeps_the_tags_that_hide_a_file() {
    let policy = "version: 1\nallowlists: {planner: [work], doctor: [work, health]}\nagents: {default: planner}\n";
    let text = "---\ntags: [health]\naliases:\n  - Medicine\n---\n# Med\n\n- Takes insulin\n";
    let memory = Memory::new().policy(policy).file("facts/med.md", text);
    by(&memory, "doctor", &["set", "med", "aliases=Pills"]).exit(0);
    by(&memory, "doctor", &["set", "med", "nosuch="]).exit(0);
    let seen = by(&memory, "planner", &["query", "insulin"]).ends();
    assert!(!seen.stdout.contains("insulin"), "{}", seen.stdout);
}

/// A file of this name with a hidden bullet, whose handle is returned.
const ANA: &str = "---\ntags: [health]\n---\n# Ana\n\n- Allergic to zqnuts\n- Sleeps badly\n";

#[track_caller]
fn hides(memory: &Memory, text: &str) {
    let found = by(memory, "planner", &["query", "-a", text]).ends().stdout;
    assert!(!found.contains(text), "{found}\n{:?}", memory.tree());
    assert!(by(memory, "doctor", &["query", "-a", text]).exit(0).stdout.contains(text));
}

#[test]
fn what_is_archived_stays_hidden_also_in_a_file_that_is_there_already() {
    let memory = Memory::new().policy(POLICY).file("facts/ana.md", "# Ana\n\n- Old plain note\n- x\n");
    by(&memory, "doctor", &["rm", "--archive", &format!("ana@{}", handle("Old plain note"))]).exit(0);
    memory.put("facts/ana.md", ANA);
    by(&memory, "doctor", &["rm", "--archive", &format!("ana@{}", handle("Allergic to zqnuts"))]).exit(0);
    hides(&memory, "zqnuts");
    // With a hidden title, too.
    let memory = Memory::new().policy(POLICY).file("facts/zz.md", "# Zz\n\n- Old plain note\n- x\n");
    by(&memory, "doctor", &["rm", "--archive", &format!("zz@{}", handle("Old plain note"))]).exit(0);
    memory.put("facts/zz.md", "# Health\n\n- Allergic to zqnuts\n- y\n");
    by(&memory, "doctor", &["rm", "--archive", &format!("zz@{}", handle("Allergic to zqnuts"))]).exit(0);
    hides(&memory, "zqnuts");
    by(&memory, "doctor", &["undo"]).exit(0);
    assert_eq!(memory.text("facts/zz.md").unwrap(), "# Health\n\n- Allergic to zqnuts\n- y\n");
}

#[test]
fn what_is_restored_stays_hidden() {
    let archived = format!("archive/facts/ana.md@{}", handle("Allergic to zqnuts"));
    // Into a file that is made for it.
    let memory = Memory::new().policy(POLICY).file("facts/ana.md", ANA);
    by(&memory, "doctor", &["rm", "--archive", &format!("ana@{}", handle("Allergic to zqnuts"))]).exit(0);
    by(&memory, "doctor", &["rm", "-f", "ana"]).exit(0);
    by(&memory, "doctor", &["restore", &archived]).exit(0);
    assert!(memory.text("facts/ana.md").unwrap().starts_with("---\ntags: [\"health\"]\n---\n# Ana\n"));
    hides(&memory, "zqnuts");
    // Two items at once.
    let memory = Memory::new().policy(POLICY).file("facts/ana.md", ANA);
    let both = ["Allergic to zqnuts", "Sleeps badly"].map(|text| format!("ana@{}", handle(text)));
    by(&memory, "doctor", &["rm", "--archive", &both[0], &both[1]]).exit(0);
    by(&memory, "doctor", &["rm", "-f", "ana"]).ends();
    by(&memory, "doctor", &["restore", &both[0], &both[1]]).exit(0);
    assert_eq!(memory.text("facts/ana.md").unwrap().matches("tags:").count(), 1);
    hides(&memory, "zqnuts");
    // Into one that others see.
    let memory = Memory::new().policy(POLICY).file("facts/ana.md", ANA);
    by(&memory, "doctor", &["rm", "--archive", &format!("ana@{}", handle("Allergic to zqnuts"))]).exit(0);
    by(&memory, "doctor", &["rm", "-f", "ana"]).exit(0);
    by(&memory, "doctor", &["add", "ana", "Plain note"]).exit(0);
    by(&memory, "doctor", &["restore", &archived]).exit(5).stderr_contains("give facts/ana.md the tag health first");
    hides(&memory, "zqnuts");
}

#[test]
fn a_bullet_below_a_hidden_one_stays_hidden_in_the_archive_and_after_it() {
    let text = "# F\n\n- [health] Pills\n  - zqchild one\n  - child two\n";
    let memory = Memory::new().policy(POLICY).file("facts/f.md", text);
    by(&memory, "doctor", &["rm", "--archive", &format!("f@{}", handle("zqchild one"))]).exit(0);
    assert!(memory.text("archive/facts/f.md").unwrap().contains("- [health] zqchild one\n"));
    hides(&memory, "zqchild");
    let archived = format!("archive/facts/f.md@{}", handle("[health] zqchild one"));
    by(&memory, "doctor", &["restore", &archived]).exit(0);
    hides(&memory, "zqchild");
    // Without allowlists nothing is put in front of it.
    let memory = Memory::new().file("facts/f.md", text);
    memory.done(["rm", "--archive", &format!("f@{}", handle("zqchild one"))]);
    assert!(memory.text("archive/facts/f.md").unwrap().contains("- zqchild one\n"));
}

#[test]
fn a_procedure_and_a_file_of_a_hidden_name_stay_hidden_in_the_archive() {
    let policy = "allowlists:\n  planner: [work]\n  doctor: [work, health, procedural]\n";
    let memory = Memory::new().policy(policy).file("procedures/run.md", "# Run\n\n- zqsteps first\n- y\n");
    by(&memory, "doctor", &["rm", "-f", "--archive", "procedures/run"]).exit(0);
    hides(&memory, "zqsteps");
    for text in ["zqone", "zqtwo"] {
        memory.put("facts/health.md", format!("# Notes\n\n- {text} note\n"));
        by(&memory, "doctor", &["rm", "-f", "--archive", "health"]).exit(0);
        hides(&memory, text);
    }
    assert!(memory.text("archive/facts/health-2.md").is_some());
}

#[test]
fn undo_names_no_hidden_file_that_cannot_be_read() {
    let memory = memory();
    memory.done(["add", "health", "Hidden by name"]);
    std::fs::remove_file(memory.dir().join("facts/health.md")).unwrap();
    std::fs::create_dir(memory.dir().join("facts/health.md")).unwrap();
    for line in [&["undo"][..], &["redo", "r1"]] {
        let ran = by(&memory, "planner", line).ends();
        assert!(!ran.stderr.contains("health"), "{line:?}: {}", ran.stderr);
    }
}
