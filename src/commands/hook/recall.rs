//! What a memory knows about a prompt or a tool call, at the moment of it: rules for the touched paths first, then what
//! the words are about.
//!
//! Never shows a session what it has seen already, never more than 300 tokens, and nothing that is not worth it.

use std::path::Path;

use super::{AnswerUse, HookAnswer};
use crate::commands::item_doubts::{ItemDoubts, read_instructions};
use crate::commands::query::query;
use crate::commands::{CommandResult, Session};
use crate::document::MetaKey;
use crate::host::agent_hosts::{AgentHost, HookEvent, HookInput};
use crate::host::git_dir::GitDirectory;
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::text::topic_match::Topic;
use crate::view::context::remarks::ShownItem;
use crate::view::context::sanitize::{NOTES_NOTICE, sanitize_line};
use crate::view::query::filter::QueryOptions;
use crate::view::query::query_row::QueryRow;
use shown::ShownItems;

pub mod shown;

/// The most bullets for a prompt.
const PROMPT_ITEMS: usize = 3;
/// The most bullets for a tool call.
const TOOL_ITEMS: usize = 2;
/// The most tokens of a text, estimated.
const MAX_TOKENS: usize = 300;
/// How many of the best matches are looked at.
const CANDIDATES: usize = 24;
/// From which similarity of its vector on a bullet is shown that shares too few words with a prompt. Chosen on
/// `fixtures/delivery/tuned.tsv` with multilingual-e5-small: 91 % of what is shown then is right. It is relative to the
/// mean vector of the memory, so that it says about the same with other models.
const MIN_SIMILARITY: f64 = 0.46;
/// How much similarity counts for the order, relative to the words.
const SIMILARITY_WEIGHT: f64 = 10.0;
/// The most characters of a prompt that are read: of a long one its beginning and its end.
const MAX_PROMPT_CHARS: usize = 1500;
/// Names that say nothing about what is in a path.
const GENERIC_NAMES: [&str; 14] =
    ["src", "lib", "app", "test", "tests", "spec", "docs", "doc", "main", "index", "mod", "init", "bin", "home"];

/// The answer to a prompt or a tool call; `None` if the host takes no text then, or if nothing is worth showing.
pub fn recall(session: &Session, host: &AgentHost, event: HookEvent, input: &HookInput) -> Option<HookAnswer> {
    if !host.takes_text(event) {
        return None;
    }
    let mut shown = ShownItems::load(session, input);
    let mut rows = match event {
        HookEvent::UserPrompt => about(session, &input.prompt, PROMPT_ITEMS, &shown, true).ok()?,
        _ => for_tool(session, input, &shown).ok()?,
    };
    without_other_branches(session, input, &mut rows);
    let (text, addresses, tokens) = to_text(session, input, &rows)?;
    shown.add(addresses);
    let envelope = host.context_envelope(event, &text);
    let used = Some(AnswerUse::of_injection(tokens));
    Some(HookAnswer { envelope, used, shown: Some(shown), ..HookAnswer::default() })
}

/// Removes the bullets that are kept for another branch than the one that is checked out where the session works.
fn without_other_branches(session: &Session, input: &HookInput, rows: &mut Vec<QueryRow>) {
    let branch_of = |row: &QueryRow| row.meta.get("branch").and_then(|name| Some(name.as_str()?.to_owned()));
    if rows.iter().all(|row| branch_of(row).is_none()) {
        return;
    }
    let directory = input.directory.as_deref().map_or(session.dir.as_path(), Path::new);
    // Without a repository nothing says that another branch is meant.
    let Some(current) = GitDirectory::find(directory).and_then(|repository| repository.branch()) else { return };
    rows.retain(|row| branch_of(row).is_none_or(|name| name == current));
}

