//! Whether a new text may exclude a text of the memory, so that the model is asked: the same words with another value,
//! a negation, an opposite or the sides of a comparison exchanged, whatever the order of the words.
//!
//! Never decides: a question costs one more reply, a swallowed change costs a fact. `text/contradiction.rs` has the
//! precise comparison, which needs no question.

use super::grounding::chinese_words;
use super::grounding::english::{EnglishSources, spaced_words};
use super::grounding::order::has_sides_exchanged_loosely;
use super::sensitive::stated_field;
use crate::text::contradiction::{are_opposite_words, compares, has_one_value, is_multi_valued};
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;
use attributes::AttributeReading;
use differences::{are_about_other_things, differ_in_one_value};
use exclusive_states::find_exclusive_state;
use persons::{name_person, persons_of};
use prefilter::{SharedParts, TopicStarts};
use subjects::{have_other_subjects, hold_under_other_conditions, measure_other_dimensions};

mod attributes;
mod clauses;
mod differences;
mod endings;
mod exclusive_states;
mod persons;
mod plain_words;
mod preferences;
mod prefilter;
mod quantities;
mod shared_nouns;
mod subjects;
mod topics;

/// Words that add to what is known: "also", 还.
const ADDING: PhraseList = phrase_list!("guards/contradiction/adding.txt");
/// Pairs of stems that exclude each other, besides those of `statements/opposites.en.txt`, from WordNet.
const ANTONYMS: WordList = word_list!("guards/contradiction/antonyms.en.txt");
/// Groups of states of which one holds, separated by ` / `, the words of one by `|`.
const STATES: PhraseList = phrase_list!("guards/contradiction/states.txt");
/// Words that deny, besides the negations of a statement.
const DENYING: WordList = word_list!("guards/contradiction/denying.en.txt");
const HAN_DENYING: PhraseList = phrase_list!("guards/contradiction/denying.zh.txt");
/// Nouns that say what a statement is about.
const SUBJECTS: WordList = word_list!("guards/contradiction/subjects.en.txt");
const HAN_SUBJECTS: PhraseList = phrase_list!("guards/contradiction/subjects.zh.txt");
/// Nouns for the kind of a value, and verbs, which another text need not have.
const FRAMES: WordList = word_list!("guards/contradiction/frames.en.txt");
const HAN_FRAMES: PhraseList = phrase_list!("guards/contradiction/frames.zh.txt");
/// The fields of a person that have one value.
const SINGLE_FIELDS: [&str; 8] =
    ["preferred_name", "pronouns", "city", "employer", "birthday", "identity_number", "religion", "orientation"];

/// A new text, read for comparison with many others.
pub(super) struct NewText<'a> {
    statement: Statement<'a>,
    words: EnglishSources,
    fields: Vec<String>,
    /// Whether also texts that share most of their words may contradict it, whatever differs.
    is_broad: bool,
}

