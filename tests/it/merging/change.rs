//! What a side does to a file: operations by chance, each on one thing.

use super::generator::{Maker, Series, entry_title, fresh_title};
use super::model::{Bullet, File, Genre, Item, Key, Section, Value};
use super::random::Chance;

/// A base and what two sides made of it.
#[derive(Clone)]
pub struct Pair {
    pub base: File,
    pub ours: File,
    pub theirs: File,
    /// What was done, for a reader of a failing pair.
    pub story: Vec<String>,
    /// Whether both sides, or the base, have things that are nearly or exactly alike on purpose.
    pub twins: bool,
}

/// The pair of a seed.
pub fn pair(seed: u64, series: Series) -> Pair {
    let mut chance = Chance::new(seed);
    let base = super::generator::base(&mut chance, series);
    let all: Vec<Key> = base.sections.iter().flat_map(|s| &s.items).map(Item::key).collect();
    // Sides that work on one thing meet more often than chance would have it.
    let focus = (chance.percent(40) && !all.is_empty()).then(|| chance.one(&all));
    let stamps = chance.percent(15);
    let side = |name: &'static str, first: Key, file: &File, chance: &mut Chance| Side {
        file: file.clone(),
        focus,
        stamp: stamps.then(|| (chance.date(), name)),
        first,
        ids: series.ids,
        story: Vec::new(),
    };
    let mut ours = side("anna", 1000, &base, &mut chance);
    let mut theirs = side("ben", 2000, &base, &mut chance);
    let twins = chance.percent(26);
    let operations = |side: &mut Side, chance: &mut Chance, before: bool| {
        let count = chance.between(series.operations.0, series.operations.1);
        for _ in 0..count - usize::from(before && count > 1) {
            side.operate(chance);
        }
    };
    if twins {
        for _ in 0..10 {
            if super::equal_changes::equal_change(&mut chance, &mut ours, &mut theirs) {
                break;
            }
        }
    }
    if !twins || chance.percent(70) {
        operations(&mut ours, &mut chance, twins);
        operations(&mut theirs, &mut chance, twins);
    }
    let story = [("ours", &mut ours), ("theirs", &mut theirs)]
        .into_iter()
        .flat_map(|(name, side)| std::mem::take(&mut side.story).into_iter().map(move |s| format!("{name}: {s}")))
        .collect();
    let finish = |mut side: Side| {
        side.stamp_file();
        side.file.follow(Some(&base));
        side.file
    };
    let (mut ours, mut theirs) = (finish(ours), finish(theirs));
    if series.resaved {
        let style = if chance.percent(50) { &mut ours.style } else { &mut theirs.style };
        match chance.below(3) {
            0 => style.crlf ^= true,
            1 => style.bom ^= true,
            _ => style.open_end ^= true,
        }
    }
    Pair { base, ours, theirs, story, twins }
}

/// A side at work.
pub struct Side {
    pub file: File,
    focus: Option<Key>,
    /// Date and name, where this file keeps stamps.
    stamp: Option<(String, &'static str)>,
    pub first: Key,
    pub ids: bool,
    story: Vec<String>,
}

impl Side {
    pub fn make<T>(&mut self, chance: &mut Chance, what: impl FnOnce(&mut Maker) -> T) -> T {
        self.first += 50;
        what(&mut Maker::new(chance, self.ids, self.first))
    }

    pub fn says(&mut self, what: String) {
        self.story.push(what);
    }

    /// Stamps a bullet that this side touched.
    pub fn stamp(&mut self, key: Key, new: bool) {
        let Some((date, name)) = self.stamp.clone() else { return };
        let Some(bullet) = self.file.bullet_mut(key) else { return };
        if new {
            bullet.set("added", &date);
        }
        bullet.set("by", name);
        bullet.set("upd", &date);
    }

    /// Brings the file's own stamps up to date.
    fn stamp_file(&mut self) {
        let Some((date, _)) = self.stamp.clone() else { return };
        for (key, value) in &mut self.file.front {
            if ["updated", "last_updated"].contains(&key.as_str()) {
                *value = Value::One(date.clone());
            }
        }
        let updated = self.file.bullets().iter().find(|b| b.head[0].starts_with("Updated: ")).map(|b| b.key);
        if let Some(bullet) = updated.and_then(|key| self.file.bullet_mut(key)) {
            bullet.head[0] = format!("Updated: {date}");
        }
    }

