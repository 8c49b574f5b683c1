//! Every change but undo and redo: lock, plan, fetch what planning asks for, commit, answer.
//!
//! Never holds the lock longer than that; never plans on what it did not just read.

use serde_json::Value;

use super::answer::{Answer, Changed, ChangedFile, EffectRow, Told};
use super::fetch::fetch;
use super::forget::{Traces, traces};
use super::{Failure, How, Session, Verdict};
use crate::change::{Changeset, Effect, Etag, FileChange, Sign};
use crate::code::{Code, Rejection, Warning};
use crate::operation::{Batch, Context, Operation, Planned, Snapshot, Want, plan};
use crate::path::MemoryPath;
use crate::store::{Locked, Stopped};
use crate::view::diff::unified;

/// How often planning may ask for more, and how often a commit is tried again when files move under it.
const ROUNDS: usize = 10;

/// Makes a change: every mutating verb but undo and redo is a batch of operations.
///
/// # Errors
/// Whatever planning or the store refuses; then nothing was changed, unless the failure says otherwise.
pub fn change(session: &Session, mut batch: Batch, how: &How) -> Verdict {
    session.may_write()?;
    tell(&mut batch, how);
    if let Some(sight) = session.sight() {
        return super::guarded::change(session, &sight, &batch, how);
    }
    if how.dry_run {
        let mut snapshot = Snapshot::new();
        let mut changeset = planned(session, &mut snapshot, &batch.operations, how)?;
        if changeset.forget {
            let traces = traces(session, &mut changeset, &snapshot)?;
            changeset.warnings.extend(traces.warnings);
        }
        return Ok(Answer::Changed(shown(&changeset, &snapshot)));
    }
    let (locked, warnings) = session.store.lock()?;
    if let Some((first, _)) = batch.request.as_deref().map(|r| repeated(session, r)).transpose()?.flatten() {
        return Ok(first);
    }
    let mut lines = Vec::new();
    commit_loop(session, &locked, &batch, warnings, || {
        let mut snapshot = Snapshot::new();
        lines
            .iter()
            .for_each(|(of, line): &(MemoryPath, Option<String>)| snapshot.learn_line(of.clone(), line.clone()));
        let changeset = planned(session, &mut snapshot, &batch.operations, how)?;
        if changeset.forget && lines.is_empty() {
            lines = own_lines(session, &changeset)?;
        }
        Ok((changeset, snapshot))
    })
}

/// memdir's own summary lines of the files that a `--forget` changes: the journal is scrubbed before the commit, and
/// another round of planning must still know them, or a forgotten word would stay as if a person had written it.
fn own_lines(session: &Session, changeset: &Changeset) -> Result<Vec<(MemoryPath, Option<String>)>, Rejection> {
    let mut lines = Vec::new();
    for file in &changeset.files {
        let mut snapshot = Snapshot::new();
        fetch(&session.store, Want::Line(file.path.clone()), &mut snapshot)?;
        let line = snapshot.line(&file.path).ok().flatten().map(str::to_owned);
        lines.push((file.path.clone(), line));
    }
    Ok(lines)
}

/// What the caller said of the whole batch holds for operations that say nothing themselves.
pub fn tell(batch: &mut Batch, how: &How) {
    batch.reason = batch.reason.take().or_else(|| how.reason.clone());
    batch.source = batch.source.take().or_else(|| how.source.clone());
    for op in &mut batch.operations {
        op.reason = op.reason.take().or_else(|| batch.reason.clone());
        op.source = op.source.take().or_else(|| batch.source.clone());
        op.if_match = op.if_match.take().or_else(|| how.if_match.clone());
    }
}

/// Plans, fetching what is asked for, until a changeset or a refusal is there.
pub fn planned(session: &Session, snapshot: &mut Snapshot, ops: &[Operation], how: &How) -> Result<Changeset, Failure> {
    let cx = Context {
        policy: &session.policy.policy,
        prefixes: &session.prefixes,
        now: &session.now,
        actor: &session.actor,
        force: how.force,
        create: how.create,
        own: false,
    };
    plan_with(session, snapshot, ops, &cx)
}

