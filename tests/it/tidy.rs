//! Rules about the sources, checked by reading them: which words a module may contain, which module may use which, and
//! how long a file may grow.
//!
//! Reads text only: it knows no Rust beyond lines, comments, names and `use` trees.

use std::path::Path;

use fs_err as fs;
use memdir::code::Code;

/// Modules from the lowest up, as `lib.rs` lists them: a module may use those before it.
const MODULES: [&str; 19] = [
    "code",
    "threads",
    "path",
    "text",
    "json_shape",
    "policy",
    "document",
    "change",
    "operation",
    "view",
    "transcript",
    "reflect",
    "store",
    "host",
    "llm",
    "commands",
    "memory",
    "mcp",
    "cli",
];
/// Modules of one layer: none of them uses another.
const PEERS: [&str; 7] = ["operation", "view", "transcript", "reflect", "store", "host", "llm"];
/// The exception: one that may use these.
const PEER_EXCEPTION: (&str, [&str; 3]) = ("reflect", ["operation", "view", "transcript"]);
/// Modules without disk, clock, environment and randomness.
const PURE: [&str; 11] = [
    "code",
    "path",
    "text",
    "json_shape",
    "policy",
    "document",
    "change",
    "operation",
    "view",
    "transcript",
    "reflect",
];

/// The maximum length of a source file in lines, without its tests.
const MAX_LINES: usize = 500;

/// A source file: path from the root, text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The module it belongs to: `src/store/lock.rs` and `src/store.rs` are both `store`.
    fn module(&self) -> &str {
        let inside = self.path.trim_start_matches("src/");
        inside.split('/').next().unwrap_or_default().trim_end_matches(".rs")
    }

    /// Lines that are code, with their numbers from 1.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(i, line)| (i + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str) -> Vec<Source> {
    let walk = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name();
    let rust = walk.into_iter().map(Result::unwrap).filter(|e| e.path().extension().is_some_and(|x| x == "rs"));
    let sources: Vec<Source> = rust
        .map(|e| {
            let path = e.path().strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            Source { path, text: fs::read_to_string(e.path()).unwrap() }
        })
        .collect();
    assert!(!sources.is_empty());
    sources
}

/// Whether a line contains a word, not as a part of a longer name.
fn names(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let whole = |at: usize| {
        let after = &line[at + word.len()..];
        let longer = line[..at].ends_with(part) || word.ends_with(part) && after.starts_with(part);
        !longer
    };
    line.match_indices(word).any(|(at, _)| whole(at))
}

/// Fails if a file of `src` contains one of the words and is not allowed to.
fn allow_only(words: &[&str], allowed: impl Fn(&Source) -> bool) {
    let mut broken = Vec::new();
    for source in sources("src").iter().filter(|s| !allowed(s)) {
        for (n, line) in source.code() {
            // A file that the store opened may be handed on; only opening one is restricted.
            let line = &line.replace("std::fs::File", "File");
            broken.extend(words.iter().filter(|w| names(line, w)).map(|w| format!("{}:{n}: {w}", source.path)));
        }
    }
    assert!(broken.is_empty(), "not allowed in this module:\n{}", broken.join("\n"));
}

#[test]
fn only_whole_words_match() {
    assert!(names("use std::fs::File;", "std::fs") && names("println!(\"\")", "println!"));
    assert!(!names("my_std::fs", "std::fs") && !names("eprintln!()", "println!") && !names("operand", "rand"));
}

#[test]
fn only_store_and_host_use_the_disk() {
    let words = ["std::fs", "fs_err", "walkdir", "rustix", "libc", "File::open", "File::create", "File::options"];
    // The program's entry opens /dev/null in the place of closed descriptors.
    let may = |s: &Source| ["store", "host"].contains(&s.module()) || s.path == "src/entry.rs";
    allow_only(&words, |s| may(s) || ["src/llm/exec.rs", "src/threads.rs"].contains(&s.path.as_str()));
    // llm/exec.rs runs a program: it needs its streams and its end, no disk; threads.rs asks for the processor.
    allow_only(&["rustix::fs", "std::fs"], may);
}

#[test]
fn libraries_are_used_by_one_module() {
    allow_only(&["clap", "clap_complete", "clap_mangen"], |s| s.module() == "cli");
    allow_only(&["rmcp", "tokio"], |s| s.module() == "mcp");
    // The page shows Markdown, which only the parser can cut at the right places.
    allow_only(&["pulldown_cmark"], |s| s.module() == "document" || s.path == "src/view/page/html.rs");
    allow_only(&["askama"], |s| s.path.starts_with("src/view/page/"));
    allow_only(&["jsonc_parser", "toml_edit"], |s| s.module() == "text");
    // A sentence for a model; what a caller gets has a code.
    allow_only(&["anyhow"], |s| s.module() == "reflect" || s.path.starts_with("src/commands/"));
    // The memory itself is walked through open directories, which no link can redirect.
    allow_only(&["walkdir"], |_| false);
    allow_only(&["ZipArchive"], |s| s.path == "src/host/import_source.rs");
    // One file, so that no client is built before a request is sent: a client costs more than a whole command.
    allow_only(&["reqwest", "rustls"], |s| s.path == "src/llm/http.rs");
}

