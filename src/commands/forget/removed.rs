//! Bullets that `rm` does not find because they are in the archive or in the history only.

use serde_json::Value;

use crate::change::{Changeset, Effect, EffectSign};
use crate::code::{Code, SuggestedCommand, Warning};
use crate::commands::{Error, Session};
use crate::document::Document;
use crate::operation::rejections::{is_removed_bullet, suggest_list};
use crate::operation::{Batch, Operation};
use crate::path::MemoryPath;

/// The change that forgets a bullet which is in the history only: removed before, by memdir, an editor or a merge.
///
/// # Errors
/// `error`, the rejection of the batch, if it is not about such a bullet; for an agent always: what a person sees
/// nowhere, a person erases.
pub fn of_removed_bullet(session: &Session, batch: &Batch, error: Error) -> Result<Changeset, Error> {
    let error = with_true_hint(session, error, batch.operations.iter().any(Operation::is_forget));
    let removed = || {
        let ([operation], [rejection]) = (&batch.operations[..], &error.rejections[..]) else { return None };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let is_gone = operation.is_forget() && is_removed_bullet(rejection);
        let path = text(rejection.details.get("path").filter(|_| is_gone)?)?;
        let was = rejection.details.get("was")?;
        Some((MemoryPath::from_disk_name(&path).ok()?, text(&was["handle"])?, text(&was["text"])?))
    };
    let Some((path, handle, text)) = removed() else { return Err(error) };
    if session.is_agent {
        let mut error = error;
        error.rejections[0].hint = Some("it is in the history only, where a person may erase it".to_owned());
        return Err(error);
    }
    let effect = Effect {
        path,
        sign: EffectSign::Removed,
        handle: Some(handle),
        id: None,
        text,
        section: None,
        operation: 0,
        to: None,
    };
    let note = "the text was in the history only: earlier texts of it in other files, and copies of what stood below it, are \
                not looked for";
    let note = Warning::new(Code::Note, note);
    Ok(Changeset { effects: vec![effect], warnings: vec![note], forget: true, ..Changeset::default() })
}

/// Corrects what is said of a bullet that was archived: one that is in `archive/` no more cannot be restored, and one
/// that is there is forgotten there.
fn with_true_hint(session: &Session, mut error: Error, forgets: bool) -> Error {
    for rejection in error.rejections.iter_mut().filter(|rejection| rejection.code == Code::BulletChanged) {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let Some(path) = rejection.details.get("archived_from").and_then(text) else { continue };
        let Ok(path) = MemoryPath::from_disk_name(&path) else { continue };
        let Some(handle) = rejection.details.get("was").and_then(|was| text(&was["handle"])) else { continue };
        let Ok(archived) = path.in_archive() else { continue };
        let Ok(file) = session.store.read(&archived) else { continue };
        let document = file.and_then(|file| Document::from_bytes(file.bytes.to_vec()).ok());
        let has_it = |document: &Document| document.handles().iter().any(|h| h.prefix(12).starts_with(&handle));
        if !document.is_some_and(|document| has_it(&document)) {
            rejection.message = format!("{}, and purged from archive/ since", rejection.message);
            rejection.hint = None;
            rejection.suggestions = vec![suggest_list(&path)];
            rejection.details.insert("path".to_owned(), path.as_str().into());
        } else if forgets {
            let at = format!("{archived}@{handle}");
            rejection.hint = Some("it is in archive/: forget it there".to_owned());
            rejection.suggestions = vec![SuggestedCommand { subcommand: vec!["rm", "--forget"], operands: vec![at] }];
        }
    }
    error
}
