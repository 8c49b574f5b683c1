//! `ScopeName`: the name of a scope, a data directory of its own below `scopes/`.
//!
//! Never checks whether the scope exists.

use std::fmt;

use super::grammar::grammar_violation;
use super::{FOLDERS, MemoryPath};
use crate::code::{Code, Rejection, quote};

/// The folder that holds the scopes of a memory.
pub const SCOPES_FOLDER: &str = "scopes";

/// The folder of removed scopes, in the folder of scopes.
pub const ARCHIVED_SCOPES: &str = ".archived";
/// What stands for all scopes, where several can be named.
pub const ALL_SCOPES: &str = "*";
/// The longest name, in bytes.
const MAX_BYTES: usize = 64;

/// The name of a scope: lower-case ASCII letters, digits, `.`, `_` and `-`, so that no file system takes two names for
/// one and none needs quoting in a shell.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeName(String);

impl ScopeName {
    /// Parses a name.
    ///
    /// # Errors
    /// `invalid_path`, with the reason.
    pub fn new(text: &str) -> Result<ScopeName, Rejection> {
        match violation(text) {
            None => Ok(ScopeName(text.to_owned())),
            Some(reason) => {
                let escaped = quote(text, 80);
                Err(Rejection::new(Code::InvalidPath, format!("{escaped} is not the name of a scope: {reason}"))
                    .hint("a name has 1 to 64 of a-z, 0-9, '.', '_' and '-', and starts with a letter or digit"))
            }
        }
    }

    /// Parses the name of a scope that is there already: a person may have given its directory any name that is one
    /// component of a path.
    ///
    /// # Errors
    /// `invalid_path`, as [`ScopeName::new`].
    pub fn existing(text: &str) -> Result<ScopeName, Rejection> {
        let is_component = !text.starts_with('.') && !text.contains(|c: char| c == '/' || c.is_control());
        let is_component = is_component && text != ALL_SCOPES;
        if is_component && MemoryPath::from_disk_name(&format!("{text}/x.md")).is_ok() {
            Ok(ScopeName(text.to_owned()))
        } else {
            ScopeName::new(text)
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of the scope below the data directory: `scopes/web`.
    pub fn folder(&self) -> String {
        format!("{SCOPES_FOLDER}/{self}")
    }
}

impl fmt::Display for ScopeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn violation(text: &str) -> Option<&'static str> {
    let is_allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-');
    match text.as_bytes() {
        [] => Some("it is empty"),
        bytes if bytes.len() > MAX_BYTES => Some("it is longer than 64 bytes"),
        bytes if !bytes.iter().all(|b| is_allowed(*b)) => {
            Some("it contains a character other than a-z, 0-9, '.', '_' and '-'")
        }
        [b'.' | b'_' | b'-', ..] => Some("it does not start with a letter or digit"),
        _ if FOLDERS.contains(&text) || text == SCOPES_FOLDER => Some("a folder of every memory has that name"),
        // Names of devices, and final dots, which some systems drop.
        _ => grammar_violation(&format!("{text}/x.md")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_plain_component() {
        for good in ["web", "app-1", "3c", "team.notes", "a_b", &"x".repeat(64)] {
            assert_eq!(ScopeName::new(good).map(|name| name.to_string()), Ok(good.to_owned()));
        }
        for bad in [
            "",
            "Web",
            "a b",
            "a/b",
            "..",
            ".hidden",
            "-x",
            "_x",
            "*",
            "web.",
            "con",
            "nul.x",
            "facts",
            "scopes",
            "é",
            "a:b",
            "a@b",
            &"x".repeat(65),
        ] {
            assert_eq!(ScopeName::new(bad).map_err(|error| error.code), Err(Code::InvalidPath), "{bad}");
        }
        assert_eq!(ScopeName::new("web").unwrap().folder(), "scopes/web");
    }

    #[test]
    fn a_scope_that_is_there_may_have_another_name() {
        for good in ["web", "Team", "my notes", "é", "_x"] {
            assert_eq!(ScopeName::existing(good).map(|name| name.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "a/b", "..", ".archived", "*", "a\nb", "a\0b"] {
            assert_eq!(ScopeName::existing(bad).map_err(|error| error.code), Err(Code::InvalidPath), "{bad:?}");
        }
    }
}
