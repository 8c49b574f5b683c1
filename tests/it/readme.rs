//! README's console blocks are run: each `$ command` in one directory, from the first block to the last, and what it
//! prints is what README says. `MEMDIR_BLESS=1` writes what was printed into README instead.
//!
//! Runs nothing but `console` blocks; a `>` line continues a here-document.

use std::path::Path;
use std::process::{Command, Stdio};

use fs_err as fs;

/// The directory that README's paths stand in.
const SHOWN: &str = "/home/you/app";

fn readme() -> (std::path::PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(&path).unwrap();
    (path, text)
}

/// What one command prints, both streams, in a directory of its own with a fixed clock and name.
fn run(script: &str, root: &Path) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_memdir")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("bash");
    shell.env_clear().env("PATH", path).env("HOME", root).env("LC_ALL", "C.UTF-8");
    shell.env("MEMDIR_NOW", "2026-02-24T10:00:00Z").env("MEMDIR_AS", "you");
    shell.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    shell.current_dir(root).stdin(Stdio::null());
    let output = shell.arg("-c").arg(format!("exec 2>&1\n{script}\n")).output().unwrap();
    String::from_utf8(output.stdout).unwrap().replace(&root.display().to_string(), SHOWN)
}

/// README as it would read if every console block showed what its commands print now.
fn played(text: &str) -> String {
    let temp = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(temp.path()).unwrap();
    let (mut out, mut lines) = (String::new(), text.lines().peekable());
    let mut console = false;
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            console = line == "```console";
        }
        let said = line.strip_prefix("$ ").filter(|_| console);
        if said.is_some() || !console || line.starts_with("```") {
            out.push_str(line);
            out.push('\n');
        }
        let Some(said) = said else { continue };
        let mut script = said.to_owned();
        while script.contains("<<")
            && let Some(more) = lines.next_if(|l| l.starts_with("> "))
        {
            script.push('\n');
            script.push_str(&more[2..]);
            out.push_str(more);
            out.push('\n');
        }
        out.push_str(&run(&script, &root));
    }
    out
}

#[test]
fn what_readme_shows_is_what_happens() {
    let (path, text) = readme();
    assert!(text.matches("\n$ memdir ").count() > 10, "README shows memdir at work");
    let now = played(&text);
    if std::env::var_os("MEMDIR_BLESS").is_some() {
        fs::write(&path, now).unwrap();
        return;
    }
    assert!(text == now, "README.md is stale (MEMDIR_BLESS=1 mends it):\n{}", difference(&text, &now));
}

fn difference(was: &str, now: &str) -> String {
    similar::TextDiff::from_lines(was, now).unified_diff().context_radius(2).to_string()
}

#[test]
fn readme_and_ci_run_the_same_tests() {
    let (path, text) = readme();
    let ci = fs::read_to_string(path.with_file_name(".ci/run")).unwrap();
    let test = |text: &str| text.lines().filter(|l| l.starts_with("cargo test")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(test(&text).len(), 1);
    assert_eq!(test(&text), test(&ci));
}

#[test]
fn what_an_agent_must_know_is_short() {
    let (_, text) = readme();
    let block = text.split("```text\n").nth(1).and_then(|b| b.split("```").next()).unwrap();
    assert!(block.contains("memdir add") && block.chars().count() <= 4 * 150, "{} characters", block.chars().count());
}
