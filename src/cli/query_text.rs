//! Text output of `query`: one heading per group, its items below, and the totals.
//!
//! Never prints memory text unescaped, and never reorders the results.

use std::fmt::Write;

use super::print_result::PrintResult;
use super::sanitize;
use super::text::{Printer, TextStyle};
use crate::commands::results::{LargerBounds, QueryResult, QueryRow};
use crate::text::counted_noun::counted_noun;
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::view::query::query_row::{branch_mark, expired_mark};
use crate::view::stale_anchors::anchor_mark;

impl PrintResult for QueryResult {
    /// Prints the results; if there are none, a note to stderr.
    fn print(&self, printer: &mut Printer) {
        items(printer, &self.items);
        self.left_out.iter().for_each(|reason| printer.note(reason));
        for scope in &self.scopes {
            printer
                .styled(TextStyle::Heading, &format!("-S {}: {}", scope.scope, counted_noun(scope.found, "item")))
                .end_line();
            items(printer, &scope.items);
        }
        if self.words_left_out > 0 {
            printer.note(&format!(
                "the query is too long; {} at its end {} not searched for",
                counted_noun(self.words_left_out, "word"),
                if self.words_left_out == 1 { "was" } else { "were" }
            ));
        }
        let undated = match self.undated {
            0 => String::new(),
            n => format!("; {} of unknown date left out", counted_noun(n, "item")),
        };
        if self.found == 0 {
            let other = if self.query.is_empty() { "other filters" } else { "other or fewer words" };
            let all = if self.searched_all { "" } else { ", or --all for what has expired or is archived" };
            printer.note(&format!("no matches{undated}; try {other}{all}"));
            return;
        }
        let linked = if self.linked > 0 { format!(" and {} linked", self.linked) } else { String::new() };
        let more = self.more.as_ref().map_or(String::new(), larger_bounds);
        let full = if self.items.iter().all(|row| row.full.is_none()) { "; whole texts: --full" } else { "" };
        let tokens = self.tokens;
        let counts = format!("{} of {}", self.shown, counted_noun(self.found, "item"));
        let long = format!("{counts}{linked}, {tokens} tokens{undated}{more}");
        // The line itself counts against the budget: of a small one, only the most important part fits.
        let available = self.budget.map_or(usize::MAX, |budget| budget.saturating_sub(tokens));
        let fits = |line: &String| estimate_llm_tokens(line) < available;
        match [format!("{long}{full}"), long, format!("{counts}{more}")].into_iter().find(fits) {
            Some(line) => printer.styled(TextStyle::Dim, &line).end_line(),
            None => printer.note(&format!("{counts}{more}")),
        }
    }
}

/// Prints items below the headings of their groups.
fn items(printer: &mut Printer, rows: &[QueryRow]) {
    let mut last_heading = String::new();
    for row in rows {
        let heading = row.heading();
        if heading != last_heading {
            printer.file(Some(TextStyle::Heading), &row.path, &heading).end_line();
            last_heading = heading;
        }
        item(printer, row);
    }
}

/// The options that show more items: `; 10 more: -L 20`.
fn larger_bounds(more: &LargerBounds) -> String {
    let mut text = format!("; {} more:", more.items);
    for (option, bound) in [("-L", more.limit), ("-b", more.budget)] {
        if let Some(bound) = bound {
            let _ = write!(text, " {option} {bound}");
        }
    }
    text
}

/// Prints the link for which an item is listed that did not match itself.
fn link_reason(printer: &mut Printer, row: &QueryRow) {
    if let Some(link) = &row.linked {
        printer.styled(TextStyle::Dim, &format!("  {}", link.line()));
    }
}

fn item(printer: &mut Printer, row: &QueryRow) {
    let (line, full_text) = row.lines();
    if let Some(line) = line {
        match &row.handle {
            Some(_) => {
                let reference = row.address.strip_prefix(&row.path).unwrap_or(&row.address);
                printer.reference(reference, row.id.as_deref());
            }
            None => printer.out.push_str("  "),
        }
        printer.text(line);
        if let Some(branch) = row.branch.as_ref().filter(|_| !printer.format.verbose) {
            printer.styled(TextStyle::Dim, &branch_mark(branch));
        }
        if let Some(last_day) = &row.expired {
            printer.styled(TextStyle::Dim, &expired_mark(last_day));
        }
        if let Some(state) = row.stale_anchor {
            printer.styled(TextStyle::Dim, &anchor_mark(state));
        }
        if let Some(by) = &row.overruled_by {
            printer.styled(TextStyle::Dim, " (overruled by ").text(by);
            printer.styled(TextStyle::Dim, ")");
        }
        if printer.format.verbose {
            for (key, value) in &row.meta {
                printer.styled(TextStyle::Dim, &format!(" {key}={}", value.as_str().unwrap_or_default()));
            }
        }
        link_reason(printer, row);
        printer.end_line();
    }
    if let Some(more) = full_text {
        if line.is_none() && row.linked.is_some() {
            link_reason(printer, row);
            printer.end_line();
        }
        sanitize::escape_lines(&mut printer.out, more, printer.format.terminal);
        printer.end_line();
    }
    if let Some(parts) = &row.parts {
        let parts: Vec<String> = parts.iter().map(|p| format!("{} {:.2}", p.term, p.score)).collect();
        let line = format!("    {:.2}, relevance {:.2}: {}", row.score, row.relevance, parts.join(", "));
        printer.styled(TextStyle::Dim, &line).end_line();
    }
    if let Some(confidence) = &row.confidence {
        printer.styled(TextStyle::Dim, &format!("    {}", confidence.line())).end_line();
    }
}
