//! The program `memdir`: hands its arguments to the command line's door, and its exit status to the caller.
//!
//! Never does anything else.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(memdir::cli::run(std::env::args_os().skip(1).collect()))
}
