//! Finds a number, a date or a name that a text ties to another thing than its source does: "Mia is 4 and Leo is 7"
//! does not say that Mia is 7.
//!
//! Never parses a sentence: a value belongs to the words of its own part of a sentence, and a word belongs to another
//! value if each part with it has one that the text does not name.

use super::chinese;
use super::english::{EnglishSources, base_stem, is_uncommon};
use crate::text::phrase::{has_unspaced_script, is_capitalized};
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Verbs with which a clause gives another time for what the clause before it says.
const RESCHEDULING: PhraseList = phrase_list!("guards/grounding/rescheduling.zh.txt");

/// A part of a sentence: between punctuation marks, or beside a conjunction.
struct SentencePart<'a> {
    statement: Statement<'a>,
    /// The number of the text that it is from.
    source: usize,
}

/// A value of a text, as written, that its sources have only beside other words.
pub(super) fn moved_value(text: &str, sources: &[&str]) -> Option<String> {
    let written = text;
    let text = &with_whole_values(written);
    let sources: Vec<String> = sources.iter().map(|text| with_whole_values(text)).collect();
    let all: Vec<SentencePart<'_>> = sources
        .iter()
        .enumerate()
        .flat_map(|(source, text)| {
            parts(text).into_iter().map(move |part| SentencePart { statement: bound_statement(part, text), source })
        })
        .collect();
    let mut own: Vec<Statement<'_>> = parts(text).into_iter().map(|part| bound_statement(part, text)).collect();
    // "Bruno chairs the council": what is a name in a source is one at the start of a text.
    let is_name = |key: &str| {
        let names =
            |part: &SentencePart<'_>| part.statement.tokens.iter().any(|t| t.kind == TokenKind::Name && t.key == key);
        all.iter().any(names)
    };
    if let Some(first) = own.first_mut().and_then(|own| own.tokens.first_mut())
        && first.kind == TokenKind::Word
        && is_name(&first.surface.to_lowercase())
    {
        (first.kind, first.key) = (TokenKind::Name, first.surface.to_lowercase());
    }
    // "Refund tickets": nor is a word a name because a text starts with it.
    let is_word = |base: &str| {
        let has = |t: &StatementToken<'_>| t.kind == TokenKind::Word && base_stem(&t.surface.to_lowercase()) == base;
        all.iter().any(|part| part.statement.tokens.iter().any(has))
    };
    if let Some(first) = own.first_mut().and_then(|own| own.tokens.first_mut())
        && first.kind == TokenKind::Name
        && is_word(&base_stem(&first.surface.to_lowercase()))
    {
        (first.kind, first.key) = (TokenKind::Word, base_stem(&first.surface.to_lowercase()));
    }
    let moved = own.iter().find_map(|own| own.tokens.iter().find(|value| is_moved(value, own, &all)))?;
    Some(as_written(moved.surface, written))
}

/// The statement of a part of a text, in which a capitalised word is a name unless it starts a sentence, and "the 15th"
/// is a day.
fn bound_statement<'a>(part: &'a str, text: &str) -> Statement<'a> {
    let mut statement = Statement::of(part);
    let before = text[..part.as_ptr() as usize - text.as_ptr() as usize].trim_end();
    let starts_sentence = before.is_empty() || before.ends_with(['.', '!', '?', '\n']);
    if let Some(first) = statement.tokens.first_mut()
        && !starts_sentence
        && first.kind == TokenKind::Word
        && is_capitalized(first.surface)
    {
        (first.kind, first.key) = (TokenKind::Name, first.surface.to_lowercase());
    }
    let is_suffix = |t: &StatementToken<'_>| matches!(t.surface, "st" | "nd" | "rd" | "th");
    for i in 1..statement.tokens.len() {
        if is_suffix(&statement.tokens[i]) && statement.tokens[i - 1].kind == TokenKind::Number {
            statement.tokens[i - 1].kind = TokenKind::Date;
        }
    }
    statement.tokens.retain(|token| !is_suffix(token));
    statement
}

