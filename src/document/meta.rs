//! The metadata line: `<!-- mem key=value … -->` on an indented line of its own below a bullet.
//!
//! Never reorders or drops keys it does not know.

/// Keys and values in their order. Values are plain text; quoting and `%XX` are the line's business.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta(pub Vec<(String, String)>);

impl Meta {
    /// Reads one line (indent and line end allowed); `None` when it is no metadata line.
    pub fn parse(line: &str) -> Option<Meta> {
        let _ = line;
        todo!()
    }

    /// The comment, without indent and line end.
    pub fn print(&self) -> String {
        todo!()
    }

    /// A key's value.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// Sets or (with an empty value) removes a key; a new one goes to its place in the documented order, unknown ones last.
    pub fn set(&mut self, key: &str, value: &str) {
        let _ = (key, value);
        todo!()
    }
}
