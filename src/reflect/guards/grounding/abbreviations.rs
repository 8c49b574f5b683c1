//! Restates a text with the short or long forms of words that its sources have: Kubernetes for k8s, database for db.
//!
//! Never shortens what the sources have as it is.

use super::english::spaced_words;
use super::restated;
use crate::text::Splice;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Short forms and long forms of one word, a line each.
const ABBREVIATIONS: PhraseList = phrase_list!("guards/grounding/abbreviations.txt");
/// Length of the longest form, in words.
const MAX_WORDS: usize = 3;

/// A text with each word in the form that its sources have. `None` if it has none in another form.
pub(super) fn in_forms_of(text: &str, sources: &[&str]) -> Option<String> {
    let all = sources.join("\n");
    let spaced = spaced_words(&all.replace(is_unspaced, " "));
    let words = words(text);
    let (mut splices, mut i) = (Vec::new(), 0);
    while i < words.len() {
        let found = (1..=MAX_WORDS.min(words.len() - i)).rev().find_map(|length| {
            let range = words[i].0..words[i + length - 1].1;
            Some((length, range.clone(), form_of(&text[range], &spaced)?))
        });
        let Some((length, range, form)) = found else {
            i += 1;
            continue;
        };
        splices.push(Splice { start: range.start, end: range.end, new: as_written(form, &all).to_string() });
        i += length;
    }
    restated(text, &splices)
}

/// The form of a phrase that the sources, between spaces, have in its place.
fn form_of(phrase: &str, spaced: &str) -> Option<&'static str> {
    let low = phrase.to_lowercase();
    let is_said = |form: &str| spaced.contains(&format!(" {form} "));
    if is_said(&low) {
        return None;
    }
    let lines = ABBREVIATIONS.iter().filter(|line| line.split('|').any(|form| form == low));
    lines.flat_map(|line| line.split('|')).find(|form| is_said(form))
}

/// A form with the letters that the sources have.
fn as_written(form: &str, sources: &str) -> String {
    let found = words(sources).into_iter().map(|(start, end)| &sources[start..end]);
    found.into_iter().find(|word| word.to_lowercase() == form).unwrap_or(form).to_owned()
}

/// The ranges of the words of Latin letters and digits.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric()) {
        match found.last_mut().filter(|(_, end)| *end == at) {
            Some((_, end)) => *end += c.len_utf8(),
            None => found.push((at, at + c.len_utf8())),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_forms_are_one_word() {
        for (text, source, expected) in [
            ("The team uses Kubernetes.", "we use k8s", Some("The team uses k8s.")),
            ("项目使用TypeScript。", "项目用的是TS", Some("项目使用TS。")),
            ("Pull requests need a review.", "PRs need a review", Some("PRs need a review.")),
            ("The database is small.", "the database, not the db, is small", None),
            ("The team uses Kubernetes.", "we use Nomad", None),
        ] {
            assert_eq!(in_forms_of(text, &[source]).as_deref(), expected, "{text}");
        }
    }
}
