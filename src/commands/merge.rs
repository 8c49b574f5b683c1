//! `merge` and `merge-driver`: merges three files into one, for git, jj and scripts.
//!
//! Never looks for a data directory: it only uses the files it was given.

use std::path::{Path, PathBuf};

use super::CommandResult;
use super::results::{ConflictRow, MergeResult};
use crate::code::{Code, Rejection};
use crate::host::git::Git;
use crate::host::outside_files;
use crate::operation::merge::{self, ConflictLabels, MergeConflict};

/// The three files of a merge, and how conflicts are marked.
#[derive(Clone, Debug)]
pub struct MergeInput {
    /// The common ancestor; an empty file if there is none.
    pub base: PathBuf,
    /// Our side; the merge driver overwrites it with the result.
    pub ours: PathBuf,
    /// Their side; it is only read.
    pub theirs: PathBuf,
    /// Length of a conflict marker, in characters.
    pub marker_size: usize,
    /// Labels after the conflict markers: base, ours, theirs.
    pub labels: [String; 3],
    /// The path of the merged file in its repository; empty if it is not known.
    pub path: String,
}

impl MergeInput {
    /// Three files, with conflict markers of 7 characters, labelled `base`, `ours` and `theirs`.
    pub fn new(base: impl Into<PathBuf>, ours: impl Into<PathBuf>, theirs: impl Into<PathBuf>) -> MergeInput {
        MergeInput {
            base: base.into(),
            ours: ours.into(),
            theirs: theirs.into(),
            marker_size: 7,
            labels: ["base", "ours", "theirs"].map(str::to_owned),
            path: String::new(),
        }
    }

    fn labels(&self) -> ConflictLabels<'_> {
        let [base, ours, theirs] = &self.labels;
        ConflictLabels { base, ours, theirs, size: self.marker_size }
    }

    fn read(&self) -> Result<[Vec<u8>; 3], Rejection> {
        Ok([outside_files::read(&self.base)?, outside_files::read(&self.ours)?, outside_files::read(&self.theirs)?])
    }
}

/// The result of git's merge driver. Exit status 0: merged; 1: conflicts; above 128: not done (git reports it and
/// stops).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverResult {
    pub status: u8,
    /// A message for stderr.
    pub message: Option<String>,
}

/// Exit status of a merge that failed. Above 128, so that git takes it neither for a merge nor for a conflict.
pub const EXIT_NOT_DONE: u8 = 129;

/// Merges three files into the file of our side, as gitattributes(5) defines merge drivers.
pub fn run_driver(input: &MergeInput) -> DriverResult {
    try_driver(input).unwrap_or_else(|error| DriverResult { status: EXIT_NOT_DONE, message: Some(error.to_string()) })
}

fn try_driver(input: &MergeInput) -> Result<DriverResult, Rejection> {
    let [base, ours, theirs] = match input.read() {
        Err(error) if error.code == Code::TooLarge => return merge_large_file(input),
        read => read?,
    };
    let (bytes, conflicts) = match [&base, &ours, &theirs].map(|bytes| as_text(bytes)) {
        [Some(base), Some(ours), Some(theirs)] => {
            let merged = merge::merge_file(&input.path, base, ours, theirs, &input.labels());
            (merged.text.into_bytes(), !merged.conflicts.is_empty())
        }
        _ => match merge_bytes(input, [&base, &ours, &theirs])? {
            Some(result) => result,
            None => return Ok(binary_conflict()),
        },
    };
    if bytes != ours {
        outside_files::replace(&input.ours, &bytes)?;
    }
    Ok(DriverResult { status: u8::from(conflicts), message: None })
}

/// The bytes as text, if they are UTF-8 without NUL.
fn as_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// Merges bytes that are not UTF-8: if one side is unchanged, the other wins; otherwise git merges line by line.
fn merge_bytes(input: &MergeInput, [base, ours, theirs]: [&[u8]; 3]) -> Result<Option<(Vec<u8>, bool)>, Rejection> {
    if ours == theirs || base == theirs {
        return Ok(Some((ours.to_vec(), false)));
    }
    if base == ours {
        return Ok(Some((theirs.to_vec(), false)));
    }
    merge_with_git(input)
}

/// git's own line-by-line merge; `None` if git takes a side for binary.
fn merge_with_git(input: &MergeInput) -> Result<Option<(Vec<u8>, bool)>, Rejection> {
    let [base, ours, theirs] = &input.labels;
    Git::in_dir(Path::new(".")).merge_file(
        [&input.base, &input.ours, &input.theirs],
        [base, ours, theirs],
        input.marker_size,
    )
}

/// Files that are too large for a memory are merged line by line, as without a driver.
fn merge_large_file(input: &MergeInput) -> Result<DriverResult, Rejection> {
    let Some((bytes, conflicts)) = merge_with_git(input)? else { return Ok(binary_conflict()) };
    outside_files::replace(&input.ours, &bytes)?;
    Ok(DriverResult { status: u8::from(conflicts), message: None })
}

/// As git does with binary files: our side stays, and the file conflicts.
fn binary_conflict() -> DriverResult {
    let message =
        "memdir: one side contains NUL bytes and is not text; our side was kept, resolve the conflict manually"
            .to_owned();
    DriverResult { status: 1, message: Some(message) }
}

/// Merges three files and returns the text; with `out`, also writes it to that file.
///
/// # Errors
/// `file_not_found`, `not_text`, `io`. Conflicts are not an error; the front end maps them to an exit status.
pub fn merge(input: &MergeInput, out: Option<&Path>) -> CommandResult<MergeResult> {
    let sides = input.read()?;
    let names = [&input.base, &input.ours, &input.theirs];
    let mut texts = names.iter().zip(&sides).map(|(name, bytes)| {
        as_text(bytes).ok_or_else(|| Rejection::new(Code::NotText, format!("'{}' is not UTF-8 text", name.display())))
    });
    let mut next_text = || texts.next().unwrap_or(Ok(""));
    let (base, ours, theirs) = (next_text()?, next_text()?, next_text()?);
    let merged = merge::merge_file(&input.path, base, ours, theirs, &input.labels());
    let out = out.filter(|path| path.as_os_str() != "-");
    if let Some(out) = out {
        outside_files::replace(out, merged.text.as_bytes())?;
    }
    Ok(MergeResult {
        clean: merged.conflicts.is_empty(),
        clashes: merged.conflicts.iter().map(conflict_row).collect(),
        text: merged.text,
        out: out.map(|path| path.display().to_string()),
    })
}

fn conflict_row(conflict: &MergeConflict) -> ConflictRow {
    let MergeConflict { line, base, ours, theirs } = conflict.clone();
    ConflictRow { line, base: Some(base), ours, theirs, bullets: Vec::new() }
}
