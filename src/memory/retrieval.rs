//! Methods of `Memory` that read and find items; both count as a use of what they return.

use super::Memory;
use crate::commands::embed::start_if_due;
use crate::commands::results::{QueryResult, TextResult};
use crate::commands::usage::ResultUse;
use crate::commands::vector_search::failure_notice;
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
        ResultUse::of_read(&text).record(&session);
        Ok(text)
    }

    /// The items that match a question, best first. A `&str` is a question without filters.
    ///
    /// # Errors
    /// `usage` for a question without words and filters, `category_not_allowed`, `file_not_found`.
    pub fn query(&self, options: impl Into<QueryOptions>) -> Result<QueryResult, Error> {
        let session = self.session()?;
        let options = options.into();
        let options = QueryOptions { vectors: Some(options.vectors.unwrap_or(true)), ..options };
        let result = commands::query(&session, &options)?;
        ResultUse::of_query(&result).record(&session);
        Ok(result)
    }

    /// After a call of a server that is this program: computes the embeddings of what was changed, in the background,
    /// and notes why a search had none.
    pub(crate) fn finish_call(&self, is_change: bool) {
        if !self.has_embeddings {
            return;
        }
        let Ok(session) = self.session() else { return };
        if is_change {
            start_if_due(&session);
        }
        let warnings = [self.progress.warnings(), failure_notice(&session).into_iter().collect()].concat();
        self.progress.set_warnings(&warnings);
    }
}
