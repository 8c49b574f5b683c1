//! Finds requests of the user not to keep what was said: "keep that out of your notes", 这个不要记下来.
//!
//! Never takes a rule about a program for one ("we don't store that in git"): the request is to the assistant, and what
//! it is about is "this" or a statement of the user. A request that refers back counts for all that the user said
//! before it in the turn, and in the turn before; one with an object of its own for its own sentence. One in a text
//! that the user pasted need not be the user's, so what it is about waits.

use std::ops::Range;
use std::sync::LazyLock;

use super::Violation;
use super::consent::{clauses, han_clause};
use super::evidence::{contains_words, normalize};
use crate::text::phrase::{PhrasePatterns, WordToken, word_tokens};
use crate::text::prose_mask::mask_non_prose;
use crate::text::word_list::{WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;
use crate::transcript::{MessageParts, Role, Turn};

static ENGLISH: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("guards/consent/withheld.en.txt")));
static HAN: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("guards/consent/withheld.zh.txt")));
/// Words before a request: "and please don't save that". Any other is its subject.
const OPENINGS: WordList = word_list!("guards/consent/withheld_openings.en.txt");
/// Words after "that" in a request about what was said; another word is what "that" belongs to.
const AFTER_OBJECT: WordList = word_list!("guards/consent/withheld_ends.en.txt");

/// So many Chinese characters may be before a request at the start of a turn: 好的，
const MAX_HAN_OPENING: usize = 3;

/// Words before a request that name what was said earlier.
const HAN_EARLIER: [&str; 5] = ["刚才", "刚说", "刚刚", "那句", "的事"];

/// A request in a sentence.
struct WithholdRequest {
    scope: RequestScope,
    /// Byte offset in the sentence.
    start: usize,
}

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestScope {
    /// What was said before it.
    Before,
    /// Its own sentence.
    Sentence,
}

/// Whether the user asked not to keep what a quote of the turn with the number `at` says: `Withheld`, or
/// `MaybeWithheld` if only something that the user pasted asks so.
pub fn find_withheld(quote: &str, turns: &[Turn], at: usize) -> Option<Violation> {
    let index = turns.iter().position(|turn| turn.number == at)?;
    let is_typed = |turn: &&Turn| turn.role == Role::User && !turn.injected;
    let turn = Some(&turns[index]).filter(is_typed);
    let next = turns[index + 1..].iter().find(is_typed);
    // Most turns have no such words at all: only others are taken apart.
    if !turn.into_iter().chain(next).any(|turn| asks_to_withhold(&turn.text)) {
        return None;
    }
    let asks = |text: fn(&Turn) -> String| {
        turn.is_some_and(|turn| is_withheld_in(quote, &text(turn)))
            || next.is_some_and(|turn| opens_with_request(&text(turn)))
    };
    if asks(|turn| MessageParts::of(&turn.text).own) {
        return Some(Violation::Withheld);
    }
    asks(|turn| turn.text.clone()).then_some(Violation::MaybeWithheld)
}

/// Whether a text has the words of a request not to keep something, also one that is not to the assistant.
pub(super) fn asks_to_withhold(text: &str) -> bool {
    clauses(&mask_non_prose(text)).any(|(_, clause)| {
        let (words, han) = (word_tokens(clause), han_clause(clause));
        ENGLISH.iter().any(|patterns| patterns.find(&words).is_some())
            || HAN.iter().any(|patterns| patterns.find_unspaced(&han).is_some())
    })
}

/// Whether a turn opens with a request that refers back: then to the turn before it.
fn opens_with_request(text: &str) -> bool {
    let prose = mask_non_prose(text);
    let is_opening = |before: &str| {
        let has_han = before.chars().filter(|c| is_unspaced(*c)).count();
        let is_about_before = HAN_EARLIER.iter().any(|word| before.contains(word));
        (has_han <= MAX_HAN_OPENING || is_about_before)
            && word_tokens(before).iter().all(|word| OPENINGS.contains(&word.text))
    };
    clauses(&prose).any(|(at, clause)| {
        requests_in(clause)
            .any(|request| request.scope == RequestScope::Before && is_opening(&prose[..at + request.start]))
    })
}

