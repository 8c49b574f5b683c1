//! How well the summary lines of files without labels point to the file that holds an answer, on real text.
//!
//! The corpus is `fixtures/real` (instructions, manuals, changelogs of public projects) with headings, labels and marks
//! taken out. A question is three words of one sentence, stemmed as search does it; the reader sees one line a file and
//! nothing else, and picks among 27 files by BM25 over the lines. Files that score the same share the credit. It is no
//! set of real questions: what makes it comparable is its yardstick. The first ten words of each file point
//! about as well as on the public conversations the figures come from (there .17 and .28).

use std::collections::HashMap;
use std::path::Path;

use fastrand::Rng;
use memdir::document::summary::{FileKind, new_summary};
use memdir::document::{BlockKind, Document};
use memdir::text::search_terms;

/// Files a reader chooses from.
const POOL: usize = 27;
/// How many such choices.
const DRAWS: usize = 40;
/// Questions to each file of a pool.
const QUESTIONS: usize = 4;
/// Words of a question.
const WORDS: usize = 3;
/// A file's sentences: at least and at most.
const SENTENCES: (usize, usize) = (12, 40);

/// Some words of a sentence: a question about it.
fn words_of(mut sentence: Vec<String>, rng: &mut Rng) -> Vec<String> {
    while sentence.len() > WORDS {
        sentence.swap_remove(rng.usize(..sentence.len()));
    }
    sentence
}

fn stems(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    search_terms(text, |token| all.push(token.to_owned()));
    all
}

/// The sentences of a file's paragraphs and bullets, without what would be a label.
fn sentences(text: &str) -> Vec<String> {
    let document = Document::parse(text);
    let mut all = Vec::new();
    for node in document.blocks() {
        let raw = match node.kind {
            BlockKind::Bullet(b) => document.bullet_text(b as usize).into_owned(),
            BlockKind::Paragraph => document.text()[node.span.range()].split_whitespace().collect::<Vec<_>>().join(" "),
            _ => continue,
        };
        let plain = raw.replace(['*', '`', '_', '[', ']', ':', '|'], " ");
        all.extend(plain.split(". ").map(|s| s.trim().to_owned()).filter(|s| s.split_whitespace().count() >= 6));
    }
    all.truncate(SENTENCES.1);
    all
}

/// One file: its sentences as search compares them, and the two lines it is to be found by.
struct File {
    sentences: Vec<Vec<String>>,
    line: Vec<String>,
    beginning: Vec<String>,
}

fn file(text: &str) -> Option<File> {
    let sentences = sentences(text);
    let body = sentences.join(".\n\n");
    let line = new_summary(&Document::parse(body.as_str()), FileKind::Facts);
    let beginning = body.split_whitespace().take(10).collect::<Vec<_>>().join(" ");
    (sentences.len() >= SENTENCES.0).then(|| File {
        sentences: sentences.iter().map(|s| stems(s)).collect(),
        line: stems(&line),
        beginning: stems(&beginning),
    })
}

fn files() -> Vec<File> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/real");
    let mut paths: Vec<_> = fs_err::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let texts = paths.iter().filter(|p| p.extension().is_some_and(|e| e == "md"));
    texts.filter_map(|p| file(&String::from_utf8_lossy(&fs_err::read(p).unwrap()))).collect()
}

/// BM25 (k1 1.2, b .75) of each line for a question.
fn scores(lines: &[&[String]], question: &[String]) -> Vec<f64> {
    let n = lines.len() as f64;
    let mean = lines.iter().map(|l| l.len()).sum::<usize>() as f64 / n;
    let mut scores = vec![0.0; lines.len()];
    for word in question {
        let counts: Vec<f64> = lines.iter().map(|l| l.iter().filter(|w| *w == word).count() as f64).collect();
        let df = counts.iter().filter(|c| **c > 0.0).count() as f64;
        let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
        for ((score, tf), line) in scores.iter_mut().zip(&counts).zip(lines) {
            *score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * line.len() as f64 / mean));
        }
    }
    scores
}

/// Shares of questions whose file ranks first, and among the first three.
fn hits<'f>(files: &'f [File], line: impl Fn(&'f File) -> &'f [String]) -> (f64, f64) {
    let mut rng = Rng::with_seed(7);
    let (mut first, mut third, mut all) = (0.0, 0.0, 0.0);
    for _ in 0..DRAWS {
        let mut order: HashMap<usize, usize> = HashMap::new();
        while order.len() < POOL {
            let next = order.len();
            order.entry(rng.usize(..files.len())).or_insert(next);
        }
        let mut pool: Vec<(usize, &File)> = order.into_iter().map(|(file, at)| (at, &files[file])).collect();
        pool.sort_by_key(|(at, _)| *at);
        let lines: Vec<&[String]> = pool.iter().map(|(_, file)| line(file)).collect();
        for (right, file) in &pool {
            for _ in 0..QUESTIONS {
                let sentence = file.sentences[rng.usize(..file.sentences.len())].clone();
                let scores = scores(&lines, &words_of(sentence, &mut rng));
                let better = scores.iter().filter(|s| **s > scores[*right] + 1e-9).count() as f64;
                let same = scores.iter().filter(|s| (**s - scores[*right]).abs() <= 1e-9).count() as f64;
                let share = |places: f64| ((places - better) / same).clamp(0.0, 1.0);
                (first, third, all) = (first + share(1.0), third + share(3.0), all + 1.0);
            }
        }
    }
    (first / all, third / all)
}

#[test]
fn summary_lines_point_to_the_right_file_of_real_text() {
    let files = files();
    assert!(files.len() >= 100, "{} files", files.len());
    let (first, third) = hits(&files, |file| &file.line);
    let (first_ten, third_ten) = hits(&files, |file| &file.beginning);
    let indicative = format!(
        "summary lines hit@1 {first:.3} hit@3 {third:.3}, first ten words hit@1 {first_ten:.3} hit@3 {third_ten:.3}"
    );
    println!("{indicative}");
    assert!(first >= 0.34 && third >= 0.52, "{indicative}");
    assert!(first >= 1.5 * first_ten && third >= 1.5 * third_ten, "{indicative}");
    // The yardstick: were this higher, the questions would be easier than those the figures come from.
    assert!(first_ten <= 0.18 && third_ten <= 0.29, "{indicative}");
}
