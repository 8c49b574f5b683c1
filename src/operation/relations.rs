//! Relates what an agent adds or updates to the bullets that are most similar to it, if the policy says so (`links`):
//! each relation is a nested bullet `related_to [[facts/user#^m1]]` with its strength and date.
//!
//! Never makes an operation fail: what cannot be linked is written without relations (`plan`). Never relates episodes,
//! procedures, proposals and what was archived, and never links to what some agent's allowlist hides.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::pending_edit::{EffectKind, PendingEdit};
use super::planner::Planner;
use super::snapshot::{MissingInput, PlanStep, PlanStop};
use super::{Action, Operation, inert_metadata, locate};
use crate::change::Etag;
use crate::document::links::may_refer_to;
use crate::document::memory_index::is_index_path;
use crate::document::related_edge::{RelatedEdge, edge_lines, edge_meta, related_edges, without_edges};
use crate::document::relation::RelationText;
use crate::document::{
    BulletMeta, Document, DocumentEdit, LocatedBullet, MetaKey, NewBullet, Visibility, to_new_bullet,
};
use crate::path::MemoryPath;
use crate::policy::{LinkRule, Policy};
use crate::text::search_terms::term_prefix;
use crate::text::term_overlap::TermSet;

/// A larger batch is an import: nothing of it is related, because each text would be searched for in all files.
const MAX_SOURCES: usize = 20;
/// A text with fewer search terms is related to nothing: a single shared word would decide.
const MIN_TERMS: usize = 2;

/// Whether bullets of a file are related to others.
pub fn is_related_file(path: &MemoryPath) -> bool {
    let is_other = path.is_set_aside() || path.is_procedure();
    !is_other && !path.holds_episodes() && !is_index_path(path)
}

/// A bullet that an operation adds or updates.
struct SourceBullet {
    /// The index of its edit among the pending ones.
    edit: usize,
    path: MemoryPath,
    /// The index of the bullet, if it is updated.
    bullet: Option<usize>,
    text: String,
    terms: TermSet,
}

/// A bullet that is similar to a source.
#[derive(Clone, Debug)]
struct Neighbour {
    path: MemoryPath,
    bullet: usize,
    id: Option<String>,
    /// In hundredths, so that what is written and what is compared are the same.
    strength: u32,
}

impl Neighbour {
    fn strength(&self) -> f64 {
        f64::from(self.strength) / 100.0
    }

    /// Whether a relation that is written in the file `holder` is to this bullet.
    fn is_target(&self, target: &str, holder: &MemoryPath) -> bool {
        self.id.as_deref().is_some_and(|id| is_to(target, holder, &self.path, id))
    }
}

/// Whether the target of a relation in the file `holder` is the bullet with an id in a file.
fn is_to(target: &str, holder: &MemoryPath, path: &MemoryPath, id: &str) -> bool {
    let Some((file, to)) = target.split_once("#^") else { return false };
    to == id && (if file.is_empty() { holder == path } else { may_refer_to(file, true, holder, path) })
}

/// Adds relations to the bullets that the pending edits add and update. Missing inputs are added to the planner's.
pub fn add_relations(planner: &mut Planner<'_>, operations: &[Operation], pending: &mut Vec<(usize, PendingEdit)>) {
    let Some(rule) = planner.context.links else { return };
    let sources = sources(operations, pending);
    if sources.is_empty() || sources.len() > MAX_SOURCES {
        return;
    }
    let viewers = viewers(planner.context.policy);
    let mut touched = TouchedText::of(planner, pending);
    // Each source adds pending edits at the end, so the indexes of the sources stay.
    for source in &sources {
        match relate(planner, rule, source, &viewers, &mut touched, pending) {
            Err(PlanStop::NeedsInput(needed)) => planner.missing_inputs.push(needed),
            Err(PlanStop::Rejected(_)) | Ok(()) => {}
        }
    }
}

fn sources(operations: &[Operation], pending: &[(usize, PendingEdit)]) -> Vec<SourceBullet> {
    let mut found = Vec::new();
    for (edit, (n, pending_edit)) in pending.iter().enumerate() {
        let PendingEdit::Edit(path, document_edit, kind) = pending_edit else { continue };
        let (bullet, text) = match (&operations[*n].action, document_edit, kind) {
            (Action::Add { .. }, DocumentEdit::Insert { items, .. }, EffectKind::Added) if items.len() == 1 => {
                (None, items[0].paragraph().into_owned())
            }
            (Action::Update { .. }, DocumentEdit::Update { bullet, text }, EffectKind::Updated(_)) => {
                (Some(*bullet), text.replace('\n', " "))
            }
            (Action::Update { .. }, DocumentEdit::Replace { bullet, item }, EffectKind::Updated(_)) => {
                (Some(*bullet), item.paragraph().into_owned())
            }
            _ => continue,
        };
        let terms = TermSet::of(&text);
        // A relation is no fact that others could be related to.
        if is_related_file(path) && terms.terms().len() >= MIN_TERMS && RelationText::parse(&text).is_none() {
            found.push(SourceBullet { edit, path: path.clone(), bullet, text, terms });
        }
    }
    found
}

