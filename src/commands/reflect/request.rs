//! `reflect --request`: a change that a person asks for in words. One model may find the items, one decides on edits,
//! and the edits are one batch.
//!
//! Never holds the lock while a model runs, and never makes a part of the edits.

use std::cell::RefCell;

use super::ReflectOptions;
use super::decision_text::redact;
use super::overlay::ReflectOverlay;
use super::request_edits::{EditJudge, JudgedAnswer, JudgedEdits, MAX_CALLS, request_turn};
use super::request_memory::RequestMemory;
use super::single_answer::{ask, ask_repeatedly};
use crate::code::{Code, Rejection, Warning};
use crate::commands::change::change;
use crate::commands::model::OpenModel;
use crate::commands::results::{
    ChangeOutcome, DecisionCounts, DecisionVerdict, ReflectDecision, ReflectReport, RequestDecision, RequestVerdict,
    WarningRow,
};
use crate::commands::{ChangeOptions, CommandResult, Error, Session, budget};
use crate::host::user::Prompt;
use crate::llm::{AnswerSchema, ChatMessage, Deadline, ModelReply, ModelRequest, TokenUsage};
use crate::operation::Batch;
use crate::reflect::request::{
    MAX_REPLY_TOKENS, MAX_REQUEST_CHARS, RequestItem, build_question, editor_prompt, editor_schema, finder_prompt,
    finder_schema, item_tokens, parse_finder,
};

/// Name of the reservation in the budget.
const RESERVATION: &str = "request";
/// Tokens of instructions, the list of files and replies, as estimated for the budget.
const OVERHEAD_TOKENS: usize = 4000;

/// A change that a person asks for in their own words, and which files it is about.
pub struct RequestOptions<'a> {
    /// What the person asks for.
    pub text: &'a str,
    /// Only files with one of these tags in their front matter, if there are any.
    pub tags: &'a [String],
    /// Opens the model that finds items, if it is another one than that of the edits.
    pub open_finder: Option<&'a dyn Fn() -> Result<OpenModel, Rejection>>,
}

/// Makes the change that a request asks for, as one revision; `options` open the model that decides on the edits.
///
/// # Errors
/// `usage` and `too_large` for the request; `no_model`; `model` and `model_refused`; errors of committing.
pub fn answer_request(
    session: &Session,
    request: &RequestOptions<'_>,
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
) -> CommandResult<ReflectReport> {
    let mut report = super::new_report(session, change_options)?;
    check_request(request.text)?;
    let mut overlay = ReflectOverlay::open(session, None)?;
    let memory = RequestMemory::new(&overlay, request.tags);
    if !memory.is_routed && !request.tags.is_empty() {
        let message = format!("no file has the tag {}; all files are searched", request.tags.join(" or "));
        report.warnings.push(WarningRow::from(&Warning::new(Code::Note, message)));
    }
    let editor = (options.open_model)()?;
    let finder = request.open_finder.map(|open| open()).transpose()?;
    // All items in one question need no search; a model that is named for it is called anyway.
    let searches = finder.is_some() || !memory.fits();
    let candidates = memory.candidates(session, request.text)?;
    let estimate = candidates.iter().map(|n| item_tokens(&memory.items[*n])).sum::<usize>() + OVERHEAD_TOKENS;
    let estimate = estimate * if searches { 2 } else { 1 };
    let Some(reservation) = budget::reserve(session, RESERVATION, estimate as u64)? else {
        let reason = budget::shortfall(session, estimate as u64)
            .unwrap_or_else(|| "today's token budget is not enough for this request".to_owned());
        report.deferred = Some(format!("{reason}: nothing is changed"));
        return Ok(report);
    };
    let mut run = RequestRun {
        session,
        request: request.text,
        options,
        memory: &memory,
        usage: TokenUsage::default(),
        calls: 0,
        report,
    };
    let judged = run.search(finder.as_ref().unwrap_or(&editor), &candidates, searches).and_then(|search| {
        let shown = search.as_ref().map_or(candidates, |search| search.shown.clone());
        run.decide(&editor, &shown, search.as_ref(), &mut overlay)
    });
    budget::settle_call(session, reservation, run.usage, run.calls);
    let mut report = run.report;
    match judged? {
        JudgedAnswer::NoChange(reason) => decided(&mut report, RequestVerdict::NoChange, &reason),
        JudgedAnswer::Rejected(reason) => decided(&mut report, RequestVerdict::Reject, &reason),
        JudgedAnswer::Edits(edits) => apply(session, request.text, edits, change_options, &mut report)?,
    }
    Ok(report)
}

fn check_request(text: &str) -> Result<(), Rejection> {
    if text.trim().is_empty() {
        return Err(Rejection::new(Code::Usage, "the request has no words").hint("say what to change"));
    }
    let chars = text.chars().count();
    if chars > MAX_REQUEST_CHARS {
        Err(Rejection::new(Code::TooLarge, format!("a request has at most {MAX_REQUEST_CHARS} characters"))
            .detail("characters", chars))
    } else {
        Ok(())
    }
}

fn decided(report: &mut ReflectReport, decision: RequestVerdict, reason: &str) {
    let found = report.request.take().and_then(|before| before.found);
    report.request = Some(RequestDecision { decision, reasoning: redact(reason), found });
}

/// The items that a search found.
struct SearchResult {
    found: Vec<usize>,
    shown: Vec<usize>,
    insert_path: Option<String>,
}

/// One run: the model calls of a request.
struct RequestRun<'a> {
    session: &'a Session,
    request: &'a str,
    options: &'a ReflectOptions<'a>,
    memory: &'a RequestMemory,
    usage: TokenUsage,
    calls: usize,
    report: ReflectReport,
}

