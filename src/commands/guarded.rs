//! Changes by an agent that may not see everything: they are planned on what it sees, and made on what there is.
//!
//! Never changes, and never tells of, what is left out: where the two plans differ, nothing is done.

use super::change::{answered, commit_loop, planned, repeated, shown};
use super::gate::{beyond, refusal};
use super::{Answer, Failure, How, Session, Verdict};
use crate::change::{Changeset, Effect, Entry, FileChange, Sign};
use crate::code::{Rejection, Warning};
use crate::document::{Document, Sight};
use crate::operation::{Action, Batch, Snapshot};
use crate::path::MemoryPath;
use crate::store::Side;

/// Makes a change as [`super::change`] does, for the agent whose sight this is.
///
/// # Errors
/// `category_not_allowed` for what reaches further than the agent sees; else what planning on what it sees refuses.
pub(super) fn change(session: &Session, sight: &Sight, batch: &Batch, how: &How) -> Verdict {
    // Forgetting looks through every file and all of history.
    let forgets = |action: &Action| matches!(action, Action::Remove { forget: true, .. });
    if batch.operations.iter().any(|op| forgets(&op.action)) {
        return Err(refusal().into());
    }
    let bare = session.bare();
    if how.dry_run {
        let both = both(session, &bare, sight, batch, how)?;
        let etags = answered(&both.made, &both.all, true).files;
        let mut answer = shown(&both.planned, &both.seen);
        for file in &mut answer.files {
            file.etag = etags.iter().find(|f| f.path == file.path).and_then(|f| f.etag.clone());
        }
        return Ok(Answer::Changed(answer));
    }
    let (locked, warnings) = bare.store.lock()?;
    if let Some(request) = batch.request.as_deref()
        && let Some((first, actor)) = repeated(&bare, request)?
    {
        return if actor == session.actor { Ok(first) } else { Err(refusal().into()) };
    }
    commit_loop(&bare, &locked, batch, discreet(&warnings), || {
        let both = both(session, &bare, sight, batch, how)?;
        Ok((both.made, both.all))
    })
}

/// A change planned twice.
struct Both {
    /// On what the agent sees.
    planned: Changeset,
    seen: Snapshot,
    /// On what there is, told as the other one.
    made: Changeset,
    all: Snapshot,
}

fn both(session: &Session, bare: &Session, sight: &Sight, batch: &Batch, how: &How) -> Result<Both, Failure> {
    let (mut seen, mut all) = (Snapshot::new(), Snapshot::new());
    let first = planned(session, &mut seen, &batch.operations, how);
    let second = planned(bare, &mut all, &batch.operations, how);
    let (planned, made) = alike(sight, first, second, &all)?;
    Ok(Both { planned, seen, made, all })
}

/// Two plans of one batch, on what an agent sees and on what there is (`all`), if they do the same and touch nothing
/// that it does not see: the second told as the first.
///
/// # Errors
/// `category_not_allowed`; else what planning on what it sees refuses.
pub(super) fn alike(
    sight: &Sight,
    seen: Result<Changeset, Failure>,
    whole: Result<Changeset, Failure>,
    all: &Snapshot,
) -> Result<(Changeset, Changeset), Failure> {
    let (planned, mut made) = match (seen, whole) {
        (Ok(planned), Ok(made)) => (planned, made),
        (Err(refused), Ok(_)) => return Err(beyond(refused, true)),
        (Err(refused), Err(full)) => {
            let codes = |f: &Failure| f.rejections.iter().map(|r| r.code).collect::<Vec<_>>();
            let differ = codes(&refused) != codes(&full);
            return Err(beyond(refused, differ));
        }
        (Ok(_), Err(_)) => return Err(refusal().into()),
    };
    let alike = paths(&planned) == paths(&made) && same(&planned.effects, &made.effects);
    if !alike || made.files.iter().any(|file| touches(sight, file, all)) {
        return Err(refusal().into());
    }
    made.effects.clone_from(&planned.effects);
    made.warnings.clone_from(&planned.warnings);
    Ok((planned, made))
}

fn paths(changeset: &Changeset) -> Vec<&MemoryPath> {
    let mut paths: Vec<&MemoryPath> = changeset.files.iter().map(|file| &file.path).collect();
    paths.sort();
    paths
}

/// Whether two plans say the same; handles and ids may be cut differently.
fn same(one: &[Effect], other: &[Effect]) -> bool {
    type Told<'e> = (&'e MemoryPath, Sign, &'e str, Option<&'e str>, Option<&'e str>, usize);
    fn told(e: &Effect) -> Told<'_> {
        (&e.path, e.sign, &e.text, e.section.as_deref(), e.to.as_deref(), e.operation)
    }
    one.iter().map(told).eq(other.iter().map(told))
}

/// Whether a change of a file touches what the agent may not see, or makes such a thing.
fn touches(sight: &Sight, file: &FileChange, all: &Snapshot) -> bool {
    let after = match &file.after {
        Some(bytes) => match Document::read(bytes.to_vec()) {
            Ok(document) => Some(document),
            Err(_) => return true,
        },
        None => None,
    };
    let before = all.file(&file.path).ok().flatten().map(|loaded| &loaded.document);
    let kept = |document: Option<&Document>| -> Vec<String> {
        document.map_or(Vec::new(), |d| sight.kept(d, &file.path).into_iter().map(str::to_owned).collect())
    };
    kept(before) != kept(after.as_ref())
}

/// Warnings that somebody else's commands left behind: what happened, not to what.
pub(super) fn discreet(warnings: &[Warning]) -> Vec<Warning> {
    warnings.iter().map(|w| Warning::new(w.code, w.code.meaning().trim_end_matches('.').to_lowercase())).collect()
}

/// Whether an agent may turn a revision back or make it again: everything that it touched is shown to it whole, as it
/// was and as it is.
///
/// # Errors
/// `category_not_allowed`.
pub(super) fn whole(session: &Session, bare: &Session, entry: &Entry) -> Result<(), Rejection> {
    for file in &entry.files {
        let now = session.store.read(&file.path)? == bare.store.read(&file.path)?;
        let then = [(Side::Before, file.before), (Side::After, file.after)].into_iter().all(|(side, etag)| {
            let text = |s: &Session| s.store.text(entry.rev, &file.path, side).ok().flatten();
            etag.is_none() || text(session).is_some_and(|seen| Some(seen) == text(bare))
        });
        if !now || !then {
            return Err(refusal());
        }
    }
    Ok(())
}
