//! `resolve`: a file with conflict markers, merged again bullet by bullet; what is left is shown, or decided as asked.
//!
//! Never loses what a person wrote between or beside the markers, and never tells git that a file is merged.

use serde_json::json;

use super::answer::{Answer, Changed, ClashRow, LeftFile, Resolved, SideBullet};
use super::change::{answered, commit_loop};
use super::fetch::is_aside;
use super::{Failure, How, Session, Verdict, look};
use crate::change::{Changeset, Version};
use crate::code::{Code, Rejection, Warning};
use crate::document::Document;
use crate::host::git::Git;
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
/// What the address refuses; `conflict_markers` where only half a set of markers stands; as committing. What is left
/// is no error here: the door gives it its exit status.
pub fn resolve(session: &Session, address: Option<&str>, take: Option<Take>, how: &How) -> Verdict {
    session.may_write()?;
    let named = address.map(|address| look::named_by(session, address).map(|named| named.path)).transpose()?;
    let paths = match named {
        Some(path) => vec![path],
        None => marked(session)?,
    };
    if how.dry_run {
        let (changeset, seen) = settled(session, &paths, take)?;
        let diff = changeset.files.iter().zip(&seen.befores).map(|(file, before)| {
            let after = file.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes));
            unified(file.path.as_str(), Some(before), after.as_deref())
        });
        let diff = Some(diff.collect());
        let change = Changed { dry_run: true, diff, ..answered(&changeset, &Snapshot::new(), true) };
        return Ok(shown(session, change, seen));
    }
    let (locked, warnings) = session.store.lock()?;
    let batch = Batch { reason: how.reason.clone(), source: how.source.clone(), ..Batch::default() };
    let mut seen = Seen::default();
    let answer = commit_loop(session, &locked, &batch, warnings, || {
        let (changeset, now) = settled(session, &paths, take)?;
        seen = now;
        Ok((changeset, Snapshot::new()))
    })?;
    match answer {
        Answer::Changed(change) => Ok(shown(session, change, seen)),
        other => Ok(other),
    }
}

/// The files that hold conflict markers.
fn marked(session: &Session) -> Result<Vec<MemoryPath>, Rejection> {
    let mut files = session.store.walk(None)?;
    files.retain(|file| !is_aside(&file.path));
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
    clean: Vec<MemoryPath>,
}

/// All files, settled as far as they can be.
fn settled(session: &Session, paths: &[MemoryPath], take: Option<Take>) -> Result<(Changeset, Seen), Failure> {
    let (mut changeset, mut seen) = (Changeset::default(), Seen::default());
    let git = Git::around(&session.dir);
    for path in paths {
        let Some(now) = session.store.read(path)? else { continue };
        let text = String::from_utf8(now.bytes.to_vec())
            .map_err(|_| Rejection::new(Code::NotText, format!("{path} is not UTF-8 text")))?;
        let Some(one) = settle(git.as_ref(), path, &text, take)? else {
            changeset.warnings.push(Warning::new(Code::Note, format!("{path} holds no conflict markers")));
            continue;
        };
        changeset.warnings.extend(one.unknown.then(|| {
            let why = "do not show what stood there before both sides, so nothing was merged again";
            let mend = "`git checkout --conflict=diff3` writes markers that do";
            Warning::new(Code::Note, format!("the markers in {path} {why}; {mend}"))
        }));
        match one.left.is_empty() {
            true => seen.clean.push(path.clone()),
            false => seen.left.push(left(path, &one.left)),
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
    Ok((changeset, seen))
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
fn settle(git: Option<&Git>, path: &MemoryPath, text: &str, take: Option<Take>) -> Result<Option<One>, Rejection> {
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
    let base = sides.base.clone().or_else(|| staged(git, path, text));
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
fn staged(git: Option<&Git>, path: &MemoryPath, text: &str) -> Option<String> {
    let [base, _, _] = git?.stages(path.as_str()).ok()??;
    let base = String::from_utf8(base?).ok().filter(|base| regions::size(base).is_none())?;
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

fn shown(session: &Session, change: Changed, seen: Seen) -> Answer {
    let git = Git::around(&session.dir);
    let unmerged = |path: &MemoryPath| git.as_ref().and_then(|g| g.stages(path.as_str()).ok()).flatten().is_some();
    let below = session.below();
    let add = seen.clean.iter().filter(|path| unmerged(path)).map(|path| format!("{below}{path}")).collect();
    Answer::Resolved(Resolved { change, left: seen.left, add })
}
