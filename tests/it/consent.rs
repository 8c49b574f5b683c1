//! The consent gate: what an agent may not change without the user's words, through every command that writes.

use serde_json::json;

use crate::support::{CommandOutcome, CommandRun, Memory, handle};

const USER: &str = "# User\n\n- City: Bonn\n- Likes jazz\n- The tool is called anvil\n";

/// Agrees to whatever was asked.
const YES: &str = "Yes, please do that.";

/// A command that changes a sensitive field.
struct Writer {
    words: &'static [&'static str],
    stdin: Option<&'static str>,
    /// What its operations are in the proposal.
    op: &'static str,
    /// Runs before it, by a person.
    before: &'static [&'static [&'static str]],
}

const fn writer(words: &'static [&'static str], op: &'static str) -> Writer {
    Writer { words, stdin: None, op, before: &[] }
}

const fn fed(words: &'static [&'static str], stdin: &'static str, op: &'static str) -> Writer {
    Writer { words, stdin: Some(stdin), op, before: &[] }
}

impl Writer {
    /// Whether it takes the field out of the memory, or hides it.
    fn removes(&self) -> bool {
        let hides =
            |word: &&str| word.starts_with("exp=") || word.starts_with("branch=") || word.starts_with("procedures/");
        self.op == "rm" || self.words.iter().any(hides)
    }
}

const WRITERS: &[Writer] = &[
    writer(&["add", "user", "User lives in Austin"], "add"),
    writer(&["add", "user", "Likes tea", "Preferred name: Ana"], "operations"),
    writer(&["bullet", "add", "user", "City: Austin"], "add"),
    fed(&["add", "user"], "- Likes tea\n- User lives\n  in Austin\n", "operations"),
    writer(&["update", "user", "City: Bonn", "City: Austin"], "update"),
    writer(&["update", "user", "Likes jazz", "User lives in Austin"], "update"),
    writer(&["bullet", "update", "user", "City: Bonn", "City: Austin"], "update"),
    writer(&["rm", "user", "- City: Bonn"], "rm"),
    writer(&["rm", "user", "- City: Bonn", "--archive"], "rm"),
    writer(&["bullet", "del", "user", "City: Bonn"], "rm"),
    writer(&["rm", "user", "-f"], "rm"),
    writer(&["rm", "user", "- City: Bonn", "--forget"], "rm"),
    // A bullet that has expired is hidden, and one with a last day will be.
    writer(&["set", "user@dhaa", "exp=2026-02-23"], "set"),
    writer(&["set", "user@dhaa", "exp=2026-03-24"], "set"),
    // So is one that is for a git branch, and what stands in procedures/.
    writer(&["set", "user@dhaa", "branch=other"], "set"),
    writer(&["mv", "user@dhaa", "procedures/howto"], "mv"),
    writer(&["mv", "user", "procedures/user"], "mv"),
    writer(&["set", "user", "city=Austin"], "set"),
    writer(&["set", "user", "summary=User lives in Austin"], "set"),
    writer(&["add", "user#city", "Austin"], "add"),
    writer(&["add", "city", "Austin"], "add"),
    writer(&["add", "user", "[City](x.md): Austin"], "add"),
    writer(&["add", "user", "City (current): Austin"], "add"),
    // As the policy spells it.
    writer(&["add", "user", "preferred_name: Zoe"], "add"),
    writer(&["add", "user", "**Preferred_Name:** Zoe"], "add"),
    writer(&["add", "user", "preferred-name: Zoe"], "add"),
    writer(&["add", "user", "User's preferred_name is Zoe"], "add"),
    writer(&["add", "user", "Ci\u{200b}ty = Austin"], "add"),
    writer(&["add", "user", "Likes tea <!-- City: Austin -->"], "add"),
    fed(&["write", "about"], "# About\n\n| City | Austin |\n|---|---|\n| a | b |\n", "write"),
    fed(&["append", "-t", "A talk"], "- City: Austin\n", "append"),
    fed(&["append", "user"], "User lives in Austin\n", "append"),
    writer(&["patch", "user", "--old", "Bonn", "--new", "Austin"], "patch"),
    fed(&["write", "user", "-f"], "# User\n\n- City: Austin\n", "write"),
    fed(&["write", "about"], "Name: x\nCity: Austin\n", "write"),
    fed(&["apply"], "{\"op\":\"add\",\"at\":\"user\",\"text\":\"User lives in Austin\"}", "add"),
    fed(
        &["apply"],
        "{\"operations\":[{\"op\":\"add\",\"at\":\"user\",\"text\":\"Likes tea\"},{\"op\":\"add\",\"at\":\"user\",\"text\":\"Language: German\"}]}",
        "operations",
    ),
    fed(&["compact", "user", "-F", "-"], "{\"op\":\"add\",\"at\":\"user\",\"text\":\"User lives in Austin\"}", "add"),
    Writer { words: &["undo"], stdin: None, op: "write", before: &[&["update", "user", "City: Bonn", "City: Austin"]] },
    Writer {
        words: &["redo"],
        stdin: None,
        op: "write",
        before: &[&["update", "user", "City: Bonn", "City: Austin"], &["undo"]],
    },
];

