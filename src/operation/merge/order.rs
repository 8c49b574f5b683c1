//! Three orders of things in, one out: what both sides kept in place stays, what a side put somewhere goes there.
//!
//! Knows no text: things are numbers. The answer does not depend on which side is called ours.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// Of more things than this, moved ones are told from the rest by the longest common order alone.
const MOST: usize = 500;

/// Merges three orders of the same things. `compare` decides between what both sides put into one gap.
///
/// The answer holds everything that stands in any of the three; the caller leaves out what is gone.
pub fn merge(base: &[u32], ours: &[u32], theirs: &[u32], compare: &dyn Fn(u32, u32) -> Ordering) -> Vec<u32> {
    if ours == theirs || base == theirs && covers(ours, base) {
        return ours.to_vec();
    }
    if base == ours && covers(theirs, base) {
        return theirs.to_vec();
    }
    let (by_us, by_them) = (moved(base, ours), moved(base, theirs));
    let unmoved = || base.iter().copied().filter(|t| !by_us.contains(t) && !by_them.contains(t)).collect();
    let stable: Vec<u32> = by_pairs(base, ours, theirs).unwrap_or_else(unmoved);
    let (mine, yours) = (gaps(&stable, ours, &by_them, &by_us), gaps(&stable, theirs, &by_us, &by_them));
    let (mine_at, yours_at) = (places(&mine), places(&yours));
    // Where both sides put one thing, the earlier gap counts, so that a second merge agrees with the first.
    let earlier = |run: &[u32], gap: usize, other: &HashMap<u32, usize>| -> Vec<u32> {
        run.iter().copied().filter(|t| other.get(t).is_none_or(|elsewhere| gap <= *elsewhere)).collect()
    };
    let (mut out, mut seen) = (Vec::new(), HashSet::new());
    for gap in 0..=stable.len() {
        let (a, b) = (earlier(&mine[gap], gap, &yours_at), earlier(&yours[gap], gap, &mine_at));
        runs(&a, &b, compare, &mut |thing| {
            if seen.insert(thing) {
                out.push(thing);
            }
        });
        out.extend(stable.get(gap));
    }
    out
}

/// Whether nothing of `base` is missing in `side`: then the side's order says it all.
fn covers(side: &[u32], base: &[u32]) -> bool {
    let there: HashSet<&u32> = side.iter().collect();
    base.iter().all(|t| there.contains(t))
}

fn places(gaps: &[Vec<u32>]) -> HashMap<u32, usize> {
    gaps.iter().enumerate().flat_map(|(gap, run)| run.iter().map(move |t| (*t, gap))).collect()
}

