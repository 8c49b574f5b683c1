//! Detects sensitive fields, which change only with the user's consent, and whether the user gave it.
//!
//! Never requests consent: without it, a proposal waits in the inbox. A field is recognised by its label or by phrases
//! about the user (the name of the user's cat is not sensitive).

use std::collections::HashSet;

use super::WritingRules;
use crate::text::phrase::{WordToken, find, find_unspaced, is_capitalized, match_at, word_tokens};
use crate::text::prose_mask::{mask_non_prose, mask_phrases, split_label};
use crate::text::search_terms::search_terms as counted;
use crate::transcript::{Role, Turn};

/// Languages, as a group of a Chinese pattern.
macro_rules! han_languages {
    () => {
        "中文|汉语|国语|普通话|粤语|闽南语|客家话|上海话|四川话|方言|简体|繁体|英语|英文|法语|法文|德语|德文|日语|日文|韩语|韩文|西班牙语|西语|葡萄牙语|葡语|意大利语|俄语|阿拉伯语|印地语|泰语|越南语|荷兰语|波兰语|瑞典语|土耳其语|希腊语|乌克兰语|捷克语|马来语|印尼语|双语"
    };
}
/// Places of origin, as a group of a Chinese pattern: "是成都人".
macro_rules! han_places {
    () => {
        "北京|上海|天津|重庆|广州|深圳|成都|武汉|杭州|南京|西安|苏州|长沙|郑州|青岛|大连|沈阳|哈尔滨|长春|济南|合肥|福州|厦门|泉州|昆明|贵阳|南宁|南昌|太原|石家庄|兰州|银川|西宁|乌鲁木齐|拉萨|海口|三亚|香港|澳门|台北|台湾|高雄|宁波|温州|绍兴|无锡|常州|珠海|佛山|东莞|广东|广西|福建|浙江|江苏|安徽|江西|湖南|湖北|河南|河北|山东|山西|陕西|四川|云南|贵州|海南|辽宁|吉林|黑龙江|甘肃|青海|新疆|西藏|宁夏|内蒙古|新加坡|东京|大阪|首尔|巴黎|伦敦|柏林|纽约|本地|当地"
    };
}

/// A sensitive field, with the labels and phrases that identify it.
struct SensitiveField {
    name: &'static str,
    labels: &'static [&'static str],
    english_phrases: &'static [&'static str],
    /// Phrases that count only before a capitalised name.
    place_phrases: &'static [&'static str],
    han_phrases: &'static [&'static str],
}

