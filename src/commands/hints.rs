//! Formats hints as commands that can be pasted into a shell.
//!
//! Never prints memory text: a hint is dropped if a word of it could be anything but an address.

use crate::code::Hint;

/// Formats a hint as a command. `before` is how the caller selected the data directory (`--dir DIR`), quoted for a
/// shell.
pub fn to_command(hint: &Hint, dir_option: &str) -> Option<String> {
    let mut words = vec!["memdir".to_owned()];
    if !dir_option.is_empty() {
        words.push(dir_option.to_owned());
    }
    words.extend(hint.verb.iter().map(|w| (*w).to_owned()));
    for address in hint.operands.iter().filter(|a| !a.is_empty()) {
        if !is_plain_address(address) {
            return None;
        }
        words.push(address.clone());
    }
    Some(words.join(" "))
}

/// Whether a word can only be an address, or a key and value: it needs no quoting and cannot be an option, a comment or
/// the name of a program (`=ls` in zsh).
fn is_plain_address(word: &str) -> bool {
    !word.starts_with(['-', '#', '=', ':'])
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "._/#@=:-".contains(c) || is_cjk(c))
}

/// Letters of Chinese, Japanese and Korean.
fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{20000}'..='\u{323af}')
}

/// Quotes a word for a POSIX shell, if it needs that.
pub fn shell_quote(word: &str) -> String {
    match !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "._/@%+=:,-".contains(c)) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(verb: &[&'static str], address: &str, spelled: Option<&str>) {
        let hint = Hint { verb: verb.to_vec(), operands: vec![address.to_owned()] };
        assert_eq!(to_command(&hint, "").as_deref(), spelled);
    }

    #[test]
    fn a_command_to_try_contains_only_addresses() {
        check(&["rm"], "user@v3wd", Some("memdir rm user@v3wd"));
        check(&["undo", "--keep-edited"], "r41", Some("memdir undo --keep-edited r41"));
        check(&["read"], "facts/项目.md#工作", Some("memdir read facts/项目.md#工作"));
        check(&["rm"], "user@x; rm -rf ~", None);
        check(&["rm"], "$(id)", None);
        check(&["set", "user@v3wd"], "upd=today", Some("memdir set user@v3wd upd=today"));
        check(&["read"], "mine:facts/user.md@v3wd", Some("memdir read mine:facts/user.md@v3wd"));
        check(&["rm"], "=ls", None);
        check(&["rm"], "a b", None);
        check(&["rm"], "--force", None);
        check(&["init"], "", Some("memdir init"));
        assert_eq!(to_command(&Hint::new("rm", "a@b"), "-C 'my notes'").unwrap(), "memdir -C 'my notes' rm a@b");
        assert_eq!(shell_quote("it's"), "'it'\\''s'");
    }
}
