//! `context`: what a session should see first.
//!
//! Takes no lock. What a reader has seen is noted below `.memdir/` as well as it can be, and only once the answer is
//! out: whoever called says when.

mod mark;
mod news;

use std::collections::HashMap;

use super::answer::Answer;
use super::look::summary_of;
use super::{Failure, Session};
use crate::change::Entry as Revision;
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::path::MemoryPath;
use crate::store::{Found as File, Store};
use crate::view::context::answer::Context;
use crate::view::context::entries::{Entry, entries};
use crate::view::context::files::{Listed, by_value, day};
use crate::view::context::gate::Gate;
use crate::view::context::notes::notes;
use crate::view::context::page::{Ask, BUDGET, Material, available, listed, page};
use crate::view::context::records::records;
use crate::view::context::spot::Spotter;
use crate::view::context::{cut, delta};
use crate::view::query::count::Found;
use crate::view::query::known::Known;

pub use mark::Mark;
use mark::Names;
use news::{Base, News};

/// The largest file that is looked at closely, in bytes.
const WHOLE: usize = 64 << 20;
/// How few tokens an entry or record takes at least: more than fit are not looked at.
const FEW: usize = 8;

/// How a context is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// News, what is pinned and important, the index, the newest entries, how to use memdir.
    #[default]
    Default,
    /// The index alone (seeds/m2-markdown-memory.md 5).
    Index,
    /// All items by date (seeds/memory-feature.md).
    Records,
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct ContextQuery {
    /// How it is laid out.
    pub style: Style,
    /// At most so many tokens; 2,000 without it.
    pub budget: Option<usize>,
    /// Who reads, where that was said: then the news are told.
    pub reader: Option<String>,
    /// How the caller named the data dir, as shell words.
    pub before: String,
}

/// What a session should see first, and the mark to keep once it is out.
///
/// # Errors
/// `usage` for a budget that is too small; `io`.
pub fn context(session: &Session, query: &ContextQuery) -> Result<(Answer, Option<Mark>), Failure> {
    let ask =
        Ask { budget: query.budget.unwrap_or(BUDGET), before: query.before.clone(), app: app(session).to_owned() };
    if ask.budget < ask.least() {
        let message = format!("a context takes at least {} tokens", ask.least());
        return Err(Rejection::new(Code::Usage, message).hint("give a larger -b").into());
    }
    let gate = Gate { today: session.now.date() };
    let look = Look { session, ask: &ask, gate, reader: query.reader.as_deref() };
    let (context, mark) = session.store.consistent(|| match query.style {
        Style::Default => look.all(),
        Style::Index => look.index().map(|context| (context, None)),
        Style::Records => look.records().map(|context| (context, None)),
    })??;
    Ok((Answer::Context(Box::new(context)), mark))
}

/// Whose memory it is: the scope's name, else that of the directory around `memory/`.
fn app(session: &Session) -> &str {
    let mut names = session.dir.iter().rev().filter_map(|name| name.to_str());
    let usual = |name: &&str| !matches!(*name, "memory" | "data" | "/");
    names.find(usual).unwrap_or("memory")
}

/// One look at one state of the memory.
struct Look<'a> {
    session: &'a Session,
    ask: &'a Ask,
    gate: Gate,
    reader: Option<&'a str>,
}

/// What one file gives.
#[derive(Default)]
struct Seen {
    listed: Option<Listed>,
    found: Option<Box<Found>>,
    base: Option<Base>,
}

