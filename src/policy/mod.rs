//! The policy of a data directory: `memdir.yaml`, parsed and checked.
//!
//! Never names a command, an endpoint, a key, a model or a path outside: a policy may arrive by `git clone`.

use serde_json::{Map, Value};

use crate::code::{Code, Rejection, Warning};
#[cfg(test)]
use crate::json_shape::ShapeForm;
use crate::json_shape::{ShapeError, ShapeProblem, as_integer, quote_short};
use crate::path::MemoryPath;

mod decay;
mod form;
pub mod glob;
mod govern;
pub mod yaml;

pub use decay::EffectiveConfidence;
pub use govern::load_scope;

/// The category of insights (`reflect --insights`), which `query` ranks lower than what was said.
pub const INSIGHT_CATEGORY: &str = "relationship_dynamic";

/// Whether episode files cover a month (`2026-02.md`) or a week (`2026-W07.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EpisodePeriod {
    /// `YYYY-MM.md`
    #[default]
    Month,
    /// `YYYY-Www.md`
    Week,
}

/// What happens when a limit is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLimit {
    /// The operation is refused.
    #[default]
    Refuse,
    /// The least valuable items are moved to `archive/`.
    Compact,
}

/// A limit on files or sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitRule {
    /// A glob over paths (`facts/*.md`, `**`), optionally with `#slug` for one section.
    pub at: String,
    /// Maximum number of bullets.
    pub bullets: Option<usize>,
    /// Maximum number of `##` entries.
    pub entries: Option<usize>,
    /// Maximum number of characters (Unicode scalar values) of bullet text.
    pub chars: Option<usize>,
    /// What happens when the limit is reached.
    pub on_limit: OnLimit,
}

/// A metadata value that memdir writes on items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampKey {
    /// `added=DATE` on new bullets.
    Added,
    /// `by=NAME` on new and changed bullets.
    By,
    /// `upd=DATE` on changed bullets.
    Upd,
    /// `src=ID` if the caller gives a source.
    Src,
    /// Keeps an existing `- Updated:` bullet or front matter `updated`/`last_updated` current.
    Updated,
}

/// How items of a category are selected for a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContextMode {
    /// All of them, always.
    All,
    /// Those that match the query.
    #[default]
    Rag,
}

/// A category of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryRule {
    pub name: String,
    pub context: ContextMode,
    /// Maximum number of its items in a context.
    pub rag_length: Option<usize>,
    /// Whether it is listed under `system` rather than `custom`.
    pub system: bool,
}

/// What happens to a write with a key or password in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretRule {
    /// It is made, with a warning.
    Warn,
    /// It is refused.
    Refuse,
    /// It is not looked for.
    Off,
}

/// How long items of one kind are kept. The first rule that matches an item applies to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LifetimeRule {
    /// A glob over paths, optionally with `#slug` for one section.
    pub at: Option<String>,
    /// A category of the item, as in [`CategoryRule`].
    pub category: Option<String>,
    /// A tag in the front matter of the item's file, without `#`.
    pub tag: Option<String>,
    /// The item's `dur`.
    pub durability: Option<String>,
    /// Days without a use or change after which the item is archived; `None`: never.
    pub unused_days: Option<u32>,
    /// The importance from which on an item is not archived although it is unused.
    pub below: Option<u8>,
    /// Days after which an archived item is purged; `None`: never.
    pub purge_days: Option<u32>,
}

/// What happens to an item after its last valid day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiredRule {
    /// It stays where it is, and reads leave it out.
    Hide,
    /// `prune` moves it to `archive/`.
    Archive,
}

/// How confidence decreases with age.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecayRule {
    /// Days after which half of the confidence is left.
    pub half_life_days: u32,
    /// The share below which it does not fall.
    pub floor: f64,
}

/// Which relations an agent's changes write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkRule {
    /// The maximum number of relations of one bullet.
    pub auto: usize,
    /// The least strength of a relation, 0 to 1.
    pub min: f64,
}

/// Which checkpoints are kept; one that a rule does not keep is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointRule {
    /// How many of each user, the newest.
    pub keep: Option<usize>,
    /// Days since the last save after which one is removed.
    pub days: Option<u32>,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitMeasure {
    Bullets,
    Entries,
    /// Characters of bullet text.
    Chars,
}

