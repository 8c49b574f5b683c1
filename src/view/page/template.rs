//! The page as a whole: what it shows, its templates, and the policy that lets it do nothing else.
//!
//! Never adds an unescaped text: templates escape everything but [`Html`](super::html::Html) and this file's constants.

use askama::Template;
use base64::prelude::{BASE64_STANDARD, Engine};
use sha2::{Digest, Sha256};

use super::body::{BodyPart, PageFile};
use super::graph::{LinkGraph, SIZE};
use super::plots::{ShareTable, TimePlot};

/// The styles and the script, which are parts of the page.
pub const STYLES: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/page.css"));
pub const SCRIPT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/page.js"));

/// All that the page shows.
#[derive(Debug, Template)]
#[template(path = "page.html", whitespace = "minimize")]
pub struct Page {
    /// The name of the memory.
    pub name: String,
    /// When the page was made, local time.
    pub made_at: String,
    pub version: &'static str,
    /// How much it holds, in words.
    pub counts: String,
    /// What of the memory is not in the page, in words; empty if it has everything.
    pub limits: Vec<String>,
    pub folders: Vec<PageFolder>,
    pub days: Vec<TimelineDay>,
    /// Who made changes, and how many.
    pub writers: Vec<(String, usize)>,
    /// How many older changes are left out, and the command that prints them.
    pub older_changes: usize,
    pub log_command: String,
    /// `None` for a reader who may not see them.
    pub proposals: Option<Vec<PageProposal>>,
    pub graph: LinkGraph,
    pub plots: Vec<TimePlot>,
    pub shares: Vec<ShareTable>,
    pub contradictions: Vec<Contradiction>,
    pub anchors: Vec<StaleAnchorRow>,
    /// How many items the page has, and what the script looks up of them.
    pub items: usize,
    pub data: String,
}

/// A folder at the top of the memory.
#[derive(Debug)]
pub struct PageFolder {
    pub name: String,
    pub files: Vec<PageFile>,
}

/// What happened on a day.
#[derive(Debug)]
pub struct TimelineDay {
    /// `YYYY-MM-DD`; empty for what has no date.
    pub day: String,
    pub rows: Vec<TimelineRow>,
}

/// A change or an episode.
#[derive(Debug, Default)]
pub struct TimelineRow {
    /// `10:00`; empty for an episode.
    pub time: String,
    /// `change` or `episode`.
    pub kind: &'static str,
    /// The writer's number in [`Page::writers`]; `None` for an episode.
    pub writer: Option<usize>,
    pub by: String,
    /// The revision, e.g. `r41`; empty for an episode.
    pub rev: String,
    /// `undone` and the like; empty for an ordinary change.
    pub state: String,
    pub title: String,
    /// The reason of a change, or the text of an episode.
    pub text: String,
    /// The item of an episode.
    pub item: Option<usize>,
    pub files: Vec<PageLink>,
    pub effects: Vec<EffectLine>,
    /// How many effects are left out.
    pub more: usize,
}

/// A file by its path, with its number if it is in the page.
#[derive(Debug)]
pub struct PageLink {
    pub path: String,
    pub number: Option<usize>,
}

/// A bullet that was added, removed or changed.
#[derive(Debug)]
pub struct EffectLine {
    pub sign: String,
    /// `added`, `removed` or `other`.
    pub kind: &'static str,
    pub text: String,
}

/// A proposal that waits.
#[derive(Debug)]
pub struct PageProposal {
    pub id: String,
    pub title: String,
    pub details: Vec<String>,
    pub until: String,
    pub diff: Vec<DiffLine>,
    /// The commands that decide.
    pub accept: String,
    pub reject: String,
}

/// A line of a diff.
#[derive(Debug)]
pub struct DiffLine {
    /// `added`, `removed`, `place` or `context`.
    pub kind: &'static str,
    pub text: String,
}

/// Bullets of which each excludes every other one.
#[derive(Debug)]
pub struct Contradiction {
    pub sides: Vec<ItemLink>,
}

/// A bullet with its address and the command that removes it.
#[derive(Debug)]
pub struct ItemLink {
    pub item: usize,
    pub address: String,
    pub text: String,
    /// The day on which it was written, if known.
    pub date: String,
    /// Empty if the address cannot be spelled safely.
    pub command: String,
}

/// A bullet whose code has changed.
#[derive(Debug)]
pub struct StaleAnchorRow {
    pub item: ItemLink,
    pub anchor: String,
    /// `moved`, `changed` or `gone`.
    pub state: &'static str,
}

impl Page {
    /// The page as one HTML document.
    pub fn to_html(&self) -> String {
        // Writing to a string fails only if a template does, and these cannot.
        self.render().unwrap_or_default()
    }

    /// Nothing is fetched, sent or framed, and only this script and these styles are used (CSP Level 3).
    fn content_security_policy(&self) -> String {
        format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
            BASE64_STANDARD.encode(Sha256::digest(SCRIPT)),
            BASE64_STANDARD.encode(Sha256::digest(STYLES)),
        )
    }

    fn files(&self) -> impl Iterator<Item = &PageFile> {
        self.folders.iter().flat_map(|folder| &folder.files)
    }

    fn script(&self) -> &'static str {
        SCRIPT
    }

    fn styles(&self) -> &'static str {
        STYLES
    }

    fn findings(&self) -> usize {
        self.contradictions.len() + self.anchors.len()
    }

    fn graph_size(&self) -> (f64, f64) {
        (SIZE.x, SIZE.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_cannot_end_its_element_early() {
        for text in [SCRIPT, STYLES] {
            assert!(!text.contains("</") && !text.contains("<!--"));
        }
    }
}
