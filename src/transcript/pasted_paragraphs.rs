//! Decides on whole paragraphs of a message once its lines are read: what stands between lines of a program, above a
//! closing line that points back, or below a passage without an end.
//!
//! Never gives a line back to the author that shows itself as pasted.

use std::sync::LazyLock;

use super::disguised_letters::has_disguised_letters;
use super::machine_lines::{is_field, is_machine_line, is_numbered_clause, is_page_mark};
use super::own_statements::opens_with_author;
use super::pasted::PastedLines;
use super::pasted_blocks::{is_closing, is_salutation};
use super::pasted_leads::{has_han, names_own_text, words_of};
use super::pasted_requests::{is_pointer, is_request};
use super::text_requests::{TextPlace, TextRequest, ends_with_request, request_in_line};
use crate::text::phrase::{PhrasePatterns, WordToken, word_tokens};
use crate::text::word_list::{PhraseList, phrase_list};

/// What an author writes below a passage: that it has ended, or something else.
static PASSAGE_ENDS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/passage_ends.en.txt"));
static HAN_PASSAGE_ENDS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/passage_ends.zh.txt"));
/// Openings of an author's last paragraph: those that only a message has, then those that a letter has, too.
static ASIDES: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("transcript/asides.en.txt")));
static HAN_ASIDES: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("transcript/asides.zh.txt")));
const SIGN_OFF_OPENINGS: PhraseList = phrase_list!("transcript/sign_off_openings.txt");

/// Maximum length of a closing paragraph of the author's, in lines.
const MAX_CLOSING_LINES: usize = 4;

/// Marks what stands between two lines of a program, and the whole paragraph of a line of a page or with disguised
/// letters: only the author's requests stay.
pub(super) fn spread_in_paragraphs(lines: PastedLines<'_>, pasted: &mut [bool]) {
    let asks = lines.iter().any(|(line, _)| is_request(line));
    let mut at = 0;
    while at < lines.len() {
        let length = lines[at..].iter().take_while(|(line, _)| !line.trim().is_empty()).count();
        let paragraph = at..at + length;
        at += length.max(1);
        let is_machine = |n: &usize| is_machine_line(lines[*n].0);
        let is_disguised = paragraph.clone().any(|n| has_disguised_letters(lines[n].0));
        let (first, last) = (paragraph.clone().find(is_machine), paragraph.clone().rev().find(is_machine));
        let count = |test: fn(&str) -> bool| paragraph.clone().filter(|n| test(lines[*n].0)).count();
        let is_document = count(is_numbered_clause) >= 2;
        // A form: a list of one's own has a lead of one's own, or the message asks for nothing.
        let is_form = asks
            && count(is_field) >= 3
            && count(is_field) + 1 >= paragraph.len()
            && !lines[paragraph.start.saturating_sub(3)..=paragraph.start].iter().any(|(line, _)| is_own_lead(line));
        let reach = match (first, last) {
            _ if is_disguised || is_document || is_form || count(is_page_mark) > 0 => paragraph.clone(),
            (Some(first), Some(last)) => first..last + 1,
            _ => continue,
        };
        for n in reach {
            let is_edge = n == paragraph.start || n + 1 == paragraph.end;
            let is_foreign = is_machine(&n) || has_disguised_letters(lines[n].0);
            pasted[n] |= is_foreign || !is_edge || !is_request(lines[n].0);
        }
    }
}

/// Whether a line leads to the author's own words: `My setup:`.
fn is_own_lead(line: &str) -> bool {
    let Some(lead) = line.trim().strip_suffix([':', '：']) else { return false };
    lead.contains('我') || names_own_text(&words_of(lead))
}

/// Marks the letter between a request and the name below its closing words, or below a dash.
pub(super) fn mark_signed(lines: PastedLines<'_>, pasted: &mut [bool]) {
    let has_text = |n: &usize| !lines[*n].0.trim().is_empty();
    let Some(opening) = (0..lines.len()).find(has_text).filter(|n| is_request(lines[*n].0)) else { return };
    let is_signature = |line: &str| {
        let name = line.trim().strip_prefix(['—', '–', '―']).or_else(|| line.trim().strip_prefix("-- "));
        name.is_some_and(|name| name.split_whitespace().count() <= 4 && name.trim().starts_with(char::is_uppercase))
    };
    let is_end = |n: &usize| is_closing(lines, *n) || is_signature(lines[*n].0);
    if let Some(end) = (opening + 2..lines.len()).rev().find(is_end) {
        (opening + 1..=end).for_each(|n| pasted[n] = true);
    }
}

