//! Filters of `query`, all of them in any combination, held against a plain loop over everything there is.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use memdir::commands;
use memdir::view::query::filter::QueryOptions;
use proptest::prelude::*;

use crate::support::Memory;

/// What the test knows of one bullet.
#[derive(Clone, Debug)]
struct Known {
    text: String,
    file: &'static str,
    section: &'static str,
    category: Option<&'static str>,
    tag: Option<&'static str>,
    imp: Option<u8>,
    conf: Option<&'static str>,
    pin: bool,
    by: Option<&'static str>,
    src: Option<&'static str>,
    run: Option<&'static str>,
    role: Option<&'static str>,
    added: Option<&'static str>,
    exp: Option<&'static str>,
}

const FILES: [&str; 4] = ["facts/user.md", "facts/work.md", "procedures/how.md", "archive/facts/user.md"];
const WORDS: [&str; 6] = ["apple", "pear", "plum", "cherry", "fig", "quince"];

fn pick<T: Copy>(seed: usize, prime: usize, values: &[T]) -> T {
    values[(seed.wrapping_mul(2_654_435_761) / prime) % values.len()]
}

fn all() -> Vec<Known> {
    let days = [None, Some("2026-01-05"), Some("2026-01-20"), Some("2026-02-10"), Some("2026-02-23")];
    (0..240_usize)
        .map(|i| Known {
            text: format!("{} {} number{i}", WORDS[i % 6], WORDS[(i / 6 + 1) % 6]),
            file: FILES[i * 7 % 11 % 4],
            section: pick(i, 3, &["alpha", "beta"]),
            category: pick(i, 5, &[None, Some("habit"), Some("decision")]),
            tag: pick(i, 7, &[None, Some("home"), Some("office/desk")]),
            imp: pick(i, 11, &[None, Some(2), Some(5), Some(9)]),
            conf: pick(i, 13, &[None, Some("0.3"), Some("0.9")]),
            pin: pick(i, 17, &[false, false, true]),
            by: pick(i, 19, &[None, Some("ana"), Some("bo")]),
            src: pick(i, 23, &[None, Some("chat-1")]),
            run: pick(i, 29, &[None, Some("run-1")]),
            role: pick(i, 31, &[None, Some("user"), Some("assistant")]),
            added: pick(i, 37, &days),
            exp: pick(i, 41, &[None, None, Some("2026-02-01"), Some("2026-12-01")]),
        })
        .collect()
}

fn line(known: &Known) -> String {
    let mut out = String::from("- ");
    if let Some(category) = known.category {
        write!(out, "[{category}] ").unwrap();
    }
    out.push_str(&known.text);
    if let Some(tag) = known.tag {
        write!(out, " #{tag}").unwrap();
    }
    let imp = known.imp.map(|n| n.to_string());
    let meta = [
        ("exp", known.exp),
        ("conf", known.conf),
        ("imp", imp.as_deref()),
        ("pin", known.pin.then_some("true")),
        ("src", known.src),
        ("by", known.by),
        ("run", known.run),
        ("role", known.role),
        ("added", known.added),
    ];
    let meta: Vec<String> = meta.iter().filter_map(|(k, v)| Some(format!("{k}={}", (*v)?))).collect();
    if !meta.is_empty() {
        write!(out, "\n  <!-- mem {} -->", meta.join(" ")).unwrap();
    }
    out + "\n"
}

fn memory(all: &[Known]) -> Memory {
    let mut memory = Memory::new();
    for file in FILES {
        let mut text = String::from("# File\n");
        for section in ["alpha", "beta"] {
            write!(text, "\n## {section}\n\n").unwrap();
            all.iter().filter(|k| k.file == file && k.section == section).for_each(|k| text.push_str(&line(k)));
        }
        memory = memory.file(file, &text);
    }
    memory
}

