//! `query`: the items that fit a question, best first.
//!
//! Takes no lock and leaves no trace. Every file is read through the store's own handles; there is no index.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::answer::Answer;
use super::gate::{asking, asks};
use super::when::{When, revision, when};
use super::{Session, Verdict};
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::path::MemoryPath;
use crate::store::{Found as File, Store};
use crate::view::links::Names;
use crate::view::query::answer::{Found, shown};
use crate::view::query::count::{Counted, Found as Whole, Look, count};
use crate::view::query::facts::{About, Point};
use crate::view::query::filter::{Ask, Filter, Pass};
use crate::view::query::known::Known;
use crate::view::query::linked::{Around, Ends};
use crate::view::query::score::rank;
use crate::view::query::spot::Spotter;
use crate::view::query::terms::Terms;

/// The largest file that is searched, in bytes.
const WHOLE: usize = 64 << 20;
/// How many files are cut into items in any case, so that a mean is known: the first ones.
const SAMPLE: usize = 8;

/// What fits a question.
///
/// # Errors
/// `category_not_allowed` for a category that the caller or `ask.agent` may not see; `usage` for a question without words and filters, and for points in time that are none; `file_not_found` for a glob
/// that fits no file; `no_data_dir` for a scope that does not exist; `revision_not_found`; `io`.
pub fn query(session: &Session, ask: &Ask) -> Verdict {
    query_over(session, ask, &Over::new())
}

/// Texts that stand in the place of what is on the disk; `None`: the file is not there.
pub type Over = HashMap<MemoryPath, Option<Vec<u8>>>;

/// The same over texts that are not written yet.
pub fn query_over(session: &Session, ask: &Ask, over: &Over) -> Verdict {
    if ask.question.trim().is_empty() && !ask.is_filtered() {
        return Err(Rejection::new(Code::Usage, "the question has no words and no filter")
            .hint("give words, or a filter such as --tag, --category or --since")
            .into());
    }
    let narrow = ask.agent.as_deref().map(|agent| asking(session, agent));
    let (session, sight) = match &narrow {
        Some((session, sight)) => (session, sight.clone()),
        None => (session, session.sight()),
    };
    if let Some(sight) = sight {
        asks(&sight, &ask.categories)?;
    }
    let terms = Terms::read(&ask.question, session.now.date());
    let scope = scope(session, ask)?;
    let store = scope.as_ref().unwrap_or(&session.store);
    let filter = Filter {
        ask,
        since: ask.since.as_deref().map(|w| point(session, store, w, false)).transpose()?,
        until: ask.until.as_deref().map(|w| point(session, store, w, true)).transpose()?,
        today: session.now.date(),
    };
    Ok(Answer::Found(store.consistent(|| look(store, &filter, &terms, over))??))
}

/// One look at one state of the memory.
fn look(store: &Store, filter: &Filter<'_>, terms: &Terms, over: &Over) -> Result<Found, Rejection> {
    let ask = filter.ask;
    let files = files(store, ask, over)?;
    if terms.all.is_empty() && !ask.question.trim().is_empty() {
        return Ok(Found { query: ask.question.clone(), scope: ask.scope.clone(), ..Found::default() });
    }
    let spotter = Spotter::new(terms);
    let last = files.get(SAMPLE.min(files.len()).wrapping_sub(1)).map(|file| &file.path);
    let counted: Vec<Counted> = store.each(&files, WHOLE, &|file, read| {
        let bytes = match (over.get(&file.path), read) {
            (Some(Some(text)), _) => text.as_slice(),
            (None, Ok((bytes, _))) => bytes,
            _ => return Counted::default(),
        };
        let look = match (terms.dated || terms.all.is_empty(), last) {
            (true, _) => Look::All,
            (_, Some(last)) if file.path <= *last => Look::Sample,
            _ => Look::Spots,
        };
        let counted = count(&file.path, bytes, terms, &spotter, look);
        // Every item will be named: the work is better done here, where threads share it.
        if let Some(found) = counted.found.as_ref().filter(|_| ask.limit.is_none() && ask.budget.is_none()) {
            found.document.handles();
        }
        counted
    });
    let known = match counted.iter().any(|c| c.found.is_some()) {
        // What it tells, it tells of items that are shown: by whom, when and from what.
        true => Known::read(&store.bare().journal()?),
        false => Known::default(),
    };
    let ranking = rank(&counted, terms, &known, &|about, item| filter.pass(about, item));
    let (mut answer, hits) = shown(&ranking, terms, ask);
    if ask.linked && !hits.is_empty() {
        let names = Names::new(files.iter().map(|file| &file.path));
        let around = Around::of(&hits, &ranking, &names);
        let others = linked(store, &files, &around.ends());
        let others: Vec<About<'_>> = others.iter().map(|found| About::new(found, &known)).collect();
        around.add(&mut answer, &others, ask, &|about, item| filter.pass(about, item) == Pass::Yes);
    }
    Ok(answer)
}

/// The files at the other end of the best hits' links: the one look at all files that only `--linked` pays for.
fn linked(store: &Store, files: &[File], ends: &Ends<'_>) -> Vec<Whole> {
    let found = store.each(files, WHOLE, &|file, read| {
        let text = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok())?;
        ends.takes(&file.path, text).then(|| Whole::whole(file.path.clone(), Document::parse(text)))
    });
    found.into_iter().flatten().collect()
}

/// The scope that a question names; `None` for the data dir itself.
fn scope(session: &Session, ask: &Ask) -> Result<Option<Store>, Rejection> {
    let Some(name) = &ask.scope else { return Ok(None) };
    let above = session.dir.parent().and_then(|p| p.file_name());
    if above.is_some_and(|a| a == "scopes") && session.dir.file_name().is_some_and(|own| own == name.as_str()) {
        return Ok(None);
    }
    let none =
        || Rejection::new(Code::NoDataDir, "there is no such scope").hint("a user_id names a data dir below scopes/");
    session.store.scope(name)?.map(Some).ok_or_else(none)
}

/// The files to look at.
fn files(store: &Store, ask: &Ask, over: &Over) -> Result<Vec<File>, Rejection> {
    let mut files: Vec<File> = store.walk(None)?.into_iter().filter(|f| ask.takes(&f.path)).collect();
    for path in over.keys().filter(|path| ask.takes(path)) {
        if let Err(at) = files.binary_search_by(|f| f.path.cmp(path)) {
            files.insert(at, File { path: path.clone(), size: 0, refused: None });
        }
    }
    if files.is_empty() && !ask.within.is_empty() {
        let none = Rejection::new(Code::FileNotFound, "no file fits --in");
        return Err(none.hint("globs are like facts/*.md or episodes"));
    }
    Ok(files)
}

/// A point in time: of a day that is named, its first moment, or (`last`) its last one.
fn point(session: &Session, store: &Store, text: &str, last: bool) -> Result<Point, Rejection> {
    let stamp = match when(text, &session.now)? {
        When::Rev(_) => revision(text, &store.journal()?)?.at.clone(),
        When::Time(at) => at,
    };
    let bad = || Rejection::new(Code::Usage, "that time cannot be reckoned with");
    let at: Timestamp = stamp.parse().map_err(|_| bad())?;
    let local = at.to_zoned(session.now.time_zone().clone());
    let text = text.trim().to_lowercase();
    let named = text.len() == 10 && text.parse::<Date>().is_ok() || text == "today" || text == "yesterday";
    let end = || local.end_of_day().map(|end| end.timestamp()).map_err(|_| bad());
    let at = if named && last { end()? } else { at };
    Ok(Point { day: local.date(), at: TimeZone::UTC.to_datetime(at) })
}
