//! `query`: finds the items that match a question, best first (ARCHITECTURE.md, "Ranking").
//!
//! Never takes the lock and never writes; there is no index. Every file is read through the store's handles.

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use memchr::memmem;

use super::allowlist_filter::{check_categories, session_for_agent};
use super::journal_notes::{bullet_origins, with_stale_anchors};
use super::layers::{Sources, layer_left_out};
use super::point_in_time::{PointInTime, find_revision, parse_point_in_time};
use super::scope_session::left_out_note;
use super::unread_files::{unread_sentences, why_unread};
use super::vector_search::{self, PendingVector};
use super::{CommandResult, ProgressNotes, Session};
use crate::code::{Code, Rejection};
use crate::document::link_names::LinkNames;
use crate::document::{Document, MAX_FILE_BYTES};
use crate::path::{ALL_SCOPES, MemoryPath};
use crate::policy::path_globs::GlobWork;
use crate::store::scopes::ScopeState;
use crate::store::{FoundFile, Store};
use crate::text::language::{DetectedLanguage, detect_language};
use crate::view::overruled::{LayeredText, overruled_pairs};
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::{FileCounts, ItemizedFile, ScanDepth, count_terms};
use crate::view::query::filter::{FilterResult, ItemFilter, QueryOptions};
use crate::view::query::item_facts::{ItemFacts, TimeBound};
use crate::view::query::linked::{LinkedFiles, LinkedItemFinder, has_relations};
use crate::view::query::prefilter::TermPrefilter;
use crate::view::query::query_row::QueryRow;
use crate::view::query::result::{QueryResult, ScopeMatches, query_result_with_hits};
use crate::view::query::score::rank;
use crate::view::query::terms::QueryTerms;
use crate::view::query::typos::TypoFinder;
use crate::view::query::vector_score::{VectorQuery, has_vectors};

/// What every file with a rule for paths contains.
const WHEN_KEY: &[u8] = b"when=";
/// The number of files, the first in path order, that are always split into items: a sample for the mean item length
/// that the ranking needs.
const SAMPLE_FILES: usize = 8;
/// A larger file that contains a term, in bytes, is not copied out of the buffer that it was read to.
const MAX_COPIED_BYTES: usize = 1 << 20;
/// The number of rows of several layers, the best, that are compared with each other.
const MAX_COMPARED_ROWS: usize = 200;

/// The number of files that tell the language of a memory.
const LANGUAGE_SAMPLE_FILES: usize = 2;
/// Files that are larger, in bytes, are not read for that.
const MAX_LANGUAGE_SAMPLE_BYTES: usize = 32 * 1024;

/// Finds the items that match a question.
///
/// # Errors
/// `category_not_allowed` for a category that the caller or the agent of the query may not see; `usage` for a question
/// without words and filters, and for invalid points in time; `file_not_found` for a glob that matches no file;
/// `revision_not_found`; `scope_not_allowed` for all scopes, in one of them; `io`.
pub fn query(session: &Session, options: &QueryOptions) -> CommandResult<QueryResult> {
    query_with_overrides(session, options, &TextOverrides::new())
}

/// Texts that replace those on disk, by path; `None` for a file that is removed.
pub type TextOverrides = HashMap<MemoryPath, Option<Vec<u8>>>;

/// Like [`query`], with texts that are not written yet.
pub fn query_with_overrides(
    session: &Session,
    options: &QueryOptions,
    overrides: &TextOverrides,
) -> CommandResult<QueryResult> {
    if options.query.trim().is_empty() && !options.has_filters() {
        return Err(Rejection::new(Code::Usage, "the query has no words and no filter")
            .hint("give words or a filter such as --tag, --category or --since")
            .into());
    }
    match options.scope.as_deref() {
        None => query_with_shared(session, options, overrides),
        Some(ALL_SCOPES) => query_all_scopes(session, options, overrides),
        // A scope only narrows a search. One that does not exist contains nothing; the name may be another program's. The
        // answer says so, because a program that always sends a name would wonder why it finds nothing.
        Some(name) => match session.session_in_scope(name) {
            Ok(scope) => {
                let result = query_one(&scope, options, overrides)?;
                let is_other = scope.dir != session.dir;
                Ok(QueryResult { scope: result.scope.filter(|_| is_other), ..result })
            }
            Err(error) if matches!(error.code, Code::ScopeNotFound | Code::ScopeNotAllowed) => {
                restrict_to_agent(session, options)?;
                let left_out = vec![format!("{}, so nothing was searched", error.message)];
                Ok(QueryResult { left_out, ..no_result(options) })
            }
            Err(error) => Err(error.into()),
        },
    }
}