fn is_withheld_in(quote: &str, text: &str) -> bool {
    let prose = mask_non_prose(text);
    let sentences: Vec<(usize, &str)> = clauses(&prose).collect();
    let quote = normalize(quote);
    let contains = |(at, clause): &(usize, &str)| {
        let sentence = normalize(&text[*at..*at + clause.len()]);
        contains_words(&sentence, &quote) || !sentence.is_empty() && contains_words(&quote, &sentence)
    };
    let first = sentences.iter().position(contains).unwrap_or(0);
    let last = sentences.iter().rposition(contains).unwrap_or(sentences.len());
    sentences.iter().enumerate().any(|(n, (_, clause))| {
        requests_in(clause).any(|request| match request.scope {
            RequestScope::Before => first <= n,
            RequestScope::Sentence => (first..=last).contains(&n),
        })
    })
}

/// The requests in a sentence.
fn requests_in(clause: &str) -> impl Iterator<Item = WithholdRequest> {
    let words = word_tokens(clause);
    let han = han_clause(clause);
    [RequestScope::Before, RequestScope::Sentence].into_iter().enumerate().filter_map(move |(n, scope)| {
        let is_request = |range: &Range<usize>| {
            has_no_subject(clause, &words, range.start)
                && (scope == RequestScope::Sentence || ends_object(clause, &words, range.end))
        };
        let english = ENGLISH.get(n).and_then(|patterns| patterns.find_where(&words, is_request));
        let start = english.map(|range| words[range.start].at).or_else(|| {
            // The text that is searched has another word for "I", so an offset in it is only near that in the sentence.
            let found = HAN.get(n)?.find_unspaced(&han)?;
            let at = han.find(found)?;
            Some(clause.char_indices().map(|(n, _)| n).find(|n| *n >= at).unwrap_or(clause.len()))
        })?;
        Some(WithholdRequest { scope, start })
    })
}

/// Whether a request begins at this word: at the start, behind a comma, or behind an opening word.
fn has_no_subject(clause: &str, words: &[WordToken<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|n| &words[n]) else { return true };
    let gap = &clause[before.at + before.surface.len()..words[at].at];
    OPENINGS.contains(&before.text) || gap.contains(|c: char| !c.is_whitespace())
}

