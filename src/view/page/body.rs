//! Cuts a file into the parts that the page prints: headings, lists of bullets, paragraphs, code, tables.
//!
//! Shows the items that `query` ranks, each with its number in the page, and nothing between them: no metadata lines,
//! no comments, no automatic relations.

use super::html::{self, Html, LinkResolver, visible};
use crate::document::{Document, MetaKey, section_range};
use crate::path::MemoryPath;
use crate::view::outline::summary_value;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::ItemFacts;
use crate::view::query::items::{self, DocumentItem, ItemKind};
use crate::view::stale_anchors::anchor_mark;

/// A file of the page.
#[derive(Debug)]
pub struct PageFile {
    /// Its number in the page; its element is `f` and the number.
    pub number: usize,
    pub path: String,
    /// The folder at the top, `facts` for files outside all folders.
    pub folder: String,
    /// The path below that folder, without its extension.
    pub name: String,
    pub title: String,
    pub summary: String,
    /// How many bullets and entries it has.
    pub count: String,
    pub parts: Vec<BodyPart>,
}

/// A part of a file, in the order in which the page prints it. Lists and their items are opened and closed.
#[derive(Debug)]
pub enum BodyPart {
    Heading {
        item: usize,
        /// The level in the page: 3 to 6.
        level: u8,
        title: Html,
        /// The address, to copy.
        address: String,
        /// The day of an entry.
        date: String,
    },
    OpenList,
    CloseList,
    OpenBullet {
        item: usize,
        /// What selects it in its file: `@acvh`, or `#section@2`.
        reference: String,
        /// The number of an item of a numbered list, as written.
        number: String,
        text: Html,
        /// What is known about it, a few words each.
        marks: Vec<String>,
        /// What stands below its first paragraph.
        more: Html,
    },
    CloseBullet,
    Block {
        item: usize,
        address: String,
        html: Html,
    },
    OpenTable {
        header: Vec<Html>,
    },
    Row {
        item: usize,
        address: String,
        cells: Vec<Html>,
    },
    CloseTable,
}

/// What the page says about an item besides its text, by the item's index in the file.
pub type MarksOf<'a> = dyn Fn(usize) -> Vec<String> + 'a;

/// Cuts a file into parts. `first_item` is the number in the page of its first item.
pub fn page_file(
    facts: &ItemFacts<'_>,
    number: usize,
    first_item: usize,
    resolve: &LinkResolver<'_>,
    marks: &MarksOf<'_>,
) -> PageFile {
    let (document, path) = (&facts.file.document, &facts.file.path);
    let mut builder = BodyBuilder { facts, first_item, resolve, marks, parts: Vec::new(), depths: Vec::new() };
    (0..facts.file.items.len()).for_each(|item| builder.push_item(item));
    builder.close_lists();
    builder.close_table();
    let title = document.section_title(0);
    let (folder, name) = folder_and_name(path);
    PageFile {
        number,
        path: visible(path.as_str()).into_owned(),
        title: if title.is_empty() { visible(path.stem()) } else { visible(&title) }.into_owned(),
        folder,
        name,
        summary: visible(&summary_value(document)).into_owned(),
        count: count_text(facts.file),
        parts: builder.parts,
    }
}

/// `facts` and `user` of `facts/user.md`.
fn folder_and_name(path: &MemoryPath) -> (String, String) {
    let whole = path.as_str().strip_suffix(".md").unwrap_or(path.as_str());
    let (folder, name) = match path.folder() {
        Some(folder) => (folder, whole.strip_prefix(folder).unwrap_or(whole).trim_start_matches('/')),
        None => ("notes", whole),
    };
    (visible(folder).into_owned(), visible(name).into_owned())
}

fn count_text(file: &ItemizedFile) -> String {
    let of = |is: fn(ItemKind) -> bool| file.items.iter().filter(|item| is(item.kind)).count();
    let entries = of(|kind| kind == ItemKind::Entry);
    let bullets = of(|kind| matches!(kind, ItemKind::Bullet(_)));
    let (n, noun) = if entries > 0 { (entries, "entr") } else { (bullets, "bullet") };
    match (n, noun) {
        (1, "entr") => "1 entry".to_owned(),
        (n, "entr") => format!("{n} entries"),
        (1, noun) => format!("1 {noun}"),
        (n, noun) => format!("{n} {noun}s"),
    }
}

struct BodyBuilder<'a> {
    facts: &'a ItemFacts<'a>,
    first_item: usize,
    resolve: &'a LinkResolver<'a>,
    marks: &'a MarksOf<'a>,
    parts: Vec<BodyPart>,
    /// The depths of the open bullets.
    depths: Vec<u8>,
}

