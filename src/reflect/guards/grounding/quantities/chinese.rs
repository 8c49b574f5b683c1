//! Reads the quantities of a Chinese text.

use super::super::numbers::{han_value, is_han_digit};
use super::{Measured, Period, Quantity, Ratio, chinese_amounts};

/// Units of time, longer ones first, each with its seconds.
const SECONDS: [(&str, i64); 15] = [
    ("个小时", 3600),
    ("个钟头", 3600),
    ("个星期", 604_800),
    ("个礼拜", 604_800),
    ("分钟", 60),
    ("刻钟", 900),
    ("小时", 3600),
    ("钟头", 3600),
    ("星期", 604_800),
    ("礼拜", 604_800),
    ("秒钟", 1),
    ("秒", 1),
    ("天", 86_400),
    ("日", 86_400),
    ("周", 604_800),
];
const MONTHS: [(&str, i64); 5] = [("个季度", 3), ("季度", 3), ("个月", 1), ("月", 1), ("年", 12)];
/// Words for a period that comes again and again, with the unit.
const REPEATED: [(&str, &str, i64); 15] = [
    ("每天晚上", "晚", 1),
    ("每天夜里", "晚", 1),
    ("每天早上", "早", 1),
    ("隔天", "天", 2),
    ("隔日", "天", 2),
    ("隔周", "周", 2),
    ("隔月", "月", 2),
    ("天天", "天", 1),
    ("日日", "天", 1),
    ("每晚", "晚", 1),
    ("每夜", "晚", 1),
    ("每早", "早", 1),
    ("月月", "月", 1),
    ("年年", "年", 1),
    ("周周", "周", 1),
];
/// Words for a part of the day, with its first and last hour.
const PARTS_OF_DAY: [(&str, u32, u32); 14] = [
    ("凌晨", 0, 6),
    ("清晨", 4, 10),
    ("早晨", 4, 11),
    ("早上", 4, 11),
    ("上午", 6, 12),
    ("中午", 11, 14),
    ("下午", 12, 19),
    ("傍晚", 16, 20),
    ("晚上", 17, 28),
    ("夜里", 19, 30),
    ("半夜", 22, 30),
    ("深夜", 22, 30),
    ("早", 4, 11),
    ("晚", 17, 24),
];

pub(super) fn quantities(text: &str) -> Vec<Measured> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let is_free = !text[..at].ends_with(|c: char| c.is_ascii_digit() || is_han_digit(c) || "第.:".contains(c));
        match quantity(&text[at..]).filter(|_| is_free) {
            Some((length, quantity)) => {
                found.push(Measured { range: at..at + length, quantity });
                at += length;
            }
            None => at += first.len_utf8(),
        }
    }
    found
}

/// The quantity at the start of a text, with its length in bytes.
fn quantity(text: &str) -> Option<(usize, Quantity)> {
    decimal(text)
        .or_else(|| weekday(text))
        .or_else(|| day_of_month(text))
        .or_else(|| clock(text))
        .or_else(|| frequency(text))
        .or_else(|| share(text))
        .or_else(|| duration(text).map(|(length, period)| (length, Quantity::Duration(period))))
        .or_else(|| text.starts_with("一打").then_some(("一打".len(), Quantity::Count(Ratio::whole(12)))))
        .or_else(|| chinese_amounts::amount(text))
        .or_else(|| large_number(text))
}

/// 一点五升: no time of day.
fn decimal(text: &str) -> Option<(usize, Quantity)> {
    let is_decimal = |(length, _): &(usize, Quantity)| text[..*length].contains('点');
    chinese_amounts::amount(text).filter(is_decimal)
}

/// A weekday at the start of a text (周三, 星期三, 礼拜天), and its length in bytes.
fn weekday(text: &str) -> Option<(usize, Quantity)> {
    let rest = ["星期", "礼拜", "周"].iter().find_map(|word| text.strip_prefix(word))?;
    let day = rest.chars().next()?;
    let number = "一二三四五六日天".chars().position(|c| c == day)?.min(6);
    // 这周一共, 每周一次, 三周天天.
    let next = rest[day.len_utf8()..].chars().next();
    let is_word = next.is_some_and(|next| "共直般起样定些次回趟遍个天".contains(next));
    (!is_word).then_some((text.len() - rest.len() + day.len_utf8(), Quantity::Weekday(number)))
}

