//! `rm --forget`: finds what must be erased besides the text itself: copies in `archive/` and `inbox/`, and every trace
//! in the history.
//!
//! Never changes another live file: if the same text occurs there, a warning names the file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::copies::{
    has_summary_words, proposes_text, scrubbed_copy, whole_texts, without_diff_context, without_summary_words,
    without_texts,
};
use self::other_files::{copies_in_other_files, decoded_texts};
use self::trails::{EarlierBullets, earlier_bullets, trails_to_keep};
use super::Session;
use super::bullet_life::BulletHistory;
use super::reflect::conversations_with_texts;
use super::unread_files::{unread_sentences, why_unread};
use crate::change::{BulletTrail, Changeset, Effect, EffectSign, EntryFile, FileChange, JournalEdit, JournalEntry};
use crate::code::{Code, Rejection, Warning};
use crate::document::{Document, MAX_FILE_BYTES, summary};
use crate::operation::locate::new_section_title;
use crate::operation::{Batch, Operation, Snapshot};
use crate::path::MemoryPath;
use crate::reflect::inbox_item;
use crate::store::Store;
use crate::store::scopes::ScopeState;
use crate::text::counted_noun::counted_noun;
use crate::text::text_search::TextSearch;

mod copies;
mod other_files;
mod removed;
mod trails;

pub use removed::of_removed_bullet;

/// A text shorter than this, in bytes, is searched with its list marker, if it has one: alone it would match parts of
/// other words.
const MIN_SEARCHED_BYTES: usize = 8;

/// How many files with a copy a note names.
const MAX_NAMED_FILES: usize = 20;

/// What must be scrubbed from the history.
#[derive(Debug, Default)]
pub struct ForgetTraces {
    /// Files whose whole history is erased.
    pub paths: Vec<MemoryPath>,
    /// Those of them in which a forgotten bullet was earlier, the farthest back first. They are erased one by one
    /// before the others: after a crash, the files after them still tell that the bullet came from there.
    pub earlier_paths: Vec<MemoryPath>,
    /// Texts that no slot and no journal record may contain.
    pub texts: Vec<String>,
    /// Where other bullets were before their history is erased with that of the text.
    pub kept_trails: Vec<BulletTrail>,
    /// The numbers of the handles that the forgotten bullets have and had.
    pub forgotten_handles: Vec<u64>,
    /// Queued conversations that have one of the texts.
    pub queued: Vec<String>,
    /// Warnings about copies that remain, and about what goes as a whole.
    pub warnings: Vec<Warning>,
}

