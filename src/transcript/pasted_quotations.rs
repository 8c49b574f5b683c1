//! Finds what another person says between quotation marks in a line of the author's.
//!
//! Never takes a name for a quotation: "the band is called".

use std::ops::Range;

use super::pasted_leads::{FIRST_PERSON, PERSON_STARTS, has_han, words_of};
use super::text_requests::request_in_line;
use crate::text::phrase::{named_group, named_words};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

/// Words before the name of something in quotation marks.
const NAMING_WORDS: PhraseList = phrase_list!("transcript/naming_words.txt");
/// Verbs with which an author tells what they themselves said.
const OWN_SAYING: WordList = word_list!("transcript/own_saying.en.txt");
const HAN_OWN_SAYING: PhraseList = phrase_list!("transcript/own_saying.zh.txt");
/// Words before 我 as whom something is said to.
const HAN_BEFORE_OBJECT: PhraseList = phrase_list!("transcript/before_object.zh.txt");
/// Words between the author's own text and its words.
const OWN_LEAD_ENDS: WordList = word_list!("transcript/own_lead_ends.en.txt");
const HAN_OWN_LEAD_ENDS: PhraseList = phrase_list!("transcript/own_lead_ends.zh.txt");
const HAN_OWN_QUOTED: PhraseList = phrase_list!("transcript/own_quoted.zh.txt");
const BRACKET_OPENINGS: PhraseList = phrase_list!("transcript/bracket_openings.txt");

/// Minimum length, in words or Chinese characters, of a quotation that is taken for another person's.
const MIN_QUOTED_WORDS: usize = 4;
const MIN_QUOTED_HAN: usize = 6;
/// The quotation marks that open and close.
pub(super) const QUOTATION_MARKS: [(char, char); 11] = [
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('„', '“'),
    ('「', '」'),
    ('『', '』'),
    ('«', '»'),
    ('‘', '’'),
    ('`', '`'),
    ('[', ']'),
    ('【', '】'),
];

/// The text before a long quotation, the quotation, and the text behind it. What is in brackets and addressed to a
/// model counts as one, and so does a short quotation that the line asks about.
pub(super) fn next_quotation(line: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(quoted) = next_quoted(line, from) {
        let (before, quotation, after) = (&line[..quoted.start], &line[quoted.inner.clone()], &line[quoted.end..]);
        let is_foreign = match quoted.open {
            '[' | '【' => is_addressed_to_model(quotation),
            _ if is_named(before) || is_said_by_author(before) => false,
            '\'' => is_asked_about(before, quotation, after),
            _ => is_of_another(quotation) || is_asked_about(before, quotation, after),
        };
        if is_foreign {
            return Some((before, quotation, after));
        }
        from = quoted.end;
    }
    None
}

/// Something between quotation marks, by byte offsets in its line.
struct QuotedRange {
    open: char,
    start: usize,
    inner: Range<usize>,
    end: usize,
}

/// The next text between quotation marks. An apostrophe opens one between words only.
fn next_quoted(line: &str, from: usize) -> Option<QuotedRange> {
    line[from..].char_indices().find_map(|(n, open)| {
        let start = from + n;
        let (_, close) = QUOTATION_MARKS.iter().find(|(mark, _)| *mark == open)?;
        let inner = start + open.len_utf8();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if open == '\'' && is_word(line[..start].chars().next_back()) {
            return None;
        }
        let closes = |at: &usize| open != '\'' || !is_word(line[at + 1..].chars().next());
        let end = line[inner..].match_indices(*close).map(|(n, _)| inner + n).find(closes)?;
        Some(QuotedRange { open, start, inner: inner..end, end: end + close.len_utf8() })
    })
}

/// Whether a line asks for something to be done with a quotation: "How do you say “…” in Italian?"
fn is_asked_about(before: &str, quotation: &str, after: &str) -> bool {
    let length = quotation.split_whitespace().count().max(quotation.chars().filter(|c| is_unspaced(*c)).count());
    let text = if has_han(before) || has_han(after) { "这个" } else { " this " };
    length > 1 && !is_title(quotation) && request_in_line(&format!("{before}{text}{after}")).is_some()
}

