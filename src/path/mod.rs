//! `MemoryPath`, a relative path that cannot leave the data directory, and `Address`, which names a file, a section or
//! a bullet.
//!
//! Pure: checks names only and never touches the disk. `store/root.rs` enforces the same in the kernel.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use crate::code::{Code, Rejection, quote};

mod address;
pub mod distinct_names;
mod episode_name;
mod grammar;
mod scope_name;
mod source_address;
mod touched;

pub use address::{
    Address, AddressReading, BulletRef, PathPrefixes, is_daily_note, is_id, no_such_name, split_shown_address,
};
pub use episode_name::{episode_days, is_episode, is_year, month_file, week_file};
use grammar::{grammar_violation, is_common_name, is_scope_path, unsafe_name_reason};
pub use scope_name::{ALL_SCOPES, ARCHIVED_SCOPES, SCOPES_FOLDER, ScopeName};
pub use source_address::SourceAddress;
pub use touched::{normalize, relative_to_roots};

/// The folders with a special meaning (ARCHITECTURE.md, "Files on disk").
pub const FOLDERS: [&str; 5] = ["facts", "episodes", "procedures", "inbox", "archive"];

/// The folder of archived items.
pub const ARCHIVE_FOLDER: &str = "archive";

/// A relative path of a markdown file that stays inside the data directory.
///
/// Any value of this type is safe to pass to the kernel. It is *odd* when it is outside the path grammar: such files
/// were named by a person; they can be read and listed, but never written.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryPath {
    text: String,
    odd: Option<&'static str>,
}

impl MemoryPath {
    /// Parses a path by the grammar.
    ///
    /// # Errors
    /// `invalid_path`, with the reason.
    pub fn new(text: &str) -> Result<MemoryPath, Rejection> {
        match MemoryPath::from_disk_name(text) {
            Ok(path) => match path.odd {
                None => Ok(path),
                Some(reason) => Err(invalid_path(text, reason)),
            },
            Err(reason) => Err(invalid_path(text, reason)),
        }
    }

    /// Accepts a name as found on disk: any name that cannot leave the data directory, odd or not.
    ///
    /// # Errors
    /// The reason why it must not be opened.
    pub fn from_disk_name(text: &str) -> Result<MemoryPath, &'static str> {
        if is_common_name(text) {
            return Ok(MemoryPath { text: text.to_owned(), odd: None });
        }
        unsafe_name_reason(text).map_or(Ok(()), Err)?;
        Ok(MemoryPath { text: text.to_owned(), odd: grammar_violation(text) })
    }

    /// The path with `/` between components.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Why this name is outside the grammar, if it is.
    pub fn odd(&self) -> Option<&'static str> {
        self.odd
    }

    /// Why a new file must not get this name, if so: `# ^ [ ] @` would be parsed as part of an address or a link.
    pub fn new_name_problem(&self) -> Option<&'static str> {
        if self.text.contains(['#', '^', '[', ']', '@']) {
            Some("a new name must not contain any of # ^ [ ] @")
        } else {
            self.odd
        }
    }

    /// The first component, when there are several: `facts` of `facts/user.md`.
    pub fn folder(&self) -> Option<&str> {
        self.text.split_once('/').map(|(folder, _)| folder)
    }

    /// Whether the file is outside the folders with a special meaning, as those of an adopted folder are.
    pub fn is_adopted(&self) -> bool {
        !self.folder().is_some_and(|folder| FOLDERS.contains(&folder))
    }

    /// Whether the file contains episodes: it is in `episodes/`, or is a daily note, `2026-02-24.md`, in any folder.
    pub fn holds_episodes(&self) -> bool {
        match self.folder() {
            Some("episodes") => true,
            _ if self.is_set_aside() => false,
            _ => is_daily_note(self.stem()),
        }
    }

    /// Everything before the last `/`; empty at the top.
    pub fn parent(&self) -> &str {
        memchr::memrchr(b'/', self.text.as_bytes()).map_or("", |at| &self.text[..at])
    }

    /// The last component without `.md`.
    pub fn stem(&self) -> &str {
        let name = self.text.rsplit_once('/').map_or(&*self.text, |(_, name)| name);
        name.strip_suffix(".md").unwrap_or(name)
    }

    /// The path in NFC and lower case. Two files must not be equal in this form: some file systems cannot store both.
    pub fn case_folded(&self) -> String {
        self.text.nfc().flat_map(char::to_lowercase).collect()
    }

    /// The path of the file's copy in the archive: `archive/facts/user.md`.
    ///
    /// # Errors
    /// `invalid_path` if it would be too long or too deep.
    pub fn in_archive(&self) -> Result<MemoryPath, Rejection> {
        MemoryPath::new(&format!("{ARCHIVE_FOLDER}/{}", self.text))
    }

    /// The path that an archived file had: `facts/user.md` of `archive/facts/user.md`. `None` for another file.
    pub fn below_archive(&self) -> Option<&str> {
        self.text.strip_prefix(ARCHIVE_FOLDER)?.strip_prefix('/')
    }

    pub fn is_archived(&self) -> bool {
        self.folder() == Some(ARCHIVE_FOLDER)
    }

    /// Whether the file is in `inbox/`: a proposal or a rescued text.
    pub fn is_in_inbox(&self) -> bool {
        self.folder() == Some("inbox")
    }

    /// Whether the file is no part of what the memory states: it is archived or in the inbox.
    pub fn is_set_aside(&self) -> bool {
        self.is_archived() || self.is_in_inbox()
    }

    pub fn is_procedure(&self) -> bool {
        self.folder() == Some("procedures")
    }
}

