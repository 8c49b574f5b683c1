//! The command `checkpoint`: saves, loads, lists and removes states of agents, one for each key.
//!
//! Never part of the memory: a checkpoint is no file of it, in no revision, search, context or export, and undo does
//! not take one back.

use jiff::civil::Date;
use jiff::{Timestamp, Unit};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::prune::{PrunedItem, clock_problem};
use super::{CommandResult, Error, Session};
use crate::change::Etag;
use crate::code::{Code, Rejection, quote_short};
use crate::policy::CheckpointRule;
use crate::store::checkpoints::{CheckpointHeader, FoundCheckpoints, LockedCheckpoints};

/// The largest state, in bytes.
const MAX_STATE_BYTES: usize = 16 << 20;
/// The longest key, in bytes.
const MAX_KEY_BYTES: usize = 200;

/// A checkpoint without its state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckpointRow {
    /// The key of 1 to 200 bytes, e.g. `ana/thread-7`.
    pub key: String,
    /// Whether another program damaged it, so that nothing but its key is known. Only for a removed checkpoint.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub damaged: bool,
    /// The size of the state, in bytes.
    #[serde(skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// The etag of the state, to pass as `--if-match`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub etag: String,
    /// When it was first saved.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub created: String,
    /// When it was last saved.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub updated: String,
    /// Seconds since it was last saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<i64>,
}

/// Whether a size is that of no state: JSON has at least one byte.
fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

/// The result of `checkpoint list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckpointList {
    /// The checkpoints, sorted by key.
    pub checkpoints: Vec<CheckpointRow>,
    /// The paths, below the memory, of checkpoints that another program damaged, so that they cannot be loaded; sorted.
    /// Their keys are unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

/// The result of `checkpoint load`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckpointText {
    #[serde(flatten)]
    pub checkpoint: CheckpointRow,
    /// The state: JSON, byte for byte as it was saved.
    pub text: String,
}

/// The result of `checkpoint save` and `checkpoint rm`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckpointChange {
    /// The checkpoint that was saved or removed.
    #[serde(flatten)]
    pub checkpoint: CheckpointRow,
    /// `saved` or `removed`.
    pub outcome: CheckpointOutcome,
    /// The other checkpoints that the policy then removed.
    pub pruned: Vec<PrunedItem>,
}

/// What happened to a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CheckpointOutcome {
    Saved,
    Removed,
}

/// Saves a state under a key, in place of the one before. With `if_match`, only if that one has this etag.
///
/// # Errors
/// `invalid_checkpoint`, `too_large`, `category_not_allowed`, `conflict`, `invalid_policy`, and those of
/// `Store::lock_checkpoints` and `LockedCheckpoints::save`.
pub fn save_checkpoint(
    session: &Session,
    key: &str,
    state: &str,
    if_match: Option<&str>,
) -> CommandResult<CheckpointChange> {
    session.may_write()?;
    check_key(session, key)?;
    check_state(state)?;
    let locked = session.store.lock_checkpoints(true)?.ok_or_else(|| not_found(key))?;
    let before = locked.header(key)?;
    check_etag(&locked, key, before.as_ref(), if_match)?;
    let now = session.now.timestamp();
    let updated = now.round(Unit::Millisecond).unwrap_or(now).to_string();
    let header = CheckpointHeader {
        key: key.to_owned(),
        created: before.map_or_else(|| updated.clone(), |before| before.created),
        updated,
        etag: Etag::of(state.as_bytes()).hex(),
        bytes: state.len() as u64,
    };
    locked.save(&header, state.as_bytes())?;
    // It is saved, whatever becomes of the others.
    let pruned = prune_locked(session, &locked, Some(key), false).unwrap_or_default();
    Ok(CheckpointChange { checkpoint: to_row(session, header), outcome: CheckpointOutcome::Saved, pruned })
}

/// Returns the state under a key.
///
/// # Errors
/// `checkpoint_not_found`, `category_not_allowed`, `invalid_checkpoint`, `io`.
pub fn load_checkpoint(session: &Session, key: &str) -> CommandResult<CheckpointText> {
    check_key(session, key)?;
    let (header, text) = session.store.read_checkpoint(key)?.ok_or_else(|| not_found(key))?;
    Ok(CheckpointText { checkpoint: to_row(session, header), text })
}

