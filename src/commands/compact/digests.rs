//! `compact episodes --older AGE`: one entry instead of each month or week that ended long ago. A model says what is
//! still worth knowing, code checks that it adds nothing, and the old file moves to `archive/`.
//!
//! Never holds the lock while the model runs. Each file is a revision of its own, and without a model nothing changes.

use anyhow::anyhow;
use jiff::civil::Date;

use super::model_calls::{JsonQuestion, ModelAnswer, ModelCalls};
use crate::change::Etag;
use crate::code::{Code, Rejection};
use crate::commands::change::{change, no_operations_warning};
use crate::commands::model::OpenModel;
use crate::commands::point_in_time::{PointInTime, parse_point_in_time};
use crate::commands::results::{ChangeOutcome, DigestReport, DigestRow, TokenCounts};
use crate::commands::{ChangeOptions, CommandResult, Error, Session};
use crate::document::{Document, Visibility, VisibleParts, section_range};
use crate::host::user::Prompt;
use crate::operation::{Action, Batch, Operation, Target};
use crate::path::{MemoryPath, episode_days};
use crate::reflect::digest::{
    MAX_REPLY_TOKENS, answer_schema, build_question, check_point, digest_entry, parse_reply, parts, system_prompt,
};

/// How the reason of a digest begins in the journal, by which `stats` counts it.
pub const DIGEST_REASON: &str = "digest of";
/// The most files of one run.
const MAX_FILES: usize = 12;

/// Options of `compact --older`.
#[derive(Clone, Debug, Default)]
pub struct DigestOptions {
    /// `episodes`, or one file of it.
    pub address: String,
    /// A date or an age: files whose period ended before it are old.
    pub older: String,
    /// Whether a model that cannot be reached is an error (`model`); otherwise the files wait.
    pub model_required: bool,
}

/// An episode file whose month or week is over long enough to be digested.
struct OldFile {
    path: MemoryPath,
    /// The last day of its period.
    last: Date,
    etag: Etag,
    document: Document,
    row: DigestRow,
}

/// Replaces old months and weeks by an entry each; without a model, lists them.
///
/// # Errors
/// `category_not_allowed` for a caller that does not see everything; `usage` for an address outside `episodes/` and an
/// invalid age; `model` if a required model cannot be reached; errors of reading and committing. After the first
/// file, an error is in the report, as `partial`.
pub fn digest_episodes(
    session: &Session,
    options: &DigestOptions,
    change_options: &ChangeOptions,
    opened: Option<&OpenModel>,
) -> CommandResult<DigestReport> {
    // A digest repeats what it reads, so a caller with an allowlist must not write one.
    session.store.require_unfiltered()?;
    if opened.is_some() && !change_options.dry_run {
        session.may_write()?;
    }
    let mut report = DigestReport { dry_run: change_options.dry_run, ..DigestReport::default() };
    let mut files = old_files(session, options)?;
    let Some(opened) = opened else {
        report.stopped = (!files.is_empty()).then(|| "no model is configured".to_owned());
        report.digests = files.into_iter().map(|file| file.row).collect();
        return Ok(report);
    };
    let mut calls = ModelCalls::new(session, opened, options.model_required);
    let mut done = 0;
    for file in &mut files {
        if file.row.reason.is_some() {
            continue;
        }
        if report.stopped.is_none() && done == MAX_FILES {
            report.stopped = Some(format!("at most {MAX_FILES} files in one run"));
        }
        if let Some(reason) = &report.stopped {
            file.row.reason = Some(reason.clone());
            continue;
        }
        let answer = ask(session, &mut calls, file).and_then(|answer| match answer {
            FileAnswer::Points(points) => {
                replace(session, file, points, &calls.name(), change_options, &mut report)?;
                done += 1;
                Ok(None)
            }
            FileAnswer::Left(reason) => {
                file.row.reason = Some(reason);
                Ok(None)
            }
            FileAnswer::Stopped(reason) => Ok(Some(reason)),
        });
        let stopped = match answer {
            Ok(stopped) => stopped,
            // Each file is a revision of its own: what was replaced before stays, and is reported.
            Err(error) if report.changed => {
                let message = error.to_string().replace('\n', "; ");
                report.partial = Some(message.clone());
                Some(message)
            }
            Err(error) => return Err(error),
        };
        if let Some(reason) = stopped {
            file.row.reason = Some(reason.clone());
            report.stopped = Some(reason);
        }
    }
    report.warnings.extend(no_operations_warning(change_options.dry_run && done > 0));
    report.model = Some(calls.name());
    report.tokens = Some(TokenCounts { input: calls.usage.input, output: calls.usage.output });
    report.digests = files.into_iter().map(|file| file.row).collect();
    Ok(report)
}

/// The files whose period ended before the given point, oldest first. A row has a reason if its file must stay.
fn old_files(session: &Session, options: &DigestOptions) -> Result<Vec<OldFile>, Rejection> {
    let is_wanted = wanted_paths(&options.address)?;
    let before = match parse_point_in_time(&options.older, &session.now)? {
        PointInTime::Time(at) => at.parse::<jiff::Timestamp>().ok(),
        PointInTime::Revision(_) => None,
    };
    let before = before.ok_or_else(|| {
        Rejection::new(Code::Usage, "--older expects a date or an age").hint("use 2026-01-01 or '3 months'")
    })?;
    let before = before.to_zoned(session.now.time_zone().clone()).date();
    let everyone = Visibility::for_everyone(&session.policy.policy);
    let mut found = Vec::new();
    for file in session.store.walk(None)? {
        let path = file.path;
        let Some((_, last)) = episode_days(path.stem()).filter(|(_, last)| *last < before && is_wanted(&path)) else {
            continue;
        };
        let Some(version) = session.store.read(&path)? else { continue };
        let row = DigestRow { file: path.to_string(), ..DigestRow::default() };
        let Ok(document) = Document::from_bytes(version.bytes.to_vec()) else { continue };
        let mut old = OldFile { path, last, etag: version.etag, document, row };
        old.row.entries = entries(&old.document).len();
        old.row.reason = reason_to_stay(&old, everyone.as_ref());
        found.push(old);
    }
    found.sort_by_key(|file| file.last);
    Ok(found)
}

