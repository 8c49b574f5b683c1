//! `query`: its options as clap parses them, and the query options they become.
//!
//! Never reads the memory.

use std::path::Path;

use clap::Args;

use super::args::whole_number;
use crate::code::{Code, Rejection};
use crate::path::relative_to_roots;
use crate::view::query::filter::QueryOptions;
use crate::view::query::query_json;

#[derive(Args, Debug, Default)]
#[command(
    about = "Search the memory, best match first",
    after_help = "Without words and filters, a query is read from stdin as JSON (memdir schema query).\n\n\
                  Example: memdir query when did we fix the logger -L 5"
)]
#[group(skip)]
pub struct QueryArgs {
    /// The query, in any words
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
    /// Print at most N items, 0 for all (default: 10, or as many as -b allows)
    #[arg(short = 'L', long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    pub limit: Option<usize>,
    /// Print at most N tokens
    #[arg(short = 'b', long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    pub budget: Option<usize>,
    /// Print whole texts: bullets with their children, items with their episode entry
    #[arg(long)]
    pub full: bool,
    /// Show what each term contributed to the score, and what age left of the confidence
    #[arg(long)]
    pub explain: bool,
    /// Add one or two items that the results link to or are linked from
    #[arg(long)]
    pub linked: bool,
    /// Only items of this category: a file's stem or tag, a section's slug, a [category] (repeatable: any of them)
    #[arg(long = "category", value_name = "NAME", help_heading = "Filters")]
    pub categories: Vec<String>,
    /// Only items with this #tag (repeatable: all of them)
    #[arg(long = "tag", value_name = "T", help_heading = "Filters")]
    pub tags: Vec<String>,
    /// Only items in these files: facts/*.md, episodes, user (repeatable: any of them)
    #[arg(long = "in", value_name = "GLOB", help_heading = "Filters")]
    pub within: Vec<String>,
    /// Importance: 7, 5.., ..3 or 3..7
    #[arg(long, value_name = "MIN..MAX", help_heading = "Filters", allow_negative_numbers = true, value_parser = importance_range)]
    pub imp: Option<(f64, f64)>,
    /// Minimum confidence, 0 to 1, after decay
    #[arg(long, value_name = "MIN", help_heading = "Filters", allow_negative_numbers = true, value_parser = fraction)]
    pub conf: Option<f64>,
    /// Only items since WHEN: r41, 2026-11-20, yesterday, 2d, '2 weeks'; items of unknown date are counted, not shown
    #[arg(long, value_name = "WHEN", help_heading = "Filters")]
    pub since: Option<String>,
    /// Only items until WHEN
    #[arg(long, value_name = "WHEN", help_heading = "Filters")]
    pub until: Option<String>,
    /// Only pinned items
    #[arg(long, help_heading = "Filters")]
    pub pinned: bool,
    /// Only items by this actor, as metadata or this machine's history says
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub by: Option<String>,
    /// Only items from this source, as metadata or this machine's history says
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    pub source: Option<String>,
    /// Only items whose metadata names this run
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    pub run: Option<String>,
    /// Only bullets whose `when=` matches this path (repeatable: any of them)
    #[arg(long = "touching", value_name = "PATH", help_heading = "Filters")]
    pub touching: Vec<String>,
    /// Minimum relevance, 0 to 1; 1 is an item with every word of the query but those such as "the"
    #[arg(long, value_name = "X", help_heading = "Filters", allow_negative_numbers = true, value_parser = fraction)]
    pub threshold: Option<f64>,
    /// Include expired items, archive/, inbox/ and procedures/
    #[arg(short, long, help_heading = "Filters")]
    pub all: bool,
}

impl QueryArgs {
    /// Converts the arguments to a query, with the default limit where none is given; 0 stands for all items.
    pub fn query_options(
        self,
        content: &dyn Fn(Option<&Path>) -> Result<String, Rejection>,
    ) -> Result<QueryOptions, Rejection> {
        Ok(self.given_options(content)?.with_default_limit())
    }

