//! The expected result of a merge, from the hidden identities: the rules of ARCHITECTURE.md, "Merging", done again.
//!
//! Never reads a printed text and is independent of the engine.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{File, Genre, Item, Key, Value};
use super::three_files::{Place, State, by_line, metas, pick, plain, states};

/// One thing as a reader of the merged text sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// Titles from the outermost heading down.
    pub path: String,
    /// The text of the bullet it hangs below.
    pub parent: Option<String>,
    pub text: String,
    pub meta: Meta,
}

pub type Meta = BTreeMap<String, String>;

/// A thing that must be there, in one of some ways.
#[derive(Clone, Debug)]
pub struct Want {
    pub key: Key,
    /// Its section, where that can be decided.
    pub home: Option<Key>,
    pub options: Vec<Fact>,
    /// It may be missing.
    pub optional: bool,
    /// Both sides changed it differently.
    pub clash: bool,
}

/// A heading that must be there.
#[derive(Clone, Debug)]
pub struct Heading {
    pub key: Key,
    pub path: String,
    pub optional: bool,
}

/// What a text must hold, once every conflict is decided for one side.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    pub wants: Vec<Want>,
    pub headings: Vec<Heading>,
    /// Key → the values it may have.
    pub front: BTreeMap<String, Vec<String>>,
}

/// The truth about a pair.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// What both sides changed differently.
    pub conflicts: Vec<String>,
    /// A question that no rule answers: such a pair is not judged.
    pub unsettled: Option<&'static str>,
    /// With every conflict decided for ours, and for theirs; the same twice where there is none.
    pub sides: [Expected; 2],
}

/// A thing of the merged file, before titles are known.
#[derive(Clone, Debug)]
struct Outcome {
    texts: Vec<String>,
    metas: Vec<Meta>,
    places: Vec<Place>,
    optional: bool,
    /// Both sides changed it differently.
    clash: bool,
}

/// The three files, and what is known of them so far.
struct Merging<'a> {
    files: [&'a File; 3],
    states: [BTreeMap<Key, State>; 3],
    truth: Truth,
}

/// The truth about a pair of files with a common base.
pub fn truth(base: &File, ours: &File, theirs: &File) -> Truth {
    let files = [base, ours, theirs];
    let mut merging = Merging { files, states: files.map(states), truth: Truth::default() };
    for side in 0..2 {
        let first = side == 0;
        let outcomes = merging.outcomes(side, first);
        let titles = merging.titles(side, &outcomes, first);
        merging.truth.sides[side].front = merging.front(side, first);
        let (wants, headings) = merging.facts(&outcomes, &titles);
        let wants = merging.united(wants);
        merging.truth.sides[side].wants = wants;
        merging.truth.sides[side].headings = headings;
    }
    merging.open_questions();
    merging.truth
}

