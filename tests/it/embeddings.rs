//! `find.embeddings`: what is sent, when, and what it changes in answers. The host is scripted, on loopback.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::hooks::Project;
use crate::support::model_server::{Answer, ScriptedReply, Server};
use crate::support::{CommandOutcome, Memory, handle};

const FACTS: &str = "# User\n\n- Rides a bike\n- Drinks tea\n- Sleeps long\n- Reads novels\n";

/// One number for each of four subjects, so that words of one subject are close to each other.
fn by_subject(text: &str) -> Vec<f64> {
    const SUBJECTS: [&[&str]; 4] =
        [&["bike", "bicycle", "cycling"], &["tea", "beverage"], &["sleep", "nap"], &["novel"]];
    let text = text.to_lowercase();
    let has = |words: &&[&str]| f64::from(u8::from(words.iter().any(|word| text.contains(word))));
    SUBJECTS.iter().map(|words| 0.1 + has(words)).collect()
}

const VECTORS: ScriptedReply = ScriptedReply::Vectors(by_subject);

fn block(server: &str, memory: &str) -> String {
    json!({"base_url": server, "name": "m", "memories": [memory], "query_prefix": "q: ", "text_prefix": "t: "})
        .to_string()
}

fn configure(memory: &Memory, server: &Server) {
    let block = block(&server.url(), memory.dir().to_str().unwrap());
    memory.configure(&format!("people: [tester]\nfind: {{embeddings: {block}}}\n"));
}

/// A memory with its vectors.
fn embedded(memory: Memory, server: &Server) -> Memory {
    configure(&memory, server);
    memory.done(["embed"]).quiet();
    memory
}

/// The texts of an answer, in order.
fn texts(answer: &CommandOutcome) -> Vec<String> {
    let items = answer.json()["items"].as_array().unwrap().clone();
    items.iter().map(|item| item["text"].as_str().unwrap().to_owned()).collect()
}

/// Where a search notes that it had no vector.
fn failure_note(memory: &Path) -> PathBuf {
    memory.join(".memdir/embeddings-failure")
}

/// What a search answers that got its vector: on a busy machine 300 ms may pass before that.
fn in_time<T>(memory: &Path, mut search: impl FnMut(usize) -> T) -> T {
    for attempt in 0..50 {
        let answer = search(attempt);
        if fs_err::remove_file(failure_note(memory)).is_err() {
            return answer;
        }
    }
    panic!("the host never answered in time");
}

/// Runs a query that gets its vector.
fn query(memory: &Memory, words: &[&str]) -> CommandOutcome {
    in_time(&memory.dir(), |_| memory.done([&["query", "--json"], words].concat()))
}

