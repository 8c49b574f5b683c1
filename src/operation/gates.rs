//! What is allowed: places, names, sizes, and the policy's limits on blocks and files.
//!
//! Never looks for a way around: a gate opens or says why not.

use crate::code::{Code, Hint, Rejection};
use crate::document::Document;
use crate::path::MemoryPath;
use crate::text::likeness::within;

use super::snapshot::{Snapshot, Step};

/// The longest bullet, in bytes.
pub const BULLET: usize = 8 * 1024;
/// The largest file, in bytes.
pub const FILE: usize = 64 * 1024 * 1024;

/// Whether a path may be written at all.
pub fn writable(path: &MemoryPath, document: Option<&Document>, own: bool) -> Result<(), Rejection> {
    if let Some(why) = path.odd() {
        let shown: String = path.as_str().chars().take(80).flat_map(char::escape_debug).collect();
        return Err(Rejection::new(Code::InvalidPath, format!("'{shown}' can be read, not written: {why}"))
            .hint("rename the file outside memdir first"));
    }
    if let (Some(folder @ ("archive" | "inbox")), false) = (path.folder(), own) {
        return Err(Rejection::new(Code::ReadOnly, format!("{folder}/ is changed by its own commands only")).hint(
            if folder == "archive" {
                "rm --archive puts items there, undo brings them back"
            } else {
                "proposals are accepted or rejected"
            },
        ));
    }
    if let Some(line) = document.and_then(Document::conflict_marker) {
        return Err(Rejection::new(
            Code::ConflictMarkers,
            format!("{path} holds merge conflict markers (line {line})"),
        )
        .hint("resolve the conflict first; until then the file can only be read")
        .try_(Hint::new("resolve", path.as_str()))
        .detail("line", line));
    }
    Ok(())
}

/// Whether a new file may get this name.
pub fn creatable(path: &MemoryPath, snapshot: &Snapshot, create: bool, own: bool) -> Step<()> {
    if let Some(why) = path.not_for_new() {
        let shown: String = path.as_str().chars().take(80).flat_map(char::escape_debug).collect();
        return Err(Rejection::new(Code::InvalidPath, format!("'{shown}' is no name for a new file: {why}")).into());
    }
    let names = snapshot.names()?;
    let folded = path.folded();
    if let Some(twin) = names.iter().find(|p| p.folded() == folded) {
        return Err(Rejection::new(
            Code::Exists,
            format!("{twin} exists, and {path} differs only in letter case or form"),
        )
        .hint("some file systems cannot hold both: use the existing name")
        .try_(Hint::new("list", twin.as_str()))
        .into());
    }
    let near = names.iter().find(|p| p.parent() == path.parent() && close(p.stem(), path.stem()));
    match near {
        Some(near) if !create && !own => Err(Rejection::new(
            Code::DidYouMean,
            format!("{path} would be a new file, and its name is close to {near}"),
        )
        .hint("to make it all the same, add --create")
        .detail("path", path.as_str())
        .detail("near", near.as_str())
        .try_(Hint::new("list", near.as_str()))
        .into()),
        _ => Ok(()),
    }
}

/// Whether two names are a slip of the finger apart: one letter, or two in a longer name. Numbers count on purpose.
pub fn close(a: &str, b: &str) -> bool {
    let letters = |t: &str| t.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let most = if a.chars().count().min(b.chars().count()) >= 6 { 2 } else { 1 };
    let short = a.chars().count().min(b.chars().count()) < 3;
    a != b && !short && letters(a) != letters(b) && within(a, b, most)
}

/// Whether a bullet is small enough.
pub fn bullet_size(text: &str, children: &[String]) -> Result<(), Rejection> {
    let size = text.len() + children.iter().map(|c| c.len() + 1).sum::<usize>();
    if text.trim().is_empty() {
        return Err(Rejection::new(Code::Usage, "a bullet needs a text"));
    }
    match size > BULLET {
        true => Err(Rejection::new(Code::TooLarge, format!("a bullet may have 8 KiB; this one has {size} bytes"))
            .hint("put long texts into a file of their own (write) and link to it")),
        false => Ok(()),
    }
}

/// Whether a file is small enough.
pub fn file(path: &MemoryPath, after: &Document) -> Result<(), Rejection> {
    match after.text().len() > FILE {
        true => Err(Rejection::new(Code::TooLarge, format!("{path} would be larger than 64 MiB"))),
        false => Ok(()),
    }
}
