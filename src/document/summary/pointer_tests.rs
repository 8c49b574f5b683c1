//! How well a summary line alone says which of twelve files holds an answer, for files without labels.

use super::line::{self, Change, Verdict};
use super::telling;
use crate::text::{stem, stop, words};

const TOPICS: &str = include_str!("topics.txt");
const QUESTIONS: &str = include_str!("questions.txt");

fn stems(text: &str) -> Vec<String> {
    words(text).filter(|w| !stop::is_stopword(&w.text)).map(|w| stem(&w.text).into_owned()).collect()
}

fn topics() -> Vec<(&'static str, Vec<&'static str>)> {
    let parts = TOPICS.split("# ").filter(|t| !t.is_empty());
    parts.map(|t| t.split_once('\n').unwrap()).map(|(name, text)| (name, text.lines().collect())).collect()
}

/// Shares of questions whose file is the first, and among the first three. Ties count against us.
fn hits(summary: impl Fn(&[&str]) -> Vec<String>) -> (f64, f64) {
    let lines: Vec<_> = topics().iter().map(|(name, text)| (*name, stems(&summary(text).join(" ")))).collect();
    let (mut first, mut third, mut all) = (0.0, 0.0, 0.0);
    for (topic, question) in QUESTIONS.lines().map(|q| q.split_once(": ").unwrap()) {
        let asked = stems(question);
        let score = |line: &[String]| line.iter().filter(|w| asked.contains(w)).count();
        let right = lines.iter().find(|(name, _)| *name == topic).map(|(_, line)| score(line)).unwrap();
        let others = lines.iter().filter(|(name, line)| *name != topic && score(line) >= right).count();
        all += 1.0;
        first += f64::from(u8::from(others == 0));
        third += f64::from(u8::from(others < 3));
    }
    (first / all, third / all)
}

fn whole(text: &[&str]) -> Vec<String> {
    line::fresh(&[], || telling(&text.join("\n")))
}

/// The line as it comes about when the text grows by one sentence after another.
fn grown(text: &[&str], anew: bool) -> Vec<String> {
    let size = |n: usize| text[..n].join("\n").len().ilog2();
    let (mut line, none) = (whole(&text[..1]), line::Terms::default());
    for n in 2..=text.len() {
        let fresh = || whole(&text[..n]);
        let outgrown = anew && size(n) > size(n - 1);
        let fresh = outgrown.then_some(&fresh as &dyn Fn() -> Vec<String>);
        let change = Change { before: &none, after: &none, stands: &|_| true, fresh };
        if let Verdict::Line { terms, .. } = line::follow(&line.join(", "), &change, Some(&line)) {
            line = terms;
        }
    }
    line
}

#[test]
fn telling_words_point_to_the_right_file() {
    let (first, third) = hits(whole);
    let (beginning, _) = hits(|text| text.join(" ").split(' ').take(10).map(str::to_string).collect());
    assert!(first >= 0.75 && third >= 0.75, "{first:.2} {third:.2}");
    assert!(first > 1.15 * beginning, "{first:.2}, the first ten words {beginning:.2}");
}

#[test]
fn a_text_that_grows_by_sentences_is_pointed_to_nearly_as_well() {
    let (first, third) = hits(|text| grown(text, true));
    let (stuck, _) = hits(|text| grown(text, false));
    assert!(first >= 0.7 && third >= 0.7, "{first:.2} {third:.2}");
    assert!(first > 1.25 * stuck, "{first:.2}, never choosing anew {stuck:.2}");
}
