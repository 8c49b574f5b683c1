//! The commands `list`, `bullet list`, `read` and `where`.
//!
//! Never takes the lock and never writes.

use std::sync::Arc;

use super::allowlist_filter::allowlist_rejection;
use super::backlinks::find_backlinks;
use super::blame::add_blame;
use super::fetch::with_fetches;
use super::layer_names::{rejection_in_layer, rejection_in_shared_scope};
use super::layers::layer_left_out;
use super::moved_file::with_new_path;
pub use super::resolved_address::ResolvedAddress;
use super::restricted_change::is_redacted;
use super::results::{FileList, FileRow, ListResult, PathResult, TextResult};
use super::unread_files::LINKED_FOLDER;
use super::{CommandResult, Session};
use crate::change::Etag;
use crate::code::{Code, Rejection};
use crate::document::{Document, LocatedBullet, TextDecodeError};
use crate::operation::locate::{
    ResolvedTarget, SectionRef, bullets_by_name, bullets_by_ref, resolve_address as resolve_in_snapshot,
};
use crate::operation::snapshot::{LoadedFile, PlanStep, not_text_rejection};
use crate::operation::{PlanStop, Snapshot, choose_bullet::BulletSelector, rejections};
use crate::path::{Address, BulletRef, MemoryPath, SourceAddress};
use crate::store::{FoundFile, Store};
use crate::view::outline::{self, Outline, OutlineDepth};

/// The number of bytes at the start of a file that are read for its summary line.
pub(super) const SUMMARY_HEAD_BYTES: usize = 4096;

/// Lists one level: the files, the sections and bullets of a file, or the bullets of a section. For a file or section
/// it also lists the backlinks, which needs a scan of all files.
///
/// # Errors
/// `file_not_found`, `section_not_found`, and the errors of the path sandbox.
pub fn list(session: &Session, address: Option<&str>) -> CommandResult<ListResult> {
    list_with(session, address, ListOptions::default())
}

/// What a list shows beside names and texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListOptions {
    /// The last change of each bullet.
    pub blame: bool,
}

/// [`list`] with options.
///
/// # Errors
/// As [`list`]; `usage` for the last changes of a folder's files.
pub fn list_with(session: &Session, address: Option<&str>, options: ListOptions) -> CommandResult<ListResult> {
    if let Some((source, scope, inner)) = address.map(|a| shared_address(session, a)).transpose()?.flatten()
        && let Some(folder) = if inner.is_empty() { Some(String::new()) } else { folder_of(&scope, inner)? }
    {
        let mut list = list_files(&scope, Some(&*folder).filter(|f| !f.is_empty()))?;
        for row in &mut list.files {
            row.path = SourceAddress { source, address: &row.path }.to_string();
        }
        return Ok(ListResult::Files(list));
    }
    let folder = match address {
        None => Some(String::new()),
        Some(address) => folder_of(session, address)?,
    };
    match (folder, address) {
        (Some(_), _) if options.blame => Err(Rejection::new(Code::Usage, "--blame takes a file or section")
            .hint("`memdir list` lists the files")
            .into()),
        (Some(folder), _) => {
            let folder = Some(&*folder).filter(|f| !f.is_empty());
            let mut list = list_files(session, folder)?;
            for layer in session.layers.iter().flat_map(|layers| &layers.others) {
                let listed = list_files(&layer.session, folder)
                    .map_err(|error| list.left_out.push(layer_left_out(&layer.name, &error)));
                let Ok(FileList { mut files, .. }) = listed else { continue };
                files.iter_mut().for_each(|row| {
                    row.path = SourceAddress { source: &layer.name, address: &row.path }.to_string();
                });
                list.files.extend(files);
            }
            Ok(ListResult::Files(list))
        }
        (None, address) => {
            let address = address.unwrap_or_default();
            session.store.consistent(|| with_backlinks(session, address, options))?.map(ListResult::Outline)
        }
    }
}

/// Lists one file or section without its backlinks, so that no other file is read.
///
/// # Errors
/// As [`list`].
pub fn outline(session: &Session, address: &str) -> CommandResult<Outline> {
    Ok(outline_of(session, &resolve_address(session, address)?, OutlineDepth::OneLevel))
}

fn with_backlinks(session: &Session, address: &str, options: ListOptions) -> CommandResult<Outline> {
    let named = resolve_address(session, address)?;
    let mut outline = outline_of(session, &named, OutlineDepth::OneLevel);
    if options.blame {
        add_blame(session, address, &named, &mut outline)?;
    }
    if named.bullet.is_none() {
        outline.backlinks = find_backlinks(&session.store, &named)?;
    }
    Ok(outline)
}