/// Marks all that stands above a closing line that points back to it, or asks for something to be done with it.
pub(super) fn mark_before_pointer(lines: PastedLines<'_>, pasted: &mut [bool]) {
    let Some(closing) = pointing_line(lines) else { return };
    let above = || (0..closing).filter(|n| !is_blank(lines, *n));
    let is_own = |n: usize| is_first(lines, n) && is_request(lines[n].0);
    if above().any(|n| pasted[n]) || above().any(|n| is_own_lead(lines[n].0)) {
        return;
    }
    (0..closing).filter(|n| !is_own(*n)).for_each(|n| pasted[n] = true);
}

/// Where the passage begins that a request of a line speaks of: in the next line, or the next paragraph.
pub(super) fn requested_passage(lines: PastedLines<'_>, at: usize) -> Option<usize> {
    let line = lines[at].0.trim();
    // "- I let Black do the formatting" is an item of the author's list.
    if line.strip_prefix(['-', '*', '+']).is_some_and(opens_with_author) {
        return None;
    }
    let mut request = request_in_line(line)?;
    // "Make it shorter" may concern the answer before the message.
    request.is_weak |= request.place == TextPlace::Above;
    let has_text = |n: &usize| !is_blank(lines, *n);
    let next = (at + 1..lines.len()).find(has_text)?;
    if line.ends_with([':', '：']) {
        return Some(next);
    }
    let end = (at..lines.len()).find(|n| is_blank(lines, *n)).unwrap_or(lines.len());
    let below = (end..lines.len()).find(has_text);
    let opening = match below {
        // What follows the request on its line, or on a line of its own in its paragraph, is the author's.
        Some(below) if end <= at + 2 || !ends_with_request(line) => below,
        _ => next,
    };
    (fits(request, &lines[opening..]) && !is_aside(lines[opening].0)).then_some(opening)
}

/// The line of the last paragraph, or of the one above the author's aside, that speaks of the text above it.
fn pointing_line(lines: PastedLines<'_>) -> Option<usize> {
    let mut last = (0..lines.len()).rev().find(|n| !is_blank(lines, *n))?;
    let mut first = paragraph_start(lines, last);
    while is_aside(lines[first].0) {
        last = (0..first).rev().find(|n| !is_blank(lines, *n))?;
        first = paragraph_start(lines, last);
    }
    let asks = |n: &usize| {
        let request = request_in_line(lines[*n].0).filter(|request| request.place != TextPlace::Below);
        request.is_some_and(|request| fits(request, &lines[..*n]))
    };
    let near = first.max((last + 1).saturating_sub(MAX_CLOSING_LINES));
    (near..=last).find(asks).or_else(|| is_pointer(lines[last].0).then_some(last))
}

/// Whether lines may be the text that a request speaks of.
fn fits(request: TextRequest, lines: PastedLines<'_>) -> bool {
    let texts = || lines.iter().map(|(line, _)| line.trim()).filter(|line| !line.is_empty());
    let sentences = |line: &str| line.split(['.', '!', '?', '。', '！', '？']).filter(|s| !s.trim().is_empty()).count();
    let is_long = texts().map(sentences).sum::<usize>() > 1;
    let tells_of_author = texts().next().is_some_and(opens_with_author);
    !request.is_weak || is_long && !tells_of_author
}

/// The first line of the paragraph of a line.
fn paragraph_start(lines: PastedLines<'_>, at: usize) -> usize {
    (0..=at).rev().take_while(|n| !is_blank(lines, *n)).last().unwrap_or(at)
}

fn is_blank(lines: PastedLines<'_>, at: usize) -> bool {
    lines[at].0.trim().is_empty()
}

/// How the author goes on with something else in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AsideKind {
    /// "btw I moved", "(I'm a nurse.)"
    OfMessage,
    /// "By the way", "PS": the author of a letter may go on so, too.
    OfLetter,
}

fn aside_in_line(line: &str) -> Option<AsideKind> {
    let inner = line.trim().strip_prefix(['(', '（']);
    if inner.is_some_and(|rest| rest.trim_end_matches(['.', '。']).ends_with([')', '）'])) {
        return Some(AsideKind::OfMessage);
    }
    let line = inner.unwrap_or(line.trim());
    let is_han = has_han(line);
    let opens = |patterns: &PhrasePatterns| {
        if is_han {
            patterns.find_unspaced_where(line, |range| range.start == 0).is_some()
        } else {
            patterns.find(&sentence_tokens(line)).is_some()
        }
    };
    let kinds = if is_han { &HAN_ASIDES } else { &ASIDES };
    kinds.iter().zip([AsideKind::OfMessage, AsideKind::OfLetter]).find(|(patterns, _)| opens(patterns)).map(|(_, k)| k)
}

