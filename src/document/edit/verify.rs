//! Verifies an edit result: every block of the new text is an unchanged block of the old text or a block that an edit
//! wrote.
//!
//! Never repairs. Bytes outside the replacements are equal by construction, so it compares only kinds and positions of
//! blocks.

use super::render::{EditTargets, ExpectedBlock, ExpectedContent, RenderedEdit};
use crate::document::parse::BlockDetails;
use crate::document::{BlockKind, Bullet, Document, escape, lines, section};

/// Maps the bullets of the new text to the edits and to the old text.
pub(super) struct MatchedBullets {
    /// For each edit, the indexes of the bullets it wrote.
    pub written: Vec<Vec<usize>>,
    /// For each bullet of the new text, the index of the old bullet with the same text, if any.
    pub origin: Vec<Option<usize>>,
}

/// Compares both documents; `None` at the first difference that no edit explains.
pub(super) fn verify(
    before: &Document,
    after: &Document,
    targets: &EditTargets<'_>,
    subset: &[usize],
    pieces: &[RenderedEdit],
) -> Option<MatchedBullets> {
    let removed_bullets: Vec<Bullet> = targets.removed_bullets(before, subset).into_iter().map(|(_, b)| b).collect();
    let shift = OffsetMap::new(pieces);
    let matched =
        MatchedBullets { written: vec![Vec::new(); targets.edits.len()], origin: vec![None; after.bullets().len()] };
    let mut verifier =
        EditVerifier { before, after, targets, subset, offsets: shift, matched, next_block: 0, written_orphans: 0 };
    let mut blocks = Vec::new();
    for (i, piece) in pieces.iter().enumerate() {
        let base = verifier.offsets.new_start(i);
        blocks.extend(piece.expected_blocks.iter().map(|b| (base + b.start, base + b.end, b, piece.depth)));
    }
    let mut blocks = blocks.into_iter().peekable();
    let mut removed = removed_bullets.iter().peekable();
    for (i, node) in before.blocks().iter().enumerate() {
        while removed.next_if(|g| g.end <= node.span.start).is_some() {}
        if removed.peek().is_some_and(|g| g.line_start <= node.span.start && node.span.end <= g.end) {
            continue;
        }
        let start = verifier.offsets.map_start(node.span.start as usize);
        while let Some((from, to, block, depth)) = blocks.next_if(|(at, ..)| *at < start) {
            verifier.match_written_block(from, to, block, depth)?;
        }
        verifier.match_kept_block(i, start)?;
    }
    for (from, to, block, depth) in blocks {
        verifier.match_written_block(from, to, block, depth)?;
    }
    verifier.check_remainder(&removed_bullets)?;
    Some(verifier.matched)
}

struct EditVerifier<'a> {
    before: &'a Document,
    after: &'a Document,
    targets: &'a EditTargets<'a>,
    subset: &'a [usize],
    offsets: OffsetMap<'a>,
    matched: MatchedBullets,
    /// Index of the next block of the new text.
    next_block: usize,
    /// Number of orphaned metadata lines inside the blocks that edits wrote.
    written_orphans: usize,
}

