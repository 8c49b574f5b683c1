//! `init`: creates a data directory, or adopts an existing directory.
//!
//! Never changes an existing file.

use std::path::Path;

use super::results::InitResult;
use super::{CommandResult, InitOptions};
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::host::find::memory_around;
use crate::host::git::Git;
use crate::host::trusted;
use crate::path::MemoryPath;
use crate::policy;
use crate::store::scopes::ScopeState;
use crate::store::{Store, StoreOptions, init};

/// The files of the example memory: path and text.
const EXAMPLE: [(&str, &str); 7] = [
    ("facts/user.md", include_str!("../../fixtures/example/facts/user.md")),
    ("facts/people.md", include_str!("../../fixtures/example/facts/people.md")),
    ("facts/preferences.md", include_str!("../../fixtures/example/facts/preferences.md")),
    ("facts/project.md", include_str!("../../fixtures/example/facts/project.md")),
    ("episodes/2026-09.md", include_str!("../../fixtures/example/episodes/2026-09.md")),
    ("episodes/2026-10.md", include_str!("../../fixtures/example/episodes/2026-10.md")),
    ("procedures/release.md", include_str!("../../fixtures/example/procedures/release.md")),
];

/// Creates a data directory. Takes no session, because a session needs a data directory.
///
/// # Errors
/// `exists` for a directory that already contains markdown (without `adopt`), `io`, `read_only`.
pub fn init(dir: &Path, options: &InitOptions) -> CommandResult<InitResult> {
    let mut created = Vec::new();
    create_files(dir, options, &mut created).map_err(|mut failure| {
        if !created.is_empty() {
            failure.rejections.iter_mut().for_each(|r| r.changed = Some(true));
        }
        failure
    })
}

fn create_files(dir: &Path, options: &InitOptions, created: &mut Vec<String>) -> CommandResult<InitResult> {
    init::create_directory(dir)?;
    let store = Store::open(dir, StoreOptions::default())?;
    // Files of an interrupted `init --example` do not count as existing files, so that it can be run again.
    let example = |path: &MemoryPath| {
        let text = EXAMPLE.iter().find(|(name, _)| options.example && *name == path.as_str());
        text.is_some_and(|(_, text)| matches!(store.read(path), Ok(Some(v)) if *v.bytes == text.as_bytes()))
    };
    let existing = store.walk(None)?.iter().filter(|found| !example(&found.path)).count();
    let is_memory = store.has_top_name(init::POLICY_FILE)?;
    let mut has_texts = existing > 0;
    for state in [ScopeState::Live, ScopeState::Archived] {
        has_texts |= !store.scope_names(state)?.is_empty();
    }
    if existing > 0 && !is_memory && !options.adopt {
        return Err(Rejection::new(Code::Exists, format!("the directory already contains {existing} markdown files"))
            .hint("use --adopt to turn the directory into a memory without changing its files")
            .try_command(SuggestedCommand {
                subcommand: vec!["init", "--adopt"],
                operands: vec![dir.display().to_string()],
            })
            .into());
    }
    if existing > 0 && options.example {
        return Err(Rejection::new(Code::Exists, "--example needs an empty directory").into());
    }
    if !is_memory {
        store.create_file(init::POLICY_FILE, policy::TEMPLATE.as_bytes())?;
        created.push(init::POLICY_FILE.to_owned());
    }
    if !options.adopt && existing == 0 {
        if store.create_file(init::GITIGNORE_FILE, init::GITIGNORE_TEXT.as_bytes())? {
            created.push(init::GITIGNORE_FILE.to_owned());
        }
        for (path, text) in EXAMPLE.iter().filter(|_| options.example) {
            if store.create_file(path, text.as_bytes())? {
                created.push((*path).to_owned());
            }
        }
        for folder in ["facts", "episodes"] {
            store.create_folder(folder)?;
        }
    }
    let notes = if is_memory {
        vec!["the directory is already a memory".to_owned()]
    } else {
        let mut notes = location_notes(dir);
        if options.trust {
            notes.extend(trust(dir, options.is_agent && has_texts));
        }
        notes
    };
    Ok(InitResult {
        dir: std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned()).display().to_string(),
        changed: !created.is_empty(),
        created: std::mem::take(created),
        adopted: if options.adopt { existing } else { 0 },
        notes,
    })
}

/// What a person should know about where a new memory is.
fn location_notes(dir: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(outer) = memory_around(dir) {
        notes.push(format!(
            "this is inside the memory {}, which lists these files as its own; remove {} if you did not intend this",
            outer.display(),
            dir.display()
        ));
    }
    if std::path::absolute(dir).is_ok_and(|dir| Git::discover(&dir).is_some()) {
        notes.push("this is a git work tree; run `memdir setup git` to make git merge the memory by bullet".to_owned());
    }
    notes
}

/// Lets hooks act on a new memory, unless a person has to decide that. Returns why they will not.
fn trust(dir: &Path, needs_person: bool) -> Option<String> {
    if needs_person {
        return Some(
            "hooks will not act on this memory until a person trusts it, as its files were there before".to_owned(),
        );
    }
    // The memory exists either way: without the entry, only hooks do not act on it.
    let error = trusted::add(dir, &|name| std::env::var(name).ok()).err()?;
    Some(format!("hooks will not act on this memory: {}", error.message))
}
