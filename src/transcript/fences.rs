//! Finds code fences (CommonMark 0.31, section 4.5), so that a speaker name in an example stays text.
//!
//! Never lets an unclosed fence hide the rest of a text: it is ignored.

use std::ops::Range;

/// The byte ranges of closed code fences, sorted; a fence inside another one is part of the outer.
///
/// Unlike in CommonMark, a line with a language opens an inner fence: models put examples with code into a fenced
/// document, and a message that was cut off within a fence must not swallow the first fence of the next one.
pub(super) fn fenced_ranges(text: &str) -> Vec<Range<usize>> {
    let mut fences: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<(u8, usize, usize)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (words, start) = (line.trim(), at);
        at += line.len();
        let Some(mark) = words.bytes().next().filter(|b| matches!(b, b'`' | b'~')) else { continue };
        let length = words.bytes().take_while(|b| *b == mark).count();
        let closes = |(opener, least, _): &(u8, usize, usize)| mark == *opener && length >= *least;
        match open.last() {
            Some(last) if length == words.len() && closes(last) => {
                let outer = open.pop().map_or(start, |(.., outer)| outer);
                while fences.pop_if(|inner| inner.start > outer).is_some() {}
                fences.push(outer..at);
            }
            // The text of a longer or different fence.
            Some(last) if !closes(last) => {}
            _ if length >= 3 && !words[length..].contains(char::from(mark)) => open.push((mark, length, start)),
            _ => {}
        }
    }
    fences
}

/// Each line with its byte offset and whether it is part of a code fence.
pub(super) fn lines_with_fences(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut fences = fenced_ranges(text).into_iter().peekable();
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        while fences.next_if(|fence| fence.end <= start).is_some() {}
        (start, line, fences.peek().is_some_and(|fence| fence.contains(&start)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that are part of a fence.
    fn fenced(text: &str) -> Vec<&str> {
        lines_with_fences(text).filter(|(.., fenced)| *fenced).map(|(_, line, _)| line.trim()).collect()
    }

    #[test]
    fn only_closed_fences_count() {
        assert_eq!(fenced("a\n```\nb\n```\nc\n"), ["```", "b", "```"]);
        assert!(fenced("a\n```\nb\n").is_empty() && fenced("`a`\n`` b ``\n```c``` d\n").is_empty());
        assert_eq!(fenced("~~~\n```\n~~~\n"), ["~~~", "```", "~~~"]);
        assert_eq!(fenced("````\n```\na\n```\n````\nb\n").len(), 5);
    }

    #[test]
    fn a_fence_with_a_language_opens_an_inner_one() {
        assert_eq!(fenced("```markdown\na\n```js\nb\n```\nc\n```\nd\n").len(), 7);
        // The first fence was cut off: only the second hides its text.
        assert_eq!(fenced("```\na\nUser: b\n```js\nc\n```\nd\n"), ["```js", "c", "```"]);
    }
}
