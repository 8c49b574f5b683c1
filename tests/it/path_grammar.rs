//! Every hostile name of `fixtures/hostile/paths.json` meets the path grammar, as an address and as a name.
//!
//! Never touches a disk: the kernel's sandbox behind the grammar is tested in `sandbox`.

use memdir::path::{Address, MemoryPath, PathPrefixes};
use serde_json::Value;

const PATHS: &str = include_str!("../../fixtures/hostile/paths.json");

/// Why nothing can be created at an address, if so.
fn refusal(written: &str) -> Option<String> {
    let prefixes = PathPrefixes(vec!["memory".into()]);
    match Address::parse(written, &prefixes) {
        Err(refused) => Some(refused.message),
        Ok(Address::Id(_)) => None,
        Ok(Address::Readings(readings)) => {
            let meant = readings.last().and_then(|reading| reading.files.last()).expect("an address means a file");
            meant.new_name_problem().map(str::to_owned)
        }
    }
}

/// Whether a text, taken as the whole name of a file, could be a new memory file.
fn is_new_name(text: &str) -> bool {
    MemoryPath::new(text).is_ok_and(|path| path.new_name_problem().is_none())
}

/// The rows as (path, must be refused).
fn rows() -> Vec<(String, bool)> {
    let rows: Vec<Value> = serde_json::from_str(PATHS).expect("the fixture is JSON");
    let row = |row: &Value| {
        let path = row["path"].as_str().expect("a path").to_owned();
        match row["grammar"].as_str() {
            Some("refuse") => (path, true),
            Some("allow") => (path, false),
            other => panic!("{path:?}: {other:?} is no verdict"),
        }
    };
    rows.iter().map(row).collect()
}

#[test]
fn every_hostile_name_is_refused_and_every_odd_but_good_one_is_not() {
    let rows = rows();
    assert!(rows.len() >= 400, "only {} rows", rows.len());
    let wrong: Vec<_> = rows
        .iter()
        .filter(|(path, refuse)| refusal(path).is_some() != *refuse || (*refuse && is_new_name(path)))
        .map(|(path, refuse)| (path, refuse, refusal(path), is_new_name(path)))
        .collect();
    assert!(wrong.is_empty(), "{} wrong verdicts: {wrong:#?}", wrong.len());
}

#[test]
fn a_refusal_escapes_control_characters() {
    for (path, _) in rows() {
        let Some(why) = refusal(&path) else { continue };
        let raw =
            why.chars().find(|c| c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'));
        assert_eq!(raw, None, "{path:?}: {why:?}");
        assert!(why.len() < 1024, "{path:?}: a refusal of {} bytes", why.len());
    }
}

#[test]
fn whatever_an_address_may_open_stays_below_the_data_dir() {
    for (path, _) in rows() {
        let Ok(Address::Readings(readings)) = Address::parse(&path, &PathPrefixes::default()) else { continue };
        for file in readings.iter().flat_map(|reading| &reading.files) {
            let name = file.as_str();
            assert!(!name.starts_with('/') && !name.contains('\0'), "{path:?} opens {name:?}");
            assert!(name.split('/').all(|part| !part.is_empty() && !part.starts_with('.')), "{path:?} opens {name:?}");
            assert!(!name.to_lowercase().starts_with("scopes/"), "{path:?} opens {name:?}");
        }
    }
}

#[test]
fn parts_of_an_address_are_never_in_a_new_name() {
    for name in ["facts/a#b.md", "facts/a@b.md", "facts/a^b.md", "facts/a[b.md", "facts/a]b.md"] {
        let found = MemoryPath::from_disk_name(name).expect("people may name their files so");
        assert_eq!(found.odd(), None, "{name}");
        assert!(found.new_name_problem().is_some(), "{name}");
    }
}
