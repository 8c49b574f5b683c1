//! What a memory knows about a prompt or a tool call, at the moment of it: rules for the touched paths first, then what
//! the words are about.
//!
//! Never shows a session what it has seen already, never more than 300 tokens, and nothing that is not worth it.

use std::path::Path;

use super::{HookAnswer, ResultUse};
use crate::change::FileVersion;
use crate::commands::item_doubts::{ItemDoubts, read_instructions};
use crate::commands::query::query;
use crate::commands::{CommandResult, Session};
use crate::document::{Document, Handle, MetaKey};
use crate::host::agent_hosts::{AgentHost, HookEvent, HookInput};
use crate::host::git_dir::GitDirectory;
use crate::path::{MemoryPath, relative_to_roots};
use crate::store::RevisionSide;
use crate::text::command_paths::{command_names, command_paths, command_programs};
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::text::stem;
use crate::text::stopwords::{is_generic, is_stopword};
use crate::text::topic_match::{Topic, TopicMatch, worth_showing};
use crate::text::word_frequency::per_mille;
use crate::view::context::remarks::ShownItem;
use crate::view::context::sanitize::{NOTES_NOTICE, sanitize_line, truncate};
use crate::view::query::filter::QueryOptions;
use crate::view::query::items::identity as identity_of;
use crate::view::query::query_row::QueryRow;
use path_names::{contains_name, is_whole_path, named_parts, names_another_folder, path_words, top_folder};
use shown::{ShownBullet, ShownItems, text_hash};

mod path_names;
pub mod shown;
mod task_hits;

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
/// The most words of the names of touched files that are searched for: a command may name hundreds.
const MAX_NAME_WORDS: usize = 40;
/// In how many of the newest revisions of a file the place of a text is looked for.
const MAX_REVISIONS: usize = 16;
/// How common the name of a program may be with which a rule begins, in texts of a thousand: `ssh` has 11.
const MAX_PROGRAM_SHARE: u32 = 15;
/// The answer to a prompt or a tool call; `None` if the host takes no text then, or if nothing is worth showing.
pub fn recall(session: &Session, host: &AgentHost, event: HookEvent, input: &HookInput) -> Option<HookAnswer> {
    if !host.takes_text(event) {
        return None;
    }
    let mut shown = ShownItems::load(session, input);
    let serves_agents = host.takes_text(HookEvent::SubagentStart);
    let mut rows = match event {
        HookEvent::UserPrompt => {
            if serves_agents {
                task_hits::forget(session, input);
            }
            about(session, &input.prompt, PROMPT_ITEMS, &shown, true).ok()?
        }
        // Its sub-agent has ended.
        HookEvent::PostTool if input.tool.starts_agent.is_some() => return None,
        _ => for_tool(session, input, &shown, serves_agents).ok()?,
    };
    without_other_branches(session, input, &mut rows);
    let lines = to_lines(session, input, rows);
    // Saved before it is printed: another hook of the session may be about to show the same.
    let is_free = shown.claim(&session.store, lines.iter().map(|(bullet, _)| bullet.clone()).collect());
    let mut is_free = is_free.into_iter();
    let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).filter(|_| is_free.next() == Some(true)).collect();
    if lines.is_empty() {
        return None;
    }
    let text = format!("{NOTES_NOTICE}\n{}", lines.concat());
    let envelope = host.context_envelope(event, &text);
    let used = Some(ResultUse::of_injection(estimate_llm_tokens(&text)));
    Some(HookAnswer { envelope, used, claimed: Some(shown), ..HookAnswer::default() })
}

