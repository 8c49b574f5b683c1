//! Where a long command notes what it is doing.
//!
//! Never prints and never waits: a front end reads the notes from another thread, if it wants to show them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The notes of one command. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ProgressNotes(Arc<SharedNotes>);

#[derive(Debug, Default)]
struct SharedNotes {
    task: Mutex<String>,
    done: AtomicUsize,
    total: AtomicUsize,
}

/// What a command is doing at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgressState {
    /// What it is doing: `searching`.
    pub task: String,
    /// How many files are done.
    pub done: usize,
    /// Of how many; 0 if the task does not consist of files.
    pub total: usize,
}

impl ProgressNotes {
    /// Notes the beginning of a task that does not consist of files.
    pub fn begin(&self, task: &str) {
        self.begin_files(task, 0);
    }

    /// Notes the beginning of a task that goes through files.
    pub fn begin_files(&self, task: &str, total: usize) {
        let mut current = self.0.task.lock().unwrap_or_else(PoisonError::into_inner);
        task.clone_into(&mut current);
        self.0.done.store(0, Ordering::Relaxed);
        self.0.total.store(total, Ordering::Relaxed);
    }

    /// Notes that one more file is done.
    pub fn finish_file(&self) {
        self.0.done.fetch_add(1, Ordering::Relaxed);
    }

    /// What the command is doing now.
    pub fn state(&self) -> ProgressState {
        let task = self.0.task.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ProgressState { task, done: self.0.done.load(Ordering::Relaxed), total: self.0.total.load(Ordering::Relaxed) }
    }
}