impl EditVerifier<'_> {
    /// Requires that the next block of the new text is this block of the old text.
    fn match_kept_block(&mut self, number: usize, start: usize) -> Option<()> {
        let (old, inner) = (self.before.blocks[number], self.before.block_details[number]);
        let (new, new_inner) = (*self.after.blocks.get(self.next_block)?, self.after.block_details[self.next_block]);
        self.next_block += 1;
        let bytes = self.after.text.as_bytes();
        let item = matches!(old.kind, BlockKind::Bullet(_) | BlockKind::OtherListItem);
        let end = self.offsets.map_end(old.span.end as usize, if item { inner.depth } else { u8::MAX });
        let end = lines::block_end(bytes, start, end);
        let is_updated = |b: u32| self.targets.new_text(b as usize, self.subset).is_some();
        // A new text is a paragraph, whatever block the old one was.
        let is_rewritten = new_inner.opening == 0 && matches!(old.kind, BlockKind::Bullet(b) if is_updated(b));
        let opening = if is_rewritten { 0 } else { inner.opening };
        let same_details = BlockDetails { opening, ..inner } == new_inner;
        let same_position = same_details && new.span.start as usize == start && new.span.end as usize == end;
        let kinds = match (old.kind, new.kind) {
            (BlockKind::Bullet(b), BlockKind::Bullet(n)) => {
                return (same_position && self.match_kept_bullet(b as usize, n as usize)).then_some(());
            }
            (BlockKind::Heading(a), BlockKind::Heading(b)) => {
                self.before.sections[a as usize].level == self.after.sections[b as usize].level
            }
            (a, b) => a == b,
        };
        (same_position && kinds).then_some(())
    }

    /// Checks the positions, text and metadata of a bullet that was not removed.
    fn match_kept_bullet(&mut self, number: usize, new_number: usize) -> bool {
        let (old, new) = (self.before.bullets[number], self.after.bullets[new_number]);
        let at = |place: u32| self.offsets.map_start(place as usize);
        let head_end = self.offsets.map_end(old.text_end as usize, u8::MAX);
        if new.marker as usize != at(old.marker)
            || new.text_start as usize != at(old.text_start)
            || new.text_end as usize != head_end
        {
            return false;
        }
        match self.targets.new_text(number, self.subset) {
            Some((edit, text)) => {
                if self.after.bullet_text(new_number) != text {
                    return false;
                }
                self.matched.written[edit].push(new_number);
            }
            None => self.matched.origin[new_number] = Some(number),
        }
        match self.targets.new_meta(number, self.subset) {
            Some((edit, meta)) => {
                self.matched.written[edit].push(new_number);
                self.after.bullet_meta(new_number).unwrap_or_default() == *meta
            }
            None => match (old.meta, new.meta) {
                (None, None) => true,
                (Some(a), Some(b)) => {
                    at(self.before.meta_lines[a as usize].line.start)
                        == self.after.meta_lines[b as usize].line.start as usize
                }
                _ => false,
            },
        }
    }

    /// Requires that the next block of the new text is one that an edit wrote, and that it covers exactly the written
    /// range.
    fn match_written_block(&mut self, start: usize, end: usize, block: &ExpectedBlock, depth: u8) -> Option<()> {
        let bytes = self.after.text.as_bytes();
        let (new, inner) = (*self.after.blocks.get(self.next_block)?, self.after.block_details[self.next_block]);
        self.next_block += 1;
        if new.span.start as usize != start || new.span.end as usize != lines::block_end(bytes, start, end) {
            return None;
        }
        match (&block.content, new.kind) {
            (ExpectedContent::Heading { level, title }, BlockKind::Heading(section)) => {
                let read = &self.after.sections[section as usize];
                let wanted = section::title_without_id(title);
                (read.level == *level && self.after.section_title(section as usize) == wanted).then_some(())
            }
            (ExpectedContent::Bullet { edit, text, meta }, BlockKind::Bullet(bullet)) => {
                let bullet = bullet as usize;
                let same_text = inner.depth == depth && self.after.bullet_text(bullet) == text.as_str();
                let is_plain = inner.opening == 0 || escape::spans_lines(text);
                if !same_text || !is_plain || self.after.bullet_meta(bullet) != *meta {
                    return None;
                }
                self.matched.written[*edit].push(bullet);
                let metas =
                    &self.after.meta_lines[self.after.meta_lines.partition_point(|m| m.line.start < new.span.start)..];
                let inside = metas.iter().take_while(|m| m.line.start < new.span.end);
                self.written_orphans += inside.filter(|m| m.bullet.is_none()).count();
                self.skip_children(new.span.end, depth)
            }
            _ => None,
        }
    }

    /// Skips the children of a written bullet; fails if one of them extends beyond the bullet.
    fn skip_children(&mut self, end: u32, depth: u8) -> Option<()> {
        while let Some(node) = self.after.blocks.get(self.next_block).filter(|n| n.span.start < end) {
            if node.span.end > end || self.after.block_details[self.next_block].depth <= depth {
                return None;
            }
            self.next_block += 1;
        }
        Some(())
    }

    /// Requires that no other block follows, and that orphaned metadata lines, front matter and link definitions are
    /// unchanged.
    fn check_remainder(&self, removed_bullets: &[Bullet]) -> Option<()> {
        let is_removed = |line: u32| removed_bullets.iter().any(|g| g.line_start <= line && line < g.end);
        let orphan = |m: &&crate::document::MetaLine| m.bullet.is_none();
        let kept_orphans = self.before.meta_lines.iter().filter(orphan).filter(|m| !is_removed(m.line.start)).count();
        let wanted = kept_orphans + self.written_orphans;
        let fronts = self.before.front_matter.map(|f| f.end) == self.after.front_matter.map(|f| f.end);
        let all = self.next_block == self.after.blocks.len() && fronts;
        let definitions = self.before.definitions == self.after.definitions;
        (all && definitions && self.after.meta_lines.iter().filter(orphan).count() == wanted).then_some(())
    }
}

