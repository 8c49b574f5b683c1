//! Finds instructions in Chinese texts: phrases of obligation, and sentences that begin with a verb.
//!
//! Never needs a subject to be named: what tells an order from a statement without its subject (偏好深色模式) is that the
//! verb is one of doing, and that nothing says how often or when it was done.

use super::super::MemoryKind;
use super::super::chinese_clause::{STATES, is_habitual};
use super::topic_order::{self, topic_order};
use crate::text::chinese_words::{ChineseWord, WordClass, chinese_words};
use crate::text::phrase::PhrasePatterns;
use crate::text::prose_mask::{mask_phrases, split_label};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

static HAN_AGENT_DIRECTIVES: PhrasePatterns =
    PhrasePatterns::new(phrase_list!("guards/orders/agent_directives.zh.txt"));
/// An agent with a word of obligation; the object does not matter.
static HAN_AGENTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/orders/agents.zh.txt"));
const HAN_NOT_AGENTS: PhraseList = phrase_list!("guards/orders/not_agents.zh.txt");
/// Verbs at the start of Chinese imperatives; a statement has its subject before them.
const HAN_VERBS: PhraseList = phrase_list!("guards/orders/verbs.zh.txt");
/// Nouns that start with such a verb.
const HAN_VERB_NOUNS: PhraseList = phrase_list!("guards/orders/verb_nouns.zh.txt");
/// Openings that are an imperative only if another verb of [`HAN_VERBS`] follows in the clause.
const HAN_WEAK_VERBS: WordList = word_list!("guards/orders/weak_verbs.zh.txt");
/// Words that make a verb at the start the subject of a statement: "发送邮件需要 VPN".
const HAN_STATEMENT_WORDS: PhraseList = phrase_list!("guards/orders/statement_words.zh.txt");
/// Words that may precede the verb at the start of a clause.
const HAN_VERB_PREFIXES: PhraseList = phrase_list!("guards/orders/verb_prefixes.zh.txt");
static HAN_IMPERATIVES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/orders/imperatives.zh.txt"));
/// Words with 了, 后 or 过 in them that do not mark a completed action.
const HAN_NOT_COMPLETED: PhraseList = phrase_list!("guards/orders/not_completed.zh.txt");
/// Openings of a clause that is followed by the order.
const HAN_CONDITIONS: PhraseList = phrase_list!("guards/orders/conditions.zh.txt");
/// Openings of a phrase of time, and its ends.
const HAN_TIME_OPENINGS: PhraseList = phrase_list!("guards/orders/time_openings.zh.txt");
const HAN_TIME_ENDS: PhraseList = phrase_list!("guards/orders/time_ends.zh.txt");
/// Nouns that with a verb before them are the subject of a statement, and the words that follow then: 安装说明贴在….
const HAN_OBJECT_NOUNS: PhraseList = phrase_list!("guards/orders/object_nouns.zh.txt");
const HAN_NOUN_PREDICATES: PhraseList = phrase_list!("guards/orders/noun_predicates.zh.txt");
/// Characters after such a verb that make it part of a noun: 打印机, 删除键.
const HAN_NOUN_SUFFIXES: PhraseList = phrase_list!("guards/orders/noun_suffixes.zh.txt");

/// Phrases that turn an instruction into the preference of a user, team or company.
static HAN_PREFERENCE: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/orders/preferences.zh.txt"));

/// Words of a sentence that tells what a person does or is used to.
const TELLING_WORDS: PhraseList = phrase_list!("guards/orders/telling.zh.txt");

/// Words of an order that say of a subject what it can do or tends to do.
const SUBJECT_MODALS: WordList = word_list!("guards/orders/subject_modals.zh.txt");

/// What no agent does: 不吃肉, 不会说法语.
const PERSONAL_VERBS: PhraseList = phrase_list!("guards/orders/personal_verbs.zh.txt");

/// Persons and groups that act.
const ACTORS: PhraseList = phrase_list!("guards/orders/actors.zh.txt");
const ACTOR_ENDS: PhraseList = phrase_list!("guards/orders/actor_ends.zh.txt");
/// Words that end a condition, and those that open one.
const CONDITION_ENDS: WordList = word_list!("guards/orders/condition_ends.zh.txt");
const CONDITION_OPENINGS: WordList = word_list!("guards/orders/condition_openings.zh.txt");
/// Words behind a verb and its noun that make a subject of them: 删除日志需要权限, 备份在云端.
const AFTER_SUBJECT: WordList = word_list!("guards/orders/after_subject.zh.txt");

/// Whether a sentence without a subject tells what a person does, is able to do or does not do.
fn tells_of_person(sentence: &str) -> bool {
    let said = sentence.trim_start();
    let verb = ["不可以", "不能", "不"].iter().find_map(|denial| said.strip_prefix(denial)).unwrap_or(said);
    PERSONAL_VERBS.iter().any(|word| said.starts_with(word) || verb.starts_with(word))
}

