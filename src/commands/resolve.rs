//! `resolve`: merges files with conflict markers again, bullet by bullet; lists the remaining conflicts, or decides
//! them as requested.
//!
//! Never loses text between or beside the markers, and never marks a file as merged in git.

use serde_json::json;

use super::change::{change_result, commit_loop, note_no_operations};
use super::conflict_finder::ConflictFinder;
use super::consent::{ApprovalGate, CommitMode};
use super::layer_names::{error_in_layer, name_layer_in_resolved};
use super::layers::AddressesInLayer;
use super::rename_conflicts::{paths_of, renamed_on_both_sides};
use super::results::{
    ChangeResult, ConflictRow, ConflictSide, ConflictedFile, ResolveResult, SideBullet, UndecidedFile, UndecidedReason,
};
use super::review::WOULD_WAIT;
use super::{ChangeOptions, CommandResult, Error, Session, list_and_read};
use crate::change::{Changeset, FileVersion};
use crate::code::{Code, Rejection, SuggestedCommand, Warning};
use crate::document::{Document, MAX_FILE_BYTES};
use crate::host::git::{Git, UnmergedIndexEntry};
use crate::operation::conflict_regions::{self, ConflictChoice, ConflictRegion};
use crate::operation::merge::{self, ConflictLabels, conflict_markers};
use crate::operation::{Batch, Snapshot, effects};
use crate::path::MemoryPath;
use crate::view::diff::unified_diff;

/// Merges files with conflict markers again; with `take`, decides the remaining conflicts.
///
/// # Errors
/// `category_not_allowed` for a caller with an allowlist; errors of resolving the address; `conflict_markers` for an
/// incomplete set of markers; errors of committing. Remaining conflicts are not an error; the front end maps them to an
/// exit status.
pub fn resolve(
    session: &Session,
    address: Option<&str>,
    take: Option<ConflictChoice>,
    options: &ChangeOptions,
) -> CommandResult<ResolveResult> {
    let named = address.map(str::to_owned).into_iter().collect::<Vec<_>>();
    if let Some(AddressesInLayer { layer, addresses, session: inner }) = session.layer_of_addresses(&named)? {
        let resolved = resolve(&inner, addresses.first().map(String::as_str), take, options);
        let result = resolved.map_err(|error| error_in_layer(error, &layer))?;
        return Ok(if session.is_own_layer(&layer) { result } else { name_layer_in_resolved(result, &layer) });
    }
    session.may_write()?;
    session.store.require_unfiltered()?;
    address.map_or(Ok(()), |address| session.require_own_scope(address))?;
    let target = match address {
        Some(address) => ResolveTarget::File(list_and_read::resolve_address(session, address)?.path),
        None => {
            let (marked, unreadable) = marked_files(session)?;
            ResolveTarget::AllMarked(marked, unreadable)
        }
    };
    let batch = Batch {
        reason: options.reason.clone(),
        source: options.source.clone(),
        consent: options.consent.iter().cloned().collect(),
        ..Batch::default()
    };
    // As in a dry run, a change that a person must accept is refused and not kept: accepting it later would find a file
    // with conflict markers, which is read-only, or one that was resolved meanwhile.
    let gate = ApprovalGate { session, batch: &batch, mode: CommitMode::DryRun };
    let require_consent = |changeset: &Changeset| {
        gate.require_consent(changeset, &Snapshot::new()).map_err(|error| not_kept(error, address, take))
    };
    if options.dry_run {
        let (changeset, seen) = resolve_files(session, &target, take)?;
        require_consent(&changeset)?;
        let diff = changeset.files.iter().zip(&seen.texts_before).map(|(file, before)| {
            let after = file.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes));
            unified_diff(file.path.as_str(), Some(before), after.as_deref())
        });
        let diff = Some(diff.collect());
        let mut change = ChangeResult { dry_run: true, diff, ..change_result(&changeset, &Snapshot::new(), true) };
        note_no_operations(&mut change);
        return Ok(to_resolve_result(change, seen));
    }
    let (locked, warnings) = session.store.lock()?;
    let mut extras = ResolveExtras::default();
    let change = commit_loop(session, &locked, &batch, warnings, || {
        let (changeset, new_extras) = resolve_files(session, &target, take)?;
        extras = new_extras;
        require_consent(&changeset)?;
        Ok((changeset, Snapshot::new()))
    })?;
    Ok(to_resolve_result(change, extras))
}

