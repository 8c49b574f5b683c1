//! Finds two participants of an action that changed places: "I lent Pavel my drill" does not say that Pavel lent it.
//!
//! Never parses a sentence: the words before a verb are on one side of it, those after it on the other. Passive forms
//! exchange the sides; verbs whose sides are alike (meet, marry) are in a list.

use std::collections::HashSet;

use super::english::{base_stem, is_generic_stem, spaced_words};
use crate::text::phrase::has_unspaced_script;
use crate::text::stopwords::is_stopword;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

/// Stems of verbs whose subject and object may change places.
pub(super) const SYMMETRIC: WordList = word_list!("guards/grounding/symmetric.en.txt");
const HAN_SYMMETRIC: PhraseList = phrase_list!("guards/grounding/symmetric.zh.txt");
/// Verbs of one character with an agent and a person or thing that it concerns.
const HAN_ACTIONS: PhraseList = phrase_list!("guards/grounding/actions.zh.txt");
/// Nouns for persons, each line with its short forms: 弟弟|弟.
const HAN_RELATIVES: PhraseList = phrase_list!("guards/grounding/relatives.zh.txt");
/// Words before whom an action is done to or for: 给, 向.
const HAN_RECIPIENT_MARKS: [char; 9] = ['给', '向', '对', '为', '帮', '替', '问', '比', '从'];

/// Verbs for what one person gets from another.
const HAN_TAKING: [char; 6] = ['学', '借', '买', '拿', '要', '租'];

/// How far from its verb a participant may stand, in words: longer clauses are texts without punctuation.
const MAX_WORDS_OF_SIDE: usize = 60;

/// Who or what a clause speaks of, on one side of a verb.
type Participants = HashSet<String>;

/// The sides of a verb: who acts, and whom or what it concerns.
type VerbSides = (String, [Participants; 2]);

/// Whether a clause of the sources has the participants of an action on the other side, and none on the same.
pub(super) fn has_participants_exchanged<'a>(text: &str, clauses: impl Iterator<Item = &'a str>) -> bool {
    let is_han = has_unspaced_script(text);
    let all: Vec<&str> = clauses.filter(|clause| has_unspaced_script(clause) == is_han).collect();
    let own = if is_han { han_sides(text) } else { sides(text, Some(&all), |_| true) };
    if own.is_empty() {
        return false;
    }
    let is_own = |verb: &str| own.iter().any(|(own, _)| own == verb);
    let said: Vec<VerbSides> =
        all.iter().flat_map(|clause| if is_han { han_sides(clause) } else { sides(clause, None, is_own) }).collect();
    own.iter().any(|(verb, own)| {
        let with_verb = || said.iter().filter(|(other, _)| other == verb).map(|(_, sides)| sides);
        with_verb().any(|said| are_exchanged(own, said)) && !with_verb().any(|said| are_alike(own, said))
    })
}

/// Two sides without what both have.
fn without_common([left, right]: &[Participants; 2]) -> [HashSet<&String>; 2] {
    [left.difference(right).collect(), right.difference(left).collect()]
}

fn are_exchanged(own: &[Participants; 2], said: &[Participants; 2]) -> bool {
    let ([x, y], [a, b]) = (without_common(own), without_common(said));
    // An object may stand first: 保洁阿姨我付现金.
    let acts_in_both = x.iter().any(|one| a.contains(one) && matches!(one.as_str(), "speaker" | "我"));
    !x.is_disjoint(&b) && !y.is_disjoint(&a) && (x.is_disjoint(&a) || y.is_disjoint(&b)) && !acts_in_both
}

fn are_alike(own: &[Participants; 2], said: &[Participants; 2]) -> bool {
    let ([x, y], [a, b]) = (without_common(own), without_common(said));
    (!x.is_disjoint(&a) || !y.is_disjoint(&b)) && x.is_disjoint(&b) && y.is_disjoint(&a)
}

