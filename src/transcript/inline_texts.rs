//! Finds where a text begins on the line of the request about it, without a colon: "translate to French I live in
//! Rome".
//!
//! Never takes the rest of the author's sentence for a text: "translate to French because my guests …".

use super::pasted_leads::has_han;
use super::text_requests::request_tokens;
use crate::text::phrase::{PhrasePatterns, word_tokens};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

static REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/language_requests.en.txt"));
static HAN_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/language_requests.zh.txt"));
const CONTINUATIONS: WordList = word_list!("transcript/continuations.en.txt");
const HAN_CONTINUATIONS: PhraseList = phrase_list!("transcript/continuations.zh.txt");

/// Minimum length of a text, in words or Chinese characters.
const MIN_TEXT_WORDS: usize = 3;
const MIN_TEXT_HAN: usize = 4;

/// Where the text begins in a line, in bytes. Behind a full stop there is one only if the message has no other line
/// that the request may be about.
pub(super) fn text_behind_request(line: &str, is_only_line: bool) -> Option<usize> {
    let end = request_end(line).or_else(|| han_request_end(line))?;
    let behind = &line[end..];
    let start = behind.find(char::is_alphanumeric)?;
    let is_apart = match behind[..start].trim() {
        "" => start > 0,
        "-" | "–" | "—" => true,
        "." | "。" => is_only_line,
        _ => false,
    };
    (is_apart && is_text(&behind[start..])).then_some(end + start)
}

fn request_end(line: &str) -> Option<usize> {
    let tokens = request_tokens(line);
    let range = REQUESTS.find(&tokens)?;
    let (first, last) = (&tokens[range.start], &tokens[range.end - 1]);
    let end = last.at + last.surface.len();
    // What is in quotation marks is the text itself.
    (!line[first.at..end].contains([',', '.', '?', '!', ';', ':', '"', '“', '‘', '「'])).then_some(end)
}

fn han_request_end(line: &str) -> Option<usize> {
    let range = HAN_REQUESTS.find_unspaced_where(line, |_| true)?;
    // 我平时翻译成英文 tells of the author, 帮我翻译成英文 does not.
    let before = line[..range.start].replace("帮我", "").replace("给我", "");
    (!before.contains(['我', '，', ',', '。', '？', '?'])).then_some(range.end)
}

/// Whether what stands behind a request is a text, and not the rest of the sentence.
fn is_text(behind: &str) -> bool {
    if has_han(behind) {
        let length = behind.chars().filter(|c| is_unspaced(*c)).count();
        return length >= MIN_TEXT_HAN && !HAN_CONTINUATIONS.iter().any(|word| behind.starts_with(word));
    }
    let words = word_tokens(behind);
    words.len() >= MIN_TEXT_WORDS && !CONTINUATIONS.contains(&words[0].text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_follows_a_request_for_a_translation() {
        for (line, text) in [
            ("Translate this to French I am diabetic", "I am diabetic"),
            ("please translate into Welsh - we live in Rome", "we live in Rome"),
            ("Translate it to Dutch. I am allergic to nuts", "I am allergic to nuts"),
            ("翻译成英文 我有糖尿病", "我有糖尿病"),
        ] {
            assert_eq!(text_behind_request(line, true).map(|at| &line[at..]), Some(text), "{line}");
        }
        for line in [
            "Translate to French because my guests come from Lyon",
            "Translate the menu to French, I live in Rome",
            "I usually translate to Welsh and I publish on Fridays",
            "Can you translate to Dutch? I live in Utrecht",
            "翻译成法语，因为我的客人来自里昂",
            "我平时翻译成英文 我住在罗马",
        ] {
            assert_eq!(text_behind_request(line, true), None, "{line}");
        }
        assert_eq!(text_behind_request("Translate to Dutch. I am allergic to nuts", false), None);
    }
}
