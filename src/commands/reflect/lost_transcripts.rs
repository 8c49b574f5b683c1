//! Queued transcripts that are gone or can never be read: recorded for `status`, because the output of a process in the
//! background is not shown.
//!
//! Never names what was in one.

use jiff::ToSpan as _;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::code::{Code, Warning};
use crate::commands::Session;
use crate::text::counted_noun::counted_noun;

/// File name below `.memdir/`.
const NOTE: &str = "lost_transcripts";
/// How long `status` mentions them, in days.
const SHOWN_DAYS: i64 = 7;

/// The transcripts that were dropped, each within [`SHOWN_DAYS`] of the one before.
#[derive(Debug, Default, Serialize, Deserialize)]
struct LostTranscripts {
    /// The day of the last, `YYYY-MM-DD`.
    day: String,
    count: usize,
    /// Why the last one could not be read.
    reason: String,
}

impl LostTranscripts {
    /// Those that are still to be mentioned.
    fn load(session: &Session) -> Option<LostTranscripts> {
        let lost: LostTranscripts = session.read_signed_json_note(NOTE)?;
        let last = lost.day.parse::<Date>().ok()?;
        let until = last.checked_add(SHOWN_DAYS.days()).ok()?;
        (session.now.date() < until).then_some(lost)
    }
}

/// Records that a transcript was skipped. What cannot be recorded is only not mentioned.
pub(super) fn record(session: &Session, reason: &str) {
    let count = LostTranscripts::load(session).map_or(0, |lost| lost.count) + 1;
    let lost = LostTranscripts { day: session.now.date().to_string(), count, reason: reason.to_owned() };
    session.write_signed_json_note(NOTE, &lost);
}

/// The warning about transcripts that were lost in the last days. Their paths are shown only to who sees everything.
pub fn lost_transcripts_warning(session: &Session) -> Option<Warning> {
    let lost = LostTranscripts::load(session)?;
    let what = counted_noun(lost.count, "queued transcript");
    let verb = if lost.count == 1 { "was" } else { "were" };
    let reason = if session.visibility().is_some() { String::new() } else { format!(": {}", lost.reason) };
    let message = format!("{what} could not be read and {verb} dropped, the last on {}{reason}", lost.day);
    Some(Warning::new(Code::Note, message))
}
