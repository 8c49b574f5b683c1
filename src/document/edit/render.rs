//! Renders edits as byte replacements: checks the edits, then writes them with a given repair level.
//!
//! Never verifies the result: `verify` does that.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::insert_layout::{
    InsertLayout, InsertPoint, ListMarker, insert_layout, number_new_list, shared_headings, sort_new_sections,
};
use super::{DocumentEdit, EditRefusal, NewBullet, check_text};
use crate::document::new_bullets::text_start_on_line;
use crate::document::{Bullet, BulletMeta, Document, escape, lines};
use crate::text::Splice;

/// Edits without conflicts, grouped by what they change.
pub(super) struct EditTargets<'a> {
    pub edits: &'a [DocumentEdit],
    /// Bullet index → index of the edit that replaces its text.
    pub text_edits: BTreeMap<usize, usize>,
    /// Bullet index → index of the edit that replaces its metadata.
    pub meta_edits: BTreeMap<usize, usize>,
    /// Pairs of removed or replaced bullet and edit, in file order.
    removed: Vec<(usize, usize)>,
    /// For each edit, its insertion point if it inserts bullets.
    insert_points: Vec<Option<InsertPoint>>,
}

impl EditTargets<'_> {
    /// The bullets that a subset of the edits removes or replaces, with the edit's index, in file order. Bullets inside
    /// another removed bullet are left out.
    pub fn removed_bullets(&self, document: &Document, subset: &[usize]) -> Vec<(usize, Bullet)> {
        let mut out: Vec<(usize, Bullet)> = Vec::new();
        for (bullet, edit) in self.removed.iter().filter(|(_, e)| subset.binary_search(e).is_ok()) {
            let bullet = document.bullets()[*bullet];
            if out.last().is_none_or(|(_, b)| b.end <= bullet.line_start) {
                out.push((*edit, bullet));
            }
        }
        out
    }

    /// The new text of a bullet in one line, and the index of its edit, if one of the subset updates it.
    pub fn new_text(&self, bullet: usize, subset: &[usize]) -> Option<(usize, Cow<'_, str>)> {
        let edit = *self.text_edits.get(&bullet).filter(|e| subset.binary_search(e).is_ok())?;
        match &self.edits[edit] {
            DocumentEdit::Update { text, .. } => Some((edit, joined_lines(text))),
            _ => None,
        }
    }

    /// The new metadata of a bullet and the index of its edit, if one of the subset sets it.
    pub fn new_meta(&self, bullet: usize, subset: &[usize]) -> Option<(usize, &BulletMeta)> {
        let edit = *self.meta_edits.get(&bullet).filter(|e| subset.binary_search(e).is_ok())?;
        match &self.edits[edit] {
            DocumentEdit::SetMeta { meta, .. } => Some((edit, meta)),
            _ => None,
        }
    }
}

/// Trims spaces and tabs, which Markdown does not keep around the text of a list item.
pub(super) fn trim_blanks(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// The text of an update as one line, as it is read back.
fn joined_lines(text: &str) -> Cow<'_, str> {
    match text.split_once('\n') {
        None => Cow::Borrowed(trim_blanks(text)),
        Some((first, rest)) => {
            let children = rest.split('\n').map(str::to_owned).collect();
            let item = NewBullet { text: first.to_owned(), children, ..NewBullet::default() };
            Cow::Owned(trim_blanks(&item.paragraph()).to_owned())
        }
    }
}

/// A replacement and the blocks it must parse as.
pub(super) struct RenderedEdit {
    pub splice: Splice,
    /// Number of list items around an insertion.
    pub depth: u8,
    /// The blocks it writes, by offsets in its new text.
    pub expected_blocks: Vec<ExpectedBlock>,
    order: u32,
}

/// A block that a replacement must produce.
pub(super) struct ExpectedBlock {
    pub start: usize,
    pub end: usize,
    pub content: ExpectedContent,
}

/// The expected content of a new block.
pub(super) enum ExpectedContent {
    Heading { level: u8, title: String },
    Bullet { edit: usize, text: String, meta: Option<BulletMeta> },
}

