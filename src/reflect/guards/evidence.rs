//! Finds the turn of a conversation that contains a quote, word for word.
//!
//! Never trusts the turn number given by a model: the turn must contain the quote. Only white space, quotation marks,
//! dashes, fullwidth forms and letter case may differ.

use super::Violation;
use super::grounding::repeats_tool_output;
use crate::transcript::{MessageParts, Role, Turn};

/// The minimum number of letters and digits in a quote; a character of a script without spaces counts twice. Shorter
/// quotes match almost anywhere.
const MIN_QUOTE_WEIGHT: usize = 5;

/// The turn that contains a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuoteEvidence {
    /// The number of the turn in the conversation, from 1.
    pub turn: usize,
    /// The author of the turn.
    pub role: Role,
}

/// Finds the evidence for a quote: the turn with the number `turn` if it contains the quote, otherwise the first turn
/// of the user that does, otherwise of the assistant. A text that the assistant repeats from `own` (recalled memory,
/// our prompts) is not evidence; nor is a list item in a user's message that is a bullet of `own`, as `memdir read`
/// prints it, nor what the user pasted.
///
/// # Errors
/// `ToolEvidence` if only tool output contains the quote, `PastedEvidence` if only a passage that the user pasted does,
/// `InjectedEvidence` if only injected turns or `own` do, otherwise `NoEvidence`.
pub fn find_evidence(
    quote: &str,
    turn: Option<usize>,
    turns: &[Turn],
    own: &[String],
) -> Result<QuoteEvidence, Violation> {
    let quote = trim_quote(quote);
    // A short answer may be quoted as a whole.
    let is_whole_turn = |t: &Turn| t.role == Role::User && !t.injected && trim_quote(&t.text) == quote;
    if quote_weight(&quote) < MIN_QUOTE_WEIGHT && (quote.is_empty() || !turns.iter().any(is_whole_turn)) {
        return Err(Violation::NoEvidence);
    }
    let recalled = own.iter().any(|text| contains_words(&normalize(text), &quote));
    let containing: Vec<&Turn> = turns.iter().filter(|t| contains_words(&normalize(&t.text), &quote)).collect();
    let own_words = |t: &Turn| t.role == Role::Assistant && !recalled && !repeats_tool(&quote, t, turns);
    let is_printed = |t: &Turn| recalled && is_printed_bullet(&t.text, &quote, own);
    let is_written = |t: &Turn| contains_words(&normalize(&MessageParts::of(&t.text).own), &quote);
    let typed = |t: &Turn| t.role == Role::User && !is_printed(t) && is_written(t);
    let is_evidence = |t: &&&Turn| !t.injected && (typed(t) || own_words(t));
    let named = containing.iter().find(|t| is_evidence(t) && Some(t.number) == turn);
    let by = |role| containing.iter().filter(is_evidence).find(|t| t.role == role);
    if let Some(t) = named.or_else(|| by(Role::User)).or_else(|| by(Role::Assistant)) {
        return Ok(QuoteEvidence { turn: t.number, role: t.role });
    }
    let from_tool = |t: &&Turn| t.role == Role::Tool || t.role == Role::Assistant && repeats_tool(&quote, t, turns);
    let in_tool_output = containing.iter().any(|t| !t.injected && from_tool(t));
    let is_pasted = containing.iter().any(|t| !t.injected && t.role == Role::User);
    match (recalled, in_tool_output, containing.is_empty()) {
        (true, ..) => Err(Violation::InjectedEvidence),
        (_, true, _) => Err(Violation::ToolEvidence),
        _ if is_pasted => Err(Violation::PastedEvidence),
        (.., false) => Err(Violation::InjectedEvidence),
        _ => Err(Violation::NoEvidence),
    }
}

/// Whether a turn of the assistant only repeats what a tool printed, or the user pasted, before it.
pub fn repeats_tool(quote: &str, turn: &Turn, turns: &[Turn]) -> bool {
    let earlier = |role| turns.iter().filter(move |t| t.role == role && !t.injected && t.number < turn.number);
    let messages: Vec<MessageParts> = earlier(Role::User).map(|t| MessageParts::of(&t.text)).collect();
    let pasted = messages.iter().map(|message| message.pasted.as_str()).filter(|text| !text.is_empty());
    let printed = earlier(Role::Tool).map(|t| t.text.as_str()).chain(pasted);
    repeats_tool_output(quote, printed, messages.iter().map(|message| message.own.as_str()))
}

