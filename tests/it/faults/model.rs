//! A disk that keeps only what was synced: the calls of a run played back on a file system in memory, of which any
//! state can be taken that a power cut may leave.
//!
//! Stricter than real file systems: a new name is on the disk only when its own directory was synced.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::trace::Call;
use super::workspace::Tree;

/// What a call did.
#[derive(Clone, Debug)]
enum Change {
    /// Names in directories: directory, name, the inode it leads to now.
    Names(Vec<(usize, String, Option<usize>)>),
    /// Bytes of a file at an offset.
    Bytes(usize, usize, Vec<u8>),
    /// A file's new length.
    Length(usize, usize),
    /// A directory's or file's changes so far are on the disk.
    Synced(usize),
    /// The answer was given.
    Answered,
}

/// The initial state and the changes since.
pub struct Disk {
    base: Image,
    changes: Vec<Change>,
    modes: BTreeMap<usize, u32>,
}

/// Inodes: directories and files.
#[derive(Clone, Debug, Default)]
pub struct Image {
    nodes: BTreeMap<usize, Node>,
    modes: BTreeMap<usize, u32>,
}

#[derive(Clone, Debug)]
enum Node {
    Dir(BTreeMap<String, usize>),
    File(Vec<u8>),
}

const ROOT: usize = 0;

impl Image {
    /// The content of a real directory.
    fn of(dir: &Path) -> Image {
        let mut image = Image::default();
        image.read(dir);
        image
    }

    fn read(&mut self, path: &Path) -> usize {
        let id = self.nodes.len();
        self.modes.insert(id, std::fs::metadata(path).unwrap().permissions().mode());
        if path.is_file() {
            self.nodes.insert(id, Node::File(std::fs::read(path).unwrap()));
            return id;
        }
        self.nodes.insert(id, Node::Dir(BTreeMap::new()));
        for entry in std::fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            let child = self.read(&entry.path());
            self.name(id, entry.file_name().to_str().unwrap(), Some(child));
        }
        id
    }

    fn name(&mut self, dir: usize, name: &str, to: Option<usize>) {
        // A name in a directory that never reached the disk is lost with it.
        let Some(Node::Dir(names)) = self.nodes.get_mut(&dir) else { return };
        match to {
            Some(id) => drop(names.insert(name.to_owned(), id)),
            None => drop(names.remove(name)),
        }
    }

    fn find(&self, at: usize, path: &str) -> Option<usize> {
        path.split('/').filter(|p| !matches!(*p, "" | ".")).try_fold(at, |at, part| match self.nodes.get(&at)? {
            Node::Dir(names) => names.get(part).copied(),
            Node::File(_) => None,
        })
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Names(all) => all.iter().for_each(|(dir, name, to)| self.name(*dir, name, *to)),
            Change::Bytes(id, at, bytes) => {
                let Some(Node::File(text)) = self.nodes.get_mut(id) else { return };
                let end = at + bytes.len();
                text.resize(text.len().max(end), 0);
                text[*at..end].copy_from_slice(bytes);
            }
            Change::Length(id, length) => {
                if let Some(Node::File(text)) = self.nodes.get_mut(id) {
                    text.resize(*length, 0);
                }
            }
            Change::Synced(_) | Change::Answered => {}
        }
    }

    /// What people see of it.
    pub fn seen(&self) -> Tree {
        let mut tree = self.tree();
        tree.retain(|path, text| text.is_some() && !path.contains("/.memdir/") && !path.starts_with("home/"));
        tree
    }

    /// Makes it real in an empty directory.
    pub fn write(&self, at: &Path) {
        self.write_dir(ROOT, at);
    }

    fn write_dir(&self, id: usize, at: &Path) {
        let Some(Node::Dir(names)) = self.nodes.get(&id) else { return };
        for (name, id) in names {
            let to = at.join(name);
            match &self.nodes[id] {
                Node::File(text) => {
                    std::fs::write(&to, text).unwrap();
                    let mode = self.modes.get(id).copied().unwrap_or(0o600);
                    std::fs::set_permissions(&to, PermissionsExt::from_mode(mode)).unwrap();
                }
                Node::Dir(_) => {
                    std::fs::create_dir(&to).unwrap();
                    self.write_dir(*id, &to);
                }
            }
        }
    }

    /// Everything in it.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        self.walk(ROOT, "", &mut tree);
        tree
    }

    fn walk(&self, at: usize, path: &str, tree: &mut Tree) {
        let Some(Node::Dir(names)) = self.nodes.get(&at) else { return };
        for (name, id) in names {
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            match self.nodes.get(id) {
                Some(Node::File(text)) => drop(tree.insert(path, Some(text.clone()))),
                _ => {
                    tree.insert(path.clone(), None);
                    self.walk(*id, &path, tree);
                }
            }
        }
    }
}

