//! Clones that change at random and sync at random: they end equal, nothing is lost, nothing deleted returns, and every
//! is left for a person is a true conflict — by this file's own bookkeeping, not by the engine's.
//!
//! Small in every run; five clones with 200 changes each with `MEMDIR_FULL`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use fastrand::Rng;

use crate::support::git_repo::Repo;
use crate::support::memory::full;

const FILES: [&str; 3] = ["user", "project", "procedures/release"];
const SECTIONS: [&str; 3] = ["", "#work", "#travel"];
const WORDS: [&str; 40] = [
    "amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "harbour", "indigo", "juniper", "kelp", "lagoon",
    "maple", "nectar", "onyx", "pebble", "quartz", "raven", "saffron", "tundra", "umber", "velvet", "willow", "yarrow",
    "zephyr", "anchor", "beacon", "copper", "dahlia", "elm", "falcon", "glacier", "heron", "iris", "jasper", "krill",
    "lichen", "mica", "nettle", "otter",
];

/// One wording of a fact.
#[derive(Clone, Debug)]
struct Version {
    key: usize,
    text: String,
    /// Whether this wording is no wording: the thing was removed.
    gone: bool,
}

/// The acknowledged changes: each wording, and which ones a later change replaced.
#[derive(Default)]
struct Truth {
    versions: Vec<Version>,
    replaced: BTreeSet<usize>,
    keys: usize,
    /// Things that were moved to another section.
    moved: BTreeSet<usize>,
    /// Facts that one clone removed and another moved: the person who decided may have kept them.
    kept: BTreeSet<usize>,
}

impl Truth {
    fn add_wording(&mut self, key: usize, text: String, gone: bool, parent: Option<usize>) -> usize {
        self.versions.push(Version { key, text, gone });
        self.replaced.extend(parent);
        self.versions.len() - 1
    }

    /// The current wordings of a fact: one, unless it was changed on two clones at once.
    fn heads(&self, key: usize) -> Vec<usize> {
        let own = |v: &usize| self.versions[*v].key == key && !self.replaced.contains(v);
        (0..self.versions.len()).filter(own).collect()
    }

    /// Which wording a text is.
    fn of(&self, text: &str) -> Option<usize> {
        self.versions.iter().position(|v| v.text == text && !v.gone)
    }
}

/// Clones, and what is known about them.
struct RandomSync {
    clones: Vec<Repo>,
    truth: Truth,
    rng: Rng,
    conflicts: usize,
    syncs: usize,
}

/// The bullets of a text, markers and their insides included once each side.
fn bullets(text: &str) -> Vec<String> {
    text.lines().filter_map(|l| l.strip_prefix("- ")).map(str::to_owned).collect()
}

impl RandomSync {
    fn new(clones: usize, seed: u64) -> RandomSync {
        let first = Repo::whole();
        first.hub();
        let mut truth = Truth::default();
        let mut rng = Rng::with_seed(seed);
        for file in ["facts/user.md", "facts/project.md", "procedures/release.md"] {
            let mut text = format!("# {}\n\n> Summary: things\n", file.rsplit('/').next().unwrap());
            for heading in ["", "\n## Work\n", "\n## Travel\n"] {
                text.push_str(heading);
                text.push('\n');
                for _ in 0..4 {
                    let (key, wording) = fresh(&mut truth, &mut rng);
                    text.push_str(&format!("- {wording}\n"));
                    truth.add_wording(key, wording, false, None);
                }
            }
            first.put(file, text);
        }
        first.memdir(["sync"]).exit(0);
        let others: Vec<Repo> = (1..clones).map(|n| first.hub_clone(&format!("clone {n}"))).collect();
        let clones: Vec<Repo> = std::iter::once(first).chain(others).collect();
        RandomSync { clones, truth, rng, conflicts: 0, syncs: 0 }
    }

    /// The bullets of a clone: file, text.
    fn standing(&self, clone: usize) -> Vec<(String, String)> {
        let paths = ["facts/user.md", "facts/project.md", "procedures/release.md"];
        let all = paths
            .iter()
            .flat_map(|path| bullets(&self.clones[clone].text(path)).into_iter().map(|b| ((*path).to_owned(), b)));
        all.collect()
    }

