//! Loading a policy: the valid keys of `memdir.yaml`, and what is wrong with the others.
//!
//! Never fails: what cannot be understood refuses writes, and reads too if it restricts them.

use serde_json::{Map, Value};

use super::{
    AgentWriteRule, CategoryRule, CheckpointRule, ContextMode, DecayRule, EpisodePeriod, ExpiredRule, LifetimeRule,
    LimitRule, LinkRule, OnLimit, Policy, SecretRule, StampKey, WriteMode, form, yaml,
};
use crate::code::{Code, Rejection, Warning, quote_short};
use crate::json_shape::{ShapeError, ShapeProblem, as_integer};

/// The result of loading a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedPolicy {
    /// The valid part of it; defaults for the rest.
    pub policy: Policy,
    /// Why writes are refused, if they are (an unknown key of a known version, with its line).
    pub refuses_writes: Option<Rejection>,
    /// Why reads are refused too, if they are: the policy restricts agents, and the restriction cannot be understood.
    pub refuses_reads: Option<Rejection>,
    /// Why reads of agents are refused, if they are: of a text that is no YAML, what it restricts may be missing.
    pub refuses_agent_reads: Option<Rejection>,
    /// What is wrong with the policy, for commands that only read; others are refused.
    pub warnings: Vec<Warning>,
}

impl LoadedPolicy {
    /// Why a caller may read nothing; `None` if it may read.
    pub fn read_refusal(&self, is_agent: bool) -> Option<&Rejection> {
        self.refuses_reads.as_ref().or(self.refuses_agent_reads.as_ref().filter(|_| is_agent))
    }
}

/// Loads a policy. Never fails: an invalid policy refuses writes, and reads, too, if its allowlists cannot be
/// understood. The policy of a file that cannot be read at all is `unreadable_policy`, which refuses both.
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
    let is_unparsed = !notes.0.is_empty();
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
    let has_agents = object.contains_key("agents");
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
                    let message = format!("{what} needs 'version: 2'");
                    notes.add(yaml::line_of(yaml, &[name]), message);
                }
                None => valid_keys.extend(single),
            },
            Err(_) if newer.is_some() || at_maximum => {}
            Err(problem) => _ = notes.add(yaml::line_of(yaml, &problem.path), describe_problem(problem)),
        }
    }
    // Without its rules, an agent would write what a person is to review.
    let review_lost =
        if is_unparsed { yaml.contains("agents") } else { has_agents && !valid_keys.contains_key("agents") };
    let restriction_lost = gates.into_iter().any(|key| !valid_keys.contains_key(key));
    let mut policy = Policy { version: version.map_or(1, |v| v.max(1) as u64), ..policy_from(&valid_keys, defaults) };
    if review_lost {
        policy.agent_writes = vec![AgentWriteRule { at: "**".to_owned(), mode: WriteMode::Propose }];
    }
    let mut loaded = notes.into_loaded(policy, other_lists);
    if valid_keys.get(form::RETIRED_KEY) == Some(&Value::Bool(true)) {
        let message = "memdir.yaml: 'inbox_in_git' has no effect: proposals stay on this machine, and `inbox --branch` \
                       shares them; remove the line";
        loaded.warnings.push(Warning::new(Code::InvalidPolicy, message));
    }
    // Else an agent would write what the rule was to review.
    let is_idle_review = |rule: &&mut AgentWriteRule| rule.mode == WriteMode::Propose && !can_match(&rule.at);
    loaded.policy.agent_writes.iter_mut().filter(is_idle_review).for_each(|rule| rule.at = "**".to_owned());
    if is_unparsed {
        loaded.refuses_agent_reads = loaded.refuses_writes.clone().map(|error| {
            error.hint(
                "fix the file: what agents may see cannot be known, so they can read and write nothing until then",
            )
        });
    }
    if restriction_lost {
        loaded.refuses_reads = loaded.refuses_writes.clone().map(|error| {
            error.hint("fix the file: it restricts what agents see, so nothing can be read or written until then")
        });
    }
    loaded
}

/// The globs of rules that can match no path, each with the key of the rule, and what follows from it.
fn idle_globs(policy: &Policy) -> impl Iterator<Item = (&'static str, &str, &'static str)> {
    let limits = policy.limits.iter().map(|limit| ("limits", limit.at.as_str(), ""));
    let lifetimes = policy.lifetimes.iter().filter_map(|rule| Some(("lifetimes", rule.at.as_deref()?, "")));
    let writes = policy.agent_writes.iter().map(|rule| match rule.mode {
        WriteMode::Propose => ("agents.write", rule.at.as_str(), ", so the rule holds for every file"),
        WriteMode::Direct => ("agents.write", rule.at.as_str(), ""),
    });
    limits.chain(lifetimes).chain(writes).filter(|(_, at, _)| !can_match(at))
}

/// Whether a path of a memory can match a glob, which may name a section: none is absolute, has an empty part, or one
/// that starts with a dot. Braces and brackets are compared as they are.
fn can_match(glob: &str) -> bool {
    let glob = glob.split('#').next().unwrap_or_default();
    let is_name = |part: &str| !part.is_empty() && !part.starts_with('.');
    !glob.contains('\\') && !glob.starts_with('~') && glob.split('/').all(is_name)
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
        warnings.extend(idle_globs(&policy).map(|(key, glob, result)| {
            let message = format!("memdir.yaml: no path can match the glob {} at '{key}'{result}", quote_short(glob));
            Warning::new(Code::InvalidPolicy, message)
        }));
        LoadedPolicy { policy, refuses_writes, refuses_reads: None, refuses_agent_reads: None, warnings }
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

/// The valid keys of a policy.
struct PolicyKeys<'a>(&'a Map<String, Value>);

