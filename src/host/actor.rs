//! Determines the actor: the one name that the journal, allowlists and reader marks use.
//!
//! Never starts a process: git's user name is read from git's config files.

use std::path::{Path, PathBuf};

use super::EnvLookup;

/// Environment variables that agent hosts set for the commands they run, according to their documentation. Left out:
/// `CODEX_HOME` and `CURSOR_TRACE_ID`, which also exist in a person's own terminal.
const AGENT_HOST_VARIABLES: [(&str, &str); 13] = [
    ("CLAUDECODE", "claude"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("GEMINI_CLI", "gemini"),
    ("CURSOR_AGENT", "cursor"),
    ("AUGMENT_AGENT", "augment"),
    ("CLINE_ACTIVE", "cline"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_CLIENT", "opencode"),
    ("COPILOT_CLI", "copilot"),
    ("GOOSE_TERMINAL", "goose"),
    ("VSCODE_AGENT", "vscode"),
];
/// Environment variables whose value is the agent's name, a convention that several hosts share.
const AGENT_NAME_VARIABLES: [&str; 2] = ["AGENT", "AI_AGENT"];

/// Maximum length of a name, in characters; longer names are cut.
const MAX_NAME_CHARS: usize = 64;

/// Returns the actor's name. The first that is set wins: `requested` (`--as`), `MEMDIR_AS`, a known agent host, git's
/// `user.name`, `$USER`, `$LOGNAME`, the system's name of the user; else `unknown`.
///
/// `env` looks up an environment variable. `work` is the working directory, from which git's config files are found;
/// with `None` no file is read.
pub fn actor(requested: Option<&str>, env: EnvLookup<'_>, work: Option<&Path>) -> String {
    given_name(requested, env).unwrap_or_else(|| person(env, work))
}

/// The name of a person, of whom no command line and no host says the name; as [`actor`].
fn person(env: EnvLookup<'_>, work: Option<&Path>) -> String {
    let set = |name: &str| env(name).map(|v| sanitize_name(&v)).filter(|v| !v.is_empty());
    set("GIT_AUTHOR_NAME")
        .or_else(|| git_user_name(env, work?).map(|n| sanitize_name(&n)).filter(|n| !n.is_empty()))
        .or_else(|| set("USER"))
        .or_else(|| set("LOGNAME"))
        .or_else(|| work.map(|_| system_user_name()))
        .unwrap_or_else(|| "unknown".to_owned())
}

/// The two names of the person at this machine: the one under which reads are recorded, which are too short for
/// reading git's config, and the one under which changes are.
pub fn recorded_names(env: EnvLookup<'_>, work: &Path) -> [String; 2] {
    [person(env, None), person(env, Some(work))]
}

/// Returns the name of a caller that is an agent in any case: as [`actor`], but never a person's name, which the
/// journal would then hold for an agent's changes. An agent without a name is `agent`.
pub fn agent(requested: Option<&str>, env: EnvLookup<'_>) -> String {
    given_name(requested, env).unwrap_or_else(|| "agent".to_owned())
}

/// The name that was given to the caller, or that its host has.
fn given_name(requested: Option<&str>, env: EnvLookup<'_>) -> Option<String> {
    let set = |name: &str| env(name).map(|v| sanitize_name(&v)).filter(|v| !v.is_empty());
    requested
        .map(sanitize_name)
        .filter(|name| !name.is_empty())
        .or_else(|| set("MEMDIR_AS"))
        .or_else(|| {
            AGENT_HOST_VARIABLES
                .iter()
                .find(|(name, _)| set(name).is_some_and(is_enabled))
                .map(|(_, host)| (*host).to_owned())
        })
        .or_else(|| {
            AGENT_NAME_VARIABLES
                .iter()
                .find_map(|name| set(name).filter(|v| is_enabled(v.clone()) && v != "1" && v != "true"))
        })
}

/// Whether the caller is an agent: in the environment of a known agent host, whatever its name is; or with a name from
/// `requested` (`--as`) or `MEMDIR_AS` that is not one of `people`, the names that the user config lists.
pub fn is_agent(requested: Option<&str>, env: EnvLookup<'_>, people: &[String]) -> bool {
    let set = |name: &str| env(name).map(|v| sanitize_name(&v)).filter(|v| !v.is_empty());
    let hosts = AGENT_HOST_VARIABLES.iter().map(|(name, _)| *name).chain(AGENT_NAME_VARIABLES);
    let named = requested.map(sanitize_name).filter(|name| !name.is_empty()).or_else(|| set("MEMDIR_AS"));
    hosts.into_iter().any(|name| set(name).is_some_and(is_enabled))
        || named.is_some_and(|name| people.iter().all(|person| *person != name))
}

/// The user's name in `/etc/passwd`, else `uid` and the number: containers and cron run programs without `$USER`.
fn system_user_name() -> String {
    let uid = rustix::process::getuid().as_raw();
    let passwd = fs_err::read_to_string("/etc/passwd").unwrap_or_default();
    passwd_name(&passwd, uid).unwrap_or_else(|| format!("uid{uid}"))
}

/// The name of the first line of a passwd file (`name:password:uid:…`) with this user id.
fn passwd_name(passwd: &str, uid: u32) -> Option<String> {
    let uid = uid.to_string();
    let line = passwd.lines().find(|line| line.split(':').nth(2) == Some(&uid))?;
    line.split(':').next().map(sanitize_name).filter(|name| !name.is_empty())
}

fn is_enabled(value: String) -> bool {
    value != "0" && value != "false"
}

/// Reduces a name to one line without control characters, at most [`MAX_NAME_CHARS`] characters long.
fn sanitize_name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_NAME_CHARS).collect();
    plain.trim().to_owned()
}

