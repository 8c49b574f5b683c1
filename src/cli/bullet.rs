//! `bullet` and its subcommands, as clap parses them.
//!
//! Never runs a command: they are those of the commands without `bullet`.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::args::grammar;
use super::change_args::{AddArgs, BulletDelArgs, UpdateArgs};
use super::list_and_read::BulletListArgs;
use super::subcommands::{CommandSpec, no_such};

/// `bullet` and its own subcommand.
#[derive(Debug)]
pub struct BulletArgs {
    pub command: BulletCommand,
}

/// A parsed subcommand of `bullet`.
#[derive(Debug)]
pub enum BulletCommand {
    Add(AddArgs),
    Del(BulletDelArgs),
    Update(UpdateArgs),
    List(BulletListArgs),
}

/// The subcommands of `bullet`.
pub const BULLET: &[CommandSpec] = &[
    bullet("add", &[], "Add bullets to a file or section; create it if it is missing", true, |c| {
        grammar::<AddArgs>(c).after_help("Example: memdir bullet add user#work 'Standup at ten'")
    }),
    bullet("del", &["rm"], "Remove one bullet by handle, index or text", true, grammar::<BulletDelArgs>),
    bullet("update", &[], "Replace the text of a bullet", true, |c| {
        grammar::<UpdateArgs>(c).override_usage(BULLET_UPDATE).after_help(BULLET_UPDATE_EXAMPLE)
    }),
    bullet(
        "list",
        &[],
        "List all bullets of a file or section with index and handle",
        false,
        grammar::<BulletListArgs>,
    ),
];

const fn bullet(
    name: &'static str,
    aliases: &'static [&'static str],
    about: &'static str,
    always_may_change: bool,
    grammar: fn(Command) -> Command,
) -> CommandSpec {
    CommandSpec { name, aliases, hidden: false, about: Some(about), always_may_change, grammar }
}

const BULLET_UPDATE: &str = "memdir bullet update [OPTIONS] FILE [--index N] [--old OLD] NEW
       memdir bullet update [OPTIONS] FILE OLD NEW
       memdir bullet update [OPTIONS] FILE@BULLET NEW";
const BULLET_UPDATE_EXAMPLE: &str =
    "Example: memdir bullet update user --index 1 --old 'Prefers tabs' 'Prefers spaces'";

impl Args for BulletArgs {
    fn augment_args(command: Command) -> Command {
        command
            .about("Add, remove, update or list bullets")
            .after_help("Example: memdir bullet list user")
            .subcommand_required(true)
            .disable_help_subcommand(true)
            .subcommands(BULLET.iter().map(CommandSpec::command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        BulletArgs::augment_args(command)
    }
}

impl FromArgMatches for BulletArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<BulletArgs, clap::Error> {
        let command = match matches.subcommand() {
            Some(("add", m)) => BulletCommand::Add(AddArgs::from_arg_matches(m)?),
            Some(("del", m)) => BulletCommand::Del(BulletDelArgs::from_arg_matches(m)?),
            Some(("update", m)) => BulletCommand::Update(UpdateArgs::from_arg_matches(m)?),
            Some(("list", m)) => BulletCommand::List(BulletListArgs::from_arg_matches(m)?),
            _ => return Err(no_such()),
        };
        Ok(BulletArgs { command })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = BulletArgs::from_arg_matches(matches)?;
        Ok(())
    }
}
