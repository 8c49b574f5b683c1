//! What waits to be committed: which files, and what became of their bullets.
//!
//! Never changes anything; texts come from git's objects and from the data dir as it is.

use std::collections::HashMap;

use crate::change::{Entry, Etag};
use crate::code::Rejection;
use crate::commands::Session;
use crate::document::{Document, Handle};
use crate::host::git::Git;
use crate::host::repository::Pending;
use crate::operation::regions;
use crate::path::MemoryPath;
use crate::view::journal;
use crate::view::pairs::{Fate, fates};

/// The most files whose bullets are counted.
const MOST: usize = 500;

/// How many bullets came, went, were rephrased, moved, or got other metadata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// New ones.
    pub added: usize,
    /// Rephrased ones.
    pub updated: usize,
    /// Ones that stand elsewhere.
    pub moved: usize,
    /// Ones with other metadata.
    pub set: usize,
    /// Ones that are gone.
    pub removed: usize,
}

/// A file that waits.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// Its path.
    pub path: String,
    /// Whether the commit lacks it.
    pub new: bool,
    /// Whether it stands no more.
    pub gone: bool,
    /// Whether it had a text and has none now.
    pub blank: bool,
    /// Whether it holds conflict markers that the commit's text has not.
    pub marked: bool,
    /// Whether its present text is not what memdir left.
    pub outside: bool,
    /// What became of its bullets.
    pub counts: Counts,
}

/// Looks at the files that wait.
///
/// # Errors
/// `git`.
pub fn pieces(session: &Session, git: &Git, pending: &[Pending], entries: &[Entry]) -> Result<Vec<Piece>, Rejection> {
    let looked: Vec<&Pending> = pending.iter().filter(|p| p.path.ends_with(".md")).take(MOST).collect();
    let objects: Vec<&str> = looked.iter().filter_map(|p| p.was.as_deref()).collect();
    let mut contents = git.contents(&objects)?.into_iter();
    let left = journal::left(entries);
    let (mut came, mut went) = (HashMap::<Handle, Vec<usize>>::new(), Vec::new());
    let mut pieces = Vec::with_capacity(pending.len());
    for file in pending {
        let mut piece = Piece { path: file.path.clone(), new: file.was.is_none(), gone: file.gone, ..Piece::default() };
        if looked.iter().any(|p| std::ptr::eq(*p, file)) {
            let before = file.was.as_ref().and_then(|_| contents.next()).unwrap_or_default();
            let now = MemoryPath::found(&file.path).ok().and_then(|path| session.store.read(&path).ok().flatten());
            let after = now.as_ref().map(|v| v.bytes.to_vec()).unwrap_or_default();
            piece.outside = is_outside(&left, &file.path, now.map(|v| v.etag));
            piece.blank = !file.gone && after.is_empty() && !before.is_empty();
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            let (before, after) = (text(before), text(after));
            piece.marked = regions::size(&after).is_some() && regions::size(&before).is_none();
            let (before, after) = (Document::parse(before), Document::parse(after));
            for fate in fates(&before, &after) {
                match fate {
                    Fate::Added(new) => came.entry(after.handles()[new]).or_default().push(pieces.len()),
                    Fate::Removed(old) => went.push((before.handles()[old], pieces.len())),
                    Fate::Updated(..) => piece.counts.updated += 1,
                    Fate::Moved(..) => piece.counts.moved += 1,
                    Fate::Set(..) => piece.counts.set += 1,
                }
            }
        }
        pieces.push(piece);
    }
    across(&mut pieces, came, went);
    Ok(pieces)
}

/// A bullet that went from one file and came in another has moved.
fn across(pieces: &mut [Piece], mut came: HashMap<Handle, Vec<usize>>, went: Vec<(Handle, usize)>) {
    for (handle, from) in went {
        match came.get_mut(&handle).and_then(Vec::pop) {
            Some(to) => pieces[to].counts.moved += 1,
            None => pieces[from].counts.removed += 1,
        }
    }
    came.into_values().flatten().for_each(|at| pieces[at].counts.added += 1);
}

fn is_outside(left: &HashMap<&MemoryPath, (Option<Etag>, u64)>, path: &str, now: Option<Etag>) -> bool {
    let known = left.iter().find(|(known, _)| known.as_str() == path);
    known.is_none_or(|(_, (etag, _))| *etag != now)
}
