//! Joins verbs to commands: one arm a verb.
//!
//! Never prints and never exits; what a verb came to goes back as a `Reply`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::{Global, HowArgs};
use super::open::Need;
use super::output::{self, Layout, Reply};
use super::team::{MergeArgs, MergeDriverArgs, SetupArgs, SyncArgs, Whom};
use super::verbs::{BulletSaid, InitArgs, Said};
use super::{complete, generate, meant, open};
use crate::code::{Code, Rejection};
use crate::commands::merge::Three;
use crate::commands::sync::{self, SyncQuery};
use crate::commands::{self, Failure, How, InitQuery, LogQuery, Session, UndoQuery, Verdict, edit, setup};
use crate::host::content;
use crate::operation::Batch;
use crate::operation::regions::Take;

/// Runs what was said.
pub fn run(global: &Global, said: Said) -> Reply {
    let door = Door { global };
    match said {
        Said::Init(a) => door.init(&a),
        Said::Status(_) => door.look(commands::status),
        Said::List(a) => door.texts(Layout::Plain, |s| Ok(commands::list(s, a.address.as_deref())?.limited(a.limit))),
        Said::Read(a) => door.read(&a.address),
        Said::Query(a) => match a.ask(&read) {
            Ok(ask) => {
                let need = if ask.tells_time() { Need::All } else { Need::Texts };
                door.told(need, None, Layout::Plain, |s| commands::query(s, &ask))
            }
            Err(rejection) => rejection.into(),
        },
        Said::Add(a) => door.change(&a.how, meant::add(&a, &read)),
        Said::Update(a) => door.change(&a.how, meant::update(&a, &read)),
        Said::Rm(a) => door.change(&a.how, meant::rm(&a)),
        Said::Mv(a) => door.change(&a.how, meant::mv(&a)),
        Said::Set(a) => door.change(&a.how, meant::set(&a)),
        Said::Append(a) => door.change(&a.how, meant::append(&a, &read)),
        Said::Patch(a) => door.change(&a.how, meant::patch(&a, &read)),
        Said::Write(a) => door.change(&a.how, meant::write(&a, &read)),
        Said::Apply(a) => door.change(&a.how, meant::apply(&a, &read)),
        Said::Edit(a) => door.with(&a.how, |s, how| edit::edit(s, &a.at, a.resume.as_deref(), how)),
        Said::Bullet(a) => match a.verb {
            BulletSaid::Add(a) => door.change(&a.how, meant::add(&a, &read)),
            BulletSaid::Del(a) => door.change(&a.how, meant::bullet_del(&a)),
            BulletSaid::Update(a) => door.change(&a.how, meant::update(&a, &read)),
            BulletSaid::List(a) => {
                door.texts(Layout::Numbered, |s| Ok(commands::bullets(s, &a.address)?.limited(a.limit)))
            }
        },
        Said::Log(a) => {
            let query = LogQuery { address: a.address, patch: a.patch, since: a.since, by: a.by, limit: a.limit };
            door.look(|s| commands::log(s, &query))
        }
        Said::Show(a) => door.look(|s| commands::show(s, &a.revision)),
        Said::Diff(a) => {
            let layout = match (a.stat, a.bullets) {
                (true, _) => Layout::Stat,
                (_, true) => Layout::Bullets,
                _ => Layout::Plain,
            };
            door.told(Need::All, None, layout, |s| commands::diff(s, a.range.as_deref(), a.address.as_deref()))
        }
        Said::Undo(a) => {
            let query = UndoQuery { revision: a.revision, by: a.by, keep_edited: a.keep_edited };
            door.with(&a.how, |s, how| commands::undo(s, &query, how))
        }
        Said::Redo(a) => door.with(&a.how, |s, how| commands::redo(s, a.revision.as_deref(), how)),
        Said::Compact(a) => match a.query(&read) {
            // The model that is configured joins here; without one, age decides.
            Ok(query) => door.with(&a.how, |s, how| commands::compact(s, &query, how, None)),
            Err(failure) => Reply::Told(Box::new(Err(failure)), Vec::new(), Layout::Plain),
        },
        Said::Check(a) => door.with(&a.how, |s, how| commands::checked(s, &a.files, a.since.as_deref(), a.fix, how)),
        Said::Resolve(a) => {
            let take = match (a.ours, a.theirs, a.both) {
                (true, ..) => Some(Take::Ours),
                (_, true, _) => Some(Take::Theirs),
                (.., true) => Some(Take::Both),
                _ => None,
            };
            door.with(&a.how, |s, how| commands::resolve(s, a.file.as_deref(), take, how))
        }
        Said::Merge(a) => merge(&a),
        Said::MergeDriver(a) => drive(a),
        Said::Setup(a) => door.setup(&a),
        Said::Sync(a) => door.sync(a),
        Said::Where(a) => door.texts(Layout::Plain, |s| commands::whereis(s, a.address.as_deref())),
        Said::Schema(a) => Reply::Plain(generate::schema(a.topic)),
        Said::Completions(a) => Reply::Plain(generate::completions(a.shell)),
        Said::Man(a) => generate::man(&a).map_or_else(Reply::from, Reply::Plain),
        Said::Complete(a) => Reply::Plain(complete::complete(global, &a.words)),
    }
}

/// The shared options, and how they reach a command.
struct Door<'a> {
    global: &'a Global,
}

