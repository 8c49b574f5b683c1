//! Counts the links by reference, `[text][label]`, that lose their definition when a text moves to another file.
//!
//! Never copies a definition: the other file may have one of that label, for another destination.

use crate::document::links::reference_uses;
use crate::document::{Document, bullet_to_text};

/// How many links by reference are gone, or have another destination than before. Both are as of [`reference_uses`].
pub fn lost_uses(before: Vec<(usize, String)>, mut after: Vec<(usize, String)>) -> usize {
    let is_lost = |(_, to): &(usize, String)| match after.iter().position(|(_, other)| other == to) {
        Some(same) => {
            after.swap_remove(same);
            false
        }
        None => true,
    };
    before.into_iter().filter(is_lost).count()
}

/// How many links by reference are lost when a bullet moves to another file: of those in the bullet, and of those that
/// stay and have their definition in it.
pub fn lost_by_bullet(document: &Document, bullet: usize, destination: &Document) -> (usize, usize) {
    let own = document.bullets()[bullet];
    let range = own.line_start as usize..own.end as usize;
    let (inside, outside): (Vec<_>, Vec<_>) =
        reference_uses(document).into_iter().partition(|(at, _)| range.contains(at));
    let start = destination.text().len();
    let in_destination = || {
        let moved = format!("{}\n\n{}\n", destination.text(), bullet_to_text(document, bullet));
        reference_uses(&Document::parse(moved)).into_iter().filter(|(at, _)| *at > start).collect()
    };
    let without_bullet = || {
        let mut rest = document.text().to_owned();
        rest.replace_range(range.clone(), "");
        reference_uses(&Document::parse(rest))
    };
    let moved = if inside.is_empty() { 0 } else { lost_uses(inside, in_destination()) };
    let stayed = if outside.is_empty() { 0 } else { lost_uses(outside, without_bullet()) };
    (moved, stayed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bullet_loses_the_links_whose_definition_stays() {
        let lost = |from: &str, to: &str| lost_by_bullet(&Document::parse(from), 0, &Document::parse(to));
        let from = "- a [x][r], [y](z.md)\n- b [r]\n\n[r]: x.md\n";
        assert_eq!(lost(from, ""), (1, 0));
        assert_eq!(lost(from, "# B\n\n[r]: x.md\n"), (0, 0));
        assert_eq!(lost(from, "# B\n\n[r]: other.md\n"), (1, 0));
        assert_eq!(lost("- a [x][r]\n\n  [r]: x.md\n- b [r]\n", ""), (0, 1));
        assert_eq!(lost("- a [x][r]\n", "[r]: x.md\n"), (0, 0));
    }
}
