//! The picture on the front page, `docs/demo.svg`, is what `docs/demo.sh` draws with the program that was just built.
//! `MEMDIR_BLESS=1` draws it anew.
//!
//! Never trusts the picture alone: it must also show the three things that it is there for.

use std::path::Path;
use std::process::{Command, Stdio};

use fs_err as fs;

#[test]
fn the_picture_shows_a_real_session() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut demo = Command::new("bash");
    demo.arg(docs.join("demo.sh")).env("MEMDIR_BIN", env!("CARGO_BIN_EXE_memdir")).stdin(Stdio::null());
    let output = demo.output().unwrap();
    let (svg, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success() && err.is_empty(), "{err}");

    for part in ["sed -i", ">bullet_changed</tspan>: @", "now: </tspan>@", "undo --by agent-2", "undone r3"] {
        assert!(svg.contains(part), "no {part:?} in\n{svg}");
    }
    for part in ["<title id=", "<desc id=", "prefers-reduced-motion"] {
        assert!(svg.contains(part), "no {part:?} in\n{svg}");
    }
    // A picture on a web page must not load anything; the one address is the name of the format.
    let addresses = svg.matches("http").count() + svg.matches("url(").count() + svg.matches("@import").count();
    assert!(addresses == 1 && svg.len() < 40_000, "{addresses} addresses, {} bytes", svg.len());

    let file = docs.join("demo.svg");
    if std::env::var_os("MEMDIR_BLESS").is_some() {
        fs::write(&file, svg).unwrap();
        return;
    }
    let committed = fs::read_to_string(&file).unwrap();
    let diff = similar::TextDiff::from_lines(committed.as_str(), svg.as_str());
    assert!(committed == svg, "docs/demo.svg is stale (MEMDIR_BLESS=1 draws it anew):\n{}", diff.unified_diff());
}
