//! Reports what has changed since a reader's last context, as events: the header of a context.
//!
//! Events are the net difference since the reader's last context, by all actors; never reports a bullet that was added
//! and removed in between.

use std::collections::{HashMap, HashSet};

use super::context_filter::ContextFilter;
use super::seen_items::SeenItems;
pub use super::update_kind::UpdateKind;
pub use super::updates_header::{MAX_EVENTS, SeenRevision, UPDATES_HEAD, UpdateEvent, min_budget, updates_header};
use super::{bullet_item, entries, item_identity, sanitize};
use crate::document::{Document, Handle, RecordedUpdates, section_range, split_category};
use crate::path::MemoryPath;
use crate::text::search_terms;
use crate::view::diff_bullets::{BulletChange, bullet_changes_since, bullet_overlap};
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::ItemFacts;
use crate::view::query::items::{ItemKind, label};

/// Minimum share of common bullets at which a new file counts as a deleted one that was renamed.
const MIN_COMMON: f64 = 0.5;
/// The maximum number of file pairs compared to find renames.
const MAX_FILE_PAIRS: usize = 1 << 12;
/// Minimum share of a deleted bullet's words in another bullet at which it counts as merged into that one.
const MIN_MERGED_SHARE: f64 = 0.6;

/// A file that differs from what the reader has seen.
#[derive(Default)]
pub struct UpdatedFile {
    /// The path; `None` only if there is nothing to report.
    pub path: Option<MemoryPath>,
    /// The file as the reader has seen it; `None` if it did not exist or its text was removed from history.
    pub before: Option<ItemizedFile>,
    /// The file now; `None` if it does not exist.
    pub after: Option<ItemizedFile>,
    /// Whether it existed for the reader.
    pub existed: bool,
    /// The last revision that wrote it; `None` for a change outside memdir.
    pub rev: Option<u64>,
    /// Whether an undo or redo has written it since.
    pub inverted: bool,
    /// Titles of the entries appended since.
    pub titles: Vec<String>,
    /// The bullets whose texts revisions have replaced since.
    pub recorded: RecordedUpdates,
    /// What the reader has seen of it, if `before` is an older text: the one that it saw is in no history.
    pub seen: Option<SeenItems>,
}

impl UpdatedFile {
    fn path(&self) -> &str {
        self.path.as_ref().map_or("", |p| p.as_str())
    }

    fn original_path(&self) -> &str {
        self.path().strip_prefix("archive/").unwrap_or(self.path())
    }

    fn is_archive(&self) -> bool {
        self.path().starts_with("archive/")
    }
}

/// The path without `archive/`: where an archived file's items were before.
pub fn original_path(path: &MemoryPath) -> MemoryPath {
    let home = path.below_archive().and_then(|p| MemoryPath::from_disk_name(p).ok());
    home.unwrap_or_else(|| path.clone())
}

/// A change of one bullet; the numbers are bullet indices before or after.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum BulletUpdate {
    Added(usize),
    Removed(usize),
    Changed(usize, usize),
    /// Reported by another event, or not reported.
    Handled,
}

/// The events, most valuable first: by importance, then the newest. `fresh` holds the bullets that memdir itself has
/// written since.
pub fn update_events(touched: &[UpdatedFile], fresh: &BulletOrigins, filter: &ContextFilter) -> Vec<UpdateEvent> {
    let mut collector = UpdateCollector { touched, fresh, filter, handled: HashSet::new(), out: Vec::new() };
    collector.add_whole_files();
    let mut changes: Vec<Vec<BulletUpdate>> = touched.iter().map(|_| Vec::new()).collect();
    for (f, file) in touched.iter().enumerate().filter(|(f, _)| !collector.handled.contains(f)).collect::<Vec<_>>() {
        let count_before = collector.out.len();
        if file.original_path().starts_with("episodes/") {
            collector.add_entries(f);
        } else {
            let all = bullet_updates(file);
            let (news, has_more) = match &file.seen {
                Some(seen) => seen.news(file, all),
                None => (all, false),
            };
            if has_more && !news.is_empty() && !file.is_archive() {
                collector.add_file(f, UpdateKind::Updated, file.path().to_owned());
            }
            changes[f] = news;
        }
        if collector.out.len() == count_before && changes[f].is_empty() && body_differs(file) && !file.is_archive() {
            let kind = if file.existed { UpdateKind::Updated } else { UpdateKind::Created };
            collector.add_file(f, kind, file.path().to_owned());
        }
    }
    let archived = collector.add_moved(&mut changes);
    for (f, mut own) in changes.into_iter().enumerate() {
        collector.add_merged(f, &mut own);
        // What a merge absorbed is in the archive too, and is reported with the merge alone.
        for n in archived.iter().filter(|(file, _)| *file == f).map(|(_, n)| *n) {
            if let BulletUpdate::Removed(old) = std::mem::replace(&mut own[n], BulletUpdate::Handled) {
                collector.add_bullet_event(f, UpdateKind::SoftDeleted, false, old);
            }
        }
        own.into_iter().for_each(|change| collector.add_bullet(f, change));
    }
    let mut out = collector.out;
    let newest = |e: &UpdateEvent| e.rev.unwrap_or(u64::MAX);
    out.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| newest(b).cmp(&newest(a))));
    out
}

