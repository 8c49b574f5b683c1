//! What reaches a terminal: no raw control, bidi or escape character of a memory; colours only where wanted; no prompts.
//!
//! Uses a pseudo-terminal of its own, so that it holds with and without one around the tests.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::corpus;
use crate::support::test_dir::TestDirectory;

const LIMIT: Duration = Duration::from_secs(10);

/// Runs a command with stdin, stdout and stderr on a terminal; answers its exit status and what the terminal got.
#[track_caller]
fn on_terminal(command: Command) -> (i32, String) {
    on_sized_terminal(command, None)
}

/// The same on a terminal with so many rows and columns; one without a size has neither columns nor a pager.
#[track_caller]
fn on_sized_terminal(mut command: Command, size: Option<(u16, u16)>) -> (i32, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).expect("granted");
    unlockpt(&master).expect("unlocked");
    if let Some((ws_row, ws_col)) = size {
        let size = Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("a size");
    }
    let name = ptsname(&master, Vec::new()).expect("its name");
    let open = || -> Stdio {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        OwnedFd::from(File::from(rustix::fs::open(&*name, flags, Mode::empty()).expect("its other end"))).into()
    };
    let mut child = command.stdin(open()).stdout(open()).stderr(open()).spawn().expect("it starts");
    drop(command);
    let (result, answer) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut master, mut bytes, mut block) = (File::from(master), Vec::new(), [0; 4096]);
        // The end of a terminal is an error (EIO).
        while let Ok(n @ 1..) = master.read(&mut block) {
            bytes.extend_from_slice(&block[..n]);
        }
        drop(result.send(bytes));
    });
    let Ok(bytes) = answer.recv_timeout(LIMIT) else {
        drop(child.kill());
        panic!("it waits for the terminal");
    };
    let status = child.wait().expect("it ended");
    (status.code().unwrap_or(-1), String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
}

/// A memory whose every text is hostile to terminals.
fn hostile() -> TestDirectory {
    let bullets: Vec<String> = corpus::texts()
        .into_iter()
        .filter(|t| !t.contains(['\0', '\n', '\r']) && t.len() < 2_000 && !is_harmless(t))
        .map(|t| format!("- {}\n", t.trim()))
        .collect();
    assert!(bullets.len() > 10, "only {} texts would be shown differently", bullets.len());
    let own = "- \x1b[31mred\x1b[0m \x07bell\n- \u{9b}2J\n- a\u{202e}b\n- \x1b]0;title\x07\n- back\x08\x08space\n";
    let text = format!(
        "# T \x1b[1m\n\n> Summary: \x1b[2J, \u{202e}x\n\n{own}{}\n## S\x1b[3m \u{202e}\n\n- deep\x1bc\n",
        bullets.concat()
    );
    TestDirectory::new(&[("facts/evil.md", &text), ("facts/user.md", "# User\n\n- Prefers tabs\n")])
}

fn is_harmless(text: &str) -> bool {
    text.chars().all(|c| !is_raw(c))
}