impl Look<'_> {
    fn store(&self) -> &Store {
        &self.session.store
    }

    fn all(&self) -> Result<(Context, Option<Mark>), Rejection> {
        let policy = &self.session.policy.policy;
        // Without a reader only what was written lately is of interest: the order of the index.
        let past = self.store().past(self.reader.is_some())?;
        let revisions = past.entries();
        let old = self.reader.and_then(|reader| Mark::of(self.store(), reader)).filter(|m| m.stands(&revisions));
        let files = self.store().walk(None)?;
        let shared = files.iter().map(|f| &f.path).filter(|path| path.folder() != Some("inbox"));
        let there = self.reader.map_or_else(Names::default, |_| Names::of(shared));
        // On the first look nothing is news, and what was edited outside before it never will be.
        let start = self.reader.map(|reader| Mark::after(reader, &revisions, &there, HashMap::new()));
        let news = old.as_ref().or(start.as_ref()).map(|mark| News::new(mark, &revisions, &there));
        let procedures = files.iter().filter(|f| f.path.folder() == Some("procedures")).count();
        let files: Vec<File> = files
            .into_iter()
            .filter(|f| self.gate.folder(&f.path) || news.as_ref().is_some_and(|n| n.knows(&f.path)))
            .collect();
        let spotter = Spotter::new(policy);
        let mut seen = self.store().each(&files, WHOLE, &|file, read| {
            let Ok((bytes, _)) = read else { return Seen::default() };
            self.seen(file, bytes, &spotter, news.as_ref())
        });
        let known = Known::read(&revisions);
        let close: Vec<Found> = seen.iter_mut().filter_map(|s| s.found.take()).map(|found| *found).collect();
        let mut listed: Vec<Listed> = seen.iter_mut().filter_map(|s| s.listed.take()).collect();
        by_value(&mut listed, &written(&revisions));
        let bases: Vec<Base> = seen.iter_mut().filter_map(|s| s.base.take()).collect();
        let (touched, told) = match &news {
            Some(news) => news.touched(&past, bases, old.is_some()),
            None => (Vec::new(), HashMap::new()),
        };
        let fresh = old.as_ref().map_or_else(Known::default, |old| old.fresh(&revisions));
        let mark = self.reader.map(|reader| Mark::after(reader, &revisions, &there, told));
        let material = Material {
            since: old.as_ref().map(|old| old.since(&revisions)),
            events: delta::events(&touched, &fresh, &self.gate),
            notes: notes(&close, &known, policy, &self.gate),
            entries: self.newest(&listed)?,
            files: listed,
            procedures,
        };
        Ok((page(self.ask, &material, policy), mark))
    }

    /// Looks at one file no closer than it must.
    fn seen(&self, file: &File, bytes: &[u8], spotter: &Spotter, news: Option<&News<'_>>) -> Seen {
        let base = news.and_then(|news| news.base(&file.path, bytes));
        if !self.gate.folder(&file.path) {
            return Seen { base, ..Seen::default() };
        }
        let close = spotter.finds(file.path.stem(), bytes).then(|| Document::read(bytes.to_vec()).ok()).flatten();
        Seen {
            listed: Some(self.listed(file, bytes)),
            found: close.map(|document| Box::new(cut(&file.path, document))),
            base,
        }
    }

    fn listed(&self, file: &File, bytes: &[u8]) -> Listed {
        Listed { path: file.path.clone(), size: file.size, summary: summary_of(self.store(), &file.path, bytes) }
    }

    /// The newest entries, from the newest episode files: as many as could be shown.
    fn newest(&self, files: &[Listed]) -> Result<Vec<Entry>, Rejection> {
        let mut paths: Vec<&MemoryPath> =
            files.iter().map(|f| &f.path).filter(|p| p.folder() == Some("episodes")).collect();
        paths.sort_by(|a, b| day(b).cmp(&day(a)).then_with(|| a.cmp(b)));
        let (mut found, mut count) = (Vec::new(), 0);
        for path in paths {
            let Ok(Some(version)) = self.store().read(path) else { continue };
            let Ok(document) = Document::read(version.bytes.to_vec()) else { continue };
            let one = cut(path, document);
            count += one.document.sections().iter().filter(|s| s.level == 2).count();
            found.push(one);
            // One more tells that there are older ones. Beside an index that fills its room, a third is theirs.
            let crowded = files.len() * FEW > self.ask.budget;
            if count > self.ask.budget / if crowded { 9 * FEW } else { FEW } {
                break;
            }
        }
        Ok(entries(&found, &self.session.policy.policy, &self.gate))
    }

    fn index(&self) -> Result<Context, Rejection> {
        let revisions = self.store().recent()?;
        let files = self.files()?;
        let listed = self.store().each(&files, super::look::HEAD, &|file, read| {
            let Ok((bytes, _)) = read else { return None };
            self.gate.folder(&file.path).then(|| self.listed(file, bytes))
        });
        let mut listed: Vec<Listed> = listed.into_iter().flatten().collect();
        by_value(&mut listed, &written(&revisions));
        Ok(available(self.ask, &listed))
    }

    /// The files that take part at all.
    fn files(&self) -> Result<Vec<File>, Rejection> {
        Ok(self.store().walk(None)?.into_iter().filter(|f| self.gate.folder(&f.path)).collect())
    }

    fn records(&self) -> Result<Context, Rejection> {
        let files = self.files()?;
        let found = self.store().each(&files, WHOLE, &|file, read| {
            let Ok((bytes, _)) = read else { return None };
            let document = self.gate.folder(&file.path).then(|| Document::read(bytes.to_vec()).ok()).flatten()?;
            Some(Box::new(cut(&file.path, document)))
        });
        let found: Vec<Found> = found.into_iter().flatten().map(|found| *found).collect();
        let known = Known::read(&self.store().journal()?);
        let (shown, count) = records(&found, &known, &self.gate, self.ask.budget / FEW);
        Ok(listed(self.ask, &shown, count))
    }
}

/// The last revision that wrote each file.
fn written(revisions: &[Revision]) -> HashMap<&MemoryPath, u64> {
    let done = revisions.iter().filter(|r| r.outcome == crate::change::Outcome::Done);
    done.flat_map(|r| r.files.iter().map(|f| (&f.path, r.rev))).collect()
}
