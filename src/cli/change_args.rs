//! Options of the commands that change memory text, as clap parses them.
//!
//! Never builds operations: `to_operation.rs` does.

use std::path::PathBuf;

use clap::Args;

use super::args::{ChangeArgs, FileChangeArgs, FileCreationArgs};
use super::argv::{self, RmOperand};
use crate::document::MetaKey;

#[derive(Args, Debug, Default)]
#[command(
    about = "Add bullets to a file or section; create it if it is missing",
    after_help = "Without a text, markdown is read from stdin: each top-level item of a list becomes one bullet, with what \
                  is below it; a text without a list becomes one bullet.\n\n\
                  Example: memdir add user 'Prefers tabs' 'Deploys on Fridays' --tag profile"
)]
#[group(skip)]
pub struct AddArgs {
    /// The file or section
    #[arg(value_name = "FILE[#SECTION]")]
    pub at: String,
    /// The texts; each is one line and becomes one bullet
    #[arg(value_name = "TEXT", value_parser = argv::text_value)]
    pub texts: Vec<String>,
    /// Read a markdown list, or the text of one bullet, from a file (- for stdin)
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Append #T to each text (repeatable)
    #[arg(long = "tag", value_name = "T")]
    pub tags: Vec<String>,
    /// Importance, 0 to 10
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub imp: Option<String>,
    /// The last day on which it is valid, YYYY-MM-DD or today
    #[arg(long, value_name = "DATE")]
    pub exp: Option<String>,
    /// Confidence, 0 to 1
    #[arg(long, value_name = "X")]
    pub conf: Option<String>,
    /// An explicit id (with one text only)
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Always include it in the default context
    #[arg(long)]
    pub pin: bool,
    /// A rule for files whose path matches: src/api/**, docs/*.md
    #[arg(long, value_name = "GLOB,…")]
    pub when: Option<String>,
    /// Other words by which query and hooks find it, as people will say it: 'new column, alter table'
    #[arg(long, value_name = "WORDS")]
    pub keywords: Option<String>,
    /// Keep it for the git branch that is checked out; `check` lists it once that is merged or deleted
    #[arg(long)]
    pub branch: bool,
    #[command(flatten)]
    pub change_args: FileCreationArgs,
}

impl AddArgs {
    /// The metadata of the options in the order of a metadata line; the current branch has an empty value. A test
    /// compares the keys with the table of metadata keys.
    pub fn metadata(&self) -> Vec<(String, String)> {
        let pin = self.pin.then(|| "true".to_owned());
        let given = [
            (MetaKey::Id, &self.id),
            (MetaKey::Exp, &self.exp),
            (MetaKey::Conf, &self.conf),
            (MetaKey::Imp, &self.imp),
            (MetaKey::Pin, &pin),
            (MetaKey::When, &self.when),
            (MetaKey::Keywords, &self.keywords),
            (MetaKey::Branch, &self.branch.then(String::new)),
        ];
        given.into_iter().filter_map(|(key, value)| Some((key.name().to_owned(), value.clone()?))).collect()
    }
}

