//! Completes the word under the cursor: files, sections, bullets, revisions, scopes, tags, names, manual pages.
//!
//! Never fails and never writes: without candidates it prints nothing.

use clap::Args;

use super::args::GlobalArgs;
use super::grammar::{COMMANDS, ValueKind, WordReader, WordRole};
use super::{open, sanitize};
use crate::commands::completion_words::{actors, archived_scopes, scopes, tags};
use crate::commands::results::ListResult;
use crate::commands::{self, ListOptions, LogOptions, Session};
use crate::text::one_line::cut_with_ellipsis;

#[derive(Args, Debug)]
#[command(about = "Print completions for the last word", after_help = "Example: memdir __complete -- read us")]
#[group(skip)]
pub struct CompleteArgs {
    /// The words after memdir; the last one may be incomplete
    #[arg(value_name = "WORD", allow_hyphen_values = true, trailing_var_arg = true)]
    pub words: Vec<String>,
}

/// Prints one candidate per line: the word, a tab, a description. `words` are those after `memdir`; the last one is
/// incomplete.
pub fn complete(global: &GlobalArgs, words: &[String]) -> String {
    let Some((partial, before)) = words.split_last() else {
        return String::new();
    };
    if partial.starts_with('-') {
        return String::new();
    }
    if let Some((first, path)) = before.split_first()
        && first == "help"
    {
        return format_candidates(help_topics(path), partial);
    }
    let ParsedWords { global, kind, is_archived_scope } = parse_words(global, before);
    if kind == ValueKind::Page {
        return format_candidates(manual_pages(), partial);
    }
    if !kind.is_completed() {
        return String::new();
    }
    let session = open::enter_start(&global);
    let Ok(session) = session.and_then(|()| open::open_session(&global, open::SessionNeeds::Texts, None)) else {
        return String::new();
    };
    let candidates = match kind {
        ValueKind::Revision => revision_candidates(&session),
        ValueKind::Address | ValueKind::AddressOrText if partial.contains(['@', '#']) => inside_file(&session, partial),
        ValueKind::Address | ValueKind::AddressOrText | ValueKind::File => file_candidates(&session),
        ValueKind::Glob => glob_candidates(&session),
        ValueKind::Scope if is_archived_scope => plain(archived_scopes(&session)),
        ValueKind::Scope => plain(scopes(&session)),
        ValueKind::Tag => plain(tags(&session)),
        ValueKind::Actor => plain(actors(&session)),
        ValueKind::Text | ValueKind::Path | ValueKind::Other | ValueKind::Page => Vec::new(),
    };
    format_candidates(candidates, partial)
}

/// What the words before the last one say about it.
struct ParsedWords {
    /// The global options among them.
    global: GlobalArgs,
    /// The kind of the last word.
    kind: ValueKind,
    /// Whether the last word is a scope for `scope add`, which takes back those in the archive.
    is_archived_scope: bool,
}

fn parse_words(global: &GlobalArgs, before: &[String]) -> ParsedWords {
    let mut global = global.clone();
    let mut first_word = None;
    let mut reader = WordReader::new();
    for word in before {
        match reader.read(word) {
            WordRole::OptionValue(option) if option.short == Some('C') => global.start.push(word.into()),
            WordRole::OptionValue(option) => set_global(&mut global, option.long, word),
            WordRole::Options => match word.strip_prefix("--").and_then(|long| long.split_once('=')) {
                Some((long, value)) => set_global(&mut global, long, value),
                None => global.global |= word == "-g" || word == "--global",
            },
            WordRole::Positional(_) => first_word = first_word.or(Some(word)),
            WordRole::Subcommand | WordRole::DoubleDash => {}
        }
    }
    let is_archived_scope =
        reader.command.path == ["scope"] && !reader.is_in_option() && first_word.is_some_and(|word| word == "add");
    ParsedWords { global, kind: reader.next_value(), is_archived_scope }
}

