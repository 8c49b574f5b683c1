//! Texts as bytes and words: splices, words, stems, likeness.
//!
//! Pure, and without any idea of markdown.

pub mod columns;
pub mod common;
pub mod dates;
pub mod fold;
pub mod likeness;
pub mod managed;
pub mod phrase;
pub mod prose;
pub mod relative;
pub mod sentences;
pub mod size;
pub mod splice;
pub mod stem;
pub mod stop;
pub mod tokens;
pub mod unseen;
pub mod verbs;
pub mod words;

pub use columns::columns;
pub use likeness::{Features, likeness, within};
pub use size::size;
pub use splice::{Overlap, Splice, compose, splice};
pub use stem::stem;
pub use tokens::tokens;
pub use unseen::unseen;
pub use words::{Word, Words, words};
