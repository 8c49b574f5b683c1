//! `context`: what a session should see first, within a token budget.
//!
//! Never takes the lock. What a reader has seen is recorded below `.memdir/` on a best-effort basis. The caller saves
//! that mark, and only after it has printed the answer, so that no updates are lost if printing fails.

mod layers;
mod reader_mark;
mod records;
mod updates;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::item_doubts::{ItemDoubts, read_instructions};
use super::journal_notes::bullet_origins;
use super::layers::Sources;
use super::list_and_read::summary_of;
use super::unread_files::{not_text, unread_sentences, why_unread};
use super::work_branch::branch_at_work;
use super::{Error, Session};
use crate::change::JournalEntry;
use crate::code::{Code, Rejection};
use crate::document::memory_index::{is_index_path, is_memory_index};
use crate::document::{Document, MAX_FILE_BYTES};
use crate::path::{MemoryPath, SourceAddress};
use crate::store::{FoundFile, JournalHistory, RevisionSide, Store};
use crate::text::rule_statements::names_rules;
use crate::view::context::contents::ContextContents;
use crate::view::context::context_filter::ContextFilter;
use crate::view::context::delta::{SeenRevision, UpdateEvent};
use crate::view::context::entries::{RecentEntry, recent_entries};
use crate::view::context::facts::FactCollector;
use crate::view::context::files::{IndexedFile, date_in_name, sort_by_value};
use crate::view::context::layered::{MemoryUpdates, merge_entries, merge_layers, merge_updates};
use crate::view::context::notes::context_notes;
use crate::view::context::page::{ContextOptions, DEFAULT_BUDGET, default_page, index_page};
use crate::view::context::prefilter::ContextPrefilter;
use crate::view::context::remarks::FindRemarks;
use crate::view::context::result::{ContextResult, ContextStyle};
use crate::view::context::{delta, itemize};
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;

use layers::{LayerParts, file_in_layer, layer_note_line, layer_since, note_line, procedures_line};
pub use reader_mark::ReaderMark;
use reader_mark::{FileNames, MemoryMark};
use updates::{DiskFile, FileUpdates};
/// The least number of tokens that an entry or record takes. It bounds how many can fit the budget and so how many are
/// read.
const MIN_ENTRY_TOKENS: usize = 8;
/// A larger file gives no plain facts: parsing it takes longer than all the rest. Its pinned and important items are
/// shown, and the index lists it.
const MAX_FACT_FILE_BYTES: u64 = 4 << 20;
/// The maximum number of files that are read for plain facts: without any, none would stop the search.
const MAX_FACT_FILES: usize = 512;

/// For how many days a fact that an answer showed is worth more than others.
const RECENT_USE_DAYS: i64 = 90;
/// The maximum number of files of which an earlier text is read for the index.
const MAX_EARLIER_SUMMARIES: usize = 64;

/// What a context is to contain, how long it may be, and who reads it.
#[derive(Clone, Debug, Default)]
pub struct ContextRequest {
    pub style: ContextStyle,
    /// The token budget; 2,000 by default.
    pub budget: Option<usize>,
    /// The name of the reader, if given: then changes since its last look are listed.
    pub reader: Option<String>,
    /// The command-line options with which the caller named the data directory, quoted for a shell; printed in
    /// suggested commands.
    pub command_prefix: String,
    /// The reader calls the tools of the MCP server, not commands.
    pub for_tools: bool,
    /// What rarely changes comes first and the updates last, so that a prompt cache holds.
    pub stable: bool,
    /// Rules for paths (`when=`) reach the reader when it touches one: other rules come before them.
    pub path_rules_follow: bool,
    /// Where the reader works: instructions for agents there are compared with what is shown. The working directory by
    /// default.
    pub directory: Option<PathBuf>,
}

/// The context, and the reader mark that the caller must save after printing it.
///
/// # Errors
/// `usage` for a budget that is too small; `io`.
pub fn context(session: &Session, request: &ContextRequest) -> Result<(ContextResult, Option<ReaderMark>), Error> {
    let options = ContextOptions {
        budget: request.budget.unwrap_or(DEFAULT_BUDGET),
        dir_args: request.command_prefix.clone(),
        app: memory_name(session).to_owned(),
        for_tools: request.for_tools,
        stable: request.stable,
        path_rules_follow: request.path_rules_follow,
    };
    if options.budget < options.min_budget() {
        let message = format!("the budget must be at least {} tokens", options.min_budget());
        return Err(Rejection::new(Code::Usage, message).hint("use a larger -b").into());
    }
    let item_filter = ContextFilter { today: session.now.date(), branch: branch_at_work(session) };
    let directory = request.directory.as_deref().unwrap_or(Path::new("."));
    let builder =
        ContextBuilder { session, options: &options, item_filter, reader: request.reader.as_deref(), directory };
    let (context, mark) = session.store.consistent(|| match request.style {
        ContextStyle::Default => builder.default_context(),
        ContextStyle::Index => builder.index_context().map(|context| (context, None)),
        ContextStyle::Records => builder.records_context().map(|context| (context, None)),
    })??;
    Ok((context, mark))
}