/// The rules for the paths that a tool call touches, then what its paths, its command or the task of a sub-agent are
/// about.
fn for_tool(session: &Session, input: &HookInput, shown: &ShownItems) -> CommandResult<Vec<QueryRow>> {
    let touched = touched_paths(input, &session.dir);
    let mut rows = Vec::new();
    if !touched.is_empty() {
        let options = QueryOptions { touching: touched.clone(), limit: Some(CANDIDATES), ..QueryOptions::default() };
        rows = query(session, &options)?.items;
        let importance =
            |row: &QueryRow| row.meta.get("imp").and_then(|imp| imp.as_str()?.parse().ok()).unwrap_or(5_u8);
        rows.sort_by_key(|row| std::cmp::Reverse(importance(row)));
        rows.retain(|row| is_showable(row, shown));
        rows.truncate(TOOL_ITEMS);
    }
    let left = TOOL_ITEMS - rows.len();
    if left == 0 {
        return Ok(rows);
    }
    let mut more = match input.tool.task.is_empty() {
        false => about(session, &input.tool.task, PROMPT_ITEMS, shown, true)?,
        true => {
            let words: Vec<String> = touched.iter().map(|path| path_words(path)).collect();
            let command = without_options(&input.tool.command);
            let mut found = naming(session, &touched, shown)?;
            found.extend(about(session, &format!("{} {command}", words.join(" ")), left, shown, false)?);
            found
        }
    };
    more.retain(|row| rows.iter().all(|other| other.address != row.address));
    more.truncate(if input.tool.task.is_empty() { left } else { PROMPT_ITEMS });
    for row in more {
        if rows.iter().all(|other| other.address != row.address) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The bullets that a text is about, best first. With `is_prose`, for what people write, also those in other words, if
/// there is a host of vectors. Paths and commands are no sentences.
fn about(
    session: &Session,
    text: &str,
    count: usize,
    shown: &ShownItems,
    is_prose: bool,
) -> CommandResult<Vec<QueryRow>> {
    let question = shorten(text);
    if question.trim().is_empty() {
        return Ok(Vec::new());
    }
    let topic = Topic::of(&question);
    let options =
        QueryOptions { query: question.clone(), limit: Some(CANDIDATES), vectors: is_prose, ..QueryOptions::default() };
    let mut rows: Vec<(f64, QueryRow)> = query(session, &options)?
        .items
        .into_iter()
        .filter(|row| is_showable(row, shown))
        .filter_map(|row| {
            let found = topic.compare(&row.text, &row.title);
            let similarity = row.similarity.unwrap_or_default();
            let score = found.score() + SIMILARITY_WEIGHT * similarity;
            (found.is_about() || similarity >= MIN_SIMILARITY).then_some((score, row))
        })
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(rows.into_iter().take(count).map(|(_, row)| row).collect())
}

/// Whether a row may be shown: a bullet that no nearer layer overrules, and that the session has not seen.
fn is_showable(row: &QueryRow, shown: &ShownItems) -> bool {
    row.kind == "bullet" && row.overruled_by.is_none() && !shown.contains(&row.address)
}

/// The bullets that name a touched file, or the folder that it is in.
fn naming(session: &Session, touched: &[String], shown: &ShownItems) -> CommandResult<Vec<QueryRow>> {
    let names: Vec<&str> = touched.iter().flat_map(|path| named_parts(path)).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let options = QueryOptions { query: names.join(" "), limit: Some(CANDIDATES), ..QueryOptions::default() };
    let mut rows = query(session, &options)?.items;
    let names_it = |row: &QueryRow| names.iter().any(|name| contains_name(&row.text, name));
    rows.retain(|row| is_showable(row, shown) && names_it(row));
    Ok(rows)
}

/// What may stand in a text for a path: its file name with its ending, and its folders from the second on.
fn named_parts(path: &str) -> Vec<&str> {
    let file = path.rsplit('/').next().filter(|name| name.len() >= 4 && name.trim_start_matches('.').contains('.'));
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]).filter(|folder| folder.contains('/'));
    file.into_iter().chain(folders.filter(|folder| !folder.starts_with('/'))).collect()
}

