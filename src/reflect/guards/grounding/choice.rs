//! Reads which option of a question an answer chooses: "A or B?" "The second one."
//!
//! Never guesses: an answer that names no option, or all of them, chooses none.

use std::collections::HashSet;

use super::english::{base_stem, spaced_words};
use super::polarity::{Polarity, polarities};
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::{Statement, TokenKind};
use crate::text::stopwords::is_stopword;
use crate::text::word_list::{PhraseList, phrase_list};

/// Sections: words for the first option, for the second, for the third, for the last.
const ORDINALS: PhraseList = phrase_list!("guards/grounding/ordinals.txt");
/// Sections: first words of a refusal in English, in Chinese.
const REFUSALS: PhraseList = phrase_list!("guards/grounding/refusals.txt");

/// Verbs with which one option is taken.
const CHOOSING: PhraseList = phrase_list!("guards/grounding/choosing.txt");
/// Words for the option that is not named.
const OTHERS: [&str; 5] = ["the other", "the other one", "另一个", "另一种", "另外一个"];

/// Words of a part of a question that stands before its options.
const QUESTION_WORDS: [&str; 10] = ["which", "what", "who", "where", "how", "when", "哪", "什么", "谁", "怎么"];

/// The words of an option.
pub(super) type OptionWords = HashSet<String>;

/// The first word of an option that an answer does not choose and that a text states; `not` if the answer denies what
/// the question asks and the text states it. `question` and `answer` are whole turns.
pub(super) fn rejected_option(text: &str, question: &str, answer: &str) -> Option<String> {
    if Statement::of(text).is_negated() && !has_options(question) {
        return limited_refusal(text, question, answer);
    }
    if states_opening(text, question, answer) {
        return None;
    }
    let options = options(question);
    if options.len() >= 2 {
        return stated_reject(text, &options, answer, chosen(&options, question, answer)?);
    }
    if let Some(limit) = limited_refusal(text, question, answer) {
        return Some(limit);
    }
    let stated = stated_words(text);
    let is_refused = is_yes_no(question) && refuses(answer) && !Statement::of(text).is_negated();
    let answered = words(answer);
    let only_asked = stated.iter().any(|(key, _)| words(question).contains(key))
        && stated.iter().all(|(key, _)| !answered.contains(key));
    (is_refused && only_asked && !super::polarity::tells_an_end(text)).then(|| "not".to_owned())
}

/// The word of an answer that limits its refusal, if a text refuses without it and the answer goes on with what holds
/// elsewhere: "Do you use an ORM?" "Not on the read side. Writes go through SQLAlchemy."
fn limited_refusal(text: &str, question: &str, answer: &str) -> Option<String> {
    if !is_yes_no(question) || !Statement::of(text).is_negated() {
        return None;
    }
    let (own, asked) = (words(text), words(question));
    let ends = |c: char| matches!(c, '!' | '\n' | '。' | '！' | '；' | ';');
    let mut sentences = answer.split(ends).flat_map(|part| part.split(". ")).filter(|s| !s.trim().is_empty());
    let first = super::clauses(sentences.next()?).next()?;
    let is_limit = |word: &&String| !own.contains(*word) && !asked.contains(*word);
    let (here, first) = (words(first), Statement::of(first));
    let states_limit = own.iter().any(|word| here.contains(word) && !asked.contains(word));
    let limit = here.iter().find(is_limit).filter(|_| first.is_negated() && !states_limit)?.clone();
    let holds_elsewhere =
        |sentence: &str| !Statement::of(sentence).is_negated() && words(sentence).len() >= MIN_ELSEWHERE;
    sentences.any(holds_elsewhere).then_some(limit)
}

/// Minimum number of words of content of a sentence that says what holds elsewhere.
const MIN_ELSEWHERE: usize = 2;

