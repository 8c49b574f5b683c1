//! The paths of imported files: safe whatever the names of the source are, and the same when it is imported again.
//!
//! A file is found by what it says that it is, its title, whatever the order of the source. Never a path outside the
//! folder, and never one that two names share.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::{ImportedNote, NoteContent};
use crate::document::Document;
use crate::operation::graph_files::{entity_stems, is_made_stem, new_path, new_path_in, stated_title};
use crate::path::MemoryPath;

/// How deep the folders of a source are kept; deeper ones are joined.
const MAX_FOLDERS: usize = 4;

/// The path for each note below `folder`, and whether its name had to be changed. `present` are the files of the
/// memory, which `read` reads: `None` for one that cannot be read as text.
pub fn target_paths(
    notes: &[ImportedNote],
    folder: &str,
    present: &[MemoryPath],
    read: &dyn Fn(&MemoryPath) -> Option<Document>,
) -> Vec<(MemoryPath, bool)> {
    let mut finder = PathFinder {
        present: present.iter().map(|path| (path.case_folded(), path)).collect(),
        occupied: present.iter().map(MemoryPath::case_folded).collect(),
        taken: HashSet::new(),
        read,
        known: RefCell::default(),
    };
    let there = |path: &str| MemoryPath::from_disk_name(path).ok().filter(|path| finder.is_present(path));
    let places: Vec<NotePlace> = notes.iter().map(|note| NotePlace::of(note, folder, &there)).collect();
    let mut paths: Vec<Option<MemoryPath>> = vec![None; notes.len()];
    // Each rule for all notes before the next one: a file belongs to the note that names it best.
    for rule in [PathRule::SameText, PathRule::Title, PathRule::Name, PathRule::New] {
        for (place, path) in places.iter().zip(&mut paths).filter(|(_, path)| path.is_none()) {
            *path = finder.find(rule, place);
            let folded = path.as_ref().map(MemoryPath::case_folded);
            finder.occupied.extend(folded.clone());
            finder.taken.extend(folded);
        }
    }
    let found = places.iter().zip(paths).map(|(place, path)| {
        let path = path.unwrap_or_else(|| new_path_in(folder, place.name, &finder.occupied));
        let is_changed = path.as_str() != place.wanted && place.exact.as_ref() != Some(&path);
        (path, is_changed)
    });
    found.collect()
}

/// Where a note belongs.
struct NotePlace<'n> {
    /// The path that its name is, if a file has it or a new one can.
    exact: Option<MemoryPath>,
    /// It is from an export of memdir, which names its file.
    is_own: bool,
    /// The folder and the name below it.
    folder: String,
    name: &'n str,
    /// The path that its name would be.
    wanted: String,
    /// What it says that it is.
    title: Option<String>,
    /// The whole text, if it is to be kept as it is.
    text: Option<&'n str>,
}

impl<'n> NotePlace<'n> {
    /// `there` is the path of a file of the memory, by its name.
    fn of(note: &'n ImportedNote, folder: &str, there: &dyn Fn(&str) -> Option<MemoryPath>) -> NotePlace<'n> {
        let own_name = format!("{}.md", note.name);
        let own_path = MemoryPath::new(&own_name).ok().filter(|path| path.new_name_problem().is_none());
        let own_path = own_path.or_else(|| there(&own_name)).filter(|_| note.is_own_path);
        // An own path that cannot be made starts with its folder already.
        let own = note.name.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).filter(|_| note.is_own_path);
        let name = own.unwrap_or(&note.name);
        let wanted = format!("{folder}/{name}.md");
        let (folders, name) = name.rsplit_once('/').unwrap_or(("", name));
        let mut below = folder.to_owned();
        let parts: Vec<&str> = folders.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
        let max_folders = MAX_FOLDERS.saturating_sub(folder.matches('/').count());
        for part in parts.iter().take(max_folders) {
            // The name of a folder is made as that of a file; its extension falls away.
            let made = new_path_in(&below, part, &HashSet::new());
            below = made.as_str().trim_end_matches(".md").to_owned();
        }
        let (title, text) = match &note.content {
            NoteContent::Text(text) => (note_title(&Document::parse(text.as_str())), Some(&**text)),
            NoteContent::Bullets { title, .. } => (Some(title.clone()), None),
        };
        let is_own = own_path.is_some();
        // Links lead to a file by its name. The names of other sources are no names of files.
        let is_name = text.is_some() && parts.len() <= max_folders;
        let exact = own_path.or_else(|| new_path(&wanted).or_else(|| there(&wanted)).filter(|_| is_name));
        NotePlace { exact, is_own, folder: below, name, wanted, title, text }
    }
}

