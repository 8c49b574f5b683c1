//! What is made from the grammar and the codes: completion scripts, manual pages, schemas.
//!
//! Never looks at a memory.

use clap::Command;
use clap_complete::aot;

use super::args;
use super::verbs::{ManArgs, Shell, Topic};
use crate::code::{Code, Rejection};
use crate::{commands, host, operation, policy, view};

/// A JSON Schema, printed for people.
pub fn schema(topic: Topic) -> String {
    let schema = match topic {
        Topic::Operation => operation::read::schema(),
        Topic::Policy => policy::schema(),
        Topic::Query => view::query::wire::schema(),
        Topic::Answer => commands::answer::schema(),
    };
    format!("{schema:#}\n")
}

/// The grammar without what nobody types.
fn shown() -> Command {
    let mut command =
        args::command().mut_subcommand("__complete", |c| Command::new(c.get_name().to_owned()).hide(true));
    command.build();
    command
}

/// A completion script: clap's own words, then files, sections and bullets from the memory.
pub fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    let mut command = shown();
    match shell {
        Shell::Bash => aot::generate(aot::Bash, &mut command, "memdir", &mut script),
        Shell::Zsh => aot::generate(aot::Zsh, &mut command, "memdir", &mut script),
        Shell::Fish => aot::generate(aot::Fish, &mut command, "memdir", &mut script),
    }
    let clap = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => format!("{clap}\n{}", include_str!("complete/memdir.bash")),
        Shell::Zsh => zsh(&clap),
        Shell::Fish => format!("{clap}\n{}", include_str!("complete/memdir.fish")),
    }
}

/// zsh: clap's function stays, and its positionals ask memdir first.
fn zsh(clap: &str) -> String {
    let own = include_str!("complete/memdir.zsh");
    let mut out = String::with_capacity(clap.len() + own.len());
    for line in clap.lines() {
        let positional = line.starts_with("':") || line.starts_with("'*:");
        match line {
            "_memdir() {" => out.push_str("_memdir_clap() {"),
            "if [ \"$funcstack[1]\" = \"_memdir\" ]; then" => {
                out.push_str(own.trim_start());
                out.push_str(line);
            }
            _ if positional => out.push_str(&line.replace(":_default'", ":_memdir_words'")),
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// A manual page in roff, or (`--all`) all of them as files.
pub fn man(args: &ManArgs) -> Result<String, Rejection> {
    if let Some(dir) = &args.all {
        for (name, text) in pages() {
            host::content::save(&dir.join(&name), &text)?;
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
    let none = || Rejection::new(Code::Usage, format!("there is no manual page '{page}'"));
    pages().into_iter().find(|(n, _)| *n == file).map(|(_, text)| text).ok_or_else(none)
}

/// All pages: file name and roff.
fn pages() -> Vec<(String, String)> {
    let command = shown();
    let mut pages = vec![("memdir.1".to_owned(), page(&command, &["memdir"]))];
    for verb in command.get_subcommands().filter(|c| !c.get_name().starts_with("__") && c.get_name() != "help") {
        pages.push((format!("memdir-{}.1", verb.get_name()), page(verb, &["memdir", verb.get_name()])));
        for below in verb.get_subcommands().filter(|c| c.get_name() != "help") {
            let name = format!("memdir-{}-{}", verb.get_name(), below.get_name());
            pages.push((format!("{name}.1"), page(below, &["memdir", verb.get_name(), below.get_name()])));
        }
    }
    pages.push(("memdir-format.5".to_owned(), super::format::page()));
    pages.push(("memdir-durability.7".to_owned(), super::format::durability()));
    pages
}

/// The page of a verb, named by the words that call it.
fn page(command: &Command, words: &[&str]) -> String {
    let (name, usage) = (words.join("-"), words.join(" "));
    let command = command.clone().name(name.clone()).bin_name(usage).display_name(name.clone()).version("");
    let command = if name == "memdir" { command.version(env!("CARGO_PKG_VERSION")) } else { command };
    let mut out = Vec::new();
    drop(clap_mangen::Man::new(command).date("").source("memdir").manual("memdir").render(&mut out));
    String::from_utf8_lossy(&out).into_owned()
}

/// Everything that is committed: path from the repository's root, and text.
pub fn all() -> Vec<(String, String)> {
    let mut all = vec![
        ("completions/memdir.bash".to_owned(), completions(Shell::Bash)),
        ("completions/_memdir".to_owned(), completions(Shell::Zsh)),
        ("completions/memdir.fish".to_owned(), completions(Shell::Fish)),
    ];
    all.extend(pages().into_iter().map(|(name, text)| (format!("man/{name}"), text)));
    all
}
