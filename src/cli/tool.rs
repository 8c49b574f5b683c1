//! `tool`: the memory tool of a vendor's API, as JSON on stdin and stdout.
//!
//! Never fails on a request: a reply says itself whether it is an error. It fails only where there is no reply to give.

use std::io::{BufRead, BufReader, Read};

use clap::{Args, ValueEnum};

use super::args::GlobalArgs;
use super::open::{self, SessionNeeds};
use super::output::CliReply;
use super::run::read_content;
use crate::commands::{Error, MemoryToolReply, memory_tool};
use crate::memory::OpenOptions;

/// The longest line, in bytes: a request with the largest file in it, in JSON.
const MAX_REQUEST_BYTES: u64 = 64 << 20;
/// The caller's name, unless another is given: the tool exists for this model.
const ACTOR: &str = "claude";

#[derive(Args, Debug)]
#[command(
    about = "Serve a vendor's memory tool: reads a request as JSON from stdin, prints its reply",
    after_help = "anthropic: the commands view, create, str_replace, insert, delete and rename of the type \
                  memory_20250818. The reply is {\"content\", \"is_error\"}. /memories is the data directory, where a \
                  bare name is one of facts/ and notes.txt is kept as notes.txt.md. Every change is planned like any \
                  other, and `memdir undo` takes it back.\n\nExample: echo '{\"command\":\"view\",\"path\":\"/memories\"}' | \
                  memdir tool anthropic"
)]
#[group(skip)]
pub struct ToolArgs {
    /// Whose tool
    #[arg(value_name = "VENDOR")]
    pub vendor: ToolVendor,
    /// Read one request a line and print one reply a line, until stdin ends
    #[arg(long)]
    pub serve: bool,
}

/// A vendor of a memory tool.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolVendor {
    Anthropic,
}

/// Runs `tool`.
pub fn run_tool(global: &GlobalArgs, args: &ToolArgs) -> CliReply {
    let ToolVendor::Anthropic = args.vendor;
    let named = open::open_options(global, None);
    let actor = named.actor.clone().or_else(|| open::env("MEMDIR_AS")).filter(|name| !name.trim().is_empty());
    let options = OpenOptions { actor: Some(actor.unwrap_or_else(|| ACTOR.to_owned())), ..named };
    if args.serve {
        let mut input = BufReader::new(std::io::stdin());
        return CliReply::Lines(Box::new(std::iter::from_fn(move || next_reply(&options, &mut input))));
    }
    match read_content(None) {
        Ok(request) => CliReply::Text(reply_line(&options, &request)),
        Err(why) => why.into(),
    }
}

/// The reply to the next line that is not empty; `None` at the end of the input.
fn next_reply(options: &OpenOptions, input: &mut impl BufRead) -> Option<String> {
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_REQUEST_BYTES).read_until(b'\n', &mut line).ok()?;
        if read == 0 {
            return None;
        }
        let request = String::from_utf8_lossy(&line);
        if !request.trim().is_empty() {
            return Some(reply_line(options, &request));
        }
    }
}

/// Opens the memory for every request, so that each sees the clock, the policy and the files as they are then.
fn reply_line(options: &OpenOptions, request: &str) -> String {
    let reply = match options.open_session(SessionNeeds::All) {
        Ok(session) => memory_tool(&session, request),
        Err(why) => MemoryToolReply::error(Error::from(why).to_string()),
    };
    serde_json::to_string(&reply).unwrap_or_default() + "\n"
}
