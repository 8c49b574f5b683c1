//! Finds what a proposed text claims and its sources do not contain: names, numbers, dates, words of content, a
//! negation, the order of a comparison, and how far it holds.
//!
//! Never lets a text pass because its words are unknown: one in words that no list traces to its source waits for a
//! person. English and Chinese; in other languages, names and numbers.

use std::collections::HashSet;

use super::evidence::{contains_words, normalize};
use super::{GuardFinding, Violation};
use std::borrow::Cow;

use crate::text::contradiction::{Difference, find_contradiction};
use crate::text::exact_tokens::missing_tokens;
use crate::text::prose_mask::split_label;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::{Splice, splice};

mod abbreviations;
mod binding;
mod chinese;
mod chinese_scope;
mod chinese_slots;
mod chinese_verbs;
pub(super) mod chinese_words;
mod choice;
mod clause_subject;
mod dates;
pub(super) mod english;
mod evaluated_option;
mod joint_denial;
mod limits;
mod measured_things;
mod numbers;
pub(super) mod order;
mod other_names;
mod other_negations;
mod other_subject;
mod polarity;
mod quantities;
mod reasons;
mod restated_amounts;
mod restated_limits;
mod roles;
pub(super) mod scope;
mod speaker;
mod stance;
mod tool_output;
mod topics;
mod vocabulary;

pub use other_names::missing_in_paraphrase;
pub use stance::agrees;
pub use tool_output::repeats_tool_output;
use vocabulary::SourceVocabulary;

/// Words with which a clause begins that follows from the one before it.
const RESULTS: PhraseList = phrase_list!("guards/grounding/results.en.txt");
const ABSENCE_WORDS: WordList = word_list!("guards/grounding/absence.en.txt");
const HAN_ABSENCE_WORDS: PhraseList = phrase_list!("guards/grounding/absence.zh.txt");
/// Groups of words of which a text has one where its source has another.
const ALTERNATIVES: PhraseList = phrase_list!("guards/grounding/alternatives.en.txt");
const HAN_ALTERNATIVES: PhraseList = phrase_list!("guards/grounding/alternatives.zh.txt");
/// Spellings of one unit a line.
const UNITS: PhraseList = phrase_list!("guards/grounding/units.txt");
/// Sections of words for how often or of how many something holds: none, few, most, all.
const FREQUENCIES: PhraseList = phrase_list!("guards/grounding/frequencies.en.txt");
const HAN_FREQUENCIES: PhraseList = phrase_list!("guards/grounding/frequencies.zh.txt");
const DEGREES: PhraseList = phrase_list!("guards/grounding/degrees.en.txt");
const HAN_DEGREES: PhraseList = phrase_list!("guards/grounding/degrees.zh.txt");

/// The texts that a claim may be taken from.
#[derive(Clone, Debug, Default)]
pub struct GroundingSources<'a> {
    /// The quote of the proposal.
    pub quote: &'a str,
    /// The turns that it may come from, the text that it replaces, the name of its file.
    pub texts: Vec<&'a str>,
    /// When these turns were written, RFC 3339 or `YYYY-MM-DD`: relative dates in them are resolved with it.
    pub times: Vec<&'a str>,
    /// Days that a text may name though no source does: those on which an episode was written.
    pub days: Vec<&'a str>,
    /// Turns just before the quote, newest last, whose names it may speak of without repeating them: "mine is at 2,900
    /// hours".
    pub topics: Vec<&'a str>,
}

impl<'a> GroundingSources<'a> {
    /// The texts and the quote, which may be one of them: each is read once.
    fn different_texts(&self) -> Vec<&'a str> {
        let quote = Some(self.quote).filter(|quote| !self.texts.contains(quote));
        self.texts.iter().copied().chain(quote).collect()
    }
}

/// The words of a text that no source contains; `None` if there are none. `nearby` are turns just before, from which
/// words may be taken that say what a statement is about, but no names, numbers or dates.
pub fn check_grounding(text: &str, sources: &GroundingSources<'_>, nearby: &[&str]) -> Option<GuardFinding> {
    let missing = ungrounded_words(text, sources, nearby);
    (!missing.is_empty()).then(|| GuardFinding::new(Violation::Ungrounded, &readable(&missing)))
}

