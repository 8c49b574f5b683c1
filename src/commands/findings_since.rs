//! `check --since`: keeps the findings on lines that changed since a git revision, and links that led somewhere then.
//!
//! Never finds problems itself.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::Session;
use super::check::links::{CheckedLink, checkable_links, led_somewhere};
use super::results::CheckFinding;
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::document::link_names::LinkNames;
use crate::host::git::{Git, GitBlob};
use crate::path::MemoryPath;
use crate::view::diff::changed_line_numbers;

/// The largest policy file that is read, in bytes.
const MAX_POLICY_BYTES: u64 = 1 << 20;

/// Keeps the findings on lines that changed since the merge base of a git revision and `HEAD` (since the revision
/// itself, if there is none). A finding about a whole file is kept if any of its lines changed, and one about a link if
/// its target was there. A renamed file is compared with the one that it was.
///
/// # Errors
/// `no_repository`, `revision_not_found`, `no_git`, `git`.
pub fn findings_since(
    session: &Session,
    revision: &str,
    findings: Vec<CheckFinding>,
) -> Result<Vec<CheckFinding>, Rejection> {
    let git = Git::in_dir(&session.dir);
    git.work_tree()?;
    let commit = git.resolve_commit(revision)?;
    // Compares with the merge base, so that later changes on the other branch do not count as changes here.
    let fork = git.resolve_commit("HEAD").ok().and_then(|head| git.merge_base(&commit, &head).ok().flatten());
    let base_files = git.files_at(fork.as_ref().unwrap_or(&commit))?;
    let renames = git.renames_since(fork.as_ref().unwrap_or(&commit))?;
    let past = PastFiles::new(session, &git, &base_files);
    let mut lines: HashMap<String, Option<HashSet<usize>>> = HashMap::new();
    let names = LinkNames::new(past.files.iter().map(|(path, _)| path));
    let mut new = Vec::new();
    for finding in findings {
        if !lines.contains_key(&finding.path) {
            let old_path = renames.get(&finding.path).unwrap_or(&finding.path);
            let old_object = base_files.iter().find(|blob| blob.path == *old_path).map(|blob| blob.object.as_str());
            lines.insert(finding.path.clone(), changed_lines(session, &git, &finding.path, old_object)?);
        }
        let is_new = match &lines[&finding.path] {
            None => true,
            Some(lines) => lines.contains(&finding.line) || finding.line == 0 && !lines.is_empty(),
        };
        if is_new || finding.code == Code::DanglingLink.name() && past.had_target(&names, &finding) {
            new.push(finding);
        }
    }
    Ok(new)
}

/// Links by line and column.
type PlacedLinks = HashMap<(usize, usize), CheckedLink>;

/// The files of the memory at the revision.
struct PastFiles<'a> {
    session: &'a Session,
    git: &'a Git,
    /// Each with its object.
    files: Vec<(MemoryPath, &'a str)>,
    /// Their texts, as far as they were read.
    texts: RefCell<HashMap<MemoryPath, Option<Rc<Document>>>>,
    /// The present links of the file that was asked for last, by line and column.
    links: RefCell<(Option<MemoryPath>, PlacedLinks)>,
}

impl<'a> PastFiles<'a> {
    fn new(session: &'a Session, git: &'a Git, base_files: &'a [GitBlob]) -> PastFiles<'a> {
        let is_of_memory = |path: &str| {
            path.ends_with(".md") && !path.starts_with("scopes/") && !path.split('/').any(|part| part.starts_with('.'))
        };
        let files = base_files.iter().filter(|blob| is_of_memory(&blob.path));
        let files = files.filter_map(|blob| Some((MemoryPath::from_disk_name(&blob.path).ok()?, blob.object.as_str())));
        let is_readable = |path: &MemoryPath| session.store.filter_past_bytes(path, Vec::new()).is_some();
        let files = files.filter(|(path, _)| is_readable(path)).collect();
        PastFiles { session, git, files, texts: RefCell::default(), links: RefCell::default() }
    }

    /// Whether the link of a finding led somewhere. `names` are those of all files then. Findings come by file.
    fn had_target(&self, names: &LinkNames<'_>, finding: &CheckFinding) -> bool {
        let Ok(holder) = MemoryPath::from_disk_name(&finding.path) else { return false };
        let mut last = self.links.borrow_mut();
        if last.0.as_ref() != Some(&holder) {
            let now = self.session.store.read(&holder).ok().flatten();
            let document = now.and_then(|now| Document::from_bytes(now.bytes.to_vec()).ok());
            let links = document.map(|document| checkable_links(&holder, &document)).unwrap_or_default();
            *last = (Some(holder.clone()), links.into_iter().map(|link| ((link.line, link.col), link)).collect());
        }
        let link = last.1.get(&(finding.line, finding.col));
        link.is_some_and(|link| led_somewhere(&holder, link, names, &|path| self.read(path)))
    }

    fn read(&self, path: &MemoryPath) -> Option<Rc<Document>> {
        let parse = || {
            let (_, object) = self.files.iter().find(|(known, _)| known == path)?;
            let bytes = self.git.read_objects(&[object]).ok()?.pop()?;
            Document::from_bytes(self.session.store.filter_past_bytes(path, bytes)?).ok().map(Rc::new)
        };
        self.texts.borrow_mut().entry(path.clone()).or_insert_with(parse).clone()
    }
}

/// The 1-based numbers of the lines of a file that changed; `None` for all of them. A removed line marks the line after
/// it.
fn changed_lines(
    session: &Session,
    git: &Git,
    path: &str,
    old_object: Option<&str>,
) -> Result<Option<HashSet<usize>>, Rejection> {
    let Some(was) = old_object else { return Ok(None) };
    let mut before = git.read_objects(&[was])?.pop().unwrap_or_default();
    let now = match MemoryPath::from_disk_name(path).ok().filter(|p| p.as_str().ends_with(".md")) {
        Some(path) => {
            before = session.store.filter_past_bytes(&path, before).unwrap_or_default();
            session.store.read(&path).ok().flatten().map(|v| v.bytes.to_vec())
        }
        None => session.store.read_top_file(path, MAX_POLICY_BYTES).ok().flatten().map(String::into_bytes),
    };
    let Some(now) = now else { return Ok(None) };
    Ok(Some(changed_line_numbers(&String::from_utf8_lossy(&before), &String::from_utf8_lossy(&now))))
}
