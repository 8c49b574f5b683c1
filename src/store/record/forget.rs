//! Removes texts from journal records: those that `rm --forget` erases, and those of a history that is left out.
//!
//! Never removes that something happened, when and by whom.

use serde_json::Value;

use super::{IntentFile, IntentRecord, any_string};
use crate::change::EntryHeader;
use crate::path::MemoryPath;
use crate::text::text_search::TextSearch;

/// How the derived summary line of a file starts.
const SUMMARY_START: &str = "> Summary:";

impl IntentRecord {
    /// Removes all recorded texts of these paths, and those of other paths that contain one of these texts, or are among
    /// `erased`: files (0-based) whose text before the batch is erased for that. Returns the files that contained one.
    pub fn forget(&mut self, paths: &[MemoryPath], texts: &TextSearch, erased: &[usize]) -> Vec<usize> {
        let contains_text = |text: &String| texts.is_in(text);
        let is_holder = |(index, file): (usize, &IntentFile)| {
            let edited = file.edits.iter().flatten().any(|(_, old, new)| contains_text(old) || contains_text(new));
            let holds = edited || file.summary.as_ref().is_some_and(contains_text) || erased.contains(&index);
            holds.then_some(index)
        };
        let holders: Vec<usize> = self.files.iter().enumerate().filter_map(is_holder).collect();
        let is_affected =
            |index: usize, file: &IntentFile| holders.contains(&index) || paths.iter().any(|p| p.as_str() == file.path);
        let EntryHeader { reason, source, consent, request, request_digest, .. } = &mut self.header;
        let in_header = [&*reason, source, consent, request].into_iter().flatten().any(contains_text);
        let in_operations = self.operations.iter().chain(&self.answer).any(|value| any_string(value, &contains_text));
        let any_affected = self.files.iter().enumerate().any(|(index, file)| is_affected(index, file));
        if !in_header && !in_operations && !any_affected {
            return holders;
        }
        (self.answer, *reason, *consent) = (None, None, None);
        *request_digest = None;
        *source = source.take().filter(|s| !contains_text(s));
        *request = request.take().filter(|s| !contains_text(s));
        // The names of the operations are no text: with them, `log` still shows what was done.
        let name_only = |operation: &Value| Some(serde_json::json!({"op": operation.get("op")?.as_str()?}));
        self.operations = self.operations.iter().filter_map(name_only).collect();
        self.forgotten = true;
        for (index, file) in self.files.iter_mut().enumerate() {
            if is_affected(index, file) {
                (file.edits, file.summary) = (None, None);
            }
        }
        holders
    }

    /// Removes the words of a derived summary line of a file (0-based): the line itself, and the edits that wrote it.
    /// Those of an undo may have a part of the line.
    pub fn forget_summary(&mut self, file: usize) {
        let is_inversion = self.undo.or(self.redo).is_some();
        let Some(file) = self.files.get_mut(file) else { return };
        let has_line =
            |(_, old, new): &(usize, String, String)| [old, new].iter().any(|text| text.contains(SUMMARY_START));
        file.summary = None;
        file.edits = file.edits.take().filter(|edits| !is_inversion && !edits.iter().any(has_line));
    }

    /// Removes everything but who changed which file when.
    pub fn drop_texts(&mut self) {
        let EntryHeader { at, actor, .. } = std::mem::take(&mut self.header);
        (self.header, self.answer) = (EntryHeader { at, actor, ..EntryHeader::default() }, None);
        self.operations.clear();
        self.trails.clear();
        self.files.iter_mut().for_each(|file| (file.edits, file.summary) = (None, None));
    }

    /// Removes the answer and the texts of files.
    pub fn drop_file_texts(&mut self) {
        self.answer = None;
        self.files.iter_mut().for_each(|file| (file.edits, file.summary) = (None, None));
    }
}
