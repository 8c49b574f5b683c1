//! A memory of many files and years of history: what it costs to clone, to sync and to merge.
//!
//! The history is made by `git fast-import`, so that only what is measured runs memdir.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fastrand::Rng;
use fs_err as fs;

use crate::measure::{command, succeed};

const COMMITS_IN_DAY: usize = 5;
/// Files that each commit edits, beside those that it makes.
const EDITS: usize = 3;
/// Files that both clones edit before one merges.
const EDITED_BY_BOTH: usize = 1_000;
const FILES_IN_FOLDER: usize = 100;
/// The second at which the history begins: 2021-01-01.
const FIRST_SECOND: usize = 1_609_459_200;

/// Prints what the commands cost: seconds, processor time in seconds, and the peak of memdir or of the largest git that
/// it started, in MiB.
pub fn measure(program: &OsStr, files: usize, days: usize) {
    let dir = tempfile::tempdir().expect("a directory");
    let root = fs::canonicalize(dir.path()).expect("a directory");
    let floor = root.join("floor");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/floor.c");
    succeed(command("cc", &root).args(["-O2", "-static", "-pthread", "-o"]).args([&floor, &source]));
    let hub = root.join("hub.git");
    import_history(&hub, files, days);
    let size: u64 = walk_size(&hub);
    println!("{files} files, {} commits, hub {} MiB", days * COMMITS_IN_DAY, size >> 20);
    println!("command\tseconds\tprocessor, s\tpeak, MiB");
    let time = |name: &str, dir: &Path, words: &[&OsStr]| {
        let answer = succeed(command(&floor, dir).arg("time").arg(root.join("out")).args(words));
        let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
        let numbers: Vec<f64> = answer.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        println!("{name}\t{:.1}\t{:.1}\t{:.0}", numbers[0] / 1e6, numbers[1] / 1e6, numbers[2] / 1024.0);
    };
    let git = git_path();
    let url = format!("file://{}", hub.display());
    let (here, there) = (root.join("here"), root.join("there"));
    let clone =
        |to: &Path| vec![git.as_os_str().to_owned(), "clone".into(), "--quiet".into(), (&url).into(), to.into()];
    for (name, to) in [("git clone", &here), ("git clone, again", &there)] {
        let words = clone(to);
        time(name, &root, &words.iter().map(|word| word.as_os_str()).collect::<Vec<_>>());
    }
    let sync: [&OsStr; 2] = [program, "sync".as_ref()];
    time("first sync of a clone", &here, &sync);
    time("first sync of the other", &there, &sync);
    time("add", &here, &[program, "add".as_ref(), "topic-00/00/note-00001".as_ref(), "One more fact".as_ref()]);
    time("sync, 1 file to push", &here, &sync);
    time("sync, 1 file to take", &there, &sync);
    time("sync, nothing new", &there, &sync);
    let both = EDITED_BY_BOTH.min(files);
    for (clone, at) in [(&here, "here"), (&there, "there")] {
        for n in (0..both).map(|n| n * (files / both)) {
            let file = clone.join(path(n));
            let text = fs::read_to_string(&file).expect("a file");
            let place = text.find("- ").expect("a bullet");
            fs::write(&file, format!("{}- Written {at} in file {n}\n{}", &text[..place], &text[place..]))
                .expect("a file");
        }
    }
    time(&format!("sync, {both} files to push"), &here, &sync);
    time(&format!("sync, {both} files to merge and push"), &there, &sync);
    time(&format!("sync, {both} merged files to take"), &here, &sync);
    for n in (0..both).map(|n| n * (files / both)) {
        let text = fs::read_to_string(here.join(path(n))).expect("a file");
        for at in ["here", "there"] {
            assert_eq!(text.matches(&format!("- Written {at} in file {n}\n")).count(), 1, "{text}");
        }
    }
}

fn path(n: usize) -> String {
    let folder = n / FILES_IN_FOLDER;
    format!("facts/topic-{:02}/{:02}/note-{n:05}.md", folder % 50, folder / 50)
}

fn git_path() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|dir| dir.join("git")).find(|git| git.exists()).expect("git")
}

fn walk_size(dir: &Path) -> u64 {
    let files = walkdir::WalkDir::new(dir).into_iter().filter_map(Result::ok);
    files.filter_map(|entry| entry.metadata().ok()).filter(|file| file.is_file()).map(|file| file.len()).sum()
}

/// Each commit makes some files and adds a bullet to some others.
fn import_history(hub: &Path, files: usize, days: usize) {
    fs::create_dir_all(hub).expect("a directory");
    succeed(command("git", hub).args(["init", "--quiet", "--bare", "--initial-branch=main", "."]));
    let mut import: Command = command("git", hub);
    let mut child = import.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git");
    let mut stream = BufWriter::new(child.stdin.take().expect("a pipe"));
    let (mut texts, mut rng) = (Vec::<String>::new(), Rng::with_seed(7));
    let commits = days * COMMITS_IN_DAY;
    for commit in 0..commits {
        let mut changed = Vec::new();
        while texts.len() < files * (commit + 1) / commits {
            let n = texts.len();
            let mut text = format!("# Note {n}\n\n> Summary: what is known about subject {n}\n\n");
            for bullet in 0..3 + rng.usize(..6) {
                let _ = writeln!(
                    text,
                    "- Fact {bullet} about subject {n}: {} as measured on day {}",
                    rng.usize(..90_000),
                    commit
                );
            }
            texts.push(text);
            changed.push(n);
        }
        for _ in 0..EDITS {
            let n = rng.usize(..texts.len().max(1));
            if let Some(text) = texts.get_mut(n) {
                let _ = writeln!(text, "- A later fact about subject {n}: {}", rng.usize(..90_000));
                changed.push(n);
            }
        }
        let second = FIRST_SECOND + commit * (86_400 / COMMITS_IN_DAY);
        let mut record =
            format!("commit refs/heads/main\ncommitter bench <bench@localhost> {second} +0000\ndata 6\nmemory\n");
        if commit == 0 {
            record += "M 100644 inline memdir.yaml\ndata 11\nversion: 1\n";
        }
        for n in changed {
            let _ = writeln!(record, "M 100644 inline {}\ndata {}\n{}", path(n), texts[n].len(), texts[n]);
        }
        record.push('\n');
        stream.write_all(record.as_bytes()).expect("git reads");
    }
    stream.into_inner().expect("git reads").flush().expect("git reads");
    assert!(child.wait().expect("git").success(), "the history is imported");
}
