//! How long to wait before a host is asked again.
//!
//! Pure: chance and the present moment are arguments.

use std::time::Duration;

use jiff::Timestamp;

/// How often a host is asked again.
pub const AGAIN: u32 = 2;
/// The first wait, which doubles.
const FIRST: Duration = Duration::from_millis(500);
/// The longest wait of our own.
const LONGEST: Duration = Duration::from_secs(8);

/// The wait before the n-th repetition (from 0), up to a quarter shorter by chance (0 to 1), so that many who were
/// turned away at once do not come back at once.
pub fn backoff(n: u32, chance: f64) -> Duration {
    let whole = FIRST.saturating_mul(2u32.saturating_pow(n)).min(LONGEST);
    whole.mul_f64(1.0 - 0.25 * chance.clamp(0.0, 1.0))
}

/// The wait that a host asks for: `retry-after-ms`, else `retry-after` as seconds or as a date.
pub fn asked(milliseconds: Option<&str>, after: Option<&str>, now: Timestamp) -> Option<Duration> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    if let Some(ms) = milliseconds.and_then(number) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let after = after?.trim();
    if let Some(seconds) = number(after) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(after).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_eight_seconds() {
        let all: Vec<f64> = (0..6).map(|n| backoff(n, 0.0).as_secs_f64()).collect();
        assert_eq!(all, [0.5, 1.0, 2.0, 4.0, 8.0, 8.0]);
        assert_eq!(backoff(1, 1.0), Duration::from_millis(750));
        assert_eq!(backoff(u32::MAX, 0.5), Duration::from_secs(7));
    }

    #[test]
    fn a_host_says_how_long() {
        let now: Timestamp = "2026-02-24T10:00:00Z".parse().unwrap();
        let of = |ms: Option<&str>, after: Option<&str>| asked(ms, after, now).map(|d| d.as_secs_f64());
        assert_eq!(of(Some("20"), Some("9")), Some(0.02));
        assert_eq!(of(None, Some(" 1.5 ")), Some(1.5));
        assert_eq!(of(None, Some("Tue, 24 Feb 2026 10:00:03 GMT")), Some(3.0));
        assert_eq!(of(None, Some("Tue, 24 Feb 2026 09:00:00 GMT")), Some(0.0));
        for odd in ["-1", "soon", "", "NaN", "1e400"] {
            assert_eq!(of(None, Some(odd)), None, "{odd}");
        }
    }
}
