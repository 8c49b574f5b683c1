//! Which files are not as a reader knows them, with both texts.
//!
//! Never tells what that means: `view/context/delta` does. Outside edits are gaps in the journal's chain of etags.

use std::collections::{HashMap, HashSet};

use super::Mark;
use super::mark::Names;
use crate::change::{Entry, Etag, Inverts, Outcome};
use crate::document::Document;
use crate::path::MemoryPath;
use crate::store::{Past, Side};
use crate::view::context::cut;
use crate::view::context::delta::{Touched, home};

/// The most files whose texts are fetched from history; the others are told by their names.
const TEXTS: usize = 256;

/// What the journal says of one file.
#[derive(Clone, Debug, Default)]
struct Chain {
    /// As the reader knows it; none where it was not there.
    known: Option<Etag>,
    /// Revisions whose text on one side has that etag.
    sources: Vec<(u64, Side)>,
    /// The last revision that the reader knows.
    then: Option<u64>,
    /// As the last revision left it.
    left: Option<Etag>,
    /// The last revision since the mark.
    rev: Option<u64>,
    /// Whether an undo or redo wrote it since.
    inverted: bool,
    /// Titles that were appended since.
    titles: Vec<String>,
}

/// A file on disk that is not as the reader knows it, or not as the journal left it.
pub struct Base {
    path: MemoryPath,
    etag: Etag,
    /// Its text, where the reader knows another.
    document: Option<Document>,
}

/// What the journal says of every file it knows.
pub struct News<'a> {
    /// The files that were there when the reader looked, where they are not those that are there now.
    knew: Option<HashSet<&'a str>>,
    there: &'a Names,
    chains: HashMap<&'a MemoryPath, Chain>,
}

