//! What speaks against a bullet that is about to be shown: its code has changed, or the instructions of the repository
//! say otherwise.
//!
//! Looks only at the bullets that are shown. What cannot be read raises no doubt.

use std::path::{Path, PathBuf};

use crate::commands::Session;
use crate::commands::check::against::{OutsideText, read_outside_texts};
use crate::commands::code_anchors::AnchoredCode;
use crate::document::MetaKey;
use crate::host::agent_hosts::HookInput;
use crate::host::code_history::repository_root;
use crate::host::outside_files;
use crate::text::code_anchor::CodeAnchor;
use crate::text::contradiction::compare_statements;
use crate::text::statement::Statement;
use crate::view::query::query_row::QueryRow;

/// Files with instructions for agents, which their hosts load by themselves.
const INSTRUCTIONS: [&str; 3] = ["CLAUDE.md", "AGENTS.md", "GEMINI.md"];

/// What the shown bullets are compared with.
pub struct Doubts {
    code: Option<AnchoredCode>,
    instructions: Vec<OutsideText>,
}

impl Doubts {
    pub fn of(session: &Session, input: &HookInput) -> Doubts {
        let root = repository_root(&session.dir);
        let folders = [root, input.directory.clone().map(PathBuf::from)];
        let mut files: Vec<PathBuf> = folders
            .into_iter()
            .flatten()
            .flat_map(|folder| INSTRUCTIONS.map(|name| folder.join(name)))
            .filter(|file| outside_files::regular_file_length(file).is_some())
            .collect();
        files.dedup();
        let instructions = read_outside_texts(session, &files).unwrap_or_default();
        Doubts { code: AnchoredCode::open(session).ok(), instructions }
    }

    /// The doubts about a bullet, each for a pair of brackets.
    pub fn about(&self, row: &QueryRow) -> Vec<String> {
        self.changed_code(row).into_iter().chain(self.contradiction(&row.text)).collect()
    }

    fn changed_code(&self, row: &QueryRow) -> Option<String> {
        let anchor = CodeAnchor::parse(row.meta.get(MetaKey::Anchor.name())?.as_str()?).ok()?;
        let hash = anchor.hash?;
        match self.code.as_ref()?.read(&anchor.path).ok()? {
            None => Some(format!("{} is gone", anchor.path)),
            Some(text) if !text.has_hash(anchor.lines, hash) => Some(format!("{} changed", anchor.place())),
            Some(_) => None,
        }
    }

    fn contradiction(&self, text: &str) -> Option<String> {
        let own = Statement::of(text);
        let other =
            self.instructions.iter().find(|other| compare_statements(&own, &Statement::of(&other.text)).is_some())?;
        let name = Path::new(&other.file).file_name()?.to_str()?.to_owned();
        Some(format!("contradicts {name}:{}", other.line))
    }
}
