//! Finds bytes that may make a file worth a closer look: metadata that pins or weighs, names of categories.
//!
//! Never sure: it may see too much, never too little.

use memchr::memmem;

use crate::policy::{Context, Policy};

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub struct Spotter {
    /// Runs of lower-case ASCII letters and digits, or exact bytes, one a category.
    names: Vec<Run>,
}

#[derive(Clone, Debug)]
enum Run {
    /// In any case of letters.
    Ascii(Vec<u8>),
    /// As it is: a script without cases.
    Exact(Vec<u8>),
    /// It could be written in ways that bytes do not tell.
    Anything,
}

impl Spotter {
    /// Looks for the categories of which all belongs into every context.
    pub fn new(policy: &Policy) -> Spotter {
        let all = policy.categories.iter().filter(|c| c.context == Context::All);
        Spotter { names: all.map(|c| run(&c.name)).collect() }
    }

    /// Whether a file's bytes may hold an item for a context; `stem` is the file's own name.
    pub fn finds(&self, stem: &str, bytes: &[u8]) -> bool {
        is_marked(bytes)
            || self.names.iter().any(|name| match name {
                Run::Ascii(run) => holds(stem.as_bytes(), run) || holds(bytes, run),
                Run::Exact(run) => memmem::find(stem.as_bytes(), run).is_some() || memmem::find(bytes, run).is_some(),
                Run::Anything => true,
            })
    }
}

/// The longest part of a name that its slug, its tag and its heading all hold.
fn run(name: &str) -> Run {
    let longest = |part: fn(char) -> bool| {
        name.split(move |c: char| !part(c)).max_by_key(|run| run.len()).filter(|run| !run.is_empty())
    };
    match (longest(|c| c.is_ascii_alphanumeric()), longest(char::is_alphanumeric)) {
        (Some(run), _) => Run::Ascii(run.to_ascii_lowercase().into_bytes()),
        (None, Some(run)) if !run.contains(|c: char| c.is_lowercase() || c.is_uppercase()) => {
            Run::Exact(run.as_bytes().to_vec())
        }
        _ => Run::Anything,
    }
}

/// Whether a metadata line holds `pin` or `imp`.
fn is_marked(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"<!--").any(|at| {
        let rest = &bytes[at + 4..];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        line.trim_ascii_start().starts_with(b"mem")
            && [&b"pin"[..], b"imp"].iter().any(|key| memmem::find(line, key).is_some())
    })
}

/// Whether bytes hold a run, its letters in either case.
fn holds(bytes: &[u8], run: &[u8]) -> bool {
    let (low, high) = (run[0], run[0].to_ascii_uppercase());
    memchr::memchr2_iter(low, high, bytes)
        .any(|at| bytes.get(at..at + run.len()).is_some_and(|part| part.eq_ignore_ascii_case(run)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], stem: &str, text: &str, found: bool) {
        let mut yaml = "categories:\n  custom:\n".to_owned();
        names.iter().for_each(|n| yaml += &format!("    - name: '{n}'\n      context: all\n"));
        let policy = if names.is_empty() { Policy::default() } else { crate::policy::load(&yaml).policy };
        assert_eq!(Spotter::new(&policy).finds(stem, text.as_bytes()), found, "{names:?} {text}");
    }

    #[test]
    fn what_may_matter_is_seen() {
        check(&[], "user", "- a\n  <!-- mem exp=2026-12-31 -->\n", false);
        check(&[], "user", "- a\n  <!-- mem exp=2026-12-31 imp=7 -->\n", true);
        check(&[], "user", "- a\n  <!--mem pin -->\n- b <!-- pin -->", true);
        check(&[], "profile", "- a\n", false);
        check(&["profile"], "profile", "- a\n", true);
        check(&["profile"], "user", "## PROFILE\n- a\n", true);
        check(&["tech stack"], "user", "## Tech-Stack\n", true);
        check(&["偏好"], "user", "- [偏好] 茶\n", true);
        check(&["偏好"], "user", "- 茶\n", false);
        check(&["Ж"], "user", "- tea\n", true);
    }
}
