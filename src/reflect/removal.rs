//! Decides whether a removal that a model proposes applies: the user's own words say that the bullet ended, or a fact
//! of the same answer replaces it. An expiry that hides a bullet is judged as a removal.
//!
//! Never accepts what was refused before; it only adds reasons to wait.

use jiff::civil::Date;

use super::guards::ending::{EndingEvidence, is_said_to_end};
use super::guards::relation::replaces;
use super::guards::{self, GroundingSources, GuardFinding, QuoteEvidence, Violation};
use super::judge::{JudgeContext, Route};
use super::outcome::PlannedEffects;
use super::proposal::Proposal;
use crate::change::{Effect, EffectSign};
use crate::operation::Action;
use crate::text::statement::Statement;
use crate::transcript::{MessageParts, Role, Turn};

/// How many turns before a quote may name what it is about.
const NEARBY_TURNS: usize = 2;
/// How many characters of a bullet a finding quotes.
const MAX_EXCERPT_CHARS: usize = 60;

/// What a removal is judged by, beside its evidence.
pub struct RemovalContext<'a> {
    /// The other operations of the same answer.
    pub siblings: &'a [Proposal],
    /// Whether a removed bullet is pinned.
    pub is_pinned: &'a dyn Fn(&Effect) -> bool,
}

/// Routes a removal again: to the inbox, if it removes something pinned, or what no user said to have ended. So are
/// expiries of what is pinned, and those that have passed.
pub fn route_removal(
    route: Route,
    proposal: &Proposal,
    planned: &PlannedEffects<'_>,
    context: &JudgeContext<'_>,
    removal: &RemovalContext<'_>,
) -> Route {
    let (proof, mut reasons) = match route {
        Route::Apply(proof) => (proof, Vec::new()),
        Route::Inbox(proof, reasons) => (proof, reasons),
        decided => return decided,
    };
    let removed = removed_bullets(proposal, planned);
    let expiring = expiring_bullets(planned);
    let excerpt = |effect: &Effect| effect.text.chars().take(MAX_EXCERPT_CHARS).collect();
    if let Some(pinned) = removed.iter().chain(&expiring).find(|effect| (removal.is_pinned)(effect)) {
        reasons.push(GuardFinding { violation: Violation::Pinned, excerpt: excerpt(pinned) });
    }
    let is_ended = |effect: &&Effect| {
        ends(&effect.text, proposal, context, proof)
            || removal.siblings.iter().any(|sibling| is_replaced(&effect.text, sibling, context))
    };
    if let Some(standing) = removed.iter().find(|effect| !is_ended(effect)) {
        reasons.push(GuardFinding { violation: Violation::NotEnded, excerpt: excerpt(standing) });
    }
    let mut expiries = planned.files.iter().flat_map(|file| &file.metadata.expiries).map(Date::to_string);
    if let Some(day) = expiries.find(|day| day.as_str() < context.today)
        && (expiring.is_empty() || !expiring.iter().all(is_ended))
    {
        reasons.push(GuardFinding { violation: Violation::Expired, excerpt: day });
    }
    let is_said = |effect: &&Effect| {
        let days = planned.files.iter().flat_map(|file| &file.metadata.expiries);
        is_ended(effect) || says_last_days(&effect.text, days, proposal, context, proof)
    };
    if reasons.is_empty()
        && let Some(hidden) = expiring.iter().find(|effect| !is_said(effect))
    {
        reasons.push(GuardFinding { violation: Violation::NotEnded, excerpt: excerpt(hidden) });
    }
    if reasons.is_empty() { Route::Apply(proof) } else { Route::Inbox(proof, reasons) }
}

