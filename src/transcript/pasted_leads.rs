//! Recognises the lines above a pasted passage: they name a kind of text, who wrote it or where it was found.
//!
//! Never looks at the passage: a lead is one whatever stands below it.

use super::own_statements::names_own_statement;
use super::pasted_requests::is_request;
use super::text_requests::asks_about;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

const SOURCE_NOUNS: WordList = word_list!("transcript/source_nouns.en.txt");
const HAN_SOURCE_NOUNS: PhraseList = phrase_list!("transcript/source_nouns.zh.txt");
/// Where people write to each other, and who writes.
const WRITING_PLACES: WordList = word_list!("transcript/writing_places.en.txt");
/// Kinds of text that people also speak of where nothing is pasted.
const WEAK_SOURCE_NOUNS: WordList = word_list!("transcript/weak_source_nouns.en.txt");
const SAYING_VERBS: WordList = word_list!("transcript/saying_verbs.en.txt");
const ACQUIRED_VERBS: WordList = word_list!("transcript/acquired_verbs.en.txt");

pub(super) const FIRST_PERSON: WordList = word_list!("transcript/first_person.en.txt");
/// Pronouns for the author of the text below, and verbs of a question about what that author wants.
const OTHER_PERSONS: WordList = word_list!("transcript/other_persons.en.txt");
const MEANING_VERBS: WordList = word_list!("transcript/meaning_verbs.en.txt");
const HAN_OF_ANOTHER: PhraseList = phrase_list!("transcript/of_another.zh.txt");
/// Two words with which an author asks for an answer to a text; in Chinese one.
const REPLY_VERBS: WordList = word_list!("transcript/reply_verbs.en.txt");
const REPLY_OBJECTS: WordList = word_list!("transcript/reply_objects.en.txt");
const HAN_REPLYING: PhraseList = phrase_list!("transcript/replying.zh.txt");
/// First words of a lead to the author's own text.
const OWN_OPENINGS: WordList = word_list!("transcript/own_openings.en.txt");
/// Last words of a lead that point at the text below.
const LEAD_ENDS: WordList = word_list!("transcript/lead_ends.en.txt");
/// Words behind "from" at the start of a lead.
const ORIGIN_OWNERS: WordList = word_list!("transcript/origin_owners.en.txt");
const OUTPUT_NOUNS: WordList = word_list!("transcript/output_nouns.en.txt");
/// What is done for the author, or said to the author.
const HAN_DONE_FOR_AUTHOR: PhraseList = phrase_list!("transcript/done_for_author.zh.txt");
/// Verbs at the end of a lead whose text stands on the same line.
const HAN_INLINE_SAYING_ENDS: PhraseList = phrase_list!("transcript/inline_saying_ends.zh.txt");
/// What a first person does who has written the text below: "As I said:".
const OWN_VERBS: PhraseList = phrase_list!("transcript/own_verbs.en.txt");
/// Words that point at a text beside the line.
const POINTING_WORDS: PhraseList = phrase_list!("transcript/pointing_words.en.txt");
const HAN_POINTING_WORDS: PhraseList = phrase_list!("transcript/pointing_words.zh.txt");
const HAN_SAYING_ENDS: PhraseList = phrase_list!("transcript/saying_ends.zh.txt");
/// Verbs before 我 as their object: "ChatGPT 这样回答我".
const HAN_TELLING: PhraseList = phrase_list!("transcript/telling.zh.txt");
/// Words that point at what another person says, behind the verb, and such verbs: 回我这么一句.
const HAN_SAID_SO: PhraseList = phrase_list!("transcript/said_so.zh.txt");
const HAN_SAID_SO_VERBS: PhraseList = phrase_list!("transcript/said_so_verbs.zh.txt");
/// How an author comes by a text of another.
const HAN_ACQUIRED: PhraseList = phrase_list!("transcript/acquired.zh.txt");
/// Kinds of text that lead to their words on the same line: "Voicemail transcript: …".
const INLINE_NOUNS: PhraseList = phrase_list!("transcript/inline_nouns.txt");
/// Nouns for what another person says or writes, at the end of a lead.
const HAN_SAID_TEXTS: PhraseList = phrase_list!("transcript/said_texts.zh.txt");
/// First characters of nouns for a person of the author's: 我妈, 我闺女.
pub(super) const PERSON_STARTS: &str = "妈爸哥姐弟妹女儿闺婆公媳舅姑叔姨爷奶同领邻房室朋";
/// Where texts of others come from, and what they are.
const HAN_ORIGINS: PhraseList = phrase_list!("transcript/origins.zh.txt");
/// How a text came to stand below the line.
const HAN_ORIGIN_ENDS: PhraseList = phrase_list!("transcript/origin_ends.zh.txt");
/// Maximum length of a lead, in words and in characters.
const MAX_LEAD_WORDS: usize = 18;
const MAX_LEAD_CHARS: usize = 120;