fn sent(server: &Server) -> Vec<String> {
    let texts =
        |request: crate::support::model_server::ReceivedRequest| request.body["input"].as_array().unwrap().clone();
    server.requests().into_iter().flat_map(texts).map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn without_the_config_nothing_is_sent_or_stored() {
    let server = Server::always(VECTORS);
    let memory = Memory::new().file("facts/user.md", FACTS);
    let elsewhere = block(&server.url(), "/somewhere/else");
    for config in ["people: [tester]\n", &format!("people: [tester]\nfind: {{embeddings: {elsewhere}}}\n")] {
        memory.configure(config);
        memory.done(["query", "bike"]).quiet();
        memory.done(["add", "user", &format!("Has {} bells", config.len())]);
        memory.run(["embed"]).exit(8).stderr_contains("no_model: no embeddings are configured for this memory");
    }
    // What comes by git clone names no host.
    memory.put(
        "memdir.yaml",
        format!("version: 1\nfind: {{embeddings: {}}}\n", block(&server.url(), memory.dir().to_str().unwrap())),
    );
    memory.run(["query", "bike"]).exit(0).stderr_contains("memdir.yaml line 2");
    memory.run(["embed"]).exit(8);
    assert_eq!(server.connections(), 0);
    assert!(!memory.dir().join(".memdir/cache").exists());
}

#[test]
fn words_and_vectors_together_find_what_is_said_in_other_words() {
    let server = Server::always(VECTORS);
    let memory = Memory::new().file("facts/user.md", FACTS).file("facts/more.md", "# More\n\n- Sells a bicycle bell\n");
    let before = memory.done(["query", "cycling tour", "--json"]);
    assert_eq!(texts(&before), [""; 0]);
    let memory = embedded(memory, &server);
    let found = query(&memory, &["cycling tour"]);
    assert_eq!(texts(&found)[..2].iter().filter(|text| text.contains("bi")).count(), 2, "{found}");
    // The words still count: an item with them comes first.
    let found = query(&memory, &["cycling bell", "--explain"]);
    assert_eq!(texts(&found)[..2], ["Sells a bicycle bell", "Rides a bike"]);
    let rows = found.json()["items"].clone();
    let part = |row: &Value| row["parts"].as_array().unwrap().iter().find(|part| part["term"] == "(vector)").cloned();
    let sum =
        |row: &Value| row["parts"].as_array().unwrap().iter().map(|part| part["score"].as_f64().unwrap()).sum::<f64>();
    for row in [&rows[0], &rows[1]] {
        assert!(part(row).is_some_and(|part| part["score"].as_f64().unwrap() > 0.0), "{row}");
        assert!((sum(row) - row["score"].as_f64().unwrap()).abs() < 0.005, "{row}");
    }
    // One request each, of the question alone, beside those of the items.
    let mut questions: Vec<String> = sent(&server).into_iter().filter(|text| text.starts_with("q: ")).collect();
    questions.dedup();
    assert_eq!(questions, ["q: cycling tour", "q: cycling bell"]);
    let body = server.requests()[0].body.clone();
    assert_eq!((&body["model"], &body["encoding_format"]), (&json!("m"), &json!("float")));
    assert!(sent(&server).contains(&"t: Rides a bike".to_owned()));
}

#[test]
fn parts_add_up_and_a_vector_never_lowers_relevance() {
    let server = Server::always(VECTORS);
    let memory = embedded(Memory::new().file("facts/user.md", FACTS), &server);
    let mut by_vector_alone = 0;
    for question in ["tea cycling", "bike", "drinks beverage", "novels nap", "tea"] {
        let found = query(&memory, &[question, "--explain"]);
        for row in found.json()["items"].as_array().unwrap() {
            let parts = row["parts"].as_array().unwrap();
            let sum: f64 = parts.iter().map(|part| part["score"].as_f64().unwrap()).sum();
            assert!((sum - row["score"].as_f64().unwrap()).abs() < 0.005, "{question}: {row}");
            by_vector_alone += usize::from(parts.len() == 1 && parts[0]["term"] == "(vector)");
        }
    }
    assert!(by_vector_alone > 0);
    // What is found without vectors is found with them.
    for (question, expected) in [("drinks", "Drinks tea"), ("tea drinks", "Drinks tea"), ("the bike", "Rides a bike")] {
        let found = query(&memory, &[question, "--threshold", "1"]);
        assert_eq!(texts(&found), [expected], "{question}: {found}");
        assert_eq!(found.json()["items"][0]["relevance"], 1.0);
    }
}

#[test]
fn a_host_that_is_slow_or_down_is_reported_once_and_words_decide() {
    let server = Server::always(VECTORS);
    let memory = Memory::new().file("facts/user.md", FACTS);
    let plain = memory.done(["query", "tea", "--json"]).json()["items"].clone();
    let memory = embedded(memory, &server);
    let at = |now: &str| memory.run(["query", "tea", "--json"]).env("MEMDIR_NOW", now).exit(0);
    let check = |outcome: &CommandOutcome, reported: usize| {
        let answer = outcome.json();
        assert_eq!(answer["warnings"].as_array().map_or(0, Vec::len), reported, "{outcome}");
        assert_eq!(answer["items"], plain, "{outcome}");
    };
    let note = || fs_err::read_to_string(failure_note(&memory.dir())).unwrap();
    server.reply_next(ScriptedReply::Hang);
    let slow = at("2026-02-24T10:00:00Z").stdout_contains("the search uses words only, without embeddings: ");
    check(&slow, 1);
    server.clear_script();
    // Within a minute no search waits for it again, and nothing is reported again: the note stays as it was.
    let noted = note();
    check(&at("2026-02-24T10:00:59Z"), 0);
    assert_eq!(note(), noted);
    // Then it is back: its answers are not those of the words.
    let mut minutes = 1..50;
    let mut later = || format!("2026-02-24T10:{:02}:01Z", minutes.next().unwrap());
    while at(&later()).json()["items"] == plain {}
    // When it fails again, that is reported again.
    server.reply_next(Answer::error(400, "broken").into());
    check(&at(&later()), 1);
    server.clear_script();
    drop(server);
    check(&at("2026-02-24T11:00:00Z"), 0);
}

#[test]
fn a_damaged_cache_is_thrown_away() {
    let server = Server::always(VECTORS);
    let memory = embedded(Memory::new().file("facts/user.md", FACTS), &server);
    let file = memory.dir().join(".memdir/cache/vectors");
    let good = fs_err::read(&file).unwrap();
    for damage in [&good[..good.len() - 1], b"", b"{}\n", &[&good[..], b"x"].concat()] {
        fs_err::write(&file, damage).unwrap();
        let asked = server.requests().len();
        memory.done(["query", "cycling"]);
        assert_eq!(server.requests().len(), asked, "no vector is compared with nothing");
        memory.done(["embed"]).stdout("4 embeddings by m: 4 new, 0 dropped\n");
        assert_eq!(fs_err::read(&file).unwrap(), good);
    }
    // Nothing is made twice, and what is gone is dropped.
    let asked = server.requests().len();
    memory.done(["embed"]).stdout("4 embeddings by m: 0 new, 0 dropped\n");
    memory.put("facts/user.md", FACTS.replace("- Drinks tea\n", ""));
    memory.done(["embed"]).stdout("3 embeddings by m: 0 new, 1 dropped\n");
    assert_eq!(server.requests().len(), asked);
    // Another model's vectors cannot be compared.
    memory.configure(&memory.config().replace("\"name\":\"m\"", "\"name\":\"n\""));
    memory.done(["embed"]).stdout("3 embeddings by n: 3 new, 0 dropped\n");
}

/// Whether any file of the cache holds the vector of a text.
fn holds_vector(memory: &Memory, text: &str) -> bool {
    let hash: [u8; 32] = Sha256::digest(text).into();
    let files = fs_err::read_dir(memory.dir().join(".memdir/cache")).unwrap();
    // The process in the background renames its new file meanwhile.
    files.filter_map(|file| fs_err::read(file.unwrap().path()).ok()).any(|bytes| {
        let found = memchr::memmem::find(&bytes, &hash[..16]);
        found.is_some()
    })
}

#[test]
fn purging_a_text_drops_its_vector_and_keeps_the_others() {
    let server = Server::always(VECTORS);
    let policy = "version: 2\nlifetimes:\n  - {at: facts/**, unused: 60d, purge: 30d}\n";
    let memory = embedded(Memory::new().policy(policy).file("facts/user.md", FACTS), &server);
    // A text that was archived by hand, so that no process made vectors since.
    let archive = |memory: &Memory, text: &str| {
        let facts = memory.text("facts/user.md").unwrap();
        memory.put("facts/user.md", facts.replace(&format!("- {text}\n"), ""));
        let meta = "<!-- mem archived=2026-01-01 purge=2026-02-01 from=# -->";
        memory.put("archive/facts/user.md", format!("# User\n\n- {text}\n  {meta}\n"));
    };
    archive(&memory, "Drinks tea");
    assert!(holds_vector(&memory, "Drinks tea"));
    let asked = server.requests().len();
    memory.done(["prune"]).stdout_contains("archived on 2026-01-01");
    assert!(!holds_vector(&memory, "Drinks tea") && holds_vector(&memory, "Rides a bike"));
    assert_eq!(server.requests().len(), asked);
    // Without the setting it is unknown of which texts the vectors are.
    archive(&memory, "Sleeps long");
    memory.configure("people: [tester]\n");
    assert!(holds_vector(&memory, "Sleeps long"));
    memory.done(["prune"]).stdout_contains("archived on 2026-01-01");
    assert!(!holds_vector(&memory, "Sleeps long") && !holds_vector(&memory, "Rides a bike"));
}

/// How many numbers [`of_length`] gives; with 0, four zeros.
static LENGTH: AtomicUsize = AtomicUsize::new(4);

fn of_length(text: &str) -> Vec<f64> {
    let mut vector = by_subject(text);
    match LENGTH.load(Ordering::SeqCst) {
        0 => vec![0.0; 4],
        length => {
            vector.resize(length, 0.3);
            vector
        }
    }
}

#[test]
fn vectors_of_another_length_are_made_again_and_zeros_are_named() {
    let server = Server::always(ScriptedReply::Vectors(of_length));
    let memory = embedded(Memory::new().file("facts/user.md", FACTS), &server);
    LENGTH.store(6, Ordering::SeqCst);
    memory.put("facts/user.md", format!("{FACTS}- Plays chess\n"));
    memory.done(["embed"]).stdout("5 embeddings by m: 5 new, 0 dropped\n");
    memory.done(["embed"]).stdout("5 embeddings by m: 0 new, 0 dropped\n");
    // A search finds it out, and the next run makes all of them again.
    LENGTH.store(5, Ordering::SeqCst);
    while !memory.done(["query", "bicycle"]).stderr.contains("have 5 numbers now, not 6; `memdir embed`") {
        // The host was too slow.
        fs_err::remove_file(failure_note(&memory.dir())).unwrap();
    }
    // A host that fails at once takes nothing away.
    let before = fs_err::read(memory.dir().join(".memdir/cache/vectors")).unwrap();
    server.reply_next(ScriptedReply::Answer(Answer::json(401, &json!({"error": {"message": "no"}}))));
    memory.run(["embed"]).may_change().exit(8).stderr_contains("nothing was changed");
    assert_eq!(fs_err::read(memory.dir().join(".memdir/cache/vectors")).unwrap(), before);
    memory.done(["embed"]).stdout("5 embeddings by m: 5 new, 5 dropped\n");
    LENGTH.store(0, Ordering::SeqCst);
    memory.put("facts/user.md", format!("{FACTS}- Plays chess\n- Plays go\n"));
    let zeros = memory.done(["embed"]).stdout("5 embeddings by m: 0 new, 0 dropped, 1 still missing\n");
    zeros.stderr_contains("the host returned embeddings of zeros for 1 text");
}

#[test]
fn forgetting_a_text_drops_its_vector() {
    let server = Server::always(VECTORS);
    let memory = embedded(Memory::new().file("facts/user.md", FACTS), &server);
    let holds = |text: &str| holds_vector(&memory, text);
    assert!(holds("Drinks tea") && holds("Rides a bike"));
    memory.done(["rm", &format!("user@{}", handle("Drinks tea")), "--forget"]);
    assert!(!holds("Drinks tea"));
    while !holds("Rides a bike") {
        memory.done(["embed"]);
    }
    assert!(!holds("Drinks tea"));
}

#[test]
fn only_live_facts_that_everybody_may_see_are_sent() {
    let server = Server::always(VECTORS);
    let hidden = "- [medical] Hidden allergy\n\n## Medical\n\n- Hidden below\n";
    let memory = Memory::new()
        .policy("version: 1\ncategories:\n  custom:\n    - name: medical\n    - name: work\nallowlists:\n  claude: [work]\n  doctor: [medical, work]\n")
        .file("facts/user.md", &format!("{FACTS}- Old news\n  <!-- mem exp=2026-01-01 -->\n- The password is hunter2-Zx81Qm\n- ghp_0123456789abcdefghijABCDEFGHIJ012345\n\n{hidden}"))
        .file("facts/medical.md", "# Medical\n\n- Hidden file\n")
        .file("archive/facts/user.md", "# User\n\n- Archived bike\n  <!-- mem archived=2026-02-01 -->\n")
        .file("inbox/p1.md", "# Proposal\n\n- Proposed bike\n")
        .file("procedures/ride.md", "# Ride\n\n- Procedure of a bike\n")
        .file("episodes/2026-02.md", "# 2026-02\n\n## Trip\n- Episode of a bike\n")
        .file("scopes/team/memdir.yaml", "version: 1\n")
        .file("scopes/team/facts/a.md", "# A\n\n- Scope of a bike\n");
    let memory = embedded(memory, &server);
    let mut texts = sent(&server);
    texts.sort();
    assert_eq!(texts, ["t: Drinks tea", "t: Reads novels", "t: Rides a bike", "t: Sleeps long"]);
    // Also if a restricted agent starts it.
    for actor in ["claude", "doctor", "other"] {
        memory.run(["embed"]).by(actor).exit(0).stdout("4 embeddings by m: 0 new, 0 dropped\n");
    }
    // A secret in a question is not sent either.
    query(&memory, &["is ghp_0123456789abcdefghijABCDEFGHIJ012345 the bike token"]);
    assert_eq!(sent(&server).last().unwrap(), "q: is [redacted] the bike token");
}

#[test]
fn an_item_with_a_key_behind_or_across_its_cut_is_not_sent() {
    let server = Server::always(VECTORS);
    let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let mut items = String::from("# Long\n\n- Drinks tea\n");
    // The cut is at 1,000 characters: before, in and behind the key.
    for words in [190, 192, 195, 196, 198, 199, 200, 210] {
        items += &format!("- {}{key} end\n", "word ".repeat(words));
    }
    embedded(Memory::new().file("facts/long.md", &items), &server);
    assert_eq!(sent(&server), ["t: Drinks tea"]);
}

#[test]
fn a_restricted_reader_learns_nothing_of_hidden_items() {
    let server = Server::always(VECTORS);
    let policy =
        "version: 1\ncategories:\n  custom:\n    - name: medical\n    - name: work\nallowlists:\n  claude: [work]\n";
    let secretly = "- [medical] Bicycle cycling bike\n- [medical] Beverage tea\n";
    // Vectors of what was hidden only afterwards are still there, as the worst case.
    let with = Memory::new().file("facts/user.md", &format!("{FACTS}{secretly}"));
    let with = embedded(with, &server).policy(policy);
    let without = embedded(Memory::new().file("facts/user.md", FACTS), &server).policy(policy);
    for question in ["cycling", "bike", "tea beverage", "nothing known"] {
        let words = ["query", question, "--json", "--explain"];
        let ask = |memory: &Memory| in_time(&memory.dir(), |_| memory.run(words).by("claude").exit(0).stdout);
        assert_eq!(ask(&with), ask(&without), "{question}");
    }
}

#[test]
fn a_change_makes_vectors_in_the_background() {
    let server = Server::always(VECTORS);
    let memory = Memory::new().file("facts/user.md", FACTS);
    configure(&memory, &server);
    let file = memory.dir().join(".memdir/cache/vectors");
    memory.done(["add", "user", "Owns a bicycle"]).quiet();
    while !file.exists() {
        std::thread::yield_now();
    }
    memory.done(["embed"]);
    assert_eq!(sent(&server).iter().filter(|text| *text == "t: Owns a bicycle").count(), 1);
    let found = query(&memory, &["cycling"]);
    assert_eq!(texts(&found).len(), 2, "{found}");
}

#[test]
fn a_text_that_the_host_rejects_has_no_vector_and_the_others_have() {
    let too_long = || Answer::error(400, "input is too long");
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Rides a bike\n- Drinks tea\n");
    // Together, then one by one: the texts are sorted by their hash.
    let server = Server::script([too_long().into(), too_long().into(), VECTORS]);
    configure(&memory, &server);
    memory.done(["embed"]).stdout("1 embedding by m: 1 new, 0 dropped, 1 still missing\n");
    drop(server);
    let server = Server::script([too_long(), too_long(), too_long()]);
    configure(&memory, &server);
    memory.run(["embed"]).exit(8).stderr_contains("model_refused").stderr_contains("input is too long");
}

#[test]
fn the_key_comes_from_a_file_and_is_not_shown() {
    const KEY: &str = "sk-test-0123456789abcdef";
    let memory = Memory::new().file("facts/user.md", FACTS);
    let key = memory.dir().with_file_name("key");
    fs_err::write(&key, KEY).unwrap();
    let server = Server::script([Answer::error(401, &format!("bad key {KEY}"))]);
    let block =
        block(&server.url(), memory.dir().to_str().unwrap()).replacen('{', &format!("{{\"key_file\":{key:?},"), 1);
    memory.configure(&format!("people: [tester]\nfind: {{embeddings: {block}}}\n"));
    let refused = memory.run(["embed"]).exit(8).stderr_contains("model_refused");
    assert!(!refused.stderr.contains(KEY), "{refused}");
    assert_eq!(server.requests()[0].header("authorization"), Some(&*format!("Bearer {KEY}")));
}

#[test]
fn a_key_command_that_is_too_slow_for_a_search_is_killed_and_named() {
    let server = Server::always(VECTORS);
    let memory = embedded(Memory::new().file("facts/user.md", FACTS), &server);
    let block = block(&server.url(), memory.dir().to_str().unwrap());
    let slow = block.replacen('{', "{\"key_command\":[\"sleep\",\"60\"],", 1);
    memory.configure(&format!("people: [tester]\nfind: {{embeddings: {slow}}}\n"));
    let asked = server.requests().len();
    let answer = memory.done(["query", "Rides a bike"]).stdout_contains("Rides a bike");
    assert!(answer.stderr.contains("printed no key within 250 ms") || answer.stderr.contains("300 ms"), "{answer}");
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn a_hook_shows_the_rule_that_a_prompt_names_in_other_words() {
    let server = Server::always(VECTORS);
    let project = Project::new();
    project.put("work/memory/facts/user.md", FACTS);
    let prompt = |session: &str, words: &str| {
        let input = json!({"session_id": session, "cwd": project.work(), "prompt": words}).to_string();
        let answer: Value = serde_json::from_str(&project.hook(&["user-prompt"], input.as_bytes())).unwrap();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(prompt("s1", "plan a cycling tour"), "");
    let block = block(&server.url(), project.memory().to_str().unwrap());
    project.config(&format!("find: {{embeddings: {block}}}\n"));
    project.run(&["embed"]).exit(0);
    let shown = in_time(&project.memory(), |n| prompt(&format!("s2-{n}"), "plan a cycling tour"));
    assert!(shown.contains(": Rides a bike") && !shown.contains("Drinks tea"), "{shown}");
    assert_eq!(in_time(&project.memory(), |n| prompt(&format!("s3-{n}"), "hello there")), "");
    // A host that is down costs nothing but its vectors.
    drop(server);
    assert_eq!(prompt("s4", "plan a cycling tour"), "");
    assert!(prompt("s5", "who drinks tea and reads novels?").contains("Drinks tea"));
}
