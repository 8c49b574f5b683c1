//! Which words a text states and which it denies, compared with its sources: "tea but not coffee" does not state coffee.
//!
//! Never looks at clauses as a whole: the negation of a clause concerns what follows it, up to its end. What precedes it
//! may be either.

use std::collections::HashMap;

use super::english::spaced_words;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Phrases with a negation that denies nothing: "no later than".
const NOT_DENYING: PhraseList = phrase_list!("guards/grounding/not_denying.en.txt");
const HAN_NOT_DENYING: PhraseList = phrase_list!("guards/grounding/not_denying.zh.txt");
/// Words that deny what is anywhere in their clause: forbidden, stopped.
const ABSENCE_WORDS: WordList = word_list!("guards/grounding/denying.en.txt");
const HAN_ABSENCE_WORDS: PhraseList = phrase_list!("guards/grounding/denying.zh.txt");
const PREFERENCE_VERBS: WordList = word_list!("guards/grounding/preference_verbs.en.txt");

/// Whether a clause states a word or denies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Polarity {
    Stated,
    Denied,
    /// Before a negation, or beside a word such as "stopped".
    Either,
}

/// The first word that a text states and its sources only deny, or the other way round.
pub(super) fn reversed_word(text: &str, sources: &[&str]) -> Option<String> {
    let mut said: HashMap<String, Vec<Polarity>> = HashMap::new();
    for source in sources {
        for (key, _, polarity) in polarities(source) {
            said.entry(key).or_default().push(polarity);
        }
    }
    let opposite = |polarity| match polarity {
        Polarity::Stated => Some(Polarity::Denied),
        Polarity::Denied => Some(Polarity::Stated),
        Polarity::Either => None,
    };
    let is_reversed = |(key, _, polarity): &(String, String, Polarity)| {
        opposite(*polarity).is_some_and(|other| said.get(key).is_some_and(|all| all.iter().all(|p| *p == other)))
    };
    polarities(text).into_iter().find(is_reversed).map(|(_, surface, _)| surface)
}

/// The words of content of a text, in Chinese each pair of characters: key, as written, polarity.
fn polarities(text: &str) -> Vec<(String, String, Polarity)> {
    let ends = |c: char| matches!(c, ',' | ';' | '!' | '?' | '\n' | '.' | '，' | '。' | '；' | '！' | '？' | '、');
    let parts = text.split_inclusive(ends).flat_map(|part| part.split(" but ")).flat_map(|part| part.split('而'));
    parts.flat_map(clause_polarities).collect()
}

/// A text without phrases that contain a negation and deny nothing. English in lower case, if there was one.
pub(super) fn without_idle_negations(text: &str) -> String {
    let han = HAN_NOT_DENYING.iter().fold(text.to_owned(), |text, phrase| text.replace(phrase, " "));
    let low = han.to_lowercase();
    match NOT_DENYING.iter().find(|phrase| low.contains(*phrase)) {
        Some(_) => NOT_DENYING.iter().fold(low, |text, phrase| text.replace(phrase, " ")),
        None => han,
    }
}

fn clause_polarities(clause: &str) -> Vec<(String, String, Polarity)> {
    let asks = clause.ends_with(['?', '？']);
    let plain = spaced_words(&without_idle_negations(clause));
    let statement = Statement::of(plain.trim());
    let tokens = &statement.tokens;
    let is_free = asks
        || tokens.iter().any(|t| ABSENCE_WORDS.contains(&t.surface.to_lowercase()))
        || HAN_ABSENCE_WORDS.iter().any(|word| plain.contains(word));
    let prefers = tokens.iter().any(|t| PREFERENCE_VERBS.contains(&t.surface.to_lowercase()));
    let denies = |i: usize| {
        // "prefers tea to coffee", but not "prefers to work at night".
        let is_compared = |t: &StatementToken<'_>| t.surface.to_lowercase().starts_with("prefer");
        let after_object = || {
            let verb = tokens[..i].iter().rposition(is_compared);
            verb.is_some_and(|verb| tokens[verb + 1..i].iter().any(|t| t.kind != TokenKind::Filler))
        };
        match &*tokens[i].surface.to_lowercase() {
            "over" | "than" => prefers,
            "to" => after_object(),
            "instead" => true,
            _ => tokens[i].kind == TokenKind::Negation,
        }
    };
    let first = (0..tokens.len()).find(|&i| denies(i)).unwrap_or(0);
    let mut polarity = Polarity::Stated;
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        if denies(i) {
            polarity = if polarity == Polarity::Denied { Polarity::Stated } else { Polarity::Denied };
            continue;
        }
        if matches!(token.kind, TokenKind::Filler | TokenKind::Negation) {
            continue;
        }
        // A comparison puts nothing before it in doubt.
        let is_before = i < first && tokens[first].kind == TokenKind::Negation;
        let polarity = if is_free || is_before { Polarity::Either } else { polarity };
        match token.is_han {
            false => found.push((token.key.clone(), token.surface.to_owned(), polarity)),
            true => {
                let next = tokens.get(i + 1).filter(|n| n.is_han && n.kind == TokenKind::Word);
                found.extend(next.map(|n| {
                    let pair = format!("{}{}", token.surface, n.surface);
                    (pair.clone(), pair, polarity)
                }));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_denied_is_not_stated() {
        let check = |text: &str, source: &str, expected: Option<&str>| {
            assert_eq!(reversed_word(text, &[source]).as_deref(), expected, "{text} / {source}");
        };
        check("User likes coffee", "I like tea but not coffee", Some("coffee"));
        check("User likes tea", "I like tea but not coffee", None);
        check("User prefers spaces", "I prefer tabs over spaces", Some("spaces"));
        check("User prefers tabs over spaces", "I prefer tabs over spaces", None);
        check("Tests run on the laptop", "the tests do not run on the laptop", Some("run"));
        check("User lives in Rome", "I don't live in Paris anymore, I live in Rome", None);
        check("Reports are due by Friday", "reports are due no later than Friday", None);
        check("用户喜欢咖啡", "我喜欢茶，不喜欢咖啡", Some("欢咖"));
        check("Deploys on Fridays are forbidden", "we never deploy on Fridays", None);
    }
}
