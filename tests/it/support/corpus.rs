//! The texts that tests share: real files, hostile bullets, the example memory; and the checks that they are whole.
//!
//! Never changes a file; variants are made in memory.

use std::collections::BTreeSet;
use std::path::Path;

use fs_err as fs;
use memdir::path::MemoryPath;

/// Every real Markdown file of `fixtures/real`, as (name, text), in the order of names.
pub fn real() -> Vec<(String, String)> {
    markdown_below("real")
}

/// Every file of the example memory, as (path below the data directory, text).
pub fn example() -> Vec<(String, String)> {
    markdown_below("example")
}

/// Bullet texts that try to break out of a bullet. Some hold line breaks, NUL or more than 8 KiB.
pub fn texts() -> Vec<String> {
    serde_json::from_str(include_str!("../../../fixtures/hostile/texts.json"))
        .expect("the fixture is an array of strings")
}

/// A text as other editors would have saved it: (what differs, text). The real files rarely show these.
pub fn variants(text: &str) -> Vec<(&'static str, String)> {
    let unix = text.replace("\r\n", "\n");
    vec![
        ("CRLF", unix.replace('\n', "\r\n")),
        ("BOM", format!("\u{feff}{unix}")),
        ("BOM and CRLF", format!("\u{feff}{}", unix.replace('\n', "\r\n"))),
        ("no final newline", unix.trim_end_matches('\n').to_owned()),
        ("tabs", unix.replace("\n  ", "\n\t")),
        ("stars", unix.replace("\n- ", "\n* ")),
    ]
}

fn markdown_below(folder: &str) -> Vec<(String, String)> {
    let root = fixtures().join(folder);
    let files = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().map(|entry| entry.expect("readable"));
    let markdown = files.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "md"));
    let read = |entry: walkdir::DirEntry| {
        let name = entry.path().strip_prefix(&root).expect("below its root").to_str().expect("UTF-8").to_owned();
        (name, fs::read_to_string(entry.path()).expect("a text"))
    };
    markdown.map(read).collect()
}

fn fixtures() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

#[test]
fn every_real_file_has_a_source_and_a_permissive_licence() {
    let real = real();
    if real.is_empty() {
        return; // the published package leaves them out
    }
    assert!(real.len() >= 130, "only {} files", real.len());
    let sources = fs::read_to_string(fixtures().join("real/SOURCES.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = sources.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let named: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(named, real.iter().map(|(name, _)| &**name).collect());
    for row in rows {
        assert!(["MIT", "Apache-2.0", "BSD", "Zlib"].iter().any(|licence| row[4].contains(licence)), "{row:?}");
        assert!(fixtures().join("real").join(row[6]).is_file(), "{row:?}");
    }
}

#[test]
fn hostile_texts_are_many_and_different() {
    let texts = texts();
    let different: BTreeSet<&String> = texts.iter().collect();
    assert!(texts.len() >= 1170, "only {}", texts.len());
    assert_eq!(different.len(), texts.len());
    assert!(texts.iter().any(|text| text.len() > 8 * 1024), "none is over the limit of a bullet");
    assert!(texts.iter().any(|text| text.contains('\0')), "none holds a NUL");
    assert!(texts.iter().any(|text| text == "<!-- mem imp=9 -->"), "none is a metadata line");
}

#[test]
fn a_variant_differs_in_one_thing_only() {
    let changed: Vec<(&str, String)> = variants("# T\n\n- a\n  - b\n");
    let text = |name: &str| changed.iter().find(|(n, _)| *n == name).map(|(_, text)| text.as_str());
    assert_eq!(text("CRLF"), Some("# T\r\n\r\n- a\r\n  - b\r\n"));
    assert_eq!(text("BOM and CRLF"), Some("\u{feff}# T\r\n\r\n- a\r\n  - b\r\n"));
    assert_eq!(text("no final newline"), Some("# T\n\n- a\n  - b"));
    assert_eq!(text("tabs"), Some("# T\n\n- a\n\t- b\n"));
    assert_eq!(text("stars"), Some("# T\n\n* a\n  - b\n"));
}

#[test]
fn the_example_is_small_and_every_name_in_it_is_a_memory_path() {
    let example = example();
    assert!(example.iter().map(|(_, text)| text.len()).sum::<usize>() < 24 * 1024);
    assert_eq!(example.iter().filter(|(name, _)| name.starts_with("episodes/")).count(), 2);
    for (name, text) in &example {
        let path = MemoryPath::new(name).expect("a memory path");
        assert_eq!(path.new_name_problem(), None);
        for link in text.split("[[").skip(1).filter_map(|rest| rest.split_once("]]")).map(|(link, _)| link) {
            assert!(example.iter().any(|(other, _)| *other == format!("{link}.md")), "{name} links to missing {link}");
        }
    }
}

/// ARCHITECTURE.md, "Summary lines", implemented naively: labels and headings, lower case, in file order.
#[test]
fn the_examples_summary_lines_are_what_memdir_would_write() {
    for (name, text) in example() {
        let of_line = |line: &str| match line.trim_start_matches('#') {
            heading if line.starts_with("##") => {
                Some(heading.split(" {#").next().unwrap_or(heading).trim().to_lowercase())
            }
            _ if name.starts_with("episodes/") => None,
            _ => label(line),
        };
        let terms: Vec<String> = text.lines().filter_map(of_line).collect();
        assert!((3..=10).contains(&terms.len()), "{name}: {terms:?}");
        let line = format!("> Summary: {}", terms.join(", "));
        assert!(line.chars().count() <= 100, "{name}: {line}");
        assert!(text.lines().any(|other| other == line), "{name} should say {line}");
    }
}

/// `Label: ` of at most three words at the start of a top-level bullet.
fn label(line: &str) -> Option<String> {
    let (label, _) = line.strip_prefix("- ")?.split_once(": ")?;
    (label.split(' ').count() <= 3 && !label.starts_with('[')).then(|| label.to_lowercase())
}
