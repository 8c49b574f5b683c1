//! Recognises telephone numbers and numbers of identity documents by their form, without a label.
//!
//! Never decides whose number it is, except that a hotline is no person's. Numbers of orders, ports, versions and the
//! like do not count, nor do dates, prices, ISBN and hashes.

use number_runs::{NumberRun, number_runs};

use crate::text::phrase::word_tokens;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

mod number_runs;

const KINDS: WordList = word_list!("guards/numbers/kinds.en.txt");
const HAN_KINDS: PhraseList = phrase_list!("guards/numbers/kinds.zh.txt");
const FILLERS: WordList = word_list!("guards/numbers/fillers.en.txt");
const PHONE_CUES: WordList = word_list!("guards/numbers/phone_cues.txt");
const HAN_PHONE_CUES: PhraseList = phrase_list!("guards/numbers/phone_cues.zh.txt");
const HOTLINES: WordList = word_list!("guards/numbers/hotlines.txt");
const HAN_HOTLINES: PhraseList = phrase_list!("guards/numbers/hotlines.zh.txt");
const OWNERS: WordList = word_list!("guards/numbers/owners.txt");
const DOCUMENT_CUES: WordList = word_list!("guards/numbers/document_cues.txt");
const DOCUMENT_PHRASES: PhraseList = phrase_list!("guards/numbers/document_phrases.en.txt");
const HAN_DOCUMENT_CUES: PhraseList = phrase_list!("guards/numbers/document_cues.zh.txt");

/// How many words may stand between a number and a word that says what it is.
const CUE_DISTANCE: usize = 5;
/// The digits of a number with its country code (ITU-T E.164).
const INTERNATIONAL_DIGITS: std::ops::RangeInclusive<usize> = 8..=15;
/// The digits of a number without it.
const NATIONAL_DIGITS: std::ops::RangeInclusive<usize> = 9..=12;
/// The digits of a number beside a word for telephones, without the area code.
const LOCAL_DIGITS: std::ops::RangeInclusive<usize> = 6..=12;
/// The length of a document's number beside a word for documents.
const DOCUMENT_LENGTH: std::ops::RangeInclusive<usize> = 7..=14;

/// Whether a sentence contains a telephone number of a person.
pub(super) fn has_phone_number(sentence: &str) -> bool {
    let is_number = |run: &NumberRun<'_>| {
        is_international(run)
            || !is_other_kind(run)
                && (is_national(run) || has_phone_cue(run) && run.counts(LOCAL_DIGITS) && !run.is_date())
    };
    number_runs(sentence).iter().any(is_number) && !is_hotline(sentence)
}

/// Whether a sentence contains the number of an identity document of a person.
pub(super) fn has_document_number(sentence: &str) -> bool {
    number_runs(sentence).iter().any(|run| !is_other_kind(run) && is_numeric_document(run))
        || has_insurance_number(sentence)
        || has_cued_document(sentence)
}

/// "+49 151 23456789", "0049 151 23456789".
fn is_international(run: &NumberRun<'_>) -> bool {
    let digits = run.digits();
    let is_amount = digits.ends_with("000000") || run.is_decimal() || run.is_date() || run.has_currency();
    let rest = match run.has_plus {
        true => digits.as_str(),
        false if run.groups.len() > 1 => digits.strip_prefix("00").unwrap_or_default(),
        false => "",
    };
    // "+1234567890 -12" of a diff is no number; without spaces it needs more digits.
    let least = if run.groups.len() == 1 { 10 } else { *INTERNATIONAL_DIGITS.start() };
    rest.starts_with(|c| c != '0') && (least..=*INTERNATIONAL_DIGITS.end()).contains(&rest.len()) && !is_amount
}

/// The usual ways to write a number without its country code: a mobile number of China, an American one, and one that
/// starts with a zero.
fn is_national(run: &NumberRun<'_>) -> bool {
    if run.groups.iter().any(|group| is_chinese_mobile(group))
        || run.groups.len() == 3 && is_chinese_mobile(&run.digits())
    {
        return true;
    }
    let lengths: Vec<usize> = run.groups.iter().map(|group| group.len()).collect();
    let american = lengths == [3, 3, 4] || lengths == [1, 3, 3, 4] && run.groups[0] == "1";
    if american && run.has_separator(['-', '(']) && !run.has_separator(['.', '/']) {
        return true;
    }
    let digits = run.digits();
    let is_zoned = digits.starts_with('0') && !digits.starts_with("00") && !run.has_separator(['.']);
    let is_grouped = match lengths[..] {
        // Hours: 0900 1200 1700.
        [4, 4, 4] => false,
        [4, 3, 3] | [2, 2, 2, 2, 2] => true,
        [first, .., last] => (3..=5).contains(&first) && last >= 4,
        _ => false,
    };
    is_zoned && is_grouped && run.counts(NATIONAL_DIGITS)
}

fn is_chinese_mobile(digits: &str) -> bool {
    let digits = digits.strip_prefix("86").unwrap_or(digits);
    digits.len() == 11 && digits.starts_with('1') && matches!(digits.as_bytes()[1], b'3'..=b'9')
}

/// A resident's number of China, a social security number of the USA.
fn is_numeric_document(run: &NumberRun<'_>) -> bool {
    let lengths: Vec<usize> = run.groups.iter().map(|group| group.len()).collect();
    let is_security_number = lengths == [3, 2, 4]
        && run.has_separator(['-'])
        && !run.has_separator(['.', '/', '('])
        && !run.groups[0].starts_with('9')
        && !matches!(run.groups[0], "000" | "666");
    is_security_number || run.groups.iter().any(|group| is_chinese_resident(group))
}

