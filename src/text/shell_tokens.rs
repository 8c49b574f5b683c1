//! Splits a command line of a POSIX shell into words and operators: quotes are removed, comments left out.
//!
//! Never runs or expands anything, and never fails: what is not closed ends with the text.

/// A part of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShellToken {
    Word(ShellWord),
    /// The end of a simple command: `;`, `&`, `&&`, `|`, `||` or a line end.
    CommandEnd,
    /// `(`, of which the commands change no directory outside.
    GroupStart,
    GroupEnd,
    /// Before a word that names a file: `>`, `>>`, `<`, `&>` …
    Redirect,
    /// Before a word that is text: `<<`, `<<<`.
    TextRedirect,
    /// The commands of `$(…)`, before the word that they are part of.
    Substitution(String),
}

/// A word without its quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellWord {
    pub text: String,
    /// Whether a part of it is quoted.
    pub is_quoted: bool,
    /// Whether a part of it is the output of a command.
    pub has_output: bool,
}

/// The tokens of a command line.
pub fn shell_tokens(command: &str) -> Vec<ShellToken> {
    let mut lexer = ShellLexer { chars: command.chars().collect(), at: 0, word: None, tokens: Vec::new() };
    while let Some(c) = lexer.next() {
        lexer.read(c);
    }
    lexer.end_word();
    lexer.tokens
}

struct ShellLexer {
    chars: Vec<char>,
    at: usize,
    word: Option<ShellWord>,
    tokens: Vec<ShellToken>,
}

impl ShellLexer {
    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn word(&mut self) -> &mut ShellWord {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        self.tokens.extend(self.word.take().map(ShellToken::Word));
    }

    fn push(&mut self, token: ShellToken) {
        self.end_word();
        self.tokens.push(token);
    }

    fn read(&mut self, c: char) {
        match c {
            '&' if self.skip('>') => {
                self.skip('>');
                self.push(ShellToken::Redirect);
            }
            '\n' | ';' | '&' | '|' => self.push(ShellToken::CommandEnd),
            c if c.is_whitespace() => self.end_word(),
            '#' if self.word.is_none() => {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            }
            '(' => self.push(ShellToken::GroupStart),
            ')' => self.push(ShellToken::GroupEnd),
            '<' | '>' => self.read_redirect(c),
            '\\' => match self.next() {
                Some('\n') | None => {}
                Some(c) => {
                    self.word().is_quoted = true;
                    self.word().text.push(c);
                }
            },
            '\'' => self.read_quoted('\''),
            '"' => self.read_quoted('"'),
            '$' => self.read_dollar(),
            '`' => self.skip_backticks(),
            c => self.word().text.push(c),
        }
    }

    fn read_redirect(&mut self, c: char) {
        // A number before it is a file descriptor.
        if self.word.as_ref().is_some_and(|word| !word.is_quoted && word.text.chars().all(|c| c.is_ascii_digit())) {
            self.word = None;
        }
        if self.skip('(') {
            return self.push(ShellToken::GroupStart);
        }
        if c == '<' && self.skip('<') {
            let _ = self.skip('<') || self.skip('-');
            return self.push(ShellToken::TextRedirect);
        }
        let _ = self.skip('>') || self.skip('|') || self.skip('&');
        self.push(ShellToken::Redirect);
    }

    fn read_quoted(&mut self, quote: char) {
        self.word().is_quoted = true;
        while let Some(c) = self.next() {
            match c {
                c if c == quote => return,
                '\\' if quote == '"' => {
                    let escaped = self.next();
                    self.word().text.extend(escaped.filter(|c| *c != '\n'));
                }
                '$' if quote == '"' => self.read_dollar(),
                '`' if quote == '"' => self.skip_backticks(),
                c => self.word().text.push(c),
            }
        }
    }

    /// What follows a dollar sign: a variable stays as it is written.
    fn read_dollar(&mut self) {
        if !self.skip('(') {
            return self.word().text.push('$');
        }
        let (start, mut depth, mut quote) = (self.at, 1, None);
        while let Some(c) = self.next() {
            match (c, quote) {
                ('\\', None | Some('"')) => self.at += 1,
                (c, Some(open)) if c == open => quote = None,
                ('\'' | '"', None) => quote = Some(c),
                ('(', None) => depth += 1,
                (')', None) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        let end = self.at.saturating_sub(usize::from(depth == 0)).clamp(start, self.chars.len());
        let commands: String = self.chars[start..end].iter().collect();
        self.tokens.push(ShellToken::Substitution(commands));
        self.word().has_output = true;
    }

    /// Commands in backticks are left out: in a quoted text they are mostly Markdown.
    fn skip_backticks(&mut self) {
        self.word().has_output = true;
        while self.next().is_some_and(|c| c != '`') {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens, a word as it is, an operator as a name.
    fn shown(command: &str) -> String {
        let text = |token: &ShellToken| match token {
            ShellToken::Word(word) => word.text.clone(),
            ShellToken::CommandEnd => ";".into(),
            ShellToken::GroupStart => "(".into(),
            ShellToken::GroupEnd => ")".into(),
            ShellToken::Redirect => ">".into(),
            ShellToken::TextRedirect => "<<".into(),
            ShellToken::Substitution(commands) => format!("$[{commands}]"),
        };
        shell_tokens(command).iter().map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_and_operators_are_told_apart() {
        let check = |command: &str, expected: &str| assert_eq!(shown(command), expected, "{command}");
        check("echo x>a 2>>b &>c 2>&1", "echo x > a > b > c > 1");
        check("cd a&&b;c|d || e", "cd a ; ; b ; c ; d ; ; e");
        check("(cd a; b)", "( cd a ; b )");
        check("a 'b c'\"d\"\\ e # f\ng", "a b cd e ; g");
        check("a#b \\\nc", "a#b c");
        check("cat <<'E' <<<x <f", "cat << E << x > f");
        check("a \"$(b \"c)\" d)\" $PWD/x", "a $[b \"c)\" d]  $PWD/x");
        check("a $((1 + (2)))b", "a $[(1 + (2))] b");
        check("a `b c` \"`d`\"", "a  ");
        for open in ["a 'b", "a \"b", "a $(b", "a `b", "a \\", "a >", "$(", "$(\\"] {
            assert!(shell_tokens(open).len() <= 3, "{open}");
        }
    }
}
