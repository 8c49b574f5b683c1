//! Finds what becomes of links to bullets by their ids, `[[user#^m1]]`, when these move to another file or are removed.
//!
//! Never changes a link that a person wrote to a removed bullet: `check` reports it.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::document::link_names::LinkNames;
use crate::document::links::{FileLink, find_links, own_part_links};
use crate::document::related_edge::related_edge;
use crate::document::{Document, DocumentEdit, LocatedBullet};
use crate::path::MemoryPath;
use crate::text::Splice;

use super::pending_edit::{EffectKind, PendingEdit};
use super::planner::Planner;
use super::renamed_links::{link_name, names_after};
use super::snapshot::{LoadedFile, PlanStep};
use super::validation;

/// The bullets in a part of a file.
pub struct LinkedBullets<'a> {
    pub path: &'a MemoryPath,
    pub document: &'a Document,
    /// The part, which leaves the file.
    pub part: Range<usize>,
}

impl<'a> LinkedBullets<'a> {
    /// One bullet with what is below it.
    pub fn of_bullet(bullet: LocatedBullet<'a>) -> LinkedBullets<'a> {
        let LocatedBullet { path, document, index } = bullet;
        let own = document.bullets()[index];
        LinkedBullets { path, document, part: own.line_start as usize..own.end as usize }
    }

    /// The edits that let links follow to another file; none if no bullet has an id.
    pub fn follow_to(&self, planner: &Planner<'_>, to: &MemoryPath) -> PlanStep<Vec<PendingEdit>> {
        if to == self.path {
            return Ok(Vec::new());
        }
        let found = self.links(planner)?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let after = names_after(planner.snapshot, to)?;
        let updates = found.into_iter().map(|(holder, file, links)| {
            let edit = |link: &FileLink| {
                let new = link_name(&file.document, link, &holder, self.path, to, &after);
                DocumentEdit::Raw(Splice { start: link.start, end: link.end, new })
            };
            let edits = links.iter().map(edit).collect();
            PendingEdit::UpdateLinks(holder, edits)
        });
        Ok(updates.collect())
    }

    /// The removals of the automatic relations to the bullets. Without a rule of the policy for relations there are
    /// none, and no other file is read.
    pub fn without_relations(&self, planner: &Planner<'_>) -> PlanStep<Vec<PendingEdit>> {
        let mut pending = Vec::new();
        if planner.context.policy.links.is_none() {
            return Ok(pending);
        }
        for (holder, file, links) in self.links(planner)? {
            let bullets = file.document.bullets();
            let nested =
                |link: &FileLink| bullets.partition_point(|b| b.line_start as usize <= link.start).checked_sub(1);
            let relations: BTreeSet<usize> = links.iter().filter_map(nested).collect();
            for bullet in relations.into_iter().filter(|bullet| related_edge(&file.document, *bullet).is_some()) {
                pending.push(PendingEdit::Edit(holder.clone(), DocumentEdit::Remove { bullet }, EffectKind::NoEffect));
            }
        }
        Ok(pending)
    }

    /// The links to the bullets by their ids, outside the part, by the file that holds them.
    fn links<'p>(&self, planner: &Planner<'p>) -> PlanStep<Vec<(MemoryPath, &'p LoadedFile, Vec<FileLink>)>> {
        let bullets = self.document.bullets();
        let inside = (0..bullets.len()).filter(|i| self.part.contains(&(bullets[*i].line_start as usize)));
        let ids: BTreeSet<String> = inside.filter_map(|i| Some(self.document.bullet_id(i)?.into_owned())).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut holders: BTreeSet<&MemoryPath> = planner.snapshot.backlinks(self.path)?.iter().collect();
        holders.insert(self.path);
        let names = LinkNames::new(planner.snapshot.file_names()?);
        let mut found = Vec::new();
        for holder in holders {
            let Some(file) = planner.snapshot.file(holder)? else { continue };
            if validation::check_writable(holder, Some(&file.document), planner.context.allow_reserved).is_err() {
                continue;
            }
            let mut links = find_links(&file.document);
            if holder == self.path {
                links.extend(own_part_links(&file.document));
                links.retain(|link| !self.part.contains(&link.start));
            }
            let text = file.document.text();
            links.retain(|link| {
                let name = &text[link.start..link.end];
                let is_here = holder == self.path && name.trim().is_empty();
                text[link.fragment.range()].trim().strip_prefix('^').is_some_and(|id| ids.contains(id))
                    && (is_here || names.leads_to(name, link.is_wiki, holder, self.path))
            });
            if !links.is_empty() {
                found.push((holder.clone(), file, links));
            }
        }
        Ok(found)
    }
}