/// The first instruction in a text.
pub(super) fn find_order(prose: &str, kind: MemoryKind) -> Option<String> {
    // The longer words first: 合并请求 has 请求 in it.
    let clear = mask_phrases(&mask_phrases(prose, HAN_VERB_NOUNS), HAN_NOT_AGENTS);
    let order = |sentence: &str| {
        let s = hide_subject(sentence);
        let found = HAN_AGENT_DIRECTIVES.find_unspaced(&s).or_else(|| HAN_AGENTS.find_unspaced(&s));
        // 把样稿交给了出版社: it was done.
        let found = found.filter(|order| !is_completed_after(&s, order));
        if TELLING_WORDS.iter().any(|word| s.contains(word)) || tells_of_subject(&s) || tells_of_person(&s) {
            // 用户是回族，只能去清真餐馆: what its subject can and cannot do.
            return found.filter(|order| !SUBJECT_MODALS.contains(order)).map(str::to_owned);
        }
        let found = found.or_else(|| han_imperative(&s));
        // In an episode a verb without its subject tells what was done.
        let bare = || if kind == MemoryKind::Fact { bare_order(&s) } else { None };
        found.or_else(bare).map(str::to_owned)
    };
    clear
        .split(['。', '\n', '；'])
        .find_map(|s| if HAN_PREFERENCE.find_unspaced(s).is_some() { None } else { order(s) })
}

/// Whether 了 or 过 follows a part of a sentence.
fn is_completed_after(sentence: &str, order: &str) -> bool {
    sentence.split_once(order).is_some_and(|(_, rest)| rest.starts_with(['了', '过']))
}

/// Whether a sentence of several clauses names in the first one who or what it is about: 责编姓房，只用语音回复.
fn tells_of_subject(sentence: &str) -> bool {
    let Some((first, _)) = sentence.split_once('，') else { return false };
    // 用户问税务问题时，指向手册: what follows a condition may be an order.
    if first.ends_with(['时', '后', '前', '候']) {
        return false;
    }
    let words = chinese_words(first);
    let is_subject = words.first().is_some_and(names_actor) || first.starts_with('_');
    let says = |word: &ChineseWord<'_>| {
        word.class.is_verbal()
            || word.class == WordClass::Adjective
            || matches!(word.text, "是" | "有" | "姓" | "叫" | "不")
    };
    is_subject
        && words.iter().skip(1).any(says)
        && condition_end(&words).is_none()
        && !words.iter().any(|word| matches!(word.text, "要" | "应" | "应该" | "必须" | "须" | "请"))
}

/// The verb of doing that opens a sentence, or the clause behind a condition.
fn bare_order(sentence: &str) -> Option<&str> {
    let clear = mask_phrases(sentence, HAN_NOT_COMPLETED);
    if clear.contains(['了', '过']) || is_habitual(&clear) || split_label(sentence).is_some() {
        return None;
    }
    // 组件库是2024年开始做的 states when.
    if sentence.contains('是') && sentence.trim_end().ends_with('的') {
        return None;
    }
    let words = chinese_words(sentence);
    opening_action(sentence, &words).or_else(|| topic_order(&words))
}

/// The verb of an imperative without a subject: "删除…", "悄悄删除…", "无论…，都回答…"; not of a completed action (了, 后).
fn han_imperative(sentence: &str) -> Option<&str> {
    let clear = mask_phrases(sentence, HAN_NOT_COMPLETED);
    // "After each reply" is no time in the past.
    let is_repeated = clear.split_once('每').is_some_and(|(_, rest)| rest.contains('后'));
    if clear.contains(['了', '过']) || clear.contains('后') && !is_repeated {
        return None;
    }
    if let Some(order) = HAN_IMPERATIVES.find_unspaced(sentence) {
        return Some(order);
    }
    if split_label(sentence).is_some() {
        return None;
    }
    let first = sentence.split('，').next().unwrap_or_default();
    let opens = |words: PhraseList| words.iter().any(|word| sentence.starts_with(word));
    let is_conditional = opens(HAN_CONDITIONS) || opens(HAN_TIME_OPENINGS) || first.ends_with(['时', '前']);
    let clauses = if is_conditional { 3 } else { 1 };
    for clause in sentence.split('，').take(clauses).map(str::trim_start) {
        let verb = after_time_phrases(clause).into_iter().find_map(|clause| {
            let next = |rest: &str| {
                let prefixes = HAN_VERB_PREFIXES.iter().filter(|prefix| rest.starts_with(*prefix));
                prefixes.max_by_key(|prefix| prefix.len()).map(|prefix| prefix.len())
            };
            let rests = std::iter::successors(Some(clause), |rest| next(rest).map(|length| &rest[length..]));
            rests.into_iter().find_map(opening_verb)
        });
        if verb.is_some() {
            return verb;
        }
    }
    None
}

