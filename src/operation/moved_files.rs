//! Updates the links to and in the files that a batch moves.
//!
//! Never changes a link that may not point to a moved file. All moves of a batch count at once: files that link to each
//! other may move together.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use crate::document::link_names::LinkNames;
use crate::document::links::find_links;
use crate::document::{Document, DocumentEdit};
use crate::path::MemoryPath;
use crate::text::Splice;

use super::pending_edit::PendingEdit;
use super::planner::Planner;
use super::relative_links::rebased_links;
use super::renamed_links::link_name;
use super::snapshot::PlanStep;
use super::{Action, Operation, validation};

/// A file that an operation moves.
struct MovedFile {
    operation: usize,
    from: MemoryPath,
    to: MemoryPath,
}

/// Adds the updates of links that follow the moved files, each beside the first move that it follows, or beside the move
/// of the file that contains it.
pub fn update_links(
    planner: &Planner<'_>,
    operations: &[Cow<'_, Operation>],
    pending: &mut Vec<(usize, PendingEdit)>,
) -> PlanStep<()> {
    // Links stay as they are where a file goes to the archive or comes back.
    let is_move = |operation: &usize| matches!(operations[*operation].action, Action::Move { .. });
    let moved: Vec<MovedFile> = pending
        .iter()
        .filter_map(|(operation, edit)| match edit {
            PendingEdit::MoveFile(from, to) if is_move(operation) => {
                Some(MovedFile { operation: *operation, from: from.clone(), to: to.clone() })
            }
            _ => None,
        })
        .collect();
    if moved.is_empty() {
        return Ok(());
    }
    let mut holders: BTreeMap<MemoryPath, Vec<&MovedFile>> = BTreeMap::new();
    for file in &moved {
        for holder in planner.snapshot.backlinks(&file.from)? {
            holders.entry(holder.clone()).or_default().push(file);
        }
        holders.entry(file.from.clone()).or_default();
    }
    let gone: HashSet<&MemoryPath> = moved.iter().map(|file| &file.from).collect();
    let all = planner.snapshot.file_names()?;
    let before = LinkNames::new(all);
    let after = LinkNames::new(all.iter().filter(|path| !gone.contains(path)).chain(moved.iter().map(|file| &file.to)));
    for (holder, targets) in holders {
        let Some(file) = planner.snapshot.file(&holder)? else { continue };
        let own = moved.iter().find(|file| file.from == holder);
        let edits = link_updates(&file.document, &holder, own, &targets, (&before, &after));
        if edits.is_empty()
            || validation::check_writable(&holder, Some(&file.document), planner.context.allow_reserved).is_err()
        {
            continue;
        }
        let Some(beside) = own.or(targets.first().copied()) else { continue };
        let is_beside = |(n, edit): &(usize, PendingEdit)| {
            *n == beside.operation && matches!(edit, PendingEdit::MoveFile(from, _) if *from == beside.from)
        };
        let at = pending.iter().position(is_beside).map_or(pending.len(), |at| at + 1);
        let is_link_update = |(_, edit): &&(usize, PendingEdit)| matches!(edit, PendingEdit::UpdateLinks(..));
        let at = at + pending[at..].iter().take_while(is_link_update).count();
        pending.insert(at, (beside.operation, PendingEdit::UpdateLinks(holder, edits)));
    }
    Ok(())
}

/// The edits that update a file's links to moved files and, if it moves itself, its relative links. `names`: those that
/// files have before and after.
fn link_updates(
    document: &Document,
    holder: &MemoryPath,
    own: Option<&MovedFile>,
    targets: &[&MovedFile],
    names: (&LinkNames<'_>, &LinkNames<'_>),
) -> Vec<DocumentEdit> {
    let text = document.text();
    let (before, after) = names;
    let holder_after = own.map_or(holder, |own| &own.to);
    let mut splices: Vec<Splice> = Vec::new();
    for link in find_links(document) {
        let leads_to =
            |file: &&&MovedFile| before.leads_to(&text[link.start..link.end], link.is_wiki, holder, &file.from);
        let itself = own.as_ref().filter(leads_to);
        if let Some(file) = itself.or_else(|| targets.iter().find(leads_to)) {
            let new = link_name(document, &link, holder_after, &file.from, &file.to, after);
            splices.push(Splice { start: link.start, end: link.end, new });
        }
    }
    if let Some(own) = own {
        let named: HashSet<usize> = splices.iter().map(|one| one.start).collect();
        splices
            .extend(rebased_links(document, &own.from, &own.to).into_iter().filter(|one| !named.contains(&one.start)));
    }
    splices.into_iter().map(DocumentEdit::Raw).collect()
}