/// The policy of a data directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The format's version; 1 without a file.
    pub version: u64,
    /// The file for a category that no section holds: a valid memory path.
    pub default_file: String,
    pub episodes: EpisodePeriod,
    /// Limits, in file order; the first that matches a file or section applies, for each measure.
    pub limits: Vec<LimitRule>,
    /// Of a scope: the limits of the memory above; the smaller maximum applies.
    pub limits_above: Vec<LimitRule>,
    /// Of a scope: limits on all its files together.
    pub scope_limits: Vec<LimitRule>,
    pub stamps: Vec<StampKey>,
    /// Categories, those of the system first.
    pub categories: Vec<CategoryRule>,
    /// Agents, and the categories that each may see.
    pub allowlists: Vec<(String, Vec<String>)>,
    /// The allowlist of agents without their own (`agents.default`).
    pub default_agent: Option<String>,
    /// Labels whose values change only with consent.
    pub sensitive: Vec<String>,
    /// Labels whose values `reflect` writes once two conversations state them.
    pub benign: Vec<String>,
    /// What happens to a write with a key or password in it; `reflect` always refuses it.
    pub secrets: SecretRule,
    /// Days that a proposal waits for consent.
    pub consent_days: u32,
    /// Maximum number of characters (Unicode scalar values) of a bullet.
    pub max_chars: usize,
    /// How long items are kept, in file order; the first that matches an item applies.
    pub lifetimes: Vec<LifetimeRule>,
    pub expired: ExpiredRule,
    /// `None`: confidence does not depend on age.
    pub decay: Option<DecayRule>,
    /// `None`: all checkpoints are kept.
    pub checkpoints: Option<CheckpointRule>,
    /// Whether `inbox/` is committed to git.
    pub inbox_in_git: bool,
    /// Scopes of the memory that all others may read.
    pub shared: Vec<String>,
    /// The limit on model usage, in tokens a day; the user config may set a smaller one.
    pub tokens_per_day: Option<u64>,
    /// How many memories `reflect` may write on one day.
    pub writes_per_day: Option<u64>,
    /// `None`: relations are written by hand only.
    pub links: Option<LinkRule>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            version: 1,
            default_file: "facts/user.md".into(),
            episodes: EpisodePeriod::Month,
            limits: Vec::new(),
            limits_above: Vec::new(),
            scope_limits: Vec::new(),
            stamps: Vec::new(),
            categories: Vec::new(),
            allowlists: Vec::new(),
            default_agent: None,
            sensitive: ["preferred_name", "pronouns", "city", "language"].map(String::from).to_vec(),
            benign: Vec::new(),
            secrets: SecretRule::Warn,
            consent_days: 7,
            max_chars: 280,
            lifetimes: Vec::new(),
            expired: ExpiredRule::Hide,
            decay: None,
            checkpoints: None,
            inbox_in_git: false,
            shared: Vec::new(),
            tokens_per_day: None,
            writes_per_day: None,
            links: None,
        }
    }
}

impl LimitRule {
    /// Whether the limit applies to a file (`section` is `None`) or to a section of it. A limit with `#section` never
    /// applies to a whole file, one without never to a section.
    pub fn applies_to(&self, path: &MemoryPath, section: Option<&str>) -> bool {
        let (file, section_glob) = match self.at.split_once('#') {
            Some((file, part)) => (file, Some(part)),
            None => (self.at.as_str(), None),
        };
        let section_applies = match (section_glob, section) {
            (None, None) => true,
            (Some(part), Some(section)) => glob::matches(part, section),
            _ => false,
        };
        section_applies && glob::matches(file, path.as_str())
    }

    /// Returns the maximum of one measure.
    pub fn maximum(&self, measure: LimitMeasure) -> Option<usize> {
        match measure {
            LimitMeasure::Bullets => self.bullets,
            LimitMeasure::Entries => self.entries,
            LimitMeasure::Chars => self.chars,
        }
    }
}

impl Policy {
    /// Returns the first limit that applies to a file (`section` is `None`) or a section of it. A later one may limit
    /// another measure: see [`Policy::maximum_for`].
    #[cfg(test)]
    pub fn limit_for(&self, path: &MemoryPath, section: Option<&str>) -> Option<&LimitRule> {
        self.limits.iter().find(|l| l.applies_to(path, section))
    }

    /// Returns the maximum of one measure in a file or section, and the limit that sets it.
    pub fn maximum_for(
        &self,
        path: &MemoryPath,
        section: Option<&str>,
        measure: LimitMeasure,
    ) -> Option<(usize, &LimitRule)> {
        let found = [&self.limits_above, &self.limits].into_iter().filter_map(|limits| {
            let applicable = limits.iter().filter(|l| l.applies_to(path, section));
            applicable.filter_map(|l| Some((l.maximum(measure)?, l))).next()
        });
        // The first of equal ones is returned: that of the memory above.
        found.min_by_key(|(maximum, _)| *maximum)
    }

    /// All limits on single files and sections.
    pub fn file_limits(&self) -> impl Iterator<Item = &LimitRule> {
        self.limits_above.iter().chain(&self.limits)
    }

    /// The smaller of two limits on model usage, in tokens a day: the policy's, and one of the user's.
    pub fn daily_budget(&self, of_user: Option<u64>) -> Option<u64> {
        self.tokens_per_day.into_iter().chain(of_user).min()
    }