/// Kinds of text that are another person's behind their name, words that look like such a name, and verbs with which one
/// is given to the author.
const OWNED_TEXTS: WordList = word_list!("transcript/owned_texts.en.txt");
const NOT_OWNERS: WordList = word_list!("transcript/not_owners.en.txt");
const GIVING_VERBS: WordList = word_list!("transcript/giving_verbs.en.txt");

pub(super) fn words_of(line: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let words = line.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
    words.map(|word| word.to_lowercase().replace('’', "'")).collect()
}

pub(super) fn has_han(line: &str) -> bool {
    line.chars().any(is_unspaced)
}

/// Whether a line names a kind of text that others, or programs, write.
pub(super) fn names_source(line: &str) -> bool {
    words_of(line).iter().any(|word| SOURCE_NOUNS.contains(word))
        || has_han(line) && HAN_SOURCE_NOUNS.iter().any(|noun| line.contains(noun))
        || is_file_name(line)
}

/// Whether a Chinese name is that of a kind of text, or of where texts come from.
pub(super) fn names_kind_of_text(name: &str) -> bool {
    !name.contains('我') && (names_source(name) || HAN_ORIGINS.iter().any(|origin| name.contains(origin)))
}

/// Whether a line says in its first clause where the text below it is from, or what it is, and asks about it in the
/// second one: "the page says this, is that normal", 卖家发的，值不值.
pub(super) fn leads_and_asks(line: &str) -> bool {
    if let Some((first, rest)) = line.split_once('，').filter(|_| has_han(line)) {
        let is_sent = HAN_ORIGIN_ENDS.iter().any(|end| end.ends_with('的') && first.ends_with(end));
        let is_kind = first.chars().count() <= MAX_KIND_CHARS && KIND_ENDS.iter().any(|end| first.ends_with(end));
        let asks = is_request(rest) || HAN_QUESTIONS.iter().any(|word| rest.contains(word));
        return (is_sent || is_kind) && asks && !is_own_han(first);
    }
    let Some((first, rest)) = line.split_once(", ") else { return false };
    let words = words_of(first);
    let points = words.last().is_some_and(|word| matches!(word.as_str(), "this" | "so" | "following"));
    let asks = words_of(rest).first().is_some_and(|word| QUESTION_WORDS.contains(word)) || is_request(rest);
    let is_own = words.first().is_some_and(|word| matches!(word.as_str(), "i" | "we"));
    points && words.iter().any(|word| SAYING_VERBS.contains(word)) && !is_own && asks
}

/// Words that ask how good a text is.
const HAN_JUDGING: PhraseList = phrase_list!("transcript/judging.zh.txt");
/// First words of a question.
const QUESTION_WORDS: WordList = word_list!("transcript/question_words.en.txt");
/// What a Chinese clause asks with.
const HAN_QUESTIONS: PhraseList = phrase_list!("transcript/question_words.zh.txt");
/// Last characters of nouns for kinds of text: 稿, 信.
const KIND_ENDS: PhraseList = phrase_list!("transcript/kind_ends.zh.txt");
/// Maximum length of a noun for a kind of text, in characters.
const MAX_KIND_CHARS: usize = 6;

