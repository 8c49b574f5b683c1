//! Generates completion scripts, manual pages and JSON Schemas from the grammar and the codes.
//!
//! Never reads the memory.

use clap::Command;
use clap_complete::aot;

use super::args;
use super::verbs::{CompletionShell, ManArgs, SchemaTopic};
use crate::code::{Code, Rejection};
use crate::{commands, host, operation, policy, view};

/// A JSON Schema, pretty-printed.
pub fn schema(topic: SchemaTopic) -> String {
    let schema = match topic {
        SchemaTopic::Operation => operation::dialects::operations_schema(),
        SchemaTopic::Policy => policy::schema(),
        SchemaTopic::Query => view::query::query_json::schema(),
        SchemaTopic::Answer => commands::answer::schema(),
    };
    format!("{schema:#}\n")
}

/// The grammar with the options of the internal command `__complete` left out.
fn public_grammar() -> Command {
    let mut command =
        args::command().mut_subcommand("__complete", |c| Command::new(c.get_name().to_owned()).hide(true));
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
        CompletionShell::Fish => format!("{clap}\n{}", include_str!("complete/memdir.fish")),
    }
}

/// Changes clap's zsh script so that positionals are completed by memdir first.
fn patch_zsh(clap: &str) -> String {
    let own_functions = include_str!("complete/memdir.zsh");
    let mut out = String::with_capacity(clap.len() + own_functions.len());
    for line in clap.lines() {
        let positional = line.starts_with("':") || line.starts_with("'*:");
        match line {
            "_memdir() {" => out.push_str("_memdir_clap() {"),
            "if [ \"$funcstack[1]\" = \"_memdir\" ]; then" => {
                out.push_str(own_functions.trim_start());
                out.push_str(line);
            }
            _ if positional => out.push_str(&line.replace(":_default'", ":_memdir_words'")),
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// Returns one manual page in roff; with `--all`, writes all of them to a directory.
pub fn man(args: &ManArgs) -> Result<String, Rejection> {
    if let Some(dir) = &args.all {
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
        verb => format!("memdir-{verb}.1"),
    };
    let no_page = || Rejection::new(Code::Usage, format!("no manual page '{page}'"));
    man_pages().into_iter().find(|(n, _)| *n == file).map(|(_, text)| text).ok_or_else(no_page)
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
    let mut out = Vec::new();
    drop(clap_mangen::Man::new(command).date("").source("memdir").manual("memdir").render(&mut out));
    String::from_utf8_lossy(&out).into_owned()
}

/// All generated files that are committed: path from the root of the repository, and text.
pub fn generated_files() -> Vec<(String, String)> {
    let mut all = vec![
        ("completions/memdir.bash".to_owned(), completions(CompletionShell::Bash)),
        ("completions/_memdir".to_owned(), completions(CompletionShell::Zsh)),
        ("completions/memdir.fish".to_owned(), completions(CompletionShell::Fish)),
    ];
    all.extend(man_pages().into_iter().map(|(name, text)| (format!("man/{name}"), text)));
    all
}
