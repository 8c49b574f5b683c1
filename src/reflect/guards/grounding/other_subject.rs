//! The person of whom an English source says something that a text says of the user.
//!
//! Never looks at what is said: `english` does.

use super::english::{EnglishSources, spaced_words};
use super::scope::{PERSONS, REPORTING};
use crate::text::phrase::is_capitalized;
use crate::text::statement::{Statement, TokenKind};
use crate::text::stopwords::is_stopword;
use crate::text::verbs::is_third_person;
use crate::text::word_list::{WordList, word_list};

const PROFESSIONS: WordList = word_list!("guards/grounding/professions.en.txt");
/// Words that make another word of a noun for a person: "mother tongue", "client library".
const AFTER_PERSON: WordList = word_list!("guards/grounding/after_person.en.txt");

/// Words before the subject of a clause.
const OPENINGS: [&str; 16] = [
    "and", "but", "so", "well", "oh", "actually", "btw", "also", "then", "that", "because", "since", "while", "though",
    "ok", "yeah",
];

/// The person, as the source names them; `None` if the source speaks of the user too, or the text not of the user.
///
/// `spaced`: the words of the text between spaces, in lower case. `clause`: the clause of the source that the text is
/// taken from.
pub(super) fn other_subject(spaced: &str, statement: &Statement<'_>, clause: &str) -> Option<String> {
    let is_user = is_about_user(spaced);
    if !has_predicate(spaced, statement, clause)? && !is_user {
        return None;
    }
    let clause = SourceClause::of(clause);
    if clause.is_of_speaker() {
        return None;
    }
    if let Some(owner) = clause.other_owner(spaced) {
        return Some(owner);
    }
    if let Some(noun) = clause.person_noun() {
        return (!clause.keeps_person(&noun, spaced, statement)).then_some(noun);
    }
    clause.other_name(spaced, is_user)
}

/// Whether a text says that its subject is the user.
fn is_about_user(spaced: &str) -> bool {
    let subject = spaced.strip_prefix(" the ").unwrap_or(spaced.trim_start());
    ["user ", "user's ", "team ", "user s "].iter().any(|word| subject.starts_with(word))
}

/// Whether a text has a label or starts with its verb, so that its subject is the user without being named; `None` if
/// it has no words of content.
fn has_predicate(spaced: &str, statement: &Statement<'_>, clause: &str) -> Option<bool> {
    let first = statement.tokens.iter().find(|t| t.kind != TokenKind::Filler)?;
    // "Bakes every Sunday", of which the source says that another person bakes.
    let opens_with_verb = statement.tokens.first().is_some_and(|t| {
        let low = t.surface.to_lowercase();
        low.ends_with('s') && spaced_words(clause).contains(&format!(" {low} "))
    });
    let text = spaced.trim_start();
    let opens_with_auxiliary =
        ["is", "has", "was", "had", "does", "can"].iter().any(|w| text.starts_with(&format!("{w} ")));
    let opens_with_first = first.kind == TokenKind::Word
        && first.surface.ends_with(['s', 'd'])
        && text.starts_with(&first.surface.to_lowercase());
    Some(statement.label.is_some() || opens_with_auxiliary || opens_with_verb || opens_with_first)
}

/// Whether a text contains a word.
fn says(spaced: &str, word: &str) -> bool {
    spaced.contains(&format!(" {word} "))
}

/// A clause of the source.
struct SourceClause<'c> {
    text: &'c str,
    words: Vec<&'c str>,
    /// The same words in lower case.
    lows: Vec<String>,
    /// The index of the first word that may belong to the subject.
    start: usize,
}

