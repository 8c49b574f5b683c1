//! What the data dir allows: `memdir.yaml`, read and checked.
//!
//! Never names a command, an endpoint, a key, a model or a path outside: a policy may arrive by `git clone`.

use serde_json::{Map, Value};

use crate::code::{Code, Rejection, Warning};
use crate::path::MemoryPath;
use crate::shape::{Form, Problem, Wrong, integer, shown};

mod form;
pub mod glob;
pub mod yaml;

/// Episodes by month (`2026-02.md`) or by week (`2026-W07.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Period {
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
    /// The least valuable items make room.
    Compact,
}

/// A limit on a block or file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// A glob over paths (`facts/*.md`, `**`), perhaps with `#slug` for one section of it.
    pub at: String,
    /// Most bullets.
    pub bullets: Option<usize>,
    /// Most `##` entries.
    pub entries: Option<usize>,
    /// Most characters (Unicode scalar values) of bullet text.
    pub chars: Option<usize>,
    /// What then.
    pub on_limit: OnLimit,
}

/// Stamps that memdir writes on items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// `added=DATE` on new bullets.
    Added,
    /// `by=NAME` on new and changed bullets.
    By,
    /// `upd=DATE` on changed bullets.
    Upd,
    /// `src=ID` where the caller gives a source.
    Src,
    /// Keeps an existing `- Updated:` bullet or front matter `updated`/`last_updated` current.
    Updated,
}

/// How a category reaches a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Context {
    /// All of it, always.
    All,
    /// What fits the question.
    #[default]
    Rag,
}

/// A kind of memory (seeds/memory-spec.md 5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// How it reaches a context.
    pub context: Context,
    /// Most items of it in a context.
    pub rag_length: Option<usize>,
    /// Whether it comes with the product, rather than from whoever wrote the policy.
    pub system: bool,
}

/// When items are forgotten. Nothing is, unless the policy says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetimes {
    /// Days without a touch after which an item goes to `archive/`.
    pub soft_delete_after_days: Option<u32>,
    /// Days after which an archived item is removed.
    pub purge_after_days: Option<u32>,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Bullets.
    Bullets,
    /// `##` entries.
    Entries,
    /// Characters of bullet text.
    Chars,
}

/// The policy of a data dir.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The format's version; 1 without a file.
    pub version: u64,
    /// Where a category without a block goes: a path by the grammar.
    pub default_file: String,
    /// How episode files are named.
    pub episodes: Period,
    /// Limits, in file order; the first that fits a place counts for each measure.
    pub limits: Vec<Limit>,
    /// Stamps to write.
    pub stamps: Vec<Stamp>,
    /// Kinds of memory, the system's first.
    pub categories: Vec<Category>,
    /// Agents and the categories each may ask for.
    pub allowlists: Vec<(String, Vec<String>)>,
    /// The allowlist of agents that have none of their own (`agents.default`).
    pub default_agent: Option<String>,
    /// Labels whose values change only with consent.
    pub sensitive: Vec<String>,
    /// Days that a proposal waits for consent.
    pub consent_days: u32,
    /// Most characters (Unicode scalar values) of a bullet, by the writing rules.
    pub max_chars: usize,
    /// When items are forgotten.
    pub lifetimes: Lifetimes,
    /// Whether `inbox/` is kept in git.
    pub inbox_in_git: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            version: 1,
            default_file: "facts/user.md".into(),
            episodes: Period::Month,
            limits: Vec::new(),
            stamps: Vec::new(),
            categories: Vec::new(),
            allowlists: Vec::new(),
            default_agent: None,
            sensitive: ["preferred_name", "pronouns", "city", "language"].map(String::from).to_vec(),
            consent_days: 7,
            max_chars: 280,
            lifetimes: Lifetimes::default(),
            inbox_in_git: false,
        }
    }
}

impl Limit {
    /// Whether it is a limit of that file (`section` none) or of that section of it. A limit with `#section` never
    /// fits a whole file, one without never fits a section.
    pub fn fits(&self, path: &MemoryPath, section: Option<&str>) -> bool {
        let (file, part) = match self.at.split_once('#') {
            Some((file, part)) => (file, Some(part)),
            None => (self.at.as_str(), None),
        };
        let place = match (part, section) {
            (None, None) => true,
            (Some(part), Some(section)) => glob::fits(part, section),
            _ => false,
        };
        place && glob::fits(file, path.as_str())
    }

    /// The most of one measure.
    pub fn most(&self, measure: Measure) -> Option<usize> {
        match measure {
            Measure::Bullets => self.bullets,
            Measure::Entries => self.entries,
            Measure::Chars => self.chars,
        }
    }
}

impl Policy {
    /// The first limit that fits a file (`section` none) or a section of it. A later one may bound another measure:
    /// [`Policy::bound`] looks for that.
    pub fn limit_for(&self, path: &MemoryPath, section: Option<&str>) -> Option<&Limit> {
        self.limits.iter().find(|l| l.fits(path, section))
    }

