//! `.memdir/usage`: on which day a bullet or file was last read or found, on this machine.
//!
//! Never takes the lock, never fails a command, and never holds a text or a question: one line for each answer, with
//! the day, the command, the caller, and the addresses of what was shown. An answer without addresses has a number
//! behind the command: the tokens of a context, 0 for a query that found nothing.

use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use jiff::civil::Date;
use rustix::fs::{AtFlags, FlockOperation};
use rustix::io::Errno;
use rustix::process::Resource;

use super::root::{unsafe_reason, write_all};
use super::{Store, platform};
use crate::document::Handle;
use crate::path::{MemoryPath, split_shown_address};

/// File name below `.memdir/`.
const USAGE_NAME: &str = "usage";
/// The word with which the first line begins: `since DAY SIZE`, the day of the first record and the size after the last
/// fold in bytes.
const SINCE: &str = "since";
/// Size above which the file is folded, in bytes; also, how much it grows between two folds.
const FOLD_ABOVE_BYTES: u64 = 1 << 20;
/// What a fold keeps at most, in bytes: handles of texts that changed since would else stay for ever.
const MAX_FOLDED_BYTES: usize = 1 << 20;
/// Largest file that is read or appended to, in bytes. Reached only where the file cannot be folded.
const MAX_USAGE_BYTES: u64 = 16 << 20;
/// Name of the next file while it is written, which only the holder of the file's lock does.
const NEXT_NAME: &str = "usage.new";
/// How often a record is written again because the file was replaced meanwhile.
const MAX_TRIES: usize = 3;

/// The last days of use, as far as they were recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageTable {
    /// The day on which recording began.
    pub since: Option<Date>,
    files: HashMap<String, FileUses>,
}

/// The last days of use of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FileUses {
    whole: Option<Date>,
    /// By handle as it was shown: a prefix that was unique in its file then.
    bullets: HashMap<String, Date>,
    /// The day of the last use of each section, by its slug.
    sections: HashMap<String, Date>,
}

/// One record: what one answer showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedUse {
    pub day: Date,
    pub command: String,
    /// The tokens of a context; 0 for an answer that showed nothing.
    pub count: Option<u64>,
    pub actor: String,
}

impl RecordedUse {
    /// Reads the records that no fold has joined yet. A move is recorded too, and no use.
    fn parse_all(text: &str) -> Vec<RecordedUse> {
        let parse = |line: &str| {
            let mut fields = line.split('\t');
            let day = fields.next()?.parse().ok()?;
            let (command, actor) = (fields.next()?, fields.next()?.to_owned());
            let (command, count) = command.split_once(' ').map_or((command, None), |(name, n)| (name, n.parse().ok()));
            let is_use = !matches!(command, "fold" | "mv");
            is_use.then_some(RecordedUse { day, command: command.to_owned(), count, actor })
        };
        text.lines().filter_map(parse).collect()
    }
}

impl UsageTable {
    /// Reads the lines of the file. A foreign or torn line counts for what can be read of it.
    pub fn parse(text: &str) -> UsageTable {
        let mut table = UsageTable::default();
        for line in text.lines() {
            let mut fields = line.split('\t');
            let first = fields.next().unwrap_or_default();
            if first == SINCE {
                table.since = table.since.or_else(|| fields.next()?.parse().ok());
                continue;
            }
            let Ok(day) = first.parse::<Date>() else { continue };
            fields.skip(2).filter(|item| !item.is_empty()).for_each(|item| table.add(item, day));
        }
        table
    }

    fn add(&mut self, item: &str, day: Date) {
        let (path, part) = split_shown_address(item);
        let uses = self.files.entry(path.to_owned()).or_default();
        let parts = match (part.strip_prefix('@'), part.strip_prefix('#')) {
            (Some(handle), _) => uses.bullets.entry(handle.to_owned()),
            (None, Some(slug)) => uses.sections.entry(slug.to_owned()),
            (None, None) => {
                uses.whole = uses.whole.max(Some(day));
                return;
            }
        };
        let last = parts.or_insert(day);
        *last = day.max(*last);
    }

