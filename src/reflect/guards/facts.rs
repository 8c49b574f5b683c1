//! Checks that a memory has one fact: no clauses joined by a semicolon or "and also", no second label, no second topic
//! of a person's life.
//!
//! Never parses sentences: two facts in words missing from the lists pass as one.

use std::sync::LazyLock;

use super::{GuardFinding, GuardText, MemoryKind, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, is_capitalized, matched_text, named_group, word_tokens};
use crate::text::prose_mask::{mask_phrases, split_label};
use crate::text::verbs::{self, is_third_person};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

static CONJUNCTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/facts/conjunctions.en.txt"));
static HAN_CONJUNCTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/facts/conjunctions.zh.txt"));
const HAN_NOT_CONJUNCTIONS: PhraseList = phrase_list!("guards/facts/not_conjunctions.zh.txt");

/// Verbs for the topics of a person's life, one row per topic. Verbs of two rows in one text are two facts.
static LIFE_TOPICS: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("guards/facts/life_topics.en.txt")));
static HAN_LIFE_TOPICS: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("guards/facts/life_topics.zh.txt")));
/// Topics of clauses; a second clause with another topic than the first is another fact.
static HAN_CLAUSE_TOPICS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/facts/clause_topics.zh.txt"));
/// Words at the start of a clause that continues the one before.
const HAN_CONTINUATIONS: PhraseList = phrase_list!("guards/facts/continuations.zh.txt");

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
    if let Some(what) =
        HAN_CONJUNCTIONS.find_unspaced(&mask_phrases(input.prose, HAN_NOT_CONJUNCTIONS)).filter(|_| input.han)
    {
        return finding(what);
    }
    (kind == MemoryKind::Fact && count_topics(input) > 1).then(|| GuardFinding::new(Violation::ManyFacts, ""))
}

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
    (english || han).then_some(second)
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
                && !is_capitalized(tokens[i].surface)
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
    let english: usize = {
        let all: Vec<(usize, usize)> = input
            .english_sentences()
            .enumerate()
            .flat_map(|(s, (_, tokens))| topic_rows(tokens).into_iter().map(move |row| (s, row)))
            .collect();
        count_distinct_rows(all)
    };
    if !input.han {
        return english;
    }
    let clauses: Vec<&str> = input
        .prose
        .split(['，', '。', '；', ',', '、'])
        .flat_map(|c| c.split("并且"))
        .flat_map(|c| c.split('并'))
        .map(str::trim)
        .filter(|c| !HAN_CONTINUATIONS.iter().any(|on| c.starts_with(on)))
        .collect();
    english.max(count_clause_topics(&clauses)).max(count_copulas(input.prose))
}

/// 2 if two clauses have different topics, otherwise 1.
fn count_clause_topics(clauses: &[&str]) -> usize {
    let rows = |clause: &&str| -> u32 {
        let fits = HAN_LIFE_TOPICS.iter().enumerate().filter(|(_, row)| row.find_unspaced(clause).is_some());
        fits.fold(0, |rows, (i, _)| rows | 1 << i)
    };
    let rows_of_clauses: Vec<u32> = clauses.iter().map(rows).filter(|rows| *rows > 0).collect();
    let rows = rows_of_clauses.iter().enumerate().any(|(i, a)| rows_of_clauses[i + 1..].iter().any(|b| a & b == 0));
    let waits =
        |clause: &str| clause.ends_with(['时', '后', '前']) || clause.contains("为了") || clause.contains("如果");
    let topic =
        |clause: &str| HAN_CLAUSE_TOPICS.find_unspaced(clause).filter(|t| clause.starts_with(*t)).map(str::to_owned);
    let mut topics: Vec<String> = clauses.iter().filter_map(|c| topic(c)).collect();
    topics.dedup();
    let first = clauses.first().is_some_and(|c| {
        !waits(c) && (topic(c).is_some() || c.starts_with("用户") || c.starts_with("阿") || c.contains(['是', '在']))
    });
    let later = clauses.iter().skip(1).filter_map(|c| topic(c)).any(|t| !clauses[0].contains(&t));
    let other = clauses.iter().skip(1).any(|c| is_about_another(clauses[0], c));
    if rows || first && later || other { 2 } else { 1 }
}

