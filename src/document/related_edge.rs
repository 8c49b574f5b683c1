//! Automatic relations: a nested bullet `related_to [[user#^m1]]` whose metadata line has a strength, `w=0.72`. It
//! belongs to the bullet above it, is moved and removed with it, and is no item of its own.
//!
//! Never resolves a target to a file. A relation without `w`, or at the top of a list, is a bullet like any other.

use super::exact_text::copied_text;
use super::{BulletMeta, Document, MetaKey, to_new_bullet};

/// The type of the relations that memdir writes.
pub const RELATED_TO: &str = "related_to";

/// A relation of a bullet to another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelatedEdge<'d> {
    /// The index of the nested bullet.
    pub bullet: usize,
    /// What is between the brackets, as written: `user#^m1`.
    pub target: &'d str,
    /// The strength (`w`), 0 to 1.
    pub strength: f64,
}

/// The automatic relation that a bullet is; `None` for every other bullet.
pub fn related_edge(document: &Document, bullet: usize) -> Option<RelatedEdge<'_>> {
    let found = document.bullets().get(bullet)?;
    // Cheap checks first: every bullet that is read passes here.
    if found.depth == 0 || found.meta.is_none() {
        return None;
    }
    let target = document.bullet_raw(bullet).strip_prefix(RELATED_TO)?.strip_prefix(" [[")?.strip_suffix("]]")?;
    let strength = document.bullet_meta(bullet)?.strength()?;
    (!target.contains(['[', ']', '\n'])).then_some(RelatedEdge { bullet, target, strength })
}

/// The bullets that state something: all but the automatic relations.
pub fn stating_bullets(document: &Document) -> impl Iterator<Item = usize> + '_ {
    (0..document.bullets().len()).filter(|bullet| related_edge(document, *bullet).is_none())
}

/// The automatic relations of a bullet, in file order.
pub fn related_edges(document: &Document, bullet: usize) -> Vec<RelatedEdge<'_>> {
    let parent = document.bullets()[bullet];
    let below = bullet + 1..document.bullets().partition_point(|b| b.line_start < parent.end);
    let own = below.filter(|&i| document.bullets()[i].depth == parent.depth + 1);
    own.filter_map(|i| related_edge(document, i)).collect()
}

/// The bullet that a nested one is directly below.
pub fn parent_bullet(document: &Document, bullet: usize) -> Option<usize> {
    let depth = document.bullets()[bullet].depth.checked_sub(1)?;
    (0..bullet).rev().find(|&i| document.bullets()[i].depth == depth)
}

/// The strength that a link has for what it links: that of its bullet, 1 without one.
pub fn link_strength(document: &Document, bullet: usize) -> Option<f64> {
    document.bullets()[bullet].meta?;
    document.bullet_meta(bullet)?.strength()
}

/// The metadata of a relation of this strength, found on a day (`YYYY-MM-DD`); other keys stay.
pub fn edge_meta(known: Option<BulletMeta>, strength: f64, today: &str) -> BulletMeta {
    let mut meta = known.unwrap_or_default();
    meta.set(MetaKey::W.name(), &format!("{strength:.2}"));
    meta.set(MetaKey::Upd.name(), today);
    meta
}

/// The lines of a relation below its bullet, without the bullet's indent.
pub fn edge_lines(target: &str, meta: &BulletMeta) -> [String; 2] {
    [format!("- {RELATED_TO} [[{target}]]"), format!("  {}", meta.to_comment())]
}

/// A bullet's text and the lines below it, without its relations.
pub fn text_without_edges(document: &Document, bullet: usize) -> String {
    let mut item = to_new_bullet(document, bullet);
    item.children = without_edges(item.children);
    copied_text(item)
}

/// The lines below a bullet, without its relations.
pub fn without_edges(lines: Vec<String>) -> Vec<String> {
    if !lines.iter().any(|line| line.contains(RELATED_TO)) {
        return lines;
    }
    let text: String = std::iter::once("- x\n".to_owned()).chain(lines.iter().map(|l| format!("  {l}\n"))).collect();
    let document = Document::parse(text);
    let line_of = |at: u32| document.text()[..at as usize].matches('\n').count();
    let edges = related_edges(&document, 0).into_iter().map(|edge| document.bullets()[edge.bullet]);
    let cut: Vec<_> = edges.map(|b| line_of(b.line_start)..line_of(b.end)).collect();
    let is_kept = |number: usize| !cut.iter().any(|range| range.contains(&(number + 1)));
    lines.into_iter().enumerate().filter(|(number, _)| is_kept(*number)).map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "- a\n  <!-- mem id=m1 -->\n  - related_to [[user#^m2]]\n    <!-- mem w=0.72 upd=2026-11-20 -->\n  - related_to [[b]]\n  - child\n    - related_to [[c]]\n      <!-- mem w=1 -->\n- related_to [[d]]\n  <!-- mem w=0.5 -->\n";

    #[test]
    fn a_nested_relation_with_a_strength_belongs_to_the_bullet_above() {
        let document = Document::parse(TEXT);
        let of = |bullet| related_edges(&document, bullet).iter().map(|e| (e.target, e.strength)).collect::<Vec<_>>();
        assert_eq!(of(0), [("user#^m2", 0.72)]);
        assert_eq!(of(3), [("c", 1.0)]);
        let edges: Vec<usize> =
            (0..document.bullets().len()).filter(|i| related_edge(&document, *i).is_some()).collect();
        assert_eq!(edges, [1, 4]);
        assert_eq!(stating_bullets(&document).collect::<Vec<_>>(), [0, 2, 3, 5]);
        assert_eq!((parent_bullet(&document, 1), parent_bullet(&document, 4)), (Some(0), Some(3)));
        assert_eq!(parent_bullet(&document, 0), None);
        assert_eq!(link_strength(&document, 5), Some(0.5));
    }

    #[test]
    fn other_nested_bullets_are_no_relations() {
        for text in [
            "related_to [[x]] since May",
            "related_to",
            "depends_on [[x]]",
            "related_to [[x]], [[y]]",
            "related_to [x](x.md)",
        ] {
            let document = Document::parse(format!("- a\n  - {text}\n    <!-- mem w=0.7 -->\n"));
            assert_eq!(related_edge(&document, 1), None, "{text}");
        }
        let document = Document::parse("- a\n  - related_to [[x]]\n    <!-- mem w=7 -->\n");
        assert_eq!(related_edge(&document, 1), None);
    }

    #[test]
    fn the_lines_of_a_bullet_are_left_without_relations() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let edge = "- related_to [[a#^m1]]\n  <!-- mem w=0.5 -->\n";
        for (before, after) in [
            (format!("more\n{edge}- b\n  - c"), "more\n- b\n  - c"),
            (edge.to_owned(), ""),
            ("- related_to [[a]]".to_owned(), "- related_to [[a]]"),
            (format!("- b\n{edge}\nc"), "- b\n\nc"),
        ] {
            assert_eq!(without_edges(lines(&before)), lines(after), "{before}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let meta = edge_meta(None, 0.715, "2026-11-20");
        let lines = edge_lines("user#^m2", &meta).map(|line| format!("  {line}\n")).concat();
        let document = Document::parse(format!("- a\n{lines}"));
        let edge = related_edge(&document, 1).unwrap();
        assert_eq!((edge.target, document.bullet_meta(1)), ("user#^m2", Some(meta)));
    }
}
