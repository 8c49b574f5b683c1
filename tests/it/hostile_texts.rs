//! Hostile bullet texts as new texts and as selectors: none breaks out, none is changed on the way, none reaches a `try`.
//!
//! In process for all of them, through the program for some.

use std::collections::BTreeSet;

use memdir::code::Rejection;
use memdir::document::Document;
use memdir::operation::{Action, Target};
use serde_json::Value;

use crate::support::corpus;
use crate::support::memory::full;
use crate::support::planning::{self, FILE, PlanInput};
use crate::support::second_parser::{self, line_of, one_item_more};
use crate::support::test_dir::TestDirectory;

/// Texts around which a hostile one must not change anything. Each has a bullet `old`.
const AROUND: [&str; 6] = [
    "# T\n\n- first\n- old\n- last\n\n## S\n\n- more\n",
    "- first\r\n  * old\r\n    - below\r\n* last",
    "\u{feff}1. first\n\n2. old\n\n   more of it\n\n3. last [x]\n\n[x]: /u\n",
    "---\na: b\n---\n\n+ old\n  <!-- mem imp=7 -->\n\n```\n- code\n```\n",
    "<notes>\n\n- first\n- old\n</notes>\n\nText.\n",
    "> Summary: x\n\n-   old\n    - deep\n\nlast paragraph\n",
];

/// A text without the blanks around it that markdown does not see either. Other white space is the text's own.
fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

/// All texts; those that only end in a line break also without it.
fn as_they_are_and_trimmed() -> Vec<String> {
    let all = corpus::texts();
    let trimmed = all.iter().filter(|t| trimmed(t) != *t).map(|t| trimmed(t).to_owned()).collect::<Vec<_>>();
    [all, trimmed].concat()
}

fn old(memory: &PlanInput) -> usize {
    let document = &memory.document;
    (0..document.bullets().len()).find(|b| document.bullet_text(*b) == "old").expect("it is there")
}

