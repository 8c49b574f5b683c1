//! Where a long command notes what it is doing, and learns that no caller waits for it any more.
//!
//! Never prints and never waits: a front end reads the notes from another thread, if it wants to show them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::code::{Code, Rejection, Warning};

/// The notes of one command. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ProgressNotes(Arc<SharedNotes>);

#[derive(Debug, Default)]
struct SharedNotes {
    task: Mutex<String>,
    done: AtomicUsize,
    total: AtomicUsize,
    is_cancelled: AtomicBool,
    warnings: Mutex<Vec<Warning>>,
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

    /// Asks the command to end before it changes anything.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the caller no longer waits.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Relaxed)
    }

    /// Ends a command that was cancelled.
    ///
    /// # Errors
    /// `cancelled`.
    pub fn check(&self) -> Result<(), Rejection> {
        if self.is_cancelled() {
            Err(Rejection::new(Code::Cancelled, "the caller cancelled the command"))
        } else {
            Ok(())
        }
    }

    /// Notes what is wrong with the policy or the user config that the command runs under.
    pub fn set_warnings(&self, warnings: &[Warning]) {
        warnings.clone_into(&mut self.0.warnings.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// What is wrong with the policy or the user config.
    pub fn warnings(&self) -> Vec<Warning> {
        self.0.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the command is doing now.
    pub fn state(&self) -> ProgressState {
        let task = self.0.task.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ProgressState { task, done: self.0.done.load(Ordering::Relaxed), total: self.0.total.load(Ordering::Relaxed) }
    }
}
