//! What an English text changes of what its source says without another word of content: what is denied, how often or
//! how far it holds, whether it is past or only planned, of whom it is said, and which number belongs to which thing.
//!
//! Never looks at words of content that only one side has: `english` does.

use super::english::{EnglishSources, VERBS, base_stem, is_english_like, is_generic_word, spaced_words};
use super::other_subject::other_subject;
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::verbs::{is_past_verb, is_third_person};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Sections: always; only; in part; with an exception; for a while; at least; at most.
const QUANTIFIERS: PhraseList = phrase_list!("guards/grounding/quantifiers.en.txt");
/// Those of a source that a text keeps, for the last five sections.
const LOST_QUANTIFIERS: PhraseList = phrase_list!("guards/grounding/lost_quantifiers.en.txt");
/// Words that say always or only, and that a text may not add.
const ADDED_QUANTIFIERS: PhraseList = phrase_list!("guards/grounding/added_quantifiers.en.txt");
/// Words of time after "every": "every Monday" is what "on Mondays" says.
const PERIODS: WordList = word_list!("guards/grounding/periods.en.txt");
/// Sections: words of a source about the past, words of a text that keep it.
const PAST: PhraseList = phrase_list!("guards/grounding/past.en.txt");
/// Sections: words of a source about plans, words of a text that keep them.
const FUTURES: PhraseList = phrase_list!("guards/grounding/futures.en.txt");
/// Words that introduce a reason.
pub(super) const REASONS: PhraseList = phrase_list!("guards/grounding/reasons.en.txt");
/// Nouns for persons.
pub(super) const PERSONS: WordList = word_list!("guards/grounding/persons.en.txt");
/// Verbs that report what another person says.
pub(super) const REPORTING: WordList = word_list!("guards/grounding/reporting.en.txt");
/// Words before a verb that make it a participle: "is used", "have lived".
pub(super) const AUXILIARIES: WordList = word_list!("guards/grounding/auxiliaries.en.txt");
/// Words before a clause with a subject of its own.
const CONJUNCTIONS: PhraseList = phrase_list!("guards/grounding/clause_conjunctions.en.txt");
/// First words of questions that are answered by yes or no.
const QUESTION_OPENINGS: WordList = word_list!("guards/grounding/question_openings.en.txt");

/// What a text changes: the word that is missing or added, as `not`, `always`, `used to`, `brother`.
///
/// `said`: the whole sentences that the quote is from; `sources`: all texts.
pub(super) fn changed_scope(
    text: &str,
    statement: &Statement<'_>,
    [quote, said]: [&str; 2],
    sources: &[&str],
) -> Vec<String> {
    if !is_english_like(text, &sources.join(" ")) || has_unspaced_script(said) {
        return Vec::new();
    }
    let (spaced, all) = (spaced_words(text), sources.iter().map(|s| spaced_words(s)).collect::<String>());
    let sentence = most_alike(statement, said.split(['.', '!', '\n']).flat_map(|s| s.split_inclusive('?')));
    let clause = clause_of_quote(statement, sentence.into_iter().flat_map(clauses), quote);
    // Nothing shared: still it may be another who says it.
    let (Some(sentence), Some(clause)) = (sentence, clause) else {
        return lost_speaker(&spaced, quote).into_iter().collect();
    };
    let predicate = predicate_of(statement, clause);
    let mut changed: Vec<String> = Vec::new();
    changed.extend(added_quantifier(&spaced, &all));
    changed.extend(lost_quantifier(&spaced, statement, predicate, sentence));
    changed.extend(lost_time(&spaced, statement, &spaced_words(predicate)));
    let is_named_before = |who: &String| is_pronoun_for(who, statement, clause, sources);
    changed.extend(other_subject(&spaced, statement, clause).filter(|who| !is_named_before(who)));
    changed.extend(lost_speaker(&spaced, predicate));
    changed.extend(made_up_reason(text, sources));
    if is_open_question(sentence) && !has_any(&spaced, FUTURES.sections().nth(1)) {
        changed.push("maybe".into());
    }
    changed
}