impl<'a> PolicyKeys<'a> {
    /// The value of a key, or of one in the mapping that a key has.
    fn get(&self, path: &[&str]) -> Option<&'a Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.0.get(*first)?, |value, key| value.get(key))
    }

    fn text(&self, path: &[&str]) -> Option<&'a str> {
        self.get(path).and_then(Value::as_str)
    }

    fn integer(&self, path: &[&str]) -> Option<i64> {
        self.get(path).and_then(as_integer)
    }

    /// The items of a list; none without one.
    fn each(&self, path: &[&str]) -> impl Iterator<Item = &'a Value> {
        self.get(path).and_then(Value::as_array).into_iter().flatten()
    }

    fn strings(&self, key: &str, default: Vec<String>) -> Vec<String> {
        self.get(&[key]).map_or(default, string_list)
    }

    /// A number of `budget`.
    fn budget(&self, key: &str, default: Option<u64>) -> Option<u64> {
        self.integer(&["budget", key]).map_or(default, |number| u64::try_from(number).ok())
    }

    fn categories(&self) -> Vec<CategoryRule> {
        let system = self.each(&["categories", "system"]).map(|value| category_from(value, true));
        system.chain(self.each(&["categories", "custom"]).map(|value| category_from(value, false))).collect()
    }

    fn allowlists(&self) -> Vec<(String, Vec<String>)> {
        let lists = self.get(&["allowlists"]).and_then(Value::as_object).into_iter().flatten();
        lists.map(|(agent, names)| (agent.clone(), string_list(names))).collect()
    }
}

/// Builds the policy from the valid keys; defaults for the rest.
fn policy_from(object: &Map<String, Value>, default: Policy) -> Policy {
    let keys = PolicyKeys(object);
    Policy {
        version: default.version,
        default_file: keys.text(&["default_file"]).map_or(default.default_file, str::to_owned),
        episodes: match keys.text(&["episodes"]) {
            Some("week") => EpisodePeriod::Week,
            Some(_) => EpisodePeriod::Month,
            None => default.episodes,
        },
        limits: keys.each(&["limits"]).map(limit_from).collect(),
        limits_above: Vec::new(),
        scope_limits: Vec::new(),
        stamps: keys.each(&["stamps"]).filter_map(stamp_from).collect(),
        categories: keys.categories(),
        allowlists: keys.allowlists(),
        default_agent: keys.text(&["agents", "default"]).map(str::to_owned),
        agent_writes: keys.get(&["agents", "write"]).map_or(Vec::new(), agent_writes_from),
        agent_writes_above: Vec::new(),
        sensitive: keys.get(&["sensitive"]).filter(|v| v.is_array()).map_or(default.sensitive, string_list),
        benign: keys.strings("benign", default.benign),
        secrets: match keys.text(&["secrets"]) {
            Some("refuse") => SecretRule::Refuse,
            Some("off") => SecretRule::Off,
            Some(_) => SecretRule::Warn,
            None => default.secrets,
        },
        consent_days: keys.integer(&["consent_days"]).map_or(default.consent_days, |days| days as u32),
        max_chars: keys.integer(&["writing", "max_chars"]).map_or(default.max_chars, |chars| chars as usize),
        lifetimes: keys.get(&["lifetimes"]).map_or(default.lifetimes, lifetimes_from),
        expired: match keys.text(&["expired"]) {
            Some("archive") => ExpiredRule::Archive,
            Some(_) => ExpiredRule::Hide,
            None => default.expired,
        },
        decay: keys.get(&["decay"]).map_or(default.decay, |value| Some(decay_from(value))),
        checkpoints: keys.get(&["checkpoints"]).map_or(default.checkpoints, |value| Some(checkpoints_from(value))),
        shared: keys.strings("shared", default.shared),
        tokens_per_day: keys.budget("tokens_per_day", default.tokens_per_day),
        writes_per_day: keys.budget("writes_per_day", default.writes_per_day),
        links: keys.get(&["links"]).and_then(links_from).or(default.links),
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

fn decay_from(value: &Value) -> DecayRule {
    DecayRule {
        half_life_days: days_of(value, "half_life").unwrap_or(DEFAULT_HALF_LIFE_DAYS),
        floor: value.get("floor").and_then(Value::as_f64).unwrap_or(DEFAULT_DECAY_FLOOR),
    }
}

fn checkpoints_from(value: &Value) -> CheckpointRule {
    let number = |key| value.get(key).and_then(as_integer);
    CheckpointRule { keep: number("keep").map(|n| n as usize), days: number("days").map(|n| n as u32) }
}

/// The rule of `links`; `None` if it does not say how many.
fn links_from(value: &Value) -> Option<LinkRule> {
    let auto = value.get("auto").and_then(as_integer)? as usize;
    Some(LinkRule { auto, min: value.get("min").and_then(Value::as_f64).unwrap_or(DEFAULT_LINK_STRENGTH) })
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