#[test]
fn no_text_breaks_out_of_a_bullet_and_all_are_read_back_exactly_or_refused() {
    let (mut exact, mut refused, mut lines, mut wrong) = (0, 0, 0, Vec::new());
    for around in AROUND {
        let mut memory = PlanInput::of(around);
        let seen = second_parser::seen(&memory.document);
        let bullet = old(&memory);
        let handle = format!("@{}", memory.document.handle_name(bullet));
        let item = seen.item(line_of(&memory.document, memory.document.bullets()[bullet].marker)).expect("an item");
        for text in as_they_are_and_trimmed() {
            for action in [planning::update(&handle, &text), planning::add("", &text)] {
                let adds = matches!(action, Action::Add { .. });
                match memory.plan(action) {
                    Err(why) => {
                        refused += 1;
                        lines += usize::from(!trimmed(&text).contains(['\n', '\r']));
                        if let Some(leak) = leak(&memory.document, &why) {
                            wrong.push(format!("{text:?}: {leak}"));
                        }
                    }
                    Ok(changeset) if changeset.files.is_empty() => wrong.push(format!("{text:?}: nothing done")),
                    Ok(changeset) => {
                        exact += 1;
                        let after = Document::from_bytes(planning::after(&changeset).0.to_vec()).expect("text");
                        let ours = kept(&memory.document, &after, (!adds).then_some(bullet), trimmed(&text));
                        let now = second_parser::seen(&after);
                        let theirs = if adds {
                            one_item_more(&seen.blocks, &now.blocks, None)
                        } else {
                            same_but(&seen, item, &now)
                        };
                        if let Err(why) = ours {
                            wrong.push(format!("{text:?} {}: {why}", if adds { "added" } else { "in place" }));
                        } else if !theirs {
                            wrong.push(format!("{text:?} (added: {adds}) in {around:?}: the second reader disagrees"));
                        }
                    }
                }
            }
        }
    }
    println!("{exact} read back exactly, {refused} refused ({lines} of one line), {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    assert!(exact > 6 * corpus::texts().len(), "only {exact} were written");
}

/// Whether all bullets and headings but one are unchanged, and that one reads as wanted.
fn kept(before: &Document, after: &Document, updated: Option<usize>, wanted: &str) -> Result<(), String> {
    let raw = |d: &Document, skip: Option<usize>| -> Vec<String> {
        (0..d.bullets().len()).filter(|b| Some(*b) != skip).map(|b| d.bullet_raw(b).to_owned()).collect()
    };
    let titles = |d: &Document| (1..d.sections().len()).map(|s| d.section_title(s).into_owned()).collect::<Vec<_>>();
    let metas = |d: &Document| d.meta_lines().len();
    let new = match updated {
        Some(bullet) => bullet,
        None => (0..after.bullets().len())
            .find(|b| raw(after, Some(*b)) == raw(before, None))
            .ok_or("the other bullets are not what they were")?,
    };
    if raw(before, updated) != raw(after, Some(new)) {
        return Err("other bullets changed".into());
    }
    if titles(before) != titles(after) || metas(before) != metas(after) {
        return Err("headings or metadata changed".into());
    }
    match after.bullet_text(new) {
        text if text == wanted => Ok(()),
        text => Err(format!("reads back as {text:?}")),
    }
}

/// Whether the second reader sees the same blocks, the item's own text excepted.
fn same_but(before: &second_parser::Seen, item: usize, after: &second_parser::Seen) -> bool {
    let without_text = |seen: &second_parser::Seen| seen.with(item, "");
    without_text(before).is_some() && without_text(before) == without_text(after)
}

/// A word of a `try` command that is no address of a bullet in the file.
fn leak(document: &Document, refusals: &[Rejection]) -> Option<String> {
    let mut known: BTreeSet<String> = BTreeSet::from([FILE.to_owned(), String::new()]);
    for (dressed, plain) in document.sections().iter().map(|s| (format!("{FILE}#{}", s.slug), &s.slug)) {
        assert!(plain.is_empty() || dressed.len() > FILE.len());
        known.insert(dressed);
    }
    known.extend((0..document.bullets().len()).map(|b| format!("{FILE}@{}", document.handle_name(b))));
    let words = refusals.iter().flat_map(|r| &r.suggestions).flat_map(|h| &h.operands);
    words.into_iter().find(|w| !known.contains(*w)).map(|w| format!("a try holds {w:?}"))
}

/// A way to make a selector of a text.
type Select = fn(&str) -> Action;

#[test]
fn no_selector_is_printed_in_a_command_to_try() {
    const SELECTORS: [(&str, Select); 7] = [
        ("old", |t| Action::Update {
            at: planning::at(""),
            index: None,
            old: Some(t.into()),
            text: "new".into(),
            children: Vec::new(),
            meta: Vec::new(),
            archive: false,
        }),
        ("old at an index", |t| Action::Update {
            at: planning::at(""),
            index: Some(2),
            old: Some(t.into()),
            text: "new".into(),
            children: Vec::new(),
            meta: Vec::new(),
            archive: false,
        }),
        ("text", |t| Action::Remove {
            at: planning::at(""),
            index: None,
            text: Some(t.into()),
            archive: false,
            purge: None,
            forget: false,
            if_exists: false,
        }),
        ("handle", |t| planning::remove(&format!("@{t}"))),
        ("section", |t| planning::remove(&format!("#{t}"))),
        ("patch", |t| Action::Patch { at: planning::at(""), pairs: vec![(t.into(), "new".into())], archive: false }),
        ("address", |t| Action::Update {
            at: Target::Address(t.into()),
            index: None,
            old: None,
            text: "new".into(),
            children: Vec::new(),
            meta: Vec::new(),
            archive: false,
        }),
    ];
    let (mut refused, mut wrong) = (0, Vec::new());
    let mut memory = PlanInput::of(AROUND[0]);
    for text in corpus::texts() {
        for (name, select) in SELECTORS {
            if let Err(why) = memory.plan(select(&text)) {
                refused += 1;
                wrong.extend(leak(&memory.document, &why).map(|leak| format!("{name} {text:?}: {leak}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    assert!(refused > 5 * corpus::texts().len(), "only {refused} errors were made");
}

/// The texts that go through the program: every 13th, all of them with `MEMDIR_FULL=1`.
fn some() -> Vec<String> {
    let every = if full() { 1 } else { 13 };
    corpus::texts().into_iter().step_by(every).collect()
}

#[test]
fn through_the_program_a_text_is_refused_or_listed_exactly() {
    let mut exact = 0;
    for text in some().iter().filter(|t| !t.contains('\0') && t.len() < 100_000) {
        let directory = TestDirectory::new(&[("facts/user.md", AROUND[0])]);
        let added = directory.run(&["--json", "add", "user", "--", text]);
        // What clap would take off: one list marker in front.
        let meant = text.strip_prefix(['-', '*', '+']).filter(|t| t.starts_with([' ', '\t'])).unwrap_or(text);
        let meant = trimmed(meant);
        let listed = directory.bullets("user");
        match added.status {
            0 => {
                exact += 1;
                assert!(listed.contains(&meant.to_owned()), "{text:?}: {listed:?}");
                assert_eq!(listed.len(), 5, "{text:?}");
            }
            _ => {
                assert!([2, 5].contains(&added.status), "{text:?}: {}", added.stderr);
                assert_eq!(listed, ["first", "old", "last", "more"], "{text:?}");
                assert_eq!(directory.text("facts/user.md"), AROUND[0], "{text:?}");
                tries_are_addresses(&added.stderr, text);
            }
        }
    }
    assert!(exact * 10 > some().len(), "only {exact} were added");
}

#[test]
fn through_stdin_a_text_adds_bullets_and_changes_nothing_else() {
    for text in some() {
        let directory = TestDirectory::new(&[("facts/user.md", AROUND[0])]);
        let added = directory.run_with_stdin(&["--json", "add", "user#s"], text.as_bytes());
        let after = Document::parse(directory.text("facts/user.md"));
        let mut bullets = directory.bullets("user").into_iter();
        for known in ["first", "old", "last", "more"] {
            assert!(bullets.any(|b| b == known), "{text:?}: {known} is gone: {}", after.text());
        }
        assert_eq!(after.sections().len(), 3, "{text:?}: {}", after.text());
        if added.status != 0 {
            assert!([2, 5].contains(&added.status), "{text:?}: {}", added.stderr);
            assert_eq!(after.text(), AROUND[0], "{text:?}");
            tries_are_addresses(&added.stderr, &text);
        }
    }
}

/// Whether the commands of an error hold words of the grammar and addresses of the file only.
#[track_caller]
fn tries_are_addresses(error: &str, text: &str) {
    let error: Value = serde_json::from_str(error).unwrap_or_else(|e| panic!("{text:?}: {e}: {error:?}"));
    for line in error["try"].as_array().expect("try").iter().filter_map(Value::as_str) {
        let known = |word: &str| {
            word == "memdir" || word.starts_with("--") || word.starts_with("user") || word.starts_with("facts/user.md")
        };
        let verbs = ["list", "read", "rm", "help", "add", "update", "-f"];
        let odd: Vec<&str> = line.split(' ').filter(|w| !known(w) && !verbs.contains(w)).collect();
        assert!(odd.is_empty(), "{text:?}: {line}");
    }
}
