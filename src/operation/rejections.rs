//! Builds the rejections of planning: what was requested, what the file contains, and a command that helps.
//!
//! Never puts text from memory into a suggested command: candidates are data to display, never to execute.

use serde_json::{Value, json};

use crate::change::{Effect, EffectSign, Etag};
use crate::code::{Code, Rejection, SuggestedCommand, Warning, quote_short};
use crate::document::{Document, Handle, LocatedBullet};
use crate::path::{Address, AddressReading, BulletRef, MemoryPath, PathPrefixes, split_shown_address};
use crate::text::counted_noun::counted_noun;

use super::Action;
use super::choose_bullet::BulletSelector;
use super::effects;
use super::merge::MergeConflict;
use super::snapshot::{FileHistory, LoadedFile, PastText, Snapshot};

/// The maximum number of candidates in a rejection.
const MAX_CANDIDATES: usize = 10;

fn candidate_json(bullet: LocatedBullet<'_>) -> Value {
    let LocatedBullet { document, index, .. } = bullet;
    json!({
        "address": bullet.address(),
        "handle": document.handle_name(index),
        "text": document.bullet_text(index),
    })
}

fn candidates_json(document: &Document, path: &MemoryPath, bullets: &[usize]) -> Vec<Value> {
    bullets.iter().take(MAX_CANDIDATES).map(|&index| candidate_json(LocatedBullet { path, document, index })).collect()
}

/// `file_not_found`, with existing files of similar names.
pub fn file_not_found(path: &MemoryPath, snapshot: &Snapshot) -> Rejection {
    let near: Vec<String> = snapshot.file_names().map_or(Vec::new(), |names| {
        names
            .iter()
            .filter(|p| {
                let same = || p.stem().to_lowercase() == path.stem().to_lowercase();
                super::validation::is_similar_name(path.stem(), p.stem()) || same()
            })
            .map(|p| p.to_string())
            .take(3)
            .collect()
    });
    let rejection = Rejection::new(Code::FileNotFound, format!("{path} does not exist")).detail("path", path.as_str());
    match near.first() {
        Some(first) => {
            rejection.hint(format!("did you mean {first}?")).try_command(SuggestedCommand::new("list", first.clone()))
        }
        None => rejection.try_command(SuggestedCommand { subcommand: vec!["list"], operands: vec![] }),
    }
}

/// `section_not_found`, with the file's sections.
pub fn section_not_found(file: &LoadedFile, path: &MemoryPath, name: &str) -> Rejection {
    let shown = quote_short(name);
    let d = &file.document;
    let has: Vec<Value> = (1..d.sections().len())
        .take(MAX_CANDIDATES)
        .map(|i| json!({"address": format!("{path}#{}", d.sections()[i].slug), "text": d.section_title(i)}))
        .collect();
    Rejection::new(Code::SectionNotFound, format!("{path} has no section {shown}"))
        .detail("candidates", has)
        .try_command(SuggestedCommand::new("list", path.as_str()))
}

/// `needs_proof` for the removal of a whole file or section that the caller did not prove to have read.
/// The command to try keeps what the removal leaves behind: a copy, or no trace.
pub fn removal_needs_proof(file: &LoadedFile, path: &MemoryPath, section: usize, action: &Action) -> Rejection {
    let d = &file.document;
    let inside: Vec<usize> = (0..d.bullets().len()).filter(|&i| super::locate::is_in_section(d, i, section)).collect();
    let address = match section {
        0 => path.to_string(),
        n => format!("{path}#{}", d.sections()[n].slug),
    };
    let mut subcommand = vec!["rm", "-f"];
    if let Action::Remove { archive, forget, .. } = action {
        subcommand.extend(archive.then_some("--archive").into_iter().chain(forget.then_some("--forget")));
    }
    Rejection::new(
        Code::NeedsProof,
        format!("{address} contains {}; removing all of it requires --if-match or -f", bullet_count_text(inside.len())),
    )
    .detail("etag", file.version.etag.short())
    .detail("candidates", candidates_json(d, path, &inside))
    .try_command(SuggestedCommand { subcommand, operands: vec![address] })
}

