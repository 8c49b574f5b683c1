//! Checks that a memory has one fact: no clauses joined by a semicolon or "and also", no second label, no second topic
//! of a person's life.
//!
//! Never parses sentences: two facts in words missing from the lists pass as one.

mod chinese;

use std::collections::HashSet;

use std::sync::LazyLock;

use super::{GuardFinding, GuardText, MemoryKind, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, has_unspaced_script, is_capitalized, matched_text, word_tokens};
use crate::text::prose_mask::split_label;
use crate::text::sentences;
use crate::text::statement::{Statement, StatementToken};
use crate::text::verbs::{self, is_third_person};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

static CONJUNCTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/facts/conjunctions.en.txt"));
/// Verbs for the topics of a person's life, one row per topic. Verbs of two rows in one text are two facts.
static LIFE_TOPICS: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("guards/facts/life_topics.en.txt")));
/// The part of a text that shows a second fact.
pub fn check_single_fact(input: &GuardText<'_>, kind: MemoryKind) -> Option<GuardFinding> {
    let finding = |what: &str| Some(GuardFinding::new(Violation::ManyFacts, what));
    if let Some(what) = second_label(input.prose) {
        return finding(what);
    }
    let enumerates = |first: &str, second: &str| input.prose.contains(first) && input.prose.contains(second);
    if enumerates("1)", "2)") || enumerates("1）", "2）") || enumerates("①", "②") {
        return finding("2)");
    }
    // "Uses Terraform; Pulumi was too slow" gives a reason.
    let is_reason = |at: usize| input.prose[at..].contains(" too ") || input.prose[at..].contains('太');
    if let Some(at) = semicolon_at(input.prose).filter(|at| !goes_on(input.prose, *at) && !is_reason(*at)) {
        let rest = &input.prose[at..];
        return finding(rest.char_indices().nth(25).map_or(rest, |(n, _)| &rest[..n]));
    }
    for (i, (sentence, tokens)) in input.english_sentences().enumerate() {
        let joined = CONJUNCTIONS.find(tokens).filter(|r| i > 0 || tokens[r.start].text != "user");
        if let Some(range) = joined {
            return finding(matched_text(sentence, tokens, range));
        }
        if kind != MemoryKind::Fact {
            continue;
        }
        if let Some(range) = second_clause(tokens).or_else(|| second_subject(tokens)) {
            return finding(matched_text(sentence, tokens, range));
        }
        if let Some(range) = third_predicate(sentence, tokens) {
            return finding(matched_text(sentence, tokens, range));
        }
        // A bullet about the user may begin with its verb.
        if tokens.first().is_some_and(|token| is_third_person(&token.text) || token.text == "is") {
            let subject = WordToken { text: "user".to_owned(), surface: "", at: 0 };
            let verb = WordToken { surface: "", ..tokens[0].clone() };
            let with_subject: Vec<_> = [subject, verb].into_iter().chain(tokens[1..].iter().cloned()).collect();
            if let Some(range) = second_clause(&with_subject) {
                return finding(matched_text(sentence, tokens, range.start - 1..range.end - 1));
            }
        }
    }
    if let Some(what) = third_clause(input.prose).filter(|_| kind == MemoryKind::Fact) {
        return finding(what);
    }
    if let Some(what) = second_user_sentence(input).filter(|_| kind == MemoryKind::Fact) {
        return finding(what);
    }
    if input.han
        && let Some(what) = chinese::second_fact(input.prose, kind)
    {
        return finding(what);
    }
    (kind == MemoryKind::Fact && count_topics(input) > 1).then(|| GuardFinding::new(Violation::ManyFacts, ""))
}

/// Whether a short text of several facts is one sentence with what a quote says in one breath: "Tomek owns the scripts, I
/// own the docs". Each part must have words of the quote.
pub fn are_said_together(text: &str, quote: &str) -> bool {
    let is_han = has_unspaced_script(text);
    let (most, least_shared) = if is_han { (MAX_TOGETHER_HAN, 2) } else { (MAX_TOGETHER, 1) };
    let is_single = |text: &str, most: usize| sentences::sentences(text).len() <= most;
    let said = Statement::of(quote);
    let shares = |part: &str| {
        let part = Statement::of(part);
        let is_said = |t: &&StatementToken<'_>| said.tokens.iter().any(|one| one.key == t.key);
        part.content().filter(is_said).count() >= least_shared
    };
    let parts: Vec<&str> = text.split([';', '；', '，']).filter(|part| !part.trim().is_empty()).collect();
    text.chars().count() <= most
        && is_single(text, 1)
        && is_single(quote, MAX_QUOTED)
        && parts.len() <= MAX_PARTS
        && second_label(text).is_none()
        && third_clause(text).is_none()
        && third_predicate(text, &word_tokens(text)).is_none()
        && parts.into_iter().all(shares)
}

