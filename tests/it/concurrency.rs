//! Concurrency: many processes write, read and are killed at once; no acknowledged change is lost or applied twice.
//!
//! Small by default; with `MEMDIR_FULL=1` 32 writers × 1,000 operations, and the waits are held to a bound. A wait is a
//! whole acknowledged command, from before its store is opened until its answer; the median is that of all of them, also
//! of those without contention.

mod lock_waits;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fastrand::Rng;
use memdir::commands::results::ChangeOutcome;
use memdir::commands::{self, ChangeOptions, UndoOptions};
use memdir::store::{Durability, StoreOptions};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::memory::{DataDirectory, again, apply, full, path, rev};
use crate::support::open_session;

const WRITER: &str = "MEMDIR_TEST_GROUP_WRITER";
const READER: &str = "MEMDIR_TEST_GROUP_READER";

/// The processes of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WriterGroup {
    root: PathBuf,
    files: usize,
    writers: usize,
    operations: usize,
    readers: usize,
    /// One operation in this many is killed in the middle; 0: none.
    killed_one_in: usize,
    durable: bool,
    exchange: bool,
    /// Whether writers also take `.memdir/` away.
    removes_machine_dir: bool,
    /// Whether one reader more reads without asking for consistency: it must see half batches, or the run proves nothing.
    naive: bool,
}

impl WriterGroup {
    fn options(&self) -> StoreOptions {
        let durability = if self.durable { Durability::Full } else { Durability::Fast };
        StoreOptions {
            durability,
            allow_exchange: self.exchange,
            lock_timeout: Duration::from_secs(60),
            ..StoreOptions::default()
        }
    }

    fn log(&self, writer: usize) -> PathBuf {
        self.root.join(format!("log-{writer}"))
    }

    fn file(&self, n: usize) -> String {
        format!("facts/crowd-{}.md", n % self.files)
    }
}

/// What one operation takes away and brings: tokens, each unique in the whole run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Try {
    number: usize,
    added: Vec<Mark>,
    removed: Vec<Mark>,
    /// Whether `undo` may take it back.
    is_undoable: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Mark {
    text: String,
    file: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Line {
    Try(Try),
    /// Acknowledged, as this revision, after this number of microseconds.
    Done(usize, u64, u64),
    Refused(usize, String),
}

/// What a writer knows of its own texts.
#[derive(Default)]
struct Own {
    live: BTreeSet<Mark>,
    /// Revisions that may be undone, with what they did.
    undoable: Vec<(u64, Try)>,
    /// Tried and never answered: either all of it or none.
    unknown: Vec<Try>,
    next: usize,
    restarts: usize,
    waits: Vec<u64>,
    refused: Vec<String>,
    done: usize,
}

impl Own {
    fn read(log: &Path) -> Own {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let mut own = Own::default();
        let mut open: Option<Try> = None;
        // A line torn by a kill names an operation that had not begun, or an answer that was not received.
        for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match line {
                Line::Try(next) => {
                    own.lose(open.replace(next));
                    own.next += 1;
                }
                Line::Done(_, rev, wait) => own.take(open.take().unwrap(), rev, wait),
                Line::Refused(_, why) => {
                    open = None;
                    own.refused.push(why);
                }
            }
        }
        own.lose(open);
        own
    }

    fn lose(&mut self, open: Option<Try>) {
        let Some(open) = open else { return };
        self.restarts += 1;
        for mark in &open.removed {
            self.live.remove(mark);
        }
        self.unknown.push(open);
    }

    fn take(&mut self, done: Try, rev: u64, wait: u64) {
        self.waits.push(wait);
        self.done += 1;
        for mark in &done.removed {
            assert!(self.live.remove(mark), "{mark:?}");
        }
        self.live.extend(done.added.iter().cloned());
        if done.is_undoable {
            self.undoable.push((rev, done));
        }
    }

    /// The newest revision whose texts are all in place.
    fn next_undo(&mut self) -> Option<(u64, Try)> {
        let (rev, done) = self.undoable.pop()?;
        let back = Try { added: done.removed, removed: done.added, ..Try::default() };
        back.removed.iter().all(|mark| self.live.contains(mark)).then_some((rev, back))
    }

    fn one(&self, rng: &mut Rng) -> Option<Mark> {
        let mine: Vec<&Mark> = self.live.iter().filter(|m| m.text.starts_with('w')).collect();
        rng.choice(&mine).map(|mark| (*mark).clone())
    }

    fn pair(&self) -> Option<[Mark; 2]> {
        let mine: Vec<Mark> = self.live.iter().filter(|m| m.text.starts_with("pair")).cloned().collect();
        mine.try_into().ok()
    }
}

