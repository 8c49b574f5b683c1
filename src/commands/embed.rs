//! `embed`: makes the vectors of `find.embeddings` for the items that have none, and drops those of texts that are
//! gone. A process of its own does it after a change and when a session starts.
//!
//! Never sends an episode, an archived or proposed item, a procedure, an expired item, one that the allowlist of some
//! agent hides, or one with a secret. One process at a time; its requests and its time are bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::time::Duration;

use serde::Serialize;

use super::model::{embedding_model, model_rejection};
use super::results::WarningRow;
use super::vector_search::{
    EmbeddingAccess, clear_failure, failed_recently, has_other_length, no_embeddings, note_failure,
};
use super::{CommandResult, Session};
use crate::code::{Code, Rejection, Warning};
use crate::document::{Document, MAX_FILE_BYTES, Visibility};
use crate::host::background;
use crate::llm::embeddings::embed as fetch_vectors;
use crate::llm::{Deadline, ErrorKind, LlmError, ModelConfig};
use crate::path::MemoryPath;
use crate::store::vector_file::VectorTurn;
use crate::store::{LockedStore, Store};
use crate::text::counted_noun::counted_noun;
use crate::text::secrets::{blank_pins, find_secrets};
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::ItemFacts;
use crate::view::query::vector_score::{has_vectors, vector_text_unless};
use crate::view::query::vector_table::{StoredVector, TextHash, VectorTable};

/// Texts in one request.
const BATCH_TEXTS: usize = 32;
/// The most requests of one run.
const MAX_REQUESTS: usize = 400;
/// Number of requests after which the computed embeddings are written.
const REQUESTS_PER_WRITE: usize = 16;
/// Timeout of the key command, which is run once for all requests.
const KEY_TIMEOUT: Duration = Duration::from_secs(60);
/// Timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of one run.
const RUN_TIMEOUT: Duration = Duration::from_secs(600);
/// How often the texts are read again, to find what changed while vectors were made.
const MAX_ROUNDS: usize = 3;
/// How long a process in the background waits for further changes, in seconds.
const SETTLE_S: &str = "1";

/// The result of `embed`.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct EmbedResult {
    /// The name of the model that computes the embeddings; empty if the user config names none.
    pub model: String,
    /// The number of texts that have an embedding now.
    pub vectors: usize,
    /// The number of embeddings that this call computed.
    pub made: usize,
    /// The number of embeddings that were deleted because their text is gone.
    pub dropped: usize,
    /// The number of texts that have no embedding yet and may get one.
    pub missing: usize,
    /// The number of texts that have no embedding because the table has no space for them.
    pub without_space: usize,
    /// Whether another process is computing embeddings, so that this one did nothing.
    pub busy: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRow>,
}

/// Computes the embeddings that are missing, after waiting for `settle`.
///
/// # Errors
/// `no_model` if the user config names no host for this memory, or its key cannot be read; `model` and `model_refused`
/// if the host fails: what was made until then is kept; `io`, `read_only`.
pub fn embed(session: &Session, settle: Duration) -> CommandResult<EmbedResult> {
    let access = session.embedding_access().ok_or_else(no_embeddings)?;
    let (model, warnings) = embedding_model(&access.settings, &access.env, REQUEST_TIMEOUT, KEY_TIMEOUT)?;
    let store = session.store.unfiltered();
    let mut result = EmbedResult {
        model: access.settings.model.name.clone().unwrap_or_default(),
        warnings: warnings.iter().map(WarningRow::from).collect(),
        ..EmbedResult::default()
    };
    let Some(turn) = store.begin_vectors()? else { return Ok(EmbedResult { busy: true, ..result }) };
    std::thread::sleep(settle);
    let mut run = EmbedRun {
        session,
        store: &store,
        access,
        model,
        turn,
        requests: 0,
        deadline: Deadline::within(RUN_TIMEOUT),
        made: BTreeSet::new(),
        without_direction: BTreeSet::new(),
        starts_anew: has_other_length(session),
    };
    for _ in 0..MAX_ROUNDS {
        let is_complete = match run.round(&mut result) {
            Ok(is_complete) => is_complete,
            Err(error) => {
                // The note that all must be made again stays.
                if !has_other_length(session) {
                    note_failure(session, &error.message);
                }
                return Err(error.into());
            }
        };
        if is_complete {
            break;
        }
    }
    if !run.without_direction.is_empty() {
        let message = format!(
            "the host returned embeddings of zeros for {}; these say nothing about a text and are not kept",
            counted_noun(run.without_direction.len(), "text")
        );
        result.warnings.push(WarningRow::from(&Warning::new(Code::Note, message)));
    }
    clear_failure(session);
    if session.store.require_unfiltered().is_err() {
        // What was dropped may have been hidden since.
        result.dropped = 0;
    }
    Ok(result)
}

