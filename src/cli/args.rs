//! The command line's grammar: help, manual pages and completions are generated from it.
//!
//! Clap only: never reads a file, never turns arguments into operations (`to_operation.rs` does).
//!
//! Start-up time is measured by tests. Each subcommand is only a name until it is called: `defer` builds its options
//! then, and the global options are added to that one subcommand instead of to the whole tree.

use clap::builder::OsStringValueParser;
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum, ValueHint};

use super::argv;
use super::subcommands;
use crate::commands::ChangeOptions;

// Options that every command takes, before or after its name. (No doc comment: clap would use it as the help of the
// command.)
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct GlobalArgs {
    /// Run as if started in this directory, as with git -C
    #[arg(short = 'C', value_name = "DIR", help_heading = "Global options", value_hint = ValueHint::DirPath,
          value_parser = OsStringValueParser::new())]
    pub start: Vec<std::ffi::OsString>,
    /// The memory's data directory; also MEMDIR
    #[arg(long, value_name = "DIR", help_heading = "Global options", value_hint = ValueHint::DirPath)]
    pub dir: Option<std::path::PathBuf>,
    /// Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)
    #[arg(short = 'g', long, help_heading = "Global options", conflicts_with = "dir")]
    pub global: bool,
    /// A scope of the memory, where the command sees and changes nothing else ('*' for query: all); else MEMDIR_SCOPE
    #[arg(short = 'S', long, value_name = "NAME", help_heading = "Global options")]
    pub scope: Option<String>,
    /// The caller's name, recorded in the history; also MEMDIR_AS
    #[arg(long = "as", value_name = "NAME", help_heading = "Global options")]
    pub actor: Option<String>,
    /// Print one JSON object: the answer on stdout, or the error on stderr
    #[arg(long, help_heading = "Global options")]
    pub json: bool,
    /// Print no result of a change and no warnings
    #[arg(short, long, help_heading = "Global options", conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also print etags, metadata and how the memory was found
    #[arg(short, long, help_heading = "Global options")]
    pub verbose: bool,
    /// Colour: auto (on a terminal without NO_COLOR), always or never
    #[arg(long, value_name = "WHEN", help_heading = "Global options", hide_possible_values = true)]
    pub color: Option<ColorChoice>,
    /// Print everything at once, not through MEMDIR_PAGER or PAGER
    #[arg(long, help_heading = "Global options")]
    pub no_pager: bool,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

// Options that every change takes.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct ChangeArgs {
    /// Show what would change, write nothing
    #[arg(short = 'n', long, help_heading = "Change options")]
    pub dry_run: bool,
    /// The reason, recorded in the history
    #[arg(short = 'm', long, value_name = "TEXT", help_heading = "Change options", value_parser = argv::text_value)]
    pub reason: Option<String>,
    /// The source, recorded in the history
    #[arg(long, value_name = "ID", help_heading = "Change options", value_parser = argv::text_value)]
    pub source: Option<String>,
    /// The user's words that agree to this change of a sensitive field, verbatim; recorded in the history
    #[arg(long, value_name = "QUOTE", help_heading = "Change options", value_parser = argv::text_value)]
    pub consent: Option<String>,
    /// Seconds to wait for another writer (default 10)
    #[arg(long, value_name = "S", help_heading = "Change options", allow_negative_numbers = true, value_parser = seconds)]
    pub lock_timeout: Option<std::time::Duration>,
}

// Options of the changes to a file that was read before.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct FileChangeArgs {
    #[command(flatten)]
    pub change_args: ChangeArgs,
    /// Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)
    #[arg(long, value_name = "ETAG", help_heading = "Change options", value_parser = etag_prefix)]
    pub if_match: Option<String>,
    /// Skip the staleness check when acting on an index, an id or a whole file
    #[arg(short, long, help_heading = "Change options")]
    pub force: bool,
}

// Options of the changes that may create a file, too.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct FileCreationArgs {
    #[command(flatten)]
    pub file_change_args: FileChangeArgs,
    /// Create a new file even if its name is close to an existing one, or has another extension than .md
    #[arg(long, help_heading = "Change options")]
    pub create: bool,
}

/// What the options of a change say: how it is made, and how long it waits for the lock.
#[derive(Default)]
pub struct ChangeSettings {
    pub options: ChangeOptions,
    pub lock_timeout: Option<std::time::Duration>,
}

