//! Completes the word under the cursor: files, sections, bullets, revisions, scopes, tags, names, manual pages.
//!
//! Never fails and never writes: without candidates it prints nothing.

use clap::Args;

use super::args::GlobalArgs;
use super::grammar::{COMMANDS, OptionGrammar, ValueKind, WordReader, WordRole};
use super::{open, sanitize};
use crate::commands::completion_words::{actors, archived_scopes, callers, scopes, sessions_in_scopes, tags};
use crate::commands::results::ListResult;
use crate::commands::{self, ListOptions, LogOptions, Session};
use crate::memory::OpenOptions;
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
    if let Some((first, path)) = before.split_first()
        && first == "help"
    {
        return format_candidates(help_topics(path), "", partial);
    }
    let ParsedWords { mut global, kind, is_archived_scope, is_query, value_start } =
        parse_words(global, before, partial);
    let (option, value) = partial.split_at(value_start);
    if value.starts_with('-') || !kind.is_completed() {
        return String::new();
    }
    if kind == ValueKind::Page {
        return format_candidates(manual_pages(), option, value);
    }
    let all_scopes = is_query && open::names_all_scopes(&global);
    global.scope = global.scope.filter(|_| !all_scopes);
    let open_options = OpenOptions { all_scopes, ..open::open_options(&global, None) };
    let session = open::enter_start(&global).and_then(|()| open_options.open_session(open::SessionNeeds::Texts));
    let Ok(session) = session else {
        return String::new();
    };
    let mut sessions = vec![session];
    if all_scopes {
        sessions.extend(sessions_in_scopes(&sessions[0]));
    }
    let candidates_in = |session: &Session| match kind {
        ValueKind::Revision => revision_candidates(session),
        ValueKind::Address | ValueKind::AddressOrText if value.contains(['@', '#']) => inside_file(session, value),
        ValueKind::Address | ValueKind::AddressOrText | ValueKind::File => file_candidates(session),
        ValueKind::Glob => glob_candidates(session),
        ValueKind::Scope if is_archived_scope => plain(archived_scopes(session)),
        ValueKind::Scope => plain(scopes(session)),
        ValueKind::Tag => plain(tags(session)),
        ValueKind::Actor => plain(actors(session)),
        ValueKind::Caller => plain(callers(session)),
        ValueKind::Text | ValueKind::Path | ValueKind::Other | ValueKind::Page => Vec::new(),
    };
    let mut candidates: Candidates = sessions.iter().flat_map(candidates_in).collect();
    if sessions.len() > 1 {
        candidates.sort();
        candidates.dedup_by(|a, b| a.0 == b.0);
    }
    format_candidates(candidates, option, value)
}

/// What the words before the last one say about it.
struct ParsedWords {
    /// The global options among them.
    global: GlobalArgs,
    /// The kind of the last word, or of the value in it.
    kind: ValueKind,
    /// Whether the last word is a scope for `scope add`, which takes back those in the archive.
    is_archived_scope: bool,
    /// Whether the command is `query`, which may search all scopes.
    is_query: bool,
    /// Where in the last word the value starts, in bytes: behind `--name=` or `-S`.
    value_start: usize,
}

fn parse_words(global: &GlobalArgs, before: &[String], partial: &str) -> ParsedWords {
    let mut global = global.clone();
    let mut first_word = None;
    let mut reader = WordReader::new();
    for word in before {
        let attached = reader.attached_value(word, false);
        match reader.read(word) {
            WordRole::OptionValue(option) => set_global(&mut global, option, word),
            WordRole::Options => match attached {
                Some((option, start)) => set_global(&mut global, option, &word[start..]),
                None => global.global |= word == "-g" || word == "--global",
            },
            WordRole::Positional(_) => first_word = first_word.or(Some(word)),
            WordRole::Subcommand | WordRole::DoubleDash => {}
        }
    }
    let attached = reader.attached_value(partial, true);
    let is_operand = !reader.expects_value() && attached.is_none();
    ParsedWords {
        global,
        kind: attached.map_or_else(|| reader.next_value(), |(option, _)| option.value),
        is_archived_scope: is_operand && reader.command.path == ["scope"] && first_word.is_some_and(|w| w == "add"),
        is_query: reader.command.path == ["query"],
        value_start: attached.map_or(0, |(_, start)| start),
    }
}

/// Sets the option that decides which memory is read, or whose allowlist decides which candidates are visible.
fn set_global(global: &mut GlobalArgs, option: &OptionGrammar, value: &str) {
    match option.long {
        _ if option.short == Some('C') => global.start.push(value.into()),
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
        commands::outline(session, file)
    };
    let Ok(outline) = answer else {
        return Vec::new();
    };
    if bullets {
        outline
            .bullets
            .into_iter()
            .flat_map(|b| [Some(b.handle), b.id].map(|name| (name, b.text.clone())))
            .filter_map(|(name, text)| Some((format!("{file}@{}", name?), text)))
            .collect()
    } else {
        outline.sections.into_iter().map(|s| (format!("{file}#{}", s.slug), s.title)).collect()
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

/// Prints the candidates that start with the incomplete value, each behind its option if both are one word. `facts/` and
/// `episodes/` may be omitted from the value.
fn format_candidates(candidates: Candidates, option: &str, partial: &str) -> String {
    let mut out = String::new();
    for (word, description) in candidates {
        let short = word.strip_prefix("facts/").or(word.strip_prefix("episodes/")).unwrap_or(&word);
        let word = match (word.starts_with(partial), short.starts_with(partial)) {
            (true, _) => word.as_str(),
            (false, true) => short,
            _ => continue,
        };
        sanitize::escape_line(&mut out, option, true);
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
            let ParsedWords { global, kind, .. } = parse_words(&GlobalArgs::default(), &words, "");
            let start = global.start.first().map(std::path::PathBuf::from);
            (start.or(global.dir).map(|dir| dir.display().to_string()), global.actor, global.global, kind)
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(read("-C a --as=x rm -n"), (text("a"), text("x"), false, ValueKind::AddressOrText));
        assert_eq!(read("-Ca -nS=b --as x rm"), (text("a"), text("x"), false, ValueKind::AddressOrText));
        assert_eq!(read("--dir a list"), (text("a"), None, false, ValueKind::Address));
        assert_eq!(read("-g --as x bullet add"), (None, text("x"), true, ValueKind::Address));
        assert_eq!(read("add user -m --as=x"), (None, None, false, ValueKind::Text));
    }

    #[test]
    fn a_short_name_is_completed_too() {
        let rows = || vec![("facts/user.md".to_owned(), "a\tb".to_owned()), ("x.md".to_owned(), String::new())];
        assert_eq!(format_candidates(rows(), "", "us"), "user.md\ta\\tb\n");
        assert_eq!(format_candidates(rows(), "--in=", "fa"), "--in=facts/user.md\ta\\tb\n");
    }
}