/// "And no longer live with Anna": what has ended keeps no word for itself.
fn tells_an_end(part: &Statement<'_>) -> bool {
    let low = part.text.to_lowercase();
    ["no longer ", " anymore", " any more", "不再"].iter().any(|phrase| low.contains(phrase))
}

fn is_moved(value: &StatementToken<'_>, own: &Statement<'_>, all: &[SentencePart<'_>]) -> bool {
    let Some(kind) = value_kind(value) else { return false };
    let mut homes: Vec<usize> = Vec::new();
    for (i, part) in all.iter().enumerate() {
        // What a part says of "she" is said of the name before it.
        let follows = || kind == BoundValueKind::Name && homes.last().is_some_and(|last| last + 1 == i);
        if has_value(&part.statement, value) || follows() && starts_with_pronoun(part.statement.text) {
            homes.push(i);
        }
    }
    // Without a home it is missing or written otherwise, which others report.
    if homes.is_empty() {
        return false;
    }
    let is_taken = |i: usize| {
        let other = |t: &&StatementToken<'_>| value_kind(t) == Some(kind) && !has_value(own, t);
        !homes.contains(&i) && !tells_an_end(&all[i].statement) && all[i].statement.tokens.iter().any(|t| other(&t))
    };
    if own.tokens.iter().any(|other| is_beside_another(other, kind, &homes, own, all)) {
        return true;
    }
    // "The editor is Paula": if all words of a text say little, they are all it has.
    let mut own_words = words(own);
    if own_words.iter().all(|word| word.is_rival_of(value, kind)) {
        own_words = words_of(&own.tokens, true);
    }
    // "The abstract is due on the 2nd and the full paper on the 15th": the second part has a word of its own for its
    // thing.
    let is_about = |home: &Statement<'_>, other: &Statement<'_>| {
        let is_thing = |word: &&BoundWord<'_>| word.is_plain() && !word.is_rival_of(value, kind);
        own_words.iter().filter(is_thing).any(|word| word.stands_in(home) && !word.stands_in(other))
    };
    let text = EnglishSources::of_evidence([own.text].into_iter());
    own_words.iter().filter(|word| !word.is_rival_of(value, kind)).any(|word| {
        let with: Vec<usize> = (0..all.len()).filter(|&i| word.stands_in(&all[i].statement)).collect();
        let is_elsewhere = !with.is_empty() && with.iter().all(|&i| is_taken(i));
        // "I have 2 cats and 3 dogs": the second part takes its verb from the first one, so only a part with words of
        // its own that the text leaves out is about something else.
        is_elsewhere
            && with.iter().all(|&i| {
                homes.iter().all(|&home| {
                    all[home].source == all[i].source
                        && (i > home
                            || has_own_words(&all[home].statement, value, own, &text)
                                && !is_about(&all[home].statement, &all[i].statement))
                })
            })
    })
}

/// Whether each part with a value has another value of the kind of a second one of the text, which stands elsewhere:
/// "in Graz until 2010, then in Linz", "in Linz until 2010".
fn is_beside_another(
    other: &StatementToken<'_>,
    kind: BoundValueKind,
    homes: &[usize],
    own: &Statement<'_>,
    all: &[SentencePart<'_>],
) -> bool {
    let Some(other_kind) = value_kind(other)
        .filter(|other| *other != kind && !matches!(kind, BoundValueKind::Name | BoundValueKind::Number))
    else {
        return false;
    };
    let is_rival = |t: &StatementToken<'_>| value_kind(t) == Some(other_kind) && !has_value(own, t);
    let with_other = || all.iter().filter(|part| has_value(&part.statement, other));
    // "2 May and the 15th": the month of the second day is that of the first one.
    let is_kind = |t: &StatementToken<'_>| value_kind(t) == Some(kind);
    let takes_month = other_kind == BoundValueKind::Day
        && kind == BoundValueKind::Month
        && with_other().any(|part| !part.statement.tokens.iter().any(is_kind));
    with_other().next().is_some()
        && !takes_month
        && homes.iter().all(|&home| {
            let part = &all[home].statement;
            !has_value(part, other) && part.tokens.iter().any(is_rival)
        })
}

/// What a value is: two of one kind exclude each other beside one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundValueKind {
    Number,
    Year,
    Month,
    Day,
    Weekday,
    Name,
}

pub(super) fn value_kind(token: &StatementToken<'_>) -> Option<BoundValueKind> {
    match token.kind {
        TokenKind::Number if token.surface == "one" || token.surface == "一" => None,
        TokenKind::Number => token.key.starts_with(|c: char| c.is_ascii_digit()).then_some(BoundValueKind::Number),
        TokenKind::Date if token.key.starts_with("month") => Some(BoundValueKind::Month),
        TokenKind::Date if token.key.starts_with("weekday") => Some(BoundValueKind::Weekday),
        TokenKind::Date if token.key.len() < 3 => Some(BoundValueKind::Day),
        TokenKind::Date => (token.key.len() == 4).then_some(BoundValueKind::Year),
        TokenKind::Name => Some(BoundValueKind::Name),
        // A name in lower case is no common word.
        TokenKind::Word => (!token.is_han && is_uncommon(token)).then_some(BoundValueKind::Name),
        TokenKind::Filler | TokenKind::Negation => None,
    }
}

pub(super) fn has_value(statement: &Statement<'_>, value: &StatementToken<'_>) -> bool {
    let plain = |key: &str| key.trim_start_matches('0').trim_end_matches(":00").to_owned();
    let is_same = |t: &StatementToken<'_>| {
        t.key == value.key
            || value_kind(t) == value_kind(value)
                && (plain(&t.key) == plain(&value.key)
                    || t.kind == TokenKind::Name && (t.key.starts_with(&value.key) || value.key.starts_with(&t.key)))
    };
    statement.tokens.iter().any(is_same)
        || value.kind == TokenKind::Number
            && super::numbers::written_numbers(statement.text).iter().any(|number| *number == plain(&value.key))
        || value.kind == TokenKind::Name && super::english::spaced_words(statement.text).contains(&value.key)
}

