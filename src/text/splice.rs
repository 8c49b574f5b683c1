//! Applies and composes sorted, disjoint replacements of byte ranges, and reports overlaps.
//!
//! Never changes a byte outside the replaced ranges.

/// One replacement: the bytes `start..end` of the old text become `new`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The offset of the first replaced byte.
    pub start: usize,
    /// One past the last replaced byte; equal to `start` for an insertion.
    pub end: usize,
    /// The new text of the range.
    pub new: String,
}

/// Two replacements overlap, or one lies outside the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Start offset of the offending replacement.
    pub at: usize,
}

/// Applies replacements, which must be sorted and disjoint. Insertions at the same offset keep their order.
///
/// # Errors
/// [`Overlap`] if two replacements overlap, one has `start` after `end`, or one lies outside the text or splits a
/// character.
pub fn splice(text: &str, splices: &[Splice]) -> Result<String, Overlap> {
    let grown: usize = splices.iter().map(|s| s.new.len()).sum();
    let mut out = String::with_capacity(text.len() + grown);
    let mut copied_to = 0;
    for s in splices {
        let gap = text.get(copied_to..s.start).filter(|_| s.start <= s.end && text.is_char_boundary(s.end));
        out.push_str(gap.ok_or(Overlap { at: s.start })?);
        out.push_str(&s.new);
        copied_to = s.end;
    }
    out.push_str(text.get(copied_to..).ok_or(Overlap { at: copied_to })?);
    Ok(out)
}

/// Composes two lists of replacements into one with the same effect; `second` refers to the text after `first`. Both
/// must be sorted and disjoint, and so is the result.
pub fn compose(first: &[Splice], second: &[Splice]) -> Vec<Splice> {
    let (mut a, mut b) = (SpliceSteps::new(first), SpliceSteps::new(second));
    let mut out = SpliceWriter::default();
    loop {
        match (a.current, b.current) {
            (SpliceStep::Delete(n), _) => {
                out.delete(n);
                a.advance(n);
            }
            (_, SpliceStep::Insert(text)) => {
                out.insert(text);
                b.advance(text.len());
            }
            (SpliceStep::Keep(usize::MAX), SpliceStep::Keep(usize::MAX)) => return out.splices,
            (x, y) => {
                let n = x.len().min(y.len());
                match (x, y) {
                    (SpliceStep::Keep(_), SpliceStep::Keep(_)) => out.keep(n),
                    (SpliceStep::Keep(_), _) => out.delete(n),
                    (SpliceStep::Insert(text), SpliceStep::Keep(_)) => out.insert(&text[..n]),
                    _ => {}
                }
                a.advance(n);
                b.advance(n);
            }
        }
    }
}

/// The effect on the next bytes of a text.
#[derive(Clone, Copy)]
enum SpliceStep<'a> {
    Keep(usize),
    Delete(usize),
    Insert(&'a str),
}

impl SpliceStep<'_> {
    fn len(&self) -> usize {
        match self {
            SpliceStep::Keep(n) | SpliceStep::Delete(n) => *n,
            SpliceStep::Insert(text) => text.len(),
        }
    }
}

/// Replacements as a sequence of steps over the whole text; it ends in an endless `Keep`.
struct SpliceSteps<'a> {
    current: SpliceStep<'a>,
    splices: std::slice::Iter<'a, Splice>,
    pending: Vec<SpliceStep<'a>>,
    position: usize,
}

impl<'a> SpliceSteps<'a> {
    fn new(splices: &'a [Splice]) -> SpliceSteps<'a> {
        let mut steps =
            SpliceSteps { current: SpliceStep::Keep(0), splices: splices.iter(), pending: Vec::new(), position: 0 };
        steps.advance(0);
        steps
    }

    /// Advances by `n` bytes of the current step.
    fn advance(&mut self, n: usize) {
        self.current = match self.current {
            SpliceStep::Keep(usize::MAX) => SpliceStep::Keep(usize::MAX),
            SpliceStep::Keep(all) => SpliceStep::Keep(all - n),
            SpliceStep::Delete(all) => SpliceStep::Delete(all - n),
            SpliceStep::Insert(text) => SpliceStep::Insert(&text[n..]),
        };
        while self.current.len() == 0 {
            self.current = match self.pending.pop() {
                Some(step) => step,
                None => match self.splices.next() {
                    None => SpliceStep::Keep(usize::MAX),
                    Some(s) => {
                        self.pending = vec![SpliceStep::Insert(&s.new), SpliceStep::Delete(s.end - s.start)];
                        SpliceStep::Keep(s.start - std::mem::replace(&mut self.position, s.end))
                    }
                },
            };
        }
    }
}

/// Collects the composed replacements.
#[derive(Default)]
struct SpliceWriter {
    splices: Vec<Splice>,
    position: usize,
}

impl SpliceWriter {
    fn keep(&mut self, n: usize) {
        self.position += n;
    }

    fn delete(&mut self, n: usize) {
        self.position += n;
        let at = self.position;
        self.splice_before(n).end = at;
    }

    fn insert(&mut self, text: &str) {
        self.splice_before(0).new.push_str(text);
    }

    /// The replacement that ends `n` bytes before the current offset, or a new one there.
    fn splice_before(&mut self, n: usize) -> &mut Splice {
        let start = self.position - n;
        if self.splices.last().is_none_or(|s| s.end != start) {
            self.splices.push(Splice { start, end: start, new: String::new() });
        }
        self.splices.last_mut().expect("one was just pushed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn s(start: usize, end: usize, new: &str) -> Splice {
        Splice { start, end, new: new.into() }
    }

    #[test]
    fn replaces_disjoint_ranges_in_one_pass() {
        assert_eq!(splice("abcdef", &[s(0, 1, "A"), s(3, 5, ""), s(6, 6, "!")]).unwrap(), "Abcf!");
        assert_eq!(splice("ab", &[s(1, 1, "1"), s(1, 1, "2")]).unwrap(), "a12b");
    }

    #[test]
    fn refuses_overlaps_and_ranges_outside_the_text() {
        assert_eq!(splice("abc", &[s(0, 2, ""), s(1, 3, "")]), Err(Overlap { at: 1 }));
        assert!(splice("abc", &[s(2, 4, "")]).is_err());
        assert!(splice("aé", &[s(1, 2, "")]).is_err());
        assert!(splice("abc", &[s(2, 1, "")]).is_err());
    }

    fn make_splices(length: usize, cuts: &[(usize, usize, String)]) -> Vec<Splice> {
        let mut at = 0;
        let mut out = Vec::new();
        for (gap, drop, new) in cuts {
            let start = (at + gap).min(length);
            at = (start + drop).min(length);
            out.push(s(start, at, new));
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn two_lists_in_one_do_what_they_do_in_turn(
            text in "[a-z]{0,12}",
            one in prop::collection::vec((0..5usize, 0..4usize, "[A-Z]{0,3}"), 0..4),
            two in prop::collection::vec((0..5usize, 0..4usize, "[0-9]{0,3}"), 0..4),
        ) {
            let first = make_splices(text.len(), &one);
            let middle = splice(&text, &first).unwrap();
            let second = make_splices(middle.len(), &two);
            prop_assert_eq!(splice(&text, &compose(&first, &second)), splice(&middle, &second));
        }
    }
}
