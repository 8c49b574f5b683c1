//! The commands in entries that are there already: as `setup` wrote them, or as a user has changed them since.
//!
//! Only the data directory, and the caller of a server that names none, are set anew. The path of the program and all
//! other options are the user's.

use crate::host::agent_hosts::AgentHost;
use crate::text::shell_quote::shell_quote;

const DIR_OPTION: &str = "--dir";
const CALLER_OPTION: &str = "--as";
/// What names the user's own memory, and goes with no `--dir`.
const GLOBAL_OPTIONS: [&str; 2] = ["-g", "--global"];

/// The memory that commands are to use.
#[derive(Clone, Copy)]
pub(super) struct CommandMemory<'a> {
    /// Its data directory, if it must be named.
    pub(super) dir: Option<&'a str>,
    /// Whether it is the user's own.
    pub(super) is_user_memory: bool,
}

impl CommandMemory<'_> {
    /// Whether an option names another memory.
    fn excludes(self, option: &str) -> bool {
        (self.dir.is_some() || !self.is_user_memory) && GLOBAL_OPTIONS.contains(&option)
    }
}

/// Whether a program is memdir, by its name or its path.
pub(super) fn is_memdir(program: &str) -> bool {
    program.trim_matches(['\'', '"']).rsplit('/').next() == Some("memdir")
}

/// Whether the arguments of a server are such as `setup` writes, for whatever data directory and host.
pub(super) fn is_written_by_setup(args: &[&str]) -> bool {
    match without_dir(args).1[..] {
        [server] => server == "mcp",
        [option, name, server] => option == CALLER_OPTION && AgentHost::by_name(name).is_some() && server == "mcp",
        _ => false,
    }
}

/// The arguments of a server, for a memory, and for a caller if they name none.
pub(super) fn server_args(own: &[&str], memory: CommandMemory<'_>, caller: Option<&str>) -> Vec<String> {
    let is_named = own.iter().any(|arg| option_value(arg, CALLER_OPTION).is_some());
    let caller = caller.filter(|_| !is_named);
    let (own_dir, rest) = without_dir(own);
    if own_dir == memory.dir && caller.is_none() && !rest.iter().any(|word| memory.excludes(word)) {
        return own.iter().map(|arg| (*arg).to_owned()).collect();
    }
    let rest = rest.into_iter().filter(|word| !memory.excludes(word));
    let dir = memory.dir.iter().flat_map(|dir| [DIR_OPTION, dir]);
    let caller = caller.iter().flat_map(|name| [CALLER_OPTION, name]);
    dir.chain(caller).chain(rest).map(str::to_owned).collect()
}

/// The command of a hook, for a memory; `None` if it does not run memdir with these words.
pub(super) fn hook_command(own: &str, memory: CommandMemory<'_>, words: &str) -> Option<String> {
    let at = own.find(&format!(" {words}"))?;
    let (head, tail) = own.split_at(at);
    if tail[words.len() + 1..].starts_with(|c| c != ' ') {
        return None;
    }
    let head = shell_words(head);
    let program = head.iter().position(|word| is_memdir(word))?;
    let (own_dir, rest) = without_dir(&head[program + 1..]);
    if own_dir.map(unquoted).as_deref() == memory.dir && !rest.iter().any(|word| memory.excludes(word)) {
        return Some(own.to_owned());
    }
    let rest = rest.into_iter().filter(|word| !memory.excludes(word));
    let dir = memory.dir.map(shell_quote);
    let dir = dir.iter().flat_map(|dir| [DIR_OPTION, dir]);
    let words = head[..=program].iter().copied().chain(dir).chain(rest);
    Some(words.collect::<Vec<_>>().join(" ") + tail)
}

/// The data directory that words of a command name, and the other words.
fn without_dir<'a>(words: &[&'a str]) -> (Option<&'a str>, Vec<&'a str>) {
    let (mut dir, mut rest) = (None, Vec::new());
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        match option_value(word, DIR_OPTION) {
            Some("") => dir = words.next(),
            Some(value) => dir = Some(value),
            None => rest.push(word),
        }
    }
    (dir, rest)
}

