//! The Chinese characters of content in a text that no source supports, and what a text changes of what its source says
//! without them: how often it holds, whether it is past or only planned, and of whom it is said.
//!
//! Never segments a text into words: frames, classes of words and function characters are in lists, and every other
//! character must occur in a source.

use crate::text::phrase::{has_unspaced_script, named_group};
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Words and characters that need no counterpart, longer ones first.
const FREE_WORDS: PhraseList = phrase_list!("guards/grounding/free.zh.txt");
/// Words of characters that are free one by one, but which need a counterpart: 后端, 每天.
const NAMED_WORDS: PhraseList = phrase_list!("guards/grounding/named.zh.txt");
/// Characters that state something of their own.
const TELLING: PhraseList = phrase_list!("guards/grounding/telling.zh.txt");
/// Groups of words that support each other.
const SUPPORT_CLASSES: PhraseList = phrase_list!("guards/grounding/support_classes.zh.txt");
/// Sections in the order of quantifiers.en.txt.
const QUANTIFIERS: PhraseList = phrase_list!("guards/grounding/quantifiers.zh.txt");
const LOST_QUANTIFIERS: PhraseList = phrase_list!("guards/grounding/lost_quantifiers.zh.txt");
const ADDED_QUANTIFIERS: PhraseList = phrase_list!("guards/grounding/added_quantifiers.zh.txt");
const PAST: PhraseList = phrase_list!("guards/grounding/past.zh.txt");
const FUTURES: PhraseList = phrase_list!("guards/grounding/futures.zh.txt");
/// Nouns for persons other than the user, at the start of a clause.
const PERSONS: PhraseList = phrase_list!("guards/grounding/persons.zh.txt");

/// The runs of Chinese characters that nothing supports. `sources` are all texts, one after the other.
pub fn unsupported_runs(text: &str, sources: &str) -> Vec<String> {
    unsupported_runs_and(text, sources, PhraseList::EMPTY)
}