/// Lists all bullets of a file or section as a flat list with index and handle (`bullet list`).
///
/// # Errors
/// As [`list`].
pub fn list_bullets(session: &Session, address: &str, options: ListOptions) -> CommandResult<Outline> {
    let list = || {
        let named = resolve_address(session, address)?;
        let mut outline = outline_of(session, &named, OutlineDepth::Flat);
        if options.blame {
            add_blame(session, address, &named, &mut outline)?;
        }
        Ok(outline)
    };
    if options.blame { session.store.consistent(list)? } else { list() }
}

/// The folder that an address names: one with a special meaning, or one with files in it, at the top or in `facts/`,
/// unless a file has that name. With a final `/` it always is the folder. Empty for the whole memory.
fn folder_of(session: &Session, address: &str) -> Result<Option<String>, Rejection> {
    let name = session.prefixes.strip(address);
    let folder = name.trim_end_matches('/');
    // `memory/` is the memory; `/` and `./` are places outside it.
    let is_whole = name.is_empty() && !address.trim_start_matches("./").is_empty();
    if crate::path::FOLDERS.contains(&folder) || is_whole {
        return Ok(Some(folder.to_owned()));
    }
    let is_safe = |folder: &String| MemoryPath::from_disk_name(&format!("{folder}/x.md")).is_ok();
    for folder in [folder.to_owned(), format!("facts/{folder}")].into_iter().filter(is_safe) {
        let names_file = || first_whole_file(session, address, |path| session.store.read(path)).map(|f| f.is_some());
        if !session.store.walk(Some(&folder))?.is_empty() && (name.ends_with('/') || !names_file()?) {
            return Ok(Some(folder));
        }
    }
    Ok(None)
}

fn list_files(session: &Session, under: Option<&str>) -> CommandResult<FileList> {
    let rows = session.store.consistent(|| -> Result<Vec<FileRow>, Rejection> {
        let mut found = session.store.walk(under)?;
        if under.is_none() {
            found.retain(|f| !f.path.is_set_aside());
        }
        let linked = session.store.linked_folders().into_iter().map(|path| FileRow {
            path,
            refused: Some(LINKED_FOLDER.to_owned()),
            ..FileRow::default()
        });
        let mut rows = session.store.map_files(&found, SUMMARY_HEAD_BYTES, &|file, read| file_row(session, file, read));
        rows.extend(linked);
        Ok(rows)
    })??;
    Ok(FileList { files: rows, more: 0, left_out: Vec::new() })
}

fn file_row(session: &Session, file: &FoundFile, read: Result<(&[u8], bool), Rejection>) -> FileRow {
    let (summary, refused) = match (file.unsafe_reason, read) {
        (Some(reason), _) => (String::new(), Some(reason.to_owned())),
        (None, Err(rejection)) => (String::new(), Some(rejection.message)),
        (None, Ok((bytes, is_complete))) => (head_summary(&session.store, &file.path, bytes, is_complete), None),
    };
    FileRow { path: file.path.to_string(), size: file.size, summary, refused }
}

/// The summary of a file, given at least its first [`SUMMARY_HEAD_BYTES`] bytes or all of it.
pub(super) fn summary_of(store: &Store, path: &MemoryPath, bytes: &[u8]) -> String {
    head_summary(store, path, &bytes[..bytes.len().min(SUMMARY_HEAD_BYTES)], bytes.len() < SUMMARY_HEAD_BYTES)
}

/// The summary from the first bytes of a file (`is_complete`: all of it). A plain summary line near the top is read
/// directly, which avoids parsing; any other form is left to the parser.
fn head_summary(store: &Store, path: &MemoryPath, bytes: &[u8], is_complete: bool) -> String {
    const LINE: &[u8] = b"\n> Summary: ";
    if !bytes.starts_with(b"---")
        && let Some(at) = memchr::memmem::find(bytes, LINE)
        && !bytes[..at].windows(2).any(|w| w == b"\n-" || w == b"\n`")
    {
        let line = &bytes[at + LINE.len()..];
        let end = memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len());
        let line = &line[..end];
        return match std::str::from_utf8(line) {
            Ok(text) => text.trim().to_owned(),
            Err(_) => String::from_utf8_lossy(line).trim().to_owned(),
        };
    }
    let interesting = [&b"ummary:"[..], b"escription:"].iter().any(|w| memchr::memmem::find(bytes, w).is_some());
    if !interesting {
        return head_title(path, bytes);
    }
    let text = if is_complete {
        String::from_utf8_lossy(bytes).into_owned()
    } else {
        match store.read(path) {
            Ok(Some(version)) => String::from_utf8_lossy(&version.bytes).into_owned(),
            _ => return String::new(),
        }
    };
    match outline::summary_value(&Document::parse(text)) {
        summary if summary.is_empty() => head_title(path, bytes),
        summary => summary,
    }
}

