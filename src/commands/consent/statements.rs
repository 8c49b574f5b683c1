//! The statements that a change adds and removes, and how each may be read.
//!
//! Never decides which of them is sensitive.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use serde_json::Value;

use super::{ChangedText, ChangedTexts};
use crate::change::Changeset;
use crate::document::{Document, Handle, MetaKey};
use crate::path::MemoryPath;
use crate::reflect::guards;
use crate::text::invisible_chars::is_invisible;
use crate::text::prose_mask::split_label;
use crate::text::sentences::sentences;
use crate::text::strip_diacritics::compose_characters;
use crate::view::context::itemize;
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::ItemFacts;
use crate::view::query::items::ItemKind;

/// The longest value of a field whose label stands elsewhere, in characters: `Rome` below the heading `City`.
const MAX_VALUE_CHARS: usize = 30;
/// What may stand between a label and its value in place of a colon.
const SEPARATORS: [&str; 6] = [" | ", " — ", " – ", " = ", " - ", " → "];
/// Cyrillic and Greek letters that look like Latin ones, each followed by that one.
const LOOK_ALIKES: &str = "аaеeоoрpсcуyхxіiјjѕsһhԁdАAВBЕEКKМMНHОOРPСCТTХXІIΑAΒBΕEΙIΚKΜMΝNΟOΡPΤTΧXοoνv";

/// A sentence of a changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedStatement {
    pub text: String,
    /// What may be the label of a value: the heading above it, and the name of its file.
    labels: Vec<String>,
    /// Whether the same sentence stood elsewhere before, or stands elsewhere now, with other labels.
    pub moved: bool,
    /// Whether it stands in `procedures/`, which no context shows.
    pub in_procedures: bool,
}

impl ChangedStatement {
    /// How a person may read it: as it is written; without disguise, markup and comments; as the value of its heading.
    pub(super) fn readings(&self) -> Vec<String> {
        self.readings_below(&self.labels)
    }

    /// How a person may read it, wherever it stands.
    pub(super) fn own_readings(&self) -> Vec<String> {
        self.readings_below(&[])
    }

    fn readings_below(&self, labels: &[String]) -> Vec<String> {
        let own = self.text.strip_prefix("Summary: ").unwrap_or(&self.text);
        let (visible, comments) = without_comments(own);
        let mut all = vec![own.to_owned()];
        for part in [visible].into_iter().chain(comments.iter().flat_map(|comment| comment_values(comment))) {
            let plain = plain_text(&part);
            if plain.chars().count() <= MAX_VALUE_CHARS {
                all.extend(labels.iter().flat_map(|label| [format!("{label}: {plain}"), format!("{label} {plain}")]));
            }
            all.push(plain);
        }
        all
    }
}

