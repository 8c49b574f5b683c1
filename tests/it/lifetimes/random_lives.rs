//! Random lives: facts are added, used, confirmed, changed, archived, restored, removed, undone and edited by hand while
//! days pass and clocks jump, and `prune` runs in between. After each step every text is where this file's own
//! bookkeeping says: none lost, none archived or purged early or late.
//!
//! Small in every run; 100,000 steps with `MEMDIR_FULL`.

use std::collections::BTreeMap;

use fastrand::Rng;
use jiff::civil::Date;
use jiff::{Span, ToSpan};
use memdir::code::Code;
use memdir::commands::prune::prune;
use memdir::commands::results::ChangeOutcome;
use memdir::commands::{self, ChangeOptions, Session, UndoOptions};
use memdir::document::Document;
use memdir::operation::dialects;

use crate::support::handle;
use crate::support::memory::{DataDirectory, full};

const POLICY: &str = "version: 2\nstamps: [added, upd]\nlifetimes:\n  - {at: facts/keep.md}\n  \
                      - {at: facts/**, unused: 60d, below: 3, purge: 30d}\nexpired: archive\n";
const PLACES: [&str; 4] = ["facts/a.md", "facts/a.md#work", "facts/b.md#deep-down", "facts/keep.md"];
const UNUSED_DAYS: i32 = 60;
const PURGE_DAYS: i32 = 30;
const BELOW: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FactPlace {
    Live,
    /// With the day of its purge.
    Archived(Option<Date>),
    Gone,
}

#[derive(Clone, Debug)]
struct Fact {
    file: &'static str,
    place: FactPlace,
    importance: Option<u8>,
    pinned: bool,
    expires: Option<Date>,
    /// What its metadata line says.
    changed: Option<Date>,
}

/// What is expected.
#[derive(Clone, Default)]
struct Expected {
    facts: BTreeMap<String, Fact>,
}

struct World {
    memory: DataDirectory,
    today: Date,
    /// The day on which uses began to be recorded.
    since: Option<Date>,
    /// Uses are not undone.
    used: BTreeMap<String, Date>,
    now: Expected,
    /// The states before each revision that can be undone.
    before: Vec<Expected>,
    facts: usize,
    pruned: [usize; 2],
}

impl World {
    fn new() -> World {
        let memory = DataDirectory::new(&[("memdir.yaml", POLICY)]);
        let today = "2026-01-01".parse().unwrap();
        let (used, before) = (BTreeMap::new(), Vec::new());
        World { memory, today, since: None, used, now: Expected::default(), before, facts: 0, pruned: [0, 0] }
    }

