//! Checks that a text is in the third person and without pronouns: later readers do not know who "I" was.
//!
//! Never checks code, quoted words or titles. Based on word lists. A name spelt like a pronoun is recognised by its
//! capital letter, a Chinese word that merely contains a pronoun's character by a list of such words.

use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, find, is_capitalized, matched_text};
use crate::text::prose_mask::mask_phrases;

#[rustfmt::skip]
const FIRST_AND_SECOND: &[&str] = &[
    "i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself", "we", "we're", "we've", "we'd", "we'll", "us",
    "our", "ours", "ourselves", "you", "you're", "you've", "you'd", "you'll", "your", "yours", "yourself",
    "yourselves",
];
#[rustfmt::skip]
const THIRD_PERSON: &[&str] = &[
    "he", "he'd", "he'll", "him", "his", "himself", "she", "she'd", "she'll", "her", "hers", "herself", "they",
    "they're", "they've", "they'd", "they'll", "them", "their", "theirs", "themselves", "it", "it'd", "it'll", "its",
    "itself",
];
/// A demonstrative without a noun: "This means …".
static DEMONSTRATIVES: PhrasePatterns = PhrasePatterns::new(&[
    "^this|that|these|those is|was|are|were|will|has|had|means|meant|happens|happened|causes|caused|makes|made|leads|led|broke|works|worked|fails|failed|helps|helped",
]);
/// Words before an "I" that is a Roman numeral.
#[rustfmt::skip]
const NUMBERED_NOUNS: &[&str] = &[
    "war", "type", "phase", "part", "chapter", "level", "volume", "class", "category", "act", "book", "stage", "grade",
    "tier", "schedule", "elizabeth", "charles", "james", "francis", "napoleon", "factor", "article",
];
const MINE_ADJECTIVES: &[&str] =
    &["a", "the", "coal", "gold", "silver", "salt", "copper", "iron", "diamond", "land", "data", "tin"];

#[rustfmt::skip]
const HAN_FIRST: &[&str] = &["我", "咱", "俺", "你", "您", "妳", "本人", "鄙人"];
const HAN_THIRD: &[&str] = &["他", "她", "它", "牠", "祂"];
/// Words that contain the character of a pronoun but are none.
#[rustfmt::skip]
const HAN_COMPOUNDS: &[&str] = &[
    "其他", "其它", "其她", "他人", "吉他", "他乡", "他国", "他山", "排他", "利他", "他汀", "犹他", "维他", "他克莫司", "他达拉非",
    "他者", "他律", "他杀", "他日", "他处", "他信", "自我", "我行我素", "忘我", "无我", "大我", "小我", "本我", "超我", "敌我", "唯我",
    "我执", "我的世界", "我爱我家", "你画我猜", "迷你", "你好世界", "她经济", "她力量", "没他", "西雅他", "加他霉素", "日本人", "本人民",
    "基本人", "根本人", "成本人", "样本人", "资本人", "版本人", "脚本人",
];

/// The pronouns of a text: at most one finding per violation.
pub fn check_person(input: &GuardText<'_>) -> Vec<GuardFinding> {
    let mut found = Vec::new();
    for (sentence, tokens) in input.english_sentences() {
        found.extend(
            english_pronoun(tokens, FIRST_AND_SECOND, sentence)
                .map(|w| GuardFinding::new(Violation::NotThirdPerson, w)),
        );
        found.extend(english_pronoun(tokens, THIRD_PERSON, sentence).map(|w| GuardFinding::new(Violation::Pronoun, w)));
        if let Some(range) = DEMONSTRATIVES.find(tokens) {
            found.push(GuardFinding::new(Violation::Pronoun, matched_text(sentence, tokens, range)));
        }
        if find(tokens, &["let 's"]).is_some() {
            found.push(GuardFinding::new(Violation::NotThirdPerson, "let's"));
        }
    }
    if input.han {
        let text = mask_phrases(input.prose, HAN_COMPOUNDS);
        found.extend(han_pronoun(&text, HAN_FIRST).map(|w| GuardFinding::new(Violation::NotThirdPerson, w)));
        found.extend(han_pronoun(&text, HAN_THIRD).map(|w| GuardFinding::new(Violation::Pronoun, w)));
    }
    found.sort_by_key(|f| f.violation);
    found.dedup_by_key(|f| f.violation);
    found
}

fn english_pronoun<'a>(tokens: &[WordToken<'a>], pronouns: &[&str], sentence: &str) -> Option<&'a str> {
    let is = |i: usize| pronouns.contains(&tokens[i].text.as_str()) && !is_not_pronoun(tokens, i, sentence);
    (0..tokens.len()).find(|i| is(*i)).map(|i| tokens[i].surface)
}

/// Whether a word spelt like a pronoun is something else: a name, a number, a list of pronouns (they/them).
fn is_not_pronoun(tokens: &[WordToken<'_>], i: usize, sentence: &str) -> bool {
    let WordToken { text, surface, at } = &tokens[i];
    let before = i.checked_sub(1).map(|p| &tokens[p]);
    let previous = before.map_or("", |t| t.text.as_str());
    let end = at + surface.len();
    let slashed = sentence[end..].starts_with(['/', '-', '_']) || sentence[..*at].ends_with(['/', '-', '_', '.']);
    let shouted = surface.len() > 1 && surface.chars().all(char::is_uppercase);
    let opens = i == 0 || sentence[..*at].trim_end().ends_with([':', '：', '(', '—', '-']);
    let is_i = text.starts_with('i') && (text == "i" || text.starts_with("i'"));
    let next_capital = tokens.get(i + 1).is_some_and(|t| is_capitalized(t.surface));
    let title = match is_i {
        true => i > 1 && next_capital && before.is_some_and(|t| is_capitalized(t.surface)),
        false => !opens && is_capitalized(surface),
    };
    let number = text == "i" && (NUMBERED_NOUNS.contains(&previous) || is_monarch(tokens, i));
    let mine = text == "mine" && MINE_ADJECTIVES.contains(&previous);
    let listed = tokens[i.saturating_sub(4)..i].iter().any(|t| matches!(t.text.as_str(), "pronoun" | "pronouns"));
    slashed || shouted || title || number || mine || listed
}

/// "Henry I of England", "covers Henry I.": preceded by a name and not followed by a verb.
fn is_monarch(tokens: &[WordToken<'_>], i: usize) -> bool {
    let name = i > 0 && is_capitalized(tokens[i - 1].surface) && tokens[i - 1].text != "user";
    name && tokens.get(i + 1).is_none_or(|t| matches!(t.text.as_str(), "of" | "'s" | "and" | "was" | "is"))
}

fn han_pronoun<'a>(clear: &'a str, pronouns: &[&'a str]) -> Option<&'a str> {
    let matches = pronouns.iter().filter_map(|p| Some((clear.find(p)?, *p)));
    matches.filter(|(at, _)| !is_stated_value(&clear[..*at])).min().map(|(_, p)| p)
}

/// Whether a pronoun is the stated value: "代词：她".
fn is_stated_value(before: &str) -> bool {
    let near = before.char_indices().rev().nth(7).map_or(0, |(n, _)| n);
    before[near..].contains("代词")
}