/// 17 digits with a region and a day of birth, and a digit or X.
fn is_chinese_resident(group: &str) -> bool {
    let digit_count = group.trim_end_matches(['X', 'x']).len();
    if group.len() != 18 || digit_count < 17 {
        return false;
    }
    let number = |range: std::ops::Range<usize>| group[range].parse::<u32>().unwrap_or_default();
    (11..=82).contains(&number(0..2))
        && (1900..=2035).contains(&number(6..10))
        && (1..=12).contains(&number(10..12))
        && (1..=31).contains(&number(12..14))
}

/// A national insurance number of Britain: QQ 12 34 56 C.
fn has_insurance_number(sentence: &str) -> bool {
    let tokens: Vec<&str> = sentence.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let is = |token: &str, letters: usize, digits: usize, last: bool| {
        let bytes = token.as_bytes();
        bytes.len() == letters + digits + usize::from(last)
            && bytes[..letters].iter().all(u8::is_ascii_uppercase)
            && bytes[letters..letters + digits].iter().all(u8::is_ascii_digit)
            && (!last || (b'A'..=b'D').contains(&bytes[letters + digits]))
    };
    let spaced = |part: &[&str]| {
        is(part[0], 2, 0, false)
            && part[1..4].iter().all(|two| is(two, 0, 2, false))
            && matches!(part[4], "A" | "B" | "C" | "D")
    };
    tokens.windows(5).any(spaced) || tokens.iter().any(|token| is(token, 2, 6, true))
}

/// "My passport is C01X00T47", 护照E12345678: capitals and digits beside a word for a document.
fn has_cued_document(sentence: &str) -> bool {
    let words = word_tokens(sentence);
    let cued: Vec<usize> = words
        .iter()
        .enumerate()
        .filter(|(at, word)| {
            let next = words.get(at + 1).map_or("", |next| next.text.as_str());
            DOCUMENT_CUES.contains(&word.text)
                || DOCUMENT_PHRASES.iter().any(|phrase| phrase == format!("{} {next}", word.text))
        })
        .map(|(_, word)| word.at)
        .collect();
    let is_cued = |at: usize| {
        let between = |cue: &usize| {
            let (from, to) = if *cue < at { (*cue, at) } else { (at, *cue) };
            word_tokens(&sentence[from..to]).len() <= CUE_DISTANCE + 1
        };
        cued.iter().any(between) || HAN_DOCUMENT_CUES.iter().any(|cue| sentence[..at].contains(cue))
    };
    document_tokens(sentence)
        .any(|(at, token)| is_document_token(token) && is_cued(at) && !named_otherwise(&sentence[..at]))
}

/// The runs of letters, digits and the signs that join parts of one name, with their byte offsets.
fn document_tokens(sentence: &str) -> impl Iterator<Item = (usize, &str)> {
    let parts = sentence.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '_' | '/' | ':' | '#'));
    parts.map(move |part| {
        let token = part.trim_end_matches(['.', ':', '-']);
        (part.as_ptr() as usize - sentence.as_ptr() as usize, token)
    })
}

fn is_document_token(token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let plain = token.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let is_day = digits == 8 && token.len() == 8 && (token.starts_with("19") || token.starts_with("20"));
    plain && digits >= 5 && DOCUMENT_LENGTH.contains(&token.len()) && !is_day
}

/// Whether the words before a number say that it is of another kind.
fn is_other_kind(run: &NumberRun<'_>) -> bool {
    named_otherwise(run.before) || run.has_currency() || run.before.ends_with('#')
}

fn named_otherwise(before: &str) -> bool {
    let han = before.trim_end_matches(|c: char| !c.is_alphanumeric()).trim_end_matches(['号', '为', '是', '码']);
    if HAN_KINDS.iter().any(|kind| han.ends_with(kind) || han.ends_with(kind.trim_end_matches('号'))) {
        return true;
    }
    let words = word_tokens(before);
    let named = words.iter().rev().find(|word| !FILLERS.contains(&word.text));
    named.is_some_and(|word| KINDS.contains(&word.text))
}

fn has_phone_cue(run: &NumberRun<'_>) -> bool {
    if run.is_decimal() || run.has_separator(['.']) {
        return false;
    }
    let before = word_tokens(run.before);
    let after = word_tokens(run.after);
    let near = before.iter().rev().take(CUE_DISTANCE).chain(after.iter().take(CUE_DISTANCE));
    let is_han_cue = |cue: &str| {
        run.before.ends_with(cue) || run.before.trim_end_matches([' ', '：', ':', '是', '号', '码']).ends_with(cue)
    };
    near.into_iter().any(|word| PHONE_CUES.contains(&word.text))
        || HAN_PHONE_CUES.iter().any(is_han_cue)
        || run.counts(NATIONAL_DIGITS) && after.iter().take(CUE_DISTANCE).any(|word| word.text == "mine")
}

/// Whether a sentence is about the number of an organisation, and not the user's.
fn is_hotline(sentence: &str) -> bool {
    let words = word_tokens(sentence);
    let is_owned = words.iter().any(|word| OWNERS.contains(&word.text)) || sentence.contains('我');
    !is_owned
        && (words.iter().any(|word| HOTLINES.contains(&word.text))
            || HAN_HOTLINES.iter().any(|word| sentence.contains(word)))
}

#[cfg(test)]
mod tests;
