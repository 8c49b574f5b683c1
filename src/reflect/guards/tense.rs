//! Checks that episodes are in the past tense: finds finite verbs in the present or future.
//!
//! Never parses sentences: based on lists of verbs and of the words before them. Chinese verbs have no tense, so only
//! markers (正在, 将, 打算) count there.

use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, find, is_capitalized, matched_text};
use crate::text::prose_mask::{mask_phrases, split_label};
use crate::text::verbs;

/// Labels whose value is about the general case or the future.
#[rustfmt::skip]
const TIMELESS: &[&str] = &[
    "lesson", "lessons", "learned", "learnt", "rule", "next", "next step", "next steps", "open", "open question",
    "todo", "to do", "follow-up", "follow up", "question", "date", "updated", "tags", "link", "links", "involved",
    "id", "source", "教训", "经验", "规则", "下一步", "待办", "后续", "问题待定", "日期", "更新", "标签", "链接", "参与", "来源",
];

static AUXILIARIES: PhrasePatterns = PhrasePatterns::new(&[
    "is|are|am|isn't|aren't|has|hasn't|does|doesn't|don't|can't|cannot|won't|will|can|shall",
    "may|might be|not|switch|need|want|move|change|use|try|add|ask|go|take|leave|buy|sell|join|start|stop",
    "have|haven't been|not|never|to|-ed",
]);
/// Contractions of "is": "There's a leak".
static CONTRACTIONS: PhrasePatterns = PhrasePatterns::new(&["there|it|he|she|what|who|here 's"]);
/// Words before an auxiliary verb that make it a noun or not a present tense.
const BEFORE_AUXILIARY: &[&str] =
    &["to", "would", "could", "should", "might", "must", "may", "not", "a", "the", "free", "'s", "tin", "as"];

