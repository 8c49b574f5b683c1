//! Locates the user's own files (config, prompts) and resolves paths in the config.
//!
//! Never writes them; `trusted.rs` adds to one list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::EnvLookup;
use super::config::{self, UserConfig};
use super::find::is_data_dir;
use super::git_dir::GitDirectory;
use crate::code::{Code, Rejection, Warning};

/// Maximum size of the config, in bytes.
pub(super) const MAX_CONFIG_BYTES: u64 = 64 << 10;

/// A prompt whose text may be the user's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prompt {
    Compact,
    Digest,
    Duplicates,
    Editor,
    Finder,
    Insights,
    Procedure,
    Record,
}

impl Prompt {
    const ALL: [(Prompt, &'static str); 8] = [
        (Prompt::Compact, "compact"),
        (Prompt::Digest, "digest"),
        (Prompt::Duplicates, "duplicates"),
        (Prompt::Editor, "editor"),
        (Prompt::Finder, "finder"),
        (Prompt::Insights, "insights"),
        (Prompt::Procedure, "procedure"),
        (Prompt::Record, "record"),
    ];
}

/// The user's own texts of prompts.
#[derive(Clone, Debug, Default)]
pub struct OwnPrompts(BTreeMap<Prompt, String>);

impl OwnPrompts {
    /// Reads those that exist.
    ///
    /// # Errors
    /// As [`custom_prompt`].
    pub fn load(env: EnvLookup<'_>) -> Result<OwnPrompts, Rejection> {
        let own = |(prompt, name): (Prompt, &str)| Ok(custom_prompt(env, name)?.map(|text| (prompt, text)));
        Ok(OwnPrompts(
            Prompt::ALL.into_iter().filter_map(|one| own(one).transpose()).collect::<Result<_, Rejection>>()?,
        ))
    }

    pub fn get(&self, prompt: Prompt) -> Option<&str> {
        self.0.get(&prompt).map(String::as_str)
    }

