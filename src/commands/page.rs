//! `export --to html`: what other commands answer about a memory, on one page.
//!
//! Never reads what the caller may not see: every part is the answer of a use case to the same session.

use std::collections::{BTreeMap, HashSet};

use jiff::civil::Date;

mod history;
mod timeline;

use super::check::contradictions::contradicting_groups;
use super::export::ExportOptions;
use super::journal_notes::{bullet_origins, with_stale_anchors};
use super::query::language_of;
use super::stats::{AGE_NAMES, StatsFigure, StatsOptions, StatsReport, age_name, stats};
use super::{ChangeOptions, CommandResult, Session, inbox};
use crate::code::SuggestedCommand;
use crate::document::fragments::fragment_range;
use crate::document::link_names::LinkNames;
use crate::document::summary::FileKind;
use crate::document::{Document, MetaKey};
use crate::operation::file_change::file_kind;
use crate::path::MemoryPath;
use crate::text::shell_quote::shell_quote;
use crate::view::export::left_out::{report_comments, report_front_matter};
use crate::view::export::{ExportFile, ExportedText};
use crate::view::page::body::{PageFile, item_marks, page_file};
use crate::view::page::graph::link_graph;
use crate::view::page::html::visible;
use crate::view::page::plots::{ShareTable, Sum, TimePlot, share_table, time_plot};
use crate::view::page::search_index::index_words;
use crate::view::page::template::{Contradiction, DiffLine, ItemLink, Page, PageFolder, PageProposal, StaleAnchorRow};
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::ItemFacts;
use crate::view::query::items::{self, ItemKind};

/// The most parts that a table of shares shows.
const MAX_SHARES: usize = 10;

/// The files of a page, with their items numbered through.
struct PageFiles {
    files: Vec<ItemizedFile>,
    /// For each file the number of its first item.
    first_items: Vec<usize>,
}

impl PageFiles {
    fn new(files: Vec<ExportFile>) -> PageFiles {
        let mut files: Vec<ItemizedFile> =
            files.into_iter().map(|file| ItemizedFile::without_counts(file.path, file.document)).collect();
        // In path order, as a search reads them.
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let mut next = 0;
        let first_items = files.iter().map(|file| {
            next += file.items.len();
            next - file.items.len()
        });
        PageFiles { first_items: first_items.collect(), files }
    }

    fn number_of(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
    }

    /// The number of a bullet among the items of the page.
    fn item_of_bullet(&self, file: usize, bullet: usize) -> Option<usize> {
        let start = self.files[file].document.bullets()[bullet].text_start;
        Some(self.first_items[file] + items::item_at(&self.files[file].items, start)?)
    }

    /// Where a link leads: a file (`#f3`), or the first item of the section or bullet that it names (`#i12`).
    fn link_target(&self, names: &LinkNames<'_>, holder: &MemoryPath, target: &str, is_wiki: bool) -> Option<String> {
        let (name, part) = target.split_once('#').unwrap_or((target, ""));
        let file = if name.is_empty() && !is_wiki {
            self.number_of(holder.as_str())?
        } else {
            names.resolve(name, is_wiki, holder)?
        };
        let place = fragment_range(&self.files[file].document, part);
        let item = place.and_then(|place| items::item_at(&self.files[file].items, place.start as u32));
        Some(match item {
            Some(item) => format!("#i{}", self.first_items[file] + item),
            None => format!("#f{file}"),
        })
    }
}

/// The page of some files; `options.files` names them if they are not all.
///
/// # Errors
/// `io`, `too_large` from the journal.
pub fn page(session: &Session, files: Vec<ExportFile>, options: &ExportOptions) -> CommandResult<ExportedText> {
    let is_whole = options.files.is_empty();
    session.progress.begin("reading the history");
    let origins = with_stale_anchors(&session.store, bullet_origins(&session.store, session.now.time_zone())?);
    let mut left_out = ExportedText::default();
    for file in &files {
        report_front_matter(file, &["title", "summary", "description"], &mut left_out);
        report_comments(file, &mut left_out);
    }
    let page_files = PageFiles::new(files);
    let mut data = history::item_data(session, &page_files)?;
    session.progress.begin("laying out the page");
    let mut page = compose(session, &page_files, &origins, is_whole)?;
    session.progress.begin("ranking words");
    let items: usize = page_files.files.iter().map(|file| file.items.len()).sum();
    let language = language_of(session)?;
    data.words = index_words(page_files.files, &page_files.first_items, &origins, session.now.date(), language);
    session.progress.check()?;
    (page.items, page.data) = (items, data.to_json());
    Ok(ExportedText { text: page.to_html(), items, left_out: left_out.left_out })
}

