//! Words that a text has in another place than its sources: which number belongs to which thing, what is compared with
//! what, and from where to where.
//!
//! Never looks at words that only one side has.

use std::collections::HashSet;

use super::english::{base_stem, spaced_words};
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::{Statement, TokenKind};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Phrases that put what precedes them above what follows.
const COMPARISONS: PhraseList = phrase_list!("guards/grounding/comparisons.en.txt");
/// The same in Chinese: 胜过.
const HAN_COMPARISONS: PhraseList = phrase_list!("guards/grounding/comparisons.zh.txt");
/// Words with two sides that cannot change places.
const SIDES: WordList = word_list!("guards/grounding/sides.en.txt");

/// A number of a text that its sources have only beside other things, with its thing: `3 cats`.
pub fn moved_number(statement: &Statement<'_>, sources: &[&str]) -> Option<String> {
    let own = counted(statement);
    if own.is_empty() {
        return None;
    }
    let said: Vec<Vec<(String, String)>> = sources
        .iter()
        .map(|text| {
            let lines = text.lines().flat_map(|line| counted(&Statement::of(line)));
            lines.map(|(number, thing, _)| (number, thing)).collect()
        })
        .collect();
    let is_in = |said: &[(String, String)], number: &str, thing: &str| {
        said.iter().any(|(n, t)| {
            n == number && (t == thing || !t.is_ascii() && (t.starts_with(thing) || thing.starts_with(t.as_str())))
        })
    };
    own.into_iter().find_map(|(number, thing, surface)| {
        // A memory that is updated has the thing with its old number.
        let is_moved = |said: &&Vec<(String, String)>| {
            said.iter().any(|(_, other)| *other == thing) && said.iter().any(|(other, _)| *other == number)
        };
        let is_same = said.iter().any(|said| is_in(said, &number, &thing));
        (!is_same && said.iter().any(|said| is_moved(&said))).then_some(surface)
    })
}

/// A number of a text whose unit or measure word is another one than in the sources: `40 miles`.
pub(super) fn changed_unit(statement: &Statement<'_>, sources: &[&str], units: PhraseList) -> Option<String> {
    let is_unit = |one: &str, thing: &str| one == thing || !one.is_ascii() && thing.starts_with(one);
    let group = |thing: &str| {
        let found = units.iter().position(|unit| unit.split('|').any(|one| is_unit(one, thing)));
        found.map(|n| format!("unit {n}"))
    };
    let measure = |thing: &str| thing.chars().next().filter(|c| MEASURES.contains(*c)).map(|c| c.to_string());
    let unit_of = |thing: &str| group(thing).or_else(|| measure(thing));
    let said: Vec<(String, String)> = sources
        .iter()
        .flat_map(|text| text.lines())
        .flat_map(|line| counted(&Statement::of(line)).into_iter().map(|(number, thing, _)| (number, thing)))
        .collect();
    counted(statement).into_iter().find_map(|(number, thing, surface)| {
        let own = unit_of(&thing)?;
        let others: Vec<String> =
            said.iter().filter(|(n, _)| *n == number).filter_map(|(_, thing)| unit_of(thing)).collect();
        (!others.is_empty() && !others.contains(&own)).then_some(surface)
    })
}

/// Measure words of which one does not stand for another one.
const MEASURES: &str = "箱卷盒瓶袋包盘斤吨克升米辆台只头匹次周天年岁页层间杯套";

/// Each number with the word that follows it, in Chinese the measure word: keys, and both as written.
pub(super) fn counted(statement: &Statement<'_>) -> Vec<(String, String, String)> {
    let tokens = &statement.tokens;
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        if token.kind != TokenKind::Number || !token.key.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let next = tokens[i + 1..].iter().take(2).find(|t| t.kind != TokenKind::Filler);
        let Some(thing) = next.filter(|t| t.kind != TokenKind::Negation && t.kind != TokenKind::Date) else { continue };
        // A measure word says little; the thing follows it: 三只猫.
        let rest = tokens[i + 1..].iter().skip_while(|t| !std::ptr::eq(*t, thing)).take(3);
        let unit = || rest.clone().filter(|t| t.is_han).map(|t| t.surface).collect::<String>();
        let key = match thing.is_han {
            true if unit_name(&unit()).is_some() => unit_name(&unit()).unwrap_or_default().to_owned(),
            true => rest.filter(|t| t.is_han && t.kind == TokenKind::Word).map(|t| t.surface).collect(),
            false => thing.key.clone(),
        };
        found.push((token.key.clone(), key, format!("{} {}", token.surface, thing.surface)));
    }
    found
}

