//! Finds Chinese dates: 下周五, 三天前, 5月12号.

use jiff::ToSpan;
use jiff::civil::Date;

use super::super::numbers::{han_value, is_han_digit};
use super::{DatePhrase, DateRead, DaySpan, Said, Unit, distant, moved, weekdays};
use crate::text::dates::PartialDate;

/// Words for a day, as the days from today.
const DAYS: [(&str, i64); 18] = [
    ("大前天", -3),
    ("前天", -2),
    ("前晚", -2),
    ("昨天", -1),
    ("昨日", -1),
    ("昨晚", -1),
    ("昨夜", -1),
    ("今天", 0),
    ("今日", 0),
    ("今晚", 0),
    ("今早", 0),
    ("今晨", 0),
    ("大后天", 3),
    ("后天", 2),
    ("明天", 1),
    ("明日", 1),
    ("明早", 1),
    ("明晚", 1),
];
const YEARS: [(&str, i64); 7] =
    [("大前年", -3), ("前年", -2), ("去年", -1), ("今年", 0), ("明年", 1), ("大后年", 3), ("后年", 2)];
/// What stands before a week, a month or a quarter.
const DIRECTIONS: [(&str, i64); 7] =
    [("上上", -2), ("下下", 2), ("上", -1), ("下", 1), ("这", 0), ("本", 0), ("当", 0)];
const WEEKS: [&str; 3] = ["星期", "礼拜", "周"];
/// The longest time in days.
const MAX_DAYS: i64 = 999;
const WEEKDAYS: &str = "一二三四五六日天";

pub(super) fn phrases(text: &str, base: Option<Date>) -> Vec<DatePhrase> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let read = written(rest).or_else(|| relative(rest, base?));
        let length = match read {
            Some((said, length)) => {
                found.push(DatePhrase { range: at..at + length, said });
                length
            }
            // A number is read from its start.
            None => number(rest).map_or(c.len_utf8(), |(_, length)| length),
        };
        at += length;
    }
    found
}

/// A number in digits or characters, and its length. `None` for a half.
fn number(rest: &str) -> Option<(i64, usize)> {
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 {
        return Some((rest[..digits].parse().ok()?, digits));
    }
    let run = rest.len() - rest.trim_start_matches(|c| is_han_digit(c) && c != '半').len();
    Some((han_value(&rest[..run]).filter(|_| run > 0)? as i64, run))
}

/// A number within bounds that is followed by one of some words.
fn counted(rest: &str, most: i64, after: &[&str]) -> Option<(i64, usize)> {
    let (n, length) = number(rest)?;
    let tail = rest[length..].trim_start_matches(' ');
    let skipped = rest.len() - tail.len();
    let word = after.iter().find(|word| tail.starts_with(**word))?;
    (1..=most).contains(&n).then_some((n, skipped + word.len()))
}

/// A year: 2025年, 二〇二五年, 25年.
fn year(rest: &str) -> Option<(i16, usize)> {
    let read: Option<String> = rest
        .chars()
        .take(4)
        .map(|c| "〇一二三四五六七八九".chars().position(|d| d == c))
        .map(|d| d.map(|d| d.to_string()))
        .collect();
    if let Some(year) = read.filter(|year| year.len() == 4)
        && rest.chars().nth(4) == Some('年')
    {
        return Some((year.parse().ok()?, "〇年".len() + 3 * "〇".len()));
    }
    let (n, length) = counted(rest, 2099, &["年"])?;
    (n >= 1900).then_some((n as i16, length))
}

fn month(rest: &str) -> Option<(i8, usize)> {
    let (n, length) = counted(rest, 12, &["月"])?;
    Some((n as i8, length + if rest[length..].starts_with('份') { "份".len() } else { 0 }))
}

fn day(rest: &str) -> Option<(i8, usize)> {
    counted(rest, 31, &["号", "日"]).map(|(n, length)| (n as i8, length))
}

