//! Plans operations on text rather than bullets: `write`, `patch`, `append`.
//!
//! Never guesses a position: texts are matched exactly, or appended at the end of a file.

use crate::change::{Effect, EffectSign};
use crate::code::{Code, Rejection, Warning};
use crate::document::{Document, section_range};
use crate::path::MemoryPath;
use crate::text::Splice;

use super::archive::ArchivedItem;
use super::entry_text::{has_field, lower_headings, require_closed_blocks, separate_front_matter, split_summary};
use super::locate::SectionRef;
use super::past_changes::{old_positions, was_patched};
use super::pending_edit::{EffectKind, PendingEdit};
use super::planner::{EditBase, IndexedOperation, Planner};
use super::snapshot::{PlanStep, matches_etag};
use super::{Action, Operation, Target, adopted, effects, merge, rejections};

/// `write`: creates a file, or replaces an existing one if `if_match`, a current `seen` or `-f` is given.
pub fn write(
    planner: &mut Planner<'_>,
    request: IndexedOperation<'_>,
    text: &str,
    create: bool,
) -> PlanStep<Vec<PendingEdit>> {
    let resolved = planner.resolve(request.at)?;
    if resolved.bullet.is_some() || resolved.section != SectionRef::File {
        return Err(Rejection::new(Code::Usage, "write expects a file, not a section or bullet").into());
    }
    let (n, op) = (request.index, request.operation);
    let text = checked_text(text)?;
    let base = planner.edit_base(request, &resolved, create)?;
    if let EditBase::Present(file) = &base {
        if file.document.text() == text {
            let effect =
                effects::line_effect(&resolved.path, EffectSign::Unchanged, "the file already has this text", None, n);
            return Ok(vec![PendingEdit::Unchanged(effect)]);
        }
        let proven = op.if_match.is_some() || matches_etag(op.seen.as_deref(), file, None);
        if !proven && !planner.context.force {
            let drops = effects::diff_effects(Some(&file.document), Some(&Document::parse(text)), &resolved.path, n);
            return Err(rejections::write_needs_proof(file, &resolved.path, &drops).into());
        }
    }
    Ok(vec![PendingEdit::ReplaceText(resolved.path, text)])
}

/// The section whose text a splice replaces as a whole, apart from blank lines at its end.
fn section_of_range(document: &Document, splice: &Splice) -> Option<usize> {
    let text = document.text();
    (1..document.sections().len()).find(|&section| {
        let range = section_range(document, section);
        range.start == splice.start && text[range].trim_end() == text[splice.start..splice.end].trim_end()
    })
}

/// An edited copy with conflict markers where the file was changed in the same places since the copy was made; `None` if
/// both changes can be merged.
pub fn marked_copy(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let labels = merge::ConflictLabels { base: "before", ours: "in the memory now", theirs: "your text", size: 7 };
    let merged = merge::merge(base, ours, theirs, &labels);
    (!merged.conflicts.is_empty()).then_some(merged.text)
}

/// Checks that a text can be written to a file: no NUL byte, no conflict markers.
fn checked_text(text: &str) -> Result<String, Rejection> {
    if let Some(at) = text.find('\0') {
        return Err(Rejection::new(Code::NotText, format!("the text contains a NUL byte (byte {at})")));
    }
    if let Some(line) = Document::parse(text).conflict_marker_line() {
        return Err(Rejection::new(
            Code::ConflictMarkers,
            format!("line {line} of the text is a merge conflict marker"),
        ));
    }
    Ok(text.to_owned())
}

