//! The globs of a rule for paths, `when=src/api/**,*.{ts,tsx}`: how they are written, and which paths they are for.
//!
//! Beside the stars of [`glob`], they have braces, of which each part counts, and classes of characters, `[ab]`, which
//! also stand for themselves, because folders are named so (`app/[id]`).

use std::sync::atomic::{AtomicUsize, Ordering};

use super::glob;
use crate::text::brace_expansion::expand_braces;
use crate::text::command_paths::is_folder_name;

/// The most globs that the braces and classes of one stand for.
const MAX_EXPANSIONS: usize = 256;
/// The longest glob that is used, in bytes, and the most bytes of all that its braces and classes stand for: a memory may
/// have come by `git clone`, and hooks do not wait.
const MAX_GLOB_BYTES: usize = 512;
const MAX_EXPANDED_BYTES: usize = 16 << 10;
/// The most work for one answer, in bytes of globs times bytes of paths: some tenths of a second.
const MAX_WORK: usize = 40_000_000;
/// A name that no file has: a glob that matches it in a folder matches every file there.
const ANY_NAME: &str = "\u{1}";

/// The globs of a list. A comma within braces or brackets separates none.
pub fn split_globs(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let globs = list.split(move |c| {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    globs.map(str::trim).filter(|glob| !glob.is_empty())
}

/// Why a list has a glob that can match no path, and what to write instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobProblem<'a> {
    /// Empty if the list has no glob.
    pub glob: &'a str,
    pub reason: &'static str,
    pub hint: &'static str,
}

/// The globs of a list that can match no path.
pub fn glob_problems(list: &str) -> Vec<GlobProblem<'_>> {
    let problem = |glob, (reason, hint)| GlobProblem { glob, reason, hint };
    if split_globs(list).next().is_none() {
        return vec![problem("", ("it has no glob", "name the files, as in src/api/**"))];
    }
    split_globs(list).filter_map(|glob| Some(problem(glob, find_problem(glob)?))).collect()
}

fn find_problem(glob: &str) -> Option<(&'static str, &'static str)> {
    let from_root = "write it from the root of the repository, as in src/api/**";
    if glob.starts_with('!') {
        return Some(("a glob cannot exclude paths", "name the files that the rule is for, as in src/api/**"));
    }
    if glob.starts_with('/') || glob.starts_with("~/") || glob.get(1..3) == Some(":\\") {
        return Some(("an absolute path matches no file of a repository", from_root));
    }
    if glob.split('/').any(|part| part == "..") {
        return Some(("a path with .. matches no file of a repository", from_root));
    }
    if glob.contains('\\') {
        return Some(("a backslash is part of no path", "separate folders with /"));
    }
    if glob.trim_start_matches("./").trim_end_matches('/').is_empty() || glob == "." {
        return Some(("it names no file", "write ** for all files"));
    }
    if !is_closed(glob, '{', '}') {
        return Some(("a brace is not closed or not opened", "write {a,b} for a or b"));
    }
    if !is_closed(glob, '[', ']') {
        return Some(("a bracket is not closed or not opened", "write [ab] for one of these characters"));
    }
    if glob.contains("[!") || glob.contains("[^") {
        return Some(("a class cannot exclude characters", "write ? for any character"));
    }
    if glob.len() > MAX_GLOB_BYTES {
        return Some(("it is longer than 512 bytes, so that it is not used", "write a shorter one"));
    }
    expand(glob).is_none().then_some((
        "its braces and classes stand for more than 256 globs or 16 KiB, so that none is used",
        "write it as several globs",
    ))
}

fn is_closed(glob: &str, open: char, close: char) -> bool {
    let mut depth = 0_i32;
    let is_right = glob.chars().all(|c| {
        depth += i32::from(c == open) - i32::from(c == close);
        depth >= 0
    });
    is_right && depth == 0
}

/// The work that is left for one answer.
pub struct GlobWork(AtomicUsize);

impl Default for GlobWork {
    fn default() -> GlobWork {
        GlobWork(AtomicUsize::new(MAX_WORK))
    }
}

