//! The policy of a scope: its own `memdir.yaml` below that of its parent memory, which it can only tighten.
//!
//! Never lets a key of the scope allow what the memory's policy does not: such a key is ignored, with a warning.

use super::load::load_with_defaults;
use super::{
    AgentWriteRule, CategoryRule, CheckpointRule, ExpiredRule, LimitRule, LoadedPolicy, Policy, SecretRule, WriteMode,
    glob,
};
use crate::code::{Code, Warning, quote_short};
use crate::path::SCOPES_FOLDER;

/// The allowlist of agents without their own, in a scope. No agent and no key of a policy can have this name.
const DEFAULT_LIST: &str = "\0default";
/// A list of all category names that either policy lists: what is in no agent's list must stay known, to be hidden.
const KNOWN_LIST: &str = "\0known";

/// Loads the policy of a scope. Never fails: what is unsound or looser than the policy above is ignored, with a
/// warning. Reads are refused if the scope's own allowlists cannot be understood.
pub fn load_scope(yaml: &str, above: &Policy, scope: &str) -> LoadedPolicy {
    // Lists begin empty, and are joined with those above; for values that the scope does not set, those above apply.
    let unset = Policy {
        limits: Vec::new(),
        stamps: Vec::new(),
        categories: Vec::new(),
        allowlists: Vec::new(),
        default_agent: None,
        agent_writes: Vec::new(),
        agent_writes_above: Vec::new(),
        sensitive: Vec::new(),
        benign: Vec::new(),
        lifetimes: Vec::new(),
        shared: Vec::new(),
        ..above.clone()
    };
    let own = load_with_defaults(yaml, unset, &above.allowlists);
    let (policy, looser) = govern(above, own.policy, scope);
    let mut warnings = own.warnings;
    warnings.iter_mut().for_each(|warning| warning.message.insert_str(0, "of this scope, ignored: "));
    let ignored = |key: String| {
        let message = format!("of this scope, ignored: {key} is looser than in the policy of the parent memory");
        Warning::new(Code::InvalidPolicy, message)
    };
    warnings.extend(looser.into_iter().map(ignored));
    LoadedPolicy {
        policy,
        refuses_writes: None,
        refuses_reads: own.refuses_reads,
        refuses_agent_reads: own.refuses_agent_reads,
        warnings,
    }
}

