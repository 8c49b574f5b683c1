//! What has changed since a reader looked last, as events: the header of seeds/memory-spec.md 1.
//!
//! Told is the difference between then and now, whoever made it: what came and went between two looks is no news.

use std::collections::{HashMap, HashSet};

use super::block::{Block, cost};
use super::gate::Gate;
use super::{entries, frame, item_of};
use crate::document::{Document, Handle, category, section_range};
use crate::path::MemoryPath;
use crate::text::tokens;
use crate::view::pairs::{Fate, fates, shared};
use crate::view::query::answer::quarters;
use crate::view::query::count::Found;
use crate::view::query::facts::About;
use crate::view::query::items::{Sort, label};
use crate::view::query::known::Known;

/// The most events that are shown.
pub const SHOWN: usize = 3;
/// The most tokens of one, and the least that are worth a line.
const MOST: usize = 48;
const LEAST: usize = 10;
/// From this share of common bullets on, a file that came is one that went.
const SAME: f64 = 0.5;
/// The most pairs of files that are compared to find renames.
const PAIRS: usize = 1 << 12;
/// From this share of a gone bullet's words on, the bullet that holds them has taken it in.
const TAKEN_IN: f64 = 0.6;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It is new.
    Created,
    /// It says, weighs or stands otherwise.
    Updated,
    /// It took others in.
    Merged,
    /// It is gone.
    Deleted,
    /// It is in the archive.
    SoftDeleted,
    /// It is back.
    Restored,
}

impl Kind {
    /// Its name in an answer.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Created => "created",
            Kind::Updated => "updated",
            Kind::Merged => "merged",
            Kind::Deleted => "deleted",
            Kind::SoftDeleted => "soft_deleted",
            Kind::Restored => "restored",
        }
    }

    /// Its sign and word in a line.
    fn sign(self) -> &'static str {
        match self {
            Kind::Created => "+created",
            Kind::Updated => "↑updated",
            Kind::Merged => "↔merged",
            Kind::Deleted => "-deleted",
            Kind::SoftDeleted => "↓soft-deleted",
            Kind::Restored => "↺restored",
        }
    }
}

/// A file that is not as a reader knows it.
#[derive(Default)]
pub struct Touched {
    /// The file; `None` only where there is nothing to tell.
    pub path: Option<MemoryPath>,
    /// As the reader knows it; `None` where it was not there or its text is gone.
    pub before: Option<Found>,
    /// As it is; `None` where it is not there.
    pub after: Option<Found>,
    /// Whether it was there.
    pub was: bool,
    /// The last revision that wrote it; `None` for a change outside memdir.
    pub rev: Option<u64>,
    /// Whether an undo or redo wrote it since.
    pub inverted: bool,
    /// The titles that were appended since.
    pub titles: Vec<String>,
}

impl Touched {
    fn path(&self) -> &str {
        self.path.as_ref().map_or("", |p| p.as_str())
    }

    fn home(&self) -> &str {
        self.path().strip_prefix("archive/").unwrap_or(self.path())
    }

    fn is_archive(&self) -> bool {
        self.path().starts_with("archive/")
    }
}

/// The path that an archived file's items came from.
pub fn home(path: &MemoryPath) -> MemoryPath {
    let home = path.as_str().strip_prefix("archive/").and_then(|p| MemoryPath::found(p).ok());
    home.unwrap_or_else(|| path.clone())
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// What happened.
    pub kind: Kind,
    /// In which file.
    pub path: String,
    text: String,
    imp: Option<String>,
    value: f64,
    rev: Option<u64>,
}

impl Event {
    /// Its line in at most so many tokens: `- +created: [Personal] Preferred name is Ana (imp=2)`.
    pub fn line(&self, most: usize) -> String {
        let imp = self.imp.as_ref().map_or(String::new(), |imp| format!(" (imp={imp})"));
        let head = format!("- {}: ", self.kind.sign());
        let room = (most * 4).saturating_sub(quarters(&head) + quarters(&imp)) / 4;
        format!("{head}{}{imp}", frame::cut(&self.text, room))
    }
}