impl GlobWork {
    /// Takes some of it; false if that much is not left.
    fn take(&self, work: usize) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(work)).is_ok()
    }
}

/// Whether a rule with this glob is for one of the paths, all from the same root. A folder stands for all that is below
/// it. A path may be a glob itself, or end in `/**` for all that is below a folder. Without work left the answer is no.
pub fn touches_any(glob: &str, paths: &[String], work: &GlobWork) -> bool {
    if glob.len() > MAX_GLOB_BYTES {
        return false;
    }
    if !glob.contains(['{', '[']) {
        return paths.iter().any(|path| touches_expanded(glob, path, work));
    }
    let all = work.take(glob.len() * MAX_EXPANSIONS).then(|| expand(glob)).flatten().unwrap_or_default();
    paths.iter().any(|path| all.iter().any(|glob| touches_expanded(glob, path, work)))
}

fn touches_expanded(glob: &str, path: &str, work: &GlobWork) -> bool {
    let glob = glob.trim_start_matches("./").trim_end_matches('/');
    // Most globs are for other folders than a path, and what precedes their wildcards says so.
    let before_wildcard = |text: &str| text.find(['*', '?']).unwrap_or(text.len());
    let (of_glob, of_path) = (&glob[..before_wildcard(glob)], &path[..before_wildcard(path)]);
    if !of_glob.starts_with(of_path) && !of_path.starts_with(of_glob) {
        return false;
    }
    if !work.take((glob.len() + 1) * (path.len() + 1)) {
        return false;
    }
    let below = format!("{glob}/**");
    if glob::matches(glob, path) || glob::matches(&below, path) {
        return true;
    }
    [glob, below.as_str()].into_iter().any(|glob| {
        let folder = literal_folder(glob);
        if !path.contains(['*', '?']) {
            // A folder is touched by its name; a rule for one kind of files is not meant by every folder.
            let is_within = !folder.is_empty() && is_at_or_below(path, folder);
            return is_folder_name(path)
                && (glob::matches(glob, &format!("{path}/{ANY_NAME}"))
                    || is_within && glob::overlap(glob, &format!("{path}/**")));
        }
        let names_folder = || path.rsplit('/').skip(1).any(|part| !part.contains(['*', '?']));
        let is_near = match (path.ends_with("/**"), folder.is_empty()) {
            (_, false) => names_folder(),
            (is_tree, true) => !is_tree,
        };
        is_near && glob::overlap(glob, path)
    })
}