/// Groups edits by what they change.
///
/// # Errors
/// All edits that refer to a missing bullet or section, have a text that is not one line, or conflict with another
/// edit.
pub(super) fn collect_targets<'a>(
    document: &Document,
    edits: &'a [DocumentEdit],
) -> Result<EditTargets<'a>, Vec<EditRefusal>> {
    let mut targets = EditTargets {
        edits,
        text_edits: BTreeMap::new(),
        meta_edits: BTreeMap::new(),
        removed: Vec::new(),
        insert_points: Vec::with_capacity(edits.len()),
    };
    let mut refused = Vec::new();
    for (number, edit) in edits.iter().enumerate() {
        targets.insert_points.push(None);
        if let Err(reason) = add_target(document, &mut targets, number, edit) {
            refused.push(EditRefusal { edit: number, reason });
        }
    }
    targets.removed.sort_unstable();
    refuse_inside_removed(document, &targets, &mut refused);
    refused.sort_by_key(|r| r.edit);
    if refused.is_empty() { Ok(targets) } else { Err(refused) }
}

fn add_target(
    document: &Document,
    targets: &mut EditTargets<'_>,
    number: usize,
    edit: &DocumentEdit,
) -> Result<(), String> {
    let check_bullet = |b: usize| document.bullets().get(b).map(|_| b).ok_or("no such bullet");
    let duplicate_edit = || Err("another change in the batch edits the same bullet".to_owned());
    match edit {
        DocumentEdit::Update { bullet, text } => {
            text.split('\n').try_for_each(check_text)?;
            if targets.text_edits.insert(check_bullet(*bullet)?, number).is_some() {
                return duplicate_edit();
            }
        }
        DocumentEdit::SetMeta { bullet, meta } => {
            if !meta.0.is_empty() && BulletMeta::parse(&meta.to_comment()).as_ref() != Some(meta) {
                return Err("the metadata contains a key or value that cannot be stored".to_owned());
            }
            if targets.meta_edits.insert(check_bullet(*bullet)?, number).is_some() {
                return duplicate_edit();
            }
        }
        DocumentEdit::Remove { bullet } | DocumentEdit::Replace { bullet, .. } => {
            if let DocumentEdit::Replace { item, .. } = edit {
                check_text(&item.text)?;
            }
            if targets.removed.iter().any(|(b, _)| b == bullet) {
                return duplicate_edit();
            }
            targets.removed.push((check_bullet(*bullet)?, number));
        }
        DocumentEdit::Insert { at, items } => {
            items.iter().try_for_each(|item| check_text(&item.text))?;
            let point = InsertPoint::resolve(document, at)?;
            if let InsertPoint::NewSection(_, titles) = &point {
                let check_title = |title: &String| check_text(title).map_err(|reason| reason.replace("text", "title"));
                titles.iter().try_for_each(check_title)?;
            }
            targets.insert_points[number] = Some(point);
        }
        DocumentEdit::Raw(_) => {}
    }
    Ok(())
}

/// Refuses edits of bullets that another edit removes.
fn refuse_inside_removed(document: &Document, targets: &EditTargets<'_>, refused: &mut Vec<EditRefusal>) {
    let all: Vec<usize> = (0..targets.edits.len()).collect();
    let removed_bullets = targets.removed_bullets(document, &all);
    let is_removed = |bullet: usize, itself: bool| {
        let line = document.bullets()[bullet].line_start;
        let index = removed_bullets.partition_point(|(_, g)| g.line_start <= line);
        let around = index.checked_sub(1).map(|i| removed_bullets[i].1);
        around.is_some_and(|g| line < g.end && (itself || document.bullets()[bullet].marker != g.marker))
    };
    for (number, edit) in targets.edits.iter().enumerate() {
        let conflicts = match (edit, &targets.insert_points[number]) {
            (DocumentEdit::Update { bullet, .. } | DocumentEdit::SetMeta { bullet, .. }, _) => {
                document.bullets().len() > *bullet && is_removed(*bullet, true)
            }
            (
                _,
                Some(
                    InsertPoint::After(bullet)
                    | InsertPoint::Before(bullet)
                    | InsertPoint::Numbered { beside: bullet, .. },
                ),
            ) => is_removed(*bullet, false),
            _ => false,
        };
        if conflicts {
            refused.push(EditRefusal {
                edit: number,
                reason: "another change in the batch removes its target".to_owned(),
            });
        }
    }
}