/// Whether an answer begins with nothing but words of one side of a question, which a text has: "at the end", 磨砂的.
fn states_opening(text: &str, question: &str, answer: &str) -> bool {
    let opening = super::clauses(answer).flat_map(|c| c.split(". ")).map(str::trim).find(|clause| !clause.is_empty());
    let opening = opening.unwrap_or_default().to_lowercase();
    let opening = opening.trim_end_matches(['.', '的', '吧', '呗', '啊']);
    let is_han = has_unspaced_script(opening);
    let plain = |text: &str| if is_han { text.to_lowercase() } else { spaced_words(text) };
    let opening = if is_han { opening.to_owned() } else { spaced_words(opening) };
    let (question, text) = (plain(question), plain(text));
    let mark = if is_han { "还是" } else { " or " };
    let is_on = |side: &str| side.contains(&opening) || side.contains(opening.trim_end());
    let has_content = words(&opening).iter().any(|word| !word.is_empty());
    has_content
        && text.contains(opening.trim_end())
        && question.rsplit_once(mark).is_some_and(|(before, after)| is_on(before) != is_on(after))
}

/// Like [`rejected_option`], for options that stand in an earlier turn: the answer must choose one explicitly.
pub(super) fn clearly_rejected_option(text: &str, question: &str, answer: &str) -> Option<String> {
    let options = options(question);
    let choice = if options.len() < 2 { None } else { chosen(&options, question, answer) };
    stated_reject(text, &options, answer, choice.filter(|choice| choice.is_explicit)?)
}

/// The first word of a text that states an option which was not chosen.
fn stated_reject(text: &str, options: &[OptionWords], answer: &str, choice: ChosenOptions) -> Option<String> {
    let is_chosen = |i: &usize| choice.indexes.contains(i);
    let kept: OptionWords = choice.indexes.iter().flat_map(|&i| options[i].iter().cloned()).collect();
    let rejected = |key: &String| (0..options.len()).any(|i| !is_chosen(&i) && options[i].contains(key));
    // What an answer states of another option may be true: "Go, but Rust for the parser".
    let answered: HashSet<String> = if choice.is_explicit {
        HashSet::new()
    } else {
        stated_words(answer).into_iter().map(|(key, _)| key).collect()
    };
    let stated = stated_words(text);
    if kept.iter().all(|word| stated.iter().any(|(key, _)| key == word)) {
        return None;
    }
    stated.into_iter().find(|(key, _)| rejected(key) && !kept.contains(key) && !answered.contains(key)).map(|(_, s)| s)
}

/// The words that a text does not deny: key, as written.
pub(super) fn stated_words(text: &str) -> Vec<(String, String)> {
    polarities(text)
        .into_iter()
        .filter(|(.., polarity)| *polarity != Polarity::Denied)
        .map(|(key, surface, _)| (word_key(&key, &surface), surface))
        .collect()
}

/// The name or word of a text that only a turn before the answer has, if the answer says no and names another instead:
/// "You mentioned Riso." "No, it was Hato Press."
pub(super) fn denied_statement(text: &str, before: &str, answer: &str, quote: &str) -> Option<String> {
    if !refuses(answer) || Statement::of(text).is_negated() {
        return None;
    }
    let (own, answered, asked) = (words(text), words(answer), words(before));
    let names_another = words(quote).iter().any(|word| !own.contains(word));
    let has_answer = words(quote).iter().filter(|word| own.contains(*word)).count() * 2 > words(quote).len();
    let statement = Statement::of(text);
    let names = statement.tokens.iter().filter(|t| t.kind == TokenKind::Name);
    let names = names.map(|t| (word_key(&t.key, t.surface), t.surface.to_owned()));
    let han = stated_words(text).into_iter().filter(|(key, _)| !key.is_ascii());
    let denied = names.chain(han).find(|(key, _)| asked.contains(key) && !answered.contains(key));
    denied.filter(|_| names_another && !has_answer).map(|(_, surface)| surface)
}

