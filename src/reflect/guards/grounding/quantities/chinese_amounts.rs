//! Reads a Chinese number with its unit as people say it: 八亩三, 两斤半, 一块二, 一米七五, 三百来块, 三十出头, 俩, 仨.
//!
//! Never reads a time, a date, an ordinal or a share: `chinese` does. Needs no list of units: what stands behind a
//! number is one, and the list of spellings only says which of them are the same.

use super::super::UNITS;
use super::super::numbers::{han_value, is_han_digit};
use super::{Quantity, Ratio};
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

const DIGITS: &str = "零一二三四五六七八九";
/// Marks of a number that is not exact, before it.
const ABOUT_BEFORE: PhraseList = phrase_list!("guards/grounding/about_before.zh.txt");
/// The same between a number and its unit, or in the place of its last digits: 三百来块, 五十几个, 十好几.
const ABOUT_WITHIN: PhraseList = phrase_list!("guards/grounding/about_within.zh.txt");
/// The same behind the unit, or behind the number.
const ABOUT_AFTER: PhraseList = phrase_list!("guards/grounding/about_after.zh.txt");
/// Characters behind a number that make something else of it: a date, a time, a share, a floor, an ordinal.
const NOT_UNITS: &str = "年月日号点时分秒周天夜期季刻层楼成折比的了吧呢啊和跟与到至、第一二三四五六七八九十百千万亿半多来几零余出左上下开冒约";

/// The amount at the start of a text, with its length in bytes.
pub(super) fn amount(text: &str) -> Option<(usize, Quantity)> {
    let before = ABOUT_BEFORE.iter().find(|word| text.starts_with(*word)).map_or(0, |word| word.len());
    let spaces = if before > 0 { text[before..].len() - text[before..].trim_start().len() } else { 0 };
    let start = before + spaces;
    let rest = &text[start..];
    if let Some(number) = rest.chars().next().and_then(|c| "俩仨".find(c)) {
        let number = if number == 0 { 2 } else { 3 };
        return (before == 0).then(|| ('俩'.len_utf8(), Quantity::Amount(Ratio::whole(number), "个".to_owned())));
    }
    let (length, number) = number(rest)?;
    let within = ABOUT_WITHIN.iter().find(|word| rest[length..].starts_with(*word));
    let at = length + within.map_or(0, |word| word.len());
    let spaces = rest[at..].len() - rest[at..].trim_start().len();
    let Some((unit, name)) = unit(&rest[at + spaces..]) else {
        let after = ABOUT_AFTER.iter().find(|word| rest[length..].starts_with(*word));
        // 一节课一百二: a price needs no unit.
        let ends =
            !rest[length..].starts_with(|c: char| c.is_alphanumeric() && !"了的吧呢".contains(c) || ".:%".contains(c));
        if before == 0 && after.is_none() && within.is_none() && ends && number.0 >= 10 {
            return Some((length, Quantity::Count(number)));
        }
        let end = after.map(|word| start + length + word.len()).or(within.map(|_| start + at))?;
        let is_alone = !text[end..].starts_with(|c: char| c.is_ascii_digit() || is_han_digit(c));
        return (is_alone && number.0 >= 10).then(|| (end, Quantity::About(number, String::new())));
    };
    let end = at + spaces + unit;
    let (more, number) = match within {
        Some(_) => (0, number),
        None => tail(&rest[end..], number, &name),
    };
    let end = end + more;
    let after = ABOUT_AFTER.iter().find(|word| rest[end..].starts_with(*word)).map_or(0, |word| word.len());
    let is_about = before > 0 || within.is_some() || after > 0;
    let (number, name) = in_base_unit(number, name);
    Some(if is_about {
        (start + end + after, Quantity::About(number, name))
    } else {
        (start + end, Quantity::Amount(number, name))
    })
}