/// The word with which a text says that something holds more or less often, or of more or fewer, than its source says.
/// `sections`: words for none, few, most and all, in this order.
pub(super) fn changed_frequency(text: &str, said: &str, english: PhraseList, han: PhraseList) -> Option<String> {
    let is_han = has_unspaced_script(text);
    let list = if is_han { han } else { english };
    let spaced = |text: &str| if is_han { text.to_owned() } else { spaced_words(text) };
    let (own, source) = (spaced(text), spaced(said));
    let first = |text: &str, section: PhraseList| {
        section.iter().find(|word| if is_han { text.contains(word) } else { text.contains(&format!(" {word} ")) })
    };
    let sections: Vec<PhraseList> = list.sections().collect();
    let mut words: Vec<(usize, &str)> =
        sections.iter().enumerate().flat_map(|(rank, section)| section.iter().map(move |word| (rank, word))).collect();
    words.sort_by_key(|(_, word)| std::cmp::Reverse(word.len()));
    // "Every now and then" says nothing of every one.
    let ranks = |text: &str| -> Vec<usize> {
        let (mut rest, mut found) = (text.to_owned(), Vec::new());
        for (rank, word) in words.iter().filter(|(_, word)| !word.is_empty()) {
            let spaced = if is_han { (*word).to_owned() } else { format!(" {word} ") };
            if rest.contains(&spaced) {
                found.push(*rank);
                rest = rest.replace(&spaced, " | ");
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    };
    let (own_ranks, source_ranks) = (ranks(&own), ranks(&source));
    // 从来都是往前修，不回滚 is 从不回滚.
    if is_han && own.contains("从不") && source.contains("从来") && source.contains(['不', '没']) {
        return None;
    }
    match (own_ranks.as_slice(), source_ranks.as_slice()) {
        (&[own_rank], &[rank, ..]) if !source_ranks.contains(&own_rank) && rank != own_rank => {
            first(&own, sections[own_rank]).map(str::to_owned)
        }
        _ => None,
    }
}

/// The word with which a text says that something holds more strongly than its sources say: "very" for "a bit".
/// `sections`: weak words, strong words.
pub(super) fn raised_degree(text: &str, sources: &[&str], english: PhraseList, han: PhraseList) -> Option<String> {
    let is_han = has_unspaced_script(text);
    let list = if is_han { han } else { english };
    let plain = |text: &str| if is_han { text.to_owned() } else { spaced_words(text) };
    let (own, said) = (plain(text), sources.iter().map(|text| plain(text)).collect::<String>());
    let has = |text: &str, word: &str| if is_han { text.contains(word) } else { text.contains(&format!(" {word} ")) };
    let strong = || list.sections().nth(1).into_iter().flatten();
    let added = strong().find(|word| has(&own, word) && !has(&said, word))?;
    let emphasis: &[&str] = if is_han { HAN_EMPHASIS } else { EMPHASIS };
    let is_said = strong().chain(emphasis.iter().copied()).any(|word| has(&said, word));
    let is_weak = || list.sections().next().into_iter().flatten().any(|word| has(&said, word));
    (!is_said || is_weak()).then(|| added.to_owned())
}

/// Other words with which people say that something holds strongly.
const EMPHASIS: &[&str] =
    &["so", "such", "quite", "pretty", "damn", "bloody", "crazy", "insanely", "way", "much", "always", "all"];
const HAN_EMPHASIS: &[&str] =
    &["很", "太", "超", "贼", "巨", "极", "真", "好", "死", "要命", "得不行", "老是", "都", "最"];

/// The word with which a text says of all things what its source says of some of them: "two of our five vans", 三个仓里有一个.
pub(super) fn part_as_whole(text: &str, said: &str) -> Option<String> {
    if has_unspaced_script(text) {
        let counts_part = |said: &str, (at, _): (usize, &str)| {
            let rest = said[at..].chars().take(8).collect::<String>();
            rest.contains('有')
                && rest.contains(|c: char| "一二两三四五六七八九几半部".contains(c) || c.is_ascii_digit())
        };
        let of_part = |said: &&str| {
            ["里", "中", "当中"].iter().any(|word| said.match_indices(word).any(|m| counts_part(said, m)))
        };
        let said = super::clauses(said).find(of_part)?;
        return WHOLE_HAN
            .iter()
            .find(|word| text.contains(**word) && !said.contains(**word))
            .map(|word| (*word).to_owned());
    }
    let (own, spaced) = (spaced_words(text), spaced_words(said));
    let words: Vec<&str> = spaced.trim().split(' ').collect();
    let is_group = |word: &str| matches!(word, "the" | "our" | "my" | "their" | "these" | "those" | "his" | "her");
    let counts_part = |three: &[&str]| three[1] == "of" && is_group(three[2]) && PARTS.contains(three[0]);
    let is_part = words.windows(3).any(counts_part);
    let has = |text: &str, word: &str| text.contains(&format!(" {word} "));
    let whole = WHOLE.iter().find(|word| has(&own, word) && !has(&spaced, word))?;
    is_part.then(|| (*whole).to_owned())
}

/// `more` or `less`, if a text compares the same things in the same order and only this word is another one.
pub(super) fn turned_degree(text: &str, said: &str) -> Option<String> {
    let own = spaced_words(text);
    let after = |text: &str, degree: &str| {
        let rest = text.split_once(&format!(" {degree} "))?.1.to_owned();
        let (quality, object) = rest.split_once(" than ")?;
        Some((quality.to_owned(), object.trim().split(' ').next_back()?.to_owned()))
    };
    [("more", "less"), ("less", "more")].into_iter().find_map(|(stated, other)| {
        let own = after(&own, stated)?;
        let is_turned = super::clauses(said).any(|clause| {
            let spaced = spaced_words(clause);
            after(&spaced, other).is_some_and(|said| said.0 == own.0 && spaced.contains(&format!(" {} ", own.1)))
                && spaced.split_once(" than ").is_some_and(|(_, rest)| rest.contains(own.1.as_str()))
        });
        (is_turned && !spaced_words(said).contains(&format!(" {stated} {} ", own.0))).then(|| stated.to_owned())
    })
}

/// Words for all of some things.
const WHOLE: [&str; 5] = ["all", "every", "each", "both", "none"];
const WHOLE_HAN: [&str; 5] = ["都", "全部", "所有", "每个", "全"];
/// Words for some of them.
const PARTS: WordList = word_list!("guards/grounding/parts.en.txt");

/// The first spelling of the unit that a Chinese text starts with: 欧元 for 欧了.
fn unit_name(text: &str) -> Option<&'static str> {
    let starts = |unit: &&str| unit.split('|').any(|one| !one.is_ascii() && text.starts_with(one));
    super::UNITS.iter().find(starts).and_then(|unit| unit.split('|').find(|one| !one.is_ascii()))
}

/// Whether the sides of a comparison or of a way are exchanged: "before", "than", "from … to".
pub fn has_sides_exchanged<'a>(text: &str, clauses: impl Iterator<Item = &'a str>) -> bool {
    let own: Vec<(&'static str, [HashSet<String>; 2])> = sides(text);
    if own.is_empty() {
        return false;
    }
    let (mut swapped, mut same) = (false, false);
    for clause in clauses {
        for (word, said) in sides(clause) {
            for (_, own) in own.iter().filter(|(own_word, _)| *own_word == word) {
                let crosses = !own[0].is_disjoint(&said[1]) && !own[1].is_disjoint(&said[0]);
                let ([own_left, own_right], [left, right]) = (without_common(own), without_common(&said));
                let agrees = !own_right.is_disjoint(&right) || !own_left.is_disjoint(&left);
                swapped |= crosses && own_right.is_disjoint(&right);
                same |= agrees && !crosses;
            }
        }
    }
    swapped && !same
}

/// Whether a text puts one thing above another one and its source says of the lower one that it is more so: "reading is
/// harder" beside "essays are harder than reading".
pub(super) fn has_lower_side_raised(text: &str, said: &str) -> bool {
    let parts = || said.split([',', ';', '.', '\n']);
    let Some((_, both)) = sides(text).into_iter().find(|(kind, _)| *kind == "than") else { return false };
    let [higher, lower] = without_common(&both);
    let meets = |side: &HashSet<&String>, said: &HashSet<String>| said.iter().any(|key| side.contains(key));
    let own_low = spaced_words(text);
    let own_degrees: Vec<&str> = own_low.trim().split(' ').filter(|w| w.len() > 4 && w.ends_with("er")).collect();
    let said_low = spaced_words(said);
    let is_opposite = |a: &str, b: &str| {
        super::super::possible_contradiction::are_antonyms(&comparative_base(a), &comparative_base(b))
    };
    let is_measure = |key: &str| {
        key.starts_with(|c: char| c.is_ascii_digit())
            || super::UNITS
                .iter()
                .any(|unit| unit.split('|').any(|one| one == key || one.strip_suffix('s') == Some(key)))
    };
    parts().any(|part| {
        let spaced = spaced_words(part);
        let words: Vec<&str> = spaced.trim().split(' ').collect();
        let is_comparative = |w: &str| w.len() > 4 && (w.ends_with("er") || w.ends_with("ier"));
        // "Slower by ten minutes" is as good as "takes ten minutes longer", and says nothing of "faster".
        let is_other = |w: &str| {
            is_comparative(w)
                && own_degrees.iter().all(|own| !said_low.contains(&format!(" {own} ")) && !is_opposite(own, w))
                && !own_degrees.is_empty()
        };
        let is_more = |w: &&str| *w == "more" || is_comparative(w) && text.contains(*w) || is_other(w);
        let Some(at) = words.iter().position(is_more).filter(|_| !words.contains(&"than")) else { return false };
        let side: HashSet<String> = Statement::of(&words[..at].join(" ")).content().map(|t| t.key.clone()).collect();
        let side = side.into_iter().filter(|key| !is_measure(key)).collect();
        meets(&lower, &side) && !meets(&higher, &side)
    })
}

/// The stem of the adjective of a comparative: cheaper, larger, heavier, bigger.
fn comparative_base(word: &str) -> String {
    let Some(base) = word.strip_suffix("er") else { return base_stem(if word == "worse" { "bad" } else { word }) };
    if word == "better" {
        return base_stem("good");
    }
    if let Some(base) = base.strip_suffix('i') {
        return base_stem(&format!("{base}y"));
    }
    let doubled = base.len() > 3 && base.as_bytes()[base.len() - 1] == base.as_bytes()[base.len() - 2];
    if doubled && !base.ends_with("ll") && !base.ends_with("ss") {
        base_stem(&base[..base.len() - 1])
    } else {
        base_stem(base)
    }
}

/// Like [`has_sides_exchanged`], between two texts that may compare in other words: "beats", "superior to", "ahead of".
pub fn has_sides_exchanged_loosely(text: &str, other: &str) -> bool {
    if has_unspaced_script(text) {
        return has_sides_exchanged(text, [other].into_iter());
    }
    let plain = |text: &str| {
        let words = spaced_words(text);
        COMPARISONS.iter().fold(words, |text, phrase| text.replace(&format!(" {phrase} "), " than "))
    };
    has_sides_exchanged(&plain(text), [plain(other).as_str()].into_iter())
}

/// The words of a list in a text, each with the words of content before and after it. "After" is read as "before" with
/// its sides exchanged, "from A to B" as "A to B".
fn sides(text: &str) -> Vec<(&'static str, [HashSet<String>; 2])> {
    if has_unspaced_script(text) {
        let way = han_way(text).map(|way| ("from", way));
        let all = way.into_iter().chain(han_comparison(text).map(|sides| ("than", sides)));
        return all.collect();
    }
    let spaced = spaced_words(text);
    let words: Vec<&str> = spaced.trim().split(' ').collect();
    let prefers = words.iter().any(|w| w.starts_with("prefer"));
    let keys = |words: &[&str]| {
        // "The user" is a side like any other.
        let is_user = |word: &str| matches!(word, "user" | "me" | "i" | "myself");
        let text = words.iter().map(|w| if is_user(w) { "speaker" } else { *w }).collect::<Vec<_>>().join(" ");
        Statement::of(&text).content().map(|t| t.key.clone()).collect::<HashSet<String>>()
    };
    let mut found = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let (before, after) = (&words[..i], &words[i + 1..]);
        let kind = match *word {
            "to" if prefers => Some("than"),
            "to" if before.contains(&"from") => None,
            "from" => {
                // "from A to B", "to B from A"
                let to = words.iter().position(|w| *w == "to");
                if let Some(to) = to {
                    let (from_end, to_end) = if to > i { (to, words.len()) } else { (words.len(), i) };
                    found.push(("from", [keys(&words[i + 1..from_end]), keys(&words[to + 1..to_end])]));
                }
                None
            }
            word => SIDES.value(word),
        };
        match kind {
            Some("after") => found.push(("before", [keys(after), keys(before)])),
            Some(kind) => found.push((kind, [keys(before), keys(after)])),
            None => {}
        }
    }
    found
}

