//! Completion: what `memdir __complete` prints for the last word, as the scripts of the shells call it.

use crate::support::{Memory, ProgramOutput, clean_command, program};

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
        .file("facts/home.md", "---\ntags: [House, garden]\n---\n# Home\n\n- Two rooms\n")
        .file("facts/ward.md", "---\ntags: [health, ward]\n---\n# Ward\n\n- Second floor\n")
        .file("procedures/release.md", "---\ntags: shipping\n---\n# Release\n\n1. Tag it\n")
        .file("archive/facts/user.md", "# User\n\n- Gone #old\n")
        .file("scopes/team/facts/user.md", "- Tea #sencha\n")
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
        ("add user x --tag s", &["shipping", "style"]),
        ("query x --tag ", &["garden", "health", "house", "office", "shipping", "style", "ward"]),
        // A value in the word of its option is completed with the option.
        ("query x --tag=s", &["--tag=shipping", "--tag=style"]),
        ("add user x --tag=h", &["--tag=health", "--tag=house"]),
        ("--scope=te", &["--scope=team"]),
        ("-Ste", &["-Steam"]),
        // As zsh asks for `-S`; it completes the option itself, too.
        ("-S", &["-STeams", "-Steam"]),
        ("rm -nS=te", &["-nS=team"]),
        ("scope add -St", &["-Steam"]),
        ("query x --in=us", &["--in=user"]),
        ("-Steam query x --tag ", &["sencha"]),
        ("query --colour=us", &[]),
        ("query -- --tag=s", &[]),
        ("query --by --tag=s", &[]),
        ("query -us", &[]),
        // All scopes have the values of each.
        ("-S * query x --tag s", &["sencha", "shipping", "style"]),
        ("query x -S* --in us", &["user"]),
        ("-S * list us", &[]),
        // Who may call: who wrote, and the agents of the policy.
        ("--as ", &["ana", "anton", "bot", "doctor"]),
        ("--as=d", &["--as=doctor"]),
        ("query x --by d", &[]),
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
        ("--as bot query x --tag ", &["garden", "house", "office", "shipping"]),
        ("--as bot -S * query x --tag s", &["sencha", "shipping"]),
        ("--as bot --as ", &["ana", "anton"]),
        ("--as bot scope rm t", &[]),
        ("-S team scope rm t", &[]),
    ] {
        assert_eq!(words(line), expected, "{line}");
    }
}

#[test]
fn bash_completes_values_behind_an_option_and_a_quoted_star() {
    let memory = Memory::new()
        .file("facts/user.md", "# User\n\n## Work\n\n- Tea at ten #office\n")
        .file("scopes/team/facts/user.md", "- Tea #orders\n");
    // What bash sets when it completes the last word; it splits words at '='.
    let completed = |words: &[&str], line: &str| {
        let script = "eval \"$(memdir completions bash)\"; COMP_LINE=$1 COMP_POINT=${#1}; shift\n\
                      COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n\
                      _memdir_dynamic memdir \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"\n\
                      printf '%s\\n' \"${COMPREPLY[@]}\"";
        let mut bash = clean_command("bash", memory.dir().parent().unwrap());
        let path = format!("{}:{}", program().parent().unwrap().display(), std::env::var("PATH").unwrap());
        bash.env("PATH", path).env("MEMDIR", memory.dir()).env("MEMDIR_AS", "tester");
        ProgramOutput::of(bash.args(["-c", script, "bash", line]).args(words)).exit(0).stdout
    };
    assert_eq!(completed(&["memdir", "query", "--tag", "o"], "memdir query --tag o"), "office\n");
    assert_eq!(completed(&["memdir", "query", "--tag", "=", "o"], "memdir query --tag=o"), "office\n");
    assert_eq!(completed(&["memdir", "query", "--tag", "="], "memdir query --tag="), "office\n");
    assert_eq!(completed(&["memdir", "-St"], "memdir -St"), "-Steam\n");
    let words = ["memdir", "-S", "'*'", "query", "a b", "--tag", "o"];
    assert_eq!(completed(&words, "memdir -S '*' query \"a b\" --tag o"), "office\norders\n");
    assert_eq!(completed(&words, "memdir -S \\* query a\\ b --tag o"), "office\norders\n");
    assert_eq!(completed(&["memdir", "read", "'user#w"], "memdir read 'user#w"), "user#work\n");
}
