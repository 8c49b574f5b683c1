//! Recognises quantities that are equal though they are written otherwise: half and 50 %, a fortnight and 14 days,
//! quarter past nine and 9:15, 一半 and 50%, 隔天 and 每两天.
//!
//! Never rounds, and never converts months into days or one size into another: 33 % is no third.

use std::ops::Range;

use super::restated;
use crate::text::Splice;
use crate::text::phrase::has_unspaced_script;
use crate::text::word_list::{PhraseList, phrase_list};

/// Spellings of a metric unit, its base unit, and how many of it make one.
const METRIC_UNITS: PhraseList = phrase_list!("guards/grounding/metric_units.txt");

mod chinese;
mod chinese_amounts;
mod english;

/// A number as a reduced fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ratio(i64, i64);

impl Ratio {
    const HALF: Ratio = Ratio(1, 2);

    fn new(above: i64, below: i64) -> Ratio {
        let (mut a, mut b) = (above.abs(), below.abs());
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Ratio(above / a.max(1), below / a.max(1))
    }

    fn whole(n: i64) -> Ratio {
        Ratio(n, 1)
    }

    /// Reads digits with at most one decimal mark, and groups of three: `1.5`, `1,5`, `12,000`.
    fn parse(digits: &str) -> Option<Ratio> {
        let plain = match digits.rsplit_once(',') {
            Some((_, last)) if last.len() == 3 => digits.replace(',', ""),
            Some(_) => digits.replace(',', "."),
            None => digits.to_owned(),
        };
        let (whole, decimals) = plain.split_once('.').unwrap_or((&plain, ""));
        if whole.is_empty() || whole.len() + decimals.len() > MAX_DIGITS {
            return None;
        }
        Some(Ratio::new(format!("{whole}{decimals}").parse().ok()?, 10_i64.pow(decimals.len() as u32)))
    }

