//! A bullet together with the file that it is in.

use super::{BulletMeta, Document};
use crate::path::MemoryPath;

/// A bullet of a file.
#[derive(Clone, Copy, Debug)]
pub struct LocatedBullet<'a> {
    pub path: &'a MemoryPath,
    /// The text of the file.
    pub document: &'a Document,
    /// The index of the bullet in the document.
    pub index: usize,
}

impl LocatedBullet<'_> {
    /// The address that names only this bullet.
    pub fn address(self) -> String {
        format!("{}{}", self.path, self.document.bullet_reference(self.index))
    }

    pub fn meta(self) -> Option<BulletMeta> {
        self.document.bullet_meta(self.index)
    }
}
