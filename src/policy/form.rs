//! The table of keys of `memdir.yaml`: source of the checks, the manual and the JSON Schema.
//!
//! Never contains a key that names a command, an endpoint, a secret, a model or a path outside.

use serde_json::Value;

use crate::json_shape::{FieldGroup, JsonShape, ShapeField, ShapeForm, TextPattern, optional, required};
use crate::path::MemoryPath;

/// The newest policy version that this program supports.
pub const NEWEST_VERSION: i64 = 2;
/// The keys that came with version 2: a file with one of them must say so, for older programs.
pub const VERSION_2_KEYS: [&str; 8] =
    ["benign", "secrets", "expired", "decay", "checkpoints", "shared", "budget", "links"];

/// A key that earlier versions wrote into every file, and that never had an effect: `true` is reported.
pub const RETIRED_KEY: &str = "inbox_in_git";

/// What of a key needs version 2, if anything does: the key itself, `lifetimes` as a list, `agents.write`.
pub fn needs_version_2(key: &str, value: &Value) -> Option<String> {
    match key {
        _ if value.is_null() => None,
        "lifetimes" if value.is_array() => Some("a list of lifetimes".to_owned()),
        "agents" if value.get("write").is_some_and(|write| !write.is_null()) => Some("'agents.write'".to_owned()),
        _ => VERSION_2_KEYS.contains(&key).then(|| format!("'{key}'")),
    }
}

/// The shape of `memdir.yaml`.
pub const POLICY_FORM: ShapeForm = policy_section(
    "policy",
    &[&[
        optional("version", &JsonShape::Integer(1, NEWEST_VERSION), "the format's version"),
        optional(
            "default_file",
            &FILE_SHAPE,
            "the file for a memory that names a category but no file (default facts/user.md)",
        ),
        optional(
            "episodes",
            &JsonShape::Choice(&["month", "week"]),
            "one episode file per month (YYYY-MM.md) or per week (YYYY-Www.md)",
        ),
        optional(
            "stamps",
            &JsonShape::List(&JsonShape::Choice(&["added", "by", "upd", "src", "updated"]), 0),
            "metadata that memdir writes on items (default none)",
        ),
        optional(
            "limits",
            &JsonShape::List(&JsonShape::Object(&LIMIT_FORM), 0),
            "limits on files and sections; the first match applies",
        ),
        optional(
            "categories",
            &JsonShape::Object(&CATEGORIES_FORM),
            "categories of memory, and how they are selected for a context",
        ),
        optional(
            "allowlists",
            &JsonShape::Map(&NAME_PATTERN, &NAMES_SHAPE, 0),
            "the categories that each agent sees, among those named here or under categories",
        ),
        optional("agents", &JsonShape::Object(&AGENTS_FORM), "rules for agents"),
        optional("sensitive", &NAMES_SHAPE, "labels whose values change only with a person's consent"),
        optional(
            "benign",
            &NAMES_SHAPE,
            "labels whose values reflect writes once two conversations state them (version 2)",
        ),
        optional("consent_days", &DAYS_SHAPE, "days that a proposal waits for consent (default 7)"),
        optional(
            "secrets",
            &JsonShape::Choice(&["warn", "refuse", "off"]),
            "what happens to a write with a key or password in it (version 2; default warn)",
        ),
        optional("writing", &JsonShape::Object(&WRITING_FORM), "rules for new texts"),
        optional(
            "lifetimes",
            &JsonShape::AnyOf(&[
                JsonShape::List(&JsonShape::Object(&LIFETIME_FORM), 0),
                JsonShape::Object(&LIFETIMES_FORM),
            ]),
            "when prune archives and purges items: a list of rules, of which the first that matches an item applies \
             (version 2; default never)",
        ),
        optional(
            "expired",
            &JsonShape::Choice(&["hide", "archive"]),
            "whether prune archives an item after its last valid day (version 2; default hide)",
        ),
        optional(
            "decay",
            &JsonShape::Object(&DECAY_FORM),
            "how confidence decreases with age (version 2; default not)",
        ),
        optional(
            "checkpoints",
            &JsonShape::Object(&CHECKPOINTS_FORM),
            "which checkpoints are kept (version 2; default all)",
        ),
        optional(
            RETIRED_KEY,
            &JsonShape::Boolean,
            "no effect: proposals stay on this machine; `inbox --branch` shares them",
        ),
        optional(
            "shared",
            &JsonShape::List(&SCOPE_SHAPE, 0),
            "scopes that all other scopes of this memory may read (version 2; default none)",
        ),
        optional(
            "budget",
            &JsonShape::Object(&BUDGET_FORM),
            "limits on model usage; a scope counts for itself (version 2; default none)",
        ),
        optional(
            "links",
            &JsonShape::Object(&LINKS_FORM),
            "relations that an agent's additions and updates write by themselves (version 2; default none)",
        ),
    ]],
    &[],
);

