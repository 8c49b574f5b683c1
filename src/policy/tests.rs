use proptest::prelude::*;

use super::load::MAX_NOTES;
use super::*;
use crate::code::Code;
use crate::json_shape::sample::{ChoiceTape, all_patterns, check_pattern_agreement, schema_validator};

/// Loads a policy that refuses writes; checks the line and a part of the message.
#[track_caller]
fn refuses(text: &str, line: Option<u64>, part: &str) -> LoadedPolicy {
    let loaded = load(text);
    let error = loaded.refuses_writes.clone().unwrap_or_else(|| panic!("accepted: {text}"));
    assert_eq!(error.code, Code::InvalidPolicy);
    assert!(error.message.contains(part), "{text}: {}", error.message);
    assert_eq!(error.details.get("line").and_then(Value::as_u64), line, "{text}: {}", error.message);
    assert!(loaded.warnings.iter().any(|w| w.message == error.message), "readers get the same warning");
    loaded
}

#[track_caller]
fn accepts(text: &str) -> Policy {
    let loaded = load(text);
    assert_eq!((&loaded.refuses_writes, &loaded.warnings), (&None, &vec![]), "{text}");
    loaded.policy
}

fn path(text: &str) -> MemoryPath {
    MemoryPath::new(text).unwrap()
}

#[test]
fn an_empty_policy_is_the_default() {
    for text in ["", "\n", "# nothing\n", "---\n", "{}", "version: 1", "limits:\ncategories:\n"] {
        assert_eq!(accepts(text), Policy::default(), "{text:?}");
    }
}

/// The example of the source document, unchanged.
#[test]
fn the_documented_policy_loads_unchanged() {
    let policy = accepts(
        "categories:
  system:
    - name: profile
      context: all
    - name: event
      context: rag
      rag_length: 30
    - name: activity
      context: rag
      rag_length: 50
  custom: []
allowlists:
  supervisor: [profile, goals, preferences, event, activity, relationships, tasks]
  planner:    [goals, tasks, projects]
  stylist:    [preferences, tone, style]
  researcher: [knowledge, interests, history]
  executor:   [tasks, recent_activity, constraints]
",
    );
    let categories: Vec<_> = policy.categories.iter().map(|c| (&*c.name, c.context, c.rag_length, c.system)).collect();
    assert_eq!(
        categories,
        [
            ("profile", ContextMode::All, None, true),
            ("event", ContextMode::Rag, Some(30), true),
            ("activity", ContextMode::Rag, Some(50), true)
        ]
    );
    assert_eq!(policy.allowed_categories("planner").unwrap(), ["goals", "tasks", "projects"]);
    assert_eq!((policy.allowlists.len(), policy.allowed_categories("somebody")), (5, None));
    assert_eq!(policy.category("event").map(|c| c.rag_length), Some(Some(30)));
}

