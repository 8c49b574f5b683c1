//! Where a wish goes once it is planned: judged by the bullets, headings and files that come and go.
//!
//! Never lets pass what was turned down before; it only finds more.

use super::guards::{self, Flaw, Found, Kind, Rules};
use super::judge::{Claim, Ground, Route};
use super::wish::Wish;
use crate::change::{Effect, Sign};
use crate::operation::Action;
use crate::path::MemoryPath;

/// What an operation comes to on the memory as it stands: the bullets and headings that come and go, and new files.
pub struct Outcome<'a> {
    /// Bullets and headings.
    pub effects: &'a [Effect],
    /// Files.
    pub files: &'a [Touched],
}

/// A file that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Which.
    pub path: MemoryPath,
    /// Whether it stands before.
    pub before: bool,
    /// Whether it stands afterwards.
    pub after: bool,
}

/// Routes a wish once more, by what it comes to: a patch may make of harmless pieces what no text may say, a bullet
/// with a sensitive field changes with whatever takes its place, and a heading or a name is a text like others.
pub fn settle(route: Route, wish: &Wish, outcome: &Outcome<'_>, ground: &Ground<'_>) -> Route {
    let (proof, mut waits) = match route {
        Route::Apply(proof) => (proof, Vec::new()),
        Route::Inbox(proof, waits) => (proof, waits),
        decided => return decided,
    };
    let found = misplaced(wish, outcome, ground);
    if !found.is_empty() {
        return Route::Refused(found);
    }
    let found = written(wish, outcome, ground.rules);
    if !found.is_empty() {
        return Route::Refused(found);
    }
    let bullets = |sign| outcome.effects.iter().filter(move |e| e.sign == sign && e.handle.is_some());
    if let Action::Update { .. } = wish.operation.action {
        let gone: Vec<&str> = bullets(Sign::Removed).map(|e| e.text.as_str()).collect();
        let others = || ground.known.iter().map(String::as_str).filter(|known| !gone.contains(known));
        let twin = bullets(Sign::Added).find_map(|e| guards::twin(&e.text, others()));
        if let Some((flaw, what)) = twin {
            return Route::Known(vec![Found { flaw, what: what.chars().take(60).collect() }]);
        }
    }
    if waits.iter().all(|w| w.flaw != Flaw::Sensitive) {
        waits.extend(unasked(outcome, ground, proof.turn));
    }
    match waits.is_empty() {
        true => Route::Apply(proof),
        false => Route::Inbox(proof, waits),
    }
}

/// A sensitive field that changes although the user did not ask for it: by what takes its place, where something does.
fn unasked(outcome: &Outcome<'_>, ground: &Ground<'_>, turn: usize) -> Option<Found> {
    let fields = |sign| {
        let bullets = outcome.effects.iter().filter(move |e| e.sign == sign && e.handle.is_some());
        bullets.filter_map(|e| Some((guards::is_sensitive(&e.text, ground.rules)?, e.text.as_str())))
    };
    let (gone, mut new) = (fields(Sign::Removed), fields(Sign::Added).peekable());
    let unasked = |(_, text): &(String, &str)| !guards::agreed_to(text, ground.turns, turn);
    let found = if new.peek().is_some() { new.find(unasked) } else { gone.into_iter().find(unasked) };
    found.map(|(what, _)| Found { flaw: Flaw::Sensitive, what })
}

/// Changes outside the one file that was named, and whole files and sections that would go.
fn misplaced(wish: &Wish, outcome: &Outcome<'_>, ground: &Ground<'_>) -> Vec<Found> {
    let refused = |what: String| vec![Found { flaw: Flaw::NotAllowed, what }];
    let elsewhere = |path: &MemoryPath| path.folder() != Some("archive") && ground.into.is_some_and(|i| i != path);
    if let (Some(into), true) = (ground.into, outcome.files.iter().any(|file| elsewhere(&file.path))) {
        return refused(format!("everything goes into {into}"));
    }
    let whole = outcome.files.iter().any(|file| file.before && !file.after)
        || outcome.effects.iter().any(|e| e.sign == Sign::Removed && e.handle.is_none());
    match matches!(wish.operation.action, Action::Remove { .. }) && whole {
        true => refused("rm of more than a bullet".into()),
        false => Vec::new(),
    }
}

/// What is wrong with the texts that come: bullets that a patch puts together, new headings, names of new files.
fn written(wish: &Wish, outcome: &Outcome<'_>, rules: &Rules) -> Vec<Found> {
    let added = || outcome.effects.iter().filter(|e| e.sign == Sign::Added);
    let mut found = Vec::new();
    if let Action::Patch { .. } = wish.operation.action {
        let bullets = added().filter(|e| e.handle.is_some());
        found.extend(bullets.flat_map(|e| guards::writing(&e.text, Kind::Fact, rules)));
    }
    let headings = added().filter(|e| e.handle.is_none()).map(|e| e.text.trim_start_matches('#').trim().to_owned());
    let made = outcome.files.iter().filter(|file| !file.before);
    let names = made.flat_map(|file| file.path.as_str().trim_end_matches(".md").split('/'));
    for name in names.map(|name| name.replace(['-', '_'], " ")).chain(headings) {
        let name = Claim::head(&name.replace('-', " "));
        let flaws = guards::writing(&name.text, name.kind, rules);
        found.extend(flaws.into_iter().filter(|f| NAMES.contains(&f.flaw) && !name.pardons(f)));
    }
    found
}

/// What is wrong with a name as with any text; that it has a pronoun or a date is not.
const NAMES: [Flaw; 6] =
    [Flaw::Instruction, Flaw::Secret, Flaw::Canary, Flaw::FrontMatter, Flaw::ControlCharacters, Flaw::TooLong];
