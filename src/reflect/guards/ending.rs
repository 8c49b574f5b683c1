//! Decides whether a user says that what a bullet states has ended, is wrong, or should be forgotten: without such a
//! word a removal that a model proposes waits for a person.
//!
//! Never judges what an assistant says, a question, or what the user pasted: the caller passes the user's own words.

use super::evidence::{contains_words, normalize};
use super::possible_contradiction::find_possible_contradiction;
use super::relation::{ChangeEvidence, is_about, shares_content};
use crate::text::contradiction::compare_statements;
use crate::text::sentences::sentences;
use crate::text::statement::Statement;
use crate::text::word_list::{PhraseList, phrase_list};

const ENDED: PhraseList = phrase_list!("guards/ending/ended.en.txt");
const ENDED_HAN: PhraseList = phrase_list!("guards/ending/ended.zh.txt");
const OTHER_FORMS: PhraseList = phrase_list!("guards/ending/other_forms.en.txt");
const AFTER_NEGATION: PhraseList = phrase_list!("guards/ending/after_negation.en.txt");
const REPLACED: PhraseList = phrase_list!("guards/ending/replaced.en.txt");
const REPLACED_HAN: PhraseList = phrase_list!("guards/ending/replaced.zh.txt");
const REQUESTS: PhraseList = phrase_list!("guards/ending/requests.en.txt");
const REQUESTS_HAN: PhraseList = phrase_list!("guards/ending/requests.zh.txt");
const OPENINGS: PhraseList = phrase_list!("guards/ending/openings.en.txt");
const OPEN: PhraseList = phrase_list!("guards/ending/open.en.txt");
const OPEN_HAN: PhraseList = phrase_list!("guards/ending/open.zh.txt");
const NEGATIONS: PhraseList = phrase_list!("guards/ending/negations.en.txt");
const NEGATIONS_HAN: PhraseList = phrase_list!("guards/ending/negations.zh.txt");
const STILL: PhraseList = phrase_list!("guards/ending/still.en.txt");
const STILL_HAN: PhraseList = phrase_list!("guards/ending/still.zh.txt");
const PERSONS: PhraseList = phrase_list!("guards/ending/persons.en.txt");
const PERSONS_HAN: PhraseList = phrase_list!("guards/ending/persons.zh.txt");
const CLAUSES: PhraseList = phrase_list!("guards/ending/clauses.en.txt");
const CLAUSES_HAN: PhraseList = phrase_list!("guards/ending/clauses.zh.txt");
const REFERENCES: PhraseList = phrase_list!("guards/ending/references.en.txt");
const REFERENCES_HAN: PhraseList = phrase_list!("guards/ending/references.zh.txt");
const QUESTIONS_HAN: PhraseList = phrase_list!("guards/ending/questions.zh.txt");
const NO_CHANGE_HAN: PhraseList = phrase_list!("guards/ending/no_change.zh.txt");
const AGREEMENT: PhraseList = phrase_list!("guards/ending/agreement.txt");

/// Words before `used to` that make it a habit.
const BEFORE_USED_TO: [&str; 10] = ["am", "is", "are", "was", "be", "get", "got", "getting", "i'm", "become"];
/// How many words, or Chinese characters, before a verb may deny it.
const DENIAL_REACH: usize = 3;
/// A clause of at most this many words refers to what was said before it: "but I stopped".
const SHORT_CLAUSE_WORDS: usize = 4;
/// An answer to a question of the assistant has at most this many characters.
const MAX_ANSWER_CHARS: usize = 60;

/// What a removal is judged by.
pub struct EndingEvidence<'a> {
    /// The quote of the proposal.
    pub quote: &'a str,
    /// What the user wrote in the turn with the quote, without what was pasted.
    pub own: &'a str,
    /// The turns just before, the latest last.
    pub earlier: &'a [&'a str],
    /// The turn before, if the assistant wrote it.
    pub question: Option<&'a str>,
}

/// Whether the user's words around the quote say that a bullet no longer holds, or ask to forget it.
pub fn is_said_to_end(bullet: &str, evidence: &EndingEvidence<'_>) -> bool {
    let all = sentences(evidence.own);
    let quoted = quoted_sentences(&all, evidence.quote);
    let clauses: Vec<EndingClause> = quoted.iter().filter(|s| !is_question(s)).flat_map(|s| clauses(s)).collect();
    let goes_on =
        |clause: &EndingClause| clause.has(STILL, STILL_HAN) && !clause.ends() && clause.is_about(bullet, &[]);
    if clauses.iter().any(goes_on) {
        return false;
    }
    let start = quoted.first().and_then(|first| all.iter().position(|s| s == first)).unwrap_or_default();
    let mut before: Vec<&str> = evidence.earlier.to_vec();
    before.extend(&all[..start]);
    let said: Vec<&str> = clauses.iter().map(|clause| clause.text.as_str()).collect();
    let is_ended = |(n, clause): (usize, &EndingClause)| {
        let context: Vec<&str> = before.iter().copied().chain(said[..n].iter().copied()).collect();
        clause.says_end_of(bullet, &context)
    };
    clauses.iter().enumerate().any(is_ended) || is_agreed(bullet, evidence)
}

