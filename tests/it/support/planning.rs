//! Plans operations on texts in memory, as the commands do on a disk.
//!
//! Never touches a disk: planning reads a memory of one file without a history.

use std::sync::Arc;

use memdir::change::{Changeset, FileVersion};
use memdir::code::Rejection;
use memdir::document::Document;
use memdir::operation::{
    Action, FileHistory, MissingInput, Operation, PlanContext, PlanOutcome, Snapshot, Target, plan,
};
use memdir::path::{MemoryPath, PathPrefixes};
use memdir::policy::{self, Policy};

/// The only file of the memory.
pub const FILE: &str = "facts/real.md";

/// A memory of one file.
pub struct PlanInput {
    /// What planning knows.
    pub snapshot: Snapshot,
    /// The file.
    pub document: Document,
    policy: Policy,
    now: jiff::Zoned,
}

impl PlanInput {
    /// A memory whose only file holds a text.
    pub fn of(text: &str) -> PlanInput {
        let mut snapshot = Snapshot::new();
        let version = FileVersion { inode: 1, ..FileVersion::new(text.as_bytes().to_vec(), 0o600) };
        snapshot.insert_file(path(), Ok(Some(version)));
        snapshot.set_file_names(vec![path()]);
        snapshot.insert_last_summary(path(), None);
        snapshot.insert_history(path(), FileHistory::default());
        let now = jiff::Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC);
        PlanInput { snapshot, document: Document::parse(text), policy: policy::load("").policy, now }
    }

    /// Plans one operation.
    pub fn plan(&mut self, action: Action) -> Result<Changeset, Vec<Rejection>> {
        let operation = Operation { action, seen: None, if_match: None, reason: None, source: None };
        let prefixes = PathPrefixes::default();
        let cx = PlanContext {
            policy: &self.policy,
            prefixes: &prefixes,
            now: &self.now,
            actor: "test",
            force: false,
            create: true,
            allow_reserved: false,
            links: None,
        };
        loop {
            match plan(&self.snapshot, std::slice::from_ref(&operation), &cx)? {
                PlanOutcome::Ready(changeset) => return Ok(*changeset),
                PlanOutcome::NeedsInput(wants) => wants.into_iter().for_each(|want| answer(&mut self.snapshot, want)),
            }
        }
    }
}

fn path() -> MemoryPath {
    MemoryPath::new(FILE).expect("a path")
}

/// Everything but the one file does not exist.
fn answer(snapshot: &mut Snapshot, want: MissingInput) {
    match want {
        MissingInput::File(path) => snapshot.insert_file(path, Ok(None)),
        MissingInput::FileNames => snapshot.set_file_names(vec![path()]),
        MissingInput::TopFolder(name) => snapshot.insert_top_folder(name, false),
        MissingInput::IdHolders(id) => snapshot.insert_id_holders(id, Vec::new()),
        MissingInput::Backlinks(to) => snapshot.insert_backlinks(to, Vec::new()),
        MissingInput::LastSummary(of) => snapshot.insert_last_summary(of, None),
        MissingInput::RelatedFiles { text, .. } => snapshot.insert_related_files(text, Vec::new()),
        MissingInput::History(of) => snapshot.insert_history(of, FileHistory::default()),
    }
}

/// The one file after a changeset, and the replacements that the journal would keep of it.
pub fn after(changeset: &Changeset) -> (Arc<Vec<u8>>, &[memdir::change::JournalEdit]) {
    let [file] = &changeset.files[..] else { panic!("{} files", changeset.files.len()) };
    (file.after.clone().expect("a text"), file.edits.as_deref().expect("replacements"))
}

/// An address in the one file.
pub fn at(rest: &str) -> Target {
    Target::Address(format!("{FILE}{rest}"))
}

/// A new bullet.
pub fn add(rest: &str, text: &str) -> Action {
    Action::Add { at: at(rest), text: text.into(), children: Vec::new(), meta: Vec::new(), create: false }
}

/// A new text for the bullet that the address names.
pub fn update(rest: &str, text: &str) -> Action {
    Action::Update {
        at: at(rest),
        index: None,
        old: None,
        text: text.into(),
        children: Vec::new(),
        meta: Vec::new(),
        archive: false,
    }
}

/// Takes out the bullet that the address names.
pub fn remove(rest: &str) -> Action {
    Action::Remove {
        at: at(rest),
        index: None,
        text: None,
        archive: false,
        purge: None,
        forget: false,
        if_exists: false,
    }
}
