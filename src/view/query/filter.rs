//! What is asked, and which items pass: categories, tags, importance, days, people, sources.
//!
//! Never ranks. An item of which something is not known does not pass a filter that asks for it.

use jiff::civil::Date;

use super::facts::{About, Point};
use crate::path::MemoryPath;
use crate::policy::glob;
use crate::text::dates::dates;

/// A question with everything that may stand beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ask {
    /// Its words; empty where only filters are given.
    pub question: String,
    /// Who asks, where the question says it itself.
    pub agent: Option<String>,
    /// Any of these categories.
    pub categories: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Only files that fit one of these globs.
    pub within: Vec<String>,
    /// Importance from and to, both included, 0–10.
    pub imp: Option<(f64, f64)>,
    /// Confidence from, 0–1.
    pub conf: Option<f64>,
    /// Not before this point (`r41`, a date, an age).
    pub since: Option<String>,
    /// Not after this point.
    pub until: Option<String>,
    /// Only pinned ones, or only others.
    pub pinned: Option<bool>,
    /// Only by this one.
    pub by: Option<String>,
    /// Only from this source.
    pub source: Option<String>,
    /// Only from this run.
    pub run: Option<String>,
    /// Only said in this role.
    pub role: Option<String>,
    /// In this scope instead of the data dir itself.
    pub scope: Option<String>,
    /// Only items that fit at least so well: score ÷ the question's own best, 0–1.
    pub threshold: Option<f64>,
    /// Expired items, archive, inbox and procedures too.
    pub all: bool,
    /// At most so many items.
    pub limit: Option<usize>,
    /// At most so many tokens.
    pub budget: Option<usize>,
    /// With whole texts.
    pub full: bool,
    /// With what each term contributed.
    pub explain: bool,
    /// With one or two items that links join to the found ones.
    pub linked: bool,
}

impl Ask {
    /// Whether a filter is given: then words are not needed.
    pub fn is_filtered(&self) -> bool {
        let lists = [&self.categories, &self.tags, &self.within].iter().any(|l| !l.is_empty());
        let words = [&self.since, &self.until, &self.by, &self.source, &self.run, &self.role];
        lists || words.iter().any(|w| w.is_some()) || self.imp.is_some() || self.conf.is_some() || self.pinned.is_some()
    }

    /// Whether it matters what time it is where it is asked.
    pub fn tells_time(&self) -> bool {
        self.since.is_some()
            || self.until.is_some()
            || !dates(&self.question, Some(Date::constant(2000, 1, 1))).is_empty()
    }

    /// Whether a file is looked at: in the folders asked for, and fitting a glob.
    pub fn takes(&self, path: &MemoryPath) -> bool {
        let aside = match path.folder() {
            Some(folder @ ("archive" | "inbox" | "procedures")) => Some(folder),
            _ => None,
        };
        let fits = |glob: &String| in_glob(glob, path.as_str());
        let named = |folder: &str| self.within.iter().any(|glob| glob.trim_start_matches("./").starts_with(folder));
        let procedural = |folder: &str| {
            let wanted = |c: &String| ["procedural", "procedures"].contains(&c.to_lowercase().as_str());
            folder == "procedures" && self.categories.iter().any(wanted)
        };
        (self.within.is_empty() || self.within.iter().any(fits))
            && aside.is_none_or(|folder| self.all || named(folder) || procedural(folder))
    }
}

/// Whether a path fits a glob; a folder stands for what is below it, a bare name for the file of that name.
fn in_glob(glob: &str, path: &str) -> bool {
    let glob = glob.trim_start_matches("./").trim_end_matches('/');
    let bare = !glob.contains('/') && !glob.ends_with(".md");
    glob::fits(glob, path)
        || glob::fits(&format!("{glob}/**"), path)
        || bare && glob::fits(&format!("**/{glob}.md"), path)
}

/// Whether an item passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// It would, were its day known.
    Undated,
}

