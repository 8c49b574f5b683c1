//! The vectors of `find.embeddings` in a search: those of the items from the file of vectors, and that of the question
//! from the host, while the files are searched for its words.
//!
//! Never waits longer than 300 ms, never sends anything but the question, and never fails a search: without a vector
//! the words decide alone, and a notice says so once.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use super::Session;
use super::model::embedding_model;
use crate::code::{Code, Rejection, Warning};
use crate::host::embeddings::EmbeddingSettings;
use crate::llm::Deadline;
use crate::llm::embeddings::embed;
use crate::text::secrets;
use crate::view::query::vector_table::{VectorTable, unit_vector};

/// How long a search waits for the vector of its question.
const QUESTION_TIMEOUT: Duration = Duration::from_millis(300);
/// How long the key command may take of that. It is killed a little before the search ends, so that it does not outlive
/// it and the notice names it, not the host.
const KEY_TIMEOUT: Duration = Duration::from_millis(250);
/// How long after a failure no request is made, in seconds: a search must not wait for a host that is down.
const RETRY_AFTER_S: i64 = 60;
/// The most characters of a question of which a vector is made.
const MAX_QUESTION_CHARS: usize = 1000;
/// The note of the last failure: its time in seconds since 1970, [`REPORTED`] once it was printed, and why.
const FAILURE_NOTE: &str = "embeddings-failure";
/// How the reason starts if the host's vectors have another length than those of the items.
const OTHER_LENGTH: &str = "its embeddings have";
const REPORTED: &str = "reported";

/// The block `find.embeddings` and the environment in which its key is looked for.
#[derive(Clone, Debug)]
pub struct EmbeddingAccess {
    pub settings: Arc<EmbeddingSettings>,
    pub env: fn(&str) -> Option<String>,
}

impl EmbeddingAccess {
    /// Whether the block names a data directory.
    pub fn names_memory(&self, dir: &Path) -> bool {
        self.settings.names_memory(dir, &self.env)
    }
}

impl Session {
    /// The access to embeddings for this memory; `None` if the user config does not name it.
    pub(super) fn embedding_access(&self) -> Option<&EmbeddingAccess> {
        self.embeddings.as_ref().filter(|access| access.names_memory(&self.dir))
    }
}

/// The vector of a question, on its way.
pub struct PendingVector {
    table: VectorTable,
    deadline: Deadline,
    receiver: Receiver<Result<Vec<f32>, String>>,
    received: OnceCell<Option<Vec<f32>>>,
}

/// Sends the question. `None` if the memory has no vectors, or its host failed a moment ago.
pub(super) fn begin(session: &Session, question: &str) -> Option<PendingVector> {
    let access = session.embedding_access()?;
    if question.trim().is_empty() || failed_recently(session) {
        return None;
    }
    let table = session.store.read_vectors().and_then(|bytes| VectorTable::decode(bytes, &access.settings.identity()));
    let Some(table) = table.filter(|table| table.count() > 0) else {
        note_failure_at(
            session,
            i64::MIN,
            "there are no embeddings yet; `memdir embed` computes them, or says why not",
        );
        return None;
    };
    let (sender, receiver) = sync_channel(1);
    let deadline = Deadline::within(QUESTION_TIMEOUT);
    let (access, dimensions) = (access.clone(), table.dimensions());
    let question: String = secrets::redact(question).0.chars().take(MAX_QUESTION_CHARS).collect();
    let ask = move || {
        let answer = question_vector(&access, &question, deadline).and_then(|vector| {
            if vector.len() == dimensions {
                Ok(vector)
            } else {
                Err(format!(
                    "{OTHER_LENGTH} {} numbers now, not {dimensions}; `memdir embed` computes them again",
                    vector.len()
                ))
            }
        });
        // After the deadline there is no receiver.
        drop(sender.send(answer));
    };
    std::thread::Builder::new().spawn(ask).ok()?;
    Some(PendingVector { table, deadline, receiver, received: OnceCell::new() })
}

