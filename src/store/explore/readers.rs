//! What readers see in the model while no writer is alive.

use super::{
    ActionResult, BASE, BatchEnding, CommitAction, CommitStateMachine, FILES, FileChangeKind, InjectedBug,
    ModelJournal, ModelWorld, OURS, TORN, is_applied,
};

/// What a reader sees of a batch without an end record, while no writer is alive.
impl ModelWorld {
    fn has_writer(&self) -> bool {
        let recovery = CommitStateMachine::recover(self.disk.kinds.to_vec());
        self.disk.journal != ModelJournal::Intent || self.machine != recovery || self.next != recovery.start()
    }

    fn readers_take_as_applied(&self, bug: InjectedBug) -> bool {
        let disk = &self.disk;
        match bug {
            InjectedBug::ReadersTrustNothing => false,
            InjectedBug::ReadersTrustTargets => (0..FILES).all(|i| match disk.kinds[i] {
                FileChangeKind::Remove => disk.target[i].is_none(),
                FileChangeKind::Update | FileChangeKind::Create => disk.text(disk.target[i]) == Some(OURS),
            }),
            _ => is_applied(disk.kinds.to_vec(), |location, i| {
                ActionResult::Observed(disk.inspect(location, i, InjectedBug::None))
            }),
        }
    }

    /// The text that readers see of a file of a batch that they take as not applied.
    fn text_before(&self, i: usize, bug: InjectedBug) -> Option<u8> {
        let disk = &self.disk;
        let (base, ours) = match disk.kinds[i] {
            FileChangeKind::Update => (Some(BASE), Some(OURS)),
            FileChangeKind::Create => (None, Some(OURS)),
            FileChangeKind::Remove => (Some(BASE), None),
        };
        let (target, slot) = (disk.text(disk.target[i]), disk.text(disk.slot[i]));
        let is_save =
            |text: u8| ![OURS, TORN].contains(&text) && (bug != InjectedBug::ReadersIgnoreSaves || text == BASE);
        match slot.filter(|&text| is_save(text)) {
            Some(displaced) if target == ours || target.is_none() && base.is_none() => Some(displaced),
            None if target == ours && base.is_none() => None,
            _ => target,
        }
    }

    /// Readers must see an acknowledged change whole, and otherwise what recovery would leave if it ran now, or, if it
    /// would finish the batch, the state before.
    pub(super) fn find_hidden_text(&self, bug: InjectedBug) -> Option<String> {
        if self.has_writer() {
            return None;
        }
        let applied = self.readers_take_as_applied(bug);
        if self.disk.answered && !applied {
            return Some("readers do not see a change that was acknowledged".to_owned());
        }
        let mut settled = self.clone();
        while !matches!(settled.next, CommitAction::Finish(_)) {
            settled = settled.perform_next(InjectedBug::None);
        }
        let finished = settled.disk.journal == ModelJournal::End(BatchEnding::Done);
        for i in (0..FILES).filter(|&i| self.disk.writer.is_none_or(|(_, file)| file != i)) {
            let shown = if applied { self.disk.text(self.disk.target[i]) } else { self.text_before(i, bug) };
            let left = settled.disk.text(settled.disk.target[i]);
            let before = (self.disk.kinds[i] != FileChangeKind::Create).then_some(BASE);
            let ours = (self.disk.kinds[i] != FileChangeKind::Remove).then_some(OURS);
            let expected = if finished && !applied && left == ours { before } else { left };
            if shown != expected {
                return Some(format!("readers see {shown:?} as file {i}, not {expected:?}"));
            }
        }
        None
    }
}
