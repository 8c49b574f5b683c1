//! Extracts keywords from texts that have neither labels nor headings.
//!
//! Never reads other texts: word frequencies come from a compiled-in table, because a write must not read other files.

use std::collections::HashMap;

use super::line::MAX_TERMS;
use crate::text::secrets::find_secrets;
use crate::text::words::is_unspaced;
use crate::text::{stem, stopwords, word_frequency, words};

/// A keyword and the byte offset of its first occurrence.
pub type Keyword = (String, usize);

/// The top keywords of a text, at most ten, best first, in lower case, each in its most frequent form.
///
/// The score of a word is tf × idf^0.25, the best of the measures compared on summary lines as file pointers. Text in
/// scripts without spaces (Chinese, Japanese …) contributes its repeated sequences of two to four characters. Keys and
/// passwords are no keywords: the line may stay when their bullet is removed.
pub fn keywords(text: &str) -> Vec<Keyword> {
    let mut all = spaced_candidates(text);
    all.extend(unspaced_candidates(text));
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.first.cmp(&b.first)));
    let all = all.into_iter().filter(|keyword| !is_in_secret(text, keyword.first));
    all.take(MAX_TERMS).map(|t| (t.word, t.first)).collect()
}

/// Whether an offset is in a key or password, which its line tells.
fn is_in_secret(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    find_secrets(line).iter().any(|secret| secret.range.contains(&(at - start)))
}

struct ScoredKeyword {
    word: String,
    score: f64,
    first: usize,
}

#[derive(Default)]
struct WordCount {
    count: u32,
    first: usize,
    /// Word forms with their counts, in order of appearance; the first of the most frequent ones is displayed.
    forms: Vec<(String, u32)>,
}

fn spaced_candidates(text: &str) -> Vec<ScoredKeyword> {
    let mut counts: HashMap<String, WordCount> = HashMap::new();
    for word in words(text).filter(|w| !w.is_ngram && is_candidate(&w.text)) {
        let entry = counts.entry(stem(&word.text).into_owned()).or_default();
        if entry.count == 0 {
            entry.first = word.at;
        }
        entry.count += 1;
        match entry.forms.iter_mut().find(|(form, _)| *form == word.text) {
            Some((_, n)) => *n += 1,
            None => entry.forms.push((word.text.into_owned(), 1)),
        }
    }
    counts.into_iter().map(|(stem, seen)| seen.into_keyword(&stem)).collect()
}

impl WordCount {
    fn into_keyword(self, stem: &str) -> ScoredKeyword {
        let score = f64::from(self.count) * word_frequency::rarity(stem).powf(0.25);
        let most = self.forms.iter().map(|f| f.1).max();
        let word = self.forms.into_iter().find(|f| Some(f.1) == most).map(|f| f.0);
        ScoredKeyword { word: word.unwrap_or_default(), score, first: self.first }
    }
}

fn is_candidate(word: &str) -> bool {
    word.chars().nth(1).is_some()
        && word.chars().any(char::is_alphabetic)
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && !stopwords::is_stopword(word)
        && !stopwords::is_generic(word)
}

/// Function characters; a sequence neither starts nor ends with one.
const FUNCTION_CHARS: &str = "的了是在我你他她它们和与也很都不有就这那个一及或被把让给对从到为以而之于其着过吗呢吧啊はがをにでとものへや은는이가을를에의";

fn unspaced_candidates(text: &str) -> Vec<ScoredKeyword> {
    let mut counts: HashMap<&str, (u32, usize)> = HashMap::new();
    let mut pairs: Vec<(&str, usize)> = Vec::new();
    for (at, run) in unspaced_runs(text) {
        let ends: Vec<usize> = run.char_indices().map(|(i, _)| i).chain([run.len()]).collect();
        for from in 0..ends.len() {
            for to in (from + 2..=from + 4).take_while(|&to| to < ends.len()) {
                let part = &run[ends[from]..ends[to]];
                if part.starts_with(is_function_char) || part.ends_with(is_function_char) {
                    continue;
                }
                counts.entry(part).or_insert((0, at + ends[from])).0 += 1;
                if to == from + 2 {
                    pairs.push((part, at + ends[from]));
                }
            }
        }
    }
    let mut parts: Vec<_> = counts.into_iter().filter(|(_, (n, _))| *n > 1).collect();
    // Frequency × length puts longer sequences before their own pieces: 数据库 before 数据.
    parts.sort_by_key(|&(part, (n, at))| (std::cmp::Reverse(n as usize * (part.chars().count() - 1)), at));
    let repeated = parts.into_iter().map(|(part, (n, at))| (part, n, at));
    let all = repeated.chain(pairs.into_iter().map(|(part, at)| (part, 1, at)));
    select_disjoint(all).into_iter().map(|(part, n, first)| scored_sequence(part, n, first)).collect()
}

/// Selects sequences, best first, that share no character with a selected one. Sequences that occur once are used only
/// if none is repeated.
fn select_disjoint<'a>(parts: impl Iterator<Item = (&'a str, u32, usize)>) -> Vec<(&'a str, u32, usize)> {
    let mut chosen: Vec<(&str, u32, usize)> = Vec::new();
    for (part, n, at) in parts {
        let single = n == 1 && chosen.iter().any(|c| c.1 > 1);
        let overlaps = |c: &(&str, u32, usize)| part.chars().any(|x| c.0.contains(x));
        if chosen.len() < MAX_TERMS && !single && !chosen.iter().any(overlaps) {
            chosen.push((part, n, at));
        }
    }
    chosen
}

fn scored_sequence(part: &str, n: u32, first: usize) -> ScoredKeyword {
    ScoredKeyword { word: part.to_lowercase(), score: f64::from(n) * 1.5, first }
}

fn is_function_char(c: char) -> bool {
    FUNCTION_CHARS.contains(c) || !c.is_alphanumeric()
}

fn unspaced_runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let outside = |c: char| !is_unspaced(c) || !c.is_alphanumeric();
    text.split(outside).filter(|r| !r.is_empty()).map(|r| (r.as_ptr() as usize - text.as_ptr() as usize, r))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let words: Vec<_> = keywords(text).into_iter().map(|t| t.0).collect();
        assert_eq!(words.join(" "), expected, "{text:?}");
    }

    #[test]
    fn frequent_words_rank_first_in_their_most_frequent_form() {
        check("We went camping. Camping is great, the camp was wet. A dog barked.", "camping barked wet dog");
    }

    #[test]
    fn rare_words_rank_before_common_ones() {
        check("The file about the marimba", "marimba file");
    }

    #[test]
    fn keys_and_passwords_are_left_out() {
        check("The deploy token is ghp_Zk4vQ2mXw8Ls7Rt1Yb6Nc3Jd9Hf5Ge0PaUiO", "token deploy");
        check(
            "The password of the staging database is Kaktus42!\nThe kiln is red",
            "kiln password red staging database",
        );
    }

    #[test]
    fn generic_words_are_left_out() {
        check("I really want to go there again on 12 March 2024, you know", "");
    }

    #[test]
    fn repeated_parts_of_chinese_text_are_found() {
        check("我们用数据库，数据库的备份在周五", "数据库");
        check("喜欢绿茶", "喜欢 绿茶");
    }

    #[test]
    fn never_more_than_ten() {
        let text: String = (b'a'..=b'z').map(|c| format!("{0}zq{0} ", c as char)).collect();
        assert_eq!(keywords(&text).len(), 10);
    }
}