/// `needs_proof` for a write to an existing file that the caller did not prove to have read, with the bullets that it
/// would remove.
pub fn write_needs_proof(file: &LoadedFile, path: &MemoryPath, between: &[Effect]) -> Rejection {
    let removed = between.iter().filter(|e| e.sign == EffectSign::Removed);
    let bullets: Vec<(&str, &str)> = removed.filter_map(|e| Some((e.handle.as_deref()?, e.text.as_str()))).collect();
    let dropped: Vec<Value> = bullets
        .iter()
        .take(MAX_CANDIDATES)
        .map(|(handle, text)| json!({"address": format!("{path}@{handle}"), "handle": handle, "text": text}))
        .collect();
    let n = bullets.len();
    Rejection::new(Code::NeedsProof, format!("{path} exists; writing it would remove {n} of its bullets"))
        .hint(format!("use --if-match {} to replace the version you read, or --force", file.version.etag.short()))
        .detail("etag", file.version.etag.short())
        .detail("candidates", dropped)
        .try_command(SuggestedCommand::new("read", path.as_str()))
}

/// `exists`: the path of a new file is in use.
pub fn path_exists(path: &MemoryPath) -> Rejection {
    Rejection::new(Code::Exists, format!("{path} already exists")).detail("path", path.as_str())
}

/// `conflict`: `if_match` is not the file's present etag. `etag` is `None` if the file does not exist.
pub fn if_match_conflict(path: &MemoryPath, etag: Option<Etag>) -> Rejection {
    match etag {
        Some(etag) => Rejection::new(Code::Conflict, format!("{path} changed since it was read"))
            .hint("read it again and retry")
            .detail("etag", etag.short())
            .try_command(SuggestedCommand::new("read", path.as_str())),
        None => Rejection::new(Code::Conflict, format!("{path} no longer exists")).detail("etag", Value::Null),
    }
}

/// `conflict`: both sides changed the same lines.
pub fn merge_conflict(path: &MemoryPath, conflicts_found: &[MergeConflict]) -> Rejection {
    let conflicts: Vec<Value> = conflicts_found
        .iter()
        .take(MAX_CANDIDATES)
        .map(|c| json!({"line": c.line, "ours": c.ours, "theirs": c.theirs}))
        .collect();
    Rejection::new(
        Code::Conflict,
        format!("{path} changed meanwhile; both sides changed {}", counted_noun(conflicts_found.len(), "place")),
    )
    .detail("path", path.as_str())
    .detail("clashes", conflicts)
}

/// `text_not_found`: the old text of a patch does not occur in the file. `pair` counts from 0.
pub fn text_not_found(path: &MemoryPath, pair: usize) -> Rejection {
    Rejection::new(Code::TextNotFound, format!("the old text of pair {} was not found in {path}", pair + 1))
        .hint("copy the text exactly from the file, including line breaks")
        .detail("pair", pair)
        .try_command(SuggestedCommand::new("read", path.as_str()))
}

/// `ambiguous_text`: the old text of a patch occurs more than once. `pair` counts from 0.
pub fn ambiguous_text(path: &MemoryPath, pair: usize, times: usize) -> Rejection {
    Rejection::new(Code::AmbiguousText, format!("the old text of pair {} occurs {times} times in {path}", pair + 1))
        .hint("include more of the surrounding text")
        .detail("pair", pair)
}

/// `duplicate`: another bullet of the section already has the new text.
pub fn duplicate_bullet(bullet: LocatedBullet<'_>, existing: usize) -> Rejection {
    let LocatedBullet { path, document, index } = bullet;
    let address = format!("{path}@{}", document.handle_name(index));
    Rejection::new(Code::Duplicate, format!("@{} already has this text", document.handle_name(existing)))
        .hint("remove one of the two instead")
        .detail("candidates", candidates_json(document, path, &[existing]))
        .try_command(SuggestedCommand::new("rm", address))
}

/// An `add` of a text that exists with other lines below it: doing nothing would drop them.
pub fn same_text_other_children(existing: LocatedBullet<'_>) -> Rejection {
    let LocatedBullet { path, document, index } = existing;
    let name = document.handle_name(index);
    Rejection::new(Code::Duplicate, format!("@{name} has this text, with other lines below it"))
        .hint("update that bullet, or add the text with a different first line")
        .detail("candidates", candidates_json(document, path, &[index]))
        .try_command(SuggestedCommand::new("read", format!("{path}@{name}")))
}

/// The warning that index and text select different bullets, and which of them was used.
pub fn selection_warning(
    file: &LoadedFile,
    path: &MemoryPath,
    chosen: usize,
    code: Code,
    s: &BulletSelector<'_>,
) -> Warning {
    let d = &file.document;
    let at = format!("{path}@{}", d.handle_name(chosen));
    let message = match code {
        Code::IndexMoved => format!("the index was out of date; used the text: {at}"),
        _ => format!("the bullet at that index has a different text; used the index: {at}"),
    };
    Warning::new(code, message)
        .detail("address", at)
        .detail("text", d.bullet_text(chosen).into_owned())
        .detail("given", s.text.unwrap_or_default())
}

