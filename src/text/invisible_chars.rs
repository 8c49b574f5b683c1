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

/// Whether a character may be shown as nothing: soft hyphen, fillers of Hangul and Khmer, Mongolian selectors, signs of
/// musical notation. Not among those of [`is_invisible`], because texts in these scripts need them.
pub fn is_filler(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{3164}' | '\u{ffa0}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0080}'..='\u{e0fff}')
}

/// Whether a character joins or parts the glyphs beside it: emoji and some scripts need it.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}