/// Where a descriptor leads, and from where it reads and writes.
#[derive(Clone, Copy)]
struct Open {
    id: usize,
    at: usize,
    append: bool,
}

/// The playing back of a trace.
struct Player<'a> {
    root: &'a str,
    now: Image,
    changes: Vec<Change>,
    open: BTreeMap<i64, Open>,
    next: usize,
}

impl Disk {
    /// Replays calls on the content of the directory in which they were made.
    pub fn of(dir: &Path, at: &Path, calls: &[Call]) -> Disk {
        let base = Image::of(dir);
        let next = base.nodes.len();
        let root = at.to_str().unwrap();
        let mut player = Player { root, now: base.clone(), changes: Vec::new(), open: BTreeMap::new(), next };
        calls.iter().filter(|c| c.answer.is_none_or(|a| a >= 0)).for_each(|call| player.play(call));
        let mut base = base;
        // New inodes exist from the beginning, empty; a name makes them seen.
        for (id, node) in &player.now.nodes {
            base.nodes.entry(*id).or_insert_with(|| match node {
                Node::Dir(_) => Node::Dir(BTreeMap::new()),
                Node::File(_) => Node::File(Vec::new()),
            });
        }
        Disk { base, changes: player.changes, modes: player.now.modes }
    }

    /// The state once everything is on the disk.
    pub fn last(&self) -> Image {
        self.image(self.changes.len(), &|_| true, None)
    }

    /// How many changes there were, syncs and the answer included.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether the answer was given before a change.
    pub fn answered(&self, end: usize) -> bool {
        self.changes[..end].iter().any(|c| matches!(c, Change::Answered))
    }

    /// The changes before `end` that no sync covers.
    pub fn loose(&self, end: usize) -> Vec<usize> {
        let synced = |i: usize| {
            let later = &self.changes[i + 1..end];
            later.iter().any(|c| matches!(c, Change::Synced(id) if touched(&self.changes[i]).contains(id)))
        };
        let real = |i: &usize| !matches!(self.changes[*i], Change::Synced(_) | Change::Answered);
        (0..end).filter(real).filter(|&i| !synced(i)).collect()
    }

    /// The state with those changes before `end` that `keep` selects; one write may be half done.
    pub fn image(&self, end: usize, keep: &dyn Fn(usize) -> bool, torn: Option<usize>) -> Image {
        let mut image = self.base.clone();
        for i in (0..end).filter(|&i| keep(i)) {
            match &self.changes[i] {
                Change::Bytes(id, at, bytes) if torn == Some(i) => {
                    image.apply(&Change::Bytes(*id, *at, bytes[..bytes.len() / 2].to_vec()));
                }
                change => image.apply(change),
            }
        }
        image.modes.clone_from(&self.modes);
        image
    }

    /// Whether a change is a write, which may be half done.
    pub fn is_write(&self, i: usize) -> bool {
        matches!(self.changes[i], Change::Bytes(..))
    }

    /// What is wrong with the order of things: a name that people see changed before the texts and the journal line
    /// that a recovery needs were on the disk, or the answer was given before all of it was.
    pub fn disorder(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for (end, change) in self.changes.iter().enumerate() {
            let loose = self.loose(end);
            if let Change::Names(names) = change
                && names
                    .iter()
                    .any(|(dir, name, to)| self.is_seen(end, *dir, name) && to.is_none_or(|id| self.is_file(id)))
                && let Some(i) = loose.iter().find(|&&i| self.is_needed(end, i))
            {
                wrong.push(format!("{change:?} before {:?} was synced", self.short(*i)));
            }
            if matches!(change, Change::Answered) {
                let kept = |i: usize| !loose.contains(&i);
                if self.image(end, &kept, None).seen() != self.image(end, &|_| true, None).seen() {
                    let loose: Vec<String> = loose.iter().map(|&i| self.short(i)).collect();
                    wrong.push(format!("answered before {} was synced", loose.join(", ")));
                }
            }
        }
        wrong
    }

