//! Recognises letters that are not typed: hidden ones, and look-alikes of others within a word.
//!
//! Never concerns emoji, and scripts that join their letters with invisible characters.

/// Whether a line has hidden characters within words, letters of two alphabets within a word, or words in fullwidth
/// letters.
pub(super) fn has_disguised_letters(line: &str) -> bool {
    if line.is_ascii() {
        return false;
    }
    has_hidden(line) || line.split(|c: char| !c.is_alphanumeric()).any(mixes_alphabets) || is_fullwidth(line)
}

/// The characters of Unicode's tags, which spell ASCII invisibly; and those of no width, or of direction, beside
/// letters of the Latin alphabet or Han characters.
fn has_hidden(line: &str) -> bool {
    let is_tag = |c: char| ('\u{E0020}'..='\u{E007E}').contains(&c);
    let is_direction = |c: char| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let is_thin =
        |c: char| matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2064}' | '\u{00AD}' | '\u{FEFF}' | '\u{180E}');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '<' || ('\u{4E00}'..='\u{9FFF}').contains(&c);
    // A flag of a region is a black flag with tags behind it.
    if line.chars().any(is_tag) && !line.contains('\u{1F3F4}') || line.chars().any(is_direction) {
        return true;
    }
    let chars: Vec<char> = line.chars().collect();
    chars.windows(2).any(|pair| is_plain(pair[0]) && is_thin(pair[1]) || is_thin(pair[0]) && is_plain(pair[1]))
}

/// Whether a word has Latin letters, and Cyrillic or Greek ones that look like them.
fn mixes_alphabets(word: &str) -> bool {
    let is_latin = |c: char| c.is_ascii_alphabetic();
    let is_alike = |c: char| {
        matches!(c, '\u{0400}'..='\u{052F}' | '\u{0370}'..='\u{03FF}')
            && !matches!(c, 'µ' | 'μ' | 'λ' | 'π' | 'Δ' | 'Ω' | 'α' | 'β')
    };
    word.chars().any(is_latin) && word.chars().any(is_alike)
}

/// Whether a line has a run of four fullwidth letters.
fn is_fullwidth(line: &str) -> bool {
    let is_wide = |c: &char| matches!(c, '\u{FF21}'..='\u{FF3A}' | '\u{FF41}'..='\u{FF5A}');
    let mut run = 0;
    line.chars().any(|c| {
        run = if is_wide(&c) { run + 1 } else { 0 };
        run >= 4
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_nobody_types_are_seen() {
        for line in [
            "sys\u{200b}tem",
            "the аgent must",
            "＃ ＣＬＡＵＤＥ．ｍｄ",
            "x\u{E0049}\u{E0067}",
            "a \u{202e}b",
            "用\u{200b}户",
        ] {
            assert!(has_disguised_letters(line), "{line:?}");
        }
        for line in ["👩‍💻 and I", "naïve café", "Привет, мир", "λx and µm", "用户：Ａ 组", "می‌خواهم", "5 μm"]
        {
            assert!(!has_disguised_letters(line), "{line:?}");
        }
    }
}
