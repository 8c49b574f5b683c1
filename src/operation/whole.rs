//! Operations on texts rather than bullets: `write`, `patch`, `append`.
//!
//! Never guesses where a text belongs: exact matches and ends of files only.

use crate::change::{Effect, Sign};
use crate::code::{Code, Rejection, Warning};
use crate::document::Document;
use crate::path::MemoryPath;
use crate::text::Splice;

use super::desk::{Base, Desk};
use super::draft::{Draft, Echo};
use super::locate::{SectionRef, resolve};
use super::snapshot::{Step, is_current};
use super::{Action, Operation, Target, effects, merge, refuse};

/// `write`: makes a file, or replaces all of it when the caller proves that it read it.
pub fn write(desk: &mut Desk<'_>, n: usize, op: &Operation, at: &Target, text: &str, create: bool) -> Step<Vec<Draft>> {
    let spot = resolve(at, desk.snapshot, desk.cx.prefixes, desk.cx.policy)?;
    if spot.bullet.is_some() || spot.section != SectionRef::File {
        return Err(Rejection::new(Code::Usage, "write takes a file").into());
    }
    let text = plain(text)?;
    let base = desk.writable(n, op, &spot.path, create)?;
    if let Base::Present(file) = &base {
        if file.document.text() == text {
            let told = effects::line(&spot.path, Sign::Same, "the file reads so already", None, n);
            return Ok(vec![Draft::Same(told)]);
        }
        let proven = op.if_match.is_some() || is_current(op.seen.as_deref(), file, None);
        if !proven && !desk.cx.force {
            let drops = effects::between(Some(&file.document), Some(&Document::parse(text.clone())), &spot.path, n);
            return Err(refuse::would_drop(file, &spot.path, &drops).into());
        }
    }
    Ok(vec![Draft::Whole(spot.path, text)])
}

/// A text fit to be a file: no NUL, no conflict markers.
fn plain(text: &str) -> Result<String, Rejection> {
    if let Some(at) = text.find('\0') {
        return Err(Rejection::new(Code::NotText, format!("the text holds a NUL byte (byte {at})")));
    }
    if let Some(line) = Document::parse(text).conflict_marker() {
        return Err(Rejection::new(
            Code::ConflictMarkers,
            format!("line {line} of the text is a merge conflict marker"),
        ));
    }
    Ok(text.to_owned())
}

/// `patch`: every old text must stand exactly once outside the derived line; all are found before any is replaced.
pub fn patch(
    desk: &mut Desk<'_>,
    n: usize,
    op: &Operation,
    at: &Target,
    pairs: &[(String, String)],
) -> Step<Vec<Draft>> {
    let spot = resolve(at, desk.snapshot, desk.cx.prefixes, desk.cx.policy)?;
    if spot.bullet.is_some() || spot.section != SectionRef::File {
        return Err(Rejection::new(Code::Usage, "patch takes a file").into());
    }
    desk.proof(n, op, &spot)?;
    let file = desk.changeable(&spot)?;
    let text = file.document.text();
    let derived = file.document.summary().map(|s| s.line.range());
    let eol = file.document.eol().as_str();
    let mut splices: Vec<Splice> = Vec::new();
    let mut done = None;
    for (k, (old, new)) in pairs.iter().enumerate() {
        let (old, new) = (with_eol(old, eol), with_eol(new, eol));
        if new.contains('\0') {
            return Err(
                Rejection::new(Code::NotText, format!("the new text of pair {} holds a NUL byte", k + 1)).into()
            );
        }
        match once(text, &old, &new, derived.clone()) {
            Found::At(start) => splices.push(Splice { start, end: start + old.len(), new }),
            Found::Already => {}
            Found::Replaced if replaced(desk, &spot.path, &old)? => done = done.or(Some(k)),
            Found::Replaced | Found::Nowhere => return Err(refuse::text_not_found(&spot.path, k).into()),
            Found::Often(times) => return Err(refuse::ambiguous_text(&spot.path, k, times).into()),
        }
    }
    splices.sort_by_key(|s| (s.start, s.end));
    splices.retain(|s| text[s.start..s.end] != s.new);
    // Done before is a patch as a whole, or not at all.
    if let (Some(k), false) = (done, splices.is_empty()) {
        return Err(refuse::text_not_found(&spot.path, k).into());
    }
    if splices.is_empty() {
        return Ok(vec![Draft::Same(effects::line(
            &spot.path,
            Sign::Same,
            "the patch is in the file already",
            None,
            n,
        ))]);
    }
    let after = crate::text::splice(text, &splices).map_err(|_| {
        Rejection::new(Code::OverlappingOperations, format!("two texts of the patch meet in {}", spot.path))
    })?;
    let after = Document::parse(plain(&after)?);
    let told = effects::between(Some(&file.document), Some(&after), &spot.path, n);
    let mut told = Some(told);
    let drafts = splices.into_iter().map(|s| {
        let echo = told.take().map_or(Echo::Silent, Echo::Told);
        Draft::Edit(spot.path.clone(), crate::document::Edit::Raw(s), echo)
    });
    Ok(drafts.collect())
}

