//! How texts name paths: by a file name, a folder, a whole path.
//!
//! Never reads the disk: a name is one by its place in the text.

/// Names that say nothing about what is in a path.
const GENERIC_NAMES: [&str; 19] = [
    "src",
    "lib",
    "app",
    "test",
    "tests",
    "spec",
    "docs",
    "doc",
    "main",
    "index",
    "mod",
    "init",
    "bin",
    "home",
    "internal",
    "pkg",
    "cmd",
    "java",
    "resources",
];

/// What may stand in a text for a path: its file name with its ending, and its folders from the second on.
pub(super) fn named_parts(path: &str) -> Vec<&str> {
    let file = path.rsplit('/').next().filter(|name| name.len() >= 4 && name.trim_start_matches('.').contains('.'));
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]).filter(|folder| folder.contains('/'));
    file.into_iter().chain(folders.filter(|folder| !folder.starts_with('/'))).collect()
}

/// The first folder of a path with its slash, `migrations/`; `None` for a file at the top. Without the slash it would be
/// a word like others.
pub(super) fn top_folder(path: &str) -> Option<String> {
    path.split_once('/').filter(|(folder, _)| !folder.is_empty()).map(|(folder, _)| format!("{folder}/"))
}

/// Whether a text has a folder, `migrations/`, that is no part of a longer path: `db/migrations/`, `migrations/old/`.
pub(super) fn is_whole_path(text: &str, folder: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    text.match_indices(folder).any(|(at, _)| {
        let before = text[..at].strip_suffix("./").unwrap_or(&text[..at]);
        let after = text[at + folder.len()..].trim_start_matches('.');
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// Whether a text has a folder beside a touched one, `db/old/` where `db/new/1.sql` is touched, and no touched path: it
/// shares words with that path, but is about another.
pub(super) fn names_another_folder(text: &str, touched: &[String]) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    let paths = text.split(|c| !is_part(c)).map(|path| path.trim_start_matches("./").trim_end_matches(['/', '.']));
    let paths: Vec<&str> = paths.filter(|path| path.contains('/')).collect();
    // A rule may leave out the ending of a file.
    let is_in = |path: &str, of: &str| {
        path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
    };
    let leads_to = |path: &&str| touched.iter().any(|one| is_in(one, path) || is_in(path, one));
    let folder = |path: &str| path.match_indices('/').nth(1).map(|(at, _)| path[..at].to_owned());
    let is_beside = |path: &&str| touched.iter().any(|one| folder(one).is_some_and(|it| folder(path) == Some(it)));
    paths.iter().any(is_beside) && !paths.iter().any(leads_to)
}

/// Whether a text has a name that is no part of a longer one: `api.rs` is not in `my_api.rs`, the folder `db/old` not in
/// `db/old/2024`.
pub(super) fn contains_name(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        let after = &text[at + name.len()..];
        let below = after.strip_prefix('/').filter(|_| name.contains('/')).unwrap_or_default();
        !text[..at].ends_with(is_part) && !after.starts_with(is_part) && !below.starts_with(is_part)
    })
}

/// The words of a path that say what is in it.
pub(super) fn path_words(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, ending)| if ending.contains('/') { path } else { stem });
    let parts = stem.split(['/', '_', '-', '.']).filter(|part| !GENERIC_NAMES.contains(part));
    parts.collect::<Vec<_>>().join(" ")
}
