//! Spells hints as commands that can be pasted into a shell.
//!
//! Never lets memory text through: a hint with any word that is not plainly an address is dropped.

use crate::code::Hint;

/// A hint as a command; `before` is what the caller wrote before the verb (`-C DIR`), as shell words.
pub fn spell(hint: &Hint, before: &str) -> Option<String> {
    let mut words = vec!["memdir".to_owned()];
    if !before.is_empty() {
        words.push(before.to_owned());
    }
    words.extend(hint.verb.iter().map(|w| (*w).to_owned()));
    for address in hint.address.iter().filter(|a| !a.is_empty()) {
        if !plain(address) {
            return None;
        }
        words.push(address.clone());
    }
    Some(words.join(" "))
}

/// Whether a word is plainly an address: it needs no quoting and cannot be an option or a comment.
fn plain(word: &str) -> bool {
    !word.starts_with(['-', '#']) && word.chars().all(|c| c.is_ascii_alphanumeric() || "._/#@-".contains(c) || cjk(c))
}

/// Letters of Chinese, Japanese and Korean.
fn cjk(c: char) -> bool {
    matches!(c,
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{20000}'..='\u{323af}')
}

/// A word as a shell reads it back.
pub fn quote(word: &str) -> String {
    match !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "._/@%+=:,-".contains(c)) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(verb: &[&'static str], address: &str, spelled: Option<&str>) {
        let hint = Hint { verb: verb.to_vec(), address: vec![address.to_owned()] };
        assert_eq!(spell(&hint, "").as_deref(), spelled);
    }

    #[test]
    fn a_try_holds_addresses_only() {
        check(&["rm"], "user@v3wd", Some("memdir rm user@v3wd"));
        check(&["undo", "--keep-edited"], "r41", Some("memdir undo --keep-edited r41"));
        check(&["read"], "facts/项目.md#工作", Some("memdir read facts/项目.md#工作"));
        check(&["rm"], "user@x; rm -rf ~", None);
        check(&["rm"], "$(id)", None);
        check(&["rm"], "a b", None);
        check(&["rm"], "--force", None);
        check(&["init"], "", Some("memdir init"));
        assert_eq!(spell(&Hint::new("rm", "a@b"), "-C 'my notes'").unwrap(), "memdir -C 'my notes' rm a@b");
        assert_eq!(quote("it's"), "'it'\\''s'");
    }
}
