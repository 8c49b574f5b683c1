//! `edit`: a file in the caller's editor, without a lock, written back as a planned `write`.
//!
//! Never loses what was typed: on any refusal the edited copy stays, and its path is told.

use std::path::Path;

use super::change::told;
use super::gate::refusal;
use super::{Answer, Failure, How, Session, Verdict, change, read};
use crate::change::Etag;
use crate::code::{Code, Hint, Rejection};
use crate::commands::answer::Changed;
use crate::host::editor::Copy;
use crate::operation::whole::merged;
use crate::operation::{Action, Batch, Operation, Target};
use crate::path::MemoryPath;

/// Edits a file. `resume` goes on with a copy that was kept.
///
/// # Errors
/// What `read` and `change` answer; the edited copy is kept then.
pub fn edit(session: &Session, file: &str, resume: Option<&Path>, how: &How) -> Verdict {
    let (path, text, exists) = present(session, file)?;
    if session.store.held_back() {
        // What was left out could not be written back.
        return Err(refusal().into());
    }
    let name = path.rsplit('/').next().unwrap_or("memory.md");
    let copy = match resume {
        Some(kept) => Copy::kept(kept)?,
        None => Copy::fresh(name, &text)?,
    };
    let after = match copy.edited() {
        Ok(after) => after,
        Err(rejection) => return Err(keeping(rejection.into(), file, copy.path())),
    };
    let base = copy.opened().map(str::to_owned);
    if after == text || base.as_ref() == Some(&after) {
        copy.remove();
        return Ok(Answer::Changed(Changed::default()));
    }
    let opened = base.unwrap_or(text);
    let if_match = (exists || !opened.is_empty()).then(|| Etag::of(opened.as_bytes()).hex());
    match saved(session, file, &opened, after, if_match, how) {
        Ok(answer) => {
            if how.dry_run {
                return Ok(answer);
            }
            copy.remove();
            Ok(answer)
        }
        Err(failure) => Err(keeping(failure, file, copy.path())),
    }
}

/// How often a file may move on under an edit before it is told so.
const ROUNDS: usize = 5;

/// Writes the edited text; where the file moved on since it was opened, both changes, or a conflict that writes nothing.
fn saved(session: &Session, file: &str, opened: &str, after: String, mut proof: Option<String>, how: &How) -> Verdict {
    let (mut text, mut told_so) = (after.clone(), None);
    let mut rounds = 0;
    loop {
        let action = Action::Write { at: Target::Address(file.to_owned()), text: text.clone(), create: how.create };
        let operation = Operation { action, seen: None, if_match: proof.clone(), reason: None, source: None };
        let failure = match change(session, Batch { operations: vec![operation], ..Batch::default() }, how) {
            Ok(Answer::Changed(mut changed)) => {
                changed.warnings.extend(told_so);
                return Ok(Answer::Changed(changed));
            }
            Ok(answer) => return Ok(answer),
            Err(failure) => failure,
        };
        let moved_on = proof.is_some() && failure.rejections.first().is_some_and(|r| r.code == Code::Conflict);
        if !moved_on || rounds == ROUNDS {
            return Err(failure);
        }
        let Ok((path, now, true)) = present(session, file) else { return Err(failure) };
        rounds += 1;
        let (both, warning) = merged(&MemoryPath::new(&path)?, opened, &now, &after)?;
        (text, told_so) = (both, warning.as_ref().map(told));
        proof = Some(Etag::of(now.as_bytes()).hex());
    }
}

/// The file's path and text; an empty text where it does not exist yet.
fn present(session: &Session, file: &str) -> Result<(String, String, bool), Failure> {
    match read(session, file) {
        Ok(Answer::Text(text)) if text.section.is_none() && text.handle.is_none() => Ok((text.path, text.text, true)),
        Ok(_) => Err(Rejection::new(Code::Usage, "edit takes a whole file").into()),
        Err(failure) if failure.rejections.first().is_some_and(|r| r.code == Code::FileNotFound) => {
            may_be_made(&failure.rejections[0])?;
            Ok((format!("{}.md", file.trim_end_matches(".md")), String::new(), false))
        }
        Err(failure) => Err(failure),
    }
}

/// Refuses a name that no new file can have before somebody writes a text for it.
fn may_be_made(missing: &Rejection) -> Result<(), Rejection> {
    let path = missing.details.get("path").and_then(serde_json::Value::as_str);
    match path.and_then(|p| MemoryPath::found(p).ok()).and_then(|p| p.not_for_new().map(|why| (p, why))) {
        Some((path, why)) => Err(Rejection::new(Code::InvalidPath, format!("{path} is no name for a new file: {why}"))),
        None => Ok(()),
    }
}

/// Adds to a refusal where the copy is and how to go on.
fn keeping(mut failure: Failure, file: &str, copy: &Path) -> Failure {
    if let Some(first) = failure.rejections.first_mut() {
        let path = copy.to_string_lossy().into_owned();
        let told = format!("your text is kept in {path}");
        first.hint = Some(match first.hint.take() {
            Some(hint) => format!("{hint}; {told}"),
            None => told,
        });
        first.details.insert("kept".into(), path.clone().into());
        first.hints.push(Hint { verb: vec!["edit", "--resume"], address: vec![path, file.to_owned()] });
    }
    failure
}