/// The clauses of a sentence: also what follows a conjunction with a subject of its own.
fn clauses(sentence: &str) -> impl Iterator<Item = &str> + Clone {
    let mut parts: Vec<&str> = sentence.split([',', ';', ':', '(', ')', '—', '–']).collect();
    for conjunction in CONJUNCTIONS.iter().map(|words| format!(" {words} ")) {
        parts = parts
            .into_iter()
            .flat_map(|part| {
                let low = part.to_ascii_lowercase();
                match low.find(&conjunction) {
                    Some(at) => vec![&part[..at], &part[at + 1..]],
                    None => vec![part],
                }
            })
            .collect();
    }
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty())
}

/// The clause that has the most words of content of a statement; of several, one that the quote has, and that begins
/// with its author if the statement is about the user.
fn clause_of_quote<'a>(
    statement: &Statement<'_>,
    clauses: impl Iterator<Item = &'a str> + Clone,
    quote: &str,
) -> Option<&'a str> {
    let first = most_alike(statement, clauses.clone())?;
    let is_quoted = |clause: &&str| quote.contains(clause.trim_start_matches("but ").trim_end_matches('.'));
    let own = spaced_words(statement.text);
    let is_users = own.starts_with(" user ") || own.starts_with(" the user ") || own.starts_with(" the team ");
    let speaks = |clause: &str| {
        let low = spaced_words(clause);
        low.starts_with(" i ") || low.starts_with(" we ")
    };
    let is_preferred = |clause: &&str| is_quoted(clause) && (!is_users || speaks(clause));
    let shared = |part: &str| {
        let part = Statement::of(part);
        statement.content().filter(|own| part.content().any(|t| t.key == own.key)).count()
    };
    let most = shared(first);
    let as_much = |clause: &&str| shared(clause) == most;
    let preferred = clauses.clone().filter(is_preferred).find(as_much);
    preferred
        .or_else(|| Some(first).filter(is_quoted))
        .or_else(|| clauses.filter(is_quoted).find(as_much))
        .or(Some(first))
}

/// The predicate of a clause that a text is taken from. What limits or reports the second of two predicates does not
/// hold for the first: "we host the wiki and want a template". What stands before the first one may hold for the
/// second, too, unless that is in the past tense: "I used to bake and sell bread", "we considered Caddy and went with
/// Traefik".
fn predicate_of<'a>(statement: &Statement<'_>, clause: &'a str) -> &'a str {
    let low = clause.to_ascii_lowercase();
    let word = |at: usize, n: usize| low[at..].split(' ').filter(|word| !word.is_empty()).nth(n).unwrap_or_default();
    let is_verb = |word: &str| {
        let stem = base_stem(word);
        VERBS.contains(&stem) || REPORTING.contains(word) || is_past_verb(word) || word == "want"
    };
    let starts = |at: &usize| is_verb(word(*at, 1)) || matches!(word(*at, 1), "might" | "may" | "would" | "will");
    let Some(at) = low.match_indices(" and ").map(|(at, _)| at).find(starts) else { return clause };
    let (first, second) = clause.split_at(at);
    match most_alike(statement, [first, second].into_iter()) {
        Some(part) if part.len() == first.len() && part == first => first,
        Some(_) if is_past_verb(word(at, 1)) => second,
        _ => clause,
    }
}

/// The part that has the most words of content of a statement, the first of them; `None` if none has any.
fn most_alike<'a>(statement: &Statement<'_>, parts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let shared = |part: &str| {
        let part = Statement::of(part);
        statement.content().filter(|own| part.content().any(|t| t.key == own.key)).count()
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

/// The first phrase of a section that a text contains; both between single spaces.
fn first_of(spaced: &str, section: Option<PhraseList>) -> Option<&'static str> {
    section?.iter().find(|phrase| spaced.contains(&format!(" {phrase} ")))
}

fn has_any(spaced: &str, section: Option<PhraseList>) -> bool {
    first_of(spaced, section).is_some()
}

