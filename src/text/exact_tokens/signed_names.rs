//! Finds names that a sign or an ending tells apart: `-v` and `-q`, `2.1` and `2.1-beta`, `NET` and `.NET`.
//!
//! Never compares the name without its sign: that is a word or a number.

use crate::text::word_list::{WordList, word_list};

const PRERELEASES: WordList = word_list!("exact_tokens/prereleases.txt");

/// The longest option of one hyphen, in letters: `-rf`. What is longer may be a word behind a dash.
const MAX_SHORT_OPTION: usize = 2;

/// The signed names of a text that no source has, or for which they have another one.
pub(super) fn missing_signed_names(text: &str, sources: &[&str]) -> Vec<String> {
    let mut missing = missing_options(text, sources);
    missing.extend(replaced_versions(text, sources));
    missing.extend(missing_bare_names(text, sources));
    missing
}

/// The options of a command that no source has.
fn missing_options(text: &str, sources: &[&str]) -> Vec<String> {
    if !text.contains('-') {
        return Vec::new();
    }
    let is_known = |option: &str| sources.iter().any(|source| options(source).any(|known| known == option));
    options(text).filter(|option| !is_known(option)).map(str::to_owned).collect()
}

/// The options of a text, in the case in which they are written, without their values: `-v`, `--dry-run`.
fn options(text: &str) -> impl Iterator<Item = &str> {
    const QUOTES: [char; 13] = ['`', '"', '\'', '(', '[', ')', ']', ',', ';', ':', '.', '!', '?'];
    text.split(|c: char| c.is_whitespace() || !c.is_ascii()).filter_map(|word| {
        let word = word.trim_matches(QUOTES);
        let option = word.split('=').next().unwrap_or_default();
        let name = option.strip_prefix("--").or_else(|| option.strip_prefix('-'))?;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        (is_name && (option.starts_with("--") || name.len() <= MAX_SHORT_OPTION)).then_some(option)
    })
}

/// The versions of a text whose number a source has only with another ending: `2.1` for `2.1-beta`.
fn replaced_versions(text: &str, sources: &[&str]) -> Vec<String> {
    let own = versions(text);
    if own.is_empty() {
        return Vec::new();
    }
    let theirs: Vec<Version> = sources.iter().flat_map(|source| versions(source)).collect();
    let is_replaced = |version: &&Version| {
        let mut same_number = theirs.iter().filter(|known| known.number == version.number).peekable();
        same_number.peek().is_some() && same_number.all(|known| known.ending != version.ending)
    };
    own.iter().filter(is_replaced).map(Version::written).collect()
}

/// A version as it is compared.
#[derive(PartialEq, Eq)]
struct Version {
    number: String,
    /// `beta` or `rc1`; empty without one.
    ending: String,
}

impl Version {
    fn written(&self) -> String {
        if self.ending.is_empty() { self.number.clone() } else { format!("{}-{}", self.number, self.ending) }
    }
}

/// The versions of a text: `2.1`, `v2.1-beta`, `2.1.0 rc 1`; not `3.0b2`.
fn versions(text: &str) -> Vec<Version> {
    let low = text.to_ascii_lowercase();
    let bytes = low.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(skip) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + skip;
        let length = bytes[start..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        let number = low[start..start + length].trim_end_matches('.');
        at = start + length;
        let before = low[..start].strip_suffix('v').unwrap_or(&low[..start]);
        if !number.contains('.') || before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-') {
            continue;
        }
        let ending = prerelease(&low[start + number.len()..]).unwrap_or_default();
        found.push(Version { number: number.to_owned(), ending });
    }
    found
}

/// The ending of a version, without what separates its parts: `-rc.1` is `rc1`.
fn prerelease(after: &str) -> Option<String> {
    let rest = after.trim_start_matches(['-', '.', ' ', '_', '~', '+']);
    let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = PRERELEASES.contains(&rest[..length]).then(|| &rest[..length])?;
    let rest = rest[length..].trim_start_matches(['-', '.', ' ']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some(format!("{word}{}", &rest[..digits]))
}

/// The names of a text that sources have only with a full stop in front: `NET` for `.NET`.
fn missing_bare_names(text: &str, sources: &[&str]) -> Vec<String> {
    if !sources.iter().any(|source| source.contains('.')) {
        return Vec::new();
    }
    let of_sources: Vec<(bool, &str)> = sources.iter().flat_map(|source| capital_names(source)).collect();
    let is_missing = |name: &str| {
        let mut same = of_sources.iter().filter(|(_, known)| *known == name).peekable();
        same.peek().is_some() && same.all(|(is_dotted, _)| *is_dotted)
    };
    let bare = capital_names(text).filter(|(is_dotted, name)| !is_dotted && is_missing(name));
    bare.map(|(_, name)| name.to_owned()).collect()
}

/// The words in capitals of a text, and whether a full stop is in front.
fn capital_names(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase()));
    words.map(|word| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let before = text[..at].strip_suffix('.');
        (before.is_some_and(|before| !before.ends_with(char::is_alphanumeric)), word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_or_an_ending_makes_another_name() {
        for (source, text, missing) in [
            ("Runs the tests with -q", "Runs the tests with -v.", &["-v"][..]),
            ("Uses `cargo test -q`", "Uses cargo test --quiet", &["--quiet"]),
            ("Builds with --release", "Builds with --debug=1", &["--debug"]),
            ("The server runs 2.1-beta", "The server runs 2.1.", &["2.1"]),
            ("The server runs 2.1", "The server runs v2.1-beta", &["2.1-beta"]),
            ("The server runs 2.1-rc.1", "The server runs 2.1-rc.2", &["2.1-rc2"]),
            ("I write .NET services", "Writes NET services", &["NET"]),
        ] {
            assert_eq!(missing_signed_names(text, &[source]), missing, "{source} / {text}");
        }
        for (source, text) in [
            ("Runs the tests with `-q`", "Runs the tests with -q."),
            ("The server runs 2.1 beta", "The server runs v2.1-beta."),
            ("The server runs 2.1 rc 1", "The server runs 2.1-rc.1"),
            ("The meeting takes 2.5 hours", "Has a 2.5-hour meeting"),
            ("I write .NET services", "Writes .NET services"),
            ("We use NET and .NET", "Uses NET"),
            ("I like tea", "Likes tea -not coffee"),
            ("We are on 3.1 and 2.1-beta", "Is on 3.1"),
        ] {
            assert_eq!(missing_signed_names(text, &[source]), [""; 0], "{source} / {text}");
        }
    }
}