impl<'a> NewText<'a> {
    pub(super) fn new(text: &'a str) -> NewText<'a> {
        let fields = SINGLE_FIELDS.iter().filter(|field| states(text, field)).map(|f| (*f).to_owned()).collect();
        NewText {
            statement: Statement::of(text),
            words: EnglishSources::of([text].into_iter()),
            fields,
            is_broad: true,
        }
    }

    /// Whether this text and one of the memory may exclude each other.
    pub(super) fn may_contradict(&self, known: &str) -> bool {
        let (new, old) = (&self.statement, Statement::of(known));
        let text = new.text;
        if new.has_same_tokens(&old) {
            return false;
        }
        if new.label_key.is_some() && old.label_key.is_some() && new.label_key != old.label_key {
            return false;
        }
        let (ours, theirs) = (persons_of(text), persons_of(known));
        let is_one_person = ours == theirs;
        if !ours.is_empty() && !theirs.is_empty() && ours.is_disjoint(&theirs) {
            return false;
        }
        let known_words = EnglishSources::of([known].into_iter());
        let opposites = opposite_words(text, known);
        if have_other_subjects(new, &old, &self.words, &known_words)
            || tell_whom_and_where(text, known)
            || measure_other_dimensions(text, known)
            || opposites.is_none() && hold_under_other_conditions(text, known)
        {
            return false;
        }
        let left = Remainder::of(new, &known_words, &old);
        let right = Remainder::of(&old, &self.words, new);
        // Words of content on both sides tell of two things: the barn is 20 metres long, and 9 metres wide.
        let is_one_thing = left.has_only_frames() || right.has_only_frames();
        let is_short = |r: &Remainder| r.words.len() <= MAX_BESIDE_COMPARISON;
        if (is_one_thing || is_short(&left) && is_short(&right)) && has_sides_exchanged_loosely(text, known) {
            return true;
        }
        let is_apart = !left.dates.is_empty() && !right.dates.is_empty();
        if is_one_person && !is_apart && !adds(text) && self.fields.iter().any(|field| states(known, field)) {
            return !left.is_empty() && !right.is_empty();
        }
        // What else differs on both sides says why both can be true: on Mondays, on Wednesdays.
        let only_opposite = |(x, y): &(String, String)| {
            left.is_empty_without(x)
                || right.is_empty_without(y)
                || left.shared > 0 && is_one_thing && left.is_nearly_empty() && right.is_nearly_empty()
        };
        if opposites.as_ref().is_some_and(only_opposite) {
            return true;
        }
        if denies(new) != denies(&old) {
            let is_alike = |r: &Remainder| r.is_nearly_empty() && r.shared * 10 >= r.total * 6;
            return left.shared > 0
                && (left.is_empty() || right.is_empty() || is_one_thing && is_alike(&left) && is_alike(&right));
        }
        if opposites.is_some() || adds(text) || adds(known) {
            return false;
        }
        if is_one_person && !left.is_empty() && !right.is_empty() && !ours.is_empty() && name_person(text, known) {
            return true;
        }
        is_one_person
            && left.shared > 0
            && (is_value_changed(new, &old, &left, &right)
                || self.is_broad && !is_open(new) && !is_open(&old) && share_most_words(&left, &right))
    }

    /// Like [`NewText::may_contradict`], also of single clauses that deny something: "through branches, never
    /// directly".
    fn may_contradict_in_part(&self, known: &str) -> bool {
        let denies_alone = |clause: &&str| {
            let statement = Statement::of(clause);
            statement.is_negated() && statement.content().count() >= 2
        };
        let parts = |text: &'a str| -> Vec<&'a str> {
            let parts: Vec<&str> = text.split([',', '，', ';', '；']).map(str::trim).collect();
            if parts.len() > 1 { parts.into_iter().filter(denies_alone).collect() } else { Vec::new() }
        };
        self.may_contradict(known)
            || parts(self.statement.text).into_iter().any(|part| NewText::new(part).may_contradict(known))
    }
}

/// Whether one text says with whom a person lives, and the other where.
fn tell_whom_and_where(text: &str, known: &str) -> bool {
    let says = |text: &str, word: &str| {
        let spaced = spaced_words(text);
        ["live", "lives", "living", "stays", "resides"].iter().any(|verb| spaced.contains(&format!(" {verb} {word} ")))
    };
    let of = |text: &str| (says(text, "with"), says(text, "in"));
    matches!((of(text), of(known)), ((true, false), (false, true)) | ((false, true), (true, false)))
}

/// Whether two texts have another value of one kind for the same thing.
fn is_value_changed(new: &Statement<'_>, old: &Statement<'_>, left: &Remainder, right: &Remainder) -> bool {
    let is_open_event = |s: &&Statement<'_>| s.is_event() && !bounds(s);
    if [new, old].iter().any(is_open_event) {
        return false;
    }
    let differ = |kind: fn(&Remainder) -> &Vec<String>| !kind(left).is_empty() && !kind(right).is_empty();
    let kinds = [differ(|r| &r.names), differ(|r| &r.numbers), differ(|r| &r.dates)];
    let one_kind = kinds.iter().filter(|differs| **differs).count() == 1;
    let same_subject = left.has_only_frames() || right.has_only_frames();
    if one_kind && same_subject && (!kinds[0] || ![new, old].into_iter().any(is_open)) {
        return true;
    }
    // "Plays the viola in the town orchestra", the oboe: one word of each side, and much in common.
    let is_one_word =
        |r: &Remainder| r.words.len() == 1 && r.names.is_empty() && r.numbers.is_empty() && r.dates.is_empty();
    if has_unspaced_script(new.text) {
        let is_short = |r: &Remainder| {
            (1..=2).contains(&(r.words.len() + r.names.len())) && r.numbers.is_empty() && r.dates.is_empty()
        };
        let is_alike = |r: &Remainder| r.shared >= 2 && r.shared * 10 >= r.total * 4;
        // "The flour's supplier", 面粉的供应商, is of something else.
        let owns = |text: &str, r: &Remainder| r.words.iter().any(|run| text.contains(&format!("{run}的")));
        if owns(new.text, left) && owns(old.text, right) {
            return false;
        }
        return is_short(left)
            && is_short(right)
            && is_alike(left)
            && is_alike(right)
            && !(compares(new) && compares(old))
            && ![new, old].into_iter().any(is_open);
    }
    is_one_word(left)
        && is_one_word(right)
        && left.shared >= MIN_SHARED
        && left.shared * 10 >= left.total * 6
        && !(compares(new) && compares(old))
}

/// Whether a statement may hold of several things: "is allergic to". "Banks with" takes one value.
fn is_open(statement: &Statement<'_>) -> bool {
    let is_multi_valued = is_multi_valued(&Statement::of(&statement.text.replace(" with ", " at ")));
    is_multi_valued && !has_one_value(statement) && !bounds(statement)
}

/// Whether each of two texts has words of its own, and the shorter one shares half of its words with the other: what
/// they say about the same thing may not agree, in whatever words.
fn share_most_words(left: &Remainder, right: &Remainder) -> bool {
    let shared = left.shared.min(right.shared);
    shared >= 2 && shared * 2 >= left.total.min(right.total) && !left.is_empty() && !right.is_empty()
}

/// Whether a statement is about the beginning, the end or the maker of something.
fn bounds(statement: &Statement<'_>) -> bool {
    let spaced = spaced_words(statement.text);
    spaced.split(' ').any(|word| BOUNDS.contains(word)) || HAN_BOUNDS.iter().any(|word| statement.text.contains(word))
}

/// Words for the beginning or the end of something, of which there is one, though it is an event.
const BOUNDS: WordList = word_list!("guards/contradiction/bounds.en.txt");
/// The same in Chinese, and verbs before 了 that tell of a state.
const HAN_BOUNDS: PhraseList = phrase_list!("guards/contradiction/bounds.zh.txt");

/// So many words of content may stand beside the two sides of a comparison.
const MAX_BESIDE_COMPARISON: usize = 2;

/// So many words must be the same where one differs.
const MIN_SHARED: usize = 3;

/// Words for a place in an order, which are compared like numbers.
const ORDINALS: WordList = word_list!("guards/contradiction/ordinals.en.txt");

/// What one text has and another one lacks.
struct Remainder {
    /// Words of content; in Chinese, runs of characters.
    words: Vec<String>,
    names: Vec<String>,
    numbers: Vec<String>,
    dates: Vec<String>,
    /// The number of words of content, and how many the other text has; in Chinese, of characters.
    total: usize,
    shared: usize,
}

impl Remainder {
    fn of(statement: &Statement<'_>, other_words: &EnglishSources, other: &Statement<'_>) -> Remainder {
        // A label is part of what the text is about.
        let whole = with_digit_month(&statement.text.replace(": ", " ").replace('：', ""));
        let parts = Statement::of(&whole);
        let other_text = with_digit_month(&other.text.replace(": ", " ").replace('：', ""));
        let other = &Statement::of(&other_text);
        let lacks = |kind: TokenKind| {
            let tokens = parts.tokens.iter().filter(move |t| t.kind == kind);
            let lacking =
                tokens.filter(|t| !other.tokens.iter().any(|o| o.key == t.key) && !other_words.has_word(&t.key));
            lacking.map(|t| t.surface.to_owned()).collect::<Vec<_>>()
        };
        let is_chinese = has_unspaced_script(&whole);
        let is_latin = |t: &&StatementToken<'_>| t.kind == TokenKind::Word && !t.is_han;
        let needs = |t: &&StatementToken<'_>| {
            let low = t.surface.to_lowercase();
            let subject = SUBJECTS.contains(&low) && !other_words.has_counterpart(t);
            subject || !other_words.supports(t)
        };
        let mut words: Vec<String> = if is_chinese {
            Vec::new()
        } else {
            parts.tokens.iter().filter(is_latin).filter(needs).map(|t| t.surface.to_owned()).collect()
        };
        let runs = chinese_words::unsupported_runs_and(&whole.to_lowercase(), &other.text.to_lowercase(), HAN_SUBJECTS);
        let is_content = |t: &&StatementToken<'_>| {
            t.kind == TokenKind::Word || t.kind == TokenKind::Name && other.tokens.iter().any(|o| o.key == t.key)
        };
        let total = parts.tokens.iter().filter(is_content).count();
        let is_shared = |t: &&StatementToken<'_>| {
            if t.is_han {
                other_text.contains(t.surface)
            } else {
                t.kind == TokenKind::Name || t.surface.len() > 2 && other_words.has_counterpart(t)
            }
        };
        let shared = parts.tokens.iter().filter(is_content).filter(is_shared).count();
        let mut names = lacks(TokenKind::Name);
        // A Latin word in a Chinese text is a name.
        if is_chinese {
            let latin = parts.tokens.iter().filter(is_latin);
            names.extend(latin.filter(|t| !other_words.has_word(&t.key)).map(|t| t.surface.to_owned()));
        }
        let (numbers, dates) = (lacks(TokenKind::Number), lacks(TokenKind::Date));
        let is_number = |run: &String| run.chars().all(|c| "一二三四五六七八九十两百千万半年月日号".contains(c));
        let (counts, runs): (Vec<String>, Vec<String>) = runs.into_iter().partition(is_number);
        let (ordinals, words_left): (Vec<String>, Vec<String>) =
            std::mem::take(&mut words).into_iter().partition(|word| ORDINALS.contains(&word.to_lowercase()));
        let numbers: Vec<String> = numbers.into_iter().chain(counts).chain(ordinals).collect();
        words = words_left.into_iter().chain(runs).collect();
        Remainder { words, names, numbers, dates, total, shared }
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.names.is_empty() && self.numbers.is_empty() && self.dates.is_empty()
    }

    /// Whether the words of content that remain only say what is done, or what kind of thing a value is.
    fn has_only_frames(&self) -> bool {
        let is_frame = |word: &String| {
            let low = word.to_lowercase();
            let is_verb = EnglishSources::may_paraphrase(&low) && !low.ends_with("ing");
            is_verb || FRAMES.contains(&low) || HAN_FRAMES.iter().any(|frame| frame == low)
        };
        self.words.iter().all(is_frame)
    }

    /// Whether at most one word remains.
    fn is_nearly_empty(&self) -> bool {
        self.words.len() < 2 && self.names.is_empty() && self.numbers.is_empty() && self.dates.is_empty()
    }

    /// Whether nothing remains but one word.
    fn is_empty_without(&self, word: &str) -> bool {
        // A run of Chinese characters may hold the word and more: 讨厌橄榄.
        let is_part = |w: &String| {
            let low = w.to_lowercase();
            let is_more = has_unspaced_script(&low) && low.replace(word, "").chars().count() > 1;
            word.contains(low.as_str()) || low.contains(word) && !is_more
        };
        let others = self.words.iter().filter(|w| !is_part(w));
        others.count() == 0 && self.names.is_empty() && self.numbers.is_empty() && self.dates.is_empty()
    }
}

