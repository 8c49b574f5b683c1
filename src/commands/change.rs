//! Makes every change except undo and redo: takes the lock, plans, fetches what the planner needs, commits and returns
//! the result.
//!
//! Never holds the lock longer than that, and never plans on files that were not read under the lock.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::code_anchors::with_anchor_hashes;
use super::conflict_finder::require_merged;
use super::consent::{ApprovalGate, CommitMode};
use super::dangling_links::find_dangling_links;
use super::fetch::fetch;
use super::forget::{ForgetTraces, find_traces, of_removed_bullet};
use super::journal_notes;
use super::layers::change_in_layer;
use super::moved_file::with_new_path;
use super::planned_operations::{add_consent, add_proof};
use super::restricted_change::{fetch_visible, require_visible_files};
use super::results::{
    ChangeOutcome, ChangeResult, ChangedFile, ChangedFileKind, EffectRow, RepeatedChange, WarningRow,
};
use super::scope_limits;
use super::secrets_check::{check_header_secrets, check_secrets};
use super::{ChangeOptions, CommandResult, Error, Session};
use crate::change::{Changeset, Effect, EffectSign, Etag, FileChange};
use crate::code::{Code, Rejection, Warning, quote_short};
use crate::operation::dialects::is_patch;
use crate::operation::{Action, Batch, MissingInput, Operation, PlanContext, PlanOutcome, Snapshot, Target, plan};
use crate::path::MemoryPath;
use crate::store::{CommitStopped, LockedStore};
use crate::view::diff::unified_diff;

/// The largest number of commit attempts when files change between reading and writing; also the base number of
/// planning rounds.
const MAX_ATTEMPTS: usize = 10;

/// Refuses an operation on a shared scope, which is only read from another.
fn require_own_scope(session: &Session, operation: &mut Operation) -> Result<(), Rejection> {
    if let Some(Target::Address(at) | Target::SectionOrField(at)) = operation.target_mut() {
        session.require_own_scope(at)?;
    }
    if let Action::Move { to, .. } = &operation.action {
        session.require_own_scope(to)?;
    }
    Ok(())
}

/// Makes a change: plans the batch of operations and commits it as one revision.
///
/// # Errors
/// The rejections of the planner or the store; nothing was changed unless a rejection's `changed` is true or null.
pub fn change(session: &Session, mut batch: Batch, options: &ChangeOptions) -> CommandResult<ChangeOutcome> {
    if let Some(result) = change_in_layer(session, &batch, options) {
        return result;
    }
    session.may_write()?;
    batch.operations.iter_mut().try_for_each(|operation| require_own_scope(session, operation))?;
    apply_options(&mut batch, options);
    if session.visibility().is_some() {
        return super::restricted_change::change(session, &batch, options);
    }
    let plan = |snapshot: &mut Snapshot| {
        plan_batch(session, snapshot, &batch.operations, options)
            .or_else(|error| of_removed_bullet(session, &batch, error))
    };
    if options.dry_run {
        let mut snapshot = Snapshot::new();
        let mut changeset = plan(&mut snapshot)?;
        let gate = ApprovalGate { session, batch: &batch, mode: CommitMode::DryRun };
        gate.require_consent(&changeset, &snapshot)?;
        gate.require_own_copies(&changeset, &snapshot)?;
        if changeset.forget {
            let traces = find_traces(session, &mut changeset, &snapshot)?;
            changeset.warnings.extend(traces.warnings);
        }
        let mut planned = dry_run_result(&changeset, &snapshot);
        if options.force {
            add_proof(&mut planned, &changeset);
        }
        add_consent(&mut planned, &batch);
        return Ok(ChangeOutcome::Changed(planned));
    }
    let (locked, warnings) = session.store.lock()?;
    if let Some(earlier) = earlier_change(session, &batch)? {
        return Ok(ChangeOutcome::Repeated(earlier.result?));
    }
    let gate = ApprovalGate { session, batch: &batch, mode: CommitMode::Commit(&locked) };
    let mut summary_lines = Vec::new();
    commit_loop(session, &locked, &batch, warnings, || {
        let mut snapshot = Snapshot::new();
        summary_lines.iter().for_each(|(of, line): &(MemoryPath, Option<String>)| {
            snapshot.insert_last_summary(of.clone(), line.clone())
        });
        let mut changeset = plan(&mut snapshot)?;
        if changeset.forget && summary_lines.is_empty() {
            summary_lines = own_summary_lines(session, &changeset)?;
        }
        gate.require_consent(&changeset, &snapshot)?;
        gate.require_review(&changeset, &snapshot)?;
        gate.require_own_copies(&changeset, &snapshot)?;
        gate.settle_proposal(&mut changeset, &mut snapshot)?;
        Ok((changeset, snapshot))
    })
    .map(ChangeOutcome::Changed)
}