/// Base forms of verbs: present tense after a plural, imperative at the start.
#[rustfmt::skip]
const BASE_FORMS: &[&str] = &[
    "add", "agree", "ask", "build", "change", "check", "choose", "create", "decide", "delete", "deploy", "discuss",
    "document", "drop", "explain", "find", "fix", "get", "implement", "improve", "investigate", "keep", "know",
    "learn", "like", "look", "make", "meet", "merge", "migrate", "move", "need", "plan", "prefer", "refactor",
    "release", "remove", "rename", "replace", "review", "rewrite", "run", "send", "start", "stop", "switch", "test",
    "think", "try", "update", "upgrade", "use", "want", "work", "write",
];
const PLURALS: &[&str] = &[
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
static HAN_PRESENT: PhrasePatterns = PhrasePatterns::new(&[
    "正与|正和|正在|正忙|正着手|正准备|正等|正打算|正考虑|正处于", "用户|团队|张伟|李雷 正", "仍在|还在|仍未|依旧在|还没|尚未|在等|在忙|在做|在学|在找|在写|在改", "下周|下个月|明天|明年 去|来|要|会|再", "将要|将会|将于|将在|将把|将被|将由|将从|将对|将为|即将", "会议 将",
    "会 在|于|把|被|负责|发布|继续|很快|尽快|派|给|由|再|收|得|变|有|成|退|送|搬|涨", "打算|想要|想把|想在|希望", "准备 把|将|重|在|用|去|换|迁|发|修|做|写|搬|开始|买|卖|学|离|辞|结|申", "计划 在|于|将|把|下|明|用|迁|重|换|去|年|本|前往|写|买|卖|学|搬|做|参|访|开|申",
    "目前|现在|眼下|如今|当下", "一直在|正在|仍然|依然|依旧|还是没", "用户|团队|供应商|客户 还|尚|仍", "月|日|年|天|周|就|都|才|总|还|也|则|仍|必|可能|应该|便 会", "不知道|不清楚|不明白|不确定|搞不懂|没想好", "^~4 想 再|要|把|给|换|改|重|听|问|找|去|买|试|看", "用户|团队|客户|房东 ..3 想 给|把|要|在|重|换|用|迁|发|修|做|写|搬|学|买|卖|了解|知道|试|改|去|找|看|让|升|加|删|尽|先|再|申|参|辞|租", "^打算|拟|预计|力争", "用户|团队|客户|房东|法院|公司|供应商|银行|学校|医院|车行|厂商|房东 ..4 打算|拟|预计|力争|有望|准备 推|提|更|调|增|减|接|退|降|升|关|开|扩|招|聘|撤|请|起|上|下|安|出|回|参|合|拆|引|采|选|试|联", "需要 换|修|改|买|补|加|增|删|升|降|确|安|申|办|续|等|再|重|先|两|一|更|维",
    "^正在|正 ..1 在", "快要|就要|马上|很快就", "要 在|去|把|重启|换|用|迁", "考虑 改|换|用|把|迁|使用", "待 移除|评|删|发|上线|验|测|改|补|写|清|迁|升|更|批|合并|修复|确认|处理|定|办|发布|审", "需要 尽快|马上|重新|再",
]);
#[rustfmt::skip]
const HAN_NOT_PRESENT: &[&str] = &[
    "会议", "议会", "社会", "机会", "学会", "开会", "协会", "例会", "周会", "晨会", "站会", "聚会", "工会", "委员会", "误会", "体会", "约会",
    "宴会", "会话", "会员", "会计", "会上", "会后", "展会", "大会", "晚会", "年会", "发布会", "董事会", "教会", "茶话会", "计划书", "计划表", "计划了",
    "的计划", "主要", "重要", "必要", "需要的", "要求", "要点", "概要", "摘要", "纪要", "希望小学", "马上海", "不要", "只要", "要不要", "是否要",
    "打算盘", "待办", "待遇", "等待",
];

/// Whether the value of a label may be in any tense: `Lesson: `, `Next: `.
pub fn is_timeless(label: &str) -> bool {
    TIMELESS.contains(&label.to_lowercase().as_str())
}

/// The first words that are not in the past.
pub fn check_tense(input: &GuardText<'_>) -> Option<GuardFinding> {
    if split_label(input.text).is_some_and(|(l, _)| is_timeless(l)) {
        return None;
    }
    let english = input.english_sentences().find_map(|(sentence, tokens)| english_present(sentence, tokens));
    let han = || {
        let clear = mask_phrases(input.prose, HAN_NOT_PRESENT);
        HAN_PRESENT.find_unspaced(&clear).map(str::to_owned)
    };
    let what = english.or_else(|| if input.han { han() } else { None })?;
    Some(GuardFinding::new(Violation::NotPastTense, &what))
}

fn english_present(sentence: &str, tokens: &[WordToken<'_>]) -> Option<String> {
    let start = split_label(sentence).map_or(0, |(_, value)| sentence.len() - value.len());
    let first = tokens.iter().position(|t| t.at >= start).unwrap_or(tokens.len());
    let tokens = &tokens[first..];
    let excerpt = |range| Some(matched_text(sentence, tokens, range).to_owned());
    if let Some(i) = verbs::present_verbs(tokens).first() {
        return excerpt(i.saturating_sub(1)..i + 1);
    }
    for i in 0..tokens.len() {
        let previous = i.checked_sub(1).map_or("", |p| tokens[p].text.as_str());
        if is_present(tokens, i, previous) {
            return excerpt(i.saturating_sub(1)..i + 1);
        }
    }
    if let Some(range) = CONTRACTIONS.find(tokens) {
        return excerpt(range);
    }
    let opening = tokens.first()?;
    if let Some(range) = present_without_past(tokens, start > 0) {
        return excerpt(range);
    }
    let next = tokens.get(1).map_or("", |t| t.text.as_str());
    let past = tokens.iter().any(|t| verbs::is_past_verb(&t.text));
    let is_imperative = BASE_FORMS.contains(&opening.text.as_str()) && DETERMINERS.contains(&next);
    let going = opening.text.len() > 4 && opening.text.ends_with("ing") && tokens.len() > 2;
    if !past && (is_imperative || going) { excerpt(0..1) } else { None }
}

/// A probable present tense verb in a sentence without a past tense verb: a third person ("the contract ends on"), a
/// base form after a pair ("User and Bo apply for"), or an imperative ("Rotate the keys"). Returns token indices.
fn present_without_past(tokens: &[WordToken<'_>], labelled: bool) -> Option<std::ops::Range<usize>> {
    let word = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    if labelled || tokens.len() < 3 || tokens.iter().any(|t| verbs::is_past_verb(&t.text)) {
        return None;
    }
    let pair =
        word(1) == "and" && is_capitalized(tokens[0].surface) && is_capitalized(tokens[2].surface) && tokens.len() > 4;
    let plain = pair && tokens.len() > 3 && !is_capitalized(tokens[3].surface) && !VERBLESS_OPENINGS.contains(&word(3));
    if plain {
        return Some(2..4);
    }
    let object = DETERMINERS.contains(&word(1)) || matches!(word(1), "user" | "new" | "every" | "each");
    if object && !VERBLESS_OPENINGS.contains(&word(0)) && word(0) != "user" && !word(0).ends_with('s') {
        return Some(0..2);
    }
    let opens = matches!(word(0), "the" | "a" | "an" | "user" | "this" | "every" | "each")
        || is_capitalized(tokens[0].surface) && !VERBLESS_OPENINGS.contains(&word(0));
    let ends = |i: &usize| {
        let one = word(*i);
        let next = tokens.get(i + 1);
        one.len() > 3
            && one.ends_with('s')
            && !["ss", "us", "is", "ous", "ics"].iter().any(|e| one.ends_with(e))
            && next
                .is_some_and(|t| !is_capitalized(t.surface) || VERBLESS_OPENINGS.contains(&t.text.as_str()) || i > &0)
            && !is_capitalized(tokens[*i].surface)
            && !verbs::is_noun_marker(word(i - 1))
    };
    (1..tokens.len() - 1).filter(|_| opens).find(ends).map(|i| i - 1..i + 1)
}

/// Words of place, time and number at the start of sentences without a verb.
#[rustfmt::skip]
const VERBLESS_OPENINGS: &[&str] = &[
    "in", "on", "at", "by", "for", "from", "with", "without", "after", "before", "during", "under", "over", "behind", "inside", "outside", "between", "of", "to", "about", "near", "since", "until", "both", "all",
    "half", "two", "three", "four", "five", "six", "no", "not", "only", "also", "because", "as", "then", "against", "via", "per", "together", "cut", "put", "set", "read", "let", "quit", "shut", "hit", "cost", "and", "or", "the", "a", "an", "i", "where", "who", "what", "which", "that", "how", "why", "is",
];

fn is_present(tokens: &[WordToken<'_>], i: usize, previous: &str) -> bool {
    let token = &tokens[i];
    let word = token.text.as_str();
    let next = tokens.get(i + 1);
    if AUXILIARIES.match_at(tokens, i).is_some() {
        let name = is_capitalized(token.surface) && next.is_some_and(|t| is_capitalized(t.surface));
        return !(BEFORE_AUXILIARY.contains(&previous) || name);
    }
    if is_capitalized(token.surface) && i > 0 {
        return false;
    }
    let pair = i > 1 && tokens[i - 2].text == "and" && is_capitalized(tokens[i - 1].surface);
    BASE_FORMS.contains(&word)
        && i > 0
        && (pair || PLURALS.contains(&previous))
        && find(&tokens[..i], &["did|to|would"]).is_none()
        && !matches!(word, "cut" | "put" | "set" | "read" | "test" | "build" | "run" | "release" | "review")
}
