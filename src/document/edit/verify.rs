//! The proof: every block of the new text is one of the old text, moved, or one that an edit meant to write.
//!
//! Never repairs. Bytes outside the replacements are equal by construction, so comparing kinds and places is enough.

use super::lay::{Block, Claims, Piece, What};
use crate::document::{Bullet, Document, Kind, lines, section};

/// How the bullets of the new text relate to the edits and to the old text.
pub(super) struct Matched {
    /// For each edit, the bullets it wrote.
    pub wrote: Vec<Vec<usize>>,
    /// For each new bullet, the old one that has the same text.
    pub origin: Vec<Option<usize>>,
}

/// Compares; `None` as soon as something is not as it should be.
pub(super) fn verify(
    before: &Document,
    after: &Document,
    claims: &Claims<'_>,
    some: &[usize],
    pieces: &[Piece],
) -> Option<Matched> {
    let gone: Vec<Bullet> = claims.gone(before, some).into_iter().map(|(_, b)| b).collect();
    let shift = Shift::new(pieces);
    let matched = Matched { wrote: vec![Vec::new(); claims.edits.len()], origin: vec![None; after.bullets().len()] };
    let mut proof = Proof { before, after, claims, some, shift, matched, next: 0, orphans: 0 };
    let mut blocks = Vec::new();
    for (i, piece) in pieces.iter().enumerate() {
        let base = proof.shift.place(i);
        blocks.extend(piece.blocks.iter().map(|b| (base + b.start, base + b.end, b, piece.depth)));
    }
    let mut blocks = blocks.into_iter().peekable();
    let mut removed = gone.iter().peekable();
    for (i, node) in before.nodes().iter().enumerate() {
        while removed.next_if(|g| g.end <= node.span.start).is_some() {}
        if removed.peek().is_some_and(|g| g.line <= node.span.start && node.span.end <= g.end) {
            continue;
        }
        let start = proof.shift.start(node.span.start as usize);
        while let Some((from, to, block, depth)) = blocks.next_if(|(at, ..)| *at < start) {
            proof.written(from, to, block, depth)?;
        }
        proof.kept(i, start)?;
    }
    for (from, to, block, depth) in blocks {
        proof.written(from, to, block, depth)?;
    }
    proof.rest(&gone)?;
    Some(proof.matched)
}

struct Proof<'a> {
    before: &'a Document,
    after: &'a Document,
    claims: &'a Claims<'a>,
    some: &'a [usize],
    shift: Shift<'a>,
    matched: Matched,
    /// The new text's next block.
    next: usize,
    /// Metadata lines without a bullet inside what was written.
    orphans: usize,
}

impl Proof<'_> {
    /// A block of the old text must come next.
    fn kept(&mut self, number: usize, start: usize) -> Option<()> {
        let (old, inner) = (self.before.nodes[number], self.before.inner[number]);
        let (new, new_inner) = (*self.after.nodes.get(self.next)?, self.after.inner[self.next]);
        self.next += 1;
        let bytes = self.after.text.as_bytes();
        let item = matches!(old.kind, Kind::Bullet(_) | Kind::OtherItem);
        let end = self.shift.end(old.span.end as usize, if item { inner.depth } else { u8::MAX });
        let end = lines::block_end(bytes, start, end);
        let same = inner == new_inner && new.span.start as usize == start && new.span.end as usize == end;
        let kinds = match (old.kind, new.kind) {
            (Kind::Bullet(b), Kind::Bullet(n)) => return (same && self.bullet(b as usize, n as usize)).then_some(()),
            (Kind::Heading(a), Kind::Heading(b)) => {
                self.before.sections[a as usize].level == self.after.sections[b as usize].level
            }
            (a, b) => a == b,
        };
        (same && kinds).then_some(())
    }

    /// A kept bullet: its places, its text or the new one, its metadata or the new one.
    fn bullet(&mut self, number: usize, new_number: usize) -> bool {
        let (old, new) = (self.before.bullets[number], self.after.bullets[new_number]);
        let at = |place: u32| self.shift.start(place as usize);
        let head_end = self.shift.end(old.head_end as usize, u8::MAX);
        if new.marker as usize != at(old.marker)
            || new.content as usize != at(old.content)
            || new.head_end as usize != head_end
        {
            return false;
        }
        match self.claims.text(number, self.some) {
            Some((edit, text)) => {
                if self.after.bullet_text(new_number) != text {
                    return false;
                }
                self.matched.wrote[edit].push(new_number);
            }
            None => self.matched.origin[new_number] = Some(number),
        }
        match self.claims.meta(number, self.some) {
            Some((edit, meta)) => {
                self.matched.wrote[edit].push(new_number);
                self.after.bullet_meta(new_number).unwrap_or_default() == *meta
            }
            None => match (old.meta, new.meta) {
                (None, None) => true,
                (Some(a), Some(b)) => {
                    at(self.before.metas[a as usize].line.start) == self.after.metas[b as usize].line.start as usize
                }
                _ => false,
            },
        }
    }

    /// A block that an edit wrote must come next, with nothing of it outside.
    fn written(&mut self, start: usize, end: usize, block: &Block, depth: u8) -> Option<()> {
        let bytes = self.after.text.as_bytes();
        let (new, inner) = (*self.after.nodes.get(self.next)?, self.after.inner[self.next]);
        self.next += 1;
        if new.span.start as usize != start || new.span.end as usize != lines::block_end(bytes, start, end) {
            return None;
        }
        match (&block.what, new.kind) {
            (What::Heading { level, title }, Kind::Heading(section)) => {
                let read = &self.after.sections[section as usize];
                let wanted = section::title_part(title);
                (read.level == *level && self.after.section_title(section as usize) == wanted).then_some(())
            }
            (What::Bullet { edit, text, meta }, Kind::Bullet(bullet)) => {
                let bullet = bullet as usize;
                let alike = inner.depth == depth && self.after.bullet_text(bullet) == text.as_str();
                if !alike || self.after.bullet_meta(bullet) != *meta {
                    return None;
                }
                self.matched.wrote[*edit].push(bullet);
                let metas = &self.after.metas[self.after.metas.partition_point(|m| m.line.start < new.span.start)..];
                let inside = metas.iter().take_while(|m| m.line.start < new.span.end);
                self.orphans += inside.filter(|m| m.bullet.is_none()).count();
                self.below(new.span.end, depth)
            }
            _ => None,
        }
    }

    /// What stands below a new bullet stands inside it.
    fn below(&mut self, end: u32, depth: u8) -> Option<()> {
        while let Some(node) = self.after.nodes.get(self.next).filter(|n| n.span.start < end) {
            if node.span.end > end || self.after.inner[self.next].depth <= depth {
                return None;
            }
            self.next += 1;
        }
        Some(())
    }

    /// Nothing else stands there, and what is no block is as it was.
    fn rest(&mut self, gone: &[Bullet]) -> Option<()> {
        let lost = |line: u32| gone.iter().any(|g| g.line <= line && line < g.end);
        let orphan = |m: &&crate::document::MetaLine| m.bullet.is_none();
        let kept = self.before.metas.iter().filter(orphan).filter(|m| !lost(m.line.start)).count();
        let wanted = kept + self.orphans;
        let fronts = self.before.front.map(|f| f.end) == self.after.front.map(|f| f.end);
        let all = self.next == self.after.nodes.len() && fronts;
        let definitions = self.before.definitions == self.after.definitions;
        (all && definitions && self.after.metas.iter().filter(orphan).count() == wanted).then_some(())
    }
}