/// The replacement of a missing summary: `title:` of the front matter, else the first heading. Empty where that only
/// repeats the file's name.
fn head_title(path: &MemoryPath, bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).peekable();
    let mut title = None;
    if lines.next_if_eq(&"---").is_some() {
        for line in lines.by_ref().take_while(|line| *line != "---") {
            title = title.or(line.strip_prefix("title:").map(|value| value.trim().trim_matches(['"', '\''])));
        }
    }
    let heading = || {
        // A comment in a block of code is no heading.
        let above_code = lines.take_while(|line| !line.starts_with("```") && !line.starts_with("~~~"));
        let titles = above_code
            .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
        titles.into_iter().next()
    };
    let title = title.filter(|title| !title.is_empty()).or_else(heading).unwrap_or_default().trim();
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let (name, shown): (String, String) = (letters(path.stem()), letters(title));
    if shown == name || shown == format!("{name}episodes") { String::new() } else { title.chars().take(100).collect() }
}

/// The name of another memory that is read with this one, its session, and an address there.
type SourceTarget<'a> = (&'a str, Arc<Session>, &'a str);

/// The name and session of the shared scope or layer that an address names, if it names one, and the address there.
pub(super) fn shared_address<'a>(session: &Session, address: &'a str) -> Result<Option<SourceTarget<'a>>, Rejection> {
    // Nearly no address has a colon, and nearly no session has others beside it.
    let has_sources = session.scope.is_some() || session.layers.is_some();
    let Some(SourceAddress { source, address }) = has_sources.then(|| SourceAddress::parse_shared(address)).flatten()
    else {
        return Ok(None);
    };
    Ok(session.source(source)?.map(|other| (source, other, address)))
}

/// Resolves an address for reading.
///
/// # Errors
/// As [`list`]; `category_not_allowed` if the target is hidden from the caller.
pub fn resolve_address(session: &Session, address: &str) -> Result<ResolvedAddress, Rejection> {
    resolve_address_in(session, address, &mut Snapshot::new())
}

/// Resolves an address for reading; takes known files from the snapshot and adds those it reads.
///
/// # Errors
/// As [`list`]; `category_not_allowed` if the target is hidden from the caller.
pub fn resolve_address_in(
    session: &Session,
    address: &str,
    snapshot: &mut Snapshot,
) -> Result<ResolvedAddress, Rejection> {
    if let Some((source, scope, address)) = shared_address(session, address)? {
        let named = resolve_address_in(&scope, address, &mut Snapshot::new());
        let named = named.map_err(|error| match &session.layers {
            None => rejection_in_shared_scope(error, source),
            Some(layers) if layers.own == source => error,
            Some(_) => rejection_in_layer(error, source),
        })?;
        return Ok(ResolvedAddress { path: SourceAddress::path(source, &named.path), ..named });
    }
    let error = match (resolve_with_fetches(session, address, snapshot), session.visibility()) {
        (Err(error), Some(_)) => error,
        (named, _) => return named.map_err(|error| with_new_path(session, error)),
    };
    let is_hidden = || resolve_with_fetches(&session.unfiltered(), address, &mut Snapshot::new()).is_ok();
    let is_refused = is_missing_in_redacted_file(session, address, snapshot, &error) || is_hidden();
    Err(if is_refused { allowlist_rejection() } else { error })
}

/// Whether a bullet or section was not found in a file of which the caller sees only a part. What is hidden and what
/// does not exist get one rejection there: two would tell how many bullets are hidden, and whether a guess is one.
fn is_missing_in_redacted_file(session: &Session, address: &str, snapshot: &Snapshot, error: &Rejection) -> bool {
    matches!(error.code, Code::BulletNotFound | Code::SectionNotFound)
        && resolve_in_snapshot(address, snapshot, &session.prefixes)
            .is_ok_and(|target| is_redacted(snapshot, &target.path))
}

