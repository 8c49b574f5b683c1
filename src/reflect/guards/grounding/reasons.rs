//! Finds a reason that a text gives for something, where its sources only have both, one beside the other: "I switched.
//! My wrists are fine" gives no reason.
//!
//! Never looks for a reason that the sources lack: `scope` and `chinese_words` do.

use super::choice::words;
use super::{chinese_words, scope};
use crate::text::phrase::has_unspaced_script;
use crate::text::word_list::{PhraseList, phrase_list};

/// Words with which a sentence is joined to the one before it as its reason or result.
const LINKS: PhraseList = phrase_list!("guards/grounding/reason_links.en.txt");
/// First words of a clause that stands against the one before it.
const CONTRASTS: PhraseList = phrase_list!("guards/grounding/contrasts.txt");
const HAN_LINKS: PhraseList = phrase_list!("guards/grounding/reason_links.zh.txt");

/// The word that introduces a reason which the quoted turn has in another sentence than what follows from it, without
/// a word that joins them.
pub(super) fn unlinked_reason(text: &str, turn: &str) -> Option<String> {
    let is_han = has_unspaced_script(text);
    let low = text.to_lowercase();
    let (mark, reason, effect) = if is_han {
        let mark = chinese_words::REASONS.iter().find(|mark| text.contains(mark))?;
        let (before, after) = text.split_once(mark)?;
        if before.is_empty() {
            after.split_once(['，', ',']).map(|(reason, effect)| (mark, reason, effect))?
        } else {
            (mark, after, before)
        }
    } else {
        let mark = scope::REASONS.iter().find(|mark| low.contains(&format!(" {mark} ")))?;
        let at = low.find(&format!(" {mark} "))?;
        (mark, text.get(at + mark.len() + 2..)?, text.get(..at)?)
    };
    if is_contrasted(reason, effect, turn, is_han) {
        return Some(mark.to_owned());
    }
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '\n' | '。' | '！' | '？' | ';' | '；');
    let sentences: Vec<&str> = turn.split_inclusive(ends).filter(|sentence| !sentence.trim().is_empty()).collect();
    let nearest = |part: &str| {
        let own = words(part);
        let shared = |sentence: &&str| words(sentence).intersection(&own).count();
        let best = (0..sentences.len()).rev().max_by_key(|&n| shared(&sentences[n]))?;
        (shared(&sentences[best]) > 0).then_some(best)
    };
    let (reason, effect) = (nearest(reason)?, nearest(effect)?);
    let joins = |n: usize| {
        if is_han {
            HAN_LINKS.iter().any(|word| sentences[n].contains(word))
        } else {
            let spaced = super::english::spaced_words(sentences[n]);
            LINKS.iter().any(|word| spaced.contains(&format!(" {word} ")))
        }
    };
    (reason != effect && !joins(reason.max(effect))).then(|| mark.to_owned())
}

/// Whether the clause of an effect stands against the one of its reason: 三月换了 pnpm，可变慢是六月才开始的.
fn is_contrasted(reason: &str, effect: &str, turn: &str, is_han: bool) -> bool {
    let clauses: Vec<&str> = if is_han {
        turn.split(['，', ',', '。', '；', '\n']).map(str::trim).collect()
    } else {
        turn.split([',', ';', '.', '\n']).map(str::trim).collect()
    };
    let contrasts = |clause: &str| {
        let low = clause.to_lowercase();
        let starts = |word: &str| low.strip_prefix(word).is_some_and(|rest| is_han || rest.starts_with(' '));
        CONTRASTS.iter().any(|word| !word.is_empty() && word.is_ascii() != is_han && starts(word))
    };
    let shares = |part: &str, clause: &str| words(part).intersection(&words(clause)).count();
    clauses.windows(2).any(|two| {
        let only = |part: &str, here: &str, there: &str| shares(part, here) > 0 && shares(part, there) == 0;
        let across = |a: &str, b: &str| only(reason, a, b) && only(effect, b, a);
        contrasts(two[1]) && (across(two[0], two[1]) || across(two[1], two[0]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_beside_another_is_no_reason() {
        for (text, turn, is_unlinked) in [
            ("User switched keyboards because of wrist pain.", "I switched keyboards. My wrists are ok btw", true),
            ("User switched keyboards because of wrist pain.", "My wrists hurt. So I switched keyboards", false),
            ("User switched keyboards because of wrist pain.", "I switched keyboards, my wrists hurt", false),
            ("因为腰疼，用户换了椅子。", "我换了把椅子。腰疼倒没有", true),
            ("因为腰疼，用户换了椅子。", "腰疼得厉害。所以换了椅子", false),
        ] {
            assert_eq!(unlinked_reason(text, turn).is_some(), is_unlinked, "{text} / {turn}");
        }
    }
}
