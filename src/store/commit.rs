//! Carries out what the protocol says, by system calls, and tells it what came of each.
//!
//! Never decides what comes next: that is `protocol.rs`.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::AtFlags;
use rustix::io::Errno;
use serde_json::Value;

use super::journal::{Intent, IntentFile, Journal, end_line, intent_line};
use super::platform::{self, Name};
use super::protocol::{Action, Ending, Kind, Machine, Place, Seen, Text, Verdict};
use super::root::{Plain, Root, contents, last, open_plain, refusal_to_write};
use super::{Committed, Durability, Locked, Options, Stopped, slot};
use crate::change::{Changeset, Etag, Header};
use crate::code::{Code, Rejection, Warning};
use crate::path::MemoryPath;

/// How long a file that somebody has open for writing is waited for.
const EDITOR: Duration = Duration::from_millis(200);
/// How often it is looked at meanwhile.
const GLANCE: Duration = Duration::from_millis(4);

/// A text that is known by its bytes, or by its etag alone.
#[derive(Clone)]
pub struct Known {
    bytes: Option<Arc<Vec<u8>>>,
    etag: Etag,
    mode: u32,
}

impl Known {
    /// A text that only its etag is known of.
    pub fn by_etag(etag: Etag, mode: u32) -> Known {
        Known { bytes: None, etag, mode }
    }

    fn is(&self, bytes: &[u8], mode: u32) -> bool {
        mode == self.mode
            && match &self.bytes {
                Some(known) => known[..] == *bytes,
                None => self.etag == Etag::of(bytes),
            }
    }
}

/// One file of a batch on its way.
pub struct File {
    /// Which.
    pub path: MemoryPath,
    /// What happens to it.
    pub kind: Kind,
    /// Its slot's name.
    pub slot: String,
    /// The text before.
    pub base: Option<Known>,
    /// The text after.
    pub ours: Option<Known>,
    /// The inode of the text after; 0 while it has none.
    pub inode: u64,
    parent: Option<OwnedFd>,
    old: Option<Plain>,
}

impl File {
    /// A file of an intent, its texts known by their etags.
    pub fn of_intent(file: &IntentFile, rev: u64, number: usize) -> Option<File> {
        Some(File {
            path: file.path()?,
            kind: file.kind(),
            slot: slot::name(rev, number),
            base: file.before().map(|etag| Known::by_etag(etag, file.mode)),
            ours: file.after().map(|etag| Known::by_etag(etag, file.mode_after())),
            inode: file.inode,
            parent: None,
            old: None,
        })
    }
}

/// Asked before each action, with its number; `false` stops there, as a crash would.
pub type Watch<'a> = &'a mut dyn FnMut(usize) -> bool;

/// A batch on its way.
pub struct Run<'a> {
    /// The data dir.
    pub root: &'a Root,
    /// How it is opened.
    pub options: &'a Options,
    /// The journal.
    pub journal: &'a mut Option<Journal>,
    /// What it says.
    pub intent: Intent,
    /// Its files.
    pub files: Vec<File>,
    /// Whether an interrupted batch is finished or undone, not a new one made.
    pub recovering: bool,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
    /// The first refusal.
    pub refused: Option<Rejection>,
    /// Whether its intent is in the journal.
    pub begun: bool,
    /// Whether its end is.
    pub ended: bool,
}

