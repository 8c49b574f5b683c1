//! `reflect --procedure`: how the task of a conversation was done, as numbered steps in a new file of `procedures/`.
//!
//! Only on request. Never changes a procedure that there is, and never holds the lock while the model runs.

use super::conversation_question::{ConversationQuestion, ReplyRules, for_each_conversation, note_decision};
use super::{ReflectOptions, watermark};
use crate::code::{Code, Rejection};
use crate::commands::change::change;
use crate::commands::results::{ChangeOutcome, ReflectReport};
use crate::commands::{ChangeOptions, CommandResult, Error, Session};
use crate::host::user::Prompt;
use crate::operation::{Action, Batch, Operation, Target};
use crate::path::MemoryPath;
use crate::reflect::procedure::{
    MAX_REPLY_TOKENS, Procedure, ProcedureOrigin, answer_schema, check_procedure, parse_reply, system_prompt,
};
use crate::transcript::Conversation;

/// Makes a procedure of each conversation that shows one.
///
/// # Errors
/// `invalid_transcript`; `no_model`; `model` and `model_refused`; `exists` for a procedure of the same name; errors
/// of committing.
pub fn make_procedure(
    session: &Session,
    bytes: &[u8],
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
) -> CommandResult<ReflectReport> {
    let report = super::new_report(session, change_options)?;
    for_each_conversation(session, bytes, report, |conversation, report| {
        write_down(session, conversation, options, change_options, report)
    })
}

fn write_down(
    session: &Session,
    conversation: &Conversation,
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
    report: &mut ReflectReport,
) -> Result<(), Error> {
    let question = ConversationQuestion {
        name: "procedure",
        prompt: Prompt::Procedure,
        system: system_prompt(),
        schema: answer_schema(),
        max_tokens: MAX_REPLY_TOKENS,
    };
    let writing_rules = session.writing_rules();
    let check = |procedure: &_| check_procedure(procedure, &conversation.turns, &writing_rules);
    let rules = ReplyRules { parse: parse_reply, check: &check };
    let answered = question.ask(session, options, conversation, report, &rules)?;
    let Some((procedure, findings, opened)) = answered else { return Ok(()) };
    let shown = format!("{}: {}", procedure.title, procedure.steps.join(" "));
    if !note_decision(report, "write", shown, &findings) {
        return Ok(());
    }
    let path = path_of(session, &procedure)?;
    let id = watermark::conversation_id(conversation);
    let today = session.now.date().to_string();
    let agent = session.is_agent.then_some(session.actor.as_str());
    let origin = ProcedureOrigin { conversation: &id, agent, created: &today };
    let text = procedure.to_markdown(&origin).ok_or_else(|| unusable_title(&procedure))?;
    let model = opened.model.id();
    let batch = Batch {
        operations: vec![Operation {
            source: change_options
                .source
                .clone()
                .or_else(|| Some(format!("procedure:{}/{}", model.provider, model.model))),
            ..Action::Write { at: Target::Address(path.to_string()), text, create: true }.into()
        }],
        request: Some(question.request_id(conversation)),
        reason: change_options.reason.clone().or_else(|| Some(format!("procedure of {id}"))),
        ..Batch::default()
    };
    if let ChangeOutcome::Changed(done) = change(session, batch, change_options)? {
        report.add_change(done);
    }
    Ok(())
}

/// The path of a new procedure.
fn path_of(session: &Session, procedure: &Procedure) -> Result<MemoryPath, Rejection> {
    let path = MemoryPath::new(&format!("procedures/{}.md", procedure.file_name()))
        .ok()
        .filter(|path| path.new_name_problem().is_none() && !procedure.file_name().is_empty())
        .ok_or_else(|| unusable_title(procedure))?;
    if session.store.read(&path)?.is_some() {
        let message = format!("there is a procedure {path} already");
        return Err(Rejection::new(Code::Exists, message)
            .hint("compare the two with -n, edit the one that there is, or move it away"));
    }
    Ok(path)
}

fn unusable_title(procedure: &Procedure) -> Rejection {
    Rejection::new(Code::Model, format!("the title '{}' is no name for a file", procedure.title))
}
