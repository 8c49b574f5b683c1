//! Update, rm and add at every bullet of the real files: nothing else changes, and a second reader agrees.
//!
//! Runs on a sample; `MEMDIR_FULL=1` runs all of it. Never touches a disk.

use memdir::change::{Changeset, JournalEdit};
use memdir::document::{Document, DocumentEdit, InsertPosition, NewBullet, apply_edits};

use crate::support::corpus;
use crate::support::memory::full;
use crate::support::planning::{self, PlanInput};
use crate::support::second_parser::{self, line_of, one_item_more};

const NEW: &str = "Zebras graze at 7 in the morning";

/// The attempts and their results.
#[derive(Default)]
struct Tally {
    updates: usize,
    removes: usize,
    adds: usize,
    inserts: usize,
    refused: Vec<String>,
    /// A bullet whose text another one has too: it is named by place, not by handle.
    twins: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn all(&self) -> usize {
        self.updates + self.removes + self.adds + self.inserts
    }

    fn wrong(&mut self, what: String) {
        self.wrong.push(what);
    }
}

/// A file in one of its forms, and what the second reader sees of it.
struct Subject {
    name: String,
    memory: PlanInput,
    seen: second_parser::Seen,
}

/// Every `n`-th of what is tried, spread over files and places alike.
struct Sample {
    every: usize,
    at: usize,
}

impl Sample {
    fn takes(&mut self) -> bool {
        self.at += 1;
        self.at.is_multiple_of(self.every)
    }
}

#[test]
fn edits_at_every_bullet_of_real_files_touch_nothing_else() {
    let mut sample = Sample { every: if full() { 1 } else { 61 }, at: 0 };
    let mut tally = Tally::default();
    let real = corpus::real();
    if real.is_empty() {
        return; // the published package leaves them out
    }
    for (name, text) in real {
        let forms = std::iter::once(("as it is", text.clone())).chain(corpus::variants(&text));
        for (form, text) in forms {
            let memory = PlanInput::of(&text);
            let seen = second_parser::seen(&memory.document);
            let mut subject = Subject { name: format!("{name} ({form})"), memory, seen };
            every_bullet(&mut subject, &mut sample, &mut tally);
            every_section(&mut subject, &mut sample, &mut tally);
        }
    }
    println!(
        "{} updates, {} removals, {} adds, {} inserts; {} refused, {} twins, {} wrong",
        tally.updates,
        tally.removes,
        tally.adds,
        tally.inserts,
        tally.refused.len(),
        tally.twins,
        tally.wrong.len()
    );
    for line in tally.refused.iter().take(20) {
        println!("refused: {line}");
    }
    let first: Vec<&String> = tally.wrong.iter().take(20).collect();
    assert!(first.is_empty(), "{} wrong: {first:#?}", tally.wrong.len());
    assert!(tally.all() > if full() { 100_000 } else { 1_500 }, "only {}", tally.all());
    assert!(tally.refused.len() * 200 <= tally.all(), "{} of {} refused", tally.refused.len(), tally.all());
}

