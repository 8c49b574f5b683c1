//! `check --anchors`: compares the code that anchors name with their hashes, and follows lines that moved.
//!
//! Never changes code, and never follows lines whose new place is not certain. git is called only if a file is gone, or
//! with `--since`.

use std::collections::{BTreeMap, HashMap};

use super::{PlaceCursor, apply_fixes, finding, fix_operation};
use crate::code::{Code, Rejection, escape};
use crate::commands::code_anchors::AnchoredCode;
use crate::commands::fetch::{LoadedJournal, history};
use crate::commands::journal_notes::stale_anchors;
use crate::commands::results::{AnchorRow, AnchorRowState, CheckFinding, CheckReport, FindingLevel};
use crate::commands::{ChangeOptions, CheckOptions, CommandResult, Session};
use crate::document::{Document, Handle, MAX_FILE_BYTES, MetaKey};
use crate::host::git::Git;
use crate::operation::{Action, Operation, Target, inert_metadata};
use crate::path::MemoryPath;
use crate::store::FoundFile;
use crate::text::code_anchor::{AnchorError, CodeAnchor, LineRange, LinesHash};
use crate::text::code_path::CodePath;
use crate::text::code_text::{CodeText, LinesMatch};
use crate::view::stale_anchors::{AnchoredBulletKey, STALE_ANCHORS_NOTE, StaleAnchor, StaleAnchors};

/// How many bytes all searches for moved lines may hash: less than a second.
const MAX_SEARCHED_BYTES: u64 = 512 << 20;

/// A bullet with an anchor.
struct AnchoredBullet {
    path: MemoryPath,
    /// 1-based, of the value in the metadata line.
    line: usize,
    col: usize,
    address: String,
    handle: Handle,
    /// The value as written.
    value: String,
}

/// What a check knows of an anchor.
enum AnchorState {
    /// The lines are in the anchor's place.
    Same,
    /// They are elsewhere in the file; the anchor that names them there.
    Moved(CodeAnchor),
    /// They are nowhere in the file: the reason, if one is known.
    Changed(String),
    /// The file does not exist: the reason.
    Gone(String),
    /// The file does not exist in this clone, and git ignores it.
    NotBuilt,
    /// The value is not valid, or the file must not be read: the reason.
    Refused(String),
}

impl AnchorState {
    fn row_state(&self) -> AnchorRowState {
        match self {
            AnchorState::Same => AnchorRowState::Ok,
            AnchorState::Moved(_) => AnchorRowState::Moved,
            AnchorState::Changed(_) => AnchorRowState::Changed,
            AnchorState::Gone(_) => AnchorRowState::Gone,
            AnchorState::NotBuilt => AnchorRowState::NotBuilt,
            AnchorState::Refused(_) => AnchorRowState::Refused,
        }
    }

    /// What is marked until the next check.
    fn stale(&self) -> Option<StaleAnchor> {
        match self {
            AnchorState::Moved(_) => Some(StaleAnchor::Moved),
            AnchorState::Changed(_) => Some(StaleAnchor::Changed),
            AnchorState::Gone(_) => Some(StaleAnchor::Gone),
            AnchorState::Same | AnchorState::NotBuilt | AnchorState::Refused(_) => None,
        }
    }
}

