//! Forgetting: after `rm --forget` no byte of the text is below the data directory.
//!
//! Searches every file there is, machine state too.

use memdir::text::text_search::TextSearch;

use crate::support::memory::{DataDirectory, apply};

mod reports;
mod trails;

const SECRET: &str = "Prefers hunter2 as a password";

/// Every file below the data directory that contains these bytes.
fn holders(memory: &DataDirectory, text: &str) -> Vec<String> {
    let all = walkdir::WalkDir::new(memory.path("")).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = all.filter(|e| e.file_type().is_file());
    let name = |e: walkdir::DirEntry| e.path().strip_prefix(memory.path("")).unwrap().display().to_string();
    files
        .filter(|e| memchr::memmem::find(&std::fs::read(e.path()).unwrap(), text.as_bytes()).is_some())
        .map(name)
        .collect()
}

fn memory() -> DataDirectory {
    let memory = DataDirectory::new(&[("facts/user.md", "# User\n\n## Work\n\n- Lives in Austin\n- Keeps bees\n")]);
    memory.done(&["add", "user#work", SECRET]);
    assert_eq!(holders(&memory, SECRET), [".memdir/journal", "facts/user.md"].map(str::to_owned));
    memory
}

fn forgotten(memory: &DataDirectory, line: &[&str]) {
    let run_output = memory.done(line);
    assert_eq!(holders(memory, SECRET), [""; 0], "{line:?}: {run_output}");
    assert!(!run_output.contains(SECRET) || run_output.contains("- @"), "{run_output}");
    memory.done(&["status"]);
    memory.done(&["log"]);
    memory.done(&["add", "user", "Something after"]);
}

#[test]
fn a_forgotten_bullet_is_nowhere() {
    let memory = memory();
    forgotten(&memory, &["bullet", "del", "user", SECRET, "--forget"]);
    assert!(memory.text("facts/user.md").contains("- Lives in Austin\n- Keeps bees\n"));
    assert!(memory.done(&["log"]).contains("r1"), "that it happened stays");
}

/// By hand, by memdir, or by a merge: the history has it.
#[test]
fn a_bullet_that_is_in_the_history_only_is_forgotten_too() {
    for by_hand in [true, false] {
        let memory = memory();
        memory.done(&["add", "user", "Something else"]);
        let named = format!("user@{}", crate::support::handle(SECRET));
        if by_hand {
            memory.write("facts/user.md", &memory.text("facts/user.md").replace(&format!("- {SECRET}\n"), ""));
        } else {
            memory.done(&["rm", &named]);
        }
        memory.write("archive/facts/user.md", &format!("# User\n\n- {SECRET}\n"));
        let (text, after) = (memory.text("facts/user.md"), "- Something else\n");
        assert_ne!(memory.run(&["--as", "claude", "rm", &named, "--forget"]).status, 0);
        assert!(!holders(&memory, SECRET).is_empty());
        forgotten(&memory, &["rm", &named, "--forget"]);
        assert_eq!(memory.text("facts/user.md"), text.replace(after, &format!("{after}- Something after\n")));
        // Once more, there is nothing.
        assert_eq!(memory.run(&["rm", &named, "--forget"]).status, 3);
    }
    // Without a copy, nothing but the history changes.
    let memory = memory();
    let named = format!("user@{}", crate::support::handle(SECRET));
    memory.done(&["rm", &named]);
    let said = memory.run(&["rm", &named, "--forget"]);
    assert!(said.stderr.contains("the text was in the history only"), "{said:?}");
    assert_eq!(holders(&memory, SECRET), [""; 0]);
}

#[test]
fn neither_after_updates_undo_and_redo() {
    let memory = memory();
    memory.done(&["update", "user", SECRET, "Prefers something else"]);
    memory.done(&["undo"]);
    memory.done(&["redo"]);
    memory.done(&["undo"]);
    memory.done(&["set", "user", "title=Someone"]);
    memory.done(&["write", "user", "-f", "-F", "memory/facts/user.md"]);
    forgotten(&memory, &["bullet", "del", "user", SECRET, "--forget"]);
    // An older wording of it goes too.
    assert_eq!(holders(&memory, "Prefers something else"), [""; 0]);
}