impl Run<'_> {
    /// Runs it to its end; `None` when the watch stopped it.
    pub fn run(&mut self, mut machine: Machine, watch: Watch<'_>) -> Option<(Verdict, Vec<usize>)> {
        let mut action = machine.start();
        for number in 0.. {
            if let Action::Finish(verdict) = action {
                return Some((verdict, machine.kept()));
            }
            if !watch(number) {
                return None;
            }
            let seen = self.act(action);
            action = machine.step(seen);
        }
        None
    }

    fn act(&mut self, action: Action) -> Seen {
        let checking = self.journal_is_untouched(action);
        let answer = match action {
            Action::Look(Place::Target, i) if checking => self.check(i),
            Action::Look(place, i) => self.look(place, i).map(Seen::Saw),
            Action::WriteSlot(i) if self.recovering => self.rebuild(i).map(|()| Seen::Ok),
            Action::WriteSlot(i) => self.write_slot(i).map(|()| Seen::Ok),
            Action::Intent => self.append_intent(),
            Action::Exchange(i) => self.exchange(i),
            Action::In(i) => self.rename(i, true),
            Action::Out(i) => self.rename(i, false),
            Action::Rescue(i) => self.rescue(i).map(|()| Seen::Ok),
            Action::SyncDirs => self.sync_dirs().map(|()| Seen::Ok),
            Action::End(ending) => self.append_end(ending).map(|()| Seen::Ok),
            Action::Finish(_) => Ok(Seen::Ok),
        };
        match answer {
            Ok(seen) => seen,
            Err(rejection) => {
                self.refused.get_or_insert(rejection);
                Seen::Refused
            }
        }
    }

    /// Whether a look at a target is the first one, on which the batch is based.
    fn journal_is_untouched(&self, action: Action) -> bool {
        match action {
            Action::Look(Place::Target, i) => {
                !self.recovering && self.files[i].inode == 0 && self.files[i].old.is_none()
            }
            _ => false,
        }
    }

    fn full(&self) -> bool {
        self.options.durability == Durability::Full
    }

    fn undo(&self) -> Result<BorrowedFd<'_>, Rejection> {
        match self.root.undo()? {
            Some(dir) => Ok(dir),
            None => Err(Rejection::new(Code::Io, "'.memdir/undo/' is gone")),
        }
    }

    /// The open folder of a file; `None` when it does not exist.
    fn parent(&mut self, i: usize) -> Result<Option<BorrowedFd<'_>>, Rejection> {
        if self.files[i].parent.is_none() {
            self.files[i].parent = self.root.parent(&self.files[i].path)?;
        }
        Ok(self.files[i].parent.as_ref().map(|dir| dir.as_fd()))
    }

    fn open(&mut self, place: Place, i: usize) -> Result<Option<Plain>, Rejection> {
        let shown = format!("'{}'", self.files[i].path);
        if place == Place::Slot {
            return open_plain(self.undo()?, &self.files[i].slot, &shown);
        }
        if self.parent(i)?.is_none() {
            return Ok(None);
        }
        let file = &self.files[i];
        match &file.parent {
            Some(dir) => open_plain(dir, last(&file.path), &shown),
            None => Ok(None),
        }
    }

    fn look(&mut self, place: Place, i: usize) -> Result<Text, Rejection> {
        match self.open(place, i) {
            Ok(None) => Ok(Text::Absent),
            Ok(Some(plain)) => self.judge(i, &plain),
            // A link, a directory …: somebody put it there.
            Err(r) if r.code == Code::UnsafeFile => Ok(Text::Other),
            Err(r) => Err(r),
        }
    }

    fn judge(&self, i: usize, plain: &Plain) -> Result<Text, Rejection> {
        // Asked before the bytes are read: who writes and closes between the two must not go unseen.
        if platform::has_writer(&plain.fd) {
            return Ok(Text::Other);
        }
        let bytes = match contents(plain, "a file of this change") {
            Err(r) if r.code == Code::TooLarge => return Ok(Text::Other),
            answer => answer?,
        };
        let file = &self.files[i];
        let mode = plain.stat.st_mode & 0o7777;
        let same_inode = plain.stat.st_ino == file.inode;
        let is = |known: &Option<Known>| known.as_ref().is_some_and(|k| k.is(&bytes, mode));
        // Where a recovery looks, inodes may be others than then: a backup was brought back.
        Ok(match (is(&file.base), is(&file.ours) && (same_inode || self.recovering)) {
            (true, true) if same_inode => Text::Ours,
            (true, _) => Text::Base,
            (false, true) => Text::Ours,
            (false, false) => Text::Other,
        })
    }

    /// The first look at a target: an editor that has it open for writing is waited for.
    fn check(&mut self, i: usize) -> Result<Seen, Rejection> {
        let started = Instant::now();
        loop {
            let Some(plain) = self.open(Place::Target, i)? else { return Ok(Seen::Saw(Text::Absent)) };
            if !platform::has_writer(&plain.fd) {
                let text = self.judge(i, &plain)?;
                self.files[i].old = Some(plain);
                return Ok(Seen::Saw(text));
            }
            if started.elapsed() > EDITOR {
                let path = &self.files[i].path;
                return Err(Rejection::new(Code::Busy, format!("'{path}' is open for writing in another program")));
            }
            std::thread::sleep(GLANCE);
        }
    }

    fn write_slot(&mut self, i: usize) -> Result<(), Rejection> {
        self.root.make_machine(self.full())?;
        if self.files[i].kind == Kind::Create && self.parent(i)?.is_none() {
            let made = self.root.make_parents(&self.files[i].path, self.full())?;
            self.intent.dirs.extend(made);
        }
        let undo = self.undo()?;
        let file = &self.files[i];
        let Some((bytes, mode)) = file.ours.as_ref().and_then(|k| Some((k.bytes.clone()?, k.mode))) else {
            return slot::free(undo, &file.slot);
        };
        let sync = self.options.durability != Durability::Fast;
        let written = slot::write(undo, &file.slot, &bytes, mode, file.old.as_ref(), sync)?;
        self.warnings.extend(written.warning);
        let file = &mut self.files[i];
        (file.inode, file.old) = (written.inode, None);
        self.intent.files[i].inode = written.inode;
        Ok(())
    }

    /// Makes a lost slot again, with the text that the target does not have, from the journal's edits.
    fn rebuild(&mut self, i: usize) -> Result<(), Rejection> {
        let gone = || Rejection::new(Code::HistoryGone, "an undo slot is gone and cannot be made again");
        let Some(plain) = self.open(Place::Target, i)? else { return Err(gone()) };
        let (file, entry) = (&self.files[i], &self.intent.files[i]);
        let now = contents(&plain, "a file of this change")?;
        let forward = file.base.as_ref().is_some_and(|k| k.etag == Etag::of(&now));
        let wanted = if forward { &file.ours } else { &file.base };
        let Some(wanted) = wanted else { return Err(gone()) };
        let text = entry.apply(&now, forward).filter(|text| Etag::of(text) == wanted.etag).ok_or_else(gone)?;
        slot::write(self.undo()?, &file.slot, &text, wanted.mode, Some(&plain), true).map(|_| ())
    }

    fn append_intent(&mut self) -> Result<Seen, Rejection> {
        let line = intent_line(&self.intent)?;
        if self.journal.is_none() {
            let Some(machine) = self.root.machine()? else {
                return Err(Rejection::new(Code::Io, "'.memdir/' is gone"));
            };
            *self.journal = Some(Journal::create(machine, self.options.durability != Durability::Fast)?);
        }
        let Some(journal) = self.journal.as_mut() else { return Ok(Seen::Refused) };
        journal.append(&line).map_err(|e| refusal_to_write(e, "the journal"))?;
        self.begun = true;
        if self.options.durability == Durability::Fast {
            return Ok(Seen::Ok);
        }
        match journal.sync() {
            Ok(()) => Ok(Seen::Ok),
            Err(e) => {
                self.refused = Some(refusal_to_write(e, "the journal"));
                Ok(Seen::Failed)
            }
        }
    }

    fn append_end(&mut self, ending: Ending) -> Result<(), Rejection> {
        let refused = |e| refusal_to_write(e, "the journal");
        if ending != Ending::Done && self.options.durability != Durability::Fast {
            // That it was put back must not reach the disk before the putting back does.
            let _ = self.sync_dirs();
        }
        let Some(journal) = self.journal.as_mut() else { return Ok(()) };
        journal.append(&end_line(self.intent.rev, ending)).map_err(refused)?;
        self.ended = true;
        // A lost `done` costs nothing: the slots say the same, and the next intent's sync carries it along.
        match ending {
            Ending::Done => Ok(()),
            _ if self.options.durability == Durability::Fast => Ok(()),
            _ => journal.sync().map_err(refused),
        }
    }

    fn exchange(&mut self, i: usize) -> Result<Seen, Rejection> {
        if self.parent(i)?.is_none() {
            return Ok(Seen::Stranger);
        }
        if self.recovering && matches!(platform::look(self.undo()?, &self.files[i].slot), Err(Errno::NOENT)) {
            let _ = self.rebuild(i);
        }
        let file = &self.files[i];
        let Some(dir) = &file.parent else { return Ok(Seen::Stranger) };
        let undo = self.undo()?;
        let (a, b) = (Name { dir: undo, name: &file.slot }, Name { dir: dir.as_fd(), name: last(&file.path) });
        let by_link = || platform::exchange_by_link(a, b, &format!("{}.old", file.slot));
        let answer = match self.options.exchange {
            true => match platform::exchange(a, b) {
                Err(e) if platform::lacking(e) => by_link(),
                answer => answer,
            },
            false => by_link(),
        };
        renamed(answer, &file.path)
    }

    fn rename(&mut self, i: usize, inwards: bool) -> Result<Seen, Rejection> {
        if self.parent(i)?.is_none() {
            if !inwards {
                return Ok(Seen::Stranger);
            }
            // The folder went with its file, or never came to be.
            self.root.make_parents(&self.files[i].path, self.full())?;
            self.parent(i)?;
        }
        let file = &self.files[i];
        let Some(dir) = &file.parent else { return Ok(Seen::Stranger) };
        let slot = Name { dir: self.undo()?, name: &file.slot };
        let target = Name { dir: dir.as_fd(), name: last(&file.path) };
        let (from, to) = if inwards { (slot, target) } else { (target, slot) };
        renamed(platform::rename_new(from, to), &file.path)
    }

    /// Moves a displaced text from its slot to `inbox/`, where people look.
    fn rescue(&mut self, i: usize) -> Result<(), Rejection> {
        let undo = self.undo()?;
        let (rev, file) = (self.intent.rev, &self.files[i]);
        for twin in 0..1000 {
            let path = rescue_path(rev, i, twin)?;
            self.root.make_parents(&path, self.full())?;
            let Some(inbox) = self.root.parent(&path)? else { continue };
            let from = Name { dir: undo, name: &file.slot };
            match platform::rename_new(from, Name { dir: inbox.as_fd(), name: last(&path) }) {
                Ok(()) => {
                    let _ = platform::sync(&inbox);
                    self.warnings.push(rescued(&path, Some(&file.path)));
                    return Ok(());
                }
                Err(Errno::NOENT) => return Ok(()),
                Err(Errno::EXIST) => {}
                Err(e) => return Err(refusal_to_write(e, &format!("'{path}'"))),
            }
        }
        Err(Rejection::new(Code::Io, "'inbox/' is full of rescued texts"))
    }

    fn sync_dirs(&mut self) -> Result<(), Rejection> {
        if self.options.durability != Durability::Full {
            return Ok(());
        }
        let mut synced: Vec<&str> = Vec::new();
        let mut answer = Ok(());
        for file in &self.files {
            let folder = file.path.parent();
            if synced.contains(&folder) {
                continue;
            }
            synced.push(folder);
            if let Some(dir) = &file.parent
                && let Err(e) = platform::sync(dir)
            {
                answer = Err(refusal_to_write(e, &format!("'{folder}/'")));
            }
        }
        answer
    }

    /// Takes away what an undone batch leaves behind: its own texts in slots, folders that it made.
    pub fn sweep(&mut self, kept: &[usize]) {
        let Ok(Some(undo)) = self.root.undo() else { return };
        for (i, file) in self.files.iter().enumerate() {
            if !kept.contains(&i) && file.kind != Kind::Remove {
                let _ = slot::free(undo, &file.slot);
            }
        }
        for dir in self.intent.dirs.iter().rev() {
            let (above, name) = dir.rsplit_once('/').unwrap_or(("", dir));
            if let Ok(Some(above)) = self.root.folder(above) {
                let _ = rustix::fs::unlinkat(&above, name, AtFlags::REMOVEDIR);
            }
        }
    }
}

