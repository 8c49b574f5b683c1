//! A file or section that exceeds its limit, and how it is made smaller: by decisions of a model, or by age.
//!
//! Never leaves a step in the overlay that did not help.

use anyhow::anyhow;

use super::dialogue::CompactDialogue;
use super::model_texts::redact_secrets;
use super::overlay::CompactOverlay;
use super::report::CompactionRow;
use super::targets::LimitedSectionRef;
use crate::code::Rejection;
use crate::commands::Error;
use crate::document::{Document, Visibility};
use crate::operation::evict::{self, ItemAges};
use crate::operation::limits::LimitedSection;
use crate::reflect::compaction::{self, CompactionRules, CompactionStep, OverLimit};

/// A file or section that exceeds its limit, as it is now.
pub struct FullSection<'a> {
    pub section_ref: &'a LimitedSectionRef,
    pub document: &'a Document,
    pub limited: &'a LimitedSection,
    pub ages: &'a ItemAges<'a>,
    /// The agents with an allowlist.
    pub agents: &'a [Visibility],
}

impl FullSection<'_> {
    /// Applies what the model decides; `None` if age must decide.
    ///
    /// # Errors
    /// Those of [`CompactDialogue::request_decisions`].
    pub fn ask_model(
        &self,
        overlay: &mut CompactOverlay<'_>,
        dialogue: &mut CompactDialogue<'_>,
        rules: &CompactionRules<'_>,
        row: &mut CompactionRow,
    ) -> Result<Option<Vec<CompactionStep>>, Error> {
        let path = &self.section_ref.path;
        let over_limit = OverLimit::collect(self.document, path, self.limited, self.ages, self.agents, &redact_secrets);
        let (source, checkpoint) = (dialogue.source(), overlay.checkpoint());
        let decided = dialogue.request_decisions(&over_limit, rules, |decisions| {
            let steps = compaction::plan_steps(&over_limit, self.document, decisions, &source);
            let result = self.try_steps(overlay, &steps);
            if result.is_err() {
                overlay.rollback(checkpoint.clone());
            }
            result.map(|()| steps)
        })?;
        Ok(decided.map(|(decisions, steps)| {
            row.record_decisions(&over_limit, &decisions);
            steps
        }))
    }

    /// Applies steps to the overlay. They must reduce the excess and must not increase any other measure.
    fn try_steps(&self, overlay: &mut CompactOverlay<'_>, steps: &[CompactionStep]) -> anyhow::Result<()> {
        for step in steps {
            overlay.apply_step(step).map_err(|error| anyhow!(error.message()))?;
        }
        let after = overlay.document(&self.section_ref.path).map_err(|r| anyhow!(r.message))?;
        let after = after.unwrap_or_else(|| self.document.clone());
        let excess_before = self.limited.excess(self.document);
        let excess_after = self.section_ref.locate(&after).map(|place| place.excess(&after)).unwrap_or_default();
        let grew = excess_after.bullets > excess_before.bullets
            || excess_after.entries > excess_before.entries
            || excess_after.chars > excess_before.chars;
        if grew || excess_after == excess_before {
            Err(anyhow!("it does not make the file or section smaller"))
        } else {
            Ok(())
        }
    }

    /// Archives the oldest items that are not pinned.
    ///
    /// # Errors
    /// `limit_reached` if the rest is pinned, or cannot be archived.
    pub fn archive_oldest(
        &self,
        overlay: &mut CompactOverlay<'_>,
        row: &mut CompactionRow,
    ) -> Result<Vec<CompactionStep>, Rejection> {
        let path = &self.section_ref.path;
        let Some(candidates) = evict::select_oldest(self.document, self.limited, &[], self.ages) else {
            return Err(evict::all_pinned_rejection(self.document, path, self.limited.section, self.ages));
        };
        let steps = compaction::removal_steps(path, self.document, &candidates, &row.limit_reason());
        let checkpoint = overlay.checkpoint();
        if let Err(error) = steps.iter().try_for_each(|step| overlay.apply_step(step)) {
            overlay.rollback(checkpoint);
            return Err(error.into_rejection(path));
        }
        row.record_evictions(self.document, path, &candidates);
        Ok(steps)
    }
}