/// What is known about the task of a sub-agent that starts: the lines that fit, without bullets that it has seen or is
/// shown besides.
pub fn task_lines(
    session: &Session,
    input: &HookInput,
    shown: &ShownItems,
    beside: &[ShownBullet],
) -> Vec<(ShownBullet, String)> {
    let mut rows = task_hits::take(session, input).unwrap_or_default();
    rows.retain(|row| is_showable(session, row, shown));
    without_other_branches(session, input, &mut rows);
    let lines = to_lines(session, input, rows);
    lines.into_iter().filter(|(bullet, _)| !beside.iter().any(|other| other.has_text_of(bullet))).collect()
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
fn for_tool(
    session: &Session,
    input: &HookInput,
    shown: &ShownItems,
    serves_agents: bool,
) -> CommandResult<Vec<QueryRow>> {
    let touched = touched_paths(input, &session.dir);
    let mut rows = Vec::new();
    if !touched.is_empty() {
        let options = QueryOptions { touching: touched.clone(), limit: Some(CANDIDATES), ..QueryOptions::default() };
        rows = query(session, &options)?.items;
        let importance =
            |row: &QueryRow| row.meta.get("imp").and_then(|imp| imp.as_str()?.parse().ok()).unwrap_or(5_u8);
        rows.sort_by_key(|row| std::cmp::Reverse(importance(row)));
        rows.retain(|row| is_showable(session, row, shown));
        keep_first_of_equal_texts(&mut rows);
        rows.truncate(TOOL_ITEMS);
    }
    let left = TOOL_ITEMS - rows.len();
    if left == 0 {
        return Ok(rows);
    }
    let mut more = if !input.tool.task.is_empty() {
        let unseen = ShownItems::reset(session, input);
        let mut found = about(session, &input.tool.task, CANDIDATES, &unseen, true)?;
        if let Some(agent_type) = input.tool.starts_agent.as_deref().filter(|_| serves_agents) {
            task_hits::record(session, input, agent_type, &found[..found.len().min(PROMPT_ITEMS)]);
        }
        found.retain(|row| is_showable(session, row, shown));
        found
    } else {
        let files = touched.iter().filter(|path| !path.ends_with("/**"));
        let words: Vec<String> = files.map(|path| path_words(path)).collect();
        let command = without_options(&input.tool.command);
        let mut found = naming(session, input, &touched, shown)?;
        let about = about(session, &format!("{} {command}", words.join(" ")), left, shown, false)?;
        found.extend(about.into_iter().filter(|row| !names_another_folder(&row.text, &touched)));
        found
    };
    more.retain(|row| rows.iter().all(|other| !has_equal_text(other, row)));
    keep_first_of_equal_texts(&mut more);
    more.truncate(if input.tool.task.is_empty() { left } else { PROMPT_ITEMS });
    rows.extend(more);
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
        QueryOptions { query: question, limit: Some(CANDIDATES), vectors: Some(is_prose), ..QueryOptions::default() };
    let is_close = |row: &QueryRow| row.similarity.is_some_and(|similarity| similarity >= MIN_SIMILARITY);
    // The date of an entry is structure, no fact.
    let is_fact = |row: &QueryRow| {
        row.identity.is_some() && !(row.path.starts_with("episodes/") && row.text.starts_with("Date: "))
    };
    let bullets = query(session, &options)?.items.into_iter().filter(is_fact);
    let compare = |row: &QueryRow| {
        let keywords = row.meta.get(MetaKey::Keywords.name()).and_then(|words| words.as_str());
        topic.compare(&row.text, &row.title, keywords.unwrap_or_default())
    };
    let mut found: Vec<(TopicMatch, QueryRow)> = bullets.map(|row| (compare(&row), row)).collect();
    if is_prose {
        found = worth_showing(found, is_close)
    } else {
        found.retain(|(found, row)| found.is_about() || is_close(row))
    }
    found.retain(|(_, row)| is_showable(session, row, shown));
    let score =
        |(found, row): &(TopicMatch, QueryRow)| found.score() + SIMILARITY_WEIGHT * row.similarity.unwrap_or_default();
    found.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let mut rows: Vec<QueryRow> = found.into_iter().map(|(_, row)| row).collect();
    keep_first_of_equal_texts(&mut rows);
    rows.truncate(count);
    Ok(rows)
}

/// Whether two rows have the same text, in different files or layers.
fn has_equal_text(a: &QueryRow, b: &QueryRow) -> bool {
    a.address == b.address || a.identity.is_some() && a.identity == b.identity
}

fn keep_first_of_equal_texts(rows: &mut Vec<QueryRow>) {
    let mut kept: Vec<QueryRow> = Vec::new();
    for row in rows.drain(..) {
        if kept.iter().all(|other| !has_equal_text(other, &row)) {
            kept.push(row);
        }
    }
    *rows = kept;
}

/// Whether a row may be shown: a bullet that no nearer layer overrules, and that the session has not seen, or has seen
/// before another text in its place.
fn is_showable(session: &Session, row: &QueryRow, shown: &ShownItems) -> bool {
    let Some(identity) = row.identity.filter(|_| row.overruled_by.is_none()) else { return false };
    !shown.contains(identity) || is_back(session, &row.path, identity, shown).unwrap_or(false)
}

/// Whether a text that the session has seen is back in the place of one that it was shown later, and which is gone:
/// after an undo, its last word would be the outdated one.
fn is_back(session: &Session, path: &str, identity: Handle, shown: &ShownItems) -> Option<bool> {
    let later = shown.shown_after(&ShownBullet::new(identity, path));
    let path = MemoryPath::from_disk_name(path).ok().filter(|_| !later.is_empty())?;
    let texts = |version: &FileVersion| -> Option<Vec<Handle>> {
        let document = Document::from_bytes(version.bytes.to_vec()).ok()?;
        Some((0..document.bullets().len()).map(|bullet| identity_of(&document, path.as_str(), bullet)).collect())
    };
    let now: Vec<String> = texts(&session.store.read(&path).ok()??)?.into_iter().map(text_hash).collect();
    let gone: Vec<&String> = later.iter().filter(|text| !now.contains(text)).collect();
    if gone.is_empty() {
        return Some(false);
    }
    let history = session.store.read_recent_history().ok()?;
    let revisions: Vec<u64> = {
        let entries = history.entries().into_iter().rev();
        let of_file = entries.filter(|entry| entry.files.iter().any(|file| file.path == path));
        of_file.map(|entry| entry.rev).take(MAX_REVISIONS).collect()
    };
    let versions = history.texts_of(&path);
    for rev in revisions {
        let before = versions.text(rev, RevisionSide::Before).ok().flatten();
        let Some(before) = before.and_then(|version| texts(&version)) else { continue };
        if before.iter().any(|text| gone.contains(&&text_hash(*text))) {
            return Some(!before.contains(&identity));
        }
    }
    Some(false)
}

/// The names of the folders from which paths are looked at, each with a slash: every path has them, so they name none.
fn root_folders(session: &Session, directory: Option<&str>) -> Vec<String> {
    let memory = [session.dir.parent(), session.dir.parent().and_then(Path::parent)];
    let roots = memory.into_iter().flatten().chain(directory.map(Path::new));
    roots.filter_map(|root| Some(format!("{}/", root.file_name()?.to_str()?))).collect()
}

/// The bullets that name a touched file, a folder that it is in, or a command.
fn naming(
    session: &Session,
    input: &HookInput,
    touched: &[String],
    shown: &ShownItems,
) -> CommandResult<Vec<QueryRow>> {
    let (roots, commands) = (root_folders(session, input.directory.as_deref()), command_names(&input.tool.command));
    let top_folders = touched.iter().filter_map(|path| top_folder(path)).filter(|folder| !roots.contains(folder));
    let top_folders: Vec<String> = top_folders.collect();
    let mut programs = command_programs(&input.tool.command);
    programs.retain(|program| {
        per_mille(&stem(program)) <= MAX_PROGRAM_SHARE && !is_stopword(program) && !is_generic(program)
    });
    let parts = touched.iter().flat_map(|path| named_parts(path)).chain(commands.iter().map(String::as_str));
    let names: Vec<&str> = parts.collect();
    let contains = |text: &str| {
        names.iter().any(|name| contains_name(text, name))
            || top_folders.iter().any(|name| is_whole_path(text, name))
            || programs.iter().any(|program| is_about_program(text, program))
    };
    let names_it = |row: &QueryRow| contains(&row.text);
    let all = names.iter().copied().chain(top_folders.iter().chain(&programs).map(String::as_str));
    let all: Vec<&str> = all.collect();
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let options = QueryOptions { query: name_words(&all), limit: Some(CANDIDATES), ..QueryOptions::default() };
    let mut rows = query(session, &options)?.items;
    rows.retain(|row| names_it(row) && is_showable(session, row, shown));
    Ok(rows)
}

/// Whether a text is about a program: it begins with its name, as `psql on production only …`.
fn is_about_program(text: &str, program: &str) -> bool {
    text.strip_prefix(program).is_some_and(|rest| rest.starts_with([' ', ':']))
}

/// The words by which texts with one of these names are searched for, each once. What every path has, `src` and `rs`,
/// is left out, because half of a memory may have it, too; but a name that has nothing else is searched for as it is.
fn name_words(names: &[&str]) -> String {
    let mut words: Vec<String> = Vec::new();
    for name in names {
        let telling = path_words(name);
        let of_name = if telling.is_empty() { name } else { telling.as_str() };
        for word in of_name.split_whitespace() {
            if words.len() < MAX_NAME_WORDS && !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
    }
    words.join(" ")
}

/// The paths that a tool call names, each as the rules of a repository write it: relative to the working directory, and
/// to the folder that the memory is in.
fn touched_paths(input: &HookInput, memory: &Path) -> Vec<String> {
    let working_dir = input.directory.as_deref().unwrap_or("/");
    let command_dir = match &*input.tool.directory {
        "" => working_dir.to_owned(),
        directory if directory.starts_with('/') => directory.to_owned(),
        directory => format!("{working_dir}/{directory}"),
    };
    let in_command = command_paths(&input.tool.command, &command_dir);
    let named = input.tool.paths.iter().chain(&in_command).map(String::as_str);
    relative_to_roots(named, working_dir, memory)
}

/// A command without its options, and with the telling words of its paths.
fn without_options(command: &str) -> String {
    let words = command.split_whitespace().filter(|word| !word.starts_with('-'));
    let telling = |word: &str| if word.contains('/') { path_words(word) } else { word.to_owned() };
    words.map(telling).collect::<Vec<_>>().join(" ")
}

fn shorten(text: &str) -> String {
    let chars = text.chars().count();
    if chars <= MAX_PROMPT_CHARS {
        return text.to_owned();
    }
    let half = MAX_PROMPT_CHARS / 2;
    text.chars().take(half).chain([' ']).chain(text.chars().skip(chars - half)).collect()
}

/// The lines of the rows that fit, each with the bullet that it is of.
fn to_lines(session: &Session, input: &HookInput, rows: Vec<QueryRow>) -> Vec<(ShownBullet, String)> {
    if rows.is_empty() {
        return Vec::new();
    }
    let directory = input.directory.as_deref().map_or(session.dir.as_path(), Path::new);
    let instructions = read_instructions(session, directory);
    let doubts = ItemDoubts::new(session, &instructions);
    let parts = rows.into_iter().map(|row| {
        let remarks = doubts.remarks(&ShownItem {
            address: &row.address,
            text: &row.text,
            day: row.date.as_deref().and_then(|day| day.parse().ok()),
            anchor: row.meta.get(MetaKey::Anchor.name()).and_then(|anchor| anchor.as_str()),
        });
        let head = format!("- {}: ", sanitize_line(&row.address));
        let line = [head, sanitize_line(&row.text), format!("{}\n", remarks.to_text())];
        (row, line)
    });
    let parts: Vec<(QueryRow, [String; 3])> = parts.collect();
    let is_rule = |row: &QueryRow| row.meta.contains_key(MetaKey::When.name());
    let mut text = format!("{NOTES_NOTICE}\n");
    let mut lines = Vec::new();
    for (n, (row, [head, words, tail])) in parts.iter().enumerate() {
        let mut line = [head.as_str(), words, tail].concat();
        let mut room = MAX_TOKENS - estimate_llm_tokens(&text);
        if is_rule(row) {
            // A rule is never left out for its length, its address leads to the rest; nor are those below it.
            let below = parts[n + 1..].iter().filter(|(row, _)| is_rule(row));
            let below: Vec<usize> = below.map(|(_, line)| estimate_llm_tokens(&line.concat())).collect();
            let share = room / (below.len() + 1);
            room -= below.into_iter().map(|tokens| tokens.min(share)).sum::<usize>();
            if estimate_llm_tokens(&line) > room {
                let most = room.saturating_sub(estimate_llm_tokens(&[head.as_str(), tail].concat()) + 1);
                line = [head.as_str(), &truncate(words, most), tail].concat();
            }
        }
        let fits = estimate_llm_tokens(&line) <= room;
        if let Some(identity) = row.identity.filter(|_| fits) {
            text.push_str(&line);
            lines.push((ShownBullet::new(identity, &row.path), line));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_a_repository() {
        let input = |paths: &[&str], command: &str| HookInput {
            directory: Some("/w/shop/api".into()),
            tool: crate::host::agent_hosts::HostToolCall {
                paths: paths.iter().map(|path| (*path).to_owned()).collect(),
                command: command.into(),
                ..Default::default()
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