fn resolve_with_fetches(
    session: &Session,
    address: &str,
    snapshot: &mut Snapshot,
) -> Result<ResolvedAddress, Rejection> {
    with_fetches(&session.store, snapshot, |snapshot| resolve_once(session, address, snapshot))
}

fn resolve_once(session: &Session, address: &str, snapshot: &Snapshot) -> Result<ResolvedAddress, PlanStop> {
    let target: ResolvedTarget<'_> = resolve_in_snapshot(address, snapshot, &session.prefixes)?;
    let Some(file) = target.file else {
        // Requests all names first, so that the error can suggest a similar name.
        snapshot.file_names()?;
        return Err(rejections::file_not_found(&target.path, snapshot).into());
    };
    let section = match &target.section {
        SectionRef::File => 0,
        SectionRef::At(at) => *at,
        SectionRef::Missing(name) => return Err(rejections::section_not_found(file, &target.path, name).into()),
    };
    let document = &file.document;
    // A read needs no proof.
    let selector = BulletSelector { section, proven: true, ..BulletSelector::default() };
    let bullet = target.bullet.as_ref().map(|named| bullet_by_ref(file, &target.path, snapshot, named, selector));
    let bullet = bullet.transpose()?;
    let etag = session.shown_etag(document.text(), file.version.etag);
    Ok(ResolvedAddress { path: target.path, document: document.clone(), etag, section, bullet })
}

/// The only bullet that the part of an address after `@` means.
fn bullet_by_ref(
    file: &LoadedFile,
    path: &MemoryPath,
    snapshot: &Snapshot,
    bullet: &BulletRef,
    selector: BulletSelector<'_>,
) -> PlanStep<usize> {
    let document = &file.document;
    let (name, occurrence) = match bullet {
        BulletRef::Name(name) => (Some(&**name), None),
        BulletRef::Occurrence(name, nth) => (Some(&**name), Some(*nth)),
        BulletRef::Index(_) => (None, None),
    };
    let selector = BulletSelector { name, occurrence, ..selector };
    let within = (selector.section != 0).then_some(selector.section);
    let all = || match name {
        Some(name) => bullets_by_name(document, name, within, &[]),
        None => document.top_level_bullets(selector.section),
    };
    let refuse = |code, found: &[usize]| rejections::selection_rejected(file, path, code, found, &selector);
    match &bullets_by_ref(document, bullet, selector.section)[..] {
        [one] => Ok(*one),
        [] if name.is_some() && all().is_empty() => {
            Err(rejections::bullet_not_found(file, path, snapshot.history(path)?, &selector).into())
        }
        [] => Err(refuse(Code::BulletNotFound, &all()).into()),
        several => Err(refuse(Code::AmbiguousBullet, several).into()),
    }
}

/// An outline in which expired bullets are marked.
fn outline_of(session: &Session, named: &ResolvedAddress, depth: OutlineDepth) -> Outline {
    let document = &named.document;
    let around = named.bullet.map_or(named.section, |bullet| document.bullets()[bullet].section as usize);
    let mut outline = outline::outline(document, &named.path, around, depth);
    if let Some(index) = named.bullet {
        let row = outline::bullet_row(LocatedBullet { path: &named.path, document, index }, None);
        (outline.bullets, outline.sections) = (vec![row], Vec::new());
    }
    outline.with_expired(document, session.now.date())
}

/// The exact text of a file, section or bullet.
///
/// # Errors
/// As [`list`]; `bullet_changed` and `bullet_not_found` for bullets.
pub fn read(session: &Session, address: &str) -> CommandResult<TextResult> {
    if let Some(text) = read_whole_file(session, address)? {
        return Ok(text);
    }
    let named = resolve_address(session, address)?;
    let document = &named.document;
    let range = match named.bullet {
        Some(i) => document.bullets()[i].line_start as usize..document.bullets()[i].end as usize,
        None => crate::document::section_range(document, named.section),
    };
    let part = &document.text()[range];
    let etag = if named.bullet.is_none() && named.section != 0 { Etag::of(part.as_bytes()) } else { named.etag };
    Ok(TextResult {
        path: named.path.to_string(),
        section: (named.section != 0).then(|| document.sections()[named.section].slug.clone()),
        handle: named.bullet.map(|i| document.handle_name(i)),
        etag: etag.short(),
        size: document.text().len() as u64,
        text: part.to_owned(),
    })
}

