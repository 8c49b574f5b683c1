//! The own lines of one bullet, merged: marker, text, metadata by key, and what else stands there.
//!
//! Never looks at other bullets. Stamps never clash: the later one counts.

use std::cmp::Ordering;

use super::part::{self, Part, Side, pick};
use super::prose;
use super::tree::Tree;
use crate::document::Meta;

/// Whether a bullet's own lines say something else than before; stamps say nothing.
pub fn changed(base: (&Tree, usize), side: (&Tree, usize)) -> bool {
    if lines(base.0, base.1).trim_end() == lines(side.0, side.1).trim_end() {
        return false;
    }
    let (was, is) = (own(base.0, base.1), own(side.0, side.1));
    let said = |own: &Own| {
        let dated = own.text.split_once(": ").is_some_and(|(label, date)| is_stamp(label) && is_date(date));
        let meta = own.meta.as_ref().map(|(.., meta)| meta.0.clone()).unwrap_or_default();
        let meta: Vec<(String, String)> = meta.into_iter().filter(|(key, _)| !STAMPS.contains(&key.as_str())).collect();
        (if dated { String::new() } else { folded(&own.text).join(" ") }, meta, own.rest.trim().to_owned())
    };
    said(&was) != said(&is)
}

/// What memdir writes by itself where the policy says so.
pub const STAMPS: [&str; 6] = ["added", "upd", "by", "src", "run", "role"];

/// The label of a bullet that says when a file was changed.
fn is_stamp(label: &str) -> bool {
    label.trim_matches(['*', '_']).eq_ignore_ascii_case("updated")
}

/// A bullet's own lines, without the item's indent; each ends with a line end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    marker: String,
    text: String,
    /// What follows the text on its last line.
    after: String,
    /// The metadata line's indent, and what it says.
    meta: Option<(String, String, Meta)>,
    rest: String,
}

/// Merges the own lines of a bullet that stands in ours and theirs; the answer lacks the item's indent.
pub fn merge(base: Option<(&Tree, usize)>, ours: (&Tree, usize), theirs: (&Tree, usize)) -> Vec<Part> {
    let base = base.map(|(tree, atom)| own(tree, atom));
    let (ours, theirs) = (own(ours.0, ours.1), own(theirs.0, theirs.1));
    if let Some(own) = pick(base.as_ref(), &ours, &theirs) {
        return vec![Part::Text(own.print())];
    }
    let was = |of: fn(&Own) -> &String| base.as_ref().map(of);
    let either =
        |of: fn(&Own) -> &String| pick(was(of), of(&ours), of(&theirs)).unwrap_or(of(&ours).min(of(&theirs))).clone();
    let (marker, after) = (either(|o| &o.marker), either(|o| &o.after));
    let text = text(was(|o| &o.text), &ours.text, &theirs.text);
    let meta = seated(metadata(base.as_ref(), &ours, &theirs), &marker, [base.as_ref(), Some(&ours), Some(&theirs)]);
    let rest = prose_of(was(|o| &o.rest), &ours.rest, &theirs.rest);
    let on = |side: Side| {
        let (marker, after, meta) = (marker.clone(), after.clone(), meta[side as usize].clone());
        Own { marker, text: text.on(side).to_owned(), after, meta, rest: part::on(&rest, side) }.print()
    };
    let clash = matches!(text, Part::Clash { .. })
        || meta[1] != meta[2]
        || rest.iter().any(|p| matches!(p, Part::Clash { .. }));
    vec![match clash {
        true => Part::Clash { base: on(Side::Base), ours: on(Side::Ours), theirs: on(Side::Theirs) },
        false => Part::Text(on(Side::Ours)),
    }]
}

type MetaLine = Option<(String, String, Meta)>;

/// An item's own lines without its indent, as they are.
pub fn lines(tree: &Tree, atom: usize) -> String {
    let indent = tree.indent(atom);
    with_end(dedent(tree.own(atom), indent))
}

/// How many bytes an item's marker takes, with the blanks behind it: there its text starts, and what belongs to it.
pub fn seat(lines: &str) -> usize {
    let digits = lines.bytes().take_while(u8::is_ascii_digit).count();
    let blanks = lines[digits..].bytes().skip(1).take_while(|b| *b == b' ').count();
    digits + 1 + blanks
}

/// An item's lines with all that belongs to it, without its indent.
pub fn whole(tree: &Tree, atom: usize) -> String {
    with_end(dedent(tree.whole(atom), tree.indent(atom)))
}

