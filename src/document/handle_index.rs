//! Finds the bullets whose handles are in a range.
//!
//! Never sorts for a few searches: a scan is faster then.

use std::ops::RangeInclusive;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::handle::Handle;

/// How many searches scan all handles before they are sorted. A command on one item makes fewer.
const SCANNED_SEARCHES: usize = 8;

/// The handles of a document in ascending order, each with its bullet, once there are many searches.
#[derive(Debug, Default)]
pub(super) struct HandleIndex {
    sorted: OnceLock<Vec<(Handle, usize)>>,
    searches: AtomicUsize,
}

impl Clone for HandleIndex {
    fn clone(&self) -> HandleIndex {
        HandleIndex { sorted: self.sorted.clone(), searches: AtomicUsize::new(self.searches.load(Ordering::Relaxed)) }
    }
}

impl HandleIndex {
    /// The bullets with a handle in the range, in file order. `handles` are those of all bullets.
    pub(super) fn find(&self, handles: &[Handle], range: RangeInclusive<Handle>) -> Vec<usize> {
        if self.sorted.get().is_none() && self.searches.fetch_add(1, Ordering::Relaxed) < SCANNED_SEARCHES {
            return (0..handles.len()).filter(|&bullet| range.contains(&handles[bullet])).collect();
        }
        let sorted = self.sorted(handles);
        let from = sorted.partition_point(|(handle, _)| handle < range.start());
        let found = sorted[from..].iter().take_while(|(handle, _)| handle <= range.end());
        let mut found: Vec<usize> = found.map(|(_, bullet)| *bullet).collect();
        found.sort_unstable();
        found
    }

    /// All handles in ascending order.
    pub(super) fn sorted(&self, handles: &[Handle]) -> &[(Handle, usize)] {
        self.sorted.get_or_init(|| {
            let mut all: Vec<(Handle, usize)> = handles.iter().copied().zip(0..).collect();
            all.sort_unstable();
            all
        })
    }

    /// The same, if they were sorted already.
    pub(super) fn if_sorted(&self) -> Option<&[(Handle, usize)]> {
        self.sorted.get().map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_searches_find_what_the_first_ones_find() {
        let handles: Vec<Handle> = (0..500_u64).map(|n| Handle(n * 7919 % 211)).collect();
        let index = HandleIndex::default();
        for n in 0..300 {
            let (low, high) = (Handle(n % 211), Handle(n % 211 + n % 3));
            let expected: Vec<usize> = (0..500).filter(|&i| (low..=high).contains(&handles[i])).collect();
            assert_eq!(index.find(&handles, low..=high), expected);
        }
        assert!(index.if_sorted().is_some());
    }
}
