//! Finds a second fact in Chinese texts: a clause with a subject of its own, or with another predicate of the same
//! person.
//!
//! Never parses sentences: a clause goes on with the fact before it if it opens with a word of reason, contrast or
//! part, or shares two characters with it.

use std::sync::LazyLock;

use super::super::MemoryKind;
use crate::text::chinese_words::{ChineseWord, WordClass, chinese_words};
use crate::text::phrase::{PhrasePatterns, named_group};
use crate::text::prose_mask::{mask_phrases, split_label};
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

static HAN_CONJUNCTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/facts/conjunctions.zh.txt"));
const HAN_NOT_CONJUNCTIONS: PhraseList = phrase_list!("guards/facts/not_conjunctions.zh.txt");

static HAN_LIFE_TOPICS: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("guards/facts/life_topics.zh.txt")));
/// Topics of clauses; a second clause with another topic than the first is another fact.
static HAN_CLAUSE_TOPICS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/facts/clause_topics.zh.txt"));
/// Words at the start of a clause that continues the one before.
const HAN_CONTINUATIONS: PhraseList = phrase_list!("guards/facts/continuations.zh.txt");

/// The part of a text that shows a second fact; in episodes only a conjunction does.
pub(super) fn second_fact(prose: &str, kind: MemoryKind) -> Option<&str> {
    if let Some(at) = conjunction(prose) {
        return Some(at);
    }
    if kind != MemoryKind::Fact {
        return None;
    }
    let prose = without_opening_topic(prose);
    // 有网关、鉴权、计费三个服务: a list with its number is one thing.
    let is_listed = prose.matches('、').count() > 1 && counts_list(prose);
    let clauses: Vec<&str> = prose
        .split(|c: char| matches!(c, '，' | '。' | '；' | ',') || c == '、' && !is_listed)
        .flat_map(|c| c.split("并且"))
        .flat_map(|c| c.split('并'))
        .map(str::trim)
        .filter(|c| !HAN_CONTINUATIONS.iter().any(|on| c.starts_with(on)))
        .collect();
    let is_second = count_clause_topics(&clauses).max(count_copulas(prose)) > 1;
    if is_second {
        return Some(clauses.get(1).copied().unwrap_or(prose));
    }
    second_predicate(prose)
}

/// Whether the last item of a list is followed by the number of its items: 三个服务, 等四种.
fn counts_list(prose: &str) -> bool {
    let Some((_, last)) = prose.rsplit_once('、') else { return false };
    let measures = ['个', '种', '台', '家', '套', '门', '位', '类', '项', '块', '部', '条'];
    last.char_indices().any(|(at, c)| {
        let follows = last[at + c.len_utf8()..].starts_with(measures);
        follows && at > 0 && ("两三四五六七八九十".contains(c) || c.is_ascii_digit())
    })
}

/// A text without a first clause that only says what it is about or where it holds: 除 Makefile 外, 山和海之间,
/// 关于历史, 发给客户的内容.
fn without_opening_topic(prose: &str) -> &str {
    let Some((first, rest)) = prose.split_once(['，', ',']) else { return prose };
    let words = chinese_words(first);
    let opens = HAN_TOPIC_OPENINGS.iter().any(|opening| first.starts_with(opening));
    let ends = HAN_TOPIC_ENDS.iter().any(|end| first.ends_with(end));
    // A noun behind the last 的, and nothing that says something of it.
    let last = words.iter().rposition(|word| word.text == "的").filter(|at| *at > 0);
    let is_noun_phrase = !first.starts_with("用户")
        && last.is_some_and(|at| {
            let behind = &words[at + 1..];
            !behind.is_empty() && behind.iter().all(|word| word.class == WordClass::Noun)
        })
        && !words.iter().any(|word| matches!(word.text, "是" | "有" | "在"));
    if opens || ends || is_noun_phrase { rest.trim_start() } else { prose }
}

/// The conjunction that joins a second fact.
fn conjunction(prose: &str) -> Option<&str> {
    let clear = mask_phrases(prose, HAN_NOT_CONJUNCTIONS);
    HAN_CONJUNCTIONS.find_unspaced_where(&clear, |_| true).map(|range| &prose[range])
}