/// "Always" or "only" of a text, if no source says it in any way.
fn added_quantifier(spaced: &str, sources: &str) -> Option<String> {
    (0..2).find_map(|n| {
        let added = first_of(spaced, ADDED_QUANTIFIERS.sections().nth(n))?;
        let next = spaced.split_once(&format!(" {added} ")).and_then(|(_, rest)| rest.split(' ').next());
        // "every Monday" is what "on Mondays" says, but not what "most Mondays" says.
        let is_limited = ["most", "some", "many", "almost", "nearly", "usually", "often", "other"];
        // The period must be named, too: nightly, each night, nights.
        let is_known = |word: &str| word.len() < 3 || sources.contains(&format!(" {}", word.trim_end_matches('s')));
        let is_period = next.is_some_and(|word| PERIODS.contains(word) && is_known(word))
            && !is_limited.iter().any(|word| sources.contains(&format!(" {word} ")));
        (!is_period && !has_any(sources, QUANTIFIERS.sections().nth(n))).then(|| added.to_owned())
    })
}

/// A word of a source that limits what it says, and that a text drops; or a bound that a text adds to a number.
fn lost_quantifier(spaced: &str, statement: &Statement<'_>, clause: &str, sentence: &str) -> Option<String> {
    let (clause, sentence) = (spaced_words(clause), spaced_words(sentence));
    let keeps = |n: usize| has_any(spaced, QUANTIFIERS.sections().nth(n + 2));
    let lost = |n: usize, source: &str| first_of(source, LOST_QUANTIFIERS.sections().nth(n)).filter(|_| !keeps(n));
    // What "still" holds "for now" goes on.
    let goes_on = clause.contains(" still ");
    let limits = lost(0, &clause).or_else(|| lost(1, &sentence)).or_else(|| lost(2, &clause).filter(|_| !goes_on));
    if let Some(word) = limits {
        return Some(word.to_owned());
    }
    let numbers = || statement.tokens.iter().filter(|t| t.kind == TokenKind::Number);
    let bounded = |spaced: &str, phrase: &str| {
        let after = spaced.split_once(&format!(" {phrase} ")).map_or("", |(_, rest)| rest);
        let before = spaced.split_once(&format!(" {phrase} ")).map_or("", |(before, _)| before);
        // "Went up to 64 GB" tells of a change.
        let changes = ["went", "raised", "increased", "grew", "bumped", "upgraded", "moved", "climbed", "goes", "up"];
        if before.rsplit(' ').take(4).any(|w| changes.contains(&w)) {
            return false;
        }
        let is_near = |surface: &str, words: &mut dyn Iterator<Item = &str>| words.take(3).any(|w| w == surface);
        numbers().any(|t| {
            let surface = t.surface.to_lowercase();
            is_near(&surface, &mut after.split(' '))
                || phrase.starts_with("or ") && is_near(&surface, &mut before.rsplit(' '))
        })
    };
    (3..5).find_map(|n| {
        let section = || LOST_QUANTIFIERS.sections().nth(n);
        let lost = first_of(&clause, section()).filter(|phrase| bounded(&clause, phrase) && !keeps(n));
        let added = || {
            first_of(spaced, section())
                .filter(|phrase| bounded(spaced, phrase) && !has_any(&clause, QUANTIFIERS.sections().nth(n + 2)))
        };
        lost.or_else(added).map(str::to_owned)
    })
}

