//! What is named, and that it cannot leave the data dir: `MemoryPath` and `Address`.
//!
//! Pure: looks at names only, never at a disk. The kernel's sandbox stands behind it (`store/root.rs`).

use std::fmt;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::code::{Code, Rejection};

/// The longest component, in bytes.
const COMPONENT: usize = 200;
/// The longest component that a file system holds, in bytes.
const NAME_MAX: usize = 255;
/// The longest path, in bytes.
const WHOLE: usize = 1024;
/// The deepest path, in components.
const DEPTH: usize = 8;

/// The folders with a meaning of their own.
pub const FOLDERS: [&str; 5] = ["facts", "episodes", "procedures", "inbox", "archive"];

/// A relative path of a markdown file that stays below the data dir, whatever it names.
///
/// One in hand is safe to hand to the kernel. It is *odd* when it lies outside the path grammar: such files are
/// people's; they can be read and listed, never written.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryPath {
    text: String,
    odd: Option<&'static str>,
}

impl MemoryPath {
    /// Reads a path by the grammar.
    ///
    /// # Errors
    /// `invalid_path`, with the reason.
    pub fn new(text: &str) -> Result<MemoryPath, Rejection> {
        match MemoryPath::found(text) {
            Ok(path) => match path.odd {
                None => Ok(path),
                Some(why) => Err(invalid(text, why)),
            },
            Err(why) => Err(invalid(text, why)),
        }
    }

    /// Reads a name that a directory holds: anything that cannot leave it, odd or not.
    ///
    /// # Errors
    /// Why it must not be opened at all.
    pub fn found(text: &str) -> Result<MemoryPath, &'static str> {
        escape(text).map_or(Ok(()), Err)?;
        Ok(MemoryPath { text: text.to_owned(), odd: oddity(text) })
    }

    /// The path with `/` between components.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Why this name lies outside the grammar, if it does.
    pub fn odd(&self) -> Option<&'static str> {
        self.odd
    }

    /// Why a new file must not get this name, if so: `# ^ [ ] @` would be read as parts of an address or a link.
    pub fn not_for_new(&self) -> Option<&'static str> {
        match self.text.contains(['#', '^', '[', ']', '@']) {
            true => Some("a new name must not hold any of # ^ [ ] @"),
            false => self.odd,
        }
    }

    /// The first component, when there are several: `facts` of `facts/user.md`.
    pub fn folder(&self) -> Option<&str> {
        self.text.split_once('/').map(|(folder, _)| folder)
    }

    /// Everything before the last `/`; empty at the top.
    pub fn parent(&self) -> &str {
        self.text.rsplit_once('/').map_or("", |(parent, _)| parent)
    }

    /// The last component without `.md`.
    pub fn stem(&self) -> &str {
        let name = self.text.rsplit_once('/').map_or(&*self.text, |(_, name)| name);
        name.strip_suffix(".md").unwrap_or(name)
    }

    /// The name as it is compared between files that must not stand side by side: NFC, case folded.
    pub fn folded(&self) -> String {
        self.text.nfc().flat_map(char::to_lowercase).collect()
    }

    /// The same path below another folder: `archive/facts/user.md`.
    ///
    /// # Errors
    /// `invalid_path` where it would be too long or too deep.
    pub fn below(&self, folder: &str) -> Result<MemoryPath, Rejection> {
        MemoryPath::new(&format!("{folder}/{}", self.text))
    }
}

impl fmt::Display for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The refusal of a name. It shows the name escaped and cut, because it may be hostile.
fn invalid(text: &str, why: &str) -> Rejection {
    let shown: String = text.chars().take(80).flat_map(char::escape_debug).collect();
    Rejection::new(Code::InvalidPath, format!("'{shown}' is no memory path: {why}"))
        .hint("a memory path is relative and ends in .md, like facts/user.md")
}

/// Why a name must never reach the kernel.
fn escape(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("it is empty");
    }
    if text.len() > 4 * WHOLE {
        return Some("it is too long");
    }
    if text.starts_with('/') {
        return Some("it is absolute, and not below this data dir");
    }
    if text.contains('\0') {
        return Some("it holds a NUL");
    }
    for part in text.split('/') {
        match part {
            "" => return Some("a component is empty"),
            "." | ".." => return Some("'.' and '..' are no components"),
            _ if part.starts_with('.') => return Some("hidden names are reserved"),
            _ if part.len() > NAME_MAX => return Some("a component is longer than any file system allows"),
            _ => {}
        }
    }
    match text.split('/').next() {
        Some(first) if first.eq_ignore_ascii_case("scopes") && text.contains('/') => {
            Some("a scope is a data dir of its own: use -C scopes/NAME")
        }
        _ => None,
    }
}

/// Why a name lies outside the grammar.
fn oddity(text: &str) -> Option<&'static str> {
    if text.len() > WHOLE {
        return Some("it is longer than 1,024 bytes");
    }
    if text.split('/').count() > DEPTH {
        return Some("it is deeper than 8 components");
    }
    if !text.ends_with(".md") {
        return Some("it does not end in .md");
    }
    if is_everyday(text) {
        return None;
    }
    if let Some(why) = text.chars().find_map(odd_char) {
        return Some(why);
    }
    if !text.is_ascii() && !is_nfc(text) {
        return Some("it is not in Unicode's normal form C");
    }
    text.split('/').find_map(odd_component)
}