/// The verb of an imperative at the start of a clause.
fn opening_verb(rest: &str) -> Option<&str> {
    if rest.starts_with("用户") {
        return None;
    }
    let verb = HAN_VERBS.iter().filter(|v| rest.starts_with(*v)).max_by_key(|v| v.len())?;
    let after = &rest[verb.len()..];
    let is_noun = || {
        let noun = HAN_OBJECT_NOUNS.iter().find_map(|noun| after.strip_prefix(noun));
        noun.is_some_and(|rest| HAN_NOUN_PREDICATES.iter().any(|verb| rest.starts_with(verb)))
    };
    if after.is_empty()
        || is_noun()
        || HAN_NOUN_SUFFIXES.iter().any(|suffix| after.starts_with(suffix)) && !HAN_WEAK_VERBS.contains(verb)
    {
        return None;
    }
    let words = chinese_words(rest);
    // 部署使用自写脚本: what is done is the subject.
    let is_subject = words.first().is_some_and(|word| word.class == WordClass::VerbNoun && word.text == verb)
        && words.get(1).is_some_and(|word| AFTER_SUBJECT.contains(word.text));
    if is_subject || names_tool(verb, after) {
        return None;
    }
    let is_weak = HAN_WEAK_VERBS.contains(verb);
    let full = |v: &&str| !HAN_WEAK_VERBS.contains(v) && after.contains(v);
    let is_complete = !is_weak || HAN_VERBS.iter().find(full).is_some();
    let states = HAN_STATEMENT_WORDS.iter().any(|s| after.contains(s)) || after.contains("走 ");
    (is_complete && !states).then_some(&rest[..verb.len()])
}

/// Whether a verb is the subject of a statement that names what it is done with: 支付用 Paddle. What an agent writes is no
/// such subject: 回答用 Markdown.
fn names_tool(verb: &str, after: &str) -> bool {
    let tool = ["用", "走", "靠"].iter().find_map(|word| after.strip_prefix(word)).map(str::trim_start);
    let is_name = |tool: &str| tool.starts_with(|c: char| c.is_ascii_uppercase()) && !tool.contains('，');
    tool.is_some_and(is_name) && !topic_order::is_topic(verb)
}

/// A clause, and what follows each possible end of its opening phrase of time: "每次会话开始时先…", "回答前…".
fn after_time_phrases(clause: &str) -> Vec<&str> {
    let mut rests = vec![clause];
    if HAN_TIME_OPENINGS.iter().any(|opening| clause.starts_with(opening)) {
        let near = clause.char_indices().nth(16).map_or(clause.len(), |(n, _)| n);
        let ends = HAN_TIME_ENDS.iter().flat_map(|end| clause[..near].match_indices(end).map(|(at, e)| at + e.len()));
        rests.extend(ends.map(|at| clause[at..].trim_start_matches(['都', '均', '也', '就', '，', ' '])));
    }
    rests
}

