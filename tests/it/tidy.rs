//! The walls of the house, held by looking at the sources: which words a room may not contain, which room may name
//! which, how long a file may grow, and that everything public is on a map.
//!
//! Reads text only: it knows no Rust beyond lines, comments and names, so a wall here is a word, never a meaning.

use std::path::Path;

use fs_err as fs;
use memdir::code::Code;

/// Rooms from the lowest up, as `lib.rs` lists them: a room may name those before it.
const ROOMS: [&str; 16] = [
    "code",
    "path",
    "text",
    "shape",
    "policy",
    "document",
    "change",
    "operation",
    "view",
    "transcript",
    "reflect",
    "store",
    "host",
    "llm",
    "commands",
    "cli",
];
/// Rooms that stand side by side: none of them names another.
const PEERS: [&str; 7] = ["operation", "view", "transcript", "reflect", "store", "host", "llm"];
/// But for one, which may name these.
const GUEST: (&str, [&str; 3]) = ("reflect", ["operation", "view", "transcript"]);
/// Rooms without disk, clock, environment and chance.
const PURE: [&str; 11] =
    ["code", "path", "text", "shape", "policy", "document", "change", "operation", "view", "transcript", "reflect"];

/// The most lines of a source file, its tests not counted.
const LONGEST: usize = 500;
/// Files that may be longer, up to how many lines, and why. The numbers only ever shrink.
const LONGER: [(&str, usize, &str); 3] = [
    ("src/cli/verbs.rs", 630, "the grammar is one table: clap's structs and the match that joins them"),
    ("src/store/commit.rs", 600, "the protocol is read from top to bottom, step by step"),
    ("src/operation/plan.rs", 510, "one arm for each operation"),
];

/// A source file: path from the root, text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The room it belongs to: `src/store/lock.rs` and `src/store.rs` are both `store`.
    fn room(&self) -> &str {
        let below = self.path.trim_start_matches("src/");
        below.split('/').next().unwrap_or_default().trim_end_matches(".rs")
    }

    /// Lines that are code, with their numbers from 1.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(i, line)| (i + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str) -> Vec<Source> {
    let walk = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name();
    let rust = walk.into_iter().map(Result::unwrap).filter(|e| e.path().extension().is_some_and(|x| x == "rs"));
    let sources: Vec<Source> = rust
        .map(|e| {
            let path = e.path().strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            Source { path, text: fs::read_to_string(e.path()).unwrap() }
        })
        .collect();
    assert!(!sources.is_empty());
    sources
}

/// Whether a line holds a word: not as a part of a longer name.
fn names(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let whole = |at: usize| {
        let after = &line[at + word.len()..];
        let longer = line[..at].ends_with(part) || word.ends_with(part) && after.starts_with(part);
        !longer
    };
    line.match_indices(word).any(|(at, _)| whole(at))
}

/// No file of `src` but the allowed ones holds one of the words.
fn wall(words: &[&str], allowed: impl Fn(&Source) -> bool) {
    let mut broken = Vec::new();
    for source in sources("src").iter().filter(|s| !allowed(s)) {
        for (n, line) in source.code() {
            // A file that the store opened may be handed on; opening one is what the wall is for.
            let line = &line.replace("std::fs::File", "File");
            broken.extend(words.iter().filter(|w| names(line, w)).map(|w| format!("{}:{n}: {w}", source.path)));
        }
    }
    assert!(broken.is_empty(), "not in this room:\n{}", broken.join("\n"));
}

#[test]
fn a_word_is_found_whole() {
    assert!(names("use std::fs::File;", "std::fs") && names("println!(\"\")", "println!"));
    assert!(!names("my_std::fs", "std::fs") && !names("eprintln!()", "println!") && !names("operand", "rand"));
}

#[test]
fn disks_belong_to_store_and_host() {
    let words = ["std::fs", "fs_err", "walkdir", "rustix", "libc", "File::open", "File::create", "File::options"];
    wall(&words, |s| ["store", "host"].contains(&s.room()) || s.path == "src/llm/exec.rs");
    // The program that answers: its streams and its end, and no disk.
    wall(&["rustix::fs", "std::fs"], |s| ["store", "host"].contains(&s.room()));
}

#[test]
fn libraries_stay_in_their_rooms() {
    wall(&["clap", "clap_complete", "clap_mangen"], |s| s.room() == "cli");
    wall(&["pulldown_cmark"], |s| s.room() == "document");
    // One file, so that no client is built before a host is asked: a client costs more than a whole command.
    wall(&["reqwest", "rustls"], |s| s.path == "src/llm/http.rs");
}

