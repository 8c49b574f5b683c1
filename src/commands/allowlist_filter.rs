//! The read filter for the policy's allowlists: hides from an agent everything outside its categories
//! (ARCHITECTURE.md, "Visibility").
//!
//! Never needs the help of a command: everything that is read through the session's store is already filtered.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::{Value, json};

use super::Session;
use crate::change::{EntryFile, EntryHeader, Etag, JournalEntry};
use crate::code::{Code, Rejection, quote_short};
use crate::document::{
    BlockKind, Document, DocumentBlock, Handle, MAX_FILE_BYTES, Visibility, VisibleParts, summary_ranges,
};
use crate::path::MemoryPath;
use crate::store::{ReadFilter, RevisionSide, Store};

impl Session {
    /// What the caller may see; `None` if it may see everything. Texts read through the session's store are already
    /// filtered.
    pub fn visibility(&self) -> Option<Visibility> {
        Visibility::for_agent(&self.policy.policy, &self.actor)
    }

    /// The visibility that the session's store enforces; `None` if the store is unfiltered.
    pub(super) fn filtered_visibility(&self) -> Option<Visibility> {
        self.store.require_unfiltered().is_err().then(|| self.visibility())?
    }

    /// The etag of a file as the caller is shown it, with the text that it sees. Where a part is hidden, that of the
    /// whole file would tell when that part changes, and whether it is a guessed text.
    pub(super) fn shown_etag(&self, text: &str, whole: Etag) -> Etag {
        match self.store.require_unfiltered() {
            Ok(()) => whole,
            Err(_) => Etag::of(text.as_bytes()),
        }
    }

    /// Installs the filter for the caller's allowlist in the store, if the policy has one.
    pub fn with_allowlist(mut self) -> Session {
        if let Some(visibility) = self.visibility() {
            self.store = self.store.filtered(Arc::new(AllowlistFilter::new(visibility)));
        }
        self
    }

    /// The session without the filter: for decisions that need everything, never for what is shown to the caller.
    pub(super) fn unfiltered(&self) -> Session {
        Session {
            store: self.store.unfiltered(),
            dir: self.dir.clone(),
            found_by: self.found_by,
            prefixes: self.prefixes.clone(),
            policy: self.policy.clone(),
            scope: self.scope.clone(),
            layers: self.layers.clone(),
            layer_name: self.layer_name.clone(),
            embeddings: self.embeddings.clone(),
            key_file: self.key_file.clone(),
            user_tokens_per_day: self.user_tokens_per_day,
            actor: self.actor.clone(),
            is_agent: self.is_agent,
            now: self.now.clone(),
            progress: self.progress.clone(),
            spent: self.spent.clone(),
        }
    }
}

/// The rejection for anything that an agent may not see or change. It reveals nothing about what is hidden.
pub(super) fn allowlist_rejection() -> Rejection {
    Rejection::new(Code::CategoryNotAllowed, "this is outside the caller's allowlist")
        .hint("the allowlists in memdir.yaml list the categories that each agent may see")
}

/// The session for a query on behalf of another agent: restricted by that agent's allowlist and by the caller's.
pub(super) fn session_for_agent(session: &Session, agent: &str) -> (Session, Option<Visibility>) {
    let agent_visibility = Visibility::for_agent(&session.policy.policy, agent);
    let visibility = match session.visibility() {
        Some(sight) => Some(sight.restrict_to(agent_visibility)),
        None => agent_visibility,
    };
    let mut restricted = session.unfiltered();
    if let Some(sight) = &visibility {
        restricted.store = restricted.store.filtered(Arc::new(AllowlistFilter::new(sight.clone())));
    }
    (restricted, visibility)
}

/// Refuses a query for a category that the caller may not see.
///
/// # Errors
/// `category_not_allowed`.
pub(super) fn check_categories<'c>(
    visibility: &Visibility,
    categories: impl IntoIterator<Item = &'c String>,
) -> Result<(), Rejection> {
    match categories.into_iter().find(|category| visibility.hides_category(category)) {
        Some(category) => Err(Rejection::new(
            Code::CategoryNotAllowed,
            format!("the category {} is not in the caller's allowlist", quote_short(category)),
        )
        .hint("the allowlists in memdir.yaml list the categories that each agent may see")),
        None => Ok(()),
    }
}

