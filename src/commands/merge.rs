//! `merge` and `merge-driver`: three files in, one text out, for git, jj and scripts.
//!
//! Never looks for a data dir: it knows the three files it was given and nothing else.

use std::path::{Path, PathBuf};

use super::Verdict;
use super::answer::{Answer, ClashRow, Merged};
use crate::code::{Code, Rejection};
use crate::host::git::Git;
use crate::host::texts;
use crate::operation::merge::{self, Clash, Labels};

/// Three files and how a conflict between them is written.
#[derive(Clone, Debug)]
pub struct Three {
    /// The common ancestor; an empty file where there is none.
    pub base: PathBuf,
    /// Our side; the driver puts its result here.
    pub ours: PathBuf,
    /// Their side.
    pub theirs: PathBuf,
    /// Characters a marker is long.
    pub size: usize,
    /// Names behind the markers: base, ours, theirs.
    pub labels: [String; 3],
}

impl Three {
    fn labels(&self) -> Labels<'_> {
        let [base, ours, theirs] = &self.labels;
        Labels { base, ours, theirs, size: self.size }
    }

    fn read(&self) -> Result<[Vec<u8>; 3], Rejection> {
        Ok([texts::read(&self.base)?, texts::read(&self.ours)?, texts::read(&self.theirs)?])
    }
}

/// What git's merge driver ends with: 0 merged, 1 conflicts, over 128 not done (git reports it and stops).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driven {
    /// The exit status.
    pub status: u8,
    /// What a person should read, if anything.
    pub said: Option<String>,
}

/// The status of a merge that could not be done: git neither takes it for merged nor for an ordinary conflict.
pub const NOT_DONE: u8 = 129;

/// Merges three files into the one that holds our side (git's contract, gitattributes(5)).
pub fn drive(three: &Three) -> Driven {
    driven(three).unwrap_or_else(|why| Driven { status: NOT_DONE, said: Some(why.to_string()) })
}

fn driven(three: &Three) -> Result<Driven, Rejection> {
    let [base, ours, theirs] = match three.read() {
        Err(why) if why.code == Code::TooLarge => return by_lines(three),
        read => read?,
    };
    let (bytes, conflicts) = match [&base, &ours, &theirs].map(|bytes| text(bytes)) {
        [Some(base), Some(ours), Some(theirs)] => {
            let merged = merge::merge(base, ours, theirs, &three.labels());
            (merged.text.into_bytes(), !merged.clashes.is_empty())
        }
        _ => match plain(three, [&base, &ours, &theirs])? {
            Some(done) => done,
            None => return Ok(binary()),
        },
    };
    if bytes != ours {
        texts::replace(&three.ours, &bytes)?;
    }
    Ok(Driven { status: u8::from(conflicts), said: None })
}

/// Text as a memory understands it.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// What is no UTF-8 is merged as bytes: a side that changed nothing gives way, else git's own line merge decides.
fn plain(three: &Three, [base, ours, theirs]: [&[u8]; 3]) -> Result<Option<(Vec<u8>, bool)>, Rejection> {
    if ours == theirs || base == theirs {
        return Ok(Some((ours.to_vec(), false)));
    }
    if base == ours {
        return Ok(Some((theirs.to_vec(), false)));
    }
    lines(three)
}

/// git's own line merge.
fn lines(three: &Three) -> Result<Option<(Vec<u8>, bool)>, Rejection> {
    let [base, ours, theirs] = &three.labels;
    Git::at(Path::new(".")).merge_file([&three.base, &three.ours, &three.theirs], [base, ours, theirs], three.size)
}

/// Files that are too large to be a memory's go by lines, as they would without a driver.
fn by_lines(three: &Three) -> Result<Driven, Rejection> {
    let Some((bytes, conflicts)) = lines(three)? else { return Ok(binary()) };
    texts::replace(&three.ours, &bytes)?;
    Ok(Driven { status: u8::from(conflicts), said: None })
}

/// As git itself does with binary files.
fn binary() -> Driven {
    let said = "memdir: a side holds NULs: it is no text; our side was kept, decide by hand".to_owned();
    Driven { status: 1, said: Some(said) }
}

/// Merges three files and answers the text; with `out`, it is written there as well.
///
/// # Errors
/// `file_not_found`, `not_text`, `io`. Conflicts are no error here: the door gives them their exit status.
pub fn merge(three: &Three, out: Option<&Path>) -> Verdict {
    let sides = three.read()?;
    let names = [&three.base, &three.ours, &three.theirs];
    let mut read = names.iter().zip(&sides).map(|(name, bytes)| {
        text(bytes).ok_or_else(|| Rejection::new(Code::NotText, format!("'{}' is no UTF-8 text", name.display())))
    });
    let mut next = || read.next().unwrap_or(Ok(""));
    let (base, ours, theirs) = (next()?, next()?, next()?);
    let merged = merge::merge(base, ours, theirs, &three.labels());
    let out = out.filter(|path| path.as_os_str() != "-");
    if let Some(out) = out {
        texts::replace(out, merged.text.as_bytes())?;
    }
    Ok(Answer::Merged(Merged {
        clean: merged.clashes.is_empty(),
        clashes: merged.clashes.iter().map(row).collect(),
        text: merged.text,
        out: out.map(|path| path.display().to_string()),
    }))
}

fn row(clash: &Clash) -> ClashRow {
    let Clash { line, base, ours, theirs } = clash.clone();
    ClashRow { line, base: Some(base), ours, theirs, bullets: Vec::new() }
}
