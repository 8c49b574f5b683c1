//! The library's front, as a program uses it that embeds memdir: each method once, and what it answers.
//!
//! Compiled twice: here, and in `tests/embedder`, a crate of its own that sees the public names only.

use std::path::Path;
use std::time::Duration;

use memdir::models::{
    Deadline, LlmError, Model, ModelId, ModelReply, ModelRequest, OpenModel, StopReason, TokenUsage, ToolUse,
};
use memdir::results::{ChangeOutcome, CompactOutcome, FoundBy, ListResult};
use memdir::{
    Action, Batch, ChangeOptions, CheckOptions, Code, CompactOptions, ConflictChoice, ContextRequest, Durability,
    InboxDecision, InitOptions, LogOptions, Memory, MergeInput, OpenOptions, QueryOptions, ReflectOptions,
    ScopeOptions, SetupMode, SyncOptions, Target, UndoOptions,
};
use serde_json::json;

/// A model that answers every request with the same text.
struct FixedReply {
    id: ModelId,
    text: String,
}

impl Model for FixedReply {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn complete(&self, _: &ModelRequest, _: Deadline) -> Result<ModelReply, LlmError> {
        let usage = TokenUsage { input: 100, output: 10 };
        Ok(ModelReply { text: self.text.clone(), calls: Vec::new(), stop: StopReason::End, usage })
    }
}

/// A new memory in a directory of its own, opened by an actor at a fixed time.
fn opened(dir: &Path, actor: &str) -> Memory {
    let now = "2026-02-24T10:00:00Z".parse::<jiff::Timestamp>().unwrap().to_zoned(jiff::tz::TimeZone::UTC);
    let durability = Some(Durability::Fast);
    Memory::open(OpenOptions { now: Some(now), durability, ..OpenOptions::new(dir).actor(actor) }).unwrap()
}

fn new_memory() -> (tempfile::TempDir, Memory) {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("notes");
    let made = Memory::init(&dir, &InitOptions::default()).unwrap();
    assert!(made.created.iter().any(|name| name == "memdir.yaml"), "{made:?}");
    let memory = opened(&dir, "ann");
    (home, memory)
}

fn defaults() -> ChangeOptions {
    ChangeOptions::default()
}

#[test]
fn a_memory_is_read_and_changed_without_a_process() {
    let (home, memory) = new_memory();
    assert_eq!(memory.actor(), "ann");
    let added = memory.add("user", "Prefers tabs over spaces").unwrap();
    assert_eq!((added.rev.as_deref(), added.changed), (Some("r1"), true));
    let bullets = memory.bullets("user").unwrap().bullets;
    assert_eq!(bullets[0].text, "Prefers tabs over spaces");
    let at = format!("user@{}", bullets[0].handle);
    memory.update(&at, "Prefers spaces").unwrap();
    assert_eq!(memory.update(&at, "Other").unwrap_err().code(), Code::BulletChanged);
    memory.append(None, Some("Met Bob"), "- In Lisbon").unwrap();
    assert!(memory.read("2026-02").unwrap().text.contains("## Met Bob\n- Date: 2026-02-24\n- In Lisbon\n"));

    let ListResult::Files(files) = memory.list(None).unwrap() else { panic!("a list of files") };
    assert_eq!(files.files.iter().map(|f| &*f.path).collect::<Vec<_>>(), ["episodes/2026-02.md", "facts/user.md"]);
    let ListResult::Outline(outline) = memory.list(Some("user")).unwrap() else { panic!("an outline") };
    assert_eq!(outline.bullets.len(), memory.outline("user").unwrap().bullets.len());
    let place = memory.path_of(Some("user")).unwrap();
    let file = std::fs::canonicalize(home.path()).unwrap().join("notes/facts/user.md");
    assert_eq!((place.path.as_deref(), place.found_by), (file.to_str(), FoundBy::Flag));
    assert_eq!(memory.path_of(None).unwrap().path, None);

    assert_eq!(memory.query("spaces").unwrap().items.len(), 1);
    let filtered = QueryOptions { limit: Some(1), ..QueryOptions::from("spaces Lisbon") };
    assert_eq!(memory.query(filtered).unwrap().items.len(), 1);
    assert_eq!(memory.remove("user@none").unwrap_err().code(), Code::BulletNotFound);
    memory.remove(&format!("user@{}", memory.bullets("user").unwrap().bullets[0].handle)).unwrap();
    assert!(memory.bullets("user").unwrap().bullets.is_empty());
}

