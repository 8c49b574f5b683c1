//! Parses and writes the metadata line `<!-- mem key=value … -->`, which is indented on its own line below a bullet.
//!
//! Never reorders or drops unknown keys.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::MetaKey;
use super::links::percent_decode;

/// The keys and values of a metadata line, in order. Values are unescaped; quoting and `%XX` escapes exist only in the
/// written line. A key without a value (`pin`) has an empty value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BulletMeta(pub Vec<(String, String)>);

impl BulletMeta {
    /// Parses a line, with or without indent and line ending; `None` if it is not a metadata line.
    pub fn parse(line: &str) -> Option<BulletMeta> {
        let owned =
            |pair: Option<(&str, &str)>| pair.map(|(key, value)| (key.to_owned(), percent_decode(value).into_owned()));
        meta_pairs(line)?.map(owned).collect::<Option<Vec<_>>>().map(BulletMeta)
    }

    /// Whether a line is a metadata line, without allocating its values.
    pub(super) fn is_meta_line(line: &str) -> bool {
        meta_pairs(line).is_some_and(|mut words| words.all(|pair| pair.is_some()))
    }

    /// The HTML comment, without indent and line ending.
    pub fn to_comment(&self) -> String {
        let mut out = String::from("<!-- mem");
        for (key, value) in &self.0 {
            out.push(' ');
            out.push_str(key);
            if !value.is_empty() {
                out.push('=');
                out.push_str(&encode_value(value));
            }
        }
        out.push_str(" -->");
        out
    }

    /// A key's value as written, valid or not: for merging and rewriting, which treat all keys alike. What a documented
    /// key means is read with its getter (`meta_keys.rs`).
    pub fn raw(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// These keys, and from others those that these have not.
    pub fn or(mut self, others: &BulletMeta) -> BulletMeta {
        for (key, value) in &others.0 {
            if self.raw(key).is_none() {
                self.0.push((key.clone(), value.clone()));
            }
        }
        self
    }

    /// Sets a key; an empty value removes it. A new key goes to its position in the documented order, an unknown key to
    /// the end.
    pub fn set(&mut self, key: &str, value: &str) {
        if value.is_empty() {
            self.0.retain(|(k, _)| k != key);
            return;
        }
        if let Some((_, old)) = self.0.iter_mut().find(|(k, _)| k == key) {
            value.clone_into(old);
            return;
        }
        let index = match MetaKey::from_name(key) {
            None => self.0.len(),
            Some(own) => {
                let is_after = |(other, _): &(String, String)| MetaKey::from_name(other).is_none_or(|key| key > own);
                self.0.iter().position(is_after).unwrap_or(self.0.len())
            }
        };
        self.0.insert(index, (key.to_owned(), value.to_owned()));
    }
}

/// Iterates over the pairs between `<!-- mem` and `-->`.
fn meta_pairs(line: &str) -> Option<MetaPairs<'_>> {
    let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    let words = inner.trim_start().strip_prefix("mem")?;
    let ended = words.is_empty() || words.starts_with(char::is_whitespace);
    (ended && !inner.contains("-->")).then_some(MetaPairs(words))
}

/// Yields pairs of key and raw value; `None` for a syntax error.
struct MetaPairs<'a>(&'a str);

impl<'a> Iterator for MetaPairs<'a> {
    type Item = Option<(&'a str, &'a str)>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0.trim_start();
        if rest.is_empty() {
            return None;
        }
        let found = parse_pair(rest);
        self.0 = found.map_or("", |(.., rest)| rest);
        Some(found.map(|(key, value, _)| (key, value)))
    }
}

/// Parses the first key and raw value, and returns the remaining text.
fn parse_pair(text: &str) -> Option<(&str, &str, &str)> {
    let (key, rest) = text.split_at(text.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(text.len()));
    if key.is_empty() || key.contains('"') {
        return None;
    }
    let Some(value) = rest.strip_prefix('=') else { return Some((key, "", rest)) };
    if let Some(quoted) = value.strip_prefix('"') {
        let (value, rest) = quoted.split_once('"')?;
        return Some((key, value, rest));
    }
    let (value, rest) = value.split_at(value.find(char::is_whitespace).unwrap_or(value.len()));
    Some((key, value, rest))
}

/// Encodes a value for the line: quoted if it contains whitespace, `%XX` for characters that would break the comment.
fn encode_value(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut before = ' ';
    for c in value.chars() {
        match c {
            '"' | '%' | '\u{2028}' | '\u{2029}' => push_percent_encoded(c, &mut out),
            '-' if before == '-' => push_percent_encoded(c, &mut out),
            _ if c.is_control() => push_percent_encoded(c, &mut out),
            _ => out.push(c),
        }
        before = c;
    }
    if out.contains(|c: char| c.is_whitespace() || c == '=') || out.ends_with('-') { format!("\"{out}\"") } else { out }
}

pub(super) fn push_percent_encoded(c: char, out: &mut String) {
    out.extend(utf8_percent_encode(c.encode_utf8(&mut [0; 4]), NON_ALPHANUMERIC));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(line: &str, expected: Option<&[(&str, &str)]>) {
        let want =
            expected.map(|pairs| BulletMeta(pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()));
        assert_eq!(BulletMeta::parse(line), want, "{line}");
    }

    #[test]
    fn reads_what_people_type() {
        check("  <!-- mem exp=2026-12-31 imp=7 -->\n", Some(&[("exp", "2026-12-31"), ("imp", "7")]));
        check("<!--mem pin-->\r\n", Some(&[("pin", "")]));
        check("<!-- mem src=\"a b\"  own=x%22y -->", Some(&[("src", "a b"), ("own", "x\"y")]));
        check("<!-- mem -->", Some(&[]));
        check("<!-- mem a=100% b=%zz -->", Some(&[("a", "100%"), ("b", "%zz")]));
        check("<!-- memo: x -->", None);
        check("<!-- mem a=\"open -->", None);
        check("<!-- mem =x -->", None);
        check("<!-- mem a=1 --> tail", None);
        check("<!-- mem a=1 --> <!-- mem b=2 -->", None);
        check("mem a=1", None);
    }

    #[test]
    fn sets_keys_in_the_documented_order_and_keeps_unknown_ones() {
        let mut meta = BulletMeta::parse("<!-- mem exp=2026-12-31 mine=1 -->").unwrap();
        meta.set("imp", "7");
        meta.set("id", "m1");
        meta.set("own", "a b");
        assert_eq!(meta.to_comment(), "<!-- mem id=m1 exp=2026-12-31 imp=7 mine=1 own=\"a b\" -->");
        meta.set("imp", "8");
        meta.set("exp", "");
        assert_eq!(meta.to_comment(), "<!-- mem id=m1 imp=8 mine=1 own=\"a b\" -->");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn any_value_survives(values in prop::collection::vec("\\PC{0,6}|[-\"%= >\n\r\t]{0,6}", 1..4)) {
            let meta = BulletMeta(values.into_iter().enumerate().map(|(i, v)| (format!("k{i}"), v)).collect());
            let line = meta.to_comment();
            prop_assert!(!line.contains(['\n', '\r']) && line.matches("--").count() == 2);
            prop_assert_eq!(BulletMeta::parse(&line), Some(meta));
        }
    }
}
