//! `reflect`: a conversation becomes memory. The model proposes, code decides, each piece is one commit.
//!
//! Holds no lock while a model thinks, and writes nothing of a piece before the whole piece is decided.
//!
//! [`desk`] is the memory as the model works on it; [`chunk`] reads one piece; [`keep`] commits it; [`mark`] remembers
//! how far a conversation was read; [`queued`] is work that waits for another day.

pub mod chunk;
mod cost;
mod desk;
mod keep;
mod mark;
mod queued;
mod words;

use super::answer::{Answer, Asked, Conversation as Row, Counts, Decision, Reason, Reflected};
use super::budget::{self, Spent};
use super::change::told;
use super::model::{Opened, rejected};
use super::{Failure, How, Session, Verdict, inbox};
use crate::code::{Code, Rejection, Warning};
use crate::host::models::Tools;
use crate::llm::Deadline;
use crate::path::{Address, MemoryPath};
use crate::reflect::chunks::{chunks, shown};
use crate::reflect::guards::Rules;
use crate::reflect::prompt::{REFLECT, Way};
use crate::transcript::{self, Conversation, Turn};
use crate::view::query::answer::tokens;
use chunk::{Came, Caps, Reading, first_request, read_chunk};
use desk::Desk;
use keep::{Kept, Origin};

pub use queued::drain;

/// Most of a conversation in one piece, in tokens.
const PIECE: usize = 6000;

/// What `reflect` is asked for.
pub struct Ask<'a> {
    /// With tools, as one object; none: as the model's configuration says, else whichever the host can.
    pub way: Option<Way>,
    /// Everything waits for a person.
    pub propose: bool,
    /// Everything goes into this file.
    pub into: Option<String>,
    /// Tokens a day; none: as many as it takes.
    pub budget: Option<u64>,
    /// The user's own instructions.
    pub instructions: Option<String>,
    /// Opens the model; asked once, and only if there is something to read.
    pub open: &'a dyn Fn() -> Result<Opened, Rejection>,
    /// What is told on a terminal.
    pub progress: &'a dyn Fn(&str),
}

/// Whether to go on after a piece.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    Stop,
}

/// Reads conversations and keeps what is worth it.
///
/// # Errors
/// `invalid_transcript`; `no_model`; `model` and `model_refused` where nothing was read before; what committing
/// refuses. What ends later is told in the answer as `partial`.
pub fn reflect(session: &Session, bytes: &[u8], ask: &Ask<'_>, how: &How) -> Verdict {
    let mut run = Run::new(session, ask, how)?;
    if let Err(failure) = run.read(bytes) {
        stopped(&mut run.answer, failure)?;
    }
    run.sweep();
    Ok(Answer::Reflected(run.answer))
}

/// What would be asked first, without asking: the instructions, then the question.
///
/// # Errors
/// `invalid_transcript`, `io`.
pub fn show_prompt(session: &Session, bytes: &[u8], ask: &Ask<'_>) -> Result<String, Failure> {
    let how = How { dry_run: true, ..How::default() };
    let run = Run::new(session, ask, &how)?;
    let all = conversations(bytes)?;
    let first = all.iter().find_map(|c| Some((c, chunks(&c.turns, 0, PIECE).into_iter().next()?)));
    let Some((conversation, range)) = first else {
        return Ok("nothing of this conversation would be sent\n".into());
    };
    let today = session.now.date().to_string();
    let nobody = crate::llm::replay::Replay::new([]);
    let reading = run.reading(&nobody, Deadline::within(std::time::Duration::ZERO), &conversation.turns, &today);
    let request = first_request(&mut Desk::open(session)?, &reading, range);
    let question = request.messages.iter().map(|m| match m {
        crate::llm::Message::User(text) => text.as_str(),
        _ => "",
    });
    Ok(format!("{}\n\n{}", request.system, question.collect::<String>()))
}

fn conversations(bytes: &[u8]) -> Result<Vec<Conversation>, Rejection> {
    transcript::read(bytes).map_err(|why| {
        Rejection::new(Code::InvalidTranscript, format!("this is no conversation: {why}")).hint(
            "known are transcripts of Claude Code, Codex, Gemini CLI, OpenAI messages, ChatGPT exports, markdown with \
             speakers, and plain text",
        )
    })
}

/// One run of `reflect`: the model, once it is opened, and the answer as it grows.
struct Run<'a> {
    session: &'a Session,
    ask: &'a Ask<'a>,
    how: &'a How,
    into: Option<MemoryPath>,
    rules: Rules,
    opened: Option<(Opened, Deadline)>,
    /// The conversation comes from the queue: it waits there already.
    queued: bool,
    answer: Reflected,
}