/// The statements (sentences of paragraphs) that a change adds and those that it removes, each compared in all changed
/// files together, so that a move is neither, unless the labels above the statement differ: `Rome` that moves below the
/// heading `City`, or unless it moves into `procedures/`, which no context shows, or out of it. A bullet that gets a
/// last day, or an earlier one, is removed with all that is below it, and so is one that is tied to a git branch, by
/// itself. Derived summary lines do not count.
pub(super) fn changed_statements(
    changeset: &Changeset,
    texts: &ChangedTexts<'_>,
    fields: &[String],
) -> (Vec<ChangedStatement>, Vec<ChangedStatement>) {
    // A bullet that `rm --archive` takes out of the memory is removed, and one that `restore` brings back is added; one
    // that a limit evicts is moved. What `rm archive/…` takes out of the archive stands nowhere else.
    let crosses = |op: &Value| op == "rm" || op == "restore";
    let by_caller = changeset.operations.iter().any(|operation| operation.get("op").is_some_and(crosses));
    let is_crossed = |path: &str| by_caller && path.starts_with("archive/");
    let mut in_archive: BTreeMap<(String, Vec<String>), i64> = BTreeMap::new();
    // The texts of procedures for themselves.
    let mut by_text: HashMap<(bool, String), i64> = HashMap::new();
    let mut by_label: HashMap<(bool, String, Vec<String>), i64> = HashMap::new();
    let mut order: Vec<(bool, String, Vec<String>)> = Vec::new();
    let earlier = EarlierConcealments::of(texts);
    for ChangedText { file, before, after } in texts.0.iter().filter(|one| !one.file.path.is_in_inbox()) {
        let derived = file.summary.as_deref().unwrap_or_default();
        let is_summary = |text: &str| text.starts_with("Summary:");
        let (before, after) = (before.as_deref().unwrap_or(""), after.as_deref().unwrap_or(""));
        let after = &*without_newly_hidden(&file.path, after, &earlier);
        let (start, before_part, after_part) = differing_parts(before, after);
        let heading = after[..start].lines().rev().find(|line| line.starts_with('#')).unwrap_or_default();
        let heading = heading.trim_start_matches(['#', ' ']);
        let before = statements(before_part, heading).into_iter().filter(|(text, _)| !is_summary(text));
        let is_derived = |text: &str| is_summary(text) && derived.contains(text.trim_start_matches("Summary:").trim());
        let after = statements(after_part, heading).into_iter().filter(|(text, _)| !is_derived(text));
        for ((text, heading), sign) in before.map(|row| (row, -1)).chain(after.map(|row| (row, 1))) {
            let labels = guards::field_labels(&plain_text(&heading), &file.path, fields);
            if is_crossed(file.path.as_str()) {
                *in_archive.entry((text, labels)).or_default() += sign;
                continue;
            }
            let is_procedure = file.path.is_procedure();
            *by_text.entry((is_procedure, text.clone())).or_default() += sign;
            let key = (is_procedure, text, labels);
            *by_label.entry(key.clone()).or_insert_with(|| {
                order.push(key);
                0
            }) += sign;
        }
    }
    let is_restored = |text: &String| {
        [false, true].iter().any(|is| by_text.get(&(*is, text.clone())).is_some_and(|count| *count > 0))
    };
    let gone = in_archive.into_iter().filter(|((text, _), count)| *count < 0 && !is_restored(text));
    for key in gone.map(|((text, labels), _)| (false, text, labels)).collect::<Vec<_>>() {
        *by_text.entry((false, key.1.clone())).or_default() -= 1;
        *by_label.entry(key.clone()).or_insert_with(|| {
            order.push(key);
            0
        }) -= 1;
    }
    let with = |sign: i64| {
        let changed = order.iter().filter(|key| by_label[*key].signum() == sign);
        let statement = |(is_procedure, text, labels): &(bool, String, Vec<String>)| ChangedStatement {
            text: text.clone(),
            labels: labels.clone(),
            moved: by_text[&(*is_procedure, text.clone())].signum() != sign,
            in_procedures: *is_procedure,
        };
        changed.map(statement).collect()
    };
    (with(1), with(-1))
}

/// What keeps a bullet out of a context, today or later.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BulletConcealment {
    /// Its last valid day, or that of the bullet around it.
    last_day: Option<Date>,
    /// The git branch that it is for.
    branch: Option<String>,
}

/// The bullets of all changed files before a change, by their handles.
struct EarlierConcealments(HashMap<Handle, Vec<BulletConcealment>>);

impl EarlierConcealments {
    fn of(texts: &ChangedTexts<'_>) -> EarlierConcealments {
        let mut all: HashMap<Handle, Vec<BulletConcealment>> = HashMap::new();
        if texts.0.iter().any(|one| one.after.as_deref().is_some_and(may_conceal)) {
            for one in &texts.0 {
                let earlier = itemize(&one.file.path, Document::parse(one.before.as_deref().unwrap_or_default()));
                for (bullet, concealment) in concealments(&earlier) {
                    all.entry(earlier.document.handles()[bullet]).or_default().push(concealment);
                }
            }
        }
        EarlierConcealments(all)
    }

    /// Whether a bullet was valid for longer than it is with this concealment.
    fn last_longer(&self, handle: Handle, now: &BulletConcealment) -> bool {
        let lasts = |before: &BulletConcealment| {
            now.last_day.is_some() && before.last_day.is_none_or(|day| Some(day) > now.last_day)
        };
        self.0.get(&handle).is_some_and(|earlier| earlier.iter().any(lasts))
    }

