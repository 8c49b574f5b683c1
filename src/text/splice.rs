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

#[cfg(test)]
mod tests {
    use super::*;

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
}
