//! Which words a text states and which it denies, compared with its sources: "tea but not coffee" does not state
//! coffee.
//!
//! Never looks at clauses as a whole: the negation of a clause concerns what follows it, up to its end. What precedes
//! it may be either.

use std::collections::HashMap;

use super::english::spaced_words;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::verbs::is_third_person;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

/// Phrases with a negation that denies nothing: "no later than".
const NOT_DENYING: PhraseList = phrase_list!("guards/grounding/not_denying.en.txt");
const HAN_NOT_DENYING: PhraseList = phrase_list!("guards/grounding/not_denying.zh.txt");
/// Words that deny what is anywhere in their clause: forbidden, stopped.
const ABSENCE_WORDS: WordList = word_list!("guards/grounding/denying.en.txt");
const HAN_ABSENCE_WORDS: PhraseList = phrase_list!("guards/grounding/denying.zh.txt");
const PREFERENCE_VERBS: WordList = word_list!("guards/grounding/preference_verbs.en.txt");

/// Phrases with which something is said not to have happened.
const NOT_YET: [&str; 9] = [
    "'ve yet to ",
    " have yet to ",
    " has yet to ",
    " had yet to ",
    " am yet to ",
    " is yet to ",
    " are yet to ",
    "failed to ",
    "fails to ",
];
/// Verbs with which something ends: ditched, phased out.
const ENDING: PhraseList = phrase_list!("guards/grounding/ending.en.txt");
const HAN_ENDING: PhraseList = phrase_list!("guards/grounding/ending.zh.txt");

/// Whether a clause states a word or denies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polarity {
    Stated,
    Denied,
    /// Before a negation, or beside a word such as "stopped".
    Either,
}

/// The first word that a text states and its sources only deny, or the other way round.
pub(super) fn reversed_word(text: &str, sources: &[&str]) -> Option<String> {
    let mut said: HashMap<String, Vec<Polarity>> = HashMap::new();
    for source in sources {
        for (key, _, polarity) in polarities(source) {
            said.entry(key).or_default().push(polarity);
        }
    }
    let opposite = |polarity| match polarity {
        Polarity::Stated => Some(Polarity::Denied),
        Polarity::Denied => Some(Polarity::Stated),
        Polarity::Either => None,
    };
    let is_reversed = |(key, _, polarity): &(String, String, Polarity)| {
        opposite(*polarity).is_some_and(|other| said.get(key).is_some_and(|all| all.iter().all(|p| *p == other)))
    };
    polarities(text).into_iter().find(is_reversed).map(|(_, surface, _)| surface)
}

/// The words of content of a text, in Chinese each pair of characters: key, as written, polarity.
pub(super) fn polarities(text: &str) -> Vec<(String, String, Polarity)> {
    let ends = |c: char| matches!(c, ',' | ';' | '!' | '?' | '\n' | '.' | '，' | '。' | '；' | '！' | '？' | '、');
    let parts = text.split_inclusive(ends).flat_map(|part| part.split(" but ")).flat_map(|part| part.split('而'));
    let parts: Vec<&str> = parts.flat_map(before_reason).collect();
    let goes_on = |n: usize| {
        parts.get(n + 1).is_some_and(|next| {
            let spaced = spaced_words(next);
            GOING_ON.iter().any(|word| spaced.starts_with(&format!(" {word} ")))
        })
    };
    // "Nothing with coriander, it tastes like soap": the second clause states the thing.
    let open = |n: usize| {
        let found = clause_polarities(parts[n]).into_iter();
        found.map(move |(key, surface, polarity)| (key, surface, if goes_on(n) { Polarity::Either } else { polarity }))
    };
    (0..parts.len()).flat_map(open).collect()
}

/// A clause, parted before its reason, which a negation of the clause does not concern: "not on Mondays because they
/// rest". Not "not because".
fn before_reason(clause: &str) -> Vec<&str> {
    match clause.find(" because ").filter(|at| !clause[..*at].ends_with("not") && !clause[..*at].ends_with("n't")) {
        Some(at) => vec![&clause[..at], &clause[at..]],
        None => vec![clause],
    }
}

/// First words of a clause about the thing that the clause before it names.
const GOING_ON: [&str; 6] = ["it", "it's", "they", "they're", "that's", "those"];

