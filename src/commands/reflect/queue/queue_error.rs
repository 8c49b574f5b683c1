//! The error with which the queue was read last: recorded for `status`, because the output of a process in the
//! background is not shown.
//!
//! Never stores a secret: what looks like one is hidden.

use serde::{Deserialize, Serialize};

use super::super::decision_text::redact;
use crate::code::{Code, Warning};
use crate::commands::Session;
use crate::text::one_line::cut_with_ellipsis;

/// File name below `.memdir/`.
const NOTE: &str = "queue_error";
/// How many characters of an error are stored.
const MAX_CHARS: usize = 300;

/// The last error.
#[derive(Debug, Default, Serialize, Deserialize)]
struct QueueError {
    /// The day, `YYYY-MM-DD`.
    day: String,
    /// `code: message`; empty if the queue was read without an error since.
    message: String,
}

/// Records how the queue was read: with this error, or without one. What cannot be recorded is only not mentioned.
pub(super) fn record(session: &Session, error: Option<&str>) {
    let known: QueueError = session.read_signed_json_note(NOTE).unwrap_or_default();
    if error.is_none() && known.message.is_empty() {
        return;
    }
    let message = redact(error.unwrap_or_default()).split_whitespace().collect::<Vec<_>>().join(" ");
    let message = cut_with_ellipsis(&message, MAX_CHARS).into_owned();
    let last = QueueError { day: session.now.date().to_string(), message };
    session.write_signed_json_note(NOTE, &last);
}

/// The warning about the last error, for a queue in which something waits. The error is shown only to who sees
/// everything, because it may name files.
pub fn queue_error_warning(session: &Session) -> Option<Warning> {
    let last: QueueError = session.read_signed_json_note(NOTE).filter(|last: &QueueError| !last.message.is_empty())?;
    let error = if session.visibility().is_some() { String::new() } else { format!(": {}", last.message) };
    let message = format!("the last `memdir reflect --queued` failed on {}{error}", last.day);
    Some(Warning::new(Code::Note, message))
}
