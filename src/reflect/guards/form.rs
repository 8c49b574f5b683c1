//! What a text is made of: its length, its characters, and markdown that would be read as structure.
//!
//! Never looks at what the words mean.

use super::{Flaw, Found};

/// Flaws of length, characters and structure.
pub fn form(text: &str, max_chars: usize) -> Vec<Found> {
    let mut found = Vec::new();
    let count = text.chars().count();
    if count > max_chars {
        found.push(Found::new(Flaw::TooLong, &format!("{count} characters")));
    }
    if let Some(c) = text.chars().find(|c| c.is_control() || is_hidden(*c)) {
        found.push(Found::new(Flaw::ControlCharacters, &format!("U+{:04X}", c as u32)));
    }
    found
}

fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
