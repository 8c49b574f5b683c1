//! Displaced texts that cannot be restored: the path in the inbox at which one is kept, and the warning about it.
//!
//! Never writes a file: `executor` does.

use crate::code::{Code, Rejection, Warning};
use crate::path::MemoryPath;

/// The folders in which a displaced text may be kept: the second where something stands in the place of the first that
/// is no folder, such as a symbolic link.
pub const RESCUE_FOLDERS: [&str; 2] = ["inbox", "archive"];

/// The path at which the displaced text of a file is kept.
pub fn rescue_path(folder: &str, rev: u64, file: usize, attempt: usize) -> Result<MemoryPath, Rejection> {
    match attempt {
        0 => MemoryPath::new(&format!("{folder}/rescued-r{rev}-{file}.md")),
        n => MemoryPath::new(&format!("{folder}/rescued-r{rev}-{file}-{n}.md")),
    }
}

/// Whether a file is one in which a displaced text is kept.
pub fn is_rescue_path(path: &MemoryPath) -> bool {
    path.as_str().starts_with("inbox/rescued-r")
}

/// The warning that a displaced text was kept.
pub fn rescued_warning(path: &MemoryPath, of: Option<&MemoryPath>) -> Warning {
    let what = match of {
        Some(of) => format!("a version of '{of}' that was saved at the same time"),
        None => "a text that was saved at the same time as an earlier change".to_owned(),
    };
    Warning::new(Code::Rescued, format!("{what} is kept as '{path}'")).detail("path", path.as_str())
}
