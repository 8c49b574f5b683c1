//! Finds files that may hold an item for a context, without parsing them: metadata with `pin` or `imp`, names of
//! categories.
//!
//! May match too much, never too little.

use memchr::memmem;

use crate::document::MetaKey;
use crate::policy::{ContextMode, Policy};

/// The byte patterns of a policy.
#[derive(Clone, Debug, Default)]
pub struct ContextPrefilter {
    /// One pattern for each category with `context: all`.
    patterns: Vec<NamePattern>,
}

#[derive(Clone, Debug)]
enum NamePattern {
    /// Lower-case letters and digits, matched case-insensitively.
    Ascii(Vec<u8>),
    /// Matched as it is: a script without case.
    Exact(Vec<u8>),
    /// The name has spellings that a byte search cannot find: every file matches.
    Anything,
}

impl ContextPrefilter {
    /// Builds the patterns for the categories with `context: all`.
    pub fn new(policy: &Policy) -> ContextPrefilter {
        let all = policy.categories.iter().filter(|c| c.context == ContextMode::All);
        ContextPrefilter { patterns: all.map(|c| name_pattern(&c.name)).collect() }
    }

    /// Whether a file may hold an item for a context; `stem` is the file's name without extension.
    pub fn may_match(&self, stem: &str, bytes: &[u8]) -> bool {
        has_pin_or_importance(bytes)
            || self.patterns.iter().any(|name| match name {
                NamePattern::Ascii(run) => {
                    contains_ignore_case(stem.as_bytes(), run) || contains_ignore_case(bytes, run)
                }
                NamePattern::Exact(run) => {
                    memmem::find(stem.as_bytes(), run).is_some() || memmem::find(bytes, run).is_some()
                }
                NamePattern::Anything => true,
            })
    }
}

/// The longest part of a name that its slug, its tag and its heading all contain.
fn name_pattern(name: &str) -> NamePattern {
    let longest = |part: fn(char) -> bool| {
        name.split(move |c: char| !part(c)).max_by_key(|run| run.len()).filter(|run| !run.is_empty())
    };
    match (longest(|c| c.is_ascii_alphanumeric()), longest(char::is_alphanumeric)) {
        (Some(run), _) => NamePattern::Ascii(run.to_ascii_lowercase().into_bytes()),
        (None, Some(run)) if !run.contains(|c: char| c.is_lowercase() || c.is_uppercase()) => {
            NamePattern::Exact(run.as_bytes().to_vec())
        }
        _ => NamePattern::Anything,
    }
}

/// Whether a metadata line contains `pin` or `imp`.
fn has_pin_or_importance(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"<!--").any(|at| {
        let rest = &bytes[at + 4..];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        line.trim_ascii_start().starts_with(b"mem")
            && [MetaKey::Pin, MetaKey::Imp].iter().any(|key| memmem::find(line, key.name().as_bytes()).is_some())
    })
}

/// Whether bytes contain a pattern, ASCII case ignored.
fn contains_ignore_case(bytes: &[u8], run: &[u8]) -> bool {
    let (low, high) = (run[0], run[0].to_ascii_uppercase());
    memchr::memchr2_iter(low, high, bytes)
        .any(|at| bytes.get(at..at + run.len()).is_some_and(|part| part.eq_ignore_ascii_case(run)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], stem: &str, text: &str, expected: bool) {
        let mut yaml = "categories:\n  custom:\n".to_owned();
        names.iter().for_each(|n| yaml += &format!("    - name: '{n}'\n      context: all\n"));
        let policy = if names.is_empty() { Policy::default() } else { crate::policy::load(&yaml).policy };
        assert_eq!(ContextPrefilter::new(&policy).may_match(stem, text.as_bytes()), expected, "{names:?} {text}");
    }

    #[test]
    fn files_that_may_match_are_found() {
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
