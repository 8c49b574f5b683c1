//! Whether two statements give one attribute two values or states, or tell that something has ended which the other
//! says still holds.
//!
//! Broader than `text/contradiction`: only whether the model is asked depends on it. Statements on other persons,
//! parts, environments or times are not compared.

use std::collections::HashSet;
use std::ops::Range;

use super::super::grounding::chinese_words::{self, unsupported_runs};
use super::super::grounding::english::{EnglishSources, spaced_words};
use super::super::grounding::scope;
use super::clauses::{Clause, clauses, is_history};
use super::plain_words::{is_general_subject, is_plain_run, is_plain_word};
use super::preferences::prefers_the_other;
use super::quantities::{Quantities, QuantityKind};
use super::shared_nouns::{has_another_amount_of_one_thing, has_another_name_of_one_thing};
use super::subjects::{
    english_subject, han_subject, have_other_subjects, hold_under_other_conditions, measure_other_dimensions,
};
use super::topics::{NO_TOPIC, TopicKind, TopicMention, kind_of, mentions};
use super::{FRAMES, adds};
use crate::text::contradiction::compares;
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::stem;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

const SCOPES: PhraseList = phrase_list!("guards/contradiction/scopes.txt");

/// So many words beside the value are still one statement about it.
const MAX_VALUE_WORDS: usize = 3;

/// A statement, read for the attributes that it speaks of.
pub(super) struct AttributeReading<'a> {
    pub(super) text: &'a str,
    pub(super) statement: Statement<'a>,
    pub(super) words: EnglishSources,
    pub(super) clauses: Vec<Clause>,
    mentions: Vec<TopicMention>,
    pub(super) quantities: Quantities,
    pub(super) is_han: bool,
}

/// A value of an attribute.
struct AttributeValue {
    key: String,
    is_denied: bool,
}

impl<'a> AttributeReading<'a> {
    pub(super) fn new(text: &'a str) -> AttributeReading<'a> {
        AttributeReading {
            text,
            statement: Statement::of(text),
            words: EnglishSources::of([text].into_iter()),
            clauses: clauses(text),
            mentions: mentions(text),
            quantities: Quantities::of(text),
            is_han: has_unspaced_script(text),
        }
    }

    /// The topics that it speaks of.
    pub(super) fn topics(&self) -> HashSet<usize> {
        self.mentions.iter().map(|mention| mention.topic).collect()
    }

    /// Whether it tells that something has ended.
    pub(super) fn tells_an_end(&self) -> bool {
        self.clauses.iter().any(Clause::is_ended)
    }

    /// Whether it may exclude a statement with which it shares no topic: it ends or counts something, or compares.
    pub(super) fn compares_without_topic(&self) -> bool {
        self.is_han || self.tells_an_end() || !self.quantities.is_empty() || compares(&self.statement)
    }

    /// Whether it and another statement may exclude each other.
    pub(super) fn may_exclude(&self, other: &AttributeReading<'_>) -> bool {
        if self.is_han != other.is_han {
            return false;
        }
        let shared: Vec<usize> = self.topics().intersection(&other.topics()).copied().collect();
        shared.into_iter().any(|topic| self.excludes_in(topic, other))
            || self.ends_what(other)
            || other.ends_what(self)
            || has_another_amount_of_one_thing(self, other)
            || has_another_name_of_one_thing(self, other)
            || prefers_the_other(self.text, other.text)
    }

    /// Whether one text denies or ends something.
    pub(super) fn denies(&self) -> bool {
        self.clauses.iter().any(Clause::is_denied)
    }

    /// Whether it and another statement may exclude each other in what they say of a topic.
    pub(super) fn excludes_in(&self, topic: usize, other: &AttributeReading<'_>) -> bool {
        if self.is_about_another_person(topic, other)
            || self.has_another_scope(topic, other)
            || self.has_another_subject(topic, other)
        {
            return false;
        }
        let kind = kind_of(topic);
        let is_one_thing =
            matches!(kind, TopicKind::Amount | TopicKind::EventAmount | TopicKind::State | TopicKind::PartState);
        if hold_under_other_conditions(self.text, other.text)
            || measure_other_dimensions(self.text, other.text)
            || is_one_thing && have_other_subjects(&self.statement, &other.statement, &self.words, &other.words)
        {
            return false;
        }
        match kind {
            TopicKind::State => self.is_in_another_state(topic, other),
            TopicKind::PartState => self.is_in_another_state(topic, other) && !self.differs_besides(topic, other),
            TopicKind::Name
            | TopicKind::NamedName
            | TopicKind::TypicalName
            | TopicKind::RoleName
            | TopicKind::AnyWord => self.has_another_value(topic, other),
            TopicKind::Amount | TopicKind::EventAmount => self.has_another_amount(topic, other),
        }
    }

    fn of_topic(&self, topic: usize) -> impl Iterator<Item = &TopicMention> {
        self.mentions.iter().filter(move |mention| mention.topic == topic)
    }

    fn is_denied(&self, range: &Range<usize>) -> bool {
        let clause = self.clauses.iter().find(|c| c.range.start <= range.start && range.start < c.range.end);
        clause.is_some_and(|clause| clause.denies(range))
    }

    fn is_in_another_state(&self, topic: usize, other: &AttributeReading<'_>) -> bool {
        let has = |reading: &AttributeReading<'_>, part: usize| {
            reading.of_topic(topic).any(|m| m.part == part && !reading.is_denied(&m.range))
        };
        if self.is_another_instance(other) || is_limited(self.text) != is_limited(other.text) {
            return false;
        }
        let limits = |a: &AttributeReading<'_>, b: &AttributeReading<'_>| {
            a.quantities.has(QuantityKind::Weekday) && !b.quantities.has(QuantityKind::Weekday) && a.denies()
        };
        if limits(self, other) || limits(other, self) {
            return false;
        }
        let is_past = is_history(self.text) != is_history(other.text);
        self.of_topic(topic).any(|own| {
            other.of_topic(topic).any(|its| match (self.is_denied(&own.range), other.is_denied(&its.range)) {
                (false, false) => own.part != its.part && !has(self, its.part) && !has(other, own.part) && !is_past,
                (true, false) => {
                    own.part == its.part && (own.is_general || own.phrase == its.phrase) && !has(self, own.part)
                }
                (false, true) => {
                    own.part == its.part && (its.is_general || own.phrase == its.phrase) && !has(other, own.part)
                }
                (true, true) => false,
            })
        })
    }

