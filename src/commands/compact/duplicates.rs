//! `compact --duplicates`: removes bullets that say what another one says. Code decides about equal texts, a model
//! about similar ones, and code checks its verdicts.
//!
//! Never holds the lock while the model runs, removes nothing without a copy in `archive/`, and changes nothing if
//! there is no model: it then lists the pairs for a person.

use std::collections::{HashSet, VecDeque};

use jiff::civil::Date;

use super::super::model::OpenModel;
use super::super::{ChangeOptions, CommandResult, Error, Session};
use super::model_texts::{compaction_rules, redact_secrets};
use super::targets::resolve_file_or_section;
use crate::code::Rejection;
use crate::commands::change::no_operations_warning;
use crate::commands::results::{ChangeResult, DuplicatesReport, PossibleDuplicate, TokenCounts};
use crate::document::Document;
use crate::operation::effects::section_slug;
use crate::reflect::duplicates::{
    BATCH_PAIRS, DuplicateItem, DuplicatePair, MAX_PAIRS_PER_DAY, PairBand, PairOutcome, PairVerdictKind, absorb_order,
    count_repeated, decide_pair, find_pairs,
};
use crate::text::shell_quote::shell_quote;
use judge::{Judge, JudgeReply};
use judged::{JudgedAs, JudgedPairs, NOTE, fingerprint};
use pool::{PoolBullet, PoolFilter};
pub use removal::{DUPLICATE_REASON, MERGED_INTO};
use removal::{DuplicateChange, commit_changes};

mod judge;
mod judged;
mod pool;
mod removal;

/// The most pairs that are listed for a person; the others are counted.
const MAX_LISTED: usize = 50;

/// Options of `compact --duplicates`.
#[derive(Clone, Debug, Default)]
pub struct DuplicatesOptions {
    /// The file or section; `None` for all facts.
    pub address: Option<String>,
    /// Whether a model that cannot be reached is an error (`model`); otherwise the pairs wait.
    pub model_required: bool,
}

/// Removes duplicates of facts, as one revision; without a model, lists the pairs.
///
/// # Errors
/// `category_not_allowed` for a caller that does not see everything; errors of resolving the address, of reading and of
/// committing; `model` if a required model cannot be reached.
pub fn remove_duplicates(
    session: &Session,
    options: &DuplicatesOptions,
    change_options: &ChangeOptions,
    opened: Option<&OpenModel>,
) -> CommandResult<DuplicatesReport> {
    // What is removed is chosen among all bullets, so a caller with an allowlist must not compact.
    session.store.require_unfiltered()?;
    if opened.is_some() {
        session.may_write()?;
    }
    let filter = resolve_pool(session, options)?;
    let is_whole = filter.path.is_none();
    let mut run = DuplicatesRun::new(session, pool::collect(session, &filter)?);
    let Some(opened) = opened else { return Ok(run.list_for_person(change_options.dry_run)) };
    run.remove_equal();
    let mut judge = Judge::new(session, opened, options.model_required);
    run.ask(&mut judge, change_options.dry_run)?;
    let (mut change, applied) = commit_changes(session, &run.pool, &run.changes, &judge.source(), change_options)?;
    change.warnings.extend(no_operations_warning(change_options.dry_run && change.changed));
    if is_whole && !change_options.dry_run {
        run.note_if_caught_up();
    }
    let mut report = run.report(change, &applied);
    report.model = Some(judge.name());
    report.tokens = Some(TokenCounts { input: judge.usage().input, output: judge.usage().output });
    Ok(report)
}

fn resolve_pool(session: &Session, options: &DuplicatesOptions) -> Result<PoolFilter, Rejection> {
    let Some(address) = &options.address else { return Ok(PoolFilter::default()) };
    let target = resolve_file_or_section(session, address)?;
    let section = section_slug(&target.document, target.section);
    Ok(PoolFilter { path: Some(target.path), section })
}

/// A pair that is left to a person or to another day, and why.
struct WaitingPair {
    pair: DuplicatePair,
    reason: String,
}

