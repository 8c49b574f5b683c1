//! From what was said to what may be done: names looked up, rules held, every fault told in a sentence that mends it.
//!
//! Never guesses which item was meant.

use super::reply::{Named, Said};
use super::{Candidate, Crowd};
use crate::operation::gates;
use crate::operation::limits::Size;

/// How many more items than needed a merge may absorb.
const MERGED: usize = 3;
/// The longest new text of an entry, in characters.
const ENTRY: usize = 2000;
/// The longest reason that is kept, in characters.
const REASON: usize = 200;

/// What new texts are held to.
pub struct Rules<'a> {
    /// The most characters of a bullet.
    pub most_chars: usize,
    /// Whatever else a new text must be; the error is a sentence for the model.
    pub fits: &'a dyn Fn(&str) -> Result<(), String>,
}

/// What is done with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It goes, and what it absorbs goes with it.
    Delete,
    /// It gets a new text, and what it absorbs goes.
    Rewrite,
}

/// A decision that may be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is done.
    pub act: Act,
    /// The item, an index into the crowd's.
    pub target: usize,
    /// The items that go.
    pub absorbs: Vec<usize>,
    /// The new text.
    pub text: Option<String>,
    /// Why, as the journal keeps it.
    pub reason: String,
}

/// What was said, as decisions.
///
/// # Errors
/// A sentence that says which rule was broken.
pub fn decide(crowd: &Crowd, said: &[Said], rules: &Rules<'_>) -> Result<Vec<Decision>, String> {
    let mut decisions: Vec<Decision> = Vec::new();
    let mut named: Vec<usize> = Vec::new();
    for said in said {
        let decision = one(crowd, said, rules)?;
        for &item in decision.absorbs.iter().chain([&decision.target]) {
            if named.contains(&item) {
                return Err(format!("item {} is named by two decisions", item + 1));
            }
            named.push(item);
        }
        decisions.push(decision);
    }
    measured(crowd, &decisions)?;
    Ok(decisions)
}

fn one(crowd: &Crowd, said: &Said, rules: &Rules<'_>) -> Result<Decision, String> {
    let target = match &said.target {
        Some(named) => item(crowd, named)?,
        None => return Err("it names no target".into()),
    };
    let mut absorbs: Vec<usize> = Vec::new();
    for named in &said.absorbs {
        let at = item(crowd, named)?;
        if at != target && !absorbs.contains(&at) {
            absorbs.push(at);
        }
    }
    let reason = reason(&said.reason);
    match said.action.as_str() {
        "delete" | "remove" | "rm" | "forget" | "archive" | "evict" => {
            Ok(Decision { act: Act::Delete, target, absorbs, text: None, reason })
        }
        "edit" | "merge" | "update" | "rewrite" | "replace" | "combine" | "consolidate" | "modify" => {
            for &at in absorbs.iter().chain([&target]) {
                if !crowd.items[at].whole {
                    return Err(format!("item {} was not shown whole, so it cannot be rewritten or absorbed", at + 1));
                }
            }
            let counted = crowd.entries || crowd.over.bullets > 0;
            if counted && absorbs.is_empty() {
                return Err(
                    "a new text alone makes no room: every item that it replaces must be named in absorbs".into()
                );
            }
            let text = match crowd.entries {
                true => body(&said.text)?,
                false => line(&said.text, rules.most_chars)?,
            };
            (rules.fits)(&text)?;
            Ok(Decision { act: Act::Rewrite, target, absorbs, text: Some(text), reason })
        }
        "keep" | "none" | "no_change" => Err("keeping everything is not possible here".into()),
        _ => Err("action must be \"delete\", \"merge\" or \"edit\"".into()),
    }
}

/// The item that a name means.
fn item(crowd: &Crowd, named: &Named) -> Result<usize, String> {
    let at = match named {
        Named::Number(n) => usize::try_from(*n).ok().and_then(|n| n.checked_sub(1)).filter(|n| *n < crowd.items.len()),
        Named::Word(word) => by_word(crowd, word)?,
    };
    let Some(at) = at else {
        return Err(format!("there is no such item: targets are numbers from 1 to {}", crowd.items.len()));
    };
    match crowd.items[at].pinned {
        true => Err(format!("item {} is pinned and stays as it is", at + 1)),
        false => Ok(at),
    }
}

