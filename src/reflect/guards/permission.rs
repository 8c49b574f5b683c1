//! Finds texts that give agents rights, or agree in advance to what they do: a person decides on these, also where the
//! user wrote them.
//!
//! Never concerns the rights of people and programs: "Bo has write access to the repository".

use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, matched_text};
use crate::text::word_list::phrase_list;

static PHRASES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/permission/phrases.en.txt"));
static HAN_PHRASES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/permission/phrases.zh.txt"));

/// The first phrase that gives agents a right.
pub fn check_permission(input: &GuardText<'_>) -> Option<GuardFinding> {
    let english = || {
        input
            .english_sentences()
            .find_map(|(sentence, tokens)| PHRASES.find(tokens).map(|range| matched_text(sentence, tokens, range)))
    };
    let han = || input.prose.split(['。', '\n']).filter(|_| input.han).find_map(|s| HAN_PHRASES.find_unspaced(s));
    english().or_else(han).map(|what| GuardFinding::new(Violation::Permission, what))
}