/// Lists the checkpoints that the caller may use, and the damaged ones, whose keys are unknown, for a caller that may use
/// all.
///
/// # Errors
/// `io`.
pub fn list_checkpoints(session: &Session) -> CommandResult<CheckpointList> {
    let FoundCheckpoints { mut headers, mut damaged } = session.store.checkpoints()?;
    headers.retain(|header| may_use(session, &header.key));
    if is_limited_to_own_keys(session) {
        damaged.clear();
    }
    let checkpoints = headers.into_iter().map(|header| to_row(session, header)).collect();
    Ok(CheckpointList { checkpoints, damaged })
}

/// Removes the state under a key, and erases its bytes. With `if_match`, only if it has this etag.
///
/// # Errors
/// `checkpoint_not_found`, `category_not_allowed`, `conflict`, and those of `LockedCheckpoints::remove`.
pub fn remove_checkpoint(session: &Session, key: &str, if_match: Option<&str>) -> CommandResult<CheckpointChange> {
    session.may_write()?;
    check_key(session, key)?;
    let locked = session.store.lock_checkpoints(false)?.ok_or_else(|| not_found(key))?;
    let header = locked.header(key)?;
    check_etag(&locked, key, header.as_ref(), if_match)?;
    let checkpoint = match header {
        Some(header) => to_row(session, header),
        None if locked.has_file(key)? => {
            CheckpointRow { key: key.to_owned(), damaged: true, ..CheckpointRow::default() }
        }
        None => return Err(not_found(key).into()),
    };
    locked.remove(key)?;
    Ok(CheckpointChange { checkpoint, outcome: CheckpointOutcome::Removed, pruned: Vec::new() })
}

/// Removes the checkpoints that the policy does not keep; with `dry_run` only returns them.
///
/// # Errors
/// As `Store::lock_checkpoints`.
pub fn prune_checkpoints(session: &Session, dry_run: bool) -> CommandResult<Vec<PrunedItem>> {
    if session.policy.policy.checkpoints.is_none() {
        return Ok(Vec::new());
    }
    match session.store.lock_checkpoints(false)? {
        Some(locked) => prune_locked(session, &locked, None, dry_run),
        None => Ok(Vec::new()),
    }
}

fn prune_locked(
    session: &Session,
    locked: &LockedCheckpoints,
    saved: Option<&str>,
    dry_run: bool,
) -> CommandResult<Vec<PrunedItem>> {
    let Some(rule) = session.policy.policy.checkpoints else { return Ok(Vec::new()) };
    let mut headers = locked.checkpoints()?.headers;
    headers.retain(|header| may_use(session, &header.key));
    let due = due_checkpoints(&headers, rule, saved, session.now.timestamp());
    if !dry_run {
        due.iter().try_for_each(|item| locked.remove(&item.address))?;
    }
    Ok(due)
}

/// The checkpoints that a rule does not keep: of each user those beyond the newest `keep`, and those that are older
/// than `days`. Never the one that was just saved, and none for its age if the clock cannot be right.
fn due_checkpoints(
    headers: &[CheckpointHeader],
    rule: CheckpointRule,
    saved: Option<&str>,
    now: Timestamp,
) -> Vec<PrunedItem> {
    let time = |header: &CheckpointHeader| header.updated.parse::<Timestamp>().unwrap_or(Timestamp::UNIX_EPOCH);
    let day = |at: Timestamp| -> Date { at.to_zoned(jiff::tz::TimeZone::UTC).date() };
    let is_saved = |header: &CheckpointHeader| saved == Some(header.key.as_str());
    let mut newest_first: Vec<&CheckpointHeader> = headers.iter().collect();
    newest_first.sort_by_key(|header| (!is_saved(header), std::cmp::Reverse(time(header))));
    let newest = newest_first.iter().filter(|header| !is_saved(header)).map(|header| day(time(header))).max();
    let max_age = rule.days.filter(|_| clock_problem(newest, day(now)).is_none());
    let mut kept = std::collections::HashMap::<&str, usize>::new();
    let mut due = Vec::new();
    for header in newest_first {
        let count = kept.entry(user_of(&header.key)).or_default();
        let age = now.duration_since(time(header)).as_hours() / 24;
        let reason = match (rule.keep, max_age) {
            _ if is_saved(header) => None,
            (Some(keep), _) if *count >= keep => Some(format!("checkpoints: keep {keep}")),
            (_, Some(days)) if age >= i64::from(days) => {
                Some(format!("checkpoints: {days} days, last saved {}", day(time(header))))
            }
            _ => None,
        };
        match reason {
            Some(reason) => due.push(PrunedItem { address: header.key.clone(), text: String::new(), reason }),
            None => *count += 1,
        }
    }
    due.sort_by(|a, b| a.address.cmp(&b.address));
    due
}

