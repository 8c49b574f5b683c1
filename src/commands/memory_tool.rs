//! Anthropic's memory tool over a memory: `/memories` is the data directory, every change is planned and undoable.
//!
//! Never changes a file that another writer changed since it was read: the request is carried out again on the new
//! text.

use serde::Serialize;

use super::results::{ListResult, TextResult};
use super::{ChangeOptions, CommandResult, Error, Session};
use crate::code::Code;
use crate::document::Document;
use crate::operation::memory_tool::{
    self, MemoryToolRequest, TOOL_ROOT, file_name, link_refusal, parse_tool_path, tool_name,
};
use crate::operation::{Action, Batch, Target};
use crate::path::FOLDERS;

/// What the tool answers: the content of a tool result.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryToolReply {
    pub content: String,
    pub is_error: bool,
}

impl MemoryToolReply {
    /// The reply to a request that failed.
    pub fn error(content: impl Into<String>) -> MemoryToolReply {
        MemoryToolReply { content: content.into(), is_error: true }
    }
}

/// How many times a request is carried out again because another writer was faster. With four writers that never pause,
/// one in forty requests met 10 of them.
pub(super) const MAX_TRIES: usize = 100;

/// What helps where a change needs the user's consent.
const PERSON_HINT: &str = "a person can accept the proposal with `memdir inbox`";

/// Carries out one request, a JSON object. What fails is a reply as well.
pub fn memory_tool(session: &Session, request: &str) -> MemoryToolReply {
    let request: MemoryToolRequest = match serde_json::from_str(request) {
        Ok(request) => request,
        Err(rejection) => return MemoryToolReply::error(format!("Invalid request: {rejection}")),
    };
    match answer(session, &request) {
        Ok(content) => MemoryToolReply { content, is_error: false },
        Err(ToolFailure::InToolWords(content)) => MemoryToolReply::error(content),
        Err(ToolFailure::Refused(rejection)) if rejection.code() == Code::UnsafeFile => {
            MemoryToolReply::error(link_refusal(request.path()))
        }
        Err(ToolFailure::Refused(rejection)) => {
            // The tool has no field for words of consent.
            let hint = if rejection.code() == Code::Consent { Some(PERSON_HINT) } else { rejection.hint() };
            let hint = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
            MemoryToolReply::error(format!("{rejection}{hint}"))
        }
    }
}

/// Why a request failed.
enum ToolFailure {
    /// As the tool's documentation has it.
    InToolWords(String),
    /// The memory refuses what the tool alone would do.
    Refused(Error),
}

impl From<String> for ToolFailure {
    fn from(text: String) -> ToolFailure {
        ToolFailure::InToolWords(text)
    }
}

impl From<Error> for ToolFailure {
    fn from(error: Error) -> ToolFailure {
        ToolFailure::Refused(error)
    }
}

fn answer(session: &Session, request: &MemoryToolRequest) -> Result<String, ToolFailure> {
    match request {
        MemoryToolRequest::View { path, view_range } => view(session, path, *view_range),
        MemoryToolRequest::Create { path, file_text } => create(session, path, file_text),
        MemoryToolRequest::StrReplace { path, old_str, new_str } => {
            let new = new_str.as_deref().unwrap_or_default();
            edit(session, path, |text| memory_tool::str_replace(path, text, old_str, new))
        }
        MemoryToolRequest::Insert { path, insert_line, insert_text } => edit(session, path, |text| {
            let new = memory_tool::insert_lines(text, *insert_line, insert_text)?;
            Ok((new, format!("The file {path} has been edited.")))
        }),
        MemoryToolRequest::Delete { path } => delete(session, path),
        MemoryToolRequest::Rename { old_path, new_path } => rename(session, old_path, new_path),
    }
}

fn view(session: &Session, path: &str, range: Option<(i64, i64)>) -> Result<String, ToolFailure> {
    let below = parse_tool_path(path)?;
    if let Some(file) = load(session, &below)? {
        return Ok(memory_tool::file_view(path, &ToolText::new(file.text).text, range)?);
    }
    let files = files_below(session, &below)?.into_iter();
    let files: Vec<(String, u64)> = files.map(|(file, size)| (shown_name(&below, &file), size)).collect();
    if files.is_empty() && !below.is_empty() {
        Err(not_found(path))
    } else {
        Ok(memory_tool::directory_view(path, &below, &files))
    }
}

fn create(session: &Session, path: &str, text: &str) -> Result<String, ToolFailure> {
    let below = require_below(path, "create")?;
    let exists = || ToolFailure::InToolWords(format!("File {path} already exists"));
    if load(session, &below)?.is_some() {
        return Err(exists());
    }
    let (at, text) = (Target::Address(file_name(&below)), text.to_owned());
    match change(session, vec![Action::Write { at, text, create: true }], &ChangeOptions::default()) {
        Ok(()) => Ok(format!("File created successfully at: {path}")),
        Err(error) if error.code() == Code::NeedsProof => Err(exists()),
        Err(error) => Err(error.into()),
    }
}