/// Characters that a terminal obeys, or that hide or turn what follows.
fn is_raw(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn no_control_character_reaches_a_terminal() {
    let directory = hostile();
    let name = "- \x1b[31mred\u{202e}\n";
    directory.put("facts/od\x1b[31md\u{202e}.md", name.as_bytes());
    let red = "a \x1b[31mtext\u{202e}";
    let lines: [&[&str]; 22] = [
        &["list"],
        &["list", "evil"],
        &["list", "evil#s"],
        &["bullet", "list", "evil"],
        &["read", "evil"],
        &["read", "evil@1"],
        &["read", "-v", "evil"],
        &["status"],
        &["check"],
        &["add", "-n", "evil", "x"],
        &["add", "evil", red],
        &["add", "user", "tab\there"],
        &["update", "evil", red, "x"],
        &["rm", red],
        &["rm", "evil@1"],
        &["rm", "-f", "evil@1"],
        &["log", "-p"],
        &["log", red],
        &["show", "r2"],
        &["diff", "r1"],
        &["diff", "r1", "--bullets"],
        &["undo"],
    ];
    for line in lines {
        for extra in [&["--color", "never"][..], &["--color", "never", "--json"]] {
            let mut command = directory.command(&[extra, line].concat());
            command.env("TERM", "xterm-256color");
            let (code, shown) = on_terminal(command);
            let raw = shown.chars().find(|c| is_raw(*c));
            assert!((0..=7).contains(&code), "{line:?}: {code} {shown}");
            assert_eq!(raw, None, "{extra:?} {line:?} shows it raw: {shown:?}");
            assert!(!shown.contains("panicked"), "{line:?}: {shown}");
        }
    }
}

#[test]
fn a_pipe_gets_a_file_as_it_is_and_lists_without_escapes() {
    let directory = hostile();
    assert_eq!(directory.run(&["read", "evil"]).stdout, directory.text("facts/evil.md"));
    let listed = directory.run(&["list", "evil"]).stdout;
    assert_eq!(listed.chars().find(|c| c.is_control() && *c != '\n'), None, "{listed:?}");
}

#[test]
fn colours_are_used_on_request_and_on_terminals_that_support_them() {
    let directory = TestDirectory::new(&[("facts/user.md", "# User\n\n- Prefers tabs\n\n## Work\n\n- a\n")]);
    let shown = |when: Option<&str>, environment: &[(&str, &str)], terminal: bool| {
        let mut all = false;
        for line in [&["list"][..], &["list", "user"], &["add", "-n", "user", "x"], &["read", "nowhere"]] {
            let color: Vec<&str> = when.iter().flat_map(|w| ["--color", w]).collect();
            let mut command = directory.command(&[&color, line].concat());
            command.envs(environment.iter().copied());
            let out = if terminal {
                on_terminal(command).1
            } else {
                String::from_utf8_lossy(&command.output().expect("it ran").stdout).into_owned()
            };
            all |= out.contains("\x1b[");
        }
        all
    };
    let xterm = ("TERM", "xterm");
    assert!(shown(Some("always"), &[], false), "--color always colours in a pipe");
    assert!(!shown(Some("never"), &[xterm], true), "--color never does not");
    assert!(!shown(None, &[xterm], false), "a pipe gets none");
    assert!(shown(None, &[xterm], true), "a terminal gets some");
    assert!(!shown(None, &[xterm, ("NO_COLOR", "1")], true), "NO_COLOR");
    assert!(shown(None, &[xterm, ("NO_COLOR", "")], true), "an empty NO_COLOR means nothing");
    assert!(!shown(None, &[("TERM", "dumb")], true), "TERM=dumb");
    assert!(shown(Some("always"), &[("NO_COLOR", "1")], false), "the flag wins");
}

#[test]
fn append_opens_the_editor_on_a_terminal() {
    let directory = TestDirectory::new(&[("facts/user.md", "# User\n\n- Prefers tabs\n")]);
    let append = |line: &[&str], editor: &str| {
        let mut command = directory.command(line);
        command.env_remove("VISUAL").env("EDITOR", editor).env("TMPDIR", directory.root());
        on_terminal(command)
    };
    let writes = "printf '## Fix\\n- Lesson: flush\\n' >";
    let (code, shown) = append(&["append"], writes);
    assert_eq!(code, 0, "{shown}");
    assert!(directory.files().values().any(|text| String::from_utf8_lossy(text).contains("## Fix\n- Lesson: flush\n")));
    let (code, shown) = append(&["append", "user"], "echo '- Likes tea' >");
    assert_eq!((code, directory.bullets("facts/user.md").len()), (0, 2), "{shown}");
    let (code, shown) = append(&["append", "facts/../x"], writes);
    assert!(code != 0 && shown.contains("your text is kept in"), "{code} {shown}");
    assert_eq!(append(&["append"], "true").0, 2, "nothing was written");
    assert_eq!(append(&["append", "-"], writes).0, 2, "- is stdin");
    assert_eq!(append(&["append"], "").0, 2, "no editor");
}

#[test]
fn nothing_waits_for_a_terminal() {
    let directory = TestDirectory::new(&[("facts/user.md", "# User\n\n- Prefers tabs\n")]);
    for (line, wanted) in [
        (&["add", "user"][..], 2),
        (&["write", "new"], 2),
        (&["append"], 2),
        (&["patch", "user"], 2),
        (&["apply"], 2),
        (&["add", "user", "-F", "-"], 2),
        (&["rm", "user"], 4),
        (&["write", "user", "-F", "memory/memdir.yaml"], 4),
        (&["undo"], 0),
        (&["edit", "user"], 0),
        (&["check", "--fix"], 0),
        (&["add", "usr", "x"], 3),
    ] {
        let (code, shown) = on_terminal(directory.command(line));
        assert_eq!(code, wanted, "{line:?}: {shown}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let many: String = (0..20_000).map(|n| format!("- fact number {n} of a long list\n")).collect();
    let directory = TestDirectory::new(&[("facts/user.md", &format!("# User\n\n{many}"))]);
    for line in
        [&["list", "user"][..], &["read", "user"], &["--json", "list", "user"], &["--help"], &["schema", "answer"]]
    {
        let mut child = directory.command(line).spawn().expect("it starts");
        drop(child.stdout.take());
        let mut run_output = String::new();
        child.stderr.take().expect("stderr").read_to_string(&mut run_output).expect("text");
        let status = child.wait().expect("it ended");
        assert_eq!((status.code(), run_output.as_str()), (Some(0), ""), "{line:?}");
    }
    let mut child = directory.command(&["read", "nowhere"]).spawn().expect("it starts");
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().expect("it ended").code(), Some(3), "the verdict stays without anybody listening");
}

#[test]
fn a_connection_that_stops_in_the_middle_is_reported() {
    let directory = TestDirectory::new(&[("facts/user.md", "# User\n\n- Prefers tabs\n")]);
    let mut command = directory.command(&["add", "user"]);
    command.stdin(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("stdin");
    stdin.write_all(b"- half a li").expect("sent");
    let output = child.wait_with_output().expect("it ended");
    drop(stdin);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(directory.text("facts/user.md"), "# User\n\n- Prefers tabs\n");
}

/// A memory of many files, with a conversation for `reflect`.
fn many_files() -> TestDirectory {
    let texts: Vec<(String, String)> =
        (0..40).map(|n| (format!("facts/f{n:02}.md"), format!("# F\n\n- apple {n}\n"))).collect();
    TestDirectory::new(&texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>())
}

#[test]
fn a_command_that_takes_long_says_on_a_terminal_what_it_is_doing() {
    let directory = many_files();
    for (line, progress) in [
        (&["query", "apple", "-L", "1"][..], "memdir: ranking, 0s"),
        (&["check"], "memdir: checking links, 0s"),
        (&["compact"], "memdir: compacting, 0s"),
    ] {
        // With a delay of 0 the last state is drawn, however fast the command is.
        let shown = |after: &str, extra: &[&str]| {
            let mut command = directory.command(&[line, extra].concat());
            command.env("TERM", "xterm-256color").env("MEMDIR_PROGRESS_AFTER", after);
            on_terminal(command).1
        };
        let long = shown("0", &[]);
        assert!(long.contains(progress), "{line:?}: {long:?}");
        // Nothing is left of the line: the line is cleared before the answer.
        let after = long.rsplit(progress).next().unwrap();
        assert!(after.contains("\x1b[2K") || after.contains("\x1b[K"), "{line:?}: {long:?}");
        // A short command shows nothing, nor does one that is read by a program.
        for (after, extra) in [("3600000", &[][..]), ("0", &["--json"]), ("0", &["-q"])] {
            let short = shown(after, extra);
            assert!(!short.contains(progress) && !short.contains("\x1b[2K"), "{line:?} {after} {extra:?}: {short:?}");
        }
        let mut command = directory.command(line);
        let output = command.env("MEMDIR_PROGRESS_AFTER", "0").output().expect("it ran");
        let piped = [output.stdout, output.stderr].concat();
        assert!(!String::from_utf8_lossy(&piped).contains(progress), "{line:?}");
    }
}

/// A command on a terminal of 24 rows and 80 columns, with variables of its environment.
#[track_caller]
fn shown(directory: &TestDirectory, line: &[&str], environment: &[(&str, &str)]) -> String {
    let mut command = directory.command(line);
    command.env("TERM", "xterm-256color").envs(environment.iter().copied());
    let (status, shown) = on_sized_terminal(command, Some((24, 80)));
    assert_eq!(status, 0, "{line:?}: {shown}");
    shown
}

/// A memory with one file of 60 bullets.
fn long_file() -> TestDirectory {
    let many: String = (0..60).map(|n| format!("- fact number {n}\n")).collect();
    TestDirectory::new(&[
        ("facts/long.md", &format!("# Long\n\n{many}")),
        ("facts/short.md", "# Short\n\n- Likes tea\n"),
    ])
}

#[test]
fn a_long_answer_goes_through_the_pager_of_the_environment() {
    let directory = long_file();
    directory.run(&["add", "short", "two"]);
    let is_paged =
        |line: &[&str], environment: &[(&str, &str)]| shown(&directory, line, environment).contains("paged:");
    let mine = ("MEMDIR_PAGER", "sed 's/^/paged:/'");
    for line in [&["list", "long"][..], &["query", "fact", "-L", "0"], &["show", "r1"], &["log"]] {
        assert_eq!(is_paged(line, &[mine]), line[0] != "log" && line[0] != "show", "{line:?}");
    }
    assert!(is_paged(&["list", "long"], &[("PAGER", mine.1)]), "PAGER");
    let both = [("MEMDIR_PAGER", "sed 's/^/other:/'"), ("PAGER", mine.1)];
    assert!(!is_paged(&["list", "long"], &both), "MEMDIR_PAGER comes first");
    for (line, environment) in [
        (&["list", "short"][..], &[mine][..]),
        (&["--no-pager", "list", "long"], &[mine]),
        (&["list", "long", "--no-pager"], &[mine]),
        (&["--json", "list", "long"], &[mine]),
        (&["read", "long"], &[mine]),
        (&["list", "long"], &[("MEMDIR_PAGER", ""), ("PAGER", mine.1)]),
        (&["list", "long"], &[("MEMDIR_PAGER", "cat"), ("PAGER", mine.1)]),
        (&["list", "long"], &[("MEMDIR_PAGER", "no-such-program"), ("PAGER", mine.1)]),
    ] {
        let shown = shown(&directory, line, environment);
        assert!(!shown.contains("paged:") && shown.len() > 20, "{line:?} {environment:?}: {shown}");
    }
    // Nothing of it in a pipe.
    let mut command = directory.command(&["list", "long"]);
    let piped = command.env(mine.0, mine.1).output().expect("it ran").stdout;
    assert!(!String::from_utf8_lossy(&piped).contains("paged:"));
}

#[test]
fn a_pager_gets_the_options_of_git_unless_the_user_sets_some() {
    let directory = long_file();
    let echo = ("MEMDIR_PAGER", "echo \"options: $LESS $LV\"; cat > /dev/null");
    assert!(shown(&directory, &["list", "long"], &[echo]).contains("options: FRX -c"));
    assert!(shown(&directory, &["list", "long"], &[echo, ("LESS", "S")]).contains("options: S -c"));
    // What git has configured, or a repository, is no pager of ours.
    directory.put("../.git/config", b"[core]\n\tpager = echo from-git\n");
    let all =
        shown(&directory, &["list", "long"], &[("MEMDIR_PAGER", "sed 's/^/paged:/'"), ("GIT_PAGER", "echo from-git")]);
    assert!(all.contains("paged:") && !all.contains("from-git"), "{all}");
}

#[test]
fn files_are_links_where_the_terminal_shows_links() {
    let directory = long_file();
    directory.run(&["add", "short", "two"]);
    let kitty = ("TERM_PROGRAM", "WezTerm");
    for line in [&["list"][..], &["list", "short"], &["log"], &["query", "tea"], &["diff", "r1", "--bullets"]] {
        let with = shown(&directory, line, &[kitty]);
        assert_eq!(with.matches("\x1b]8;;file:///").count() > 0, line[0] != "diff", "{line:?}: {with:?}");
        assert_eq!(with.matches("\x1b]8;;file:///").count(), with.matches("\x1b]8;;\x1b\\").count(), "{with:?}");
        assert!(!shown(&directory, line, &[]).contains("\x1b]8"), "{line:?}");
        assert!(!shown(&directory, line, &[kitty, ("NO_COLOR", "1")]).contains("\x1b]8"), "{line:?}");
        let mut command = directory.command(line);
        let piped = command.envs([kitty, ("FORCE_HYPERLINK", "1")]).output().expect("it ran").stdout;
        assert!(!String::from_utf8_lossy(&piped).contains('\x1b'), "{line:?}");
    }
    let with = shown(&directory, &["list", "short"], &[kitty]);
    assert!(with.contains("/memory/facts/short.md\x1b\\\x1b[1mfacts/short.md\x1b[0m\x1b]8;;\x1b\\"), "{with:?}");
}

#[test]
fn files_are_listed_in_columns_that_fit_the_terminal() {
    let directory = long_file();
    let long = "a summary of many words ".repeat(9);
    directory.put("facts/words.md", format!("# Words\n\n> Summary: {long}\n").as_bytes());
    directory.put("facts/茶.md", format!("# 茶\n\n> Summary: {}\n", "茶".repeat(90)).as_bytes());
    let shown = shown(&directory, &["list", "--color", "never"], &[]);
    let width = |text: &str| text.chars().map(|c| if c.is_ascii() || c == '…' { 1 } else { 2 }).sum::<usize>();
    assert!(shown.lines().all(|line| width(line) <= 80), "{shown}");
    let sizes: Vec<usize> = shown.lines().map(|line| width(line.split('B').next().unwrap())).collect();
    assert_eq!(sizes.len(), 4, "{shown}");
    assert!(sizes.windows(2).all(|two| two[0] == two[1]), "{shown}");
    assert!(!directory.run(&["list"]).stdout.contains('…'), "a pipe gets all of it");
}

/// A text without colours and links, which are the only escape sequences of an answer.
fn without_own_escapes(shown: &str) -> String {
    let mut plain = String::new();
    let mut rest = shown;
    while let Some(at) = rest.find('\x1b') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = match rest.as_bytes().first() {
            Some(b'[') => {
                rest.find('m').filter(|end| rest[1..*end].bytes().all(|b| b.is_ascii_digit())).map(|end| end + 1)
            }
            Some(b']') if rest.starts_with("]8;;") => rest.find("\x1b\\").map(|end| end + 2),
            _ => None,
        };
        match end {
            Some(end) => rest = &rest[end..],
            None => plain.push('\x1b'),
        }
    }
    plain + rest
}

#[test]
fn columns_links_and_the_pager_let_no_control_character_through() {
    let directory = hostile();
    directory.put("facts/od\x1b[31md\u{202e}.md", b"- \x1b[31mred\xe2\x80\xae\n");
    directory.run(&["add", "user", "plain"]);
    for line in [
        &["list"][..],
        &["list", "evil"],
        &["log", "-p"],
        &["show", "r1"],
        &["diff", "r1"],
        &["query", "red"],
        &["status"],
    ] {
        for pager in ["cat", "sed 's/^//'"] {
            let shown = shown(&directory, line, &[("MEMDIR_PAGER", pager), ("FORCE_HYPERLINK", "1")]);
            let raw = without_own_escapes(&shown).chars().find(|c| is_raw(*c));
            assert_eq!(raw, None, "{pager} {line:?} shows it raw: {shown:?}");
        }
    }
}