fn bullet_updates(file: &UpdatedFile) -> Vec<BulletUpdate> {
    let none = Document::parse("");
    let (before, after) =
        (file.before.as_ref().map_or(&none, |f| &f.document), file.after.as_ref().map_or(&none, |f| &f.document));
    let stamp = |document: &Document, b: usize| label(document.bullet_raw(b)) == "Updated";
    let change = |bullet_change: BulletChange| match bullet_change {
        BulletChange::Removed(old) => (!stamp(before, old)).then_some(BulletUpdate::Removed(old)),
        BulletChange::Added(new) => (!stamp(after, new)).then_some(BulletUpdate::Added(new)),
        BulletChange::Updated(old, new) | BulletChange::Moved(old, new) | BulletChange::Set(old, new) => {
            (!stamp(after, new)).then_some(BulletUpdate::Changed(old, new))
        }
    };
    bullet_changes_since(before, after, &file.recorded).into_iter().filter_map(change).collect()
}

/// Whether more than the summary line differs.
fn body_differs(file: &UpdatedFile) -> bool {
    if let (Some(seen), Some(after)) = (&file.seen, &file.after) {
        return !seen.has_body(&after.document);
    }
    let body = |side: &Option<ItemizedFile>| side.as_ref().map(|found| body_text(&found.document));
    // A text removed from history cannot be compared: assume that it differs.
    file.existed != file.after.is_some()
        || file.existed && file.before.is_none()
        || body(&file.before) != body(&file.after)
}

/// The text without the summary line.
pub(super) fn body_text(document: &Document) -> String {
    let text = document.text();
    match document.summary_line() {
        Some(line) => text[..line.line.range().start].to_owned() + &text[line.line.range().end..],
        None => text.to_owned(),
    }
}

struct UpdateCollector<'a> {
    touched: &'a [UpdatedFile],
    fresh: &'a BulletOrigins,
    filter: &'a ContextFilter,
    /// Files that need no further events: reported as a whole, or never reported.
    handled: HashSet<usize>,
    out: Vec<UpdateEvent>,
}