/// Checks anchors; with `fix`, lets those that moved follow their lines, as one revision.
///
/// # Errors
/// `no_repository`; `revision_not_found`, `no_git`, `git` with `since`; errors of reading the memory; with `fix` those
/// of changing it.
pub fn check_anchors(
    session: &Session,
    selected: &[MemoryPath],
    options: &CheckOptions<'_>,
    change_options: &ChangeOptions,
) -> CommandResult<CheckReport> {
    let code = AnchoredCode::open(session)?;
    let changed_code = options.since.map(|revision| files_changed_since(&code.git, revision)).transpose()?;
    let is_examined =
        |anchor: &CodeAnchor| changed_code.as_ref().is_none_or(|paths| paths.contains(anchor.path.as_str()));
    let is_whole = selected.is_empty() && options.since.is_none();
    let examine = || -> Result<(usize, Vec<(AnchoredBullet, AnchorState)>), Rejection> {
        let (checked, bullets) = anchored_bullets(session, selected)?;
        let states = anchor_states(&code, bullets.iter().map(|b| CodeAnchor::parse(&b.value)), &is_examined);
        let mut examined: Vec<_> =
            bullets.into_iter().zip(states).filter_map(|(bullet, state)| Some((bullet, state?))).collect();
        drop_inert_anchors(session, &mut examined)?;
        Ok((checked, examined))
    };
    let (mut checked, mut examined) = examine()?;
    let (mut fixed, fixes) = (None, if options.fix { fixes(&examined) } else { Vec::new() });
    if !fixes.is_empty() {
        fixed = apply_fixes(session, fixes, change_options)?;
    }
    if fixed.is_some() && !change_options.dry_run {
        // The fixes are committed even if the second check fails.
        (checked, examined) = examine().map_err(|error| Rejection { changed: Some(true), ..error })?;
    }
    if fixed.is_none() || !change_options.dry_run {
        save_stale_anchors(session, &examined, is_whole);
    }
    let below = super::path_prefix(session, options);
    let findings = examined.iter().filter_map(|(bullet, state)| anchor_finding(bullet, state)).collect();
    let anchors = examined.iter().map(|(bullet, state)| anchor_row(bullet, state)).collect();
    Ok(CheckReport { checked, findings, anchors: Some(anchors), fixed, below, frequent_words: 0 })
}

fn files_changed_since(git: &Git, revision: &str) -> Result<std::collections::HashSet<String>, Rejection> {
    git.work_tree()?;
    let commit = git.resolve_commit(revision)?;
    // The merge base, so that later changes on the other branch do not count.
    let fork = git.resolve_commit("HEAD").ok().and_then(|head| git.merge_base(&commit, &head).ok().flatten());
    git.files_changed_since(&fork.unwrap_or(commit))
}

/// The number of files checked, and their bullets with an anchor, in path and line order.
fn anchored_bullets(session: &Session, selected: &[MemoryPath]) -> Result<(usize, Vec<AnchoredBullet>), Rejection> {
    let is_checked =
        |file: &FoundFile| !file.path.is_set_aside() && (selected.is_empty() || selected.contains(&file.path));
    let files: Vec<FoundFile> = session.store.walk(None)?.into_iter().filter(is_checked).collect();
    session.progress.begin_files("checking", files.len());
    let found = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        session.progress.finish_file();
        let Ok((bytes, _)) = read else { return Vec::new() };
        match memchr::memmem::find(bytes, b"anchor=").map(|_| Document::from_bytes(bytes.to_vec())) {
            Some(Ok(document)) if document.conflict_marker_line().is_none() => bullets_of(&file.path, &document),
            _ => Vec::new(),
        }
    });
    session.progress.check()?;
    Ok((files.len(), found.into_iter().flatten().collect()))
}

fn bullets_of(path: &MemoryPath, document: &Document) -> Vec<AnchoredBullet> {
    let (mut found, mut places) = (Vec::new(), PlaceCursor::new(document.text()));
    for (n, bullet) in document.bullets().iter().enumerate() {
        let Some(meta_line) = bullet.meta.map(|meta| document.meta_lines()[meta as usize].line) else { continue };
        let meta = document.bullet_meta(n).unwrap_or_default();
        let Some(value) = meta.raw(MetaKey::Anchor.name()) else { continue };
        let at = document.text()[meta_line.range()].find("anchor=").unwrap_or(0);
        let (line, col) = places.at(meta_line.start as usize + at);
        found.push(AnchoredBullet {
            path: path.clone(),
            line,
            col,
            address: format!("{path}{}", document.bullet_reference(n)),
            handle: document.handles()[n],
            value: value.to_owned(),
        });
    }
    found
}

