//! Completion scripts and manual pages match the grammar: regenerated and compared.
//!
//! `MEMDIR_BLESS=1` rewrites them.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn committed_completions_and_manual_pages_are_the_grammars() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bless = std::env::var_os("MEMDIR_BLESS").is_some();
    let generated = memdir::cli::generated_files();
    let mut stale = Vec::new();
    for (path, text) in &generated {
        let file = root.join(path);
        if bless {
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(&file, text).unwrap();
        } else if fs_err::read_to_string(&file).ok().as_ref() != Some(text) {
            stale.push(path.clone());
        }
    }
    let known: BTreeSet<&str> = generated.iter().map(|(path, _)| path.as_str()).collect();
    for folder in ["completions", "man"] {
        for entry in fs_err::read_dir(root.join(folder)).unwrap() {
            let path = format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy());
            if !known.contains(path.as_str()) {
                stale.push(path);
            }
        }
    }
    assert!(stale.is_empty(), "run this test with MEMDIR_BLESS=1: {stale:?}");
}

#[test]
fn the_hidden_completion_command_is_in_no_page_and_in_no_list_of_commands() {
    for (path, text) in memdir::cli::generated_files() {
        // The scripts call it.
        let text = text.replace("memdir __complete -- ", "");
        let is_table = path.starts_with("src/");
        assert!(is_table || !text.contains("__complete") && !text.contains("\\_\\_complete"), "{path}");
    }
}
