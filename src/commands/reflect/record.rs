//! `reflect --record`: one paragraph about an ended conversation, as an entry. If that is one too many, the same model
//! decides which of all entries leaves, the new one included.
//!
//! Never holds the lock while the model runs.

use super::conversation_question::{ConversationQuestion, ReplyRules, for_each_conversation, note_decision};
use super::{ReflectOptions, watermark};
use crate::code::{Code, Rejection, Warning};
use crate::commands::compact::{CompactOptions, compact_within_budget};
use crate::commands::results::{CompactOutcome, ReflectReport, WarningRow};
use crate::commands::{ChangeOptions, CommandResult, Error, Session};
use crate::host::user::Prompt;
use crate::operation::{Action, Batch, Operation};
use crate::reflect::record::{MAX_REPLY_TOKENS, RecordOrigin, answer_schema, check_record, parse_reply, system_prompt};
use crate::transcript::Conversation;

/// Makes a record of each conversation. `related` are the ids of other conversations that it names.
///
/// # Errors
/// `usage` for an invalid id; `invalid_transcript`; `no_model`; `model` and `model_refused`; errors of committing.
pub fn make_record(
    session: &Session,
    bytes: &[u8],
    related: &[String],
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
) -> CommandResult<ReflectReport> {
    let report = super::new_report(session, change_options)?;
    if let Some(id) = related.iter().find(|id| !watermark::is_plain_id(id)) {
        let message = format!("'{id}' is no id of a conversation");
        return Err(Rejection::new(Code::Usage, message)
            .hint("an id has ASCII letters, digits, '-', '_', '.' and ':', and at most 100 of them")
            .into());
    }
    for_each_conversation(session, bytes, report, |conversation, report| {
        record_conversation(session, conversation, related, options, change_options, report)
    })
}

fn record_conversation(
    session: &Session,
    conversation: &Conversation,
    related: &[String],
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
    report: &mut ReflectReport,
) -> Result<(), Error> {
    let question = ConversationQuestion {
        name: "record",
        prompt: Prompt::Record,
        system: system_prompt(),
        schema: answer_schema(),
        max_tokens: MAX_REPLY_TOKENS,
    };
    let writing_rules = session.writing_rules();
    let check = |record: &_| check_record(record, &conversation.turns, &writing_rules);
    let rules = ReplyRules { parse: parse_reply, check: &check };
    let answered = question.ask(session, options, conversation, report, &rules)?;
    let Some((record, findings, opened)) = answered else { return Ok(()) };
    if !note_decision(report, "append", record.text.clone(), &findings) {
        return Ok(());
    }
    let id = watermark::conversation_id(conversation);
    let model = opened.model.id();
    let model_name = format!("{}/{}", model.provider, model.model);
    let batch = Batch {
        operations: vec![Operation {
            source: change_options.source.clone().or_else(|| Some(format!("record:{model_name}"))),
            ..Action::Append {
                at: None,
                text: record.body(&RecordOrigin { conversation: &id, related }),
                title: Some(record.title()),
                date: None,
                summary: None,
                file_summary: None,
                create: false,
            }
            .into()
        }],
        request: Some(question.request_id(conversation)),
        reason: change_options.reason.clone().or_else(|| Some(format!("record of {id}"))),
        ..Batch::default()
    };
    let compact_options = CompactOptions { batch: Some(batch), ..CompactOptions::default() };
    let outcome = compact_within_budget(session, &compact_options, change_options, Some(&opened), options.progress)?;
    let CompactOutcome::Compacted(compacted) = outcome else { return Ok(()) };
    for place in compacted.places.iter().filter(|place| place.reason.is_some()) {
        let message = format!("{} was over its limit: {}", place.address, place.sentence);
        report.warnings.push(WarningRow::from(&Warning::new(Code::LimitReached, message)));
    }
    report.add_change(compacted.change);
    if let (Some(tokens), Some(model)) = (compacted.tokens, &mut report.model) {
        model.turns += 1;
        model.input_tokens = model.input_tokens.saturating_add(tokens.input);
        model.output_tokens = model.output_tokens.saturating_add(tokens.output);
    }
    Ok(())
}
