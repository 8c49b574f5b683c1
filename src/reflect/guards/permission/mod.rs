//! Finds texts that give agents rights, or agree in advance to what they do; that skip a check, run something or show a
//! secret: a person decides on these, also where the user wrote them.
//!
//! Never concerns the rights of people and programs: "Bo has write access to the repository".
//!
//! A right is a frame of three parts, an agent, a right and an act; a waiver is one of a check and the words that do
//! without it. The parts are groups of words (`data/pattern_groups/`), the frames patterns over them, and
//! [`polarity`] decides whether a negation turns a frame into its opposite.

mod commands;
mod polarity;

use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, matched_text};
use crate::text::prose_mask::mask_phrases;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Phrases that need no look at their negations.
static PHRASES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/permission/phrases.en.txt"));
static HAN_PHRASES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/permission/phrases.zh.txt"));
static GRANTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/permission/grants.en.txt"));
static HAN_GRANTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/permission/grants.zh.txt"));
static WAIVERS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/permission/waivers.en.txt"));
static HAN_WAIVERS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/permission/waivers.zh.txt"));
/// Words that contain the name of an agent but do not name one.
const HAN_NOT_AGENTS: PhraseList = phrase_list!("guards/permission/not_agents.zh.txt");
/// Words that make a person or a product of an agent beside them.
const HUMAN_AGENTS: WordList = word_list!("guards/permission/human_agents.en.txt");

/// The first phrase that widens a right.
pub fn check_permission(input: &GuardText<'_>) -> Option<GuardFinding> {
    let finding = |what: &str| Some(GuardFinding::new(Violation::Permission, what));
    // Commands count inside code, too: that is where they stand.
    if let Some(command) = commands::unsafe_command(input.text) {
        return finding(command);
    }
    for (sentence, tokens) in input.english_sentences().filter(|(_, tokens)| !polarity::is_past_event(tokens)) {
        if polarity::is_of_other_field(tokens) {
            continue;
        }
        let is_of_program = |range: &std::ops::Range<usize>| !names_human_agent(tokens, range);
        let restricts = |range: &std::ops::Range<usize>| polarity::is_restriction(sentence, tokens, range);
        let found = PHRASES
            .find_where(tokens, |range| is_of_program(range) && !restricts(range))
            .or_else(|| {
                GRANTS.find_where(tokens, |range| is_of_program(range) && polarity::grants(sentence, tokens, range))
            })
            .or_else(|| {
                WAIVERS.find_where(tokens, |range| is_of_program(range) && polarity::waives(sentence, tokens, range))
            });
        if let Some(range) = found {
            return finding(matched_text(sentence, tokens, range));
        }
    }
    if !input.han || polarity::is_of_other_field_han(input.prose) {
        return None;
    }
    let text = mask_phrases(input.prose, HAN_NOT_AGENTS);
    let found = HAN_PHRASES
        .find_unspaced_where(&text, |range| !polarity::han_restricts(&text, range))
        .or_else(|| HAN_GRANTS.find_unspaced_where(&text, |range| polarity::han_grants(&text, range)))
        .or_else(|| HAN_WAIVERS.find_unspaced_where(&text, |range| polarity::han_waives(&text, range)));
    found.and_then(|range| finding(&text[range]))
}

/// Whether an agent in a range of tokens is a person: "travel agent", "assistant manager", "the agent of the
/// insurance".
fn names_human_agent(tokens: &[WordToken<'_>], range: &std::ops::Range<usize>) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_agent =
        |at: &usize| matches!(word(*at), "agent" | "agents" | "assistant" | "assistants" | "model" | "models");
    range.clone().filter(is_agent).any(|at| {
        let before = at.checked_sub(1).map_or("", word);
        let is_of_someone = word(at + 1) == "of" && matches!(word(at + 2), "the" | "a" | "an");
        HUMAN_AGENTS.contains(before) || HUMAN_AGENTS.contains(word(at + 1)) || is_of_someone
    })
}
