//! `check`: structural trouble in names, texts, links, metadata, summaries and limits; `--fix` mends what needs no decision.
//!
//! Never mends by a way of its own: fixes are operations like any other.

use std::collections::HashMap;

mod links;

use super::answer::{Answer, Changed, Check, Finding};
use super::change::{commit_loop, plan_with, shown};
use super::fetch::{history, is_aside};
use super::{How, Session, Verdict, look};
use crate::change::Entry;
use crate::code::{Code, Rejection};
use crate::document::{Document, summary};
use crate::operation::gates::BULLET;
use crate::operation::written::genre;
use crate::operation::{Action, Batch, Context, Operation, Snapshot, Target, inert, limits};
use crate::path::MemoryPath;
use crate::policy::Measure;
use crate::store::Found;
use crate::view::links::Names;

mod writing;

/// The largest file, in bytes.
const WHOLE: usize = 64 * 1024 * 1024;

/// Looks for structural trouble; `fix` mends what can be mended without a decision.
///
/// # Errors
/// What an address or reading the directory refuses. Findings are no error here: the door turns them into `findings`.
pub fn check(session: &Session, files: &[String], fix: bool, how: &How) -> Verdict {
    checked(session, files, &Looks { fix, ..Looks::default() }, how)
}

/// What is looked for, and what is done about it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looks<'a> {
    /// Only what is new since this revision of git's.
    pub since: Option<&'a str>,
    /// The writing rules, too.
    pub writing: bool,
    /// Mend what needs no decision.
    pub fix: bool,
}

/// The same, with the writing rules or since a revision of git's.
///
/// # Errors
/// As [`check`], and `revision_not_found`, `no_repository`, `git`.
pub fn checked(session: &Session, files: &[String], looks: &Looks<'_>, how: &How) -> Verdict {
    let only: Vec<MemoryPath> =
        files.iter().map(|f| look::named_by(session, f).map(|n| n.path)).collect::<Result<_, Rejection>>()?;
    let mut looked = examine(session, &only, looks.writing)?;
    let mut fixed = None;
    if looks.fix && !looked.fixes.is_empty() {
        fixed = mend(session, std::mem::take(&mut looked.fixes), how)?;
        if !how.dry_run {
            let mended = fixed.as_ref().is_some_and(|fixed| fixed.changed);
            // What was mended stands, whether or not it can be looked at.
            looked =
                examine(session, &only, looks.writing).map_err(|why| Rejection { changed: Some(mended), ..why })?;
        }
    }
    let (findings, below) = match looks.since {
        Some(revision) => (super::since::since(session, revision, looked.findings)?, Some(session.below())),
        None => (looked.findings, None),
    };
    Ok(Answer::Check(Check { checked: looked.checked, findings, fixed, below }))
}

struct Looked {
    checked: usize,
    findings: Vec<Finding>,
    fixes: Vec<Operation>,
}

/// What one file gives to the whole: its findings, fixes, ids and links.
#[derive(Default)]
struct One {
    findings: Vec<Finding>,
    fixes: Vec<Operation>,
    ids: Vec<(String, usize)>,
    links: Vec<links::Written>,
}

fn examine(session: &Session, only: &[MemoryPath], writing: bool) -> Result<Looked, Rejection> {
    let all = session.store.walk(None)?;
    let wanted: Vec<Found> =
        all.iter().filter(|f| !is_aside(&f.path) && (only.is_empty() || only.contains(&f.path))).cloned().collect();
    let journal = session.store.journal()?;
    let each = session.store.each(&wanted, WHOLE, &|file, read| one(session, &journal, file, read, writing));
    let mut looked = Looked { checked: wanted.len(), findings: policy(session, only), fixes: Vec::new() };
    let mut ids: HashMap<String, (MemoryPath, usize)> = HashMap::new();
    let mut held = Vec::new();
    for (file, one) in wanted.iter().zip(each) {
        looked.findings.extend(one.findings);
        looked.fixes.extend(one.fixes);
        for (id, line) in one.ids {
            match ids.get(&id) {
                Some((other, _)) if *other != file.path => {
                    let text = format!("the id {id} stands in {other} too");
                    looked.findings.push(finding(&file.path, line, 1, Code::DuplicateId, "warning", text));
                }
                _ => drop(ids.insert(id, (file.path.clone(), line))),
            }
        }
        held.push((&file.path, one.links));
    }
    looked.findings.extend(links::dangling(session, &held, &Names::new(all.iter().map(|f| &f.path))));
    twins(&all, only, &mut looked.findings);
    looked.findings.sort_by(|a, b| (&a.path, a.line, a.col).cmp(&(&b.path, b.line, b.col)));
    Ok(looked)
}

fn finding(path: &MemoryPath, line: usize, col: usize, code: Code, level: &'static str, text: String) -> Finding {
    Finding { path: path.to_string(), line, col, level, code: code.name(), text, fixable: false }
}

