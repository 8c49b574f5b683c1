//! Whether a short text is about the same topic as a question that uses other words: `ship the release` and a rule about
//! deployments.
//!
//! Never decides alone where words are shared: [`super::topic_match`] does, and is asked first.
//!
//! `data/topics/` lists the words of each topic in English and Chinese; a text in one language finds one in the other.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::topic_match::{PAIR_WEIGHT, Topic, term_rarity, term_weights};
use super::word_list::{PhraseList, phrase_list};
use super::words::TextWord;
use super::{stem, word_frequency, words};

const LISTS: [PhraseList; 2] = [phrase_list!("topics/groups.en.txt"), phrase_list!("topics/groups.zh.txt")];
/// How much a shared topic counts, relative to a shared word.
const TOPIC_WEIGHT: f64 = 0.7;
/// What is enough: the least number of shared topics, the least evidence, and its least share of the text. Chosen on
/// `fixtures/delivery/tuned.tsv`, as wide as adds no text without the right rule there: wider bounds found more there, and
/// on prompts that had not been looked at mostly noise.
const BOUNDS: [(usize, f64, f64); 2] = [(2, 4.5, 0.15), (1, 6.0, 0.3)];
/// The least rarity of a phrase: its words may all be common.
const MIN_PHRASE_RARITY: f64 = 2.0;
/// Words that may stand inside of a phrase: `push it to prod`.
const FILLERS: [&str; 10] = ["a", "an", "the", "it", "this", "that", "them", "my", "our", "your"];
/// The rarity of a single character that is a word.
const CHARACTER_RARITY: f64 = 2.0;

/// The words of all topics.
struct TopicIndex {
    /// Topics by word: English ones as stems with blanks between, Chinese ones as written.
    topics: HashMap<String, Vec<u16>>,
    /// The words of each topic, as they are listed.
    words: Vec<Vec<&'static str>>,
    /// The most words of a phrase, and the most characters of a Chinese word.
    longest: usize,
}

static INDEX: LazyLock<TopicIndex> = LazyLock::new(TopicIndex::read);

impl TopicIndex {
    fn read() -> TopicIndex {
        let mut numbers: HashMap<&str, u16> = HashMap::new();
        let mut index = TopicIndex { topics: HashMap::new(), words: Vec::new(), longest: 1 };
        for line in LISTS.into_iter().flatten() {
            let (name, listed) = line.split_once(": ").unwrap_or_default();
            let number = *numbers.entry(name).or_insert(index.words.len() as u16);
            index.words.resize(index.words.len().max(usize::from(number) + 1), Vec::new());
            for word in listed.split(", ") {
                index.words[usize::from(number)].push(word);
                let parts = parts(word);
                index.longest = index.longest.max(parts.len());
                let topics = index.topics.entry(key(&parts)).or_default();
                if !topics.contains(&number) {
                    topics.push(number);
                }
            }
        }
        index
    }
}

/// A word of a text, or a character of a script without spaces.
struct TextPart {
    /// The stem, or the character.
    text: String,
    is_character: bool,
    at: usize,
    end: usize,
    /// What search compares; `None` for a function word.
    term: Option<(String, f64)>,
}

fn parts(text: &str) -> Vec<TextPart> {
    let is_part = |word: &TextWord<'_>| match word.is_ngram {
        true => word.text.chars().nth(1).is_none(),
        false => !FILLERS.contains(&&*word.text),
    };
    let parts = words(text).filter(is_part).map(|word| TextPart {
        text: if word.is_ngram { word.text.to_string() } else { stem(&word.text).into_owned() },
        is_character: word.is_ngram,
        at: word.at,
        end: word.at + word.surface.len(),
        term: if word.is_ngram { None } else { term_rarity(&word) },
    });
    parts.collect()
}

/// The key of adjacent parts in the index.
fn key(parts: &[TextPart]) -> String {
    let mut key = String::new();
    for part in parts {
        if !key.is_empty() && !part.is_character {
            key.push(' ');
        }
        key.push_str(&part.text);
    }
    key
}

/// A word of a text that belongs to topics.
struct TopicWord {
    topics: &'static [u16],
    /// What search compares of it.
    terms: Vec<String>,
    rarity: f64,
}

/// The words of a text that belong to topics, the longest at each place.
fn topic_words(text: &str) -> Vec<TopicWord> {
    let index = &*INDEX;
    let parts = parts(text);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < parts.len() {
        let is_character = parts[at].is_character;
        let is_joined = |n: &usize| {
            let same_kind = parts[*n].is_character == is_character;
            same_kind && (!is_character || parts[*n].at == parts[*n - 1].end)
        };
        let most = 1 + (at + 1..parts.len().min(at + index.longest)).take_while(is_joined).count();
        let longest = (1..=most).rev().find_map(|n| Some((n, index.topics.get(&key(&parts[at..at + n]))?)));
        if let Some((n, topics)) = longest {
            found.push(topic_word(topics, &parts[at..at + n], text));
            at += n;
        } else {
            at += 1;
        }
    }
    found
}

