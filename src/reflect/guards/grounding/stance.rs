//! Finds what the author of a quote does not state as so: what others say, what is ironic, what is asked without a
//! question mark, what another turn suggested and the author passed over, and what only the assistant says of the user.
//!
//! Never looks at the words of a fact themselves: others do.

use super::choice;
use super::english::spaced_words;
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::Statement;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

const IRONY: PhraseList = phrase_list!("guards/grounding/irony.txt");
const ACCEPTANCE: PhraseList = phrase_list!("guards/grounding/acceptance.txt");
/// Words with which an assistant speaks of the user, supposes or offers.
const SUPPOSING: PhraseList = phrase_list!("guards/grounding/supposing.txt");
const DEFERRAL: PhraseList = phrase_list!("guards/grounding/deferral.txt");
/// Phrases with which an author denies to have said something.
const DISCLAIMING: PhraseList = phrase_list!("guards/grounding/disclaiming.txt");
/// Words for what ought to be, and for what is instead.
const REQUIRED: PhraseList = phrase_list!("guards/grounding/required.txt");
const ACTUAL: PhraseList = phrase_list!("guards/grounding/actual.txt");
/// Words of a possibility, and those with which a text keeps it.
const HEDGES: WordList = word_list!("guards/grounding/hedges.en.txt");
const HAN_HEDGES: PhraseList = phrase_list!("guards/grounding/hedges.zh.txt");
const KEPT_HEDGES: WordList = word_list!("guards/grounding/kept_hedges.en.txt");
const HAN_KEPT_HEDGES: PhraseList = phrase_list!("guards/grounding/kept_hedges.zh.txt");
/// Verbs behind a person or an origin that says something: 销售说, 据厂家介绍.
const HAN_SAYING: PhraseList = phrase_list!("guards/grounding/saying.zh.txt");
/// Words in a text that keep what it says as said.
const HAN_KEPT: PhraseList = phrase_list!("guards/grounding/kept_saying.zh.txt");
/// Last characters before such a verb that make another word of both, or that speak for the author.
const NOT_SPEAKERS: &str = "我们咱你您俺听小再先别就来要想能会好据和直明解照话难老不没以上下也都者虽按应该所常样";
/// Words before what others say, in English.
const ORIGINS: PhraseList = phrase_list!("guards/grounding/origins.en.txt");
/// Words in an English text that keep what it says as said.
const KEPT_ORIGINS: PhraseList = phrase_list!("guards/grounding/kept_origins.en.txt");
/// Verbs that are doubled around 不 or joined to 是否: a question, whatever ends it.
const HAN_ASKING: PhraseList = phrase_list!("guards/grounding/asking.zh.txt");
/// The first words of an English question.
const AUXILIARIES: WordList = word_list!("guards/grounding/opening_auxiliaries.en.txt");
/// The subjects that follow such a word in a question.
const SUBJECTS: WordList = word_list!("guards/grounding/opening_subjects.en.txt");

/// The word that says whose words, or what mood, a quote is in, if a text states it as a fact. `said`: the whole
/// sentences of the quote.
pub(super) fn unstated(text: &str, quote: &str, said: &str) -> Option<String> {
    ironic(quote, said).or_else(|| disclaimed(text, said)).or_else(|| only_required(text, said)).or_else(|| {
        if has_unspaced_script(text) {
            han_hearsay(text, quote).or_else(|| han_question(text, quote))
        } else {
            hearsay(text, quote, said).or_else(|| question(quote))
        }
    })
}

/// The words of irony in the sentences of a quote.
fn ironic(quote: &str, said: &str) -> Option<String> {
    let low = format!(" {} ", said.to_lowercase());
    let is_in = |word: &&str| match word.is_ascii() {
        true if word.starts_with('/') => low.contains(&format!(" {word} ")) || low.contains(&format!(" {word}.")),
        true => spaced_words(&low).contains(&format!(" {} ", word.replace(',', ""))),
        false => low.contains(*word),
    };
    let exaggerates = || quote.contains('都') && quote.contains("了哈");
    IRONY.iter().find(is_in).map(str::to_owned).or_else(|| exaggerates().then(|| "哈哈".to_owned()))
}

