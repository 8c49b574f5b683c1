//! What accepting a proposal would change now: planned again, because its operation may have been edited and the memory
//! may have changed since it was proposed.
//!
//! Never writes, and never decides whether a proposal can be accepted.

use super::InboxFile;
use super::accept::{is_stale, operations_to_plan, plan_accepted};
use crate::code::Rejection;
use crate::commands::change::changeset_diff;
use crate::commands::{ChangeOptions, Session};
use crate::operation::Snapshot;
use crate::reflect::inbox_item;

/// Largest number of bullets that a note names.
const MAX_NAMED_BULLETS: usize = 3;
/// Longest text of a bullet in a note, in characters.
const MAX_BULLET_CHARS: usize = 60;

/// What to know before a proposal that forgets a text is accepted.
pub(super) const FORGET_NOTE: &str = "accepting it also erases the text from the history, which cannot be undone";

/// A proposal as it would be accepted now.
pub(super) struct ProposalPreview {
    /// The change as a unified diff; that of the proposal's file if the change cannot be planned.
    pub(super) diff: String,
    /// That it forgets a text, that its operation was edited, why it cannot be accepted as it is, what `-f` would
    /// change, or that nothing would change.
    pub(super) notes: Vec<String>,
}

/// Plans a proposal alone. One that conflicts is planned as `-f` would accept it.
pub(super) fn preview(session: &Session, file: &InboxFile) -> ProposalPreview {
    let stored = &file.proposal.diff;
    let mut notes = Vec::new();
    if file.proposal.operations.is_err() || file.proposal.is_expired(&session.now.date().to_string()) {
        return ProposalPreview { diff: stored.clone(), notes };
    }
    if file.proposal.forgets() {
        notes.push(FORGET_NOTE.to_owned());
    }
    if inbox_item::is_edited(&file.text, file.id()) {
        notes.push("its operation was edited after it was proposed".to_owned());
    }
    let planned = planned_diff(session, file, false).or_else(|error| {
        let forced = if is_stale(error.code) { planned_diff(session, file, true).ok() } else { None };
        let Some(diff) = forced else { return Err(error) };
        notes.push(format!("{}: only -f accepts it, with the change below", error.message));
        notes.extend(other_bullets_note(stored, &diff));
        Ok(diff)
    });
    match &planned {
        Ok(diff) if diff.is_empty() => {
            notes.push("the memory says that already: accepting it changes nothing".to_owned());
        }
        Ok(_) => {}
        Err(error) => notes.push(format!("it cannot be accepted now: {}", error.message)),
    }
    ProposalPreview { diff: planned.unwrap_or_else(|_| stored.clone()), notes }
}

/// What to tell about a proposal that is accepted with `-f`: which bullets it changes instead of those that it was about.
pub(super) fn forced_note(session: &Session, file: &InboxFile) -> Option<String> {
    let needs_force = planned_diff(session, file, false).is_err_and(|error| is_stale(error.code));
    let diff = planned_diff(session, file, true).ok().filter(|_| needs_force)?;
    other_bullets_note(&file.proposal.diff, &diff).map(|note| format!("{}: {note}", file.id()))
}

/// The diff of accepting a proposal alone.
fn planned_diff(session: &Session, file: &InboxFile, force: bool) -> Result<String, Rejection> {
    let operations = operations_to_plan(file, force)?;
    let options = ChangeOptions { force, ..ChangeOptions::default() };
    let mut snapshot = Snapshot::new();
    let changeset = plan_accepted(session, &mut snapshot, &operations, &options)
        .map_err(|mut error| error.rejections.swap_remove(0))?;
    Ok(changeset_diff(&changeset, &snapshot).trim_end_matches('\n').to_owned())
}