/// What a writer does next: the operations, or the revision to undo.
enum PlannedOperation {
    Apply(String),
    Undo(u64),
}

struct Writer<'a> {
    group: &'a WriterGroup,
    number: usize,
    rng: Rng,
    own: Own,
}

const SECTIONS: [&str; 3] = ["alpha", "beta", "gamma"];

impl Writer<'_> {
    fn fresh(&mut self, k: usize, part: usize) -> Mark {
        let file = self.group.file(self.rng.usize(..self.group.files));
        Mark { text: format!("w{}.{k}.{part}. likes it so", self.number), file }
    }

    fn add(&mut self, mark: &Mark) -> serde_json::Value {
        json!({"op": "add", "at": format!("{}#{}", mark.file, SECTIONS[self.rng.usize(..3)]), "text": mark.text})
    }

    fn plan(&mut self, k: usize) -> (Try, PlannedOperation) {
        let fresh = self.fresh(k, 0);
        let one = self.own.one(&mut self.rng);
        let many = self.own.live.len() > 24;
        let added = |added: Vec<Mark>, removed: Vec<Mark>| Try { number: k, added, removed, is_undoable: true };
        match (self.rng.usize(..if many { 10 } else { 14 }), one) {
            (0 | 1, Some(old)) => {
                let op = json!({"op": "rm", "at": old.file, "text": old.text});
                (added(vec![], vec![old]), PlannedOperation::Apply(json!([op]).to_string()))
            }
            (2, Some(old)) if many => {
                let op = json!({"op": "rm", "at": old.file, "text": old.text});
                (added(vec![], vec![old]), PlannedOperation::Apply(json!([op]).to_string()))
            }
            (3 | 4, Some(old)) => {
                let new = Mark { file: old.file.clone(), ..fresh };
                let op = json!({"op": "update", "at": old.file, "old": old.text, "text": new.text});
                (added(vec![new], vec![old]), PlannedOperation::Apply(json!([op]).to_string()))
            }
            (5, Some(old)) => {
                let new = Mark { file: old.file.clone(), ..fresh };
                let op = json!({"op": "patch", "at": old.file, "pairs": [{"old": old.text, "new": new.text}]});
                (added(vec![new], vec![old]), PlannedOperation::Apply(json!([op]).to_string()))
            }
            (6, _) => {
                let entry = Mark { file: "episodes/2026-02.md".into(), ..fresh };
                let entry = Mark { text: format!("title {}", entry.text), ..entry };
                let op = json!({"op": "append", "at": entry.file, "title": entry.text, "text": "- Lesson: none"});
                (added(vec![entry], vec![]), PlannedOperation::Apply(json!([op]).to_string()))
            }
            (7 | 8, _) => self.pair(k),
            // Revisions start again when the journal is gone: the number would name another change.
            (9, _) if !self.group.removes_machine_dir => match self.own.next_undo() {
                Some((rev, back)) => (Try { number: k, ..back }, PlannedOperation::Undo(rev)),
                None => self.plan(k),
            },
            (10, _) => {
                let more = self.fresh(k, 1);
                let ops = json!([self.add(&fresh), self.add(&more)]);
                // Two adds to one section in one batch would be one bullet below the other: that is allowed too.
                (added(vec![fresh, more], vec![]), PlannedOperation::Apply(ops.to_string()))
            }
            _ => {
                let ops = json!([self.add(&fresh)]);
                (added(vec![fresh], vec![]), PlannedOperation::Apply(ops.to_string()))
            }
        }
    }

    /// A batch over two files: both contain the same number.
    fn pair(&mut self, k: usize) -> (Try, PlannedOperation) {
        let files = [self.group.file(self.number), self.group.file(self.number + 1)];
        match self.own.pair() {
            Some(old) => {
                let name = old[0].text.split('=').next().unwrap();
                let new = old.clone().map(|m| Mark { text: format!("{name}={k}."), file: m.file });
                let op = |i: usize| json!({"op": "update", "at": old[i].file, "old": old[i].text, "text": new[i].text});
                let ops = json!([op(0), op(1)]).to_string();
                (
                    Try { number: k, added: new.into(), removed: old.into(), is_undoable: true },
                    PlannedOperation::Apply(ops),
                )
            }
            None => {
                let new = files.map(|file| Mark { text: format!("pair{}-{k}={k}.", self.number), file });
                let op = |i: usize| json!({"op": "add", "at": new[i].file, "text": new[i].text});
                let ops = json!([op(0), op(1)]).to_string();
                (
                    Try { number: k, added: new.into(), removed: vec![], is_undoable: false },
                    PlannedOperation::Apply(ops),
                )
            }
        }
    }
}