/// What is missing, for a reader: a negation and an order are no words of the text.
fn readable(missing: &[String]) -> String {
    let named = |word: &String| match word.as_str() {
        "not" => "a negation".to_owned(),
        "order" => "the order of its words".to_owned(),
        word => word.to_owned(),
    };
    missing.iter().map(named).collect::<Vec<_>>().join(", ")
}

/// What only a turn of the assistant says of the user or offers, without the user's agreement in the turn behind it;
/// `None` if there is nothing of the kind.
pub fn check_agreement(text: &str, quote: &str, turn: &str, reply: Option<&str>) -> Option<GuardFinding> {
    let word = stance::unconfirmed(text, quote, turn, reply)?;
    Some(GuardFinding::new(Violation::Ungrounded, &word))
}

/// The names, numbers, dates and negations of a text that no source contains; `None` if there are none.
pub fn check_particulars(text: &str, sources: &GroundingSources<'_>) -> Option<GuardFinding> {
    let missing = missing_particulars(text, sources);
    (!missing.is_empty()).then(|| GuardFinding::new(Violation::Ungrounded, &readable(&missing)))
}

/// The last day on which something holds, if no source says it; `None` if one does.
pub fn check_last_day(day: &str, sources: &GroundingSources<'_>) -> Option<GuardFinding> {
    let is_term = || day.parse().is_ok_and(|day| dates::is_last_day(day, &sources.different_texts(), &sources.times));
    let mut missing = missing_particulars(day, sources);
    // A day is neither a denial nor a comparison, whatever the sentence is that says it.
    missing.retain(|word| !matches!(&**word, "not" | "order"));
    (!missing.is_empty() && !is_term()).then(|| GuardFinding::new(Violation::Ungrounded, &readable(&missing)))
}

/// A text with the dates, quantities, prices, limits and short forms that its sources have for the same; `times`: when
/// they were written.
fn in_forms_of_sources<'a>(text: &'a str, sources: &[&str], times: &[&str]) -> Cow<'a, str> {
    let dated = dates::in_forms_of(text, sources, times).map_or(Cow::Borrowed(text), Cow::Owned);
    let counted = quantities::in_forms_of(&dated, sources).map_or(dated, Cow::Owned);
    let priced = restated_amounts::in_forms_of(&counted, sources).map_or(counted, Cow::Owned);
    // The last source is the quote: other sentences may limit something else.
    let quote = &sources[sources.len().saturating_sub(1)..];
    let limited = restated_limits::in_forms_of(&priced, quote).map_or(priced, Cow::Owned);
    abbreviations::in_forms_of(&limited, sources).map_or(limited, Cow::Owned)
}

/// A text with some replacements, in order; `None` without any.
fn restated(text: &str, splices: &[Splice]) -> Option<String> {
    (!splices.is_empty()).then(|| splice(text, splices).ok())?
}