/// Searches the session's own memory, and the scopes that are shared with it or its layers: their items come along,
/// each where its relevance puts it. What a nearer layer contradicts names the item that overrules it.
fn query_with_shared(
    session: &Session,
    options: &QueryOptions,
    overrides: &TextOverrides,
) -> CommandResult<QueryResult> {
    session.require_layers_of(&options.within)?;
    let Sources { sessions: shared, left_out } = session.sources()?;
    if shared.is_empty() && left_out.is_empty() {
        return query_one(session, options, overrides);
    }
    let own_name = session.layers.as_ref().map(|layers| layers.own.as_str());
    // The globs may name files of one of the memories only.
    let mut not_found = None;
    let mut own = match query_one(session, &options_in(options, own_name), overrides) {
        Err(error) if error.code() == Code::FileNotFound => {
            not_found = Some(error);
            no_result(options)
        }
        result => result?,
    };
    own.left_out.extend(left_out);
    for (name, scope) in &shared {
        match query_one(scope, &options_in(options, Some(name)), &TextOverrides::new()) {
            Ok(result) => {
                not_found = None;
                own.join_source(name, result, options);
            }
            Err(error) if error.code() == Code::FileNotFound => {}
            Err(error) if session.layers.is_some() => own.left_out.push(layer_left_out(name, &error)),
            Err(error) => return Err(error),
        }
    }
    if let Some(error) = not_found {
        return Err(error);
    }
    if session.layers.is_some() {
        note_overruled(session, &mut own.items);
    }
    Ok(own)
}

/// The options for the memory of this name: a glob with a name in front, `mine:style`, is for that memory alone. In
/// others it matches nothing, because no path has a colon.
fn options_in(options: &QueryOptions, name: Option<&str>) -> QueryOptions {
    let within = options.within.iter().map(|glob| match glob.split_once(':') {
        Some((source, "")) if Some(source) == name => "**",
        Some((source, rest)) if Some(source) == name => rest,
        _ => glob,
    });
    QueryOptions { within: within.map(str::to_owned).collect(), ..options.clone() }
}

/// Notes by which item of a nearer layer an item is overruled.
fn note_overruled(session: &Session, rows: &mut [QueryRow]) {
    let layers = session.layer_names();
    let compared = rows.iter().take(MAX_COMPARED_ROWS);
    let texts: Vec<LayeredText<'_>> = compared.map(|row| LayeredText::new(&row.path, &row.text, &layers)).collect();
    for (far, near) in overruled_pairs(&texts) {
        rows[far].overruled_by = Some(rows[near].address.clone());
    }
}

