//! The Chinese characters of content in a text that no source supports, and what a text changes of what its source says
//! without them: how often it holds, whether it is past or only planned, and of whom it is said.
//!
//! Never segments a text into words: frames, classes of words and function characters are in lists, and every other
//! character must occur in a source.

use super::chinese_scope;
use crate::text::chinese_words::{chinese_words, is_two_character_adjective, is_two_character_verb};
use crate::text::phrase::has_unspaced_script;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Words and characters that need no counterpart where two statements are compared, longer ones first.
const FREE_WORDS: PhraseList = phrase_list!("guards/grounding/free.zh.txt");
/// The same where a text is compared with its evidence.
const GENERIC_WORDS: PhraseList = phrase_list!("guards/grounding/generic.zh.txt");
/// Words of characters that are free one by one, but which need a counterpart: 后端, 每天.
const NAMED_WORDS: PhraseList = phrase_list!("guards/grounding/named.zh.txt");
/// A word of a text a line, with the words of its evidence that support it.
const PARAPHRASES: PhraseList = phrase_list!("guards/grounding/paraphrases.zh.txt");
/// Groups of words that support each other where two statements are compared.
const SUPPORT_CLASSES: PhraseList = phrase_list!("guards/grounding/support_classes.zh.txt");
/// Characters that state something of their own.
const TELLING: PhraseList = phrase_list!("guards/grounding/telling.zh.txt");
/// Sections in the order of quantifiers.en.txt.
const QUANTIFIERS: PhraseList = phrase_list!("guards/grounding/quantifiers.zh.txt");
const LOST_QUANTIFIERS: PhraseList = phrase_list!("guards/grounding/lost_quantifiers.zh.txt");
const ADDED_QUANTIFIERS: PhraseList = phrase_list!("guards/grounding/added_quantifiers.zh.txt");
const PAST: PhraseList = phrase_list!("guards/grounding/past.zh.txt");
const FUTURES: PhraseList = phrase_list!("guards/grounding/futures.zh.txt");
/// Words at the start of a clause that names what was before.
pub(crate) const FORMER: PhraseList = phrase_list!("guards/grounding/former.zh.txt");
/// Words that introduce a reason.
pub(super) const REASONS: PhraseList = phrase_list!("guards/grounding/reasons.zh.txt");
/// Nouns for persons other than the user, at the start of a clause.
pub(super) const PERSONS: PhraseList = phrase_list!("guards/grounding/persons.zh.txt");

/// The runs of Chinese characters of a text that its evidence does not support. `sources` are all texts, one after the
/// other.
pub fn unsupported_runs(text: &str, sources: &str) -> Vec<String> {
    let supported = |rest: &str| supported_length(rest, sources, PhraseList::EMPTY, GENERIC_WORDS, &paraphrase_length);
    runs_without(text, sources, &supported)
}

/// The runs that a statement has and another one does not, where two statements are compared; `named` are more words
/// that need a counterpart.
pub fn unsupported_runs_and(text: &str, sources: &str, named: PhraseList) -> Vec<String> {
    let supported = |rest: &str| supported_length(rest, sources, named, FREE_WORDS, &class_length);
    runs_without(text, sources, &supported)
}

/// Whether a clause of a quote that a text is taken from has words of two characters or more that the text does not
/// say.
pub(super) fn has_other_words(quote: &str, text: &str) -> bool {
    let clause = most_alike(text, quote.split(['，', ',', '；', '。']));
    clause.is_some_and(|clause| unsupported_runs(clause, text).iter().any(|run| run.chars().count() > 1))
}

/// So many characters may be parts of words that only their other characters support.
const MAX_PARTS: usize = 2;

