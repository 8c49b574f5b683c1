//! Checks that a text is in the third person and without pronouns: later readers do not know who "I" was.
//!
//! Never checks code, quoted words or titles. Based on word lists. A name spelt like a pronoun is recognised by its
//! capital letter, a Chinese word that merely contains a pronoun's character by a list of such words.

use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, find, is_capitalized, matched_text};
use crate::text::prose_mask::mask_phrases;
use crate::text::statement::{MONTHS, WEEKDAYS};
use crate::text::verbs::is_third_person;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

const FIRST_AND_SECOND: WordList = word_list!("guards/person/first_and_second.en.txt");
const THIRD_PERSON: WordList = word_list!("guards/person/third.en.txt");
/// A demonstrative without a noun: "This means …".
static DEMONSTRATIVES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/person/demonstratives.en.txt"));
/// Words before an "I" that is a Roman numeral.
const NUMBERED_NOUNS: WordList = word_list!("guards/person/numbered_nouns.en.txt");
const MINE_ADJECTIVES: WordList = word_list!("guards/person/mine_adjectives.en.txt");

#[rustfmt::skip]
const HAN_FIRST: &[&str] = &["我", "咱", "俺", "你", "您", "妳", "本人", "鄙人"];
const HAN_THIRD: &[&str] = &["他", "她", "它", "牠", "祂"];
/// Words that contain the character of a pronoun but are not pronouns.
const HAN_COMPOUNDS: PhraseList = phrase_list!("guards/person/compounds.zh.txt");

/// The pronouns of a text: at most one finding per violation.
pub fn check_person(input: &GuardText<'_>) -> Vec<GuardFinding> {
    let mut found = Vec::new();
    for (sentence, tokens) in input.english_sentences() {
        found.extend(
            english_pronoun(tokens, FIRST_AND_SECOND, sentence)
                .map(|w| GuardFinding::new(Violation::NotThirdPerson, w)),
        );
        found.extend(english_pronoun(tokens, THIRD_PERSON, sentence).map(|w| GuardFinding::new(Violation::Pronoun, w)));
        if let Some(range) = DEMONSTRATIVES.find(tokens) {
            found.push(GuardFinding::new(Violation::Pronoun, matched_text(sentence, tokens, range)));
        }
        if find(tokens, &["let 's"]).is_some() {
            found.push(GuardFinding::new(Violation::NotThirdPerson, "let's"));
        }
    }
    if input.han {
        let text = mask_phrases(input.prose, HAN_COMPOUNDS);
        found.extend(han_pronoun(&text, HAN_FIRST).map(|w| GuardFinding::new(Violation::NotThirdPerson, w)));
        found.extend(han_pronoun(&text, HAN_THIRD).map(|w| GuardFinding::new(Violation::Pronoun, w)));
    }
    found.sort_by_key(|f| f.violation);
    found.dedup_by_key(|f| f.violation);
    found
}

fn english_pronoun<'a>(tokens: &[WordToken<'a>], pronouns: WordList, sentence: &str) -> Option<&'a str> {
    let is = |i: usize| pronouns.contains(&tokens[i].text) && !is_not_pronoun(tokens, i, sentence);
    (0..tokens.len()).find(|i| is(*i)).map(|i| tokens[i].surface)
}