fn memory() -> Memory {
    Memory::new().file("facts/user.md", USER)
}

/// A row's command in a memory of its own.
fn command<'m>(memory: &'m Memory, row: &Writer, more: &[&str]) -> CommandRun<'m> {
    for words in row.before {
        memory.done(words.iter().copied());
    }
    let run = memory.run(row.words.iter().chain(more).copied());
    match row.stdin {
        Some(text) => run.stdin(text),
        None => run,
    }
}

/// The only proposal, by its file.
#[track_caller]
fn only_proposal(memory: &Memory) -> (String, String) {
    let tree = memory.tree();
    let mut waiting = tree.keys().filter(|path| path.starts_with("inbox/"));
    let path = waiting.next().expect("a proposal waits").clone();
    assert_eq!(waiting.next(), None, "one proposal for the whole batch");
    let id = path.trim_start_matches("inbox/").trim_end_matches(".md").to_owned();
    (id, memory.text(&path).unwrap())
}

/// The refusal: exit 5 with the proposal's id, and no byte changed but the proposal.
#[track_caller]
fn refused(memory: &Memory, run: CommandRun<'_>) -> (String, CommandOutcome) {
    let outcome = run.may_change().exit(5);
    assert_eq!(outcome.stdout, "", "{outcome}");
    assert!(outcome.stderr.contains("memdir: consent: "), "{outcome}");
    assert!(outcome.stderr.contains("; nothing else was changed"), "{outcome}");
    let (id, _) = only_proposal(memory);
    assert!(outcome.stderr.contains(&id), "{outcome}");
    let changed: Vec<&str> = outcome.difference.lines().filter(|line| !line.starts_with(['+', '-'])).collect();
    assert!(matches!(changed[..], [one] if one[1..] == format!(" inbox/{id}.md")), "{outcome}");
    (id, outcome)
}