/// Whose checkpoint it is: the part of the key before the first `/`; those of keys without one belong together.
fn user_of(key: &str) -> &str {
    key.split_once('/').map_or("", |(user, _)| user)
}

/// Whether the caller may use a key. An agent with an allowlist may not learn what others save, because a state
/// has no category: it has the keys below its own name, even if its list hides nothing.
fn may_use(session: &Session, key: &str) -> bool {
    !is_limited_to_own_keys(session)
        || !session.actor.is_empty() && !session.actor.contains('/') && user_of(key) == session.actor
}

fn is_limited_to_own_keys(session: &Session) -> bool {
    session.policy.policy.allowed_categories(&session.actor).is_some()
}

fn check_key(session: &Session, key: &str) -> Result<(), Error> {
    if !(1..=MAX_KEY_BYTES).contains(&key.len()) {
        let message = format!("a checkpoint's key has 1 to {MAX_KEY_BYTES} bytes, this one {}", key.len());
        return Err(Rejection::new(Code::InvalidCheckpoint, message)
            .hint("name it by user and thread, like ana/thread-7; use a hash of longer names")
            .into());
    }
    if may_use(session, key) {
        Ok(())
    } else {
        Err(Rejection::new(
            Code::CategoryNotAllowed,
            "a caller with an allowlist uses only checkpoints whose key starts with its name and '/'",
        )
        .hint(format!("use a key like {}", quote_short(&format!("{}/thread-7", session.actor))))
        .into())
    }
}

/// The state must be JSON. Only its grammar is read: nothing of it is built.
fn check_state(state: &str) -> Result<(), Rejection> {
    if state.len() > MAX_STATE_BYTES {
        return Err(Rejection::new(Code::TooLarge, "the checkpoint is larger than 16 MiB")
            .hint("save it in parts, each under a key of its own"));
    }
    serde_json::from_str::<IgnoredAny>(state).map(|_| ()).map_err(|error| {
        Rejection::new(Code::InvalidCheckpoint, format!("the checkpoint is not JSON: {error}"))
            .hint("write the state as one JSON value, in UTF-8")
            .detail("line", error.line())
            .detail("column", error.column())
    })
}

/// Checks the etag of the checkpoint under a key; `header` is `None` if there is none, or it is damaged.
fn check_etag(
    locked: &LockedCheckpoints,
    key: &str,
    header: Option<&CheckpointHeader>,
    if_match: Option<&str>,
) -> Result<(), Rejection> {
    let Some(expected) = if_match else { return Ok(()) };
    if !Etag::is_prefix(expected) {
        return Err(Rejection::new(Code::Usage, format!("{} is no etag", quote_short(expected)))
            .hint("an etag has 8 to 64 hex digits; checkpoint list shows those of all"));
    }
    let Some(header) = header else {
        if locked.has_file(key)? {
            let message =
                format!("the checkpoint {} was damaged by another program, so its etag is unknown", quote_short(key));
            return Err(Rejection::new(Code::Conflict, message)
                .hint("save its key again without --if-match, or remove it")
                .detail("etag", Value::Null));
        }
        let message = format!("there is no checkpoint {}, so it has no etag", quote_short(key));
        return Err(Rejection::new(Code::Conflict, message).detail("etag", Value::Null));
    };
    if Etag::from_hex(&header.etag).is_some_and(|etag| etag.matches_prefix(expected)) {
        Ok(())
    } else {
        Err(Rejection::new(
            Code::Conflict,
            format!("the checkpoint {} changed since it was read: its etag is {}", quote_short(key), short(header)),
        )
        .hint("load it again and retry")
        .detail("etag", short(header)))
    }
}

