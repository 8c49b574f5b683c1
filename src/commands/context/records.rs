//! `context --style records`: the newest items of the memory and its layers.
//!
//! Never ranks them: `view/context/records.rs` does, by date.

use super::layers::{LayerParts, layer_note_line, note_line};
use super::{ContextBuilder, itemize};
use crate::code::Rejection;
use crate::commands::first_written::CreationHistory;
use crate::commands::item_doubts::{ItemDoubts, read_instructions};
use crate::commands::journal_notes::bullet_origins;
use crate::commands::unread_files::{not_text, unread_sentences, why_unread};
use crate::document::{Document, MAX_FILE_BYTES};
use crate::view::context::layered::merge_records;
use crate::view::context::page::records_page;
use crate::view::context::records::{DatedRecord, MAX_RECORDS, newest_records};
use crate::view::context::result::ContextResult;

/// What one memory has for this style.
struct RecordsPart {
    /// The newest records, newest first, at most as many as are shown.
    records: Vec<DatedRecord>,
    /// The number of all.
    count: usize,
    /// A sentence for each file that could not be read.
    unread: Vec<String>,
}

impl ContextBuilder<'_> {
    pub(super) fn records_context(&self) -> Result<ContextResult, Rejection> {
        let RecordsPart { records: mut shown, mut count, unread } = self.newest_records()?;
        let mut beside: Vec<String> = unread.iter().map(|reason| note_line(reason)).collect();
        let LayerParts { parts, left_out } = self.read_layers(&|layer| layer.newest_records());
        for (name, _, of_layer) in parts {
            merge_records(&mut shown, &name, of_layer.records, MAX_RECORDS);
            count += of_layer.count;
            beside.extend(of_layer.unread.iter().map(|reason| layer_note_line(&name, reason)));
        }
        beside.extend(left_out);
        let instructions = read_instructions(self.session, self.directory);
        let doubts = ItemDoubts::new(self.session, &instructions);
        Ok(records_page(self.options, &shown, count, &beside, &|item| doubts.remarks(item)))
    }

    /// The newest records of this builder's memory.
    fn newest_records(&self) -> Result<RecordsPart, Rejection> {
        let files = self.visible_files()?;
        let read_files = self.store().map_files(&files, MAX_FILE_BYTES, &|file, read| -> Result<_, Option<String>> {
            let (bytes, _) = read.map_err(|error| why_unread(&file.path, &error))?;
            let document = Document::from_bytes(bytes.to_vec()).map_err(|_| Some(not_text(&file.path)))?;
            Ok(Box::new(itemize(&file.path, document)))
        });
        let (mut found, mut unread) = (Vec::new(), Vec::new());
        for file in read_files {
            match file {
                Ok(file) => found.push(*file),
                Err(error) => unread.extend(error),
            }
        }
        let origins = bullet_origins(self.store(), self.session.now.time_zone())?;
        let history = CreationHistory::recent(self.session);
        let first_written = |file: &_, bullet| history.first_written(file, bullet);
        let (records, count) = newest_records(&found, &origins, &self.item_filter, &first_written, MAX_RECORDS);
        Ok(RecordsPart { records, count, unread: unread_sentences(self.session, unread.into_iter()) })
    }
}
