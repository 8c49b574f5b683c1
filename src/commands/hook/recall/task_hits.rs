//! What is known about the tasks that a session gives to sub-agents, kept from the call of the tool until the sub-agent
//! starts: hosts name the task at the one moment and take a text for the sub-agent at the other.
//!
//! In the file of `shown.rs`, as hashes. Best effort: what cannot be written is left out.

use std::collections::{HashMap, HashSet};

use super::shown::{LOCK, LOCK_WAIT, RESET, ShownBullet, ShownFile, hash};
use crate::commands::query::query;
use crate::commands::{CommandResult, Session};
use crate::host::agent_hosts::HookInput;
use crate::view::query::filter::QueryOptions;
use crate::view::query::query_row::QueryRow;

/// What an item begins with that stands for a task: the type of its sub-agent and the hits of the task follow.
const TASK: char = '+';
/// What an item begins with that stands for the start of a sub-agent of a type.
const START: char = '<';

/// A task whose sub-agent has not started yet.
struct WaitingTask {
    /// The hash of the type of the sub-agent; empty if the call names none.
    agent_type: String,
    hits: Vec<String>,
}

/// Keeps what is known about a task, also that it is nothing: each sub-agent takes one task.
pub fn record(session: &Session, input: &HookInput, agent_type: &str, hits: &[QueryRow]) {
    let bullets = hits.iter().filter_map(|row| Some(ShownBullet::new(row.identity?, &row.path).to_item()));
    let items = [format!("{TASK}{}", type_hash(agent_type))].into_iter().chain(bullets).collect::<Vec<_>>();
    let _lock = session.store.lock_note(LOCK, LOCK_WAIT);
    file(session, input).append(&session.store, &items);
}

/// Forgets the tasks whose sub-agents did not start: they were refused, or have no hook.
pub fn forget(session: &Session, input: &HookInput) {
    let file = file(session, input);
    if !waiting(&file.items(&session.store)).is_empty() {
        let _lock = session.store.lock_note(LOCK, LOCK_WAIT);
        file.append(&session.store, &[RESET.to_owned()]);
    }
}

/// The bullets about the task of a sub-agent that starts: the oldest that waits, and is for its type.
///
/// # Errors
/// Those of a query.
pub fn take(session: &Session, input: &HookInput) -> CommandResult<Vec<QueryRow>> {
    let agent_type = type_hash(&input.agent_type);
    let hits = {
        let _lock = session.store.lock_note(LOCK, LOCK_WAIT);
        let file = file(session, input);
        let mut waiting = waiting(&file.items(&session.store));
        let Some(task) = take_first(&mut waiting, &agent_type) else { return Ok(Vec::new()) };
        file.append(&session.store, &[format!("{START}{agent_type}")]);
        task.hits
    };
    if hits.is_empty() {
        return Ok(Vec::new());
    }
    let options = QueryOptions { within: globs_of(session, &hits)?, ..QueryOptions::default() };
    let mut found: HashMap<String, QueryRow> = HashMap::new();
    for row in query(session, &options)?.items {
        if let Some(identity) = row.identity {
            found.entry(ShownBullet::new(identity, &row.path).to_item()).or_insert(row);
        }
    }
    Ok(hits.iter().filter_map(|hit| found.remove(hit)).collect())
}

/// Globs of the files that the hits are in; of all, if one of them is in another memory.
fn globs_of(session: &Session, hits: &[String]) -> CommandResult<Vec<String>> {
    let files: HashSet<&str> = hits.iter().map(|hit| ShownBullet::file_of(hit)).collect();
    let paths = session.store.walk(None)?.into_iter().map(|file| file.path.to_string());
    let paths: Vec<String> = paths.filter(|path| files.contains(ShownBullet::file_hash(path).as_str())).collect();
    Ok(if paths.len() < files.len() { vec!["**".to_owned()] } else { paths })
}

fn file(session: &Session, input: &HookInput) -> ShownFile {
    ShownFile::new(&format!("{}\0\0tasks\0{}", input.session, session.actor), session)
}

fn type_hash(agent_type: &str) -> String {
    if agent_type.is_empty() { String::new() } else { hash(agent_type, 3) }
}

fn waiting(items: &[String]) -> Vec<WaitingTask> {
    let mut tasks: Vec<WaitingTask> = Vec::new();
    for item in items {
        if item == RESET {
            tasks.clear();
        } else if let Some(agent_type) = item.strip_prefix(TASK) {
            tasks.push(WaitingTask { agent_type: agent_type.to_owned(), hits: Vec::new() });
        } else if let Some(agent_type) = item.strip_prefix(START) {
            take_first(&mut tasks, agent_type);
        } else if let Some(task) = tasks.last_mut() {
            task.hits.push(item.clone());
        }
    }
    tasks
}

fn take_first(tasks: &mut Vec<WaitingTask>, agent_type: &str) -> Option<WaitingTask> {
    let is_for = |task: &WaitingTask| task.agent_type.is_empty() || task.agent_type == agent_type;
    tasks.iter().position(is_for).map(|at| tasks.remove(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_start_takes_the_oldest_task_of_its_type() {
        let items = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let hits =
            |text: &str| -> Vec<String> { waiting(&items(text)).iter().map(|task| task.hits.join("")).collect() };
        assert_eq!(hits("+aa 1 2 +bb 3 + 4"), ["12", "3", "4"]);
        assert_eq!(hits("+aa 1 2 +bb 3 + 4 <bb"), ["12", "4"]);
        assert_eq!(hits("+aa 1 +bb 3 + 4 <cc <aa"), ["3"]);
        assert_eq!(hits("+aa 1 * +bb 3 <aa"), ["3"]);
    }
}
