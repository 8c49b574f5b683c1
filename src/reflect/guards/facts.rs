//! One memory, one fact: clauses that a semicolon or an "and also" joins, several labels, several things of a life.
//!
//! Never parses: two facts in words that the lists do not know pass as one.

use super::{Flaw, Found, Kind, Read};
use crate::text::phrase::{Phrases, Token, is_capital, said};
use crate::text::prose::{label, without};
use crate::text::verbs;
use crate::text::words::is_unspaced;

static JOINS: Phrases = Phrases::new(&[
    "and|but also",
    "additionally|furthermore|moreover|besides",
    "in addition",
    "on top of that",
    "as well as also",
    "^user also",
    "plus the|user|a|an",
]);
static HAN_JOINS: Phrases = Phrases::new(&[
    "另外|此外|除此之外|除此以外|与此同时|顺便|顺带|而且|还有|以及还",
    "， 还 是|有|会|在|喜欢|养|能|爱|参加|担任",
    "， 也 会|是|在|有|养",
    "同时 ，?",
]);
const HAN_ONE: &[&str] =
    &["另外一", "还有效", "还有限", "只有还有", "同时区", "同时间", "不同时", "同时在线", "同时支持", "同时运行"];

/// What a life is told by: verbs, by what they tell. Two of different rows in one text are two facts.
#[rustfmt::skip]
static LIFE: [Phrases; 15] = [
    Phrases::new(&["lives|resides in|at|near|with", "'s home|city|hometown is|lies"]),
    Phrases::new(&["works as|at|in|for", "is employed", "is a|an ..2 nurse|doctor|engineer|teacher|lawyer|developer", "'s employer|job is", "works nights"]),
    Phrases::new(&["likes|loves|prefers|hates|dislikes|enjoys"]),
    Phrases::new(&["has a|an|one|two|three|four|five|#", "owns|adopted"]),
    Phrases::new(&["speaks"]), Phrases::new(&["plays"]), Phrases::new(&["drives"]), Phrases::new(&["studies"]), Phrases::new(&["uses"]),
    Phrases::new(&["is vegetarian|vegan|allergic|diabetic"]), Phrases::new(&["is married|single|divorced|engaged"]), Phrases::new(&["was|is born"]),
    Phrases::new(&["'s name is", "is called|named"]), Phrases::new(&["'s birthday is", "the birthday is"]),
    Phrases::new(&["is # years"]),
];
#[rustfmt::skip]
static HAN_LIFE: [Phrases; 15] = [
    Phrases::new(&["住在|居住|定居|现居|常驻"]), Phrases::new(&["在 ..8 工作|上班|就职|任职|当", "是 ..3 护士|医生|工程师|教师|律师|程序员"]),
    Phrases::new(&["喜欢|喜爱|讨厌|厌恶|偏好|热爱|不爱"]), Phrases::new(&["养了|养着", "有 一|两|三|四|五|# 个|只|条|辆|套|台"]), Phrases::new(&["会说|会讲"]), Phrases::new(&["会弹|打羽毛球|打篮球|踢足球|下棋|弹钢琴|弹吉他", "听 ..4 音乐|歌|播客"]),
    Phrases::new(&["开 沃尔沃|宝马|奔驰|特斯拉|一辆|一家"]), Phrases::new(&["在读|就读|攻读|在学|学习"]), Phrases::new(&["过敏|素食|吃素|糖尿病|服用|患有|近视"]), Phrases::new(&["已婚|未婚|单身|离异"]), Phrases::new(&["出生|毕业于"]), Phrases::new(&["名字是|名叫|姓名"]),
    Phrases::new(&["生日"]), Phrases::new(&["今年 # 岁", "# 岁"]), Phrases::new(&["用户用|使用", "^用 ..12 编辑器|终端|系统|浏览器|键盘|软件|Helix|Vim|Emacs"]),
];

/// What shows that a text tells several things.
pub fn several(read: &Read<'_>, kind: Kind) -> Option<Found> {
    let found = |what: &str| Some(Found::new(Flaw::ManyFacts, what));
    if let Some(what) = labels(read.prose) {
        return found(what);
    }
    if let Some(at) = semicolon(read.prose) {
        let rest = &read.prose[at..];
        return found(rest.char_indices().nth(25).map_or(rest, |(n, _)| &rest[..n]));
    }
    for (i, (sentence, tokens)) in read.english().enumerate() {
        let joined = JOINS.find(tokens).filter(|r| i > 0 || tokens[r.start].text != "user");
        if let Some(range) = joined {
            return found(said(sentence, tokens, range));
        }
        if let Some(range) = second(tokens).filter(|_| kind == Kind::Fact) {
            return found(said(sentence, tokens, range));
        }
    }
    if let Some(what) = HAN_JOINS.find_han(&without(read.prose, HAN_ONE)).filter(|_| read.han) {
        return found(what);
    }
    (kind == Kind::Fact && life(read) > 1).then(|| Found::new(Flaw::ManyFacts, ""))
}

/// A second clause with a subject of its own ("and Bo plays the oboe"), or a second thing that the user does, if it
/// does not go back to the first ("knits socks and gives them away").
fn second(tokens: &[Token<'_>]) -> Option<std::ops::Range<usize>> {
    const LINKS: [&str; 8] = ["because", "so", "when", "that", "if", "who", "which", "where"];
    const BACK: [&str; 12] =
        ["it", "them", "its", "their", "there", "then", "this", "these", "one", "both", "him", "her"];
    let verbs = verbs::presents(tokens);
    let word = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    let (first, rest) = verbs.split_first()?;
    rest.iter().find_map(|second| {
        let between = first + 1..*second;
        let and = between.clone().rfind(|i| matches!(word(*i), "and" | "but" | "while" | "whereas"))?;
        let linked = between.clone().any(|i| LINKS.contains(&word(i)));
        let back = tokens[*second..].iter().any(|t| BACK.contains(&t.text.as_str()));
        let subject = *second > and + 1 && is_capital(tokens[and + 1].surface) && second - and < 6;
        let own = *second == and + 1 && and > first + 1 && word(0) == "user" && *first < 3 && word(second + 1) != "to";
        (!linked && !back && (subject || own)).then_some(and..*second + 1)
    })
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
        .filter_map(|(i, clause)| HAN_LIFE.iter().position(|row| row.find_han(clause).is_some()).map(|row| (i, row)));
    english.max(distinct(all.collect())).max(copulas(read.prose))
}

/// Clauses that each say what something is: "牙医是林医生，房东是赵先生".
fn copulas(prose: &str) -> usize {
    const OTHER: [&str; 14] = [
        "是否", "还是", "不是", "但是", "于是", "只是", "就是", "总是", "都是", "可是", "若是", "凡是", "而是", "正是",
    ];
    let clear = without(prose, &OTHER);
    clear.split(['，', '。', ',']).filter(|c| c.find('是').is_some_and(|at| at > 0)).count()
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
        if let Some(row) = LIFE.iter().position(|row| row.here(tokens, i).is_some()).filter(|_| !inner(i)) {
            out.push(row);
        }
    }
    out
}
