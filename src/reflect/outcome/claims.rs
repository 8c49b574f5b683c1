//! Checks what the added texts of a proposal claim against the turns that they may come from.

use std::borrow::Cow;

use jiff::civil::Date;

use super::corrected::TurnCorrections;
use super::{NEARBY_TURNS, PlannedEffects, days_said};
use crate::change::{Effect, EffectSign};
use crate::operation::Action;
use crate::reflect::guards::{self, GroundingSources, GuardFinding, QuoteEvidence};
use crate::reflect::judge::JudgeContext;
use crate::reflect::proposal::Proposal;
use crate::text::phrase::{has_unspaced_script, word_tokens};
use crate::text::prose_mask::split_label;
use crate::text::statement::Statement;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::transcript::{MessageParts, Role, Turn};

/// An answer that is at most this long may take its words from the question: "Yes, in Hamburg."
const MAX_ANSWER_CHARS: usize = 120;

/// The first added text with a name, a number, a date or a negation that its sources do not contain.
pub(super) fn ungrounded_claim(
    proposal: &Proposal,
    planned: &PlannedEffects<'_>,
    context: &JudgeContext<'_>,
    proof: QuoteEvidence,
) -> Option<GuardFinding> {
    let sources = ClaimSources::of(proposal, planned, context, proof);
    let added = planned.effects.iter().filter(|e| e.sign == EffectSign::Added && e.handle.is_some());
    // memdir writes the day of an episode itself.
    let is_day = |text: &str| split_label(text).is_some_and(|(label, _)| matches!(label, "Date" | "日期"));
    // A summary is in words of its own, and so is what an episode tells.
    let is_summary = |text: &str| split_label(text).is_some_and(|(label, _)| matches!(label, "Summary" | "摘要"));
    let check_text = |text: &str| {
        if sources.is_episode || is_summary(text) {
            sources.check(text, ClaimKind::Particulars)
        } else {
            sources.check(text, ClaimKind::Statement).or_else(|| sources.check_agreement(text))
        }
    };
    let expiries: Vec<Date> = planned.files.iter().flat_map(|file| file.metadata.expiries.iter().copied()).collect();
    let ungrounded_day = || expiries.iter().find_map(|day| sources.check(&day.to_string(), ClaimKind::LastDay));
    let added: Vec<&Effect> = added.filter(|e| !is_day(&e.text)).collect();
    let found = added.iter().find_map(|e| check_text(&e.text));
    // A bullet with a last day says what the same text says with the words for that day.
    if let ([effect], [day], Some(_)) = (&added[..], &expiries[..], &found)
        && sources.denies_as(&effect.text)
        && let Some(until) = sources.words_of_last_day(*day)
        && check_text(&with_last_day(&effect.text, &until)).is_none()
    {
        return ungrounded_day();
    }
    found.or_else(ungrounded_day)
}

/// A text with the words that say until when it holds.
fn with_last_day(text: &str, until: &str) -> String {
    let text = text.trim_end_matches(['.', '。']);
    let space = if has_unspaced_script(text) { "" } else { " " };
    format!("{text}{space}{until}")
}

/// Words that begin what says until when something holds.
const UNTIL: WordList = word_list!("guards/grounding/until.en.txt");
const HAN_UNTIL: PhraseList = phrase_list!("guards/grounding/until.zh.txt");
/// So many words, in Chinese characters, say a day at most.
const MAX_DAY_WORDS: usize = 6;
const MAX_DAY_CHARS: usize = 12;

/// What may say until when something holds in a text: each beginning of it, shorter ones first.
fn last_day_phrases(text: &str) -> Vec<&str> {
    let tokens = word_tokens(text);
    let starts = (0..tokens.len()).filter(|at| UNTIL.contains(&tokens[*at].text));
    let english = starts.flat_map(|at| {
        let ends = tokens[at + 1..].iter().take(MAX_DAY_WORDS).map(|last| last.at + last.surface.len());
        ends.map(|end| &text[tokens[at].at..end]).collect::<Vec<_>>()
    });
    let han = HAN_UNTIL.iter().flat_map(|word| text.match_indices(word)).flat_map(|(at, word)| {
        let start = at + word.len();
        let ends = text[start..].char_indices().skip(1).map(|(n, _)| start + n).chain([text.len()]);
        ends.take(MAX_DAY_CHARS).map(|end| &text[at..end]).collect::<Vec<_>>()
    });
    english.chain(han).collect()
}

/// Words behind a denial that turn it round or limit it: "don't forget that I use zsh", "not only".
const NO_DENIALS: [&str; 7] = ["forget", "only", "just", "merely", "worry", "matter", "wonder"];
/// Words that begin a clause of its own.
const CONJUNCTIONS: [&str; 7] = ["and", "or", "but", "so", "because", "since", "that"];
/// So many words before a quote, in Chinese characters, may deny it.
const DENYING_WORDS: usize = 2;
const DENYING_CHARS: usize = 2;

