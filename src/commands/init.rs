//! `init`: makes a data dir, or adopts one that is there.
//!
//! Never changes a byte of a file that exists.

use std::path::Path;

use super::answer::{Answer, Init};
use super::{InitQuery, Verdict};
use crate::code::{Code, Hint, Rejection};
use crate::host::git::Git;
use crate::path::MemoryPath;
use crate::policy;
use crate::store::{Options, Store, make};

/// The example memory: paths and texts.
const EXAMPLE: [(&str, &str); 7] = [
    ("facts/user.md", include_str!("../../fixtures/example/facts/user.md")),
    ("facts/people.md", include_str!("../../fixtures/example/facts/people.md")),
    ("facts/preferences.md", include_str!("../../fixtures/example/facts/preferences.md")),
    ("facts/project.md", include_str!("../../fixtures/example/facts/project.md")),
    ("episodes/2026-09.md", include_str!("../../fixtures/example/episodes/2026-09.md")),
    ("episodes/2026-10.md", include_str!("../../fixtures/example/episodes/2026-10.md")),
    ("procedures/release.md", include_str!("../../fixtures/example/procedures/release.md")),
];

/// Makes a data dir. Works without a session, because there is none yet.
///
/// # Errors
/// `exists` for a directory that already holds markdown (adopt it), `io`, `read_only`.
pub fn init(dir: &Path, query: &InitQuery) -> Verdict {
    let mut created = Vec::new();
    make_all(dir, query, &mut created).map_err(|mut failure| {
        if !created.is_empty() {
            failure.rejections.iter_mut().for_each(|r| r.changed = Some(true));
        }
        failure
    })
}

fn make_all(dir: &Path, query: &InitQuery, created: &mut Vec<String>) -> Verdict {
    make::directory(dir)?;
    let store = Store::open(dir, Options::default())?;
    // What an interrupted `init --example` made is no stranger's.
    let example = |path: &MemoryPath| {
        let text = EXAMPLE.iter().find(|(name, _)| query.example && *name == path.as_str());
        text.is_some_and(|(_, text)| matches!(store.read(path), Ok(Some(v)) if *v.bytes == text.as_bytes()))
    };
    let before = store.walk(None)?.iter().filter(|found| !example(&found.path)).count();
    let was = store.has(make::MARKER)?;
    if before > 0 && !was && !query.adopt {
        return Err(Rejection::new(
            Code::Exists,
            format!("the directory holds {before} markdown files already; nothing was changed"),
        )
        .hint("to make them a memory as they are, add --adopt")
        .try_(Hint { verb: vec!["init", "--adopt"], address: vec![dir.display().to_string()] })
        .into());
    }
    if before > 0 && query.example {
        return Err(Rejection::new(Code::Exists, "the example goes into an empty directory only").into());
    }
    if !was {
        store.make_file(make::MARKER, policy::TEMPLATE.as_bytes())?;
        created.push(make::MARKER.to_owned());
    }
    if !query.adopt && before == 0 {
        if store.make_file(make::IGNORE, make::IGNORED.as_bytes())? {
            created.push(make::IGNORE.to_owned());
        }
        for (path, text) in EXAMPLE.iter().filter(|_| query.example) {
            if store.make_file(path, text.as_bytes())? {
                created.push((*path).to_owned());
            }
        }
        for folder in ["facts", "episodes"] {
            store.make_folder(folder)?;
        }
    }
    let mut notes = match was {
        true => vec!["it is a memory already".to_owned()],
        false => Vec::new(),
    };
    if !was && std::path::absolute(dir).is_ok_and(|dir| Git::around(&dir).is_some()) {
        notes.push("this is a git work tree; with `memdir setup git`, git merges the memory by bullet".to_owned());
    }
    Ok(Answer::Init(Init {
        dir: std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned()).display().to_string(),
        changed: !created.is_empty(),
        created: std::mem::take(created),
        adopted: if query.adopt { before } else { 0 },
        notes,
    }))
}
