//! Links of a terminal to files: the escape sequence OSC 8, where the terminal is known to understand it
//! (<https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda>).
//!
//! Never guesses: an unknown terminal gets plain text.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use crate::host::EnvLookup;

/// Names in `TERM_PROGRAM` of terminals that show such links.
const PROGRAMS: [&str; 7] = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby"];
/// Beginnings of `TERM` of terminals that do.
const TERMS: [&str; 6] = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "contour", "wezterm"];
/// Variables that only such terminals set.
const VARIABLES: [&str; 4] = ["KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM"];
/// The first version of VTE (GNOME Terminal, Tilix and others) that does: 0.50.
const MIN_VTE: u32 = 5000;

/// Whether the terminal shows links; `env` reads the environment. `FORCE_HYPERLINK` decides, as it does for other
/// programs: `0` is no, anything else yes.
pub fn are_supported(env: EnvLookup<'_>) -> bool {
    if let Some(forced) = env("FORCE_HYPERLINK").filter(|forced| !forced.is_empty()) {
        return forced != "0";
    }
    let term = env("TERM").unwrap_or_default();
    // A multiplexer passes links on only if it is configured to.
    if term == "dumb" || term.starts_with("screen") || term.starts_with("tmux") {
        return false;
    }
    env("TERM_PROGRAM").is_some_and(|program| PROGRAMS.contains(&&*program))
        || TERMS.iter().any(|known| term.starts_with(known))
        || VARIABLES.iter().any(|name| env(name).is_some_and(|value| !value.is_empty()))
        || env("VTE_VERSION").and_then(|version| version.parse::<u32>().ok()).is_some_and(|v| v >= MIN_VTE)
}

/// What the address of a file has encoded: all but RFC 3986's unreserved characters and the separator of folders.
const ENCODED: AsciiSet = NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Appends the start of a link to a file below a directory.
pub fn start_link(out: &mut String, dir: &Path, path: &str) {
    out.push_str("\x1b]8;;file://");
    for part in [dir.as_os_str().as_bytes(), b"/", path.as_bytes()] {
        out.extend(percent_encode(part, &ENCODED));
    }
    out.push_str("\x1b\\");
}

/// Appends the end of a link.
pub fn end_link(out: &mut String) {
    out.push_str("\x1b]8;;\x1b\\");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_terminals_get_links() {
        let supported = |set: &[(&str, &str)]| {
            are_supported(&|name| set.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned()))
        };
        for yes in [
            &[("TERM_PROGRAM", "WezTerm")][..],
            &[("TERM", "xterm-kitty")],
            &[("TERM", "foot-extra")],
            &[("VTE_VERSION", "7200"), ("TERM", "xterm-256color")],
            &[("WT_SESSION", "1")],
            &[("FORCE_HYPERLINK", "1"), ("TERM", "dumb")],
        ] {
            assert!(supported(yes), "{yes:?}");
        }
        for no in [
            &[][..],
            &[("TERM", "xterm-256color")],
            &[("VTE_VERSION", "4205")],
            &[("TERM", "tmux-256color"), ("TERM_PROGRAM", "WezTerm")],
            &[("FORCE_HYPERLINK", "0"), ("TERM", "xterm-kitty")],
        ] {
            assert!(!supported(no), "{no:?}");
        }
    }

    #[test]
    fn nothing_of_a_name_is_obeyed() {
        let mut out = String::new();
        start_link(&mut out, Path::new("/a b"), "facts/\x1b]0;x\x07é.md");
        assert_eq!(out, "\x1b]8;;file:///a%20b/facts/%1B%5D0%3Bx%07%C3%A9.md\x1b\\");
    }
}