/// What each allowlist shows; the last one is that of agents without their own.
fn viewers(policy: &Policy) -> Vec<Visibility> {
    let named = policy.allowlists.iter().map(|(agent, _)| agent.as_str());
    named.chain([""]).filter_map(|agent| Visibility::for_agent(policy, agent)).collect()
}

/// What the batch changes: no relation may need a second change of it.
struct TouchedText {
    ranges: Vec<(MemoryPath, Range<u32>)>,
    files: HashSet<MemoryPath>,
    /// The ids given to bullets without one.
    ids: HashMap<(MemoryPath, usize), String>,
}

impl TouchedText {
    fn of(planner: &Planner<'_>, pending: &[(usize, PendingEdit)]) -> TouchedText {
        let mut touched = TouchedText { ranges: Vec::new(), files: HashSet::new(), ids: HashMap::new() };
        for (_, edit) in pending {
            match edit {
                PendingEdit::Edit(_, DocumentEdit::Insert { .. }, _) => {}
                PendingEdit::Edit(path, DocumentEdit::Raw(_), _)
                | PendingEdit::ReplaceText(path, _)
                | PendingEdit::RemoveFile(path)
                | PendingEdit::MoveFile(path, _)
                | PendingEdit::UpdateLinks(path, _) => drop(touched.files.insert(path.clone())),
                PendingEdit::Edit(path, edit, _) => {
                    let file = planner.snapshot.file(path).ok().flatten();
                    let bullet = edited_bullet(edit).and_then(|b| file?.document.bullets().get(b));
                    touched.ranges.extend(bullet.map(|b| (path.clone(), b.line_start..b.end)));
                }
                PendingEdit::SetSummary(..) | PendingEdit::Archive(_) | PendingEdit::Unchanged(_) => {}
            }
        }
        touched
    }

    fn contains(&self, path: &MemoryPath, at: u32) -> bool {
        self.files.contains(path) || self.ranges.iter().any(|(p, range)| p == path && range.contains(&at))
    }
}

fn edited_bullet(edit: &DocumentEdit) -> Option<usize> {
    match edit {
        DocumentEdit::Update { bullet, .. }
        | DocumentEdit::SetMeta { bullet, .. }
        | DocumentEdit::Remove { bullet }
        | DocumentEdit::Replace { bullet, .. } => Some(*bullet),
        DocumentEdit::Insert { .. } | DocumentEdit::Raw(_) => None,
    }
}

fn relate(
    planner: &mut Planner<'_>,
    rule: LinkRule,
    source: &SourceBullet,
    viewers: &[Visibility],
    touched: &mut TouchedText,
    pending: &mut Vec<(usize, PendingEdit)>,
) -> PlanStep<()> {
    let n = pending[source.edit].0;
    let least_shared = source.terms.least_shared(rule.min);
    let wanted = MissingInput::RelatedFiles { text: source.text.clone(), least_shared, most: rule.auto };
    let mut paths = vec![source.path.clone()];
    let others = planner.snapshot.related_files(wanted)?;
    for path in others.iter().cloned().chain(target_files(planner, source)) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let search = NeighbourSearch::new(rule, source, viewers, planner.today());
    let (mut found, mut searched) = (Vec::new(), Vec::new());
    for path in &paths {
        match planner.snapshot.file(path) {
            Ok(Some(file)) if path == &source.path || planner.check_writable(path, Some(&file.document)).is_ok() => {
                search.search_file(path, &file.document, touched, &mut found);
                searched.push(path.clone());
            }
            Ok(None) => searched.push(path.clone()),
            Ok(Some(_)) | Err(PlanStop::Rejected(_)) => {}
            Err(PlanStop::NeedsInput(needed)) => planner.missing_inputs.push(needed),
        }
    }
    if !planner.missing_inputs.is_empty() {
        return Ok(());
    }
    found.sort_by(|a, b| b.strength.cmp(&a.strength).then(a.path.cmp(&b.path)).then(a.bullet.cmp(&b.bullet)));
    let mut edges = EdgeChanges::of(planner, source, &found, &searched);
    found.truncate(rule.auto);
    for neighbour in found {
        if edges.refresh(source, &neighbour) || edges.refresh_reverse(planner, source, &neighbour, n, pending) {
            continue;
        }
        if edges.count() >= rule.auto {
            continue;
        }
        let Some(id) = id_of(planner, &neighbour, touched, n, pending)? else { continue };
        edges.added.push((target_name(&neighbour.path, &id), neighbour.strength()));
    }
    edges.write(planner, source, n, pending);
    Ok(())
}