/// Opens a whole file, so that a caller can copy its bytes without holding them in memory. `None` if the address names
/// a section or bullet, or does not resolve to an existing file.
///
/// # Errors
/// `invalid_path`, `unsafe_file`, `io`.
pub fn open_whole_file(session: &Session, address: &str) -> Result<Option<OpenedFile>, Rejection> {
    first_whole_file(session, address, |path| {
        Ok(session.store.open_file(path)?.map(|file| OpenedFile { path: path.clone(), file }))
    })
}

/// An open file whose bytes are copied to a writer.
pub struct OpenedFile {
    pub path: MemoryPath,
    file: std::fs::File,
}

/// The size of the copy buffer in bytes.
const CHUNK_BYTES: usize = 128 << 10;

impl OpenedFile {
    /// Copies the file through one small buffer, so that memory use does not depend on its size. Each chunk is checked
    /// to be UTF-8 without NUL before it is written; the first invalid byte ends the copy with an error.
    ///
    /// # Errors
    /// Outer: the error of the writer. Inner: `not_text` and `io` for the file.
    pub fn copy_to(mut self, out: &mut dyn std::io::Write) -> std::io::Result<Result<(), Rejection>> {
        let mut buffer = vec![0; CHUNK_BYTES];
        let (mut carried, mut written) = (0, 0);
        loop {
            let read = match std::io::Read::read(&mut self.file, &mut buffer[carried..]) {
                Ok(n) => n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => return Ok(Err(Rejection::new(Code::Io, format!("{} cannot be read: {e}", self.path)))),
            };
            let chunk = &buffer[..carried + read];
            let valid_len = match simdutf8::compat::from_utf8(chunk) {
                Ok(_) => chunk.len(),
                // The chunk ends inside a character, which the next chunk completes.
                Err(e) if e.error_len().is_none() && read > 0 => e.valid_up_to(),
                Err(e) => {
                    return Ok(Err(not_text_rejection(
                        &self.path,
                        TextDecodeError::InvalidUtf8(written + e.valid_up_to()),
                    )));
                }
            };
            if let Some(at) = memchr::memchr(0, chunk) {
                return Ok(Err(not_text_rejection(&self.path, TextDecodeError::NulByte(written + at))));
            }
            out.write_all(&chunk[..valid_len])?;
            written += valid_len;
            buffer.copy_within(valid_len..carried + read, 0);
            carried = carried + read - valid_len;
            if read == 0 {
                return Ok(Ok(()));
            }
        }
    }
}

/// The first value that `get` returns for the files that an address can name as a whole.
fn first_whole_file<T>(
    session: &Session,
    address: &str,
    get: impl Fn(&MemoryPath) -> Result<Option<T>, Rejection>,
) -> Result<Option<T>, Rejection> {
    let Address::Readings(readings) = Address::parse(address, &session.prefixes)? else { return Ok(None) };
    let whole_files = readings.iter().filter(|r| r.section.is_none() && r.bullet.is_none());
    for path in whole_files.flat_map(|r| &r.files) {
        if let Some(value) = get(path)? {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

/// Reads a whole file without parsing it, so that any UTF-8 text is accepted.
fn read_whole_file(session: &Session, address: &str) -> Result<Option<TextResult>, Rejection> {
    let found = first_whole_file(session, address, |path| Ok(session.store.read(path)?.map(|v| (path.clone(), v))))?;
    let Some((path, version)) = found else { return Ok(None) };
    let size = version.bytes.len() as u64;
    let text = String::from_utf8(std::sync::Arc::unwrap_or_clone(version.bytes))
        .map_err(|e| not_text_rejection(&path, TextDecodeError::InvalidUtf8(e.utf8_error().valid_up_to())))?;
    let etag = session.shown_etag(&text, version.etag).short();
    Ok(Some(TextResult { path: path.to_string(), section: None, handle: None, etag, size, text }))
}

/// The absolute path of the data directory and, with an address, of a file.
///
/// # Errors
/// As [`list`].
pub fn path_of(session: &Session, address: Option<&str>) -> CommandResult<PathResult> {
    if let Some((_, other, inner)) = address.map(|a| shared_address(session, a)).transpose()?.flatten() {
        return path_of(&other, Some(inner).filter(|inner| !inner.is_empty()));
    }
    let path = match address {
        None => None,
        Some(address) => Some(session.dir.join(resolve_address(session, address)?.path.as_str()).display().to_string()),
    };
    Ok(PathResult { dir: session.dir.display().to_string(), path, found_by: session.found_by })
}
