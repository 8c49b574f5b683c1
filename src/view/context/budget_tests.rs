//! How far contexts of different memories use their budgets, in both orders.

use std::collections::HashSet;

use super::contents::ContextContents;
use super::facts::FactCollector;
use super::notes::NoteReason;
use super::page::{ContextOptions, default_page};
use super::tests::{FILTER, context_contents, context_options, found};
use crate::policy::Policy;
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::view::query::bullet_origins::BulletOrigins;

const BUDGETS: [usize; 7] = [320, 400, 600, 1000, 2000, 4000, 8000];
const KINDS: [&str; 12] = [
    "short",
    "long",
    "chinese",
    "nested",
    "sections",
    "tiny files",
    "one huge",
    "one huge of today",
    "episodes",
    "rules",
    "pinned",
    "mixed",
];

fn words(from: usize, count: usize) -> String {
    let all =
        ["deploy", "review", "cache", "ferry", "harbour", "release", "invoice", "garden", "quay", "tide", "battery"];
    (0..count).map(|n| all[(from * 7 + n * n + n / 3) % all.len()]).collect::<Vec<_>>().join(" ")
}

fn bullet(kind: &str, n: usize) -> String {
    let added = format!("added=2026-01-{:02}", 1 + n % 28);
    match kind {
        "long" => format!("- Long {n} {}\n", words(n, 40 + n % 40)),
        "chinese" => format!("- 第{n}条：部署之前先检查配置，然后通知值班的同事，不要在周五发布{n}\n"),
        "nested" => format!("- Above {n} {}\n  - below it {n}\n    - and below that {}\n", words(n, 5), words(n, 8)),
        "one huge" if n == 3 => format!("- Huge {}\n", words(n, 1100)),
        "one huge of today" if n == 3 => format!("- Huge {}\n  <!-- mem added=2026-02-24 -->\n", words(n, 1100)),
        "rules" => format!("- Rule {n} {}\n  <!-- mem when=src/{n}/** {added} -->\n", words(n, 9)),
        "pinned" => format!("- Pinned {n} {}\n  <!-- mem pin {added} -->\n", words(n, 9)),
        "mixed" => bullet(KINDS[n % 10], n),
        _ => format!("- Fact {n} {}\n", words(n, 3 + n % 5)),
    }
}

/// A memory of some bullets.
fn memory(kind: &str, count: usize) -> Vec<(String, String)> {
    let per_file = if kind == "tiny files" { 1 } else { 40 };
    let file = |at: usize| {
        let bullets = (at * per_file..count.min((at + 1) * per_file)).map(|n| match (kind, n % 5) {
            ("sections", 0) => format!("\n## Section {n}\n\n{}", bullet(kind, n)),
            ("episodes", 0) => {
                format!(
                    "\n## Day {n}\n- Date: 2026-01-{:02}\n- Summary: {}\n{}",
                    1 + n % 28,
                    words(n, 9),
                    bullet(kind, n)
                )
            }
            _ => bullet(kind, n),
        });
        let text = format!("# File {at}\n\n> Summary: words, of, file {at}\n\n{}", bullets.collect::<String>());
        match kind {
            "episodes" => (format!("episodes/20{:02}-01.md", 10 + at), text),
            _ => (format!("facts/f{at:03}.md"), text),
        }
    };
    (0..count.div_ceil(per_file)).map(file).collect()
}

/// The lines of the items and facts that a context does not show.
fn left_out(contents: &ContextContents<'_>, shown: &[String]) -> Vec<String> {
    let shown: HashSet<&String> = shown.iter().collect();
    let is_left = |address: &String| !shown.contains(address);
    let notes =
        (0..contents.notes.len()).filter(|n| is_left(&contents.notes[*n].address)).map(|n| contents.note_line(n));
    let facts = (0..contents.facts.facts.len())
        .filter(|n| is_left(&contents.facts.facts[*n].address))
        .map(|n| contents.fact_line(n));
    notes.chain(facts).collect()
}