    fn short(&self, i: usize) -> String {
        format!("{:?}", self.changes[i]).chars().take(80).collect()
    }

    fn is_file(&self, id: usize) -> bool {
        matches!(self.base.nodes.get(&id), Some(Node::File(_)))
    }

    /// Whether a name is one that people see.
    fn is_seen(&self, end: usize, dir: usize, name: &str) -> bool {
        !self.machine(end).contains(&dir) && name.ends_with(".md")
    }

    /// The directories below `.memdir/`.
    fn machine(&self, end: usize) -> BTreeSet<usize> {
        let mut image = self.base.clone();
        self.changes[..end].iter().for_each(|c| image.apply(c));
        ["memory/.memdir", "memory/.memdir/undo"].iter().filter_map(|path| image.find(ROOT, path)).collect()
    }

    /// Whether a recovery needs a change: texts in slots, and intents. An end line it can do without.
    fn is_needed(&self, end: usize, i: usize) -> bool {
        match &self.changes[i] {
            Change::Bytes(_, _, bytes) => !bytes.starts_with(b"{\"v\":1,\"end\":") && !bytes.starts_with(b"*\n"),
            // The journal's own name, and the folders that lead to it.
            Change::Names(names) => names.iter().any(|(dir, name, _)| {
                matches!(name.as_str(), ".memdir" | "journal" | "undo")
                    && (*dir == ROOT || self.machine(end).contains(dir) || name == ".memdir")
            }),
            _ => false,
        }
    }
}

fn touched(change: &Change) -> Vec<usize> {
    match change {
        Change::Names(all) => all.iter().map(|(dir, _, _)| *dir).collect(),
        Change::Bytes(id, ..) | Change::Length(id, _) => vec![*id],
        Change::Synced(_) | Change::Answered => Vec::new(),
    }
}