/// The same under a context of the caller's making.
pub fn plan_with(
    session: &Session,
    snapshot: &mut Snapshot,
    ops: &[Operation],
    cx: &Context<'_>,
) -> Result<Changeset, Failure> {
    // Each round learns something new, and one operation can ask for a handful of things at most.
    for _ in 0..ROUNDS + ops.len() {
        match plan(snapshot, ops, cx).map_err(|refused| numbered(refused, ops.len()))? {
            Planned::Ready(changeset) => return Ok(*changeset),
            Planned::Needs(wants) => {
                for want in wants {
                    fetch(&session.store, want, snapshot)?;
                }
            }
        }
    }
    Err(Rejection::new(Code::Internal, "planning never came to an end").into())
}

/// Only operations of a batch have numbers.
fn numbered(mut refused: Vec<Rejection>, operations: usize) -> Vec<Rejection> {
    if operations < 2 {
        refused.iter_mut().for_each(|r| r.operation = None);
    }
    refused
}

/// Commits what `make` plans, planning anew when a file moved on between reading and writing.
pub fn commit_loop(
    session: &Session,
    locked: &Locked<'_>,
    batch: &Batch,
    mut warnings: Vec<Warning>,
    mut make: impl FnMut() -> Result<(Changeset, Snapshot), Failure>,
) -> Verdict {
    for _ in 0..ROUNDS {
        let (mut changeset, snapshot) = make()?;
        let traces = match changeset.forget && !changeset.files.is_empty() {
            true => traces(session, &mut changeset, &snapshot)?,
            false => Traces::default(),
        };
        let kept = batch.request.is_some();
        let mut answer = answered(&changeset, &snapshot, kept);
        if changeset.files.is_empty() {
            answer.warnings.splice(0..0, warnings.iter().map(told));
            return Ok(Answer::Changed(answer));
        }
        // Bytes that only the plan needed must not stand in memory beside the commit's.
        drop(snapshot);
        if changeset.forget {
            // First: who dies between the two can say it again, and nobody knows of traces that were left.
            locked.forget(&traces.paths, &traces.texts)?;
        }
        let header = session.header(batch.reason.clone(), batch.source.clone(), batch.request.clone());
        let stored = batch.request.as_ref().map(|_| serde_json::to_value(&answer).unwrap_or(Value::Null));
        match locked.commit(&changeset, &header, stored) {
            Ok(committed) => {
                answer.rev = Some(format!("r{}", committed.rev));
                for (file, etag) in changeset.files.iter().zip(&committed.etags) {
                    if let Some(row) = answer.files.iter_mut().find(|row| row.path == file.path.as_str()) {
                        row.etag = etag.map(|e| e.short());
                    }
                }
                warnings.extend(committed.warnings);
                warnings.extend(traces.warnings);
                if locked.reap_due() {
                    // The change stands whatever becomes of the cleaning; the next command that is due tries again.
                    drop(locked.reap(session.now.timestamp().as_second()));
                }
                answer.warnings.splice(0..0, warnings.iter().map(told));
                return Ok(Answer::Changed(answer));
            }
            Err(Stopped::Moved(more)) => warnings.extend(more),
            Err(Stopped::Rejected(rejection)) => return Err(Failure { rejections: vec![rejection], warnings }),
        }
    }
    let busy = Rejection::new(Code::Busy, "files kept changing under the command").hint("run it again when they rest");
    Err(Failure { rejections: vec![busy], warnings })
}

