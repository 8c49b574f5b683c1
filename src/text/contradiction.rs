//! Compares two short statements about one subject: do they differ in a name, a number, a date, a negation or the order
//! of a comparison?
//!
//! Never decides which of them is true; callers compare only statements about one subject.

use super::statement::{COMPARATORS, Statement, StatementToken, TokenKind};
use super::stem;
use super::word_list::{PhraseList, WordList, phrase_list, word_list};

const HAN_COMPARATORS: PhraseList = phrase_list!("statements/comparators.zh.txt");
const MULTI_VALUED: WordList = word_list!("statements/multi_valued.en.txt");
const HAN_MULTI_VALUED: PhraseList = phrase_list!("statements/multi_valued.zh.txt");
const OPEN_LABELS: WordList = word_list!("statements/open_labels.en.txt");
const HAN_OPEN_LABELS: PhraseList = phrase_list!("statements/open_labels.zh.txt");
const OPPOSITES: WordList = word_list!("statements/opposites.en.txt");
const HAN_OPPOSITES: PhraseList = phrase_list!("statements/opposites.zh.txt");
const CONDITIONS: WordList = word_list!("statements/conditions.en.txt");
const HAN_CONDITIONS: PhraseList = phrase_list!("statements/conditions.zh.txt");
const HAN_SINGLE_VALUED: PhraseList = phrase_list!("statements/single_valued.zh.txt");

/// In what two statements differ that are otherwise alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Two values under one label.
    Value,
    /// One statement with and without its negation.
    Negation,
    Name,
    Number,
    Date,
    /// The two sides of a comparison are swapped.
    Order,
    /// One word and its opposite: enabled, disabled.
    Opposite,
}

/// The difference that makes two statements exclude each other; `None` if both can be true.
///
/// Precise rather than complete: statements about different subjects, events at different times, and values of which
/// several can be true (two cities that were visited) are no contradictions.
pub fn find_contradiction(a: &str, b: &str) -> Option<Difference> {
    compare_statements(&Statement::of(a), &Statement::of(b))
}

/// Like [`find_contradiction`], for statements that are compared with many others.
pub fn compare_statements(a: &Statement<'_>, b: &Statement<'_>) -> Option<Difference> {
    if a.label != b.label || conditions(a.text) != conditions(b.text) {
        return None;
    }
    let diff = TokenDiff::of(a, b);
    let by_label = a.label.as_deref().is_some_and(|label| !is_open_label(label));
    if a.is_negated() != b.is_negated() {
        return (diff.only_a.is_empty() && diff.only_b.is_empty() && diff.shared > 0).then_some(Difference::Negation);
    }
    if let Some(swapped) = order_or_nothing(a, b, &diff) {
        return swapped;
    }
    if diff.only_a.is_empty() || diff.only_b.is_empty() {
        return None;
    }
    if are_opposites(&diff, a.text, b.text) && diff.shared > 0 {
        return Some(Difference::Opposite);
    }
    if by_label && diff.only_a.len() <= 6 && diff.only_b.len() <= 6 && diff.is_short() {
        return (!is_multi_valued(a)).then_some(Difference::Value);
    }
    let kind = diff.kind()?;
    let same_frame = diff.shared > 0 && diff.only_a.len().max(diff.only_b.len()) <= 3 && diff.is_one_place(a, b);
    let excluded = match kind {
        Difference::Name => is_multi_valued(a) || diff.is_subject(a) || diff.is_subject(b) || a.is_event(),
        Difference::Number | Difference::Date => a.is_event() || b.is_event(),
        Difference::Value | Difference::Negation | Difference::Order | Difference::Opposite => false,
    };
    (same_frame && !excluded).then_some(kind)
}

/// The words of a text that limit when or where it holds.
fn conditions(text: &str) -> Vec<String> {
    let low = text.to_lowercase();
    let english =
        super::words(&low).filter(|w| !w.is_ngram && CONDITIONS.contains(&w.text)).map(|w| w.text.into_owned());
    let mut all: Vec<String> = english.collect();
    all.extend(HAN_CONDITIONS.iter().filter(|c| text.contains(c)).map(str::to_owned));
    all.sort_unstable();
    all
}