/// The error of an agent whose change a person must accept, with the command for the person.
fn not_kept(mut error: Error, address: Option<&str>, take: Option<ConflictChoice>) -> Error {
    let choice = take.map(|choice| match choice {
        ConflictChoice::Ours => "--ours",
        ConflictChoice::Theirs => "--theirs",
        ConflictChoice::Both => "--both",
    });
    let subcommand: Vec<&str> = ["resolve"].into_iter().chain(choice).collect();
    for rejection in error.rejections.iter_mut().filter(|one| matches!(one.code, Code::Review | Code::Consent)) {
        let what = rejection.message.trim_end_matches(WOULD_WAIT);
        rejection.message = format!("{what}; the resolution of a conflict does not wait in inbox/");
        rejection.hint = Some(if rejection.code == Code::Consent {
            "ask the user and pass their own words with --consent, or let a person run the command below".to_owned()
        } else {
            "a person runs the command below".to_owned()
        });
        let operands = address.map(str::to_owned).into_iter().collect();
        rejection.suggestions = vec![SuggestedCommand { subcommand: subcommand.clone(), operands }];
    }
    error
}

/// The files to resolve.
enum ResolveTarget {
    /// The file that was named.
    File(MemoryPath),
    /// All files with conflict markers, and those that could not be searched.
    AllMarked(Vec<MemoryPath>, Vec<UnreadFile>),
}

impl ResolveTarget {
    fn paths(&self) -> &[MemoryPath] {
        match self {
            ResolveTarget::File(path) => std::slice::from_ref(path),
            ResolveTarget::AllMarked(paths, _) => paths,
        }
    }

    /// Whether git's state of a path is reported.
    fn includes(&self, path: &MemoryPath) -> bool {
        matches!(self, ResolveTarget::AllMarked(..)) || self.paths().contains(path)
    }
}

/// A file that could not be searched for conflict markers, and why.
struct UnreadFile {
    path: MemoryPath,
    warning: Warning,
}

/// The files with conflict markers, and those that could not be searched.
fn marked_files(session: &Session) -> Result<(Vec<MemoryPath>, Vec<UnreadFile>), Rejection> {
    let files = session.store.walk(None)?;
    let unmerged = ConflictFinder::new(session);
    let each = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| match read {
        Ok((bytes, _)) => {
            let text = std::str::from_utf8(bytes).ok()?;
            conflict_regions::unmerged_marker_length(text)?;
            let is_conflict =
                conflict_regions::marker_length(text).is_some() || unmerged.has_conflict(&file.path, text);
            is_conflict.then(|| Ok(file.path.clone()))
        }
        Err(error) if error.code == Code::FileNotFound => None,
        Err(error) => {
            let warning = Warning::new(error.code, format!("not searched for conflict markers: {}", error.message));
            Some(Err(UnreadFile { path: file.path.clone(), warning }))
        }
    });
    let (mut marked, mut unreadable) = (Vec::new(), Vec::new());
    for found in each.into_iter().flatten() {
        match found {
            Ok(path) => marked.push(path),
            Err(unread) => unreadable.push(unread),
        }
    }
    Ok((marked, unreadable))
}

/// What the answer contains in addition to the change.
#[derive(Default)]
struct ResolveExtras {
    texts_before: Vec<String>,
    conflicted_files: Vec<ConflictedFile>,
    /// Files without conflict markers that are still unmerged in git's index; for `git add`.
    to_stage: Vec<String>,
    /// Files that `resolve` cannot decide.
    undecided: Vec<UndecidedFile>,
    /// The data directory relative to the working directory.
    dir: String,
}

impl ResolveExtras {
    fn add_undecided(&mut self, path: &str, reason: UndecidedReason) {
        self.undecided.push(UndecidedFile::new(path, reason));
    }
}

