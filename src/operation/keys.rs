//! Which keys and values are valid: metadata, dates, summary lines.
//!
//! Never looks at a document.

use jiff::civil::Date;

use crate::code::{Code, Rejection};
use crate::document::Meta;
use crate::path::is_id;

/// A summary line a caller may write: one line that stays a quote.
pub fn check_line(line: &str) -> Result<(), Rejection> {
    match line.chars().any(char::is_control) {
        true => Err(Rejection::new(Code::Multiline, "a summary is one line without control characters")),
        false => Ok(()),
    }
}

/// Checks a metadata pair; an empty value removes the key and is always fine.
pub fn check_meta(key: &str, value: &str) -> Result<(), Rejection> {
    key_grammar(key)?;
    if value.is_empty() {
        return Ok(());
    }
    if value.chars().any(|c| c.is_control()) {
        return Err(Rejection::new(Code::Multiline, format!("the value of {key} must be one line")));
    }
    match key {
        "imp" if value.parse::<u8>().is_ok_and(|n| n <= 10) => Ok(()),
        "imp" => Err(bad(key, value, "a whole number from 0 to 10")),
        "conf" | "w" if value.parse::<f64>().is_ok_and(|x| (0.0..=1.0).contains(&x)) => Ok(()),
        "conf" | "w" => Err(bad(key, value, "a number from 0 to 1")),
        "exp" | "added" | "upd" => date(value).map(|_| ()),
        "pin" if matches!(value, "true" | "false" | "1" | "0" | "yes" | "no") => Ok(()),
        "pin" => Err(bad(key, value, "true or false")),
        "id" if is_id(value) => Ok(()),
        "id" => Err(bad(key, value, "a letter, then 1–63 letters, digits, '_' or '-'")),
        _ => Ok(()),
    }
}

/// A key: a letter, then letters, digits, `_` or `-`.
pub fn key_grammar(key: &str) -> Result<(), Rejection> {
    let fits = key.len() <= 40
        && key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    match fits {
        true => Ok(()),
        false => Err(Rejection::new(
            Code::Usage,
            format!("'{}' is no key: a letter, then letters, digits, '_' or '-'", shown(key)),
        )),
    }
}

/// An ISO 8601 calendar date (a time after it is allowed and ignored).
pub fn date(text: &str) -> Result<Date, Rejection> {
    let day = text.get(..10).filter(|_| text.len() == 10 || text[10..].starts_with(['T', ' '])).unwrap_or(text);
    day.parse().map_err(|_| bad("date", text, "YYYY-MM-DD"))
}

/// The refusal of a value.
pub fn bad(key: &str, value: &str, wanted: &str) -> Rejection {
    Rejection::new(Code::Usage, format!("{key}='{}' is not valid: {wanted}", shown(value)))
}

/// A caller's word in a message: cut and escaped.
pub fn shown(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

/// Metadata from pairs, each checked.
pub fn meta_of(pairs: &[(String, String)]) -> Result<Option<Meta>, Rejection> {
    if pairs.is_empty() {
        return Ok(None);
    }
    let mut meta = Meta::default();
    for (key, value) in pairs {
        check_meta(key, value)?;
        meta.set(key, value);
    }
    Ok(Some(meta))
}
