//! Reading: `list`, `bullet list`, `read`, `where`.
//!
//! Takes no lock and leaves no trace.

use super::answer::{Answer, FileRow, Files, Text, Where};
use super::fetch::fetch;
use super::gate::refusal;
use super::links::linking;
use super::{Session, Verdict};
use crate::change::Etag;
use crate::code::{Code, Rejection};
use crate::document::{Document, NotText};
use crate::operation::locate::{SectionRef, Spot, address as locate, named};
use crate::operation::snapshot::not_text;
use crate::operation::{Snapshot, Stop, refuse};
use crate::path::{Address, BulletRef, MemoryPath};
use crate::store::{Found, Store};
use crate::view::outline::{self, Depth, outline};

/// How much of a file is read for its summary line.
pub(super) const HEAD: usize = 4096;

/// One level down: the files, a file's sections and bullets, or a section's bullets. With a file or section comes who
/// links to it, for which all files are looked through.
///
/// # Errors
/// `file_not_found`, `section_not_found`, and what the sandbox refuses.
pub fn list(session: &Session, address: Option<&str>) -> Verdict {
    match address {
        None => files(session, None),
        Some(folder) if is_folder(session, folder) => files(session, Some(folder)),
        Some(address) => session.store.consistent(|| with_backlinks(session, address))?,
    }
}

/// The same of one file or section, without who links to it: nothing else is read.
///
/// # Errors
/// As [`list`].
pub fn outlined(session: &Session, address: &str) -> Verdict {
    Ok(Answer::Outline(outline_of(&named_by(session, address)?, Depth::One)))
}

fn with_backlinks(session: &Session, address: &str) -> Verdict {
    let named = named_by(session, address)?;
    let mut outline = outline_of(&named, Depth::One);
    if named.bullet.is_none() {
        outline.backlinks = linking(&session.store, &named)?;
    }
    Ok(Answer::Outline(outline))
}

/// All bullets of a file or section, flat, with index and handle (`bullet list`).
///
/// # Errors
/// As `list`.
pub fn bullets(session: &Session, address: &str) -> Verdict {
    Ok(Answer::Outline(outline_of(&named_by(session, address)?, Depth::Flat)))
}

fn is_folder(session: &Session, address: &str) -> bool {
    let name = session.prefixes.strip(address).trim_end_matches('/');
    crate::path::FOLDERS.contains(&name)
}

fn files(session: &Session, folder: Option<&str>) -> Verdict {
    let under = folder.map(|f| session.prefixes.strip(f).trim_end_matches('/'));
    let rows = session.store.consistent(|| -> Result<Vec<FileRow>, Rejection> {
        let mut found = session.store.walk(under)?;
        if under.is_none() {
            found.retain(|f| !super::fetch::is_aside(&f.path));
        }
        Ok(session.store.each(&found, HEAD, &|file, read| row(session, file, read)))
    })??;
    Ok(Answer::Files(Files { files: rows, more: 0 }))
}

fn row(session: &Session, file: &Found, read: Result<(&[u8], bool), Rejection>) -> FileRow {
    let (summary, refused) = match (file.refused, read) {
        (Some(why), _) => (String::new(), Some(why.to_owned())),
        (None, Err(rejection)) => (String::new(), Some(rejection.message)),
        (None, Ok((bytes, whole))) => (head_summary(&session.store, &file.path, bytes, whole), None),
    };
    FileRow { path: file.path.to_string(), size: file.size, summary, refused }
}

/// The summary of a file of which at least the first bytes are at hand.
pub(super) fn summary_of(store: &Store, path: &MemoryPath, bytes: &[u8]) -> String {
    head_summary(store, path, &bytes[..bytes.len().min(HEAD)], bytes.len() < HEAD)
}

/// The summary in the first bytes of a file: the plain line where it stands at the top, else what the parser finds.
fn head_summary(store: &Store, path: &MemoryPath, bytes: &[u8], whole: bool) -> String {
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
        return String::new();
    }
    let text = match whole {
        true => String::from_utf8_lossy(bytes).into_owned(),
        false => match store.read(path) {
            Ok(Some(version)) => String::from_utf8_lossy(&version.bytes).into_owned(),
            _ => return String::new(),
        },
    };
    outline::summary(&Document::parse(text))
}

