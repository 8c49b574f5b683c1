//! The sentences of refusals: what was asked, what stands there, and the mend.
//!
//! Never puts memory text into a hint: candidates are data, shown and never run.

use serde_json::{Value, json};

use crate::change::{Effect, Etag, Sign};
use crate::code::{Code, Hint, Rejection, Warning};
use crate::document::Document;
use crate::path::MemoryPath;

use super::choose::Selector;
use super::effects;
use super::merge::Clash;
use super::snapshot::{History, Loaded, Snapshot};

/// Most candidates that are listed.
const MOST: usize = 10;

fn candidate(document: &Document, path: &MemoryPath, bullet: usize) -> Value {
    json!({
        "address": format!("{path}@{}", document.handle_name(bullet)),
        "handle": document.handle_name(bullet),
        "text": document.bullet_text(bullet),
    })
}

fn candidates(document: &Document, path: &MemoryPath, bullets: &[usize]) -> Vec<Value> {
    bullets.iter().take(MOST).map(|&i| candidate(document, path, i)).collect()
}

/// The file does not exist; a name close to it may.
pub fn no_file(path: &MemoryPath, snapshot: &Snapshot) -> Rejection {
    let near: Vec<String> = snapshot.names().map_or(Vec::new(), |names| {
        names.iter().filter(|p| super::gates::close(path.stem(), p.stem())).map(|p| p.to_string()).take(3).collect()
    });
    let rejection = Rejection::new(Code::FileNotFound, format!("{path} does not exist")).detail("path", path.as_str());
    match near.first() {
        Some(first) => rejection.hint(format!("did you mean {first}?")).try_(Hint::new("list", first.clone())),
        None => rejection.try_(Hint { verb: vec!["list"], address: vec![] }),
    }
}

/// The file has no such section; the ones it has are listed.
pub fn no_section(file: &Loaded, path: &MemoryPath, name: &str) -> Rejection {
    let shown: String = name.chars().take(60).flat_map(char::escape_debug).collect();
    let d = &file.document;
    let has: Vec<Value> = (1..d.sections().len())
        .take(MOST)
        .map(|i| json!({"address": format!("{path}#{}", d.sections()[i].slug), "text": d.section_title(i)}))
        .collect();
    Rejection::new(Code::SectionNotFound, format!("{path} has no section '{shown}'"))
        .detail("candidates", has)
        .try_(Hint::new("list", path.as_str()))
}

/// A whole file or section would go, and nothing proves that it was read.
pub fn whole(file: &Loaded, path: &MemoryPath, section: usize) -> Rejection {
    let d = &file.document;
    let inside: Vec<usize> = (0..d.bullets().len()).filter(|&i| super::locate::is_within(d, i, section)).collect();
    let what = match section {
        0 => path.to_string(),
        n => format!("{path}#{}", d.sections()[n].slug),
    };
    Rejection::new(
        Code::NeedsProof,
        format!("{what} holds {}; removing all of it needs --if-match or -f", bullets(inside.len())),
    )
    .detail("etag", file.version.etag.short())
    .detail("candidates", candidates(d, path, &inside))
    .try_(Hint { verb: vec!["rm", "-f"], address: vec![what] })
}

/// A write would replace a file that nobody proved to have read.
pub fn would_drop(file: &Loaded, path: &MemoryPath, between: &[Effect]) -> Rejection {
    let dropped: Vec<Value> = between
        .iter()
        .filter(|e| e.sign == Sign::Removed)
        .take(MOST)
        .map(|e| json!({"address": format!("{path}@{}", e.handle.as_deref().unwrap_or_default()), "handle": e.handle, "text": e.text}))
        .collect();
    let n = between.iter().filter(|e| e.sign == Sign::Removed && e.handle.is_some()).count();
    Rejection::new(Code::NeedsProof, format!("{path} exists; writing it would drop {n} of its bullets"))
        .hint(format!("give --if-match {} to replace what you read, or --force", file.version.etag.short()))
        .detail("etag", file.version.etag.short())
        .detail("candidates", dropped)
        .try_(Hint::new("read", path.as_str()))
}

/// Something stands where a new file should.
pub fn exists(path: &MemoryPath) -> Rejection {
    Rejection::new(Code::Exists, format!("{path} exists already")).detail("path", path.as_str())
}

/// The file is not what the caller proved.
pub fn conflict(path: &MemoryPath, etag: Option<Etag>) -> Rejection {
    match etag {
        Some(etag) => Rejection::new(Code::Conflict, format!("{path} changed since it was read"))
            .hint("read it again and decide again")
            .detail("etag", etag.short())
            .try_(Hint::new("read", path.as_str())),
        None => Rejection::new(Code::Conflict, format!("{path} does not exist any more")).detail("etag", Value::Null),
    }
}

