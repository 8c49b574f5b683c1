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

#[test]
fn scopes_tags_and_names_are_completed() {
    let memory = Memory::new()
        .file("memdir.yaml", "version: 1\nallowlists: {bot: [work], doctor: [work, health]}\n")
        .file(
            "facts/user.md",
            "# User\n\n- [health] Prefers tabs #style\n  <!-- mem id=nid -->\n- [work] Tea at ten #office\n",
        )
        .file("scopes/team/facts/user.md", "- Tea\n")
        .file("scopes/Teams/facts/user.md", "- Tea\n")
        .file("scopes/.archived/told/facts/user.md", "- Tea\n");
    memory.run(["add", "user", "Likes rain"]).by("ana").may_change().exit(0);
    memory.run(["add", "user", "Likes snow"]).by("anton").may_change().exit(0);
    let words = |line: &str| {
        let out = memory.run(["__complete", "--"].into_iter().chain(line.split(' '))).exit(0).stdout;
        out.lines().filter_map(|row| Some(row.split('\t').next()?.to_owned())).collect::<Vec<_>>()
    };
    for (line, expected) in [
        ("-S t", &["team"][..]),
        ("list --scope T", &["Teams"]),
        ("scope rm te", &["team"]),
        ("scope add t", &["told"]),
        ("query add -S t", &["team"]),
        ("scope add -S t", &["team"]),
        ("scope --as t", &[]),
        ("add user x --tag s", &["style"]),
        ("query x --tag ", &["office", "style"]),
        ("query x --by an", &["ana", "anton"]),
        ("undo --by ant", &["anton"]),
        ("query x --in us", &["user"]),
        ("query x --in facts/u", &["facts/user"]),
        ("read user@ni", &["user@nid"]),
        ("man durab", &["durability"]),
        ("man bullet-d", &["bullet-del"]),
        ("man __", &[]),
        // The working directory's files are the shell's to complete.
        ("export --to json -o us", &[]),
        // A restricted caller is offered what it may see.
        ("--as bot -S t", &[]),
        ("--as bot query x --tag ", &["office"]),
        ("--as bot scope rm t", &[]),
        ("-S team scope rm t", &[]),
    ] {
        assert_eq!(words(line), expected, "{line}");
    }
}
