//! Finds the files that a name means in an adopted folder, where files have names and places of their own.
//!
//! Never reads a file. The names of all files are requested only if a name is not found as written.

use jiff::civil::Date;

use super::memory_index::is_flat_folder;
use super::snapshot::{PlanStep, Snapshot};
use crate::document::memory_index::is_index_path;
use crate::path::{Address, AddressReading, FOLDERS, MemoryPath, PathPrefixes, is_daily_note, is_episode};

/// The file that a name means where none exists as written: the only one with that path, else the only adopted one
/// with that base name, both regardless of case, else a new one in a folder that exists. `None`: a new one in `facts/`.
pub fn existing_or_new_file(reading: &AddressReading, snapshot: &Snapshot) -> PlanStep<Option<MemoryPath>> {
    let Some(at_top) = reading.at_top() else { return Ok(None) };
    match existing_file(at_top, snapshot.file_names()?) {
        Some(existing) => Ok(Some(existing)),
        None => new_file(reading, snapshot),
    }
}

/// The path that a file in `archive/` had which an address means: one outside the folders with a special meaning, of
/// which only the copy is left.
pub fn archived_file(written: &str, prefixes: &PathPrefixes, snapshot: &Snapshot) -> PlanStep<Option<MemoryPath>> {
    let Address::Readings(readings) = Address::parse(written, prefixes)? else { return Ok(None) };
    let Some(at_top) = readings.last().and_then(AddressReading::at_top) else { return Ok(None) };
    let archived = snapshot.file_names()?.iter().filter_map(MemoryPath::below_archive);
    let homes: Vec<MemoryPath> = archived.filter_map(|path| MemoryPath::new(path).ok()).collect();
    Ok(existing_file(at_top, &homes))
}

fn existing_file(at_top: &MemoryPath, names: &[MemoryPath]) -> Option<MemoryPath> {
    let wanted = at_top.case_folded();
    let in_facts = format!("facts/{wanted}");
    let below = format!("/{wanted}");
    let has_path = |name: &&MemoryPath| {
        let name = name.case_folded();
        name == wanted || name == in_facts
    };
    let has_base_name = |name: &&MemoryPath| name.is_adopted() && name.case_folded().ends_with(&below);
    let by_path = only(names.iter().filter(has_path));
    let by_base_name = || only(names.iter().filter(has_base_name)).filter(|_| at_top.folder().is_none());
    by_path.or_else(by_base_name).cloned()
}

fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// The path of a new file whose name starts with a folder that exists, in whatever case, or has no folder in a memory
/// that keeps its files at the top; `None` for any other.
pub fn new_file(reading: &AddressReading, snapshot: &Snapshot) -> PlanStep<Option<MemoryPath>> {
    let Some(at_top) = reading.at_top() else { return Ok(None) };
    let Some((folder, rest)) = at_top.as_str().split_once('/') else {
        // The index itself is at the top of every memory.
        let stays = is_index_path(at_top) || is_flat_folder(snapshot)?;
        return Ok(stays.then(|| at_top.clone()));
    };
    let folders = || snapshot.file_names().map(|names| names.iter().filter_map(MemoryPath::folder));
    if folders()?.any(|name| name == folder) || snapshot.has_top_folder(folder)? {
        return Ok(Some(at_top.clone()));
    }
    let wanted = folder.to_lowercase();
    let mut same: Vec<&str> =
        folders()?.filter(|name| name.to_lowercase() == wanted && !FOLDERS.contains(name)).collect();
    same.dedup();
    Ok(match same[..] {
        [one] => MemoryPath::from_disk_name(&format!("{one}/{rest}")).ok(),
        _ => None,
    })
}

/// The policy's default file, which is in `facts/`; beside the others in a memory that keeps its files at the top.
pub fn default_file(path: MemoryPath, snapshot: &Snapshot) -> PlanStep<MemoryPath> {
    match path.as_str().strip_prefix("facts/").and_then(|name| MemoryPath::new(name).ok()) {
        Some(at_top) if !snapshot.exists(&path)? && is_flat_folder(snapshot)? => Ok(at_top),
        _ => Ok(path),
    }
}

