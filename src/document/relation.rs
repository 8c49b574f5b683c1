//! Relation bullets: `works_at [[Acme]]` and `"works with" [[Ana María]] (since May)`, as basic-memory writes them.
//!
//! Never resolves a name to a file. Names and types that the brackets could not hold are percent-encoded.

use super::links::percent_decode;
use super::meta::push_percent_encoded;

/// A longer text without quotes is prose that ends in a link.
const MAX_PLAIN_WORDS: usize = 3;

/// A relation to something of another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationText {
    /// Where it starts, if that is not the file with the bullet: `[[Ana]] works_at [[Acme]]`.
    pub from: Option<String>,
    pub relation_type: String,
    pub to: String,
}

impl RelationText {
    /// Reads a bullet's text; `None` if it has any other text than a relation.
    pub fn parse(text: &str) -> Option<RelationText> {
        let start = text.rfind("[[")?;
        let (to, rest) = text[start + 2..].split_once("]]")?;
        let is_context = rest.starts_with(" (") && rest.ends_with(')');
        if !(rest.is_empty() || is_context) || to.contains(['[', ']', '\n']) {
            return None;
        }
        let (from, words) = match text[..start].trim_end().strip_prefix("[[") {
            Some(inner) => {
                let (from, words) = inner.split_once("]]")?;
                (Some(percent_decode(from).into_owned()), words.trim_start())
            }
            None => (None, text[..start].trim_end()),
        };
        let quoted = words.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
        let relation_type = match quoted.filter(|inner| !inner.contains('"')) {
            Some(inner) => percent_decode(inner).into_owned(),
            None => plain_type(words)?.to_owned(),
        };
        Some(RelationText { from, relation_type, to: percent_decode(to).into_owned() })
    }

    /// The text of a bullet that states the relation: `works_at [[Acme]]`.
    pub fn to_text(&self) -> String {
        let from = self.from.iter().map(|from| format!("[[{}]] ", encode_name(from))).collect::<String>();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let plain = self.relation_type.starts_with(char::is_alphanumeric) && self.relation_type.chars().all(is_word);
        let relation_type =
            if plain { self.relation_type.clone() } else { format!("\"{}\"", encode_name(&self.relation_type)) };
        format!("{from}{relation_type} [[{}]]", encode_name(&self.to))
    }
}

/// A type without quotes: up to three words, perhaps with a colon.
fn plain_type(words: &str) -> Option<&str> {
    let words = words.trim_end_matches(':').trim_end();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    let count = words.split_whitespace().count();
    ((1..=MAX_PLAIN_WORDS).contains(&count) && words.chars().all(plain)).then_some(words)
}

/// A text that is no relation, although it may read like one: with a backslash before the brackets.
pub fn escape_relation(text: &str) -> String {
    match brackets(text) {
        Some((at, _)) => format!("{}\\{}", &text[..at], &text[at..]),
        None => text.to_owned(),
    }
}

/// The name of a relation as it was before [`escape_relation`].
pub fn unescape_relation(text: &str) -> String {
    match brackets(text) {
        Some((at, slashes)) if slashes > 0 => format!("{}{}", &text[..at - 1], &text[at..]),
        _ => text.to_owned(),
    }
}

/// Where the brackets are that make a text a relation, and the number of backslashes before them.
fn brackets(text: &str) -> Option<(usize, usize)> {
    let at = text.rfind("[[")?;
    let plain = text[..at].trim_end_matches('\\');
    RelationText::parse(&format!("{plain}{}", &text[at..]))?;
    Some((at, at - plain.len()))
}

/// A name as it is written between brackets or quotes.
fn encode_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut before = ' ';
    for (at, c) in name.char_indices() {
        let is_odd_space = c.is_whitespace() && (c != ' ' || before == ' ' || at + 1 == name.len());
        match c {
            '%' | '"' | '[' | ']' | '|' | '#' | '^' | '\\' | '`' | '<' | '>' => push_percent_encoded(c, &mut out),
            _ if c.is_control() || is_odd_space => push_percent_encoded(c, &mut out),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn relation(from: Option<&str>, relation_type: &str, to: &str) -> RelationText {
        RelationText { from: from.map(str::to_owned), relation_type: relation_type.to_owned(), to: to.to_owned() }
    }

    #[test]
    fn a_relation_and_its_text_are_inverse() {
        for (read, text) in [
            (relation(None, "works_at", "Acme"), "works_at [[Acme]]"),
            (relation(None, "works with", "Ana María"), "\"works with\" [[Ana María]]"),
            (relation(Some("Bob"), "knows", "Ana"), "[[Bob]] knows [[Ana]]"),
            (relation(None, "", ""), "\"\" [[]]"),
            (relation(None, "say \"hi\"", "a]]b|c#d"), "\"say %22hi%22\" [[a%5D%5Db%7Cc%23d]]"),
            (relation(None, "-", "100%"), "\"-\" [[100%25]]"),
            (relation(None, "x", " a  b\n"), "x [[%20a %20b%0A]]"),
        ] {
            assert_eq!(read.to_text(), text);
            assert_eq!(RelationText::parse(text), Some(read));
        }
    }

    #[test]
    fn what_people_write_is_read_too() {
        assert_eq!(RelationText::parse("part of: [[a]]"), Some(relation(None, "part of", "a")));
        assert_eq!(RelationText::parse("depends_on [[a]] (since May)"), Some(relation(None, "depends_on", "a")));
        for prose in ["[[a]]", "met Bob today about [[a]]", "see [[a]], [[b]]", "[[a]] is late", "(x) [[a]]", "a [[b"] {
            assert_eq!(RelationText::parse(prose), None, "{prose}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]
        #[test]
        fn every_name_is_read_back(from in ".{0,6}", kind in ".{0,6}", to in r"([\[\]|#%2 a\\]){0,8}") {
            for from in [None, Some(from.as_str())] {
                let written = relation(from, &kind, &to);
                prop_assert_eq!(RelationText::parse(&written.to_text()), Some(written));
            }
        }

        #[test]
        fn no_escaped_text_is_a_relation(text in r#"(a|b_c| |\[\[|\]\]|\\|"|\(x\)){0,8}"#) {
            let escaped = escape_relation(&text);
            prop_assert_eq!(RelationText::parse(&escaped), None);
            prop_assert_eq!(unescape_relation(&escaped), text);
        }
    }
}
