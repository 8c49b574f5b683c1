//! Routes a proposal again after planning, by the bullets, headings and files that it would add and remove.
//!
//! Never accepts a proposal that was refused before; the second check only adds violations.

use super::guards::{
    self, FindingsBySeverity, GuardFinding, MemoryKind, OtherText, QuoteEvidence, Violation, WritingRules,
};
use super::judge::{ClaimedText, JudgeContext, Route, find_related_text};
use super::metadata::MetadataChanges;
use super::proposal::Proposal;
use crate::change::{Effect, EffectSign};
use crate::operation::Action;
use crate::path::MemoryPath;
use crate::transcript::{Role, Turn};

mod claims;
mod corrected;
mod names;

/// The effects of a planned operation on the current memory.
pub struct PlannedEffects<'a> {
    /// The bullets and headings that are added and removed, and (`~`) the bullets that get other metadata.
    pub effects: &'a [Effect],
    /// The files that change.
    pub files: &'a [TouchedFile],
}

/// A file that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedFile {
    pub path: MemoryPath,
    /// Whether it exists before the change.
    pub before: bool,
    /// Whether it exists after the change.
    pub after: bool,
    /// What happens to its bullets' metadata.
    pub metadata: MetadataChanges,
}

/// Routes a proposal again by its effects. This finds what its texts alone do not show: a forbidden text that a patch
/// puts together from harmless pieces, a changed or removed sensitive field, and forbidden headings and file names.
pub fn route_effects(
    route: Route,
    proposal: &Proposal,
    planned: &PlannedEffects<'_>,
    context: &JudgeContext<'_>,
) -> Route {
    let (proof, mut reasons) = match route {
        Route::Apply(proof) => (proof, Vec::new()),
        Route::Inbox(proof, waits) => (proof, waits),
        decided => return decided,
    };
    let found = misplaced_changes(proposal, planned, context);
    if !found.is_empty() {
        return Route::Refused(found);
    }
    let found = FindingsBySeverity::of(text_violations(proposal, planned, context.rules));
    if !found.refuse.is_empty() {
        return Route::Refused(found.refuse);
    }
    reasons.extend(found.review);
    let bullets = |sign| planned.effects.iter().filter(move |e| e.sign == sign && e.handle.is_some());
    if let Action::Update { .. } = proposal.operation.action {
        let removed: Vec<&str> = bullets(EffectSign::Removed).map(|e| e.text.as_str()).collect();
        let others = || context.known.iter().map(String::as_str).filter(|known| !removed.contains(known));
        let is_asked = context.asked.contains(&proposal.operation);
        let related = bullets(EffectSign::Added).find_map(|e| find_related_text(&e.text, others(), is_asked));
        if let Some(related) = related {
            let found = vec![GuardFinding::from(&related)];
            match related.violation {
                Violation::Contradiction | Violation::PossibleContradiction => {
                    if is_asked {
                        reasons.extend(found)
                    } else {
                        return Route::Refused(found);
                    }
                }
                _ => return Route::AlreadyKnown(found),
            }
        }
    }
    reasons.extend(claims::ungrounded_claim(proposal, planned, context, proof));
    reasons.extend(names::ungrounded_name(proposal, planned, context).filter(|_| !reasons.iter().any(is_ungrounded)));
    reasons.extend(unrelated_change(proposal, planned, context, proof));
    if reasons.iter().all(|w| w.violation != Violation::Sensitive) {
        reasons.extend(unconsented_change(planned, context, proof.turn));
    }
    if reasons.iter().all(|w| w.violation != Violation::Sensitive) {
        reasons.extend(uncorroborated_field(planned, context, proof.turn));
    }
    if reasons.is_empty() { Route::Apply(proof) } else { Route::Inbox(proof, reasons) }
}

/// When turns were said: a turn without a time of its own, on the day on which it is read.
fn days_said<'a>(turns: &[&'a Turn], context: &JudgeContext<'a>) -> Vec<&'a str> {
    turns.iter().map(|turn| turn.at.as_deref().unwrap_or(context.today)).collect()
}

fn is_ungrounded(finding: &GuardFinding) -> bool {
    finding.violation == Violation::Ungrounded
}

/// The first bullet that the proposal removes or replaces, or whose metadata it sets, and that its evidence is not
/// about.
fn unrelated_change(
    proposal: &Proposal,
    planned: &PlannedEffects<'_>,
    context: &JudgeContext<'_>,
    proof: QuoteEvidence,
) -> Option<GuardFinding> {
    let sets_metadata = match &proposal.operation.action {
        Action::Remove { .. } | Action::Patch { .. } => false,
        Action::Update { meta, .. } => !meta.is_empty(),
        Action::Set { .. } => true,
        _ => return None,
    };
    let own = |t: &&Turn| !t.injected && matches!(t.role, Role::User | Role::Assistant);
    let texts = |is_source: &dyn Fn(&Turn) -> bool| -> Vec<&str> {
        context.turns.iter().filter(own).filter(|t| is_source(t)).map(|t| t.text.as_str()).collect()
    };
    let bullets = |sign| planned.effects.iter().filter(move |e| e.sign == sign && e.handle.is_some());
    let quote = proposal.quote.as_deref().unwrap_or_default();
    let turns = texts(&|t| t.number == proof.turn || Some(t.number) == proposal.turn);
    // The old text in a few other words is no reason to set metadata.
    let is_said = |text: &&str| guards::relation::shares_content(text, turns.iter().copied().chain([quote]));
    let new_texts = bullets(EffectSign::Added).map(|e| e.text.as_str()).filter(|text| !sets_metadata || is_said(text));
    let evidence = guards::relation::ChangeEvidence {
        quote,
        turns: &turns,
        earlier: &texts(&|t| t.number < proof.turn && t.number + NEARBY_TURNS >= proof.turn),
        new_texts: &new_texts.collect::<Vec<_>>(),
    };
    let changed = bullets(EffectSign::Removed).chain(bullets(EffectSign::Set));
    let mut changed = changed.filter(|e| !e.path.is_archived());
    let unrelated = changed.find(|e| !guards::relation::is_about(&e.text, &evidence))?;
    let excerpt = unrelated.text.chars().take(60).collect();
    Some(GuardFinding { violation: Violation::Unrelated, excerpt })
}

