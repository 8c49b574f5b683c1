//! Texts as bytes and words: splices, words, stems, likeness.
//!
//! Pure, and without any idea of markdown.

pub mod splice;

pub use splice::{Overlap, Splice, compose, splice};