/// The words with which an author denies to have said what a text states: "I didn't say I'm vegan", 我没说不吃辣.
fn disclaimed(text: &str, said: &str) -> Option<String> {
    let own = choice::words(text);
    super::clauses(said).find_map(|clause| {
        let low = clause.to_lowercase().replace('\u{2019}', "'");
        let (word, at) = DISCLAIMING.iter().find_map(|word| low.find(word).map(|at| (word, at + word.len())))?;
        let denied = choice::words(low.get(at..)?);
        let others: String = super::clauses(said).filter(|other| *other != clause).collect::<Vec<_>>().join("\n");
        let stated = choice::words(&others);
        let is_all = !denied.is_empty() && denied.iter().all(|word| own.contains(word));
        let has_value = own.iter().any(|word| stated.contains(word) && !denied.contains(word));
        (is_all && !has_value && !text.contains(word)).then(|| word.to_owned())
    })
}

/// The words of a clause that says what ought to be, where the clause beside it says what is: "it's supposed to be
/// monthly but it never is".
fn only_required(text: &str, said: &str) -> Option<String> {
    let is_han = has_unspaced_script(text);
    let plain = |text: &str| if is_han { text.to_owned() } else { spaced_words(text) };
    let find = |text: &str, list: PhraseList| {
        let text = plain(text);
        list.iter()
            .filter(|word| !word.is_empty() && word.is_ascii() != is_han)
            .find(|word| if is_han { text.contains(*word) } else { text.contains(&format!(" {word} ")) })
    };
    let clauses: Vec<&str> = said
        .split([',', ';', '.', '!', '?', '\n', '，', '。', '；', '！', '？'])
        .flat_map(|part| part.split(" but "))
        .filter(|clause| !clause.trim().is_empty())
        .collect();
    let at = clauses.iter().position(|clause| find(clause, REQUIRED).is_some())?;
    let required = find(clauses[at], REQUIRED)?;
    let is_denied = find(said, ACTUAL).is_some();
    let others = [&clauses[..at], &clauses[at + 1..]].concat().join("\n");
    let (here, beside, own) = (choice::words(clauses[at]), choice::words(&others), choice::words(text));
    let is_word = |word: &String| !required.contains(word.as_str());
    let only_here = own.iter().any(|word| here.contains(word) && !beside.contains(word) && is_word(word));
    (is_denied && only_here && find(text, REQUIRED).is_none()).then(|| required.to_owned())
}

fn hearsay(text: &str, quote: &str, said: &str) -> Option<String> {
    let (own, spaced) = (spaced_words(text), spaced_words(quote));
    let whole = spaced_words(said);
    let is_kept = KEPT_ORIGINS.iter().any(|word| own.contains(&format!(" {word} ")));
    let origin = ORIGINS.iter().find(|word| {
        let word = format!(" {word} ");
        spaced.contains(&word) || whole.starts_with(&word) && whole.contains(spaced.trim())
    });
    origin.filter(|_| !is_kept).map(str::to_owned)
}