fn policy(session: &Session, only: &[MemoryPath]) -> Vec<Finding> {
    if !only.is_empty() {
        return Vec::new();
    }
    let at = |level, code: Code, text: &str| Finding {
        path: "memdir.yaml".into(),
        line: 0,
        col: 1,
        level,
        code: code.name(),
        text: text.to_owned(),
        fixable: false,
    };
    let refused = session.policy.refuses_writes.iter().map(|r| at("error", r.code, &r.message));
    let warned = session.policy.warnings.iter().map(|w| at("warning", w.code, &w.message));
    refused.chain(warned).collect()
}

/// Names that cannot live side by side everywhere, and copies that sync tools left.
fn twins(all: &[Found], only: &[MemoryPath], findings: &mut Vec<Finding>) {
    let mut seen: HashMap<String, &MemoryPath> = HashMap::new();
    for file in all.iter().filter(|f| only.is_empty() || only.contains(&f.path)) {
        if let Some(other) = seen.insert(file.path.folded(), &file.path) {
            let text = format!("differs from {other} only in letter case or form; some systems cannot hold both");
            findings.push(finding(&file.path, 0, 1, Code::Exists, "error", text));
        }
        if is_conflict_copy(file.path.stem()) {
            let text = "looks like a copy that a sync tool made of two versions: merge it by hand".to_owned();
            findings.push(finding(&file.path, 0, 1, Code::ConflictCopy, "warning", text));
        }
    }
}

fn is_conflict_copy(stem: &str) -> bool {
    let low = stem.to_lowercase();
    let numbered = low
        .strip_suffix(')')
        .and_then(|s| s.rsplit_once(" ("))
        .is_some_and(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
    low.contains("conflicted copy") || low.contains("sync-conflict-") || low.contains("_conflict-") || numbered
}

fn one(
    session: &Session,
    journal: &[Entry],
    file: &Found,
    read: Result<(&[u8], bool), Rejection>,
    writing: bool,
) -> One {
    let mut one = One::default();
    let path = &file.path;
    let mut push = |line, col, code, level, text| one.findings.push(finding(path, line, col, code, level, text));
    if let Some(why) = path.odd() {
        push(0, 1, Code::OddName, "warning", format!("can be read, not written: {why}"));
    }
    let bytes = match (file.refused, read) {
        (Some(why), _) => {
            push(0, 1, Code::UnsafeFile, "error", format!("is not opened: {why}"));
            return one;
        }
        (None, Err(why)) => {
            push(0, 1, why.code, "error", why.message);
            return one;
        }
        (None, Ok((bytes, _))) => bytes,
    };
    let document = match Document::read(bytes.to_vec()) {
        Ok(document) => document,
        Err(why) => {
            let why = crate::operation::snapshot::not_text(path, why);
            push(0, 1, why.code, "error", why.message);
            return one;
        }
    };
    if let Some(line) = document.conflict_marker() {
        push(line, 1, Code::ConflictMarkers, "error", "a merge conflict is not resolved; the file is read-only".into());
        return one;
    }
    contents(session, journal, path, &document, &mut one);
    if writing {
        one.findings.extend(writing::findings(session, path, &document));
    }
    one
}

fn contents(session: &Session, journal: &[Entry], path: &MemoryPath, document: &Document, one: &mut One) {
    ids(path, document, one);
    orphans(path, document, one);
    strays(session, journal, path, document, one);
    sizes(session, path, document, one);
    stale(path, document, one);
    one.links = links::written(path, document);
}

/// Line and column (in characters) of a byte, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

fn ids(path: &MemoryPath, document: &Document, one: &mut One) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let sections = document.sections().iter().filter_map(|s| Some((s.id.clone()?, s.heading.start as usize)));
    let bullets = (0..document.bullets().len())
        .filter_map(|i| Some((document.bullet_id(i)?.into_owned(), document.bullets()[i].line as usize)));
    for (id, at) in sections.chain(bullets) {
        let (line, _) = place(document.text(), at);
        if let Some(first) = seen.insert(id.clone(), line) {
            let text = format!("the id {id} stands in line {first} too");
            one.findings.push(finding(path, line, 1, Code::DuplicateId, "error", text));
        } else {
            one.ids.push((id, line));
        }
    }
}

fn orphans(path: &MemoryPath, document: &Document, one: &mut One) {
    let text = document.text();
    for meta in document.metas().iter().filter(|m| m.bullet.is_none()) {
        let line_text = &text[meta.line.range()];
        let (line, _) = place(text, meta.line.start as usize);
        let fixable = text.matches(line_text).count() == 1;
        let message = "a metadata line without a bullet of its own has no effect".to_owned();
        let mut found = finding(path, line, 1, Code::OrphanMetadata, "warning", message);
        found.fixable = fixable;
        one.findings.push(found);
        if fixable {
            let pairs = vec![(line_text.to_owned(), String::new())];
            one.fixes.push(operation(Action::Patch { at: Target::Address(path.to_string()), pairs }));
        }
    }
}

