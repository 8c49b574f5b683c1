//! Merges three orders of the same elements: elements that neither side moved keep their order, an added or moved
//! element goes where its side put it.
//!
//! Never sees text: elements are numbers. The result does not depend on which side is ours.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// For more elements than this the quadratic comparison of pairs is skipped.
const MAX_PAIRWISE: usize = 500;

/// Merges three orders. `compare` orders elements that both sides put at the same position.
///
/// The result contains every element of the three orders; the caller removes deleted ones.
pub fn merge_orders(base: &[u32], ours: &[u32], theirs: &[u32], compare: &dyn Fn(u32, u32) -> Ordering) -> Vec<u32> {
    if ours == theirs || base == theirs && contains_all(ours, base) {
        return ours.to_vec();
    }
    if base == ours && contains_all(theirs, base) {
        return theirs.to_vec();
    }
    let (by_us, by_them) = (moved_elements(base, ours), moved_elements(base, theirs));
    let unmoved = || base.iter().copied().filter(|t| !by_us.contains(t) && !by_them.contains(t)).collect();
    let stable: Vec<u32> = reorder_by_pairs(base, ours, theirs).unwrap_or_else(unmoved);
    let (our_insertions, their_insertions) =
        (insertions(&stable, ours, &by_them, &by_us), insertions(&stable, theirs, &by_us, &by_them));
    let (our_gaps, their_gaps) = (gap_indices(&our_insertions), gap_indices(&their_insertions));
    // If both sides put the same element somewhere, the earlier position wins, so that merging again gives the same
    // result.
    let earlier = |run: &[u32], gap: usize, other: &HashMap<u32, usize>| -> Vec<u32> {
        run.iter().copied().filter(|t| other.get(t).is_none_or(|elsewhere| gap <= *elsewhere)).collect()
    };
    let (mut out, mut seen) = (Vec::new(), HashSet::new());
    for gap in 0..=stable.len() {
        let (a, b) = (earlier(&our_insertions[gap], gap, &their_gaps), earlier(&their_insertions[gap], gap, &our_gaps));
        merge_runs(&a, &b, compare, &mut |element| {
            if seen.insert(element) {
                out.push(element);
            }
        });
        out.extend(stable.get(gap));
    }
    out
}

/// Whether `side` contains all of `base`: then its order is complete.
fn contains_all(side: &[u32], base: &[u32]) -> bool {
    let there: HashSet<&u32> = side.iter().collect();
    base.iter().all(|t| there.contains(t))
}

fn gap_indices(gaps: &[Vec<u32>]) -> HashMap<u32, usize> {
    gaps.iter().enumerate().flat_map(|(gap, run)| run.iter().map(move |t| (*t, gap))).collect()
}

/// Reorders the base so that every pair has the order given by the side that swapped it; `None` if that is
/// contradictory (a cycle) or the base is too long.
fn reorder_by_pairs(base: &[u32], ours: &[u32], theirs: &[u32]) -> Option<Vec<u32>> {
    let place = |side: &[u32]| -> HashMap<u32, usize> { side.iter().enumerate().map(|(i, t)| (*t, i)).collect() };
    let places = [place(ours), place(theirs)];
    let turned = |places: &HashMap<u32, usize>| !base.iter().filter_map(|t| places.get(t)).is_sorted();
    if !places.iter().any(turned) {
        return Some(base.to_vec());
    }
    if base.len() > MAX_PAIRWISE {
        return None;
    }
    let mut behind = vec![0; base.len()];
    for i in 0..base.len() {
        for j in i + 1..base.len() {
            let turns =
                |p: &HashMap<u32, usize>| matches!((p.get(&base[i]), p.get(&base[j])), (Some(x), Some(y)) if x > y);
            behind[if places.iter().any(turns) { j } else { i }] += 1;
        }
    }
    let mut order: Vec<usize> = (0..base.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(behind[*i]));
    // In an order without cycle the first element precedes all others, the second all but one, and so on.
    let straight = order.iter().enumerate().all(|(at, i)| behind[*i] == base.len() - 1 - at);
    straight.then(|| order.into_iter().map(|i| base[i]).collect())
}

/// The elements that a side added after each stable element; gap 0 is before the first. Elements that the other side
/// moved are no anchors: what was added at the end stays at the end if the last element moves to the front.
fn insertions(stable: &[u32], side: &[u32], by_other: &HashSet<u32>, by_own: &HashSet<u32>) -> Vec<Vec<u32>> {
    let place: HashMap<u32, usize> = stable.iter().enumerate().map(|(i, t)| (*t, i)).collect();
    let others = |element: &u32| by_other.contains(element) && !by_own.contains(element);
    let mut out = vec![Vec::new(); stable.len() + 1];
    let mut gap = 0;
    for thing in side {
        match place.get(thing) {
            _ if others(thing) => {}
            Some(place) => gap = place + 1,
            None => out[gap].push(*thing),
        }
    }
    out
}

/// The elements of both orders that are not part of their longest common subsequence.
fn moved_elements(base: &[u32], side: &[u32]) -> HashSet<u32> {
    let at: HashMap<u32, usize> = side.iter().enumerate().map(|(i, t)| (*t, i)).collect();
    let common: Vec<(u32, usize)> = base.iter().filter_map(|t| Some((*t, *at.get(t)?))).collect();
    if common.is_sorted_by_key(|(_, i)| *i) {
        return HashSet::new();
    }
    let keep = longest_increasing(&common.iter().map(|(_, i)| *i).collect::<Vec<_>>());
    common.iter().zip(keep).filter(|(_, keep)| !keep).map(|((t, _), _)| *t).collect()
}

