//! The program `memdir`: passes its arguments to `cli::run` and returns its exit status.
//!
//! Never does anything else.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(memdir::cli::run(std::env::args_os().skip(1).collect()))
}
