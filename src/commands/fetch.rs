//! Gets what planning asks for: the only use case that may look through the whole directory.
//!
//! Never changes anything.

use crate::change::{Entry, EntryFile, Etag, Outcome};
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::document::links::{Link, candidates, links, names};
use crate::operation::{History, Past, Snapshot, Want};
use crate::path::MemoryPath;
use crate::store::{Found, Side, Store};

/// The largest file, in bytes.
const WHOLE: usize = 64 * 1024 * 1024;
/// How many of a file's newest revisions a refusal looks into; twice as many texts in all.
const PAST: usize = 20;

/// Fetches one want into the snapshot.
pub fn fetch(store: &Store, want: Want, snapshot: &mut Snapshot) -> Result<(), Rejection> {
    match want {
        Want::File(path) => {
            let read = store.read(&path);
            snapshot.learn(path, read);
        }
        Want::Names => snapshot.learn_names(store.walk(None)?.into_iter().map(|f| f.path).collect()),
        Want::Id(id) => {
            let holders = holding(store, |path, text| text.contains(&id) && holds_id(path, text, &id))?;
            snapshot.learn_id(id, holders);
        }
        Want::LinksTo(to) => {
            let holders = holding(store, |path, text| links_to(path, text, &to))?;
            snapshot.learn_links(to, holders);
        }
        Want::Line(of) => {
            let entries = store.recent()?;
            let line =
                done(&entries).rev().flat_map(|e| &e.files).filter(|f| f.path == of).find_map(|f| f.summary.clone());
            snapshot.learn_line(of, line);
        }
        Want::History(of) => {
            let history = history(store, &store.journal()?, &of);
            snapshot.learn_history(of, history);
        }
    }
    Ok(())
}

fn done(entries: &[Entry]) -> impl DoubleEndedIterator<Item = &Entry> {
    entries.iter().filter(|e| e.outcome == Outcome::Done)
}

/// The files whose text fits, sorted by path. What is no plain text file is left out.
///
/// # Errors
/// `io` when a folder or a file cannot be read: what it holds decides what is to be changed.
pub fn holding(store: &Store, fits: impl Fn(&MemoryPath, &str) -> bool + Sync) -> Result<Vec<MemoryPath>, Rejection> {
    let files: Vec<Found> = store.walk(None)?.into_iter().filter(|f| !is_aside(&f.path)).collect();
    let found = store.each(&files, WHOLE, &|file, read| {
        let bytes = match read {
            Ok((bytes, _)) => bytes,
            Err(why) if why.code == Code::Io => return Err(why),
            Err(_) => return Ok(None),
        };
        let Ok(text) = std::str::from_utf8(bytes) else { return Ok(None) };
        Ok(fits(&file.path, text).then(|| file.path.clone()))
    });
    found.into_iter().filter_map(Result::transpose).collect()
}

/// Archived and proposed items are not part of the memory that addresses look through.
pub fn is_aside(path: &MemoryPath) -> bool {
    matches!(path.folder(), Some("archive" | "inbox"))
}

fn holds_id(_path: &MemoryPath, text: &str, id: &str) -> bool {
    let document = Document::parse(text);
    document.sections().iter().any(|s| s.id.as_deref() == Some(id))
        || (0..document.bullets().len()).any(|i| document.bullet_id(i).is_some_and(|x| x == id))
}

fn links_to(holder: &MemoryPath, text: &str, to: &MemoryPath) -> bool {
    let named = |l: &Link| names(&text[l.start..l.end], l.wiki, holder, to);
    // Most files hold nothing that even looks like it: those are not parsed.
    candidates(text).iter().any(named) && links(&Document::parse(text)).iter().any(named)
}

/// What journal and slots know of a file, newest first. Texts that cannot be had any more are left out.
///
/// Looked into are the newest revisions, and before those the ones where a text can have gone: something was taken
/// out, or somebody edited the file outside memdir. An old handle is worth an answer after 800 additions too.
pub fn history(store: &Store, entries: &[Entry], of: &MemoryPath) -> History {
    let mut history = History::default();
    let mut newer: Option<Option<Etag>> = None;
    let files = |e| own(e, of).map(|file| (e, file));
    for (n, (entry, file)) in done(entries).rev().filter_map(files).enumerate() {
        match newer.replace(file.before) {
            None => history.left = text(store, entry.rev, of, Side::After),
            Some(next) if next != file.after => {
                let document = text(store, entry.rev, of, Side::After);
                history.past.extend(document.map(|d| past(entry, None, d)));
            }
            Some(_) => {}
        }
        if n < PAST || takes_away(file) {
            let document = text(store, entry.rev, of, Side::Before);
            history.past.extend(document.map(|d| past(entry, Some(entry.rev), d)));
        }
        if history.past.len() >= 2 * PAST {
            break;
        }
    }
    history
}

fn own<'e>(entry: &'e Entry, of: &MemoryPath) -> Option<&'e EntryFile> {
    entry.files.iter().find(|f| f.path == *of)
}

fn past(entry: &Entry, rev: Option<u64>, document: Document) -> Past {
    let actor = rev.map_or("outside", |_| &entry.actor).to_owned();
    Past { rev, actor, at: entry.at.clone(), document }
}

fn takes_away(file: &EntryFile) -> bool {
    file.edits.as_ref().is_none_or(|edits| edits.iter().any(|e| !e.old.trim().is_empty()))
}

/// One text of a file's history.
pub fn text(store: &Store, rev: u64, of: &MemoryPath, side: Side) -> Option<Document> {
    let version = store.text(rev, of, side).ok().flatten()?;
    Document::read(version.bytes.to_vec()).ok()
}