/// Joins the policy of a scope with the one above; also returns which of its keys are looser.
///
/// Every key is decided here, and a new one does not compile until it is.
fn govern(above: &Policy, own: Policy, scope: &str) -> (Policy, Vec<String>) {
    let mut looser: Vec<String> = Vec::new();
    let (allowlists, default_agent) = join_allowlists(above, &own, &mut looser);
    let Policy {
        version,
        default_file,
        episodes,
        limits,
        limits_above: _,
        scope_limits: _,
        stamps,
        categories,
        allowlists: _,
        default_agent: _,
        agent_writes,
        agent_writes_above: _,
        sensitive,
        benign,
        secrets,
        consent_days,
        max_chars,
        lifetimes,
        expired,
        decay,
        checkpoints,
        shared,
        tokens_per_day,
        writes_per_day,
        links,
    } = own;
    let policy = Policy {
        // How its files are laid out is the scope's own matter.
        version,
        default_file,
        episodes,
        links,
        // The smaller maximum applies: `Policy::maximum_for` compares both lists.
        limits_above: above.limits.iter().filter_map(|limit| limit_in_scope(limit, scope)).collect(),
        scope_limits: above.limits.iter().filter(|limit| limits_scope(limit, scope)).cloned().collect(),
        // Lists that only add duties: both apply.
        stamps: joined(&above.stamps, stamps),
        sensitive: joined(&above.sensitive, sensitive),
        benign: joined(&above.benign, benign),
        categories: joined_categories(&above.categories, categories),
        // The first rule that matches an item applies, so the scope's are for what those above leave open.
        lifetimes: above.lifetimes.iter().cloned().chain(lifetimes).collect(),
        // What a caller sees, and what needs consent: the stricter value.
        allowlists,
        default_agent,
        // What either policy reviews is reviewed: `Policy::reviews_agents_at` looks at both.
        agent_writes_above: above.agent_writes.iter().filter_map(|rule| write_rule_in_scope(rule, scope)).collect(),
        agent_writes,
        secrets: stricter_secrets(above.secrets, secrets, &mut looser),
        consent_days: smaller("'consent_days'", above.consent_days, consent_days, &mut looser),
        max_chars: smaller("'writing.max_chars'", above.max_chars, max_chars, &mut looser),
        tokens_per_day: smallest("'budget.tokens_per_day'", above.tokens_per_day, tokens_per_day, &mut looser),
        writes_per_day: smallest("'budget.writes_per_day'", above.writes_per_day, writes_per_day, &mut looser),
        // Once the memory has a rule, a scope cannot switch it off or make it milder.
        expired: match (above.expired, expired) {
            (ExpiredRule::Archive, ExpiredRule::Hide) => {
                looser.push("'expired'".to_owned());
                ExpiredRule::Archive
            }
            (ExpiredRule::Archive, ExpiredRule::Archive) | (ExpiredRule::Hide, _) => expired,
        },
        decay: above.decay.or(decay),
        checkpoints: match (above.checkpoints, checkpoints) {
            (Some(above), Some(own)) => Some(CheckpointRule {
                keep: smallest("'checkpoints.keep'", above.keep, own.keep, &mut looser),
                days: smallest("'checkpoints.days'", above.days, own.days, &mut looser),
            }),
            (above, own) => above.or(own),
        },
        // What scopes share is decided above them.
        shared: Vec::new(),
        limits,
    };
    if above.decay.is_some() && decay != above.decay {
        looser.push("'decay'".to_owned());
    }
    if !shared.is_empty() {
        looser.push("'shared'".to_owned());
    }
    looser.extend(looser_rules(&policy));
    (policy, looser)
}

/// The smaller of two maxima; notes the key if that of the scope is greater.
fn smaller<T: Copy + Ord>(key: &str, above: T, own: T, looser: &mut Vec<String>) -> T {
    if own > above {
        looser.push(key.to_owned());
    }
    own.min(above)
}

/// [`smaller`] for maxima that need not be set.
fn smallest<T: Copy + Ord>(key: &str, above: Option<T>, own: Option<T>, looser: &mut Vec<String>) -> Option<T> {
    match (above, own) {
        (Some(above), Some(own)) => Some(smaller(key, above, own, looser)),
        (above, own) => above.or(own),
    }
}

fn stricter_secrets(above: SecretRule, own: SecretRule, looser: &mut Vec<String>) -> SecretRule {
    let strictness = |rule: SecretRule| match rule {
        SecretRule::Off => 0,
        SecretRule::Warn => 1,
        SecretRule::Refuse => 2,
    };
    if strictness(own) < strictness(above) {
        looser.push("'secrets'".to_owned());
        return above;
    }
    own
}

/// The scope's own rules for writes by agents and its own limits that are looser than those above on the same files.
fn looser_rules(policy: &Policy) -> Vec<String> {
    let is_looser = |own: &&AgentWriteRule| {
        let same = policy.agent_writes_above.iter().find(|above| above.at == own.at);
        own.mode == WriteMode::Direct && same.is_some_and(|above| above.mode == WriteMode::Propose)
    };
    let writes = policy.agent_writes.iter().filter(is_looser);
    let writes = writes.map(|rule| format!("'agents.write' at {}", quote_short(&rule.at)));
    let exceeds = |own: &&LimitRule| {
        let same = policy.limits_above.iter().find(|above| above.at == own.at);
        same.is_some_and(|above| {
            let pairs = [(own.bullets, above.bullets), (own.entries, above.entries), (own.chars, above.chars)];
            pairs.into_iter().any(|(own, above)| own.zip(above).is_some_and(|(own, above)| own > above))
        })
    };
    let limits = policy.limits.iter().filter(exceeds);
    let limits = limits.map(|limit| format!("the limit on {}", quote_short(&limit.at)));
    writes.chain(limits).collect()
}