/// A month and its day, or a month alone.
fn month_and_day(rest: &str) -> Option<(i8, Option<i8>, usize)> {
    let (month, length) = month(rest)?;
    let tail = rest[length..].trim_start_matches(' ');
    match day(tail) {
        Some((day, more)) => Some((month, Some(day), rest.len() - tail.len() + more)),
        None => Some((month, None, length)),
    }
}

fn written(rest: &str) -> DateRead {
    let date = |year, month, day, length| Some((Said::Written(PartialDate { year, month, day }), length));
    if let Some((year, length)) = year(rest) {
        let tail = rest[length..].trim_start_matches(' ');
        return match month_and_day(tail) {
            Some((month, day, more)) => date(Some(year), Some(month), day, rest.len() - tail.len() + more),
            None => date(Some(year), None, None, length),
        };
    }
    if let Some((month, day, length)) = month_and_day(rest) {
        return date(None, Some(month), day, length);
    }
    let (day, length) = day(rest)?;
    date(None, None, Some(day), length)
}

fn relative(rest: &str, base: Date) -> DateRead {
    if let Some((word, days)) = DAYS.iter().find(|(word, _)| rest.starts_with(word)) {
        return Some((Said::Spans(distant(base, Unit::Day, *days)?), word.len()));
    }
    if let Some((word, years)) = YEARS.iter().find(|(word, _)| rest.starts_with(word)) {
        let year = moved(base, years.years())?;
        let (span, length) = match month_and_day(&rest[word.len()..]) {
            Some((month, day, more)) => {
                let first = Date::new(year.year(), month, day.unwrap_or(1)).ok()?;
                (if day.is_some() { DaySpan::day(first) } else { DaySpan::month(first) }, word.len() + more)
            }
            None => (DaySpan::year(year), word.len()),
        };
        return Some((Said::Spans(vec![span]), length));
    }
    directed(rest, base).or_else(|| weekday(rest, base)).or_else(|| distance(rest, base))
}

/// 下周五, 上个月, 下个月5号, 本季度.
fn directed(rest: &str, base: Date) -> DateRead {
    let (prefix, direction) = DIRECTIONS.iter().find(|(word, _)| rest.starts_with(word))?;
    let one = if rest[prefix.len()..].starts_with('个') { "个".len() } else { 0 };
    let tail = &rest[prefix.len() + one..];
    let used = rest.len() - tail.len();
    let said = |span, length| Some((Said::Spans(vec![span]), used + length));
    if let Some(word) = WEEKS.iter().find(|word| tail.starts_with(**word)) {
        let week = *distant(base, Unit::Week, *direction)?.last()?;
        let next = tail[word.len()..].chars().next();
        return match next.and_then(weekday_number) {
            Some(n) => said(DaySpan::day(moved(week.first, i64::from(n).days())?), word.len() + "一".len()),
            None if next == Some('末') => {
                said(DaySpan { first: moved(week.first, 5.days())?, ..week }, word.len() + "末".len())
            }
            None => said(week, word.len()),
        };
    }
    if tail.starts_with("季度") {
        return said(*distant(base, Unit::Quarter, *direction)?.last()?, "季度".len());
    }
    let after = tail.strip_prefix('月')?;
    let month = *distant(base, Unit::Month, *direction)?.last()?;
    match day(after) {
        Some((day, more)) => {
            let day = Date::new(month.first.year(), month.first.month(), day).ok()?;
            said(DaySpan::day(day), "月".len() + more)
        }
        None => said(month, "月".len()),
    }
}

/// 周五, 星期天, 周末: the last or the next one.
fn weekday(rest: &str, base: Date) -> DateRead {
    let word = WEEKS.iter().find(|word| rest.starts_with(**word))?;
    let c = rest[word.len()..].chars().next()?;
    let length = word.len() + c.len_utf8();
    let (number, is_weekend) = if c == '末' { (5, true) } else { (weekday_number(c)?, false) };
    let week = DaySpan::week(base)?;
    let near = weekdays(base, number).into_iter().filter(|day| {
        day.first >= week.first && day.first <= week.last
            || moved(base, (-7).days()).is_some_and(|from| day.first >= from)
                && moved(base, 7.days()).is_some_and(|to| day.first <= to)
    });
    let spans = near.map(|day| DaySpan {
        last: if is_weekend { moved(day.first, 1.days()).unwrap_or(day.last) } else { day.last },
        ..day
    });
    Some((Said::Spans(spans.collect()), length))
}

