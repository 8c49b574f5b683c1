//! What a Chinese text claims and its sources do not contain: names, numbers, and who does what to whom.
//!
//! Never segments a text into words: family names and the words around them are in lists. A name of another form is
//! missed; a word that looks like a name must stand in the source as well.

use super::numbers::{han_value, is_han_digit};
use crate::text::phrase::named_group;
use crate::text::statement::Statement;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Words before a person's name that introduce it: 名叫.
const NAME_MARKS: PhraseList = phrase_list!("guards/grounding/name_marks.zh.txt");
/// Words before a person's name within a sentence: 由, 经理.
const NAME_CONTEXTS: PhraseList = phrase_list!("guards/grounding/name_contexts.zh.txt");
const AGENT_MARKS: PhraseList = phrase_list!("guards/grounding/agent_marks.zh.txt");
const EQUAL_MARKS: PhraseList = phrase_list!("guards/grounding/equal_marks.zh.txt");
const CITATION_SOURCES: PhraseList = phrase_list!("guards/grounding/citation_sources.zh.txt");
const CITATION_VERBS: PhraseList = phrase_list!("guards/grounding/citation_verbs.zh.txt");
const CITATION_OPENINGS: PhraseList = phrase_list!("guards/grounding/citation_openings.zh.txt");

/// The places, languages and persons' names in a text that the sources, in lower case, do not contain.
pub(super) fn missing_names(text: &str, statement: &Statement<'_>, sources: &str) -> Vec<String> {
    let listed = ["places", "languages"].into_iter().flat_map(named_group);
    let listed = listed.filter(|name| text.contains(name)).map(str::to_owned);
    let label = statement.label.as_deref().unwrap_or_default();
    let value = text.split_once([':', '：']).map_or("", |(_, value)| value.trim());
    let by_label = NAME_MARKS.iter().any(|mark| label.contains(mark)).then_some(value);
    let after_mark = NAME_MARKS.iter().find_map(|mark| {
        let rest = text.split_once(mark)?.1.trim_start_matches(['是', '为', '：', ':', ' ']);
        Some(rest.split(|c: char| !c.is_alphanumeric() || c == '的').next().unwrap_or_default())
    });
    let is_name = |name: &&str| name.chars().all(is_unspaced) && (2..=4).contains(&name.chars().count());
    let introduced = [by_label, after_mark].into_iter().flatten().filter(is_name).map(str::to_owned);
    let within = persons(text).into_iter().filter(|&(at, _)| NAME_CONTEXTS.iter().any(|c| text[..at].ends_with(c)));
    let within = within.map(|(_, name)| name.to_owned());
    let titled = titled_names(text).filter(|name| !name.chars().next().is_some_and(|c| sources.contains(c)));
    let mut missing = Vec::new();
    for name in listed.chain(introduced).chain(within).chain(titled.map(str::to_owned)) {
        if !sources.contains(&name) && !missing.contains(&name) {
            missing.push(name);
        }
    }
    missing
}

/// A number of a text in Chinese characters that its sources have nowhere, and beside a character of which they have
/// another one: 四折 for 两折.
pub(super) fn changed_number(text: &str, sources: &str) -> Option<String> {
    let own = numerals(text).into_iter().filter(|one| one.value > 1 && !one.surface.is_ascii()).collect::<Vec<_>>();
    let said = if own.is_empty() { Vec::new() } else { numerals(sources) };
    let known = if own.is_empty() { Vec::new() } else { super::numbers::written_numbers(sources) };
    let is_beside = |a: Option<char>, b: Option<char>| a.is_some_and(is_unspaced) && a == b;
    let is_changed = |one: &Numeral<'_>| {
        !known.contains(&one.value.to_string())
            && said.iter().any(|other| is_beside(one.next, other.next) || is_beside(one.previous, other.previous))
    };
    own.iter()
        .find(|one| is_changed(one))
        .map(|one| one.surface.to_owned())
        .or_else(|| changed_half_hour(text, sources))
}

