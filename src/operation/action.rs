//! Constructors of actions in their plain form: without a selector, an archived copy, metadata or a forced new file.
//!
//! Never checks an argument; the planner does.

use super::{Action, Target};

impl Target {
    /// What an address names, such as `user#work` or `user@acvh`.
    pub fn address(written: impl Into<String>) -> Target {
        Target::Address(written.into())
    }
}

impl Action {
    /// The addition of one line of plain text, as a bullet at the end of a file or section.
    pub fn add(at: Target, text: impl Into<String>) -> Action {
        Action::Add { at, text: text.into(), children: Vec::new(), meta: Vec::new(), create: false }
    }

    /// The replacement of a bullet's text by one line of plain text.
    pub fn update(at: Target, text: impl Into<String>) -> Action {
        let (children, meta) = (Vec::new(), Vec::new());
        Action::Update { at, index: None, old: None, text: text.into(), children, meta, archive: false }
    }

    /// The removal of what an address names, without a copy in the archive.
    pub fn remove(at: Target) -> Action {
        Action::Remove { at, index: None, text: None, archive: false, purge: None, forget: false, if_exists: false }
    }

    /// The removal of what an address names, with a copy in the archive.
    pub fn archive(at: Target) -> Action {
        Action::Remove { at, index: None, text: None, archive: true, purge: None, forget: false, if_exists: false }
    }

    /// The move of a bullet or section to the file or section of the address `to`, or of a file to that path.
    pub fn move_to(at: Target, to: impl Into<String>) -> Action {
        Action::Move { at, to: to.into(), create: false }
    }

    /// New values: a bullet's metadata, a section's title or id, a file's summary; an empty value removes the key.
    pub fn set(at: Target, pairs: &[(&str, &str)]) -> Action {
        Action::Set { at, pairs: owned(pairs) }
    }

    /// A file's whole text.
    pub fn write(at: Target, text: impl Into<String>) -> Action {
        Action::Write { at, text: text.into(), create: false }
    }

    /// The replacement of texts, each of which occurs exactly once in the file: pairs of the old and the new one.
    pub fn patch(at: Target, pairs: &[(&str, &str)]) -> Action {
        Action::Patch { at, pairs: owned(pairs), archive: false }
    }

    /// Markdown below an entry's title, or a block of markdown if there is none. `at: None` is the current episode file.
    pub fn append(at: Option<Target>, title: Option<&str>, text: impl Into<String>) -> Action {
        let (text, title) = (text.into(), title.map(str::to_owned));
        Action::Append { at, text, title, date: None, summary: None, file_summary: None, create: false }
    }
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}