/// A quote with the denial just before it: "can't deploy to the EU" of "deploy to the EU". What a quote leaves out is
/// no less said.
fn with_denial_before<'q>(quote: &'q str, turn: &'q str) -> &'q str {
    let Some(at) = turn.find(quote).filter(|at| *at > 0 && !quote.is_empty()) else { return quote };
    let clause = turn[..at].rfind(|c: char| ".!?;:,\n()。！？；：，、（）\u{2014}\"“”".contains(c));
    let clause = clause.map_or(0, |end| end + turn[end..].chars().next().map_or(0, char::len_utf8));
    let before = &turn[clause..at];
    let start = if has_unspaced_script(quote) {
        let start = before.char_indices().rev().take(DENYING_CHARS).last().map_or(before.len(), |(start, _)| start);
        before[start..].find(['不', '没', '别', '未', '无']).map(|denial| start + denial)
    } else {
        let words = word_tokens(before);
        let own = words.iter().rposition(|word| CONJUNCTIONS.contains(&&*word.text)).map_or(0, |at| at + 1);
        let near = &words[own.max(words.len().saturating_sub(DENYING_WORDS))..];
        let is_denial = !near.iter().any(|word| NO_DENIALS.contains(&&*word.text));
        near.first().filter(|first| is_denial && Statement::of(&before[first.at..]).is_negated()).map(|first| first.at)
    };
    start.map_or(quote, |start| &turn[clause + start..at + quote.len()])
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

/// What a proposal's texts are checked against: the turn with the quote, the turn that the model named, the question
/// that a short answer answers, and what the operation replaces; for an episode all that the user and the assistant
/// wrote.
struct ClaimSources<'a> {
    context: &'a JudgeContext<'a>,
    proof: QuoteEvidence,
    quote: &'a str,
    is_episode: bool,
    turns: Vec<&'a Turn>,
    /// The texts of the turns: of a user's message, what the user did not paste.
    written: Vec<Cow<'a, str>>,
    /// The turns just before the quote, where what a statement is about is often named.
    nearby: Vec<&'a Turn>,
    /// The texts that the operation removes or changes, and the paths of the files.
    replaced: Vec<&'a str>,
    corrections: TurnCorrections,
}

impl<'a> ClaimSources<'a> {
    fn of(
        proposal: &'a Proposal,
        planned: &PlannedEffects<'a>,
        context: &'a JudgeContext<'_>,
        proof: QuoteEvidence,
    ) -> ClaimSources<'a> {
        let is_episode = matches!(proposal.operation.action, Action::Append { .. });
        let turns = source_turns(proposal, context, proof);
        let is_changed = |e: &&Effect| e.sign == EffectSign::Removed || e.sign == EffectSign::Set && e.handle.is_some();
        let removed = planned.effects.iter().filter(is_changed).map(|e| e.text.as_str());
        // A name that the operation makes up is no source.
        let paths = planned.files.iter().filter(|file| file.before).map(|file| file.path.as_str());
        // What the user pasted is no statement of the user's, but an episode may tell of it.
        let written = |turn: &&'a Turn| match turn.role {
            Role::User if !is_episode => Cow::Owned(MessageParts::of(&turn.text).own),
            _ => Cow::Borrowed(turn.text.as_str()),
        };
        let is_nearby = |t: &&Turn| is_own(t) && t.number < proof.turn && t.number + NEARBY_TURNS >= proof.turn;
        let nearby: Vec<&Turn> = context.turns.iter().filter(is_nearby).collect();
        let first = turns.iter().chain(&nearby).map(|t| t.number).min().unwrap_or(proof.turn);
        let quote = proposal.quote.as_deref().unwrap_or_default();
        let whole = turns.iter().find(|turn| turn.number == proof.turn);
        let quoted = whole.map_or(quote, |turn| with_denial_before(quote, &turn.text));
        ClaimSources {
            context,
            proof,
            quote: quoted,
            is_episode,
            written: turns.iter().map(written).collect(),
            turns,
            nearby,
            replaced: removed.chain(paths).collect(),
            corrections: TurnCorrections::of(context.turns, proof.turn, first),
        }
    }

    /// Checks a text. What the user took back is no source.
    fn check(&self, text: &str, claim: ClaimKind) -> Option<GuardFinding> {
        let ClaimSources { proof, turns, corrections, .. } = self;
        let written: Vec<_> =
            turns.iter().zip(&self.written).map(|(t, w)| corrections.apply(t.number, w, text)).collect();
        let nearby: Vec<_> = self.nearby.iter().map(|t| corrections.apply(t.number, &t.text, text)).collect();
        let nearby: Vec<&str> = nearby.iter().map(AsRef::as_ref).collect();
        let whole = turns.iter().position(|t| t.number == proof.turn).map_or("", |at| &self.written[at]);
        let quote = corrections.apply_to_quote(proof.turn, self.quote, whole, text);
        let restated = corrections.restated(proof.turn, text);
        let others = restated.map(|(turn, _)| turn).into_iter().chain(self.replaced.iter().copied());
        let times = days_said(turns, self.context);
        let sources = GroundingSources {
            quote: restated.map_or(&quote, |(_, sentence)| sentence),
            texts: written.iter().map(AsRef::as_ref).chain(others).collect(),
            days: if self.is_episode { times.clone() } else { Vec::new() },
            times,
            topics: if proof.role == Role::User { nearby.clone() } else { Vec::new() },
        };
        match claim {
            ClaimKind::Statement => guards::check_grounding(text, &sources, &nearby),
            ClaimKind::Particulars => guards::check_particulars(text, &sources),
            ClaimKind::LastDay => guards::check_last_day(text, &sources),
        }
    }

    /// The words of the quote, or of its turn, that say this last day: the fewest that do.
    fn words_of_last_day(&self, day: Date) -> Option<String> {
        let times = days_said(&self.turns, self.context);
        let texts = std::iter::once(self.quote).chain(self.written.iter().map(AsRef::as_ref));
        texts.flat_map(last_day_phrases).find_map(|phrase| {
            let sources =
                GroundingSources { quote: phrase, texts: vec![phrase], times: times.clone(), ..Default::default() };
            guards::check_last_day(&day.to_string(), &sources).is_none().then(|| phrase.to_owned())
        })
    }

    /// Whether the quote is negated if a text is: "not on until Friday" says when something begins.
    fn denies_as(&self, text: &str) -> bool {
        Statement::of(self.quote).is_negated() == Statement::of(text).is_negated()
    }

    /// Checks that the user does not contradict a text that the assistant wrote.
    fn check_agreement(&self, text: &str) -> Option<GuardFinding> {
        let mut turns = self.context.turns.iter();
        let turn = turns.find(|t| t.number == self.proof.turn).filter(|turn| turn.role == Role::Assistant)?;
        let is_reply = |t: &&Turn| is_own(t) && t.role == Role::User && t.number > self.proof.turn;
        let reply = self.context.turns.iter().find(is_reply);
        guards::check_agreement(text, self.quote, &turn.text, reply.map(|reply| reply.text.as_str()))
    }
}