fn joined<T: Clone + PartialEq>(above: &[T], own: Vec<T>) -> Vec<T> {
    let new = own.into_iter().filter(|value| !above.contains(value));
    above.iter().cloned().chain(new).collect()
}

/// The categories above, and those of the scope that have another name.
fn joined_categories(above: &[CategoryRule], own: Vec<CategoryRule>) -> Vec<CategoryRule> {
    let new = own.into_iter().filter(|category| above.iter().all(|c| c.name != category.name));
    above.iter().cloned().chain(new).collect()
}

/// The limit as it applies to the files of a scope: one on `scopes/*/facts/*.md` to `facts/*.md`; `None` if it is not
/// on files of this scope.
fn limit_in_scope(limit: &LimitRule, scope: &str) -> Option<LimitRule> {
    match limit.at.strip_prefix(SCOPES_FOLDER).and_then(|rest| rest.strip_prefix('/')) {
        None => Some(limit.clone()),
        Some(rest) => {
            let (name, files) = rest.split_once('/')?;
            glob::matches(name, scope).then(|| LimitRule { at: files.to_owned(), ..limit.clone() })
        }
    }
}

/// The rule as it applies to the files of a scope, as [`limit_in_scope`].
fn write_rule_in_scope(rule: &AgentWriteRule, scope: &str) -> Option<AgentWriteRule> {
    match rule.at.strip_prefix(SCOPES_FOLDER).and_then(|rest| rest.strip_prefix('/')) {
        None => Some(rule.clone()),
        Some(rest) => {
            let (name, files) = rest.split_once('/').unwrap_or((rest, "**"));
            glob::matches(name, scope).then(|| AgentWriteRule { at: files.to_owned(), ..rule.clone() })
        }
    }
}

/// Whether a limit is on all files of a scope together: `scopes/*`.
fn limits_scope(limit: &LimitRule, scope: &str) -> bool {
    let name = limit.at.strip_prefix(SCOPES_FOLDER).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| !name.contains(['/', '#']) && glob::matches(name, scope))
}

/// The lists by agent, and the name of the list for agents without their own. Each agent sees what both policies let it
/// see.
fn join_allowlists(
    above: &Policy,
    own: &Policy,
    looser: &mut Vec<String>,
) -> (Vec<(String, Vec<String>)>, Option<String>) {
    let list = |policy: &Policy, name: &str| policy.allowlists.iter().find(|(n, _)| n == name).map(|(_, l)| l.clone());
    // The scope's default may name a list of the memory.
    let own_default =
        own.default_agent.as_deref().map(|name| list(own, name).or_else(|| list(above, name)).unwrap_or_default());
    let default_above = above.default_agent.as_deref().map(|name| list(above, name).unwrap_or_default());
    let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    let common = |above: Option<Vec<String>>, own: Option<Vec<String>>| match (above, own) {
        (Some(above), Some(mut own)) => {
            own.retain(|name| above.iter().any(|a| same(a, name)));
            Some(own)
        }
        (above, own) => above.or(own),
    };
    let agents = joined(
        &above.allowlists.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        own.allowlists.iter().map(|(name, _)| name.as_str()).collect(),
    );
    let mut lists: Vec<(String, Vec<String>)> = Vec::new();
    for name in agents {
        let allowed_above = above.allowed_categories(name).map(<[String]>::to_vec);
        let own_list = list(own, name);
        if let (Some(above), Some(own)) = (&allowed_above, &own_list)
            && own.iter().any(|name| !above.iter().any(|a| same(a, name)))
        {
            looser.push(format!("the allowlist of {}", quote_short(name)));
        }
        let allowed = common(allowed_above, own_list.or_else(|| own_default.clone()));
        lists.extend(allowed.map(|allowed| (name.to_owned(), allowed)));
    }
    if above.allowlists.is_empty() && own.allowlists.is_empty() {
        return (lists, own.default_agent.clone().or_else(|| above.default_agent.clone()));
    }
    let known = above.allowlists.iter().chain(&own.allowlists).flat_map(|(_, list)| list.clone()).collect();
    lists.push((KNOWN_LIST.to_owned(), known));
    let default = common(default_above, own_default);
    let default_name = default.is_some().then(|| DEFAULT_LIST.to_owned());
    lists.extend(default.map(|default| (DEFAULT_LIST.to_owned(), default)));
    (lists, default_name)
}