/// The read filter of one allowlist.
pub(super) struct AllowlistFilter {
    visibility: Visibility,
    /// The handles of all bullets and other blocks that are hidden in the current files; computed on first use.
    hidden_blocks: OnceLock<HashSet<Handle>>,
    /// Cache of whether each path may be named.
    nameable: Mutex<HashMap<MemoryPath, bool>>,
}

impl AllowlistFilter {
    pub(super) fn new(visibility: Visibility) -> AllowlistFilter {
        AllowlistFilter { visibility, hidden_blocks: OnceLock::new(), nameable: Mutex::default() }
    }

    /// The blocks that are hidden in the current files. Old versions must not show them either, even where they were
    /// once visible.
    fn hidden_blocks(&self, unfiltered: &Store) -> &HashSet<Handle> {
        self.hidden_blocks.get_or_init(|| {
            let files = unfiltered.walk(None).unwrap_or_default();
            let each = unfiltered.map_files(&files, MAX_FILE_BYTES, &|file, read| {
                let Some(document) = read.ok().and_then(|(bytes, _)| Document::from_bytes(bytes.to_vec()).ok()) else {
                    return Vec::new();
                };
                let hidden = self.visibility.hidden_ranges(&document, &file.path);
                let inside =
                    |node: &&DocumentBlock| hidden.iter().any(|range| range.contains(&(node.span.start as usize)));
                document.blocks().iter().filter(inside).map(|node| block_handle(&document, node)).collect()
            });
            each.into_iter().flatten().collect()
        })
    }

    /// Whether a file may be named, judged by its current text, or by its last text if it was removed.
    fn may_be_named(&self, unfiltered: &Store, rev: u64, file: &EntryFile) -> bool {
        let mut nameable = self.nameable.lock().unwrap_or_else(PoisonError::into_inner);
        *nameable.entry(file.path.clone()).or_insert_with(|| {
            let old_version = |side| unfiltered.text_at(rev, &file.path, side).ok().flatten();
            let version = unfiltered.read(&file.path).ok().flatten();
            let version =
                version.or_else(|| old_version(RevisionSide::After)).or_else(|| old_version(RevisionSide::Before));
            version.is_some_and(|v| self.filter_text(&file.path, &v.bytes).is_some())
        })
    }

    fn filter_entry(&self, unfiltered: &Store, entry: JournalEntry) -> JournalEntry {
        let (rev, verb) = (entry.rev, |op: &Value| op.get("op").map(|verb| json!({ "op": verb })));
        let named = |path: &MemoryPath| {
            let nameable = self.nameable.lock().unwrap_or_else(PoisonError::into_inner);
            nameable.get(path).copied().unwrap_or(false) && self.visibility.shows_path(path)
        };
        let operations = entry.operations.iter().filter_map(verb).collect();
        let files = entry.files.into_iter().filter(|file| self.may_be_named(unfiltered, rev, file)).collect::<Vec<_>>();
        let without_texts = |file: EntryFile| EntryFile {
            moved: file.moved.clone().filter(|path| named(path)),
            edits: None,
            summary: None,
            ..file
        };
        JournalEntry {
            header: EntryHeader { reason: None, source: None, consent: None, ..entry.header },
            answer: None,
            operations,
            files: files.into_iter().map(without_texts).collect(),
            ..entry
        }
    }
}

impl ReadFilter for AllowlistFilter {
    fn refusal(&self) -> Rejection {
        allowlist_rejection()
    }

    fn hides_file(&self, path: &MemoryPath) -> bool {
        !self.visibility.shows_path(path)
    }

