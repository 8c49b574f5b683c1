//! One piece of a conversation: the model is asked, its wishes are judged and planned over what was accepted before.
//!
//! Writes nothing and holds no lock; what was accepted is carried out by `keep`.

use serde_json::{Value, json};

use super::desk::Desk;
use super::words::{clean, coded, effects_told, held, reason, refusal, refused, said};
use crate::code::Code;
use crate::commands::answer::Decision;
use crate::llm::{Call, Deadline, Message, Model, Outcome, Reply, Request, Schema, Stop, Tool, Trouble, Usage, What};
use crate::operation::{Action, Operation, read};
use crate::path::{MemoryPath, Prefixes};
use crate::reflect::guards::{self, Flaw, Found, Kind, Proof, Rules};
use crate::reflect::judge::{Ground, Route, route, told};
use crate::reflect::outcome::{self, settle};
use crate::reflect::prompt::{self, Terms, Way};
use crate::reflect::wish::{self, Wish, wish};
use crate::reflect::{chunks, offer};
use crate::transcript::Turn;
use crate::view::diff::unified;

/// Bounds of one piece.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// How often the model is asked.
    pub turns: usize,
    /// How many operations are accepted.
    pub writes: usize,
    /// How many from one turn of the conversation.
    pub per_turn: usize,
    /// How many tokens are spent, questions and replies.
    pub tokens: u64,
    /// The longest reply, in tokens.
    pub reply: u32,
}

impl Default for Caps {
    fn default() -> Caps {
        Caps { turns: 8, writes: 12, per_turn: 3, tokens: 100_000, reply: 4096 }
    }
}

/// What a piece is read with.
pub struct Reading<'a> {
    /// Who is asked.
    pub model: &'a dyn Model,
    /// Until when.
    pub deadline: Deadline,
    /// With tools, as one object, or whichever the host can.
    pub way: Option<Way>,
    /// The instructions.
    pub instructions: &'a str,
    /// The whole conversation, as it was said.
    pub turns: &'a [Turn],
    /// Everything goes there.
    pub into: Option<&'a MemoryPath>,
    /// How addresses may begin.
    pub prefixes: &'a Prefixes,
    /// What the policy says of texts.
    pub rules: &'a Rules,
    /// Today, `YYYY-MM-DD`.
    pub today: &'a str,
    /// Everything waits for a person.
    pub propose: bool,
    /// Bounds.
    pub caps: Caps,
    /// What is told on a terminal.
    pub progress: &'a dyn Fn(&str),
}

/// An operation that may be carried out, and what vouches for it.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The operation.
    pub operation: Operation,
    /// Who said it.
    pub proof: Proof,
    /// In which words.
    pub quote: String,
    /// Why it waits for a person, and what it would change; none: it is carried out.
    pub waits: Option<(String, String)>,
    /// How many of the writes that a piece may have it is.
    pub writes: usize,
    /// Its place among the decisions.
    pub decision: usize,
}

/// What came of a piece.
#[derive(Debug, Default)]
pub struct Came {
    /// What the model asked for.
    pub decisions: Vec<Decision>,
    /// What of it may be carried out.
    pub accepted: Vec<Accepted>,
    /// How often the model was asked.
    pub asked: usize,
    /// What it cost, as its host says.
    pub usage: Usage,
    /// The same, reckoned where its host does not say: what caps and budgets go by.
    pub spent: Usage,
    /// Why it did not end by itself, if so.
    pub trouble: Option<Trouble>,
    /// Which cap ended it, if one did.
    pub capped: Option<&'static str>,
    /// How many texts were judged by the writing rules when they first came, and how many passed.
    pub first: (u64, u64),
}

/// Reads one piece: the turns from `range`.
pub fn read_chunk(desk: &mut Desk<'_>, reading: &Reading<'_>, range: std::ops::Range<usize>) -> Came {
    let question = question(desk, reading, range);
    let mut talk = Talk { desk, reading, came: Came::default(), question, corrects: false };
    match reading.way {
        Some(Way::Object) => talk.object(),
        Some(Way::Tools) => talk.tools(),
        None => {
            talk.tools();
            if talk.came.asked <= 1 && talk.came.trouble.as_ref().is_some_and(|t| t.what == What::NoTools) {
                // A host without tools has not really been asked.
                (talk.came.trouble, talk.came.asked) = (None, 0);
                talk.object();
            }
        }
    }
    talk.came
}

