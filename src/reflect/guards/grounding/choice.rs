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

/// Words of a part of a question that stands before its options.
const QUESTION_WORDS: [&str; 10] = ["which", "what", "who", "where", "how", "when", "哪", "什么", "谁", "怎么"];

/// The words of an option.
type OptionWords = HashSet<String>;

/// The first word of an option that an answer does not choose and that a text states; `not` if the answer denies what
/// the question asks and the text states it. `question` and `answer` are whole turns.
pub(super) fn rejected_option(text: &str, question: &str, answer: &str) -> Option<String> {
    if Statement::of(text).is_negated() && !has_options(question) {
        return None;
    }
    let options = options(question);
    let stated: Vec<(String, String)> = polarities(text)
        .into_iter()
        .filter(|(.., polarity)| *polarity != Polarity::Denied)
        .map(|(key, surface, _)| (word_key(&key, &surface), surface))
        .collect();
    if options.len() < 2 {
        let is_refused = is_yes_no(question) && refuses(answer) && !Statement::of(text).is_negated();
        let answered = words(answer);
        let only_asked = stated.iter().any(|(key, _)| words(question).contains(key))
            && stated.iter().all(|(key, _)| !answered.contains(key));
        return (is_refused && only_asked && !super::polarity::tells_an_end(text)).then(|| "not".to_owned());
    }
    let chosen = chosen(&options, answer)?;
    let kept: OptionWords = chosen.iter().flat_map(|&i| options[i].iter().cloned()).collect();
    let rejected = |key: &String| (0..options.len()).any(|i| !chosen.contains(&i) && options[i].contains(key));
    let answered: HashSet<String> = polarities(answer)
        .into_iter()
        .filter(|(.., polarity)| *polarity == Polarity::Stated)
        .map(|(key, surface, _)| word_key(&key, &surface))
        .collect();
    stated.into_iter().find(|(key, _)| rejected(key) && !kept.contains(key) && !answered.contains(key)).map(|(_, s)| s)
}

/// Like [`rejected_option`], for a statement that names two things and chooses one: "between A and B, I pick A".
pub(super) fn rejected_of_two(text: &str, said: &str) -> Option<String> {
    let low = said.to_lowercase();
    if let Some((_, two)) = low.split_once("between ") {
        let (pair, rest) = two.split_once([',', '.', '\n']).unwrap_or((two, ""));
        return rejected_option(text, &format!("{}?", pair.replace(" and ", " or ")), rest);
    }
    let (pair, rest) = said.split_once("之间")?;
    let pair = pair.rsplit(['，', '。', '\n']).next().unwrap_or(pair);
    // Options of one character are no pairs.
    if let Some((a, b)) =
        pair.split_once(['和', '与', '跟']).filter(|(a, b)| a.chars().count() == 1 && b.chars().count() == 1)
    {
        let has = |one: &str| rest.contains(one);
        let rejected = [(a, b), (b, a)].into_iter().find(|(kept, other)| has(kept) && !has(other))?.1;
        return (text.contains(rejected) && !text.contains(if rejected == a { b } else { a }))
            .then(|| rejected.to_owned());
    }
    rejected_option(text, &format!("{}？", pair.replacen(['和', '与', '跟'], "还是", 1)), rest)
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
    let mark = if is_han { "还是" } else { " or " };
    let sentence = question.split(ends).rfind(|sentence| sentence.to_lowercase().contains(mark));
    let Some((before, after)) = sentence.and_then(|sentence| sentence.rsplit_once(mark)) else { return Vec::new() };
    let cut = |c: char| matches!(c, ',' | '，' | '、' | ':' | '：' | ';' | '；' | '(' | '（');
    let last = ordered_words(after.split(cut).next().unwrap_or(after));
    let asks = |part: &str| QUESTION_WORDS.iter().any(|word| part.to_lowercase().contains(word));
    // "Which one, Go, Rust or Zig?": the options stand behind the question word.
    let parts: Vec<&str> = before.split(cut).flat_map(|part| part.split(mark)).collect();
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

/// The indexes of the options that an answer chooses; `None` if it chooses none, or all.
fn chosen(options: &[OptionWords], answer: &str) -> Option<Vec<usize>> {
    let spaced = spaced_words(answer);
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
    named.retain(|i| !refused.contains(i));
    if named.is_empty() && !refused.is_empty() {
        named = (0..options.len()).filter(|i| !refused.contains(i)).collect();
    }
    if named.is_empty() {
        let last = options.len() - 1;
        let place = |word: &str| if word.is_ascii() { spaced.find(&format!(" {word} ")) } else { answer.find(word) };
        let first = |words: PhraseList| words.iter().filter_map(place).min();
        let by_ordinal =
            ORDINALS.sections().zip([0, 1, 2, last]).filter_map(|(words, n)| Some((first(words)?, n))).min();
        named.extend(by_ordinal.map(|(_, index)| index).filter(|index| *index <= last));
    }
    (!named.is_empty() && named.len() < options.len()).then_some(named)
}

/// Whether a question is answered by yes or no.
fn is_yes_no(question: &str) -> bool {
    let last = question.trim_end().rsplit(['.', '。', '!', '！', '\n']).next().unwrap_or_default();
    match has_unspaced_script(last) {
        true => {
            ["吗", "是不是", "有没有", "要不要", "会不会", "能不能", "用不用"].iter().any(|word| last.contains(word))
        }
        false => {
            last.trim_end().ends_with('?') && !last.contains(" or ") && super::scope::is_open_question(last.trim())
        }
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

fn words(text: &str) -> OptionWords {
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
        check("用户喜欢浅色主题", "浅色主题还是深色主题？", "后者", Some("浅色"));
        check("用户喜欢深色主题", "浅色主题还是深色主题？", "后者", None);
    }
}