/// Whether a short answer agrees to a question of the assistant about forgetting the bullet.
fn is_agreed(bullet: &str, evidence: &EndingEvidence<'_>) -> bool {
    let Some(question) = evidence.question else { return false };
    let answer = normalize(evidence.own);
    let agrees = |word: &str| {
        if word.is_ascii() {
            answer.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        } else {
            answer.starts_with(word)
        }
    };
    let is_short = answer.chars().count() <= MAX_ANSWER_CHARS && !is_question(evidence.own);
    is_short
        && !is_negated(&answer)
        && AGREEMENT.iter().any(agrees)
        && sentences(question).into_iter().filter(|s| is_question(s)).flat_map(clauses).any(|clause| {
            let asks = clause.ends() || has_any(&clause.text, REQUESTS) || contains_any(&clause.text, REQUESTS_HAN);
            asks && clause.is_about(bullet, &[])
        })
}

/// The sentences that a quote is from.
fn quoted_sentences<'a>(all: &[&'a str], quote: &str) -> Vec<&'a str> {
    let parts: Vec<String> = sentences(quote).into_iter().map(plain).collect();
    let is_quoted = |sentence: &&&str| {
        let sentence = plain(sentence);
        parts.iter().any(|part| contains_words(&sentence, part) || contains_words(part, &sentence))
    };
    all.iter().filter(is_quoted).copied().collect()
}