    /// Whether a bullet was for no git branch, or for another.
    fn are_for_other_branches(&self, handle: Handle, now: &BulletConcealment) -> bool {
        let is_other = |before: &BulletConcealment| before.branch != now.branch;
        now.branch.is_some() && self.0.get(&handle).is_some_and(|earlier| earlier.iter().all(is_other))
    }
}

/// Whether a text can have bullets with a day of expiry or a branch.
fn may_conceal(text: &str) -> bool {
    [MetaKey::Exp, MetaKey::Branch].iter().any(|key| text.contains(key.name()))
}

/// The text of a file after a change, without what the change hides: who hides a bullet removes it. A branch hides the
/// bullet by itself, a last day also what is below it.
fn without_newly_hidden<'a>(path: &MemoryPath, after: &'a str, earlier: &EarlierConcealments) -> Cow<'a, str> {
    if !may_conceal(after) {
        return Cow::Borrowed(after);
    }
    let file = itemize(path, Document::parse(after));
    let mut hidden: Vec<std::ops::Range<usize>> = Vec::new();
    for (number, concealment) in concealments(&file) {
        let (bullet, handle) = (&file.document.bullets()[number], file.document.handles()[number]);
        let is_within = hidden.last().is_some_and(|whole| whole.contains(&(bullet.line_start as usize)));
        if earlier.last_longer(handle, &concealment) && !is_within {
            hidden.push(bullet.line_start as usize..bullet.end as usize);
        } else if earlier.are_for_other_branches(handle, &concealment) && !is_within {
            hidden.push(bullet.text_start as usize..bullet.text_end as usize);
        }
    }
    if hidden.is_empty() {
        return Cow::Borrowed(after);
    }
    let mut rest = after.to_owned();
    hidden.into_iter().rev().for_each(|range| rest.replace_range(range, ""));
    Cow::Owned(rest)
}

/// The bullets of a file, in its order, each with what keeps it out of a context.
fn concealments(file: &ItemizedFile) -> Vec<(usize, BulletConcealment)> {
    let origins = BulletOrigins::default();
    let facts = ItemFacts::new(file, &origins);
    let of_item = |item: usize| match file.items[item].kind {
        ItemKind::Bullet(number) => {
            let branch = facts.meta(item).valid(MetaKey::Branch).map(str::to_owned);
            Some((number as usize, BulletConcealment { last_day: facts.expires(item), branch }))
        }
        _ => None,
    };
    (0..file.items.len()).filter_map(of_item).collect()
}

/// A text without its HTML comments, and the comments.
fn without_comments(text: &str) -> (String, Vec<&str>) {
    let (mut visible, mut comments, mut rest) = (String::new(), Vec::new(), text);
    while let Some((before, after)) = rest.split_once("<!--") {
        visible.push_str(before);
        let (comment, after) = after.split_once("-->").unwrap_or((after, ""));
        comments.push(comment.trim());
        rest = after;
    }
    visible.push_str(rest);
    (visible, comments)
}

/// A comment, and the values of metadata in it: `mem note=City: Rome`.
fn comment_values(comment: &str) -> impl Iterator<Item = String> + '_ {
    let values = comment.match_indices('=').map(|(at, _)| comment[at + 1..].to_owned());
    [comment.to_owned()].into_iter().chain(values)
}

/// A text as it is read: without invisible characters, look-alikes of letters, tags and links; a category or a dash in
/// place of a label's colon becomes one.
fn plain_text(text: &str) -> String {
    let visible: String =
        text.chars().filter(|c| !is_invisible(*c) && !matches!(c, '\u{200c}' | '\u{200d}' | '\u{ad}')).collect();
    let composed = compose_characters(&visible).replace('：', ":");
    let mut plain = without_markup(&latin_letters(&composed));
    if let Some((category, rest)) = plain.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        plain = format!("{category}: {rest}");
    }
    match SEPARATORS.iter().filter_map(|separator| plain.split_once(separator)).min_by_key(|(label, _)| label.len()) {
        Some((label, value)) => format!("{label}: {}", value.trim_end_matches(['|', ' '])),
        None => plain,
    }
}

