//! The user's own config, `$XDG_CONFIG_HOME/memdir/config.yaml`: what a policy from git must never say.
//!
//! Reads a text only; where it lies and whether it exists is its caller's business.

use serde_json::Value;

use crate::code::{Code, Warning};
use crate::policy::yaml;
use crate::shape::{Field, Form, Shape, may};

/// What one person has set for all data dirs on this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserConfig {
    /// `memory.dataDir` (seeds/m2-markdown-memory.md 9): the data dir of `-g`, as written; `~` is not expanded.
    pub data_dir: Option<String>,
    /// `durability`: `full`, `atomic` or `fast`.
    pub durability: Option<String>,
    /// `lock_timeout_s`: how long a write waits for the lock, in seconds.
    pub lock_timeout_s: Option<f64>,
}

const CONFIG: Form = form(
    "config",
    &[&[
        may("memory", &Shape::Object(&MEMORY), "where memory lies"),
        may("durability", &Shape::Choice(&["full", "atomic", "fast"]), "how hard a write is pressed to the disk"),
        may("lock_timeout_s", &Shape::Number, "how long a write waits for the lock, in seconds"),
    ]],
);
const MEMORY: Form = form("memory", &[&[may("dataDir", &Shape::Text(1), "the data dir of -g")]]);

const fn form(name: &'static str, fields: &'static [&'static [Field]]) -> Form {
    Form { name, about: "", fields, groups: &[], foreign: &[], open: false, rule: None }
}

/// Reads the config's text. Never fails: what is not understood is passed over and told.
pub fn load(text: &str) -> (UserConfig, Vec<Warning>) {
    let mut warnings = Vec::new();
    let mut warn = |line: Option<usize>, message: &str| {
        let place = line.map_or(String::new(), |n| format!(" line {n}"));
        let warning = Warning::new(Code::InvalidPolicy, format!("config.yaml{place}: {message}; it is passed over"));
        warnings.push(line.into_iter().fold(warning, |w, n| w.detail("line", n)));
    };
    let object = match yaml::read(text) {
        Ok(Value::Object(object)) => object,
        Ok(Value::Null) => return Default::default(),
        Ok(_) => {
            warn(Some(1), "it is not a mapping of keys to values");
            return (UserConfig::default(), warnings);
        }
        Err(flaw) => {
            warn(flaw.line, &flaw.message);
            return (UserConfig::default(), warnings);
        }
    };
    let mut check = |form: &Form, object: &serde_json::Map<String, Value>, above: Option<&str>| {
        for (key, value) in object {
            if let Err(problem) = form.check(&[(key.clone(), value.clone())].into_iter().collect()) {
                let path: Vec<String> = above.map(str::to_owned).into_iter().chain(problem.path).collect();
                warn(yaml::line_of(text, &path), &problem.message);
            }
        }
    };
    let memory = object.get("memory").and_then(Value::as_object).cloned().unwrap_or_default();
    check(&MEMORY, &memory, Some("memory"));
    check(
        &CONFIG,
        &object.iter().filter(|(k, v)| *k != "memory" || !v.is_object()).map(|(k, v)| (k.clone(), v.clone())).collect(),
        None,
    );
    let word = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let config = UserConfig {
        data_dir: word(memory.get("dataDir")).filter(|d| !d.is_empty()),
        durability: word(object.get("durability")).filter(|d| matches!(d.as_str(), "full" | "atomic" | "fast")),
        lock_timeout_s: object.get("lock_timeout_s").and_then(Value::as_f64).filter(|s| s.is_finite() && *s >= 0.0),
    };
    (config, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_config_says_where_memory_lies() {
        let (config, warnings) = load("memory:\n  dataDir: data/memory    # Root directory for memory files\n");
        assert_eq!((config.data_dir.as_deref(), warnings.len()), (Some("data/memory"), 0));
        assert_eq!(load(""), Default::default());
    }

    #[test]
    fn what_is_not_understood_is_told_and_the_rest_counts() {
        let text = "memory:\n  dataDir: m\n  dbPath: x\ndurability: slow\nlock_timeout_s: 2\ncolour: blue\n";
        let (config, warnings) = load(text);
        let lines: Vec<_> = warnings.iter().map(|w| w.details["line"].clone()).collect();
        assert_eq!(lines, [3, 4, 6]);
        assert_eq!(
            (config.data_dir.as_deref(), config.durability, config.lock_timeout_s),
            (Some("m"), None, Some(2.0))
        );
        for broken in ["[", "- a", "a: b: c", "memory: 3"] {
            assert_eq!(load(broken).0, UserConfig::default(), "{broken}");
            assert_eq!(load(broken).1.len(), 1, "{broken}");
        }
    }
}
