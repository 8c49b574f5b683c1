//! Text that a host inserted into a user's message is no evidence, whatever its form; what memdir prints is none, either.

use std::path::Path;

use fs_err as fs;
use memdir::reflect::guards::find_evidence;
use memdir::transcript::{Role, Turn, read};
use serde_json::json;

use crate::support::{Memory, handle};

/// The turns of a conversation with one user message.
fn turns_of(message: &str) -> Vec<Turn> {
    let line = json!({"role": "user", "content": message}).to_string();
    read(format!("{line}\n").as_bytes()).map_or(Vec::new(), |mut all| all.swap_remove(0).turns)
}

/// What counts as typed by the user.
fn typed(message: &str) -> String {
    let own = |turn: &&Turn| turn.role == Role::User && !turn.injected;
    turns_of(message).iter().filter(own).map(|turn| turn.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The forms of a fixture: name and text, separated by lines `=== NAME`.
fn forms(file: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/injection").join(file);
    let text = fs::read_to_string(path).unwrap();
    let split = |form: &str| {
        let (name, body) = form.split_once('\n').unwrap();
        (name.trim().to_owned(), body.trim_matches('\n').to_owned())
    };
    text.split("=== ").skip(1).map(split).collect()
}

#[test]
fn no_form_of_inserted_text_is_user_evidence() {
    let forms = forms("forms.txt");
    assert!(forms.len() >= 60, "{}", forms.len());
    let mut wrong = Vec::new();
    for (name, form) in &forms {
        // Alone, before what the user typed, and after it.
        for message in
            [form.clone(), format!("{form}\n\nPlease fix the login."), format!("Please fix the login.\n\n{form}")]
        {
            if ["Reykjavik", "雷克雅未克"].iter().any(|city| typed(&message).contains(city)) {
                wrong.push(format!("{name}: {:?}", typed(&message)));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), forms.len(), wrong.join("\n"));
}

#[test]
fn what_only_looks_inserted_is_evidence() {
    let mut wrong = Vec::new();
    for (name, form) in forms("typed.txt") {
        if !["Reykjavik", "雷克雅未克"].iter().any(|city| typed(&form).contains(city)) {
            wrong.push(format!("{name}: {:?}", typed(&form)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Messages of people that paste, as others wrote them: whether the marked words count as the author's. The rules were
/// tuned on these, so what they show is that nothing got worse.
#[test]
fn pasted_passages_are_distinguished_from_the_authors_words() {
    let files = [
        ("pasted.en.txt", 30, 0),
        ("pasted.zh.txt", 30, 0),
        ("pasted_third.en.txt", 21, 1),
        ("pasted_third.zh.txt", 19, 1),
        ("pasted_tools.en.txt", 18, 1),
        ("pasted_tools.zh.txt", 10, 0),
        ("pasted_prose.en.txt", 27, 1),
        ("pasted_prose.zh.txt", 27, 0),
        ("pasted_prose_second.en.txt", 9, 1),
        ("pasted_prose_second.zh.txt", 9, 1),
        ("pasted_line.en.txt", 16, 0),
        ("pasted_line.zh.txt", 12, 0),
        ("pasted_asides.en.txt", 3, 1),
        ("pasted_asides.zh.txt", 2, 0),
        ("pasted_fourth.en.txt", 11, 2),
        ("pasted_fourth.zh.txt", 12, 1),
        ("pasted_ninth.en.txt", 7, 1),
        ("pasted_ninth.zh.txt", 8, 1),
        ("pasted_tenth.en.txt", 8, 0),
        ("pasted_tenth.zh.txt", 8, 0),
        // No rule was written for these.
        ("pasted_tenth_judged.en.txt", 8, 0),
        ("pasted_tenth_judged.zh.txt", 7, 0),
        ("pasted_ninth_judged.en.txt", 5, 1),
        ("pasted_ninth_judged.zh.txt", 8, 2),
        ("pasted_fourth_judged.en.txt", 8, 1),
        ("pasted_fourth_judged.zh.txt", 8, 1),
        ("pasted_tools_judged.en.txt", 15, 1),
        ("pasted_tools_judged.zh.txt", 8, 0),
        ("pasted_prose_judged.en.txt", 12, 0),
        ("pasted_prose_judged.zh.txt", 12, 0),
        ("pasted_line_judged.en.txt", 10, 1),
        ("pasted_line_judged.zh.txt", 7, 0),
        ("pasted_asides_judged.en.txt", 2, 0),
        ("pasted_asides_judged.zh.txt", 1, 0),
    ];
    let mut report = String::new();
    for (file, least, most_wrong) in files {
        let (mut hits, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
        for (name, form) in forms(file) {
            let (start, end) = (form.find('⟦').unwrap() + '⟦'.len_utf8(), form.find('⟧').unwrap());
            let quote = &form[start..end];
            let turns = turns_of(&form.replace(['⟦', '⟧'], ""));
            let is_own = find_evidence(quote, None, &turns, &[]).is_ok();
            match (name.starts_with('+'), is_own) {
                (true, true) => missed.push(name),
                (false, false) => wrong.push(name),
                (is_pasted, _) => hits += usize::from(is_pasted),
            }
        }
        if hits < least || missed.len() > most_wrong || wrong.len() > most_wrong {
            report += &format!("{file}: {hits} found, missed {missed:#?} wrong {wrong:#?}\n");
        }
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn what_memdir_prints_is_no_evidence_in_any_form() {
    const CITY: &str = "City: Reykjavik";
    const EDITOR: &str = "Prefers the Reykjavik keyboard layout";
    const OLD: &str = "Moved to Reykjavik from Oslo";
    let note = "# Travel\n\n> Summary: ferry\n\nThe ferry to Reykjavik leaves on Tuesdays.\n\n| day | port |\n| --- | --- |\n| Tue | Reykjavik |\n";
    let entry = "# 2026-02 Episodes\n\n## Trip to Reykjavik\n- Date: 2026-02-11\n- Summary: Reykjavik by ferry\n\nThe crossing to Reykjavik took three days.\n";
    let memory = Memory::new()
        .file("facts/user.md", &format!("# User\n\n- {CITY}\n- {EDITOR}\n"))
        .file("facts/travel.md", note)
        .file("episodes/2026-02.md", entry);
    memory.done(["add", "facts/user.md", OLD]);
    memory.done([
        "update",
        &format!("facts/user.md@{}", handle(EDITOR)),
        "Prefers the Reykjavik layout",
        "-m",
        "Reykjavik",
    ]);
    let at = format!("facts/user.md@{}", handle(CITY));
    memory.done(["rm", &format!("facts/user.md@{}", handle(OLD))]);
    let known: Vec<String> = [CITY, "Prefers the Reykjavik layout"].map(String::from).to_vec();
    let mut wrong = Vec::new();
    let commands: [&[&str]; 30] = [
        &["list"],
        &["list", "user"],
        &["list", "travel"],
        &["list", "2026-02"],
        &["read", "user"],
        &["read", &at],
        &["read", "travel"],
        &["read", "2026-02"],
        &["read", "2026-02#trip-to-reykjavik"],
        &["read", "user#user"],
        &["query", "Reykjavik"],
        &["query", "Reykjavik", "--full"],
        &["query", "Reykjavik", "--explain"],
        &["query", "ferry", "--full"],
        &["query", "Reykjavik", "-b", "40"],
        &["context"],
        &["context", "--style", "index"],
        &["context", "--style", "records"],
        &["log"],
        &["log", "user"],
        &["log", &at],
        &["show", "r1"],
        &["show", "r2"],
        &["diff"],
        &["diff", "r1"],
        &["status"],
        &["check"],
        &["undo", "-n"],
        &["rm", &at, "-n"],
        &["update", &at, "City: Bergen", "-n"],
    ];
    for command in commands {
        for json in [false, true] {
            let words = command.iter().copied().chain(json.then_some("--json"));
            let ran = memory.run(words).may_change().ends();
            for printed in [&ran.stdout, &ran.stderr] {
                for message in [
                    printed.clone(),
                    format!("Please fix the login.\n{printed}"),
                    format!("{printed}\n\nPlease fix it."),
                ] {
                    let turns = turns_of(&message);
                    for line in printed.lines().filter(|line| line.contains("Reykjavik")) {
                        let from = line.find("Reykjavik").unwrap();
                        let start = line[..from].rfind(['@', ')', ':', '"', '-', '|']).map_or(0, |at| at + 1);
                        for quote in [line, line[start..].trim(), CITY, "Reykjavik"] {
                            let found = find_evidence(quote, None, &turns, &known);
                            if found.is_ok() {
                                wrong.push(format!("{command:?} json={json}: {quote:?}"));
                            }
                        }
                    }
                }
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
