//! Characters that nobody sees: they can hide words from a person that a model reads.
//!
//! Never says what becomes of them.

/// Characters that turn a line's direction or are not seen at all. The zero-width joiner stays: emoji need it.
pub fn unseen(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
