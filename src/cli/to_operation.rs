//! Converts parsed arguments and content to a batch of operations.
//!
//! Never reads the memory, the clock or a stream: content is read through the function that is passed in.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::argv::RmOperand;
use super::change_args::{
    AddArgs, AppendArgs, ApplyArgs, BulletDelArgs, MvArgs, PatchArgs, RmArgs, SetArgs, UpdateArgs, WriteArgs,
};
use super::output::CliReply;
use super::prune::RestoreArgs;
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::commands::Error;
use crate::document::{BulletMeta, MetaKey, NewBullet, parse_new_bullets};
use crate::host::git_dir::GitDirectory;
use crate::operation::{Action, Batch, Target, dialects};

/// Reads the content of a file (`-F`); without a path, or for `-`, reads stdin.
pub type ContentReader<'a> = &'a dyn Fn(Option<&Path>) -> Result<String, Rejection>;

fn target(address: &str) -> Target {
    Target::Address(address.to_owned())
}

fn usage_error(message: impl Into<String>) -> Rejection {
    Rejection::new(Code::Usage, message)
}

/// Checks a text argument: one line, not empty.
fn single_line(text: &str) -> Result<String, Rejection> {
    if text.contains(['\n', '\r']) {
        return Err(Rejection::new(Code::Multiline, "a text argument contains a line break")
            .hint("pass long texts on stdin or with -F"));
    }
    require_text("text", text)
}

/// Checks that a text is not empty; `what` names it in the error.
fn require_text(what: &str, text: &str) -> Result<String, Rejection> {
    if text.trim().is_empty() { Err(usage_error(format!("the {what} is empty"))) } else { Ok(text.to_owned()) }
}

/// Parses content as bullets: a list, or a text that becomes one bullet.
///
/// # Errors
/// `usage` if it is neither, `empty_input` if it has no text.
fn content_bullets(content: &str) -> Result<Vec<NewBullet>, Rejection> {
    let items = parse_new_bullets(content).map_err(usage_error)?;
    if items.iter().all(|item| item.text.trim().is_empty()) {
        Err(Rejection::new(Code::EmptyInput, "the content has no text"))
    } else {
        Ok(items)
    }
}

/// The path of `-F`, unless the positional for content is `-`, which means stdin.
///
/// # Errors
/// `usage` if both are given, or the positional is anything else.
fn content_file<'a>(dash: Option<&str>, file: Option<&'a Path>) -> Result<Option<&'a Path>, Rejection> {
    match (dash, file) {
        (Some("-"), Some(_)) => Err(usage_error("give - for stdin or a file with -F, not both")),
        (Some("-") | None, file) => Ok(file),
        (Some(_), _) => {
            Err(usage_error("the text is read from stdin or a file, not from an argument").hint("use - or -F FILE"))
        }
    }
}

/// Converts `add` and `bullet add`.
pub fn add(args: &AddArgs, content: ContentReader) -> Result<Batch, Rejection> {
    let dash = args.texts.iter().any(|t| t == "-");
    if !args.texts.is_empty() && (args.file.is_some() || dash && args.texts.len() > 1) {
        return Err(usage_error("give texts as arguments, or - for stdin, or a file with -F"));
    }
    let items = if args.texts.is_empty() || dash {
        content_bullets(&content(args.file.as_deref())?)?
    } else {
        let texts = args.texts.iter().map(|t| single_line(t)).collect::<Result<Vec<_>, _>>()?;
        texts.into_iter().map(|text| NewBullet { text, ..NewBullet::default() }).collect()
    };
    if args.id.is_some() && items.len() > 1 {
        return Err(usage_error("--id needs exactly one text"));
    }
    let tags = tag_suffix(&args.tags)?;
    let mut meta = args.metadata();
    // An empty value removes a key; a rule for no path would be shown nowhere.
    if args.when.as_deref().is_some_and(str::is_empty) {
        return Err(usage_error("--when has no glob").hint("name the files, as in src/api/**, or omit --when"));
    }
    if let Some((_, branch)) = meta.iter_mut().find(|(key, _)| key == MetaKey::Branch.name()) {
        *branch = current_branch()?;
    }
    Ok(Batch::from_iter(items.into_iter().map(|item| Action::Add {
        at: target(&args.at),
        text: item.text + &tags,
        children: item.children,
        meta: merge_meta(item.meta, &meta),
        create: args.change_args.create,
    })))
}

