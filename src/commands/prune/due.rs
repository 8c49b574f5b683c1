//! Finds what `prune` does: which items are expired or unused and go to `archive/`, which of those there are to be
//! purged, and which proposals are overdue.
//!
//! Reads only. An item without any known date counts as used today: nothing is archived because nothing is known of it.

use std::sync::OnceLock;

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use super::super::conflict_finder::ConflictFinder;
use super::super::fetch::{LoadedJournal, history};
use super::super::inbox::ProposalRemoval;
use super::super::{Error, Session};
use super::due_hints::DueHints;
use crate::change::Etag;
use crate::code::{Code, Rejection};
use crate::document::{BulletMeta, Document, MAX_FILE_BYTES, MetaKey, category_name, parse_date, section_range};
use crate::operation::archive::section_meta;
use crate::operation::evict::{EvictionCandidate, bullets_of_candidate, contains_pinned, importance};
use crate::operation::inert_metadata::inert_by_history;
use crate::operation::{Action, Operation, Target};
use crate::path::MemoryPath;
use crate::policy::{ExpiredRule, LifetimeRule, Policy, glob};
use crate::store::usage::UsageTable;
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::ItemFacts;
use crate::view::query::items::ItemKind;

/// What happens to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueAction {
    /// It is archived because it is no longer valid.
    Expire,
    /// It is archived because it is unused.
    Retire,
    /// It is removed from the archive.
    Purge,
    /// The proposal is removed from the inbox.
    Drop,
}

/// An item with which something is to be done.
#[derive(Clone, Debug)]
pub struct DueItem {
    pub action: DueAction,
    /// The bullet's text, the heading, or the proposal's id.
    pub text: String,
    /// The address of the item.
    pub address: String,
    /// The rule, with the dates that it goes by.
    pub reason: String,
    pub operation: Operation,
}

impl DueItem {
    /// The removal of a proposal.
    pub fn of_proposal(removal: ProposalRemoval) -> DueItem {
        DueItem {
            action: DueAction::Drop,
            text: removal.id,
            address: removal.path.to_string(),
            reason: removal.reason,
            operation: removal.operation,
        }
    }
}

/// All due items, and the newest date that the read files name.
#[derive(Clone, Debug, Default)]
pub struct DueItems {
    pub items: Vec<DueItem>,
    pub newest: Option<Date>,
    /// Why a file could not be read.
    pub unread: Option<Rejection>,
    /// Why files were left out, one sentence each: those that memdir never opens.
    pub left_out: Vec<String>,
}

impl DueItems {
    /// Adds the removals of merged proposals, but of those that are due anyway.
    pub fn add_merged(&mut self, removals: &[ProposalRemoval]) {
        for removal in removals {
            if self.items.iter().all(|item| item.address != removal.path.as_str()) {
                self.items.push(DueItem::of_proposal(removal.clone()));
            }
        }
    }
}