/// Searches the memory and all its scopes, each for itself. The budget is that of all results together.
fn query_all_scopes(
    session: &Session,
    options: &QueryOptions,
    overrides: &TextOverrides,
) -> CommandResult<QueryResult> {
    session.require_no_scope()?;
    let options = QueryOptions { scope: None, ..options.clone() };
    let mut not_found = None;
    let mut search_one = |session: &Session, options: &QueryOptions, overrides: &TextOverrides| match query_one(
        session, options, overrides,
    ) {
        Err(error) if error.code() == Code::FileNotFound => {
            not_found = Some(error);
            Ok(no_result(options))
        }
        result => result,
    };
    let mut all = search_one(session, &options, overrides)?;
    let mut left = options.budget;
    for name in session.store.scope_names(ScopeState::Live)? {
        left = left.map(|left| left.saturating_sub(all.scopes.last().map_or(all.tokens, |scope| scope.tokens)));
        let scope = match session.session_in_scope(&name) {
            Ok(scope) => scope,
            Err(error) if error.code == Code::ScopeNotFound => continue,
            Err(error) if error.code == Code::InvalidPolicy => {
                all.left_out.push(left_out_note(&error));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let result = search_one(&scope, &QueryOptions { budget: left, ..options.clone() }, &TextOverrides::new())?;
        if result.found > 0 {
            let QueryResult { items, shown, found, tokens, .. } = result;
            all.scopes.push(ScopeMatches { scope: name, items, shown, found, tokens });
        }
    }
    match not_found {
        Some(error) if all.found == 0 && all.scopes.is_empty() => Err(error),
        _ => {
            all.count_scopes();
            Ok(QueryResult { scope: Some(ALL_SCOPES.to_owned()), ..all })
        }
    }
}

/// The session for the agent of the query, if it names one.
///
/// # Errors
/// `category_not_allowed` for a category that it may not see.
fn restrict_to_agent(session: &Session, options: &QueryOptions) -> Result<Option<Session>, Rejection> {
    let restricted = options.agent.as_deref().map(|agent| session_for_agent(session, agent));
    let visibility = match &restricted {
        Some((_, visibility)) => visibility.clone(),
        None => session.visibility(),
    };
    if let Some(visibility) = visibility {
        check_categories(&visibility, &options.categories)?;
    }
    Ok(restricted.map(|(session, _)| session))
}

/// Searches one memory; for a query that names an agent, only what that agent may see.
fn query_one(session: &Session, options: &QueryOptions, overrides: &TextOverrides) -> CommandResult<QueryResult> {
    let restricted = restrict_to_agent(session, options)?;
    let session = restricted.as_ref().unwrap_or(session);
    let store = &session.store;
    let filter = ItemFilter {
        options,
        since: options.since.as_deref().map(|w| parse_point(session, store, w, false)).transpose()?,
        until: options.until.as_deref().map(|w| parse_point(session, store, w, true)).transpose()?,
        today: session.now.date(),
        decay: session.policy.policy.decay,
        glob_work: GlobWork::default(),
    };
    let vector = if options.vectors == Some(true) { vector_search::begin(session, &options.query) } else { None };
    Ok(store.consistent(|| search(session, &filter, overrides, vector.as_ref()))??)
}

/// Searches one consistent state of the memory.
fn search(
    session: &Session,
    filter: &ItemFilter<'_>,
    overrides: &TextOverrides,
    vector: Option<&PendingVector>,
) -> Result<QueryResult, Rejection> {
    let (store, progress) = (&session.store, &session.progress);
    let options = filter.options;
    let files = searched_files(store, options, overrides)?;
    let mut terms = QueryTerms::parse_with(&options.query, filter.today, || memory_language(store, &files));
    progress.begin_files("searching", files.len());
    if terms.all.is_empty() && !options.query.trim().is_empty() {
        return Ok(no_result(options));
    }
    let mut counted = count_files(store, &files, options, &terms, overrides, progress);
    progress.check()?;
    let typos = TypoFinder::new(&terms, &counted);
    if let Some(typos) = typos {
        let similar =
            store.map_files(&files, MAX_FILE_BYTES, &|file, read| match searched_bytes(file, read, overrides) {
                Some(bytes) if !progress.is_cancelled() => typos.find(bytes),
                _ => Vec::new(),
            });
        if terms.add_substitutes(similar.into_iter().flatten().collect()) {
            progress.begin_files("searching", files.len());
            counted = count_files(store, &files, options, &terms, overrides, progress);
        }
        progress.check()?;
    }
    let unread = unread_sentences(session, counted.iter_mut().filter_map(|counts| counts.unread.take()));
    let terms = &terms;
    progress.begin("ranking");
    let vectors = vector.and_then(|vector| vector.wait(session));
    let wordless = vectors.map_or_else(Vec::new, |_| wordless_files(store, &files, &counted, overrides));
    let origins = if !wordless.is_empty() || counted.iter().any(|c| c.matched.is_some()) {
        with_stale_anchors(store, bullet_origins(store, session.now.time_zone())?)
    } else {
        BulletOrigins::default()
    };
    let mut ranking = rank(&counted, terms, &origins, &|about, item| filter.check(about, item));
    if let Some((question, table)) = vectors {
        let query = VectorQuery { question, table };
        ranking.add_vectors(&query, &wordless, &origins, &|about, item| filter.check(about, item));
    }
    let (mut result, hits) = query_result_with_hits(&ranking, terms, filter);
    result.left_out = unread;
    if !hits.is_empty() && (options.linked || has_relations(&hits, &ranking)) {
        let names = LinkNames::new(files.iter().map(|file| &file.path));
        let mut around = LinkedItemFinder::new(&hits, &ranking, &names);
        if !options.linked {
            around = around.relations_only();
        }
        let ends = around.linked_files();
        let targets: Vec<FoundFile> = files.iter().filter(|file| ends.is_target(&file.path)).cloned().collect();
        let others = linked_files(store, if options.linked { &files } else { &targets }, &ends);
        let others: Vec<ItemFacts<'_>> = others.iter().map(|found| ItemFacts::new(found, &origins)).collect();
        around.add(&mut result, &others, filter, &|about, item| filter.check(about, item) == FilterResult::Yes);
    }
    Ok(result)
}

/// The bytes of a file that are searched; `None` for a file that is removed or cannot be read.
fn searched_bytes<'b, S>(
    file: &FoundFile,
    read: Result<(&'b [u8], S), Rejection>,
    overrides: &'b TextOverrides,
) -> Option<&'b [u8]> {
    match (overrides.get(&file.path), read) {
        (Some(text), _) => text.as_deref(),
        (None, read) => read.ok().map(|(bytes, _)| bytes),
    }
}

/// Like [`searched_bytes`], else why the file cannot be read; a large file is taken out of the buffer.
fn searched_text<'b>(
    file: &FoundFile,
    read: Result<(&'b mut Vec<u8>, bool), Rejection>,
    overrides: &'b TextOverrides,
) -> Result<Cow<'b, [u8]>, Option<String>> {
    match (overrides.get(&file.path), read) {
        (Some(text), _) => text.as_deref().map(Cow::Borrowed).ok_or(None),
        (None, Ok((bytes, _))) if bytes.len() > MAX_COPIED_BYTES => Ok(Cow::Owned(std::mem::take(bytes))),
        (None, Ok((bytes, _))) => Ok(Cow::Borrowed(bytes)),
        (None, Err(error)) => Err(why_unread(&file.path, &error)),
    }
}

