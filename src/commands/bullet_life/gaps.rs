//! Collects the lives of bullets, also across parts of the history that `rm --forget` erased because of other bullets:
//! there it follows the trails that were kept.

use super::text_change::{TextChange, earlier};
use super::{BulletHistory, BulletLife, FileToFollow, LifeCause, LifeEvent, LifeExtent};
use crate::change::{BulletTrail, JournalEntry};
use crate::code::Rejection;
use crate::document::Document;
use crate::path::MemoryPath;
use crate::store::RevisionSide;
use crate::view::followed_bullet::FollowedBullet;
use crate::view::outline::LifeChange;

/// Lives that are being collected.
pub(super) struct LifeCollector {
    pub(super) extent: LifeExtent,
    pub(super) lives: Vec<BulletLife>,
    pub(super) pending: Vec<FileToFollow>,
}

impl LifeCollector {
    pub(super) fn push(&mut self, bullet: &FollowedBullet, event: LifeEvent) {
        self.lives[bullet.life].events.push(event);
    }

    /// Follows a bullet on in another text.
    pub(super) fn follow(&mut self, path: &MemoryPath, until: usize, document: &Document, number: usize, life: usize) {
        if self.extent == LifeExtent::Whole {
            let (path, text) = (path.clone(), document.text().to_owned());
            self.pending.push(FileToFollow {
                path,
                until,
                text,
                bullets: vec![FollowedBullet::new(document, number, life)],
            });
        }
    }
}

impl BulletHistory<'_> {
    /// For a caller who needs all texts that a bullet had, and nothing about the changes: asks git for no commit, and
    /// follows trails past erased parts of the history.
    pub(in super::super) fn for_texts(self) -> Self {
        BulletHistory { names_commits: false, follows_trails: true, ..self }
    }

    /// The text of a file now; `None` if there is none.
    ///
    /// # Errors
    /// `io`.
    pub(in super::super) fn current(&self, path: &MemoryPath) -> Result<Option<Document>, Rejection> {
        Ok(self.store.read(path)?.and_then(|version| Document::from_bytes(version.bytes.to_vec()).ok()))
    }

    /// Follows bullets past a gap in the history, where their texts before the entry with the index `until - 1` are not
    /// known. Returns those that were not followed.
    pub(super) fn follow_past_gap(
        &self,
        path: &MemoryPath,
        until: usize,
        bullets: Vec<FollowedBullet>,
        lives: &mut LifeCollector,
    ) -> Vec<FollowedBullet> {
        let mut unknown = Vec::new();
        for bullet in bullets {
            let trails = self.trails_of(path, &bullet);
            let mut is_known = !trails.is_empty() && trails.iter().all(|trail| !trail.incomplete);
            let mut is_followed = false;
            for trail in trails {
                if !self.follow_trail(path, until, trail, &bullet, lives) {
                    is_known = false;
                    break;
                }
                is_followed |= trail.from.is_some();
            }
            lives.lives[bullet.life].is_incomplete |= !is_known;
            if !is_followed {
                unknown.push(bullet);
            }
        }
        unknown
    }

    /// The trails of a bullet; none for a caller who does not see everything, because they tell of any file, and none
    /// where what the erased part says of a change is asked for, which no trail tells.
    fn trails_of(&self, path: &MemoryPath, bullet: &FollowedBullet) -> Vec<&BulletTrail> {
        if !self.follows_trails || self.session.store.require_unfiltered().is_err() {
            return Vec::new();
        }
        let is_of = |trail: &&BulletTrail| trail.path == path.as_str() && trail.bullet == bullet.handle.0;
        let mut trails: Vec<&BulletTrail> = Vec::new();
        for trail in self.history.bullet_trails().filter(is_of) {
            if !trails.contains(&trail) {
                trails.push(trail);
            }
        }
        trails
    }

    /// Follows a bullet to the start of a trail, if that is before the entry with the index `until`. Returns false if
    /// the text there is not known either.
    fn follow_trail(
        &self,
        path: &MemoryPath,
        until: usize,
        trail: &BulletTrail,
        bullet: &FollowedBullet,
        lives: &mut LifeCollector,
    ) -> bool {
        let Some(from) = &trail.from else { return true };
        let index = self.entries.binary_search_by_key(&from.rev, |entry| entry.rev).ok();
        let Some(index) = index.filter(|index| *index < until) else { return false };
        let Ok(from_path) = MemoryPath::from_disk_name(&from.path) else { return false };
        let Some(before) = self.document_at(from.rev, &from_path, RevisionSide::Before) else { return false };
        let Some(number) = before.handles().iter().position(|handle| handle.0 == from.bullet) else { return false };
        let step = TextChange::of(LifeCause::Entry(index), path, &from_path);
        lives.push(bullet, step.event(LifeChange::Moved, Some(earlier(&from_path, &before, number))));
        lives.follow(&from_path, index, &before, number, bullet.life);
        true
    }
}

/// Whether a bullet that an entry brought into a file may come from another file of the entry.
pub(super) fn may_move_bullets(entry: &JournalEntry) -> bool {
    let stays = |name: &str| ["add", "append", "update", "set", "write"].contains(&name);
    let names = entry.operations.iter().filter_map(|operation| operation.get("op")?.as_str());
    entry.operations.is_empty() || !names.into_iter().all(stays)
}