    /// One change on one clone.
    fn change(&mut self, clone: usize) {
        let standing = self.standing(clone);
        let kind = self.rng.usize(..10);
        if kind < 4 || standing.len() < 6 {
            let (key, wording) = fresh(&mut self.truth, &mut self.rng);
            let at = format!("{}{}", self.pick(&FILES), self.pick(&SECTIONS));
            let run_output = self.clones[clone].memdir(["add", &at, &wording]);
            if run_output.status == 0 {
                self.truth.add_wording(key, wording, false, None);
            }
            return;
        }
        let (file, text) = standing[self.rng.usize(..standing.len())].clone();
        let version = self.truth.of(&text).unwrap_or_else(|| panic!("nobody ever said {text:?}"));
        let key = self.truth.versions[version].key;
        let repo = &self.clones[clone];
        if kind < 7 {
            let wording = rephrased(&mut self.truth, &mut self.rng, key, &text);
            if repo.memdir(["update", &file, &text, &wording]).status == 0 {
                self.truth.add_wording(key, wording, false, Some(version));
            }
        } else if kind < 9 {
            let handle = format!("{file}@{}", crate::support::handle(&text));
            if repo.memdir(["rm", &handle]).status == 0 {
                self.truth.add_wording(key, String::new(), true, Some(version));
            }
        } else {
            let handle = format!("{file}@{}", crate::support::handle(&text));
            let to = format!("{file}{}", SECTIONS[1 + self.rng.usize(..2)]);
            if self.clones[clone].memdir(["mv", &handle, &to]).status == 0 {
                self.truth.moved.insert(key);
            }
        }
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.rng.usize(..of.len())]
    }

    /// Syncs a clone; what is left must be true conflicts, and is decided at random.
    fn sync(&mut self, clone: usize) {
        self.syncs += 1;
        for _ in 0..3 {
            let run_output = self.clones[clone].memdir(["sync", "--json"]);
            match run_output.status {
                0 => return,
                4 => self.decide(clone, &run_output.json()),
                _ => panic!("{run_output:#?}"),
            }
        }
        panic!("three decisions were not enough");
    }

    fn decide(&mut self, clone: usize, json: &serde_json::Value) {
        assert!(json.get("undecided").is_none(), "{json:#}");
        for file in json["conflicts"].as_array().unwrap() {
            let mut has_new_fact = false;
            for conflict in file["conflicts"].as_array().unwrap() {
                self.conflicts += 1;
                let sides: String = ["base", "ours", "theirs"].iter().filter_map(|s| conflict[*s].as_str()).collect();
                let keys: BTreeSet<usize> = bullets(&sides)
                    .iter()
                    .filter_map(|b| self.truth.of(b))
                    .map(|v| self.truth.versions[v].key)
                    .collect();
                // One side removed what the other moved: a person decides this, too.
                let one_side = conflict["ours"] == "" || conflict["theirs"] == "";
                let moved = |key: &usize| one_side && self.truth.moved.contains(key);
                let contested = keys.iter().any(|key| self.truth.heads(*key).len() > 1 || moved(key));
                assert!(contested, "no true conflict: {conflict:#}");
                self.truth.kept.extend(keys.iter().filter(|key| moved(key)));
                // A bullet was removed, and another fact stands in its place: three texts do not tell whether that is
                // the old one in other words, so a person who takes one side may give up a fact of the other.
                let keys_of = |side: &str| -> BTreeSet<usize> {
                    let said = bullets(conflict[side].as_str().unwrap_or_default());
                    said.iter().filter_map(|b| self.truth.of(b)).map(|v| self.truth.versions[v].key).collect()
                };
                let base = keys_of("base");
                has_new_fact |= !base.is_empty() && !keys.is_subset(&base);
            }
            let how = if has_new_fact { "--both" } else { self.pick(&["--ours", "--theirs", "--both"]) };
            self.clones[clone].memdir(["resolve", file["path"].as_str().unwrap(), how]).exit(0);
        }
    }

    /// All clones are equal, and each acknowledged change is in them.
    fn check(&self) {
        let trees: Vec<String> = self.clones.iter().map(|repo| repo.git(["rev-parse", "HEAD^{tree}"])).collect();
        assert!(trees.windows(2).all(|pair| pair[0] == pair[1]), "{trees:?}");
        for repo in &self.clones {
            assert_eq!(repo.git(["status", "--porcelain"]), "");
        }
        let mut stands: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, text) in self.standing(0) {
            let version = self.truth.of(&text).unwrap_or_else(|| panic!("nobody ever said {text:?}"));
            *stands.entry(version).or_default() += 1;
        }
        for (version, times) in &stands {
            let wording = &self.truth.versions[*version];
            assert_eq!(*times, 1, "twice: {wording:?}");
            let kept = self.truth.kept.contains(&wording.key);
            assert!(kept || !self.truth.replaced.contains(version), "came back: {wording:?}");
        }
        for key in 0..self.truth.keys {
            let heads = self.truth.heads(key);
            let live: Vec<&usize> = heads.iter().filter(|v| !self.truth.versions[**v].gone).collect();
            let standing = live.iter().filter(|v| stands.contains_key(v)).count();
            match (heads.len(), live.len()) {
                (1, live) => assert_eq!(standing, live, "lost: {:?}", self.truth.versions[heads[0]]),
                (all, live) if all == live => assert!(standing >= 1, "all lost: {:?}", heads),
                _ => {}
            }
        }
    }
}

