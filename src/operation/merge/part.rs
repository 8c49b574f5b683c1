//! What a merge is made of: texts that are settled, and clashes.
//!
//! Decides nothing.

use super::{Clash, Labels, Merged, markers};

/// A piece of a merged text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Settled.
    Text(String),
    /// Both sides said something different.
    Clash {
        /// What stood there.
        base: String,
        /// Our side.
        ours: String,
        /// Their side.
        theirs: String,
    },
}

/// Which of three texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The common ancestor.
    Base,
    /// Ours.
    Ours,
    /// Theirs.
    Theirs,
}

impl Part {
    /// The part as one side has it.
    pub fn on(&self, side: Side) -> &str {
        match (self, side) {
            (Part::Text(text), _) => text,
            (Part::Clash { base, .. }, Side::Base) => base,
            (Part::Clash { ours, .. }, Side::Ours) => ours,
            (Part::Clash { theirs, .. }, Side::Theirs) => theirs,
        }
    }
}

/// All parts as one side has them.
pub fn on(parts: &[Part], side: Side) -> String {
    parts.iter().map(|p| p.on(side)).collect()
}

/// The first rule of merging: who changed nothing has no say. `None` where both changed it, each in its own way.
pub fn pick<T: PartialEq>(base: Option<T>, ours: T, theirs: T) -> Option<T> {
    if ours == theirs || base.as_ref() == Some(&theirs) {
        Some(ours)
    } else if base.as_ref() == Some(&ours) {
        Some(theirs)
    } else {
        None
    }
}

/// The text, with markers around each clash.
pub fn print(parts: &[Part], labels: &Labels) -> Merged {
    let (mut text, mut clashes) = (String::new(), Vec::new());
    let (mut lines, mut counted) = (0, 0);
    for part in parts {
        match part {
            Part::Text(settled) => text.push_str(settled),
            Part::Clash { base, ours, theirs } => {
                lines += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..]).count();
                let open = usize::from(!text.is_empty() && !text.ends_with('\n'));
                counted = text.len();
                let line = lines + open + 1;
                let clash = Clash { line, base: base.clone(), ours: ours.clone(), theirs: theirs.clone() };
                markers::write(&mut text, &clash, labels);
                clashes.push(clash);
            }
        }
    }
    Merged { text, clashes }
}
