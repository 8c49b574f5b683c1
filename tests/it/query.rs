//! `query` from outside: what it prints, how it is bounded, what it refuses.

mod filters;
mod ranking;
mod ranking_sets;
mod scripts;

use serde_json::{Value, json};

use crate::support::Memory;

const USER: &str = "# User\n\n> Summary: tabs, austin\n\n- Prefers tabs over spaces #editor\n- [habit] Runs in the morning\n  <!-- mem imp=7 conf=0.9 -->\n- Lives in Austin\n- Café: the one at the corner\n";
const FEBRUARY: &str = "# 2026-02 Episodes\n\n## Logger stdout leak fix\n- Summary: pino pipeline stdout leak → custom JS transport\n- Date: 2026-02-20\n- Lesson: pino worker threads cannot load .ts files in Bun\n\n## Move\n- Date: 2026-02-22\n\nThe ferry was late, so we planned the move.\n";

fn memory() -> Memory {
    Memory::new().file("facts/user.md", USER).file("episodes/2026-02.md", FEBRUARY)
}

fn texts(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|i| i["text"].as_str().unwrap()).collect()
}

#[test]
fn items_are_listed_below_their_entry_best_first() {
    let ran = memory().run(["query", "logger", "leak"]).exit(0).quiet().unchanged();
    insta::assert_snapshot!(ran.stdout, @r"
    episodes/2026-02.md#logger-stdout-leak-fix: Logger stdout leak fix (2026-02-20)
      Logger stdout leak fix
    @cdz5 Summary: pino pipeline stdout leak → custom JS transport
    2 of 2 items, 46 tokens; whole texts: --full
    ");
    let ran = memory().run(["query", "cafe"]).exit(0).quiet();
    insta::assert_snapshot!(ran.stdout, @r"
    facts/user.md: User
    @mc6h Café: the one at the corner
    1 of 1 item, 16 tokens; whole texts: --full
    ");
}

#[test]
fn whole_texts_and_reasons() {
    let ran = memory().run(["query", "ferry", "--full"]).exit(0);
    insta::assert_snapshot!(ran.stdout, @r"
    episodes/2026-02.md#move: Move (2026-02-22)
    ## Move
    - Date: 2026-02-22

    The ferry was late, so we planned the move.
    1 of 1 item, 31 tokens
    ");
    let ran = memory().run(["query", "tabs", "--explain"]).exit(0);
    insta::assert_snapshot!(ran.stdout, @r"
    facts/user.md: User
    @nkwp Prefers tabs over spaces #editor
        2.35, relevance 1.00: tab 2.16, (file) 0.19
    1 of 1 item, 28 tokens; whole texts: --full
    ");
}

#[test]
fn an_empty_result_is_reported_and_is_no_failure() {
    let memory = memory();
    memory.run(["query", "zyzzyva"]).exit(0).stdout("").stderr_contains("memdir: no matches");
    memory.run(["query", "the"]).exit(0).stdout("").stderr_contains("memdir: no matches");
    let answer = memory.run(["query", "zyzzyva", "--json"]).exit(0).json();
    assert_eq!((answer["items"].clone(), answer["found"].clone()), (json!([]), json!(0)));
}

#[test]
fn json_holds_what_text_shows_and_more() {
    let answer = memory().run(["query", "morning runs", "--json", "--explain"]).exit(0).json();
    let item = &answer["items"][0];
    assert_eq!(item["text"], "[habit] Runs in the morning");
    assert_eq!(item["category"], "habit");
    assert_eq!(item["meta"]["imp"], "7");
    let (path, handle) = (item["path"].as_str().unwrap(), item["handle"].as_str().unwrap());
    assert_eq!(item["address"], format!("{path}@{handle}"));
    memory().run(["read", &format!("{path}@{handle}")]).exit(0).stdout_contains("Runs in the morning");
    assert!(item["parts"].as_array().unwrap().iter().any(|p| p["term"] == "morn"));
    assert!(item["score"].as_f64().unwrap() > 0.0);
}

/// The options that the last line of a result suggests, such as `-L 20`.
fn suggested_options(ran: &crate::support::CommandOutcome) -> Vec<String> {
    let last = ran.stdout.lines().last().unwrap();
    let options = last.split(" more: ").nth(1).unwrap_or_else(|| panic!("nothing is suggested: {ran}"));
    options.split(';').next().unwrap().split(' ').map(str::to_owned).collect()
}

#[test]
fn ten_items_are_printed_unless_the_query_says_otherwise() {
    let mut memory = Memory::new();
    for n in 0..40 {
        let bullets: String = (0..10).map(|i| format!("- apple number {n} and {i}\n")).collect();
        memory = memory.file(&format!("facts/f{n:02}.md"), &bullets);
    }
    let count = |ran: &crate::support::CommandOutcome| ran.stdout.lines().filter(|l| l.contains("apple")).count();
    let ten = memory.run(["query", "apple"]).exit(0).stdout_contains("10 of 400 items");
    assert!(ten.stdout.ends_with("; 10 more: -L 20; whole texts: --full\n") && count(&ten) == 10, "{ten}");
    assert_eq!(memory.run(["query", "--json"]).stdin(r#"{"query":"apple"}"#).exit(0).json()["shown"], 10);
    assert_eq!(memory.run(["query", "--json"]).stdin(r#"{"query":"apple","top_k":12}"#).exit(0).json()["shown"], 12);
    for all in [&["query", "apple", "-L", "0"][..], &["query", "--in", "facts", "apple", "--limit=0"]] {
        let ran = memory.run(all).exit(0).stdout_contains("400 of 400 items");
        assert!(count(&ran) == 400 && !ran.stdout.contains("more:"), "{ran}");
    }
    // What is suggested shows more, and in the end everything.
    let mut options = vec!["-L".to_owned(), "385".to_owned()];
    for shown in [385, 395, 400] {
        let words: Vec<&str> = ["query", "apple"].into_iter().chain(options.iter().map(String::as_str)).collect();
        let ran = memory.run(words).exit(0).stdout_contains(&format!("{shown} of 400 items"));
        if shown < 400 {
            options = suggested_options(&ran);
        }
    }
    let json = memory.run(["query", "apple", "--json", "-L", "395"]).exit(0).json();
    assert_eq!(json["more"], json!({"items": 5, "limit": 400}));
}

#[test]
fn a_budget_bounds_the_whole_answer_and_its_advice_shows_more() {
    let mut memory = Memory::new();
    for n in 0..40 {
        let words = "and so on ".repeat(n % 7);
        let bullets: String = (0..10).map(|i| format!("- apple {n} {i} {words}\n")).collect();
        memory = memory.file(&format!("facts/f{n:02}.md"), &bullets);
    }
    for extra in [&[][..], &["--linked"], &["--full"], &["--explain"]] {
        for budget in [1, 5, 8, 10, 16, 40, 64, 100, 500, 1000] {
            let run = |options: &[String]| {
                let words: Vec<&str> = ["query", "apple"].into_iter().chain(extra.iter().copied()).collect();
                memory.run([&words[..], &options.iter().map(String::as_str).collect::<Vec<_>>()].concat()).exit(0)
            };
            let ran = run(&["-b".to_owned(), budget.to_string()]);
            assert!(memdir::text::llm_tokens::estimate_llm_tokens(&ran.stdout) <= budget, "{budget}\n{ran}");
            if budget < 16 {
                // Where the line that names the option does not fit, it is a note.
                let printed = format!("{}{}", ran.stdout, ran.stderr);
                assert!(printed.contains(" of 400 items") && printed.contains("; 10 more: -b "), "{budget}\n{ran}");
                continue;
            }
            let options = suggested_options(&ran);
            assert_eq!(options[0], "-b", "{ran}");
            let shown =
                |text: &str| -> usize { text.lines().last().unwrap().split(' ').next().unwrap().parse().unwrap() };
            let more = run(&options);
            assert!(shown(&more.stdout) >= shown(&ran.stdout) + 10, "{ran}\n{more}");
        }
    }
}

#[test]
fn headings_take_no_place_of_an_item() {
    let facts: String = (0..8)
        .map(|n| format!("## Logger {n}\n\n- Writes to stderr {n}\n- The logger of part {n} is pino\n\n"))
        .collect();
    let memory =
        Memory::new().file("facts/parts.md", &format!("# Parts\n\n{facts}")).file("episodes/2026-02.md", FEBRUARY);
    for limit in [1, 3, 8] {
        let answer = memory.run(["query", "logger", "--json", "-L", &limit.to_string()]).exit(0).json();
        let kinds: Vec<&str> =
            answer["items"].as_array().unwrap().iter().map(|i| i["kind"].as_str().unwrap()).collect();
        assert!(kinds.len() == limit && !kinds.contains(&"heading"), "{limit}: {kinds:?}");
    }
    // An entry's title is an item, unless an item of the entry is found as well.
    let answer = memory.run(["query", "leak", "--json", "-L", "1"]).exit(0).json();
    assert_eq!(answer["items"][0]["kind"], "bullet");
    assert_eq!(texts(&memory.run(["query", "move", "--json", "-L", "2"]).exit(0).json()).len(), 2);
    // Headings fill the places that are left.
    memory.run(["query", "logger", "-L", "0"]).exit(0).stdout_contains("  Logger 3\n");
}

#[test]
fn a_heading_of_which_no_item_is_found_is_not_left_out() {
    let others: String = (0..12).map(|n| format!("- The harbour of part {n} is small\n")).collect();
    let memory = Memory::new()
        .file("facts/parts.md", &format!("# Parts\n\n## Harbour plan\n\n- Closes at six\n\n## Rest\n\n{others}"));
    for limit in ["1", "10", "0"] {
        let answer = memory.run(["query", "harbour plan", "--json", "-L", limit]).exit(0).json();
        assert_eq!(answer["items"][0]["text"], "Harbour plan", "{answer}");
    }
}

#[test]
fn relevance_is_1_only_if_every_word_stands_in_the_item() {
    let text = "# T\n\n- Who cooked the green soup?\n- Ana cooked it, the green one, cooked and cooked\n- Nothing\n";
    let memory = Memory::new().file("facts/t.md", text);
    let answer = memory.run(["query", "cooked green soup", "--json"]).exit(0).json();
    for item in answer["items"].as_array().unwrap() {
        let has_all = item["text"].as_str().unwrap().contains("soup");
        assert!(has_all || item["relevance"].as_f64().unwrap() < 1.0, "{item}");
    }
}

#[test]
fn keywords_find_a_bullet_and_are_not_its_text() {
    let memory = Memory::new();
    memory.done(["add", "rules", "Every migration gets a down script", "--keywords", "new column, alter table"]);
    memory.done(["add", "rules", "Rename nothing in public tables"]);
    let answer = memory.run(["query", "alter a column", "--json"]).exit(0).json();
    assert_eq!(texts(&answer), ["Every migration gets a down script"]);
    assert!(answer["items"][0]["relevance"].as_f64().unwrap() < 1.0, "{answer}");
    assert_eq!(answer["items"][0]["meta"]["keywords"], "new column, alter table");
    let by_text = memory.run(["query", "migration down script", "--json"]).exit(0).json();
    assert_eq!(by_text["items"][0]["relevance"], 1.0);
    // A neighbour says nothing about them.
    memory.done(["set", "rules@1", "keywords=", "-f"]);
    assert_eq!(texts(&memory.run(["query", "alter a column", "--json"]).exit(0).json()), [""; 0]);
}

#[test]
fn the_same_state_gives_the_same_bytes() {
    let memory = memory();
    let one = |words: &[&str]| memory.run(words).exit(0).stdout.clone();
    for words in [vec!["query", "the", "move", "late"], vec!["query", "tabs", "--json"], vec!["query", "--in", "**"]] {
        assert_eq!(one(&words), one(&words));
    }
}

#[test]
fn archived_and_expired_items_are_included_only_on_request() {
    let memory = Memory::new()
        .file(
            "facts/a.md",
            "- apple now\n- apple gone\n  <!-- mem exp=2026-02-23 -->\n- apple today\n  <!-- mem exp=2026-02-24 -->\n",
        )
        .file("archive/facts/a.md", "- apple archived\n")
        .file("inbox/p.md", "- apple proposed\n")
        .file("procedures/p.md", "- apple peeling\n")
        .file("notes.md", "apple in a note\n");
    let found = |words: &[&str]| {
        let all = [&["query", "apple", "--json"], words].concat();
        let answer = memory.run(all).exit(0).json();
        let mut texts: Vec<String> = texts(&answer).iter().map(|t| t.replace("apple ", "")).collect();
        texts.sort();
        texts.join(", ")
    };
    assert_eq!(found(&[]), "in a note, now, today");
    assert_eq!(found(&["--all"]), "archived, gone, in a note, now, peeling, proposed, today");
    assert_eq!(found(&["--in", "archive/**"]), "archived");
    assert_eq!(found(&["--in", "procedures"]), "peeling");
    memory.done(["query", "gone"]).stderr_contains("or --all for what has expired or is archived\n");
    memory.done(["query", "gone", "--all"]).stdout_contains(" apple gone (expired 2026-02-23)\n");
    let rows = memory.run(["query", "apple", "--all", "--json"]).exit(0).json()["items"].clone();
    let expired: Vec<&Value> = rows.as_array().unwrap().iter().filter(|row| !row["expired"].is_null()).collect();
    assert_eq!(expired.len(), 1, "{rows}");
    assert_eq!((&expired[0]["text"], &expired[0]["expired"]), (&json!("apple gone"), &json!("2026-02-23")));
    assert_eq!(found(&["--category", "procedural"]), "peeling");
}

#[test]
fn a_query_can_be_given_as_json() {
    let memory = memory()
        .file("scopes/ana/facts/user.md", "- Prefers tabs, says Ana\n")
        .file("scopes/ana/memdir.yaml", "version: 1\n");
    let asked = |json: &str| memory.run(["query", "--json"]).stdin(json).exit(0).json();
    assert_eq!(
        texts(&asked(r#"{"query":"tabs","top_k":1,"return":"bullets","agent":"planner"}"#)),
        ["Prefers tabs over spaces #editor"]
    );
    let full = asked(r#"{"query":"ferry","return":"full","budget_tokens":200}"#);
    assert!(full["items"][0]["entry"].as_str().unwrap().starts_with("## Move\n"));
    assert_eq!(
        texts(&asked(r#"{"query":"runs tabs","filters":{"importance_min":3}}"#)),
        ["[habit] Runs in the morning"]
    );
    let scoped = asked(r#"{"query":"tabs","filters":{"user_id":"ana"}}"#);
    assert_eq!((texts(&scoped), scoped["scope"].as_str()), (vec!["Prefers tabs, says Ana"], Some("ana")));
    for name in ["nobody", "../x", "..."] {
        let answer = asked(&format!(r#"{{"query":"tabs","filters":{{"user_id":"{name}"}}}}"#));
        assert!(texts(&answer).is_empty());
        let told = answer["left_out"][0].as_str().unwrap();
        assert!(told.ends_with("so nothing was searched"), "{told}");
    }
    for (json, code, status) in [
        (r#"{"query":"a","nope":1}"#, "invalid_query", 2),
        (r#"{"query":"a","filters":{"updated_after":"someday"}}"#, "usage", 2),
        (r#"{"query":""}"#, "usage", 2),
    ] {
        let ran = memory.run(["query", "--json"]).stdin(json).exit(status);
        assert_eq!(ran.error()["code"], code, "{json}");
    }
    memory.run(["query"]).stdin("").exit(2).stderr_contains("empty_input");
}

#[test]
fn invalid_filters_are_errors() {
    let memory = memory();
    for (words, code, status) in [
        (vec!["query", "tabs", "--in", "nothing/*.md"], "file_not_found", 3),
        (vec!["query", "a", "--since", "someday"], "usage", 2),
        (vec!["query", "a", "--since", "r99"], "revision_not_found", 3),
        (vec!["query", "a", "--imp", "7..3"], "usage", 2),
        (vec!["query", "a", "--threshold", "2"], "usage", 2),
        (vec!["query", "-", "--tag", "x"], "usage", 2),
    ] {
        memory.run(words).stdin("{}").exit(status).stderr_contains(code);
    }
}

#[test]
fn the_journal_records_actor_and_time() {
    let memory = Memory::new();
    memory
        .run(["add", "user", "Likes green tea", "--source", "chat-7"])
        .by("claude")
        .env("MEMDIR_NOW", "2026-01-10T09:00:00Z")
        .exit(0);
    memory.run(["add", "user", "Likes black tea"]).by("ana").env("MEMDIR_NOW", "2026-02-10T09:00:00Z").exit(0);
    memory.put("facts/old.md", "- Likes any tea\n");
    let found = |words: &[&str]| {
        let answer = memory.run([&["query", "tea", "--json"], words].concat()).exit(0).json();
        texts(&answer).iter().map(|t| (*t).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(&["--by", "claude"]), ["Likes green tea"]);
    assert_eq!(found(&["--source", "chat-7"]), ["Likes green tea"]);
    assert_eq!(found(&["--since", "2026-02-01"]), ["Likes black tea"]);
    assert_eq!(found(&["--until", "2026-01-10"]), ["Likes green tea"]);
    assert_eq!(found(&["--since", "r2"]), ["Likes black tea"]);
    assert_eq!(found(&["--since", "3 weeks"]), ["Likes black tea"]);
    memory.run(["query", "tea", "--since", "2026-02-01"]).exit(0).stdout_contains("1 item of unknown date left out");
    assert_eq!(found(&[]).len(), 3);
}

#[test]
fn links_are_not_followed() {
    let memory = Memory::new().file("facts/a.md", "- apple inside\n");
    let outside = memory.dir().join("../outside.md");
    fs_err::write(&outside, "- apple outside\n").unwrap();
    fs_err::os::unix::fs::symlink(&outside, memory.dir().join("facts/link.md")).unwrap();
    let answer = memory.run(["query", "apple", "--json"]).exit(0).json();
    assert_eq!(texts(&answer), ["apple inside"]);
}

#[test]
fn a_question_that_is_too_long_is_cut_and_says_so() {
    let memory = memory();
    // No vowels, so that no two have one stem.
    let word = |n: usize| format!("{n:04}").bytes().map(|b| char::from(b"bcdfghjklm"[usize::from(b - b'0')])).collect();
    let words = |count: usize| (0..count).map(word).collect::<Vec<String>>().join(" ") + " tabs";
    let whole = memory.run(["query", &words(1000)]).exit(0).quiet();
    assert!(whole.stdout.contains("Prefers tabs"));
    let cut = format!("tabs {}", words(1100));
    memory.run(["query", &cut]).exit(0).stdout_contains("Prefers tabs").stderr_contains("77 words at its end were not");
    let one = format!("tabs {}", words(1024));
    memory.run(["query", &one]).exit(0).stderr_contains("; 1 word at its end was not searched for");
    assert_eq!(memory.run(["query", &cut, "--json"]).exit(0).json()["words_left_out"], 77);
    assert!(memory.run(["query", "tabs", "--json"]).exit(0).json()["words_left_out"].is_null());
}

#[test]
fn a_long_chinese_question_is_searched_to_its_end() {
    let chatter: String = ('\u{5000}'..'\u{50c8}').collect();
    let memory = Memory::new().file("facts/a.md", "- 郑伟对花生过敏\n- 何静住在杭州\n");
    memory.run(["query", &format!("{chatter}花生")]).exit(0).quiet().stdout_contains("郑伟对花生过敏");
}

#[test]
fn a_typing_error_is_explained() {
    let ran = memory().run(["query", "colour of the ferrry", "--explain"]).exit(0).quiet();
    assert!(ran.stdout.contains("ferri for ferrry"), "{ran}");
    assert!(ran.stdout.contains("relevance 0."), "{ran}");
    // What an agent may not see does not stand in for a word either.
    let policy = "version: 1\ncategories:\n  custom:\n    - name: hush\nallowlists:\n  guest: [work]\n";
    let memory =
        Memory::new().file("memdir.yaml", policy).file("facts/a.md", "- [hush] The zeppelin is in the barn\n- x\n");
    memory.run(["query", "zepelin"]).exit(0).stdout_contains("zeppelin");
    let guest = memory.run(["--as", "guest", "query", "zepelin", "--explain"]).exit(0);
    assert!(!guest.stdout.contains("zeppelin") && !guest.stderr.contains("zeppelin"), "{guest}");
}

#[test]
fn what_names_a_file_finds_its_items() {
    let memory = Memory::new()
        .file("facts/billing-service.md", "# Payments\n\n- Written in Go\n- Runs on port 8080\n")
        .file("facts/runbook.md", "# Runbook\n\n- Restart at night\n")
        .file("facts/food.md", "# Food\n\n- Likes: pasta\n")
        .file("facts/user.md", "# User\n\n- Writes down the food that she buys\n- Opens port 22\n")
        .file("procedures/p.md", "---\ntags: [release]\n---\n# Ship the package\n\n1. Build it\n")
        .file("episodes/2026-02.md", "# 2026-02 Episodes\n\n## Move\n- Date: 2026-02-22\n- Lesson: pack early\n");
    let found = |words: &[&str]| {
        let answer = memory.run([&["query", "--json"], words].concat()).exit(0).json();
        texts(&answer).iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(&["billing"]), ["Written in Go", "Runs on port 8080"]);
    assert_eq!(found(&["payments"]), ["Written in Go", "Runs on port 8080"]);
    assert_eq!(found(&["runbook"]), ["Restart at night"]);
    assert_eq!(found(&["which port does billing use"])[0], "Runs on port 8080");
    // A text comes before a name.
    assert_eq!(found(&["food"]), ["Writes down the food that she buys", "Likes: pasta"]);
    assert_eq!(found(&["release", "--category", "procedural"]), ["Build it"]);
    assert!(found(&["episodes"]).is_empty());
    memory.done(["query", "runbook", "--explain"]).stdout_contains("(name) ");
}

#[test]
fn a_name_that_is_a_function_word_is_found_by_its_capital() {
    let people = "# People\n\n- Will sails on Tuesdays\n- Ana will sail when Bo does\n- heard The Who in Leeds\n- the one who sails\n";
    let memory = Memory::new().file("facts/people.md", people);
    let answer = |question: &str| memory.done(["query", question, "--json"]).json();
    assert_eq!(texts(&answer("Will")), ["Will sails on Tuesdays"]);
    assert_eq!(texts(&answer("will")), ["Will sails on Tuesdays"]);
    assert_eq!(texts(&answer("The Who"))[0], "heard The Who in Leeds");
    assert_eq!(texts(&answer("when does Will sail"))[0], "Will sails on Tuesdays");
    assert!(texts(&answer("what is it")).is_empty());
}