/// Reads `user.name`. The repository's config wins over the user's, as in git.
fn git_user_name(env: EnvLookup<'_>, work: &Path) -> Option<String> {
    let home = env("HOME").map(PathBuf::from);
    let xdg = env("XDG_CONFIG_HOME").filter(|d| !d.is_empty()).map(PathBuf::from);
    let user = [
        home.as_ref().map(|h| h.join(".gitconfig")),
        xdg.or(home.map(|h| h.join(".config"))).map(|d| d.join("git/config")),
    ];
    let files = repository_config(work).into_iter().chain(user.into_iter().flatten());
    files.into_iter().find_map(|file| parse_user_name(&fs_err::read_to_string(file).ok()?))
}

/// Returns the path of the surrounding repository's config. In a worktree `.git` is a file that names the real
/// directory.
fn repository_config(work: &Path) -> Option<PathBuf> {
    let dot = work.ancestors().map(|dir| dir.join(".git")).find(|dot| dot.exists())?;
    if dot.is_dir() {
        return Some(dot.join("config"));
    }
    let text = fs_err::read_to_string(&dot).ok()?;
    let dir = dot.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    let common = fs_err::read_to_string(dir.join("commondir")).ok();
    Some(common.map_or(dir.clone(), |c| dir.join(c.trim())).join("config"))
}

/// Returns `name` of the last `[user]` section of a git config. Includes are not followed.
fn parse_user_name(config: &str) -> Option<String> {
    let mut in_user_section = false;
    let mut found = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_user_section = line.trim_end_matches(']').trim_start_matches('[').trim().eq_ignore_ascii_case("user");
        } else if in_user_section
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("name")
        {
            found = Some(unquote(value.trim()));
        }
    }
    found
}