#[test]
fn every_key_is_read() {
    let policy = accepts(
        "version: 1
default_file: facts/me.md
episodes: week
stamps: [upd, src, updated, added, by]
limits:
  - at: facts/*.md
    bullets: 50
    chars: 20000
    on_limit: refuse
  - {at: 'episodes/**#log*', entries: 100, on_limit: compact}
categories:
  custom: [{name: recipes}]
allowlists: {planner: [recipes]}
agents: {default: planner}
sensitive: [city]
consent_days: 14
writing: {max_chars: 200}
lifetimes: {soft_delete_after_days: 60, purge_after_days: 30}
",
    );
    let expected = Policy {
        version: 1,
        default_file: "facts/me.md".into(),
        episodes: EpisodePeriod::Week,
        limits: vec![
            LimitRule {
                at: "facts/*.md".into(),
                bullets: Some(50),
                entries: None,
                chars: Some(20000),
                on_limit: OnLimit::Refuse,
            },
            LimitRule {
                at: "episodes/**#log*".into(),
                bullets: None,
                entries: Some(100),
                chars: None,
                on_limit: OnLimit::Compact,
            },
        ],
        limits_above: Vec::new(),
        scope_limits: Vec::new(),
        shared: Vec::new(),
        tokens_per_day: None,
        writes_per_day: None,
        links: None,
        stamps: vec![StampKey::Upd, StampKey::Src, StampKey::Updated, StampKey::Added, StampKey::By],
        categories: vec![CategoryRule {
            name: "recipes".into(),
            context: ContextMode::Rag,
            rag_length: None,
            system: false,
        }],
        allowlists: vec![("planner".into(), vec!["recipes".into()])],
        default_agent: Some("planner".into()),
        agent_writes: Vec::new(),
        agent_writes_above: Vec::new(),
        sensitive: vec!["city".into()],
        benign: Vec::new(),
        secrets: SecretRule::Warn,
        consent_days: 14,
        max_chars: 200,
        lifetimes: vec![LifetimeRule { unused_days: Some(60), purge_days: Some(30), ..LifetimeRule::default() }],
        expired: ExpiredRule::Hide,
        decay: None,
        checkpoints: None,
    };
    assert_eq!(policy, expected);
    assert_eq!(policy.allowed_categories("somebody").unwrap(), ["recipes"]);
}

#[test]
fn lifetimes_are_a_list_in_version_2() {
    let policy = accepts(
        "version: 2
lifetimes:
  - {durability: permanent}
  - {at: 'facts/**#log', unused: 60d, below: 3, purge: 30d}
  - {tag: '#Trip', category: event, unused: 7d}
expired: archive
decay: {half_life: 90d}
checkpoints: {days: 30}
",
    );
    assert_eq!(policy.checkpoints, Some(CheckpointRule { keep: None, days: Some(30) }));
    let none = LifetimeRule::default;
    let expected = [
        LifetimeRule { durability: Some("permanent".into()), ..none() },
        LifetimeRule {
            at: Some("facts/**#log".into()),
            unused_days: Some(60),
            below: Some(3),
            purge_days: Some(30),
            ..none()
        },
        LifetimeRule { tag: Some("trip".into()), category: Some("event".into()), unused_days: Some(7), ..none() },
    ];
    assert_eq!(policy.lifetimes, expected);
    assert_eq!(policy.expired, ExpiredRule::Archive);
    assert_eq!(policy.decay, Some(DecayRule { half_life_days: 90, floor: 0.3 }));
    refuses("lifetimes: [{at: x}]\n", Some(1), "a list of lifetimes needs 'version: 2'");
    refuses("version: 2\nlifetimes: [{unused: 60d}]\n", Some(2), "'at', 'category', 'tag' or 'durability' is missing");
    refuses("version: 2\nlifetimes: [{at: x, unused: 60}]\n", Some(2), "a number of days like 60d");
    refuses("version: 2\ndecay: {floor: 2}\n", Some(2), "must be a number from 0 to 1");
}

#[test]
fn a_missing_default_list_allows_nothing() {
    let loaded = load("allowlists:\n  a: [x]\nagents:\n  default: b\n");
    assert_eq!(loaded.policy.allowed_categories("a").unwrap(), ["x"]);
    assert!(loaded.policy.allowed_categories("c").unwrap().is_empty() && loaded.warnings.len() == 1);
}

#[test]
fn allowlists_that_are_not_understood_refuse_reads() {
    for broken in [
        "allowlists: a\n",
        "allowlists:\n  a: [x\n",
        "allowlists:\n  a: [x]\nagents: a\n",
        "allowlists:\n  a: [x]\ncategories: [x]\n",
        "version: 3\nallowlists:\n  a: {x: 1}\n",
        "version: 2\n\"allow\\u006cists\": {a: [x]}\nx: [\n",
        "{\"x\": \"C#\", \"y\": \"a # b\", \"allowlists\": {\"a\": [\"x\"]}, \"z\": [}\n",
    ] {
        assert_eq!(load(broken).refuses_reads.map(|r| r.code), Some(Code::InvalidPolicy), "{broken}");
    }
    for fine in [
        "",
        "#allowlists:\nx: [\n",
        "x: [ # allowlists\n",
        "allowlists:\n  a: [x]\nstamp: 1\n",
        "categories: [x]\n",
        "allowlists:\n",
    ] {
        assert_eq!(load(fine).refuses_reads, None, "{fine}");
    }
}

#[test]
fn a_key_without_effect_is_reported() {
    let loaded = load("version: 1\ninbox_in_git: true\n");
    assert_eq!((loaded.refuses_writes, loaded.warnings.len()), (None, 1));
    assert!(loaded.warnings[0].message.contains("'inbox_in_git' has no effect"), "{:?}", loaded.warnings);
    // As earlier templates have it.
    accepts("version: 1\ninbox_in_git: false\n");
}

#[test]
fn the_template_is_the_default_and_its_examples_load() {
    assert_eq!(accepts(TEMPLATE), Policy::default());
    let example = |line: &str| match line.strip_prefix('#') {
        Some(rest) if !rest.starts_with(' ') || rest.starts_with("  ") => rest.to_owned(),
        _ => line.replace("limits: []", "limits:"),
    };
    let example = TEMPLATE.lines().map(example).collect::<Vec<_>>().join("\n");
    let policy = accepts(&example.replace("\nversion: 1", "\nversion: 2"));
    assert_eq!((policy.version, policy.benign), (2, vec!["tone".to_owned(), "goals_add".to_owned()]));
    assert_eq!((policy.limits.len(), policy.categories.len(), policy.allowlists.len()), (2, 2, 2));
    assert_eq!(policy.lifetimes[0].below, Some(3));
    assert_eq!(policy.decay, Some(DecayRule { half_life_days: 180, floor: 0.3 }));
    for field in policy_form().all_fields().filter(|field| field.name != form::RETIRED_KEY) {
        assert!(TEMPLATE.contains(field.name), "{} is not explained", field.name);
    }
}

#[test]
fn an_unknown_key_refuses_writes_with_its_line() {
    let loaded =
        refuses("episodes: week\nstamp: []\nlimits: []\n", Some(2), "'stamp' is unknown; did you mean 'stamps'?");
    assert_eq!(loaded.policy.episodes, EpisodePeriod::Week);
    refuses(
        "limits:\n  - at: a\n    bullets: 1\n  - at: b\n    bulets: 1\n",
        Some(5),
        "'bulets' is unknown; did you mean 'bullets'?",
    );
    let two = refuses("colour: 1\nx: 2\n", Some(1), "memdir.yaml line 1: policy: 'colour' is unknown");
    assert_eq!(two.warnings.len(), 2);
}

#[test]
fn keys_of_the_user_config_are_refused() {
    for key in ["command", "endpoint", "key", "api_key", "model", "provider", "dataDir", "url", "base-url", "hooks"] {
        refuses(&format!("version: 1\n{key}: x\n"), Some(2), "belongs in the user config");
        refuses(&format!("writing:\n  max_chars: 3\n  {key}: x\n"), Some(3), "belongs in the user config");
        refuses(&format!("limits:\n- at: x\n  bullets: 1\n  {key}: x\n"), Some(4), "belongs in the user config");
    }
}

#[test]
fn a_newer_version_allows_reads() {
    let loaded = refuses(
        "# new\nversion: 3\nepisodes: week\nlimits: {a: b}\nnews: 1\n",
        Some(2),
        "version 3 is not supported, the newest supported version is 2",
    );
    assert_eq!((loaded.policy.episodes, loaded.policy.version, loaded.warnings.len()), (EpisodePeriod::Week, 3, 1));
    for bad in ["version: 0", "version: '1'", "version: 1.5", "version: -3", "version: [2]"] {
        refuses(bad, Some(1), "'version' must be");
    }
}

#[test]
fn some_keys_came_with_version_2() {
    let policy = accepts("version: 2\nbenign: [tone]\n");
    assert_eq!((policy.version, policy.benign), (2, vec!["tone".to_owned()]));
    assert_eq!(accepts("version: 2\n"), Policy { version: 2, ..Policy::default() });
    for old in ["version: 1\nbenign: [tone]\n", "episodes: month\nbenign: []\n"] {
        let loaded = refuses(old, Some(2), "'benign' needs 'version: 2'");
        assert!(loaded.policy.benign.is_empty());
    }
    let rules = ["warn", "refuse", "off"].map(|rule| accepts(&format!("version: 2\nsecrets: {rule}\n")).secrets);
    assert_eq!(rules, [SecretRule::Warn, SecretRule::Refuse, SecretRule::Off]);
    refuses("version: 1\nsecrets: off\n", Some(2), "'secrets' needs 'version: 2'");
    refuses("version: 2\nbenign: tone\n", Some(2), "'benign'");
    refuses("version: 2\nbenin: [tone]\n", Some(2), "'benin' is unknown; did you mean 'benign'?");
}

#[test]
fn wrong_values_are_reported_with_their_line() {
    refuses("default_file: ../x.md", Some(1), "'default_file' must be a path");
    refuses("version: 1\ndefault_file: /etc/passwd.md", Some(2), "'default_file' must be a path");
    refuses("default_file: user", Some(1), "'default_file'");
    refuses("episodes: day", Some(1), "'month' or 'week'");
    refuses("limits:\n  - bullets: 3\n", Some(2), "'at' is missing");
    refuses("limits:\n  - at: x\n", Some(2), "'bullets', 'entries' or 'chars' is missing");
    refuses("limits:\n  - at: x\n    bullets: 0\n", Some(3), "'limits.0.bullets' must be a whole number");
    refuses("a: 1\nb: 2\na: 3\n", Some(3), "the key 'a' occurs twice, in lines 1 and 3");
    refuses("- a\n", Some(1), "not a mapping");
    refuses("text", Some(1), "not a mapping");
    refuses("a: b: c\n", Some(1), "invalid YAML");
    refuses(&"[".repeat(20_000), Some(1), "nested too deeply");
    refuses(&format!("version: 1 #{}", "x".repeat(70_000)), None, "larger than 64 KiB");
    let many: String = (0..6000).map(|i| format!("a{i}: 1\n")).collect();
    let many = refuses(&many, Some(1), "'a0' is unknown");
    assert_eq!(many.warnings.len(), MAX_NOTES);
    let dangling = load("agents: {default: planner}");
    assert_eq!((dangling.refuses_writes, dangling.warnings.len()), (None, 1));
}

#[test]
fn changes_of_agents_are_made_or_wait_by_file() {
    let rules =
        "version: 2\nagents: {write: [{at: 'episodes/**', mode: direct}, {at: 'facts/t*.md', mode: propose}]}\n";
    for (policy, file, waits) in [
        ("version: 1\n", "facts/user.md", false),
        ("version: 2\nagents: {write: direct}\n", "facts/user.md", false),
        ("version: 2\nagents: {write: propose}\n", "facts/user.md", true),
        ("version: 2\nagents: {write: propose}\n", "archive/facts/user.md", true),
        ("version: 2\nagents: {write: propose}\n", "inbox/p123456.md", false),
        (rules, "episodes/2026-02.md", false),
        (rules, "facts/user.md", false),
        (rules, "facts/team.md", true),
        (rules, "archive/facts/team.md", true),
        (rules, "archive/episodes/2026-02.md", false),
    ] {
        assert_eq!(accepts(policy).reviews_agents_at(&path(file)), waits, "{policy} {file}");
    }
    refuses("agents: {write: propose}", Some(1), "'agents.write' needs 'version: 2'");
    refuses("version: 2\nagents: {write: no}", Some(2), "'agents.write'");
    refuses("version: 2\nagents: {write: [{at: 'a#b', mode: direct}]}", Some(2), "'agents.write.0.at'");
}

#[test]
fn a_limit_applies_to_files_or_sections() {
    let policy = accepts(
        "limits:
  - {at: facts/user.md, bullets: 10}
  - {at: 'facts/*.md#work*', bullets: 5}
  - {at: '**', bullets: 50, chars: 900, on_limit: compact}
",
    );
    let at = |p: &str, section| policy.limit_for(&path(p), section).map(|l| l.at.as_str());
    assert_eq!(at("facts/user.md", None), Some("facts/user.md"));
    assert_eq!(at("facts/a/b.md", None), Some("**"));
    assert_eq!(at("facts/user.md", Some("work-1")), Some("facts/*.md#work*"));
    assert_eq!(at("facts/user.md", Some("home")), None);
    let bound = |p: &str, measure| policy.maximum_for(&path(p), None, measure).map(|(n, l)| (n, l.on_limit));
    assert_eq!(bound("facts/user.md", LimitMeasure::Bullets), Some((10, OnLimit::Refuse)));
    assert_eq!(bound("facts/user.md", LimitMeasure::Chars), Some((900, OnLimit::Compact)));
    assert_eq!(bound("facts/user.md", LimitMeasure::Entries), None);
}

#[test]
fn a_glob_that_can_match_no_path_is_named() {
    for glob in ["../x", "a/../b", "/facts/**", "~/x", "a\\\\b", "./facts", "facts/", ".memdir/**"] {
        for rule in [
            format!("limits: [{{at: \"{glob}\", bullets: 3}}]"),
            format!("lifetimes: [{{at: \"{glob}\", unused: 60d}}]"),
            format!("agents: {{write: [{{at: \"{glob}\", mode: propose}}]}}"),
        ] {
            let loaded = load(&format!("version: 2\n{rule}\n"));
            assert_eq!(loaded.refuses_writes, None, "{rule}");
            assert!(loaded.warnings.iter().any(|warning| warning.message.contains("no path can match")), "{rule}");
        }
    }
    let sound = ["facts/*.md", "**", "scopes/*", "scopes/*/facts/*.md", "a..b", "用户.md", "facts/my notes?.md"];
    for glob in sound.into_iter().chain(["facts/{a}.md", "[x].md", "!d/**", "facts/*.md#work"]) {
        let loaded = load(&format!("version: 2\nlimits: [{{at: \"{glob}\", bullets: 3}}]\n"));
        assert_eq!((loaded.refuses_writes, loaded.warnings.len()), (None, 0), "{glob}");
    }
}

/// In a scope, what cannot be understood is ignored: an agent then writes nothing without review.
#[test]
fn agents_write_for_review_where_their_rules_cannot_be_understood() {
    let above = load("version: 2\n").policy;
    for own in [
        "version: 2\nagents: {write: propos}\n",
        "version: 1\nagents: {write: direct}\n",
        "version: 2\nagents: {write: [{at: 3, mode: direct}]}\n",
        "version: 2\nagents: {write: direct\n",
    ] {
        let loaded = load_scope(own, &above, "web");
        assert!(loaded.policy.reviews_agents_at(&path("facts/user.md")), "{own}");
    }
    // Nor where the glob of a rule that reviews can match no path.
    for glob in ["/facts/**", "./facts/**", "facts/", "../x"] {
        let own =
            format!("version: 2\nagents: {{write: [{{at: a.md, mode: direct}}, {{at: \"{glob}\", mode: propose}}]}}\n");
        for loaded in [load(&own), load_scope(&own, &above, "web")] {
            assert!(loaded.policy.reviews_agents_at(&path("facts/user.md")), "{own}");
            assert!(!loaded.policy.reviews_agents_at(&path("a.md")), "{own}");
            assert!(loaded.warnings[0].message.contains("so the rule holds for every file"), "{loaded:?}");
        }
    }
    let direct = load_scope("version: 2\nagents: {write: direct}\n", &above, "web");
    assert!(!direct.policy.reviews_agents_at(&path("facts/user.md")));
}

const EXTRA_TEXTS: &[&str] = &["facts/user.md", "a/b c.md", "facts/*.md#work", "**", "supervisor", "用户.md"];

#[test]
fn every_text_pattern_agrees_with_its_regex() {
    let names = [
        "-a.md",
        ".a.md",
        "a .md",
        "a..md",
        "a/../b.md",
        "~a/b.md",
        "a/.b/c.md",
        "a/b./c.md",
        ".md",
        "a/.md",
        "a//b.md",
    ];
    let all = all_patterns([policy_form()]);
    assert!(all.len() >= 3);
    all.iter().for_each(|p| check_pattern_agreement(p, &[EXTRA_TEXTS, &names].concat()));
}

/// Our check and a JSON Schema validator agree on policies close to valid ones, as JSON (which is YAML, except for
/// U+2028) and in block style.
#[test]
fn the_schema_accepts_what_allows_writes() {
    let valid = schema_validator(schema());
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let (accepted, all) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    runner
        .run(&proptest::collection::vec(any::<u16>(), 0..120), |tape| {
            let mut tape = ChoiceTape::new(&tape, EXTRA_TEXTS);
            let value =
                if tape.once_in(30) { tape.any_value() } else { tape.object(policy_form(), &mut |t| t.any_value()) };
            let text = if tape.number_below(2) == 0 {
                value.to_string().replace('\u{2028}', "\\u2028")
            } else {
                serde_yaml::to_string(&value).unwrap()
            };
            let loaded = load(&text);
            all.set(all.get() + 1);
            accepted.set(accepted.get() + usize::from(loaded.refuses_writes.is_none()));
            prop_assert_eq!(valid(&value), loaded.refuses_writes.is_none(), "{} {:?}", text, loaded.refuses_writes);
            Ok(())
        })
        .unwrap();
    assert!(accepted.get() * 4 > all.get() && accepted.get() * 8 < all.get() * 7, "{accepted:?} of {all:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC*", yaml in "[\\[\\]{}\":,a0-9 \n&*!|>#?-]{0,40}") {
        _ = load(&text);
        _ = load(&yaml);
    }
}

#[test]
fn a_list_restricts_its_agent_in_any_case_of_its_name() {
    let policy = load("allowlists: {Claude: [work], codex: [play], Codex: [work]}\n").policy;
    assert_eq!(policy.allowed_categories("claude"), Some(&["work".to_owned()][..]));
    assert_eq!(policy.allowed_categories("codex"), Some(&["play".to_owned()][..]));
    assert_eq!(policy.allowed_categories("ann"), None);
}

#[test]
fn a_policy_that_is_no_yaml_refuses_the_reads_of_agents() {
    let cut = load("version: 2\ncategories:\n  custom:\n    - name: [health\n");
    assert!(cut.refuses_reads.is_none() && cut.refuses_agent_reads.is_some() && cut.refuses_writes.is_some());
    let unknown = load("version: 2\nnonsense: 1\n");
    assert!(unknown.refuses_agent_reads.is_none() && unknown.refuses_writes.is_some());
    assert_eq!(load("version: 2\n").refuses_agent_reads, None);
}
