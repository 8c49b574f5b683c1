//! Detects invisible characters, which can hide text from a person but not from a model.
//!
//! Never removes them; callers decide.

/// Whether a character is invisible or changes the text direction. The zero-width joiner does not count, because emoji
/// need it.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