/// A text with Latin letters in words that mix them with letters that look alike.
fn latin_letters(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let pairs: Vec<char> = LOOK_ALIKES.chars().collect();
    let latin = |c: char| pairs.chunks_exact(2).find(|pair| pair[0] == c).map_or(c, |pair| pair[1]);
    let words = text.split_inclusive(|c: char| !c.is_alphanumeric());
    let read = |word: &str| {
        if word.chars().any(|c| c.is_ascii_alphabetic()) { word.chars().map(latin).collect() } else { word.to_owned() }
    };
    words.map(read).collect()
}

/// A text without tags, and with the names of links in place of them.
fn without_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '[']) {
        out.push_str(&rest[..at]);
        let after = &rest[at..];
        let tag = after.strip_prefix('<').and_then(|tag| tag.split_once('>'));
        let tag = tag.filter(|(name, _)| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/'));
        let wiki = after.strip_prefix("[[").and_then(|link| link.split_once("]]"));
        let link = after
            .strip_prefix('[')
            .and_then(|link| link.split_once("]("))
            .and_then(|(name, target)| Some((name, target.split_once(')')?.1)));
        rest = match (tag, wiki, link) {
            (Some((_, after)), ..) => after,
            (_, Some((name, after)), _) | (_, _, Some((name, after))) => {
                out.push_str(name);
                after
            }
            _ => {
                out.push_str(&after[..1]);
                &after[1..]
            }
        };
    }
    out.push_str(rest);
    out
}

/// Both texts without the paragraphs that they share at their start and end, and the length of that start in bytes: a
/// change of a long file reads only what it changes.
fn differing_parts<'a>(before: &'a str, after: &'a str) -> (usize, &'a str, &'a str) {
    let starts_paragraph = |line: &str| {
        let trimmed = line.trim();
        trimmed.is_empty() || trimmed.starts_with(['-', '*', '+', '#', '|']) || trimmed.starts_with("<!--")
    };
    // Lines that go into one paragraph are read together: a part begins with a line that no paragraph continues.
    let (mut start, mut at) = (0, 0);
    for (old, new) in before.split_inclusive('\n').zip(after.split_inclusive('\n')) {
        if starts_paragraph(old) && starts_paragraph(new) {
            start = at;
        }
        if old != new {
            break;
        }
        at += old.len();
    }
    let (before, after) = (&before[start..], &after[start..]);
    let (mut end, mut at) = (0, 0);
    for (old, new) in before.split_inclusive('\n').rev().zip(after.split_inclusive('\n').rev()) {
        if old != new {
            break;
        }
        at += old.len();
        if starts_paragraph(old) {
            end = at;
        }
    }
    (start, &before[..before.len() - end], &after[..after.len() - end])
}

/// The sentences of a markdown text, each with the heading above it, without list, quotation and heading markers; a
/// line that continues a paragraph belongs to it. `heading` is the one above the text.
fn statements(text: &str, heading: &str) -> Vec<(String, String)> {
    let mut paragraphs: Vec<(String, String)> = Vec::new();
    let mut heading = heading.to_owned();
    let mut open = false;
    for line in text.lines() {
        let trimmed = line.trim();
        let plain = without_number(without_markers(trimmed));
        if trimmed.starts_with('#') {
            plain.clone_into(&mut heading);
        }
        // "City: Berlin" is a line of its own, in front matter as well as in prose.
        let starts = plain.len() != trimmed.len() || trimmed.starts_with("<!--") || split_label(plain).is_some();
        match paragraphs.last_mut().filter(|_| open && !starts && !trimmed.is_empty()) {
            Some((paragraph, _)) => {
                paragraph.push(' ');
                paragraph.push_str(plain);
            }
            None if !plain.is_empty() => paragraphs.push((plain.to_owned(), heading.clone())),
            None => {}
        }
        open = !plain.is_empty() && !trimmed.starts_with(['#', '|']) && !trimmed.starts_with("<!--");
    }
    let split = |(paragraph, heading): &(String, String)| {
        let of_paragraph = sentences(paragraph).into_iter().map(|s| (s.trim().to_owned(), heading.clone()));
        of_paragraph.collect::<Vec<_>>()
    };
    paragraphs.iter().flat_map(split).collect()
}

