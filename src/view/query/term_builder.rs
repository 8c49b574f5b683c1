//! Reads a query: its words with their spellings and other forms, its dates, and whether it contains "when" or asks for
//! what is newest.
//!
//! Never leaves a word out silently: what is too much is counted.

use std::borrow::Cow;
use std::collections::HashSet;

use jiff::civil::Date;

use super::terms::{QueryTerm, QueryTerms, TermAlternative};
use crate::text::dates::find_dates;
use crate::text::function_word_names::names_in_question;
use crate::text::language::{DetectedLanguage, Language, detect_language};
use crate::text::search_terms::search_term;
use crate::text::spelling;
use crate::text::stopwords::is_stop_ngram;
use crate::text::strip_diacritics::compose_characters;
use crate::text::words;
use crate::text::words::TextWord;

/// Search terms (stems) that imply a label of episode entries: a query for "bug" also searches for `- Problem:`.
const IMPLIED_LABELS: [(&[&str], &str); 6] = [
    (&["bug", "issu", "error", "defect", "glitch"], "problem"),
    (&["fix", "solv", "resolv", "repair", "mend"], "solut"),
    (&["learn"], "lesson"),
    (&["错误", "故障", "缺陷", "漏洞"], "问题"),
    (&["修", "修复", "解决"], "解决"),
    (&["学到", "学会"], "教训"),
];
/// Weight of what is implied, relative to a term of the query.
const IMPLIED_WEIGHT: f64 = 0.5;

/// Words that ask for what is newest, in lower case.
const LATEST_PHRASES: [&str; 9] =
    ["last time", "most recent", "most recently", "latest", "newest", "recently", "上次", "最近", "最新"];

/// Maximum number of different words of a query; in scripts without spaces, of characters and pairs of them. What is
/// beyond is left out, and the result says so. What the words imply does not count, and may be as much again.
const MAX_TERMS: usize = 1024;

impl QueryTerms {
    /// The query for one token of a text, and nothing that it implies.
    pub fn of_token(token: &str, language: Option<Language>) -> QueryTerms {
        let mut terms = QueryTerms::unindexed(language);
        terms.all.push(QueryTerm::new(token));
        terms.index_tokens();
        terms
    }

    /// Reads a query; `today` resolves words such as "yesterday".
    pub fn parse(question: &str, today: Date) -> QueryTerms {
        QueryTerms::parse_with(question, today, || DetectedLanguage::Unknown)
    }

    /// Like [`QueryTerms::parse`]; `language` tells the language of the memory, and is asked only if the query does
    /// not.
    pub fn parse_with(question: &str, today: Date, language: impl FnOnce() -> DetectedLanguage) -> QueryTerms {
        let language = match detect_language(question) {
            DetectedLanguage::Unknown => language(),
            known => known,
        };
        let mut builder = TermBuilder {
            terms: QueryTerms::unindexed(language.other()),
            words: 0,
            left_out: HashSet::new(),
            drops_stopwords: true,
        };
        let composed = compose_characters(question);
        builder.add_words(&composed);
        if builder.terms.all.is_empty() {
            builder.drops_stopwords = false;
            builder.add_words(&composed);
        }
        if builder.terms.language.is_none() {
            builder.add_function_word_names(&composed);
        }
        builder.add_implied_labels();
        let mut terms = builder.terms;
        terms.left_out = builder.left_out.len();
        terms.contains_when = words(question).any(|w| w.text == "when");
        terms.asks_for_latest = asks_for_latest(question);
        for date in find_dates(question, Some(today)) {
            date.for_each_term(|term| {
                terms.has_dates = true;
                match terms.all.iter_mut().find(|known| known.text == term) {
                    Some(known) => known.weight += 1.0,
                    None => terms.all.push(QueryTerm::new(&term)),
                }
            });
        }
        terms.index_tokens();
        terms
    }
}

struct TermBuilder {
    terms: QueryTerms,
    /// How many terms are words of the query, and not implied.
    words: usize,
    /// The words for which there was no more room.
    left_out: HashSet<String>,
    /// Whether function words are left out.
    drops_stopwords: bool,
}

impl TermBuilder {
    /// Adds the words of a question.
    fn add_words(&mut self, question: &str) {
        // Where the words start that belong to a number or a name before them.
        let mut done = 0;
        for word in words(question) {
            if word.is_ngram {
                if !(self.drops_stopwords && is_stop_ngram(&word.text)) {
                    self.add(&word.text);
                }
            } else if word.at >= done {
                let number = self.add_acronym(question, &word).or_else(|| self.add_number(question, &word));
                done = number.or_else(|| self.add_joined(question, &word)).unwrap_or(word.at);
                if done == word.at {
                    self.add_word(&word);
                }
            }
        }
        for c in question.chars().filter(|c| !c.is_ascii() && spelling::is_emoji(*c)) {
            self.terms.has_emoji = true;
            self.add(c.encode_utf8(&mut [0; 4]));
        }
    }