#[cfg(test)]
mod tests {
    use super::super::load;
    use super::*;
    use crate::path::MemoryPath;
    use crate::policy::LimitMeasure;

    #[track_caller]
    fn governed(above: &str, own: &str) -> (Policy, Vec<String>) {
        let above = load(above);
        assert_eq!(above.warnings, []);
        let loaded = load_scope(own, &above.policy, "web");
        assert_eq!(loaded.refuses_writes, None);
        (loaded.policy, loaded.warnings.into_iter().map(|warning| warning.message).collect())
    }

    #[test]
    fn an_empty_policy_is_the_one_above() {
        let above = "version: 2\nsecrets: refuse\nwriting: {max_chars: 500}\nstamps: [by]\nsensitive: [city]\n\
                     lifetimes: [{at: facts/**, unused: 60d}]\ndecay: {half_life: 90d}\nbudget: {tokens_per_day: 9}\n";
        let (policy, warnings) = governed(above, "version: 1\n");
        let wanted = load(above).policy;
        assert_eq!(warnings, [""; 0]);
        assert_eq!(
            (policy.secrets, policy.max_chars, policy.stamps, policy.sensitive, policy.lifetimes, policy.decay),
            (wanted.secrets, 500, wanted.stamps, wanted.sensitive, wanted.lifetimes, wanted.decay)
        );
        assert_eq!(policy.tokens_per_day, Some(9));
    }

    #[test]
    fn a_scope_tightens_and_never_loosens() {
        let above = "version: 2\nsecrets: warn\nconsent_days: 5\nwriting: {max_chars: 200}\nbudget: {tokens_per_day: 9}\n\
                     expired: archive\ndecay: {half_life: 90d}\ncheckpoints: {keep: 3, days: 30}\n";
        let stricter = "version: 2\nsecrets: refuse\nconsent_days: 2\nwriting: {max_chars: 100}\n\
                        budget: {tokens_per_day: 3}\nsensitive: [salary]\n";
        let (policy, warnings) = governed(above, stricter);
        assert_eq!(warnings, [""; 0]);
        assert_eq!(
            (policy.secrets, policy.consent_days, policy.max_chars, policy.tokens_per_day),
            (SecretRule::Refuse, 2, 100, Some(3))
        );
        assert!(policy.sensitive.ends_with(&["salary".to_owned()]) && policy.sensitive.len() == 5);
        let looser = "version: 2\nsecrets: off\nconsent_days: 9\nwriting: {max_chars: 900}\nexpired: hide\n\
                      budget: {tokens_per_day: 99}\ndecay: {half_life: 900d}\ncheckpoints: {keep: 9}\nshared: [team]\n";
        let (policy, warnings) = governed(above, looser);
        let wanted = load(above).policy;
        assert_eq!(
            (policy.secrets, policy.consent_days, policy.max_chars, policy.tokens_per_day, policy.expired),
            (SecretRule::Warn, 5, 200, Some(9), ExpiredRule::Archive)
        );
        assert_eq!((policy.decay, policy.shared), (wanted.decay, Vec::new()));
        for key in ["secrets", "consent_days", "max_chars", "budget", "expired", "decay", "checkpoints", "shared"] {
            assert!(warnings.iter().any(|w| w.contains(key)), "{key}: {warnings:?}");
        }
        assert_eq!(policy.checkpoints, wanted.checkpoints);
        assert_eq!(warnings.len(), 8);
    }

