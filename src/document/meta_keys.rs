//! The table of documented metadata keys, and the typed values that the rest of the program reads.
//!
//! Never changes a value. A value that a key does not permit, typed by hand, counts as absent for every reader; merging
//! and writing use [`BulletMeta::raw`] and keep it.

use jiff::civil::Date;

use super::BulletMeta;
use crate::path::is_id;
use crate::policy::StampKey;
use crate::policy::path_globs::{glob_problems, split_globs};
use crate::text::code_anchor::CodeAnchor;

/// The importance (`imp`) that an item without one counts as.
pub const DEFAULT_IMPORTANCE: u8 = 5;

/// The type of a value, with its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaType {
    /// An explicit id, as in addresses.
    Id,
    /// `YYYY-MM-DD`. A time after it is ignored.
    Date,
    /// A whole number, 0 to 10.
    Scale10,
    /// A number, 0 to 1.
    Share,
    /// `true`, `1`, `yes`, `on` or no value at all; `false`, `0`, `no` or `off`; in upper or lower case.
    YesNo,
    /// Lines of a code file and their hash.
    Anchor,
    /// Globs of paths, separated by commas.
    Globs,
    /// Any text that is not empty.
    Text,
}

impl MetaType {
    /// Whether a value is valid.
    pub fn accepts(self, value: &str) -> bool {
        match self {
            MetaType::Id => is_id(value),
            MetaType::Date => parse_date(value).is_some(),
            MetaType::Scale10 => parse_scale(value).is_some(),
            MetaType::Share => parse_share(value).is_some(),
            MetaType::YesNo => parse_yes_no(value).is_some(),
            MetaType::Anchor => CodeAnchor::parse(value).is_ok_and(|anchor| anchor.hash.is_some()),
            MetaType::Globs => glob_problems(value).is_empty(),
            MetaType::Text => !value.is_empty(),
        }
    }

    /// The valid values, for messages and the manual.
    pub fn describe(self) -> &'static str {
        match self {
            MetaType::Id => "a letter or digit, then 1–63 letters, digits, '_' or '-'; not digits alone",
            MetaType::Date => "YYYY-MM-DD",
            MetaType::Scale10 => "a whole number from 0 to 10",
            MetaType::Share => "a number from 0 to 1",
            MetaType::YesNo => "true or false",
            MetaType::Anchor => "PATH, PATH:LINE or PATH:FIRST-LAST, then # and 12 hexadecimal digits",
            MetaType::Globs => "globs like src/api/** or *.{ts,tsx}, from the root of the repository",
            MetaType::Text => "text",
        }
    }
}

/// Who sets a key. A person may set all of them, with `set` or in an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyWriter {
    /// Only a person.
    Person,
    /// A person, or a model with a proposal.
    PersonOrModel,
    /// memdir, if the policy has the stamp.
    Stamp(StampKey),
    /// memdir, on what it moves to `archive/`.
    Archive,
    /// memdir, on the relations that it writes; a person, on others.
    Links,
    /// Programs that import memories: they record where a bullet is from.
    Import,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct MetaKeySpec {
    pub name: &'static str,
    pub value: MetaType,
    pub writer: KeyWriter,
    /// Its field in a model's proposal, next to the key itself.
    pub proposal_field: Option<&'static str>,
    /// Its field in an item of the path dialect.
    pub path_field: Option<&'static str>,
    /// Another name of that field.
    pub path_alias: Option<&'static str>,
    /// What it means, for memdir-format(5).
    pub manual: &'static str,
}

/// What a row does not state.
const DEFAULTS: MetaKeySpec = MetaKeySpec {
    name: "",
    value: MetaType::Text,
    writer: KeyWriter::Person,
    proposal_field: None,
    path_field: None,
    path_alias: None,
    manual: "",
};

macro_rules! meta_keys {
    ($($key:ident = $name:literal { $($field:ident: $value:expr),* $(,)? })+) => {
        /// A documented key, in the order in which a metadata line is written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum MetaKey { $($key,)+ }

        impl MetaKey {
            pub const ALL: &'static [MetaKey] = &[$(MetaKey::$key,)+];

            // A row may state every column.
            #[allow(clippy::needless_update)]
            const SPECS: &'static [MetaKeySpec] = &[$(MetaKeySpec { name: $name, $($field: $value,)* ..DEFAULTS },)+];
        }
    };
}