/// The files that the relations of an updated bullet point to.
fn target_files(planner: &Planner<'_>, source: &SourceBullet) -> Vec<MemoryPath> {
    let file = planner.snapshot.file(&source.path).ok().flatten();
    let Some((file, bullet)) = file.zip(source.bullet) else { return Vec::new() };
    let path = |edge: RelatedEdge<'_>| MemoryPath::new(&format!("{}.md", edge.target.split_once("#^")?.0)).ok();
    related_edges(&file.document, bullet).into_iter().filter_map(path).collect()
}

/// The search for the neighbours of one source.
struct NeighbourSearch<'a> {
    rule: LinkRule,
    source: &'a SourceBullet,
    viewers: &'a [Visibility],
    today: String,
    /// The beginnings of the source's terms, in lower case.
    probes: Vec<String>,
}

impl<'a> NeighbourSearch<'a> {
    fn new(rule: LinkRule, source: &'a SourceBullet, viewers: &'a [Visibility], today: String) -> NeighbourSearch<'a> {
        let probe = |term: &String| match term_prefix(term) {
            "" => term.clone(),
            prefix => prefix.to_owned(),
        };
        let probes = source.terms.terms().iter().map(probe).collect();
        NeighbourSearch { rule, source, viewers, today, probes }
    }

    fn search_file(&self, path: &MemoryPath, document: &Document, touched: &TouchedText, found: &mut Vec<Neighbour>) {
        if document.conflict_marker_line().is_some() {
            return;
        }
        let hidden: Vec<Range<usize>> = self.viewers.iter().flat_map(|v| v.hidden_ranges(document, path)).collect();
        for (i, bullet) in document.bullets().iter().enumerate().filter(|(_, bullet)| bullet.depth == 0) {
            let raw = document.bullet_raw(i);
            if !self.may_be_similar(raw) {
                continue;
            }
            let at = bullet.text_start as usize;
            let is_source = self.source.bullet == Some(i) && *path == self.source.path;
            if is_source || touched.contains(path, bullet.line_start) || hidden.iter().any(|range| range.contains(&at))
            {
                continue;
            }
            let text = document.bullet_text(i);
            let cosine = self.source.terms.cosine(&TermSet::of(&text));
            let is_expired = || {
                let last = document.bullet_meta(i).and_then(|meta| meta.expires());
                last.is_some_and(|last| last.to_string() < self.today)
            };
            if cosine + 1e-9 < self.rule.min || RelationText::parse(&text).is_some() || is_expired() {
                continue;
            }
            let id = document.bullet_id(i).map(|id| id.into_owned());
            found.push(Neighbour { path: path.clone(), bullet: i, id, strength: (cosine * 100.0).round() as u32 });
        }
    }

    /// Whether a text may have enough terms of the source; its terms are only counted then.
    fn may_be_similar(&self, raw: &str) -> bool {
        // A word with an accent need not begin as its term.
        if !raw.is_ascii() {
            return true;
        }
        let low = raw.to_ascii_lowercase();
        let shared =
            self.probes.iter().filter(|probe| memchr::memmem::find(low.as_bytes(), probe.as_bytes()).is_some());
        shared.count() >= self.source.terms.least_shared(self.rule.min)
    }
}

/// The relations of a source before and after.
struct EdgeChanges {
    /// The strength that a relation gets, by the index of its bullet.
    kept: Vec<(usize, String, BulletMeta, Option<f64>)>,
    /// Relations to bullets that are no longer similar enough.
    dropped: Vec<usize>,
    /// New ones: target and strength.
    added: Vec<(String, f64)>,
}

