//! The numbers of a text that are not written as plain digits: 12k, 一万二, 08:30.
//!
//! Never reads digits that stand alone.

use crate::text::words::is_unspaced;

/// The numbers of a text, in digits without group separators or leading zeros.
pub(super) fn written_numbers(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut run = String::new();
    for c in text.chars().chain(['\n']) {
        if is_han_digit(c) {
            run.push(c);
            continue;
        }
        if !run.is_empty() {
            found.extend(han_value(&run).map(|value| value.to_string()));
            found.extend(short_year(&run).filter(|_| c == '年'));
            // 七成 is 70 percent.
            found.extend(han_value(&run).filter(|_| c == '成').map(|value| (value * 10).to_string()));
            run.clear();
        }
    }
    let low = text.to_lowercase();
    let ordinals = ORDINALS.iter().enumerate().filter(|(_, word)| low.contains(*word));
    found.extend(ordinals.map(|(n, _)| (n + 1).to_string()));
    let words = WORDS.iter().filter(|(word, _)| low.contains(word));
    found.extend(words.map(|(_, number)| (*number).to_owned()));
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && (bytes[at].is_ascii_digit() || at > start && matches!(bytes[at], b'.' | b',' | b':'))
        {
            at += 1;
        }
        if at == start {
            at += 1;
            continue;
        }
        let digits = text[start..at].trim_end_matches(['.', ',', ':']).replace(',', "");
        let times: &[(&str, f64)] = &[
            ("k", 1e3),
            ("K", 1e3),
            ("m ", 1e6),
            ("M ", 1e6),
            (" million", 1e6),
            (" thousand", 1e3),
            ("成", 1e1),
            ("万", 1e4),
            ("千", 1e3),
            ("亿", 1e8),
        ];
        let rest = &text[at..];
        let is_whole = |unit: &str| !rest[unit.len()..].starts_with(|c: char| c.is_ascii_alphanumeric());
        if let Some((_, factor)) = times.iter().find(|(unit, _)| rest.starts_with(unit) && is_whole(unit))
            && let Ok(value) = digits.parse::<f64>()
        {
            found.push(format!("{}", value * factor));
        }
        let is_year = rest.starts_with('年') || text[..start].ends_with(['\'', '’']);
        found.extend(whole_year(&digits).filter(|_| is_year));
        found.push(digits.trim_start_matches('0').to_owned());
    }
    found
}

/// A text with Chinese times of day, short years and numbers from ten in digits: 3:30 for 三点半, 2019年 for 19年. What ends
/// a clause is how long something lasts: 当护士12年了.
pub(super) fn with_plain_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length: usize =
            rest.chars().take_while(|c| is_han_digit(*c) || c.is_ascii_digit()).map(char::len_utf8).sum();
        if length == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (run, after) = rest.split_at(length);
        let starts = !out.ends_with(|c: char| c.is_alphanumeric() && c != '我');
        let next = after.strip_prefix('年').and_then(|rest| rest.chars().next());
        let goes_on = next.is_some_and(|c| is_unspaced(c) && !"了多来内后前以间级".contains(c));
        let is_year = starts || goes_on && !out.ends_with(['了', '有', '过', '满', '近', '约', '快', '第', '每']);
        let minutes = [("点半", "30"), ("点一刻", "15"), ("点三刻", "45")];
        let minute = minutes.iter().find(|(words, _)| after.starts_with(words));
        match (minute, run.parse().ok().or_else(|| han_value(run))) {
            (Some((words, minute)), Some(hour)) => {
                out.push_str(&format!("{hour}:{minute}"));
                rest = &after[words.len()..];
            }
            _ => {
                // 推迟到一点: elsewhere 一点 is "a little".
                if run == "一" && after.starts_with('点') && out.ends_with(['到', '午', '晚', '早', '在']) {
                    out.push_str("1:00");
                    rest = &after['点'.len_utf8()..];
                    continue;
                }
                let is_tens = run.starts_with(|c| "一二两三四五六七八九十".contains(c)) && run.chars().count() > 1;
                let has_unit = run.contains(['十', '百', '千', '万']);
                if let Some(value) = han_value(run).filter(|_| is_tens && has_unit) {
                    out.push_str(&value.to_string());
                    rest = after;
                    continue;
                }
                let year = whole_year(run).or_else(|| short_year(run)).filter(|_| is_year && after.starts_with('年'));
                out.push_str(year.as_deref().unwrap_or(run));
                rest = after;
            }
        }
    }
    out
}

