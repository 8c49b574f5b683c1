//! `resolve`: a file with conflict markers, merged again bullet by bullet; what is left is shown, or decided as asked.
//!
//! Never loses what a person wrote between or beside the markers, and never tells git that a file is merged.

use serde_json::json;

use super::answer::{Answer, Changed, ClashRow, LeftFile, Resolved, SideBullet};
use super::change::{answered, commit_loop};
use super::{Failure, How, Session, Verdict, look};
use crate::change::{Changeset, Version};
use crate::code::{Code, Rejection, Warning};
use crate::document::Document;
use crate::host::git::{Git, Unmerged};
use crate::operation::merge::{self, Labels, markers};
use crate::operation::regions::{self, Conflict, Take};
use crate::operation::{Batch, Snapshot, effects};
use crate::path::MemoryPath;
use crate::view::diff::unified;

/// The largest file, in bytes.
const WHOLE: usize = 64 * 1024 * 1024;

/// Merges files with conflict markers again; with `take`, decides what is left.
///
/// # Errors
/// `category_not_allowed` for a caller that may not see everything; what the address refuses; `conflict_markers` where only half a set of markers stands; as committing. What is left
/// is no error here: the door gives it its exit status.
pub fn resolve(session: &Session, address: Option<&str>, take: Option<Take>, how: &How) -> Verdict {
    session.may_write()?;
    session.store.unveiled()?;
    let asked = match address {
        Some(address) => Asked::One(look::named_by(session, address)?.path),
        None => Asked::All(marked(session)?),
    };
    if how.dry_run {
        let (changeset, seen) = settled(session, &asked, take)?;
        let diff = changeset.files.iter().zip(&seen.befores).map(|(file, before)| {
            let after = file.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes));
            unified(file.path.as_str(), Some(before), after.as_deref())
        });
        let diff = Some(diff.collect());
        let change = Changed { dry_run: true, diff, ..answered(&changeset, &Snapshot::new(), true) };
        return Ok(shown(change, seen));
    }
    let (locked, warnings) = session.store.lock()?;
    let batch = Batch { reason: how.reason.clone(), source: how.source.clone(), ..Batch::default() };
    let mut seen = Seen::default();
    let answer = commit_loop(session, &locked, &batch, warnings, || {
        let (changeset, now) = settled(session, &asked, take)?;
        seen = now;
        Ok((changeset, Snapshot::new()))
    })?;
    match answer {
        Answer::Changed(change) => Ok(shown(change, seen)),
        other => Ok(other),
    }
}

/// The files that are to be settled.
enum Asked {
    /// The one that was named.
    One(MemoryPath),
    /// All that hold conflict markers.
    All(Vec<MemoryPath>),
}

impl Asked {
    fn paths(&self) -> &[MemoryPath] {
        match self {
            Asked::One(path) => std::slice::from_ref(path),
            Asked::All(paths) => paths,
        }
    }

    /// Whether what git says of a path is to be told.
    fn covers(&self, path: &MemoryPath) -> bool {
        matches!(self, Asked::All(_)) || self.paths().contains(path)
    }
}

/// The files that hold conflict markers.
fn marked(session: &Session) -> Result<Vec<MemoryPath>, Rejection> {
    let files = session.store.walk(None)?;
    let each = session.store.each(&files, WHOLE, &|file, read| {
        let text = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok());
        text.and_then(regions::size).map(|_| file.path.clone())
    });
    Ok(each.into_iter().flatten().collect())
}

/// What is told beside the change.
#[derive(Default)]
struct Seen {
    befores: Vec<String>,
    left: Vec<LeftFile>,
    /// Files without markers that git holds for unmerged.
    add: Vec<String>,
}

/// What git has not merged, as far as there is a git.
struct Index {
    git: Option<Git>,
    unmerged: Vec<Unmerged>,
}

