//! A batch on its way: carries out what the protocol says, by system calls, and tells it what came of each.
//!
//! Never decides what comes next: that is `protocol.rs`.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::journal::Journal;
use super::line::{Intent, IntentFile, end_line, intent_line};
use super::platform::{self, Name};
use super::protocol::{Action, Ending, Kind, Machine, Place, Seen, Text, Verdict};
use super::root::{Plain, Root, contents, last, open_plain, refusal_to_write};
use super::{Durability, Options, slot};
use crate::change::{Etag, Version};
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
    /// A text in hand.
    pub fn new(bytes: Arc<Vec<u8>>, etag: Etag, mode: u32) -> Known {
        Known { bytes: Some(bytes), etag, mode }
    }

    /// The text a plan was made on; known by its etag alone where the plan did not keep the bytes.
    pub fn of(v: &Version) -> Known {
        let kept = !v.bytes.is_empty() || v.etag == Etag::of(b"");
        Known { bytes: kept.then(|| v.bytes.clone()), etag: v.etag, mode: v.mode }
    }

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
    /// A file that nothing was done to yet.
    pub fn new(path: MemoryPath, kind: Kind, slot: String, base: Option<Known>, ours: Option<Known>) -> File {
        File { path, kind, slot, base, ours, inode: 0, parent: None, old: None }
    }

    /// A file of an intent, its texts known by their etags.
    pub fn of_intent(file: &IntentFile, rev: u64, number: usize) -> Option<File> {
        let base = file.before().map(|etag| Known::by_etag(etag, file.mode));
        let ours = file.after().map(|etag| Known::by_etag(etag, file.mode_after()));
        let named = File::new(file.path()?, file.kind(), slot::name(rev, number), base, ours);
        Some(File { inode: file.inode, ..named })
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
    /// Whether an earlier batch of its number left slots.
    pub orphans: bool,
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
        let answer = match action {
            Action::Look(Place::Target, i) if !self.begun => self.check(i),
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

    fn full(&self) -> bool {
        self.options.durability == Durability::Full
    }

    fn undo(&self) -> Result<BorrowedFd<'_>, Rejection> {
        match self.root.undo()? {
            Some(dir) => Ok(dir),
            None => Err(taken_away("'.memdir/undo/'")),
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
            Ok(Some(plain)) => self.judge(place, i, &plain),
            // A link, a directory, a file closed to us: somebody put it there.
            Err(r) if r.code == Code::UnsafeFile || self.is_there(place, i) => Ok(Text::Other),
            Err(r) => Err(r),
        }
    }

    fn is_there(&self, place: Place, i: usize) -> bool {
        let file = &self.files[i];
        match (place, &file.parent) {
            (Place::Slot, _) => self.undo().is_ok_and(|undo| platform::look(undo, &file.slot).is_ok()),
            (Place::Target, Some(dir)) => platform::look(dir, last(&file.path)).is_ok(),
            (Place::Target, None) => false,
        }
    }

    fn judge(&self, place: Place, i: usize, plain: &Plain) -> Result<Text, Rejection> {
        // Asked before the bytes are read: who writes and closes between the two must not go unseen.
        if platform::has_writer(&plain.fd) {
            return Ok(Text::Other);
        }
        self.compare(place, i, plain)
    }

    fn compare(&self, place: Place, i: usize, plain: &Plain) -> Result<Text, Rejection> {
        let bytes = match contents(plain, "a file of this change") {
            Err(r) if r.code == Code::TooLarge => return Ok(Text::Other),
            answer => answer?,
        };
        let file = &self.files[i];
        // What is forgotten was emptied when it came out; then this batch stands.
        let emptied = self.recovering && self.intent.forgotten && bytes.is_empty() && place == Place::Slot;
        if emptied && file.kind != Kind::Create {
            return Ok(Text::Base);
        }
        let mode = platform::mode(&plain.stat);
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
                let text = self.compare(Place::Target, i, &plain)?;
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
        // The first line of a journal waits for the folders it stands in.
        let begun = self.journal.as_ref().is_some_and(|journal| journal.size > 0);
        self.root.make_machine(begun && self.full())?;
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
        self.orphans |= written.orphan;
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
        let undo = self.undo()?;
        slot::free_orphans(undo, self.intent.rev, self.files.len(), self.orphans);
        // A recovery takes a new file whose slot is gone for done, so the slot's name must be on the disk first. The
        // slots of other kinds can be made again or are not needed.
        if self.full() && self.files.iter().any(|file| file.kind == Kind::Create) {
            platform::sync(undo).map_err(|e| refusal_to_write(e, "'.memdir/undo/'"))?;
        }
        let line = intent_line(&self.intent)?;
        if self.journal.is_none() {
            let Some(machine) = self.root.machine()? else {
                return Err(taken_away("'.memdir/'"));
            };
            *self.journal = Some(Journal::create(machine)?);
        }
        let Some(journal) = self.journal.as_mut() else { return Ok(Seen::Refused) };
        if journal.size == 0 && self.options.durability != Durability::Fast {
            self.root.sync_machine()?;
        }
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
        if ending == Ending::Done && self.intent.forgotten {
            // Who is killed between the end line and the freeing of the slots must leave no text in them.
            for file in self.files.iter().filter(|file| file.kind != Kind::Create) {
                slot::empty(self.undo()?, &file.slot)?;
            }
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
        let by_link = || platform::exchange_by_link(a, b, &slot::spare(&file.slot));
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

    /// Frees the slots of a batch that keeps no text, once it has ended.
    pub fn free_forgotten(&self) {
        if let Ok(Some(undo)) = self.root.undo()
            && self.intent.forgotten
        {
            self.files.iter().for_each(|file| drop(slot::free(undo, &file.slot)));
        }
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

/// Something is gone under an open handle.
pub fn taken_away(what: &str) -> Rejection {
    Rejection::new(Code::Busy, format!("{what} was taken away at this moment")).hint("run it again")
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