/// The content tokens that only one of two statements has.
struct TokenDiff<'s, 'a> {
    only_a: Vec<&'s StatementToken<'a>>,
    only_b: Vec<&'s StatementToken<'a>>,
    /// Number of content tokens that both have.
    shared: usize,
}

impl<'s, 'a> TokenDiff<'s, 'a> {
    fn of(a: &'s Statement<'a>, b: &'s Statement<'a>) -> TokenDiff<'s, 'a> {
        let mut only_b: Vec<&StatementToken<'_>> = b.content().collect();
        let (mut only_a, mut shared) = (Vec::new(), 0);
        for token in a.content() {
            match only_b.iter().position(|other| other.key == token.key) {
                Some(at) => {
                    only_b.remove(at);
                    shared += 1;
                }
                None => only_a.push(token),
            }
        }
        TokenDiff { only_a, only_b, shared }
    }

    fn all(&self) -> impl Iterator<Item = &&'s StatementToken<'a>> {
        self.only_a.iter().chain(&self.only_b)
    }

    /// Whether what differs is short: a value, not a sentence.
    fn is_short(&self) -> bool {
        let words = |tokens: &[&StatementToken<'_>]| tokens.iter().map(|t| if t.is_han { 1 } else { 2 }).sum::<usize>();
        words(&self.only_a).max(words(&self.only_b)) <= 8
    }

    /// The kind of all differing tokens, if they have one.
    fn kind(&self) -> Option<Difference> {
        let all_are = |kinds: &[TokenKind]| {
            [&self.only_a, &self.only_b].into_iter().all(|side| side.iter().all(|t| kinds.contains(&t.kind)))
        };
        if all_are(&[TokenKind::Name]) {
            return Some(Difference::Name);
        }
        if all_are(&[TokenKind::Number]) {
            return Some(Difference::Number);
        }
        if all_are(&[TokenKind::Date, TokenKind::Number]) {
            return Some(Difference::Date);
        }
        let is_han = self.all().all(|t| t.is_han && t.kind == TokenKind::Word);
        is_han.then_some(Difference::Name)
    }

    /// Whether the differing tokens are adjacent in each statement.
    fn is_one_place(&self, a: &Statement<'_>, b: &Statement<'_>) -> bool {
        let one = |statement: &Statement<'_>, only: &[&StatementToken<'_>]| {
            let at: Vec<usize> = statement
                .content()
                .enumerate()
                .filter(|(_, t)| only.iter().any(|o| std::ptr::eq(*o, *t)))
                .map(|(i, _)| i)
                .collect();
            at.windows(2).all(|w| w[1] == w[0] + 1)
        };
        one(a, &self.only_a) && one(b, &self.only_b)
    }

    /// Whether what differs is whom or what the statement is about: its first word, or an owner.
    fn is_subject(&self, statement: &Statement<'_>) -> bool {
        let differs = |t: &StatementToken<'_>| self.all().any(|o| std::ptr::eq(*o, t));
        let han_frame = self.all().all(|t| t.is_han)
            && !HAN_SINGLE_VALUED.iter().any(|verb| {
                let text: String = statement.tokens.iter().map(|t| t.surface).collect();
                text.contains(verb)
            });
        han_frame
            || statement.content().next().is_some_and(differs)
            || statement.tokens.iter().any(|t| t.is_owner && differs(t))
    }
}

/// For statements with the same content: whether the sides of a comparison are swapped. The outer `None`: the contents
/// differ.
fn order_or_nothing(a: &Statement<'_>, b: &Statement<'_>, diff: &TokenDiff<'_, '_>) -> Option<Option<Difference>> {
    if !diff.only_a.is_empty() || !diff.only_b.is_empty() {
        return None;
    }
    let keys = |s: &Statement<'_>| s.content().map(|t| t.key.clone()).collect::<Vec<_>>();
    let text = |s: &Statement<'_>| s.tokens.iter().map(|t| t.surface).collect::<String>();
    let compares = |s: &Statement<'_>| {
        s.tokens.iter().any(|t| COMPARATORS.contains(&t.surface.to_lowercase()))
            || HAN_COMPARATORS.iter().any(|c| text(s).contains(c))
    };
    let (left, right) = (keys(a), keys(b));
    Some((left != right && compares(a) && compares(b)).then_some(Difference::Order))
}