#[test]
fn history_is_listed_compared_undone_and_redone() {
    let (_home, memory) = new_memory();
    memory.add("user", "One").unwrap();
    memory.add("user", "Two").unwrap();
    let log = memory.log(&LogOptions { limit: Some(1), ..LogOptions::default() }).unwrap();
    assert_eq!((log.entries.len(), log.more, log.entries[0].rev.as_deref()), (1, 1, Some("r2")));
    assert!(memory.show("r1").unwrap().entries[0].diff.as_deref().is_some_and(|diff| diff.contains("+- One\n")));
    assert!(memory.diff(Some("r1..r2"), Some("user")).unwrap().diff.contains("+- Two\n"));
    let undone =
        memory.undo(&UndoOptions { revision: Some("r1".into()), ..UndoOptions::default() }, &defaults()).unwrap();
    assert_eq!(undone.undone.as_deref(), Some("r1"));
    let texts =
        |memory: &Memory| memory.bullets("user").unwrap().bullets.into_iter().map(|b| b.text).collect::<Vec<_>>();
    assert_eq!(texts(&memory), ["Two"]);
    memory.redo(None, &defaults()).unwrap();
    assert_eq!(texts(&memory).len(), 2);
    assert_eq!(
        memory
            .undo(&UndoOptions { revision: Some("r99".into()), ..UndoOptions::default() }, &defaults())
            .unwrap_err()
            .code(),
        Code::RevisionNotFound
    );
}

#[test]
fn a_batch_is_applied_whole_or_not_at_all() {
    let (_home, memory) = new_memory();
    let two = json!({"request": "once", "operations": [
        {"op": "add", "at": "user", "text": "One"}, {"op": "add", "at": "facts/pets.md", "text": "Two cats"}]});
    let ChangeOutcome::Changed(done) = memory.apply(&two.to_string(), &defaults()).unwrap() else { panic!("a change") };
    assert_eq!(done.rev.as_deref(), Some("r1"));
    let ChangeOutcome::Repeated(first) = memory.apply(&two.to_string(), &defaults()).unwrap() else {
        panic!("a repetition")
    };
    assert_eq!(first.rev(), Some("r1"));
    let bad = json!([{"op": "add", "at": "user", "text": "Three"}, {"op": "rm", "at": "user@none"}]);
    let error = memory.apply(&bad.to_string(), &defaults()).unwrap_err();
    assert_eq!((error.code(), error.exit_status(), error.changed()), (Code::BulletNotFound, 3, Some(false)));
    assert_eq!(memory.query("Three").unwrap().items.len(), 0);
    assert_eq!(memory.apply("{", &defaults()).unwrap_err().code(), Code::InvalidOperation);
    assert_eq!("{".parse::<Batch>().unwrap_err().code(), Code::InvalidOperation);
}

#[test]
fn actions_are_made_by_constructors_and_equal_those_of_json() {
    let at = || Target::address("user");
    let made = [
        Action::add(at(), "a"),
        Action::update(at(), "b"),
        Action::remove(at()),
        Action::archive(at()),
        Action::move_to(at(), "team"),
        Action::set(at(), &[("imp", "7")]),
        Action::write(at(), "# U\n"),
        Action::patch(at(), &[("a", "b")]),
        Action::append(Some(at()), Some("T"), "- c"),
    ];
    let read = json!([
        {"op": "add", "at": "user", "text": "a"},
        {"op": "update", "at": "user", "text": "b"},
        {"op": "rm", "at": "user"},
        {"op": "rm", "at": "user", "archive": true},
        {"op": "mv", "at": "user", "to": "team"},
        {"op": "set", "at": "user", "meta": {"imp": "7"}},
        {"op": "write", "at": "user", "text": "# U\n"},
        {"op": "patch", "at": "user", "pairs": [{"old": "a", "new": "b"}]},
        {"op": "append", "at": "user", "title": "T", "text": "- c"},
    ]);
    assert_eq!(Batch::from_iter(made), read.to_string().parse::<Batch>().unwrap());
}

