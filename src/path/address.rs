//! Parses addresses of files, sections and bullets (ARCHITECTURE.md, "Addresses"). Shorthand is resolved by a fixed
//! rule.
//!
//! Never checks whether a file exists: returns the candidate files in order of preference.

use super::grammar::unsafe_name_reason;
use super::{FOLDERS, MemoryPath, invalid_path, is_episode};
use crate::code::{Code, Rejection};

/// The spellings of the data directory that may precede a path, so that a pasted path works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathPrefixes(pub Vec<String>);

impl PathPrefixes {
    /// Removes the longest matching prefix, then any leading `./`.
    pub fn strip<'a>(&self, text: &'a str) -> &'a str {
        let without_prefix = |p: &String| text.strip_prefix(p.trim_end_matches('/'))?.strip_prefix('/');
        let rest =
            self.0.iter().filter(|p| !p.is_empty()).filter_map(without_prefix).min_by_key(|r| r.len()).unwrap_or(text);
        rest.trim_start_matches("./")
    }
}

/// The part of an address after `@`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BulletRef {
    /// A handle or an explicit id.
    Name(String),
    /// The n-th of the bullets with this handle or id, from 1: `acvh.2`.
    Occurrence(String, usize),
    /// The n-th bullet, from 1.
    Index(usize),
}

impl std::fmt::Display for BulletRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BulletRef::Name(name) => f.write_str(name),
            BulletRef::Occurrence(name, n) => write!(f, "{name}.{n}"),
            BulletRef::Index(n) => write!(f, "{n}"),
        }
    }
}

/// One interpretation of an address: a file, optionally with a section and a bullet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressReading {
    /// Candidate files in order of preference: the first that exists is used; if none exists, the last. None if the
    /// address can only name a file that exists.
    pub files: Vec<MemoryPath>,
    /// After `#`: a slug, an id, or a path of slugs.
    pub section: Option<String>,
    pub bullet: Option<BulletRef>,
}

impl AddressReading {
    /// The path from the top of the memory, of a name without one of the folders with a special meaning.
    pub fn at_top(&self) -> Option<&MemoryPath> {
        match &self.files[..] {
            [_, at_top, _] => Some(at_top),
            _ => None,
        }
    }
}

/// The most readings of an address in which the name of the file contains a `#` before its section or bullet.
const MAX_SPLITS: usize = 8;

/// A parsed address of a file, a section or a bullet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `@mem123`: an explicit id, looked up in every file.
    Id(String),
    /// Everything else: interpretations in order. The first whose file exists is used; if there is none, the last.
    Readings(Vec<AddressReading>),
}

impl Address {
    /// Parses an address (ARCHITECTURE.md, "Addresses").
    ///
    /// # Errors
    /// `invalid_path` if no interpretation is a safe path; `bullet_not_found` for a bullet number that overflows.
    pub fn parse(address: &str, prefixes: &PathPrefixes) -> Result<Address, Rejection> {
        if let Some(id) = address.strip_prefix('@').filter(|id| is_id(id)) {
            return Ok(Address::Id(id.to_owned()));
        }
        let text = prefixes.strip(address);
        let last = Address::readings(address, text)?;
        Ok(Address::Readings(as_listed(address, text).into_iter().chain(last).collect()))
    }