impl<'a> RequestRun<'a> {
    /// Asks a model which items the request concerns; `None` without a search.
    fn search(
        &mut self,
        model: &OpenModel,
        candidates: &[usize],
        searches: bool,
    ) -> Result<Option<SearchResult>, Error> {
        if !searches {
            return Ok(None);
        }
        let model_request = ModelRequest {
            system: model.own_prompts.text(Prompt::Finder, finder_prompt()),
            messages: vec![ChatMessage::User(self.question(candidates))],
            answer: Some(AnswerSchema::new("locations", finder_schema())),
            max_tokens: MAX_REPLY_TOKENS,
            ..ModelRequest::default()
        };
        let mut costs = ReflectReport::default();
        let read = &mut |reply: &ModelReply| parse_finder(&reply.text, &reply.call_arguments());
        let deadline = Deadline::within(model.total_timeout);
        let (usage, answer) = ask(self.options, model, deadline, model_request, &mut costs, read);
        self.usage += usage;
        self.calls += costs.model.as_ref().map_or(0, |model| model.turns);
        self.report.finder = costs.model;
        self.report.warnings.extend(costs.warnings);
        let answer = answer?;
        let found = self.memory.resolve(&answer.locations, candidates);
        self.report.request = Some(RequestDecision { found: Some(found.len()), ..RequestDecision::default() });
        let insert_path = self.memory.known_list(answer.insert_path.as_deref()).map(str::to_owned);
        let mut shown = self.memory.neighbourhood(&found, insert_path.as_deref());
        if shown.is_empty() || self.memory.fits() {
            shown = candidates.to_vec();
        }
        Ok(Some(SearchResult { found, shown, insert_path }))
    }

    /// Asks a model for edits, and judges them.
    fn decide(
        &mut self,
        model: &OpenModel,
        shown: &[usize],
        search: Option<&SearchResult>,
        overlay: &mut ReflectOverlay<'a>,
    ) -> Result<JudgedAnswer, Error> {
        let rules = self.session.writing_rules();
        let mut question = self.question(shown);
        if let Some(search) = search {
            let path = |n: &usize| self.memory.items[*n].path.as_str();
            let found: Vec<&str> = search.found.iter().map(path).collect();
            let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
            question.push_str(&format!("\nA search found: {found}.\n"));
            if let Some(list) = &search.insert_path {
                question.push_str(&format!("A list for a new item: {list}.\n"));
            }
        }
        let model_request = ModelRequest {
            system: editor_prompt(model.own_prompts.get(Prompt::Editor), rules.max_chars),
            messages: vec![ChatMessage::User(question)],
            answer: Some(AnswerSchema::new("edits", editor_schema())),
            max_tokens: MAX_REPLY_TOKENS,
            ..ModelRequest::default()
        };
        let id = model.model.id();
        let judge = RefCell::new(EditJudge {
            session: self.session,
            memory: self.memory,
            overlay,
            found: search.map_or(&[], |search| &search.found),
            turns: request_turn(self.request),
            rules: &rules,
            source: format!("request:{}/{}", id.provider, id.model),
            answers: 0,
            given_up: Vec::new(),
            passed: Vec::new(),
            obstacle: None,
        });
        let read = &mut |reply: &ModelReply| judge.borrow_mut().read(reply);
        let deadline = Deadline::within(model.total_timeout);
        let (usage, answer) =
            ask_repeatedly(self.options, model, deadline, model_request, &mut self.report, MAX_CALLS, read);
        self.usage += usage;
        self.calls += self.report.model.as_ref().map_or(0, |model| model.turns);
        let judge = judge.into_inner();
        add_decisions(&mut self.report, judge.given_up);
        match judge.obstacle {
            Some(obstacle) => Err(obstacle.into()),
            None => answer,
        }
    }

    fn question(&self, shown: &[usize]) -> String {
        let items: Vec<&RequestItem> = shown.iter().map(|n| &self.memory.items[*n]).collect();
        build_question(self.request, &self.memory.files, &items)
    }
}

/// Makes the edits as one revision, and reports the decisions.
fn apply(
    session: &Session,
    request: &str,
    edits: JudgedEdits,
    change_options: &ChangeOptions,
    report: &mut ReflectReport,
) -> Result<(), Error> {
    let is_refused = edits.is_refused();
    add_decisions(report, edits.decisions);
    if is_refused {
        decided(report, RequestVerdict::Refused, "an edit does not pass the checks, so none is made");
        return Ok(());
    }
    if edits.operations.is_empty() {
        decided(report, RequestVerdict::NoChange, "the memory has this already");
        return Ok(());
    }
    decided(report, RequestVerdict::Proceed, &edits.reasoning);
    let batch = Batch {
        operations: edits.operations,
        reason: change_options.reason.clone().or_else(|| Some(format!("request: {}", redact(request.trim())))),
        ..Batch::default()
    };
    if let ChangeOutcome::Changed(done) = change(session, batch, change_options)? {
        report.add_change(done);
    }
    Ok(())
}

/// Adds decisions to the report, and counts them.
fn add_decisions(report: &mut ReflectReport, decisions: Vec<ReflectDecision>) {
    for decision in &decisions {
        let is = |verdict| usize::from(decision.verdict == verdict);
        report.counts += DecisionCounts {
            found: 1,
            kept: is(DecisionVerdict::Kept),
            known: is(DecisionVerdict::Known),
            refused: is(DecisionVerdict::Refused),
            ..DecisionCounts::default()
        };
        for reason in decision.reasons.iter().filter(|_| decision.verdict == DecisionVerdict::Refused) {
            *report.refused_by.entry(reason.name.clone()).or_default() += 1;
        }
    }
    report.decisions.extend(decisions);
}