/// Finds what a changeset with `--forget` must scrub, and adds the changes of the copies in `archive/` and `inbox/` to
/// it.
///
/// # Errors
/// Any error of reading the directory.
pub fn find_traces(
    session: &Session,
    changeset: &mut Changeset,
    snapshot: &Snapshot,
) -> Result<ForgetTraces, Rejection> {
    let mut texts = removed_texts(changeset, snapshot);
    let unfiltered = session.unfiltered();
    let history = BulletHistory::open(&unfiltered, Store::read_whole_history)?.for_texts();
    let EarlierBullets { paths: earlier_paths, texts: mut earlier_texts, handles: forgotten_handles, is_incomplete } =
        earlier_bullets(&history, changeset, snapshot, &texts)?;
    earlier_texts.retain(|text| !texts.contains(text));
    let searched = [&texts[..], &earlier_texts[..]].concat();
    let search = TextSearch::new(&searched);
    let archived_headings = archived_headings(changeset, snapshot);
    let mut remaining_in: BTreeSet<MemoryPath> = BTreeSet::new();
    let mut proposals: Vec<String> = Vec::new();
    let mut copies = Vec::new();
    let is_holder = |path: &MemoryPath, text: &str| {
        search.is_in(text) || inbox_item::id_of(path).is_some() && has_summary_words(text, &searched)
    };
    let (holders, unread) = files_with_text(session, &is_holder)?;
    for FileWithText { path, text, is_utf8 } in holders {
        // No text of such a file is in the history.
        if !is_utf8 {
            remaining_in.insert(path);
            continue;
        }
        let planned = changeset.files.iter().find(|f| f.path == path);
        let after = match planned {
            Some(file) => file.after.as_ref().map(|b| String::from_utf8_lossy(b).into_owned()),
            None if path.is_set_aside() => {
                let after = match inbox_item::id_of(&path) {
                    // Without some of its lines a proposal would show another change than it makes.
                    Some(id) if proposes_text(&text, &texts) => {
                        proposals.push(id.to_owned());
                        None
                    }
                    Some(_) => Some(without_summary_words(&without_diff_context(&text, &texts), &searched)),
                    None => without_texts(&text, &texts),
                };
                copies.extend(scrubbed_copy(session, &path, &text, after.as_deref())?);
                after
            }
            None => Some(text),
        };
        let Some(after) = after else { continue };
        let kept = whole_texts(&after);
        texts.retain(|t| !kept.contains(t));
        earlier_texts.retain(|t| !kept.contains(t));
        let headings = archived_headings.get(path.as_str());
        let is_heading = |text: &String| headings.is_some_and(|headings| headings.contains(text));
        if search.found_in(&after).any(|text| !is_heading(text)) {
            remaining_in.insert(path);
        }
    }
    texts.append(&mut earlier_texts);
    let (paths, revisions) = paths_to_erase(&history.entries, changeset, &copies, &earlier_paths, &texts);
    let kept_trails = trails_to_keep(&history, changeset, &paths, &texts, &forgotten_handles)?;
    changeset.files.append(&mut copies);
    let mut notes = Vec::new();
    if revisions > 0 {
        let files = named_files(&paths.iter().map(MemoryPath::as_str).collect::<Vec<_>>());
        let count = counted_noun(revisions, "revision");
        notes.push(format!(
            "the history of {files} ({count}) is erased with it: `undo` and `show` have none of its texts"
        ));
    }
    if is_incomplete {
        let note = "a part of the history of the text was erased or trimmed before: what only that part tells, earlier \
                    wordings of the text or where it was, is not looked for";
        notes.push(note.to_owned());
    }
    if !proposals.is_empty() {
        notes.push(format!("the text waited in {} too, which went with it", proposals.join(", ")));
    }
    let queued = conversations_with_texts(session, &TextSearch::new(&texts))?;
    if !queued.is_empty() {
        let which = if queued.len() == 1 { "is" } else { "are" };
        let conversations = counted_noun(queued.len(), "queued conversation");
        notes.push(format!("{conversations} {which} dropped unread: the text is in it, or it cannot be read"));
    }
    if !remaining_in.is_empty() {
        let files: Vec<&str> = remaining_in.iter().map(MemoryPath::as_str).collect();
        notes.push(format!("some of the text is also in {} and was not removed there", named_files(&files)));
    }
    notes.extend(copies_in_other_files(&session.store, &searched, "")?);
    notes.extend(copies_in_scopes(session, &search, &searched));
    notes.extend(names_that_remain(changeset, &history.entries, &search));
    notes.extend(unread_sentences(session, unread.into_iter()));
    let mut warnings: Vec<Warning> = notes.into_iter().map(|note| Warning::new(Code::Note, note)).collect();
    warnings.extend(summaries_with_words(session, changeset, &earlier_paths));
    warnings.extend(git_warning(session, "the text"));
    Ok(ForgetTraces { paths, earlier_paths, texts, kept_trails, forgotten_handles, queued, warnings })
}

/// The warning that git may have what is erased; `None` without git.
pub(super) fn git_warning(session: &Session, what: &str) -> Option<Warning> {
    let has_git = session.dir.ancestors().any(|dir| dir.join(".git").exists());
    let message = format!("git may still contain {what}: committed versions stay in its history");
    has_git.then(|| Warning::new(Code::Note, message))
}

