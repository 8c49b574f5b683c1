//! The state machine that changes a batch of files, for commit and recovery: a crash or a concurrent edit at any moment
//! loses nothing (ARCHITECTURE.md, "The store").
//!
//! Pure. Never touches a file: it returns the next action and receives its result. It knows files by number, and texts
//! by their role in the batch, so that a test can explore every schedule.

/// What happens to one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileChangeKind {
    /// It gets another text or mode.
    Update,
    /// It must not exist, and is created.
    Create,
    /// It is removed.
    Remove,
}

/// Where a text is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextLocation {
    /// `.memdir/undo/REV-I`.
    Slot,
    /// The memory file itself.
    Target,
}

/// The role of a stored text in this batch. A text that another process has open for writing is [`TextState::Foreign`],
/// whatever it contains now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextState {
    /// There is no file, or a power cut left nothing of a new text in its slot.
    Absent,
    /// The text that the plan was made on.
    Base,
    /// The file has the planned text.
    Ours,
    /// Anything else: a person's text.
    Foreign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommitAction {
    /// Inspect the stored text. Result: [`ActionResult::Observed`].
    Inspect(TextLocation, usize),
    /// Write the new text to its slot; for a removal, free the slot.
    WriteSlot(usize),
    /// Append the intent record, and sync the slots and the journal. [`ActionResult::Refused`]: nothing of it is in the
    /// journal.
    AppendIntent,
    /// Swap slot and target. [`ActionResult::Raced`]: the target is gone.
    Exchange(usize),
    /// Move the slot to the target, which must not exist. [`ActionResult::Raced`]: it exists.
    MoveIn(usize),
    /// Move the target to the slot, which does not exist. [`ActionResult::Raced`]: the target is gone.
    MoveOut(usize),
    /// Move the slot to a new name in `inbox/`. Does nothing if the slot is gone.
    Rescue(usize),
    /// Sync the directories of the files (`durability: full` only), so that a power cut does not take the renames back.
    SyncDirs,
    /// Append the end record; synced unless it is `done`.
    AppendEnd(BatchEnding),
    /// Stop: there is no further action.
    Finish(CommitOutcome),
}

/// How a batch ended, as its end record states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchEnding {
    /// The batch was applied.
    Done,
    /// The batch was undone.
    Undone,
    /// The batch was undone, and a displaced text is in `inbox/`.
    Rescued,
}

/// The result of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionResult {
    Ok,
    /// Another process changed the names first; nothing was done.
    Raced,
    /// The system refused; nothing was done.
    Refused,
    /// The system failed; whether it was done is not known.
    Failed,
    /// The text that was inspected.
    Observed(TextState),
}

/// How a commit or recovery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommitOutcome {
    /// The batch was applied.
    Applied,
    /// The batch was applied; a directory could not be synced.
    AppliedNotDurable,
    /// A file differed from the text that the plan was made on. Nothing of the batch is applied.
    BaseChanged,
    /// The system refused. Nothing of the batch is applied.
    Refused,
    /// The outcome cannot be known; the intent stays open for the next writer.
    Unknown,
}

/// The progress of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum FileProgress {
    /// Not applied, or undone.
    Pending,
    /// Not applied, and its slot must be rebuilt first.
    SlotMissing,
    /// Applied; the displaced text was the base.
    Applied,
    /// Applied; the displaced text was a person's, and is in the slot.
    Displaced,
    /// A person changed the file since; it is left as it is.
    LeftUnchanged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum CommitPhase {
    CheckBase(usize),
    WriteSlot(usize),
    AppendIntent,
    InspectSlot(usize),
    InspectTarget(usize, TextState),
    RebuildSlot(usize),
    Apply(usize),
    CheckDisplaced(usize),
    Undo(usize, UndoStep),
    SyncDirs,
    AppendEnd,
    Finished,
}

/// The step at which undoing one file is. Each is named after the action that was requested last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum UndoStep {
    InspectTarget,
    Exchange,
    CheckSwappedOut,
    SwapBack,
    InspectSlot,
    MoveOut,
    CheckMovedOut,
    MoveIn,
    Rescue,
}

