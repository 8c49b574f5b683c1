//! `SourceAddress`: an address in another memory that this one may read, `team:user@acvh`.
//!
//! Never checks whether there is such a memory: the reader knows which sources it has.

use std::fmt;

use super::{MemoryPath, ScopeName};

/// An address, and the name of the memory that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceAddress<'a> {
    pub source: &'a str,
    /// The address there; empty for the whole memory.
    pub address: &'a str,
}

impl<'a> SourceAddress<'a> {
    /// Parses an address with a source; `None` for any other. A new file of a memory cannot have a name with a colon.
    pub fn parse(text: &'a str) -> Option<SourceAddress<'a>> {
        let (source, address) = text.split_once(':')?;
        ScopeName::new(source).is_ok().then_some(SourceAddress { source, address })
    }

    /// As [`SourceAddress::parse`], also for a shared scope whose directory a person named. Never for a text that may be
    /// a time or a sentence.
    pub fn parse_shared(text: &'a str) -> Option<SourceAddress<'a>> {
        let (source, address) = text.split_once(':')?;
        ScopeName::existing(source).is_ok().then_some(SourceAddress { source, address })
    }

    /// The path of a file of a source, as it is shown elsewhere.
    pub fn path(source: &str, path: &MemoryPath) -> MemoryPath {
        // A name that is safe on disk stays so with a source in front.
        MemoryPath::from_disk_name(&SourceAddress { source, address: path.as_str() }.to_string())
            .unwrap_or_else(|_| path.clone())
    }
}

impl fmt::Display for SourceAddress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.source, self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_stands_in_front_of_an_address() {
        let parsed = |text| SourceAddress::parse(text).map(|a| (a.source, a.address));
        assert_eq!(parsed("team:user@acvh"), Some(("team", "user@acvh")));
        assert_eq!(parsed("team:"), Some(("team", "")));
        for plain in ["user@acvh", "facts/user.md", "facts/a:b.md", "C:\\x", ":user", ""] {
            assert_eq!(parsed(plain), None, "{plain}");
        }
        let shared = |text| SourceAddress::parse_shared(text).map(|a| (a.source, a.address));
        assert_eq!(shared("Team Notes:user@acvh"), Some(("Team Notes", "user@acvh")));
        for plain in ["user@acvh", "facts/a:b.md", ":user", ".team:user", "*:user"] {
            assert_eq!(shared(plain), None, "{plain}");
        }
        let path = MemoryPath::new("facts/user.md").unwrap();
        assert_eq!(SourceAddress::path("team", &path).as_str(), "team:facts/user.md");
        assert!(SourceAddress::path("team", &path).odd().is_some(), "it is never written");
    }
}
