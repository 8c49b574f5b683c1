//! What one agent may see: the allowlists, laid over everything that a store gives out.
//!
//! Whatever a command reads through its session has passed here; no command needs to ask.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::{Value, json};

use super::{Failure, Session};
use crate::change::{Entry, EntryFile};
use crate::code::{Code, Rejection};
use crate::document::{Document, Handle, Kind, Node, Shown, Sight, summaries};
use crate::path::MemoryPath;
use crate::shape::shown;
use crate::store::{Side, Store, Veil};

impl Session {
    /// What the caller may see of a text; `None` where that is everything. Texts that come from the session's store have
    /// passed this already.
    pub fn sight(&self) -> Option<Sight> {
        Sight::of(&self.policy.policy, &self.actor)
    }

    /// The session with the caller's allowlist laid over its store, if the policy has one for it.
    pub fn gated(mut self) -> Session {
        if let Some(sight) = self.sight() {
            self.store = self.store.veiled(Arc::new(Gate::new(sight)));
        }
        self
    }

    /// The same session with all that the store holds: for what is decided, not for what is shown.
    pub(super) fn bare(&self) -> Session {
        Session {
            store: self.store.bare(),
            dir: self.dir.clone(),
            found_by: self.found_by,
            prefixes: self.prefixes.clone(),
            policy: self.policy.clone(),
            actor: self.actor.clone(),
            now: self.now.clone(),
        }
    }
}

/// The refusal of what an agent may not see or change. It says nothing of it.
pub(super) fn refusal() -> Rejection {
    Rejection::new(Code::CategoryNotAllowed, "this reaches what the caller's allowlist leaves out")
        .hint("the policy's allowlists say which categories each agent may see")
}

/// What a refusal becomes that would be none (or `differs`, another one) for whoever sees everything.
pub(super) fn beyond(refused: Failure, differs: bool) -> Failure {
    if differs { refusal().into() } else { refused }
}

/// The session for a question that says itself who asks: that one's allowlist holds beside the caller's.
pub(super) fn asking(session: &Session, agent: &str) -> (Session, Option<Sight>) {
    let own = Sight::of(&session.policy.policy, agent);
    let sight = match session.sight() {
        Some(sight) => Some(sight.and(own)),
        None => own,
    };
    let mut narrow = session.bare();
    if let Some(sight) = &sight {
        narrow.store = narrow.store.veiled(Arc::new(Gate::new(sight.clone())));
    }
    (narrow, sight)
}

/// Refuses a category that the caller may not ask for.
///
/// # Errors
/// `category_not_allowed`.
pub(super) fn asks<'c>(sight: &Sight, categories: impl IntoIterator<Item = &'c String>) -> Result<(), Rejection> {
    match categories.into_iter().find(|category| sight.forbids(category)) {
        Some(category) => Err(Rejection::new(
            Code::CategoryNotAllowed,
            format!("the category {} is not in the caller's allowlist", shown(category)),
        )
        .hint("the policy's allowlists say which categories each agent may see")),
        None => Ok(()),
    }
}

/// An allowlist as a veil.
pub(super) struct Gate {
    sight: Sight,
    /// Bullets and other blocks that are hidden now, wherever they stand.
    buried: OnceLock<HashSet<Handle>>,
    /// Whether files may be named.
    names: Mutex<HashMap<MemoryPath, bool>>,
}

/// The largest file, in bytes.
const WHOLE: usize = 64 << 20;

impl Gate {
    pub(super) fn new(sight: Sight) -> Gate {
        Gate { sight, buried: OnceLock::new(), names: Mutex::default() }
    }

    /// Blocks that are hidden now. One that was visible where it once stood is not told from there either.
    fn buried(&self, bare: &Store) -> &HashSet<Handle> {
        self.buried.get_or_init(|| {
            let files = bare.walk(None).unwrap_or_default();
            let each = bare.each(&files, WHOLE, &|file, read| {
                let Some(document) = read.ok().and_then(|(bytes, _)| Document::read(bytes.to_vec()).ok()) else {
                    return Vec::new();
                };
                let hidden = self.sight.hidden(&document, &file.path);
                let inside = |node: &&Node| hidden.iter().any(|range| range.contains(&(node.span.start as usize)));
                document.nodes().iter().filter(inside).map(|node| mark(&document, node)).collect()
            });
            each.into_iter().flatten().collect()
        })
    }

    /// Whether a file may be named: as it is, or as it was when it went.
    fn named(&self, bare: &Store, rev: u64, file: &EntryFile) -> bool {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        *names.entry(file.path.clone()).or_insert_with(|| {
            let then = |side| bare.text(rev, &file.path, side).ok().flatten();
            let version = bare.read(&file.path).ok().flatten();
            let version = version.or_else(|| then(Side::After)).or_else(|| then(Side::Before));
            version.is_some_and(|v| self.text(&file.path, &v.bytes).is_some())
        })
    }