/// Whether a word of a line is the name of a file: `AGENTS.md`.
fn is_file_name(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty()
                && (1..=5).contains(&end.len())
                && end.bytes().all(|b| b.is_ascii_lowercase())
                && stem.bytes().all(|b| b.is_ascii_graphic())
        })
    })
}

/// Whether a line that ends with a colon, without it, leads to a text of another author: it names a kind of text, or
/// who or what says it.
pub(super) fn is_source_lead(lead: &str) -> bool {
    let words = words_of(lead);
    if words.len() > MAX_LEAD_WORDS || lead.chars().count() > MAX_LEAD_CHARS {
        return false;
    }
    if has_han(lead) {
        let says = HAN_SAYING_ENDS.iter().any(|verb| lead.ends_with(verb)) && lead.chars().count() > 2;
        let tells = |rest: &str| HAN_TELLING.iter().any(|verb| rest.ends_with(verb));
        let says = says || lead.strip_suffix('我').is_some_and(tells);
        return !is_own_han(lead) && (says || names_source(lead))
            || HAN_ACQUIRED.iter().any(|verb| lead.contains(verb));
    }
    if is_owned_by_another(&words) {
        return true;
    }
    if names_own_text(&words) {
        return false;
    }
    let last = words.last().map_or("", String::as_str);
    let points = LEAD_ENDS.contains(last);
    let says = SAYING_VERBS.contains(last) || points && words.iter().any(|w| SAYING_VERBS.contains(w));
    let says = says && words.len() > 1;
    let is_from = words.iter().skip(1).any(|word| matches!(word.as_str(), "from" | "by"))
        || words.len() > 2 && words[0] == "from" && ORIGIN_OWNERS.contains(&words[1]);
    let is_got = is_got(&words);
    says || names_source(lead) && (words.len() > 1 || !has_han(lead)) || is_got && words.len() > 1 || is_from
}

/// Whether words name a text of another person: "my colleague's notes".
fn is_owned_by_another(words: &[String]) -> bool {
    let owner = words.iter().position(|word| word.ends_with("'s") && !NOT_OWNERS.contains(word));
    owner.is_some_and(|at| words[at + 1..].iter().take(2).any(|word| OWNED_TEXTS.contains(word)))
}

/// Whether words tell that another person gave the author a text: "my neighbour left this note".
fn is_given_by_another(words: &[String]) -> bool {
    let verb = words.iter().skip(1).position(|word| GIVING_VERBS.contains(word)).map(|at| at + 1);
    let is_text = words.last().is_some_and(|word| OWNED_TEXTS.contains(word));
    is_text && verb.is_some_and(|at| !words[..at].iter().any(|word| FIRST_PERSON.contains(word)))
}

/// Whether words tell how the author came by a text: "I found", "was sent to me", but not "should be pulled".
fn is_got(words: &[String]) -> bool {
    let is_to_be = |n: usize| n > 0 && matches!(words[n - 1].as_str(), "be" | "being");
    words.iter().enumerate().any(|(n, word)| ACQUIRED_VERBS.contains(word) && !is_to_be(n))
}

/// Whether a lead says that another person says what it points at: "someone in the group answered me with this, and
/// I'm lost", 群里有人回我这么一句，没看懂.
fn is_said_so_by_another(lead: &str, words: &[String]) -> bool {
    if has_han(lead) {
        let Some((before, _)) = HAN_SAID_SO.iter().find_map(|so| lead.split_once(so)) else { return false };
        let speaks =
            ["我说", "我写", "我回", "我发", "我讲"].iter().any(|own| before.ends_with(own) || before.starts_with(own));
        let before = before.trim_end_matches(['了', '过']);
        return !speaks && !before.starts_with('我') && HAN_SAID_SO_VERBS.iter().any(|verb| before.contains(verb));
    }
    let says = words.iter().position(|word| SAYING_VERBS.contains(word)).filter(|at| *at > 0);
    says.is_some_and(|at| {
        let points = words[at + 1..].iter().take(4).any(|word| matches!(word.as_str(), "this" | "following"));
        points && !words[..at].iter().any(|word| FIRST_PERSON.contains(word))
    })
}

