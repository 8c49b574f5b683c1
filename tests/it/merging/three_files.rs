//! One thing in three files: the merge of its text, its metadata or its place.
//!
//! Knows nothing of the things around it.

use std::collections::{BTreeMap, BTreeSet};

use super::change::is_stamp;
use super::model::{Bullet, File, Item, Key, Value};
use super::truth::Meta;

/// The place of a thing: its section, and its parent bullet.
pub type Place = (Key, Option<Key>);

/// A thing of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub lines: Vec<String>,
    pub meta: Meta,
    pub place: Place,
    pub block: bool,
}

impl State {
    /// As the reader sees it.
    pub fn text(&self) -> String {
        let sign = if self.block { "¶ " } else { "" };
        sign.to_owned() + &self.lines.join("\n")
    }

    /// Whether a side changed it, stamps left out.
    pub fn touched(&self, base: &State) -> bool {
        let plain = |meta: &Meta| {
            meta.iter().filter(|(k, _)| !is_stamp(k)).map(|(k, v)| (k.clone(), v.clone())).collect::<Meta>()
        };
        self.lines != base.lines || plain(&self.meta) != plain(&base.meta) || self.place != base.place
    }
}

/// All things of a file.
pub fn states(file: &File) -> BTreeMap<Key, State> {
    fn add(bullet: &Bullet, place: Place, all: &mut BTreeMap<Key, State>) {
        let lines = bullet.text().lines().map(str::to_owned).collect();
        let meta = bullet.meta.iter().cloned().collect();
        all.insert(bullet.key, State { lines, meta, place, block: false });
        // A child is placed with its parent: it moves with it, and that is no change of the child's.
        bullet.kids.iter().for_each(|kid| add(kid, (0, Some(bullet.key)), all));
    }
    let mut all = BTreeMap::new();
    for section in &file.sections {
        for item in &section.items {
            match item {
                Item::Bullet(bullet) => add(bullet, (section.key, None), &mut all),
                Item::Block(block) => {
                    let state = State {
                        lines: block.lines.clone(),
                        meta: Meta::new(),
                        place: (section.key, None),
                        block: true,
                    };
                    all.insert(block.key, state);
                }
            }
        }
    }
    all
}

/// The value that both sides want, where that can be decided.
pub fn pick<'a, T: PartialEq>(base: &'a T, ours: &'a T, theirs: &'a T) -> Option<&'a T> {
    match () {
        () if ours == theirs || theirs == base => Some(ours),
        () if ours == base => Some(theirs),
        () => None,
    }
}

/// The lines of a block, each on its own; whether none was changed twice.
pub fn by_line(base: &State, ours: &State, theirs: &State, side: usize) -> (Vec<String>, bool) {
    let (mut lines, mut fine) = (Vec::new(), true);
    for (i, old) in base.lines.iter().enumerate() {
        let (a, b) = (&ours.lines[i], &theirs.lines[i]);
        lines.push(pick(old, a, b).cloned().unwrap_or_else(|| {
            fine = false;
            if side == 0 { a.clone() } else { b.clone() }
        }));
    }
    (lines, fine)
}

/// The metadata of both, in the ways it may come out; whether no key was set twice.
pub fn metas(base: &Meta, ours: &Meta, theirs: &Meta, side: usize) -> (Vec<Meta>, bool) {
    let keys: BTreeSet<&String> = base.keys().chain(ours.keys()).chain(theirs.keys()).collect();
    let (mut out, mut fine) = (vec![Meta::new()], true);
    for key in keys {
        let [o, a, b] = [base, ours, theirs].map(|m| m.get(key));
        let values: Vec<Option<&String>> = match pick(&o, &a, &b) {
            Some(value) => vec![*value],
            None if key == "upd" => vec![a.max(b)],
            None if key == "added" => vec![a.min(b)],
            None if is_stamp(key) => vec![a, b],
            None => {
                fine = false;
                vec![if side == 0 { a } else { b }]
            }
        };
        let with = |value: &Option<&String>| {
            let add = |meta: &Meta| {
                let mut meta = meta.clone();
                meta.extend(value.map(|v| (key.clone(), v.clone())));
                meta
            };
            out.iter().map(add).collect::<Vec<_>>()
        };
        out = values.iter().flat_map(with).collect();
    }
    (out, fine)
}

/// A value of the front matter as the reader sees it: a list is a set.
pub fn plain(value: &Value) -> String {
    match value {
        Value::One(value) => value.clone(),
        Value::Many(list, _) => {
            list.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
        }
    }
}