    /// Adds a word, or the parts of one in camel case.
    fn add_word(&mut self, word: &TextWord<'_>) {
        let lower = &*word.text;
        let mut parts = spelling::word_parts(word.surface).map(str::to_ascii_lowercase).peekable();
        let is_camel_case = || word.surface.bytes().all(|b| b.is_ascii_alphabetic());
        if parts.peek().is_none() {
            self.add_plain_word(lower);
            if let Some(dotted) = spelling::dotted_acronym(word.surface)
                && let Some(term) = self.terms.all.iter_mut().find(|term| term.word.as_deref() == Some(lower))
            {
                term.patterns.push(dotted);
            }
        } else if is_camel_case() {
            parts.for_each(|part| self.add_plain_word(&part));
            self.add_implied(lower, 1.0);
        } else {
            self.add_plain_word(lower);
            parts
                .filter(|part| part.len() >= MIN_PART_LETTERS)
                .for_each(|part| self.add_implied(&part, IMPLIED_WEIGHT));
        }
    }

    fn add_plain_word(&mut self, word: &str) {
        let language = self.terms.language;
        if self.drops_stopwords && language.is_some_and(|language| language.is_stopword(word)) {
            return;
        }
        let Some(term) = search_term(word) else { return };
        let Some(term) = self.add(&term) else { return };
        if let Some(language) = language {
            self.add_alternative(term, language.search_term(word));
        }
        let others = [spelling::ise_or_ize(word).map(Cow::Owned), spelling::umlaut_spelling(word)];
        for other in others.iter().flatten().filter_map(|other| search_term(other)) {
            self.add_alternative(term, other.into_owned());
        }
        self.terms.all[term].word.get_or_insert_with(|| word.to_owned());
        let patterns = &mut self.terms.all[term].patterns;
        // Of `emails` the singular.
        let hyphenated = spelling::hyphenated(word).or_else(|| spelling::hyphenated(word.strip_suffix('s')?));
        patterns.extend(hyphenated.map(str::to_owned));
        patterns.extend(spelling::grouped_digits(word));
    }

    /// Adds an abbreviation that is a function word in lower case, `US` or `U.S.`; returns where it ends.
    fn add_acronym(&mut self, question: &str, word: &TextWord<'_>) -> Option<usize> {
        let (acronym, end) = spelling::function_word_acronym(question, word)?;
        self.add(&acronym);
        Some(end)
    }

    /// Adds a number with separators at a word, as one term; returns where it ends.
    fn add_number(&mut self, question: &str, word: &TextWord<'_>) -> Option<usize> {
        let number = spelling::separated_number(&question[word.at..])?;
        let (first, others) = number.meanings.split_first()?;
        if let Some(term) = self.add(first) {
            others.iter().for_each(|other| self.add_alternative(term, other.clone()));
            let mut patterns: Vec<String> =
                number.meanings.iter().flat_map(|text| spelling::grouped_digits(text)).collect();
            // A decimal comma; the term itself has a point.
            patterns.extend(number.meanings.iter().filter(|text| text.contains('.')).cloned());
            patterns.extend((first.matches('.').count() == 1).then(|| first.replace('.', ",")));
            self.terms.all[term].patterns.extend(patterns);
        }
        // Of a version, the one without its last part is better than nothing.
        if let Some((shorter, _)) = first.rsplit_once('.').filter(|(shorter, _)| shorter.contains('.')) {
            self.add_implied(shorter, IMPLIED_WEIGHT);
        }
        Some(word.at + number.length)
    }

    /// Adds a name of several parts (`node.js`, `pre-commit`) at a word as one implied term; its parts are added as
    /// words. With a part of one letter (`e-mail`) it is one word, and its end is returned.
    fn add_joined(&mut self, question: &str, word: &TextWord<'_>) -> Option<usize> {
        let name = spelling::joined_names(question, word).last()?;
        if name.shortest_part > 1 {
            self.add_implied(&name.text, IMPLIED_WEIGHT);
            return None;
        }
        self.add_plain_word(&name.text);
        let written = &question[word.at..name.end];
        let is_name = |term: &&mut QueryTerm| term.word.as_deref() == Some(&*name.text);
        if let Some(term) = self.terms.all.last_mut().filter(is_name) {
            term.patterns.push(written.to_lowercase());
            // `6_8_12` is a version, too.
            if written.bytes().all(|b| b.is_ascii_digit() || b == b'_') {
                let term = self.terms.all.len() - 1;
                self.add_alternative(term, written.replace('_', "."));
            }
        }
        if let Some((name, number)) = spelling::named_version(written) {
            self.add_implied(&name, 1.0);
            self.add_implied(&number, 1.0);
            // `OAuth2.0` is `OAuth2`, `TLS1.3` is no `TLS1`.
            number.strip_suffix(".0").iter().for_each(|number| self.add_implied(&format!("{name}{number}"), 1.0));
        }
        Some(name.end)
    }

    /// Adds names that are function words in lower case (`Will`). They stay function words otherwise: only where they
    /// have a capital does a text contain them.
    fn add_function_word_names(&mut self, question: &str) {
        for name in names_in_question(question) {
            self.terms.has_function_word_names = true;
            self.add(&name);
        }
    }

