//! The limits on a scope as a whole (`limits: [{at: scopes/*, entries: 10}]` of the parent memory): its files are
//! counted together, and at the limit the oldest items of all of them move to the archive.
//!
//! Never evicts a pinned item, nor one that the change itself adds or touches.

use std::collections::BTreeMap;

use super::journal_notes::bullet_origins;
use super::{Error, Session};
use crate::change::{Changeset, Etag};
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::operation::evict::{EvictionCandidate, ItemAges, candidate_date, candidate_size, contains_pinned, is_new};
use crate::operation::limits::{
    ContentSize, SizeLimits, counted_measure, entry_sections, limits_apply_to, section_size,
};
use crate::operation::overlay::Overlay;
use crate::operation::{Action, Operation, Snapshot, Target};
use crate::path::MemoryPath;
use crate::policy::{LimitMeasure, LimitRule, OnLimit};
use crate::view::query::item_facts::ItemDate;

/// A file before and after a change; `None` where it does not exist.
struct ScopeFile {
    before: Option<Document>,
    /// The etag of `before`.
    etag: Option<Etag>,
    /// The new text, parsed; `None` if the file is unchanged or removed.
    after: Option<Document>,
    is_changed: bool,
}

impl ScopeFile {
    fn after(&self) -> Option<&Document> {
        if self.is_changed { self.after.as_ref() } else { self.before.as_ref() }
    }
}

type ScopeFiles = BTreeMap<MemoryPath, ScopeFile>;

/// How a file is found as it was before a change, if it has been read.
type LoadedText<'a> = &'a dyn Fn(&MemoryPath) -> Option<(Document, Etag)>;

/// The removals that keep the scope within its limits, to be planned with the operations of the change; none if it is
/// within them.
///
/// # Errors
/// `limit_reached` for a limit with `on_limit: refuse`, or if everything else is pinned.
pub fn needed_evictions(
    session: &Session,
    snapshot: &Snapshot,
    limits: &[LimitRule],
    changeset: &Changeset,
) -> Result<Vec<Operation>, Error> {
    let loaded =
        |path: &MemoryPath| snapshot.file(path).ok().flatten().map(|file| (file.document.clone(), file.version.etag));
    let files = read_files(session, &loaded, changeset)?;
    let chosen = choose_evictions(session, &files, limits, true)?;
    Ok(chosen.iter().filter_map(|(path, item)| removal(path, files.get(path)?, *item)).collect())
}

/// The sizes to which files must be reduced so that the scope is within its limits after the changes of an overlay: by
/// as much as their oldest items have. Empty if it is within them or, with `only_grown`, if the changes do not let it
/// grow.
///
/// # Errors
/// As [`needed_evictions`].
pub fn needed_reductions(
    session: &Session,
    overlay: &Overlay,
    limits: &[LimitRule],
    only_grown: bool,
) -> Result<BTreeMap<MemoryPath, SizeLimits>, Error> {
    let loaded = |path: &MemoryPath| overlay.original(path).map(|file| (file.document.clone(), file.version.etag));
    let files = read_files(session, &loaded, &overlay.changeset)?;
    let mut reductions: BTreeMap<MemoryPath, SizeLimits> = BTreeMap::new();
    for (path, item) in choose_evictions(session, &files, limits, only_grown)? {
        let Some(document) = files.get(&path).and_then(ScopeFile::after) else { continue };
        let freed = candidate_size(document, item);
        let size = section_size(document, 0);
        let most = reductions.entry(path).or_default();
        match item {
            EvictionCandidate::Entry(_) => most.entries = Some(most.entries.unwrap_or(size.entries).saturating_sub(1)),
            EvictionCandidate::Bullet(_) => {
                most.bullets = Some(most.bullets.unwrap_or(size.bullets).saturating_sub(freed.bullets));
            }
        }
    }
    Ok(reductions)
}

/// The oldest items that the scope has too many of.
fn choose_evictions(
    session: &Session,
    files: &ScopeFiles,
    limits: &[LimitRule],
    only_grown: bool,
) -> Result<Vec<(MemoryPath, EvictionCandidate)>, Error> {
    let (before, after) = (total(files, |file| file.before.as_ref()), total(files, ScopeFile::after));
    let mut chosen: Vec<(MemoryPath, EvictionCandidate)> = Vec::new();
    for measure in [LimitMeasure::Entries, LimitMeasure::Bullets, LimitMeasure::Chars] {
        let Some((limit, most)) = limits.iter().find_map(|limit| Some((limit, limit.maximum(measure)?))) else {
            continue;
        };
        let freed = chosen.iter().filter_map(|(path, item)| Some(candidate_size(files.get(path)?.after()?, *item)));
        let freed: usize = freed.map(|size| size.measured(measure)).sum();
        let excess = after.measured(measure).saturating_sub(freed).saturating_sub(most);
        if excess == 0 || only_grown && after.measured(measure) <= before.measured(measure) {
            continue;
        }
        let selected = match limit.on_limit {
            OnLimit::Refuse => None,
            OnLimit::Compact => oldest(session, files, measure, excess, &chosen)?,
        };
        let Some(selected) = selected else {
            let size = counted_measure(after.measured(measure), measure);
            let message = format!("the scope would contain {size}; the policy above allows {most}");
            let hint = "remove or archive something first; pinned items stay";
            return Err(Rejection::new(Code::LimitReached, message).hint(hint).into());
        };
        chosen.extend(selected);
    }
    Ok(chosen)
}

