//! What was said becomes what is meant: arguments and content to a batch of operations.
//!
//! Never looks at a memory, a clock or a stream: content comes through the function that is handed in.

use std::path::Path;

use serde_json::Value;

use super::argv::Word;
use super::changes::{
    AddArgs, AppendArgs, ApplyArgs, BulletDelArgs, MvArgs, PatchArgs, RmArgs, SetArgs, UpdateArgs, WriteArgs,
};
use crate::code::{Code, Rejection};
use crate::commands::Failure;
use crate::document::{Item, Meta, items_source};
use crate::operation::{Action, Batch, Operation, Target, read};

/// Reads the content of a file (`-F`), or of stdin for none and `-`.
pub type Content<'a> = &'a dyn Fn(Option<&Path>) -> Result<String, Rejection>;

fn batch(actions: impl IntoIterator<Item = Action>) -> Batch {
    let operation = |action| Operation { action, seen: None, if_match: None, reason: None, source: None };
    Batch { operations: actions.into_iter().map(operation).collect(), ..Batch::default() }
}

fn at(address: &str) -> Target {
    Target::Address(address.to_owned())
}

fn usage(message: impl Into<String>) -> Rejection {
    Rejection::new(Code::Usage, message)
}

/// A new text from an argument: one line, and not nothing.
fn line(text: &str) -> Result<String, Rejection> {
    if text.contains(['\n', '\r']) {
        return Err(Rejection::new(Code::Multiline, "a text given as an argument holds a line break")
            .hint("long texts come by stdin or -F"));
    }
    match text.trim().is_empty() {
        true => Err(usage("the text is empty")),
        false => Ok(text.to_owned()),
    }
}

/// The items of a markdown list that came as content.
fn items(content: &str) -> Result<Vec<Item>, Rejection> {
    let items = items_source(content).map_err(usage)?;
    match items.iter().all(|item| item.text.trim().is_empty()) {
        true => Err(Rejection::new(Code::EmptyInput, "the content holds no list item")),
        false => Ok(items),
    }
}

/// `add`, `bullet add`.
pub fn add(args: &AddArgs, content: Content) -> Result<Batch, Rejection> {
    let stdin = args.texts == ["-"];
    if args.file.is_some() && !args.texts.is_empty() && !stdin {
        return Err(usage("texts come as arguments or by -F, not both"));
    }
    let items = match args.texts.is_empty() || stdin {
        true => items(&content(args.file.as_deref())?)?,
        false => {
            let texts = args.texts.iter().map(|t| line(t)).collect::<Result<Vec<_>, _>>()?;
            texts.into_iter().map(|text| Item { text, ..Item::default() }).collect()
        }
    };
    if args.id.is_some() && items.len() > 1 {
        return Err(usage("--id names one bullet, and there are several"));
    }
    let tags = tags(&args.tags)?;
    let meta = meta(args);
    Ok(batch(items.into_iter().map(|item| Action::Add {
        at: at(&args.at),
        text: item.text + &tags,
        children: item.children,
        meta: joined(item.meta, &meta),
        create: args.how.create,
    })))
}

fn tags(tags: &[String]) -> Result<String, Rejection> {
    let mut out = String::new();
    for tag in tags {
        let tag = tag.trim_start_matches('#');
        if tag.is_empty() || tag.contains(|c: char| c.is_whitespace() || c.is_control() || c == '#') {
            return Err(usage("a tag is one word"));
        }
        out.push_str(" #");
        out.push_str(tag);
    }
    Ok(out)
}

/// An item's own metadata, with what the options say set over it.
fn joined(own: Option<Meta>, given: &[(String, String)]) -> Vec<(String, String)> {
    let mut meta = own.unwrap_or_default();
    for (key, value) in given {
        meta.set(key, value);
    }
    meta.0
}