/// The state of each anchor; `None` for those that are not examined. Each code file is read once.
fn anchor_states(
    code: &AnchoredCode,
    anchors: impl Iterator<Item = Result<CodeAnchor, AnchorError>>,
    is_examined: &dyn Fn(&CodeAnchor) -> bool,
) -> Vec<Option<AnchorState>> {
    let (mut states, mut by_file) = (Vec::new(), BTreeMap::<CodePath, Vec<CheckedAnchor>>::new());
    for (n, anchor) in anchors.enumerate() {
        states.push(None);
        match anchor {
            Err(AnchorError::Path(reason)) => states[n] = Some(AnchorState::Refused(reason.to_owned())),
            Err(AnchorError::Lines) => states[n] = Some(AnchorState::Refused("its lines are not valid".to_owned())),
            Ok(anchor) if !is_examined(&anchor) => {}
            Ok(CodeAnchor { hash: None, .. }) => {
                states[n] = Some(AnchorState::Refused("the anchor has no hash: set it again".to_owned()));
            }
            Ok(CodeAnchor { path, lines, hash: Some(hash) }) => {
                by_file.entry(path).or_default().push(CheckedAnchor { n, lines, hash });
            }
        }
    }
    let mut bytes_left = MAX_SEARCHED_BYTES;
    let mut missing = BTreeMap::new();
    for (path, anchors) in by_file {
        match code.read(&path) {
            Ok(Some(text)) => anchors.iter().for_each(|anchor| {
                states[anchor.n] = Some(anchor.compare(&path, &text, &mut bytes_left));
            }),
            Ok(None) => drop(missing.insert(path, anchors)),
            Err(error) => anchors.iter().for_each(|anchor| {
                states[anchor.n] = Some(AnchorState::Refused(error.message.clone()));
            }),
        }
    }
    if !missing.is_empty() {
        follow_renames(code, &missing, &mut states, &mut bytes_left);
    }
    states
}

/// An anchor whose file is looked at.
struct CheckedAnchor {
    /// Its index among all anchors.
    n: usize,
    lines: Option<LineRange>,
    hash: LinesHash,
}

impl CheckedAnchor {
    fn compare(&self, path: &CodePath, text: &CodeText, bytes_left: &mut u64) -> AnchorState {
        match text.find(self.lines, self.hash, bytes_left) {
            LinesMatch::Same => AnchorState::Same,
            LinesMatch::Moved(lines) => AnchorState::Moved(self.moved_to(path, Some(lines))),
            LinesMatch::Changed => AnchorState::Changed(String::new()),
            LinesMatch::Repeated([one, two]) => {
                AnchorState::Changed(format!("its lines now occur more than once, in lines {one} and {two}"))
            }
        }
    }

    fn moved_to(&self, path: &CodePath, lines: Option<LineRange>) -> CodeAnchor {
        CodeAnchor { path: path.clone(), lines, hash: Some(self.hash) }
    }

    /// As [`CheckedAnchor::compare`], in the file under its new name.
    fn compare_renamed(&self, path: &CodePath, text: &CodeText, bytes_left: &mut u64) -> AnchorState {
        match self.compare(path, text, bytes_left) {
            AnchorState::Same => AnchorState::Moved(self.moved_to(path, self.lines)),
            AnchorState::Changed(reason) if reason.is_empty() => {
                AnchorState::Changed(format!("the file is now {path}"))
            }
            AnchorState::Changed(reason) => AnchorState::Changed(format!("the file is now {path}, and {reason}")),
            other => other,
        }
    }
}

/// Finds the states of anchors to files that do not exist. If git fails, they are gone.
fn follow_renames(
    code: &AnchoredCode,
    missing: &BTreeMap<CodePath, Vec<CheckedAnchor>>,
    states: &mut [Option<AnchorState>],
    bytes_left: &mut u64,
) {
    let names: Vec<&str> = missing.keys().map(CodePath::as_str).collect();
    let (renamed, git_error) = match code.git.renamed_files(&names) {
        Ok(renamed) => (renamed, String::new()),
        Err(error) => (HashMap::new(), format!(", and its new name is unknown: {}", error.message)),
    };
    let unknown: Vec<&str> = names.iter().copied().filter(|name| !renamed.contains_key(*name)).collect();
    let ignored = if unknown.is_empty() { Ok(Default::default()) } else { code.git.ignored_files(&unknown) };
    for (path, anchors) in missing {
        let new_path = renamed.get(path.as_str()).and_then(|name| CodePath::new(name).ok());
        let text = new_path.as_ref().and_then(|new| code.read(new).ok().flatten());
        let is_ignored = ignored.as_ref().is_ok_and(|ignored| ignored.contains(path.as_str()));
        for anchor in anchors {
            states[anchor.n] = Some(match (&new_path, &text) {
                (Some(new), Some(text)) => anchor.compare_renamed(new, text, bytes_left),
                (Some(new), None) => AnchorState::Gone(format!("the file is now {new}, which is not read")),
                (None, _) if is_ignored => AnchorState::NotBuilt,
                (None, _) => AnchorState::Gone(format!("the file does not exist{git_error}")),
            });
        }
    }
}