/// `patch`: replaces old texts by new ones. Every old text must occur exactly once outside the summary line; all are
/// found before any is replaced.
pub fn patch(
    planner: &mut Planner<'_>,
    request: IndexedOperation<'_>,
    pairs: &[(String, String)],
    archive: bool,
) -> PlanStep<Vec<PendingEdit>> {
    let resolved = planner.resolve(request.at)?;
    if resolved.bullet.is_some() || resolved.section != SectionRef::File {
        return Err(Rejection::new(Code::Usage, "patch expects a file, not a section or bullet").into());
    }
    planner.check_if_match(request, &resolved);
    let file = planner.existing_writable_file(&resolved)?;
    let n = request.index;
    let text = file.document.text();
    let splices = patch_splices(planner, &resolved.path, &file.document, pairs)?;
    if splices.is_empty() {
        return Ok(vec![PendingEdit::Unchanged(effects::line_effect(
            &resolved.path,
            EffectSign::Unchanged,
            "the new text is there already",
            None,
            n,
        ))]);
    }
    let mut pending = Vec::new();
    if archive {
        let to = resolved.path.in_archive()?;
        for splice in &splices {
            let old = &text[splice.start..splice.end];
            pending.push(match section_of_range(&file.document, splice) {
                Some(section) => {
                    let copy = ArchivedItem::section(planner, &resolved.path, &file.document, section, None)?;
                    PendingEdit::Archive(Box::new(copy))
                }
                // A part of an item cannot be put back by itself, so it gets no metadata line.
                None => super::bullets::append_insertion(planner, &to, old)?,
            });
        }
    }
    let after = crate::text::splice(text, &splices).map_err(|_| {
        Rejection::new(
            Code::OverlappingOperations,
            format!("two replacements of the patch overlap in {}", resolved.path),
        )
    })?;
    let after = Document::parse(checked_text(&after)?);
    let effects = effects::diff_effects(Some(&file.document), Some(&after), &resolved.path, n);
    let mut unreported = Some(effects);
    pending.extend(splices.into_iter().map(|s| {
        let effect_kind = unreported.take().map_or(EffectKind::NoEffect, EffectKind::Prepared);
        PendingEdit::Edit(resolved.path.clone(), crate::document::DocumentEdit::Raw(s), effect_kind)
    }));
    Ok(pending)
}

/// The replacements of a patch that change something, in text order; none if it is applied already.
fn patch_splices(
    planner: &Planner<'_>,
    path: &MemoryPath,
    document: &Document,
    pairs: &[(String, String)],
) -> PlanStep<Vec<Splice>> {
    let text = document.text();
    let eol = document.eol().as_str();
    let mut splices: Vec<Splice> = Vec::new();
    let (mut first_gone, mut gone) = (None, Vec::new());
    for (k, (old, new)) in pairs.iter().enumerate() {
        let (old, new) = (convert_line_endings(old, eol), convert_line_endings(new, eol));
        if new.contains('\0') {
            return Err(
                Rejection::new(Code::NotText, format!("the new text of pair {} contains a NUL byte", k + 1)).into()
            );
        }
        match find_old_text(document, &old, &new) {
            PatchMatch::Once(start) => splices.push(Splice { start, end: start + old.len(), new }),
            PatchMatch::InsideNew => {}
            PatchMatch::OnlyNew => {
                first_gone = first_gone.or(Some(k));
                gone.push((old, new));
            }
            PatchMatch::NotFound => return Err(rejections::text_not_found(path, k).into()),
            PatchMatch::Multiple(times) => return Err(rejections::ambiguous_text(path, k, times).into()),
        }
    }
    splices.sort_by_key(|s| (s.start, s.end));
    splices.retain(|s| text[s.start..s.end] != s.new);
    // A patch counts as applied already only as a whole: a half-applied one may be a different change. A short new text
    // may occur in the file by chance.
    if let Some(k) = first_gone
        && !(splices.is_empty() && was_patched(planner.snapshot.history(path)?, document, &gone))
    {
        return Err(rejections::text_not_found(path, k).into());
    }
    Ok(splices)
}

enum PatchMatch {
    Once(usize),
    /// The old text occurs only inside the new one: there is nothing to replace.
    InsideNew,
    /// The new text occurs and the old one does not: applied already, if the history of the file has that replacement.
    OnlyNew,
    NotFound,
    Multiple(usize),
}