/// The summary lines that memdir last wrote in the files that a `--forget` changes. The journal is scrubbed before the
/// commit; if the commit must then be planned again, the planner still needs them to recognise its own line. Otherwise
/// it would treat the line as written by a person and keep the forgotten words.
fn own_summary_lines(session: &Session, changeset: &Changeset) -> Result<Vec<(MemoryPath, Option<String>)>, Rejection> {
    let mut lines = Vec::new();
    for file in &changeset.files {
        let mut snapshot = Snapshot::new();
        fetch(&session.store, MissingInput::LastSummary(file.path.clone()), &mut snapshot)?;
        let line = snapshot.last_summary(&file.path).ok().flatten().map(str::to_owned);
        lines.push((file.path.clone(), line));
    }
    Ok(lines)
}

/// Fills in reason, source, consent and `if_match` of the batch and its operations from the options. What an operation
/// says counts for it, then what the batch says; of the revision as a whole the caller's options tell more. All words of
/// consent must agree.
pub fn apply_options(batch: &mut Batch, options: &ChangeOptions) {
    let (of_batch, source_of_batch) = (batch.reason.clone(), batch.source.clone());
    batch.reason = options.reason.clone().or(batch.reason.take());
    batch.source = options.source.clone().or(batch.source.take());
    batch.consent.extend(options.consent.clone().filter(|words| !batch.consent.contains(words)));
    for op in &mut batch.operations {
        op.reason = op.reason.take().or_else(|| of_batch.clone()).or_else(|| batch.reason.clone());
        op.source = op.source.take().or_else(|| source_of_batch.clone()).or_else(|| batch.source.clone());
        op.if_match = op.if_match.take().or_else(|| options.if_match.clone());
    }
}

/// Plans the operations for the caller of the session, fetching inputs as the planner requests them.
pub fn plan_batch(
    session: &Session,
    snapshot: &mut Snapshot,
    ops: &[Operation],
    options: &ChangeOptions,
) -> Result<Changeset, Error> {
    let context = PlanContext {
        force: options.force,
        create: options.create,
        links: session.policy.policy.links.filter(|_| session.is_agent),
        ..session.plan_context()
    };
    let (operations, warnings) =
        with_anchor_hashes(session, ops).map_err(|error| as_refused(session, vec![error], ops.len()))?;
    let mut changeset = plan_in_context(session, snapshot, &operations, &context)?;
    changeset.warnings.extend(warnings);
    changeset.warnings.extend(find_dangling_links(session, &operations, &changeset, snapshot));
    check_secrets(session, &mut changeset, snapshot)?;
    Ok(changeset)
}

/// Plans the operations under the given context, fetching inputs as the planner requests them.
///
/// # Errors
/// The rejections of the planner; `category_not_allowed` if the session is restricted and the change concerns a file
/// that its caller does not see whole.
pub fn plan_in_context(
    session: &Session,
    snapshot: &mut Snapshot,
    ops: &[Operation],
    context: &PlanContext<'_>,
) -> Result<Changeset, Error> {
    let changeset = plan_with_fetches(session, snapshot, ops, context)?;
    require_merged(session, snapshot, changeset.files.iter().map(|file| &file.path))?;
    if context.policy.scope_limits.is_empty() || changeset.files.is_empty() {
        return Ok(changeset);
    }
    let evictions = scope_limits::needed_evictions(session, snapshot, &context.policy.scope_limits, &changeset)?;
    if evictions.is_empty() {
        Ok(changeset)
    } else {
        plan_with_fetches(session, snapshot, &[ops, &evictions].concat(), context)
    }
}