/// What [`missing_particulars`] reports, the words of content that nothing in the sources supports, and what the text
/// changes without a word: `always`, `used to`, `brother` for a person of whom the source says it.
pub fn ungrounded_words(text: &str, sources: &GroundingSources<'_>, nearby: &[&str]) -> Vec<String> {
    let all: Vec<&str> = sources.texts.iter().copied().chain([sources.quote]).collect();
    let restated = in_forms_of_sources(text, &all, &sources.times);
    let text = &*restated;
    let (statement, plain) = (Statement::of(text), normalize(text));
    let plain = plain.trim_end_matches(['.', '。']);
    let mut missing = missing_particulars(text, sources);
    // A word is no name because a text starts with it.
    let opening = statement.tokens.first().filter(|first| english::is_opening_word(first, &statement));
    missing.retain(|word| opening.is_none_or(|first| first.surface != word));
    let said = said_sentences(sources);
    missing.retain(|word| !topics::is_named_before(word, &statement, &said, &sources.topics));
    // A whole sentence of the user as it stands.
    if normalize(&said).trim_end_matches(['.', '。']) == plain {
        return missing;
    }
    let low = all.join("\n").to_lowercase();
    let content = unsupported_content(text, &statement, &all, nearby, sources.quote);
    let is_explained = !missing.is_empty();
    for word in content {
        if !missing.iter().any(|known| known.contains(&word)) {
            missing.push(word);
        }
    }
    if is_explained {
        return missing;
    }
    // The quote stands in one of the texts, where its neighbours are.
    let turns: &[&str] = if sources.texts.is_empty() { &all } else { &sources.texts };
    let changed = scope::changed_scope(text, &statement, [sources.quote, &said], &all)
        .into_iter()
        .chain(chinese_words::changed_scope(text, &said, &low))
        .chain(order::moved_number(&statement, &all))
        .chain(order::changed_unit(&statement, &all, UNITS))
        .chain(order::changed_frequency(text, &said, FREQUENCIES, HAN_FREQUENCIES))
        .chain(quantities::changed_rate(text, &said))
        .chain(order::raised_degree(text, &all, DEGREES, HAN_DEGREES))
        .chain(clause_subject::is_of_another_subject(text, &said).then(|| "order".to_owned()))
        .chain(order::part_as_whole(text, &said))
        .chain(order::turned_degree(text, &said))
        .chain(binding::moved_value(text, turns))
        .chain(quoted_turn(sources).and_then(|quoted| binding::moved_value(text, &[quoted])))
        .chain(value_of_another_turn(text, &said, sources, nearby))
        .chain(choice(text, sources, nearby))
        .chain(stance::unstated(text, sources.quote, &said))
        .chain(passed_over(text, sources, nearby))
        .chain(limits::lost_exception(text, &said))
        .chain(restated_limits::turned_limit(text, &all))
        .chain(measured_things::moved_measure(text, turns))
        .chain(quoted_turn(sources).and_then(|turn| reasons::unlinked_reason(text, turn)))
        .chain(dates::exchanged_day(text, &all))
        .chain(joint_denial::affirmed_word(text, &said))
        .chain(polarity::lost_denial(text, &all))
        .chain(polarity::ended_thing(text, &said))
        .chain(polarity::opposed_word(text, &said, &all))
        .chain(polarity::reversed_word(text, &all));
    for word in changed {
        if !missing.contains(&word) {
            missing.push(word);
        }
    }
    let clauses = || all.iter().flat_map(|text| clauses(text));
    if missing.is_empty() && (order::has_sides_exchanged(text, clauses()) || order::has_lower_side_raised(text, &said))
    {
        missing.push("order".into());
    }
    missing
}

/// The names, numbers and dates of a text that no source contains, as written, and words in whose place the sources
/// have another of their kind (daily, weekly); `not` for a negation that only one side has, `maybe` for a possibility
/// that became a fact, and `order` for a comparison whose sides are swapped, or for two names that changed places.
pub fn missing_particulars(text: &str, sources: &GroundingSources<'_>) -> Vec<String> {
    let all = sources.different_texts();
    let restated = in_forms_of_sources(text, &all, &sources.times);
    let text = &*restated;
    let statement = Statement::of(text);
    let vocabulary = SourceVocabulary::of(sources);
    let mut missing: Vec<String> = Vec::new();
    for token in &statement.tokens {
        let is_missing = match token.kind {
            TokenKind::Name => !vocabulary.has_name(token, text),
            TokenKind::Number => !vocabulary.has_number(token),
            TokenKind::Date => !vocabulary.has_date(token, &statement),
            TokenKind::Word | TokenKind::Filler | TokenKind::Negation => false,
        };
        if is_missing && !missing.iter().any(|word| word == token.surface) {
            missing.push(token.surface.to_owned());
        }
    }
    missing.extend(chinese::missing_names(text, &statement, &vocabulary.low));
    missing.extend(chinese::changed_number(text, &vocabulary.low));
    if polarity_differs(text, sources) || other_negations::differ(text, &all) {
        missing.push("not".into());
    }
    let clauses = || all.iter().flat_map(|t| clauses(t));
    let text_order = as_comparison(text);
    let is_swapped = |clause: &str| find_contradiction(&text_order, &as_comparison(clause)) == Some(Difference::Order);
    if clauses().any(is_swapped)
        || roles::has_participants_exchanged(text, clauses())
        || chinese::has_roles_swapped(text, clauses())
    {
        missing.push("order".into());
    }
    let exact = missing_tokens(text, &all);
    for word in replaced_words(text, &vocabulary.low).into_iter().chain(exact) {
        if !missing.contains(&word) {
            missing.push(word);
        }
    }
    if stance::states_possibility(&statement, text, sources.quote) {
        missing.push("maybe".into());
    }
    missing
}