struct EmbedRun<'a> {
    session: &'a Session,
    store: &'a Store,
    access: &'a EmbeddingAccess,
    model: ModelConfig,
    turn: VectorTurn,
    requests: usize,
    deadline: Deadline,
    /// The texts whose vectors were made.
    made: BTreeSet<TextHash>,
    /// The texts whose vectors are zeros alone.
    without_direction: BTreeSet<TextHash>,
    /// Whether all embeddings are computed again, because the host's have another length.
    starts_anew: bool,
}

impl EmbedRun<'_> {
    /// Makes what is missing. Returns whether nothing was, or nothing more can be made now.
    fn round(&mut self, result: &mut EmbedResult) -> Result<bool, Rejection> {
        let identity = self.access.settings.identity();
        let known = self.store.read_vectors().and_then(|bytes| VectorTable::decode(bytes, &identity));
        let texts = embeddable_texts(self.session, self.store)?;
        let kept = known.as_ref().filter(|_| !std::mem::take(&mut self.starts_anew));
        let mut vectors = kept.map_or_else(BTreeMap::new, |known| kept_vectors(&texts, known));
        let dropped = known.as_ref().map_or(0, |known| known.count() - vectors.len());
        let length = vectors.values().next().map(StoredVector::length);
        let missing: Vec<(&TextHash, &String)> =
            with_space(&texts, length).filter(|(hash, _)| !vectors.contains_key(hash)).collect();
        result.count(&texts, &vectors);
        result.dropped += dropped;
        if missing.is_empty() && dropped == 0 {
            return Ok(true);
        }
        let mut failure = None;
        let mut is_forgotten = false;
        // The first text without space.
        let mut end = None;
        for (n, batch) in missing.chunks(BATCH_TEXTS).enumerate() {
            let batch = &batch[..batch.partition_point(|(hash, _)| end.is_none_or(|end| *hash < end))];
            if batch.is_empty() {
                break;
            }
            match self.fetch(batch, &mut vectors) {
                Ok(()) => {}
                Err(error) => failure = Some(error),
            }
            if let Some(found) = batch.iter().find_map(|(hash, _)| vectors.get(hash)).map(StoredVector::length) {
                end = texts.keys().nth(VectorTable::max_count(Some(found)));
                vectors.retain(|hash, vector| vector.length() == found && end.is_none_or(|end| hash < end));
            }
            if failure.is_some() || self.requests >= MAX_REQUESTS {
                break;
            }
            if n % REQUESTS_PER_WRITE == REQUESTS_PER_WRITE - 1 && !self.write(&identity, &vectors)? {
                is_forgotten = true;
                break;
            }
        }
        // A host that fails at once leaves the vectors that there are.
        if let Some(error) = failure.take_if(|_| vectors.is_empty()) {
            return Err(model_rejection(error).hint("check find.embeddings in the user config; nothing was changed"));
        }
        if is_forgotten || !self.write(&identity, &vectors)? {
            // A text was forgotten meanwhile, perhaps one of these: the next process starts anew.
            result.count(&texts, &BTreeMap::new());
            return Ok(true);
        }
        let found = vectors.values().next().map(StoredVector::length);
        let has_new_length = length.is_some() && found.is_some() && length != found;
        result.made = self.made.iter().filter(|hash| vectors.contains_key(hash)).count();
        result.count(&texts, &vectors);
        match failure {
            Some(error) => Err(model_rejection(error)
                .hint("check find.embeddings in the user config; the embeddings computed so far are kept")),
            None => Ok(self.requests >= MAX_REQUESTS || result.missing > 0 && !has_new_length),
        }
    }

    /// Adds the vectors of some texts. If the host rejects them together, each is sent alone, and what it rejects then
    /// has no vector: one text that is too long for a model must not keep all others from having theirs.
    fn fetch(
        &mut self,
        batch: &[(&TextHash, &String)],
        vectors: &mut BTreeMap<TextHash, StoredVector>,
    ) -> Result<(), LlmError> {
        match self.send(batch) {
            Ok(fetched) => vectors.extend(fetched),
            Err(error) if batch.len() > 1 && is_about_text(&error) => {
                let mut any = false;
                for one in batch.chunks(1) {
                    match self.send(one) {
                        Ok(fetched) => {
                            any = true;
                            vectors.extend(fetched);
                        }
                        Err(error) if is_about_text(&error) => {}
                        Err(error) => return Err(error),
                    }
                }
                // A host that takes none of them rejects something else.
                if !any {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn send(&mut self, batch: &[(&TextHash, &String)]) -> Result<Vec<(TextHash, StoredVector)>, LlmError> {
        if self.requests >= MAX_REQUESTS {
            return Ok(Vec::new());
        }
        self.requests += 1;
        let prefix = &self.access.settings.text_prefix;
        let texts: Vec<String> = batch.iter().map(|(_, text)| format!("{prefix}{text}")).collect();
        let fetched = fetch_vectors(&self.model, &texts, self.deadline)?;
        let mut stored = Vec::new();
        for ((hash, _), vector) in batch.iter().zip(fetched) {
            match StoredVector::new(&vector) {
                Some(vector) => {
                    self.made.insert(**hash);
                    stored.push((**hash, vector));
                }
                None => drop(self.without_direction.insert(**hash)),
            }
        }
        Ok(stored)
    }

    /// Writes the vectors; `false` if a text was forgotten since this run began.
    fn write(&self, identity: &str, vectors: &BTreeMap<TextHash, StoredVector>) -> Result<bool, Rejection> {
        let name = self.model.model.as_deref().unwrap_or_default();
        let (locked, _) = self.store.lock()?;
        locked.write_vectors(&self.turn, &VectorTable::encode(name, identity, vectors))
    }
}

impl EmbedResult {
    /// Counts the texts that have a vector, those that lack one, and those for which there is no space.
    fn count(&mut self, texts: &BTreeMap<TextHash, String>, vectors: &BTreeMap<TextHash, StoredVector>) {
        let space = with_space(texts, vectors.values().next().map(StoredVector::length)).count();
        self.vectors = vectors.len();
        self.missing = space.saturating_sub(vectors.len());
        self.without_space = texts.len() - space;
    }
}

/// The texts that a table has space for: the first, by their hashes. `length` is that of their vectors, if it is known.
fn with_space(texts: &BTreeMap<TextHash, String>, length: Option<usize>) -> impl Iterator<Item = (&TextHash, &String)> {
    texts.iter().take(VectorTable::max_count(length))
}

/// The vectors of a table that texts still have, as many as there is space for.
fn kept_vectors(texts: &BTreeMap<TextHash, String>, known: &VectorTable) -> BTreeMap<TextHash, StoredVector> {
    let with_space = with_space(texts, Some(known.dimensions()));
    with_space.filter_map(|(hash, _)| Some((*hash, known.stored(known.find(hash)?)))).collect()
}

/// Whether the host rejected a request for what is in it.
fn is_about_text(error: &LlmError) -> bool {
    error.kind == ErrorKind::Rejected || error.kind == ErrorKind::Busy && error.status == Some(500)
}

/// The texts that may be sent, by their hash.
fn embeddable_texts(session: &Session, store: &Store) -> Result<BTreeMap<TextHash, String>, Rejection> {
    let visibility = Visibility::for_everyone(&session.policy.policy);
    let today = session.now.date();
    let files: Vec<_> = store.walk(None)?.into_iter().filter(|file| has_vectors(&file.path)).collect();
    let found = store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        let Some(text) = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok()) else { return Vec::new() };
        texts_of(&file.path, text, visibility.as_ref(), today)
    });
    Ok(found.into_iter().flatten().map(|text| (TextHash::of(&text), text)).collect())
}

