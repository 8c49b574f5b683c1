//! `compact`: reduces files and sections that exceed their limit, by the decisions of a model or by age (first in,
//! first out).
//!
//! Never holds the lock while a model is running: its decisions are planned again on the current state of the files. If
//! they no longer apply, the model is called once more; after that, age decides.

use serde_json::Value;

use super::change::{apply_options, commit_loop, dry_run_result, earlier_change, plan_in_context};
use super::consent::CommitMode;
use super::results::{ChangeOutcome, ChangeResult, CompactOutcome, RepeatedChange, WarningRow};
use super::{ChangeOptions, CommandResult, Error, Session, change};
use crate::change::Changeset;
use crate::code::{Code, Rejection, Warning};
use crate::document::{Document, Visibility};
use crate::llm::Model;
use crate::operation::evict::ItemAges;
use crate::operation::limits;
use crate::operation::{Batch, Operation, PlanContext, Snapshot, rejections};
use crate::path::MemoryPath;
use crate::reflect::compaction::CompactionStep;
use dialogue::CompactDialogue;
use full_section::FullSection;
use model_texts::compaction_rules;
use overlay::CompactOverlay;
use report::CompactionRow;
use targets::{CompactionTarget, LimitedSectionRef, files_over_limit, is_within, resolve_target};

mod budgeted;
mod consent;
mod dialogue;
mod digests;
mod duplicates;
mod full_section;
mod model_calls;
mod model_texts;
mod overlay;
pub mod report;
mod targets;
mod weeks;

pub use budgeted::compact_within_budget;
pub use digests::{DIGEST_REASON, DigestOptions, digest_episodes};
pub use duplicates::{DUPLICATE_REASON, DuplicatesOptions, MERGED_INTO, remove_duplicates};
pub use weeks::split_into_weeks;

/// How many times a model is called before age decides: other processes may change the memory during each call.
const MAX_PLANS: usize = 2;
/// How many decisions a model may make for one file or section.
const MAX_DECISIONS: usize = 8;
/// How many times the limits are checked again: an archived or merged item can push another file over its limit.
const MAX_PASSES: usize = 3;

/// What `compact` reduces, to what size, and whether a model must decide.
#[derive(Clone, Debug, Default)]
pub struct CompactOptions {
    /// The file or section; `None` for everything that exceeds its limit.
    pub address: Option<String>,
    /// Target size in bullets (entries in an episode file), instead of the limit.
    pub to: Option<usize>,
    /// A change made in the same batch. Its new bullets may be removed as well.
    pub batch: Option<Batch>,
    /// Whether a model that cannot be reached is an error (`model`); otherwise age decides.
    pub model_required: bool,
}

/// Reduces files and sections to their limits.
///
/// # Errors
/// Errors of resolving the address, of planning and of the store; `limit_reached` if everything is pinned; `model` if
/// a required model cannot be reached.
pub fn compact(
    session: &Session,
    options: &CompactOptions,
    change_options: &ChangeOptions,
    model: Option<&dyn Model>,
) -> CommandResult<CompactOutcome> {
    if options.batch.as_ref().is_some_and(Batch::forgets) {
        let rejection = Rejection::new(Code::Usage, "compact cannot be combined with rm --forget");
        return Err(rejection.hint("run rm --forget first").into());
    }
    // What is removed is chosen among all bullets, so a caller with an allowlist must not compact.
    session.store.require_unfiltered()?;
    let target = resolve_target(session, options)?;
    let outcome = CompactionRun { session, target, options: change_options, model_required: options.model_required }
        .run(options.batch.clone().unwrap_or_default(), model)?;
    Ok(match outcome {
        CompactionOutcome::Repeated(first) => CompactOutcome::Repeated(first),
        CompactionOutcome::Completed(change, report) => CompactOutcome::Compacted(report.into_compact_report(change)),
    })
}

/// Makes a change. Where it pushes a file or section over a limit with `on_limit: compact`, a model decides what to
/// remove, in the same batch. Without a model, the oldest items are archived at once, as in every other change.
///
/// # Errors
/// As [`change()`].
pub fn change_with(
    session: &Session,
    batch: Batch,
    options: &ChangeOptions,
    model: Option<&dyn Model>,
) -> CommandResult<ChangeOutcome> {
    let evicts = session.policy.policy.evicts();
    let Some(model) = model.filter(|_| evicts && !batch.forgets()) else { return change(session, batch, options) };
    match (CompactionRun { session, target: CompactionTarget::GrownByBatch, options, model_required: false })
        .run(batch, Some(model))?
    {
        CompactionOutcome::Repeated(first) => Ok(ChangeOutcome::Repeated(first)),
        CompactionOutcome::Completed(mut change, report) => {
            change.warnings.extend(report.warnings().iter().map(WarningRow::from));
            Ok(ChangeOutcome::Changed(change))
        }
    }
}