fn is_aside(line: &str) -> bool {
    aside_in_line(line).is_some()
}

/// Whether the author says in a line that the passage above it has ended: "That was the letter."
fn ends_passage(line: &str) -> bool {
    let line = line.trim();
    if has_han(line) {
        HAN_PASSAGE_ENDS.find_unspaced_where(line, |range| range.start == 0).is_some()
    } else {
        PASSAGE_ENDS.find(&sentence_tokens(line)).is_some()
    }
}

/// The words of the first sentence of a line, and a last one for its end.
fn sentence_tokens(line: &str) -> Vec<WordToken<'_>> {
    let sentence = line.split_inclusive(['.', '!']).next().unwrap_or_default();
    let mut tokens = word_tokens(sentence);
    tokens.push(WordToken { text: "<end>".to_owned(), surface: "", at: sentence.len() });
    tokens
}

/// Where the author's own words begin again below a passage that begins at a line.
pub(super) fn own_tail(lines: PastedLines<'_>, start: usize) -> Option<usize> {
    let last = (start..lines.len()).rev().find(|n| !is_blank(lines, *n))?;
    let closing = paragraph_start(lines, last);
    let asks = |line: &str| request_in_line(line).is_some_and(|request| request.place != TextPlace::Below);
    // A letter may go on with "By the way", but not with what to do with it.
    let asks_below = |n: usize| {
        let mut below = lines[n + 1..=last].iter().map(|(line, _)| *line);
        below.any(|line| asks(line) || ends_passage(line) || aside_in_line(line) == Some(AsideKind::OfMessage))
    };
    let is_own_aside = |n: usize| match aside_in_line(lines[n].0) {
        Some(AsideKind::OfMessage) => true,
        Some(AsideKind::OfLetter) => !is_open_letter(&lines[start..n]) || asks_below(n),
        None => false,
    };
    let returns = |n: usize| {
        let line = lines[n].0;
        let is_closing = n == closing || n == last && !is_verse(&lines[start..n]);
        // Verse and chats may have such a line in the middle of a paragraph.
        let is_edge = n == last || is_blank(lines, n - 1);
        is_edge && ends_passage(line) || is_closing && is_own_aside(n) || n == closing && asks(line)
    };
    (start + 1..=last).find(|n| !lines[*n].1 && !lines[*n].0.trim_start().starts_with('>') && returns(*n))
}

/// Whether lines begin a letter that is not closed.
fn is_open_letter(lines: PastedLines<'_>) -> bool {
    let opens = lines.iter().take(3).any(|(line, _)| is_salutation(line));
    opens && !(0..lines.len()).any(|n| is_closing(lines, n) || has_sign_off(lines[n].0))
}

/// Whether lines are broken as verse or a chat is: none of them ends as a sentence does.
fn is_verse(lines: PastedLines<'_>) -> bool {
    let texts = lines.iter().map(|(line, _)| line.trim()).filter(|line| !line.is_empty());
    !texts.into_iter().any(|line| line.ends_with(['.', '。', '!', '！', '?', '？']))
}

/// Whether a line closes a letter before the name on the same line: "Best, Ruth".
fn has_sign_off(line: &str) -> bool {
    let low = line.trim().to_lowercase();
    SIGN_OFF_OPENINGS
        .iter()
        .any(|words| if words.is_ascii() { low.contains(&format!("{words}, ")) } else { low.contains(words) })
}

/// Returns the closing paragraph to the author, or the last line: it asks for something, below a passage without an
/// end.
pub(super) fn return_closing(lines: PastedLines<'_>, start: usize, is_bounded: bool, pasted: &mut [bool]) {
    let is_blank = |n: usize| lines[n].0.trim().is_empty();
    let Some(last) = (0..lines.len()).rev().find(|n| !is_blank(*n)) else { return };
    let first = (start..=last).rev().take_while(|n| !is_blank(*n)).last().unwrap_or(last);
    let has_passage = |from: usize| (start + 1..from).any(|n| !is_blank(n));
    let is_signed = (first..=last).any(|n| is_closing(lines, n) || has_sign_off(lines[n].0));
    if is_bounded || is_signed || lines[last].1 {
        return;
    }
    let asks = (first..=last).any(|n| is_request(lines[n].0));
    let closing = match asks && has_passage(first) && last - first < MAX_CLOSING_LINES {
        true => first..=last,
        false if is_request(lines[last].0) && has_passage(last) => last..=last,
        false => return,
    };
    closing.for_each(|n| pasted[n] = false);
}

/// Whether no line with text stands above a line.
pub(super) fn is_first(lines: PastedLines<'_>, at: usize) -> bool {
    lines[..at].iter().all(|(line, _)| line.trim().is_empty())
}