/// A number: digits with a decimal mark and a factor (1.2万, 1万2), or characters (一万二, 一点五).
fn number(text: &str) -> Option<(usize, Ratio)> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len());
    let whole = |n: u64| Some(Ratio::whole(i64::try_from(n).ok().filter(|n| *n < 1_000_000_000)?));
    if digits > 0 {
        let number = Ratio::parse(text[..digits].trim_end_matches(['.', ',']))?;
        // 2千米: the unit is 千米.
        let is_unit = unit(&text[digits..]).is_some();
        let factor = match text[digits..].chars().next() {
            _ if is_unit => return Some((digits, number)),
            Some('百') => 100,
            Some('千') => 1000,
            Some('万') => 10_000,
            Some('亿') => 100_000_000,
            _ => return Some((digits, number)),
        };
        let end = digits + '万'.len_utf8();
        let more = text[end..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - end);
        let last = if more == 1 { text[end..end + 1].parse().unwrap_or(0) * factor / 10 } else { 0 };
        let number = number.times(Ratio::whole(factor)).plus(Ratio::whole(last));
        return Some((if last > 0 { end + 1 } else { end }, number));
    }
    let is_digit = |c: char| is_han_digit(c) && !"半两俩仨".contains(c);
    // 二十两: a measure, too. 两 is a number at the start and before 百, 千, 万.
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next();
        if !(is_digit(c) || c == '两' && (at == 0 || next.is_some_and(|n| "百千万亿".contains(n)))) {
            break;
        }
        end = at + c.len_utf8();
    }
    let value = han_value(&text[..end]).or_else(|| (&text[..end] == "零").then_some(0)).and_then(whole)?;
    // 一点五升, but not 一点五分.
    let decimals = text[end..].strip_prefix('点').map(digits_of).unwrap_or_default();
    let after = end + '点'.len_utf8() + decimals.len() * '一'.len_utf8();
    let is_decimal = !decimals.is_empty() && unit(&text[after..]).is_some();
    Some(if is_decimal { (after, value.plus(fraction(&decimals))) } else { (end, value) })
}

/// What follows a unit as a part of it: 半, or digits below it (八亩三, 一米七五, 三块二毛).
fn tail(text: &str, number: Ratio, unit: &str) -> (usize, Ratio) {
    let is_end = |rest: &str| !rest.starts_with(|c: char| is_unspaced(c) && !ENDS.contains(c) || c.is_ascii_digit());
    if let Some(rest) = text.strip_prefix('半') {
        return if is_end(rest) { ('半'.len_utf8(), number.plus(Ratio::HALF)) } else { (0, number) };
    }
    let digits = digits_of(text);
    let bytes = digits.len() * '一'.len_utf8();
    if digits.is_empty() || digits.len() > 2 {
        return (0, number);
    }
    let rest = &text[bytes..];
    let part = if unit == "元" && digits.len() == 1 { rest.strip_prefix(['毛', '角']) } else { None };
    let rest = part.unwrap_or(rest);
    let length = text.len() - rest.len();
    if is_end(rest) { (length, number.plus(fraction(&digits))) } else { (0, number) }
}

/// Characters that may follow a number with its unit.
const ENDS: &str = "的了吧呢啊呀嘛左上出就也还都够整，。、";

/// An amount in the base unit of its currency: 三毛 is 0.3元.
fn in_base_unit(number: Ratio, unit: String) -> (Ratio, String) {
    match unit.as_str() {
        "毛" | "角" => (number.times(Ratio::new(1, 10)), "元".to_owned()),
        _ => super::in_metric_base(number, &unit).unwrap_or((number, unit)),
    }
}

/// The digits at the start of a text, one character each.
fn digits_of(text: &str) -> Vec<i64> {
    let digit = |c: char| DIGITS.chars().position(|d| d == c).map(|d| d as i64);
    text.chars().map_while(digit).collect()
}

fn fraction(digits: &[i64]) -> Ratio {
    let above = digits.iter().fold(0, |n, digit| n * 10 + digit);
    Ratio::new(above, 10_i64.pow(digits.len() as u32))
}