impl Index {
    fn read(session: &Session) -> Index {
        let git = Git::around(&session.dir);
        let unmerged = git.as_ref().and_then(|git| git.unmerged().ok()).unwrap_or_default();
        Index { git, unmerged }
    }

    fn of(&self, path: &MemoryPath) -> Option<&Unmerged> {
        self.unmerged.iter().find(|one| one.path == path.as_str())
    }

    /// The common ancestor, where the file is not merged yet.
    fn base(&self, path: &MemoryPath) -> Option<String> {
        let object = self.of(path)?.base.as_deref()?;
        let bytes = self.git.as_ref()?.contents(&[object]).ok()?.pop()?;
        String::from_utf8(bytes).ok()
    }
}

/// All files, settled as far as they can be.
fn settled(session: &Session, asked: &Asked, take: Option<Take>) -> Result<(Changeset, Seen), Failure> {
    let (mut changeset, mut seen) = (Changeset::default(), Seen::default());
    let index = Index::read(session);
    for path in asked.paths() {
        if let (Some(why), Asked::All(_)) = (path.odd(), asked) {
            changeset.warnings.push(Warning::new(Code::OddName, format!("{path} was left as it is: {why}")));
            continue;
        }
        let Some(now) = session.store.read(path)? else { continue };
        let text = String::from_utf8(now.bytes.to_vec())
            .map_err(|_| Rejection::new(Code::NotText, format!("{path} is not UTF-8 text")))?;
        let Some(one) = settle(&index, path, &text, take)? else {
            changeset.warnings.push(Warning::new(Code::Note, format!("{path} holds no conflict markers")));
            continue;
        };
        changeset.warnings.extend(one.unknown.then(|| {
            let why = "do not show what stood there before both sides, so nothing was merged again";
            let mend = "`git checkout --conflict=diff3` writes markers that do";
            Warning::new(Code::Note, format!("the markers in {path} {why}; {mend}"))
        }));
        if !one.left.is_empty() {
            seen.left.push(left(path, &one.left));
        }
        if one.text != text {
            let operation = match take {
                Some(take) => json!({"op": "resolve", "at": path.as_str(), "take": name(take)}),
                None => json!({"op": "resolve", "at": path.as_str()}),
            };
            changeset.operations.push(operation);
            let (before, after) = (Document::parse(one.before), Document::parse(one.after));
            changeset.effects.extend(effects::between(Some(&before), Some(&after), path, 0));
            let goal = Version::new(one.text.into_bytes(), now.mode);
            changeset.files.push(super::undo::change(path, Some(now), Some(goal)));
            seen.befores.push(text);
        }
    }
    told_of_git(session, &index, asked, &mut changeset, &mut seen);
    Ok((changeset, seen))
}

/// What git waits for: files whose conflicts are gone, and those that only one side still has.
fn told_of_git(session: &Session, index: &Index, asked: &Asked, changeset: &mut Changeset, seen: &mut Seen) {
    let below = session.below();
    for one in &index.unmerged {
        let Some(path) = MemoryPath::found(&one.path).ok().filter(|path| asked.covers(path)) else { continue };
        match (&one.ours, &one.theirs) {
            (Some(_), Some(_)) if plain(session, changeset, &path) => seen.add.push(format!("{below}{path}")),
            (Some(_), Some(_)) => {}
            (ours, _) => {
                let side = if ours.is_some() { "their" } else { "our" };
                let why = format!("{path} is gone on {side} side and was changed on the other");
                let mend = "`git add` keeps it, `git rm` does not";
                changeset.warnings.push(Warning::new(Code::Note, format!("{why}; {mend}")));
            }
        }
    }
}

/// Whether a file of the memory holds no markers, once the change is made.
fn plain(session: &Session, changeset: &Changeset, path: &MemoryPath) -> bool {
    let after = changeset.files.iter().find(|file| file.path == *path).and_then(|file| file.after.clone());
    let bytes = after.or_else(|| session.store.read(path).ok().flatten().map(|version| version.bytes));
    let text = bytes.and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
    path.as_str().ends_with(".md")
        && text.is_some_and(|t| regions::size(&t).is_none() && Document::parse(t).conflict_marker().is_none())
}

