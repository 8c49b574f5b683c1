//! Fetches the inputs that the planner requests. Only this module may scan the whole directory before a change is planned.
//!
//! Never changes anything.

use super::related_files::related_files;
use crate::change::{EntryFile, EntryOutcome, Etag, JournalEntry, replaced_texts};
use crate::code::{Code, Rejection};
use crate::document::links::{FileLink, find_links, link_candidates, may_refer_to};
use crate::document::{Document, MAX_FILE_BYTES, RecordedUpdates};
use crate::operation::inert_metadata::has_metadata_lines;
use crate::operation::snapshot::PlanStep;
use crate::operation::{FileHistory, MissingInput, PastText, PlanStop, Snapshot};
use crate::path::MemoryPath;
use crate::store::file_revisions::{FileRevisions, FileSearchLimit};
use crate::store::{FileTexts, FoundFile, JournalHistory, RevisionSide, Store, text_before};

/// The number of a file's newest revisions whose texts are always read; the history has at most twice as many texts.
const MIN_HISTORY_REVISIONS: usize = 20;
/// The most revisions of a file that are searched for its earlier texts.
const MAX_FILE_REVISIONS: usize = 8192;
/// How much of the journal is searched for them, in bytes: some 5,000 revisions. What is older costs more than an error
/// message is worth.
const MAX_SEARCHED_BYTES: u64 = 4 << 20;

/// Fetches one missing input into the snapshot.
pub fn fetch(store: &Store, input: MissingInput, snapshot: &mut Snapshot) -> Result<(), Rejection> {
    match input {
        MissingInput::File(path) => {
            let read = store.read(&path);
            snapshot.insert_file(path, read);
        }
        MissingInput::FileNames => snapshot.set_file_names(store.walk(None)?.into_iter().map(|f| f.path).collect()),
        MissingInput::TopFolder(name) => {
            let exists = store.has_top_folder(&name)?;
            snapshot.insert_top_folder(name, exists);
        }
        MissingInput::IdHolders(id) => {
            let holders = files_matching(store, |path, text| text.contains(&id) && holds_id(path, text, &id))?;
            snapshot.insert_id_holders(id, holders);
        }
        MissingInput::Backlinks(to) => {
            let holders = files_matching(store, |path, text| links_to(path, text, &to))?;
            snapshot.insert_backlinks(to, holders);
        }
        MissingInput::LastSummary(of) => {
            let line = last_summary(&store.recent_entries()?, &of);
            snapshot.insert_last_summary(of, line);
        }
        MissingInput::RelatedFiles { text, least_shared, most } => {
            let files = related_files(store, &text, least_shared, most)?;
            snapshot.insert_related_files(text, files);
        }
        MissingInput::History(of) => {
            // Which metadata is inert must not change once its revision is an old one.
            let is_exact = matches!(snapshot.file(&of), Ok(Some(file)) if has_metadata_lines(&file.document));
            let found = LoadedJournal::read_newest_of(store, &of, is_exact)?;
            let history = history(&found, &of);
            snapshot.insert_history(of, history);
        }
    }
    Ok(())
}

/// Runs a step of planning, fetching inputs as it requests them.
///
/// # Errors
/// The rejection of the step; errors of reading.
pub fn with_fetches<T>(
    store: &Store,
    snapshot: &mut Snapshot,
    step: impl Fn(&Snapshot) -> PlanStep<T>,
) -> Result<T, Rejection> {
    loop {
        match step(snapshot) {
            Ok(value) => return Ok(value),
            Err(PlanStop::Rejected(rejection)) => return Err(*rejection),
            Err(PlanStop::NeedsInput(input)) => fetch(store, input, snapshot)?,
        }
    }
}

/// The terms that memdir last wrote into the summary line of a file.
pub fn last_summary(entries: &[JournalEntry], of: &MemoryPath) -> Option<String> {
    let files = done_entries(entries).rev().flat_map(|e| &e.files);
    files.filter(|f| f.path == *of).find_map(|f| f.summary.clone())
}

fn done_entries(entries: &[JournalEntry]) -> impl DoubleEndedIterator<Item = &JournalEntry> {
    entries.iter().filter(|e| e.outcome == EntryOutcome::Done)
}

/// The files whose text satisfies the predicate, sorted by path. Files that are not UTF-8 text are skipped.
///
/// # Errors
/// `io` when a folder or a file cannot be read, `too_large` for a file over 64 MiB: a skipped match would make the
/// planned change wrong.
pub fn files_matching(
    store: &Store,
    predicate: impl Fn(&MemoryPath, &str) -> bool + Sync,
) -> Result<Vec<MemoryPath>, Rejection> {
    let files: Vec<FoundFile> = store.walk(None)?.into_iter().filter(|f| !f.path.is_set_aside()).collect();
    let found = store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        let bytes = match read {
            Ok((bytes, _)) => bytes,
            Err(error) if matches!(error.code, Code::Io | Code::TooLarge) => return Err(error),
            Err(_) => return Ok(None),
        };
        let Ok(text) = std::str::from_utf8(bytes) else { return Ok(None) };
        Ok(predicate(&file.path, text).then(|| file.path.clone()))
    });
    found.into_iter().filter_map(Result::transpose).collect()
}

fn holds_id(_path: &MemoryPath, text: &str, id: &str) -> bool {
    let document = Document::parse(text);
    document.front_text("resource_id").as_deref() == Some(id)
        || document.sections().iter().any(|s| s.id.as_deref() == Some(id))
        || (0..document.bullets().len()).any(|i| document.bullet_id(i).is_some_and(|x| x == id))
}