const LIMIT_FORM: ShapeForm = policy_section(
    "limit",
    &[&[
        required(
            "at",
            &LIMIT_SCOPE_SHAPE,
            "a glob over paths (facts/*.md, **), optionally with #section; scopes/* is each scope as a whole",
        ),
        optional("bullets", &COUNT_SHAPE, "maximum number of bullets"),
        optional("entries", &COUNT_SHAPE, "maximum number of entries (## headings)"),
        optional("chars", &COUNT_SHAPE, "maximum number of characters of bullet text"),
        optional(
            "on_limit",
            &JsonShape::Choice(&["refuse", "compact"]),
            "what to do when the limit is reached (default refuse)",
        ),
    ]],
    &[FieldGroup::AtLeastOne(&["bullets", "entries", "chars"])],
);
const CATEGORIES_FORM: ShapeForm = policy_section(
    "categories",
    &[&[
        optional(
            "system",
            &JsonShape::List(&JsonShape::Object(&CATEGORY_FORM), 0),
            "categories that come with the product",
        ),
        optional("custom", &JsonShape::List(&JsonShape::Object(&CATEGORY_FORM), 0), "categories of your own"),
    ]],
    &[],
);
const CATEGORY_FORM: ShapeForm = policy_section(
    "category",
    &[&[
        required("name", &NAME_SHAPE, "the category's name"),
        optional(
            "context",
            &JsonShape::Choice(&["all", "rag"]),
            "all: always in the context; rag: only items that match the query (default rag)",
        ),
        optional("rag_length", &COUNT_SHAPE, "maximum number of its items in a context"),
    ]],
    &[],
);
const AGENTS_FORM: ShapeForm = policy_section(
    "agents",
    &[&[
        optional("default", &NAME_SHAPE, "the allowlist of agents without their own; unset: they see everything"),
        optional(
            "write",
            &JsonShape::AnyOf(&[WRITE_MODE_SHAPE, JsonShape::List(&JsonShape::Object(&WRITE_RULE_FORM), 0)]),
            "whether the changes of agents are made, or wait in inbox/ for a person: for all files, or a list of rules, of \
             which the first that matches a file applies (version 2; default direct)",
        ),
    ]],
    &[],
);
const WRITE_RULE_FORM: ShapeForm = policy_section(
    "write rule",
    &[&[
        required("at", &PATH_GLOB_SHAPE, "a glob over paths (facts/**)"),
        required("mode", &WRITE_MODE_SHAPE, "direct: changes are made; propose: they wait in inbox/"),
    ]],
    &[],
);
const WRITING_FORM: ShapeForm = policy_section(
    "writing",
    &[&[optional("max_chars", &COUNT_SHAPE, "maximum number of characters of a bullet (default 280)")]],
    &[],
);
const LIFETIME_FORM: ShapeForm = policy_section(
    "lifetime",
    &[&[
        optional("at", &LIMIT_SCOPE_SHAPE, "a glob over paths (facts/**), optionally with #section"),
        optional("category", &NAME_SHAPE, "items of this category"),
        optional("tag", &NAME_SHAPE, "items of files with this tag"),
        optional("durability", &NAME_SHAPE, "items with this dur"),
        optional(
            "unused",
            &DURATION_SHAPE,
            "archive an item this long after its last use or change (60d); without it the items stay",
        ),
        optional(
            "below",
            &JsonShape::Integer(0, 10),
            "only if its importance is below this (an item without one counts as 5)",
        ),
        optional("purge", &DURATION_SHAPE, "purge an item this long after it was archived (30d); without it never"),
    ]],
    &[FieldGroup::AtLeastOne(&["at", "category", "tag", "durability"])],
);
const DECAY_FORM: ShapeForm = policy_section(
    "decay",
    &[&[
        optional("half_life", &DURATION_SHAPE, "the time after which half of the confidence is left (default 180d)"),
        optional("floor", &JsonShape::Share, "the value below which it does not fall, 0 to 1 (default 0.3)"),
    ]],
    &[],
);
const BUDGET_FORM: ShapeForm = policy_section(
    "budget",
    &[&[
        optional("tokens_per_day", &JsonShape::Integer(0, 1 << 53), "maximum model usage per day, in tokens"),
        optional("writes_per_day", &JsonShape::Integer(0, 1 << 53), "how many memories reflect writes per day"),
    ]],
    &[],
);
const LINKS_FORM: ShapeForm = policy_section(
    "links",
    &[&[
        required("auto", &JsonShape::Integer(1, 10), "how many related bullets one bullet is linked to, at most"),
        optional("min", &JsonShape::Share, "the least strength of a relation, 0 to 1 (default 0.6)"),
    ]],
    &[],
);
const CHECKPOINTS_FORM: ShapeForm = policy_section(
    "checkpoints",
    &[&[
        optional("keep", &COUNT_SHAPE, "the newest of each user, which is what its key has before the first /"),
        optional("days", &DAYS_SHAPE, "those that were saved within this number of days"),
    ]],
    &[FieldGroup::AtLeastOne(&["keep", "days"])],
);
/// The form of `lifetimes` in version 1.
const LIFETIMES_FORM: ShapeForm = policy_section(
    "lifetimes",
    &[&[
        optional("soft_delete_after_days", &DAYS_SHAPE, "days without a change after which an item moves to archive/"),
        optional("purge_after_days", &DAYS_SHAPE, "days after which an archived item is removed"),
    ]],
    &[],
);