    #[test]
    fn an_unsound_key_is_ignored_with_a_warning() {
        let (policy, warnings) = governed("version: 1\n", "colour: blue\nwriting: {max_chars: 0}\n");
        assert_eq!((policy.max_chars, warnings.len()), (280, 2));
        let broken = load_scope("allowlists: [", &Policy::default(), "web");
        assert!(broken.refuses_reads.is_some(), "it restricts somebody, and nobody knows whom");
    }

    #[test]
    fn what_either_policy_reviews_is_reviewed() {
        let above = "version: 2\nagents: {write: [{at: 'scopes/w*/facts/**', mode: propose}, {at: 'episodes/**', mode: propose}]}\n";
        let own = "version: 2\nagents: {write: [{at: 'episodes/**', mode: direct}, {at: '**', mode: propose}]}\n";
        let (policy, warnings) = governed(above, own);
        for (file, waits) in [("facts/a.md", true), ("episodes/2026-02.md", true), ("procedures/a.md", true)] {
            assert_eq!(policy.reviews_agents_at(&MemoryPath::new(file).unwrap()), waits, "{file}");
        }
        assert!(warnings.len() == 1 && warnings[0].contains("'agents.write'"), "{warnings:?}");
        let policy = governed(above, "version: 1\n").0;
        assert!(!policy.reviews_agents_at(&MemoryPath::new("procedures/a.md").unwrap()));
        let whole = governed("version: 2\nagents: {write: [{at: 'scopes/web', mode: propose}]}\n", "version: 1\n").0;
        assert!(whole.reviews_agents_at(&MemoryPath::new("procedures/a.md").unwrap()));
    }

    #[test]
    fn the_smaller_limit_applies() {
        let above = "limits:\n  - {at: scopes/*/facts/*.md, bullets: 8}\n  - {at: facts/*.md, bullets: 10}\n  \
                     - {at: scopes/app/facts/*.md, bullets: 1}\n  - {at: scopes/*, entries: 10, on_limit: compact}\n";
        let maximum = |own: &str| {
            let policy = governed(above, own).0;
            let path = MemoryPath::new("facts/user.md").unwrap();
            policy.maximum_for(&path, None, LimitMeasure::Bullets).map(|(maximum, _)| maximum)
        };
        assert_eq!(maximum("version: 1\n"), Some(8));
        assert_eq!(maximum("limits: [{at: facts/*.md, bullets: 3}]\n"), Some(3));
        assert_eq!(maximum("limits: [{at: facts/*.md, bullets: 30}]\n"), Some(8));
        let (policy, warnings) = governed(above, "limits: [{at: facts/*.md, bullets: 30}]\n");
        assert_eq!((warnings.len(), policy.scope_limits.len(), policy.scope_limits[0].entries), (1, 1, Some(10)));
    }

    #[test]
    fn an_agent_sees_what_both_policies_let_it_see() {
        let above = "allowlists:\n  planner: [work, play]\n  doctor: [health, work]\nagents: {default: planner}\n";
        let own = "allowlists:\n  planner: [work, health]\n  guest: [play]\n";
        let (policy, warnings) = governed(above, own);
        let allowed = |agent: &str| policy.allowed_categories(agent).map(|list| list.join(" "));
        assert_eq!(allowed("planner"), Some("work".into()));
        assert_eq!(allowed("doctor"), Some("health work".into()));
        assert_eq!((allowed("guest"), allowed("other")), (Some("play".into()), Some("work play".into())));
        assert!(warnings.len() == 1 && warnings[0].contains("planner"), "{warnings:?}");
        // What is in no list any more is still hidden.
        let (policy, _) = governed("allowlists: {planner: [work]}\n", "allowlists: {planner: [health]}\n");
        assert_eq!(policy.allowed_categories("planner"), Some(&[][..]));
        assert!(policy.allowlists.iter().any(|(_, list)| list == &["work", "health"]));
        assert_eq!(policy.allowed_categories("other"), None);
        // A default may name a list of the memory.
        let (policy, warnings) = governed("allowlists: {planner: [work]}\n", "agents: {default: planner}\n");
        assert_eq!((policy.allowed_categories("other").map(<[String]>::len), warnings.len()), (Some(1), 0));
    }
}