impl<'c> SourceClause<'c> {
    fn of(text: &'c str) -> SourceClause<'c> {
        let words: Vec<&str> =
            text.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric())).collect();
        let lows: Vec<String> = words.iter().map(|w| w.to_lowercase().replace('\u{2019}', "'")).collect();
        let start = lows.iter().take_while(|w| OPENINGS.contains(&w.as_str())).count();
        SourceClause { text, words, lows, start }
    }

    /// Whether the user speaks of themselves.
    fn is_of_speaker(&self) -> bool {
        let is_first_person = |w: &String| {
            matches!(
                w.as_str(),
                "i" | "we"
                    | "me"
                    | "us"
                    | "i'm"
                    | "i've"
                    | "we're"
                    | "we've"
                    | "i'd"
                    | "i'll"
                    | "we'll"
                    | "mine"
                    | "ours"
                    | "myself"
            )
        };
        self.lows.iter().any(is_first_person)
    }

    /// The word that makes the subject another's: "Her brother is a pilot" says nothing of the user's brother; "the
    /// other team" is not the team.
    fn other_owner(&self, spaced: &str) -> Option<String> {
        let leading: Vec<&str> = self.lows.iter().skip(self.start).map(String::as_str).collect();
        if let [owner @ ("his" | "her" | "their"), owned, ..] = leading[..]
            && spaced.contains(&format!(" user's {owned} "))
        {
            return Some(owner.to_owned());
        }
        match leading[..] {
            ["the", other @ "other", ..] | [other @ ("another" | "other"), ..] if !says(spaced, other) => {
                Some(other.to_owned())
            }
            _ => None,
        }
    }

    /// The noun for a person among the first words of the subject: "brother", "my doctor's".
    fn person_noun(&self) -> Option<String> {
        let person = |w: &String| {
            let plain = w.strip_suffix("'s").unwrap_or(w);
            let last = plain.rsplit('-').next().unwrap_or(plain);
            let has = |word: &str| PERSONS.contains(word) || PROFESSIONS.contains(word);
            (has(plain) || has(last)).then(|| plain.to_owned())
        };
        let is_compound = |noun: &String| {
            let next = self.lows.iter().skip_while(|w| w.trim_end_matches("'s") != noun).nth(1);
            next.is_some_and(|word| AFTER_PERSON.contains(word))
        };
        self.lows.iter().skip(self.start).take(4).find_map(person).filter(|noun| !is_compound(noun))
    }

    /// Whether a text names a person too, by the noun, a synonym of it or the name beside it.
    fn keeps_person(&self, noun: &str, spaced: &str, statement: &Statement<'_>) -> bool {
        let single = noun.strip_suffix('s').unwrap_or(noun);
        let names = Statement::of(self.text).tokens;
        let is_name = |w: &str| names.iter().any(|t| t.kind == TokenKind::Name && t.surface == w);
        let mut beside = self.words.iter().skip(self.start).take(5);
        let is_named = beside.any(|w| is_name(w) && says(spaced, &w.to_lowercase()));
        let person = EnglishSources::of_evidence([noun].into_iter());
        let has_synonym = || statement.content().any(|t| person.has_synonym(t));
        spaced.split(' ').any(|w| w.starts_with(single)) || is_named || has_synonym()
    }

    /// The pronoun or name with which the clause starts, if the text does not contain it.
    fn other_name(&self, spaced: &str, is_user: bool) -> Option<String> {
        let opening = self.lows.get(self.start)?.as_str();
        let is_of_person = spaced.split(' ').any(|w| PERSONS.contains(w));
        let is_their = matches!(opening, "he" | "she" | "he's" | "she's" | "his" | "her" | "their");
        if is_their && !is_of_person {
            return Some(opening.to_owned());
        }
        let verb = self.lows.get(self.start + 1)?;
        let word = self.words[self.start];
        let is_name = is_capitalized(word) && !says(spaced, opening) && !is_stopword(opening);
        let is_owned = opening.ends_with("'s") && !says(spaced, opening.trim_end_matches("'s"));
        let is_contraction = matches!(opening, "it's" | "that's" | "what's" | "here's" | "there's" | "let's");
        if is_owned && is_capitalized(word) && is_user && !is_contraction {
            return Some(word.to_owned());
        }
        (is_name && (is_third_person(verb) || REPORTING.contains(verb)) && is_user).then(|| word.to_owned())
    }
}
