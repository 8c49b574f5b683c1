//! Loading a policy: the valid keys of `memdir.yaml`, and what is wrong with the others.
//!
//! Never fails: what cannot be understood refuses writes, and reads too if it restricts them.

use serde_json::{Map, Value};

use super::{
    AgentWriteRule, CategoryRule, CheckpointRule, ContextMode, DecayRule, EpisodePeriod, ExpiredRule, LifetimeRule,
    LimitRule, LinkRule, OnLimit, Policy, SecretRule, StampKey, WriteMode, form, yaml,
};
use crate::code::{Code, Rejection, Warning};
use crate::json_shape::{ShapeError, ShapeProblem, as_integer, quote_short};

/// The result of loading a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedPolicy {
    /// The valid part of it; defaults for the rest.
    pub policy: Policy,
    /// Why writes are refused, if they are (an unknown key of a known version, with its line).
    pub refuses_writes: Option<Rejection>,
    /// Why reads are refused too, if they are: the policy restricts agents, and the restriction cannot be understood.
    pub refuses_reads: Option<Rejection>,
    /// What is wrong with the policy, for commands that only read; others are refused.
    pub warnings: Vec<Warning>,
}

/// Loads a policy. Never fails: an invalid policy refuses writes, and reads, too, if its allowlists cannot be understood.
/// The policy of a file that cannot be read at all is `unreadable_policy`, which refuses both.
pub fn load(yaml: &str) -> LoadedPolicy {
    load_with_defaults(yaml, Policy::default(), &[])
}

/// [`load`], with other values for keys that are not set, and lists of agents that `agents.default` may name, too.
pub(super) fn load_with_defaults(yaml: &str, defaults: Policy, other_lists: &[(String, Vec<String>)]) -> LoadedPolicy {
    let mut notes = PolicyNotes(Vec::new());
    let object = match yaml::parse(yaml) {
        Ok(Value::Null) => Map::new(),
        Ok(Value::Object(object)) => object,
        Ok(_) => notes.add(Some(1), "the policy is not a mapping of keys to values".into()),
        Err(problem) => notes.add(problem.line, problem.message),
    };
    let version = object.get("version").and_then(as_integer);
    let newer = version.filter(|v| *v > form::NEWEST_VERSION);
    if let Some(version) = newer {
        let message =
            format!("version {version} is not supported, the newest supported version is {}", form::NEWEST_VERSION);
        notes.add(yaml::line_of(yaml, &["version".into()]), message);
    }
    // A text with NUL bytes is one in UTF-16, where no key can be seen.
    let restricts = object.contains_key("allowlists") || yaml.contains('\0') || yaml.lines().any(may_name_allowlists);
    let may_occur = |key: &&str| restricts && (object.is_empty() || object.contains_key(*key));
    let gates: Vec<&str> = ["categories", "allowlists", "agents"].into_iter().filter(may_occur).collect();
    let mut valid_keys = Map::new();
    for (key, value) in object {
        let at_maximum = notes.0.len() == MAX_NOTES;
        if at_maximum && form::POLICY_FORM.all_fields().all(|f| f.name != key) {
            continue;
        }
        let too_old = form::needs_version_2(&key, &value).filter(|_| version.is_none_or(|v| v < 2));
        let name = key.clone();
        let single = Map::from_iter([(key, value)]);
        match form::POLICY_FORM.check(&single) {
            Ok(()) => match too_old {
                Some(what) => {
                    let message = format!("policy: {what} needs 'version: 2'");
                    notes.add(yaml::line_of(yaml, &[name]), message);
                }
                None => valid_keys.extend(single),
            },
            Err(_) if newer.is_some() || at_maximum => {}
            Err(problem) => _ = notes.add(yaml::line_of(yaml, &problem.path), describe_problem(problem)),
        }
    }
    let restriction_lost = gates.into_iter().any(|key| !valid_keys.contains_key(key));
    let policy = Policy { version: version.map_or(1, |v| v.max(1) as u64), ..policy_from(&valid_keys, defaults) };
    let mut loaded = notes.into_loaded(policy, other_lists);
    if restriction_lost {
        loaded.refuses_reads = loaded.refuses_writes.clone().map(|why| {
            why.hint("fix the file: it restricts what agents see, so nothing can be read or written until then")
        });
    }
    loaded
}

/// Whether a line of YAML may have the key `allowlists` outside of its comment. An escape may spell any key.
fn may_name_allowlists(line: &str) -> bool {
    let starts_comment = |at: &usize| {
        let before = &line[..*at];
        let is_quoted = ['"', '\''].iter().any(|quote| before.matches(*quote).count() % 2 == 1);
        !is_quoted && (before.is_empty() || before.ends_with([' ', '\t']))
    };
    let comment = line.match_indices('#').map(|(at, _)| at).find(starts_comment);
    let code = &line[..comment.unwrap_or(line.len())];
    code.contains("allowlists") || code.contains('\\')
}