    fn operate(&mut self, chance: &mut Chance) {
        // Some choices find nothing to work on: try again.
        for _ in 0..20 {
            let episodes = self.file.genre == Genre::Episodes;
            let done = match chance.below(100) {
                0..=19 => self.add(chance),
                20..=40 => self.edit(chance),
                41..=52 => self.remove(chance),
                53..=58 => self.reorder(chance),
                59..=66 => self.relocate(chance),
                67..=77 => self.metadata(chance),
                78..=81 if episodes => self.new_entry(chance),
                78..=81 => self.new_section(chance),
                82..=84 => self.rename(chance),
                85..=89 => self.front(chance),
                90..=93 => self.child(chance),
                94..=96 => self.edit_block(chance),
                97 => self.add_or_remove_block(chance),
                _ => self.remove_section(chance),
            };
            if done {
                return;
            }
        }
    }

    /// A bullet of the top level to work on: (section, place, key).
    pub fn pick(&self, chance: &mut Chance) -> Option<(usize, usize, Key)> {
        let mut all = Vec::new();
        for (s, section) in self.file.sections.iter().enumerate() {
            for (i, bullet) in section.items.iter().enumerate().filter_map(|(i, item)| Some((i, item.bullet()?))) {
                if !bullet.head[0].starts_with("Updated: ") {
                    all.push((s, i, bullet.key));
                }
            }
        }
        let focus = self.focus.and_then(|key| all.iter().find(|(.., k)| *k == key).copied());
        match focus {
            // Once at first, seldom again: people do not edit one bullet eight times in a row.
            Some(found) if chance.percent(if self.story.is_empty() { 60 } else { 20 }) => Some(found),
            _ if all.is_empty() => None,
            _ => Some(chance.one(&all)),
        }
    }

    /// A section that bullets may come to.
    pub fn section(&self, chance: &mut Chance) -> usize {
        let focus =
            self.focus.and_then(|key| self.file.sections.iter().position(|s| s.items.iter().any(|i| i.key() == key)));
        match focus {
            Some(found) if chance.percent(50) => found,
            _ => chance.below(self.file.sections.len()),
        }
    }

    pub fn has(&self, section: usize, text: &str) -> bool {
        self.file.sections[section].items.iter().filter_map(Item::bullet).any(|b| b.text() == text)
    }

    pub fn put(&mut self, section: usize, mut bullet: Bullet, chance: &mut Chance) {
        let items = &mut self.file.sections[section].items;
        let at = if chance.percent(65) { items.len() } else { chance.below(items.len() + 1) };
        // As memdir numbers a new one: one more than the one above.
        let above = items[..at].last().and_then(Item::bullet).map_or(0, |b| b.number);
        bullet.number = above + 1;
        items.insert(at, Item::Bullet(bullet));
    }

    fn add(&mut self, chance: &mut Chance) -> bool {
        let section = self.section(chance);
        let bullet = self.make(chance, |m| m.rich_bullet());
        if self.has(section, &bullet.text()) {
            return false;
        }
        self.says(format!("add {:?} to {}", bullet.head[0], self.file.sections[section].title));
        let key = bullet.key;
        self.put(section, bullet, chance);
        self.stamp(key, true);
        true
    }

    fn edit(&mut self, chance: &mut Chance) -> bool {
        let Some((section, _, mut key)) = self.pick(chance) else { return false };
        let kids: Vec<Key> =
            self.file.bullet_mut(key).map(|b| b.kids.iter().map(|k| k.key).collect()).unwrap_or_default();
        if !kids.is_empty() && chance.percent(35) {
            key = chance.one(&kids);
        }
        let old = self.file.bullet_mut(key).expect("picked").clone();
        let mut new = old.clone();
        let line = chance.below(new.head.len());
        let text = &new.head[line];
        new.head[line] = match chance.below(100) {
            0..=69 => chance.small_edit(text),
            70..=93 => chance.rewrite(text),
            _ if text.contains(": ") => chance.rewrite(text),
            _ => chance.bullet(),
        };
        if self.has(section, &new.text()) || new.head[0].starts_with("Updated: ") {
            return false;
        }
        self.says(format!("edit {:?} to {:?}", old.head[line], new.head[line]));
        *self.file.bullet_mut(key).expect("picked") = new;
        self.stamp(key, false);
        true
    }

