//! Parses a Markdown memory file into front matter, sections, bullets, metadata lines and the summary line.
//!
//! Pure. Keeps the source text and byte spans into it, and returns replacements of byte ranges. It never renders the
//! file from a tree, and never changes syntax it does not recognise.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use crate::text::Splice;
use crate::threads;

mod bullet_marks;
mod bullet_reference;
mod conflict_lines;
pub mod edit;
mod elements;
mod escape;
mod exact_text;
mod expiry;
pub mod fragments;
mod front_matter;
pub mod handle;
mod handle_index;
mod lines;
pub mod link_names;
pub mod links;
mod literal_blocks;
mod located_bullet;
pub mod memory_index;
pub mod meta;
pub mod meta_keys;
mod new_bullets;
mod open_block;
mod parse;
mod recorded_updates;
pub mod related_edge;
pub mod relation;
mod resource_fields;
mod section;
pub mod summary;
mod visibility;
mod walk;

pub use bullet_marks::{BulletMarks, Strikethrough};
pub use conflict_lines::first_marker_line;
pub use edit::{DocumentEdit, EditRefusal, EditedDocument, InsertPosition, NewBullet, apply_edits, share_only_blanks};
pub use elements::{BlockKind, Bullet, DocumentBlock, LineEnding, MetaLine, Section, Span, SummaryLine};
pub use exact_text::{bullet_from_text, bullet_to_text, front_matter_line, title_line, trim_lines};
pub use expiry::ExpiryDates;
pub use front_matter::{add_tags, is_unclosed as is_front_matter_unclosed, tags_block};
pub use handle::Handle;
pub use literal_blocks::literal_blocks;
pub use located_bullet::LocatedBullet;
pub use meta::BulletMeta;
pub use meta_keys::{DEFAULT_IMPORTANCE, MetaKey, MetaType, parse_date};
pub use new_bullets::{parse_new_bullets, to_moved_bullet, to_new_bullet};
pub use recorded_updates::RecordedUpdates;
pub use resource_fields::{OWN_ITEMS, derived_item_name, field_value_as_json, metadata_value_as_json, resource_field};
pub use section::{is_title_section, section_range, section_titles, slug};
pub use visibility::{
    Visibility, VisibleParts, categories_around, categories_of_parents, category_key, category_name, front_matter_tags,
    split_category, summary_ranges, title_categories,
};

/// The largest file that is read or written, in bytes. What becomes a file (stdin, a conversation) has the same limit.
pub const MAX_FILE_BYTES: usize = 64 << 20;
/// [`MAX_FILE_BYTES`] as messages print it.
pub const MAX_FILE_SIZE: &str = "64 MiB";

/// From this number of bullets on, two threads compute handles: it takes about a millisecond.
const PARALLEL_FROM_HANDLES: usize = 4096;
/// How many handles a thread computes at a time.
const HANDLES_PER_CHUNK: usize = 512;

/// A parsed Markdown file.
#[derive(Clone, Debug)]
pub struct Document {
    text: String,
    /// The byte ranges of the base's lines in merge conflicts.
    conflict_bases: Vec<Range<usize>>,
    body_start: usize,
    front_matter: Option<Span>,
    blocks: Vec<DocumentBlock>,
    block_details: Vec<parse::BlockDetails>,
    sections: Vec<Section>,
    bullets: Vec<Bullet>,
    meta_lines: Vec<MetaLine>,
    definitions: Vec<parse::LinkDefinition>,
    handles: OnceLock<Vec<Handle>>,
    handle_index: handle_index::HandleIndex,
    bullet_ids: OnceLock<Vec<(usize, String)>>,
    references: bullet_reference::ReferenceIndex,
    /// Set by the first call of `handle_name`, for which a scan is faster than sorting.
    handle_name_used: OnceLock<()>,
    conflict_marker_line: OnceLock<Option<usize>>,
    fragments: fragments::FragmentIndex,
}

/// Why the bytes of a file cannot be read as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextDecodeError {
    /// Not UTF-8; holds the offset of the first invalid byte.
    InvalidUtf8(usize),
    /// Contains a NUL byte, at this offset.
    NulByte(usize),
}

impl Document {
    /// Parses a text. Never fails: unknown syntax becomes a [`DocumentBlock`] without bullets.
    pub fn parse(text: impl Into<String>) -> Document {
        Document::parse_with(text.into(), true)
    }