/// The verbs of an English clause whose stems are wanted, with their sides. For a text without a subject, `sources`
/// tell whether it starts with a verb, whose subject is the user.
fn sides(clause: &str, sources: Option<&[&str]>, is_wanted: impl Fn(&str) -> bool) -> Vec<VerbSides> {
    let spaced = spaced_words(clause);
    let words: Vec<&str> = spaced.trim().split(' ').filter(|word| !word.is_empty()).collect();
    let owns = |word: &str| matches!(word, "my" | "our" | "user's" | "users'");
    let speaks = |word: &str| {
        matches!(
            word,
            "i" | "we" | "me" | "us" | "user" | "i'm" | "i've" | "we're" | "we've" | "i'd" | "i'll" | "myself"
        )
    };
    let key = |word: &str| match word {
        "team" | "project" if sources.is_some() => Some("speaker".to_owned()),
        word if speaks(word) => Some("speaker".to_owned()),
        word if owns(word) => Some("speaker's".to_owned()),
        word if word.len() == 1 => Some(word.to_owned()),
        word => {
            let word = word.strip_suffix("'s").unwrap_or(word);
            let stem = base_stem(word);
            (!is_stopword(word) && !is_generic_stem(word, &stem)).then_some(stem)
        }
    };
    let starts_with_verb = sources.is_some_and(|all| {
        let first = words.first().copied().unwrap_or_default();
        let stem = base_stem(first);
        let is_said = || all.iter().any(|s| spaced_words(s).split(' ').skip(1).any(|w| base_stem(w) == stem));
        first.ends_with(['s', 'd', 't']) && !matches!(first, "is" | "has" | "was") && is_said()
    });
    let starts_with_auxiliary = words.first().is_some_and(|w| matches!(*w, "is" | "was" | "has" | "had" | "gets"));
    let (mut found, mut keys) = (Vec::new(), None);
    for (i, word) in words.iter().enumerate() {
        let stem = base_stem(word.strip_suffix("'s").unwrap_or(word));
        let is_verb = || !(is_stopword(word) || speaks(word) || owns(word) || SYMMETRIC.contains(&stem));
        if word.len() < 3 || !is_wanted(&stem) || !is_verb() {
            continue;
        }
        let next = words.get(i + 1).copied().unwrap_or_default();
        // Before "is", it is a noun.
        if matches!(next, "is" | "are" | "was" | "were" | "with" | "and" | "together" | "each") {
            continue;
        }
        let keys = keys.get_or_insert_with(|| words.iter().map(|word| key(word)).collect::<Vec<_>>());
        let side = |keys: &[Option<String>]| keys.iter().flatten().cloned().collect::<Participants>();
        let (mut before, after) = (
            side(&keys[i.saturating_sub(MAX_WORDS_OF_SIDE)..i]),
            side(&keys[i + 1..words.len().min(i + 1 + MAX_WORDS_OF_SIDE)]),
        );
        if i == 0 && starts_with_verb || i > 0 && starts_with_auxiliary {
            before.insert("speaker".to_owned());
        }
        let is_passive =
            words[..i].iter().rev().take(2).any(|w| {
                matches!(*w, "is" | "are" | "was" | "were" | "been" | "being" | "be" | "gets" | "got" | "get")
                    || w.ends_with("'m")
                    || w.ends_with("'re")
            }) && (word.ends_with("ed") || words[i + 1..].contains(&"by") || super::english::is_irregular(word));
        let sides = match (is_passive, words[i + 1..].contains(&"by")) {
            (true, true) => [after, before],
            // The agent is left out.
            (true, false) => [Participants::new(), before],
            (false, _) => [before, after],
        };
        found.push((stem, sides));
    }
    found
}

/// The same in Chinese: verbs of two characters of the clause, and listed ones of one.
fn han_sides(clause: &str) -> Vec<VerbSides> {
    let plain = without_owners(clause);
    let chars: Vec<char> = plain.chars().collect();
    let mut found = Vec::new();
    if HAN_SYMMETRIC.iter().any(|word| plain.contains(word)) {
        return found;
    }
    for at in 1..chars.len() {
        let single = chars[at].to_string();
        let pair: String = chars[at..].iter().take(2).collect();
        let is_pair = pair.chars().count() == 2 && pair.chars().all(|c| is_unspaced(c) && !is_function_char(c));
        let verbs = [Some((single.clone(), 1)).filter(|_| is_action(&chars, at)), Some((pair, 2)).filter(|_| is_pair)];
        for (verb, length) in verbs.into_iter().flatten() {
            let (before, after) = (&chars[..at], &chars[(at + length).min(chars.len())..]);
            // "时间安排由项目组决定": the agent is that of another verb.
            if after.iter().any(|c| matches!(c, '由' | '被')) {
                continue;
            }
            let mark = |marks: &dyn Fn(char) -> bool| before.iter().rposition(|c| marks(*c));
            let passive = mark(&|c| matches!(c, '被' | '由' | '让' | '叫')).filter(|&m| m > 0);
            // 跟老王学: from him; 跟老王合租: with him.
            let has_source = length == 1 && HAN_TAKING.contains(&chars[at]);
            let is_recipient = |c: char| HAN_RECIPIENT_MARKS.contains(&c) || has_source && matches!(c, '跟' | '和');
            let recipient = mark(&is_recipient).filter(|&m| m > 0);
            let object = mark(&|c| c == '把').filter(|&m| m > 0);
            let sides = match (passive, recipient, object) {
                (Some(m), ..) => [keys(&before[m + 1..]), keys(&before[..m]).union(&keys(after)).cloned().collect()],
                (None, Some(m), _) => {
                    [keys(&before[..m]), keys(&before[m + 1..]).union(&keys(after)).cloned().collect()]
                }
                (None, None, Some(m)) => {
                    [keys(&before[..m]), keys(&before[m + 1..]).union(&keys(after)).cloned().collect()]
                }
                _ => [keys(before), keys(after)],
            };
            found.push((verb, sides));
        }
    }
    found
}

