//! What is known of a change between two texts, and the events that it is in the lives of bullets.

use super::{EarlierBullet, LifeCause, LifeEvent};
use crate::document::{Document, RecordedUpdates};
use crate::operation::effects::section_slug;
use crate::path::MemoryPath;
use crate::view::outline::LifeChange;

/// A change between two texts.
pub(super) struct TextChange<'p> {
    pub(super) cause: LifeCause,
    pub(super) path: &'p MemoryPath,
    /// The path of the older text.
    pub(super) earlier_path: &'p MemoryPath,
    /// Whether a text in the place of another is an update of it, even if nothing in it is similar.
    pub(super) replaces_texts: bool,
    /// The texts that it replaced, as the journal has recorded it.
    pub(super) updates: RecordedUpdates,
}

impl<'p> TextChange<'p> {
    /// A change of which nothing more is known.
    pub(super) fn of(cause: LifeCause, path: &'p MemoryPath, earlier_path: &'p MemoryPath) -> TextChange<'p> {
        TextChange { cause, path, earlier_path, replaces_texts: false, updates: RecordedUpdates::default() }
    }

    pub(super) fn event(&self, change: LifeChange, earlier: Option<EarlierBullet>) -> LifeEvent {
        LifeEvent { change, cause: self.cause, path: self.path.clone(), earlier, commit: None }
    }
}

pub(super) fn earlier(path: &MemoryPath, document: &Document, number: usize) -> EarlierBullet {
    EarlierBullet {
        path: path.clone(),
        section: section_slug(document, document.bullets()[number].section as usize),
        text: document.bullet_text(number).into_owned(),
        handle: document.handles()[number],
    }
}
