//! Merges the own lines of one bullet: marker, text, metadata by key, and continuation lines.
//!
//! Never reads other bullets. Metadata that memdir writes itself never conflicts: the later value wins.

use std::cmp::Ordering;

use super::hunk::{self, MergeHunk, MergeSide, pick_changed};
use super::line_merge;
use super::tree::MergeTree;
use crate::document::{BulletMeta, MetaKey};

/// Whether a bullet's own lines differ in more than metadata that memdir writes itself.
pub fn is_changed(base: (&MergeTree, usize), side: (&MergeTree, usize)) -> bool {
    if own_lines(base.0, base.1).trim_end() == own_lines(side.0, side.1).trim_end() {
        return false;
    }
    let (was, is) = (bullet_lines(base.0, base.1), bullet_lines(side.0, side.1));
    let content = |own: &BulletLines| {
        let dated =
            own.text.split_once(": ").is_some_and(|(label, date)| is_date_label(label) && is_date_or_time(date));
        let meta = own.meta.as_ref().map(|(.., meta)| meta.0.clone()).unwrap_or_default();
        let meta: Vec<(String, String)> = meta.into_iter().filter(|(key, _)| !is_automatic(key)).collect();
        (if dated { String::new() } else { words_of(&own.text).join(" ") }, meta, own.rest.trim().to_owned())
    };
    content(&was) != content(&is)
}

/// Whether programs write a metadata key rather than people, so that two values of it are no conflict.
pub fn is_automatic(key: &str) -> bool {
    MetaKey::from_name(key).is_some_and(MetaKey::is_automatic)
}

/// Whether a bullet's label marks the date of the file's last change.
fn is_date_label(label: &str) -> bool {
    label.trim_matches(['*', '_']).eq_ignore_ascii_case("updated")
}

/// The parts of a bullet's own lines, without the item's indent; each part ends with a line ending.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BulletLines {
    marker: String,
    text: String,
    /// What follows the text on its last line.
    after: String,
    /// The metadata line: its indent, its text, and the parsed metadata.
    meta: Option<(String, String, BulletMeta)>,
    rest: String,
}

/// Merges the own lines of a bullet that exists in ours and theirs. The result has no indent.
pub fn merge(
    base: Option<(&MergeTree, usize)>,
    ours: (&MergeTree, usize),
    theirs: (&MergeTree, usize),
) -> Vec<MergeHunk> {
    let base = base.map(|(tree, node)| bullet_lines(tree, node));
    let (ours, theirs) = (bullet_lines(ours.0, ours.1), bullet_lines(theirs.0, theirs.1));
    if let Some(own) = pick_changed(base.as_ref(), &ours, &theirs) {
        return vec![MergeHunk::Text(own.to_text())];
    }
    let was = |of: fn(&BulletLines) -> &String| base.as_ref().map(of);
    let either = |of: fn(&BulletLines) -> &String| {
        pick_changed(was(of), of(&ours), of(&theirs)).unwrap_or(of(&ours).min(of(&theirs))).clone()
    };
    let (marker, after) = (either(|o| &o.marker), either(|o| &o.after));
    let text = merge_text(was(|o| &o.text), &ours.text, &theirs.text);
    let meta = align_metadata(
        merge_metadata(base.as_ref(), &ours, &theirs),
        &marker,
        [base.as_ref(), Some(&ours), Some(&theirs)],
    );
    let rest = merge_rest(was(|o| &o.rest), &ours.rest, &theirs.rest);
    let on = |side: MergeSide| {
        let (marker, after, meta) = (marker.clone(), after.clone(), meta[side as usize].clone());
        BulletLines { marker, text: text.text_on(side).to_owned(), after, meta, rest: hunk::text_on(&rest, side) }
            .to_text()
    };
    let conflict = matches!(text, MergeHunk::Conflict { .. })
        || meta[1] != meta[2]
        || rest.iter().any(|p| matches!(p, MergeHunk::Conflict { .. }));
    vec![if conflict {
        MergeHunk::Conflict { base: on(MergeSide::Base), ours: on(MergeSide::Ours), theirs: on(MergeSide::Theirs) }
    } else {
        MergeHunk::Text(on(MergeSide::Ours))
    }]
}

type MergedMeta = Option<(String, String, BulletMeta)>;

