//! Recognises a comparison that is stated from its other side: "A costs less than B" for "B costs more than A", 二班比三班低
//! for 三班比二班高.
//!
//! Never says that a comparison is wrong: `order` compares sides.

use std::collections::HashSet;

use super::super::possible_contradiction::are_antonyms;
use super::english::{base_stem, spaced_words};
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::Statement;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Two qualities a line, of which one is the other from the other side.
const HAN_QUALITIES: PhraseList = phrase_list!("guards/grounding/qualities.zh.txt");
/// What is no more so than what follows, in Chinese.
const HAN_LESS: [&str; 3] = ["没有", "不如", "不及"];

/// The words of a comparison that need no counterpart, because a clause compares the same things the other way round;
/// empty if none does.
pub(super) fn reversed_words<'a>(text: &str, mut clauses: impl Iterator<Item = &'a str>) -> Vec<String> {
    if has_unspaced_script(text) {
        let Some(own) = HanComparison::of(text) else { return Vec::new() };
        let reversed = clauses.find_map(|clause| own.word_reversed_in(&HanComparison::of(clause)?));
        return reversed.into_iter().collect();
    }
    let Some(own) = Comparison::of(text) else { return Vec::new() };
    match clauses.any(|clause| Comparison::of(clause).is_some_and(|said| own.is_reversed(&said))) {
        true => own.words,
        false => Vec::new(),
    }
}

/// "A costs more than B".
struct Comparison {
    sides: [HashSet<String>; 2],
    /// Stem of the adjective, or of the verb with "more" or "less".
    quality: String,
    is_less: bool,
    /// The words that compare, in lower case.
    words: Vec<String>,
}

impl Comparison {
    fn of(text: &str) -> Option<Comparison> {
        let spaced = spaced_words(text);
        let words: Vec<&str> = spaced.trim().split(' ').collect();
        let than = words.iter().position(|word| *word == "than")?;
        let near = than.saturating_sub(3)..than;
        let degree = near.clone().rev().find(|i| matches!(words[*i], "more" | "less" | "fewer"));
        let (quality, at) = match degree {
            // "more expensive than"
            Some(at) if at + 2 == than => (base_stem(words[at + 1]), at),
            // "costs us more than"
            Some(at) => {
                let verb = (0..at).rev().find(|i| words[*i].len() > 2)?;
                (base_stem(words[verb]), verb)
            }
            None => {
                let at = near.rev().find(|i| words[*i].ends_with("er") || words[*i] == "worse")?;
                (comparative_base(words[at]), at)
            }
        };
        let is_less = degree.is_some_and(|at| words[at] != "more");
        // What costs less is cheaper.
        let (quality, is_less) = match (quality.as_str(), is_less) {
            ("cost", false) => ("expens".to_owned(), false),
            ("cost", true) => ("cheap".to_owned(), false),
            _ => (quality, is_less),
        };
        let keys = |words: &[&str]| Statement::of(&words.join(" ")).content().map(|t| t.key.clone()).collect();
        Some(Comparison {
            sides: [keys(&words[..at]), keys(&words[than + 1..])],
            quality,
            is_less,
            words: words[at..than].iter().map(|word| (*word).to_owned()).collect(),
        })
    }

    fn is_reversed(&self, said: &Comparison) -> bool {
        let is_opposite = match self.quality == said.quality {
            true => self.is_less != said.is_less,
            false => self.is_less == said.is_less && are_antonyms(&self.quality, &said.quality),
        };
        is_opposite && crosses(&self.sides, &said.sides)
    }
}

/// Whether each side of one comparison has a word of the other side of another one, and none of its own.
fn crosses([left, right]: &[HashSet<String>; 2], [said_left, said_right]: &[HashSet<String>; 2]) -> bool {
    let only = |a: &HashSet<String>, b: &HashSet<String>| a.difference(b).cloned().collect::<HashSet<String>>();
    let (own_left, own_right) = (only(left, right), only(right, left));
    !own_left.is_disjoint(said_right)
        && !own_right.is_disjoint(said_left)
        && own_left.is_disjoint(&only(said_left, said_right))
        && own_right.is_disjoint(&only(said_right, said_left))
}

