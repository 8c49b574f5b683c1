//! Finds the turns of exported terminal contents: `>` or `❯` before what the user typed, `⏺` or `●` before what the
//! model wrote, `⎿` before what a tool printed.
//!
//! Never takes a quote (`> `) and a list (`●`) of an ordinary text for a terminal.

use super::{SpeakerLine, SpeakerStyle};
use crate::transcript::Role;

/// The lines that start with the sign of the user, the model or a tool. Empty without lines of both user and model, and
/// for a text that is not laid out like a terminal.
pub(super) fn sign_lines(text: &str) -> Vec<SpeakerLine> {
    if !text.contains(['⏺', '●']) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut at, mut is_certain, mut is_laid_out) = (0, false, true);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let sign = |signs: &[&str]| signs.iter().find(|sign| line.starts_with(*sign)).map(|sign| sign.len());
        let role =
            [(Role::User, sign(&["> ", "❯ "])), (Role::Assistant, sign(&["⏺ ", "● "])), (Role::Tool, sign(&["  ⎿"]))];
        let Some((role, length)) = role.into_iter().find_map(|(role, length)| Some((role, length?))) else {
            is_laid_out &= found.is_empty() || continues_turn(line);
            continue;
        };
        is_certain |= sign(&["❯ ", "⏺ ", "  ⎿"]).is_some();
        found.push(SpeakerLine {
            style: SpeakerStyle::TerminalSign,
            role,
            at: None,
            start,
            body_start: start + length,
            lower_case: false,
            indent: 0,
            after_blank: false,
        });
    }
    let has_role = |role| found.iter().any(|mark| mark.role == role);
    let is_terminal = has_role(Role::User) && has_role(Role::Assistant) && (is_certain || is_laid_out);
    if is_terminal { found } else { Vec::new() }
}

/// Whether a line may stand below a sign in a terminal: it is blank, indented, or begins with a sign or a frame.
fn continues_turn(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with(|c: char| c.is_whitespace() || !c.is_ascii() && !c.is_alphanumeric())
}