/// All files that limits apply to, with their texts after the change.
fn read_files(session: &Session, loaded: LoadedText<'_>, changeset: &Changeset) -> Result<ScopeFiles, Rejection> {
    // The limit is on everything, also on what the caller does not see.
    let store = session.store.unfiltered();
    let mut files = ScopeFiles::new();
    let on_disk = store.walk(None)?.into_iter().filter(|file| file.unsafe_reason.is_none()).map(|file| file.path);
    for path in on_disk.chain(changeset.files.iter().map(|file| file.path.clone())) {
        if !limits_apply_to(&path) || files.contains_key(&path) {
            continue;
        }
        let read = || {
            let version = store.read(&path).ok().flatten()?;
            Some((Document::from_bytes(version.bytes.to_vec()).ok()?, version.etag))
        };
        let (before, etag) = loaded(&path).or_else(read).unzip();
        files.insert(path, ScopeFile { before, etag, after: None, is_changed: false });
    }
    for change in &changeset.files {
        if let Some(file) = files.get_mut(&change.path) {
            file.after = change.after.as_ref().and_then(|bytes| Document::from_bytes(bytes.to_vec()).ok());
            file.is_changed = true;
        }
    }
    Ok(files)
}

fn total<'f>(files: &'f ScopeFiles, of: impl Fn(&'f ScopeFile) -> Option<&'f Document>) -> ContentSize {
    let sizes = files.iter().filter_map(|(path, file)| Some(file_size(path, of(file)?)));
    sizes.fold(ContentSize::default(), |sum, size| ContentSize {
        bullets: sum.bullets + size.bullets,
        entries: sum.entries + size.entries,
        chars: sum.chars + size.chars,
    })
}

/// The size of one file: headings are entries, and bullets their parts, only in files of episodes.
fn file_size(path: &MemoryPath, document: &Document) -> ContentSize {
    let size = section_size(document, 0);
    if path.holds_episodes() { ContentSize { bullets: 0, ..size } } else { ContentSize { entries: 0, ..size } }
}

/// The oldest items that make up an excess, of all files; `None` if there are too few.
fn oldest(
    session: &Session,
    files: &ScopeFiles,
    measure: LimitMeasure,
    excess: usize,
    chosen: &[(MemoryPath, EvictionCandidate)],
) -> Result<Option<Vec<(MemoryPath, EvictionCandidate)>>, Rejection> {
    let today = session.now.date().to_string();
    // An item without a date is as old as the history knows.
    let origins = bullet_origins(&session.store, session.now.time_zone())?;
    let mut candidates: Vec<EvictionRow> = Vec::new();
    for (path, file) in files {
        let (Some(before), Some(after)) = (file.before.as_ref(), file.after()) else { continue };
        let ages = ItemAges::new(after, &[], Some(before), &today);
        let entries = || entry_sections(after, 0).into_iter().map(EvictionCandidate::Entry);
        let bullets = || after.top_level_bullets(0).into_iter().map(EvictionCandidate::Bullet);
        let items: Vec<EvictionCandidate> = match (measure, path.holds_episodes()) {
            (LimitMeasure::Entries | LimitMeasure::Chars, true) => entries().collect(),
            (LimitMeasure::Bullets | LimitMeasure::Chars, false) => bullets().collect(),
            (LimitMeasure::Entries, false) | (LimitMeasure::Bullets, true) => Vec::new(),
        };
        for item in items {
            let is_chosen = chosen.iter().any(|(p, c)| p == path && *c == item);
            if !is_chosen && !is_new(after, item, &ages) && !contains_pinned(after, item, &[]) {
                let size = match item {
                    // Its bullets are parts of it.
                    EvictionCandidate::Entry(_) if measure == LimitMeasure::Entries => 1,
                    _ => candidate_size(after, item).measured(measure),
                };
                let origin = match item {
                    EvictionCandidate::Bullet(i) => origins.date(path, after.handles()[i]),
                    EvictionCandidate::Entry(_) => None,
                };
                let date = match (candidate_date(after, item, &ages), origin) {
                    (date, Some(origin)) if date.is_empty() => origin.day.to_string(),
                    (date, _) => date,
                };
                candidates.push(EvictionRow { age: (date, origin, file.is_changed, path.clone(), item), size });
            }
        }
    }
    candidates.sort_by(|a, b| a.age.cmp(&b.age));
    let (mut freed, mut selected) = (0, Vec::new());
    for EvictionRow { age: (.., path, item), size } in candidates {
        if freed >= excess {
            break;
        }
        freed += size;
        selected.push((path, item));
    }
    Ok((freed >= excess).then_some(selected))
}

/// An item that could be evicted.
struct EvictionRow {
    /// Its date, when the history has it from, whether the change writes its file, and where it is; older ones are
    /// less.
    age: (String, Option<ItemDate>, bool, MemoryPath, EvictionCandidate),
    /// What its eviction frees.
    size: usize,
}

/// The operation that archives an item. Its address is that before the change; `None` if it is not there.
fn removal(path: &MemoryPath, file: &ScopeFile, item: EvictionCandidate) -> Option<Operation> {
    let (before, after) = (file.before.as_ref()?, file.after()?);
    let address = match item {
        EvictionCandidate::Bullet(i) => {
            let handle = after.handles()[i];
            let old = before.handles().iter().position(|h| *h == handle)?;
            format!("{path}{}", before.bullet_reference(old))
        }
        EvictionCandidate::Entry(s) => {
            let slug = &after.sections()[s].slug;
            before.sections().iter().any(|section| section.slug == *slug).then(|| format!("{path}#{slug}"))?
        }
    };
    let action = Action::archive(Target::Address(address));
    let reason = Some("the oldest of a scope at its limit".to_owned());
    // The text that was counted is the one that is changed.
    let if_match = file.etag.map(|etag| etag.short());
    Some(Operation { if_match, reason, ..action.into() })
}