/// Two sides without what both have: "reading books", "reading papers".
fn without_common([left, right]: &[HashSet<String>; 2]) -> [HashSet<&String>; 2] {
    [left.difference(right).collect(), right.difference(left).collect()]
}

/// The pairs of characters, and the Latin words, between 从 and 到, and after it.
fn han_way(text: &str) -> Option<[HashSet<String>; 2]> {
    let rest = text.split_once('从')?.1;
    let (at, end) = rest.char_indices().find(|(at, c)| *at > 0 && matches!(c, '到' | '成' | '至' | '往' | '为'))?;
    Some([han_keys(&rest[..at]), han_keys(&rest[at + end.len_utf8()..])])
}

/// What is preferred, and to what: X比Y好, 比起Y更喜欢X. Other adjectives may be exchanged for their opposites.
fn han_comparison(text: &str) -> Option<[HashSet<String>; 2]> {
    // 宁愿X也不Y, 把X放在Y之前, X胜过Y
    let (_, rather) =
        ["宁愿", "宁可", "宁肯", "情愿"].into_iter().find_map(|word| text.split_once(word)).unwrap_or_default();
    if let Some((better, worse)) = rather.split_once("也不").or_else(|| rather.split_once('不')) {
        return Some([han_side(better), han_side(worse)]);
    }
    let first = text
        .split_once('把')
        .and_then(|(_, rest)| rest.split_once('放'))
        .filter(|_| text.contains("之前") || text.contains("前面"));
    if let Some((better, worse)) = first.or_else(|| HAN_COMPARISONS.iter().find_map(|word| text.split_once(word))) {
        return Some([han_side(better), han_side(worse)]);
    }
    let adjectives =
        ["好", "喜欢", "强", "爱", "偏好", "倾向", "快", "高", "大", "多", "早", "贵", "重", "长", "合", "更", "老"];
    if !adjectives.iter().any(|word| text.contains(word)) {
        return None;
    }
    if let Some((_, rest)) = text.split_once("比起").or_else(|| text.split_once("相比")) {
        let (worse, better) = rest.split_once(['，', ',', '更']).unwrap_or((rest, ""));
        return Some([han_side(better), han_side(worse)]);
    }
    let (better, worse) = text.split_once('比')?;
    Some([han_side(better), han_side(worse)])
}

