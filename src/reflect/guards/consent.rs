//! Fields that change only with consent, and whether the user gave it.
//!
//! Never asks: what is not agreed to waits in the inbox. A field is told by its label or by phrases about the user; the
//! user's cat may have a name.

use std::collections::HashSet;

use super::Rules;
use crate::text::phrase::{Token, find, find_han, here, is_capital, tokens};
use crate::text::prose::{label, prose, without};
use crate::text::tokens::tokens as counted;
use crate::transcript::{Role, Turn};

/// What is known of a field: its labels, its phrases.
struct Field {
    name: &'static str,
    labels: &'static [&'static str],
    english: &'static [&'static str],
    /// Phrases that must be followed by a name with a capital.
    places: &'static [&'static str],
    han: &'static [&'static str],
}

#[rustfmt::skip]
const FIELDS: &[Field] = &[
    Field {
        name: "preferred_name",
        labels: &["preferred name", "nickname", "called", "称呼", "昵称", "小名", "英文名"],
        english: &[
            "user 's preferred name is", "user prefers|wants|likes|asks|wishes to be called|addressed|known", "user goes by", "user introduces|introduced ..2 as", "everybody|everyone|people|friends|colleagues calls|call user", "user signs ..4 as", "user asked|asks to be addressed|called", "user answers to", "user would like to be called|addressed|known", "user changed ..2 name to", "user was renamed",
            "user is called|known as?", "call user", "user 's nickname is", "user likes|prefers the name|nickname",
        ],
        places: &["user is called"],
        han: &[
            "用户 的 昵称|小名|英文名 是|叫|为", "用户 希望|喜欢|偏好|想|要求 ..4 称为|称作|称呼|叫|被叫", "用户 自称|改名", "称呼|叫|管叫 用户", "用户 改名|更名|改叫|自称|自我介绍为|自我介绍是", "用户 ~6 署名|首选称呼", "用户的 首选称呼 是", "用户 要求 称 其|用户 为|作",
        ],
    },
    Field {
        name: "pronouns",
        labels: &["pronouns", "pronoun", "代词", "人称代词", "性别代词"],
        english: &["user 's pronouns are|is", "user ..6 uses|use|takes ..3 pronouns", "pronouns are", "user uses|prefers ..3 pronouns", "he him|his", "she her|hers", "they them|theirs"],
        places: &[],
        han: &["用户 ..6 代词 ..3 是|为|用", "用户 ..14 使用|用 ..18 代词", "人称代词 是|为"],
    },
    Field {
        name: "city",
        labels: &["city", "home", "location", "residence", "hometown", "home town", "address", "place of residence", "城市", "所在地", "所在城市", "住址", "地址", "居住地", "籍贯", "家乡", "现居"],
        english: &["user 's ..1 hometown|home|address|city|residence is"],
        places: &[
            "user who|now|still|currently|also|usually|mostly? lives|resides|lived in|at|near", "user is based in|at|near", "user has? been? living|lived|resided in|at|near", "user rents ..4 in", "user has? moved|relocated|emigrated ..3 to",
            "user comes|hails|is from", "user settled in", "user 's home is in",
        ],
        han: &[
            "用户 ~12 住在|居住在|居住|定居|现居|常驻|移居|租房", "用户 ~4 来自", "用户 ~12 搬 到|去|往|家到|家去|至", "用户 ~4 迁到|迁往|迁居|移居|落户", "用户 祖籍|籍贯", "用户的 老家|家乡|城市|住址|地址 是|在",
        ],
    },
    Field {
        name: "language",
        labels: &["language", "languages", "native language", "mother tongue", "first language", "second language", "preferred language", "语言", "母语", "常用语言", "第一语言", "第二语言", "首选语言", "沟通语言"],
        english: &[
            "user 's native|first|preferred|second|main? language|languages is|are", "user 's mother tongue is", "user grew up speaking", "user speaks|reads|speaking english|german|french|spanish|portuguese|italian|chinese|mandarin|cantonese|japanese|korean|russian|tagalog|wolof|twi|swahili|yoruba|igbo|hausa|zulu|bengali|urdu|tamil|telugu|malay|indonesian|romanian|hungarian|bulgarian|serbian|croatian|persian|dutch|polish|swedish|welsh|irish|arabic|hindi|turkish|greek|danish|finnish|norwegian|czech|ukrainian|hebrew|vietnamese|thai|farsi|catalan",
            "user is fluent|native|bilingual in?", "user ..3 prefers|wants|likes|reads|writes|communicates|talks|replies|answers|discusses|thinks|texts ..6 in english|german|french|spanish|portuguese|italian|chinese|mandarin|cantonese|japanese|korean|russian|tagalog|wolof|twi|swahili|yoruba|igbo|hausa|zulu|bengali|urdu|tamil|telugu|malay|indonesian|romanian|hungarian|bulgarian|serbian|croatian|persian|dutch|polish|swedish|welsh|irish|arabic|hindi|turkish|greek|danish|finnish|norwegian|czech|ukrainian",
        ],
        places: &[],
        han: &[
            "用户的 母语|第一语言|首选语言|语言 是|为", "用户 ~6 说|讲|精通|会 说|讲? 中文|英语|英文|粤语|普通话|法语|德语|日语|韩语|西班牙语|葡萄牙语|意大利语|俄语|方言|闽南语|上海话|四川话",
            "用户 ~3 只|只看|只读|只用|只说|只写 看|读|写|说|用? 中文|英文|英语|粤语|法语|德语|日语|韩语|西班牙语|俄语", "用户 从小 说|讲", "用户 ~8 用 中文|英文|英语|粤语|普通话|法语|德语|日语|韩语|西班牙语|葡萄牙语|意大利语|俄语|汉语 ..2 交流|沟通|聊天|说|写作|对话|讨论",
            "用户 ..2 偏好|希望|要求|喜欢|习惯 ..4 用|使用|说 中文|英文|英语|粤语|普通话|法语|德语|日语|韩语|西班牙语|葡萄牙语|意大利语|俄语",
        ],
    },
];
/// Labels of other things that hold such a word.
const HAN_OTHER: &[&str] = &["编程语言", "用户名：", "分支名", "文件名", "用户叫停", "用户叫车", "用户叫外卖"];