/// Names that need no closer look, and nearly all are: a listing asks this of every file.
fn is_everyday(text: &str) -> bool {
    let plain = |b: u8| matches!(b, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-');
    let fits = |part: &str| {
        let name = part.strip_suffix(".md").unwrap_or(part);
        // Device names have three or four letters.
        (5..=COMPONENT - 3).contains(&name.len()) && !name.starts_with('-') && name.bytes().all(plain)
    };
    text.split('/').all(fits)
}

/// Characters that shells, other systems or readers would take for something else.
fn odd_char(c: char) -> Option<&'static str> {
    match c {
        '\\' | ':' | '<' | '>' | '"' | '|' | '?' | '*' | '%' | '$' | '`' => {
            Some("it holds one of \\ : < > \" | ? * % $ `")
        }
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => Some("it holds a control character"),
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{ffff}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Some("it holds an invisible or direction-changing character"),
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            Some("it holds a space that is not the plain one")
        }
        '\u{2024}'..='\u{2026}'
        | '\u{2044}'
        | '\u{2215}'
        | '\u{2216}'
        | '\u{2236}'
        | '\u{2571}'
        | '\u{2572}'
        | '\u{27cb}'
        | '\u{27cd}'
        | '\u{29f5}'
        | '\u{29f8}'
        | '\u{29f9}'
        | '\u{a789}'
        | '\u{fe10}'..='\u{fe19}'
        | '\u{fe30}'
        | '\u{fe50}'..='\u{fe6b}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff65}' => Some("it holds a character that looks like punctuation of a path"),
        _ => None,
    }
}

fn odd_component(part: &str) -> Option<&'static str> {
    if part.len() > COMPONENT {
        return Some("a component is longer than 200 bytes");
    }
    if part.starts_with(['-', '~', ' ']) {
        return Some("a component starts with '-', '~' or a space");
    }
    if part.starts_with(is_combining_mark) {
        return Some("a component starts with a mark that joins the '/' before it");
    }
    let name = part.strip_suffix(".md").unwrap_or(part);
    if name.is_empty() || part.ends_with(['.', ' ']) || name.ends_with(['.', ' ']) {
        return Some("a component is empty or ends in a dot or a space");
    }
    let base = part.split('.').next().unwrap_or(part).trim_end().to_lowercase();
    if is_device(&base) {
        return Some("a component is a device name on Windows");
    }
    is_short(&base).then_some("a component is another name of .git or .memdir on Windows")
}

/// The 8.3 names that Windows gives the hidden folders: `GIT~1`, `MEMDIR~1`.
fn is_short(base: &str) -> bool {
    let n = base.strip_prefix("git~").or_else(|| base.strip_prefix("memdir~"));
    n.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn is_device(base: &str) -> bool {
    if matches!(base, "con" | "prn" | "aux" | "nul") {
        return true;
    }
    let digit = base.strip_prefix("com").or_else(|| base.strip_prefix("lpt"));
    digit.is_some_and(|d| d.chars().count() == 1 && d.chars().all(|c| matches!(c, '0'..='9' | '¹' | '²' | '³')))
}

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

    fn check(name: &str, refused: Option<&str>) {
        let why = MemoryPath::new(name).err().map(|r| r.message);
        match refused {
            None => assert_eq!(why, None, "{name}"),
            Some(part) => assert!(why.as_deref().is_some_and(|w| w.contains(part)), "{name}: {why:?}"),
        }
    }

    #[test]
    fn the_grammar_takes_plain_names_and_says_why_not() {
        for good in
            ["facts/user.md", "a.md", "facts/项目.md", "facts/a b.md", "facts/café.md", "v1.2/x.y.md", "facts/com10.md"]
        {
            check(good, None);
        }
        for (bad, why) in [
            ("", "empty"),
            ("/etc/passwd.md", "absolute"),
            ("facts//a.md", "empty"),
            ("facts/../a.md", "'..'"),
            ("./a.md", "'.'"),
            (".memdir/journal.md", "hidden"),
            ("scopes/x/facts/a.md", "-C"),
            ("facts/a", ".md"),
            ("facts/-a.md", "starts"),
            ("facts/~a.md", "starts"),
            ("facts/a .md", "ends"),
            ("facts/a./b.md", "ends"),
            ("facts/.md", "hidden"),
            ("facts/a\\b.md", "one of"),
            ("C:a.md", "one of"),
            ("facts/a\u{202e}b.md", "invisible"),
            ("facts/a\u{200b}.md", "invisible"),
            ("facts/a\u{ff0f}b.md", "looks like"),
            ("facts/cafe\u{301}.md", "normal form"),
            ("facts/NUL.md", "device"),
            ("facts/com¹.x.md", "device"),
            ("git~1/a.md", ".git"),
            ("memdir~1/a.md", ".memdir"),
            ("Scopes/x/a.md", "-C"),
            ("facts/\u{338}a.md", "mark"),
            ("facts/a\u{2800}b.md", "invisible"),
            ("facts/a\u{a789}b.md", "looks like"),
            ("a/b/c/d/e/f/g/h/i.md", "deeper"),
            ("facts/a\nb.md", "control"),
        ] {
            check(bad, Some(why));
        }
        check(&format!("facts/{}.md", "a".repeat(198)), Some("longer"));
    }

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
