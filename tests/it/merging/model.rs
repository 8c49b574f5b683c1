//! A memory file in which every thing has a hidden identity, and how it is printed.
//!
//! The identities are never printed: only the truth about a merge knows them.

/// A hidden identity.
pub type Key = u32;

/// What a file is for: it decides what two things of one name mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Genre {
    Facts,
    Episodes,
}

/// A bullet with all that hangs on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bullet {
    pub key: Key,
    /// The lines of its text.
    pub head: Vec<String>,
    /// Lines below the metadata line: a fenced block inside the item.
    pub extra: Vec<String>,
    pub meta: Vec<(String, String)>,
    /// Its number, where the list has numbers.
    pub number: usize,
    /// Blanks behind its first line.
    pub trail: bool,
    pub kids: Vec<Bullet>,
}

impl Bullet {
    pub fn new(key: Key, text: impl Into<String>) -> Bullet {
        Bullet {
            key,
            head: vec![text.into()],
            extra: Vec::new(),
            meta: Vec::new(),
            number: 1,
            trail: false,
            kids: Vec::new(),
        }
    }

    /// Its whole text, without its metadata.
    pub fn text(&self) -> String {
        [&self.head[..], &self.extra[..]].concat().join("\n")
    }

    pub fn value(&self, key: &str) -> Option<&str> {
        self.meta.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// Sets a key; an empty value takes it out.
    pub fn set(&mut self, key: &str, value: &str) {
        match self.meta.iter_mut().find(|(k, _)| k == key) {
            _ if value.is_empty() => self.meta.retain(|(k, _)| k != key),
            Some((_, old)) => value.clone_into(old),
            None => self.meta.push((key.to_owned(), value.to_owned())),
        }
    }
}

/// Prose, a table or a fenced block: lines, fences included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub key: Key,
    pub lines: Vec<String>,
    /// Which of the lines may be edited: never two neighbours, so that no line merge can stumble.
    pub open: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Bullet(Bullet),
    Block(Block),
}

impl Item {
    pub fn key(&self) -> Key {
        match self {
            Item::Bullet(b) => b.key,
            Item::Block(b) => b.key,
        }
    }

    pub fn bullet(&self) -> Option<&Bullet> {
        match self {
            Item::Bullet(b) => Some(b),
            Item::Block(_) => None,
        }
    }
}

/// A heading and the content below it. The first of a file is its H1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub key: Key,
    pub level: usize,
    pub title: String,
    /// The title it was made with: no other section takes it, also after a new name was given.
    pub origin: String,
    pub id: Option<String>,
    pub ordered: bool,
    pub items: Vec<Item>,
}

/// A value of the front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    One(String),
    /// A list, on one line or on many.
    Many(Vec<String>, bool),
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub crlf: bool,
    pub bom: bool,
    pub open_end: bool,
    pub loose: bool,
    pub marker: char,
    /// A blank line below headings.
    pub gap: bool,
    /// Blank lines above headings.
    pub above: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub genre: Genre,
    pub front: Vec<(String, Value)>,
    /// The terms of the summary line, where the file keeps one.
    pub summary: Option<Vec<String>>,
    pub sections: Vec<Section>,
    pub style: Style,
}

impl File {
    pub fn print(&self) -> String {
        let mut lines = self.front_lines();
        for (i, section) in self.sections.iter().enumerate() {
            if i > 0 {
                lines.extend(std::iter::repeat_n(String::new(), self.style.above));
            }
            lines.extend(self.section_lines(section));
        }
        let eol = self.eol();
        let mut out = String::from(if self.style.bom { "\u{feff}" } else { "" });
        out += &lines.join(eol);
        if !self.style.open_end {
            out += eol;
        }
        out
    }