/// Which numbers belong to a longest increasing subsequence (patience sorting).
fn longest_increasing(numbers: &[usize]) -> Vec<bool> {
    let mut piles: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
    for (i, number) in numbers.iter().enumerate() {
        let pile = piles.partition_point(|p| numbers[*p] < *number);
        before.push(pile.checked_sub(1).map(|p| piles[p]));
        match piles.get_mut(pile) {
            Some(top) => *top = i,
            None => piles.push(i),
        }
    }
    let mut keep = vec![false; numbers.len()];
    let mut at = piles.last().copied();
    while let Some(i) = at {
        keep[i] = true;
        at = before[i];
    }
    keep
}

/// Merges two runs at the same position: common elements once, the others one run after the other, the smaller first.
fn merge_runs(a: &[u32], b: &[u32], compare: &dyn Fn(u32, u32) -> Ordering, push: &mut dyn FnMut(u32)) {
    let (mut a, mut b) = (a, b);
    while let Some((i, j)) = first_common(a, b, compare) {
        push_both(&a[..i], &b[..j], compare, push);
        push(a[i]);
        (a, b) = (&a[i + 1..], &b[j + 1..]);
    }
    push_both(a, b, compare, push);
}

/// The common element of both runs with the fewest elements before it, as indices into `a` and `b`.
fn first_common(a: &[u32], b: &[u32], compare: &dyn Fn(u32, u32) -> Ordering) -> Option<(usize, usize)> {
    let at: HashMap<u32, usize> = b.iter().enumerate().map(|(j, t)| (*t, j)).collect();
    let hits = a.iter().enumerate().filter_map(|(i, t)| Some((i, *at.get(t)?)));
    hits.min_by(|(i, j), (k, l)| {
        (i + j, i.abs_diff(*j)).cmp(&(k + l, k.abs_diff(*l))).then_with(|| compare(a[*i], a[*k]))
    })
}

fn push_both(a: &[u32], b: &[u32], compare: &dyn Fn(u32, u32) -> Ordering, push: &mut dyn FnMut(u32)) {
    let swap = matches!((a.first(), b.first()), (Some(a), Some(b)) if compare(*a, *b) == Ordering::Greater);
    for side in if swap { [b, a] } else { [a, b] } {
        side.iter().for_each(|element| push(*element));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, ours: &str, theirs: &str, expected: &str) {
        let ids = |s: &str| s.chars().map(|c| c as u32).collect::<Vec<_>>();
        for (a, b) in [(ours, theirs), (theirs, ours)] {
            let got = merge_orders(&ids(base), &ids(a), &ids(b), &|x, y| x.cmp(&y));
            let got: String = got.into_iter().filter_map(char::from_u32).collect();
            assert_eq!(got, expected, "{base} {a} {b}");
        }
    }

    #[test]
    fn each_side_places_its_own_elements() {
        check("abc", "abc", "abc", "abc");
        check("abc", "abxc", "abc", "abxc");
        check("abc", "abcx", "abcy", "abcxy");
        check("abc", "abcyz", "abcx", "abcxyz");
        check("abc", "cab", "abcx", "cabx");
        check("abc", "xabc", "acb", "xacb");
        check("", "xy", "z", "xyz");
    }

    #[test]
    fn elements_added_by_both_appear_once_and_merging_again_changes_nothing() {
        check("abc", "abcx", "abcx", "abcx");
        check("abc", "abcxy", "abcyz", "abcxyz");
        check("abc", "axbc", "abxc", "axbc");
        check("abc", "axbc", "abcxy", "axbcy");
    }

    /// All permutations of all subsets of the letters.
    fn orders(letters: &[u32]) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new()];
        for (i, letter) in letters.iter().enumerate() {
            let rest: Vec<u32> = letters.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, l)| *l).collect();
            all.extend(orders(&rest).into_iter().map(|mut o| {
                o.insert(0, *letter);
                o
            }));
        }
        all
    }

    #[test]
    fn merging_is_symmetric_and_complete_and_a_second_merge_agrees() {
        let (base, mut total, mut again) = (vec![1, 2, 3], 0, 0);
        let compare = |x: u32, y: u32| x.cmp(&y);
        for ours in orders(&[1, 2, 3, 4]) {
            for theirs in orders(&[1, 2, 3, 4, 5]) {
                let got = merge_orders(&base, &ours, &theirs, &compare);
                assert_eq!(got, merge_orders(&base, &theirs, &ours, &compare), "{ours:?} {theirs:?}");
                let (mut all, mut sorted) = ([&base[..], &ours, &theirs].concat(), got.clone());
                all.sort_unstable();
                sorted.sort_unstable();
                all.dedup();
                // Every element of a side stays: only the caller removes deleted ones.
                assert!(sorted.iter().all(|t| all.contains(t)) && sorted.windows(2).all(|w| w[0] != w[1]));
                assert!(ours.iter().chain(&theirs).all(|t| got.contains(t)), "{ours:?} {theirs:?} {got:?}");
                total += 1;
                again += usize::from(merge_orders(&base, &got, &theirs, &compare) == got);
            }
        }
        assert!(again * 100 >= total * 90, "{again} of {total}");
    }

    #[test]
    fn an_element_deleted_by_one_side_is_still_an_anchor() {
        check("abc", "ac", "abxc", "abxc");
        check("abcd", "d", "abxcd", "abxcd");
    }
}
