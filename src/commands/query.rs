//! `query`: the items that fit a question, best first.
//!
//! Takes no lock and leaves no trace. Every file is read through the store's own handles; there is no index.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::answer::Answer;
use super::when::{When, revision, when};
use super::{Session, Verdict};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;
use crate::store::Found as File;
use crate::view::query::answer::{Found, answer};
use crate::view::query::count::{Counted, Look, count};
use crate::view::query::facts::Point;
use crate::view::query::filter::{Ask, Filter};
use crate::view::query::known::Known;
use crate::view::query::score::rank;
use crate::view::query::spot::Spotter;
use crate::view::query::terms::Terms;

/// The largest file that is searched, in bytes.
const WHOLE: usize = 64 << 20;
/// How many files are cut into items in any case, so that a mean is known: the first ones.
const SAMPLE: usize = 16;

/// What fits a question.
///
/// # Errors
/// `usage` for a question without words and filters, and for points in time that are none; `file_not_found` for a glob
/// that fits no file; `no_data_dir` for a scope that does not exist; `revision_not_found`; `io`.
pub fn query(session: &Session, ask: &Ask) -> Verdict {
    if ask.question.trim().is_empty() && !ask.is_filtered() {
        return Err(Rejection::new(Code::Usage, "the question has no words and no filter")
            .hint("give words, or a filter such as --tag, --category or --since")
            .into());
    }
    let today = session.now.date();
    let terms = Terms::read(&ask.question, today);
    if terms.all.is_empty() && !ask.question.trim().is_empty() {
        return Ok(Answer::Found(Found { query: ask.question.clone(), scope: ask.scope.clone(), ..Found::default() }));
    }
    let found = session.store.consistent(|| look(session, ask, &terms))??;
    Ok(Answer::Found(found))
}

/// One look at one state of the memory.
fn look(session: &Session, ask: &Ask, terms: &Terms) -> Result<Found, Rejection> {
    let place = Place::of(session, ask)?;
    let files = place.files(session, ask)?;
    let spotter = Spotter::new(terms);
    let last = files.iter().take(SAMPLE).last().map(|file| &file.path);
    let counted: Vec<Counted> = session.store.each(&files, WHOLE, &|file, read| {
        let Ok((bytes, _)) = read else { return Counted::default() };
        let look = match (terms.dated || terms.all.is_empty(), last) {
            (true, _) => Look::All,
            (_, Some(last)) if file.path <= *last => Look::Sample,
            _ => Look::Spots,
        };
        count(&place.shown(&file.path), bytes, terms, &spotter, look)
    });
    let anything = counted.iter().any(|c| c.found.is_some());
    let known = match anything && place.scope.is_none() {
        true => Known::read(&session.store.journal()?),
        false => Known::default(),
    };
    let filter = Filter {
        ask,
        since: ask.since.as_deref().map(|w| point(session, w, false)).transpose()?,
        until: ask.until.as_deref().map(|w| point(session, w, true)).transpose()?,
        today: session.now.date(),
    };
    // The gate: whoever may not see an item is to be turned away here, before anything is counted or shown.
    let ranking = rank(&counted, terms, &known, &|about, item| filter.pass(about, item));
    Ok(answer(&ranking, terms, ask))
}

/// Where is looked: the data dir, or a scope in it.
struct Place {
    /// `scopes/NAME/`
    scope: Option<String>,
}

impl Place {
    fn of(session: &Session, ask: &Ask) -> Result<Place, Rejection> {
        let Some(name) = &ask.scope else { return Ok(Place { scope: None }) };
        let own = || {
            let above = session.dir.parent().and_then(|p| p.file_name());
            above.is_some_and(|a| a == "scopes") && session.dir.file_name().is_some_and(|own| own == name.as_str())
        };
        if own() {
            return Ok(Place { scope: None });
        }
        let one = !name.contains(['/', '\\']) && !name.starts_with('.');
        let walked = if one { session.store.walk(Some(&format!("scopes/{name}"))) } else { Ok(Vec::new()) };
        match walked? {
            files if files.is_empty() => Err(Rejection::new(Code::NoDataDir, "there is no such scope, or it is empty")
                .hint("a user_id names a data dir below scopes/")),
            _ => Ok(Place { scope: Some(format!("scopes/{name}/")) }),
        }
    }

    /// The files to look at.
    fn files(&self, session: &Session, ask: &Ask) -> Result<Vec<File>, Rejection> {
        let all = session.store.walk(self.scope.as_deref().map(|s| s.trim_end_matches('/')))?;
        let files: Vec<File> = all.into_iter().filter(|f| ask.takes(&self.shown(&f.path))).collect();
        if files.is_empty() && !ask.within.is_empty() {
            return Err(
                Rejection::new(Code::FileNotFound, "no file fits --in").hint("globs are like facts/*.md or episodes")
            );
        }
        Ok(files)
    }

    /// A file's path as seen from the place.
    fn shown<'a>(&self, path: &'a MemoryPath) -> Cow<'a, MemoryPath> {
        let inner = self.scope.as_deref().and_then(|scope| path.as_str().strip_prefix(scope));
        inner.and_then(|inner| MemoryPath::found(inner).ok()).map_or(Cow::Borrowed(path), Cow::Owned)
    }
}

/// A point in time: of a day that is named, its first moment, or (`last`) its last one.
fn point(session: &Session, text: &str, last: bool) -> Result<Point, Rejection> {
    let stamp = match when(text, &session.now)? {
        When::Rev(_) => revision(text, &session.store.journal()?)?.at.clone(),
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