impl<'a> News<'a> {
    /// Reads the chains once.
    pub fn new(mark: &'a Mark, revisions: &'a [Entry], there: &'a Names) -> News<'a> {
        let knew = (mark.files() != there).then(|| mark.files().all());
        let was_there = |path: &MemoryPath| knew.as_ref().is_none_or(|names| names.contains(path.as_str()));
        let mut chains: HashMap<&MemoryPath, Chain> = HashMap::new();
        for entry in revisions.iter().filter(|r| r.outcome == Outcome::Done) {
            for file in &entry.files {
                let first = !chains.contains_key(&file.path);
                let chain = chains.entry(&file.path).or_default();
                chain.left = file.after;
                if entry.rev <= mark.rev() {
                    (chain.known, chain.then) = (file.after, Some(entry.rev));
                    continue;
                }
                if first {
                    // Not there when the reader looked: it came from outside, before memdir first wrote it.
                    chain.known = file.before.filter(|_| was_there(&file.path));
                }
                chain.rev = Some(entry.rev);
                match entry.inverts {
                    Some(Inverts::Undo(_) | Inverts::Redo(_)) => chain.inverted = true,
                    None => chain.titles.extend(titles(entry)),
                }
            }
        }
        for (path, chain) in &mut chains {
            if let Some(etag) = mark.outside(path) {
                chain.known = etag;
            }
        }
        let mut news = News { knew, there, chains };
        news.find_sources(revisions);
        news
    }

    fn find_sources(&mut self, revisions: &[Entry]) {
        for entry in revisions.iter().filter(|r| r.outcome == Outcome::Done) {
            for file in &entry.files {
                let Some(chain) = self.chains.get_mut(&file.path) else { continue };
                for (etag, side) in [(file.before, Side::Before), (file.after, Side::After)] {
                    if etag.is_some() && etag == chain.known {
                        chain.sources.push((entry.rev, side));
                    }
                }
            }
        }
    }

    /// Whether the journal knows a file.
    pub fn knows(&self, path: &MemoryPath) -> bool {
        self.chains.contains_key(path)
    }

    /// Looks at a file on disk; `None` where it is as the journal left it and as the reader knows it, or where the
    /// journal does not know it and the reader does.
    pub fn base(&self, path: &MemoryPath, bytes: &[u8]) -> Option<Base> {
        if path.folder() == Some("inbox") {
            return None;
        }
        let Some(chain) = self.chains.get(path) else {
            let new =
                || Base { path: path.clone(), etag: Etag::of(bytes), document: Document::read(bytes.to_vec()).ok() };
            let was_there = self.knew.as_ref().is_none_or(|names| names.contains(path.as_str()));
            return (!was_there).then(new);
        };
        let etag = Etag::of(bytes);
        let known = chain.known == Some(etag);
        if known && chain.left == Some(etag) {
            return None;
        }
        let document = if known { None } else { Document::read(bytes.to_vec()).ok() };
        Some(Base { path: path.clone(), etag, document })
    }

    /// The files that are not as the reader knows them, in the order of their paths, and those that are not as the
    /// journal left them. Where nothing is `told`, the latter alone.
    pub fn touched(
        &self,
        past: &Past,
        bases: Vec<Base>,
        told: bool,
    ) -> (Vec<Touched>, HashMap<MemoryPath, Option<Etag>>) {
        let nothing = self.chains.is_empty() && self.knew.is_none();
        let there = if nothing { HashSet::new() } else { self.there.all() };
        let mut outside: HashMap<MemoryPath, Option<Etag>> = HashMap::new();
        let mut changed: Vec<(MemoryPath, Option<Document>, bool)> = Vec::new();
        for base in bases {
            let chain = self.chains.get(&base.path);
            if chain.is_some_and(|chain| chain.left != Some(base.etag)) {
                outside.insert(base.path.clone(), Some(base.etag));
            }
            if chain.is_none_or(|chain| chain.known != Some(base.etag)) {
                changed.push((base.path, base.document, true));
            }
        }
        for (path, chain) in
            self.chains.iter().filter(|(p, _)| !there.contains(p.as_str()) && p.folder() != Some("inbox"))
        {
            if chain.left.is_some() {
                outside.insert((*path).clone(), None);
            }
            if chain.known.is_some() {
                changed.push(((*path).clone(), None, false));
            }
        }
        if !told {
            return (Vec::new(), outside);
        }
        changed.sort_by(|a, b| a.0.cmp(&b.0));
        let told = changed.into_iter().enumerate().map(|(n, (path, after, is))| {
            let none = Chain::default();
            let chain = self.chains.get(&path).unwrap_or(&none);
            let before = if n < TEXTS { self.before(past, &path, chain) } else { None };
            let outside = outside.contains_key(&path);
            touched(path, chain, before, after, is, outside)
        });
        (told.chain(self.gone(&there)).collect(), outside)
    }

    /// Files that the reader knows, the journal does not, and that are not there any more.
    fn gone(&self, there: &HashSet<&str>) -> Vec<Touched> {
        let mut gone: Vec<MemoryPath> = self
            .knew
            .iter()
            .flat_map(|names| names.difference(there))
            .filter_map(|name| MemoryPath::found(name).ok())
            .filter(|path| !self.chains.contains_key(path))
            .collect();
        gone.sort();
        gone.into_iter().map(|path| Touched { path: Some(path), was: true, ..Touched::default() }).collect()
    }

    /// The text that the reader knows; where that is gone, the one that the last revision it knows left.
    fn before(&self, past: &Past, path: &MemoryPath, chain: &Chain) -> Option<Document> {
        let text = |(rev, side): (u64, Side)| {
            let version = past.text(rev, path, side).ok().flatten()?;
            Document::read(version.bytes.to_vec()).ok()
        };
        let known = chain.sources.iter().rev().find_map(|source| text(*source));
        known.or_else(|| text((chain.then.filter(|_| chain.known.is_some())?, Side::After)))
    }
}

fn touched(
    path: MemoryPath,
    chain: &Chain,
    before: Option<Document>,
    after: Option<Document>,
    is: bool,
    outside: bool,
) -> Touched {
    let home = home(&path);
    Touched {
        before: before.map(|document| cut(&home, document)),
        after: match (after, is) {
            (Some(document), _) => Some(cut(&home, document)),
            // It is there, and no text: as good as empty.
            (None, true) => Some(cut(&home, Document::parse(""))),
            (None, false) => None,
        },
        was: chain.known.is_some(),
        rev: chain.rev.filter(|_| !outside),
        inverted: chain.inverted,
        titles: chain.titles.clone(),
        path: Some(path),
    }
}

/// The titles of entries that a revision appended.
fn titles(entry: &Entry) -> Vec<String> {
    let title = |op: &serde_json::Value| op.get("title").and_then(|t| t.as_str()).map(str::to_owned);
    entry.operations.iter().filter_map(title).collect()
}