/// A day of a month at the start of a text (3月5号, 三月五日, 5号), and its length in bytes.
fn day_of_month(text: &str) -> Option<(usize, Quantity)> {
    let part = |text: &str, mark: &[char], most: i64| {
        let (length, number) = number(text).filter(|(_, n)| n.1 == 1 && (1..=most).contains(&n.0))?;
        let rest = text[length..].trim_start();
        Some((text.len() - rest.strip_prefix(mark)?.len(), number.0 as u32))
    };
    match part(text, &['月'], 12) {
        Some((length, month)) => {
            let (more, day) = part(&text[length..], &['号', '日'], 31)?;
            Some((length + more, Quantity::Date(Some(month), day)))
        }
        None => {
            let (length, day) = part(text, &['号', '日'], 31)?;
            // 3号楼
            let is_number = text[length..].starts_with(['楼', '线', '机', '馆', '院', '门', '店', '位', '库', '厅']);
            (!is_number).then_some((length, Quantity::Date(None, day)))
        }
    }
}

/// A large number at the start of a text (3600万, 三千六百万), and its length in bytes.
fn large_number(text: &str) -> Option<(usize, Quantity)> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let count = |length, n: Ratio| Some((length, Quantity::Count(n)));
    if digits == 0 {
        let end = text.find(|c: char| !is_han_digit(c) || c == '半').unwrap_or(text.len());
        let value = i64::try_from(han_value(&text[..end])?).ok()?;
        return (value >= 1000).then(|| count(end, Ratio::whole(value)))?;
    }
    let factor = match text[digits..].chars().next() {
        Some('万') => 10_000,
        Some('千') => 1000,
        Some('亿') => 100_000_000,
        _ => return count(digits, Ratio::parse(&text[..digits]).filter(|n| n.0 >= 1000)?),
    };
    count(digits + '万'.len_utf8(), Ratio::parse(&text[..digits])?.times(Ratio::whole(factor)))
}

/// A number in digits or Chinese characters, without a half.
fn number(text: &str) -> Option<(usize, Ratio)> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    if digits > 0 {
        return Some((digits, Ratio::parse(text[..digits].trim_end_matches('.'))?));
    }
    let end = text.find(|c: char| !is_han_digit(c) || c == '半').unwrap_or(text.len());
    let value = han_value(&text[..end]).filter(|_| end > 0)?;
    Some((end, Ratio::whole(i64::try_from(value).ok().filter(|n| *n < 1_000_000)?)))
}

/// The unit of time at the start of a text.
fn unit(text: &str) -> Option<(usize, Period)> {
    let found = SECONDS.iter().find(|(name, _)| text.starts_with(name));
    let seconds = found.map(|(name, n)| (name.len(), Period::Seconds(Ratio::whole(*n))));
    let months = MONTHS.iter().find(|(name, _)| text.starts_with(name));
    seconds.or(months.map(|(name, n)| (name.len(), Period::Months(Ratio::whole(*n)))))
}

