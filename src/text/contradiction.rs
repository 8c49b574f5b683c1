//! Compares two short statements about one subject: do they differ in a name, a number, a date, a negation or the order
//! of a comparison?
//!
//! Never decides which of them is true; callers compare only statements about one subject.

use super::exact_tokens::one_difference_of;
use super::statement::{COMPARATORS, Statement, StatementToken, TokenKind};
use super::stem;
use super::whole_denial::is_whole_denial;
use super::word_list::{PhraseList, WordList, phrase_list, word_list};

const HAN_COMPARATORS: PhraseList = phrase_list!("statements/comparators.zh.txt");
const MULTI_VALUED: WordList = word_list!("statements/multi_valued.en.txt");
const HAN_MULTI_VALUED: PhraseList = phrase_list!("statements/multi_valued.zh.txt");
const OPEN_LABELS: WordList = word_list!("statements/open_labels.en.txt");
/// Words with which a clause on an ability or a possession starts.
const HAN_OPENINGS: PhraseList = phrase_list!("statements/multi_valued_openings.zh.txt");
/// What makes another word of one of [`HAN_OPENINGS`]: 会议, 能源, 有效.
const NOT_AFTER_OPENING: &str = "议话员计所场面源量力耗效限关机线";
const HAN_OPEN_LABELS: PhraseList = phrase_list!("statements/open_labels.zh.txt");
const OPPOSITES: WordList = word_list!("statements/opposites.en.txt");
const HAN_OPPOSITES: PhraseList = phrase_list!("statements/opposites.zh.txt");
const CONDITIONS: WordList = word_list!("statements/conditions.en.txt");
const HAN_CONDITIONS: PhraseList = phrase_list!("statements/conditions.zh.txt");
/// Words that contain one of [`HAN_CONDITIONS`].
const HAN_NOT_CONDITIONS: PhraseList = phrase_list!("statements/not_conditions.zh.txt");
/// Verbs for what happens once: two dates of it exclude each other, though it is an event.
const ONCE: WordList = word_list!("statements/once.en.txt");
const HAN_ONCE: PhraseList = phrase_list!("statements/once.zh.txt");
/// An entry may have a gap: `在…工作`.
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
    // Two tasks can both be open.
    let (of_a, of_b) = (a.parts(), b.parts());
    if a.label_key != b.label_key || of_a.is_task || of_b.is_task {
        return None;
    }
    if differ_in_one_opposite(a, b) || differ_in_han_opposite(a.text, b.text) {
        return Some(Difference::Opposite);
    }
    let exact = one_difference_of((a.text, &of_a.words), (b.text, &of_b.words));
    if let Some(difference) = exact.filter(|d| *d != Difference::Name || !is_multi_valued(a)) {
        return Some(difference);
    }
    let by_label = a.label.as_deref().is_some_and(|label| !is_open_label(label));
    let most_differing = if by_label { MAX_DIFFERING_IN_VALUE } else { MAX_DIFFERING };
    if of_a.is_negated == of_b.is_negated && of_a.least_difference(of_b) > most_differing {
        return None;
    }
    // Such a denial holds under all conditions.
    if is_whole_denial(a, b) {
        return Some(Difference::Negation);
    }
    let [conditions_a, conditions_b] = [a, b].map(|s| s.parts().conditions.get_or_init(|| conditions(s.text)));
    if conditions_a != conditions_b {
        return None;
    }
    let diff = TokenDiff::of(a, b);
    if of_a.is_negated != of_b.is_negated {
        // "no longer", "need not", 不要, 必须
        let is_negation_part =
            |t: &&&StatementToken<'_>| matches!(&*t.key, "longer" | "need") || t.is_han && HAN_MODALS.contains(&t.key);
        return (diff.all().all(|t| is_negation_part(&t)) && diff.shared > 0).then_some(Difference::Negation);
    }
    if let Some(swapped) = order_or_nothing(a, b, &diff) {
        return swapped;
    }
    if diff.only_a.is_empty() || diff.only_b.is_empty() {
        return None;
    }
    if are_opposites(&diff) && diff.shared > 0 {
        return Some(Difference::Opposite);
    }
    if diff.is_day_and_number() || diff.is_identifier(a) && diff.is_identifier(b) {
        return None;
    }
    let differing = diff.only_a.len().max(diff.only_b.len());
    if by_label && differing <= MAX_DIFFERING_IN_VALUE && diff.is_short() {
        return (!is_multi_valued(a)).then_some(Difference::Value);
    }
    let kind = diff.kind(a, b)?;
    // "Vue over React" and "React over Angular" are both true, and so are two meetings, each on its day at its time.
    if kind == Difference::Name && compares(a) && compares(b) || kind == Difference::Date && diff.is_day_and_number() {
        return None;
    }
    let same_frame = diff.shared > 0 && differing <= MAX_DIFFERING && diff.is_one_place(a, b);
    let excluded = match kind {
        Difference::Name => [a, b].into_iter().any(|s| is_multi_valued(s) || diff.is_subject(s) || s.is_event()),
        Difference::Number | Difference::Date => [a, b].into_iter().any(|s| s.is_event() && !happens_once(s)),
        Difference::Value | Difference::Negation | Difference::Order | Difference::Opposite => false,
    };
    (same_frame && !excluded).then_some(kind)
}