/// Where the old text of a pair occurs.
fn find_old_text(document: &Document, old: &str, new: &str) -> PatchMatch {
    let positions = old_positions(document, old);
    let new_positions: Vec<usize> =
        if new.is_empty() { Vec::new() } else { document.text().match_indices(new).map(|(at, _)| at).collect() };
    let inside_new = |at: &usize| new_positions.iter().any(|s| s <= at && at + old.len() <= s + new.len());
    match positions[..] {
        _ if old != new && !positions.is_empty() && new.contains(old) && positions.iter().all(inside_new) => {
            PatchMatch::InsideNew
        }
        [at] => PatchMatch::Once(at),
        [] if !new_positions.is_empty() => PatchMatch::OnlyNew,
        [] => PatchMatch::NotFound,
        _ => PatchMatch::Multiple(positions.len()),
    }
}

fn convert_line_endings(text: &str, eol: &str) -> String {
    match eol {
        "\r\n" => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        _ => text.to_owned(),
    }
}

/// `append`: adds an episode entry, or a block of markdown, at the end of a file.
pub fn append(planner: &mut Planner<'_>, n: usize, op: &Operation) -> PlanStep<Vec<PendingEdit>> {
    let Action::Append { at, text, title, date, summary, file_summary, create } = &op.action else {
        return Ok(Vec::new());
    };
    let target = match at {
        Some(target) => target.clone(),
        None => Target::Address(default_episode_path(planner, date.as_deref())?),
    };
    let request = IndexedOperation { index: n, operation: op, at: &target };
    let resolved = planner.resolve(&target)?;
    if resolved.bullet.is_some() || resolved.section != SectionRef::File {
        return Err(Rejection::new(Code::Usage, "append expects a file, not a section or bullet").into());
    }
    let text = checked_text(text)?;
    let mut summary = summary.as_deref();
    if summary.is_some() && has_field(&text, usize::from(title.is_none()), "Summary") {
        summary = None;
        planner.warn(
            n,
            Warning::new(Code::Note, "the text has its own '- Summary:' line; the given summary was not used"),
        );
    }
    let block = entry_markdown(planner, &resolved.path, &text, title.as_deref(), date.as_deref(), summary)?;
    require_closed_blocks(&text, &block)?;
    // Episode files are named after a period, so that a new one always has a name similar to existing ones.
    let stem = resolved.path.stem();
    let is_period = crate::path::is_episode(stem) || crate::path::is_daily_note(stem);
    let base = planner.edit_base(request, &resolved, *create || is_period)?;
    let document = base.document();
    let mut pending = Vec::new();
    if contains_block(document, &block) {
        pending.push(PendingEdit::Unchanged(effects::line_effect(
            &resolved.path,
            EffectSign::Unchanged,
            first_line(&block),
            None,
            n,
        )));
    } else {
        let cut = append_splice(document, &block)
            .map_err(|error| Rejection::new(Code::WouldBreakStructure, format!("in {}: {error}", resolved.path)))?;
        let effects = append_effects(document, &cut, &resolved.path, n)?;
        pending.push(PendingEdit::Edit(
            resolved.path.clone(),
            crate::document::DocumentEdit::Raw(cut),
            EffectKind::Prepared(effects),
        ));
    }
    if let Some(line) = file_summary {
        super::field_checks::check_summary_line(line)?;
        pending.push(PendingEdit::SetSummary(resolved.path, line.clone()));
    }
    Ok(pending)
}

/// The path of the file for a day's entries: the episode file of its month or week, or a daily note where an adopted
/// folder keeps such. The names of all files are requested only if the episode file does not exist.
fn default_episode_path(planner: &Planner<'_>, date: Option<&str>) -> PlanStep<String> {
    let by_period = episode_path(planner, date)?;
    if planner.snapshot.exists(&MemoryPath::new(&by_period)?)? {
        return Ok(by_period);
    }
    let day = entry_day(planner, date)?;
    let note = adopted::daily_note(planner.snapshot.file_names()?, day);
    Ok(note.map_or(by_period, |path| path.to_string()))
}