/// The first answer to a `request` and whose it was, if the recent journal has it.
pub fn repeated(session: &Session, request: &str) -> Result<Option<(Answer, String)>, Failure> {
    let entries = session.store.recent()?;
    let first = entries
        .iter()
        .rev()
        .find(|e| e.request.as_deref() == Some(request) && e.outcome == crate::change::Outcome::Done);
    Ok(first.map(|entry| {
        let mut answer = entry.answer.clone().unwrap_or(Value::Null);
        if let Value::Object(map) = &mut answer {
            map.insert("changed".into(), Value::Bool(false));
            map.insert("rev".into(), Value::String(format!("r{}", entry.rev)));
            map.insert("repeated".into(), Value::Bool(true));
        }
        (Answer::Repeated(answer), entry.actor.clone())
    }))
}

/// A warning as it is answered.
pub fn told(warning: &Warning) -> Told {
    Told { code: warning.code.name(), message: warning.message.clone(), details: warning.details.clone() }
}

/// A changeset as an answer, before its revision is known.
///
/// Etags of written files cost a look at every byte: with `etags` they are computed here, else the commit tells them.
pub fn answered(changeset: &Changeset, snapshot: &Snapshot, etags: bool) -> Changed {
    let patches = changeset.operations.iter().any(|op| op.get("op").and_then(Value::as_str) == Some("patch"));
    Changed {
        changed: !changeset.files.is_empty(),
        files: files(changeset, snapshot, etags),
        applied_count: patches.then_some(changeset.applied),
        warnings: changeset.warnings.iter().map(told).collect(),
        ..Changed::default()
    }
}

/// A dry run's answer: what would be, as a diff and as operations that `apply` accepts.
pub fn shown(changeset: &Changeset, snapshot: &Snapshot) -> Changed {
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let diff = changeset.files.iter().map(|f| {
        let before = snapshot.file(&f.path).ok().flatten().map(|l| l.document.text().to_owned());
        unified(f.path.as_str(), before.as_deref(), f.after.as_ref().map(|b| text(b)).as_deref())
    });
    Changed {
        dry_run: true,
        diff: Some(diff.collect()),
        operations: Some(changeset.operations.clone()),
        ..answered(changeset, snapshot, true)
    }
}

fn files(changeset: &Changeset, snapshot: &Snapshot, etags: bool) -> Vec<ChangedFile> {
    let mut out: Vec<ChangedFile> = Vec::new();
    for file in &changeset.files {
        if file.before.is_none() && file.moved.is_some() {
            continue;
        }
        out.push(ChangedFile {
            path: file.path.to_string(),
            kind: kind(file),
            to: file.moved.as_ref().map(MemoryPath::to_string),
            etag: file.after.as_ref().filter(|_| etags).map(|b| Etag::of(b).short()),
            effects: rows(&changeset.effects, &file.path),
        });
    }
    for effect in &changeset.effects {
        if !out.iter().any(|f| f.path == effect.path.as_str()) {
            out.push(ChangedFile {
                path: effect.path.to_string(),
                kind: "unchanged",
                to: None,
                etag: snapshot.file(&effect.path).ok().flatten().map(|l| l.version.etag.short()),
                effects: rows(&changeset.effects, &effect.path),
            });
        }
    }
    out
}

fn kind(file: &FileChange) -> &'static str {
    match (&file.before, &file.after, &file.moved) {
        (_, _, Some(_)) => "moved",
        (None, _, _) => "created",
        (_, None, _) => "removed",
        _ => "updated",
    }
}

/// The effects in one file, as rows. A moved file's own line is told by its header.
pub fn rows(effects: &[Effect], path: &MemoryPath) -> Vec<EffectRow> {
    let own = |e: &&Effect| e.path == *path && !(e.sign == Sign::Moved && e.text.is_empty());
    effects.iter().filter(own).map(row).collect()
}

fn row(effect: &Effect) -> EffectRow {
    EffectRow {
        sign: effect.sign.mark(),
        handle: effect.handle.clone(),
        id: effect.id.clone(),
        text: effect.text.clone(),
        section: effect.section.clone(),
        to: effect.to.clone(),
        operation: effect.operation,
        ..EffectRow::default()
    }
}
