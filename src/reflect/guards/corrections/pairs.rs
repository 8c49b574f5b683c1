//! Finds two values in one sentence of which one takes the place of the other: "14, not 12", "I said 12, it's 14",
//! "moved from Monday to Friday".
//!
//! Never reads another turn.

use super::super::grounding::chinese_words::FORMER;
use super::values::{TextValue, values};

use crate::text::statement::Statement;
use crate::text::verbs::is_past_verb;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

/// Phrases with which a user names what he said before.
const REFERENCES: PhraseList = phrase_list!("guards/corrections/references.en.txt");
const HAN_REFERENCES: PhraseList = phrase_list!("guards/corrections/references.zh.txt");
/// Verbs behind which "from X to Y" says that Y has taken the place of X.
const CHANGING: WordList = word_list!("guards/corrections/changing.en.txt");
const HAN_CHANGING: PhraseList = phrase_list!("guards/corrections/changing.zh.txt");
/// Words that put a statement in the past.
const FORMER_WORDS: PhraseList = phrase_list!("guards/corrections/former.en.txt");

/// A name in Chinese is at most so long.
const MAX_HAN_NAME: usize = 6;
/// Maximum distance between "from X" and the Chinese verb of change behind it, in bytes.
const MAX_HAN_FROM: usize = 24;

/// The value that a turn denies, and the one that it puts in its place.
pub(super) fn denied_value(turn: &str) -> Option<(String, String)> {
    let low = turn.to_ascii_lowercase();
    let all = values(turn);
    let own = |value: &TextValue| value.surface(turn).to_owned();
    let by_position = all.windows(2).find_map(|two| {
        let (first, second) = (&two[0], &two[1]);
        if !first.may_replace(second) {
            return None;
        }
        let between = low[first.unit_end..second.start].trim();
        let before = low[..first.start].trim_end();
        if matches!(between, ", not" | "not" | ", and not" | "and not" | "instead of" | ", instead of" | "rather than")
            || ["不是", "而不是", "而非", "，不是", "，而不是", ",不是"].contains(&between)
        {
            return Some((own(second), own(first)));
        }
        let is_denied = [" not", "isn't", "not at", "not on", "wasn't", "不是"].iter().any(|end| before.ends_with(end));
        let follows = between.split_whitespace().count() <= MAX_FOLLOWING;
        let refers =
            |list: PhraseList| list.iter().any(|phrase| before.trim_end_matches("it's").trim_end().ends_with(phrase));
        (is_denied && follows || refers(REFERENCES) || refers(HAN_REFERENCES)).then(|| (own(first), own(second)))
    });
    by_position.or_else(|| denied_han_name(turn))
}

/// So many words stand between a denied value and the right one.
const MAX_FOLLOWING: usize = 4;

/// The right and the denied name of a Chinese correction: "是杭州，不是上海", "不是上海，是杭州".
fn denied_han_name(turn: &str) -> Option<(String, String)> {
    let clauses: Vec<&str> = turn.split(['，', ',', '。', '；', '！', '\n', '？']).map(str::trim).collect();
    let is_name = |name: &&str| {
        let length = name.chars().count();
        (1..=MAX_HAN_NAME).contains(&length) && name.chars().all(is_unspaced)
    };
    let trim = |name: &'_ str| name.trim_end_matches(['了', '哈', '啊', '哦']).to_owned();
    let affirmed = |clause: &str| {
        let at = clause.rfind('是')?;
        let name = &clause[at + '是'.len_utf8()..];
        (!clause[..at].ends_with('不') && is_name(&name)).then(|| trim(name))
    };
    let denied = |clause: &str| {
        let clause = clause.trim_start_matches('而');
        clause.strip_prefix("不是").filter(is_name).map(trim)
    };
    let within = clauses.iter().find_map(|clause| {
        let (first, rest) = clause.split_once("不是").filter(|(first, _)| !first.is_empty())?;
        Some((trim(Some(rest).filter(is_name)?), affirmed(first.trim_end_matches('而'))?))
    });
    within.or_else(|| {
        clauses.windows(2).find_map(|two| {
            let pair = |old: &str, new: &str| Some((denied(old)?, affirmed(new)?));
            pair(two[1], two[0]).or_else(|| pair(two[0], two[1]))
        })
    })
}

/// The value from which something was changed, with its "from" and without it.
pub(super) fn changed_value(turn: &str) -> Option<(String, String)> {
    let low = turn.to_ascii_lowercase();
    let own = |value: &TextValue| value.surface(turn).to_owned();
    let english = || {
        let (at, _) = low.match_indices(" from ").find(|(at, _)| {
            let before: Vec<&str> = low[..*at].rsplit([' ', ',', '.', '\n']).take(MAX_AFTER_VERB).collect();
            before.iter().any(|word| CHANGING.contains(word))
        })?;
        let old = values(turn).into_iter().find(|value| value.start >= at + " from ".len())?;
        let to = &low[old.unit_end..];
        let is_near = low[at + " from ".len()..old.start].split_whitespace().count() <= 1;
        (is_near && to.starts_with(" to ")).then(|| (turn[at..old.unit_end].to_owned(), own(&old)))
    };
    let han = || {
        let from = turn.find('从')?;
        let verb = HAN_CHANGING.iter().filter_map(|verb| Some(from + turn[from..].find(verb)?)).min()?;
        let old = values(turn).into_iter().find(|value| value.start >= from && value.start < verb)?;
        (verb - from <= MAX_HAN_FROM).then(|| (turn[from..verb].to_owned(), own(&old))).filter(|_| old.unit_end <= verb)
    };
    english().or_else(han)
}

/// Whether a text states a change, an end, or what was before.
pub(super) fn tells_change(text: &str) -> bool {
    let low = format!(" {} ", text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " "));
    let words = || low.split_whitespace();
    let is_now = [" is ", " are ", " has ", " have "].iter().any(|verb| low.contains(verb));
    let is_past = words().any(is_past_verb) && !is_now;
    is_past
        || words().any(|word| CHANGING.contains(word))
        || FORMER_WORDS.iter().any(|word| low.contains(&format!(" {word} ")))
        || FORMER.iter().any(|word| text.contains(word))
        || HAN_CHANGING.iter().any(|verb| text.contains(verb))
        || Statement::of(text).is_negated()
}

/// So many words before "from" is the verb of change.
const MAX_AFTER_VERB: usize = 5;
