//! Checks whether a path may be written or created, and the sizes of bullets and files.
//!
//! Never changes its input: a check passes or returns a rejection. The policy's limits are in `limits`.

use crate::code::{Code, Rejection, SuggestedCommand, quote};
use crate::document::{Document, MAX_FILE_BYTES, MAX_FILE_SIZE};
use crate::path::MemoryPath;
use crate::text::similarity::within_edit_distance;

use super::snapshot::{PlanStep, Snapshot};

/// The largest bullet, children included, in bytes.
pub const MAX_BULLET_BYTES: usize = 8 * 1024;
/// Checks whether a path may be written. `allow_reserved` allows `archive/` and `inbox/`.
///
/// # Errors
/// `invalid_path`, `read_only`, `conflict_markers`.
pub fn check_writable(path: &MemoryPath, document: Option<&Document>, allow_reserved: bool) -> Result<(), Rejection> {
    if let Some(reason) = path.odd() {
        let shown = quote(path.as_str(), 80);
        return Err(Rejection::new(Code::InvalidPath, format!("cannot write {shown}: {reason}"))
            .hint("rename the file outside memdir first"));
    }
    if let (Some(folder @ ("archive" | "inbox")), false) = (path.folder(), allow_reserved) {
        return Err(Rejection::new(Code::ReadOnly, format!("{folder}/ cannot be edited directly")).hint(
            if folder == "archive" {
                "use rm --archive to archive an item, restore to take it back, rm to remove it for good"
            } else {
                "use inbox --accept or inbox --reject"
            },
        ));
    }
    match document.and_then(Document::conflict_marker_line) {
        Some(line) => Err(conflict_markers_rejection(path, line)),
        None => Ok(()),
    }
}

/// The rejection of a change to a file with conflict markers; `line` is the first one's, from 1.
pub fn conflict_markers_rejection(path: &MemoryPath, line: usize) -> Rejection {
    Rejection::new(Code::ConflictMarkers, format!("{path} contains merge conflict markers (line {line})"))
        .hint("resolve the conflict first; the file is read-only until then")
        .try_command(SuggestedCommand::new("resolve", path.as_str()))
        .detail("line", line)
}

/// Checks whether a file may be created at a path. `create` allows names similar to existing ones.
///
/// # Errors
/// `invalid_path`, `exists` for names that a case-insensitive file system cannot distinguish, `did_you_mean`.
pub fn check_creatable(path: &MemoryPath, snapshot: &Snapshot, create: bool, allow_reserved: bool) -> PlanStep<()> {
    if let Some(reason) = path.new_name_problem() {
        let shown = quote(path.as_str(), 80);
        return Err(Rejection::new(Code::InvalidPath, format!("cannot create {shown}: {reason}")).into());
    }
    let names = snapshot.file_names()?;
    let folded = path.case_folded();
    if let Some(existing) = names.iter().find(|p| p.case_folded() == folded) {
        return Err(Rejection::new(
            Code::Exists,
            format!("{existing} exists; {path} differs only in case or Unicode normalization"),
        )
        .hint("some file systems cannot store both; use the existing name")
        .try_command(SuggestedCommand::new("list", existing.as_str()))
        .into());
    }
    let stem = |path: &MemoryPath| path.stem().to_lowercase();
    // Several files of an adopted folder have that name, or the caller named `facts/` although one has it.
    let is_namesake = |p: &MemoryPath| path.parent() == "facts" && p.is_adopted() && stem(p) == stem(path);
    let is_near = |p: &MemoryPath| p.parent() == path.parent() && is_similar_name(p.stem(), path.stem());
    let near = names.iter().find(|p| is_near(p) || is_namesake(p));
    match near {
        Some(near) if !create && !allow_reserved => {
            Err(Rejection::new(Code::DidYouMean, format!("{path} does not exist, and its name is similar to {near}"))
                .hint("to create it anyway, use --create")
                .detail("path", path.as_str())
                .detail("near", near.as_str())
                .try_command(SuggestedCommand::new("list", near.as_str()))
                .into())
        }
        _ => Ok(()),
    }
}

/// Checks that the name of a new file, as the caller wrote it, has no other extension than `.md`: the author of
/// `run.sh` does not expect `run.sh.md`.
///
/// # Errors
/// `invalid_path`.
pub fn check_extension(written: &str, path: &MemoryPath) -> Result<(), Rejection> {
    let file = written.split('#').next().unwrap_or(written);
    let name = file.rsplit('/').next().unwrap_or(file);
    let is_extension = |text: &str| {
        (1..=8).contains(&text.len())
            && text.chars().all(|c| c.is_ascii_alphanumeric())
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && extension != "md" && is_extension(extension) => {
            Err(Rejection::new(Code::InvalidPath, format!("'.{extension}' is not the extension of a memory file"))
                .hint(format!("memory files are markdown; to create {path}, use --create"))
                .detail("path", path.as_str()))
        }
        _ => Ok(()),
    }
}

/// Whether two names differ by a likely typing error: an edit distance of 1, or 2 if both have 6 characters or more.
/// Names that differ only in digits are distinct on purpose (`2026-01`, `2026-02`).
pub fn is_similar_name(a: &str, b: &str) -> bool {
    let letters = |t: &str| t.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let max_distance = if a.chars().count().min(b.chars().count()) >= 6 { 2 } else { 1 };
    let short = a.chars().count().min(b.chars().count()) < 3;
    a != b && !short && letters(a) != letters(b) && within_edit_distance(a, b, max_distance)
}

/// Checks that a bullet has text and is not too large.
pub fn check_bullet_size(text: &str, children: &[String]) -> Result<(), Rejection> {
    let bytes = text.len() + children.iter().map(|c| c.len() + 1).sum::<usize>();
    if text.trim().is_empty() {
        return Err(Rejection::new(Code::Usage, "the bullet text is empty"));
    }
    if bytes > MAX_BULLET_BYTES {
        Err(Rejection::new(Code::TooLarge, format!("a bullet can have at most 8 KiB; this one has {bytes} bytes"))
            .hint("write long text to a separate file and link to it"))
    } else {
        Ok(())
    }
}

/// Checks that a file is not too large.
pub fn check_file_size(path: &MemoryPath, after: &Document) -> Result<(), Rejection> {
    if after.text().len() > MAX_FILE_BYTES {
        Err(Rejection::new(Code::TooLarge, format!("{path} would be larger than {MAX_FILE_SIZE}")))
    } else {
        Ok(())
    }
}
