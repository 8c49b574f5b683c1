//! Finds secrets by what a protocol or a vendor puts before them: cookies, headers with a token, signed addresses.
//!
//! Never treats a value as one that does not have the documented form.

use super::{Secret, is_hex, is_placeholder, is_random, is_uuid};

/// Headers whose value is a UUID (postmarkapp.com/developer/api/overview, "Authentication").
const UUID_HEADERS: [&str; 2] = ["x-postmark-server-token", "x-postmark-account-token"];
/// Headers that carry session ids (RFC 6265, 4.1 and 4.2).
const COOKIE_HEADERS: [&str; 2] = ["cookie:", "set-cookie:"];
/// The least length of a session id in a cookie, in bytes.
const MIN_SESSION_LEN: usize = 16;
/// The least length of an encoded signature of SHA-256, in bytes, with its `=`.
const MIN_SIGNATURE_LEN: usize = 44;

pub fn find_labelled(text: &str, low: &str, out: &mut Vec<Secret>) {
    for header in UUID_HEADERS {
        for (at, _) in low.match_indices(header) {
            let from = at + header.len();
            let from = from + low[from..].len() - low[from..].trim_start_matches([':', ' ', '"', '\'', '=']).len();
            let length = text[from..].bytes().take_while(|b| b.is_ascii_hexdigit() || *b == b'-').count();
            if is_uuid(&text[from..from + length]) {
                out.push(Secret { range: from..from + length, kind: "an API key" });
            }
        }
    }
    for header in COOKIE_HEADERS {
        for (at, _) in low.match_indices(header) {
            find_cookies(text, at + header.len(), out);
        }
    }
    find_signatures(text, low, out);
}

/// The values of the cookies from an offset to the end of the line that look like session ids.
fn find_cookies(text: &str, from: usize, out: &mut Vec<Secret>) {
    let line = text[from..].split(['\n', '"', '\'']).next().unwrap_or_default();
    let mut at = from;
    for cookie in line.split_inclusive(';') {
        if let Some((name, value)) = cookie.trim_end_matches(';').split_once('=') {
            let value = value.split_whitespace().next().unwrap_or_default();
            let plain = value.trim_end_matches('=');
            let is_session = plain.len() >= MIN_SESSION_LEN
                && !is_placeholder(value)
                && (is_random(plain) || is_hex(plain) || is_uuid(plain));
            if is_session {
                let start = at + name.len() + 1;
                out.push(Secret { range: start..start + value.len(), kind: "a session cookie" });
            }
        }
        at += cookie.len();
    }
}

/// Signatures of shared access in addresses of Azure: `sv=2022-11-02&…&sig=…`
/// (learn.microsoft.com/en-us/rest/api/storageservices/create-service-sas).
fn find_signatures(text: &str, low: &str, out: &mut Vec<Secret>) {
    let is_start = |at: usize| low[..at].chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric());
    if !low.match_indices("sv=20").any(|(at, _)| is_start(at)) {
        return;
    }
    for (at, label) in low.match_indices("sig=").filter(|(at, _)| is_start(*at)) {
        let from = at + label.len();
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'%' | b'+' | b'/' | b'=' | b'-' | b'_');
        let length = text[from..].bytes().take_while(is_part).count();
        let value = &text[from..from + length];
        if length >= MIN_SIGNATURE_LEN && (value.ends_with('=') || value.to_ascii_lowercase().ends_with("%3d")) {
            out.push(Secret { range: from..from + length, kind: "a signed address" });
        }
    }
}