    /// Returns the policy with its compacting limits set out of reach, for a batch that makes space itself.
    pub fn without_eviction(&self) -> Policy {
        let mut policy = self.clone();
        let limits = policy.limits.iter_mut().chain(&mut policy.limits_above);
        for limit in limits.filter(|l| l.on_limit == OnLimit::Compact) {
            for maximum in [&mut limit.bullets, &mut limit.entries, &mut limit.chars] {
                *maximum = maximum.map(|_| usize::MAX);
            }
        }
        policy.scope_limits.retain(|limit| limit.on_limit != OnLimit::Compact);
        policy
    }

    /// Returns the categories that an agent may see: those of its own list, else of `agents.default`, none if that list
    /// does not exist; `None` if the agent is not restricted.
    pub fn allowed_categories(&self, agent: &str) -> Option<&[String]> {
        let list = |name: &str| self.allowlists.iter().find(|(n, _)| n == name).map(|(_, list)| list.as_slice());
        // A default list that does not exist allows nothing: the policy intended a restriction.
        list(agent).or_else(|| Some(list(self.default_agent.as_deref()?).unwrap_or_default()))
    }

    /// Finds a category by name.
    #[cfg(test)]
    pub fn category(&self, name: &str) -> Option<&CategoryRule> {
        self.categories.iter().find(|c| c.name == name)
    }
}

/// The policy that `init` writes: every key, explained, at its default.
pub const TEMPLATE: &str = include_str!("template.yaml");

/// The result of loading a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedPolicy {
    /// The valid part of it; defaults for the rest.
    pub policy: Policy,
    /// Why writes are refused, if they are (an unknown key of a known version, with its line).
    pub refuses_writes: Option<Rejection>,
    /// Why reads are refused too, if they are: the policy restricts agents, and the restriction cannot be understood.
    pub refuses_reads: Option<Rejection>,
    /// Warnings for readers.
    pub warnings: Vec<Warning>,
}

/// Loads a policy. Never fails: an invalid policy refuses writes and allows reads, unless its allowlists cannot be
/// understood.
pub fn load(yaml: &str) -> LoadedPolicy {
    load_with_defaults(yaml, Policy::default(), &[])
}

/// [`load`], with other values for keys that are not set, and lists of agents that `agents.default` may name, too.
fn load_with_defaults(yaml: &str, defaults: Policy, other_lists: &[(String, Vec<String>)]) -> LoadedPolicy {
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
    let restricting_keys =
        yaml.lines().any(|line| line.split('#').next().is_some_and(|code| code.contains("allowlists")));
    let may_occur = |key: &&str| restricting_keys && (object.is_empty() || object.contains_key(*key));
    let gates: Vec<&str> = ["categories", "allowlists", "agents"].into_iter().filter(may_occur).collect();
    let mut valid_keys = Map::new();
    for (key, value) in object {
        let at_maximum = notes.0.len() == MAX_NOTES;
        if at_maximum && form::POLICY_FORM.all_fields().all(|f| f.name != key) {
            continue;
        }
        let too_old = form::needs_version_2(&key, &value) && version.is_none_or(|v| v < 2);
        let name = key.clone();
        let single = Map::from_iter([(key, value)]);
        match form::POLICY_FORM.check(&single) {
            Ok(()) if too_old => {
                let what = if name == "lifetimes" { "a list of lifetimes".to_owned() } else { format!("'{name}'") };
                let message = format!("policy: {what} needs 'version: 2'");
                notes.add(yaml::line_of(yaml, &[name]), message);
            }
            Ok(()) => valid_keys.extend(single),
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

/// Maximum number of problems reported for one policy: finding the line of each scans the text again.
const MAX_NOTES: usize = 20;

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

/// Returns the JSON Schema (2020-12) of `memdir.yaml`. A schema-valid file allows writes, except for the finer rules of
/// the path grammar in `default_file`.
pub fn schema() -> Value {
    let mut schema = form::POLICY_FORM.schema();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "memdir policy".into();
    schema["type"] = serde_json::json!(["object", "null"]);
    let not_null = serde_json::json!({"not": {"type": "null"}});
    let new_keys = form::VERSION_2_KEYS.map(|key| (key, not_null.clone()));
    let needs_version_2 = new_keys.into_iter().chain([("lifetimes", serde_json::json!({"type": "array"}))]);
    let needs_version_2 = needs_version_2.map(|(key, present)| {
        serde_json::json!({
            "if": {"required": [key], "properties": {key: present}},
            "then": {"required": ["version"], "properties": {"version": {"const": 2}}},
        })
    });
    schema["allOf"] = needs_version_2.collect();
    schema
}

/// Returns the keys of `memdir.yaml`, for the manual.
#[cfg(test)]
pub fn policy_form() -> &'static ShapeForm {
    &form::POLICY_FORM
}

#[cfg(test)]
mod tests;
