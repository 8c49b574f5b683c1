//! Neutral tone: no praise, no blame, no exclamation, no emoji.
//!
//! Never judges what the user feels: "User hates cilantro" is a fact. Works from lists of judging words, so that a
//! judgement in other words passes.

use super::{Flaw, Found, Read};
use crate::text::phrase::{Phrases, Token, is_capital, said};
use crate::text::prose::without;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "abominable", "absolutely", "abysmal", "admirable", "admirably", "adorable", "adorably", "alarmingly", "alas",
    "amazing", "amazingly", "annoying", "annoyingly", "appalling", "appallingly", "arrogant", "asinine",
    "astonishing", "astounding", "astoundingly", "atrocious", "awesome", "awful", "awfully", "beautiful",
    "beautifully", "bizarre", "bliss", "blissful", "bogus", "boring", "boringly", "brainless", "bravo",
    "breathtaking", "brilliant", "brilliantly", "bungled", "bungling", "captivating", "catastrophic", "charming",
    "cheerful", "cherished", "childish", "clever", "cleverly", "clueless", "clumsy", "commendable", "congrats",
    "congratulations", "coward", "cowardly", "crap", "crappiest", "crappy", "crazy", "cringe", "cringeworthy", "cute",
    "damn", "darn", "dazzling", "dazzlingly", "delicious", "delighted", "delightful", "delightfully", "deplorable",
    "despicable", "detestable", "disappointing", "disappointingly", "disastrous", "disgusting", "dismal", "downright",
    "dreadful", "dreamy", "dull", "dumb", "dummy", "ecstatic", "effortless", "effortlessly", "egregious", "elegant",
    "elegantly", "embarrassing", "enchanting", "enviable", "epic", "excellent", "exceptional", "exceptionally",
    "exemplary", "exhilarating", "exquisite", "exquisitely", "extraordinary", "fab", "fabulous", "fantastic",
    "fascinating", "fiasco", "filthy", "finest", "flawless", "flawlessly", "fool", "foolish", "foolishly",
    "fortunately", "freaking", "friendliest", "frightful", "funniest", "genius", "ghastly", "gifted", "gladly",
    "glorious", "gloriously", "gorgeous", "grandiose", "great", "greatest", "greedy", "grotesque", "gruesome", "haha",
    "harrowing", "hateful", "heartbreaking", "heartwarming", "heavenly", "heroic", "heroically", "hideous",
    "hideously", "hilarious", "honorable", "hooray", "hopefully", "hopeless", "horrendous", "horrible", "horribly",
    "horrid", "horrific", "humiliating", "hurray", "idiocy", "idiot", "idiotic", "idiotically", "imbecile",
    "immaculate", "impeccable", "impeccably", "impressive", "impressively", "inane", "incredible", "incredibly",
    "inept", "inexcusable", "infuriating", "ingenious", "insane", "insanely", "inspirational", "irresistible",
    "irritating", "jerk", "jolly", "joyful", "joyfully", "joyous", "kickass", "kudos", "lame", "lamentable",
    "laughable", "legendary", "lol", "loser", "lousy", "lovely", "luckily", "lucky", "ludicrous", "magical",
    "magically", "magnificent", "majestic", "marvellous", "marvelous", "masterful", "masterfully", "masterpiece",
    "mediocre", "mesmerizing", "mess", "mindblowing", "miraculous", "miserable", "moron", "moronic", "nasty", "nice",
    "nicely", "nightmare", "nightmarish", "obnoxious", "obscene", "odious", "omg", "ominous", "ooh", "oops",
    "outrageous", "outstanding", "overjoyed", "painfully", "pathetic", "pathetically", "perfect", "perfection",
    "perfectly", "phenomenal", "pitiful", "pity", "pointless", "praiseworthy", "preposterous", "priceless", "proudly",
    "regrettable", "regrettably", "remarkable", "remarkably", "repulsive", "revolting", "ridiculous", "ridiculously",
    "rubbish", "rude", "ruthless", "sad", "sadly", "scandalous", "scary", "sensational", "shabby", "shameful",
    "shamefully", "shameless", "shocking", "shockingly", "sickening", "silly", "skillful", "skillfully", "sloppy",
    "smartly", "smooth", "smoothly", "sneaky", "spectacular", "spineless", "splendid", "splendidly", "stellar",
    "stink", "stinks", "stunning", "stupendous", "stupid", "stupidity", "stupidly", "sublime", "suck", "sucks",
    "superb", "superbly", "superlative", "tacky", "talented", "tasteless", "terrible", "terribly", "terrific",
    "thankfully", "thoughtless", "thrilled", "thrilling", "totally", "tragic", "tragically", "treasured",
    "tremendous", "triumphant", "triumphantly", "ugh", "ugly", "unacceptable", "unbelievable", "unbelievably",
    "underwhelming", "unforgettable", "unfortunate", "unfortunately", "unmatched", "unrivalled", "useless", "vicious",
    "vile", "weird", "whoa", "wicked", "woeful", "wonderful", "wonderfully", "wonderous", "worthless", "wow",
    "wretched", "yay", "yikes", "yucky", "yummy",
];
/// Turns of phrase that judge.
#[rustfmt::skip]
static PHRASES: Phrases = Phrases::new(&[
    "the best|worst|finest|nicest|coolest|greatest|smartest ..3 in|ever|of all", "dream come", "a|an|the|such joy|pleasure|delight|disaster|shame|triumph|hero|legend|jerk|star|gem|miracle|treat|pain|blast|breeze",
    "so|super|really|truly|insanely|extremely|way|very excited|happy|proud|cool|good|bad|nice|fun|smart|easy|annoyed|well|smoothly|badly|slow|sad|funny|kind|pretty|boring|tasty|helpful", "^what a|an", "super cool|smart|fast|easy|fun|-ed|-ful", "of course", "no wonder", "thank god|goodness|heavens",
    "a|the real|total|complete|absolute|true gem|mess|joke|disaster|hero|pain|nightmare|joy|shame", "was|is|looks|looked|sounds|sounded|feels|felt|seems|seemed|tastes|tasted cool|sweet|sick|fun|gross",
    "how nice|lovely|sad|funny|cool|clever",
]);
/// What makes a judging word a term.
#[rustfmt::skip]
const TERMS: &[(&str, &[&str])] = &[
    ("perfect", &["hash", "hashes", "hashing", "square", "squares", "tense", "pitch", "forward", "number", "numbers", "fifth", "competition", "information", "matching"]),
    ("great", &["deal", "grandmother", "grandfather", "circle", "dane", "danes", "basin", "aunt", "uncle", "white", "apes"]),
    ("ugly", &["duckling"]), ("smart", &["home", "card", "phone", "meter", "contract", "contracts", "tv"]), ("nice", &["value", "level"]), ("magical", &["realism"]), ("clever", &["cloud"]),
    ("legendary", &["pokemon"]), ("trash", &["bin", "can"]), ("finest", &["resolution"]), ("smooth", &["jazz", "scrolling", "muscle"]), ("dummy", &["data", "file", "value", "variable"]), ("mess", &["hall"]), ("sad", &["path"]), ("remarkable", &["js"]), ("dumb", &["terminal", "terminals", "waiter"]), ("lucky", &["number", "draw"]),
    ("awesome", &["window", "list", "lists"]), ("genius", &["bar"]), ("remarkable", &["tablet", "tablets"]),
    ("elegant", &["objects"]), ("epic", &["poem", "poems", "story", "ticket", "tickets"]), ("crazy", &["eights"]),
];