/// The replacements for a subset of the edits, sorted.
pub(super) fn render_edits(
    document: &Document,
    targets: &EditTargets<'_>,
    subset: &[usize],
    levels: &[u8],
) -> Result<Vec<RenderedEdit>, Vec<EditRefusal>> {
    let mut out = Vec::new();
    let mut refused = Vec::new();
    let mut groups = group_by_point(targets, subset);
    sort_new_sections(&mut groups);
    let mut above: Option<&InsertPoint> = None;
    for (point, edits) in groups {
        let level = edits.iter().map(|e| levels[*e]).max().unwrap_or(0);
        let writes = |e: &usize| matches!(&targets.edits[*e], DocumentEdit::Insert { items, .. } if !items.is_empty());
        if !matches!(point, InsertPoint::NewSection(..)) && !edits.iter().any(writes) {
            continue;
        }
        let shared = above.map_or(0, |above| shared_headings(above, point));
        above = Some(point);
        match insert_layout(document, point, level, shared) {
            Ok(mut layout) => {
                number_new_list(&mut layout, point, targets.edits, &edits);
                out.push(render_insertion(document, targets, &edits, layout));
            }
            Err(reason) => refused.extend(edits.iter().map(|edit| EditRefusal { edit: *edit, reason: reason.clone() })),
        }
    }
    let insert_offsets: Vec<usize> = out.iter().map(|p| p.splice.start).collect();
    let is_removal = |edit: &usize| matches!(targets.edits[*edit], DocumentEdit::Remove { .. });
    let removed: Vec<_> =
        targets.removed_bullets(document, subset).into_iter().filter(|(edit, _)| is_removal(edit)).collect();
    render_removals(document, &removed, &insert_offsets, levels, &mut out, &mut refused);
    for edit in subset {
        match &targets.edits[*edit] {
            DocumentEdit::Update { bullet, text } => out.extend(render_update(document, *bullet, trim_blanks(text))),
            DocumentEdit::Replace { bullet, item } => match render_replacement(document, *edit, *bullet, item) {
                Ok(replacement) => out.push(replacement),
                Err(reason) => refused.push(EditRefusal { edit: *edit, reason }),
            },
            DocumentEdit::SetMeta { bullet, meta } => out.extend(render_meta(document, *bullet, meta)),
            _ => {}
        }
    }
    out.sort_by_key(|p| (p.splice.start, p.splice.end, p.order));
    if refused.is_empty() { Ok(out) } else { Err(refused) }
}

/// Groups inserting edits by insertion point.
fn group_by_point<'c>(targets: &'c EditTargets<'_>, subset: &[usize]) -> Vec<(&'c InsertPoint, Vec<usize>)> {
    let mut out: Vec<(&InsertPoint, Vec<usize>)> = Vec::new();
    for edit in subset {
        let Some(point) = &targets.insert_points[*edit] else { continue };
        match out.iter_mut().find(|(s, _)| *s == point) {
            Some((_, edits)) => edits.push(*edit),
            None => out.push((point, vec![*edit])),
        }
    }
    out
}

fn render_insertion(
    document: &Document,
    targets: &EditTargets<'_>,
    edits: &[usize],
    layout: InsertLayout,
) -> RenderedEdit {
    let eol = document.eol().as_str();
    let mut new = layout.prefix.clone();
    let mut blocks = Vec::new();
    for heading in &layout.headings {
        let start = new.len();
        new.push_str(&heading.line);
        blocks.push(ExpectedBlock {
            start,
            end: start + heading.line.trim_end().len(),
            content: ExpectedContent::Heading { level: heading.level, title: heading.title.clone() },
        });
    }
    let mut count = 0;
    for edit in edits {
        let DocumentEdit::Insert { items, .. } = &targets.edits[*edit] else { continue };
        for item in items {
            if layout.blank_between && count > 0 {
                new.push_str(eol);
            }
            let start = new.len();
            write_bullet(&mut new, item, &layout, count, eol);
            let what = ExpectedContent::Bullet {
                edit: *edit,
                text: trim_blanks(&item.paragraph()).to_owned(),
                meta: item.meta.clone().filter(|m| !m.0.is_empty()),
            };
            blocks.push(ExpectedBlock { start, end: new.len(), content: what });
            count += 1;
        }
    }
    if count == 0 {
        new.truncate(lines::trim_end(new.as_bytes(), 0, new.len()));
        new.push_str(eol);
    }
    new.push_str(&layout.suffix);
    if layout.no_final_eol {
        new.truncate(lines::trim_end(new.as_bytes(), 0, new.len()));
    }
    for block in &mut blocks {
        block.end = block.end.min(new.len());
    }
    let splice = Splice { start: layout.offset, end: layout.offset, new };
    RenderedEdit { splice, depth: layout.depth, expected_blocks: blocks, order: layout.order }
}

