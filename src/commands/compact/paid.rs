//! `compact` with a model that costs: within its time, and within the day's budget.
//!
//! Never queues anything: where nobody can be asked, age decides, and what goes is kept below `archive/`.

use super::{Answer, CompactQuery, How, Session, Verdict, compact};
use crate::commands::budget;
use crate::commands::model::Opened;
use crate::llm::{Deadline, Model, Reply, Request, Trouble, Usage, What, Who};

/// What a compaction is reckoned to cost before it is asked for, in tokens.
const ABOUT: u64 = 8000;

/// Brings places back to their limits as [`compact`] does, with the model that was opened, if one was.
///
/// # Errors
/// As [`compact`].
pub fn paid(
    session: &Session,
    query: &CompactQuery,
    how: &How,
    opened: Option<&Opened>,
    budget: Option<u64>,
    progress: &dyn Fn(&str),
) -> Verdict {
    let Some(opened) = opened else { return compact(session, query, how, None) };
    let hold = budget::hold(session, budget, "compact", ABOUT)?;
    let deadline = Deadline::within(opened.overall);
    let asked = Asked { model: &*opened.model, deadline, paid: hold.is_some(), progress };
    let verdict = compact(session, query, how, Some(&asked));
    if let Some(hold) = hold {
        let spent = match &verdict {
            Ok(Answer::Compacted(done)) => done.tokens.as_ref().map(|t| Usage { input: t.input, output: t.output }),
            _ => None,
        };
        let bare = session.bare();
        // What was decided stands whether or not it can be counted: then what was held counts until midnight.
        if let Ok((locked, _)) = bare.store.lock() {
            budget::settle(session, &locked, hold, spent.unwrap_or_default(), usize::from(spent.is_some()), (0, 0));
        }
    }
    verdict
}

/// A model, until its time or the budget is over.
struct Asked<'a> {
    model: &'a dyn Model,
    deadline: Deadline,
    paid: bool,
    progress: &'a dyn Fn(&str),
}

impl Model for Asked<'_> {
    fn who(&self) -> &Who {
        self.model.who()
    }

    fn ask(&self, request: &Request, deadline: Deadline) -> Result<Reply, Trouble> {
        match self.paid {
            true => {
                let who = self.who();
                (self.progress)(&format!("asking {} {}", who.provider, who.model));
                self.model.ask(request, deadline.sooner(self.deadline))
            }
            false => Err(Trouble::new(What::Quota, "the day's budget of tokens is spent")),
        }
    }
}
