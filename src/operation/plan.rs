//! From operations to a changeset: `plan`, the one funnel every change goes through.
//!
//! Pure: asks for what it must know instead of fetching it, and leaves nothing half done.

use jiff::Zoned;

use crate::change::{Changeset, Effect, Etag, FileChange, JournalEdit, Sign};
use crate::code::{Code, Rejection, Warning};
use crate::document::{Document, Edit, Edited, Item, Meta, edit, summary};
use crate::path::{MemoryPath, Prefixes};
use crate::policy::{Policy, Stamp};
use crate::text::{Splice, compose, splice};

use super::draft::{self, Draft, Echo};
use super::locate::Spot;
use super::sheet::{Sheet, sheets};
use super::snapshot::{Loaded, Snapshot, Step, Stop, Want};
use super::{Action, Operation, effects, gates, read, refuse, relocate, stamps, values, whole};

/// What planning is told beside operations and snapshot.
#[derive(Debug)]
pub struct Context<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// How the data dir may be written in front of a path.
    pub prefixes: &'a Prefixes,
    /// Now.
    pub now: &'a Zoned,
    /// Who.
    pub actor: &'a str,
    /// `-f`: the caller takes the blame where proof is due.
    pub force: bool,
    /// `--create`: new names may be close to existing ones.
    pub create: bool,
    /// The batch runs on behalf of memdir's own mending (`check --fix`): reserved folders may be written.
    pub own: bool,
}

/// What came of planning.
#[derive(Debug)]
pub enum Planned {
    /// This is what will be done.
    Ready(Box<Changeset>),
    /// Fetch this and plan again.
    Needs(Vec<Want>),
}

/// The base of an edit: a file that stands, or the skeleton of a new one.
#[derive(Debug)]
pub enum Base<'a> {
    /// The file.
    Present(&'a Loaded),
    /// A title, nothing else.
    New(Box<Document>),
}

/// The planner's desk: what it may look at, and what it noted.
pub struct Desk<'a> {
    /// What is known.
    pub snapshot: &'a Snapshot,
    /// What it was told.
    pub cx: &'a Context<'a>,
    warnings: Vec<(usize, Warning)>,
    mismatched: Vec<(usize, MemoryPath, Option<Etag>)>,
    wanted: Vec<Want>,
}

impl<'a> Desk<'a> {
    /// Notes what the reader should know.
    pub fn warn(&mut self, operation: usize, warning: Warning) {
        self.warnings.push((operation, warning));
    }

    /// Notes something to fetch, and goes on: what is needed anyway is asked for at once.
    pub fn want(&mut self, want: Want) {
        self.wanted.push(want);
    }

    /// Checks `if_match`; a mismatch is judged when the outcome is known.
    pub fn proof(&mut self, n: usize, op: &Operation, spot: &Spot<'_>) -> Step<()> {
        if let Err(etag) = draft::matches(op, spot.file) {
            self.mismatched.push((n, spot.path.clone(), etag));
        }
        Ok(())
    }

    /// The file of a spot, if it may be changed.
    pub fn changeable(&mut self, n: usize, _op: &Operation, spot: &Spot<'a>) -> Step<&'a Loaded> {
        let Some(file) = spot.file else { return Err(refuse::no_file(&spot.path, self.snapshot).into()) };
        gates::writable(&spot.path, Some(&file.document), self.cx.own)?;
        let _ = n;
        Ok(file)
    }

    /// The base for a change of a path that may be new.
    pub fn writable(&mut self, n: usize, op: &Operation, path: &MemoryPath, create: bool) -> Step<Base<'a>> {
        let file = self.snapshot.file(path)?;
        gates::writable(path, file.map(|f| &f.document), self.cx.own)?;
        if let Err(etag) = draft::matches(op, file) {
            self.mismatched.push((n, path.clone(), etag));
        }
        match file {
            Some(file) => Ok(Base::Present(file)),
            None => {
                gates::creatable(path, self.snapshot, create || self.cx.create, self.cx.own)?;
                Ok(Base::New(Box::new(self.skeleton(path))))
            }
        }
    }