/// Metadata in the order in which a metadata line has it.
fn meta(args: &AddArgs) -> Vec<(String, String)> {
    let given = [("id", &args.id), ("exp", &args.exp), ("conf", &args.conf), ("imp", &args.imp)];
    let mut meta: Vec<(String, String)> =
        given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?))).collect();
    if args.pin {
        meta.push(("pin".into(), "true".into()));
    }
    meta
}

/// `update`, `bullet update`.
pub fn update(args: &UpdateArgs, content: Content) -> Result<Batch, Rejection> {
    let (mut old, new) = match args.texts.as_slice() {
        [] => (None, None),
        [new] if args.file.is_none() => (None, Some(new)),
        [old] => (Some(old.clone()), None),
        [old, new, ..] => (Some(old.clone()), Some(new)),
    };
    if args.file.is_some() && new.is_some() {
        return Err(usage("the new text comes as an argument or by -F, not both"));
    }
    if old.is_some() && args.old.is_some() {
        return Err(usage("the old text is given twice"));
    }
    old = old.or_else(|| args.old.clone());
    if !names_bullet(&args.at) && old.is_none() && args.index.is_none() {
        return Err(usage("which bullet is meant?").hint("name it: FILE@BULLET NEW, FILE OLD NEW, or --index N"));
    }
    let text = match new {
        Some(new) if new != "-" => line(new)?,
        None if args.file.is_none() => return Err(usage("the new text is missing")),
        _ => one(&content(args.file.as_deref())?)?,
    };
    Ok(batch([Action::Update { at: at(&args.at), index: args.index, old, text }]))
}

/// The one item of a content.
fn one(content: &str) -> Result<String, Rejection> {
    match items(content)?.as_slice() {
        [item] if item.children.is_empty() && item.meta.is_none() => Ok(item.text.clone()),
        _ => Err(usage("an update takes one item without children")),
    }
}

/// Whether an address names a bullet: something that can be a handle, an id or a number stands after its last `@`.
fn names_bullet(address: &str) -> bool {
    let name = address.rsplit_once('@').map_or("", |(_, name)| name);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// `rm`.
pub fn rm(args: &RmArgs) -> Result<Batch, Rejection> {
    let mut file: Option<&str> = None;
    let mut texts = false;
    let mut actions = Vec::new();
    for (i, word) in args.words.iter().enumerate() {
        let (address, text) = match word {
            Word::Plain(address) => {
                file = Some(address);
                // `rm FILE '- text'` removes the text, not the file too.
                texts = matches!(args.words.get(i + 1), Some(Word::Item(_)));
                if texts {
                    continue;
                }
                (address.as_str(), None)
            }
            Word::Item(text) => {
                (file.filter(|_| texts).ok_or_else(|| usage("a text needs its file before it"))?, Some(text.clone()))
            }
        };
        let (archive, forget) = (args.archive, args.forget);
        actions.push(Action::Remove { at: at(address), index: None, text, archive, forget });
    }
    Ok(batch(actions))
}

/// `bullet del`.
pub fn bullet_del(args: &BulletDelArgs) -> Result<Batch, Rejection> {
    if args.index.is_none() && args.text.is_none() && !names_bullet(&args.at) {
        return Err(usage("which bullet is meant?").hint("name it: FILE@BULLET, FILE TEXT, or --index N"));
    }
    let (index, text) = (args.index, args.text.clone());
    Ok(batch([Action::Remove { at: at(&args.at), index, text, archive: args.archive, forget: args.forget }]))
}

/// `mv`.
pub fn mv(args: &MvArgs) -> Result<Batch, Rejection> {
    Ok(batch([Action::Move { at: at(&args.at), to: args.to.clone(), create: args.how.create }]))
}

/// `set`.
pub fn set(args: &SetArgs) -> Result<Batch, Rejection> {
    let pair = |word: &String| match word.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            if value.contains(['\n', '\r']) {
                return Err(Rejection::new(Code::Multiline, "a value is one line"));
            }
            Ok((key.trim().to_owned(), value.to_owned()))
        }
        _ => Err(usage("a value is set as KEY=VALUE")),
    };
    let pairs = args.pairs.iter().map(pair).collect::<Result<_, _>>()?;
    Ok(batch([Action::Set { at: at(&args.at), pairs }]))
}