/// The filters of a question, with points in time resolved.
pub struct Filter<'a> {
    /// The question.
    pub ask: &'a Ask,
    /// Not before.
    pub since: Option<Point>,
    /// Not after.
    pub until: Option<Point>,
    /// The day on which it is asked.
    pub today: Date,
}

impl Filter<'_> {
    /// Whether an item passes.
    pub fn pass(&self, about: &About<'_>, item: usize) -> Pass {
        if !self.by_meta(about, item) || !self.by_kind(about, item) || !self.by_origin(about, item) {
            return Pass::No;
        }
        if self.since.is_none() && self.until.is_none() {
            return Pass::Yes;
        }
        let Some(at) = about.moment(item) else { return Pass::Undated };
        let after = self.since.is_none_or(|since| at.since(since));
        let before = self.until.is_none_or(|until| at.until(until));
        if after && before { Pass::Yes } else { Pass::No }
    }

    fn by_meta(&self, about: &About<'_>, item: usize) -> bool {
        let Ask { imp, conf, pinned, run, role, all, .. } = self.ask;
        let meta = about.meta(item);
        let number = |key: &str| meta.get(key).and_then(|v| v.parse::<f64>().ok());
        let is = |key: &str, wanted: &Option<String>| wanted.as_deref().is_none_or(|w| meta.get(key) == Some(w));
        let pin = super::facts::pinned(&meta);
        (*all || about.expires(item).is_none_or(|day| day >= self.today))
            && imp.is_none_or(|(low, high)| number("imp").is_some_and(|n| low <= n && n <= high))
            && conf.is_none_or(|low| number("conf").is_some_and(|n| low <= n))
            && pinned.is_none_or(|wanted| wanted == pin)
            && is("run", run)
            && is("role", role)
    }

    fn by_kind(&self, about: &About<'_>, item: usize) -> bool {
        let Ask { categories, tags, .. } = self.ask;
        let any = || {
            let own = about.categories(item);
            categories.iter().any(|c| own.contains(&c.to_lowercase()))
        };
        let all = || {
            let own = about.tags(item);
            tags.iter().all(|tag| {
                let tag = tag.trim_start_matches('#').to_lowercase();
                own.iter().any(|t| *t == tag || t.strip_prefix(&tag).is_some_and(|rest| rest.starts_with('/')))
            })
        };
        (categories.is_empty() || any()) && (tags.is_empty() || all())
    }

    fn by_origin(&self, about: &About<'_>, item: usize) -> bool {
        let Ask { by, source, .. } = self.ask;
        if by.is_none() && source.is_none() {
            return true;
        }
        let meta = about.meta(item);
        let made = about.made(item);
        let writer = meta.get("by").or_else(|| made.map(|m| m.by.as_str()));
        let from = meta.get("src").or_else(|| made.and_then(|m| m.source.as_deref()));
        by.as_deref().is_none_or(|w| writer == Some(w)) && source.as_deref().is_none_or(|w| from == Some(w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_aside_must_be_named() {
        let takes = |ask: &Ask, path: &str| ask.takes(&MemoryPath::found(path).unwrap());
        let plain = Ask::default();
        let within = |glob: &str| Ask { within: vec![glob.into()], ..Ask::default() };
        for (path, taken) in
            [("facts/a.md", true), ("archive/facts/a.md", false), ("procedures/p.md", false), ("notes.md", true)]
        {
            assert_eq!(takes(&plain, path), taken, "{path}");
            assert!(takes(&Ask { all: true, ..Ask::default() }, path));
        }
        assert!(takes(&within("archive"), "archive/facts/a.md"));
        assert!(takes(&within("archive/**"), "archive/facts/a.md"));
        assert!(!takes(&within("**"), "archive/facts/a.md"));
        assert!(takes(&within("user"), "facts/user.md") && !takes(&within("user"), "facts/users.md"));
        assert!(takes(&Ask { categories: vec!["procedural".into()], ..Ask::default() }, "procedures/p.md"));
    }
}