/// Whether all runs without a counterpart are single characters of longer words that the sources have another character
/// of: 陶艺 for 做陶.
pub fn are_parts_of_supported(text: &str, runs: &[String], sources: &str) -> bool {
    let is_part = |run: &String| {
        let mut chars = run.chars();
        let (Some(c), None) = (chars.next(), chars.next()) else { return false };
        let supports = |other: char| other != c && !LIGHT_CHARS.contains(other) && sources.contains(other);
        let of_listed = || {
            let words = chinese_words(text);
            let mut nouns = words.iter().filter(|word| !word.class.is_verbal() && word.text.contains(c));
            nouns.any(|word| word.text.chars().any(supports))
        };
        !TELLING.iter().any(|one| one == run) && of_listed()
    };
    !runs.is_empty() && runs.len() <= MAX_PARTS && runs.iter().all(is_part)
}

fn runs_without(text: &str, sources: &str, supported: &dyn Fn(&str) -> Option<usize>) -> Vec<String> {
    if !has_unspaced_script(text) || !has_unspaced_script(sources) {
        return Vec::new();
    }
    let (mut runs, mut run) = (Vec::new(), String::new());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let step = supported(rest);
        match step {
            Some(length) => {
                if !run.is_empty() {
                    runs.push(std::mem::take(&mut run));
                }
                at += length;
            }
            None => {
                run.push(c);
                at += c.len_utf8();
            }
        }
    }
    if !run.is_empty() {
        runs.push(run);
    }
    runs
}

/// The words of the classes of which a text has one.
pub fn related_words(text: &str) -> impl Iterator<Item = &'static str> {
    let classes = SUPPORT_CLASSES.iter().filter(|class| class.split('|').any(|word| text.contains(word)));
    classes.flat_map(|class| class.split('|'))
}

/// How many bytes at the start of a text are supported, or are no content. `by_word`: the length of a word at the start
/// for which the sources have another one.
fn supported_length(
    rest: &str,
    sources: &str,
    named: PhraseList,
    generic: PhraseList,
    by_word: &dyn Fn(&str, &str) -> Option<usize>,
) -> Option<usize> {
    let first = rest.chars().next()?;
    if !is_unspaced(first) {
        return Some(first.len_utf8());
    }
    let by_class = by_word(rest, sources);
    let named =
        NAMED_WORDS.iter().chain(named).find(|word| rest.starts_with(word)).filter(|word| !sources.contains(word));
    if named.is_some() && by_class.is_none() {
        return None;
    }
    let free = generic.iter().filter(|word| rest.starts_with(word)).map(str::len);
    let pair = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
    let longest = by_class.into_iter().chain(free).max().unwrap_or(0);
    let pair = Some(pair).filter(|&n| rest[..n].chars().all(is_unspaced) && sources.contains(&rest[..n]));
    // A pair overlaps with the next one, so only its first character is passed.
    let single = (pair.is_some() || sources.contains(first)).then_some(first.len_utf8());
    [Some(longest).filter(|n| *n > 0), single].into_iter().flatten().max()
}

fn class_length(rest: &str, sources: &str) -> Option<usize> {
    let of_class = |class: &str| {
        let own = class.split('|').filter(|word| rest.starts_with(word)).max_by_key(|word| word.len())?;
        class.split('|').any(|word| sources.contains(word)).then_some(own.len())
    };
    SUPPORT_CLASSES.iter().filter_map(of_class).max()
}

fn paraphrase_length(rest: &str, sources: &str) -> Option<usize> {
    let first = rest.chars().next().map_or("", |c| &rest[..c.len_utf8()]);
    let of_line = |line: &str| {
        // Most lines start with another character.
        if !line.starts_with(first) {
            return None;
        }
        let own = line.split('|').next().filter(|word| rest.starts_with(word))?;
        line.split('|').any(|word| sources.contains(word)).then_some(own.len())
    };
    PARAPHRASES.iter().filter_map(of_line).chain(verb_length(rest, sources)).max()
}