fn own(tree: &Tree, atom: usize) -> Own {
    let (range, indent) = (tree.atoms[atom].own.clone(), tree.indent(atom));
    let Some(bullet) = tree.atoms[atom].bullet.map(|b| tree.document.bullets()[b]) else {
        let rest = lines(tree, atom);
        return Own { marker: String::new(), text: String::new(), after: String::new(), meta: None, rest };
    };
    let text = tree.text();
    let (content, head) = (bullet.content as usize, (bullet.head_end as usize).min(range.end));
    let line = text[head..range.end].find('\n').map_or(range.end, |i| head + i + 1);
    let meta = bullet.meta.map(|m| tree.document.metas()[m as usize].line.range());
    let meta = meta.filter(|m| m.start >= line && m.end <= range.end);
    let rest = meta.as_ref().map_or(line, |m| m.end);
    let meta = meta.and_then(|m| {
        let line = dedent(&text[m], indent);
        let blank = line[..line.len() - line.trim_start().len()].to_owned();
        Some((blank, line.trim().to_owned(), Meta::parse(&line)?))
    });
    let marker = &text[bullet.marker as usize..content];
    Own {
        marker: marker.to_owned(),
        text: unseat(dedent(&text[content..head], indent), marker),
        after: with_end(text[head..line].to_owned()),
        meta,
        rest: match &text[rest..range.end] {
            "" => String::new(),
            rest => unseat(format!("\n{}", with_end(dedent(rest, indent))), marker)[1..].to_owned(),
        },
    }
}

impl Own {
    fn print(&self) -> String {
        let Own { marker, text, after, meta, rest } = self;
        let meta = meta.as_ref().map(|(blank, line, _)| format!("{blank}{line}\n")).unwrap_or_default();
        let seat = " ".repeat(marker.len());
        format!("{marker}{}{after}{meta}{}", text.replace(SEAT, &seat), rest.replace(SEAT, &seat))
    }
}

/// Stands for the blanks below a marker: below `10. ` there are more of them than below `- `.
const SEAT: char = '\u{1}';

/// Lines below the first without the blanks that their item's marker asks for.
fn unseat(text: String, marker: &str) -> String {
    if !text.contains('\n') || text.contains(SEAT) || marker.contains(['\t', '\n']) {
        return text;
    }
    text.replace(&format!("\n{}", " ".repeat(marker.len())), &format!("\n{SEAT}"))
}

fn with_end(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn dedent(text: &str, indent: &str) -> String {
    if indent.is_empty() {
        return text.to_owned();
    }
    text.split_inclusive('\n').map(|line| line.strip_prefix(indent).unwrap_or(line)).collect()
}

/// Lines with an indent before each that is not blank.
pub fn indented(text: &str, indent: &str) -> String {
    if indent.is_empty() {
        return text.to_owned();
    }
    let line = |line: &str| if line.trim().is_empty() { line.to_owned() } else { format!("{indent}{line}") };
    text.split_inclusive('\n').map(line).collect()
}

/// The text of a bullet: a tick and what is ticked are two things, a date label's later date counts.
fn text(base: Option<&String>, ours: &str, theirs: &str) -> Part {
    let base = base.map(String::as_str);
    if let Some(text) = pick(base.map(folded), folded(ours), folded(theirs)) {
        let same = [ours, theirs].into_iter().filter(|t| folded(t) == text).min().unwrap_or(ours);
        return Part::Text(same.to_owned());
    }
    let ((our_tick, our_text), (their_tick, their_text)) = (tick(ours), tick(theirs));
    if let Some((tick_was, text_was)) = base.map(tick)
        && let (Some(tick), Some(text)) =
            (pick(Some(tick_was), our_tick, their_tick), pick(Some(text_was), our_text, their_text))
    {
        return Part::Text(format!("{tick}{text}"));
    }
    if let (Some((label, a)), Some((other, b))) = (ours.split_once(": "), theirs.split_once(": "))
        && label == other
        && is_stamp(label)
        && [a, b].into_iter().all(is_date)
    {
        return Part::Text(if a >= b { ours } else { theirs }.to_owned());
    }
    Part::Clash { base: base.unwrap_or_default().to_owned(), ours: ours.to_owned(), theirs: theirs.to_owned() }
}

/// A date, perhaps with a time: digits and what stands between them.
fn is_date(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || "-/:.TZ+ ".contains(c))
}

