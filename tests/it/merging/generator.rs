//! Random memory files: their content and how they are written.

use super::model::{Block, Bullet, File, Genre, Item, Key, Section, Style, Value};
use super::random::Chance;

/// What pairs of a series are like.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    pub name: &'static str,
    /// Every bullet and heading has an id.
    pub ids: bool,
    /// Fewest and most operations of a side.
    pub operations: (usize, usize),
    /// An editor of one side wrote the whole file in a manner of its own: line ends, byte order mark, final newline.
    pub resaved: bool,
}

/// Makes things with new identities.
pub struct Maker<'a> {
    pub chance: &'a mut Chance,
    pub ids: bool,
    next: Key,
}

impl<'a> Maker<'a> {
    pub fn new(chance: &'a mut Chance, ids: bool, first: Key) -> Maker<'a> {
        Maker { chance, ids, next: first }
    }

    pub fn key(&mut self) -> Key {
        self.next += 1;
        self.next
    }

    /// A bullet of that text; its id, as memdir mints it, is a hash of the text.
    pub fn bullet(&mut self, text: &str) -> Bullet {
        let mut bullet = Bullet::new(self.key(), text);
        if self.ids {
            bullet.set("id", &id(text));
        }
        bullet
    }

    /// A bullet with whatever bullets have, nothing below it.
    pub fn rich_bullet(&mut self) -> Bullet {
        let text = self.chance.bullet();
        let mut bullet = self.bullet(&text);
        if self.chance.percent(10) {
            let more = self.chance.between(1, 2);
            bullet.head.extend((0..more).map(|_| self.chance.sentence()));
        }
        if self.chance.percent(20) {
            let (key, value) = self.pair();
            bullet.set(&key, &value);
        }
        bullet.trail = self.chance.percent(6);
        bullet
    }

    pub fn pair(&mut self) -> (String, String) {
        let value = match self.chance.below(6) {
            0 => ("imp", self.chance.below(11).to_string()),
            1 => ("exp", self.chance.date()),
            2 => ("conf", format!("0.{}", self.chance.between(1, 9))),
            3 => ("pin", String::new()),
            4 => ("type", self.chance.word()),
            _ => ("own", self.chance.word()),
        };
        let (key, value) = value;
        // A flag without a value would read as taken out.
        (key.to_owned(), if value.is_empty() { "1".to_owned() } else { value })
    }

    fn full_bullet(&mut self) -> Bullet {
        let mut bullet = self.rich_bullet();
        if self.chance.percent(3) {
            let inside = self.chance.word();
            bullet.extra = vec!["```sh".into(), format!("# {inside}"), format!("- {inside} --all"), "```".into()];
        }
        if self.chance.percent(14) {
            for _ in 0..self.chance.between(1, 3) {
                let kid = self.rich_bullet();
                bullet.kids.push(kid);
            }
        }
        bullet
    }

    pub fn block(&mut self) -> Block {
        let key = self.key();
        match self.chance.below(3) {
            0 => {
                let lines: Vec<String> = (0..self.chance.between(3, 7)).map(|_| self.chance.sentence()).collect();
                let open = (0..lines.len()).step_by(2).collect();
                Block { key, lines, open }
            }
            1 => {
                let mut lines = vec!["```".to_owned()];
                for i in 0..self.chance.between(3, 6) {
                    let word = self.chance.word();
                    lines.push(match i % 5 {
                        0 => format!("# {word} {}", self.chance.word()),
                        1 => format!("- {word} not a bullet"),
                        2 => format!("{word} = {}", self.chance.below(100)),
                        3 => format!("## {word}"),
                        _ => format!("    {word}();"),
                    });
                }
                let open = (1..lines.len()).step_by(2).collect();
                lines.push("```".to_owned());
                Block { key, lines, open }
            }
            _ => {
                let mut lines = vec!["| what | when |".to_owned(), "|---|---|".to_owned()];
                for _ in 0..self.chance.between(2, 5) {
                    lines.push(format!("| {} {} | {} |", self.chance.word(), self.chance.word(), self.chance.date()));
                }
                let open = (2..lines.len()).step_by(2).collect();
                Block { key, lines, open }
            }
        }
    }

    /// A section with one to three bullets.
    pub fn section(&mut self, level: usize, title: &str) -> Section {
        let id = self.ids.then(|| id(title));
        let mut section = Section {
            key: self.key(),
            level,
            title: title.to_owned(),
            origin: title.to_owned(),
            id,
            ordered: false,
            items: Vec::new(),
        };
        for _ in 0..self.chance.between(1, 3) {
            let bullet = self.rich_bullet();
            section.items.push(Item::Bullet(bullet));
        }
        section
    }

    /// An entry of an episode file.
    pub fn entry(&mut self, title: &str) -> Section {
        let mut entry = Section {
            key: self.key(),
            level: 2,
            title: title.to_owned(),
            origin: title.to_owned(),
            id: None,
            ordered: false,
            items: Vec::new(),
        };
        let texts = [
            format!("Summary: {}", self.chance.bullet().replace(": ", " ")),
            format!("Date: {}", self.chance.date()),
            format!("Lesson: {}", self.chance.bullet().replace(": ", " ")),
        ];
        // Two entries of one title are two things, distinguished by their ids.
        entry.id = self.ids.then(|| id(&format!("{title} {}", texts.concat())));
        for (i, text) in texts.iter().enumerate() {
            if i < 2 || self.chance.percent(80) {
                let mut bullet = self.bullet(text);
                if self.ids {
                    bullet.set("id", &id(&format!("{title}{text}")));
                }
                entry.items.push(Item::Bullet(bullet));
            }
        }
        entry
    }
}

/// An id as memdir would mint it: from a hash.
pub fn id(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let letters = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut out = String::from("m");
    out.extend((0..7).map(|i| letters[(hash >> (i * 5)) as usize % 32] as char));
    out
}

fn style(chance: &mut Chance) -> Style {
    Style {
        crlf: chance.percent(12),
        bom: chance.percent(6),
        open_end: chance.percent(10),
        loose: chance.percent(10),
        marker: if chance.percent(15) { chance.one(&['*', '+']) } else { '-' },
        gap: chance.percent(60),
        above: if chance.percent(8) { 2 } else { 1 },
    }
}

/// A title that no section of the file has.
pub fn fresh_title(chance: &mut Chance, file: &File) -> String {
    for _ in 0..20 {
        let title = chance.heading();
        if file.sections.iter().all(|s| s.title != title && s.origin != title) {
            return title;
        }
    }
    format!("{} {} {}", chance.heading(), chance.word(), chance.below(1000))
}

pub fn entry_title(chance: &mut Chance) -> String {
    let text = format!("{} {} {}", chance.word(), chance.word(), chance.word());
    let mut letters = text.chars();
    letters.next().map(|c| c.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

/// A file to begin with.
pub fn base(chance: &mut Chance, series: Series) -> File {
    let genre = if chance.percent(20) { Genre::Episodes } else { Genre::Facts };
    let style = style(chance);
    let summary = chance.percent(75).then(Vec::new);
    let front = if chance.percent(35) { front(chance) } else { Vec::new() };
    let mut file = File { genre, front, summary, sections: Vec::new(), style };
    let mut maker = Maker::new(chance, series.ids, 0);
    let title = if genre == Genre::Facts { "User Facts" } else { "2026-02 Episodes" };
    let mut top = Section {
        key: maker.key(),
        level: 1,
        title: title.into(),
        origin: title.into(),
        id: None,
        ordered: false,
        items: Vec::new(),
    };
    let more = usize::from(series.operations.1 > 3);
    match genre {
        Genre::Episodes => {
            file.sections.push(top);
            for _ in 0..maker.chance.between(2 + more, 5 + more) {
                let title = entry_title(maker.chance);
                let entry = maker.entry(&title);
                file.sections.push(entry);
            }
        }
        Genre::Facts => {
            let direct = maker.chance.below(5);
            items(&mut maker, &mut top, direct);
            if maker.chance.percent(12) {
                let bullet = Bullet::new(maker.key(), "Updated: 2026-01-05");
                top.items.push(Item::Bullet(bullet));
            }
            file.sections.push(top);
            for _ in 0..maker.chance.between(1 + more, 5 + more) {
                let title = fresh_title(maker.chance, &file);
                let level = if file.sections.len() > 1 && maker.chance.percent(15) { 3 } else { 2 };
                let mut section = maker.section(level, &title);
                section.items.clear();
                section.ordered = maker.chance.percent(8);
                let most = maker.chance.between(1 + more, 5 + 2 * more);
                items(&mut maker, &mut section, most);
                file.sections.push(section);
            }
        }
    }
    let twins = maker.chance.percent(12);
    if twins {
        near_duplicate(&mut maker, &mut file);
    }
    file.follow(None);
    file
}

fn items(maker: &mut Maker, section: &mut Section, count: usize) {
    for number in 1..=count {
        let mut bullet = maker.full_bullet();
        bullet.number = number;
        section.items.push(Item::Bullet(bullet));
    }
    if maker.chance.percent(22) {
        let at = maker.chance.below(section.items.len() + 1);
        let block = maker.block();
        section.items.insert(at, Item::Block(block));
    }
}

/// Puts a bullet that differs by a word beside, or far from, one that is there.
fn near_duplicate(maker: &mut Maker, file: &mut File) {
    let all: Vec<(usize, String)> = file
        .sections
        .iter()
        .enumerate()
        .flat_map(|(i, s)| s.items.iter().filter_map(Item::bullet).map(move |b| (i, b.head[0].clone())))
        .collect();
    if all.is_empty() || file.genre == Genre::Episodes {
        return;
    }
    let (section, text) = maker.chance.one(&all);
    if text.starts_with("Updated: ") {
        return;
    }
    let twin = maker.chance.small_edit(&text);
    let section = if maker.chance.percent(60) { section } else { maker.chance.below(file.sections.len()) };
    let items = &mut file.sections[section].items;
    let at = maker.chance.below(items.len() + 1);
    let mut bullet = maker.bullet(&twin);
    bullet.number = at + 1;
    items.insert(at, Item::Bullet(bullet));
}

fn front(chance: &mut Chance) -> Vec<(String, Value)> {
    let mut front = vec![("title".to_owned(), Value::One(chance.heading()))];
    if chance.percent(60) {
        let tags = (0..chance.between(1, 4)).map(|_| chance.word()).collect::<std::collections::BTreeSet<_>>();
        front.push(("tags".to_owned(), Value::Many(tags.into_iter().collect(), chance.percent(40))));
    }
    if chance.percent(40) {
        front.push(("status".to_owned(), Value::One(chance.word())));
    }
    if chance.percent(30) {
        let key = chance.one(&["updated", "last_updated"]);
        front.push((key.to_owned(), Value::One("2026-01-05".to_owned())));
    }
    front
}