/// 说 of 销售说客户能接受月付, if a text states what is said and not who says it.
fn han_hearsay(text: &str, quote: &str) -> Option<String> {
    if HAN_KEPT.iter().any(|word| text.contains(word)) {
        return None;
    }
    super::clauses(quote).find_map(|clause| {
        let (at, verb) =
            HAN_SAYING.iter().filter_map(|verb| clause.find(verb).map(|at| (at, verb))).min_by_key(|(at, _)| *at)?;
        let speaker = clause[..at].trim_end_matches(['都', '也', '还', '就', '一', '直', '老', '上']);
        let rest = clause[at + verb.len()..].trim_start_matches(['了', '过', '，', ',', '：']);
        let is_speaker = (1..=MAX_SPEAKER).contains(&speaker.chars().count())
            && !speaker.ends_with(|c| NOT_SPEAKERS.contains(c))
            && !speaker.contains(['我', '咱', '你'])
            && !speaker.contains(['在', '用', '把', '跟', '和', '给', '是', '没', '不']);
        // 说明书, 讲座: a noun.
        let is_verb = rest.chars().count() >= 3
            && !rest.starts_with([
                '明', '书', '法', '话', '座', '师', '课', '稿', '义', '统', '真', '单', '感', '的', '给',
            ])
            && !clause[..at].ends_with(['小', '宣', '遗', '流']);
        // 老板要求 and what the speaker is named in hold as they are said.
        let pairs: Vec<char> = speaker.chars().collect();
        let names = pairs.windows(2).any(|pair| text.contains(&pair.iter().collect::<String>()));
        (is_speaker && is_verb && !names).then(|| format!("{speaker}{verb}"))
    })
}

/// The longest words for who says something, in characters.
const MAX_SPEAKER: usize = 6;

/// 是不是 of 轮胎是不是偏磨了啊, if the clause that a text is taken from asks.
fn han_question(text: &str, quote: &str) -> Option<String> {
    let asks = |clause: &str| HAN_ASKING.iter().find(|word| clause.contains(*word));
    let chars: Vec<char> = text.chars().collect();
    let shared =
        |clause: &&str| chars.windows(2).filter(|pair| clause.contains(&pair.iter().collect::<String>())).count();
    let clause = super::clauses(quote).max_by_key(shared).filter(|clause| shared(clause) > 0)?;
    asks(clause).filter(|word| !text.contains(word)).map(str::to_owned)
}

/// The first word of a quote that is the beginning of a question: "is my battery bad or is it the charger".
fn question(quote: &str) -> Option<String> {
    let spaced = spaced_words(quote);
    let mut words = spaced.trim().split(' ');
    let (first, second) = (words.next()?, words.next()?);
    // "Did the Kungsleden" tells what was done.
    let tells = matches!(first, "did" | "do" | "have") && second == "the";
    (AUXILIARIES.contains(first) && SUBJECTS.contains(second) && !tells).then(|| first.to_owned())
}

/// A word of a text that only a turn of the assistant has, if the quote has nothing of the text and does not take up
/// what was said: "I'd recommend pnpm." "First tell me why the hoisting breaks."
pub(super) fn passed_over(text: &str, quote: &str, answer: &str, before: &[&str]) -> Option<String> {
    let own = choice::words(text);
    let said = choice::words(answer);
    let offered = own.iter().find(|word| before.iter().any(|turn| choice::words(turn).contains(*word)))?;
    let shares = own.iter().any(|word| said.contains(word));
    // "After. Otherwise my students skip it": a short first clause answers.
    let first = answer.trim_start().split(['.', ',', ';', '!', '?', '，', '。', '；', '\n']).next().unwrap_or_default();
    let length = if has_unspaced_script(quote) { first.chars().count() / 2 } else { first.split_whitespace().count() };
    // "Is that so?" asks back.
    let asks_back = answer.trim_start()[first.len()..].starts_with(['?', '？']) && length <= MAX_SHORT_ANSWER;
    let is_passed = asks_back || opens(answer, DEFERRAL) || length > MAX_SHORT_ANSWER && !opens(answer, ACCEPTANCE);
    (!shares && is_passed).then(|| offered.clone())
}