    /// The user's own text, or ours.
    pub fn text(&self, prompt: Prompt, ours: String) -> String {
        self.get(prompt).map_or(ours, str::to_owned)
    }
}

/// Returns the user's own text of a prompt, `prompts/NAME.md` beside the config; `None` if there is none.
///
/// # Errors
/// `invalid_policy` if it cannot be read: falling back to the built-in prompt would send other words than the user
/// chose.
pub fn custom_prompt(env: EnvLookup<'_>, name: &str) -> Result<Option<String>, Rejection> {
    let Some(path) = config_dir(env).map(|dir| dir.join(format!("prompts/{name}.md"))) else { return Ok(None) };
    match std::fs::metadata(&path) {
        Err(_) => Ok(None),
        Ok(meta) if !meta.is_file() || meta.len() > MAX_CONFIG_BYTES => Err(Rejection::new(
            Code::InvalidPolicy,
            format!("prompts/{name}.md is not a regular file of at most 64 KiB"),
        )),
        Ok(_) => std::fs::read_to_string(&path)
            .map(|text| Some(text).filter(|t| !t.trim().is_empty()))
            .map_err(|e| Rejection::new(Code::InvalidPolicy, format!("prompts/{name}.md cannot be read: {e}"))),
    }
}

/// Returns the directory of the user's own files.
pub(super) fn config_dir(env: EnvLookup<'_>) -> Option<PathBuf> {
    let xdg = env("XDG_CONFIG_HOME").map(PathBuf::from).filter(|d| d.is_absolute());
    Some(xdg.or_else(|| Some(home(env)?.join(".config")))?.join("memdir"))
}

/// Loads the user config: `$XDG_CONFIG_HOME/memdir/config.yaml`, else `~/.config/memdir/config.yaml`. A file that
/// cannot be read gives the defaults and a warning.
pub fn load_config(env: EnvLookup<'_>) -> (UserConfig, Vec<Warning>) {
    let Some(path) = config_dir(env).map(|dir| dir.join("config.yaml")) else { return Default::default() };
    match std::fs::metadata(&path) {
        Err(_) => Default::default(),
        Ok(meta) if !meta.is_file() || meta.len() > MAX_CONFIG_BYTES => {
            unreadable_config("is not a regular file of at most 64 KiB")
        }
        Ok(_) => match std::fs::read_to_string(&path) {
            Ok(text) => config::parse(&text),
            Err(e) => unreadable_config(&format!("cannot be read: {e}")),
        },
    }
}

fn unreadable_config(reason: &str) -> (UserConfig, Vec<Warning>) {
    (UserConfig::default(), vec![Warning::new(Code::InvalidPolicy, format!("config.yaml {reason}; ignored"))])
}

/// Returns the place of the user's own memory, whether it exists or not: `memory.dataDir`, in which `~` and relative
/// paths start at the home directory, else `$XDG_DATA_HOME/memdir`, else `~/.local/share/memdir`.
pub fn data_dir(config: &UserConfig, env: EnvLookup<'_>) -> Option<PathBuf> {
    let Some(written) = config.data_dir.as_deref() else {
        let xdg = env("XDG_DATA_HOME").map(PathBuf::from).filter(|d| d.is_absolute());
        return Some(xdg.or_else(|| Some(home(env)?.join(".local/share")))?.join("memdir"));
    };
    in_home(written, env)
}

/// A path of the config, in which `~` and relative paths start at the home directory.
fn in_home(written: &str, env: EnvLookup<'_>) -> Option<PathBuf> {
    let below = written.strip_prefix("~/").unwrap_or(if written == "~" { "" } else { written });
    match PathBuf::from(below) {
        path if path.is_absolute() => Some(path),
        path => Some(home(env)?.join(path)),
    }
}

/// Returns the place of the private memory for the git repository of a directory, whether it exists or not: below
/// `memory.repositories`, one for all work trees. `None` without that setting, or outside a repository.
pub fn repository_memory(config: &UserConfig, env: EnvLookup<'_>, start: &Path) -> Option<PathBuf> {
    let folder = in_home(config.repositories.as_deref()?, env)?;
    Some(folder.join(GitDirectory::find(start)?.key()))
}

/// Returns the user's own memory for work in a directory: the private one of its repository if it exists, else
/// [`data_dir`].
pub fn own_memory(config: &UserConfig, env: EnvLookup<'_>, start: &Path) -> Option<PathBuf> {
    repository_memory(config, env, start).filter(|dir| is_data_dir(dir)).or_else(|| data_dir(config, env))
}

/// Returns where `-g init` makes the user's own memory: the private one of the repository, else [`data_dir`].
pub fn new_own_memory(config: &UserConfig, env: EnvLookup<'_>, start: &Path) -> Option<PathBuf> {
    repository_memory(config, env, start).or_else(|| data_dir(config, env))
}

pub fn home(env: EnvLookup<'_>) -> Option<PathBuf> {
    env("HOME").map(PathBuf::from).filter(|h| h.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_data_dir_starts_at_home() {
        let env = |name: &str| (name == "HOME").then(|| "/home/ann".to_owned());
        let at = |dir: &str| data_dir(&UserConfig { data_dir: Some(dir.into()), ..UserConfig::default() }, &env);
        assert_eq!(at("~/memory"), Some("/home/ann/memory".into()));
        assert_eq!(at("notes/memory"), Some("/home/ann/notes/memory".into()));
        assert_eq!(at("/srv/memory"), Some("/srv/memory".into()));
        assert_eq!(data_dir(&UserConfig::default(), &env), Some("/home/ann/.local/share/memdir".into()));
        assert_eq!(data_dir(&UserConfig::default(), &|_| None), None);
    }

    #[test]
    fn the_config_is_found_in_the_xdg_directory_first() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("memdir");
        fs_err::create_dir(&dir).unwrap();
        fs_err::write(dir.join("config.yaml"), "durability: fast\n").unwrap();
        let env = |name: &str| (name == "XDG_CONFIG_HOME").then(|| root.path().to_str().unwrap().to_owned());
        assert_eq!(load_config(&env).0.durability.as_deref(), Some("fast"));
        assert_eq!(load_config(&|_| None), Default::default());
    }
}
