//! A merge by hidden identities: what an engine that knew everything would write. With mutants of it, it judges the judge.
//!
//! Built from the truth alone.

use std::collections::BTreeMap;

use similar::{ChangeTag, TextDiff};

use super::change::Pair;
use super::model::{Block, Bullet, File, Item, Key, Section, Value};
use super::truth::{Expected, Truth, Want};

/// The text, with markers around what is in conflict.
pub fn ideal(pair: &Pair, truth: &Truth) -> String {
    let [ours, theirs] = [0, 1].map(|side| decided(pair, &truth.sides[side]).print());
    if truth.conflicts.is_empty() { ours } else { marked(&ours, &theirs) }
}

/// Two texts as one, markers around every difference.
pub fn marked(ours: &str, theirs: &str) -> String {
    let diff = TextDiff::from_lines(ours, theirs);
    let end = if ours.contains("\r\n") { "\r\n" } else { "\n" };
    let (mut out, mut mine, mut yours) = (String::new(), String::new(), String::new());
    let flush = |out: &mut String, mine: &mut String, yours: &mut String| {
        if !mine.is_empty() || !yours.is_empty() {
            let eol = |t: &str| if t.is_empty() || t.ends_with('\n') { "" } else { end };
            *out += &format!("<<<<<<< ours{end}{mine}{}||||||| base{end}", eol(mine));
            *out += &format!("======={end}{yours}{}>>>>>>> theirs{end}", eol(yours));
            mine.clear();
            yours.clear();
        }
    };
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => {
                flush(&mut out, &mut mine, &mut yours);
                out += change.value();
            }
            ChangeTag::Delete => mine += change.value(),
            ChangeTag::Insert => yours += change.value(),
        }
    }
    flush(&mut out, &mut mine, &mut yours);
    out
}

/// The file that holds exactly what is expected, in an order of its own.
fn decided(pair: &Pair, expected: &Expected) -> File {
    let mut file = pair.ours.clone();
    let (base, theirs) = (pair.base.style, pair.theirs.style);
    if file.style == base {
        file.style = theirs;
    }
    file.front = expected.front.iter().map(|(k, v)| (k.clone(), Value::One(v[0].clone()))).collect();
    for (key, value) in &mut file.front {
        let all = [&pair.ours, &pair.theirs, &pair.base];
        let list = all.iter().flat_map(|f| &f.front).any(|(k, v)| k == key && matches!(v, Value::Many(..)));
        if let (true, Value::One(text)) = (list, &*value) {
            *value = Value::Many(text.split(", ").map(str::to_owned).filter(|t| !t.is_empty()).collect(), false);
        }
    }
    let files = [&pair.ours, &pair.theirs, &pair.base];
    let find = |key: Key| files.iter().find_map(|f| f.section(key)).expect("a section of one of them");
    let mut sections: Vec<(String, Section)> = Vec::new();
    for heading in &expected.headings {
        let mut section = find(heading.key).clone();
        section.items.clear();
        section.title = heading.path.rsplit(" / ").next().unwrap_or_default().to_owned();
        sections.push((heading.path.clone(), section));
    }
    // Parents first: an outline in the order of paths, the H1 at the top.
    sections.sort_by(|a, b| a.0.cmp(&b.0));
    let mut homes: BTreeMap<Key, Vec<Item>> = BTreeMap::new();
    let mut kids: Vec<(String, String, Bullet)> = Vec::new();
    for want in &expected.wants {
        let fact = &want.options[0];
        if let Some(text) = fact.text.strip_prefix("¶ ") {
            let block = Block { key: want.key, lines: text.lines().map(str::to_owned).collect(), open: Vec::new() };
            homes.entry(home(&sections, want, &fact.path)).or_default().push(Item::Block(block));
            continue;
        }
        let mut bullet = Bullet::new(want.key, "");
        bullet.head = fact.text.lines().map(str::to_owned).collect();
        // A fence inside a bullet is written below the metadata line.
        if let Some(at) = bullet.head.iter().position(|l| l.starts_with("```")) {
            bullet.extra = bullet.head.split_off(at);
        }
        bullet.meta = fact.meta.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        match &fact.parent {
            Some(parent) => kids.push((fact.path.clone(), parent.clone(), bullet)),
            None => homes.entry(home(&sections, want, &fact.path)).or_default().push(Item::Bullet(bullet)),
        }
    }
    for items in homes.values_mut() {
        // New bullets behind old ones, as they were made.
        items.sort_by_key(Item::key);
    }
    file.sections = sections.iter().map(|(_, s)| s.clone()).collect();
    for section in &mut file.sections {
        section.items = homes.remove(&section.key).unwrap_or_default();
    }
    for (path, parent, kid) in kids {
        let Some(at) = sections.iter().position(|(p, _)| *p == path) else { continue };
        let mut bullets =
            file.sections[at].items.iter_mut().filter_map(|i| if let Item::Bullet(b) = i { Some(b) } else { None });
        if let Some(bullet) = bullets.find(|b| b.text() == parent) {
            bullet.kids.push(kid);
        }
    }
    let [base, ours, theirs] = [&pair.base, &pair.ours, &pair.theirs].map(|f| f.summary.clone().unwrap_or_default());
    let gone = |t: &String| base.contains(t) && !(ours.contains(t) && theirs.contains(t));
    let mut terms: Vec<String> = ours.iter().chain(&theirs).filter(|t| !gone(t)).cloned().collect();
    let mut seen = std::collections::BTreeSet::new();
    terms.retain(|t| seen.insert(t.clone()));
    while terms.len() > 10 || super::model::columns(&terms.join(", ")) > 100 {
        terms.remove(0);
    }
    file.summary = (!terms.is_empty()).then_some(terms);
    file
}

/// The section of that path that contains a thing: where two entries share a title, its own.
fn home(sections: &[(String, Section)], want: &Want, path: &str) -> Key {
    let same: Vec<Key> = sections.iter().filter(|(p, _)| p == path).map(|(_, s)| s.key).collect();
    want.home.filter(|k| same.contains(k)).or(same.first().copied()).expect("the heading is expected")
}

/// Ways to spoil a text, each on one bullet line of it.
pub fn mutants(text: &str, base: &str, at: usize) -> Vec<(&'static str, String)> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut fence = false;
    let bullets: Vec<usize> = (0..lines.len())
        .filter(|&i| {
            fence ^= lines[i].trim_start().starts_with("```");
            !fence && ["- ", "* ", "+ "].iter().any(|m| lines[i].starts_with(m)) && lines[i].ends_with('\n')
        })
        .collect();
    if bullets.is_empty() {
        return Vec::new();
    }
    let at = bullets[at % bullets.len()];
    let with = |new: String| [&lines[..at].concat(), &new[..], &lines[at + 1..].concat()].concat();
    let line = lines[at];
    let half = (line.len() / 2..line.len()).find(|&i| line.is_char_boundary(i)).unwrap_or(line.len());
    let mut out = vec![
        ("dropped", with(String::new())),
        ("doubled", with(line.repeat(2))),
        ("halved", with(line[..half].trim_end().to_owned() + "\n")),
        ("indented", with(format!("    {line}"))),
    ];
    if lines.get(at + 1).is_some_and(|next| !next.trim().is_empty()) {
        out.push(("joined", with(line.trim_end().to_owned() + " ")));
    }
    let gone = base.lines().find(|l| l.starts_with("- ") && !text.contains(*l));
    out.extend(gone.map(|old| ("resurrected", with(format!("{line}{old}\n")))));
    out
}
