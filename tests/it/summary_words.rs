//! The words of a bullet that was corrected, removed or forgotten leave the summary line with it, whatever this machine's
//! history knows of the line; words of a person that stood in no bullet stay.

use crate::support::{Memory, handle};

const KEY: &str = "Key: hunter7zulu";
const BAZEL: &str = "Uses Bazel";

/// A memory whose file `team` has this summary line above three bullets, with no history: as in a clone.
fn cloned(line: &str) -> Memory {
    Memory::new().file("facts/team.md", &format!("# Team\n\n> Summary: {line}\n\n- {KEY}\n- {BAZEL}\n- Likes tea\n"))
}

fn at(file: &str, text: &str) -> String {
    format!("{file}@{}", handle(text))
}

fn summary(memory: &Memory, path: &str) -> String {
    let text = memory.text(path).unwrap();
    text.lines().find_map(|line| line.strip_prefix("> Summary: ")).unwrap_or_default().to_owned()
}

/// Every file below the data directory that has this word, the machine's state too.
fn holders(memory: &Memory, word: &str) -> Vec<String> {
    let all = walkdir::WalkDir::new(memory.dir()).into_iter().map(Result::unwrap).filter(|e| e.file_type().is_file());
    let has = |e: &walkdir::DirEntry| memchr::memmem::find(&fs_err::read(e.path()).unwrap(), word.as_bytes()).is_some();
    all.filter(has).map(|e| e.path().display().to_string()).collect()
}

#[test]
fn in_a_clone_a_corrected_word_leaves_and_a_persons_stays() {
    let memory = cloned("hunter7zulu, bazel, tea, my words");
    memory.run(["update", &at("team", BAZEL), "Uses Cargo"]).exit(0).diff(
        "M facts/team.md\n\
         -> Summary: hunter7zulu, bazel, tea, my words\n\
         +> Summary: hunter7zulu, tea, my words\n\
         -- Uses Bazel\n\
         +- Uses Cargo\n",
    );
    memory.run(["rm", &at("team", KEY)]).exit(0);
    assert_eq!(summary(&memory, "facts/team.md"), "tea, my words");
}

#[test]
fn in_a_clone_a_forgotten_word_is_nowhere() {
    let memory = cloned("hunter7zulu, bazel, tea");
    let run = memory.run(["rm", "--forget", &at("team", KEY)]).exit(0);
    assert_eq!(holders(&memory, "hunter7zulu"), [""; 0], "{run}");
    assert!(!run.stderr.contains("summary line"), "{run}");
}

#[test]
fn of_a_persons_sentence_with_forgotten_words_a_warning_says_so() {
    let memory = cloned("The key of the team, hunter7zulu, and what it drinks.");
    let run = memory.run(["rm", "--forget", &at("team", KEY)]).exit(0);
    run.stderr_contains("the summary line of facts/team.md still has words of the text");
    assert!(summary(&memory, "facts/team.md").starts_with("The key of the team"), "a sentence stays as it is");
    memory.run(["set", "team", "summary=What the team drinks"]).exit(0);
    let run = memory.run(["rm", "--forget", &at("team", BAZEL)]).exit(0);
    assert!(!run.stderr.contains("summary line"), "{run}");
}

#[test]
fn after_much_other_history_old_words_leave() {
    let memory = Memory::new();
    memory.done(["add", "team", KEY, BAZEL, "Likes tea"]);
    let row =
        |n| serde_json::json!({"op": "add", "at": format!("f{}", n % 7), "text": format!("filler number {n} of many")});
    let rows: String = (0..900).map(|n| format!("{}\n", row(n))).collect();
    memory.run(["apply", "-q", "-"]).stdin(rows).exit(0);
    memory.done(["update", &at("team", BAZEL), "Uses Cargo"]);
    memory.done(["rm", "--forget", &at("team", KEY)]);
    assert_eq!(summary(&memory, "facts/team.md"), "tea");
    assert_eq!(holders(&memory, "hunter7zulu"), [""; 0]);
}