impl Player<'_> {
    fn play(&mut self, call: &Call) {
        let answer = call.answer.unwrap_or(0);
        match call.name.as_str() {
            "open" => self.opened(AT, call.name_at(0), call.args.get(1), answer),
            "openat" => self.opened(fd(call, 0), call.name_at(1), call.args.get(2), answer),
            "openat2" => self.opened(fd(call, 0), call.name_at(1), call.args.get(2), answer),
            "close" => drop(self.open.remove(&fd(call, 0))),
            "write" => self.written(fd(call, 0), call.text(1).unwrap_or_default(), answer),
            "ftruncate" => self.cut(fd(call, 0), call.number(1).unwrap_or(0)),
            "fsync" | "fdatasync" => {
                if let Some(open) = self.open.get(&fd(call, 0)) {
                    self.changes.push(Change::Synced(open.id));
                }
            }
            "fchmod" => self.permit(fd(call, 0), call.args.get(1)),
            "mkdir" => self.make(AT, call.name_at(0), Node::Dir(BTreeMap::new())),
            "mkdirat" => self.make(fd(call, 0), call.name_at(1), Node::Dir(BTreeMap::new())),
            "unlink" | "rmdir" => self.rename(vec![(AT, call.name_at(0), None)]),
            "unlinkat" => self.rename(vec![(fd(call, 0), call.name_at(1), None)]),
            "rename" => self.moved((AT, call.name_at(0)), (AT, call.name_at(1)), false),
            "renameat" | "renameat2" => {
                let swap = call.args.get(4).is_some_and(|flags| flags.contains("EXCHANGE"));
                self.moved((fd(call, 0), call.name_at(1)), (fd(call, 2), call.name_at(3)), swap);
            }
            "linkat" => {
                let unnamed = call.name_at(1).and_then(|name| name.strip_prefix("/proc/self/fd/")?.parse::<i64>().ok());
                let id = match unnamed {
                    Some(fd) => self.open.get(&fd).map(|open| open.id),
                    None => {
                        self.resolve(fd(call, 0), call.name_at(1)).and_then(|(dir, name)| self.now.find(dir, &name))
                    }
                };
                self.rename(vec![(fd(call, 2), call.name_at(3), id)]);
            }
            "exit_group" => self.answered(),
            _ => {}
        }
    }

    fn answered(&mut self) {
        if !self.changes.iter().any(|c| matches!(c, Change::Answered)) {
            self.changes.push(Change::Answered);
        }
    }

    fn put(&mut self, change: Change) {
        self.now.apply(&change);
        self.changes.push(change);
    }

    /// The directory and last name of a path; `None` outside the place.
    fn resolve(&self, at: i64, path: Option<String>) -> Option<(usize, String)> {
        let path = path?;
        let (from, path) = match path.strip_prefix('/') {
            Some(_) => (ROOT, path.strip_prefix(self.root)?.to_owned()),
            None if at == AT => (ROOT, path),
            None => (self.open.get(&at)?.id, path),
        };
        let parts: Vec<&str> = path.split('/').filter(|p| !matches!(*p, "" | ".")).collect();
        // The place's own things are none of the memory's.
        if from == ROOT && parts.first() == Some(&"home") {
            return None;
        }
        match parts.split_last() {
            None => Some((from, ".".into())),
            Some((last, above)) => Some((self.now.find(from, &above.join("/"))?, (*last).to_owned())),
        }
    }

    fn opened(&mut self, at: i64, path: Option<String>, flags: Option<&String>, answer: i64) {
        let Some((dir, name)) = self.resolve(at, path) else { return };
        let has = |flag: &str| flags.is_some_and(|f| f.contains(flag));
        let mut id = self.now.find(dir, &name);
        if has("O_TMPFILE") {
            id = Some(self.next);
            self.next += 1;
            self.now.nodes.insert(self.next - 1, Node::File(Vec::new()));
        } else if id.is_none() && has("O_CREAT") {
            self.make_in(dir, &name, Node::File(Vec::new()));
            id = self.now.find(dir, &name);
        }
        let Some(id) = id else { return };
        if has("O_TRUNC") {
            self.put(Change::Length(id, 0));
        }
        self.open.insert(answer, Open { id, at: 0, append: has("O_APPEND") });
    }

    fn written(&mut self, fd: i64, bytes: Vec<u8>, count: i64) {
        let Some(open) = self.open.get(&fd).copied() else {
            if fd == 1 {
                self.answered();
            }
            return;
        };
        let Some(Node::File(text)) = self.now.nodes.get(&open.id) else { return };
        let at = if open.append { text.len() } else { open.at };
        self.open.insert(fd, Open { at: at + count as usize, ..open });
        self.put(Change::Bytes(open.id, at, bytes[..count as usize].to_vec()));
    }

    fn permit(&mut self, fd: i64, mode: Option<&String>) {
        let mode = mode.and_then(|m| u32::from_str_radix(m.trim_start_matches('0'), 8).ok());
        if let (Some(open), Some(mode)) = (self.open.get(&fd), mode) {
            self.now.modes.insert(open.id, mode);
        }
    }

    fn cut(&mut self, fd: i64, length: i64) {
        if let Some(open) = self.open.get(&fd).copied() {
            self.put(Change::Length(open.id, length as usize));
        }
    }

    fn make(&mut self, at: i64, path: Option<String>, node: Node) {
        if let Some((dir, name)) = self.resolve(at, path) {
            self.make_in(dir, &name, node);
        }
    }

    fn make_in(&mut self, dir: usize, name: &str, node: Node) {
        let id = self.next;
        self.next += 1;
        self.now.nodes.insert(id, node);
        self.put(Change::Names(vec![(dir, name.to_owned(), Some(id))]));
    }

    fn rename(&mut self, names: Vec<(i64, Option<String>, Option<usize>)>) {
        let resolved = names.into_iter().filter_map(|(at, path, id)| {
            let (dir, name) = self.resolve(at, path)?;
            Some((dir, name, id))
        });
        let resolved: Vec<_> = resolved.collect();
        if !resolved.is_empty() {
            self.put(Change::Names(resolved));
        }
    }

    fn moved(&mut self, from: (i64, Option<String>), to: (i64, Option<String>), swap: bool) {
        let id = |player: &Self, at: &(i64, Option<String>)| {
            let (dir, name) = player.resolve(at.0, at.1.clone())?;
            player.now.find(dir, &name)
        };
        let (a, b) = (id(self, &from), id(self, &to));
        self.rename(vec![(from.0, from.1, if swap { b } else { None }), (to.0, to.1, a)]);
    }
}

/// The working directory.
const AT: i64 = -100;

fn fd(call: &Call, i: usize) -> i64 {
    call.number(i).unwrap_or(AT)
}
