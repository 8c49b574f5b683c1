//! What the ranking is worth on texts written for it: dialogues, facts in five languages, spellings and typing errors.
//!
//! `fixtures/ranking/tuned` may be looked at while the ranking is changed; `fixtures/ranking/judged` was written before
//! and only says what a change is worth. A set is a memory in one file (`=== path` starts a file) and questions, each
//! with a part of the text that answers it.

use std::fmt::Write;

use memdir::commands::{self, Session};
use memdir::text::search_terms;
use memdir::view::query::filter::QueryOptions;

use crate::support::Memory;

/// Recall among the first ten, and the mean reciprocal rank among them.
#[derive(Clone, Copy)]
struct Figures {
    recall: f64,
    reciprocal: f64,
}

/// A set and the least that the ranking must reach on it, in both halves: tuned, judged.
const SETS: [(&str, [Figures; 2]); 9] = [
    ("turns.en", [at_least(0.91, 0.75), at_least(0.90, 0.68)]),
    ("facts.en", [at_least(0.94, 0.93), at_least(0.91, 0.84)]),
    ("facts.zh", [at_least(0.99, 0.99), at_least(0.99, 0.99)]),
    ("people.zh", [at_least(0.95, 0.69), at_least(0.94, 0.78)]),
    ("facts.de", [at_least(0.99, 0.99), at_least(0.96, 0.96)]),
    ("facts.ru", [at_least(0.99, 0.98), at_least(0.99, 0.99)]),
    ("facts.ja", [at_least(0.99, 0.99), at_least(0.99, 0.98)]),
    ("spellings.en", [at_least(0.99, 0.99), at_least(0.99, 0.98)]),
    ("typos.en", [at_least(0.92, 0.81), at_least(0.89, 0.73)]),
];
const HALVES: [&str; 2] = ["tuned", "judged"];

const fn at_least(recall: f64, reciprocal: f64) -> Figures {
    Figures { recall, reciprocal }
}

fn fixture(half: &str, name: &str) -> String {
    let path = format!("{}/fixtures/ranking/{half}/{name}", env!("CARGO_MANIFEST_DIR"));
    fs_err::read_to_string(path).unwrap()
}

fn memory(half: &str, set: &str) -> Memory {
    let text = fixture(half, &format!("{set}.md"));
    text.split("=== ").skip(1).fold(Memory::new(), |memory, file| {
        let (path, text) = file.split_once('\n').unwrap();
        memory.file(path, text)
    })
}

/// Questions, each with a part of its answer.
fn questions(half: &str, set: &str) -> Vec<(String, String)> {
    let text = fixture(half, &format!("{set}.tsv"));
    text.lines().map(|line| line.split_once('\t').unwrap()).map(|(q, a)| (q.to_owned(), a.to_owned())).collect()
}

/// The rank of the answer among the first ten, from 1.
fn rank(session: &Session, question: &str, answer: &str) -> Option<usize> {
    let options = QueryOptions { query: question.into(), limit: Some(10), ..QueryOptions::default() };
    let found = commands::query(session, &options).unwrap();
    found.items.iter().position(|row| row.text.contains(answer)).map(|at| at + 1)
}

fn figures(half: &str, set: &str, dress: impl Fn(&str) -> String, log: &mut String) -> Figures {
    let memory = memory(half, set);
    let session = memory.session();
    let all = questions(half, set);
    let (mut recall, mut reciprocal) = (0.0, 0.0);
    for (question, answer) in &all {
        let rank = rank(&session, &dress(question), answer);
        recall += f64::from(u8::from(rank.is_some()));
        reciprocal += rank.map_or(0.0, |rank| 1.0 / rank as f64);
        if rank != Some(1) {
            writeln!(log, "{set}\t{}\t{}\t{answer}", rank.unwrap_or(0), dress(question)).unwrap();
        }
    }
    Figures { recall: recall / all.len() as f64, reciprocal: reciprocal / all.len() as f64 }
}

/// A question with a typing error in its rarest word of at least five letters that stands in the memory.
fn with_typo(memory: &str, question: &str) -> String {
    let stems = |text: &str| {
        let mut all = Vec::new();
        search_terms(text, |term| all.push(term.to_owned()));
        all
    };
    let lines: Vec<Vec<String>> = memory.lines().map(stems).collect();
    let holding = |word: &str| match stems(word).as_slice() {
        [stem] => lines.iter().filter(|line| line.contains(stem)).count(),
        _ => 0,
    };
    let words = question.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() >= 5 && word.is_ascii());
    let rarest = words.map(|word| (holding(word), word)).filter(|(df, _)| *df > 0).min();
    let Some((_, word)) = rarest else { return question.to_owned() };
    let seed = word.bytes().fold(7_usize, |seed, b| seed.wrapping_mul(31).wrapping_add(usize::from(b)));
    let mut letters: Vec<u8> = word.bytes().collect();
    let at = 1 + seed / 4 % (letters.len() - 2);
    match seed % 4 {
        0 => letters.swap(at, at + 1),
        1 => drop(letters.remove(at)),
        2 => letters.insert(at, letters[at]),
        _ => letters[at] = b"etaoin"[seed / 64 % 6],
    }
    question.replacen(word, &String::from_utf8(letters).unwrap(), 1)
}

fn typo_figures(half: &str, log: &mut String) -> Figures {
    let all = ["turns.en", "facts.en"].map(|set| {
        let memory = fixture(half, &format!("{set}.md"));
        let figures = figures(half, set, |question| with_typo(&memory, question), log);
        let count = questions(half, set).len() as f64;
        (figures, count)
    });
    let total: f64 = all.iter().map(|(_, count)| count).sum();
    let mean = |of: fn(&Figures) -> f64| all.iter().map(|(figures, count)| of(figures) * count).sum::<f64>() / total;
    Figures { recall: mean(|f| f.recall), reciprocal: mean(|f| f.reciprocal) }
}

#[test]
fn the_ranking_is_worth_what_it_was() {
    let mut found = String::new();
    let mut log = String::new();
    let mut worse = false;
    for (set, least) in SETS {
        for (half, least) in HALVES.into_iter().zip(least) {
            let mut misses = String::new();
            let got = match set {
                "typos.en" => typo_figures(half, &mut misses),
                _ => figures(half, set, str::to_owned, &mut misses),
            };
            // What the judged half misses is not shown: it would be tuned for.
            if half == "tuned" {
                log += &misses;
            }
            worse |= got.recall < least.recall - 0.0005 || got.reciprocal < least.reciprocal - 0.0005;
            writeln!(found, "{half} {set}: R@10 {:.3}, MRR {:.3}", got.recall, got.reciprocal).unwrap();
        }
    }
    assert!(!worse, "{found}\n{log}");
    if let Ok(path) = std::env::var("MEMDIR_RANKING_LOG") {
        fs_err::write(path, format!("{found}\n{log}")).unwrap();
    }
}
