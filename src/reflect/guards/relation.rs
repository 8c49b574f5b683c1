//! Decides whether what a model quotes for a removal or an update is about the bullet that goes.
//!
//! Never judges the new text: `grounding` does.

use super::grounding::english::EnglishSources;
use super::possible_contradiction::find_possible_contradiction;
use super::sensitive::stated_field;
use crate::text::contradiction::compare_statements;
use crate::text::prose_mask::split_label;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Words that say nothing of what a statement is about.
const IDLE: WordList = word_list!("guards/relation/idle.en.txt");
const HAN_COMMON: PhraseList = phrase_list!("guards/relation/common.zh.txt");
const RETRACTIONS: PhraseList = phrase_list!("guards/relation/retractions.txt");
/// Fields whose value replaces another one, whatever its words are.
const FIELDS: [&str; 6] = ["preferred_name", "pronouns", "city", "employer", "birthday", "language"];

/// What a change of a bullet is judged by.
pub struct ChangeEvidence<'a> {
    /// The quote of the proposal.
    pub quote: &'a str,
    /// The turn with the quote, and those that the model named beside it.
    pub turns: &'a [&'a str],
    /// The turns just before, which "forget that" takes back.
    pub earlier: &'a [&'a str],
    /// The texts that replace the bullet; none for a removal.
    pub new_texts: &'a [&'a str],
}

/// Whether the evidence is about a bullet: it shares a word of content, a name, a number or a Chinese character with
/// it, states the same field or its contrary, or takes back earlier turns that do. The text of an update may do so
/// instead, but not by a label that it has from the bullet: `Cat: Minka` is not replaced by `Cat: Helix` because
/// the user moved to Helix.
pub fn is_about(old: &str, evidence: &ChangeEvidence<'_>) -> bool {
    let sources = || evidence.turns.iter().copied().chain([evidence.quote]);
    if shares_content(old, sources()) || replaces(old, evidence.quote) {
        return true;
    }
    let fields: Vec<String> = FIELDS.map(String::from).to_vec();
    let field = stated_field(old, &fields);
    if field.is_some() && sources().any(|text| stated_field(text, &fields) == field) {
        return true;
    }
    let new_texts = || evidence.new_texts.iter().copied();
    if new_texts().any(|new| has_new_value(old, new)) {
        return shares_content(old, evidence.earlier.iter().copied());
    }
    if shares_content(old, new_texts()) || new_texts().any(|text| replaces(old, text)) {
        return true;
    }
    let low = evidence.quote.to_lowercase().replace('’', "'");
    RETRACTIONS.iter().any(|phrase| low.contains(phrase)) && shares_content(old, evidence.earlier.iter().copied())
}

/// Whether a text has the label of a bullet, and nothing of its value.
fn has_new_value(old: &str, new: &str) -> bool {
    let label = Statement::of(old).label_key;
    let value = split_label(old).map_or("", |(_, value)| value);
    label.is_some() && label == Statement::of(new).label_key && !shares_content(value, [new].into_iter())
}

/// Whether a text states what a bullet states in another way: a value of the same label, or its contrary.
pub fn replaces(old: &str, text: &str) -> bool {
    let (new, statement) = (Statement::of(text), Statement::of(old));
    new.label_key.is_some() && new.label_key == statement.label_key
        || compare_statements(&new, &statement).is_some()
        || find_possible_contradiction(text, [old].into_iter()).is_some()
}

/// Whether texts share a word of content, a name, a number or a Chinese character with a bullet.
pub fn shares_content<'a>(old: &str, texts: impl Iterator<Item = &'a str>) -> bool {
    let texts: Vec<&str> = texts.collect();
    let joined = texts.join("\n");
    let words = EnglishSources::of(texts.iter().copied());
    let plain = old.replace([':', '：', '_'], " ");
    let is_common = |c: &str| HAN_COMMON.iter().any(|line| line.contains(c));
    let is_shared = |t: &StatementToken<'_>| match t.kind {
        _ if t.is_han => !is_common(t.surface) && joined.contains(t.surface),
        TokenKind::Number | TokenKind::Date => has_number(&joined, t),
        _ => t.surface.chars().count() > 1 && !IDLE.contains(&t.surface.to_lowercase()) && has_word(&words, t),
    };
    let statement = Statement::of(&plain);
    statement.content().any(is_shared)
}

