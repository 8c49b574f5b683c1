//! Copies of a forgotten text in files that are no memory files: they are named, and stay as they are.

use std::borrow::Cow;

use super::named_files;
use crate::code::Rejection;
use crate::store::Store;
use crate::text::text_search::TextSearch;

/// The sentences about the other files of a store that have one of the texts, and about those that could not be searched.
/// `place` names the store: " of the scope 'web'".
///
/// # Errors
/// `io`.
pub(super) fn copies_in_other_files(store: &Store, texts: &[String], place: &str) -> Result<Vec<String>, Rejection> {
    let written: Vec<String> = texts.iter().flat_map(|text| written_forms(text)).collect();
    let search = TextSearch::new(&written);
    let has_text = |bytes: &[u8]| {
        decoded_texts(bytes)
            .iter()
            .any(|text| search.is_in(text) || text.contains('&') && search.is_in(&without_references(text)))
    };
    let found = store.search_other_files(&has_text)?;
    let mut notes = Vec::new();
    let names = |paths: &[String]| named_files(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    if !found.holders.is_empty() {
        notes.push(format!(
            "some of the text is also in {}{place}, which memdir does not change",
            names(&found.holders)
        ));
    }
    if !found.unsearched.is_empty() {
        notes.push(format!(
            "not searched for the text, because it cannot be read, is compressed or is too much: {}{place}",
            names(&found.unsearched)
        ));
    }
    Ok(notes)
}

/// What bytes may say: as UTF-8, and if they are none, in the encodings that other programs write, UTF-16 and Latin-1.
pub(super) fn decoded_texts(bytes: &[u8]) -> Vec<Cow<'_, str>> {
    let is_wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) || bytes.contains(&0);
    let mut texts = vec![String::from_utf8_lossy(bytes)];
    if is_wide {
        let unit = |from: fn([u8; 2]) -> u16| bytes.chunks_exact(2).map(|pair| from([pair[0], pair[1]])).collect();
        let units: [Vec<u16>; 2] = [unit(u16::from_le_bytes), unit(u16::from_be_bytes)];
        texts.extend(units.map(|units| Cow::Owned(String::from_utf16_lossy(&units))));
    } else if std::str::from_utf8(bytes).is_err() {
        texts.push(Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()));
    }
    texts
}

/// A text in ASCII as JSON has it: `\u00fc` for `ü`.
fn in_ascii_json(json: &str, in_upper_case: bool) -> String {
    let mut out = String::new();
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        }
        for unit in c.encode_utf16(&mut [0; 2]).iter().filter(|_| !c.is_ascii()) {
            out += &if in_upper_case { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
        }
    }
    out
}

/// A text as it is, and as JSON has it, where that is another spelling.
fn written_forms(text: &str) -> Vec<String> {
    let json = serde_json::to_string(text).unwrap_or_default();
    let json = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default();
    let mut forms = vec![text.to_owned()];
    forms.extend((!json.is_empty() && json != text).then(|| json.to_owned()));
    if !text.is_ascii() {
        forms.extend([false, true].map(|in_upper_case| in_ascii_json(json, in_upper_case)));
    }
    forms
}

/// A text with the character references of HTML replaced, those by number and the five that every escaping has.
fn without_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at(at);
        out.push_str(before);
        let end = reference.bytes().take(MAX_REFERENCE_BYTES).position(|byte| byte == b';');
        match end.and_then(|end| Some((referenced_char(&reference[1..end])?, end))) {
            Some((char, end)) => {
                out.push(char);
                rest = &reference[end + 1..];
            }
            None => {
                out.push('&');
                rest = &reference[1..];
            }
        }
    }
    out + rest
}

/// The longest reference that is replaced, in bytes: `&#1114111;`.
const MAX_REFERENCE_BYTES: usize = 10;

fn referenced_char(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            code.ok().and_then(char::from_u32)
        }
    }
}
