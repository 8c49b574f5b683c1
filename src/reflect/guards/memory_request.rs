//! Finds requests to remember something that consist of nothing else: "save that for next time", 帮我存下来.
//!
//! Never takes part of a longer clause for one: "save the document" has a word that no such request has. What is
//! requested stands in the same sentence or beside it; `consent` decides which.

use crate::text::phrase::word_tokens;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

/// Words for keeping something in mind or in a file.
const STORING_WORDS: WordList = word_list!("guards/consent/storing.en.txt");
/// All other words of such a request.
const REQUEST_WORDS: WordList = word_list!("guards/consent/request_words.en.txt");
/// Words with which "I" makes a request: "I want it remembered".
const WISHES: WordList = word_list!("guards/consent/wishes.en.txt");
/// Words before a clause that is to be remembered: "note that I …".
const CLAUSE_OPENINGS: [&str; 7] = ["that", "how", "where", "what", "who", "i", "my"];
const HAN_STORING_WORDS: PhraseList = phrase_list!("guards/consent/storing.zh.txt");
/// Chinese verbs that ask for a memory, longer ones first: a shorter one may begin a longer.
const HAN_REQUEST_WORDS: PhraseList = phrase_list!("guards/consent/request_words.zh.txt");

/// Where a request stands in its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestPlace {
    /// Beside what is to be remembered: "note that I …", "I live in Cork, save that".
    Within,
    /// The sentence is nothing else.
    Alone,
}

/// The request in a sentence.
pub(super) fn find_request(sentence: &str) -> Option<RequestPlace> {
    let ends = |c: char| {
        matches!(
            c,
            ',' | ';' | ':' | '(' | ')' | '–' | '—' | '，' | '：' | '；' | '。' | '！' | '？' | '!' | '?' | '.' | '\n'
        )
    };
    let is_dash = |part: &str| part.split(" - ").map(str::trim).map(str::to_owned).collect::<Vec<_>>();
    let parts: Vec<String> =
        sentence.split(ends).flat_map(is_dash).filter(|part| part.chars().any(char::is_alphanumeric)).collect();
    // "Remember:", above a list.
    let is_lead = sentence.trim_end().strip_suffix(':').is_some_and(|lead| {
        matches!(lead.trim().to_lowercase().as_str(), "remember" | "memorize" | "memorise" | "please remember")
    });
    let found = is_lead || parts.iter().any(|part| is_request(part));
    let is_rest_idle = parts.iter().all(|part| is_idle(part));
    match (found, is_rest_idle) {
        (false, _) => None,
        (true, true) => Some(RequestPlace::Alone),
        (true, false) => Some(RequestPlace::Within),
    }
}

fn is_request(part: &str) -> bool {
    if part.chars().any(is_unspaced) {
        return is_han_request(part);
    }
    let words: Vec<String> = word_tokens(part).into_iter().map(|w| w.text).collect();
    // "note that I live …": the request ends before the clause.
    let opens = |at: &usize| *at > 0 && CLAUSE_OPENINGS.contains(&words[*at].as_str());
    let ends = (1..words.len()).filter(opens).chain([words.len()]);
    ends.into_iter().any(|end| {
        let request = &words[..end];
        let is_wish = request.iter().any(|w| WISHES.contains(w));
        let speaks = request.iter().any(|w| matches!(w.as_str(), "i" | "we"));
        request.iter().any(|w| STORING_WORDS.contains(w))
            && request.iter().all(|w| STORING_WORDS.contains(w) || REQUEST_WORDS.contains(w) || WISHES.contains(w))
            && (!speaks || is_wish)
            && (request.len() > 1 || words.get(end).is_some_and(|word| word == "that"))
    })
}

/// Whether a part of a sentence says nothing of its own: a request alone, "please", "will you".
fn is_idle(part: &str) -> bool {
    if part.chars().any(is_unspaced) {
        return strip_han_words(part).is_empty();
    }
    word_tokens(part)
        .iter()
        .all(|w| REQUEST_WORDS.contains(&w.text) || STORING_WORDS.contains(&w.text) || WISHES.contains(&w.text))
}

fn is_han_request(part: &str) -> bool {
    let plain: String = part.chars().filter(|c| c.is_alphanumeric()).collect();
    HAN_STORING_WORDS.iter().any(|word| plain.contains(word)) && strip_han_words(&plain).is_empty()
}

/// A text without the words of a request.
fn strip_han_words(text: &str) -> String {
    let lists = [HAN_STORING_WORDS, HAN_REQUEST_WORDS];
    let (mut rest, mut left) = (text, String::new());
    while let Some(c) = rest.chars().next() {
        let known = lists.iter().flat_map(|list| list.iter()).filter(|word| rest.starts_with(word)).map(str::len).max();
        match known {
            Some(length) => rest = &rest[length..],
            None => {
                if c.is_alphanumeric() {
                    left.push(c);
                }
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_consist_of_nothing_else() {
        use RequestPlace::*;
        for (text, expected) in [
            ("I go by Lou, save that for next time, will you.", Some(Within)),
            ("Please commit that to memory.", Some(Alone)),
            ("Keep this one: I speak Welsh", Some(Within)),
            ("I want it remembered that I speak Welsh", Some(Within)),
            ("Save the document before you exit.", None),
            ("Record a macro for me.", None),
            ("I remember that I lived in Bergen", None),
            ("叫我小北就行，帮我存下来。", Some(Within)),
            ("这条留着：我叫大刘。", Some(Within)),
            ("帮我录个宏。", None),
            ("退出前先保存文档。", None),
        ] {
            assert_eq!(find_request(text), expected, "{text}");
        }
    }
}
