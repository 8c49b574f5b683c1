//! What a reader has seen of a file whose text is in no history: hashes of its bullets and entries.
//!
//! Never holds a text: what a person deletes or forgets must not stay in a reader's mark.

use std::collections::HashSet;

use super::delta::{BulletUpdate, UpdatedFile, entry_texts};
use crate::change::Etag;
use crate::document::Document;
use crate::view::query::count::ItemizedFile;

/// The most hashes that are kept of a file; of a larger one only the etag is known.
const MAX_ITEMS: usize = 4096;
/// The first letter of a bullet's hash; those of an entry's, of its title's and of the whole text's are others.
const BULLET: &str = "b";
const ENTRY: &str = "e";
const TITLE: &str = "t";
const BODY: &str = "f";

/// Hashes of the items of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenItems(HashSet<String>);

impl SeenItems {
    /// The items of a file; `None` if there are too many.
    pub fn of(file: &ItemizedFile) -> Option<SeenItems> {
        let mut hashes: HashSet<String> = bullet_hashes(&file.document).into_iter().collect();
        for (key, _, text) in entry_texts(Some(file)) {
            hashes.extend([title_hash(&key), entry_hash(&key, text)]);
        }
        hashes.insert(body_hash(&file.document));
        (hashes.len() <= MAX_ITEMS).then_some(SeenItems(hashes))
    }

    /// The hashes in one line, sorted.
    pub fn to_text(&self) -> String {
        let mut hashes: Vec<&str> = self.0.iter().map(String::as_str).collect();
        hashes.sort_unstable();
        hashes.join(" ")
    }

    /// What [`SeenItems::to_text`] made.
    pub fn from_text(text: &str) -> SeenItems {
        SeenItems(text.split_whitespace().map(str::to_owned).collect())
    }

    /// Whether the file had this text, apart from its summary line.
    pub(super) fn has_body(&self, document: &Document) -> bool {
        self.0.contains(&body_hash(document))
    }

    pub(super) fn has_entry(&self, key: &(String, usize), text: &str) -> bool {
        self.0.contains(&entry_hash(key, text))
    }

    /// Whether there was an entry with this title.
    pub(super) fn has_title(&self, key: &(String, usize)) -> bool {
        self.0.contains(&title_hash(key))
    }

    /// Of the changes since `before`, which is older than what the reader has seen, those that are news; and whether
    /// something is gone that none of them shows.
    pub(super) fn news(&self, file: &UpdatedFile, changes: Vec<BulletUpdate>) -> (Vec<BulletUpdate>, bool) {
        let hashes = |side: &Option<ItemizedFile>| side.as_ref().map_or_else(Vec::new, |f| bullet_hashes(&f.document));
        let (before, after) = (hashes(&file.before), hashes(&file.after));
        let mut changed = HashSet::new();
        let mut news = Vec::new();
        for change in changes {
            let is_news = match change {
                BulletUpdate::Added(new) | BulletUpdate::Changed(_, new) => {
                    changed.insert(new);
                    !self.0.contains(&after[new])
                }
                BulletUpdate::Removed(old) => self.0.contains(&before[old]),
                BulletUpdate::Handled => false,
            };
            if is_news {
                news.push(change);
            }
        }
        // What is again as it was before an edit that the reader has seen.
        let earlier: HashSet<&String> = before.iter().collect();
        let is_back = |new: &usize| {
            let hash = &after[*new];
            !changed.contains(new) && earlier.contains(hash) && !self.0.contains(hash)
        };
        news.extend((0..after.len()).filter(is_back).map(|new| BulletUpdate::Changed(new, new)));
        let is_known = |hash: &String| earlier.contains(hash) || after.contains(hash);
        let gone = self.0.iter().filter(|hash| hash.starts_with(BULLET) && !is_known(hash)).count();
        let shown = news.iter().filter(|change| !matches!(change, BulletUpdate::Removed(_))).count();
        (news, gone > shown)
    }
}

/// The hash of each bullet, with its metadata; of equal ones, each has another.
fn bullet_hashes(document: &Document) -> Vec<String> {
    let mut all = HashSet::new();
    let hash_of = |bullet: usize| {
        let meta = document.bullets()[bullet].meta.map(|meta| document.meta_lines()[meta as usize].line);
        let meta = meta.map_or("", |line| document.text()[line.range()].trim());
        let text = document.bullet_text(bullet);
        let numbered = |n: usize| hash(BULLET, &[&text, meta, &n.to_string()]);
        (0..).map(numbered).find(|hash| all.insert(hash.clone())).unwrap_or_default()
    };
    (0..document.bullets().len()).map(hash_of).collect()
}

fn entry_hash((title, number): &(String, usize), text: &str) -> String {
    hash(ENTRY, &[title, &number.to_string(), text])
}

fn title_hash((title, number): &(String, usize)) -> String {
    hash(TITLE, &[title, &number.to_string()])
}

fn body_hash(document: &Document) -> String {
    hash(BODY, &[&super::delta::body_text(document)])
}

fn hash(letter: &str, parts: &[&str]) -> String {
    format!("{letter}{}", Etag::of(parts.join("\0").as_bytes()).short())
}
