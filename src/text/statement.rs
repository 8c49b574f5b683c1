//! Reads a short statement as a sequence of tokens that can be compared: words, names, numbers and dates, and whether
//! it is negated.
//!
//! Never parses grammar, and never decides whether two statements agree; `contradiction` does.

use std::sync::OnceLock;

use super::compared_parts::ComparedParts;
use super::phrase::is_capitalized;
use super::prose_mask::split_label;
use super::word_list::{PhraseList, WordList, phrase_list, word_list};
use super::words::is_unspaced;
use super::{stem, stopwords, verbs, word_frequency};

pub(crate) const MONTHS: WordList = word_list!("statements/months.en.txt");
pub(crate) const WEEKDAYS: WordList = word_list!("statements/weekdays.en.txt");
pub(crate) const NUMBER_WORDS: WordList = word_list!("statements/number_words.en.txt");
/// The same in other languages. Months and weekdays as they are written: *martes* is a day, Martes a name.
pub const OTHER_MONTHS: WordList = word_list!("statements/months.other.txt");
const OTHER_WEEKDAYS: WordList = word_list!("statements/weekdays.other.txt");
const OTHER_NUMBER_WORDS: WordList = word_list!("statements/number_words.other.txt");
const UNITS: WordList = word_list!("statements/units.en.txt");
/// Words that negate a sentence, besides those that end in `n't`.
pub const NEGATIONS: WordList = word_list!("statements/negations.en.txt");
/// The same in other languages, many of which deny with two words: *ne … pas*, *no … nunca*.
const OTHER_NEGATIONS: WordList = word_list!("statements/negations.other.txt");
pub const HAN_NEGATIONS: PhraseList = phrase_list!("statements/negations.zh.txt");
pub const HAN_NOT_NEGATIONS: PhraseList = phrase_list!("statements/not_negations.zh.txt");
/// Phrases that start like one of [`HAN_NOT_NEGATIONS`].
const HAN_NEGATED: PhraseList = phrase_list!("statements/negated.zh.txt");
const FILLERS: WordList = word_list!("statements/fillers.en.txt");
const HAN_FILLERS: PhraseList = phrase_list!("statements/fillers.zh.txt");
const STATIVE: WordList = word_list!("statements/stative.en.txt");
/// Characters before 了 or 过 that make another word of it.
const BEFORE_ASPECT: WordList = word_list!("statements/before_aspect.zh.txt");
const AFTER_ASPECT: WordList = word_list!("statements/after_aspect.zh.txt");

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenKind {
    /// A word with content of its own.
    Word,
    /// A function word, or one that adds nothing to a comparison (`usually`, 目前).
    Filler,
    /// A capitalised word, an identifier (`eu-west-1`), or a Latin word in Chinese text.
    Name,
    /// A number, a time, a version, or the unit after one.
    Number,
    /// A part of a date: a year, a month, a day, a weekday.
    Date,
    Negation,
}

/// A token of a [`Statement`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementToken<'a> {
    /// What is compared: a stem, a name in lower case, digits without group separators, `month-5`, `weekday-1`.
    pub key: String,
    pub kind: TokenKind,
    /// As written.
    pub surface: &'a str,
    /// Whether it is a single character of a script without spaces.
    pub is_han: bool,
    /// Whether `'s` or 的 follows.
    pub is_owner: bool,
}

/// A statement, for comparison with others.
#[derive(Clone, Debug)]
pub struct Statement<'a> {
    /// The text as it was given, with its category and label.
    pub text: &'a str,
    /// The label in lower case: `city` in `City: Paris`.
    pub label: Option<String>,
    /// The label without spaces and hyphens, as it is compared: `Time zone` and `Timezone` are one label.
    pub label_key: Option<String>,
    /// The tokens without the label.
    pub tokens: Vec<StatementToken<'a>>,
    /// What comparisons need of it, once one was made.
    pub(super) parts: OnceLock<ComparedParts>,
}