/// The sensitive field that a text tells, by its label or a phrase of English or Chinese.
///
/// A field of the policy that memdir has no phrases for is known by its label (`blood_type`: "Blood type: 0") and by
/// "User's blood type is".
pub fn is_sensitive(text: &str, rules: &Rules) -> Option<String> {
    // Quoted pronouns and names are what such a text is about, so that only code is covered.
    let prose = prose(text);
    let bare = text.trim_start_matches(['-', '*', ' ']);
    rules.sensitive.iter().find(|field| tells(field, bare, &prose)).cloned()
}

fn tells(field: &str, text: &str, prose: &str) -> bool {
    let spoken = field.to_lowercase().replace(['_', '-'], " ");
    let label = label(text).map(|(label, _)| label.trim_matches('*').to_lowercase());
    let known = FIELDS.iter().find(|f| f.name == field.to_lowercase());
    if label.as_deref() == Some(spoken.as_str()) {
        return true;
    }
    let words = tokens(prose);
    let Some(known) = known else {
        let named: Vec<&str> = spoken.split(' ').collect();
        return find(&words, &[&format!("user 's {} is|are|was", named.join(" "))]).is_some();
    };
    label.is_some_and(|l| known.labels.contains(&l.as_str()))
        || find(&words, known.english).is_some_and(|r| known.name != "preferred_name" || is_named(&words, r.end))
        || (0..words.len()).any(|at| here(&words, at, known.places).is_some_and(|n| is_place(&words, at + n)))
        || find_han(&without(prose, HAN_OTHER), known.han).is_some()
}

