//! What the options of shell commands name: a directory, or a text that is no path.
//!
//! Never decides about operands.

use super::shell_tokens::ShellWord;
use super::word_list::{WordList, word_list};

const TEXT_OPTIONS: WordList = word_list!("shell/text_options.txt");
const DIRECTORY_OPTIONS: WordList = word_list!("shell/directory_options.txt");

/// The directory that an option names, in the same word or in the next.
pub struct DirectoryOption {
    pub dir: String,
    /// Whether the directory is the next word.
    pub is_next: bool,
}

impl DirectoryOption {
    /// The one that a word of a command names; `next` is the word after it.
    pub fn of(command: &str, word: &str, next: Option<&ShellWord>) -> Option<DirectoryOption> {
        DIRECTORY_OPTIONS.value(command)?.split(' ').find_map(|option| {
            let rest = word.strip_prefix(option)?;
            match rest.strip_prefix('=') {
                Some(dir) => Some(DirectoryOption { dir: dir.to_owned(), is_next: false }),
                None if rest.is_empty() => Some(DirectoryOption { dir: next?.text.clone(), is_next: true }),
                None if option.len() == 2 => Some(DirectoryOption { dir: rest.to_owned(), is_next: false }),
                None => None,
            }
        })
    }
}

/// Whether the word after an option of a command is its value, and no path.
pub fn takes_text(command: &str, option: &str) -> bool {
    let is_it = |known: &str| known == option || has_letter(option, known) && option.ends_with(&known[1..]);
    TEXT_OPTIONS.value(command).is_some_and(|all| all.split(' ').any(is_it))
}

/// Whether a word of several one-letter options, `-am`, has this one, `-m`.
pub fn has_letter(word: &str, option: &str) -> bool {
    option.len() == 2
        && word.len() <= 5
        && word
            .strip_prefix('-')
            .is_some_and(|letters| letters.chars().all(|c| c.is_ascii_alphabetic()) && letters.contains(&option[1..]))
}

/// Whether what follows `=` in an option of a command is a text, and no path.
pub fn names_text(command: &str, option: &str) -> bool {
    TEXT_OPTIONS.value(command).is_some_and(|all| all.split(' ').any(|known| known == option))
}