/// Whether a batch without an end record is applied to every file, whatever was saved since: what recovery itself sees
/// when it inspects the files, up to the first action that would write.
pub fn is_applied(kinds: Vec<FileChangeKind>, mut inspect: impl FnMut(TextLocation, usize) -> ActionResult) -> bool {
    let mut machine = CommitStateMachine::recover(kinds);
    let mut action = machine.start();
    while let CommitAction::Inspect(location, i) = action {
        action = machine.step(inspect(location, i));
    }
    action == CommitAction::SyncDirs
}

/// The state of one batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CommitStateMachine {
    kinds: Vec<FileChangeKind>,
    status: Vec<FileProgress>,
    /// During recovery: whether every file can still be finished.
    can_finish: bool,
    recovering: bool,
    phase: CommitPhase,
    outcome: CommitOutcome,
    rescued: bool,
}

impl CommitStateMachine {
    /// Starts a new batch.
    pub fn commit(kinds: Vec<FileChangeKind>) -> CommitStateMachine {
        CommitStateMachine::new(kinds, false)
    }

    /// Resumes a batch whose intent is in the journal without an end record.
    pub fn recover(kinds: Vec<FileChangeKind>) -> CommitStateMachine {
        CommitStateMachine::new(kinds, true)
    }

    fn new(kinds: Vec<FileChangeKind>, recovering: bool) -> CommitStateMachine {
        CommitStateMachine {
            status: vec![FileProgress::Pending; kinds.len()],
            phase: if recovering { CommitPhase::InspectSlot(0) } else { CommitPhase::CheckBase(0) },
            kinds,
            can_finish: true,
            recovering,
            outcome: CommitOutcome::Applied,
            rescued: false,
        }
    }

    /// The first action; [`CommitStateMachine::step`] returns those that follow.
    pub fn start(&self) -> CommitAction {
        if self.recovering {
            CommitAction::Inspect(TextLocation::Slot, 0)
        } else {
            CommitAction::Inspect(TextLocation::Target, 0)
        }
    }

    /// The files that a person changed meanwhile and that were therefore left as they are.
    pub fn left_unchanged(&self) -> Vec<usize> {
        (0..self.kinds.len()).filter(|&i| self.status[i] == FileProgress::LeftUnchanged).collect()
    }

    /// Whether this finishes or undoes an earlier batch.
    #[cfg(test)]
    pub fn is_recovery(&self) -> bool {
        self.recovering
    }

    /// Whether applied files are being undone.
    #[cfg(test)]
    pub fn is_undoing(&self) -> bool {
        matches!(self.phase, CommitPhase::Undo(..))
    }

