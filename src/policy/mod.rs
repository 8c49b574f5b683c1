//! The policy of a data directory: `memdir.yaml`, parsed and checked.
//!
//! Never names a command, an endpoint, a key, a model or a path outside: a policy may arrive by `git clone`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

#[cfg(test)]
use crate::json_shape::ShapeForm;
use crate::path::MemoryPath;

mod decay;
mod form;
pub mod glob;
mod govern;
mod load;
pub mod path_globs;
pub mod yaml;

pub use decay::EffectiveConfidence;
pub use govern::load_scope;
pub use load::{LoadedPolicy, load};

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

/// What happens to a change by an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// It is made.
    Direct,
    /// It waits in `inbox/` until a person accepts it.
    Propose,
}

/// How agents may change files. The first rule that matches a file applies to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentWriteRule {
    /// A glob over paths (`facts/**`).
    pub at: String,
    pub mode: WriteMode,
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
    /// The value of the item's metadata key `dur`, e.g. `permanent`.
    pub durability: Option<String>,
    /// Days without a use or change after which the item is archived; `None`: never.
    pub unused_days: Option<u32>,
    /// Items of this importance or more are never archived for being unused.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
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
    /// Of a scope: the limits of the parent memory; the smaller maximum applies.
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
    /// How agents may change files (`agents.write`), in file order.
    pub agent_writes: Vec<AgentWriteRule>,
    /// Of a scope: the rules of the parent memory; what either of both reviews is reviewed.
    pub agent_writes_above: Vec<AgentWriteRule>,
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
            agent_writes: Vec::new(),
            agent_writes_above: Vec::new(),
            sensitive: ["preferred_name", "pronouns", "city", "language"].map(String::from).to_vec(),
            benign: Vec::new(),
            secrets: SecretRule::Warn,
            consent_days: 7,
            max_chars: 280,
            lifetimes: Vec::new(),
            expired: ExpiredRule::Hide,
            decay: None,
            checkpoints: None,
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
        // The first of equal ones is returned: that of the parent memory.
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

    /// Whether a change may push other items out (`on_limit: compact`).
    pub fn evicts(&self) -> bool {
        self.file_limits().chain(&self.scope_limits).any(|limit| limit.on_limit == OnLimit::Compact)
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
    /// does not exist; `None` if the agent is not restricted. A name may be composed (NFC) or, as macOS passes it, not. A
    /// list whose name differs in case only counts where no other does: `Claude` is meant for the host `claude`.
    pub fn allowed_categories(&self, agent: &str) -> Option<&[String]> {
        let list = |name: &str| {
            let is_named = |(own, _): &&(String, Vec<String>)| own.nfc().eq(name.nfc());
            let lower = |name: &str| name.nfc().collect::<String>().to_lowercase();
            let is_like = |(own, _): &&(String, Vec<String>)| lower(own) == lower(name);
            let lists = || self.allowlists.iter();
            lists().find(is_named).or_else(|| lists().find(is_like)).map(|(_, list)| list.as_slice())
        };
        // A default list that does not exist allows nothing: the policy intended a restriction.
        list(agent).or_else(|| Some(list(self.default_agent.as_deref()?).unwrap_or_default()))
    }

    /// Whether a change of this file by an agent waits for a person. A file of `archive/` counts as the one that its
    /// items are from; `inbox/` is where such changes wait.
    pub fn reviews_agents_at(&self, path: &MemoryPath) -> bool {
        let path = path.below_archive().unwrap_or(path.as_str());
        let proposes = |rules: &[AgentWriteRule]| {
            rules.iter().find(|rule| glob::matches(&rule.at, path)).is_some_and(|rule| rule.mode == WriteMode::Propose)
        };
        !path.starts_with("inbox/") && (proposes(&self.agent_writes_above) || proposes(&self.agent_writes))
    }

    /// Whether a change of any file by an agent waits for a person.
    pub fn reviews_agents(&self) -> bool {
        self.agent_writes.iter().chain(&self.agent_writes_above).any(|rule| rule.mode == WriteMode::Propose)
    }

    /// Finds a category by name.
    #[cfg(test)]
    pub fn category(&self, name: &str) -> Option<&CategoryRule> {
        self.categories.iter().find(|c| c.name == name)
    }
}

/// The policy that `init` writes: every key, explained, at its default.
pub const TEMPLATE: &str = include_str!("template.yaml");

/// Returns the JSON Schema (2020-12) of `memdir.yaml`. A schema-valid file allows writes, except for the finer rules of
/// the path grammar in `default_file`.
pub fn schema() -> Value {
    let mut schema = form::POLICY_FORM.schema();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "memdir policy".into();
    schema["type"] = serde_json::json!(["object", "null"]);
    let not_null = serde_json::json!({"not": {"type": "null"}});
    let new_keys = form::VERSION_2_KEYS.map(|key| (key, not_null.clone()));
    let write_rule = serde_json::json!({
        "type": "object", "required": ["write"], "properties": {"write": not_null.clone()},
    });
    let extended_keys = [("lifetimes", serde_json::json!({"type": "array"})), ("agents", write_rule)];
    let needs_version_2 = new_keys.into_iter().chain(extended_keys);
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
