//! Joins verbs to commands: one arm a verb.
//!
//! Never prints and never exits; what a verb came to goes back as a `Reply`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::{Global, HowArgs};
use super::compact::CompactArgs;
use super::open::Need;
use super::output::{self, Layout, Reply};
use super::reflect::{Mode, ReflectArgs};
use super::team::{MergeArgs, MergeDriverArgs, SetupArgs, SyncArgs, Whom};
use super::verbs::{BulletSaid, InitArgs, Said};
use super::{complete, generate, meant, open, sanitize};
use crate::code::{Code, Rejection, Warning};
use crate::commands::inbox::Decision;
use crate::commands::merge::Three;
use crate::commands::reflect;
use crate::commands::sync::{self, SyncQuery};
use crate::commands::{self, Failure, How, InitQuery, LogQuery, Looks, Session, UndoQuery, Verdict, edit, setup};
use crate::host::models::Asked;
use crate::host::{content, user};
use crate::operation::Batch;
use crate::operation::regions::Take;
use crate::reflect::prompt::Way;
use crate::view::query::filter::Ask;

/// Runs what was said.
pub fn run(global: &Global, said: Said) -> Reply {
    let door = Door { global };
    match said {
        Said::Init(a) => door.init(&a),
        Said::Status(_) => door.look(commands::status),
        Said::List(a) => door.texts(Layout::Plain, |s| Ok(commands::list(s, a.address.as_deref())?.limited(a.limit))),
        Said::Read(a) => door.read(&a.address),
        Said::Query(a) => match a.ask(&read).and_then(|ask| one_asker(global, ask)) {
            Ok(ask) => {
                let need = if ask.tells_time() { Need::All } else { Need::Texts };
                door.told(need, None, Layout::Plain, |s| commands::query(s, &ask))
            }
            Err(rejection) => rejection.into(),
        },
        Said::Context(a) => super::context::context(global, &a),
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
            let layout = match (a.stat, a.bullets || a.since.is_some()) {
                (true, _) => Layout::Stat,
                (_, true) => Layout::Bullets,
                _ => Layout::Plain,
            };
            // Where an option says from when, the one word that is left names the file.
            let (range, file) = if a.since.is_some() { (a.since, a.range) } else { (a.range, a.address) };
            door.told(Need::All, None, layout, |s| commands::diff(s, range.as_deref(), file.as_deref()))
        }
        Said::Undo(a) => {
            let query = UndoQuery { revision: a.revision, by: a.by, keep_edited: a.keep_edited };
            door.with(&a.how, |s, how| commands::undo(s, &query, how))
        }
        Said::Redo(a) => door.with(&a.how, |s, how| commands::redo(s, a.revision.as_deref(), how)),
        Said::Reflect(a) => door.reflect(a),
        Said::Inbox(a) => {
            let decision = match (a.accept, a.reject) {
                (true, _) => Some(Decision::Accept),
                (_, true) => Some(Decision::Reject),
                _ => None,
            };
            door.with(&a.how, |s, how| commands::inbox::inbox(s, &a.ids, decision, how))
        }
        Said::Check(a) => {
            let looks = Looks { since: a.since.as_deref(), writing: a.writing, fix: a.fix };
            door.with(&a.how, |s, how| commands::checked(s, &a.files, &looks, how))
        }
        Said::Compact(a) => door.compact(&a),
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
                let mut warnings = session.policy.warnings;
                if session.store.held_back() && verdict.is_ok() {
                    let message = "parts that the caller's allowlist leaves out are not shown";
                    warnings.push(Warning::new(Code::Note, message));
                }
                Reply::Told(Box::new(verdict), warnings, Layout::Plain)
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

    /// Says on a terminal what it is about to do.
    fn progress(&self) -> impl Fn(&str) + use<> {
        let shown = !self.global.json && !self.global.quiet && std::io::stderr().is_terminal();
        move |what| {
            if shown {
                output::progress(what)
            }
        }
    }

    /// The network may take its time.
    fn sync(&self, args: SyncArgs) -> Reply {
        let progress = self.progress();
        self.told(Need::All, args.lock_timeout, Layout::Plain, |session| {
            let (dry_run, force, wait) = (args.dry_run, args.force, args.timeout);
            let (remote, reason) = (args.remote, args.reason);
            sync::sync(session, &SyncQuery { remote, dry_run, force, reason, wait, progress: &progress })
        })
    }

    /// The configured model decides; without one, age does.
    fn compact(&self, args: &CompactArgs) -> Reply {
        let asked = Asked::from(args.model.clone());
        let named = asked.provider.is_some() || asked.model.is_some();
        let opened = match (args.by_age, args.query(&read)) {
            (_, Err(failure)) => return Reply::Told(Box::new(Err(failure)), Vec::new(), Layout::Plain),
            (true, Ok(query)) => Ok((query, None)),
            (false, Ok(query)) => match commands::model::model(&asked, &open::env) {
                Ok(opened) => Ok((query, Some(opened))),
                Err(why) if why.code == Code::NoModel && !named => Ok((query, None)),
                Err(why) => Err(why),
            },
        };
        match opened {
            Ok((query, opened)) => {
                let budget = user::config(&open::env).0.tokens_per_day;
                let progress = self.progress();
                self.with(&args.how, |s, how| {
                    commands::compact::paid(s, &query, how, opened.as_ref(), budget, &progress)
                })
            }
            Err(why) => why.into(),
        }
    }

    /// A conversation is read before a data dir is looked for; a model is opened when there is something to ask.
    fn reflect(&self, args: ReflectArgs) -> Reply {
        let asked = Asked::from(args.model);
        if args.check_model {
            let checked = commands::model::check(&asked, &open::env);
            return Reply::Told(Box::new(checked), Vec::new(), Layout::Plain);
        }
        let conversation =
            if args.queued { Ok(Vec::new()) } else { patience().and_then(|w| content::bytes(args.file.as_deref(), w)) };
        let (conversation, instructions) =
            match conversation.and_then(|c| Ok((c, user::prompt(&open::env, "reflect")?))) {
                Ok(read) => read,
                Err(rejection) => return rejection.into(),
            };
        let progress = self.progress();
        let ask = reflect::Ask {
            way: match args.mode {
                Mode::Auto => None,
                Mode::Tools => Some(Way::Tools),
                Mode::Ops => Some(Way::Object),
            },
            propose: args.propose,
            into: args.into,
            budget: user::config(&open::env).0.tokens_per_day,
            instructions,
            open: &|| commands::model::model(&asked, &open::env),
            progress: &progress,
        };
        if args.show_prompt {
            let prompt = open::session(self.global, Need::All, None).map_err(Failure::from);
            return match prompt.and_then(|session| reflect::show_prompt(&session, &conversation, &ask)) {
                Ok(prompt) => Reply::Plain(harmless(prompt)),
                Err(failure) => Reply::Told(Box::new(Err(failure)), Vec::new(), Layout::Plain),
            };
        }
        let how = How { dry_run: args.dry_run, reason: args.reason, source: args.source, ..How::default() };
        self.told(Need::All, args.lock_timeout, Layout::Plain, |session| match args.queued {
            true => reflect::drain(session, &ask, &how),
            false => reflect::reflect(session, &conversation, &ask, &how),
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

/// A question in JSON may say who asks, where the command line does not say another.
fn one_asker(global: &Global, ask: Ask) -> Result<Ask, Rejection> {
    match (global.actor.as_deref(), ask.agent.as_deref()) {
        (Some(given), Some(agent)) if given != agent => {
            let message = "the question's 'agent' and --as name two agents";
            Err(Rejection::new(Code::InvalidQuery, message).hint("name one of them, or both the same"))
        }
        _ => Ok(ask),
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

/// A text that holds memory, as a terminal may see it; a pipe gets it as it is.
fn harmless(text: String) -> String {
    if !std::io::stdout().is_terminal() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    sanitize::lines(&mut out, &text, true);
    out
}

/// Content from a file or stdin. `MEMDIR_STDIN_WAIT` (milliseconds) says how long a silent pipe is waited for.
fn read(file: Option<&Path>) -> Result<String, Rejection> {
    content::content(file, patience()?)
}

fn patience() -> Result<Duration, Rejection> {
    let bad = |_| Rejection::new(Code::Usage, "MEMDIR_STDIN_WAIT is a number of milliseconds");
    match open::env("MEMDIR_STDIN_WAIT") {
        None => Ok(content::WAIT),
        Some(ms) => ms.parse().map(Duration::from_millis).map_err(bad),
    }
}
