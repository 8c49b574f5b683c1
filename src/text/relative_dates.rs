//! Finds dates that depend on the current day: "yesterday", "last week", 上周, 三天前.
//!
//! Never resolves a date (`dates` does). Ignores recurring dates ("every Friday", 每天) and dates relative to an event in
//! the text ("two days after the release"). Expects text masked by `mask_non_prose`, so that quotations do not match.

use super::phrase::{PhrasePatterns, match_unspaced_at, matched_text, word_tokens};
use super::prose_mask::mask_phrases;
use super::word_list::{PhraseList, phrase_list};

static ENGLISH: PhrasePatterns = PhrasePatterns::new(phrase_list!("relative_dates/en.txt"));
/// Phrases that only look like relative dates.
static NOT_ENGLISH: PhrasePatterns = PhrasePatterns::new(phrase_list!("relative_dates/not_dates.en.txt"));

static CHINESE: PhrasePatterns = PhrasePatterns::new(phrase_list!("relative_dates/zh.txt"));
/// A span before now, unless it is relative to an event (see `REFERENCE_WORDS`).
const BEFORE_NOW: &[&str] = &["# 个? 多? 天|日|周|星期|礼拜|月|年|小时|分钟|季度 多? 以|之? 前"];
const REFERENCE_WORDS: PhraseList = phrase_list!("relative_dates/references.zh.txt");
const NOT_CHINESE: PhraseList = phrase_list!("relative_dates/not_dates.zh.txt");

/// The first relative date in a text.
pub fn find_relative_date(prose: &str) -> Option<&str> {
    let all = word_tokens(prose);
    let mut from = 0;
    while let Some(range) = ENGLISH.find(&all[from..]).map(|r| r.start + from..r.end + from) {
        let around = all[range.start.saturating_sub(2)..].iter().take(range.len() + 3).cloned().collect::<Vec<_>>();
        if NOT_ENGLISH.find(&around).is_none() {
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