/// A sentence about the bullets that a change concerns instead of those that it concerned when it was proposed; `None` if
/// they are the same.
fn other_bullets_note(proposed: &str, planned: &str) -> Option<String> {
    let (then, now) = (concerned_bullets(proposed), concerned_bullets(planned));
    let missing = |from: &[&str], of: &[&str]| {
        let left = from.iter().filter(|text| !of.contains(text));
        left.map(|text| shown_bullet(text)).collect::<Vec<_>>()
    };
    let (gone, other) = (missing(&then, &now), missing(&now, &then));
    let note = match (&other[..], &gone[..]) {
        ([], _) => return None,
        (other, []) => format!("it also changes {}, which it did not when it was proposed", named_bullets(other)),
        (other, gone) => {
            format!("it changes {}; when it was proposed, it changed {}", named_bullets(other), named_bullets(gone))
        }
    };
    Some(note)
}

fn shown_bullet(text: &str) -> String {
    let cut: String = text.chars().take(MAX_BULLET_CHARS).collect();
    if cut.len() < text.len() { format!("\"{cut}…\"") } else { format!("\"{cut}\"") }
}

fn named_bullets(all: &[String]) -> String {
    let more = all.len().saturating_sub(MAX_NAMED_BULLETS);
    let named = all.iter().take(MAX_NAMED_BULLETS).cloned().collect::<Vec<_>>().join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

/// The texts of the bullets that a diff removes, replaces or gives other metadata; not of those that it adds.
fn concerned_bullets(diff: &str) -> Vec<&str> {
    let mut all = Vec::new();
    // The last bullet of the old text, and whether one was added since.
    let (mut last, mut is_below_added) = (None, false);
    for line in diff.lines() {
        if line.starts_with("@@") {
            (last, is_below_added) = (None, false);
            continue;
        }
        let (sign, text) = line.split_at_checked(1).unwrap_or_default();
        let bullet = text.trim_start().strip_prefix("- ").map(str::trim_end);
        match (sign, bullet) {
            ("+", Some(_)) => is_below_added = true,
            (" " | "-", Some(bullet)) => {
                (last, is_below_added) = (Some(bullet), false);
                if sign == "-" {
                    all.push(bullet);
                }
            }
            ("-" | "+", None) if text.starts_with(char::is_whitespace) && !text.trim().is_empty() => {
                let is_replaced = sign == "+" && is_below_added;
                all.extend(last.filter(|bullet| !is_replaced && all.last() != Some(bullet)));
            }
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bullets_that_a_diff_concerns() {
        let check = |diff: &str, expected: &[&str]| assert_eq!(concerned_bullets(diff), expected, "{diff}");
        let head = "--- a/facts/user.md\n+++ b/facts/user.md\n@@ -1,5 +1,5 @@\n # User\n \n";
        check(&format!("{head}+> Summary: b2\n+\n - A\n-- B\n+- B2\n - C"), &["B"]);
        check(&format!("{head} - A\n+  <!-- mem imp=3 -->\n - B"), &["A"]);
        check(&format!("{head} - A\n-  <!-- mem imp=2 -->\n+  <!-- mem imp=3 -->\n - B"), &["A"]);
        check(&format!("{head} - A\n+- B\n+  <!-- mem by=bot -->"), &[]);
        check(&format!("{head}-- A\n-  <!-- mem imp=2 -->\n-  - below\n - B"), &["A", "below"]);
        check("--- /dev/null\n+++ b/facts/new.md\n@@ -0,0 +1,3 @@\n+# New\n+\n+- A", &[]);
        check("", &[]);
    }

    #[test]
    fn a_note_names_the_other_bullets_only() {
        let check = |then: &str, now: &str, expected: Option<&str>| {
            assert_eq!(other_bullets_note(then, now).as_deref(), expected, "{then} {now}");
        };
        check("-- A\n+- A2", "-- A\n+- A2", None);
        check("-- A\n+- A2", "-- B\n+- A2", Some("it changes \"B\"; when it was proposed, it changed \"A\""));
        check("-- A", "-- A\n-- B", Some("it also changes \"B\", which it did not when it was proposed"));
        check("-- A\n-- B", "-- A", None);
        let many = "-- A\n-- B\n-- C\n-- D";
        let expected = "it changes \"A\", \"B\", \"C\" and 1 more; when it was proposed, it changed \"E\"";
        check("-- E", many, Some(expected));
    }
}