/// Whether two clauses start with the names of two persons, or both with the user and have no two characters in common.
fn is_about_another(first: &str, second: &str) -> bool {
    let person = |clause: &str| {
        let surname = named_group("surnames").iter().find(|name| clause.starts_with(*name))?;
        clause[surname.len()..].chars().next().filter(|c| is_unspaced(*c) && !"一二三四五六日末色度".contains(*c))
    };
    let others = matches!((person(first), person(second)), (Some(a), Some(b)) if a != b);
    let has_own_subject = own_subject(second).is_some_and(|subject| !shares_pair(first, subject)) && own_verb(first);
    let users = match (first.strip_prefix("用户"), second.strip_prefix("用户")) {
        (Some(a), Some(b)) => {
            let pairs = |text: &str| text.chars().zip(text.chars().skip(1)).collect::<Vec<_>>();
            !pairs(a).iter().any(|pair| pairs(b).contains(pair))
        }
        _ => false,
    };
    others || users || has_own_subject
}

/// The subject of a Chinese clause that says what something is or has; `None` if it may be a property of what was said
/// before.
fn own_subject(clause: &str) -> Option<&str> {
    let at = ["是", "有", "叫"].iter().filter_map(|verb| clause.find(verb)).min()?;
    let subject = clause[..at].trim();
    let is_property = HAN_PROPERTIES.iter().any(|word| subject.starts_with(word));
    (subject.chars().count() >= 2 && subject.chars().all(is_unspaced) && !is_property).then_some(subject)
}

/// Whether a clause has a verb or a copula of its own.
fn own_verb(clause: &str) -> bool {
    ["是", "有", "叫", "用", "在", "从事", "开门", "养", "喜欢", "住", "喝", "吃", "学", "玩"]
        .iter()
        .any(|verb| clause.contains(verb))
}

fn shares_pair(text: &str, subject: &str) -> bool {
    let chars: Vec<char> = subject.chars().collect();
    chars.windows(2).any(|pair| text.contains(&pair.iter().collect::<String>()))
}

/// Words that make a subject a property of what was said before, or no subject.
const HAN_PROPERTIES: PhraseList = phrase_list!("guards/facts/properties.zh.txt");

/// The number of clauses with 是, each a statement of identity: "牙医是林医生，房东是赵先生".
fn count_copulas(prose: &str) -> usize {
    const OTHER: [&str; 14] = [
        "是否", "还是", "不是", "但是", "于是", "只是", "就是", "总是", "都是", "可是", "若是", "凡是", "而是", "正是",
    ];
    let clear = mask_phrases(prose, OTHER);
    clear.split(['，', '。', ',']).filter(|c| c.find('是').is_some_and(|at| at > 0)).count()
}

fn count_distinct_rows(mut all: Vec<(usize, usize)>) -> usize {
    all.sort_by_key(|(_, row)| *row);
    all.dedup_by_key(|(_, row)| *row);
    all.len()
}

/// The rows with a verb in the main clause of a sentence: not after "who", "that" or "because".
fn topic_rows(tokens: &[WordToken<'_>]) -> Vec<usize> {
    let inner = |i: usize| {
        tokens[..i].iter().any(|t| matches!(t.text.as_str(), "who" | "which" | "because" | "that" | "when" | "where"))
    };
    let mut out = Vec::new();
    for i in 0..tokens.len() {
        if let Some(row) = LIFE_TOPICS.iter().position(|row| row.match_at(tokens, i).is_some()).filter(|_| !inner(i)) {
            out.push(row);
        }
    }
    out
}