/// A clause behind the first with a predicate of its own that does not go on with the first.
fn second_predicate(prose: &str) -> Option<&str> {
    let clauses: Vec<&str> = prose.split(['，', '；', ',', '。']).map(str::trim).filter(|c| !c.is_empty()).collect();
    let (first, rest) = clauses.split_first()?;
    let depends = |clause: &str| {
        clause.ends_with(['时', '后', '前', '中'])
            || HAN_LINKS.iter().any(|word| clause.contains(word))
            || split_label(clause).is_some()
    };
    if depends(first) {
        return None;
    }
    let first = FactClause::new(first);
    let main = first.predicate();
    rest.iter().copied().find(|clause| {
        let goes_on = HAN_CONTINUATIONS.iter().chain(HAN_SECOND_PARTS).any(|word| clause.starts_with(word));
        let second = FactClause::new(clause);
        if goes_on || depends(clause) || shares_pair_of(first.text, clause) {
            return false;
        }
        let Some(other) = second.predicate() else { return false };
        let is_same = main.is_some_and(|main| first.words[main].text == second.words[other].text);
        let joins = ["还", "也", "又", "同时", "并", "且", "兼", "业余", "平时", "闲时", "周末"]
            .iter()
            .any(|word| clause.starts_with(word));
        match second.subject() {
            Some(subject) => {
                let is_users = |clause: &str| clause.starts_with("用户");
                let is_other =
                    first.is_about_somebody() || second.is_about_somebody() || is_users(first.text) != is_users(clause);
                is_other
                    && !is_same_kind(&first, &second)
                    && !HAN_PROPERTIES.iter().any(|word| subject.starts_with(word))
            }
            None => !is_same && first.is_about_somebody() && joins,
        }
    })
}

/// Whether two clauses with subjects tell the same of two parts of one thing: 早餐喝粥，晚餐吃面.
fn is_same_kind(first: &FactClause<'_>, second: &FactClause<'_>) -> bool {
    let (Some(a), Some(b)) = (first.subject(), second.subject()) else { return false };
    let last = |text: &str| text.chars().next_back();
    let predicates = (first.predicate().map(|i| first.words[i].text), second.predicate().map(|i| second.words[i].text));
    last(a) == last(b) && matches!(predicates, (Some(a), Some(b)) if a == b)
}

/// Whether two clauses have two characters in a row in common.
fn shares_pair_of(first: &str, second: &str) -> bool {
    let han: Vec<char> = second.strip_prefix("用户").unwrap_or(second).chars().collect();
    let first = first.replace("用户", "");
    han.windows(2).any(|pair| pair.iter().all(|c| is_unspaced(*c)) && first.contains(&pair.iter().collect::<String>()))
}

/// A clause with its words.
struct FactClause<'a> {
    text: &'a str,
    words: Vec<ChineseWord<'a>>,
}

impl<'a> FactClause<'a> {
    fn new(text: &'a str) -> FactClause<'a> {
        FactClause { text, words: chinese_words(text) }
    }

    /// The index of the first word that says something: a verb, a modal, 在 and the like, an adjective.
    fn predicate(&self) -> Option<usize> {
        let mut from = 0;
        // A verb that is a noun, too, opens a subject: 测试在云端跑.
        if self.words.first().is_some_and(|w| w.class == WordClass::VerbNoun) {
            from = 1;
        }
        let says = |w: &ChineseWord<'_>| {
            w.class.is_verbal()
                || w.class == WordClass::Modal
                || matches!(w.text, "在" | "用" | "由" | "对" | "跟" | "从" | "走" | "给")
        };
        (from..self.words.len()).find(|i| says(&self.words[*i]) && self.words.get(i + 1).is_none_or(|w| w.text != "的"))
    }

    /// What stands before the predicate, if it names something.
    fn subject(&self) -> Option<&'a str> {
        let end = self.predicate()?;
        let at = self.words[..end].iter().position(|w| w.class.is_nominal())?;
        let last = self.words[..end].iter().rposition(|w| w.class.is_nominal())?;
        let is_thing = !matches!(self.words[at].class, WordClass::Number | WordClass::Place);
        let opens = self.words[..at]
            .iter()
            .all(|w| matches!(w.class, WordClass::Adverb | WordClass::Conjunction | WordClass::Time));
        let text = &self.text[self.words[at].at..self.words[last].at + self.words[last].text.len()];
        let is_place = self.words[last].class == WordClass::Place && last > at;
        (opens && is_thing && !is_place && text.chars().count() >= 2).then_some(text)
    }

    /// Whether its subject is a person, or missing.
    fn is_about_somebody(&self) -> bool {
        self.subject().is_none_or(|subject| {
            subject.starts_with("用户") && !subject.contains('的')
                || subject.chars().count() <= 3 && named_group("surnames").iter().any(|name| subject.starts_with(name))
        })
    }
}

