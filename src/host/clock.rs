//! Provides the current time: `MEMDIR_NOW`, else the system's clock and time zone.
//!
//! The only module that reads a clock.

use jiff::civil::Date;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::code::{Code, Rejection};

/// Returns the current time. `fixed` is the value of `MEMDIR_NOW`: an RFC 3339 time (its offset becomes the time zone)
/// or a date (midnight UTC). Without `local` the time zone is UTC, which reads no file.
///
/// # Errors
/// `usage` when `fixed` is neither.
pub fn now(fixed: Option<&str>, local: bool) -> Result<Zoned, Rejection> {
    let Some(text) = fixed else {
        return Ok(if local { Zoned::now() } else { Timestamp::now().to_zoned(TimeZone::UTC) });
    };
    parse_fixed_time(text).ok_or_else(|| {
        Rejection::new(Code::Usage, "MEMDIR_NOW is neither an RFC 3339 time nor a date")
            .hint("see ENVIRONMENT in memdir(1)")
            .hint("write it like 2026-02-24T10:00:00Z or 2026-02-24")
    })
}

fn parse_fixed_time(text: &str) -> Option<Zoned> {
    let pieces = Pieces::parse(text).ok()?;
    if pieces.time().is_none() {
        return Date::to_zoned(pieces.date(), TimeZone::UTC).ok();
    }
    let timestamp: Timestamp = text.parse().ok()?;
    let zone = match pieces.to_numeric_offset() {
        Some(offset) if !offset.is_zero() => TimeZone::fixed(offset),
        _ => TimeZone::UTC,
    };
    Some(timestamp.to_zoned(zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, shown: &str) {
        assert_eq!(now(Some(text), true).unwrap().to_string(), shown);
    }

    #[test]
    fn a_fixed_time_keeps_its_own_zone() {
        check("2026-02-24T10:00:00Z", "2026-02-24T10:00:00+00:00[UTC]");
        check("2026-02-24T10:00:00+08:00", "2026-02-24T10:00:00+08:00[+08:00]");
        check("2026-02-24", "2026-02-24T00:00:00+00:00[UTC]");
        assert_eq!(now(Some("soon"), false).unwrap_err().code, Code::Usage);
    }
}