/// The unmerged entries of git's index; empty without git.
struct UnmergedIndex {
    git: Option<Git>,
    unmerged: Vec<UnmergedIndexEntry>,
}

impl UnmergedIndex {
    fn read(session: &Session) -> UnmergedIndex {
        let git = Git::discover(&session.dir);
        let unmerged = git.as_ref().and_then(|git| git.unmerged_entries().ok()).unwrap_or_default();
        UnmergedIndex { git, unmerged }
    }

    fn entry(&self, path: &MemoryPath) -> Option<&UnmergedIndexEntry> {
        self.unmerged.iter().find(|entry| entry.path == path.as_str())
    }

    /// The common ancestor of a file that is unmerged in git's index.
    fn base(&self, path: &MemoryPath) -> Option<String> {
        let object = self.entry(path)?.base.as_deref()?;
        let bytes = self.git.as_ref()?.read_objects(&[object]).ok()?.pop()?;
        String::from_utf8(bytes).ok()
    }
}

/// Resolves all files as far as possible.
fn resolve_files(
    session: &Session,
    target: &ResolveTarget,
    take: Option<ConflictChoice>,
) -> Result<(Changeset, ResolveExtras), Error> {
    let (mut changeset, mut extras) = (Changeset::default(), ResolveExtras::default());
    let index = UnmergedIndex::read(session);
    if let ResolveTarget::AllMarked(_, unreadable) = target {
        changeset.warnings.extend(unreadable.iter().map(|file| file.warning.clone()));
        unreadable.iter().for_each(|file| extras.add_undecided(file.path.as_str(), UndecidedReason::Unreadable));
    }
    for path in target.paths() {
        if let (Some(reason), ResolveTarget::AllMarked(..)) = (path.odd(), target) {
            changeset.warnings.push(Warning::new(Code::OddName, format!("{path} was not changed: {reason}")));
            extras.add_undecided(path.as_str(), UndecidedReason::OddName);
            continue;
        }
        let Some(current) = session.store.read(path)? else { continue };
        let text = String::from_utf8(current.bytes.to_vec())
            .map_err(|_| Rejection::new(Code::NotText, format!("{path} is not UTF-8 text")))?;
        let Some(resolved) = resolve_text(&index, path, &text, take)? else {
            changeset.warnings.push(Warning::new(Code::Note, format!("{path} has no conflict markers")));
            continue;
        };
        changeset.warnings.extend(resolved.base_unknown.then(|| {
            let reason = "do not include the common ancestor, so nothing was merged again";
            let advice = "`git checkout --conflict=diff3` writes markers that do";
            Warning::new(Code::Note, format!("the markers in {path} {reason}; {advice}"))
        }));
        changeset.warnings.extend((take == Some(ConflictChoice::Both) && !resolved.conflicts.is_empty()).then(|| {
            let reason = "about front matter or metadata stay: a key has one value";
            Warning::new(Code::Note, format!("conflicts of {path} {reason}; decide with --ours or --theirs"))
        }));
        if !resolved.conflicts.is_empty() {
            extras.conflicted_files.push(conflicted_file(path, &resolved.conflicts));
        }
        if resolved.text != text {
            let operation = match take {
                Some(take) => json!({"op": "resolve", "at": path.as_str(), "take": choice_name(take)}),
                None => json!({"op": "resolve", "at": path.as_str()}),
            };
            changeset.operations.push(operation);
            let (before, after) = (Document::parse(resolved.before), Document::parse(resolved.after));
            let number = changeset.operations.len() - 1;
            changeset.effects.extend(effects::diff_effects(Some(&before), Some(&after), path, number));
            let new_version = FileVersion::new(resolved.text.into_bytes(), current.mode);
            changeset.files.push(super::undo::replace_file(path, Some(current), Some(new_version)));
            extras.texts_before.push(text);
        }
    }
    add_git_notes(session, &index, target, &mut changeset, &mut extras);
    Ok((changeset, extras))
}

