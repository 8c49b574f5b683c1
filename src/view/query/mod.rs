//! What fits a question: a memory's items ranked by their words, without a model and without an index.
//!
//! Pure: bytes, policy and the time come as values. Never changes a text, and never reads a file.
//!
//! In reading order: [`items`] cuts a document into what can be found; [`terms`] reads the question; [`spot`] finds
//! bytes that may be an answer, so that most files need no closer look; [`count`] counts terms in one file; [`score`]
//! ranks, and [`lift`] adds what links are worth; [`facts`] says what is known of an item, [`filter`] who passes; [`answer`] groups, cuts and explains;
//! [`linked`] adds items that links lead to; [`wire`] reads the question as JSON.

pub mod answer;
pub mod count;
pub mod facts;
pub mod filter;
pub mod items;
pub mod known;
pub mod lift;
pub mod linked;
pub mod score;
pub mod spot;
pub mod terms;
pub mod wire;

#[cfg(test)]
mod tests;