/// Two changes of the same lines.
pub fn clash(path: &MemoryPath, clashes: &[Clash]) -> Rejection {
    let places: Vec<Value> =
        clashes.iter().take(MOST).map(|c| json!({"line": c.line, "ours": c.ours, "theirs": c.theirs})).collect();
    Rejection::new(
        Code::Conflict,
        format!("{path} moved on, and {} of its places were changed on both sides", clashes.len()),
    )
    .detail("path", path.as_str())
    .detail("clashes", places)
}

/// An old text of a patch stands nowhere.
pub fn text_not_found(path: &MemoryPath, pair: usize) -> Rejection {
    Rejection::new(Code::TextNotFound, format!("the old text of pair {} stands nowhere in {path}", pair + 1))
        .hint("copy it exactly as the file has it, line breaks included")
        .detail("pair", pair)
        .try_(Hint::new("read", path.as_str()))
}

/// An old text of a patch stands more than once.
pub fn ambiguous_text(path: &MemoryPath, pair: usize, times: usize) -> Rejection {
    Rejection::new(Code::AmbiguousText, format!("the old text of pair {} stands {times} times in {path}", pair + 1))
        .hint("take more of the text around it")
        .detail("pair", pair)
}

/// Another bullet of the section has the new text.
pub fn duplicate(document: &Document, path: &MemoryPath, bullet: usize, twin: usize) -> Rejection {
    let mine = format!("{path}@{}", document.handle_name(bullet));
    Rejection::new(Code::Duplicate, format!("@{} says that already", document.handle_name(twin)))
        .hint("remove one of the two instead")
        .detail("candidates", candidates(document, path, &[twin]))
        .try_(Hint::new("rm", mine))
}

/// Index and text disagreed, and one of them decided.
pub fn disagreement(file: &Loaded, path: &MemoryPath, chosen: usize, code: Code, s: &Selector<'_>) -> Warning {
    let d = &file.document;
    let at = format!("{path}@{}", d.handle_name(chosen));
    let message = match code {
        Code::IndexMoved => format!("the index was out of date; the text decided: {at}"),
        _ => format!("the text at that index was another one; the index decided: {at}"),
    };
    Warning::new(code, message)
        .detail("address", at)
        .detail("text", d.bullet_text(chosen).into_owned())
        .detail("given", s.text.unwrap_or_default())
}

/// What `choose` refused, in words.
pub fn choice(file: &Loaded, path: &MemoryPath, code: Code, found: &[usize], s: &Selector<'_>) -> Rejection {
    let d = &file.document;
    let message = match code {
        Code::Usage => format!("name a bullet of {path}: by handle, index or text"),
        Code::BulletNotFound => {
            format!("{path} has {} there, none with that index", bullets(d.counted(s.section).len()))
        }
        Code::NeedsProof if s.name.is_some() => "an id alone does not prove that you saw the bullet's text".to_owned(),
        Code::NeedsProof => "an index alone does not prove which bullet you saw".to_owned(),
        Code::AmbiguousBullet => format!("{} bullets of {path} fit", found.len()),
        Code::TextMismatch => {
            "the bullet named there has another text; nothing was removed against its text".to_owned()
        }
        _ => code.meaning().to_owned(),
    };
    let mut rejection = Rejection::new(code, message)
        .detail("etag", file.version.etag.short())
        .detail("candidates", candidates(d, path, found));
    if code == Code::TextMismatch && s.new.is_some() {
        rejection.message = "the bullet named there has another text".to_owned();
    }
    rejection.hint = match code {
        Code::NeedsProof | Code::BulletNotFound | Code::TextMismatch => Some("use its handle: FILE@HANDLE".into()),
        Code::AmbiguousBullet if same_text(d, found) => {
            Some("they read the same: tell them apart by FILE#SECTION@N with -f".into())
        }
        Code::AmbiguousBullet => Some("use a handle: FILE@HANDLE".into()),
        _ => None,
    };
    rejection.try_(look(path))
}

fn bullets(n: usize) -> String {
    match n {
        0 => "no bullets".to_owned(),
        1 => "1 bullet".to_owned(),
        n => format!("{n} bullets"),
    }
}

fn same_text(d: &Document, found: &[usize]) -> bool {
    found.windows(2).all(|w| d.handles()[w[0]] == d.handles()[w[1]])
}

