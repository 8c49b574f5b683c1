//! `compact` with a paid model: within its time limit and the daily budget.
//!
//! Never queues anything: when the budget is used up, age decides, and removed items go to `archive/`.

use std::cell::Cell;

use super::{ChangeOptions, CommandResult, CompactOptions, CompactOutcome, Session, compact};
use crate::commands::budget::{self, SpentTokens};
use crate::commands::cost_estimate::usage_or_estimate;
use crate::commands::layer_names::{error_in_layer, name_layer_in_compaction};
use crate::commands::layers::AddressesInLayer;
use crate::commands::model::OpenModel;
use crate::host::user::Prompt;
use crate::llm::{Deadline, ErrorKind, LlmError, Model, ModelId, ModelReply, ModelRequest, TokenUsage};

/// Estimated cost of one compaction, in tokens; reserved before the first request.
const ESTIMATED_TOKENS: u64 = 8000;

/// As [`compact`], with the model if there is one and the budget allows it.
///
/// # Errors
/// As [`compact`].
pub fn compact_within_budget(
    session: &Session,
    options: &CompactOptions,
    change_options: &ChangeOptions,
    opened: Option<&OpenModel>,
    progress: &dyn Fn(&str),
) -> CommandResult<CompactOutcome> {
    let named = options.address.clone().into_iter().collect::<Vec<_>>();
    if let Some(AddressesInLayer { layer, addresses, session: inner }) = session.layer_of_addresses(&named)? {
        let options = CompactOptions { address: addresses.into_iter().next(), ..options.clone() };
        let outcome = compact_within_budget(&inner, &options, change_options, opened, progress);
        return Ok(match outcome.map_err(|error| error_in_layer(error, &layer))? {
            CompactOutcome::Compacted(report) if !session.is_own_layer(&layer) => {
                CompactOutcome::Compacted(name_layer_in_compaction(report, &layer))
            }
            outcome => outcome,
        });
    }
    let Some(opened) = opened else { return compact(session, options, change_options, None) };
    let reservation = budget::reserve(session, "compact", ESTIMATED_TOKENS)?;
    let deadline = Deadline::within(opened.total_timeout);
    let (has_budget, spent, cost) = (reservation.is_some(), &session.spent, Cell::default());
    let model = BudgetedModel { opened, deadline, has_budget, progress, spent, cost: &cost };
    let result = compact(session, options, change_options, Some(&model));
    if let Some(hold) = reservation {
        let CallCost { usage, requests } = cost.get();
        // The change is committed even if its cost cannot be recorded.
        budget::record_call(session, hold, usage, requests);
    }
    result
}

/// A model with a deadline for all requests together and the user's own prompt, which refuses requests if the budget is
/// used up.
struct BudgetedModel<'a> {
    opened: &'a OpenModel,
    deadline: Deadline,
    has_budget: bool,
    progress: &'a dyn Fn(&str),
    /// Where the tokens of each reply are added, for the revision that it leads to.
    spent: &'a SpentTokens,
    cost: &'a Cell<CallCost>,
}

/// What requests cost of the budget: estimated where the host reports no tokens.
#[derive(Clone, Copy, Default)]
struct CallCost {
    usage: TokenUsage,
    requests: usize,
}

impl BudgetedModel<'_> {
    fn count(&self, request: &ModelRequest, reply: &Result<ModelReply, LlmError>) {
        let CallCost { mut usage, requests } = self.cost.get();
        usage += match reply {
            Ok(reply) => usage_or_estimate(request, reply),
            Err(error) => error.usage,
        };
        self.cost.set(CallCost { usage, requests: requests + 1 });
    }
}

impl Model for BudgetedModel<'_> {
    fn id(&self) -> &ModelId {
        self.opened.model.id()
    }

    fn complete(&self, request: &ModelRequest, deadline: Deadline) -> Result<ModelReply, LlmError> {
        if self.has_budget {
            let model_id = self.id();
            (self.progress)(&format!("calling {} {}", model_id.provider, model_id.model));
            let deadline = deadline.earlier(self.deadline);
            let own = self.opened.own_prompts.get(Prompt::Compact);
            let own = own.map(|own| ModelRequest { system: own.to_owned(), ..request.clone() });
            let request = own.as_ref().unwrap_or(request);
            let reply = self.opened.model.complete(request, deadline);
            self.count(request, &reply);
            reply.inspect(|reply| self.spent.add(reply.usage))
        } else {
            Err(LlmError::new(ErrorKind::QuotaExceeded, "today's token budget is used up"))
        }
    }
}