/// All parts of the page but what its script looks up.
fn compose(session: &Session, files: &PageFiles, origins: &BulletOrigins, is_whole: bool) -> CommandResult<Page> {
    let facts: Vec<ItemFacts<'_>> = files.files.iter().map(|file| ItemFacts::new(file, origins)).collect();
    let contradictions = contradictions(session, files, &facts);
    let bodies = bodies(session, files, &facts, &contradictions);
    let folder_names: Vec<String> = bodies.iter().map(|file| file.folder.clone()).collect();
    let log = timeline::timeline(session, files, &facts, is_whole)?;
    let report = if is_whole { stats(session, &StatsOptions::default())? } else { StatsReport::default() };
    let (created, today) = (creation_days(&facts), session.now.date());
    Ok(Page {
        name: name_of(session),
        made_at: session.now.strftime("%Y-%m-%d %H:%M").to_string(),
        version: env!("CARGO_PKG_VERSION"),
        counts: counts(files),
        limits: limits(session, is_whole),
        folders: folders(bodies),
        days: log.days,
        writers: log.writers,
        older_changes: log.older,
        log_command: format!("{} log --all", command_of(session)),
        proposals: if is_whole { proposals(session) } else { None },
        graph: link_graph(&facts, &folder_names),
        plots: plots(&created, today, &report),
        shares: shares(&created, today, &report),
        anchors: stale_anchors(session, files, &facts),
        contradictions,
        items: 0,
        data: String::new(),
    })
}

/// The project, for a memory that is called `memory`; a scope has its own name.
fn name_of(session: &Session) -> String {
    let name = |path: &std::path::Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let own = name(&session.dir).unwrap_or_default();
    let whole = match (&session.scope, &*own) {
        (Some(scope), _) => scope.name.clone(),
        (None, "memory") => session.dir.parent().and_then(name).unwrap_or(own),
        (None, _) => own,
    };
    visible(&whole).into_owned()
}

/// How a command of the page starts.
fn command_of(session: &Session) -> String {
    match &session.scope {
        Some(scope) => format!("memdir -S {}", shell_quote(&scope.name)),
        None => "memdir".to_owned(),
    }
}

/// A command, or an empty text if an operand cannot be spelled safely.
fn command(session: &Session, subcommand: Vec<&'static str>, operand: &str) -> String {
    let scope = session.scope.as_ref().map_or(String::new(), |scope| format!("-S {}", shell_quote(&scope.name)));
    SuggestedCommand { subcommand, operands: vec![operand.to_owned()] }.to_shell(&scope).unwrap_or_default()
}

fn counts(files: &PageFiles) -> String {
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let of =
        |is: fn(ItemKind) -> bool| files.files.iter().flat_map(|file| &file.items).filter(|item| is(item.kind)).count();
    let bullets = of(|kind| matches!(kind, ItemKind::Bullet(_)));
    let entries = of(|kind| kind == ItemKind::Entry);
    let mut parts = vec![count(files.files.len(), "file", "files"), count(bullets, "bullet", "bullets")];
    if entries > 0 {
        parts.push(count(entries, "episode", "episodes"));
    }
    parts.join(", ")
}

fn limits(session: &Session, is_whole: bool) -> Vec<String> {
    let mut limits = Vec::new();
    if session.store.require_unfiltered().is_err() {
        limits.push(format!("It shows what {} may see.", visible(&session.actor)));
    }
    if !is_whole {
        limits.push("It shows the named files only.".to_owned());
    }
    limits
}

