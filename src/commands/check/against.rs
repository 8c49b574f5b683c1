//! `check --against`: finds bullets of the memory that exclude a statement of a file outside it, for example of
//! instructions for agents.
//!
//! Never writes, and never decides which of the two is true.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::contradictions::{MAX_BULLETS_PER_WORD, WrittenTexts, dated_handle};
use super::rot_memories::{FolderReader, require_readable};
use super::{LineIndex, finding};
use crate::change::JournalEntry;
use crate::code::{Code, Rejection};
use crate::commands::Session;
use crate::commands::results::{CheckFinding, FindingLevel, OutsideStatement};
use crate::document::related_edge::stating_bullets;
use crate::document::{BlockKind, Document, TextDecodeError};
use crate::host::outside_files;
use crate::path::MemoryPath;
use crate::text::contradiction::compare_statements;
use crate::text::near_duplicate::extra_words;
use crate::text::prose_mask::mask_non_prose;
use crate::text::sentences::sentences;
use crate::text::statement::Statement;

/// A sentence of a file outside the memory.
pub struct OutsideText {
    /// The path as the user gave it.
    pub file: String,
    /// The day of the last change, `YYYY-MM-DD`, where the system knows it.
    changed: Option<String>,
    /// The line on which the sentence starts, 1-based.
    pub line: usize,
    /// Index of its section.
    section: usize,
    pub text: String,
}

/// Reads the sentences of files outside the memory: of bullets and paragraphs, not of code, quotes or headings.
///
/// # Errors
/// `file_not_found`, `unsafe_file`, `not_text`, `too_large`, `io`; `scope_not_allowed` in a scope, for a file of the
/// parent memory or of another scope; `category_not_allowed` for a file of a memory that restricts the caller.
pub fn read_outside_texts(session: &Session, files: &[PathBuf]) -> Result<Vec<OutsideText>, Rejection> {
    session.require_outside(files)?;
    let reader = FolderReader { actor: &session.actor, is_agent: session.is_agent };
    files.iter().try_for_each(|file| require_readable(file, reader, None))?;
    let mut names = HashSet::new();
    let mut texts = Vec::new();
    for path in files.iter().filter(|path| names.insert(*path)) {
        let document = Document::from_bytes(outside_files::read(path)?).map_err(|error| decode_error(path, error))?;
        let changed = outside_files::modified(path)
            .and_then(|time| jiff::Timestamp::try_from(time).ok())
            .map(|time| time.to_zoned(session.now.time_zone().clone()).date().to_string());
        texts.extend(outside_texts(&path.display().to_string(), changed.as_deref(), &document));
    }
    Ok(texts)
}

/// The sentences of a document that messages call `file`; `changed` is the day of its last change.
pub fn outside_texts(file: &str, changed: Option<&str>, document: &Document) -> Vec<OutsideText> {
    let sentences = document_sentences(document).into_iter();
    sentences
        .map(|(line, section, text)| OutsideText {
            file: file.to_owned(),
            changed: changed.map(str::to_owned),
            line,
            section,
            text,
        })
        .collect()
}

fn decode_error(path: &Path, error: TextDecodeError) -> Rejection {
    let path = path.display();
    let message = match error {
        TextDecodeError::InvalidUtf8(at) => format!("'{path}' is not UTF-8 at byte {at}"),
        TextDecodeError::NulByte(at) => format!("'{path}' contains a NUL at byte {at}"),
    };
    Rejection::new(Code::NotText, message)
}

/// The sentences of a document, each with its line and the index of its section.
fn document_sentences(document: &Document) -> Vec<(usize, usize, String)> {
    let text = document.text();
    let bullets = document.bullets().iter().map(|b| b.text_start as usize..b.text_end as usize);
    let paragraphs = document.blocks().iter().filter(|block| block.kind == BlockKind::Paragraph);
    let mut ranges: Vec<_> = bullets.chain(paragraphs.map(|block| block.span.range())).collect();
    ranges.sort_by_key(|range| range.start);
    let (mut found, lines) = (Vec::new(), LineIndex::of(text));
    for range in ranges {
        let is_before = |s: &crate::document::Section| (s.heading.start as usize) <= range.start;
        let section = document.sections().partition_point(is_before).saturating_sub(1);
        // Line breaks within a paragraph end no sentence.
        let joined = text[range.clone()].replace(['\n', '\r'], " ");
        let masked = mask_non_prose(&joined);
        for sentence in sentences(&masked) {
            let at = sentence.as_ptr() as usize - masked.as_ptr() as usize;
            let line = lines.line(range.start + at);
            found.push((line, section, joined[at..at + sentence.len()].to_owned()));
        }
    }
    found
}

/// The statements of files outside the memory, with the words that they contain.
pub struct OutsideIndex<'a> {
    rows: Vec<(&'a OutsideText, Statement<'a>)>,
    by_word: HashMap<String, Vec<usize>>,
}

/// The indices of outside statements that one of the memory excludes, and of those that repeat it.
struct StatementMatches {
    contradicting: Vec<usize>,
    repeated: Vec<usize>,
}

/// What one file of the memory has in common with the files outside.
#[derive(Default)]
pub struct OutsideMatches {
    /// Contradictions: the section of the bullet, the index of the outside statement, and the finding.
    contradictions: Vec<(u32, usize, CheckFinding)>,
    /// Repetitions: the section of the bullet, and the index of the outside statement.
    repetitions: Vec<(u32, usize)>,
}