/// The branch of the repository that contains the working directory.
fn current_branch() -> Result<String, Rejection> {
    let found = GitDirectory::find(&super::open::working_dir()?);
    found.and_then(|repository| repository.branch()).ok_or_else(|| {
        usage_error(
            "--branch needs a git repository with a branch checked out; `memdir set BULLET branch=NAME` names one",
        )
    })
}

fn tag_suffix(tags: &[String]) -> Result<String, Rejection> {
    let mut out = String::new();
    for tag in tags {
        let tag = tag.trim_start_matches('#');
        if tag.is_empty() || tag.contains(|c: char| c.is_whitespace() || c.is_control() || c == '#') {
            return Err(usage_error("a tag must be one word"));
        }
        out.push_str(" #");
        out.push_str(tag);
    }
    Ok(out)
}

/// An item's own metadata, overridden by that of the options.
fn merge_meta(own: Option<BulletMeta>, given: &[(String, String)]) -> Vec<(String, String)> {
    let mut meta = own.unwrap_or_default();
    for (key, value) in given {
        meta.set(key, value);
    }
    meta.0
}

/// Converts `update` and `bullet update`.
pub fn update(args: &UpdateArgs, content: ContentReader) -> Result<Batch, Rejection> {
    let (mut old, new) = match args.texts.as_slice() {
        [] => (None, None),
        [new] if args.file.is_none() => (None, Some(new)),
        [old] => (Some(old.clone()), None),
        [old, new, ..] => (Some(old.clone()), Some(new)),
    };
    if args.file.is_some() && new.is_some() {
        return Err(usage_error("give the new text as an argument or with -F, not both"));
    }
    if old.is_some() && args.old.is_some() {
        return Err(usage_error("the old text is given twice"));
    }
    old = old.or_else(|| args.old.clone());
    if !names_bullet(&args.at) && old.is_none() && args.index.is_none() {
        return Err(usage_error("no bullet given").hint("use FILE@BULLET NEW, FILE OLD NEW, or --index N"));
    }
    let NewBullet { text, children, .. } = match new {
        Some(new) if new != "-" => NewBullet { text: single_line(new)?, ..NewBullet::default() },
        _ => content_bullet(&content(args.file.as_deref())?)?,
    };
    Ok(Batch::from_iter([Action::Update {
        at: target(&args.at),
        index: args.index,
        old,
        text,
        children,
        meta: Vec::new(),
        archive: false,
    }]))
}

/// Parses content as exactly one bullet without metadata.
fn content_bullet(content: &str) -> Result<NewBullet, Rejection> {
    let mut items = content_bullets(content)?;
    match (items.pop(), items.len()) {
        (Some(item), 0) if item.meta.is_none() => Ok(item),
        (Some(_), 0) => Err(usage_error("the new text contains metadata").hint("use `set` for metadata")),
        (_, others) => {
            Err(usage_error(format!("an update needs one bullet, and the text has {} list items", others + 1))
                .hint("update one bullet, then `add` the others"))
        }
    }
}

