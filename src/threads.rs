//! Shares work with a second thread: small machines have two processors.
//!
//! Uses no other module.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `map` for each range of `chunk_len` indices below `len` (the last range may be shorter), on this thread and, if
/// `second_thread`, also on another one; returns the results in order. `new_state` is called once on each thread.
pub fn map_chunks<S, T: Send>(
    len: usize,
    chunk_len: usize,
    second_thread: bool,
    new_state: impl Fn() -> S + Sync,
    map: impl Fn(&mut S, Range<usize>) -> Vec<T> + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = new_state();
        let mut parts = Vec::new();
        loop {
            let start = next.fetch_add(chunk_len, Ordering::Relaxed);
            if start >= len {
                return parts;
            }
            parts.push((start, map(&mut state, start..len.min(start + chunk_len))));
        }
    };
    let here = current_processor();
    let mut parts = std::thread::scope(|scope| {
        let run_elsewhere = || {
            leave_processor(here);
            run()
        };
        // Where no more threads are allowed, this one does everything.
        let other =
            second_thread.then(|| std::thread::Builder::new().spawn_scoped(scope, run_elsewhere).ok()).flatten();
        let mut parts = run();
        match other.map(|thread| thread.join()).transpose() {
            Ok(more) => parts.extend(more.into_iter().flatten()),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        parts
    });
    parts.sort_unstable_by_key(|(start, _)| *start);
    parts.into_iter().flat_map(|(_, part)| part).collect()
}

/// The processor that runs the calling thread.
#[cfg(target_os = "linux")]
fn current_processor() -> usize {
    rustix::thread::sched_getcpu()
}

#[cfg(not(target_os = "linux"))]
fn current_processor() -> usize {
    0
}

/// Moves the calling thread to another processor, if it runs on this one. Some kernels, such as those of small virtual
/// machines, start a thread beside its parent and separate them only after several milliseconds, when a thousand files
/// are read already. Any failure leaves the thread where it is.
#[cfg(target_os = "linux")]
fn leave_processor(processor: usize) {
    use rustix::thread::{sched_getaffinity, sched_setaffinity};
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let mut others = allowed;
    others.unset(processor);
    if current_processor() == processor && others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
        // It has been moved; from now on the scheduler may run it anywhere again.
        let _ = sched_setaffinity(None, &allowed);
    }
}

#[cfg(not(target_os = "linux"))]
fn leave_processor(_: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_with_one_thread_and_with_two() {
        for second_thread in [false, true] {
            for len in [0, 1, 9, 10, 11, 1000] {
                let doubled = map_chunks(len, 10, second_thread, || (), |(), range| range.map(|n| 2 * n).collect());
                assert_eq!(doubled, (0..len).map(|n| 2 * n).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn each_thread_has_its_own_state() {
        let count = |seen: &mut usize, range: Range<usize>| {
            *seen += range.len();
            vec![*seen]
        };
        assert_eq!(map_chunks(30, 10, false, || 0, count), [10, 20, 30]);
        let of_two = map_chunks(30, 10, true, || 0, count);
        assert!(of_two.iter().all(|seen| seen % 10 == 0 && *seen <= 30), "{of_two:?}");
    }

    #[test]
    #[should_panic(expected = "of a chunk")]
    fn a_panic_of_either_thread_is_passed_on() {
        map_chunks(100, 1, true, || (), |(), _| -> Vec<()> { panic!("of a chunk") });
    }
}
