//! The tour of `fixtures/tour.sh` holds what it claims, with the binary that was just built.
//!
//! The script checks its own claims and fails; here the page it prints is looked at.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::memory::full;

#[test]
fn the_tour_fits_on_one_screen() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tour.sh");
    // An unoptimised program takes a minute for 100 notes of each agent.
    let each = if full() { 100 } else { 25 };
    let mut tour = Command::new("bash");
    tour.arg(&script).arg(each.to_string()).env("MEMDIR_BIN", env!("CARGO_BIN_EXE_memdir")).stdin(Stdio::null());
    let output = tour.output().unwrap();
    let (page, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{page}\n{err}");
    assert_eq!(err, "");
    assert!(page.lines().count() <= 30 && page.lines().all(|l| l.chars().count() <= 110), "{page}");
    for claim in [
        &format!("{0} of {0} notes kept", 8 * each),
        "leap seconds are not worth any code",
        "memdir: bullet_changed: ",
        "was: @",
        "now: @",
        &format!("{each} times: {} notes left, none of them agent-8's", 7 * each),
        &format!("1 file changed, {} insertions(+), 2 deletions(-)", 7 * each + 5),
        "git alone: conflict.",
        "merged, +2 bullets in facts/project.md.",
    ] {
        assert!(page.contains(claim), "{claim}:\n{page}");
    }
    assert!(!page.contains(std::env::temp_dir().to_str().unwrap()), "{page}");
}
