//! `reflect --insights`: asks a model what the newest entries, facts and a conversation show about the user, at most
//! once in 24 hours, and adds what passes the rules.
//!
//! Never holds the lock while the model runs, and changes nothing that exists.

use jiff::{SignedDuration, Timestamp};

use super::ReflectOptions;
use super::decision_text::{finding_reason, redact};
use super::single_answer::ask;
use crate::change::EntryOutcome;
use crate::code::{Code, Rejection, Warning};
use crate::commands::change::change;
use crate::commands::results::{
    ChangeOutcome, DecisionCounts, DecisionVerdict, ReflectDecision, ReflectReport, RefusalReason, WarningRow,
};
use crate::commands::{ChangeOptions, CommandResult, Error, Session, budget};
use crate::document::{Document, Handle, Visibility, VisibleParts};
use crate::host::user::Prompt;
use crate::llm::{AnswerSchema, ChatMessage, Deadline, ModelReply, ModelRequest};
use crate::operation::{Action, Batch, Operation, Target};
use crate::path::MemoryPath;
use crate::reflect::insights::{
    INSIGHT_FILE, Insight, InsightSources, MAX_ENTRIES, MAX_FACTS, MAX_INSIGHTS, MAX_REPLY_TOKENS, MAX_SNIPPET_CHARS,
    answer_schema, build_question, check_insight, parse_reply, system_prompt,
};
use crate::transcript::Role;

/// File name below `.memdir/`: when insights were made last.
const NOTE: &str = "insights";
/// The least time between two runs.
const INTERVAL: SignedDuration = SignedDuration::from_hours(24);
/// Estimated cost of a run, in tokens; reserved before the request.
const ESTIMATED_TOKENS: u64 = 3000;
/// Files of episodes that are looked at: the newest.
const EPISODE_FILES: usize = 3;
/// The part of an entry or fact that a model sees, in characters.
const MAX_ITEM_CHARS: usize = 400;

/// Adds insights. `conversation` may be empty.
///
/// # Errors
/// `invalid_transcript`; `no_model`; `model` and `model_refused`; errors of reading and committing.
pub fn make_insights(
    session: &Session,
    conversation: &[u8],
    options: &ReflectOptions<'_>,
    change_options: &ChangeOptions,
) -> CommandResult<ReflectReport> {
    let mut report = super::new_report(session, change_options)?;
    let now = session.now.timestamp();
    let last = session.store.read_note(NOTE).and_then(|text| text.trim().parse::<Timestamp>().ok());
    // One that lies in the future was written by a clock that was wrong.
    if let Some(last) = last.filter(|last| *last <= now && now.duration_since(*last) < INTERVAL) {
        report.deferred = Some(format!("insights are made at most once in 24 hours; the last are from {last:.0}"));
        return Ok(report);
    }
    let mut reader = SourceReader::new(session);
    let dialogue = dialogue(session, conversation)?;
    let sources = InsightSources {
        entries: newest_entries(session, &mut reader)?,
        facts: newest_facts(session, &mut reader)?,
        snippet: dialogue_end(&dialogue),
        said_by_user: dialogue.into_iter().filter(|(role, _)| *role == Role::User).map(|(_, text)| text).collect(),
    };
    if reader.left_out {
        let message = "what an allowlist hides from some agents was left out: all of them see insights";
        report.warnings.push(WarningRow::from(&Warning::new(Code::Note, message)));
    }
    if sources.is_empty() {
        report.deferred = Some("there is nothing to look at yet: no entry, no fact and no conversation".into());
        return Ok(report);
    }
    let opened = (options.open_model)()?;
    let Some(reservation) = budget::reserve(session, NOTE, ESTIMATED_TOKENS)? else {
        let reason = budget::shortfall(session, ESTIMATED_TOKENS);
        report.deferred = Some(reason.unwrap_or_else(|| "today's token budget is not enough".into()));
        return Ok(report);
    };
    let deadline = Deadline::within(opened.total_timeout);
    let request = ModelRequest {
        system: opened.own_prompts.text(Prompt::Insights, system_prompt()),
        messages: vec![ChatMessage::User(build_question(&sources))],
        answer: Some(AnswerSchema::new("insights", answer_schema())),
        max_tokens: MAX_REPLY_TOKENS,
        temperature: Some(0.0),
        ..ModelRequest::default()
    };
    let read = &mut |reply: &ModelReply| parse_reply(&reply.text, &reply.call_arguments());
    let (usage, asked) = ask(options, &opened, deadline, request, &mut report, read);
    let requests = report.model.as_ref().map_or(0, |model| model.turns);
    budget::settle_call(session, reservation, usage, requests);
    let proposed = asked?;
    let kept = decide(session, &sources, proposed, &mut report)?;
    let added = add(session, kept, change_options, &mut report);
    if added.is_ok() && !change_options.dry_run {
        // Without the note the next run is too early, and nothing else is lost.
        drop(session.store.write_note_unlocked(NOTE, &now.to_string()));
    }
    added.map(|()| report)
}

