//! `compact`: places that are over their limit are brought back to it, by a model's decisions or first in, first out.
//!
//! Never holds the lock while a model thinks: what it decided is planned again on what stands there then, and if that
//! no longer fits, it is asked once more; after that, age decides.

use serde_json::Value;

use super::answer::{Answer, Changed, Compacted, CompactedPlace};
use super::change::{commit_loop, plan_with, repeated, shown, tell, told};
use super::{Failure, How, Session, Verdict, change};
use crate::change::Changeset;
use crate::code::{Code, Rejection, Warning};
use crate::document::Document;
use crate::llm::Model;
use crate::operation::evict::{self, Ages};
use crate::operation::limits::{self, Place};
use crate::operation::{Action, Batch, Context, Operation, Snapshot, refuse};
use crate::path::MemoryPath;
use crate::reflect::compaction::{self, Crowd, Rules, Step};
use crate::reflect::guards::{self, Flaw, secrets};
use crate::reflect::judge;
use layers::Layers;
use places::{Scope, Spot, inside, over_somewhere, scope};
use report::Row;
use talk::Talk;

mod layers;
mod paid;
mod places;
mod report;
mod talk;

pub use paid::paid;

/// How often a model is asked before age decides: the memory may move while it thinks.
const THOUGHTS: usize = 2;
/// How many decisions are asked for in one place.
const DECISIONS: usize = 8;
/// How often places are looked for again: making room in one can push another over its limit.
const PASSES: usize = 3;

/// What `compact` is asked for.
#[derive(Clone, Debug, Default)]
pub struct CompactQuery {
    /// The file or section; without one, every place that is over its limit.
    pub address: Option<String>,
    /// Down to so many bullets (or entries, in an episode file).
    pub to: Option<usize>,
    /// A change that is made in the same batch: what it brings may go, too.
    pub batch: Option<Batch>,
}

/// Brings places back to their limits.
///
/// # Errors
/// What resolving the address, planning or the store refuses; `limit_reached` where everything is pinned.
pub fn compact(session: &Session, query: &CompactQuery, how: &How, model: Option<&dyn Model>) -> Verdict {
    if query.batch.as_ref().is_some_and(forgets) {
        let refusal = Rejection::new(Code::Usage, "what is forgotten is removed by a command of its own");
        return Err(refusal.hint("run rm --forget first").into());
    }
    // What makes room is chosen among everything that stands there.
    session.store.unveiled()?;
    let scope = scope(session, query)?;
    let done = Compaction { session, scope, how }.run(query.batch.clone().unwrap_or_default(), model)?;
    Ok(match done {
        Done::Repeated(answer) => answer,
        Done::Made(change, report) => Answer::Compacted(report.answer(change)),
    })
}

/// A change; where it pushes a place over a limit that compacts, a model decides what makes room, in the same batch.
/// Without a model the oldest goes at once, as in every change.
///
/// # Errors
/// As [`change`].
pub fn change_with(session: &Session, batch: Batch, how: &How, model: Option<&dyn Model>) -> Verdict {
    let limited = session.policy.policy.limits.iter().any(|l| l.on_limit == crate::policy::OnLimit::Compact);
    let Some(model) = model.filter(|_| limited && !forgets(&batch)) else { return change(session, batch, how) };
    match (Compaction { session, scope: Scope::Grown, how }).run(batch, Some(model))? {
        Done::Repeated(answer) => Ok(answer),
        Done::Made(mut change, report) => {
            change.warnings.extend(report.warnings().iter().map(told));
            Ok(Answer::Changed(change))
        }
    }
}

fn forgets(batch: &Batch) -> bool {
    batch.operations.iter().any(|op| matches!(op.action, Action::Remove { forget: true, .. }))
}

/// How it ended.
enum Done {
    /// The first answer to the same request.
    Repeated(Answer),
    Made(Changed, report::Report),
}

/// What was decided: steps, in order, and how they are told.
#[derive(Default)]
struct Thought {
    steps: Vec<Step>,
    report: report::Report,
    /// Places in which nothing may go.
    stuck: Vec<Spot>,
    /// Why nothing may go in the first of them.
    refusal: Option<Rejection>,
}

/// One run of it.
struct Compaction<'a> {
    session: &'a Session,
    scope: Scope,
    how: &'a How,
}