/// What an address names, with its text.
pub struct Named {
    /// The file.
    pub path: MemoryPath,
    /// Its text.
    pub document: Document,
    /// Its etag.
    pub etag: Etag,
    /// The section; 0 for the file.
    pub section: usize,
    /// The bullet.
    pub bullet: Option<usize>,
}

/// Resolves an address for reading.
///
/// # Errors
/// `category_not_allowed` where it names what the caller may not see.
pub fn named_by(session: &Session, address: &str) -> Result<Named, Rejection> {
    named_in(session, address, &mut Snapshot::new())
}

/// The same over what a snapshot knows already.
///
/// # Errors
/// `category_not_allowed` where it names what the caller may not see.
pub fn named_in(session: &Session, address: &str, snapshot: &mut Snapshot) -> Result<Named, Rejection> {
    let named = found_by(session, address, snapshot);
    match (named, session.sight()) {
        (Err(_), Some(_)) if found_by(&session.bare(), address, &mut Snapshot::new()).is_ok() => Err(refusal()),
        (named, _) => named,
    }
}

fn found_by(session: &Session, address: &str, snapshot: &mut Snapshot) -> Result<Named, Rejection> {
    for _ in 0..16 {
        match resolve(session, address, snapshot) {
            Ok(named) => return Ok(named),
            Err(Stop::Reject(rejection)) => return Err(*rejection),
            Err(Stop::Want(want)) => fetch(&session.store, want, snapshot)?,
        }
    }
    Err(Rejection::new(Code::Internal, "the address could not be resolved"))
}

fn resolve(session: &Session, address: &str, snapshot: &Snapshot) -> Result<Named, Stop> {
    let spot: Spot<'_> = locate(address, snapshot, &session.prefixes)?;
    let Some(file) = spot.file else {
        // Asking for all names first lets the refusal say which name was meant.
        snapshot.names()?;
        return Err(refuse::no_file(&spot.path, snapshot).into());
    };
    let section = match &spot.section {
        SectionRef::File => 0,
        SectionRef::At(at) => *at,
        SectionRef::Missing(name) => return Err(refuse::no_section(file, &spot.path, name).into()),
    };
    let document = &file.document;
    let selector = crate::operation::choose::Selector::default();
    let bullet = match &spot.bullet {
        None => None,
        Some(BulletRef::Nth(n)) => match document.counted(section).get(n.wrapping_sub(1)) {
            Some(&i) => Some(i),
            None => {
                let selector = crate::operation::choose::Selector { section, ..selector };
                let all = document.counted(section);
                return Err(refuse::choice(file, &spot.path, Code::BulletNotFound, &all, &selector).into());
            }
        },
        Some(BulletRef::Name(name)) => {
            let selector = crate::operation::choose::Selector { name: Some(name), section, ..selector };
            match named(document, name, (section != 0).then_some(section), &[])[..] {
                [one] => Some(one),
                [] => return Err(refuse::gone(file, &spot.path, snapshot.history(&spot.path)?, &selector).into()),
                ref several => {
                    return Err(refuse::choice(file, &spot.path, Code::AmbiguousBullet, several, &selector).into());
                }
            }
        }
    };
    Ok(Named { path: spot.path, document: document.clone(), etag: file.version.etag, section, bullet })
}

fn outline_of(named: &Named, depth: Depth) -> outline::Outline {
    if let Some(bullet) = named.bullet {
        let row = outline::bullet_row(&named.document, &named.path, bullet, None);
        let mut one = outline(&named.document, &named.path, named.document.bullets()[bullet].section as usize, depth);
        (one.bullets, one.sections) = (vec![row], Vec::new());
        return one;
    }
    outline(&named.document, &named.path, named.section, depth)
}

/// A file, section or bullet as it stands.
///
/// # Errors
/// As `list`; `bullet_changed` and `bullet_not_found` for bullets.
pub fn read(session: &Session, address: &str) -> Verdict {
    if let Some(answer) = raw(session, address)? {
        return Ok(answer);
    }
    let named = named_by(session, address)?;
    let document = &named.document;
    let range = match named.bullet {
        Some(i) => document.bullets()[i].line as usize..document.bullets()[i].end as usize,
        None => crate::document::section_range(document, named.section),
    };
    let part = &document.text()[range];
    let etag = if named.bullet.is_none() && named.section != 0 { Etag::of(part.as_bytes()) } else { named.etag };
    Ok(Answer::Text(Text {
        path: named.path.to_string(),
        section: (named.section != 0).then(|| document.sections()[named.section].slug.clone()),
        handle: named.bullet.map(|i| document.handle_name(i)),
        etag: etag.short(),
        size: document.text().len() as u64,
        text: part.to_owned(),
    }))
}

