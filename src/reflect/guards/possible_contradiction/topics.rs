//! The attributes of which a person, a team, a business or a project has one value or one state at a time, and where a
//! statement speaks of them.
//!
//! Never compares two statements; `attributes` does.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use crate::text::phrase::word_tokens;
use crate::text::stem;
use crate::text::word_forms::{FormKind, other_forms};
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

const TOPICS: PhraseList = phrase_list!("guards/contradiction/topics.en.txt");
const HAN_TOPICS: PhraseList = phrase_list!("guards/contradiction/topics.zh.txt");

/// The kind of value that an attribute has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TopicKind {
    /// States, of which one excludes the others.
    State,
    /// Like `State`, of some part that the other words of the statement name.
    PartState,
    /// A name; a typical one is enough to tell the topic.
    Name,
    /// A name beside a word for the attribute.
    NamedName,
    /// A typical value beside a word for the attribute.
    TypicalName,
    /// Like `NamedName`; any words may be the value.
    AnyWord,
    /// Like `NamedName`, where the word for the attribute tells of which one.
    RoleName,
    /// A number, a date, a time, or how often.
    Amount,
    /// Like `Amount`, where the word for the attribute tells of which one.
    EventAmount,
}

/// A place where a statement speaks of a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TopicMention {
    pub(super) topic: usize,
    /// The number of the state; otherwise 0 for the attribute, and 1 for a value.
    pub(super) part: usize,
    /// Whether it stands for the whole state, not for an example.
    pub(super) is_general: bool,
    /// The bytes of the text.
    pub(super) range: Range<usize>,
    /// The word as the list has it.
    pub(super) phrase: &'static str,
}

struct TopicPhrase {
    topic: usize,
    part: usize,
    is_general: bool,
    phrase: &'static str,
    /// Stems; in Chinese, the parts around a gap.
    words: Vec<String>,
}

struct AttributeIndex {
    kinds: Vec<TopicKind>,
    /// By the first stem.
    english: HashMap<String, Vec<TopicPhrase>>,
    /// Irregular forms of words of the lists, as stems: `ate` of `eat`.
    irregular: HashMap<&'static str, String>,
    /// By the first character.
    han: HashMap<char, Vec<TopicPhrase>>,
}

/// Stands for a gap between the words of a phrase.
const GAP: &str = "…";
/// Maximum length of a gap in an English phrase, in words.
const MAX_GAP_WORDS: usize = 4;
/// Maximum length of a gap in a Chinese phrase, in characters.
const MAX_GAP: usize = 12;

static INDEX: OnceLock<AttributeIndex> = OnceLock::new();

fn index() -> &'static AttributeIndex {
    INDEX.get_or_init(|| {
        let mut index = AttributeIndex {
            kinds: Vec::new(),
            english: HashMap::new(),
            irregular: HashMap::new(),
            han: HashMap::new(),
        };
        let mut numbers: HashMap<&'static str, usize> = HashMap::new();
        for line in TOPICS.iter().chain(HAN_TOPICS.iter()) {
            let Some((head, parts)) = line.split_once(": ") else { continue };
            let (name, kinds) = head.split_once(' ').unwrap_or((head, "state"));
            let kind = match kinds {
                "state" => TopicKind::State,
                "part" => TopicKind::PartState,
                "name" => TopicKind::Name,
                "named" => TopicKind::NamedName,
                "typical" => TopicKind::TypicalName,
                "role" => TopicKind::RoleName,
                "amount" => TopicKind::Amount,
                "event" => TopicKind::EventAmount,
                _ => TopicKind::AnyWord,
            };
            let topic = *numbers.entry(name).or_insert_with(|| {
                index.kinds.push(kind);
                index.kinds.len() - 1
            });
            for (part, words) in parts.split(" / ").enumerate() {
                for word in words.trim_end_matches('/').trim().split('|').map(str::trim).filter(|w| !w.is_empty()) {
                    index.insert(topic, part, word);
                }
            }
        }
        index
    })
}

impl AttributeIndex {
    fn insert(&mut self, topic: usize, part: usize, word: &'static str) {
        let phrase = word.trim_start_matches('=');
        let is_general = phrase.len() < word.len();
        let new = |words: Vec<String>| TopicPhrase { topic, part, is_general, phrase, words };
        if let Some(first) = phrase.chars().next().filter(|c| is_unspaced(*c)) {
            self.han.entry(first).or_default().push(new(phrase.split('…').map(str::to_owned).collect()));
            return;
        }
        // "Manager" stands for itself, not for every form of "manage".
        let is_exact = phrase.ends_with('.');
        let key = |word: &str| if is_exact { format!("{word}.") } else { stem(word).into_owned() };
        let parts = phrase.split(" … ").map(|part| word_tokens(part).iter().map(|t| key(&t.text)).collect::<Vec<_>>());
        let stems: Vec<String> = parts.collect::<Vec<_>>().join(&GAP.to_owned());
        for key in &stems {
            other_forms(key, |form, kind| {
                if kind == FormKind::Inflected {
                    self.irregular.insert(form, key.clone());
                }
            });
        }
        // A single letter is no name: C, R.
        if let Some(first) = stems.first().cloned().filter(|_| stems.len() > 1 || stems.iter().any(|s| s.len() > 1)) {
            self.english.entry(first).or_default().push(new(stems));
        }
    }
}

/// The number of no topic, for what is compared without one.
pub(super) const NO_TOPIC: usize = usize::MAX;

/// A word of each phrase of some topics: the longest stem, in Chinese the start before a gap.
pub(super) fn words_of(topics: &HashSet<usize>) -> impl Iterator<Item = &str> {
    let all = index().english.values().chain(index().han.values()).flatten();
    let own = all.filter(|phrase| topics.contains(&phrase.topic));
    own.filter_map(|phrase| {
        if phrase.phrase.starts_with(is_unspaced) {
            phrase.words.first().map(String::as_str)
        } else {
            phrase.words.iter().map(|w| w.trim_end_matches('.')).max_by_key(|word| word.len())
        }
    })
}

