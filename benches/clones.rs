//! Past one machine: clones of one memory that write and sync through one server, and a memory of many files and years.
//!
//! `cargo bench --bench clones` prints tab-separated rows. `CLONES=16,32,64`, `WRITES=100`, `EVERY=10` (writes before each
//! `sync`) and `SERVERS=daemon,http` choose what is measured, `QUEUE=no` measures without the queue of clones that wait,
//! `FILES=50000` and `DAYS=1825` are the large memory, `ONLY=clones,large` one half, `MEMDIR_BIN` another program. `http` needs lighttpd; the large memory `cc`. It fails if
//! a clone gives up or a bullet is lost, and at no time: machines differ.

#[path = "clones/large.rs"]
mod large;
#[path = "clones/measure.rs"]
mod measure;
#[path = "support/mod.rs"]
mod support;

use measure::{Load, Server, World};
use support::number;

fn words(name: &str, default: &str) -> Vec<String> {
    std::env::var(name).unwrap_or_else(|_| default.to_owned()).split(',').map(str::to_owned).collect()
}

fn main() {
    let program = support::program();
    let halves = words("ONLY", "clones,large");
    if halves.iter().any(|half| half == "clones") {
        println!("server\tclones\t{}", measure::HEAD);
        let servers = words("SERVERS", "daemon,http");
        let is_wanted = |server: &Server| servers.iter().any(|name| name == server.name());
        for server in [Server::Daemon, Server::Http].into_iter().filter(is_wanted) {
            assert!(server.is_installed(), "{} needs git-daemon, or git-http-backend and lighttpd", server.name());
            for clones in words("CLONES", "16,32,64").iter().filter_map(|n| n.parse().ok()) {
                let load = Load { clones, writes: number("WRITES", 100), writes_before_sync: number("EVERY", 10) };
                let world = World::new(&program, server, clones);
                if std::env::var("QUEUE").is_ok_and(|queue| queue == "no") {
                    world.refuse_queue();
                }
                let figures = world.run(load);
                println!("{}\t{clones}\t{}", server.name(), figures.row());
                assert!(figures.gave_up.is_empty(), "gave up: {:#?}", figures.gave_up);
                assert!(figures.misplaced.is_empty(), "not there once: {:#?}", figures.misplaced);
            }
        }
    }
    if halves.iter().any(|half| half == "large") {
        large::measure(&program, number("FILES", 50_000), number("DAYS", 5 * 365));
    }
}