/// The length of a verb or adjective of two characters at the start of a text of which a source has one as a word of
/// its own: 练习 is what 练 says, 昂贵 is 贵.
fn verb_length(rest: &str, sources: &str) -> Option<usize> {
    let end = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
    let verb = &rest[..end];
    let is_supported = |c: char| !LIGHT_CHARS.contains(c) && stands_alone(c, sources);
    // The second character of an adjective says the most: 昂贵, 寒冷.
    let is_adjective = || is_two_character_adjective(verb) && verb.chars().next_back().is_some_and(is_supported);
    (is_two_character_verb(verb) && verb.chars().any(is_supported) || is_adjective()).then_some(end)
}

/// Whether a character stands in a text outside of every verb of two characters.
fn stands_alone(c: char, text: &str) -> bool {
    text.match_indices(c).any(|(at, _)| {
        let end = at + c.len_utf8();
        let before = text[..at].chars().next_back().map_or(at, |b| at - b.len_utf8());
        let after = text[end..].chars().next().map_or(end, |a| end + a.len_utf8());
        !is_two_character_verb(&text[before..end]) && !is_two_character_verb(&text[at..after])
    })
}

/// Characters that say little of their own in a verb.
const LIGHT_CHARS: &str = "打发生成行作为得过起动定出上下来去到有是做开会对立合分公入离进关加减升降不没无未非反前后内外自相以可能应当想要给让使所与同在于心手头口眼面身家人事日年时";

/// What a text changes: the word that is missing or added.
///
/// `said`: the sentences that the quote is from; `sources`: all texts, one after the other.
pub fn changed_scope(text: &str, said: &str, sources: &str) -> Vec<String> {
    if !has_unspaced_script(text) || !has_unspaced_script(said) {
        return Vec::new();
    }
    let sentence = most_alike(text, said.split(['。', '！', '\n', '；']).flat_map(|s| s.split_inclusive('？')));
    let clause = most_alike(text, sentence.into_iter().flat_map(|s| s.split(['，', ',', '；'])));
    let (Some(sentence), Some(clause)) = (sentence, clause) else { return Vec::new() };
    let mut changed: Vec<String> = Vec::new();
    changed.extend(added_quantifier(text, sources));
    changed.extend(lost_quantifier(text, sentence, clause));
    changed.extend(chinese_scope::lost_condition(text, sentence, clause));
    for list in [PAST, FUTURES] {
        let lost = first_of(clause, list.sections().next());
        changed.extend(lost.filter(|_| first_of(text, list.sections().nth(1)).is_none()).map(str::to_owned));
    }
    // 老二 of 用户家的老二只肯喝粥 stands before 她只肯喝粥.
    let is_pronoun_for = |who: &str, part: &str, clause: &str| {
        let before = sources.split_once(&clause.to_lowercase()).map_or("", |(before, _)| before);
        let chars: Vec<char> = part.trim_start_matches("用户").chars().collect();
        let named = |pair: &[char]| {
            let pair: String = pair.iter().collect();
            pair.chars().all(is_unspaced) && before.contains(&pair) && !clause.contains(&pair)
        };
        matches!(who, "他" | "她") && chars.windows(2).any(named)
    };
    let of_part = |part: &str| -> Option<String> {
        let clause = most_alike(part, said.split(['。', '！', '？', '\n', '；', '，', ',']))?;
        other_subject(part, clause).filter(|who| !is_pronoun_for(who, part, clause)).or_else(|| users_own(part, clause))
    };
    let parts: Vec<&str> = text.split(['，', '；', '。']).filter(|part| !part.is_empty()).collect();
    changed.extend(match parts.len() {
        1 => other_subject(text, clause).filter(|who| !is_pronoun_for(who, text, clause)),
        _ => parts.into_iter().find_map(of_part),
    });
    changed.extend(made_up_reason(text, sources));
    changed.extend(done_plan(text, clause));
    changed.extend(chinese_scope::only_made_all(text, clause));
    changed.extend(chinese_scope::two_sided_condition(text, said));
    changed.extend(chinese_scope::owner_before(text, said));
    changed.extend(hearsay(text, sentence));
    changed.extend(former_value(text, said));
    if is_asked(sentence, clause) {
        changed.push("吗".to_owned());
    }
    changed
}