/// The texts of a file that may be sent.
fn texts_of(path: &MemoryPath, text: &str, visibility: Option<&Visibility>, today: jiff::civil::Date) -> Vec<String> {
    let document = match visibility {
        Some(visibility) => match visibility.visible_text(&Document::parse(text), path) {
            Some(visible) => Document::parse(visible),
            None => return Vec::new(),
        },
        None => Document::parse(text),
    };
    let file = ItemizedFile::without_counts(path.clone(), document);
    let origins = BulletOrigins::default();
    let facts = ItemFacts::new(&file, &origins);
    let is_live = |item: &usize| facts.expires(*item).is_none_or(|day| day >= today);
    // Of a key that the cut goes through, the rest is no longer recognised.
    let has_secret = |whole: &str| !find_secrets(&blank_pins(whole)).is_empty();
    let live = (0..file.items.len()).filter(is_live);
    live.filter_map(|n| vector_text_unless(&file, &file.items[n], has_secret)).collect()
}

/// Drops the vectors of texts that are gone, without a request to the host. If it is unknown which they are, because
/// the user config names the memory no more or another process is computing embeddings, all are dropped.
///
/// # Errors
/// `io`, `read_only`, `unsafe_file`.
pub(super) fn drop_gone_vectors(session: &Session, locked: &LockedStore<'_>) -> Result<(), Rejection> {
    let store = session.store.unfiltered();
    let Some(bytes) = store.read_vectors() else { return Ok(()) };
    let settings = session.embedding_access().map(|access| &access.settings);
    if let Some(settings) = settings
        && let Some(known) = VectorTable::decode(bytes, &settings.identity())
        && let Some(turn) = store.begin_vectors()?
    {
        let texts = embeddable_texts(session, &store)?;
        let kept = kept_vectors(&texts, &known);
        let name = settings.model.name.as_deref().unwrap_or_default();
        if locked.write_vectors(&turn, &VectorTable::encode(name, &settings.identity(), &kept))? {
            return Ok(());
        }
    }
    locked.forget_vectors()
}