/// Ends this process in the middle of what it does: if it can, while it holds the lock.
fn kill_self_soon(rng: &mut Rng) {
    let delay = Duration::from_micros(rng.usize(..1500) as u64);
    let holder = rng.usize(..4) > 0;
    std::thread::spawn(move || {
        let own = format!(" {} ", std::process::id());
        let holds = |line: &str| line.contains("FLOCK") && !line.contains("->") && line.contains(&own);
        while holder && !std::fs::read_to_string("/proc/locks").is_ok_and(|all| all.lines().any(holds)) {
            // Reading that file stops every lock of the machine for a moment.
            std::thread::sleep(Duration::from_micros(200));
        }
        let start = Instant::now();
        while start.elapsed() < delay {
            std::hint::spin_loop();
        }
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    });
}

/// One writer; a child process of the tests below.
fn writer(job: String) {
    let (group, number): (WriterGroup, usize) = serde_json::from_str(&job).unwrap();
    let own = Own::read(&group.log(number));
    let mut log = std::fs::OpenOptions::new().create(true).append(true).open(group.log(number)).unwrap();
    let rng = Rng::with_seed((number * 7919 + own.next * 31 + own.restarts) as u64 + 1);
    let mut writer = Writer { group: &group, number, rng, own };
    let mut log_line = |line: &Line| log.write_all(format!("\n{}\n", serde_json::to_string(line).unwrap()).as_bytes());
    while writer.own.next < group.operations {
        let k = writer.own.next;
        writer.own.next += 1;
        let (planned, operation) = writer.plan(k);
        log_line(&Line::Try(planned.clone())).unwrap();
        if group.killed_one_in > 0 && writer.rng.usize(..group.killed_one_in) == 0 {
            kill_self_soon(&mut writer.rng);
        }
        let started = Instant::now();
        let session = open_session(&group.root.join("memory"), &format!("w{number}"), "", group.options());
        let answer = match operation {
            PlannedOperation::Apply(json) => apply(&session, &json),
            PlannedOperation::Undo(rev) => {
                let query = UndoOptions { revision: Some(format!("r{rev}")), ..UndoOptions::default() };
                commands::undo(&session, &query, &ChangeOptions::default()).map(ChangeOutcome::Changed)
            }
        };
        let wait = started.elapsed().as_micros() as u64;
        match answer {
            Ok(answer) if rev(&answer) > 0 => {
                log_line(&Line::Done(k, rev(&answer), wait)).unwrap();
                writer.own.take(planned, rev(&answer), wait);
            }
            Ok(answer) => log_line(&Line::Refused(k, format!("nothing to do: {answer:?}"))).unwrap(),
            Err(why) => {
                assert_eq!(why.rejections[0].changed, Some(false), "{why:?}");
                log_line(&Line::Refused(k, why.rejections[0].to_string())).unwrap();
            }
        }
        if group.removes_machine_dir && writer.rng.usize(..12) == 0 {
            let _ = std::fs::rename(group.root.join("memory/.memdir"), group.root.join(format!("gone-{number}-{k}")));
        }
    }
}