#[test]
fn neither_after_moves_of_the_bullet_and_of_its_file() {
    let memory = memory();
    memory.write("facts/other.md", "# Other\n\n- Owns a boat\n");
    let list = memory.done(&["bullet", "list", "user"]);
    let line = list.lines().find(|line| line.contains(SECRET)).unwrap();
    let handle = line.split_whitespace().find_map(|word| word.strip_prefix('@')).unwrap();
    memory.done(&["mv", &format!("user@{handle}"), "other"]);
    memory.done(&["mv", "other", "another"]);
    memory.done(&["add", "another", "Sings"]);
    forgotten(&memory, &["bullet", "del", "another", SECRET, "--forget"]);
    assert!(memory.text("facts/another.md").contains("Owns a boat"));
    assert!(memory.text("facts/user.md").contains("Lives in Austin"));
}

#[test]
fn neither_is_an_earlier_wording_that_was_moved_before_it_was_edited() {
    let memory = memory();
    memory.write("facts/third.md", "# Third\n\n- Unrelated words of a third file\n");
    memory.done(&["mv", "user#work@3", "other", "-f"]);
    memory.done(&["update", "other@1", "-f", "Prefers the second wording"]);
    memory.done(&["mv", "other@1", "third", "-f"]);
    memory.done(&["update", "third@2", "-f", "Prefers the third wording"]);
    for text in [SECRET, "the second wording"] {
        assert!(!holders(&memory, text).is_empty(), "{text}");
    }
    let output = memory.done(&["rm", "--forget", "third@2", "-f"]);
    for text in [SECRET, "the second wording", "the third wording"] {
        assert_eq!(holders(&memory, text), [""; 0], "{text}: {output}");
    }
    assert!(memory.text("facts/third.md").contains("Unrelated words of a third file"));
    assert!(memory.text("facts/user.md").contains("- Lives in Austin\n- Keeps bees\n"));
}

#[test]
fn an_earlier_wording_that_another_bullet_has_is_kept_and_reported() {
    let memory = memory();
    memory.write("facts/twin.md", &format!("# Twin\n\n- {SECRET}\n"));
    memory.write("archive/facts/twin.md", &format!("# Twin\n\n- {SECRET}\n"));
    memory.done(&["mv", "user#work@3", "other", "-f"]);
    memory.done(&["update", "other@1", "-f", "Prefers the second wording"]);
    let output = memory.run(&["rm", "--forget", "other@1", "-f"]);
    let told = "some of the text is also in archive/facts/twin.md, facts/twin.md and was not removed there";
    assert!(output.status == 0 && output.stderr.contains(told), "{output:#?}");
    for path in ["facts/twin.md", "archive/facts/twin.md"] {
        assert!(memory.text(path).contains(SECRET), "{path}");
    }
    assert_eq!(holders(&memory, "the second wording"), [""; 0]);
}

#[test]
fn the_title_that_a_file_has_by_its_name_is_no_text_that_remains() {
    let memory = memory();
    memory.done(&["rm", "--archive", "user#work@3", "-f"]);
    let output = memory.run(&["rm", "--forget", "archive/facts/user.md", "-f"]);
    assert!(output.status == 0 && !output.stderr.contains("also in"), "{output:#?}");
    assert_eq!(holders(&memory, SECRET), [""; 0]);
}

#[test]
fn neither_in_archives_inbox_or_texts_that_were_rescued() {
    let memory = memory();
    memory.done(&["bullet", "del", "user", SECRET, "--archive"]);
    memory.done(&["add", "user#work", SECRET]);
    memory.write("archive/facts/other.md", &format!("# Other\n\n- {SECRET}\n- Kept in the archive\n"));
    memory.write("archive/facts/only.md", &format!("# Only\n\n- {SECRET}\n"));
    memory.write("inbox/rescued-r9-0.md", &format!("# User\n\n- {SECRET}\n- A person's\n"));
    forgotten(&memory, &["bullet", "del", "user", SECRET, "--forget"]);
    assert!(memory.text("archive/facts/other.md").contains("- Kept in the archive\n"));
    assert!(memory.text("inbox/rescued-r9-0.md").contains("- A person's\n"));
    assert!(!memory.path("archive/facts/only.md").exists());
}