/// The verb of doing that opens a sentence without a subject, or the clause behind a condition without one.
fn opening_action<'a>(sentence: &'a str, words: &[ChineseWord<'a>]) -> Option<&'a str> {
    let starts = |from: usize| {
        let skipped = words[from..].iter().take_while(|w| is_opening(w)).count();
        action_at(sentence, words, from + skipped)
    };
    match condition_end(words) {
        Some(end) => starts(end + 1),
        None if words.first().is_some_and(|w| CONDITION_OPENINGS.contains(w.text)) => None,
        None => starts(0),
    }
}

/// Words that may stand before the verb of an order.
fn is_opening(word: &ChineseWord<'_>) -> bool {
    matches!(word.class, WordClass::Adverb | WordClass::Conjunction | WordClass::Time | WordClass::Mark)
        || matches!(word.text, "可以" | "应" | "应该" | "应当" | "必须" | "须" | "需要" | "需" | "请" | "得" | "要")
}

/// Whether a word names who acts: a person, a group, a program that acts by itself.
pub(super) fn names_actor(word: &ChineseWord<'_>) -> bool {
    match word.class {
        WordClass::Pronoun => {
            !["每", "该", "此", "这", "本", "各", "每个", "任何", "这个", "所有"].contains(&word.text)
        }
        WordClass::Foreign => true,
        WordClass::Noun | WordClass::Unknown => {
            ACTORS.iter().any(|actor| word.text.contains(actor))
                || ACTOR_ENDS.iter().any(|end| word.text.ends_with(end))
        }
        _ => false,
    }
}

/// The index of the last word of a condition that opens a sentence and names no person: "提交前", "测试失败时".
pub(super) fn condition_end(words: &[ChineseWord<'_>]) -> Option<usize> {
    let clause = words.iter().position(|w| w.class == WordClass::Mark).unwrap_or(words.len());
    if words.first().is_some_and(|w| CONDITION_OPENINGS.contains(w.text)) && clause < words.len() {
        return (!words[..clause].iter().any(names_actor)).then_some(clause);
    }
    let end = (1..clause.min(9)).find(|i| CONDITION_ENDS.contains(words[*i].text))?;
    (!words[..end].iter().any(names_actor)).then_some(end)
}

/// The verb of doing at an index, if it has an object and is no part of a subject.
fn action_at<'a>(sentence: &'a str, words: &[ChineseWord<'a>], i: usize) -> Option<&'a str> {
    let word = words.get(i)?;
    let next = words.get(i + 1)?;
    let object = matches!(word.text, "把" | "将") && next.class.is_nominal();
    if object {
        return Some(word.text);
    }
    let is_cut = sentence[word.at + word.text.len()..]
        .starts_with(['机', '键', '器', '率', '者', '员', '费', '量', '日', '期', '于', '源']);
    // 补习班, 扫码枪: a noun of which the verb is a part.
    let after = words.get(i + 2).map_or("", |word| word.text);
    let is_cut = is_cut
        || matches!(next.text, "班" | "枪" | "师" | "厂" | "校")
        || next.text.chars().count() == 1 && matches!(after, "枪" | "机" | "器" | "仪");
    let is_action = word.class.is_verbal() && !STATES.contains(word.text) && !is_cut;
    let is_attribute = matches!(next.text, "的" | "得" | "着" | "在" | "自" | "为" | "是" | "有" | "于")
        || CONDITION_ENDS.contains(next.text);
    if !is_action || is_attribute || next.class == WordClass::Mark {
        return None;
    }
    let rest = &words[i + 1..];
    let names_object = |w: &ChineseWord<'_>| HAN_OBJECT_NOUNS.iter().any(|noun| w.text == noun);
    let is_nominal =
        |w: &&ChineseWord<'_>| w.class.is_nominal() || names_object(w) || matches!(w.text, "的" | "和" | "与" | "、");
    let noun = rest.iter().take_while(is_nominal).count();
    let is_noun = word.class == WordClass::VerbNoun;
    let names_thing = rest[..noun].last().is_some_and(names_object);
    let is_predicate = |w: &ChineseWord<'_>| match w.class {
        WordClass::Modal => true,
        WordClass::Adverb => !matches!(w.text, "再" | "先" | "并" | "就" | "也"),
        WordClass::Adjective => is_noun || names_thing,
        _ if w.class.is_verbal() => is_noun || names_thing || AFTER_SUBJECT.contains(w.text),
        _ => AFTER_SUBJECT.contains(w.text),
    };
    let is_subject = match noun {
        0 => rest.first().is_some_and(|w| {
            w.class == WordClass::Modal
                || matches!(w.text, "用" | "由" | "按" | "走" | "都" | "均")
                || is_noun && (w.class.is_verbal() || w.class == WordClass::Adverb)
        }),
        _ => rest.get(noun).is_some_and(is_predicate),
    };
    // 锁文件的校验值是…, 审核规则用户每年读: a statement follows on what the verb is a part of.
    let clause = || rest.iter().take_while(|w| w.class != WordClass::Mark);
    let has_copula = clause().any(|w| w.text == "是");
    let has_user = clause().zip(clause().skip(1)).any(|(w, next)| w.text == "用户" && next.text != "的");
    if has_copula || has_user {
        return None;
    }
    // 评审意见两天内答复: the time stands between a subject and its verb.
    let is_timed =
        noun > 0 && rest[..noun].last().is_some_and(|w| matches!(w.class, WordClass::Number | WordClass::Time));
    let has_verb_last = clause().last().is_some_and(|w| w.class.is_verbal()) && clause().all(|w| w.text != "的");
    if is_noun && is_timed && has_verb_last {
        return None;
    }
    // 测试用例放在 spec 目录: a verb among the nouns makes a subject of what is before it.
    let states = rest[..noun].iter().skip(1).any(|w| AFTER_SUBJECT.contains(w.text) || STATES.contains(w.text));
    (!(is_subject || states && is_noun)).then_some(word.text)
}

/// A sentence whose subject 用户 is masked: its first character is also the verb "use" at the start of imperatives.
fn hide_subject(sentence: &str) -> String {
    let subject = "用户";
    sentence
        .strip_prefix(subject)
        .map_or_else(|| sentence.to_owned(), |rest| format!("{}{rest}", "_".repeat(subject.len())))
}
