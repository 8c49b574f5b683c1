//! Faults from outside: the program is killed, refused and cut off at every system call it makes, as `strace` sees
//! and meddles with them.
//!
//! Never trusts the program's own report: the directory is compared. Small by default; `MEMDIR_FULL=1` (see
//! `.ci/full`) takes every command and every call, on the program that `MEMDIR_BIN` names.

mod aftermath;
mod cases;
mod checkpoints;
mod cuts;
mod errors;
mod images;
mod kills;
mod limits;
mod model;
mod order;
mod syncs;
mod trace;
mod workspace;

use crate::support::memory::full;

/// Whether calls can be watched here. The full run may not do without.
fn watched() -> bool {
    let can = trace::available();
    if !can {
        crate::support::memory::missing("strace, and the right to trace a child");
    }
    can
}
