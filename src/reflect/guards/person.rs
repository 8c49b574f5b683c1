//! Third person without pronouns: a memory is read alone, by somebody who does not know who "I" was.
//!
//! Never judges code, quoted words or titles. Works from lists; a name that is spelt like a pronoun is told by its
//! capital, a Chinese word that only holds such a character by a list of such words.

use super::{Flaw, Found, Read};
use crate::text::phrase::{Phrases, Token, find, is_capital, said};
use crate::text::prose::without;

#[rustfmt::skip]
const FIRST_AND_SECOND: &[&str] = &[
    "i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself", "we", "we're", "we've", "we'd", "we'll", "us",
    "our", "ours", "ourselves", "you", "you're", "you've", "you'd", "you'll", "your", "yours", "yourself",
    "yourselves",
];
#[rustfmt::skip]
const THIRD: &[&str] = &[
    "he", "he'd", "he'll", "him", "his", "himself", "she", "she'd", "she'll", "her", "hers", "herself", "they",
    "they're", "they've", "they'd", "they'll", "them", "their", "theirs", "themselves", "it", "it'd", "it'll", "its",
    "itself",
];
/// "This means …": what means?
static POINTING: Phrases = Phrases::new(&[
    "^this|that|these|those is|was|are|were|will|has|had|means|meant|happens|happened|causes|caused|makes|made|leads|led|broke|works|worked|fails|failed|helps|helped",
]);
/// Words before an "I" that is a number.
#[rustfmt::skip]
const NUMBERED: &[&str] = &[
    "war", "type", "phase", "part", "chapter", "level", "volume", "class", "category", "act", "book", "stage", "grade",
    "tier", "schedule", "elizabeth", "charles", "james", "francis", "napoleon", "factor", "article",
];
const MINES: &[&str] =
    &["a", "the", "coal", "gold", "silver", "salt", "copper", "iron", "diamond", "land", "data", "tin"];

#[rustfmt::skip]
const HAN_FIRST: &[&str] = &["我", "咱", "俺", "你", "您", "妳", "本人", "鄙人"];
const HAN_THIRD: &[&str] = &["他", "她", "它", "牠", "祂"];
/// Words that only hold such a character.
#[rustfmt::skip]
const HAN_WORDS: &[&str] = &[
    "其他", "其它", "其她", "他人", "吉他", "他乡", "他国", "他山", "排他", "利他", "他汀", "犹他", "维他", "他克莫司", "他达拉非",
    "他者", "他律", "他杀", "他日", "他处", "他信", "自我", "我行我素", "忘我", "无我", "大我", "小我", "本我", "超我", "敌我", "唯我",
    "我执", "我的世界", "我爱我家", "你画我猜", "迷你", "你好世界", "她经济", "她力量", "没他", "西雅他", "加他霉素", "日本人", "本人民",
    "基本人", "根本人", "成本人", "样本人", "资本人", "版本人", "脚本人",
];

/// The pronouns of a text: at most one of each flaw.
pub fn person(read: &Read<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for (sentence, tokens) in read.english() {
        found.extend(english(tokens, FIRST_AND_SECOND, sentence).map(|w| Found::new(Flaw::NotThirdPerson, w)));
        found.extend(english(tokens, THIRD, sentence).map(|w| Found::new(Flaw::Pronoun, w)));
        if let Some(range) = POINTING.find(tokens) {
            found.push(Found::new(Flaw::Pronoun, said(sentence, tokens, range)));
        }
        if find(tokens, &["let 's"]).is_some() {
            found.push(Found::new(Flaw::NotThirdPerson, "let's"));
        }
    }
    if read.han {
        let clear = without(read.prose, HAN_WORDS);
        found.extend(han(&clear, HAN_FIRST).map(|w| Found::new(Flaw::NotThirdPerson, w)));
        found.extend(han(&clear, HAN_THIRD).map(|w| Found::new(Flaw::Pronoun, w)));
    }
    found.sort_by_key(|f| f.flaw);
    found.dedup_by_key(|f| f.flaw);
    found
}

fn english<'a>(tokens: &[Token<'a>], pronouns: &[&str], sentence: &str) -> Option<&'a str> {
    let is = |i: usize| pronouns.contains(&tokens[i].text.as_str()) && !excused(tokens, i, sentence);
    (0..tokens.len()).find(|i| is(*i)).map(|i| tokens[i].surface)
}

/// Whether what is spelt like a pronoun is none: a name, a number, a list of pronouns (they/them).
fn excused(tokens: &[Token<'_>], i: usize, sentence: &str) -> bool {
    let Token { text, surface, at } = &tokens[i];
    let before = i.checked_sub(1).map(|p| &tokens[p]);
    let previous = before.map_or("", |t| t.text.as_str());
    let end = at + surface.len();
    let slashed = sentence[end..].starts_with(['/', '-', '_']) || sentence[..*at].ends_with(['/', '-', '_', '.']);
    let shouted = surface.len() > 1 && surface.chars().all(char::is_uppercase);
    let opens = i == 0 || sentence[..*at].trim_end().ends_with([':', '：', '(', '—', '-']);
    let is_i = text.starts_with('i') && (text == "i" || text.starts_with("i'"));
    let next_capital = tokens.get(i + 1).is_some_and(|t| is_capital(t.surface));
    let title = match is_i {
        true => i > 1 && next_capital && before.is_some_and(|t| is_capital(t.surface)),
        false => !opens && is_capital(surface),
    };
    let number = text == "i" && (NUMBERED.contains(&previous) || is_monarch(tokens, i));
    let mine = text == "mine" && MINES.contains(&previous);
    let listed = tokens[i.saturating_sub(4)..i].iter().any(|t| matches!(t.text.as_str(), "pronoun" | "pronouns"));
    slashed || shouted || title || number || mine || listed
}

/// "Henry I of England", "covers Henry I.": a name before, and no verb behind.
fn is_monarch(tokens: &[Token<'_>], i: usize) -> bool {
    let name = i > 0 && is_capital(tokens[i - 1].surface) && tokens[i - 1].text != "user";
    name && tokens.get(i + 1).is_none_or(|t| matches!(t.text.as_str(), "of" | "'s" | "and" | "was" | "is"))
}

fn han<'a>(clear: &'a str, pronouns: &[&'a str]) -> Option<&'a str> {
    let spots = pronouns.iter().filter_map(|p| Some((clear.find(p)?, *p)));
    spots.filter(|(at, _)| !is_value(&clear[..*at])).min().map(|(_, p)| p)
}

/// "代词：她": the pronoun is what is told.
fn is_value(before: &str) -> bool {
    let near = before.char_indices().rev().nth(7).map_or(0, |(n, _)| n);
    before[near..].contains("代词")
}