impl BodyBuilder<'_> {
    fn document(&self) -> &Document {
        &self.facts.file.document
    }

    fn address(&self, item: &DocumentItem) -> String {
        visible(&items::address(self.document(), &self.facts.file.path, item).0).into_owned()
    }

    fn push_item(&mut self, index: usize) {
        let item = self.facts.file.items[index];
        let number = self.first_item + index;
        if item.kind != ItemKind::Row {
            self.close_table();
        }
        let raw = |document: &Document| document.text()[item.start as usize..item.end as usize].to_owned();
        match item.kind {
            ItemKind::Bullet(bullet) => self.push_bullet(index, bullet as usize),
            ItemKind::Entry | ItemKind::Heading => self.push_heading(number, &item),
            ItemKind::Row => self.push_row(number, &item),
            ItemKind::Code | ItemKind::Paragraph => {
                self.close_lists();
                let html = html::blocks(&raw(self.document()), self.resolve);
                let address = self.address(&item);
                self.parts.push(BodyPart::Block { item: number, address, html });
            }
        }
    }

    fn push_heading(&mut self, number: usize, item: &DocumentItem) {
        self.close_lists();
        let section = &self.document().sections()[item.section as usize];
        let level = match section.level {
            2 => 3,
            7 => 6,
            level => (level + 1).min(6),
        };
        let title = self.document().section_title(item.section as usize);
        let title = html::inline(&title, self.resolve);
        let address = self.address(item);
        let date = self.facts.date(number - self.first_item).filter(|_| item.kind == ItemKind::Entry);
        self.parts.push(BodyPart::Heading {
            item: number,
            level,
            title,
            address,
            date: date.map(|date| date.day.to_string()).unwrap_or_default(),
        });
    }

    fn push_bullet(&mut self, index: usize, bullet: usize) {
        let depth = self.document().bullets()[bullet].depth;
        while self.depths.last().is_some_and(|open| *open > depth) {
            self.close_list();
        }
        match self.depths.last() {
            Some(open) if *open == depth => self.parts.push(BodyPart::CloseBullet),
            _ => {
                self.parts.push(BodyPart::OpenList);
                self.depths.push(depth);
            }
        }
        let document = self.document();
        let at = document.bullets()[bullet];
        let marker = document.text()[at.marker as usize..at.text_start as usize].trim();
        let [text, more] = items::searched_texts(document, &self.facts.file.items[index]);
        let part = BodyPart::OpenBullet {
            item: self.first_item + index,
            reference: visible(&document.bullet_reference(bullet)).into_owned(),
            number: if marker.starts_with(|c: char| c.is_ascii_digit()) { marker.to_owned() } else { String::new() },
            text: html::inline(text, self.resolve),
            marks: (self.marks)(index),
            more: html::blocks(&without_indent(more), self.resolve),
        };
        self.parts.push(part);
    }

    fn close_lists(&mut self) {
        while !self.depths.is_empty() {
            self.close_list();
        }
    }

    fn close_list(&mut self) {
        self.depths.pop();
        self.parts.push(BodyPart::CloseBullet);
        self.parts.push(BodyPart::CloseList);
    }

    fn push_row(&mut self, number: usize, item: &DocumentItem) {
        let text = self.document().text();
        let row = text[item.start as usize..item.end as usize].to_owned();
        let is_next = matches!(self.parts.last(), Some(BodyPart::Row { .. } | BodyPart::OpenTable { .. }));
        if !is_next {
            // The two lines above the first row are the header and the rule below it.
            let mut above = text[..item.start as usize].lines().rev().skip(1);
            let header = above.next().unwrap_or_default().to_owned();
            self.close_lists();
            let header = cells(&header, self.resolve);
            self.parts.push(BodyPart::OpenTable { header });
        }
        let (address, cells) = (self.address(item), cells(&row, self.resolve));
        self.parts.push(BodyPart::Row { item: number, address, cells });
    }

    fn close_table(&mut self) {
        if matches!(self.parts.last(), Some(BodyPart::Row { .. } | BodyPart::OpenTable { .. })) {
            self.parts.push(BodyPart::CloseTable);
        }
    }
}

/// The cells of a table's line.
fn cells(line: &str, resolve: &LinkResolver<'_>) -> Vec<Html> {
    let line = line.trim().trim_start_matches('|');
    let line = line.strip_suffix('|').unwrap_or(line);
    line.replace("\\|", "\u{1}")
        .split('|')
        .map(|cell| html::inline(cell.replace('\u{1}', "|").trim(), resolve))
        .collect()
}

/// What stands below a bullet's paragraph, without the indent that makes it a part of the bullet.
fn without_indent(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    text.lines().map(|line| line.get(least..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// What is known about a bullet, a few words each: whether it is pinned, until when it is valid, whether its code
/// changed. `today` is `YYYY-MM-DD`.
pub fn item_marks(facts: &ItemFacts<'_>, item: usize, today: &str) -> Vec<String> {
    let ItemKind::Bullet(bullet) = facts.file.items[item].kind else { return Vec::new() };
    if facts.file.document.bullets()[bullet as usize].meta.is_none() {
        return Vec::new();
    }
    let meta = facts.meta(item);
    let mut marks = Vec::new();
    if meta.is_pinned() {
        marks.push("pinned".to_owned());
    }
    if let Some(day) = meta.valid(MetaKey::Exp) {
        let verb = if day < today { "expired" } else { "until" };
        marks.push(format!("{verb} {}", visible(day)));
    }
    if let Some(state) = facts.stale_anchor(item) {
        marks.push(anchor_mark(state).trim_matches([' ', '(', ')']).to_owned());
    }
    marks
}

/// The text of an entry's summary, for the timeline: its field `Summary:`, else the first paragraph or bullet below it.
pub fn entry_text(document: &Document, section: usize) -> String {
    if let Some(summary) = crate::view::outline::field_value(document, section, "Summary") {
        return summary;
    }
    let body = section_range(document, section);
    let after_heading = document.sections()[section].heading.end as usize;
    let text = &document.text()[after_heading.max(body.start)..body.end];
    let line = text.lines().map(str::trim).find(|line| {
        !line.is_empty() && !line.starts_with("<!--") && !line.trim_start_matches(['-', '*', ' ']).starts_with("Date:")
    });
    line.unwrap_or_default().trim_start_matches(['-', '*', ' ']).to_owned()
}
