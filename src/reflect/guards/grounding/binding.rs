//! Finds a number, a date or a name that a text ties to another thing than its source does: "Mia is 4 and Leo is 7" does
//! not say that Mia is 7.
//!
//! Never parses a sentence: a value belongs to the words of its own part of a sentence, and a word belongs to another
//! value if each part with it has one that the text does not name.

use super::english::{EnglishSources, base_stem, is_uncommon};
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::words::is_unspaced;

/// A part of a sentence: between punctuation marks, or beside a conjunction.
struct SentencePart<'a> {
    statement: Statement<'a>,
    /// The number of the text that it is from.
    source: usize,
}

/// A value of a text, as written, that its sources have only beside other words.
pub(super) fn moved_value(text: &str, sources: &[&str]) -> Option<String> {
    let all: Vec<SentencePart<'_>> = sources
        .iter()
        .enumerate()
        .flat_map(|(source, text)| {
            parts(text).into_iter().map(move |part| SentencePart { statement: Statement::of(part), source })
        })
        .collect();
    let own: Vec<Statement<'_>> = parts(text).into_iter().map(Statement::of).collect();
    own.iter().find_map(|own| own.tokens.iter().find(|value| is_moved(value, own, &all)).map(|t| t.surface.to_owned()))
}

fn is_moved(value: &StatementToken<'_>, own: &Statement<'_>, all: &[SentencePart<'_>]) -> bool {
    let Some(kind) = value_kind(value) else { return false };
    let homes: Vec<usize> = (0..all.len()).filter(|&i| has_value(&all[i].statement, value)).collect();
    // Without a home it is missing or written otherwise, which others report.
    if homes.is_empty() {
        return false;
    }
    let is_taken = |i: usize| {
        let other = |t: &&StatementToken<'_>| value_kind(t) == Some(kind) && !has_value(own, t);
        !homes.contains(&i) && all[i].statement.tokens.iter().any(|t| other(&t))
    };
    if own.tokens.iter().any(|other| is_beside_another(other, kind, &homes, own, all)) {
        return true;
    }
    let own_words = words(own);
    let text = EnglishSources::of_evidence([own.text].into_iter());
    own_words.iter().filter(|word| !word.is_value_of(kind)).any(|word| {
        let with: Vec<usize> = (0..all.len()).filter(|&i| word.stands_in(&all[i].statement)).collect();
        let is_elsewhere = !with.is_empty() && with.iter().all(|&i| is_taken(i));
        // "I have 2 cats and 3 dogs": the second part takes its verb from the first one, so only a part with words of
        // its own that the text leaves out is about something else.
        is_elsewhere
            && with.iter().all(|&i| {
                homes.iter().all(|&home| {
                    all[home].source == all[i].source
                        && (i > home || has_own_words(&all[home].statement, value, own, &text))
                })
            })
    })
}

/// Whether each part with a value has another value of the kind of a second one of the text, which stands elsewhere: "in
/// Graz until 2010, then in Linz", "in Linz until 2010".
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
    let stands = all.iter().any(|part| has_value(&part.statement, other));
    stands
        && homes.iter().all(|&home| {
            let part = &all[home].statement;
            !has_value(part, other) && part.tokens.iter().any(is_rival)
        })
}

/// What a value is: two of one kind exclude each other beside one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoundValueKind {
    Number,
    Year,
    Month,
    Weekday,
    Name,
}

fn value_kind(token: &StatementToken<'_>) -> Option<BoundValueKind> {
    match token.kind {
        TokenKind::Number if token.surface == "one" || token.surface == "一" => None,
        TokenKind::Number => token.key.starts_with(|c: char| c.is_ascii_digit()).then_some(BoundValueKind::Number),
        TokenKind::Date if token.key.starts_with("month") => Some(BoundValueKind::Month),
        TokenKind::Date if token.key.starts_with("weekday") => Some(BoundValueKind::Weekday),
        TokenKind::Date => (token.key.len() == 4).then_some(BoundValueKind::Year),
        TokenKind::Name => Some(BoundValueKind::Name),
        // A name in lower case is no common word.
        TokenKind::Word => (!token.is_han && is_uncommon(token)).then_some(BoundValueKind::Name),
        TokenKind::Filler | TokenKind::Negation => None,
    }
}

fn has_value(statement: &Statement<'_>, value: &StatementToken<'_>) -> bool {
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
    let end = if value.kind == TokenKind::Name { part.tokens.len() } else { at };
    let is_own = |word: &BoundWord<'_>| match word {
        BoundWord::Spaced(token) => {
            let is_same_name = token.kind == TokenKind::Name && has_value(own, token);
            !(text.has_word(&token.key) || is_same_name)
        }
        BoundWord::Han(word) => !own.text.contains(word.as_str()),
    };
    words_of(&part.tokens[..end], true).iter().any(is_own)
}

/// A word of content that a value is bound to.
enum BoundWord<'a> {
    Spaced(&'a StatementToken<'a>),
    /// Two characters, or one that stands alone.
    Han(String),
}

impl BoundWord<'_> {
    fn is_value_of(&self, kind: BoundValueKind) -> bool {
        matches!(self, BoundWord::Spaced(token) if value_kind(token) == Some(kind))
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
const GENERIC_CHARS: &str = "我你他她它们这那个有用要来去到从和与及或在为以于之所每各约共人";

/// The parts of a text: between punctuation marks, and beside "and" and the like. A part that names only a value, as
/// in "Tuesday and Friday", belongs to the one before it.
fn parts(text: &str) -> Vec<&str> {
    const CONJUNCTIONS: [&str; 9] =
        [" and ", " but ", " while ", " whereas ", " with ", " plus ", " so ", " because ", " instead of "];
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
        check("Owns 40 services", "we have 40 services and I own three", Some("40"));
        check("The backend is in Svelte", "The frontend is in Svelte and the backend in Elixir", Some("Svelte"));
        check("Has choir on Fridays", "choir is on Tuesdays and Fridays", None);
        check("预发有6个节点", "预发2个节点，生产6个节点", Some("6"));
        check("生产有6个节点", "预发2个节点，生产6个节点", None);
    }
}
