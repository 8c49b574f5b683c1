//! Splits English and Chinese prose into sentences.
//!
//! Never interprets meaning: whether a period ends a sentence depends on the neighbouring characters and words. Expects
//! text masked by [`super::prose_mask::mask_non_prose`], so that periods in code, quotations and URLs do not count.

use super::word_list::{WordList, word_list};

/// Abbreviations whose period never ends a sentence.
const ABBREVIATIONS: WordList = word_list!("sentences/abbreviations.en.txt");
/// Abbreviations whose period ends a sentence only if a known first word follows.
const COMPANY_ABBREVIATIONS: WordList = word_list!("sentences/company_abbreviations.en.txt");
/// Abbreviations whose period ends a sentence if any capitalized word follows.
const TIME_ABBREVIATIONS: &[&str] = &["etc", "a.m", "p.m"];
/// Words that start a sentence and are not names.
const STARTERS: WordList = word_list!("sentences/starters.en.txt");

/// The sentences of a text, trimmed. Pieces without letters and digits are dropped.
pub fn sentences(prose: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    for (at, c) in prose.char_indices() {
        let after = &prose[at + c.len_utf8()..];
        match c {
            '（' | '(' => depth += 1,
            '）' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = match c {
            '\n' => true,
            '。' | '！' | '？' | '!' | '?' | '.' | '…' if depth > 0 => false,
            '。' | '！' | '？' => true,
            '!' | '?' => after.is_empty() || after.starts_with([' ', '"', '\'', ')', '_']) || unspaced_follows(after),
            '.' => ends_at_period(&prose[start..at], after),
            '…' => starts_capitalized(after.trim_start_matches('…')),
            _ => false,
        };
        if ends {
            out.push(&prose[start..at + c.len_utf8()]);
            start = at + c.len_utf8();
        }
    }
    out.push(&prose[start..]);
    out.into_iter().map(str::trim).filter(|s| s.chars().any(char::is_alphanumeric)).collect()
}

fn unspaced_follows(after: &str) -> bool {
    after.starts_with(super::words::is_unspaced)
}

/// Whether a space and a capitalized word follow; used after an ellipsis.
fn starts_capitalized(after: &str) -> bool {
    after.starts_with(' ') && after.trim_start().starts_with(char::is_uppercase)
}

fn ends_at_period(before: &str, after: &str) -> bool {
    let rest = after.trim_start_matches(['"', '\'', ')', '”', '’', ']']);
    if rest.trim().is_empty() {
        return true;
    }
    if after.starts_with('.') {
        return false;
    }
    if before.ends_with('.') {
        return starts_capitalized(rest);
    }
    if !rest.starts_with(char::is_whitespace) {
        return false;
    }
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(' || c == '_').next().unwrap_or_default();
    let lower = word.to_lowercase();
    let next: String = rest.trim_start().chars().take_while(|c| c.is_alphanumeric()).collect();
    let starts = STARTERS.contains(next.to_lowercase().as_str()) && next.starts_with(char::is_uppercase);
    if is_list_marker(before) || word.chars().filter(|c| c.is_alphabetic()).count() == 1 && word.len() == 1 {
        return false;
    }
    if TIME_ABBREVIATIONS.contains(&lower.as_str()) {
        return next.starts_with(char::is_uppercase);
    }
    if COMPANY_ABBREVIATIONS.contains(&lower) || ABBREVIATIONS.contains(&lower) && lower.len() > 2 {
        return starts;
    }
    let version = lower.starts_with(|c: char| c == 'v' || c.is_ascii_digit())
        && lower.contains('.')
        && !next.starts_with(char::is_uppercase);
    !ABBREVIATIONS.contains(&lower) && !version && (!next.is_empty() || rest.trim_start().starts_with(['_', '(', '"']))
}

/// Whether the text is a list marker such as `1.` without its period.
fn is_list_marker(before: &str) -> bool {
    let before = before.trim();
    !before.is_empty() && before.len() < 3 && before.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(sentences(text), expected, "{text}");
    }

    #[test]
    fn periods_end_sentences_and_abbreviations_do_not() {
        check("Lives in Galway. Sails.", &["Lives in Galway.", "Sails."]);
        check(
            "Dr. J. R. Moreau is in, e.g. Lyon, at 5 p.m. today",
            &["Dr. J. R. Moreau is in, e.g. Lyon, at 5 p.m. today"],
        );
        check("Deploys at 5 p.m. The rest waits", &["Deploys at 5 p.m.", "The rest waits"]);
        check("Python 3.12 and app.toml. uses fish. end", &["Python 3.12 and app.toml.", "uses fish.", "end"]);
        check("It stayed... then left. Wait... Now", &["It stayed... then left.", "Wait...", "Now"]);
    }

    #[test]
    fn chinese_marks_end_sentences_but_not_in_brackets() {
        check("住在上海。养猫！对吗？", &["住在上海。", "养猫！", "对吗？"]);
        check("约三万（含税。不含运费。），多了。", &["约三万（含税。不含运费。），多了。"]);
        check("", &[]);
        check("。。。", &[]);
    }
}