/// What puts a source into the past or makes it a plan, if a text says that it is so now.
fn lost_time(spaced: &str, statement: &Statement<'_>, clause: &str) -> Option<String> {
    let words = || spaced.split(' ').filter(|w| !w.is_empty());
    let is_past = has_any(spaced, PAST.sections().nth(1)) || words().any(is_past_verb);
    if let Some(word) = first_of(clause, PAST.sections().next()).filter(|_| !is_past) {
        return Some(word.to_owned());
    }
    // What stands behind "if" is only supposed.
    let is_supposed = clause.starts_with(" if ") || clause.starts_with(" and if ") || clause.starts_with(" but if ");
    let keeps_condition = ["if", "when", "whenever", "once", "unless", "would", "may", "might"];
    let kept = without_month(&spaced_words(statement.text));
    let keeps_condition = |w: &str| keeps_condition.contains(&w) && kept.contains(&format!(" {w} "));
    if is_supposed && !words().any(keeps_condition) && !names_condition(statement, clause) {
        return Some("if".to_owned());
    }
    // "That would be Greta" answers a question.
    let clause = &clause.replacen(" that would be ", " ", 1).replacen(" that'd be ", " ", 1);
    let clause = &without_month(clause);
    if let Some(word) =
        first_of(clause, FUTURES.sections().next()).filter(|_| !has_any(&kept, FUTURES.sections().nth(1)))
    {
        return Some(word.to_owned());
    }
    // "I lived in Rome" is no "lives in Rome"; "I have lived" is.
    let said = Statement::of(clause.trim());
    let is_present = |t: &&StatementToken<'_>| t.surface.ends_with('s') && is_third_person(&t.surface.to_lowercase());
    let verb = statement.tokens.iter().find(is_present)?;
    let key = crate::text::stem(&verb.surface.to_lowercase()).into_owned();
    let forms: Vec<usize> = (0..said.tokens.len())
        .filter(|&i| *crate::text::stem(&said.tokens[i].surface.to_lowercase()) == *key)
        .collect();
    let is_past_form = |&i: &usize| {
        let before = i.checked_sub(1).map_or("", |p| said.tokens[p].surface);
        let next = said.tokens.get(i + 1).map_or("", |t| t.surface);
        is_past_verb(&said.tokens[i].surface.to_lowercase()) && next != "to" && !AUXILIARIES.contains(before)
    };
    (!is_past && !forms.is_empty() && forms.iter().all(is_past_form)).then(|| said.tokens[forms[0]].surface.to_owned())
}

/// Whether a text names all of what a condition supposes, beside what follows from it: "PRs that touch the schema need
/// two reviews" for "if a PR touches the schema, two people review it". `clause`: begins with "if".
fn names_condition(statement: &Statement<'_>, clause: &str) -> bool {
    let own = EnglishSources::of_evidence([statement.text].into_iter());
    let condition = Statement::of(clause.trim());
    let mut content = condition.content().filter(|t| !is_generic_word(t)).peekable();
    let is_relative = [" that ", " which ", " who ", " whose ", " with ", " longer ", " over ", " above ", " below "];
    let spaced = spaced_words(statement.text);
    content.peek().is_some()
        && is_relative.iter().any(|word| spaced.contains(word))
        && content.all(|t| own.has_counterpart(t))
        && statement.content().count() > condition.content().count()
}

/// Words between single spaces without "may" as the name of a month.
fn without_month(spaced: &str) -> String {
    let words: Vec<&str> = spaced.trim().split(' ').collect();
    let word = |n: usize| words.get(n).copied().unwrap_or_default();
    let is_kept = |n: &usize| words[*n] != "may" || !is_month(n.checked_sub(1).map_or("", word), word(n + 1));
    let kept: Vec<&str> = (0..words.len()).filter(is_kept).map(|n| words[n]).collect();
    format!(" {} ", kept.join(" "))
}

/// Whether a text in lower case names the month of May.
pub(super) fn names_may(low: &str) -> bool {
    let spaced = spaced_words(low);
    without_month(&spaced) != spaced
}

/// Whether "may" between two words, in lower case, is a month: "in May", "May 3rd".
pub(super) fn is_month(before: &str, next: &str) -> bool {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    MONTH_LEADS.contains(before) || is_number(before) || is_number(next)
}

/// Words before the name of a month.
const MONTH_LEADS: WordList = word_list!("guards/grounding/month_leads.en.txt");

