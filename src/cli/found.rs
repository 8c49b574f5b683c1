//! What fits a question, as text: one head a group, its items below, and how much there is.
//!
//! Never prints memory text raw, and never reorders.

use std::fmt::Write;

use super::sanitize;
use super::text::{Ink, Page};
use crate::commands::answer::{Found, Row};

/// The answer; where nothing fits, a sentence for stderr.
pub fn found(page: &mut Page, found: &Found, err: &mut String) {
    let mut last = String::new();
    for row in &found.items {
        let head = row.head();
        if head != last {
            page.ink(Ink::Head, &head).end();
            last = head;
        }
        item(page, row);
    }
    let undated = match found.undated {
        0 => String::new(),
        n => format!("; {} of unknown date left out", items(n)),
    };
    if found.found == 0 {
        let _ = writeln!(err, "memdir: nothing found{undated}; other or fewer words may help");
        return;
    }
    let linked = if found.linked > 0 { format!(" and {} linked", found.linked) } else { String::new() };
    let mut line = format!("{} of {}{linked}, {} tokens{undated}", found.shown, items(found.found), found.tokens);
    if found.shown < found.found {
        let _ = write!(line, "; more: -L {}", found.found);
    }
    if found.items.iter().all(|row| row.full.is_none()) {
        line.push_str("; whole texts: --full");
    }
    page.ink(Ink::Faint, &line).end();
}

/// Why an item stands here that was not found.
fn tie(page: &mut Page, row: &Row) {
    if let Some(tie) = &row.linked {
        page.ink(Ink::Faint, &format!("  {}", tie.line()));
    }
}

fn items(n: usize) -> String {
    format!("{n} item{}", if n == 1 { "" } else { "s" })
}

fn item(page: &mut Page, row: &Row) {
    let (line, more) = row.lines();
    if let Some(line) = line {
        match &row.handle {
            Some(handle) => drop(page.name(handle, row.id.as_deref())),
            None => page.out.push_str("  "),
        }
        page.text(line);
        if page.style.verbose {
            for (key, value) in &row.meta {
                page.ink(Ink::Faint, &format!(" {key}={}", value.as_str().unwrap_or_default()));
            }
        }
        tie(page, row);
        page.end();
    }
    if let Some(more) = more {
        if line.is_none() && row.linked.is_some() {
            tie(page, row);
            page.end();
        }
        sanitize::lines(&mut page.out, more, page.style.terminal);
        page.end();
    }
    if let Some(parts) = &row.parts {
        let parts: Vec<String> = parts.iter().map(|p| format!("{} {:.2}", p.term, p.score)).collect();
        let line = format!("    {:.2}, fits {:.2}: {}", row.score, row.relevance, parts.join(", "));
        page.ink(Ink::Faint, &line).end();
    }
}