/// A new fact of eight words.
fn fresh(truth: &mut Truth, rng: &mut Rng) -> (usize, String) {
    let key = truth.keys;
    truth.keys += 1;
    let words: Vec<&str> = (0..8).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
    (key, format!("k{key}.0 {}", words.join(" ")))
}

/// The same in other words: one or two of eight differ, and so does its number.
fn rephrased(truth: &mut Truth, rng: &mut Rng, key: usize, text: &str) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    words[0] = format!("k{key}.{}", truth.versions.len());
    for _ in 0..1 + rng.usize(..2) {
        let at = 1 + rng.usize(..words.len() - 1);
        words[at] = WORDS[rng.usize(..WORDS.len())].to_owned();
    }
    words.join(" ")
}

fn storm(clones: usize, changes: usize, seed: u64) {
    let start = Instant::now();
    let mut storm = RandomSync::new(clones, seed);
    let mut left = vec![changes; clones];
    while left.iter().any(|n| *n > 0) {
        let clone = storm.rng.usize(..clones);
        if left[clone] == 0 {
            continue;
        }
        left[clone] -= 1;
        storm.change(clone);
        if storm.rng.usize(..8) == 0 {
            let clone = storm.rng.usize(..clones);
            storm.sync(clone);
        }
    }
    for round in 0..2 {
        for clone in 0..clones {
            storm.sync(if round == 0 { clone } else { clones - 1 - clone });
        }
    }
    (0..clones).for_each(|clone| storm.sync(clone));
    storm.check();
    println!(
        "{clones} clones × {changes} changes: {} syncs, {} conflicts, {} wordings of {} things in {:.1} s",
        storm.syncs,
        storm.conflicts,
        storm.truth.versions.len(),
        storm.truth.keys,
        start.elapsed().as_secs_f64()
    );
}

#[test]
fn clones_that_sync_at_random_end_equal_and_lose_nothing() {
    if full() { (1..=3).for_each(|seed| storm(5, 200, seed)) } else { storm(3, 20, 1) }
}

/// Adds a bullet and syncs, again and again, in a clone; returns the syncs that gave up.
fn add_and_sync(repo: &Repo, name: usize, times: usize) -> Vec<String> {
    let add_and_sync_once = |n: usize| {
        repo.memdir(["add", "user", &format!("Bullet {n} of clone {name}")]).exit(0);
        let run_output = repo.memdir(["sync"]);
        (run_output.status != 0).then(|| run_output.stderr.clone())
    };
    (0..times).filter_map(add_and_sync_once).collect()
}

#[test]
fn no_clone_gives_up_when_all_sync_at_once() {
    let (clones, times) = if full() { (8, 100) } else { (4, 4) };
    let first = Repo::whole();
    first.hub();
    first.memdir(["add", "user", "Prefers tabs"]).exit(0);
    first.memdir(["sync"]).exit(0);
    let others: Vec<Repo> = (1..clones).map(|n| first.hub_clone(&format!("clone {n}"))).collect();
    let repos: Vec<&Repo> = std::iter::once(&first).chain(&others).collect();
    let start = Instant::now();
    let gave_up: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = repos
            .iter()
            .copied()
            .enumerate()
            .map(|(name, repo)| scope.spawn(move || add_and_sync(repo, name, times)))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    println!("{clones} clones × {times} syncs: {} gave up, {:.1} s", gave_up.len(), start.elapsed().as_secs_f64());
    assert!(gave_up.is_empty(), "{} gave up: {gave_up:#?}", gave_up.len());
    (0..2).for_each(|_| repos.iter().for_each(|repo| drop(repo.memdir(["sync"]).exit(0))));
    let text = first.text("facts/user.md");
    for (name, n) in (0..clones).flat_map(|name| (0..times).map(move |n| (name, n))) {
        assert_eq!(text.matches(&format!("- Bullet {n} of clone {name}\n")).count(), 1, "{name} {n}");
    }
}
