//! Who calls: the one identity of journal, allowlist and reader's mark.
//!
//! Never starts a process: git's name is read from git's files.

use std::path::{Path, PathBuf};

/// Variables that agent hosts set for the commands they run, as their documentation says. Not among them:
/// `CODEX_HOME` and `CURSOR_TRACE_ID`, which a person's own terminal has too.
const HOSTS: [(&str, &str); 13] = [
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
/// Variables whose value is the agent's name, by the convention that several hosts share.
const NAMED: [&str; 2] = ["AGENT", "AI_AGENT"];

/// The longest name kept, in characters.
const LONGEST: usize = 64;

/// The caller's name: `given` (`--as`), `MEMDIR_AS`, a known agent host, git's name, `$USER`, else `unknown`.
///
/// `env` looks a variable up; `work` is the working directory, from which git's files are found; without it
/// git's files are not read.
pub fn actor(given: Option<&str>, env: &dyn Fn(&str) -> Option<String>, work: Option<&Path>) -> String {
    let set = |name: &str| env(name).map(|v| clean(&v)).filter(|v| !v.is_empty());
    given
        .map(clean)
        .filter(|name| !name.is_empty())
        .or_else(|| set("MEMDIR_AS"))
        .or_else(|| HOSTS.iter().find(|(name, _)| set(name).is_some_and(on)).map(|(_, host)| (*host).to_owned()))
        .or_else(|| NAMED.iter().find_map(|name| set(name).filter(|v| on(v.clone()) && v != "1" && v != "true")))
        .or_else(|| set("GIT_AUTHOR_NAME"))
        .or_else(|| git_name(env, work?).map(|n| clean(&n)).filter(|n| !n.is_empty()))
        .or_else(|| set("USER"))
        .unwrap_or_else(|| "unknown".to_owned())
}

fn on(value: String) -> bool {
    value != "0" && value != "false"
}

/// One line without control characters, not too long.
fn clean(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
    plain.trim().to_owned()
}

/// `user.name`: the repository's config wins over the user's, as in git.
fn git_name(env: &dyn Fn(&str) -> Option<String>, work: &Path) -> Option<String> {
    let home = env("HOME").map(PathBuf::from);
    let xdg = env("XDG_CONFIG_HOME").filter(|d| !d.is_empty()).map(PathBuf::from);
    let user = [
        home.as_ref().map(|h| h.join(".gitconfig")),
        xdg.or(home.map(|h| h.join(".config"))).map(|d| d.join("git/config")),
    ];
    let files = repository(work).into_iter().chain(user.into_iter().flatten());
    files.into_iter().find_map(|file| name_in(&fs_err::read_to_string(file).ok()?))
}

/// The config of the repository around a directory. A worktree's `.git` is a file that names the real one.
fn repository(work: &Path) -> Option<PathBuf> {
    let dot = work.ancestors().map(|dir| dir.join(".git")).find(|dot| dot.exists())?;
    if dot.is_dir() {
        return Some(dot.join("config"));
    }
    let text = fs_err::read_to_string(&dot).ok()?;
    let dir = dot.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    let common = fs_err::read_to_string(dir.join("commondir")).ok();
    Some(common.map_or(dir.clone(), |c| dir.join(c.trim())).join("config"))
}

/// `name` of the last `[user]` section of a git config. Includes are not followed.
fn name_in(config: &str) -> Option<String> {
    let mut inside = false;
    let mut found = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.trim_end_matches(']').trim_start_matches('[').trim().eq_ignore_ascii_case("user");
        } else if inside
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
    fn the_first_that_says_a_name_wins() {
        check(Some("ann"), &[("MEMDIR_AS", "bob"), ("CLAUDECODE", "1")], "ann");
        check(None, &[("MEMDIR_AS", "bob"), ("CLAUDECODE", "1")], "bob");
        check(None, &[("USER", "ann"), ("CLAUDECODE", "1")], "claude");
        check(None, &[("USER", "ann"), ("CODEX_SANDBOX", "seatbelt")], "codex");
        check(None, &[("USER", "ann"), ("AGENT", "amp")], "amp");
        check(None, &[("USER", "ann"), ("AGENT", "1"), ("CLAUDECODE", "0")], "ann");
        check(None, &[("USER", "ann"), ("GIT_AUTHOR_NAME", "Ann\nLee")], "Ann Lee");
        check(Some(" "), &[], "unknown");
    }

    #[test]
    fn git_config_is_read_as_git_reads_it() {
        let name = |config: &str| name_in(config);
        assert_eq!(name("[core]\n\tname = x\n[user]\n\tname = Ann Lee # me\n"), Some("Ann Lee".into()));
        assert_eq!(name("[USER]\n Name=\"Ann; Lee\"\n[user]\nemail=a@b\n"), Some("Ann; Lee".into()));
        assert_eq!(name("[user \"x\"]\nname = no\n"), None);
    }
}