#[derive(Args, Debug, Default)]
#[command(
    about = "Replace the text of a bullet",
    override_usage = "memdir update [OPTIONS] FILE@BULLET NEW\n       memdir update [OPTIONS] FILE OLD NEW",
    after_help = "Without NEW, or with -, the new text is read from stdin. It may have several lines; a code block below its \
                  first paragraph, or the list below a single list item, replaces what is below the bullet.\n\n\
                  Example: memdir update user@acvh 'Prefers spaces'"
)]
#[group(skip)]
pub struct UpdateArgs {
    /// The bullet, or the file or section that contains OLD
    #[arg(value_name = "ADDRESS")]
    pub at: String,
    /// The current text (unless the address names the bullet) and the new text
    #[arg(value_name = "TEXT", num_args = 0..=2, value_parser = argv::text_value)]
    pub texts: Vec<String>,
    /// The n-th bullet of the file or section, from 1
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub index: Option<i64>,
    /// The bullet's current text
    #[arg(long, value_name = "OLD", value_parser = argv::text_value)]
    pub old: Option<String>,
    /// Read the new text from a file (- for stdin)
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub change_args: FileChangeArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Remove bullets, sections or files",
    after_help = "Removing a whole file or section needs --if-match or -f.\n\nExample: memdir rm user@acvh user@qe2f"
)]
#[group(skip)]
pub struct RmArgs {
    /// FILE@BULLET, FILE#SECTION or FILE; an argument with a list marker ('- text') is the text of a bullet in the file
    /// before it
    #[arg(value_name = "ADDRESS", required = true, value_parser = argv::rm_operand)]
    pub words: Vec<RmOperand>,
    /// Move what is removed to archive/
    #[arg(long, conflicts_with = "forget")]
    pub archive: bool,
    /// Erase its text also from the undo files, history and archive; cannot be undone
    #[arg(long)]
    pub forget: bool,
    #[command(flatten)]
    pub change_args: FileChangeArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Move a bullet, section or file",
    after_help = "Moving a file updates the links to it in all other files. With layers, a destination that names none \
                  is in the layer of ADDRESS; LAYER: in front of it, or a layer's name alone, moves a bullet \
                  there.\n\nExample: memdir mv user@acvh preferences#editor"
)]
#[group(skip)]
pub struct MvArgs {
    /// The bullet, section or file to move
    #[arg(value_name = "ADDRESS")]
    pub at: String,
    /// The destination: a file or section; for a file, its new name
    #[arg(value_name = "DEST")]
    pub to: String,
    #[command(flatten)]
    pub change_args: FileCreationArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Set a bullet's metadata, a section's title or id, a file's summary or front matter",
    after_help = "An empty value removes the key. A key that holds a date takes today, too: upd=today says that a \
                  bullet is still true.\n\nExample: memdir set user@acvh imp=7 exp=2026-12-31"
)]
#[group(skip)]
pub struct SetArgs {
    /// A bullet, section or file
    #[arg(value_name = "ADDRESS")]
    pub at: String,
    /// Keys with their new values
    #[arg(value_name = "KEY=VALUE", required = true)]
    pub pairs: Vec<String>,
    #[command(flatten)]
    pub change_args: FileChangeArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Append an episode entry or a block of markdown",
    after_help = "The text is read from stdin unless -F names a file. On a terminal, $VISUAL or $EDITOR is opened.\n\n\
                  Example: echo '- Lesson: flush before exit' | memdir append -t 'Logger fix'"
)]
#[group(skip)]
pub struct AppendArgs {
    /// The file (default: the current episode file)
    #[arg(value_name = "FILE")]
    pub at: Option<String>,
    /// - for stdin, which is the default
    #[arg(value_name = "-")]
    pub content: Option<String>,
    /// The title of the entry, one line
    #[arg(short, long, value_name = "TITLE", value_parser = argv::text_value)]
    pub title: Option<String>,
    /// The entry's own summary, one line
    #[arg(short, long, value_name = "S", value_parser = argv::text_value)]
    pub summary: Option<String>,
    /// The entry's date, YYYY-MM-DD (default: today)
    #[arg(short, long, value_name = "DATE")]
    pub date: Option<String>,
    /// The file's summary line, instead of the derived one
    #[arg(long, value_name = "S", value_parser = argv::text_value)]
    pub file_summary: Option<String>,
    /// Read the text from a file (- for stdin)
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub change_args: FileCreationArgs,
}

impl AppendArgs {
    /// Whether the arguments name the source of the text.
    pub fn names_content(&self) -> bool {
        self.file.is_some() || self.content.is_some() || self.at.as_deref() == Some("-")
    }
}