    /// Whether both name a date or a number, and another one: version 2, version 3.
    fn is_another_instance(&self, other: &AttributeReading<'_>) -> bool {
        let kinds = self.quantities.compare(&other.quantities).differing;
        let tells = |kind: &QuantityKind| {
            !matches!(kind, QuantityKind::Time | QuantityKind::Duration | QuantityKind::Frequency)
        };
        kinds.iter().any(tells)
    }

    /// The values that it gives: typical ones, else names.
    fn values(&self, topic: usize) -> Vec<AttributeValue> {
        let typical: Vec<AttributeValue> = self
            .of_topic(topic)
            .filter(|m| m.part == 1)
            .map(|m| AttributeValue { key: m.phrase.to_owned(), is_denied: self.is_denied(&m.range) })
            .collect();
        let has_attribute = self.of_topic(topic).any(|m| m.part == 0);
        if !typical.is_empty() || !has_attribute || kind_of(topic) == TopicKind::TypicalName {
            return typical;
        }
        let is_own = |t: &&StatementToken<'_>| !self.of_topic(topic).any(|m| contains(&m.range, self.text, t.surface));
        let is_name = |t: &&StatementToken<'_>| {
            let is_latin_in_han = self.is_han && t.kind == TokenKind::Word && !t.is_han && t.surface.len() > 1;
            (t.kind == TokenKind::Name || is_latin_in_han) && !t.surface.eq_ignore_ascii_case("user")
        };
        let names = self.statement.tokens.iter().filter(is_name).filter(is_own);
        names
            .map(|t| AttributeValue { key: t.key.clone(), is_denied: self.is_denied(&range_of(self.text, t.surface)) })
            .collect()
    }

    fn has_another_value(&self, topic: usize, other: &AttributeReading<'_>) -> bool {
        let named = |reading: &AttributeReading<'_>| reading.of_topic(topic).any(|m| m.part == 0);
        let kind = kind_of(topic);
        let is_named = named(self) && named(other);
        if kind != TopicKind::Name && !is_named || kind == TopicKind::RoleName && !self.shares_phrase(topic, other) {
            return false;
        }
        let (own, its) = (self.values(topic), other.values(topic));
        let is_same = |a: &AttributeValue, b: &AttributeValue| a.key.starts_with(&b.key) || b.key.starts_with(&a.key);
        let contradicts = |a: &[AttributeValue], b: &[AttributeValue]| {
            a.iter().any(|x| x.is_denied && b.iter().any(|y| !y.is_denied && is_same(x, y)))
                && !a.iter().any(|x| !x.is_denied && b.iter().any(|y| is_same(x, y)))
        };
        if contradicts(&own, &its) || contradicts(&its, &own) {
            return true;
        }
        if self.denies_attribute(topic, other, kind) || other.denies_attribute(topic, self, kind) {
            return true;
        }
        if adds(self.text)
            || adds(other.text)
            || is_history(self.text)
            || is_history(other.text)
            || is_limited(self.text)
            || is_limited(other.text)
            || self.is_another_instance(other)
        {
            return false;
        }
        let positive = |all: Vec<AttributeValue>| all.into_iter().filter(|v| !v.is_denied).collect::<Vec<_>>();
        let (own, its) = (positive(own), positive(its));
        if !own.is_empty() && !its.is_empty() {
            let is_apart = !own.iter().any(|x| its.iter().any(|y| is_same(x, y)));
            return is_apart && !self.differs_besides(topic, other);
        }
        let takes_words =
            kind == TopicKind::AnyWord || self.is_han && matches!(kind, TopicKind::NamedName | TopicKind::RoleName);
        let is_denied = |reading: &AttributeReading<'_>| {
            reading.of_topic(topic).any(|m| m.part == 0 && reading.is_denied(&m.range))
        };
        if !takes_words || is_denied(self) || is_denied(other) {
            return false;
        }
        let is_value = |rest: &[String]| (1..=MAX_VALUE_WORDS).contains(&rest.len());
        let (left, right) = (self.rest_of(topic, other), other.rest_of(topic, self));
        (is_value(&left) || !own.is_empty()) && (is_value(&right) || !its.is_empty())
    }

    /// Whether it denies an attribute altogether of which another statement tells: "no longer has a car".
    fn denies_attribute(&self, topic: usize, other: &AttributeReading<'_>, kind: TopicKind) -> bool {
        let is_denied = self.of_topic(topic).any(|m| m.part == 0 && self.is_denied(&m.range));
        let holds = other.of_topic(topic).any(|m| !other.is_denied(&m.range));
        let is_whole =
            self.values(topic).is_empty() && self.rest_of(topic, other).is_empty() && self.quantities.is_empty();
        kind == TopicKind::Name && is_denied && holds && is_whole
    }

    fn has_another_amount(&self, topic: usize, other: &AttributeReading<'_>) -> bool {
        if is_history(self.text) != is_history(other.text) || adds(self.text) || adds(other.text) {
            return false;
        }
        let compared = self.quantities.compare(&other.quantities);
        // "The invoice 1043": the number tells which one.
        let is_numbered = |reading: &AttributeReading<'_>| {
            !reading.is_han && english_subject(reading.text).0.contains(|c: char| c.is_ascii_digit())
        };
        if is_numbered(self) && is_numbered(other) {
            return false;
        }
        let is_date = |kind: &&QuantityKind| matches!(kind, QuantityKind::Day | QuantityKind::Year);
        let dates = compared.differing.iter().filter(is_date).count();
        let groups = compared.differing.len() - dates + usize::from(dates > 0);
        if groups == 0 || groups > 1 && compared.shared == 0 {
            return false;
        }
        let is_other_thing = !self.shares_phrase(topic, other);
        if is_other_thing && kind_of(topic) == TopicKind::EventAmount {
            return false;
        }
        let (left, right) = (self.rest_of(topic, other), other.rest_of(topic, self));
        if is_other_thing { left.is_empty() && right.is_empty() } else { left.is_empty() || right.is_empty() }
    }

    /// Whether both have a word for an attribute in common.
    fn shares_phrase(&self, topic: usize, other: &AttributeReading<'_>) -> bool {
        let phrases = |reading: &AttributeReading<'_>| -> HashSet<String> {
            let own = reading.of_topic(topic).filter(|m| m.part == 0);
            own.flat_map(|m| m.phrase.split(' ')).map(|word| stem(word).into_owned()).collect()
        };
        !phrases(self).is_disjoint(&phrases(other))
    }

    /// Whether each of two statements names something besides that the other does not.
    fn differs_besides(&self, topic: usize, other: &AttributeReading<'_>) -> bool {
        !self.rest_of(topic, other).is_empty() && !other.rest_of(topic, self).is_empty()
    }

    /// The words of content beside a topic that another statement does not have.
    pub(super) fn rest_of(&self, topic: usize, other: &AttributeReading<'_>) -> Vec<String> {
        if self.is_han {
            let mut masked = self.text.to_lowercase();
            if masked.len() == self.text.len() {
                for mention in self.of_topic(topic) {
                    let blank: String = masked[mention.range.clone()].bytes().map(|_| ' ').collect();
                    masked.replace_range(mention.range.clone(), &blank);
                }
            }
            let runs = unsupported_runs(&masked, &other.text.to_lowercase());
            let runs = runs.into_iter().filter(|run| !is_plain_run(run));
            let latin = crate::text::phrase::word_tokens(&masked).into_iter().map(|w| w.text);
            let latin = latin.filter(|w| w.bytes().any(|b| b.is_ascii_alphabetic()) && !other.words.has_word(&stem(w)));
            return runs.chain(latin).collect();
        }
        let is_rest = |t: &&StatementToken<'_>| {
            let range = range_of(self.text, t.surface);
            let is_mentioned = self.of_topic(topic).any(|m| overlap(&m.range, &range));
            let is_mark = self.clauses.iter().any(|clause| clause.marks(&range));
            let is_content = matches!(t.kind, TokenKind::Word | TokenKind::Name);
            let is_known = match t.kind {
                TokenKind::Name => other.words.has_word(&stem(&t.key)) || other.words.has_word(&t.key),
                _ => other.words.supports(t),
            };
            is_content && !is_mentioned && !is_mark && !is_plain_word(t) && !is_known
        };
        self.statement.tokens.iter().filter(is_rest).map(|t| t.surface.to_lowercase()).collect()
    }

    /// Whether a person other than in a topic is named before it in one statement alone.
    pub(super) fn is_about_another_person(&self, topic: usize, other: &AttributeReading<'_>) -> bool {
        let persons = |reading: &AttributeReading<'_>| -> HashSet<String> {
            let start = reading.of_topic(topic).map(|m| m.range.start).min().unwrap_or(reading.text.len());
            let before = &reading.text[..start];
            let english = scope::persons(before).into_iter();
            english.chain(chinese_words::persons(before).map(str::to_owned)).collect()
        };
        persons(self) != persons(other)
    }

    /// Whether both name a part of something, and not the same.
    pub(super) fn has_another_scope(&self, topic: usize, other: &AttributeReading<'_>) -> bool {
        let blank = |reading: &AttributeReading<'_>| {
            let mut text = reading.text.to_owned();
            for mention in reading.of_topic(topic) {
                let blank: String = text[mention.range.clone()].bytes().map(|_| ' ').collect();
                text.replace_range(mention.range.clone(), &blank);
            }
            spaced_words(&text)
        };
        have_other_scopes(&blank(self), &blank(other))
    }

    /// Whether the subjects name different parts of something: the cat's vaccination, the dog's.
    pub(super) fn has_another_part_as_subject(&self, other: &AttributeReading<'_>) -> bool {
        let subject = |reading: &AttributeReading<'_>| {
            if reading.is_han {
                spaced_words(han_subject(reading.text))
            } else {
                spaced_words(english_subject(reading.text).0)
            }
        };
        have_other_scopes(&subject(self), &subject(other))
    }

    /// Whether the subjects are different things, or one statement is about the user and the other one is not.
    pub(super) fn has_another_subject(&self, topic: usize, other: &AttributeReading<'_>) -> bool {
        let (own, its) = (self.own_subject(topic, other), other.own_subject(topic, self));
        let is_user = |reading: &AttributeReading<'_>| {
            if reading.is_han {
                reading.text.starts_with("用户") && !reading.text.starts_with("用户的")
            } else {
                english_subject(reading.text).0.is_empty() || reading.text.starts_with("The user ")
            }
        };
        own && (its || is_user(other)) || its && is_user(self)
    }

    /// Whether the subject names a thing of which another statement does not speak.
    fn own_subject(&self, topic: usize, other: &AttributeReading<'_>) -> bool {
        if self.is_han {
            let subject = han_subject(self.text);
            let at = range_of(self.text, subject);
            let is_mentioned = self.of_topic(topic).any(|m| overlap(&m.range, &at));
            let runs = unsupported_runs(&subject.to_lowercase(), &other.text.to_lowercase());
            return !is_mentioned && runs.iter().any(|run| !is_plain_run(run) && !is_general_subject(run));
        }
        let (subject, _) = english_subject(self.text);
        let end = range_of(self.text, subject).end;
        let is_role = self.text[end..].trim_start().starts_with("is the ");
        self.statement.tokens.iter().any(|t| {
            let range = range_of(self.text, t.surface);
            let low = t.surface.to_lowercase();
            let is_mentioned = self.of_topic(topic).any(|m| overlap(&m.range, &range));
            // "Atlas" in "Atlas logs to Loki"; but a name alone is the value.
            let has_value = self.of_topic(topic).any(|m| m.part == 1);
            let takes_name = topic != NO_TOPIC
                && !matches!(
                    kind_of(topic),
                    TopicKind::Amount | TopicKind::EventAmount | TopicKind::State | TopicKind::PartState
                );
            let is_value = t.kind == TokenKind::Name && (is_role || takes_name && !has_value);
            range.end <= end
                && matches!(t.kind, TokenKind::Word | TokenKind::Name)
                && !is_mentioned
                && !is_value
                && !is_general_subject(&low)
                && !FRAMES.contains(&low)
                && !is_plain_word(t)
                && !other.words.is_supported_by_form(t)
        })
    }
}