/// A clause in which the user is one character, a relative has the short form, and owners of relatives are left out.
fn without_owners(clause: &str) -> String {
    let mut plain = clause.to_lowercase();
    for line in HAN_RELATIVES {
        let short = line.rsplit('|').next().unwrap_or_default();
        for long in line.split('|').filter(|long| *long != short) {
            plain = plain.replace(long, short);
        }
    }
    for user in ["我们团队", "我们", "咱们", "用户", "团队", "本人", "我", "俺", "咱"] {
        plain = plain.replace(user, "我");
    }
    plain = plain.replace("我的", "我").replace("我家", "我").replace("自己", "");
    for line in HAN_RELATIVES {
        let short = line.rsplit('|').next().unwrap_or_default();
        plain = plain.replace(&format!("我{short}"), short);
    }
    plain
}

/// Whether a character is a verb: it is listed, or 了, 过 or 着 follows.
fn is_action(chars: &[char], at: usize) -> bool {
    let is_marked = chars
        .get(at + 1)
        .is_some_and(|next| matches!(next, '了' | '过' | '着') || *next == '的' && HAN_TAKING.contains(&chars[at]));
    !is_function_char(chars[at]) && (is_marked || HAN_ACTIONS.iter().any(|verb| verb.chars().eq([chars[at]])))
}

fn is_function_char(c: char) -> bool {
    "的了着过是在有就都也很还又和与及或把被让由给向对为以到从这那个们我吧呢吗啊，。、；：".contains(c)
}

/// The pairs of characters and the Latin words of one side, and the user and relatives as single characters.
fn keys(side: &[char]) -> Participants {
    let text: String = side.iter().collect();
    let is_person =
        |c: char| c == '我' || HAN_RELATIVES.iter().any(|line| line.rsplit('|').next() == Some(&*c.to_string()));
    let pairs = side.windows(2).filter(|pair| pair.iter().all(|c| is_unspaced(*c) && !is_function_char(*c)));
    let pairs = pairs.map(|pair| pair.iter().collect::<String>());
    let persons = side.iter().filter(|c| is_person(**c)).map(char::to_string);
    let latin = spaced_words(&text.replace(is_unspaced, " "));
    let latin = latin.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    pairs.chain(persons).chain(latin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn participants_stay_on_their_side() {
        let check = |text: &str, source: &str| has_participants_exchanged(text, [source].into_iter());
        assert!(check("Pavel lent the user a drill", "I lent Pavel my drill"));
        assert!(!check("Lent a drill to Pavel", "I lent Pavel my drill"));
        assert!(check("Mentors Nina", "Nina mentors me"));
        assert!(!check("Is mentored by Nina", "Nina mentors me"));
        assert!(check("The payments team supports the user's team", "My team supports the payments team"));
        assert!(!check("Error budgets are owned by the platform team", "the platform team owns the error budgets"));
        assert!(!check("Met Nina in May", "Nina met me in May"));
        assert!(check("用户的弟弟教用户开车", "我教我弟开车"));
        assert!(check("账单服务调用网关", "网关调用账单服务"));
        assert!(!check("账单服务被网关调用", "网关调用账单服务"));
        assert!(check("老帕把电钻借给了用户", "我把电钻借给老帕了"));
    }
}