enum Found {
    At(usize),
    /// The old text stands only inside the new one: done before.
    Already,
    /// The new text stands and the old one does not: done before, if the old one ever stood there.
    Replaced,
    Nowhere,
    Often(usize),
}

/// Where an old text stands; the derived line is searched only for a text that contains it.
fn once(text: &str, old: &str, new: &str, derived: Option<std::ops::Range<usize>>) -> Found {
    let outside = |at: &usize| match &derived {
        Some(line) if !old.contains("> Summary:") => *at + old.len() <= line.start || *at >= line.end,
        _ => true,
    };
    let places: Vec<usize> = text.match_indices(old).map(|(at, _)| at).filter(outside).collect();
    let news: Vec<usize> = match new.is_empty() {
        true => Vec::new(),
        false => text.match_indices(new).map(|(at, _)| at).collect(),
    };
    let inside_new = |at: &usize| news.iter().any(|s| s <= at && at + old.len() <= s + new.len());
    match places[..] {
        _ if old != new && !places.is_empty() && new.contains(old) && places.iter().all(inside_new) => Found::Already,
        [at] => Found::At(at),
        [] if !news.is_empty() => Found::Replaced,
        [] => Found::Nowhere,
        _ => Found::Often(places.len()),
    }
}

/// Whether an earlier text of the file had it: that a short new text stands somewhere proves nothing.
fn replaced(desk: &Desk<'_>, path: &MemoryPath, old: &str) -> Step<bool> {
    let history = desk.snapshot.history(path)?;
    let mut texts = history.left.iter().chain(history.past.iter().map(|p| &p.document));
    Ok(texts.any(|d| d.text().contains(old)))
}

fn with_eol(text: &str, eol: &str) -> String {
    match eol {
        "\r\n" => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        _ => text.to_owned(),
    }
}