/// A text with 1月 for 一月, which a statement reads as the name of a month.
fn with_digit_month(text: &str) -> String {
    let text = text.replace("十一月", "11月").replace("一月", "1月");
    ["只有一个", "仅有一个", "共一个"].iter().fold(text, |text, one| text.replace(one, &one.replace('一', "1")))
}

fn states(text: &str, field: &str) -> bool {
    stated_field(text, &[field.to_owned()]).is_some()
}

fn adds(text: &str) -> bool {
    let spaced = spaced_words(text);
    ADDING.iter().any(|word| if word.is_ascii() { spaced.contains(&format!(" {word} ")) } else { text.contains(word) })
}

/// Whether a statement says that something is not so.
fn denies(statement: &Statement<'_>) -> bool {
    let others = statement.tokens.iter().filter(|t| t.kind != TokenKind::Negation);
    let denying = others.filter(|t| DENYING.contains(&t.surface.to_lowercase())).count();
    let han = HAN_DENYING.iter().filter(|word| statement.text.contains(word)).count();
    (usize::from(statement.is_negated()) + denying + han) % 2 == 1
}

/// A word of each text for states of which only one holds.
pub(super) fn opposite_states(a: &str, b: &str) -> Option<(String, String)> {
    let (spaced_a, spaced_b) = (spaced_words(a), spaced_words(b));
    let has = |spaced: &str, word: &str| {
        if word.chars().any(is_unspaced) { spaced.contains(word) } else { spaced.contains(&format!(" {word} ")) }
    };
    for group in STATES.iter() {
        let states: Vec<Vec<&str>> = group.split(" / ").map(|state| state.split('|').collect()).collect();
        let found = |spaced: &str| {
            states.iter().enumerate().find_map(|(n, words)| words.iter().find(|w| has(spaced, w)).map(|w| (n, *w)))
        };
        if let (Some((n, x)), Some((m, y))) = (found(&spaced_a), found(&spaced_b))
            && n != m
        {
            return Some((x.to_owned(), y.to_owned()));
        }
    }
    None
}

