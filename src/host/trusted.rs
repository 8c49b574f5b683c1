//! The list `trusted:` of the user config: the data directories on which hooks act. A memory that arrived by
//! `git clone` is not in it until its user adds it.
//!
//! Never changes another line of the config, and never repairs one that cannot be parsed.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::config::UserConfig;
use super::{EnvLookup, outside_files, user};
use crate::code::{Code, Rejection};
use crate::policy::yaml;
use crate::text::yaml_list;

/// The key of the list.
const KEY: &str = "trusted";

/// Whether the user config trusts a data directory.
pub fn is_trusted(config: &UserConfig, dir: &Path, env: EnvLookup<'_>) -> bool {
    lists_directory(&config.trusted, dir, env)
}

/// Whether a list of the user config names a data directory; `~/` is the user's home. Links are resolved on both sides,
/// so that neither another name of a listed directory is refused nor a link to an unlisted one accepted.
pub fn lists_directory(list: &[String], dir: &Path, env: EnvLookup<'_>) -> bool {
    let Ok(dir) = dir.canonicalize() else { return false };
    let resolve = |written: &String| {
        let path = match written.strip_prefix("~/") {
            Some(below) => user::home(env)?.join(below),
            None => PathBuf::from(written),
        };
        path.is_absolute().then(|| path.canonicalize().ok())?
    };
    list.iter().filter_map(resolve).any(|listed| listed == dir)
}

/// Adds a data directory to the list; `false` if it is listed already. The config is created if it is missing; if it is
/// a symbolic link, its target is changed, which must be in the home directory.
///
/// # Errors
/// `io`; `unsafe_file` for a link that leads out of the home directory; `invalid_policy` for a config that cannot be
/// parsed, or with a list in a form that is not edited.
pub fn add(dir: &Path, env: EnvLookup<'_>) -> Result<bool, Rejection> {
    let (config, _) = user::load_config(env);
    if is_trusted(&config, dir, env) {
        return Ok(false);
    }
    let failed = |reason: String| Rejection::new(Code::Io, format!("the user config cannot be changed: {reason}"));
    let config_dir = user::config_dir(env).ok_or_else(|| failed("HOME is not set".to_owned()))?;
    let path = outside_files::resolve_link_at_home(&config_dir.join("config.yaml"), user::home(env).as_deref())?;
    let shown = dir.canonicalize().map_err(|e| failed(e.to_string()))?;
    let shown = shown.to_str().ok_or_else(|| failed("the path of the memory is not UTF-8".to_owned()))?;
    let text = match outside_files::read(&path) {
        Ok(bytes) if bytes.len() as u64 > user::MAX_CONFIG_BYTES => return Err(failed("it is too large".to_owned())),
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8".to_owned()))?,
        Err(error) if error.code == Code::FileNotFound => String::new(),
        Err(error) => return Err(error),
    };
    let refused = || {
        Rejection::new(Code::InvalidPolicy, "the list `trusted:` of the user config could not be edited")
            .hint(format!("add this line to the list `trusted:` in {}: - {shown}", path.display()))
    };
    let before = parse(&text).ok_or_else(refused)?;
    let after_text = yaml_list::append(&text, KEY, shown);
    let mut expected = before;
    let list = expected.entry(KEY).or_insert_with(|| Value::Array(Vec::new()));
    if list.is_null() {
        *list = Value::Array(Vec::new());
    }
    list.as_array_mut().ok_or_else(refused)?.push(shown.into());
    // The edit is textual, to keep comments and layout; it counts only if it means what was intended.
    if parse(&after_text) != Some(expected) {
        return Err(refused());
    }
    if let Some(parent) = path.parent() {
        fs_err::create_dir_all(parent).map_err(|e| failed(e.to_string()))?;
    }
    outside_files::replace(&path, after_text.as_bytes())?;
    Ok(true)
}

/// The keys of a config; `None` if it cannot be parsed.
fn parse(text: &str) -> Option<Map<String, Value>> {
    match yaml::parse(text).ok()? {
        Value::Object(object) => Some(object),
        Value::Null => Some(Map::new()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Home {
            let home = Home(tempfile::tempdir().unwrap());
            fs_err::create_dir_all(home.0.path().join("notes/memory")).unwrap();
            home
        }

        fn env(&self) -> impl Fn(&str) -> Option<String> {
            let path = self.0.path().canonicalize().unwrap().to_str().unwrap().to_owned();
            move |name| (name == "HOME").then(|| path.clone())
        }

        fn memory(&self) -> PathBuf {
            self.0.path().join("notes/memory")
        }

        fn config(&self) -> PathBuf {
            self.0.path().join(".config/memdir/config.yaml")
        }

        fn write(&self, text: &str) {
            fs_err::create_dir_all(self.config().parent().unwrap()).unwrap();
            fs_err::write(self.config(), text).unwrap();
        }
    }

    #[test]
    fn a_directory_is_added_once_and_then_trusted() {
        let home = Home::new();
        assert!(!is_trusted(&user::load_config(&home.env()).0, &home.memory(), &home.env()));
        assert_eq!(add(&home.memory(), &home.env()), Ok(true));
        assert!(is_trusted(&user::load_config(&home.env()).0, &home.memory(), &home.env()));
        let text = fs_err::read_to_string(home.config()).unwrap();
        assert_eq!(add(&home.memory(), &home.env()), Ok(false));
        assert_eq!(fs_err::read_to_string(home.config()).unwrap(), text);
    }

    #[test]
    fn a_path_from_home_and_a_link_name_the_same_directory() {
        let home = Home::new();
        home.write("trusted: [~/notes/memory, relative]\n");
        let config = user::load_config(&home.env()).0;
        let link = home.0.path().join("link");
        std::os::unix::fs::symlink(home.memory(), &link).unwrap();
        assert!(is_trusted(&config, &home.memory(), &home.env()) && is_trusted(&config, &link, &home.env()));
        assert!(!is_trusted(&config, home.0.path(), &home.env()));
    }

    #[test]
    fn a_config_that_cannot_be_edited_stays() {
        let home = Home::new();
        for broken in ["people: [\n", "- a\n", "trusted: yes\n", "trusted: &a [x]\nother: *a\n"] {
            home.write(broken);
            assert_eq!(add(&home.memory(), &home.env()).unwrap_err().code, Code::InvalidPolicy, "{broken}");
            assert_eq!(fs_err::read_to_string(home.config()).unwrap(), broken);
        }
    }

    #[test]
    fn a_linked_config_is_changed_at_its_target_in_the_home_only() {
        let (home, elsewhere) = (Home::new(), tempfile::tempdir().unwrap());
        home.write("");
        fs_err::remove_file(home.config()).unwrap();
        fs_err::write(home.0.path().join("dotfile.yaml"), "people: [ana] # me\n").unwrap();
        std::os::unix::fs::symlink(home.0.path().join("dotfile.yaml"), home.config()).unwrap();
        assert_eq!(add(&home.memory(), &home.env()), Ok(true));
        assert!(home.config().is_symlink());
        assert!(fs_err::read_to_string(home.config()).unwrap().starts_with("people: [ana] # me\ntrusted:\n"));
        fs_err::remove_file(home.config()).unwrap();
        fs_err::write(elsewhere.path().join("c.yaml"), "people: [ana]\n").unwrap();
        std::os::unix::fs::symlink(elsewhere.path().join("c.yaml"), home.config()).unwrap();
        assert_eq!(add(&home.memory(), &home.env()).unwrap_err().code, Code::UnsafeFile);
    }
}