/// Adds what is left to do in git: `git add` for resolved files, a decision for files that exist on one side only or
/// that are no part of the memory.
fn add_git_notes(
    session: &Session,
    index: &UnmergedIndex,
    target: &ResolveTarget,
    changeset: &mut Changeset,
    extras: &mut ResolveExtras,
) {
    let path_prefix = session.path_prefix();
    extras.dir = path_prefix.trim_end_matches('/').to_owned();
    let renamed = index.git.as_ref().map(|git| renamed_on_both_sides(git, &index.unmerged)).unwrap_or_default();
    let is_renamed = |path: &str| renamed.iter().any(|row| paths_of(row).any(|known| known == path));
    let is_asked_for = |row: &&UndecidedFile| match target {
        ResolveTarget::AllMarked(..) => true,
        ResolveTarget::File(path) => paths_of(row).any(|known| known == path.as_str()),
    };
    extras.undecided.extend(renamed.iter().filter(is_asked_for).cloned());
    for entry in index.unmerged.iter().filter(|entry| !is_renamed(&entry.path)) {
        let path = MemoryPath::from_disk_name(&entry.path).ok().filter(|path| path.as_str().ends_with(".md"));
        match (&path, target) {
            (Some(path), _) if target.includes(path) => {}
            (None, ResolveTarget::AllMarked(..)) => {}
            _ => continue,
        }
        match (&entry.ours, &entry.theirs, path) {
            (Some(_), None, _) => extras.add_undecided(&entry.path, UndecidedReason::RemovedThere),
            (None, Some(_), _) => extras.add_undecided(&entry.path, UndecidedReason::RemovedHere),
            (None, None, _) => extras.add_undecided(&entry.path, UndecidedReason::BothMoved),
            (Some(_), Some(_), Some(path)) if has_no_markers(session, changeset, &path) => {
                extras.to_stage.push(format!("{path_prefix}{path}"))
            }
            // Its markers were listed above.
            (Some(_), Some(_), Some(_)) => {}
            (Some(_), Some(_), None) => extras.add_undecided(&entry.path, UndecidedReason::NoMemory),
        }
    }
}

/// Whether a file has no conflict markers after the change.
fn has_no_markers(session: &Session, changeset: &Changeset, path: &MemoryPath) -> bool {
    let after = changeset.files.iter().find(|file| file.path == *path).and_then(|file| file.after.clone());
    let bytes = after.or_else(|| session.store.read(path).ok().flatten().map(|version| version.bytes));
    let text = bytes.and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
    text.is_some_and(|t| {
        conflict_regions::unmerged_marker_length(&t).is_none() && Document::parse(t).conflict_marker_line().is_none()
    })
}

fn choice_name(take: ConflictChoice) -> &'static str {
    match take {
        ConflictChoice::Ours => "ours",
        ConflictChoice::Theirs => "theirs",
        ConflictChoice::Both => "both",
    }
}

/// A file after resolving.
struct ResolvedFile {
    text: String,
    /// Our side before and after: the change that the journal records.
    before: String,
    after: String,
    /// The conflicts that `text` still has.
    conflicts: Vec<ConflictRegion>,
    /// Whether no common ancestor was found, so that nothing could be merged again.
    base_unknown: bool,
}