/// Counts the terms in all files.
fn count_files(
    store: &Store,
    files: &[FoundFile],
    options: &QueryOptions,
    terms: &QueryTerms,
    overrides: &TextOverrides,
    progress: &ProgressNotes,
) -> Vec<FileCounts> {
    let prefilter = TermPrefilter::new(terms);
    let last = files.get(SAMPLE_FILES.min(files.len()).wrapping_sub(1)).map(|file| &file.path);
    store.map_file_buffers(files, MAX_FILE_BYTES, &|file, read| {
        let bytes = match searched_text(file, read, overrides) {
            Ok(bytes) if !progress.is_cancelled() => bytes,
            result => return FileCounts { unread: result.err().flatten(), ..FileCounts::default() },
        };
        // Few files have rules for paths, so the others are not parsed.
        if terms.all.is_empty() && !options.touching.is_empty() && memmem::find(&bytes, WHEN_KEY).is_none() {
            progress.finish_file();
            return FileCounts::default();
        }
        let scan_mode = match (terms.has_dates || terms.all.is_empty(), last) {
            (true, _) => ScanDepth::All,
            (_, Some(last)) if file.path <= *last => ScanDepth::Sample,
            _ => ScanDepth::Prefiltered,
        };
        let counted = count_terms(&file.path, bytes, terms, &prefilter, scan_mode);
        // Without a limit every item is printed with its handle: compute the handles here, in parallel.
        if let Some(found) = counted.matched.as_ref().filter(|_| options.limit.is_none() && options.budget.is_none()) {
            found.document.handles();
        }
        progress.finish_file();
        counted
    })
}