/// Whether a part has words of content, before a number or anywhere beside a name, that a text does not have.
fn has_own_words(part: &Statement<'_>, value: &StatementToken<'_>, own: &Statement<'_>, text: &EnglishSources) -> bool {
    let at = part.tokens.iter().position(|t| t.key == value.key).unwrap_or(part.tokens.len());
    // "On Mondays we do deliveries": a time stands before the clause that it belongs to.
    let is_time = value.kind == TokenKind::Date && at <= MAX_BEFORE_TIME;
    let end = if value.kind == TokenKind::Name || is_time { part.tokens.len() } else { at };
    let is_own = |word: &BoundWord<'_>| match word {
        BoundWord::Spaced(token) => {
            let is_same_name = token.kind == TokenKind::Name && has_value(own, token);
            !(text.has_word(&token.key) || is_same_name)
        }
        BoundWord::Han(word) => !own.text.contains(word.as_str()),
    };
    words_of(&part.tokens[..end], true).iter().any(is_own)
}

/// So many tokens stand before a time that opens a clause.
const MAX_BEFORE_TIME: usize = 2;

/// A word of content that a value is bound to.
enum BoundWord<'a> {
    Spaced(&'a StatementToken<'a>),
    /// Two characters, or one that stands alone.
    Han(String),
}

impl BoundWord<'_> {
    /// Whether it may stand in the place of a value: one of its kind, but no word in lower case for a name.
    fn is_rival_of(&self, value: &StatementToken<'_>, kind: BoundValueKind) -> bool {
        let BoundWord::Spaced(token) = self else { return false };
        let is_other_form = value.kind == TokenKind::Name && token.kind == TokenKind::Word;
        value_kind(token) == Some(kind) && !is_other_form
    }

    /// Whether it is no value of any kind.
    fn is_plain(&self) -> bool {
        match self {
            BoundWord::Spaced(token) => value_kind(token).is_none() || token.kind == TokenKind::Word,
            BoundWord::Han(_) => true,
        }
    }

    fn stands_in(&self, part: &Statement<'_>) -> bool {
        match self {
            BoundWord::Spaced(token) => {
                let base = base_stem(&token.surface.to_lowercase());
                part.tokens
                    .iter()
                    .any(|t| t.key == token.key || !t.is_han && base_stem(&t.surface.to_lowercase()) == base)
            }
            BoundWord::Han(word) => part.text.contains(word.as_str()),
        }
    }
}