/// The operations that let moved anchors follow.
fn fixes(examined: &[(AnchoredBullet, AnchorState)]) -> Vec<Operation> {
    let operation = |(bullet, state): &(AnchoredBullet, AnchorState)| {
        let AnchorState::Moved(to) = state else { return None };
        let pairs = vec![(MetaKey::Anchor.name().to_owned(), to.to_string())];
        Some(fix_operation(Action::Set { at: Target::Address(bullet.address.clone()), pairs }))
    };
    examined.iter().filter_map(operation).collect()
}

/// Leaves out stale anchors in metadata lines that belonged to another bullet: they have no effect, which a check of
/// the structure reports. The history is read only where an anchor is stale.
fn drop_inert_anchors(session: &Session, examined: &mut Vec<(AnchoredBullet, AnchorState)>) -> Result<(), Rejection> {
    let stale = examined.iter().filter(|(_, state)| state.stale().is_some());
    let mut inert: BTreeMap<MemoryPath, Vec<Handle>> =
        stale.map(|(bullet, _)| (bullet.path.clone(), Vec::new())).collect();
    if inert.is_empty() {
        return Ok(());
    }
    let journal = LoadedJournal::read(&session.store)?;
    for (path, handles) in &mut inert {
        let Some(version) = session.store.read(path)? else { continue };
        let Ok(document) = Document::from_bytes(version.bytes.to_vec()) else { continue };
        let bullets = inert_metadata::inert_by_history(&document, &history(&journal, path));
        handles.extend(bullets.into_iter().map(|bullet| document.handles()[bullet]));
    }
    let is_inert = |bullet: &AnchoredBullet| inert.get(&bullet.path).is_some_and(|all| all.contains(&bullet.handle));
    examined.retain(|(bullet, state)| state.stale().is_none() || !is_inert(bullet));
    Ok(())
}

/// Notes what is stale for `context` and `query`, where memdir already keeps state. A restricted caller's check sees
/// only a part, so it notes nothing.
fn save_stale_anchors(session: &Session, examined: &[(AnchoredBullet, AnchorState)], is_whole: bool) {
    if session.visibility().is_some() || !session.store.has_machine_state() {
        return;
    }
    let known = stale_anchors(&session.store);
    let mut stale = if is_whole { StaleAnchors::default() } else { known.clone() };
    for (bullet, state) in examined {
        stale.record(AnchoredBulletKey::new(&bullet.path, bullet.handle, &bullet.value), state.stale());
    }
    if stale != known {
        // Without the note nothing is marked.
        drop(session.store.write_note_unlocked(STALE_ANCHORS_NOTE, &stale.to_note()));
    }
}

fn anchor_finding(bullet: &AnchoredBullet, state: &AnchorState) -> Option<CheckFinding> {
    let place = CodeAnchor::parse(&bullet.value).map_or_else(|_| escape(&bullet.value, 60), |anchor| anchor.place());
    let (level, text) = match state {
        AnchorState::Same => return None,
        AnchorState::Moved(to) => (FindingLevel::Warning, format!("moved: {place} is now {}", to.place())),
        AnchorState::Changed(reason) if reason.is_empty() => (FindingLevel::Warning, format!("changed: {place}")),
        AnchorState::Changed(reason) => (FindingLevel::Warning, format!("changed: {place}: {reason}")),
        AnchorState::Gone(reason) => (FindingLevel::Warning, format!("gone: {place}: {reason}")),
        AnchorState::NotBuilt => {
            (FindingLevel::Note, format!("not compared: {place}: the file does not exist here, and git ignores it"))
        }
        AnchorState::Refused(reason) => (FindingLevel::Error, format!("not compared: {place}: {reason}")),
    };
    let mut found = finding(&bullet.path, bullet.line, bullet.col, Code::StaleAnchor, level, text);
    found.fixable = matches!(state, AnchorState::Moved(_));
    Some(found)
}

fn anchor_row(bullet: &AnchoredBullet, state: &AnchorState) -> AnchorRow {
    AnchorRow {
        path: bullet.path.to_string(),
        line: bullet.line,
        col: bullet.col,
        address: bullet.address.clone(),
        anchor: bullet.value.clone(),
        state: state.row_state(),
        to: if let AnchorState::Moved(to) = state { Some(to.to_string()) } else { None },
    }
}