#[test]
fn neither_of_a_section_or_a_file() {
    let memory = memory();
    memory.done(&["rm", "user#work", "--forget", "-f"]);
    assert_eq!(holders(&memory, SECRET), [""; 0]);
    assert_eq!(holders(&memory, "Keeps bees"), [""; 0]);
    let memory = self::memory();
    memory.done(&["update", "user", "Keeps bees", "Keeps ants"]);
    memory.done(&["rm", "user", "--forget", "-f"]);
    for text in [SECRET, "Keeps bees", "Keeps ants", "Lives in Austin"] {
        assert_eq!(holders(&memory, text), [""; 0]);
    }
}

#[test]
fn neither_in_torn_lines_orphan_slots_or_reasons() {
    let memory = memory();
    memory.done(&["add", "user", "Likes tea", "-m", &format!("because: {SECRET}")]);
    let mut journal = std::fs::read(memory.path(".memdir/journal")).unwrap();
    journal.extend_from_slice(format!("{{\"torn\": \"{SECRET}\"\n").as_bytes());
    std::fs::write(memory.path(".memdir/journal"), journal).unwrap();
    std::fs::write(memory.path(".memdir/undo/77-0"), SECRET).unwrap();
    forgotten(&memory, &["bullet", "del", "user", SECRET, "--forget"]);
}

#[test]
fn a_duplicate_in_another_file_is_kept_and_reported() {
    let memory = memory();
    memory.write("facts/other.md", &format!("# Other\n\n- {SECRET}\n"));
    let session = memory.session("t");
    let json = serde_json::json!([{"op": "rm", "at": "user", "text": SECRET, "forget": true}]);
    let answer = format!("{:?}", apply(&session, &json.to_string()).unwrap());
    assert!(answer.contains("is also in facts/other.md"), "{answer}");
    assert_eq!(holders(&memory, SECRET), ["facts/other.md"]);
}

#[test]
fn rm_forget_killed_at_any_system_call_can_be_repeated() {
    // The text is removed from history before the commit: until then, the same command finds the remaining copies.
    let memory = memory();
    let session = memory.session("t");
    let (locked, _) = session.store.lock().unwrap();
    locked.forget(&[crate::support::memory::path("facts/user.md")], &[SECRET.to_owned()]).unwrap();
    drop(locked);
    assert_eq!(holders(&memory, SECRET), ["facts/user.md"]);
    forgotten(&memory, &["bullet", "del", "user", SECRET, "--forget"]);
}

/// It changes the bullet beside: only the unchanged line of its diff goes.
#[test]
fn a_proposal_beside_a_forgotten_text_is_kept_without_it() {
    let memory = memory();
    memory.write("memdir.yaml", "version: 2\nagents: {write: propose}\n");
    assert_eq!(memory.run(&["--as", "bot", "update", "user", "Keeps bees", "Keeps many bees"]).status, 5);
    assert!(holders(&memory, SECRET).iter().any(|file| file.starts_with("inbox/")));
    forgotten(&memory, &["bullet", "del", "user", SECRET, "--forget"]);
    memory.done(&["inbox", "--accept"]);
    assert!(memory.text("facts/user.md").contains("- Keeps many bees\n"));
}