fn unquote(value: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => out.extend(chars.next()),
            '#' | ';' if !quoted => break,
            c => out.push(c),
        }
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: Option<&str>, env: &[(&str, &str)], name: &str) {
        let look = |k: &str| env.iter().find(|(n, _)| *n == k).map(|(_, v)| (*v).to_owned());
        assert_eq!(actor(given, &look, Some(Path::new("/nowhere"))), name, "{given:?} {env:?}");
    }

    #[test]
    fn the_first_source_with_a_name_wins() {
        check(Some("ann"), &[("MEMDIR_AS", "bob"), ("CLAUDECODE", "1")], "ann");
        check(None, &[("MEMDIR_AS", "bob"), ("CLAUDECODE", "1")], "bob");
        check(None, &[("USER", "ann"), ("CLAUDECODE", "1")], "claude");
        check(None, &[("USER", "ann"), ("CODEX_SANDBOX", "seatbelt")], "codex");
        check(None, &[("USER", "ann"), ("AGENT", "amp")], "amp");
        check(None, &[("USER", "ann"), ("AGENT", "1"), ("CLAUDECODE", "0")], "ann");
        check(None, &[("USER", "ann"), ("GIT_AUTHOR_NAME", "Ann\nLee")], "Ann Lee");
        check(None, &[("LOGNAME", "ann")], "ann");
        assert_eq!(actor(Some(" "), &|_| None, None), "unknown");
    }

    #[test]
    fn a_host_or_a_name_that_is_no_persons_makes_an_agent() {
        let check = |given: Option<&str>, env: &[(&str, &str)], agent: bool| {
            let look = |k: &str| env.iter().find(|(n, _)| *n == k).map(|(_, v)| (*v).to_owned());
            assert_eq!(is_agent(given, &look, &["ann".into()]), agent, "{given:?} {env:?}");
        };
        check(None, &[("USER", "claude")], false);
        check(Some("ann"), &[], false);
        check(None, &[("MEMDIR_AS", "ann")], false);
        check(Some("planner"), &[], true);
        check(Some("planner"), &[("MEMDIR_AS", "ann")], true);
        check(None, &[("MEMDIR_AS", "planner")], true);
        check(None, &[("CLAUDECODE", "1")], true);
        // A host cannot pass for a person.
        check(Some("ann"), &[("CLAUDECODE", "1")], true);
        check(None, &[("AGENT", "1")], true);
        check(None, &[("AGENT", "0"), ("CLAUDECODE", "0")], false);
        check(Some(" "), &[("USER", "ann")], false);
    }

    #[test]
    fn without_variables_the_system_knows_the_name() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000:Ann:/home/ann:/bin/sh\n";
        assert_eq!(passwd_name(passwd, 1000).as_deref(), Some("ann"));
        assert_eq!(passwd_name(passwd, 100), None);
        assert_ne!(actor(None, &|_| None, Some(Path::new("/nowhere"))), "unknown");
    }

    #[test]
    fn git_config_is_read_as_git_reads_it() {
        let name = |config: &str| parse_user_name(config);
        assert_eq!(name("[core]\n\tname = x\n[user]\n\tname = Ann Lee # me\n"), Some("Ann Lee".into()));
        assert_eq!(name("[USER]\n Name=\"Ann; Lee\"\n[user]\nemail=a@b\n"), Some("Ann; Lee".into()));
        assert_eq!(name("[user \"x\"]\nname = no\n"), None);
        assert_eq!(name("[user]\nname = Ann \\\"A\\\" Lee\n"), Some("Ann \"A\" Lee".into()));
    }

    #[test]
    fn a_worktree_reads_the_config_of_its_repository() {
        let home = tempfile::tempdir().unwrap();
        let (main, tree) = (home.path().join("main/.git"), home.path().join("tree/notes"));
        fs_err::create_dir_all(main.join("worktrees/tree")).unwrap();
        fs_err::create_dir_all(&tree).unwrap();
        fs_err::write(main.join("config"), "[user]\nname = Ann\n").unwrap();
        fs_err::write(main.join("worktrees/tree/commondir"), "../..\n").unwrap();
        let dot = home.path().join("tree/.git");
        fs_err::write(&dot, format!("gitdir: {}\n", main.join("worktrees/tree").display())).unwrap();
        let name = || parse_user_name(&fs_err::read_to_string(repository_config(&tree)?).ok()?);
        assert_eq!(name(), Some("Ann".into()));
        // A submodule's directory has no `commondir`: its config is its own.
        fs_err::create_dir_all(home.path().join("main/.git/modules/sub")).unwrap();
        fs_err::write(main.join("modules/sub/config"), "[user]\nname = Bob\n").unwrap();
        fs_err::write(&dot, "gitdir: ../main/.git/modules/sub\n").unwrap();
        assert_eq!(name(), Some("Bob".into()));
        fs_err::write(&dot, "no pointer\n").unwrap();
        assert_eq!(repository_config(&tree), None);
    }
}
