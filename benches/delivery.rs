//! Whether the right rule is in front of an agent before it acts: cases of `fixtures/delivery` replayed through the hooks of
//! a real memory, beside a `MEMORY.md` that a host loads, ripgrep where it is installed, and an index alone.
//!
//! `cargo bench --bench delivery -- tuned` (or `judged`, or both without a name) prints one table for each half. `MEMDIR_BIN`
//! names another program. It fails at nothing: `tests/it/delivery.rs` holds the bounds.

#[path = "delivery/measure.rs"]
mod measure;
#[path = "support/mod.rs"]
mod support;

fn main() {
    let halves: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let program = support::program();
    for half in ["tuned", "judged"].iter().filter(|half| halves.is_empty() || halves.iter().any(|name| name == *half)) {
        let keyed = measure::World::with_keywords(program.clone());
        let figures = measure::World::new(program.clone()).measure(half, &keyed);
        println!("## {half}: {} cases\n\n{}", figures.cases, figures.table());
        let noise = [figures.hooks(), figures.hooks_with_keywords()].map(|tally| format!("{:.3}", tally.noise()));
        println!("noise of the hooks: {}; with keywords: {}\n", noise[0], noise[1]);
        figures.misses.iter().filter(|line| line.starts_with("without the row")).for_each(|line| println!("{line}\n"));
        if std::env::var_os("DELIVERY_MISSES").is_some() {
            println!("{}\n", figures.misses.join("\n"));
        }
    }
    let world = measure::World::new(program);
    let (corrections, outputs, stale) = world.correction_reach();
    println!("{corrections} corrections, {outputs} outputs after each; with the old text: {stale:?}");
}
