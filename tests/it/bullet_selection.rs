//! ARCHITECTURE.md, "Which bullet is meant": each combination of name, index, text, proof and command has one outcome.
//!
//! The expected outcome is computed by `expected_outcome`, written from the eight rules on a plain list of texts. It
//! shares no code with the planner.

use memdir::change::{Changeset, EffectSign, Etag, FileVersion};
use memdir::code::{Code, Rejection};
use memdir::document::{Document, RecordedUpdates};
use memdir::operation::{
    Action, FileHistory, MissingInput, Operation, PastText, PlanContext, PlanOutcome, Snapshot, Target, plan,
};
use memdir::path::{MemoryPath, PathPrefixes};
use memdir::policy::Policy;
use serde_json::json;

use crate::support::{Memory, NOW, handle};

const PATH: &str = "procedures/p.md";

const TEXT: &str = "\
# P

- Prefers tabs
- Lives in Austin
- Said twice

## Work

- Said twice
- Has an id
  <!-- mem id=mem7 -->
";

/// The file's text before an outside edit rephrased one bullet.
const PAST: &str = "\
# P

- Prefers tabs
- Lived in Denver
- Said twice

## Work

- Said twice
- Has an id
  <!-- mem id=mem7 -->
";

/// The bullets in file order: text, whether it is in `## Work`.
const BULLETS: [(&str, bool); 5] = [
    ("Prefers tabs", false),
    ("Lives in Austin", false),
    ("Said twice", false),
    ("Said twice", true),
    ("Has an id", true),
];
const GONE: &str = "Lived in Denver";
const NOWHERE: &str = "Plays the cello";
const FRESH: &str = "Prefers spaces";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Name {
    None,
    Handle(&'static str),
    Id,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Seen {
    None,
    Stale,
    Current,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    /// Addressed by `#work` rather than by the file.
    work: bool,
    name: Name,
    index: Option<i64>,
    text: Option<&'static str>,
    seen: Seen,
    force: bool,
    /// The new text of an update; none for an rm.
    new: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Act(usize),
    Warn(usize, Code),
    Same(usize),
    Refuse(Code),
}
use Outcome::{Act, Refuse, Same, Warn};

/// The bullets of the file, or of the section, that have a text.
fn standing(case: &Case, text: &str) -> Vec<usize> {
    (0..BULLETS.len()).filter(|&i| BULLETS[i].0 == text && (!case.work || BULLETS[i].1)).collect()
}

/// The eight rules, first match wins; then what follows the choice.
fn expected_outcome(case: &Case) -> Outcome {
    let chosen = rules(case);
    let (bullet, warned) = match chosen {
        Act(i) => (i, None),
        Warn(i, code) => (i, Some(code)),
        other => return other,
    };
    let Some(new) = case.new else { return chosen };
    if BULLETS[bullet].0 == new {
        return Same(bullet);
    }
    if BULLETS.iter().any(|(text, work)| *text == new && *work == BULLETS[bullet].1) {
        return Refuse(Code::Duplicate);
    }
    warned.map_or(Act(bullet), |code| Warn(bullet, code))
}

fn rules(case: &Case) -> Outcome {
    let current = case.seen == Seen::Current;
    let scope: Vec<usize> = (0..BULLETS.len()).filter(|&i| !case.work || BULLETS[i].1).collect();
    let usable = case.index.and_then(|n| scope.get(usize::try_from(n.checked_sub(1)?).ok()?).copied());
    match (case.name, case.index, case.text) {
        // 1
        (Name::None, None, None) => Refuse(Code::Usage),
        // 2
        (Name::None, ..) => unnamed(case, current, usable),
        (name, index, text) => {
            let named = match name {
                Name::Id => vec![4],
                // A handle names bullets of the whole file; a section in the address distinguishes equal ones.
                Name::Handle(of) => {
                    let all: Vec<usize> = (0..BULLETS.len()).filter(|&i| BULLETS[i].0 == of).collect();
                    let here = standing(case, of);
                    if here.is_empty() { all } else { here }
                }
                Name::None => unreachable!(),
            };
            let one = match (named.as_slice(), usable) {
                ([], _) => {
                    let known = name == Name::Handle(GONE);
                    return Refuse(if known { Code::BulletChanged } else { Code::BulletNotFound });
                }
                ([one], _) => *one,
                (several, Some(at)) if several.contains(&at) => at,
                _ => return Refuse(Code::AmbiguousBullet),
            };
            if index.is_some() && usable != Some(one) || text.is_some_and(|t| t != BULLETS[one].0) {
                return Refuse(Code::TextMismatch);
            }
            if name == Name::Id && text.is_none() && !current && !case.force {
                Refuse(Code::NeedsProof)
            } else {
                Act(one)
            }
        }
    }
}

/// Rules 3 to 8.
fn unnamed(case: &Case, current: bool, usable: Option<usize>) -> Outcome {
    let Some(text) = case.text else {
        // 3
        return match usable {
            None => Refuse(Code::BulletNotFound),
            Some(at) if current || case.force => Act(at),
            Some(_) => Refuse(Code::NeedsProof),
        };
    };
    let stands = standing(case, text);
    if let Some(at) = usable
        && BULLETS[at].0 == text
    {
        return Act(at); // 5
    }
    match (stands.as_slice(), case.index) {
        // 4 and 8
        ([one], None) => Act(*one),
        ([_, _, ..], _) => Refuse(Code::AmbiguousBullet),
        // 6
        ([], _) => {
            // No update is recorded.
            if let (Some(new), Some(at), true) = (case.new, usable, current)
                && BULLETS[at].0 == new
            {
                return Same(at);
            }
            match (usable, current, case.new) {
                (Some(at), true, Some(_)) => Warn(at, Code::TextMismatch),
                (Some(_), true, None) => Refuse(Code::TextMismatch),
                _ => Refuse(if text == GONE { Code::BulletChanged } else { Code::BulletNotFound }),
            }
        }
        // 7
        ([one], Some(_)) => match (current, usable, case.new) {
            (false, ..) => Warn(*one, Code::IndexMoved),
            (true, None, _) => Refuse(Code::BulletNotFound),
            (true, Some(at), Some(_)) => Warn(at, Code::TextMismatch),
            (true, Some(_), None) => Refuse(Code::TextMismatch),
        },
    }
}

/// The file after an outcome, line by line.
fn after(outcome: &Outcome, new: Option<&str>) -> String {
    let (Act(bullet) | Warn(bullet, _)) = outcome else { return TEXT.to_owned() };
    let mut lines: Vec<String> = TEXT.lines().map(str::to_owned).collect();
    let at = (0..lines.len()).filter(|&l| lines[l].starts_with("- ")).nth(*bullet).unwrap();
    match new {
        Some(new) => lines[at] = format!("- {new}"),
        None => {
            lines.remove(at);
            if *bullet == 4 {
                lines.remove(at);
            }
        }
    }
    lines.join("\n") + "\n"
}

fn path(text: &str) -> MemoryPath {
    MemoryPath::new(text).unwrap()
}

/// A snapshot that knows some files, and of each what it read before.
struct World {
    snapshot: Snapshot,
}

impl World {
    fn of(files: &[(&str, &str, &str)]) -> World {
        let mut snapshot = Snapshot::new();
        snapshot.set_file_names(files.iter().map(|f| path(f.0)).collect());
        for (name, now, before) in files {
            snapshot.insert_file(path(name), Ok(Some(FileVersion::new(now.as_bytes().to_vec(), 0o600))));
            let past = PastText {
                rev: Some(3),
                actor: "ann".into(),
                document: Document::parse(*before),
                updates: RecordedUpdates::default(),
                archived: RecordedUpdates::default(),
                moves: Vec::new(),
            };
            snapshot.insert_history(
                path(name),
                FileHistory {
                    last_written: Some(Document::parse(*before)),
                    past: vec![past],
                    ..FileHistory::default()
                },
            );
            snapshot.insert_last_summary(path(name), None);
        }
        World { snapshot }
    }

    /// Plans; every other input does not exist.
    fn plan(&mut self, ops: &[Operation], policy: &Policy, force: bool) -> Result<Changeset, Vec<Rejection>> {
        let now = NOW.parse::<jiff::Timestamp>().unwrap().to_zoned(jiff::tz::TimeZone::UTC);
        let prefixes = PathPrefixes::default();
        let cx = PlanContext {
            policy,
            prefixes: &prefixes,
            now: &now,
            actor: "tester",
            force,
            create: false,
            allow_reserved: false,
            links: None,
        };
        for _ in 0..20 {
            match plan(&self.snapshot, ops, &cx)? {
                PlanOutcome::Ready(changeset) => return Ok(*changeset),
                PlanOutcome::NeedsInput(wants) => wants.into_iter().for_each(|want| self.learn(want)),
            }
        }
        panic!("planning never comes to an end: {ops:?}");
    }

    fn learn(&mut self, want: MissingInput) {
        let s = &mut self.snapshot;
        match want {
            MissingInput::File(path) => s.insert_file(path, Ok(None)),
            MissingInput::FileNames => s.set_file_names(Vec::new()),
            MissingInput::TopFolder(name) => s.insert_top_folder(name, false),
            MissingInput::IdHolders(id) => s.insert_id_holders(id, Vec::new()),
            MissingInput::Backlinks(path) => s.insert_backlinks(path, Vec::new()),
            MissingInput::LastSummary(path) => s.insert_last_summary(path, None),
            MissingInput::History(path) => s.insert_history(path, FileHistory::default()),
            MissingInput::RelatedFiles { text, .. } => s.insert_related_files(text, Vec::new()),
        }
    }
}

fn operation(action: Action, seen: Option<String>) -> Operation {
    Operation { action, seen, if_match: None, reason: None, source: None }
}

fn operation_of(case: &Case) -> Operation {
    let bullet = match case.name {
        Name::None => String::new(),
        Name::Handle(text) => format!("@{}", handle(text)),
        Name::Id => "@mem7".into(),
    };
    let at = Target::Address(format!("{PATH}{}{bullet}", if case.work { "#work" } else { "" }));
    let seen = match case.seen {
        Seen::None => None,
        Seen::Stale => Some(Etag::of(PAST.as_bytes()).short()),
        Seen::Current => Some(Etag::of(TEXT.as_bytes()).short()),
    };
    let text = case.text.map(str::to_owned);
    let action = match case.new {
        Some(new) => Action::Update {
            at,
            index: case.index,
            old: text,
            text: new.into(),
            children: Vec::new(),
            meta: Vec::new(),
            archive: false,
        },
        None => {
            Action::Remove { at, index: case.index, text, archive: false, purge: None, forget: false, if_exists: false }
        }
    };
    operation(action, seen)
}

/// The planner's result for a case.
fn planned(world: &mut World, case: &Case) -> (Outcome, String) {
    let op = operation_of(case);
    match world.plan(std::slice::from_ref(&op), &Policy::default(), case.force) {
        Err(refused) => {
            assert_eq!(refused.len(), 1, "{case:?}");
            (Refuse(refused[0].code), TEXT.to_owned())
        }
        Ok(changeset) => {
            let effect = &changeset.effects[0];
            // Equal texts have equal handles: their sections distinguish them.
            let section = |i: usize| if BULLETS[i].1 { Some("work") } else { Some("p") };
            let names = |i: &usize| {
                effect.handle.as_deref() == Some(handle(BULLETS[*i].0).as_str())
                    && effect.section.as_deref() == section(*i)
            };
            let text = match changeset.files.first().and_then(|f| f.after.clone()) {
                Some(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
                None => TEXT.to_owned(),
            };
            let bullet = (0..BULLETS.len()).find(names).unwrap_or(usize::MAX);
            let outcome = match (changeset.warnings.first(), effect.sign) {
                (_, EffectSign::Unchanged) => Same(bullet),
                (Some(warning), _) => Warn(bullet, warning.code),
                (None, _) => Act(bullet),
            };
            (outcome, text)
        }
    }
}

fn cases() -> Vec<Case> {
    let names = [
        Name::None,
        Name::Handle("Prefers tabs"),
        Name::Handle("Said twice"),
        Name::Handle("Has an id"),
        Name::Handle(GONE),
        Name::Handle(NOWHERE),
        Name::Id,
    ];
    let indexes =
        [None, Some(i64::MIN), Some(-1), Some(0), Some(1), Some(2), Some(3), Some(5), Some(6), Some(i64::MAX)];
    let texts = [
        None,
        Some("Prefers tabs"),
        Some("Lives in Austin"),
        Some("Said twice"),
        Some("Has an id"),
        Some(GONE),
        Some(NOWHERE),
    ];
    let news = [None, Some(FRESH), Some("Prefers tabs"), Some("Said twice"), Some("Has an id")];
    let mut all = Vec::new();
    for work in [false, true] {
        for name in names {
            // FILE#SECTION@HANDLE is no address, but FILE#SECTION with an index and a text is.
            for index in indexes {
                for text in texts {
                    for seen in [Seen::None, Seen::Stale, Seen::Current] {
                        for force in [false, true] {
                            for new in news {
                                all.push(Case { work, name, index, text, seen, force, new });
                            }
                        }
                    }
                }
            }
        }
    }
    all
}

#[test]
fn every_combination_has_the_outcome_that_the_eight_rules_give() {
    let mut world = World::of(&[(PATH, TEXT, PAST)]);
    let (mut counted, mut wrong) = (std::collections::BTreeMap::<String, usize>::new(), Vec::new());
    for case in cases() {
        // An rm without a selector removes the section or file: another rule, tested below.
        if case.new.is_none() && case.name == Name::None && case.index.is_none() && case.text.is_none() {
            continue;
        }
        let expected = expected_outcome(&case);
        let (outcome, text) = planned(&mut world, &case);
        if outcome != expected || text != after(&expected, case.new) {
            wrong.push(format!("{case:?}\n  expected {expected:?}, got {outcome:?}\n{text}"));
        }
        let kind = match expected {
            Act(_) => "act".to_owned(),
            Warn(_, code) => format!("warn {}", code.name()),
            Same(_) => "same".to_owned(),
            Refuse(code) => code.name().to_owned(),
        };
        *counted.entry(kind).or_default() += 1;
    }
    assert!(wrong.is_empty(), "{} cases differ, the first:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    // The table reaches every kind of outcome, so that none of them is proven by nothing.
    let kinds: Vec<&str> = counted.keys().map(String::as_str).collect();
    let all = [
        "act",
        "ambiguous_bullet",
        "bullet_changed",
        "bullet_not_found",
        "duplicate",
        "needs_proof",
        "same",
        "text_mismatch",
        "usage",
        "warn index_moved",
        "warn text_mismatch",
    ];
    assert_eq!(kinds, all);
    assert!(counted.values().sum::<usize>() > 25_000, "{counted:?}");
}

/// Plans one operation of the wire's dialect on some files (each with the text it had).
#[track_caller]
fn check(files: &[(&str, &str, &str)], policy: &str, ops: &str) -> Result<Changeset, Vec<Rejection>> {
    let batch = memdir::operation::dialects::parse_batch(ops).unwrap();
    World::of(files).plan(&batch.operations, &memdir::policy::load(policy).policy, false)
}

/// One file's text after an operation.
#[track_caller]
fn becomes(text: &str, past: &str, policy: &str, ops: &str) -> String {
    let changeset = check(&[(PATH, text, past)], policy, ops).unwrap();
    match changeset.files.first() {
        Some(file) => String::from_utf8(file.after.clone().unwrap().to_vec()).unwrap(),
        None => text.to_owned(),
    }
}

#[track_caller]
fn code(text: &str, past: &str, policy: &str, ops: &str) -> Code {
    check(&[(PATH, text, past)], policy, ops).unwrap_err()[0].code
}

const LINE: &str = "  <!-- mem id=mem7 imp=9 pin=true -->\n";

#[test]
fn a_metadata_line_that_appears_under_another_bullet_is_inert() {
    let left = format!("- Age is 30\n- Lives in Denver\n{LINE}");
    let stray = format!("- Age is 30\n{LINE}");
    let rm = r#"{"op":"rm","at":"procedures/p.md@mem7","text":"Age is 30"}"#;
    assert_eq!(code(&stray, &left, "", rm), Code::BulletChanged);
    // A person wrote the line: nothing had it before.
    assert_eq!(becomes(&stray, "- Age is 30\n", "", rm), "");
    // An update states the bullet's metadata: the stray line is removed.
    let set =
        r#"{"op":"set","at":"procedures/p.md@HANDLE","meta":{"imp":"3"}}"#.replace("HANDLE", &handle("Age is 30"));
    assert_eq!(becomes(&stray, &left, "", &set), "- Age is 30\n  <!-- mem imp=3 -->\n");
    assert_eq!(becomes(&stray, "- Age is 30\n", "", &set), "- Age is 30\n  <!-- mem id=mem7 imp=3 pin=true -->\n");
}

const COMPACT: &str = "version: 1\nlimits:\n  - {at: \"procedures/*.md\", bullets: 2, on_limit: compact}\n";
const REFUSE: &str = "version: 1\nlimits:\n  - {at: \"procedures/*.md\", bullets: 2}\n";

#[test]
fn a_stray_metadata_line_pins_nothing() {
    let left = format!("- one\n- gone\n{LINE}- two\n");
    let stray = format!("- one\n{LINE}- two\n");
    let add = r#"{"op":"add","at":"procedures/p.md","text":"three"}"#;
    assert_eq!(becomes(&stray, &left, COMPACT, add), "- two\n- three\n");
    // Where the line is the bullet's own, it is pinned and the next oldest goes.
    assert_eq!(becomes(&stray, &stray, COMPACT, add), format!("- one\n{LINE}- three\n"));
}

#[test]
fn a_limit_refuses_and_lists_the_least_valuable_bullets_or_archives_them_and_reports_it() {
    let text = "- one\n  <!-- mem imp=9 -->\n- two\n";
    let add = r#"{"op":"add","at":"procedures/p.md","text":"three"}"#;
    let refused = check(&[(PATH, text, text)], REFUSE, add).unwrap_err();
    assert_eq!(refused[0].code, Code::LimitReached);
    let listed: Vec<_> =
        refused[0].details["candidates"].as_array().unwrap().iter().map(|c| c["text"].clone()).collect();
    assert_eq!(listed, ["two", "one"]);
    let made = check(&[(PATH, text, text)], COMPACT, add).unwrap();
    let files: Vec<_> = made.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(files, [PATH, "archive/procedures/p.md"]);
    assert_eq!(made.warnings[0].code, Code::LimitReached);
    assert_eq!(made.warnings[0].details["archive"], "archive/procedures/p.md");
    // Removing and rephrasing are always allowed, even where a file is over its limit already.
    let over = "- one\n- two\n- three\n";
    assert_eq!(becomes(over, over, REFUSE, r#"{"op":"rm","at":"procedures/p.md","text":"one"}"#), "- two\n- three\n");
    let update = r#"{"op":"update","at":"procedures/p.md","old":"one","text":"uno"}"#;
    assert_eq!(becomes(over, over, REFUSE, update), "- uno\n- two\n- three\n");
}

#[test]
fn what_follows_the_choice() {
    let text = "- Prefers tabs\n- Vegan since 2024\n";
    let op = |op: &str, rest: &str| format!(r#"{{"op":"{op}","at":"procedures/p.md",{rest}}}"#);
    let same = |ops: &str| check(&[(PATH, text, text)], "", ops).unwrap().effects[0].sign;
    assert_eq!(
        code(text, text, "", &op("update", r#""old":"Prefers tabs","text":"Vegan since 2024""#)),
        Code::Duplicate
    );
    assert_eq!(same(&op("update", r#""old":"Prefers tabs","text":"Prefers  tabs""#)), EffectSign::Unchanged);
    assert_eq!(same(&op("add", r#""text":"Prefers tabs""#)), EffectSign::Unchanged);
    let long = "- Drinks dark roast coffee in the morning\n";
    let near = r#""text":"Drinks dark roast coffee in the mornings""#;
    let near = check(&[(PATH, long, long)], "", &op("add", near)).unwrap();
    assert_eq!((near.warnings[0].code, near.files.len()), (Code::NearDuplicate, 1));
    let rest = r#""text":"Prefers tabs","if_match":"0123456789""#;
    assert!(check(&[(PATH, text, text)], "", &op("add", rest)).unwrap().files.is_empty());
    let refused = check(&[(PATH, text, text)], "", &op("add", r#""text":"new","if_match":"0123456789""#)).unwrap_err();
    assert_eq!(refused[0].code, Code::Conflict);
    assert_eq!(refused[0].details["etag"], Etag::of(text.as_bytes()).short());
}

#[test]
fn if_match_proves_what_seen_proves() {
    let etag = Etag::of(TEXT.as_bytes()).short();
    let op = |etag: &str, rest: &str| format!(r#"{{"op":"rm","at":"procedures/p.md{rest},"if_match":"{etag}"}}"#);
    assert_eq!(becomes(TEXT, PAST, "", &op(&etag, r#"@mem7""#)), after(&Act(4), None));
    assert_eq!(becomes(TEXT, PAST, "", &op(&etag, r#"","index":1"#)), after(&Act(0), None));
    assert_eq!(code(TEXT, PAST, "", &op("0123456789", r#"@mem7""#)), Code::Conflict);
    assert_eq!(code(TEXT, PAST, "", &op("0123456789", r#"","index":1"#)), Code::Conflict);
    assert_eq!(code(TEXT, PAST, "", &op("0123456789", r#"","index":99"#)), Code::Conflict);
}

#[test]
fn a_rm_without_a_selector_takes_the_whole_and_needs_proof_of_it() {
    let rm = r#"{"op":"rm","at":"procedures/p.md#work"}"#;
    assert_eq!(code(TEXT, PAST, "", rm), Code::NeedsProof);
    let seen = Etag::of(&TEXT.as_bytes()[TEXT.find("## Work").unwrap()..]).short();
    let rm = format!(r#"{{"op":"rm","at":"procedures/p.md#work","seen":"{seen}"}}"#);
    assert_eq!(becomes(TEXT, PAST, "", &rm), TEXT[..TEXT.find("\n## Work").unwrap()]);
}

#[test]
fn stamps_are_written_only_if_the_policy_requires_them_and_ids_only_on_request() {
    let text = "- Prefers tabs\n- Updated: 2025-01-01\n";
    let add = r#"{"op":"add","at":"procedures/p.md","text":"new","source":"chat-1"}"#;
    assert_eq!(becomes(text, text, "", add), format!("{text}- new\n"));
    let all = "version: 1\nstamps: [added, by, upd, src, updated]\n";
    assert_eq!(
        becomes(text, text, all, add),
        "- Prefers tabs\n- Updated: 2026-02-24\n- new\n  <!-- mem src=chat-1 by=tester added=2026-02-24 -->\n"
    );
    let update = r#"{"op":"update","at":"procedures/p.md","old":"Prefers tabs","text":"Prefers spaces"}"#;
    let only = "version: 1\nstamps: [updated]\n";
    assert_eq!(becomes(text, text, only, update), "- Prefers spaces\n- Updated: 2026-02-24\n");
    let own = r#"{"op":"update","at":"procedures/p.md","old":"Updated: 2025-01-01","text":"Updated: 2025-06-01"}"#;
    assert_eq!(becomes(text, text, only, own), "- Prefers tabs\n- Updated: 2025-06-01\n");
}

#[test]
fn names_of_new_files_are_checked_against_existing_ones() {
    let files = [("facts/user.md", "- x\n", "- x\n")];
    let add = |at: &str, more: &str| check(&files, "", &format!(r#"{{"op":"add","at":"{at}","text":"y"{more}}}"#));
    assert_eq!(add("usr", "").unwrap_err()[0].code, Code::DidYouMean);
    assert_eq!(add("usr", r#","create":true"#).unwrap().files[0].path.as_str(), "facts/usr.md");
    assert_eq!(add("facts/User", r#","create":true"#).unwrap_err()[0].code, Code::Exists);
    assert_eq!(add("travel", "").unwrap().files[0].path.as_str(), "facts/travel.md");
}

#[test]
fn a_file_with_conflict_markers_is_not_written() {
    let text = "- a\n<<<<<<< ours\n- b\n=======\n- c\n>>>>>>> theirs\n";
    for op in [r#""op":"add","text":"x""#, r#""op":"rm","text":"a""#, r#""op":"update","old":"a","text":"b""#] {
        let ops = format!(r#"{{"at":"procedures/p.md",{op}}}"#);
        assert_eq!(code(text, text, "", &ops), Code::ConflictMarkers, "{op}");
    }
}

/// The same rules through the binary: exit statuses, and the text of a refusal.
#[test]
fn a_dozen_edits_through_the_binary() {
    let memory = Memory::new().file(PATH, TEXT);
    let tabs = format!("{PATH}@{}", handle("Prefers tabs"));
    let etag = Etag::of(TEXT.as_bytes()).short();
    let seen = |etag: &str| format!(r#"{{"op":"update","at":"{PATH}","index":2,"text":"x","seen":"{etag}"}}"#);
    memory.run(["update", PATH, "x"]).exit(2).stderr_contains("usage");
    memory.run(["bullet", "del", PATH]).exit(2).stderr_contains("usage");
    memory.run(["rm", &format!("{PATH}@zzzz")]).exit(3).stderr_contains("bullet_not_found");
    memory.run(["rm", &format!("{PATH}@{}", handle("Said twice"))]).exit(4).stderr_contains("ambiguous_bullet");
    memory
        .run(["bullet", "del", PATH, "--index", "2"])
        .exit(4)
        .stderr_contains("needs_proof")
        .stderr_contains(&handle("Lives in Austin"));
    memory.run(["bullet", "del", PATH, "--index", "-1"]).exit(3).stderr_contains("bullet_not_found");
    memory.run(["bullet", "del", PATH, "--index", "99", "-f"]).exit(3).stderr_contains("bullet_not_found");
    memory.run(["rm", &format!("{PATH}@mem7")]).exit(4).stderr_contains("needs_proof");
    memory.run(["update", &tabs, "--old", "Lives in Austin", "x"]).exit(4).stderr_contains("text_mismatch");
    memory.run(["update", PATH, "Prefers tabs", "Lives in Austin"]).exit(4).stderr_contains("duplicate");
    memory.run(["apply"]).stdin(seen("0123456789")).exit(4).stderr_contains("needs_proof");
    memory.run(["apply", "-n"]).stdin(seen(&etag)).exit(0).stdout_contains("+- x");
    memory
        .done(["update", PATH, "Prefers tabs", "Prefers spaces"])
        .diff(&format!("M {PATH}\n-- Prefers tabs\n+- Prefers spaces\n"));
    let error = memory.run(["rm", &tabs, "--json"]).exit(4).error();
    assert_eq!(error["code"], "bullet_changed");
    assert_eq!(error["details"]["now"]["text"], "Prefers spaces");
    assert_eq!(error["try"][0], format!("memdir read {PATH}@{}", handle("Prefers spaces")));
    memory.done(["bullet", "del", PATH, "--index", "5", "-f"]);
    memory.done(["bullet", "del", PATH, "--index", "4", "Said twice"]);
    assert!(memory.text(PATH).unwrap().ends_with("- Said twice\n\n## Work\n"));
}

#[test]
fn a_bullet_that_a_batch_rephrased_is_not_taken_for_the_one_that_it_added() {
    let file = "facts/user.md";
    let memory = Memory::new().file(file, "- Deploys happen on Fridays\n- Office is in Lisbon\n");
    memory.done(["add", file, "A first change"]);
    memory.done(["context", "--as", "reader"]);
    let old = format!("{file}@{}", handle("Deploys happen on Fridays"));
    let batch = json!([
        {"op": "update", "at": old, "text": "We release every Tuesday"},
        {"op": "add", "at": file, "text": "Backups happen on Fridays"}
    ]);
    memory.run(["apply"]).stdin(batch.to_string()).exit(0);
    memory.done(["undo"]);
    memory.done(["redo"]);
    memory.done(["update", file, "We release every Tuesday", "Ann ships it"]);
    let error = memory.run(["rm", &old, "--json"]).exit(4).error();
    assert_eq!((&error["code"], &error["details"]["now"]["text"]), (&json!("bullet_changed"), &json!("Ann ships it")));
    let (new, added) = (handle("Ann ships it"), handle("Backups happen on Fridays"));
    memory
        .done(["diff", "r1", "--bullets"])
        .stdout_contains(&format!("~ @{new} Ann ships it (was @{}", handle("Deploys happen on Fridays")))
        .stdout_contains(&format!("+ @{added} Backups happen on Fridays"));
    let news = memory.done(["context", "--as", "reader"]);
    news.stdout_contains("↑updated: [user] Ann ships it").stdout_contains("+created: [user] Backups happen on Fridays");
    memory
        .done(["list", file, "--blame"])
        .stdout_contains("Ann ships it\n  r5 2026-02-24 10:00Z tester: updated from \"We release every Tuesday\"");
}

#[test]
fn check_reports_a_stray_line_and_removes_it() {
    let memory = Memory::new().file(PATH, "- Age is 30\n- Lives in Denver\n");
    memory.done(["set", &format!("{PATH}@{}", handle("Lives in Denver")), "id=mem7"]);
    memory.done(["add", PATH, "Vegan"]);
    memory.put(PATH, "- Age is 30\n  <!-- mem id=mem7 -->\n- Vegan\n");
    memory.run(["rm", &format!("{PATH}@mem7"), "-f"]).exit(4).stderr_contains("bullet_changed");
    memory.run(["check"]).may_change().ends().stdout_contains("orphan_metadata");
    // Another change by memdir does not make the line active.
    memory.done(["add", PATH, "Likes tea"]);
    memory.run(["rm", &format!("{PATH}@mem7"), "-f"]).exit(4);
    memory.run(["check", "--fix"]).ends();
    assert_eq!(memory.text(PATH).unwrap(), "- Age is 30\n- Vegan\n- Likes tea\n");
    memory.done(["check"]);
}

#[test]
fn the_index_of_a_repeated_text_is_said_to_need_force() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n## Dup\n\n- a\n- a\n- b\n");
    memory.run(["rm", "user#dup@2"]).exit(4).stderr_contains("-f acts on the index");
    memory.run(["rm", "user#dup@3"]).exit(4).stderr_contains("use its handle");
    let removed = "M facts/user.md\n+> Summary: dup\n+\n-- a\n";
    memory.done(["rm", "user#dup@2", "-f"]).diff(removed);
}