    /// The last day on which a section was read, or found by its title.
    pub fn last_section_use(&self, path: &MemoryPath, slug: &str) -> Option<Date> {
        self.files.get(path.as_str())?.sections.get(slug).copied()
    }

    /// The bullets of a file that were shown, by handle as it was shown, with the last day.
    pub fn shown_bullets(&self, path: &MemoryPath) -> impl Iterator<Item = (&str, Date)> {
        let uses = self.files.get(path.as_str()).into_iter();
        uses.flat_map(|uses| uses.bullets.iter().map(|(shown, day)| (shown.as_str(), *day)))
    }

    /// The last day on which a bullet was shown; with `None`, on which its file was read as a whole.
    pub fn last_use(&self, path: &MemoryPath, handle: Option<Handle>) -> Option<Date> {
        let uses = self.files.get(path.as_str())?;
        match handle {
            None => uses.whole,
            Some(handle) => {
                let is_of = |shown: &str| handle.prefix(shown.len()) == *shown;
                uses.bullets.iter().filter(|(shown, _)| is_of(shown)).map(|(_, day)| *day).max()
            }
        }
    }

    /// The file of these days, one line for each day, without the files that `keep` refuses. Days beyond
    /// [`MAX_FOLDED_BYTES`] are left out, the oldest first. Recording then counts as begun on the last of them: what
    /// was left out seems used later than it was, never earlier.
    fn to_text(&self, keep: &dyn Fn(&str) -> bool) -> String {
        let mut by_day: std::collections::BTreeMap<Date, Vec<String>> = std::collections::BTreeMap::new();
        for (path, uses) in self.files.iter().filter(|(path, _)| keep(path)) {
            if let Some(day) = uses.whole {
                by_day.entry(day).or_default().push(path.clone());
            }
            for (sign, parts) in [('@', &uses.bullets), ('#', &uses.sections)] {
                for (part, day) in parts {
                    by_day.entry(*day).or_default().push(format!("{path}{sign}{part}"));
                }
            }
        }
        let (mut since, mut size, mut lines) = (self.since, 0, Vec::new());
        for (day, mut items) in by_day.into_iter().rev() {
            items.sort();
            // A fold keeps only the last day of each item, so the commands and callers of all are one.
            let line = format!("{day}\tfold\t-\t{}\n", items.join("\t"));
            size += line.len();
            if size > MAX_FOLDED_BYTES {
                since = since.max(Some(day));
                break;
            }
            lines.push(line);
        }
        let lines: String = lines.into_iter().rev().collect();
        let since = since.map_or_else(String::new, |day| format!("{SINCE}\t{day}\t{}\n", lines.len()));
        since + &lines
    }
}

impl Store {
    /// Records that these items were shown: paths, or addresses of sections and bullets. Best effort: what cannot be
    /// written is not recorded, and without `.memdir/` nothing is.
    pub fn record_use(&self, day: Date, command: &str, actor: &str, items: &[String]) {
        // A line break in a name would begin another record.
        let items: Vec<&str> =
            items.iter().map(String::as_str).filter(|item| !item.contains(char::is_control)).collect();
        if !items.is_empty() {
            self.record_line(day, command, actor, &items.join("\t"));
        }
    }

    /// Records an answer that counts as no use of any item, with its number. Best effort, too.
    pub fn record_count(&self, day: Date, command: &str, actor: &str, count: u64) {
        self.record_line(day, &format!("{command} {count}"), actor, "");
    }

    fn record_line(&self, day: Date, command: &str, actor: &str, items: &str) {
        let actor: String = actor.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = format!("{day}\t{command}\t{actor}\t{items}\n");
        if may_grow_to(line.len() as u64) {
            // Nothing is recorded if the system refuses it.
            let _ = self.append_use(day, &line);
        }
    }