fn plain(text: &str) -> String {
    let text = normalize(text);
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

fn is_question(sentence: &str) -> bool {
    let text = sentence.trim_end_matches(['"', '\'', ')', ' ', '”', '」', '…', '。', '.']);
    text.ends_with(['?', '？', '吗', '呢']) || contains_any(text, QUESTIONS_HAN)
}

/// A clause in lower case, with plain quotation marks.
struct EndingClause {
    text: String,
}

/// The clauses of a sentence.
fn clauses(sentence: &str) -> Vec<EndingClause> {
    let mut text = normalize(sentence);
    for start in CLAUSES_HAN {
        text = text.replace(start, &format!("，{start}"));
    }
    for start in CLAUSES {
        text = text.replace(&format!(" {start} "), &format!(", {start} "));
    }
    let parts = text.split([',', ';', ':', '，', '；', '：', '、', '。', '!', '?', '(', ')']);
    let clause = |part: &str| EndingClause { text: part.trim_matches([' ', '.', '-', '"']).to_owned() };
    parts.map(clause).filter(|clause| !clause.text.is_empty()).collect()
}

impl EndingClause {
    fn has(&self, english: PhraseList, han: PhraseList) -> bool {
        has_any(&self.text, english) || contains_any(&self.text, han)
    }

    fn is_about(&self, bullet: &str, earlier: &[&str]) -> bool {
        text_is_about(&self.text, bullet, earlier)
    }

    /// Whether it says that something ended, whatever it is.
    fn ends(&self) -> bool {
        self.has_end() || self.replaced_parts().is_some()
    }

    /// Whether it says that the bullet ended; `before` is what was said just before.
    fn says_end_of(&self, bullet: &str, before: &[&str]) -> bool {
        if self.has(OPEN, OPEN_HAN) || self.is_about_another_person(bullet) {
            return false;
        }
        if let Some((gone, new)) = self.replaced_parts() {
            return text_is_about(gone, bullet, &[]) && !shares_content(bullet, [new].into_iter());
        }
        if self.has_end() || self.is_request() {
            return self.is_about(bullet, before) || self.refers() && before_is_about(bullet, before);
        }
        // "I haven't given it up" denies the end.
        let names_end = self.has(ENDED, ENDED_HAN) || self.has(OTHER_FORMS, REQUESTS_HAN);
        !names_end && self.denies(bullet)
    }

    fn has_end(&self) -> bool {
        ENDED.iter().any(|phrase| self.says(phrase))
            || is_negated(&self.text) && AFTER_NEGATION.iter().any(|phrase| find_phrase(&self.text, phrase).is_some())
            || self.says_used_to()
            || ENDED_HAN.iter().any(|phrase| self.says_han(phrase))
            || self.has_han_change()
    }

    /// Whether a phrase stands here and is not denied.
    fn says(&self, phrase: &str) -> bool {
        find_phrase(&self.text, phrase).is_some_and(|at| !is_denied(&self.text[..at]))
    }

    fn says_han(&self, phrase: &str) -> bool {
        self.text.find(phrase).is_some_and(|at| !is_denied_han(&self.text[..at]))
    }

    fn says_used_to(&self) -> bool {
        find_phrase(&self.text, "used to")
            .is_some_and(|at| words(&self.text[..at]).last().is_none_or(|word| !BEFORE_USED_TO.contains(word)))
    }

    /// `不喝咖啡了`, `没有车了`: a negation, and the particle of change at the end.
    fn has_han_change(&self) -> bool {
        let body = self.text.trim_end_matches(['啦', '的', '。']);
        let is_changed = body.ends_with('了') || self.text.ends_with('啦');
        is_changed && body.contains(['不', '没']) && !contains_any(body, NO_CHANGE_HAN)
    }

    /// What went and what took its place, if the clause says so.
    fn replaced_parts(&self) -> Option<(&str, &str)> {
        let said = REPLACED.iter().any(|verb| self.says(verb));
        let ends = [" to ", " with ", " by ", " over to "];
        let english = || ends.iter().filter_map(|end| self.text.find(end)).min();
        let han = || REPLACED_HAN.iter().filter(|verb| self.says_han(verb)).find_map(|verb| self.text.find(verb));
        said.then(english).flatten().or_else(han).map(|at| self.text.split_at(at))
    }

    fn is_request(&self) -> bool {
        let mut rest = self.text.as_str();
        while let Some(more) = OPENINGS.iter().find_map(|word| rest.strip_prefix(word)?.strip_prefix(' ')) {
            rest = more;
        }
        let starts = |verb: &str| rest.strip_prefix(verb).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        REQUESTS.iter().any(starts) || REQUESTS_HAN.iter().any(|verb| self.says_han(verb))
    }

    fn refers(&self) -> bool {
        let is_short = self.text.is_ascii() && words(&self.text).len() <= SHORT_CLAUSE_WORDS;
        is_short || self.has(REFERENCES, REFERENCES_HAN)
    }

    /// Whether it denies the bullet itself: "I don't like tea".
    fn denies(&self, bullet: &str) -> bool {
        let (new, old) = (Statement::of(&self.text), Statement::of(bullet));
        (is_negated(&self.text) || self.text.contains(['不', '没']))
            && self.is_about(bullet, &[])
            && (compare_statements(&new, &old).is_some()
                || find_possible_contradiction(&self.text, [bullet].into_iter()).is_some())
    }

    /// Whether it tells of a person of whom the bullet tells nothing.
    fn is_about_another_person(&self, bullet: &str) -> bool {
        let low = bullet.to_lowercase();
        let words = words(&self.text);
        let named =
            words.windows(2).find(|pair| matches!(pair[0], "my" | "our") && PERSONS.iter().any(|p| p == pair[1]));
        let is_subject = |pair: &[&str]| self.text.trim_start_matches("and ").starts_with(&pair.join(" "));
        let han = PERSONS_HAN.iter().find(|person| self.text.contains(person));
        named.is_some_and(|pair| is_subject(pair) && !low.contains(pair[1])) || han.is_some_and(|p| !low.contains(p))
    }
}

fn text_is_about(text: &str, bullet: &str, earlier: &[&str]) -> bool {
    is_about(bullet, &ChangeEvidence { quote: text, turns: &[text], earlier, new_texts: &[] })
}

fn before_is_about(bullet: &str, before: &[&str]) -> bool {
    before.iter().any(|text| text_is_about(text, bullet, &[]))
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect()
}

/// Where a phrase stands in a text, as whole words. A phrase with `$` stands at its end.
fn find_phrase(text: &str, phrase: &str) -> Option<usize> {
    let (phrase, at_end) = phrase.strip_suffix('$').map_or((phrase, false), |phrase| (phrase, true));
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '\'');
    text.match_indices(phrase).map(|(at, _)| at).find(|at| {
        let rest = &text[at + phrase.len()..];
        !is_letter(text[..*at].chars().next_back()) && !is_letter(rest.chars().next()) && (!at_end || rest.is_empty())
    })
}

fn has_any(text: &str, list: PhraseList) -> bool {
    list.iter().any(|phrase| find_phrase(text, phrase).is_some())
}

fn contains_any(text: &str, list: PhraseList) -> bool {
    list.iter().any(|phrase| text.contains(phrase))
}

fn is_negation(word: &&str) -> bool {
    NEGATIONS.iter().any(|negation| negation == *word)
}

fn is_negated(text: &str) -> bool {
    words(text).iter().any(is_negation)
}

fn is_denied(before: &str) -> bool {
    words(before).iter().rev().take(DENIAL_REACH).any(is_negation)
}

fn is_denied_han(before: &str) -> bool {
    let tail: Vec<char> = before.chars().rev().take(DENIAL_REACH + 1).collect();
    let tail: String = tail.into_iter().rev().collect();
    contains_any(&tail, NEGATIONS_HAN)
}

#[cfg(test)]
mod tests;
