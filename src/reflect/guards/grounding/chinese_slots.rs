//! Finds a value of a Chinese text that took the place of another one: 早上八点开诊，七点半到岗 does not say 早上七点半开诊.
//!
//! Never compares what only the text has: its other characters must all stand in the clause that has the other value.

use super::clauses;
use crate::text::chinese_words::chinese_words;
use crate::text::phrase::has_unspaced_script;
use crate::text::words::is_unspaced;

/// Characters that say little of their own.
const LIGHT: &str = "的了着过是在都就也很还用户所们团队项目吧呢我咱得要会能可以应该";
/// First words of a clause that goes on with the one before it: 养了两只猫，还有三只狗.
const CONTINUATIONS: [&str; 12] = ["还", "也", "以及", "和", "加", "另", "再", "及", "跟", "他", "她", "它"];
/// Characters that no value starts with.
const NOT_AT_START: [char; 8] = ['是', '的', '了', '在', '也', '就', '叫', '过'];
/// The longest value, in characters.
const MAX_VALUE: usize = 12;
/// So many characters before and after a value must be the same; the end of a clause counts as one.
const MIN_FRAME: usize = 3;

/// Maximum number of characters of a word for what something belongs to.
const MAX_OWNER: usize = 4;

/// A value of a text that stands in another clause than the rest of it, where that clause has another value.
/// `others`: turns that the value may be from, too.
pub(super) fn value_of_another_place(text: &str, quoted: &str, others: &[&str]) -> Option<String> {
    if !has_unspaced_script(text) {
        return None;
    }
    let plain = text.trim().trim_end_matches(['。', '.', '！']);
    let is_left_out = |owner: &str| !quoted.contains(owner) && owner.chars().count() <= MAX_OWNER;
    // 工程的质保从四月一号开始算: what it belongs to, and 开始, need not be in the clause.
    let bare = plain.split_once('的').filter(|(owner, rest)| is_left_out(owner) && rest.chars().count() > MIN_FRAME);
    moved_value(plain, quoted, others)
        .or_else(|| moved_value(&bare.map_or(plain, |(_, rest)| rest).replace("开始", ""), quoted, others))
}

fn moved_value(text: &str, quoted: &str, others: &[&str]) -> Option<String> {
    let own: Vec<char> = text.chars().collect();
    let chars = |clause: &str| clause.chars().collect::<Vec<char>>();
    let all: Vec<Vec<char>> = clauses_with_predicates(quoted).iter().map(|clause| chars(clause)).collect();
    let elsewhere: Vec<Vec<char>> = others.iter().flat_map(|text| clauses(text)).map(chars).collect();
    let starts = |at: usize| at == 0 || starts_value(&own, at);
    for start in (0..own.len()).filter(|at| starts(*at) && !NOT_AT_START.contains(&own[*at])) {
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
            let Some(home) = all
                .iter()
                .find(is_home)
                .map(Some)
                .or_else(|| elsewhere.iter().any(|clause| is_home(&clause)).then_some(None))
            else {
                continue;
            };
            if all.iter().any(|clause| is_replaced(&own, start..end, clause, home, &value))
                && !has_frame(quoted, &own, start..end)
            {
                return Some(value);
            }
        }
    }
    None
}

/// The clauses of a text; one that begins with a verb without a subject stands behind the clause that it goes on with.
fn clauses_with_predicates(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut last = "";
    for clause in clauses(text) {
        if clause.starts_with(PREDICATE_OPENINGS) {
            found.pop();
            found.push(format!("{last}{clause}"));
        } else {
            found.push(clause.to_owned());
        }
        last = clause;
    }
    found
}

/// First characters of a clause that has its subject in the clause before it: 叫南枝.
const PREDICATE_OPENINGS: [char; 2] = ['叫', '姓'];

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