/// 半 of a time at which the sources have none, or 点 of one from which it is missing: 三点半 for 三点.
fn changed_half_hour(text: &str, sources: &str) -> Option<String> {
    let times = |text: &str, is_half: bool| -> Vec<u64> {
        let tail = |one: &Numeral<'_>| text[one.end..].strip_prefix('点').map(str::to_owned);
        let is_such = |one: &Numeral<'_>| tail(one).is_some_and(|tail| tail.starts_with('半') == is_half);
        numerals(text).iter().filter(|one| is_such(one)).map(|one| one.value).collect()
    };
    [(true, "半"), (false, "点")].into_iter().find_map(|(is_half, word)| {
        let (same, other) = (times(sources, is_half), times(sources, !is_half));
        let is_changed = |hour: &u64| other.contains(hour) && !same.contains(hour);
        times(text, is_half).iter().any(is_changed).then(|| word.to_owned())
    })
}

/// A number with the characters beside it.
struct Numeral<'a> {
    value: u64,
    surface: &'a str,
    previous: Option<char>,
    next: Option<char>,
    /// Where it ends in its text.
    end: usize,
}

fn numerals(text: &str) -> Vec<Numeral<'_>> {
    let is_digit = |c: char| is_han_digit(c) && c != '半' || c.is_ascii_digit();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = text[at..].find(is_digit).map(|n| at + n) {
        // 二十两班: the second number starts with its measure.
        let ends = |(n, c): (usize, char)| {
            let is_number = || text[start + n + c.len_utf8()..].starts_with(['百', '千', '万', '亿']);
            (!is_digit(c) || n > 0 && matches!(c, '两' | '俩') && !is_number()).then_some(start + n)
        };
        let end = text[start..].char_indices().find_map(ends).unwrap_or(text.len());
        let surface = &text[start..end];
        let (previous, next) = (text[..start].chars().next_back(), text[end..].chars().next());
        let value = surface.parse().ok().or_else(|| han_value(surface));
        found.extend(value.map(|value| Numeral { value, surface, previous, next, end }));
        at = end;
    }
    found
}

/// Family names before a title: 王老师.
pub(super) fn titled_names(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().filter_map(|(at, c)| {
        let rest = &text[at..];
        let after = &rest[c.len_utf8()..];
        let title = TITLES.iter().find(|title| after.starts_with(**title))?;
        let is_surname = named_group("surnames").iter().any(|name| rest.starts_with(name) && name.chars().count() == 1);
        let stands_alone = text[..at].chars().next_back().is_none_or(|b| !is_unspaced(b) || BEFORE_NAME.contains(b));
        (is_unspaced(c) && (is_surname || stands_alone)).then(|| &rest[..c.len_utf8() + title.len()])
    })
}

/// Characters before a name.
const BEFORE_NAME: &str = "是的由找跟和与向给请让为叫";

/// Titles behind a family name.
const TITLES: [&str; 22] = [
    "老师", "总", "经理", "医生", "大夫", "师傅", "主任", "教授", "律师", "工", "哥", "姐", "叔", "姨", "先生", "女士",
    "同学", "校长", "院长", "老板", "阿姨", "会计",
];

/// What looks like a person's name, a family name with one more character, and its byte offset.
fn persons(text: &str) -> Vec<(usize, &str)> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let is_surname = named_group("surnames").iter().any(|name| rest.starts_with(name));
        let given = rest.chars().nth(1).filter(|c| is_unspaced(*c));
        let follows = found.last().is_some_and(|(from, name)| from + name.len() > at);
        if let Some(given) = given.filter(|_| is_surname && !follows) {
            found.push((at, &rest[..c.len_utf8() + given.len_utf8()]));
        }
    }
    found
}

/// The part that a person plays in a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PersonRole {
    /// Who acts.
    Actor,
    /// Whom it concerns.
    Object,
    /// Whose relative, superior or thing something is.
    Owner,
    /// Who is the relative or superior of the owner.
    Relative,
}