fn renamed(answer: rustix::io::Result<()>, path: &MemoryPath) -> Result<Seen, Rejection> {
    match answer {
        Ok(()) => Ok(Seen::Ok),
        Err(Errno::EXIST | Errno::NOENT | Errno::ISDIR | Errno::NOTDIR | Errno::NOTEMPTY) => Ok(Seen::Stranger),
        Err(e) => Err(refusal_to_write(e, &format!("'{path}'"))),
    }
}

/// Where the displaced text of a file is kept.
pub fn rescue_path(rev: u64, file: usize, twin: usize) -> Result<MemoryPath, Rejection> {
    match twin {
        0 => MemoryPath::new(&format!("inbox/rescued-r{rev}-{file}.md")),
        n => MemoryPath::new(&format!("inbox/rescued-r{rev}-{file}-{n}.md")),
    }
}

/// The warning that a text was kept.
pub fn rescued(path: &MemoryPath, of: Option<&MemoryPath>) -> Warning {
    let what = match of {
        Some(of) => format!("a text of '{of}' that was saved at the same moment"),
        None => "a text that was saved at the same moment as an earlier change".to_owned(),
    };
    Warning::new(Code::Rescued, format!("{what} is kept as '{path}'")).detail("path", path.as_str())
}

impl Locked<'_> {
    /// Commits as [`Locked::commit`] does, asking before each action; for tests of crashes and strangers.
    #[doc(hidden)]
    pub fn commit_watched(
        &self,
        changeset: &Changeset,
        header: &Header,
        answer: Option<Value>,
        watch: Watch<'_>,
    ) -> Option<Result<Committed, Stopped>> {
        let rev = self.next.get();
        if self.spent.get() {
            let told = "an earlier change is still open; lock again, which finishes or undoes it";
            return Some(Err(Stopped::Rejected(Rejection::new(Code::OutcomeUnknown, told))));
        }
        if changeset.files.is_empty() {
            return Some(Ok(Committed { rev: rev.saturating_sub(1), warnings: Vec::new() }));
        }
        if let Err(rejection) = writable(changeset) {
            return Some(Err(Stopped::Rejected(rejection)));
        }
        let mut journal = self.journal.borrow_mut();
        let mut intent = Intent::new(rev, changeset, header, answer);
        let files = changeset.files.iter().zip(&mut intent.files).enumerate();
        let files: Vec<File> =
            files.map(|(i, (change, entry))| plan_file(change, entry, rev, i, self.store.options.new_mode)).collect();
        let mut run = Run {
            root: &self.root,
            options: &self.store.options,
            journal: &mut journal,
            intent,
            files,
            recovering: false,
            warnings: Vec::new(),
            refused: None,
            begun: false,
            ended: false,
        };
        let machine = Machine::commit(run.files.iter().map(|f| f.kind).collect());
        self.spent.set(true);
        let (verdict, kept) = run.run(machine, watch)?;
        self.spent.set(verdict == Verdict::Unknown || run.begun && !run.ended);
        if !matches!(verdict, Verdict::Done | Verdict::NotDurable | Verdict::Unknown) {
            run.sweep(&kept);
        }
        let appended = run.begun;
        let (warnings, refused, forget) = (run.warnings, run.refused, run.intent.forgotten);
        if appended {
            self.next.set(rev + 1);
        }
        if forget && matches!(verdict, Verdict::Done | Verdict::NotDurable) {
            self.free_slots(rev, changeset.files.len());
        }
        Some(answer_of(verdict, rev, warnings, refused))
    }

    fn free_slots(&self, rev: u64, files: usize) {
        if let Ok(Some(undo)) = self.root.undo() {
            for i in 0..files {
                let _ = slot::free(undo, &slot::name(rev, i));
            }
        }
    }
}

