//! The paths that a shell command names, in the directory in which each is meant.
//!
//! Never reads the disk and never runs anything: a word is a path by its form, its place and its command. What cannot
//! be known without running the command (variables, the output of others) names no path.

use super::brace_expansion::expand_braces;
use super::shell_options::{DirectoryOption, has_letter, names_text, takes_text};
use super::shell_tokens::{ShellToken, ShellWord, shell_tokens};
use super::word_list::{WordList, word_list};
use crate::path::normalize;

const COMMANDS: WordList = word_list!("shell/commands.txt");
/// Options with which the first operand of a command is no pattern.
const PATTERN_OPTIONS: [&str; 6] = ["-e", "-f", "--regexp", "--expression", "--file", "--files"];
/// How deep commands within commands are read.
const MAX_DEPTH: usize = 4;
/// The most words that the braces of one stand for.
const MAX_EXPANSIONS: usize = 32;
/// The most paths of a command; a file that is changed with all that is below it counts twice.
const MAX_PATHS: usize = 100;

/// The absolute paths that a command names, run in the absolute `working_dir`, in their order, each once; not that
/// directory itself. A path may be a glob; `DIR/**` stands for all that is below a directory that the command changes.
pub fn command_paths(command: &str, working_dir: &str) -> Vec<String> {
    CommandReader::of(command, working_dir).paths
}

/// The commands that a command runs, as a text names them: the program and its first operand, `make release`. Those
/// that take files or texts only, as `cat` does, have no such name.
pub fn command_names(command: &str) -> Vec<String> {
    CommandReader::of(command, "/").names
}

/// The programs that a command runs without such an operand, `psql -c …`, `ssh host`, each once.
pub fn command_programs(command: &str) -> Vec<String> {
    CommandReader::of(command, "/").programs
}

/// What the words after a command are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordKind {
    /// Paths and other words: what looks like a path is one.
    Mixed,
    Files,
    /// Files that are changed with all that is below them.
    Tree,
    /// A pattern, then files.
    Pattern,
    Text,
    /// Another command.
    Prefix,
    /// Options, and a script after `-c`.
    Shell,
    /// Directories, then conditions.
    Find,
    ChangeDirectory,
    /// Hosts, databases, scripts: as [`WordKind::Mixed`], but the first is no command.
    Operands,
}

impl WordKind {
    fn of(command: &str) -> WordKind {
        match COMMANDS.value(command) {
            Some("files") => WordKind::Files,
            Some("tree") => WordKind::Tree,
            Some("pattern") => WordKind::Pattern,
            Some("text") => WordKind::Text,
            Some("prefix") => WordKind::Prefix,
            Some("shell") => WordKind::Shell,
            Some("find") => WordKind::Find,
            Some("cd") => WordKind::ChangeDirectory,
            Some("operands") => WordKind::Operands,
            _ => WordKind::Mixed,
        }
    }
}

#[derive(Default)]
struct CommandReader {
    working_dir: String,
    /// The directory of the next command; `None` if it is not known.
    dir: Option<String>,
    previous: Option<String>,
    paths: Vec<String>,
    /// Programs with their first operands.
    names: Vec<String>,
    /// Programs without an operand that can be the name of a command.
    programs: Vec<String>,
}

impl CommandReader {
    fn of(command: &str, working_dir: &str) -> CommandReader {
        let working_dir = normalize(working_dir);
        let mut reader = CommandReader { dir: Some(working_dir.clone()), working_dir, ..CommandReader::default() };
        reader.read_script(command, 0);
        reader
    }