/// `append`: an episode entry, or a block of markdown at the end of any file.
pub fn append(desk: &mut Desk<'_>, n: usize, op: &Operation) -> Step<Vec<Draft>> {
    let Action::Append { at, text, title, date, summary, file_summary, create } = &op.action else {
        return Ok(Vec::new());
    };
    let target = match at {
        Some(target) => target.clone(),
        None => Target::Address(current_episode(desk, date.as_deref())?),
    };
    let spot = resolve(&target, desk.snapshot, desk.cx.prefixes, desk.cx.policy)?;
    if spot.bullet.is_some() || spot.section != SectionRef::File {
        return Err(Rejection::new(Code::Usage, "append takes a file").into());
    }
    let episodes = spot.path.folder() == Some("episodes");
    let block = entry(desk, episodes, &plain(text)?, title.as_deref(), date.as_deref(), summary.as_deref())?;
    // A file named after a period is new every period: its neighbours' names are close by design.
    let base = desk.writable(n, op, &spot.path, *create || crate::path::is_episode(spot.path.stem()))?;
    let document = desk.document(&base);
    let mut drafts = Vec::new();
    if holds(document, &block) {
        drafts.push(Draft::Same(effects::line(&spot.path, Sign::Same, first_line(&block), None, n)));
    } else {
        let cut = at_end(document, &block)
            .map_err(|why| Rejection::new(Code::WouldBreakStructure, format!("in {}: {why}", spot.path)))?;
        let told = appended(document, &cut, &spot.path, n)?;
        drafts.push(Draft::Edit(spot.path.clone(), crate::document::Edit::Raw(cut), Echo::Told(told)));
    }
    if let Some(line) = file_summary {
        super::keys::check_line(line)?;
        drafts.push(Draft::Line(spot.path, line.clone()));
    }
    Ok(drafts)
}

/// The episode file of a day.
fn current_episode(desk: &Desk<'_>, date: Option<&str>) -> Result<String, Rejection> {
    let day = match date {
        Some(date) => super::keys::date(date)?,
        None => desk.cx.now.date(),
    };
    Ok(match desk.cx.policy.episodes {
        crate::policy::Period::Month => format!("episodes/{:04}-{:02}.md", day.year(), day.month()),
        crate::policy::Period::Week => {
            let week = day.iso_week_date();
            format!("episodes/{:04}-W{:02}.md", week.year(), week.week())
        }
    })
}

/// The markdown of an entry: its heading, summary and date, then what was written.
fn entry(
    desk: &mut Desk<'_>,
    episodes: bool,
    text: &str,
    title: Option<&str>,
    date: Option<&str>,
    summary: Option<&str>,
) -> Result<String, Rejection> {
    let body = text.trim_matches(['\n', '\r']).trim_end();
    let Some(title) = title else {
        if summary.is_some() || (episodes && !body.starts_with("## ")) {
            return Err(Rejection::new(
                Code::Usage,
                "an episode entry needs a title: -t TITLE, or a text that starts with '## '",
            ));
        }
        if body.is_empty() {
            return Err(Rejection::new(Code::EmptyInput, "there is nothing to append"));
        }
        return Ok(format!("{body}\n"));
    };
    let title = one_line("title", title)?;
    let mut block = format!("## {title}\n");
    if let Some(summary) = summary {
        block.push_str(&format!("- Summary: {}\n", one_line("summary", summary)?));
    }
    if !body.lines().any(|l| l.trim_start().starts_with("- Date:")) {
        let day = match date {
            Some(date) => super::keys::date(date)?,
            None => desk.cx.now.date(),
        };
        block.push_str(&format!("- Date: {day}\n"));
    }
    if !body.is_empty() {
        // A paragraph right below a bullet would be read as the bullet's own second line.
        let below_bullet = block.lines().count() > 1;
        if below_bullet && !["- ", "* ", "+ "].iter().any(|m| body.starts_with(m)) {
            block.push('\n');
        }
        block.push_str(body);
        block.push('\n');
    }
    let parsed = Document::parse(block.as_str());
    match parsed.sections().get(1) {
        Some(s) if parsed.text()[s.title.range()] == *title => Ok(block),
        _ => Err(Rejection::new(Code::WouldBreakStructure, "that title makes no heading")),
    }
}

/// A text that must be one line, trimmed.
pub fn one_line<'t>(what: &str, text: &'t str) -> Result<&'t str, Rejection> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Rejection::new(Code::Usage, format!("the {what} is empty")));
    }
    match text.chars().any(|c| c.is_control() && c != '\t') {
        true => Err(Rejection::new(Code::Multiline, format!("the {what} must be one line without control characters"))),
        false => Ok(text),
    }
}

fn first_line(block: &str) -> &str {
    block.lines().next().unwrap_or_default()
}

