//! Addresses of files, sections and bullets (DESIGN 3): shorthand is a rule, never a search.
//!
//! Never asks whether a file exists: it says which ones may be meant, in order.

use super::grammar::escape;
use super::{FOLDERS, MemoryPath, invalid};
use crate::code::{Code, Rejection};

/// How the data dir itself may be written in front of a path, so that a pasted path works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefixes(pub Vec<String>);

impl Prefixes {
    /// Takes the longest fitting prefix off (and a leading `./`).
    pub fn strip<'a>(&self, text: &'a str) -> &'a str {
        let fits = |p: &String| text.strip_prefix(p.trim_end_matches('/'))?.strip_prefix('/');
        let rest = self.0.iter().filter(|p| !p.is_empty()).filter_map(fits).min_by_key(|r| r.len()).unwrap_or(text);
        rest.trim_start_matches("./")
    }
}

/// Which bullet of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BulletRef {
    /// A handle or an explicit id.
    Name(String),
    /// The n-th bullet, from 1.
    Nth(usize),
}

/// One way to read an address: a file, perhaps a section, perhaps a bullet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The files it may mean, in order of preference. The first that exists is meant; if none does, the last.
    pub files: Vec<MemoryPath>,
    /// After `#`: a slug, an id, or a path of slugs.
    pub section: Option<String>,
    /// After `@`.
    pub bullet: Option<BulletRef>,
}

/// What somebody wrote to name a file, a section or a bullet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `@mem123`: an id, looked up in every file.
    Bare(String),
    /// Everything else: readings in order. One whose file exists wins; the last is what is meant if none does.
    In(Vec<Reading>),
}

impl Address {
    /// Reads an address (DESIGN 3). Shorthand is a rule, never a search.
    ///
    /// # Errors
    /// `invalid_path` when no reading is a safe path.
    pub fn parse(written: &str, prefixes: &Prefixes) -> Result<Address, Rejection> {
        if let Some(id) = written.strip_prefix('@').filter(|id| is_id(id)) {
            return Ok(Address::Bare(id.to_owned()));
        }
        let text = prefixes.strip(written);
        let mut readings = Vec::new();
        if text.contains(['@', '#'])
            && let Ok(files) = files(text, true)
        {
            readings.push(Reading { files, section: None, bullet: None });
        }
        let (rest, bullet) = match text.rsplit_once('@').map(|(rest, name)| (rest, bullet_ref(written, name))) {
            Some((rest, Ok(bullet))) => (rest, Some(bullet)),
            // `facts/lunch@noon.md`: no bullet has such a name, but a file may.
            Some(_) if text.ends_with(".md") && !readings.is_empty() => return Ok(Address::In(readings)),
            Some((_, Err(refused))) => return Err(refused),
            None => (text, None),
        };
        let (file, section) = match rest.split_once('#') {
            Some((_, "")) => return Err(invalid(written, "nothing follows the '#'")),
            Some((file, section)) => (file, Some(section.to_owned())),
            None => (rest, None),
        };
        readings.push(Reading { files: files(file, false)?, section, bullet });
        Ok(Address::In(readings))
    }
}

/// Whether a text can be an explicit id.
pub fn is_id(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && (2..=64).contains(&text.len())
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn bullet_ref(written: &str, name: &str) -> Result<BulletRef, Rejection> {
    if name.is_empty() {
        return Err(invalid(written, "nothing follows the '@'"));
    }
    if name.bytes().all(|b| b.is_ascii_digit()) {
        let n = name.parse().map_err(|_| Rejection::new(Code::BulletNotFound, "no file has that many bullets"))?;
        return Ok(BulletRef::Nth(n));
    }
    match name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') && name.len() <= 64 {
        true => Ok(BulletRef::Name(name.to_owned())),
        false => Err(invalid(written, "what follows the '@' is neither a handle, an id nor a number")),
    }
}

/// The files a name may mean. `whole` drops the fall-back: such a file must exist.
fn files(name: &str, whole: bool) -> Result<Vec<MemoryPath>, Rejection> {
    if let Some(why) = escape(name) {
        return Err(invalid(name, why));
    }
    let text = if name.ends_with(".md") { name.to_owned() } else { format!("{name}.md") };
    let found = |text: &str| MemoryPath::found(text).map_err(|why| invalid(text, why));
    if text.split_once('/').is_some_and(|(folder, _)| FOLDERS.contains(&folder)) {
        return Ok(vec![found(&text)?]);
    }
    if is_episode(text.strip_suffix(".md").unwrap_or(&text)) {
        return Ok(vec![found(&format!("episodes/{text}"))?]);
    }
    let fact = found(&format!("facts/{text}"))?;
    let mut all = vec![fact.clone(), found(&text)?];
    if !whole {
        all.push(fact);
    }
    Ok(all)
}

/// `YYYY-MM` or `YYYY-Www`.
pub fn is_episode(stem: &str) -> bool {
    let b = stem.as_bytes();
    let digits = |r: std::ops::Range<usize>| b.get(r).is_some_and(|s| s.iter().all(u8::is_ascii_digit));
    match b.len() {
        7 => digits(0..4) && b[4] == b'-' && digits(5..7) && (1..=12).contains(&stem[5..7].parse::<u8>().unwrap_or(0)),
        8 => {
            digits(0..4)
                && &b[4..6] == b"-W"
                && digits(6..8)
                && (1..=53).contains(&stem[6..8].parse::<u8>().unwrap_or(0))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(written: &str, expected: &[(&str, Option<&str>, Option<BulletRef>)]) {
        let prefixes = Prefixes(vec!["/home/x/memory".into(), "memory".into()]);
        let Address::In(readings) = Address::parse(written, &prefixes).unwrap() else { panic!("bare") };
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
        reads("memory/facts/user.md", &[("facts/user.md", None, None)]);
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
            &[("facts/user#work@2.md user#work@2.md", None, None), (user, Some("work"), Some(BulletRef::Nth(2)))],
        );
        reads("facts/lunch@noon.md", &[("facts/lunch@noon.md", None, None)]);
        reads("2026-02.md.md", &[("facts/2026-02.md.md 2026-02.md.md facts/2026-02.md.md", None, None)]);
        assert_eq!(Address::parse("@mem123", &Prefixes::default()), Ok(Address::Bare("mem123".into())));
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
            "scopes/a/user",
        ] {
            assert_eq!(Address::parse(bad, &Prefixes::default()).map_err(|r| r.code), Err(Code::InvalidPath), "{bad}");
        }
    }
}
