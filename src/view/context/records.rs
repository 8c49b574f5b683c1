//! All items by date, newest first: the form of seeds/memory-feature.md.
//!
//! Never ranks: a date is all that counts, and items without one come last.

use super::gate::Gate;
use super::{address, entries, frame, text};
use crate::view::query::count::Found;
use crate::view::query::facts::{About, Moment};
use crate::view::query::items::{Sort, label};
use crate::view::query::known::Known;

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its address.
    pub address: String,
    /// When it is from.
    pub moment: Option<Moment>,
    /// Its text, on one line and harmless.
    pub text: String,
}

/// The newest records of these files, at most so many, and how many there are: bullets, paragraphs, table rows, and of
/// episodes the entries with their own summaries.
pub fn records(files: &[Found], known: &Known, gate: &Gate, most: usize) -> (Vec<Record>, usize) {
    let mut all: Vec<(Option<Moment>, usize, usize)> = Vec::new();
    for (f, found) in files.iter().enumerate() {
        let about = About::new(found, known);
        let counts = (0..found.items.len()).filter(|item| counts(found, *item) && gate.item(&about, *item));
        all.extend(counts.map(|item| (about.moment(item), f, item)));
    }
    all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let whole = all.len();
    all.truncate(most);
    let record = |(moment, f, item): (Option<Moment>, usize, usize)| Record {
        address: frame::line(&address(&files[f], item)),
        moment,
        text: frame::line(&match files[f].items[item].sort {
            Sort::Entry => entries::titled(&files[f], item),
            _ => text(&files[f], item),
        }),
    };
    (all.into_iter().map(record).collect(), whole)
}

fn counts(found: &Found, item: usize) -> bool {
    let episodes = found.path.folder() == Some("episodes");
    match found.items[item].sort {
        Sort::Entry => true,
        _ if episodes => false,
        Sort::Bullet(b) => !matches!(label(found.document.bullet_raw(b as usize)), "Updated" | "Date"),
        Sort::Paragraph | Sort::Row => true,
        Sort::Heading | Sort::Code => false,
    }
}
