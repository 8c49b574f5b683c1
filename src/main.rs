//! The program `memdir`: passes its arguments to `cli::run` and exits with its status.
//!
//! Never does anything else.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

mod entry;

#[cfg(any(not(all(target_os = "linux", target_env = "gnu")), test))]
fn main() -> std::process::ExitCode {
    run().into()
}

fn run() -> u8 {
    entry::disable_backtraces();
    memdir::cli::run(std::env::args_os().skip(1).collect())
}
