//! Finds what a text tells as done where its source only names it: "gonna finally learn to type" as "learned to type",
//! 要把五笔学会 as 学会了五笔.
//!
//! Never looks for words of a plan: what was done stands in the source in a form of the past, or the text makes it up.

use super::clauses;
use super::english::{base_stem, spaced_words};
use super::scope::AUXILIARIES;
use crate::text::chinese_words::is_two_character_verb;
use crate::text::phrase::has_unspaced_script;
use crate::text::verbs::{is_past_verb, is_third_person};
use crate::text::word_list::{PhraseList, phrase_list};

/// What shows that a Chinese clause tells of something done.
const HAN_PERFECTIVE: PhraseList = phrase_list!("guards/grounding/perfective.zh.txt");
/// The verb of a text stands among so many of its first words.
const MAX_BEFORE_VERB: usize = 5;

/// The verb of a text in the past, of which the sentences of its quote have only the bare form.
pub(super) fn told_as_done(text: &str, said: &str) -> Option<String> {
    if has_unspaced_script(text) { han_told_as_done(text, said) } else { english_told_as_done(text, said) }
}

fn english_told_as_done(text: &str, said: &str) -> Option<String> {
    let (own, said) = (spaced_words(text), spaced_words(said));
    let own: Vec<&str> = own.trim().split(' ').collect();
    let said: Vec<&str> = said.trim().split(' ').collect();
    let at = (1..own.len().min(MAX_BEFORE_VERB)).find(|&at| is_past_verb(own[at]))?;
    let (verb, stem) = (own[at], base_stem(own[at]));
    // "The user wants prices quoted": the verb of the text stands before.
    let is_object = own[1..at].iter().any(|word| is_third_person(word));
    if is_object || AUXILIARIES.contains(own[at - 1]) || AUXILIARIES.contains(verb) {
        return None;
    }
    let places: Vec<usize> = (0..said.len()).filter(|&i| base_stem(said[i]) == stem).collect();
    let is_other_form = |word: &str| word.ends_with("ing") || word.ends_with('s') && !word.ends_with("ss");
    let is_bare = |i: &usize| !is_other_form(said[*i]) && !is_past_verb(said[*i]);
    // "I had to move", "she made me learn it": the verb before it is in the past.
    let is_told = |i: &usize| said[..*i].iter().any(|word| is_past_verb(word) || *word == "used");
    let only_named = !places.is_empty() && places.iter().all(|i| is_bare(i) && !is_told(i));
    only_named.then(|| verb.to_owned())
}

fn han_told_as_done(text: &str, said: &str) -> Option<String> {
    text.match_indices('了').find_map(|(at, _)| {
        let start = text[..at].char_indices().rev().nth(1)?.0;
        let verb = &text[start..at];
        let is_done = |clause: &str| HAN_PERFECTIVE.iter().any(|word| clause.contains(word));
        let mut naming = clauses(said).filter(|clause| clause.contains(verb)).peekable();
        let is_named = is_two_character_verb(verb) && naming.peek().is_some();
        (is_named && naming.all(|clause| !is_done(clause))).then(|| format!("{verb}了"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_named_was_not_done() {
        for (text, said, expected) in [
            ("User learned to juggle.", "gonna learn to juggle over the holidays, tips?", Some("learned")),
            ("User learned to juggle.", "I learned to juggle at school, tips?", None),
            ("User learned to juggle.", "my aunt made me learn to juggle", None),
            ("User crossed the Alps by tandem.", "next challenge: cross the Alps by tandem", Some("crossed")),
            ("User crossed the Alps by tandem.", "we crossed the Alps by tandem in 2019", None),
            ("User had to move twice.", "I had to move twice", None),
            ("User baked a cake.", "no time to bake, I baked a cake on Monday", None),
            ("User's car was repaired.", "they repair my car", None),
            ("The user wants labels printed twice.", "print the labels twice please", None),
            ("用户学会了倒立。", "今年非把倒立学会不可", Some("学会了")),
            ("用户学会了倒立。", "倒立我上个月学会了", None),
            ("用户注册了商标。", "做咖啡车，是注册商标好还是先等等", Some("注册了")),
            ("用户注册了商标。", "去年注册的商标，怎么续", None),
            ("用户换了工作。", "我换工作以后睡得好", None),
        ] {
            assert_eq!(told_as_done(text, said).as_deref(), expected, "{text} / {said}");
        }
    }
}