#[rustfmt::skip]
const FIELDS: &[SensitiveField] = &[
    SensitiveField {
        name: "preferred_name",
        labels: &["preferred name", "nickname", "called", "goes by", "alias", "称呼", "昵称", "小名", "英文名", "花名", "绰号", "首选称呼", "首选名字"],
        english_phrases: &[
            "user 's preferred|chosen|pen|stage name|handle is", "user ~8 be|being called|addressed|known|named|referred|greeted ..1 as|by?", "user goes|went by", "user prefers|favours|favors|uses ..2 name|nickname|form|handle|alias",
            "user introduces|introduced ..2 as", "everybody|everyone|people|friends|colleagues|family|coworkers|teammates|relatives|others calls|call|address user", "user 's ..2 friends|family|colleagues|team ..2 calls|call user", "user signs ..4 as",
            "user answers|responds to", "user changed ..2 name to", "user was renamed", "user is called|known ..2 as|by?", "call|address user", "name to use|call", "user 's nickname|alias is", "user likes|prefers the name|nickname", "user prefers * over|to|instead|rather",
        ],
        place_phrases: &["user is called"],
        han_phrases: &[
            "用户 的? 昵称|小名|英文名|花名|绰号|外号|网名|艺名|笔名 是|叫|为", "用户 ~6 希望|喜欢|偏好|想|要求|愿意|倾向|习惯|让|请|不喜欢|接受 ..6 称为|称作|称呼|称其|叫|唤作|直呼|喊", "用户 ~4 被|人称 ..4 叫|称|唤|喊|小|老", "用户 自称|改名", "称呼|称|叫|管|喊|唤 用户 叫|为|作|小|老|阿|_|大|$", "用户 改名|更名|改叫|自称|自我介绍为|自我介绍是", "用户 ~6 署名|首选称呼", "用户的 首选称呼 是", "用户 要求 称 其|用户 为|作",
        ],
    },
    SensitiveField {
        name: "pronouns",
        labels: &["pronouns", "pronoun", "代词", "人称代词", "性别代词"],
        english_phrases: &["user 's pronouns are|is", "user ~6 uses|use|takes ..3 pronouns", "pronouns are", "user ~6 pronouns", "user uses|prefers ..3 pronouns", "he him|his", "she her|hers", "they them|theirs", "xe xem|xyr", "ze zir|hir", "ey em", "fae faer", "he|she they", "they he|she", "user uses|prefers|takes they|she|he|xe|ze", "refer|refers|referred|referring|address to? user as|with|by|using he|she|they|him|her|them|it"],
        place_phrases: &[],
        han_phrases: &["用户 的? ~8 代词", "用户 ..14 使用|用 ..18 代词", "人称代词 是|为", "用户 ~6 she|he|they / her|him|them|they", "用|以|使用 她|他|TA|ta 称呼|指代|来称|来指 用户?", "称呼|指代|提到|提及 用户 时? ，? 用|使用|应? 用? 她|他|TA|ta|女性|男性|中性"],
    },
    SensitiveField {
        name: "city",
        labels: &["city", "home", "location", "residence", "hometown", "home town", "address", "place of residence", "城市", "所在地", "所在城市", "住址", "地址", "居住地", "籍贯", "家乡", "现居"],
        english_phrases: &["user 's ..1 hometown|home|address|city|residence is", "user 's home|native|current city|town|address|village ..1 is", "user ~4 made|makes|calls|called|considers|considered * ..1 home", "in * where user ..2 lives|lived|resides", "user is|was ..3 londoner|berliner|yorker|parisian|dubliner|viennese|muscovite|glaswegian|liverpudlian|mancunian|torontonian|singaporean|neapolitan|venetian|sydneysider"],
        place_phrases: &[
            "user ~3 lives|resides|lived|resided|dwells|living|residing|settled ..1 in|at|near|outside|around", 
            "user is ..3 based|located|living|domiciled|residing out? of|in|at|near", "user ~3 been living|lived|resided|based in|at|near", "user has? lived|spent ..6 in",
            "user ~2 works|work|working|codes ..2 from|out", "user ~2 rents|owns|bought|purchased|leases|shares|share|has|keeps ..3 flat|apartment|house|home|room|place|studio|condo|bungalow|cottage in|near|at", "user ~1 rents ..4 in",
            "user ~3 moved|relocated|emigrated|moving|relocating|moves house|home|back|over|permanently|recently|again|away|out? to", "user ~3 moved|relocated|emigrated|moves from ..4 to", "user ~3 moved|relocated with? the|his|her|their? family|household to",
            "user ~2 comes|hails|originates|is ..1 from", "user settled|grew|stays ..2 in", "user 's ..1 flat|apartment|house|home|place|residence|family is|lives in|near", "user ~1 calls|considers", "user is ..3 native|resident|citizen|inhabitant of", "user was born|raised ..3 in",
        ],
        han_phrases: &[
            "用户 ~12 住在|居住在|居住|定居|现居|常驻|移居|租房", "用户 ~4 来自", "用户 ~12 搬 到|去|往|家到|家去|至", "用户 ~4 迁到|迁往|迁居|移居|落户", "用户 祖籍|籍贯", "用户的 老家|家乡|城市|住址|地址|家|公寓|房子|住处|住所|居所|常住地|户籍 ..2 是|在|位于",
            "用户 ~6 家住|家在|安家|落户|旅居|侨居|寓居|长居|常住|长住|扎根|租住", "用户 ~4 住", "用户 ~14 安家|落户|定居|扎根", "用户 ~6 在 ~8 远程|居家 办公|工作", "用户 ~8 在 ~10 生活|居住|住了|住过|住着|租了|租有|租房|合租|买了房|买房|置业|安了家|有一套|长大后留", concat!("用户 ~6 是 ~3 ", han_places!(), " ~2 人 $"),
        ],
    },
    SensitiveField {
        name: "language",
        labels: &["language", "languages", "native language", "mother tongue", "first language", "second language", "preferred language", "语言", "母语", "常用语言", "第一语言", "第二语言", "首选语言", "沟通语言"],
        english_phrases: &["user 's ..1 native|first|preferred|second|main|primary|working|everyday? language|languages is|are", "user 's mother|native tongue is", "user is bilingual|trilingual|multilingual"],
        place_phrases: &[],
        han_phrases: &[
            "用户的 ~3 母语|第一语言|首选语言|语言 是|为", "用户 从小 说|讲", "用户 ~3 母语", concat!("用户 ~8 说|讲|精通|懂|会|掌握|通晓|熟练 ~6 ", han_languages!(), " ~1 $"), concat!("用户 ~6 会说|会讲|说|讲|说着|讲着 ~2 ", han_languages!()),
            concat!("用户 ~6 只|主要|更? 看|读|写|说|用 ~2 ", han_languages!()), concat!("用户 ~3 母语 ..2 ", han_languages!()),
            concat!("用户 ~12 用|使用|以|说|讲 ~2 ", han_languages!(), " ..3 交流|沟通|聊|说|写|对话|讨论|回|答|解释|输出|总结|撰|作答|思考|记|提问|工作|办公|办"),
            concat!("用户 ..6 偏好|希望|要求|喜欢|习惯|更愿|倾向|想|让|请 ..10 用|使用|说|是|为|写|收到|看|读|讲|以 ..2 ", han_languages!()),
            concat!("用户 ..4 偏好|喜欢|习惯|首选 ~3 ", han_languages!(), " ..2 回|答|交|沟|界面|讨|文档|资料|$"), concat!("回复|回答|对话|交流|沟通|讨论|解释 ..4 用|使用|以|说 ~2 ", han_languages!()),
        ],
    },
];
/// Words that contain the characters of a field's phrases but are unrelated.
const HAN_UNRELATED: &[&str] = &[
    "住院",
    "记住",
    "忍住",
    "住宿费",
    "卡住",
    "锁住",
    "稳住",
    "住酒店",
    "代词笑话",
    "叫车",
    "叫外卖",
    "叫停",
    "叫醒",
    "叫号",
    "编程语言",
    "用户名：",
    "分支名",
    "文件名",
    "用户叫停",
    "用户叫车",
    "用户叫外卖",
];

