//! What counts as a use of an item: reading it, and finding it.

use super::Memory;
use crate::commands::results::{QueryResult, TextResult};
use crate::commands::usage::AnswerUse;
use crate::commands::{self, Error};
use crate::view::query::filter::QueryOptions;

impl Memory {
    /// The exact text of a file, section or bullet.
    ///
    /// # Errors
    /// As [`Memory::list`]; `bullet_changed` and `bullet_not_found` for bullets.
    pub fn read(&self, address: &str) -> Result<TextResult, Error> {
        let session = self.session()?;
        let text = commands::read(&session, address)?;
        AnswerUse::of_read(&text).record(&session);
        Ok(text)
    }

    /// The items that match a question, best first. A `&str` is a question without filters.
    ///
    /// # Errors
    /// `usage` for a question without words and filters, `category_not_allowed`, `file_not_found`.
    pub fn query(&self, options: impl Into<QueryOptions>) -> Result<QueryResult, Error> {
        let session = self.session()?;
        let result = commands::query(&session, &options.into())?;
        AnswerUse::of_query(&result).record(&session);
        Ok(result)
    }
}