/// Whether a text has a name that is no part of a longer one: `api.rs` is not in `my_api.rs`.
fn contains_name(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// The paths that a tool call names, each as the rules of a repository write it: relative to the working directory, and
/// to the folder that the memory is in.
fn touched_paths(input: &HookInput, memory: &Path) -> Vec<String> {
    let working_dir = input.directory.as_deref().unwrap_or("/");
    let in_command =
        input.tool.command.split_whitespace().map(|word| word.trim_matches(['"', '\'', ';', ',', ')', '(']));
    let looks_like_path = |word: &&str| {
        let is_name = word.chars().all(|c| c.is_alphanumeric() || "/._-@+".contains(c));
        is_name
            && !word.starts_with('-')
            && word.len() > 2
            && (word.contains('/') || word.trim_start_matches('.').contains('.'))
    };
    let named = input.tool.paths.iter().map(String::as_str).chain(in_command.filter(looks_like_path));
    let mut all: Vec<String> = Vec::new();
    for path in named {
        let absolute = match path.starts_with('/') {
            true => path.to_owned(),
            false => format!("{}/{}", working_dir.trim_end_matches('/'), path.trim_start_matches("./")),
        };
        let roots = [Some(Path::new(working_dir)), memory.parent(), memory.parent().and_then(Path::parent)];
        for root in roots.into_iter().flatten() {
            let relative = Path::new(&absolute).strip_prefix(root).ok().and_then(Path::to_str);
            if let Some(relative) = relative.filter(|path| !path.is_empty() && !all.iter().any(|known| known == path)) {
                all.push(relative.to_owned());
            }
        }
    }
    all
}

/// The words of a path that say what is in it.
fn path_words(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, ending)| if ending.contains('/') { path } else { stem });
    let parts = stem.split(['/', '_', '-', '.']).filter(|part| !GENERIC_NAMES.contains(part));
    parts.collect::<Vec<_>>().join(" ")
}

/// A command without its options.
fn without_options(command: &str) -> String {
    command.split_whitespace().filter(|word| !word.starts_with('-')).collect::<Vec<_>>().join(" ")
}

fn shorten(text: &str) -> String {
    let chars = text.chars().count();
    if chars <= MAX_PROMPT_CHARS {
        return text.to_owned();
    }
    let half = MAX_PROMPT_CHARS / 2;
    text.chars().take(half).chain([' ']).chain(text.chars().skip(chars - half)).collect()
}

/// The text, the addresses in it, and its tokens; `None` without a row.
fn to_text(session: &Session, input: &HookInput, rows: &[QueryRow]) -> Option<(String, Vec<String>, usize)> {
    if rows.is_empty() {
        return None;
    }
    let directory = input.directory.as_deref().map_or(session.dir.as_path(), Path::new);
    let instructions = read_instructions(session, directory);
    let doubts = ItemDoubts::new(session, &instructions);
    let mut text = format!("{NOTES_NOTICE}\n");
    let mut addresses = Vec::new();
    for row in rows {
        let remarks = doubts.remarks(&ShownItem {
            address: &row.address,
            text: &row.text,
            day: row.date.as_deref().and_then(|day| day.parse().ok()),
            anchor: row.meta.get(MetaKey::Anchor.name()).and_then(|anchor| anchor.as_str()),
        });
        let line = format!("- {}: {}{}\n", row.address, sanitize_line(&row.text), remarks.to_text());
        if estimate_llm_tokens(&text) + estimate_llm_tokens(&line) <= MAX_TOKENS {
            text.push_str(&line);
            addresses.push(row.address.clone());
        }
    }
    let tokens = estimate_llm_tokens(&text);
    (!addresses.is_empty()).then_some((text, addresses, tokens))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_a_repository() {
        let input = |paths: &[&str], command: &str| HookInput {
            directory: Some("/w/shop/api".into()),
            tool: crate::host::agent_hosts::ToolCall {
                paths: paths.iter().map(|path| (*path).to_owned()).collect(),
                command: command.into(),
                task: String::new(),
            },
            ..HookInput::default()
        };
        let memory = Path::new("/w/shop/memory");
        let touched = |paths: &[&str], command: &str| touched_paths(&input(paths, command), memory);
        assert_eq!(touched(&["/w/shop/api/src/a.rs"], ""), ["src/a.rs", "api/src/a.rs", "shop/api/src/a.rs"]);
        assert_eq!(touched(&["src/a.rs"], ""), ["src/a.rs", "api/src/a.rs", "shop/api/src/a.rs"]);
        assert_eq!(touched(&[], "rm -rf './build' && vim notes.md")[..1], ["build"]);
        assert_eq!(touched(&["/etc/passwd"], "ls -la"), Vec::<String>::new());
    }

    #[test]
    fn a_name_is_found_as_a_whole() {
        assert!(
            contains_name("Never edit api.rs by hand", "api.rs") && contains_name("`src/api.rs`: generated", "api.rs")
        );
        assert!(!contains_name("Never edit my_api.rs", "api.rs") && !contains_name("api.rs2", "api.rs"));
        assert_eq!(named_parts("src/db/pool.rs"), ["pool.rs", "src/db"]);
        assert_eq!(named_parts("Makefile"), Vec::<&str>::new());
        assert_eq!(path_words("src/user_profile/index.test.ts"), "user profile");
    }
}
