//! Options of a query, and the filters: categories, tags, importance, dates, authors, sources.
//!
//! Never ranks. An item whose value is unknown does not pass a filter on that value.

use jiff::civil::Date;

use super::item_facts::{ItemFacts, TimeBound};
use crate::document::category_name;
use crate::path::MemoryPath;
use crate::policy::path_globs::{GlobWork, touches_any};
use crate::policy::{DecayRule, EffectiveConfidence, glob};

/// The options of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryOptions {
    /// The query text; empty if only filters are given.
    pub query: String,
    /// The agent that runs the query, if the query names it.
    pub agent: Option<String>,
    /// Any of these categories.
    pub categories: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Only files that match one of these globs.
    pub within: Vec<String>,
    /// Minimum and maximum importance, inclusive, 0–10.
    pub imp: Option<(f64, f64)>,
    /// Minimum effective confidence, 0–1.
    pub conf: Option<f64>,
    /// Not before this point (`r41`, a date, an age).
    pub since: Option<String>,
    /// Not after this point.
    pub until: Option<String>,
    /// Only pinned items (true), or only others (false).
    pub pinned: Option<bool>,
    /// Only items written by this actor.
    pub by: Option<String>,
    /// Only items from this source.
    pub source: Option<String>,
    /// Only items from this run.
    pub run: Option<String>,
    /// Only items from messages of this role.
    pub role: Option<String>,
    /// Only bullets whose `when=` matches one of these paths.
    pub touching: Vec<String>,
    /// Search this scope instead of the data directory itself.
    pub scope: Option<String>,
    /// Minimum relevance, 0–1.
    pub threshold: Option<f64>,
    /// Include expired items, archive, inbox and procedures.
    pub all: bool,
    /// Maximum number of items.
    pub limit: Option<usize>,
    /// Maximum number of tokens.
    pub budget: Option<usize>,
    /// Return the source text of each item, and that of its entry, besides its line.
    pub full: bool,
    /// Return what each term contributed to a score, and what age left of the confidence.
    pub explain: bool,
    /// Add one or two items that are linked to the matching ones.
    pub linked: bool,
    /// Whether vectors count, too, if the user config names a host for this memory: the question is then sent there.
    /// `None` stands for yes in `Memory::query` and on the command line. A query in JSON cannot set it.
    pub vectors: Option<bool>,
}

/// How many items a query returns that names neither a limit nor a budget.
const DEFAULT_LIMIT: usize = 10;

impl QueryOptions {
    /// With the default limit where neither a limit nor a budget is given; a limit of 0 stands for all items.
    pub fn with_default_limit(self) -> QueryOptions {
        let default = if self.budget.is_none() { DEFAULT_LIMIT } else { 0 };
        QueryOptions { limit: Some(self.limit.unwrap_or(default)).filter(|limit| *limit > 0), ..self }
    }

    /// Whether a filter is given: then the query text may be empty.
    pub fn has_filters(&self) -> bool {
        let lists = [&self.categories, &self.tags, &self.within, &self.touching].iter().any(|l| !l.is_empty());
        let words = [&self.since, &self.until, &self.by, &self.source, &self.run, &self.role];
        lists || words.iter().any(|w| w.is_some()) || self.imp.is_some() || self.conf.is_some() || self.pinned.is_some()
    }

    /// Whether a file is searched: its folder is included, and it matches a glob.
    pub(crate) fn includes_file(&self, path: &MemoryPath) -> bool {
        let aside = match path.folder() {
            Some(folder @ ("archive" | "inbox" | "procedures")) => Some(folder),
            _ => None,
        };
        let fits = |glob: &String| matches_glob(glob, path.as_str());
        let named = |folder: &str| self.within.iter().any(|glob| glob.trim_start_matches("./").starts_with(folder));
        let procedural = |folder: &str| {
            let wanted = |c: &String| ["procedural", "procedures"].contains(&c.to_lowercase().as_str());
            folder == "procedures" && self.categories.iter().any(wanted)
        };
        (self.within.is_empty() || self.within.iter().any(fits))
            && aside.is_none_or(|folder| self.all || named(folder) || procedural(folder))
    }
}

/// Whether a path matches a glob; a folder matches everything below it, a name or a path without extension the file of
/// that name, as in an address.
fn matches_glob(glob: &str, path: &str) -> bool {
    let glob = glob.trim_start_matches("./").trim_end_matches('/');
    let file = match (glob.ends_with(".md"), glob.contains('/')) {
        (true, _) => None,
        (false, true) => Some(format!("{glob}.md")),
        (false, false) => Some(format!("**/{glob}.md")),
    };
    glob::matches(glob, path)
        || glob::matches(&format!("{glob}/**"), path)
        || file.is_some_and(|file| glob::matches(&file, path))
}

/// Whether an item passes the filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterResult {
    Yes,
    No,
    /// It fails only because its date is unknown.
    Undated,
}

/// The filters of a query, with points in time resolved.
pub struct ItemFilter<'a> {
    pub options: &'a QueryOptions,
    pub since: Option<TimeBound>,
    pub until: Option<TimeBound>,
    /// The current date where the caller is.
    pub today: Date,
    /// How confidence decreases with age.
    pub decay: Option<DecayRule>,
    /// The work that is left for the globs of rules.
    pub glob_work: GlobWork,
}

