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
/// Words before the verb of a request.
const REQUEST_FILLERS: [&str; 18] = [
    "please", "pls", "plz", "now", "then", "so", "and", "but", "also", "hey", "hi", "just", "quickly", "ok", "well",
    "to", "quick", "kindly",
];

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
    let is_arrow = ["->", "→", "=>", "<-", "←", "⇒", ">>", "--"].iter().any(|arrow| low.starts_with(arrow));
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
        let names =
            ["AI 助手", "AI助手", "智能体", "大模型", "语言模型", "助手们", "AI 代理", "AI代理", "机器人们", "读到这"];
        let orders = ["请注意", "必须", "务必", "应当", "请记", "须", "请把", "请将", "注意："];
        return names.iter().any(|name| line.contains(name)) && orders.iter().any(|order| line.contains(order));
    }
    let words = words_of(line);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let names =
        has(&["ai", "ais", "llm", "llms", "assistants", "agents", "chatbots", "bots", "gpt", "claude", "chatgpt"]);
    let orders = has(&["must", "should", "shall", "note", "remember", "instructed", "required"]);
    names
        && orders
        && has(&[
            "reading",
            "reads",
            "processing",
            "parsing",
            "summarizing",
            "summarising",
            "note",
            "ai",
            "llm",
            "llms",
        ])
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