struct DuplicatesRun<'a> {
    session: &'a Session,
    today: Date,
    pool: Vec<PoolBullet>,
    /// All pairs that are not known to be different, the most similar first.
    pairs: Vec<DuplicatePair>,
    judged: JudgedPairs,
    changes: Vec<DuplicateChange>,
    /// Bullets that go, or whose text changes.
    touched: HashSet<usize>,
    /// Pairs that the model called different, by index into the pool.
    called_different: HashSet<(usize, usize)>,
    /// Pairs that the model was asked about.
    asked: usize,
    waiting: Vec<WaitingPair>,
    /// Why the model was not asked about the remaining pairs.
    stopped: Option<String>,
    report: DuplicatesReport,
}

impl<'a> DuplicatesRun<'a> {
    fn new(session: &'a Session, pool: Vec<PoolBullet>) -> DuplicatesRun<'a> {
        let today = session.now.date();
        let judged = JudgedPairs::load(&session.store, today);
        let policy = &session.policy.policy;
        // With allowlists, a caller that sees one file need not see the other.
        let across_files = policy.allowlists.is_empty() && policy.default_agent.is_none();
        let is_eligible = |a: &DuplicateItem, b: &DuplicateItem| {
            let in_pool = |item: &DuplicateItem| item.is_in_pool(today, judged.caught_up);
            (in_pool(a) || in_pool(b)) && (a.is_fresh(today) || b.is_fresh(today))
        };
        let items: Vec<DuplicateItem> = pool.iter().map(|bullet| bullet.item.clone()).collect();
        session.progress.begin("comparing");
        let mut pairs = find_pairs(&items, across_files, &is_eligible);
        let mut report = DuplicatesReport { bullets: pool.len(), pairs: pairs.len(), ..DuplicatesReport::default() };
        report.contradicting = pairs.iter().filter(|pair| pair.band == PairBand::Different).count();
        pairs.retain(|pair| pair.band != PairBand::Different);
        let before = pairs.len();
        let known = |pair: &DuplicatePair| judged.find(&fingerprint(&items[pair.a], &items[pair.b], pair.similarity));
        pairs.retain(|pair| pair.band == PairBand::Certain || known(pair) != Some(JudgedAs::Different));
        report.known = before - pairs.len();
        report.repeated_before = count_repeated(pool.len(), pairs.iter().map(|pair| (pair.a, pair.b)));
        DuplicatesRun {
            session,
            today,
            pool,
            pairs,
            judged,
            changes: Vec::new(),
            touched: HashSet::new(),
            called_different: HashSet::new(),
            asked: 0,
            waiting: Vec::new(),
            stopped: None,
            report,
        }
    }

    fn items(&self, pair: &DuplicatePair) -> (&DuplicateItem, &DuplicateItem) {
        (&self.pool[pair.a].item, &self.pool[pair.b].item)
    }

    fn fingerprint(&self, pair: &DuplicatePair) -> String {
        let (a, b) = self.items(pair);
        fingerprint(a, b, pair.similarity)
    }

    /// Without a model: all pairs wait for a person.
    fn list_for_person(mut self, dry_run: bool) -> DuplicatesReport {
        self.waiting = self
            .pairs
            .iter()
            .map(|pair| {
                let reason = if pair.band == PairBand::Certain { "equal texts" } else { "similar texts" };
                WaitingPair { pair: *pair, reason: reason.to_owned() }
            })
            .collect();
        self.stopped = Some("no model is configured".to_owned());
        self.report(ChangeResult { dry_run, ..ChangeResult::default() }, &[])
    }

    /// Decides about equal texts of one section.
    fn remove_equal(&mut self) {
        let certain: Vec<DuplicatePair> =
            self.pairs.iter().filter(|pair| pair.band == PairBand::Certain).copied().collect();
        for pair in certain {
            if self.is_touched(&pair) {
                continue;
            }
            let (a, b) = self.items(&pair);
            match absorb_order(a, b).first() {
                Some(keeps_second) => self.absorb(&pair, *keeps_second, None, false),
                None => {
                    let reason = "neither may go: pinned, with an id, or more important".to_owned();
                    self.waiting.push(WaitingPair { pair, reason });
                }
            }
        }
    }

    fn is_touched(&self, pair: &DuplicatePair) -> bool {
        self.touched.contains(&pair.a) || self.touched.contains(&pair.b)
    }

    fn absorb(&mut self, pair: &DuplicatePair, keeps_second: bool, text: Option<String>, by_model: bool) {
        let (kept, absorbed) = if keeps_second { (pair.b, pair.a) } else { (pair.a, pair.b) };
        self.touched.insert(absorbed);
        if text.is_some() {
            self.touched.insert(kept);
        }
        self.changes.push(DuplicateChange { kept, absorbed, text, by_model });
    }

    /// Asks the model about similar texts, batch by batch, up to the number of a day.
    fn ask(&mut self, judge: &mut Judge<'_>, dry_run: bool) -> Result<(), Error> {
        let mut queue: VecDeque<DuplicatePair> = VecDeque::new();
        for pair in self.pairs.iter().filter(|pair| pair.band == PairBand::Ask) {
            let (a, b) = self.items(pair);
            let has_secret = [a, b].iter().any(|item| redact_secrets(&item.text) != item.text);
            let reason = match self.judged.find(&self.fingerprint(pair)) {
                _ if has_secret => "a text looks like a secret, so no model is asked",
                Some(_) => "a model was asked, and a person must decide",
                None => {
                    queue.push_back(*pair);
                    continue;
                }
            };
            self.waiting.push(WaitingPair { pair: *pair, reason: reason.to_owned() });
        }
        loop {
            queue.retain(|pair| !self.is_touched(pair));
            let left = MAX_PAIRS_PER_DAY.saturating_sub(self.judged.asked_on(self.today));
            let count = left.min(queue.len());
            if count == 0 {
                if !queue.is_empty() {
                    self.stopped = Some(format!("at most {MAX_PAIRS_PER_DAY} pairs a day"));
                }
                break;
            }
            // Batches of equal size: of 11 pairs, 6 and 5.
            let batch: Vec<DuplicatePair> = queue.drain(..count.div_ceil(count.div_ceil(BATCH_PAIRS))).collect();
            match self.ask_batch(judge, &batch, dry_run)? {
                None => {}
                Some(cause) => {
                    let wait = batch.into_iter().rev().filter(|pair| !self.is_judged(pair));
                    wait.for_each(|pair| queue.push_front(pair));
                    self.stopped = Some(cause);
                    break;
                }
            }
        }
        let reason = self.stopped.clone().unwrap_or_default();
        self.waiting.extend(queue.into_iter().map(|pair| WaitingPair { pair, reason: reason.clone() }));
        Ok(())
    }

    fn is_judged(&self, pair: &DuplicatePair) -> bool {
        self.is_touched(pair) || self.called_different.contains(&(pair.a, pair.b))
    }

    /// Asks about one batch. Returns why no further one can be asked.
    fn ask_batch(
        &mut self,
        judge: &mut Judge<'_>,
        batch: &[DuplicatePair],
        dry_run: bool,
    ) -> Result<Option<String>, Error> {
        let items: Vec<(DuplicateItem, DuplicateItem)> =
            batch.iter().map(|pair| (self.items(pair).0.clone(), self.items(pair).1.clone())).collect();
        let pairs: Vec<(&DuplicateItem, &DuplicateItem)> = items.iter().map(|(a, b)| (a, b)).collect();
        let reserved = match judge.reserve(&pairs)? {
            Some(reserved) => reserved,
            None => return Ok(Some("today's token budget is used up".into())),
        };
        // Before the request: a run that is killed has asked, too.
        self.record(batch.iter().map(|pair| (self.fingerprint(pair), JudgedAs::Asked)).collect(), dry_run);
        let verdicts = match judge.ask(&pairs, reserved)? {
            JudgeReply::Verdicts(verdicts) => verdicts,
            JudgeReply::Stopped(cause) => return Ok(Some(cause)),
        };
        self.asked += batch.len();
        let rules = compaction_rules(self.session);
        let mut judged: Vec<(String, JudgedAs)> = Vec::new();
        let mut agreed: Vec<(usize, bool, Option<String>)> = Vec::new();
        for (n, ((pair, verdict), (a, b))) in batch.iter().zip(verdicts).zip(&pairs).enumerate() {
            let Some(verdict) = verdict else {
                let reason = "the model gave no answer about this pair".to_owned();
                self.waiting.push(WaitingPair { pair: *pair, reason });
                continue;
            };
            match decide_pair(a, b, &verdict, &rules) {
                PairOutcome::Different => {
                    self.called_different.insert((pair.a, pair.b));
                    judged.push((self.fingerprint(pair), JudgedAs::Different));
                }
                PairOutcome::Refused(reason) => {
                    self.waiting.push(WaitingPair { pair: *pair, reason });
                    judged.push((self.fingerprint(pair), JudgedAs::Refused));
                }
                PairOutcome::Absorb { keeps_second, text } => agreed.push((n, keeps_second, text)),
            }
        }
        let stopped = self.confirm(judge, batch, &pairs, agreed, &mut judged)?;
        self.record(judged, dry_run);
        Ok(stopped)
    }

    /// Asks a second time about the pairs that the model calls duplicates, each with its sides exchanged: a model that
    /// errs now and then, or prefers what comes first, does not remove a bullet alone. Returns why nothing more can be
    /// asked.
    fn confirm(
        &mut self,
        judge: &mut Judge<'_>,
        batch: &[DuplicatePair],
        pairs: &[(&DuplicateItem, &DuplicateItem)],
        agreed: Vec<(usize, bool, Option<String>)>,
        judged: &mut Vec<(String, JudgedAs)>,
    ) -> Result<Option<String>, Error> {
        if agreed.is_empty() {
            return Ok(None);
        }
        let exchanged: Vec<(&DuplicateItem, &DuplicateItem)> =
            agreed.iter().map(|(n, ..)| (pairs[*n].1, pairs[*n].0)).collect();
        let Some(reserved) = judge.reserve(&exchanged)? else {
            return Ok(Some("today's token budget is used up".into()));
        };
        let verdicts = match judge.ask(&exchanged, reserved)? {
            JudgeReply::Verdicts(verdicts) => verdicts,
            JudgeReply::Stopped(cause) => return Ok(Some(cause)),
        };
        for ((n, keeps_second, text), verdict) in agreed.into_iter().zip(verdicts) {
            let pair = &batch[n];
            match verdict.map(|verdict| verdict.kind) {
                // Another pair of this batch has changed one of the two: they are compared again in the next run.
                Some(PairVerdictKind::Same | PairVerdictKind::Merge) if self.is_touched(pair) => {}
                Some(PairVerdictKind::Same | PairVerdictKind::Merge) => self.absorb(pair, keeps_second, text, true),
                Some(PairVerdictKind::Different) | None => {
                    let reason = "the model answered differently when it was asked again".to_owned();
                    self.waiting.push(WaitingPair { pair: *pair, reason });
                    judged.push((self.fingerprint(pair), JudgedAs::Refused));
                }
            }
        }
        Ok(None)
    }

    /// Records what is known of pairs. A failure must not make the command fail: the pairs are asked about again.
    fn record(&mut self, pairs: Vec<(String, JudgedAs)>, dry_run: bool) {
        let insert = |all: &mut JudgedPairs| {
            pairs.iter().for_each(|(fingerprint, judged)| all.insert(fingerprint.clone(), self.today, *judged));
        };
        if dry_run {
            return insert(&mut self.judged);
        }
        let Ok((locked, _)) = self.session.store.lock() else { return insert(&mut self.judged) };
        // Another run may have written it meanwhile.
        let mut latest = JudgedPairs::load(&self.session.store, self.today);
        insert(&mut latest);
        drop(locked.write_note(NOTE, &latest.to_text()));
        self.judged = latest;
    }

    /// Notes the day if no pair is left for another one: older bullets need not be compared again.
    fn note_if_caught_up(&self) {
        if self.stopped.is_none()
            && self.judged.caught_up != Some(self.today)
            && let Ok((locked, _)) = self.session.store.lock()
        {
            let mut latest = JudgedPairs::load(&self.session.store, self.today);
            latest.caught_up = Some(self.today);
            drop(locked.write_note(NOTE, &latest.to_text()));
        }
    }

    /// The report. `applied` says of each change whether it was made, or why not.
    fn report(mut self, change: ChangeResult, applied: &[Result<(), String>]) -> DuplicatesReport {
        let mut report = std::mem::take(&mut self.report);
        report.change = change;
        report.asked = self.asked;
        report.different = self.called_different.len();
        report.stopped = self.stopped.take();
        let mut gone: HashSet<usize> = HashSet::new();
        for (change, result) in self.changes.iter().zip(applied) {
            match result {
                Ok(()) => {
                    gone.insert(change.absorbed);
                    report.removed.push(change.to_row(&self.pool));
                }
                Err(error) => {
                    let (a, b) = (change.kept.min(change.absorbed), change.kept.max(change.absorbed));
                    let pair = self.pairs.iter().find(|pair| (pair.a, pair.b) == (a, b)).copied();
                    let reason = error.clone();
                    self.waiting.extend(pair.map(|pair| WaitingPair { pair, reason }));
                }
            }
        }
        self.waiting.retain(|waiting| !gone.contains(&waiting.pair.a) && !gone.contains(&waiting.pair.b));
        let left = self
            .pairs
            .iter()
            .map(|pair| (pair.a, pair.b))
            .filter(|(a, b)| !gone.contains(a) && !gone.contains(b) && !self.called_different.contains(&(*a, *b)));
        report.repeated_after = count_repeated(self.pool.len(), left);
        report.waiting_count = self.waiting.len();
        report.waiting = self.waiting.iter().take(MAX_LISTED).map(|waiting| self.to_possible(waiting)).collect();
        report
    }

    /// The address of a bullet, and the etag of its file if the address is a place in its section: after the removals of
    /// this run, by which both may have changed.
    fn present_address(&self, bullet: usize) -> (String, Option<String>) {
        let PoolBullet { item, key } = &self.pool[bullet];
        let present = || {
            let version = self.session.store.read(&item.path).ok()??;
            let document = Document::from_bytes(version.bytes.to_vec()).ok()?;
            let found = key.find(&document);
            let same_place = found.iter().find(|at| document.bullet_reference(**at) == item.reference);
            let reference = document.bullet_reference(*same_place.or(found.first())?);
            let etag = reference.starts_with('#').then(|| version.etag.short());
            Some((format!("{}{reference}", item.path), etag))
        };
        let known = || (item.address(), item.etag.clone());
        if item.etag.is_some() { present().unwrap_or_else(known) } else { known() }
    }

    fn to_possible(&self, waiting: &WaitingPair) -> PossibleDuplicate {
        let (a, b) = self.items(&waiting.pair);
        // The one that would go is removed by the command; the other one stays.
        let goes = match absorb_order(a, b).first().copied() {
            Some(true) => waiting.pair.a,
            Some(false) | None => waiting.pair.b,
        };
        let (address, etag) = self.present_address(goes);
        let proof = etag.map_or(String::new(), |etag| format!(" --if-match {etag}"));
        PossibleDuplicate {
            a: a.address(),
            a_text: a.text.clone(),
            b: b.address(),
            b_text: b.text.clone(),
            similarity: (waiting.pair.similarity * 100.0).round() / 100.0,
            reason: waiting.reason.clone(),
            command: format!("memdir rm --archive{proof} {}", shell_quote(&address)),
        }
    }
}