/// Whether the quote itself, in the user's words, is about a bullet and says the days on which it ends. A denied
/// sentence gives a last day only to a bullet that denies something: "I do not eat meat until Easter".
fn says_last_days<'d>(
    bullet: &str,
    mut days: impl Iterator<Item = &'d Date>,
    proposal: &Proposal,
    context: &JudgeContext<'_>,
    proof: QuoteEvidence,
) -> bool {
    let quote = proposal.quote.as_deref().unwrap_or_default();
    let turn = context.turns.iter().find(|turn| turn.number == proof.turn && !turn.injected);
    let Some(turn) = turn.filter(|turn| turn.role == Role::User && proof.role == Role::User) else { return false };
    let sources = GroundingSources {
        quote,
        texts: vec![quote],
        times: vec![turn.at.as_deref().unwrap_or(context.today)],
        days: Vec::new(),
        topics: Vec::new(),
    };
    guards::relation::shares_content(bullet, std::iter::once(quote))
        && Statement::of(bullet).is_negated() == Statement::of(quote).is_negated()
        && days.all(|day| guards::check_last_day(&day.to_string(), &sources).is_none())
}

/// The bullets that get an expiry; none if it is that of a new bullet.
fn expiring_bullets<'a>(planned: &'a PlannedEffects<'_>) -> Vec<&'a Effect> {
    let is_changed = |e: &&Effect| matches!(e.sign, EffectSign::Removed | EffectSign::Set) && e.handle.is_some();
    let expires = planned.files.iter().any(|file| !file.metadata.expiries.is_empty());
    planned.effects.iter().filter(|e| expires && is_changed(e) && !e.path.is_archived()).collect()
}

/// The bullets that a proposal takes away without putting another in their place.
fn removed_bullets<'a>(proposal: &Proposal, planned: &'a PlannedEffects<'_>) -> Vec<&'a Effect> {
    let bullets = |sign| planned.effects.iter().filter(move |e| e.sign == sign && e.handle.is_some());
    let is_live = |effect: &&Effect| !effect.path.is_archived();
    match proposal.operation.action {
        Action::Remove { .. } => bullets(EffectSign::Removed).filter(is_live).collect(),
        Action::Patch { .. } if bullets(EffectSign::Added).next().is_none() => {
            bullets(EffectSign::Removed).filter(is_live).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the user's words with the quote say that a bullet ended.
fn ends(bullet: &str, proposal: &Proposal, context: &JudgeContext<'_>, proof: QuoteEvidence) -> bool {
    let own = |turn: &&Turn| !turn.injected && matches!(turn.role, Role::User | Role::Assistant);
    let quoted = context.turns.iter().find(|turn| turn.number == proof.turn && !turn.injected);
    let Some(turn) = quoted.filter(|turn| turn.role == Role::User && proof.role == Role::User) else { return false };
    let before: Vec<&Turn> = context.turns.iter().filter(own).filter(|t| t.number < proof.turn).collect();
    let nearby = before.iter().filter(|t| t.number + NEARBY_TURNS >= proof.turn);
    let question = before.last().filter(|t| t.role == Role::Assistant).map(|t| t.text.as_str());
    let evidence = EndingEvidence {
        quote: proposal.quote.as_deref().unwrap_or_default(),
        own: &MessageParts::of(&turn.text).own,
        earlier: &nearby.map(|t| t.text.as_str()).collect::<Vec<_>>(),
        question,
    };
    is_said_to_end(bullet, &evidence)
}

/// Whether another operation of the answer states what replaces a bullet, in words that the user wrote.
fn is_replaced(bullet: &str, sibling: &Proposal, context: &JudgeContext<'_>) -> bool {
    let (Action::Add { text, .. } | Action::Update { text, .. }) = &sibling.operation.action else { return false };
    let Some(quote) = sibling.quote.as_deref() else { return false };
    let proof = guards::find_evidence(quote, sibling.turn, context.turns, context.known);
    let turn = proof.ok().filter(|proof| proof.role == Role::User);
    let turn = turn.and_then(|proof| context.turns.iter().find(|turn| turn.number == proof.turn));
    turn.is_some_and(|turn| {
        let own = MessageParts::of(&turn.text).own;
        let sources = GroundingSources {
            quote,
            texts: vec![&own, bullet],
            times: vec![turn.at.as_deref().unwrap_or(context.today)],
            ..GroundingSources::default()
        };
        replaces(bullet, text) && guards::check_grounding(text, &sources, &[]).is_none()
    })
}