#[test]
fn a_proposal_with_a_forgotten_text_goes_whole_and_any_other_stays_whole() {
    let memory = memory();
    memory.write("memdir.yaml", "version: 2\nagents: {write: propose}\n");
    let propose = |text: &str| assert_eq!(memory.run(&["--as", "bot", "add", "other", text]).status, 5);
    propose(SECRET);
    propose("Waits for review");
    propose(&format!("{SECRET} for the old server"));
    let inbox = || {
        let files = std::fs::read_dir(memory.path("inbox")).unwrap().map(|file| file.unwrap().path());
        let mut texts: Vec<String> = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
        texts.sort();
        texts
    };
    let kept: Vec<String> = inbox().into_iter().filter(|text| !text.contains(&format!("{SECRET}\""))).collect();
    assert_eq!(kept.len(), 2);
    let output = memory.run(&["rm", "user#work@3", "--forget", "-f"]);
    assert!(output.status == 0 && output.stderr.contains("went with it"), "{output:#?}");
    assert!(output.stderr.contains("some of the text is also in inbox/"), "{output:#?}");
    assert_eq!(inbox(), kept);
}

/// A bullet is the same whether its text is wrapped or not.
#[test]
fn a_wrapped_copy_is_reported_and_one_in_the_archive_goes() {
    let memory = memory();
    let wrapped = SECRET.replace("hunter2 as", "hunter2\n  as");
    memory.write("facts/twin.md", &format!("# Twin\n\n- {wrapped}\n"));
    memory.write("archive/facts/old.md", &format!("# Old\n\n- {wrapped}\n- Kept\n"));
    let output = memory.run(&["rm", "user#work@3", "--forget", "-f"]);
    let told = "some of the text is also in facts/twin.md and was not removed there";
    assert!(output.status == 0 && output.stderr.contains(told), "{output:#?}");
    assert!(memory.text("facts/twin.md").contains("hunter2"), "a live file stays");
    assert_eq!(memory.text("archive/facts/old.md"), "# Old\n\n- Kept\n");
}

/// Nor does it come back from the history of another file.
#[test]
fn a_wrapped_copy_of_the_past_goes() {
    let memory = memory();
    memory.write("facts/twin.md", &format!("# Twin\n\n- {}\n- Kept\n", SECRET.replace("hunter2 as", "hunter2\n  as")));
    memory.done(&["rm", "twin@1", "-f"]);
    assert!(!holders(&memory, "hunter2\\n  as").is_empty(), "the journal has it");
    memory.done(&["rm", "user#work@3", "--forget", "-f"]);
    assert_eq!(holders(&memory, "hunter2"), [""; 0]);
    assert_ne!(memory.run(&["undo", "r2"]).status, 0);
}

/// Each scope is a memory of its own: what it has is reported and stays.
#[test]
fn a_copy_in_a_scope_is_reported_and_stays() {
    let memory = memory();
    memory.write("memdir.yaml", "version: 1\n");
    for scope in ["web", "old", "none"] {
        memory.done(&["scope", "add", scope]);
    }
    memory.done(&["-S", "web", "add", "user", SECRET]);
    memory.done(&["-S", "old", "add", "user", SECRET]);
    memory.done(&["scope", "rm", "old"]);
    let output = memory.run(&["rm", "user#work@3", "--forget", "-f"]);
    for told in
        ["in the scope 'web' (facts/user.md) and was not", "in the archived scope 'old' (facts/user.md) and was not"]
    {
        assert!(output.status == 0 && output.stderr.contains(told), "{told}: {output:#?}");
    }
    assert!(!output.stderr.contains("'none'"), "{output:#?}");
    assert!(memory.text("scopes/web/facts/user.md").contains(SECRET));
    // From a scope no other is searched.
    let output = memory.run(&["-S", "web", "rm", "user@1", "--forget", "-f"]);
    assert!(output.status == 0 && !output.stderr.contains("'old'"), "{output:#?}");
}

/// Nor is it looked for elsewhere: what has it as a part keeps its history.
#[test]
fn a_short_line_without_a_marker_is_no_search_string() {
    let memory = memory();
    memory.write("facts/wrapped.md", "# Wrapped\n\n- Prefers long walks and\n  tea\n- Other\n\n```\nfi\n```\n");
    memory.write("facts/work.md", "# Work\n\n- The team meets on Monday\n- All figures fit\n");
    memory.done(&["update", "work@1", "The squad meets", "-f"]);
    memory.done(&["rm", "work@2", "-f"]);
    memory.done(&["rm", "wrapped", "--forget", "-f"]);
    assert_eq!(holders(&memory, "long walks"), [""; 0]);
    memory.done(&["undo", "r3"]);
    memory.done(&["undo", "r2"]);
    assert!(memory.text("facts/work.md").contains("- The team meets on Monday\n- All figures fit\n"));
}