fn plan_with_fetches(
    session: &Session,
    snapshot: &mut Snapshot,
    ops: &[Operation],
    context: &PlanContext<'_>,
) -> Result<Changeset, Error> {
    let visibility = session.filtered_visibility();
    let fetch_one = |input: MissingInput, snapshot: &mut Snapshot| match &visibility {
        Some(visibility) => fetch_visible(session, visibility, input, snapshot),
        None => fetch(&session.store, input, snapshot),
    };
    // Each round fetches at least one new input, and one operation needs fewer than ten, so this limit is never
    // reached.
    for _ in 0..MAX_ATTEMPTS * (ops.len() + 1) {
        match plan(snapshot, ops, context).map_err(|rejections| as_refused(session, rejections, ops.len()))? {
            PlanOutcome::Ready(changeset) => {
                if let Some(visibility) = &visibility {
                    require_visible_files(session, visibility, &changeset, snapshot)?;
                }
                return Ok(*changeset);
            }
            PlanOutcome::NeedsInput(inputs) => {
                for input in inputs {
                    fetch_one(input.clone(), snapshot)?;
                    // All files that link to one are needed, however many: not each in a round of its own.
                    let MissingInput::Backlinks(to) = &input else { continue };
                    for holder in snapshot.backlinks(to).unwrap_or_default().to_vec() {
                        if !snapshot.has_read(&holder) {
                            fetch_one(MissingInput::File(holder), snapshot)?;
                        }
                    }
                }
            }
        }
    }
    Err(Rejection::new(Code::Internal, "planning did not finish").into())
}

/// Adds the new paths of moved files, and removes the operation number if the batch has only one operation.
fn as_refused(session: &Session, rejections: Vec<Rejection>, operations: usize) -> Vec<Rejection> {
    let is_single = operations < 2;
    let named = rejections.into_iter().map(|rejection| with_new_path(session, rejection));
    named.map(|error| Rejection { operation: error.operation.filter(|_| !is_single), ..error }).collect()
}

/// Commits the changeset that `plan_change` returns, unless it must wait for a person's review; plans again when a file
/// changed between reading and writing.
///
/// # Errors
/// `review`; as [`commit_approved`].
pub fn commit_loop(
    session: &Session,
    locked: &LockedStore<'_>,
    batch: &Batch,
    warnings: Vec<Warning>,
    mut plan_change: impl FnMut() -> Result<(Changeset, Snapshot), Error>,
) -> CommandResult<ChangeResult> {
    let gate = ApprovalGate { session, batch, mode: CommitMode::Commit(locked) };
    commit_approved(session, locked, batch, warnings, || {
        let (changeset, snapshot) = plan_change()?;
        gate.require_review(&changeset, &snapshot)?;
        Ok((changeset, snapshot))
    })
}

/// [`commit_loop`] without a review: for what a person or the policy decided, and for the files of proposals.
///
/// # Errors
/// Those of planning and of the store; `busy` if the files keep changing.
pub fn commit_approved(
    session: &Session,
    locked: &LockedStore<'_>,
    batch: &Batch,
    mut warnings: Vec<Warning>,
    mut plan_change: impl FnMut() -> Result<(Changeset, Snapshot), Error>,
) -> CommandResult<ChangeResult> {
    for _ in 0..MAX_ATTEMPTS {
        let (mut changeset, snapshot) = plan_change()?;
        if !changeset.files.is_empty() {
            check_header_secrets(session, batch, &mut changeset)?;
        }
        let removes = changeset.effects.iter().any(|effect| effect.sign == EffectSign::Removed);
        let traces = if changeset.forget && (removes || !changeset.files.is_empty()) {
            find_traces(session, &mut changeset, &snapshot)?
        } else {
            ForgetTraces::default()
        };
        let with_etags = batch.request.is_some();
        let mut result = change_result(&changeset, &snapshot, with_etags);
        if changeset.files.is_empty() {
            if !traces.paths.is_empty() {
                erase(locked, &traces)?;
                session.store.unfiltered().forget_usage(&traces.paths);
                result.changed = true;
                warnings.extend(traces.warnings);
            }
            result.warnings.splice(0..0, warnings.iter().map(WarningRow::from));
            return Ok(result);
        }
        session.spent.move_to(&mut changeset);
        // The commit compares files with the texts that were planned on; what else the planner needed is freed first.
        snapshot.move_texts_to(&mut changeset);
        session.progress.check()?;
        if changeset.forget {
            // Scrubs before the commit: after a crash in between, the command can be repeated. The other way round, the
            // text would be gone from the file and nothing would find its remaining traces.
            erase(locked, &traces)?;
        }
        let header = session.header(batch);
        let stored = batch.request.as_ref().map(|_| serde_json::to_value(&result).unwrap_or(Value::Null));
        match locked.commit(&changeset, &header, stored) {
            Ok(committed) => {
                result.rev = Some(format!("r{}", committed.rev));
                for (file, etag) in changeset.files.iter().zip(&committed.etags) {
                    if let Some(row) = result.files.iter_mut().find(|row| row.path == file.path.as_str()) {
                        row.etag = etag.map(|e| e.short());
                    }
                }
                warnings.extend(committed.warnings);
                warnings.extend(traces.warnings);
                super::usage::record_moves(session, &changeset);
                if changeset.forget {
                    session.store.unfiltered().forget_usage(&traces.paths);
                }
                if locked.gc_due() {
                    // The change is committed whether or not gc succeeds; the next change tries again.
                    drop(locked.gc(session.now.timestamp().as_second()));
                    journal_notes::extend_notes(locked.store);
                }
                result.warnings.splice(0..0, warnings.iter().map(WarningRow::from));
                return Ok(result);
            }
            Err(CommitStopped::BaseChanged(more)) => warnings.extend(more),
            Err(CommitStopped::Rejected(rejection)) => return Err(Error { rejections: vec![rejection], warnings }),
        }
    }
    let busy = Rejection::new(Code::Busy, "files kept changing while the command ran")
        .hint("run it again when no other program is writing them");
    Err(Error { rejections: vec![busy], warnings })
}

