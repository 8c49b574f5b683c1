//! `.memdir/shown`: what sessions were shown, so that nothing is shown twice. Hashes only, of the last days.
//!
//! Best effort: a file that is lost or damaged counts as empty, and of two hooks at once one wins. Both only show
//! something twice.

use std::fmt::Write;

use jiff::civil::Date;
use sha2::{Digest, Sha256};

use crate::commands::Session;
use crate::host::agent_hosts::HookInput;
use crate::store::Store;

/// File name below `.memdir/`.
const NOTE: &str = "shown";
/// For how many days a session is remembered.
const MAX_DAYS: i32 = 7;
/// The most sessions, and the most items of each.
const MAX_SESSIONS: usize = 64;
const MAX_ITEMS: usize = 400;

/// What one session was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownItems {
    session: String,
    today: Date,
    items: Vec<String>,
}

impl ShownItems {
    /// What the session of an input was shown. A sub-agent has not seen what the main one has.
    pub fn load(session: &Session, input: &HookInput) -> ShownItems {
        let mut shown = ShownItems::new(session, input);
        shown.items = read(&session.store)
            .into_iter()
            .find(|other| other.session == shown.session)
            .map_or(Vec::new(), |o| o.items);
        shown
    }

    /// The state of a session that starts, or whose earlier text is about to be summarized.
    pub fn new(session: &Session, input: &HookInput) -> ShownItems {
        let name = format!("{}\0{}\0{}", input.session, input.agent, session.actor);
        ShownItems { session: hash(&name), today: session.now.date(), items: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn contains(&self, address: &str) -> bool {
        let hash = hash(address);
        self.items.contains(&hash)
    }

    pub fn add(&mut self, addresses: impl IntoIterator<Item = String>) {
        self.items.extend(addresses.into_iter().map(|address| hash(&address)));
        let excess = self.items.len().saturating_sub(MAX_ITEMS);
        self.items.drain(..excess);
    }

    /// Saves it. What cannot be written is shown again.
    pub fn save(&self, store: &Store) {
        let mut all = read(store);
        all.retain(|other| other.session != self.session && is_recent(other.today, self.today));
        all.insert(0, self.clone());
        all.truncate(MAX_SESSIONS);
        drop(store.write_note_unlocked(NOTE, &all.iter().map(ShownItems::to_line).collect::<String>()));
    }

    fn to_line(&self) -> String {
        format!("{} {} {}\n", self.today, self.session, self.items.join(","))
    }

    fn parse(line: &str) -> Option<ShownItems> {
        let mut fields = line.split(' ');
        let (today, session, items) = (fields.next()?.parse().ok()?, fields.next()?.to_owned(), fields.next()?);
        let items = items.split(',').filter(|item| !item.is_empty()).map(str::to_owned).collect();
        Some(ShownItems { session, today, items })
    }
}

fn read(store: &Store) -> Vec<ShownItems> {
    store.read_note(NOTE).unwrap_or_default().lines().filter_map(ShownItems::parse).collect()
}

fn is_recent(day: Date, today: Date) -> bool {
    day.until((jiff::Unit::Day, today)).is_ok_and(|span| (0..MAX_DAYS).contains(&span.get_days()))
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(6).fold(String::new(), |mut hex, byte| {
        _ = write!(hex, "{byte:02x}");
        hex
    })
}
