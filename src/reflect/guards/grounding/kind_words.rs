//! Which words of an English text only say of what kind a known thing is, or which one is meant: "the game
//! Lanternfall", "the billing service", "the chess club's website".
//!
//! Never frees a quality, a detail of its own (where, when, why), or what tells one thing of a kind from another.

use super::english::{CONTRASTING, EnglishSources, VERBS, base_stem, is_generic_stem};
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::stopwords;
use crate::text::word_list::{WordList, word_list};

const ADJECTIVES: WordList = word_list!("guards/grounding/adjectives.en.txt");
/// Nouns that only say of what kind the thing before them is.
const KIND_NOUNS: WordList = word_list!("guards/grounding/kind_nouns.en.txt");

/// Words before a detail of its own: for what, why, with whom, where, when.
const DETAIL_OPENINGS: [&str; 20] = [
    "for", "because", "since", "as", "with", "without", "by", "during", "after", "before", "while", "due", "on", "in",
    "at", "from", "near", "into", "to", "over",
];

/// Whether a word may say what kind of thing something is: a noun that is neither what is done nor a quality, a detail
/// or a number of something.
pub(super) fn may_name_kind(statement: &Statement<'_>, word: &str) -> bool {
    let tokens = &statement.tokens;
    let Some(at) = tokens.iter().position(|t| t.surface == word).filter(|at| *at > 0) else { return false };
    let before = &tokens[at - 1];
    let low = before.surface.to_lowercase();
    let is_subject = !before.is_owner && (before.kind == TokenKind::Name || is_generic_subject(&low));
    // "On the roof": also before an article.
    let opens_detail =
        tokens[at.saturating_sub(2)..at].iter().any(|t| DETAIL_OPENINGS.contains(&&*t.surface.to_lowercase()));
    let is_form_of_verb = ["ed", "ing", "ly"].iter().any(|end| word.ends_with(end));
    let has_quality = tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Word);
    !is_subject
        && !is_form_of_verb
        && !has_quality
        && !matches!(before.kind, TokenKind::Number | TokenKind::Negation)
        && !opens_detail
}

/// Whether a word says what kind of thing a name is that follows it, or what belongs to the user: "the game
/// Lanternfall", "the user's game".
pub(super) fn names_kind_of_known(statement: &Statement<'_>, word: &str) -> bool {
    let tokens = &statement.tokens;
    let Some(at) = tokens.iter().position(|t| t.surface == word).filter(|at| *at > 0) else { return false };
    let is_form_of_verb = ["ed", "ing", "ly"].iter().any(|end| word.ends_with(end));
    let before = tokens[at - 1].surface.to_lowercase();
    let is_named =
        matches!(&*before, "the" | "a" | "an") && tokens.get(at + 1).is_some_and(|t| t.kind == TokenKind::Name);
    let is_users = matches!(&*before, "user's" | "users" | "user") && tokens[at - 1].is_owner;
    !is_form_of_verb && (is_named || is_users) && !super::scope::is_person(word)
}

/// Whether a word only tells which known group, place or service is meant: a noun between a definite article or an
/// owner and such a noun of the sources. "The chess club's website" for "our club's website"; not an adjective, nor
/// what tells one of a kind from another ("the production database"), nor what a thing is made for or of ("the gas
/// boiler").
pub(super) fn identifies_known(statement: &Statement<'_>, word: &str, sources: &EnglishSources) -> bool {
    let tokens = &statement.tokens;
    let Some(at) = tokens.iter().position(|t| t.surface == word).filter(|at| *at > 0) else { return false };
    let low = word.to_lowercase();
    let is_definite = tokens[at - 1].is_owner || tokens[at - 1].surface.eq_ignore_ascii_case("the");
    let is_group = |t: &StatementToken<'_>| KIND_NOUNS.contains(&t.surface.to_lowercase()) && sources.has_word(&t.key);
    tokens[at].kind == TokenKind::Word
        && is_definite
        && tokens.get(at + 1).is_some_and(is_group)
        && !is_adjective(&low)
        && !CONTRASTING.contains(&low)
        && !super::scope::is_person(&low)
}

/// Whether a noun only says of what kind the word of the sources before it is, in which no other such noun follows it:
/// "the billing service" for "billing".
pub(super) fn follows_known(statement: &Statement<'_>, word: &str, sources: &EnglishSources) -> bool {
    let tokens = &statement.tokens;
    let Some(at) = tokens.iter().position(|t| t.surface == word).filter(|at| *at > 0) else { return false };
    let before = tokens[at - 1].surface.to_lowercase();
    let is_thing = matches!(tokens[at - 1].kind, TokenKind::Word | TokenKind::Name) && !ADJECTIVES.contains(&before);
    let stem = base_stem(&before);
    let said: Vec<usize> = (0..sources.ordered.len()).filter(|&i| sources.ordered[i] == stem).collect();
    let own = || tokens.iter().map(|t| base_stem(&t.surface.to_lowercase()));
    let is_verb = |next: &String| VERBS.contains(next) && !KIND_NOUNS.contains(next);
    let is_free = |next: &String| stopwords::is_stopword(next) || is_generic_stem(next, next) || is_verb(next);
    let has_other = |i: &usize| {
        sources
            .ordered
            .get(i + 1)
            .is_some_and(|next| KIND_NOUNS.contains(next) || !is_free(next) && !own().any(|w| w == *next))
    };
    KIND_NOUNS.contains(&word.to_lowercase()) && is_thing && !said.is_empty() && !said.iter().any(has_other)
}

/// Whether a word is an adjective, or looks like one or like a form of a verb.
fn is_adjective(low: &str) -> bool {
    const ENDINGS: [&str; 18] = [
        "al", "ic", "ous", "ful", "less", "ive", "able", "ible", "ed", "ing", "ish", "ant", "ent", "ary", "ory", "ese",
        "ly", "est",
    ];
    ADJECTIVES.contains(low) || low.len() > 5 && ENDINGS.iter().any(|end| low.ends_with(end))
}

fn is_generic_subject(word: &str) -> bool {
    ["user", "users", "team", "company", "project", "family", "they", "it", "he", "she", "who", "that"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noun_may_say_what_kind_a_known_thing_is_and_no_more() {
        let check = |text: &str, source: &str, is_kind: bool| {
            let (known, statement) = (EnglishSources::of_evidence([source].into_iter()), Statement::of(text));
            let missing = known.unsupported(&statement);
            let is_free =
                |word: &&str| follows_known(&statement, word, &known) || identifies_known(&statement, word, &known);
            assert_eq!(missing.iter().all(is_free), is_kind, "{text} / {source}: {missing:?}");
        };
        check("The billing service is slow", "billing is slow", true);
        check("The billing library is slow", "the billing service is slow", false);
        check("The Oslo office is cold", "the Oslo warehouse is cold", false);
        check("The chess club's newsletter is late", "our club's newsletter is late", true);
        check("The production database is late", "our database is late", false);
        check("The gas boiler is late", "the boiler is late", false);
        check("A chess club is late", "a club is late", false);
    }
}