/// The first word of a section of a list that a text contains.
fn first_of(text: &str, section: Option<PhraseList>) -> Option<&'static str> {
    section.and_then(|section| section.iter().find(|word| text.contains(word)))
}

/// The quantifier that a text has and no source.
fn added_quantifier(text: &str, sources: &str) -> Option<String> {
    (0..2).find_map(|n| {
        let added = first_of(text, ADDED_QUANTIFIERS.sections().nth(n))?;
        // 从来都是往前修，不回滚
        if added.starts_with('从') && sources.contains("从来") && sources.contains(['不', '没']) {
            return None;
        }
        // 写得正式 says nothing of all.
        let is_said = |word: &str| if word == "得" { chinese_scope::must(sources) } else { sources.contains(word) };
        let said = QUANTIFIERS.sections().nth(n).and_then(|section| section.iter().find(|word| is_said(word)));
        said.is_none().then(|| added.to_owned())
    })
}

/// The quantifier of a clause or its sentence that a text has not.
fn lost_quantifier(text: &str, sentence: &str, clause: &str) -> Option<String> {
    (0..5).find_map(|n| {
        // 只有周末才去 limits the clause behind it, too; 只有网页版能导 is a statement of its own.
        let source = if n == 1 && sentence.contains('才') { sentence } else { clause };
        let lost = first_of(source, LOST_QUANTIFIERS.sections().nth(n))
            .filter(|word| !(counts_few(source, word) || n == 2 && lasts_still(source, word)))?;
        first_of(text, QUANTIFIERS.sections().nth(n + 2)).is_none().then(|| lost.to_owned())
    })
}

/// Whether a sentence asks about what its clause says, and is no request.
fn is_asked(sentence: &str, clause: &str) -> bool {
    // 我平时修表玩，这个还能修吗 asks about something else; 能回款，你信吗 does not.
    let last = sentence.trim_end().trim_end_matches(['？', '?']).rsplit(['，', ',']).next().unwrap_or_default().trim();
    let asks_all = TAG_QUESTIONS.iter().any(|tag| last.ends_with(tag)) && last.chars().count() <= MAX_TAG_QUESTION
        || clause.contains(last);
    // 每天去游泳，膝盖行吗，外加深蹲 asks about the knee.
    let asks_here = clause.contains('吗') || last.contains('吗') || sentence.trim_end().ends_with('？');
    let asks = (sentence.trim_end().ends_with('？') || sentence.contains('吗')) && asks_all && asks_here;
    let is_request = ["能不能", "可以", "能", "请", "麻烦", "帮"].iter().any(|w| sentence.starts_with(w));
    asks && !is_request && ["吗", "是不是", "要不要", "该不该", "会不会"].iter().any(|w| sentence.contains(w))
}

/// Ends of a question about what was said before it; 能开票吗 asks about something else.
const TAG_QUESTIONS: PhraseList = phrase_list!("guards/grounding/tag_questions.zh.txt");
/// So many characters has a question about what was said before it: 你信吗.
const MAX_TAG_QUESTION: usize = 4;

/// The word of the past before something that a text states as it is now: 原来是邓凯.
fn former_value(text: &str, said: &str) -> Option<String> {
    let clauses = || said.split(['。', '！', '？', '\n', '；', '，', ',']).map(str::trim);
    if PAST.sections().nth(1).is_some_and(|s| s.iter().any(|word| text.contains(word))) {
        return None;
    }
    clauses().find_map(|clause| {
        let word = FORMER.iter().find(|word| clause.starts_with(word))?;
        let value = clause[word.len()..].strip_prefix(['是', '叫', '在', '用'])?;
        let is_only_here = clauses().filter(|other| other.contains(value)).count() == 1;
        (value.chars().count() > 1 && text.contains(value) && is_only_here).then(|| (*word).to_owned())
    })
}