/// The first question about a piece, as it would be sent.
pub fn first_request(desk: &mut Desk<'_>, reading: &Reading<'_>, range: std::ops::Range<usize>) -> Request {
    let question = question(desk, reading, range);
    let talk = Talk { desk, reading, came: Came::default(), question, corrects: false };
    let way = reading.way.unwrap_or(Way::Tools);
    let messages = vec![Message::User(talk.question.clone())];
    match way {
        Way::Tools => Request { tools: tools(), ..talk.request(way, messages) },
        Way::Object => Request { answer: Some(schema()), ..talk.request(way, messages) },
    }
}

/// What is asked about a piece, without secrets.
fn question(desk: &mut Desk<'_>, reading: &Reading<'_>, range: std::ops::Range<usize>) -> String {
    let conversation = chunks::shown(&reading.turns[range], &clean);
    let mut known = desk.shown(&conversation);
    known.facts = clean(&known.facts);
    known.episodes = clean(&known.episodes);
    prompt::question(&known, &conversation)
}

fn tools() -> Vec<Tool> {
    let tool = |(name, about, parameters): offer::Tool| Tool { name: name.into(), about: about.into(), parameters };
    offer::tools().into_iter().map(tool).collect()
}

fn schema() -> Schema {
    Schema { name: "operations".into(), schema: offer::answer() }
}

struct Talk<'d, 's, 'r> {
    desk: &'d mut Desk<'s>,
    reading: &'r Reading<'r>,
    came: Came,
    question: String,
    /// The model was just told what was wrong: what it says now is a correction.
    corrects: bool,
}