impl<'a> Run<'a> {
    fn new(session: &'a Session, ask: &'a Ask<'a>, how: &'a How) -> Result<Run<'a>, Failure> {
        if !how.dry_run {
            session.may_write()?;
        }
        let policy = &session.policy.policy;
        let rules = Rules { max_chars: policy.max_chars, sensitive: policy.sensitive.clone() };
        let into = ask.into.as_deref().map(|file| named(session, file)).transpose()?;
        let answer = Reflected { dry_run: how.dry_run, ..Reflected::default() };
        Ok(Run { session, ask, how, into, rules, opened: None, queued: false, answer })
    }

    fn read(&mut self, bytes: &[u8]) -> Result<Next, Failure> {
        for conversation in conversations(bytes)? {
            if self.conversation(&conversation, bytes)? == Next::Stop {
                return Ok(Next::Stop);
            }
        }
        Ok(Next::Go)
    }

    fn conversation(&mut self, conversation: &Conversation, bytes: &[u8]) -> Result<Next, Failure> {
        let turns = &conversation.turns;
        let id = mark::id(conversation);
        let from = mark::seen(&self.session.store, &id, turns);
        let pieces = chunks(turns, from, PIECE);
        self.answer.conversations.push(Row {
            id: id.clone(),
            kind: conversation.kind.name(),
            turns: turns.len(),
            seen: from,
            skipped: conversation.skipped,
            chunks: 0,
            of: pieces.len(),
        });
        for range in pieces {
            if self.piece(&id, turns, range, bytes)? == Next::Stop {
                return Ok(Next::Stop);
            }
            if let Some(row) = self.answer.conversations.last_mut() {
                row.chunks += 1;
            }
        }
        Ok(Next::Go)
    }

    /// One piece, from the question to the commit.
    fn piece(
        &mut self,
        id: &str,
        turns: &[Turn],
        range: std::ops::Range<usize>,
        bytes: &[u8],
    ) -> Result<Next, Failure> {
        let (session, how) = (self.session, self.how);
        let (first, last) = (turns[range.start].number, turns[range.end - 1].number);
        let request = format!("reflect:{id}:{first}-{last}:{}", mark::hash(&turns[range.clone()]));
        if keep::is_done(session, &request)? {
            self.mark(id, &turns[..range.end])?;
            return Ok(Next::Go);
        }
        if self.opened.is_none() {
            let opened = (self.ask.open)()?;
            self.answer.warnings.extend(opened.warnings.iter().map(told));
            let deadline = Deadline::within(opened.overall);
            self.opened = Some((opened, deadline));
        }
        let mut desk = Desk::open(session)?;
        let size = tokens(&shown(&turns[range.clone()], &|t| t.to_owned())) + 6000;
        let Some(hold) = budget::hold(session, self.ask.budget, &request, size as u64)? else {
            self.defer(bytes)?;
            return Ok(Next::Stop);
        };
        let Some((opened, deadline)) = &self.opened else { return Ok(Next::Stop) };
        let today = session.now.date().to_string();
        let reading = self.reading(&*opened.model, *deadline, turns, &today);
        let came = read_chunk(&mut desk, &reading, range.clone());
        let who = opened.model.who().clone();
        let origin = Origin { who: &who, conversation: id, request, usage: came.usage };
        // What a model said before it fell silent is no whole piece: it is said again when the piece is.
        let accepted = if came.trouble.is_some() { &[][..] } else { &came.accepted[..] };
        // Whoever asks again on the disk for a proposal must not find one that is about to go.
        if accepted.iter().any(|a| a.waits.is_some()) {
            self.sweep();
        }
        let bare = session.bare();
        let kept = match how.dry_run {
            true => {
                // Nothing is written of the memory; what was spent is spent.
                if self.ask.budget.is_some() {
                    let (locked, _) = bare.store.lock()?;
                    budget::settle(session, &locked, hold, came.spent, came.asked, (0, 0));
                }
                keep::would(session, accepted, &origin)
            }
            false => {
                let (locked, warnings) = bare.store.lock()?;
                self.answer.warnings.extend(warnings.iter().map(told));
                budget::settle(session, &locked, hold, came.spent, came.asked, came.first);
                let kept = keep::keep(session, &locked, accepted, &origin, how);
                if kept.is_ok() && came.trouble.is_none() {
                    mark::keep(&locked, id, &turns[..range.end]);
                }
                kept
            }
        }?;
        self.told(who, came, kept)
    }

    fn reading<'r>(
        &'r self,
        model: &'r dyn crate::llm::Model,
        deadline: Deadline,
        turns: &'r [Turn],
        today: &'r str,
    ) -> Reading<'r> {
        let configured = self.opened.as_ref().and_then(|(opened, _)| match opened.tools {
            Tools::Auto => None,
            Tools::On => Some(Way::Tools),
            Tools::Off => Some(Way::Object),
        });
        Reading {
            model,
            deadline,
            way: self.ask.way.or(configured),
            instructions: self.ask.instructions.as_deref().unwrap_or(REFLECT),
            turns,
            into: self.into.as_ref(),
            prefixes: &self.session.prefixes,
            rules: &self.rules,
            today,
            propose: self.ask.propose,
            caps: Caps::default(),
            progress: self.ask.progress,
        }
    }

    fn mark(&self, id: &str, turns: &[Turn]) -> Result<(), Failure> {
        if !self.how.dry_run {
            let bare = self.session.bare();
            let (locked, _) = bare.store.lock()?;
            mark::keep(&locked, id, turns);
        }
        Ok(())
    }

    /// Puts a piece's outcome into the answer.
    fn told(&mut self, who: crate::llm::Who, came: Came, kept: Kept) -> Result<Next, Failure> {
        let asked = self.answer.model.get_or_insert_with(|| Asked {
            provider: who.provider,
            model: who.model,
            ..Asked::default()
        });
        asked.turns += came.asked;
        asked.input_tokens = asked.input_tokens.saturating_add(came.usage.input);
        asked.output_tokens = asked.output_tokens.saturating_add(came.usage.output);
        if let Some(trouble) = came.trouble {
            stopped(&mut self.answer, rejected(trouble).into())?;
            return Ok(Next::Stop);
        }
        let mut decisions = came.decisions;
        for (at, id) in kept.proposals {
            decisions[at].proposal = Some(id);
        }
        for (at, why) in kept.dropped {
            decisions[at].verdict = "refused";
            decisions[at].reasons = vec![words::coded(&why)];
        }
        // Another process read the same piece and was first: what stands is its work.
        for decision in decisions.iter_mut().filter(|d| kept.elsewhere && ["kept", "proposed"].contains(&d.verdict)) {
            decision.verdict = "known";
        }
        self.count(&decisions);
        self.answer.decisions.extend(decisions);
        if let Some(change) = kept.change {
            self.answer.changed |= change.changed;
            self.answer.revs.extend(change.rev);
            self.answer.files.extend(change.files);
            self.answer.warnings.extend(change.warnings);
        }
        if let Some(cap) = came.capped {
            let message = format!("a piece of the conversation ended at its limit of {cap}; what was accepted stands");
            self.answer.warnings.push(told(&Warning::new(Code::Note, message)));
        }
        Ok(Next::Go)
    }

    fn count(&mut self, decisions: &[Decision]) {
        let of = |verdict: &str| decisions.iter().filter(|d| d.verdict == verdict).count();
        self.answer.counts += Counts {
            found: decisions.len(),
            kept: of("kept"),
            known: of("known"),
            proposed: of("proposed"),
            refused: of("refused"),
        };
    }

    /// The day's budget is spent: the conversation waits, with what was asked of it.
    fn defer(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let day = self.session.now.date().to_string();
        let spent = Spent::of(&self.session.store).taken(&day);
        let budget = self.ask.budget.unwrap_or_default();
        let waits = match (self.how.dry_run, self.queued) {
            (true, _) => "it would wait in the queue",
            (_, true) => "it goes on waiting in the queue",
            _ => {
                queued::put(self.session, bytes, self.ask, self.how)?;
                "it waits in the queue; memdir reflect --queued goes on with it"
            }
        };
        self.answer.deferred = Some(format!(
            "{spent} of today's {budget} tokens are spent, and the rest is too little for the next piece: {waits}"
        ));
        Ok(())
    }

    /// Proposals that nobody decided in time go, as a change of their own.
    fn sweep(&mut self) {
        if self.how.dry_run {
            return;
        }
        // The conversation is read, whatever becomes of this; the next command tries again.
        if let Ok(Some(change)) = inbox::sweep(self.session) {
            self.answer.changed |= change.changed;
            self.answer.revs.extend(change.rev);
        }
    }
}