/// Whether every line with the quote is a list item whose text is one of `own`.
fn is_printed_bullet(text: &str, quote: &str, own: &[String]) -> bool {
    let mut lines = text.lines().filter(|line| contains_words(&normalize(line), quote)).peekable();
    let is_bullet = |line: &str| {
        let item = line.trim_start().strip_prefix(['-', '*', '+']).and_then(|rest| rest.strip_prefix(' '));
        item.is_some_and(|item| own.iter().any(|text| normalize(text) == normalize(item)))
    };
    lines.peek().is_some() && lines.all(is_bullet)
}

/// A normalized quote, without the quotation marks and full stops that models put around it.
fn trim_quote(quote: &str) -> String {
    let plain = normalize(quote);
    // A model may quote a list item with its marker.
    let plain = ["- ", "* ", "+ "].iter().find_map(|marker| plain.strip_prefix(marker)).unwrap_or(&plain);
    plain.trim_matches(|c: char| matches!(c, '"' | '\'' | '.' | ' ' | '「' | '」' | '。')).to_owned()
}

/// Normalizes a text for comparison: single spaces, ASCII quotation marks and dashes, no fullwidth forms, lower case.
pub(super) fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2018}' | '\u{2019}' | '\u{201b}' | '`' | '\u{b4}' => out.push('\''),
            '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{ab}' | '\u{bb}' => out.push('"'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
            '\u{2026}' => out.push_str("..."),
            '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {}
            '\u{ff01}'..='\u{ff5e}' => {
                out.extend(char::from_u32(c as u32 - 0xfee0).into_iter().flat_map(char::to_lowercase))
            }
            c if c.is_whitespace() || c.is_control() => {
                if !out.ends_with(' ') && !out.is_empty() {
                    out.push(' ');
                }
            }
            c => out.extend(c.to_lowercase()),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn quote_weight(quote: &str) -> usize {
    let of = |c: char| if crate::text::words::is_unspaced(c) { 2 } else { 1 };
    quote.chars().filter(|c| c.is_alphanumeric()).map(of).sum()
}

/// Whether a text contains a quote, whatever the quotation marks, dashes and spaces.
pub fn is_quoted_in(text: &str, quote: &str) -> bool {
    contains_words(&normalize(text), &normalize(quote))
}

/// Whether a text contains a quote and the quote starts and ends at word boundaries. Both are normalized.
pub(super) fn contains_words(text: &str, quote: &str) -> bool {
    let joins = |a: Option<char>, b: Option<char>| {
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !crate::text::words::is_unspaced(c));
        part(a) && part(b)
    };
    text.match_indices(quote).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + quote.len()..]);
        !joins(before.chars().next_back(), quote.chars().next())
            && !joins(quote.chars().next_back(), after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(number: usize, role: Role, text: &str) -> Turn {
        Turn { number, role, at: None, text: text.to_owned(), injected: false }
    }

    #[test]
    fn what_the_user_pasted_is_not_the_users_word() {
        let find = |text: &str| {
            let turns = [turn(1, Role::User, text), turn(2, Role::Assistant, "So the team uses Bun for scripts.")];
            find_evidence("the team uses Bun for scripts", None, &turns, &[]).map(|p| (p.turn, p.role))
        };
        assert_eq!(find("What do you think?\n\n> The team uses Bun for scripts."), Err(Violation::ToolEvidence));
        assert_eq!(
            find("> The team uses Bun for scripts.\n\nYes, the team uses Bun for scripts."),
            Ok((1, Role::User))
        );
        let alone = [turn(1, Role::User, "```\nThe team uses Bun for scripts.\n```")];
        let found = find_evidence("the team uses Bun for scripts", Some(1), &alone, &[]);
        assert_eq!(found, Err(Violation::PastedEvidence));
    }
}