/// A value of a question that its answer corrects: "the five pound box?" "No, the three pound one".
pub(super) fn corrected_value(text: &str, question: &str, answer: &str) -> Option<String> {
    let numbers = |text: &str| -> Vec<(String, String, String)> { super::order::counted(&Statement::of(text)) };
    let (asked, answered) = (numbers(question), numbers(answer));
    let unit = |thing: &str| thing.chars().next();
    numbers(text).into_iter().find_map(|(number, thing, surface)| {
        let is_asked = asked.iter().any(|(n, _, _)| *n == number);
        let is_answered = answered.iter().any(|(n, _, _)| *n == number);
        let is_replaced = answered.iter().any(|(n, t, _)| *n != number && unit(t) == unit(&thing));
        (is_asked && !is_answered && is_replaced).then_some(surface)
    })
}

fn has_options(question: &str) -> bool {
    options(question).len() > 1
}

/// The options of the last question of a turn, without the words that all of them have.
fn options(question: &str) -> Vec<OptionWords> {
    let is_han = has_unspaced_script(question);
    let ends = |c: char| matches!(c, '?' | '？' | '。' | '.' | '\n' | '!' | '！');
    let marks: &[&str] = if is_han { &["还是", "或者", "或是", "或"] } else { &[" or "] };
    let with = |mark: &&str| question.split(ends).rfind(|sentence| sentence.to_lowercase().contains(*mark));
    let found = marks.iter().find_map(|mark| Some((*mark, with(mark)?)));
    let Some((mark, (before, after))) = found.and_then(|(mark, s)| Some((mark, s.rsplit_once(mark)?))) else {
        return Vec::new();
    };
    let cut = |c: char| matches!(c, ',' | '，' | '、' | ':' | '：' | ';' | '；' | '(' | '（');
    let after = without_common_detail(before, after);
    let last = ordered_words(after.split(cut).next().unwrap_or(after));
    let asks = |part: &str| QUESTION_WORDS.iter().any(|word| part.to_lowercase().contains(word));
    // "Which one, Go, Rust or Zig?": the options stand behind the question word.
    let parts: Vec<&str> =
        before.split(cut).flat_map(|part| part.split(mark)).filter(|part| !part.trim().is_empty()).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let first = parts.iter().rposition(|part| asks(part)).map_or(0, |at| at + 1).min(parts.len() - 1);
    let is_list = before.contains(['、', ',']) || parts.len() > first + 1 && before.contains(mark);
    let first = if is_list { first } else { parts.len() - 1 };
    // The words of an option are the last ones before the conjunction; "one" stands for its last word.
    let (length, is_short) = (last.len().max(1), spaced_words(after).contains(" one "));
    let end = after.split(cut).next().unwrap_or(after).trim();
    let words_of = |part: &&str| {
        let part = if is_han { han_option(part, end) } else { *part };
        let all = ordered_words(part);
        // "Do you target 30 or 60 fps": a number beside a number.
        let start =
            all.iter().rposition(|word| is_number(word)).filter(|_| last.first().is_some_and(|word| is_number(word)));
        let rest = all.into_iter().skip(start.unwrap_or(0)).collect::<Vec<_>>();
        rest.into_iter().rev().skip(usize::from(is_short)).take(length).collect::<OptionWords>()
    };
    let mut all: Vec<OptionWords> =
        parts[first..].iter().map(words_of).chain([last.iter().cloned().collect()]).filter(|o| !o.is_empty()).collect();
    let common: OptionWords = match all.split_first() {
        Some((first, rest)) => first.iter().filter(|w| rest.iter().all(|other| other.contains(*w))).cloned().collect(),
        None => OptionWords::new(),
    };
    all.iter_mut().for_each(|option| option.retain(|word| !common.contains(word)));
    if all.iter().filter(|option| !option.is_empty()).count() < 2 { Vec::new() } else { all }
}

