//! Fuzzing: random bytes for every parser: no panic, no hang, no broken promise.
//!
//! Small by default; with `MEMDIR_FULL` at least 1,000,000 executions a target. What once failed is kept below
//! `fixtures/fuzz/TARGET/` and runs first.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fastrand::Rng;
use memdir::document::{BulletMeta, Document, DocumentEdit, InsertPosition, NewBullet, apply_edits};
use memdir::operation::dialects;
use memdir::path::{Address, MemoryPath, PathPrefixes};
use memdir::text::splice;

use crate::support::corpus;
use crate::support::memory::full;

/// Pieces that readers of these formats stumble over.
const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    "- ",
    "* ",
    "  - ",
    "# ",
    "## ",
    "---\n",
    "```\n",
    "<!-- mem ",
    " -->",
    "id=x ",
    "exp=2026-12-31 ",
    "\"",
    "%",
    "%20",
    "\\",
    "\t",
    "\u{feff}",
    "\u{0}",
    "\u{200b}",
    "\u{202e}",
    "é",
    "项目",
    "[x]: /u\n",
    "[[a]]",
    "{#id}",
    "^id",
    "> Summary: ",
    "@",
    "#",
    "/",
    "..",
    "~",
    ":",
    "{\"op\":\"add\",",
    "\"at\":\"user\"",
    "\"text\":",
    "[",
    "]",
    "{",
    "}",
    ",",
    "null",
    "1e999",
    "-1",
    "\\u0000",
    "\\ud800",
    "\"memory_id\"",
    "\"operation\":\"update\"",
    "user@acvh",
    "2026-02",
    "<<<<<<< a\n",
    "=======\n",
    ">>>>>>> b\n",
    "summary: x\n",
    "tags: [a, b]\n",
    "a: &a\n",
    "? b\n",
    "1. ",
    "<div>\n",
    "    code\n",
    "***\n",
    "(ID: mem1)",
];

struct Mutator {
    rng: Rng,
    seeds: Vec<Vec<u8>>,
}

impl Mutator {
    fn next(&mut self) -> Vec<u8> {
        let mut bytes = self.rng.choice(&self.seeds).unwrap().clone();
        for _ in 0..=self.rng.usize(..6) {
            let at = self.rng.usize(..=bytes.len());
            match self.rng.usize(..7) {
                0 => drop(bytes.splice(at..at, self.rng.choice(PIECES).unwrap().bytes())),
                1 => bytes.truncate(at),
                2 if at < bytes.len() => bytes[at] ^= 1 << self.rng.usize(..8),
                3 => {
                    let end = (at + self.rng.usize(..16)).min(bytes.len());
                    drop(bytes.drain(at..end));
                }
                4 => {
                    let end = (at + self.rng.usize(..64)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    let to = self.rng.usize(..=bytes.len());
                    drop(bytes.splice(to..to, part));
                }
                5 => {
                    let other = self.rng.choice(&self.seeds).unwrap();
                    let from = self.rng.usize(..=other.len());
                    let end = (from + self.rng.usize(..64)).min(other.len());
                    let part = other[from..end].to_vec();
                    drop(bytes.splice(at..at, part));
                }
                _ => drop(bytes.splice(at..at, self.rng.choice(PIECES).unwrap().bytes())),
            }
        }
        bytes.truncate(600);
        bytes
    }
}

/// Runs a target; what fails is written where the next run finds it.
fn fuzz(target: &str, seeds: Vec<Vec<u8>>, mut run: impl FnMut(&[u8], &mut Rng)) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fuzz").join(target);
    let mut rng = Rng::with_seed(3);
    for entry in std::fs::read_dir(&kept).into_iter().flatten().flatten() {
        run(&std::fs::read(entry.path()).unwrap(), &mut rng);
    }
    let executions: u64 = if full() { 1_000_000 } else { 1_500 };
    let mut mutator = Mutator { rng: Rng::with_seed(target.len() as u64 + 17), seeds };
    for n in 0..executions {
        let bytes = mutator.next();
        if catch_unwind(AssertUnwindSafe(|| run(&bytes, &mut rng))).is_err() {
            std::fs::create_dir_all(&kept).unwrap();
            let file = kept.join(format!("case-{n}"));
            std::fs::write(&file, &bytes).unwrap();
            panic!("{target}: execution {n} failed; its input is {}", file.display());
        }
    }
    println!("fuzz: {target}: {executions} executions");
}