/// The path of the episode file of a day.
fn episode_path(planner: &Planner<'_>, date: Option<&str>) -> Result<String, Rejection> {
    let day = entry_day(planner, date)?;
    Ok(match planner.context.policy.episodes {
        crate::policy::EpisodePeriod::Month => crate::path::month_file(day),
        crate::policy::EpisodePeriod::Week => crate::path::week_file(day),
    })
}

/// The day of an entry: the given date, else today.
fn entry_day(planner: &Planner<'_>, date: Option<&str>) -> Result<jiff::civil::Date, Rejection> {
    date.map_or_else(|| Ok(planner.context.now.date()), super::field_checks::parse_date)
}

/// The markdown of an entry: heading, summary and date, then the given text. An entry in `episodes/` needs a title; in
/// a daily note the file's name is the date.
fn entry_markdown(
    planner: &Planner<'_>,
    path: &MemoryPath,
    text: &str,
    title: Option<&str>,
    date: Option<&str>,
    summary: Option<&str>,
) -> Result<String, Rejection> {
    let body = text.trim_matches(['\n', '\r']).trim_end();
    let Some(title) = title else {
        if summary.is_some() || (path.folder() == Some("episodes") && !body.starts_with("## ")) {
            return Err(Rejection::new(Code::Usage, "an episode entry needs a title")
                .hint("use -t TITLE (in JSON, title), or start the text with '## '"));
        }
        if body.is_empty() {
            return Err(Rejection::new(Code::EmptyInput, "no text to append"));
        }
        let block = format!("{body}\n");
        return if path.folder() == Some("episodes") { lower_headings(&block, true) } else { Ok(block) };
    };
    let title = require_one_line("title", title)?;
    let mut block = format!("## {title}\n");
    // The summary of an entry is its first bullet, wherever it stands in the text.
    let (own_summary, body) = split_summary(body);
    block.push_str(&own_summary);
    if let Some(summary) = summary {
        block.push_str(&format!("- Summary: {}\n", require_one_line("summary", summary)?));
    }
    let day = entry_day(planner, date)?.to_string();
    if !has_field(&body, 0, "Date") && path.stem() != day {
        block.push_str(&format!("- Date: {day}\n"));
    }
    if !body.is_empty() {
        // A paragraph directly below a bullet would be a continuation line of that bullet.
        let below_bullet = block.lines().count() > 1;
        if below_bullet && !["- ", "* ", "+ "].iter().any(|m| body.starts_with(m)) {
            block.push('\n');
        }
        block.push_str(&separate_front_matter(&body));
        block.push('\n');
    }
    let parsed = Document::parse(block.as_str());
    match parsed.sections().get(1) {
        Some(s) if parsed.text()[s.title.range()] == *title => lower_headings(&block, false),
        Some(s) => Err(misread_title(title, &parsed.text()[s.title.range()])),
        None => Err(misread_title(title, "")),
    }
}

/// `would_break_structure` for a title that Markdown reads as another one.
pub fn misread_title(title: &str, read: &str) -> Rejection {
    Rejection::new(Code::WouldBreakStructure, format!("as a heading, '{title}' is read as '{read}'"))
        .hint("leave out what has a meaning there: a line break, `#` at the end, an id in braces, or a comment")
}

/// Trims a text that must be one non-empty line. `what` names it in the error message.
pub fn require_one_line<'t>(what: &str, text: &'t str) -> Result<&'t str, Rejection> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Rejection::new(Code::Usage, format!("the {what} is empty")));
    }
    if text.chars().any(|c| c.is_control() && c != '\t') {
        Err(Rejection::new(Code::Multiline, format!("the {what} must be one line without control characters")))
    } else {
        Ok(text)
    }
}

fn first_line(block: &str) -> &str {
    block.lines().next().unwrap_or_default()
}

