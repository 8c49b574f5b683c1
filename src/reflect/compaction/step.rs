//! Decisions as operations, each with the lines it is about, so that it can be told later whether they still stand.
//!
//! Whatever goes, goes to the archive.

use super::{Act, Crowd, Decision};
use crate::change::Etag;
use crate::document::{Document, section_range};
use crate::operation::evict::{Thing, lines_of};
use crate::operation::{Action, Operation, Target};
use crate::path::MemoryPath;

/// Operations that are planned together, on what the step before them left.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The file.
    pub path: MemoryPath,
    /// What is done, item by item.
    pub moves: Vec<Move>,
}

/// One operation of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The operation.
    pub operation: Operation,
    /// The item's lines as they were when it was decided, trailing blanks left out.
    pub was: String,
    /// An entry's new lines; a bullet's new text; nothing for what goes.
    pub becomes: Option<String>,
}

impl Step {
    /// Its operations.
    pub fn operations(&self) -> Vec<Operation> {
        self.moves.iter().map(|m| m.operation.clone()).collect()
    }
}

/// The steps that carry decisions out. `source` is who decided.
pub fn steps(crowd: &Crowd, document: &Document, decisions: &[Decision], source: &str) -> Vec<Step> {
    let gone = |at: usize, why: &str| {
        let thing = crowd.items[at].thing;
        (at + 1, thing, gone(&crowd.path, document, thing, why, source))
    };
    let mut moves: Vec<(usize, Thing, Move)> = Vec::new();
    for decision in decisions {
        let target = crowd.items[decision.target].thing;
        moves.push(match (&decision.act, &decision.text) {
            (Act::Rewrite, Some(text)) => (0, target, rewritten(crowd, document, target, text, decision, source)),
            _ => gone(decision.target, &decision.reason),
        });
        moves.extend(decision.absorbs.iter().map(|at| gone(*at, &decision.reason)));
    }
    moves.sort_by_key(|(at, ..)| *at);
    in_steps(&crowd.path, document, moves.into_iter().map(|(_, thing, m)| (thing, m)).collect())
}

/// The steps by which the oldest things go.
pub fn by_age(path: &MemoryPath, document: &Document, things: &[Thing], reason: &str, source: &str) -> Vec<Step> {
    let moves = things.iter().map(|t| (*t, gone(path, document, *t, reason, source)));
    in_steps(path, document, moves.collect())
}

/// All at once, but for what stands last in the file: the blank lines before it go with it, and an entry before it may
/// go, too.
fn in_steps(path: &MemoryPath, document: &Document, moves: Vec<(Thing, Move)>) -> Vec<Step> {
    let end = document.text().len();
    let ends = |(thing, m): &(Thing, Move)| {
        matches!(thing, Thing::Entry(_)) && m.becomes.is_none() && lines_of(document, *thing).end == end
    };
    let (last, first): (Vec<_>, Vec<_>) = moves.into_iter().partition(ends);
    let step =
        |moves: Vec<(Thing, Move)>| Step { path: path.clone(), moves: moves.into_iter().map(|(_, m)| m).collect() };
    [first, last].into_iter().filter(|moves| !moves.is_empty()).map(step).collect()
}

fn operation(action: Action, reason: &str, source: &str) -> Operation {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Operation { action, seen: None, if_match: None, reason: given(reason), source: given(source) }
}

fn was(document: &Document, thing: Thing) -> String {
    document.text()[lines_of(document, thing)].trim_end().to_owned()
}

fn gone(path: &MemoryPath, document: &Document, thing: Thing, reason: &str, source: &str) -> Move {
    let (at, index, text) = match thing {
        Thing::Bullet(i) => selector(path, document, i),
        Thing::Entry(s) => (Target::Address(format!("{path}#{}", document.sections()[s].slug)), None, None),
    };
    let action = Action::Remove { at, index, text, archive: true, forget: false };
    Move { operation: operation(action, reason, source), was: was(document, thing), becomes: None }
}

/// What names a bullet: its handle, or place and text where others read the same.
fn selector(path: &MemoryPath, document: &Document, bullet: usize) -> (Target, Option<i64>, Option<String>) {
    let name = document.handle_name(bullet);
    match document.by_handle(&name)[..] {
        [_] => (Target::Address(format!("{path}@{name}")), None, None),
        _ => {
            let index = document.counted(0).binary_search(&bullet).map_or(0, |n| n + 1);
            let text = document.bullet_text(bullet).into_owned();
            (Target::Address(path.to_string()), i64::try_from(index).ok(), Some(text))
        }
    }
}