fn texts(most: usize) -> Vec<Vec<u8>> {
    let real = corpus::real().into_iter().chain(corpus::example()).map(|(_, text)| text);
    let short = |text: String| text.into_bytes().into_iter().take(most).collect::<Vec<u8>>();
    let mut all: Vec<Vec<u8>> = real.map(short).collect();
    all.extend(corpus::texts().into_iter().map(short));
    all.push(b"# A\n\n> Summary: a\n\n- Name: x\n  <!-- mem id=a1 exp=2026-12-31 -->\n\n## B {#b}\n\n- y\n".to_vec());
    all
}

#[test]
fn the_parser_and_the_edits_keep_their_promise() {
    fuzz("parser", texts(400), |bytes, rng| {
        let Ok(document) = Document::from_bytes(bytes.to_vec()) else { return };
        let bullets = document.bullets().len();
        let text = String::from_utf8_lossy(bytes).into_owned();
        let new = text.lines().nth(rng.usize(..8)).unwrap_or("new").to_owned();
        let edits = match (rng.usize(..3), bullets) {
            (0, 1..) => vec![DocumentEdit::Update { bullet: rng.usize(..bullets), text: new.clone() }],
            (1, 1..) => vec![DocumentEdit::Remove { bullet: rng.usize(..bullets) }],
            _ => {
                let at = InsertPosition::EndOfSection(rng.usize(..document.sections().len()));
                vec![DocumentEdit::Insert { at, items: vec![NewBullet { text: new.clone(), ..NewBullet::default() }] }]
            }
        };
        let Ok(edited) = apply_edits(&document, &edits) else { return };
        // The edits are what leads from the one text to the other, and nothing else moved.
        assert_eq!(splice(document.text(), &edited.splices).unwrap(), edited.document.text());
        let mut left: Vec<String> = (0..bullets).map(|i| document.bullet_text(i).into_owned()).collect();
        let mut now: Vec<String> =
            (0..edited.document.bullets().len()).map(|i| edited.document.bullet_text(i).into_owned()).collect();
        match &edits[0] {
            DocumentEdit::Update { bullet, .. } => {
                left.remove(*bullet);
                let wrote = edited.written_bullets[0][0];
                now.remove(wrote);
                assert_eq!(left, now);
            }
            DocumentEdit::Insert { .. } => {
                for &i in edited.written_bullets[0].iter().rev() {
                    now.remove(i);
                }
                assert_eq!(left, now);
            }
            _ => assert!(now.len() < left.len() && now.iter().all(|text| left.contains(text))),
        }
        assert_eq!(Document::parse(edited.document.text()).bullets(), edited.document.bullets());
    });
}

#[test]
fn front_matter_values_read_back() {
    let seeds = [
        "---\ntitle: A\nsummary: \"x\"\ntags: [a, b]\n---\n# A\n",
        "---\r\na: |\r\n  b\r\n---\r\n",
        "---\n---\n",
        "--- \na: b\n...\n",
    ];
    fuzz("front", seeds.map(|s| s.as_bytes().to_vec()).into(), |bytes, rng| {
        let Ok(document) = Document::from_bytes(bytes.to_vec()) else { return };
        let key = ["title", "summary", "tags", "a"][rng.usize(..4)];
        let _ = (document.front_text(key), document.front_value(key), document.body_start());
        let lossy = String::from_utf8_lossy(bytes).into_owned();
        let value = lossy.lines().nth(rng.usize(..5)).unwrap_or("x");
        let Some(set) = document.set_front_value(key, value) else { return };
        let after = Document::parse(splice(document.text(), &[set]).unwrap());
        assert_eq!(&after.text()[after.body_start()..], &document.text()[document.body_start()..]);
        if value.chars().all(|c| c.is_ascii_alphanumeric()) && !value.is_empty() {
            assert_eq!(after.front_text(key).as_deref(), Some(value), "{:?}", after.text());
        }
    });
}

#[test]
fn metadata_lines_print_as_they_read() {
    let seeds = [
        "<!-- mem id=a1 exp=2026-12-31 imp=7 -->",
        "<!-- mem src=\"a b\" x=%2D%2D -->",
        "  <!-- mem -->",
        "<!-- mem a=\"\" -->",
    ];
    fuzz("meta", seeds.map(|s| s.as_bytes().to_vec()).into(), |bytes, _| {
        let text = String::from_utf8_lossy(bytes);
        let Some(meta) = BulletMeta::parse(&text) else { return };
        let printed = meta.to_comment();
        assert_eq!(BulletMeta::parse(&printed).map(|m| m.to_comment()), Some(printed.clone()));
        assert!(!printed.trim_end_matches("-->").contains("-->"), "{printed}");
    });
}