    /// The readings of an address, `text` without the spelling of the data directory.
    fn readings(address: &str, text: &str) -> Result<Vec<AddressReading>, Rejection> {
        let mut readings = Vec::new();
        if text.contains(['@', '#'])
            && let Ok(files) = candidate_files(text, true)
        {
            readings.push(AddressReading { files, section: None, bullet: None });
        }
        let (rest, bullet) = match text.rsplit_once('@').map(|(rest, name)| (rest, parse_bullet_ref(address, name))) {
            Some((rest, Ok(bullet))) => (rest, Some(bullet)),
            // `bob@work.md#tasks`: the `@` is in the name of the file.
            Some((_, Err(_))) if text.contains(".md#") => (text, None),
            // `facts/lunch@noon.md`: a bullet cannot have such a name, but a file can.
            Some(_) if text.ends_with(".md") && !readings.is_empty() => return Ok(readings),
            Some((_, Err(refused))) => return Err(refused),
            None => (text, None),
        };
        // `C# notes.md@b89q`, `C# notes#tasks`: a file's name may contain `#`, which must exist then.
        let whole = bullet.is_some().then_some((rest, None)).filter(|_| rest.contains('#'));
        let splits = rest.rmatch_indices('#').map(|(at, _)| (&rest[..at], Some(&rest[at + 1..])));
        let in_name = |(file, section): &(&str, Option<&str>)| {
            section.is_none() || file.contains('#') && section.is_some_and(|section| !section.is_empty())
        };
        for (file, section) in whole.into_iter().chain(splits).filter(in_name).take(MAX_SPLITS) {
            if let Ok(files) = candidate_files(file, true) {
                readings.push(AddressReading { files, section: section.map(str::to_owned), bullet: bullet.clone() });
            }
        }
        let (file, section) = match rest.split_once('#') {
            Some((_, "")) => return Err(invalid_path(address, "nothing after '#'")),
            Some((file, section)) => (file, Some(section.to_owned())),
            None => (rest, None),
        };
        let files = if file.is_empty() && !address.is_empty() {
            let reason = match address.strip_prefix('@') {
                Some(_) => "no file before '@', and what follows is no id (letters, digits, - and _, at least two)",
                None => "no file before '#'",
            };
            Err(invalid_path(address, reason))
        } else {
            candidate_files(file, false)
        };
        // `Ideas/#hash.md` can only be the name of a file that exists.
        let may_be_name = rest.contains(".md") && !readings.is_empty();
        let last = match files {
            Ok(files) => AddressReading { files, section, bullet },
            Err(_) if may_be_name => AddressReading { files: Vec::new(), section: None, bullet: None },
            Err(refused) => return Err(refused),
        };
        readings.push(last);
        Ok(readings)
    }
}

/// The readings of an address as `list` prints it, where a folder in the data directory has the same name as the data
/// directory: `notes/plan.md` is a file in that folder, if there is one, before it is `plan.md`.
fn as_listed(address: &str, text: &str) -> Vec<AddressReading> {
    let prefix = &address[..address.len() - text.len()];
    if prefix.is_empty() || prefix.starts_with(['.', '/']) {
        return Vec::new();
    }
    let mut readings = Address::readings(address, address).unwrap_or_default();
    readings.iter_mut().for_each(|reading| reading.files.retain(|path| path.as_str().starts_with(prefix)));
    readings.retain(|reading| !reading.files.is_empty());
    readings
}

/// Splits an address as results show it, `facts/user.md@acvh` or `facts/user.md#work`, into the path and the rest, which
/// is empty or begins with its sign. The name of an adopted file may contain both signs.
pub fn split_shown_address(address: &str) -> (&str, &str) {
    let ends = [".md@", ".md#"].into_iter().filter_map(|sign| Some(address.rfind(sign)? + ".md".len()));
    match ends.max().filter(|_| !address.ends_with(".md")) {
        Some(end) => address.split_at(end),
        None => (address, ""),
    }
}

/// The error for an address that could only name a file with a `#` at the start of its name, of which there is none.
pub fn no_such_name(address: &str) -> Rejection {
    invalid_path(address, "a '#' begins the name of a section, and no file has this name")
}

/// Whether a text is a valid explicit id: an ASCII letter or digit, then letters, digits, `_` or `-`; 2 to 64
/// characters, not digits alone, which would be the number of a bullet.
pub fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && (2..=64).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        && !text.bytes().all(|b| b.is_ascii_digit())
}