/// Whether two texts, their words between single spaces, name different parts of one group.
fn have_other_scopes(a: &str, b: &str) -> bool {
    SCOPES.iter().any(|group| {
        let found = |text: &str| -> Vec<usize> {
            let has = |word: &str| {
                if word.chars().any(is_unspaced) { text.contains(word) } else { text.contains(&format!(" {word} ")) }
            };
            let parts = group.split(" / ").enumerate();
            parts.filter(|(_, part)| part.split('|').any(has)).map(|(at, _)| at).collect()
        };
        let (left, right) = (found(a), found(b));
        !left.is_empty() && !right.is_empty() && !left.iter().any(|part| right.contains(part))
    })
}

/// Whether a statement says that it holds only now and then.
pub(super) fn is_limited(text: &str) -> bool {
    let spaced = spaced_words(text);
    let has = |word: &str| spaced.contains(&format!(" {word} "));
    ["sometimes", "occasionally", "when", "if", "unless", "except", "at times"].into_iter().any(has)
        || ["有时", "偶尔", "如果", "除非", "的时候"].iter().any(|word| text.contains(word))
}

/// The bytes of a part of a text.
pub(super) fn range_of(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

fn contains(range: &Range<usize>, text: &str, part: &str) -> bool {
    overlap(range, &range_of(text, part))
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_attribute_has_one_value() {
        let excludes = |a: &str, b: &str| AttributeReading::new(a).may_exclude(&AttributeReading::new(b));
        for (a, b) in [
            ("Is a strict vegan.", "Had bacon and eggs this morning, as usual."),
            ("Shell of choice: fish", "Runs zsh on all machines."),
            ("Goes to bed at ten.", "Is in bed by half past eleven."),
            ("Rides the bus to work.", "Cycles to work every day."),
            ("Sings in the cathedral choir.", "Gave up the choir in spring."),
            ("The wiki runs on MediaWiki.", "MediaWiki was decommissioned."),
            ("用户吃素。", "用户每周吃三次牛肉。"),
            ("用户十点睡觉。", "用户每天十二点才睡。"),
            ("用户养了一只猫。", "用户的猫送人了。"),
        ] {
            assert!(excludes(a, b) && excludes(b, a), "{a} / {b}");
        }
        for (a, b) in [
            ("The son goes to bed at eight.", "Goes to bed at ten."),
            ("Staging runs on Hetzner.", "Production runs on AWS."),
            ("Lived in Ghent as a student.", "Lives in Bruges."),
            ("Sold the boat.", "Owns a bicycle."),
            ("儿子八点睡觉。", "用户十点睡觉。"),
        ] {
            assert!(!excludes(a, b), "{a} / {b}");
        }
    }
}
