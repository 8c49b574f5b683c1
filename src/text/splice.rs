//! Replacements in a text: disjoint, sorted, and able to refuse to unite.
//!
//! Never moves a byte outside the replaced ranges.

/// One replacement: the bytes `start..end` of the old text become `new`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// First byte that goes.
    pub start: usize,
    /// One past the last byte that goes; equal to `start` for an insertion.
    pub end: usize,
    /// What stands there afterwards.
    pub new: String,
}

/// Two replacements touch the same bytes, or lie outside the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Where the second one starts.
    pub at: usize,
}

/// The text after all replacements. They must be sorted and disjoint; insertions at one place keep their order.
///
/// # Errors
/// [`Overlap`] when two replacements meet, one is reversed, or one lies outside the text or inside a character.
pub fn splice(text: &str, splices: &[Splice]) -> Result<String, Overlap> {
    let grown: usize = splices.iter().map(|s| s.new.len()).sum();
    let mut out = String::with_capacity(text.len() + grown);
    let mut done = 0;
    for s in splices {
        let gap = text.get(done..s.start).filter(|_| s.start <= s.end && text.is_char_boundary(s.end));
        out.push_str(gap.ok_or(Overlap { at: s.start })?);
        out.push_str(&s.new);
        done = s.end;
    }
    out.push_str(text.get(done..).ok_or(Overlap { at: done })?);
    Ok(out)
}

/// One list of replacements that does what two do one after the other: `second` works on the text after `first`.
/// Both must be sorted and disjoint; so is the result.
pub fn compose(first: &[Splice], second: &[Splice]) -> Vec<Splice> {
    let (mut a, mut b) = (Steps::new(first), Steps::new(second));
    let mut out = Out::default();
    loop {
        match (a.now, b.now) {
            (Step::Drop(n), _) => {
                out.drop(n);
                a.take(n);
            }
            (_, Step::Put(text)) => {
                out.put(text);
                b.take(text.len());
            }
            (Step::Keep(usize::MAX), Step::Keep(usize::MAX)) => return out.done,
            (x, y) => {
                let n = x.len().min(y.len());
                match (x, y) {
                    (Step::Keep(_), Step::Keep(_)) => out.keep(n),
                    (Step::Keep(_), _) => out.drop(n),
                    (Step::Put(text), Step::Keep(_)) => out.put(&text[..n]),
                    _ => {}
                }
                a.take(n);
                b.take(n);
            }
        }
    }
}

/// What happens to the next bytes of a text.
#[derive(Clone, Copy)]
enum Step<'a> {
    Keep(usize),
    Drop(usize),
    Put(&'a str),
}

impl Step<'_> {
    fn len(&self) -> usize {
        match self {
            Step::Keep(n) | Step::Drop(n) => *n,
            Step::Put(text) => text.len(),
        }
    }
}

/// Replacements as steps over the whole text; after the last one the rest is kept for ever.
struct Steps<'a> {
    now: Step<'a>,
    splices: std::slice::Iter<'a, Splice>,
    ahead: Vec<Step<'a>>,
    at: usize,
}

impl<'a> Steps<'a> {
    fn new(splices: &'a [Splice]) -> Steps<'a> {
        let mut steps = Steps { now: Step::Keep(0), splices: splices.iter(), ahead: Vec::new(), at: 0 };
        steps.take(0);
        steps
    }

    /// Goes on by `n` bytes of the present step.
    fn take(&mut self, n: usize) {
        self.now = match self.now {
            Step::Keep(usize::MAX) => Step::Keep(usize::MAX),
            Step::Keep(all) => Step::Keep(all - n),
            Step::Drop(all) => Step::Drop(all - n),
            Step::Put(text) => Step::Put(&text[n..]),
        };
        while self.now.len() == 0 {
            self.now = match self.ahead.pop() {
                Some(step) => step,
                None => match self.splices.next() {
                    None => Step::Keep(usize::MAX),
                    Some(s) => {
                        self.ahead = vec![Step::Put(&s.new), Step::Drop(s.end - s.start)];
                        Step::Keep(s.start - std::mem::replace(&mut self.at, s.end))
                    }
                },
            };
        }
    }
}

/// Replacements being written.
#[derive(Default)]
struct Out {
    done: Vec<Splice>,
    at: usize,
}

impl Out {
    fn keep(&mut self, n: usize) {
        self.at += n;
    }

    fn drop(&mut self, n: usize) {
        self.at += n;
        let at = self.at;
        self.here(n).end = at;
    }

    fn put(&mut self, text: &str) {
        self.here(0).new.push_str(text);
    }

    /// The replacement that ends where the last `n` bytes began, or a new one there.
    fn here(&mut self, n: usize) -> &mut Splice {
        let start = self.at - n;
        if self.done.last().is_none_or(|s| s.end != start) {
            self.done.push(Splice { start, end: start, new: String::new() });
        }
        self.done.last_mut().expect("one was just pushed")
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
    fn refuses_what_meets_or_lies_outside() {
        assert_eq!(splice("abc", &[s(0, 2, ""), s(1, 3, "")]), Err(Overlap { at: 1 }));
        assert!(splice("abc", &[s(2, 4, "")]).is_err());
        assert!(splice("aé", &[s(1, 2, "")]).is_err());
        assert!(splice("abc", &[s(2, 1, "")]).is_err());
    }

    fn some(length: usize, cuts: &[(usize, usize, String)]) -> Vec<Splice> {
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
            let first = some(text.len(), &one);
            let middle = splice(&text, &first).unwrap();
            let second = some(middle.len(), &two);
            prop_assert_eq!(splice(&text, &compose(&first, &second)), splice(&middle, &second));
        }
    }
}
