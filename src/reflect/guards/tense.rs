//! Episodes tell in the past: a finite verb in the present or the future gives one away.
//!
//! Never parses: works from lists of verbs and what stands before them. Chinese verbs have no tense, so there only
//! markers (正在, 将, 打算) tell.

use super::{Flaw, Found, Read};
use crate::text::phrase::{Token, find, find_han, here, is_capital, said};
use crate::text::prose::{label, without};

/// Labels whose value holds in general or lies ahead.
#[rustfmt::skip]
const TIMELESS: &[&str] = &[
    "lesson", "lessons", "learned", "learnt", "rule", "next", "next step", "next steps", "open", "open question",
    "todo", "to do", "follow-up", "follow up", "question", "date", "updated", "tags", "link", "links", "involved",
    "id", "source", "教训", "经验", "规则", "下一步", "待办", "后续", "问题待定", "日期", "更新", "标签", "链接", "参与", "来源",
];

const HELPERS: &[&str] = &[
    "is|are|am|isn't|aren't|has|hasn't|does|doesn't|don't|can't|cannot|won't|will|can|shall",
    "have|haven't been|not|never|to|-ed",
];
/// Words before a helper that make it a noun, or no present.
const HELPED: &[&str] =
    &["to", "would", "could", "should", "might", "must", "may", "not", "a", "the", "free", "'s", "tin", "as"];

/// Third persons that are rarely plural nouns.
#[rustfmt::skip]
const CLEAR: &[&str] = &[
    "accepts", "adds", "agrees", "allows", "appears", "applies", "arrives", "asks", "becomes", "begins", "believes",
    "belongs", "brings", "chooses", "comes", "compares", "complains", "confirms", "considers", "contains",
    "continues", "creates", "decides", "depends", "describes", "disagrees", "discusses", "does", "emphasizes",
    "enables", "ends", "exists", "expects", "explains", "explores", "fails", "feels", "finds", "gets", "gives",
    "goes", "happens", "implements", "improves", "includes", "intends", "introduces", "investigates", "involves",
    "keeps", "knows", "learns", "leaves", "lets", "loses", "makes", "means", "meets", "mentions", "migrates",
    "moves", "occurs", "offers", "opens", "prefers", "presents", "proposes", "provides", "reads", "realizes",
    "recommends", "refactors", "refuses", "rejects", "remains", "removes", "replaces", "replies", "requires",
    "resolves", "returns", "says", "seems", "sends", "shares", "solves", "starts", "stays", "stops", "suggests",
    "switches", "takes", "tells", "thinks", "tries", "understands", "updates", "uses", "wants", "wonders", "writes",
];
/// Third persons that may well be nouns: only behind who acts.
#[rustfmt::skip]
const NOUNY: &[&str] = &[
    "breaks", "builds", "calls", "causes", "changes", "checks", "crashes", "debates", "deploys", "documents", "fixes",
    "hangs", "helps", "hopes", "likes", "lives", "looks", "loves", "merges", "needs", "plans", "promises", "pulls",
    "pushes", "reports", "requests", "reviews", "runs", "sees", "shows", "struggles", "supports", "talks", "tests",
    "turns", "visits", "works", "worries",
];
#[rustfmt::skip]
const ACTORS: &[&str] = &[
    "user", "team", "assistant", "agent", "client", "server", "vendor", "company", "customer", "manager", "project",
    "parser", "importer", "driver", "app", "api", "service", "script", "bot", "who", "which", "that", "everybody",
    "nobody", "someone", "everyone", "also", "still", "now", "often", "always", "usually", "developer", "engineer",
    "pipeline", "library", "system", "tool", "model", "doctor",
];
/// Words before a third person that make it a plural noun.
#[rustfmt::skip]
const NOUNED: &[&str] = &[
    "the", "a", "an", "this", "these", "those", "'s", "of", "for", "in", "on", "with", "to", "from", "by", "all",
    "some", "new", "old", "no", "any", "more", "several", "few", "many", "two", "three", "four", "five", "six",
    "release", "status", "security", "price", "daily", "weekly", "between", "about", "per", "both", "and",
];
/// Plain forms: behind a plural, or at the start as an order.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "add", "agree", "ask", "build", "change", "check", "choose", "create", "decide", "delete", "deploy", "discuss",
    "document", "drop", "explain", "find", "fix", "get", "implement", "improve", "investigate", "keep", "know",
    "learn", "like", "look", "make", "meet", "merge", "migrate", "move", "need", "plan", "prefer", "refactor",
    "release", "remove", "rename", "replace", "review", "rewrite", "run", "send", "start", "stop", "switch", "test",
    "think", "try", "update", "upgrade", "use", "want", "work", "write",
];
const MANY: &[&str] = &["team", "users", "developers", "engineers", "members", "tests", "clients", "people", "both"];
const DETERMINERS: &[&str] = &["the", "a", "an", "all", "this", "that", "these", "support", "every", "each"];
#[rustfmt::skip]
const PAST: &[&str] = &[
    "was", "were", "had", "did", "went", "took", "made", "got", "came", "broke", "found", "gave", "led", "left",
    "lost", "met", "ran", "said", "saw", "sent", "shut", "told", "thought", "won", "wrote", "chose", "became", "began",
    "brought", "bought", "built", "cost", "cut", "fell", "felt", "grew", "held", "kept", "knew", "put", "read", "rose",
    "set", "sold", "spent", "spoke", "stood", "taught", "froze", "understood", "withdrew",
];

