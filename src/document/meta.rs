//! The metadata line: `<!-- mem key=value … -->` on an indented line of its own below a bullet.
//!
//! Never reorders or drops keys it does not know.

/// The documented keys, in the order in which they are written.
const KEYS: [&str; 13] = ["id", "exp", "conf", "imp", "pin", "dur", "type", "src", "by", "run", "role", "added", "upd"];

/// Keys and values in their order. Values are plain text; quoting and `%XX` are the line's business.
/// A key without a value (`pin`) has an empty one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta(pub Vec<(String, String)>);

impl Meta {
    /// Reads one line (indent and line end allowed); `None` when it is no metadata line.
    pub fn parse(line: &str) -> Option<Meta> {
        let owned = |pair: Option<(&str, &str)>| pair.map(|(key, value)| (key.to_owned(), decoded(value)));
        words(line)?.map(owned).collect::<Option<Vec<_>>>().map(Meta)
    }

    /// Whether a line is a metadata line, without keeping what it says.
    pub(super) fn is_line(line: &str) -> bool {
        words(line).is_some_and(|mut words| words.all(|pair| pair.is_some()))
    }

    /// The comment, without indent and line end.
    pub fn print(&self) -> String {
        let mut out = String::from("<!-- mem");
        for (key, value) in &self.0 {
            out.push(' ');
            out.push_str(key);
            if !value.is_empty() {
                out.push('=');
                out.push_str(&quoted(value));
            }
        }
        out.push_str(" -->");
        out
    }

    /// A key's value.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// Sets or (with an empty value) removes a key; a new one goes to its place in the documented order, unknown ones last.
    pub fn set(&mut self, key: &str, value: &str) {
        if value.is_empty() {
            self.0.retain(|(k, _)| k != key);
            return;
        }
        if let Some((_, old)) = self.0.iter_mut().find(|(k, _)| k == key) {
            value.clone_into(old);
            return;
        }
        let place = match rank(key) {
            None => self.0.len(),
            Some(own) => self.0.iter().position(|(k, _)| rank(k).is_none_or(|r| r > own)).unwrap_or(self.0.len()),
        };
        self.0.insert(place, (key.to_owned(), value.to_owned()));
    }
}

/// Where a documented key stands.
fn rank(key: &str) -> Option<usize> {
    KEYS.iter().position(|k| *k == key).or((key == "w").then_some(KEYS.len()))
}

/// The words between `<!-- mem` and `-->`.
fn words(line: &str) -> Option<Words<'_>> {
    let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    let words = inner.trim_start().strip_prefix("mem")?;
    let ended = words.is_empty() || words.starts_with(char::is_whitespace);
    (ended && !inner.contains("-->")).then_some(Words(words))
}

/// Keys and raw values one by one; `None` for what cannot be read.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = Option<(&'a str, &'a str)>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0.trim_start();
        if rest.is_empty() {
            return None;
        }
        let found = pair(rest);
        self.0 = found.map_or("", |(.., rest)| rest);
        Some(found.map(|(key, value, _)| (key, value)))
    }
}

/// The first key and raw value, and what follows.
fn pair(text: &str) -> Option<(&str, &str, &str)> {
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

/// A value as the line holds it: quoted where blanks need it, `%XX` for what would break the comment.
fn quoted(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut before = ' ';
    for c in value.chars() {
        match c {
            '"' | '%' | '\u{2028}' | '\u{2029}' => escaped(c, &mut out),
            '-' if before == '-' => escaped(c, &mut out),
            _ if c.is_control() => escaped(c, &mut out),
            _ => out.push(c),
        }
        before = c;
    }
    if out.contains(|c: char| c.is_whitespace() || c == '=') || out.ends_with('-') { format!("\"{out}\"") } else { out }
}

fn escaped(c: char, out: &mut String) {
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        out.push('%');
        out.push_str(&format!("{byte:02X}"));
    }
}

/// Takes `%XX` off; what is no such sequence stays as it is.
fn decoded(value: &str) -> String {
    if !value.contains('%') {
        return value.to_owned();
    }
    let bytes = value.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = value.get(at + 1..at + 3).filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
        match hex.filter(|_| bytes[at] == b'%').and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(line: &str, expected: Option<&[(&str, &str)]>) {
        let want = expected.map(|pairs| Meta(pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()));
        assert_eq!(Meta::parse(line), want, "{line}");
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
        let mut meta = Meta::parse("<!-- mem exp=2026-12-31 mine=1 -->").unwrap();
        meta.set("imp", "7");
        meta.set("id", "m1");
        meta.set("own", "a b");
        assert_eq!(meta.print(), "<!-- mem id=m1 exp=2026-12-31 imp=7 mine=1 own=\"a b\" -->");
        meta.set("imp", "8");
        meta.set("exp", "");
        assert_eq!(meta.print(), "<!-- mem id=m1 imp=8 mine=1 own=\"a b\" -->");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn any_value_survives(values in prop::collection::vec("\\PC{0,6}|[-\"%= >\n\r\t]{0,6}", 1..4)) {
            let meta = Meta(values.into_iter().enumerate().map(|(i, v)| (format!("k{i}"), v)).collect());
            let line = meta.print();
            prop_assert!(!line.contains(['\n', '\r']) && line.matches("--").count() == 2);
            prop_assert_eq!(Meta::parse(&line), Some(meta));
        }
    }
}