/// Words that open or end a clause which only says what the next one is about.
const HAN_TOPIC_OPENINGS: PhraseList = phrase_list!("guards/facts/topic_openings.zh.txt");
const HAN_TOPIC_ENDS: PhraseList = phrase_list!("guards/facts/topic_ends.zh.txt");
/// Words of a clause that depends on another.
const HAN_LINKS: PhraseList = phrase_list!("guards/facts/links.zh.txt");
/// Words that open a part, a contrast or a consequence of what was said before.
const HAN_SECOND_PARTS: PhraseList = phrase_list!("guards/facts/second_parts.zh.txt");

/// 2 if two clauses have different topics, otherwise 1.
fn count_clause_topics(clauses: &[&str]) -> usize {
    let rows = |clause: &&str| -> u32 {
        let fits = HAN_LIFE_TOPICS.iter().enumerate().filter(|(_, row)| row.find_unspaced(clause).is_some());
        fits.fold(0, |rows, (i, _)| rows | 1 << i)
    };
    let rows_of_clauses: Vec<u32> = clauses.iter().map(rows).filter(|rows| *rows > 0).collect();
    let rows = rows_of_clauses.iter().enumerate().any(|(i, a)| rows_of_clauses[i + 1..].iter().any(|b| a & b == 0));
    let waits =
        |clause: &str| clause.ends_with(['时', '后', '前']) || clause.contains("为了") || clause.contains("如果");
    let topic =
        |clause: &str| HAN_CLAUSE_TOPICS.find_unspaced(clause).filter(|t| clause.starts_with(*t)).map(str::to_owned);
    let mut topics: Vec<String> = clauses.iter().filter_map(|c| topic(c)).collect();
    topics.dedup();
    let first = clauses.first().is_some_and(|c| {
        !waits(c) && (topic(c).is_some() || c.starts_with("用户") || c.starts_with("阿") || c.contains(['是', '在']))
    });
    let later = clauses.iter().skip(1).filter_map(|c| topic(c)).any(|t| !clauses[0].contains(&t));
    let other = clauses.iter().skip(1).any(|c| is_about_another(clauses[0], c));
    if rows || first && later || other { 2 } else { 1 }
}

/// Whether two clauses start with the names of two persons, or both with the user and have no two characters in common.
fn is_about_another(first: &str, second: &str) -> bool {
    let person = |clause: &str| {
        let surname = named_group("surnames").iter().find(|name| clause.starts_with(*name))?;
        clause[surname.len()..].chars().next().filter(|c| is_unspaced(*c) && !"一二三四五六日末色度".contains(*c))
    };
    let others = matches!((person(first), person(second)), (Some(a), Some(b)) if a != b);
    let has_own_subject = own_subject(second).is_some_and(|subject| !shares_pair(first, subject)) && own_verb(first);
    let users = match (first.strip_prefix("用户"), second.strip_prefix("用户")) {
        (Some(a), Some(b)) => {
            let pairs = |text: &str| text.chars().zip(text.chars().skip(1)).collect::<Vec<_>>();
            !pairs(a).iter().any(|pair| pairs(b).contains(pair))
        }
        _ => false,
    };
    others || users || has_own_subject
}

/// The subject of a Chinese clause that says what something is or has; `None` if it may be a property of what was said
/// before.
fn own_subject(clause: &str) -> Option<&str> {
    let at = ["是", "有", "叫"].iter().filter_map(|verb| clause.find(verb)).min()?;
    let subject = clause[..at].trim();
    let is_property = HAN_PROPERTIES.iter().any(|word| subject.starts_with(word));
    (subject.chars().count() >= 2 && subject.chars().all(is_unspaced) && !is_property).then_some(subject)
}

/// Whether a clause has a verb or a copula of its own.
fn own_verb(clause: &str) -> bool {
    ["是", "有", "叫", "用", "在", "从事", "开门", "养", "喜欢", "住", "喝", "吃", "学", "玩"]
        .iter()
        .any(|verb| clause.contains(verb))
}

fn shares_pair(text: &str, subject: &str) -> bool {
    let chars: Vec<char> = subject.chars().collect();
    chars.windows(2).any(|pair| text.contains(&pair.iter().collect::<String>()))
}

/// Words that make a subject a property of what was said before, or no subject.
const HAN_PROPERTIES: PhraseList = phrase_list!("guards/facts/properties.zh.txt");

/// The number of clauses with 是, each a statement of identity: "牙医是林医生，房东是赵先生".
fn count_copulas(prose: &str) -> usize {
    const OTHER: [&str; 14] = [
        "是否", "还是", "不是", "但是", "于是", "只是", "就是", "总是", "都是", "可是", "若是", "凡是", "而是", "正是",
    ];
    let clear = mask_phrases(prose, OTHER);
    clear.split(['，', '。', ',']).filter(|c| c.find('是').is_some_and(|at| at > 0)).count()
}