meta_keys! {
    Id = "id" { value: MetaType::Id, manual: "a second name of the bullet, which stays when its text changes" }
    Exp = "exp" {
        value: MetaType::Date, writer: KeyWriter::PersonOrModel,
        proposal_field: Some("expires"), path_field: Some("expiry"), path_alias: Some("expiry_date"),
        manual: "the last day on which it is valid",
    }
    Conf = "conf" {
        value: MetaType::Share, writer: KeyWriter::PersonOrModel,
        proposal_field: Some("confidence"), path_field: Some("confidence"),
        manual: "confidence: how certain it is",
    }
    Imp = "imp" {
        value: MetaType::Scale10, writer: KeyWriter::PersonOrModel,
        proposal_field: Some("importance"), path_field: Some("importance"),
        manual: "importance: context prefers a higher one, and removal by age a lower one",
    }
    Pin = "pin" { value: MetaType::YesNo, manual: "always in the default context, never removed by age" }
    When = "when" {
        value: MetaType::Globs,
        manual: "globs of paths, separated by commas: a rule for files that match one of them",
    }
    Keywords = "keywords" {
        manual: "other words for it, separated by commas: query and hooks find it by them, and show its text",
    }
    Branch = "branch" { manual: "the git branch that it is for" }
    Dur = "dur" { path_field: Some("durability"), manual: "durability: how long it is likely to be true" }
    Type = "type" { writer: KeyWriter::PersonOrModel, manual: "the kind of memory" }
    Src = "src" { writer: KeyWriter::Stamp(StampKey::Src), manual: "the source, e.g. a conversation's id" }
    By = "by" { writer: KeyWriter::Stamp(StampKey::By), manual: "the actor that wrote it last" }
    Run = "run" { writer: KeyWriter::Import, manual: "the run of an agent that it is from" }
    Role = "role" { writer: KeyWriter::Import, manual: "the role of the message that it is from; reflect records none" }
    Oid = "oid" { writer: KeyWriter::Import, manual: "its id in the program that it was imported from" }
    Added = "added" {
        value: MetaType::Date, writer: KeyWriter::Stamp(StampKey::Added), path_field: Some("added"),
        manual: "the day on which it was added",
    }
    Upd = "upd" { value: MetaType::Date, writer: KeyWriter::Stamp(StampKey::Upd), manual: "the day of its last change" }
    Archived = "archived" {
        value: MetaType::Date, writer: KeyWriter::Archive, manual: "the day on which it was moved to archive/",
    }
    Purge = "purge" {
        value: MetaType::Date, writer: KeyWriter::Archive,
        manual: "the first day on which prune removes it from archive/ for good",
    }
    From = "from" {
        writer: KeyWriter::Archive,
        manual: "the section that it was archived from, as #slug; # for the part of the file above all headings",
    }
    Nr = "nr" {
        writer: KeyWriter::Archive,
        manual: "the number that it had in its list, from which it was archived",
    }
    Anchor = "anchor" { value: MetaType::Anchor, manual: "the lines of code that it describes" }
    W = "w" {
        value: MetaType::Share, writer: KeyWriter::Links,
        manual: "weight: the strength of a relation, for the relations that agents' changes write",
    }
}

impl MetaKey {
    /// The key with this name; `None` for a key that is not documented.
    pub fn from_name(name: &str) -> Option<MetaKey> {
        MetaKey::ALL.iter().copied().find(|key| key.name() == name)
    }

    /// The key that a field of an item of the path dialect sets; `None` for another field.
    pub fn from_path_field(name: &str) -> Option<MetaKey> {
        let is_named = |key: &MetaKey| [key.spec().path_field, key.spec().path_alias].contains(&Some(name));
        MetaKey::ALL.iter().copied().find(is_named)
    }

    /// The row of the table: what values it takes, who sets it, what the manual says.
    pub fn spec(self) -> &'static MetaKeySpec {
        &MetaKey::SPECS[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Whether a value of it is valid.
    pub fn accepts(self, value: &str) -> bool {
        self.spec().value.accepts(value)
    }

    /// Whether a model may set it.
    pub fn is_for_models(self) -> bool {
        self.spec().writer == KeyWriter::PersonOrModel
    }

    /// Whether programs write it rather than people: two values of it are no conflict when merging.
    pub fn is_automatic(self) -> bool {
        match self.spec().writer {
            KeyWriter::Stamp(_) | KeyWriter::Import | KeyWriter::Archive | KeyWriter::Links => true,
            KeyWriter::Person | KeyWriter::PersonOrModel => false,
        }
    }
}

/// The values with a meaning. Each is `None` if the key is absent or its value is not valid.
impl BulletMeta {
    /// A key's value as written, if it is valid.
    pub fn valid(&self, key: MetaKey) -> Option<&str> {
        self.raw(key.name()).filter(|value| key.accepts(value))
    }