fn links_to(holder: &MemoryPath, text: &str, to: &MemoryPath) -> bool {
    let named = |l: &FileLink| may_refer_to(&text[l.start..l.end], l.is_wiki, holder, to);
    // A cheap scan first, so that only files with a candidate are parsed.
    link_candidates(text).iter().any(named) && find_links(&Document::parse(text)).iter().any(named)
}

/// The whole journal, read once for all that is asked of it, or the newest revisions of one file.
pub struct LoadedJournal {
    pub entries: Vec<JournalEntry>,
    history: JournalHistory,
    /// The oldest revision that was searched; `None` if all were.
    searched_from: Option<u64>,
}

impl LoadedJournal {
    /// Reads the journal.
    ///
    /// # Errors
    /// `io`, `too_large`.
    pub fn read(store: &Store) -> Result<LoadedJournal, Rejection> {
        let history = store.read_whole_history()?;
        Ok(LoadedJournal { entries: history.entries(), history, searched_from: None })
    }

    /// Reads the newest revisions of a file; of a filtered store the whole journal, because its filter needs that.
    fn read_newest_of(store: &Store, of: &MemoryPath, is_exact: bool) -> Result<LoadedJournal, Rejection> {
        let bytes = if is_exact { u64::MAX } else { MAX_SEARCHED_BYTES };
        let limit = FileSearchLimit { revisions: MAX_FILE_REVISIONS, bytes };
        let Some(found) = store.newest_revisions_of(of, limit)? else { return LoadedJournal::read(store) };
        let FileRevisions { history, searched_from } = found;
        Ok(LoadedJournal { entries: history.entries(), history, searched_from })
    }
}

/// The earlier texts of a file from the journal and slots, newest first. Texts that history no longer has are left out.
///
/// Reads the texts of the newest revisions. Of older ones it reads only those where a bullet can have disappeared: the
/// revision removed text, or the file was edited outside memdir. So an error about a removed bullet can show its text
/// even after hundreds of additions, without reading all of their texts.
pub fn history(journal: &LoadedJournal, of: &MemoryPath) -> FileHistory {
    let mut texts = BackwardTexts { texts: journal.history.texts_of(of), known: None };
    let mut history = FileHistory { searched_from: journal.searched_from, ..FileHistory::default() };
    let mut newer: Option<Option<Etag>> = None;
    let files = |e| entry_file(e, of).map(|file| (e, file));
    for (n, (entry, file)) in done_entries(&journal.entries).rev().filter_map(files).enumerate() {
        match newer.replace(file.before) {
            None => history.last_written = texts.at(entry.rev, RevisionSide::After, file.after),
            Some(next) if next != file.after => {
                let document = texts.at(entry.rev, RevisionSide::After, file.after);
                history.past.extend(document.map(|d| past_text(&journal.entries, entry, of, None, d)));
            }
            Some(_) => {}
        }
        texts.step_back(file);
        if n < MIN_HISTORY_REVISIONS || removes_text(file) {
            let document = texts.at(entry.rev, RevisionSide::Before, file.before);
            history.past.extend(document.map(|d| past_text(&journal.entries, entry, of, Some(entry.rev), d)));
        }
        if history.past.len() >= 2 * MIN_HISTORY_REVISIONS {
            break;
        }
    }
    history
}

/// The texts of a file, asked for from the newest to the oldest: each is made from the one after it, as long as the
/// journal has the edits. Searching the history for each anew would take time with the square of its length.
struct BackwardTexts<'a> {
    texts: FileTexts<'a>,
    /// The text that was asked for last, or the one before it.
    known: Option<Vec<u8>>,
}

impl BackwardTexts<'_> {
    fn at(&mut self, rev: u64, side: RevisionSide, etag: Option<Etag>) -> Option<Document> {
        let etag = etag?;
        if self.known.as_ref().is_none_or(|bytes| Etag::of(bytes) != etag) {
            self.known = self.texts.text(rev, side).ok().flatten().map(|version| version.bytes.to_vec());
        }
        Document::from_bytes(self.known.clone()?).ok()
    }

    fn step_back(&mut self, file: &EntryFile) {
        self.known = self.known.take().and_then(|after| text_before(file, &after));
    }
}

fn entry_file<'e>(entry: &'e JournalEntry, of: &MemoryPath) -> Option<&'e EntryFile> {
    entry.files.iter().find(|f| f.path == *of)
}

/// The text before an entry, or, without `rev`, the one that it wrote and that was edited outside memdir.
fn past_text(
    entries: &[JournalEntry],
    entry: &JournalEntry,
    of: &MemoryPath,
    rev: Option<u64>,
    document: Document,
) -> PastText {
    let actor = rev.map_or("outside", |_| &entry.header.actor).to_owned();
    let recorded = |path: &MemoryPath| rev.iter().flat_map(|_| replaced_texts(entries, entry, path)).collect();
    let archived = of.in_archive().map_or_else(|_| RecordedUpdates::default(), |copy| recorded(&copy));
    let updates = recorded(of);
    let text = |op: &serde_json::Value, field: &str| op.get(field)?.as_str().map(str::to_owned);
    let is_move = |op: &&serde_json::Value| op.get("op").is_some_and(|name| name == "mv");
    let moves = entry.operations.iter().filter(is_move).filter_map(|op| Some((text(op, "at")?, text(op, "to")?)));
    let moves = if rev.is_some() { moves.collect() } else { Vec::new() };
    PastText { rev, actor, document, updates, archived, moves }
}

fn removes_text(file: &EntryFile) -> bool {
    file.edits.as_ref().is_none_or(|edits| edits.iter().any(|e| !e.old.trim().is_empty()))
}