/// Whether a word spelt like a pronoun is something else: a name, a number, a list of pronouns (they/them).
fn is_not_pronoun(tokens: &[WordToken<'_>], i: usize, sentence: &str) -> bool {
    let WordToken { text, surface, at } = &tokens[i];
    let before = i.checked_sub(1).map(|p| &tokens[p]);
    let previous = before.map_or("", |t| t.text.as_str());
    let end = at + surface.len();
    let slashed = sentence[end..].starts_with(['/', '-', '_']) || sentence[..*at].ends_with(['/', '-', '_', '.']);
    // "me.example" is an address.
    let is_domain = sentence[end..].strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    let shouted = surface.len() > 1 && surface.chars().all(char::is_uppercase);
    let opens = i == 0 || sentence[..*at].trim_end().ends_with([':', '：', '(', '—', '-']);
    let is_i = text.starts_with('i') && (text == "i" || text.starts_with("i'"));
    let next_capital = tokens.get(i + 1).is_some_and(|t| is_capitalized(t.surface));
    let title = if is_i {
        i > 1 && next_capital && before.is_some_and(|t| is_capitalized(t.surface))
    } else {
        !opens && is_capitalized(surface)
    };
    let number = text == "i" && (NUMBERED_NOUNS.contains(previous) || is_monarch(tokens, i));
    let mine = text == "mine" && MINE_ADJECTIVES.contains(previous);
    let listed = tokens[i.saturating_sub(4)..i].iter().any(|t| matches!(t.text.as_str(), "pronoun" | "pronouns"));
    slashed || is_domain || shouted || title || number || mine || listed || has_antecedent(tokens, i)
}

/// Uses of "it" without a noun: "finds it hard to", "it is too early for".
static EXPLETIVES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/person/expletive.en.txt"));
/// Words that open a noun, and words that open a clause.
const ANTECEDENTS: WordList = word_list!("guards/person/antecedents.en.txt");
const SUBORDINATORS: WordList = word_list!("guards/person/subordinators.en.txt");

/// Whether "it" has its noun in the sentence: "moves a file and deletes it", "tea, when it is hot". People (he, she)
/// are named again instead, and so is the user, who has no "it".
fn has_antecedent(tokens: &[WordToken<'_>], i: usize) -> bool {
    let word = tokens[i].text.as_str();
    let plural = matches!(word, "they" | "them" | "their");
    // "The user's old mother moved to Nice after she retired": whom it means stands before it.
    if matches!(word, "she" | "he" | "her" | "his" | "him") && i > 2 {
        let is_relative_of = |at: usize| {
            is_relative(&tokens[at].text)
                && tokens[at.saturating_sub(WORDS_BEFORE_RELATIVE)..at].iter().any(is_possessive)
        };
        return (0..i).filter(|at| is_relative_of(*at)).count() == 1 && !is_capitalized(tokens[i].surface);
    }
    if !plural && !matches!(word, "it" | "its" | "itself" | "it'll") {
        return false;
    }
    let before = &tokens[..i];
    let user = before.iter().any(|t| t.text == "user");
    if plural {
        // "The functions name their unit".
        let is_object = |t: &WordToken<'_>| {
            t.text.len() > 5 && t.text.ends_with('s') && !is_capitalized(t.surface) && !is_third_person(&t.text)
        };
        // "The user resets passwords after they leak": the nearest plural is meant, not the user.
        let has_object = user && word != "their" && before[1..].iter().any(is_object);
        // "The user writes letters to their clients": no other person is named before it.
        let is_users = user && word == "their" && is_subject_alone(before);
        return has_object
            || is_users
            || !user && before.iter().any(|t| t.text.len() > 3 && t.text.ends_with('s') && !is_capitalized(t.surface))
            || !user && i > 1 && before[0].text.ends_with('s');
    }
    let near = i.saturating_sub(3)..(i + 7).min(tokens.len());
    let named = before.iter().skip(1).any(|t| is_capitalized(t.surface)) && i > 2;
    let noun = before.iter().rposition(|t| ANTECEDENTS.contains(&t.text)).is_some_and(|at| i - at > 2);
    let clause = i > 2 && SUBORDINATORS.contains(&tokens[i - 1].text);
    noun || clause || named || EXPLETIVES.find(&tokens[near]).is_some()
}

/// Up to how many words before a relative the possessive may stand: "the user's 84-year-old mother".
const WORDS_BEFORE_RELATIVE: usize = 5;

fn is_possessive(token: &WordToken<'_>) -> bool {
    token.text == "'s"
}

/// Endings of plural nouns for people: tutors, guitarists, trainees, classmates.
const PEOPLE_ENDINGS: [&str; 4] = ["ors", "ists", "ees", "mates"];

/// Whether the user is the subject of a sentence up to a word, and no other person, name or group stands between.
fn is_subject_alone(before: &[WordToken<'_>]) -> bool {
    let at = usize::from(before.first().is_some_and(|t| t.text == "the"));
    let is_other = |t: &WordToken<'_>| {
        let is_group = || PEOPLE_ENDINGS.iter().any(|end| t.text.len() > end.len() + 2 && t.text.ends_with(end));
        let is_date = || [MONTHS, WEEKDAYS].iter().any(|list| list.value(&t.text).is_some());
        is_relative(&t.text)
            || is_relative(t.text.trim_end_matches('s'))
            || is_capitalized(t.surface) && !is_date()
            || is_group() && !is_third_person(&t.text)
    };
    before.get(at).is_some_and(|t| t.text == "user")
        && before.get(at + 1).is_none_or(|t| t.text != "'s")
        && !before.iter().skip(at + 2).any(is_other)
}

fn is_relative(word: &str) -> bool {
    super::grounding::scope::is_person(word)
}

/// "Henry I of England", "covers Henry I.": preceded by a name and not followed by a verb.
fn is_monarch(tokens: &[WordToken<'_>], i: usize) -> bool {
    let name = i > 0 && is_capitalized(tokens[i - 1].surface) && tokens[i - 1].text != "user";
    name && tokens.get(i + 1).is_none_or(|t| matches!(t.text.as_str(), "of" | "'s" | "and" | "was" | "is"))
}

fn han_pronoun<'a>(clear: &'a str, pronouns: &[&'a str]) -> Option<&'a str> {
    let matches = pronouns.iter().filter_map(|p| Some((clear.find(p)?, *p)));
    matches.filter(|(at, _)| !is_stated_value(&clear[..*at])).min().map(|(_, p)| p)
}

/// Whether a pronoun is the stated value: "代词：她".
fn is_stated_value(before: &str) -> bool {
    let near = before.char_indices().rev().nth(7).map_or(0, |(n, _)| n);
    before[near..].contains("代词")
}
