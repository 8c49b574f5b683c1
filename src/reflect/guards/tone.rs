//! Checks for a neutral tone: no praise, no blame, no exclamation, no emoji.
//!
//! Never rejects the user's own opinions: "User hates cilantro" is a fact. Based on lists of judging words; a judgement
//! in other words passes.

use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, is_capitalized, matched_text};
use crate::text::prose_mask::mask_phrases;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

const JUDGING_WORDS: WordList = word_list!("guards/tone/judging_words.en.txt");
/// Phrases that judge.
static JUDGING_PHRASES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/tone/judging_phrases.en.txt"));
/// Words after a judging word that make it a technical term.
const TERMS: WordList = word_list!("guards/tone/terms.en.txt");

static HAN_JUDGING: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/tone/judging_phrases.zh.txt"));
/// Words that are not neutral even in the user's opinion.
static HAN_EXCLAMATIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/tone/exclamations.zh.txt"));
static HAN_DEGREE: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/tone/degree.zh.txt"));
const HAN_TERMS: PhraseList = phrase_list!("guards/tone/terms.zh.txt");
const SMILEYS: WordList = word_list!("guards/tone/smileys.txt");

/// The first judging word, exclamation or emoji.
pub fn check_tone(input: &GuardText<'_>) -> Option<GuardFinding> {
    let finding = |what: &str| Some(GuardFinding::new(Violation::NotNeutral, what));
    if let Some(c) = input.prose.chars().find(|c| is_emoji(*c)) {
        return finding(&c.to_string());
    }
    if let Some(at) = exclamation_at(input.prose) {
        let start = input.prose[..at].char_indices().rev().nth(12).map_or(0, |(n, _)| n);
        return finding(input.prose[start..].split_inclusive(['!', '！']).next().unwrap_or("!"));
    }
    if let Some(smiley) = input.prose.split_whitespace().find(|w| SMILEYS.contains(w.trim_end_matches('.'))) {
        return finding(smiley);
    }
    for (sentence, tokens) in input.english_sentences() {
        if let Some(i) = (0..tokens.len()).find(|i| is_judging_word(sentence, tokens, *i)) {
            return finding(tokens[i].surface);
        }
        if let Some(range) = JUDGING_PHRASES.find(tokens) {
            return finding(matched_text(sentence, tokens, range));
        }
    }
    let clear = if input.han { mask_phrases(input.prose, HAN_TERMS) } else { return None };
    let mut clauses = clear.split(['。', '；']);
    let is_user_opinion = |clause: &str| HAN_USER_OPINION.find_unspaced(clause).is_some();
    clauses
        .find_map(|clause| {
            if is_user_opinion(clause) {
                HAN_EXCLAMATIONS.find_unspaced(clause)
            } else {
                HAN_JUDGING.find_unspaced(clause).or_else(|| HAN_DEGREE.find_unspaced(clause))
            }
        })
        .and_then(finding)
}

/// Words that mark a judgement as the user's own, which is a fact: "User prefers simple code over clever code".
static USER_OPINION: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/tone/user_opinion.en.txt"));
static HAN_USER_OPINION: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/tone/user_opinion.zh.txt"));

/// Adverbs in -ingly that do not judge.
const NEUTRAL_ADVERBS: WordList = word_list!("guards/tone/neutral_adverbs.en.txt");

fn is_judging_word(sentence: &str, tokens: &[WordToken<'_>], i: usize) -> bool {
    let token = &tokens[i];
    let word = token.text.as_str();
    let adverb =
        word.len() > 7 && ["ingly", "lessly"].iter().any(|end| word.ends_with(end)) && !NEUTRAL_ADVERBS.contains(word);
    let judging = adverb || JUDGING_WORDS.contains(word);
    if !judging || USER_OPINION.find(&tokens[..i]).is_some() {
        return false;
    }
    let next = tokens.get(i + 1);
    let is_name = is_capitalized(token.surface)
        && sentence.get(token.at + token.surface.len()..).is_some_and(|s| !s.starts_with(','))
        && (i > 0 && !sentence[..token.at].trim_end().ends_with(':')
            || next.is_some_and(|t| is_capitalized(t.surface)));
    let (before, after) = (&sentence[..token.at], &sentence[token.at + token.surface.len()..]);
    let joined = after.starts_with(['-', '_']) || before.ends_with(['-', '_', '.', '/']) || is_name_end(after);
    // "uses awesome as window manager": a judgement would have its noun behind it.
    let is_used =
        i.checked_sub(1).is_some_and(|at| matches!(tokens[at].text.as_str(), "use" | "uses" | "using" | "runs"))
            && next.is_none_or(|t| matches!(t.text.as_str(), "as" | "for" | "to" | "on" | "and" | "with" | "instead"));
    let term = TERMS.value(word).is_some_and(|after| next.is_some_and(|t| after.split(' ').any(|term| term == t.text)));
    !(is_name || joined || is_used || term)
}

/// Whether a name goes on behind its first word: lazy.nvim, great/expectations.
fn is_name_end(after: &str) -> bool {
    after
        .strip_prefix(['.', '/'])
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()))
}

/// The byte offset of an exclamation mark that ends an exclamation; not `!=`, `println!(`, `Yahoo!`, `![image]`.
fn exclamation_at(prose: &str) -> Option<usize> {
    prose.char_indices().filter(|(_, c)| matches!(c, '!' | '！')).map(|(at, _)| at).find(|at| {
        let (before, after) = (&prose[..*at], &prose[*at..]);
        let code =
            after.starts_with("!=") || after.starts_with("![") || after.starts_with("!(") || after.starts_with("!_");
        let names = ["Yahoo", "Jeopardy", "Yum", "Mamma Mia"].iter().any(|n| before.ends_with(n));
        let negates = after.strip_prefix('!').is_some_and(|a| a.starts_with(|c: char| c.is_ascii_alphanumeric()));
        !(code || names || negates)
    })
}

fn is_emoji(c: char) -> bool {
    match c as u32 {
        0x2610..=0x2612 | 0x2713..=0x2718 => false,
        0x1F300..=0x1FAFF
        | 0x1F1E6..=0x1F1FF
        | 0x2600..=0x27BF
        | 0x2B50
        | 0x2B55
        | 0x203C
        | 0x2049
        | 0x3297
        | 0x3299 => true,
        _ => false,
    }
}