/// Maximum number of problems reported for one policy: finding the line of each scans the text again.
pub(super) const MAX_NOTES: usize = 20;

/// Problems, each with its line (1-based).
struct PolicyNotes(Vec<(Option<usize>, String)>);

impl PolicyNotes {
    /// Adds a problem, and returns an empty object for the part that could not be parsed.
    fn add(&mut self, line: Option<usize>, message: String) -> Map<String, Value> {
        self.0.push((line, message));
        Map::new()
    }

    fn into_loaded(self, policy: Policy, other_lists: &[(String, Vec<String>)]) -> LoadedPolicy {
        let format_note = |(line, message): &(Option<usize>, String)| match line {
            Some(line) => format!("memdir.yaml line {line}: {message}"),
            None => format!("memdir.yaml: {message}"),
        };
        let refuses_writes = self.0.first().map(|note| {
            let rejection = Rejection::new(Code::InvalidPolicy, format_note(note))
                .hint("fix the file; until then memory can be read but not written")
                .detail("problems", self.0.iter().map(format_note).collect::<Vec<_>>());
            match note.0 {
                Some(line) => rejection.detail("line", line),
                None => rejection,
            }
        });
        let mut warnings: Vec<Warning> = Vec::new();
        for note in &self.0 {
            let warning = Warning::new(Code::InvalidPolicy, format_note(note));
            warnings.push(match note.0 {
                Some(line) => warning.detail("line", line),
                None => warning,
            });
        }
        let lists = || policy.allowlists.iter().chain(other_lists);
        if let Some(name) = policy.default_agent.as_deref().filter(|n| lists().all(|(a, _)| a != n)) {
            let message =
                format!("memdir.yaml: agents.default names the allowlist {}, which does not exist", quote_short(name));
            warnings.push(Warning::new(Code::InvalidPolicy, message));
        }
        LoadedPolicy { policy, refuses_writes, refuses_reads: None, warnings }
    }
}

/// Formats a problem. A key that belongs in the user config gets its own message.
fn describe_problem(problem: ShapeProblem) -> String {
    match problem.path.last() {
        Some(key) if problem.error == ShapeError::Unknown && form::belongs_in_user_config(key) => {
            format!("{} belongs in the user config, not in a policy that may arrive by git", quote_short(key))
        }
        _ => problem.message,
    }
}

/// Builds the policy from the valid keys; defaults for the rest.
fn policy_from(object: &Map<String, Value>, default: Policy) -> Policy {
    let get = |path: &[&str]| {
        path.iter()
            .try_fold(None::<&Value>, |at, key| match at {
                None => object.get(*key).map(Some),
                Some(value) => value.get(key).map(Some),
            })
            .flatten()
    };
    let text = |path: &[&str]| get(path).and_then(Value::as_str).map(str::to_owned);
    let days = |path: &[&str]| get(path).and_then(as_integer).map(|n| n as u32);
    let each = |path: &[&str]| get(path).and_then(Value::as_array).into_iter().flatten();
    let category = |system| move |value: &Value| category_from(value, system);
    Policy {
        version: default.version,
        default_file: text(&["default_file"]).unwrap_or(default.default_file),
        episodes: match text(&["episodes"]).as_deref() {
            Some("week") => EpisodePeriod::Week,
            Some(_) => EpisodePeriod::Month,
            None => default.episodes,
        },
        limits: each(&["limits"]).map(limit_from).collect(),
        limits_above: Vec::new(),
        scope_limits: Vec::new(),
        stamps: each(&["stamps"]).filter_map(stamp_from).collect(),
        categories: each(&["categories", "system"])
            .map(category(true))
            .chain(each(&["categories", "custom"]).map(category(false)))
            .collect(),
        allowlists: get(&["allowlists"])
            .and_then(Value::as_object)
            .map_or(Vec::new(), |all| all.iter().map(|(k, v)| (k.clone(), string_list(v))).collect()),
        default_agent: text(&["agents", "default"]),
        agent_writes: get(&["agents", "write"]).map_or(Vec::new(), agent_writes_from),
        agent_writes_above: Vec::new(),
        sensitive: get(&["sensitive"]).filter(|v| v.is_array()).map_or(default.sensitive, string_list),
        benign: get(&["benign"]).map_or(default.benign, string_list),
        secrets: match text(&["secrets"]).as_deref() {
            Some("refuse") => SecretRule::Refuse,
            Some("off") => SecretRule::Off,
            Some(_) => SecretRule::Warn,
            None => default.secrets,
        },
        consent_days: days(&["consent_days"]).unwrap_or(default.consent_days),
        max_chars: get(&["writing", "max_chars"]).and_then(as_integer).map_or(default.max_chars, |n| n as usize),
        lifetimes: get(&["lifetimes"]).map_or(default.lifetimes, lifetimes_from),
        expired: match text(&["expired"]).as_deref() {
            Some("archive") => ExpiredRule::Archive,
            Some(_) => ExpiredRule::Hide,
            None => default.expired,
        },
        decay: match get(&["decay"]) {
            Some(value) => Some(DecayRule {
                half_life_days: days_of(value, "half_life").unwrap_or(DEFAULT_HALF_LIFE_DAYS),
                floor: value.get("floor").and_then(Value::as_f64).unwrap_or(DEFAULT_DECAY_FLOOR),
            }),
            None => default.decay,
        },
        checkpoints: get(&["checkpoints"]).map_or(default.checkpoints, |_| {
            let keep = get(&["checkpoints", "keep"]).and_then(as_integer).map(|n| n as usize);
            Some(CheckpointRule { keep, days: days(&["checkpoints", "days"]) })
        }),
        inbox_in_git: get(&["inbox_in_git"]).and_then(Value::as_bool).unwrap_or(default.inbox_in_git),
        shared: get(&["shared"]).map_or(default.shared, string_list),
        tokens_per_day: match get(&["budget", "tokens_per_day"]).and_then(as_integer) {
            Some(tokens) => u64::try_from(tokens).ok(),
            None => default.tokens_per_day,
        },
        writes_per_day: match get(&["budget", "writes_per_day"]).and_then(as_integer) {
            Some(writes) => u64::try_from(writes).ok(),
            None => default.writes_per_day,
        },
        links: match get(&["links", "auto"]).and_then(as_integer) {
            Some(auto) => Some(LinkRule {
                auto: auto as usize,
                min: get(&["links", "min"]).and_then(Value::as_f64).unwrap_or(DEFAULT_LINK_STRENGTH),
            }),
            None => default.links,
        },
    }
}