/// Whether a lead ends in what another person does to say something: "my landlord just texted". "My notes say" names
/// a text of the author's.
fn is_said_by_another(words: &[String]) -> bool {
    let [.., before, last] = words else { return false };
    let subject =
        if words.len() > 2 && ADVERBS.iter().any(|adverb| adverb == before) { &words[words.len() - 3] } else { before };
    SAYING_VERBS.contains(last) && !FIRST_PERSON.contains(subject) && !SOURCE_NOUNS.contains(subject)
}

/// Words between a person and a verb of saying.
const ADVERBS: PhraseList = phrase_list!("transcript/saying_adverbs.en.txt");

/// Whether a Chinese lead ends in a noun for what another person says or writes: 客户原话, 我妈语音.
fn ends_in_text_of_another(lead: &str) -> bool {
    let ends = HAN_SAID_TEXTS.iter().any(|noun| lead.ends_with(noun));
    let rest = PERSON_STARTS.chars().fold(lead.to_owned(), |text, person| text.replace(&format!("我{person}"), ""));
    ends && !is_own_han(&rest)
}

/// Whether what follows the colon of a lead on the same line is of another author, too: "Review I found: …".
pub(super) fn is_inline_lead(lead: &str) -> bool {
    let words = words_of(lead);
    let says = words.last().is_some_and(|word| SAYING_VERBS.contains(word));
    let is_got = is_got(&words) || words.iter().any(|word| word == "from");
    // "I've got 3 kids: …" tells of the author.
    let is_own = words.iter().any(|word| FIRST_PERSON.contains(word));
    let is_got = is_got && (!is_own || names_source(lead) || words.iter().any(|word| word == "from"));
    let names = INLINE_NOUNS.iter().any(|noun| lead.ends_with(noun))
        && !lead.contains('我')
        && !words.iter().any(|w| w == "my");
    let is_from = matches!(words.as_slice(), [from, place] if from == "from" && WRITING_PLACES.contains(place));
    if names
        || is_from
        || is_said_by_another(&words)
        || is_given_by_another(&words)
        || ends_in_text_of_another(lead)
        || is_said_so_by_another(lead, &words)
    {
        return true;
    }
    let says_han = HAN_INLINE_SAYING_ENDS.iter().any(|verb| lead.ends_with(verb));
    is_source_lead(lead) && (says && words.len() > 1 || is_got && words.len() > 2 || says_han)
}

/// Whether a Chinese lead speaks of the author, and not of what was done for the author.
fn is_own_han(lead: &str) -> bool {
    let rest = HAN_DONE_FOR_AUTHOR.iter().fold(lead.to_owned(), |text, word| text.replace(word, ""));
    // 我同事, 我的学生: another person.
    let rest = HAN_ORIGINS.iter().fold(rest, |text, other| {
        if text.contains(other) {
            text.replace(&format!("我{other}"), "").replace(&format!("我的{other}"), "").replace(other, "")
        } else {
            text
        }
    });
    rest.contains('我') && !HAN_ACQUIRED.iter().any(|verb| lead.contains(verb))
}

/// Whether a lead speaks of the author's own text: "As I said", "My rules", "I wrote".
pub(super) fn names_own_text(words: &[String]) -> bool {
    let at = |n: usize| words.get(n).map_or("", String::as_str);
    let is_got = is_got(words);
    let writes =
        words.windows(2).any(|pair| FIRST_PERSON.contains(&pair[0]) && OWN_VERBS.iter().any(|verb| verb == pair[1]));
    let opens = OWN_OPENINGS.contains(at(0));
    let tells = matches!(at(0), "i" | "we") && !is_got;
    let is_mine = words
        .windows(2)
        .any(|pair| matches!(pair[0].as_str(), "my" | "our" | "own") && SOURCE_NOUNS.contains(&pair[1]));
    (writes || opens || tells || is_mine) && (writes || !is_got)
}

