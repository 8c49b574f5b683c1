//! Three texts in, one out: the merge driver, undo, `edit` and outside edits meet here (DESIGN 8).
//!
//! Pure, on texts alone. Never guesses: where both sides said something different about one thing, it says so.

mod lines;
pub mod markers;

/// How a conflict is written into a text: git's names for the sides, and the length of its markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels<'a> {
    /// What stands behind `|||||||`.
    pub base: &'a str,
    /// What stands behind `<<<<<<<`.
    pub ours: &'a str,
    /// What stands behind `>>>>>>>`.
    pub theirs: &'a str,
    /// Characters a marker is long; git's default is 7.
    pub size: usize,
}

impl Default for Labels<'_> {
    fn default() -> Self {
        Labels { base: "base", ours: "ours", theirs: "theirs", size: 7 }
    }
}

/// One thing about which both sides said something different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The line of its first marker in the merged text, from 1.
    pub line: usize,
    /// What stood there, with its line ends; empty where nothing did.
    pub base: String,
    /// What our side has instead; empty where it took it out.
    pub ours: String,
    /// What their side has instead.
    pub theirs: String,
}

/// What came of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The text; with markers (diff3) around each clash.
    pub text: String,
    /// What a person must decide, in file order.
    pub clashes: Vec<Clash>,
}

impl Merged {
    /// The text of a merge without clashes.
    ///
    /// # Errors
    /// The clashes.
    pub fn clean(self) -> Result<String, Vec<Clash>> {
        if self.clashes.is_empty() { Ok(self.text) } else { Err(self.clashes) }
    }
}

/// Merges two descendants of a text.
pub fn merge(base: &str, ours: &str, theirs: &str, labels: &Labels) -> Merged {
    lines::merge(base, ours, theirs, labels)
}