/// How a compaction ended.
// One value a command, so its size does not matter.
#[expect(clippy::large_enum_variant)]
enum CompactionOutcome {
    /// The request id was used before: the first result.
    Repeated(RepeatedChange),
    Completed(ChangeResult, report::CompactionReport),
}

/// The decisions, as steps in order, and the report about them.
#[derive(Default)]
struct CompactionPlan {
    steps: Vec<CompactionStep>,
    report: report::CompactionReport,
    /// Files and sections in which everything is pinned.
    all_pinned: Vec<LimitedSectionRef>,
    /// Why nothing can be removed from the first of them.
    rejection: Option<Rejection>,
}

/// One run of `compact`, or of a change that compacts.
struct CompactionRun<'a> {
    session: &'a Session,
    target: CompactionTarget,
    options: &'a ChangeOptions,
    model_required: bool,
}

impl CompactionRun<'_> {
    fn run(&self, mut batch: Batch, model: Option<&dyn Model>) -> Result<CompactionOutcome, Error> {
        let session = self.session;
        session.may_write()?;
        apply_options(&mut batch, self.options);
        self.require_consent(&batch)?;
        if let Some(earlier) = self.earlier_result(&batch)? {
            return Ok(CompactionOutcome::Repeated(earlier));
        }
        let mut dialogue = CompactDialogue::new(model, self.model_required);
        if self.options.dry_run {
            let (overlay, plan) = self.decide(&batch.operations, &mut dialogue)?;
            return self.dry_run(&batch, overlay, plan, dialogue);
        }
        for _ in 0..MAX_PLANS {
            let (_, plan) = self.decide(&batch.operations, &mut dialogue)?;
            if plan.steps.is_empty() && batch.operations.is_empty() {
                return Ok(completed(ChangeResult::default(), plan.report, dialogue));
            }
            let (locked, warnings) = session.store.lock()?;
            if let Some(first) = self.earlier_result(&batch)? {
                return Ok(CompactionOutcome::Repeated(first));
            }
            let mut changed_meanwhile = false;
            let result =
                commit_loop(session, &locked, &batch, warnings, || match self.replan(&batch.operations, &plan)? {
                    Some(overlay) => {
                        let planned = overlay.into_changeset();
                        self.require_consent_to_archive(CommitMode::Commit(&locked), &batch, &planned)?;
                        Ok(planned)
                    }
                    None => {
                        changed_meanwhile = true;
                        Err(Rejection::new(Code::Busy, "the memory changed while the model was running").into())
                    }
                });
            match result {
                Err(_) if changed_meanwhile => continue,
                verdict => return Ok(completed(verdict?, plan.report, dialogue)),
            }
        }
        // The memory keeps changing while the model runs: plan under the lock, by age.
        let closed_dialogue = dialogue.close();
        let (locked, warnings) = session.store.lock()?;
        if let Some(first) = self.earlier_result(&batch)? {
            return Ok(CompactionOutcome::Repeated(first));
        }
        let mut report = report::CompactionReport::default();
        let verdict = commit_loop(session, &locked, &batch, warnings, || {
            let mut by_age_only = CompactDialogue::new(None, false);
            by_age_only.fallback_reason.clone_from(&closed_dialogue.fallback_reason);
            let (overlay, plan) = self.decide(&batch.operations, &mut by_age_only)?;
            report = plan.report;
            let planned = overlay.into_changeset();
            self.require_consent_to_archive(CommitMode::Commit(&locked), &batch, &planned)?;
            Ok(planned)
        });
        Ok(completed(verdict?, report, closed_dialogue))
    }

    fn earlier_result(&self, batch: &Batch) -> Result<Option<RepeatedChange>, Error> {
        if self.options.dry_run {
            return Ok(None);
        }
        Ok(earlier_change(self.session, batch)?.map(|earlier| earlier.result).transpose()?)
    }

    /// Plans the batch and decides for every file and section that then exceeds its limit.
    fn decide(
        &self,
        batch: &[Operation],
        dialogue: &mut CompactDialogue<'_>,
    ) -> Result<(CompactOverlay<'_>, CompactionPlan), Error> {
        let mut overlay = self.plan_batch(batch)?;
        let mut plan = CompactionPlan::default();
        let mut paths = match self.target {
            CompactionTarget::All => files_over_limit(self.session, &self.session.policy.policy)?,
            CompactionTarget::GrownByBatch | CompactionTarget::Within(..) | CompactionTarget::ToSize(_) => Vec::new(),
        };
        for _ in 0..MAX_PASSES {
            paths.extend(overlay.changed_files());
            let mut sections = self.over_limit(&mut overlay, &paths)?;
            if sections.is_empty() {
                sections = match self.over_scope_limit(&overlay) {
                    Err(mut error) if matches!(self.target, CompactionTarget::All) => {
                        plan.rejection = plan.rejection.or_else(|| error.rejections.pop());
                        break;
                    }
                    result => result?,
                };
            }
            sections.retain(|section| !plan.all_pinned.contains(section));
            if sections.is_empty() {
                break;
            }
            for limited in sections {
                self.reduce(&mut overlay, &limited, dialogue, &mut plan)?;
            }
        }
        match plan.rejection.take() {
            Some(rejection) if plan.steps.is_empty() || matches!(self.target, CompactionTarget::GrownByBatch) => {
                Err(rejection.into())
            }
            Some(rejection) => {
                let message = format!("{}; it stays over its limit", rejection.message);
                plan.report.still_over_limit.push(Warning::new(Code::LimitReached, message));
                Ok((overlay, plan))
            }
            None => Ok((overlay, plan)),
        }
    }

    /// Plans the batch alone, without evictions.
    fn plan_batch(&self, batch: &[Operation]) -> Result<CompactOverlay<'_>, Error> {
        let mut overlay = CompactOverlay::new(self.session);
        if let (
            Some(if_match),
            CompactionTarget::Within(path, _) | CompactionTarget::ToSize(LimitedSectionRef { path, .. }),
        ) = (&self.options.if_match, &self.target)
        {
            let etag = overlay.etag(path)?;
            if batch.is_empty() && !etag.is_some_and(|etag| etag.matches_prefix(if_match)) {
                return Err(rejections::if_match_conflict(path, etag).into());
            }
        }
        if !batch.is_empty() {
            let changeset = overlay.plan(batch, self.options.force, self.options.create)?;
            overlay.accept(changeset)?;
        }
        Ok(overlay)
    }

    /// Plans the batch and the decided steps again on the current files; `None` if they no longer apply.
    fn replan(&self, batch: &[Operation], plan: &CompactionPlan) -> Result<Option<CompactOverlay<'_>>, Error> {
        let mut overlay = self.plan_batch(batch)?;
        for step in &plan.steps {
            if overlay.apply_step(step).is_err() {
                return Ok(None);
            }
        }
        let paths: Vec<MemoryPath> = plan.steps.iter().map(|s| s.path.clone()).collect();
        let mut still_over = self.over_limit(&mut overlay, &paths)?;
        still_over.extend(self.over_scope_limit(&overlay).unwrap_or_default());
        Ok(still_over.iter().all(|section| plan.all_pinned.contains(section)).then_some(overlay))
    }

    /// The files to reduce so that the scope as a whole is within its limits.
    fn over_scope_limit(&self, overlay: &CompactOverlay<'_>) -> Result<Vec<LimitedSectionRef>, Error> {
        let only_grown = match self.target {
            CompactionTarget::All => false,
            CompactionTarget::GrownByBatch => true,
            CompactionTarget::Within(..) | CompactionTarget::ToSize(_) => return Ok(Vec::new()),
        };
        let reductions = overlay.scope_reductions(only_grown)?;
        Ok(reductions.into_iter().map(|(path, limits)| LimitedSectionRef { path, slug: None, limits }).collect())
    }

    /// The files and sections that exceed their limit now. `paths_to_check` lists the files to check when the target
    /// is the whole memory.
    fn over_limit(
        &self,
        overlay: &mut CompactOverlay<'_>,
        paths_to_check: &[MemoryPath],
    ) -> Result<Vec<LimitedSectionRef>, Error> {
        let policy = &self.session.policy.policy;
        let mut sections: Vec<LimitedSectionRef> = Vec::new();
        let mut add_section = |section: LimitedSectionRef| {
            if !sections.contains(&section) {
                sections.push(section);
            }
        };
        let paths = match &self.target {
            CompactionTarget::All => paths_to_check,
            CompactionTarget::Within(path, _) => std::slice::from_ref(path),
            CompactionTarget::GrownByBatch | CompactionTarget::ToSize(_) => &[],
        };
        for path in paths.iter().filter(|p| limits::limits_apply_to(p)) {
            let Some(document) = overlay.document(path)? else { continue };
            let within = match &self.target {
                CompactionTarget::Within(_, Some(slug)) => document.sections().iter().position(|s| s.slug == *slug),
                CompactionTarget::Within(_, None)
                | CompactionTarget::All
                | CompactionTarget::GrownByBatch
                | CompactionTarget::ToSize(_) => Some(0),
            };
            let Some(within) = within else { continue };
            for limited in limits::sections_over_limit(policy, path, &document) {
                if is_within(&document, limited.section, within) {
                    add_section(LimitedSectionRef::new(path, &document, &limited));
                }
            }
        }
        if let CompactionTarget::ToSize(limited) = &self.target
            && let Some(document) = overlay.document(&limited.path)?
            && limited.locate(&document).is_some_and(|limited| !limited.excess(&document).is_zero())
        {
            add_section(limited.clone());
        }
        for path in overlay.changed_files() {
            let Some(document) = overlay.document(&path)? else { continue };
            for limited in limits::grown_over_limit(policy, &path, overlay.document_on_disk(&path), &document) {
                add_section(LimitedSectionRef::new(&path, &document, &limited));
            }
        }
        Ok(sections)
    }

    /// Reduces one file or section to its limit: by the model as long as it makes valid decisions, then by age.
    fn reduce(
        &self,
        overlay: &mut CompactOverlay<'_>,
        section_ref: &LimitedSectionRef,
        dialogue: &mut CompactDialogue<'_>,
        plan: &mut CompactionPlan,
    ) -> Result<(), Error> {
        let mut row: Option<CompactionRow> = None;
        dialogue.begin_next();
        let agents = Visibility::of_agents(&self.session.policy.policy);
        for round in 0..=MAX_DECISIONS {
            let Some(document) = overlay.document(&section_ref.path)? else { break };
            let Some(limited) = section_ref.locate(&document) else { break };
            let row = row.get_or_insert_with(|| CompactionRow::new(section_ref.address(), &limited, &document));
            row.update_size(&limited, &document);
            if limited.excess(&document).is_zero() {
                break;
            }
            let inert = overlay.inert_bullets(&section_ref.path, &document)?;
            let before = overlay.document_on_disk(&section_ref.path).cloned().unwrap_or_else(|| Document::parse(""));
            let today = self.session.now.date().to_string();
            let ages = ItemAges::new(&document, &inert, Some(&before), &today);
            let full =
                FullSection { section_ref, document: &document, limited: &limited, ages: &ages, agents: &agents };
            if round < MAX_DECISIONS && dialogue.has_model() && section_ref.leaves_choice() {
                if let Some(steps) = full.ask_model(overlay, dialogue, &compaction_rules(self.session), row)? {
                    plan.steps.extend(steps);
                    continue;
                }
                row.record_fallback(dialogue.fallback_reason.clone());
            } else if row.fallback_reason.is_none() {
                row.record_fallback(dialogue.fallback_reason.clone());
            }
            match full.archive_oldest(overlay, row) {
                Ok(steps) => plan.steps.extend(steps),
                Err(rejection) => {
                    plan.all_pinned.push(section_ref.clone());
                    plan.rejection.get_or_insert(rejection);
                    break;
                }
            }
            if let Some(document) = overlay.document(&section_ref.path)?
                && let Some(limited) = section_ref.locate(&document)
            {
                row.update_size(&limited, &document);
            }
            break;
        }
        plan.report.rows.extend(row.filter(CompactionRow::has_decisions));
        Ok(())
    }

    /// The result of a dry run.
    fn dry_run(
        &self,
        batch: &Batch,
        overlay: CompactOverlay<'_>,
        plan: CompactionPlan,
        dialogue: CompactDialogue<'_>,
    ) -> Result<CompactionOutcome, Error> {
        let planned = overlay.into_changeset();
        self.require_consent_to_archive(CommitMode::DryRun, batch, &planned)?;
        let (changeset, snapshot) = planned;
        let mut change = dry_run_result(&changeset, &snapshot);
        if !plan.steps.is_empty() && !self.is_replayable_batch(&changeset) {
            change.operations = None;
            let message = "these operations depend on each other, so `memdir apply` cannot run them as one batch";
            change.warnings.push(WarningRow::from(&Warning::new(Code::Note, message)));
        }
        Ok(completed(change, plan.report, dialogue))
    }

    /// Whether `apply` with the same operations would have the same result. An operation that depends on an earlier one
    /// of the batch has not.
    fn is_replayable_batch(&self, changeset: &Changeset) -> bool {
        let read = |op: &Value| crate::operation::dialects::parse_operation(op).ok();
        let Some(operations) = changeset.operations.iter().map(read).collect::<Option<Vec<_>>>() else { return false };
        let session = self.session;
        let context = PlanContext { force: self.options.force, create: self.options.create, ..session.plan_context() };
        let replanned = plan_in_context(session, &mut Snapshot::new(), &operations, &context);
        let same_files = |a: &Changeset, b: &Changeset| {
            a.files.len() == b.files.len()
                && a.files.iter().all(|f| b.files.iter().any(|g| g.path == f.path && g.after == f.after))
        };
        replanned.is_ok_and(|again| same_files(&again, changeset))
    }
}

fn completed(
    mut change: ChangeResult,
    mut report: report::CompactionReport,
    dialogue: CompactDialogue<'_>,
) -> CompactionOutcome {
    report.record_model(&dialogue);
    change.warnings.extend(report.still_over_limit.iter().map(WarningRow::from));
    CompactionOutcome::Completed(change, report)
}
