//! Generates completion scripts, manual pages, JSON Schemas and the table of `grammar.rs` from the grammar and the
//! codes.
//!
//! Never reads the memory.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::PathBuf;

use clap::{Arg, Args, Command, ValueEnum, ValueHint};
use clap_complete::aot;

use super::args;
use super::argv::RmOperand;
use super::grammar::ValueKind;
use super::roff_text::roff_to_text;
use crate::code::{Code, Rejection};
use crate::{host, operation, policy, view};

/// What a schema describes.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaTopic {
    Operation,
    Policy,
    Query,
    Answer,
}

#[derive(Args, Debug)]
#[command(about = "Print a JSON Schema", after_help = "Example: memdir schema operation")]
#[group(skip)]
pub struct SchemaArgs {
    /// What the schema describes
    #[arg(value_name = "WHAT")]
    pub topic: SchemaTopic,
}

/// The shells that have a completion script.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionShell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Args, Debug)]
#[command(
    about = "Print a shell completion script",
    after_help = "Example: memdir completions bash > ~/.local/share/bash-completion/completions/memdir"
)]
#[group(skip)]
pub struct CompletionsArgs {
    /// The shell whose script is printed
    #[arg(value_name = "SHELL")]
    pub shell: CompletionShell,
}

#[derive(Args, Debug)]
#[command(about = "Print a manual page", after_help = "Example: memdir man add")]
#[group(skip)]
pub struct ManArgs {
    /// A command, or format for memdir-format(5), durability for memdir-durability(7) (default: memdir(1))
    #[arg(value_name = "PAGE")]
    pub page: Option<String>,
    /// Print it in roff, the source of `man`
    #[arg(long)]
    pub roff: bool,
    /// Write all pages in roff into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "page")]
    pub all: Option<PathBuf>,
}

/// A JSON Schema, pretty-printed.
pub fn schema(topic: SchemaTopic) -> String {
    let schema = match topic {
        SchemaTopic::Operation => operation::dialects::operations_schema(),
        SchemaTopic::Policy => policy::schema(),
        SchemaTopic::Query => view::query::query_json::schema(),
        SchemaTopic::Answer => super::print_result::schema(),
    };
    format!("{schema:#}\n")
}

/// The grammar without the internal command `__complete`.
fn public_grammar() -> Command {
    let mut command = args::public_command();
    command.build();
    command
}

/// A completion script: clap's own, extended by files, sections and bullets of the memory.
pub fn completions(shell: CompletionShell) -> String {
    let mut script = Vec::new();
    let mut command = public_grammar();
    match shell {
        CompletionShell::Bash => aot::generate(aot::Bash, &mut command, "memdir", &mut script),
        CompletionShell::Zsh => aot::generate(aot::Zsh, &mut command, "memdir", &mut script),
        CompletionShell::Fish => aot::generate(aot::Fish, &mut command, "memdir", &mut script),
    }
    let clap = String::from_utf8_lossy(&script).into_owned();
    match shell {
        CompletionShell::Bash => format!("{clap}\n{}", include_str!("complete/memdir.bash")),
        CompletionShell::Zsh => patch_zsh(&clap),
        CompletionShell::Fish => format!("{}\n{}", patch_fish(&clap), include_str!("complete/memdir.fish")),
    }
}

/// The options whose values name something of the memory: the command, empty for the program itself, and the option as
/// it is written, `--tag` or `-S`.
fn completed_options() -> HashSet<(String, String)> {
    let root = super::grammar();
    let options_of = |command: &Command, name: &str| {
        let completed = command.get_opts().filter(|arg| value_kind(&[name], arg).is_completed());
        let written = completed.flat_map(|arg| {
            let (long, short) = (arg.get_long().map(|long| format!("--{long}")), arg.get_short());
            long.into_iter().chain(short.map(|short| format!("-{short}")))
        });
        written.map(|option| (name.to_owned(), option)).collect::<Vec<_>>()
    };
    let with_inner = |command: &Command| {
        let all = std::iter::once(command).chain(command.get_subcommands());
        all.flat_map(|inner| options_of(inner, command.get_name())).collect::<Vec<_>>()
    };
    let commands = root.get_subcommands().flat_map(with_inner);
    options_of(&root, "").into_iter().chain(commands).collect()
}

/// Changes clap's fish script so that the values of such options are completed by memdir.
fn patch_fish(clap: &str) -> String {
    let completed = completed_options();
    let is_completed = |line: &str| {
        let command = line.split_once("__fish_memdir_using_subcommand ").map_or("", |(_, rest)| rest);
        let command = command.split(['"', ' ', ';']).next().unwrap_or_default();
        let long = line.split_once(" -l ").and_then(|(_, rest)| rest.split(' ').next()).unwrap_or_default();
        line.ends_with(" -r") && completed.contains(&(command.to_owned(), format!("--{long}")))
    };
    let mut out = String::with_capacity(clap.len());
    for line in clap.lines() {
        out.push_str(line);
        out.push_str(if is_completed(line) { " -f -a \"(__fish_memdir_values)\"\n" } else { "\n" });
    }
    out
}

