//! Neutral tone: no praise, no blame, no exclamation, no emoji.
//!
//! Never judges what the user feels: "User hates cilantro" is a fact. Works from lists of judging words, so that a
//! judgement in other words passes.

use super::{Flaw, Found, Read};
use crate::text::phrase::{Token, find_han, is_capital};
use crate::text::prose::without;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "absolutely", "adorable", "alas", "amazing", "amazingly", "annoying", "annoyingly", "appalling", "astonishing",
    "atrocious", "awesome", "awful", "awfully", "beautiful", "beautifully", "breathtaking", "brilliant",
    "brilliantly", "charming", "clumsy", "congrats", "congratulations", "crappy", "crazy", "cute", "damn",
    "dazzling", "delicious", "delightful", "disappointing", "disappointingly", "disastrous", "disgusting", "dreadful",
    "dumb", "elegant", "elegantly", "embarrassing", "epic", "excellent", "exceptional", "exceptionally", "exquisite",
    "extraordinary", "fabulous", "fantastic", "flawless", "flawlessly", "fortunately", "genius", "gifted", "glorious",
    "gorgeous", "great", "haha", "hilarious", "hooray", "hopefully", "horrible", "horribly", "horrific", "idiot",
    "idiotic", "impressive", "impressively", "incredible", "incredibly", "insane", "insanely", "joyful", "kudos",
    "lame", "lol", "lovely", "luckily", "lucky", "magnificent", "marvellous", "marvelous", "mediocre", "miserable",
    "nasty", "omg", "outrageous", "outstanding", "pathetic", "perfect", "perfectly", "phenomenal", "remarkable",
    "remarkably", "ridiculous", "ridiculously", "sadly", "shameful", "silly", "sloppy", "spectacular", "splendid",
    "stellar", "stunning", "stupid", "superb", "superbly", "talented", "terrible", "terribly", "terrific",
    "thankfully", "totally", "tremendous", "ugh", "ugly", "unbelievable", "unbelievably", "unfortunate",
    "unfortunately", "whoa", "wonderful", "wonderfully", "wow", "yay", "yikes",
];
/// What makes a judging word a term.
#[rustfmt::skip]
const TERMS: &[(&str, &[&str])] = &[
    ("perfect", &["hash", "hashes", "hashing", "square", "squares", "tense", "pitch", "forward", "number", "numbers", "fifth", "competition", "information", "matching"]),
    ("great", &["deal", "grandmother", "grandfather", "circle", "dane", "danes", "basin", "aunt", "uncle", "white", "apes"]),
    ("ugly", &["duckling"]), ("dumb", &["terminal", "terminals", "waiter"]), ("lucky", &["number", "draw"]),
    ("awesome", &["window", "list", "lists"]), ("genius", &["bar"]), ("remarkable", &["tablet", "tablets"]),
    ("elegant", &["objects"]), ("epic", &["poem", "poems", "story", "ticket", "tickets"]), ("crazy", &["eights"]),
];

#[rustfmt::skip]
const HAN: &[&str] = &[
    "太 ..4 了", "真 棒|好|不错|厉害|漂亮|不容易", "超级|超 厉害|棒|好|强|赞|酷", "很 棒|赞|厉害|遗憾|可惜|糟糕|糟", "非常 ..2 棒|成功|出色|漂亮|厉害|糟糕|棒",
    "极了|绝了|绝妙|精彩|出色|完美|了不起|惊人|惊艳", "令人 ..2 叹|佩|赞|喜|动|象深刻|失望|愤怒|发指|作呕", "厉害|牛逼|牛掰|给力|优秀|杰出|卓越|非凡|天才|神奇|神速",
    "可惜|遗憾|不幸|幸好|幸亏|幸运的是|还好|好在|万幸|谢天谢地", "哈哈|呵呵|嘻嘻|嘿嘿|呜呜|哇|哎|唉|哎呀|天哪|笑死|绝绝子|yyds",
    "糟糕|糟透|差劲|烦人|愚蠢|白痴|荒唐|荒谬|恶心|可恶|垃圾|烂透|丢人|丢脸|可笑|可怕|讨厌的|该死|蹩脚|拙劣|离谱", "最棒|最牛|美极|漂亮|美妙|美好|可爱|迷人|伟大|辉煌|赏心悦目|叹为观止|好极",
    "人 真好", "啦|哟|喔|嘛", "真是|简直|居然|竟然", "干得好",
];
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
    }
    let clear = if read.han { without(read.prose, HAN_TERMS) } else { return None };
    find_han(&clear, HAN).and_then(found)
}

fn judges(sentence: &str, tokens: &[Token<'_>], i: usize) -> bool {
    let token = &tokens[i];
    if WORDS.binary_search(&token.text.as_str()).is_err() {
        return false;
    }
    let next = tokens.get(i + 1);
    let is_name = is_capital(token.surface) && sentence.get(token.at + token.surface.len()..).is_some_and(|s| !s.starts_with(','))
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