/// The words of content, in English and Chinese, that neither the sources nor the turns nearby support. The turns
/// nearby say what a statement is about: they support no word if the quote names a thing that the text does not.
fn unsupported_content(
    text: &str,
    statement: &Statement<'_>,
    sources: &[&str],
    nearby: &[&str],
    quote: &str,
) -> Vec<String> {
    let low = &sources.join("\n").to_lowercase();
    let texts = || sources.iter().chain(nearby).copied();
    let known = english::EnglishSources::of_evidence(texts());
    let mut english = known.unsupported(statement);
    if english.is_empty() && !nearby.is_empty() && scope::has_other_noun(statement, quote) {
        english = english::EnglishSources::of_evidence(sources.iter().copied()).unsupported(statement);
    }
    let han = nearby.iter().fold(low.clone(), |all, text| format!("{all}\n{}", text.to_lowercase()));
    // A label is a word of the memory.
    let value = split_label(text).map_or(text, |(_, value)| value);
    let value = value.to_lowercase();
    let mut runs = chinese_words::unsupported_runs(&value, &han);
    runs.retain(|run| !chinese_verbs::is_verb_for_another(run, &value, quote));
    if runs.is_empty() && !nearby.is_empty() && chinese_words::has_other_words(quote, &value) {
        runs = chinese_words::unsupported_runs(&value, low);
        runs.retain(|run| !chinese_verbs::is_verb_for_another(run, &value, quote));
    }
    // A character of a longer word no list can know.
    if english.is_empty() && chinese_words::are_parts_of_supported(&value, &runs, &han) {
        return Vec::new();
    }
    english.into_iter().map(str::to_owned).chain(runs).collect()
}

/// A value of a text that stands in another turn, or in another place of the quoted one, where the quoted turn has
/// another value in its place.
fn value_of_another_turn(text: &str, said: &str, sources: &GroundingSources<'_>, nearby: &[&str]) -> Option<String> {
    let quoted = quoted_turn(sources).unwrap_or(sources.quote);
    let others: Vec<&str> = sources.texts.iter().chain(nearby).copied().filter(|text| *text != quoted).collect();
    chinese_slots::value_of_another_place(text, quoted, &others)
        .or_else(|| speaker::value_of_another_turn(text, said, quoted, &others))
}

/// The option that an answer does not choose, or the statement that it corrects, if the sources or the turns nearby
/// have a question and its answer.
fn choice(text: &str, sources: &GroundingSources<'_>, nearby: &[&str]) -> Option<String> {
    let answer = quoted_turn(sources)?;
    // A short answer answers the turn before it, whatever that is.
    let before = nearby.last().copied().filter(|_| answer.chars().count() <= MAX_SHORT_ANSWER);
    let questions = || sources.texts.iter().copied().chain(before).filter(|text| *text != answer);
    let of_answer = |question: &str| {
        choice::rejected_option(text, question, answer)
            .or_else(|| choice::corrected_value(text, question, answer))
            .or_else(|| choice::denied_statement(text, question, answer, sources.quote))
            .or_else(|| evaluated_option::evaluated_option(text, question, answer))
    };
    questions()
        .find_map(of_answer)
        .or_else(|| nearby.iter().rev().find_map(|question| choice::clearly_rejected_option(text, question, answer)))
}

