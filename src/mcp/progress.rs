//! Progress of a call that takes long, and its cancellation.
//!
//! Never delays an answer: what is quick sends nothing.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;

use crate::commands::{Error, ProgressNotes};

/// The time between two notifications, and before the first.
const INTERVAL: Duration = Duration::from_millis(200);

/// Waits for a command. Meanwhile a client that requested it is notified of its progress; a client that cancels it ends
/// it, unless it is being written.
pub async fn run_with_progress<T>(
    command: impl Future<Output = Result<T, Error>>,
    notes: &ProgressNotes,
    context: &RequestContext<RoleServer>,
) -> Result<T, Error> {
    let mut command = std::pin::pin!(command);
    tokio::select! {
        biased;
        result = &mut command => return result,
        () = context.ct.cancelled() => notes.cancel(),
        () = report(notes, context) => {}
    }
    command.await
}

/// Sends notifications until it is dropped, or the client is gone.
async fn report(notes: &ProgressNotes, context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let mut last = 0.0;
    loop {
        tokio::time::sleep(INTERVAL).await;
        let Some(progress) = next_progress(&token, notes, last) else { continue };
        last = progress.progress;
        if context.peer.notify_progress(progress).await.is_err() {
            return std::future::pending().await;
        }
    }
}

/// The next notification. Its number is higher than `last`, or there is none.
fn next_progress(token: &ProgressToken, notes: &ProgressNotes, last: f64) -> Option<ProgressNotificationParam> {
    let state = notes.state();
    let task = if state.task.is_empty() { "working" } else { &state.task };
    let progress = match state.total {
        0 => ProgressNotificationParam::new(token.clone(), last + 1.0).with_message(task),
        total => ProgressNotificationParam::new(token.clone(), state.done as f64)
            .with_total(total as f64)
            .with_message(format!("{task}: {} of {total} files", state.done)),
    };
    (progress.progress > last).then_some(progress)
}