/// Whether a text says as a fact what the clause that it is taken from says may be.
pub(super) fn states_possibility(statement: &Statement<'_>, text: &str, quote: &str) -> bool {
    let says = |text: &str, words: WordList, phrases: PhraseList| {
        let low = text.to_lowercase();
        crate::text::words(&low).any(|w| words.contains(&w.text)) || phrases.iter().any(|phrase| text.contains(phrase))
    };
    let shares = |clause: &&str| {
        let clause = Statement::of(clause);
        clause.content().filter(|t| statement.content().any(|own| own.key == t.key)).count()
    };
    let source = super::clauses(quote).max_by_key(shares).filter(|clause| shares(clause) > 0);
    // "You may call me Sam" and "could you" ask for something.
    let may_be = |clause: &str| {
        let words: Vec<&str> = clause.split(' ').collect();
        let modal = words.iter().position(|word| matches!(*word, "may" | "could"));
        modal.is_some_and(|at| {
            let before = at.checked_sub(1).map_or("", |at| words[at]).to_lowercase();
            let next = words.get(at + 1).map_or("", |next| *next);
            !matches!(before.as_str(), "" | "you" | "if" | "that" | "how")
                && !super::scope::is_month(&before, words.get(at + 1).copied().unwrap_or_default())
                && !matches!(next, "you" | "not" | "never" | "see" | "only")
        })
    };
    source.is_some_and(|clause| says(clause, HEDGES, HAN_HEDGES) || may_be(clause))
        && !says(text, KEPT_HEDGES, HAN_KEPT_HEDGES)
}

/// Last characters of a short Chinese question: 是吗.
const HAN_ASKING_ENDS: [char; 2] = ['吗', '么'];

/// Whether a turn agrees to what was said before it.
pub fn agrees(turn: &str) -> bool {
    opens(turn, ACCEPTANCE.sections().next().unwrap_or(ACCEPTANCE)) && !opens(turn, DEFERRAL)
}

/// Whether a turn begins with a word of a list, which is no question.
fn opens(turn: &str, list: PhraseList) -> bool {
    let low = turn.trim_start().to_lowercase().replace('\u{2019}', "'");
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'');
    let asks = |rest: &str| rest.starts_with(['?', '？']) || rest.starts_with(HAN_ASKING_ENDS);
    let starts = |word: &str| {
        low.strip_prefix(word).is_some_and(|rest| !word.is_empty() && (!word.is_ascii() || is_end(rest)) && !asks(rest))
    };
    list.iter().any(starts)
}

/// The word with which the assistant supposes something of the user, or offers it, if the user's next turn does not
/// agree: "It seems that you prefer Go." "Back to the test." `turn`: the whole turn of the assistant.
pub(super) fn unconfirmed(text: &str, quote: &str, turn: &str, reply: Option<&str>) -> Option<String> {
    let plain = spaced_words(text);
    let is_of_user = text.contains("用户") || plain.contains(" user ") || plain.contains(" user's ");
    let sentences = turn.split_inclusive(['.', '!', '?', '\n', '。', '！', '？']);
    let start = quote.split(['.', '!', '?', '\n', '。', '！', '？']).next().unwrap_or(quote);
    let sentence = sentences.into_iter().find(|sentence| sentence.contains(start)).unwrap_or(quote);
    let spaced = spaced_words(sentence);
    let has =
        |word: &&str| if word.is_ascii() { spaced.contains(&format!(" {word} ")) } else { sentence.contains(*word) };
    let offered = SUPPOSING.iter().filter(|word| !word.is_empty()).find(has);
    let is_agreed = reply.is_some_and(|reply| {
        let own = choice::words(text);
        let shares = choice::words(reply).iter().any(|word| own.contains(word));
        let is_statement = !reply.trim_end().ends_with(['?', '？']);
        agrees(reply) || shares && is_statement && !Statement::of(reply).is_negated()
    });
    // What the assistant says of itself is nothing of the user: it plays a part.
    if is_of_user && offered.is_none() && (sentence.contains('我') || spaced.contains(" i ")) {
        return Some(quote.to_owned());
    }
    if is_agreed { None } else { offered.map(str::to_owned).or_else(|| is_of_user.then(|| quote.to_owned())) }
}