/// A text without phrases that contain a negation and deny nothing. English in lower case, if there was one.
pub(super) fn without_idle_negations(text: &str) -> String {
    let han = HAN_NOT_DENYING.iter().fold(text.to_owned(), |text, phrase| text.replace(phrase, " "));
    // "I have yet to visit" is "I have not visited".
    let low = han.to_lowercase().replace('\u{2019}', "'");
    // "No we don't" denies once.
    let said = ["no ", "nope ", "nah ", "no no "].iter().find_map(|no| low.trim_start().strip_prefix(no));
    let speaks = |rest: &&str| {
        ["i ", "we ", "it ", "i'm ", "we're ", "that ", "they ", "no "].iter().any(|w| rest.starts_with(w))
    };
    if let Some(rest) = said.filter(speaks) {
        return without_idle_negations(rest);
    }
    if let Some(phrase) = NOT_YET.iter().find(|phrase| low.contains(**phrase)) {
        return without_idle_negations(&low.replace(phrase, " not "));
    }
    match NOT_DENYING.iter().find(|phrase| low.contains(*phrase)) {
        Some(_) => NOT_DENYING.iter().fold(low, |text, phrase| text.replace(phrase, " ")),
        None => han,
    }
}

/// `not`, if a text states the verb of a phrase that denies it in the sources and nothing else: "I don't mind".
pub(super) fn lost_denial(text: &str, sources: &[&str]) -> Option<String> {
    let own = spaced_words(text);
    let said: String = sources.iter().map(|text| spaced_words(text)).collect();
    let verb = |phrase: &str| phrase.strip_prefix("don't ").filter(|verb| !verb.contains(' ')).map(str::to_owned);
    let is_lost = |phrase: &str| {
        let Some(verb) = verb(phrase) else { return false };
        let states = |text: &str| [verb.clone(), format!("{verb}s")].iter().any(|w| text.contains(&format!(" {w} ")));
        said.contains(&format!(" {phrase} ")) && states(&own) && !Statement::of(text).is_negated()
    };
    NOT_DENYING.iter().any(is_lost).then(|| "not".to_owned())
}

/// What a negation leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NegatedBound {
    /// "no version below 10" sets a least one.
    Lower,
    /// "can't be bigger than 10" sets a greatest one.
    Upper,
    /// "nobody but Ann" names the only one.
    Exception,
}

/// The bound that a negation sets.
fn negated_bound(text: &str) -> Option<NegatedBound> {
    use NegatedBound::*;
    let spaced = spaced_words(text);
    let words: Vec<&str> = spaced.trim().split(' ').collect();
    let is_negation = |word: &str| {
        matches!(word, "no" | "nothing" | "none" | "nobody" | "not" | "never" | "cannot") || word.ends_with("n't")
    };
    let bound = |start: usize, i: usize| match (words[i], words[i - 1]) {
        ("but", before) => is_negation(before).then_some(Exception),
        ("except" | "besides", _) | ("than", "other") => Some(Exception),
        ("below" | "under", _) if words[start] != "not" => Some(Lower),
        ("than", "less" | "fewer" | "older" | "smaller" | "lower" | "earlier" | "shorter") => Some(Lower),
        ("than", "more" | "bigger" | "larger" | "longer" | "higher" | "later" | "newer" | "greater") => Some(Upper),
        ("exceed" | "exceeds", _) => Some(Upper),
        _ => None,
    };
    let starts = (0..words.len()).filter(|&i| is_negation(words[i]));
    starts.into_iter().find_map(|start| (start + 1..words.len().min(start + MAX_BOUND)).find_map(|i| bound(start, i)))
}

/// So many words after a negation its bound may stand.
const MAX_BOUND: usize = 6;

/// Whether one text sets a bound with a negation and another one the same with a word: "nothing older than 10", "10 is
/// the oldest".
pub(super) fn sets_same_bound(negated: &str, other: &str) -> bool {
    const ONLY: [&str; 5] = ["only", "just", "exclusively", "solely", "alone"];
    const LEAST: [&str; 8] = ["oldest", "lowest", "smallest", "earliest", "shortest", "minimum", "min", "least"];
    const MOST: [&str; 10] =
        ["newest", "highest", "largest", "biggest", "latest", "longest", "maximum", "max", "most", "limit"];
    let (spaced, bound) = (spaced_words(other), negated_bound(negated));
    let has = |words: &[&str]| words.iter().any(|word| spaced.contains(&format!(" {word} ")));
    match bound {
        Some(NegatedBound::Lower) => has(&LEAST) || has(&ONLY),
        Some(NegatedBound::Upper) => has(&MOST),
        Some(NegatedBound::Exception) => has(&ONLY),
        None => false,
    }
}

