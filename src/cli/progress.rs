//! Shows on a terminal what a command is doing that takes longer than a second: what, how far, for how long.
//!
//! Never writes to anything but a terminal, and leaves no line behind.

use std::io::IsTerminal;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::GlobalArgs;
use super::{open, sanitize};
use crate::commands::{ProgressNotes, ProgressState};

/// A command that is done sooner shows no progress.
const DELAY: Duration = Duration::from_secs(1);
/// How often the line is drawn.
const INTERVAL: Duration = Duration::from_millis(100);

/// Shows the notes of one command until it is dropped.
pub struct ProgressDisplay {
    /// Dropped to stop the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressDisplay {
    /// Begins to watch the notes, if stderr is a terminal and the caller wants to see more than errors.
    /// `MEMDIR_PROGRESS_AFTER` is the delay in milliseconds.
    pub fn start(global: &GlobalArgs, notes: &ProgressNotes) -> ProgressDisplay {
        if global.json || global.quiet || !std::io::stderr().is_terminal() {
            return ProgressDisplay { stop: None, thread: None };
        }
        let delay = open::env("MEMDIR_PROGRESS_AFTER").and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
        let (stop, stopped) = mpsc::channel();
        let notes = notes.clone();
        let watch = move || watch_notes(&notes, delay.unwrap_or(DELAY), &stopped);
        // Without a thread the command runs all the same.
        let thread = Builder::new().name("progress".to_owned()).spawn(watch).ok();
        ProgressDisplay { stop: Some(stop), thread }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Draws the notes from the delay on until the other end of the channel is dropped; then clears the line.
fn watch_notes(notes: &ProgressNotes, delay: Duration, stopped: &Receiver<()>) {
    let start = Instant::now();
    let is_running = |wait| matches!(stopped.recv_timeout(wait), Err(RecvTimeoutError::Timeout));
    let mut running = is_running(delay);
    if !running && start.elapsed() < delay {
        return;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
        bar.set_style(style);
    }
    // The last state is drawn, too, so that no test depends on the speed of the command.
    loop {
        bar.set_message(progress_line(&notes.state(), start.elapsed()));
        bar.force_draw();
        if !running {
            break;
        }
        running = is_running(INTERVAL);
    }
    bar.finish_and_clear();
}

/// `memdir: searching, 1,200 of 5,000 files, 3s`
fn progress_line(state: &ProgressState, elapsed: Duration) -> String {
    let mut line = "memdir: ".to_owned();
    sanitize::escape_line(&mut line, &state.task, true);
    if state.total > 0 {
        let (done, total) = (HumanCount(state.done as u64), HumanCount(state.total as u64));
        line += &format!(", {done} of {total} file{}", if state.total == 1 { "" } else { "s" });
    }
    line + &format!(", {}", elapsed_time(elapsed.as_secs()))
}

/// `59s`, `2m05s`
fn elapsed_time(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        _ => format!("{}m{:02}s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_how_far_and_for_how_long() {
        for (task, done, total, seconds, line) in [
            ("searching", 1200, 5000, 3, "memdir: searching, 1,200 of 5,000 files, 3s"),
            ("checking", 0, 1, 61, "memdir: checking, 0 of 1 file, 1m01s"),
            ("fetching from origin", 0, 0, 0, "memdir: fetching from origin, 0s"),
            ("syncing", 0, 0, 125, "memdir: syncing, 2m05s"),
        ] {
            let state = ProgressState { task: task.to_owned(), done, total };
            assert_eq!(progress_line(&state, Duration::from_secs(seconds)), line);
        }
    }
}
