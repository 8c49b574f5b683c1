//! Classifies each word of a command line: a subcommand, an option, its value or a positional.
//!
//! Reads the generated table of `grammar_table.rs`, because building clap's own takes longer than most commands. Never
//! reports an error: clap does, when it parses the same words.

pub use super::grammar_table::COMMANDS;

/// The part of a command's grammar that decides what a word is.
#[derive(Debug)]
pub struct CommandGrammar {
    /// The names that call it: `["add"]`, `["bullet", "add"]`; of the program itself none.
    pub path: &'static [&'static str],
    pub aliases: &'static [&'static str],
    /// Its own options that take a value. Those of the program itself are valid with every command.
    pub options: &'static [OptionGrammar],
    pub positionals: &'static [PositionalGrammar],
}

/// An option that takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionGrammar {
    /// Empty if it has only a short name.
    pub long: &'static str,
    pub short: Option<char>,
    pub value: ValueKind,
}

/// A positional argument: what it holds, and whether it may be given several times.
#[derive(Debug)]
pub struct PositionalGrammar {
    pub value: ValueKind,
    pub repeated: bool,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A text of the memory, which may start with a list marker.
    Text,
    /// An address, or a text with a list marker.
    AddressOrText,
    /// A file, section or bullet of the memory.
    Address,
    /// A file of the memory.
    File,
    /// A revision of the memory.
    Revision,
    /// A path in the file system.
    Path,
    /// The name of a scope.
    Scope,
    /// A tag, without `#`.
    Tag,
    /// The name of who made changes.
    Actor,
    /// The name of who calls.
    Caller,
    /// A glob of files of the memory.
    Glob,
    /// A manual page.
    Page,
    Other,
}

impl ValueKind {
    /// Whether a list marker in front of the value is allowed.
    pub const fn is_text(self) -> bool {
        matches!(self, ValueKind::Text | ValueKind::AddressOrText)
    }

    /// Whether memdir knows candidates for the value.
    pub const fn is_completed(self) -> bool {
        !matches!(self, ValueKind::Text | ValueKind::Path | ValueKind::Other)
    }
}

impl CommandGrammar {
    /// Whether a positional is a text of the memory.
    pub fn takes_text(&self) -> bool {
        self.positionals.iter().any(|positional| positional.value.is_text())
    }
}

/// A row of the table: a command.
pub const fn command(
    path: &'static [&'static str],
    aliases: &'static [&'static str],
    options: &'static [OptionGrammar],
    positionals: &'static [PositionalGrammar],
) -> CommandGrammar {
    CommandGrammar { path, aliases, options, positionals }
}

/// A row of the table: an option with a value.
pub const fn option(long: &'static str, short: Option<char>, value: ValueKind) -> OptionGrammar {
    OptionGrammar { long, short, value }
}

/// A row of the table: a positional that is given once.
pub const fn one(value: ValueKind) -> PositionalGrammar {
    PositionalGrammar { value, repeated: false }
}

/// A row of the table: a positional that may be repeated.
pub const fn many(value: ValueKind) -> PositionalGrammar {
    PositionalGrammar { value, repeated: true }
}

/// What one word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordRole {
    Subcommand,
    /// The value of this option, which is the word before.
    OptionValue(&'static OptionGrammar),
    /// One or several options, perhaps with a value in the same word.
    Options,
    DoubleDash,
    Positional(ValueKind),
}

/// Reads the words after the program's name, one by one.
pub struct WordReader {
    /// The command that the words so far call.
    pub command: &'static CommandGrammar,
    positionals: usize,
    open_option: Option<&'static OptionGrammar>,
    after_double_dash: bool,
}

impl WordReader {
    pub fn new() -> WordReader {
        WordReader { command: &COMMANDS[0], positionals: 0, open_option: None, after_double_dash: false }
    }