/// Whether a text without a negation denies what its quote denies with one: "gave up sugar" for "doesn't eat sugar".
/// Not if the quote has such a word itself: "hasn't given up sugar".
pub(super) fn denies_otherwise(text: &str, quote: &str) -> bool {
    let says = |text: &str| {
        let spaced = spaced_words(text);
        spaced.trim().split(' ').any(|word| ABSENCE_WORDS.contains(word))
            || HAN_ABSENCE_WORDS.iter().any(|word| text.contains(word))
            || tells_an_end(text)
    };
    let is_plain = |t: &StatementToken<'_>| t.kind == TokenKind::Negation && !says(t.surface);
    let denies_twice = || says(quote) && Statement::of(quote).tokens.iter().any(is_plain);
    sets_same_bound(quote, text) || says(text) && !denies_twice()
}

fn clause_polarities(clause: &str) -> Vec<(String, String, Polarity)> {
    let asks = clause.ends_with(['?', '？']);
    let plain = spaced_words(&without_idle_negations(clause));
    let statement = Statement::of(plain.trim());
    let tokens = &statement.tokens;
    let is_free = asks
        || negated_bound(plain.trim()).is_some()
        || tokens.iter().any(|t| ABSENCE_WORDS.contains(&t.surface.to_lowercase()))
        || HAN_ABSENCE_WORDS.iter().any(|word| plain.contains(word));
    let prefers = tokens.iter().any(|t| PREFERENCE_VERBS.contains(&t.surface.to_lowercase()));
    let denies = |i: usize| {
        // "prefers tea to coffee", but not "prefers to work at night".
        let is_compared = |t: &StatementToken<'_>| t.surface.to_lowercase().starts_with("prefer");
        let after_object = || {
            let verb = tokens[..i].iter().rposition(is_compared);
            verb.is_some_and(|verb| tokens[verb + 1..i].iter().any(|t| t.kind != TokenKind::Filler))
        };
        match &*tokens[i].surface.to_lowercase() {
            "over" | "than" => prefers,
            "beats" | "beat" | "outranks" | "trumps" => i > 0,
            "to" => after_object(),
            "instead" => true,
            _ => tokens[i].kind == TokenKind::Negation,
        }
    };
    let first = (0..tokens.len()).find(|&i| denies(i)).unwrap_or(0);
    let mut polarity = Polarity::Stated;
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        // What something is easier or better than is neither stated nor denied.
        if !prefers && (token.surface.eq_ignore_ascii_case("than") || token.surface == "比") {
            polarity = Polarity::Either;
        }
        // "Never eats meat and uses oat milk": a negation may concern the second verb or not.
        let is_other_verb = token.surface.eq_ignore_ascii_case("and")
            && tokens.get(i + 1).is_some_and(|next| is_third_person(&next.surface.to_lowercase()));
        if is_other_verb && polarity == Polarity::Denied {
            polarity = Polarity::Either;
        }
        if denies(i) {
            polarity = match polarity {
                Polarity::Denied => Polarity::Stated,
                Polarity::Stated => Polarity::Denied,
                Polarity::Either => Polarity::Either,
            };
            continue;
        }
        if matches!(token.kind, TokenKind::Filler | TokenKind::Negation) {
            continue;
        }
        // A comparison puts nothing before it in doubt.
        let is_before = i < first && tokens[first].kind == TokenKind::Negation;
        let polarity = if is_free || is_before { Polarity::Either } else { polarity };
        if !token.is_han {
            found.push((token.key.clone(), token.surface.to_owned(), polarity))
        } else {
            let is_content = |t: &&StatementToken<'_>| t.is_han && t.kind == TokenKind::Word && t.surface != "于";
            let next = tokens.get(i + 1).filter(is_content).filter(|_| token.surface != "于");
            found.extend(next.map(|n| {
                let pair = format!("{}{}", token.surface, n.surface);
                (pair.clone(), pair, polarity)
            }));
        }
    }
    found
}