#[test]
fn foreign_texts_are_quoted_by_one_function() {
    allow_only(&["escape_debug"], |s| s.path == "src/code/quoting.rs");
}

#[test]
fn git_is_called_in_one_file() {
    let calls = |line: &str| line.contains("Command::new(\"git");
    let broken: Vec<String> =
        sources("src").into_iter().filter(|s| s.code().any(|(_, l)| calls(l))).map(|s| s.path).collect();
    assert_eq!(broken, ["src/host/git.rs"]);
}

#[test]
fn only_undo_and_resolve_write_without_a_plan() {
    let makes = |s: &Source| s.text.split("#[cfg(test)]").next().unwrap().contains("undo::replace_file(");
    let paths: Vec<String> = sources("src").into_iter().filter(makes).map(|s| s.path).collect();
    assert_eq!(paths, ["src/commands/resolve.rs"]);
}

#[test]
fn pure_modules_use_no_clock_environment_or_randomness() {
    allow_only(&["SystemTime", "Instant", "std::env", "rand", "getrandom", "std::process"], |s| {
        !PURE.contains(&s.module())
    });
}

#[test]
fn only_main_and_cli_print_or_exit() {
    allow_only(&["println!", "eprintln!", "print!", "eprint!", "dbg!"], |_| false);
    allow_only(&["process::exit"], |s| s.path == "src/entry.rs");
}

#[test]
fn only_undo_makes_inverse_changesets() {
    let makes = |line: &str| line.contains("inverts: Some(");
    for source in sources("src").iter().filter(|s| s.path != "src/commands/undo/changeset.rs") {
        let code = source.text.split("#[cfg(test)]").next().unwrap();
        assert!(!code.lines().any(makes), "{} makes an inverse changeset", source.path);
    }
}

/// The crate's modules that a source names, with line numbers from 1: `crate::x`, every branch of `use crate::{…}`, and
/// `super::` paths that reach the crate's root.
fn used_modules(source: &Source) -> Vec<(usize, String)> {
    let code: String = source.text.lines().map(|l| if l.trim_start().starts_with("//") { "" } else { l }).fold(
        String::new(),
        |mut all, line| {
            all.push_str(line);
            all.push('\n');
            all
        },
    );
    let module_path = source.path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    let to_root = "super::".repeat(module_path.split('/').count());
    let mut used = Vec::new();
    for root in ["crate::", to_root.as_str()] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            used.extend(branches(&code[at + root.len()..]).into_iter().map(|name| (line, name)));
        }
    }
    used
}

