use super::*;

/// Said on Wednesday, 2026-03-04.
const SAID_ON: &str = "2026-03-04T10:00:00Z";

#[track_caller]
fn check(said: &str, written: &str, expected: bool) {
    let restated = in_forms_of(written, &[said], &[SAID_ON]);
    assert_eq!(restated.is_some(), expected, "{said} / {written}: {restated:?}");
}

#[test]
fn a_date_that_follows_from_what_was_said_takes_its_words() {
    let restated = |said: &str, written: &str| in_forms_of(written, &[said], &[SAID_ON]).unwrap();
    assert_eq!(restated("off next Friday!", "Is off on 2026-03-13."), "Is off on next Friday.");
    assert_eq!(restated("我下周五休息", "2026年3月13日休息"), "下周五休息");
    assert_eq!(restated("the exam is on May 12", "The exam is on 2026-05-12."), "The exam is on May 12.");
}

#[test]
fn english_dates_are_resolved() {
    for (said, written, others) in [
        ("today", "2026-03-04", "2026-03-05"),
        ("tonight", "March 4", "March 3"),
        ("yesterday evening", "2026-03-03", "2026-03-02"),
        ("last night", "2026-03-03", "2026-03-04"),
        ("tomorrow", "5 March 2026", "6 March 2026"),
        ("the day after tomorrow", "2026-03-06", "2026-03-05"),
        ("the day before yesterday", "2026-03-02", "2026-03-01"),
        ("on Friday", "2026-03-06", "2026-03-13"),
        ("on Friday", "2026-02-27", "2026-02-20"),
        ("this Friday", "2026-03-06", "2026-03-13"),
        ("next Friday", "2026-03-13", "2026-03-20"),
        ("last Friday", "2026-02-27", "2026-03-06"),
        ("Friday next week", "2026-03-13", "2026-03-06"),
        ("next week Tuesday", "2026-03-10", "2026-03-17"),
        ("in two weeks", "2026-03-18", "2026-03-19"),
        ("in 3 days", "2026-03-07", "2026-03-08"),
        ("a week ago", "2026-02-25", "2026-02-26"),
        ("a fortnight ago", "2026-02-18", "2026-02-19"),
        ("half a year ago", "September 2025", "August 2025"),
        ("a couple of months ago", "January 2026", "December 2025"),
        ("six months ago", "September 2025", "August 2025"),
        ("two years ago", "2024", "2023"),
        ("three weeks from now", "2026-03-25", "2026-03-24"),
        ("for three years", "2023", "2022"),
        ("last month", "February 2026", "January 2026"),
        ("next month", "2026-04", "2026-05"),
        ("on the 5th of next month", "2026-04-05", "2026-03-05"),
        ("next month on the 5th", "2026-04-05", "2026-05-05"),
        ("last year", "2025", "2024"),
        ("the year before last", "2024", "2025"),
        ("last summer", "2025", "2024"),
        ("next summer", "2026", "2028"),
        ("next summer", "summer 2026", "autumn 2026"),
        ("in November", "November 2025", "November 2024"),
        ("last November", "November 2025", "November 2024"),
        ("on the 16th", "2026-03-16", "2026-04-16"),
        ("on May 12", "2026-05-12", "2027-05-12"),
        ("on 12 May", "May 12, 2026", "May 12, 2027"),
        ("on 6.3.2026", "2026-03-06", "2026-03-16"),
        ("on 03/06/2026", "6 March 2026", "6 April 2026"),
        ("next week", "2026-03-09", "2026-03-11"),
        ("next quarter", "Q2 2026", "Q3 2026"),
        ("this weekend", "2026-03-07", "2026-03-14"),
    ] {
        check(said, written, true);
        check(said, others, false);
    }
}