impl UpdateCollector<'_> {
    fn may_see_file(&self, f: usize) -> bool {
        let file = &self.touched[f];
        let found = file.after.as_ref().or(file.before.as_ref());
        let path = found.map(|f| f.path.clone()).or_else(|| file.path.as_ref().map(original_path));
        path.is_some_and(|path| self.filter.allows_folder(&path))
    }

    /// Handles files that the reader may not see, that were added or deleted as a whole, or whose old text is lost.
    fn add_whole_files(&mut self) {
        let all = self.touched;
        for (f, file) in all.iter().enumerate() {
            if !self.may_see_file(f) {
                self.handled.insert(f);
            } else if file.existed && file.before.is_none() && file.after.is_some() {
                self.add_file(f, UpdateKind::Updated, file.path().to_owned());
            }
        }
        let was_deleted = |f: &usize| all[*f].existed && all[*f].after.is_none();
        let was_added = |f: &usize| !all[*f].existed && all[*f].after.is_some();
        let deleted: Vec<usize> = (0..all.len()).filter(|f| was_deleted(f) && !self.handled.contains(f)).collect();
        let added: Vec<usize> = (0..all.len()).filter(|f| was_added(f) && !self.handled.contains(f)).collect();
        for f in deleted {
            let renamed = if is_within_pair_limit(all.len(), added.len()) {
                added.iter().copied().find(|g| !self.handled.contains(g) && is_renamed(&all[f], &all[*g]))
            } else {
                None
            };
            let archived =
                all.iter().position(|a| a.is_archive() && a.original_path() == all[f].path() && a.after.is_some());
            match (renamed, archived) {
                // Its bullets may be back in their file.
                _ if all[f].is_archive() && renamed.is_none() => {}
                (_, Some(g)) if !all[f].is_archive() && is_renamed(&all[f], &all[g]) => {
                    self.add_file(f, UpdateKind::SoftDeleted, all[f].path().to_owned());
                    self.handled.insert(g);
                }
                (Some(g), _) if all[f].is_archive() => {
                    self.add_file(g, UpdateKind::Restored, all[g].path().to_owned());
                    self.handled.insert(f);
                }
                (Some(g), _) => {
                    self.add_file(g, UpdateKind::Updated, format!("{} → {}", all[f].path(), all[g].path()));
                    self.handled.insert(f);
                }
                _ => self.add_file(f, UpdateKind::Deleted, all[f].path().to_owned()),
            }
        }
    }

    /// Reports a file as a whole.
    fn add_file(&mut self, f: usize, kind: UpdateKind, text: String) {
        self.handled.insert(f);
        let file = &self.touched[f];
        let text = sanitize::sanitize_line(&text);
        let path = file.path().to_owned();
        self.out.push(UpdateEvent {
            kind,
            path,
            text,
            imp: None,
            value: -1.0,
            rev: file.rev,
            ..UpdateEvent::default()
        });
    }

    /// Reports the entries of an episode file, one event each.
    fn add_entries(&mut self, f: usize) {
        let file = &self.touched[f];
        if file.is_archive() {
            return;
        }
        let (before, after) = (entry_texts(file.before.as_ref()), entry_texts(file.after.as_ref()));
        let archive = self.touched.iter().find(|a| a.is_archive() && a.original_path() == file.path());
        let archived = |side: fn(&UpdatedFile) -> &Option<ItemizedFile>, key: &(String, usize)| {
            archive.is_some_and(|a| entry_texts(side(a).as_ref()).iter().any(|(k, ..)| k.0 == key.0))
        };
        let mut events = Vec::new();
        for (key, item, text) in &after {
            let known = before.iter().find(|(k, ..)| k == key);
            let is_seen = match &file.seen {
                Some(seen) => seen.has_entry(key, text),
                None => known.is_some_and(|(.., was)| was == text),
            };
            let is_known = file.seen.as_ref().map_or(known.is_some(), |seen| seen.has_title(key));
            if is_seen {
                continue;
            }
            let is_unarchived = archived(|a| &a.before, key) && !archived(|a| &a.after, key);
            let kind = if is_known {
                UpdateKind::Updated
            } else if is_unarchived || file.inverted && !file.titles.contains(&key.0) {
                UpdateKind::Restored
            } else {
                UpdateKind::Created
            };
            events.push((kind, &file.after, *item));
        }
        let was_seen = |key: &(String, usize)| file.seen.as_ref().is_none_or(|seen| seen.has_title(key));
        let is_gone = |key: &(String, usize)| was_seen(key) && after.iter().all(|(k, ..)| k != key);
        for (key, item, _) in before.iter().filter(|(key, ..)| is_gone(key)) {
            let kind = if archived(|a| &a.after, key) { UpdateKind::SoftDeleted } else { UpdateKind::Deleted };
            events.push((kind, &file.before, *item));
        }
        for (kind, side, item) in events {
            let Some(found) = side else { continue };
            let origins = BulletOrigins::default();
            let facts = ItemFacts::new(found, &origins);
            if !entries::is_hidden(&facts, item, self.filter) {
                let text = entries::title_with_summary(&facts, item, self.filter);
                self.add_item_event(f, kind, found, item, &text);
            }
        }
    }

    /// Reports bullets that were removed from one file and added to another: restored or moved. Returns the file and
    /// number of each change that moved a bullet to the archive.
    fn add_moved(&mut self, changes: &mut [Vec<BulletUpdate>]) -> Vec<(usize, usize)> {
        let mut archived = Vec::new();
        let mut added: HashMap<Handle, Vec<(usize, usize)>> = HashMap::new();
        for (f, own) in changes.iter().enumerate() {
            for (n, change) in own.iter().enumerate().rev() {
                if let (BulletUpdate::Added(new), Some(after)) = (change, &self.touched[f].after) {
                    added.entry(after.document.handles()[*new]).or_default().push((f, n));
                }
            }
        }
        for f in 0..changes.len() {
            for n in 0..changes[f].len() {
                let (BulletUpdate::Removed(old), Some(before)) = (changes[f][n], &self.touched[f].before) else {
                    continue;
                };
                let Some((g, m)) = added.get_mut(&before.document.handles()[old]).and_then(Vec::pop) else { continue };
                let BulletUpdate::Added(new) = changes[g][m] else { continue };
                (changes[f][n], changes[g][m]) = (BulletUpdate::Handled, BulletUpdate::Handled);
                match (self.touched[f].is_archive(), self.touched[g].is_archive()) {
                    (true, true) => {}
                    (false, true) => {
                        changes[f][n] = BulletUpdate::Removed(old);
                        archived.push((f, n));
                    }
                    (true, false) => self.add_bullet_event(g, UpdateKind::Restored, true, new),
                    (false, false) => self.add_bullet_event(g, UpdateKind::Updated, true, new),
                }
            }
        }
        // The archive keeps a copy of a text that a change replaced: that is no event of its own.
        for f in 0..changes.len() {
            for change in changes[f].clone() {
                let (BulletUpdate::Changed(old, _), Some(before)) = (change, &self.touched[f].before) else { continue };
                let copies = added.get_mut(&before.document.handles()[old]);
                let is_copy = |(g, _): &(usize, usize)| self.touched[*g].is_archive();
                if let Some((copies, at)) = copies.and_then(|all| all.iter().position(is_copy).map(|at| (all, at))) {
                    let (g, m) = copies.swap_remove(at);
                    changes[g][m] = BulletUpdate::Handled;
                }
            }
        }
        archived
    }

    /// Reports bullets whose words another bullet has taken over.
    fn add_merged(&mut self, f: usize, changes: &mut [BulletUpdate]) {
        let file = &self.touched[f];
        let (Some(before), Some(after)) = (&file.before, &file.after) else { return };
        if file.is_archive() || changes.len() > 256 {
            return;
        }
        let words = |document: &Document, b: usize| {
            let mut all = HashSet::new();
            search_terms(&document.bullet_text(b), |t| {
                all.insert(t.to_owned());
            });
            all
        };
        // Each with the words of the new text, and those that it had already.
        let targets: Vec<(usize, usize, HashSet<String>, HashSet<String>)> = changes
            .iter()
            .enumerate()
            .filter_map(|(n, change)| match change {
                // What an operation has added is no text of another one.
                BulletUpdate::Added(new) if file.recorded.is_inserted(after.document.handles()[*new]) => None,
                BulletUpdate::Added(new) => Some((n, *new, words(&after.document, *new), HashSet::new())),
                BulletUpdate::Changed(old, new) => {
                    Some((n, *new, words(&after.document, *new), words(&before.document, *old)))
                }
                _ => None,
            })
            .collect();
        let mut taken: HashMap<usize, Vec<usize>> = HashMap::new();
        for (n, change) in changes.iter().enumerate() {
            let BulletUpdate::Removed(old) = change else { continue };
            let own = words(&before.document, *old);
            let share = |all: &HashSet<String>| own.iter().filter(|w| all.contains(*w)).count();
            // A changed text has absorbed another only if it got what the other one alone said.
            let absorbs = |all: &HashSet<String>, earlier: &HashSet<String>| {
                let distinct = own.difference(earlier).count();
                let taken_over = own.difference(earlier).filter(|w| all.contains(*w)).count();
                taken_over as f64 >= MIN_MERGED_SHARE * distinct as f64
            };
            let fitting = targets.iter().filter(|(_, _, all, earlier)| absorbs(all, earlier));
            let best = fitting.map(|(t, _, all, _)| (share(all), *t)).max_by_key(|(n, t)| (*n, usize::MAX - *t));
            if let Some((_, t)) = best.filter(|(n, _)| *n >= 2 && *n as f64 >= MIN_MERGED_SHARE * own.len() as f64) {
                taken.entry(t).or_default().push(n);
            }
        }
        for (t, new, ..) in targets {
            let Some(removed) = taken.get(&t) else { continue };
            let notes = removed.len() + usize::from(matches!(changes[t], BulletUpdate::Changed(..)));
            changes[t] = BulletUpdate::Handled;
            removed.iter().for_each(|n| changes[*n] = BulletUpdate::Handled);
            let Some(item) = bullet_item(after, new) else { continue };
            let text = after.document.bullet_text(new);
            match notes {
                1 => self.add_item_event(f, UpdateKind::Updated, after, item, &text),
                n => self.add_item_event(f, UpdateKind::Merged, after, item, &format!("Combined {n} notes: {text}")),
            }
        }
    }

    fn add_bullet(&mut self, f: usize, change: BulletUpdate) {
        let file = &self.touched[f];
        match change {
            BulletUpdate::Handled => {}
            BulletUpdate::Removed(_) if file.is_archive() => {}
            BulletUpdate::Removed(old) => self.add_bullet_event(f, UpdateKind::Deleted, false, old),
            BulletUpdate::Added(new) if file.is_archive() => {
                self.add_bullet_event(f, UpdateKind::SoftDeleted, true, new)
            }
            BulletUpdate::Added(new) => {
                let written_by_memdir = file
                    .after
                    .as_ref()
                    .zip(file.path.as_ref())
                    .is_some_and(|(after, path)| self.fresh.find(path, after.document.handles()[new]).is_some());
                self.add_bullet_event(
                    f,
                    if file.inverted && !written_by_memdir { UpdateKind::Restored } else { UpdateKind::Created },
                    true,
                    new,
                );
            }
            BulletUpdate::Changed(_, new) if !file.is_archive() => {
                self.add_bullet_event(f, UpdateKind::Updated, true, new)
            }
            BulletUpdate::Changed(..) => {}
        }
    }

    /// Reports a bullet, with its text now (`after`) or before.
    fn add_bullet_event(&mut self, f: usize, kind: UpdateKind, after: bool, bullet: usize) {
        let side = if after { &self.touched[f].after } else { &self.touched[f].before };
        let Some(file) = side else { return };
        if let Some(item) = bullet_item(file, bullet) {
            self.add_item_event(f, kind, file, item, &file.document.bullet_text(bullet));
        }
    }

    fn add_item_event(&mut self, f: usize, kind: UpdateKind, file: &ItemizedFile, item: usize, text: &str) {
        let origins = BulletOrigins::default();
        let facts = ItemFacts::new(file, &origins);
        // That an item is archived because it expired, or is back, is reported; else expired items are left out.
        let is_archive_move = matches!(kind, UpdateKind::SoftDeleted | UpdateKind::Restored);
        if !is_archive_move && !self.filter.allows_item(&facts, item) {
            return;
        }
        let text = match split_category(text).0 {
            Some(_) => sanitize::sanitize_line(text),
            None => sanitize::sanitize_line(&format!("[{}] {text}", section_or_file_title(file, item))),
        };
        let imp = facts.importance(item);
        let value = if facts.is_pinned(item) { 11.0 } else { imp.map_or(-1.0, f64::from) };
        let imp = imp.map(|imp| imp.to_string());
        let (path, rev) = (self.touched[f].path().to_owned(), self.touched[f].rev);
        let identity = item_identity(file, item).filter(|_| kind.is_there());
        self.out.push(UpdateEvent { kind, path, text, imp, value, rev, identity, ..UpdateEvent::default() });
    }
}