/// Where offsets of the old text lie in the new one.
struct Shift<'a> {
    pieces: &'a [Piece],
    /// How much the text has grown before each piece, and at last in all.
    grown: Vec<isize>,
}

impl<'a> Shift<'a> {
    fn new(pieces: &'a [Piece]) -> Shift<'a> {
        let mut grown = vec![0];
        for piece in pieces {
            let s = &piece.splice;
            grown.push(grown[grown.len() - 1] + s.new.len() as isize - (s.end - s.start) as isize);
        }
        Shift { pieces, grown }
    }

    /// Where a piece's new text starts.
    fn place(&self, piece: usize) -> usize {
        (self.pieces[piece].splice.start as isize + self.grown[piece]) as usize
    }

    /// The place of something that starts at an offset: insertions there come before it.
    fn start(&self, at: usize) -> usize {
        self.moved(at, self.pieces.partition_point(|p| p.splice.end <= at))
    }

    /// The place of something that ends at an offset and stands in `depth` items: of the insertions there, only those
    /// that stand deeper belong to it.
    fn end(&self, at: usize, depth: u8) -> usize {
        let mut before = self.pieces.partition_point(|p| p.splice.end <= at);
        while before > 0 {
            let Piece { splice, depth: own, .. } = &self.pieces[before - 1];
            if splice.start != at || splice.end != at || *own > depth {
                break;
            }
            before -= 1;
        }
        self.moved(at, before)
    }

    fn moved(&self, at: usize, before: usize) -> usize {
        let inside = self.pieces.get(before).filter(|p| p.splice.start < at && at < p.splice.end);
        match inside {
            Some(piece) => self.place(before) + piece.splice.new.len(),
            None => (at as isize + self.grown[before]) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Edit;
    use crate::document::edit::lay;
    use crate::text::splice;

    /// Whether a text would be taken for the result of an update although it was written without escapes.
    fn proves(text: &str, bullet: usize, new: &str) -> bool {
        let before = Document::parse(text);
        let edits = [Edit::Update { bullet, text: new.into() }];
        let claims = lay::claims(&before, &edits).unwrap();
        let mut pieces = lay::pieces(&before, &claims, &[0], &[0]).unwrap();
        pieces[0].splice.new = new.into();
        let written = splice(text, &[pieces[0].splice.clone()]).unwrap();
        verify(&before, &Document::parse(written), &claims, &[0], &pieces).is_some()
    }

    #[test]
    fn a_text_that_breaks_out_is_never_proven() {
        assert!(proves("- a\n- b\n", 0, "fine"));
        for bad in ["# x", "- x", "---", "```", "<div>", "[x]: /y", "1. x", "> x"] {
            assert!(!proves("- a\n- b\n\ntext\n", 0, bad), "{bad}");
        }
    }
}