/// Merges a text with conflict markers again; `None` if it has none.
///
/// Both sides are read from the markers, not from git's index: edits made since the merge are then part of both.
fn resolve_text(
    index: &UnmergedIndex,
    path: &MemoryPath,
    text: &str,
    take: Option<ConflictChoice>,
) -> Result<Option<ResolvedFile>, Rejection> {
    let size = match index.entry(path) {
        Some(_) => conflict_regions::unmerged_marker_length(text),
        None => conflict_regions::marker_length(text),
    };
    let Some(size) = size else {
        return match Document::parse(text).conflict_marker_line() {
            None => Ok(None),
            Some(line) => Err(Rejection::new(
                Code::ConflictMarkers,
                format!(
                    "the conflict markers in {path} are incomplete or ambiguous, or show more than two sides, from line {line} on"
                ),
            )
            .hint("fix them manually")),
        };
    };
    let Some(sides) = conflict_markers::split_sides(text, size) else { return Ok(None) };
    // Prefer the base between the markers: it matches the sides as they are now. The index has the base of the whole
    // file, in which the parts merged around the markers would appear as changed on both sides.
    let base = sides.base.clone().or_else(|| base_from_index(index, path, text));
    let [base_label, ours_label, theirs_label] = conflict_regions::marker_labels(text, size);
    let label_or =
        |label: &'static str, found_label: String| if found_label.is_empty() { label.to_owned() } else { found_label };
    let names = [label_or("base", base_label), label_or("ours", ours_label), label_or("theirs", theirs_label)];
    let labels = ConflictLabels { base: &names[0], ours: &names[1], theirs: &names[2], size };
    let merged = match &base {
        Some(base) => merge::merge_file(path.as_str(), base, &sides.ours, &sides.theirs, &labels).text,
        None => text.to_owned(),
    };
    let text = match take {
        Some(take) => conflict_regions::resolve_all(&merged, size, take),
        None => merged,
    };
    let conflicts = conflict_regions::parse_conflicts(&text, size);
    let after = conflict_regions::resolve_all(&text, size, ConflictChoice::Ours);
    Ok(Some(ResolvedFile {
        before: sides.ours,
        after,
        conflicts,
        base_unknown: base.is_none() && take.is_none(),
        text,
    }))
}

/// The common ancestor from git's index, if the file is unmerged there.
fn base_from_index(index: &UnmergedIndex, path: &MemoryPath, text: &str) -> Option<String> {
    let base = index.base(path).filter(|base| conflict_regions::unmerged_marker_length(base).is_none())?;
    // git may have converted the line endings in the work tree.
    if text.contains("\r\n") && !base.contains('\r') { Some(base.replace('\n', "\r\n")) } else { Some(base) }
}

/// The conflicts of a file, each with the bullets of its sides.
pub(super) fn conflicted_file(path: &MemoryPath, conflicts: &[ConflictRegion]) -> ConflictedFile {
    let conflict_row = |conflict: &ConflictRegion| ConflictRow {
        line: conflict.line,
        bullets: differing_metadata(
            [
                (ConflictSide::Base, conflict.base.as_deref()),
                (ConflictSide::Ours, Some(&*conflict.ours)),
                (ConflictSide::Theirs, Some(&*conflict.theirs)),
            ]
            .into_iter()
            .filter_map(|(side, text)| Some((side, Document::parse(text?))))
            .flat_map(|(side, document)| side_bullets(side, &document))
            .collect(),
        ),
        base: conflict.base.clone(),
        ours: conflict.ours.clone(),
        theirs: conflict.theirs.clone(),
    };
    ConflictedFile { path: path.to_string(), conflicts: conflicts.iter().map(conflict_row).collect() }
}

fn side_bullets(side: ConflictSide, document: &Document) -> Vec<SideBullet> {
    let side_bullet = |i| SideBullet {
        side,
        handle: document.handle_name(i),
        text: document.bullet_text(i).into_owned(),
        metadata: document.bullet_meta(i).map(|meta| meta.0.into_iter().collect()).unwrap_or_default(),
    };
    (0..document.bullets().len()).map(side_bullet).collect()
}

/// Leaves each bullet the metadata by which it differs from a bullet with the same text on another side: it is what the
/// conflict is about.
fn differing_metadata(mut bullets: Vec<SideBullet>) -> Vec<SideBullet> {
    let all = bullets.clone();
    for bullet in &mut bullets {
        let others: Vec<&SideBullet> = all.iter().filter(|b| b.side != bullet.side && b.text == bullet.text).collect();
        bullet.metadata.retain(|key, value| others.iter().any(|other| other.metadata.get(key) != Some(value)));
    }
    bullets
}

fn to_resolve_result(change: ChangeResult, extras: ResolveExtras) -> ResolveResult {
    let ResolveExtras { conflicted_files: left, to_stage: add, undecided, dir, .. } = extras;
    let dir = if add.is_empty() && undecided.is_empty() { String::new() } else { dir };
    ResolveResult { change, left, add, undecided, dir }
}