/// The word for a plan of which a text says that it was done: 要改成, 改成了.
fn done_plan(text: &str, clause: &str) -> Option<String> {
    ["要", "将", "准备", "打算"].into_iter().find_map(|plan| {
        let is_done = |(at, _): (usize, &str)| {
            let verb: String = clause[at + plan.len()..].chars().take(2).collect();
            verb.chars().count() == 2 && text.contains(&format!("{verb}了")) && !clause.contains(&format!("{verb}了"))
        };
        (!text.contains(plan) && clause.match_indices(plan).any(is_done)).then(|| plan.to_owned())
    })
}

/// 听 of 听同事说, if a text states as a fact what others said.
fn hearsay(text: &str, sentence: &str) -> Option<String> {
    let (_, rest) = sentence.split_once('听')?;
    let who = rest.find('说').filter(|at| rest[..*at].chars().count() <= 6)?;
    let is_heard = !rest[..who].contains(['，', ',']) && !text.contains(['听', '据', '说']);
    is_heard.then(|| "听".to_owned())
}

/// Whether a clause says that what holds at present goes on: 眼下还是记在本子上.
fn lasts_still(source: &str, word: &str) -> bool {
    matches!(word, "眼下") && ["还是", "仍", "还在", "依然", "依旧"].iter().any(|still| source.contains(still))
}

/// Whether a word only says of a number that it is small: 只有十二套.
fn counts_few(source: &str, word: &str) -> bool {
    let after = source.split_once(word).map_or("", |(_, after)| after.trim_start());
    word == "只有" && after.starts_with(|c: char| c.is_ascii_digit() || "一二两三四五六七八九十百千".contains(c))
}

/// The part with the most pairs of characters of a text, the first of them.
pub(super) fn most_alike<'a>(text: &str, parts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let text: Vec<char> = text.chars().collect();
    let shared = |part: &str| {
        let pairs = text.windows(2).filter(|pair| part.contains(&pair.iter().collect::<String>())).count();
        pairs * 2 + text.iter().filter(|c| is_unspaced(**c) && part.contains(**c)).count()
    };
    let mut best: Option<(usize, &str)> = None;
    for part in parts {
        let count = shared(part);
        if count > best.map_or(0, |(most, _)| most) {
            best = Some((count, part));
        }
    }
    best.map(|(_, part)| part)
}

/// The person of whom the source says something that the text says of the user: 我弟弟喜欢 is no 用户喜欢.
fn other_subject(text: &str, clause: &str) -> Option<String> {
    // 她哥: a relative of another person.
    let of_other = ["他", "她", "他们", "她们"].into_iter().find(|owner| {
        let rest = clause.trim_start().strip_prefix(*owner).map(|rest| rest.trim_start_matches('的'));
        rest.is_some_and(|rest| RELATIVES.iter().any(|noun| rest.starts_with(noun)))
    });
    if let Some(owner) = of_other.filter(|_| text.starts_with("用户的")) {
        return Some(owner.to_owned());
    }
    let is_user = match text.strip_prefix("用户的") {
        Some(rest) => !PERSONS.iter().any(|noun| rest.starts_with(noun)),
        None => text.starts_with("用户") || !has_person(text),
    };
    let is_near = |at: usize| clause[..at].chars().count() <= MAX_BEFORE_PERSON;
    let is_subject = |noun: &&str| {
        let before = clause.find(*noun).filter(|at| is_near(*at)).map(|at| &clause[..at]);
        before.is_some_and(|before| {
            !NOT_BEFORE_SUBJECT.iter().any(|word| before.ends_with(word)) && !before.contains(['在', '有', '是', '把'])
        })
    };
    let noun = PERSONS
        .iter()
        .find(is_subject)
        .or_else(|| ["他", "她"].into_iter().find(|p| clause.trim_start().starts_with(p)))?;
    let (before, rest) = clause.split_once(noun)?;
    let speaks = rest.contains('我') || rest.starts_with(['和', '跟']) || before.contains(['和', '跟', '与']);
    // 客户北光公司: the noun stands before a name that the text keeps.
    let next: String = rest.chars().take(2).collect();
    let is_title = next.chars().count() == 2 && text.starts_with(&next);
    // What a teacher requires holds for the user.
    let requires = matches!(next.as_str(), "要求" | "规定");
    (is_user && !speaks && !is_title && !requires && !text.contains(noun)).then(|| noun.to_owned())
}