impl EdgeChanges {
    /// Takes the present relations of an updated bullet. Those to files that were not searched, because they cannot be
    /// read or written, stay as they are.
    fn of(planner: &Planner<'_>, source: &SourceBullet, found: &[Neighbour], searched: &[MemoryPath]) -> EdgeChanges {
        let mut edges = EdgeChanges { kept: Vec::new(), dropped: Vec::new(), added: Vec::new() };
        let file = planner.snapshot.file(&source.path).ok().flatten();
        let Some((file, bullet)) = file.zip(source.bullet) else { return edges };
        for edge in related_edges(&file.document, bullet) {
            let is_similar = found.iter().any(|neighbour| neighbour.is_target(edge.target, &source.path));
            let target_file = edge.target.split('#').next().unwrap_or_default();
            let is_searched = target_file.is_empty()
                || searched.iter().any(|path| may_refer_to(target_file, true, &source.path, path));
            if is_searched && !is_similar {
                edges.dropped.push(edge.bullet);
            } else {
                let meta = file.document.bullet_meta(edge.bullet).unwrap_or_default();
                edges.kept.push((edge.bullet, edge.target.to_owned(), meta, None));
            }
        }
        edges
    }

    fn count(&self) -> usize {
        self.kept.len() + self.added.len()
    }

    /// Whether the source is related to a bullet already; the relation gets the present strength.
    fn refresh(&mut self, source: &SourceBullet, neighbour: &Neighbour) -> bool {
        let known = self.kept.iter_mut().find(|(_, target, ..)| neighbour.is_target(target, &source.path));
        known.map(|(.., strength)| *strength = Some(neighbour.strength())).is_some()
    }

    /// Whether the neighbour is related to the source already: one relation is enough for both. It gets the present
    /// strength.
    fn refresh_reverse(
        &self,
        planner: &Planner<'_>,
        source: &SourceBullet,
        neighbour: &Neighbour,
        n: usize,
        pending: &mut Vec<(usize, PendingEdit)>,
    ) -> bool {
        let file = |path| planner.snapshot.file(path).ok().flatten();
        let Some((own, bullet)) = file(&source.path).zip(source.bullet) else { return false };
        let (Some(id), Some(there)) = (own.document.bullet_id(bullet), file(&neighbour.path)) else { return false };
        let edges = related_edges(&there.document, neighbour.bullet);
        let Some(edge) = edges.into_iter().find(|edge| is_to(edge.target, &neighbour.path, &source.path, &id)) else {
            return false;
        };
        let known = there.document.bullet_meta(edge.bullet);
        if !has_strength(known.as_ref(), neighbour.strength()) {
            let meta = edge_meta(known, neighbour.strength(), &planner.today());
            let edit = DocumentEdit::SetMeta { bullet: edge.bullet, meta };
            pending.push((n, PendingEdit::Edit(neighbour.path.clone(), edit, EffectKind::NoEffect)));
        }
        true
    }

    /// Adds the changes to the pending edits of the source.
    fn write(self, planner: &Planner<'_>, source: &SourceBullet, n: usize, pending: &mut Vec<(usize, PendingEdit)>) {
        let today = planner.today();
        let kept = self.kept.into_iter().map(|(bullet, target, meta, strength)| {
            let meta = match strength.filter(|strength| !has_strength(Some(&meta), *strength)) {
                Some(strength) => edge_meta(Some(meta), strength, &today),
                None => meta,
            };
            (Some(bullet), target, meta)
        });
        let added = self.added.into_iter().map(|(target, w)| (None, target, edge_meta(None, w, &today)));
        let edges: Vec<(Option<usize>, String, BulletMeta)> = kept.chain(added).collect();
        let lines = edges.iter().flat_map(|(_, target, meta)| edge_lines(target, meta));
        let document = planner.snapshot.file(&source.path).ok().flatten().map(|file| &file.document);
        let is_new = edges.iter().any(|(bullet, ..)| bullet.is_none());
        let PendingEdit::Edit(path, edit, _) = &mut pending[source.edit].1 else { return };
        match (edit, document) {
            (DocumentEdit::Insert { items, .. }, _) => insert_lines(&mut items[0], lines.collect()),
            (DocumentEdit::Replace { item, .. }, _) => {
                item.children = without_edges(std::mem::take(&mut item.children));
                insert_lines(item, lines.collect());
            }
            (edit @ DocumentEdit::Update { .. }, Some(document)) if is_new => {
                let DocumentEdit::Update { bullet, text } = edit else { return };
                let bullet = *bullet;
                let mut item = updated_item(document, bullet, text);
                insert_lines(&mut item, lines.collect());
                let path = path.clone();
                // The new metadata becomes part of the replacement.
                let is_meta = |edit: &PendingEdit| matches!(edit, PendingEdit::Edit(p, DocumentEdit::SetMeta { bullet: b, .. }, _) if *p == path && *b == bullet);
                if let Some(at) = pending.iter().position(|(_, edit)| is_meta(edit))
                    && let PendingEdit::Edit(_, DocumentEdit::SetMeta { meta, .. }, _) = &pending[at].1
                {
                    item.meta = Some(meta.clone());
                    let nothing = PendingEdit::UpdateLinks(path, Vec::new());
                    pending[at].1 = nothing;
                }
                if let PendingEdit::Edit(_, edit, _) = &mut pending[source.edit].1 {
                    *edit = DocumentEdit::Replace { bullet, item };
                }
            }
            (DocumentEdit::Update { .. }, Some(document)) => {
                let path = path.clone();
                let mut push = |edit| pending.push((n, PendingEdit::Edit(path.clone(), edit, EffectKind::NoEffect)));
                self.dropped.into_iter().for_each(|bullet| push(DocumentEdit::Remove { bullet }));
                for (bullet, _, meta) in edges {
                    if let Some(bullet) = bullet.filter(|b| document.bullet_meta(*b).as_ref() != Some(&meta)) {
                        push(DocumentEdit::SetMeta { bullet, meta });
                    }
                }
            }
            _ => {}
        }
    }
}