/// A word as [`shell_quote`] was given it.
fn unquoted(word: &str) -> String {
    word.replace("'\\''", "\0").replace(['\'', '"'], "").replace('\0', "'")
}

/// The value of an argument that is this option, `--name=VALUE`; empty if the value is the next argument.
fn option_value<'a>(arg: &'a str, option: &str) -> Option<&'a str> {
    let rest = arg.strip_prefix(option)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('=') }
}

/// The words of a command line, with their quotes.
fn shell_words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (c, quote) {
            (' ', None) => words.extend(start.take().map(|start| &line[start..at])),
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            _ => {}
        }
        if start.is_none() && c != ' ' {
            start = Some(at);
        }
    }
    words.extend(start.map(|start| &line[start..]));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_setup_writes_is_told_from_what_a_user_changed() {
        for args in [&["mcp"][..], &["--as", "gemini", "mcp"], &["--dir", "/m", "--as", "codex", "mcp"]] {
            assert!(is_written_by_setup(args), "{args:?}");
        }
        for args in
            [&[][..], &["mcp", "--read-only"], &["--as", "ana", "mcp"], &["--as=gemini", "mcp"], &["-v", "x", "mcp"]]
        {
            assert!(!is_written_by_setup(args), "{args:?}");
        }
    }

    #[test]
    fn a_server_keeps_the_options_of_the_user() {
        let check = |own: &[&str], dir: Option<&str>, caller: Option<&str>, expected: &[&str]| {
            let memory = CommandMemory { dir, is_user_memory: false };
            assert_eq!(server_args(own, memory, caller), expected, "{own:?}");
        };
        check(&["mcp"], None, None, &["mcp"]);
        check(&["mcp"], None, Some("claude"), &["--as", "claude", "mcp"]);
        check(&["--as", "ana", "mcp"], None, Some("claude"), &["--as", "ana", "mcp"]);
        check(&["--as=ana", "mcp"], Some("/m"), Some("claude"), &["--dir", "/m", "--as=ana", "mcp"]);
        check(&["mcp", "--tools", "graph"], None, Some("codex"), &["--as", "codex", "mcp", "--tools", "graph"]);
        check(&["--dir", "/old", "mcp", "--read-only"], None, None, &["mcp", "--read-only"]);
        check(&["--dir=/old", "mcp"], Some("/m"), None, &["--dir", "/m", "mcp"]);
        check(&["-g", "mcp"], Some("/m"), None, &["--dir", "/m", "mcp"]);
        check(&["-g", "--as", "ana", "mcp"], None, Some("claude"), &["--as", "ana", "mcp"]);
        check(&["--as", "x", "--dir", "/m", "mcp"], Some("/m"), Some("y"), &["--as", "x", "--dir", "/m", "mcp"]);
        let own_memory = CommandMemory { dir: None, is_user_memory: true };
        assert_eq!(server_args(&["-g", "mcp"], own_memory, None), ["-g", "mcp"]);
    }

    #[test]
    fn a_hook_keeps_the_program_and_the_options_of_the_user() {
        let words = "hook stop --host claude";
        let check = |own: &str, dir: Option<&str>, expected: Option<&str>| {
            let memory = CommandMemory { dir, is_user_memory: false };
            assert_eq!(hook_command(own, memory, words).as_deref(), expected, "{own}");
        };
        check("memdir -g hook stop --host claude", None, Some("memdir hook stop --host claude"));
        check("memdir hook stop --host claude", None, Some("memdir hook stop --host claude"));
        check("memdir hook stop --host claude", Some("/m"), Some("memdir --dir /m hook stop --host claude"));
        check("memdir --dir '/m' hook stop --host claude", None, Some("memdir hook stop --host claude"));
        for same in ["memdir --dir /m hook stop --host claude", "memdir --dir '/m' hook stop --host claude"] {
            check(same, Some("/m"), Some(same));
        }
        check(
            "A=1 '/o p/memdir' -S x --dir='/o l' hook stop --host claude -v",
            Some("/m"),
            Some("A=1 '/o p/memdir' --dir /m -S x hook stop --host claude -v"),
        );
        check("memdir hook stop --host claude2", None, None);
        check("other hook stop --host claude", None, None);
        check("memdir hook session-end --host claude", None, None);
    }
}
