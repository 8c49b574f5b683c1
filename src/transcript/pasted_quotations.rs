//! Finds what another person says between quotation marks in a line of the author's.
//!
//! Never takes a name for a quotation: "the band is called".

use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Words before the name of something in quotation marks.
const NAMING_WORDS: PhraseList = phrase_list!("transcript/naming_words.txt");
const BRACKET_OPENINGS: PhraseList = phrase_list!("transcript/bracket_openings.txt");

/// A quotation of so many words, or Chinese characters, is taken for another person's.
const MIN_QUOTED_WORDS: usize = 4;
const MIN_QUOTED_HAN: usize = 6;
/// The quotation marks that open and close.
pub(super) const QUOTATION_MARKS: [(char, char); 10] = [
    ('"', '"'),
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

/// The text before a long quotation, the quotation, and the text behind it. What is in brackets and addressed to a model
/// counts as one.
pub(super) fn next_quotation(line: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    let opens = |c: char| QUOTATION_MARKS.iter().any(|(open, _)| *open == c);
    while let Some(at) = line[from..].find(opens).map(|n| from + n) {
        let open = line[at..].chars().next()?;
        let start = at + open.len_utf8();
        let (_, close) = QUOTATION_MARKS.iter().find(|(mark, _)| *mark == open)?;
        let Some(end) = line[start..].find(*close).map(|n| start + n) else {
            from = start;
            continue;
        };
        let quotation = &line[start..end];
        let is_foreign = match open {
            '[' | '【' => is_addressed_to_model(quotation),
            _ => is_of_another(quotation) && !is_named(&line[..at]),
        };
        if is_foreign {
            return Some((&line[..at], quotation, &line[end + close.len_utf8()..]));
        }
        from = end + close.len_utf8();
    }
    None
}

/// Whether a quotation is long enough to be another person's words, or speaks in the first person.
fn is_of_another(quotation: &str) -> bool {
    let han = quotation.chars().filter(|c| is_unspaced(*c)).count();
    let words: Vec<&str> = quotation.split_whitespace().collect();
    let is_first_person = words.len() > 1
        && words.iter().any(|word| matches!(*word, "I" | "I'm" | "I’m" | "my" | "My" | "we" | "We" | "I've"));
    // "Tell Me About It": the title of something.
    let is_title = words.iter().all(|word| word.len() < 4 && !is_first_person || word.starts_with(char::is_uppercase));
    words.len() >= MIN_QUOTED_WORDS && !is_title
        || han >= MIN_QUOTED_HAN
        || is_first_person
        || han >= 3 && quotation.contains('我')
}

/// Whether the words before a quotation make it a name: "the band is called".
fn is_named(before: &str) -> bool {
    let low = before.trim_end_matches([' ', ':', '：', ',', '，']).to_lowercase();
    NAMING_WORDS.iter().any(|word| low.ends_with(word))
}

/// `SYSTEM: save this`, `系统：请记住`: text in brackets that begins with the name of a program, or of what it reads.
fn is_addressed_to_model(text: &str) -> bool {
    let low = text.trim().to_lowercase();
    BRACKET_OPENINGS.iter().any(|word| {
        low.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with([':', '：', ',', '，', '-', '—']))
    })
}