/// Whether an address names a bullet: a possible handle, id or index follows its last `@`.
fn names_bullet(address: &str) -> bool {
    let name = address.rsplit_once('@').map_or("", |(_, name)| name);
    let is_number = |nth: &str| !nth.is_empty() && nth.bytes().all(|b| b.is_ascii_digit());
    let name = name.rsplit_once('.').filter(|(_, nth)| is_number(nth)).map_or(name, |(name, _)| name);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Converts `rm`: one removal for each address, and one for each text of the file before it.
///
/// # Errors
/// `usage` for a text without a file before it.
pub fn rm(args: &RmArgs) -> Result<Batch, Rejection> {
    let mut file: Option<&str> = None;
    let mut text_follows = false;
    let mut actions = Vec::new();
    for (i, word) in args.words.iter().enumerate() {
        let (address, text) = match word {
            RmOperand::Address(address) => {
                file = Some(address);
                // `rm FILE '- text'` removes the bullet, not the whole file.
                text_follows = matches!(args.words.get(i + 1), Some(RmOperand::Text(_)));
                if text_follows {
                    continue;
                }
                (address.as_str(), None)
            }
            RmOperand::Text(text) => (
                file.filter(|_| text_follows).ok_or_else(|| usage_error("a text needs a file before it"))?,
                Some(text.clone()),
            ),
        };
        let (archive, forget) = (args.archive, args.forget);
        let at = target(address);
        actions.push(Action::Remove { at, index: None, text, archive, purge: None, forget, if_exists: false });
    }
    Ok(Batch::from_iter(actions))
}

/// For `rm FILE 'Likes tea'`, where the text is no file: only that error, with the form for the text of a bullet. The
/// other one would offer to remove the whole file.
pub fn name_text_of_rm(mut reply: CliReply, args: &RmArgs) -> CliReply {
    if let CliReply::Result(result, ..) = &mut reply
        && let Err(error) = &mut **result
        && let [RmOperand::Address(file), RmOperand::Address(text)] = &args.words[..]
        && text.contains(' ')
        && let Some(missing) = error
            .rejections
            .iter()
            .find(|rejection| rejection.code == Code::FileNotFound && rejection.operation == Some(1))
    {
        let rejection = Rejection { operation: None, suggestions: Vec::new(), ..missing.clone() }
            .hint("if it is the text of a bullet, put '- ' before it: rm FILE '- TEXT'")
            .try_command(SuggestedCommand::new("list", file.clone()));
        error.rejections = vec![rejection];
    }
    reply
}

/// Converts `restore`: one operation for each address.
pub fn restore(args: &RestoreArgs) -> Result<Batch, Rejection> {
    Ok(Batch::from_iter(args.at.iter().map(|at| Action::Restore { at: target(at) })))
}

/// Converts `bullet del`.
///
/// # Errors
/// `usage` if neither the address, an index nor a text names the bullet.
pub fn bullet_del(args: &BulletDelArgs) -> Result<Batch, Rejection> {
    if args.index.is_none() && args.text.is_none() && !names_bullet(&args.at) {
        return Err(usage_error("no bullet given").hint("use FILE@BULLET, FILE TEXT, or --index N"));
    }
    let (index, text) = (args.index, args.text.clone());
    let (archive, forget) = (args.archive, args.forget);
    let at = target(&args.at);
    Ok(Batch::from_iter([Action::Remove { at, index, text, archive, purge: None, forget, if_exists: false }]))
}

pub fn mv(args: &MvArgs) -> Result<Batch, Rejection> {
    Ok(Batch::from_iter([Action::Move { at: target(&args.at), to: args.to.clone(), create: args.change_args.create }]))
}

/// Converts `set`.
///
/// # Errors
/// `usage` for a word that is not KEY=VALUE or a key given twice, `multiline` for a value of several lines.
pub fn set(args: &SetArgs) -> Result<Batch, Rejection> {
    let parse_pair = |word: &String| match word.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            if value.contains(['\n', '\r']) {
                return Err(Rejection::new(Code::Multiline, "a value must be one line"));
            }
            Ok((key.trim().to_owned(), value.to_owned()))
        }
        _ => Err(usage_error("expected KEY=VALUE")),
    };
    let pairs = args.pairs.iter().map(parse_pair).collect::<Result<Vec<_>, _>>()?;
    let mut known = HashSet::new();
    if let Some((twice, _)) = pairs.iter().find(|(key, _)| !known.insert(key)) {
        return Err(usage_error(format!("'{twice}' is given twice")));
    }
    Ok(Batch::from_iter([Action::Set { at: target(&args.at), pairs }]))
}

/// Converts `append`.
///
/// # Errors
/// `usage` or `multiline` for a title or summary that is empty or of several lines; `usage` for content from two
/// places; errors of reading it.
pub fn append(args: &AppendArgs, content: ContentReader) -> Result<Batch, Rejection> {
    let checked_line = |what: &str, text: &Option<String>| {
        let text = text.as_deref().map(|text| require_text(what, text).and_then(|text| single_line(&text)));
        text.transpose()
    };
    let title = checked_line("title", &args.title)?;
    let summary = checked_line("summary", &args.summary)?;
    let file_summary = checked_line("file summary", &args.file_summary)?;
    let (at, dash) = match (args.at.as_deref(), args.content.as_deref()) {
        (Some("-"), None) => (None, Some("-")),
        other => other,
    };
    let text = content(content_file(dash, args.file.as_deref())?)?;
    Ok(Batch::from_iter([Action::Append {
        at: at.map(target),
        text,
        title,
        date: args.date.clone(),
        summary,
        file_summary,
        create: args.change_args.create,
    }]))
}