    /// Converts the arguments to a query. With `-`, or with neither words nor filters, the query is JSON from stdin.
    fn given_options(
        self,
        content: &dyn Fn(Option<&Path>) -> Result<String, Rejection>,
    ) -> Result<QueryOptions, Rejection> {
        let stdin = self.words == ["-"];
        let options = QueryOptions {
            query: if stdin { String::new() } else { self.words.join(" ") },
            categories: self.categories,
            tags: self.tags,
            within: self.within,
            imp: self.imp,
            conf: self.conf,
            since: self.since,
            until: self.until,
            pinned: self.pinned.then_some(true),
            by: self.by,
            source: self.source,
            run: self.run,
            touching: self.touching,
            threshold: self.threshold,
            all: self.all,
            limit: self.limit,
            budget: self.budget,
            full: self.full,
            explain: self.explain,
            linked: self.linked,
            ..QueryOptions::default()
        };
        match stdin || (self.words.is_empty() && !options.has_filters()) {
            true if options.has_filters() || options.threshold.is_some() => {
                Err(Rejection::new(Code::Usage, "give filters as options or in the JSON, not both"))
            }
            true => {
                let from_json = query_json::parse(&content(None).map_err(without_query)?)?;
                Ok(QueryOptions {
                    all: options.all,
                    full: from_json.full || options.full,
                    explain: options.explain,
                    linked: options.linked,
                    limit: options.limit.or(from_json.limit),
                    budget: options.budget.or(from_json.budget),
                    ..from_json
                })
            }
            false => Ok(options),
        }
    }
}

/// The error of reading a query from an empty stdin: without a word of files, which `query` does not read.
fn without_query(error: Rejection) -> Rejection {
    match error.code {
        Code::EmptyInput => error.hint("give words or a filter such as --tag, or pipe a query in as JSON"),
        _ => error,
    }
}

/// Parses an importance range: `7`, `5..`, `..3` or `3..7`, each from 0 to 10; both ends are included.
fn importance_range(text: &str) -> Result<(f64, f64), String> {
    let error = || "expected 7, 5.., ..3 or 3..7, from 0 to 10".to_owned();
    let number = |text: &str, default: f64| match text.trim() {
        "" => Ok(default),
        text => text.parse::<f64>().ok().filter(|n| (0.0..=10.0).contains(n)).ok_or_else(error),
    };
    let (low, high) = match text.split_once("..") {
        None if text.trim().is_empty() => return Err(error()),
        None => (number(text, 0.0)?, number(text, 0.0)?),
        Some((low, high)) => (number(low, 0.0)?, number(high.trim_start_matches('='), 10.0)?),
    };
    if low <= high { Ok((low, high)) } else { Err(error()) }
}

/// Parses a number from 0 to 1.
fn fraction(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|n| (0.0..=1.0).contains(n));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Paths as they were given, and as the rules of the repository name them: relative to its root.
pub fn named_from_root(paths: &[String], memory: &Path) -> Vec<String> {
    let directory = std::env::current_dir().ok().and_then(|dir| Some(dir.to_str()?.to_owned()));
    let Some(directory) = directory.filter(|_| !paths.is_empty()) else { return paths.to_vec() };
    let memory = std::path::absolute(memory).unwrap_or_else(|_| memory.to_owned());
    let relative = relative_to_roots(paths.iter().map(String::as_str), &directory, &memory);
    paths.iter().cloned().chain(relative).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn importance_is_one_number_or_a_range() {
        for (text, wanted) in [
            ("7", Some((7.0, 7.0))),
            ("5..", Some((5.0, 10.0))),
            ("..3", Some((0.0, 3.0))),
            ("3..7", Some((3.0, 7.0))),
            ("7..3", None),
            ("11", None),
            ("", None),
            ("a..b", None),
            ("NaN", None),
        ] {
            assert_eq!(importance_range(text).ok(), wanted, "{text}");
        }
    }
}
