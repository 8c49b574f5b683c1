//! One place that is over its limit: what a model is shown of it, what it may decide, and the operations that follow.
//!
//! Never lets anything vanish that no operation names, and never touches what is pinned.

use crate::document::Document;
use crate::operation::evict::{self, Ages, Thing};
use crate::operation::limits::{Place, Size};
use crate::path::MemoryPath;

mod conserve;
mod decide;
mod prompt;
mod reply;
mod step;

pub use conserve::conserved;
pub use decide::{Act, Decision, Rules, decide};
pub use prompt::{ask, correct, schema, system};
pub use reply::{Named, Said, read};
pub use step::{Move, Step, by_age, proven, ready, steps};

/// The most items that a model is shown of one place; the rest is the youngest, and stays.
const SHOWN: usize = 100;
/// The most characters that are shown of one bullet with what stands below it.
const BULLET: usize = 600;
/// The most characters that are shown of one entry.
const ENTRY: usize = 2000;

/// A place over its limit, as a model is shown it and decides on it.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// The file.
    pub path: MemoryPath,
    /// The place's address: a file, or a section of it.
    pub address: String,
    /// What it holds.
    pub size: Size,
    /// By how much it is over.
    pub over: Size,
    /// Whether entries are to go, rather than bullets.
    pub entries: bool,
    /// What may be named, in file order.
    pub items: Vec<Candidate>,
    /// How many more there are, which are not shown.
    pub more: usize,
}

/// One item of a crowd.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is in the document.
    pub thing: Thing,
    /// Its handle, or its entry's slug.
    pub name: String,
    /// Its explicit id.
    pub id: Option<String>,
    /// How old it is; empty where nobody knows.
    pub date: String,
    /// 0 to 10.
    pub importance: u8,
    /// Whether it, or anything in it, is pinned.
    pub pinned: bool,
    /// Whether it came with the change that is being made.
    pub new: bool,
    /// What the model sees of it.
    pub text: String,
    /// Whether that is all of it: what was cut or made unreadable cannot be rewritten.
    pub whole: bool,
    /// What goes with it.
    pub weight: Size,
}

impl Crowd {
    /// The crowd of a place. `redact` makes a text fit to leave this machine.
    pub fn of(
        document: &Document,
        path: &MemoryPath,
        place: &Place,
        ages: &Ages<'_>,
        redact: &dyn Fn(&str) -> String,
    ) -> Crowd {
        let over = place.over(document);
        let entries = over.entries > 0;
        let all: Vec<Thing> = match entries {
            true => crate::operation::limits::entries(document, place.section).into_iter().map(Thing::Entry).collect(),
            false => document.counted(place.section).into_iter().map(Thing::Bullet).collect(),
        };
        let mut shown = all.clone();
        if shown.len() > SHOWN {
            shown.sort_by_cached_key(|t| {
                (evict::holds_pin(document, *t, ages.inert), evict::age(document, *t, ages), *t)
            });
            shown.truncate(SHOWN);
            shown.sort();
        }
        let address = match place.section {
            0 => path.to_string(),
            s => format!("{path}#{}", document.sections()[s].slug),
        };
        Crowd {
            path: path.clone(),
            address,
            size: crate::operation::limits::size(document, place.section),
            over,
            entries,
            more: all.len() - shown.len(),
            items: shown.into_iter().map(|thing| candidate(document, thing, ages, redact)).collect(),
        }
    }
}

fn candidate(document: &Document, thing: Thing, ages: &Ages<'_>, redact: &dyn Fn(&str) -> String) -> Candidate {
    let lines = document.text()[evict::lines_of(document, thing)].trim_end();
    let (name, id, text, importance, most) = match thing {
        Thing::Bullet(i) => {
            let b = &document.bullets()[i];
            let below = document.bullets().get(i + 1).is_some_and(|next| next.line < b.end);
            let text = match below {
                true => lines.trim_start().trim_start_matches(['-', '*', '+']).trim_start().to_owned(),
                false => document.bullet_text(i).into_owned(),
            };
            let meta = evict::said(document, i, ages.inert);
            let id = document.bullet_id(i).map(|id| id.into_owned());
            (document.handle_name(i), id, text, evict::importance(&meta), BULLET)
        }
        Thing::Entry(s) => {
            let section = &document.sections()[s];
            (section.slug.clone(), section.id.clone(), lines.to_owned(), 5, ENTRY)
        }
    };
    let clean = redact(&text);
    let cut: String = clean.chars().take(most).collect();
    Candidate {
        thing,
        name,
        id,
        date: evict::age(document, thing, ages),
        importance,
        pinned: evict::holds_pin(document, thing, ages.inert),
        new: evict::is_new(document, thing, ages),
        whole: cut.len() == clean.len() && clean == text,
        text: cut,
        weight: evict::weight(document, thing),
    }
}

#[cfg(test)]
mod tests;
