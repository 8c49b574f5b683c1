//! Plain text functions: byte replacements, words, stems, similarity.
//!
//! Pure, and independent of Markdown files and their structure.

pub mod best_pairs;
pub mod byte_size;
pub mod caseless_prefix;
pub mod chinese_words;
pub mod code_anchor;
pub mod code_path;
pub mod code_text;
pub mod contradiction;
pub mod counted_noun;
pub mod dates;
pub mod display_width;
pub mod exact_tokens;
pub mod hex;
pub mod invisible_chars;
pub mod json_characters;
pub mod json_edit;
pub mod language;
pub mod llm_tokens;
pub mod managed_block;
pub mod near_duplicate;
pub mod phrase;
pub mod prose_mask;
pub mod relative_dates;
pub mod rule_statements;
pub mod search_terms;
pub mod sentences;
pub mod similarity;
pub mod spelling;
pub mod splice;
pub mod statement;
pub mod stem;
pub mod stopwords;
pub mod strip_diacritics;
pub mod surrogates;
pub mod term_overlap;
pub mod toml_table;
pub mod topic_match;
pub mod url_credentials;
pub mod verbs;
pub mod word_forms;
pub mod word_frequency;
pub(crate) mod word_list;
pub mod words;
pub mod yaml_list;

pub use byte_size::format_size;
pub use display_width::display_width;
pub use hex::hex;
pub use invisible_chars::is_invisible;
pub use search_terms::search_terms;
pub use similarity::{TextFeatures, similarity};
pub use splice::{Splice, compose, splice};
pub use stem::stem;
pub use url_credentials::without_credentials;
pub use words::words;