/// Finds the due items of all files.
///
/// # Errors
/// `io`.
pub fn due_items(session: &Session, uses: &UsageTable) -> Result<DueItems, Error> {
    let policy = &session.policy.policy;
    let today = session.now.date();
    // Read for the first item of whose date nothing else is known.
    let origins = OnceLock::new();
    // Read for the first file of which something would go.
    let journal = OnceLock::new();
    let hints = DueHints::new(policy, uses, today);
    let files = session.store.walk(None)?;
    session.progress.begin_files("reading", files.len());
    let unmerged = ConflictFinder::new(session);
    let found = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        session.progress.finish_file();
        if let Some(reason) = file.unsafe_reason {
            return Some(DueItems { left_out: vec![format!("'{}' {reason}", file.path)], ..DueItems::default() });
        }
        let bytes = match read {
            Ok((bytes, _)) => bytes,
            // Removed by another program since.
            Err(error) if error.code == Code::FileNotFound => return None,
            Err(error) => return Some(DueItems { unread: Some(error), ..DueItems::default() }),
        };
        let text = std::str::from_utf8(bytes).ok()?;
        let is_archived = file.path.is_archived();
        let may_be_due = match (file.path.folder(), is_archived) {
            (_, true) => text.contains("purge="),
            (Some("inbox"), _) => false,
            _ => hints.may_be_due(text),
        };
        if !may_be_due || file.path.odd().is_some() || unmerged.has_conflict(&file.path, text) {
            return None;
        }
        let find = |inert: &[usize]| {
            let finder = DueFinder {
                policy,
                today,
                uses,
                path: &file.path,
                etag: Etag::of(text.as_bytes()).hex(),
                inert,
                out: DueItems::default(),
            };
            if is_archived {
                return Some(finder.in_archive(text));
            }
            // Without the journal an item seems older than it is; the error is reported below.
            let origins = origins
                .get_or_init(|| super::super::journal_notes::bullet_origins(&session.store, session.now.time_zone()));
            let found = origins.as_ref().ok().map(|origins| finder.in_memory(text, origins))?;
            Some(if_archivable(session, &unmerged, &file.path, found))
        };
        let due = find(&[])?;
        if due.items.is_empty() {
            return Some(due);
        }
        match journal.get_or_init(|| LoadedJournal::read(&session.store)) {
            Ok(journal) => {
                let inert = inert_by_history(&Document::parse(text), &history(journal, &file.path));
                if inert.is_empty() { Some(due) } else { find(&inert) }
            }
            Err(error) => Some(DueItems { unread: Some(error.clone()), ..DueItems::default() }),
        }
    });
    session.progress.check()?;
    if let Some(Err(error)) = origins.into_inner() {
        return Err(error.into());
    }
    let mut all = DueItems::default();
    for one in found.into_iter().flatten() {
        all.newest = all.newest.max(one.newest);
        all.unread = all.unread.or(one.unread);
        all.items.extend(one.items);
        all.left_out.extend(one.left_out);
    }
    all.items.extend(super::super::inbox::expired_removals(session)?.into_iter().map(DueItem::of_proposal));
    Ok(all)
}

/// The due items of a file, unless its copy in the archive has a conflict: then nothing can be added to that one.
fn if_archivable(session: &Session, unmerged: &ConflictFinder<'_>, path: &MemoryPath, mut found: DueItems) -> DueItems {
    let Some(archived) = path.in_archive().ok().filter(|_| !found.items.is_empty()) else { return found };
    let Ok(Some(there)) = session.store.read(&archived) else { return found };
    if unmerged.has_conflict(&archived, &String::from_utf8_lossy(&there.bytes)) {
        found.items.clear();
        found.left_out.push(format!("{archived} has an unresolved merge conflict, so nothing of {path} was archived"));
    }
    found
}

struct DueFinder<'a> {
    policy: &'a Policy,
    today: Date,
    uses: &'a UsageTable,
    path: &'a MemoryPath,
    etag: String,
    /// Bullets whose metadata is ignored.
    inert: &'a [usize],
    out: DueItems,
}

