//! Episodes tell in the past: a finite verb in the present or the future gives one away.
//!
//! Never parses: works from lists of verbs and what stands before them. Chinese verbs have no tense, so there only
//! markers (正在, 将, 打算) tell.

use super::{Flaw, Found, Read};
use crate::text::phrase::{Phrases, Token, find, is_capital, said};
use crate::text::prose::{label, without};
use crate::text::verbs;

/// Labels whose value holds in general or lies ahead.
#[rustfmt::skip]
const TIMELESS: &[&str] = &[
    "lesson", "lessons", "learned", "learnt", "rule", "next", "next step", "next steps", "open", "open question",
    "todo", "to do", "follow-up", "follow up", "question", "date", "updated", "tags", "link", "links", "involved",
    "id", "source", "教训", "经验", "规则", "下一步", "待办", "后续", "问题待定", "日期", "更新", "标签", "链接", "参与", "来源",
];

static HELPERS: Phrases = Phrases::new(&[
    "is|are|am|isn't|aren't|has|hasn't|does|doesn't|don't|can't|cannot|won't|will|can|shall",
    "have|haven't been|not|never|to|-ed",
]);
/// "There's a leak".
static SHORT: Phrases = Phrases::new(&["there|it|he|she|what|who|here 's"]);
/// Words before a helper that make it a noun, or no present.
const HELPED: &[&str] =
    &["to", "would", "could", "should", "might", "must", "may", "not", "a", "the", "free", "'s", "tin", "as"];

/// Plain forms: behind a plural, or at the start as an order.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "add", "agree", "ask", "build", "change", "check", "choose", "create", "decide", "delete", "deploy", "discuss",
    "document", "drop", "explain", "find", "fix", "get", "implement", "improve", "investigate", "keep", "know",
    "learn", "like", "look", "make", "meet", "merge", "migrate", "move", "need", "plan", "prefer", "refactor",
    "release", "remove", "rename", "replace", "review", "rewrite", "run", "send", "start", "stop", "switch", "test",
    "think", "try", "update", "upgrade", "use", "want", "work", "write",
];
const MANY: &[&str] = &[
    "team",
    "parents",
    "children",
    "friends",
    "colleagues",
    "users",
    "developers",
    "engineers",
    "members",
    "tests",
    "clients",
    "people",
    "both",
];
const DETERMINERS: &[&str] = &["the", "a", "an", "all", "this", "that", "these", "support", "every", "each"];
#[rustfmt::skip]
static HAN: Phrases = Phrases::new(&[
    "正与|正和|正在|正忙|正着手|正准备|正等|正打算|正考虑|正处于", "用户|团队|张伟|李雷 正", "仍在|还在|仍未|依旧在|还没|尚未|在等|在忙|在做|在学|在找|在写|在改", "下周|下个月|明天|明年 去|来|要|会|再", "将要|将会|将于|将在|将把|将被|将由|将从|将对|将为|即将", "会议 将",
    "会 在|于|把|被|负责|发布|继续|很快|尽快|派|给|由|再|收|得|变|有|成|退|送|搬|涨", "打算|想要|想把|想在|希望", "准备 把|将|重|在|用|去|换|迁|发|修|做|写|搬|开始|买|卖|学|离|辞|结|申", "计划 在|于|将|把|下|明|用|迁|重|换|去|年|本|前往|写|买|卖|学|搬|做|参|访|开|申",
    "目前|现在|眼下|如今|当下", "快要|就要|马上|很快就", "要 在|去|把|重启|换|用|迁", "考虑 改|换|用|把|迁|使用", "待 合并|修复|确认|处理|定|办|发布|审", "需要 尽快|马上|重新|再",
]);
#[rustfmt::skip]
const HAN_PAST: &[&str] = &[
    "会议", "议会", "社会", "机会", "学会", "开会", "协会", "例会", "周会", "晨会", "站会", "聚会", "工会", "委员会", "误会", "体会", "约会",
    "宴会", "会话", "会员", "会计", "会上", "会后", "展会", "大会", "晚会", "年会", "发布会", "董事会", "教会", "茶话会", "计划书", "计划表", "计划了",
    "的计划", "主要", "重要", "必要", "需要的", "要求", "要点", "概要", "摘要", "纪要", "希望小学", "马上海", "不要", "只要", "要不要", "是否要",
    "打算盘", "待办", "待遇", "等待",
];

/// Whether the value of a label is in no tense: `Lesson: `, `Next: `.
pub fn is_timeless(label: &str) -> bool {
    TIMELESS.contains(&label.to_lowercase().as_str())
}

/// The first words that are not in the past.
pub fn tense(read: &Read<'_>) -> Option<Found> {
    if label(read.text).is_some_and(|(l, _)| is_timeless(l)) {
        return None;
    }
    let english = read.english().find_map(|(sentence, tokens)| english(sentence, tokens));
    let han = || {
        let clear = without(read.prose, HAN_PAST);
        HAN.find_han(&clear).map(str::to_owned)
    };
    let what = english.or_else(|| if read.han { han() } else { None })?;
    Some(Found::new(Flaw::NotPastTense, &what))
}

fn english(sentence: &str, tokens: &[Token<'_>]) -> Option<String> {
    let start = label(sentence).map_or(0, |(_, value)| sentence.len() - value.len());
    let first = tokens.iter().position(|t| t.at >= start).unwrap_or(tokens.len());
    let tokens = &tokens[first..];
    let told = |range| Some(said(sentence, tokens, range).to_owned());
    if let Some(i) = verbs::presents(tokens).first() {
        return told(i.saturating_sub(1)..i + 1);
    }
    for i in 0..tokens.len() {
        let previous = i.checked_sub(1).map_or("", |p| tokens[p].text.as_str());
        if is_present(tokens, i, previous) {
            return told(i.saturating_sub(1)..i + 1);
        }
    }
    if let Some(range) = SHORT.find(tokens) {
        return told(range);
    }
    let opening = tokens.first()?;
    let next = tokens.get(1).map_or("", |t| t.text.as_str());
    let past = tokens.iter().any(|t| verbs::is_past(&t.text));
    let orders = PLAIN.contains(&opening.text.as_str()) && DETERMINERS.contains(&next);
    let going = opening.text.len() > 4 && opening.text.ends_with("ing") && tokens.len() > 2;
    if !past && (orders || going) { told(0..1) } else { None }
}

fn is_present(tokens: &[Token<'_>], i: usize, previous: &str) -> bool {
    let token = &tokens[i];
    let word = token.text.as_str();
    let next = tokens.get(i + 1);
    if HELPERS.here(tokens, i).is_some() {
        let name = is_capital(token.surface) && next.is_some_and(|t| is_capital(t.surface));
        return !(HELPED.contains(&previous) || name);
    }
    if is_capital(token.surface) && i > 0 {
        return false;
    }
    let pair = i > 1 && tokens[i - 2].text == "and" && is_capital(tokens[i - 1].surface);
    PLAIN.contains(&word)
        && i > 0
        && (pair || MANY.contains(&previous))
        && find(&tokens[..i], &["did|to|would"]).is_none()
        && !matches!(word, "cut" | "put" | "set" | "read" | "test" | "build" | "run" | "release" | "review")
}
