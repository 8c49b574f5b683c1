//! What the formats of `export` have no place for, by kind, with counts.
//!
//! Never decides what a format has a place for: its writer does.

use super::{ExportFile, ExportedText, top_bullets};
use crate::document::{BlockKind, DocumentBlock, MetaKey};
use crate::path::MemoryPath;
use crate::text::counted_noun::counted_noun;

/// What is lost of the title of a file that has this name in the export.
pub fn shared_title(name: &str) -> String {
    format!("its title alone, which another file has, too; it is named '{name}'")
}

/// Reports text that is no bullet.
pub fn report_prose(file: &ExportFile, exported: &mut ExportedText) {
    let document = &file.document;
    let summary = document.summary_line().map(|line| line.line.range());
    let bullets: Vec<(u32, u32)> =
        top_bullets(document).map(|at| (document.bullets()[at].line_start, document.bullets()[at].end)).collect();
    let in_bullet = |at: u32| {
        let before = bullets.partition_point(|(start, _)| *start <= at).checked_sub(1);
        before.is_some_and(|before| at < bullets[before].1)
    };
    let is_prose = |kind| matches!(kind, BlockKind::Paragraph | BlockKind::Code | BlockKind::Quote | BlockKind::Html);
    let blocks = document.blocks().iter().filter(|block| {
        let at = block.span.start;
        is_prose(block.kind) && !in_bullet(at) && !summary.as_ref().is_some_and(|line| line.contains(&(at as usize)))
    });
    // An item that is no bullet is empty, or starts with a comment or a link definition.
    let is_item = |block: &&DocumentBlock| block.kind == BlockKind::OtherListItem;
    let has_text = |block: &DocumentBlock| document.text()[block.span.range()].trim().len() > 2;
    let items = document.blocks().iter().filter(is_item).filter(|block| has_text(block)).count();
    match blocks.count() + items {
        0 => {}
        1 => exported.leave_out(&file.path, "a block of text that is no bullet"),
        n => exported.leave_out(&file.path, &format!("{n} blocks of text that are no bullets")),
    }
}

/// Reports metadata, for a format that has a place for these keys alone.
pub fn report_metadata(file: &ExportFile, kept: &[MetaKey], exported: &mut ExportedText) {
    let is_kept = |key: &str| MetaKey::from_name(key).is_some_and(|key| kept.contains(&key));
    let has_other = |bullet: &usize| {
        let meta = file.document.bullet_meta(*bullet);
        meta.is_some_and(|meta| meta.0.iter().any(|(key, _)| !is_kept(key)))
    };
    match top_bullets(&file.document).filter(has_other).count() {
        0 => {}
        1 => exported.leave_out(&file.path, "the metadata of 1 bullet"),
        count => exported.leave_out(&file.path, &format!("the metadata of {count} bullets")),
    }
}

/// Reports the keys of the front matter, for a format that has a place for these alone. Tags among them say who may see
/// a file.
pub fn report_front_matter(file: &ExportFile, kept: &[&str], exported: &mut ExportedText) {
    let head = file.document.front_matter().map_or("", |span| &file.document.text()[span.range()]);
    let key_of = |line: &'_ str| {
        let key = line.split_once(':')?.0;
        (!key.is_empty() && !key.starts_with([' ', '\t', '#', '-'])).then(|| key.to_owned())
    };
    let lost: Vec<String> = head.lines().filter_map(key_of).filter(|key| !kept.contains(&key.as_str())).collect();
    if !lost.is_empty() {
        exported.leave_out(&file.path, &format!("of its front matter: {}", lost.join(", ")));
    }
}

/// Reports headings below the title, for a format that has no place for them.
pub fn report_headings(file: &ExportFile, exported: &mut ExportedText) {
    let count = file.document.sections().iter().filter(|section| section.level > 1).count();
    report_heading_count(&file.path, count, exported);
}

/// Reports the number of headings that were left out.
pub fn report_heading_count(path: &MemoryPath, count: usize, exported: &mut ExportedText) {
    match count {
        0 => {}
        1 => exported.leave_out(path, "the heading of a section"),
        count => exported.leave_out(path, &format!("the headings of {count} sections")),
    }
}

/// Reports the summary line; that of the front matter is one of its keys.
pub fn report_summary(file: &ExportFile, exported: &mut ExportedText) {
    if file.document.summary_line().is_some_and(|line| !line.in_front_matter) {
        exported.leave_out(&file.path, "its summary line");
    }
}

/// Reports sections without bullets, for a format that names the sections of bullets alone.
pub fn report_empty_sections(file: &ExportFile, exported: &mut ExportedText) {
    let sections = file.document.sections();
    let mut is_named = vec![false; sections.len()];
    for bullet in top_bullets(&file.document) {
        let mut at = file.document.bullets()[bullet].section as usize;
        while !std::mem::replace(&mut is_named[at], true) && at != 0 {
            at = sections[at].parent as usize;
        }
    }
    match (0..sections.len()).filter(|at| sections[*at].level > 1 && !is_named[*at]).count() {
        0 => {}
        1 => exported.leave_out(&file.path, "the heading of a section without bullets"),
        count => exported.leave_out(&file.path, &format!("the headings of {count} sections without bullets")),
    }
}

/// Reports comments and other HTML between bullets, and bullets with a comment in their text.
pub fn report_comments(file: &ExportFile, exported: &mut ExportedText) {
    let document = &file.document;
    let is_meta = |block: &DocumentBlock| document.meta_lines().iter().any(|meta| meta.line == block.span);
    let html = document.blocks().iter().filter(|block| block.kind == BlockKind::Html);
    let blocks = html.filter(|block| !is_meta(block)).count();
    if blocks > 0 {
        exported.leave_out(&file.path, &format!("{} or other HTML", counted_noun(blocks, "comment")));
    }
}