/// An item's own lines without its indent, otherwise unchanged.
pub fn own_lines(tree: &MergeTree, node: usize) -> String {
    let indent = tree.indent(node);
    with_line_ending(dedent(tree.own_text(node), indent))
}

/// Width of an item's marker in bytes, blanks after it included: the column where its text and its children start.
pub fn marker_width(lines: &str) -> usize {
    let digits = lines.bytes().take_while(u8::is_ascii_digit).count();
    let blanks = lines[digits..].bytes().skip(1).take_while(|b| *b == b' ').count();
    digits + 1 + blanks
}

/// An item's lines and those of the nodes below it, without its indent; `is_omitted` names nodes to leave out with what
/// is below them.
pub fn subtree_lines(tree: &MergeTree, node: usize, is_omitted: &dyn Fn(usize) -> bool) -> String {
    let whole = tree.subtree_range(node);
    let (mut lines, mut from) = (String::new(), whole.start);
    for below in tree.subtree(node).into_iter().skip(1) {
        let start = tree.nodes[below].gap.start;
        if start >= from && is_omitted(below) {
            lines.push_str(&tree.text()[from..start]);
            from = tree.subtree_range(below).end;
        }
    }
    lines.push_str(&tree.text()[from..whole.end]);
    with_line_ending(dedent(&lines, tree.indent(node)))
}

/// What the lines of a bullet contain below its text and its metadata line: further paragraphs, code, quotes. `None` if
/// they are not one bullet alone.
pub fn lines_below_text(lines: &str) -> Option<String> {
    let tree = MergeTree::parse(&without_indent(lines));
    (tree.nodes.len() == 2).then(|| bullet_lines(&tree, 1).rest)
}

fn bullet_lines(tree: &MergeTree, node: usize) -> BulletLines {
    let (range, indent) = (tree.nodes[node].own.clone(), tree.indent(node));
    let Some(bullet) = tree.nodes[node].bullet.map(|b| tree.document.bullets()[b]) else {
        let rest = own_lines(tree, node);
        return BulletLines { marker: String::new(), text: String::new(), after: String::new(), meta: None, rest };
    };
    let text = tree.text();
    let (content, head) = (bullet.text_start as usize, (bullet.text_end as usize).min(range.end));
    let line = text[head..range.end].find('\n').map_or(range.end, |i| head + i + 1);
    let meta = bullet.meta.map(|m| tree.document.meta_lines()[m as usize].line.range());
    // Anywhere else than directly below the text it stays part of the other lines.
    let meta = meta.filter(|m| m.start == line && m.end <= range.end).and_then(|m| {
        let line = with_line_ending(dedent(&text[m.clone()], indent));
        let content = line.trim_start_matches([' ', '\t', NOT_INDENTED]);
        let (blank, content) = (line[..line.len() - content.len()].to_owned(), content.trim_end_matches('\n'));
        Some((m.end, (blank, content.to_owned(), BulletMeta::parse(content)?)))
    });
    let (rest, meta) = meta.map_or((line, None), |(end, meta)| (end, Some(meta)));
    let marker = &text[bullet.marker as usize..content];
    BulletLines {
        marker: marker.to_owned(),
        text: mark_content_indent(dedent_after_first_line(&text[content..head], indent), marker),
        after: with_line_ending(text[head..line].to_owned()),
        meta,
        rest: match &text[rest..range.end] {
            "" => String::new(),
            rest => {
                mark_content_indent(format!("\n{}", with_line_ending(dedent(rest, indent))), marker)[1..].to_owned()
            }
        },
    }
}

impl BulletLines {
    fn to_text(&self) -> String {
        let BulletLines { marker, text, after, meta, rest } = self;
        let meta = meta.as_ref().map(|(blank, line, _)| format!("{blank}{line}\n")).unwrap_or_default();
        let content_indent = " ".repeat(marker.len());
        format!(
            "{marker}{}{after}{meta}{}",
            text.replace(CONTENT_INDENT, &content_indent),
            rest.replace(CONTENT_INDENT, &content_indent)
        )
    }
}

/// Placeholder for the indent of continuation lines: below `10. ` it is wider than below `- `, and only the width would
/// differ.
const CONTENT_INDENT: char = '\u{1}';

/// Placeholder at the start of a line that does not start with its item's indent (a lazy continuation line, or code at
/// column 0): such a line keeps its bytes when its item is indented again.
const NOT_INDENTED: char = '\u{2}';