/// 三天前, 两周后, 半年前; 三年 for the time since then.
fn distance(rest: &str, base: Date) -> DateRead {
    let (count, unit, length) = amount(rest)?;
    let (direction, used) = match direction(&rest[length..]) {
        Some((direction, more)) => (direction, length + more),
        None if matches!(unit, Unit::Month | Unit::Year) => (-1, length),
        None => return None,
    };
    Some((Said::Spans(distant(base, unit, direction * count)?), used))
}

/// A number and a unit: 三天, 半年.
fn amount(rest: &str) -> Option<(i64, Unit, usize)> {
    match rest.strip_prefix('半') {
        Some(tail) if tail.starts_with('年') => return Some((6, Unit::Month, "半年".len())),
        Some(tail) if tail.starts_with("个月") => return Some((15, Unit::Day, "半个月".len())),
        _ => {}
    }
    let (n, length) = number(rest)?;
    let tail = &rest[length..];
    let (word, unit) = [
        ("天", Unit::Day),
        ("日", Unit::Day),
        ("周", Unit::Week),
        ("个星期", Unit::Week),
        ("星期", Unit::Week),
        ("个礼拜", Unit::Week),
        ("礼拜", Unit::Week),
        ("个月", Unit::Month),
        ("年", Unit::Year),
    ]
    .into_iter()
    .find(|(word, _)| tail.starts_with(word))?;
    let most = if unit == Unit::Day { MAX_DAYS } else { 99 };
    (1..=most).contains(&n).then_some((n, unit, length + word.len()))
}

/// 前 or 后 behind an amount, and its length: 以前, 之后.
fn direction(tail: &str) -> Option<(i64, usize)> {
    let more = ["以", "之"].iter().find(|word| tail.starts_with(**word)).map_or(0, |word| word.len());
    match tail[more..].chars().next()? {
        '前' => Some((-1, more + "前".len())),
        '后' => Some((1, more + "后".len())),
        _ => None,
    }
}

/// The last days that a text may give to something without a date: 30天, 月底.
pub(super) fn terms(text: &str, base: Date) -> Vec<DaySpan> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let ends = [("月底", Unit::Month), ("月末", Unit::Month), ("年底", Unit::Year), ("年末", Unit::Year)];
        // 下个月底 and 明年年底 name the month and the year themselves.
        let is_named = text[..at].ends_with(['下', '个', '年']) && !text[..at].ends_with("这个");
        if let Some((_, unit)) = ends.into_iter().find(|(word, _)| rest.starts_with(word) && !is_named) {
            found.extend(distant(base, unit, 0).unwrap_or_default());
        }
        let length = match amount(rest) {
            Some((count, unit, length)) => {
                let is_past = direction(&rest[length..]).is_some_and(|(direction, _)| direction < 0);
                if !is_past && !rest[..length].ends_with('日') {
                    found.extend(distant(base, unit, count).unwrap_or_default());
                }
                length
            }
            None => number(rest).map_or(c.len_utf8(), |(_, length)| length),
        };
        at += length;
    }
    found
}

/// The months and days that a text writes: 6月9号.
pub(super) fn written_days(text: &str) -> Vec<(i8, i8)> {
    let day_at = |(at, _): (usize, char)| {
        let is_part = text[..at].ends_with(|c: char| c.is_ascii_digit() || c == '十');
        let (month, day, _) = month_and_day(&text[at..]).filter(|_| !is_part)?;
        Some((month, day?))
    };
    text.char_indices().filter_map(day_at).collect()
}

/// The number of a weekday from the character after 周 or 星期; 0 is Monday.
fn weekday_number(c: char) -> Option<i8> {
    Some(WEEKDAYS.chars().position(|d| d == c)?.min(6) as i8)
}