/// Whether a line above a blank one says where the text below it is from, or asks for something to be done with
/// it: "知乎上的经验贴，帮我提炼下".
pub(super) fn is_origin_lead(lines: &[(&str, bool)], at: usize) -> bool {
    let line = lines[at].0.trim();
    let is_apart = lines.get(at + 1).is_some_and(|(below, _)| below.trim().is_empty());
    let is_short = line.chars().count() <= MAX_LEAD_CHARS / 2;
    let names = HAN_ORIGINS.iter().filter(|origin| line.contains(origin)).count();
    let is_from = HAN_ORIGIN_ENDS.iter().any(|end| line.contains(end));
    if is_apart && is_short && leads_and_asks(line) {
        return true;
    }
    is_apart
        && is_short
        && has_han(line)
        && !is_own_han(line)
        && names > 0
        && (is_from || is_request(line) || names > 1)
}

/// Whether a line without a colon leads to the text below it: "Output of the script below.", "Can you sum up this
/// mail?".
pub(super) fn is_pointing_lead(line: &str) -> bool {
    if line.contains("://") || line.chars().count() > MAX_LEAD_CHARS {
        return false;
    }
    let words = words_of(line);
    if has_han(line) {
        let points = HAN_POINTING_WORDS.iter().any(|word| line.contains(word));
        let replies = HAN_REPLYING.iter().any(|word| line.contains(word));
        let is_got = HAN_ACQUIRED.iter().any(|verb| line.contains(verb));
        let asks_of_another = is_request(line) && HAN_OF_ANOTHER.iter().any(|word| line.contains(word));
        // 歌词押韵吗: the first line has nothing else to ask about.
        let judges = line.chars().count() <= MAX_KIND_CHARS * 2
            && HAN_SOURCE_NOUNS.iter().any(|noun| line.starts_with(noun))
            && HAN_JUDGING.iter().any(|word| line.contains(word))
            && !is_own_han(line);
        return judges
            || (points || replies) && names_source(line) && !is_own_han(line)
            || replies && (is_request(line) || HAN_REPLYING.iter().any(|word| line.starts_with(word)))
            || is_got
            || asks_of_another;
    }
    let points = words.iter().any(|word| POINTING_WORDS.iter().any(|one| one == word));
    let is_own = words.iter().any(|word| FIRST_PERSON.contains(word));
    let is_got = is_got(&words);
    let replies = words.windows(2).any(|pair| REPLY_VERBS.contains(&pair[0]) && REPLY_OBJECTS.contains(&pair[1]));
    let names = words.iter().any(|word| SOURCE_NOUNS.contains(word) && !WEAK_SOURCE_NOUNS.contains(word))
        || words.iter().any(|word| OUTPUT_NOUNS.contains(word)) && points;
    // "What does she want?", "What's the metre here?": the first line has nothing else to refer to.
    let asks = words.iter().any(|word| MEANING_VERBS.contains(word));
    let asks_of_text = words.windows(3).any(|three| three == ["does", "this", "say"]);
    let refers = asks_of_text
        || asks && words.iter().any(|word| OTHER_PERSONS.contains(word))
        || words.iter().any(|word| word == "here") && !is_own;
    let is_from = words.first().is_some_and(|word| word == "from") && names_source_or_place(&words);
    let finds = is_got && points;
    // "Email from HR", "job advert I saw today": a heading that names the text.
    let names_first = words.iter().take(2).any(|word| SOURCE_NOUNS.contains(word) && !WEAK_SOURCE_NOUNS.contains(word));
    let is_heading = names_first && (is_got || words.iter().any(|word| word == "from")) && !is_first_word_own(&words);
    if (is_request(line) || asks_of_text) && refers || is_from || finds || is_heading {
        return true;
    }
    (points && names || replies && is_request(line)) && (!is_own || is_got || is_request(line))
}

/// Whether words begin with the author: "I …", "my …".
pub(super) fn is_first_word_own(words: &[String]) -> bool {
    words.first().is_some_and(|word| FIRST_PERSON.contains(word) || matches!(word.as_str(), "my" | "our"))
}