/// Whether the object of a request ends before this word.
fn ends_object(clause: &str, words: &[WordToken<'_>], at: usize) -> bool {
    let Some(next) = words.get(at) else { return true };
    let before = &words[at - 1];
    let gap = &clause[before.at + before.surface.len()..next.at];
    AFTER_OBJECT.contains(&next.text) || gap.contains(|c: char| !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn withheld(said: &[&str], quote: &str) -> Option<Violation> {
        let turns: Vec<Turn> = (1..)
            .zip(said)
            .map(|(number, text)| Turn {
                number,
                role: Role::User,
                at: None,
                text: (*text).to_owned(),
                injected: false,
            })
            .collect();
        find_withheld(quote, &turns, 1)
    }

    #[test]
    fn what_the_user_withholds_is_found() {
        for (said, quote) in [
            (&["I'm bipolar, please keep that out of your notes."][..], "I'm bipolar"),
            (&["Remember that I'm from Split, no wait, don't save it."], "I'm from Split"),
            (&["Don't remember that I live in Cork."], "I live in Cork"),
            (&["I use Bun. I earn 62,000 a year. Do not store that anywhere."], "I earn 62,000 a year"),
            (&["I'm looking for another job, just between us."], "I'm looking for another job"),
            (&["Off the record: the launch slips to May."], "the launch slips to May"),
            (&["We fired the vendor.", "Please don't write that down. Next topic."], "We fired the vendor"),
            (&["I take sertraline, and I don't want you to remember that."], "I take sertraline"),
            (&["我有糖尿病，这个不要记下来。"], "我有糖尿病"),
            (&["我年薪三十万，别记。"], "我年薪三十万"),
            (&["别记我住在汉堡。"], "我住在汉堡"),
            (&["我在找新工作。", "刚才说的别保存。"], "我在找新工作"),
            (&["The band plays in Leeds.", "Actually forget what I just told you."], "The band plays in Leeds"),
            (&["I collect typewriters, no need to write that down anywhere."], "I collect typewriters"),
            (&["My gardener is Rafe Dunn. Don't save his name."], "My gardener is Rafe Dunn"),
            (&["供应商是北羊毛业，这条就不用入库了。"], "供应商是北羊毛业"),
            (&["I use Emacs.", "Forget that."], "I use Emacs"),
            (&["I use Emacs.", "Actually, scratch that, I was joking"], "I use Emacs"),
            (&["I am vegan. Keep my diet out of your notes."], "I am vegan"),
            (&["Don't keep my salary in your notes: 5000 euros."], "my salary in your notes: 5000 euros"),
            (&["我养了两只猫，忘了这个吧。"], "我养了两只猫"),
            (&["我养了两只猫。", "把刚才说的忘掉"], "我养了两只猫"),
        ] {
            assert_eq!(withheld(said, quote), Some(Violation::Withheld), "{said:?}");
        }
    }

    /// The turns of a labelled text, and its quote, which stands in ⟦ ⟧ in the first of them.
    fn is_withheld(talk: &str) -> bool {
        let (_, rest) = talk.split_once('⟦').unwrap();
        let quote = rest.split_once('⟧').unwrap().0;
        let plain = talk.replace(['⟦', '⟧'], "");
        withheld(&plain.split(" ## ").collect::<Vec<_>>(), quote) == Some(Violation::Withheld)
    }

    /// No list may be changed for the judged texts: the numbers say how many of them are wrong.
    #[test]
    fn labelled_requests_are_found() {
        for (file, most_wrong) in [
            (include_str!("../../../fixtures/guards/withheld.en.txt"), 0),
            (include_str!("../../../fixtures/guards/withheld.zh.txt"), 0),
            // "Don't log this" is said of programs, too.
            (include_str!("../../../fixtures/guards/judged/withheld.en.txt"), 2),
            (include_str!("../../../fixtures/guards/judged/withheld.zh.txt"), 0),
        ] {
            let texts = super::super::tests::labelled(file);
            let wrong: Vec<&String> =
                texts.iter().filter(|(wanted, talk)| is_withheld(talk) != *wanted).map(|(_, talk)| talk).collect();
            assert!(texts.len() >= 14 && wrong.len() <= most_wrong, "{wrong:#?}");
        }
    }

    #[test]
    fn rules_and_later_facts_are_not_withheld() {
        for (said, quote) in [
            (&["We don't store that in git. I use Bun."][..], "We don't store that in git"),
            (&["Don't save that file to the desktop, I keep them in ~/code."], "I keep them in ~/code"),
            (&["Never store passwords in the log."], "Never store passwords in the log"),
            (&["Don't save that. I use Bun."], "I use Bun"),
            (&["Don't remember that I live in Cork. I use Bun."], "I use Bun"),
            (&["I don't remember that. We use Redis."], "We use Redis"),
            (&["Don't forget that I use Bun."], "I use Bun"),
            (&["I use Bun.", "I never forget that"], "I use Bun"),
            (&["I use Bun.", "Delete that file in /tmp"], "I use Bun"),
            (&["Keep my keys out of your way, I use Bun"], "I use Bun"),
            (&["我用 Bun。", "我忘了这个密码"], "我用 Bun"),
            (&["I use Bun.", "Thanks. Keep it short. Don't save it yet, the file is broken."], "I use Bun"),
            (&["不要忘记我用Bun。"], "我用Bun"),
            (&["The server must not keep this in memory. I use Bun."], "I use Bun"),
            (&["Drop what the linter said, I use Bun."], "I use Bun"),
            (&["Forget about the old plan. I use Bun."], "I use Bun"),
            (&["不要把密码存在代码里。"], "不要把密码存在代码里"),
            (&["不要把这段代码存到数据库。我用Bun。"], "我用Bun"),
            (&["这个不用记。我用Bun。"], "我用Bun"),
            (&["I use Bun.", "I am ill, don't note that."], "I use Bun"),
            (&["我用Bun。", "我在找新工作，这个不要记下来。"], "我用Bun"),
        ] {
            assert_eq!(withheld(said, quote), None, "{said:?}");
        }
    }

    #[test]
    fn what_a_pasted_text_asks_not_to_keep_waits() {
        for (said, quote, expected) in [
            (
                &["I use Bun. What does she mean?\n\n> please don't save that"][..],
                "I use Bun",
                Some(Violation::MaybeWithheld),
            ),
            (&["我用Bun。她什么意思？\n\n> 这个不要记下来。"], "我用Bun", Some(Violation::MaybeWithheld)),
            (&["I use Bun.", "> Don't save that.\n\nwho wrote this?"], "I use Bun", Some(Violation::MaybeWithheld)),
            (&["I use Bun, don't save that.\n\n> Remember it."], "I use Bun", Some(Violation::Withheld)),
            (&["Here is her letter, don't store that.\n\n> I use Bun."], "I use Bun", Some(Violation::Withheld)),
            (&["> don't save that\n\nI use Bun."], "I use Bun", None),
        ] {
            assert_eq!(withheld(said, quote), expected, "{said:?}");
        }
    }
}