/// The revision that a reader knows, and the command that shows all that happened since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Since {
    /// `r41`.
    pub rev: String,
    /// `memdir diff --since r41`.
    pub command: String,
}

/// The header in so much room: its first lines, and how many events they show.
pub fn header(since: &Since, events: &[Event], room: usize) -> Block {
    let Some(head) = (!events.is_empty()).then(|| head(since)) else { return Block::default() };
    let more = |n: usize| format!("… and {n} more: {}", since.command);
    let whole = events.len() <= SHOWN;
    let last = if whole { 0 } else { cost(&more(events.len())) };
    let rows = events.len().min(SHOWN);
    let each = MOST.min(room.saturating_sub(cost(&head) + last + rows) / (4 * rows));
    let shown = if each < LEAST { 0 } else { rows };
    let told: Vec<String> = (shown < events.len()).then(|| more(events.len() - shown)).into_iter().collect();
    let rows = events[..shown].iter().map(|event| event.line(each));
    Block {
        lines: std::iter::once(head).chain(rows).chain(told.iter().cloned()).collect(),
        shown: (0..shown).collect(),
        told,
    }
}

fn head(since: &Since) -> String {
    format!("Memory updates since {}:", since.rev)
}

/// The least room of a header.
pub fn least(since: &Since, events: &[Event]) -> usize {
    match events.len() {
        0 => 0,
        n => cost(&head(since)) + cost(&format!("… and {n} more: {}", since.command)),
    }
}

/// What became of a bullet; numbers are those of its side.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Came(usize),
    Went(usize),
    Changed(usize, usize),
    /// It is told elsewhere, or not at all.
    Done,
}

/// The events, most valuable first: by importance, then the newest. `fresh` is what memdir itself made since.
pub fn events(touched: &[Touched], fresh: &Known, gate: &Gate) -> Vec<Event> {
    let mut news = News { touched, fresh, gate, files: HashSet::new(), out: Vec::new() };
    news.whole_files();
    let mut changes: Vec<Vec<Change>> = touched.iter().map(|_| Vec::new()).collect();
    for (f, file) in touched.iter().enumerate().filter(|(f, _)| !news.files.contains(f)).collect::<Vec<_>>() {
        let told = news.out.len();
        if file.home().starts_with("episodes/") {
            news.entries(f);
        } else {
            changes[f] = bullets(file);
        }
        if news.out.len() == told && changes[f].is_empty() && differs(file) && !file.is_archive() {
            news.file(f, if file.was { Kind::Updated } else { Kind::Created }, file.path().to_owned());
        }
    }
    news.across(&mut changes);
    for (f, mut own) in changes.into_iter().enumerate() {
        news.merged(f, &mut own);
        own.into_iter().for_each(|change| news.bullet(f, change));
    }
    let mut out = news.out;
    let newest = |e: &Event| e.rev.unwrap_or(u64::MAX);
    out.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| newest(b).cmp(&newest(a))));
    out
}

fn bullets(file: &Touched) -> Vec<Change> {
    let none = Document::parse("");
    let (before, after) =
        (file.before.as_ref().map_or(&none, |f| &f.document), file.after.as_ref().map_or(&none, |f| &f.document));
    let stamp = |document: &Document, b: usize| label(document.bullet_raw(b)) == "Updated";
    let change = |fate: Fate| match fate {
        Fate::Removed(old) => (!stamp(before, old)).then_some(Change::Went(old)),
        Fate::Added(new) => (!stamp(after, new)).then_some(Change::Came(new)),
        Fate::Updated(old, new) | Fate::Moved(old, new) | Fate::Set(old, new) => {
            (!stamp(after, new)).then_some(Change::Changed(old, new))
        }
    };
    fates(before, after).into_iter().filter_map(change).collect()
}