    fn remove(&mut self, chance: &mut Chance) -> bool {
        let Some((section, at, _)) = self.pick(chance) else { return false };
        let gone = self.file.sections[section].items.remove(at);
        self.says(format!("remove {:?}", gone.bullet().expect("picked").head[0]));
        true
    }

    fn reorder(&mut self, chance: &mut Chance) -> bool {
        let Some((section, at, _)) = self.pick(chance) else { return false };
        let items = &mut self.file.sections[section].items;
        if items.len() < 2 {
            return false;
        }
        let item = items.remove(at);
        let to = chance.below(items.len() + 1);
        let name = item.bullet().expect("picked").head[0].clone();
        items.insert(to, item);
        self.says(format!("reorder {name:?} from {at} to {to}"));
        to != at
    }

    fn relocate(&mut self, chance: &mut Chance) -> bool {
        let Some((from, at, _)) = self.pick(chance) else { return false };
        let to = chance.below(self.file.sections.len());
        let text = self.file.sections[from].items[at].bullet().expect("picked").text();
        if to == from || self.has(to, &text) || self.file.genre == Genre::Episodes && to == 0 {
            return false;
        }
        let Item::Bullet(bullet) = self.file.sections[from].items.remove(at) else { return false };
        self.says(format!("move {:?} to {}", bullet.head[0], self.file.sections[to].title));
        self.put(to, bullet, chance);
        true
    }

    fn metadata(&mut self, chance: &mut Chance) -> bool {
        let Some((_, _, key)) = self.pick(chance) else { return false };
        let (name, value) = self.make(chance, |m| m.pair());
        let bullet = self.file.bullet_mut(key).expect("picked");
        let old: Vec<String> =
            bullet.meta.iter().map(|(k, _)| k.clone()).filter(|k| !is_stamp(k) && k != "id").collect();
        let what = if !old.is_empty() && chance.percent(30) {
            let name = chance.one(&old);
            bullet.set(&name, "");
            format!("unset {name}")
        } else if bullet.value(&name) == Some(&value) {
            return false;
        } else {
            bullet.set(&name, &value);
            format!("set {name}={value}")
        };
        let text = bullet.head[0].clone();
        self.says(format!("{what} of {text:?}"));
        self.stamp(key, false);
        true
    }

    pub fn insert_section(&mut self, section: Section, chance: &mut Chance) {
        self.says(format!("new section {}", section.title));
        let places: Vec<usize> = (1..=self.file.sections.len())
            .filter(|&i| self.file.sections.get(i).is_none_or(|s| s.level <= section.level))
            .collect();
        let at = if chance.percent(70) { self.file.sections.len() } else { chance.one(&places) };
        let keys: Vec<Key> = section.items.iter().map(Item::key).collect();
        self.file.sections.insert(at, section);
        keys.into_iter().for_each(|key| self.stamp(key, true));
    }

    fn new_section(&mut self, chance: &mut Chance) -> bool {
        let title = fresh_title(chance, &self.file);
        let section = self.make(chance, |maker| maker.section(2, &title));
        self.insert_section(section, chance);
        true
    }

    fn new_entry(&mut self, chance: &mut Chance) -> bool {
        let title = entry_title(chance);
        let entry = self.make(chance, |maker| maker.entry(&title));
        self.insert_section(entry, chance);
        true
    }

    fn rename(&mut self, chance: &mut Chance) -> bool {
        let at = chance.below(self.file.sections.len());
        if at == 0 {
            return false;
        }
        let old = self.file.sections[at].title.clone();
        let title = match self.file.genre {
            Genre::Episodes => chance.small_edit(&old),
            Genre::Facts if chance.percent(50) => format!("{old} {}", chance.word()),
            Genre::Facts => fresh_title(chance, &self.file),
        };
        self.says(format!("rename {old} to {title}"));
        self.file.sections[at].title = title;
        true
    }