    fn entry(&self, bare: &Store, entry: Entry) -> Entry {
        let (rev, verb) = (entry.rev, |op: &Value| op.get("op").map(|verb| json!({ "op": verb })));
        let named = |path: &MemoryPath| {
            let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            names.get(path).copied().unwrap_or(false) && self.sight.shows_path(path)
        };
        let operations = entry.operations.iter().filter_map(verb).collect();
        let files = entry.files.into_iter().filter(|file| self.named(bare, rev, file)).collect::<Vec<_>>();
        let plain = |file: EntryFile| EntryFile {
            moved: file.moved.clone().filter(|path| named(path)),
            edits: None,
            summary: None,
            ..file
        };
        Entry {
            reason: None,
            source: None,
            answer: None,
            operations,
            files: files.into_iter().map(plain).collect(),
            ..entry
        }
    }
}

impl Veil for Gate {
    fn refusal(&self) -> Rejection {
        refusal()
    }

    fn again(&self) -> Arc<dyn Veil> {
        Arc::new(Gate::new(self.sight.clone()))
    }

    fn closes(&self, path: &MemoryPath) -> bool {
        !self.sight.shows_path(path)
    }

    fn text<'b>(&self, path: &MemoryPath, bytes: &'b [u8]) -> Option<Cow<'b, [u8]>> {
        // What is no text has no categories that could be told.
        let text = std::str::from_utf8(bytes).ok()?;
        let document = Document::parse(text);
        match self.sight.shown(&document, path) {
            Shown::All => Some(Cow::Borrowed(bytes)),
            Shown::But(_) => self.sight.text(&document, path).map(|seen| Cow::Owned(seen.into_bytes())),
            Shown::Nothing => None,
        }
    }

    /// A text of the past shows what could be seen then and is not hidden now. Where a part of the file is hidden, now
    /// or then, only bullets and headings that can be seen in it today are shown: nobody knows what the others became.
    fn past<'b>(&self, bare: &Store, path: &MemoryPath, bytes: &'b [u8]) -> Option<Cow<'b, [u8]>> {
        let then = Document::parse(std::str::from_utf8(bytes).ok()?);
        let now = bare.read(path).ok().flatten().and_then(|v| Document::read(v.bytes.to_vec()).ok());
        let today = now.as_ref().map(|now| self.sight.shown(now, path));
        let whole = self.sight.shown(&then, path);
        if whole == Shown::Nothing || today == Some(Shown::Nothing) {
            return None;
        }
        let mixed = matches!(whole, Shown::But(_)) || matches!(today, Some(Shown::But(_)));
        let seen = now.and_then(|now| self.sight.text(&now, path)).map(Document::parse);
        let known: Option<HashSet<Handle>> = seen.as_ref().map(|seen| seen.handles().iter().copied().collect());
        let titles: Option<HashSet<String>> = seen.as_ref().map(slugs);
        let buried = self.buried(bare);
        let hidden = self.sight.hidden(&then, path);
        let mut gone: Vec<std::ops::Range<usize>> = hidden;
        for node in then.nodes() {
            let kept = match node.kind {
                Kind::Bullet(_) => {
                    let handle = mark(&then, node);
                    !mixed || known.as_ref().is_some_and(|known| known.contains(&handle))
                }
                Kind::Heading(section) => {
                    let slug = &then.sections()[section as usize].slug;
                    !mixed || titles.as_ref().is_some_and(|titles| titles.contains(slug))
                }
                _ => !mixed,
            };
            if !kept || buried.contains(&mark(&then, node)) {
                gone.push(node.span.range());
            }
        }
        if mixed && let Some(front) = then.front_matter() {
            gone.push(front.range());
        }
        if gone.is_empty() {
            return Some(Cow::Borrowed(bytes));
        }
        gone.extend(summaries(&then));
        Some(Cow::Owned(without(then.text(), gone).into_bytes()))
    }

    /// Of every entry: which, when, by whom, and the files that may be named. Its words may speak of anything.
    fn entries(&self, bare: &Store, entries: Vec<Entry>) -> Vec<Entry> {
        // The newest entry of a file that is gone tells best what it was.
        let mut seen: Vec<Entry> = entries.into_iter().rev().map(|entry| self.entry(bare, entry)).collect();
        seen.reverse();
        seen
    }
}

/// What tells a block from others: a bullet's handle, and the like for others.
fn mark(document: &Document, node: &Node) -> Handle {
    match node.kind {
        Kind::Bullet(bullet) => document.handles()[bullet as usize],
        Kind::Heading(section) => Handle::of(&document.section_title(section as usize)),
        _ => Handle::of(&document.text()[node.span.range()]),
    }
}

fn slugs(document: &Document) -> HashSet<String> {
    document.sections().iter().map(|section| section.slug.clone()).collect()
}

/// A text without these bytes.
fn without(text: &str, mut gone: Vec<std::ops::Range<usize>>) -> String {
    gone.sort_by_key(|range| range.start);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for range in gone {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        at = at.max(range.end);
    }
    out + text.get(at..).unwrap_or_default()
}