fn bodies(
    session: &Session,
    files: &PageFiles,
    facts: &[ItemFacts<'_>],
    contradictions: &[Contradiction],
) -> Vec<PageFile> {
    let names = LinkNames::new(files.files.iter().map(|file| &file.path));
    let today = session.now.date().to_string();
    let contradicted: HashSet<usize> = contradictions.iter().flat_map(|group| &group.sides).map(|s| s.item).collect();
    let body = |(number, facts): (usize, &ItemFacts<'_>)| {
        let first = files.first_items[number];
        let resolve = |target: &str, is_wiki: bool| files.link_target(&names, &facts.file.path, target, is_wiki);
        let marks = |item: usize| {
            let mut marks = item_marks(facts, item, &today);
            marks.extend(contradicted.contains(&(first + item)).then(|| "contradicted".to_owned()));
            marks
        };
        page_file(facts, number, first, &resolve, &marks)
    };
    facts.iter().enumerate().map(body).collect()
}

/// The files by folder: facts first, then what happened, then how things are done.
fn folders(files: Vec<PageFile>) -> Vec<PageFolder> {
    let mut folders: Vec<PageFolder> = Vec::new();
    for file in files {
        match folders.iter_mut().find(|folder| folder.name == file.folder) {
            Some(folder) => folder.files.push(file),
            None => folders.push(PageFolder { name: file.folder.clone(), files: vec![file] }),
        }
    }
    let known = ["facts", "episodes", "procedures", "notes"];
    folders.sort_by_key(|folder| known.iter().position(|name| *name == folder.name).unwrap_or(2));
    if let Some(episodes) = folders.iter_mut().find(|folder| folder.name == "episodes") {
        episodes.files.reverse();
    }
    folders
}

/// The proposals; `None` for a reader who may not see them.
fn proposals(session: &Session) -> Option<Vec<PageProposal>> {
    // A dry run removes no expired proposal.
    let options = ChangeOptions { dry_run: true, ..ChangeOptions::default() };
    let today = session.now.date().to_string();
    let listed = inbox::inbox(session, &[], None, &options).ok()?;
    let waiting = listed.proposals.into_iter().filter(|row| row.until.as_ref().is_none_or(|until| *until >= today));
    let proposal = |row: super::results::ProposalRow| PageProposal {
        accept: if row.readable { command(session, vec!["inbox", "--accept"], &row.id) } else { String::new() },
        reject: command(session, vec!["inbox", "--reject"], &row.id),
        id: visible(&row.id).into_owned(),
        title: visible(&row.title).into_owned(),
        details: row.said.iter().chain(&row.notes).map(|line| visible(line).into_owned()).collect(),
        until: row.until.unwrap_or_default(),
        diff: row.diff.lines().map(diff_line).collect(),
    };
    Some(waiting.map(proposal).collect())
}

fn diff_line(line: &str) -> DiffLine {
    let kind = match line.as_bytes().first() {
        _ if line.starts_with("+++") || line.starts_with("---") => "place",
        Some(b'+') => "added",
        Some(b'-') => "removed",
        Some(b'@') => "place",
        _ => "context",
    };
    DiffLine { kind, text: visible(line).into_owned() }
}

fn item_link(session: &Session, files: &PageFiles, facts: &ItemFacts<'_>, file: usize, bullet: usize) -> ItemLink {
    let document: &Document = &facts.file.document;
    let address = format!("{}{}", facts.file.path, document.bullet_reference(bullet));
    let item = files.item_of_bullet(file, bullet).unwrap_or(files.first_items[file]);
    let date = facts.date(item - files.first_items[file]);
    ItemLink {
        item,
        command: command(session, vec!["rm"], &address),
        address: visible(&address).into_owned(),
        text: visible(&document.bullet_text(bullet)).into_owned(),
        date: date.map(|date| date.day.to_string()).unwrap_or_default(),
    }
}

/// The bullets of one section that exclude each other.
fn contradictions(session: &Session, files: &PageFiles, facts: &[ItemFacts<'_>]) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for (number, facts) in facts.iter().enumerate().filter(|(_, facts)| file_kind(&facts.file.path) == FileKind::Facts)
    {
        for group in contradicting_groups(&facts.file.document, session.now.date()) {
            let side = |bullet: usize| item_link(session, files, facts, number, bullet);
            found.push(Contradiction { sides: group.into_iter().map(side).collect() });
        }
    }
    found
}

/// The bullets whose anchors the last check on this machine found stale.
fn stale_anchors(session: &Session, files: &PageFiles, facts: &[ItemFacts<'_>]) -> Vec<StaleAnchorRow> {
    let mut found = Vec::new();
    for (number, facts) in facts.iter().enumerate() {
        for item in 0..facts.file.items.len() {
            let (Some(state), ItemKind::Bullet(bullet)) = (facts.stale_anchor(item), facts.file.items[item].kind)
            else {
                continue;
            };
            let link = item_link(session, files, facts, number, bullet as usize);
            let anchor = facts.meta(item).raw(MetaKey::Anchor.name()).map(visible).unwrap_or_default().into_owned();
            let check = command(session, vec!["check", "--anchors"], facts.file.path.as_str());
            found.push(StaleAnchorRow { item: ItemLink { command: check, ..link }, anchor, state: state.name() });
        }
    }
    found
}

/// The days on which the bullets of a page were written, as far as known.
fn creation_days(facts: &[ItemFacts<'_>]) -> Vec<Option<Date>> {
    let of_file = |facts: &ItemFacts<'_>| -> Vec<Option<Date>> {
        let items = facts.file.items.iter().enumerate();
        let bullets = items.filter(|(_, item)| matches!(item.kind, ItemKind::Bullet(_)));
        bullets.map(|(item, _)| facts.created(item).map(|date| date.day)).collect()
    };
    facts.iter().flat_map(of_file).collect()
}

/// How the memory grew, and how it is written and read.
fn plots(created: &[Option<Date>], today: Date, report: &StatsReport) -> Vec<TimePlot> {
    let mut written: BTreeMap<Date, f64> = BTreeMap::new();
    for day in created.iter().flatten().filter(|day| **day <= today) {
        *written.entry(*day).or_default() += 1.0;
    }
    let undated = created.iter().filter(|day| day.is_none()).count();
    let title = match undated {
        0 => "Bullets by the day they were written".to_owned(),
        n => format!("Bullets by the day they were written, but for {n} without a date"),
    };
    let of = |metrics: &[&str]| {
        let mut days: BTreeMap<Date, f64> = BTreeMap::new();
        for day in report.figures.iter().filter(|figure| metrics.contains(&figure.metric)).flat_map(|f| &f.days) {
            if let Ok(date) = day.day.parse() {
                *days.entry(date).or_default() += day.value;
            }
        }
        days
    };
    let all = [
        time_plot(&title, "bullets", &written, today, Sum::UntilThen),
        time_plot("Changes", "changes", &of(&["event"]), today, Sum::OfPeriod),
        time_plot("Reads", "reads", &of(&["read"]), today, Sum::OfPeriod),
    ];
    all.into_iter().flatten().collect()
}

fn shares(created: &[Option<Date>], today: Date, report: &StatsReport) -> Vec<ShareTable> {
    let of = |metric: &str| -> Vec<&StatsFigure> {
        report.figures.iter().filter(|figure| figure.metric == metric).collect()
    };
    let by_value = |metric: &str| {
        let mut rows = of(metric);
        rows.sort_by(|a, b| b.value.total_cmp(&a.value));
        rows
    };
    let named = |figure: &StatsFigure| (figure.name.clone(), figure.value);
    let categories = by_value("category").into_iter().map(|figure| match &*figure.name {
        "none" => ("without a category".to_owned(), figure.value),
        _ => named(figure),
    });
    let by_agent = |metric: &str| {
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        for figure in of(metric) {
            *sums.entry(figure.actor.clone().unwrap_or_default()).or_default() += figure.value;
        }
        let mut rows: Vec<(String, f64)> = sums.into_iter().collect();
        rows.sort_by(|a, b| b.1.total_cmp(&a.1));
        rows
    };
    // The journal and the entries know more dates than the metadata that `stats` counts.
    let age = |day: &Option<Date>| age_name(day.and_then(|day| day.until(today).ok()).map(|age| age.get_days()));
    let count = |name: &str| created.iter().filter(|day| age(day) == name).count() as f64;
    let ages = AGE_NAMES.iter().map(|name| ((*name).to_owned(), count(name)));
    let all = [
        share_table("Bullets by category", categories, MAX_SHARES),
        share_table("Bullets by age", ages, MAX_SHARES),
        share_table("Items", of("items").into_iter().map(named), MAX_SHARES),
        share_table("Changes by writer", by_agent("write").into_iter(), MAX_SHARES),
        share_table("Reads by reader", by_agent("read").into_iter(), MAX_SHARES),
    ];
    all.into_iter().flatten().collect()
}
