//! Measures how well summary lines identify which of twelve files contains an answer, for files without labels.

use super::keywords::keywords;
use super::line::{self, LineUpdate, TermChange};
use crate::text::{stem, stopwords, words};

const TOPICS: &str = include_str!("topics.txt");
const QUESTIONS: &str = include_str!("questions.txt");

fn stems(text: &str) -> Vec<String> {
    words(text).filter(|w| !stopwords::is_stopword(&w.text)).map(|w| stem(&w.text).into_owned()).collect()
}

fn topics() -> Vec<(&'static str, Vec<&'static str>)> {
    let parts = TOPICS.split("# ").filter(|t| !t.is_empty());
    parts.map(|t| t.split_once('\n').unwrap()).map(|(name, text)| (name, text.lines().collect())).collect()
}

/// Shares of questions whose file ranks first, and among the first three. Ties count as misses.
fn hit_rates(summary: impl Fn(&[&str]) -> Vec<String>) -> (f64, f64) {
    let lines: Vec<_> = topics().iter().map(|(name, text)| (*name, stems(&summary(text).join(" ")))).collect();
    let (mut first, mut third, mut all) = (0.0, 0.0, 0.0);
    for (topic, question) in QUESTIONS.lines().map(|q| q.split_once(": ").unwrap()) {
        let question_stems = stems(question);
        let score = |line: &[String]| line.iter().filter(|w| question_stems.contains(w)).count();
        let right = lines.iter().find(|(name, _)| *name == topic).map(|(_, line)| score(line)).unwrap();
        let others = lines.iter().filter(|(name, line)| *name != topic && score(line) >= right).count();
        all += 1.0;
        first += f64::from(u8::from(others == 0));
        third += f64::from(u8::from(others < 3));
    }
    (first / all, third / all)
}

fn new_line(text: &[&str]) -> Vec<String> {
    line::new_line(&[], || keywords(&text.join("\n")))
}

/// The line of a text that grows by one sentence at a time.
fn incremental_line(text: &[&str], anew: bool) -> Vec<String> {
    let size = |n: usize| text[..n].join("\n").len().ilog2();
    let (mut line, none) = (new_line(&text[..1]), line::SummaryTerms::default());
    for n in 2..=text.len() {
        let fresh = || new_line(&text[..n]);
        let outgrown = anew && size(n) > size(n - 1);
        let fresh = outgrown.then_some(&fresh as &dyn Fn() -> Vec<String>);
        let present = |_: &str| true;
        let change = TermChange {
            before: &none,
            after: &none,
            in_text_before: &present,
            in_text: &present,
            keeps_edited: false,
            new_line: fresh,
        };
        if let LineUpdate::Replace { terms, .. } = line::update_line(&line.join(", "), &change, Some(&line)) {
            line = terms;
        }
    }
    line
}

#[test]
fn keywords_identify_the_right_file() {
    let (first, third) = hit_rates(new_line);
    let (beginning, _) = hit_rates(|text| text.join(" ").split(' ').take(10).map(str::to_string).collect());
    assert!(first >= 0.75 && third >= 0.75, "{first:.2} {third:.2}");
    assert!(first > 1.15 * beginning, "{first:.2}, the first ten words {beginning:.2}");
}

#[test]
fn keywords_of_a_growing_text_are_nearly_as_good() {
    let (first, third) = hit_rates(|text| incremental_line(text, true));
    let (stuck, _) = hit_rates(|text| incremental_line(text, false));
    assert!(first >= 0.7 && third >= 0.7, "{first:.2} {third:.2}");
    assert!(first > 1.25 * stuck, "{first:.2}, never choosing anew {stuck:.2}");
}