/// A Chinese text without the marks of its dates: 年 of 2026年 is no word for how often.
pub(super) fn without_date_marks(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        let is_mark = matches!(c, '年' | '月' | '日' | '号') && plain.ends_with(|c: char| c.is_ascii_digit());
        plain.push(if is_mark { ' ' } else { c });
    }
    plain
}

/// The year that two digits stand for: 1982 for 82, 2019 for 19.
fn whole_year(digits: &str) -> Option<String> {
    let year: u32 = digits.parse().ok().filter(|_| digits.len() == 2)?;
    Some(if year < FIRST_SHORT_YEAR { format!("20{digits}") } else { format!("19{digits}") })
}

/// Two digits below it are a year of this century.
const FIRST_SHORT_YEAR: u32 = 40;

/// The year that two Chinese digits stand for: 八二年, 零九年.
fn short_year(run: &str) -> Option<String> {
    let digits: Option<String> =
        run.chars().map(|c| "零一二三四五六七八九".chars().position(|d| d == c).map(|n| n.to_string())).collect();
    whole_year(&digits?)
}

const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
];

/// Words that say a number.
const WORDS: [(&str, &str); 9] = [
    ("every other", "2"),
    ("fortnight", "2"),
    ("biweekly", "2"),
    ("a dozen", "12"),
    ("隔周", "2"),
    ("隔天", "2"),
    ("隔日", "2"),
    ("双周", "2"),
    ("一打", "12"),
];

pub(super) fn is_han_digit(c: char) -> bool {
    "零一二三四五六七八九十百千万亿两俩仨半".contains(c)
}

/// The value of a number in Chinese characters: 一万二 is 12000. `None` for a half alone.
pub(super) fn han_value(run: &str) -> Option<u64> {
    let (mut total, mut section, mut digit, mut unit) = (0u64, 0u64, 0u64, 1u64);
    for c in run.chars() {
        let value = match c {
            '两' | '俩' => 2,
            '仨' => 3,
            '零' => {
                // 一万零二 is 10002.
                unit = 1;
                continue;
            }
            c => match "一二三四五六七八九".chars().position(|d| d == c) {
                Some(at) => at as u64 + 1,
                None => {
                    let factor = match c {
                        '十' => 10,
                        '百' => 100,
                        '千' => 1_000,
                        '万' => 10_000,
                        '亿' => 100_000_000,
                        _ => continue,
                    };
                    if factor >= 10_000 {
                        // 一亿两千万: what stands before 亿 is no part of 万.
                        let (whole, part) =
                            if factor == 10_000 { (total, section + digit) } else { (0, total + section + digit) };
                        total = part.max(1).saturating_mul(factor).saturating_add(whole);
                        section = 0;
                    } else {
                        section += digit.max(u64::from(section == 0 || factor > 10)).max(1) * factor;
                    }
                    (digit, unit) = (0, factor);
                    continue;
                }
            },
        };
        digit = value;
    }
    // A last digit counts in the unit below the one before it: 一万二, 三百五.
    let last = if unit >= 100 { digit * (unit / 10) } else { digit };
    Some(total + section + last).filter(|value| *value > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_other_forms_are_read() {
        for (text, expected) in [
            ("我八二年进的植物园", "1982"),
            ("零九年毕业", "2009"),
            ("since '98", "1998"),
            ("一万二", "12000"),
            ("七个人", "7"),
            ("三百五", "350"),
            ("二十一岁", "21"),
            ("十二", "12"),
            ("一亿两千万", "120000000"),
            ("俩孩子", "2"),
            ("12k a month", "12000"),
            ("3万元", "30000"),
            ("at 08:30", "8:30"),
            ("1.5 million", "1500000"),
        ] {
            assert!(written_numbers(text).iter().any(|n| n == expected), "{text}: {:?}", written_numbers(text));
        }
    }
}
