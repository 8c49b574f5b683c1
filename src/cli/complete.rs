//! Completes the word under the cursor: files, sections, bullets, revisions.
//!
//! Never fails and never writes: without candidates it prints nothing.

use super::args::GlobalArgs;
use super::{open, sanitize, verbs};
use crate::commands::answer::Answer;
use crate::commands::{self, LogOptions, Session};

/// What the next positional of a command is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CompletionKind {
    File,
    Address,
    Revision,
    None,
}

/// Prints one candidate per line: the word, a tab, a description. `words` are those after `memdir`; the last one is
/// incomplete.
pub fn complete(global: &GlobalArgs, words: &[String]) -> String {
    let (partial, before) = match words.split_last() {
        Some((half, before)) => (half.as_str(), before),
        None => return String::new(),
    };
    let (global, command, positionals) = parse_words(global, before);
    if partial.starts_with('-') {
        return String::new();
    }
    let kind = match command.as_deref() {
        None => return String::new(),
        Some("read" | "rm" | "remove" | "delete" | "del" | "set" | "log" | "bullet del") => CompletionKind::Address,
        Some("cat" | "mv" | "move" | "rename" | "update" | "bullet update") if positionals == 0 => {
            CompletionKind::Address
        }
        Some("mv" | "move" | "rename") if positionals == 1 => CompletionKind::File,
        Some("list" | "ls" | "add" | "bullet add" | "bullet list") if positionals == 0 => CompletionKind::Address,
        Some("append" | "patch" | "write" | "edit" | "where") if positionals == 0 => CompletionKind::File,
        Some("check" | "resolve") => CompletionKind::File,
        Some("show" | "diff" | "undo" | "redo") if positionals == 0 => CompletionKind::Revision,
        Some(_) => CompletionKind::None,
    };
    if kind == CompletionKind::None {
        return String::new();
    }
    let Ok(session) = open::open_session(&global, open::SessionNeeds::TextsOnly, None) else {
        return String::new();
    };
    let candidates = match kind {
        CompletionKind::Revision => revision_candidates(&session),
        CompletionKind::Address if partial.contains(['@', '#']) => inside_file(&session, partial),
        _ => file_candidates(&session),
    };
    format_candidates(candidates, partial)
}

/// The global options among the words, the command (with that of `bullet`), and how many positionals follow it.
fn parse_words(global: &GlobalArgs, before: &[String]) -> (GlobalArgs, Option<String>, usize) {
    let mut global = global.clone();
    let mut command: Option<String> = None;
    let mut positionals = 0;
    let mut words = before.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-C" | "--dir" => global.dir = words.next().map(Into::into),
            "-g" | "--global" => global.global = true,
            // The allowlist of this name decides which candidates are visible.
            "--as" => global.actor = words.next().cloned(),
            "-F" | "--file" | "-m" | "--reason" | "--color" | "--source" | "--if-match" | "--old" | "--new"
            | "--tag" | "--index" | "-t" | "-s" | "-d" => drop(words.next()),
            w if w.starts_with('-') => {
                if let Some(name) = w.strip_prefix("--as=") {
                    global.actor = Some(name.to_owned());
                }
            }
            w => match &command {
                None => command = Some(w.to_owned()),
                Some(v) if v == "bullet" && verbs::BULLET.iter().any(|b| b.name == w) => {
                    command = Some(format!("bullet {w}"));
                }
                Some(_) => positionals += 1,
            },
        }
    }
    (global, command, positionals)
}

type Candidates = Vec<(String, String)>;

fn file_candidates(session: &Session) -> Candidates {
    match commands::list(session, None) {
        Ok(Answer::Files(files)) => files.files.into_iter().map(|f| (f.path, f.summary)).collect(),
        _ => Vec::new(),
    }
}

/// Sections of a file after `#`, bullets after `@`.
fn inside_file(session: &Session, partial: &str) -> Candidates {
    let (file, bullets) = match partial.rsplit_once('@') {
        Some((file, _)) => (file, true),
        None => (partial.split('#').next().unwrap_or(partial), false),
    };
    let answer =
        if bullets { commands::list_bullets(session, file) } else { commands::list_without_backlinks(session, file) };
    let Ok(Answer::Outline(outline)) = answer else {
        return Vec::new();
    };
    match bullets {
        true => outline.bullets.into_iter().map(|b| (format!("{file}@{}", b.handle), b.text)).collect(),
        false => outline.sections.into_iter().map(|s| (format!("{file}#{}", s.slug), s.title)).collect(),
    }
}

fn revision_candidates(session: &Session) -> Candidates {
    let query = LogOptions { limit: Some(20), ..LogOptions::default() };
    match commands::log(session, &query) {
        Ok(Answer::Log(log)) => log
            .entries
            .into_iter()
            .filter_map(|e| Some((e.rev?, format!("{} {} {}", e.actor, e.what, e.files.join(" ")))))
            .collect(),
        _ => Vec::new(),
    }
}

/// Prints the candidates that start with the incomplete word. `facts/` and `episodes/` may be omitted from it.
fn format_candidates(candidates: Candidates, partial: &str) -> String {
    let mut out = String::new();
    for (word, description) in candidates {
        let short = word.strip_prefix("facts/").or(word.strip_prefix("episodes/")).unwrap_or(&word);
        let word = match (word.starts_with(partial), short.starts_with(partial)) {
            (true, _) => word.as_str(),
            (false, true) => short,
            _ => continue,
        };
        sanitize::escape_line(&mut out, word, true);
        out.push('\t');
        sanitize::escape_line(&mut out, &sanitize::truncate(&description, 60), true);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], verb: Option<&str>, seen: usize) {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let (_, v, n) = parse_words(&GlobalArgs::default(), &words);
        assert_eq!((v.as_deref(), n), (verb, seen), "{words:?}");
    }

    #[test]
    fn the_command_and_its_positionals_are_found_among_options() {
        check(&["-C", "add", "rm", "-n", "user@a"], Some("rm"), 1);
        check(&["bullet", "del", "-m", "why"], Some("bullet del"), 0);
        check(&["--json"], None, 0);
    }

    #[test]
    fn a_short_name_is_completed_too() {
        let rows = || vec![("facts/user.md".to_owned(), "a\tb".to_owned()), ("x.md".to_owned(), String::new())];
        assert_eq!(format_candidates(rows(), "us"), "user.md\ta\\tb\n");
        assert_eq!(format_candidates(rows(), "fa"), "facts/user.md\ta\\tb\n");
    }
}