/// Metadata lines that turned up under a bullet that had none: taking one out is setting each of its keys to nothing.
fn strays(session: &Session, journal: &[Entry], path: &MemoryPath, document: &Document, one: &mut One) {
    if !inert::has_lines(document) {
        return;
    }
    let history = history(&session.store, journal, path);
    for bullet in inert::strays(document, &history) {
        let Some(at) = document.bullets()[bullet].meta.map(|m| document.metas()[m as usize].line.start) else {
            continue;
        };
        let (line, _) = place(document.text(), at as usize);
        let handle = document.handle_name(bullet);
        let message = format!("the metadata line under @{handle} was another bullet's and has no effect");
        let mut found = finding(path, line, 1, Code::OrphanMetadata, "warning", message);
        found.fixable = document.by_handle(&handle).len() == 1;
        if found.fixable {
            let keys = document.bullet_meta(bullet).unwrap_or_default().0;
            let pairs = keys.into_iter().map(|(key, _)| (key, String::new())).collect();
            one.fixes.push(operation(Action::Set { at: Target::Address(format!("{path}@{handle}")), pairs }));
        }
        one.findings.push(found);
    }
}

fn operation(action: Action) -> Operation {
    Operation { action, seen: None, if_match: None, reason: Some("check --fix".into()), source: None }
}

fn sizes(session: &Session, path: &MemoryPath, document: &Document, one: &mut One) {
    for (i, bullet) in document.bullets().iter().enumerate() {
        let size = document.bullet_raw(i).len();
        if size > BULLET {
            let (line, _) = place(document.text(), bullet.line as usize);
            let text = format!("the bullet has {size} bytes; memdir writes at most 8 KiB");
            one.findings.push(finding(path, line, 1, Code::TooLarge, "warning", text));
        }
    }
    for (s, section) in document.sections().iter().enumerate().filter(|_| limits::kept_in(path)) {
        let slug = (s != 0).then_some(section.slug.as_str());
        let mut size = None;
        for measure in [Measure::Bullets, Measure::Entries, Measure::Chars] {
            let Some((most, _)) = session.policy.policy.bound(path, slug, measure) else { continue };
            let count = size.get_or_insert_with(|| limits::size(document, s)).of(measure);
            if count > most {
                let (line, _) = place(document.text(), section.heading.start as usize);
                let text = format!("holds {count} {}; the policy allows {most}", limits::word(measure));
                one.findings.push(finding(path, line, 1, Code::LimitReached, "warning", text));
            }
        }
    }
}

fn stale(path: &MemoryPath, document: &Document, one: &mut One) {
    let Some(present) = document.summary() else { return };
    let (line, _) = place(document.text(), present.line.start as usize);
    let mut found = |text: String, fixable| {
        let mut f = finding(path, line, 1, Code::StaleSummary, "warning", text);
        f.fixable = fixable;
        one.findings.push(f);
    };
    if let summary::Next::Write { splice, .. } = summary::next(document, document, genre(path), Some(None)) {
        found("the summary line names what is gone".into(), true);
        let after = crate::text::splice(document.text(), &[splice]).map(Document::parse);
        let value = after.map(|d| crate::view::outline::summary(&d)).unwrap_or_default();
        let pairs = vec![("summary".to_owned(), value)];
        one.fixes.push(operation(Action::Set { at: Target::Address(path.to_string()), pairs }));
        return;
    }
    let waiting = summary::waiting(document, genre(path));
    if !waiting.is_empty() {
        found(format!("{} terms wait for room in the summary line", waiting.len()), false);
    }
}

fn mend(session: &Session, operations: Vec<Operation>, how: &How) -> Result<Option<Changed>, super::Failure> {
    session.may_write()?;
    let cx = Context {
        policy: &session.policy.policy,
        prefixes: &session.prefixes,
        now: &session.now,
        actor: &session.actor,
        force: true,
        create: false,
        own: false,
    };
    if how.dry_run {
        let mut snapshot = Snapshot::new();
        let changeset = plan_with(session, &mut snapshot, &operations, &cx)?;
        return Ok(Some(shown(&changeset, &snapshot)));
    }
    let (locked, warnings) = session.store.lock()?;
    let batch = Batch { reason: Some("check --fix".into()), ..Batch::default() };
    let answer = commit_loop(session, &locked, &batch, warnings, || {
        let mut snapshot = Snapshot::new();
        let changeset = plan_with(session, &mut snapshot, &operations, &cx)?;
        Ok((changeset, snapshot))
    })?;
    match answer {
        Answer::Changed(changed) => Ok(Some(changed)),
        _ => Ok(None),
    }
}