/// What passes the rules, with the decision about each in the report.
fn decide(
    session: &Session,
    sources: &InsightSources,
    proposed: Vec<Insight>,
    report: &mut ReflectReport,
) -> Result<Vec<Insight>, Rejection> {
    let rules = session.writing_rules();
    let mut known = known_insights(session)?;
    let mut kept: Vec<Insight> = Vec::new();
    for insight in proposed {
        let findings = check_insight(&insight, sources, &rules, known.iter().map(String::as_str));
        let text = insight.bullet_text();
        let mut decision = ReflectDecision { op: "add".into(), text, ..ReflectDecision::default() };
        // What needs a person's decision is left out, too: an insight is a guess.
        let against = [findings.refuse, findings.review].concat();
        if kept.len() == MAX_INSIGHTS {
            decision.verdict = DecisionVerdict::Refused;
            let what = format!("at most {MAX_INSIGHTS} insights");
            decision.reasons = vec![RefusalReason { name: "limit".into(), what }];
        } else if !against.is_empty() {
            decision.verdict = DecisionVerdict::Refused;
            decision.reasons = against.iter().map(finding_reason).collect();
        } else if !findings.known.is_empty() {
            decision.verdict = DecisionVerdict::Known;
            decision.reasons = findings.known.iter().map(finding_reason).collect();
        } else {
            decision.verdict = DecisionVerdict::Kept;
            known.push(insight.summary.clone());
            kept.push(insight);
        }
        report.counts += DecisionCounts {
            found: 1,
            kept: usize::from(decision.verdict == DecisionVerdict::Kept),
            known: usize::from(decision.verdict == DecisionVerdict::Known),
            refused: usize::from(decision.verdict == DecisionVerdict::Refused),
            ..DecisionCounts::default()
        };
        for reason in decision.reasons.iter().filter(|_| decision.verdict == DecisionVerdict::Refused) {
            *report.refused_by.entry(reason.name.clone()).or_default() += 1;
        }
        report.decisions.push(decision);
    }
    Ok(kept)
}

/// Adds the insights as one revision.
fn add(
    session: &Session,
    kept: Vec<Insight>,
    change_options: &ChangeOptions,
    report: &mut ReflectReport,
) -> Result<(), Error> {
    if kept.is_empty() {
        return Ok(());
    }
    let model = report.model.as_ref().map(|model| format!("insights:{}/{}", model.provider, model.model));
    let operations = kept.iter().map(|insight| Operation {
        source: change_options.source.clone().or_else(|| model.clone()),
        ..Action::Add {
            at: Target::Address(INSIGHT_FILE.into()),
            text: insight.bullet_text(),
            children: Vec::new(),
            meta: vec![("imp".into(), insight.importance.to_string()), ("type".into(), "insight".into())],
            create: true,
        }
        .into()
    });
    let batch = Batch {
        operations: operations.collect(),
        reason: change_options.reason.clone().or_else(|| Some("insights".into())),
        ..Batch::default()
    };
    if let ChangeOutcome::Changed(done) = change(session, batch, change_options)? {
        report.add_change(done);
    }
    Ok(())
}

/// The insights that there are, without category and tags.
fn known_insights(session: &Session) -> Result<Vec<String>, Rejection> {
    let Some(document) = read_document(session, &MemoryPath::new(INSIGHT_FILE)?)? else { return Ok(Vec::new()) };
    let plain = |text: &str| {
        let text = text.split_once("] ").filter(|_| text.starts_with('[')).map_or(text, |(_, rest)| rest);
        text.split(" #").next().unwrap_or(text).to_owned()
    };
    Ok((0..document.bullets().len()).map(|at| plain(&document.bullet_text(at))).collect())
}