    /// Takes the result of the last action and returns the next action.
    pub fn step(&mut self, result: ActionResult) -> CommitAction {
        let failed = matches!(result, ActionResult::Refused | ActionResult::Failed);
        match self.phase {
            CommitPhase::CheckBase(_) | CommitPhase::WriteSlot(_) if failed => self.finish_with(CommitOutcome::Refused),
            CommitPhase::CheckBase(i) if result != ActionResult::Observed(self.expected_base(i)) => {
                self.finish_with(CommitOutcome::BaseChanged)
            }
            CommitPhase::CheckBase(i) if i + 1 < self.kinds.len() => self.enter(CommitPhase::CheckBase(i + 1)),
            CommitPhase::CheckBase(_) => self.enter(CommitPhase::WriteSlot(0)),
            CommitPhase::WriteSlot(i) if i + 1 < self.kinds.len() => self.enter(CommitPhase::WriteSlot(i + 1)),
            CommitPhase::WriteSlot(_) => self.enter(CommitPhase::AppendIntent),
            CommitPhase::AppendIntent => match result {
                ActionResult::Ok => self.apply_from(0),
                ActionResult::Refused => self.finish_with(CommitOutcome::Refused),
                _ => {
                    self.outcome = CommitOutcome::Refused;
                    self.enter(CommitPhase::AppendEnd)
                }
            },
            CommitPhase::InspectSlot(_) | CommitPhase::InspectTarget(..) if failed => {
                self.finish_with(CommitOutcome::Unknown)
            }
            CommitPhase::InspectSlot(i) => self.enter(CommitPhase::InspectTarget(i, observed_text(result))),
            CommitPhase::InspectTarget(i, slot) => self.after_inspection(i, slot, observed_text(result)),
            CommitPhase::RebuildSlot(_) if failed => self.start_undo(CommitOutcome::BaseChanged),
            CommitPhase::RebuildSlot(i) => {
                self.status[i] = FileProgress::Pending;
                self.rebuild_from(i + 1)
            }
            CommitPhase::Apply(i) => self.after_apply(i, result),
            CommitPhase::CheckDisplaced(i) => self.after_check(i, result),
            CommitPhase::Undo(i, undo_step) => self.after_undo_step(i, undo_step, result),
            CommitPhase::SyncDirs => {
                self.outcome = if failed { CommitOutcome::AppliedNotDurable } else { CommitOutcome::Applied };
                self.enter(CommitPhase::AppendEnd)
            }
            CommitPhase::AppendEnd => {
                // An applied batch needs no end record: the next writer derives the same from the slots.
                if failed && self.must_undo() {
                    self.outcome = CommitOutcome::Unknown;
                }
                self.finish_with(self.outcome)
            }
            CommitPhase::Finished => CommitAction::Finish(self.outcome),
        }
    }

    fn must_undo(&self) -> bool {
        matches!(self.outcome, CommitOutcome::BaseChanged | CommitOutcome::Refused | CommitOutcome::Unknown)
    }

    /// The expected state of the target before the batch.
    fn expected_base(&self, i: usize) -> TextState {
        if self.kinds[i] == FileChangeKind::Create { TextState::Absent } else { TextState::Base }
    }

    fn enter(&mut self, phase: CommitPhase) -> CommitAction {
        self.phase = phase;
        match phase {
            CommitPhase::CheckBase(i) | CommitPhase::InspectTarget(i, _) => {
                CommitAction::Inspect(TextLocation::Target, i)
            }
            CommitPhase::WriteSlot(i) | CommitPhase::RebuildSlot(i) => CommitAction::WriteSlot(i),
            CommitPhase::AppendIntent => CommitAction::AppendIntent,
            CommitPhase::InspectSlot(i) | CommitPhase::CheckDisplaced(i) => {
                CommitAction::Inspect(TextLocation::Slot, i)
            }
            CommitPhase::Apply(i) => match self.kinds[i] {
                FileChangeKind::Update => CommitAction::Exchange(i),
                FileChangeKind::Create => CommitAction::MoveIn(i),
                FileChangeKind::Remove => CommitAction::MoveOut(i),
            },
            CommitPhase::Undo(i, undo_step) => match undo_step {
                UndoStep::InspectTarget => CommitAction::Inspect(TextLocation::Target, i),
                UndoStep::Exchange | UndoStep::SwapBack => CommitAction::Exchange(i),
                UndoStep::CheckSwappedOut | UndoStep::InspectSlot | UndoStep::CheckMovedOut => {
                    CommitAction::Inspect(TextLocation::Slot, i)
                }
                UndoStep::MoveOut => CommitAction::MoveOut(i),
                UndoStep::MoveIn => CommitAction::MoveIn(i),
                UndoStep::Rescue => CommitAction::Rescue(i),
            },
            CommitPhase::SyncDirs => CommitAction::SyncDirs,
            CommitPhase::AppendEnd => CommitAction::AppendEnd(match (self.must_undo(), self.rescued) {
                (false, _) => BatchEnding::Done,
                (true, false) => BatchEnding::Undone,
                (true, true) => BatchEnding::Rescued,
            }),
            CommitPhase::Finished => CommitAction::Finish(self.outcome),
        }
    }

    fn finish_with(&mut self, outcome: CommitOutcome) -> CommitAction {
        self.outcome = outcome;
        self.enter(CommitPhase::Finished)
    }

