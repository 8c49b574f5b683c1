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

use crate::corpus;
use crate::place::Place;

const LIMIT: Duration = Duration::from_secs(10);

/// Runs a command with stdin, stdout and stderr on a terminal; answers its exit status and what the terminal got.
#[track_caller]
fn on_terminal(mut command: Command) -> (i32, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).expect("granted");
    unlockpt(&master).expect("unlocked");
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
fn hostile() -> Place {
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
    Place::new(&[("facts/evil.md", &text), ("facts/user.md", "# User\n\n- Prefers tabs\n")])
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
    let place = hostile();
    let name = "- \x1b[31mred\u{202e}\n";
    place.put("facts/od\x1b[31md\u{202e}.md", name.as_bytes());
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
            let mut command = place.command(&[extra, line].concat());
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
    let place = hostile();
    assert_eq!(place.run(&["read", "evil"]).stdout, place.text("facts/evil.md"));
    let listed = place.run(&["list", "evil"]).stdout;
    assert_eq!(listed.chars().find(|c| c.is_control() && *c != '\n'), None, "{listed:?}");
}

#[test]
fn colours_are_used_on_request_and_on_terminals_that_support_them() {
    let place = Place::new(&[("facts/user.md", "# User\n\n- Prefers tabs\n\n## Work\n\n- a\n")]);
    let shown = |when: Option<&str>, environment: &[(&str, &str)], terminal: bool| {
        let mut all = false;
        for line in [&["list"][..], &["list", "user"], &["add", "-n", "user", "x"], &["read", "nowhere"]] {
            let color: Vec<&str> = when.iter().flat_map(|w| ["--color", w]).collect();
            let mut command = place.command(&[&color, line].concat());
            command.envs(environment.iter().copied());
            let out = match terminal {
                true => on_terminal(command).1,
                false => String::from_utf8_lossy(&command.output().expect("it ran").stdout).into_owned(),
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
    let place = Place::new(&[("facts/user.md", "# User\n\n- Prefers tabs\n")]);
    let append = |line: &[&str], editor: &str| {
        let mut command = place.command(line);
        command.env_remove("VISUAL").env("EDITOR", editor).env("TMPDIR", place.root());
        on_terminal(command)
    };
    let writes = "printf '## Fix\\n- Lesson: flush\\n' >";
    let (code, shown) = append(&["append"], writes);
    assert_eq!(code, 0, "{shown}");
    assert!(place.files().values().any(|text| String::from_utf8_lossy(text).contains("## Fix\n- Lesson: flush\n")));
    let (code, shown) = append(&["append", "user"], "echo '- Likes tea' >");
    assert_eq!((code, place.bullets("facts/user.md").len()), (0, 2), "{shown}");
    let (code, shown) = append(&["append", "facts/../x"], writes);
    assert!(code != 0 && shown.contains("your text is kept in"), "{code} {shown}");
    assert_eq!(append(&["append"], "true").0, 2, "nothing was written");
    assert_eq!(append(&["append", "-"], writes).0, 2, "- is stdin");
    assert_eq!(append(&["append"], "").0, 2, "no editor");
}

#[test]
fn nothing_waits_for_a_terminal() {
    let place = Place::new(&[("facts/user.md", "# User\n\n- Prefers tabs\n")]);
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
        let (code, shown) = on_terminal(place.command(line));
        assert_eq!(code, wanted, "{line:?}: {shown}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let many: String = (0..20_000).map(|n| format!("- fact number {n} of a long list\n")).collect();
    let place = Place::new(&[("facts/user.md", &format!("# User\n\n{many}"))]);
    for line in
        [&["list", "user"][..], &["read", "user"], &["--json", "list", "user"], &["--help"], &["schema", "answer"]]
    {
        let mut child = place.command(line).spawn().expect("it starts");
        drop(child.stdout.take());
        let mut run_output = String::new();
        child.stderr.take().expect("stderr").read_to_string(&mut run_output).expect("text");
        let status = child.wait().expect("it ended");
        assert_eq!((status.code(), run_output.as_str()), (Some(0), ""), "{line:?}");
    }
    let mut child = place.command(&["read", "nowhere"]).spawn().expect("it starts");
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().expect("it ended").code(), Some(3), "the verdict stays without anybody listening");
}

#[test]
fn a_connection_that_stops_in_the_middle_is_reported() {
    let place = Place::new(&[("facts/user.md", "# User\n\n- Prefers tabs\n")]);
    let mut command = place.command(&["add", "user"]);
    command.stdin(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("stdin");
    stdin.write_all(b"- half a li").expect("sent");
    let output = child.wait_with_output().expect("it ended");
    drop(stdin);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(place.text("facts/user.md"), "# User\n\n- Prefers tabs\n");
}

/// A memory of many files, with a conversation for `reflect`.
fn many_files() -> Place {
    let texts: Vec<(String, String)> =
        (0..40).map(|n| (format!("facts/f{n:02}.md"), format!("# F\n\n- apple {n}\n"))).collect();
    Place::new(&texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>())
}

#[test]
fn a_command_that_takes_long_says_on_a_terminal_what_it_is_doing() {
    let place = many_files();
    for (line, progress) in [
        (&["query", "apple", "-L", "1"][..], "memdir: ranking, 0s"),
        (&["check"], "memdir: checking links, 0s"),
        (&["compact"], "memdir: compacting, 0s"),
    ] {
        // With a delay of 0 the last state is drawn, however fast the command is.
        let shown = |after: &str, extra: &[&str]| {
            let mut command = place.command(&[line, extra].concat());
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
        let mut command = place.command(line);
        let output = command.env("MEMDIR_PROGRESS_AFTER", "0").output().expect("it ran");
        let piped = [output.stdout, output.stderr].concat();
        assert!(!String::from_utf8_lossy(&piped).contains(progress), "{line:?}");
    }
}