impl DueFinder<'_> {
    /// The items of a file outside `archive/` that are expired or unused.
    fn in_memory(mut self, text: &str, origins: &BulletOrigins) -> DueItems {
        let file = ItemizedFile::without_counts(self.path.clone(), Document::parse(text));
        let facts = ItemFacts::new(&file, origins).ignoring(self.inert);
        let document = &file.document;
        let entries: Vec<std::ops::Range<usize>> = file
            .items
            .iter()
            .filter(|item| item.kind == ItemKind::Entry)
            .map(|item| section_range(document, item.section as usize))
            .collect();
        let mut top_level = 0;
        // An entry is archived as a whole.
        let mut due_entries: Vec<std::ops::Range<usize>> = Vec::new();
        for (number, item) in file.items.iter().enumerate() {
            let (candidate, index) = match item.kind {
                ItemKind::Bullet(bullet) if document.bullets()[bullet as usize].depth == 0 => {
                    top_level += 1;
                    self.note_dates(&facts.meta(number));
                    (EvictionCandidate::Bullet(bullet as usize), Some(top_level))
                }
                ItemKind::Entry => (EvictionCandidate::Entry(item.section as usize), None),
                ItemKind::Bullet(_) | ItemKind::Heading | ItemKind::Paragraph | ItemKind::Row | ItemKind::Code => {
                    continue;
                }
            };
            let is_within = |ranges: &[std::ops::Range<usize>]| {
                index.is_some() && ranges.iter().any(|entry| entry.contains(&(item.start as usize)))
            };
            if is_within(&due_entries) {
                continue;
            }
            let rule = self.policy.lifetimes.iter().find(|rule| applies(rule, &facts, number));
            let due = self
                .expired(&facts, number, candidate)
                .or_else(|| if is_within(&entries) { None } else { self.unused(&facts, number, candidate, rule?) });
            if let Some((action, reason)) = due {
                if let EvictionCandidate::Entry(section) = candidate {
                    due_entries.push(section_range(document, section));
                }
                self.push_archived(document, candidate, index, action, reason, rule);
            }
        }
        self.out
    }

    fn expired(&self, facts: &ItemFacts<'_>, item: usize, candidate: EvictionCandidate) -> Option<(DueAction, String)> {
        let last = facts.meta(item).expires().filter(|_| self.policy.expired == ExpiredRule::Archive)?;
        (last < self.today && !self.has_valid_parts(&facts.file.document, candidate))
            .then(|| (DueAction::Expire, format!("expired on {last} (expired: archive)")))
    }

    /// Whether a bullet below the item is pinned, or has a last day of its own that is not over.
    fn has_valid_parts(&self, document: &Document, candidate: EvictionCandidate) -> bool {
        let own = match candidate {
            EvictionCandidate::Bullet(bullet) => Some(bullet),
            EvictionCandidate::Entry(_) => None,
        };
        bullets_of_candidate(document, candidate).filter(|i| Some(*i) != own && !self.inert.contains(i)).any(|i| {
            document
                .bullet_meta(i)
                .is_some_and(|meta| meta.is_pinned() || meta.expires().is_some_and(|last| last >= self.today))
        })
    }

    fn unused(
        &self,
        facts: &ItemFacts<'_>,
        item: usize,
        candidate: EvictionCandidate,
        rule: &LifetimeRule,
    ) -> Option<(DueAction, String)> {
        let days = rule.unused_days?;
        let document = &facts.file.document;
        let value = importance(&facts.meta(item));
        if rule.below.is_some_and(|limit| value >= limit) || contains_pinned(document, candidate, self.inert) {
            return None;
        }
        let handles = document.handles();
        let inside = |bullet: &crate::document::Bullet| match candidate {
            EvictionCandidate::Bullet(own) => {
                let own = document.bullets()[own];
                bullet.line_start >= own.line_start && bullet.line_start < own.end
            }
            EvictionCandidate::Entry(section) => {
                section_range(document, section).contains(&(bullet.line_start as usize))
            }
        };
        let bullets = document.bullets().iter().enumerate().filter(|(_, bullet)| inside(bullet));
        let uses = bullets.filter_map(|(i, _)| self.uses.last_use(self.path, Some(handles[i])));
        let mut used = uses.chain(self.uses.last_use(self.path, None)).max();
        let mut section = facts.file.items[item].section as usize;
        while section != 0 {
            used = used.max(self.uses.last_section_use(self.path, &document.sections()[section].slug));
            section = document.sections()[section].parent as usize;
        }
        let changed = facts.date(item).map(|date| date.day);
        // Nothing is unused because the recording of uses began late.
        let last = used.max(changed).max(Some(self.uses.since?))?;
        let age = last.until((jiff::Unit::Day, self.today)).map(|span| span.get_days()).ok()?;
        (i64::from(age) > i64::from(days)).then(|| {
            let below = rule.below.map_or(String::new(), |limit| format!(", importance {value} below {limit}"));
            (DueAction::Retire, format!("unused for {age} days{below} ({})", describe(rule)))
        })
    }

    fn push_archived(
        &mut self,
        document: &Document,
        candidate: EvictionCandidate,
        index: Option<i64>,
        action: DueAction,
        reason: String,
        rule: Option<&LifetimeRule>,
    ) {
        let days = rule.and_then(|rule| rule.purge_days);
        let purge = days.and_then(|days| self.today.checked_add(Span::new().days(i64::from(days))).ok());
        let purge = purge.map(|day| day.to_string());
        let target = match (candidate, index) {
            (EvictionCandidate::Bullet(bullet), Some(index)) => {
                DueTarget::Bullet(index, document.bullet_text(bullet).into_owned(), document.handle_name(bullet))
            }
            (EvictionCandidate::Entry(section), _) | (EvictionCandidate::Bullet(section), None) => DueTarget::Section(
                document.sections()[section].slug.clone(),
                document.section_title(section).into_owned(),
            ),
        };
        self.push(action, target, reason, true, purge);
    }

    fn push(&mut self, action: DueAction, target: DueTarget, reason: String, archive: bool, purge: Option<String>) {
        let (address, at, index, text) = match target {
            // A heading of signs alone has no address.
            DueTarget::Section(slug, _) if slug.is_empty() => return,
            DueTarget::Bullet(index, text, handle) => {
                (format!("{}@{handle}", self.path), self.path.to_string(), Some(index), text)
            }
            DueTarget::Section(slug, title) => {
                let address = format!("{}#{slug}", self.path);
                (address.clone(), address, None, title)
            }
            DueTarget::File => (self.path.to_string(), self.path.to_string(), None, self.path.to_string()),
        };
        let action_text = index.map(|_| text.clone());
        let remove = Action::Remove {
            at: Target::Address(at),
            index,
            text: action_text,
            archive,
            purge,
            forget: false,
            if_exists: false,
        };
        let operation = Operation {
            action: remove,
            seen: None,
            if_match: Some(self.etag.clone()),
            reason: Some(reason.clone()),
            source: None,
        };
        self.out.items.push(DueItem { action, text, address, reason, operation });
    }

    /// The items of an archive file that are due to be purged.
    fn in_archive(mut self, text: &str) -> DueItems {
        let document = Document::parse(text);
        if let Some(reason) = section_meta(&document, 0).and_then(|meta| self.purge_reason(&meta)) {
            self.push(DueAction::Purge, DueTarget::File, reason, false, None);
            return self.out;
        }
        let mut purged: Vec<std::ops::Range<usize>> = Vec::new();
        for section in 1..document.sections().len() {
            let range = section_range(&document, section);
            let meta = section_meta(&document, section).filter(|_| document.sections()[section].level > 1);
            let is_within = purged.iter().any(|whole| whole.contains(&range.start));
            if let Some(reason) = meta.and_then(|meta| self.purge_reason(&meta)).filter(|_| !is_within) {
                let title = document.section_title(section).into_owned();
                let slug = document.sections()[section].slug.clone();
                self.push(DueAction::Purge, DueTarget::Section(slug, title), reason, false, None);
                purged.push(range);
            }
        }
        let mut index = 0;
        for (i, bullet) in document.bullets().iter().enumerate().filter(|(_, bullet)| bullet.depth == 0) {
            index += 1;
            let is_within = purged.iter().any(|whole| whole.contains(&(bullet.line_start as usize)));
            let meta = document.bullet_meta(i).filter(|_| !is_within && !self.inert.contains(&i));
            if let Some(reason) = meta.and_then(|meta| self.purge_reason(&meta)) {
                let target = DueTarget::Bullet(index, document.bullet_text(i).into_owned(), document.handle_name(i));
                self.push(DueAction::Purge, target, reason, false, None);
            }
        }
        self.out
    }

    /// Why an archived item must be purged now; `None` if it must not. Without the day on which it was archived nothing
    /// is purged.
    fn purge_reason(&mut self, meta: &BulletMeta) -> Option<String> {
        self.note_dates(meta);
        let archived = meta.valid(MetaKey::Archived).and_then(parse_date).filter(|day| *day <= self.today)?;
        let purge = meta.valid(MetaKey::Purge).and_then(parse_date)?;
        (purge <= self.today).then(|| format!("archived on {archived}, to be purged from {purge} on"))
    }

    /// Notes the newest date on which memdir wrote something.
    fn note_dates(&mut self, meta: &BulletMeta) {
        for key in [MetaKey::Added, MetaKey::Upd, MetaKey::Archived] {
            self.out.newest = self.out.newest.max(meta.valid(key).and_then(parse_date));
        }
    }
}