/// How many turns before a quote may name what it is about.
const NEARBY_TURNS: usize = 2;

/// The first sensitive field that changes without the user's consent in the given turn. If bullets with sensitive
/// fields are added, only they count, otherwise the removed ones.
fn unconsented_change(planned: &PlannedEffects<'_>, context: &JudgeContext<'_>, turn: usize) -> Option<GuardFinding> {
    let fields = |sign| {
        let bullets = planned.effects.iter().filter(move |e| e.sign == sign && e.handle.is_some());
        bullets.filter_map(|e| Some((guards::sensitive_field(&e.text, context.rules)?, e.text.as_str())))
    };
    let (removed, mut added) = (fields(EffectSign::Removed), fields(EffectSign::Added).peekable());
    let is_unconsented = |(_, text): &(String, &str)| !guards::has_consent_for(text, context.turns, turn);
    if let Some((field, text)) = names::fields_of_names(planned, context)
        && !guards::has_consent_for(&text, context.turns, turn)
    {
        return Some(GuardFinding { violation: Violation::Sensitive, excerpt: field });
    }
    let found =
        if added.peek().is_some() { added.find(is_unconsented) } else { removed.into_iter().find(is_unconsented) };
    found.map(|(what, _)| GuardFinding { violation: Violation::Sensitive, excerpt: what })
}

/// The first added benign field that no other conversation states, and that the user did not ask to remember.
fn uncorroborated_field(planned: &PlannedEffects<'_>, context: &JudgeContext<'_>, turn: usize) -> Option<GuardFinding> {
    let is_confirmed = |text: &str| guards::is_repeated(text, context.unconfirmed.iter().map(String::as_str));
    let added = planned.effects.iter().filter(|e| e.sign == EffectSign::Added && e.handle.is_some());
    let found = added.filter_map(|e| Some((guards::benign_field(&e.text, context.rules)?, e.text.as_str())));
    let mut waits =
        found.filter(|(_, text)| !is_confirmed(text) && !guards::has_consent_for(text, context.turns, turn));
    waits.next().map(|(field, _)| GuardFinding { violation: Violation::Uncorroborated, excerpt: field })
}

/// Changes outside the file that all changes must go to (`archive/` excepted), and removals of files and sections.
fn misplaced_changes(
    proposal: &Proposal,
    planned: &PlannedEffects<'_>,
    context: &JudgeContext<'_>,
) -> Vec<GuardFinding> {
    let refused = |excerpt: String| vec![GuardFinding { violation: Violation::NotAllowed, excerpt }];
    let elsewhere = |path: &MemoryPath| !path.is_archived() && context.into.is_some_and(|i| i != path);
    if let (Some(into), true) = (context.into, planned.files.iter().any(|file| elsewhere(&file.path))) {
        return refused(format!("everything goes into {into}"));
    }
    let sets_bullet = planned.effects.iter().any(|e| e.sign == EffectSign::Set && e.handle.is_some());
    if matches!(proposal.operation.action, Action::Set { .. }) && !sets_bullet {
        return refused("set of anything but a bullet".into());
    }
    let is_rewritten = |file: &TouchedFile| file.metadata.is_rewritten;
    if matches!(proposal.operation.action, Action::Patch { .. }) && planned.files.iter().any(is_rewritten) {
        return refused("patch of metadata".into());
    }
    let is_archived = |file: &TouchedFile| file.path.is_archived();
    if matches!(proposal.operation.action, Action::Remove { .. })
        && !planned.files.is_empty()
        && planned.files.iter().all(is_archived)
    {
        return refused("rm of what is archived".into());
    }
    let removes_whole = planned.files.iter().any(|file| file.before && !file.after)
        || planned.effects.iter().any(|e| e.sign == EffectSign::Removed && e.handle.is_none());
    if matches!(proposal.operation.action, Action::Remove { .. }) && removes_whole {
        refused("rm of more than a bullet".into())
    } else {
        Vec::new()
    }
}

/// The violations of added texts: bullets that a patch puts together, new headings, names of new files.
fn text_violations(proposal: &Proposal, planned: &PlannedEffects<'_>, rules: &WritingRules) -> Vec<GuardFinding> {
    let added = || planned.effects.iter().filter(|e| e.sign == EffectSign::Added);
    let mut found = Vec::new();
    if let Action::Patch { .. } = proposal.operation.action {
        let bullets = added().filter(|e| e.handle.is_some());
        found.extend(bullets.flat_map(|e| guards::check_text(&e.text, MemoryKind::Fact, rules)));
    }
    let headings = added().filter(|e| e.handle.is_none()).map(|e| e.text.trim_start_matches('#').trim().to_owned());
    let created = planned.files.iter().filter(|file| !file.before);
    let names = created.flat_map(|file| file.path.as_str().trim_end_matches(".md").split('/'));
    for name in names.map(|name| name.replace(['-', '_'], " ")).chain(headings) {
        let name = ClaimedText::heading(&name.replace('-', " "));
        let violations = guards::check_text(&name.text, name.kind, rules);
        found.extend(violations.into_iter().filter(|f| f.violation.concerns(OtherText::Name) && !name.exempts(f)));
    }
    found
}