/// Whether a clause has all that a text says but for a value, in whose place it has another one. `home`: the clause of
/// the same turn that has the value.
fn is_replaced(
    own: &[char],
    value: std::ops::Range<usize>,
    clause: &[char],
    home: Option<&Vec<char>>,
    text: &str,
) -> bool {
    let plain: String = clause.iter().collect();
    let goes_on = CONTINUATIONS.iter().any(|word| plain.trim().starts_with(word));
    // What another turn has is not gone on with.
    if plain.contains(text) || home.is_some_and(|home| goes_on || std::ptr::eq(clause, home.as_slice())) {
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
    // 乙方是恒达, 乙方写顺丰: a light verb before the value may be another one.
    let light = before.iter().rev().take_while(|c| LIGHT.contains(**c)).count();
    let shorter = &before[..before.len() - light];
    let frames = [Some(before), Some(shorter).filter(|shorter| home.is_none() && light > 0 && !shorter.is_empty())];
    let has_frame = |before: &[char], at: usize| {
        let opens = is_light(before) && is_light(&clause[..at]);
        let left = common_end(before, &clause[..at]).max(usize::from(opens));
        left > 0
            && (at + 1..=clause.len().min(at + MAX_VALUE)).any(|end| {
                let right = common_start(after, &clause[end..]);
                let ends = usize::from(after.is_empty() && clause[end..].is_empty());
                let has_side = right > 0 || ends > 0;
                // 用Notion写日记, 写日记用思源: the verb of the value is the same.
                let has_verb = before.last().is_some_and(|c| VALUE_VERBS.contains(c)) && clause[end..].is_empty();
                let is_same = has_side && left + right + ends >= MIN_FRAME || home.is_none() && !opens && has_verb;
                // 质保从完工那天算, 质保从四月一号算: so much beside a value that any other takes its place.
                let is_framed = home.is_some() && left >= MIN_FRAME && right > 0;
                is_same && is_like(&own[value.clone()], &clause[at..end], is_framed)
            })
    };
    frames.into_iter().flatten().any(|before| (0..clause.len()).any(|at| has_frame(before, at)))
}

/// Verbs whose object may stand before or behind what it is for.
const VALUE_VERBS: [char; 5] = ['用', '在', '找', '跟', '去'];

/// Whether two values are of one form: both with a digit or a word for a number, or neither, unless a frame makes them
/// rivals.
fn is_like(a: &[char], b: &[char], is_framed: bool) -> bool {
    let counts = |text: &[char]| text.iter().any(|c| c.is_ascii_digit() || "一二两三四五六七八九十百千半".contains(*c));
    let has_content = b.iter().any(|c| !LIGHT.contains(*c) && !matches!(c, '他' | '她' | '它'));
    // 月底盘点 beside 盘点 says more, and nothing else.
    let is_part = |part: &[char], whole: &[char]| whole.windows(part.len().max(1)).any(|window| window == part);
    (is_framed || counts(a) == counts(b)) && has_content && !is_part(b, a) && !is_part(a, b) && (names(b) || !names(a))
}

/// Whether a value has a word for a thing: 现在 in 现在跑在内网 stands in no thing's place.
fn names(value: &[char]) -> bool {
    let text: String = value.iter().collect();
    chinese_words(&text).iter().any(|word| word.class.is_nominal() || word.class.is_verbal())
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
            assert_eq!(value_of_another_place(text, source, &[]).as_deref(), expected, "{text} / {source}");
        };
        check("用户所在的门诊早上七点半开诊。", "我们门诊是早上八点开诊，七点半就得到岗", Some("七点半"));
        check("用户所在的门诊早上八点开诊。", "我们门诊是早上八点开诊，七点半就得到岗", None);
        check("用户2016年开店。", "我2016年学的烘焙，2019年开店", Some("2016年"));
        check("前端用的是 webpack。", "我们前端用的是 Vite,webpack 那套配置早删了", Some("webpack"));
        check("前端用的是 Vite。", "我们前端用的是 Vite,webpack 那套配置早删了", None);
        check("这批布是从广州拿的货。", "这批布是从柯桥拿的货,广州那边太贵", Some("广州"));
        check("用户2018年进厂当学徒。", "我2016年进厂当学徒，2018年出师单干", Some("2018年"));
        check("用户2016年进厂当学徒。", "我2016年进厂当学徒，2018年出师单干", None);
        check("代账会计每月要票。", "代账会计姓骆，她每月要票", None);
        assert_eq!(
            value_of_another_place("用户用Notion写日记。", "我写日记用思源", &["可以做成Notion的"]).as_deref(),
            Some("Notion")
        );
        check("后端用 FastAPI。", "前端用 Vite,后端用 FastAPI", None);
        check("用户养了三只狗。", "我养了两只猫，还有三只狗", None);
        check("前端用的是 Vite。", "前端用的是 webpack，不对，用的是 Vite", None);
        check("团队周五只写文档不写代码。", "周五我们不写代码，只写文档", None);
        check("这个 crate 不需要 nightly。", "这个 crate 用 stable 就能编译，不需要 nightly", None);
    }
}