impl Compaction<'_> {
    fn run(&self, mut batch: Batch, model: Option<&dyn Model>) -> Result<Done, Failure> {
        let session = self.session;
        session.may_write()?;
        tell(&mut batch, self.how);
        if let Some(first) = self.repeated(&batch)? {
            return Ok(Done::Repeated(first));
        }
        let mut talk = Talk::new(model);
        if self.how.dry_run {
            let (layers, thought) = self.think(&batch.operations, &mut talk)?;
            return self.dry(layers, thought, talk);
        }
        for _ in 0..THOUGHTS {
            let (_, thought) = self.think(&batch.operations, &mut talk)?;
            if thought.steps.is_empty() && batch.operations.is_empty() {
                return made(Answer::Changed(Changed::default()), thought.report, talk);
            }
            let (locked, warnings) = session.store.lock()?;
            if let Some(first) = self.repeated(&batch)? {
                return Ok(Done::Repeated(first));
            }
            let mut moved = false;
            let verdict =
                commit_loop(session, &locked, &batch, warnings, || match self.again(&batch.operations, &thought)? {
                    Some(layers) => Ok(layers.made()),
                    None => {
                        moved = true;
                        Err(Rejection::new(Code::Busy, "the memory moved while the model was thinking").into())
                    }
                });
            match verdict {
                Err(_) if moved => continue,
                verdict => return made(verdict?, thought.report, talk),
            }
        }
        // The memory moves faster than anybody thinks: age decides, under the lock.
        let asked = talk.ended();
        let (locked, warnings) = session.store.lock()?;
        if let Some(first) = self.repeated(&batch)? {
            return Ok(Done::Repeated(first));
        }
        let mut report = report::Report::default();
        let verdict = commit_loop(session, &locked, &batch, warnings, || {
            let mut silent = Talk::new(None);
            silent.why.clone_from(&asked.why);
            let (layers, thought) = self.think(&batch.operations, &mut silent)?;
            report = thought.report;
            Ok(layers.made())
        });
        made(verdict?, report, asked)
    }

    fn repeated(&self, batch: &Batch) -> Result<Option<Answer>, Failure> {
        match (&batch.request, self.how.dry_run) {
            (Some(request), false) => Ok(repeated(self.session, request)?.map(|(answer, _)| answer)),
            _ => Ok(None),
        }
    }

    /// Plans the batch, and decides in every place that is over its limit then.
    fn think(&self, batch: &[Operation], talk: &mut Talk<'_>) -> Result<(Layers<'_>, Thought), Failure> {
        let mut layers = self.first(batch)?;
        let mut thought = Thought::default();
        let mut paths = match self.scope {
            Scope::All => over_somewhere(self.session, &self.session.policy.policy)?,
            _ => Vec::new(),
        };
        for _ in 0..PASSES {
            paths.extend(layers.changed());
            let mut spots = self.crowded(&mut layers, &paths)?;
            spots.retain(|spot| !thought.stuck.contains(spot));
            if spots.is_empty() {
                break;
            }
            for spot in spots {
                self.relieve(&mut layers, &spot, talk, &mut thought)?;
            }
        }
        match thought.refusal.take() {
            Some(refusal) if thought.steps.is_empty() || matches!(self.scope, Scope::Grown) => Err(refusal.into()),
            Some(refusal) => {
                let message = format!("{}; it stays as it is", refusal.message);
                thought.report.left.push(Warning::new(Code::LimitReached, message));
                Ok((layers, thought))
            }
            None => Ok((layers, thought)),
        }
    }

    /// The batch alone, planned without anybody making room.
    fn first(&self, batch: &[Operation]) -> Result<Layers<'_>, Failure> {
        let mut layers = Layers::new(self.session);
        if let (Some(proof), Scope::In(path, _) | Scope::To(Spot { path, .. })) = (&self.how.if_match, &self.scope) {
            let etag = layers.etag(path)?;
            if batch.is_empty() && !etag.is_some_and(|etag| etag.proven_by(proof)) {
                return Err(refuse::conflict(path, etag).into());
            }
        }
        if !batch.is_empty() {
            let changeset = layers.plan(batch, self.how.force, self.how.create)?;
            layers.accept(changeset)?;
        }
        Ok(layers)
    }

    /// What was decided, once more on what stands there now; `None` when it no longer fits.
    fn again(&self, batch: &[Operation], thought: &Thought) -> Result<Option<Layers<'_>>, Failure> {
        let mut layers = self.first(batch)?;
        for step in &thought.steps {
            if layers.take(step).is_err() {
                return Ok(None);
            }
        }
        let paths: Vec<MemoryPath> = thought.steps.iter().map(|s| s.path.clone()).collect();
        let over = self.crowded(&mut layers, &paths)?;
        Ok(over.iter().all(|spot| thought.stuck.contains(spot)).then_some(layers))
    }

    /// The places that are over their limit now; of a whole memory, those in some files of it.
    fn crowded(&self, layers: &mut Layers<'_>, all: &[MemoryPath]) -> Result<Vec<Spot>, Failure> {
        let policy = &self.session.policy.policy;
        let mut spots: Vec<Spot> = Vec::new();
        let mut add = |spot: Spot| {
            if !spots.contains(&spot) {
                spots.push(spot);
            }
        };
        let paths = match &self.scope {
            Scope::All => all,
            Scope::In(path, _) => std::slice::from_ref(path),
            _ => &[],
        };
        for path in paths.iter().filter(|p| limits::kept_in(p)) {
            let Some(document) = layers.document(path)? else { continue };
            let within = match &self.scope {
                Scope::In(_, Some(slug)) => document.sections().iter().position(|s| s.slug == *slug),
                _ => Some(0),
            };
            let Some(within) = within else { continue };
            for place in limits::over(policy, path, &document) {
                if inside(&document, place.section, within) {
                    add(Spot::of(path, &document, &place));
                }
            }
        }
        if let Scope::To(spot) = &self.scope
            && let Some(document) = layers.document(&spot.path)?
            && spot.place(&document).is_some_and(|place| !place.over(&document).is_none())
        {
            add(spot.clone());
        }
        for path in layers.changed() {
            let Some(document) = layers.document(&path)? else { continue };
            for place in limits::grown(policy, &path, layers.before(&path), &document) {
                add(Spot::of(&path, &document, &place));
            }
        }
        Ok(spots)
    }

    /// Brings one place back to its limit: the model decides while it can, then age does.
    fn relieve(
        &self,
        layers: &mut Layers<'_>,
        spot: &Spot,
        talk: &mut Talk<'_>,
        thought: &mut Thought,
    ) -> Result<(), Failure> {
        let mut row: Option<Row> = None;
        talk.turn();
        for round in 0..=DECISIONS {
            let Some(document) = layers.document(&spot.path)? else { break };
            let Some(place) = spot.place(&document) else { break };
            let over = place.over(&document);
            let row = row.get_or_insert_with(|| Row::new(spot.address(), &place, &document));
            row.now(&place, &document);
            if over.is_none() {
                break;
            }
            let inert = layers.inert(&spot.path, &document)?;
            let empty = Document::parse("");
            let before = layers.before(&spot.path).cloned().unwrap_or(empty);
            let today = self.session.now.date().to_string();
            let ages = Ages::new(&document, &inert, Some(&before), &today);
            if round < DECISIONS && talk.listens() {
                let crowd = Crowd::of(&document, &spot.path, &place, &ages, &redacted);
                let rules = Rules { most_chars: self.session.policy.policy.max_chars, fits: &fits };
                let source = talk.source();
                let mark = layers.mark();
                let decided = talk.decide(&crowd, &rules, |decisions| {
                    let steps = compaction::steps(&crowd, &document, decisions, &source);
                    let tried = carried(layers, spot, &steps, &document, &place);
                    if tried.is_err() {
                        layers.back(mark.clone());
                    }
                    tried.map(|()| steps)
                })?;
                match decided {
                    Some((decisions, steps)) => {
                        row.decided(&crowd, &decisions);
                        thought.steps.extend(steps);
                        continue;
                    }
                    None => row.fell_back(talk.why.clone()),
                }
            } else if row.why.is_none() {
                row.fell_back(talk.why.clone());
            }
            let Some(things) = evict::first_out(&document, &place, &[], &ages) else {
                thought.stuck.push(spot.clone());
                let refusal = evict::all_pinned(&document, &spot.path, place.section, &inert);
                thought.refusal.get_or_insert(refusal);
                break;
            };
            let steps = compaction::by_age(&spot.path, &document, &things, &row.rule(), "");
            let mark = layers.mark();
            if let Err(refused) = steps.iter().try_for_each(|step| layers.take(step)) {
                layers.back(mark);
                thought.stuck.push(spot.clone());
                thought.refusal.get_or_insert(refused.into_rejection(&spot.path));
                break;
            }
            row.by_age(&document, &spot.path, &things);
            thought.steps.extend(steps);
            if let Some(document) = layers.document(&spot.path)?
                && let Some(place) = spot.place(&document)
            {
                row.now(&place, &document);
            }
            break;
        }
        thought.report.rows.extend(row.filter(Row::has_news));
        Ok(())
    }

    /// What would be done.
    fn dry(&self, mut layers: Layers<'_>, thought: Thought, talk: Talk<'_>) -> Result<Done, Failure> {
        layers.know_all()?;
        let (changeset, snapshot) = layers.made();
        let mut change = shown(&changeset, &snapshot);
        if !thought.steps.is_empty() && !self.can_be_handed_on(&changeset) {
            change.operations = None;
            let message = "these operations build on each other: they cannot be handed to apply as one batch";
            change.warnings.push(told(&Warning::new(Code::Note, message)));
        }
        made(Answer::Changed(change), thought.report, talk)
    }

    /// Whether `apply` would do the same with the operations.
    fn can_be_handed_on(&self, changeset: &Changeset) -> bool {
        let read = |op: &Value| crate::operation::read::one(op).ok();
        let Some(operations) = changeset.operations.iter().map(read).collect::<Option<Vec<_>>>() else { return false };
        let session = self.session;
        let cx = Context {
            policy: &session.policy.policy,
            prefixes: &session.prefixes,
            now: &session.now,
            actor: &session.actor,
            force: self.how.force,
            create: self.how.create,
            own: false,
        };
        let again = plan_with(session, &mut Snapshot::new(), &operations, &cx);
        let same = |a: &Changeset, b: &Changeset| {
            a.files.len() == b.files.len()
                && a.files.iter().all(|f| b.files.iter().any(|g| g.path == f.path && g.after == f.after))
        };
        again.is_ok_and(|again| same(&again, changeset))
    }
}

