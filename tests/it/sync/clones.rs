//! The measurement of `benches/clones.rs` with its bounds: clones that write and sync at once through a real server.
//!
//! Small in every run, through `git daemon`; with `MEMDIR_FULL` 16 clones, and a web server as well.

#[path = "../../../benches/clones/measure.rs"]
mod measure;

use measure::{Load, Server, World};

use crate::support::memory::{full, missing};
use crate::support::program;

fn check(server: Server, load: Load) {
    if !server.is_installed() {
        return missing(server.name());
    }
    let figures = World::new(program(), server, load.clones).run(load);
    println!("{} clones, {}: {}\n{}", load.clones, server.name(), measure::HEAD, figures.row());
    assert!(figures.gave_up.is_empty(), "{:#?}", figures.gave_up);
    assert!(figures.misplaced.is_empty(), "{:#?}", figures.misplaced);
    assert_eq!(figures.syncs(), load.clones * load.writes.div_ceil(load.writes_before_sync));
}

#[test]
fn clones_behind_a_git_daemon_lose_nothing_and_none_gives_up() {
    if full() {
        check(Server::Daemon, Load { clones: 16, writes: 100, writes_before_sync: 10 })
    } else {
        check(Server::Daemon, Load { clones: 4, writes: 20, writes_before_sync: 10 })
    }
}

#[test]
fn clones_behind_a_web_server_lose_nothing_and_none_gives_up() {
    if full() {
        check(Server::Http, Load { clones: 16, writes: 50, writes_before_sync: 10 });
    }
}
