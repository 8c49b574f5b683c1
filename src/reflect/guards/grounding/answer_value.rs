//! Finds a value that an answer names beside the one that answers: "How many seats?" "40, but only 31 are used" does not
//! say that there are 31 seats.
//!
//! Never decides between options: `choice` does.

use super::binding::{has_value, value_kind};
use super::chinese_words::FORMER;
use super::choice::words;
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::word_list::{PhraseList, phrase_list};

/// Words with which a clause speaks of what was before.
const FORMER_OPENINGS: PhraseList = phrase_list!("guards/grounding/former_openings.en.txt");
/// Words that put a statement in the past.
pub(crate) const FORMER_WORDS: PhraseList = phrase_list!("guards/grounding/former_words.en.txt");

/// Words with which a Chinese clause speaks of what is instead.
const HAN_NOW: PhraseList = phrase_list!("guards/grounding/now.zh.txt");

/// So many words of content has the part of an answer that is the answer.
const MAX_HEAD: usize = 3;

/// A value of a text that stands in the rest of an answer, whose first words name another one of its kind.
pub(super) fn beside_the_answer(text: &str, question: &str, answer: &str) -> Option<String> {
    if !question.contains(['?', '？']) {
        return None;
    }
    let (head, rest) = split_head(answer)?;
    let (own, first, second) = (Statement::of(text), Statement::of(head), Statement::of(rest));
    if first.is_negated() || first.content().count() > MAX_HEAD {
        return None;
    }
    let answering = first.content().find(|token| value_kind(token).is_some())?;
    let kind = value_kind(answering)?;
    if has_value(&own, answering) {
        return None;
    }
    let (asked, said) = (words(question), words(rest));
    let value = own.tokens.iter().find(|token| {
        value_kind(token) == Some(kind) && has_value(&second, token) && !has_value(&Statement::of(question), token)
    })?;
    let is_value = |word: &String| words(value.surface).contains(word);
    let is_about_rest = words(text).iter().any(|word| said.contains(word) && !asked.contains(word) && !is_value(word));
    let is_asked = words(text).iter().any(|word| asked.contains(word));
    (is_asked && !is_about_rest).then(|| value.surface.to_owned())
}

/// The first words of an answer, and what follows them.
fn split_head(answer: &str) -> Option<(&str, &str)> {
    let marks = [", ", "; ", ". ", "! ", " but ", " and ", " (", "\n", "，", "。", "；", "但"];
    let (at, mark) = marks.iter().filter_map(|mark| Some((answer.find(mark)?, mark))).min_by_key(|(at, _)| *at)?;
    Some((&answer[..at], &answer[at + mark.len()..]))
}

/// A value that a clause has which speaks of what was before, if a text states it as it is now: "on nights since
/// October, before that two years of days".
pub(super) fn former_value(text: &str, said: &str) -> Option<String> {
    let low = super::english::spaced_words(text);
    let own = Statement::of(text);
    if has_unspaced_script(text) {
        return former_han_value(text, &own, said);
    }
    let is_past = FORMER_WORDS.iter().any(|word| low.contains(&format!(" {word} ")))
        || own.tokens.iter().any(|t| t.kind == TokenKind::Word && t.surface.ends_with("ed"))
            && !low.contains(" has ")
            && !low.contains(" have ");
    let clauses = || super::clauses(said);
    clauses().filter(|_| !is_past).find_map(|clause| {
        let opening = FORMER_OPENINGS.iter().find(|opening| clause.to_lowercase().starts_with(opening))?;
        let here = Statement::of(clause);
        let is_only_here = |token: &&crate::text::statement::StatementToken<'_>| {
            let others = || clauses().filter(|other| *other != clause).map(Statement::of);
            value_kind(token).is_some() && has_value(&here, token) && !others().any(|other| has_value(&other, token))
        };
        own.tokens.iter().find(is_only_here).map(|_| opening.to_owned())
    })
}

/// The same in Chinese: 早先用 k8s，现在两台虚拟机.
fn former_han_value(text: &str, own: &Statement<'_>, said: &str) -> Option<String> {
    let is_past = text.contains(['过', '曾']) || FORMER.iter().any(|word| text.contains(word));
    if is_past || own.is_negated() || !HAN_NOW.iter().any(|word| said.contains(word)) {
        return None;
    }
    let former = |clause: &str| {
        let clause = clause.trim_start_matches(['我', '们', '咱']);
        FORMER.iter().find(|word| clause.starts_with(word))
    };
    super::clauses(said).find_map(|clause| {
        let opening = former(clause)?;
        let here = Statement::of(clause);
        let others: Vec<Statement<'_>> =
            super::clauses(said).filter(|other| *other != clause).map(Statement::of).collect();
        let is_only_here = |token: &&StatementToken<'_>| {
            value_kind(token).is_some()
                && has_value(&here, token)
                && !others.iter().any(|other| has_value(other, token))
        };
        own.tokens.iter().find(is_only_here).map(|_| opening.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_beside_the_answer_does_not_answer() {
        for (text, question, answer, expected) in [
            ("The plan has 31 seats.", "How many seats does your plan have?", "40 but only 31 are used", Some("31")),
            ("The plan has 40 seats.", "How many seats does your plan have?", "40 but only 31 are used", None),
            ("31 seats are used.", "How many seats does your plan have?", "40 but only 31 are used", None),
            (
                "The page uses ECharts.",
                "Which lib is on the page?",
                "Chart.js, the intern wanted ECharts",
                Some("ECharts"),
            ),
            ("The page uses Chart.js.", "Which lib is on the page?", "Chart.js, the intern wanted ECharts", None),
        ] {
            assert_eq!(beside_the_answer(text, question, answer).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_was_before_is_not_so_now() {
        let said = "I've been on nights since October, before that two years of days";
        assert_eq!(former_value("User has worked nights for two years", said).as_deref(), Some("before that"));
        assert_eq!(former_value("User has worked nights since October", said), None);
        assert_eq!(former_value("User worked days for two years before", said), None);
        let said = "以前我们用 Jenkins 打包，现在换了 Drone";
        assert_eq!(former_value("项目用 Jenkins 打包。", said).as_deref(), Some("以前"));
        assert_eq!(former_value("项目用 Drone 打包。", said), None);
        assert_eq!(former_value("项目以前用 Jenkins 打包。", said), None);
    }
}
