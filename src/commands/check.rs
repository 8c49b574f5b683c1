//! `check`: reports structural problems in names, texts, links, metadata, summaries and limits; `--fix` fixes those
//! that need no decision.
//!
//! Never edits files directly: fixes are ordinary operations, planned and committed like any other.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

pub(super) mod against;
mod anchors;
mod branches;
pub(super) mod contradictions;
mod file_names;
mod hidden_items;
mod index_lines;
pub(super) mod links;
mod metadata_values;
mod places;
mod rot;
mod rot_index;
mod rot_links;
mod rot_memories;
mod rule_globs;
mod stale;
mod unclosed_blocks;
mod writing_rules;

use super::change::{commit_loop, dry_run_result, note_no_operations, plan_in_context};
use super::conflict_finder::ConflictFinder;
use super::fetch::{LoadedJournal, history, last_summary};
use super::layer_names::{error_in_layer, name_layer_in_report};
use super::layers::AddressesInLayer;
use super::results::{ChangeResult, CheckFinding, CheckReport, FindingLevel};
use super::unread_files::LINKED_FOLDER;
use super::{ChangeOptions, CommandResult, Session, list_and_read};
use crate::change::JournalEntry;
use crate::code::{Code, Rejection};
use crate::document::link_names::LinkNames;
use crate::document::memory_index::{is_index_path, is_memory_index};
use crate::document::summary::FileKind;
use crate::document::{Document, MAX_FILE_BYTES, summary};
use crate::host::git::Git;
use crate::operation::file_change::file_kind;
use crate::operation::validation::MAX_BULLET_BYTES;
use crate::operation::{Action, Batch, Operation, PlanContext, Snapshot, Target, inert_metadata, limits};
use crate::path::MemoryPath;
use crate::policy::LimitMeasure;
use crate::store::FoundFile;
use places::{LineIndex, PlaceCursor};

pub use rot::check_rot;
pub use rot_memories::FolderReader;

/// What is checked, and whether it is fixed.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckOptions<'a> {
    /// Report only findings on lines that changed since this git revision.
    pub since: Option<&'a str>,
    /// Also check the writing rules.
    pub writing: bool,
    /// Also report bullets that age has left little confidence, or whose last valid day is over.
    pub stale: bool,
    /// Report contradictions and stale bullets as warnings, which are findings, instead of notes.
    pub strict: bool,
    /// Check the code that anchors name, and nothing else.
    pub anchors: bool,
    /// Files outside the memory, which are compared with it and never written.
    pub against: &'a [PathBuf],
    /// Fix what needs no decision.
    pub fix: bool,
    /// Name the files from the root of the git repository, if there is one, not from the working directory.
    pub paths_from_root: bool,
}

/// Reports structural problems; with `fix`, fixes those that need no decision.
///
/// # Errors
/// The error of resolving an address or reading the directory; `revision_not_found`, `no_repository`, `git` with
/// `since`; `file_not_found`, `unsafe_file`, `not_text`, `too_large`, `io` for a file of `against`. Findings are not an
/// error here: the command line turns them into the exit status of `findings`.
pub fn check(
    session: &Session,
    files: &[String],
    options: &CheckOptions<'_>,
    change_options: &ChangeOptions,
) -> CommandResult<CheckReport> {
    if let Some(AddressesInLayer { layer, addresses, session: inner }) = session.layer_of_addresses(files)? {
        let report =
            check(&inner, &addresses, options, change_options).map_err(|error| error_in_layer(error, &layer))?;
        return Ok(if session.is_own_layer(&layer) { report } else { name_layer_in_report(report, &layer) });
    }
    files.iter().try_for_each(|file| session.require_own_scope(file))?;
    let selected: Vec<MemoryPath> = files
        .iter()
        .map(|f| list_and_read::resolve_address(session, f).map(|n| n.path))
        .collect::<Result<_, Rejection>>()?;
    if options.anchors {
        return anchors::check_anchors(session, &selected, options, change_options);
    }
    if options.fix && options.since.is_some() {
        return Err(Rejection::new(Code::Usage, "--since cannot be used with --fix, except with --anchors").into());
    }
    let mut examined = examine(session, &selected, options)?;
    let mut fixed = None;
    if options.fix && !examined.fixes.is_empty() {
        fixed = apply_fixes(session, std::mem::take(&mut examined.fixes), change_options)?;
        if !change_options.dry_run {
            let was_changed = fixed.as_ref().is_some_and(|fixed| fixed.changed);
            // The fixes are committed even if the second check fails; the error's `changed` must report that.
            examined = examine(session, &selected, options)
                .map_err(|error| Rejection { changed: Some(was_changed), ..error })?;
        }
    }
    let findings = match options.since {
        Some(revision) => super::findings_since::findings_since(session, revision, examined.findings)?,
        None => examined.findings,
    };
    let below = path_prefix(session, options);
    let frequent_words = examined.frequent_words.len();
    Ok(CheckReport { checked: examined.checked, findings, anchors: None, fixed, below, frequent_words })
}

