//! The links between files as a graph: files are nodes, and all links from one file to another are one line.
//!
//! Never resolves a link by itself: `view::links` does, for every use of links.

use std::collections::BTreeMap;

use super::graph_layout::{Point, lay_out};
use super::html::visible;
use crate::document::link_names::LinkNames;
use crate::view::links::{edges, relation, target_and_fragment};
use crate::view::query::item_facts::ItemFacts;

/// More nodes than this cannot be read; those with the fewest links are left out.
const MAX_NODES: usize = 300;
/// The size of the drawing.
pub const SIZE: Point = Point { x: 1000.0, y: 640.0 };
/// The width of a letter and the height of a line of a label, as drawn.
const LETTER_WIDTH: f64 = 6.6;
const LINE_HEIGHT: f64 = 14.0;
/// How far below its file a label begins.
const LABEL_GAP: f64 = 9.0;
/// Nearer to the edge than this, a label begins or ends at its file, so that it is not cut off.
const EDGE: f64 = 100.0;
/// How much of a name a label shows.
const MAX_LABEL: usize = 24;
/// The enlargements at which more labels become visible; the first is the whole graph on a phone.
const ZOOMS: [f64; 4] = [0.4, 1.0, 2.0, 4.0];

/// A file with links.
#[derive(Debug)]
pub struct GraphNode {
    /// The file's number in the page.
    pub file: usize,
    pub path: String,
    pub label: String,
    pub folder: String,
    pub x: String,
    pub y: String,
    pub radius: String,
    /// Where its label is shown: 0 always, 1 on wide screens, 2 there from twofold, 3 from fourfold, 4 never.
    pub label_level: usize,
    /// How its label stands at its file: `start`, `middle` or `end`, as in CSS's `text-anchor`.
    pub anchor: &'static str,
    /// The files that it links to, and those that link to it, as numbers of nodes.
    pub to: Vec<usize>,
    pub from: Vec<usize>,
    /// The numbers of its neighbours, separated by blanks.
    pub neighbours: String,
}

/// The links from one file to another.
#[derive(Debug)]
pub struct GraphEdge {
    pub from: usize,
    pub to: usize,
    /// How many links there are.
    pub count: usize,
    /// The relations that they name, each once.
    pub relations: Vec<String>,
    /// The ends of the line.
    pub line: [String; 4],
}

/// The graph of a memory's links.
#[derive(Debug, Default)]
pub struct LinkGraph {
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    /// How many files with links are left out.
    pub left_out: usize,
    /// How many files have no link.
    pub unlinked: usize,
}

