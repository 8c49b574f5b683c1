//! What selects one bullet behind the path of its file: a handle, or for equal texts the section and a place in it.
//!
//! Never ambiguous where the file allows it: only nested bullets of equal text in one section share a reference.

use super::Document;

impl Document {
    /// `@acvh`; where the file has that text more than once `#section@acvh`, and where its section has it more than
    /// once `#section@2`, counted from 1.
    pub fn bullet_reference(&self, bullet: usize) -> String {
        let handle = self.handle_name(bullet);
        if !self.is_repeated(bullet) {
            return format!("@{handle}");
        }
        let section = self.bullets()[bullet].section as usize;
        let name = if section == 0 { String::new() } else { format!("#{}", self.sections()[section].slug) };
        let span = &self.sections()[section];
        let is_inside = |other: usize| (span.heading.start..span.end).contains(&self.bullets()[other].line_start);
        let is_twin = |other: usize| other != bullet && self.handles()[other] == self.handles()[bullet];
        if section != 0 && !(0..self.bullets().len()).any(|other| is_twin(other) && is_inside(other)) {
            return format!("{name}@{handle}");
        }
        match self.top_level_bullets(section).binary_search(&bullet) {
            Ok(index) => format!("{name}@{}", index + 1),
            Err(_) => format!("{name}@{handle}"),
        }
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
    }
}