#[rustfmt::skip]
static HAN: Phrases = Phrases::new(&[
    "太 ..4 了", "真 棒|好|不错|厉害|漂亮|不容易", "超级|超 厉害|棒|好|强|赞|酷", "很 棒|赞|厉害|遗憾|可惜|糟糕|糟", "非常 ..2 棒|成功|出色|漂亮|厉害|糟糕|棒",
    "极了|绝了|绝妙|精彩|出色|完美|了不起|惊人|惊艳", "令人 ..2 叹|佩|赞|喜|动|象深刻|失望|愤怒|发指|作呕", "厉害|牛逼|牛掰|给力|优秀|杰出|卓越|非凡|天才|神奇|神速",
    "可惜|遗憾|不幸|幸好|幸亏|幸运的是|还好|好在|万幸|谢天谢地", "哈哈|呵呵|嘻嘻|嘿嘿|呜呜|哇|哎|唉|哎呀|天哪|笑死|绝绝子|yyds",
    "糟糕|糟透|差劲|烦人|愚蠢|白痴|荒唐|荒谬|恶心|可恶|垃圾|烂透|丢人|丢脸|可笑|可怕|讨厌的|该死|蹩脚|拙劣|离谱", "最棒|最牛|美极|漂亮|美妙|美好|可爱|迷人|伟大|辉煌|赏心悦目|叹为观止|好极",
    "人 真好", "真 讨厌|烦|坏|香|美|丑|酷|牛|糟|差|假|快|慢|爽|可爱|聪明|幸运|可怜|辛苦|好吃", "得 要命|不得了|不行|离谱|一塌糊涂|一团糟", "一团糟|乱七八糟|要命", "值得 敬佩|称赞|表扬|尊敬|赞扬|骄傲",
    "一流|顶级|顶尖|绝佳|极佳|上乘|无敌|无与伦比|独一无二|首屈一指", "最好吃|最美|最漂亮|最差劲|最烂|最可爱|最聪明|最精彩", "聪明地|巧妙地|机智地|愚蠢地|傻傻地|勇敢地|英勇地", "好消息|坏消息|喜讯|噩耗", "丑得|美得|烂得|棒得", "超 兴奋|开心|喜欢|爱|期待|级开心|级喜欢", "～|~~", "好 开心|烦|棒|厉害|可爱|感动|难过|伤心",
    "恼火|窝囊|气人|气死|无语|坑爹|坑人|吐血|崩溃了|神作|神器|神奇|魔法|惨不忍睹|灾难|噩梦|壮举|奇迹|英雄|骄傲|自豪地|钦佩|敬佩|赞叹|佩服", "啦|哟|喔|嘛", "真是|简直|居然|竟然", "干得好",
]);
#[rustfmt::skip]
const HAN_TERMS: &[&str] = &[
    "垃圾回收", "垃圾邮件", "垃圾分类", "垃圾桶", "垃圾袋", "垃圾收集", "垃圾处理", "垃圾短信", "完美哈希", "完美主义", "完美世界", "优秀毕业生",
    "优秀员工", "优秀奖", "优秀学生", "优秀论文", "神奇动物", "神奇女侠", "卓越亚马逊", "可爱多", "美好生活", "伟大航路", "天才班", "拉啦", "啦啦队",
    "杰出青年", "哇哈哈", "嘛呢",
];
const SMILEYS: &[&str] =
    &[":)", ":-)", ":(", ":-(", ":D", ":-D", ";)", ";-)", "<3", "^_^", "xD", "XD", ":P", "T_T", ":/"];

