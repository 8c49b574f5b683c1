//! Whether a context holds what a session needs: needs planted in 1,000 files, against packing newest first and at random.

use std::collections::BTreeSet;

use fastrand::Rng;
use memdir::commands::{ContextRequest, context};

use crate::support::Memory;

const FILES: usize = 1000;
const BULLETS: usize = 20;

/// A text that can be packed: its line, and its day for packings by day.
struct Item {
    day: String,
    line: String,
}

/// A memory of 1,000 files, everything in it as items, and the names of what is needed: always, and else.
struct Planted {
    memory: Memory,
    items: Vec<Item>,
    must: BTreeSet<String>,
    needs: BTreeSet<String>,
}

fn day(rng: &mut Rng) -> String {
    format!("202{}-{:02}-{:02}", 4 + rng.usize(..2), 1 + rng.usize(..12), 1 + rng.usize(..28))
}

fn planted() -> Planted {
    let mut rng = Rng::with_seed(41);
    let words = ["tide", "harbour", "release", "tea", "review", "deploy", "garden", "battery", "meeting", "invoice"];
    let sentence = |rng: &mut Rng, n: usize| (0..n).map(|_| words[rng.usize(..10)]).collect::<Vec<_>>().join(" ");
    // The place of each need: file, bullet, metadata.
    let mut places: Vec<(usize, usize, String)> = Vec::new();
    let metas = ["pin", "pin imp=5", "imp=9", "imp=8", "imp=7", "imp=6", "imp=5"];
    for meta in metas {
        for _ in 0..3 {
            places.push((rng.usize(..FILES - 24), rng.usize(..BULLETS), meta.to_owned()));
        }
    }
    let (mut must, mut needs, mut items) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut memory = Memory::new();
    for file in 0..FILES - 24 {
        let path = format!("facts/f{file:04}.md");
        let mut text = format!("# F{file}\n\n> Summary: {}\n\n", sentence(&mut rng, 4).replace(' ', ", "));
        for bullet in 0..BULLETS {
            let day = day(&mut rng);
            let place = places.iter().position(|(f, b, _)| (*f, *b) == (file, bullet));
            let length = 6 + rng.usize(..8);
            let (wording, meta) = match place {
                Some(n) => {
                    let name = format!("need{n:02}");
                    if n < 15 { &mut must } else { &mut needs }.insert(name.clone());
                    (format!("{name} {}", sentence(&mut rng, length)), format!("added={day} {}", places[n].2))
                }
                None => {
                    let weight =
                        if rng.usize(..100) == 0 { format!(" imp={}", 1 + rng.usize(..4)) } else { String::new() };
                    (sentence(&mut rng, length), format!("added={day}{weight}"))
                }
            };
            text += &format!("- {wording}\n  <!-- mem {meta} -->\n");
            items.push(Item { day, line: format!("- {wording} ({path}@abcd)\n") });
        }
        memory = memory.file(&path, &text);
    }
    for month in 0..24 {
        let (year, number) = (2024 + month / 12, 1 + month % 12);
        let path = format!("episodes/{year}-{number:02}.md");
        let mut text = format!("# {year}-{number:02} Episodes\n\n");
        for entry in 1..=10 {
            let day = format!("{year}-{number:02}-{:02}", 8 + 2 * entry);
            let name = if month == 23 && entry > 8 { format!("need{}", 90 + entry) } else { format!("entry{entry}") };
            if name.starts_with("need") {
                needs.insert(name.clone());
            }
            let wording = sentence(&mut rng, 5);
            text += &format!(
                "## {name} happened\n- Summary: {wording}\n- Date: {day}\n- Lesson: {}\n\n",
                sentence(&mut rng, 9)
            );
            items.push(Item { line: format!("- {day} {name} happened: {wording} ({path}#x)\n"), day });
        }
        memory = memory.file(&path, &text);
    }
    Planted { memory, items, must, needs }
}

/// The share of the names that a text contains.
fn share(names: &BTreeSet<String>, text: &str) -> f64 {
    names.iter().filter(|n| text.contains(&format!("{n} "))).count() as f64 / names.len() as f64
}

/// Items in this order, as many as fit into the whole budget: no frame, no index, no help.
fn packed<'a>(items: impl Iterator<Item = &'a Item>, budget: usize) -> String {
    let mut out = String::new();
    for item in items {
        if (out.len() + item.line.len()).div_ceil(4) > budget {
            break;
        }
        out += &item.line;
    }
    out
}

#[test]
fn a_context_holds_what_is_needed_and_other_packings_do_not() {
    let planted = planted();
    let session = planted.memory.session();
    let all: BTreeSet<String> = planted.must.union(&planted.needs).cloned().collect();
    assert_eq!((planted.must.len(), all.len()), (15, 23));
    let mut newest: Vec<&Item> = planted.items.iter().collect();
    newest.sort_by(|a, b| b.day.cmp(&a.day));
    for (budget, least) in [(500, 0.4), (2000, 0.95)] {
        let query = ContextRequest { budget: Some(budget), ..ContextRequest::default() };
        let Ok((context, None)) = context(&session, &query) else { panic!("a context") };
        assert!(context.tokens <= budget);
        let ours = share(&all, &context.text);
        let first = share(&all, &packed(newest.iter().copied(), budget));
        let mut rng = Rng::with_seed(7);
        let rounds = 50;
        let chance: f64 = (0..rounds)
            .map(|_| {
                let mut order: Vec<&Item> = planted.items.iter().collect();
                rng.shuffle(&mut order);
                share(&all, &packed(order.into_iter(), budget)) / f64::from(rounds)
            })
            .sum();
        println!("{budget} tokens: context {ours:.2}, newest first {first:.2}, random {chance:.3}");
        // They are there whole, or the page says how many are not.
        let shown = planted.must.iter().filter(|name| context.text.contains(&format!("{name} "))).count();
        let left_out: usize =
            context.left_out.iter().filter_map(|line| line.split(' ').nth(2)?.parse::<usize>().ok()).take(1).sum();
        assert_eq!(shown == planted.must.len(), left_out == 0 || budget == 2000, "{shown}\n{}", context.text);
        assert!(ours >= least, "{ours}\n{}", context.text);
        assert!(ours >= first + 0.4 && ours >= chance + 0.4, "{ours} {first} {chance}");
    }
}
