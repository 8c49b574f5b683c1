//! One memory, one fact: clauses that a semicolon or an "and also" joins, several labels, several things of a life.
//!
//! Never parses: two facts in words that the lists do not know pass as one.

use super::{Flaw, Found, Kind, Read};
use crate::text::phrase::{Token, find, find_han, here, said};
use crate::text::prose::{label, without};
use crate::text::words::is_unspaced;

const JOINS: &[&str] = &[
    "and|but also",
    "additionally|furthermore|moreover|besides",
    "in addition",
    "on top of that",
    "as well as also",
    "^user also",
    "plus the|user|a|an",
];
const HAN_JOINS: &[&str] = &["另外|此外|除此之外|除此以外|与此同时|顺便|顺带|而且|还有|以及还", "同时 ，?"];
const HAN_ONE: &[&str] =
    &["另外一", "还有效", "还有限", "只有还有", "同时区", "同时间", "不同时", "同时在线", "同时支持", "同时运行"];

/// What a life is told by: verbs, by what they tell. Two of different rows in one text are two facts.
#[rustfmt::skip]
const LIFE: &[&[&str]] = &[
    &["lives|resides in|at|near|with", "'s home|city|hometown is|lies"],
    &["works as|at|in|for", "is employed", "is a|an ..2 nurse|doctor|engineer|teacher|lawyer|developer", "'s employer|job is", "works nights"],
    &["likes|loves|prefers|hates|dislikes|enjoys"],
    &["has a|an|one|two|three|four|five|#", "owns|adopted"],
    &["speaks"], &["plays"], &["drives"], &["studies"], &["uses"],
    &["is vegetarian|vegan|allergic|diabetic"], &["is married|single|divorced|engaged"], &["was|is born"],
    &["'s name is", "is called|named"], &["'s birthday is", "the birthday is"],
    &["is # years"],
];
#[rustfmt::skip]
const HAN_LIFE: &[&[&str]] = &[
    &["住在|居住|定居|现居|常驻"], &["在 ..8 工作|上班|就职|任职", "是 ..3 护士|医生|工程师|教师|律师|程序员"],
    &["喜欢|喜爱|讨厌|厌恶|偏好|热爱|不爱"], &["养了|养着", "有 一|两|三|四|五|# 个|只|条|辆|套|台"], &["会说|会讲"], &["会弹|打羽毛球|打篮球|踢足球|下棋|弹钢琴|弹吉他"],
    &["开 沃尔沃|宝马|奔驰|特斯拉|一辆"], &["在读|就读|攻读"], &["过敏|素食|糖尿病"], &["已婚|未婚|单身|离异"], &["出生|毕业于"], &["名字是|名叫|姓名"],
    &["生日"], &["今年 # 岁", "# 岁"], &["用户用|使用"],
];

/// What shows that a text tells several things.
pub fn several(read: &Read<'_>, kind: Kind) -> Option<Found> {
    let found = |what: &str| Some(Found::new(Flaw::ManyFacts, what));
    if let Some(what) = labels(read.prose) {
        return found(what);
    }
    if let Some(at) = semicolon(read.prose) {
        let start = read.prose[..at].char_indices().rev().nth(12).map_or(0, |(n, _)| n);
        let rest = &read.prose[start..];
        return found(rest.char_indices().nth(25).map_or(rest, |(n, _)| &rest[..n]));
    }
    for (i, (sentence, tokens)) in read.english().enumerate() {
        let joined = find(tokens, JOINS).filter(|r| i > 0 || tokens[r.start].text != "user");
        if let Some(range) = joined {
            return found(said(sentence, tokens, range));
        }
    }
    if read.han {
        if let Some(what) = find_han(&without(read.prose, HAN_ONE), HAN_JOINS) {
            return found(what);
        }
    }
    (kind == Kind::Fact && life(read) > 1).then(|| Found::new(Flaw::ManyFacts, read.prose))
}

/// A second label: `Name: X, City: Y`.
fn labels(prose: &str) -> Option<&str> {
    let mut ends = vec![0];
    ends.extend(prose.match_indices([',', '，', ';', '；', '|', '.', '。']).map(|(at, m)| at + m.len()));
    let pieces = ends.iter().map(|at| prose[*at..].trim_start());
    let mut labelled = pieces.filter_map(|piece| {
        let (label, _) = label(piece)?;
        let titled = label.starts_with(char::is_uppercase) && label.split(' ').count() < 3;
        let han = label.chars().all(is_unspaced) && label.chars().count() <= 6;
        (titled || han).then_some(label)
    });
    labelled.next()?;
    labelled.next()
}

/// A semicolon outside brackets.
fn semicolon(prose: &str) -> Option<usize> {
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

/// How many things of a life a text tells: rows of [`LIFE`], in clauses of their own.
fn life(read: &Read<'_>) -> usize {
    let english: usize = {
        let all: Vec<(usize, usize)> = read
            .english()
            .enumerate()
            .flat_map(|(s, (_, tokens))| rows(tokens).into_iter().map(move |row| (s, row)))
            .collect();
        distinct(all)
    };
    if !read.han {
        return english;
    }
    let clauses =
        read.prose.split(['，', '。', '；', ',', '、']).flat_map(|c| c.split("并且")).flat_map(|c| c.split('并'));
    let all = clauses
        .enumerate()
        .filter_map(|(i, clause)| HAN_LIFE.iter().position(|row| find_han(clause, row).is_some()).map(|row| (i, row)));
    english.max(distinct(all.collect()))
}

fn distinct(mut all: Vec<(usize, usize)>) -> usize {
    all.sort_by_key(|(_, row)| *row);
    all.dedup_by_key(|(_, row)| *row);
    all.len()
}

/// The rows of a sentence whose verb is finite and the user's: not behind "who", "that", "because".
fn rows(tokens: &[Token<'_>]) -> Vec<usize> {
    let inner = |i: usize| {
        tokens[..i].iter().any(|t| matches!(t.text.as_str(), "who" | "which" | "because" | "that" | "when" | "where"))
    };
    let mut out = Vec::new();
    for i in 0..tokens.len() {
        if let Some(row) = LIFE.iter().position(|row| here(tokens, i, row).is_some()).filter(|_| !inner(i)) {
            out.push(row);
        }
    }
    out
}