fn topic_word(topics: &'static [u16], parts: &[TextPart], text: &str) -> TopicWord {
    if !parts[0].is_character {
        let terms = parts.iter().filter_map(|part| part.term.clone());
        let (terms, rarities): (Vec<String>, Vec<f64>) = terms.unzip();
        let least = if parts.len() > 1 { MIN_PHRASE_RARITY } else { 0.0 };
        return TopicWord { topics, terms, rarity: rarities.iter().sum::<f64>().max(least) };
    }
    let terms: Vec<String> = parts.windows(2).map(|pair| text[pair[0].at..pair[1].end].to_owned()).collect();
    let rarity = terms.iter().map(|pair| PAIR_WEIGHT * word_frequency::rarity(pair)).sum::<f64>();
    TopicWord { topics, terms, rarity: rarity.max(CHARACTER_RARITY) }
}

/// The topics of a question, to compare many texts with it.
pub struct RelatedTopics {
    topic: Topic,
    /// Of each topic the rarity of the rarest word.
    topics: HashMap<u16, f64>,
}

/// How much of a text's content is about the topics of a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelatedMatch {
    /// The rarity of shared words, and of words of shared topics, together.
    pub evidence: f64,
    /// Their share of the text's content, 0 to 1.
    pub share: f64,
    /// How many words of the text belong to a topic of the question without being in it.
    pub topics: usize,
}

impl RelatedMatch {
    /// Whether the text is worth showing where none shares enough words with the question.
    pub fn is_related(self) -> bool {
        let is_enough = |(topics, evidence, share): &(usize, f64, f64)| {
            self.topics >= *topics && self.evidence >= *evidence && self.share >= *share
        };
        BOUNDS.iter().any(is_enough)
    }

    /// For ranking.
    pub fn score(self) -> f64 {
        self.evidence * self.share.sqrt()
    }
}

impl RelatedTopics {
    pub fn of(question: &str) -> RelatedTopics {
        let mut topics: HashMap<u16, f64> = HashMap::new();
        for word in topic_words(question) {
            for topic in word.topics {
                let rarity = topics.entry(*topic).or_default();
                *rarity = rarity.max(word.rarity);
            }
        }
        RelatedTopics { topic: Topic::of(question), topics }
    }

    /// All words of the topics, for a search; empty if the question has none.
    pub fn words(&self) -> String {
        let mut topics: Vec<u16> = self.topics.keys().copied().collect();
        topics.sort_unstable();
        let words = topics.iter().flat_map(|topic| INDEX.words[usize::from(*topic)].iter().copied());
        words.collect::<Vec<_>>().join(" ")
    }

    /// Compares a text below a title with the question.
    pub fn compare(&self, text: &str, title: &str) -> RelatedMatch {
        let direct = self.topic.compare(text, title);
        let mut all: f64 = term_weights(text).values().sum();
        let mut words: Vec<TopicWord> = topic_words(text);
        words.sort_by(|a, b| b.rarity.total_cmp(&a.rarity));
        let (mut seen, mut counted) = (HashSet::new(), HashSet::new());
        let (mut rarity, mut topics) = (0.0, 0);
        for word in &words {
            let is_shared = word.terms.iter().any(|term| self.topic.contains(term));
            let new = word.topics.iter().filter_map(|topic| self.topics.get_key_value(topic));
            let new: Vec<f64> = new.filter(|(topic, _)| seen.insert(**topic)).map(|(_, rarity)| *rarity).collect();
            if !new.is_empty() && !is_shared && word.terms.iter().all(|term| counted.insert(term.as_str())) {
                // The rarer of both says how much it is: `push to prod` is about deployments, a common word.
                let shared = new.into_iter().fold(word.rarity, f64::max);
                (rarity, topics, all) = (rarity + shared, topics + 1, all + shared - word.rarity);
            }
        }
        let evidence = direct.evidence + TOPIC_WEIGHT * rarity;
        let share = direct.share + if all > 0.0 { TOPIC_WEIGHT * rarity / all } else { 0.0 };
        RelatedMatch { evidence, share: share.min(1.0), topics }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_related(question: &str, text: &str) -> bool {
        RelatedTopics::of(question).compare(text, "").is_related()
    }

    #[test]
    fn other_words_for_a_topic_are_related() {
        for (question, text) in [
            ("roll out the migration", "Schema changes are deployed by two people"),
            ("把表结构的改动发布到线上", "Migrations are released on Mondays"),
            ("print the password here", "Credentials never go to the logger"),
            ("push it to prod after the approval", "A deployment needs a sign off"),
        ] {
            assert!(is_related(question, text), "{question} / {text}");
        }
    }

    #[test]
    fn other_topics_are_not() {
        for (question, text) in [
            ("push it to prod tonight", "Likes tea"),
            ("", "Deployments need a second person"),
            ("roll out the new build", ""),
            ("what is the capital of France?", "Deployments need a second person"),
            ("今天天气怎么样", "密钥放在密码库里"),
        ] {
            assert!(!is_related(question, text), "{question} / {text}");
        }
    }

    #[test]
    fn both_lists_name_the_same_topics_once() {
        let names = |list: PhraseList| list.iter().map(|line| line.split_once(": ").unwrap().0).collect::<Vec<_>>();
        let [english, chinese] = LISTS.map(names);
        assert!(english.len() >= 250 && chinese.len() >= 200, "{} {}", english.len(), chinese.len());
        for names in [&english, &chinese] {
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        }
        for line in LISTS.into_iter().flatten() {
            let listed: Vec<&str> = line.split_once(": ").unwrap().1.split(", ").collect();
            assert!(listed.iter().all(|word| *word == word.trim() && !word.is_empty()), "{line}");
            assert_eq!(listed.iter().collect::<HashSet<_>>().len(), listed.len(), "{line}");
        }
    }
}