#[test]
fn addresses_and_paths_stay_inside_the_data_dir() {
    let seeds = [
        "user",
        "facts/user.md",
        "user#work",
        "user@acvh",
        "user#work@2",
        "2026-02",
        "../x",
        "a/b/c.md#d/e@f",
        "@mem123",
        "r41",
        "scopes/a/facts/b.md",
        "C:\\x",
    ];
    let prefixes = PathPrefixes(vec!["memory".into(), "/abs/memory".into()]);
    fuzz("address", seeds.map(|s| s.as_bytes().to_vec()).into(), |bytes, _| {
        let text = String::from_utf8_lossy(bytes);
        let safe = |path: &MemoryPath| {
            let parts: Vec<&str> = path.as_str().split('/').collect();
            assert!(parts.iter().all(|p| !p.is_empty() && *p != "." && *p != ".." && !p.contains('\0')), "{path}");
        };
        if let Ok(path) = MemoryPath::new(&text) {
            safe(&path);
            assert!(path.as_str().len() <= 1024 && path.as_str().split('/').count() <= 9, "{path}");
            assert_eq!(MemoryPath::new(path.as_str()).as_ref(), Ok(&path));
        }
        if let Ok(path) = MemoryPath::from_disk_name(&text) {
            safe(&path);
        }
        let _ = Address::parse(&text, &prefixes);
    });
}

#[test]
fn operations_read_print_and_read_the_same() {
    let seeds = [
        r#"[{"op":"add","at":"user#travel","text":"Prefers window seats","meta":{"exp":"2026-12-31"}}]"#,
        r#"{"op":"update","at":"user@acvh","text":"Prefers spaces","seen":"0123abcd"}"#,
        r#"{"operations":[{"op":"patch","at":"user","pairs":[{"old":"a","new":"b"}]}],"request":"x"}"#,
        r#"{"intent":"update","memory_id":"mem1","sub_memory":"a","old_sub_memory":"b","index":2}"#,
        r#"{"operation":"delete","path":"food.likes[2]","current_value":"x"}"#,
        r#"{"path":"facts/user.md","edits":[{"oldText":"a","newText":"b"}]}"#,
        r#"{"op":"append","at":"2026-02","title":"T","text":"- a\n- b","date":"2026-02-24"}"#,
    ];
    fuzz("operation", seeds.map(|s| s.as_bytes().to_vec()).into(), |bytes, _| {
        let Ok(batch) = dialects::parse_batch(&String::from_utf8_lossy(bytes)) else { return };
        for operation in &batch.operations {
            assert_eq!(dialects::parse_operation(&dialects::to_json(operation)).as_ref(), Ok(operation));
        }
    });
}

#[test]
fn journals_read_without_believing_what_is_spoilt() {
    let memory = crate::support::memory::DataDirectory::new(&[("facts/user.md", "# User\n\n- a\n")]);
    for text in ["One", "Two", "Three"] {
        memory.done(&["add", "user", text]);
    }
    memory.done(&["undo"]);
    let whole = std::fs::read(memory.path(".memdir/journal")).unwrap();
    let known = memdir::store::read_journal(&whole);
    assert_eq!(known.len(), 4);
    let lines: Vec<Vec<u8>> = whole.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    let mut seeds = lines.clone();
    seeds.push(lines[..2].concat());
    seeds.push(lines[2..].concat());
    fuzz("journal", seeds, |bytes, rng| {
        for entry in memdir::store::read_journal(bytes) {
            let old = known.iter().find(|old| old.rev == entry.rev);
            let old = old.unwrap_or_else(|| panic!("an entry that nobody wrote: {entry:?}"));
            assert_eq!(
                (&entry.files, &entry.header.at, &entry.operations),
                (&old.files, &old.header.at, &old.operations)
            );
        }
        // And random lines with a valid checksum.
        let mut line: Vec<u8> = bytes.iter().copied().filter(|&b| b != b'\n').collect();
        if rng.bool() {
            line.truncate(line.len().saturating_sub(18));
        }
        let sum = crc32fast::hash(&line);
        line.extend_from_slice(format!(",\"crc\":\"{sum:08x}\"}}\n").as_bytes());
        let _ = memdir::store::read_journal(&line);
    });
}