/// The turns that the texts of a proposal may come from.
fn source_turns<'a>(proposal: &Proposal, context: &JudgeContext<'a>, proof: QuoteEvidence) -> Vec<&'a Turn> {
    let is_episode = matches!(proposal.operation.action, Action::Append { .. });
    let quoted = context.turns.iter().find(|t| t.number == proof.turn);
    let is_short = quoted.is_some_and(|t| t.text.chars().count() <= MAX_ANSWER_CHARS);
    let before = || context.turns.iter().filter(is_own).filter(|t| t.number < proof.turn);
    let question = before().rfind(|t| t.role == Role::Assistant);
    // What the user agrees to is the user's statement, and so is the message that it answers.
    let agreed = quoted.zip(question).filter(|(reply, turn)| is_short && agrees_to(reply, turn, context.turns));
    let agreed = agreed.map(|(_, turn)| before().rfind(|t| t.number < turn.number).map_or(turn.number, |t| t.number));
    let is_asked = question.filter(|q| is_short && (agreed.is_some() || q.text.contains(['?', '？'])));
    let is_source = |t: &&Turn| {
        t.number == proof.turn
            || is_own(t) && (is_episode || Some(t.number) == proposal.turn || agreed == Some(t.number))
            || is_asked.is_some_and(|q| q.number == t.number)
    };
    context.turns.iter().filter(is_source).collect()
}

/// Whether the user or the assistant wrote a turn.
fn is_own(turn: &&Turn) -> bool {
    !turn.injected && matches!(turn.role, Role::User | Role::Assistant)
}

/// Whether the user's reply agrees to a turn of the assistant, which is not what a tool printed.
fn agrees_to(reply: &Turn, turn: &Turn, turns: &[Turn]) -> bool {
    reply.role == Role::User && guards::agrees(&reply.text) && !guards::evidence::repeats_tool(&turn.text, turn, turns)
}

#[cfg(test)]
mod tests {
    use super::with_denial_before;

    #[test]
    fn a_quote_has_the_denial_before_it() {
        for (turn, quote, expected) in [
            ("We can't deploy to the EU.", "deploy to the EU", "can't deploy to the EU"),
            ("I won't be on call until Friday.", "be on call until Friday", "won't be on call until Friday"),
            ("Hm, I do not think we use Bun.", "we use Bun", "not think we use Bun"),
            ("Not in Oslo, we live in Bergen.", "we live in Bergen", "we live in Bergen"),
            ("I don't sail but I row on Sundays.", "I row on Sundays", "I row on Sundays"),
            ("Don't forget I use zsh.", "I use zsh", "I use zsh"),
            ("Don't forget that I use zsh.", "I use zsh", "I use zsh"),
            ("We deploy to the EU.", "deploy to the EU", "deploy to the EU"),
            ("我不住在北京。", "住在北京", "不住在北京"),
            ("我不抽烟，住在北京。", "住在北京", "住在北京"),
            ("We deploy.", "other words", "other words"),
        ] {
            let found = with_denial_before(quote, turn);
            assert!(
                found.ends_with(expected) && (found.len() > quote.len()) == (expected.len() > quote.len()),
                "{found}"
            );
        }
    }
}
