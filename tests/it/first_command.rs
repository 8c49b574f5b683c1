//! The tour of `fixtures/tour.sh` holds what it claims, with the binary that was just built.
//!
//! The script checks its own claims and fails; here the page it prints is looked at.

use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn the_tour_fits_on_one_screen() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tour.sh");
    let mut tour = Command::new("bash");
    tour.arg(&script).env("MEMDIR_BIN", env!("CARGO_BIN_EXE_memdir")).stdin(Stdio::null());
    let output = tour.output().unwrap();
    let (page, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{page}\n{err}");
    assert_eq!(err, "");
    assert!(page.lines().count() <= 30 && page.lines().all(|l| l.chars().count() <= 110), "{page}");
    for claim in [
        "800 of 800 notes kept",
        "leap seconds are not worth any code",
        "memdir: bullet_changed: ",
        "was: @",
        "now: @",
        "100 times: 700 notes left, none of them agent-8's",
        "1 file changed, 705 insertions(+), 2 deletions(-)",
        "git alone: conflict.",
        "merged, +2 bullets in facts/project.md.",
    ] {
        assert!(page.contains(claim), "{claim}:\n{page}");
    }
    assert!(!page.contains(std::env::temp_dir().to_str().unwrap()), "{page}");
}