fn has_strength(meta: Option<&BulletMeta>, strength: f64) -> bool {
    meta.and_then(BulletMeta::strength).is_some_and(|known| (known - strength).abs() < 0.005)
}

/// Relations come first below a bullet's paragraph: what is further below may be code, which would take them in.
fn insert_lines(item: &mut NewBullet, lines: Vec<String>) {
    let at = item.continuation_lines();
    item.children.splice(at..at, lines);
}

/// A bullet of the file with another text, without its relations.
fn updated_item(document: &Document, bullet: usize, text: &str) -> NewBullet {
    let mut item = to_new_bullet(document, bullet);
    let paragraph = item.continuation_lines();
    item.children.drain(..paragraph);
    let below = without_edges(std::mem::take(&mut item.children));
    let mut lines = text.split('\n').map(str::to_owned);
    item.text = lines.next().unwrap_or_default();
    item.children = lines.chain(below).collect();
    item
}

/// The id by which a bullet is linked to. One without an id gets one: its handle would change with its text. `None` if
/// its metadata line belongs to another bullet.
fn id_of(
    planner: &Planner<'_>,
    neighbour: &Neighbour,
    touched: &mut TouchedText,
    n: usize,
    pending: &mut Vec<(usize, PendingEdit)>,
) -> PlanStep<Option<String>> {
    if let Some(id) = &neighbour.id {
        return Ok(Some(id.clone()));
    }
    let key = (neighbour.path.clone(), neighbour.bullet);
    if let Some(id) = touched.ids.get(&key) {
        return Ok(Some(id.clone()));
    }
    let Some(file) = planner.snapshot.file(&neighbour.path)? else { return Ok(None) };
    let bullet = LocatedBullet { path: &neighbour.path, document: &file.document, index: neighbour.bullet };
    let known = bullet.meta();
    // Only what has a metadata line needs the history of the file.
    if known.is_some()
        && inert_metadata::inert_bullets(&file.document, &neighbour.path, planner.snapshot)?.contains(&neighbour.bullet)
    {
        return Ok(None);
    }
    let given = touched.ids.iter().filter(|((path, _), _)| *path == neighbour.path).map(|(_, id)| id);
    let Some(id) = new_id(bullet, &given.collect::<Vec<_>>()) else {
        return Ok(None);
    };
    let mut meta = known.unwrap_or_default();
    meta.set(MetaKey::Id.name(), &id);
    let edit = DocumentEdit::SetMeta { bullet: neighbour.bullet, meta };
    let kind = EffectKind::MetaSet(neighbour.bullet, format!("id={id}"));
    pending.push((n, PendingEdit::Edit(neighbour.path.clone(), edit, kind)));
    touched.ids.insert(key, id.clone());
    Ok(Some(id))
}

/// An id that nothing in the file has: the same for the same file and text, so that two machines give the same.
fn new_id(bullet: LocatedBullet<'_>, given: &[&String]) -> Option<String> {
    let LocatedBullet { path, document, index } = bullet;
    let digits = Etag::of(format!("{path}\n{}", document.bullet_raw(index)).as_bytes()).hex();
    let is_free = |id: &String| {
        locate::bullets_with_id(document, id).next().is_none()
            && document.sections().iter().all(|section| section.id.as_ref() != Some(id))
            && !given.contains(&id)
    };
    (7..=digits.len()).map(|length| format!("m{}", &digits[..length])).find(is_free)
}

/// What is between the brackets: the whole path, so that the relation means the same wherever its bullet is moved.
fn target_name(path: &MemoryPath, id: &str) -> String {
    format!("{}#^{id}", path.as_str().strip_suffix(".md").unwrap_or(path.as_str()))
}