/// The last option without what follows its preposition, if the option before it has none: "table or prose for the
/// list?"
fn without_common_detail<'a>(before: &str, after: &'a str) -> &'a str {
    const PREPOSITIONS: [&str; 8] = [" for ", " in ", " on ", " at ", " of ", " as ", " when ", " here "];
    let own = before.rsplit([',', ':', ';']).next().unwrap_or(before);
    let cut = PREPOSITIONS.iter().filter(|word| !own.contains(**word)).filter_map(|word| after.find(*word)).min();
    cut.map_or(after, |at| &after[..at])
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// The end of a part of a Chinese question that has the form of its last option: 详细版 beside 精简版.
fn han_option<'a>(part: &'a str, last: &str) -> &'a str {
    let plain = part.trim_end();
    if let Some((_, title)) = plain.strip_suffix(['》', '”', '」']).and_then(|p| p.rsplit_once(['《', '“', '「']))
    {
        return title;
    }
    let end = last.trim_end_matches(['呢', '啊', '呀', '吧']).chars().next_back();
    let at = end.and_then(|end| plain.rfind(end).map(|at| at + end.len_utf8())).unwrap_or(plain.len());
    let length = last.chars().count();
    // 按房号排还是按日期排: both begin with the same character.
    if let Some(start) = last.chars().next().and_then(|first| plain[..at].rfind(first)) {
        return &plain[start..at];
    }
    let start = plain[..at].char_indices().rev().take(length).last().map_or(0, |(start, _)| start);
    &plain[start..at]
}

/// The options that an answer chooses.
struct ChosenOptions {
    indexes: Vec<usize>,
    /// Whether the answer says so by a verb of choosing, by their place, or names nothing else.
    is_explicit: bool,
}

/// The options that an answer chooses; `None` if it chooses none, or all.
fn chosen(options: &[OptionWords], question: &str, answer: &str) -> Option<ChosenOptions> {
    let (mut stated, mut denied) = (OptionWords::new(), OptionWords::new());
    for (key, surface, polarity) in polarities(answer) {
        let key = word_key(&key, &surface);
        if polarity == Polarity::Denied {
            denied.insert(key)
        } else {
            stated.insert(key)
        };
    }
    let with =
        |words: &OptionWords| (0..options.len()).filter(|&i| !options[i].is_disjoint(words)).collect::<Vec<usize>>();
    let (mut named, refused) = (with(&stated), with(&denied));
    // "Oak is too soft, the other one".
    if let ([one], true) = (named.as_slice(), options.len() == 2 && names_the_other(answer)) {
        return Some(ChosenOptions { indexes: vec![1 - one], is_explicit: true });
    }
    let clauses: Vec<&str> = super::clauses(answer).flat_map(|clause| clause.split(". ")).collect();
    let of_clause = |clause: &str| {
        let found: OptionWords = stated_words(clause).into_iter().map(|(key, _)| key).collect();
        with(&found)
    };
    let picks = |clause: &&&str| CHOOSING.iter().any(|verb| holds(clause, verb));
    if let Some(picked) = clauses.iter().find(picks).map(|c| of_clause(c)).filter(|picked| picked.len() == 1) {
        return Some(ChosenOptions { indexes: picked, is_explicit: true });
    }
    // "The text version, tables are hard to read": an answer that begins with nothing but an option.
    let first = clauses.iter().find(|clause| !clause.is_empty()).copied().unwrap_or_default();
    let opening = of_clause(first);
    if let [one] = opening[..]
        && words(first).is_subset(&options[one].union(&words(question)).cloned().collect())
    {
        return Some(ChosenOptions { indexes: opening, is_explicit: true });
    }
    named.retain(|i| !refused.contains(i));
    if named.is_empty() && !refused.is_empty() {
        named = (0..options.len()).filter(|i| !refused.contains(i)).collect();
    }
    let mut is_explicit = false;
    if named.is_empty() {
        let spaced = spaced_words(answer);
        let last = options.len() - 1;
        let place = |word: &str| if word.is_ascii() { spaced.find(&format!(" {word} ")) } else { answer.find(word) };
        let first = |words: PhraseList| words.iter().filter_map(place).min();
        let by_ordinal =
            ORDINALS.sections().zip([0, 1, 2, last]).filter_map(|(words, n)| Some((first(words)?, n))).min();
        named.extend(by_ordinal.map(|(_, index)| index).filter(|index| *index <= last));
        is_explicit = !named.is_empty();
    }
    (!named.is_empty() && named.len() < options.len()).then_some(ChosenOptions { indexes: named, is_explicit })
}