fn has_word(words: &EnglishSources, token: &StatementToken<'_>) -> bool {
    // A word of two letters is looked up as it is: Go, UI.
    match token.surface.len() {
        0..3 => words.has_word(&token.surface.to_lowercase()) || words.has_word(&token.key),
        _ => words.has_counterpart(token),
    }
}

fn has_number(text: &str, token: &StatementToken<'_>) -> bool {
    Statement::of(text).tokens.iter().any(|t| t.key == token.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_removed(quote: &str, old: &str) -> bool {
        is_about(old, &ChangeEvidence { quote, turns: &[quote], earlier: &[], new_texts: &[] })
    }

    fn pairs(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
        file.lines().filter_map(|line| line.split_once(" | "))
    }

    #[test]
    fn a_removal_needs_a_word_in_common() {
        assert!(!is_removed("The build runs on Bun from now on.", "Plays chess"));
        assert!(!is_removed("We use Bun now", "Uses tabs for indentation"));
        assert!(is_removed("I gave up chess", "Plays chess"));
        assert!(is_removed("我不喝咖啡了", "用户喜欢喝咖啡"));
        assert!(!is_removed("构建改用Bun了", "用户喜欢喝咖啡"));
    }

    #[test]
    fn an_update_may_state_the_same_attribute() {
        let about = |quote: &str, old: &str, new: &str| {
            is_about(old, &ChangeEvidence { quote, turns: &[quote], earlier: &[], new_texts: &[new] })
        };
        assert!(about("I moved to Berlin", "City: Hamburg", "City: Berlin"));
        assert!(about("I switched to Zed", "Prefers the editor vim", "Prefers the editor Zed"));
        assert!(about("I moved from vim to Helix", "Editor: vim", "Editor: Helix"));
        assert!(about("My editor is Helix now", "Editor: vim", "Editor: Helix"));
        assert!(about("I also speak Dutch", "Languages: English", "Languages: English, Dutch"));
        assert!(about("我搬到汉堡了", "城市：柏林", "城市：汉堡"));
        assert!(!about("I moved from vim to Helix", "Cat: Minka", "Cat: Helix"));
        assert!(!about("I moved from vim to Helix", "Name: Ana", "Name: Helix"));
        assert!(!about("我搬到汉堡了", "宠物：米娜", "宠物：汉堡"));
        assert!(!about("The build runs on Bun", "Plays chess", "The build runs on Bun."));
    }

    #[test]
    fn a_retraction_is_about_what_was_said_before() {
        let about = |earlier: &str, old: &str| {
            let quote = "Actually, forget that";
            is_about(old, &ChangeEvidence { quote, turns: &[quote], earlier: &[earlier], new_texts: &[] })
        };
        assert!(about("I play chess on Sundays", "Plays chess"));
        assert!(!about("I play the cello", "Owns a boat"));
    }

    #[test]
    fn quotes_of_the_held_out_set_remove_only_related_bullets() {
        let unrelated = pairs(include_str!("../../../fixtures/exact_tokens/held_out_unrelated.txt"));
        let wrong: Vec<_> = unrelated.filter(|(quote, old)| is_removed(quote, old)).collect();
        let related = pairs(include_str!("../../../fixtures/exact_tokens/held_out_related.txt"));
        let missed: Vec<_> = related.filter(|(quote, old)| !is_removed(quote, old)).collect();
        assert!(wrong.is_empty() && missed.is_empty(), "{wrong:#?} {missed:#?}");
    }
}
