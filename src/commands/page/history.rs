//! What a page's script looks up of each bullet: its metadata, and the changes that made it what it is.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{PageFiles, command_of};
use crate::code::Rejection;
use crate::commands::Session;
use crate::commands::bullet_life::{BulletHistory, LifeCause, LifeEvent, LifeExtent};
use crate::commands::list_and_read::ResolvedAddress;
use crate::store::Store;
use crate::view::outline::LifeChange;
use crate::view::page::html::visible;
use crate::view::page::item_data::{ItemData, LifeStep, RevisionRow};
use crate::view::query::items::ItemKind;

/// Metadata and lives of all bullets. Reads the journal once.
///
/// # Errors
/// `io`, `too_large`.
pub(super) fn item_data(session: &Session, files: &PageFiles) -> Result<ItemData, Rejection> {
    let mut data = ItemData { command: command_of(session), ..ItemData::default() };
    let history = BulletHistory::open(session, Store::read_whole_history)?;
    for (number, file) in files.files.iter().enumerate() {
        let mut items = Vec::new();
        let mut bullets = Vec::new();
        for (item, at) in file.items.iter().enumerate() {
            let ItemKind::Bullet(bullet) = at.kind else { continue };
            items.push(files.first_items[number] + item);
            bullets.push(bullet as usize);
            if let Some(meta) = file.document.bullet_meta(bullet as usize) {
                let shown = |text: &str| visible(text).into_owned();
                let pairs = meta.0.iter().map(|(key, value)| (shown(key), shown(value))).collect();
                data.meta.insert(files.first_items[number] + item, pairs);
            }
        }
        let named = ResolvedAddress::of_file(&file.path, &file.document);
        let lives = history.lives(&named, &bullets, LifeExtent::Whole)?;
        for (item, life) in items.into_iter().zip(lives).filter(|(_, life)| !life.is_empty()) {
            let steps = life.iter().map(|event| life_step(&history, event)).collect();
            data.lives.insert(item, steps);
        }
        session.progress.check()?;
    }
    data.revisions = revisions(session, &history, &data);
    Ok(data)
}

fn life_step(history: &BulletHistory<'_>, event: &LifeEvent) -> LifeStep {
    let earlier = |change: LifeChange| event.earlier.as_ref().filter(|_| event.change == change);
    let (rev, by) = match event.cause {
        LifeCause::Entry(index) => (Some(history.entries[index].rev), String::new()),
        LifeCause::Outside(_) => (None, "outside memdir".to_owned()),
        LifeCause::Merged(_) => (None, "a sync".to_owned()),
        LifeCause::Committed => (None, "git".to_owned()),
    };
    LifeStep {
        change: event.change.name(),
        rev,
        by,
        from: earlier(LifeChange::Updated).map(|earlier| visible(&earlier.text).into_owned()),
        moved_from: earlier(LifeChange::Moved).map(|earlier| visible(&earlier.address()).into_owned()),
        commit: event.commit.as_ref().map(|commit| {
            let short = commit.id.get(..10).unwrap_or(&commit.id);
            format!("{short} by {}, {}", visible(&commit.author), commit.at.get(..10).unwrap_or(&commit.at))
        }),
    }
}

/// The revisions that lives name.
fn revisions(session: &Session, history: &BulletHistory<'_>, data: &ItemData) -> BTreeMap<u64, RevisionRow> {
    // Reason and source may mention anything, so a restricted reader does not get them.
    let is_described = session.store.require_unfiltered().is_ok();
    let local = |at: &str| match at.parse::<Timestamp>() {
        Ok(at) => at.to_zoned(session.now.time_zone().clone()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => at.to_owned(),
    };
    let shown = |text: &Option<String>| text.as_deref().filter(|_| is_described).map(|text| visible(text).into_owned());
    let named = data.lives.values().flatten().filter_map(|step| step.rev);
    named
        .filter_map(|rev| {
            let at = history.entries.binary_search_by_key(&rev, |entry| entry.rev).ok()?;
            let entry = &history.entries[at];
            let row = RevisionRow {
                at: local(&entry.header.at),
                by: visible(&entry.header.actor).into_owned(),
                reason: shown(&entry.header.reason),
                source: shown(&entry.header.source),
            };
            Some((rev, row))
        })
        .collect()
}