impl Talk<'_, '_, '_> {
    fn request(&self, way: Way, messages: Vec<Message>) -> Request {
        let terms = Terms {
            max_chars: self.reading.rules.max_chars,
            into: self.reading.into.map(MemoryPath::as_str),
            today: self.reading.today,
            way,
        };
        let system = prompt::instructions(self.reading.instructions, &terms);
        Request { system, messages, most_tokens: self.reading.caps.reply, ..Request::default() }
    }

    /// Asks; `None` when it came to an end.
    fn ask(&mut self, request: &Request) -> Option<Reply> {
        let caps = self.reading.caps;
        let spent = self.came.spent.sum();
        if self.came.asked >= caps.turns {
            self.came.capped = Some("turns");
            return None;
        }
        if spent >= caps.tokens {
            self.came.capped = Some("tokens");
            return None;
        }
        let who = self.reading.model.who();
        let n = self.came.asked + 1;
        (self.reading.progress)(&format!("asking {} {}, turn {n}, {spent} tokens so far", who.provider, who.model));
        self.came.asked += 1;
        match self.reading.model.ask(request, self.reading.deadline) {
            Ok(reply) => {
                self.came.usage += reply.usage;
                self.came.spent += super::cost::of(request, &reply);
                if reply.stop == Stop::Refused {
                    self.came.trouble = Some(Trouble::new(What::Rejected, "the model would not answer"));
                    return None;
                }
                Some(reply)
            }
            Err(trouble) => {
                self.came.usage += trouble.usage;
                self.came.spent += trouble.usage;
                self.came.trouble = Some(trouble);
                None
            }
        }
    }

    /// The model calls tools until it has nothing more to say.
    fn tools(&mut self) {
        let mut messages = vec![Message::User(self.question.clone())];
        let mut cut = false;
        loop {
            let request = Request { tools: tools(), ..self.request(Way::Tools, messages.clone()) };
            let Some(reply) = self.ask(&request) else { return };
            if reply.stop == Stop::Truncated {
                // A second cut-off answer would be no better.
                if std::mem::replace(&mut cut, true) {
                    self.came.trouble = Some(Trouble::new(What::Malformed, "the model's answers are cut off"));
                    return;
                }
                messages
                    .push(Message::User("Your answer was cut off; nothing of it was done. Do less at once.".into()));
                continue;
            }
            if reply.calls.is_empty() {
                // Small models write down what they should have called.
                for value in wish::reply(&reply.text).unwrap_or_default() {
                    drop(self.decide(&value));
                }
                return;
            }
            let outcomes: Vec<Outcome> = reply.calls.iter().map(|call| self.called(call)).collect();
            self.corrects = outcomes.iter().any(|o| o.failed);
            messages.push(Message::Assistant { text: reply.text, calls: reply.calls });
            messages.push(Message::Results(outcomes));
        }
    }

    fn called(&mut self, call: &Call) -> Outcome {
        let (text, failed) = match offer::WRITES.contains(&call.name.as_str()) {
            true => match &call.arguments {
                Value::Object(arguments) => {
                    let mut value = arguments.clone();
                    value.insert("op".into(), json!(call.name));
                    match self.decide(&Value::Object(value)) {
                        Ok(done) => (done, false),
                        Err(why) => (why, true),
                    }
                }
                _ => ("the arguments are no JSON object".to_owned(), true),
            },
            false => match self.desk.look(&call.name, &call.arguments) {
                Ok(text) => (clean(&chunks::framed(&text)), false),
                Err(why) => (refusal(&why), true),
            },
        };
        Outcome { id: call.id.clone(), name: call.name.clone(), text, failed }
    }

    /// The model answers with one object; what is refused it may say better.
    fn object(&mut self) {
        let mut messages = vec![Message::User(self.question.clone())];
        let mut nonsense = false;
        // One answer, and two corrections: who still errs then is guessing.
        for _ in 0..3 {
            let request = Request { answer: Some(schema()), ..self.request(Way::Object, messages.clone()) };
            let Some(reply) = self.ask(&request) else { return };
            let values = match (reply.stop == Stop::Truncated, wish::reply(&reply.text)) {
                (false, Ok(values)) => values,
                (truncated, _) => {
                    if std::mem::replace(&mut nonsense, true) {
                        self.came.trouble =
                            Some(Trouble::new(What::Malformed, "the model's answer holds no JSON object"));
                        return;
                    }
                    let why = if truncated { "was cut off; say less" } else { "holds no JSON object" };
                    messages.push(Message::Assistant { text: reply.text, calls: Vec::new() });
                    messages.push(Message::User(format!(
                        "Your answer {why}. Answer with one JSON object: {{\"operations\": [...]}}."
                    )));
                    continue;
                }
            };
            let mut refused = Vec::new();
            for (n, value) in values.iter().enumerate() {
                if let Err(why) = self.decide(value) {
                    refused.push((n, why));
                }
            }
            if refused.is_empty() {
                return;
            }
            self.corrects = true;
            messages.push(Message::Assistant { text: reply.text, calls: Vec::new() });
            messages.push(Message::User(prompt::refusals(&refused)));
        }
    }

    /// Decides on one wish; answers what was done, or why not, in words for the model.
    fn decide(&mut self, value: &Value) -> Result<String, String> {
        let number = self.came.decisions.len();
        let wish = match wish(value) {
            Ok(wish) => wish,
            Err(why) => {
                // A text that is no line says by itself what is wrong with it.
                let found = match why.code == Code::Multiline {
                    true => guards::writing(&said(value, "text"), Kind::Fact, self.reading.rules),
                    false => Vec::new(),
                };
                let (reasons, told) = match found.is_empty() {
                    true => (vec![coded(&why)], refusal(&why)),
                    false => (found.iter().map(reason).collect(), told(&found)),
                };
                let (op, text) = (said(value, "op"), said(value, "text"));
                self.came.decisions.push(Decision { verdict: "refused", op, text, reasons, ..Decision::default() });
                return Err(told);
            }
        };
        let printed = read::print(&wish.operation);
        let mut decision = Decision {
            op: said(&printed, "op"),
            at: Some(said(&printed, "at")).filter(|at| !at.is_empty()),
            text: [said(&printed, "title"), said(&printed, "text")]
                .into_iter()
                .find(|t| !t.is_empty())
                .unwrap_or_default(),
            quote: wish.quote.as_deref().map(clean),
            turn: wish.turn,
            ..Decision::default()
        };
        // Who is told what was wrong with one often says all of them again: that is no news.
        if self.came.accepted.iter().any(|a| a.operation == wish.operation) {
            return Ok("that was accepted already".into());
        }
        let came = self.judged(&wish, &mut decision, number);
        let same = |d: &Decision| (&d.op, &d.at, &d.text) == (&decision.op, &decision.at, &decision.text);
        // What was accepted is known by the number of its decision.
        let accepted = self.came.accepted.last().is_some_and(|a| a.decision == number);
        if accepted || !self.came.decisions.iter().any(|d| same(d) && d.verdict == decision.verdict) {
            self.came.decisions.push(decision);
        }
        came
    }

    fn judged(&mut self, wish: &Wish, decision: &mut Decision, number: usize) -> Result<String, String> {
        let reading = self.reading;
        let known = self.desk.known();
        let (turns, rules, into, prefixes) = (reading.turns, reading.rules, reading.into, reading.prefixes);
        let ground = Ground { turns, known, rules, into, prefixes };
        let first = route(wish, &ground);
        self.count(&first);
        let proof = match &first {
            Route::Refused(found) => return refused(decision, found),
            Route::Known(found) => return held(decision, found),
            Route::Apply(proof) | Route::Inbox(proof, _) => *proof,
        };
        decision.turn = Some(proof.turn);
        let changeset = match self.desk.plan(&wish.operation) {
            Ok(changeset) => changeset,
            // A file that stands is changed bullet by bullet, whatever the model read of it.
            Err(why) if matches!(wish.operation.action, Action::Write { .. }) && why.code == Code::NeedsProof => {
                return refused(
                    decision,
                    &[Found { flaw: Flaw::NotAllowed, what: "write on an existing file".into() }],
                );
            }
            Err(why) => {
                decision.verdict = "refused";
                decision.reasons = vec![coded(&why)];
                return Err(refusal(&why));
            }
        };
        if changeset.files.is_empty() {
            decision.verdict = "known";
            return Ok("that stands there already; nothing was changed".into());
        }
        let (files, effects) = self.desk.outcome(&changeset);
        let writes = weight(&wish.operation, &effects);
        if let Some(what) = self.over(proof.turn, writes) {
            return refused(decision, &[Found { flaw: Flaw::Limit, what: what.to_owned() }]);
        }
        let ground = Ground { turns, known: self.desk.known(), rules, into, prefixes };
        let outcome = outcome::Outcome { effects: &effects, files: &files };
        let waits = match settle(first, wish, &outcome, &ground) {
            Route::Refused(found) => return refused(decision, &found),
            Route::Known(found) => return held(decision, &found),
            Route::Inbox(_, found) => Some(found),
            Route::Apply(_) => reading.propose.then(Vec::new),
        };
        // The words that prove it are kept in the journal: a secret that stands among them is not.
        let quote = wish.quote.as_deref().map(clean).unwrap_or_default();
        let waits = waits.map(|found| {
            decision.reasons = found.iter().map(reason).collect();
            let why = match found.is_empty() {
                true => "everything was asked to wait".to_owned(),
                false => {
                    found.iter().map(reason).map(|r| format!("{} {}", r.name, r.what)).collect::<Vec<_>>().join(", ")
                }
            };
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let diff = changeset.files.iter().map(|file| {
                let before = self.desk.text(&file.path);
                unified(file.path.as_str(), before.as_deref(), file.after.as_ref().map(|b| text(b)).as_deref())
            });
            (why.trim().to_owned(), diff.collect::<String>())
        });
        let answer = match &waits {
            Some(_) => "proposed: a person will decide".to_owned(),
            None => effects_told(&changeset),
        };
        decision.verdict = if waits.is_some() { "proposed" } else { "kept" };
        if waits.is_none() {
            self.desk.accept(changeset);
        }
        let operation = wish.operation.clone();
        self.came.accepted.push(Accepted { operation, proof, quote, waits, writes, decision: number });
        Ok(answer)
    }

    /// The guards' first-pass rate counts what comes for the first time.
    fn count(&mut self, route: &Route) {
        if self.corrects {
            return;
        }
        let passed = !matches!(route, Route::Refused(_));
        self.came.first.0 += 1;
        self.came.first.1 += u64::from(passed);
    }

    /// Which cap the next accepted operation would break.
    fn over(&self, turn: usize, writes: usize) -> Option<&'static str> {
        let caps = self.reading.caps;
        let all: usize = self.came.accepted.iter().map(|a| a.writes).sum();
        let of_turn: usize = self.came.accepted.iter().filter(|a| a.proof.turn == turn).map(|a| a.writes).sum();
        match (all + writes > caps.writes, of_turn + writes > caps.per_turn) {
            (true, _) => Some("more than one piece may bring"),
            (_, true) => Some("more than one turn may bring"),
            _ => None,
        }
    }
}

/// How many writes an operation is: an episode is one, a text of many bullets as many.
fn weight(operation: &Operation, effects: &[crate::change::Effect]) -> usize {
    let bullets = effects.iter().filter(|e| e.sign == crate::change::Sign::Added && e.handle.is_some()).count();
    if matches!(operation.action, Action::Append { .. }) { 1 } else { bullets.max(1) }
}
