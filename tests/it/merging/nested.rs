//! New bullets of both sides that hold a nested bullet of the same text: each keeps its own.
//!
//! Two bullets that differ hold two facts, however alike what hangs below them is.

use memdir::operation::merge::{ConflictLabels, merge};

use super::change::pair;
use super::model::{Bullet, Genre, Item};
use super::pairs::{BARE, BARE_MANY, IDS, IDS_MANY, count};
use super::random::Chance;
use super::reader::read;

#[test]
fn equal_nested_bullets_below_two_new_ones_are_two() {
    let (mut clean, mut all) = (0, 0);
    for series in [IDS, BARE, IDS_MANY, BARE_MANY] {
        for seed in 0..count(60) {
            let mut sides = pair(seed, series);
            let mut chance = Chance::new(seed ^ 0x6e65_7374);
            let nested = format!("related_to [[facts/{}#^{}]]", chance.word(), chance.word());
            let parents = [("ours", chance.bullet()), ("theirs", chance.bullet())]
                .map(|(name, text)| format!("{text}, which {name} wrote {}", chance.sentence()));
            if sides.base.genre != Genre::Facts {
                continue;
            }
            for (side, (key, text)) in
                [&mut sides.ours, &mut sides.theirs].into_iter().zip([5000, 6000].iter().zip(&parents))
            {
                let mut bullet = Bullet::new(*key, text.clone());
                bullet.kids.push(Bullet::new(key + 1, nested.clone()));
                if chance.percent(30) {
                    bullet.kids.push(Bullet::new(key + 2, chance.bullet()));
                }
                let items = &mut side.sections[0].items;
                let at = if chance.percent(60) { items.len() } else { chance.below(items.len() + 1) };
                items.insert(at, Item::Bullet(bullet));
            }
            let [base, ours, theirs] = [&sides.base, &sides.ours, &sides.theirs].map(|file| file.print());
            let merged = merge(&base, &ours, &theirs, &ConflictLabels::default());
            all += 1;
            if !merged.conflicts.is_empty() {
                continue;
            }
            clean += 1;
            let facts = read(&merged.text).facts;
            for parent in &parents {
                let own =
                    facts.iter().filter(|fact| fact.text == nested && fact.parent.as_ref() == Some(parent)).count();
                assert_eq!(
                    own, 1,
                    "{}:{seed} below {parent:?}\n---- base\n{base}\n---- ours\n{ours}\n---- theirs\n{theirs}\n---- got\n{}",
                    series.name, merged.text
                );
            }
        }
    }
    assert!(clean * 2 > all, "{clean} of {all} were merged without a conflict: the rest shows nothing");
}