fn plan_file(
    change: &crate::change::FileChange,
    entry: &mut IntentFile,
    rev: u64,
    number: usize,
    new_mode: u32,
) -> File {
    if change.before.is_none() {
        entry.mode = change.mode.unwrap_or(new_mode);
    }
    let after = |bytes: &Arc<Vec<u8>>| Known {
        etag: entry.after().unwrap_or(Etag([0; 32])),
        bytes: Some(bytes.clone()),
        mode: entry.mode_after(),
    };
    File {
        path: change.path.clone(),
        kind: entry.kind(),
        slot: slot::name(rev, number),
        base: change.before.as_ref().map(base_of),
        ours: change.after.as_ref().map(after),
        inode: 0,
        parent: None,
        old: None,
    }
}

/// The text a plan was made on; by its etag alone where the plan did not keep the bytes.
fn base_of(v: &crate::change::Version) -> Known {
    let kept = !v.bytes.is_empty() || v.etag == Etag::of(b"");
    Known { bytes: kept.then(|| v.bytes.clone()), etag: v.etag, mode: v.mode }
}

/// What no commit may write, whatever planned it.
fn writable(changeset: &Changeset) -> Result<(), Rejection> {
    for (i, file) in changeset.files.iter().enumerate() {
        let path = &file.path;
        if let Some(why) = path.odd() {
            return Err(Rejection::new(Code::InvalidPath, format!("'{path}' cannot be written: {why}")));
        }
        if let Some(why) = path.not_for_new().filter(|_| file.before.is_none() && file.moved.is_none()) {
            return Err(Rejection::new(Code::InvalidPath, format!("'{path}' cannot be made: {why}")));
        }
        if file.before.is_none() && file.after.is_none() || changeset.files[..i].iter().any(|f| f.path == *path) {
            return Err(Rejection::new(Code::Internal, format!("the plan for '{path}' makes no sense")));
        }
        if file.after.as_ref().is_some_and(|bytes| bytes.len() as u64 > super::root::LARGEST) {
            return Err(Rejection::new(Code::TooLarge, format!("'{path}' would be larger than 64 MiB")));
        }
    }
    Ok(())
}

fn answer_of(
    verdict: Verdict,
    rev: u64,
    mut warnings: Vec<Warning>,
    refused: Option<Rejection>,
) -> Result<Committed, Stopped> {
    let why = refused.as_ref().map_or(String::new(), |r| format!(" ({})", r.message));
    match verdict {
        Verdict::Done | Verdict::NotDurable => {
            if verdict == Verdict::NotDurable {
                let told = format!("r{rev} stands, but a power cut may still undo it{why}");
                warnings.push(Warning::new(Code::NotDurable, told));
            }
            Ok(Committed { rev, warnings })
        }
        Verdict::Moved => Err(Stopped::Moved(warnings)),
        Verdict::Refused => Err(Stopped::Rejected(
            refused.unwrap_or_else(|| Rejection::new(Code::Io, "the change could not be written")),
        )),
        Verdict::Unknown => {
            let told = format!("the disk failed in the middle of r{rev}{why}; the next command finishes or undoes it");
            let mut rejection = Rejection::new(Code::OutcomeUnknown, told);
            rejection.changed = None;
            Err(Stopped::Rejected(rejection))
        }
    }
}