    /// The document of a base.
    pub fn document<'b>(&self, base: &'b Base<'a>) -> &'b Document {
        match base {
            Base::Present(file) => &file.document,
            Base::New(document) => document,
        }
    }

    /// The text a new file starts from: its title.
    pub fn skeleton(&self, path: &MemoryPath) -> Document {
        Document::parse(skeleton(path))
    }

    /// Today, as the caller's calendar says it.
    pub fn today(&self) -> String {
        self.cx.now.date().to_string()
    }

    /// The path below `archive/`.
    pub fn archive_of(&self, path: &MemoryPath) -> Result<MemoryPath, Rejection> {
        path.below("archive")
    }

    /// A new item with the stamps that the policy asks for.
    pub fn stamped_new(&self, mut item: Item, op: &Operation, _document: &Document) -> Item {
        let mut meta = item.meta.take().unwrap_or_default();
        let stamps = &self.cx.policy.stamps;
        if stamps.contains(&Stamp::Added) && meta.get("added").is_none() {
            meta.set("added", &self.today());
        }
        self.stamp_origin(&mut meta, op);
        item.meta = (!meta.0.is_empty()).then_some(meta);
        item
    }

    /// A changed bullet's metadata, when the policy asks for stamps.
    pub fn stamped_update(&self, document: &Document, bullet: usize, op: &Operation) -> Option<Meta> {
        let old = document.bullet_meta(bullet);
        let mut meta = old.clone().unwrap_or_default();
        if self.cx.policy.stamps.contains(&Stamp::Upd) {
            meta.set("upd", &self.today());
        }
        self.stamp_origin(&mut meta, op);
        (Some(&meta) != old.as_ref() && !meta.0.is_empty()).then_some(meta)
    }

    fn stamp_origin(&self, meta: &mut Meta, op: &Operation) {
        let stamps = &self.cx.policy.stamps;
        if stamps.contains(&Stamp::By) {
            meta.set("by", self.cx.actor);
        }
        if stamps.contains(&Stamp::Src)
            && let Some(source) = &op.source
        {
            meta.set("src", source);
        }
    }
}

/// The text a new file starts from.
pub fn skeleton(path: &MemoryPath) -> String {
    let stem = path.stem();
    match crate::path::is_episode(stem) {
        true => format!("# {stem} Episodes\n"),
        false => format!("# {}\n", super::locate::title_for(stem)),
    }
}

/// Plans a batch on a snapshot. Nothing is done; the same arguments give the same answer.
///
/// # Errors
/// All refusals, each with the number of its operation.
pub fn plan(snapshot: &Snapshot, operations: &[Operation], cx: &Context<'_>) -> Result<Planned, Vec<Rejection>> {
    let mut desk = Desk { snapshot, cx, warnings: Vec::new(), mismatched: Vec::new(), wanted: Vec::new() };
    let (mut drafts, mut rejections) = (Vec::new(), Vec::new());
    for (n, op) in operations.iter().enumerate() {
        match drafted(&mut desk, n, op) {
            Ok(some) => drafts.extend(some.into_iter().map(|d| (n, d))),
            Err(Stop::Want(want)) => desk.wanted.push(want),
            Err(Stop::Reject(rejection)) => rejections.push(blame(&desk, *rejection, n)),
        }
    }
    if !desk.wanted.is_empty() {
        return Ok(Planned::Needs(std::mem::take(&mut desk.wanted)));
    }
    if !rejections.is_empty() {
        return Err(rejections);
    }
    let applied = drafts.iter().filter(|(n, d)| is_patch(&operations[*n]) && matches!(d, Draft::Edit(..))).count();
    let (sheets, same) = sheets(drafts, snapshot).map_err(|r| vec![r])?;
    let mut changeset =
        Changeset { applied, operations: operations.iter().map(read::print).collect(), ..Changeset::default() };
    changeset.effects.extend(same);
    let mut evicted = Vec::new();
    for sheet in sheets {
        match finished(&mut desk, sheet, &mut changeset, &mut evicted) {
            Ok(()) => {}
            Err(Stop::Want(want)) => desk.wanted.push(want),
            Err(Stop::Reject(rejection)) => rejections.push(*rejection),
        }
    }
    for (path, item, section_title) in evicted {
        match gates::put_aside(&mut desk, &mut changeset, &path, item, section_title) {
            Ok(()) => {}
            Err(Stop::Want(want)) => desk.wanted.push(want),
            Err(Stop::Reject(rejection)) => rejections.push(*rejection),
        }
    }
    if !desk.wanted.is_empty() {
        return Ok(Planned::Needs(desk.wanted));
    }
    rejections.extend(unproven(&desk, &changeset));
    if !rejections.is_empty() {
        return Err(rejections);
    }
    changeset.effects.sort_by_key(|e| e.operation);
    changeset.warnings.extend(desk.warnings.into_iter().map(|(_, w)| w));
    changeset.forget = operations.iter().any(|op| matches!(op.action, Action::Remove { forget: true, .. }));
    Ok(Planned::Ready(Box::new(changeset)))
}

