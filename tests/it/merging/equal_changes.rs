//! What both sides do alike: the same thing twice, or two that differ by a word.
//!
//! Knows no rule of the merge; it only brings the two close together.

use super::change::Side;
use super::generator::{entry_title, fresh_title, id};
use super::model::{Bullet, Genre, Item, Key, Section, Value};
use super::random::Chance;

/// Lets both sides do nearly or exactly the same; false where this file has no place for it.
pub fn equal_change(chance: &mut Chance, ours: &mut Side, theirs: &mut Side) -> bool {
    let episodes = ours.file.genre == Genre::Episodes;
    let section = ours.section(chance);
    match chance.below(if episodes { 6 } else { 10 }) {
        // The same edit of one bullet on both sides.
        0 => {
            let Some((.., key)) = ours.pick(chance) else { return false };
            let old = ours.file.bullet_mut(key).expect("picked").head[0].clone();
            let new = if chance.percent(70) { chance.small_edit(&old) } else { chance.rewrite(&old) };
            for side in [ours, theirs] {
                side.file.bullet_mut(key).expect("in both").head[0].clone_from(&new);
                side.stamp(key, false);
                side.says(format!("same edit {old:?} to {new:?}"));
            }
            true
        }
        // Both remove the same bullet.
        1 => {
            let Some((section, at, _)) = ours.pick(chance) else { return false };
            for side in [ours, theirs] {
                let gone = side.file.sections[section].items.remove(at);
                side.says(format!("same removal {:?}", gone.bullet().expect("picked").head[0]));
            }
            true
        }
        // An entry, or a section, of one title on both sides.
        2 | 3 => {
            let title = if episodes { entry_title(chance) } else { fresh_title(chance, &ours.file) };
            let same = chance.percent(40);
            let mut first: Option<Section> = None;
            for side in [ours, theirs] {
                let made = side.make(chance, |m| if episodes { m.entry(&title) } else { m.section(2, &title) });
                let section = match &first {
                    Some(first) if same => rekeyed(first, made.key),
                    _ => made,
                };
                first.get_or_insert_with(|| section.clone());
                side.insert_section(section, chance);
            }
            true
        }
        // One front matter key, set to one value.
        4 => {
            let value = chance.word();
            for side in [ours, theirs] {
                let front = &mut side.file.front;
                front.retain(|(k, _)| k != "owner");
                front.push(("owner".to_owned(), Value::One(value.clone())));
                side.says(format!("same front owner: {value}"));
            }
            true
        }
        // The same metadata on both sides.
        5 => {
            let Some((.., key)) = ours.pick(chance) else { return false };
            let (name, value) = ours.make(chance, |m| m.pair());
            for side in [ours, theirs] {
                side.file.bullet_mut(key).expect("in both").set(&name, &value);
                side.stamp(key, false);
                side.says(format!("same {name}={value} of {key}"));
            }
            true
        }
        // The same new bullet.
        6 | 7 => {
            let text = chance.bullet();
            if ours.has(section, &text) || theirs.has(section, &text) {
                return false;
            }
            for side in [ours, theirs] {
                let mut bullet = side.make(chance, |m| m.bullet(&text));
                if chance.percent(25) {
                    bullet.set(chance.one(&["imp", "conf", "w"]), "1");
                }
                let key = bullet.key;
                side.put(section, bullet, chance);
                side.stamp(key, true);
                side.says(format!("same new bullet {text:?}"));
            }
            true
        }
        // New bullets that differ by a word.
        8 => {
            let text = chance.bullet();
            let other = chance.small_edit(&text);
            for (side, text) in [(ours, text), (theirs, other)] {
                let bullet = side.make(chance, |m| m.bullet(&text));
                let key = bullet.key;
                side.put(section, bullet, chance);
                side.stamp(key, true);
                side.says(format!("near same {text:?}"));
            }
            true
        }
        // One side edits a bullet into what the other adds; or adds a near duplicate of one that the other touches.
        _ => {
            let Some((section, at, key)) = ours.pick(chance) else { return false };
            let old = ours.file.sections[section].items[at].bullet().expect("picked").clone();
            if old.head.len() > 1 || !old.extra.is_empty() || !old.kids.is_empty() {
                return false;
            }
            let text = chance.small_edit(&old.head[0]);
            if ours.has(section, &text) || theirs.has(section, &text) {
                return false;
            }
            let swap = chance.percent(50);
            let (editor, adder) = if swap { (theirs, ours) } else { (ours, theirs) };
            let mut bullet = Bullet::new(adder.first + 49, text.clone());
            if chance.percent(40) {
                // Not the same: a duplicate of the old text, beside it.
                let same = chance.small_edit(&text);
                bullet.head[0] = same.clone();
                if adder.ids {
                    bullet.set("id", &id(&same));
                }
            }
            adder.says(format!("add {:?} beside {:?}", bullet.head[0], old.head[0]));
            adder.first += 50;
            adder.file.sections[section].items.insert(at + 1, Item::Bullet(bullet));
            editor.file.bullet_mut(key).expect("in both").head[0].clone_from(&text);
            editor.says(format!("edit {:?} to {text:?}", old.head[0]));
            true
        }
    }
}

/// The same section with identities of its own.
fn rekeyed(section: &Section, key: Key) -> Section {
    let mut copy = section.clone();
    copy.key = key;
    for (i, item) in copy.items.iter_mut().enumerate() {
        if let Item::Bullet(bullet) = item {
            bullet.key = key + 1 + i as Key;
        }
    }
    copy
}