/// Whether a text contains one of the placeholders, so that its items cannot be taken apart.
pub fn has_placeholder(text: &str) -> bool {
    text.contains(CONTENT_INDENT) || text.contains(NOT_INDENTED)
}

/// Replaces the indent of continuation lines by `CONTENT_INDENT`.
fn mark_content_indent(text: String, marker: &str) -> String {
    if !text.contains('\n') || text.contains(CONTENT_INDENT) || marker.contains(['\t', '\n']) {
        return text;
    }
    text.replace(&format!("\n{}", " ".repeat(marker.len())), &format!("\n{CONTENT_INDENT}"))
}

fn with_line_ending(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn dedent(text: &str, indent: &str) -> String {
    if indent.is_empty() {
        return text.to_owned();
    }
    let dedented = |line: &str| match line.strip_prefix(indent) {
        // A blank line is not indented again.
        _ if line.trim().is_empty() => line.to_owned(),
        Some(rest) => rest.to_owned(),
        None => format!("{NOT_INDENTED}{line}"),
    };
    text.split_inclusive('\n').map(dedented).collect()
}

fn dedent_after_first_line(text: &str, indent: &str) -> String {
    let (first, rest) = text.split_at(text.find('\n').map_or(text.len(), |i| i + 1));
    first.to_owned() + &dedent(rest, indent)
}

/// Adds an item's indent to its lines, except to blank ones and those that never had it.
pub fn indent_lines(text: &str, indent: &str) -> String {
    if indent.is_empty() && !text.contains(NOT_INDENTED) {
        return text.to_owned();
    }
    let indented = |line: &str| match line.strip_prefix(NOT_INDENTED) {
        Some(line) => line.to_owned(),
        None if line.trim().is_empty() => line.to_owned(),
        None => format!("{indent}{line}"),
    };
    text.split_inclusive('\n').map(indented).collect()
}

/// An item's lines without any indent, also those that never had it.
pub fn without_indent(text: &str) -> String {
    indent_lines(text, "")
}

/// Merges the text of a bullet. A task's checkbox and its text are merged separately; for a date label the later date
/// wins.
fn merge_text(base: Option<&String>, ours: &str, theirs: &str) -> MergeHunk {
    let base = base.map(String::as_str);
    if let Some(text) = pick_changed(base.map(words_of), words_of(ours), words_of(theirs)) {
        let same = [ours, theirs].into_iter().filter(|t| words_of(t) == text).min().unwrap_or(ours);
        return MergeHunk::Text(same.to_owned());
    }
    let ((our_tick, our_text), (their_tick, their_text)) = (split_checkbox(ours), split_checkbox(theirs));
    if let Some((tick_was, text_was)) = base.map(split_checkbox)
        && let (Some(tick), Some(text)) =
            (pick_changed(Some(tick_was), our_tick, their_tick), pick_changed(Some(text_was), our_text, their_text))
    {
        return MergeHunk::Text(format!("{tick}{text}"));
    }
    if let (Some((label, a)), Some((other, b))) = (ours.split_once(": "), theirs.split_once(": "))
        && label == other
        && is_date_label(label)
        && [a, b].into_iter().all(is_date_or_time)
    {
        return MergeHunk::Text(if a >= b { ours } else { theirs }.to_owned());
    }
    MergeHunk::Conflict { base: base.unwrap_or_default().to_owned(), ours: ours.to_owned(), theirs: theirs.to_owned() }
}

/// Whether a text is a date, optionally with a time: digits and the usual separators.
fn is_date_or_time(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || "-/:.TZ+ ".contains(c))
}

fn words_of(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || [CONTENT_INDENT, NOT_INDENTED].contains(&c))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Splits a task into its checkbox and its text.
fn split_checkbox(text: &str) -> (&str, &str) {
    let ticked = ["[ ] ", "[x] ", "[X] "].iter().any(|t| text.starts_with(t));
    text.split_at(if ticked { 4 } else { 0 })
}

fn merge_rest(base: Option<&String>, ours: &String, theirs: &String) -> Vec<MergeHunk> {
    match pick_changed(base, ours, theirs) {
        Some(text) => vec![MergeHunk::Text(text.clone())],
        None => line_merge::merge_lines(base.map_or("", |b| b), ours, theirs),
    }
}