/// A line without the markers of lists, quotations, headings and tables. The plus of a telephone number is kept.
fn without_markers(line: &str) -> &str {
    let mut rest = line;
    loop {
        let plain = rest.trim_start_matches(['-', '*', '>', '#', '|', ' ', '\t']);
        match plain.strip_prefix('+').filter(|after| after.starts_with([' ', '\t']) || after.is_empty()) {
            Some(after) => rest = after,
            None => return plain,
        }
    }
}

/// A line without the number of an ordered list.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(text) if rest.len() != line.len() => text.trim_start(),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(text: &str, labels: &[&str]) -> Vec<String> {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        ChangedStatement { text: text.into(), labels, moved: false, in_procedures: false }.readings()
    }

    #[test]
    fn a_disguised_label_is_read() {
        for text in [
            "City — Rome",
            "city = Rome",
            "[City](x): Rome",
            "[city] Rome",
            "City | Rome |",
            "<b>City</b>: Rome",
            "Ｃｉｔｙ： Rome",
            "Сity: Rome",
            "Ci\u{200b}ty: Rome",
            "likes tea <!-- City: Rome -->",
            "<!-- mem note=City: Rome -->",
            "Summary: City: Rome",
        ] {
            let read = readings(text, &[]);
            assert!(read.iter().any(|reading| reading.eq_ignore_ascii_case("city: rome")), "{text} {read:?}");
        }
        assert!(readings("lives in [[Rome]]", &[]).contains(&"lives in Rome".to_owned()));
        assert!(readings("Rome", &["City"]).contains(&"City: Rome".to_owned()));
        assert_eq!(readings("a < b and [x]", &[]), ["a < b and [x]", "a < b and [x]"]);
    }

    #[test]
    fn a_value_is_read_with_the_heading_above_it() {
        let of =
            |text, heading| statements(text, heading).into_iter().map(|(s, h)| format!("{h}/{s}")).collect::<Vec<_>>();
        assert_eq!(of("- Oslo\n\n## City\n\n- Rome\n", "Work"), ["Work/Oslo", "City/City", "City/Rome"]);
    }

    #[test]
    fn statements_are_the_sentences_of_paragraphs_without_markers() {
        let text = "---\ntags: a\ncity: Berlin\n---\n# User\n\n> Summary: city\n\n- Lives in\n  Austin. Likes jazz\n  - Below\n1. One\n\nProse\ngoes on\n";
        let expected = [
            "tags: a",
            "city: Berlin",
            "User",
            "Summary: city",
            "Lives in Austin.",
            "Likes jazz",
            "Below",
            "One",
            "Prose goes on",
        ];
        assert_eq!(statements(text, "").into_iter().map(|(text, _)| text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_two_texts_share_is_not_read() {
        for (before, after, parts) in [
            ("- a\n- b\n- c\n", "- a\n- x\n- c\n", ("- b\n", "- x\n")),
            ("- a\n", "- a\n- b\n", ("- a\n", "- a\n- b\n")),
            ("", "- a\n", ("", "- a\n")),
            // A line that continues a paragraph is read with its beginning, and with its end.
            (
                "- a\n- Lives in\n  Cork\n- c\n",
                "- a\n- Lives in\n  Bonn\n- c\n",
                ("- Lives in\n  Cork\n", "- Lives in\n  Bonn\n"),
            ),
            ("One\ntwo\nthree\n\nend\n", "One\n2\nthree\n\nend\n", ("One\ntwo\nthree\n", "One\n2\nthree\n")),
            ("- same\n", "- same\n", ("", "")),
        ] {
            let (_, old, new) = differing_parts(before, after);
            let rest = |part: &str| statements(part, "");
            assert!(before.contains(old) && after.contains(new), "{before:?} {after:?}");
            assert_eq!((rest(old), rest(new)), (rest(parts.0), rest(parts.1)), "{before:?} {after:?}");
        }
    }
}