impl ItemFilter<'_> {
    /// An item's confidence today; `None` if it states none.
    pub fn confidence(&self, facts: &ItemFacts<'_>, item: usize) -> Option<EffectiveConfidence> {
        facts.confidence(item, self.decay, self.today)
    }

    pub fn check(&self, facts: &ItemFacts<'_>, item: usize) -> FilterResult {
        if !self.matches_paths(facts, item)
            || !self.matches_meta(facts, item)
            || !self.matches_kind(facts, item)
            || !self.matches_origin(facts, item)
        {
            return FilterResult::No;
        }
        if self.since.is_none() && self.until.is_none() {
            return FilterResult::Yes;
        }
        let Some(at) = facts.date(item) else { return FilterResult::Undated };
        let after = self.since.is_none_or(|since| at.is_since(since));
        let before = self.until.is_none_or(|until| at.is_until(until));
        if after && before { FilterResult::Yes } else { FilterResult::No }
    }

    fn matches_meta(&self, facts: &ItemFacts<'_>, item: usize) -> bool {
        let QueryOptions { imp, conf, pinned, run, role, all, .. } = self.options;
        let meta = facts.meta(item);
        let is = |value: Option<&str>, wanted: &Option<String>| wanted.is_none() || value == wanted.as_deref();
        let importance = meta.importance().map(f64::from);
        (*all || facts.expires(item).is_none_or(|day| day >= self.today))
            && imp.is_none_or(|(low, high)| importance.is_some_and(|n| low <= n && n <= high))
            && conf.is_none_or(|low| self.confidence(facts, item).is_some_and(|n| low <= n.value))
            && pinned.is_none_or(|wanted| wanted == meta.is_pinned())
            && is(meta.run(), run)
            && is(meta.role(), role)
    }

    /// Whether a bullet is a rule for one of the touched paths.
    fn matches_paths(&self, facts: &ItemFacts<'_>, item: usize) -> bool {
        let touching = &self.options.touching;
        touching.is_empty() || facts.meta(item).when().any(|glob| touches_any(glob, touching, &self.glob_work))
    }

    fn matches_kind(&self, facts: &ItemFacts<'_>, item: usize) -> bool {
        let QueryOptions { categories, tags, .. } = self.options;
        let any = || {
            let own = facts.categories(item);
            categories.iter().any(|c| own.contains(&category_name(c)))
        };
        let all = || {
            let own = facts.tags(item);
            tags.iter().all(|tag| {
                let tag = tag.trim_start_matches('#').to_lowercase();
                own.iter().any(|t| *t == tag || t.strip_prefix(&tag).is_some_and(|rest| rest.starts_with('/')))
            })
        };
        (categories.is_empty() || any()) && (tags.is_empty() || all())
    }

    fn matches_origin(&self, facts: &ItemFacts<'_>, item: usize) -> bool {
        let QueryOptions { by, source, .. } = self.options;
        if by.is_none() && source.is_none() {
            return true;
        }
        let meta = facts.meta(item);
        let origin = facts.origin(item);
        let writer = meta.actor().or_else(|| origin.as_ref().map(|m| m.by.as_str()));
        let from = meta.source().or_else(|| origin.as_ref().and_then(|m| m.source.as_deref()));
        // A record of several conversations names all of them.
        let is_from = |wanted: &str| {
            let lists = [from, meta.raw("related")];
            from == Some(wanted)
                || lists.into_iter().flatten().flat_map(|list| list.split(',')).any(|one| one.trim() == wanted)
        };
        by.as_deref().is_none_or(|w| writer == Some(w)) && source.as_deref().is_none_or(is_from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_aside_must_be_named() {
        let takes =
            |options: &QueryOptions, path: &str| options.includes_file(&MemoryPath::from_disk_name(path).unwrap());
        let plain = QueryOptions::default();
        let within = |glob: &str| QueryOptions { within: vec![glob.into()], ..QueryOptions::default() };
        for (path, taken) in
            [("facts/a.md", true), ("archive/facts/a.md", false), ("procedures/p.md", false), ("notes.md", true)]
        {
            assert_eq!(takes(&plain, path), taken, "{path}");
            assert!(takes(&QueryOptions { all: true, ..QueryOptions::default() }, path));
        }
        assert!(takes(&within("archive"), "archive/facts/a.md"));
        assert!(takes(&within("archive/**"), "archive/facts/a.md"));
        assert!(!takes(&within("**"), "archive/facts/a.md"));
        assert!(takes(&within("user"), "facts/user.md") && !takes(&within("user"), "facts/users.md"));
        assert!(takes(&within("facts/user"), "facts/user.md") && !takes(&within("facts/user"), "facts/users.md"));
        assert!(!takes(&within("facts/user"), "facts/team/user.md"));
        assert!(takes(
            &QueryOptions { categories: vec!["procedural".into()], ..QueryOptions::default() },
            "procedures/p.md"
        ));
    }
}