/// Whether words name a kind of text, or where people write to each other.
fn names_source_or_place(words: &[String]) -> bool {
    words.iter().any(|word| SOURCE_NOUNS.contains(word) || WRITING_PLACES.contains(word))
}

const PASTE_LEADS: PhraseList = phrase_list!("transcript/paste_leads.txt");
const PASTE_LEAD_ENDS: PhraseList = phrase_list!("transcript/paste_lead_ends.txt");
const ATTRIBUTIONS: PhraseList = phrase_list!("transcript/attributions.txt");
/// The author in the first person: "I wrote:" leads to the author's own words.
const OWN_NAMES: PhraseList = phrase_list!("transcript/own_names.txt");
/// Maximum length of the line above a pasted passage, in words.
const MAX_PASTE_LEAD_WORDS: usize = 12;

/// Whether a lead, in lower case and without its colon, says who wrote what follows: "Ruth wrote", "同事说".
fn is_attribution(lead: &str) -> bool {
    let ends = |phrase: &str| {
        lead.strip_suffix(phrase).is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let names_author = |word: &str| OWN_NAMES.iter().any(|name| name == word) || word.contains('我');
    ATTRIBUTIONS.iter().any(ends) && !lead.split(|c: char| !c.is_alphanumeric()).any(names_author)
}

/// Whether a line leads to something pasted by words about its origin.
pub(super) fn pasted_after_lead(line: &str) -> Option<LeadReach> {
    let lower = line.to_lowercase();
    let lead = lower.trim_end().strip_suffix([':', '：'])?.trim_end();
    if lead.split_whitespace().count() > MAX_PASTE_LEAD_WORDS || lead.chars().count() > 80 {
        return None;
    }
    let starts = |phrase: &str| {
        lead.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let ends = |phrase: &str| {
        lead.strip_suffix(phrase).is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    if is_attribution(lead) {
        return Some(LeadReach::Paragraph);
    }
    if names_own_statement(lead) {
        return None;
    }
    (PASTE_LEADS.iter().any(starts) || PASTE_LEAD_ENDS.iter().any(ends)).then_some(LeadReach::Rest)
}

/// Where the passage begins in a line that also leads to it, in bytes: `Translate this: …`, `Ruth wrote: …`.
pub(super) fn inline_passage(line: &str) -> Option<usize> {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    // No colon of a time: 3:41.
    let is_lead_end = |at: usize, mark: &str| {
        !(is_digit(line[..at].chars().next_back()) && is_digit(line[at + mark.len()..].chars().next()))
    };
    let (at, mark) = line.match_indices([':', '：']).find(|(at, mark)| is_lead_end(*at, mark))?;
    let (lead, text) = (&line[..at], &line[at + mark.len()..]);
    if text.trim().is_empty() || text.starts_with("//") {
        return None;
    }
    let lower = lead.trim().to_lowercase();
    let end = line.len() - text.len();
    let says = || is_attribution(&lower) || is_inline_lead(&lower);
    (asks_about(lead, text) || says() && !names_own_statement(lead)).then_some(end)
}

/// How far the passage below a lead reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LeadReach {
    /// The next lines up to a blank one.
    Paragraph,
    /// The rest of the message.
    Rest,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_names_a_source() {
        for lead in [
            "AGENTS.md currently says",
            "Recipe from the web",
            "this is what my old assistant had saved",
            "Got this from the forum",
            "My colleague's notes",
            "The build prints this",
            "Here's the summary another assistant made of our call, check the grammar",
            "我收到的邮件",
            "旧助手写的",
        ] {
            assert!(is_source_lead(lead), "{lead}");
        }
        for lead in [
            "As I said",
            "My rules",
            "I wrote",
            "Two things",
            "Remember this",
            "Tools",
            "之前我说",
            "About me",
            "From my notebook",
        ] {
            assert!(!is_source_lead(lead), "{lead}");
        }
    }
}