/// Changes clap's zsh script so that positionals and the values of such options are completed by memdir first.
fn patch_zsh(clap: &str) -> String {
    let own_functions = include_str!("complete/memdir.zsh");
    // Where another command's option of the same name takes something else, there are no candidates.
    let completed: HashSet<String> = completed_options().into_iter().map(|(_, option)| option).collect();
    let is_completed = |line: &str| {
        let option = line.trim_start_matches(['\'', '*']).split(['=', '+', '[']).next().unwrap_or_default();
        completed.contains(option)
    };
    let mut out = String::with_capacity(clap.len() + own_functions.len());
    for line in clap.lines() {
        let positional = line.starts_with("':") || line.starts_with("'*:");
        match line {
            "_memdir() {" => out.push_str("_memdir_clap() {"),
            "if [ \"$funcstack[1]\" = \"_memdir\" ]; then" => {
                out.push_str(own_functions.trim_start());
                out.push_str(line);
            }
            _ if positional || is_completed(line) => out.push_str(&line.replace(":_default'", ":_memdir_words'")),
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// Returns one manual page as text or in roff; with `--all`, writes all of them to a directory.
pub fn man(args: &ManArgs) -> Result<String, Rejection> {
    if let Some(dir) = &args.all {
        host::content::create_folder(dir)?;
        for (name, text) in man_pages() {
            host::content::write_file(&dir.join(&name), &text)?;
        }
        return Ok(String::new());
    }
    let page = args.page.as_deref().unwrap_or("memdir");
    let name = page.trim_start_matches("memdir-");
    let file = match name {
        "memdir" => "memdir.1".to_owned(),
        "format" => "memdir-format.5".to_owned(),
        "durability" => "memdir-durability.7".to_owned(),
        command => format!("memdir-{command}.1"),
    };
    let no_page = || Rejection::new(Code::Usage, format!("no manual page '{page}'"));
    let (_, roff) = man_pages().into_iter().find(|(n, _)| *n == file).ok_or_else(no_page)?;
    Ok(if args.roff { roff } else { roff_to_text(&roff) })
}

/// All manual pages: file name and roff.
fn man_pages() -> Vec<(String, String)> {
    let command = public_grammar();
    let mut pages = vec![("memdir.1".to_owned(), command_page(&command, &["memdir"]))];
    for subcommand in command.get_subcommands().filter(|c| !c.get_name().starts_with("__") && c.get_name() != "help") {
        pages.push((
            format!("memdir-{}.1", subcommand.get_name()),
            command_page(subcommand, &["memdir", subcommand.get_name()]),
        ));
        for bullet_command in subcommand.get_subcommands().filter(|c| c.get_name() != "help") {
            let name = format!("memdir-{}-{}", subcommand.get_name(), bullet_command.get_name());
            pages.push((
                format!("{name}.1"),
                command_page(bullet_command, &["memdir", subcommand.get_name(), bullet_command.get_name()]),
            ));
        }
    }
    pages.push(("memdir-format.5".to_owned(), super::manual::format_page()));
    pages.push(("memdir-durability.7".to_owned(), super::manual::durability_page()));
    pages
}

/// The manual page of a subcommand; `words` are the program and the names that call it.
fn command_page(command: &Command, words: &[&str]) -> String {
    let (name, usage) = (words.join("-"), words.join(" "));
    let command = command.clone().name(name.clone()).bin_name(usage).display_name(name.clone()).version("");
    let command = if name == "memdir" { command.version(env!("CARGO_PKG_VERSION")) } else { command };
    // The usage line of the help: the generated one repeats every option without its value.
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim_start().to_owned();
    let command = command.override_usage(usage);
    let mut out = Vec::new();
    let page = clap_mangen::Man::new(command).date("").source("memdir").manual("memdir");
    drop(page.render(&mut out));
    let text = String::from_utf8_lossy(&out).into_owned();
    match text.split_once(".SH VERSION\n") {
        Some((before, version)) if name == "memdir" => {
            format!("{before}{}.SH VERSION\n{version}", super::manual::program_sections())
        }
        // clap_mangen also prints an empty version.
        Some((before, _)) => before.to_owned(),
        None => text,
    }
}

/// The table from which `grammar.rs` reads what a word is, as Rust source. Each option stands in it once.
fn grammar_table() -> String {
    let root = super::grammar();
    let mut commands = vec![(Vec::new(), &root)];
    for command in root.get_subcommands() {
        commands.push((vec![command.get_name()], command));
        commands.extend(command.get_subcommands().map(|sub| (vec![command.get_name(), sub.get_name()], sub)));
    }
    let mut options: Vec<(String, String)> = Vec::new();
    let mut rows = String::new();
    for (path, command) in commands {
        // The options of the program are listed only with the program itself.
        let is_global = |arg: &Arg| !path.is_empty() && root.get_arguments().any(|a| a.get_id() == arg.get_id());
        let mut names = Vec::new();
        for arg in command.get_opts().filter(|arg| !is_global(arg)) {
            let (long, kind) = (arg.get_long().unwrap_or_default(), value_kind(&path, arg));
            let name = if long.is_empty() { arg.get_short().map(String::from) } else { Some(long.to_owned()) };
            // Two options of one name take different kinds of values.
            let name = format!("{}_{kind:?}", name.unwrap_or_default()).replace('-', "_").to_uppercase();
            let option = format!("option({long:?}, {:?}, {kind:?})", arg.get_short());
            if options.iter().all(|(known, _)| *known != name) {
                options.push((name.clone(), option));
            }
            names.push(name);
        }
        let positionals = command.get_positionals().map(|arg| {
            let repeated = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
            format!("{}({:?})", if repeated { "many" } else { "one" }, value_kind(&path, arg))
        });
        let positionals = positionals.collect::<Vec<_>>().join(", ");
        let aliases: Vec<&str> = command.get_all_aliases().collect();
        let _ = writeln!(rows, "    command(&{path:?}, &{aliases:?}, &[{}], &[{positionals}]),", names.join(", "));
    }
    let mut out = String::from(
        "//! Generated from clap's grammar: the options that take a value, then each command with its names, its aliases,\n\
         //! those options and its positionals.\n\
         //!\n\
         //! Never edited: `MEMDIR_BLESS=1 cargo test --test it generated` rewrites it.\n\n\
         use super::grammar::ValueKind::{Actor, Address, AddressOrText, Caller, File, Glob, Other, Page, Path, Revision, Scope, Tag, Text};\n\
         use super::grammar::{CommandGrammar, OptionGrammar, command, many, one, option};\n\n",
    );
    for (name, option) in &options {
        let _ = writeln!(out, "const {name}: OptionGrammar = {option};");
    }
    out + "\n/// The program itself, then all commands.\npub const COMMANDS: &[CommandGrammar] = &[\n" + &rows + "];\n"
}

/// The kind of the value of a command's argument: by its parser, else by its option, else by its name in the usage line.
fn value_kind(path: &[&str], arg: &Arg) -> ValueKind {
    let name = arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    let is_address = ["ADDRESS", "FILE[#SECTION]"].contains(&name);
    match name {
        _ if removes_mark(arg) => {
            if is_address {
                ValueKind::AddressOrText
            } else {
                ValueKind::Text
            }
        }
        _ if [ValueHint::AnyPath, ValueHint::FilePath, ValueHint::DirPath].contains(&arg.get_value_hint()) => {
            ValueKind::Path
        }
        _ if is_address => ValueKind::Address,
        "NAME" if arg.get_long() == Some("scope") || arg.is_positional() && path == ["scope"] => ValueKind::Scope,
        "NAME" if arg.get_long() == Some("by") => ValueKind::Actor,
        "NAME" if arg.get_long() == Some("as") => ValueKind::Caller,
        _ if arg.get_long() == Some("tag") => ValueKind::Tag,
        "GLOB" => ValueKind::Glob,
        "PAGE" => ValueKind::Page,
        "FILE" | "DEST" => ValueKind::File,
        "REV" | "REV | A..B" => ValueKind::Revision,
        _ => ValueKind::Other,
    }
}

/// Whether an argument's parser accepts the NUL that `argv::prepare` puts before a text, and removes it.
fn removes_mark(arg: &Arg) -> bool {
    let probe = Command::new("probe").arg(Arg::new("value").value_parser(arg.get_value_parser().clone()));
    let Ok(matches) = probe.try_get_matches_from(["probe", "\0- a"]) else {
        return false;
    };
    let text = matches.try_get_one::<String>("value").ok().flatten().map(String::as_str);
    text == Some("- a") || matches!(matches.try_get_one::<RmOperand>("value"), Ok(Some(RmOperand::Text(_))))
}

/// All generated files that are committed: path from the root of the repository, and text.
pub fn generated_files() -> Vec<(String, String)> {
    let mut all = vec![
        ("completions/memdir.bash".to_owned(), completions(CompletionShell::Bash)),
        ("completions/_memdir".to_owned(), completions(CompletionShell::Zsh)),
        ("completions/memdir.fish".to_owned(), completions(CompletionShell::Fish)),
        ("src/cli/grammar_table.rs".to_owned(), grammar_table()),
    ];
    all.extend(man_pages().into_iter().map(|(name, text)| (format!("man/{name}"), text)));
    all
}
