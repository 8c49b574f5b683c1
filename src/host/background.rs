//! Starts memdir itself in the background.
//!
//! Never waits for it, and never passes on a stream: what it prints is lost.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Starts this program with arguments in a process group of its own, so that a signal to the caller's group does not
/// end it. Its working directory is `/`, where no file of a project can be mistaken for one of the user's.
///
/// # Errors
/// If the program cannot be started.
pub fn start(args: impl IntoIterator<Item = OsString>) -> std::io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(args).current_dir("/").process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}