/// The prefix that turns a finding's path into one that the reader of the findings can open; `None` for paths in the
/// data directory.
fn path_prefix(session: &Session, options: &CheckOptions<'_>) -> Option<String> {
    match (options.paths_from_root, options.since) {
        (true, _) => {
            Some(Git::in_dir(&session.dir).work_tree().map_or_else(|_| session.path_prefix(), |(_, below)| below))
        }
        (false, Some(_)) => Some(session.path_prefix()),
        (false, None) => None,
    }
}

struct ExaminedFiles {
    checked: usize,
    findings: Vec<CheckFinding>,
    fixes: Vec<Operation>,
    frequent_words: HashSet<String>,
}

/// What is collected from one file: its findings, fixes, ids with their lines, and links.
#[derive(Default)]
struct FileFindings {
    findings: Vec<CheckFinding>,
    fixes: Vec<Operation>,
    ids: Vec<(String, usize)>,
    links: Vec<links::CheckedLink>,
    against: against::OutsideMatches,
    branches: Vec<branches::BranchBullet>,
    frequent_words: HashSet<String>,
}

fn examine(session: &Session, selected: &[MemoryPath], options: &CheckOptions<'_>) -> Result<ExaminedFiles, Rejection> {
    let all = session.store.walk(None)?;
    let linked_folders = session.store.linked_folders();
    let checked_files: Vec<FoundFile> = all
        .iter()
        .filter(|f| !f.path.is_set_aside() && (selected.is_empty() || selected.contains(&f.path)))
        .cloned()
        .collect();
    let journal = LoadedJournal::read(&session.store)?;
    let outside_texts = against::read_outside_texts(session, options.against)?;
    let outside = against::OutsideIndex::of(&outside_texts);
    session.progress.begin_files("checking", checked_files.len());
    let unmerged = ConflictFinder::new(session);
    let each = session.store.map_files(&checked_files, MAX_FILE_BYTES, &|file, read| {
        let findings = examine_file(session, &journal, file, read, options, (&outside, &unmerged));
        session.progress.finish_file();
        findings
    });
    session.progress.begin("checking links");
    let mut examined = ExaminedFiles {
        checked: checked_files.len(),
        findings: policy_findings(session, selected),
        fixes: Vec::new(),
        frequent_words: HashSet::new(),
    };
    let linked = linked_folders.into_iter().filter(|_| selected.is_empty()).map(|path| CheckFinding {
        path,
        line: 0,
        col: 1,
        level: FindingLevel::Error,
        code: Code::UnsafeFile.name(),
        text: format!("is not opened: {LINKED_FOLDER}"),
        ..CheckFinding::default()
    });
    examined.findings.extend(linked);
    let mut ids: HashMap<String, (MemoryPath, usize)> = HashMap::new();
    let (mut file_links, mut outside_matches, mut branch_bullets) = (Vec::new(), Vec::new(), Vec::new());
    for (file, file_findings) in checked_files.iter().zip(each) {
        examined.findings.extend(file_findings.findings);
        examined.fixes.extend(file_findings.fixes);
        examined.frequent_words.extend(file_findings.frequent_words);
        for (id, line) in file_findings.ids {
            match ids.get(&id) {
                Some((other, _)) if *other != file.path => {
                    let text = format!("the id {id} is also used in {other}");
                    let level = FindingLevel::Warning;
                    examined.findings.push(finding(&file.path, line, 1, Code::DuplicateId, level, text));
                }
                _ => drop(ids.insert(id, (file.path.clone(), line))),
            }
        }
        file_links.push((&file.path, file_findings.links));
        outside_matches.push(file_findings.against);
        branch_bullets.push((&file.path, file_findings.branches));
    }
    examined.findings.extend(against::contradictions(outside_matches));
    let level = if options.strict { FindingLevel::Warning } else { FindingLevel::Note };
    examined.findings.extend(branches::branch_findings(session, branch_bullets, level));
    examined.findings.extend(links::dangling_links(session, &file_links, &LinkNames::new(all.iter().map(|f| &f.path))));
    examined.findings.extend(file_names::name_findings(&all, selected));
    if session.visibility().is_none() {
        examined.findings.extend(file_names::other_inbox_files(&all, selected));
    }
    if selected.is_empty() || selected.iter().any(is_index_path) {
        let (findings, fix) = index_lines::index_findings(session, &all)?;
        examined.findings.extend(findings);
        examined.fixes.extend(fix);
    }
    examined.findings.sort_by(|a, b| (&a.path, a.line, a.col).cmp(&(&b.path, b.line, b.col)));
    Ok(examined)
}

