//! Finds what the author of a quote does not state as so: what others say, what is ironic, what is asked without a
//! question mark, and what another turn suggested and the author passed over.
//!
//! Never looks at the words of a fact themselves: others do.

use super::choice;
use super::english::spaced_words;
use crate::text::phrase::has_unspaced_script;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

const IRONY: PhraseList = phrase_list!("guards/grounding/irony.txt");
const ACCEPTANCE: PhraseList = phrase_list!("guards/grounding/acceptance.txt");
const DEFERRAL: PhraseList = phrase_list!("guards/grounding/deferral.txt");
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
/// What follows them.
const SUBJECTS: WordList = word_list!("guards/grounding/opening_subjects.en.txt");

/// The word that says whose words, or what mood, a quote is in, if a text states it as a fact. `said`: the whole
/// sentences of the quote.
pub(super) fn unstated(text: &str, quote: &str, said: &str) -> Option<String> {
    ironic(quote, said).or_else(|| match has_unspaced_script(text) {
        true => han_hearsay(text, quote).or_else(|| han_question(text, quote)),
        false => hearsay(text, quote, said).or_else(|| question(quote)),
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
    let low = answer.trim_start().to_lowercase().replace('\u{2019}', "'");
    let opens = |list: PhraseList| {
        list.iter().any(|word| {
            low.strip_prefix(word)
                .is_some_and(|rest| !word.is_ascii() || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\''))
        })
    };
    let shares = own.iter().any(|word| said.contains(word));
    // "After. Otherwise my students skip it": a short first clause answers.
    let first = answer.split(['.', ',', ';', '!', '?', '，', '。', '；', '\n']).next().unwrap_or_default();
    let length = match has_unspaced_script(quote) {
        true => first.chars().count() / 2,
        false => first.split_whitespace().count(),
    };
    let is_passed = opens(DEFERRAL) || length > MAX_SHORT_ANSWER && !opens(ACCEPTANCE);
    (!shares && is_passed).then(|| offered.clone())
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
}