/// Whether a text and a part have a word of content that is no value.
pub(super) fn shares_word(own: &Statement<'_>, part: &Statement<'_>) -> bool {
    words(own).iter().any(|word| word.is_plain() && word.stands_in(part))
}

/// The parts of a text, each with those behind it that begin with a pronoun for a person of it.
pub(super) fn parts_with_pronouns(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in parts(text) {
        match found.last_mut() {
            Some(last) if starts_with_pronoun(part) => last.push_str(part),
            _ => found.push(part.to_owned()),
        }
    }
    found
}

/// Whether a part begins with a pronoun for a person or thing of the part before it.
pub(super) fn starts_with_pronoun(part: &str) -> bool {
    let plain = part.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = plain.split([' ', '\'', '\u{2019}']).next().unwrap_or_default().to_lowercase();
    matches!(first.as_str(), "he" | "she" | "they" | "who" | "which") || plain.starts_with(['他', '她'])
}

/// A text in which each Chinese name with a title, each time of day and each short year is one token: 范老师, 三点半, 19年.
/// Verbs that give another time for the same are left out.
pub(super) fn with_whole_values(text: &str) -> String {
    if !has_unspaced_script(text) {
        return text.to_owned();
    }
    let mut plain = RESCHEDULING.iter().fold(text.to_owned(), |text, verb| text.replace(verb, " "));
    let names: Vec<String> = chinese::titled_names(&plain).map(str::to_owned).collect();
    for name in names {
        let key = name.chars().next().map_or(0, u32::from);
        plain = plain.replace(&name, &format!(" name{key} "));
    }
    super::numbers::with_plain_times(&plain)
}

/// A value of a text with whole values, as the text itself has it: 宋姐.
pub(super) fn as_written(value: &str, text: &str) -> String {
    let first = value.strip_prefix("name").and_then(|key| key.parse().ok()).and_then(char::from_u32);
    let name = first.and_then(|first| chinese::titled_names(text).find(|name| name.starts_with(first)));
    name.unwrap_or(value).to_owned()
}

fn words<'a>(statement: &'a Statement<'a>) -> Vec<BoundWord<'a>> {
    words_of(&statement.tokens, false)
}

/// `with_generic`: also words that say little.
fn words_of<'a>(tokens: &'a [StatementToken<'a>], with_generic: bool) -> Vec<BoundWord<'a>> {
    let mut found = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let close = |run: &mut Vec<&str>, found: &mut Vec<BoundWord<'a>>| {
        if let [one] = run[..] {
            found.push(BoundWord::Han(one.to_owned()));
        }
        found.extend(run.windows(2).map(|pair| BoundWord::Han(pair.concat())));
        run.clear();
    };
    for (i, token) in tokens.iter().enumerate() {
        let follows_number = i > 0 && tokens[i - 1].kind == TokenKind::Number;
        let is_free = || follows_number || GENERIC_CHARS.contains(token.surface);
        if token.is_han && token.kind == TokenKind::Word && !is_free() {
            run.push(token.surface);
            continue;
        }
        close(&mut run, &mut found);
        let is_word = match token.kind {
            TokenKind::Word => !token.is_han && (with_generic || !super::english::is_generic_word(token)),
            TokenKind::Name | TokenKind::Date => true,
            // A verb that is a function word elsewhere: "i own three".
            TokenKind::Filler => with_generic && token.surface == "own",
            TokenKind::Number | TokenKind::Negation => false,
        };
        if is_word {
            found.push(BoundWord::Spaced(token));
        }
    }
    close(&mut run, &mut found);
    found
}

/// Characters that are no words of content by themselves.
const GENERIC_CHARS: &str = "我你他她它们这那个有用要来去到从和与及或在为以于之所每各约共人跟由给归";

