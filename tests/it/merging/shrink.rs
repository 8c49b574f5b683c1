//! Makes a failing pair small: things that all three files may lose are taken out as long as it fails in the same way.
//!
//! Works on the models, so that the truth stays known.

use std::collections::BTreeSet;

use super::change::Pair;
use super::model::{Bullet, File, Item, Key, Style};

/// Takes something out of a file.
type Step = Box<dyn Fn(&mut File)>;

/// The smallest pair found that still fails. Without ids a bullet is known by its neighbours: then only whole sections go.
pub fn shrink(mut pair: Pair, ids: bool, fails: impl Fn(&Pair) -> bool) -> Pair {
    let plain = Style { crlf: false, bom: false, open_end: false, loose: false, marker: '-', gap: true, above: 1 };
    let mut steps: Vec<Step> = vec![
        Box::new(|f| f.summary = None),
        Box::new(|f| f.front.clear()),
        Box::new(move |f| f.style = plain),
        Box::new(|f| f.sections.iter_mut().for_each(|s| s.ordered = false)),
        Box::new(|f| each_bullet(f, &|b| b.trail = false)),
    ];
    let files = [&pair.base, &pair.ours, &pair.theirs];
    let sections: BTreeSet<Key> =
        files.iter().flat_map(|f| &f.sections).filter(|s| s.level > 1).map(|s| s.key).collect();
    let blocks = files.iter().flat_map(|f| &f.sections).flat_map(|s| &s.items).map(Item::key);
    let items: BTreeSet<Key> = files.iter().flat_map(|f| f.bullets()).map(|b| b.key).chain(blocks).collect();
    let names: BTreeSet<String> =
        files.iter().flat_map(|f| f.bullets()).flat_map(|b| &b.meta).map(|m| m.0.clone()).collect();
    let keys: BTreeSet<String> = files.iter().flat_map(|f| &f.front).map(|(k, _)| k.clone()).collect();
    steps.extend(sections.into_iter().map(|key| -> Step { Box::new(move |f| f.sections.retain(|s| s.key != key)) }));
    let items = if ids { items } else { BTreeSet::new() };
    steps.extend(items.iter().map(|&key| -> Step { Box::new(move |f| without(f, key)) }));
    steps.extend(keys.into_iter().map(|key| -> Step { Box::new(move |f| f.front.retain(|(k, _)| *k != key)) }));
    steps.extend(
        names
            .into_iter()
            .filter(|n| n != "id")
            .map(|name| -> Step { Box::new(move |f| each_bullet(f, &|b| b.set(&name, ""))) }),
    );
    loop {
        let mut smaller = false;
        for step in &steps {
            let mut next = pair.clone();
            [&mut next.base, &mut next.ours, &mut next.theirs].into_iter().for_each(step);
            let texts = |p: &Pair| [&p.base, &p.ours, &p.theirs].map(|f| f.print());
            if texts(&next) != texts(&pair) && fails(&next) {
                (pair, smaller) = (next, true);
            }
        }
        if !smaller {
            return pair;
        }
    }
}

fn each_bullet(file: &mut File, change: &dyn Fn(&mut Bullet)) {
    let keys: Vec<Key> = file.bullets().iter().map(|b| b.key).collect();
    keys.into_iter().for_each(|key| change(file.bullet_mut(key).expect("it is there")));
}

fn without(file: &mut File, key: Key) {
    for section in &mut file.sections {
        section.items.retain(|i| i.key() != key);
        for item in &mut section.items {
            if let Item::Bullet(bullet) = item {
                bullet.kids.retain(|k| k.key != key);
            }
        }
    }
}
