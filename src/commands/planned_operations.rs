//! What the operations of a dry run get, so that a caller that passes them to `apply` makes this change or none.
//!
//! Never changes what an operation does.

use serde_json::{Value, json};

use super::results::ChangeResult;
use crate::change::Changeset;
use crate::operation::Batch;
use crate::operation::dialects::add_if_match;
use crate::path::MemoryPath;

/// Adds to the operations of a dry run the etag of the file that each changes, as the proof that `--force` stood for:
/// a caller that passes them to `apply` makes this change or none.
pub fn add_proof(planned: &mut ChangeResult, changeset: &Changeset) {
    for (n, operation) in planned.operations.iter_mut().flatten().enumerate() {
        let of_operation = changeset.effects.iter().filter(|effect| effect.operation == n);
        let paths = of_operation.map(|effect| &effect.path).chain(changeset.files.iter().map(|file| &file.path));
        let before = |path: &MemoryPath| changeset.files.iter().find(|file| file.path == *path)?.before.as_ref();
        if let Some(version) = paths.take(1).find_map(before) {
            add_if_match(operation, &version.etag.short());
        }
    }
}

/// Adds the user's words of consent to the operations of a dry run, so that a caller that passes them to `apply` has
/// them, too.
pub fn add_consent(planned: &mut ChangeResult, batch: &Batch) {
    if batch.consent.is_empty() {
        return;
    }
    let words = json!(batch.consent.join("; "));
    let operations = planned.operations.iter_mut().flatten().filter_map(Value::as_object_mut);
    operations.for_each(|operation| _ = operation.insert("consent".to_owned(), words.clone()));
}