/// A longer answer says itself what it is about, in characters.
const MAX_SHORT_ANSWER: usize = 120;

/// What another turn said before the quote, if the text states it and the quoted turn passes over it.
fn passed_over(text: &str, sources: &GroundingSources<'_>, nearby: &[&str]) -> Option<String> {
    let answer = quoted_turn(sources)?;
    let before: Vec<&str> = sources.texts.iter().chain(nearby).copied().filter(|text| *text != answer).collect();
    stance::passed_over(text, sources.quote, answer, &before)
}

/// The last source with the quote.
fn quoted_turn<'a>(sources: &GroundingSources<'a>) -> Option<&'a str> {
    let quote = normalize(sources.quote);
    sources.texts.iter().copied().rfind(|text| contains_words(&normalize(text), &quote))
}

/// The whole sentences of the sources that a quote is from: a model may leave out "I doubt that" before it. The quote,
/// if no source has it.
fn said_sentences(sources: &GroundingSources<'_>) -> String {
    let quote = normalize(sources.quote);
    let quote = quote.trim_matches(|c: char| matches!(c, '"' | '\'' | '.' | '。' | ' '));
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '\n' | '。' | '！' | '？');
    // A short answer may repeat words of the question before it.
    for text in sources.texts.iter().rev() {
        // A full stop within a word ends no sentence.
        let mut parts: Vec<String> = Vec::new();
        for part in text.split_inclusive(ends) {
            match parts.last_mut().filter(|last| last.ends_with('.') && !part.starts_with([' ', '\n'])) {
                Some(last) => last.push_str(part),
                None => parts.push(part.to_owned()),
            }
        }
        let normal: Vec<String> = parts.iter().map(|part| normalize(part)).collect();
        for length in 1..=parts.len().min(MAX_QUOTED_SENTENCES) {
            let holds =
                |start: &usize| !quote.is_empty() && contains_words(&normal[*start..start + length].join(" "), quote);
            if let Some(start) = (0..=parts.len() - length).find(holds) {
                return parts[start..start + length].concat();
            }
        }
    }
    sources.quote.to_owned()
}

/// A quote of more sentences is compared as it is.
const MAX_QUOTED_SENTENCES: usize = 4;

/// A comparison in one form: what the user says of themselves is about "the user", and `prefers A to B` is `A over B`.
fn as_comparison(text: &str) -> String {
    let text = text.replace("我们", "用户").replace('我', "用户");
    if text.to_lowercase().contains("prefer") { text.replace(" to ", " over ") } else { text }
}

/// The words of a text in whose place the sources have another one of their group.
fn replaced_words(text: &str, sources: &str) -> Vec<String> {
    let spaced = |text: &str| {
        let plain = text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " ");
        format!(" {} ", plain.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
    };
    let text = &numbers::without_date_marks(text);
    let (text, sources) = (spaced(text), spaced(sources));
    let find = |list: PhraseList, has: &dyn Fn(&str, &str) -> bool| {
        let has_any = |text: &str, spellings: &str| spellings.split('|').any(|word| has(text, word));
        let replaced = |group: &str| -> Option<String> {
            let all: Vec<&str> = group.split(" / ").collect();
            let new = all.iter().find(|one| has_any(&text, one) && !has_any(&sources, one))?;
            let other = all.iter().any(|one| one != new && has_any(&sources, one) && !has_any(&text, one));
            other.then(|| new.split('|').find(|word| has(&text, word)).unwrap_or(new).to_owned())
        };
        list.iter().filter_map(replaced).collect::<Vec<_>>()
    };
    let mut found = find(ALTERNATIVES, &|text, word| text.contains(&format!(" {word} ")));
    found.extend(find(HAN_ALTERNATIVES, &|text, word| text.contains(word)));
    found
}