/// So many words of an answer may take up what was said before without a word for it.
const MAX_SHORT_ANSWER: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_say_and_what_is_not_meant_is_not_stated() {
        let check = |text: &str, quote: &str, expected: Option<&str>| {
            assert_eq!(unstated(text, quote, quote).as_deref(), expected, "{text} / {quote}");
        };
        check("客户接受月付", "销售说客户能接受月付", Some("销售说"));
        check("销售说客户接受月付", "销售说客户能接受月付", None);
        check("用户的妈妈不吃辣", "我妈妈说她不吃辣", None);
        check("用户喜欢先说结论", "我喜欢先说结论再讲理由", None);
        check("说明书在抽屉里", "说明书在抽屉里", None);
        check("轮胎偏磨", "车轮胎是不是偏磨了", Some("是不是"));
        check("狗会写周报", "我家狗都会写周报了哈哈哈", Some("哈哈"));
        check(
            "The API handles 500 requests",
            "according to the vendor the API can do 500 requests",
            Some("according to"),
        );
        check("The vendor claims 500 requests", "according to the vendor the API can do 500 requests", None);
        check("User sleeps 2 hours", "yeah right, I sleep 2 hours", Some("yeah right"));
        check("The battery is bad", "is my battery bad or is it the charger", Some("is"));
        check("The battery is bad", "my battery is bad", None);
    }

    #[test]
    fn an_offer_that_is_passed_over_is_not_taken() {
        let check = |text: &str, before: &str, answer: &str, is_passed: bool| {
            assert_eq!(passed_over(text, answer, answer, &[before]).is_some(), is_passed, "{text} / {answer}");
        };
        check("The monorepo uses pnpm", "I'd recommend pnpm for this monorepo.", "first tell me why it breaks", true);
        check("The monorepo uses pnpm", "I'd recommend pnpm for this monorepo.", "yes, we use it already here", false);
        check("The monorepo uses pnpm", "Which tool?", "pnpm, and only in the monorepo", false);
        check("用户空腹跑五公里", "可以试试空腹跑五公里", "再说吧，先告诉我膝盖咋回事", true);
        check("用户空腹跑五公里", "可以试试空腹跑五公里", "好的，就这么办吧", false);
    }

    #[test]
    fn an_answer_agrees_if_it_begins_so_and_asks_nothing() {
        for reply in ["yes, exactly that", "Sounds good, we'll go with that", "对，就这样", "没问题，就按你说的设"]
        {
            assert!(agrees(reply), "{reply}");
        }
        for reply in ["right? I wonder", "good question, let me check", "是吗？那怎么办", "我等会看看", "no, never"]
        {
            assert!(!agrees(reply), "{reply}");
        }
    }

    #[test]
    fn what_the_assistant_says_of_itself_is_nothing_of_the_user() {
        let quote = "我每天早上喝一杯美式";
        assert!(unconfirmed("用户每天早上喝美式", quote, quote, Some("好嘞，贵姓")).is_some());
        assert!(unconfirmed("用户每天早上喝美式", "您每天早上喝美式", "您每天早上喝美式", Some("对")).is_none());
    }

    #[test]
    fn what_the_assistant_supposes_needs_the_users_word() {
        let check = |text: &str, quote: &str, reply: Option<&str>, is_open: bool| {
            assert_eq!(unconfirmed(text, quote, quote, reply).is_some(), is_open, "{text} / {reply:?}");
        };
        let quote = "It seems that you prefer short commits";
        check("User prefers short commits", quote, Some("back to the merge, please"), true);
        check("User prefers short commits", quote, Some("yes, always did"), false);
        check("User prefers short commits", quote, Some("short commits, right"), false);
        check("User prefers short commits", quote, Some("I don't prefer short commits"), true);
        check("User prefers short commits", quote, None, true);
        check("The build failed for want of memory", "The build failed for want of memory", Some("and now?"), false);
        check("The build runs nightly", "I'd run the build nightly", Some("which runner is free"), true);
        check("用户爱吃面", "既然您爱吃面，试试这家", Some("离地铁近吗"), true);
        check("用户爱吃面", "既然您爱吃面，试试这家", Some("对，离地铁近吗"), false);
        check("构建每晚跑", "建议构建每晚跑", Some("先看日志"), true);
        check("构建失败是因为内存不够", "构建失败是因为内存不够", Some("先看日志"), false);
    }
}
