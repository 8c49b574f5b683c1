//! The words that tell what a text is about, for texts that name their parts neither by labels nor by headings.
//!
//! Never looks at another text: a compiled-in table says which words are common (FINDINGS 5).

use std::collections::HashMap;

use super::line::MOST_TERMS;
use crate::text::words::is_unspaced;
use crate::text::{common, stem, stop, words};

/// A telling word and the offset where it first stands.
pub type Told = (String, usize);

/// The most telling words of a text, lower case, best first, each in its most frequent form. At most ten.
///
/// Words score tf × idf^0.25; runs without spaces (Chinese, Japanese …) give their repeated parts of two to four
/// characters.
pub fn telling(text: &str) -> Vec<Told> {
    let mut all = spaced(text);
    all.extend(unspaced(text));
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.first.cmp(&b.first)));
    all.into_iter().take(MOST_TERMS).map(|t| (t.word, t.first)).collect()
}

struct Telling {
    word: String,
    score: f64,
    first: usize,
}

#[derive(Default)]
struct Seen {
    count: u32,
    first: usize,
    /// Each form with its count, in order of appearance: the first of the most frequent ones is printed.
    forms: Vec<(String, u32)>,
}

fn spaced(text: &str) -> Vec<Telling> {
    let mut seen: HashMap<String, Seen> = HashMap::new();
    for word in words(text).filter(|w| !w.gram && tells(&w.text)) {
        let entry = seen.entry(stem(&word.text).into_owned()).or_default();
        if entry.count == 0 {
            entry.first = word.at;
        }
        entry.count += 1;
        match entry.forms.iter_mut().find(|(form, _)| *form == word.text) {
            Some((_, n)) => *n += 1,
            None => entry.forms.push((word.text.into_owned(), 1)),
        }
    }
    seen.into_iter().map(|(stem, seen)| seen.telling(&stem)).collect()
}

impl Seen {
    fn telling(self, stem: &str) -> Telling {
        let score = f64::from(self.count) * common::rarity(stem).powf(0.25);
        let most = self.forms.iter().map(|f| f.1).max();
        let word = self.forms.into_iter().find(|f| Some(f.1) == most).map(|f| f.0);
        Telling { word: word.unwrap_or_default(), score, first: self.first }
    }
}

fn tells(word: &str) -> bool {
    word.chars().nth(1).is_some()
        && word.chars().any(char::is_alphabetic)
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && !stop::is_stopword(word)
        && !stop::is_generic(word)
}

/// Characters that join words rather than name things; a part neither starts nor ends with one.
const JOINING: &str = "的了是在我你他她它们和与也很都不有就这那个一及或被把让给对从到为以而之于其着过吗呢吧啊はがをにでとものへや은는이가을를에의";

fn unspaced(text: &str) -> Vec<Telling> {
    let mut seen: HashMap<&str, (u32, usize)> = HashMap::new();
    let mut pairs: Vec<(&str, usize)> = Vec::new();
    for (at, run) in runs(text) {
        let ends: Vec<usize> = run.char_indices().map(|(i, _)| i).chain([run.len()]).collect();
        for from in 0..ends.len() {
            for to in (from + 2..=from + 4).take_while(|&to| to < ends.len()) {
                let part = &run[ends[from]..ends[to]];
                if part.starts_with(joins) || part.ends_with(joins) {
                    continue;
                }
                seen.entry(part).or_insert((0, at + ends[from])).0 += 1;
                if to == from + 2 {
                    pairs.push((part, at + ends[from]));
                }
            }
        }
    }
    let mut parts: Vec<_> = seen.into_iter().filter(|(_, (n, _))| *n > 1).collect();
    // Longer parts first among equally frequent ones: 数据库 rather than its pieces.
    parts.sort_by_key(|&(part, (n, at))| (std::cmp::Reverse(n as usize * (part.chars().count() - 1)), at));
    let repeated = parts.into_iter().map(|(part, (n, at))| (part, n, at));
    let all = repeated.chain(pairs.into_iter().map(|(part, at)| (part, 1, at)));
    disjoint(all).into_iter().map(|(part, n, first)| score(part, n, first)).collect()
}

/// The first parts that share no character with a better one. Single ones only where nothing is repeated.
fn disjoint<'a>(parts: impl Iterator<Item = (&'a str, u32, usize)>) -> Vec<(&'a str, u32, usize)> {
    let mut chosen: Vec<(&str, u32, usize)> = Vec::new();
    for (part, n, at) in parts {
        let single = n == 1 && chosen.iter().any(|c| c.1 > 1);
        let shares = |c: &(&str, u32, usize)| part.chars().any(|x| c.0.contains(x));
        if chosen.len() < MOST_TERMS && !single && !chosen.iter().any(shares) {
            chosen.push((part, n, at));
        }
    }
    chosen
}

fn score(part: &str, n: u32, first: usize) -> Telling {
    Telling { word: part.to_lowercase(), score: f64::from(n) * 1.5, first }
}

fn joins(c: char) -> bool {
    JOINING.contains(c) || !c.is_alphanumeric()
}

fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let outside = |c: char| !is_unspaced(c) || !c.is_alphanumeric();
    text.split(outside).filter(|r| !r.is_empty()).map(|r| (r.as_ptr() as usize - text.as_ptr() as usize, r))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let words: Vec<_> = telling(text).into_iter().map(|t| t.0).collect();
        assert_eq!(words.join(" "), expected, "{text:?}");
    }

    #[test]
    fn frequent_words_come_first_in_their_most_frequent_form() {
        check("We went camping. Camping is great, the camp was wet. A dog barked.", "camping barked wet dog");
    }

    #[test]
    fn rare_words_come_before_common_ones() {
        check("The file about the marimba", "marimba file");
    }

    #[test]
    fn what_any_note_could_say_is_left_out() {
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
        assert_eq!(telling(&text).len(), 10);
    }
}