/// The folders before the first component with a wildcard, or before the last component.
fn literal_folder(glob: &str) -> &str {
    let end = glob.find(['*', '?']).unwrap_or(glob.len());
    glob[..end].rfind('/').map_or("", |slash| &glob[..slash])
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The globs that one with braces and classes stands for; `None` if there are too many.
fn expand(glob: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for glob in expand_braces(glob, MAX_EXPANSIONS) {
        if glob.contains('{') && glob.contains(',') {
            return None;
        }
        all.extend(expand_classes(&glob)?);
        if all.len() > MAX_EXPANSIONS || all.iter().map(String::len).sum::<usize>() > MAX_EXPANDED_BYTES {
            return None;
        }
    }
    Some(all)
}

/// A glob with each character in the place of its classes, and as it is written.
fn expand_classes(glob: &str) -> Option<Vec<String>> {
    let Some((before, class, after)) = glob
        .split_once('[')
        .and_then(|(before, rest)| rest.split_once(']').map(|(class, after)| (before, class, after)))
    else {
        return Some(vec![glob.to_owned()]);
    };
    let mut choices = vec![format!("[{class}]")];
    let chars: Vec<char> = class.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let last = match chars.get(at + 1..at + 3) {
            Some(['-', last]) => *last,
            _ => chars[at],
        };
        choices.extend((chars[at]..=last).take(MAX_EXPANSIONS).map(String::from));
        at += if last == chars[at] { 1 } else { 3 };
    }
    let mut all = Vec::new();
    for rest in expand_classes(after)? {
        all.extend(choices.iter().map(|choice| format!("{before}{choice}{rest}")));
        if all.len() > MAX_EXPANSIONS {
            return None;
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touches(glob: &str, path: &str) -> bool {
        touches_any(glob, &[path.to_owned()], &GlobWork::default())
    }

    #[test]
    fn the_work_for_one_answer_is_bounded() {
        let work = GlobWork::default();
        let paths: Vec<String> = (0..50).map(|n| format!("s{}/{n}.rs", "a".repeat(100))).collect();
        let many_stars = format!("s{}", "*a".repeat(200));
        let used = (0..100_000).take_while(|_| {
            touches_any(&many_stars, &paths, &work);
            work.0.load(Ordering::Relaxed) > 401 * 110
        });
        assert!(used.count() < 40);
        assert!(!touches_any("**/0.rs", &paths, &GlobWork(AtomicUsize::new(0))));
        let (long, wide) = (
            format!("s{}", "*a".repeat(300)),
            format!("{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{}", "x".repeat(200)),
        );
        assert!([long, wide].iter().all(|glob| glob_problems(glob).len() == 1 && !touches(glob, glob)));
    }

    #[test]
    fn a_list_is_split_outside_of_braces() {
        let check = |list: &str, expected: &[&str]| assert_eq!(split_globs(list).collect::<Vec<_>>(), expected);
        check("src/**, *.rs", &["src/**", "*.rs"]);
        check("**/*.{ts,tsx},[a,b].rs,", &["**/*.{ts,tsx}", "[a,b].rs"]);
        check(" , ", &[]);
    }

    #[test]
    fn a_glob_that_can_match_nothing_has_a_problem() {
        for glob in [
            "",
            ",",
            "src/[ab",
            "src/{a,b",
            "a}",
            "/src/**",
            "~/src/**",
            "../x/**",
            "a/../b",
            "!src/**",
            "a\\b",
            ".",
            "./",
            "[!a].rs",
            "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
            "[a-z][a-z]",
        ] {
            assert_eq!(glob_problems(glob).len(), 1, "{glob}");
        }
        for glob in [
            "src/api/**,docs/*.md",
            "**/*.{ts,tsx}",
            "app/[id]/**",
            "a..b",
            "[a-z].rs",
            "src/{api,web}/[ab].rs",
            "./src",
        ] {
            assert_eq!(glob_problems(glob), [], "{glob}");
        }
        let problem = glob_problems("src/**,!x,../y");
        assert_eq!(problem.iter().map(|problem| problem.glob).collect::<Vec<_>>(), ["!x", "../y"]);
    }

    #[test]
    fn a_rule_is_for_what_its_glob_matches() {
        let check = |glob, path, want| assert_eq!(touches(glob, path), want, "{glob} on {path}");
        check("**/*.{ts,tsx}", "a/b.tsx", true);
        check("**/*.{ts,tsx}", "b.ts", true);
        check("**/*.{ts,tsx}", "b.rs", false);
        check("app/[id]/page.tsx", "app/[id]/page.tsx", true);
        check("src/[a-c].rs", "src/b.rs", true);
        check("src/[a-c].rs", "src/d.rs", false);
        check("src/api", "src/api/x.rs", true);
        check("./src/api/", "src/api/x.rs", true);
        check("Makefile", "Makefile", true);
    }

    #[test]
    fn a_folder_or_a_glob_touches_what_it_has_in_common_with_a_rule() {
        let check = |glob, path, want| assert_eq!(touches(glob, path), want, "{glob} on {path}");
        check("src/api/**", "src/api", true);
        check("src/api/**/*.rs", "src/api", true);
        check("src/**/*.rs", "src/api", true);
        check("src/api/**", "src", false);
        check("src/api/**", "src/**", true);
        check("**/migrations/**", "db/migrations", true);
        check("**/*.rs", "build", false);
        check("**/*.rs", "build/**", false);
        check("src/api/**/*.rs", "src/api/notes.md", false);
        check("src/api/**", "src/api/*.rs", true);
        check("src/api/**", "src/*/x.rs", true);
        check("src/api/**", "src/*.rs", false);
        check("**/*.rs", "src/*.rs", true);
        check("src/api/**", "**/*.rs", false);
        check("src/api/**", "srcapi", false);
    }
}