#[test]
fn after_a_move_of_the_file_old_words_leave() {
    let memory = Memory::new();
    memory.done(["add", "team", KEY, BAZEL, "Likes tea"]);
    memory.done(["mv", "team", "crew"]);
    memory.done(["rm", "--forget", &at("crew", KEY)]);
    memory.done(["update", &at("crew", BAZEL), "Uses Cargo"]);
    let line = summary(&memory, "facts/crew.md");
    assert!(!line.contains("bazel") && !line.contains("hunter7zulu") && line.contains("tea"), "{line}");
}

#[test]
fn a_written_file_without_a_summary_line_gets_one() {
    let memory = Memory::new();
    memory.done(["add", "user", "Name: Ana", "--create"]);
    memory.run(["write", "user", "-f"]).stdin("# User\n\n- Home: Oslo\n- Work: remote\n- Pet: cat\n").exit(0);
    let text = memory.text("facts/user.md").unwrap();
    assert!(text.contains("\n> Summary: home, work, pet\n"), "{text}");
    // A line in the new text stays as it is.
    memory.run(["write", "user", "-f"]).stdin("# User\n\n> Summary: mine\n\n- Home: Rome\n").exit(0);
    assert!(memory.text("facts/user.md").unwrap().contains("\n> Summary: mine\n"));
}

#[test]
fn the_id_of_a_block_is_no_word_of_the_summary() {
    let memory = Memory::new().file("facts/user.md", "User Profile: (ID: mem123)\n\n- Vegan\n");
    memory.done(["add", "user#mem123", "Lives in Oslo"]);
    let text = memory.text("facts/user.md").unwrap();
    let summary = text.lines().find(|l| l.starts_with("> Summary:")).unwrap();
    assert!(summary.contains("user profile") && !summary.contains("mem123") && !summary.contains("id,"), "{text}");
}

#[test]
fn a_summary_stands_below_a_title_that_ends_with_a_carriage_return_alone() {
    let memory = Memory::new().file("facts/user.md", "# User\r\r- Likes tea\r- Lives in Austin\r");
    memory.done(["add", "user", "Plays chess"]);
    let text = memory.text("facts/user.md").unwrap();
    let (above, below) = text.split_once("> Summary: ").unwrap();
    assert_eq!(above, "# User\r\r", "{text:?}");
    assert!(below.ends_with("\r- Likes tea\r- Lives in Austin\r- Plays chess\n"), "{text:?}");
}

#[test]
fn after_undo_and_redo_old_words_leave() {
    for steps in [&["undo"][..], &["undo", "redo", "undo"]] {
        let memory = Memory::new();
        memory.done(["add", "team", BAZEL, "Likes tea"]);
        memory.done(["update", &at("team", BAZEL), "Uses Cargo"]);
        steps.iter().for_each(|step| _ = memory.done([*step]));
        memory.done(["update", &at("team", BAZEL), "Uses Make"]);
        let line = summary(&memory, "facts/team.md");
        assert!(!line.contains("bazel") && !line.contains("cargo") && line.contains("tea"), "{steps:?} {line}");
    }
    let memory = Memory::new();
    memory.done(["add", "team", "Lead: Alice", KEY]);
    memory.done(["rm", &at("team", KEY)]);
    memory.done(["undo"]);
    memory.done(["rm", "--forget", &at("team", KEY)]);
    assert_eq!(holders(&memory, "hunter7zulu"), [""; 0]);
}

/// The bullet has left, and a person's sentence there still tells of it.
#[test]
fn of_a_sentence_in_the_file_in_which_a_forgotten_text_was_before_a_warning_says_so() {
    let memory = Memory::new();
    memory.done(["add", "work", "Zoloft every morning"]);
    memory.done(["set", "work", "summary=What I take: Zoloft and tea."]);
    memory.done(["mv", &at("work", "Zoloft every morning"), "trip"]);
    let run = memory.run(["rm", "--forget", &at("trip", "Zoloft every morning")]).exit(0);
    run.stderr_contains("the summary line of facts/work.md still has words of the text");
}