/// Maps offsets of the old text to the new text.
struct OffsetMap<'a> {
    pieces: &'a [RenderedEdit],
    /// Growth of the text in bytes before each replacement; the last entry is the total.
    growth: Vec<isize>,
}

impl<'a> OffsetMap<'a> {
    fn new(pieces: &'a [RenderedEdit]) -> OffsetMap<'a> {
        let mut growth = vec![0];
        for piece in pieces {
            let s = &piece.splice;
            growth.push(growth[growth.len() - 1] + s.new.len() as isize - (s.end - s.start) as isize);
        }
        OffsetMap { pieces, growth }
    }

    /// Start of a replacement's new text.
    fn new_start(&self, piece: usize) -> usize {
        (self.pieces[piece].splice.start as isize + self.growth[piece]) as usize
    }

    /// Maps the start of a block: insertions at this offset come before it.
    fn map_start(&self, at: usize) -> usize {
        self.map_offset(at, self.pieces.partition_point(|p| p.splice.end <= at))
    }

    /// Maps the end of a block that is inside `depth` list items: of the insertions at this offset, only deeper nested
    /// ones belong to it.
    fn map_end(&self, at: usize, depth: u8) -> usize {
        let mut before = self.pieces.partition_point(|p| p.splice.end <= at);
        while before > 0 {
            let RenderedEdit { splice, depth: own, .. } = &self.pieces[before - 1];
            if splice.start != at || splice.end != at || *own > depth {
                break;
            }
            before -= 1;
        }
        self.map_offset(at, before)
    }

    fn map_offset(&self, at: usize, before: usize) -> usize {
        let inside = self.pieces.get(before).filter(|p| p.splice.start < at && at < p.splice.end);
        match inside {
            Some(piece) => self.new_start(before) + piece.splice.new.len(),
            None => (at as isize + self.growth[before]) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentEdit;
    use crate::document::edit::render;
    use crate::text::splice;

    /// Whether an update passes verification if its text is written without escapes.
    fn passes_verification(text: &str, bullet: usize, new: &str) -> bool {
        let before = Document::parse(text);
        let edits = [DocumentEdit::Update { bullet, text: new.into() }];
        let claims = render::collect_targets(&before, &edits).unwrap();
        let mut pieces = render::render_edits(&before, &claims, &[0], &[0]).unwrap();
        pieces[0].splice.new = new.into();
        let written = splice(text, &[pieces[0].splice.clone()]).unwrap();
        verify(&before, &Document::parse(written), &claims, &[0], &pieces).is_some()
    }

    #[test]
    fn a_text_parsed_as_structure_fails_verification() {
        assert!(passes_verification("- a\n- b\n", 0, "fine"));
        for bad in ["# x", "- x", "---", "```", "<div>", "[x]: /y", "1. x", "> x"] {
            assert!(!passes_verification("- a\n- b\n\ntext\n", 0, bad), "{bad}");
        }
    }
}
