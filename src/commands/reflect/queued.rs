//! Conversations that wait until there is budget again.
//!
//! A conversation leaves the queue when all of it is read. Whoever dies with one leaves it to the next, and what was
//! committed of it is not done twice.

use serde::{Deserialize, Serialize};

use super::{Ask, Next, Run};
use crate::change::Etag;
use crate::code::{Code, Rejection};
use crate::commands::answer::Answer;
use crate::commands::{Failure, How, Session, Verdict};
use crate::reflect::prompt::Way;

/// Work as it waits.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Work {
    conversation: String,
    #[serde(default)]
    propose: bool,
    #[serde(default)]
    into: Option<String>,
    #[serde(default)]
    way: Option<String>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    source: Option<String>,
}

/// Puts a conversation into the queue.
pub fn put(session: &Session, bytes: &[u8], ask: &Ask<'_>, how: &How) -> Result<(), Failure> {
    let way = ask.way.map(|way| if way == Way::Tools { "tools" } else { "ops" }.to_owned());
    let work = Work {
        conversation: String::from_utf8_lossy(bytes).into_owned(),
        propose: ask.propose,
        into: ask.into.clone(),
        way,
        reason: how.reason.clone(),
        source: how.source.clone(),
    };
    let text = serde_json::to_string(&work).map_err(|e| Rejection::new(Code::Internal, e.to_string()))?;
    // The first word orders the queue by days, the second makes the same work the same name.
    let name = format!("{}-{}.json", session.now.date(), Etag::of(text.as_bytes()).short());
    let bare = session.bare();
    let (locked, _) = bare.store.lock()?;
    locked.enqueue(&name, text.as_bytes())?;
    Ok(())
}

/// Reads what waits, oldest first, until it is done or the budget is spent again. Work that another process has is
/// left to it.
///
/// # Errors
/// As [`super::reflect`].
pub fn drain(session: &Session, ask: &Ask<'_>, how: &How) -> Verdict {
    let mut all = super::Reflected { dry_run: how.dry_run, ..super::Reflected::default() };
    let (mut failed, mut in_row): (Vec<Failure>, usize) = (Vec::new(), 0);
    for name in session.store.queued()? {
        let claim = match session.store.claim(&name) {
            Ok(Some(claim)) => claim,
            Ok(None) => continue,
            Err(why) => {
                failed.push(why.into());
                continue;
            }
        };
        let Ok(work) = serde_json::from_slice::<Work>(&claim.bytes) else {
            let message = format!(".memdir/queue/{name} holds no work that memdir wrote; it was left there");
            all.warnings.push(crate::commands::change::told(&crate::code::Warning::new(Code::Note, message)));
            continue;
        };
        let way = work.way.as_deref().map(|way| if way == "tools" { Way::Tools } else { Way::Object });
        let own = Ask {
            way: way.or(ask.way),
            propose: work.propose || ask.propose,
            into: work.into.clone().or_else(|| ask.into.clone()),
            budget: ask.budget,
            instructions: ask.instructions.clone(),
            open: ask.open,
            progress: ask.progress,
        };
        let how = How {
            reason: work.reason.clone().or_else(|| how.reason.clone()),
            source: work.source.clone().or_else(|| how.source.clone()),
            ..how.clone()
        };
        let mut run = Run::new(session, &own, &how)?;
        run.queued = true;
        let next = run.read(work.conversation.as_bytes());
        join(&mut all, run.answer);
        match next {
            Ok(Next::Go) => in_row = 0,
            Ok(Next::Stop) => break,
            // One conversation may be what the model's host refuses; two in a row say that it refuses everything.
            Err(failure) => {
                let hopeless = failure.rejections.first().is_some_and(|r| r.code == Code::NoModel);
                failed.push(failure);
                in_row += 1;
                if hopeless || in_row > 1 {
                    break;
                }
                continue;
            }
        }
        if !how.dry_run {
            claim.done()?;
        }
    }
    if let Some(failure) = failed.into_iter().next() {
        super::stopped(&mut all, failure)?;
    }
    Ok(Answer::Reflected(all))
}

/// Two answers as one.
fn join(all: &mut super::Reflected, more: super::Reflected) {
    all.changed |= more.changed;
    all.conversations.extend(more.conversations);
    all.revs.extend(more.revs);
    all.files.extend(more.files);
    all.decisions.extend(more.decisions);
    all.warnings.extend(more.warnings);
    all.counts += more.counts;
    all.partial = more.partial.or(all.partial.take());
    all.deferred = more.deferred.or(all.deferred.take());
    match (&mut all.model, more.model) {
        (Some(sum), Some(add)) => {
            sum.turns += add.turns;
            sum.input_tokens = sum.input_tokens.saturating_add(add.input_tokens);
            sum.output_tokens = sum.output_tokens.saturating_add(add.output_tokens);
        }
        (none @ None, add) => *none = add,
        (Some(_), None) => {}
    }
}