impl<'a> Statement<'a> {
    /// Reads a statement. A leading `[category]` is skipped.
    pub fn of(whole: &'a str) -> Statement<'a> {
        let text = whole.trim();
        let text = match text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            Some((category, rest)) if category.len() < 40 => rest,
            _ => text,
        };
        let (label, value) = split_label(text).map_or((None, text), |(label, value)| (Some(label), value));
        let label = label.map(|l| l.trim_matches('*').to_lowercase());
        let label_key = label.as_ref().map(|label| label.replace([' ', '-', '_'], ""));
        let tokens = tokens(value, label.is_none());
        Statement { text: whole, label, label_key, tokens, parts: OnceLock::new() }
    }

    /// Reads a text of a memory, which may end with tags: they state nothing.
    pub fn of_item(text: &'a str) -> Statement<'a> {
        Statement::of(without_tags(text))
    }

    /// The tokens that are neither fillers nor negations.
    pub fn content(&self) -> impl Iterator<Item = &StatementToken<'a>> {
        self.tokens.iter().filter(|t| !matches!(t.kind, TokenKind::Filler | TokenKind::Negation))
    }

    /// Whether the number of negations is odd. In other languages than English and Chinese two deny as one does.
    pub fn is_negated(&self) -> bool {
        let negations = self.tokens.iter().filter(|t| t.kind == TokenKind::Negation);
        let own = negations.filter(|t| !OTHER_NEGATIONS.contains(&t.key)).count();
        self.has_other_negation() || own % 2 == 1
    }

    /// Whether it is denied in another language than English and Chinese.
    pub fn has_other_negation(&self) -> bool {
        self.tokens.iter().any(|t| t.kind == TokenKind::Negation && OTHER_NEGATIONS.contains(&t.key))
    }

    /// Whether it has the same words in the same order as another.
    pub fn has_same_tokens(&self, other: &Statement<'_>) -> bool {
        self.tokens.iter().map(|t| &t.key).eq(other.tokens.iter().map(|t| &t.key))
    }

    /// Whether it reports an event: it contains a verb in the past tense, or one that 了 or 过 follows. Not a state:
    /// "is closed", "married to".
    pub fn is_event(&self) -> bool {
        (0..self.tokens.len()).any(|i| self.is_past_verb(i) || self.is_aspect(i))
    }

    fn is_past_verb(&self, i: usize) -> bool {
        let low = self.tokens[i].surface.to_lowercase();
        let before = self.tokens[..i].iter().rev().take_while(|t| t.kind != TokenKind::Word);
        let is_state = || before.into_iter().any(|t| matches!(&*t.key, "is" | "are" | "am" | "isn't" | "aren't"));
        self.tokens[i].kind == TokenKind::Word && verbs::is_past_verb(&low) && !STATIVE.contains(&low) && !is_state()
    }

    /// Whether a token is 了 within a clause, or 过, after a verb.
    fn is_aspect(&self, i: usize) -> bool {
        let (mark, next) = (&self.tokens[i], self.tokens.get(i + 1));
        let previous = i.checked_sub(1).map(|p| &self.tokens[p]);
        let follows_verb =
            previous.is_some_and(|p| p.is_han && p.kind == TokenKind::Word && !BEFORE_ASPECT.contains(p.surface));
        let precedes_object = next.map_or(mark.surface == "过", |n| !AFTER_ASPECT.contains(n.surface));
        mark.is_han && matches!(mark.surface, "了" | "过") && follows_verb && precedes_object
    }
}

/// A text without the `#tags` at its end; the whole text if nothing else is left.
fn without_tags(text: &str) -> &str {
    let is_tag = |word: &str| {
        let name = word.strip_prefix('#').filter(|name| name.contains(char::is_alphabetic));
        name.is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/')))
    };
    let mut rest = text.trim_end();
    while let Some((before, _)) = rest.rsplit_once(char::is_whitespace).filter(|(_, word)| is_tag(word)) {
        rest = before.trim_end();
    }
    if rest.is_empty() { text } else { rest }
}