/// The irregular forms of a stem.
pub(super) fn irregular_forms(key: &str) -> impl Iterator<Item = &'static str> {
    index().irregular.iter().filter(move |(_, base)| *base == key).map(|(form, _)| *form)
}

/// The kind of a topic.
pub(super) fn kind_of(topic: usize) -> TopicKind {
    index().kinds[topic]
}

/// Where a text speaks of any topic; of two places in one topic, the longer one, if one contains the other.
pub(super) fn mentions(text: &str) -> Vec<TopicMention> {
    let mut found = Vec::new();
    let tokens = word_tokens(text);
    let stems: Vec<String> = tokens.iter().map(|t| stem(&t.text).into_owned()).collect();
    let bases: Vec<Option<&String>> = stems.iter().map(|key| index().irregular.get(key.as_str())).collect();
    let matches = |at: usize, word: &str| {
        let is_exact = word.strip_suffix('.').is_some_and(|word| tokens.get(at).is_some_and(|t| t.text == word));
        is_exact
            || stems.get(at).is_some_and(|s| s == word)
            || bases.get(at).is_some_and(|b| b.is_some_and(|b| b == word))
    };
    for at in 0..tokens.len() {
        let exact = format!("{}.", tokens[at].text);
        let keys = [Some(&stems[at]), bases[at], Some(&exact)];
        for phrase in keys.into_iter().flatten().filter_map(|key| index().english.get(key)).flatten() {
            for (first, last) in english_parts(at, &phrase.words, &matches).unwrap_or_default() {
                let last = &tokens[last];
                found.push(mention(phrase, tokens[first].at..last.at + last.surface.len()));
            }
        }
    }
    let low = text.to_lowercase();
    if low.len() == text.len() {
        for (at, c) in low.char_indices().filter(|(_, c)| is_unspaced(*c)) {
            for phrase in index().han.get(&c).into_iter().flatten() {
                let parts = han_parts(&low, at, &phrase.words).unwrap_or_default();
                found.extend(parts.into_iter().map(|range| mention(phrase, range)));
            }
        }
    }
    let is_part = |a: &TopicMention, b: &TopicMention| {
        a.topic == b.topic
            && a.range.start >= b.range.start
            && a.range.end <= b.range.end
            && a.range.len() < b.range.len()
    };
    let all = found.clone();
    found.retain(|one| !all.iter().any(|other| is_part(one, other)));
    found
}

/// Whether a text speaks of one of some topics.
pub(super) fn speaks_of(text: &str, topics: &HashSet<usize>) -> bool {
    !topics.is_empty() && mentions(text).iter().any(|mention| topics.contains(&mention.topic))
}

fn mention(phrase: &TopicPhrase, range: Range<usize>) -> TopicMention {
    TopicMention { topic: phrase.topic, part: phrase.part, is_general: phrase.is_general, range, phrase: phrase.phrase }
}

/// The first and last tokens of the parts of a phrase that starts at a token; a gap is as short as possible.
fn english_parts(at: usize, words: &[String], matches: &impl Fn(usize, &str) -> bool) -> Option<Vec<(usize, usize)>> {
    let gap = words.iter().position(|word| word == GAP);
    let first = &words[..gap.unwrap_or(words.len())];
    if !first.iter().enumerate().all(|(n, word)| matches(at + n, word)) {
        return None;
    }
    let mut parts = vec![(at, at + first.len() - 1)];
    if let Some(gap) = gap {
        let rest = &words[gap + 1..];
        parts.extend((0..=MAX_GAP_WORDS).find_map(|n| english_parts(at + gap + n, rest, matches))?);
    }
    Some(parts)
}

/// The bytes of the parts of a Chinese phrase that starts at an offset.
fn han_parts(text: &str, at: usize, parts: &[String]) -> Option<Vec<Range<usize>>> {
    let (first, rest) = parts.split_first()?;
    if !text[at..].starts_with(first.as_str()) {
        return None;
    }
    let mut found: Vec<Range<usize>> = std::iter::once(at..at + first.len()).collect();
    for part in rest {
        let end = found[found.len() - 1].end;
        let gap = text[end..].find(part.as_str())?;
        let between = &text[end..end + gap];
        if between.chars().count() > MAX_GAP || between.contains(['，', '。', '；']) {
            return None;
        }
        found.push(end + gap..end + gap + part.len());
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_topic_has_words_in_both_languages() {
        let names =
            |list: PhraseList| -> Vec<&'static str> { list.iter().filter_map(|line| line.split(' ').next()).collect() };
        let (mut english, mut han) = (names(TOPICS), names(HAN_TOPICS));
        english.sort_unstable();
        han.sort_unstable();
        assert_eq!(english, han);
        assert!(english.len() >= 120 && english.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_text_mentions_its_topics() {
        let phrases = |text: &str| mentions(text).into_iter().map(|m| m.phrase).collect::<Vec<_>>();
        assert!(phrases("Does all the coding in Zed").contains(&"zed"));
        assert!(phrases("Ate chicken yesterday").contains(&"chicken"));
        assert!(phrases("用户在华为工作").contains(&"在…工作"));
        let is_pet = |m: &TopicMention| m.phrase == "pet" || m.phrase == "no pets";
        let pets: Vec<&str> = mentions("Has no pets").into_iter().filter(is_pet).map(|m| m.phrase).collect();
        assert_eq!(pets.iter().filter(|p| **p == "pet").count(), 0, "only the longer phrase counts: {pets:?}");
    }
}