/// Starts `embed` for this memory in the background, unless it has no embeddings, another process makes vectors
/// already, or the host failed a moment ago. What is missed then is made after the next change.
pub fn start_if_due(session: &Session) {
    if session.embedding_access().is_none() || session.store.makes_vectors() || failed_recently(session) {
        return;
    }
    let words = [OsString::from("--dir"), session.dir.clone().into(), "--as".into(), session.actor.clone().into()];
    drop(background::start(words.into_iter().chain(["embed", "--settle", SETTLE_S].map(OsString::from))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_texts_are_sent_and_kept_than_a_table_has_space_for() {
        let texts: BTreeMap<TextHash, String> =
            (0..9000_u32).map(|n| (TextHash::of(&n.to_string()), n.to_string())).collect();
        assert_eq!(with_space(&texts, None).count(), 9000);
        assert_eq!(with_space(&texts, Some(8192)).count(), 8172);
        // A text that comes in between displaces the last one.
        let vector = StoredVector::new(&[1.0; 8192]).unwrap();
        let without_first = texts.keys().skip(1).map(|hash| (*hash, vector.clone())).collect();
        let known = VectorTable::decode(VectorTable::encode("m", "host", &without_first), "host").unwrap();
        assert_eq!(known.count(), 8172);
        let kept = kept_vectors(&texts, &known);
        let missing = with_space(&texts, Some(8192)).filter(|(hash, _)| !kept.contains_key(hash)).count();
        assert_eq!((kept.len(), missing), (8171, 1));
        let mut result = EmbedResult::default();
        result.count(&texts, &kept);
        assert_eq!((result.vectors, result.missing, result.without_space), (8171, 1, 828));
        result.count(&texts, &BTreeMap::new());
        assert_eq!((result.vectors, result.missing, result.without_space), (0, 9000, 0));
    }
}