/// Builds the graph of some files, which are numbered in their order.
pub fn link_graph(files: &[ItemFacts<'_>], folders: &[String]) -> LinkGraph {
    let links = file_links(files);
    let mut degrees = vec![0; files.len()];
    for ((from, to), (count, _)) in &links {
        degrees[*from] += count;
        degrees[*to] += count;
    }
    let mut shown: Vec<usize> = (0..files.len()).filter(|file| degrees[*file] > 0).collect();
    let linked = shown.len();
    shown.sort_by_key(|file| (usize::MAX - degrees[*file], *file));
    shown.truncate(MAX_NODES);
    shown.sort_unstable();
    let node_of = |file: usize| shown.binary_search(&file).ok();
    let ends: Vec<(usize, usize)> =
        links.keys().filter_map(|(from, to)| Some((node_of(*from)?, node_of(*to)?))).collect();
    let places = lay_out(shown.len(), &ends, SIZE);
    let mut nodes: Vec<GraphNode> = shown
        .iter()
        .zip(&places)
        .map(|(file, place)| GraphNode {
            file: *file,
            path: visible(files[*file].file.path.as_str()).into_owned(),
            label: label(files[*file].file.path.stem()),
            folder: folders[*file].clone(),
            x: number(place.x),
            y: number(place.y),
            radius: number(3.0 + (degrees[*file] as f64).sqrt().min(7.0)),
            label_level: ZOOMS.len(),
            anchor: if place.x < EDGE {
                "start"
            } else if place.x > SIZE.x - EDGE {
                "end"
            } else {
                "middle"
            },
            to: ends.iter().filter(|end| shown[end.0] == *file).map(|end| end.1).collect(),
            from: ends.iter().filter(|end| shown[end.1] == *file).map(|end| end.0).collect(),
            neighbours: String::new(),
        })
        .collect();
    nodes.iter_mut().for_each(|node| node.neighbours = neighbours(node));
    choose_labels(&mut nodes, &places, &shown.iter().map(|file| degrees[*file]).collect::<Vec<_>>());
    let edges = links.into_iter().filter_map(|((from, to), (count, relations))| {
        let (from, to) = (node_of(from)?, node_of(to)?);
        let line = [places[from].x, places[from].y, places[to].x, places[to].y].map(number);
        Some(GraphEdge { from, to, count, relations, line })
    });
    let edges = edges.collect();
    let left_out = linked - nodes.len();
    LinkGraph { nodes, edges, left_out, unlinked: files.len() - linked }
}

/// For each pair of files, from and to, how many links there are and the relations that they name, each once. Links
/// within a file are left out.
fn file_links(files: &[ItemFacts<'_>]) -> BTreeMap<(usize, usize), (usize, Vec<String>)> {
    let names = LinkNames::new(files.iter().map(|facts| &facts.file.path));
    let mut links: BTreeMap<(usize, usize), (usize, Vec<String>)> = BTreeMap::new();
    for (from, facts) in files.iter().enumerate() {
        // The store has already hidden what the reader may not see.
        for edge in edges(facts, &|_, _| true) {
            let (target, _) = target_and_fragment(&facts.file.document, &edge.link);
            let to = names.resolve(target, edge.link.is_wiki, &facts.file.path);
            let Some(to) = to.filter(|to| *to != from) else { continue };
            let (count, relations) = links.entry((from, to)).or_default();
            *count += 1;
            let named = relation(facts, &edge).map(|name| visible(&name).into_owned());
            relations.extend(named.filter(|name| !relations.contains(name)));
        }
    }
    links
}

/// The numbers of the nodes that a node is linked with, in order, each once.
fn neighbours(node: &GraphNode) -> String {
    let mut all: Vec<usize> = node.to.iter().chain(&node.from).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

fn label(stem: &str) -> String {
    let stem = visible(stem);
    match stem.char_indices().nth(MAX_LABEL) {
        Some((end, _)) => format!("{}…", &stem[..end]),
        None => stem.into_owned(),
    }
}

/// A coordinate with one decimal at most.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Decides which labels are shown at which enlargement: those of the best-linked files first, as long as none overlaps.
fn choose_labels(nodes: &mut [GraphNode], places: &[Point], degrees: &[usize]) {
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|node| (usize::MAX - degrees[*node], *node));
    for (level, zoom) in ZOOMS.iter().enumerate() {
        // A letter keeps its size on the screen, so it covers less of the drawing.
        let box_of = |node: &GraphNode, place: &Point| {
            let width = node.label.chars().count() as f64 * LETTER_WIDTH / zoom;
            let left = match node.anchor {
                "start" => place.x,
                "end" => place.x - width,
                _ => place.x - width / 2.0,
            };
            let top = place.y + LABEL_GAP / zoom;
            (left, top, left + width, top + LINE_HEIGHT / zoom)
        };
        let near = 4.0 / zoom;
        let dots = places.iter().map(|place| (place.x - near, place.y - near, place.x + near, place.y + near));
        let shown = (0..nodes.len()).filter(|node| nodes[*node].label_level < level);
        let mut taken: Vec<(f64, f64, f64, f64)> =
            shown.map(|node| box_of(&nodes[node], &places[node])).chain(dots).collect();
        for &node in &order {
            if nodes[node].label_level < level {
                continue;
            }
            let own = box_of(&nodes[node], &places[node]);
            let is_free = taken.iter().all(|t| own.2 < t.0 || t.2 < own.0 || own.3 < t.1 || t.3 < own.1);
            if is_free {
                taken.push(own);
                nodes[node].label_level = level;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::path::MemoryPath;
    use crate::view::query::bullet_origins::BulletOrigins;
    use crate::view::query::count::ItemizedFile;

    fn graph(texts: &[(String, String)]) -> LinkGraph {
        let files: Vec<ItemizedFile> = texts
            .iter()
            .map(|(path, text)| {
                ItemizedFile::without_counts(MemoryPath::new(path).unwrap(), Document::parse(text.as_str()))
            })
            .collect();
        let origins = BulletOrigins::default();
        let facts: Vec<ItemFacts<'_>> = files.iter().map(|file| ItemFacts::new(file, &origins)).collect();
        link_graph(&facts, &vec!["facts".to_owned(); files.len()])
    }

    fn file(name: &str, text: &str) -> (String, String) {
        (format!("facts/{name}.md"), text.to_owned())
    }

    #[test]
    fn links_between_two_files_are_one_line_with_their_relations() {
        let graph = graph(&[
            file("a", "- depends_on [[b]]\n- see also: the [[b]] file\n- itself [[a]]\n"),
            file("b", "- x\n"),
            file("c", "- alone\n"),
        ]);
        assert_eq!((graph.nodes.len(), graph.unlinked, graph.left_out), (2, 1, 0));
        assert_eq!(graph.edges.len(), 1);
        assert_eq!((graph.edges[0].count, &*graph.edges[0].relations), (2, &["depends_on".to_owned()][..]));
        assert_eq!((graph.nodes[0].to.as_slice(), graph.nodes[1].from.as_slice()), (&[1][..], &[0][..]));
    }

    #[test]
    fn a_graph_of_300_files_stays_readable() {
        let name = |n: usize| format!("note-number-{n}");
        let link = |n: usize| format!("- [[{}]]\n- [[{}]]\n", name((n * 7 + 1) % 340), name(n / 2));
        let texts: Vec<_> = (0..340).map(|n| file(&name(n), &link(n))).collect();
        let graph = graph(&texts);
        assert_eq!((graph.nodes.len(), graph.left_out), (300, 40));
        let place = |node: &GraphNode| Point { x: node.x.parse().unwrap(), y: node.y.parse().unwrap() };
        let places: Vec<Point> = graph.nodes.iter().map(place).collect();
        assert!(places.iter().all(|p| (0.0..=SIZE.x).contains(&p.x) && (0.0..=SIZE.y).contains(&p.y)));
        // No two nodes cover each other, and enough of them have a label before anything is enlarged.
        let distance = |a: &Point, b: &Point| (a.x - b.x).hypot(a.y - b.y);
        let covered = |n: usize| places[..n].iter().any(|other| distance(other, &places[n]) < 5.0);
        let covered = (0..places.len()).filter(|n| covered(*n)).count();
        assert!(covered <= 3, "{covered} nodes cover another");
        let labelled = |level: usize| graph.nodes.iter().filter(|node| node.label_level <= level).count();
        let labelled = [0, 1, 3].map(labelled);
        assert!(labelled[0] >= 2 && labelled[1] >= 30 && labelled[2] >= 250, "{labelled:?}");
    }
}
