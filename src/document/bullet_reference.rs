//! What selects one bullet behind the path of its file: a handle, or for equal texts the section and a place in it.
//!
//! Never ambiguous.

use std::ops::Range;
use std::sync::OnceLock;

use super::Document;

/// What references of repeated texts are found with, made when the first is asked for: a file may have thousands.
#[derive(Clone, Debug, Default)]
pub(super) struct ReferenceIndex {
    /// The bullets by handle, then in file order.
    sorted: OnceLock<Vec<usize>>,
    above: OnceLock<Vec<usize>>,
}

impl Document {
    /// `@acvh`; where the file has that text more than once `#section@acvh`, and where its section has it more than
    /// once `#section@2`, counted from 1; below another bullet `#section@acvh.2`, the second with that text.
    pub fn bullet_reference(&self, bullet: usize) -> String {
        let handle = self.handle_name(bullet);
        if !self.is_repeated(bullet) {
            return format!("@{handle}");
        }
        let section = self.bullets()[bullet].section as usize;
        let name = if section == 0 { String::new() } else { format!("#{}", self.sections()[section].slug) };
        let inside = self.bullets_of(section);
        let equal = self.equal_bullets(bullet, &inside);
        if section != 0 && equal.len() == 1 {
            return format!("{name}@{handle}");
        }
        if self.bullets()[bullet].depth > 0 {
            return format!("{name}@{handle}.{}", equal.partition_point(|other| *other < bullet) + 1);
        }
        let above = self.above_top_level();
        format!("{name}@{}", above[bullet] - above[inside.start] + 1)
    }

    /// The bullets in a range that have the same text as this one, which is one of them, in file order.
    fn equal_bullets(&self, bullet: usize, range: &Range<usize>) -> &[usize] {
        let handles = self.handles();
        let sorted = self.references.sorted.get_or_init(|| {
            let mut all: Vec<usize> = (0..handles.len()).collect();
            all.sort_unstable_by_key(|bullet| (handles[*bullet], *bullet));
            all
        });
        let below = |end: usize| sorted.partition_point(|other| (handles[*other], *other) < (handles[bullet], end));
        &sorted[below(range.start)..below(range.end)]
    }

    /// For each bullet how many bullets that are not nested stand above it in the file.
    fn above_top_level(&self) -> &[usize] {
        self.references.above.get_or_init(|| {
            let mut count = 0;
            let above = self.bullets().iter().map(|bullet| {
                let before = count;
                count += usize::from(bullet.depth == 0);
                before
            });
            above.collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_told_apart_by_section_and_place() {
        let document = Document::parse("# D\n\n- x\n\n## A\n\n- same\n- other\n\n## B\n\n- same\n- one\n- same\n");
        let all: Vec<String> = (0..6).map(|bullet| document.bullet_reference(bullet)).collect();
        let handle = document.handle_name(1);
        assert_eq!(all[1], format!("#a@{handle}"));
        assert_eq!((&*all[3], &*all[5]), ("#b@1", "#b@3"));
        assert!([0, 2, 4].iter().all(|i| all[*i].starts_with('@')), "{all:?}");
        let flat = Document::parse("- same\n- same\n  - same\n");
        assert_eq!([flat.bullet_reference(0), flat.bullet_reference(1)], ["@1", "@2"]);
        let nested = Document::parse("# D\n\n## A\n\n- same\n  - same\n- b\n- same\n\n### C\n\n- same\n");
        let all: Vec<String> = (0..5).map(|bullet| nested.bullet_reference(bullet)).collect();
        let second = format!("#a@{handle}.2");
        assert_eq!((&*all[0], &*all[1], &*all[3], &*all[4]), ("#a@1", &*second, "#a@3", &*format!("#c@{handle}")));
        let above_headings = Document::parse("- a\n  - same\n- b\n  - same\n");
        assert_eq!(above_headings.bullet_reference(3), format!("@{handle}.2"));
    }
}