#[rustfmt::skip]
const HAN: &[&str] = &[
    "正在|正忙|正着手|正准备|正等|正打算|正考虑|正处于", "用户|团队|张伟|李雷 正", "仍在|还在|仍未|依旧在", "将要|将会|将于|将在|将把|将被|将由|将从|将对|将为|即将", "会议 将",
    "会 在|于|把|被|负责|发布|继续|很快|尽快|派|给|由|再", "打算|想要|想把|想在|希望", "准备 把|将|重|在|用|去|换|迁|发|修|做|写|搬|开始", "计划 在|于|将|把|下|明|用|迁|重|换|去|年|本|前往",
    "目前|现在|眼下|如今|当下", "快要|就要|马上|很快就", "要 在|去|把|重启|换|用|迁", "考虑 改|换|用|把|迁|使用", "待 合并|修复|确认|处理|定|办|发布|审", "需要 尽快|马上|重新|再",
];
#[rustfmt::skip]
const HAN_PAST: &[&str] = &[
    "会议", "议会", "社会", "机会", "学会", "开会", "协会", "例会", "周会", "晨会", "站会", "聚会", "工会", "委员会", "误会", "体会", "约会",
    "宴会", "会话", "会员", "会计", "会上", "会后", "展会", "大会", "晚会", "年会", "发布会", "董事会", "教会", "茶话会", "计划书", "计划表", "计划了",
    "的计划", "主要", "重要", "必要", "需要的", "要求", "要点", "概要", "摘要", "纪要", "希望小学", "马上海", "不要", "只要", "要不要", "是否要",
    "打算盘", "待办", "待遇", "等待",
];

/// The first words that are not in the past.
pub fn tense(read: &Read<'_>) -> Option<Found> {
    if label(read.text).is_some_and(|(l, _)| TIMELESS.contains(&l.to_lowercase().as_str())) {
        return None;
    }
    let english = read.english().find_map(|(sentence, tokens)| english(sentence, tokens));
    let han = || {
        let clear = without(read.prose, HAN_PAST);
        find_han(&clear, HAN).map(str::to_owned)
    };
    let what = english.or_else(|| if read.han { han() } else { None })?;
    Some(Found::new(Flaw::NotPastTense, &what))
}

fn english(sentence: &str, tokens: &[Token<'_>]) -> Option<String> {
    let start = label(sentence).map_or(0, |(_, value)| sentence.len() - value.len());
    let first = tokens.iter().position(|t| t.at >= start).unwrap_or(tokens.len());
    let tokens = &tokens[first..];
    let told = |range| Some(said(sentence, tokens, range).to_owned());
    for i in 0..tokens.len() {
        let previous = i.checked_sub(1).map_or("", |p| tokens[p].text.as_str());
        if is_present(tokens, i, previous) {
            return told(i.saturating_sub(1)..i + 1);
        }
    }
    let opening = tokens.first()?;
    let next = tokens.get(1).map_or("", |t| t.text.as_str());
    let past = tokens.iter().any(|t| t.text.len() > 3 && t.text.ends_with("ed") || PAST.contains(&t.text.as_str()));
    let orders = PLAIN.contains(&opening.text.as_str()) && DETERMINERS.contains(&next);
    let going = opening.text.len() > 4 && opening.text.ends_with("ing") && tokens.len() > 2;
    if !past && (orders || going) { told(0..1) } else { None }
}

fn is_present(tokens: &[Token<'_>], i: usize, previous: &str) -> bool {
    let token = &tokens[i];
    let word = token.text.as_str();
    let next = tokens.get(i + 1);
    let next_word = next.map_or("", |t| t.text.as_str());
    if here(tokens, i, HELPERS).is_some() {
        let name = is_capital(token.surface) && next.is_some_and(|t| is_capital(t.surface));
        return !(HELPED.contains(&previous) || name);
    }
    let named = is_capital(token.surface) && i > 0;
    let passive = matches!(next_word, "were" | "was" | "had" | "of");
    if named || passive {
        return false;
    }
    if CLEAR.contains(&word) {
        return i > 0 && !NOUNED.contains(&previous);
    }
    let name_before = i > 0 && is_capital(tokens[i - 1].surface) && i > 1 || previous == "user";
    if NOUNY.contains(&word) {
        return i > 0 && (ACTORS.contains(&previous) || name_before && !NOUNED.contains(&previous));
    }
    let pair = i > 1 && tokens[i - 2].text == "and" && is_capital(tokens[i - 1].surface);
    PLAIN.contains(&word)
        && i > 0
        && (pair || MANY.contains(&previous))
        && find(&tokens[..i], &["did|to|would"]).is_none()
        && !matches!(word, "cut" | "put" | "set" | "read" | "test" | "build" | "run" | "release" | "review")
}