/// The newest entries of episodes, newest first.
fn newest_entries(session: &Session, reader: &mut SourceReader<'_>) -> Result<Vec<String>, Rejection> {
    let mut files: Vec<MemoryPath> = session.store.walk(None)?.into_iter().map(|found| found.path).collect();
    files.retain(MemoryPath::holds_episodes);
    files.sort_by(|a, b| b.stem().cmp(a.stem()));
    let mut entries = Vec::new();
    for path in files.iter().take(EPISODE_FILES) {
        let Some(document) = reader.read(path)? else { continue };
        for section in document.sections().iter().rev().filter(|section| section.level == 2) {
            let text = &document.text()[section.heading.start as usize..section.end as usize];
            entries.push(shortened(text.trim_start_matches('#').trim()));
        }
        if entries.len() >= MAX_ENTRIES {
            break;
        }
    }
    entries.truncate(MAX_ENTRIES);
    Ok(entries)
}

/// The facts that were written last, as far as they still stand.
fn newest_facts(session: &Session, reader: &mut SourceReader<'_>) -> Result<Vec<String>, Rejection> {
    let mut facts: Vec<String> = Vec::new();
    let entries = session.store.recent_entries()?;
    for entry in entries.iter().rev().filter(|entry| entry.outcome == EntryOutcome::Done) {
        let paths = entry.files.iter().map(|file| &file.path);
        let paths: Vec<&MemoryPath> =
            paths.filter(|path| path.as_str().starts_with("facts/") && path.as_str() != INSIGHT_FILE).collect();
        for text in entry.operations.iter().rev().filter_map(|operation| operation.get("text")?.as_str()) {
            let mut stands = false;
            for path in &paths {
                let document = reader.read(path)?;
                stands |= document.is_some_and(|document| document.handles().contains(&Handle::of(text)));
            }
            if stands && !facts.iter().any(|known| *known == shortened(text)) {
                facts.push(shortened(text));
            }
            if facts.len() == MAX_FACTS {
                return Ok(facts);
            }
        }
    }
    Ok(facts)
}

fn read_document(session: &Session, path: &MemoryPath) -> Result<Option<Document>, Rejection> {
    let version = session.store.read(path)?;
    Ok(version.and_then(|version| Document::from_bytes(version.bytes.to_vec()).ok()))
}

/// Reads files as the agent with the least rights sees them.
struct SourceReader<'a> {
    session: &'a Session,
    everyone: Option<Visibility>,
    /// Whether a part of a file was left out.
    left_out: bool,
}

impl SourceReader<'_> {
    fn new(session: &Session) -> SourceReader<'_> {
        SourceReader { session, everyone: Visibility::for_everyone(&session.policy.policy), left_out: false }
    }

    fn read(&mut self, path: &MemoryPath) -> Result<Option<Document>, Rejection> {
        let document = read_document(self.session, path)?;
        let (Some(document), Some(everyone)) = (&document, &self.everyone) else { return Ok(document) };
        self.left_out |= everyone.visible_parts(document, path) != VisibleParts::All;
        Ok(everyone.visible_text(document, path).map(Document::parse))
    }
}

/// The beginning of a text, without keys and passwords: the rest of one that was cut would not be recognised.
fn shortened(text: &str) -> String {
    redact(text).chars().take(MAX_ITEM_CHARS).collect()
}

/// What the user and the assistant say in a conversation, without what hosts and tools put into it.
fn dialogue(session: &Session, conversation: &[u8]) -> Result<Vec<(Role, String)>, Error> {
    if conversation.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let conversations = super::conversations::parse_conversations(session, conversation)?;
    let turns = conversations.into_iter().flat_map(|conversation| conversation.turns);
    let said = turns.filter(|turn| !turn.injected && matches!(turn.role, Role::User | Role::Assistant));
    Ok(said.map(|turn| (turn.role, turn.text.trim().to_owned())).collect())
}

/// The end of a dialogue, without keys and passwords.
fn dialogue_end(dialogue: &[(Role, String)]) -> String {
    let lines: Vec<String> = dialogue.iter().map(|(role, text)| format!("{}: {}", role.name(), redact(text))).collect();
    let text = lines.join("\n");
    let from = text.chars().count().saturating_sub(MAX_SNIPPET_CHARS);
    text.chars().skip(from).collect()
}
