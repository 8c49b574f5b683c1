//! Whether a short text is about what a question or a command is about: how much of its content they share, rare words
//! counting more.
//!
//! Never looks at other texts, so that a decision about one fact does not depend on the rest of a memory.

use std::collections::{HashMap, HashSet};

use super::search_terms::search_term;
use super::word_forms::{FormKind, other_forms};
use super::words::{TextWord, is_unspaced};
use super::{stopwords, word_frequency};

/// What is enough: the least rarity of the shared words together, and their least share of the text.
const BOUNDS: [(f64, f64); 3] = [(6.0, 0.15), (4.5, 0.18), (3.4, 0.25)];
/// What is enough of the only text that shares anything telling with a short question, "what is she allergic to?": the
/// least rarity of the shared words, and their least share of the question. Chosen on the odd memories of
/// `fixtures/recall/small_memories.*`.
const ONLY_TEXT_BOUNDS: [(f64, f64); 2] = [(5.0, 0.1), (2.0, 0.25)];
const MAX_SHARING_TEXTS: usize = 2;
/// How many shared words are enough: two, or three pairs of characters, which are a Chinese word of four or two words.
/// With one, a request about visitors would be shown every text that mentions them.
const MIN_SHARED: usize = 6;
const WORD_COUNT: usize = 3;
const PAIR_COUNT: usize = 2;
/// How much a word of the title counts, relative to one of the text.
const TITLE_WEIGHT: f64 = 0.5;
/// How much a keyword counts, relative to a word of the text. Chosen on `fixtures/delivery/tuned.tsv`.
const KEYWORD_WEIGHT: f64 = 0.8;
/// How much a pair of characters counts in scripts without spaces: it overlaps with the next one.
const PAIR_WEIGHT: f64 = 0.5;

/// The rarity of a word that most texts may contain.
const GENERIC_RARITY: f64 = 0.8;

/// The search terms of a question, to compare many texts with it.
pub struct Topic {
    /// Also the irregular forms and other spellings of its words.
    terms: HashSet<String>,
    /// The rarity of its words together.
    rarity: f64,
}

/// How much of a text's content a question shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopicMatch {
    /// The rarity of the shared words together.
    pub evidence: f64,
    /// Their share of the text's content, 0 to 1.
    pub share: f64,
    /// Their share of the question's content, 0 to 1.
    pub coverage: f64,
    /// Their number: [`WORD_COUNT`] for a word, [`PAIR_COUNT`] for a pair of characters.
    shared: usize,
}

impl TopicMatch {
    /// Whether the text is worth showing, whatever else is.
    pub fn is_about(self) -> bool {
        self.shared >= MIN_SHARED
            && BOUNDS.iter().any(|(evidence, share)| self.evidence >= *evidence && self.share >= *share)
    }

    /// Whether the text is worth showing if no other text of the memory is, and at most [`MAX_SHARING_TEXTS`] share a
    /// word with the question: one word is enough then.
    fn may_be_about(self) -> bool {
        ONLY_TEXT_BOUNDS.iter().any(|(evidence, coverage)| self.evidence >= *evidence && self.coverage >= *coverage)
    }

    /// Ranks texts: the rarer the shared words and the greater their share, the higher. Not bounded.
    pub fn score(self) -> f64 {
        self.evidence * self.share.sqrt()
    }
}

impl Topic {
    pub fn of(question: &str) -> Topic {
        let weights = term_weights(question);
        let rarity = weights.values().sum();
        let mut terms: HashSet<String> = weights.into_keys().collect();
        for term in terms.clone() {
            other_forms(&term, |form, kind| {
                if kind == FormKind::Inflected {
                    terms.insert(form.to_owned());
                }
            });
        }
        Topic { terms, rarity }
    }

    /// Compares a text below a title with the question. `keywords` are other words for the text: those that the question
    /// shares count as if they stood in it, those that it does not share take nothing from the others.
    pub fn compare(&self, text: &str, title: &str, keywords: &str) -> TopicMatch {
        let mut own = term_weights(text);
        let all: f64 = own.values().sum();
        for (term, rarity) in term_weights(keywords) {
            own.entry(term).or_insert(KEYWORD_WEIGHT * rarity);
        }
        let both = || own.iter().filter(|(term, _)| self.terms.contains(*term));
        let rarity: f64 = both().map(|(_, rarity)| rarity).sum();
        if rarity == 0.0 || all == 0.0 {
            return TopicMatch { evidence: 0.0, share: 0.0, coverage: 0.0, shared: 0 };
        }
        let count = |term: &String| match () {
            () if term.chars().all(is_unspaced) => PAIR_COUNT,
            // Many texts share a number or a letter with a question about something else.
            () if term.len() == 1 || term.bytes().all(|b| b.is_ascii_digit()) => 0,
            () => WORD_COUNT,
        };
        let shared = both().map(|(term, _)| count(term)).sum();
        let in_title = |(term, _): &(&String, &f64)| self.terms.contains(*term) && !own.contains_key(*term);
        let titled: f64 = term_weights(title).iter().filter(in_title).map(|(_, rarity)| rarity).sum();
        TopicMatch {
            evidence: rarity + TITLE_WEIGHT * titled,
            share: (rarity / all).min(1.0),
            coverage: (rarity / self.rarity).min(1.0),
            shared,
        }
    }
}