impl Merging<'_> {
    fn conflict(&mut self, first: bool, what: String) {
        if first {
            self.truth.conflicts.push(what);
        }
    }

    fn keys(&self) -> BTreeSet<Key> {
        self.states.iter().flat_map(|s| s.keys().copied()).collect()
    }

    /// What becomes of each thing, conflicts decided for a side (0 ours, 1 theirs).
    fn outcomes(&mut self, side: usize, first: bool) -> BTreeMap<Key, Outcome> {
        let mut out = BTreeMap::new();
        // Trees that one side took out whole and the other touched.
        let mut torn: BTreeSet<Key> = BTreeSet::new();
        for key in self.keys() {
            let [base, ours, theirs] = [0, 1, 2].map(|i| self.states[i].get(&key).cloned());
            let root = [&base, &ours, &theirs].iter().find_map(|s| s.as_ref()).and_then(|s| s.place.1).unwrap_or(key);
            let root = if self.torn(root).is_some() { root } else { key };
            if let Some(kept) = self.torn(root) {
                let wins = kept == side + 1;
                if torn.insert(root) {
                    let text = self.states[kept][&root].text();
                    self.conflict(first, format!("{text:?} removed and changed"));
                }
                if let Some(state) = self.states[kept].get(&key).filter(|_| wins) {
                    // The part of the tree that only the remover touched may go or stay.
                    let touched = base.as_ref().is_none_or(|b| state.touched(b)) || key == root;
                    out.insert(key, Outcome { clash: true, ..Outcome::only(state, !touched) });
                }
                continue;
            }
            let outcome = match (base, ours, theirs) {
                (None, Some(state), None) | (None, None, Some(state)) => Some(Outcome::only(&state, false)),
                (None, Some(_), Some(_)) => {
                    self.truth.unsettled = Some("one identity, made twice");
                    None
                }
                (Some(base), Some(ours), Some(theirs)) => Some(self.three(side, first, &base, &ours, &theirs)),
                _ => None,
            };
            out.extend(outcome.map(|o| (key, o)));
        }
        out
    }

    /// For a thing of the base that one side removed while the other touched it or something below it: the other side.
    fn torn(&self, root: Key) -> Option<usize> {
        let base = self.states[0].get(&root)?;
        let kept = match (self.states[1].get(&root), self.states[2].get(&root)) {
            (None, Some(_)) => 2,
            (Some(_), None) => 1,
            // A child alone can be torn as well.
            _ => return None,
        };
        let state = &self.states[kept][&root];
        let below = self.states[kept].iter().filter(|(_, s)| s.place.1 == Some(root));
        let changed = |key: &Key, s: &State| {
            self.states[0]
                .get(key)
                .is_none_or(|b| s.lines != b.lines || s.touched(&State { place: s.place, ..b.clone() }))
        };
        (state.touched(base) || below.into_iter().any(|(key, s)| changed(key, s))).then_some(kept)
    }

    /// All three have it.
    fn three(&mut self, side: usize, first: bool, base: &State, ours: &State, theirs: &State) -> Outcome {
        let own = if side == 0 { ours } else { theirs };
        let name = base.text();
        let mut clash = false;
        let mut texts = match pick(&base.lines, &ours.lines, &theirs.lines) {
            Some(lines) => vec![State { lines: lines.clone(), ..own.clone() }.text()],
            None if base.text().starts_with("Updated: ") => vec![ours.text().max(theirs.text())],
            None if base.block => {
                let (lines, fine) = by_line(base, ours, theirs, side);
                let both = State { lines, ..own.clone() }.text();
                clash = !fine;
                if fine { vec![both] } else { vec![both, own.text()] }
            }
            None => {
                clash = true;
                vec![own.text()]
            }
        };
        if clash {
            self.conflict(first, format!("{name:?} edited twice"));
        }
        let (mut metas, fine) = metas(&base.meta, &ours.meta, &theirs.meta, side);
        if !fine {
            self.conflict(first, format!("metadata of {name:?} set twice"));
            texts.push(own.text());
            clash = true;
        }
        let mut places = match pick(&base.place, &ours.place, &theirs.place) {
            Some(place) => vec![*place],
            None => vec![ours.place, theirs.place],
        };
        if clash {
            metas.push(own.meta.clone());
            places.push(own.place);
        }
        Outcome { texts, metas, places, optional: false, clash }
    }

    /// The title of each section that is there, and whether it may be missing.
    fn titles(&mut self, side: usize, outcomes: &BTreeMap<Key, Outcome>, first: bool) -> BTreeMap<Key, (String, bool)> {
        let mut out = BTreeMap::new();
        let keys: BTreeSet<Key> = self.files.iter().flat_map(|f| f.sections.iter().map(|s| s.key)).collect();
        for key in keys {
            let [base, ours, theirs] = self.files.map(|f| f.section(key).map(|s| s.title.clone()));
            let needed = |optional: bool| {
                outcomes.values().any(|o| o.optional == optional && o.places.iter().any(|p| p.0 == key))
            };
            match (base, ours, theirs) {
                (None, Some(title), _) | (None, None, Some(title)) => {
                    out.insert(key, (title, false));
                }
                (Some(base), Some(ours), Some(theirs)) => {
                    let title = match pick(&base, &ours, &theirs) {
                        Some(title) => title.clone(),
                        None => {
                            self.conflict(first, format!("{base:?} renamed twice"));
                            if side == 0 { ours } else { theirs }
                        }
                    };
                    out.insert(key, (title, false));
                }
                (Some(base), Some(title), None) | (Some(base), None, Some(title)) => {
                    if base != title {
                        self.truth.unsettled = Some("a heading renamed and removed");
                    }
                    let kept = if self.files[1].section(key).is_some() { 1 } else { 2 };
                    let below = |f: &File| f.sections.iter().filter(|s| f.parent(s.key) == Some(key)).count();
                    if below(self.files[kept]) > below(self.files[0]) {
                        self.truth.unsettled = Some("a section below a removed one");
                    }
                    // Something in it is in conflict: the heading may frame it.
                    let frames = self.states[0].iter().any(|(k, s)| {
                        let kept = self.torn(*k);
                        kept.is_some_and(|kept| s.place.0 == key || self.states[kept][k].place.0 == key)
                    });
                    if needed(false) || needed(true) || frames {
                        out.insert(key, (title, !needed(false)));
                    }
                }
                _ => {}
            }
        }
        out
    }

    fn path(&self, key: Key, titles: &BTreeMap<Key, (String, bool)>) -> String {
        let file =
            self.files[1..].iter().chain([&self.files[0]]).find(|f| f.section(key).is_some()).expect("it is in one");
        let title = titles.get(&key).map_or("", |t| t.0.as_str());
        match file.parent(key) {
            Some(parent) => format!("{} / {title}", self.path(parent, titles)),
            None => title.to_owned(),
        }
    }

    fn facts(
        &mut self,
        outcomes: &BTreeMap<Key, Outcome>,
        titles: &BTreeMap<Key, (String, bool)>,
    ) -> (Vec<Want>, Vec<Heading>) {
        let mut wants = Vec::new();
        for (key, outcome) in outcomes {
            let mut options = Vec::new();
            for (section, parent) in &outcome.places {
                // The children of a moved bullet are placed with it.
                let homes = match parent.and_then(|p| outcomes.get(&p)) {
                    Some(above) => above.places.iter().map(|p| p.0).collect(),
                    None => vec![*section],
                };
                for home in homes {
                    let path = self.path(home, titles);
                    let parents = match parent.map(|p| outcomes.get(&p)) {
                        Some(Some(above)) => above.texts.iter().cloned().map(Some).collect(),
                        Some(None) => Vec::new(),
                        None => vec![None],
                    };
                    for parent in parents {
                        for text in &outcome.texts {
                            for meta in &outcome.metas {
                                let (path, parent) = (path.clone(), parent.clone());
                                options.push(Fact { path, parent, text: text.clone(), meta: meta.clone() });
                            }
                        }
                    }
                }
            }
            options.sort();
            options.dedup();
            if !options.is_empty() {
                let home = (outcome.places.len() == 1).then(|| outcome.places[0].0);
                wants.push(Want { key: *key, home, options, optional: outcome.optional, clash: outcome.clash });
            }
        }
        let mut headings: Vec<Heading> = Vec::new();
        for (key, (_, optional)) in titles {
            let path = self.path(*key, titles);
            match headings.iter_mut().find(|h| h.path == path) {
                None => headings.push(Heading { key: *key, path, optional: *optional }),
                Some(other) => {
                    let both_new = self.files[0].section(*key).is_none() && self.files[0].section(other.key).is_none();
                    if !both_new {
                        self.truth.unsettled = Some("a new heading named as an old one");
                    }
                    let content = |k: Key| {
                        let file = self.files[1..].iter().find(|f| f.section(k).is_some()).expect("new in one");
                        let of = |i: &Item| i.bullet().map(super::model::Bullet::text).unwrap_or_default();
                        file.section(k).expect("found").items.iter().map(of).collect::<BTreeSet<_>>()
                    };
                    if self.files[0].genre == Genre::Episodes && content(*key) != content(other.key) {
                        headings.push(Heading { key: *key, path, optional: *optional });
                    }
                }
            }
        }
        (wants, headings)
    }

    /// What both sides made equal, each on its own, is one.
    fn united(&mut self, wants: Vec<Want>) -> Vec<Want> {
        let mut out: Vec<Want> = Vec::new();
        for want in wants {
            let same = |a: &Fact, b: &Fact| a.path == b.path && a.parent == b.parent && a.text == b.text;
            let duplicate = out.iter().position(|o| same(&o.options[0], &want.options[0]));
            let Some(duplicate) = duplicate else {
                out.push(want);
                continue;
            };
            let at =
                |side: usize, key: Key| self.states[side].get(&key).is_some_and(|s| s.text() == want.options[0].text);
            let counts = [1, 2].map(|side| usize::from(at(side, out[duplicate].key)) + usize::from(at(side, want.key)));
            if counts.iter().any(|c| *c > 1) {
                if out[duplicate].clash || want.clash {
                    self.truth.unsettled = Some("equal to one side of a conflict");
                }
                out.push(want);
                continue;
            }
            let single = |w: &Want| w.options.iter().all(|o| same(o, &w.options[0])) && !w.optional;
            let alone = single(&out[duplicate]) && single(&want);
            let split = self.files[0].genre == Genre::Episodes
                && !self.states[0].contains_key(&want.key)
                && !self.same_entry(out[duplicate].key, want.key);
            if split {
                out.push(want);
                continue;
            }
            if !alone || counts != [1, 1] || out[duplicate].clash || want.clash {
                self.truth.unsettled = Some("two became equal that are not plain");
            }
            let mut options: Vec<Fact> = Vec::new();
            for one in &out[duplicate].options {
                for other in &want.options {
                    let (mine, yours) = (&one.meta, &other.meta);
                    let (metas, fine) = metas(&Meta::new(), mine, yours, 0);
                    if !fine {
                        self.truth.unsettled = Some("equal bullets with different metadata");
                    }
                    options.extend(metas.into_iter().map(|meta| Fact { meta, ..one.clone() }));
                }
            }
            out[duplicate].options = options;
        }
        out
    }

    /// Whether two new bullets are in entries that are one.
    fn same_entry(&self, one: Key, other: Key) -> bool {
        let home = |key: Key| self.states[1..].iter().find_map(|s| s.get(&key)).map(|s| s.place.0);
        let texts = |section: Option<Key>| -> BTreeSet<String> {
            let of = |s: &BTreeMap<Key, State>| {
                s.values().filter(|s| Some(s.place.0) == section).map(State::text).collect::<Vec<_>>()
            };
            self.states[1..].iter().flat_map(of).collect()
        };
        home(one) == home(other) || texts(home(one)) == texts(home(other))
    }

    fn front(&mut self, side: usize, first: bool) -> BTreeMap<String, Vec<String>> {
        let maps = self.files.map(|f| f.front.iter().cloned().collect::<BTreeMap<String, Value>>());
        let keys: BTreeSet<String> = maps.iter().flat_map(|m| m.keys().cloned()).collect();
        let mut out = BTreeMap::new();
        for key in keys {
            let [base, ours, theirs] = [0, 1, 2].map(|i| maps[i].get(&key).cloned());
            let sets = [&base, &ours, &theirs].map(|v| match v {
                Some(Value::Many(list, _)) => Some(list.iter().cloned().collect::<BTreeSet<_>>()),
                _ => None,
            });
            let value = match (sets, pick(&base, &ours, &theirs)) {
                ([old, Some(mine), Some(yours)], _) => {
                    let old = old.unwrap_or_default();
                    let stays = |v: &&String| !old.contains(*v) || mine.contains(*v) && yours.contains(*v);
                    let all: BTreeSet<&String> = mine.iter().chain(&yours).collect();
                    Some(all.into_iter().filter(stays).cloned().collect::<Vec<_>>().join(", "))
                }
                (_, Some(value)) => value.as_ref().map(plain),
                _ if key.ends_with("updated") => ours.as_ref().map(plain).max(theirs.as_ref().map(plain)),
                _ => {
                    self.conflict(first, format!("front matter {key} set twice"));
                    (if side == 0 { ours } else { theirs }).as_ref().map(plain)
                }
            };
            out.extend(value.map(|v| (key, vec![v])));
        }
        out
    }

    /// Pairs for which the rules define nothing.
    fn open_questions(&mut self) {
        let blocks = |side: usize| -> BTreeSet<Key> {
            let new = self.states[side].iter().filter(|(k, s)| s.block && !self.states[0].contains_key(*k));
            new.map(|(_, s)| s.place.0).collect()
        };
        if !blocks(1).is_disjoint(&blocks(2)) {
            self.truth.unsettled = Some("new prose of both sides in one section");
        }
        // Copies of one new thing, one of them changed since: by id they are one, by text they are two.
        let new = |side: usize| -> BTreeMap<&String, (String, Place)> {
            let new = self.states[side].iter().filter(|(k, _)| !self.states[0].contains_key(*k));
            new.filter_map(|(_, s)| Some((s.meta.get("id")?, (s.text(), s.place)))).collect()
        };
        let (mine, yours) = (new(1), new(2));
        if mine.iter().any(|(id, (text, _))| yours.get(id).is_some_and(|(other, _)| other != text)) {
            self.truth.unsettled = Some("one new id, two texts");
        }
        let headed = |side: usize| -> BTreeMap<&String, BTreeSet<String>> {
            let new = self.files[side].sections.iter().filter(|s| self.files[0].section(s.key).is_none());
            let texts = |s: &super::model::Section| {
                s.items.iter().filter_map(Item::bullet).map(super::model::Bullet::text).collect()
            };
            new.filter_map(|s| Some((s.id.as_ref()?, texts(s)))).collect()
        };
        let (mine, yours) = (headed(1), headed(2));
        let episodes = self.files[0].genre == Genre::Episodes;
        if episodes && mine.iter().any(|(id, texts)| yours.get(id).is_some_and(|other| other != texts)) {
            self.truth.unsettled = Some("one new entry, two contents");
        }
        // A bullet that both moved, one of them into a section that the other removed.
        for (key, base) in &self.states[0] {
            let (Some(a), Some(b)) = (self.states[1].get(key), self.states[2].get(key)) else { continue };
            let apart = a.place.0 != base.place.0 && b.place.0 != base.place.0 && a.place.0 != b.place.0;
            if apart
                && (self.files[1].section(b.place.0).is_none() || self.files[2].section(a.place.0).is_none())
                && self.files[0].section(a.place.0).is_some()
                && self.files[0].section(b.place.0).is_some()
            {
                self.truth.unsettled = Some("moved into a removed section by one of two");
            }
        }
    }
}

impl Outcome {
    fn only(state: &State, optional: bool) -> Outcome {
        Outcome {
            texts: vec![state.text()],
            metas: vec![state.meta.clone()],
            places: vec![state.place],
            optional,
            clash: false,
        }
    }
}