/// The rejection for a [`BulletChoice::Rejected`](super::choose_bullet::BulletChoice::Rejected).
pub fn selection_rejected(
    file: &LoadedFile,
    path: &MemoryPath,
    code: Code,
    found: &[usize],
    s: &BulletSelector<'_>,
) -> Rejection {
    let d = &file.document;
    let message = match code {
        Code::Usage => format!("no bullet of {path} given: use a handle, an index or a text"),
        Code::BulletNotFound => {
            let count = if s.occurrence.is_some() { found.len() } else { d.top_level_bullets(s.section).len() };
            format!("{path} has {} there; the index is out of range", bullet_count_text(count))
        }
        Code::NeedsProof if s.occurrence.is_some() => {
            "the number does not prove which of the equal bullets you read".to_owned()
        }
        Code::NeedsProof if s.name.is_some() => "an id alone does not prove that you read the bullet".to_owned(),
        Code::NeedsProof => "an index alone does not prove which bullet you read".to_owned(),
        Code::AmbiguousBullet => format!("{} bullets of {path} match", found.len()),
        Code::TextMismatch => "the selected bullet has a different text".to_owned(),
        _ => code.meaning().to_owned(),
    };
    let mut rejection = Rejection::new(code, message)
        .detail("etag", file.version.etag.short())
        .detail("candidates", candidates_json(d, path, found));
    let top_level = || d.top_level_bullets(s.section);
    let chosen = s.index.and_then(|nth| top_level().get(usize::try_from(nth).ok()?.checked_sub(1)?).copied());
    let is_repeated = |bullet: usize| d.handles().iter().filter(|handle| **handle == d.handles()[bullet]).count() > 1;
    rejection.hint = match code {
        Code::NeedsProof if s.occurrence.is_some() => Some("-f acts on the index".into()),
        Code::NeedsProof if chosen.is_some_and(is_repeated) => {
            Some("its text stands there more than once, so no handle names it alone; -f acts on the index".into())
        }
        Code::NeedsProof | Code::BulletNotFound | Code::TextMismatch => Some("use its handle: FILE@HANDLE".into()),
        Code::AmbiguousBullet if all_same_text(d, found) && s.proven => {
            Some("they have the same text; use one of these addresses".into())
        }
        Code::AmbiguousBullet if all_same_text(d, found) => {
            Some("they have the same text; use one of these addresses, with -f where it ends in a number".into())
        }
        Code::AmbiguousBullet => Some("use a handle: FILE@HANDLE".into()),
        _ => None,
    };
    rejection.try_command(suggest_list(path))
}

fn bullet_count_text(n: usize) -> String {
    match n {
        0 => "no bullets".to_owned(),
        1 => "1 bullet".to_owned(),
        n => format!("{n} bullets"),
    }
}

fn all_same_text(d: &Document, found: &[usize]) -> bool {
    found.windows(2).all(|w| d.handles()[w[0]] == d.handles()[w[1]])
}

/// No bullet matches: `bullet_changed` if the history has it, else `bullet_not_found` with the most similar bullets.
pub fn bullet_not_found(
    file: &LoadedFile,
    path: &MemoryPath,
    history: &FileHistory,
    s: &BulletSelector<'_>,
) -> Rejection {
    let d = &file.document;
    // A text that is in another section of the file did not change.
    let elsewhere = s.text.filter(|_| s.name.is_none()).map(|text| d.bullets_by_text(text)).unwrap_or_default();
    if !elsewhere.is_empty() {
        return Rejection::new(Code::BulletNotFound, format!("{path} has that text, but not in that section"))
            .detail("candidates", candidates_json(d, path, &elsewhere))
            .try_command(suggest_list(path));
    }
    let past = history.past.iter().enumerate().map(|(n, past)| (&past.document, Some(past), n + 1));
    for (earlier, by, newer) in history.last_written.iter().map(|d| (d, None, 0)).chain(past) {
        let old = match (s.name, s.text) {
            (Some(name), _) => super::locate::bullets_by_name(earlier, name, None, &[]).first().copied(),
            (None, Some(text)) => earlier.bullets_by_text(text).first().copied(),
            _ => None,
        };
        if let Some(old) = old {
            return match by.and_then(|past| Some((past, destination(past, old)?))) {
                Some((past, to)) => bullet_moved(path, past, old, to),
                None => {
                    let since = &history.past[..newer];
                    let new = recorded_successor(d, earlier.handles()[old], since)
                        .or_else(|| likely_successor(d, earlier, old, since));
                    let changed = bullet_changed(d, path, earlier, old, new, by);
                    let mut versions =
                        history.last_written.iter().chain(history.past.iter().map(|past| &past.document));
                    let is_elsewhere = s.name.is_none() && !versions.any(|earlier| was_in_section(d, s, earlier));
                    if is_elsewhere { changed.detail("in_section", false) } else { changed }
                }
            };
        }
    }
    let wanted = s.text.or(s.name).unwrap_or_default();
    let mut similar: Vec<(f64, usize)> = if d.bullets().len() <= 5000 && s.text.is_some() {
        (0..d.bullets().len()).map(|i| (crate::text::similarity::similarity(&d.bullet_text(i), wanted), i)).collect()
    } else {
        Vec::new()
    };
    similar.retain(|(score, _)| *score > 0.3);
    similar.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<usize> = similar.into_iter().take(3).map(|(_, i)| i).collect();
    let name = match s.name {
        Some(name) => format!("@{name}"),
        None => "with that text".to_owned(),
    };
    let rejection = Rejection::new(Code::BulletNotFound, format!("{path} has no bullet {name}"))
        .detail("candidates", candidates_json(d, path, &near))
        .try_command(suggest_list(path));
    match history.searched_from {
        None => rejection,
        Some(rev) => rejection
            .detail("searched_from", format!("r{rev}"))
            .hint(format!("nor had it one since r{rev}; older revisions were not searched")),
    }
}