    pub fn id(&self) -> Option<&str> {
        self.valid(MetaKey::Id)
    }

    /// The last day on which it is valid.
    pub fn expires(&self) -> Option<Date> {
        self.valid(MetaKey::Exp).and_then(parse_date)
    }

    /// How sure the bullet is (`conf`), 0 to 1.
    pub fn confidence(&self) -> Option<f64> {
        self.valid(MetaKey::Conf).and_then(parse_share)
    }

    /// How important the bullet is (`imp`), 0 to 10.
    pub fn importance(&self) -> Option<u8> {
        self.valid(MetaKey::Imp).and_then(parse_scale)
    }

    pub fn is_pinned(&self) -> bool {
        self.valid(MetaKey::Pin).and_then(parse_yes_no) == Some(true)
    }

    /// When it was changed, else when it was added, as written: a day, perhaps with a time.
    pub fn changed(&self) -> Option<&str> {
        self.valid(MetaKey::Upd).or_else(|| self.valid(MetaKey::Added))
    }

    /// The day of [`BulletMeta::changed`].
    pub fn day_changed(&self) -> Option<Date> {
        self.changed().and_then(parse_date)
    }

    /// The day on which it was added.
    pub fn day_added(&self) -> Option<Date> {
        self.valid(MetaKey::Added).and_then(parse_date)
    }

    /// The actor that wrote it.
    pub fn actor(&self) -> Option<&str> {
        self.valid(MetaKey::By)
    }

    /// The strength of a relation, 0 to 1.
    pub fn strength(&self) -> Option<f64> {
        self.valid(MetaKey::W).and_then(parse_share)
    }

    pub fn source(&self) -> Option<&str> {
        self.valid(MetaKey::Src)
    }

    pub fn run(&self) -> Option<&str> {
        self.valid(MetaKey::Run)
    }

    /// The globs of the paths for which it is a rule. One that can match no path takes the others nothing.
    pub fn when(&self) -> impl Iterator<Item = &str> {
        self.raw(MetaKey::When.name()).into_iter().flat_map(split_globs)
    }

    /// Other words by which it is found.
    pub fn keywords(&self) -> Option<&str> {
        self.valid(MetaKey::Keywords)
    }

    pub fn role(&self) -> Option<&str> {
        self.valid(MetaKey::Role)
    }
}

/// Parses an ISO 8601 calendar date, `YYYY-MM-DD`. A time after it is ignored.
pub fn parse_date(text: &str) -> Option<Date> {
    let day = text.get(..10).filter(|_| text.len() == 10 || text[10..].starts_with(['T', ' '])).unwrap_or(text);
    day.parse().ok()
}

fn parse_scale(text: &str) -> Option<u8> {
    text.parse().ok().filter(|n| *n <= 10)
}

fn parse_share(text: &str) -> Option<f64> {
    text.parse().ok().filter(|x| (0.0..=1.0).contains(x))
}

fn parse_yes_no(text: &str) -> Option<bool> {
    let is_one_of = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match (is_one_of(&["", "true", "1", "yes", "on"]), is_one_of(&["false", "0", "no", "off"])) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_row() {
        for key in MetaKey::ALL {
            assert_eq!(MetaKey::from_name(key.name()), Some(*key));
            assert!(!key.spec().manual.is_empty(), "{}", key.name());
        }
    }

    #[test]
    fn an_invalid_value_counts_as_absent() {
        let meta = |line: &str| BulletMeta::parse(&format!("<!-- mem {line} -->")).unwrap();
        for invalid in ["imp=9.5", "imp=11", "imp=-1", "imp", "imp=high"] {
            assert_eq!(meta(invalid).importance(), None, "{invalid}");
        }
        assert_eq!(meta("imp=10").importance(), Some(10));
        for (line, pinned) in [("pin", true), ("pin=yes", true), ("pin=no", false), ("pin=0", false), ("", false)] {
            assert_eq!(meta(line).is_pinned(), pinned, "{line}");
        }
        assert_eq!(meta("exp=soon").expires(), None);
        assert_eq!(meta("exp=2026-12-31T08:00").expires(), Some("2026-12-31".parse().unwrap()));
        assert_eq!(meta("upd=soon added=2026-01-02").changed(), Some("2026-01-02"));
        assert_eq!((meta("conf=1.5").confidence(), meta("conf=.5").confidence()), (None, Some(0.5)));
        assert_eq!((meta("id=7").id(), meta("by").actor()), (None, None));
    }
}