/// The files with vectors in which no word of the question was found.
fn wordless_files(
    store: &Store,
    files: &[FoundFile],
    counted: &[FileCounts],
    overrides: &TextOverrides,
) -> Vec<ItemizedFile> {
    let pairs =
        files.iter().zip(counted).filter(|(file, counted)| counted.matched.is_none() && has_vectors(&file.path));
    let wordless: Vec<FoundFile> = pairs.map(|(file, _)| file.clone()).collect();
    let found = store.map_files(&wordless, MAX_FILE_BYTES, &|file, read| {
        let text = std::str::from_utf8(searched_bytes(file, read, overrides)?).ok()?;
        Some(ItemizedFile::without_counts(file.path.clone(), Document::parse(text)))
    });
    found.into_iter().flatten().collect()
}

/// The language of the memory, which a question in no language of its own is in.
///
/// # Errors
/// `io`.
pub(super) fn language_of(session: &Session) -> Result<DetectedLanguage, Rejection> {
    let files = searched_files(&session.store, &QueryOptions::default(), &TextOverrides::new())?;
    Ok(memory_language(&session.store, &files))
}

/// The language of the first files. For a query without function words: whatever language it is in, its words are
/// reduced to stems as those of the memory.
fn memory_language(store: &Store, files: &[FoundFile]) -> DetectedLanguage {
    let sample = files[..LANGUAGE_SAMPLE_FILES.min(files.len())].chunks(1);
    // The second file is read only if the first does not tell.
    let mut languages = sample.flat_map(|file| {
        store.map_files(file, MAX_LANGUAGE_SAMPLE_BYTES, &|_, read| {
            let text = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok());
            text.map_or(DetectedLanguage::Unknown, detect_language)
        })
    });
    languages.find(|language| *language != DetectedLanguage::Unknown).unwrap_or(DetectedLanguage::Unknown)
}

/// The files that the best hits link to or are linked from. This scan of all files is only needed for `--linked`.
fn linked_files(store: &Store, files: &[FoundFile], ends: &LinkedFiles<'_>) -> Vec<ItemizedFile> {
    let found = store.map_files(files, MAX_FILE_BYTES, &|file, read| {
        let text = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok())?;
        ends.includes(&file.path, text).then(|| ItemizedFile::without_counts(file.path.clone(), Document::parse(text)))
    });
    found.into_iter().flatten().collect()
}

fn no_result(options: &QueryOptions) -> QueryResult {
    QueryResult { query: options.query.clone(), scope: options.scope.clone(), ..QueryResult::default() }
}

/// The files to search, sorted by path.
fn searched_files(
    store: &Store,
    options: &QueryOptions,
    overrides: &TextOverrides,
) -> Result<Vec<FoundFile>, Rejection> {
    let mut files: Vec<FoundFile> = store.walk(None)?.into_iter().filter(|f| options.includes_file(&f.path)).collect();
    for path in overrides.keys().filter(|path| options.includes_file(path)) {
        if let Err(at) = files.binary_search_by(|f| f.path.cmp(path)) {
            files.insert(at, FoundFile { path: path.clone(), size: 0, unsafe_reason: None });
        }
    }
    if files.is_empty() && !options.within.is_empty() {
        let none = Rejection::new(Code::FileNotFound, "no file matches --in");
        return Err(none.hint("use a glob such as facts/*.md, or a folder such as episodes"));
    }
    Ok(files)
}

/// Parses a point in time; a day means its first moment or, with `last`, its last moment.
fn parse_point(session: &Session, store: &Store, text: &str, last: bool) -> Result<TimeBound, Rejection> {
    let stamp = match parse_point_in_time(text, &session.now)? {
        PointInTime::Revision(rev) => match store.read_revision(rev)? {
            Some(history) => find_revision(text, &history.entries())?.header.at.clone(),
            None => find_revision(text, &store.journal()?)?.header.at.clone(),
        },
        PointInTime::Time(at) => at,
    };
    let out_of_range = || Rejection::new(Code::Usage, "the time is out of range");
    let at: Timestamp = stamp.parse().map_err(|_| out_of_range())?;
    let local = at.to_zoned(session.now.time_zone().clone());
    let text = text.trim().to_lowercase();
    let is_day = text.len() == 10 && text.parse::<Date>().is_ok() || text == "today" || text == "yesterday";
    let end = || local.end_of_day().map(|end| end.timestamp()).map_err(|_| out_of_range());
    let at = if is_day && last { end()? } else { at };
    Ok(TimeBound { day: local.date(), at: TimeZone::UTC.to_datetime(at) })
}