    fn front(&mut self, chance: &mut Chance) -> bool {
        if self.file.front.is_empty() && !chance.percent(25) {
            return false;
        }
        let front = &mut self.file.front;
        let lists: Vec<usize> = (0..front.len()).filter(|&i| matches!(front[i].1, Value::Many(..))).collect();
        let what = match chance.below(4) {
            0 | 1 if !lists.is_empty() => {
                let Value::Many(list, _) = &mut front[chance.one(&lists)].1 else { return false };
                if list.len() > 1 && chance.percent(35) {
                    format!("untag {}", list.remove(chance.below(list.len())))
                } else {
                    let tag = chance.word();
                    if list.contains(&tag) {
                        return false;
                    }
                    list.push(tag.clone());
                    format!("tag {tag}")
                }
            }
            2 => {
                let key = chance.one(&["owner", "area", "project", "lang"]).to_owned();
                if front.iter().any(|(k, _)| *k == key) {
                    return false;
                }
                let value = chance.word();
                front.push((key.clone(), Value::One(value.clone())));
                format!("front {key}: {value}")
            }
            _ => {
                let ones: Vec<usize> = (0..front.len())
                    .filter(|&i| matches!(front[i].1, Value::One(_)) && !front[i].0.ends_with("updated"))
                    .collect();
                if ones.is_empty() {
                    return false;
                }
                let at = chance.one(&ones);
                if ones.len() > 1 && chance.percent(25) {
                    format!("front without {}", front.remove(at).0)
                } else {
                    front[at].1 = Value::One(chance.word());
                    format!("front {:?}", front[at])
                }
            }
        };
        self.says(what);
        true
    }

    fn child(&mut self, chance: &mut Chance) -> bool {
        let Some((_, _, key)) = self.pick(chance) else { return false };
        if self.file.genre == Genre::Episodes {
            return false;
        }
        let kid = self.make(chance, |maker| {
            let text = maker.chance.bullet();
            maker.bullet(&text)
        });
        let parent = self.file.bullet_mut(key).expect("picked");
        let name = parent.head[0].clone();
        if !parent.kids.is_empty() && chance.percent(40) {
            let gone = parent.kids.remove(chance.below(parent.kids.len()));
            self.says(format!("remove child {:?} of {name:?}", gone.head[0]));
        } else if parent.extra.is_empty() && parent.kids.iter().all(|k| k.text() != kid.text()) {
            let new = kid.key;
            let text = kid.head[0].clone();
            parent.kids.push(kid);
            self.says(format!("add child {text:?} to {name:?}"));
            self.stamp(new, true);
        } else {
            return false;
        }
        true
    }

    fn edit_block(&mut self, chance: &mut Chance) -> bool {
        let blocks = self.file.sections.iter_mut().flat_map(|s| &mut s.items);
        let mut blocks: Vec<_> = blocks.filter_map(|i| if let Item::Block(b) = i { Some(b) } else { None }).collect();
        if blocks.is_empty() {
            return false;
        }
        let at = chance.below(blocks.len());
        let line = chance.one(&blocks[at].open);
        let old = blocks[at].lines[line].clone();
        let new = if old.starts_with('|') {
            format!("| {} {} | {} |", chance.word(), chance.word(), chance.date())
        } else {
            format!("{} {}", old.trim_end_matches('.'), chance.word()) + if old.ends_with('.') { "." } else { "" }
        };
        blocks[at].lines[line] = new.clone();
        self.says(format!("edit line {old:?} to {new:?}"));
        true
    }

    fn add_or_remove_block(&mut self, chance: &mut Chance) -> bool {
        let all: Vec<(usize, usize)> = self
            .file
            .sections
            .iter()
            .enumerate()
            .flat_map(|(s, section)| {
                section.items.iter().enumerate().filter(|(_, i)| i.bullet().is_none()).map(move |(i, _)| (s, i))
            })
            .collect();
        if !all.is_empty() && chance.percent(50) {
            let (s, i) = chance.one(&all);
            self.file.sections[s].items.remove(i);
            self.says("remove a block".to_owned());
            return true;
        }
        if self.file.genre == Genre::Episodes {
            return false;
        }
        let section = self.section(chance);
        let block = self.make(chance, |m| m.block());
        self.says(format!("add block {:?} to {}", block.lines[1], self.file.sections[section].title));
        self.file.sections[section].items.push(Item::Block(block));
        true
    }

    fn remove_section(&mut self, chance: &mut Chance) -> bool {
        let at = chance.below(self.file.sections.len());
        let below = self.file.sections.get(at + 1).is_some_and(|s| s.level > self.file.sections[at].level);
        if at == 0 || below || self.file.sections.len() < 3 {
            return false;
        }
        let gone = self.file.sections.remove(at);
        self.says(format!("remove section {}", gone.title));
        true
    }
}

pub fn is_stamp(key: &str) -> bool {
    ["upd", "added", "by", "src", "run", "role"].contains(&key)
}
