//! Completion: what `memdir __complete` prints for the last word, as the scripts of the shells call it.

use crate::support::Memory;

const USER: &str = "# User\n\n- Prefers tabs\n\n## Work\n\n- Standup at ten\n";

/// Checks the candidates of a line, without their descriptions.
#[track_caller]
fn check(line: &str, candidates: &[&str]) {
    let memory = Memory::new().file("facts/user.md", USER).file("facts/tools.md", "# Tools\n\n- ripgrep\n");
    let out = memory.run(["__complete", "--"].into_iter().chain(line.split(' '))).exit(0).stdout;
    let words: Vec<&str> = out.lines().filter_map(|row| row.split('\t').next()).collect();
    assert_eq!(words, candidates, "{line}");
}

#[test]
fn the_value_of_an_option_does_not_stop_completion() {
    for line in ["list -L 5 us", "list --limit 5 us", "list -L5 us", "add --imp 5 us", "add -m why us", "--as x log us"]
    {
        check(line, &["user.md"]);
    }
    for line in ["bullet add us", "bullet rm us", "cat us", "-C memory read us", "check -n us", "read -- us"] {
        check(line, &["user.md"]);
    }
    check("reflect --into us", &["user.md"]);
}

#[test]
fn sections_and_bullets_are_completed_inside_a_file() {
    check("read user#", &["user#work"]);
    check("list -L 5 user#w", &["user#work"]);
    check("read user@", &["user@acvh", "user@ybq3"]);
}

#[test]
fn what_is_no_address_has_no_candidates() {
    for line in ["list -L us", "add user us", "add -F us", "query us", "set user us", "reflect us", "check --since us"]
    {
        check(line, &[]);
    }
}

#[test]
fn help_is_completed_with_commands() {
    check("help a", &["add", "append", "apply"]);
    check("help bullet d", &["del"]);
    check("help nothing a", &[]);
}