fn made(answer: Answer, mut report: report::Report, talk: Talk<'_>) -> Result<Done, Failure> {
    report.spent(&talk);
    match answer {
        Answer::Changed(mut change) => {
            change.warnings.extend(report.left.iter().map(told));
            Ok(Done::Made(change, report))
        }
        answer => Ok(Done::Repeated(answer)),
    }
}

/// Carries steps out on a trial: they must make room, and no new need for it.
fn carried(
    layers: &mut Layers<'_>,
    spot: &Spot,
    steps: &[Step],
    document: &Document,
    place: &Place,
) -> Result<(), String> {
    for step in steps {
        layers.take(step).map_err(|refused| refused.sentence())?;
    }
    let after = layers.document(&spot.path).map_err(|r| r.message)?.unwrap_or_else(|| document.clone());
    let (was, is) = (place.over(document), spot.place(&after).map(|p| p.over(&after)).unwrap_or_default());
    let grew = is.bullets > was.bullets || is.entries > was.entries || is.chars > was.chars;
    match grew || is == was {
        true => Err("it leaves the place as full as it was".into()),
        false => Ok(()),
    }
}

/// A text as it may leave this machine.
fn redacted(text: &str) -> String {
    secrets::redact(text).0
}

/// Whether a model's text may be written, beyond its size and form. It says again what people wrote, so it is not held
/// to their style: only what must never be written is turned down, line by line.
fn fits(text: &str) -> Result<(), String> {
    const NEVER: [Flaw; 4] = [Flaw::Secret, Flaw::Instruction, Flaw::ControlCharacters, Flaw::Canary];
    let rules = guards::Rules { max_chars: usize::MAX, sensitive: Vec::new() };
    let mut found: Vec<guards::Found> =
        text.lines().flat_map(|line| guards::writing(line, guards::Kind::Fact, &rules)).collect();
    found.retain(|f| NEVER.contains(&f.flaw));
    if found.is_empty() { Ok(()) } else { Err(judge::told(&found)) }
}

impl report::Report {
    fn answer(self, change: Changed) -> Compacted {
        let decided = self.rows.iter().map(|r| r.decided).sum();
        let by_age = self.rows.iter().map(|r| r.aged).sum();
        let places: Vec<CompactedPlace> = self.rows.into_iter().map(Row::told).collect();
        Compacted { change, places, decided, by_age, model: self.model, tokens: self.tokens }
    }
}
