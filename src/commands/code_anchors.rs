//! The code that anchors name: reads it for `check --anchors`, and completes `anchor=PATH:LINES` with the hash of the
//! lines when a change is planned.
//!
//! Never opens a file that a memory's value could abuse: see `store/code_files.rs`.

use std::borrow::Cow;

use super::Session;
use super::allowlist_filter::allowlist_rejection;
use crate::code::{Code, Rejection, Warning};
use crate::document::MetaKey;
use crate::host::code_history::repository_root;
use crate::host::git::Git;
use crate::operation::{Action, Operation, Target};
use crate::store::code_files::CodeFiles;
use crate::text::code_anchor::{AnchorError, CodeAnchor, LinesHash};
use crate::text::code_path::CodePath;
use crate::text::code_text::CodeText;

/// The code files that the anchors of a session may name.
pub struct AnchoredCode {
    files: CodeFiles,
    /// git at the root of the repository.
    pub git: Git,
    /// Anchors of a restricted caller, or in a scope, name no Markdown: it may be a file of a memory that the caller
    /// does not see, and a hash proves what a file contains.
    refuses_markdown: bool,
}

impl AnchoredCode {
    /// # Errors
    /// `no_repository` if no git repository contains the data directory; `io`.
    pub fn open(session: &Session) -> Result<AnchoredCode, Rejection> {
        let no_repository = || {
            let message = format!("'{}' is not in a git repository", session.dir.display());
            Rejection::new(Code::NoRepository, message).hint(
                "an anchor names lines of a file in the repository that contains the memory: run `git init` there",
            )
        };
        let root = repository_root(&session.dir).ok_or_else(no_repository)?;
        let (files, git) = (CodeFiles::open(&root)?, Git::in_dir(&root));
        Ok(AnchoredCode { files, git, refuses_markdown: session.visibility().is_some() || session.scope.is_some() })
    }

    /// Reads a file; `None` if it does not exist.
    ///
    /// # Errors
    /// `unsafe_file`, `too_large`, `not_text` for a binary file, `category_not_allowed`, `io`.
    pub fn read(&self, path: &CodePath) -> Result<Option<CodeText>, Rejection> {
        if self.refuses_markdown && path.is_markdown() {
            return Err(allowlist_rejection());
        }
        let Some(bytes) = self.files.read(path)? else { return Ok(None) };
        let binary = || Rejection::new(Code::NotText, format!("'{path}' is a binary file"));
        CodeText::new(bytes).map(Some).ok_or_else(binary)
    }
}

/// Adds hashes to the anchors of operations that set them on bullets, and verifies hashes that are given.
///
/// # Errors
/// `invalid_path` for a path that leaves the repository or names git's own files; `usage` for lines that the file does
/// not have; `no_repository`, `file_not_found`; `conflict` if the lines have another hash; as [`AnchoredCode::read`].
pub fn with_anchor_hashes<'a>(
    session: &Session,
    operations: &'a [Operation],
) -> Result<(Cow<'a, [Operation]>, Vec<Warning>), Rejection> {
    let mut operations = Cow::Borrowed(operations);
    let (mut code, mut last_read, mut warnings) = (None, None, Vec::new());
    for n in 0..operations.len() {
        if anchor_pairs(&operations[n].action).is_none_or(|pairs| !pairs.iter().any(is_anchor)) {
            continue;
        }
        if code.is_none() {
            code = Some(AnchoredCode::open(session)?);
        }
        let Some(code) = &code else { continue };
        let pairs = anchor_pairs_mut(&mut operations.to_mut()[n].action).into_iter().flatten();
        for (_, value) in pairs.filter(|pair| is_anchor(pair)) {
            let hashed = hashed_anchor(code, value, &mut last_read, &mut warnings);
            *value = hashed.map_err(|error| error.at_operation(n))?.to_string();
        }
    }
    Ok((operations, warnings))
}

fn is_anchor((key, value): &(String, String)) -> bool {
    key == MetaKey::Anchor.name() && !value.is_empty()
}

/// The metadata that an operation sets on a bullet. In front matter and elsewhere, `anchor` is a key like any other.
fn anchor_pairs(action: &Action) -> Option<&Vec<(String, String)>> {
    match action {
        Action::Add { meta, .. } => Some(meta),
        Action::Set { at, pairs } => names_bullet(at).then_some(pairs),
        Action::Update { .. }
        | Action::Remove { .. }
        | Action::Restore { .. }
        | Action::Move { .. }
        | Action::Write { .. }
        | Action::Patch { .. }
        | Action::Append { .. }
        | Action::Nothing { .. } => None,
    }
}

fn anchor_pairs_mut(action: &mut Action) -> Option<&mut Vec<(String, String)>> {
    match action {
        Action::Add { meta: pairs, .. } | Action::Set { pairs, .. } => Some(pairs),
        _ => None,
    }
}

fn names_bullet(target: &Target) -> bool {
    match target {
        Target::Address(address) => address.contains('@'),
        Target::IdOrCategory { .. } => true,
        Target::SectionOrField(_) | Target::File(_) | Target::Category(_) => false,
    }
}

fn hashed_anchor(
    code: &AnchoredCode,
    value: &str,
    last_read: &mut Option<(CodePath, CodeText)>,
    warnings: &mut Vec<Warning>,
) -> Result<CodeAnchor, Rejection> {
    let anchor = CodeAnchor::parse(value).map_err(anchor_rejection)?;
    let (path, place) = (&anchor.path, anchor.place());
    if last_read.as_ref().is_none_or(|(read, _)| read != path) {
        let missing = || {
            Rejection::new(Code::FileNotFound, format!("the repository has no file '{path}'"))
                .hint("the path of an anchor is relative to the root of the git repository")
        };
        *last_read = Some((path.clone(), code.read(path)?.ok_or_else(missing)?));
    }
    let Some((_, text)) = last_read else { return Ok(anchor) };
    let Some(new) = text.new_hash(anchor.lines) else {
        let message = format!("'{path}' has {} lines, fewer than {place}", text.line_count());
        return Err(Rejection::new(Code::Usage, message));
    };
    if let Some(given) = anchor.hash.filter(|given| !text.has_hash(anchor.lines, *given)) {
        return Err(hash_rejection(&place, given, new.hash));
    }
    if !new.is_followed {
        let message = format!(
            "the lines of {place} are not followed when they move: they occur more than once in the file, or have fewer than four letters and digits"
        );
        warnings.push(Warning::new(Code::Note, message));
    }
    Ok(CodeAnchor { hash: Some(new.hash), ..anchor })
}

fn anchor_rejection(error: AnchorError) -> Rejection {
    match error {
        AnchorError::Path(reason) => Rejection::new(Code::InvalidPath, format!("not a valid anchor: {reason}"))
            .hint("give a path relative to the root of the git repository, such as src/lib.rs:10-24"),
        AnchorError::Lines => {
            Rejection::new(Code::Usage, "not a valid anchor: lines are numbered from 1, the first before the last")
        }
    }
}

fn hash_rejection(place: &str, given: LinesHash, present: LinesHash) -> Rejection {
    Rejection::new(Code::Conflict, format!("{place} has the hash {present} now, not {given}"))
        .hint(format!("read the lines; if the text still describes them, set anchor={place} without a hash"))
        .detail("hash", present.to_string())
}
