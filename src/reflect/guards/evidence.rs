//! Whether a quote stands, word for word, in a conversation, and who said it.
//!
//! Never trusts the turn that a model names: the quote decides. White space, quotation marks, dashes, fullwidth forms
//! and letter case may differ; nothing else.

use super::Flaw;
use crate::transcript::{Role, Turn};

/// Letters and digits that a quote has at least; a character of a script without spaces counts twice.
const LEAST: usize = 5;

/// Where a quote stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The turn's number.
    pub turn: usize,
    /// Who spoke.
    pub role: Role,
}

/// Who vouches for a quote: the turn that is named if the quote stands there, else the first of the user's turns, else
/// of the assistant's. What the assistant repeats from `own` (recalled memory, our prompts) is no evidence.
///
/// # Errors
/// `ToolEvidence` where only a tool said it, `InjectedEvidence` where only the host or `own` did, else `NoEvidence`.
pub fn evidence(quote: &str, turn: Option<usize>, turns: &[Turn], own: &[String]) -> Result<Proof, Flaw> {
    let quote = trimmed(quote);
    if weight(&quote) < LEAST {
        return Err(Flaw::NoEvidence);
    }
    let recalled = own.iter().any(|text| holds(&plain(text), &quote));
    let spoken: Vec<&Turn> = turns.iter().filter(|t| holds(&plain(&t.text), &quote)).collect();
    let vouches = |t: &&&Turn| !t.injected && (t.role == Role::User || t.role == Role::Assistant && !recalled);
    let named = spoken.iter().find(|t| vouches(t) && Some(t.number) == turn);
    let by = |role| spoken.iter().filter(vouches).find(|t| t.role == role);
    if let Some(t) = named.or_else(|| by(Role::User)).or_else(|| by(Role::Assistant)) {
        return Ok(Proof { turn: t.number, role: t.role });
    }
    let tool = spoken.iter().any(|t| !t.injected && t.role == Role::Tool);
    match (recalled, tool, spoken.is_empty()) {
        (true, ..) => Err(Flaw::InjectedEvidence),
        (_, true, _) => Err(Flaw::ToolEvidence),
        (.., false) => Err(Flaw::InjectedEvidence),
        _ => Err(Flaw::NoEvidence),
    }
}

/// A quote without the quotation marks and points that a model puts around it.
fn trimmed(quote: &str) -> String {
    let plain = plain(quote);
    plain.trim_matches(|c: char| matches!(c, '"' | '\'' | '.' | ' ' | '「' | '」' | '。')).to_owned()
}

/// One form of a text: white space folded, one kind of quotation mark and dash, no fullwidth forms, lower case.
fn plain(text: &str) -> String {
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

fn weight(quote: &str) -> usize {
    let of = |c: char| if crate::text::words::is_unspaced(c) { 2 } else { 1 };
    quote.chars().filter(|c| c.is_alphanumeric()).map(of).sum()
}

/// Whether a quote stands in a text, and no word is cut at either end.
fn holds(text: &str, quote: &str) -> bool {
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
