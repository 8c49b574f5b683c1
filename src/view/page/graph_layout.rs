//! Places the nodes of a graph: linked ones near each other, all others apart (T. M. J. Fruchterman and E. M. Reingold,
//! "Graph Drawing by Force-directed Placement", 1991).
//!
//! Never uses chance: the same graph is always drawn in the same way.

/// A place in a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// How often all nodes are moved.
const ROUNDS: usize = 250;
/// The distance from the border that the outermost nodes keep.
const MARGIN: f64 = 36.0;
/// The angle between two nodes at the start, in radians: the golden angle spreads them evenly.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
/// How strongly nodes are drawn to the middle, so that unconnected parts do not drift away.
const GRAVITY: f64 = 0.06;

/// Places `count` nodes in a drawing of a size. The edges are pairs of node numbers.
pub fn lay_out(count: usize, edges: &[(usize, usize)], size: Point) -> Vec<Point> {
    let start = |node: usize| {
        let radius = ((node as f64 + 0.5) / count as f64).sqrt();
        let angle = node as f64 * GOLDEN_ANGLE;
        Point { x: radius * angle.cos(), y: radius * angle.sin() }
    };
    let mut places: Vec<Point> = (0..count).map(start).collect();
    if count < 2 {
        return vec![Point { x: size.x / 2.0, y: size.y / 2.0 }; count];
    }
    // The distance at which attraction and repulsion of two linked nodes are equal.
    let ideal = 1.6 / (count as f64).sqrt();
    for round in 0..ROUNDS {
        let forces = forces(&places, edges, ideal);
        let step = 0.2 * (1.0 - round as f64 / ROUNDS as f64).powi(2) + 0.001;
        for (place, force) in places.iter_mut().zip(forces) {
            let length = force.x.hypot(force.y).max(1e-9);
            place.x += force.x / length * length.min(step);
            place.y += force.y / length * length.min(step);
        }
    }
    fit(places, size)
}

fn forces(places: &[Point], edges: &[(usize, usize)], ideal: f64) -> Vec<Point> {
    let mut forces: Vec<Point> = places.iter().map(|p| Point { x: -p.x * GRAVITY, y: -p.y * GRAVITY }).collect();
    for a in 0..places.len() {
        for b in a + 1..places.len() {
            let (dx, dy) = (places[a].x - places[b].x, places[a].y - places[b].y);
            let push = ideal * ideal / (dx * dx + dy * dy).max(1e-6);
            forces[a].x += dx * push;
            forces[a].y += dy * push;
            forces[b].x -= dx * push;
            forces[b].y -= dy * push;
        }
    }
    for (a, b) in edges.iter().filter(|(a, b)| a != b) {
        let (dx, dy) = (places[*a].x - places[*b].x, places[*a].y - places[*b].y);
        let pull = dx.hypot(dy) / ideal;
        forces[*a].x -= dx * pull;
        forces[*a].y -= dy * pull;
        forces[*b].x += dx * pull;
        forces[*b].y += dy * pull;
    }
    forces
}

/// Stretches the places to the whole drawing.
fn fit(places: Vec<Point>, size: Point) -> Vec<Point> {
    let range = |of: fn(&Point) -> f64| {
        let values = places.iter().map(of);
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (xs, ys) = (range(|p| p.x), range(|p| p.y));
    let stretch = |value: f64, (low, high): (f64, f64), size: f64| match high - low {
        width if width < 1e-6 => size / 2.0,
        width => MARGIN + (value - low) / width * (size - 2.0 * MARGIN),
    };
    places.iter().map(|p| Point { x: stretch(p.x, xs, size.x), y: stretch(p.y, ys, size.y) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_nodes_are_near_each_other() {
        let size = Point { x: 1000.0, y: 600.0 };
        // Two groups of four, without a link between them.
        let group = |first: usize| (0..4).flat_map(move |a| (0..a).map(move |b| (first + a, first + b)));
        let edges: Vec<(usize, usize)> = group(0).chain(group(4)).collect();
        let places = lay_out(8, &edges, size);
        let distance = |a: usize, b: usize| (places[a].x - places[b].x).hypot(places[a].y - places[b].y);
        let nearest_other = (0..4).flat_map(|a| (4..8).map(move |b| (a, b))).map(|(a, b)| distance(a, b));
        let nearest_other = nearest_other.fold(f64::MAX, f64::min);
        assert!(distance(0, 1) < nearest_other, "{places:?}");
        assert_eq!(places, lay_out(8, &edges, size));
        assert_eq!(lay_out(1, &[], size), [Point { x: 500.0, y: 300.0 }]);
        assert!(lay_out(0, &[], size).is_empty());
    }
}
