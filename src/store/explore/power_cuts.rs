//! What a power cut leaves behind, in the model.

use super::{BatchEnding, CommitAction, FILES, FileChangeKind, ModelDisk, ModelJournal, ModelWorld, TORN};

/// What is left of a slot that was not synced.
#[derive(Clone, Copy)]
enum SlotRemains {
    Whole,
    Torn,
    Nothing,
}

const ALL_REMAINS: [SlotRemains; 3] = [SlotRemains::Whole, SlotRemains::Torn, SlotRemains::Nothing];

impl ModelWorld {
    /// The worlds after a cut at this moment that leaves more to recover than a crash does. It closes every editor.
    pub(super) fn cuts_of_power(&self) -> Vec<ModelWorld> {
        if self.crashes == 0 {
            return Vec::new();
        }
        // The end record is not synced.
        if self.disk.answered && self.disk.journal == ModelJournal::End(BatchEnding::Done) {
            return vec![self.cut(self.disk.clone())];
        }
        // The intent may reach the disk before the slots do.
        let may_be_torn = self.disk.unsynced
            && (self.next == CommitAction::AppendIntent || self.disk.journal == ModelJournal::Intent);
        if !may_be_torn {
            return Vec::new();
        }
        let mut disks = vec![self.disk.clone()];
        for i in (0..FILES).filter(|i| self.disk.kinds[*i] == FileChangeKind::Update) {
            disks = disks.iter().flat_map(|disk| ALL_REMAINS.map(|left| with_slot(disk, i, left))).collect();
        }
        disks.into_iter().map(|disk| self.cut(disk)).collect()
    }

    fn cut(&self, disk: ModelDisk) -> ModelWorld {
        let disk = ModelDisk { journal: ModelJournal::Intent, writer: None, unsynced: false, ..disk };
        ModelWorld { disk, crashes: self.crashes - 1, ..self.clone() }.crash()
    }
}

fn with_slot(disk: &ModelDisk, i: usize, left: SlotRemains) -> ModelDisk {
    let mut disk = disk.clone();
    match left {
        SlotRemains::Whole => {}
        SlotRemains::Torn => disk.slot[i] = Some(disk.inode(TORN)),
        SlotRemains::Nothing => disk.slot[i] = None,
    }
    disk
}