/// Whether two English stems exclude each other: cheap, expens.
pub(super) fn are_antonyms(x: &str, y: &str) -> bool {
    are_opposite_words(x, y) || ANTONYMS.contains(&format!("{x} {y}"))
}

/// A word of each text that excludes the other.
fn opposite_words(a: &str, b: &str) -> Option<(String, String)> {
    if let Some(states) = opposite_states(a, b) {
        return Some(states);
    }
    if has_unspaced_script(a) {
        return None;
    }
    let (spaced_a, spaced_b) = (spaced_words(a), spaced_words(b));
    let words = |spaced: &str| spaced.trim().split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (left, right) = (words(&spaced_a), words(&spaced_b));
    let is_opposite = |x: &String, y: &String| {
        let (x, y) = (crate::text::stem(x), crate::text::stem(y));
        x != y && are_antonyms(&x, &y)
    };
    let pair = left.iter().flat_map(|x| right.iter().map(move |y| (x, y))).find(|(x, y)| is_opposite(x, y));
    pair.filter(|(x, y)| !right.contains(x) && !left.contains(y)).map(|(x, y)| (x.clone(), y.clone()))
}

/// The first of some texts that a new one may exclude.
pub fn find_possible_contradiction<'a>(text: &str, others: impl Iterator<Item = &'a str>) -> Option<String> {
    possible_contradictions(NewText::new(text), others).next().map(str::to_owned)
}