fn is_within_pair_limit(deleted: usize, added: usize) -> bool {
    deleted.saturating_mul(added) <= MAX_FILE_PAIRS
}

fn is_renamed(deleted: &UpdatedFile, added: &UpdatedFile) -> bool {
    match (&deleted.before, &added.after) {
        (Some(a), Some(b)) => {
            !a.document.bullets().is_empty() && bullet_overlap(&a.document, &b.document) >= MIN_COMMON
        }
        _ => false,
    }
}

/// The innermost section's title, else the file's name.
fn section_or_file_title(file: &ItemizedFile, item: usize) -> String {
    let (document, item) = (&file.document, &file.items[item]);
    match document.sections()[item.section as usize].level {
        _ if item.kind == ItemKind::Entry => file.path.stem().to_owned(),
        0 | 1 => file.path.stem().to_owned(),
        _ => document.section_title(item.section as usize).into_owned(),
    }
}

/// An entry: its title with a counter among equal titles, its item index, and its text.
pub(super) type EntryText<'a> = ((String, usize), usize, &'a str);

pub(super) fn entry_texts(side: Option<&ItemizedFile>) -> Vec<EntryText<'_>> {
    let Some(file) = side else { return Vec::new() };
    let mut out: Vec<EntryText<'_>> = Vec::new();
    for (n, item) in file.items.iter().enumerate().filter(|(_, item)| item.kind == ItemKind::Entry) {
        let title = file.document.section_title(item.section as usize).into_owned();
        let equal_titles = out.iter().filter(|((t, _), ..)| *t == title).count();
        let text = &file.document.text()[section_range(&file.document, item.section as usize)];
        out.push(((title, equal_titles), n, text.trim_end()));
    }
    out
}
