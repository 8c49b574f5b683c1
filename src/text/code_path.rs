//! A path of a code file: below the root of a repository, and nothing of git's own.
//!
//! Never opens a file: its text alone shows what a path may not name.

use std::fmt;

use super::is_invisible;

/// The longest path, in bytes.
const MAX_PATH_BYTES: usize = 1024;

/// A path below the root of a repository that names nothing of git's own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePath(String);

impl CodePath {
    /// Checks a path.
    ///
    /// # Errors
    /// The reason why it must not be opened.
    pub fn new(text: &str) -> Result<CodePath, &'static str> {
        path_problem(text).map_or_else(|| Ok(CodePath(text.to_owned())), Err)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it may be a file of a memory.
    pub fn is_markdown(&self) -> bool {
        self.0.to_ascii_lowercase().ends_with(".md")
    }
}

impl fmt::Display for CodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn path_problem(text: &str) -> Option<&'static str> {
    match text {
        "" => return Some("the path is empty"),
        _ if text.len() > MAX_PATH_BYTES => return Some("the path is longer than 1,024 bytes"),
        _ if text.starts_with('/') => return Some("the path is absolute"),
        _ if text.contains('\\') => return Some("the path contains a backslash"),
        _ if text.chars().any(|c| c.is_control() || is_invisible(c) || is_joiner(c)) => {
            return Some("the path contains an invisible character");
        }
        _ => {}
    }
    text.split('/').find_map(component_problem)
}

/// The zero-width joiners, which HFS+ ignores in names as it does invisible characters.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn component_problem(part: &str) -> Option<&'static str> {
    // Windows ignores dots and spaces at the end of a name, and reads what follows a colon as a part of the file.
    let name = part.split(':').next().unwrap_or(part).trim_end_matches(['.', ' ']).to_lowercase();
    let short_name = |folder: &str| {
        let n = name.strip_prefix(folder).and_then(|rest| rest.strip_prefix('~'));
        n.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    match part {
        "" => Some("a component of the path is empty"),
        "." | ".." => Some("'.' and '..' are not allowed in the path"),
        _ if name == ".git" || short_name("git") => Some("the path leads into .git/"),
        _ if name == ".memdir" || short_name("memdir") => Some("the path leads into .memdir/"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::code_anchor::{AnchorError, CodeAnchor};
    use super::*;

    #[test]
    fn a_path_stays_in_the_repository_and_outside_git() {
        for path in [
            "",
            "/etc/passwd",
            "../x",
            "a/../../x",
            "a/./b",
            "a//b",
            "a/",
            "a\\b",
            "a\nb",
            "a\0b",
            ".git/config",
            ".GIT/x",
            "sub/.git/config",
            ".git",
            ".git./config",
            ".git /config",
            ".git::$INDEX_ALLOCATION/config",
            "git~1/config",
            "GIT~12/x",
            ".g\u{200c}it/config",
            ".git\u{feff}/config",
            "memory/.memdir/journal",
            "MEMDIR~1/journal",
        ] {
            assert!(CodePath::new(path).is_err(), "{path:?}");
            assert!(matches!(CodeAnchor::parse(&format!("{path}:1-2")), Err(AnchorError::Path(_))), "{path:?}");
        }
        for path in [".gitignore", ".github/workflows/a.yml", "git/x", "a/.gitmodules", "git~/x", "...", "-rf", "a:b"] {
            assert!(CodePath::new(path).is_ok(), "{path:?}");
        }
    }
}