fn short(header: &CheckpointHeader) -> String {
    Etag::from_hex(&header.etag).map_or_else(String::new, |etag| etag.short())
}

fn not_found(key: &str) -> Rejection {
    Rejection::new(Code::CheckpointNotFound, format!("there is no checkpoint {}", quote_short(key)))
        .hint("memdir checkpoint list shows all")
}

fn to_row(session: &Session, header: CheckpointHeader) -> CheckpointRow {
    let age = |updated: Timestamp| session.now.timestamp().duration_since(updated).as_secs();
    CheckpointRow {
        bytes: header.bytes,
        damaged: false,
        etag: short(&header),
        age_seconds: Some(header.updated.parse().map_or(0, age)),
        key: header.key,
        created: header.created,
        updated: header.updated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys that a rule removes on 2026-03-01, of keys each with the time at which it was saved.
    fn due(rule: CheckpointRule, saved: Option<&str>, headers: &[(&str, &str)]) -> Vec<String> {
        let header = |(key, at): &(&str, &str)| CheckpointHeader {
            key: (*key).to_owned(),
            created: (*at).to_owned(),
            updated: (*at).to_owned(),
            etag: String::new(),
            bytes: 2,
        };
        let headers: Vec<CheckpointHeader> = headers.iter().map(header).collect();
        let now = "2026-03-01T00:00:00Z".parse().unwrap();
        due_checkpoints(&headers, rule, saved, now).into_iter().map(|item| item.address).collect()
    }

    const KEEP_2: CheckpointRule = CheckpointRule { keep: Some(2), days: None };
    const DAYS_7: CheckpointRule = CheckpointRule { keep: None, days: Some(7) };

    #[test]
    fn the_newest_of_each_user_are_kept() {
        let all = [
            ("ana/1", "2026-02-01T00:00:00Z"),
            ("ana/2", "2026-02-02T00:00:00.5Z"),
            ("ana/3", "2026-02-02T00:00:00Z"),
            ("bob/1", "2020-01-01T00:00:00Z"),
        ];
        assert_eq!(due(KEEP_2, None, &all), ["ana/1"]);
        // A clock that was set back does not remove what was just saved.
        assert_eq!(due(KEEP_2, Some("ana/1"), &all), ["ana/3"]);
    }

    #[test]
    fn old_ones_are_removed_unless_the_clock_cannot_be_right() {
        let all = [("a", "2026-02-22T00:00:00Z"), ("b", "2026-02-22T00:00:01Z"), ("c", "2026-02-28T00:00:00Z")];
        assert_eq!(due(DAYS_7, None, &all), ["a"]);
        assert_eq!(due(DAYS_7, Some("a"), &all), Vec::<String>::new());
        let ahead = [("a", "2020-02-22T00:00:00Z"), ("b", "2026-03-09T00:00:00Z")];
        assert_eq!(due(DAYS_7, None, &ahead), Vec::<String>::new());
        assert_eq!(due(DAYS_7, None, &[("a", "2020-02-22T00:00:00Z")]), Vec::<String>::new());
    }

    #[test]
    fn a_state_is_json_of_any_kind_and_depth() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        for good in ["{}", " null\n", "1e999", "\"\\ud800\"", &deep] {
            assert_eq!(check_state(good), Ok(()), "{}", &good[..good.len().min(20)]);
        }
        for bad in ["{", "{'a':1}", "{} {}", "01", "nan", "[1,]", "\u{feff}{}", "{\"a\":1}x"] {
            assert_eq!(check_state(bad).unwrap_err().code, Code::InvalidCheckpoint, "{bad}");
        }
        let large = format!("\"{}\"", " ".repeat(MAX_STATE_BYTES - 2));
        assert_eq!(check_state(&large), Ok(()));
        assert_eq!(check_state(&format!("{large} ")).unwrap_err().code, Code::TooLarge);
    }
}