/// The path of a day's note in a memory that keeps daily notes and no episode files: beside the newest note. In a
/// folder that is named after that note's year or month, today's year and month take their place.
pub fn daily_note(names: &[MemoryPath], day: Date) -> Option<MemoryPath> {
    if names.iter().any(|name| name.folder() == Some("episodes") && is_episode(name.stem())) {
        return None;
    }
    let notes = names.iter().filter(|name| name.holds_episodes() && is_daily_note(name.stem()));
    let newest = notes.max_by_key(|name| (name.stem(), std::cmp::Reverse(name.as_str().len())))?;
    let (was, is) = (newest.stem().to_owned(), day.to_string());
    let part = |name: &str| match name {
        _ if name == &was[..7] => is[..7].to_owned(),
        _ if name == &was[..4] => is[..4].to_owned(),
        _ if name == &was[5..7] => is[5..7].to_owned(),
        _ => name.to_owned(),
    };
    let folders = newest.parent().split('/').filter(|name| !name.is_empty()).map(part);
    let parts: Vec<String> = folders.chain([format!("{is}.md")]).collect();
    MemoryPath::new(&parts.join("/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::FileVersion;

    fn paths(names: &[&str]) -> Vec<MemoryPath> {
        names.iter().map(|name| MemoryPath::from_disk_name(name).unwrap()).collect()
    }

    #[track_caller]
    fn check(written: &str, names: &[&str], found: Option<&str>) {
        let mut snapshot = Snapshot::new();
        snapshot.set_file_names(paths(names));
        let index = names.contains(&"MEMORY.md").then(|| FileVersion::new(b"# Memory Index\n".to_vec(), 0o600));
        snapshot.insert_file(MemoryPath::new("MEMORY.md").unwrap(), Ok(index));
        snapshot.insert_top_folder("facts".to_owned(), names.iter().any(|name| name.starts_with("facts/")));
        for folder in ["empty", "notes", "Notes", "work", "journal"] {
            snapshot.insert_top_folder(folder.to_owned(), folder == "empty");
        }
        let Address::Readings(readings) = Address::parse(written, &PathPrefixes::default()).unwrap() else {
            panic!("an id")
        };
        let path = existing_or_new_file(&readings[0], &snapshot).unwrap();
        assert_eq!(path.as_ref().map(MemoryPath::as_str), found, "{written} in {names:?}");
    }

    #[test]
    fn a_name_means_the_only_file_that_it_can_mean() {
        check("user", &["USER.md", "notes/a.md"], Some("USER.md"));
        check("user", &["facts/User.md"], Some("facts/User.md"));
        check("ideen", &["Projekte/Ideen.md"], Some("Projekte/Ideen.md"));
        check("user", &["USER.md", "notes/user.md"], Some("USER.md"));
        check("user", &["a/user.md", "b/User.md"], None);
        check("2026-02-24", &["memory/2026-02-24.md"], Some("memory/2026-02-24.md"));
        check("PROJEKTE/ideen", &["Projekte/Ideen.md"], Some("Projekte/Ideen.md"));
        // In memdir's own folders only the address that it prints means a file.
        check("release", &["procedures/release.md"], None);
        check("alpha", &["facts/team/alpha.md"], None);
        check("old", &["archive/notes/old.md"], None);
    }

    #[test]
    fn a_new_file_goes_to_the_folder_that_exists() {
        check("notes/new", &["notes/a.md"], Some("notes/new.md"));
        check("notes/new", &["Notes/a.md"], Some("Notes/new.md"));
        check("notes/deep/new", &["notes/a.md"], Some("notes/deep/new.md"));
        check("empty/new", &[], Some("empty/new.md"));
        check("work/new", &["notes/a.md"], None);
        check("facts/new", &["notes/a.md"], None);
        check("new", &["notes/a.md"], None);
        check("new", &["MEMORY.md", "a.md"], Some("new.md"));
        check("new", &["MEMORY.md", "facts/a.md"], None);
    }

    #[test]
    fn a_daily_note_goes_where_the_newest_one_is() {
        let day = jiff::civil::date(2026, 2, 24);
        let note = |names: &[&str]| daily_note(&paths(names), day).map(|path| path.to_string());
        let some = |path: &str| Some(path.to_owned());
        assert_eq!(note(&["memory/2026-02-20.md", "USER.md"]), some("memory/2026-02-24.md"));
        assert_eq!(note(&["2026-02-20.md"]), some("2026-02-24.md"));
        assert_eq!(note(&["old/2025-01-01.md", "journal/2026-02-20.md"]), some("journal/2026-02-24.md"));
        assert_eq!(note(&["log/2025/12/2025-12-31.md"]), some("log/2026/02/2026-02-24.md"));
        assert_eq!(note(&["log/2026-01/2026-01-31.md"]), some("log/2026-02/2026-02-24.md"));
        assert_eq!(note(&["notes/a.md", "archive/memory/2026-02-20.md"]), None);
        assert_eq!(note(&["memory/2026-02-20.md", "episodes/2026-01.md"]), None);
    }
}