    fn read_script(&mut self, script: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let (outer, mut groups, mut words) = (self.dir.clone(), Vec::new(), Vec::new());
        let mut tokens = shell_tokens(script).into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                ShellToken::Word(word) => words.push(word),
                ShellToken::CommandEnd => self.read_command(&std::mem::take(&mut words), depth),
                ShellToken::GroupStart => {
                    self.read_command(&std::mem::take(&mut words), depth);
                    groups.push(self.dir.clone());
                }
                ShellToken::GroupEnd => {
                    self.read_command(&std::mem::take(&mut words), depth);
                    self.dir = groups.pop().unwrap_or_else(|| self.dir.clone());
                }
                ShellToken::Redirect => {
                    if let Some(ShellToken::Word(file)) = tokens.next_if(|token| matches!(token, ShellToken::Word(_))) {
                        let is_descriptor = file.text.chars().all(|c| c.is_ascii_digit() || c == '-');
                        self.add_word(if is_descriptor { "" } else { &file.text }, &file, WordKind::Files);
                    }
                }
                ShellToken::TextRedirect => drop(tokens.next_if(|token| matches!(token, ShellToken::Word(_)))),
                ShellToken::Substitution(commands) => {
                    let dir = self.dir.clone();
                    self.read_script(&commands, depth + 1);
                    self.dir = dir;
                }
            }
        }
        self.read_command(&words, depth);
        // A script of its own leaves the directory of the one that runs it.
        if depth > 0 {
            self.dir = outer;
        }
    }

    /// Reads the words of one simple command.
    fn read_command(&mut self, words: &[ShellWord], depth: usize) {
        let is_assignment = |word: &&ShellWord| {
            let name = word.text.split_once('=').map(|(name, _)| name.trim_end_matches('+'));
            name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        };
        let words = &words[words.iter().take_while(is_assignment).count()..];
        let Some((program, rest)) = words.split_first() else { return };
        let name = program.text.rsplit('/').next().unwrap_or_default();
        if program.text.contains('/') {
            self.add_word(&program.text, program, WordKind::Mixed);
        }
        let dir = self.dir.clone();
        match WordKind::of(name) {
            WordKind::ChangeDirectory => return self.change_directory(rest),
            _ if name == "popd" => return std::mem::swap(&mut self.dir, &mut self.previous),
            WordKind::Shell => self.read_shell(name, rest, depth),
            WordKind::Prefix => return self.read_prefixed(name, rest, depth),
            WordKind::Find => self.read_find(name, rest, depth),
            kind => self.read_operands(name, rest, kind),
        }
        // `git -C DIR` is for one command.
        self.dir = dir;
    }

    fn change_directory(&mut self, words: &[ShellWord]) {
        let target = words.iter().find(|word| word.text == "-" || !word.text.starts_with('-'));
        let next = match target.map(|word| (word.text.as_str(), word)) {
            Some(("-", _)) => self.previous.clone(),
            // Which it is, is not known: mostly the root of the repository.
            Some((text, word)) if word.has_output || text.contains('$') && self.without_pwd(text).is_none() => {
                Some(self.working_dir.clone())
            }
            None | Some(("", _)) => None,
            Some((text, _)) if text.starts_with('~') => None,
            Some((text, _)) => self.absolute(text),
        };
        self.previous = std::mem::replace(&mut self.dir, next);
    }

    /// Reads the script after `-c`; of `eval`, all words; else the file that is run.
    fn read_shell(&mut self, name: &str, words: &[ShellWord], depth: usize) {
        let is_script =
            |word: &ShellWord| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c');
        if name == "eval" {
            let script: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            return self.read_script(&script.join(" "), depth + 1);
        }
        match words.iter().position(is_script) {
            Some(at) => words.get(at + 1).into_iter().for_each(|script| self.read_script(&script.text, depth + 1)),
            None => self.read_operands(name, words, WordKind::Files),
        }
    }

    /// Reads the command after `sudo`, `env`, `then` and the like.
    fn read_prefixed(&mut self, name: &str, words: &[ShellWord], depth: usize) {
        let (mut at, outer) = (0, self.dir.clone());
        let mut is_elsewhere = false;
        while let Some(word) = words.get(at).filter(|word| word.text.starts_with(['-', '+'])) {
            at += match DirectoryOption::of(name, &word.text, words.get(at + 1)) {
                Some(DirectoryOption { dir, is_next }) => {
                    self.dir = self.absolute(&dir);
                    is_elsewhere = true;
                    1 + usize::from(is_next)
                }
                None => 1 + usize::from(takes_text(name, &word.text)),
            };
        }
        // A duration or a number stands before the command of `timeout` and `nice`.
        at += usize::from(words.get(at).is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit())));
        if depth < MAX_DEPTH {
            self.read_command(&words[at.min(words.len())..], depth + 1);
        }
        // `do cd DIR` changes the directory of what follows.
        if is_elsewhere {
            self.dir = outer;
        }
    }

    fn read_find(&mut self, name: &str, words: &[ShellWord], depth: usize) {
        let is_condition = |word: &ShellWord| word.text.starts_with(['-', '(', '!']) && word.text.len() < 40;
        if name.starts_with("fd") {
            return self.read_operands(name, words, WordKind::Pattern);
        }
        let folders = words.iter().position(is_condition).unwrap_or(words.len());
        let changes = ["-delete", "-exec", "-execdir", "-ok"];
        let run = words.iter().position(|word| changes.contains(&word.text.as_str()));
        let kind = if run.is_some() { WordKind::Tree } else { WordKind::Files };
        words[..folders].iter().for_each(|word| self.add_word(&word.text, word, kind));
        if let Some(run) = run.filter(|_| depth < MAX_DEPTH) {
            let is_own = |word: &&ShellWord| !["{}", "+", ";"].contains(&word.text.as_str());
            let command: Vec<ShellWord> = words[run + 1..].iter().filter(is_own).cloned().collect();
            self.read_command(&command, depth + 1);
        }
    }

    fn read_operands(&mut self, name: &str, words: &[ShellWord], kind: WordKind) {
        let (mut kind, mut options_end) = (kind, false);
        let mut is_pattern_due = kind == WordKind::Pattern;
        let mut command = name.to_owned();
        let mut is_name_due = kind == WordKind::Mixed;
        // `git` and `gh` have commands, whatever else is known of their words.
        let mut is_alone = is_plain_name(name) && !matches!(name, "git" | "gh");
        let mut follows_option = false;
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            let is_option = !options_end && text.starts_with('-') && text.len() > 1;
            if is_name_due && !is_option {
                is_alone &= !self.add_name(name, word);
                // It may be the value of that option: `pulumi -s dev up`.
                is_name_due = follows_option;
            }
            follows_option = false;
            if is_option {
                options_end = text == "--";
                is_pattern_due &= !PATTERN_OPTIONS.iter().any(|option| text == *option || has_letter(text, option));
                if let Some(DirectoryOption { dir, is_next }) = DirectoryOption::of(name, text, words.peek().copied()) {
                    if name != "git" {
                        self.add_word(&dir, word, WordKind::Files);
                    }
                    self.dir = self.absolute(&dir);
                    words.next_if(|_| is_next);
                } else if takes_text(name, text) {
                    words.next();
                } else if let Some((option, value)) = text.split_once('=') {
                    if !names_text(name, option) && kind != WordKind::Text {
                        self.add_word(value, word, WordKind::Mixed);
                    }
                } else {
                    follows_option = true;
                }
            } else if name == "git" && command == "git" {
                command = format!("git:{text}");
                kind = WordKind::of(&command);
                is_pattern_due = kind == WordKind::Pattern;
            } else if is_pattern_due {
                is_pattern_due = text.is_empty();
            } else if kind != WordKind::Text {
                let (_, after_revision) = text.split_once(':').filter(|_| name == "git").unwrap_or(("", text));
                self.add_word(after_revision, word, if kind == WordKind::Pattern { WordKind::Files } else { kind });
            }
        }
        if is_alone && !self.programs.iter().any(|known| known == name) {
            self.programs.push(name.to_owned());
        }
    }

    /// Adds a program with its first operand, if that can be the name of a command of the program. Returns whether it
    /// can.
    fn add_name(&mut self, program: &str, word: &ShellWord) -> bool {
        let name = format!("{program} {}", word.text);
        let is_name = !word.has_output && is_plain_name(program) && is_plain_name(&word.text);
        if is_name && !self.names.contains(&name) {
            self.names.push(name);
        }
        is_name
    }

    /// Adds the paths that a word names.
    fn add_word(&mut self, text: &str, word: &ShellWord, kind: WordKind) {
        if word.has_output || text.contains("://") || text.len() > 1024 {
            return;
        }
        let text = text.split_once('=').map_or(text, |(_, value)| value).trim_start_matches('@');
        let all = if text.contains("${") { vec![text.to_owned()] } else { expand_braces(text, MAX_EXPANSIONS) };
        for text in all {
            let known = self.without_pwd(&text);
            let text = known.as_deref().unwrap_or(&text);
            // A place in a file: `a.rs:10:3`, `a.py::test`.
            let text = text.split_once(':').map_or(text, |(file, _)| file);
            let needs_look = matches!(kind, WordKind::Mixed | WordKind::Operands);
            if !text.contains('$') && (!needs_look || looks_like_path(text)) {
                self.add_path(text, kind == WordKind::Tree);
            }
        }
    }

    fn add_path(&mut self, text: &str, is_tree: bool) {
        let is_text = text.is_empty() || text.starts_with('-') || text.contains(['\n', '\0']) || text.starts_with('~');
        let Some(path) = self.absolute(text).filter(|_| !is_text) else { return };
        if self.working_dir == path || self.working_dir.starts_with(&format!("{}/", path.trim_end_matches('/'))) {
            return;
        }
        let mut add = |path: String| {
            if self.paths.len() < MAX_PATHS && !self.paths.contains(&path) {
                self.paths.push(path);
            }
        };
        let classes = without_classes(&path);
        if is_tree {
            // A file has nothing below it.
            add(path.clone());
            add(format!("{path}/**"));
        } else {
            add(path);
        }
        classes.into_iter().for_each(add);
    }

    /// A word with the directory in the place of `$PWD`; `None` if it has no such start.
    fn without_pwd(&self, text: &str) -> Option<String> {
        let rest = ["$PWD", "${PWD}"].iter().find_map(|name| text.strip_prefix(name))?;
        let dir = self.dir.as_ref().filter(|_| !rest.contains('$') && (rest.is_empty() || rest.starts_with('/')))?;
        Some(format!("{dir}{rest}"))
    }

    fn absolute(&self, text: &str) -> Option<String> {
        let text = self.without_pwd(text).unwrap_or_else(|| text.to_owned());
        if text.starts_with('/') {
            Some(normalize(&text))
        } else {
            self.dir.as_ref().map(|dir| normalize(&format!("{dir}/{text}")))
        }
    }
}