/// The name of the memory: the scope's name, else that of the directory that contains `memory/`.
fn memory_name(session: &Session) -> &str {
    let mut names = session.dir.iter().rev().filter_map(|name| name.to_str());
    let is_specific = |name: &&str| !matches!(*name, "memory" | "data" | "/");
    names.find(is_specific).unwrap_or("memory")
}

/// Builds a context from one consistent state of the memory.
struct ContextBuilder<'a> {
    session: &'a Session,
    options: &'a ContextOptions,
    item_filter: ContextFilter,
    reader: Option<&'a str>,
    directory: &'a Path,
}

/// What one memory has for a context, with paths within it.
struct MemoryPart {
    /// What the reader has seen; `None` on its first look.
    since: Option<SeenRevision>,
    events: Vec<UpdateEvent>,
    /// The files that may contain pinned and important items.
    parsed: Vec<ItemizedFile>,
    origins: BulletOrigins,
    listed: Vec<IndexedFile>,
    entries: Vec<RecentEntry>,
    /// The number of files with procedures.
    procedures: usize,
    /// A sentence for each file that could not be read.
    unread: Vec<String>,
    mark: Option<MemoryMark>,
}

/// What is collected from one file.
#[derive(Default)]
struct ScannedFile {
    listed: Option<IndexedFile>,
    parsed: Option<Box<ItemizedFile>>,
    updated: Option<DiskFile>,
    /// Why the file could not be read.
    unread: Option<String>,
}