    fn session_on(&self, day: Date) -> Session {
        let mut session = self.memory.session("t");
        session.policy = memdir::policy::load(POLICY);
        session.now = day.at(12, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
        session
    }

    fn apply(&mut self, operation: serde_json::Value) -> bool {
        let batch = dialects::parse_batch(&serde_json::json!([operation]).to_string()).unwrap();
        let outcome = commands::change(&self.session_on(self.today), batch, &ChangeOptions::default())
            .unwrap_or_else(|why| panic!("{operation}: {why:?}"));
        let ChangeOutcome::Changed(result) = outcome else { panic!("{operation}") };
        if result.changed {
            self.before.push(self.now.clone());
        }
        result.changed
    }

    fn pick(&self, rng: &mut Rng, wanted: impl Fn(&Fact) -> bool) -> Option<(String, Fact)> {
        let fitting: Vec<_> = self.now.facts.iter().filter(|(_, fact)| wanted(fact)).collect();
        let n = (!fitting.is_empty()).then(|| rng.usize(..fitting.len()))?;
        Some((fitting[n].0.clone(), fitting[n].1.clone()))
    }

    fn new_text(&mut self) -> String {
        self.facts += 1;
        format!("Fact {} of the world", self.facts)
    }

    fn add(&mut self, rng: &mut Rng) {
        let (at, text) = (PLACES[rng.usize(..PLACES.len())], self.new_text());
        let importance = (rng.usize(..4) > 0).then(|| rng.usize(..6) as u8);
        let pinned = rng.usize(..12) == 0;
        let expires = (rng.usize(..5) == 0).then(|| self.today + Span::new().days(rng.usize(..90) as i64));
        let mut meta = serde_json::Map::new();
        importance.iter().for_each(|imp| drop(meta.insert("imp".into(), imp.to_string().into())));
        expires.iter().for_each(|exp| drop(meta.insert("exp".into(), exp.to_string().into())));
        if pinned {
            meta.insert("pin".into(), "true".into());
        }
        self.apply(serde_json::json!({"op": "add", "at": at, "text": text, "meta": meta, "create": true}));
        let file = at.split('#').next().unwrap();
        let changed = Some(self.today);
        let fact = Fact { file, place: FactPlace::Live, importance, pinned, expires, changed };
        self.now.facts.insert(text, fact);
    }

    fn prune(&mut self) {
        // A run that ends with an error still begins the record.
        self.since = self.since.or(Some(self.today).filter(|_| self.memory.path(".memdir").exists()));
        let result = prune(&self.session_on(self.today), &ChangeOptions::default());
        let result = result.unwrap_or_else(|why| panic!("{}: {why:?}", self.today));
        let before = self.now.clone();
        for (text, fact) in &mut self.now.facts {
            match fact.place {
                FactPlace::Live => {
                    let last = self.used.get(text).copied().max(fact.changed).max(self.since);
                    let age = self.since.and(last).map_or(0, |last| (self.today - last).get_days());
                    let expired = fact.expires.is_some_and(|exp| exp < self.today);
                    let has_rule = fact.file != "facts/keep.md";
                    let is_low = fact.importance.unwrap_or(5) < BELOW && !fact.pinned;
                    if expired || has_rule && is_low && age > UNUSED_DAYS {
                        let purge = has_rule.then(|| self.today + PURGE_DAYS.days());
                        fact.place = FactPlace::Archived(purge);
                        self.pruned[0] += 1;
                    }
                }
                FactPlace::Archived(Some(purge)) if purge <= self.today => {
                    fact.place = FactPlace::Gone;
                    self.pruned[1] += 1;
                }
                FactPlace::Archived(_) | FactPlace::Gone => {}
            }
        }
        if result.change.changed {
            self.before.push(before);
        }
    }

    /// A clock ten years off does nothing.
    fn jump(&self, rng: &mut Rng) {
        let tree = |what: &str| (what.to_owned(), self.texts());
        let before = tree("jump");
        for years in [-10, 10] {
            let day = self.today + Span::new().years(years).days(rng.usize(..20) as i64);
            match prune(&self.session_on(day), &ChangeOptions { dry_run: true, ..ChangeOptions::default() }) {
                Ok(result) => assert!(!result.change.changed, "{day}"),
                Err(why) => assert_eq!(why.code(), Code::ClockJumped, "{day}"),
            }
            if let Err(why) = prune(&self.session_on(day), &ChangeOptions::default()) {
                assert_eq!(why.code(), Code::ClockJumped);
            }
        }
        assert_eq!(tree("jump"), before);
    }

    fn undo(&mut self) {
        let Some(before) = self.before.pop() else { return };
        commands::undo(&self.session_on(self.today), &UndoOptions::default(), &ChangeOptions::default())
            .unwrap_or_else(|why| panic!("undo: {why:?}"));
        // What it brings back is in use.
        for (text, _) in before.facts.iter().filter(|(_, fact)| fact.place == FactPlace::Live) {
            if self.now.facts.get(text).is_none_or(|fact| fact.place != FactPlace::Live) {
                self.used.insert(text.clone(), self.today);
                self.since = self.since.or(Some(self.today));
            }
        }
        self.now = before;
    }

    /// A person appends a fact, or deletes one.
    fn edit_by_hand(&mut self, rng: &mut Rng) {
        self.before.clear();
        if rng.bool() {
            let text = self.new_text();
            let old = self.memory.text("facts/b.md");
            let old = if old.is_empty() { "# B\n\n".to_owned() } else { old };
            let imp = rng.usize(..4) as u8;
            let line = format!("- {text}\n  <!-- mem imp={imp} -->\n");
            self.memory.write("facts/b.md", &format!("{}\n\n{line}", old.trim_end()));
            let (file, place) = ("facts/b.md", FactPlace::Live);
            let importance = Some(imp);
            let fact = Fact { file, place, importance, pinned: false, expires: None, changed: None };
            self.now.facts.insert(text, fact);
        } else if let Some((text, fact)) = self.pick(rng, |fact| fact.place == FactPlace::Live) {
            let old = self.memory.text(fact.file);
            let mut skip = false;
            let kept = old.split_inclusive('\n').filter(|line| {
                skip = line.trim_end() == format!("- {text}") || skip && line.trim_start().starts_with("<!-- mem");
                !skip
            });
            let kept: String = kept.collect();
            self.memory.write(fact.file, &kept);
            self.now.facts.get_mut(&text).unwrap().place = FactPlace::Gone;
        }
    }

    fn step(&mut self, rng: &mut Rng) {
        let is_live = |fact: &Fact| fact.place == FactPlace::Live;
        let is_archived = |fact: &Fact| matches!(fact.place, FactPlace::Archived(_));
        match rng.usize(..24) {
            0..=4 => self.add(rng),
            5..=7 => {
                if let Some((text, fact)) = self.pick(rng, is_live) {
                    let item = format!("{}@{}", fact.file, handle(&text));
                    if self.memory.path(".memdir").exists() {
                        self.session_on(self.today).store.record_use(self.today, "read", "t", &[item]);
                        self.since = self.since.or(Some(self.today));
                        self.used.insert(text, self.today);
                    }
                }
            }
            8 => {
                if let Some((text, fact)) = self.pick(rng, is_live) {
                    let at = format!("{}@{}", fact.file, handle(&text));
                    self.apply(serde_json::json!({"op": "set", "at": at, "meta": {"upd": self.today.to_string()}}));
                    self.now.facts.get_mut(&text).unwrap().changed = Some(self.today);
                }
            }
            9 => {
                if let Some((text, fact)) = self.pick(rng, is_live) {
                    let new = self.new_text();
                    self.apply(serde_json::json!({"op": "update", "at": fact.file, "old": text, "text": new}));
                    self.now.facts.insert(new, Fact { changed: Some(self.today), ..fact });
                    self.now.facts.get_mut(&text).unwrap().place = FactPlace::Gone;
                }
            }
            10 => {
                if let Some((text, fact)) = self.pick(rng, is_live) {
                    let archive = rng.bool();
                    self.apply(serde_json::json!({"op": "rm", "at": fact.file, "text": text, "archive": archive}));
                    let place = if archive { FactPlace::Archived(None) } else { FactPlace::Gone };
                    self.now.facts.get_mut(&text).unwrap().place = place;
                }
            }
            11..=12 => {
                if let Some((text, fact)) = self.pick(rng, is_archived) {
                    let at = format!("archive/{}@{}", fact.file, handle(&text));
                    self.apply(serde_json::json!({"op": "restore", "at": at}));
                    let fact = self.now.facts.get_mut(&text).unwrap();
                    (fact.place, fact.changed) = (FactPlace::Live, Some(self.today));
                    self.used.insert(text, self.today);
                    self.since = self.since.or(Some(self.today));
                }
            }
            13 => {
                if let Some((text, fact)) = self.pick(rng, is_archived) {
                    let at = format!("archive/{}@{}", fact.file, handle(&text));
                    self.apply(serde_json::json!({"op": "rm", "at": at}));
                    self.now.facts.get_mut(&text).unwrap().place = FactPlace::Gone;
                }
            }
            14 => self.edit_by_hand(rng),
            15 => self.undo(),
            16 => self.jump(rng),
            17..=20 => self.prune(),
            _ => self.today += Span::new().days(1 + rng.usize(..25) as i64),
        }
    }

    /// The facts on disk: whether each is archived.
    fn texts(&self) -> BTreeMap<String, bool> {
        let mut found = BTreeMap::new();
        for folder in ["", "archive/"] {
            for file in ["facts/a.md", "facts/b.md", "facts/keep.md"] {
                let document = Document::parse(self.memory.text(&format!("{folder}{file}")));
                for bullet in 0..document.bullets().len() {
                    let text = document.bullet_text(bullet).into_owned();
                    assert!(found.insert(text.clone(), !folder.is_empty()).is_none(), "{text} stands twice");
                }
            }
        }
        found
    }

    fn check(&self, what: &str) {
        let expected = self.now.facts.iter().filter_map(|(text, fact)| match fact.place {
            FactPlace::Live => Some((text.clone(), false)),
            FactPlace::Archived(_) => Some((text.clone(), true)),
            FactPlace::Gone => None,
        });
        assert_eq!(self.texts(), expected.collect(), "{what}, {}", self.today);
    }
}

#[test]
fn random_lives_end_where_their_rules_say() {
    let (worlds, steps) = if full() { (100, 1000) } else { (4, 150) };
    let live_through = |seed: u64| {
        let (mut rng, mut world) = (Rng::with_seed(seed * 7919 + 11), World::new());
        for step in 0..steps {
            world.step(&mut rng);
            world.check(&format!("seed {seed}, step {step}"));
        }
        world.pruned
    };
    let pruned: Vec<[usize; 2]> = std::thread::scope(|scope| {
        let halves = [0, 1].map(|first| {
            let live_through = &live_through;
            scope.spawn(move || (first..worlds).step_by(2).map(live_through).collect::<Vec<_>>())
        });
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    let sum = |n: usize| pruned.iter().map(|counts| counts[n]).sum::<usize>() as u64;
    eprintln!("{} steps: {} archived by prune, {} purged", worlds * steps, sum(0), sum(1));
    assert!(sum(0) > worlds && sum(1) > worlds);
}