#[test]
fn a_reader_gets_only_what_is_new() {
    let (_home, memory) = new_memory();
    memory.add("user", "One fact").unwrap();
    let request = ContextRequest { reader: Some("bot".into()), ..ContextRequest::default() };
    let (first, mark) = memory.context(&request).unwrap();
    memory.mark_read(&mark.expect("a mark for a named reader")).unwrap();
    memory.add("user", "Another fact").unwrap();
    let (second, _) = memory.context(&request).unwrap();
    assert!(!first.text.contains("Another fact") && second.text.contains("Another fact"), "{}", second.text);
    assert!(memory.context(&ContextRequest::default()).unwrap().1.is_none());
    assert_eq!(memory.context(&ContextRequest { budget: Some(1), ..request }).unwrap_err().code(), Code::Usage);
}

#[test]
fn problems_conflicts_and_proposals_are_listed_and_decided() {
    let (home, memory) = new_memory();
    let facts = home.path().join("notes/facts");
    fs_err::write(facts.join("o.md"), "<!-- mem imp=3 -->\n\n# O\n").unwrap();
    let found = memory.check(&[], &CheckOptions::default(), &defaults()).unwrap();
    assert_eq!((found.checked, found.findings.len()), (1, 1));
    let fixed = memory.check(&[], &CheckOptions { fix: true, ..CheckOptions::default() }, &defaults()).unwrap();
    assert!(fixed.findings.is_empty() && fixed.fixed.is_some_and(|fixed| fixed.changed));

    memory.add("facts/m.md", "Editor: vim").unwrap();
    fs_err::write(facts.join("m.md"), "# M\n\n> Summary: editor\n\n<<<<<<< a\n- Editor: Helix\n||||||| b\n- Editor: vim\n=======\n- Editor: Emacs\n>>>>>>> c\n").unwrap();
    assert_eq!(memory.status().unwrap().conflicts.len(), 1);
    let resolved = memory.resolve(Some("facts/m.md"), Some(ConflictChoice::Theirs), &defaults()).unwrap();
    assert!(resolved.left.is_empty(), "{resolved:?}");
    assert_eq!(fs_err::read_to_string(facts.join("m.md")).unwrap(), "# M\n\n> Summary: editor\n\n- Editor: Emacs\n");
    assert!(memory.inbox(&[], None, &defaults()).unwrap().proposals.is_empty());
    let none = memory.inbox(&["p1".into()], Some(InboxDecision::Reject), &defaults());
    assert_eq!(none.unwrap_err().code(), Code::ProposalNotFound);
    assert_eq!(memory.setup_git(SetupMode::Check, false).unwrap_err().code(), Code::NoRepository);
    let sync = SyncOptions { dry_run: true, network_timeout: Duration::from_secs(1), ..Default::default() };
    assert!(memory.sync(&sync).is_err());
}

#[test]
fn limits_are_kept_by_age_and_conversations_are_read_by_a_model() {
    let (home, memory) = new_memory();
    let limits = "version: 1\nlimits:\n  - {at: facts/log.md, bullets: 2, on_limit: compact}\n";
    fs_err::write(home.path().join("notes/memdir.yaml"), limits).unwrap();
    fs_err::write(home.path().join("notes/facts/log.md"), "- One\n- Two\n- Three\n").unwrap();
    let CompactOutcome::Compacted(_) = memory.compact(&CompactOptions::default(), &defaults(), None).unwrap() else {
        panic!()
    };
    assert_eq!(memory.bullets("facts/log.md").unwrap().bullets.len(), 2);
    let batch = r#"[{"op":"add","at":"facts/log.md","text":"Four"}]"#.parse::<Batch>().unwrap();
    memory.change_within_limits(batch, &defaults(), None).unwrap();
    let texts: Vec<String> = memory.bullets("facts/log.md").unwrap().bullets.into_iter().map(|b| b.text).collect();
    assert_eq!(texts, ["Three", "Four"]);

    let reply = json!({"operations": [{"op": "add", "at": "user", "text": "Name: Zhang San", "quote": "I'm Zhang San", "turn": 1}]});
    let open_model = || {
        let mut model = OpenModel::new(FixedReply {
            id: ModelId { provider: "own".into(), model: "fixed".into() },
            text: reply.to_string(),
        });
        model.tools = ToolUse::Off;
        Ok(model)
    };
    let options = ReflectOptions::new(&open_model);
    let report = memory.reflect(b"User: I'm Zhang San.\n", &options, &defaults()).unwrap();
    assert_eq!(report.counts.kept, 1);
    assert!(memory.reflect_queued(&options, &defaults()).unwrap().conversations.is_empty());
}