/// One reader without a lock; a child process of the tests below.
fn reader(job: String) {
    let (group, naive): (WriterGroup, bool) = serde_json::from_str(&job).unwrap();
    let session = open_session(&group.root.join("memory"), "reader", "", group.options());
    let (mut readings, mut halves) = (0, 0);
    while !group.root.join("stop").exists() {
        let read = || {
            let found = session.store.walk(None).unwrap();
            let read = |f: &memdir::store::FoundFile, read: Result<(&[u8], bool), memdir::code::Rejection>| {
                let text = read.map(|(bytes, _)| String::from_utf8(bytes.to_vec()).unwrap());
                (f.path.to_string(), text)
            };
            session.store.map_files(&found, 1 << 20, &read)
        };
        let texts = if naive { Ok(read()) } else { session.store.consistent(read) };
        let mut pairs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, text) in texts.unwrap() {
            let text = text.unwrap_or_else(|why| panic!("{path}: {why}"));
            assert!(text.ends_with('\n'), "{path} is torn");
            for line in text.lines().filter_map(|line| line.strip_prefix("- pair")) {
                let (name, value) = line.split_once('=').unwrap();
                pairs.entry(name.to_owned()).or_default().push(value.to_owned());
            }
        }
        for (name, values) in pairs {
            let whole = values.len() == 2 && values[0] == values[1];
            assert!(whole || naive, "half a batch: pair{name} is {values:?}");
            halves += usize::from(!whole);
        }
        readings += 1;
        // On few cores a reader that never rests keeps the lock's holder from running.
        std::thread::sleep(Duration::from_millis(2));
    }
    let (kind, count) = if naive { ("halves", halves) } else { ("readings", readings) };
    std::fs::write(group.root.join(format!("{kind}-{}", std::process::id())), count.to_string()).unwrap();
}

fn run(memory: &DataDirectory, group: &WriterGroup) -> Vec<Own> {
    for n in 0..group.files {
        memory.write(&group.file(n), "# C\n\n## Alpha\n\n- seed a\n\n## Beta\n\n- seed b\n\n## Gamma\n\n- seed c\n");
    }
    // Unchanged files make a read longer than the time between two writes.
    for n in 0..300 {
        memory.write(&format!("facts/quiet/{n}.md"), "# Q\n\n- quiet\n");
    }
    memory.write("episodes/2026-02.md", "# 2026-02 Episodes\n\n## Begin\n- Date: 2026-02-01\n");
    let reader = |n| {
        let job = serde_json::to_string(&(group, n == group.readers)).unwrap();
        again("concurrency::killed_lock_holders_lose_nothing_and_readers_see_whole_batches")
            .env(READER, job)
            .spawn()
            .unwrap()
    };
    let readers: Vec<_> = (0..group.readers + usize::from(group.naive)).map(reader).collect();
    std::thread::scope(|scope| {
        for number in 0..group.writers {
            scope.spawn(move || {
                let job = serde_json::to_string(&(group, number)).unwrap();
                loop {
                    let status = again("concurrency::killed_lock_holders_lose_nothing_and_readers_see_whole_batches")
                        .env(WRITER, &job)
                        .status()
                        .unwrap();
                    assert!(status.success() || status.code().is_none(), "writer {number} gave up: {status}");
                    if status.success() {
                        break;
                    }
                }
            });
        }
    });
    std::fs::write(group.root.join("stop"), "").unwrap();
    for mut reader in readers {
        assert!(reader.wait().unwrap().success(), "a reader saw what it must not");
    }
    (0..group.writers).map(|n| Own::read(&group.log(n))).collect()
}