#[test]
fn a_last_day_follows_from_a_term() {
    for (said, day, other) in [
        ("for two weeks", "2026-03-18", "2026-03-19"),
        ("on leave for a fortnight", "2026-03-18", "2026-03-11"),
        ("in Lisbon for half a year", "2026-09-04", "2026-09-05"),
        ("until the end of the month", "2026-03-31", "2026-03-30"),
        ("until the end of April", "2026-04-30", "2026-04-01"),
        ("till the end of January 2027", "2027-01-31", "2026-01-31"),
        ("Ich bin bis Ende März weg", "2026-03-31", "2026-04-30"),
        ("Parental leave bis Ende Juni 2027", "2027-06-30", "2026-06-30"),
        ("hasta finales de abril", "2026-04-30", "2026-03-31"),
        ("jusqu'à fin août", "2026-08-31", "2026-08-30"),
        ("tot eind maart", "2026-03-31", "2026-03-30"),
    ] {
        let is_last = |day: &str| is_last_day(day.parse().unwrap(), &[said], &[SAID_ON]);
        assert!(is_last(day) && !is_last(other), "{said}");
    }
}

#[test]
fn chinese_dates_are_resolved() {
    for (said, written, others) in [
        ("今晚", "2026-03-04", "2026-03-05"),
        ("昨天", "2026年3月3日", "2026年3月2日"),
        ("大前天", "3月1日", "3月2日"),
        ("后天", "3月6号", "3月7号"),
        ("大后天", "2026-03-07", "2026-03-06"),
        ("下周五", "2026年3月13日", "2026年3月6日"),
        ("上个星期天", "2026-03-01", "2026-02-22"),
        ("下下周一", "2026-03-16", "2026-03-09"),
        ("周五", "2026-03-06", "2026-03-13"),
        ("礼拜天", "2026-03-08", "2026-03-15"),
        ("这周末", "2026-03-07", "2026-03-14"),
        ("上个月", "2026年2月", "2026年1月"),
        ("下个月5号", "2026-04-05", "2026-05-05"),
        ("下月", "2026年4月", "2026年5月"),
        ("去年", "2025年", "2024年"),
        ("去年11月", "2025年11月", "2024年11月"),
        ("去年十一月二十号", "2025-11-20", "2025-11-21"),
        ("前年", "2024年", "2023年"),
        ("5月12号", "2026年5月12日", "2027年5月12日"),
        ("十二月", "2025年12月", "2024年12月"),
        ("16号", "2026-03-16", "2026-04-16"),
        ("三天前", "2026-03-01", "2026-03-02"),
        ("两周后", "2026年3月18日", "2026年3月19日"),
        ("三个月以后", "2026年6月", "2026年7月"),
        ("半年前", "2025年9月", "2025年8月"),
        ("十年之前", "2016年", "2015年"),
        ("住了三年", "2023年", "2022年"),
        ("二〇二五年三月", "2025年3月", "2024年3月"),
    ] {
        check(said, written, true);
        check(said, others, false);
    }
}

#[test]
fn what_says_no_date_supports_none() {
    for said in [
        "recently",
        "every Friday",
        "on Fridays",
        "soon",
        "it may march on",
        "a few weeks ago",
        "最近",
        "前几天",
        "每周",
    ] {
        check(said, "2026-03-06", false);
        check(said, "2026-05-01", false);
    }
    assert_eq!(in_forms_of("2026-03-05", &["tomorrow"], &[]), None);
    // What the source has in the same words stays.
    assert_eq!(in_forms_of("On 2026-03-05.", &["tomorrow, 2026-03-05"], &[SAID_ON]), None);
}

#[test]
fn a_month_and_its_day_do_not_change_places() {
    for (text, source, expected) in [
        ("婚礼在11月3日。", "3月11号办婚礼", Some("11月3日")),
        ("婚礼在3月11日。", "3月11号办婚礼", None),
        ("婚礼在11月3日。", "3月11号领证，11月3号办婚礼", None),
    ] {
        assert_eq!(exchanged_day(text, &[source]).as_deref(), expected, "{text} / {source}");
    }
}