/// Refuses a batch that erases history, for callers of a tool: a person does that, in the shell.
///
/// # Errors
/// `consent`, with the operation.
pub fn require_kept_history(batch: &Batch) -> Result<(), Rejection> {
    let Some(operation) = batch.operations.iter().position(Operation::is_forget) else { return Ok(()) };
    let refusal = Rejection::new(Code::Consent, "'forget' erases history, which no tool does: a person must")
        .hint("a person runs `memdir rm --forget` in the shell; without 'forget' the history keeps the text");
    Err(if batch.operations.len() > 1 { refusal.at_operation(operation) } else { refusal })
}

/// A file in which one of some texts stands.
struct FileWithText {
    path: MemoryPath,
    text: String,
    is_utf8: bool,
}

/// The files in which one of the texts stands, and why others could not be read.
fn files_with_text(
    session: &Session,
    is_holder: &(dyn Fn(&MemoryPath, &str) -> bool + Sync),
) -> Result<(Vec<FileWithText>, Vec<String>), Rejection> {
    let files = session.store.walk(None)?;
    let results = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| match read {
        Ok((bytes, _)) => {
            let is_utf8 = std::str::from_utf8(bytes).is_ok();
            let found = decoded_texts(bytes).into_iter().find(|text| is_holder(&file.path, text));
            found.map(|text| Ok(FileWithText { path: file.path.clone(), text: text.into_owned(), is_utf8 }))
        }
        Err(error) => why_unread(&file.path, &error).map(Err),
    });
    let (mut holders, mut unread) = (Vec::new(), Vec::new());
    for file in results.into_iter().flatten() {
        match file {
            Ok(holder) => holders.push(holder),
            Err(reason) => unread.push(reason),
        }
    }
    Ok((holders, unread))
}

/// A sentence about each scope of the memory in which the caller sees one of the texts, and for each that cannot be
/// searched: each scope is a memory of its own, from which this one removes nothing.
fn copies_in_scopes(session: &Session, search: &TextSearch, texts: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    if session.scope.is_some() {
        return notes;
    }
    for state in [ScopeState::Live, ScopeState::Archived] {
        let kind = if state == ScopeState::Archived { "archived scope" } else { "scope" };
        let names = session.store.scope_names(state).unwrap_or_else(|error| {
            notes.push(format!("no {kind} could be searched: {}", error.message));
            Vec::new()
        });
        for name in names {
            let place = format!(" of the {kind} '{name}'");
            let found = files_with_text_in_scope(session, &name, state, search, texts, &place);
            let Ok(TextInScope { holders, unread, other_files }) = found else {
                notes.push(format!("the {kind} '{name}' could not be searched"));
                continue;
            };
            notes.extend(other_files);
            if !holders.is_empty() {
                let files = named_files(&holders.iter().map(|holder| holder.path.as_str()).collect::<Vec<_>>());
                notes.push(format!(
                    "some of the text is also in the {kind} '{name}' ({files}) and was not removed there"
                ));
            }
            if !unread.is_empty() {
                notes.push(format!(
                    "{} of the {kind} '{name}' could not be searched",
                    counted_noun(unread.len(), "file")
                ));
            }
        }
    }
    notes
}

/// Sentences about what no change removes: the names of files that go as a whole, and names of actors.
fn names_that_remain(changeset: &Changeset, entries: &[JournalEntry], search: &TextSearch) -> Vec<String> {
    let mut notes = Vec::new();
    let removed = changeset.files.iter().filter(|file| file.after.is_none() && !file.path.is_in_inbox());
    let removed: Vec<&str> = removed.map(|file| file.path.as_str()).collect();
    if !removed.is_empty() {
        let names = named_files(&removed);
        notes.push(format!("the history and the notes of memdir keep the name {names}, but nothing that was in it"));
    }
    if entries.iter().any(|entry| search.is_in(&entry.header.actor)) {
        notes.push("some of the text is also the name of who made a change, which stays in the history".to_owned());
    }
    notes
}