fn is_patch(op: &Operation) -> bool {
    matches!(op.action, Action::Patch { .. })
}

/// An operation whose `if_match` failed is in conflict, whatever else is wrong with it.
fn blame(desk: &Desk<'_>, rejection: Rejection, n: usize) -> Rejection {
    match desk.mismatched.iter().find(|(m, _, _)| *m == n) {
        Some((_, path, etag)) => refuse::conflict(path, *etag).at(n),
        None => rejection.at(n),
    }
}

/// Mismatched proofs of files that would change.
fn unproven(desk: &Desk<'_>, changeset: &Changeset) -> Vec<Rejection> {
    let changes = |path: &MemoryPath| changeset.files.iter().any(|f| f.path == *path);
    let failed = desk.mismatched.iter().filter(|(_, path, _)| changes(path));
    failed.map(|(n, path, etag)| refuse::conflict(path, *etag).at(*n)).collect()
}

fn drafted(desk: &mut Desk<'_>, n: usize, op: &Operation) -> Step<Vec<Draft>> {
    match &op.action {
        Action::Add { at, text, children, meta, create } => {
            gates::bullet_size(text, children)?;
            let item = Item { text: text.clone(), meta: draft::meta_of(meta)?, children: children.clone() };
            draft::add(desk, n, op, at, item, *create)
        }
        Action::Update { at, index, old, text } => {
            gates::bullet_size(text, &[])?;
            draft::update(desk, n, op, at, *index, old.as_deref(), text)
        }
        Action::Remove { at, index, text, archive, .. } => {
            draft::remove(desk, n, op, at, (*index, text.as_deref()), *archive)
        }
        Action::Move { at, to, create } => relocate::relocate(desk, n, op, at, to, *create),
        Action::Set { at, pairs } => values::set(desk, n, op, at, pairs),
        Action::Write { at, text, create } => whole::write(desk, n, op, at, text, *create),
        Action::Patch { at, pairs } => whole::patch(desk, n, op, at, pairs),
        Action::Append { .. } => whole::append(desk, n, op),
        Action::Nothing { .. } => Ok(Vec::new()),
    }
}

/// A removed item on its way to the archive: its path there, itself, its section's title.
pub type Evicted = (MemoryPath, Item, Option<String>);

