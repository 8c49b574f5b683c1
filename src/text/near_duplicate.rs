//! Decides whether a new text repeats an older one, for the warning that `add` gives and for what `reflect` keeps.
//!
//! Never calls two texts the same that differ in a name, a number, a negation or the order of their words: those are
//! news, however similar the texts look. It would rather miss a repetition than report a new text as one.

use super::exact_tokens;
use super::similarity::within_edit_distance;
use super::statement::{Statement, StatementToken, TokenKind};
use super::word_frequency;
use super::word_list::{WordList, word_list};

/// Words that turn a text into another one when they are added.
const REVERSALS: [WordList; 2] =
    [word_list!("near_duplicate/reversals.en.txt"), word_list!("near_duplicate/reversals.zh.txt")];

/// Characters that add nothing.
const HAN_HARMLESS: WordList = word_list!("near_duplicate/harmless.zh.txt");

/// How many words of the shorter text allow one more additional word.
const WORDS_PER_EXTRA: usize = 3;
/// Minimum length of a word, in characters, at which one different character may be a typing error.
const MIN_TYPO_LENGTH: usize = 5;

/// How many words one of two statements has in addition, if they otherwise say the same; `None` if they differ. A word
/// of content is never one of them: it may deny, limit or replace what the other text says, in a language that no list
/// knows.
pub fn extra_words(a: &Statement<'_>, b: &Statement<'_>) -> Option<usize> {
    if a.label_key != b.label_key || a.is_negated() != b.is_negated() || signs(a.text) != signs(b.text) {
        return None;
    }
    let (few, many) = (significant(a), significant(b));
    let (few, many) = if few.len() <= many.len() { (few, many) } else { (many, few) };
    if few.is_empty() {
        return None;
    }
    // Each word of the shorter text must have its own in the longer one.
    let mut free: Vec<Option<&StatementToken<'_>>> = many.into_iter().map(Some).collect();
    let mut partners = Vec::with_capacity(few.len());
    for word in &few {
        let same = |other: &Option<&StatementToken<'_>>| other.is_some_and(|other| other.key == word.key);
        let typo = |other: &Option<&StatementToken<'_>>| other.is_some_and(|other| is_typo(other, word));
        let at = free.iter().position(same).or_else(|| free.iter().position(typo))?;
        free[at] = None;
        partners.push(at);
    }
    let extras: Vec<&StatementToken<'_>> = free.into_iter().flatten().collect();
    let few_enough = extras.len() <= few.len() / WORDS_PER_EXTRA;
    // A function word with a typing error is no function word.
    let fillers = || a.tokens.iter().chain(&b.tokens).filter(|token| token.kind == TokenKind::Filler);
    let is_harmless = |word: &StatementToken<'_>| {
        HAN_HARMLESS.contains(word.surface) || fillers().any(|filler| has_typo(filler, word))
    };
    let is_alike = few_enough && extras.iter().all(|word| is_harmless(word)) && is_same_order(&partners);
    // What takes longest is looked at last: most pairs differ in a word.
    let is_same = is_alike
        && a.is_event() == b.is_event()
        && ends_with_user(a.text) == ends_with_user(b.text)
        && !exact_tokens::differ(a.text, b.text);
    is_same.then_some(extras.len())
}

/// Whether the last words of a text name the user: "belongs to the user", unlike "belongs to the user's aunt".
fn ends_with_user(text: &str) -> bool {
    let end = text.trim_end_matches(['.', '!', '。', '！', ' ']);
    let end = ["'s", "’s", "的"].iter().find_map(|suffix| end.strip_suffix(suffix)).unwrap_or(end);
    ["user", "User", "用户"].iter().any(|name| end.ends_with(name))
}

/// The tokens that matter: those with content, and function words that turn a text round. Negations are counted apart.
fn significant<'s, 'a>(statement: &'s Statement<'a>) -> Vec<&'s StatementToken<'a>> {
    let matters = |token: &&StatementToken<'_>| match token.kind {
        TokenKind::Negation => false,
        TokenKind::Filler => is_reversal(token),
        TokenKind::Word | TokenKind::Name | TokenKind::Number | TokenKind::Date => true,
    };
    statement.tokens.iter().filter(matters).collect()
}

fn is_reversal(token: &StatementToken<'_>) -> bool {
    let low = token.surface.to_lowercase();
    REVERSALS.iter().any(|list| list.contains(&low))
}

/// Whether one of two words is the other with a typing error. Two words of English are two words, and the first letter is
/// seldom wrong: *deinen*, *seinen*.
fn is_typo(a: &StatementToken<'_>, b: &StatementToken<'_>) -> bool {
    let is_known = |t: &StatementToken<'_>| word_frequency::per_mille(&t.key) > 0;
    let are_words = a.kind == TokenKind::Word && b.kind == TokenKind::Word;
    are_words && has_typo(a, b) && !(is_known(a) && is_known(b))
}

fn has_typo(a: &StatementToken<'_>, b: &StatementToken<'_>) -> bool {
    let (a, b) = (a.surface.to_lowercase(), b.surface.to_lowercase());
    let is_long = |word: &str| word.chars().count() >= MIN_TYPO_LENGTH;
    is_long(&a) && is_long(&b) && a.chars().next() == b.chars().next() && within_edit_distance(&a, &b, 1)
}

/// Whether positions ascend, or one part of at least three has moved to the other end ("every day she …").
fn is_same_order(positions: &[usize]) -> bool {
    let descents = positions.windows(2).filter(|pair| pair[0] > pair[1]).count();
    let is_rotated = || descents == 1 && positions.len() >= 3 && positions.last() < positions.first();
    descents == 0 || is_rotated()
}

fn signs(text: &str) -> String {
    let mut signs = String::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let after = text[at + c.len_utf8()..].chars().next();
        let counts = match c {
            '+' | '#' | '%' => before.is_alphanumeric() || before == '+',
            '-' | '−' => !before.is_alphanumeric() && after.is_some_and(|c| c.is_ascii_digit()),
            '<' | '>' | '=' | '≤' | '≥' | '≠' | '→' | '←' => true,
            _ => false,
        };
        if counts {
            signs.push(c);
        }
        before = c;
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `add` warns about one text if the other is there, tried in both directions.
    fn repeats(a: &str, b: &str) -> bool {
        let warns = |new: &str, old: &str| extra_words(&Statement::of(new), &Statement::of(old)).is_some();
        assert_eq!(warns(a, b), warns(b, a), "{a} / {b}");
        warns(a, b)
    }

    fn pairs(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
        let lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| line.split_once(" | ").expect("two texts"))
    }

    #[test]
    fn what_says_the_same_is_a_repetition() {
        let missed: Vec<_> =
            pairs(include_str!("../../fixtures/near_duplicates/same.txt")).filter(|(a, b)| !repeats(a, b)).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn held_out_pairs_give_no_false_alarm_and_few_misses() {
        let all = || pairs(include_str!("../../fixtures/near_duplicates/held_out_same.txt"));
        let missed: Vec<_> = all().filter(|(a, b)| !repeats(a, b)).collect();
        assert!(missed.len() * 5 <= all().count(), "{missed:#?}");
        let news = pairs(include_str!("../../fixtures/near_duplicates/held_out_news.txt"));
        let wrong: Vec<_> = news.filter(|(a, b)| repeats(a, b)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_name_a_number_a_negation_and_an_order_are_news() {
        let wrong: Vec<_> =
            pairs(include_str!("../../fixtures/near_duplicates/news.txt")).filter(|(a, b)| repeats(a, b)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