    fn append_use(&self, day: Date, line: &str) -> Result<(), Errno> {
        let root = self.root();
        let Ok(Some(machine)) = root.machine_dir() else { return Ok(()) };
        for _ in 0..MAX_TRIES {
            let Some(file) = self.open_or_create(machine, day)? else { return Ok(()) };
            let stat = rustix::fs::fstat(&file)?;
            let size = stat.st_size as u64;
            // One byte more for the end of a torn record.
            let new_size = size + line.len() as u64 + 1;
            if new_size > MAX_USAGE_BYTES || !may_grow_to(new_size) {
                return Ok(());
            }
            let mut last = [b'\n'];
            if size > 0 {
                rustix::io::pread(&file, &mut last, size - 1)?;
            }
            // After a torn record a new line begins.
            match last {
                [b'\n'] => write_all(&file, line.as_bytes())?,
                _ => write_all(&file, format!("\n{line}").as_bytes())?,
            }
            // If it was replaced between opening and writing, the record is in the old file alone.
            if platform::stat_name(machine, USAGE_NAME).is_ok_and(|now| now.st_ino == stat.st_ino) {
                if size > FOLD_ABOVE_BYTES && size > FOLD_ABOVE_BYTES + folded_size(&first_line(&file)?) {
                    self.fold_usage(&|_| true);
                }
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads what is recorded; nothing if it cannot be read.
    pub fn usage(&self) -> UsageTable {
        self.usage_text().map_or_else(UsageTable::default, |text| UsageTable::parse(&text))
    }

    /// Reads the single records, as far as the file still has them, oldest first.
    pub fn recorded_uses(&self) -> Vec<RecordedUse> {
        self.usage_text().map_or_else(Vec::new, |text| RecordedUse::parse_all(&text))
    }

    fn usage_text(&self) -> Option<String> {
        let root = self.root();
        let machine = root.machine_dir().ok()??;
        read_usage(&platform::open_file(machine, USAGE_NAME).ok()?)
    }

    /// Begins recording, if it has not begun, or if it seems to begin only later: then a clock was wrong.
    pub fn begin_usage(&self, day: Date) {
        let root = self.root();
        let Ok(Some(machine)) = root.machine_dir() else { return };
        // What cannot be written begins another time.
        let _ = self.open_or_create(machine, day);
        if self.usage().since.is_some_and(|since| since > day) {
            let _ =
                self.replace_usage(true, &|table| UsageTable { since: Some(day), ..table.clone() }.to_text(&|_| true));
        }
    }

    /// Opens the file for appending, and creates it with its first line; `None` if it may not be written, or would
    /// begin before the newest revision: such a clock is wrong, and all would seem unused since then.
    fn open_or_create(&self, machine: BorrowedFd<'_>, day: Date) -> Result<Option<OwnedFd>, Errno> {
        let file = match platform::open_append(machine, USAGE_NAME) {
            Err(Errno::NOENT) => {
                let newest =
                    self.recent_entries().ok().and_then(|all| all.last()?.header.at.get(..10)?.parse::<Date>().ok());
                if newest.and_then(|newest| newest.yesterday().ok()).is_some_and(|yesterday| day < yesterday) {
                    return Ok(None);
                }
                let first = format!("{SINCE}\t{day}\t0\n");
                match platform::create_atomically(machine, USAGE_NAME, first.as_bytes()) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(e) => return Err(e),
                }
                platform::open_append(machine, USAGE_NAME)?
            }
            opened => opened?,
        };
        let stat = rustix::fs::fstat(&file)?;
        Ok(unsafe_reason(&stat).is_none().then_some(file))
    }

    /// Keeps only the last day of each item, of the files that `keep` accepts. Does nothing unless the file has grown
    /// by [`FOLD_ABOVE_BYTES`] since the last time, or another process folds it.
    pub fn fold_usage(&self, keep: &dyn Fn(&str) -> bool) {
        let _ = self.replace_usage(false, &|table| table.to_text(keep));
    }

    /// Replaces the uses of the bullets of these files by one use of each file, so that its other items do not look
    /// unused.
    pub fn forget_usage(&self, paths: &[MemoryPath]) {
        let _ = self.replace_usage(true, &|table| {
            let mut table = table.clone();
            for path in paths {
                if let Some(uses) = table.files.get_mut(path.as_str()) {
                    let parts = uses.bullets.values().chain(uses.sections.values());
                    uses.whole = uses.whole.max(parts.max().copied());
                    uses.bullets.clear();
                    uses.sections.clear();
                }
            }
            table.to_text(&|_| true)
        });
    }

    /// Replaces the file; with `always` even if it has not grown and another process is about to, which is waited for.
    fn replace_usage(&self, always: bool, new_text: &dyn Fn(&UsageTable) -> String) -> Option<()> {
        let root = self.root();
        let machine = root.machine_dir().ok()??;
        let (old, text) = lock_usage(machine, always)?;
        if !always && (text.len() as u64) < folded_size(&text) + FOLD_ABOVE_BYTES {
            return None;
        }
        let next = new_text(&UsageTable::parse(&text));
        if !may_grow_to(next.len() as u64) {
            return None;
        }
        // That of a process that was killed.
        let _ = rustix::fs::unlinkat(machine, NEXT_NAME, AtFlags::empty());
        let new = platform::create_new(machine, NEXT_NAME).ok()?;
        let written = write_all(&new, next.as_bytes());
        if written.and_then(|()| rustix::fs::renameat(machine, NEXT_NAME, machine, USAGE_NAME)).is_err() {
            let _ = rustix::fs::unlinkat(machine, NEXT_NAME, AtFlags::empty());
            return None;
        }
        // What others appended to the old file meanwhile.
        let now = read_usage(&old)?;
        let later = now.get(text.len()..).filter(|later| !later.is_empty())?;
        let new = platform::open_append(machine, USAGE_NAME).ok()?;
        write_all(&new, later.as_bytes()).ok()
    }
}

/// Opens and locks the file, and reads it. With `wait`, waits for another process that replaces it, and takes the file
/// that this one left. The kernel frees the lock when its holder ends.
fn lock_usage(machine: BorrowedFd<'_>, wait: bool) -> Option<(OwnedFd, String)> {
    let lock = if wait { FlockOperation::LockExclusive } else { FlockOperation::NonBlockingLockExclusive };
    for _ in 0..MAX_TRIES {
        let file = platform::open_append(machine, USAGE_NAME).ok()?;
        let stat = rustix::fs::fstat(&file).ok().filter(|stat| unsafe_reason(stat).is_none())?;
        rustix::fs::flock(&file, lock).ok()?;
        if platform::stat_name(machine, USAGE_NAME).is_ok_and(|now| now.st_ino == stat.st_ino) {
            let text = read_usage(&file)?;
            return Some((file, text));
        }
    }
    None
}

/// Whether this process may write a file of this size: the system would kill it (SIGXFSZ), after its answer.
fn may_grow_to(bytes: u64) -> bool {
    rustix::process::getrlimit(Resource::Fsize).current.is_none_or(|limit| bytes <= limit)
}

fn read_usage(file: impl AsFd) -> Option<String> {
    let stat = rustix::fs::fstat(&file).ok()?;
    let size = Some(stat.st_size as u64).filter(|size| unsafe_reason(&stat).is_none() && *size <= MAX_USAGE_BYTES)?;
    let mut bytes = Vec::with_capacity(size as usize);
    while (bytes.len() as u64) < size {
        let at = bytes.len() as u64;
        match rustix::io::pread(&file, rustix::buffer::spare_capacity(&mut bytes), at) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn first_line(file: impl AsFd) -> Result<String, Errno> {
    let mut start = [0; 64];
    let length = rustix::io::pread(file, &mut start, 0)?;
    Ok(String::from_utf8_lossy(&start[..length]).lines().next().unwrap_or_default().to_owned())
}

/// The size after the last fold, from the first line.
fn folded_size(text: &str) -> u64 {
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix(SINCE).and_then(|rest| rest.rsplit('\t').next()?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> MemoryPath {
        MemoryPath::new("facts/user.md").unwrap()
    }

    fn day(text: &str) -> Option<Date> {
        text.parse().ok()
    }

    #[test]
    fn the_last_day_of_each_item_counts() {
        let handle = Handle::of("Likes tea");
        let text = format!(
            "since\t2026-01-01\t0\n2026-02-01\tquery\tana\tfacts/user.md@{0}\tfacts/other.md@{0}\n\
             2026-02-03\tquery\tana\tfacts/user.md@{0}\n2026-02-02\tread\tana\tfacts/user.md@{0}\tfacts/user.md\tfacts/user.md#work\n",
            handle.prefix(4)
        );
        let table = UsageTable::parse(&text);
        assert_eq!(table.since, day("2026-01-01"));
        assert_eq!(table.last_use(&path(), Some(handle)), day("2026-02-03"));
        assert_eq!(table.last_use(&path(), None), day("2026-02-02"));
        assert_eq!(table.last_section_use(&path(), "work"), day("2026-02-02"));
        assert_eq!(table.last_use(&path(), Some(Handle::of("Likes coffee"))), None);
        let folded = table.to_text(&|_| true);
        assert_eq!(UsageTable::parse(&folded), table);
        assert_eq!(folded.lines().count(), 4, "{folded}");
        assert_eq!(table.to_text(&|path| path == "facts/user.md").lines().count(), 3);
    }

    #[test]
    fn signs_in_the_name_of_a_file_are_no_parts_of_it() {
        let handle = Handle::of("Likes tea");
        let text = ["C# tips.md", "bob@work.md"].map(|path| {
            let shown = handle.prefix(4);
            format!("2026-02-01\tquery\tana\t{path}@{shown}\n2026-02-02\tread\tana\t{path}\t{path}#work\n")
        });
        let table = UsageTable::parse(&text.concat());
        for path in ["C# tips.md", "bob@work.md"].map(|path| MemoryPath::from_disk_name(path).unwrap()) {
            assert_eq!(table.last_use(&path, Some(handle)), day("2026-02-01"));
            assert_eq!(table.last_use(&path, None), day("2026-02-02"));
            assert_eq!(table.last_section_use(&path, "work"), day("2026-02-02"));
        }
        assert_eq!(UsageTable::parse(&table.to_text(&|_| true)), table);
    }

    #[test]
    fn a_fold_leaves_out_the_oldest_days_beyond_its_size() {
        let line = |day: &str, name: &str| {
            let items: Vec<String> = (0..20_000).map(|n| format!("facts/{name}.md@{n:06}")).collect();
            format!("{day}\tquery\tana\t{}\n", items.join("\t"))
        };
        let text =
            ["since\t2026-01-01\t0\n", &line("2026-02-01", "a"), &line("2026-02-02", "b"), &line("2026-02-03", "c")];
        let folded = UsageTable::parse(&text.concat()).to_text(&|_| true);
        assert!(folded.len() < MAX_FOLDED_BYTES + 64, "{}", folded.len());
        let table = UsageTable::parse(&folded);
        assert_eq!(table.since, day("2026-02-01"), "what is left out was used no later than this");
        assert!(table.files.contains_key("facts/c.md") && !table.files.contains_key("facts/a.md"));
        assert_eq!(table.to_text(&|_| true), folded);
    }

    #[test]
    fn single_records_are_read_until_a_fold_joins_them() {
        let text = "since\t2026-02-01\t0\n2026-02-01\tfold\t-\ta.md\n2026-02-02\tquery\tana\ta.md\n\
                    2026-02-02\tmv\tana\tb.md\n2026-02-30\tread\tana\ta.md\n2026-02-03\tread\tbot\ta.md\n\
                    2026-02-03\tcontext 480\tbot\t\n2026-02-04\tquery 0\tbot\t\n";
        let records = RecordedUse::parse_all(text);
        let shown: Vec<String> =
            records.iter().map(|r| format!("{} {} {:?} {}", r.day, r.command, r.count, r.actor)).collect();
        assert_eq!(
            shown,
            [
                "2026-02-02 query None ana",
                "2026-02-03 read None bot",
                "2026-02-03 context Some(480) bot",
                "2026-02-04 query Some(0) bot"
            ]
        );
        assert_eq!(UsageTable::parse(text).files.len(), 2, "a number is no use of an item");
    }

    #[test]
    fn what_is_no_record_is_passed_over() {
        let text = "nonsense\n2026-02-30\tread\ta\tx.md\n\u{fffd}\n2026-02-01\tread\n2026-02-01\tread\ta\tfacts/us2026-02-02\tread\ta\tfacts/user.md\n";
        let table = UsageTable::parse(text);
        assert_eq!((table.since, table.last_use(&path(), None)), (None, day("2026-02-01")));
    }
}
