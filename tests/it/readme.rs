//! Runs the console blocks of README.md and of every page in `docs/`: each page in an empty directory of its own, each
//! `$ command` from the first block to the last. What it prints must be what the page shows; `MEMDIR_BLESS=1` writes
//! what was printed into the pages instead.
//!
//! Runs nothing but `console` blocks; a `>` line continues a here-document.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use fs_err as fs;

/// The directory that the pages show instead of the temporary one.
const SHOWN_DIR: &str = "/home/you/app";
/// The largest front page that is still read, in bytes.
const README_LIMIT: usize = 9_000;

/// A markdown page of the repository.
struct Page {
    /// Relative to the repository.
    name: String,
    text: String,
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str) -> Page {
    Page { name: name.to_owned(), text: fs::read_to_string(repository().join(name)).unwrap() }
}

/// The markdown files of a directory, in the order of their names.
fn pages_in(dir: &str) -> Vec<Page> {
    let entries = fs::read_dir(repository().join(dir)).unwrap().map(|entry| entry.unwrap().file_name());
    let names: BTreeSet<String> = entries.map(|name| name.into_string().unwrap()).collect();
    let is_markdown = |name: &String| Path::new(name).extension().is_some_and(|e| e == "md");
    names.iter().filter(|n| is_markdown(n)).map(|n| page(Path::new(dir).join(n).to_str().unwrap())).collect()
}

/// README.md, and the pages of `docs/`.
fn pages() -> Vec<Page> {
    let mut pages = vec![page("README.md")];
    pages.extend(pages_in("docs"));
    pages
}

/// Runs one command with a fixed clock, caller and git identity, and returns what it prints on both streams.
fn run(script: &str, root: &Path, is_agent: bool) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_memdir")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("bash");
    shell.env_clear().env("PATH", path).env("HOME", root).env("LC_ALL", "C.UTF-8");
    shell.env("MEMDIR_NOW", "2026-02-24T10:00:00Z").env("USER", "you");
    if is_agent {
        shell.env("CLAUDECODE", "1");
    }
    // Not /dev/null: as root, `git config --global` would replace the device by a file.
    shell.env("GIT_CONFIG_GLOBAL", root.join(".gitconfig")).env("GIT_CONFIG_NOSYSTEM", "1");
    shell.current_dir(root).stdin(Stdio::null());
    let output = shell.arg("-c").arg(format!("exec 2>&1\n{script}\n")).output().unwrap();
    String::from_utf8(output.stdout).unwrap().replace(&root.display().to_string(), SHOWN_DIR)
}

/// The page as it would read if every console block showed what its commands print now, to a person or in the shell of
/// an agent.
fn replayed(text: &str, is_agent: bool) -> String {
    let temp = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(temp.path()).unwrap();
    fs::create_dir_all(root.join(".config/memdir")).unwrap();
    fs::write(root.join(".gitconfig"), "[user]\nname = you\nemail = you@localhost\n").unwrap();
    let (mut out, mut lines) = (String::new(), text.lines().peekable());
    let mut in_console = false;
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            in_console = line == "```console";
        }
        let command = line.strip_prefix("$ ").filter(|_| in_console);
        if command.is_some() || !in_console || line.starts_with("```") {
            out.push_str(line);
            out.push('\n');
        }
        let Some(command) = command else { continue };
        let mut script = command.to_owned();
        while script.contains("<<")
            && let Some(more) = lines.next_if(|l| l.starts_with("> "))
        {
            script.push('\n');
            script.push_str(&more[2..]);
            out.push_str(more);
            out.push('\n');
        }
        out.push_str(&run(&script, &root, is_agent));
    }
    out
}

#[test]
fn an_agent_may_type_the_front_page() {
    let front_page = pages().into_iter().find(|page| page.name == "README.md").expect("README.md");
    let now = replayed(&front_page.text, true);
    let diff = similar::TextDiff::from_lines(front_page.text.as_str(), now.as_str());
    assert!(front_page.text == now, "it reads otherwise in an agent's shell:\n{}", diff.unified_diff());
}