fn name(take: Take) -> &'static str {
    match take {
        Take::Ours => "ours",
        Take::Theirs => "theirs",
        Take::Both => "both",
    }
}

/// One file, settled.
struct One {
    /// The new text.
    text: String,
    /// Our side before and after: what is told as the change.
    before: String,
    after: String,
    /// What is left.
    left: Vec<Conflict>,
    /// Whether the common ancestor is known to nobody.
    unknown: bool,
}

/// Merges a text with markers again; `None` where it has none.
///
/// Both sides are read from the markers, not from git's index: what a person has written since stands in both.
fn settle(index: &Index, path: &MemoryPath, text: &str, take: Option<Take>) -> Result<Option<One>, Rejection> {
    let Some(size) = regions::size(text) else {
        return match Document::parse(text).conflict_marker() {
            None => Ok(None),
            Some(line) => Err(Rejection::new(
                Code::ConflictMarkers,
                format!("the markers in {path} from line {line} on are no whole sets"),
            )
            .hint("mend them by hand")),
        };
    };
    let Some(sides) = markers::sides(text, size) else { return Ok(None) };
    // The base that the markers show belongs to the sides they show: what was merged around them is no change of both.
    let base = sides.base.clone().or_else(|| staged(index, path, text));
    let [base_label, ours_label, theirs_label] = regions::labels(text, size);
    let known = |label: &'static str, found: String| if found.is_empty() { label.to_owned() } else { found };
    let names = [known("base", base_label), known("ours", ours_label), known("theirs", theirs_label)];
    let labels = Labels { base: &names[0], ours: &names[1], theirs: &names[2], size };
    let merged = match &base {
        Some(base) => merge::merge(base, &sides.ours, &sides.theirs, &labels).text,
        None => text.to_owned(),
    };
    let text = match take {
        Some(take) => regions::take(&merged, size, take),
        None => merged,
    };
    let left = regions::conflicts(&text, size);
    let after = regions::take(&text, size, Take::Ours);
    Ok(Some(One { before: sides.ours, after, left, unknown: base.is_none() && take.is_none(), text }))
}

/// The common ancestor as git's index has it, where git has not merged the file yet.
fn staged(index: &Index, path: &MemoryPath, text: &str) -> Option<String> {
    let base = index.base(path).filter(|base| regions::size(base).is_none())?;
    // git may have turned the line ends of the work tree.
    match text.contains("\r\n") && !base.contains('\r') {
        true => Some(base.replace('\n', "\r\n")),
        false => Some(base),
    }
}

/// The conflicts of a file, each with the bullets of its sides.
pub(super) fn left(path: &MemoryPath, conflicts: &[Conflict]) -> LeftFile {
    let row = |conflict: &Conflict| ClashRow {
        line: conflict.line,
        bullets: [
            ("base", conflict.base.as_deref()),
            ("ours", Some(&conflict.ours)),
            ("theirs", Some(&conflict.theirs)),
        ]
        .into_iter()
        .filter_map(|(side, text)| Some((side, Document::parse(text?))))
        .flat_map(|(side, document)| side_bullets(side, &document))
        .collect(),
        base: conflict.base.clone(),
        ours: conflict.ours.clone(),
        theirs: conflict.theirs.clone(),
    };
    LeftFile { path: path.to_string(), conflicts: conflicts.iter().map(row).collect() }
}

fn side_bullets(side: &'static str, document: &Document) -> Vec<SideBullet> {
    let one = |i| SideBullet { side, handle: document.handle_name(i), text: document.bullet_text(i).into_owned() };
    (0..document.bullets().len()).map(one).collect()
}

fn shown(change: Changed, seen: Seen) -> Answer {
    Answer::Resolved(Resolved { change, left: seen.left, add: seen.add })
}