/// The names of files in a sentence; of many the first, and how many more there are.
fn named_files(files: &[&str]) -> String {
    let shown = files[..files.len().min(MAX_NAMED_FILES)].join(", ");
    match files.len().saturating_sub(MAX_NAMED_FILES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Where one of some texts stands in a scope.
#[derive(Default)]
struct TextInScope {
    holders: Vec<FileWithText>,
    /// Why memory files could not be read.
    unread: Vec<String>,
    /// The sentences about other files.
    other_files: Vec<String>,
}

/// As [`files_with_text`], of a scope.
///
/// # Errors
/// What keeps the scope from being searched.
fn files_with_text_in_scope(
    session: &Session,
    name: &str,
    state: ScopeState,
    search: &TextSearch,
    texts: &[String],
    place: &str,
) -> Result<TextInScope, Rejection> {
    // Removed meanwhile.
    let Some(scope) = session.session_of_scope(name, state)? else { return Ok(Default::default()) };
    if let Some(error) = scope.policy.read_refusal(session.is_agent).cloned() {
        return Err(error);
    }
    let (holders, unread) = files_with_text(&scope, &|_, text| search.is_in(text))?;
    Ok(TextInScope { holders, unread, other_files: copies_in_other_files(&scope.store, texts, place)? })
}

/// The texts that the changeset removes: whole lines without their markers, and bullets as plain text.
fn removed_texts(changeset: &Changeset, snapshot: &Snapshot) -> Vec<String> {
    let mut texts: BTreeSet<String> = BTreeSet::new();
    // A proposal goes because it is decided: its diff shows what stays, too.
    let forgotten_from = changeset.files.iter().filter(|file| inbox_item::id_of(&file.path).is_none());
    for file in forgotten_from {
        let Ok(Some(before)) = snapshot.file(&file.path) else { continue };
        let after = file.after.as_ref().map(|b| String::from_utf8_lossy(b).into_owned()).unwrap_or_default();
        let remaining_lines: BTreeSet<&str> = after.lines().map(str::trim).collect();
        let title = new_section_title(file.path.stem());
        let is_told = |line: &str| {
            // The title that a file has by its name says nothing that its path does not.
            remaining_lines.contains(line) || line.strip_prefix("# ").is_some_and(|heading| heading == title)
        };
        let lines = before.document.text().lines().map(str::trim).filter(|line| !is_told(line));
        texts.extend(lines.filter_map(search_string));
    }
    let bullets = changeset.effects.iter().filter(|e| e.sign == EffectSign::Removed);
    texts.extend(bullets.filter_map(|e| search_string(&format!("- {}", e.text))));
    texts.into_iter().collect()
}

/// The headings of removed files of `archive/`, by the file that they were archived from, which has them by itself.
fn archived_headings(changeset: &Changeset, snapshot: &Snapshot) -> BTreeMap<String, BTreeSet<String>> {
    let mut headings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in &changeset.files {
        let Some(live) = file.path.below_archive() else { continue };
        let Ok(Some(before)) = snapshot.file(&file.path) else { continue };
        let lines = before.document.text().lines().map(str::trim).filter(|line| line.starts_with('#'));
        headings.entry(live.to_owned()).or_default().extend(lines.filter_map(search_string));
    }
    headings
}

/// A warning for each file whose summary line still has words of a removed bullet, among those that are changed and
/// those in which it was before: a person's sentence, which memdir does not change.
fn summaries_with_words(session: &Session, changeset: &Changeset, earlier_paths: &[MemoryPath]) -> Vec<Warning> {
    let changed = changeset.files.iter().filter_map(|file| Some((&file.path, file.after.clone()?)));
    let is_changed = |path: &&MemoryPath| changeset.files.iter().any(|file| file.path == **path);
    let earlier = earlier_paths.iter().filter(|path| !is_changed(path));
    let earlier = earlier.filter_map(|path| Some((path, session.store.read(path).ok().flatten()?.bytes)));
    let has_words = |(path, bytes): &(&MemoryPath, Arc<Vec<u8>>)| {
        let document = Document::parse(String::from_utf8_lossy(bytes).into_owned());
        // A bullet that was in another file before may have left its words there.
        let is_of = |effect: &&Effect| effect.path == **path || earlier_paths.contains(path);
        let mut removed = changeset.effects.iter().filter(|effect| effect.sign == EffectSign::Removed).filter(is_of);
        removed.any(|effect| summary::is_only_place_of_words(&document, &effect.text))
    };
    let warning = |(path, _): (&MemoryPath, Arc<Vec<u8>>)| {
        let message = format!(
            "the summary line of {path} still has words of the text: change it with `memdir set {path} summary=TEXT`"
        );
        Warning::new(Code::Note, message)
    };
    changed.chain(earlier).filter(has_words).map(warning).collect()
}

/// The search string for a removed line: its text, or the whole line if the text is short; `None` for derived lines,
/// and for what would match everywhere: lines without text, and short ones without a list marker (the last line of a
/// wrapped bullet, a line of code).
fn search_string(line: &str) -> Option<String> {
    let derived = ["> Summary:", "<!-- mem ", "---", "```", "- Date: ", "- Updated: "]
        .iter()
        .any(|start| line.starts_with(start));
    let text = strip_marker(line);
    let is_short = text.len() < MIN_SEARCHED_BYTES;
    if derived || text.is_empty() || is_short && text == line.trim() {
        return None;
    }
    Some(if is_short { line.to_owned() } else { text.to_owned() })
}

fn strip_marker(line: &str) -> &str {
    line.trim().trim_start_matches(['#', '-', '*', '+', '>']).trim()
}

/// The paths whose history must be erased, and how many revisions that concerns: those of the changeset, every earlier
/// path of the same files, their archived copies, and files that the bullets or their text were moved from or to.
fn paths_to_erase(
    entries: &[JournalEntry],
    changeset: &Changeset,
    copies: &[FileChange],
    earlier_paths: &[MemoryPath],
    texts: &[String],
) -> (Vec<MemoryPath>, usize) {
    let search = TextSearch::new(texts);
    let mut names: Vec<MemoryPath> = changeset.files.iter().chain(copies).map(|f| f.path.clone()).collect();
    names.extend(earlier_paths.iter().cloned());
    let holds = |edits: &Option<Vec<JournalEdit>>| {
        edits.iter().flatten().any(|edit| search.is_in(&edit.old) || search.is_in(&edit.new))
    };
    let is_proposal_with_words = |file: &EntryFile| {
        let is_with_words =
            |edit: &JournalEdit| has_summary_words(&edit.old, texts) || has_summary_words(&edit.new, texts);
        inbox_item::id_of(&file.path).is_some() && file.edits.iter().flatten().any(is_with_words)
    };
    for entry in entries.iter().rev() {
        let touches_known = entry.files.iter().any(|f| names.contains(&f.path));
        for file in &entry.files {
            // The journal records a move as two files that name each other. This loop goes back in time, so it meets
            // the new name before the old one.
            let other = file.moved.as_ref().filter(|_| names.contains(&file.path));
            let is_holder = touches_known && holds(&file.edits) || is_proposal_with_words(file);
            let holder = Some(&file.path).filter(|_| is_holder);
            for name in [other, holder].into_iter().flatten() {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
    }
    let is_erased = |entry: &&JournalEntry| !entry.forgotten && entry.files.iter().any(|f| names.contains(&f.path));
    let revisions = entries.iter().filter(is_erased).count();
    (names, revisions)
}