#[test]
fn what_is_no_memory_is_refused_and_a_setting_that_is_wrong_too() {
    let home = tempfile::tempdir().unwrap();
    let none = Memory::open(OpenOptions::new(home.path().join("none"))).unwrap_err();
    assert_eq!((none.code(), none.exit_status()), (Code::NoDataDir, 3));
    assert!(std::error::Error::source(&none).is_none() && none.to_string().starts_with("no_data_dir: "));
}

#[test]
fn every_kind_of_change_has_a_method() {
    let (home, memory) = new_memory();
    memory.add("user", "Prefers tabs").unwrap();
    memory.write("facts/team.md", "# Team\n\n- Bob\n- Ann\n", None).unwrap();
    let text = || memory.read("facts/team.md").unwrap().text;
    assert_eq!(memory.write("facts/team.md", "# Team\n", None).unwrap_err().code(), Code::NeedsProof);
    let etag = memory.etag("facts/team.md").unwrap().etag;
    memory.write("facts/team.md", "# Team\n\n- Bob\n", Some(&etag)).unwrap();
    assert_eq!(memory.write("facts/team.md", "# Other\n", Some(&etag)).unwrap_err().code(), Code::Conflict);
    memory.patch("facts/team.md", &[("Bob", "Bo Bergson")]).unwrap();
    assert_eq!(memory.patch("facts/team.md", &[("Bob", "x")]).unwrap_err().code(), Code::TextNotFound);
    let at = |file: &str| format!("{file}@{}", memory.bullets(file).unwrap().bullets[0].handle);
    memory.set(&at("team"), &[("imp", "7")]).unwrap();
    assert!(text().contains("- Bo Bergson\n  <!-- mem imp=7 -->\n"), "{}", text());
    memory.move_to(&at("user"), "facts/team.md").unwrap();
    assert!(text().contains("- Prefers tabs"), "{}", text());

    let file = |name: &str, text: &str| {
        std::fs::write(home.path().join(name), text).unwrap();
        home.path().join(name)
    };
    let (base, ours) = (file("base.md", "- a\n- b\n"), file("ours.md", "- a\n- b\n- c\n"));
    let input = MergeInput::new(base, ours, file("theirs.md", "- b\n"));
    let merged = Memory::merge(&input, None).unwrap();
    assert_eq!((merged.clean, &*merged.text), (true, "- b\n- c\n"));
}

#[test]
fn a_scope_is_opened_by_its_name() {
    let (home, memory) = new_memory();
    let options = |name: &str, purge| ScopeOptions { name: name.to_owned(), purge, ..ScopeOptions::default() };
    assert!(memory.add_scope(&options("web", false)).unwrap().changed);
    let scope = Some("web".to_owned());
    let web = Memory::open(OpenOptions { scope, ..OpenOptions::new(home.path().join("notes")).actor("ann") }).unwrap();
    web.add("user", "Prefers tea").unwrap();
    assert_eq!((web.query("tea").unwrap().found, memory.query("tea").unwrap().found), (1, 0));
    assert_eq!(web.scopes().unwrap_err().code(), Code::ScopeNotAllowed);
    assert_eq!(memory.scopes().unwrap().scopes[0].bullets, 1);
    assert_eq!(memory.remove_scope(&options("web", true)).unwrap().deleted_count, Some(1));
    assert_eq!(web.add("user", "Prefers rain").unwrap_err().code(), Code::NoDataDir);
}

#[test]
fn a_checkpoint_is_saved_loaded_and_removed_and_changes_are_counted() {
    let (_dir, memory) = new_memory();
    memory.add("user", "Prefers tabs").unwrap();
    let saved = memory.save_checkpoint("thread-7", r#"{"step": 3}"#, None).unwrap();
    assert_eq!(memory.load_checkpoint("thread-7").unwrap().text, r#"{"step": 3}"#);
    assert_eq!(memory.checkpoints().unwrap().checkpoints.len(), 1);
    let refused = memory.save_checkpoint("thread-7", "{}", Some("01234567")).unwrap_err();
    assert_eq!(refused.code(), memdir::Code::Conflict);
    memory.remove_checkpoint("thread-7", Some(&saved.checkpoint.etag)).unwrap();
    assert_eq!(memory.checkpoints().unwrap().checkpoints, []);
    assert!(!memory.stats(&memdir::StatsOptions::default()).unwrap().figures.is_empty());
    assert_eq!(memory.embed().unwrap_err().code(), memdir::Code::NoModel);
}
