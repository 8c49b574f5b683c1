//! What is named, and that it cannot leave the data dir: `MemoryPath` and `Address`.
//!
//! Pure: looks at names only, never at a disk. The kernel's sandbox stands behind it (`store/root.rs`).

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use crate::code::{Code, Rejection};

mod address;
mod grammar;

pub use address::{Address, BulletRef, Prefixes, Reading, is_episode, is_id};
use grammar::{escape, is_everyday, oddity};

/// The folders with a meaning of their own.
pub const FOLDERS: [&str; 5] = ["facts", "episodes", "procedures", "inbox", "archive"];

/// A relative path of a markdown file that stays below the data dir, whatever it names.
///
/// One in hand is safe to hand to the kernel. It is *odd* when it lies outside the path grammar: such files are
/// people's; they can be read and listed, never written.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryPath {
    text: String,
    odd: Option<&'static str>,
}

impl MemoryPath {
    /// Reads a path by the grammar.
    ///
    /// # Errors
    /// `invalid_path`, with the reason.
    pub fn new(text: &str) -> Result<MemoryPath, Rejection> {
        match MemoryPath::found(text) {
            Ok(path) => match path.odd {
                None => Ok(path),
                Some(why) => Err(invalid(text, why)),
            },
            Err(why) => Err(invalid(text, why)),
        }
    }

    /// Reads a name that a directory holds: anything that cannot leave it, odd or not.
    ///
    /// # Errors
    /// Why it must not be opened at all.
    pub fn found(text: &str) -> Result<MemoryPath, &'static str> {
        if is_everyday(text) {
            return Ok(MemoryPath { text: text.to_owned(), odd: None });
        }
        escape(text).map_or(Ok(()), Err)?;
        Ok(MemoryPath { text: text.to_owned(), odd: oddity(text) })
    }

    /// The path with `/` between components.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Why this name lies outside the grammar, if it does.
    pub fn odd(&self) -> Option<&'static str> {
        self.odd
    }

    /// Why a new file must not get this name, if so: `# ^ [ ] @` would be read as parts of an address or a link.
    pub fn not_for_new(&self) -> Option<&'static str> {
        match self.text.contains(['#', '^', '[', ']', '@']) {
            true => Some("a new name must not hold any of # ^ [ ] @"),
            false => self.odd,
        }
    }

    /// The first component, when there are several: `facts` of `facts/user.md`.
    pub fn folder(&self) -> Option<&str> {
        self.text.split_once('/').map(|(folder, _)| folder)
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

    /// The name as it is compared between files that must not stand side by side: NFC, case folded.
    pub fn folded(&self) -> String {
        self.text.nfc().flat_map(char::to_lowercase).collect()
    }

    /// The same path below another folder: `archive/facts/user.md`.
    ///
    /// # Errors
    /// `invalid_path` where it would be too long or too deep.
    pub fn below(&self, folder: &str) -> Result<MemoryPath, Rejection> {
        MemoryPath::new(&format!("{folder}/{}", self.text))
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

/// The refusal of a name. It shows the name escaped and cut, because it may be hostile.
fn invalid(text: &str, why: &str) -> Rejection {
    let shown: String = text.chars().take(80).flat_map(char::escape_debug).collect();
    Rejection::new(Code::InvalidPath, format!("'{shown}' is no memory path: {why}"))
        .hint("a memory path is relative and ends in .md, like facts/user.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, refused: Option<&str>) {
        let why = MemoryPath::new(name).err().map(|r| r.message);
        match refused {
            None => assert_eq!(why, None, "{name}"),
            Some(part) => assert!(why.as_deref().is_some_and(|w| w.contains(part)), "{name}: {why:?}"),
        }
    }

    #[test]
    fn the_grammar_takes_plain_names_and_says_why_not() {
        for good in
            ["facts/user.md", "a.md", "facts/项目.md", "facts/a b.md", "facts/café.md", "v1.2/x.y.md", "facts/com10.md"]
        {
            check(good, None);
        }
        for (bad, why) in [
            ("", "empty"),
            ("/etc/passwd.md", "absolute"),
            ("facts//a.md", "empty"),
            ("facts/../a.md", "'..'"),
            ("./a.md", "'.'"),
            (".memdir/journal.md", "hidden"),
            ("scopes/x/facts/a.md", "-C"),
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
            ("Scopes/x/a.md", "-C"),
            ("facts/\u{338}a.md", "mark"),
            ("facts/a\u{2800}b.md", "invisible"),
            ("facts/a\u{a789}b.md", "looks like"),
            ("a/b/c/d/e/f/g/h/i.md", "deeper"),
            ("facts/a\nb.md", "control"),
        ] {
            check(bad, Some(why));
        }
        check(&format!("facts/{}.md", "a".repeat(198)), Some("longer"));
    }
}