fn folded(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || c == SEAT).filter(|word| !word.is_empty()).collect()
}

/// A task's tick and its text.
fn tick(text: &str) -> (&str, &str) {
    let ticked = ["[ ] ", "[x] ", "[X] "].iter().any(|t| text.starts_with(t));
    text.split_at(if ticked { 4 } else { 0 })
}

fn prose_of(base: Option<&String>, ours: &String, theirs: &String) -> Vec<Part> {
    match pick(base, ours, theirs) {
        Some(text) => vec![Part::Text(text.clone())],
        None => prose::merge(base.map_or("", |b| b), ours, theirs),
    }
}

/// The metadata lines of base, ours and theirs, brought together key by key; they differ where a key clashes.
fn metadata(base: Option<&Own>, ours: &Own, theirs: &Own) -> [MetaLine; 3] {
    let was = base.map(|b| &b.meta);
    if let Some(line) = pick(was, &ours.meta, &theirs.meta) {
        return [line.clone(), line.clone(), line.clone()];
    }
    let empty = Meta::default();
    let meta = |line: &MetaLine| line.as_ref().map_or(empty.clone(), |(_, _, m)| m.clone());
    let (o, a, b) = (was.map_or(empty.clone(), meta), meta(&ours.meta), meta(&theirs.meta));
    let known = [&ours.meta, &theirs.meta].into_iter().chain(was).flatten().next();
    let blank = known.map_or("  ".to_owned(), |(blank, ..)| blank.clone());
    let mut keys: Vec<&str> = [&a, &b, &o].iter().flat_map(|m| m.0.iter().map(|(k, _)| k.as_str())).collect();
    keys.sort_unstable();
    keys.dedup();
    let later = match a.get("upd").cmp(&b.get("upd")) {
        Ordering::Greater => Some(&a),
        Ordering::Less => Some(&b),
        Ordering::Equal => None,
    };
    let mut out = [o.clone(), o.clone(), o.clone()];
    for key in keys {
        let (x, y) = (a.get(key), b.get(key));
        let value =
            pick(Some(o.get(key)), x, y).or_else(|| stamp(key, x, y, later.and_then(|m| m.get(key)), base.is_none()));
        let three = value.map_or([o.get(key), x, y], |v| [v, v, v]);
        for (meta, value) in out.iter_mut().zip(three) {
            put(meta, key, value);
        }
    }
    out.map(|meta| (!meta.0.is_empty()).then(|| (blank.clone(), meta.print(), meta)))
}

/// Metadata lines with the blanks that their bullet's marker asks for: below `10. ` it takes more than below `- `.
fn seated(lines: [MetaLine; 3], marker: &str, owns: [Option<&Own>; 3]) -> [MetaLine; 3] {
    let like = owns
        .into_iter()
        .flatten()
        .filter(|own| own.marker == marker)
        .filter_map(|own| own.meta.as_ref())
        .min_by_key(|(blank, ..)| blank);
    let blank = like.map_or_else(|| " ".repeat(marker.len()), |(blank, ..)| blank.clone());
    lines.map(|line| line.map(|(_, said, meta)| (blank.clone(), said, meta)))
}

/// Sets or takes out a key; one without a value is told apart from none.
fn put(meta: &mut Meta, key: &str, value: Option<&str>) {
    match value {
        None => meta.0.retain(|(k, _)| k != key),
        Some("") if meta.get(key).is_none() => meta.0.push((key.to_owned(), String::new())),
        Some("") => meta.0.iter_mut().filter(|(k, _)| k == key).for_each(|(_, v)| v.clear()),
        Some(value) => meta.set(key, value),
    }
}

/// What two sides stamped: the later change's stamps count, the first addition's.
fn stamp<'a>(
    key: &str,
    ours: Option<&'a str>,
    theirs: Option<&'a str>,
    later: Option<&'a str>,
    twins: bool,
) -> Option<Option<&'a str>> {
    match key {
        "upd" => Some(ours.max(theirs)),
        "added" => Some(ours.into_iter().chain(theirs).min()),
        _ if STAMPS.contains(&key) => Some(later.or(ours.max(theirs))),
        // Both sides wrote the same new bullet, each with an id of its own: one is enough.
        "id" if twins => Some(ours.into_iter().chain(theirs).min()),
        _ if twins && (ours.is_none() || theirs.is_none()) => Some(ours.or(theirs)),
        _ => None,
    }
}
