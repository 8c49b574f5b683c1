//! Where an item that is restored goes in the file that it is from.
//!
//! Never looks at the item itself: its `from` and the titles around it say where it was.

use crate::document::{Document, is_title_section, parse_date, section_range, section_titles};

/// Where an item goes.
pub enum RestorePlace {
    /// A section that exists; 0 is the file.
    Section(usize),
    /// Sections that are made again below another, by their titles, the outermost first.
    NewSections(usize, Vec<String>),
}

/// The section of `document` that an item of an archive file is from: by its `from`, else by the titles around it.
pub fn place_in(document: &Document, titles: &[String], from: Option<&str>) -> RestorePlace {
    let slug_of = from.and_then(|from| from.strip_prefix('#'));
    if titles.is_empty() && slug_of.is_none_or(str::is_empty) {
        return RestorePlace::Section(0);
    }
    let sections = || (1..document.sections().len()).filter(|&i| !is_title_section(document, i));
    let is_last_title = |i: &usize| titles.last().is_none_or(|title| document.section_title(*i) == *title);
    let by_slug =
        slug_of.and_then(|own| sections().find(|&i| document.sections()[i].slug == own)).filter(is_last_title);
    if let Some(section) = by_slug.or_else(|| sections().find(|&i| section_titles(document, i) == titles)) {
        return RestorePlace::Section(section);
    }
    let find = |depth: usize| sections().find(|&i| section_titles(document, i) == titles[..depth]);
    let (depth, under) = (1..titles.len()).rev().find_map(|depth| Some((depth, find(depth)?))).unwrap_or_default();
    match titles {
        [] => RestorePlace::NewSections(0, slug_of.map(super::locate::new_section_title).into_iter().collect()),
        _ => RestorePlace::NewSections(under, titles[depth..].to_vec()),
    }
}

/// Where the first entry with a later day begins, as a byte offset.
pub fn later_entry(document: &Document, block: &str) -> Option<usize> {
    let day = |document: &Document, section: usize| {
        let range = section_range(document, section);
        let date = document.text()[range].lines().find_map(|line| line.strip_prefix("- Date:").map(str::trim))?;
        parse_date(date)
    };
    let own = day(&Document::parse(block), 1)?;
    let entries = (1..document.sections().len()).filter(|&i| document.sections()[i].level == 2);
    let mut later = entries.filter(|&i| day(document, i).is_some_and(|other| other > own));
    later.next().map(|i| document.sections()[i].heading.start as usize)
}