/// The word that introduces a reason of which no word stands in the sources.
fn made_up_reason(text: &str, sources: &[&str]) -> Option<String> {
    let spaced = spaced_words(text);
    let marker = first_of(&spaced, Some(REASONS))?;
    let (_, reason) = spaced.split_once(&format!(" {marker} "))?;
    let said = EnglishSources::of_evidence(sources.iter().copied());
    let reason = Statement::of(reason);
    let is_said =
        reason.tokens.iter().any(|t| t.kind != TokenKind::Filler && said.has_synonym(t) && !is_generic_word(t));
    (!is_said).then(|| marker.to_owned())
}

/// The verb with which another person says or thinks what a text states as it is.
fn lost_speaker(spaced: &str, clause: &str) -> Option<String> {
    let plain = spaced_words(clause);
    let words: Vec<&str> = plain.trim().split(' ').collect();
    let at = words.iter().position(|word| REPORTING.contains(word)).filter(|at| *at > 0)?;
    let subject = words[at - 1];
    let speaks = matches!(
        subject,
        "i" | "we" | "you" | "it" | "to" | "me" | "us" | "i've" | "we've" | "my" | "the" | "a" | "and"
    ) || subject.ends_with("'t");
    let single = subject.trim_end_matches("'s").trim_end_matches('s');
    let names = |word: &str| !word.is_empty() && spaced.contains(&format!(" {word}"));
    let keeps = names(single) || REPORTING.iter().any(|verb| spaced.contains(&format!(" {verb} ")));
    let keeps = keeps && names(single) || ["according", "reportedly", "told", "heard"].iter().any(|word| names(word));
    (!speaks && !keeps).then(|| words[at].to_owned())
}

/// Whether a word is a pronoun for what a text names, and what a source names before its clause: "Pepper" for "she".
fn is_pronoun_for(word: &str, statement: &Statement<'_>, clause: &str, sources: &[&str]) -> bool {
    let is_pronoun = matches!(word, "he" | "she" | "he's" | "she's" | "his" | "her" | "their");
    let before = sources.iter().find_map(|source| Some(source.split_once(clause)?.0)).unwrap_or_default();
    let (before, here) = (spaced_words(before), spaced_words(clause));
    let is_antecedent = |t: &StatementToken<'_>| {
        let low = format!(" {} ", t.surface.to_lowercase());
        before.contains(&low) && !here.contains(&low)
    };
    is_pronoun && statement.content().any(is_antecedent)
}

/// Whether a word is a noun for a person.
pub(in super::super) fn is_person(word: &str) -> bool {
    PERSONS.contains(word)
}

/// The persons that an English text names.
pub fn persons(text: &str) -> Vec<String> {
    spaced_words(text)
        .split(' ')
        .map(|w| w.strip_suffix("'s").unwrap_or(w))
        .filter(|w| PERSONS.contains(w))
        .map(str::to_owned)
        .collect()
}

/// Whether the clause of the source that a text is taken from names a thing that the text does not: then another thing
/// in the text stands in its place.
pub(super) fn has_other_noun(statement: &Statement<'_>, said: &str) -> bool {
    let sentence = most_alike(statement, said.split(['.', '!', '?', '\n']));
    let Some(clause) = most_alike(statement, sentence.into_iter().flat_map(clauses)) else { return true };
    let own = EnglishSources::of_evidence([statement.text].into_iter());
    let is_noun = |t: &StatementToken<'_>| t.kind == TokenKind::Word && !EnglishSources::may_paraphrase(t.surface);
    Statement::of(clause).tokens.iter().any(|t| is_noun(t) && !own.supports(t))
}

/// Whether a sentence asks whether something is so. A request is no question: "could you …".
pub(super) fn is_open_question(sentence: &str) -> bool {
    let spaced = spaced_words(sentence);
    let mut words = spaced.trim().split(' ');
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (first, second) = if matches!(first, "so" | "and" | "but" | "or") {
        (second, words.next().unwrap_or_default())
    } else {
        (first, second)
    };
    let is_request = matches!(first, "can" | "could" | "would" | "will") && second == "you";
    let supposes = matches!((first, second), ("what", "if") | ("how", "about") | ("what", "about"));
    sentence.trim_end().ends_with('?') && (supposes || QUESTION_OPENINGS.contains(first)) && !is_request
}