#[test]
fn every_budget_is_used_for_every_kind_of_memory() {
    let policy = Policy::default();
    let mut failures = Vec::new();
    for (kind, count) in KINDS.iter().flat_map(|kind| [4, 12, 30, 150, 800].map(|count| (*kind, count))) {
        let files = memory(kind, count);
        for stable in [false, true] {
            // A large memory takes long, and half of its pages show the same.
            for has_reader in [false, true].into_iter().filter(|has_reader| count < 800 || *has_reader == stable) {
                let contents = ContextContents { has_reader, ..context_contents(&files, &policy) };
                let page = |budget: usize| {
                    let page = default_page(&ContextOptions { stable, ..context_options(budget) }, &contents, &policy);
                    let shown: Vec<String> = page.items.iter().map(|item| item.address.clone()).collect();
                    let left = left_out(&contents, &shown);
                    (page, left)
                };
                let (whole, left) = page(200_000);
                assert!(left.is_empty(), "{kind} {count}");
                // What news would take is kept for them.
                let exact = if has_reader && stable { whole.tokens * 14 / 13 + 8 } else { whole.tokens + 8 };
                for budget in BUDGETS.into_iter().chain([exact.max(320)]) {
                    let (context, left) = page(budget);
                    assert!(context.tokens <= budget);
                    let smallest = left.iter().map(|line| estimate_llm_tokens(line)).min();
                    let is_used = context.tokens * 10 >= budget * 9;
                    let nothing_fits = smallest.is_none_or(|tokens| context.tokens + tokens + 1 > budget);
                    if budget >= exact && !left.is_empty() || !is_used && !nothing_fits {
                        let what = format!("{kind} {count} stable={stable} reader={has_reader}");
                        failures.push(format!(
                            "{what}: {} of {budget} (whole {}), {} left, the smallest {smallest:?}",
                            context.tokens,
                            whole.tokens,
                            left.len()
                        ));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_stable_page_reports_as_left_out_what_none_of_its_blocks_shows() {
    let policy = Policy::default();
    for (kind, count) in ["pinned", "mixed", "episodes"].into_iter().flat_map(|kind| [12, 30, 150].map(|n| (kind, n))) {
        let files = memory(kind, count);
        for budget in (320..1600).step_by(16) {
            let contents = context_contents(&files, &policy);
            let page = default_page(&ContextOptions { stable: true, ..context_options(budget) }, &contents, &policy);
            let is_shown = |address: &String| page.items.iter().any(|item| item.address == *address);
            let pinned = contents.notes.iter().filter(|note| note.reason == NoteReason::Pinned);
            let has_more = pinned.clone().any(|note| !is_shown(&note.address));
            let says = |what: &str| page.left_out.iter().any(|line| line.contains(what));
            assert_eq!(says(" more pinned:"), has_more, "{kind} {count} {budget}\n{}", page.text);
            let is_whole = page.entries.len() == contents.entries.len();
            assert!(!(is_whole && says("older ones")), "{kind} {count} {budget}\n{}", page.text);
        }
    }
}

#[test]
fn rules_that_follow_when_a_path_is_touched_come_after_other_rules() {
    let text =
        "# A\n\n- Always use tabs\n  <!-- mem when=src/** -->\n- Never push on Fridays\n- Tea is in the kitchen\n";
    let file = found("facts/a.md", text);
    let (policy, origins) = (Policy::default(), BulletOrigins::default());
    let order = |path_rules_follow: bool| {
        let options = ContextOptions { path_rules_follow, ..context_options(2000) };
        let mut facts = FactCollector::new(&policy, &origins, &FILTER, &|_| Vec::new(), &options);
        facts.add_file(&file);
        facts.finish(&[]).facts.into_iter().map(|fact| fact.text).collect::<Vec<_>>()
    };
    assert_eq!(order(false), ["Always use tabs", "Never push on Fridays", "Tea is in the kitchen"]);
    assert_eq!(order(true), ["Never push on Fridays", "Always use tabs", "Tea is in the kitchen"]);
}
