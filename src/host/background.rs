//! Starts memdir itself in the background.
//!
//! Never waits for it without a limit, and never passes on a stream.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Starts this program with arguments in a process group of its own, so that a signal to the caller's group does not
/// end it. Its working directory is `/`, where no file of a project can be mistaken for one of the user's.
///
/// # Errors
/// If the program cannot be started.
pub fn start(args: impl IntoIterator<Item = OsString>) -> std::io::Result<()> {
    background_command(args)?.stderr(Stdio::null()).spawn().map(drop)
}

/// Starts this program as [`start`] does, and waits for its end: its exit status and what it wrote to stderr. `None` if
/// it does not end in time; then it goes on.
///
/// # Errors
/// If the program cannot be started.
pub fn run_within(args: impl IntoIterator<Item = OsString>, wait: Duration) -> std::io::Result<Option<(i32, String)>> {
    // The arguments name the memory, and no scope confines this program's own work.
    let mut child = background_command(args)?.env_remove("MEMDIR_SCOPE").stderr(Stdio::piped()).spawn()?;
    let mut stderr = child.stderr.take();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut messages = Vec::new();
        // What cannot be read is not shown; the exit status counts.
        drop(stderr.take().map(|mut pipe| pipe.read_to_end(&mut messages)));
        let status = child.wait().ok().and_then(|status| status.code()).unwrap_or(-1);
        // After the deadline there is no receiver.
        drop(sender.send((status, String::from_utf8_lossy(&messages).into_owned())));
    });
    Ok(receiver.recv_timeout(wait).ok())
}

fn background_command(args: impl IntoIterator<Item = OsString>) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(args).current_dir("/").process_group(0).stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}