/// The plain loop: what passes, and what would if its day were known.
fn naive(all: &[Known], ask: &QueryOptions) -> (BTreeSet<String>, usize) {
    let is = |own: Option<&str>, wanted: &Option<String>| wanted.as_deref().is_none_or(|w| own == Some(w));
    let (mut passed, mut undated) = (BTreeSet::new(), 0);
    for k in all {
        let word = ask.query.is_empty() || ask.query.split(' ').any(|w| k.text.split(' ').any(|own| own == w));
        let stem = k.file.rsplit('/').next().unwrap().trim_end_matches(".md");
        let folder = k.file.split('/').next().unwrap();
        let kinds = [Some(stem), Some(k.section), k.category, (folder == "procedures").then_some("procedural")];
        let category = ask.categories.is_empty() || ask.categories.iter().any(|c| kinds.contains(&Some(c.as_str())));
        let place = match folder {
            "facts" => ask.within.is_empty() || ask.within.iter().any(|g| g == "facts/*.md"),
            "archive" => ask.all && ask.within.is_empty() || ask.within.iter().any(|g| g == "archive/**"),
            _ => (ask.all || ask.categories.iter().any(|c| c == "procedural")) && ask.within.is_empty(),
        };
        let tag = ask.tags.iter().all(|t| k.tag.is_some_and(|own| own == t || own.starts_with(&format!("{t}/"))));
        let imp = ask.imp.is_none_or(|(low, high)| k.imp.is_some_and(|n| (low..=high).contains(&f64::from(n))));
        let conf = ask.conf.is_none_or(|low| k.conf.is_some_and(|c| c.parse::<f64>().unwrap() >= low));
        let fresh = ask.all || k.exp.is_none_or(|day| day >= "2026-02-24");
        let own = is(k.by, &ask.by) && is(k.src, &ask.source) && is(k.run, &ask.run) && is(k.role, &ask.role);
        let pinned = ask.pinned.is_none_or(|wanted| wanted == k.pin);
        if !(word && category && place && tag && imp && conf && fresh && own && pinned) {
            continue;
        }
        match k.added {
            None if ask.since.is_some() || ask.until.is_some() => undated += 1,
            day => {
                let after = ask.since.as_deref().is_none_or(|since| day.unwrap() >= since);
                let before = ask.until.as_deref().is_none_or(|until| day.unwrap() <= until);
                if after && before {
                    passed.insert(k.text.clone());
                }
            }
        }
    }
    (passed, undated)
}

fn some(values: &'static [&'static str]) -> impl Strategy<Value = Option<String>> {
    prop_oneof![3 => Just(None), 1 => prop::sample::select(values).prop_map(|v| Some(v.to_owned()))]
}

fn list(values: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
    some(values).prop_map(|v| v.into_iter().collect())
}

fn asks() -> impl Strategy<Value = QueryOptions> {
    let kinds = (list(&["habit", "decision", "user", "alpha", "procedural"]), list(&["home", "office", "office/desk"]));
    let files = list(&["facts/*.md", "archive/**"]);
    let imp = prop_oneof![2 => Just(None), 1 => Just(Some((3.0, 10.0))), 1 => Just(Some((0.0, 5.0)))];
    let conf = prop_oneof![3 => Just(None), 1 => Just(Some(0.5))];
    let days = (some(&["2026-01-10", "2026-01-20"]), some(&["2026-02-10", "2026-02-20"]));
    let pinned = prop_oneof![3 => Just(None), 1 => Just(Some(true)), 1 => Just(Some(false))];
    let own = (some(&["ana", "bo"]), some(&["chat-1"]), some(&["run-1"]), some(&["user"]));
    let rest = (some(&["apple", "plum fig", "number7"]), prop::bool::weighted(0.3));
    (kinds, files, imp, conf, days, pinned, own, rest).prop_map(
        |((categories, tags), within, imp, conf, (since, until), pinned, (by, source, run, role), (words, all))| {
            QueryOptions {
                query: words.unwrap_or_default(),
                categories,
                tags,
                within,
                imp,
                conf,
                since,
                until,
                pinned,
                by,
                source,
                run,
                role,
                all,
                ..QueryOptions::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]
    #[test]
    fn every_combination_is_what_a_plain_loop_finds(ask in asks()) {
        thread_local!(static MEMORY: (Vec<Known>, Memory) = { let all = all(); let memory = memory(&all); (all, memory) });
        let ask = if ask.query.is_empty() && !ask.has_filters() { QueryOptions { query: "apple".into(), ..ask } } else { ask };
        MEMORY.with(|(all, memory)| {
            let found = commands::query(&memory.session(), &ask).unwrap();
            let bullets: Vec<_> = found.items.iter().filter(|row| row.kind == "bullet").collect();
            let texts: BTreeSet<String> = bullets
                .iter()
                .map(|row| {
                    let text = row.text.split(" #").next().unwrap();
                    text.rsplit("] ").next().unwrap().to_owned()
                })
                .collect();
            let (wanted, undated) = naive(all, &ask);
            prop_assert_eq!(bullets.len(), texts.len());
            prop_assert_eq!(texts, wanted);
            // Headings have no day either; without words they are items too.
            prop_assert!(found.undated >= undated);
            if !ask.query.is_empty() {
                prop_assert_eq!(found.undated, undated);
            }
            Ok(())
        })?;
    }
}

#[test]
fn the_base_of_an_open_conflict_is_no_fact() {
    let sides = "<<<<<<< HEAD\n- Deploys on Tuesdays\n||||||| c97cc47\n- Deploys on Fridays\n  - at noon\n=======\n- Deploys on Mondays\n>>>>>>> a\n";
    let memory = Memory::new().file("facts/user.md", &format!("# User\n\n- Prefers tabs\n{sides}"));
    for words in [&["query", "deploys"][..], &["list", "user"], &["context"], &["query", "deploys", "--json"]] {
        let read = memory.run(words).exit(0).unchanged();
        let told = |text: &str| read.stdout.contains(text);
        assert_eq!(
            [told("Tuesdays"), told("Mondays"), told("Fridays"), told("noon")],
            [true, true, false, false],
            "{read}"
        );
    }
}