/// Like [`unsupported_runs`], with words that need a counterpart, too.
pub fn unsupported_runs_and(text: &str, sources: &str, named: PhraseList) -> Vec<String> {
    if !has_unspaced_script(text) || !has_unspaced_script(sources) {
        return Vec::new();
    }
    let (mut runs, mut run) = (Vec::new(), String::new());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let step = supported_length(rest, sources, named);
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

/// Whether a run without a counterpart may be another way to say what the sources say: one character that is
/// no measure word and is not in a list of those that state something.
pub fn may_paraphrase(text: &str, run: &str) -> bool {
    let mut chars = run.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else { return false };
    let before = text.split_once(run).and_then(|(before, _)| before.chars().next_back());
    let counts = before.is_some_and(|b| b.is_ascii_digit() || "一二三四五六七八九十百千万两半几".contains(b));
    !counts
        && !starts_name(text, run)
        && !"一二三四五六七八九十百千万两".contains(c)
        && !TELLING.iter().any(|one| one == run)
}

/// Whether a run without a counterpart starts a name: a family name that is no other word before one more character, or
/// what stands before 公司 and the like.
fn starts_name(text: &str, run: &str) -> bool {
    let after = text.split_once(run).map_or("", |(_, after)| after);
    let is_surname = named_group("surnames").iter().any(|name| run.starts_with(name))
        && !run.starts_with(|c| NOT_SURNAMES.contains(c));
    let follows = run.chars().count() > 1 || after.starts_with(is_unspaced);
    let is_body = BODIES.iter().any(|body| after.starts_with(body));
    is_surname && follows || is_body
}

/// Family names that are other words, too.
const NOT_SURNAMES: &str = "高方任时成常白金马江石田万陆段向安平易温关连单包左右毛黄车夏冬东云雷雪花水华古文武史应全洪管明候贺支查路房游曲米牛";
/// Words for companies and the like behind a name.
const BODIES: [&str; 9] = ["公司", "集团", "银行", "医院", "大学", "工厂", "事务所", "超市", "出版社"];

/// Whether a run of two characters adds to what the source says, and does not stand in the place of another one.
pub fn is_addition(text: &str, run: &str, said: &str) -> bool {
    let clause = most_alike(text, said.split(['。', '！', '？', '\n', '；', '，', ',']));
    let is_free = |clause: &str| unsupported_runs(clause, text).iter().all(|other| other.chars().count() < 2);
    let counts = text.split_once(run).and_then(|(before, _)| before.chars().next_back());
    let is_unit = counts.is_some_and(|b| b.is_ascii_digit() || "一二三四五六七八九十百千万两半几".contains(b));
    run.chars().count() == 2
        && !is_unit
        && !starts_name(text, run)
        && NAMED_WORDS.iter().all(|word| word != run)
        && clause.is_some_and(is_free)
}

/// How many bytes at the start of a text are supported, or are no content.
fn supported_length(rest: &str, sources: &str, named: PhraseList) -> Option<usize> {
    let first = rest.chars().next()?;
    if !is_unspaced(first) {
        return Some(first.len_utf8());
    }
    let by_class = SUPPORT_CLASSES.iter().filter_map(|class| {
        let own = class.split('|').filter(|word| rest.starts_with(word)).max_by_key(|word| word.len())?;
        class.split('|').any(|word| sources.contains(word)).then_some(own.len())
    });
    let by_class = by_class.max();
    let named =
        NAMED_WORDS.iter().chain(named).find(|word| rest.starts_with(word)).filter(|word| !sources.contains(word));
    if named.is_some() && by_class.is_none() {
        return None;
    }
    let free = FREE_WORDS.iter().filter(|word| rest.starts_with(word)).map(str::len);
    let pair = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
    let longest = by_class.into_iter().chain(free).max().unwrap_or(0);
    let pair = Some(pair).filter(|&n| rest[..n].chars().all(is_unspaced) && sources.contains(&rest[..n]));
    // A pair overlaps with the next one, so only its first character is passed.
    let single = (pair.is_some() || sources.contains(first)).then_some(first.len_utf8());
    [Some(longest).filter(|n| *n > 0), single].into_iter().flatten().max()
}

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
    let first_of = |text: &str, section: Option<PhraseList>| section.and_then(|s| s.iter().find(|w| text.contains(w)));
    changed.extend((0..2).find_map(|n| {
        let added = first_of(text, ADDED_QUANTIFIERS.sections().nth(n))?;
        first_of(sources, QUANTIFIERS.sections().nth(n)).is_none().then(|| added.to_owned())
    }));
    changed.extend((0..5).find_map(|n| {
        let source = if n == 1 { sentence } else { clause };
        let lost = first_of(source, LOST_QUANTIFIERS.sections().nth(n))?;
        first_of(text, QUANTIFIERS.sections().nth(n + 2)).is_none().then(|| lost.to_owned())
    }));
    let supposes = ["如果", "要是", "假如", "万一", "倘若"]
        .iter()
        .find(|word| clause.trim_start().starts_with(**word) || sentence.trim_start().starts_with(**word));
    let keeps =
        |text: &str| ["如果", "要是", "假如", "万一", "若", "时", "会", "则"].iter().any(|word| text.contains(word));
    changed.extend(supposes.filter(|_| !keeps(text)).map(|word| (*word).to_owned()));
    for list in [PAST, FUTURES] {
        let lost = first_of(clause, list.sections().next());
        changed.extend(lost.filter(|_| first_of(text, list.sections().nth(1)).is_none()).map(str::to_owned));
    }
    changed.extend(other_subject(text, clause));
    let asks = sentence.trim_end().ends_with('？') || sentence.contains('吗');
    let is_request = ["能不能", "可以", "能", "请", "麻烦", "帮"].iter().any(|w| sentence.starts_with(w));
    if asks && !is_request && ["吗", "是不是", "要不要", "该不该", "会不会"].iter().any(|w| sentence.contains(w))
    {
        changed.push("吗".to_owned());
    }
    changed
}

/// The part with the most pairs of characters of a text, the first of them.
fn most_alike<'a>(text: &str, parts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
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
    let is_user = match text.strip_prefix("用户的") {
        Some(rest) => !PERSONS.iter().any(|noun| rest.starts_with(noun)),
        None => text.starts_with("用户") || !has_person(text),
    };
    let is_near = |at: usize| clause[..at].chars().count() <= MAX_BEFORE_PERSON;
    let is_subject = |noun: &&str| {
        let before = clause.find(*noun).filter(|at| is_near(*at)).map(|at| &clause[..at]);
        before.is_some_and(|before| !before.ends_with(NOT_BEFORE_SUBJECT) && !before.contains(['在', '有', '是', '把']))
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
    (is_user && !speaks && !is_title && !text.contains(noun)).then(|| noun.to_owned())
}

/// So many characters may stand before a person that a clause is about: 我上一任.
const MAX_BEFORE_PERSON: usize = 5;
/// Prepositions, after which a person is not whom the clause is about.
const NOT_BEFORE_SUBJECT: [char; 12] = ['给', '帮', '对', '向', '让', '被', '陪', '替', '为', '由', '找', '带'];

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
        check("用户在院子里养了三只羊", "我们养了三只羊", &["院"]);
        check("用户喜欢用制表符缩进", "缩进我一般用制表符", &[]);
        check("用户每天骑自行车上班", "我天天骑单车上班", &[]);
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