    fn filter_text<'b>(&self, path: &MemoryPath, bytes: &'b [u8]) -> Option<Cow<'b, [u8]>> {
        // Without text there are no categories to decide by, so the file is hidden.
        let text = std::str::from_utf8(bytes).ok()?;
        let document = Document::parse(text);
        match self.visibility.visible_parts(&document, path) {
            VisibleParts::All => Some(Cow::Borrowed(bytes)),
            VisibleParts::Except(_) => {
                self.visibility.visible_text(&document, path).map(|seen| Cow::Owned(seen.into_bytes()))
            }
            VisibleParts::Nothing => None,
        }
    }

    /// An old version shows what was visible then and is not hidden now. If a part of the file is hidden, now or then,
    /// only bullets and headings that are visible in the current file are shown: the others may have been rephrased
    /// into something that is hidden now.
    fn filter_past_text<'b>(&self, unfiltered: &Store, path: &MemoryPath, bytes: &'b [u8]) -> Option<Cow<'b, [u8]>> {
        let then = Document::parse(std::str::from_utf8(bytes).ok()?);
        let now = unfiltered.read(path).ok().flatten().and_then(|v| Document::from_bytes(v.bytes.to_vec()).ok());
        let visible_now = now.as_ref().map(|now| self.visibility.visible_parts(now, path));
        let visible_then = self.visibility.visible_parts(&then, path);
        if visible_then == VisibleParts::Nothing || visible_now == Some(VisibleParts::Nothing) {
            return None;
        }
        let partly_hidden =
            matches!(visible_then, VisibleParts::Except(_)) || matches!(visible_now, Some(VisibleParts::Except(_)));
        let visible_document = now.and_then(|now| self.visibility.visible_text(&now, path)).map(Document::parse);
        let visible_handles: Option<HashSet<Handle>> =
            visible_document.as_ref().map(|seen| seen.handles().iter().copied().collect());
        let visible_slugs: Option<HashSet<String>> = visible_document.as_ref().map(section_slugs);
        let hidden_blocks = self.hidden_blocks(unfiltered);
        let hidden = self.visibility.hidden_ranges(&then, path);
        let mut removed: Vec<std::ops::Range<usize>> = hidden;
        for node in then.blocks() {
            let kept = match node.kind {
                BlockKind::Bullet(_) => {
                    let handle = block_handle(&then, node);
                    !partly_hidden || visible_handles.as_ref().is_some_and(|known| known.contains(&handle))
                }
                BlockKind::Heading(section) => {
                    let slug = &then.sections()[section as usize].slug;
                    !partly_hidden || visible_slugs.as_ref().is_some_and(|titles| titles.contains(slug))
                }
                _ => !partly_hidden,
            };
            if !kept || hidden_blocks.contains(&block_handle(&then, node)) {
                removed.push(node.span.range());
            }
        }
        if partly_hidden && let Some(front) = then.front_matter() {
            removed.push(front.range());
        }
        if removed.is_empty() {
            return Some(Cow::Borrowed(bytes));
        }
        removed.extend(summary_ranges(&then));
        Some(Cow::Owned(remove_ranges(then.text(), removed).into_bytes()))
    }

    /// Reduces each entry to revision, time, actor, operation names and visible files. Reason, source and texts are
    /// removed, because they may mention anything.
    fn filter_entries(&self, unfiltered: &Store, entries: Vec<JournalEntry>) -> Vec<JournalEntry> {
        // Newest first: the newest entry of a removed file decides whether the file may be named, and the result is
        // cached.
        let mut filtered: Vec<JournalEntry> =
            entries.into_iter().rev().map(|entry| self.filter_entry(unfiltered, entry)).collect();
        filtered.reverse();
        filtered
    }
}

/// The handle of a block: a bullet's handle, or a hash of the title or text of another block.
fn block_handle(document: &Document, node: &DocumentBlock) -> Handle {
    match node.kind {
        BlockKind::Bullet(bullet) => document.handles()[bullet as usize],
        BlockKind::Heading(section) => Handle::of(&document.section_title(section as usize)),
        _ => Handle::of(&document.text()[node.span.range()]),
    }
}

fn section_slugs(document: &Document) -> HashSet<String> {
    document.sections().iter().map(|section| section.slug.clone()).collect()
}

/// The text without these byte ranges, which may overlap.
fn remove_ranges(text: &str, mut ranges: Vec<std::ops::Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for range in ranges {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        at = at.max(range.end);
    }
    out + text.get(at..).unwrap_or_default()
}