/// The keys of one side of a comparison; 我 and 用户 are one key if nothing belongs to them: 我弟弟 is another person.
fn han_side(side: &str) -> HashSet<String> {
    let mut keys = han_keys(side);
    let rest = ["用户", "我"].into_iter().find_map(|word| side.trim().strip_prefix(word));
    let is_owner = |rest: &str| rest.starts_with(|c| "弟哥姐妹爸妈父母的家朋同老儿女妻丈".contains(c));
    let compares_alone = |rest: &str| rest.chars().count() <= 4 && !is_owner(rest);
    if rest.is_some_and(compares_alone) {
        keys.insert("用户".to_owned());
    }
    keys
}

/// The Latin words and the pairs of characters of a text.
fn han_keys(text: &str) -> HashSet<String> {
    let statement = Statement::of(text);
    let latin = statement.content().filter(|t| !t.is_han).map(|t| t.surface.to_lowercase());
    let is_thing =
        |surface: &&str| !"喜欢更好爱偏合口味觉得认为想吃喝用在之前后面先放重要的了是对我来说".contains(*surface);
    let all =
        statement.tokens.iter().filter(|t| t.is_han && t.kind != TokenKind::Negation && t.surface.chars().count() == 1);
    let tokens: Vec<&str> = all.map(|t| t.surface).filter(is_thing).collect();
    // A character is a thing of its own where it stands alone: 茶.
    let single = tokens.iter().filter(|_| tokens.len() < 3).map(|c| (*c).to_owned());
    latin.chain(tokens.windows(2).map(|pair| pair.concat())).chain(single).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_with_its_thing() {
        let check = |text: &str, source: &str, expected: Option<&str>| {
            assert_eq!(moved_number(&Statement::of(text), &[source]).as_deref(), expected, "{text}");
        };
        check("User has 2 cats and 3 dogs", "I have three cats and two dogs", Some("2 cats"));
        check("User has 3 cats", "I have three cats and two dogs", None);
        check("Backups are kept for 30 weeks", "2 weeks for logs, 30 days for backups", Some("30 weeks"));
    }

    #[test]
    fn what_is_more_so_is_not_the_lower_side() {
        let check = |text: &str, said: &str, is_raised: bool| {
            assert_eq!(has_lower_side_raised(text, said), is_raised, "{text} / {said}");
        };
        check("Reading is harder than essays", "essays are harder", true);
        check("The bike takes ten minutes longer than the tram", "the tram is ten minutes slower", true);
        check("The tram takes ten minutes longer than the bike", "the tram is ten minutes slower", false);
        check("The bike is faster than the tram", "the tram is slower", false);
    }

    #[test]
    fn a_rate_within_another_phrase_is_not_that_rate() {
        let check = |text: &str, said: &str, expected: Option<&str>| {
            let found = changed_frequency(text, said, super::super::FREQUENCIES, super::super::HAN_FREQUENCIES);
            assert_eq!(found.as_deref(), expected, "{text} / {said}");
        };
        check("User bakes every weekend", "every now and then on a weekend", Some("every"));
        check("User bakes every weekend", "I bake every weekend", None);
        check("项目从不回滚", "我们从来都是往前修，不回滚", None);
    }

    #[test]
    fn sides_stay_what_they_were() {
        let check = |text: &str, source: &str| has_sides_exchanged(text, [source].into_iter());
        assert!(check("The project moved from MySQL to Postgres", "we moved from Postgres to MySQL"));
        assert!(!check("The project moved to MySQL from Postgres", "we moved from Postgres to MySQL"));
        assert!(check("Tests run before lint", "lint runs before the tests"));
        assert!(!check("Tests run after lint", "lint runs before the tests"));
        assert!(check("User prefers coffee to tea", "I'd take tea over coffee, I prefer tea to coffee"));
        assert!(!check("User prefers tea to coffee", "I prefer tea over coffee"));
    }
}