    /// The most of one measure in a file or section, and the limit that says so.
    pub fn bound(&self, path: &MemoryPath, section: Option<&str>, measure: Measure) -> Option<(usize, &Limit)> {
        let fit = self.limits.iter().filter(|l| l.fits(path, section));
        fit.filter_map(|l| Some((l.most(measure)?, l))).next()
    }

    /// The same policy, but limits that compact are out of reach: for whoever makes room by himself, in the same batch.
    pub fn without_eviction(&self) -> Policy {
        let mut policy = self.clone();
        for limit in policy.limits.iter_mut().filter(|l| l.on_limit == OnLimit::Compact) {
            for most in [&mut limit.bullets, &mut limit.entries, &mut limit.chars] {
                *most = most.map(|_| usize::MAX);
            }
        }
        policy
    }

    /// The categories that an agent may see: its own list's, else those of `agents.default`, none where that list does
    /// not exist; `None` where nothing restricts it.
    pub fn allowed(&self, agent: &str) -> Option<&[String]> {
        let list = |name: &str| self.allowlists.iter().find(|(n, _)| n == name).map(|(_, list)| list.as_slice());
        // Who named a list that is not there meant to restrict, and is not to open everything.
        list(agent).or_else(|| Some(list(self.default_agent.as_deref()?).unwrap_or_default()))
    }

    /// A category by its name.
    pub fn category(&self, name: &str) -> Option<&Category> {
        self.categories.iter().find(|c| c.name == name)
    }
}

/// The policy that `init` writes: every key, explained, at its default.
pub const TEMPLATE: &str = include_str!("template.yaml");

/// What came of reading a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What is known of it; defaults for the rest.
    pub policy: Policy,
    /// Why nothing may be written under it, if so (an unknown key of a known version, with its line).
    pub refuses_writes: Option<Rejection>,
    /// Why nothing may be read either: it restricts agents, and how is not understood.
    pub refuses_reads: Option<Rejection>,
    /// What readers should be told.
    pub warnings: Vec<Warning>,
}

/// Reads a policy's text. Never fails: a broken policy refuses writes and lets reads go on, but for one whose allowlists
/// are not understood.
pub fn load(yaml: &str) -> Loaded {
    let mut notes = Notes(Vec::new());
    let object = match yaml::read(yaml) {
        Ok(Value::Null) => Map::new(),
        Ok(Value::Object(object)) => object,
        Ok(_) => notes.add(Some(1), "the policy is not a mapping of keys to values".into()),
        Err(flaw) => notes.add(flaw.line, flaw.message),
    };
    let newer = object.get("version").and_then(integer).filter(|v| *v > form::VERSION);
    if let Some(version) = newer {
        let message = format!("its version is {version}, and this memdir knows {}", form::VERSION);
        notes.add(yaml::line_of(yaml, &["version".into()]), message);
    }
    let gates = yaml.lines().any(|line| line.split('#').next().is_some_and(|code| code.contains("allowlists")));
    let said = |key: &&str| gates && (object.is_empty() || object.contains_key(*key));
    let gates: Vec<&str> = ["categories", "allowlists", "agents"].into_iter().filter(said).collect();
    let mut good = Map::new();
    for (key, value) in object {
        let full = notes.0.len() == MOST_NOTES;
        if full && form::POLICY.fields().all(|f| f.name != key) {
            continue;
        }
        let one = Map::from_iter([(key, value)]);
        match form::POLICY.check(&one) {
            Ok(()) => good.extend(one),
            Err(_) if newer.is_some() || full => {}
            Err(problem) => _ = notes.add(yaml::line_of(yaml, &problem.path), sentence(problem)),
        }
    }
    let lost = gates.into_iter().any(|key| !good.contains_key(key));
    let policy = Policy { version: newer.map_or(1, |v| v as u64), ..policy(&good) };
    let mut loaded = notes.loaded(policy);
    if lost {
        loaded.refuses_reads = loaded.refuses_writes.clone().map(|why| {
            why.hint("correct the file; it restricts what agents see, and until then nothing can be read or written")
        });
    }
    loaded
}

/// Most things that are told of one policy; finding a line takes a look at all.
const MOST_NOTES: usize = 20;

/// What is wrong, each with its line.
struct Notes(Vec<(Option<usize>, String)>);

impl Notes {
    /// Notes a flaw; what could be read of the rest is nothing.
    fn add(&mut self, line: Option<usize>, message: String) -> Map<String, Value> {
        self.0.push((line, message));
        Map::new()
    }

