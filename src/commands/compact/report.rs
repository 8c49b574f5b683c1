//! What compaction came to, place by place: who decided what.
//!
//! Counts and tells; decides nothing.

use super::super::answer::{CompactedPlace, DecisionRow, Tokens};
use super::talk::Talk;
use crate::code::{Code, Warning};
use crate::document::Document;
use crate::operation::evict::Thing;
use crate::operation::limits::{Place, Size, size, word};
use crate::path::MemoryPath;
use crate::policy::Measure;
use crate::reflect::compaction::{Act, Crowd, Decision};

/// The whole of it.
#[derive(Default)]
pub struct Report {
    /// Place by place.
    pub rows: Vec<Row>,
    /// Places that stay as they are.
    pub left: Vec<Warning>,
    /// Who was asked.
    pub model: Option<String>,
    /// What it cost.
    pub tokens: Option<Tokens>,
}

impl Report {
    /// Notes who was asked, and what it cost.
    pub fn spent(&mut self, talk: &Talk<'_>) {
        self.model.clone_from(&talk.who);
        let tokens = Tokens { input: talk.usage.input, output: talk.usage.output };
        self.tokens = (tokens.input + tokens.output > 0).then_some(tokens);
    }

    /// The same for somebody who asked for a change, not for this.
    pub fn warnings(&self) -> Vec<Warning> {
        let warning = |row: &Row| {
            let message = format!("{} was over its limit: {}", row.address, row.sentence());
            Warning::new(Code::LimitReached, message)
                .detail("address", row.address.as_str())
                .detail("decided", row.decided)
                .detail("by_age", row.aged)
        };
        self.rows.iter().map(warning).collect()
    }
}

/// One place.
pub struct Row {
    address: String,
    measure: Measure,
    was: usize,
    is: usize,
    most: usize,
    rows: Vec<DecisionRow>,
    /// Decisions of a model that are carried out.
    pub decided: usize,
    /// Items that go for their age.
    pub aged: usize,
    /// Why age decides.
    pub why: Option<String>,
    model: bool,
}

impl Row {
    /// A place as it is found.
    pub fn new(address: String, place: &Place, document: &Document) -> Row {
        let over = place.over(document);
        let measure = match over {
            Size { entries: 1.., .. } => Measure::Entries,
            Size { bullets: 1.., .. } => Measure::Bullets,
            _ => Measure::Chars,
        };
        let most = match measure {
            Measure::Bullets => place.most.bullets,
            Measure::Entries => place.most.entries,
            Measure::Chars => place.most.chars,
        };
        let was = size(document, place.section).of(measure);
        Row {
            address,
            measure,
            was,
            is: was,
            most: most.unwrap_or_default(),
            rows: Vec::new(),
            decided: 0,
            aged: 0,
            why: None,
            model: false,
        }
    }

    /// What it holds now.
    pub fn now(&mut self, place: &Place, document: &Document) {
        self.is = size(document, place.section).of(self.measure);
    }

    /// Whether anything happened here.
    pub fn has_news(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Its limit, as a reason.
    pub fn rule(&self) -> String {
        format!("over its limit of {} {}: first in, first out", self.most, word(self.measure))
    }

    /// Notes a model's decisions.
    pub fn decided(&mut self, crowd: &Crowd, decisions: &[Decision]) {
        let name = |at: &usize| {
            let mark = if crowd.entries { '#' } else { '@' };
            format!("{}{mark}{}", crowd.path, crowd.items[*at].name)
        };
        for decision in decisions {
            let action = match decision.act {
                Act::Delete => "delete",
                Act::Rewrite if decision.absorbs.is_empty() => "edit",
                Act::Rewrite => "merge",
            };
            self.decided += 1;
            self.rows.push(DecisionRow {
                by: "model",
                action,
                target: name(&decision.target),
                absorbs: decision.absorbs.iter().map(name).collect(),
                reason: Some(decision.reason.clone()).filter(|r| !r.is_empty()),
            });
        }
        self.model = true;
    }

    /// Notes that a model does not decide.
    pub fn fell_back(&mut self, why: Option<String>) {
        self.why = why;
    }

    /// Notes what goes for its age.
    pub fn by_age(&mut self, document: &Document, path: &MemoryPath, things: &[Thing]) {
        for thing in things {
            let target = match thing {
                Thing::Bullet(i) => format!("{path}@{}", document.handle_name(*i)),
                Thing::Entry(s) => format!("{path}#{}", document.sections()[*s].slug),
            };
            self.aged += 1;
            self.rows.push(DecisionRow { by: "age", action: "archive", target, absorbs: Vec::new(), reason: None });
        }
    }

    /// In words: `11 bullets, now 10: 1 decided by the model`.
    fn sentence(&self) -> String {
        let mut parts = Vec::new();
        if self.decided > 0 {
            parts.push(match self.decided {
                1 => "1 decision of the model".to_owned(),
                n => format!("{n} decisions of the model"),
            });
        }
        if self.aged > 0 {
            let why = self.why.as_deref().map(|why| format!("; {why}")).unwrap_or_default();
            parts.push(format!("{} of the oldest went to archive/ (first in, first out{why})", self.aged));
        }
        format!("{} {}, now {}: {}", self.was, word(self.measure), self.is, parts.join(", "))
    }

    /// As an answer.
    pub fn told(self) -> CompactedPlace {
        CompactedPlace {
            told: self.sentence(),
            measure: match self.measure {
                Measure::Bullets => "bullets",
                Measure::Entries => "entries",
                Measure::Chars => "chars",
            },
            was: self.was,
            now: self.is,
            most: self.most,
            decided: self.decided,
            by_age: self.aged,
            why: self.why.filter(|_| self.aged > 0),
            decisions: self.rows,
            address: self.address,
        }
    }
}
