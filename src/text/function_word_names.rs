//! Names that are function words in lower case: Will, May, The Who.
//!
//! Judges by capitals alone, for English.

use super::stopwords::is_stopword;
use super::words;
use super::words::TextWord;

/// Those that are first names, which a person may type in lower case.
const FIRST_NAMES: [&str; 3] = ["may", "per", "will"];

/// Whether a word of a text may be such a name: a function word with a capital. The first word of a sentence may be,
/// too.
pub fn may_be_name(word: &TextWord<'_>) -> bool {
    let mut letters = word.surface.bytes();
    letters.next().is_some_and(|b| b.is_ascii_uppercase())
        && letters.next().is_some_and(|b| b.is_ascii_lowercase())
        && !word.text.contains('\'')
        && is_stopword(&word.text)
}

/// The function words of a question that are names, in lower case: with a capital inside a sentence, `does Will sail`.
/// In a question of nothing but function words, those with a capital are, but not the first of several, and a first name
/// alone.
pub fn names_in_question(question: &str) -> Vec<String> {
    let words: Vec<_> = words(question).filter(|word| !word.is_ngram).collect();
    let in_lower_case = |word: &&TextWord<'_>| word.text.clone().into_owned();
    if words.iter().all(|word| is_stopword(&word.text)) {
        if let [word] = &words[..]
            && FIRST_NAMES.contains(&&*word.text)
        {
            return vec![in_lower_case(&word)];
        }
        // The first word has a capital anyway.
        let all_have_one = words.iter().all(may_be_name);
        let names = words.iter().enumerate().filter(|(at, word)| may_be_name(word) && (*at > 0 || all_have_one));
        return names.map(|(_, word)| in_lower_case(&word)).collect();
    }
    // Where every word has a capital, it says nothing.
    let starts_sentence = |at: usize| {
        let before = question[..at].trim_end_matches(|c: char| c.is_whitespace() || "\"'“‘([*_`".contains(c));
        let is_mark = |c: char| ".!?:;)…>#-\u{2014}\u{2013}\u{2022}".contains(c);
        before.is_empty() || before.ends_with(is_mark) || question[..at].trim_end_matches([' ', '\t']).ends_with('\n')
    };
    let is_title = !words.iter().any(|word| word.surface.starts_with(|c: char| c.is_lowercase()));
    let is_name = |word: &&TextWord<'_>| may_be_name(word) && !is_title && !starts_sentence(word.at);
    words.iter().filter(is_name).map(|word| in_lower_case(&word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, names: &str) {
        assert_eq!(names_in_question(question).join(" "), names, "{question}");
    }

    #[test]
    fn a_capital_inside_a_sentence_makes_a_name() {
        check("Where does Will sail?", "will");
        check("What did May's doctor say? Will it hurt?", "may");
        check("which songs of The Who does she like", "the who");
        check("Will the harbour office answer?", "");
        check("harbour. \"Will it rain\"", "");
        check("What Is The Deadline", "");
        check("when I'm away, what do US offices do", "");
    }

    #[test]
    fn a_question_of_function_words_asks_for_them() {
        check("Will", "will");
        check("The Who", "the who");
        check("who is Will", "will");
        check("will", "will");
        check("the who", "");
        check("the", "");
        check("what is it", "");
        check("What can it be?", "");
        check("Do it", "");
        check("deploys with Kamal\nDo it now", "");
        check("1) deploy\n- Do it now", "");
        check("", "");
    }
}