/// The first of some texts that differs from a new one in one value or state of one thing, so that both can hardly be
/// true, whatever a model says. Looks at the first [`MAX_ALIKE`] that share words with it, then at as many that give
/// the same attribute another state or its only value in other words.
pub fn find_exclusive_value<'a>(text: &str, others: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let shared = SharedParts::of(text, SINGLE_FIELDS.iter().any(|field| states(text, field)));
    let alike = others.clone().filter(|known| shared.are_mostly_in(known)).take(MAX_ALIKE);
    let new = NewText { is_broad: false, ..NewText::new(text) };
    let found = possible_contradictions(new, alike).find(|known| differ_in_one_value(text, known));
    found.or_else(|| find_exclusive_state(text, others)).map(str::to_owned)
}

/// So many texts with words of a new one are compared once more, which takes as long as a new text does.
const MAX_ALIKE: usize = 50;

/// Whether a text tells that something has ended: "gave up the studio".
pub fn tells_an_end(text: &str) -> bool {
    AttributeReading::new(text).tells_an_end()
}

/// Those of some texts that a new one may exclude.
fn possible_contradictions<'a>(
    new: NewText<'_>,
    others: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = &'a str> {
    let text = new.statement.text;
    let shared = SharedParts::of(text, !new.fields.is_empty());
    let attributes = AttributeReading::new(text);
    let topics = attributes.topics();
    let words = TopicStarts::of(&topics);
    let compares_without_topic = attributes.compares_without_topic();
    others.filter(move |known| {
        let has_shared = shared.are_in(known);
        if has_shared && new.may_contradict_in_part(known) {
            return !attributes.has_another_part_as_subject(&AttributeReading::new(known))
                && !are_about_other_things(text, known);
        }
        let has_topic = words.are_in(known) && topics::speaks_of(known, &topics);
        (has_topic || has_shared && compares_without_topic)
            && attributes.may_exclude(&AttributeReading::new(known))
            && !are_about_other_things(text, known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_asked_about_what_may_exclude_each_other() {
        for (a, b) in [
            ("Does not smoke.", "Smokes a pipe in the evening."),
            ("Has no siblings.", "The user has a brother."),
            ("Employed by Lufthansa as a technician.", "The user's employer is Airbus."),
            ("Is 41 years old.", "The user's age is 44."),
            ("Likes cats better than dogs.", "Prefers dogs to cats."),
            ("The repository is public.", "Only employees can see the private repository."),
            ("用户不抽烟。", "用户晚上会抽烟斗。"),
        ] {
            assert!(NewText::new(a).may_contradict(b) && NewText::new(b).may_contradict(a), "{a} / {b}");
        }
        for (a, b) in [
            ("Never works on Sundays.", "Works on Saturdays."),
            ("Owns a bicycle.", "Owns no car."),
            ("Knows Rust.", "Knows Haskell."),
            ("Lives in Austin", "Lives with Anna"),
            ("Lives with Anna", "Lives in Austin"),
            ("The user likes surprises.", "The user doesn't like spoilers."),
            ("用户对贝类过敏。", "用户对蜂毒过敏。"),
        ] {
            assert!(!NewText::new(a).may_contradict(b), "{a} / {b}");
        }
    }
}