/// What an operation names.
enum DueTarget {
    /// A bullet of a top-level list: its index in the file, its text and its handle.
    Bullet(i64, String, String),
    /// The slug and the title of a section.
    Section(String, String),
    File,
}

/// Whether a lifetime rule applies to an item: all that it names must match.
fn applies(rule: &LifetimeRule, facts: &ItemFacts<'_>, item: usize) -> bool {
    let is_at = |at: &String| {
        let (file, section) = at.split_once('#').map_or((at.as_str(), None), |(file, section)| (file, Some(section)));
        glob::matches(file, facts.file.path.as_str())
            && section
                .is_none_or(|section| is_in_section(&facts.file.document, facts.file.items[item].section, section))
    };
    rule.at.as_ref().is_none_or(is_at)
        && rule.durability.as_ref().is_none_or(|dur| facts.meta(item).raw(MetaKey::Dur.name()) == Some(dur.as_str()))
        && rule.category.as_ref().is_none_or(|name| facts.categories(item).contains(&category_name(name)))
        && rule.tag.as_ref().is_none_or(|tag| facts.tags(item).iter().any(|own| own.eq_ignore_ascii_case(tag)))
}

fn is_in_section(document: &Document, section: u32, pattern: &str) -> bool {
    let mut section = section as usize;
    while section != 0 {
        if glob::matches(pattern, &document.sections()[section].slug) {
            return true;
        }
        section = document.sections()[section].parent as usize;
    }
    false
}