/// Another bullet that has the text as a part of a word, or in a longer sentence, keeps it in no history.
#[test]
fn a_text_within_another_bullet_comes_back_from_no_history() {
    for (text, part, is_told) in
        [("Ana", "Analysis is due on Monday", false), (SECRET, &*format!("{SECRET} twice"), true)]
    {
        let memory = DataDirectory::new(&[
            ("facts/user.md", &*format!("# User\n\n- {text}\n")),
            ("facts/twin.md", &*format!("# Twin\n\n- {text}\n- Bob\n")),
            ("facts/work.md", &*format!("# Work\n\n- {part}\n")),
        ]);
        memory.done(&["rm", "twin@1", "-f"]);
        let output = memory.run(&["rm", "user@1", "--forget", "-f"]);
        assert_eq!((output.status, output.stderr.contains("also in facts/work.md")), (0, is_told), "{output:#?}");
        assert_ne!(memory.run(&["undo", "r1"]).status, 0);
        assert!(!memory.text("facts/twin.md").contains(text) && memory.text("facts/work.md").contains(part));
    }
}

/// A file is unwrapped once for all texts, not for each: others wait for the lock meanwhile.
#[test]
fn many_texts_are_found_in_a_large_file_in_a_moment() {
    let texts: Vec<String> = (0..500).map(|n| format!("fact number {n} of a list")).collect();
    let lines: String = (0..20_000).map(|n| format!("- another line {n} of\n  a log\n")).collect();
    let start = std::time::Instant::now();
    let search = TextSearch::new(&texts);
    assert_eq!(search.found_in(&format!("{lines}- fact number 7\n  of a list\n")).collect::<Vec<_>>(), [&texts[7]]);
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
}

/// A file that is not UTF-8 is named, too, and stays as it is; of many files the note says how many more there are.
#[test]
fn a_copy_in_another_encoding_or_in_many_files_is_reported() {
    let memory = memory();
    memory.write("memdir.yaml", "version: 1\n");
    let latin = [b"- Caf\xe9\n- ", SECRET.as_bytes(), b"\n"].concat();
    memory.done(&["scope", "add", "web"]);
    for path in ["facts/latin.md", "archive/facts/latin.md", "scopes/web/facts/latin.md"] {
        std::fs::create_dir_all(memory.path(path).parent().unwrap()).unwrap();
        std::fs::write(memory.path(path), &latin).unwrap();
    }
    let large = std::fs::File::create(memory.path("scopes/web/facts/large.md")).unwrap();
    large.set_len(1 << 30).unwrap();
    for n in 1..=20 {
        memory.write(&format!("facts/n{n}.md"), &format!("- {SECRET}\n"));
    }
    let output = memory.run(&["rm", "user#work@3", "--forget", "-f"]);
    for told in [
        "in archive/facts/latin.md, facts/latin.md, facts/n1.md",
        "facts/n7.md and 2 more and was not removed there",
        "in the scope 'web' (facts/latin.md) and was not removed there",
        "1 file of the scope 'web' could not be searched",
    ] {
        assert!(output.status == 0 && output.stderr.contains(told), "{told}: {output:#?}");
    }
    for path in ["facts/latin.md", "archive/facts/latin.md"] {
        assert_eq!(std::fs::read(memory.path(path)).unwrap(), latin);
    }
}

/// The derived summary line of another file that had the text has words of it.
#[test]
fn neither_words_of_it_in_the_summary_line_of_another_file_of_the_past() {
    let memory = DataDirectory::new(&[
        ("facts/user.md", "# User\n\n- The vault code is hunter2 as of May\n"),
        ("facts/twin.md", "# Twin\n\n- The vault code is hunter2 as of May\n- Kept\n"),
    ]);
    memory.done(&["add", "twin", "Extra line"]);
    assert_eq!(holders(&memory, "code, hunter2"), [".memdir/journal", "facts/twin.md"]);
    memory.done(&["rm", "twin@1", "-f"]);
    memory.done(&["add", "twin", "Something after"]);
    memory.done(&["rm", "user@1", "--forget", "-f"]);
    assert_eq!(holders(&memory, "hunter2"), [""; 0]);
    memory.done(&["undo", "r3"]);
}