/// A handle, id, slug or address. Another file's address names nothing here.
fn by_word(crowd: &Crowd, word: &str) -> Result<Option<usize>, String> {
    let own = word.strip_prefix(crowd.path.as_str()).unwrap_or(word);
    let name = own.trim_start_matches(['@', '#', '^']);
    let fits = |item: &&Candidate| item.name.eq_ignore_ascii_case(name) || item.id.as_deref() == Some(name);
    let mut found = crowd.items.iter().enumerate().filter(|(_, item)| fits(item)).map(|(i, _)| i);
    match (found.next(), found.next()) {
        (Some(_), Some(_)) => Err("two items have that name: give their numbers".into()),
        (one, _) => Ok(one),
    }
}

/// Whether decisions take enough, and no more than is needed.
fn measured(crowd: &Crowd, decisions: &[Decision]) -> Result<(), String> {
    let weight = |at: &usize| crowd.items[*at].weight;
    let count = |size: Size| if crowd.entries { size.entries } else { size.bullets };
    let over = count(crowd.over);
    let (mut merged, mut deleted): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for decision in decisions {
        match decision.act {
            Act::Rewrite => merged.extend(&decision.absorbs),
            Act::Delete => deleted.extend(decision.absorbs.iter().chain([&decision.target])),
        }
    }
    let most = over + MERGED;
    if merged.len() > most {
        return Err(format!("that absorbs {} items, and {most} is the most", merged.len()));
    }
    let left = over.saturating_sub(merged.len());
    let chars = |all: &[usize]| all.iter().map(|at| weight(at).chars).sum::<usize>();
    let least = deleted.iter().map(|at| weight(at).chars).min().unwrap_or_default();
    let enough = deleted.len() > left && (crowd.over.chars == 0 || chars(&deleted) - least >= crowd.over.chars);
    match enough {
        true if left == 0 && crowd.over.chars == 0 => Err("that deletes more than needed".into()),
        true => Err(format!("that deletes {} items, more than needed", deleted.len())),
        false => Ok(()),
    }
}

/// A bullet's new text: one line that shows what it says.
fn line(text: &str, most: usize) -> Result<String, String> {
    let text = text.trim();
    let text = ["- ", "* ", "+ "].iter().find_map(|m| text.strip_prefix(m)).unwrap_or(text).trim();
    if text.is_empty() {
        return Err("new_content is empty".into());
    }
    if text.contains(['\n', '\r']) {
        return Err("new_content must be one line".into());
    }
    if text.chars().any(is_unseen) {
        return Err("new_content holds control or invisible characters".into());
    }
    let chars = text.chars().count();
    if chars > most || text.len() > gates::BULLET {
        return Err(format!("new_content has {chars} characters, and {most} is the most"));
    }
    Ok(text.to_owned())
}

/// An entry's new text: a list without headings.
fn body(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("new_content is empty".into());
    }
    if text.chars().any(|c| c != '\n' && is_unseen(c)) {
        return Err("new_content holds control or invisible characters".into());
    }
    let chars = text.chars().count();
    if chars > ENTRY {
        return Err(format!("new_content has {chars} characters, and {ENTRY} is the most"));
    }
    let mut out = String::new();
    for line in text.lines().map(str::trim_end).filter(|l| !l.is_empty()) {
        if line.starts_with('#') || line.starts_with("---") || line.starts_with("```") || line.starts_with('<') {
            return Err("new_content must be a plain list, without headings".into());
        }
        let item = ["- ", "* ", "+ ", " "].iter().any(|m| line.starts_with(m));
        out.push_str(if item { "" } else { "- " });
        out.push_str(line);
        out.push('\n');
    }
    Ok(out)
}

/// A reason as the journal keeps it: one line.
fn reason(text: &str) -> String {
    let plain: String = text.chars().map(|c| if is_unseen(c) { ' ' } else { c }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").chars().take(REASON).collect()
}

/// Characters that show nothing, or turn a line round.
pub(super) fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}'
        )
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