impl Door<'_> {
    /// A verb that only looks.
    fn look(&self, verb: impl FnOnce(&Session) -> Verdict) -> Reply {
        self.told(Need::All, None, Layout::Plain, verb)
    }

    /// A verb that changes, with its options.
    fn with(&self, how: &HowArgs, verb: impl FnOnce(&Session, &How) -> Verdict) -> Reply {
        self.told(Need::All, how.lock_timeout, Layout::Plain, |session| verb(session, &meaning(how)))
    }

    /// A verb that is a batch of operations. What is wrong with the arguments is told before a data dir is looked for.
    fn change(&self, how: &HowArgs, batch: Result<Batch, impl Into<Failure>>) -> Reply {
        match batch {
            Ok(batch) => self.with(how, |session, how| commands::change(session, batch, how)),
            Err(failure) => Reply::Told(Box::new(Err(failure.into())), Vec::new(), Layout::Plain),
        }
    }

    /// A verb that only looks at texts, whoever asks and whenever.
    fn texts(&self, layout: Layout, verb: impl FnOnce(&Session) -> Verdict) -> Reply {
        self.told(Need::Texts, None, layout, verb)
    }

    /// A whole file goes out as it is, unless somebody must be told about it or sheltered from it.
    fn read(&self, address: &str) -> Reply {
        let plain = !self.global.json && !self.global.verbose && !std::io::stdout().is_terminal();
        let opened = |session: &Session| if plain { commands::open(session, address) } else { Ok(None) };
        match open::session(self.global, Need::Texts, None).and_then(|s| Ok((opened(&s)?, s))) {
            Ok((Some(file), session)) if session.policy.warnings.is_empty() => Reply::Copy(file),
            Ok((_, session)) => {
                let verdict = commands::read(&session, address);
                Reply::Told(Box::new(verdict), session.policy.warnings, Layout::Plain)
            }
            Err(rejection) => rejection.into(),
        }
    }

    /// What the memory is joined to; its lines can be printed where there is no memory yet.
    fn setup(&self, args: &SetupArgs) -> Reply {
        let Whom::Git = args.whom;
        if args.print {
            return setup::print().map_or_else(Reply::from, Reply::Plain);
        }
        let mode = match (args.check, args.remove) {
            (true, _) => setup::Mode::Check,
            (_, true) => setup::Mode::Remove,
            _ => setup::Mode::Make,
        };
        self.texts(Layout::Plain, |session| setup::git(session, mode, args.dry_run))
    }

    /// Says on a terminal what it is about to do: the network may take its time.
    fn sync(&self, args: SyncArgs) -> Reply {
        let shown = !self.global.json && !self.global.quiet && std::io::stderr().is_terminal();
        let progress = |what: &str| {
            if shown {
                output::progress(what)
            }
        };
        self.told(Need::All, args.lock_timeout, Layout::Plain, |session| {
            let (dry_run, force, wait) = (args.dry_run, args.force, args.timeout);
            let (remote, reason) = (args.remote, args.reason);
            sync::sync(session, &SyncQuery { remote, dry_run, force, reason, wait, progress: &progress })
        })
    }

    fn told(
        &self,
        need: Need,
        timeout: Option<Duration>,
        layout: Layout,
        verb: impl FnOnce(&Session) -> Verdict,
    ) -> Reply {
        match open::session(self.global, need, timeout) {
            Ok(session) => {
                let verdict = verb(&session);
                Reply::Told(Box::new(verdict), session.policy.warnings, layout)
            }
            Err(rejection) => rejection.into(),
        }
    }

    /// The directory given, else `-C`, else `MEMDIR`, else `memory` here.
    fn init(&self, args: &InitArgs) -> Reply {
        let asked = open::asked(self.global);
        let work = match open::work() {
            Ok(work) => work,
            Err(rejection) => return rejection.into(),
        };
        let dir = args.at.clone().or(asked.dir).or(asked.env).unwrap_or_else(|| PathBuf::from("memory"));
        let query = InitQuery { example: args.example, adopt: args.adopt };
        Reply::Told(Box::new(commands::init(&work.join(dir), &query)), Vec::new(), Layout::Plain)
    }
}

/// `merge`, which needs no data dir.
fn merge(args: &MergeArgs) -> Reply {
    let three = Three {
        base: args.base.clone(),
        ours: args.ours.clone(),
        theirs: args.theirs.clone(),
        size: args.marker_size,
        labels: ["base", "ours", "theirs"].map(str::to_owned),
    };
    Reply::Told(Box::new(commands::merge::merge(&three, args.out.as_deref())), Vec::new(), Layout::Plain)
}

/// `merge-driver`, which git calls.
fn drive(args: MergeDriverArgs) -> Reply {
    // A git that knows no labels leaves its own placeholders there.
    let mut names =
        args.names.into_iter().skip(1).map(|name| Some(name).filter(|n| !n.is_empty() && !n.starts_with('%')));
    let labels = ["base", "ours", "theirs"].map(|none| names.next().flatten().unwrap_or_else(|| none.to_owned()));
    let three = Three { base: args.base, ours: args.ours, theirs: args.theirs, size: args.size, labels };
    let driven = commands::merge::drive(&three);
    Reply::Status(driven.status, driven.said.map(|said| said + "\n").unwrap_or_default())
}

fn meaning(how: &HowArgs) -> How {
    How {
        dry_run: how.dry_run,
        force: how.force,
        create: how.create,
        reason: how.reason.clone(),
        source: how.source.clone(),
        if_match: how.if_match.clone(),
    }
}

/// Content from a file or stdin. `MEMDIR_STDIN_WAIT` (milliseconds) says how long a silent pipe is waited for.
fn read(file: Option<&Path>) -> Result<String, Rejection> {
    let wait = match open::env("MEMDIR_STDIN_WAIT") {
        None => content::WAIT,
        Some(ms) => Duration::from_millis(
            ms.parse().map_err(|_| Rejection::new(Code::Usage, "MEMDIR_STDIN_WAIT is a number of milliseconds"))?,
        ),
    };
    content::content(file, wait)
}