/// A batch that lost its texts cannot be compared with one that has the same id.
#[test]
fn an_id_of_a_batch_that_lost_its_texts_is_refused() {
    let memory = DataDirectory::new(&[("facts/user.md", "# User\n")]);
    let batch = |text: &str| {
        format!(
            r#"{{"request":"job-1","operations":[{{"op":"add","at":"user","text":"{text}"}},{{"op":"add","at":"user","text":"Likes green tea"}}]}}"#
        )
    };
    memory.write("b.json", &batch("Has a secret plan for Oslo"));
    memory.write("c.json", &batch("Something entirely different"));
    let paths = ["b.json", "c.json"].map(|name| memory.path(name).to_str().unwrap().to_owned());
    memory.done(&["apply", "-F", &paths[0]]);
    assert_eq!(memory.run(&["apply", "-F", &paths[0], "--json"]).json()["repeated"], true);
    memory.done(&["rm", "user@1", "--forget", "-f"]);
    for path in &paths {
        let output = memory.run(&["apply", "-F", path, "--json"]);
        assert_eq!((output.status, output.error_code().as_str()), (4, "conflict"), "{output:#?}");
    }
    assert!(!memory.text("facts/user.md").contains("different"));
}

/// A conversation that waits in the queue is dropped if it has the text, and no other.
#[test]
fn a_queued_conversation_goes_only_if_it_has_the_text() {
    let memory = DataDirectory::new(&[("facts/user.md", "# User\n\n- Takes Zoloft daily\n- Likes green tea\n")]);
    memory.done(&["add", "user", "Keeps bees"]);
    let queue = memory.path(".memdir/queue");
    let key_file = memory.root().join(".local/state/memdir/key");
    let key = memdir::host::machine_key::load_or_create(&key_file).unwrap();
    for (name, said) in [("a", "The release day is Thursday."), ("b", "I am one who\\u0020Takes Zoloft daily")] {
        let transcript = memory.root().join(format!("{name}.jsonl"));
        std::fs::write(&transcript, format!("{{\"role\":\"user\",\"content\":\"{said}\"}}\n")).unwrap();
        let item = format!("{{\"transcript\":{transcript:?}}}");
        memory.session("tester").store.enqueue_reference(&key, name, item.as_bytes()).unwrap();
    }
    let names = || {
        let names = std::fs::read_dir(&queue).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let output = memory.run(&["rm", "user@1", "--forget", "-f"]);
    assert_eq!(output.status, 0, "{output:#?}");
    assert!(output.stderr.contains("1 queued conversation is dropped unread"), "{output:#?}");
    assert_eq!(names(), ["a.ref".to_owned()].into());
    let output = memory.run(&["rm", "user@1", "--forget", "-f"]);
    assert!(output.status == 0 && !output.stderr.contains("queued"), "{output:#?}");
    assert_eq!(names(), ["a.ref".to_owned()].into());
}

#[test]
fn what_is_erased_with_the_text_is_said() {
    let memory = memory();
    memory.done(&["add", "user", "Likes tea"]);
    let told = "the history of facts/user.md (2 revisions) is erased with it";
    for dry_run in [true, false] {
        let secret = format!("- {SECRET}");
        let mut words = vec!["rm", "user", &secret, "--forget"];
        words.extend(dry_run.then_some("-n"));
        let run = memory.run(&words);
        assert!(run.status == 0 && run.stderr.contains(told), "{run:#?}");
    }
    // What was erased before is not counted again.
    memory.done(&["add", "user", "Likes rain"]);
    let run = memory.run(&["rm", "user", "- Likes rain", "--forget"]);
    assert!(run.stderr.contains("(1 revision) is erased with it"), "{run:#?}");
}