/// Whether a word can be the name of a program or of a command of one.
fn is_plain_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-:.".contains(c))
}

/// Whether a word is a path by its form: one with a slash, or with an ending.
fn looks_like_path(word: &str) -> bool {
    word.len() > 2
        && word.chars().all(|c| c.is_alphanumeric() || "/._-@+*?[]()".contains(c))
        && (word.contains('/') || word.trim_start_matches('.').contains('.'))
}

/// Whether the last name of a path is one that folders have: without an ending.
pub fn is_folder_name(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    !name.trim_start_matches('.').contains('.')
}

/// The path with `?` in the place of its classes, `[ab]`; `None` without any.
fn without_classes(path: &str) -> Option<String> {
    let (mut text, mut rest) = (String::new(), path);
    while let Some((before, class)) = rest.split_once('[') {
        let (_, after) = class.split_once(']')?;
        text.push_str(before);
        text.push('?');
        rest = after;
    }
    (rest.len() < path.len()).then(|| text + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        let paths = command_paths(command, "/w");
        let relative: Vec<&str> = paths.iter().map(|path| path.strip_prefix("/w/").unwrap_or(path)).collect();
        assert_eq!(relative, expected, "{command}");
    }

    #[test]
    fn a_program_is_known_without_an_operand() {
        let check = |command: &str, expected: &[&str]| assert_eq!(command_programs(command), expected, "{command}");
        check("PGPASSWORD=x psql -h prod -c 'select 1' | less", &["psql", "less"]);
        check("cd api && sudo terraform --version; psql production", &["terraform", "psql"]);
        check("cat psql.md; echo psql; git -C x commit -m psql", &["cat", "echo"]);
        check("sqlite3 app.db .tables; rsync -a a/ b/; ssh web1", &["sqlite3", "rsync", "ssh"]);
        check("mysql -h db1 -u app -e x", &["mysql"]);
    }

    #[test]
    fn a_path_is_one_of_the_directory_that_the_command_is_in() {
        check("cd src && sed -i s/a/b/ api/x.rs", &["src/api/x.rs"]);
        check("cd /w/src/api; vim x.rs", &["src/api/x.rs"]);
        check("(cd src/api; vim x.rs); vim y.rs", &["src/api/x.rs", "y.rs"]);
        check("pushd src >/dev/null && vim a.rs; popd; vim b.rs", &["/dev/null", "src/a.rs", "b.rs"]);
        check("cd src\ncd ..\nvim a", &["a"]);
        check("cd src && cd - && vim a", &["a"]);
        check("cd \"$(git rev-parse --show-toplevel)\" && vim src/a.rs", &["src/a.rs"]);
        check("cd && vim a.rs; cd ~/x && vim b.rs", &[]);
        check("git -C src add api/x.rs && git add b", &["src/api/x.rs", "src/api/x.rs/**", "b", "b/**"]);
        check("make -C src/api -j4 all", &["src/api"]);
        check("bash -lc 'cd src && vim a.rs' && vim b.rs", &["src/a.rs", "b.rs"]);
        check("for d in a b; do cd src; vim x.rs; done", &["src/x.rs"]);
        check("vim $PWD/src/a.rs \"${PWD}/b.rs\" $X/c.rs ~/d.rs", &["src/a.rs", "b.rs"]);
    }

    #[test]
    fn a_word_is_a_path_by_its_form_and_its_place() {
        check("echo x >src/a.rs 2>>b&>c 2>&1", &["src/a.rs", "b", "c"]);
        check("vim src/*.rs x/{a,b}.rs", &["src/*.rs", "x/a.rs", "x/b.rs"]);
        check("mv src/x.rs{,.bak}", &["src/x.rs", "src/x.rs/**", "src/x.rs.bak", "src/x.rs.bak/**"]);
        check("rm -rf src/api ./build", &["src/api", "src/api/**", "build", "build/**"]);
        check("rg x --glob=src/a.rs -g 'src/**'", &["src/a.rs", "src/**"]);
        check("code --goto src/a.rs:10:3; pytest t/x.py::test", &["src/a.rs", "t/x.py"]);
        check("find src -name '*.rs' -exec sed -i s/a/b/ {} +", &["src", "src/**"]);
        check("vim 'app/[id]/page.tsx'", &["app/[id]/page.tsx", "app/?/page.tsx"]);
        check("git show HEAD~2:src/a.rs", &["src/a.rs"]);
        check("sudo -u bob env A=b/c.rs timeout 5 vim Makefile", &["Makefile"]);
        check("./run.sh build", &["run.sh"]);
        check("git add . && ls -la . && rm -rf /w", &[]);
    }

    #[test]
    fn a_command_is_named_by_its_program_and_first_operand() {
        let check = |command: &str, expected: &[&str]| assert_eq!(command_names(command), expected, "{command}");
        check("make release", &["make release"]);
        check("cd x && sudo make -C src -j4 release VERSION=1", &["make release"]);
        check("git -C src push origin main; cargo -q test | head", &["git push", "cargo test"]);
        check("bash -c 'npm run build' && npm run test", &["npm run"]);
        check("echo make release; rm -r make; cat release", &[]);
        check("pulumi -s dev up; git -C x push origin", &["pulumi dev", "pulumi up", "git push"]);
        check("make \"$X\" -n; ./run.sh build", &["run.sh build"]);
    }

    #[test]
    fn a_text_is_no_path() {
        for command in [
            "git commit -m \"src/api/x.rs\"",
            "git commit -am src/api/x.rs",
            "git commit --message=src/api/x.rs",
            "echo src/api/x.rs",
            "printf '%s\\n' src/api/x.rs",
            "git push origin src/api",
            "git checkout -b src/api",
            "grep -rn src/api/x.rs",
            "sed -n s/api/x/p",
            "curl https://host/src/api/x.rs",
            "cat <<< src/api/x.rs",
            "ls # src/api/x.rs",
            "A=src/api/x.rs true",
        ] {
            check(command, &[]);
        }
        check("grep -rn src/api docs", &["docs"]);
        check("grep -e src/api docs/a.md", &["docs/a.md"]);
    }
}