/// The bullet stands nowhere: what the journal knows of it, else the nearest.
pub fn gone(file: &Loaded, path: &MemoryPath, history: &History, s: &Selector<'_>) -> Rejection {
    let d = &file.document;
    // A text that stands outside the section that was looked in did not change.
    let elsewhere = s.text.filter(|_| s.name.is_none()).map(|text| d.by_text(text)).unwrap_or_default();
    if !elsewhere.is_empty() {
        return Rejection::new(Code::BulletNotFound, format!("{path} has that text, but not in that section"))
            .detail("candidates", candidates(d, path, &elsewhere))
            .try_(look(path));
    }
    for past in history.left.iter().map(|d| (d, None)).chain(history.past.iter().map(|p| (&p.document, Some(p)))) {
        let (then, by) = past;
        let old = match (s.name, s.text) {
            (Some(name), _) => super::locate::named(then, name, None, &[]).first().copied(),
            (None, Some(text)) => then.by_text(text).first().copied(),
            _ => None,
        };
        if let Some(old) = old {
            return changed(d, path, then, old, by.map(|p| (p.rev, p.actor.as_str())));
        }
    }
    let wanted = s.text.or(s.name).unwrap_or_default();
    let mut near: Vec<(f64, usize)> = match d.bullets().len() <= 5000 && s.text.is_some() {
        true => {
            (0..d.bullets().len()).map(|i| (crate::text::likeness::likeness(&d.bullet_text(i), wanted), i)).collect()
        }
        false => Vec::new(),
    };
    near.retain(|(score, _)| *score > 0.3);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<usize> = near.into_iter().take(3).map(|(_, i)| i).collect();
    let name = match s.name {
        Some(name) => format!("@{name}"),
        None => "that text".to_owned(),
    };
    Rejection::new(Code::BulletNotFound, format!("{path} has no bullet {name}"))
        .detail("candidates", candidates(d, path, &near))
        .try_(look(path))
}

/// `bullet_changed`: was, now, by whom.
fn changed(d: &Document, path: &MemoryPath, then: &Document, old: usize, by: Option<(Option<u64>, &str)>) -> Rejection {
    let was = then.bullet_text(old).into_owned();
    let handle = then.handle_name(old);
    let new = successor(d, then, old);
    let by = by.and_then(|(rev, actor)| Some((rev?, actor)));
    let who = match by {
        Some((rev, actor)) => format!("by {actor} in r{rev}"),
        None => "outside memdir".to_owned(),
    };
    let what = if new.is_some() { "rephrased" } else { "removed" };
    let mut rejection = Rejection::new(Code::BulletChanged, format!("@{handle} in {path} was {what} {who}"))
        .detail("was", json!({"handle": handle, "text": was}))
        .detail("by", by.map_or("outside", |(_, actor)| actor));
    if let Some((rev, _)) = by {
        rejection = rejection.detail("rev", format!("r{rev}"));
    }
    match new {
        Some(i) => {
            rejection = rejection.detail("now", candidate(d, path, i));
            rejection.try_(Hint::new("read", format!("{path}@{}", d.handle_name(i))))
        }
        None => rejection.try_(look(path)),
    }
}

/// What a vanished bullet most likely became: a new bullet between the same neighbours, or the likest new one.
fn successor(now: &Document, then: &Document, old: usize) -> Option<usize> {
    let known: std::collections::HashSet<u64> = then.handles().iter().map(|h| h.0).collect();
    let fresh = |i: &usize| !known.contains(&now.handles()[*i].0);
    let find = |i: Option<usize>| i.and_then(|i| now.handles().iter().position(|h| *h == then.handles()[i]));
    let after = find(old.checked_sub(1)).map(|i| i + 1).filter(|i| *i < now.bullets().len()).filter(fresh);
    let before = find((old + 1 < then.bullets().len()).then_some(old + 1)).and_then(|i| i.checked_sub(1)).filter(fresh);
    if after.is_some() && after == before {
        return after;
    }
    let was = then.bullet_text(old);
    let score = |i: usize| {
        let bonus = if Some(i) == after || Some(i) == before { 0.3 } else { 0.0 };
        crate::text::likeness::likeness(&now.bullet_text(i), &was) + bonus
    };
    let news = (0..now.bullets().len()).filter(fresh).take(2000);
    news.map(|i| (score(i), i)).filter(|(s, _)| *s >= 0.5).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, i)| i)
}

/// The limit of a place is reached; its least valuable bullets are listed.
pub fn limit(document: &Document, path: &MemoryPath, section: usize, what: String, least: &[usize]) -> Rejection {
    let place = effects::section_slug(document, section).map_or(path.to_string(), |slug| format!("{path}#{slug}"));
    Rejection::new(Code::LimitReached, format!("{place} would hold {what}"))
        .hint("remove or archive one of its least valuable bullets first")
        .detail("candidates", candidates(document, path, least))
        .try_(Hint::new("list", place))
}

/// A hint to read a file again.
pub fn look(path: &MemoryPath) -> Hint {
    Hint::new("list", path.as_str())
}