/// The unit at the start of a text: its length, and the first Chinese spelling of its line in the list of units, else
/// its first character.
fn unit(text: &str) -> Option<(usize, String)> {
    let first = text.chars().next().filter(|c| is_unspaced(*c))?;
    let is_han = |spelling: &&str| spelling.starts_with(is_unspaced);
    let spelled = UNITS.iter().flat_map(|line| line.split('|').filter(is_han).map(move |one| (line, one)));
    let listed = spelled.filter(|(_, one)| text.starts_with(one)).max_by_key(|(_, one)| one.len());
    match listed {
        Some((line, one)) if one.chars().count() > 1 || !NOT_UNITS.contains(one) => {
            Some((one.len(), line.split('|').find(is_han).unwrap_or(one).to_owned()))
        }
        _ => (!NOT_UNITS.contains(first)).then(|| (first.len_utf8(), first.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::in_forms_of;
    use super::*;

    const UNITS: [[&str; 2]; 10] = [
        ["斤", "斤"],
        ["亩", "亩"],
        ["元", "块"],
        ["元", "块钱"],
        ["公里", "公里"],
        ["千米", "公里"],
        ["升", "升"],
        ["桶", "桶"],
        ["吨", "吨"],
        ["平方米", "平米"],
    ];

    fn spoken(n: u64) -> String {
        let digit = |n: u64| DIGITS.chars().nth(n as usize).unwrap();
        match n {
            0..=9 => digit(n).to_string(),
            10..=19 if n == 10 => "十".to_owned(),
            10..=19 => format!("十{}", digit(n - 10)),
            20..=99 if n.is_multiple_of(10) => format!("{}十", digit(n / 10)),
            20..=99 => format!("{}十{}", digit(n / 10), digit(n % 10)),
            _ if n.is_multiple_of(100) => format!("{}百", digit(n / 100)),
            _ if n.is_multiple_of(10) => format!("{}百{}", digit(n / 100), digit(n % 100 / 10)),
            _ => format!(
                "{}百{}{}",
                digit(n / 100),
                if n % 100 < 10 { "零" } else { "" },
                match n % 100 {
                    rest @ 1..=9 => digit(rest).to_string(),
                    rest => format!("{}十{}", digit(rest / 10), digit(rest % 10)),
                }
            ),
        }
    }

    fn check(text: &str, source: &str, is_equal: bool) {
        let found = in_forms_of(&format!("一共{text}。"), &[&format!("一共{source}，够吗")]);
        assert_eq!(found, is_equal.then(|| format!("一共{source}。")), "{text} / {source}");
    }

    #[test]
    fn numbers_with_units_are_equal_in_every_spelling() {
        for n in [2, 3, 8, 10, 12, 15, 20, 36, 45, 90, 120, 150, 208, 350, 999] {
            for [own, other] in UNITS {
                let said = if n == 2 { "两".to_owned() } else { spoken(n) };
                check(&format!("{n}{own}"), &format!("{said}{other}"), true);
                check(&format!("{n} {own}"), &format!("{said}{other}"), true);
                check(&format!("{}{own}", n + 1), &format!("{said}{other}"), false);
                check(&format!("{n}.5{own}"), &format!("{said}{other}半"), true);
                check(&format!("{n}.5{own}"), &format!("{said}{other}"), false);
                if n < 100 {
                    for tenth in [1, 3, 5, 9] {
                        let digit = DIGITS.chars().nth(tenth).unwrap();
                        check(&format!("{n}.{tenth}{own}"), &format!("{said}{other}{digit}"), true);
                        check(&format!("{n}.{tenth}{own}"), &format!("{}点{digit}{other}", spoken(n)), true);
                        check(&format!("{n}.{}{own}", tenth + 1), &format!("{said}{other}{digit}"), false);
                    }
                }
                if u64::is_multiple_of(n, 10) {
                    for about in ["来", "多", "几", "余"] {
                        check(&format!("{n}多{own}"), &format!("{said}{about}{other}"), true);
                    }
                    check(&format!("约{n}{own}"), &format!("{said}{other}左右"), true);
                    check(&format!("约{n}{own}"), &format!("{said}{other}出头"), true);
                    check(&format!("{n}多{own}"), &format!("{said}{other}"), false);
                }
            }
        }
    }

    #[test]
    fn a_range_is_that_of_whole_characters() {
        let pieces = [" ", "万", "约", "3", "三", "半", "点", "来", "斤", "。", "0.5", "号", "两"];
        for (a, b) in pieces.iter().flat_map(|a| pieces.iter().map(move |b| (a, b))) {
            for (c, d) in pieces.iter().flat_map(|c| pieces.iter().map(move |d| (c, d))) {
                let text = format!("{a}{b}{c}{d}");
                for one in super::super::quantities(&format!("重{text}")) {
                    assert!(format!("重{text}").get(one.range).is_some(), "{text}");
                }
            }
        }
    }

    #[test]
    fn other_ways_to_say_a_number() {
        for (text, source, is_equal) in [
            ("3.2元", "三块二毛", true),
            ("0.5元", "五毛", true),
            ("1.75米", "一米七五", true),
            ("1.8米", "一米八", true),
            ("12000元", "一万二千块", true),
            ("12000元", "1万2元", true),
            ("1.2万元", "一万二千块", true),
            ("10000多元", "万把块", true),
            ("约100元", "百来块", true),
            ("2个", "俩", true),
            ("3个", "仨", true),
            ("3个", "俩", false),
            ("三十多岁", "三十出头", true),
            ("10多个", "十好几个", true),
            ("20两", "二十两", true),
            ("120元", "一百二", true),
            ("1.2万元", "一万二", true),
            ("2楼", "二楼", false),
            ("5折", "五折", false),
        ] {
            check(text, source, is_equal);
        }
    }
}