/// The sensitive field that a text states, by its label or by an English or Chinese phrase.
///
/// A field of the policy without phrases in memdir is recognised by its label (`blood_type`: "Blood type: 0") and by
/// "User's blood type is".
pub fn sensitive_field(text: &str, rules: &WritingRules) -> Option<String> {
    // Quoted pronouns and names may be the value of such a field; only code is replaced.
    let prose = mask_non_prose(text);
    let trimmed = text.trim_start_matches(['-', '*', ' ']);
    rules.sensitive.iter().find(|field| states_field(field, trimmed, &prose)).cloned()
}

fn states_field(field: &str, text: &str, prose: &str) -> bool {
    let spoken = field.to_lowercase().replace(['_', '-'], " ");
    let label = split_label(text).map(|(label, _)| label.trim_matches('*').to_lowercase());
    let known = FIELDS.iter().find(|f| f.name == field.to_lowercase());
    if label.as_deref() == Some(spoken.as_str()) {
        return true;
    }
    let words = word_tokens(prose);
    let Some(known) = known else {
        let named: Vec<&str> = spoken.split(' ').collect();
        return find(&words, &[&format!("user 's {} is|are|was", named.join(" "))]).is_some();
    };
    label.is_some_and(|l| known.labels.contains(&l.as_str()))
        || find(&words, known.english_phrases)
            .is_some_and(|r| known.name != "preferred_name" || is_named(&words, r.end))
        || phrase_ends(&words, known.place_phrases).any(|end| is_place(&words, end))
        || known.name == "language" && phrase_ends(&words, LANGUAGE_VERBS).any(|end| is_language(prose, &words, end))
        || find_unspaced(&mask_phrases(prose, HAN_UNRELATED), known.han_phrases).is_some()
}

