//! Reads what is imported: a file, the files of a folder, or those of a zip archive.
//!
//! Never follows a link below a folder, never writes, and refuses an archive whole whose entries could mean another
//! file than they name.

use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use fs_err as fs;
use zip::ZipArchive;

use super::outside_files;
use crate::code::{Code, Rejection};

/// The most that is read, unpacked, in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// The most that an archive's texts may be larger than the archive: the JSON of a conversation is some ten times smaller
/// when packed. A small archive could use up the memory otherwise.
const MAX_RATIO: u64 = 200;
/// Up to this size, unpacked, in bytes, the ratio does not matter.
const UNCHECKED_BYTES: u64 = 16 << 20;
/// The most files and folders of a source; more are `too_large`.
const MAX_FILES: usize = 100_000;
/// How deep folders are read.
const MAX_DEPTH: usize = 32;
/// The extensions of files that can hold memories. Others (pictures, sounds) are not read.
const EXTENSIONS: [&str; 6] = ["md", "json", "jsonl", "ndjson", "txt", "af"];

/// What was read, and what was not.
#[derive(Debug, Default)]
pub struct ImportSource {
    /// Relative paths with `/`, or the name of the only file; and the bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// The names of what was left out, each with the reason.
    pub left_out: Vec<(String, &'static str)>,
}

/// Reads a source. Of a folder, the data directory `memory` is left out, which an agent may be allowed to see only in
/// part.
///
/// # Errors
/// `usage` for a source in the data directory; `file_not_found`, `io`; `too_large` over 1 GiB or 100,000 files;
/// `unsafe_file` for an archive with an entry that has an absolute path, a `..`, a link or the name of another one,
/// that is encrypted or has a wrong size.
pub fn read_source(path: &Path, memory: &Path) -> Result<ImportSource, Rejection> {
    let meta = fs::metadata(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            Rejection::new(Code::FileNotFound, format!("'{}' does not exist", path.display()))
        }
        _ => Rejection::new(Code::Io, e.to_string()),
    })?;
    let memory = memory.canonicalize().unwrap_or_else(|_| memory.to_owned());
    if path.canonicalize().is_ok_and(|real| real.starts_with(&memory)) {
        return Err(Rejection::new(Code::Usage, format!("'{}' is a part of this memory", path.display())));
    }
    if meta.is_dir() {
        return read_folder(path, &memory);
    }
    let bytes = outside_files::read_up_to(path, MAX_BYTES, "1 GiB")?;
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return read_archive(&bytes);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(ImportSource { files: vec![(name, bytes)], left_out: Vec::new() })
}

fn too_large() -> Rejection {
    Rejection::new(Code::TooLarge, "the source has more than 1 GiB or 100,000 files")
}

fn can_hold_memories(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, e)| EXTENSIONS.iter().any(|known| e.eq_ignore_ascii_case(known)))
}

fn read_folder(root: &Path, memory: &Path) -> Result<ImportSource, Rejection> {
    let mut source = ImportSource::default();
    let (mut total, mut folders) = (0, vec![(root.to_owned(), String::new(), 0)]);
    while let Some((folder, prefix, depth)) = folders.pop() {
        let failed = |e: std::io::Error| Rejection::new(Code::Io, e.to_string());
        let mut entries: Vec<(String, PathBuf, std::fs::FileType)> = Vec::new();
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            entries.push((format!("{prefix}{name}"), entry.path(), entry.file_type().map_err(failed)?));
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, path, kind) in entries {
            let is_hidden = name.rsplit('/').next().is_some_and(|last| last.starts_with('.'));
            match () {
                () if kind.is_dir() && path.canonicalize().is_ok_and(|real| real == memory) => {
                    source.left_out.push((name, "it is this memory"));
                }
                () if is_hidden => source.left_out.push((name, "hidden files are not read")),
                () if kind.is_dir() && depth < MAX_DEPTH => folders.push((path, format!("{name}/"), depth + 1)),
                () if !kind.is_file() => source.left_out.push((name, "it is no regular file")),
                () if !can_hold_memories(&name) => source.left_out.push((name, "it is no text of a known kind")),
                () => {
                    let bytes = outside_files::read_up_to(&path, MAX_BYTES - total, "1 GiB")?;
                    total += bytes.len() as u64;
                    source.files.push((name, bytes));
                }
            }
            if source.files.len() + source.left_out.len() + folders.len() > MAX_FILES {
                return Err(too_large());
            }
        }
    }
    source.files.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(source)
}