/// Whether more than its summary line differs.
fn differs(file: &Touched) -> bool {
    let body = |side: &Option<Found>| {
        side.as_ref().map(|found| {
            let (document, text) = (&found.document, found.document.text());
            match document.summary() {
                Some(line) => text[..line.line.range().start].to_owned() + &text[line.line.range().end..],
                None => text.to_owned(),
            }
        })
    };
    // A text that is gone from history differs, as far as anybody knows.
    file.was != file.after.is_some() || file.was && file.before.is_none() || body(&file.before) != body(&file.after)
}

struct News<'a> {
    touched: &'a [Touched],
    fresh: &'a Known,
    gate: &'a Gate,
    /// Files that are told as a whole, or not at all.
    files: HashSet<usize>,
    out: Vec<Event>,
}

impl News<'_> {
    fn sees_file(&self, f: usize) -> bool {
        let file = &self.touched[f];
        let found = file.after.as_ref().or(file.before.as_ref());
        let path = found.map(|f| f.path.clone()).or_else(|| file.path.as_ref().map(home));
        path.is_some_and(|path| self.gate.folder(&path))
    }

    /// Files that nobody may see, that came or went as a whole, or whose texts are gone.
    fn whole_files(&mut self) {
        let all = self.touched;
        for (f, file) in all.iter().enumerate() {
            if !self.sees_file(f) {
                self.files.insert(f);
            } else if file.was && file.before.is_none() && file.after.is_some() {
                self.file(f, Kind::Updated, file.path().to_owned());
            }
        }
        let went = |f: &usize| all[*f].was && all[*f].after.is_none();
        let came = |f: &usize| !all[*f].was && all[*f].after.is_some();
        let gone: Vec<usize> = (0..all.len()).filter(|f| went(f) && !self.files.contains(f)).collect();
        let come: Vec<usize> = (0..all.len()).filter(|f| came(f) && !self.files.contains(f)).collect();
        for f in gone {
            let twin = match gone_pairs(all.len(), come.len()) {
                true => come.iter().copied().find(|g| !self.files.contains(g) && is_same(&all[f], &all[*g])),
                false => None,
            };
            let archived = all.iter().position(|a| a.is_archive() && a.home() == all[f].path() && a.after.is_some());
            match (twin, archived) {
                _ if all[f].is_archive() && twin.is_none() => drop(self.files.insert(f)),
                (_, Some(g)) if !all[f].is_archive() && is_same(&all[f], &all[g]) => {
                    self.file(f, Kind::SoftDeleted, all[f].path().to_owned());
                    self.files.insert(g);
                }
                (Some(g), _) if all[f].is_archive() => {
                    self.file(g, Kind::Restored, all[g].path().to_owned());
                    self.files.insert(f);
                }
                (Some(g), _) => {
                    self.file(g, Kind::Updated, format!("{} → {}", all[f].path(), all[g].path()));
                    self.files.insert(f);
                }
                _ => self.file(f, Kind::Deleted, all[f].path().to_owned()),
            }
        }
    }

    /// One event for a file as a whole.
    fn file(&mut self, f: usize, kind: Kind, text: String) {
        self.files.insert(f);
        let file = &self.touched[f];
        let text = frame::line(&text);
        self.out.push(Event { kind, path: file.path().to_owned(), text, imp: None, value: -1.0, rev: file.rev });
    }

    /// The entries of an episode file, each as one event.
    fn entries(&mut self, f: usize) {
        let file = &self.touched[f];
        if file.is_archive() {
            return;
        }
        let (before, after) = (sections(&file.before), sections(&file.after));
        let archive = self.touched.iter().find(|a| a.is_archive() && a.home() == file.path());
        let archived = |side: fn(&Touched) -> &Option<Found>, key: &(String, usize)| {
            archive.is_some_and(|a| sections(side(a)).iter().any(|(k, ..)| k.0 == key.0))
        };
        let mut events = Vec::new();
        for (key, item, text) in &after {
            let kind = match before.iter().find(|(k, ..)| k == key) {
                Some((.., was)) if was == text => continue,
                Some(_) => Kind::Updated,
                None if archived(|a| &a.before, key) && !archived(|a| &a.after, key) => Kind::Restored,
                None if file.inverted && !file.titles.contains(&key.0) => Kind::Restored,
                None => Kind::Created,
            };
            events.push((kind, &file.after, *item));
        }
        for (key, item, _) in before.iter().filter(|(key, ..)| after.iter().all(|(k, ..)| k != key)) {
            let kind = if archived(|a| &a.after, key) { Kind::SoftDeleted } else { Kind::Deleted };
            events.push((kind, &file.before, *item));
        }
        for (kind, side, item) in events {
            let Some(found) = side else { continue };
            self.tell(f, kind, found, item, &entries::titled(found, item));
        }
    }

    /// A bullet that went from one file and came in another: archived, restored or moved.
    fn across(&mut self, changes: &mut [Vec<Change>]) {
        let mut came: HashMap<Handle, Vec<(usize, usize)>> = HashMap::new();
        for (f, own) in changes.iter().enumerate() {
            for (n, change) in own.iter().enumerate().rev() {
                if let (Change::Came(new), Some(after)) = (change, &self.touched[f].after) {
                    came.entry(after.document.handles()[*new]).or_default().push((f, n));
                }
            }
        }
        for f in 0..changes.len() {
            for n in 0..changes[f].len() {
                let (Change::Went(old), Some(before)) = (changes[f][n], &self.touched[f].before) else { continue };
                let Some((g, m)) = came.get_mut(&before.document.handles()[old]).and_then(Vec::pop) else { continue };
                let Change::Came(new) = changes[g][m] else { continue };
                (changes[f][n], changes[g][m]) = (Change::Done, Change::Done);
                match (self.touched[f].is_archive(), self.touched[g].is_archive()) {
                    (true, true) => {}
                    (false, true) => self.one(f, Kind::SoftDeleted, false, old),
                    (true, false) => self.one(g, Kind::Restored, true, new),
                    (false, false) => self.one(g, Kind::Updated, true, new),
                }
            }
        }
    }

    /// Bullets that went because another one took them in.
    fn merged(&mut self, f: usize, changes: &mut [Change]) {
        let file = &self.touched[f];
        let (Some(before), Some(after)) = (&file.before, &file.after) else { return };
        if file.is_archive() || changes.len() > 256 {
            return;
        }
        let words = |document: &Document, b: usize| {
            let mut all = HashSet::new();
            tokens(&document.bullet_text(b), |t| {
                all.insert(t.to_owned());
            });
            all
        };
        let targets: Vec<(usize, usize, HashSet<String>)> = changes
            .iter()
            .enumerate()
            .filter_map(|(n, change)| match change {
                Change::Came(new) | Change::Changed(_, new) => Some((n, *new, words(&after.document, *new))),
                _ => None,
            })
            .collect();
        let mut taken: HashMap<usize, Vec<usize>> = HashMap::new();
        for (n, change) in changes.iter().enumerate() {
            let Change::Went(old) = change else { continue };
            let own = words(&before.document, *old);
            let share = |all: &HashSet<String>| own.iter().filter(|w| all.contains(*w)).count();
            let best = targets.iter().map(|(t, _, all)| (share(all), *t)).max_by_key(|(n, t)| (*n, usize::MAX - *t));
            if let Some((_, t)) = best.filter(|(n, _)| *n >= 2 && *n as f64 >= TAKEN_IN * own.len() as f64) {
                taken.entry(t).or_default().push(n);
            }
        }
        for (t, new, _) in targets {
            let Some(gone) = taken.get(&t) else { continue };
            let notes = gone.len() + usize::from(matches!(changes[t], Change::Changed(..)));
            changes[t] = Change::Done;
            gone.iter().for_each(|n| changes[*n] = Change::Done);
            let Some(item) = item_of(after, new) else { continue };
            let text = after.document.bullet_text(new);
            match notes {
                1 => self.tell(f, Kind::Updated, after, item, &text),
                n => self.tell(f, Kind::Merged, after, item, &format!("Combined {n} notes: {text}")),
            }
        }
    }

    fn bullet(&mut self, f: usize, change: Change) {
        let file = &self.touched[f];
        match change {
            Change::Done => {}
            Change::Went(_) if file.is_archive() => {}
            Change::Went(old) => self.one(f, Kind::Deleted, false, old),
            Change::Came(new) if file.is_archive() => self.one(f, Kind::SoftDeleted, true, new),
            Change::Came(new) => {
                let made = file
                    .after
                    .as_ref()
                    .zip(file.path.as_ref())
                    .is_some_and(|(after, path)| self.fresh.find(path, after.document.handles()[new]).is_some());
                self.one(f, if file.inverted && !made { Kind::Restored } else { Kind::Created }, true, new);
            }
            Change::Changed(_, new) if !file.is_archive() => self.one(f, Kind::Updated, true, new),
            Change::Changed(..) => {}
        }
    }

    /// One event for a bullet, as it stands now (`after`) or stood.
    fn one(&mut self, f: usize, kind: Kind, after: bool, bullet: usize) {
        let side = if after { &self.touched[f].after } else { &self.touched[f].before };
        let Some(found) = side else { return };
        if let Some(item) = item_of(found, bullet) {
            self.tell(f, kind, found, item, &found.document.bullet_text(bullet));
        }
    }

    fn tell(&mut self, f: usize, kind: Kind, found: &Found, item: usize, text: &str) {
        let known = Known::default();
        let about = About::new(found, &known);
        if !self.gate.item(&about, item) {
            return;
        }
        let text = match category(text).0 {
            Some(_) => frame::line(text),
            None => frame::line(&format!("[{}] {text}", title(found, item))),
        };
        let imp = about.importance(item);
        let value = if about.pinned(item) { 11.0 } else { imp.unwrap_or(-1.0) };
        let imp = imp.map(|imp| imp.to_string());
        let (path, rev) = (self.touched[f].path().to_owned(), self.touched[f].rev);
        self.out.push(Event { kind, path, text, imp, value, rev });
    }
}

