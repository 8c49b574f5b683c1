//! Which files may contain something that `prune` archives, by their bytes alone.
//!
//! Never decides what is archived.

use jiff::Span;
use jiff::civil::Date;

use crate::document::{BulletMeta, DEFAULT_IMPORTANCE};
use crate::operation::evict::importance;
use crate::policy::{ExpiredRule, Policy};
use crate::store::usage::UsageTable;

/// What the bytes of a file must contain so that one of its items may be due: most files need not be parsed.
pub(super) struct DueHints {
    looks_for_expired: bool,
    /// Whether an item may be unused that says nothing of its importance.
    any_may_be_unused: bool,
    /// The importance below which an item may be unused, and the last day of its `upd` or `added`.
    unimportant: Option<(u8, Date)>,
}

impl DueHints {
    pub(super) fn new(policy: &Policy, uses: &UsageTable, today: Date) -> DueHints {
        let tracked_days = uses.since.and_then(|since| since.until((jiff::Unit::Day, today)).ok());
        let tracked_days = tracked_days.map_or(0, |span| i64::from(span.get_days()));
        // Before its time has passed since uses are recorded, a rule finds nothing.
        let unused = policy.lifetimes.iter().filter_map(|rule| Some((i64::from(rule.unused_days?), rule.below)));
        let active: Vec<(i64, Option<u8>)> = unused.filter(|(days, _)| tracked_days > *days).collect();
        let last_day = |days: i64| today.checked_sub(Span::new().days(days + 1)).ok();
        let unimportant = active.iter().filter_map(|(days, below)| Some(((*below)?, last_day(*days)?)));
        DueHints {
            looks_for_expired: policy.expired == ExpiredRule::Archive,
            any_may_be_unused: active.iter().any(|(_, below)| below.is_none_or(|below| below > DEFAULT_IMPORTANCE)),
            unimportant: unimportant.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))),
        }
    }

    pub(super) fn may_be_due(&self, text: &str) -> bool {
        self.any_may_be_unused
            || self.looks_for_expired && text.contains("exp=")
            || self.unimportant.is_some_and(|(below, last_day)| {
                memchr::memmem::find_iter(text.as_bytes(), b"imp=").any(|at| {
                    let start = text[..at].rfind('\n').map_or(0, |line| line + 1);
                    let end = text[at..].find('\n').map_or(text.len(), |line| at + line);
                    let meta = BulletMeta::parse(&text[start..end]);
                    meta.is_none_or(|meta| {
                        importance(&meta) < below && meta.day_changed().is_none_or(|day| day <= last_day)
                    })
                })
            })
    }
}