    fn add_implied_labels(&mut self) {
        for (words, label) in IMPLIED_LABELS {
            if words.iter().any(|word| self.position(word).is_some()) {
                self.add_implied(label, IMPLIED_WEIGHT);
            }
        }
    }

    /// Adds a word that the query implies, unless it is there.
    fn add_implied(&mut self, word: &str, weight: f64) {
        let term = search_term(word).unwrap_or(Cow::Borrowed(word));
        if self.position(&term).is_none() && self.terms.all.len() - self.words < MAX_TERMS {
            self.terms.all.push(QueryTerm { weight, implied: true, ..QueryTerm::new(&term) });
        }
    }

    /// Adds another form of the same word to a term.
    fn add_alternative(&mut self, term: usize, text: String) {
        let term = &mut self.terms.all[term];
        if !term.has(&text) {
            term.alternatives.push(TermAlternative { text, is_same_word: true });
        }
    }

    /// Adds an occurrence of a token, and returns its term; `None` if there are too many.
    fn add(&mut self, token: &str) -> Option<usize> {
        let known = self.position(token);
        let terms = &mut self.terms.all;
        match known {
            // What was implied before is a word of the query now.
            Some(known) if terms[known].implied => {
                self.words += 1;
                (terms[known].implied, terms[known].weight) = (false, 1.0);
            }
            Some(known) => terms[known].weight += 1.0,
            None if self.words < MAX_TERMS => {
                self.words += 1;
                terms.push(QueryTerm::new(token));
            }
            None => {
                self.left_out.insert(token.to_owned());
                return None;
            }
        }
        Some(known.unwrap_or(terms.len() - 1))
    }

    fn position(&self, token: &str) -> Option<usize> {
        self.terms.all.iter().position(|term| term.has(token))
    }
}

/// With fewer letters a part of a word says nothing: `v2`, `mp3`.
const MIN_PART_LETTERS: usize = 3;

fn asks_for_latest(question: &str) -> bool {
    let lower = question.to_lowercase();
    let words: Vec<_> = words(&lower).map(|word| word.text).collect();
    let spaced = format!(" {} ", words.join(" "));
    LATEST_PHRASES
        .iter()
        .any(|phrase| if phrase.is_ascii() { spaced.contains(&format!(" {phrase} ")) } else { lower.contains(phrase) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_words_ask_for_what_is_newest() {
        for asking in ["What bug did we fix last time?", "the LATEST decision", "most  recent trip", "上次修了什么错误"]
        {
            assert!(asks_for_latest(asking), "{asking}");
        }
        for other in ["How long does it last?", "time zone", "recent bugs", "translatest", "The last timer"] {
            assert!(!asks_for_latest(other), "{other}");
        }
    }

    fn check(question: &str, expected: &str) {
        let terms = QueryTerms::parse(question, Date::constant(2026, 2, 24));
        let to_text = |t: &QueryTerm| if t.implied { format!("({})", t.text) } else { t.text.clone() };
        assert_eq!(terms.all.iter().map(to_text).collect::<Vec<_>>().join(" "), expected, "{question}");
    }

    #[test]
    fn a_query_for_a_bug_implies_a_problem() {
        check("what bug did we fix", "bug fix (problem) (solut)");
        check("solved issues and problems", "solv issu problem (solut)");
        check("Zhang San", "zhang san");
        check("bug in the problem list", "bug problem list");
        check("修了", "修 修了 (解决)");
    }

    #[test]
    fn names_and_numbers_have_several_spellings() {
        check("parseConfigFile", "pars config file (parseconfigfil)");
        check("node.js and the e-mail", "(nodej) node js email");
        check("TLS 1.3, 1,250 people", "tls 1.3 1250 peopl");
        check("version v2.14.0", "version 2.14.0 (2.14)");
        check("OAuth2 🎉", "oauth2 (oauth) 🎉");
        check("TLSv1.3", "tlsv13 (tls) (1.3)");
        check("TLS1.3", "tls13 (tls) (1.3)");
        check("OAuth2.0", "oauth20 (oauth) (2.0) (oauth2)");
        check("6_8_12", "6812");
        check("US office, for us", "us offic");
        check("U.S. law", "us law");
        check("H₂O in the ﬁle", "h2o file");
    }

    #[test]
    fn function_words_of_the_question_are_left_out() {
        check("Wer gießt die Blumen?", "giesst blumen");
        check("请问你的生日是哪一天？", "的生 生 生日 日 日是 一天 天");
        check("这是什么", "这 这是 是 是什 什 什么 么");
        check("Does Will sail?", "sail will");
        check("The Who", "the who");
        let long: String = ('\u{4e00}'..'\u{5000}').chain('\u{5000}'..'\u{5300}').collect();
        let terms = QueryTerms::parse(&long, Date::constant(2026, 2, 24));
        assert_eq!(terms.all.iter().filter(|term| !term.implied).count(), MAX_TERMS);
        assert!(terms.left_out > 500);
    }
}
