//! Runs the caller's editor on a copy in a private directory outside the data directory.
//!
//! Never holds a lock, and removes a copy only on request.

use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::code::{Code, Rejection};

/// Name of the file, beside the copy, that keeps the original text.
const ORIGINAL_NAME: &str = ".opened";

/// A copy of a file, opened in an editor.
#[derive(Debug)]
pub struct EditorCopy {
    path: PathBuf,
    original: Option<String>,
}

fn io_error(what: &str, error: &std::io::Error) -> Rejection {
    Rejection::new(Code::Io, format!("{what}: {error}"))
}

/// Creates a directory that only the caller can enter.
fn create_private_dir() -> std::io::Result<PathBuf> {
    let mut n = 0;
    loop {
        let dir = std::env::temp_dir().join(format!("memdir-edit-{}-{n}", std::process::id()));
        match std::fs::DirBuilder::new().mode(0o700).create(&dir) {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && n < 1000 => n += 1,
            result => return result.map(|()| dir),
        }
    }
}

impl EditorCopy {
    /// Copies a text under the file name `name`, which the editor displays and uses to choose the syntax.
    ///
    /// # Errors
    /// `io`.
    pub fn create(name: &str, text: &str) -> Result<EditorCopy, Rejection> {
        let dir = create_private_dir().map_err(|e| io_error("cannot create a private directory", &e))?;
        let path = dir.join(name);
        let write = |path: &Path| -> std::io::Result<()> {
            std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(text.as_bytes())
        };
        write(&path)
            .and_then(|()| write(&dir.join(ORIGINAL_NAME)))
            .map_err(|e| io_error("cannot create the copy", &e))?;
        Ok(EditorCopy { path, original: Some(text.to_owned()) })
    }

    /// Reopens the copy that an earlier edit kept.
    ///
    /// # Errors
    /// `file_not_found`, `io`.
    pub fn reopen(path: &Path) -> Result<EditorCopy, Rejection> {
        let path = std::path::absolute(path).map_err(|e| io_error("the copy's path is invalid", &e))?;
        if !path.is_file() {
            return Err(Rejection::new(Code::FileNotFound, format!("'{}' does not exist", path.display())));
        }
        let opened = fs_err::read_to_string(path.with_file_name(ORIGINAL_NAME)).ok();
        Ok(EditorCopy { path, original: opened })
    }

    /// Opens the copy in the editor, waits for it, and returns the edited text.
    ///
    /// # Errors
    /// `usage` without an editor; `io` if it cannot be started or fails.
    pub fn edit(&self) -> Result<String, Rejection> {
        let editor = configured_editor().ok_or_else(|| {
            Rejection::new(Code::Usage, "no editor is set").hint("set VISUAL or EDITOR, or use `memdir write`")
        })?;
        // As in git, the variable may hold arguments, so a shell splits it; the path is passed as a separate argument.
        let result = Command::new("sh").arg("-c").arg(format!("{editor} \"$@\"")).arg(&editor).arg(&self.path).status();
        match result {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(Rejection::new(Code::Io, format!("the editor failed ({status})"))),
            Err(e) => return Err(io_error("cannot start the editor", &e)),
        }
        self.text()
    }

    /// The present text of the copy.
    ///
    /// # Errors
    /// `io`, also for a text that is not UTF-8.
    pub fn text(&self) -> Result<String, Rejection> {
        fs_err::read_to_string(&self.path).map_err(|e| io_error("cannot read the edited copy", &e))
    }

    /// Gives the copy another text, and the text that it was made of. An error leaves what was written.
    ///
    /// # Errors
    /// `io`.
    pub fn rebase(self, text: &str, original: &str) -> Result<EditorCopy, Rejection> {
        // The text first: with the new original alone, the old text would undo what the file has got since.
        for (path, text) in [(self.path.clone(), text), (self.path.with_file_name(ORIGINAL_NAME), original)] {
            let unfinished = self.path.with_file_name(".unfinished");
            fs_err::write(&unfinished, text)
                .and_then(|()| fs_err::rename(&unfinished, path))
                .map_err(|e| io_error("cannot write the copy", &e))?;
        }
        Ok(EditorCopy { original: Some(original.to_owned()), ..self })
    }

    /// Whether the copy holds nothing that its file does not: it reads as it was made, or is gone.
    pub fn is_unchanged(&self) -> bool {
        match fs_err::read(&self.path) {
            Ok(now) => self.original.as_ref().is_some_and(|original| *original.as_bytes() == now),
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        }
    }

    /// The original text of the copy; `None` if it is no longer known.
    pub fn original_text(&self) -> Option<&str> {
        self.original.as_deref()
    }

    /// The absolute path of the copy.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the copy, once its text is in the memory or did not differ.
    pub fn remove(self) {
        let Some(dir) = self.path.parent() else { return };
        drop(fs_err::remove_file(&self.path));
        drop(fs_err::remove_file(dir.join(ORIGINAL_NAME)));
        // Fails, on purpose, if the editor left another file there.
        drop(std::fs::remove_dir(dir));
    }
}

/// Whether the environment names an editor.
pub fn is_configured() -> bool {
    configured_editor().is_some()
}

fn configured_editor() -> Option<String> {
    let set = |name: &str| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR"))
}
