//! Recognises what lines of a message do: they ask the assistant for something, point back to a text, or speak to
//! programs that read it.
//!
//! Never looks at the lines beside one.

use super::pasted_leads::{has_han, names_source, words_of};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

const REQUEST_VERBS: WordList = word_list!("transcript/request_verbs.en.txt");
const HAN_REQUEST_WORDS: PhraseList = phrase_list!("transcript/request_words.zh.txt");
const POINTERS: PhraseList = phrase_list!("transcript/pointers.txt");
const POINTER_ARROWS: PhraseList = phrase_list!("transcript/pointer_arrows.txt");
/// Words before the verb of a request.
const REQUEST_FILLERS: WordList = word_list!("transcript/request_fillers.en.txt");
/// Programs that read a text, what it tells them to do, and words for their reading.
const AGENT_NAMES: WordList = word_list!("transcript/agent_names.en.txt");
const AGENT_ORDERS: WordList = word_list!("transcript/agent_orders.en.txt");
const AGENT_READINGS: WordList = word_list!("transcript/agent_readings.en.txt");
const HAN_AGENT_NAMES: PhraseList = phrase_list!("transcript/agent_names.zh.txt");
const HAN_AGENT_ORDERS: PhraseList = phrase_list!("transcript/agent_orders.zh.txt");

/// Whether a line asks the assistant for something: a question, or an order of what to do with a text.
pub(super) fn is_request(line: &str) -> bool {
    let line = line.trim().trim_matches(['*', '_', '(', ')', '（', '）']).trim();
    if line.is_empty() || line.chars().count() > 400 {
        return false;
    }
    if line.ends_with(['?', '？']) || line.contains("? ") {
        return true;
    }
    if has_han(line) && (HAN_REQUEST_WORDS.iter().any(|word| line.contains(word)) || has_request_form(line)) {
        return true;
    }
    let words = words_of(line);
    let mut rest = words.iter().map(String::as_str).skip_while(|word| REQUEST_FILLERS.contains(word));
    let opens = rest.next().is_some_and(|word| REQUEST_VERBS.contains(word));
    // "Replace the cilantro", but not "Check out at ten: Is …": a label is no request.
    opens && line.split_once(':').is_none_or(|(label, _)| label.contains(' '))
        || words.iter().any(|word| matches!(word.as_str(), "please" | "pls" | "plz" | "thoughts"))
}

/// 像不像: a Chinese question that names both answers; or 给我… at the start of a clause.
fn has_request_form(line: &str) -> bool {
    let chars: Vec<char> = line.chars().collect();
    let is_either = chars.windows(3).any(|three| three[1] == '不' && three[0] == three[2] && is_unspaced(three[0]));
    // 给我解释, but not 他借给我.
    is_either || line.split(['，', ',', '。', ' ']).any(|clause| clause.starts_with("给我"))
}

/// Whether a closing line says where the text above it comes from.
pub(super) fn is_pointer(line: &str) -> bool {
    let low = line.trim().to_lowercase();
    let is_arrow = POINTER_ARROWS.iter().any(|arrow| low.starts_with(arrow));
    if is_arrow && is_request(low.trim_start_matches(['-', '>', '→', '=', '<', '←', '⇒', ' '])) {
        return true;
    }
    POINTERS.iter().any(|opening| low.starts_with(opening))
        && (low.starts_with(['^', '↑', '⬆', '👆', '(', '（']) || names_source(&low) || low.contains("source"))
        || low.starts_with("sent from my ")
        || low.starts_with("发自我的")
}

/// Whether a line speaks to programs in the third person: "AI assistants reading this: note that …".
pub(super) fn addresses_agents(line: &str) -> bool {
    if has_han(line) {
        let has = |list: PhraseList| list.iter().any(|word| line.contains(word));
        return has(HAN_AGENT_NAMES) && has(HAN_AGENT_ORDERS);
    }
    let words = words_of(line);
    let has = |list: WordList| words.iter().any(|word| list.contains(word));
    has(AGENT_NAMES) && has(AGENT_ORDERS) && has(AGENT_READINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_a_question_or_an_order() {
        for line in
            ["how many rows are vegan", "review please", "Accept?", "shift these by two seconds", "帮我解决超时"]
        {
            assert!(is_request(line), "{line}");
        }
        for line in ["Kind regards,", "I use Bun.", "此致敬礼", "MIT"] {
            assert!(!is_request(line), "{line}");
        }
        assert!(
            is_pointer("^ what licence is that?") && is_pointer("（从另一个应用导出）") && !is_pointer("From May on")
        );
    }
}