/// Whether a document holds a block already: the same lines, blank ones and trailing blanks aside.
fn holds(document: &Document, block: &str) -> bool {
    let lines = |t: &str| t.lines().map(str::trim_end).filter(|l| !l.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let wanted = lines(block);
    let starts_section = first_line(block).starts_with("## ");
    let sections = document.sections();
    if starts_section {
        return sections
            .iter()
            .skip(1)
            .any(|s| lines(&document.text()[s.heading.start as usize..s.end as usize]) == wanted);
    }
    lines(document.text()).ends_with(&wanted)
}

/// The insertion that puts a block at the end of a document, after one blank line, and the proof that it stands there
/// as it would stand alone.
///
/// # Errors
/// A sentence, when the end of the document would swallow the block.
pub fn at_end(document: &Document, block: &str) -> Result<Splice, String> {
    let text = document.text();
    let eol = document.eol().as_str();
    let tail = text.trim_end_matches(['\n', '\r', ' ', '\t']);
    let rest = &text[tail.len()..];
    let breaks = rest.matches('\n').count();
    let gap = match (tail.is_empty(), breaks) {
        (true, _) | (_, 2..) => String::new(),
        (_, 1) => eol.to_owned(),
        _ => eol.repeat(2),
    };
    let block = with_eol(&block.replace("\r\n", "\n"), eol);
    let splice = Splice { start: text.len(), end: text.len(), new: format!("{gap}{block}") };
    let after = Document::parse(format!("{text}{}", splice.new));
    let alone = Document::parse(block);
    let (n, m) = (document.nodes().len(), alone.nodes().len());
    // A last line without an end gets one, and belongs to the same blocks as before.
    let ended = |end: u32| if end as usize == text.len() && breaks == 0 { end + eol.len() as u32 } else { end };
    let same = after.nodes().len() == n + m
        && after.bullets().len() == document.bullets().len() + alone.bullets().len()
        && after.sections().len() == document.sections().len() + alone.sections().len() - 1
        && after.nodes()[..n]
            .iter()
            .zip(document.nodes())
            .all(|(a, b)| a.span.start == b.span.start && [b.span.end, ended(b.span.end)].contains(&a.span.end));
    match same {
        true => Ok(splice),
        false => {
            Err("the text at its end would swallow or change what is appended (an open code fence, a comment?)".into())
        }
    }
}

fn appended(document: &Document, cut: &Splice, path: &MemoryPath, n: usize) -> Result<Vec<Effect>, Rejection> {
    let after = crate::text::splice(document.text(), std::slice::from_ref(cut))
        .map_err(|_| Rejection::new(Code::Internal, "an append met the end of the text"))?;
    Ok(effects::between(Some(document), Some(&Document::parse(after)), path, n))
}

/// The removal of a range of whole lines, with one blank run when there is one on both sides.
pub fn cut(document: &Document, range: std::ops::Range<usize>) -> Splice {
    let text = document.text();
    let end = range.end;
    let mut start = range.start;
    if end >= text.len() {
        // Nothing follows: the blank lines that parted it from the text before go with it.
        let kept = text[..start].trim_end_matches(['\n', '\r', ' ', '\t']);
        let line = text[kept.len()..].find('\n').map_or(start, |i| kept.len() + i + 1);
        start = line.min(start);
    }
    Splice { start, end, new: String::new() }
}

/// A caller's edited copy on a file that moved on meanwhile: both changes, or a refusal that names the clashes.
pub fn merged(path: &MemoryPath, base: &str, ours: &str, theirs: &str) -> Result<(String, Option<Warning>), Rejection> {
    if base == ours {
        return Ok((theirs.to_owned(), None));
    }
    match merge::merge(base, ours, theirs, &merge::Labels::default()).clean() {
        Ok(text) => {
            Ok((text, Some(Warning::new(Code::Note, format!("{path} changed meanwhile; both changes were merged")))))
        }
        Err(clashes) => Err(refuse::clash(path, &clashes)),
    }
}
