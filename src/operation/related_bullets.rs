//! Warns when a new bullet repeats or contradicts another one of its file.
//!
//! Never refuses: the person or agent who adds the bullet may know better.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::cmp::Reverse;

use memchr::memmem::Finder;

use super::pending_edit::PendingEdit;
use super::planner::Planner;
use super::{Action, Operation};
use crate::code::{Code, Warning};
use crate::document::related_edge::stating_bullets;
use crate::document::{Document, DocumentEdit, ExpiryDates, InsertPosition};
use crate::path::MemoryPath;
use crate::text::contradiction::compare_statements;
use crate::text::near_duplicate::extra_words;
use crate::text::statement::{Statement, TokenKind};

/// Files with more bullets are not searched: the warning is optional, the search takes time.
const MAX_BULLETS: usize = 2000;

/// The maximum number of bullets that are compared word by word. Bounds the time in lists of nearly equal bullets, such
/// as sensor values.
const MAX_COMPARED: usize = 4;

/// Warns of the bullet of the file that a new one repeats with the fewest other words, or of one of its section that it
/// contradicts: in another section, the same label may be about something else.
///
/// `section`: where the new bullet goes; `None` if the section is new.
pub fn warn_related(
    planner: &mut Planner<'_>,
    n: usize,
    path: &MemoryPath,
    document: &Document,
    section: Option<usize>,
    text: &str,
) {
    if document.bullets().len() > MAX_BULLETS {
        return;
    }
    // A new bullet of the file itself goes below its title.
    let is_beside = |i: usize| {
        let at = document.bullets()[i].section as usize;
        section.is_some_and(|section| at == section || section == 0 && document.sections()[at].level == 1)
    };
    let new = Statement::of_item(text);
    let (mut repeated, mut contradicted): (Option<(usize, usize)>, Option<usize>) = (None, None);
    let today = planner.context.now.date();
    let expiry_dates = LazyCell::new(|| ExpiryDates::of(document, |_| false));
    for i in find_candidates(&new, document) {
        // What has expired holds no more.
        if expiry_dates.last_day(i).is_some_and(|day| day < today) {
            continue;
        }
        let known = document.bullet_text(i);
        let known = Statement::of_item(&known);
        if let Some(extra) = extra_words(&new, &known) {
            repeated = Some(repeated.map_or((extra, i), |best| best.min((extra, i))));
        } else if contradicted.is_none() && is_beside(i) && compare_statements(&new, &known).is_some() {
            contradicted = Some(i);
        }
    }
    let mut warn = |code, i: usize, what: &str| {
        let address = format!("{path}@{}", document.handle_name(i));
        planner.warn(n, Warning::new(code, format!("{address} {what}")).detail("address", address));
    };
    if let Some((_, i)) = repeated {
        let likeness = if document.bullet_text(i).trim() == text.trim() { "the same" } else { "nearly the same" };
        warn(Code::NearDuplicate, i, &format!("has {likeness} text; the bullet was added anyway"));
    } else if let Some(i) = contradicted {
        warn(
            Code::Contradiction,
            i,
            "says otherwise; the bullet was added anyway: remove or update the one that is wrong",
        );
    }
}

/// Warns of the first two bullets that a batch adds at one place and that contradict each other, for each place.
pub fn warn_contradicting_adds(planner: &mut Planner<'_>, operations: &[Operation], pending: &[(usize, PendingEdit)]) {
    let mut places: Vec<AddedTexts<'_>> = Vec::new();
    for (n, edit) in pending {
        let PendingEdit::Edit(path, DocumentEdit::Insert { at, items }, _) = edit else { continue };
        let ([item], Action::Add { .. }) = (&items[..], &operations[*n].action) else { continue };
        match places.iter_mut().find(|place| place.path == path && place.at == at) {
            Some(place) => place.texts.push((*n, item.paragraph())),
            None => places.push(AddedTexts { path, at, texts: vec![(*n, item.paragraph())] }),
        }
    }
    for AddedTexts { path, texts, .. } in places.iter().filter(|place| (2..=MAX_ADDED).contains(&place.texts.len())) {
        let statements: Vec<Statement<'_>> = texts.iter().map(|(_, text)| Statement::of_item(text)).collect();
        let contradicts =
            |n: usize| statements[..n].iter().position(|s| compare_statements(s, &statements[n]).is_some());
        let Some((older, newer)) = (1..texts.len()).find_map(|n| Some((contradicts(n)?, n))) else { continue };
        let message = format!(
            "'{}' contradicts '{}', which the same change adds to {path}: remove or update the one that is wrong",
            texts[newer].1, texts[older].1
        );
        planner.warn(texts[newer].0, Warning::new(Code::Contradiction, message));
    }
}

/// The bullets that a batch adds at one place, each with the number of its operation.
struct AddedTexts<'a> {
    path: &'a MemoryPath,
    at: &'a InsertPosition,
    texts: Vec<(usize, Cow<'a, str>)>,
}

/// Of more bullets that are added at one place none are compared: each is compared with every other.
const MAX_ADDED: usize = 40;

/// The bullets that share most words with a statement, in their order in the file. Only texts are searched, none is
/// read as a statement: this runs on every `add`.
fn find_candidates(new: &Statement<'_>, document: &Document) -> Vec<usize> {
    let probes = probes(new);
    let as_candidate = |i: usize| {
        let raw = document.bullet_raw(i);
        let (shorter, longer) = (new.text.len().min(raw.len()), new.text.len().max(raw.len()));
        let hits = || probes.iter().filter(|probe| probe.find(raw.as_bytes()).is_some()).count();
        let hits = if longer > 2 * shorter + 16 { 0 } else { hits() };
        (hits > 0 && hits * 3 >= probes.len()).then_some((Reverse(hits), i))
    };
    let mut candidates: Vec<_> = stating_bullets(document).filter_map(as_candidate).collect();
    if candidates.len() > MAX_COMPARED {
        candidates.select_nth_unstable(MAX_COMPARED);
        candidates.truncate(MAX_COMPARED);
    }
    let mut bullets: Vec<usize> = candidates.into_iter().map(|(_, i)| i).collect();
    bullets.sort_unstable();
    bullets
}

/// Searchers for the words of a statement and of its label: each without its first letter, which may be upper case, and
/// without its end, which inflection changes.
fn probes(statement: &Statement<'_>) -> Vec<Finder<'static>> {
    let probe = |word: &str| {
        let low = word.to_lowercase();
        let Some((second, _)) = low.char_indices().nth(1) else {
            return (!low.is_ascii()).then(|| Finder::new(&low).into_owned());
        };
        let end = low.char_indices().nth(5).map_or(low.len(), |(at, _)| at);
        (low.chars().count() >= 3).then(|| Finder::new(&low[second..end]).into_owned())
    };
    let label = statement.label.as_deref().into_iter().flat_map(str::split_whitespace);
    let content = statement.tokens.iter().filter(|t| t.kind != TokenKind::Filler).map(|t| t.surface);
    label.chain(content).filter_map(probe).collect()
}
