//! `query`: its options as clap reads them, and the question they mean.
//!
//! Never looks at a memory.

use std::path::Path;

use clap::Args;

use crate::code::{Code, Rejection};
use crate::view::query::filter::Ask;
use crate::view::query::wire;

#[derive(Args, Debug)]
#[command(
    about = "What fits a question, best first",
    after_help = "Without words and filters, a question is read from stdin as JSON (memdir schema query).\n\n\
                  Example: memdir query when did we fix the logger -L 5"
)]
#[group(skip)]
pub struct QueryArgs {
    /// What is looked for, in any words
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
    /// At most so many items
    #[arg(short = 'L', long, value_name = "N")]
    pub limit: Option<usize>,
    /// At most so many tokens
    #[arg(short = 'b', long, value_name = "N")]
    pub budget: Option<usize>,
    /// Whole texts: bullets with their children, items with their episode entry
    #[arg(long)]
    pub full: bool,
    /// What each term contributed
    #[arg(long)]
    pub explain: bool,
    /// With one or two items that a link joins to the found ones
    #[arg(long)]
    pub linked: bool,
    /// Only of one of these: a file's stem or tag, a section's slug, a [category] (repeatable)
    #[arg(long = "category", value_name = "NAME", help_heading = "Filters")]
    pub categories: Vec<String>,
    /// Only with all of these #tags (repeatable)
    #[arg(long = "tag", value_name = "T", help_heading = "Filters")]
    pub tags: Vec<String>,
    /// Only in these files: facts/*.md, episodes, user (repeatable)
    #[arg(long = "in", value_name = "GLOB", help_heading = "Filters")]
    pub within: Vec<String>,
    /// Importance: 7, 5.., ..3 or 3..7
    #[arg(long, value_name = "MIN..MAX", help_heading = "Filters", value_parser = span)]
    pub imp: Option<(f64, f64)>,
    /// Confidence, at least
    #[arg(long, value_name = "MIN", help_heading = "Filters", value_parser = share)]
    pub conf: Option<f64>,
    /// Not before: r41, 2026-11-20, yesterday, 2d, '2 weeks'; items of unknown date are counted, not shown
    #[arg(long, value_name = "WHEN", help_heading = "Filters")]
    pub since: Option<String>,
    /// Not after
    #[arg(long, value_name = "WHEN", help_heading = "Filters")]
    pub until: Option<String>,
    /// Only pinned ones
    #[arg(long, help_heading = "Filters")]
    pub pinned: bool,
    /// Only by this one
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub by: Option<String>,
    /// Only from this source
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    pub source: Option<String>,
    /// Only from this run
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    pub run: Option<String>,
    /// Only what fits at least so well: 0 to 1, where 1 says every word of the question
    #[arg(long, value_name = "X", help_heading = "Filters", value_parser = share)]
    pub threshold: Option<f64>,
    /// Expired items, archive/, inbox/ and procedures/ too
    #[arg(short, long, help_heading = "Filters")]
    pub all: bool,
}

impl QueryArgs {
    /// The question; JSON is read where nothing else is asked.
    pub fn ask(self, content: &dyn Fn(Option<&Path>) -> Result<String, Rejection>) -> Result<Ask, Rejection> {
        let stdin = self.words == ["-"];
        let ask = Ask {
            question: if stdin { String::new() } else { self.words.join(" ") },
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
            threshold: self.threshold,
            all: self.all,
            limit: self.limit,
            budget: self.budget,
            full: self.full,
            explain: self.explain,
            linked: self.linked,
            ..Ask::default()
        };
        match (stdin, self.words.is_empty() && !ask.is_filtered()) {
            (true, _) if ask.is_filtered() || ask.threshold.is_some() => {
                Err(Rejection::new(Code::Usage, "filters come as options or in the JSON, not both"))
            }
            (true, _) | (_, true) => {
                let read = wire::read(&content(None)?)?;
                Ok(Ask {
                    all: ask.all,
                    full: read.full || ask.full,
                    explain: ask.explain,
                    linked: ask.linked,
                    limit: ask.limit.or(read.limit),
                    budget: ask.budget.or(read.budget),
                    ..read
                })
            }
            _ => Ok(ask),
        }
    }
}

/// `7`, `5..`, `..3`, `3..7`.
fn span(text: &str) -> Result<(f64, f64), String> {
    let bad = || "importance is 7, 5.., ..3 or 3..7".to_owned();
    let number = |text: &str, none: f64| match text.trim() {
        "" => Ok(none),
        text => text.parse::<f64>().ok().filter(|n| (0.0..=10.0).contains(n)).ok_or_else(bad),
    };
    let (low, high) = match text.split_once("..") {
        None if text.trim().is_empty() => return Err(bad()),
        None => (number(text, 0.0)?, number(text, 0.0)?),
        Some((low, high)) => (number(low, 0.0)?, number(high.trim_start_matches('='), 10.0)?),
    };
    if low <= high { Ok((low, high)) } else { Err(bad()) }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.trim().parse::<f64>().ok().filter(|n| (0.0..=1.0).contains(n));
    share.ok_or_else(|| "a number from 0 to 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn importance_is_one_number_or_a_span() {
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
            assert_eq!(span(text).ok(), wanted, "{text}");
        }
    }
}
