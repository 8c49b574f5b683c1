//! The timeline of a page: what `log` lists, and the episodes, by day, newest first.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::PageFiles;
use crate::commands::results::{ChangedFile, EffectSign, LogRow, LogState};
use crate::commands::{CommandResult, LogOptions, Session, log};
use crate::text::one_line::cut_with_ellipsis;
use crate::view::page::body::entry_text;
use crate::view::page::html::visible;
use crate::view::page::template::{EffectLine, PageLink, TimelineDay, TimelineRow};
use crate::view::query::item_facts::ItemFacts;
use crate::view::query::items::ItemKind;

/// How many changes the page shows, newest first.
const MAX_CHANGES: usize = 300;
/// How many effects of one change, and files.
const MAX_EFFECTS: usize = 12;
const MAX_FILES: usize = 6;
/// The longest text of a row, in characters.
const MAX_TEXT: usize = 400;

/// The rows by day, and who wrote them.
pub(super) struct Timeline {
    pub(super) days: Vec<TimelineDay>,
    pub(super) writers: Vec<(String, usize)>,
    /// How many changes are left out.
    pub(super) older: usize,
}

/// The timeline of the files of a page; of all changes if they are the whole memory.
///
/// # Errors
/// `io`, `too_large`.
pub(super) fn timeline(
    session: &Session,
    files: &PageFiles,
    facts: &[ItemFacts<'_>],
    is_whole: bool,
) -> CommandResult<Timeline> {
    let options = LogOptions { patch: true, limit: Some(MAX_CHANGES), ..LogOptions::default() };
    let log = log(session, &options)?;
    let concerns = |row: &LogRow| is_whole || row.files.iter().any(|path| files.number_of(path).is_some());
    let mut timeline = Timeline { days: Vec::new(), writers: Vec::new(), older: if is_whole { log.more } else { 0 } };
    let mut by_day: BTreeMap<String, Vec<TimelineRow>> = BTreeMap::new();
    let mut day = session.now.date().to_string();
    for row in log.entries.iter().filter(|row| concerns(row)) {
        let mut change = change_row(files, row);
        // An edit outside memdir has no time: it stands before the change that found it.
        if let Some(at) = row.at.as_deref().and_then(|at| at.parse::<Timestamp>().ok()) {
            let at = at.to_zoned(session.now.time_zone().clone());
            (day, change.time) = (at.date().to_string(), at.strftime("%H:%M").to_string());
        }
        let known = timeline.writers.iter().position(|(name, _)| *name == change.by);
        let writer = known.unwrap_or_else(|| {
            timeline.writers.push((change.by.clone(), 0));
            timeline.writers.len() - 1
        });
        timeline.writers[writer].1 += 1;
        change.writer = Some(writer);
        by_day.entry(day.clone()).or_default().push(change);
    }
    for (number, facts) in facts.iter().enumerate().filter(|(_, facts)| facts.file.path.holds_episodes()) {
        for (item, entry) in facts.file.items.iter().enumerate().filter(|(_, item)| item.kind == ItemKind::Entry) {
            let day = facts.date(item).map(|date| date.day.to_string()).unwrap_or_default();
            let section = entry.section as usize;
            by_day.entry(day).or_default().push(TimelineRow {
                kind: "episode",
                title: visible(&facts.file.document.section_title(section)).into_owned(),
                text: shortened(&entry_text(&facts.file.document, section)),
                item: Some(files.first_items[number] + item),
                ..TimelineRow::default()
            });
        }
    }
    // What has no date comes last.
    timeline.days = by_day.into_iter().rev().map(|(day, rows)| TimelineDay { day, rows }).collect();
    Ok(timeline)
}

fn change_row(files: &PageFiles, row: &LogRow) -> TimelineRow {
    let mut effects: Vec<EffectLine> = row.effects.iter().flat_map(effect_lines).collect();
    let more = effects.len().saturating_sub(MAX_EFFECTS);
    effects.truncate(MAX_EFFECTS);
    let link = |path: &String| PageLink { number: files.number_of(path), path: visible(path).into_owned() };
    TimelineRow {
        kind: "change",
        by: visible(&row.actor).into_owned(),
        rev: row.rev.clone().unwrap_or_default(),
        state: if row.state == LogState::Done || row.rev.is_none() {
            String::new()
        } else {
            row.state.name().replace('_', " ")
        },
        title: visible(&row.what).into_owned(),
        text: row.reason.as_deref().map(shortened).unwrap_or_default(),
        files: row.files.iter().take(MAX_FILES).map(link).collect(),
        effects,
        more,
        ..TimelineRow::default()
    }
}

fn effect_lines(file: &ChangedFile) -> impl Iterator<Item = EffectLine> {
    file.effects.iter().map(|effect| EffectLine {
        sign: effect.sign.symbol().to_owned(),
        kind: match effect.sign {
            EffectSign::Added => "added",
            EffectSign::Removed => "removed",
            EffectSign::Unchanged | EffectSign::Moved | EffectSign::Set => "other",
        },
        text: shortened(&effect.text),
    })
}

fn shortened(text: &str) -> String {
    cut_with_ellipsis(&visible(text), MAX_TEXT).into_owned()
}