/// Sets the option that decides which memory is read, or whose allowlist decides which candidates are visible.
fn set_global(global: &mut GlobalArgs, long: &str, value: &str) {
    match long {
        "dir" => global.dir = Some(value.into()),
        "scope" => global.scope = Some(value.to_owned()),
        "as" => global.actor = Some(value.to_owned()),
        _ => {}
    }
}

/// The commands below `path` that have a help text.
fn help_topics(path: &[String]) -> Candidates {
    let grammar = super::grammar();
    let parent = path.iter().try_fold(&grammar, |command, name| command.find_subcommand(name));
    let topics = parent.into_iter().flat_map(|command| command.get_subcommands()).filter(|c| !c.is_hide_set());
    topics.map(|c| (c.get_name().to_owned(), c.get_about().map(ToString::to_string).unwrap_or_default())).collect()
}

type Candidates = Vec<(String, String)>;

/// Candidates without a description.
fn plain(words: Vec<String>) -> Candidates {
    words.into_iter().map(|word| (word, String::new())).collect()
}

/// The names by which `man` prints its pages.
fn manual_pages() -> Candidates {
    let commands = COMMANDS.iter().map(|command| command.path.join("-"));
    let pages = commands.filter(|name| !name.is_empty() && !name.starts_with("__"));
    plain(pages.chain(["format".to_owned(), "durability".to_owned()]).collect())
}

/// Files as globs, which need no extension.
fn glob_candidates(session: &Session) -> Candidates {
    let files = file_candidates(session).into_iter();
    files.map(|(path, about)| (path.strip_suffix(".md").unwrap_or(&path).to_owned(), about)).collect()
}

fn file_candidates(session: &Session) -> Candidates {
    match commands::list(session, None) {
        Ok(ListResult::Files(files)) => files.files.into_iter().map(|f| (f.path, f.summary)).collect(),
        _ => Vec::new(),
    }
}

/// Sections of a file after `#`, bullets by handle and by id after `@`.
fn inside_file(session: &Session, partial: &str) -> Candidates {
    let (file, bullets) = match partial.rsplit_once('@') {
        Some((file, _)) => (file, true),
        None => (partial.split('#').next().unwrap_or(partial), false),
    };
    let answer = if bullets {
        commands::list_bullets(session, file, ListOptions::default())
    } else {
        commands::list_without_backlinks(session, file)
    };
    let Ok(outline) = answer else {
        return Vec::new();
    };
    match bullets {
        true => outline
            .bullets
            .into_iter()
            .flat_map(|b| [Some(b.handle), b.id].map(|name| (name, b.text.clone())))
            .filter_map(|(name, text)| Some((format!("{file}@{}", name?), text)))
            .collect(),
        false => outline.sections.into_iter().map(|s| (format!("{file}#{}", s.slug), s.title)).collect(),
    }
}

fn revision_candidates(session: &Session) -> Candidates {
    let query = LogOptions { limit: Some(20), ..LogOptions::default() };
    match commands::log(session, &query) {
        Ok(log) => log
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
        sanitize::escape_line(&mut out, &cut_with_ellipsis(&description, 60), true);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_and_the_caller_are_read_from_the_words() {
        let read = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let ParsedWords { global, kind, .. } = parse_words(&GlobalArgs::default(), &words);
            let start = global.start.first().map(std::path::PathBuf::from);
            (start.or(global.dir).map(|dir| dir.display().to_string()), global.actor, global.global, kind)
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(read("-C a --as=x rm -n"), (text("a"), text("x"), false, ValueKind::AddressOrText));
        assert_eq!(read("--dir a list"), (text("a"), None, false, ValueKind::Address));
        assert_eq!(read("-g --as x bullet add"), (None, text("x"), true, ValueKind::Address));
        assert_eq!(read("add user -m --as=x"), (None, None, false, ValueKind::Text));
    }

    #[test]
    fn a_short_name_is_completed_too() {
        let rows = || vec![("facts/user.md".to_owned(), "a\tb".to_owned()), ("x.md".to_owned(), String::new())];
        assert_eq!(format_candidates(rows(), "us"), "user.md\ta\\tb\n");
        assert_eq!(format_candidates(rows(), "fa"), "facts/user.md\ta\\tb\n");
    }
}
