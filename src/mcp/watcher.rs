//! Notices that watched files have changed, by whatever program, and notifies the client.
//!
//! Polls, because no event of the kernel reports what another machine changes on a network or shared file system. A
//! poll costs the names of the files and the text of those that are watched; it waits the longer the more it costs, so
//! that a server never uses more than 2 % of a processor. Without a subscription nothing polls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionSink};
use rmcp::{ErrorData, RoleServer};

use super::requests::SharedState;
use super::resources;
use crate::commands::Error;
use crate::memory::Memory;

/// The shortest time between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// A poll waits this many times as long as the one before took.
const IDLE_FACTOR: u32 = 50;

/// What a client watches, as it was when the client last learned of it.
#[derive(Debug, Default)]
pub struct WatchList {
    /// The URIs with the etags of their texts; `None` where there is none.
    etags: BTreeMap<String, Option<String>>,
    /// The digest of the names of all files; `None` if they are not watched.
    files: Option<[u8; 32]>,
}

/// A watch list that the requests of a client and the watcher share.
pub type SharedWatchList = Arc<Mutex<WatchList>>;

/// Where notifications go.
pub enum NotificationTarget {
    /// To the client of a session that began with `initialize`.
    Client(Peer<RoleServer>),
    /// To one `subscriptions/listen` request.
    Subscription(SubscriptionSink),
}

/// What has changed since the client last learned of it.
#[derive(Debug, Default, PartialEq, Eq)]
struct WatchedChanges {
    uris: Vec<String>,
    files: bool,
}

impl WatchList {
    /// A list for these URIs and, with `watch_files`, the names of all files, as they are now.
    ///
    /// # Errors
    /// `invalid_params` for a URI of another scheme.
    pub fn new(memory: &Memory, uris: &[String], watch_files: bool) -> Result<WatchList, ErrorData> {
        let addresses = uris.iter().map(|uri| resources::to_address(uri)).collect::<Result<Vec<_>, _>>()?;
        let state = memory.watched_state(&addresses).map_err(|e| resources::error_data(&e))?;
        let etags = uris.iter().cloned().zip(state.etags).collect();
        Ok(WatchList { etags, files: Some(state.files).filter(|_| watch_files) })
    }

    /// Adds what another list watches.
    pub fn add(&mut self, other: WatchList) {
        self.etags.extend(other.etags);
        self.files = self.files.or(other.files);
    }

    /// Stops watching a URI; does nothing if it is not watched.
    pub fn remove(&mut self, uri: &str) {
        self.etags.remove(uri);
    }

    fn is_empty(&self) -> bool {
        self.etags.is_empty() && self.files.is_none()
    }
}

/// Compares the list with the memory as it is now, and notes what it finds. A URI that is subscribed or removed
/// meanwhile is left alone.
fn take_changes(memory: &Memory, list: &SharedWatchList) -> Result<WatchedChanges, Error> {
    let lock = || list.lock().unwrap_or_else(PoisonError::into_inner);
    let before: Vec<(String, Option<String>)> = lock().etags.clone().into_iter().collect();
    if lock().is_empty() {
        return Ok(WatchedChanges::default());
    }
    let addresses: Vec<String> = before.iter().map(|(uri, _)| resources::to_address(uri).unwrap_or_default()).collect();
    let now = memory.watched_state(&addresses)?;
    let mut list = lock();
    let mut changes = WatchedChanges::default();
    for ((uri, old), new) in before.into_iter().zip(now.etags) {
        if old != new
            && let Some(known) = list.etags.get_mut(&uri).filter(|known| **known == old)
        {
            *known = new;
            changes.uris.push(uri);
        }
    }
    if let Some(files) = list.files.as_mut().filter(|files| **files != now.files) {
        *files = now.files;
        changes.files = true;
    }
    Ok(changes)
}

/// Watches until the session ends, or nothing can be sent any more.
pub async fn watch(state: Arc<SharedState>, list: SharedWatchList, target: NotificationTarget) {
    let mut wait = POLL_INTERVAL;
    while state.changed_or_elapsed(wait).await {
        let begun = Instant::now();
        let watched = list.clone();
        // A memory that cannot be read now may be readable at the next poll.
        let polled = state.run(move |memory| take_changes(&memory?, &watched)).await;
        wait = POLL_INTERVAL.max(begun.elapsed() * IDLE_FACTOR);
        if let Ok(changes) = polled
            && !notify(&target, changes).await
        {
            return;
        }
    }
}

/// Sends the notifications; whether the client is still there.
async fn notify(target: &NotificationTarget, changes: WatchedChanges) -> bool {
    for uri in changes.uris {
        let is_sent = match target {
            NotificationTarget::Client(peer) => {
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok()
            }
            NotificationTarget::Subscription(sink) => sink.notify_resource_updated(uri).await.is_ok(),
        };
        if !is_sent {
            return false;
        }
    }
    match target {
        _ if !changes.files => true,
        NotificationTarget::Client(peer) => peer.notify_resource_list_changed().await.is_ok(),
        NotificationTarget::Subscription(sink) => sink.notify_resource_list_changed().await.is_ok(),
    }
}
