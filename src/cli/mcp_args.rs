//! `mcp`: its options as clap parses them, and the server that they select.
//!
//! Never answers a request: `crate::mcp` does.

use clap::{Args, ValueEnum};

use super::args::GlobalArgs;
use super::output::CliReply;
use crate::code::{Code, Rejection};

#[derive(Args, Debug)]
#[command(
    about = "Serve an agent's host over the Model Context Protocol, on stdin and stdout",
    after_help = "It ends when stdin is closed. The caller is an agent, named by --as, MEMDIR_AS or its host; what a \
                  client says about itself changes nothing. MEMDIR_MODE=read is --read-only, MEMDIR_MODE=off offers \
                  no tools.\n\nExample: memdir --as claude mcp"
)]
#[group(skip)]
pub struct McpArgs {
    /// The tools: memory (context, query, list, read, change, append), seed (read, write, patch, append, list) or graph
    /// (entities, relations and observations)
    #[arg(long, value_name = "SET", default_value = "memory", hide_default_value = true, hide_possible_values = true)]
    pub tools: ToolSetArg,
    /// Leave out the tools that change the memory
    #[arg(long)]
    pub read_only: bool,
}

/// The tools that a server offers.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSetArg {
    Memory,
    Seed,
    Graph,
}

/// Runs `mcp` until the client is gone.
// Inlined in `subcommands::run`, its runtime would need 64 KiB of stack in every command, cleared by the kernel each time.
#[inline(never)]
#[cfg(feature = "mcp")]
pub fn run_server(global: &GlobalArgs, args: &McpArgs) -> CliReply {
    use super::{context, open};
    use crate::mcp::{self, ServerAccess, ServerOptions, ToolSet};
    use crate::memory::OpenOptions;

    if let Err(error) = open::check_variables() {
        return error.into();
    }
    let access = match open::env("MEMDIR_MODE").as_deref() {
        None | Some("" | "on") if args.read_only => ServerAccess::ReadOnly,
        None | Some("" | "on") => ServerAccess::ReadAndChange,
        Some("read") => ServerAccess::ReadOnly,
        Some("off") => ServerAccess::Nothing,
        Some(_) => {
            let message = "MEMDIR_MODE must be on, read or off";
            return Rejection::new(Code::Usage, message).hint("see ENVIRONMENT in memdir(1)").into();
        }
    };
    let memory = OpenOptions { agent: true, ..open::open_options(global, None) };
    let tools = match args.tools {
        ToolSetArg::Memory => ToolSet::Memory,
        ToolSetArg::Seed => ToolSet::Seed,
        ToolSetArg::Graph => ToolSet::Graph,
    };
    let options = ServerOptions { memory, is_named: context::has_reader_name(global), tools, access };
    match mcp::serve(options) {
        Ok(()) => CliReply::Status(0, String::new()),
        Err(rejection) => rejection.into(),
    }
}

/// Without the feature there is no server.
#[cfg(not(feature = "mcp"))]
pub fn run_server(_global: &GlobalArgs, _args: &McpArgs) -> CliReply {
    let message = "this program was built without the MCP server";
    Rejection::new(Code::Usage, message).hint("build it with the feature mcp, which is on by default").into()
}