/// "User is called Nan"; not "User is called before each release".
fn is_named(words: &[Token<'_>], at: usize) -> bool {
    words.get(at).is_none_or(|w| is_capital(w.surface) || w.surface.starts_with(|c: char| !c.is_ascii()))
        || words.get(at).is_some_and(|w| matches!(w.text.as_str(), "by" | "as" | "dr"))
}

/// "lives in Cork", "moved to the Hague"; not "lives in a van", "moved to a four-day week".
fn is_place(words: &[Token<'_>], at: usize) -> bool {
    let at = at
        + usize::from(words.get(at).is_some_and(|w| {
            matches!(w.text.as_str(), "the" | "central" | "downtown" | "north" | "south" | "east" | "west")
        }));
    words.get(at).is_some_and(|w| is_capital(w.surface))
}

#[rustfmt::skip]
const ASKS: &[&str] = &[
    "please? remember that|this|it|my|i|me|we|to|the|our|for|in", "^please? remember", "keep|bear that|this|it|in in? mind", "save|store|record|memorize|memorise that|this|it ..3 memory|memories|notes|profile|future|later",
    "save|store|memorize|memorise this|that|it", "make|take a note", "note that|this|down", "add that|this|it to your|the memory|memories|notes|profile", "don't|never forget", "don't|not forget|lose ..2 that|my|i'm|i", "put that|this|it in your|the memory|memories|notes",
    "write that|this|it down", "for future reference", "commit that|this|it to memory", "update your|the|my memory|memories|profile|notes", "remember, *",
];
#[rustfmt::skip]
const DENIES: &[&str] = &[
    "don't|not|never remember|save|store|record|memorize|memorise|keep|note", "do|i|can't|cannot|don't|did|didn't|if|as i? you? remember", "can|could you remember my|the|when|what|who|how|where|which|whether|if", "need|have not? to remember", "^please? forget that|this|it|about|what", "remember when|how|where|why|who|what|if",
    "i'll|i|we|to|must|should remember", "off the record",
];
#[rustfmt::skip]
const HAN_ASKS: &[&str] = &[
    "请|帮我|你要|你|麻烦|麻烦你|务必|一定要|记得|给我|替我? 记住|记下|记一下|牢记|记录|保存|存", "^ 记住|记下来?|记一下|牢记|保存|存下来", "， 记住|记下|记一下|记好", "记 到|在|进 记忆|你的记忆|备忘|档案|笔记", "加 到|入|进 记忆|你的记忆|档案",
    "保存 到|在|进 记忆", "更新 一下? 你的? 记忆|档案", "别 忘 了|记", "以后 都? 记住|按这个", "不要忘记|不要忘了",
];
#[rustfmt::skip]
const HAN_DENIES: &[&str] = &[
    "不要|别|不用|不必|不需要|无需|没|不许 记住|记下|记录|保存|记|存", "你 还? 记得|记住了? 吗|没", "记住了吗|记得吗|记不记得|记不住|没记住|忘掉|忘记这|别记|不用记", "我 会|要|能|得|没|总? 记住|记下",
];
/// A yes, at the start of an answer.
const YES: &[&str] = &[
    "^yes|yeah|yep|yup|sure|ok|okay|please|absolutely|definitely|certainly|correct",
    "^go ahead",
    "^of course",
    "^sounds|that's|that good|fine|ok|okay|right",
    "^do it|so|that",
];
const HAN_YES: &[&str] = &["^好|好的|好啊|可以|行|是的|对|嗯|没问题|当然|记吧|请记|同意|要的|要", "^没 问题"];
const NO: &[&str] = &["no|not|don't|never|rather", "but|actually|wait"];
/// The assistant's question whether to remember.
#[rustfmt::skip]
const OFFERS: &[&str] = &[
    "should|shall|can|may|could i|we ..3 remember|save|store|note|record|keep|add|update", "want|like me to ..3 remember|save|store|note|record|keep|add|update", "do you want|mind ..6 remembered|saved|stored|remember|save", "ok|okay|alright if|to i? ..2 remember|save|store|note",
];
#[rustfmt::skip]
const HAN_OFFERS: &[&str] = &["要|需要|可以|想|是否|能|要不要|用|希望 ..8 记住|记下|记录|保存|存|记 ..14 吗|么|？|?", "是否|要不要 ..8 记住|记下|记录|保存|存"];

/// Whether the user's own words agreed to have something remembered: a request in that turn, or a yes in it to the
/// assistant's question just before.
pub fn agreed(turns: &[Turn], at: usize) -> bool {
    let Some(place) = turns.iter().position(|t| t.number == at && t.role == Role::User && !t.injected) else {
        return false;
    };
    let said = turns[place].text.as_str();
    let offered =
        turns[..place].iter().rev().filter(|t| !t.injected && t.role != Role::Tool).find(|t| !t.text.trim().is_empty());
    asks(said) || offered.is_some_and(|t| t.role == Role::Assistant && offers(&t.text)) && says_yes(said)
}

/// Whether the user's own turn agreed to have this remembered: the turn, or the offer that it answers, says at least half
/// of what the text tells.
pub fn agreed_to(text: &str, turns: &[Turn], at: usize) -> bool {
    if !agreed(turns, at) {
        return false;
    }
    let (mut said, mut all, mut held) = (HashSet::new(), 0, 0);
    let before = turns.iter().rposition(|t| t.number < at && t.role == Role::Assistant && !t.injected);
    for turn in turns.iter().filter(|t| t.number == at).chain(before.map(|b| &turns[b])) {
        counted(&turn.text, |token| drop(said.insert(token.to_owned())));
    }
    counted(text.split_once([':', '：']).map_or(text, |(_, value)| value), |token| {
        if token != "user" {
            all += 1;
            held += usize::from(said.contains(token));
        }
    });
    held * 2 >= all
}

fn asks(said: &str) -> bool {
    let prose = prose(said);
    let clauses = prose.split(['.', '!', '?', '\n', ';', '。', '！', '？', '；']);
    clauses.into_iter().any(|clause| {
        let words = tokens(clause);
        find(&words, ASKS).is_some() && find(&words, DENIES).is_none()
            || find_han(clause, HAN_ASKS).is_some() && find_han(clause, HAN_DENIES).is_none()
    })
}

fn offers(said: &str) -> bool {
    let question = said.contains(['?', '？']);
    question && (find(&tokens(said), OFFERS).is_some() || find_han(said, HAN_OFFERS).is_some())
}

fn says_yes(said: &str) -> bool {
    let words = tokens(said);
    let opening = &words[..words.len().min(6)];
    let yes = find(opening, YES).is_some() && find(opening, NO).is_none();
    let first = said.split(['，', '。', '！', ',', '\n']).next().unwrap_or_default();
    yes || find_han(first, HAN_YES).is_some() && !first.contains('不') && !first.contains('吗') && !first.contains('别')
}