/// 半年, 一个半小时, 三天, 一年半, 两天两夜, 一分半.
fn duration(text: &str) -> Option<(usize, Period)> {
    if let Some((length, minutes)) = number(text)
        && text[length..].starts_with("分半")
    {
        let minute = Period::Seconds(Ratio::whole(60));
        return Some((length + "分半".len(), minute.times(minutes.plus(Ratio::HALF))));
    }
    if let Some(rest) = text.strip_prefix('半') {
        // 半个月 is half of a month in days.
        if let Some(more) = ["个月", "月"].iter().find(|month| rest.starts_with(**month)) {
            let length = '半'.len_utf8() + more.len();
            return Some((length, Period::Seconds(Ratio::whole(HALF_MONTH * 86_400))));
        }
        let (length, period) = unit(rest).filter(|_| !rest.starts_with(['天', '日', '周']))?;
        return Some(('半'.len_utf8() + length, period.times(Ratio::HALF)));
    }
    let (mut length, mut amount) = number(text)?;
    // 2019年, 3月 and 5日 are dates.
    let is_date = text[length..].starts_with(['月', '日'])
        || text[length..].starts_with('年') && (amount.0 > 100 || text[length..].starts_with("年级"));
    if is_date {
        return None;
    }
    if let Some(rest) = text[length..].strip_prefix("个半") {
        length = text.len() - rest.len();
        amount = amount.plus(Ratio::HALF);
    }
    let rest = &text[length..];
    let half_month = rest.starts_with('月') && text[..length].ends_with('半');
    let (more, period) = unit(rest).filter(|_| half_month || !rest.starts_with('月'))?;
    length += more;
    if text[length..].starts_with('半') {
        length += '半'.len_utf8();
        amount = amount.plus(Ratio::HALF);
    }
    let nights = number(&text[length..]).filter(|(_, nights)| *nights == amount);
    if let Some((n, _)) = nights.filter(|(n, _)| text[length + n..].starts_with('夜')) {
        length += n + '夜'.len_utf8();
    }
    Some((length, period.times(amount)))
}

/// The days of 半个月.
const HALF_MONTH: i64 = 15;

/// 每周, 隔天, 每五分钟, 每周两次, 一天一次, 五分钟报一回.
fn frequency(text: &str) -> Option<(usize, Quantity)> {
    if let Some((word, name, n)) = REPEATED.iter().find(|(word, ..)| text.starts_with(word)) {
        let period = match unit(name) {
            Some((_, period)) => period.times(Ratio::whole(*n)),
            None => Period::Named(if *name == "晚" { "night" } else { "morning" }),
        };
        return Some((word.len(), Quantity::Frequency(Ratio::whole(1), period)));
    }
    // 每隔一天, 隔一天: every two days.
    if let Some(between) = text.strip_prefix("每隔").or_else(|| text.strip_prefix('隔')) {
        let (length, n) = number(between)?;
        let (more, period) = unit(&between[length..])?;
        let length = text.len() - between.len() + length + more;
        return Some((length, Quantity::Frequency(Ratio::whole(1), period.times(n.plus(Ratio::whole(1))))));
    }
    let (length, period, is_every) = match text.strip_prefix('每') {
        Some(rest) => {
            let (length, period) = duration(rest).or_else(|| unit(rest))?;
            // 每周三 is a day of the week.
            let is_weekday = rest[..length].ends_with(['周', '期', '拜'])
                && rest[length..].starts_with(|c| "一二三四五六日天".contains(c))
                && repeats(&rest[length..], 0).is_none();
            if is_weekday || rest.starts_with("年级") {
                return None;
            }
            ('每'.len_utf8() + length, period, true)
        }
        None => duration(text).map(|(length, period)| (length, period, false))?,
    };
    match repeats(&text[length..], MAX_BETWEEN) {
        Some((more, times)) => Some((length + more, Quantity::Frequency(times, period))),
        None => is_every.then_some((length, Quantity::Frequency(Ratio::whole(1), period))),
    }
}

/// So many characters may stand between a period and a number of times: 五分钟报一回.
const MAX_BETWEEN: usize = 3;

/// A number of times near the start of a text, with the bytes up to its end if nothing stands before it.
fn repeats(text: &str, most: usize) -> Option<(usize, Ratio)> {
    for (at, c) in text.char_indices().take(most + 1) {
        if "，。；、,".contains(c) {
            return None;
        }
        if let Some((length, times)) = number(&text[at..])
            && text[at + length..].starts_with(['次', '回', '趟', '遍'])
        {
            let end = if at == 0 { length + '次'.len_utf8() } else { 0 };
            return Some((end, times));
        }
    }
    None
}