/// Replaces the text of a file by what `edit` makes of it; `edit` also returns the reply.
fn edit(
    session: &Session,
    path: &str,
    edit: impl Fn(&str) -> Result<(String, String), String>,
) -> Result<String, ToolFailure> {
    let below = parse_tool_path(path)?;
    let mut tries = 1;
    loop {
        let Some(file) = load(session, &below)? else {
            let is_directory = below.is_empty() || !files_below(session, &below)?.is_empty();
            return Err(if is_directory {
                ToolFailure::InToolWords(format!("The path {path} is not a file."))
            } else {
                not_found(path)
            });
        };
        let tool_text = ToolText::new(file.text);
        let (text, reply) = edit(&tool_text.text)?;
        let text = tool_text.with_summary(&text);
        let write = Action::Write { at: Target::Address(file.path), text, create: false };
        let options = ChangeOptions { if_match: Some(file.etag), ..ChangeOptions::default() };
        match change(session, vec![write], &options) {
            Ok(()) => return Ok(reply),
            Err(error) if error.code() == Code::Conflict && tries < MAX_TRIES => tries += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// The text of a file as the tool shows it: without the summary line, which the agent neither wrote nor counts.
struct ToolText {
    text: String,
    /// The summary line with the blank line below it, and the byte offset in `text` at which it stands.
    summary: Option<(String, usize)>,
}

impl ToolText {
    fn new(text: String) -> ToolText {
        let document = Document::parse(text);
        let text = document.text();
        let Some(summary) = document.summary_line().filter(|line| !line.in_front_matter) else {
            return ToolText { text: text.to_owned(), summary: None };
        };
        let mut range = summary.line.range();
        let blank = text[range.end..].split_inclusive('\n').next().filter(|line| line.trim().is_empty());
        range.end += blank.map_or(0, str::len);
        ToolText {
            text: format!("{}{}", &text[..range.start], &text[range.end..]),
            summary: Some((text[range.clone()].to_owned(), range.start)),
        }
    }

    /// An edited text, with the summary where it was, if the text above is still the same, or below the title. Without
    /// it where it would be no summary there: then it is derived anew.
    fn with_summary(&self, edited: &str) -> String {
        let Some((summary, at)) = &self.summary else { return edited.to_owned() };
        let document = Document::parse(edited);
        if edited.trim().is_empty() || document.summary_line().is_some() {
            return edited.to_owned();
        }
        // Front matter that the edit put in front of it stays there.
        let is_same_above = *at >= document.body_start() && edited.starts_with(&self.text[..*at]);
        let same_place = is_same_above.then(|| (*at, summary.clone()));
        let title = document.sections().iter().find(|section| section.level == 1);
        let start = title.map_or(document.body_start(), |title| title.heading.end as usize);
        let eol = document.eol().as_str();
        let gap = match title {
            None => String::new(),
            Some(_) if edited[..start].ends_with('\n') => eol.to_owned(),
            Some(_) => eol.repeat(2),
        };
        let is_followed = edited[start..].starts_with(|c| !matches!(c, '\n' | '\r'));
        let end = if is_followed { eol } else { "" };
        let below_title = (start, format!("{gap}{}{eol}{end}", summary.trim_end()));
        let is_summary = |text: &String| {
            let document = Document::parse(text.as_str());
            let found = document.summary_line().filter(|line| !line.in_front_matter);
            found.is_some_and(|found| text[found.line.range()].trim_end() == summary.trim_end())
        };
        let places = same_place.into_iter().chain([below_title]);
        let mut texts = places.map(|(at, summary)| format!("{}{summary}{}", &edited[..at], &edited[at..]));
        texts.find(is_summary).unwrap_or_else(|| edited.to_owned())
    }
}

fn delete(session: &Session, path: &str) -> Result<String, ToolFailure> {
    let below = require_below(path, "delete")?;
    let files = named_files(session, &below)?;
    if files.is_empty() {
        return Err(ToolFailure::InToolWords(format!("The path {path} does not exist")));
    }
    let remove = |file: String| Action::remove(Target::Address(file));
    // A file without bullets is removed too, as with `rm -f`.
    let options = ChangeOptions { force: true, ..ChangeOptions::default() };
    change(session, files.into_iter().map(remove).collect(), &options)?;
    Ok(format!("Successfully deleted {path}"))
}

fn rename(session: &Session, old_path: &str, new_path: &str) -> Result<String, ToolFailure> {
    let (old, new) = (require_below(old_path, "rename")?, require_below(new_path, "rename")?);
    let files = named_files(session, &old)?;
    if files.is_empty() {
        return Err(ToolFailure::InToolWords(format!("The path {old_path} does not exist")));
    }
    if !named_files(session, &new)?.is_empty() {
        return Err(ToolFailure::InToolWords(format!("The destination {new_path} already exists")));
    }
    if new.strip_prefix(&old).is_some_and(|rest| rest.starts_with('/')) {
        return Err(ToolFailure::InToolWords(format!("Cannot rename {old_path} to {new_path}, which is inside it")));
    }
    let moves = files.into_iter().map(|file| {
        let name = shown_name(&old, &file);
        let inside = name.strip_prefix(&old).and_then(|rest| rest.strip_prefix('/'));
        let to = inside.map_or_else(|| new.clone(), |inside| format!("{new}/{inside}"));
        let to = if to.contains('/') { file_name(&to) } else { format!("facts/{}", file_name(&to)) };
        Action::Move { at: Target::Address(file), to, create: true }
    });
    change(session, moves.collect(), &ChangeOptions::default())?;
    Ok(format!("Successfully renamed {old_path} to {new_path}"))
}

/// The part of a path below `/memories`, for a request that must not name `/memories` itself.
fn require_below(path: &str, verb: &str) -> Result<String, ToolFailure> {
    let below = parse_tool_path(path)?;
    if below.is_empty() {
        Err(ToolFailure::InToolWords(format!("Cannot {verb} the {TOOL_ROOT} directory itself")))
    } else {
        Ok(below)
    }
}

fn not_found(path: &str) -> ToolFailure {
    ToolFailure::InToolWords(format!("The path {path} does not exist. Please provide a valid path."))
}

/// The file of exactly this name. Unlike an address, a name finds no file in another folder.
fn load(session: &Session, below: &str) -> CommandResult<Option<TextResult>> {
    if below.is_empty() || below.contains(['#', '@']) {
        return Ok(None);
    }
    match super::read(session, &file_name(below)) {
        Ok(file) if is_named(below, &file.path) => Ok(Some(file)),
        Ok(_) => Ok(None),
        Err(error) if error.code() == Code::FileNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_named(below: &str, file: &str) -> bool {
    let name = file_name(below);
    file == name || file.strip_prefix("facts/") == Some(&name)
}

/// The paths of the file, or of the files in the directory, of this name.
fn named_files(session: &Session, below: &str) -> CommandResult<Vec<String>> {
    match load(session, below)? {
        Some(file) => Ok(vec![file.path]),
        None => Ok(files_below(session, below)?.into_iter().map(|(path, _)| path).collect()),
    }
}

/// The paths and sizes in bytes of the files in a directory and below it.
fn files_below(session: &Session, below: &str) -> CommandResult<Vec<(String, u64)>> {
    // Archive and inbox are no part of the list of a whole memory.
    let folder = below.split('/').next().filter(|first| FOLDERS.contains(first));
    let address = folder.map(|folder| format!("{folder}/"));
    let files = match super::list(session, address.as_deref()) {
        Ok(ListResult::Files(list)) => list.files,
        Ok(ListResult::Outline(_)) => Vec::new(),
        Err(error) if error.code() == Code::FileNotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let inside = |name: &str| below.is_empty() || name.strip_prefix(below).is_some_and(|rest| rest.starts_with('/'));
    let files = files.into_iter().filter(|file| inside(&shown_name(below, &file.path)));
    Ok(files.map(|file| (file.path, file.size)).collect())
}

/// The name of a file below `/memories`, in a listing of this directory: with `facts/` if the caller wrote it.
fn shown_name(below: &str, file: &str) -> String {
    let folder = if below.split('/').next() == Some("facts") && file.starts_with("facts/") { "facts/" } else { "" };
    format!("{folder}{}", tool_name(file))
}

fn change(session: &Session, actions: Vec<Action>, options: &ChangeOptions) -> CommandResult<()> {
    super::change(session, Batch::from_iter(actions), options).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_stays_below_the_title_whatever_an_edit_does_above_it() {
        let check = |edited: &str, expected: &str| {
            let text = ToolText::new("# M\n\n> Summary: alpha\n\n- alpha one\n".to_owned());
            assert_eq!(text.text, "# M\n\n- alpha one\n");
            assert_eq!(text.with_summary(edited), expected);
        };
        check("# M\n\n- alpha two\n", "# M\n\n> Summary: alpha\n\n- alpha two\n");
        check(
            "---\ntags: [work]\nowner: ana\n---\n# M\n\n- a\n",
            "---\ntags: [work]\nowner: ana\n---\n# M\n\n> Summary: alpha\n\n- a\n",
        );
        check(
            "```sh\nmake deploy\nmake check\n```\n# M\n\n- a\n",
            "```sh\nmake deploy\nmake check\n```\n# M\n\n> Summary: alpha\n\n- a\n",
        );
        check("- a\n", "> Summary: alpha\n\n- a\n");
        check("# N", "# N\n\n> Summary: alpha\n");
        check("", "");
        check("# M\n\n> Summary: own\n", "# M\n\n> Summary: own\n");
    }

    #[test]
    fn front_matter_is_put_above_a_summary() {
        let text = ToolText::new("> Summary: alpha\n\n- alpha one\n".to_owned());
        let edited = "---\ntags: [work]\n---\n- alpha one\n";
        assert_eq!(text.with_summary(edited), "---\ntags: [work]\n---\n> Summary: alpha\n\n- alpha one\n");
    }
}