impl fmt::Display for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An `invalid_path` error. The name is escaped and cut to 80 characters, because it may be hostile.
fn invalid_path(text: &str, reason: &str) -> Rejection {
    let escaped = quote(text, 80);
    let rejection = Rejection::new(Code::InvalidPath, format!("{escaped} is not a memory path: {reason}"));
    if is_scope_path(text) {
        rejection.hint("name the scope with -S NAME, and the path below it: memdir -S NAME read facts/user.md")
    } else {
        rejection.hint("a memory path is relative and ends in .md, like facts/user.md")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, refused: Option<&str>) {
        let error = MemoryPath::new(name).err().map(|r| r.message);
        match refused {
            None => assert_eq!(error, None, "{name}"),
            Some(part) => assert!(error.as_deref().is_some_and(|w| w.contains(part)), "{name}: {error:?}"),
        }
    }

    #[test]
    fn the_grammar_accepts_plain_names_and_gives_a_reason_for_others() {
        for good in
            ["facts/user.md", "a.md", "facts/项目.md", "facts/a b.md", "facts/café.md", "v1.2/x.y.md", "facts/com10.md"]
        {
            check(good, None);
        }
        for (bad, reason) in [
            ("", "empty"),
            ("/etc/passwd.md", "absolute"),
            ("facts//a.md", "empty"),
            ("facts/../a.md", "'..'"),
            ("./a.md", "'.'"),
            (".memdir/journal.md", "hidden"),
            ("scopes/x/facts/a.md", "of its own"),
            ("facts/a", ".md"),
            ("facts/-a.md", "starts"),
            ("facts/~a.md", "starts"),
            ("facts/a .md", "ends"),
            ("facts/a./b.md", "ends"),
            ("facts/.md", "hidden"),
            ("facts/a\\b.md", "one of"),
            ("C:a.md", "one of"),
            ("facts/a\u{202e}b.md", "invisible"),
            ("facts/a\u{200b}.md", "invisible"),
            ("facts/a\u{ff0f}b.md", "looks like"),
            ("facts/cafe\u{301}.md", "normal form"),
            ("facts/NUL.md", "device"),
            ("facts/com¹.x.md", "device"),
            ("git~1/a.md", ".git"),
            ("memdir~1/a.md", ".memdir"),
            ("Scopes/x/a.md", "of its own"),
            ("facts/\u{338}a.md", "mark"),
            ("facts/a\u{2800}b.md", "invisible"),
            ("facts/a\u{a789}b.md", "looks like"),
            ("a/b/c/d/e/f/g/h/i.md", "deeper"),
            ("facts/a\nb.md", "control"),
        ] {
            check(bad, Some(reason));
        }
        check(&format!("facts/{}.md", "a".repeat(198)), Some("longer"));
    }
}
