//! What the farther layers of a session add to its context.
//!
//! Never fails for one of them: a layer that cannot be read is left out, and a line says so.

use std::sync::Arc;

use super::ContextBuilder;
use crate::code::Rejection;
use crate::commands::Session;
use crate::host::find::FoundBy;
use crate::path::SourceAddress;
use crate::text::counted_noun::counted_noun;
use crate::view::context::delta::SeenRevision;
use crate::view::context::files::IndexedFile;
use crate::view::context::sanitize;

/// The longest path of a directory that is printed in a command, in bytes: a page has a hard budget.
const MAX_DIR_BYTES: usize = 80;

/// What was read of each layer, the nearest first.
pub(super) struct LayerParts<T> {
    pub(super) parts: Vec<(String, Arc<Session>, T)>,
    /// A line for each layer that is left out.
    pub(super) left_out: Vec<String>,
}

impl ContextBuilder<'_> {
    /// Reads each farther layer as a memory of its own, in one consistent state of it.
    pub(super) fn read_layers<T>(&self, read: &dyn Fn(&ContextBuilder<'_>) -> Result<T, Rejection>) -> LayerParts<T> {
        let mut all = LayerParts { parts: Vec::new(), left_out: Vec::new() };
        let Some(layers) = &self.session.layers else { return all };
        for layer in &layers.others {
            let builder = ContextBuilder { session: &layer.session, item_filter: self.item_filter.clone(), ..*self };
            match layer.session.store.consistent(|| read(&builder)).and_then(|part| part) {
                Ok(part) => all.parts.push((layer.name.clone(), layer.session.clone(), part)),
                Err(error) => {
                    all.left_out.push(note_line(&format!("the layer {} is left out: {}", layer.name, error.message)));
                }
            }
        }
        all.left_out.extend(layers.noted().map(|entry| note_line(&entry.reason)));
        all
    }
}

/// A line that says what is left out, and why.
pub(super) fn note_line(reason: &str) -> String {
    format!("… {}", sanitize::sanitize_line(reason))
}

/// The same of what is left out of a layer.
pub(super) fn layer_note_line(layer: &str, reason: &str) -> String {
    note_line(&format!("{layer}: {reason}"))
}

/// A file of the index, with its layer.
pub(super) fn file_in_layer(layer: &str, file: IndexedFile) -> IndexedFile {
    IndexedFile { path: SourceAddress::path(layer, &file.path), ..file }
}

/// The line about the procedures of a layer; `None` if it has none.
pub(super) fn procedures_line(layer: &str, count: usize) -> Option<String> {
    let files = counted_noun(count, "file");
    (count > 0).then(|| format!("… and {files} with procedures in {layer}: memdir list {layer}:procedures"))
}

/// What a reader has seen of a layer, with a command that shows the changes since then there.
pub(super) fn layer_since(layer: &Session, name: &str, since: SeenRevision) -> SeenRevision {
    let dir = layer.dir.to_str().filter(|dir| dir.len() <= MAX_DIR_BYTES && is_plain_path(dir));
    let command = match (layer.found_by, dir, since.command.strip_prefix("memdir ")) {
        (FoundBy::User, _, Some(command)) => format!("memdir -g {command}"),
        (_, Some(dir), Some(command)) => format!("memdir --dir {dir} {command}"),
        _ => format!("memdir list {name}:"),
    };
    SeenRevision { command, ..since }
}

/// Whether a path needs no quoting in a shell.
fn is_plain_path(path: &str) -> bool {
    path.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'))
}