/// Writes one bullet: its line, its metadata line, its children.
fn write_bullet(out: &mut String, item: &NewBullet, layout: &InsertLayout, number: u32, eol: &str) {
    let line = out.len();
    out.push_str(&layout.indent);
    match layout.marker {
        ListMarker::Symbol(sign) => out.push(sign),
        ListMarker::Number(first, sign) => {
            out.push_str(&format!("{}{sign}", first.saturating_add(number).min(999_999_999)))
        }
    }
    out.push_str(&layout.padding);
    let indent = " ".repeat(lines::indent_columns(&out.as_bytes()[line..]));
    let (paragraph, below) = item.children.split_at(item.continuation_lines());
    out.push_str(&item.first_line());
    out.push_str(eol);
    let mut push_line = |line: &str| {
        // A line of blanks stays one: in code they are text.
        if !line.trim_end_matches('\r').is_empty() {
            out.extend([indent.as_str(), line.trim_end_matches('\r')]);
        }
        out.push_str(eol);
    };
    paragraph.iter().for_each(|line| push_line(line));
    if let Some(meta) = item.meta.as_ref().filter(|m| !m.0.is_empty()) {
        push_line(&meta.to_comment());
    }
    let last = below.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |i| i + 1);
    let first = below.iter().position(|line| !line.trim().is_empty()).unwrap_or(last);
    if first > 0 {
        push_line("");
    }
    below[first..last].iter().for_each(|line| push_line(line));
}

/// Replaces a bullet at its place, with its indent and marker.
fn render_replacement(
    document: &Document,
    edit: usize,
    number: usize,
    item: &NewBullet,
) -> Result<RenderedEdit, String> {
    let bytes = document.text().as_bytes();
    let Bullet { line_start, end, depth, .. } = document.bullets()[number];
    let layout = insert_layout(document, &InsertPoint::Before(number), 0, 0)?;
    let mut new = String::new();
    write_bullet(&mut new, item, &layout, 0, document.eol().as_str());
    if lines::end_without_eol(bytes, end as usize) == end as usize {
        new.truncate(lines::end_without_eol(new.as_bytes(), new.len()));
    }
    let content = ExpectedContent::Bullet {
        edit,
        text: trim_blanks(&item.paragraph()).to_owned(),
        meta: item.meta.clone().filter(|m| !m.0.is_empty()),
    };
    let expected_blocks = vec![ExpectedBlock { start: 0, end: new.len(), content }];
    let splice = Splice { start: line_start as usize, end: end as usize, new };
    Ok(RenderedEdit { splice, depth, expected_blocks, order: 0 })
}

fn render_update(document: &Document, number: usize, text: &str) -> Option<RenderedEdit> {
    if document.bullet_text(number) == text {
        return None;
    }
    let bullet = document.bullets()[number];
    let prefix = &document.text().as_bytes()[bullet.line_start as usize..bullet.text_start as usize];
    let line_break = format!("{}{}", document.eol().as_str(), " ".repeat(lines::indent_columns(prefix)));
    let (first, continued) = text.split_once('\n').map_or((text, None), |(first, rest)| (first, Some(rest)));
    let mut new = escape::encode_above(first, continued.unwrap_or_default().split('\n')).into_owned();
    for line in continued.into_iter().flat_map(|rest| rest.split('\n')) {
        new.extend([line_break.as_str(), line.trim_end_matches('\r')]);
    }
    let splice = Splice { start: bullet.text_start as usize, end: bullet.text_end as usize, new };
    Some(RenderedEdit { splice, depth: 0, expected_blocks: Vec::new(), order: 0 })
}