/// The token index after each match of a phrase.
fn phrase_ends<'a>(words: &'a [WordToken<'_>], patterns: &'a [&'a str]) -> impl Iterator<Item = usize> + 'a {
    let fit = move |at: usize| {
        patterns.iter().filter_map(move |one| Some(at + match_at(words, at, std::slice::from_ref(one))?))
    };
    (0..words.len()).flat_map(fit)
}

/// Phrases before a language that is spoken: "speaks", "replies in".
#[rustfmt::skip]
const LANGUAGE_VERBS: &[&str] = &[
    "user ~4 speaks|speak|speaking|spoke|understands|knows|reads|writes|masters", "user ~3 grew up speaking|with", "user ~2 fluent|native|bilingual|proficient|conversational|trilingual ..1 in?", "user is|was ..1 native|fluent? speaker of",
    "user ~3 prefers|wants|likes|asks|asked|requests|requested|wishes|expects|needs|reads|writes|communicates|talks|replies|answers|discusses|thinks|texts|chats|converses|corresponds|works|would|counts|dreams|uses|responds ..10 in|into",
    "user ~3 prefers|favours|favors|uses|chooses", "replies|answers|responses|summaries|explanations|conversations|conversation|discussions|communication|correspondence ..6 in", "reply|replying|answer|answering|respond|responding|talk|talking|write|writing|communicate|communicating to? user in",
];
#[rustfmt::skip]
const LANGUAGES: &[&str] = &[
    "afrikaans", "albanian", "amharic", "arabic", "armenian", "basque", "bengali", "bosnian", "bulgarian", "burmese", "cantonese", "catalan", "chinese", "croatian", "czech",
    "danish", "dutch", "english", "estonian", "farsi", "filipino", "finnish", "flemish", "french", "gaelic", "galician", "georgian", "german", "greek", "gujarati", "hausa", "hebrew",
    "hindi", "hokkien", "hungarian", "icelandic", "igbo", "indonesian", "irish", "italian", "japanese", "kannada", "kazakh", "khmer", "korean", "kurdish", "lao", "latvian", "lithuanian",
    "macedonian", "malay", "malayalam", "maltese", "mandarin", "marathi", "mongolian", "nepali", "norwegian", "pashto", "persian", "polish", "portuguese", "punjabi", "quechua", "romanian",
    "russian", "serbian", "shanghainese", "sinhala", "slovak", "slovenian", "somali", "spanish", "swahili", "swedish", "tagalog", "taiwanese", "tamil", "telugu", "thai", "tibetan",
    "turkish", "twi", "ukrainian", "urdu", "uzbek", "vietnamese", "welsh", "wolof", "xhosa", "yiddish", "yoruba", "zulu",
];
/// Words that may occur between the verb and the language.
#[rustfmt::skip]
const LANGUAGE_MODIFIERS: &[&str] = &[
    "a", "little", "some", "basic", "mostly", "only", "mainly", "both", "either", "fluent", "fluently", "native", "good", "perfect", "brazilian", "simplified", "traditional", "british", "american", "swiss",
    "austrian", "canadian", "mexican", "simple", "plain", "formal", "informal", "colloquial", "modern", "mandarin", "in", "the", "language", "exclusively", "always",
];

/// Whether a language follows, and not an adjective of nationality: "a French novel".
fn is_language(prose: &str, words: &[WordToken<'_>], from: usize) -> bool {
    let skipped = words[from..]
        .iter()
        .take_while(|w| LANGUAGE_MODIFIERS.contains(&w.text.as_str()) && !LANGUAGES.contains(&w.text.as_str()))
        .count();
    let Some(word) = words.get(from + skipped.min(4)) else { return false };
    if LANGUAGES.binary_search(&word.text.as_str()).is_err() || !is_capitalized(word.surface) {
        return false;
    }
    let after = &prose[word.at + word.surface.len()..];
    let next = words.get(from + skipped.min(4) + 1);
    !after.starts_with(' ')
        || next.is_none_or(|w| is_capitalized(w.surface) || AFTER_LANGUAGE.contains(&w.text.as_str()))
}

/// Words that may follow a spoken language.
#[rustfmt::skip]
const AFTER_LANGUAGE: &[&str] = &[
    "and", "or", "at", "with", "in", "to", "as", "when", "only", "for", "but", "fluently", "well", "natively", "because", "than", "from", "by", "on", "over", "instead", "rather", "unless", "even", "while",
    "if", "too", "since", "exclusively", "answers", "replies", "responses", "explanations", "during", "except", "whenever", "not",
];
/// Capitalised words after "moved to" and the like that are not places: tools, months.
#[rustfmt::skip]
const NOT_PLACES: &[&str] = &[
    "github", "gitlab", "bitbucket", "jenkins", "vim", "neovim", "helix", "emacs", "vs", "vscode", "zed", "rust", "go", "python", "java", "kotlin", "typescript", "javascript", "postgres", "postgresql",
    "mysql", "sqlite", "redis", "kafka", "nats", "kubernetes", "docker", "podman", "aws", "azure", "gcp", "linux", "windows", "macos", "debian", "ubuntu", "fedora", "nixos", "slack", "teams", "notion",
    "obsidian", "jira", "linear", "bun", "deno", "node", "npm", "pnpm", "fish", "zsh", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april",
    "may", "june", "july", "august", "september", "october", "november", "december",
];

/// "User is called Nan"; not "User is called before each release".
fn is_named(words: &[WordToken<'_>], at: usize) -> bool {
    let at =
        at + usize::from(words.get(at).is_some_and(|w| matches!(w.text.as_str(), "to" | "simply" | "just" | "only")));
    words.get(at).is_none_or(|w| is_capitalized(w.surface) || w.surface.starts_with(|c: char| !c.is_ascii()))
        || words.get(at).is_some_and(|w| matches!(w.text.as_str(), "by" | "as" | "dr"))
}

/// "lives in Cork", "moved to the Hague"; not "lives in a van", "moved to a four-day week".
fn is_place(words: &[WordToken<'_>], at: usize) -> bool {
    let at = at
        + usize::from(words.get(at).is_some_and(|w| {
            matches!(w.text.as_str(), "the" | "central" | "downtown" | "north" | "south" | "east" | "west")
        }));
    words.get(at).is_some_and(|w| is_capitalized(w.surface) && !NOT_PLACES.contains(&w.text.as_str()))
}

#[rustfmt::skip]
const REMEMBER_REQUESTS: &[&str] = &[
    "please? remember that|this|it|my|i|me|we|to|the|our|for|in", "^please? remember", "keep|bear that|this|it|in in? mind", "save|store|record|memorize|memorise that|this|it ..3 memory|memories|notes|profile|future|later",
    "save|store|memorize|memorise this|that|it", "make|take a note", "note that|this|down", "add that|this|it to your|the memory|memories|notes|profile", "don't|never forget", "don't|not forget|lose ..2 that|my|i'm|i", "put that|this|it in your|the memory|memories|notes",
    "write that|this|it down", "for future reference", "commit that|this|it to memory", "update your|the|my memory|memories|profile|notes", "remember, *",
];
#[rustfmt::skip]
const REMEMBER_DENIALS: &[&str] = &[
    "don't|not|never remember|save|store|record|memorize|memorise|keep|note", "do|i|can't|cannot|don't|did|didn't|if|as i? you? remember", "can|could you remember my|the|when|what|who|how|where|which|whether|if", "need|have not? to remember", "^please? forget that|this|it|about|what", "remember when|how|where|why|who|what|if",
    "i'll|i|we|to|must|should remember", "off the record",
];
#[rustfmt::skip]
const HAN_REMEMBER_REQUESTS: &[&str] = &[
    "请|帮我|你要|你|麻烦|麻烦你|务必|一定要|记得|给我|替我? 记住|记下|记一下|牢记|记录|保存|存", "^ 记住|记下来?|记一下|牢记|保存|存下来", "， 记住|记下|记一下|记好", "记 到|在|进 记忆|你的记忆|备忘|档案|笔记", "加 到|入|进 记忆|你的记忆|档案",
    "保存 到|在|进 记忆", "更新 一下? 你的? 记忆|档案", "别 忘 了|记", "以后 都? 记住|按这个", "不要忘记|不要忘了",
];
#[rustfmt::skip]
const HAN_REMEMBER_DENIALS: &[&str] = &[
    "不要|别|不用|不必|不需要|无需|没|不许 记住|记下|记录|保存|记|存", "你 还? 记得|记住了? 吗|没", "记住了吗|记得吗|记不记得|记不住|没记住|忘掉|忘记这|别记|不用记", "我 会|要|能|得|没|总? 记住|记下",
];
/// Phrases of agreement at the start of an answer.
const AGREEMENT: &[&str] = &[
    "^yes|yeah|yep|yup|sure|ok|okay|please|absolutely|definitely|certainly|correct",
    "^go ahead",
    "^of course",
    "^sounds|that's|that good|fine|ok|okay|right",
    "^do it|so|that",
];
const HAN_AGREEMENT: &[&str] = &["^好|好的|好啊|可以|行|是的|对|嗯|没问题|当然|记吧|请记|同意|要的|要", "^没 问题"];
const DISAGREEMENT: &[&str] = &["no|not|don't|never|rather", "but|actually|wait"];
/// Questions of the assistant whether to remember something.
#[rustfmt::skip]
const REMEMBER_QUESTIONS: &[&str] = &[
    "should|shall|can|may|could i|we ..3 remember|save|store|note|record|keep|add|update", "want|like me to ..3 remember|save|store|note|record|keep|add|update", "do you want|mind ..6 remembered|saved|stored|remember|save", "ok|okay|alright if|to i? ..2 remember|save|store|note",
];
#[rustfmt::skip]
const HAN_REMEMBER_QUESTIONS: &[&str] = &["要|需要|可以|想|是否|能|要不要|用|希望 ..8 记住|记下|记录|保存|存|记 ..14 吗|么|？|?", "是否|要不要 ..8 记住|记下|记录|保存|存"];

/// Whether the user's turn with the number `at` agrees to have something remembered: by a request, or by a yes to the
/// assistant's question just before.
pub fn has_consent(turns: &[Turn], at: usize) -> bool {
    let Some(index) = turns.iter().position(|t| t.number == at && t.role == Role::User && !t.injected) else {
        return false;
    };
    let text = turns[index].text.as_str();
    let question =
        turns[..index].iter().rev().filter(|t| !t.injected && t.role != Role::Tool).find(|t| !t.text.trim().is_empty());
    is_remember_request(text)
        || question.is_some_and(|t| t.role == Role::Assistant && is_remember_question(&t.text)) && is_agreement(text)
}

/// Whether the user's turn with the number `at` agrees to have this text remembered: the turn and the question that it
/// answers must contain at least half of the text's terms.
pub fn has_consent_for(text: &str, turns: &[Turn], at: usize) -> bool {
    if !has_consent(turns, at) {
        return false;
    }
    let (mut turn_terms, mut total, mut matched) = (HashSet::new(), 0, 0);
    let before = turns.iter().rposition(|t| t.number < at && t.role == Role::Assistant && !t.injected);
    for turn in turns.iter().filter(|t| t.number == at).chain(before.map(|b| &turns[b])) {
        counted(&turn.text, |token| _ = turn_terms.insert(token.to_owned()));
    }
    counted(text.split_once([':', '：']).map_or(text, |(_, value)| value), |token| {
        if token != "user" {
            total += 1;
            matched += usize::from(turn_terms.contains(token));
        }
    });
    matched * 2 >= total
}

fn is_remember_request(text: &str) -> bool {
    let prose = mask_non_prose(text);
    let clauses = prose.split(['.', '!', '?', '\n', ';', '。', '！', '？', '；']);
    clauses.into_iter().any(|clause| {
        let words = word_tokens(clause);
        find(&words, REMEMBER_REQUESTS).is_some() && find(&words, REMEMBER_DENIALS).is_none()
            || find_unspaced(clause, HAN_REMEMBER_REQUESTS).is_some()
                && find_unspaced(clause, HAN_REMEMBER_DENIALS).is_none()
    })
}

fn is_remember_question(text: &str) -> bool {
    let question = text.contains(['?', '？']);
    question
        && (find(&word_tokens(text), REMEMBER_QUESTIONS).is_some()
            || find_unspaced(text, HAN_REMEMBER_QUESTIONS).is_some())
}

fn is_agreement(text: &str) -> bool {
    let words = word_tokens(text);
    let opening = &words[..words.len().min(6)];
    let yes = find(opening, AGREEMENT).is_some() && find(opening, DISAGREEMENT).is_none();
    let first = text.split(['，', '。', '！', ',', '\n']).next().unwrap_or_default();
    yes || find_unspaced(first, HAN_AGREEMENT).is_some()
        && !first.contains('不')
        && !first.contains('吗')
        && !first.contains('别')
}
