//! The user's pager and terminal: which program shows a long text, and how much fits.
//!
//! Never takes the pager from a memory or a repository: `MEMDIR_PAGER` and `PAGER` are the user's environment.

use std::io::{self, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::EnvLookup;

/// The options of `less` if the user sets none, and those of `lv`: quit if it fits on the screen, pass colours on, do
/// not clear (git-config(1), core.pager).
const DEFAULT_OPTIONS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

/// The user's pager as a shell command; `None` if there is none, or it is `cat`.
pub fn configured_pager(env: EnvLookup<'_>) -> Option<String> {
    let pager = env("MEMDIR_PAGER").or_else(|| env("PAGER")).unwrap_or_else(|| "less".to_owned());
    let pager = pager.trim();
    let program = pager.split_whitespace().next().filter(|program| *program != "cat")?;
    // A command of the shell other than a program's name cannot be looked up, so it is tried.
    let is_name = program.bytes().all(|b| b.is_ascii_alphanumeric() || b"._+-/".contains(&b));
    (!is_name || is_installed(program, env)).then(|| pager.to_owned())
}

fn is_installed(program: &str, env: EnvLookup<'_>) -> bool {
    let is_file = |path: &Path| path.metadata().is_ok_and(|meta| meta.is_file());
    if program.contains('/') {
        is_file(Path::new(program))
    } else {
        env("PATH").is_some_and(|all| std::env::split_paths(&all).any(|dir| is_file(&dir.join(program))))
    }
}

/// Becomes the pager, with the text as its input. Returns only if that fails, and then nothing was shown.
pub fn become_pager(pager: &str, text: &str) -> io::Error {
    let input = match input_file(text) {
        Ok(input) => input,
        Err(error) => return error,
    };
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::from(input));
    for (name, options) in DEFAULT_OPTIONS {
        if std::env::var_os(name).is_none_or(|value| value.as_bytes().is_empty()) {
            command.env(name, options);
        }
    }
    // In place of this program: what a key does to the pager is none of a parent's business.
    command.exec()
}

/// A file without a name, with a text to read.
fn input_file(text: &str) -> io::Result<std::fs::File> {
    #[cfg(target_os = "linux")]
    let mut file = std::fs::File::from(rustix::fs::memfd_create("memdir", rustix::fs::MemfdFlags::CLOEXEC)?);
    #[cfg(not(target_os = "linux"))]
    let mut file = tempfile::tempfile()?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

/// The rows and columns of the terminal that stdout is; `None` if it has no size.
pub fn terminal_size() -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_row > 0 && size.ws_col > 0).then(|| (usize::from(size.ws_row), usize::from(size.ws_col)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pager_is_the_users() {
        let path = ("PATH", "/usr/bin:/bin");
        let chosen = |set: &[(&str, &str)]| {
            let all: Vec<(&str, &str)> = set.iter().copied().chain([path]).collect();
            configured_pager(&|name| all.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(chosen(&[("PAGER", "sort -r")]).as_deref(), Some("sort -r"));
        assert_eq!(chosen(&[("PAGER", "sort"), ("MEMDIR_PAGER", "head -n 3")]).as_deref(), Some("head -n 3"));
        for none in ["", "  ", "cat", "cat -v", "no-such-program-xyz", "/no/such/program"] {
            assert_eq!(chosen(&[("PAGER", "sort"), ("MEMDIR_PAGER", none)]), None, "{none:?}");
        }
        assert_eq!(chosen(&[("PAGER", "$HOME/page | x")]).as_deref(), Some("$HOME/page | x"));
    }
}