fn render_meta(document: &Document, number: usize, meta: &BulletMeta) -> Option<RenderedEdit> {
    let bytes = document.text().as_bytes();
    let bullet = document.bullets()[number];
    let piece = |start, end, new| {
        Some(RenderedEdit {
            splice: Splice { start, end, new },
            depth: bullet.depth + 1,
            expected_blocks: Vec::new(),
            order: 0,
        })
    };
    if let Some(line) = bullet.meta {
        let line = document.meta_lines()[line as usize].line.range();
        let text = lines::trim_end(bytes, line.start, line.end);
        let no_final_eol = lines::end_without_eol(bytes, line.end) == line.end;
        return match (meta.0.is_empty(), no_final_eol) {
            (false, _) => piece(lines::skip_blanks(bytes, line.start), text, meta.to_comment()),
            (true, false) => piece(line.start, line.end, String::new()),
            (true, true) => piece(lines::end_without_eol(bytes, line.start), line.end, String::new()),
        };
    }
    if meta.0.is_empty() {
        return None;
    }
    let at = lines::end(bytes, bullet.text_end as usize);
    let prefix = &bytes[bullet.line_start as usize..text_start_on_line(bytes, &bullet).min(bytes.len())];
    let line = format!("{}{}", " ".repeat(lines::indent_columns(prefix)), meta.to_comment());
    let eol = document.eol().as_str();
    let open = lines::end_without_eol(bytes, at) == at;
    piece(at, at, if open { format!("{eol}{line}") } else { format!("{line}{eol}") })
}

/// Renders removals. Adjacent bullets are removed together, so that only one run of blank lines remains where two would
/// meet.
fn render_removals(
    document: &Document,
    removed_bullets: &[(usize, Bullet)],
    insert_offsets: &[usize],
    levels: &[u8],
    out: &mut Vec<RenderedEdit>,
    refused: &mut Vec<EditRefusal>,
) {
    let bytes = document.text().as_bytes();
    let mut run: Option<RemovedLines> = None;
    for (edit, bullet) in removed_bullets {
        let (line, end) = (bullet.line_start as usize, bullet.end as usize);
        if !bytes[line..bullet.marker as usize].iter().all(|b| lines::is_blank(*b)) {
            refused
                .push(EditRefusal { edit: *edit, reason: "the bullet shares its line with another item".to_owned() });
            continue;
        }
        let is_adjacent = |last: usize| {
            lines::after_blank_lines(bytes, last) == line && !insert_offsets.iter().any(|s| (last..=line).contains(s))
        };
        run = match run {
            Some(run) if is_adjacent(run.end) => Some(RemovedLines { end, level: run.level.max(levels[*edit]), ..run }),
            other => {
                out.extend(other.map(|run| render_removal(document, run, insert_offsets)));
                Some(RemovedLines { start: line, end, level: levels[*edit] })
            }
        };
    }
    out.extend(run.map(|run| render_removal(document, run, insert_offsets)));
}

/// Whole lines of bullets that are removed together: their byte range, and the depth of the deepest list.
struct RemovedLines {
    start: usize,
    end: usize,
    level: u8,
}

/// Removes whole lines, and one run of blank lines if there are blank lines on both sides.
fn render_removal(
    document: &Document,
    RemovedLines { start: line, end, level }: RemovedLines,
    insert_offsets: &[usize],
) -> RenderedEdit {
    let bytes = document.text().as_bytes();
    let body = document.body_start();
    let above = lines::before_blank_lines(bytes, body, line);
    let below = lines::after_blank_lines(bytes, end);
    let has_insertion = |from: usize, to: usize| insert_offsets.iter().any(|s| (from..=to).contains(s));
    let (start, end) = match () {
        () if end == bytes.len() => {
            let start = if has_insertion(end, end) { line } else { above };
            let no_final_eol =
                lines::end_without_eol(bytes, end) == end && start > body && !has_insertion(start, start);
            (if no_final_eol { lines::end_without_eol(bytes, start) } else { start }, end)
        }
        () if (above < line || line == body) && below > end && level == 0 && !has_insertion(end, end) => (line, below),
        () => (line, end),
    };
    let alone = above == line && below == end && end < bytes.len();
    let new = if level > 0 && alone { document.eol().as_str().to_owned() } else { String::new() };
    RenderedEdit { splice: Splice { start, end, new }, depth: 0, expected_blocks: Vec::new(), order: 0 }
}