/// The longest text of facts that are said together, in characters: English and the like, Chinese.
const MAX_TOGETHER: usize = 140;
const MAX_TOGETHER_HAN: usize = 48;
/// The most parts of such a text.
const MAX_PARTS: usize = 2;
/// The most sentences of their quote.
const MAX_QUOTED: usize = 2;

/// The third clause with a subject of its own: "the editor is Helix, the shell is fish, and the user was born in 1980".
fn third_clause(prose: &str) -> Option<&str> {
    let states = |piece: &&str| {
        let words = word_tokens(piece.strip_prefix("and ").unwrap_or(piece));
        let subject = words.first().is_some_and(|t| matches!(t.text.as_str(), "the" | "user" | "a"));
        let verb =
            |t: &WordToken<'_>| matches!(t.text.as_str(), "is" | "are" | "was" | "has") || is_third_person(&t.text);
        subject && words.iter().take(5).skip(1).any(verb)
    };
    prose.split([',', ';']).map(str::trim).filter(states).nth(2)
}

/// A second sentence that starts with the user like the first and has no word in common with it.
fn second_user_sentence<'a>(input: &GuardText<'a>) -> Option<&'a str> {
    let [(first, words), (second, others)] = input.sentences.as_slice() else { return None };
    let long = |t: &&WordToken<'_>| t.text.len() > 3 && t.text != "user";
    let starts_with_user =
        |words: &[WordToken<'_>]| words.iter().find(|t| t.text != "the").is_some_and(|t| t.text == "user");
    let refers_back = |t: &WordToken<'_>| {
        matches!(t.text.as_str(), "it" | "this" | "that" | "these" | "them" | "there" | "then" | "such" | "because")
    };
    let shared = words.iter().filter(long).any(|t| others.iter().any(|o| o.text == t.text));
    let english = starts_with_user(words) && starts_with_user(others) && !shared && !others.iter().any(refers_back);
    let han_chars =
        |s: &str| s.strip_prefix("用户").map(|rest| rest.chars().filter(|c| is_unspaced(*c)).collect::<Vec<char>>());
    let han = match (han_chars(first), han_chars(second)) {
        (Some(a), Some(b)) => !a.windows(2).any(|pair| b.windows(2).any(|other| pair == other)),
        _ => false,
    };
    // "The repo is on Codeberg. The user is on call in May.": two subjects with nothing in common.
    let starts_with_the =
        |words: &[WordToken<'_>]| words.first().is_some_and(|t| matches!(t.text.as_str(), "the" | "user"));
    // "The daughter studies law": a plural behind the noun of the subject is its verb.
    let is_verb = |t: &WordToken<'_>| t.text.len() > 3 && t.text.ends_with('s') && !t.text.ends_with("ss");
    let states = |words: &[WordToken<'_>]| {
        words.iter().skip(1).take(4).any(|t| is_finite(&t.text)) || words.len() > 3 && is_verb(&words[2])
    };
    let opens =
        |words: &[WordToken<'_>]| starts_with_the(words) || words.first().is_some_and(|t| is_third_person(&t.text));
    let other = opens(words) && starts_with_the(others) && states(others) && !shared && !others.iter().any(refers_back);
    (english || han || other).then_some(second)
}

/// Whether a word is a finite verb that states something.
fn is_finite(word: &str) -> bool {
    matches!(word, "is" | "are" | "was" | "were" | "has" | "have" | "had")
        || is_third_person(word)
        || verbs::is_past_verb(word)
}

/// The tokens from "and" to the verb of a second clause with a subject of its own: "The shop opens at nine and the user
/// has asthma". Not if it goes back to the first one.
fn second_subject(tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    const LINKS: [&str; 14] = [
        "because", "so", "when", "that", "if", "who", "which", "where", "between", "both", "how", "what", "whether",
        "while",
    ];
    const BACK: [&str; 14] =
        ["it", "them", "its", "their", "there", "then", "this", "these", "one", "both", "him", "her", "other", "rest"];
    let word = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    let is_verb = |i: usize| {
        matches!(word(i), "is" | "are" | "was" | "were" | "has" | "have" | "had")
            || is_third_person(word(i))
                && (i == 0 || !is_capitalized(tokens[i].surface))
                && !verbs::is_noun_marker(word(i.saturating_sub(1)))
            || verbs::is_past_verb(word(i)) && !verbs::is_noun_marker(word(i.saturating_sub(1)))
    };
    let and = (1..tokens.len()).find(|&i| word(i) == "and" && matches!(word(i + 1), "the" | "user"))?;
    let first = (0..and).find(|&i| is_verb(i))?;
    let start = if word(and + 1) == "the" { and + 2 } else { and + 1 };
    let verb = (start + 1..tokens.len().min(start + 5)).find(|&i| is_verb(i))?;
    let long = |t: &WordToken<'_>| t.text.len() > 3 && t.text != "user";
    let shared = tokens[..and].iter().filter(|t| long(t)).any(|t| tokens[and..].iter().any(|o| o.text == t.text));
    let is_linked =
        (0..and).any(|i| LINKS.contains(&word(i))) || tokens[and..].iter().any(|t| BACK.contains(&t.text.as_str()));
    (first < and && !shared && !is_linked).then_some(and..verb + 1)
}

/// The tokens of the third of three predicates without subjects: "Reads novels, is left-handed and leads the group".
fn third_predicate(sentence: &str, tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    let opens = |i: usize| {
        let word = tokens[i].text.as_str();
        matches!(word, "is" | "has") || is_third_person(word) && !is_capitalized(tokens[i].surface)
    };
    let starts: Vec<usize> = (1..tokens.len())
        .filter(|&i| {
            let gap = &sentence[tokens[i - 1].at + tokens[i - 1].surface.len()..tokens[i].at];
            (gap.contains(',') || tokens[i - 1].text == "and") && opens(i)
        })
        .collect();
    let first = tokens.iter().take(3).any(|t| matches!(&*t.text, "is" | "has") || is_third_person(&t.text));
    let has_comma = starts.first().is_some_and(|&i| tokens[i - 1].text != "and");
    (first && has_comma && starts.len() >= 2).then(|| starts[1].saturating_sub(1)..starts[1] + 1)
}

/// A second clause with its own subject ("and Bo plays the oboe"), or a second activity of the user that does not refer
/// to the first (not "knits socks and gives them away"). Returns token indices.
fn second_clause(tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    const LINKS: [&str; 8] = ["because", "so", "when", "that", "if", "who", "which", "where"];
    const BACK: [&str; 12] =
        ["it", "them", "its", "their", "there", "then", "this", "these", "one", "both", "him", "her"];
    let verbs = verbs::present_verbs(tokens);
    let word = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    let (first, rest) = verbs.split_first()?;
    rest.iter().find_map(|second| {
        let between = first + 1..*second;
        let and = between.clone().rfind(|i| matches!(word(*i), "and" | "but" | "while" | "whereas"))?;
        if matches!(word(*second), "in" | "on" | "at" | "for" | "with" | "of" | "to" | "by" | "from") {
            return None;
        }
        let linked = between.clone().any(|i| LINKS.contains(&word(i)));
        let back = tokens[*second..].iter().any(|t| BACK.contains(&t.text.as_str()));
        let subject = *second > and + 1 && is_capitalized(tokens[and + 1].surface) && second - and < 6;
        let same = matches!(word(*second), "carries" | "brings" | "leads" | "includes" | "sells" | "expects")
            || word(*second) == "is" && matches!(word(second + 1), "responsible" | "known" | "used" | "kept");
        let other =
            matches!(word(and + 1), "the" | "user") && *second > and + 1 && second - and < 7 && word(0) == "user";
        let gap = and > 0 && tokens[and].at > tokens[and - 1].at + tokens[and - 1].surface.len() + 1;
        let comma =
            gap && matches!(word(and + 1), "the" | "user" | "a" | "an") && *second > and + 1 && second - and < 7;
        let own = !same
            && *second == and + 1
            && and > first + 1
            && word(0) == "user"
            && *first < 3
            && word(second + 1) != "to"
            && !matches!(word(second + 1), "back" | "half" | "part" | "most" | "some" | "such")
            && (topic_at(tokens, *first) != topic_at(tokens, *second) || tokens.len() < second + 4);
        let apart = gap && !same && *second == and + 1 && word(0) == "user";
        (!linked && !back && (subject || own || other || comma || apart)).then_some(and..*second + 1)
    })
}

/// The row of [`LIFE_TOPICS`] with a phrase at a token.
fn topic_at(tokens: &[WordToken<'_>], at: usize) -> Option<usize> {
    LIFE_TOPICS.iter().position(|row| row.match_at(tokens, at).is_some())
}

/// A second label: `Name: X, City: Y`.
fn second_label(prose: &str) -> Option<&str> {
    let mut ends = vec![0];
    ends.extend(prose.match_indices([',', '，', ';', '；', '|', '.', '。']).map(|(at, m)| at + m.len()));
    let pieces = ends.iter().map(|at| prose[*at..].trim_start());
    let mut labelled = pieces.filter_map(|piece| {
        let (label, _) = split_label(piece)?;
        let is_word = !label.contains(' ') && label.len() < 12 && label.chars().all(char::is_alphabetic);
        let titled = label.starts_with(char::is_uppercase) && label.split(' ').count() < 3 || is_word;
        let han = label.chars().all(is_unspaced) && label.chars().count() <= 6;
        (titled || han).then_some(label)
    });
    labelled.next()?;
    labelled.next()
}

/// The byte offset of a semicolon outside brackets, unless nothing follows it.
fn semicolon_at(prose: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in prose.char_indices() {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth -= 1,
            ';' | '；' if depth <= 0 && !prose[at..].trim_start_matches([';', '；']).trim().is_empty() => {
                return Some(at);
            }
            _ => {}
        }
    }
    None
}

/// Words after a semicolon that go on with the same fact: a reason, a consequence, an exception.
const CONTINUATIONS: WordList = word_list!("guards/facts/semicolon_continuations.en.txt");
const HAN_SEMICOLON_CONTINUATIONS: PhraseList = phrase_list!("guards/facts/semicolon_continuations.zh.txt");

/// Whether what follows the semicolon goes on with the fact before it: "uses pnpm; npm was too slow because …", "small
/// commits; large ones are …", or a part with a word of the first.
fn goes_on(prose: &str, at: usize) -> bool {
    let (first, rest) = prose.split_at(at);
    let rest = rest.trim_start_matches([';', '；', ' ']);
    let (words, others) = (word_tokens(first), word_tokens(rest));
    let long = |t: &WordToken<'_>| t.text.len() > 3 && t.text != "user";
    let opens = others.first().is_some_and(|t| CONTINUATIONS.contains(&t.text));
    let reason = others.iter().any(|t| matches!(t.text.as_str(), "because" | "since" | "ones"));
    let shared = words.iter().filter(|t| long(t)).any(|t| others.iter().any(|o| o.text == t.text));
    let han = HAN_SEMICOLON_CONTINUATIONS.iter().any(|word| rest.starts_with(word)) || rest.contains("因为");
    let second_user = others.iter().any(|t| t.text == "user") || rest.starts_with("用户");
    rest.matches([';', '；']).count() == 0 && !second_user && (opens || reason || shared || han)
}

/// The number of topics in a text: rows of [`LIFE_TOPICS`] in different clauses.
fn count_topics(input: &GuardText<'_>) -> usize {
    let rows: HashSet<usize> = input.english_sentences().flat_map(|(_, tokens)| topic_rows(tokens)).collect();
    rows.len()
}

/// The rows with a verb in the main clause of a sentence: not after "who", "that" or "because".
fn topic_rows(tokens: &[WordToken<'_>]) -> Vec<usize> {
    let inner = |i: usize| {
        tokens[..i].iter().any(|t| matches!(t.text.as_str(), "who" | "which" | "because" | "that" | "when" | "where"))
    };
    let (mut out, mut last_end) = (Vec::new(), 0);
    for i in 0..tokens.len() {
        let found =
            LIFE_TOPICS.iter().enumerate().find_map(|(row, patterns)| Some((row, patterns.match_at(tokens, i)?)));
        let Some((row, length)) = found.filter(|_| !inner(i)) else { continue };
        // "User volunteers" and "volunteers at" are one verb.
        if i + 1 != last_end {
            out.push(row);
        }
        last_end = i + length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_one_breath_may_stand_together() {
        for (text, quote, is_together) in [
            ("Ines owns the forms; the user owns the tables.", "Ines owns the forms, I own the tables", true),
            ("User keeps bees; the hives are red.", "I keep bees", false),
            (
                "User keeps bees, uses a smoker and lives without a car.",
                "I keep bees, use a smoker, live carless",
                false,
            ),
            ("Name: Ines, Team: forms", "I'm Ines from forms", false),
            ("账单走邮件，提醒走短信。", "账单走邮件，提醒走短信，别弄混", true),
            ("账单走邮件，服务器在东京。", "账单走邮件", false),
        ] {
            assert_eq!(are_said_together(text, quote), is_together, "{text} / {quote}");
        }
        let long = format!("User keeps bees; {}", "the hives are red and stand behind the barn ".repeat(4));
        assert!(!are_said_together(&long, &long));
    }
}
