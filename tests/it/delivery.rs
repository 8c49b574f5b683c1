//! The measurement of `benches/delivery.rs` with its bounds: whether the right rule is in front of an agent before it
//! acts.

#[path = "../../benches/delivery/measure.rs"]
mod measure;

use measure::World;

use crate::support::program;

#[test]
fn the_right_rule_is_there_before_the_act() {
    let (world, keyed) = (World::new(program()), World::with_keywords(program()));
    for half in ["tuned", "judged"] {
        if half == "judged" && std::env::var_os("DELIVERY_TUNING").is_some() {
            continue;
        }
        let figures = world.measure(half, &keyed);
        println!("{half}\n{}", figures.table());
        if half == "tuned" {
            println!("{}", figures.misses.join("\n"));
        }
        let hooks = figures.hooks();
        assert_eq!(hooks.outdated, 0);
        assert!(hooks.start_tokens <= 600 && hooks.most_tokens <= 300, "{} {}", hooks.start_tokens, hooks.most_tokens);
        assert!(hooks.share(&["when", "path", "command"]) >= 0.95, "{half}: {:?}", hooks.kinds);
        assert!(hooks.share(&["prompt", "task"]) >= 0.8, "{half}: {:?}", hooks.kinds);
        assert!(hooks.noise() <= 0.1, "{half}: {}", hooks.noise());
        let keyed = figures.hooks_with_keywords();
        let bound = if half == "tuned" { 0.1 } else { 0.2 };
        assert!(keyed.share(&["reworded"]) >= hooks.share(&["reworded"]) + bound, "{half}: {:?}", keyed.kinds);
        assert!(keyed.noise() <= 0.1 && keyed.most_tokens <= 300, "{half}: {}", keyed.noise());
    }
}

#[test]
fn after_a_correction_no_output_shows_the_old_text() {
    let (corrections, outputs, stale) = World::new(program()).correction_reach();
    assert_eq!((corrections, outputs), (16, 11));
    assert!(stale.is_empty(), "{stale:?}");
}