/// Characters that demand, or forbid after a negation: with or without them, what is denied is the same.
const HAN_MODALS: &str = "要必须应该能得许";

/// How many content tokens each of two statements may have that the other lacks.
const MAX_DIFFERING: usize = 3;
/// The same of two values under one label.
const MAX_DIFFERING_IN_VALUE: usize = 6;

/// The words of a text that limit when or where it holds.
fn conditions(text: &str) -> Vec<String> {
    let low = text.to_lowercase();
    let english =
        super::words(&low).filter(|w| !w.is_ngram && CONDITIONS.contains(&w.text)).map(|w| w.text.into_owned());
    let mut all: Vec<String> = english.collect();
    if !low.is_ascii() {
        let plain = HAN_NOT_CONDITIONS.iter().fold(low, |text, word| text.replace(word, " "));
        all.extend(HAN_CONDITIONS.iter().filter(|c| plain.contains(c)).map(str::to_owned));
    }
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

/// Maximum number of tokens of which each is looked for in the other statement: what is longer counts as different.
const MAX_COMPARED_TOKENS: usize = 1000;

impl<'s, 'a> TokenDiff<'s, 'a> {
    fn of(a: &'s Statement<'a>, b: &'s Statement<'a>) -> TokenDiff<'s, 'a> {
        let (mut rest_a, mut only_b) = (a.content().peekable(), b.content().peekable());
        let mut shared = 0;
        while rest_a.peek().zip(only_b.peek()).is_some_and(|(one, other)| one.key == other.key) {
            rest_a.next();
            only_b.next();
            shared += 1;
        }
        let mut only_b: Vec<&StatementToken<'_>> = only_b.collect();
        if only_b.len() > MAX_COMPARED_TOKENS {
            return TokenDiff { only_a: rest_a.collect(), only_b, shared };
        }
        let mut only_a = Vec::new();
        for token in rest_a {
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

    /// The kind of all differing tokens, if they have one. A Latin word in a Chinese statement is a name, also a word
    /// after "called"; "one" is a number.
    fn kind(&self, a: &Statement<'_>, b: &Statement<'_>) -> Option<Difference> {
        let is_chinese = [a, b].into_iter().all(|s| s.tokens.iter().any(|t| t.is_han));
        let kind_of = |t: &StatementToken<'_>| match t.kind {
            TokenKind::Word if is_chinese && !t.is_han => TokenKind::Name,
            TokenKind::Word if matches!(t.surface, "一" | "one") => TokenKind::Number,
            TokenKind::Word if [a, b].into_iter().any(|s| is_given_name(s, t)) => TokenKind::Name,
            kind => kind,
        };
        let all_are = |kinds: &[TokenKind]| self.all().all(|t| kinds.contains(&kind_of(t)));
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

    /// Whether what differs is the number of a thing, before what is said of it: "the invoice 1043 is paid", 1043号发票.
    fn is_identifier(&self, statement: &Statement<'_>) -> bool {
        let tokens = &statement.tokens;
        let is_verb = |t: &StatementToken<'_>| matches!(&*t.key, "is" | "are" | "was" | "has");
        let verb = tokens.iter().position(is_verb);
        let names = |i: usize| {
            let follows_noun = i > 0 && tokens[i - 1].kind == TokenKind::Word && !tokens[i - 1].is_han;
            let is_numbered = tokens.get(i + 1).is_some_and(|t| t.surface == "号") && tokens.get(i + 2).is_some();
            is_numbered || follows_noun && verb.is_some_and(|verb| i < verb)
        };
        let differs = |t: &StatementToken<'_>| self.all().any(|o| std::ptr::eq(*o, t));
        let places: Vec<usize> = (0..tokens.len()).filter(|&i| differs(&tokens[i])).collect();
        !places.is_empty() && places.iter().all(|&i| tokens[i].kind == TokenKind::Number && names(i))
    }

    /// Whether each side has a weekday and a number of its own.
    fn is_day_and_number(&self) -> bool {
        [&self.only_a, &self.only_b].into_iter().all(|only| {
            only.iter().any(|t| t.key.starts_with("weekday-")) && only.iter().any(|t| t.kind == TokenKind::Number)
        })
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
        let is_han = self.all().all(|t| t.is_han);
        let is_first = if is_han {
            statement.tokens.first().is_some_and(differs)
        } else {
            statement.content().next().is_some_and(differs)
        };
        is_han && !self.is_only_value(statement)
            || is_first
            || statement.tokens.iter().any(|t| t.is_owner && differs(t))
    }

    /// Whether the Chinese words before what differs take one value: a verb of [`HAN_SINGLE_VALUED`], a place after 在
    /// at the end, or "the … is".
    fn is_only_value(&self, statement: &Statement<'_>) -> bool {
        let differs = |t: &StatementToken<'_>| self.all().any(|o| std::ptr::eq(*o, t));
        let tokens = &statement.tokens;
        let text: String = tokens.iter().map(|t| t.surface).collect();
        let has = |verb: &str| {
            let mut rest = text.as_str();
            verb.split('…').all(|part| rest.split_once(part).map(|(_, after)| rest = after).is_some())
        };
        let first = tokens.iter().position(differs).unwrap_or(0);
        let before = first.checked_sub(1).map_or("", |i| tokens[i].surface);
        // The names may begin with the same characters: 是林浩然, 是林浩天.
        let is_named = tokens[..first].iter().rev().take(3).any(|t| matches!(t.surface, "是" | "为" | "叫"));
        let is_last = tokens.last().is_some_and(differs);
        let is_described = tokens[..first].iter().filter(|t| t.kind == TokenKind::Word).count() >= 2;
        HAN_SINGLE_VALUED.iter().any(has) || is_last && (before == "在" || is_described && is_named)
    }
}

/// Whether a token is what something is called.
fn is_given_name(statement: &Statement<'_>, token: &StatementToken<'_>) -> bool {
    statement
        .tokens
        .windows(2)
        .any(|pair| std::ptr::eq(&pair[1], token) && matches!(&*pair[0].surface.to_lowercase(), "called" | "named"))
}

/// Whether a statement is about something that happens once.
fn happens_once(statement: &Statement<'_>) -> bool {
    statement.tokens.iter().any(|t| ONCE.contains(&t.key))
        || !statement.text.is_ascii() && HAN_ONCE.iter().any(|verb| statement.text.contains(verb))
}

/// Whether two statements are equal but for one word of each, and these are opposites: switched on, switched off;
/// likes, dislikes.
fn differ_in_one_opposite(a: &Statement<'_>, b: &Statement<'_>) -> bool {
    if a.tokens.len() != b.tokens.len() || a.tokens.len() < 2 {
        return false;
    }
    let mut pairs = a.tokens.iter().zip(&b.tokens).filter(|(x, y)| x.key != y.key);
    match (pairs.next(), pairs.next()) {
        (Some((x, y)), None) => {
            let stem_of = |t: &StatementToken<'_>| stem(&t.surface.to_lowercase()).into_owned();
            let is_one = |t: &StatementToken<'_>| t.surface.eq_ignore_ascii_case("one");
            let counts = |t: &StatementToken<'_>| t.kind == TokenKind::Number;
            is_one(x) && counts(y)
                || counts(x) && is_one(y)
                || OPPOSITES.contains(&format!("{} {}", x.key, y.key))
                || OPPOSITES.contains(&format!("{} {}", stem_of(x), stem_of(y)))
        }
        _ => false,
    }
}

/// Whether two texts are equal but for a Chinese word and its opposite.
fn differ_in_han_opposite(a: &str, b: &str) -> bool {
    if a.is_ascii() {
        return false;
    }
    let replaced = |from: &str, to: &str| a.contains(from) && b == a.replace(from, to);
    let pairs = HAN_OPPOSITES.iter().filter_map(|pair| pair.split_once(' '));
    pairs.into_iter().any(|(x, y)| replaced(x, y) || replaced(y, x))
}

/// For statements with the same content: whether the sides of a comparison are swapped. The outer `None`: the contents
/// differ.
fn order_or_nothing(a: &Statement<'_>, b: &Statement<'_>, diff: &TokenDiff<'_, '_>) -> Option<Option<Difference>> {
    if !diff.only_a.is_empty() || !diff.only_b.is_empty() {
        return None;
    }
    let keys = |s: &Statement<'_>| s.content().map(|t| t.key.clone()).collect::<Vec<_>>();
    let (left, right) = (keys(a), keys(b));
    // "by card, not cash" and "by cash, not card", but not "not cash but card".
    let negated_after = |s: &Statement<'_>| {
        let at = s.tokens.iter().position(|t| t.kind == TokenKind::Negation)?;
        Some(s.tokens[..at].iter().filter(|t| !matches!(t.kind, TokenKind::Filler)).count())
            .filter(|before| *before > 0)
    };
    let excludes = negated_after(a).is_some() && negated_after(a) == negated_after(b);
    Some((left != right && (excludes || compares(a) && compares(b))).then_some(Difference::Order))
}

/// Whether a statement compares two things, or puts them in order.
pub fn compares(statement: &Statement<'_>) -> bool {
    let has = |word: &str| statement.tokens.iter().any(|t| t.key == word);
    statement.tokens.iter().any(|t| COMPARATORS.contains(&t.surface.to_lowercase()))
        || has("prefer") && has("to")
        || has("first") && has("then")
        || !statement.text.is_ascii() && has_han_comparison(statement)
}

fn has_han_comparison(statement: &Statement<'_>) -> bool {
    let text: String = statement.tokens.iter().map(|t| t.surface).collect();
    text.split_once('先').is_some_and(|(_, rest)| rest.contains('再'))
        || HAN_COMPARATORS.iter().any(|c| text.contains(c))
}

/// Whether two stems exclude each other: `public`, `privat`.
pub fn are_opposite_words(a: &str, b: &str) -> bool {
    OPPOSITES.contains(&format!("{a} {b}"))
}

fn are_opposites(diff: &TokenDiff<'_, '_>) -> bool {
    match (diff.only_a.as_slice(), diff.only_b.as_slice()) {
        ([x], [y]) => are_opposite_words(&stem(&x.key), &stem(&y.key)),
        _ => false,
    }
}

fn is_open_label(label: &str) -> bool {
    OPEN_LABELS.contains(label) || HAN_OPEN_LABELS.iter().any(|open| open == label)
}

/// Whether a statement is about something of which there is one: the favourite, the only one.
pub fn has_one_value(statement: &Statement<'_>) -> bool {
    statement.tokens.iter().any(|t| {
        matches!(&*t.surface.to_lowercase(), "favourite" | "favorite" | "only" | "main" | "primary" | "default")
    }) || ["最喜欢", "最爱", "唯一", "首选", "默认", "主要"].iter().any(|word| statement.text.contains(word))
}

/// Whether several names can stand in the same place: what a person likes, is able to do or owns.
pub fn is_multi_valued(statement: &Statement<'_>) -> bool {
    statement.tokens.iter().any(|t| MULTI_VALUED.contains(&t.key)) || is_han_multi_valued(statement)
}

fn is_han_multi_valued(statement: &Statement<'_>) -> bool {
    // A long list is searched: most statements have nothing of it.
    if statement.text.is_ascii() {
        return false;
    }
    let verb: String = statement.tokens.iter().map(|t| t.surface).skip_while(|word| *word == "用户").collect();
    let is_ability = HAN_OPENINGS
        .iter()
        .any(|start| verb.strip_prefix(start).is_some_and(|rest| !rest.starts_with(|c| NOT_AFTER_OPENING.contains(c))));
    is_ability || HAN_MULTI_VALUED.iter().any(|v| verb.contains(v))
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
            ("Prefers tea to coffee", "Prefers coffee to tea", Order),
            ("喜欢茶胜过咖啡", "喜欢咖啡胜过茶", Order),
            ("总是先写测试", "从不先写测试", Opposite),
            ("必须使用制表符缩进", "禁止使用制表符缩进", Negation),
            ("使用中文写提交信息", "不要使用中文写提交信息", Negation),
            ("分支叫dev", "分支叫trunk", Name),
            ("用户在南京上班", "用户在苏州上班", Name),
            ("备份放在上海", "备份放在深圳", Name),
            ("需要两个签名", "需要一个签名", Number),
            ("The heater is switched on", "The heater is switched off", Opposite),
            ("Pull requests need two approvals", "Pull requests need one approval", Opposite),
            ("The team uses tabs for indentation", "The team uses spaces for indentation", Opposite),
            ("团队用制表符缩进", "团队用空格缩进", Opposite),
            ("Releases are signed before they are uploaded", "Releases are signed after they are uploaded", Opposite),
            ("The shop is closed on Mondays", "The shop is closed on Tuesdays", Date),
            ("Notifications are enabled", "Notifications are disabled", Opposite),
            ("通知已启用", "通知已禁用", Opposite),
            ("Likes the aisle seat", "Dislikes the aisle seat", Opposite),
            ("用户喜欢早会", "用户讨厌早会", Opposite),
            ("At least 3 people sign", "At most 3 people sign", Opposite),
            ("至少三人签字", "最多三人签字", Opposite),
            ("Owns a boat", "No longer owns a boat", Negation),
            ("Does not smoke", "Smokes a pipe in the evening", Negation),
            ("Ships by rail, not road", "Ships by road, not rail", Order),
            ("先写文档再写代码", "先写代码再写文档", Order),
            ("Graduated in 1998", "Graduated in 1999", Date),
            ("会计是王小明", "会计是王小亮", Name),
            ("审批由小红负责", "审批由小明负责", Name),
            ("Time zone: Europe/Lisbon", "Timezone: America/Chicago", Value),
        ] {
            assert_eq!(find_contradiction(a, b), Some(expected), "{a} / {b}");
            assert_eq!(find_contradiction(b, a), Some(expected), "{b} / {a}");
        }
    }

    #[test]
    fn statements_that_can_both_be_true() {
        for (a, b) in [
            ("Lives in Austin", "Lives in Austin, Texas"),
            ("Not tea but coffee", "Coffee, not tea"),
            ("Moved house in 2011", "Moved house in 2012"),
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
            ("会写Rust", "会写Go"),
            ("5月1日升级了系统", "6月1日升级了系统"),
            ("Project atlas uses Rust", "Project zephyr uses Rust"),
            ("Prefers Vue over React", "Prefers React over Angular"),
            ("Finds Vue easier than React", "Finds React easier than Angular"),
            ("觉得Vue比React容易", "觉得React比Angular容易"),
            ("The review is on Monday at 10", "The review is on Thursday at 14"),
            ("[ ] call Bob", "[ ] call Ann"),
            ("[x] call Bob about the invoice", "[ ] call Ann about the invoice"),
        ] {
            assert_eq!(find_contradiction(a, b), None, "{a} / {b}");
            assert_eq!(find_contradiction(b, a), None, "{b} / {a}");
        }
    }
}