/// Which files an address names: `episodes`, or one file in it.
pub(super) fn wanted_paths(address: &str) -> Result<impl Fn(&MemoryPath) -> bool + use<>, Rejection> {
    let name = address.trim_end_matches('/').trim_end_matches(".md");
    let file = name.strip_prefix("episodes/").map(str::to_owned);
    if file.is_none() && name != "episodes" {
        return Err(Rejection::new(Code::Usage, "expected episodes, or one file in it")
            .hint("name episodes, or episodes/2025-11"));
    }
    Ok(move |path: &MemoryPath| {
        path.folder() == Some("episodes") && file.as_ref().is_none_or(|stem| path.stem() == stem)
    })
}

/// Why a file is not digested. `everyone` is what all agents may see.
fn reason_to_stay(file: &OldFile, everyone: Option<&Visibility>) -> Option<String> {
    let document = &file.document;
    let is_pinned = |bullet| document.bullet_meta(bullet).is_some_and(|meta| meta.is_pinned());
    if document.conflict_marker_line().is_some() {
        Some("it has conflict markers".into())
    } else if entries(document).is_empty() {
        Some("it has no entries".into())
    } else if (0..document.bullets().len()).any(is_pinned) {
        Some("something in it is pinned".into())
    } else if everyone.is_some_and(|all| all.visible_parts(document, &file.path) != VisibleParts::All) {
        // A digest has no categories: all agents would see what it repeats.
        Some("an allowlist hides a part of it from some agents".into())
    } else {
        None
    }
}

/// The texts of the entries, each with its heading.
fn entries(document: &Document) -> Vec<&str> {
    let sections = (0..document.sections().len()).filter(|at| document.sections()[*at].level == 2);
    sections.map(|at| &document.text()[section_range(document, at)]).collect()
}

/// What came of the questions about one file.
enum FileAnswer {
    Points(Vec<String>),
    /// Why the file stays as it is.
    Left(String),
    /// Why it and the others stay as they are.
    Stopped(String),
}

fn ask(session: &Session, calls: &mut ModelCalls<'_>, file: &OldFile) -> Result<FileAnswer, Error> {
    let policy = &session.policy.policy;
    let rules = session.writing_rules();
    let mut points = Vec::new();
    for part in parts(&entries(&file.document)) {
        let question = JsonQuestion {
            name: "digest",
            system: calls.opened().own_prompts.text(Prompt::Digest, system_prompt(policy.max_chars)),
            question: build_question(&part),
            schema: answer_schema(),
            reply_tokens: MAX_REPLY_TOKENS,
        };
        let Some(reserved) = calls.reserve(&question)? else {
            return Ok(FileAnswer::Stopped("today's token budget is used up".into()));
        };
        let read = &mut |text: &str, arguments: &[serde_json::Value]| {
            let points = parse_reply(text, arguments)?;
            let found: Vec<String> = points
                .iter()
                .flat_map(|point| check_point(point, &part, &rules))
                .map(|finding| format!("{} ({})", finding.violation.rule(), finding.excerpt))
                .collect();
            if found.is_empty() { Ok(points) } else { Err(anyhow!(found.join(" "))) }
        };
        match calls.ask(question, reserved, read)? {
            ModelAnswer::Value(found) => points.extend(found),
            ModelAnswer::Unusable(reason) => return Ok(FileAnswer::Left(reason)),
            ModelAnswer::Stopped(reason) => return Ok(FileAnswer::Stopped(reason)),
        }
    }
    Ok(FileAnswer::Points(points))
}

/// Appends the digest and archives the file, as one revision. A file that changed meanwhile stays.
fn replace(
    session: &Session,
    file: &mut OldFile,
    points: Vec<String>,
    model: &str,
    change_options: &ChangeOptions,
    report: &mut DigestReport,
) -> Result<(), Error> {
    let (target, text) = digest_entry(&file.path, file.last, file.row.entries, &points);
    let operation = |action, if_match| Operation {
        action,
        seen: None,
        if_match,
        reason: None,
        source: change_options.source.clone().or_else(|| Some(format!("digest:{model}"))),
    };
    let reason = format!("{DIGEST_REASON} {}", file.path);
    let append = Action::Append {
        at: Some(Target::Address(target.clone())),
        text,
        title: Some(file.path.stem().to_owned()),
        date: Some(file.last.to_string()),
        summary: None,
        file_summary: None,
        create: true,
    };
    let remove = Action::archive(Target::Address(file.path.to_string()));
    let append = Operation { reason: Some(reason.clone()), ..operation(append, None) };
    let batch = Batch {
        operations: vec![append, operation(remove, Some(file.etag.hex()))],
        reason: change_options.reason.clone().or(Some(reason)),
        ..Batch::default()
    };
    match change(session, batch, change_options) {
        Ok(ChangeOutcome::Changed(done)) => {
            file.row.digest = Some(target);
            file.row.points = points;
            report.changed |= done.changed;
            report.revs.extend(done.rev);
            report.files.extend(done.files);
            report.warnings.extend(done.warnings);
            Ok(())
        }
        Ok(ChangeOutcome::Repeated(_)) => Ok(()),
        Err(error) if error.code() == Code::Conflict => {
            file.row.reason = Some("it was changed meanwhile".into());
            Ok(())
        }
        Err(error) => Err(error),
    }
}
