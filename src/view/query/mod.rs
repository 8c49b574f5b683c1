//! Ranks a memory's items by the words of a query, without a model and without an index (ARCHITECTURE.md, "Ranking").
//!
//! Pure: bytes, policy and time are arguments. Never changes a text, and never reads a file.
//!
//! In reading order: [`items`] cuts a document into items; `term_builder` reads the query into [`terms`], `term_finder`
//! finds them in a text; [`prefilter`] finds bytes that may be a term, so that most files need no parsing; [`count`]
//! counts terms in one file; [`typos`] finds what stands in for words that no file contains; [`score`] ranks, and
//! [`link_boost`] adds what links contribute, `speakers` finds whom the query names; [`item_facts`] knows an item's
//! date and metadata, [`bullet_origins`] what the journal knows, and [`filter`] applies the filters; [`answer`] cuts,
//! groups and explains the result, whose items are each a [`query_row`]; [`linked`] adds linked items; [`vector_score`]
//! adds to the ranking what vectors of a [`vector_table`] say; [`query_json`] reads a query from JSON.

pub mod bullet_origins;
pub mod count;
pub mod file_names;
pub mod filter;
pub mod item_facts;
pub mod items;
pub mod link_boost;
pub mod linked;
mod origin_table;
pub mod prefilter;
pub mod query_json;
pub mod query_row;
pub mod result;
pub mod score;
mod speakers;
mod term_builder;
pub mod term_finder;
pub mod terms;
pub mod typos;
pub mod vector_score;
pub mod vector_table;

#[cfg(test)]
mod tests;