/// A whole file, opened: a door that prints bytes as they are needs nothing else, however large it is. `None` when the
/// address names something else, or nothing.
///
/// # Errors
/// `invalid_path`, `unsafe_file`, `io`.
pub fn open(session: &Session, address: &str) -> Result<Option<Whole>, Rejection> {
    first_whole(session, address, |path| {
        Ok(session.store.open_file(path)?.map(|file| Whole { path: path.clone(), file }))
    })
}

/// A whole file on its way to a reader.
pub struct Whole {
    path: MemoryPath,
    file: std::fs::File,
}

/// How much of a file is passed on at a time, in bytes.
const PIECE: usize = 128 << 10;

impl Whole {
    /// Passes the file on through one small buffer, so that a file of any size needs no more memory. Each piece is
    /// looked at before it goes out: what is no text is refused where it begins.
    ///
    /// # Errors
    /// What writing answers; inside, `not_text` and `io`.
    pub fn pass(mut self, out: &mut dyn std::io::Write) -> std::io::Result<Result<(), Rejection>> {
        let mut buffer = vec![0; PIECE];
        let (mut held, mut passed) = (0, 0);
        loop {
            let read = match std::io::Read::read(&mut self.file, &mut buffer[held..]) {
                Ok(n) => n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => return Ok(Err(Rejection::new(Code::Io, format!("{} cannot be read: {e}", self.path)))),
            };
            let piece = &buffer[..held + read];
            let whole = match simdutf8::compat::from_utf8(piece) {
                Ok(_) => piece.len(),
                // A character that the next piece completes.
                Err(e) if e.error_len().is_none() && read > 0 => e.valid_up_to(),
                Err(e) => return Ok(Err(not_text(&self.path, NotText::Utf8(passed + e.valid_up_to())))),
            };
            if let Some(at) = memchr::memchr(0, piece) {
                return Ok(Err(not_text(&self.path, NotText::Nul(passed + at))));
            }
            out.write_all(&piece[..whole])?;
            passed += whole;
            buffer.copy_within(whole..held + read, 0);
            held = held + read - whole;
            if read == 0 {
                return Ok(Ok(()));
            }
        }
    }
}

/// What the first file gives that an address names as a whole.
fn first_whole<T>(
    session: &Session,
    address: &str,
    get: impl Fn(&MemoryPath) -> Result<Option<T>, Rejection>,
) -> Result<Option<T>, Rejection> {
    let Address::In(readings) = Address::parse(address, &session.prefixes)? else { return Ok(None) };
    let whole = readings.iter().filter(|r| r.section.is_none() && r.bullet.is_none());
    for path in whole.flat_map(|r| &r.files) {
        if let Some(got) = get(path)? {
            return Ok(Some(got));
        }
    }
    Ok(None)
}

/// A whole file needs no parsing, and may be anything that is text.
fn raw(session: &Session, address: &str) -> Result<Option<Answer>, Rejection> {
    let found = first_whole(session, address, |path| Ok(session.store.read(path)?.map(|v| (path.clone(), v))))?;
    let Some((path, version)) = found else { return Ok(None) };
    let size = version.bytes.len() as u64;
    let text = String::from_utf8(std::sync::Arc::unwrap_or_clone(version.bytes))
        .map_err(|e| not_text(&path, NotText::Utf8(e.utf8_error().valid_up_to())))?;
    let (path, etag) = (path.to_string(), version.etag.short());
    Ok(Some(Answer::Text(Text { path, section: None, handle: None, etag, size, text })))
}

/// Where things are: the data dir, a file's absolute path.
///
/// # Errors
/// `invalid_path`.
pub fn whereis(session: &Session, address: Option<&str>) -> Verdict {
    let path = match address {
        None => None,
        Some(address) => Some(session.dir.join(named_by(session, address)?.path.as_str()).display().to_string()),
    };
    Ok(Answer::Where(Where { dir: session.dir.display().to_string(), path, found_by: session.found_by.to_owned() }))
}