/// Whether the section that a selection names had the text in an earlier version, in which it had the same id or slug.
fn was_in_section(d: &Document, s: &BulletSelector<'_>, earlier: &Document) -> bool {
    let (now, all) = (&d.sections()[s.section], earlier.sections());
    let by_id = all.iter().position(|section| section.id.is_some() && section.id == now.id);
    let section = by_id.or_else(|| all.iter().position(|section| section.slug == now.slug));
    let bullets = earlier.bullets_by_text(s.text.unwrap_or_default());
    section.is_none_or(|section| bullets.iter().any(|i| super::locate::is_in_section(earlier, *i, section)))
}

/// Why the bullet of a removed text is not there, as its rejection says.
pub fn absence(rejection: &Rejection) -> &'static str {
    let is_elsewhere = rejection.details.get("in_section") == Some(&Value::Bool(false));
    if is_elsewhere { "not in that section" } else { "removed before" }
}

/// Whether a rejection reports a bullet that was removed, and neither rephrased nor moved.
pub fn is_removed_bullet(rejection: &Rejection) -> bool {
    rejection.code == Code::BulletChanged && !["now", "moved_to"].iter().any(|key| rejection.details.contains_key(*key))
}

/// Where the revision after a past text moved a bullet or its section; `None` if it did not.
fn destination(past: &PastText, old: usize) -> Option<&str> {
    let document = &past.document;
    let is_named_by = |reading: &AddressReading| {
        let section = match &reading.section {
            Some(name) => super::locate::find_by_slug_path(document, name).first().copied()?,
            None => 0,
        };
        Some(match &reading.bullet {
            // A moved bullet may have left the section that the address names.
            Some(name @ BulletRef::Name(_)) => super::locate::bullets_by_ref(document, name, 0).contains(&old),
            Some(bullet) => super::locate::bullets_by_ref(document, bullet, section).contains(&old),
            None => section != 0 && super::locate::is_in_section(document, old, section),
        })
    };
    let names_it = |at: &str| match Address::parse(at, &PathPrefixes::default()) {
        Ok(Address::Id(id)) => document.bullet_id(old).is_some_and(|named| named == id.as_str()),
        Ok(Address::Readings(readings)) => readings.iter().any(|reading| is_named_by(reading) == Some(true)),
        Err(_) => false,
    };
    past.moves.iter().find(|(at, _)| names_it(at)).map(|(_, to)| to.as_str())
}

/// `bullet_changed` for a bullet that was moved away, with the address at which it may be now.
fn bullet_moved(path: &MemoryPath, past: &PastText, old: usize, to: &str) -> Rejection {
    let handle = past.document.handle_name(old);
    let who = past.rev.map_or(String::new(), |rev| format!(" by {} in r{rev}", past.actor));
    let (file, _) = split_shown_address(to);
    Rejection::new(Code::BulletChanged, format!("@{handle} in {path} was moved to {to}{who}"))
        .detail("was", json!({"handle": handle, "text": past.document.bullet_text(old)}))
        .detail("moved_to", to)
        .detail("by", past.actor.as_str())
        .try_command(SuggestedCommand::new("read", format!("{file}@{handle}")))
}