/// Brings one file to its end: edits, limits, summary; then into the changeset.
fn finished(desk: &mut Desk<'_>, sheet: Sheet, changeset: &mut Changeset, evicted: &mut Vec<Evicted>) -> Step<()> {
    let path = sheet.path.clone();
    let present = desk.snapshot.file(&path)?;
    let skeleton;
    let base = match present {
        Some(file) => &file.document,
        None => {
            skeleton = desk.skeleton(&path);
            &skeleton
        }
    };
    if let Some((n, to)) = &sheet.moved {
        return relocate::moved(present, &path, to, *n, sheet.edits, changeset);
    }
    if let Some(n) = sheet.gone {
        changeset.effects.extend(effects::between(Some(base), None, &path, n));
        changeset.files.push(change(&path, present, None, None, None));
        return Ok(());
    }
    let (mut after, mut splices) = match &sheet.whole {
        Some((n, text)) => {
            let after = Document::parse(text.clone());
            changeset.effects.extend(effects::between(present.map(|f| &f.document), Some(&after), &path, *n));
            (after, None)
        }
        None => {
            let edited = edited(base, &sheet, &path)?;
            match sheet.edits.first() {
                Some((n, ..)) if sheet.links => {
                    changeset.effects.extend(effects::between(Some(base), Some(&edited.document), &path, *n));
                }
                _ => changeset.effects.extend(told(base, &edited, &sheet, &path)),
            }
            (edited.document, present.is_some().then_some(edited.splices))
        }
    };
    let limits = gates::limits(desk, &path, present.map(|f| &f.document), &after)?;
    if !limits.is_empty() {
        let rest = gates::evict(&path, &after, &limits, changeset, evicted, desk)?;
        splices = splices.map(|first| compose(&first, &rest.splices));
        after = rest.document;
    }
    let mut line = None;
    if let Some(before) = present.filter(|_| !sheet.links && desk.cx.policy.stamps.contains(&Stamp::Updated)) {
        let dates = stamps::updated(&before.document, &after, desk.cx.now);
        if !dates.is_empty() {
            let text = splice(after.text(), &dates).map_err(|_| met_the_end())?;
            after = Document::parse(text);
            splices = splices.map(|first| compose(&first, &dates));
        }
    }
    if !sheet.links {
        let before = present.map(|f| &f.document);
        if let Some((splice, value)) = derived(desk, &sheet, before, &after, &path)? {
            after = Document::parse(spliced(after.text(), &splice)?);
            splices = splices.map(|first| compose(&first, std::slice::from_ref(&splice)));
            line = value;
        }
    }
    gates::file(&path, &after)?;
    if present.is_some_and(|f| f.document.text() == after.text()) {
        return Ok(());
    }
    let edits = splices.or_else(|| present.map(|f| vec![narrow(f.document.text(), after.text())]));
    changeset.files.push(change(&path, present, Some(after), edits, line));
    Ok(())
}

/// One file of a changeset.
pub fn change(
    path: &MemoryPath,
    present: Option<&Loaded>,
    after: Option<Document>,
    edits: Option<Vec<Splice>>,
    line: Option<String>,
) -> FileChange {
    FileChange {
        path: path.clone(),
        before: present.map(|f| f.version.clone()),
        after: after.map(|d| std::sync::Arc::new(d.into_text().into_bytes())),
        mode: None,
        edits: edits
            .zip(present)
            .map(|(edits, file)| edits.into_iter().map(|s| both_ways(file.document.text(), s)).collect()),
        moved: None,
        summary: line,
    }
}

fn edited(base: &Document, sheet: &Sheet, path: &MemoryPath) -> Result<Edited, Rejection> {
    let edits: Vec<Edit> = sheet.edits.iter().map(|(_, e, _)| e.clone()).collect();
    edit(base, &edits).map_err(|refused| {
        let first = &refused[0];
        let n = sheet.edits.get(first.edit).map_or(0, |(n, _, _)| *n);
        Rejection::new(Code::WouldBreakStructure, format!("in {path}: {}", first.why))
            .hint("rephrase the text, or put it in a file of its own")
            .at(n)
    })
}