/// A difference of the directory, without the inbox.
fn outside_inbox(difference: &str) -> String {
    let mut inside = false;
    let mut out = String::new();
    for line in difference.lines() {
        if !line.starts_with(['+', '-']) {
            inside = line[1..].starts_with(" inbox/");
        }
        if !inside {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[test]
fn a_person_is_not_asked() {
    for row in WRITERS {
        let memory = memory();
        let outcome = command(&memory, row, &[]).exit(0);
        assert!(!outcome.difference.is_empty() && !outcome.difference.contains("inbox/"), "{outcome}");
    }
}

#[test]
fn an_agents_batch_waits_as_one_proposal() {
    for row in WRITERS {
        let memory = memory();
        let (id, _) = refused(&memory, command(&memory, row, &[]).by("planner"));
        let (_, text) = only_proposal(&memory);
        assert!(text.contains("by planner\n- Waits because: sensitive "), "{text}");
        let expected =
            if row.op == "operations" { "{\"operations\":[".into() } else { format!("{{\"op\":\"{}\"", row.op) };
        assert!(text.contains(&format!("```json\n{expected}")), "{:?}\n{text}", row.words);
        // What it proposes is what a person then accepts. A whole file needs -f, as the command itself does.
        let accepted = memory.run(["inbox", &id, "--accept", "-f"]).exit(0);
        let with_person = self::memory();
        let expected = command(&with_person, row, &[]).exit(0);
        let (accepted, expected) = (outside_inbox(&accepted.difference), outside_inbox(&expected.difference));
        if !row.before.is_empty() {
            // `undo` leaves the summary line as it was; a proposal is written like any file.
            assert!(accepted.contains("City: ") && accepted.starts_with("M facts/user.md\n"), "{accepted}");
            continue;
        }
        assert_eq!(accepted, expected, "{:?}", row.words);
    }
}

#[test]
fn a_detected_host_is_an_agent_whatever_it_calls_itself() {
    for row in WRITERS {
        let memory = memory();
        refused(&memory, command(&memory, row, &["--as", "tester"]).env("CLAUDECODE", "1"));
        let memory = self::memory();
        refused(&memory, command(&memory, row, &[]).env("MEMDIR_AS", "").env("GEMINI_CLI", "1"));
    }
}

#[test]
fn a_name_under_people_is_no_agents() {
    for row in WRITERS {
        let memory = memory();
        memory.put("../config/memdir/config.yaml", "people: [tester, ann]\n");
        command(&memory, row, &["--as", "ann"]).exit(0);
    }
}

#[test]
fn the_users_words_of_consent_are_kept_and_shown() {
    for row in WRITERS {
        let quote = if row.removes() { "Yes, please forget that." } else { "Yes, please remember that." };
        let memory = memory();
        let outcome = command(&memory, row, &["--consent", quote]).by("planner").exit(0);
        assert!(!outcome.difference.contains("inbox/"), "{outcome}");
        let forgets = row.words.contains(&"--forget");
        let newest = memory.done(["log", "--json", "-L", "1"]).json()["entries"][0].clone();
        assert_eq!(newest["consent"], if forgets { json!(null) } else { json!(quote) }, "{:?}: {newest}", row.words);
        if !forgets {
            memory.done(["log", "-L", "1"]).stdout_contains(&format!("(consent: {quote})"));
            memory.done(["show", newest["rev"].as_str().unwrap()]).stdout_contains(&format!("(consent: {quote})"));
        }
    }
}

#[test]
fn a_refusal_in_the_quote_is_a_refusal() {
    let refusals = |row: &Writer| {
        if row.removes() {
            ["No, please don't delete that.", "别删掉这个。", "Yes, please remember that."]
        } else {
            ["No, please don't save that.", "别记住这个。", "Yes, forget it."]
        }
    };
    let quotes = WRITERS
        .iter()
        .flat_map(|row| ["What time is it?"].into_iter().chain(refusals(row)).map(move |quote| (row, quote)));
    for (row, quote) in quotes {
        let memory = memory();
        let (_, outcome) = refused(&memory, command(&memory, row, &["--consent", quote]).by("planner"));
        assert!(outcome.stderr.contains("the quote does not agree to it"), "{outcome}");
        let (_, text) = only_proposal(&memory);
        assert!(text.contains(&format!("- Said: \"{quote}\"\n")), "{text}");
    }
}

#[test]
fn the_error_as_json_names_the_proposal() {
    let memory = memory();
    let error =
        memory.run(["add", "user", "User lives in Austin", "--json"]).by("planner").may_change().exit(5).error();
    let (id, _) = only_proposal(&memory);
    assert_eq!(error["code"], "consent");
    assert_eq!(error["changed"], false);
    assert_eq!(error["details"], json!({"fields": ["city"], "path": format!("inbox/{id}.md"), "proposal": id}));
    assert_eq!(error["try"], json!([format!("memdir inbox {id}")]));
    // The same batch waits only once, and another agent's too.
    memory.run(["add", "user", "User lives in Austin"]).by("coder").exit(5).unchanged().stderr_contains(&id);
}

#[test]
fn consent_can_stand_in_the_batch() {
    let operation = json!({"op": "add", "at": "user", "text": "User lives in Austin"});
    let mut with_quote = operation.clone();
    with_quote["consent"] = json!("ok, remember it");
    for batch in
        [json!({"operations": [operation], "consent": "ok, remember it"}), json!([with_quote]), with_quote.clone()]
    {
        let memory = memory();
        memory.run(["apply"]).by("planner").stdin(batch.to_string()).exit(0);
        memory.done(["log"]).stdout_contains("(consent: ok, remember it)");
    }
    // One refusal in a batch refuses all of it.
    let memory = memory();
    let mut other = operation.clone();
    (other["text"], other["consent"]) = (json!("Likes tea"), json!("no, don't remember that"));
    let batch = json!([other, with_quote]).to_string();
    refused(&memory, memory.run(["apply"]).by("planner").stdin(batch));
}

#[test]
fn other_changes_need_no_consent() {
    let unchanged: &[&[&str]] = &[
        &["add", "user", "Prefers tabs"],
        &["update", "user", "Likes jazz", "Likes blues"],
        &["set", "user@c4vz", "exp=2026-02-23"],
        &["mv", "user@3", "other"],
        &["mv", "user", "me"],
        &["set", "user", "summary=about the user"],
        &["rm", "user", "- Likes jazz"],
        &["patch", "user", "--old", "jazz", "--new", "blues"],
        &["undo"],
    ];
    for words in unchanged {
        let memory = memory();
        memory.done(["add", "user", "A last line"]);
        let words: Vec<String> =
            words.iter().map(|w| w.replace("user@3", &format!("user@{}", handle_of_city()))).collect();
        let outcome = memory.run(words).by("planner").exit(0);
        assert!(!outcome.difference.contains("inbox/"), "{outcome}");
    }
}

fn handle_of_city() -> String {
    crate::support::handle("City: Bonn")
}

#[test]
fn a_dry_run_is_refused_and_leaves_no_proposal() {
    for row in WRITERS {
        let memory = memory();
        let outcome = command(&memory, row, &["-n"]).by("planner").exit(5).unchanged();
        assert!(outcome.stderr.contains("memdir: consent: "), "{outcome}");
    }
}

#[test]
fn an_agent_cannot_accept_a_proposal() {
    let memory = memory();
    let (id, _) = refused(&memory, memory.run(["add", "user", "User lives in Austin"]).by("planner"));
    for words in
        [&["inbox", &id, "--accept"][..], &["inbox", "--accept"], &["inbox", &id, "--accept", "--consent", "yes"]]
    {
        memory
            .run(words)
            .by("planner")
            .exit(5)
            .stderr_contains("memdir: consent: planner is an agent, and only a person can accept a proposal")
            .stderr_contains("people:")
            .stderr_contains("try: memdir inbox --accept");
    }
    memory.run(["inbox", &id, "--accept"]).env("CODEX_SANDBOX", "seatbelt").exit(5);
    // It may look, and withdraw.
    memory.run(["inbox"]).by("planner").exit(0).stdout_contains("User lives in Austin");
    memory.run(["inbox", &id, "--reject"]).by("planner").exit(0);
    assert_eq!(memory.tree().keys().filter(|path| path.starts_with("inbox/")).count(), 0);
}

#[test]
fn an_expired_proposal_waits_anew() {
    let memory = memory();
    refused(&memory, memory.run(["add", "user", "User lives in Austin"]).by("planner"));
    let later =
        memory.run(["add", "user", "User lives in Austin"]).by("planner").env("MEMDIR_NOW", "2026-06-01T10:00:00Z");
    later.may_change().exit(5);
    assert!(only_proposal(&memory).1.contains("- Proposed: 2026-06-01 by planner"));
}

#[test]
fn a_restricted_agents_batch_waits_too() {
    let policy = "version: 1\nallowlists:\n  planner: [user]\n";
    let memory = memory().policy(policy);
    refused(&memory, memory.run(["add", "user", "User lives in Austin"]).by("planner"));
}

#[test]
fn a_key_in_the_quote_is_kept_nowhere() {
    let key = "sk-test-4242424242424242";
    let memory = memory();
    let agreed = format!("Yes, please remember that. My key is {key}.");
    memory.run(["add", "user", "City: Austin", "--consent", &agreed]).by("planner").exit(0);
    let log = memory.done(["log", "-L", "1"]);
    assert!(log.stdout.contains("(consent: Yes, please remember that. My key is "), "{log}");
    let batch = json!({"operations": [{"op": "add", "at": "user", "text": "Language: German", "consent": agreed}]});
    memory.run(["apply"]).stdin(batch.to_string()).by("planner").exit(0);
    // A quote that refuses goes into the proposal.
    let refusal = format!("No, do not remember that. My key is {key}.");
    let run = memory.run(["add", "user", "City: Cork", "--consent", &refusal]).by("planner");
    refused(&memory, run);
    assert!(only_proposal(&memory).1.contains("My key is "));
    for file in walkdir::WalkDir::new(memory.dir()).into_iter().map(Result::unwrap).filter(|f| f.file_type().is_file())
    {
        let bytes = fs_err::read(file.path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("424242424242"), "{}", file.path().display());
    }
}

#[test]
fn a_bullet_that_moves_states_nothing_new_unless_its_place_makes_it_a_field() {
    let text = "# User\n\n- City: Bonn\n- Rome\n- User lives in Cork\n\n## City\n\n- Oslo\n\n## Work\n\n- Trains\n";
    let at = |bullet: &str| format!("user@{}", crate::support::handle(bullet));
    for (bullet, to) in [
        ("City: Bonn", "other"),
        ("City: Bonn", "user#work"),
        ("City: Bonn", "user#city"),
        ("User lives in Cork", "user#city"),
        ("Oslo", "about#city"),
        ("Rome", "user#work"),
    ] {
        let memory = Memory::new().file("facts/user.md", text).file("facts/about.md", "# About\n\n## City\n\n- x\n");
        let outcome = memory.run(["mv", &at(bullet), to]).by("planner").exit(0);
        assert!(!outcome.difference.contains("inbox/"), "{outcome}");
    }
    for (bullet, to) in [("Rome", "user#city"), ("Rome", "city"), ("Oslo", "user#work"), ("Oslo", "notes")] {
        let memory = Memory::new().file("facts/user.md", text);
        refused(&memory, memory.run(["mv", &at(bullet), to]).by("planner"));
        memory.run(["mv", &at(bullet), to, "--consent", YES]).by("planner").exit(0);
    }
    // A file that gets the name of a field.
    let memory = Memory::new().file("facts/trips.md", "# Trips\n\n- Rome\n");
    refused(&memory, memory.run(["mv", "trips", "city"]).by("planner"));
}

#[test]
fn a_compaction_to_a_size_of_the_agents_archives_no_sensitive_field() {
    let policy = "version: 1\nlimits:\n  - {at: facts/user.md, bullets: 2, on_limit: compact}\n";
    let memory = memory();
    refused(&memory, memory.run(["compact", "user", "--to", "2"]).by("planner"));
    let (id, text) = only_proposal(&memory);
    assert!(text.contains("sensitive city") && text.contains("\"archive\":true"), "{text}");
    memory.run(["compact", "user", "--to", "2", "-n"]).by("planner").exit(5).unchanged();
    memory.run(["inbox", &id, "--accept"]).exit(0);
    assert!(memory.text("archive/facts/user.md").unwrap().contains("- City: Bonn\n"));
    // With the user's words; for what is not sensitive; and by a limit of the policy.
    let agreed = ["compact", "user", "--to", "2", "--consent", YES];
    self::memory().run(agreed).by("planner").exit(0);
    let other = Memory::new().file("facts/user.md", "# User\n\n- Likes jazz\n- City: Bonn\n");
    other.run(["compact", "user", "--to", "1"]).by("planner").exit(0);
    let limited = self::memory().policy(policy);
    limited.run(["compact"]).by("planner").exit(0);
    assert!(limited.text("archive/facts/user.md").unwrap().contains("- City: Bonn\n"));
}

#[test]
fn a_number_of_a_person_is_a_field_without_its_label() {
    let policy = "version: 1\nsensitive: [contact, identity_number]\n";
    for text in [
        "+49 151 23456789 is mine",
        "手机13812345678",
        "Reachable: `0151 23456789`",
        "My passport is C01X00T47",
        "护照E12345678",
        "身份证 110101199003071234",
        "123-45-6789",
    ] {
        let memory = memory().policy(policy);
        refused(&memory, memory.run(["add", "user", text]).by("planner"));
        memory.run(["add", "user", text]).exit(0);
    }
    for text in [
        "Order 13812345678 was returned",
        "The service listens on port 50051",
        "Pinned to version 1.555.010.0199",
        "Released on 2026-02-24",
        "Broken since commit 4915123456789a",
        "The licence costs 1 299 000 EUR",
        "ISBN 978-3-16-148410-0 explains it",
        "The passport strategy needs passport.js 0.7.0",
    ] {
        let memory = memory().policy(policy);
        let outcome = memory.run(["add", "user", text]).by("planner").exit(0);
        assert!(!outcome.difference.contains("inbox/"), "{outcome}");
    }
}

#[test]
fn a_sensitive_field_leaves_the_archive_only_with_consent() {
    let memory = Memory::new().policy("version: 1\nsensitive: [city]\n");
    memory.done(["add", "user", "City: Rome", "Likes tea", "Likes jazz"]);
    let address = |text: &str| format!("user@{}", handle(text));
    memory.done(["rm", "--archive", &address("City: Rome"), &address("Likes tea")]);
    let archived = |text: &str| format!("archive/facts/user.md@{}", handle(text));
    memory.run(["rm", &archived("City: Rome")]).by("bot").may_change().exit(5).stderr_contains("consent: city");
    memory.run(["rm", "--forget", &archived("City: Rome")]).by("bot").may_change().exit(5);
    let beside = serde_json::json!([
        {"op": "rm", "at": address("Likes jazz"), "archive": true},
        {"op": "rm", "at": archived("City: Rome")},
    ]);
    memory.run(["apply"]).stdin(beside.to_string()).by("bot").may_change().exit(5).stderr_contains("consent: city");
    assert!(memory.text("archive/facts/user.md").unwrap().contains("City: Rome"));
    memory.run(["rm", &archived("Likes tea")]).by("bot").may_change().exit(0);
    memory.run(["rm", "--archive", &address("Likes jazz")]).by("bot").may_change().exit(0);
    memory.done(["rm", &archived("City: Rome")]);
}

/// The undo of an acceptance would bring back the accepted proposal, too, which no proposal may write.
#[test]
fn the_undo_of_an_accepted_proposal_waits_and_can_be_accepted() {
    let memory = Memory::new();
    assert_eq!(memory.run(["add", "user", "City: Austin"]).by("bot").ends().status, 5);
    memory.done(["inbox", "--accept"]);
    assert_eq!(memory.run(["undo"]).by("bot").ends().status, 5);
    assert!(memory.text("facts/user.md").is_some_and(|text| text.contains("Austin")));
    memory.done(["inbox", "--accept"]);
    assert_eq!(memory.text("facts/user.md"), None);
}

#[test]
fn a_last_day_of_a_bullet_is_that_of_all_below_it() {
    let text =
        "# User\n\n- Personal\n  - City: Bonn\n- Home\n\n  City: Rome\n- City: Paris\n  <!-- mem exp=2026-04-01 -->\n";
    let set = |text: &str, day: &str| vec!["set".to_owned(), format!("user@{}", handle(text)), format!("exp={day}")];
    for (bullet, day) in
        [("Personal", "2026-02-23"), ("Personal", "2026-12-31"), ("Home", "2026-12-31"), ("City: Paris", "2026-03-31")]
    {
        let memory = Memory::new().file("facts/user.md", text);
        refused(&memory, memory.run(set(bullet, day)).by("planner"));
        assert_eq!(memory.text("facts/user.md").as_deref(), Some(text));
    }
    // Below a bullet that ends, another one ends as well.
    let memory =
        Memory::new().file("facts/user.md", &text.replace("- Home", "- Trip\n  <!-- mem exp=2026-03-01 -->\n- Home"));
    memory.run(set("Trip", "2026-03-31")).by("planner").exit(0);
    // Who lets it last longer hides nothing.
    memory.run(set("City: Paris", "2026-05-01")).by("planner").exit(0);
    memory.run(set("City: Paris", "")).by("planner").exit(0);
}

/// Such a bullet then has the last day of the one around it, which is over.
#[test]
fn who_takes_the_pin_or_the_day_of_a_bullet_below_an_expired_one_hides_it() {
    for (own, change) in [("pin", "pin=no"), ("exp=2026-03-01", "exp=")] {
        let text =
            format!("# User\n\n- Personal\n  <!-- mem exp=2026-02-20 -->\n  - City: Bonn\n    <!-- mem {own} -->\n");
        let memory = Memory::new().file("facts/user.md", &text);
        assert!(memory.run(["query", "Bonn"]).ends().stdout.contains("City: Bonn"), "{own}");
        let set = ["set".to_owned(), format!("user@{}", handle("City: Bonn")), change.to_owned()];
        refused(&memory, memory.run(&set).by("planner"));
        assert_eq!(memory.text("facts/user.md"), Some(text));
        // The user may.
        memory.done(&set);
        assert!(!memory.run(["query", "Bonn"]).ends().stdout.contains("City: Bonn"), "{own}");
    }
}

#[test]
fn with_the_users_words_the_proposal_without_them_goes() {
    let memory = memory();
    let add = ["add", "user", "User lives in Austin"];
    let (id, _) = refused(&memory, memory.run(add).by("planner"));
    let agreed = memory.run([&add[..], &["--consent", "yes, remember it"]].concat()).by("planner").exit(0);
    assert!(agreed.difference.contains(&format!("D inbox/{id}.md")), "{agreed}");
    assert!(memory.text("facts/user.md").unwrap().contains("- User lives in Austin\n"));
    // Another change leaves it.
    refused(&memory, memory.run(["add", "user", "Preferred name: Ana"]).by("planner"));
    memory.run(["add", "user", "User lives in Bath", "--consent", "yes, remember it"]).by("planner").exit(0);
    only_proposal(&memory);
}

/// Who asks to remember one field does not ask to remove another.
#[test]
fn an_addition_in_the_batch_is_no_consent_to_a_removal() {
    let memory = memory();
    let batch = r#"[{"op":"add","at":"user","text":"Language: German"},{"op":"rm","at":"user","text":"City: Bonn"}]"#;
    let apply = |quote| memory.run(["apply", "--consent", quote]).stdin(batch).by("planner");
    let (_, outcome) = refused(&memory, apply("Yes, please remember that."));
    assert!(outcome.stderr.contains("memdir: consent: city changes only"), "{outcome}");
    apply(YES).exit(0);
    assert!(!memory.text("facts/user.md").unwrap().contains("Bonn"));
}