#[test]
fn git_is_asked_in_one_file() {
    let asks = |line: &str| line.contains("Command::new(\"git");
    let broken: Vec<String> =
        sources("src").into_iter().filter(|s| s.code().any(|(_, l)| asks(l))).map(|s| s.path).collect();
    assert_eq!(broken, ["src/host/git.rs"]);
}

#[test]
fn only_undo_and_resolve_write_without_a_plan() {
    let makes = |s: &Source| s.text.split("#[cfg(test)]").next().unwrap().contains("undo::change(");
    let paths: Vec<String> = sources("src").into_iter().filter(makes).map(|s| s.path).collect();
    assert_eq!(paths, ["src/commands/resolve.rs"]);
}

#[test]
fn pure_rooms_know_no_clock_environment_or_chance() {
    wall(&["SystemTime", "Instant", "std::env", "rand", "getrandom", "std::process"], |s| !PURE.contains(&s.room()));
}

#[test]
fn nobody_prints_or_exits_below_main() {
    wall(&["println!", "eprintln!", "print!", "eprint!", "dbg!", "process::exit"], |_| false);
}

#[test]
fn the_second_door_into_a_commit_opens_in_undo_only() {
    let door = |line: &str| line.contains("inverts: Some(");
    for source in sources("src").iter().filter(|s| s.path != "src/commands/undo.rs") {
        let code = source.text.split("#[cfg(test)]").next().unwrap();
        assert!(!code.lines().any(door), "{} makes an inverse changeset", source.path);
    }
}

#[test]
fn arrows_point_down() {
    let mut broken = Vec::new();
    for source in sources("src") {
        let Some(own) = ROOMS.iter().position(|r| *r == source.room()) else { continue };
        for (n, line) in source.code() {
            for (other, room) in ROOMS.iter().enumerate() {
                let guest = ROOMS[own] == GUEST.0 && GUEST.1.contains(room);
                let beside = other != own && PEERS.contains(room) && PEERS.contains(&ROOMS[own]) && !guest;
                if (other > own || beside) && names(line, &format!("crate::{room}")) {
                    broken.push(format!("{}:{n}: {} names {room}", source.path, ROOMS[own]));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_map_in_lib_rs_names_every_room_in_order() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let listed = |start: &str, end: char| -> Vec<String> {
        let lines = lib.lines().filter_map(|l| l.strip_prefix(start));
        lines.map(|l| l.split(end).next().unwrap().to_owned()).collect()
    };
    assert_eq!(listed("//! * [`", '`'), ROOMS);
    assert_eq!(listed("pub mod ", ';'), ROOMS);
}

#[test]
fn files_stay_short() {
    let mut long = Vec::new();
    for source in sources("src") {
        let lines = source.text.lines().take_while(|l| !l.starts_with("#[cfg(test)]")).count();
        let most = LONGER.iter().find(|(path, ..)| *path == source.path).map_or(LONGEST, |(_, most, _)| *most);
        if lines > most {
            long.push(format!("{}: {lines} lines, {most} are enough", source.path));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn every_file_says_what_it_is_for() {
    let tests = |s: &Source| s.path.ends_with("tests.rs");
    for source in sources("src").iter().chain(&sources("tests")).filter(|s| !tests(s)) {
        let first = source.text.lines().next().unwrap_or_default();
        assert!(first.starts_with("//! ") && first.len() > 20, "{} starts with a sentence", source.path);
    }
}

#[test]
fn nothing_is_left_for_later_and_nothing_is_of_one_machine() {
    let marks = ["TO", "FIX", "XX"].map(|m| {
        m.to_owned()
            + if m == "TO" {
                "DO"
            } else if m == "FIX" {
                "ME"
            } else {
                "X"
            }
    });
    let stubs = ["todo", "unimplemented"].map(|m| format!("{m}!("));
    let homes = ["root", "work", "Users"].map(|m| format!("\"/{m}/"));
    for source in sources("src").iter().chain(&sources("tests")) {
        for word in marks.iter().chain(&stubs).chain(&homes) {
            assert!(!source.text.contains(word.as_str()), "{} holds {word}", source.path);
        }
    }
}

#[test]
fn every_code_is_in_the_manual() {
    let page = fs::read_to_string(root().join("man/memdir-format.5")).unwrap();
    for code in Code::ALL {
        assert!(
            names(&page.replace("\\fB", " ").replace("\\fR", " "), code.name()),
            "{} is not documented",
            code.name()
        );
    }
}