/// The first names of a path or, behind `{`, of each branch of a `use` tree.
fn branches(path: &str) -> Vec<String> {
    let name =
        |text: &str| text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(tree) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(name(&tree[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(name(&tree[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[test]
fn use_trees_are_taken_apart() {
    let used = |path: &str, text: &str| -> Vec<String> {
        let source = Source { path: path.into(), text: text.into() };
        used_modules(&source).into_iter().map(|(_, name)| name).collect()
    };
    assert_eq!(used("src/view/diff.rs", "use crate::{store::Store, text::{a, b}};"), ["store", "text"]);
    assert_eq!(
        used("src/view/diff.rs", "use crate::{\n    llm,\n    code::Code,\n};\nfn f() { crate::host::x() }"),
        ["llm", "code", "host"]
    );
    assert_eq!(used("src/view/diff.rs", "use super::super::store::Store;\nuse super::outline;"), ["store"]);
    assert_eq!(used("src/view/mod.rs", "use super::store;\n// use crate::llm;\nuse mycrate::llm;"), ["store"]);
}

#[test]
fn dependencies_point_down() {
    let mut broken = Vec::new();
    for source in sources("src") {
        let Some(own) = MODULES.iter().position(|m| *m == source.module()) else { continue };
        for (line, name) in used_modules(&source) {
            let Some(other) = MODULES.iter().position(|m| *m == name) else { continue };
            let exception = MODULES[own] == PEER_EXCEPTION.0 && PEER_EXCEPTION.1.contains(&MODULES[other]);
            let peer = other != own && PEERS.contains(&MODULES[other]) && PEERS.contains(&MODULES[own]) && !exception;
            if other > own || peer {
                broken.push(format!("{}:{line}: {} uses {name}", source.path, MODULES[own]));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_map_in_lib_rs_lists_every_module_in_order() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let listed = |start: &str, end: char| -> Vec<String> {
        let lines = lib.lines().filter_map(|l| l.trim_start().strip_prefix(start));
        lines.map(|l| l.split(end).next().unwrap().to_owned()).collect()
    };
    assert_eq!(listed("// * `", '`'), MODULES);
    let mut declared = listed("pub mod ", ';');
    declared.retain(|name| !name.ends_with('{'));
    declared.sort_by_key(|name| MODULES.iter().position(|module| module == name));
    assert_eq!(declared, MODULES);
}

#[test]
fn files_stay_short() {
    let mut long = Vec::new();
    for source in sources("src") {
        let lines = source.text.lines().take_while(|l| !l.starts_with("#[cfg(test)]")).count();
        if lines > MAX_LINES {
            long.push(format!("{}: {lines} lines, the maximum is {MAX_LINES}", source.path));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn every_file_starts_with_its_purpose() {
    let tests = |s: &Source| s.path.ends_with("tests.rs");
    for source in sources("src").iter().chain(&sources("tests")).filter(|s| !tests(s)) {
        let first = source.text.lines().next().unwrap_or_default();
        assert!(first.starts_with("//! ") && first.len() > 20, "{} starts with a sentence", source.path);
    }
}

/// Words of an earlier private vocabulary; CONTRIBUTING.md names the standard terms for them.
const HOUSE_WORDS: [&str; 26] = [
    "told",
    "whoever",
    "desk",
    "veil",
    "veiled",
    "sight",
    "wish",
    "twin",
    "twins",
    "fates",
    "decree",
    "glance",
    "waist",
    "blamed",
    "somebody",
    "nobody",
    "anybody",
    "troubles",
    "heard",
    "buried",
    "discreet",
    "mended",
    "nothing came",
    "stands there",
    "is due",
    "at rest",
];

/// Comments that use one of the words in its plain sense: path and a part of the line.
const PLAIN_USES: [(&str, &str); 0] = [];

#[test]
fn comments_use_standard_terms() {
    let mut broken = Vec::new();
    for source in sources("src").iter().chain(&sources("tests")) {
        let lines = source.text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("//"));
        for (n, line) in lines {
            let allowed = PLAIN_USES.iter().any(|(path, part)| *path == source.path && line.contains(part));
            // A quoted or marked word is an example, a value or a user name.
            let prose: String = line.to_lowercase().split(['`', '"']).step_by(2).collect::<Vec<_>>().join(" ");
            let found = HOUSE_WORDS.iter().filter(|word| !allowed && contains_phrase(&prose, word));
            broken.extend(found.map(|word| format!("{}:{}: {word}", source.path, n + 1)));
        }
    }
    assert!(broken.is_empty(), "house words in comments:\n{}", broken.join("\n"));
}

/// House words that are no names either.
const HOUSE_NAMES: [&str; 8] = ["told", "veil", "wish", "twin", "fates", "glance", "heard", "spot"];

#[test]
fn names_use_standard_terms() {
    let mut broken = Vec::new();
    for source in sources("src") {
        for (n, line) in source.code() {
            let code: String = line.split('"').step_by(2).collect::<Vec<_>>().join(" ");
            let found = HOUSE_NAMES.iter().filter(|word| names(&code, word));
            broken.extend(found.map(|word| format!("{}:{n}: {word}", source.path)));
        }
    }
    assert!(broken.is_empty(), "house words as names:\n{}", broken.join("\n"));
}

/// Whether a line contains the words, not as a part of longer ones.
fn contains_phrase(line: &str, words: &str) -> bool {
    line.match_indices(words).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + words.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    })
}

#[test]
fn phrases_match_at_word_boundaries() {
    assert!(contains_phrase("// it is told.", "told") && contains_phrase("// nothing came of it", "nothing came"));
    assert!(!contains_phrase("// toldest", "told") && !contains_phrase("// untold", "told"));
}

#[test]
fn no_source_contains_placeholders_or_machine_paths() {
    let marks = [("TO", "DO"), ("FIX", "ME"), ("XX", "X")].map(|(start, end)| format!("{start}{end}"));
    let placeholders = ["todo", "unimplemented"].map(|m| format!("{m}!("));
    let homes = ["root", "work", "Users"].map(|m| format!("\"/{m}/"));
    for source in sources("src").iter().chain(&sources("tests")) {
        for word in marks.iter().chain(&placeholders).chain(&homes) {
            assert!(!source.text.contains(word.as_str()), "{} contains {word}", source.path);
        }
    }
}

/// The source files, and the folders of the repository, that a text names in backquotes; `*` stands for any part of a
/// name.
fn named_sources(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2).filter(|name| !name.contains(char::is_whitespace));
    let is_folder = |name: &str| name.ends_with('/') && TOP_FOLDERS.contains(&name.split('/').next().unwrap());
    quoted.filter(|name| name.ends_with(".rs") || is_folder(name)).collect()
}

/// Folders of the repository with the names of which a path starts that ARCHITECTURE.md or CONTRIBUTING.md cites.
const TOP_FOLDERS: [&str; 9] =
    ["assets", "benches", "data", "docs", "examples", "fixtures", "packaging", "src", "tests"];

/// Whether a path ends with a named file, at the start of a folder or file name.
fn is_named(path: &str, name: &str) -> bool {
    let (head, tail) = name.split_once('*').unwrap_or((name, ""));
    let starts = path.match_indices(head).map(|(at, _)| at).filter(|at| *at == 0 || path[..*at].ends_with('/'));
    starts
        .map(|at| &path[at + head.len()..])
        .any(|rest| if name.contains('*') { rest.ends_with(tail) } else { rest.is_empty() })
}

#[test]
fn documents_name_source_files_that_exist() {
    let files: Vec<String> =
        ["src", "tests", "benches", "examples"].iter().flat_map(|dir| sources(dir)).map(|s| s.path).collect();
    let mut broken = Vec::new();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        let named = named_sources(&text);
        assert!(named.len() > 5, "{document}: {named:?}");
        let exists = |name: &str| {
            if name.ends_with('/') { root().join(name).is_dir() } else { files.iter().any(|path| is_named(path, name)) }
        };
        let gone = named.into_iter().filter(|name| !exists(name));
        broken.extend(gone.map(|name| format!("{document}: {name}")));
    }
    assert!(broken.is_empty(), "no such file:\n{}", broken.join("\n"));
}

#[test]
fn named_files_are_found_by_the_end_of_their_path() {
    assert_eq!(
        named_sources("in `store/lock.rs`, `a b.rs`, `src/store/`, `facts/` and\n```sh\nc.rs\n```\n`d*.rs`"),
        ["store/lock.rs", "src/store/", "d*.rs"]
    );
    assert!(is_named("src/store/lock.rs", "lock.rs") && is_named("src/store/lock.rs", "src/store/lock.rs"));
    assert!(!is_named("src/store/unlock.rs", "lock.rs") && !is_named("src/store/lock.rs", "cli/lock.rs"));
    assert!(
        is_named("src/reflect/request_edit.rs", "reflect/request*.rs") && !is_named("src/reflect/re.rs", "request*.rs")
    );
}

#[test]
fn every_code_is_in_the_manual() {
    let page = fs::read_to_string(root().join("man/memdir-format.5")).unwrap();
    for code in Code::ALL {
        assert!(
            names(&page.replace("\\fB", " ").replace("\\fR", " "), code.name()),
            "{} is not documented",
            code.name()
        );
    }
}

/// The files below `data/` that a macro of this name includes.
fn included(name: &str) -> Vec<String> {
    let opening = format!("{name}!(\"");
    let paths = |source: Source| -> Vec<String> {
        source.text.split(&opening).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    sources("src").into_iter().flat_map(paths).collect()
}

#[test]
fn every_data_file_is_used_once_with_trimmed_unique_entries_sorted_if_searched() {
    let data = root().join("data");
    let walk = walkdir::WalkDir::new(&data).into_iter().map(Result::unwrap).filter(|e| e.file_type().is_file());
    let mut files: Vec<String> =
        walk.map(|e| e.path().strip_prefix(&data).unwrap().to_string_lossy().into_owned()).collect();
    let words = included("word_list");
    let mut used = [words.clone(), included("phrase_list")].concat();
    files.sort();
    used.sort();
    assert_eq!(used, files);
    for path in &files {
        let text = fs::read_to_string(data.join(path)).unwrap();
        let (comment, entries) = text.split_once("\n\n").unwrap();
        assert!(comment.lines().all(|line| line.starts_with("# ")), "{path} starts with its purpose");
        let sections = entries.strip_suffix('\n').unwrap().split("\n\n");
        for lines in sections.map(|section| section.split('\n').collect::<Vec<_>>()) {
            assert!(lines.iter().all(|line| !line.is_empty() && *line == line.trim()), "{path}: blanks at an end");
            let unique: std::collections::HashSet<&str> = lines.iter().copied().collect();
            assert_eq!(unique.len(), lines.len(), "{path}: an entry twice");
            assert!(!words.contains(path) || lines.is_sorted(), "{path} must be sorted");
        }
    }
}