impl<'a> OutsideIndex<'a> {
    pub fn of(texts: &'a [OutsideText]) -> OutsideIndex<'a> {
        let rows: Vec<_> = texts.iter().map(|outside| (outside, Statement::of_item(&outside.text))).collect();
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (n, (_, statement)) in rows.iter().enumerate() {
            for word in words(statement) {
                by_word.entry(word.to_owned()).or_default().push(n);
            }
        }
        by_word.retain(|_, rows| rows.len() <= MAX_BULLETS_PER_WORD);
        OutsideIndex { rows, by_word }
    }

    /// The first outside statement that a text excludes.
    pub fn contradicting(&self, text: &str) -> Option<&'a OutsideText> {
        if self.rows.is_empty() {
            return None;
        }
        self.compare(&Statement::of_item(text)).contradicting.first().map(|n| self.rows[*n].0)
    }

    fn compare(&self, statement: &Statement<'_>) -> StatementMatches {
        let candidates: BTreeSet<usize> =
            words(statement).into_iter().filter_map(|word| self.by_word.get(word)).flatten().copied().collect();
        let repeated: Vec<usize> =
            candidates.iter().copied().filter(|&n| extra_words(statement, &self.rows[n].1) == Some(0)).collect();
        // A file that repeats the bullet in another section is about another subject in this one.
        let is_elsewhere = |n: usize| {
            let place = |n: usize| (&self.rows[n].0.file, self.rows[n].0.section);
            repeated.iter().any(|&r| place(r).0 == place(n).0 && place(r).1 != place(n).1)
        };
        let contradicts = |&n: &usize| !is_elsewhere(n) && compare_statements(statement, &self.rows[n].1).is_some();
        StatementMatches { contradicting: candidates.into_iter().filter(contradicts).collect(), repeated }
    }

    /// Compares the bullets of one file of the memory with all outside statements.
    pub fn matches(
        &self,
        journal: &[JournalEntry],
        path: &MemoryPath,
        document: &Document,
        level: FindingLevel,
    ) -> OutsideMatches {
        let mut matches = OutsideMatches::default();
        let (written, lines) = (WrittenTexts::of(journal, path), LineIndex::of(document.text()));
        for i in stating_bullets(document).filter(|_| !self.rows.is_empty()) {
            let bullet = &document.bullets()[i];
            let text = document.bullet_text(i);
            let StatementMatches { contradicting, repeated } = self.compare(&Statement::of_item(&text));
            for n in contradicting {
                let outside = self.rows[n].0;
                let line = lines.line(bullet.line_start as usize);
                let changed = outside.changed.as_ref().map_or(String::new(), |day| format!(" (changed {day})"));
                let place = format!("{}:{}{changed}", outside.file, outside.line);
                let message = format!("{} contradicts {place}", dated_handle(&written, document, i));
                let mut found = finding(path, line, 1, Code::Contradiction, level, message);
                found.against = Some(OutsideStatement {
                    path: outside.file.clone(),
                    line: outside.line,
                    text: outside.text.clone(),
                    changed: outside.changed.clone(),
                });
                matches.contradictions.push((bullet.section, n, found));
            }
            matches.repetitions.extend(repeated.into_iter().map(|n| (bullet.section, n)));
        }
        matches
    }
}

/// The label and the content words of a statement.
fn words<'s>(statement: &'s Statement<'_>) -> BTreeSet<&'s str> {
    statement.label_key.as_deref().into_iter().chain(statement.content().map(|token| token.key.as_str())).collect()
}

/// The contradictions of all files of the memory. An outside statement that the memory repeats in one section is about
/// the subject of that section, and contradicts no bullet of another one.
pub fn contradictions(files: Vec<OutsideMatches>) -> Vec<CheckFinding> {
    let mut repeated: HashMap<usize, Vec<(usize, u32)>> = HashMap::new();
    for (file, matches) in files.iter().enumerate() {
        for &(section, row) in &matches.repetitions {
            repeated.entry(row).or_default().push((file, section));
        }
    }
    let mut findings = Vec::new();
    for (file, matches) in files.into_iter().enumerate() {
        let same_subject =
            |section: u32, row: usize| repeated.get(&row).is_none_or(|places| places.contains(&(file, section)));
        findings.extend(
            matches
                .contradictions
                .into_iter()
                .filter(|(section, row, _)| same_subject(*section, *row))
                .map(|(.., f)| f),
        );
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_bullets_and_paragraphs_have_their_lines() {
        let text = "# Notes\n\nCity: Berlin\n\n- Uses `a.b` daily. Likes\n  jazz\n\n```sh\ncode\n```\n\n> quoted\n\n## Two\n\nOne line\nand another. Third\n";
        let expected = [
            (3, 1, "City: Berlin"),
            (5, 1, "Uses `a.b` daily."),
            (5, 1, "Likes   jazz"),
            (16, 2, "One line and another."),
            (17, 2, "Third"),
        ];
        let found = document_sentences(&Document::parse(text));
        let found: Vec<_> = found.iter().map(|(line, section, text)| (*line, *section, text.as_str())).collect();
        assert_eq!(found, expected);
    }
}
