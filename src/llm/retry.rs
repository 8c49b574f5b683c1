//! How long to wait before a request is sent again.
//!
//! Pure: randomness and the current time are arguments.

use std::time::Duration;

use jiff::Timestamp;

/// Number of retries after the first attempt.
pub const MAX_RETRIES: u32 = 2;
/// First delay; it doubles with each retry.
const FIRST_DELAY: Duration = Duration::from_millis(500);
/// Upper bound of our own delays. A `retry-after` header may ask for more.
const MAX_DELAY: Duration = Duration::from_secs(8);

/// Delay before retry `n` (0-based). `chance` (0 to 1) shortens it by up to a quarter, so that clients rejected at the
/// same moment do not all return at the same moment.
pub fn backoff(retry: u32, chance: f64) -> Duration {
    let delay = FIRST_DELAY.saturating_mul(2u32.saturating_pow(retry)).min(MAX_DELAY);
    delay.mul_f64(1.0 - 0.25 * chance.clamp(0.0, 1.0))
}

/// The delay that a host requests: `retry-after-ms`, else `retry-after` as seconds or as an HTTP date (RFC 9110,
/// section 10.2.3).
pub fn requested_delay(milliseconds: Option<&str>, after: Option<&str>, now: Timestamp) -> Option<Duration> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    if let Some(ms) = milliseconds.and_then(number) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let retry_after = after?.trim();
    if let Some(seconds) = number(retry_after) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(retry_after).ok()?;
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
    fn a_host_requests_a_delay() {
        let now: Timestamp = "2026-02-24T10:00:00Z".parse().unwrap();
        let of = |ms: Option<&str>, after: Option<&str>| requested_delay(ms, after, now).map(|d| d.as_secs_f64());
        assert_eq!(of(Some("20"), Some("9")), Some(0.02));
        assert_eq!(of(None, Some(" 1.5 ")), Some(1.5));
        assert_eq!(of(None, Some("Tue, 24 Feb 2026 10:00:03 GMT")), Some(3.0));
        assert_eq!(of(None, Some("Tue, 24 Feb 2026 09:00:00 GMT")), Some(0.0));
        for odd in ["-1", "soon", "", "NaN", "1e400"] {
            assert_eq!(of(None, Some(odd)), None, "{odd}");
        }
    }
}