/// What a file says that it is: a title, or the label of Letta's blocks.
fn note_title(document: &Document) -> Option<String> {
    let label = || document.front_text("label");
    document.front_text("title").or_else(label).or_else(|| stated_title(document))
}

/// How the path of a note is found.
#[derive(Clone, Copy)]
enum PathRule {
    /// A file with the very text.
    SameText,
    /// A file that says that it is what the note is, or the path that is the name of the note.
    Title,
    /// A file with the name of the note, unless it has that name only because its own title cannot be one.
    Name,
    /// A path that no file has.
    New,
}

/// The files that are there, and those that are given to notes.
struct PathFinder<'p> {
    /// By path in its case-folded form.
    present: BTreeMap<String, &'p MemoryPath>,
    /// The case-folded paths that no new file can have.
    occupied: HashSet<String>,
    /// The case-folded paths of the notes that have one.
    taken: HashSet<String>,
    read: &'p dyn Fn(&MemoryPath) -> Option<Document>,
    known: RefCell<HashMap<MemoryPath, Option<Rc<Document>>>>,
}

impl PathFinder<'_> {
    fn find(&self, rule: PathRule, place: &NotePlace) -> Option<MemoryPath> {
        let is_free = |path: &MemoryPath| !self.taken.contains(&path.case_folded());
        let exact = place.exact.as_ref().filter(|path| is_free(path));
        let present_exact = exact.filter(|path| self.is_present(path));
        let is_same = |path: &MemoryPath| place.text.is_some_and(|text| self.is_text(path, text));
        let has_title = |path: &MemoryPath| self.title(path) == place.title;
        // Notes of a folder that differ only in case may have one title, or none.
        let is_of_name = |path: &MemoryPath| place.text.is_none() || is_made_stem(path.stem(), place.name);
        let found = match rule {
            PathRule::SameText => present_exact.filter(|path| is_same(path)).cloned(),
            PathRule::Title => exact
                .filter(|path| {
                    if self.is_present(path) {
                        place.is_own || has_title(path) || self.has_name(path, place)
                    } else {
                        !self.occupied.contains(&path.case_folded())
                    }
                })
                .cloned(),
            PathRule::Name => None,
            PathRule::New => return Some(new_path_in(&place.folder, place.name, &self.occupied)),
        };
        found.or_else(|| {
            let mut similar = self.similar(place).into_iter().filter(|path| is_free(path));
            similar.find(|path| match rule {
                PathRule::SameText => is_same(path),
                PathRule::Title => is_of_name(path) && has_title(path),
                PathRule::Name => self.has_name(path, place),
                PathRule::New => false,
            })
        })
    }

    fn is_present(&self, path: &MemoryPath) -> bool {
        self.present.get(&path.case_folded()).is_some_and(|known| *known == path)
    }

    /// The files whose paths may have been made for a note, perhaps with a number, in the order of these.
    fn similar(&self, place: &NotePlace) -> Vec<MemoryPath> {
        let mut found: Vec<(u64, MemoryPath)> = Vec::new();
        for stem in entity_stems(place.name) {
            let Some(made) = new_path(&format!("{}/{stem}.md", place.folder)) else { continue };
            let made = made.case_folded();
            let start = made.trim_end_matches(".md");
            let below = self.present.range(start.to_owned()..).take_while(|(folded, _)| folded.starts_with(start));
            let numbered = below.filter_map(|(folded, path)| {
                let rest = folded[start.len()..].strip_suffix(".md")?;
                let number = if rest.is_empty() { 1 } else { rest.strip_prefix('-')?.parse().ok()? };
                Some((number, (*path).clone()))
            });
            found.extend(numbered);
        }
        found.sort();
        found.dedup();
        found.into_iter().map(|(_, path)| path).collect()
    }

    fn document(&self, path: &MemoryPath) -> Option<Rc<Document>> {
        let mut known = self.known.borrow_mut();
        known.entry(path.clone()).or_insert_with(|| (self.read)(path).map(Rc::new)).clone()
    }

    fn is_text(&self, path: &MemoryPath, text: &str) -> bool {
        self.document(path).is_some_and(|document| document.text() == text)
    }

    fn title(&self, path: &MemoryPath) -> Option<String> {
        self.document(path).and_then(|document| note_title(&document))
    }

    /// Whether a file has the name of the note, and not one that was made from another title.
    fn has_name(&self, path: &MemoryPath, place: &NotePlace) -> bool {
        let is_made_for_other = self.title(path).is_some_and(|title| {
            let last = title.rsplit('/').next().unwrap_or(&title);
            Some(&title) != place.title.as_ref() && title != place.name && is_made_stem(path.stem(), last)
        });
        path.stem() == place.name && !is_made_for_other
    }
}