#[test]
fn console_blocks_show_what_their_commands_print() {
    let pages = pages();
    let replays: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = pages.iter().map(|page| scope.spawn(|| replayed(&page.text, false))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut stale = String::new();
    for (page, now) in pages.iter().zip(&replays).filter(|(page, now)| page.text != **now) {
        if std::env::var_os("MEMDIR_BLESS").is_some() {
            fs::write(repository().join(&page.name), now).unwrap();
            continue;
        }
        let diff = similar::TextDiff::from_lines(page.text.as_str(), now.as_str());
        write!(stale, "{}:\n{}\n", page.name, diff.unified_diff().context_radius(2)).unwrap();
    }
    assert!(stale.is_empty(), "stale pages (MEMDIR_BLESS=1 updates them)\n{stale}");
}

#[test]
fn each_page_with_console_blocks_creates_its_own_memory() {
    let mut commands = 0;
    for page in pages() {
        commands += page.text.matches("\n$ memdir ").count();
        let first = page.text.split("\n```console\n").nth(1).and_then(|block| block.lines().next());
        assert!(first.is_none_or(|line| line.starts_with("$ memdir init ")), "{}: {first:?}", page.name);
    }
    assert!(commands > 50, "the pages show memdir at work: {commands} commands");
}

#[test]
fn readme_is_short_and_shows_the_picture_first() {
    let readme = page("README.md").text;
    assert!(readme.len() <= README_LIMIT, "{} bytes", readme.len());
    let picture = readme.find("](docs/demo.svg)").expect("a picture");
    assert!(picture < readme.find("\n```").unwrap(), "the picture is above the first command");
}

#[test]
fn readme_and_ci_run_the_same_tests() {
    let ci = fs::read_to_string(repository().join(".ci/run")).unwrap();
    let test = |text: &str| text.lines().filter(|l| l.starts_with("cargo test")).map(str::to_owned).collect::<Vec<_>>();
    let readme = test(&page("README.md").text);
    assert_eq!(readme.len(), 1);
    assert_eq!(readme, test(&ci));
}

#[test]
fn the_instructions_for_agents_are_short() {
    let text = page("README.md").text;
    let block = text.split("```text\n").nth(1).and_then(|b| b.split("```").next()).unwrap();
    assert!(block.contains("memdir add") && block.chars().count() <= 4 * 150, "{} characters", block.chars().count());
}

/// Every relative link leads to a file, and its `#part` to a heading of that file.
#[test]
fn links_between_pages_lead_somewhere() {
    let mut all = pages_in("");
    all.extend(pages_in("docs"));
    all.extend(pages_in("docs/internals"));
    let mut broken = Vec::new();
    for page in &all {
        for target in links(&page.text) {
            let (file, part) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => repository().join(&page.name),
                _ => repository().join(&page.name).parent().unwrap().join(file),
            };
            let headings = || headings(&fs::read_to_string(&path).unwrap());
            if !path.exists() || !part.is_empty() && !headings().contains(part) {
                broken.push(format!("{}: {target}", page.name));
            }
        }
    }
    assert!(all.len() > 10 && broken.is_empty(), "{broken:#?}");
}

/// The targets of relative links outside code.
fn links(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for line in prose(text) {
        // Every second part is inline code.
        for part in line.split('`').step_by(2).flat_map(|text| text.split("](").skip(1)) {
            let target = part.split(')').next().unwrap();
            if !target.contains("://") {
                out.push(target);
            }
        }
    }
    out
}

/// The slugs of a page's headings, as GitHub makes them.
fn headings(text: &str) -> BTreeSet<String> {
    let titles = prose(text).filter_map(|line| line.strip_prefix('#')).map(|l| l.trim_start_matches('#').trim());
    titles
        .map(|title| {
            let kept = title.to_lowercase().replace(' ', "-");
            kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
        })
        .collect()
}

/// The lines of a page outside fenced code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}