const fn policy_section(
    name: &'static str,
    fields: &'static [&'static [ShapeField]],
    groups: &'static [FieldGroup],
) -> ShapeForm {
    ShapeForm { groups, ..ShapeForm::new(name, fields) }
}

const COUNT_SHAPE: JsonShape = JsonShape::Integer(1, 1_000_000_000);
const DAYS_SHAPE: JsonShape = JsonShape::Integer(1, 36_500);
const DURATION_SHAPE: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| {
        let days = s.strip_suffix('d').unwrap_or_default();
        (1..=5).contains(&days.len()) && !days.starts_with('0') && days.bytes().all(|b| b.is_ascii_digit())
    },
    regex: r"^[1-9][0-9]{0,4}d$",
    expected: "a number of days like 60d",
    reports_multiline: false,
});
const NAMES_SHAPE: JsonShape = JsonShape::List(&NAME_SHAPE, 0);
const NAME_SHAPE: JsonShape = JsonShape::Matching(&NAME_PATTERN);
const NAME_PATTERN: TextPattern = TextPattern {
    matches: |s| !s.is_empty() && s.chars().count() <= 64 && !s.contains(|c: char| c <= '\x1f' || c == '\x7f'),
    regex: r"^[^\x00-\x1f\x7f]{1,64}$",
    expected: "a name of at most 64 characters",
    reports_multiline: false,
};
/// Coarser than [`crate::path::ScopeName::existing`]: a scope with another name does not exist, and so is not shared. A
/// colon ends the name in an address.
const SCOPE_SHAPE: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| {
        let is_allowed = |c: char| c > '\x1f' && c != '\x7f' && !matches!(c, '/' | ':');
        !s.starts_with(['.', '*']) && (1..=255).contains(&s.chars().count()) && s.chars().all(is_allowed)
    },
    regex: r"^[^\x00-\x1f\x7f/:.*][^\x00-\x1f\x7f/:]{0,254}$",
    expected: "the name of a scope like web",
    reports_multiline: false,
});
const LIMIT_SCOPE_SHAPE: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| match s.split_once('#') {
        Some((path, section)) => !path.is_empty() && !section.is_empty() && !section.contains('#') && one_line(s),
        None => !s.is_empty() && one_line(s),
    },
    regex: r"^[^#\r\n]+(?:#[^#\r\n]+)?$",
    expected: "a glob like facts/*.md, optionally with #section",
    reports_multiline: false,
});
const WRITE_MODE_SHAPE: JsonShape = JsonShape::Choice(&["direct", "propose"]);
const PATH_GLOB_SHAPE: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| !s.is_empty() && !s.contains('#') && one_line(s),
    regex: r"^[^#\r\n]+$",
    expected: "a glob over paths like facts/*.md",
    reports_multiline: false,
});
/// The schema's pattern is coarser than our check, which also covers lengths, Unicode normalization, confusable
/// characters and device names.
const FILE_SHAPE: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| MemoryPath::new(s).is_ok_and(|p| p.new_name_problem().is_none()),
    regex: concat!(
        r##"^(?:[^\x00-\x20\x7f./~\-\\:<>"|?*%$`#^\[\]@](?:[^\x00-\x1f\x7f/\\:<>"|?*%$`#^\[\]@]*"##,
        r##"[^\x00-\x20\x7f./\\:<>"|?*%$`#^\[\]@])?/)*"##,
        r##"[^\x00-\x20\x7f./~\-\\:<>"|?*%$`#^\[\]@](?:[^\x00-\x1f\x7f/\\:<>"|?*%$`#^\[\]@]*"##,
        r##"[^\x00-\x20\x7f./\\:<>"|?*%$`#^\[\]@])?\.md$"##
    ),
    expected: "a path below the data directory like facts/user.md",
    reports_multiline: false,
});

fn one_line(text: &str) -> bool {
    !text.contains(['\r', '\n'])
}

/// Whether a key belongs in the user config. Such a key gets its own message, because a policy may come from a
/// stranger's repository.
pub fn belongs_in_user_config(key: &str) -> bool {
    let key: String = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    matches!(
        key.as_str(),
        "command"
            | "cmd"
            | "exec"
            | "shell"
            | "hook"
            | "hooks"
            | "endpoint"
            | "url"
            | "baseurl"
            | "proxy"
            | "key"
            | "apikey"
            | "token"
            | "secret"
            | "password"
            | "model"
            | "provider"
            | "llm"
            | "editor"
            | "datadir"
            | "dir"
            | "memory"
            | "remote"
            | "sync"
    )
}