/// The tokens of a text in any script.
///
/// `starts_sentence`: whether a capital letter at the start does not show a name.
fn tokens(text: &str, starts_sentence: bool) -> Vec<StatementToken<'_>> {
    let mut out = Vec::new();
    let (mut at, mut sentence_start) = (0, starts_sentence);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_ascii_digit() {
            push_number(rest, &mut out)
        } else if is_unspaced(first) {
            push_han(rest, starts_clause(&text[..at]), &mut out)
        } else if first.is_alphanumeric() {
            push_word(rest, sentence_start, &mut out)
        } else {
            if first == '%' {
                out.push(token(TokenKind::Number, "percent", &rest[..1]));
            }
            sentence_start |= matches!(first, '.' | '!' | '?' | '。' | '！' | '？');
            at += first.len_utf8();
            continue;
        };
        sentence_start = false;
        at += length;
    }
    join_dates(&mut out);
    out
}

fn token<'a>(kind: TokenKind, key: &str, surface: &'a str) -> StatementToken<'a> {
    StatementToken { key: key.to_owned(), kind, surface, is_han: false, is_owner: false }
}

/// A run that starts with a digit: a number, a time, a date, a version, perhaps with its unit (`10ms`). Returns its
/// length in bytes.
fn push_number<'a>(rest: &'a str, out: &mut Vec<StatementToken<'a>>) -> usize {
    let bytes = rest.as_bytes();
    let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while is_digit(end) || matches!(bytes.get(end), Some(b'.' | b',' | b':' | b'/' | b'-')) && is_digit(end + 1) {
        end += 1;
    }
    let run = &rest[..end];
    let parts: Vec<&str> = run.split(['-', '/']).collect();
    if parts.len() > 1 && parts[0].len() == 4 {
        out.push(token(TokenKind::Date, parts[0], run));
        out.push(token(TokenKind::Date, &format!("month-{}", parts[1].trim_start_matches('0')), run));
        out.extend(parts.get(2).map(|day| token(TokenKind::Date, day.trim_start_matches('0'), run)));
    } else {
        let is_year = run.len() == 4 && ("1900".."2100").contains(&run);
        let kind = if is_year { TokenKind::Date } else { TokenKind::Number };
        out.push(token(kind, &run.replace(',', ""), run));
    }
    end
}

/// A character of a script without spaces, or a phrase in it that counts as one. Returns its length in bytes.
///
/// `starts_clause`: whether 不过 is a conjunction; elsewhere it denies a verb: 下面的东西不过检查.
fn push_han<'a>(rest: &'a str, starts_clause: bool, out: &mut Vec<StatementToken<'a>>) -> usize {
    let phrase = |list: PhraseList| list.iter().find(|p| rest.starts_with(*p));
    let first = rest.chars().next().map_or(0, char::len_utf8);
    if let Some(month) = rest.strip_prefix('月').and(out.last_mut()).filter(|t| t.kind == TokenKind::Number) {
        (month.key, month.kind) = (format!("month-{}", month.key), TokenKind::Date);
        return first;
    }
    for prefix in ["星期", "周", "礼拜"] {
        // 每周一次 is once a week.
        let counts = |day: &&str| {
            let is_sunday = !day.starts_with('天') || prefix != "周" && !day.starts_with("天天");
            is_sunday && !day.chars().nth(1).is_some_and(|c| matches!(c, '次' | '回' | '遍' | '趟'))
        };
        let day = rest.strip_prefix(prefix).filter(counts).and_then(|day| day.chars().next());
        if let Some(number) = day.and_then(|day| "一二三四五六日天".chars().position(|c| c == day)) {
            let number = number.min(6);
            let length = prefix.len() + '一'.len_utf8();
            out.push(token(TokenKind::Date, &format!("weekday-{}", number + 1), &rest[..length]));
            return length;
        }
    }
    let passes =
        rest.strip_prefix("不过").is_some_and(|after| !after.starts_with(['是', '就', '才', '一', '如', '几']));
    let is_denied = phrase(HAN_NEGATED).is_some() || passes && !starts_clause;
    if let Some(word) = phrase(HAN_NOT_NEGATIONS).filter(|_| !is_denied) {
        out.extend(word.char_indices().map(|(i, c)| han_token(&rest[i..i + c.len_utf8()])));
        return word.len();
    }
    let mark = |kind, word: &str| StatementToken { is_han: true, ..token(kind, word, &rest[..word.len()]) };
    if let Some(word) = phrase(HAN_NEGATIONS) {
        out.push(mark(TokenKind::Negation, word));
        return word.len();
    }
    if let Some((number, length)) = han_number(rest) {
        out.push(token(TokenKind::Number, &number.to_string(), &rest[..length]));
        return length;
    }
    if let Some(word) = phrase(HAN_FILLERS) {
        if word == "的" {
            out.iter_mut().last().into_iter().for_each(|t| t.is_owner = true);
        }
        out.push(mark(TokenKind::Filler, word));
        return word.len();
    }
    out.push(han_token(&rest[..first]));
    first
}