fn rewritten(crowd: &Crowd, document: &Document, thing: Thing, text: &str, decision: &Decision, source: &str) -> Move {
    let path = &crowd.path;
    let was = was(document, thing);
    let (action, becomes) = match thing {
        Thing::Bullet(i) => {
            let (at, index, old) = selector(path, document, i);
            (Action::Update { at, index, old, text: text.to_owned() }, text.to_owned())
        }
        Thing::Entry(s) => {
            let new = entry(document, s, text);
            let pairs = vec![(was.clone(), new.clone())];
            (Action::Patch { at: Target::Address(path.to_string()), pairs }, new)
        }
    };
    Move { operation: operation(action, &decision.reason, source), was, becomes: Some(becomes) }
}

/// An entry with a new body: its heading and date stay.
fn entry(document: &Document, section: usize, body: &str) -> String {
    let text = document.text();
    let heading = document.sections()[section].heading.range();
    let own = (0..document.bullets().len()).filter(|&i| document.bullets()[i].section as usize == section);
    let date = own.map(|i| document.bullet_text(i)).find(|t| t.starts_with("Date:"));
    let mut new = text[heading].trim_end().to_owned();
    if let Some(date) =
        date.filter(|_| !body.lines().any(|l| l.trim_start_matches(['-', '*', '+', ' ']).starts_with("Date:")))
    {
        new.push_str(&format!("\n- {date}"));
    }
    new.push('\n');
    new.push_str(body.trim_end());
    match document.eol().as_str() {
        "\r\n" => new.replace("\r\n", "\n").replace('\n', "\r\n"),
        _ => new,
    }
}

/// The thing that a move of ours names in a document, if exactly one does.
pub(super) fn thing(step: &Step, one: &Move, document: &Document) -> Option<Thing> {
    let (at, index) = match &one.operation.action {
        Action::Remove { at, index, .. } | Action::Update { at, index, .. } => (at, *index),
        Action::Patch { pairs, .. } => {
            let old = &pairs.first()?.0;
            let fits = |s: &usize| document.text()[section_range(document, *s)].trim_end() == old;
            return (1..document.sections().len()).find(fits).map(Thing::Entry);
        }
        _ => return None,
    };
    let Target::Address(at) = at else { return None };
    let rest = at.strip_prefix(step.path.as_str())?;
    if let Some(slug) = rest.strip_prefix('#') {
        // A slug may depend on the headings before it: the lines tell.
        let same = |s: &usize| was(document, Thing::Entry(*s)) == one.was;
        let mut all = (1..document.sections().len()).filter(same);
        let named = all.clone().find(|s| document.sections()[*s].slug == slug);
        return named.or_else(|| all.next()).map(Thing::Entry);
    }
    match (rest.strip_prefix('@'), index) {
        (Some(name), _) => match document.by_handle(name)[..] {
            [one] => Some(Thing::Bullet(one)),
            _ => None,
        },
        (None, Some(n)) => {
            document.counted(0).get(usize::try_from(n).ok()?.checked_sub(1)?).copied().map(Thing::Bullet)
        }
        _ => None,
    }
}

/// Whether everything that a step is about stands there as it did when it was decided.
pub fn ready(step: &Step, document: &Document) -> bool {
    step.moves.iter().all(|one| thing(step, one, document).is_some_and(|t| was(document, t) == one.was))
}

/// A step's operations with what removing an entry needs: its name now, and the proof. Only for what is [`ready`].
pub fn proven(step: &Step, document: &Document) -> Vec<Operation> {
    let mut operations = step.operations();
    for (operation, one) in operations.iter_mut().zip(&step.moves) {
        if let Some(Thing::Entry(s)) = thing(step, one, document)
            && let Action::Remove { at, .. } = &mut operation.action
        {
            *at = Target::Address(format!("{}#{}", step.path, document.sections()[s].slug));
            operation.seen = Some(Etag::of(&document.text().as_bytes()[section_range(document, s)]).short());
        }
    }
    operations
}