/// Merges the metadata lines key by key, for base, ours and theirs; the three differ if a key conflicts.
fn merge_metadata(base: Option<&BulletLines>, ours: &BulletLines, theirs: &BulletLines) -> [MergedMeta; 3] {
    let was = base.map(|b| &b.meta);
    if let Some(line) = pick_changed(was, &ours.meta, &theirs.meta) {
        return [line.clone(), line.clone(), line.clone()];
    }
    let empty = BulletMeta::default();
    let meta = |line: &MergedMeta| line.as_ref().map_or(empty.clone(), |(_, _, m)| m.clone());
    let (o, a, b) = (was.map_or(empty.clone(), meta), meta(&ours.meta), meta(&theirs.meta));
    let known = [&ours.meta, &theirs.meta].into_iter().chain(was).flatten().next();
    let blank = known.map_or("  ".to_owned(), |(blank, ..)| blank.clone());
    let mut keys: Vec<&str> = [&a, &b, &o].iter().flat_map(|m| m.0.iter().map(|(k, _)| k.as_str())).collect();
    keys.sort_unstable();
    keys.dedup();
    let later = match a.valid(MetaKey::Upd).cmp(&b.valid(MetaKey::Upd)) {
        Ordering::Greater => Some(&a),
        Ordering::Less => Some(&b),
        Ordering::Equal => None,
    };
    let mut out = [o.clone(), o.clone(), o.clone()];
    for key in keys {
        let (x, y) = (a.raw(key), b.raw(key));
        let value = pick_changed(Some(o.raw(key)), x, y)
            .or_else(|| resolve_automatic(key, x, y, later.and_then(|m| m.raw(key)), base.is_none()));
        let three = value.map_or([o.raw(key), x, y], |v| [v, v, v]);
        for (meta, value) in out.iter_mut().zip(three) {
            set_or_remove(meta, key, value);
        }
    }
    out.map(|meta| (!meta.0.is_empty()).then(|| (blank.clone(), meta.to_comment(), meta)))
}

/// Metadata lines indented to the width of their bullet's marker: below `10. ` it takes more than below `- `.
fn align_metadata(lines: [MergedMeta; 3], marker: &str, owns: [Option<&BulletLines>; 3]) -> [MergedMeta; 3] {
    let like = owns
        .into_iter()
        .flatten()
        .filter(|own| own.marker == marker)
        .filter_map(|own| own.meta.as_ref())
        .min_by_key(|(blank, ..)| blank);
    let blank = like.map_or_else(|| " ".repeat(marker.len()), |(blank, ..)| blank.clone());
    lines.map(|line| line.map(|(_, line, meta)| (blank.clone(), line, meta)))
}

/// Sets or removes a key; a key without a value differs from an absent one.
fn set_or_remove(meta: &mut BulletMeta, key: &str, value: Option<&str>) {
    match value {
        None => meta.0.retain(|(k, _)| k != key),
        Some("") if meta.raw(key).is_none() => meta.0.push((key.to_owned(), String::new())),
        Some("") => meta.0.iter_mut().filter(|(k, _)| k == key).for_each(|(_, v)| v.clear()),
        Some(value) => meta.set(key, value),
    }
}

/// Resolves a key that both sides changed and that memdir writes itself: the values of the later change win, `added`
/// keeps the first.
fn resolve_automatic<'a>(
    key: &str,
    ours: Option<&'a str>,
    theirs: Option<&'a str>,
    later: Option<&'a str>,
    added_twice: bool,
) -> Option<Option<&'a str>> {
    let both = || ours.into_iter().chain(theirs);
    match MetaKey::from_name(key) {
        // A date wins over a value that is not a date.
        Some(key @ MetaKey::Upd) => Some(both().max_by_key(|date| (key.accepts(date), *date))),
        Some(key @ MetaKey::Added) => Some(both().min_by_key(|date| (!key.accepts(date), *date))),
        Some(key) if key.is_automatic() => Some(later.or(ours.max(theirs))),
        // Both sides added the same bullet, each with its own id: keep one.
        Some(MetaKey::Id) if added_twice => Some(both().min()),
        _ if added_twice && (ours.is_none() || theirs.is_none()) => Some(ours.or(theirs)),
        _ => None,
    }
}