/// 50%, 百分之五十, 七成, 一半, 四分之一.
fn share(text: &str) -> Option<(usize, Quantity)> {
    if let Some(word) = ["一半", "半数"].iter().find(|word| text.starts_with(**word)) {
        return Some((word.len(), Quantity::Share(Ratio::HALF)));
    }
    if let Some(rest) = text.strip_prefix("百分之") {
        let (length, number) = number(rest)?;
        return Some((text.len() - rest.len() + length, Quantity::Share(number.times(Ratio::new(1, 100)))));
    }
    let (length, first) = number(text)?;
    let rest = &text[length..];
    if let Some(sign) = ['%', '％'].iter().find(|sign| rest.starts_with(**sign)) {
        return Some((length + sign.len_utf8(), Quantity::Share(first.times(Ratio::new(1, 100)))));
    }
    if rest.starts_with('成') && first.0 < 10 {
        return Some((length + '成'.len_utf8(), Quantity::Share(first.times(Ratio::new(1, 10)))));
    }
    let (more, above) = number(rest.strip_prefix("分之")?)?;
    Some((length + "分之".len() + more, Quantity::Share(above.times(Ratio::new(first.1, first.0)))))
}

/// A time of day at the start of a text (九点一刻, 晚上9:15, 凌晨两点半), and its length in bytes.
fn clock(text: &str) -> Option<(usize, Quantity)> {
    let part = PARTS_OF_DAY.iter().find(|(word, ..)| text.starts_with(word));
    let start = part.map_or(0, |(word, ..)| word.len());
    let rest = &text[start..];
    let spaces = rest.len() - rest.trim_start().len();
    let rest = rest.trim_start();
    let (length, hour, minute) = digital(rest).or_else(|| spoken(rest))?;
    if hour > 24 || minute > 59 {
        return None;
    }
    let candidates = match hour {
        1..=12 if !rest.starts_with('0') => vec![hour % 12, hour % 12 + 12],
        _ => vec![hour % 24],
    };
    let is_within = |hour: &u32| {
        part.is_none_or(|(_, from, to)| (*from..=*to).contains(hour) || (*from..=*to).contains(&(hour + 24)))
    };
    // Without a part of the day, what is said of one to six o'clock is meant for the afternoon.
    let candidates = match part {
        None if (1..=6).contains(&hour) => vec![hour + 12],
        _ => candidates,
    };
    let times: Vec<u32> = candidates.into_iter().filter(is_within).map(|hour| hour * 60 + minute).collect();
    (!times.is_empty()).then_some((start + spaces + length, Quantity::Clock(times)))
}

/// A time of digits at the start of a text (9:15): its length in bytes, the hour and the minute.
fn digital(text: &str) -> Option<(usize, u32, u32)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '：'))).unwrap_or(text.len());
    let (hour, minute) = text[..end].split_once([':', '：'])?;
    (minute.len() == 2).then_some(())?;
    Some((end, hour.parse().ok()?, minute.parse().ok()?))
}

/// 九点, 九点半, 九点一刻, 九点十五分
fn spoken(text: &str) -> Option<(usize, u32, u32)> {
    let (length, hour) = number(text).filter(|(_, hour)| hour.1 == 1 && (0..=24).contains(&hour.0))?;
    let rest = text[length..].strip_prefix('点')?;
    let length = length + '点'.len_utf8();
    let (more, minute) = match rest {
        _ if rest.starts_with('半') => ('半'.len_utf8(), 30),
        _ if rest.starts_with("一刻") => ("一刻".len(), 15),
        _ if rest.starts_with("三刻") => ("三刻".len(), 45),
        _ if rest.starts_with('整') => ('整'.len_utf8(), 0),
        _ => match number(rest.trim_start_matches('零')).filter(|(_, m)| m.1 == 1 && (1..60).contains(&m.0)) {
            Some((n, minute)) => {
                let zero = rest.len() - rest.trim_start_matches('零').len();
                let mark = if rest[zero + n..].starts_with('分') { '分'.len_utf8() } else { 0 };
                (zero + n + mark, minute.0 as u32)
            }
            None => (0, 0),
        },
    };
    Some((length + more, hour.0 as u32, minute))
}