/// The word that introduces a reason of which no pair of characters stands in the sources.
fn made_up_reason(text: &str, sources: &str) -> Option<String> {
    let marker = REASONS.iter().find(|marker| text.contains(marker))?;
    let (before, after) = text.split_once(marker)?;
    // A reason stands before or after what follows from it.
    let ends = ['，', '。', '；'];
    let reason = if before.is_empty() || after.contains(ends) { after.split(ends).next()? } else { after };
    let chars: Vec<char> = reason.chars().filter(|c| is_unspaced(*c)).collect();
    let is_said = chars.windows(2).any(|pair| sources.contains(&pair.iter().collect::<String>()))
        || reason.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word.len() > 1 && sources.contains(word));
    let is_cause = matches!(marker, "导致" | "所以" | "因此");
    (!is_said && !is_cause).then(|| marker.to_owned())
}

/// The person of whom a part of a text says what the user says of themselves.
fn users_own(part: &str, clause: &str) -> Option<String> {
    let rest = part.strip_prefix("用户的")?;
    let noun = PERSONS.iter().find(|noun| noun.chars().count() > 1 && rest.starts_with(noun))?;
    let own =
        clause.trim_start().strip_prefix('我').filter(|rest| !PERSONS.iter().any(|noun| rest.starts_with(noun)))?;
    (!own.contains(noun) && !own.starts_with(['的', '们', '家'])).then(|| noun.to_owned())
}

/// First characters of nouns for relatives.
const RELATIVES: PhraseList = phrase_list!("guards/grounding/relative_starts.zh.txt");

/// So many characters may stand before a person that a clause is about: 我上一任.
const MAX_BEFORE_PERSON: usize = 5;
/// Prepositions, after which a person is not whom the clause is about.
const NOT_BEFORE_SUBJECT: PhraseList = phrase_list!("guards/grounding/before_object.zh.txt");

/// The persons that a text names.
pub fn persons(text: &str) -> impl Iterator<Item = &'static str> {
    PERSONS.iter().filter(|noun| noun.chars().count() > 1 && text.contains(*noun))
}

/// Whether a text starts with a noun for a person: 母亲.
pub fn starts_with_person(text: &str) -> bool {
    PERSONS.iter().any(|noun| noun.chars().count() > 1 && text.starts_with(noun))
}

fn has_person(text: &str) -> bool {
    PERSONS.iter().any(|noun| text.contains(noun))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_content_need_a_counterpart() {
        let check = |text: &str, source: &str, expected: &[&str]| {
            assert_eq!(unsupported_runs(text, source), expected, "{text} / {source}");
        };
        check("用户在院子里养了三只羊", "我们养了三只羊", &["院子"]);
        check("用户喜欢用制表符缩进", "缩进我一般用制表符", &[]);
        check("用户每天骑自行车上班", "我天天骑单车上班", &[]);
        check("新货架昂贵", "新货架贵", &[]);
        check("新货架昂贵", "新货架便宜", &["昂贵"]);
    }

    #[test]
    fn scope_and_subject_stay_what_they_were() {
        let check = |text: &str, source: &str, expected: &[&str]| {
            assert_eq!(changed_scope(text, source, source), expected, "{text} / {source}");
        };
        check("用户喜欢辣的", "我弟弟喜欢辣的", &["弟弟"]);
        check("用户的弟弟喜欢辣的", "我弟弟喜欢辣的", &[]);
        check("用户在银行上班", "我以前在银行上班", &["以前"]);
        check("用户总是步行上班", "我步行上班", &["总是"]);
        check("用户在家办公", "我偶尔在家办公", &["偶尔"]);
    }
}
