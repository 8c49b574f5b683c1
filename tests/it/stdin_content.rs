//! Content from stdin: never cut into pieces. Lines, code blocks and lists become the bullets that they are; a text that
//! cannot is refused with the reason.

use crate::support::{Memory, handle};

const P: &str = "procedures/p.md";
const TEXT: &str = "# P\n\n- Prefers tabs\n  <!-- mem imp=7 -->\n  - nested\n- Lives in Austin\n";

fn memory() -> Memory {
    Memory::new().file(P, TEXT)
}

/// Adds content, which must append these lines.
#[track_caller]
fn adds(content: &str, lines: &str) {
    let memory = memory();
    let added: String = lines.lines().map(|line| format!("+{line}\n")).collect();
    memory.run(["add", P, "-"]).stdin(content).exit(0).diff(&format!("M {P}\n{added}"));
    // Adding it again changes nothing: it is read back as what it was.
    memory.run(["add", P, "-"]).stdin(content).exit(0).unchanged();
}

#[test]
fn plain_lines_are_one_bullet() {
    adds("one\ntwo\nthree\n", "- one\n  two\n  three\n");
    adds("  one\n  two\n", "- one\n  two\n");
    adds("one\n\ntwo\nthree\n", "- one\n\n  two\n  three\n");
    adds("one\r\ntwo\r\n", "- one\n  two\n");
    adds("$HOME, `ls`, \"a\" and 'b'\n  <b>bold</b> & more", "- $HOME, `ls`, \"a\" and 'b'\n    <b>bold</b> & more\n");
}

#[test]
fn a_code_block_belongs_to_its_bullet() {
    let block = "```sh\n- no bullet\n\n# no heading\nmake \"$X\"\n```\n";
    let inside = "  ```sh\n  - no bullet\n\n  # no heading\n  make \"$X\"\n  ```\n";
    adds(&format!("Run this:\n{block}"), &format!("- Run this:\n{inside}"));
    adds(&format!("- Run this:\n{block}- then that\n"), &format!("- Run this:\n{inside}- then that\n"));
    adds(&format!("- Run this:\n{inside}"), &format!("- Run this:\n{inside}"));
    adds(&format!("Run this:\n\n{block}\nand wait\n"), &format!("- Run this:\n\n{inside}\n  and wait\n"));
}

#[test]
fn other_lines_below_a_known_text_are_not_dropped() {
    let memory = memory();
    memory.run(["add", P, "-"]).stdin("Run:\n```\nmake a\n```\n").exit(0);
    memory.run(["add", P, "-"]).stdin("Run:\n```\nmake b\n```\n").exit(4).stderr_contains("other lines below it");
    memory.run(["add", P, "Run:"]).exit(0).unchanged();
}

#[test]
fn a_list_is_one_bullet_an_item() {
    adds("- one\n- two\n  more\n  - child\n    - deep\n", "- one\n- two\n  more\n  - child\n    - deep\n");
    adds("1. one\n2. two\n", "- one\n- two\n");
    adds("2019. A good year\n", "- 2019\\. A good year\n");
    adds("# 12 is urgent\n", "- \\# 12 is urgent\n");
}

#[test]
fn what_cannot_be_bullets_is_refused_with_the_reason() {
    for (content, reason) in [
        ("Intro:\n- a\n- b\n", "line 1 is a paragraph"),
        ("- a\n\nOutro.\n", "line 3 is a paragraph"),
        ("# Title\n\ntext\n", "line 1 is a heading"),
        ("text\n\n## More\n", "line 3 is a heading"),
        ("```\ncode\n```\n", "starts with a code block"),
        ("> a\n> b\n", "starts with a block quote"),
        ("---\na: b\n---\ntext\n", "front matter"),
        ("- <!-- a -->\n", "line 1 does not start with plain text"),
    ] {
        memory().run(["add", P, "-"]).stdin(content).exit(2).stderr_contains(reason);
    }
    memory().run(["add", P, "-", "more"]).stdin("a\n").exit(2);
}

#[test]
fn an_update_of_several_lines_keeps_what_is_below_unless_it_brings_its_own() {
    let address = format!("{P}@{}", handle("Prefers tabs"));
    let update = |content: &str| {
        let memory = memory();
        memory.run(["update", &address, "-"]).stdin(content).exit(0);
        let text = memory.text(P).unwrap();
        memory.run(["undo"]).exit(0);
        assert_eq!(memory.text(P).unwrap(), TEXT);
        text
    };
    let with = |bullet: &str| format!("# P\n\n{bullet}- Lives in Austin\n");
    assert_eq!(
        update("Prefers spaces,\nfour\n"),
        with("- Prefers spaces,\n  four\n  <!-- mem imp=7 -->\n  - nested\n")
    );
    assert_eq!(update("- Prefers spaces\n"), with("- Prefers spaces\n  <!-- mem imp=7 -->\n  - nested\n"));
    assert_eq!(
        update("Prefers:\n```\nx\n```\n"),
        with("- Prefers:\n  <!-- mem imp=7 -->\n  ```\n  x\n  ```\n"),
        "its metadata stays"
    );
    assert_eq!(update("- Prefers\n  both\n  - a\n"), with("- Prefers\n  both\n  <!-- mem imp=7 -->\n  - a\n"));
    let memory = memory();
    memory.run(["update", &address, "-"]).stdin("- a\n- b\n").exit(2).stderr_contains("2 list items");
    memory.run(["update", &address, "-"]).stdin("Prefers tabs\n- nested\n").exit(2).stderr_contains("mixes a list");
    memory.run(["update", &address, "-"]).stdin("- Prefers tabs\n  - nested\n").exit(0).unchanged();
}

#[test]
fn operations_carry_several_lines_as_indented_ones() {
    let memory = memory();
    let operations = r#"[{"op":"add","at":"procedures/p","text":"one\n  two\n  - child"},
        {"op":"update","at":"procedures/p","old":"Lives in Austin","text":"Lives in\n  Lisbon\n\n  since May"}]"#;
    memory.run(["apply", "-"]).stdin(operations).exit(0).diff(&format!(
        "M {P}\n-- Lives in Austin\n+- Lives in\n+  Lisbon\n+\n+  since May\n+- one\n+  two\n+  - child\n"
    ));
    let again = memory.run(["apply", "-"]).stdin(operations).ends();
    assert!(again.difference.is_empty(), "{again}");
}

#[test]
fn a_moved_bullet_keeps_its_lines() {
    let text = "# P\n\n- one\n  two\n\n  three\n- four\n";
    let memory = Memory::new().file(P, text);
    memory.done(["mv", &format!("{P}@{}", handle("one two")), "procedures/q"]);
    assert_eq!(memory.text("procedures/q.md").unwrap(), "# Q\n\n- one\n  two\n\n  three\n");
}

#[test]
fn the_history_can_be_printed_in_gits_terms() {
    let memory = memory();
    memory.done(["add", P, "a", "-m", "why"]);
    memory.done(["add", P, "b"]);
    memory.done(["log", "-n", "1", "--oneline"]).stdout(&format!("r2 add; {P}\n"));
    memory.done(["log", "--max-count", "1", "--oneline"]).stdout(&format!("r2 add; {P}\n"));
    memory.done(["history", "--oneline"]).stdout(&format!("r2 add; {P}\nr1 add; {P}\n"));
    for (verb, rest) in [("remember", "c"), ("get", ""), ("view", ""), ("recall", "tabs")] {
        let words = [verb, if verb == "recall" { "tabs" } else { P }, rest];
        memory.done(words.into_iter().filter(|word| !word.is_empty()));
    }
}
