//! Provides the current time: `MEMDIR_NOW`, else the system's clock and time zone.
//!
//! The only module that reads a clock.

use std::path::Path;

use jiff::civil::Date;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::code::{Code, Rejection};

/// Returns the current time. `MEMDIR_NOW` of the environment fixes it: an RFC 3339 time (its offset becomes the time
/// zone) or a date (midnight UTC). With `local`, the time zone is that of `TZ`, else the system's; without, it is UTC,
/// and no file is read.
///
/// # Errors
/// `usage` when `MEMDIR_NOW` is neither.
pub fn now(env: &dyn Fn(&str) -> Option<String>, local: bool) -> Result<Zoned, Rejection> {
    let Some(text) = env("MEMDIR_NOW") else {
        let zone = if local { time_zone(env("TZ").as_deref()) } else { TimeZone::UTC };
        return Ok(Timestamp::now().to_zoned(zone));
    };
    parse_fixed_time(&text).ok_or_else(|| {
        Rejection::new(Code::Usage, "MEMDIR_NOW is neither an RFC 3339 time nor a date")
            .hint("see ENVIRONMENT in memdir(1)")
            .hint("write it like 2026-02-24T10:00:00Z or 2026-02-24")
    })
}

/// The folders that may hold the system's time zones.
const ZONE_FOLDERS: [&str; 4] =
    ["/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"];

/// The time zone of `TZ`, else the system's, else UTC.
///
/// jiff finds a zone by its name only in a database whose folder it lists first, which takes longer than a command, so
/// the one file is read here. Rules (`PST8PDT,M3.2.0,M11.1.0`) and paths are left to jiff.
fn time_zone(name: Option<&str>) -> TimeZone {
    let name = name.map(|name| name.strip_prefix(':').unwrap_or(name)).filter(|name| is_zone_name(name));
    name.and_then(|name| ZONE_FOLDERS.iter().find_map(|folder| read_zone(folder.as_ref(), name)))
        .unwrap_or_else(TimeZone::system)
}

/// Reads the zone of that name; `None` if the folder has none.
fn read_zone(folder: &Path, name: &str) -> Option<TimeZone> {
    TimeZone::tzif(name, &fs_err::read(folder.join(name)).ok()?).ok()
}

/// Whether a value of `TZ` may be the name of a zone (`Asia/Tokyo`), and no path out of the folder of zones.
fn is_zone_name(name: &str) -> bool {
    name.split('/').all(|part| part.starts_with(|c: char| c.is_ascii_alphabetic()))
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
        let env = |name: &str| (name == "MEMDIR_NOW").then(|| text.to_owned());
        assert_eq!(now(&env, true).unwrap().to_string(), shown);
    }

    #[test]
    fn a_zone_is_read_from_its_file() {
        // RFC 9636: a header and a block of version 1 with one type of local time, the same of version 2, and a rule.
        let header = b"TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x04";
        let block = b"\0\0\x7e\x90\0\0JST\0";
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("Asia")).unwrap();
        let file = [&header[..], block, header, block, b"\nJST-9\n"].concat();
        fs_err::write(folder.path().join("Asia/Tokyo"), file).unwrap();
        let zone = read_zone(folder.path(), "Asia/Tokyo").unwrap();
        let day = Timestamp::from_second(1_796_140_800).unwrap().to_zoned(zone);
        assert_eq!(day.to_string(), "2026-12-02T01:00:00+09:00[Asia/Tokyo]");
        assert_eq!(read_zone(folder.path(), "Asia/Nowhere"), None);
    }

    fn check_zone(name: &str, is_zone: bool) {
        assert_eq!(is_zone_name(name), is_zone, "{name}");
    }

    #[test]
    fn only_names_are_looked_up_among_the_zones() {
        check_zone("Asia/Tokyo", true);
        check_zone("America/Argentina/Buenos_Aires", true);
        check_zone("UTC", true);
        check_zone("", false);
        check_zone("/etc/localtime", false);
        check_zone("../../etc/passwd", false);
        check_zone("Asia/../../x", false);
    }

    #[test]
    fn a_fixed_time_keeps_its_own_zone() {
        check("2026-02-24T10:00:00Z", "2026-02-24T10:00:00+00:00[UTC]");
        check("2026-02-24T10:00:00+08:00", "2026-02-24T10:00:00+08:00[+08:00]");
        check("2026-02-24", "2026-02-24T00:00:00+00:00[UTC]");
        assert_eq!(now(&|_| Some("soon".into()), false).unwrap_err().code, Code::Usage);
    }
}
