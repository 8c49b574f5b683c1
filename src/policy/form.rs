//! The keys of `memdir.yaml`, each with its values: what is checked, explained and printed as JSON Schema.
//!
//! Never a key that names a command, an endpoint, a secret, a model or a place outside.

use crate::path::MemoryPath;
use crate::shape::{Field, Form, Group, Pattern, Shape, may, need};

/// The newest version this memdir knows.
pub const VERSION: i64 = 1;

/// `memdir.yaml`.
pub const POLICY: Form = form(
    "policy",
    &[&[
        may("version", &Shape::Integer(1, VERSION), "the format's version"),
        may("default_file", &FILE, "where a category without a block goes; facts/user.md without it"),
        may(
            "episodes",
            &Shape::Choice(&["month", "week"]),
            "one episode file a month (YYYY-MM.md) or a week (YYYY-Www.md)",
        ),
        may(
            "stamps",
            &Shape::List(&Shape::Choice(&["added", "by", "upd", "src", "updated"]), 0),
            "what memdir notes on items by itself; nothing without it",
        ),
        may("limits", &Shape::List(&Shape::Object(&LIMIT), 0), "how much may stand where; the first that fits counts"),
        may("categories", &Shape::Object(&CATEGORIES), "kinds of memory, and how they reach a context"),
        may(
            "allowlists",
            &Shape::Map(&NAME, &NAMES, 0),
            "which categories each agent sees, of those that are named here or above",
        ),
        may("agents", &Shape::Object(&AGENTS), "rules for agents"),
        may("sensitive", &NAMES, "labels whose values change only with a person's consent"),
        may("consent_days", &DAYS, "how long a proposal waits for consent; 7 without it"),
        may("writing", &Shape::Object(&WRITING), "rules for new texts"),
        may("lifetimes", &Shape::Object(&LIFETIMES), "when items are forgotten; never without it"),
        may("inbox_in_git", &Shape::Flag, "keep proposals that wait for consent in git; false without it"),
    ]],
    &[],
);

const LIMIT: Form = form(
    "limit",
    &[&[
        need("at", &PLACE, "a glob over paths (facts/*.md, **), perhaps with #section"),
        may("bullets", &COUNT, "most bullets"),
        may("entries", &COUNT, "most entries (## headings)"),
        may("chars", &COUNT, "most characters of bullet text"),
        may("on_limit", &Shape::Choice(&["refuse", "compact"]), "what then; refuse without it"),
    ]],
    &[Group::Some(&["bullets", "entries", "chars"])],
);
const CATEGORIES: Form = form(
    "categories",
    &[&[
        may("system", &Shape::List(&Shape::Object(&CATEGORY), 0), "categories that come with the product"),
        may("custom", &Shape::List(&Shape::Object(&CATEGORY), 0), "categories of your own"),
    ]],
    &[],
);
const CATEGORY: Form = form(
    "category",
    &[&[
        need("name", &WORD, "its name"),
        may(
            "context",
            &Shape::Choice(&["all", "rag"]),
            "all: always in the context; rag: what fits the question; rag without it",
        ),
        may("rag_length", &COUNT, "most items of it in a context"),
    ]],
    &[],
);
const AGENTS: Form = form(
    "agents",
    &[&[may("default", &WORD, "the allowlist of agents that have none of their own; without it they see everything")]],
    &[],
);
const WRITING: Form =
    form("writing", &[&[may("max_chars", &COUNT, "most characters of a bullet; 280 without it")]], &[]);
const LIFETIMES: Form = form(
    "lifetimes",
    &[&[
        may("soft_delete_after_days", &DAYS, "items that nobody touched for so long go to archive/"),
        may("purge_after_days", &DAYS, "archived items are removed after so long"),
    ]],
    &[],
);

const fn form(name: &'static str, fields: &'static [&'static [Field]], groups: &'static [Group]) -> Form {
    Form { name, about: "", fields, groups, foreign: &[], open: false, rule: None }
}

const COUNT: Shape = Shape::Integer(1, 1_000_000_000);
const DAYS: Shape = Shape::Integer(1, 36_500);
const NAMES: Shape = Shape::List(&WORD, 0);
const WORD: Shape = Shape::Like(&NAME);
const NAME: Pattern = Pattern {
    fits: |s| !s.is_empty() && s.chars().count() <= 64 && !s.contains(|c: char| c <= '\x1f' || c == '\x7f'),
    regex: r"^[^\x00-\x1f\x7f]{1,64}$",
    what: "a name of at most 64 characters",
    lines: false,
};
const PLACE: Shape = Shape::Like(&Pattern {
    fits: |s| match s.split_once('#') {
        Some((path, section)) => !path.is_empty() && !section.is_empty() && !section.contains('#') && one_line(s),
        None => !s.is_empty() && one_line(s),
    },
    regex: r"^[^#\r\n]+(?:#[^#\r\n]+)?$",
    what: "a glob like facts/*.md, perhaps with #section",
    lines: false,
});
/// The schema's rule is coarser than ours: lengths, normal forms, look-alikes and device names are left to us.
const FILE: Shape = Shape::Like(&Pattern {
    fits: |s| MemoryPath::new(s).is_ok_and(|p| p.not_for_new().is_none()),
    regex: concat!(
        r##"^(?:[^\x00-\x20\x7f./~\-\\:<>"|?*%$`#^\[\]@](?:[^\x00-\x1f\x7f/\\:<>"|?*%$`#^\[\]@]*"##,
        r##"[^\x00-\x20\x7f./\\:<>"|?*%$`#^\[\]@])?/)*"##,
        r##"[^\x00-\x20\x7f./~\-\\:<>"|?*%$`#^\[\]@](?:[^\x00-\x1f\x7f/\\:<>"|?*%$`#^\[\]@]*"##,
        r##"[^\x00-\x20\x7f./\\:<>"|?*%$`#^\[\]@])?\.md$"##
    ),
    what: "a path below the data dir like facts/user.md",
    lines: false,
});

fn one_line(text: &str) -> bool {
    !text.contains(['\r', '\n'])
}

/// Whether a key belongs to the user config: a policy may come from a stranger's repository.
pub fn is_outside(key: &str) -> bool {
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
    )
}