/// The texts of a memory that are worth showing for a prompt: those that are about it, or close to it by another
/// measure; else the only one that may be about it, if at most [`MAX_SHARING_TEXTS`] share a word with it.
pub fn worth_showing<T>(compared: Vec<(TopicMatch, T)>, is_close: impl Fn(&T) -> bool) -> Vec<(TopicMatch, T)> {
    let sharing_texts = compared.iter().filter(|(found, _)| found.evidence > 0.0).count();
    let is_sure = |(found, text): &(TopicMatch, T)| found.is_about() || is_close(text);
    let (sure, mut others): (Vec<_>, Vec<_>) = compared.into_iter().partition(is_sure);
    others.retain(|(found, _)| found.may_be_about());
    if sure.is_empty() && others.len() == 1 && sharing_texts <= MAX_SHARING_TEXTS { others } else { sure }
}

/// The search terms of a text, each with its rarity.
fn term_weights(text: &str) -> HashMap<String, f64> {
    let text = super::strip_diacritics::compose_characters(text);
    let mut all = HashMap::new();
    for word in super::words(&text) {
        let Some((term, rarity)) = term_rarity(&word) else { continue };
        let known = all.entry(term).or_insert(rarity);
        *known = rarity.min(*known);
    }
    all
}

/// The search term of a word and its rarity; `None` for a function word.
fn term_rarity(word: &TextWord<'_>) -> Option<(String, f64)> {
    let term = if word.is_ngram { Some(word.text.clone()) } else { search_term(&word.text) }?;
    let rarity = match () {
        () if word.is_ngram && term.chars().nth(1).is_none() => 0.0,
        () if word.is_ngram => PAIR_WEIGHT * word_frequency::rarity(&term),
        () if stopwords::is_generic(&word.text) => GENERIC_RARITY,
        // Digits alone say little.
        () if term.bytes().all(|b| b.is_ascii_digit()) => 0.5 * word_frequency::rarity(&term),
        () => word_frequency::rarity(&term),
    };
    Some((term.into_owned(), rarity))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: &str = include_str!("../../fixtures/recall/memory.md");

    /// Rules and facts of two projects, by an author who had not seen the program. The bounds were chosen with them in
    /// view.
    const PROJECTS: &str = include_str!("../../fixtures/recall/projects.md");

    fn best_three<T>(compared: Vec<(TopicMatch, T)>) -> Vec<(TopicMatch, T)> {
        let mut found = worth_showing(compared, |_| false);
        found.sort_by(|a, b| b.0.score().total_cmp(&a.0.score()));
        found.truncate(3);
        found
    }

    /// How many prompts get their fact, of how many; and how many other facts are shown. The best three are shown.
    fn figures(memory: &str, cases: &str) -> (usize, usize, usize) {
        figures_with(memory, &HashMap::new(), cases)
    }

    /// The same, with the keywords of the facts.
    fn figures_with(memory: &str, keywords: &HashMap<&str, &str>, cases: &str) -> (usize, usize, usize) {
        let (mut right, mut asked, mut wrong) = (0, 0, 0);
        for line in cases.lines() {
            let (prompt, expected) = line.split_once('\t').unwrap();
            let topic = Topic::of(prompt);
            let mut title = "";
            let mut compared: Vec<(TopicMatch, &str)> = Vec::new();
            for line in memory.lines() {
                title = line.strip_prefix("## ").unwrap_or(title);
                let Some(text) = line.strip_prefix("- ") else { continue };
                compared.push((topic.compare(text, title, keywords.get(text).copied().unwrap_or_default()), text));
            }
            let found = best_three(compared);
            asked += usize::from(expected != "-");
            right += found.iter().filter(|(_, text)| *text == expected).count();
            wrong += found.iter().filter(|(_, text)| *text != expected).count();
        }
        (right, asked, wrong)
    }

    #[test]
    fn prompts_find_their_facts_and_others_find_none() {
        let tuned = figures(MEMORY, include_str!("../../fixtures/recall/tuned.tsv"));
        let judged = figures(MEMORY, include_str!("../../fixtures/recall/judged.tsv"));
        assert_eq!((tuned, judged), ((23, 25, 2), (24, 25, 2)));
        // At most one shown fact in ten is a wrong one.
        assert!([tuned, judged].iter().all(|(right, _, wrong)| wrong * 10 <= right + wrong));
    }

    /// Small memories of an author who knew no rule, each with six prompts.
    #[derive(serde::Deserialize)]
    struct SmallMemory {
        id: String,
        title: String,
        bullets: Vec<String>,
        prompts: Vec<SmallPrompt>,
    }

    #[derive(serde::Deserialize)]
    struct SmallPrompt {
        text: String,
        right: Vec<usize>,
        #[serde(default)]
        other_words: bool,
    }

    /// Of the memories with odd (1) or even (0) numbers: how many prompts get a bullet that helps, of how many that share
    /// words with one; and how many bullets that do not help are shown.
    fn small_memories(lines: &str, parity: usize) -> (usize, usize, usize) {
        let (mut right, mut asked, mut wrong) = (0, 0, 0);
        let memories = lines.lines().map(|line| serde_json::from_str::<SmallMemory>(line).unwrap());
        for memory in memories.filter(|memory| memory.id[1..].parse::<usize>().unwrap() % 2 == parity) {
            for prompt in &memory.prompts {
                let topic = Topic::of(&prompt.text);
                let compared = memory.bullets.iter().enumerate();
                let compared = compared.map(|(n, text)| (topic.compare(text, &memory.title, ""), n)).collect();
                let found = best_three(compared);
                let helps = found.iter().filter(|(_, n)| prompt.right.contains(n)).count();
                asked += usize::from(!prompt.right.is_empty() && !prompt.other_words);
                right += usize::from(helps > 0 && !prompt.other_words);
                wrong += found.len() - helps;
            }
        }
        (right, asked, wrong)
    }

    #[test]
    fn small_memories_answer_prompts() {
        let english = include_str!("../../fixtures/recall/small_memories.en.jsonl");
        let chinese = include_str!("../../fixtures/recall/small_memories.zh.jsonl");
        let figures = [1, 0].map(|parity| [small_memories(english, parity), small_memories(chinese, parity)]);
        // With two shared words as the least: (36, 2), (43, 2) and (38, 1), (41, 3).
        assert_eq!(figures, [[(57, 60, 3), (50, 60, 3)], [(49, 60, 2), (45, 60, 5)]]);
    }

    #[test]
    fn prompts_of_another_author_find_their_rules_and_facts_about_the_same() {
        let prompts = figures(PROJECTS, include_str!("../../fixtures/recall/projects.tsv"));
        assert_eq!(prompts, (58, 60, 35));
        // Nothing compares words that mean the same: that takes a model (`find.embeddings`).
        let reworded = figures(PROJECTS, include_str!("../../fixtures/recall/projects_reworded.tsv"));
        assert_eq!(reworded, (0, 120, 38));
    }

    /// Keywords of the rules, by an author who saw the bullets and no prompt.
    #[test]
    fn keywords_find_some_of_what_is_asked_in_other_words() {
        let table = include_str!("../../fixtures/recall/projects_keywords.tsv");
        let keywords: HashMap<&str, &str> = table.lines().filter_map(|line| line.split_once('\t')).collect();
        let prompts = figures_with(PROJECTS, &keywords, include_str!("../../fixtures/recall/projects.tsv"));
        let reworded = figures_with(PROJECTS, &keywords, include_str!("../../fixtures/recall/projects_reworded.tsv"));
        assert_eq!((prompts, reworded), ((59, 60, 49), (20, 120, 45)));
    }

    #[test]
    fn a_keyword_counts_as_if_it_stood_in_the_text_and_takes_nothing_from_it() {
        let topic = Topic::of("alter the table of visitors, a new column");
        let text = "Every migration gets a down script";
        assert_eq!(topic.compare(text, "", "").evidence, 0.0);
        assert!(topic.compare(text, "", "new column, alter table").is_about());
        let asked = Topic::of("write the migration with its down script");
        assert_eq!(asked.compare(text, "", ""), asked.compare(text, "", "alter table, rename field"));
    }

    #[test]
    fn an_irregular_form_is_the_same_word() {
        let evidence = |question: &str| Topic::of(question).compare("Constants are written to flash", "", "").evidence;
        assert!(evidence("who wrote the constants") > evidence("the constants"));
        let coverage = Topic::of("wrote written").compare("wrote, written", "", "").coverage;
        assert_eq!(coverage, 1.0);
    }

    #[test]
    fn what_every_text_may_contain_is_no_topic() {
        for (question, text) in [
            ("make it faster", "The rollback is `make rollback`"),
            ("go ahead", "Backups go to the bucket"),
            ("", "Likes tea"),
            ("Likes tea", ""),
            ("在吗", "用户在汉堡"),
        ] {
            assert!(!Topic::of(question).compare(text, "", "").is_about(), "{question} / {text}");
        }
        assert!(Topic::of("push to main with force").compare("Never force-push to main", "Git", "").is_about());
    }
}