fn finding(path: &MemoryPath, line: usize, col: usize, code: Code, level: FindingLevel, text: String) -> CheckFinding {
    CheckFinding { path: path.to_string(), line, col, level, code: code.name(), text, ..CheckFinding::default() }
}

fn policy_findings(session: &Session, selected: &[MemoryPath]) -> Vec<CheckFinding> {
    if !selected.is_empty() {
        return Vec::new();
    }
    let at = |level, code: Code, text: &str| CheckFinding {
        path: "memdir.yaml".into(),
        line: 0,
        col: 1,
        level,
        code: code.name(),
        text: text.to_owned(),
        ..CheckFinding::default()
    };
    let refused = session.policy.refuses_writes.iter().map(|r| at(FindingLevel::Error, r.code, &r.message));
    let is_refusal = |message: &str| session.policy.refuses_writes.as_ref().is_some_and(|r| r.message == message);
    // What is wrong with the layers is in the user config or in the policies of other memories.
    let of_layers = session.layer_warnings();
    let warnings = session.policy.warnings.iter().filter(|w| !is_refusal(&w.message) && !of_layers.contains(w));
    let warned = warnings.map(|w| at(FindingLevel::Warning, w.code, &w.message));
    refused.chain(warned).collect()
}

fn examine_file(
    session: &Session,
    journal: &LoadedJournal,
    file: &FoundFile,
    read: Result<(&[u8], bool), Rejection>,
    options: &CheckOptions<'_>,
    (outside, unmerged): (&against::OutsideIndex<'_>, &ConflictFinder<'_>),
) -> FileFindings {
    let mut file_findings = FileFindings::default();
    let path = &file.path;
    let mut push =
        |line, col, code, level, text| file_findings.findings.push(finding(path, line, col, code, level, text));
    if let Some(reason) = path.odd() {
        push(0, 1, Code::OddName, FindingLevel::Warning, format!("can be read but not written: {reason}"));
    }
    let bytes = match (file.unsafe_reason, read) {
        (Some(reason), _) => {
            push(0, 1, Code::UnsafeFile, FindingLevel::Error, format!("is not opened: {reason}"));
            return file_findings;
        }
        (None, Err(error)) => {
            push(0, 1, error.code, FindingLevel::Error, error.message);
            return file_findings;
        }
        (None, Ok((bytes, _))) => bytes,
    };
    let document = match Document::from_bytes(bytes.to_vec()) {
        Ok(document) => document,
        Err(error) => {
            let error = crate::operation::snapshot::not_text_rejection(path, error);
            push(0, 1, error.code, FindingLevel::Error, error.message);
            return file_findings;
        }
    };
    if let Some(line) = unmerged.conflict_line(path, &document) {
        push(
            line,
            1,
            Code::ConflictMarkers,
            FindingLevel::Error,
            "has an unresolved merge conflict; the file is read-only until it is resolved".into(),
        );
        return file_findings;
    }
    if let Some(line) = document.leftover_marker_line() {
        let message = "is a conflict marker that was left over; delete the line";
        push(line, 1, Code::ConflictMarkers, FindingLevel::Error, message.into());
    }
    examine_document(session, journal, path, &document, &mut file_findings);
    if path.odd().is_some() {
        file_findings.fixes.clear();
        file_findings.findings.iter_mut().for_each(|found| found.fixable = false);
    }
    let level = if options.strict { FindingLevel::Warning } else { FindingLevel::Note };
    if options.stale {
        file_findings.findings.extend(stale::stale_findings(session, path, &document, level));
    }
    if file_kind(path) == FileKind::Facts {
        let (found, frequent_words) =
            contradictions::contradictions(&journal.entries, path, &document, level, session.now.date());
        file_findings.findings.extend(found);
        file_findings.frequent_words = frequent_words;
        file_findings.against = outside.matches(&journal.entries, path, &document, level);
    }
    if options.writing {
        file_findings.findings.extend(writing_rules::writing_findings(session, path, &document));
    }
    file_findings
}

