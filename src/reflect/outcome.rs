//! Routes a proposal again after planning, by the bullets, headings and files that it would add and remove.
//!
//! Never accepts a proposal that was refused before; the second check only adds violations.

use std::borrow::Cow;

use super::guards::{
    self, FindingsBySeverity, GroundingSources, GuardFinding, MemoryKind, OtherText, QuoteEvidence, Violation,
    WritingRules,
};
use super::judge::{ClaimedText, JudgeContext, Route, find_related_text};
use super::metadata::MetadataChanges;
use super::proposal::Proposal;
use crate::change::{Effect, EffectSign};
use crate::operation::Action;
use crate::path::MemoryPath;
use crate::text::prose_mask::split_label;
use crate::transcript::{MessageParts, Role, Turn};

mod corrected;
mod names;

use corrected::TurnCorrections;

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
    reasons.extend(ungrounded_claim(proposal, planned, context, proof));
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

/// The first added text with a name, a number, a date or a negation that its sources do not contain. Sources are the
/// turn with the quote, the turn that the model named, the question that a short answer answers, and what the operation
/// replaces; for an episode all that the user and the assistant wrote. Of a user's message, what the user did not
/// paste.
fn ungrounded_claim(
    proposal: &Proposal,
    planned: &PlannedEffects<'_>,
    context: &JudgeContext<'_>,
    proof: QuoteEvidence,
) -> Option<GuardFinding> {
    let is_episode = matches!(proposal.operation.action, Action::Append { .. });
    let own = |t: &&Turn| !t.injected && matches!(t.role, Role::User | Role::Assistant);
    let quoted = context.turns.iter().find(|t| t.number == proof.turn);
    let is_short = quoted.is_some_and(|t| t.text.chars().count() <= MAX_ANSWER_CHARS);
    let before = || context.turns.iter().filter(own).filter(|t| t.number < proof.turn);
    let question = before().rfind(|t| t.role == Role::Assistant);
    // What the user agrees to is the user's statement, and so is the message that it answers.
    let agreed = quoted.zip(question).filter(|(reply, turn)| is_short && agrees_to(reply, turn, context.turns));
    let agreed = agreed.map(|(_, turn)| before().rfind(|t| t.number < turn.number).map_or(turn.number, |t| t.number));
    let is_asked = question.filter(|q| is_short && (agreed.is_some() || q.text.contains(['?', '？'])));
    let is_source = |t: &&Turn| {
        t.number == proof.turn
            || own(t) && (is_episode || Some(t.number) == proposal.turn || agreed == Some(t.number))
            || is_asked.is_some_and(|q| q.number == t.number)
    };
    let turns: Vec<&Turn> = context.turns.iter().filter(is_source).collect();
    let is_changed = |e: &&Effect| e.sign == EffectSign::Removed || e.sign == EffectSign::Set && e.handle.is_some();
    let removed = planned.effects.iter().filter(is_changed).map(|e| e.text.as_str());
    // A name that the operation makes up is no source.
    let paths = planned.files.iter().filter(|file| file.before).map(|file| file.path.as_str());
    // What the user pasted is no statement of the user's, but an episode may tell of it.
    let written: Vec<Cow<'_, str>> = turns
        .iter()
        .map(|t| {
            if t.role == Role::User && !is_episode {
                Cow::Owned(MessageParts::of(&t.text).own)
            } else {
                Cow::Borrowed(t.text.as_str())
            }
        })
        .collect();
    // What a statement is about is often named in the turns before.
    let is_nearby = |t: &&Turn| own(t) && t.number < proof.turn && t.number + NEARBY_TURNS >= proof.turn;
    let nearby: Vec<&Turn> = context.turns.iter().filter(is_nearby).collect();
    let quote = proposal.quote.as_deref().unwrap_or_default();
    let (removed, paths): (Vec<&str>, Vec<&str>) = (removed.collect(), paths.collect());
    let first = turns.iter().chain(&nearby).map(|t| t.number).min().unwrap_or(proof.turn);
    let corrections = TurnCorrections::of(context.turns, proof.turn, first);
    // What the user took back is no source.
    let check = |text: &str, claim: ClaimKind| {
        let written: Vec<_> = turns.iter().zip(&written).map(|(t, w)| corrections.apply(t.number, w, text)).collect();
        let nearby: Vec<_> = nearby.iter().map(|t| corrections.apply(t.number, &t.text, text)).collect();
        let nearby: Vec<&str> = nearby.iter().map(AsRef::as_ref).collect();
        let whole = turns.iter().position(|t| t.number == proof.turn).map_or("", |at| &written[at]);
        let quote = corrections.apply_to_quote(proof.turn, quote, whole, text);
        let restated = corrections.restated(proof.turn, text);
        let others =
            restated.map(|(turn, _)| turn).into_iter().chain(removed.iter().copied()).chain(paths.iter().copied());
        let sources = GroundingSources {
            quote: restated.map_or(&quote, |(_, sentence)| sentence),
            texts: written.iter().map(AsRef::as_ref).chain(others).collect(),
            times: days_said(&turns, context),
            days: if is_episode { days_said(&turns, context) } else { Vec::new() },
            topics: if proof.role == Role::User { nearby.clone() } else { Vec::new() },
        };
        match claim {
            ClaimKind::Statement => guards::check_grounding(text, &sources, &nearby),
            ClaimKind::Particulars => guards::check_particulars(text, &sources),
            ClaimKind::LastDay => guards::check_last_day(text, &sources),
        }
    };
    let added = planned.effects.iter().filter(|e| e.sign == EffectSign::Added && e.handle.is_some());
    // memdir writes the day of an episode itself.
    let is_day = |text: &str| split_label(text).is_some_and(|(label, _)| matches!(label, "Date" | "日期"));
    // A summary is in words of its own, and so is what an episode tells.
    let is_summary = |text: &str| split_label(text).is_some_and(|(label, _)| matches!(label, "Summary" | "摘要"));
    let reply = context.turns.iter().find(|t| own(t) && t.role == Role::User && t.number > proof.turn);
    let unconfirmed = |text: &str| {
        let turn = quoted.filter(|turn| turn.role == Role::Assistant)?;
        guards::check_agreement(text, quote, &turn.text, reply.map(|reply| reply.text.as_str()))
    };
    let check_text = |text: &str| {
        if is_episode || is_summary(text) {
            check(text, ClaimKind::Particulars)
        } else {
            check(text, ClaimKind::Statement).or_else(|| unconfirmed(text))
        }
    };
    let mut expiries = planned.files.iter().flat_map(|file| &file.metadata.expiries);
    let found = added.filter(|e| !is_day(&e.text)).find_map(|e| check_text(&e.text));
    found.or_else(|| expiries.find_map(|day| check(&day.to_string(), ClaimKind::LastDay)))
}

/// What of a claim must be in its sources.
#[derive(Clone, Copy)]
enum ClaimKind {
    /// All that a text says.
    Statement,
    /// The names, numbers, dates and negations of a text in other words.
    Particulars,
    /// A date, or what it follows from.
    LastDay,
}

/// Whether the user's reply agrees to a turn of the assistant, which is not what a tool printed.
fn agrees_to(reply: &Turn, turn: &Turn, turns: &[Turn]) -> bool {
    reply.role == Role::User && guards::agrees(&reply.text) && !guards::evidence::repeats_tool(&turn.text, turn, turns)
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

/// An answer that is at most this long may take its words from the question: "Yes, in Hamburg."
const MAX_ANSWER_CHARS: usize = 120;

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
