//! Checks metadata keys and values, dates and summary lines.
//!
//! Never reads a document.

use jiff::civil::Date;

use crate::code::{Code, Rejection, quote_short};
use crate::document::meta_keys::{self, MetaType};
use crate::document::{BulletMeta, MetaKey};
use crate::policy::path_globs::glob_problems;

/// Checks a summary line: one line without control characters, so that it stays one block quote line.
pub fn check_summary_line(line: &str) -> Result<(), Rejection> {
    if line.chars().any(char::is_control) {
        Err(Rejection::new(Code::Multiline, "a summary must be one line without control characters"))
    } else {
        Ok(())
    }
}

/// Checks a metadata key and value. An empty value removes the key and is always valid.
pub fn check_meta(key: &str, value: &str) -> Result<(), Rejection> {
    check_key(key)?;
    if value.is_empty() {
        return Ok(());
    }
    if value.chars().any(|c| c.is_control()) {
        return Err(Rejection::new(Code::Multiline, format!("the value of {key} must be one line")));
    }
    let Some(expected) = MetaKey::from_name(key).map(|key| key.spec().value) else { return Ok(()) };
    if let Some(problem) = glob_problems(value).first().filter(|_| expected == MetaType::Globs) {
        let message = format!("{key}={} is not valid: {}", quote_short(problem.glob), problem.reason);
        return Err(Rejection::new(Code::Usage, message).hint(problem.hint));
    }
    if expected.accepts(value) { Ok(()) } else { Err(invalid_value(key, value, expected.describe())) }
}

/// A value as it is stored: `today`, for a key that holds a date, is that day, `YYYY-MM-DD`.
pub fn stored_value(key: &str, value: &str, today: &str) -> String {
    let is_date = MetaKey::from_name(key).is_some_and(|key| key.spec().value == MetaType::Date);
    if is_date && value == "today" { today.to_owned() } else { value.to_owned() }
}

/// Checks a key: a letter, then letters, digits, `_` or `-`; at most 40 characters.
pub fn check_key(key: &str) -> Result<(), Rejection> {
    let fits = key.len() <= 40
        && key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if fits {
        Ok(())
    } else {
        Err(Rejection::new(
            Code::Usage,
            format!("{} is not a valid key: expected a letter, then letters, digits, '_' or '-'", quote_short(key)),
        ))
    }
}

/// Parses an ISO 8601 calendar date, `YYYY-MM-DD`. A time after it is ignored.
pub fn parse_date(text: &str) -> Result<Date, Rejection> {
    meta_keys::parse_date(text).ok_or_else(|| invalid_value("date", text, MetaType::Date.describe()))
}

/// The rejection of a value; `expected` describes the valid ones.
pub fn invalid_value(key: &str, value: &str, expected: &str) -> Rejection {
    Rejection::new(Code::Usage, format!("{key}={} is not valid: expected {expected}", quote_short(value)))
}

/// Metadata from keys and values, each checked; `today` is the day that a date may be called.
pub fn meta_from_pairs(pairs: &[(String, String)], today: &str) -> Result<Option<BulletMeta>, Rejection> {
    if pairs.is_empty() {
        return Ok(None);
    }
    let mut meta = BulletMeta::default();
    for (key, value) in pairs {
        let value = stored_value(key, value, today);
        check_meta(key, &value)?;
        meta.set(key, &value);
    }
    Ok(Some(meta))
}