/// Whether a text names an end of something: a negation would say no more.
pub(super) fn tells_an_end(text: &str) -> bool {
    let spaced = spaced_words(text);
    ENDING.iter().any(|verb| spaced.contains(&format!(" {verb} "))) || HAN_ENDING.iter().any(|verb| text.contains(verb))
}

/// What the quote says has ended and the text states: "ditched the monolith", "runs a monolith".
pub(super) fn ended_thing(text: &str, quote: &str) -> Option<String> {
    let statement = Statement::of(text);
    if statement.is_negated() || statement.is_event() || tells_an_end(text) {
        return None;
    }
    let low = spaced_words(text);
    if ["former", "formerly", "used", "was", "were", "until", "ended", "past"]
        .iter()
        .any(|w| low.contains(&format!(" {w} ")))
    {
        return None;
    }
    let is_past = ["以前", "曾", "过去", "原来", "之前", "不再", "已"].iter().any(|word| text.contains(word));
    super::clauses(quote).flat_map(|clause| clause.split(" and ")).find_map(|clause| {
        if Statement::of(clause).is_negated() {
            return None;
        }
        let spaced = spaced_words(clause);
        let after = ENDING.iter().find_map(|verb| Some(spaced.split_once(&format!(" {verb} "))?.1));
        let after = after.or_else(|| left_place(&spaced));
        if let Some(after) = after {
            let object = Statement::of(after.trim());
            let first = object.content().next()?;
            let has = |key: &str| statement.content().any(|t| t.key == key);
            return has(&first.key).then(|| "not".to_owned());
        }
        // 单体我们去年扔掉了: the thing may stand before its verb.
        let ends = !is_past && HAN_ENDING.iter().any(|verb| clause.contains(verb));
        // 把烟戒了: the thing may be one character beside the verb.
        let ends_char = || {
            let places = HAN_ENDING.iter().filter_map(|verb| clause.find(verb).map(|at| (at, at + verb.len())));
            let mut beside =
                places.flat_map(|(start, end)| [clause[..start].chars().next_back(), clause[end..].chars().next()]);
            beside
                .any(|c| c.is_some_and(|c| is_unspaced(c) && !"我们也都就把已早的吧啊".contains(c) && text.contains(c)))
        };
        (ends && (shared_pair(text, clause).is_some() || ends_char())).then(|| "not".to_owned())
    })
}

/// What follows "off" or "away from" in a clause in which something is moved: "moved the wiki off the old server".
fn left_place(spaced: &str) -> Option<&str> {
    let moves = [" moved ", " migrated ", " switched ", " shifted ", " pulled ", " took "];
    let (_, rest) = moves.iter().find_map(|verb| spaced.split_once(verb))?;
    [" off ", " away from "].iter().find_map(|word| rest.split_once(word)).map(|(_, after)| after)
}

/// A pair of Chinese characters of content, or a Latin word, that two texts have.
fn shared_pair(a: &str, b: &str) -> Option<String> {
    let statement = Statement::of(a);
    let tokens: Vec<_> = statement.content().collect();
    let latin = tokens.iter().find(|t| !t.is_han && b.to_lowercase().contains(&t.surface.to_lowercase()));
    let pair =
        tokens.windows(2).filter(|w| w[0].is_han && w[1].is_han).map(|w| format!("{}{}", w[0].surface, w[1].surface));
    latin.map(|t| t.surface.to_owned()).or_else(|| pair.into_iter().find(|pair| b.contains(pair.as_str())))
}