fn question_vector(access: &EmbeddingAccess, question: &str, deadline: Deadline) -> Result<Vec<f32>, String> {
    let (model, _) = embedding_model(&access.settings, &access.env, QUESTION_TIMEOUT, KEY_TIMEOUT)
        .map_err(|rejection| rejection.message)?;
    let text = format!("{}{question}", access.settings.query_prefix);
    let vectors = embed(&model, &[text], deadline).map_err(|error| error.message)?;
    let first = vectors.first().and_then(|vector| unit_vector(vector));
    first.ok_or_else(|| "the embedding of the question is all zeros".to_owned())
}

impl PendingVector {
    /// The question's vector, of length 1, and those of the items; waits until the deadline. `None` after a failure,
    /// which is noted.
    pub(super) fn wait(&self, session: &Session) -> Option<(&[f32], &VectorTable)> {
        let received = self.received.get_or_init(|| {
            let answer = self.receiver.recv_timeout(self.deadline.remaining().unwrap_or_default());
            match answer.unwrap_or_else(|_| Err("the host did not answer within 300 ms".to_owned())) {
                Ok(vector) => {
                    clear_failure(session);
                    Some(vector)
                }
                Err(error) => {
                    note_failure(session, &error);
                    None
                }
            }
        });
        received.as_deref().map(|vector| (vector, &self.table))
    }
}

/// Whether the host failed less than a minute ago. A clock that went back does not count.
pub(super) fn failed_recently(session: &Session) -> bool {
    let now = session.now.timestamp().as_second();
    read_failure(session).is_some_and(|Failure { at, .. }| (at..at.saturating_add(RETRY_AFTER_S)).contains(&now))
}

struct Failure {
    /// In seconds since 1970; `i64::MIN` if the next search may try again at once.
    at: i64,
    is_reported: bool,
    /// Empty once vectors are here again.
    reason: String,
}

fn read_failure(session: &Session) -> Option<Failure> {
    let note = session.read_signed_note(FAILURE_NOTE)?;
    let (head, reason) = note.split_once('\n')?;
    let (at, state) = head.split_once(' ')?;
    Some(Failure { at: at.parse().ok()?, is_reported: state == REPORTED, reason: reason.trim_end().to_owned() })
}

fn write_failure(session: &Session, at: i64, state: &str, reason: &str) {
    // Without the note the next search tries again, and the notice appears again.
    session.write_signed_note(FAILURE_NOTE, &format!("{at} {state}\n{reason}\n"));
}

/// Whether the last search failed because the host's vectors have another length than those of the items.
pub(super) fn has_other_length(session: &Session) -> bool {
    read_failure(session).is_some_and(|failure| failure.reason.starts_with(OTHER_LENGTH))
}

/// Notes that there was no vector. Of failures in a row only the first is new.
pub(super) fn note_failure(session: &Session, reason: &str) {
    note_failure_at(session, session.now.timestamp().as_second(), reason);
}

fn note_failure_at(session: &Session, at: i64, reason: &str) {
    let known = read_failure(session);
    let state = if known.as_ref().is_some_and(|failure| failure.is_reported) { REPORTED } else { "new" };
    let reason: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if known.is_none_or(|failure| failure.at != at || failure.reason != reason) {
        write_failure(session, at, state, &reason);
    }
}

/// Notes that vectors are here again.
pub(super) fn clear_failure(session: &Session) {
    if read_failure(session).is_some_and(|failure| !failure.reason.is_empty()) {
        write_failure(session, i64::MIN, "new", "");
    }
}

/// The notice that a search uses words only, and why. Returned once until embeddings are used again.
pub fn failure_notice(session: &Session) -> Option<Warning> {
    session.embedding_access()?;
    let failure = read_failure(session).filter(|failure| !failure.is_reported && !failure.reason.is_empty())?;
    write_failure(session, failure.at, REPORTED, &failure.reason);
    let message = format!("the search uses words only, without embeddings: {}; this is reported once", failure.reason);
    Some(Warning::new(Code::Note, message))
}

/// The rejection for a memory without embeddings.
pub(super) fn no_embeddings() -> Rejection {
    Rejection::new(Code::NoModel, "no embeddings are configured for this memory")
        .hint("name a host, a model and this memory under find.embeddings in the user config; see docs/embeddings.md")
}
