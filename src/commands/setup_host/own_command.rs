//! The commands in entries that are there already: as `setup` wrote them, or as a user has changed them since.
//!
//! Only the data directory, and the caller of a server that names none, are set anew. The path of the program and all
//! other options are the user's.

use serde_json::Value;

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
    program.rsplit('/').next() == Some("memdir")
}

/// Whether the arguments of a server are such as `setup` writes, for whatever data directory and host.
pub(super) fn is_written_by_setup(args: &[&str]) -> bool {
    match without_dir(args).1[..] {
        [server] => server == "mcp",
        [option, name, server] => option == CALLER_OPTION && AgentHost::by_name(name).is_some() && server == "mcp",
        _ => false,
    }
}

/// Whether a server of a JSON file is as `setup` writes it.
pub(super) fn is_server_of_setup(server: &Value) -> bool {
    let Some(members) = server.as_object().filter(|members| members.len() == 2) else { return false };
    let args = members.get("args").and_then(Value::as_array);
    let args = args.and_then(|args| args.iter().map(Value::as_str).collect::<Option<Vec<&str>>>());
    members.get("command").is_some_and(|command| command == "memdir")
        && args.is_some_and(|args| is_written_by_setup(&args))
}

/// Whether the environment of a server names its caller: `--as` would overrule it, and with it an allowlist.
pub(super) fn is_named_by_env(server: &Value) -> bool {
    let name = |key| server[key]["MEMDIR_AS"].as_str();
    ["env", "environment"].into_iter().filter_map(name).any(|name| !name.is_empty())
}

/// The arguments of a server, for a memory, and for a caller if neither they nor its environment name one.
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

/// The command of a hook, for a memory; `None` if it does not run memdir with these words. Only `--dir` and the options
/// for another memory change in it.
pub(super) fn hook_command(own: &str, memory: CommandMemory<'_>, words: &str) -> Option<String> {
    let all = command_words(own);
    let wanted: Vec<&str> = words.split(' ').collect();
    let is_event = |at: &usize| {
        let found = all.get(*at..*at + wanted.len());
        found.is_some_and(|found| found.iter().map(|word| word.text.as_str()).eq(wanted.iter().copied()))
    };
    let (program, event) = (0..all.len()).filter(is_event).find_map(|event| {
        // The value of an option may be called memdir, too.
        let mut programs = (0..event).filter(|at| is_memdir(&all[*at].text));
        let program = programs.find(|at| are_options(&all[at + 1..event]))?;
        Some((program, event))
    })?;
    let head: Vec<&str> = all[program + 1..event].iter().map(|word| word.text.as_str()).collect();
    let (own_dir, rest) = without_dir(&head);
    if own_dir == memory.dir && !rest.iter().any(|word| memory.excludes(word)) {
        return Some(own.to_owned());
    }
    let mut command = own[..all[program].end].to_owned();
    if let Some(dir) = memory.dir {
        command += &format!(" {DIR_OPTION} {}", shell_quote(dir));
    }
    let mut head = all[program + 1..event].iter();
    while let Some(word) = head.next() {
        match option_value(&word.text, DIR_OPTION) {
            Some("") => drop(head.next()),
            Some(_) => {}
            None if memory.excludes(&word.text) => {}
            None => command += &format!(" {}", &own[word.start..word.end]),
        }
    }
    Some(command + " " + &own[all[event].start..])
}

/// Whether words are options with their values: then what follows is still a command of the same program.
fn are_options(words: &[CommandWord]) -> bool {
    let is_option = |word: &CommandWord| word.text.starts_with('-');
    let mut before_is_option = false;
    words.iter().all(|word| {
        let is_right = !word.is_operator && (is_option(word) || before_is_option);
        before_is_option = is_option(word) && !word.text.contains('=');
        is_right
    })
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

/// The value of an argument that is this option, `--name=VALUE`; empty if the value is the next argument.
fn option_value<'a>(arg: &'a str, option: &str) -> Option<&'a str> {
    let rest = arg.strip_prefix(option)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('=') }
}

/// A word of a command line, or an operator between words, and where it stands: what a user wrote around it is kept byte
/// by byte, so that `shell_tokens`, which keeps no places, does not serve here.
struct CommandWord {
    /// Without its quotes.
    text: String,
    is_operator: bool,
    /// In bytes.
    start: usize,
    end: usize,
}

/// The words of a command line, and the operators that end them.
fn command_words(line: &str) -> Vec<CommandWord> {
    let mut words: Vec<CommandWord> = Vec::new();
    let mut quote = None;
    let mut is_open = false;
    let mut chars = line.char_indices();
    while let Some((start, c)) = chars.next() {
        let is_operator = quote.is_none() && ";&|()<>\n".contains(c);
        if is_operator || quote.is_none() && c.is_whitespace() {
            is_open = false;
            if is_operator {
                words.push(CommandWord { text: c.to_string(), is_operator, start, end: start + c.len_utf8() });
            }
            continue;
        }
        if !is_open {
            words.push(CommandWord { text: String::new(), is_operator, start, end: start });
            is_open = true;
        }
        let Some(word) = words.last_mut() else { continue };
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            // Within single quotes it is a character as others.
            ('\\', None | Some('"')) => word.text.extend(chars.next().map(|(_, escaped)| escaped)),
            (c, _) => word.text.push(c),
        }
        word.end = chars.offset();
    }
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
        // A path that ends in our name is no program.
        check(
            "cd /src/memdir && memdir hook stop --host claude",
            Some("/m"),
            Some("cd /src/memdir && memdir --dir /m hook stop --host claude"),
        );
        check("cd /src/memdir && other hook stop --host claude", Some("/m"), None);
        check("memdir sync hook stop --host claude", Some("/m"), None);
        for same in ["memdir hook stop --host claude; exit 0", "(memdir hook stop --host claude)&"] {
            check(same, None, Some(same));
        }
    }

    #[test]
    fn a_hook_for_a_directory_of_any_name_stays_as_it_is() {
        let words = "hook stop --host claude";
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..2000 {
            let signs = ['a', ' ', '\'', '"', '\\', '$', '`', ';', '&', '=', '-', '(', '\n', 'é', '/'];
            let dir: String = (0..random.usize(1..12)).map(|_| signs[random.usize(..signs.len())]).collect();
            let end = ["/memdir", " hook stop --host claude"][random.usize(..2)];
            let dir = format!("/{dir}{end}");
            let memory = CommandMemory { dir: Some(&dir), is_user_memory: false };
            let once = hook_command(&format!("memdir {words} -v"), memory, words).unwrap();
            assert_eq!(once, format!("memdir --dir {} {words} -v", shell_quote(&dir)));
            assert_eq!(hook_command(&once, memory, words), Some(once.clone()), "{dir:?}");
            let none = CommandMemory { dir: None, is_user_memory: false };
            assert_eq!(hook_command(&once, none, words), Some(format!("memdir {words} -v")), "{dir:?}");
        }
    }
}
