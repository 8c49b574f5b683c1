//! Blanks memdir's own `pin=yes` in metadata lines before a search for passwords, to which the rest of such a line
//! reads like a PIN.
//!
//! Never changes the length of a text, so that places in it stay.

use std::borrow::Cow;

/// How a metadata line begins, after its indentation.
const METADATA: &str = "<!-- mem ";
/// The flag, `MetaKey::Pin`.
const FLAG: &str = " pin=";
/// The values of the key, in any case; another is no flag.
const VALUES: [&str; 6] = ["true", "yes", "on", "false", "no", "off"];

/// The text with spaces in place of each such key and value.
pub fn blank_pins(text: &str) -> Cow<'_, str> {
    if !text.contains(FLAG) {
        return Cow::Borrowed(text);
    }
    let mut blanked = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.split_once(FLAG).filter(|_| line.trim_start().starts_with(METADATA)) {
            Some((before, after)) => {
                let value = after.split_whitespace().next().filter(|_| !after.starts_with(char::is_whitespace));
                let known = value.filter(|value| VALUES.iter().any(|known| known.eq_ignore_ascii_case(value)));
                let blank = known.map_or(0, |value| FLAG.len() + value.len());
                blanked.push_str(before);
                blanked.extend(std::iter::repeat_n(' ', blank));
                blanked.push_str(&line[before.len() + blank..]);
            }
            None => blanked.push_str(line),
        }
    }
    Cow::Owned(blanked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_flags_of_metadata_are_blanked() {
        let check = |text: &str, expected: &str| assert_eq!(blank_pins(text), expected);
        check(
            "- a\n  <!-- mem pin=yes added=2025-01-02 -->\n- b\n",
            "- a\n  <!-- mem         added=2025-01-02 -->\n- b\n",
        );
        check("<!-- mem id=x pin=True -->", "<!-- mem id=x          -->");
        for text in
            ["- My pin=yes 4821", "<!-- pin=yes 4821 -->", "<!-- mem pin=4821 -->", "<!-- mem pin= 4821 -->", ""]
        {
            check(text, text);
        }
    }
}