    // Applying.

    fn apply_from(&mut self, from: usize) -> CommitAction {
        match (from..self.kinds.len()).find(|&i| self.status[i] == FileProgress::Pending) {
            Some(i) => self.enter(CommitPhase::Apply(i)),
            None => self.enter(CommitPhase::SyncDirs),
        }
    }

    fn after_apply(&mut self, i: usize, result: ActionResult) -> CommitAction {
        match result {
            ActionResult::Ok if self.kinds[i] == FileChangeKind::Create => {
                self.status[i] = FileProgress::Applied;
                self.apply_from(i + 1)
            }
            ActionResult::Ok => self.enter(CommitPhase::CheckDisplaced(i)),
            ActionResult::Failed => self.finish_with(CommitOutcome::Unknown),
            ActionResult::Refused => self.start_undo(CommitOutcome::Refused),
            ActionResult::Raced | ActionResult::Observed(_) => self.start_undo(CommitOutcome::BaseChanged),
        }
    }

    fn after_check(&mut self, i: usize, result: ActionResult) -> CommitAction {
        match result {
            ActionResult::Observed(TextState::Base) => {
                self.status[i] = FileProgress::Applied;
                self.apply_from(i + 1)
            }
            ActionResult::Observed(_) => {
                self.status[i] = FileProgress::Displaced;
                self.start_undo(CommitOutcome::BaseChanged)
            }
            _ => self.finish_with(CommitOutcome::Unknown),
        }
    }

    // Recovery.

    fn after_inspection(&mut self, i: usize, slot: TextState, target: TextState) -> CommitAction {
        self.status[i] = match (self.kinds[i], slot) {
            (FileChangeKind::Update | FileChangeKind::Remove, TextState::Base) => FileProgress::Applied,
            (FileChangeKind::Update, TextState::Ours) => FileProgress::Pending,
            (FileChangeKind::Update, TextState::Absent) if target == TextState::Ours => FileProgress::Applied,
            (FileChangeKind::Update, TextState::Absent) => FileProgress::SlotMissing,
            (FileChangeKind::Remove, TextState::Absent) => FileProgress::Pending,
            (FileChangeKind::Create, TextState::Absent) => FileProgress::Applied,
            (FileChangeKind::Create, TextState::Ours) => FileProgress::Pending,
            _ => FileProgress::Displaced,
        };
        self.can_finish &= match self.status[i] {
            FileProgress::Pending | FileProgress::SlotMissing => target == self.expected_base(i),
            FileProgress::Applied => true,
            FileProgress::Displaced | FileProgress::LeftUnchanged => false,
        };
        match (i + 1 < self.kinds.len(), self.can_finish) {
            (true, _) => self.enter(CommitPhase::InspectSlot(i + 1)),
            (false, true) if self.never_began() => self.start_undo(CommitOutcome::BaseChanged),
            (false, true) => self.rebuild_from(0),
            (false, false) => self.start_undo(CommitOutcome::BaseChanged),
        }
    }

    /// Whether a power cut came before the slots were synced, and thus before any file was changed.
    fn never_began(&self) -> bool {
        self.status.contains(&FileProgress::SlotMissing) && !self.status.contains(&FileProgress::Applied)
    }

    fn rebuild_from(&mut self, from: usize) -> CommitAction {
        match (from..self.kinds.len()).find(|&i| self.status[i] == FileProgress::SlotMissing) {
            Some(i) => self.enter(CommitPhase::RebuildSlot(i)),
            None => self.apply_from(0),
        }
    }

    // Undoing, from the last file to the first.

    fn start_undo(&mut self, outcome: CommitOutcome) -> CommitAction {
        self.outcome = outcome;
        self.undo_from(self.kinds.len())
    }