/// Whether a clause starts after a text, or an adverb that stands before 不过: 只不过, 再好不过.
fn starts_clause(before: &str) -> bool {
    !before.ends_with(is_unspaced) || before.ends_with(['只', '好', '最', '再', '大', '多', '胜'])
}

fn han_token(surface: &str) -> StatementToken<'_> {
    StatementToken { is_han: true, ..token(TokenKind::Word, surface, surface) }
}

/// A number from 2 to 99 in Chinese characters before a unit or a measure word, and its length in bytes. Without one,
/// the characters are part of a name or a word: 李四, 三明治.
fn han_number(rest: &str) -> Option<(u32, usize)> {
    const DIGITS: &str = "一二三四五六七八九";
    let (mut tens, mut ones, mut has_ten, mut length) = (None, None, false, 0);
    for c in rest.chars() {
        match DIGITS.chars().position(|d| d == c).or((c == '两').then_some(1)) {
            Some(digit) if ones.is_none() => ones = Some(digit as u32 + 1),
            None if c == '十' && !has_ten => (tens, ones, has_ten) = (ones.or(Some(1)), None, true),
            _ => break,
        }
        length += c.len_utf8();
    }
    let number = if has_ten { tens.unwrap_or(1) * 10 + ones.unwrap_or(0) } else { ones? };
    let counts = rest[length..].starts_with(|c| HAN_MEASURES.contains(c));
    (number > 1 && counts).then_some((number, length))
}

/// Measure words and units that follow a number.
const HAN_MEASURES: &str =
    "楼层室届个只天年月次台人岁点分小周条名位本套页元块倍件辆张家层间杯号日时秒公千百万支项份欧美度斤米克升吨毫厘";

/// A word, or an identifier such as `eu-west-1` or `node.js`. Returns its length in bytes.
fn push_word<'a>(rest: &'a str, sentence_start: bool, out: &mut Vec<StatementToken<'a>>) -> usize {
    let length = word_length(rest);
    let surface = &rest[..length];
    let low = surface.to_lowercase().replace('\u{2019}', "'");
    let next = &rest[length..];
    let owner = ["'s", "\u{2019}s"].into_iter().find(|s| next.starts_with(s)).map_or(0, str::len);
    let after_number = out.last().is_some_and(|t| t.kind == TokenKind::Number);
    let mut new = if OTHER_NEGATIONS.contains(&low) && !next.starts_with('-') {
        token(TokenKind::Negation, &low, surface)
    } else {
        classify_word(surface, &low, sentence_start, after_number)
    };
    new.is_owner = owner > 0;
    out.push(new);
    length + owner
}