/// How often each text occurs in each file.
fn census(memory: &DataDirectory) -> BTreeMap<Mark, usize> {
    let mut census = BTreeMap::new();
    for entry in walkdir::WalkDir::new(memory.path("")).into_iter().flatten() {
        let hidden = entry.path().components().any(|c| c.as_os_str() == ".memdir");
        if hidden || entry.path().extension().is_none_or(|e| e != "md") {
            continue;
        }
        let file = entry.path().strip_prefix(memory.path("")).unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        for line in text.lines().filter(|l| l.starts_with("- ") || l.starts_with("## ")) {
            let mark = Mark { text: line.trim_start_matches(['#', '-', ' ']).to_owned(), file: file.to_owned() };
            *census.entry(mark).or_default() += 1;
        }
    }
    census
}

/// Every acknowledged operation that no acknowledged undo names is there exactly once; what was never answered is
/// there as a whole or not at all.
fn judge(memory: &DataDirectory, group: &WriterGroup, own: &[Own]) -> String {
    let census = census(memory);
    let count = |mark: &Mark| census.get(mark).copied().unwrap_or(0);
    let mut wrong = Vec::new();
    let mut known: BTreeSet<&Mark> = BTreeSet::new();
    for mark in own.iter().flat_map(|own| &own.live) {
        known.insert(mark);
        if count(mark) != 1 {
            wrong.push(format!("{mark:?} stands {} times", count(mark)));
        }
    }
    for open in own.iter().flat_map(|own| &own.unknown) {
        known.extend(open.added.iter().chain(&open.removed));
        let all = |marks: &[Mark], times| marks.iter().all(|m| count(m) == times);
        let new = all(&open.added, 1) && all(&open.removed, 0);
        let old = all(&open.added, 0) && all(&open.removed, 1);
        if !(new || old || group.removes_machine_dir) {
            wrong.push(format!("half of {open:?}"));
        }
    }
    for (mark, times) in census.iter().filter(|(mark, _)| !known.contains(mark)) {
        if ["w", "pair", "title"].iter().any(|own| mark.text.starts_with(own)) {
            wrong.push(format!("{mark:?} stands {times} times and should not"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    let mut waits: Vec<u64> = own.iter().flat_map(|own| own.waits.iter().copied()).collect();
    waits.sort_unstable();
    let mut report = String::new();
    let done: usize = own.iter().map(|own| own.done).sum();
    let killed: usize = own.iter().map(|own| own.restarts).sum();
    let refused: Vec<&String> = own.iter().flat_map(|own| &own.refused).collect();
    let (median, max) = (waits[waits.len() / 2], waits[waits.len() - 1]);
    let _ = write!(report, "{done} acknowledged, {killed} killed, {} refused, ", refused.len());
    let _ = write!(report, "wait median {median} us, p99 {} us, max {max} us", waits[waits.len() * 99 / 100]);
    for why in refused.iter().take(5) {
        let _ = write!(report, "\n  {why}");
    }
    if full() && !group.removes_machine_dir {
        assert!(max <= 5_000_000 && max <= 50 * median, "{report}");
    }
    // A refusal is no loss, but a run with mostly refusals proves nothing.
    assert!(refused.len() * 5 < done, "{report}");
    report
}

fn group(memory: &DataDirectory, writers: usize, operations: usize) -> WriterGroup {
    WriterGroup {
        root: memory.root().to_owned(),
        files: 6,
        writers,
        operations,
        readers: 2,
        killed_one_in: 12,
        durable: false,
        exchange: true,
        removes_machine_dir: false,
        naive: full(),
    }
}

#[test]
fn killed_lock_holders_lose_nothing_and_readers_see_whole_batches() {
    if let Ok(job) = std::env::var(READER) {
        return reader(job);
    }
    if let Ok(job) = std::env::var(WRITER) {
        return writer(job);
    }
    let memory = DataDirectory::new(&[]);
    let group = if full() {
        WriterGroup { files: 16, readers: 2, killed_one_in: 40, durable: true, ..group(&memory, 32, 1000) }
    } else {
        group(&memory, 8, 40)
    };
    let own = run(&memory, &group);
    let report = judge(&memory, &group, &own);
    let sum = |kind: &str| -> usize {
        let all = std::fs::read_dir(memory.root()).unwrap().flatten();
        let files = all.filter(|e| e.file_name().to_string_lossy().starts_with(kind));
        files.map(|e| std::fs::read_to_string(e.path()).unwrap().parse::<usize>().unwrap()).sum()
    };
    let (readings, halves) = (sum("readings-"), sum("halves-"));
    println!("group: {report}; {readings} readings, all whole; one that asks for less saw {halves} half batches");
    assert!(readings > 0 && (halves > 0 || !group.naive));
    assert_eq!(memory.run(&["status"]).status, 0);
    // The journal contains each revision once.
    let entries = memory.session("t").store.journal().unwrap();
    assert!(entries.windows(2).all(|two| two[0].rev < two[1].rev));
}

#[test]
fn processes_without_atomic_exchange_lose_nothing() {
    let memory = DataDirectory::new(&[]);
    let group = WriterGroup { exchange: false, naive: false, ..group(&memory, 4, 20) };
    let own = run(&memory, &group);
    println!("group without exchange: {}", judge(&memory, &group, &own));
}

#[test]
fn processes_whose_machine_state_is_removed_repeatedly_lose_no_acknowledged_change() {
    let memory = DataDirectory::new(&[]);
    let group =
        WriterGroup { killed_one_in: 0, removes_machine_dir: true, readers: 0, naive: false, ..group(&memory, 4, 30) };
    let own = run(&memory, &group);
    println!("group with vandals: {}", judge(&memory, &group, &own));
}

#[test]
fn a_reader_that_is_overtaken_by_a_batch_in_every_reading_still_sees_whole_ones() {
    let memory = DataDirectory::new(&[("facts/a.md", "- 0\n"), ("facts/b.md", "- 0\n")]);
    let (reads, writes) = (memory.session("reader").store, memory.session("writer"));
    let text = |name: &str| {
        let version = reads.read(&path(name)).unwrap();
        version.map(|v| String::from_utf8(v.bytes.to_vec()).unwrap()).unwrap_or_default()
    };
    let mut round = 0;
    for _ in 0..3 {
        let seen = reads.consistent(|| {
            let first = text("facts/a.md");
            let (last, gone) = (format!("facts/n{round}.md"), format!("facts/n{}.md", round + 1));
            round += 1;
            let mut ops = vec![
                json!({"op": "write", "at": "facts/a.md", "text": format!("- {round}\n")}),
                json!({"op": "write", "at": "facts/b.md", "text": format!("- {round}\n")}),
                json!({"op": "write", "at": gone, "text": "- n\n", "create": true}),
            ];
            if round > 1 {
                ops.push(json!({"op": "rm", "at": last}));
            }
            apply(&writes, &json!(ops).to_string()).unwrap();
            let walked = reads.walk(None).unwrap();
            let names: Vec<String> = walked.iter().map(|f| f.path.to_string()).collect();
            (first, text("facts/b.md"), names)
        });
        let (first, second, names) = seen.unwrap();
        assert_eq!(first, second);
        let number: usize = first.trim_start_matches("- ").trim().parse().unwrap();
        let made = (number > 0).then(|| format!("facts/n{number}.md"));
        assert_eq!(names, ["facts/a.md".to_owned(), "facts/b.md".into()].into_iter().chain(made).collect::<Vec<_>>());
    }
    assert_eq!(round, 6, "each reading was made twice");
}