    fn undo_from(&mut self, end: usize) -> CommitAction {
        let needs_undo = |&i: &usize| matches!(self.status[i], FileProgress::Applied | FileProgress::Displaced);
        let Some(i) = (0..end).rev().find(needs_undo) else { return self.enter(CommitPhase::AppendEnd) };
        let first = match (self.kinds[i], self.status[i]) {
            (FileChangeKind::Update, _) | (FileChangeKind::Create, FileProgress::Applied) => UndoStep::InspectTarget,
            (FileChangeKind::Create | FileChangeKind::Remove, _) => UndoStep::MoveIn,
        };
        self.enter(CommitPhase::Undo(i, first))
    }

    fn settle_file(&mut self, i: usize, status: FileProgress) -> CommitAction {
        self.status[i] = status;
        self.undo_from(i)
    }

    /// The target is now a person's text. If it had displaced another text, that one must not stay in the slot, where
    /// no person would find it.
    fn keep_foreign_target(&mut self, i: usize) -> CommitAction {
        match self.status[i] {
            FileProgress::Displaced => self.enter(CommitPhase::Undo(i, UndoStep::Rescue)),
            _ => self.settle_file(i, FileProgress::LeftUnchanged),
        }
    }

    fn after_undo_step(&mut self, i: usize, undo_step: UndoStep, result: ActionResult) -> CommitAction {
        if matches!(result, ActionResult::Refused | ActionResult::Failed) {
            return self.finish_with(CommitOutcome::Unknown);
        }
        let update = self.kinds[i] == FileChangeKind::Update;
        match (undo_step, result) {
            (UndoStep::InspectTarget, ActionResult::Observed(TextState::Ours)) if update => {
                self.enter(CommitPhase::Undo(i, UndoStep::Exchange))
            }
            (UndoStep::InspectTarget, ActionResult::Observed(TextState::Ours)) => {
                self.enter(CommitPhase::Undo(i, UndoStep::MoveOut))
            }
            (UndoStep::InspectTarget, _) => self.keep_foreign_target(i),
            (UndoStep::Exchange, ActionResult::Ok) => self.enter(CommitPhase::Undo(i, UndoStep::CheckSwappedOut)),
            (UndoStep::CheckSwappedOut | UndoStep::CheckMovedOut, ActionResult::Observed(TextState::Ours)) => {
                self.settle_file(i, FileProgress::Pending)
            }
            // The displaced text is the newest one: it is swapped back at once, and then the slot is inspected again.
            (UndoStep::CheckSwappedOut, _) => self.enter(CommitPhase::Undo(i, UndoStep::SwapBack)),
            (UndoStep::Exchange | UndoStep::SwapBack, _) => self.enter(CommitPhase::Undo(i, UndoStep::InspectSlot)),
            (UndoStep::InspectSlot, ActionResult::Observed(TextState::Base | TextState::Ours | TextState::Absent)) => {
                self.settle_file(i, FileProgress::LeftUnchanged)
            }
            (UndoStep::InspectSlot, _) => self.enter(CommitPhase::Undo(i, UndoStep::Rescue)),
            (UndoStep::MoveOut, ActionResult::Ok) => self.enter(CommitPhase::Undo(i, UndoStep::CheckMovedOut)),
            (UndoStep::MoveOut, _) => self.settle_file(i, FileProgress::LeftUnchanged),
            (UndoStep::CheckMovedOut, _) => {
                self.status[i] = FileProgress::Displaced;
                self.enter(CommitPhase::Undo(i, UndoStep::MoveIn))
            }
            (UndoStep::MoveIn, ActionResult::Ok) if self.kinds[i] == FileChangeKind::Remove => {
                self.settle_file(i, FileProgress::Pending)
            }
            (UndoStep::MoveIn, ActionResult::Ok) => self.settle_file(i, FileProgress::LeftUnchanged),
            (UndoStep::MoveIn, _) => self.keep_foreign_target(i),
            (UndoStep::Rescue, _) => {
                self.rescued = true;
                self.settle_file(i, FileProgress::LeftUnchanged)
            }
        }
    }
}

fn observed_text(result: ActionResult) -> TextState {
    match result {
        ActionResult::Observed(text) => text,
        _ => TextState::Foreign,
    }
}