fn parse_bullet_ref(address: &str, name: &str) -> Result<BulletRef, Rejection> {
    if name.is_empty() {
        return Err(invalid_path(address, "nothing after '@'"));
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = |digits: &str| {
        digits.parse().map_err(|_| Rejection::new(Code::BulletNotFound, "no file has that many bullets"))
    };
    if is_number(name) {
        return Ok(BulletRef::Index(number(name)?));
    }
    let (name, nth) = match name.rsplit_once('.').filter(|(name, nth)| is_number(nth) && !is_number(name)) {
        Some((name, nth)) => (name, Some(number(nth)?)),
        None => (name, None),
    };
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if name.is_empty() || name.len() > 64 || !is_name(name) {
        return Err(invalid_path(address, "the text after '@' is not a handle, an id or a number"));
    }
    let name = name.to_owned();
    Ok(nth.map_or(BulletRef::Name(name.clone()), |nth| BulletRef::Occurrence(name, nth)))
}

/// Candidate files of a name. With `whole`, the fallback for a new file is left out: the file must exist.
fn candidate_files(name: &str, must_exist: bool) -> Result<Vec<MemoryPath>, Rejection> {
    if let Some(reason) = unsafe_name_reason(name) {
        return Err(invalid_path(name, reason));
    }
    let text = if name.ends_with(".md") { name.to_owned() } else { format!("{name}.md") };
    let checked_path = |text: &str| MemoryPath::from_disk_name(text).map_err(|error| invalid_path(text, error));
    if text.split_once('/').is_some_and(|(folder, _)| FOLDERS.contains(&folder)) {
        return Ok(vec![checked_path(&text)?]);
    }
    if is_episode(text.strip_suffix(".md").unwrap_or(&text)) {
        return Ok(vec![checked_path(&format!("episodes/{text}"))?]);
    }
    let in_facts = checked_path(&format!("facts/{text}"))?;
    let mut candidates = vec![in_facts.clone(), checked_path(&text)?];
    if !must_exist {
        candidates.push(in_facts);
    }
    Ok(candidates)
}

/// Whether a file stem is a day, `YYYY-MM-DD`, as the daily notes of other programs are named.
pub fn is_daily_note(stem: &str) -> bool {
    stem.len() == 10 && stem.as_bytes()[4] == b'-' && stem.parse::<jiff::civil::Date>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_start_with_a_digit_but_is_no_number() {
        assert!(["mem123", "3c3611", "0a", "x-y_z"].into_iter().all(is_id));
        assert!(!["3", "36", "123456", "-a", "_a", "a", "a b", "ä1"].into_iter().any(is_id));
        let at = |text: &str| Address::parse(text, &PathPrefixes::default());
        assert_eq!(at("@3c3611"), Ok(Address::Id("3c3611".into())));
    }

    fn reads(written: &str, expected: &[(&str, Option<&str>, Option<BulletRef>)]) {
        let prefixes = PathPrefixes(vec!["/home/x/memory".into(), "memory".into()]);
        let Address::Readings(readings) = Address::parse(written, &prefixes).unwrap() else { panic!("bare") };
        let got: Vec<_> = readings
            .iter()
            .map(|r| {
                (
                    r.files.iter().map(|f| f.as_str()).collect::<Vec<_>>().join(" "),
                    r.section.as_deref(),
                    r.bullet.clone(),
                )
            })
            .collect();
        let want: Vec<_> = expected.iter().map(|(f, s, b)| (f.to_string(), *s, b.clone())).collect();
        assert_eq!(got, want, "{written}");
    }

    #[test]
    fn shorthand_is_a_rule() {
        let user = "facts/user.md user.md facts/user.md";
        reads("user", &[(user, None, None)]);
        reads("facts/user.md", &[("facts/user.md", None, None)]);
        reads("memory/facts/user.md", &[("memory/facts/user.md", None, None), ("facts/user.md", None, None)]);
        reads("/home/x/memory/facts/user.md", &[("facts/user.md", None, None)]);
        reads("./memory/2026-02", &[("facts/memory/2026-02.md memory/2026-02.md facts/memory/2026-02.md", None, None)]);
        reads("2026-02", &[("episodes/2026-02.md", None, None)]);
        reads("2026-W07", &[("episodes/2026-W07.md", None, None)]);
        reads(
            "user@acvh",
            &[("facts/user@acvh.md user@acvh.md", None, None), (user, None, Some(BulletRef::Name("acvh".into())))],
        );
        reads(
            "user#work@2",
            &[
                ("facts/user#work@2.md user#work@2.md", None, None),
                ("facts/user#work.md user#work.md", None, Some(BulletRef::Index(2))),
                (user, Some("work"), Some(BulletRef::Index(2))),
            ],
        );
        reads("facts/lunch@noon.md", &[("facts/lunch@noon.md", None, None)]);
        reads(
            "user@acvh.2",
            &[
                ("facts/user@acvh.2.md user@acvh.2.md", None, None),
                (user, None, Some(BulletRef::Occurrence("acvh".into(), 2))),
            ],
        );
        let handle = || Some(BulletRef::Name("b89q".into()));
        reads(
            "facts/C# notes.md@b89q",
            &[
                ("facts/C# notes.md@b89q.md", None, None),
                ("facts/C# notes.md", None, handle()),
                ("facts/C.md", Some(" notes.md"), handle()),
            ],
        );
        reads(
            "facts/C# notes#tasks/today",
            &[
                ("facts/C# notes#tasks/today.md", None, None),
                ("facts/C# notes.md", Some("tasks/today"), None),
                ("facts/C.md", Some(" notes#tasks/today"), None),
            ],
        );
        reads(
            "facts/bob@work.md#tasks",
            &[("facts/bob@work.md#tasks.md", None, None), ("facts/bob@work.md", Some("tasks"), None)],
        );
        reads("2026-02.md.md", &[("facts/2026-02.md.md 2026-02.md.md facts/2026-02.md.md", None, None)]);
        reads("Ideas/#hash.md", &[("facts/Ideas/#hash.md Ideas/#hash.md", None, None), ("", None, None)]);
        reads(
            "#hash.md@b89q",
            &[
                ("facts/#hash.md@b89q.md #hash.md@b89q.md", None, None),
                ("facts/#hash.md #hash.md", None, handle()),
                ("", None, None),
            ],
        );
        assert_eq!(Address::parse("@mem123", &PathPrefixes::default()), Ok(Address::Id("mem123".into())));
    }

    #[test]
    fn a_shown_address_is_split_behind_the_name_of_its_file() {
        for (path, rest) in [
            ("facts/user.md", ""),
            ("facts/user.md", "@acvh"),
            ("facts/user.md", "#work"),
            ("C# tips.md", "@acvh"),
            ("bob@work.md", "#work"),
            ("a.md@b.md", ""),
            ("a.md@b.md", "@acvh"),
        ] {
            assert_eq!(split_shown_address(&format!("{path}{rest}")), (path, rest));
        }
    }

    #[test]
    fn a_path_as_it_is_listed_comes_before_one_below_the_data_directory() {
        let prefixes = PathPrefixes(vec!["/x/notes".into(), "./notes".into(), "notes".into()]);
        let first_file = |written: &str| {
            let Ok(Address::Readings(readings)) = Address::parse(written, &prefixes) else { panic!("{written}") };
            assert_ne!(readings.last().unwrap().files.first().unwrap().as_str(), "notes/plan.md", "{written}");
            readings[0].files.iter().map(|file| file.as_str()).collect::<Vec<_>>().join(" ")
        };
        for listed in ["notes/plan.md", "notes/plan"] {
            assert_eq!(first_file(listed), "notes/plan.md");
        }
        assert_eq!(first_file("notes/plan.md@b89q"), "notes/plan.md@b89q.md");
        for below in ["./notes/plan.md", "/x/notes/plan.md"] {
            assert_eq!(first_file(below), "facts/plan.md plan.md facts/plan.md");
        }
    }

    #[test]
    fn an_address_that_leaves_is_refused() {
        for bad in [
            "../x",
            "/etc/passwd",
            "a/../../x",
            "user@",
            "user#",
            "",
            "@",
            "#a",
            ".git/config",
            "user@a b",
            "user@.2",
            "user@2.2",
            "scopes/a/user",
        ] {
            assert_eq!(
                Address::parse(bad, &PathPrefixes::default()).map_err(|r| r.code),
                Err(Code::InvalidPath),
                "{bad}"
            );
        }
    }
}