fn unsafe_archive(reason: impl std::fmt::Display) -> Rejection {
    Rejection::new(Code::UnsafeFile, format!("the archive is refused: {reason}"))
}

fn read_archive(bytes: &[u8]) -> Result<ImportSource, Rejection> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(unsafe_archive)?;
    if archive.len() > MAX_FILES {
        return Err(too_large());
    }
    check_names(&bytes[archive.central_directory_start() as usize..], archive.len())?;
    let mut declared = 0u64;
    for at in 0..archive.len() {
        let entry = archive.by_index_raw(at).map_err(unsafe_archive)?;
        let name = entry.name().map_err(unsafe_archive)?;
        let is_plain = !name.starts_with('/') && !name.contains(['\\', '\0']) && name.get(1..2) != Some(":");
        if name.contains('\\') && !name.split(['/', '\\']).any(|part| part == "..") {
            return Err(unsafe_archive(format!("the path {name:?} has a backslash, which may mean a folder")));
        }
        if !is_plain || name.split('/').any(|part| part == "..") {
            return Err(unsafe_archive(format!("the path {name:?} leads outside it")));
        }
        if entry.is_symlink()
            || entry.unix_mode().is_some_and(|mode| !matches!(mode & 0o170_000, 0 | 0o100_000 | 0o040_000))
        {
            return Err(unsafe_archive(format!("{name:?} is no regular file")));
        }
        if entry.encrypted() {
            return Err(unsafe_archive(format!("{name:?} is encrypted")));
        }
        declared = declared.saturating_add(entry.size());
    }
    if declared > MAX_BYTES {
        return Err(too_large());
    }
    if declared > UNCHECKED_BYTES && declared / MAX_RATIO > bytes.len() as u64 {
        return Err(unsafe_archive(format!(
            "it would unpack to more than {MAX_RATIO} times its size, as no text does"
        )));
    }
    let mut source = ImportSource::default();
    let mut total = 0;
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).map_err(unsafe_archive)?;
        let name = entry.name().map_err(unsafe_archive)?.into_owned();
        if entry.is_dir() {
            continue;
        }
        if !can_hold_memories(&name) || name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX") {
            source.left_out.push((name, "it is no text of a known kind"));
            continue;
        }
        // One byte more than its size, so that a wrong size is seen and no more is unpacked.
        let size = entry.size();
        let mut content = Vec::new();
        (&mut entry).take(size + 1).read_to_end(&mut content).map_err(unsafe_archive)?;
        if content.len() as u64 != size {
            return Err(unsafe_archive(format!("{name:?} does not have the size that the archive states")));
        }
        total += size;
        if total > MAX_BYTES {
            return Err(too_large());
        }
        source.files.push((name, content));
    }
    source.files.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(source)
}

/// Checks that no two entries have the same name. The crate keeps only the last of them, and another program may take
/// the first.
///
/// The layout is that of APPNOTE.TXT 4.3.12: 46 bytes, then the name, extra fields and a comment.
fn check_names(directory: &[u8], kept: usize) -> Result<(), Rejection> {
    let (mut rest, mut names, mut count) = (directory, HashMap::new(), 0);
    while rest.len() >= 46 && rest.starts_with(b"PK\x01\x02") {
        let length = |at: usize| usize::from(u16::from_le_bytes([rest[at], rest[at + 1]]));
        let (name, more) = (length(28), length(30) + length(32));
        let Some(bytes) = rest.get(46..46 + name) else { break };
        if let Some(first) = names.insert(bytes.to_ascii_lowercase(), bytes) {
            let [first, second] = [first, bytes].map(String::from_utf8_lossy);
            return Err(unsafe_archive(if first == second {
                format!("two entries are named {first:?}")
            } else {
                format!("the names {first:?} and {second:?} differ only in case")
            }));
        }
        count += 1;
        rest = rest.get(46 + name + more..).unwrap_or_default();
    }
    if count == kept { Ok(()) } else { Err(unsafe_archive("its directory does not list every entry once")) }
}