/// What stopped a run: an error where nothing was read before, else told beside what stands.
fn stopped(answer: &mut Reflected, failure: Failure) -> Result<(), Failure> {
    if answer.conversations.iter().all(|c| c.chunks == 0) {
        return Err(failure);
    }
    let first = desk::first(failure);
    answer.partial = Some(format!("{}: {}", first.code.name(), first.message));
    Ok(())
}

/// The file of `--into`.
fn named(session: &Session, file: &str) -> Result<MemoryPath, Rejection> {
    let Address::In(readings) = Address::parse(file, &session.prefixes)? else {
        return Err(Rejection::new(Code::Usage, "--into names a file"));
    };
    let whole = readings.into_iter().find(|r| r.section.is_none() && r.bullet.is_none());
    let files = whole.map(|r| r.files).unwrap_or_default();
    let there = files.iter().find(|path| session.store.read(path).is_ok_and(|found| found.is_some())).cloned();
    there.or_else(|| files.into_iter().next_back()).ok_or_else(|| Rejection::new(Code::Usage, "--into names a file"))
}

/// A reason in words.
pub fn spelled(reason: &Reason) -> String {
    match reason.what.is_empty() {
        true => reason.name.clone(),
        false => format!("{}: {}", reason.name, reason.what),
    }
}
