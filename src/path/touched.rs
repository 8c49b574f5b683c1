//! Paths of a repository's files, however they are written, as the globs of rules name them.
//!
//! Compares names only: a link in a path is not followed.

use std::path::Path;

/// These paths relative to the working directory, to the folder that the memory is in, and to the one above it, as far
/// as they are below; a path that is not absolute is one of the working directory. Each once.
pub fn relative_to_roots<'a>(
    paths: impl IntoIterator<Item = &'a str>,
    working_dir: &str,
    memory: &Path,
) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for path in paths {
        let absolute =
            if path.starts_with('/') { normalize(path) } else { normalize(&format!("{working_dir}/{path}")) };
        let roots = [Some(Path::new(working_dir)), memory.parent(), memory.parent().and_then(Path::parent)];
        for root in roots.into_iter().flatten() {
            let relative = Path::new(&absolute).strip_prefix(root).ok().and_then(Path::to_str);
            if let Some(relative) = relative.filter(|path| !path.is_empty() && !all.iter().any(|known| known == path)) {
                all.push(relative.to_owned());
            }
        }
    }
    all
}

/// An absolute path without empty parts, `.` and `..`.
pub fn normalize(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_that_of_a_repository_however_it_is_written() {
        let check = |path: &str| {
            let found = relative_to_roots([path], "/w/shop/api", Path::new("/w/shop/memory"));
            assert_eq!(found, ["src/a.rs", "api/src/a.rs", "shop/api/src/a.rs"], "{path}");
        };
        for path in ["src/a.rs", "./src//./a.rs", "src/../src/a.rs", "../api/src/a.rs"] {
            check(path);
            check(&format!("/w/shop/api/{path}"));
        }
        assert_eq!(relative_to_roots(["../../../etc/passwd"], "/w/shop/api", Path::new("/w/shop/memory")), [""; 0]);
    }
}