fn names_the_other(answer: &str) -> bool {
    OTHERS.iter().any(|word| holds(answer, word))
}

/// Whether a text has a phrase, in English as whole words.
fn holds(text: &str, phrase: &str) -> bool {
    if phrase.is_ascii() { spaced_words(text).contains(&format!(" {phrase} ")) } else { text.contains(phrase) }
}

/// Whether a question is answered by yes or no.
fn is_yes_no(question: &str) -> bool {
    let last = question.trim_end().rsplit(['.', '。', '!', '！', '\n']).next().unwrap_or_default();
    if has_unspaced_script(last) {
        ["吗", "是不是", "有没有", "要不要", "会不会", "能不能", "用不用"].iter().any(|word| last.contains(word))
    } else {
        last.trim_end().ends_with('?') && !last.contains(" or ") && super::scope::is_open_question(last.trim())
    }
}

/// Whether an answer starts with no.
fn refuses(answer: &str) -> bool {
    let plain = answer.trim_start().to_lowercase();
    let starts = |word: &str| {
        plain
            .strip_prefix(word)
            .is_some_and(|rest| !word.is_ascii() || !rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    REFUSALS.iter().filter(|word| !word.is_empty()).any(starts)
}

/// One key for a word in all its forms; dates in Chinese have the key of their token.
fn word_key(key: &str, surface: &str) -> String {
    if surface.is_ascii() { base_stem(&surface.to_lowercase()) } else { key.to_owned() }
}

pub(super) fn words(text: &str) -> OptionWords {
    ordered_words(text).into_iter().collect()
}

/// The words of content of a text as stems, in Chinese the pairs of characters and lone ones.
fn ordered_words(text: &str) -> Vec<String> {
    let statement = Statement::of(text);
    let tokens: Vec<_> = statement.tokens.iter().filter(|t| t.kind != TokenKind::Negation).collect();
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        if !token.is_han {
            let is_value = matches!(token.kind, TokenKind::Date | TokenKind::Number | TokenKind::Name);
            if is_value || !is_stopword(&token.surface.to_lowercase()) {
                found.push(word_key(&token.key, token.surface));
            }
        } else if token.kind == TokenKind::Word {
            let next = tokens.get(i + 1).filter(|n| n.is_han && n.kind == TokenKind::Word);
            found.extend(next.map(|n| format!("{}{}", token.surface, n.surface)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_does_not_choose_is_not_stated() {
        let check = |text: &str, question: &str, answer: &str, expected: Option<&str>| {
            let found = rejected_option(text, question, answer).map(|word| word.to_lowercase());
            assert_eq!(found.as_deref(), expected, "{text} / {question} {answer}");
        };
        check("Prefers Java", "Kotlin or Java?", "the first one", Some("java"));
        check("Prefers Kotlin to Java", "Kotlin or Java?", "the first one", None);
        check("Prefers tabs", "tabs or spaces?", "not tabs", Some("tabs"));
        check("Prefers the light theme", "Light or dark theme?", "the latter", Some("light"));
        check("Uses Jest", "Do you use Jest?", "no, not any more", Some("not"));
        check("Wants the list as a table", "table or prose for the list?", "table please", None);
        check("Wants the list as prose", "table or prose for the list?", "table please", Some("prose"));
        check("用户喜欢浅色主题", "浅色主题还是深色主题？", "后者", Some("浅色"));
        check("用户喜欢深色主题", "浅色主题还是深色主题？", "后者", None);
    }
}
