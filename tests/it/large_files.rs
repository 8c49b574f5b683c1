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

#[test]
fn a_page_with_many_links_takes_no_quadratic_time() {
    let time_of = |count: usize| {
        let memory = linked_bullets(count);
        let export = || {
            let started = Instant::now();
            memory.run(["export", "--to", "html"]).exit(0);
            started.elapsed()
        };
        // The better of two: a machine that is busy with something else only ever adds.
        export().min(export())
    };
    let (small, large) = (time_of(250), time_of(1_000));
    assert!(large < small * 8 + Duration::from_millis(200), "{small:?}, {large:?}");
}