fn are_opposites(diff: &TokenDiff<'_, '_>, a: &str, b: &str) -> bool {
    if let ([x], [y]) = (diff.only_a.as_slice(), diff.only_b.as_slice())
        && OPPOSITES.contains(&format!("{} {}", stem(&x.key), stem(&y.key)))
    {
        return true;
    }
    let han =
        |tokens: &[&StatementToken<'_>]| tokens.iter().filter(|t| t.is_han).map(|t| t.surface).collect::<String>();
    let (left, right) = (han(&diff.only_a), han(&diff.only_b));
    !left.is_empty()
        && !right.is_empty()
        && HAN_OPPOSITES.iter().filter_map(|pair| pair.split_once(' ')).any(|(x, y)| {
            let replaced = |from: &str, to: &str| a.contains(from) && b == a.replace(from, to);
            replaced(x, y) || replaced(y, x)
        })
}

fn is_open_label(label: &str) -> bool {
    OPEN_LABELS.contains(label) || HAN_OPEN_LABELS.iter().any(|open| open == label)
}

fn is_multi_valued(statement: &Statement<'_>) -> bool {
    statement.tokens.iter().any(|t| MULTI_VALUED.contains(&t.key))
        || HAN_MULTI_VALUED.iter().any(|v| statement.text.contains(v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_exclude_each_other() {
        use Difference::*;
        for (a, b, expected) in [
            ("City: Paris", "City: Berlin", Value),
            ("Editor: vim", "Editor: emacs", Value),
            ("姓名：张三", "姓名：李四", Value),
            ("Allergic to peanuts", "Not allergic to peanuts", Negation),
            ("Never deploys on Fridays", "Deploys on Fridays", Negation),
            ("用户喜欢咖啡", "用户不喜欢咖啡", Negation),
            ("Uses PostgreSQL for the shop", "Uses MySQL for the shop", Name),
            ("Lives in Austin", "Lives in Lisbon", Name),
            ("用户住在汉堡", "用户住在柏林", Name),
            ("The server listens on port 8080", "The server listens on port 8081", Number),
            ("Keeps backups for 30 days", "Keeps backups for 30 weeks", Number),
            ("The contract ends on 2026-03-01", "The contract ends on 2026-05-01", Date),
            ("Standup is on Mondays", "Standup is on Tuesdays", Date),
            ("Prefers tabs over spaces", "Prefers spaces over tabs", Order),
            ("喜欢茶胜过咖啡", "喜欢咖啡胜过茶", Order),
            ("Notifications are enabled", "Notifications are disabled", Opposite),
            ("通知已启用", "通知已禁用", Opposite),
        ] {
            assert_eq!(find_contradiction(a, b), Some(expected), "{a} / {b}");
            assert_eq!(find_contradiction(b, a), Some(expected), "{b} / {a}");
        }
    }

    #[test]
    fn statements_that_can_both_be_true() {
        for (a, b) in [
            ("Lives in Austin", "Lives in Austin, Texas"),
            ("City: Berlin", "City: Berlin, Germany"),
            ("Visited Rome", "Visited Milan"),
            ("Likes Rust", "Likes Go"),
            ("Allergic to peanuts", "Allergic to shrimp"),
            ("Anna's birthday is on May 3", "Paul's birthday is on May 9"),
            ("Anna lives in Rome", "Paul lives in Milan"),
            ("Released 1.2 on 2026-01-03", "Released 1.2 on 2026-02-03"),
            ("Uses spaces in Go", "Uses tabs"),
            ("Lesson: check the logs", "Lesson: restart the server"),
            ("用户去过巴黎", "用户去过柏林"),
            ("Project atlas uses Rust", "Project zephyr uses Rust"),
        ] {
            assert_eq!(find_contradiction(a, b), None, "{a} / {b}");
            assert_eq!(find_contradiction(b, a), None, "{b} / {a}");
        }
    }
}