    /// Parses; `chunked` allows the fast path that reads one-line bullets without the Markdown parser.
    fn parse_with(text: String, chunked: bool) -> Document {
        let (blanked, conflict_bases) = conflict_lines::blank_out_markers(&text);
        let parse::ParsedText { front_matter, body_start, content: draft, sections } = parse::parse(&blanked, chunked);
        drop(blanked);
        Document {
            text,
            conflict_bases,
            body_start,
            front_matter,
            blocks: draft.blocks,
            block_details: draft.details,
            sections,
            bullets: draft.bullets,
            meta_lines: draft.meta_lines,
            definitions: draft.definitions,
            handles: OnceLock::new(),
            handle_index: handle_index::HandleIndex::default(),
            bullet_ids: OnceLock::new(),
            references: bullet_reference::ReferenceIndex::default(),
            handle_name_used: OnceLock::new(),
            conflict_marker_line: OnceLock::new(),
            fragments: fragments::FragmentIndex::default(),
        }
    }

    /// Parses the bytes of a file.
    ///
    /// # Errors
    /// [`TextDecodeError`] for bytes that are not UTF-8 or contain a NUL.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Document, TextDecodeError> {
        if let Some(at) = memchr::memchr(0, &bytes) {
            return Err(TextDecodeError::NulByte(at));
        }
        let text = String::from_utf8(bytes).map_err(|e| TextDecodeError::InvalidUtf8(e.utf8_error().valid_up_to()))?;
        Ok(Document::parse(text))
    }

    /// The whole text, including byte order mark and front matter.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text without copying it.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The line ending that most lines use; `\n` if there is a tie or no line ending.
    pub fn eol(&self) -> LineEnding {
        let bytes = self.text.as_bytes();
        if memchr::memchr(b'\r', bytes).is_none() {
            return LineEnding::Lf;
        }
        let all = memchr::memchr_iter(b'\n', bytes).count();
        let crlf = memchr::memmem::find_iter(bytes, "\r\n").count();
        if 2 * crlf > all { LineEnding::Crlf } else { LineEnding::Lf }
    }

    /// The front matter including its fences; `None` if the file has none.
    pub fn front_matter(&self) -> Option<Span> {
        self.front_matter
    }

    /// Byte offset of the body: after the front matter, or after the byte order mark.
    pub fn body_start(&self) -> usize {
        self.body_start
    }

    /// The raw value of a front matter key, quotes included. `None` if the key is missing or its value spans several
    /// lines. An empty value is an empty span.
    pub fn front_value(&self, key: &str) -> Option<Span> {
        front_matter::value_span(self, front_matter::key_line(self, key)?)
    }

    /// The value of a front matter key, without quotes and their escapes.
    pub fn front_text(&self, key: &str) -> Option<String> {
        self.front_value(key).map(|value| front_matter::unquote_scalar(&self.text[value.range()]))
    }

    /// Whether the front matter has a top-level key, on one line or several.
    pub fn has_front_key(&self, key: &str) -> bool {
        front_matter::has_key(self, key)
    }

    /// Returns the replacement that sets a front matter key to a string, quoted where YAML needs it. An empty value
    /// removes the key; a value of several lines is replaced as a whole. `None` if there is no front matter, or nothing
    /// to remove.
    pub fn set_front_value(&self, key: &str, value: &str) -> Option<Splice> {
        front_matter::set_value(self, key, value)
    }

    /// All blocks, in file order.
    pub fn blocks(&self) -> &[DocumentBlock] {
        &self.blocks
    }

    /// All sections, in file order; the first one is the file.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// All bullets at any depth, in file order.
    pub fn bullets(&self) -> &[Bullet] {
        &self.bullets
    }

    /// All metadata lines, in file order, including orphans.
    pub fn meta_lines(&self) -> &[MetaLine] {
        &self.meta_lines
    }

    /// Indexes of the top-level bullets of a section and its subsections, in file order. Addresses such as `file@3`
    /// count these bullets.
    pub fn top_level_bullets(&self, section: usize) -> Vec<usize> {
        self.bullets_of(section).filter(|b| self.bullets[*b].depth == 0).collect()
    }

    /// The indexes of a section's bullets, those of its subsections included.
    pub(crate) fn bullets_of(&self, section: usize) -> std::ops::Range<usize> {
        let Section { heading, end, .. } = &self.sections[section];
        let first = self.bullets.partition_point(|b| b.line_start < heading.start);
        first..self.bullets.partition_point(|b| b.line_start < *end)
    }

    /// A bullet's text as written in the file, with line breaks and escapes.
    pub fn bullet_raw(&self, bullet: usize) -> &str {
        let Bullet { text_start: content, text_end: head_end, .. } = self.bullets[bullet];
        &self.text[content as usize..head_end as usize]
    }

    /// The number in front of a bullet of a numbered list, as written; `None` in another list.
    pub fn list_number(&self, bullet: usize) -> Option<u32> {
        let marker = &self.text[self.bullets[bullet].marker as usize..];
        marker[..marker.bytes().take_while(u8::is_ascii_digit).count()].parse().ok()
    }

    /// A bullet's plain text: lines joined into one, structural escapes removed.
    pub fn bullet_text(&self, bullet: usize) -> Cow<'_, str> {
        escape::decode(join_lines(self.bullet_raw(bullet)))
    }

    /// A heading's plain text without its id. For section 0, the text of the first H1, or an empty text.
    pub fn section_title(&self, section: usize) -> Cow<'_, str> {
        let section = match section {
            0 => self.sections.iter().find(|s| s.level == 1).unwrap_or(&self.sections[0]),
            _ => &self.sections[section],
        };
        escape::decode_title(join_lines(&self.text[section.title.range()]))
    }

    /// A bullet's explicit id: `id=` of its metadata line, else `^id` at the end of its text.
    pub fn bullet_id(&self, bullet: usize) -> Option<Cow<'_, str>> {
        let from_meta = self.bullet_meta(bullet).and_then(|m| m.id().map(str::to_owned));
        if let Some(id) = from_meta {
            return Some(Cow::Owned(id));
        }
        block_id(self.bullet_raw(bullet)).map(Cow::Borrowed)
    }

    /// The bullets that have an id, in file order, each with it. Found once: operations of a batch all look for theirs.
    pub fn bullet_ids(&self) -> &[(usize, String)] {
        let with_id = |b: usize| Some((b, self.bullet_id(b)?.into_owned()));
        self.bullet_ids.get_or_init(|| (0..self.bullets.len()).filter_map(with_id).collect())
    }

    /// The parsed metadata line of a bullet.
    pub fn bullet_meta(&self, bullet: usize) -> Option<BulletMeta> {
        let line = self.meta_lines[self.bullets[bullet].meta? as usize].line;
        BulletMeta::parse(&self.text[line.range()])
    }

    /// The handles of all bullets, computed on first use.
    pub fn handles(&self) -> &[Handle] {
        self.handles.get_or_init(|| {
            let handles = |_: &mut (), bullets: Range<usize>| bullets.map(|b| Handle::of(self.bullet_raw(b))).collect();
            let count = self.bullets.len();
            threads::map_chunks(count, HANDLES_PER_CHUNK, count >= PARALLEL_FROM_HANDLES, || (), handles)
        })
    }

    /// Reuses handles that are already computed for `before`. `origin` holds, for each bullet of this document, the
    /// index of the unchanged bullet in `before`, or `None` for a new text.
    fn reuse_handles(&self, before: &Document, origin: &[Option<usize>]) {
        let Some(old_handles) = before.handles.get() else { return };
        let of = |(bullet, from): (usize, &Option<usize>)| match from {
            Some(old) => old_handles[*old],
            None => Handle::of(self.bullet_raw(bullet)),
        };
        let _ = self.handles.set(origin.iter().enumerate().map(of).collect());
    }

    /// A bullet's handle as displayed: the shortest prefix that is unique among the file's different texts, at least 4
    /// characters.
    pub fn handle_name(&self, bullet: usize) -> String {
        let handle = self.handles()[bullet];
        let nearest = match self.handle_name_used.set(()) {
            Ok(()) => handle.nearest(self.handles()),
            Err(()) => {
                let sorted = self.handle_index.sorted(self.handles());
                let end = sorted.partition_point(|(h, _)| *h <= handle);
                let first = sorted[..end].partition_point(|(h, _)| *h < handle);
                let neighbours = [first.checked_sub(1).map(|i| sorted[i].0), sorted.get(end).map(|(h, _)| *h)];
                handle.nearest(&neighbours.into_iter().flatten().collect::<Vec<_>>())
            }
        };
        handle.prefix(handle.unique_length(nearest))
    }

    /// Whether another bullet of the file has the same text.
    fn is_repeated(&self, bullet: usize) -> bool {
        let handle = self.handles()[bullet];
        match self.handle_index.if_sorted() {
            Some(sorted) => {
                sorted.get(sorted.partition_point(|(h, _)| *h < handle) + 1).map(|(h, _)| *h) == Some(handle)
            }
            None => self.handles().iter().filter(|h| **h == handle).count() > 1,
        }
    }

    /// Indexes of all bullets whose handle starts with this prefix (at least 4 characters).
    pub fn bullets_by_handle(&self, name: &str) -> Vec<usize> {
        let Some((low, high)) = Handle::prefix_range(name) else { return Vec::new() };
        self.handle_index.find(self.handles(), low..=high)
    }

    /// Indexes of the bullets with this text, in file order, compared in the normal form of handles. The text may be
    /// plain or escaped as in the file.
    pub fn bullets_by_text(&self, text: &str) -> Vec<usize> {
        let text = text.trim();
        let escaped = escape::encode(text);
        let (plain_handle, escaped_handle) = (Handle::of(text), Handle::of(&escaped));
        let same_text = |b: &usize| {
            let normal = handle::normalize(self.bullet_raw(*b));
            normal == handle::normalize(text) || normal == handle::normalize(&escaped)
        };
        let mut hits = self.handle_index.find(self.handles(), plain_handle..=plain_handle);
        if escaped_handle != plain_handle {
            hits.extend(self.handle_index.find(self.handles(), escaped_handle..=escaped_handle));
            hits.sort_unstable();
        }
        hits.retain(same_text);
        hits
    }

    /// The summary line: `summary:` or `description:` of the front matter, else the first `> Summary:` line before the
    /// first bullet and before the first heading other than the H1.
    pub fn summary_line(&self) -> Option<SummaryLine> {
        for key in ["summary", "description"] {
            if let Some(line) = front_matter::key_line(self, key) {
                return Some(SummaryLine { line, value: front_matter::value_span(self, line)?, in_front_matter: true });
            }
        }
        let mut first_heading = true;
        for node in &self.blocks {
            match node.kind {
                BlockKind::Heading(s) if first_heading && self.sections[s as usize].level == 1 => first_heading = false,
                BlockKind::Heading(_) | BlockKind::Bullet(_) | BlockKind::OtherListItem => return None,
                BlockKind::Quote => {
                    if let Some(found) = self.summary_in_quote(node.span) {
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The first `> Summary:` line of a quote.
    fn summary_in_quote(&self, quote: Span) -> Option<SummaryLine> {
        let bytes = self.text.as_bytes();
        let mut line = quote.start as usize;
        while line < quote.end as usize {
            let end = lines::end(bytes, line);
            let text = self.text[line..end].trim_start_matches(' ');
            let inner = text.strip_prefix('>').map(|t| t.trim_start_matches([' ', '\t']));
            if let Some(value) = inner.and_then(|t| t.strip_prefix("Summary:")) {
                let to = lines::trim_end(bytes, end - value.len(), end);
                let from = lines::skip_blanks(bytes, end - value.len()).min(to);
                let (line, value) = (parse::span(line, end), parse::span(from, to));
                return Some(SummaryLine { line, value, in_front_matter: false });
            }
            line = end;
        }
        None
    }

    /// Whether the line at an offset is the base of a merge conflict: neither side says it any more.
    pub fn is_in_conflict_base(&self, at: usize) -> bool {
        let next = self.conflict_bases.partition_point(|range| range.end <= at);
        self.conflict_bases.get(next).is_some_and(|range| range.contains(&at))
    }

    /// Line number (1-based) of the first merge conflict marker; `None` unless all markers are present in order, and for
    /// examples of them.
    pub fn conflict_marker_line(&self) -> Option<usize> {
        let find = || conflict_lines::first_marker_line(&self.text).filter(|_| !self.has_example_markers());
        *self.conflict_marker_line.get_or_init(find)
    }

    /// Line number (1-based) of the first merge conflict marker if all of them are in closed blocks of fenced code, each
    /// set in one block: an example, unless git lists the file as unmerged.
    pub fn example_marker_line(&self) -> Option<usize> {
        conflict_lines::first_marker_line(&self.text).filter(|_| self.has_example_markers())
    }

    fn has_example_markers(&self) -> bool {
        let code = self.blocks.iter().filter(|block| block.kind == BlockKind::Code);
        conflict_lines::are_examples(&self.text, code.map(|block| block.span.range()))
    }

    /// Line number (1-based) of a merge conflict marker that stands alone; lines of code do not count.
    pub fn leftover_marker_line(&self) -> Option<usize> {
        let in_code = |at: usize| self.blocks.iter().any(|b| b.kind == BlockKind::Code && b.span.range().contains(&at));
        let at = conflict_lines::leftover_markers(&self.text).find(|at| !in_code(*at))?;
        Some(self.line_number(at as u32))
    }
}

/// Joins lines: each line ending with the blanks around it becomes one space.
fn join_lines(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['\n', '\r']) {
        return Cow::Borrowed(raw);
    }
    let blanks = [' ', '\t'];
    let parts = raw.split(['\n', '\r']).map(|line| line.trim_matches(blanks)).filter(|line| !line.is_empty());
    Cow::Owned(parts.collect::<Vec<_>>().join(" "))
}

/// The id at the end of a bullet's text: `^id`, as Obsidian writes it.
pub fn block_id(text: &str) -> Option<&str> {
    let last = text.rsplit(char::is_whitespace).next()?;
    last.strip_prefix('^').filter(|id| crate::path::is_id(id))
}

#[cfg(test)]
mod tests;