/// "Tell Me About It": the title of something.
fn is_title(quotation: &str) -> bool {
    quotation.split_whitespace().all(|word| word.len() < 4 || word.starts_with(char::is_uppercase))
}

/// Whether a quotation is long enough to be another person's words, or speaks in the first person.
fn is_of_another(quotation: &str) -> bool {
    let han = quotation.chars().filter(|c| is_unspaced(*c)).count();
    let words: Vec<&str> = quotation.split_whitespace().collect();
    let is_first_person = words.len() > 1
        && words.iter().any(|word| matches!(*word, "I" | "I'm" | "I’m" | "my" | "My" | "we" | "We" | "I've"));
    words.len() >= MIN_QUOTED_WORDS && !is_title(quotation)
        || han >= MIN_QUOTED_HAN
        || is_first_person
        || han >= 3 && quotation.contains('我')
}

/// Whether the words before a quotation make it a name: "the band is called".
fn is_named(before: &str) -> bool {
    let low = before.trim_end_matches([' ', ':', '：', ',', '，']).to_lowercase();
    NAMING_WORDS.iter().any(|word| low.ends_with(word))
}

/// Whether the words before a quotation say that its words are the author's own: "and I go", 我当场来了句.
fn is_said_by_author(before: &str) -> bool {
    let plain = before.trim_end_matches([' ', ':', '：', ',', '，']);
    let clause = plain.rsplit([',', '，', '.', '。', ';', '；', '!', '！', '?', '？']).next().unwrap_or(plain);
    if has_han(clause) {
        let Some((lead, said)) = clause.rsplit_once('我') else { return false };
        if is_own_han_text(said) {
            return true;
        }
        let is_object = HAN_BEFORE_OBJECT.iter().any(|word| lead.ends_with(word));
        return !is_object
            && !said.contains(['他', '她', '的', '们'])
            && HAN_OWN_SAYING.iter().any(|verb| said.ends_with(verb));
    }
    let words = words_of(clause);
    let subject = words.iter().rposition(|word| FIRST_PERSON.contains(word));
    // "I told him", "I just said", but not "my boss said".
    names_own_text_before(&words)
        || subject.is_some_and(|at| {
            let said = &words[at + 1..];
            (1..=MAX_SAYING_WORDS).contains(&said.len()) && said.iter().take(2).any(|word| OWN_SAYING.contains(word))
        })
}

/// So many words may stand between an author and what they said: "I just told him".
const MAX_SAYING_WORDS: usize = 6;

/// Whether words end in a text of the author's: "my commit message", "my bio says".
fn names_own_text_before(words: &[String]) -> bool {
    let Some(owner) = words.iter().rposition(|word| matches!(word.as_str(), "my" | "our")) else { return false };
    let texts = named_words("own_texts");
    let noun = words[owner + 1..].iter().take(MAX_BEFORE_OWN).position(|word| texts.contains(word));
    noun.is_some_and(|at| {
        let (before, after) = (&words[owner + 1..][..at], &words[owner + 1..][at + 1..]);
        !before.iter().any(|word| word.ends_with("'s")) && after.iter().all(|word| OWN_LEAD_ENDS.contains(word))
    })
}

/// A noun for the author's own text stands so soon behind "my".
const MAX_BEFORE_OWN: usize = 3;

/// Whether what follows 我 is a text of the author's: 的提交信息是.
fn is_own_han_text(said: &str) -> bool {
    let said = HAN_OWN_LEAD_ENDS.iter().find_map(|end| said.strip_suffix(end)).unwrap_or(said);
    let texts = named_group("own_texts").iter().chain(HAN_OWN_QUOTED.iter());
    texts.filter_map(|noun| said.strip_suffix(noun)).any(|between| {
        between.chars().count() <= MAX_HAN_BEFORE_OWN && !between.contains(|c: char| PERSON_STARTS.contains(c))
    })
}

/// So many characters stand between 我 and a text of the author's.
const MAX_HAN_BEFORE_OWN: usize = 4;

/// `SYSTEM: save this`, `系统：请记住`: text in brackets that begins with the name of a program, or of what it reads.
fn is_addressed_to_model(text: &str) -> bool {
    let low = text.trim().to_lowercase();
    BRACKET_OPENINGS.iter().any(|word| {
        low.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with([':', '：', ',', '，', '-', '—']))
    })
}