fn gone_pairs(gone: usize, come: usize) -> bool {
    gone.saturating_mul(come) <= PAIRS
}

fn is_same(gone: &Touched, come: &Touched) -> bool {
    match (&gone.before, &come.after) {
        (Some(a), Some(b)) => !a.document.bullets().is_empty() && shared(&a.document, &b.document) >= SAME,
        _ => false,
    }
}

/// The innermost section's title, else the file's name.
fn title(found: &Found, item: usize) -> String {
    let (document, item) = (&found.document, &found.items[item]);
    match document.sections()[item.section as usize].level {
        _ if item.sort == Sort::Entry => found.path.stem().to_owned(),
        0 | 1 => found.path.stem().to_owned(),
        _ => document.section_title(item.section as usize).into_owned(),
    }
}

/// An entry's title (with its number among equal ones), its item, and its bytes.
type Section<'a> = ((String, usize), usize, &'a str);

fn sections(side: &Option<Found>) -> Vec<Section<'_>> {
    let Some(found) = side else { return Vec::new() };
    let mut out: Vec<Section<'_>> = Vec::new();
    for (n, item) in found.items.iter().enumerate().filter(|(_, item)| item.sort == Sort::Entry) {
        let title = found.document.section_title(item.section as usize).into_owned();
        let twins = out.iter().filter(|((t, _), ..)| *t == title).count();
        let text = &found.document.text()[section_range(&found.document, item.section as usize)];
        out.push(((title, twins), n, text.trim_end()));
    }
    out
}
