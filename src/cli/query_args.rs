//! `query`: its options as clap parses them, and the query options they become.
//!
//! Never reads the memory.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use super::args::GlobalArgs;
use super::grammar::{WordReader, WordRole};
use crate::code::{Code, Rejection};
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
    #[arg(short = 'L', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Print at most N tokens
    #[arg(short = 'b', long, value_name = "N")]
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
    #[arg(long, value_name = "MIN..MAX", help_heading = "Filters", value_parser = importance_range)]
    pub imp: Option<(f64, f64)>,
    /// Minimum confidence, 0 to 1, after decay
    #[arg(long, value_name = "MIN", help_heading = "Filters", value_parser = fraction)]
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
    /// Only items by this actor
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub by: Option<String>,
    /// Only items whose metadata names this source
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    pub source: Option<String>,
    /// Only items whose metadata names this run
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    pub run: Option<String>,
    /// Only bullets whose `when=` matches this path (repeatable: any of them)
    #[arg(long = "touching", value_name = "PATH", help_heading = "Filters")]
    pub touching: Vec<String>,
    /// Minimum relevance, 0 to 1; an item with every word of the query has 1
    #[arg(long, value_name = "X", help_heading = "Filters", value_parser = fraction)]
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
        match (stdin, self.words.is_empty() && !options.has_filters()) {
            (true, _) if options.has_filters() || options.threshold.is_some() => {
                Err(Rejection::new(Code::Usage, "give filters as options or in the JSON, not both"))
            }
            (true, _) | (_, true) => {
                let from_json = query_json::parse(&content(None)?)?;
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
            _ => Ok(options),
        }
    }
}

/// Parses a simple query (`[-C DIR] [--dir DIR] [-S NAME] query WORDS… [-L N] [--json]`) without clap, because on a small memory building
/// the options costs more than the search. Returns `None` for anything else, which clap then parses.
pub fn simple_query(args: &[OsString]) -> Option<(GlobalArgs, QueryArgs)> {
    let (mut global, mut query) = (GlobalArgs::default(), QueryArgs::default());
    let mut reader = WordReader::new();
    for arg in args {
        let word = arg.to_str()?;
        match reader.read(word) {
            WordRole::Subcommand if reader.command.path == ["query"] => {}
            WordRole::OptionValue(option) => match option.long {
                "" if option.short == Some('C') && !word.starts_with('-') => global.start.push(word.into()),
                "dir" if global.dir.is_none() && !word.is_empty() && !word.starts_with('-') => {
                    global.dir = Some(word.into());
                }
                "scope" if global.scope.is_none() && !word.is_empty() && !word.starts_with('-') => {
                    global.scope = Some(word.to_owned());
                }
                "limit" if query.limit.is_none() => query.limit = Some(word.parse().ok()?),
                _ => return None,
            },
            WordRole::Options => match word {
                "--json" if !global.json => global.json = true,
                "-C" | "--dir" | "-S" | "--scope" | "-L" | "--limit" => {}
                _ => return None,
            },
            WordRole::Positional(_) if word != "-" => query.words.push(word.to_owned()),
            WordRole::Subcommand | WordRole::DoubleDash | WordRole::Positional(_) => return None,
        }
    }
    let is_complete = reader.command.path == ["query"] && !reader.expects_value() && !query.words.is_empty();
    is_complete.then_some((global, query))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::verbs::CliCommand;
    use crate::cli::{args, argv};

    #[test]
    fn a_simple_query_parses_as_the_grammar_does() {
        let from_grammar = |line: &str| {
            let all = std::iter::once("memdir").chain(line.split(' ')).map(OsString::from).collect::<Vec<_>>();
            let words = std::iter::once(all[0].clone()).chain(argv::prepare(all[1..].to_vec()));
            let matches = args::command().try_get_matches_from(words).ok()?;
            match args::from_matches(&matches) {
                Ok((global, Some(CliCommand::Query(args)))) => Some(format!("{global:?} {args:?}")),
                _ => None,
            }
        };
        let without_clap = |line: &str| {
            let all: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            simple_query(&all).map(|(global, args)| format!("{global:?} {args:?}"))
        };
        for line in [
            "query tabs",
            "query when did we fix it",
            "-C mem query tabs and spaces",
            "-C a -C b query c",
            "--dir mem --json find tabs -L 5",
            "-S web query tabs",
            "query --scope web tabs -L 2",
            "--json search help -L 5 tabs",
            "grep query add -L 0",
            "query tabs -L +5",
        ] {
            let fast = without_clap(line);
            assert!(fast.is_some() || line.contains("--json -L"), "{line}");
            assert!(fast.is_none_or(|fast| Some(fast) == from_grammar(line)), "{line}");
        }
        for line in [
            "query",
            "query -",
            "query a --tag x",
            "query a -b 9",
            "query -L 5",
            "query a -L x",
            "query a -L",
            "-q query a",
            "query a -L 1 -L 2",
            "-S a -S b query c",
            "-S -x query c",
            "-C",
            "-C a",
            "--dir a --dir b query c",
            "-C -g query a",
            "list",
            "query a --",
            "query -- a",
            "query - a",
            "--json --json query a",
            "-C query a",
        ] {
            assert_eq!(without_clap(line), None, "{line}");
        }
    }

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