fn examine_document(
    session: &Session,
    journal: &LoadedJournal,
    path: &MemoryPath,
    document: &Document,
    file_findings: &mut FileFindings,
) {
    collect_ids(path, document, file_findings);
    // Fixes of an index would be a second change of the file that the fix of its lines writes.
    if !is_memory_index(path, document.text()) {
        orphan_metadata(path, document, file_findings);
        stray_metadata(journal, path, document, file_findings);
        stale_summary(&journal.entries, path, document, file_findings);
    }
    oversized_parts(session, path, document, file_findings);
    file_findings.findings.extend(unclosed_blocks::unclosed_blocks(path, document));
    file_findings.findings.extend(hidden_items::hidden_items(path, document));
    file_findings.findings.extend(rule_globs::unmatchable_globs(path, document));
    file_findings.findings.extend(metadata_values::invalid_values(path, document));
    file_findings.branches = branches::branch_bullets(path, document);
    file_findings.links = links::checkable_links(path, document);
}

/// The ids of a file, each with its line, and those that are used twice.
fn collect_ids(path: &MemoryPath, document: &Document, file_findings: &mut FileFindings) {
    let (mut seen, lines): (HashMap<String, usize>, _) = (HashMap::new(), LineIndex::of(document.text()));
    let sections = document.sections().iter().filter_map(|s| Some((s.id.clone()?, s.heading.start as usize)));
    let bullets = (0..document.bullets().len())
        .filter_map(|i| Some((document.bullet_id(i)?.into_owned(), document.bullets()[i].line_start as usize)));
    for (id, at) in sections.chain(bullets) {
        let line = lines.line(at);
        if let Some(first) = seen.insert(id.clone(), line) {
            let text = format!("the id {id} is also used in line {first}");
            file_findings.findings.push(finding(path, line, 1, Code::DuplicateId, FindingLevel::Error, text));
        } else {
            file_findings.ids.push((id, line));
        }
    }
}

fn orphan_metadata(path: &MemoryPath, document: &Document, file_findings: &mut FileFindings) {
    let text = document.text();
    let lines = LineIndex::of(text);
    let mut is_single: HashMap<&str, bool> = HashMap::new();
    for meta in document.meta_lines().iter().filter(|m| m.bullet.is_none()) {
        let line_text = &text[meta.line.range()];
        let line = lines.line(meta.line.start as usize);
        let fixable = *is_single.entry(line_text).or_insert_with(|| text.matches(line_text).nth(1).is_none());
        let message = "the metadata line belongs to no bullet and has no effect".to_owned();
        let mut found = finding(path, line, 1, Code::OrphanMetadata, FindingLevel::Warning, message);
        found.fixable = fixable;
        file_findings.findings.push(found);
        if fixable {
            let pairs = vec![(line_text.to_owned(), String::new())];
            file_findings.fixes.push(fix_operation(Action::Patch {
                at: Target::Address(path.to_string()),
                pairs,
                archive: false,
            }));
        }
    }
}

/// Metadata lines that appeared under a bullet which had none before; they have no effect. The fix removes such a line
/// by setting each of its keys to an empty value.
fn stray_metadata(journal: &LoadedJournal, path: &MemoryPath, document: &Document, file_findings: &mut FileFindings) {
    if !inert_metadata::has_metadata_lines(document) {
        return;
    }
    let (history, lines) = (history(journal, path), LineIndex::of(document.text()));
    for bullet in inert_metadata::inert_by_history(document, &history) {
        let Some(at) = document.bullets()[bullet].meta.map(|m| document.meta_lines()[m as usize].line.start) else {
            continue;
        };
        let line = lines.line(at as usize);
        let handle = document.handle_name(bullet);
        let message = format!("the metadata line under @{handle} belonged to another bullet and has no effect");
        let mut found = finding(path, line, 1, Code::OrphanMetadata, FindingLevel::Warning, message);
        found.fixable = document.bullets_by_handle(&handle).len() == 1;
        if found.fixable {
            let keys = document.bullet_meta(bullet).unwrap_or_default().0;
            let pairs = keys.into_iter().map(|(key, _)| (key, String::new())).collect();
            file_findings
                .fixes
                .push(fix_operation(Action::Set { at: Target::Address(format!("{path}@{handle}")), pairs }));
        }
        file_findings.findings.push(found);
    }
}