/// Whether a document already contains a block: the same lines, ignoring blank lines and trailing white space. A block
/// that starts with a `##` heading can be anywhere, another one only at the end.
fn contains_block(document: &Document, block: &str) -> bool {
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

/// The splice that appends a block to a document, after one blank line. Parses the result, to check that the block has
/// the same structure there as by itself.
///
/// # Errors
/// A message, if the end of the document would change the block's structure (an unclosed code fence).
pub fn append_splice(document: &Document, block: &str) -> Result<Splice, String> {
    let text = document.text();
    let eol = document.eol().as_str();
    let content = text.trim_end_matches(['\n', '\r', ' ', '\t']);
    let rest = &text[content.len()..];
    let breaks = rest.matches('\n').count();
    let gap = match (content.is_empty(), breaks) {
        (true, _) | (_, 2..) => String::new(),
        (_, 1) => eol.to_owned(),
        _ => eol.repeat(2),
    };
    let block = convert_line_endings(&block.replace("\r\n", "\n"), eol);
    let splice = Splice { start: text.len(), end: text.len(), new: format!("{gap}{block}") };
    let after = Document::parse(format!("{text}{}", splice.new));
    let alone = Document::parse(block);
    let (n, m) = (document.blocks().len(), alone.blocks().len());
    // A last line without a line break gets one; its blocks then end after that.
    let ended = |end: u32| if end as usize == text.len() && breaks == 0 { end + eol.len() as u32 } else { end };
    let same = after.blocks().len() == n + m
        && after.bullets().len() == document.bullets().len() + alone.bullets().len()
        && after.sections().len() == document.sections().len() + alone.sections().len() - 1
        && after.blocks()[..n]
            .iter()
            .zip(document.blocks())
            .all(|(a, b)| a.span.start == b.span.start && [b.span.end, ended(b.span.end)].contains(&a.span.end));
    if same {
        Ok(splice)
    } else {
        Err(document.open_block().map_or_else(
            || "the end of the file would change the structure of the appended text (an open HTML block?)".to_owned(),
            |block| block.to_string(),
        ))
    }
}

fn append_effects(document: &Document, cut: &Splice, path: &MemoryPath, n: usize) -> Result<Vec<Effect>, Rejection> {
    let after = crate::text::splice(document.text(), std::slice::from_ref(cut))
        .map_err(|_| Rejection::new(Code::Internal, "the append position is outside the text"))?;
    Ok(effects::diff_effects(Some(document), Some(&Document::parse(after)), path, n))
}

/// The splice that removes a range of whole lines. At the end of the file, the blank lines before it go too.
pub fn removal_splice(document: &Document, range: std::ops::Range<usize>) -> Splice {
    let text = document.text();
    let end = range.end;
    let mut start = range.start;
    if end >= text.len() {
        // Nothing follows: the blank lines that separated it from the text before are removed too.
        let text_before = text[..start].trim_end_matches(['\n', '\r', ' ', '\t']);
        let line = text[text_before.len()..].find('\n').map_or(start, |i| text_before.len() + i + 1);
        start = line.min(start);
    }
    Splice { start, end, new: String::new() }
}

/// Merges a caller's edited copy (`ours`) with a file that changed in the meantime (`theirs`); `base` is the text that
/// the caller started from. Returns the merged text, with a warning if both sides had changes.
///
/// # Errors
/// `conflict`, with the conflicting places.
pub fn merge_edited_copy(
    path: &MemoryPath,
    base: &str,
    ours: &str,
    theirs: &str,
) -> Result<(String, Option<Warning>), Rejection> {
    if base == ours {
        return Ok((theirs.to_owned(), None));
    }
    match merge::merge(base, ours, theirs, &merge::ConflictLabels::default()).into_clean_text() {
        Ok(text) => {
            Ok((text, Some(Warning::new(Code::Note, format!("{path} changed meanwhile; both changes were merged")))))
        }
        Err(clashes) => Err(rejections::merge_conflict(path, &clashes)),
    }
}