#[derive(Args, Debug)]
#[command(
    about = "Replace exact texts, each of which must occur exactly once",
    after_help = "Without --old, JSON is read from stdin: [{\"oldText\":\"…\",\"newText\":\"…\"}].\n\n\
                  Example: memdir patch user --old 'tabs' --new 'spaces'"
)]
#[group(skip)]
pub struct PatchArgs {
    /// The file that contains the texts
    #[arg(value_name = "FILE")]
    pub at: String,
    /// - for stdin, which is the default
    #[arg(value_name = "-")]
    pub content: Option<String>,
    /// A text that occurs exactly once (repeatable, each with its --new)
    #[arg(long, value_name = "A", value_parser = argv::text_value, allow_hyphen_values = true)]
    pub old: Vec<String>,
    /// The text that replaces it, one line (repeatable, each with its --old)
    #[arg(long, value_name = "B", value_parser = argv::text_value, allow_hyphen_values = true)]
    pub new: Vec<String>,
    /// Read the JSON from a file (- for stdin)
    #[arg(short = 'F', long = "file", value_name = "FILE", conflicts_with_all = ["old", "new"])]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub change_args: FileChangeArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Create or replace a whole file",
    after_help = "The text is read from stdin unless -F names a file. Replacing an existing file needs --if-match or -f.\n\n\
                  Example: memdir write project -F project.md --if-match 3f2a9c01"
)]
#[group(skip)]
pub struct WriteArgs {
    /// The file to create or replace
    #[arg(value_name = "FILE")]
    pub at: String,
    /// - for stdin, which is the default
    #[arg(value_name = "-")]
    pub content: Option<String>,
    /// Read the text from a file (- for stdin)
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub change_args: FileCreationArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Apply a batch of operations, all or nothing",
    after_help = "JSON is read from stdin unless -F names a file: one operation, an array, JSON Lines or an envelope.\n\n\
                  Example: echo '{\"op\":\"add\",\"at\":\"user\",\"text\":\"Prefers tabs\"}' | memdir apply"
)]
#[group(skip)]
pub struct ApplyArgs {
    /// - for stdin, which is the default
    #[arg(value_name = "-")]
    pub content: Option<String>,
    /// Read the operations from a file (- for stdin)
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub change_args: FileCreationArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Edit a file in $VISUAL or $EDITOR; other writers are not blocked",
    after_help = "Example: EDITOR=nano memdir edit user"
)]
#[group(skip)]
pub struct EditArgs {
    /// The file to edit
    #[arg(value_name = "FILE")]
    pub at: String,
    /// Continue with a copy that an earlier edit kept
    #[arg(long, value_name = "PATH")]
    pub resume: Option<PathBuf>,
    /// Create a new file even if its name is close to an existing one, or has another extension than .md
    #[arg(long, help_heading = "Change options")]
    pub create: bool,
    #[command(flatten)]
    pub change_args: ChangeArgs,
}

#[derive(Args, Debug)]
#[command(
    about = "Remove one bullet by handle, index or text",
    after_help = "Example: memdir bullet del user --index 2 'Deploys on Fridays'"
)]
#[group(skip)]
pub struct BulletDelArgs {
    /// The bullet, or the file or section that contains it
    #[arg(value_name = "ADDRESS")]
    pub at: String,
    /// The bullet's current text
    #[arg(value_name = "TEXT", value_parser = argv::text_value)]
    pub text: Option<String>,
    /// The n-th bullet of the file or section, from 1
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub index: Option<i64>,
    /// Move what is removed to archive/
    #[arg(long, conflicts_with = "forget")]
    pub archive: bool,
    /// Erase its text also from the undo files, history and archive; cannot be undone
    #[arg(long)]
    pub forget: bool,
    #[command(flatten)]
    pub change_args: FileChangeArgs,
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn each_option_of_add_with_the_name_of_a_key_sets_that_key() {
        let command = AddArgs::augment_args(clap::Command::new("add"));
        let has_option = |key: &&MetaKey| command.get_arguments().any(|arg| arg.get_long() == Some(key.name()));
        let keys: Vec<&MetaKey> = MetaKey::ALL.iter().filter(has_option).collect();
        assert!(keys.len() > 3);
        let mut line = vec!["add".to_owned(), "user".to_owned()];
        for key in &keys {
            let mut options = command.get_arguments();
            let option = options.find(|arg| arg.get_long() == Some(key.name())).expect("add has the key's option");
            line.push(format!("--{}", key.name()));
            line.extend(option.get_action().takes_values().then(|| "1".to_owned()));
        }
        let args = AddArgs::from_arg_matches(&command.get_matches_from(line)).unwrap();
        let given: Vec<String> = args.metadata().into_iter().map(|(key, _)| key).collect();
        assert_eq!(given, keys.iter().map(|key| key.name()).collect::<Vec<_>>());
    }
}
