//! Pairs the parts of two texts by similarity, with a bonus for neighbours that are already paired.
//!
//! Pure, on indices: what a part is, how similar two are and which may be paired is up to the caller.

/// Minimum score at which a part counts as another one that was rephrased (0.6 with a neighbour bonus of 2 × 0.15 was
/// measured best).
pub const MIN_SCORE: f64 = 0.6;
/// Bonus for a paired neighbour above or below.
pub const NEIGHBOUR_BONUS: f64 = 0.15;

/// How well two parts fit.
#[derive(Clone, Copy, Debug)]
pub struct PairScore {
    pub score: f64,
    /// Of pairs with the same score, the one with the smaller distance is preferred.
    pub distance: usize,
}

/// Pairs `0..old` with `0..new`, the best scores first, each index at most once; then by distance and position. Only
/// indices less than `reach` apart are compared. `score` returns `None` for parts that must not be paired.
pub fn best_pairs(
    old: usize,
    new: usize,
    reach: usize,
    score: impl Fn(usize, usize) -> Option<PairScore>,
) -> Vec<(usize, usize)> {
    let mut candidates = Vec::new();
    for i in 0..old {
        let near = (i + 1).saturating_sub(reach)..i.saturating_add(reach).min(new);
        candidates.extend(near.filter_map(|j| score(i, j).map(|fit| (fit, i, j))));
    }
    candidates
        .sort_by(|(x, a, b), (y, c, d)| y.score.total_cmp(&x.score).then((x.distance, a, b).cmp(&(y.distance, c, d))));
    let (mut old_taken, mut new_taken) = (vec![false; old], vec![false; new]);
    candidates.retain(|(_, i, j)| {
        let is_free = !old_taken[*i] && !new_taken[*j];
        if is_free {
            (old_taken[*i], new_taken[*j]) = (true, true);
        }
        is_free
    });
    candidates.into_iter().map(|(_, i, j)| (i, j)).collect()
}

/// The bonus for the neighbours of two parts, above and below: 0 to 0.3. `None` is an edge; two edges count as paired.
pub fn neighbour_bonus(
    old: [Option<usize>; 2],
    new: [Option<usize>; 2],
    are_paired: impl Fn(usize, usize) -> bool,
) -> f64 {
    let counts = |side: usize| match (old[side], new[side]) {
        (None, None) => true,
        (Some(old), Some(new)) => are_paired(old, new),
        _ => false,
    };
    NEIGHBOUR_BONUS * (f64::from(counts(0)) + f64::from(counts(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_pair_is_taken_first_and_ties_go_to_the_nearest() {
        let scores = [[0.7, 0.9], [0.7, 0.8], [0.7, 0.1]];
        let fit = |near: bool| {
            move |i: usize, j: usize| {
                let distance = if near { i.abs_diff(j) } else { 0 };
                (scores[i][j] >= MIN_SCORE).then_some(PairScore { score: scores[i][j], distance })
            }
        };
        assert_eq!(best_pairs(3, 2, 3, fit(true)), [(0, 1), (1, 0)]);
        let equal = |i: usize, j: usize| Some(PairScore { score: 1.0, distance: i.abs_diff(j + 1) });
        assert_eq!(best_pairs(2, 1, usize::MAX, equal), [(1, 0)]);
        assert_eq!(best_pairs(2, 1, usize::MAX, |_, _| Some(PairScore { score: 1.0, distance: 0 })), [(0, 0)]);
        assert_eq!(best_pairs(3, 0, 3, fit(false)), []);
    }

    #[test]
    fn only_what_is_near_is_visited() {
        let visited = std::cell::Cell::new(0);
        let count = |i: usize, j: usize| {
            visited.set(visited.get() + 1);
            assert!(i.abs_diff(j) < 3);
            None
        };
        assert_eq!(best_pairs(100, 50, 3, count), []);
        assert_eq!(visited.get(), 50 * 5 - 3 - 3 + 3);
    }

    #[test]
    fn neighbours_count_where_they_are_paired_or_both_missing() {
        let same = |old, new| old == new;
        assert_eq!(neighbour_bonus([None, Some(1)], [None, Some(1)], same), 0.3);
        assert_eq!(neighbour_bonus([Some(0), Some(1)], [None, Some(1)], same), NEIGHBOUR_BONUS);
        assert_eq!(neighbour_bonus([Some(0), None], [Some(1), Some(2)], same), 0.0);
    }
}