/// Whether exactly one of the text and the clause that it is taken from is negated. A text may say "without" or "no
/// longer" of what the source says was removed.
fn polarity_differs(text: &str, sources: &GroundingSources<'_>) -> bool {
    let text = &*polarity::without_idle_negations(text);
    let quote = &*polarity::without_idle_negations(sources.quote);
    let plain: Vec<String> = sources.texts.iter().map(|text| polarity::without_idle_negations(text)).collect();
    let statement = Statement::of(text);
    let keys: HashSet<&str> = statement.content().map(|t| t.key.as_str()).collect();
    let overlap = |clause: &Statement<'_>| clause.content().filter(|t| keys.contains(t.key.as_str())).count();
    if statement.is_negated() {
        let all = || plain.iter().map(String::as_str).chain([quote]);
        let says_absent = |source: &str| {
            if polarity::sets_same_bound(text, source) {
                return true;
            }
            let low = source.to_lowercase();
            crate::text::words(&low).any(|w| ABSENCE_WORDS.contains(&w.text))
                || HAN_ABSENCE_WORDS.iter().any(|word| source.contains(word))
        };
        let is_denied = |source: &str| clauses(source).any(|c| Statement::of(c).is_negated());
        return !all().any(|source| is_denied(source) || says_absent(source) || polarity::tells_an_end(source));
    }
    // "Prefers bullets to paragraphs" denies as much as "I can't read paragraphs".
    let prefers_one = || polarity::polarities(text).iter().any(|(.., p)| *p == polarity::Polarity::Denied);
    if text.trim().is_empty() || keys.len() < 2 || prefers_one() || polarity::denies_otherwise(text, quote) {
        return false;
    }
    // "diesel, not petrol": what the denied clause names, without what it is opposed to.
    let all: Vec<Statement<'_>> = clauses(quote).map(Statement::of).collect();
    let is_denied_alternative = all.windows(2).any(|two| {
        let (kept, denied) = (&two[0], &two[1]);
        denied.is_negated()
            && !kept.is_negated()
            && (1..=MAX_ALTERNATIVE).contains(&denied.content().count())
            && overlap(denied) == denied.content().count()
            && kept.content().last().is_some_and(|last| !keys.contains(last.key.as_str()))
    });
    if is_denied_alternative {
        return true;
    }
    // Another form of a word counts, too: "writing docs", "wrote documentation".
    let supported = |clause: &Statement<'_>| {
        let words = english::EnglishSources::of_evidence([clause.text].into_iter());
        let has = |t: &&StatementToken<'_>| !t.is_han && t.kind == TokenKind::Word && words.has_counterpart(t);
        statement.content().filter(|t| keys.contains(t.key.as_str())).filter(has).count().max(overlap(clause))
    };
    // "We purge it on Fridays so don't count on it": what follows from a statement denies nothing of it.
    let quote =
        RESULTS.iter().find_map(|word| quote.split_once(&format!(" {word} "))).map_or(quote, |(first, _)| first);
    // "I paddle a kayak and hate paper": what is denied behind "and" is another predicate.
    let predicates = clauses(quote).flat_map(|clause| {
        let (first, rest) = clause.split_once(" and ").unwrap_or((clause, ""));
        let is_other = Statement::of(rest).is_negated()
            && !Statement::of(first).is_negated()
            && overlap(&Statement::of(rest)) == 0;
        [Some(if is_other { first } else { clause }), is_other.then_some(rest)].into_iter().flatten()
    });
    let best = predicates.map(Statement::of).max_by_key(|c| supported(c));
    best.is_some_and(|clause| {
        let shared = supported(&clause);
        clause.is_negated() && shared >= 2 && shared * 2 >= keys.len()
    })
}

/// A clause with more words of content says more than what is not the case instead.
const MAX_ALTERNATIVE: usize = 3;

/// The clauses of a text.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| matches!(c, ',' | ';' | '!' | '?' | '\n' | '，' | '。' | '；' | '！' | '？');
    text.split(ends).flat_map(|part| part.split(". ")).flat_map(|part| part.split(" but ")).map(str::trim)
}

#[cfg(test)]
mod tests;