/// The word of a text in whose place a clause of the sources has its opposite: "unencrypted" for "encrypted", 明文 for
/// 加密. Not where one of them is negated.
pub(super) fn opposed_word(text: &str, quote: &str, sources: &[&str]) -> Option<String> {
    let statement = Statement::of(text);
    if statement.is_negated() || tells_an_end(text) {
        return None;
    }
    let all = sources.iter().map(|text| text.to_lowercase()).collect::<Vec<_>>().join("\n");
    let spaced = spaced_words(&all);
    let stated: Vec<&str> = super::clauses(quote).filter(|clause| !Statement::of(clause).is_negated()).collect();
    let words: Vec<String> = stated
        .iter()
        .flat_map(|clause| spaced_words(clause).split(' ').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let is_prefixed = |low: &str| {
        let is_opposite = |word: &String| {
            let rest = ["un", "non", "dis", "in", "im", "ir"].iter().find_map(|prefix| word.strip_prefix(prefix));
            rest.is_some_and(|rest| low == rest.trim_start_matches('-'))
        };
        low.len() >= 4 && words.iter().any(is_opposite)
    };
    let own = statement.content().filter(|t| !t.is_han).map(|t| t.surface.to_lowercase());
    if let Some(word) = opposed_place(text, &all) {
        return Some(word);
    }
    let prefixed = own.into_iter().find(|low| !spaced.contains(&format!(" {low} ")) && is_prefixed(low));
    prefixed.or_else(|| {
        let (x, y) = stated.iter().find_map(|clause| super::super::opposite_states(text, clause))?;
        let has = |word: &str| if word.is_ascii() { spaced.contains(&format!(" {word} ")) } else { all.contains(word) };
        (!has(&x) && has(&y)).then_some(x)
    })
}

/// The place or time of a Chinese text of which its sources have only the opposite one: 饭前 for 饭后.
fn opposed_place(text: &str, sources: &str) -> Option<String> {
    const OPPOSITES: [(char, char); 4] = [('前', '后'), ('内', '外'), ('里', '外'), ('左', '右')];
    let chars: Vec<char> = text.chars().collect();
    let opposite = |side: char| {
        OPPOSITES
            .iter()
            .filter_map(move |&(a, b)| [(a, b), (b, a)].into_iter().find(|(one, _)| *one == side))
            .map(|o| o.1)
    };
    chars.windows(2).find_map(|pair| {
        let [thing, side] = pair else { return None };
        let said = |side: char| sources.contains(&format!("{thing}{side}"));
        let is_word = is_unspaced(*thing) && !"以之目从今往向前后内外里左右".contains(*thing);
        (is_word && !said(*side) && opposite(*side).any(said)).then(|| format!("{thing}{side}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_denied_is_not_stated() {
        let check = |text: &str, source: &str, expected: Option<&str>| {
            assert_eq!(reversed_word(text, &[source]).as_deref(), expected, "{text} / {source}");
        };
        check("User likes coffee", "I like tea but not coffee", Some("coffee"));
        check("User likes tea", "I like tea but not coffee", None);
        check("User prefers spaces", "I prefer tabs over spaces", Some("spaces"));
        check("User prefers tabs over spaces", "I prefer tabs over spaces", None);
        check("Tests run on the laptop", "the tests do not run on the laptop", Some("run"));
        check("User lives in Rome", "I don't live in Paris anymore, I live in Rome", None);
        check("Reports are due by Friday", "reports are due no later than Friday", None);
        check("用户喜欢咖啡", "我喜欢茶，不喜欢咖啡", Some("欢咖"));
        check("Deploys on Fridays are forbidden", "we never deploy on Fridays", None);
    }

    #[test]
    fn what_is_denied_in_other_words_is_denied() {
        for (text, quote, is_same) in [
            ("10 is the oldest version", "nothing older than 10 works", true),
            ("10 is the newest version", "nothing older than 10 works", false),
            ("The maximum is 20", "it can't be bigger than 20", true),
            ("The minimum is 20", "it can't be bigger than 20", false),
            ("Only Ann has a key", "nobody but Ann has a key", true),
            ("Ann has a key", "nobody but Bo has a key", false),
            ("Gave up sugar", "I don't eat sugar", true),
            ("Eats sugar", "I don't eat sugar", false),
            ("Gave up sugar", "I haven't given up sugar", false),
            ("用户戒了糖", "我不吃糖了", true),
            ("用户吃糖", "我不吃糖了", false),
            ("用户戒了糖", "我没戒糖", false),
        ] {
            assert_eq!(denies_otherwise(text, quote), is_same, "{text} / {quote}");
        }
    }

    #[test]
    fn a_place_that_was_left_or_is_opposite_is_not_stated() {
        for (text, quote, expected) in [
            ("The wiki runs on the server", "we moved the wiki off the server", Some("not")),
            ("The wiki runs on the server", "we moved the wiki onto the server", None),
        ] {
            assert_eq!(ended_thing(text, quote).as_deref(), expected, "{text} / {quote}");
        }
        assert_eq!(opposed_place("药片饭前吃", "药片饭后吃").as_deref(), Some("饭前"));
        assert_eq!(opposed_place("药片饭后吃", "药片饭后吃"), None);
    }
}