    fn loaded(self, policy: Policy) -> Loaded {
        let told = |(line, message): &(Option<usize>, String)| match line {
            Some(line) => format!("memdir.yaml line {line}: {message}"),
            None => format!("memdir.yaml: {message}"),
        };
        let refuses_writes = self.0.first().map(|note| {
            let rejection = Rejection::new(Code::InvalidPolicy, told(note))
                .hint("correct the file; until then memory can be read, and not written")
                .detail("problems", self.0.iter().map(told).collect::<Vec<_>>());
            match note.0 {
                Some(line) => rejection.detail("line", line),
                None => rejection,
            }
        });
        let mut warnings: Vec<Warning> = Vec::new();
        for note in &self.0 {
            let warning = Warning::new(Code::InvalidPolicy, told(note));
            warnings.push(match note.0 {
                Some(line) => warning.detail("line", line),
                None => warning,
            });
        }
        if let Some(name) = policy.default_agent.as_deref().filter(|n| policy.allowlists.iter().all(|(a, _)| a != n)) {
            let message =
                format!("memdir.yaml: agents.default names the allowlist {}, which does not exist", shown(name));
            warnings.push(Warning::new(Code::InvalidPolicy, message));
        }
        Loaded { policy, refuses_writes, refuses_reads: None, warnings }
    }
}

/// A problem in words. Keys of the other config get words of their own: somebody may mean harm, or well.
fn sentence(problem: Problem) -> String {
    match problem.path.last() {
        Some(key) if problem.wrong == Wrong::Unknown && form::is_outside(key) => {
            format!("{} belongs in the user config, not in a policy that may arrive by git", shown(key))
        }
        _ => problem.message,
    }
}

/// The policy that good keys say; defaults for the rest.
fn policy(object: &Map<String, Value>) -> Policy {
    let default = Policy::default();
    let get = |path: &[&str]| {
        path.iter()
            .try_fold(None::<&Value>, |at, key| match at {
                None => object.get(*key).map(Some),
                Some(value) => value.get(key).map(Some),
            })
            .flatten()
    };
    let text = |path: &[&str]| get(path).and_then(Value::as_str).map(str::to_owned);
    let days = |path: &[&str]| get(path).and_then(integer).map(|n| n as u32);
    let each = |path: &[&str]| get(path).and_then(Value::as_array).into_iter().flatten();
    let category = |system| move |value: &Value| category(value, system);
    Policy {
        version: default.version,
        default_file: text(&["default_file"]).unwrap_or(default.default_file),
        episodes: if text(&["episodes"]).as_deref() == Some("week") { Period::Week } else { Period::Month },
        limits: each(&["limits"]).map(limit).collect(),
        stamps: each(&["stamps"]).filter_map(stamp).collect(),
        categories: each(&["categories", "system"])
            .map(category(true))
            .chain(each(&["categories", "custom"]).map(category(false)))
            .collect(),
        allowlists: get(&["allowlists"])
            .and_then(Value::as_object)
            .map_or(Vec::new(), |all| all.iter().map(|(k, v)| (k.clone(), names(v))).collect()),
        default_agent: text(&["agents", "default"]),
        sensitive: get(&["sensitive"]).filter(|v| v.is_array()).map_or(default.sensitive, names),
        consent_days: days(&["consent_days"]).unwrap_or(default.consent_days),
        max_chars: get(&["writing", "max_chars"]).and_then(integer).map_or(default.max_chars, |n| n as usize),
        lifetimes: Lifetimes {
            soft_delete_after_days: days(&["lifetimes", "soft_delete_after_days"]),
            purge_after_days: days(&["lifetimes", "purge_after_days"]),
        },
        inbox_in_git: get(&["inbox_in_git"]).and_then(Value::as_bool).unwrap_or(default.inbox_in_git),
    }
}

fn names(value: &Value) -> Vec<String> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn limit(value: &Value) -> Limit {
    let count = |name| value.get(name).and_then(integer).map(|n| n as usize);
    let text = |name| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let on_limit = if text("on_limit") == "compact" { OnLimit::Compact } else { OnLimit::Refuse };
    Limit {
        at: text("at").into(),
        bullets: count("bullets"),
        entries: count("entries"),
        chars: count("chars"),
        on_limit,
    }
}

fn category(value: &Value, system: bool) -> Category {
    let text = |name| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let context = if text("context") == "all" { Context::All } else { Context::Rag };
    let rag_length = value.get("rag_length").and_then(integer).map(|n| n as usize);
    Category { name: text("name").into(), context, rag_length, system }
}

fn stamp(value: &Value) -> Option<Stamp> {
    match value.as_str()? {
        "added" => Some(Stamp::Added),
        "by" => Some(Stamp::By),
        "upd" => Some(Stamp::Upd),
        "src" => Some(Stamp::Src),
        "updated" => Some(Stamp::Updated),
        _ => None,
    }
}

/// The JSON Schema (2020-12) of `memdir.yaml`: schema-valid means that writes go on, but for the path grammar's finer
/// points in `default_file`.
pub fn schema() -> Value {
    let mut schema = form::POLICY.schema();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "memdir policy".into();
    schema["type"] = serde_json::json!(["object", "null"]);
    schema
}

/// The keys of `memdir.yaml`, for the manual.
pub fn fields() -> &'static Form {
    &form::POLICY
}

#[cfg(test)]
mod tests;
