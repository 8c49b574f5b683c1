//! `tool`: the memory tool of a vendor's API, or of the earlier memory designs (docs/internals/requirements.md), as
//! JSON on stdin and stdout.
//!
//! Never fails on a request: a reply says itself whether it is an error. It fails only where there is no reply to give.

use std::io::{BufRead, BufReader, Read};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::args::GlobalArgs;
use super::open::{self, SessionNeeds};
use super::output::CliReply;
use super::run::read_content;
use crate::commands::{Error, MemoryToolReply, memory_tool, seed_refusal, seed_request};
use crate::memory::OpenOptions;

/// The longest line, in bytes: a request with the largest file in it, in JSON.
const MAX_REQUEST_BYTES: u64 = 64 << 20;

#[derive(Args, Debug)]
#[command(
    about = "Serve another program's memory tool: reads a request as JSON from stdin, prints its reply",
    after_help = "anthropic: the commands view, create, str_replace, insert, delete and rename of the type \
                  memory_20250818. The reply is {\"content\", \"is_error\"}. /memories is the data directory, where a \
                  bare name is one of facts/ and notes.txt is kept as notes.txt.md. Every change is planned like any \
                  other, and `memdir undo` takes it back.\n\nseed: calls of memory_read, memory_write, memory_patch, \
                  memory_append and memory_list; decisions about bullets (intent) and paths (operation, edits); a \
                  search for locations (query, json_content); memory.query. Proof is never asked for. A failure has \
                  \"success\":false.\n\nExample: echo '{\"command\":\"view\",\"path\":\"/memories\"}' | \
                  memdir tool anthropic"
)]
#[group(skip)]
pub struct ToolArgs {
    /// The vendor whose tool is served
    #[arg(value_name = "VENDOR")]
    pub vendor: ToolVendor,
    /// Read one request a line and print one reply a line, until stdin ends
    #[arg(long)]
    pub serve: bool,
}

/// Whose memory tool it is.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolVendor {
    Anthropic,
    Seed,
}

impl ToolVendor {
    /// The caller's name, unless another is given: the vendor's tool exists for one model.
    fn default_actor(self) -> Option<&'static str> {
        match self {
            ToolVendor::Anthropic => Some("claude"),
            ToolVendor::Seed => None,
        }
    }

    fn reply(self, options: &OpenOptions, request: &str) -> Value {
        let session = options.open_session(SessionNeeds::All);
        match (self, session) {
            (ToolVendor::Anthropic, Ok(session)) => json!(memory_tool(&session, request)),
            (ToolVendor::Anthropic, Err(rejection)) => {
                json!(MemoryToolReply::error(Error::from(rejection).to_string()))
            }
            (ToolVendor::Seed, Ok(session)) => {
                seed_request(&session, request).unwrap_or_else(|rejection| seed_refusal(&rejection))
            }
            (ToolVendor::Seed, Err(rejection)) => seed_refusal(&rejection.into()),
        }
    }
}

/// Answers one request from stdin, or with `--serve` one a line until stdin ends.
pub fn run_tool(global: &GlobalArgs, args: &ToolArgs) -> CliReply {
    let vendor = args.vendor;
    let named = open::open_options(global, None);
    let actor = named.actor.clone().or_else(|| open::env("MEMDIR_AS")).filter(|name| !name.trim().is_empty());
    let actor = actor.or(vendor.default_actor().map(str::to_owned));
    let options = OpenOptions { actor, agent: true, ..named };
    if args.serve {
        let mut input = BufReader::new(std::io::stdin());
        return CliReply::Lines(Box::new(std::iter::from_fn(move || next_reply(vendor, &options, &mut input).map(Ok))));
    }
    match read_content(None) {
        Ok(request) => CliReply::Text(reply_line(vendor, &options, &request)),
        Err(error) => error.into(),
    }
}

/// The reply to the next line that is not empty; `None` at the end of the input.
fn next_reply(vendor: ToolVendor, options: &OpenOptions, input: &mut impl BufRead) -> Option<String> {
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_REQUEST_BYTES).read_until(b'\n', &mut line).ok()?;
        if read == 0 {
            return None;
        }
        let request = String::from_utf8_lossy(&line);
        if !request.trim().is_empty() {
            return Some(reply_line(vendor, options, &request));
        }
    }
}

/// Opens the memory for every request, so that each sees the clock, the policy and the files as they are then.
fn reply_line(vendor: ToolVendor, options: &OpenOptions, request: &str) -> String {
    vendor.reply(options, request).to_string() + "\n"
}