    fn eol(&self) -> &'static str {
        if self.style.crlf { "\r\n" } else { "\n" }
    }

    fn front_lines(&self) -> Vec<String> {
        if self.front.is_empty() {
            return Vec::new();
        }
        let mut lines = vec!["---".to_owned()];
        for (key, value) in &self.front {
            match value {
                Value::One(value) => lines.push(format!("{key}: {value}")),
                Value::Many(list, false) => lines.push(format!("{key}: [{}]", list.join(", "))),
                Value::Many(list, true) => {
                    lines.push(format!("{key}:"));
                    lines.extend(list.iter().map(|v| format!("  - {v}")));
                }
            }
        }
        lines.extend(["---".to_owned(), String::new()]);
        lines
    }

    /// The lines of a section without those above its heading.
    pub fn section_lines(&self, section: &Section) -> Vec<String> {
        let id = section.id.as_ref().map(|id| format!(" {{#{id}}}")).unwrap_or_default();
        let mut lines = vec![format!("{} {}{id}", "#".repeat(section.level), section.title)];
        let top = section.level == 1;
        if let Some(terms) = self.summary.as_ref().filter(|terms| top && !terms.is_empty()) {
            lines.extend([String::new(), format!("> Summary: {}", terms.join(", "))]);
        }
        let mut bullet_above = false;
        for (i, item) in section.items.iter().enumerate() {
            let is_bullet = item.bullet().is_some();
            let apart = if i == 0 {
                self.style.gap || top || !is_bullet
            } else {
                !(is_bullet && bullet_above) || self.style.loose
            };
            if apart {
                lines.push(String::new());
            }
            match item {
                Item::Bullet(bullet) => self.bullet_lines(bullet, section.ordered, "", &mut lines),
                Item::Block(block) => lines.extend(block.lines.iter().cloned()),
            }
            bullet_above = is_bullet;
        }
        lines
    }

    fn bullet_lines(&self, bullet: &Bullet, ordered: bool, indent: &str, lines: &mut Vec<String>) {
        let marker = if ordered { format!("{}. ", bullet.number) } else { format!("{} ", self.style.marker) };
        let inner = format!("{indent}{}", " ".repeat(marker.len()));
        let trail = if bullet.trail && bullet.head.len() == 1 { "  " } else { "" };
        lines.push(format!("{indent}{marker}{}{trail}", bullet.head[0]));
        lines.extend(bullet.head[1..].iter().map(|line| format!("{inner}{line}")));
        if !bullet.meta.is_empty() {
            let pairs = bullet.meta.iter().map(|(k, v)| if v.is_empty() { k.clone() } else { format!("{k}={v}") });
            lines.push(format!("{inner}<!-- mem {} -->", pairs.collect::<Vec<_>>().join(" ")));
        }
        lines.extend(bullet.extra.iter().map(|line| format!("{inner}{line}")));
        for kid in &bullet.kids {
            self.bullet_lines(kid, false, &inner, lines);
        }
    }

    pub fn section(&self, key: Key) -> Option<&Section> {
        self.sections.iter().find(|s| s.key == key)
    }

    /// All bullets, nested ones too.
    pub fn bullets(&self) -> Vec<&Bullet> {
        fn add<'a>(bullet: &'a Bullet, all: &mut Vec<&'a Bullet>) {
            all.push(bullet);
            bullet.kids.iter().for_each(|kid| add(kid, all));
        }
        let mut all = Vec::new();
        self.sections.iter().flat_map(|s| &s.items).filter_map(Item::bullet).for_each(|b| add(b, &mut all));
        all
    }

    pub fn bullet_mut(&mut self, key: Key) -> Option<&mut Bullet> {
        fn find(bullet: &mut Bullet, key: Key) -> Option<&mut Bullet> {
            if bullet.key == key {
                return Some(bullet);
            }
            bullet.kids.iter_mut().find_map(|kid| find(kid, key))
        }
        let items = self.sections.iter_mut().flat_map(|s| &mut s.items);
        items.filter_map(|i| if let Item::Bullet(b) = i { Some(b) } else { None }).find_map(|b| find(b, key))
    }

    /// The section above a section in the outline.
    pub fn parent(&self, key: Key) -> Option<Key> {
        let at = self.sections.iter().position(|s| s.key == key)?;
        let level = self.sections[at].level;
        self.sections[..at].iter().rev().find(|s| s.level < level).map(|s| s.key)
    }

    /// Keeps the summary line as memdir does: deleted terms leave, new ones are appended, the oldest make room.
    pub fn follow(&mut self, before: Option<&File>) {
        let Some(line) = &mut self.summary.clone() else { return };
        let offered = self.offered();
        let body = self.sections.iter().flat_map(|s| self.section_lines(s)).filter(|l| !l.starts_with("> Summary:"));
        let body = body.collect::<Vec<_>>().join("\n").to_lowercase();
        let known = before.map(File::offered).unwrap_or_default();
        line.retain(|t| offered.contains(t) || body.contains(t.as_str()));
        let kept = line.len();
        for term in offered.iter().filter(|t| !known.contains(t)) {
            if before.is_none() && !fits(&[&line[..], std::slice::from_ref(term)].concat()) {
                break;
            }
            if !line.contains(term) {
                line.push(term.clone());
            }
        }
        let grown = line.len() > kept;
        while grown && !fits(line) {
            line.remove(0);
        }
        self.summary = Some(line.clone());
    }

    /// What the summary line may name: labels and headings, or the titles of entries.
    pub fn offered(&self) -> Vec<String> {
        let mut terms: Vec<String> = Vec::new();
        for (i, section) in self.sections.iter().enumerate() {
            if i > 0 && (self.genre == Genre::Facts || section.level == 2) {
                terms.push(section.title.split_whitespace().take(4).collect::<Vec<_>>().join(" ").to_lowercase());
            }
            if self.genre == Genre::Facts {
                terms.extend(section.items.iter().filter_map(Item::bullet).filter_map(|b| label(&b.head[0])));
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        terms.retain(|t| seen.insert(t.clone()));
        terms
    }
}

fn label(text: &str) -> Option<String> {
    let (label, _) = text.split_once(": ")?;
    let fine = label.split(' ').count() <= 3 && label.chars().all(|c| c.is_alphanumeric() || " .".contains(c));
    let label = label.to_lowercase();
    (fine && !["summary", "date", "updated"].contains(&label.as_str())).then_some(label)
}

/// Columns a text takes: two for what is not Latin.
pub fn columns(text: &str) -> usize {
    text.chars().map(|c| if c as u32 > 0x2e80 { 2 } else { 1 }).sum()
}

fn fits(line: &[String]) -> bool {
    line.len() <= 10 && columns(&line.join(", ")) <= 100
}
