//! The turns of a conversation as their user corrected them, as sources of a proposal.
//!
//! Never changes what a proposal quotes in the journal: only what it is compared with.

use std::borrow::Cow;

use crate::reflect::guards::corrections::{Correction, correction_of, corrections_within};
use crate::reflect::guards::evidence::is_quoted_in;
use crate::transcript::{MessageParts, Role, Turn};

/// A longer turn is not searched for what it corrects of itself.
const MAX_TURN_BYTES: usize = 8000;
/// How many characters at the start of a turn are searched for a correction of an earlier turn.
const MAX_OPENING_CHARS: usize = 200;
/// How many later turns of the user may correct a quote.
const MAX_LATER_TURNS: usize = 4;

/// What the user corrected, by the turns that it concerns.
pub(super) struct TurnCorrections {
    /// The number of the turn that a correction stands in, and whether it concerns that turn or those before it.
    found: Vec<(usize, bool, Correction)>,
    /// The turns before the ones that correct them, by the number of the latter.
    earlier: Vec<(usize, String)>,
}

impl TurnCorrections {
    /// The corrections in the turns from some before a quote to some behind it.
    pub(super) fn of(turns: &[Turn], proof: usize, first: usize) -> TurnCorrections {
        let is_user = |turn: &&Turn| !turn.injected && turn.role == Role::User && turn.number >= first;
        let until = turns.iter().filter(is_user).filter(|turn| turn.number > proof).nth(MAX_LATER_TURNS);
        let until = until.map_or(usize::MAX, |turn| turn.number);
        let (mut found, mut corrected) = (Vec::new(), Vec::new());
        let mut earlier: Option<String> = None;
        for turn in turns.iter().filter(is_user).take_while(|turn| turn.number < until) {
            let own = MessageParts::of(&turn.text).own;
            if own.len() <= MAX_TURN_BYTES {
                found.extend(corrections_within(&own).into_iter().map(|correction| (turn.number, true, correction)));
                let opening = &own[..own.char_indices().nth(MAX_OPENING_CHARS).map_or(own.len(), |(at, _)| at)];
                let of_earlier = earlier.as_deref().and_then(|earlier| correction_of(earlier, opening));
                if let (Some(correction), Some(earlier)) = (of_earlier, &earlier) {
                    corrected.push((turn.number, correction.apply(earlier)));
                    found.push((turn.number, false, correction));
                }
                earlier = Some(own);
            }
        }
        TurnCorrections { found, earlier: corrected }
    }

    /// A turn as it was corrected, for a claim that does not tell of the correction.
    pub(super) fn apply<'a>(&self, number: usize, turn: &'a str, claim: &str) -> Cow<'a, str> {
        let of_turn = self.found.iter().filter(|(at, is_own, _)| if *is_own { *at == number } else { *at > number });
        let relevant = of_turn.filter(|(_, _, correction)| !correction.is_told_by(claim));
        relevant.fold(Cow::Borrowed(turn), |text, (_, _, correction)| Cow::Owned(correction.apply(&text)))
    }

    /// The turn that a quoted one corrects, with the value that a claim has from it, and its sentence.
    pub(super) fn restated(&self, number: usize, claim: &str) -> Option<(&str, &str)> {
        let (_, turn) = self.earlier.iter().find(|(at, _)| *at == number)?;
        let mut of_earlier = self.found.iter().filter(|(at, is_own, _)| !is_own && *at == number);
        let (.., correction) = of_earlier.find(|(.., correction)| correction.is_stated_by(claim))?;
        Some((turn, correction.new_sentence(turn)?))
    }

    /// A quote as it was corrected; the corrected sentence, if the quote is the correction itself.
    pub(super) fn apply_to_quote<'a>(&self, number: usize, quote: &'a str, turn: &str, claim: &str) -> Cow<'a, str> {
        let corrected = self.apply(number, quote, claim);
        if self.found.is_empty() || is_quoted_in(turn, &corrected) {
            return corrected;
        }
        let own = self.found.iter().filter(|(at, is_own, _)| *is_own && *at == number);
        let sentence = own.filter_map(|(_, _, correction)| correction.new_sentence(turn)).next();
        sentence.map_or(corrected, |sentence| Cow::Owned(sentence.to_owned()))
    }
}
