//! Words that say nothing of their own beside the value of an attribute: how often, how much, general verbs and
//! subjects.
//!
//! Never says what the other words mean.

use super::super::grounding::english::EnglishSources;
use super::quantities::{is_frequency_word, is_han_count};
use super::{FRAMES, HAN_FRAMES};
use crate::text::statement::{StatementToken, TokenKind};
use crate::text::stopwords::is_stopword;
use crate::text::word_list::{PhraseList, phrase_list};

/// Subjects that stand for the whole of what a memory is about.
const GENERAL_SUBJECTS: PhraseList = phrase_list!("guards/contradiction/general_subjects.txt");
/// Words that say when or how often something holds, and degrees.
const MANNERS: PhraseList = phrase_list!("guards/contradiction/manners.txt");

/// Whether a word in lower case is a subject that stands for the whole.
pub(super) fn is_general_subject(word: &str) -> bool {
    GENERAL_SUBJECTS.iter().any(|one| one == word)
}

/// Whether a word says nothing of its own beside a value.
pub(super) fn is_plain_word(token: &StatementToken<'_>) -> bool {
    let low = token.surface.to_lowercase();
    token.kind == TokenKind::Word
        && (is_stopword(&low)
            || low.len() < 3
            || EnglishSources::may_paraphrase(&low)
            || is_frequency_word(&low)
            || MANNERS.iter().any(|word| word == low)
            || FRAMES.contains(&low)
            || FRAMES.contains(&token.key))
        || is_general_subject(&low)
}

/// Whether a run of Chinese characters says nothing of its own.
pub(super) fn is_plain_run(run: &str) -> bool {
    is_han_count(run)
        || HAN_FRAMES.iter().any(|frame| frame == run)
        || MANNERS.iter().any(|word| word == run)
        || is_general_subject(run)
}
