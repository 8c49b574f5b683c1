//! Which of two things a statement puts above the other, in many ways to say it: "prefers A to B", "A beats B",
//! 比起B更爱A, A胜过B, 首选A，其次B.
//!
//! Never compares measures that differ: only whether the same things change places.

use super::super::grounding::english::spaced_words;
use crate::text::phrase::has_unspaced_script;
use crate::text::stem;
use crate::text::stopwords::is_stopword;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Patterns with `A` for what is above and `B` for what is below; what stands between is as written.
const PATTERNS: PhraseList = phrase_list!("guards/contradiction/preferences.txt");
/// Measures of which the lower one does not make a thing better: slower, 便宜.
const OTHER_WAYS: [(&str, &str); 12] = [
    ("faster", "slower"),
    ("better", "worse"),
    ("cheaper", "dearer"),
    ("older", "younger"),
    ("bigger", "smaller"),
    ("more", "less"),
    ("快", "慢"),
    ("好", "差"),
    ("大", "小"),
    ("高", "低"),
    ("多", "少"),
    ("难", "容易"),
];

/// Whether what one statement puts above is what another one puts below, and the other way round.
pub(super) fn prefers_the_other(a: &str, b: &str) -> bool {
    if measures_otherwise(a, b) {
        return false;
    }
    sides(a).into_iter().any(|(above, below)| {
        sides(b).into_iter().any(|(other_above, other_below)| {
            is_same(&above, &other_below) && is_same(&below, &other_above) && !is_same(&above, &other_above)
        })
    })
}

fn measures_otherwise(a: &str, b: &str) -> bool {
    OTHER_WAYS.iter().any(|(x, y)| a.contains(x) && b.contains(y) || a.contains(y) && b.contains(x))
}

/// What each pattern finds above and below.
fn sides(text: &str) -> Vec<(String, String)> {
    let is_han = has_unspaced_script(text);
    let text = if is_han {
        text.to_lowercase().replace("在用户看来，", "").replace("在用户看来", "").replace("用户", "")
    } else {
        spaced_words(text)
    };
    let patterns = PATTERNS.iter().filter(|pattern| pattern.chars().any(is_unspaced) == is_han);
    patterns.filter_map(|pattern| matched_sides(&text, pattern)).collect()
}

/// The texts at `A` and `B` of a pattern, which its other parts separate.
fn matched_sides(text: &str, pattern: &str) -> Option<(String, String)> {
    let at = |c: char| pattern.find(c);
    let (a, b) = (at('A')?, at('B')?);
    let (first, second) = (a.min(b), a.max(b));
    let (before, between, after) = (&pattern[..first], &pattern[first + 1..second], &pattern[second + 1..]);
    let (_, rest) = if before.is_empty() { ("", text) } else { text.split_once(before)? };
    let (left, rest) = rest.split_once(between).filter(|_| !between.is_empty())?;
    let ends = |c: char| matches!(c, '，' | '。' | '；');
    let right = if after.is_empty() { rest.split(ends).next().unwrap_or(rest) } else { rest.split_once(after)?.0 };
    let (left, right) = (left.trim().to_owned(), right.trim().to_owned());
    let is_side = |side: &str| !side.is_empty() && side.chars().count() <= 40;
    let sides = if a < b { (left, right) } else { (right, left) };
    (is_side(&sides.0) && is_side(&sides.1)).then_some(sides)
}

/// Whether two sides name the same: a word, or in Chinese a pair of characters.
fn is_same(a: &str, b: &str) -> bool {
    if has_unspaced_script(a) || has_unspaced_script(b) {
        let chars: Vec<char> = a.chars().filter(|c| !"的上里了在是看".contains(*c)).collect();
        let latin = |text: &str| -> Vec<String> {
            let words = crate::text::phrase::word_tokens(text).into_iter().map(|w| w.text);
            words.filter(|w| w.len() > 1).collect()
        };
        let (own, its) = (latin(a), latin(b));
        return own.iter().any(|word| its.contains(word))
            || chars
                .windows(2)
                .any(|pair| pair.iter().all(|c| is_unspaced(*c)) && b.contains(&pair.iter().collect::<String>()))
            || chars.len() == 1 && b.contains(chars[0]);
    }
    let words = |text: &str| -> Vec<String> {
        let all = text.split(' ').filter(|w| w.len() > 1 && !is_stopword(w) && *w != "user");
        all.map(|w| stem(w).into_owned()).collect()
    };
    let its = words(b);
    words(a).iter().any(|word| its.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_above_and_below_may_change_places() {
        for (a, b) in [
            ("Prefers mountains to the sea.", "The sea beats the mountains for the user."),
            ("Would take a window over an aisle.", "An aisle is better than a window."),
            ("比起电影，用户更爱看话剧。", "用户看电影多过看话剧。"),
            ("用户写界面首选 Flutter，其次 SwiftUI。", "在用户看来 SwiftUI 比 Flutter 顺手。"),
        ] {
            assert!(prefers_the_other(a, b) && prefers_the_other(b, a), "{a} / {b}");
        }
        for (a, b) in [
            ("Prefers tea to coffee.", "Prefers water to soda."),
            ("The new cluster is faster than the old one.", "The old cluster is slower than the new one."),
            ("用户喜欢火车胜过飞机。", "用户喜欢火车胜过大巴。"),
        ] {
            assert!(!prefers_the_other(a, b), "{a} / {b}");
        }
    }
}