/// Whether a clause of the sources has the two persons of a text in each other's role, and no clause has them as the
/// text does.
pub(super) fn has_roles_swapped<'a>(text: &str, clauses: impl Iterator<Item = &'a str>) -> bool {
    let Some([(a, as_a), (b, as_b)]) = roles(text).filter(|[(_, x), (_, y)]| x != y) else { return false };
    let (mut swapped, mut same) = (false, false);
    for [(c, as_c), (d, as_d)] in clauses.filter_map(roles) {
        let ((x, y), known) = if (a, b) == (c, d) { ((as_c, as_d), true) } else { ((as_d, as_c), (a, b) == (d, c)) };
        swapped |= known && (x, y) == (as_b, as_a);
        same |= known && (x, y) == (as_a, as_b);
    }
    swapped && !same
}

/// So many characters of a title may stand between a conjunction and a name.
const MAX_TITLE: usize = 2;

/// The two persons of a clause with their roles; `None` if there are not two, or if their order does not matter.
fn roles(clause: &str) -> Option<[(&str, PersonRole); 2]> {
    let mut persons = persons(clause);
    persons.retain(|(_, name)| clause.matches(name).count() == 1);
    let [(first, a), (second, b)] = persons[..] else { return None };
    let between = &clause[first + a.len()..second];
    // 销售小段与客服小乌: a title may stand before the second name.
    let is_list = |mark: &str| between.strip_prefix(mark).is_some_and(|title| title.chars().count() <= MAX_TITLE);
    if EQUAL_MARKS.iter().any(is_list) {
        return None;
    }
    let owns = |at: usize, name: &str| clause[at + name.len()..].starts_with('的');
    let acts = |at: usize| AGENT_MARKS.iter().any(|mark| clause[..at].ends_with(mark));
    let (as_a, as_b) = match (owns(first, a), owns(second, b)) {
        (true, false) if clause.contains('是') => (PersonRole::Owner, PersonRole::Relative),
        (false, true) if clause.contains('是') => (PersonRole::Relative, PersonRole::Owner),
        (true, false) => (PersonRole::Owner, PersonRole::Actor),
        (false, true) => (PersonRole::Actor, PersonRole::Owner),
        _ if acts(second) => (PersonRole::Object, PersonRole::Actor),
        _ => (PersonRole::Actor, PersonRole::Object),
    };
    Some([(a, as_a), (b, as_b)])
}

/// The clauses of a quote without those that only name its origin (根据文件), and without such an origin before what it
/// says (配置里写着).
pub(super) fn clauses_without_citation(quote: &str) -> Vec<&str> {
    let names_source = |text: &str| CITATION_SOURCES.iter().any(|word| text.contains(word));
    let citation_end = |clause: &str| -> Option<usize> {
        let ends = CITATION_VERBS.iter().filter_map(|verb| clause.find(verb).map(|at| (at, at + verb.len())));
        let (start, end) = ends.min()?;
        (names_source(&clause[..start]) && start <= MAX_CITATION).then_some(end)
    };
    let clauses = super::clauses(quote).filter(|clause| !clause.is_empty());
    let rests = clauses.map(|clause| citation_end(clause).map_or(clause, |end| &clause[end..]));
    rests
        .filter(|c| {
            !(CITATION_OPENINGS.iter().any(|opening| c.starts_with(opening))
                && names_source(c)
                && c.len() <= MAX_CITATION)
        })
        .collect()
}

/// The most bytes before what is repeated from an origin.
const MAX_CITATION: usize = 36;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_beside_the_same_character_is_the_same() {
        for (text, source, expected) in [
            ("今年排四折", "就排两折", Some("四")),
            ("今年排两折", "就排两折", None),
            ("小区共有十九栋楼", "小区一共九栋楼", Some("十九")),
            ("逢二逢八赶集", "逢三逢八赶集", Some("二")),
            ("六点四十和七点二十两班", "两趟，六点四十跟七点二十", None),
            ("有42名学生", "四十二个娃", None),
            ("一亿两千万行", "一亿两千万行", None),
        ] {
            assert_eq!(changed_number(text, source).as_deref(), expected, "{text} / {source}");
        }
    }

    #[test]
    fn persons_in_a_list_have_no_order() {
        let swapped = |text: &str, source: &str| has_roles_swapped(text, [source].into_iter());
        assert!(!swapped("由销售段姐与客服小乌试用", "给销售段姐和客服小乌俩人试着"));
    }
}