/// The order of the base's things in which every two stand as the side that turned them round has them; `None` where
/// that leads in a circle, or where there are too many to look at them two by two.
fn by_pairs(base: &[u32], ours: &[u32], theirs: &[u32]) -> Option<Vec<u32>> {
    let place = |side: &[u32]| -> HashMap<u32, usize> { side.iter().enumerate().map(|(i, t)| (*t, i)).collect() };
    let places = [place(ours), place(theirs)];
    let turned = |places: &HashMap<u32, usize>| !base.iter().filter_map(|t| places.get(t)).is_sorted();
    if !places.iter().any(turned) {
        return Some(base.to_vec());
    }
    if base.len() > MOST {
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
    // Without a circle the first stands before all others, the next before all but one, and so on.
    let straight = order.iter().enumerate().all(|(at, i)| behind[*i] == base.len() - 1 - at);
    straight.then(|| order.into_iter().map(|i| base[i]).collect())
}

/// What a side put behind each stable thing; gap 0 is before the first. What the other side moved is no place to hold on
/// to: something put behind the last thing stays last when that one goes to the front.
fn gaps(stable: &[u32], side: &[u32], by_other: &HashSet<u32>, by_own: &HashSet<u32>) -> Vec<Vec<u32>> {
    let place: HashMap<u32, usize> = stable.iter().enumerate().map(|(i, t)| (*t, i)).collect();
    let others = |thing: &u32| by_other.contains(thing) && !by_own.contains(thing);
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

/// The things of both orders that are not in their longest common order.
fn moved(base: &[u32], side: &[u32]) -> HashSet<u32> {
    let at: HashMap<u32, usize> = side.iter().enumerate().map(|(i, t)| (*t, i)).collect();
    let common: Vec<(u32, usize)> = base.iter().filter_map(|t| Some((*t, *at.get(t)?))).collect();
    if common.is_sorted_by_key(|(_, i)| *i) {
        return HashSet::new();
    }
    let keep = rising(&common.iter().map(|(_, i)| *i).collect::<Vec<_>>());
    common.iter().zip(keep).filter(|(_, keep)| !keep).map(|((t, _), _)| *t).collect()
}

/// Which numbers belong to a longest rising row (patience sorting).
fn rising(numbers: &[usize]) -> Vec<bool> {
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

/// Two runs in one gap: what both hold stands once, the rest side by side, the smaller first.
fn runs(a: &[u32], b: &[u32], compare: &dyn Fn(u32, u32) -> Ordering, push: &mut dyn FnMut(u32)) {
    let (mut a, mut b) = (a, b);
    while let Some((i, j)) = common(a, b, compare) {
        pair(&a[..i], &b[..j], compare, push);
        push(a[i]);
        (a, b) = (&a[i + 1..], &b[j + 1..]);
    }
    pair(a, b, compare, push);
}

/// The first thing that both runs hold, with as little as possible before it.
fn common(a: &[u32], b: &[u32], compare: &dyn Fn(u32, u32) -> Ordering) -> Option<(usize, usize)> {
    let at: HashMap<u32, usize> = b.iter().enumerate().map(|(j, t)| (*t, j)).collect();
    let hits = a.iter().enumerate().filter_map(|(i, t)| Some((i, *at.get(t)?)));
    hits.min_by(|(i, j), (k, l)| {
        (i + j, i.abs_diff(*j)).cmp(&(k + l, k.abs_diff(*l))).then_with(|| compare(a[*i], a[*k]))
    })
}

fn pair(a: &[u32], b: &[u32], compare: &dyn Fn(u32, u32) -> Ordering, push: &mut dyn FnMut(u32)) {
    let swap = matches!((a.first(), b.first()), (Some(a), Some(b)) if compare(*a, *b) == Ordering::Greater);
    for side in if swap { [b, a] } else { [a, b] } {
        side.iter().for_each(|thing| push(*thing));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, ours: &str, theirs: &str, expected: &str) {
        let ids = |s: &str| s.chars().map(|c| c as u32).collect::<Vec<_>>();
        for (a, b) in [(ours, theirs), (theirs, ours)] {
            let got = merge(&ids(base), &ids(a), &ids(b), &|x, y| x.cmp(&y));
            let got: String = got.into_iter().filter_map(char::from_u32).collect();
            assert_eq!(got, expected, "{base} {a} {b}");
        }
    }

    #[test]
    fn each_side_puts_its_things_where_it_wants_them() {
        check("abc", "abc", "abc", "abc");
        check("abc", "abxc", "abc", "abxc");
        check("abc", "abcx", "abcy", "abcxy");
        check("abc", "abcyz", "abcx", "abcxyz");
        check("abc", "cab", "abcx", "cabx");
        check("abc", "xabc", "acb", "xacb");
        check("", "xy", "z", "xyz");
    }

    #[test]
    fn what_both_put_in_stands_once_and_merging_again_changes_nothing() {
        check("abc", "abcx", "abcx", "abcx");
        check("abc", "abcxy", "abcyz", "abcxyz");
        check("abc", "axbc", "abxc", "axbc");
        check("abc", "axbc", "abcxy", "axbcy");
    }

    /// All orders of some of the letters.
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
    fn sides_are_alike_nothing_is_lost_or_doubled_and_a_second_merge_agrees() {
        let (base, mut total, mut again) = (vec![1, 2, 3], 0, 0);
        let compare = |x: u32, y: u32| x.cmp(&y);
        for ours in orders(&[1, 2, 3, 4]) {
            for theirs in orders(&[1, 2, 3, 4, 5]) {
                let got = merge(&base, &ours, &theirs, &compare);
                assert_eq!(got, merge(&base, &theirs, &ours, &compare), "{ours:?} {theirs:?}");
                let (mut all, mut sorted) = ([&base[..], &ours, &theirs].concat(), got.clone());
                all.sort_unstable();
                sorted.sort_unstable();
                all.dedup();
                // A thing that one side took out and the other moved may be left out only if both took it out.
                assert!(sorted.iter().all(|t| all.contains(t)) && sorted.windows(2).all(|w| w[0] != w[1]));
                assert!(ours.iter().chain(&theirs).all(|t| got.contains(t)), "{ours:?} {theirs:?} {got:?}");
                total += 1;
                again += usize::from(merge(&base, &got, &theirs, &compare) == got);
            }
        }
        assert!(again * 100 >= total * 90, "{again} of {total}");
    }

    #[test]
    fn what_one_side_took_out_is_still_an_anchor() {
        check("abc", "ac", "abxc", "abxc");
        check("abcd", "d", "abxcd", "abxcd");
    }
}
