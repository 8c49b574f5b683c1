//! Finds dates that depend on the current day: "yesterday", "last week", 上周, 三天前.
//!
//! Never resolves a date (`dates` does). Ignores recurring dates ("every Friday", 每天) and dates relative to an event in
//! the text ("two days after the release"). Expects text masked by `mask_non_prose`, so that quotations do not match.

use super::phrase::{PhrasePatterns, find, match_unspaced_at, matched_text, word_tokens};
use super::prose_mask::mask_phrases;

#[rustfmt::skip]
static ENGLISH: PhrasePatterns = PhrasePatterns::new(&[
    "yesterday|tomorrow|tonight|today|recently|lately|currently|nowadays|ago",
    "last|next|coming|upcoming week|month|year|night|weekend|quarter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december",
    "this week|month|year|morning|afternoon|evening|weekend|quarter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter",
    "over|in|during|for|within|since the past|last #? hours|day|days|week|weeks|month|months|year|years",
    "these days", "the other day", "right|just|until|till now", "for now", "as of now", "by now", "at the moment",
    "at present", "recent days|weeks|months|times", "any day|moment|time now", "a moment|while ago", "earlier|later today",
    "is|are|due|will|starts|ends|expires|leaves|begins|moves|launches|arrives|returns|opens|closes ..3 in # of? day|days|week|weeks|month|months|year|years",
    "soon",
]);
/// Phrases that only look like relative dates.
#[rustfmt::skip]
const NOT_ENGLISH: &[&str] = &[
    "usa today", "as soon as", "soon after", "last week|month|year of", "next week|month|year of", "last monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend of", "the last|next fall",
];

#[rustfmt::skip]
static CHINESE: PhrasePatterns = PhrasePatterns::new(&[
    "大? 前天|后天", "昨天|昨日|昨晚|昨夜|今天|今日|今晚|今早|今晨|今年|明天|明日|明早|明晚|去年|前年|明年|后年|前晚",
    "上|下|这 上|下? 个? 周|星期|礼拜", "上|下|这|本 个 月|季度|学期|财年", "上月|下月|本月|本周|本季度|本年度|上季度|下季度",
    "刚才|刚刚|方才|最近|近日|近期|近来|日前|眼下|如今|目前|现在|不久前|不久后|过几天|过两天|再过",
    "前|这 几|些|两 天|周|个月|年", "前 阵子|段时间|不久", "这 阵子|段时间",
    "过去|近 的? # 个? 多? 天|周|星期|月|年|小时",
]);
/// A span before now, unless it is relative to an event (see `REFERENCE_WORDS`).
const BEFORE_NOW: &[&str] = &["# 个? 多? 天|日|周|星期|礼拜|月|年|小时|分钟|季度 多? 以|之? 前"];
const REFERENCE_WORDS: &[&str] =
    &["的", "每", "提前", "截止", "截止日期", "到期", "开始", "结束", "发布", "登录", "会议", "考试", "上线", "出发"];
#[rustfmt::skip]
const NOT_CHINESE: &[&str] = &[
    "今日头条", "明日方舟", "后天性", "后天免疫", "后天习得", "最近邻", "最近公共", "现在时", "现在进行", "前天线", "近日点",
    "晚上周", "早上周", "线上周", "以上周", "晚上星期", "早上星期", "上周期", "下周期", "这周期", "上周报", "本周期",
    "刚刚好", "从现在",
];

/// The first relative date in a text.
pub fn find_relative_date(prose: &str) -> Option<&str> {
    let all = word_tokens(prose);
    let mut from = 0;
    while let Some(range) = ENGLISH.find(&all[from..]).map(|r| r.start + from..r.end + from) {
        let around = all[range.start.saturating_sub(2)..].iter().take(range.len() + 3).cloned().collect::<Vec<_>>();
        if find(&around, NOT_ENGLISH).is_none() {
            return Some(matched_text(prose, &all, range));
        }
        from = range.end;
    }
    if !super::phrase::has_unspaced_script(prose) {
        return None;
    }
    let masked = mask_phrases(prose, NOT_CHINESE);
    let found = CHINESE.find_unspaced(&masked).or_else(|| before_now(&masked))?;
    let at = found.as_ptr() as usize - masked.as_ptr() as usize;
    prose.get(at..at + found.len())
}

fn before_now(text: &str) -> Option<&str> {
    for (at, _) in text.char_indices() {
        let head = &text[..at];
        let inside = head.ends_with(|c: char| c.is_ascii_digit()) || head.ends_with('第');
        let Some(length) = match_unspaced_at(text, at, BEFORE_NOW).filter(|_| !inside) else { continue };
        // 2024年前 means "before the year 2024".
        let year = text[at..].bytes().take_while(u8::is_ascii_digit).count() == 4;
        let has_reference = REFERENCE_WORDS.iter().any(|word| head.trim_end().ends_with(word));
        if !year && !has_reference {
            return Some(&text[at..at + length]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_dates_are_found_as_written() {
        for (text, date) in [
            ("Moved to Cork Last Week.", "Last Week"),
            ("met 3 days ago", "ago"),
            ("is due in two weeks", "is due in two weeks"),
            ("用户上个星期天来过", "上个星期"),
            ("三天前发生宕机", "三天前"),
            ("过去一周很忙", "过去一周"),
        ] {
            assert_eq!(find_relative_date(text), Some(date), "{text}");
        }
    }

    #[test]
    fn absolute_and_recurring_dates_are_ignored() {
        for text in [
            "every Friday",
            "the last week of each month",
            "as soon as possible",
            "2024年前",
            "每天",
            "晚上周会",
            "第三天前台",
        ] {
            assert_eq!(find_relative_date(text), None, "{text}");
        }
    }
}