/// `append`.
pub fn append(args: &AppendArgs, content: Content) -> Result<Batch, Rejection> {
    let given = |text: &Option<String>| text.as_deref().map(line).transpose();
    let (title, summary, file_summary) = (given(&args.title)?, given(&args.summary)?, given(&args.file_summary)?);
    let text = content(args.file.as_deref())?;
    Ok(batch([Action::Append {
        at: args.at.as_deref().filter(|a| *a != "-").map(at),
        text,
        title,
        date: args.date.clone(),
        summary,
        file_summary,
        create: args.how.create,
    }]))
}

/// `write`.
pub fn write(args: &WriteArgs, content: Content) -> Result<Batch, Rejection> {
    Ok(batch([whole(&args.at, content(args.file.as_deref())?, args.how.create)]))
}

fn whole(file: &str, text: String, create: bool) -> Action {
    Action::Write { at: at(file), text, create }
}

/// `apply`.
pub fn apply(args: &ApplyArgs, content: Content) -> Result<Batch, Failure> {
    Ok(read::batch(&content(args.file.as_deref())?)?)
}

/// `patch`.
pub fn patch(args: &PatchArgs, content: Content) -> Result<Batch, Rejection> {
    if args.old.len() != args.new.len() {
        return Err(usage("each --old needs its --new, and each --new its --old"));
    }
    for new in &args.new {
        if new.contains(['\n', '\r']) {
            return Err(Rejection::new(Code::Multiline, "a text given as an argument holds a line break")
                .hint("long texts come by stdin as JSON: [{\"oldText\":\"…\",\"newText\":\"…\"}]"));
        }
    }
    let pairs = match args.old.is_empty() {
        true => pairs(&content(args.file.as_deref())?)?,
        false => args.old.iter().cloned().zip(args.new.iter().cloned()).collect(),
    };
    if pairs.iter().any(|(old, _)| old.is_empty()) {
        return Err(usage("an old text is empty"));
    }
    Ok(batch([Action::Patch { at: at(&args.at), pairs }]))
}

/// Old and new texts as the seeds write them: a list of objects, one object, or one with a list in it.
fn pairs(content: &str) -> Result<Vec<(String, String)>, Rejection> {
    let bad = |why: &str| {
        Rejection::new(Code::InvalidOperation, format!("the patches are not valid: {why}"))
            .hint("write [{\"oldText\":\"…\",\"newText\":\"…\"}]")
    };
    let json: Value = serde_json::from_str(content).map_err(|e| bad(&e.to_string()))?;
    let lists = ["patches", "edits", "pairs"];
    let list = match &json {
        Value::Array(list) => list.clone(),
        Value::Object(o) => match lists.iter().find_map(|k| o.get(*k)).and_then(Value::as_array) {
            Some(list) => list.clone(),
            None => vec![json],
        },
        _ => return Err(bad("they are neither a list nor an object")),
    };
    if list.is_empty() {
        return Err(bad("there are none"));
    }
    let text = |value: &Value, names: [&str; 4]| {
        names.iter().find_map(|n| value.get(*n)).and_then(Value::as_str).map(str::to_owned)
    };
    list.iter()
        .map(|one| match one {
            Value::Array(both) if both.len() == 2 => {
                let side = |i: usize| both[i].as_str().map(str::to_owned).ok_or_else(|| bad("a text is no string"));
                Ok((side(0)?, side(1)?))
            }
            one => {
                let old =
                    text(one, ["oldText", "old_str", "old_string", "old"]).ok_or_else(|| bad("oldText is missing"))?;
                let new =
                    text(one, ["newText", "new_str", "new_string", "new"]).ok_or_else(|| bad("newText is missing"))?;
                Ok((old, new))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
