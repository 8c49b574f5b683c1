//! The caller's editor, on a copy in a private directory outside the data dir.
//!
//! Never holds a lock, and never removes a copy unless it is told so.

use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::code::{Code, Rejection};

/// The name, beside the copy, of the text it was opened with.
const OPENED: &str = ".opened";

/// A copy of a file that somebody edits.
#[derive(Debug)]
pub struct Copy {
    path: PathBuf,
    opened: Option<String>,
}

fn failed(what: &str, error: &std::io::Error) -> Rejection {
    Rejection::new(Code::Io, format!("{what}: {error}"))
}

/// A new directory that only the caller can enter.
fn private_dir() -> std::io::Result<PathBuf> {
    let mut n = 0;
    loop {
        let dir = std::env::temp_dir().join(format!("memdir-edit-{}-{n}", std::process::id()));
        match std::fs::DirBuilder::new().mode(0o700).create(&dir) {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && n < 1000 => n += 1,
            made => return made.map(|()| dir),
        }
    }
}

impl Copy {
    /// Copies a text under a file name (the editor shows it, and takes the syntax from it).
    ///
    /// # Errors
    /// `io`.
    pub fn fresh(name: &str, text: &str) -> Result<Copy, Rejection> {
        let dir = private_dir().map_err(|e| failed("a private directory cannot be made", &e))?;
        let path = dir.join(name);
        let write = |path: &Path| -> std::io::Result<()> {
            std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(text.as_bytes())
        };
        write(&path).and_then(|()| write(&dir.join(OPENED))).map_err(|e| failed("the copy cannot be made", &e))?;
        Ok(Copy { path, opened: Some(text.to_owned()) })
    }

    /// The copy that an earlier edit kept.
    ///
    /// # Errors
    /// `file_not_found`, `io`.
    pub fn kept(path: &Path) -> Result<Copy, Rejection> {
        let path = std::path::absolute(path).map_err(|e| failed("the copy's path is not valid", &e))?;
        if !path.is_file() {
            return Err(Rejection::new(Code::FileNotFound, format!("'{}' does not exist", path.display())));
        }
        let opened = fs_err::read_to_string(path.with_file_name(OPENED)).ok();
        Ok(Copy { path, opened })
    }

    /// Lets the caller edit the copy, and answers its text.
    ///
    /// # Errors
    /// `usage` without an editor; `io` when it cannot be started or ends with a failure.
    pub fn edited(&self) -> Result<String, Rejection> {
        let editor = editor().ok_or_else(|| {
            Rejection::new(Code::Usage, "no editor is set").hint("set VISUAL or EDITOR, or use `memdir write`")
        })?;
        // As git does it: the variable may hold arguments, so a shell splits it; the path goes beside it untouched.
        let ended = Command::new("sh").arg("-c").arg(format!("{editor} \"$@\"")).arg(&editor).arg(&self.path).status();
        match ended {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(Rejection::new(Code::Io, format!("the editor ended with {status}"))),
            Err(e) => return Err(failed("the editor cannot be started", &e)),
        }
        fs_err::read_to_string(&self.path).map_err(|e| failed("the edited copy cannot be read", &e))
    }

    /// The text it was opened with; none where that is not known any more.
    pub fn opened(&self) -> Option<&str> {
        self.opened.as_deref()
    }

    /// Where it is, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it: what it holds is in the memory now, or never differed.
    pub fn remove(self) {
        let Some(dir) = self.path.parent() else { return };
        drop(fs_err::remove_file(&self.path));
        drop(fs_err::remove_file(dir.join(OPENED)));
        // Fails, and should, when the editor left something else there.
        drop(std::fs::remove_dir(dir));
    }
}

fn editor() -> Option<String> {
    let set = |name: &str| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR"))
}