/// Erases what a forgotten text left in the history and in the queue.
///
/// # Errors
/// `io`, `read_only`. What was erased until then stays erased.
fn erase(locked: &LockedStore<'_>, traces: &ForgetTraces) -> Result<(), Rejection> {
    locked.forget_queued(&traces.queued)?;
    // The first step keeps the trails of other bullets, the last one drops those of the forgotten: after a crash, what
    // is left to erase is still found.
    let (trails, handles) = (&traces.kept_trails[..], &traces.forgotten_handles[..]);
    let Some((first, others)) = traces.earlier_paths.split_first() else {
        return locked.forget_with_trails(&traces.paths, &traces.texts, trails, handles);
    };
    locked.forget_with_trails(std::slice::from_ref(first), &[], trails, &[])?;
    for path in others {
        locked.forget(std::slice::from_ref(path), &[])?;
    }
    locked.forget_with_trails(&traces.paths, &traces.texts, &[], handles)
}

/// An earlier change with the same `request`.
pub struct EarlierChange {
    pub actor: String,
    /// Its stored result; `conflict` if it had other operations.
    pub result: Result<RepeatedChange, Rejection>,
}

/// The earlier change with the same `request` as this batch, if the journal has it.
pub fn earlier_change(session: &Session, batch: &Batch) -> Result<Option<EarlierChange>, Error> {
    let Some(request) = batch.request.as_deref() else { return Ok(None) };
    let Some(entry) = session.store.find_request(request)? else { return Ok(None) };
    let (id, rev) = (quote_short(request), entry.rev);
    let refusal = match &entry.header.request_digest {
        Some(digest) if *digest != batch.digest() => {
            Some(format!("the id {id} is that of another batch, applied as r{rev}"))
        }
        // A digest would prove a guess of the erased text.
        None if entry.forgotten => Some(format!(
            "the id {id} is that of a batch applied as r{rev}, whose texts `rm --forget` erased: whether this is the same batch is not known"
        )),
        // A journal of an older version has no digests.
        Some(_) | None => None,
    };
    if let Some(message) = refusal {
        let conflict = Rejection::new(Code::Conflict, message).hint("give each batch an id of its own");
        return Ok(Some(EarlierChange { actor: entry.header.actor, result: Err(conflict) }));
    }
    // The history keeps a revision longer than its answer.
    let mut result = entry.answer.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    if let Value::Object(map) = &mut result {
        map.insert("changed".into(), Value::Bool(false));
        map.insert("rev".into(), Value::String(format!("r{}", entry.rev)));
        map.insert("repeated".into(), Value::Bool(true));
    }
    Ok(Some(EarlierChange { actor: entry.header.actor, result: Ok(RepeatedChange(result)) }))
}

/// The result of a changeset, before its revision is known.
///
/// With `etags`, the etags of the written files are computed here. That hashes every byte, so a caller that commits
/// passes `false` and takes the etags from the commit.
pub fn change_result(changeset: &Changeset, snapshot: &Snapshot, etags: bool) -> ChangeResult {
    let patches = changeset.operations.iter().any(is_patch);
    ChangeResult {
        changed: !changeset.files.is_empty(),
        files: changed_files(changeset, snapshot, etags),
        applied_count: patches.then_some(changeset.applied),
        warnings: changeset.warnings.iter().map(WarningRow::from).collect(),
        ..ChangeResult::default()
    }
}

