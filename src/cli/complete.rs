//! Candidates for the word under the cursor: files, sections, bullets, revisions.
//!
//! Never fails and never writes: a completion that finds nothing says nothing.

use super::args::Global;
use super::{open, sanitize, verbs};
use crate::commands::answer::Answer;
use crate::commands::{self, LogQuery, Session};

/// What a verb's next positional is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Address,
    Revision,
    Nothing,
}

/// One candidate a line: the word, a tab, what it is. `words` are those after `memdir`, the last one half typed.
pub fn complete(global: &Global, words: &[String]) -> String {
    let (half, before) = match words.split_last() {
        Some((half, before)) => (half.as_str(), before),
        None => return String::new(),
    };
    let (global, verb, seen) = context(global, before);
    if half.starts_with('-') {
        return String::new();
    }
    let kind = match verb.as_deref() {
        None => return String::new(),
        Some("read" | "rm" | "remove" | "delete" | "del" | "set" | "log" | "bullet del") => Kind::Address,
        Some("cat" | "mv" | "move" | "rename" | "update" | "bullet update") if seen == 0 => Kind::Address,
        Some("mv" | "move" | "rename") if seen == 1 => Kind::File,
        Some("list" | "ls" | "add" | "bullet add" | "bullet list") if seen == 0 => Kind::Address,
        Some("append" | "patch" | "write" | "edit" | "where") if seen == 0 => Kind::File,
        Some("check" | "resolve") => Kind::File,
        Some("show" | "diff" | "undo" | "redo") if seen == 0 => Kind::Revision,
        Some(_) => Kind::Nothing,
    };
    if kind == Kind::Nothing {
        return String::new();
    }
    let Ok(session) = open::session(&global, open::Need::Texts, None) else {
        return String::new();
    };
    let rows = match kind {
        Kind::Revision => revisions(&session),
        Kind::Address if half.contains(['@', '#']) => inside(&session, half),
        _ => files(&session),
    };
    print(rows, half)
}

/// The shared options among the words before, the verb (`bullet` with its own), and how many positionals follow it.
fn context(global: &Global, before: &[String]) -> (Global, Option<String>, usize) {
    let mut global = global.clone();
    let mut verb: Option<String> = None;
    let mut seen = 0;
    let mut words = before.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-C" | "--dir" => global.dir = words.next().map(Into::into),
            "-g" | "--global" => global.global = true,
            // Candidates are for whoever will run the command.
            "--as" => global.actor = words.next().cloned(),
            "-F" | "--file" | "-m" | "--reason" | "--color" | "--source" | "--if-match" | "--old" | "--new"
            | "--tag" | "--index" | "-t" | "-s" | "-d" => drop(words.next()),
            w if w.starts_with('-') => {
                if let Some(name) = w.strip_prefix("--as=") {
                    global.actor = Some(name.to_owned());
                }
            }
            w => match &verb {
                None => verb = Some(w.to_owned()),
                Some(v) if v == "bullet" && verbs::BULLET.iter().any(|b| b.name == w) => {
                    verb = Some(format!("bullet {w}"));
                }
                Some(_) => seen += 1,
            },
        }
    }
    (global, verb, seen)
}

type Rows = Vec<(String, String)>;

fn files(session: &Session) -> Rows {
    match commands::list(session, None) {
        Ok(Answer::Files(files)) => files.files.into_iter().map(|f| (f.path, f.summary)).collect(),
        _ => Vec::new(),
    }
}

/// Sections after `#`, bullets after `@`.
fn inside(session: &Session, half: &str) -> Rows {
    let (file, bullets) = match half.rsplit_once('@') {
        Some((file, _)) => (file, true),
        None => (half.split('#').next().unwrap_or(half), false),
    };
    let answer = if bullets { commands::bullets(session, file) } else { commands::outlined(session, file) };
    let Ok(Answer::Outline(outline)) = answer else {
        return Vec::new();
    };
    match bullets {
        true => outline.bullets.into_iter().map(|b| (format!("{file}@{}", b.handle), b.text)).collect(),
        false => outline.sections.into_iter().map(|s| (format!("{file}#{}", s.slug), s.title)).collect(),
    }
}

fn revisions(session: &Session) -> Rows {
    let query = LogQuery { limit: Some(20), ..LogQuery::default() };
    match commands::log(session, &query) {
        Ok(Answer::Log(log)) => log
            .entries
            .into_iter()
            .filter_map(|e| Some((e.rev?, format!("{} {} {}", e.actor, e.what, e.files.join(" ")))))
            .collect(),
        _ => Vec::new(),
    }
}

/// Candidates that continue the word. A file may be typed without its folder or `.md`.
fn print(rows: Rows, half: &str) -> String {
    let mut out = String::new();
    for (word, about) in rows {
        let short = word.strip_prefix("facts/").or(word.strip_prefix("episodes/")).unwrap_or(&word);
        let word = match (word.starts_with(half), short.starts_with(half)) {
            (true, _) => word.as_str(),
            (false, true) => short,
            _ => continue,
        };
        sanitize::line(&mut out, word, true);
        out.push('\t');
        sanitize::line(&mut out, &sanitize::cut(&about, 60), true);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], verb: Option<&str>, seen: usize) {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let (_, v, n) = context(&Global::default(), &words);
        assert_eq!((v.as_deref(), n), (verb, seen), "{words:?}");
    }

    #[test]
    fn the_verb_and_its_positionals_are_found_among_options() {
        check(&["-C", "add", "rm", "-n", "user@a"], Some("rm"), 1);
        check(&["bullet", "del", "-m", "why"], Some("bullet del"), 0);
        check(&["--json"], None, 0);
    }

    #[test]
    fn a_short_name_is_completed_too() {
        let rows = || vec![("facts/user.md".to_owned(), "a\tb".to_owned()), ("x.md".to_owned(), String::new())];
        assert_eq!(print(rows(), "us"), "user.md\ta\\tb\n");
        assert_eq!(print(rows(), "fa"), "facts/user.md\ta\\tb\n");
    }
}