/// A rule as a person finds it in the policy.
fn describe(rule: &LifetimeRule) -> String {
    let parts = [("at", &rule.at), ("category", &rule.category), ("tag", &rule.tag), ("durability", &rule.durability)];
    let mut named: Vec<String> =
        parts.into_iter().filter_map(|(key, value)| Some(format!("{key}: {}", value.as_ref()?))).collect();
    named.extend(rule.unused_days.map(|days| format!("unused: {days}d")));
    format!("lifetimes: {}", named.join(", "))
}

/// The time between the newest known date and today at which nothing is pruned: the clock is more likely wrong than the
/// memory that old.
const MAX_SILENCE_DAYS: i64 = 400;

/// Why the clock cannot be trusted, if it cannot: it stands before the newest known date, or long after it. Time zones
/// and clocks of other machines may differ by a day.
pub fn clock_problem(newest: Option<Date>, today: Date) -> Option<String> {
    let newest = newest?;
    let before = newest.checked_sub(1.day()).unwrap_or(newest);
    if today < before {
        return Some(format!("the clock says {today}, but something was written on {newest}"));
    }
    let latest = newest.checked_add(Span::new().days(MAX_SILENCE_DAYS)).unwrap_or(newest);
    (today > latest).then(|| {
        format!(
            "the clock says {today}, more than {MAX_SILENCE_DAYS} days after {newest}, when something was last written"
        )
    })
}