/// The stem of the adjective of a comparative: cheaper, larger, heavier, bigger.
pub(super) fn comparative_base(word: &str) -> String {
    let Some(base) = word.strip_suffix("er") else { return base_stem(if word == "worse" { "bad" } else { word }) };
    if word == "better" {
        return base_stem("good");
    }
    if let Some(base) = base.strip_suffix('i') {
        return base_stem(&format!("{base}y"));
    }
    let doubled = base.len() > 3 && base.as_bytes()[base.len() - 1] == base.as_bytes()[base.len() - 2];
    match doubled && !base.ends_with("ll") && !base.ends_with("ss") {
        true => base_stem(&base[..base.len() - 1]),
        false => base_stem(base),
    }
}

/// 甲比乙高, 甲没有乙高.
struct HanComparison<'a> {
    left: &'a str,
    /// What it is compared with, and the quality.
    tail: &'a str,
    is_less: bool,
}

impl HanComparison<'_> {
    fn of(text: &str) -> Option<HanComparison<'_>> {
        let (is_less, (left, tail)) = match text.split_once('比') {
            Some(parts) => (false, parts),
            None => (true, HAN_LESS.iter().find_map(|word| text.split_once(word))?),
        };
        (!left.is_empty() && !tail.is_empty()).then_some(HanComparison { left, tail, is_less })
    }

    /// The word of quality, if another comparison has the same things in each other's place.
    fn word_reversed_in(&self, said: &HanComparison<'_>) -> Option<String> {
        let shares = |a: &str, b: &str, not: &str| {
            let chars: Vec<char> = a.chars().filter(|c| is_unspaced(*c)).collect();
            chars.windows(2).any(|pair| {
                let pair: String = pair.iter().collect();
                b.contains(&pair) && !not.contains(&pair)
            })
        };
        let crosses = shares(self.left, said.tail, said.left) && shares(said.left, self.tail, self.left);
        if !crosses || shares(self.left, said.left, said.tail) {
            return None;
        }
        if self.is_less != said.is_less {
            let is_quality = |c: char| is_unspaced(c) && !self.left.contains(c) && !said.left.contains(c);
            return self.tail.chars().any(|c| is_quality(c) && said.tail.contains(c)).then(|| "没有".to_owned());
        }
        HAN_QUALITIES.iter().find_map(|line| {
            let (a, b) = line.split_once(' ')?;
            let has = |x: &str, y: &str| {
                self.tail.contains(x)
                    && said.tail.contains(y)
                    && !self.tail.contains(y)
                    && ![self.left, said.left].iter().any(|side| side.contains(x) || side.contains(y))
            };
            [(a, b), (b, a)].into_iter().find(|(x, y)| has(x, y)).map(|(x, _)| x.to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_may_be_stated_from_its_other_side() {
        for (text, source, expected) in [
            ("Rendering costs less than the physics step", "the physics step costs us more than rendering", true),
            ("Gymnastics costs more than swimming", "swimming is cheaper than gymnastics here", true),
            ("Nora is younger than Finn", "Finn is older than Nora", true),
            ("Nora is older than Finn", "Finn is older than Nora", false),
            ("Rendering costs less than the physics step", "rendering costs more than the physics step", false),
            ("二班的平均分比三班低两分", "三班比二班平均高两分", true),
            ("走杭瑞比走沪昆费油", "走沪昆比走杭瑞省油", true),
            ("杜鹃没有山茶耐冻", "山茶比杜鹃耐冻", true),
            ("杜鹃比山茶耐冻", "山茶比杜鹃耐冻", false),
            ("山茶没有杜鹃耐冻", "山茶比杜鹃耐冻", false),
            ("旧房东比新房东好说话", "新房东比旧房东好说话", false),
        ] {
            assert_eq!(!reversed_words(text, [source].into_iter()).is_empty(), expected, "{text} / {source}");
        }
    }
}