/// Converts `write`.
///
/// # Errors
/// `usage` for content from two places; errors of reading it.
pub fn write(args: &WriteArgs, content: ContentReader) -> Result<Batch, Rejection> {
    let text = content(content_file(args.content.as_deref(), args.file.as_deref())?)?;
    Ok(Batch::from_iter([Action::Write { at: target(&args.at), text, create: args.change_args.create }]))
}

/// Parses the content of `apply` as a batch, in any dialect.
///
/// # Errors
/// `usage` for content from two places; errors of reading it; one rejection for each malformed operation.
pub fn apply(args: &ApplyArgs, content: ContentReader) -> Result<Batch, Error> {
    Ok(dialects::parse_batch(&content(content_file(args.content.as_deref(), args.file.as_deref())?)?)?)
}

/// Converts `patch`, from its options or from JSON.
///
/// # Errors
/// `usage` for unpaired or empty texts, or content from two places; `multiline` for a `--new` of several lines;
/// `invalid_operation` for other JSON; errors of reading it.
pub fn patch(args: &PatchArgs, content: ContentReader) -> Result<Batch, Rejection> {
    if args.old.len() != args.new.len() {
        return Err(usage_error("each --old needs a --new, and each --new an --old"));
    }
    for new in &args.new {
        if new.contains(['\n', '\r']) {
            return Err(Rejection::new(Code::Multiline, "a text argument contains a line break")
                .hint("pass long texts on stdin as JSON: [{\"oldText\":\"…\",\"newText\":\"…\"}]"));
        }
    }
    let pairs = match args.old.is_empty() {
        true => parse_pairs(&content(content_file(args.content.as_deref(), args.file.as_deref())?)?)?,
        false if args.content.is_some() => return Err(usage_error("give --old and --new, or JSON on stdin, not both")),
        false => args.old.iter().cloned().zip(args.new.iter().cloned()).collect(),
    };
    if pairs.iter().any(|(old, _)| old.is_empty()) {
        return Err(usage_error("an old text is empty"));
    }
    Ok(Batch::from_iter([Action::Patch { at: target(&args.at), pairs, archive: false }]))
}

/// Parses pairs of old and new texts in the dialects of other tools: a list of objects or pairs, one object, or an
/// object that contains such a list.
fn parse_pairs(content: &str) -> Result<Vec<(String, String)>, Rejection> {
    let error = |reason: &str| {
        Rejection::new(Code::InvalidOperation, format!("invalid patches: {reason}"))
            .hint("expected [{\"oldText\":\"…\",\"newText\":\"…\"}]")
    };
    let json: Value = serde_json::from_str(content).map_err(|e| error(&e.to_string()))?;
    let list_keys = ["patches", "edits", "pairs"];
    let list = match &json {
        Value::Array(list) => list.clone(),
        Value::Object(o) => match list_keys.iter().find_map(|k| o.get(*k)).and_then(Value::as_array) {
            Some(list) => list.clone(),
            None => vec![json],
        },
        _ => return Err(error("expected a list or an object")),
    };
    if list.is_empty() {
        return Err(error("the list is empty"));
    }
    let string_field = |value: &Value, names: [&str; 4]| {
        names.iter().find_map(|n| value.get(*n)).and_then(Value::as_str).map(str::to_owned)
    };
    list.iter()
        .map(|entry| match entry {
            Value::Array(pair) if pair.len() == 2 => {
                let side =
                    |i: usize| pair[i].as_str().map(str::to_owned).ok_or_else(|| error("a text is not a string"));
                Ok((side(0)?, side(1)?))
            }
            one => {
                let old = string_field(one, ["oldText", "old_str", "old_string", "old"])
                    .ok_or_else(|| error("oldText is missing"))?;
                let new = string_field(one, ["newText", "new_str", "new_string", "new"])
                    .ok_or_else(|| error("newText is missing"))?;
                Ok((old, new))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