/// `bullet_changed`, with the old text, the new one if there is one, and who changed it.
fn bullet_changed(
    d: &Document,
    path: &MemoryPath,
    earlier: &Document,
    old: usize,
    new: Option<usize>,
    by: Option<&PastText>,
) -> Rejection {
    let was = earlier.bullet_text(old).into_owned();
    let handle = earlier.handle_name(old);
    let is_archived = new.is_none() && by.is_some_and(|past| past.archived.is_inserted(earlier.handles()[old]));
    let by = by.and_then(|past| Some((past.rev?, past.actor.as_str())));
    let who = match by {
        Some((rev, actor)) => format!("by {actor} in r{rev}"),
        None => "outside memdir".to_owned(),
    };
    let what = match new {
        Some(_) => "rephrased",
        None if is_archived => "archived",
        None => "removed",
    };
    let mut rejection = Rejection::new(Code::BulletChanged, format!("@{handle} in {path} was {what} {who}"))
        .detail("was", json!({"handle": handle, "text": was}))
        .detail("by", by.map_or("outside", |(_, actor)| actor));
    if let Some((rev, _)) = by {
        rejection = rejection.detail("rev", format!("r{rev}"));
    }
    match new {
        Some(i) => {
            rejection = rejection.detail("now", candidate_json(LocatedBullet { path, document: d, index: i }));
            rejection.try_command(SuggestedCommand::new("read", format!("{path}@{}", d.handle_name(i))))
        }
        None if is_archived => rejection
            .detail("archived_from", path.as_str())
            .hint("restore takes it back from archive/")
            .try_command(SuggestedCommand::new("restore", format!("{path}@{handle}"))),
        None => rejection.detail("path", path.as_str()).try_command(suggest_list(path)),
    }
}

/// The bullet whose text replaced a vanished one, as the revisions recorded it; `past` has them newest first.
fn recorded_successor(now: &Document, old: Handle, past: &[PastText]) -> Option<usize> {
    let latest = past.iter().rev().fold(old, |handle, past| past.updates.new_handle(handle).unwrap_or(handle));
    now.handles().iter().position(|handle| *handle == latest && latest != old)
}

/// The bullet that most likely replaced a vanished one: a new bullet between the same neighbors, else the most similar
/// new bullet. What operations of the revisions since, `past`, removed or inserted is no such pair.
fn likely_successor(now: &Document, earlier: &Document, old: usize, past: &[PastText]) -> Option<usize> {
    if past.iter().any(|past| past.updates.is_removed(earlier.handles()[old])) {
        return None;
    }
    let known: std::collections::HashSet<u64> = earlier.handles().iter().map(|h| h.0).collect();
    let is_inserted = |handle: Handle| past.iter().any(|past| past.updates.is_inserted(handle));
    let is_new = |i: &usize| !known.contains(&now.handles()[*i].0) && !is_inserted(now.handles()[*i]);
    let find = |i: Option<usize>| i.and_then(|i| now.handles().iter().position(|h| *h == earlier.handles()[i]));
    let after = find(old.checked_sub(1)).map(|i| i + 1).filter(|i| *i < now.bullets().len()).filter(is_new);
    let before =
        find((old + 1 < earlier.bullets().len()).then_some(old + 1)).and_then(|i| i.checked_sub(1)).filter(is_new);
    if after.is_some() && after == before {
        return after;
    }
    let was = earlier.bullet_text(old);
    let score = |i: usize| {
        let bonus = if Some(i) == after || Some(i) == before { 0.3 } else { 0.0 };
        crate::text::similarity::similarity(&now.bullet_text(i), &was) + bonus
    };
    let news = (0..now.bullets().len()).filter(is_new).take(2000);
    news.map(|i| (score(i), i)).filter(|(s, _)| *s >= 0.5).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, i)| i)
}

/// `limit_reached`, with the least valuable bullets of the file or section.
pub fn limit_reached(
    document: &Document,
    path: &MemoryPath,
    section: usize,
    what: String,
    least: &[usize],
) -> Rejection {
    let address = effects::section_slug(document, section).map_or(path.to_string(), |slug| format!("{path}#{slug}"));
    Rejection::new(Code::LimitReached, format!("{address} would contain {what}"))
        .hint("remove or archive one of its least valuable bullets first")
        .detail("candidates", candidates_json(document, path, least))
        .try_command(SuggestedCommand::new("list", address))
}

/// The suggestion to list a file again.
pub fn suggest_list(path: &MemoryPath) -> SuggestedCommand {
    SuggestedCommand::new("list", path.as_str())
}