fn fix_operation(action: Action) -> Operation {
    Operation { action, seen: None, if_match: None, reason: Some("check --fix".into()), source: None }
}

fn oversized_parts(session: &Session, path: &MemoryPath, document: &Document, file_findings: &mut FileFindings) {
    let lines = LineIndex::of(document.text());
    for (i, bullet) in document.bullets().iter().enumerate() {
        let size = document.bullet_raw(i).len();
        if size > MAX_BULLET_BYTES {
            let line = lines.line(bullet.line_start as usize);
            let text = format!("the bullet has {size} bytes; memdir writes at most 8 KiB");
            file_findings.findings.push(finding(path, line, 1, Code::TooLarge, FindingLevel::Warning, text));
        }
    }
    for (s, section) in document.sections().iter().enumerate().filter(|_| limits::limits_apply_to(path)) {
        let slug = (s != 0).then_some(section.slug.as_str());
        let mut size = None;
        for measure in [LimitMeasure::Bullets, LimitMeasure::Entries, LimitMeasure::Chars] {
            let Some((most, _)) = session.policy.policy.maximum_for(path, slug, measure) else { continue };
            let count = size.get_or_insert_with(|| limits::section_size(document, s)).measured(measure);
            if count > most {
                let line = lines.line(section.heading.start as usize);
                let text = format!("holds {}; the policy allows {most}", limits::counted_measure(count, measure));
                file_findings.findings.push(finding(path, line, 1, Code::LimitReached, FindingLevel::Warning, text));
            }
        }
    }
}

fn stale_summary(journal: &[JournalEntry], path: &MemoryPath, document: &Document, file_findings: &mut FileFindings) {
    let Some(present) = document.summary_line() else { return };
    let line = LineIndex::of(document.text()).line(present.line.start as usize);
    let mut found = |text: String, fixable| {
        let mut f = finding(path, line, 1, Code::StaleSummary, FindingLevel::Warning, text);
        f.fixable = fixable;
        file_findings.findings.push(f);
    };
    let last = last_summary(journal, path);
    if let summary::SummaryUpdate::Write { splice, .. } =
        summary::update_summary(document, document, file_kind(path), Some(last.as_deref()))
    {
        found(
            match document.text()[present.value.range()].trim() {
                "" => "the summary line is empty".into(),
                _ => "the summary line lists terms that are no longer in the file".into(),
            },
            true,
        );
        let after = crate::text::splice(document.text(), &[splice]).map(Document::parse);
        let value = after.map(|d| crate::view::outline::summary_value(&d)).unwrap_or_default();
        let pairs = vec![("summary".to_owned(), value)];
        file_findings.fixes.push(fix_operation(Action::Set { at: Target::Address(path.to_string()), pairs }));
        return;
    }
    let waiting = summary::pending_terms(document, file_kind(path));
    if !waiting.is_empty() {
        found(format!("{} terms do not fit in the summary line", waiting.len()), false);
    }
}

fn apply_fixes(
    session: &Session,
    operations: Vec<Operation>,
    options: &ChangeOptions,
) -> Result<Option<ChangeResult>, super::Error> {
    session.may_write()?;
    let context = PlanContext { force: true, ..session.plan_context() };
    if options.dry_run {
        let mut snapshot = Snapshot::new();
        let changeset = plan_in_context(session, &mut snapshot, &operations, &context)?;
        let mut planned = dry_run_result(&changeset, &snapshot);
        note_no_operations(&mut planned);
        return Ok(Some(planned));
    }
    let (locked, warnings) = session.store.lock()?;
    let batch = Batch { reason: Some("check --fix".into()), ..Batch::default() };
    let changed = commit_loop(session, &locked, &batch, warnings, || {
        let mut snapshot = Snapshot::new();
        let changeset = plan_in_context(session, &mut snapshot, &operations, &context)?;
        Ok((changeset, snapshot))
    })?;
    Ok(Some(changed))
}