/// The first judging word, exclamation or emoji.
pub fn tone(read: &Read<'_>) -> Option<Found> {
    let found = |what: &str| Some(Found::new(Flaw::NotNeutral, what));
    if let Some(c) = read.prose.chars().find(|c| is_emoji(*c)) {
        return found(&c.to_string());
    }
    if let Some(at) = exclaims(read.prose) {
        let start = read.prose[..at].char_indices().rev().nth(12).map_or(0, |(n, _)| n);
        return found(read.prose[start..].split_inclusive(['!', '！']).next().unwrap_or("!"));
    }
    if let Some(smiley) = read.prose.split_whitespace().find(|w| SMILEYS.contains(&w.trim_end_matches('.'))) {
        return found(smiley);
    }
    for (sentence, tokens) in read.english() {
        if let Some(i) = (0..tokens.len()).find(|i| judges(sentence, tokens, *i)) {
            return found(tokens[i].surface);
        }
        if let Some(range) = PHRASES.find(tokens) {
            return found(said(sentence, tokens, range));
        }
    }
    let clear = if read.han { without(read.prose, HAN_TERMS) } else { return None };
    HAN.find_han(&clear).and_then(found)
}

fn judges(sentence: &str, tokens: &[Token<'_>], i: usize) -> bool {
    let token = &tokens[i];
    if WORDS.binary_search(&token.text.as_str()).is_err() {
        return false;
    }
    let next = tokens.get(i + 1);
    let is_name = is_capital(token.surface)
        && sentence.get(token.at + token.surface.len()..).is_some_and(|s| !s.starts_with(','))
        && (i > 0 && !sentence[..token.at].trim_end().ends_with(':') || next.is_some_and(|t| is_capital(t.surface)));
    let joined = sentence[token.at + token.surface.len()..].starts_with('-') || sentence[..token.at].ends_with('-');
    let term =
        TERMS.iter().any(|(word, after)| *word == token.text && next.is_some_and(|t| after.contains(&t.text.as_str())));
    !(is_name || joined || term)
}

/// Where an exclamation mark stands that exclaims; not `!=`, `println!(`, `Yahoo!`, `![image]`.
fn exclaims(prose: &str) -> Option<usize> {
    prose.char_indices().filter(|(_, c)| matches!(c, '!' | '！')).map(|(at, _)| at).find(|at| {
        let (before, after) = (&prose[..*at], &prose[*at..]);
        let code =
            after.starts_with("!=") || after.starts_with("![") || after.starts_with("!(") || after.starts_with("!_");
        let names = ["Yahoo", "Jeopardy", "Yum", "Mamma Mia"].iter().any(|n| before.ends_with(n));
        let negates = after.strip_prefix('!').is_some_and(|a| a.starts_with(|c: char| c.is_ascii_alphanumeric()));
        !(code || names || negates)
    })
}

fn is_emoji(c: char) -> bool {
    match c as u32 {
        0x2610..=0x2612 | 0x2713..=0x2718 => false,
        0x1F300..=0x1FAFF
        | 0x1F1E6..=0x1F1FF
        | 0x2600..=0x27BF
        | 0x2B50
        | 0x2B55
        | 0x203C
        | 0x2049
        | 0x3297
        | 0x3299 => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_can_be_searched_by_halves() {
        assert!(WORDS.windows(2).all(|w| w[0] < w[1]));
    }
}
