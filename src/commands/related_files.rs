//! Finds the files with the bullets that share the most search terms with a text: the candidates for relations.
//!
//! Never parses a file: terms are looked for in the bytes, and the planner compares the bullets themselves.

use jiff::civil::Date;

use crate::code::Rejection;
use crate::document::MAX_FILE_BYTES;
use crate::operation::relations::is_related_file;
use crate::path::MemoryPath;
use crate::store::{FoundFile, Store};
use crate::view::query::prefilter::TermPrefilter;
use crate::view::query::terms::QueryTerms;

/// Finds at most `most` files, best first; each has a bullet with at least `least_shared` terms of the text. Files that
/// cannot be read are left out.
///
/// # Errors
/// `io` when a folder cannot be read.
pub fn related_files(
    store: &Store,
    text: &str,
    least_shared: usize,
    most: usize,
) -> Result<Vec<MemoryPath>, Rejection> {
    let files: Vec<FoundFile> = store.walk(None)?.into_iter().filter(|file| is_related_file(&file.path)).collect();
    // The day is of no use: dates are not looked for.
    let prefilter = TermPrefilter::new(&QueryTerms::parse(text, Date::ZERO));
    let best = store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        let bytes = read.ok()?.0;
        let mut offsets = Vec::new();
        prefilter.find(bytes, &mut offsets);
        offsets.sort_unstable();
        offsets.dedup();
        Some((best_block(bytes, &offsets, least_shared)?, file.path.clone()))
    });
    let mut found: Vec<(f64, MemoryPath)> = best.into_iter().flatten().collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(found.into_iter().take(most).map(|(_, path)| path).collect())
}

/// The score of the best bullet of a file: the square of the number of terms in it for each byte of its length, as the
/// square of the cosine would be. `None` if none has enough of them. `offsets`: where terms may be, ascending.
fn best_block(bytes: &[u8], offsets: &[u32], least_shared: usize) -> Option<f64> {
    let mut best: Option<f64> = None;
    let mut next = 0;
    while let Some(&first) = offsets.get(next) {
        let (start, end) = (block_start(bytes, first as usize), block_end(bytes, first as usize));
        let hits = offsets[next..].partition_point(|at| (*at as usize) < end);
        if hits >= least_shared {
            let score = (hits * hits) as f64 / (end - start).max(1) as f64;
            best = Some(best.map_or(score, |known| known.max(score)));
        }
        next += hits.max(1);
    }
    best
}

/// The start of the line that an offset is in.
fn block_start(bytes: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |line| line + 1)
}

/// The end of the lines from an offset on that continue its paragraph: to a line that begins with no letter.
fn block_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(length) = memchr::memchr(b'\n', &bytes[end..]) {
        end += length + 1;
        let indent = bytes[end..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let continues = bytes.get(end + indent).is_some_and(|b| b.is_ascii_alphabetic() || *b >= 0x80);
        if indent == 0 || !continues {
            return end;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best score of a file times its length, so that the number of terms shows.
    fn check(text: &str, file: &str, least: usize, expected: Option<usize>) {
        let mut offsets = Vec::new();
        TermPrefilter::new(&QueryTerms::parse(text, Date::ZERO)).find(file.as_bytes(), &mut offsets);
        offsets.sort_unstable();
        let found = best_block(file.as_bytes(), &offsets, least).map(|score| (score * file.len() as f64).sqrt());
        assert_eq!(found.map(|terms| terms.round() as usize), expected, "{file:?}");
    }

    #[test]
    fn the_terms_of_one_bullet_count() {
        let text = "the friday deploys need a review";
        check(text, "- Deploys run on Fridays\n", 2, Some(2));
        check(text, "- Deploys run on Fridays\n", 3, None);
        check(text, "- Deploys run\n  on Fridays after a review\n", 3, Some(3));
        check(text, "- a deploy\n- a Friday\n- a review\n", 2, None);
        check(text, "- tea\n", 1, None);
    }
}
