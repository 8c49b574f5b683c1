//! Formats a command to try for a shell.

/// A command to try after an error, as data: each front end formats it in its own syntax.
///
/// It never contains memory text, because the caller may paste it into a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SuggestedCommand {
    /// The subcommand and fixed flags, as on the command line: `["rm"]`, `["undo", "--keep-edited"]`.
    pub subcommand: Vec<&'static str>,
    /// The operands: addresses, handles, revisions.
    pub operands: Vec<String>,
}

impl SuggestedCommand {
    /// A command of one subcommand and one address.
    pub fn new(subcommand: &'static str, address: impl Into<String>) -> SuggestedCommand {
        SuggestedCommand { subcommand: vec![subcommand], operands: vec![address.into()] }
    }

    /// Formats it as a command that can be pasted into a shell, or `None` if a word of it could be anything but an
    /// address. `dir_option` is how the caller selected the data directory (`--dir DIR`), quoted for a shell.
    pub fn to_shell(&self, dir_option: &str) -> Option<String> {
        let mut words = vec!["memdir".to_owned()];
        if !dir_option.is_empty() {
            words.push(dir_option.to_owned());
        }
        words.extend(self.subcommand.iter().map(|w| (*w).to_owned()));
        for address in self.operands.iter().filter(|a| !a.is_empty()) {
            if !is_plain_address(address) {
                return None;
            }
            words.push(address.clone());
        }
        Some(words.join(" "))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(subcommand: &[&'static str], address: &str, spelled: Option<&str>) {
        let command = SuggestedCommand { subcommand: subcommand.to_vec(), operands: vec![address.to_owned()] };
        assert_eq!(command.to_shell("").as_deref(), spelled);
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
        assert_eq!(
            SuggestedCommand::new("rm", "a@b").to_shell("-C 'my notes'").unwrap(),
            "memdir -C 'my notes' rm a@b"
        );
    }
}