    /// The command that a whole command line calls.
    pub fn command_of(words: &[std::ffi::OsString]) -> &'static CommandGrammar {
        let mut reader = WordReader::new();
        for word in words {
            reader.read(&word.to_string_lossy());
        }
        reader.command
    }

    /// The option, as written, whose value is a word of its own that starts with `-`: clap takes that for an option.
    pub fn option_before_dash(words: &[std::ffi::OsString]) -> Option<String> {
        let mut reader = WordReader::new();
        let mut option = String::new();
        for word in words {
            let word = word.to_string_lossy().into_owned();
            if matches!(reader.read(&word), WordRole::OptionValue(_)) && word.len() > 1 && word.starts_with('-') {
                return Some(option);
            }
            option = word;
        }
        None
    }

    /// The role of the next word.
    pub fn read(&mut self, word: &str) -> WordRole {
        if let Some(option) = self.open_option.take() {
            return WordRole::OptionValue(option);
        }
        let is_marked_text = self.is_marked_text(word);
        if !self.after_double_dash && word == "--" {
            self.after_double_dash = true;
            return WordRole::DoubleDash;
        }
        if !self.after_double_dash && word.len() > 1 && word.starts_with('-') && !is_marked_text {
            self.open_option = self.option_without_value(word);
            return WordRole::Options;
        }
        if self.positionals == 0
            && let Some(subcommand) = self.subcommand(word)
        {
            self.command = subcommand;
            return WordRole::Subcommand;
        }
        let value = self.next_value();
        self.positionals += 1;
        WordRole::Positional(value)
    }

    /// Whether the next word is the value of an option.
    pub fn expects_value(&self) -> bool {
        self.open_option.is_some()
    }

    /// The kind of the next word, unless it is an option or a subcommand.
    pub fn next_value(&self) -> ValueKind {
        if let Some(option) = self.open_option {
            return option.value;
        }
        let positionals = self.command.positionals;
        let next = positionals.get(self.positionals).or(positionals.last().filter(|last| last.repeated));
        next.map_or(ValueKind::Other, |positional| positional.value)
    }

    fn subcommand(&self, word: &str) -> Option<&'static CommandGrammar> {
        let parent = self.command.path;
        COMMANDS.iter().find(|command| match command.path.split_last() {
            Some((name, rest)) => rest == parent && (*name == word || command.aliases.contains(&word)),
            None => false,
        })
    }

    /// Whether the next word is a text behind a list marker.
    fn is_marked_text(&self, word: &str) -> bool {
        self.next_value().is_text() && strip_list_marker(word).is_some()
    }

    /// The option of the next word whose value is in the same word (`--name=value`, `-Fvalue`), and the index in bytes
    /// at which the value starts. Of an incomplete word the value may be empty: `-F`.
    pub fn attached_value(&self, word: &str, is_incomplete: bool) -> Option<(&'static OptionGrammar, usize)> {
        if self.after_double_dash || self.open_option.is_some() || self.is_marked_text(word) {
            return None;
        }
        if word.starts_with("--") {
            let (name, _) = word.split_once('=')?;
            return Some((self.option_without_value(name)?, name.len() + 1));
        }
        let (option, end) = self.short_option(word.strip_prefix('-').map(|_| word)?)?;
        let value = &word[end..];
        (is_incomplete || !value.is_empty()).then(|| (option, end + usize::from(value.starts_with('='))))
    }

    /// The option of this word whose value is the next word (not `--name=value` or `-Fvalue`).
    fn option_without_value(&self, word: &str) -> Option<&'static OptionGrammar> {
        match word.strip_prefix("--") {
            Some(long) => self.find_option(|option| option.long == long),
            None => self.short_option(word).filter(|(_, end)| *end == word.len()).map(|(option, _)| option),
        }
    }

    /// The first short option of a word that takes a value, and the index in bytes behind it.
    fn short_option(&self, word: &str) -> Option<(&'static OptionGrammar, usize)> {
        let mut shorts = word.char_indices().skip(1);
        shorts.find_map(|(at, c)| Some((self.find_option(|option| option.short == Some(c))?, at + c.len_utf8())))
    }

    fn find_option(&self, is_wanted: impl Fn(&OptionGrammar) -> bool) -> Option<&'static OptionGrammar> {
        self.command.options.iter().chain(COMMANDS[0].options).find(|option| is_wanted(option))
    }
}

/// The text after a list marker, which may be indented. `-n` and `--` are not list markers: a marker is followed by a
/// space or a tab.
pub fn strip_list_marker(word: &str) -> Option<&str> {
    let rest = word.trim_start_matches([' ', '\t']).strip_prefix(['-', '*', '+'])?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start_matches([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the command that a line calls, and the kind of its next word.
    fn check(line: &str, command: &str, next: ValueKind) {
        let mut reader = WordReader::new();
        for word in line.split_whitespace() {
            reader.read(word);
        }
        assert_eq!((reader.command.path.join(" ").as_str(), reader.next_value()), (command, next), "{line}");
    }

    #[test]
    fn options_and_their_values_are_no_positionals() {
        check("list -L 5", "list", ValueKind::Address);
        check("list -L", "list", ValueKind::Other);
        check("add --imp 5", "add", ValueKind::Address);
        check("add user --imp 5 -F", "add", ValueKind::Path);
        check("-C add rm -n user@a", "rm", ValueKind::AddressOrText);
        check("--as x log", "log", ValueKind::Address);
        check("log user", "log", ValueKind::Other);
        check("rm -nm why", "rm", ValueKind::AddressOrText);
        check("rm -nmwhy", "rm", ValueKind::AddressOrText);
        check("mv a", "mv", ValueKind::File);
        check("reflect", "reflect", ValueKind::Path);
        check("diff", "diff", ValueKind::Revision);
        check("read --", "read", ValueKind::Address);
    }

    #[test]
    fn a_value_may_be_in_the_word_of_its_option() {
        let attached = |before: &str, word: &str| {
            let mut reader = WordReader::new();
            for word in before.split_whitespace() {
                reader.read(word);
            }
            reader.attached_value(word, false).map(|(option, at)| (option.value, word[at..].to_owned()))
        };
        let found = |kind, value: &str| Some((kind, value.to_owned()));
        assert_eq!(attached("query", "--tag=a=b"), found(ValueKind::Tag, "a=b"));
        assert_eq!(attached("query", "--tag="), found(ValueKind::Tag, ""));
        assert_eq!(attached("", "-Steam"), found(ValueKind::Scope, "team"));
        assert_eq!(attached("rm", "-nS=team"), found(ValueKind::Scope, "team"));
        assert_eq!(WordReader::new().attached_value("-S", true).map(|(_, at)| at), Some(2));
        for (before, word) in
            [("query", "--tag"), ("", "-S"), ("query", "--new=x"), ("-S", "-Sx"), ("rm --", "-Sx"), ("rm", "- Sx")]
        {
            assert_eq!(attached(before, word), None, "{before} {word}");
        }
    }

    #[test]
    fn aliases_and_the_subcommands_of_bullet_are_commands() {
        check("cat", "read", ValueKind::Address);
        check("bullet", "bullet", ValueKind::Other);
        check("bullet add", "bullet add", ValueKind::Address);
        check("bullet rm -m why", "bullet del", ValueKind::Address);
        check("bullet del user", "bullet del", ValueKind::Text);
        check("nothing list", "", ValueKind::Other);
        check("read list", "read", ValueKind::Other);
    }
}