impl ChangeSettings {
    pub fn force(mut self, force: bool) -> Self {
        self.options.force = force;
        self
    }

    pub fn create(mut self, create: bool) -> Self {
        self.options.create = create;
        self
    }
}

impl From<&ChangeArgs> for ChangeSettings {
    fn from(args: &ChangeArgs) -> Self {
        let options = ChangeOptions {
            dry_run: args.dry_run,
            reason: args.reason.clone(),
            source: args.source.clone(),
            consent: args.consent.clone(),
            ..ChangeOptions::default()
        };
        ChangeSettings { options, lock_timeout: args.lock_timeout }
    }
}

impl From<&FileChangeArgs> for ChangeSettings {
    fn from(args: &FileChangeArgs) -> Self {
        let mut settings = ChangeSettings::from(&args.change_args).force(args.force);
        settings.options.if_match.clone_from(&args.if_match);
        settings
    }
}

impl From<&FileCreationArgs> for ChangeSettings {
    fn from(args: &FileCreationArgs) -> Self {
        ChangeSettings::from(&args.file_change_args).create(args.create)
    }
}

/// Parses a number of seconds, such as `0.5`.
pub fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let error = || "expected a number of seconds, such as 0.5 or 10".to_owned();
    let n: f64 = text.parse().map_err(|_| error())?;
    std::time::Duration::try_from_secs_f64(n).map_err(|_| error())
}

/// Parses the start of an etag, 8 to 64 hex digits.
pub fn etag_prefix(text: &str) -> Result<String, String> {
    if crate::change::Etag::is_prefix(text) {
        Ok(text.to_owned())
    } else {
        Err("expected an etag, 8 to 64 hex digits".to_owned())
    }
}

/// All commands with their options, as clap parses them and as help, man pages and completions describe them.
pub fn command() -> Command {
    command_with(|_| true)
}

/// The grammar without internal commands.
pub fn public_command() -> Command {
    command_with(|spec| !spec.name.starts_with("__"))
}

fn command_with(is_listed: impl Fn(&subcommands::CommandSpec) -> bool) -> Command {
    let root = Command::new("memdir")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Memory for agents as a directory of markdown")
        .override_help(subcommands::HELP)
        .disable_help_subcommand(true)
        .subcommands(subcommands::ALL.iter().filter(|spec| is_listed(spec)).map(subcommands::CommandSpec::command));
    GlobalArgs::augment_args(root)
}

/// The global options, given before or after the subcommand, and the subcommand if there is one.
pub fn from_matches(matches: &ArgMatches) -> Result<(GlobalArgs, Option<subcommands::CliCommand>), clap::Error> {
    let mut global = GlobalArgs::from_arg_matches(matches)?;
    let Some((name, sub_matches)) = matches.subcommand() else {
        return Ok((global, None));
    };
    global.override_with(GlobalArgs::from_arg_matches(sub_matches)?);
    if name == "bullet"
        && let Some((_, bullet_matches)) = sub_matches.subcommand()
    {
        global.override_with(GlobalArgs::from_arg_matches(bullet_matches)?);
    }
    if global.quiet && global.verbose || global.global && global.dir.is_some() {
        let message = "-q cannot be used with -v, nor --dir with -g\n";
        return Err(clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, message));
    }
    Ok((global, Some(subcommands::from_matches(name, sub_matches)?)))
}

/// Parses a number of rows or tokens.
pub fn whole_number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number, 0 or more".to_owned())
}

impl GlobalArgs {
    /// Overrides options given before the subcommand with those given after it.
    fn override_with(&mut self, later: GlobalArgs) {
        self.start.extend(later.start);
        self.dir = later.dir.or(self.dir.take());
        self.scope = later.scope.or(self.scope.take());
        self.actor = later.actor.or(self.actor.take());
        self.color = later.color.or(self.color);
        self.global |= later.global;
        self.json |= later.json;
        self.quiet |= later.quiet;
        self.verbose |= later.verbose;
        self.no_pager |= later.no_pager;
    }
}

/// Adds to one subcommand its own options, then the global ones.
pub fn grammar<A: Args>(command: Command) -> Command {
    let help = clap::Arg::new("help").short('h').long("help").action(ArgAction::HelpShort);
    let help = help.help("Print help").help_heading("Global options");
    GlobalArgs::augment_args(A::augment_args(command)).disable_help_flag(true).arg(help)
}