impl ContextBuilder<'_> {
    fn store(&self) -> &Store {
        &self.session.store
    }

    fn default_context(&self) -> Result<(ContextResult, Option<ReaderMark>), Rejection> {
        let policy = &self.session.policy.policy;
        let MemoryPart { since, events, mut parsed, mut origins, mut listed, mut entries, procedures, unread, mark } =
            self.read_memory()?;
        let own_files = listed.len();
        let own_count = parsed.len();
        let LayerParts { parts, left_out } = self.read_layers(&|layer| layer.read_memory());
        let mut beside: Vec<String> = unread.iter().map(|reason| note_line(reason)).collect();
        let mut updates = vec![MemoryUpdates { layer: None, since, events }];
        let layer_names: Vec<String> = parts.iter().map(|(name, ..)| name.clone()).collect();
        let mut layer_marks = Vec::new();
        for (name, layer, part) in parts {
            let MemoryPart { since, events, parsed: _, origins: own, listed: files, entries: of_layer, .. } = part;
            updates.push(MemoryUpdates {
                layer: Some(name.clone()),
                since: since.map(|s| layer_since(&layer, &name, s)),
                events,
            });
            origins.add_source(&name, own);
            listed.extend(files.into_iter().map(|file| file_in_layer(&name, file)));
            merge_entries(&mut entries, &name, of_layer);
            beside.extend(procedures_line(&name, part.procedures));
            beside.extend(part.unread.iter().map(|reason| layer_note_line(&name, reason)));
            layer_marks.extend(part.mark.map(|mark| (layer.clone(), mark)));
        }
        beside.extend(left_out);
        let (since, events) = merge_updates(updates);
        let Sources { sessions: mut sources, left_out } = self.session.sources()?;
        beside.extend(left_out.iter().map(|note| note_line(note)));
        sources.retain(|(name, _)| self.session.layers.is_none() || layer_names.contains(name));
        parsed.extend(self.shared_files(&sources)?);
        let mut notes = context_notes(&parsed, &origins, policy, &self.item_filter);
        let uses = self.store().usage();
        let today = self.session.now.date();
        let oldest = today.saturating_sub(jiff::Span::new().days(RECENT_USE_DAYS));
        // Uses of today do not count, so that a question does not change the next context.
        let recently_used = |path: &MemoryPath| {
            let shown = uses.shown_bullets(path).filter(|(_, day)| *day >= oldest && *day < today);
            shown.map(|(handle, _)| handle.to_owned()).collect()
        };
        let mut facts = FactCollector::new(policy, &origins, &self.item_filter, &recently_used, self.options);
        self.collect_facts(&listed[..own_files], &mut facts);
        parsed[own_count..].iter().for_each(|file| facts.add_file(file));
        let mut facts = facts.finish(&notes);
        if self.session.layers.is_some() {
            merge_layers(&mut notes, &mut facts.facts, &self.session.layer_names());
        }
        entries.retain(|entry| !entry.is_among(&notes));
        let has_reader = self.reader.is_some();
        let instructions = read_instructions(self.session, self.directory);
        let doubts = ItemDoubts::new(self.session, &instructions);
        let find_remarks: FindRemarks<'_> = &|item| doubts.remarks(item);
        let material = ContextContents {
            beside,
            has_reader,
            since,
            events,
            facts,
            notes,
            entries,
            files: listed,
            procedures,
            find_remarks: Some(find_remarks),
        };
        let mark = mark.map(|own| ReaderMark::new(own, layer_marks));
        Ok((default_page(self.options, &material, policy), mark))
    }

    /// Reads what this builder's memory alone has for a context.
    fn read_memory(&self) -> Result<MemoryPart, Rejection> {
        let policy = &self.session.policy.policy;
        let loaded_mark = self.reader.and_then(|reader| MemoryMark::load(self.store(), reader));
        let past = match self.reader {
            // The journal only serves to order the index, and recent entries are enough for that.
            None => self.store().read_recent_history()?,
            Some(_) => self.store().read_history_since(loaded_mark.as_ref().map_or(u64::MAX, MemoryMark::rev))?,
        };
        let revisions = past.entries();
        let previous_mark = loaded_mark.filter(|m| m.matches_journal(&revisions));
        let files = self.store().walk(None)?;
        let shared = files.iter().map(|f| &f.path).filter(|path| !path.is_in_inbox());
        let current_names = self.reader.map_or_else(FileNames::default, |_| FileNames::join(shared));
        // On the first look there are no updates. Outside edits made before it go into the mark and are never reported.
        let first_mark = self.reader.map(|reader| MemoryMark::new(reader, &revisions, &current_names, HashMap::new()));
        let updates = previous_mark
            .as_ref()
            .or(first_mark.as_ref())
            .map(|mark| FileUpdates::new(mark, &revisions, &current_names));
        let procedures = files.iter().filter(|f| f.path.is_procedure()).count();
        let files: Vec<FoundFile> = files
            .into_iter()
            .filter(|f| {
                self.item_filter.allows_folder(&f.path) || updates.as_ref().is_some_and(|n| n.contains(&f.path))
            })
            .collect();
        let spotter = ContextPrefilter::new(policy);
        let mut scanned = self.store().map_files(&files, MAX_FILE_BYTES, &|file, read| {
            let (bytes, _) = match read {
                Ok(read) => read,
                Err(error) => return ScannedFile { unread: why_unread(&file.path, &error), ..ScannedFile::default() },
            };
            self.scan_file(file, bytes, &spotter, updates.as_ref())
        });
        let unread = unread_sentences(self.session, scanned.iter_mut().filter_map(|s| s.unread.take()));
        let origins = bullet_origins(self.store(), self.session.now.time_zone())?;
        let parsed = scanned.iter_mut().filter_map(|s| s.parsed.take()).map(|found| *found).collect();
        let mut listed: Vec<IndexedFile> = scanned.iter_mut().filter_map(|s| s.listed.take()).collect();
        let today = self.session.now.date().to_string();
        let is_counted =
            |revision: &JournalEntry| !self.options.stable || revision.header.at.get(..10) < Some(today.as_str());
        sort_by_value(&mut listed, &last_writes(&revisions, is_counted));
        if self.options.stable {
            let of_today = revisions.iter().filter(|revision| !is_counted(revision));
            self.take_earlier_summaries(&past, of_today, &mut listed);
        }
        let updated: Vec<DiskFile> = scanned.iter_mut().filter_map(|s| s.updated.take()).collect();
        let (touched, outside_edits) = match &updates {
            Some(news) => news.updated_files(&past, updated, previous_mark.is_some()),
            None => (Vec::new(), HashMap::new()),
        };
        let new_origins = previous_mark.as_ref().map_or_else(BulletOrigins::default, |old| old.new_origins(&revisions));
        Ok(MemoryPart {
            since: previous_mark.as_ref().map(|old| old.since(&revisions)),
            events: delta::update_events(&touched, &new_origins, &self.item_filter),
            entries: self.newest_entries(&listed),
            mark: self.reader.map(|reader| MemoryMark::new(reader, &revisions, &current_names, outside_edits)),
            parsed,
            origins,
            listed,
            procedures,
            unread,
        })
    }

    /// The fact files of the memories that are read together with this one, with paths that name their memory.
    fn shared_files(&self, sources: &[(String, Arc<Session>)]) -> Result<Vec<ItemizedFile>, Rejection> {
        let mut shared = Vec::new();
        for (name, scope) in sources {
            let files = scope.store.walk(None)?;
            let files: Vec<FoundFile> = files.into_iter().filter(|f| f.path.folder() == Some("facts")).collect();
            shared.extend(scope.store.map_files(&files, MAX_FACT_FILE_BYTES as usize, &|file, read| {
                let (bytes, is_whole) = read.ok()?;
                let document = Document::from_bytes(bytes.to_vec()).ok().filter(|_| is_whole)?;
                Some(Box::new(itemize(&SourceAddress::path(name, &file.path), document)))
            }));
        }
        Ok(shared.into_iter().flatten().take(MAX_FACT_FILES).map(|file| *file).collect())
    }

    /// Collects plain facts from the most valuable files, as many as the budget could show: from files of rules first,
    /// from episodes last.
    fn collect_facts(&self, files: &[IndexedFile], facts: &mut FactCollector<'_>) {
        let is_episode = |file: &&IndexedFile| file.path.folder() == Some("episodes");
        let (episodes, others): (Vec<_>, Vec<_>) = files.iter().partition(is_episode);
        let holds_rules = |file: &&IndexedFile| names_rules(file.path.stem()) || names_rules(&file.summary);
        let (rules, others): (Vec<_>, Vec<_>) = others.into_iter().partition(holds_rules);
        for file in rules
            .into_iter()
            .chain(others)
            .chain(episodes)
            .filter(|f| f.size <= MAX_FACT_FILE_BYTES)
            .take(MAX_FACT_FILES)
        {
            if facts.is_full() {
                return;
            }
            let Ok(Some(version)) = self.store().read(&file.path) else { continue };
            if let Ok(document) = Document::from_bytes(version.bytes.to_vec()) {
                facts.add_file(&itemize(&file.path, document));
            }
        }
    }

    /// Scans one file; parses it only if it may contain notes or has changed since the last look.
    fn scan_file(
        &self,
        file: &FoundFile,
        bytes: &[u8],
        spotter: &ContextPrefilter,
        updates: Option<&FileUpdates<'_>>,
    ) -> ScannedFile {
        if self.is_index(file, bytes) {
            return ScannedFile::default();
        }
        let updated = updates.and_then(|news| news.compare(&file.path, bytes));
        if !self.item_filter.allows_folder(&file.path) {
            return ScannedFile { updated, ..ScannedFile::default() };
        }
        // Its facts cannot be shown. The index has it all the same: the least budget has no room for sentences.
        let is_text = memchr::memchr(0, bytes).is_none() && std::str::from_utf8(bytes).is_ok();
        let parsed =
            spotter.may_match(file.path.stem(), bytes).then(|| Document::from_bytes(bytes.to_vec()).ok()).flatten();
        ScannedFile {
            listed: Some(self.list_file(file, bytes)),
            parsed: parsed.map(|document| Box::new(itemize(&file.path, document))),
            updated,
            unread: (!is_text).then(|| not_text(&file.path)),
        }
    }

    /// Whether a file is an agent's index of the others, which repeats them.
    fn is_index(&self, file: &FoundFile, bytes: &[u8]) -> bool {
        is_index_path(&file.path) && is_memory_index(&file.path, &String::from_utf8_lossy(bytes))
    }

    fn list_file(&self, file: &FoundFile, bytes: &[u8]) -> IndexedFile {
        IndexedFile { path: file.path.clone(), size: file.size, summary: summary_of(self.store(), &file.path, bytes) }
    }

    /// The newest entries, from the newest episode files: at most as many as could fit the budget.
    fn newest_entries(&self, files: &[IndexedFile]) -> Vec<RecentEntry> {
        let mut paths: Vec<&MemoryPath> = files.iter().map(|f| &f.path).filter(|p| p.holds_episodes()).collect();
        paths.sort_by(|a, b| date_in_name(b).cmp(&date_in_name(a)).then_with(|| a.cmp(b)));
        let (mut found, mut count) = (Vec::new(), 0);
        for path in paths {
            let Ok(Some(version)) = self.store().read(path) else { continue };
            let Ok(document) = Document::from_bytes(version.bytes.to_vec()) else { continue };
            let episode = itemize(path, document);
            count += episode.document.sections().iter().filter(|s| s.level == 2).count();
            found.push(episode);
            // Stops at one entry more than can fit, so that the answer knows that older ones exist. When the index
            // alone would fill the budget, entries get only about a third of it, so far fewer are needed.
            let index_fills_budget = files.len() * MIN_ENTRY_TOKENS > self.options.budget;
            if count > self.options.budget / if index_fills_budget { 9 * MIN_ENTRY_TOKENS } else { MIN_ENTRY_TOKENS } {
                break;
            }
        }
        recent_entries(&found, &self.session.policy.policy, &self.item_filter)
    }

    /// Gives the files that today's revisions wrote the summaries that they had before, or at first, so that an addition
    /// does not change the index. One that has a term which the file lost since stays as it is now: it would show a
    /// text that was corrected or removed.
    fn take_earlier_summaries<'r>(
        &self,
        past: &JournalHistory,
        of_today: impl Iterator<Item = &'r JournalEntry>,
        listed: &mut [IndexedFile],
    ) {
        let mut first: HashMap<&MemoryPath, u64> = HashMap::new();
        for revision in of_today.filter(|r| r.outcome == crate::change::EntryOutcome::Done) {
            revision.files.iter().for_each(|file| {
                first.entry(&file.path).or_insert(revision.rev);
            });
        }
        let written = listed.iter_mut().filter_map(|file| first.get(&file.path).map(|rev| (file, *rev)));
        for (file, rev) in written.take(MAX_EARLIER_SUMMARIES) {
            let before = past.text(rev, &file.path, RevisionSide::Before);
            // A file that was created today keeps its first summary.
            let first_text = match before {
                Ok(None) => past.text(rev, &file.path, RevisionSide::After),
                known => known,
            };
            if let Ok(Some(version)) = first_text {
                let earlier = summary_of(self.store(), &file.path, &version.bytes);
                if earlier != file.summary && self.has_every_term(&file.path, &earlier) {
                    file.summary = earlier;
                }
            }
        }
    }

    /// Whether a file has every term of an earlier summary of it.
    fn has_every_term(&self, path: &MemoryPath, summary: &str) -> bool {
        let document =
            self.store().read(path).ok().flatten().and_then(|now| Document::from_bytes(now.bytes.to_vec()).ok());
        document.is_some_and(|document| crate::document::summary::has_every_term(&document, summary))
    }

    fn index_context(&self) -> Result<ContextResult, Rejection> {
        let (mut listed, unread) = self.list_files()?;
        let mut beside: Vec<String> = unread.iter().map(|reason| note_line(reason)).collect();
        // The nearest first: where the budget is short, files of farther layers are left out before nearer ones.
        let LayerParts { parts, left_out } = self.read_layers(&|layer| layer.list_files());
        for (name, _, (files, unread)) in parts {
            listed.extend(files.into_iter().map(|file| file_in_layer(&name, file)));
            beside.extend(unread.iter().map(|reason| layer_note_line(&name, reason)));
        }
        beside.extend(left_out);
        Ok(index_page(self.options, &listed, &beside))
    }

    /// The files of this builder's memory that the caller may see, most valuable first, and a sentence for each that
    /// could not be read.
    fn list_files(&self) -> Result<(Vec<IndexedFile>, Vec<String>), Rejection> {
        let store = self.store();
        let revisions = store.recent_entries()?;
        let files = self.visible_files()?;
        let listed_or_unread =
            store.map_files(&files, super::list_and_read::SUMMARY_HEAD_BYTES, &|file, read| match read {
                Ok((bytes, _)) => Ok((!self.is_index(file, bytes)).then(|| self.list_file(file, bytes))),
                Err(error) => Err(why_unread(&file.path, &error)),
            });
        let (mut listed, mut unread) = (Vec::new(), Vec::new());
        for file in listed_or_unread {
            match file {
                Ok(file) => listed.extend(file),
                Err(error) => unread.extend(error),
            }
        }
        sort_by_value(&mut listed, &last_writes(&revisions, |_| true));
        Ok((listed, unread_sentences(self.session, unread.into_iter())))
    }

    /// The files that may be part of a context.
    fn visible_files(&self) -> Result<Vec<FoundFile>, Rejection> {
        Ok(self.store().walk(None)?.into_iter().filter(|f| self.item_filter.allows_folder(&f.path)).collect())
    }
}

/// The newest revision that wrote each file, of those that count.
fn last_writes(revisions: &[JournalEntry], is_counted: impl Fn(&JournalEntry) -> bool) -> HashMap<&MemoryPath, u64> {
    let done = revisions.iter().filter(|r| r.outcome == crate::change::EntryOutcome::Done && is_counted(r));
    done.flat_map(|r| r.files.iter().map(|f| (&f.path, r.rev))).collect()
}
