//! Copies of a forgotten text in files that are no memory files: they are named, and stay as they are.

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
        let text = String::from_utf8_lossy(bytes);
        // In UTF-16, every second byte of most texts is zero.
        search.is_in(&text)
            || text.contains('\0') && search.is_in(&text.replace('\0', ""))
            || text.contains('&') && search.is_in(&without_references(&text))
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

/// A text as it is, and as JSON has it, where that is another spelling.
fn written_forms(text: &str) -> Vec<String> {
    let json = serde_json::to_string(text).unwrap_or_default();
    let json = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default();
    let mut forms = vec![text.to_owned()];
    forms.extend((!json.is_empty() && json != text).then(|| json.to_owned()));
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
