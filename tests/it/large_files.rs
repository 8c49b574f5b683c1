//! Files with thousands of bullets: the time that a command takes grows with the file, not with its square.

use std::time::{Duration, Instant};

use crate::support::Memory;

/// A word of letters alone: one with digits is two words to a search.
fn word(n: usize) -> String {
    let mut rest = n * 2_654_435_761 % 26_usize.pow(6);
    let mut next = || {
        let letter = b'a' + (rest % 26) as u8;
        rest /= 26;
        letter as char
    };
    (0..6).map(|_| next()).collect()
}

/// A memory with a file of `count` bullets, each with a link to another one.
fn linked_bullets(count: usize) -> Memory {
    let bullet = |n: usize| format!("- The {} item sees [[notes#^x{}]] ^x{}\n", word(n), word(n * 7 % count), word(n));
    Memory::new().file("facts/notes.md", &format!("# Notes\n\n{}", (0..count).map(bullet).collect::<String>()))
}

/// Whether four times as much takes less than eight times as long.
#[track_caller]
fn assert_not_quadratic(small: impl Fn() -> Memory, large: impl Fn() -> Memory, args: &[&str]) {
    let time_of = |memory: &dyn Fn() -> Memory| {
        let time = || {
            let memory = memory();
            let started = Instant::now();
            memory.run(args).exit(0);
            started.elapsed()
        };
        // The better of two: a machine that is busy with something else only ever adds.
        time().min(time())
    };
    let (small, large) = (time_of(&small), time_of(&large));
    assert!(large < small * 8 + Duration::from_millis(200), "{args:?}: {small:?}, {large:?}");
}

#[test]
fn a_page_with_many_links_takes_no_quadratic_time() {
    assert_not_quadratic(|| linked_bullets(250), || linked_bullets(1_000), &["export", "--to", "html"]);
}

/// Each row of a table is an item, and the table is one block: it is not read again for each row.
#[test]
fn a_large_table_takes_no_quadratic_time() {
    let table = |count: usize| {
        let rows: String = (0..count).map(|n| format!("| k{n} | {} {} |\n", word(n), word(n + 1))).collect();
        Memory::new().file("facts/t.md", &format!("# T\n\n| a | b |\n|---|---|\n{rows}"))
    };
    for args in [&["context"][..], &["export", "--to", "records"]] {
        assert_not_quadratic(|| table(500), || table(2_000), args);
    }
    table(500).done(["context"]).stdout_contains("| k1 |");
}

/// The operations of a batch find their bullets by an index, not by a scan of all for each, and a title is not looked
/// for among all items above.
#[test]
fn many_bullets_take_no_quadratic_time() {
    let bullets = |count: usize| {
        let bullet = |n: usize| format!("- {} {} here\n", word(n), word(n + 1));
        Memory::new().file("facts/t.md", &format!("# T\n\n{}", (0..count).map(bullet).collect::<String>()))
    };
    for args in [&["compact", "t", "--to", "100"][..], &["query", "here", "-L", "3"]] {
        assert_not_quadratic(|| bullets(1_000), || bullets(4_000), args);
    }
    let memory = bullets(1_000);
    memory.done(["compact", "t", "--to", "100"]).stderr_contains("900 of the oldest");
    assert_eq!(memory.text("facts/t.md").unwrap().matches("\n- ").count(), 100);
}

/// A memory with a file of which only the start and the length matter: more than 64 MiB.
fn with_oversized_file(memory: Memory) -> Memory {
    memory.put("facts/big.md", "# Big\n\n- zebra at the start\n");
    memory.put("facts/small.md", "- zebra fact\n");
    let big = fs_err::OpenOptions::new().append(true).open(memory.dir().join("facts/big.md")).unwrap();
    big.set_len((64 << 20) + 1).unwrap();
    memory
}

#[test]
fn a_file_over_64_mib_is_named_and_never_cut() {
    let memory = with_oversized_file(Memory::new());
    let reason = "'facts/big.md' is larger than 64 MiB";
    let found = memory.done(["query", "zebra"]).stderr_contains(&format!("left out: {reason}"));
    assert!(found.stdout.contains("zebra fact") && !found.stdout.contains("at the start"), "{found}");
    memory.done(["list"]).stdout_contains(&format!("facts/big.md (refused: {reason})"));
    memory.run(["check"]).ends().stdout_contains(&format!("facts/big.md: error: too_large: {reason}"));
    memory.done(["context"]).stdout_contains(&format!("left out: {reason}"));
    let exported = memory.run(["export", "--to", "json"]).ends();
    assert_eq!(exported.status, 8, "{exported}");
    let exported = exported.stderr_contains(&format!("not exported: facts/big.md: {reason}"));
    assert!(!exported.stdout.contains("at the start"));
    memory.run(["mv", "small", "renamed"]).exit(5).unchanged().stderr_contains("too_large");
    let address = format!("small@{}", crate::support::handle("zebra fact"));
    memory.done(["rm", "--forget", &address]).stderr_contains(&format!("left out: {reason}"));
}

const POLICY: &str = "version: 1\ncategories:\n  custom:\n    - name: health\nallowlists:\n  planner: [work]\n";

#[test]
fn a_restricted_agent_is_not_told_of_a_file_over_64_mib() {
    let memory = with_oversized_file(Memory::new().policy(POLICY));
    for words in [&["list"][..], &["query", "zebra"], &["check"], &["context"]] {
        let ran = memory.run(words).by("planner").exit(0);
        assert!(!ran.stdout.contains("big") && !ran.stderr.contains("big"), "{ran}");
    }
}
