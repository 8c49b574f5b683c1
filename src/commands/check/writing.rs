//! `check --writing`: the rules that reflect holds new memory to, on what is there.
//!
//! Never asks for evidence: a conversation is not at hand. Only facts and episodes are written by these rules;
//! procedures give orders, and may.

use super::{finding, place};
use crate::code::Code;
use crate::commands::Session;
use crate::commands::answer::Finding;
use crate::document::Document;
use crate::document::summary::Genre;
use crate::operation::written::genre;
use crate::path::MemoryPath;
use crate::reflect::guards::{self, Flaw, Kind, Rules};

/// What breaks a rule, each at the words that do where they stand in one piece, else at the bullet's first character.
pub fn findings(session: &Session, path: &MemoryPath, document: &Document) -> Vec<Finding> {
    let kind = match genre(path) {
        Genre::Facts => Kind::Fact,
        Genre::Episodes => Kind::Episode,
        Genre::Other => return Vec::new(),
    };
    let policy = &session.policy.policy;
    let rules = Rules { max_chars: policy.max_chars, sensitive: policy.sensitive.clone() };
    let mut out = Vec::new();
    for (i, bullet) in document.bullets().iter().enumerate() {
        for found in guards::writing(&document.bullet_text(i), kind, &rules) {
            let within = document.bullet_raw(i).find(&found.what).filter(|_| !found.what.is_empty());
            let (line, col) = place(document.text(), bullet.content as usize + within.unwrap_or(0));
            out.push(finding(path, line, col, Code::Writing, "warning", told(found.flaw, &found.what)));
        }
    }
    out
}

/// "relative_date: 'yesterday'. Write dates in full …"
fn told(flaw: Flaw, what: &str) -> String {
    let what = if what.is_empty() { String::new() } else { format!(": '{what}'") };
    format!("{}{what}. {}", flaw.name(), flaw.rule().trim_end_matches('.'))
}