fn classify_word<'a>(surface: &'a str, low: &str, sentence_start: bool, after_number: bool) -> StatementToken<'a> {
    let is_identifier = surface.contains(|c: char| c.is_ascii_digit() || matches!(c, '_' | '.'))
        || surface.chars().skip(1).any(char::is_uppercase);
    if let Some(number) = NUMBER_WORDS.value(low).or_else(|| OTHER_NUMBER_WORDS.value(low)) {
        return token(TokenKind::Number, number, surface);
    }
    if after_number && UNITS.contains(&stem(low)) {
        return token(TokenKind::Number, &stem(low), surface);
    }
    let is_month = low != "may" && low != "march" || is_capitalized(surface) && !sentence_start || after_number;
    let month = MONTHS.value(low).filter(|_| is_month && (is_capitalized(surface) || low.len() > 3));
    if let Some(month) = month.or_else(|| OTHER_MONTHS.value(surface)) {
        return token(TokenKind::Date, &format!("month-{month}"), surface);
    }
    if let Some(day) = WEEKDAYS.value(low).or_else(|| OTHER_WEEKDAYS.value(surface)) {
        return token(TokenKind::Date, &format!("weekday-{day}"), surface);
    }
    if NEGATIONS.contains(low) || low.ends_with("n't") {
        return token(TokenKind::Negation, low, surface);
    }
    if FILLERS.contains(low) || stopwords::is_stopword(low) && !is_comparator(low) {
        return token(TokenKind::Filler, low, surface);
    }
    let stemmed = stem(low);
    let is_common =
        || verbs::is_third_person(low) || word_frequency::per_mille(&stemmed) > 0 || verbs::is_past_verb(low);
    if is_identifier || is_capitalized(surface) && !(sentence_start && is_common()) {
        return token(TokenKind::Name, low, surface);
    }
    token(TokenKind::Word, &stemmed, surface)
}

pub(super) const COMPARATORS: WordList = word_list!("statements/comparators.en.txt");

fn is_comparator(low: &str) -> bool {
    COMPARATORS.contains(low)
}

/// The length of a word in bytes: letters, digits, apostrophes before a `t`, and `_ . -` inside identifiers. A hyphen
/// belongs to an identifier if a digit follows somewhere: `eu-west-1`, but not `well-known`.
fn word_length(rest: &str) -> usize {
    let run = run_length(rest, true);
    if rest[..run].contains('-') && !rest[..run].contains(|c: char| c.is_ascii_digit()) {
        return run_length(rest, false);
    }
    run
}

fn run_length(rest: &str, with_hyphens: bool) -> usize {
    let mut chars = rest.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let next = chars.peek().map(|&(_, n)| n);
        let joins = match c {
            '\'' | '\u{2019}' => next == Some('t'),
            '_' => true,
            '.' => next.is_some_and(|n| n.is_ascii_alphanumeric()),
            '-' => with_hyphens && next.is_some_and(|n| n.is_ascii_alphanumeric()),
            _ => c.is_alphanumeric() && !is_unspaced(c),
        };
        if !joins {
            return i;
        }
    }
    rest.len()
}