fn every_bullet(subject: &mut Subject, sample: &mut Sample, tally: &mut Tally) {
    for bullet in 0..subject.memory.document.bullets().len() {
        let document = &subject.memory.document;
        let handle = document.handle_name(bullet);
        let twins = document.bullets_by_handle(&handle).len() > 1;
        for what in [Doing::Update, Doing::Remove, Doing::Insert] {
            if !sample.takes() {
                continue;
            }
            match what {
                Doing::Insert => insert(subject, bullet, tally),
                _ if twins => tally.twins += 1,
                _ => planned(subject, bullet, &format!("@{handle}"), what, tally),
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Update,
    Remove,
    Insert,
}

fn planned(subject: &mut Subject, bullet: usize, rest: &str, what: Doing, tally: &mut Tally) {
    let label = format!("{} {what:?} {rest}", subject.name);
    let action = match what {
        Doing::Update => planning::update(rest, NEW),
        _ => planning::remove(rest),
    };
    *match what {
        Doing::Update => &mut tally.updates,
        _ => &mut tally.removes,
    } += 1;
    let changeset = match subject.memory.plan(action) {
        Ok(changeset) => changeset,
        Err(why) => return tally.refused.push(format!("{label}: {}", why[0])),
    };
    let before = &subject.memory.document;
    let one = before.bullets()[bullet];
    let place = match what {
        Doing::Update => one.text_start..one.text_end,
        _ => one.line_start..one.end,
    };
    if let Some(why) = touches_more(before, &changeset, place.start as usize..place.end as usize) {
        tally.wrong(format!("{label}: {why}"));
    }
    let after = Document::parse(text_of(&changeset));
    let now = second_parser::seen(&after);
    let Some(item) = subject.seen.item(line_of(before, one.marker)) else {
        return tally.wrong(format!("{label}: the second reader sees no item there"));
    };
    let expected = match what {
        Doing::Update => subject.seen.with(item, NEW),
        _ => Some(subject.seen.without(item)),
    };
    if expected.as_ref() != Some(&now.blocks) {
        tally.wrong(format!("{label}: the second reader disagrees: {}", first_difference(expected, &now.blocks)));
    }
}

fn first_difference(expected: Option<Vec<second_parser::Block>>, now: &[second_parser::Block]) -> String {
    let Some(expected) = expected else { return "the item has no text".into() };
    let at = expected.iter().zip(now).take_while(|(a, b)| a == b).count();
    format!("block {at}: {:?} became {:?}", expected.get(at), now.get(at))
}

/// An add behind one bullet, straight on the document: `add` itself only appends to sections.
fn insert(subject: &Subject, bullet: usize, tally: &mut Tally) {
    let label = format!("{} insert after bullet {bullet}", subject.name);
    tally.inserts += 1;
    let before = &subject.memory.document;
    let item = NewBullet { text: NEW.into(), ..NewBullet::default() };
    let edits = [DocumentEdit::Insert { at: InsertPosition::After(bullet), items: vec![item] }];
    match apply_edits(before, &edits) {
        Err(why) => tally.refused.push(format!("{label}: {}", why[0].reason)),
        Ok(done) => {
            if done.splices.iter().any(|s| !before.text()[s.start..s.end].trim().is_empty()) {
                tally.wrong(format!("{label}: it took something out: {:?}", done.splices));
            }
            if !one_item_more(&subject.seen.blocks, &second_parser::seen(&done.document).blocks, Some(NEW)) {
                tally.wrong(format!("{label}: the second reader disagrees"));
            }
        }
    }
}

fn every_section(subject: &mut Subject, sample: &mut Sample, tally: &mut Tally) {
    for section in 0..subject.memory.document.sections().len() {
        if !sample.takes() {
            continue;
        }
        let one = &subject.memory.document.sections()[section];
        if section > 0 && one.slug.is_empty() {
            continue;
        }
        let rest = if section == 0 { String::new() } else { format!("#{}", one.slug) };
        let label = format!("{} add {rest}", subject.name);
        tally.adds += 1;
        match subject.memory.plan(planning::add(&rest, NEW)) {
            Err(why) => tally.refused.push(format!("{label}: {}", why[0])),
            Ok(changeset) => {
                if let Some(why) = touches_more(&subject.memory.document, &changeset, 0..0) {
                    tally.wrong(format!("{label}: {why}"));
                }
                let now = second_parser::seen(&Document::parse(text_of(&changeset)));
                if !one_item_more(&subject.seen.blocks, &now.blocks, Some(NEW)) {
                    tally.wrong(format!("{label}: the second reader disagrees"));
                }
            }
        }
    }
}

fn text_of(changeset: &Changeset) -> String {
    String::from_utf8(planning::after(changeset).0.to_vec()).expect("UTF-8")
}

/// Why a change is not inside the place that it names (blank lines around it and the summary line excepted).
fn touches_more(before: &Document, changeset: &Changeset, place: std::ops::Range<usize>) -> Option<String> {
    let (after, edits) = planning::after(changeset);
    let mut rebuilt = before.text().to_owned();
    for edit in edits.iter().rev() {
        let range = edit.start..edit.start + edit.old.len();
        if rebuilt.get(range.clone()) != Some(&edit.old) {
            return Some(format!("an edit names a text that does not stand there: {edit:?}"));
        }
        rebuilt.replace_range(range, &edit.new);
    }
    if rebuilt.as_bytes() != &after[..] {
        return Some("the edits do not lead to the new text".into());
    }
    let harmless = |edit: &&JournalEdit| {
        let end = edit.start + edit.old.len();
        let inside = place.start <= edit.start && end <= place.end;
        inside || blank_but(edit, &place) || is_summary(before, edit)
    };
    let outside: Vec<&JournalEdit> = edits.iter().filter(|e| !harmless(e)).collect();
    (!outside.is_empty()).then(|| format!("touched outside of {place:?}: {outside:?}"))
}

/// Whether an edit takes out only blanks beyond the place (and, where the place is empty, nothing at all).
fn blank_but(edit: &JournalEdit, place: &std::ops::Range<usize>) -> bool {
    let end = edit.start + edit.old.len();
    let cut = |from: usize, to: usize| edit.old.get(from.saturating_sub(edit.start)..to.saturating_sub(edit.start));
    if place.is_empty() {
        return edit.old.trim().is_empty();
    }
    let left = cut(edit.start, place.start.clamp(edit.start, end));
    let right = cut(place.end.clamp(edit.start, end), end);
    let touches = edit.start < place.end && end > place.start;
    touches && [left, right].into_iter().flatten().all(|t| t.trim().is_empty())
}

/// Whether an edit is the summary line's.
fn is_summary(before: &Document, edit: &JournalEdit) -> bool {
    let end = edit.start + edit.old.len();
    let in_line =
        before.summary_line().is_some_and(|s| s.line.range().start <= edit.start && end <= s.line.range().end + 2);
    let new = edit.new.trim();
    in_line || (edit.old.trim().is_empty() && new.starts_with("> Summary:") && new.lines().count() == 1)
}