/// The lines of the answer for a file's edits.
fn told(base: &Document, edited: &Edited, sheet: &Sheet, path: &MemoryPath) -> Vec<Effect> {
    let after = &edited.document;
    let mut out = Vec::new();
    for (k, (n, edit, echo)) in sheet.edits.iter().enumerate() {
        let wrote = edited.wrote.get(k).map(Vec::as_slice).unwrap_or_default();
        match echo {
            Echo::Updated(old) => {
                out.push(effects::bullet(base, path, *old, Sign::Removed, *n));
                out.extend(wrote.iter().map(|&i| effects::bullet(after, path, i, Sign::Added, *n)));
            }
            Echo::Added => {
                if let Edit::Insert { at: crate::document::Place::NewSection { .. }, .. } = edit
                    && let Some(&first) = wrote.first()
                {
                    let section = after.bullets()[first].section as usize;
                    let slug = effects::section_slug(after, section);
                    out.push(effects::line(path, Sign::Added, effects::heading(after, section), slug, *n));
                }
                out.extend(wrote.iter().map(|&i| effects::bullet(after, path, i, Sign::Added, *n)));
            }
            Echo::Removed(old) => out.push(effects::bullet(base, path, *old, Sign::Removed, *n)),
            Echo::Values(old, pairs) => {
                let mut effect = effects::bullet(base, path, *old, Sign::Set, *n);
                effect.text = pairs.clone();
                out.push(effect);
            }
            Echo::MovedAway(old, to) => {
                let mut effect = effects::bullet(base, path, *old, Sign::Moved, *n);
                effect.to = Some(to.clone());
                out.push(effect);
            }
            Echo::Told(effects) => out.extend(effects.iter().cloned()),
            Echo::Silent => {}
        }
    }
    out
}

/// A replacement with what it replaces, so that it works in both directions.
fn both_ways(text: &str, s: Splice) -> JournalEdit {
    JournalEdit { start: s.start, old: text[s.start..s.end].to_owned(), new: s.new }
}

/// The replacement of the summary line (and other derived values), if it is due.
fn derived(
    desk: &Desk<'_>,
    sheet: &Sheet,
    before: Option<&Document>,
    after: &Document,
    path: &MemoryPath,
) -> Step<Option<(Splice, Option<String>)>> {
    if let Some(line) = &sheet.line {
        // The caller's words, not memdir's: the journal does not claim them.
        return Ok(summary::placed(after, line).map(|s| (s, None)));
    }
    let value = |d: &Document| d.summary().map(|s| d.text()[s.value.range()].to_owned());
    let touched = match before {
        Some(before) => value(before) != value(after),
        None => sheet.whole.is_some() && value(after).is_some(),
    };
    if touched {
        return Ok(None);
    }
    let genre = genre(path);
    let empty = Document::parse("");
    let mut next = summary::next(before.unwrap_or(&empty), after, genre, None);
    if next == summary::Next::NeedsLast {
        let last = desk.snapshot.line(path)?;
        next = summary::next(before.unwrap_or(&empty), after, genre, Some(last));
    }
    Ok(match next {
        summary::Next::Write { splice, line } => Some((splice, Some(line))),
        _ => None,
    })
}

/// Whose rules a file's summary follows.
pub fn genre(path: &MemoryPath) -> summary::Genre {
    match path.folder() {
        Some("episodes") => summary::Genre::Episodes,
        Some("procedures" | "inbox" | "archive") => summary::Genre::Other,
        _ if path.as_str().starts_with("facts/") => summary::Genre::Facts,
        _ => summary::Genre::Other,
    }
}

fn spliced(text: &str, one: &Splice) -> Result<String, Rejection> {
    splice(text, std::slice::from_ref(one)).map_err(|_| met_the_end())
}

fn met_the_end() -> Rejection {
    Rejection::new(Code::Internal, "a derived value met the end of the text")
}

/// The one replacement between two texts: what is left between their common start and end.
pub fn narrow(before: &str, after: &str) -> Splice {
    let (b, a) = (before.as_bytes(), after.as_bytes());
    let mut start = b.iter().zip(a).take_while(|(x, y)| x == y).count();
    while !(before.is_char_boundary(start) && after.is_char_boundary(start)) {
        start -= 1;
    }
    let most = b.len().min(a.len()) - start;
    let mut end = b.iter().rev().zip(a.iter().rev()).take(most).take_while(|(x, y)| x == y).count();
    while !(before.is_char_boundary(b.len() - end) && after.is_char_boundary(a.len() - end)) {
        end -= 1;
    }
    Splice { start, end: b.len() - end, new: after[start..a.len() - end].to_owned() }
}