/// A number next to the name of a month is its day.
fn join_dates(tokens: &mut [StatementToken<'_>]) {
    let is_day = |t: &StatementToken<'_>| {
        t.kind == TokenKind::Number && t.key.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day))
    };
    for i in 0..tokens.len() {
        let beside_month = i
            .checked_sub(1)
            .into_iter()
            .chain([i + 1])
            .any(|n| tokens.get(n).is_some_and(|t| t.key.starts_with("month-")));
        if beside_month && is_day(&tokens[i]) {
            tokens[i].kind = TokenKind::Date;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let kind = |t: &StatementToken<'_>| match t.kind {
            TokenKind::Word => "",
            TokenKind::Filler => "~",
            TokenKind::Name => "@",
            TokenKind::Number => "#",
            TokenKind::Date => "%",
            TokenKind::Negation => "!",
        };
        let got: Vec<String> = Statement::of(text).tokens.iter().map(|t| format!("{}{}", kind(t), t.key)).collect();
        assert_eq!(got.join(" "), expected, "{text}");
    }

    #[test]
    fn tags_at_the_end_of_an_item_state_nothing() {
        for (text, expected) in [
            ("The port is 8080 #api #go/http ", "The port is 8080"),
            ("Written in C #", "Written in C #"),
            ("See issue #12", "See issue #12"),
            ("#go", "#go"),
            ("Uses #tags inside", "Uses #tags inside"),
        ] {
            assert_eq!(without_tags(text).trim_end(), expected);
        }
    }

    #[test]
    fn words_names_numbers_and_dates_are_told_apart() {
        check("User prefers tabs over spaces.", "~user prefer tab over space");
        check("Deploys to eu-west-1 with PostgreSQL 16", "deploy ~to @eu-west-1 ~with @postgresql #16");
        check("The limit is 5,000 requests in 10 minutes", "~the limit ~is #5000 request ~in #10 #minut");
        check("Moved to Berlin on 3 May 2025", "move ~to @berlin ~on %3 %month-5 %2025");
        check("Release on 2026-02-24", "releas ~on %2026 %month-2 %24");
        check("Standup at 10:30 on Mondays", "standup ~at #10:30 ~on %weekday-1");
        check("Doesn't deploy on Fridays", "!doesn't deploy ~on %weekday-5");
        check("[note] City: Paris", "@paris");
    }

    #[test]
    fn other_languages_deny_count_and_name_days() {
        let keys = |text: &'static str| -> Vec<String> {
            let particular = |t: &&StatementToken<'_>| t.kind == TokenKind::Number || t.kind == TokenKind::Date;
            Statement::of(text).tokens.iter().filter(particular).map(|t| t.key.clone()).collect()
        };
        assert_eq!(keys("Hat vier Katzen seit Dezember"), ["4", "month-12"]);
        assert_eq!(keys("Reunión el martes a las cinco"), ["weekday-2", "5"]);
        assert_eq!(keys("Поедет в июне на шесть дней"), ["month-6", "6"]);
        assert_eq!(keys("Martes Valdez"), [""; 0]);
        for denied in ["Mag keinen Kaffee", "Ne mange jamais de viande", "No come carne nunca", "Не ест мясо"]
        {
            assert!(Statement::of(denied).is_negated(), "{denied}");
        }
        assert!(!Statement::of("Works for a non-profit").is_negated());
    }

    #[test]
    fn chinese_is_read_by_character() {
        check("用户不喜欢咖啡", "~用户 !不 喜 欢 咖 啡");
        check("端口是8080", "端 口 ~是 #8080");
        check("有三只猫", "有 #3 只 猫");
        check("2026年2月24日", "%2026 年 %month-2 %24 日");
        check("用户使用PostgreSQL", "~用户 使 用 @postgresql");
        check("周五部署", "%weekday-5 部 署");
    }

    #[test]
    fn labels_owners_and_negation() {
        assert_eq!(Statement::of("City: Paris").label.as_deref(), Some("city"));
        assert_eq!(Statement::of("Standup at 10:00").label, None);
        assert!(Statement::of("Anna's dog is old").tokens[0].is_owner);
        assert!(Statement::of("Never deploys").is_negated());
        assert!(!Statement::of("Never deploys without tests").is_negated());
        assert!(!Statement::of("咖啡不仅好喝").is_negated());
        assert!(Statement::of("对花粉不过敏").is_negated());
        assert!(Statement::of("下面的目录不过检查").is_negated());
        assert!(!Statement::of("很慢，不过能用").is_negated() && !Statement::of("他只不过累了").is_negated());
    }

    #[test]
    fn events_are_told_from_states() {
        for text in ["Visited Rome", "Has moved to Rome", "1月12日修复了解析器", "用户去过罗马", "学过Haskell"]
        {
            assert!(Statement::of(text).is_event(), "{text}");
        }
        for text in [
            "The office is closed on Mondays",
            "Married to Nina",
            "The cat is called Pixel",
            "用户了解Rust",
            "会话30分钟后过期",
        ] {
            assert!(!Statement::of(text).is_event(), "{text}");
        }
    }
}