fn string_list(value: &Value) -> Vec<String> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Half-life of confidence where `decay` does not state it, in days.
const DEFAULT_HALF_LIFE_DAYS: u32 = 180;
/// The least strength of a relation where `links` does not state it.
const DEFAULT_LINK_STRENGTH: f64 = 0.6;
/// The floor of confidence where `decay` does not state it.
const DEFAULT_DECAY_FLOOR: f64 = 0.3;

/// A duration of whole days like `60d`.
fn days_of(object: &Value, key: &str) -> Option<u32> {
    object.get(key)?.as_str()?.strip_suffix('d')?.parse().ok()
}

/// The rules of `lifetimes`: a list, or version 1's two keys, which are one rule for all items.
fn lifetimes_from(value: &Value) -> Vec<LifetimeRule> {
    let text = |rule: &Value, key: &str| rule.get(key).and_then(Value::as_str).map(str::to_owned);
    let days = |key| value.get(key).and_then(as_integer).map(|n| n as u32);
    match value {
        Value::Array(rules) => rules
            .iter()
            .map(|rule| LifetimeRule {
                at: text(rule, "at"),
                category: text(rule, "category"),
                tag: text(rule, "tag").map(|tag| tag.trim_start_matches('#').to_lowercase()),
                durability: text(rule, "durability"),
                unused_days: days_of(rule, "unused"),
                below: rule.get("below").and_then(as_integer).map(|n| n as u8),
                purge_days: days_of(rule, "purge"),
            })
            .collect(),
        _ => vec![LifetimeRule {
            unused_days: days("soft_delete_after_days"),
            purge_days: days("purge_after_days"),
            ..LifetimeRule::default()
        }],
    }
}

/// The rules of `agents.write`: a list, or one mode for all files.
fn agent_writes_from(value: &Value) -> Vec<AgentWriteRule> {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mode = |name: &str| if name == "propose" { WriteMode::Propose } else { WriteMode::Direct };
    match value {
        Value::Array(rules) => {
            rules.iter().map(|rule| AgentWriteRule { at: text(rule, "at"), mode: mode(&text(rule, "mode")) }).collect()
        }
        _ => vec![AgentWriteRule { at: "**".to_owned(), mode: mode(value.as_str().unwrap_or_default()) }],
    }
}

fn limit_from(value: &Value) -> LimitRule {
    let count = |name| value.get(name).and_then(as_integer).map(|n| n as usize);
    let text = |name| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let on_limit = if text("on_limit") == "compact" { OnLimit::Compact } else { OnLimit::Refuse };
    LimitRule {
        at: text("at").into(),
        bullets: count("bullets"),
        entries: count("entries"),
        chars: count("chars"),
        on_limit,
    }
}

fn category_from(value: &Value, system: bool) -> CategoryRule {
    let text = |name| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let context = if text("context") == "all" { ContextMode::All } else { ContextMode::Rag };
    let rag_length = value.get("rag_length").and_then(as_integer).map(|n| n as usize);
    CategoryRule { name: text("name").into(), context, rag_length, system }
}

fn stamp_from(value: &Value) -> Option<StampKey> {
    match value.as_str()? {
        "added" => Some(StampKey::Added),
        "by" => Some(StampKey::By),
        "upd" => Some(StampKey::Upd),
        "src" => Some(StampKey::Src),
        "updated" => Some(StampKey::Updated),
        _ => None,
    }
}
