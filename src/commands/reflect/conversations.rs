//! Parses the conversations that `reflect` reads.
//!
//! Transcripts have times in UTC, but "tomorrow" was said in the time zone of the user, who is taken to be where the
//! session is.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::decision_text;
use crate::code::{Code, Rejection};
use crate::commands::Session;
use crate::text::strip_diacritics::compose_marks;
use crate::transcript::{self, Conversation};

/// Parses the conversations of a transcript. Their times are in the session's time zone; what tools and hosts wrote is
/// shortened, without secrets.
///
/// # Errors
/// `invalid_transcript`.
pub fn parse_conversations(session: &Session, bytes: &[u8]) -> Result<Vec<Conversation>, Rejection> {
    let mut conversations = transcript::read(bytes).map_err(|error| {
        Rejection::new(Code::InvalidTranscript, format!("the input is not a conversation: {error}")).hint(
            "supported are transcripts of Claude Code, Codex, Gemini CLI, Aider and GitHub Copilot, OpenAI messages and \
             responses, the exports of ChatGPT, Claude.ai, Cursor, AI Studio and ShareGPT, markdown with speakers, \
             and plain text",
        )
    })?;
    for turn in conversations.iter_mut().flat_map(|conversation| &mut conversation.turns) {
        turn.shorten_inserted(&decision_text::redact);
        // A model quotes composed letters.
        if let Cow::Owned(composed) = compose_marks(&turn.text) {
            turn.text = composed;
        }
        if let Some(local) = turn.at.as_ref().and_then(|at| local_time(at, session.now.time_zone())) {
            turn.at = Some(local);
        }
    }
    Ok(conversations)
}

/// A time of UTC in another time zone, or a local time with the offset of the zone, as RFC 3339; `None` for a time with
/// an offset of its own, and for one of UTC where the zone is UTC at that time.
fn local_time(at: &str, zone: &TimeZone) -> Option<String> {
    if let Ok(local) = at.parse::<DateTime>()
        && at.contains(['T', ' '])
        && !at.ends_with(['Z', 'z'])
        && at.parse::<Timestamp>().is_err()
    {
        let time = zone.to_timestamp(local).ok()?;
        let offset = zone.to_offset(time);
        return Some(if offset.is_zero() { time.to_string() } else { time.display_with_offset(offset).to_string() });
    }
    let is_utc = at.ends_with(['Z', 'z']) || at.ends_with("+00:00");
    let utc: Timestamp = at.parse().ok().filter(|_| is_utc)?;
    let offset = zone.to_offset(utc);
    (!offset.is_zero()).then(|| utc.display_with_offset(offset).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(at: &str, hours: i8, local: Option<&str>) {
        let zone = TimeZone::fixed(jiff::tz::offset(hours));
        assert_eq!(local_time(at, &zone).as_deref(), local);
    }

    #[test]
    fn times_in_utc_are_given_in_the_time_zone() {
        check("2026-12-01T03:00:00.5Z", -8, Some("2026-11-30T19:00:00.5-08:00"));
        check("2026-12-01T16:00:00+00:00", 9, Some("2026-12-02T01:00:00+09:00"));
        check("2026-12-01T03:00:00Z", 0, None);
        check("2026-12-01T03:00:00+02:00", -8, None);
        check("2026-12-01", -8, None);
        check("2026-12-01T20:00:00", 8, Some("2026-12-01T20:00:00+08:00"));
        check("2026-12-01T20:00:00", 0, Some("2026-12-01T20:00:00Z"));
        check("soon", -8, None);
    }
}