    fn plus(self, other: Ratio) -> Ratio {
        Ratio::new(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn times(self, other: Ratio) -> Ratio {
        Ratio::new(self.0 * other.0, self.1 * other.1)
    }
}

/// A number with more digits is rather a key than a quantity.
const MAX_DIGITS: usize = 9;

/// A length of time. Months have no fixed number of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Period {
    Seconds(Ratio),
    Months(Ratio),
    /// The nights, or the mornings.
    Named(&'static str),
}

impl Period {
    fn times(self, n: Ratio) -> Period {
        match self {
            Period::Seconds(one) => Period::Seconds(one.times(n)),
            Period::Months(one) => Period::Months(one.times(n)),
            Period::Named(name) => Period::Named(name),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Quantity {
    Duration(Period),
    Share(Ratio),
    /// So many times in each period.
    Frequency(Ratio, Period),
    Times(Ratio),
    Count(Ratio),
    /// The age of a person in years.
    Age(Ratio),
    /// A time of day in minutes. Two, if it may be before or after noon.
    Clock(Vec<u32>),
    /// So many of a unit; the unit is its first spelling.
    Amount(Ratio, String),
    /// An amount that is not exact; the unit may be empty.
    About(Ratio, String),
    /// The day of the week from 0 for Monday.
    Weekday(usize),
    /// A month, if it is named, and a day.
    Date(Option<u32>, u32),
    /// A size with the first letter of its unit.
    Size(Ratio, char),
}

impl Quantity {
    /// Whether two quantities are the same. What is about thirty has any unit: 三十出头.
    fn equals(&self, other: &Quantity) -> bool {
        match (self, other) {
            (Quantity::About(a, unit), Quantity::About(b, other)) => {
                a == b && (unit == other || unit.is_empty() || other.is_empty())
            }
            // A price needs no unit.
            (Quantity::Amount(a, unit), Quantity::Count(b)) => a == b && unit == "元",
            _ => self == other,
        }
    }
}

/// A quantity and where it stands in its text.
#[derive(Clone, Debug)]
struct Measured {
    range: Range<usize>,
    quantity: Quantity,
}

fn quantities(text: &str) -> Vec<Measured> {
    if has_unspaced_script(text) { chinese::quantities(text) } else { english::quantities(text) }
}

/// A text with each quantity in the form that its sources have for an equal one: "14 days" for "two weeks" becomes "two
/// weeks". `None` if there is none.
pub(super) fn in_forms_of(text: &str, sources: &[&str]) -> Option<String> {
    let own = quantities(text);
    if own.is_empty() {
        return None;
    }
    let all = sources.join("\n").to_lowercase();
    let of_sources: Vec<(Vec<Measured>, &str)> = sources.iter().map(|source| (quantities(source), *source)).collect();
    let said: Vec<(&Measured, &str)> =
        of_sources.iter().flat_map(|(found, source)| found.iter().map(|one| (one, *source))).collect();
    let mut splices = Vec::new();
    for one in own {
        let surface = &text[one.range.clone()];
        let equal = said.iter().find(|(other, _)| one.quantity.equals(&other.quantity));
        let Some((other, source)) = equal.filter(|_| !all.contains(&surface.to_lowercase())) else { continue };
        let Range { start, end } = one.range;
        splices.push(Splice { start, end, new: source[other.range.clone()].to_owned() });
    }
    restated(text, &splices)
}

/// An amount of a metric unit in the base unit of its line: 80 cm is 0.8 m.
fn in_metric_base(number: Ratio, unit: &str) -> Option<(Ratio, String)> {
    METRIC_UNITS.iter().find_map(|line| {
        let (spellings, rest) = line.split_once(' ')?;
        let (base, below) = rest.split_once(' ')?;
        let is_named = spellings.split('|').any(|one| one == unit);
        is_named.then(|| Some((number.times(Ratio::new(1, below.parse().ok()?)), base.to_owned())))?
    })
}

/// How often a text says that something happens, if its sources say only that it happens more or less often: "once a
/// week" for "twice a week".
pub(super) fn changed_rate(text: &str, said: &str) -> Option<String> {
    let is_rate = |one: &&Measured| matches!(one.quantity, Quantity::Frequency(..));
    let (own, theirs) = (quantities(text), quantities(said));
    let said: Vec<&Quantity> = theirs.iter().filter(is_rate).map(|one| &one.quantity).collect();
    let changed = own.iter().filter(is_rate).find(|one| !said.is_empty() && !said.contains(&&one.quantity));
    changed.map(|one| text[one.range.clone()].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, source: &str, is_equal: bool) {
        let found = in_forms_of(text, &[source]);
        assert_eq!(found.is_some(), is_equal, "{text} / {source}: {found:?}");
    }

    #[test]
    fn equal_quantities_are_recognised_and_others_are_not() {
        for (text, source, is_equal) in [
            ("50% of the users", "half of our users", true),
            ("33% of the users", "a third of our users", false),
            ("25% of the seats", "a quarter of the seats", true),
            ("A dozen eggs", "12 eggs", true),
            ("24 eggs", "a dozen eggs", false),
            ("14 days before", "a fortnight before", true),
            ("A fortnight before", "two weeks before", true),
            ("21 days before", "a fortnight before", false),
            ("90 minutes", "an hour and a half", true),
            ("1.5 hours", "an hour and a half", true),
            ("1,5 hours", "1.5 hours", true),
            ("90 minutes", "two and a half hours", false),
            ("At 9:15", "at quarter past nine", true),
            ("At 9:45", "at quarter past nine", false),
            ("At 02:30", "at half past two in the morning", true),
            ("At 6:30", "at half six", true),
            ("At 7:30", "at half six", false),
            ("At 09:00", "at 9am", true),
            ("At 21:00", "at 9am", false),
            ("Two times a day", "twice a day", true),
            ("Three times a day", "twice a day", false),
            ("Weekly", "every week", true),
            ("Once a week", "weekly", true),
            ("Every two days", "every other day", true),
            ("Every day", "every other day", false),
            ("Every five minutes", "at five-minute intervals", true),
            ("The 81-year-old father", "my dad's 81 and well", true),
            ("The 18-year-old father", "my dad's 81 and well", false),
            ("64 KB", "it is 64k", true),
            ("64 MB", "it is 64k", false),
            ("30 days", "a month", false),
        ] {
            check(text, source, is_equal);
        }
    }

    #[test]
    fn equal_quantities_in_chinese() {
        for (text, source, is_equal) in [
            ("50%的门店", "一半的门店", true),
            ("半数门店", "一半的门店", true),
            ("20%的门店", "四分之一的门店", false),
            ("赛前14天截止", "提前两周截止", true),
            ("赛前21天截止", "提前两周截止", false),
            ("合同期6个月", "签了半年", true),
            ("合同期12个月", "签了半年", false),
            ("排练90分钟", "排练一个半小时", true),
            ("焖48小时", "闷两天两夜", true),
            ("蒸15分钟", "蒸一刻钟", true),
            ("9:15开门", "九点一刻开门", true),
            ("9:45开门", "九点一刻开门", false),
            ("21:00开门", "早上九点开门", false),
            ("21:00开门", "晚上九点开门", true),
            ("每两天浇水", "隔天浇水", true),
            ("每天浇水", "隔天浇水", false),
            ("每两天游一次泳", "每隔一天去游一回泳", true),
            ("每五分钟上报", "五分钟报一回", true),
            ("每天一次", "天天备份", true),
            ("每周三例会", "每周例会", false),
        ] {
            check(text, source, is_equal);
        }
    }
}