/// The parts of a text: between punctuation marks, and beside "and" and the like. A part that names only a value, as
/// in "Tuesday and Friday", belongs to the one before it.
fn parts(text: &str) -> Vec<&str> {
    const CONJUNCTIONS: [&str; 10] =
        [" and ", " but ", " while ", " whereas ", " with ", " plus ", " so ", " because ", " since ", " instead of "];
    let mut cuts = vec![0];
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        let is_in_number =
            || text[..at].ends_with(|c: char| c.is_ascii_digit()) && after.starts_with(|c: char| c.is_ascii_digit());
        let cuts_here = match c {
            ',' | ':' => !is_in_number(),
            '.' => after.is_empty() || after.starts_with([' ', '\n']),
            ';' | '!' | '?' | '(' | ')' | '—' | '–' | '\n' => true,
            '，' | '。' | '；' | '！' | '？' | '、' | '（' | '）' | '：' => true,
            '而' => after.starts_with(is_unspaced),
            _ => false,
        };
        if cuts_here {
            cuts.push(at + c.len_utf8());
        }
        if c == ' '
            && CONJUNCTIONS
                .iter()
                .any(|word| text[at..].get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word)))
        {
            cuts.push(at);
        }
    }
    cuts.push(text.len());
    let mut found: Vec<&str> = Vec::new();
    let mut start = 0;
    for pair in cuts.windows(2) {
        let part = &text[pair[0]..pair[1]];
        let statement = Statement::of(part);
        let words = words_of(&statement.tokens, true);
        let has_word =
            words.iter().any(|word| !matches!(word, BoundWord::Spaced(token) if value_kind(token).is_some()));
        let mut kinds: Vec<BoundValueKind> = statement.tokens.iter().filter_map(value_kind).collect();
        kinds.dedup();
        // "Emil algebra": a word that is no common one is no second name.
        let is_name = |t: &StatementToken<'_>| t.kind == TokenKind::Name;
        let is_rare = |t: &StatementToken<'_>| t.kind == TokenKind::Word && value_kind(t).is_some();
        // "the showroom in Breda": beside a value it is a thing.
        let has_thing = || {
            let is_value = |t: &StatementToken<'_>| t.kind != TokenKind::Word && value_kind(t).is_some();
            statement.tokens.iter().any(is_rare) && statement.tokens.iter().any(is_value)
        };
        let has_word =
            has_word || has_thing() || statement.tokens.windows(2).any(|two| is_name(&two[0]) && is_rare(&two[1]));
        match found.last_mut() {
            Some(last) if !has_word && kinds.len() < 2 && !part.contains("then ") && !part.contains("now ") => {
                *last = &text[start..pair[1]]
            }
            _ => {
                start = pair[0];
                found.push(part);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_with_its_words() {
        let check = |text: &str, source: &str, expected: Option<&str>| {
            assert_eq!(moved_value(text, &[source]).as_deref(), expected, "{text} / {source}");
        };
        check("Mia is 7", "Mia is 4 and Leo is 7", Some("7"));
        check("Leo is 7", "Mia is 4 and Leo is 7", None);
        check("Has three dogs", "I have two cats and three dogs", None);
        check("Bruno chairs the council", "Katrin chairs the council, Bruno does the minutes", Some("Bruno"));
        check("User's editor is Paula", "my editor is Dorthe, Paula only wants a quote", Some("Paula"));
        check("Bruno does the minutes", "Katrin chairs the council, Bruno does the minutes", None);
        check("The shop is closed on Mondays", "closed on Tuesdays, on Mondays we do deliveries", Some("Mondays"));
        check("The release is on 3 May", "code freeze on 3 May, release on the 10th", Some("3"));
        let started = "I enrolled as a student in May 2021, began teaching in March 2022";
        check("Enrolled as a student in March 2022", started, Some("March"));
        check("Began teaching in March 2022", started, None);
        check("Owns 40 services", "we have 40 services and I own three", Some("40"));
        check("The backend is in Svelte", "The frontend is in Svelte and the backend in Elixir", Some("Svelte"));
        check("Has choir on Fridays", "choir is on Tuesdays and Fridays", None);
        check("预发有6个节点", "预发2个节点，生产6个节点", Some("6"));
        check("生产有6个节点", "预发2个节点，生产6个节点", None);
    }
}
