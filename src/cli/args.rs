//! The command line's grammar, so that help, manual and completions need nothing else.
//!
//! Clap only: never reads a file, never decides what an argument means for a memory (`meant.rs` does).
//!
//! Start-up is a held figure. Every verb is a name until it is called: `defer` builds its options only then, and
//! the options that all verbs share are added to that one verb instead of being spread over the whole tree.

use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use super::argv;
use super::verbs;

/// The first help: what `memdir` and `memdir --help` print.
pub const HELP: &str = "\
memdir: memory for agents as a directory of markdown

usage: memdir [-C DIR | -g] [--as NAME] [--json] [-q|-v] [--color WHEN] COMMAND

look     list [FILE[#SECTION]]      files, sections, bullets with handles (@acvh)
         read ADDRESS               a text: FILE, FILE#SECTION, FILE@BULLET
         query WORDS…               what fits, best first; -L N, --tag, --since, --in GLOB
         context --as NAME          what a session should see first, news included; -b TOKENS
         status                     what a person should know now
change   add FILE[#SECTION] TEXT…   new bullets; many texts, -F FILE, or - for stdin
         update FILE@BULLET NEW     rephrase a bullet; or FILE OLD NEW
         rm ADDRESS…                remove (--archive keeps it, --forget scrubs it)
         mv ADDRESS DEST            move a bullet, section or file
         set ADDRESS KEY=VALUE…     metadata, titles, summary
         append [FILE] -t TITLE     an episode entry, its text from stdin
         patch FILE --old A --new B   exact text, standing once
         write FILE · edit FILE · apply (operations as JSON)
         bullet add|del|update|list   the same on bullets alone
history  log [ADDRESS] · show REV · diff [REV] · undo [REV] · redo [REV]
model    reflect [FILE] · inbox [ID…] [--accept|--reject] · compact [PLACE]
team     init [DIR] · check [FILE…] [--fix] · setup git · sync [REMOTE] · resolve [FILE]

Changes take -n (show, write nothing), -m REASON, --if-match ETAG, -f.
memdir COMMAND --help explains one; man memdir the whole.
";

// Options that every command takes, before or after its name. (No doc comment: clap would print it as the verb's own.)
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct Global {
    /// The data dir; also MEMDIR
    #[arg(short = 'C', long = "dir", value_name = "DIR", help_heading = "Everywhere")]
    pub dir: Option<std::path::PathBuf>,
    /// Your own memory (memory.dataDir of the user config), wherever you are
    #[arg(short = 'g', long, help_heading = "Everywhere", conflicts_with = "dir")]
    pub global: bool,
    /// Who is asking, for the journal; also MEMDIR_AS
    #[arg(long = "as", value_name = "NAME", help_heading = "Everywhere")]
    pub actor: Option<String>,
    /// One JSON object: the answer on stdout, or the error on stderr
    #[arg(long, help_heading = "Everywhere")]
    pub json: bool,
    /// No answer of a change, no warnings
    #[arg(short, long, help_heading = "Everywhere", conflicts_with = "verbose")]
    pub quiet: bool,
    /// Etags, metadata, where the data dir was found
    #[arg(short, long, help_heading = "Everywhere")]
    pub verbose: bool,
    /// Colour: auto (on a terminal without NO_COLOR), always or never
    #[arg(long, value_name = "WHEN", help_heading = "Everywhere", hide_possible_values = true)]
    pub color: Option<When>,
}

/// When to colour.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    #[default]
    Auto,
    Always,
    Never,
}

// Options that every change takes.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct HowArgs {
    /// Show what would be done, write nothing
    #[arg(short = 'n', long, help_heading = "Changes")]
    pub dry_run: bool,
    /// Why, for the journal
    #[arg(short = 'm', long, value_name = "TEXT", help_heading = "Changes", value_parser = argv::plain)]
    pub reason: Option<String>,
    /// From where, for the journal
    #[arg(long, value_name = "ID", help_heading = "Changes", value_parser = argv::plain)]
    pub source: Option<String>,
    /// Only if the file still has this etag (8 or more hex digits)
    #[arg(long, value_name = "ETAG", help_heading = "Changes")]
    pub if_match: Option<String>,
    /// Proof by decree: act on a position, an id, a whole file
    #[arg(short, long, help_heading = "Changes")]
    pub force: bool,
    /// Make a new file although its name is close to another's
    #[arg(long, help_heading = "Changes")]
    pub create: bool,
    /// How long to wait for another writer, in seconds (10)
    #[arg(long, value_name = "S", help_heading = "Changes", value_parser = seconds)]
    pub lock_timeout: Option<std::time::Duration>,
}

pub fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let bad = || "a number of seconds, like 0.5 or 10".to_owned();
    let n: f64 = text.parse().map_err(|_| bad())?;
    std::time::Duration::try_from_secs_f64(n).map_err(|_| bad())
}

/// The whole grammar.
pub fn command() -> Command {
    let root = Command::new("memdir")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Memory for agents as a directory of markdown")
        .override_help(HELP)
        .disable_help_subcommand(true)
        .subcommands(verbs::ALL.iter().map(verbs::Verb::command));
    Global::augment_args(root)
}

/// What was said: the shared options, wherever they stood, and the verb with its own.
pub fn read(matches: &ArgMatches) -> Result<(Global, Option<verbs::Said>), clap::Error> {
    let mut global = Global::from_arg_matches(matches)?;
    let Some((name, below)) = matches.subcommand() else {
        return Ok((global, None));
    };
    global.join(Global::from_arg_matches(below)?);
    if name == "bullet"
        && let Some((_, deepest)) = below.subcommand()
    {
        global.join(Global::from_arg_matches(deepest)?);
    }
    if global.quiet && global.verbose || global.global && global.dir.is_some() {
        let why = "-q and -v, or -C and -g, exclude each other\n";
        return Err(clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, why));
    }
    Ok((global, Some(verbs::said(name, below)?)))
}

impl Global {
    /// Options after the verb win over those before it.
    fn join(&mut self, later: Global) {
        self.dir = later.dir.or(self.dir.take());
        self.actor = later.actor.or(self.actor.take());
        self.color = later.color.or(self.color);
        self.global |= later.global;
        self.json |= later.json;
        self.quiet |= later.quiet;
        self.verbose |= later.verbose;
    }
}

/// The grammar of one verb: its own options, then the shared ones.
pub fn grammar<A: Args>(command: Command) -> Command {
    let help = clap::Arg::new("help").short('h').long("help").action(ArgAction::HelpShort);
    let help = help.help("This help").help_heading("Everywhere");
    Global::augment_args(A::augment_args(command)).disable_help_flag(true).arg(help)
}