/// The result of a dry run: the planned change, as a diff and as operations that `apply` accepts.
pub fn dry_run_result(changeset: &Changeset, snapshot: &Snapshot) -> ChangeResult {
    ChangeResult {
        dry_run: true,
        diff: Some(changeset_diff(changeset, snapshot)),
        operations: Some(changeset.operations.clone()),
        ..change_result(changeset, snapshot, true)
    }
}

/// The unified diff of a planned change, file by file.
pub(super) fn changeset_diff(changeset: &Changeset, snapshot: &Snapshot) -> String {
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let diff = changeset.files.iter().map(|f| {
        let before = snapshot.file(&f.path).ok().flatten().map(|l| l.document.text().to_owned());
        unified_diff(f.path.as_str(), before.as_deref(), f.after.as_ref().map(|b| text(b)).as_deref())
    });
    diff.collect()
}

/// Notes in the result of a dry run that its change is not expressible as operations, so that `apply` cannot make it.
pub(super) fn note_no_operations(planned: &mut ChangeResult) {
    planned.operations = None;
    planned.warnings.extend(no_operations_warning(planned.changed));
}

/// The warning of a dry run whose result has no operations, if it would change something.
pub(super) fn no_operations_warning(would_change: bool) -> Option<WarningRow> {
    let message =
        "this dry run contains no operations, so `memdir apply` cannot make the change: run the command without -n";
    would_change.then(|| WarningRow::from(&Warning::new(Code::Note, message)))
}

fn changed_files(changeset: &Changeset, snapshot: &Snapshot, etags: bool) -> Vec<ChangedFile> {
    // By file in one pass: an import may have thousands.
    let mut rows: HashMap<&MemoryPath, Vec<EffectRow>> = HashMap::new();
    let mut with_effects: Vec<&MemoryPath> = Vec::new();
    for effect in &changeset.effects {
        let of_file = rows.entry(&effect.path).or_insert_with(|| {
            with_effects.push(&effect.path);
            Vec::new()
        });
        of_file.extend(is_shown(effect).then(|| effect_row(effect)));
    }
    let mut out: Vec<ChangedFile> = Vec::new();
    let mut listed: HashSet<&MemoryPath> = HashSet::new();
    for file in changeset.files.iter().filter(|file| file.before.is_some() || file.moved.is_none()) {
        listed.insert(&file.path);
        out.push(ChangedFile {
            path: file.path.to_string(),
            kind: change_kind(file),
            to: file.moved.as_ref().map(MemoryPath::to_string),
            rev: None,
            etag: file.after.as_ref().filter(|_| etags).map(|b| Etag::of(b).short()),
            effects: rows.remove(&file.path).unwrap_or_default(),
        });
    }
    for path in with_effects.into_iter().filter(|path| !listed.contains(path)) {
        out.push(ChangedFile {
            path: path.to_string(),
            kind: ChangedFileKind::Unchanged,
            to: None,
            rev: None,
            etag: snapshot.file(path).ok().flatten().map(|l| l.version.etag.short()),
            effects: rows.remove(path).unwrap_or_default(),
        });
    }
    out
}

fn change_kind(file: &FileChange) -> ChangedFileKind {
    match (&file.before, &file.after, &file.moved) {
        (_, _, Some(_)) => ChangedFileKind::Moved,
        (None, _, _) => ChangedFileKind::Created,
        (_, None, _) => ChangedFileKind::Removed,
        _ => ChangedFileKind::Updated,
    }
}

/// The effects in one file, as rows. The effect of moving the file itself is left out: its `kind` and `to` show it.
pub fn effect_rows(effects: &[Effect], path: &MemoryPath) -> Vec<EffectRow> {
    effects.iter().filter(|effect| effect.path == *path && is_shown(effect)).map(effect_row).collect()
}

fn is_shown(effect: &Effect) -> bool {
    !(effect.sign == EffectSign::Moved && effect.text.is_empty())
}

fn effect_row(effect: &Effect) -> EffectRow {
    EffectRow {
        sign: effect.sign,
        handle: effect.handle.clone(),
        id: effect.id.clone(),
        text: effect.text.clone(),
        section: effect.section.clone(),
        to: effect.to.clone(),
        operation: effect.operation,
        ..EffectRow::default()
    }
}
