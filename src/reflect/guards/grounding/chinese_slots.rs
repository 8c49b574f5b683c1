//! Finds a value of a Chinese text that took the place of another one: 早上八点开诊，七点半到岗 does not say 早上七点半开诊.
//!
//! Never compares what only the text has: its other characters must all stand in the clause that has the other value.

use super::clauses;
use crate::text::phrase::has_unspaced_script;
use crate::text::words::is_unspaced;

/// Characters that say little of their own.
const LIGHT: &str = "的了着过是在都就也很还用户所们团队吧呢我咱得要会能可以应该";
/// First words of a clause that goes on with the one before it: 养了两只猫，还有三只狗.
const CONTINUATIONS: [&str; 9] = ["还", "也", "以及", "和", "加", "另", "再", "及", "跟"];
/// The longest value, in characters.
const MAX_VALUE: usize = 12;
/// So many characters before and after a value must be the same; the end of a clause counts as one.
const MIN_FRAME: usize = 3;

/// A value of a text that stands in another clause than the rest of it, where that clause has another value.
pub(super) fn value_of_another_place(text: &str, sources: &[&str]) -> Option<String> {
    if !has_unspaced_script(text) {
        return None;
    }
    let own: Vec<char> = text.trim().trim_end_matches(['。', '.', '！']).chars().collect();
    let all: Vec<Vec<char>> =
        sources.iter().flat_map(|text| clauses(text)).map(|clause| clause.chars().collect()).collect();
    let whole: String = sources.join("\n");
    let starts = |at: usize| at == 0 || starts_value(&own, at);
    for start in (0..own.len()).filter(|at| starts(*at)) {
        for end in
            (start + 2..=own.len().min(start + MAX_VALUE)).filter(|end| *end == own.len() || starts_value(&own, *end))
        {
            let value: String = own[start..end].iter().collect();
            let is_home = |clause: &&Vec<char>| {
                let text: String = clause.iter().collect();
                let text = text.trim();
                // A clause of its own goes on with what is before it: 用 stable 就行，不需要 nightly.
                text.contains(&value) && text != value && !CONTINUATIONS.iter().any(|word| text.starts_with(word))
            };
            let Some(home) = all.iter().find(is_home) else { continue };
            if all.iter().any(|clause| is_replaced(&own, start..end, clause, home, &value))
                && !has_frame(&whole, &own, start..end)
            {
                return Some(value);
            }
        }
    }
    None
}

/// Whether a value may start or end here: not within a Latin word or a number.
fn starts_value(text: &[char], at: usize) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '.';
    !(is_word(text[at - 1]) && is_word(text[at]))
}

/// Whether the sources have the value with what stands beside it.
fn has_frame(sources: &str, own: &[char], value: std::ops::Range<usize>) -> bool {
    let near = |range: std::ops::Range<usize>| own[range].iter().collect::<String>();
    let before = value.start.saturating_sub(1)..value.end;
    let after = value.start..own.len().min(value.end + 1);
    (value.start > 0 && sources.contains(&near(before))) || (value.end < own.len() && sources.contains(&near(after)))
}

/// Whether a clause has all that a text says but for a value, in whose place it has another one.
fn is_replaced(own: &[char], value: std::ops::Range<usize>, clause: &[char], home: &[char], text: &str) -> bool {
    let plain: String = clause.iter().collect();
    let goes_on = CONTINUATIONS.iter().any(|word| plain.trim().starts_with(word));
    if plain.contains(text) || goes_on || std::ptr::eq(clause, home) {
        return false;
    }
    let (before, after) = (&own[..value.start], &own[value.end..]);
    let is_known = |c: &char| LIGHT.contains(*c) || c.is_whitespace() || plain.contains(*c);
    let has_content = before.iter().chain(after).filter(|c| is_unspaced(**c) && !LIGHT.contains(**c)).count() >= 2;
    if !has_content || !before.iter().chain(after).all(is_known) {
        return false;
    }
    // The longest frame: what precedes the value in both, and what follows it.
    let is_light = |text: &[char]| text.iter().all(|c| LIGHT.contains(*c) || c.is_whitespace());
    (1..clause.len()).any(|at| {
        let opens = is_light(before) && is_light(&clause[..at]);
        let left = common_end(before, &clause[..at]).max(usize::from(opens));
        left > 0
            && (at + 1..=clause.len().min(at + MAX_VALUE)).any(|end| {
                let right = common_start(after, &clause[end..]);
                let ends = usize::from(after.is_empty() && clause[end..].is_empty());
                let has_side = right > 0 || ends > 0;
                has_side && left + right + ends >= MIN_FRAME && is_like(&own[value.clone()], &clause[at..end])
            })
    })
}

/// Whether two values are of one form: both with a digit or a word for a number, or neither.
fn is_like(a: &[char], b: &[char]) -> bool {
    let counts = |text: &[char]| text.iter().any(|c| c.is_ascii_digit() || "一二两三四五六七八九十百千半".contains(*c));
    counts(a) == counts(b) && b.iter().any(|c| !LIGHT.contains(*c))
}

fn common_end(a: &[char], b: &[char]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn common_start(a: &[char], b: &[char]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_in_its_place() {
        let check = |text: &str, source: &str, expected: Option<&str>| {
            assert_eq!(value_of_another_place(text, &[source]).as_deref(), expected, "{text} / {source}");
        };
        check("用户所在的门诊早上七点半开诊。", "我们门诊是早上八点开诊，七点半就得到岗", Some("七点半"));
        check("用户所在的门诊早上八点开诊。", "我们门诊是早上八点开诊，七点半就得到岗", None);
        check("前端用的是 webpack。", "我们前端用的是 Vite,webpack 那套配置早删了", Some("webpack"));
        check("前端用的是 Vite。", "我们前端用的是 Vite,webpack 那套配置早删了", None);
        check("这批布是从广州拿的货。", "这批布是从柯桥拿的货,广州那边太贵", Some("广州"));
        check("用户2018年进厂当学徒。", "我2016年进厂当学徒，2018年出师单干", Some("2018年"));
        check("用户2016年进厂当学徒。", "我2016年进厂当学徒，2018年出师单干", None);
        check("后端用 FastAPI。", "前端用 Vite,后端用 FastAPI", None);
        check("用户养了三只狗。", "我养了两只猫，还有三只狗", None);
        check("前端用的是 Vite。", "前端用的是 webpack，不对，用的是 Vite", None);
        check("团队周五只写文档不写代码。", "周五我们不写代码，只写文档", None);
        check("这个 crate 不需要 nightly。", "这个 crate 用 stable 就能编译，不需要 nightly", None);
    }
}
