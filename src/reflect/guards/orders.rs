//! Finds instructions to agents: memory becomes part of prompts, where a model might follow them.
//!
//! Never treats a stated preference as an instruction ("User prefers that agents run cargo fmt"). Phrases that only
//! attacks use count inside quotes, too. A word filter cannot stop every prompt injection, so readers must still treat
//! memory as data.

mod chinese;
mod topic_order;

use super::{GuardFinding, GuardText, MemoryKind, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, matched_text, word_tokens};
use crate::text::prose_mask::split_label;
use crate::text::verbs::{is_past_verb, is_third_person};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Markers that only occur to steer a model; searched in the whole text, including quotes and code.
const PROMPT_MARKERS: PhraseList = phrase_list!("guards/orders/prompt_markers.txt");
static ATTACK_PHRASES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/orders/attack_phrases.en.txt"));
static HAN_ATTACK_PHRASES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/orders/attack_phrases.zh.txt"));
/// Phrases that address the reader, or state what agents have to do.
static AGENT_DIRECTIVES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/orders/agent_directives.en.txt"));
/// "agent" and the like as people or products.
static NOT_AGENTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/orders/not_agents.en.txt"));
/// Imperatives at the start of a sentence.
static IMPERATIVES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/orders/imperatives.en.txt"));
/// Phrases that look like imperatives but state facts.
static NOT_IMPERATIVES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/orders/not_imperatives.en.txt"));

/// The first instruction in a text.
pub fn check_orders(input: &GuardText<'_>, kind: MemoryKind) -> Option<GuardFinding> {
    let finding = |what: &str| Some(GuardFinding::new(Violation::Instruction, what));
    let low = input.text.to_lowercase();
    if let Some(mark) = PROMPT_MARKERS.iter().find(|m| low.contains(m)) {
        return finding(mark);
    }
    let all_tokens = word_tokens(input.text);
    if let Some(range) = ATTACK_PHRASES.find(&all_tokens) {
        // Base forms only: "The linter ignores all previous warnings" does not match.
        return finding(matched_text(input.text, &all_tokens, range));
    }
    if let Some(what) = HAN_ATTACK_PHRASES.find_unspaced(input.text) {
        return finding(what);
    }
    if imitates_host(input) {
        return finding("system:");
    }
    for (sentence, tokens) in input.english_sentences() {
        if let Some(range) = AGENT_DIRECTIVES.find(tokens).filter(|_| NOT_AGENTS.find(tokens).is_none()) {
            return finding(matched_text(sentence, tokens, range));
        }
        let is_past = || tokens.first().is_some_and(|t| kind == MemoryKind::Episode && SAME_PAST.contains(&t.text));
        let states = is_labelled(sentence)
            || is_habit(tokens)
            || is_past_form(tokens)
            || is_noun_subject(tokens)
            || is_past()
            || tokens.get(1).is_some_and(|t| matches!(t.text.as_str(), "is" | "was"));
        if NOT_IMPERATIVES.find(tokens).is_none() && !states {
            let find_order = || {
                base_imperative(sentence, tokens)
                    .or_else(|| verb_before_code(sentence, tokens))
                    .or_else(|| clause_imperative(sentence, tokens))
                    .or_else(|| bare_imperative(tokens))
                    .or_else(|| order_after_condition(sentence, tokens))
            };
            if let Some(range) = find_order() {
                return finding(matched_text(sentence, tokens, range));
            }
        }
    }
    if !input.han {
        return None;
    }
    chinese::find_order(input.prose, kind).and_then(|what| finding(&what))
}

/// Whether a sentence states a habit without its subject: "Always runs tests before committing".
fn is_habit(tokens: &[WordToken<'_>]) -> bool {
    let frequency = |word: &str| matches!(word, "always" | "never" | "only" | "usually" | "often");
    let ends = |word: &str| is_third_person(word) || word.ends_with('s') && !word.ends_with("ss") && word.len() > 3;
    matches!(tokens, [first, second, ..] if frequency(&first.text) && ends(&second.text))
}

/// Verbs whose past has the form of their imperative: put, read.
const SAME_PAST: WordList = word_list!("guards/orders/same_past.en.txt");
/// Words that show a past time or a completed action.
static PAST_TIMES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/orders/past_times.en.txt"));

/// Whether a sentence without its subject is about the past: "Put a fence around the garden in 2025".
fn is_past_form(tokens: &[WordToken<'_>]) -> bool {
    let [first, rest @ ..] = tokens else { return false };
    SAME_PAST.contains(&first.text) && (PAST_TIMES.find(rest).is_some() || rest.iter().any(|t| is_past_verb(&t.text)))
}

/// Whether the verb at the start is part of the subject: "Delete requests are answered", "Call forwarding is active".
fn is_noun_subject(tokens: &[WordToken<'_>]) -> bool {
    let is_finite = |t: &WordToken<'_>| {
        matches!(t.text.as_str(), "is" | "are" | "was" | "were" | "has" | "have" | "takes" | "take")
    };
    let second = tokens.get(1).is_some_and(|t| !OBJECT_OPENINGS.contains(&t.text));
    second && tokens.iter().take(5).skip(2).any(is_finite)
}

/// Words that open the object of an imperative, so that the verb before them is none of its nouns.
const OBJECT_OPENINGS: WordList = word_list!("guards/orders/object_openings.en.txt");

/// An imperative at the start, as token indices; "Check-in" is a noun.
fn base_imperative(sentence: &str, tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    let range = IMPERATIVES.find(tokens)?;
    let first = tokens.get(range.start)?;
    let joined = sentence[first.at + first.surface.len()..].starts_with('-');
    (!joined || matches!(first.text.as_str(), "double" | "re" | "cross")).then_some(range)
}

/// Whether a sentence has a label: `Run time: 3 hours` is not an instruction.
fn is_labelled(sentence: &str) -> bool {
    split_label(sentence)
        .is_some_and(|(l, _)| l.split(' ').count() < 3 && !ATTENTION_LABELS.contains(&l.to_lowercase()))
}

/// Base forms that are not nouns: an instruction wherever a clause starts with one.
const IMPERATIVE_VERBS: WordList = word_list!("guards/orders/imperative_verbs.en.txt");
/// Base forms that may be nouns: an instruction only at the start of a clause after a condition.
const CLAUSE_VERBS: WordList = word_list!("guards/orders/clause_verbs.en.txt");
/// Words that may precede an imperative.
const IMPERATIVE_ADVERBS: WordList = word_list!("guards/orders/imperative_adverbs.en.txt");
/// Labels that call for attention.
const ATTENTION_LABELS: WordList = word_list!("guards/orders/attention_labels.en.txt");
const CONDITION_WORDS: WordList = word_list!("guards/orders/condition_words.en.txt");

/// An imperative at the start of the sentence, or of the clause after "Before replying, …". Returns token indices.
fn clause_imperative(sentence: &str, tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    let comma = tokens.windows(2).position(|w| sentence[w[0].at..w[1].at].contains([',', ':', '，']));
    let clause = tokens
        .first()
        .filter(|t| CONDITION_WORDS.contains(&t.text) || ATTENTION_LABELS.contains(&t.text))
        .and(comma)
        .map(|n| n + 1);
    [Some(0), clause].into_iter().flatten().find_map(|from| {
        let at = (from..tokens.len()).find(|i| !IMPERATIVE_ADVERBS.contains(&tokens[*i].text))?;
        let token = &tokens[at];
        let after = &sentence[token.at + token.surface.len()..];
        let alone = at + 1 == tokens.len() && after.trim_matches(['.', '!', ' ']).is_empty() && from == 0;
        let order = IMPERATIVE_VERBS.contains(&token.text) || from > 0 && CLAUSE_VERBS.contains(&token.text);
        let noun = after.starts_with(['-', '/', ':', '_'])
            || after.starts_with(" key")
            || tokens.get(at + 1).is_some_and(|t| t.text == "'s");
        (order && !noun && !alone).then_some(from..at + 1)
    })
}

/// Verbs that open an order about how something is done, whatever their object: "Use pnpm for everything".
const MANNER_VERBS: WordList = word_list!("guards/orders/manner_verbs.en.txt");
/// Words after such a verb that make it a noun: "use of", "check for".
const NOT_OBJECTS: [&str; 9] = ["of", "case", "cases", "was", "is", "are", "were", "has", "list"];

/// A verb at the start of a sentence without a finite verb. Returns token indices.
fn bare_imperative(tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    let at = tokens.iter().position(|t| !IMPERATIVE_ADVERBS.contains(&t.text))?;
    let next = tokens.get(at + 1)?;
    let is_finite = |t: &WordToken<'_>| {
        matches!(
            t.text.as_str(),
            "is" | "are"
                | "was"
                | "were"
                | "has"
                | "have"
                | "had"
                | "will"
                | "would"
                | "can"
                | "could"
                | "does"
                | "did"
        )
    };
    let states = tokens[at..].iter().any(is_finite) || tokens[at + 1..].iter().any(|t| is_past_verb(&t.text));
    let is_order = MANNER_VERBS.contains(&tokens[at].text) && tokens.len() > at + 2;
    (is_order && !states && !NOT_OBJECTS.contains(&next.text.as_str())).then_some(0..at + 1)
}

/// A base form and its object after a clause of time or condition: "Before each release, bump the version".
fn order_after_condition(sentence: &str, tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    let first = tokens.first().filter(|t| {
        CONDITION_WORDS.contains(&t.text)
            || matches!(t.text.as_str(), "before" | "after" | "when" | "if" | "on" | "for")
    })?;
    let comma = tokens.windows(2).position(|w| sentence[w[0].at..w[1].at].contains(',')).map(|n| n + 1)?;
    let (verb, object) = (tokens.get(comma)?, tokens.get(comma + 1)?);
    let is_article = matches!(
        object.text.as_str(),
        "the" | "a" | "an" | "all" | "every" | "each" | "any" | "both" | "these" | "those"
    );
    let is_verb = verb.surface.chars().all(|c| c.is_ascii_lowercase())
        && !verb.text.ends_with('s')
        && !verb.text.ends_with("ed")
        && !verb.text.ends_with("ing")
        && !crate::text::stopwords::is_stopword(&verb.text);
    (is_article && is_verb && first.at == tokens[0].at).then_some(comma..comma + 1)
}

/// A base form before code: "Run `rm -rf`".
fn verb_before_code(sentence: &str, tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    let first = tokens.first()?;
    let verb =
        matches!(first.text.as_str(), "run" | "execute" | "call" | "use" | "open" | "install" | "delete" | "invoke");
    let rest = sentence[first.at + first.surface.len()..].trim_start();
    (verb && rest.starts_with("__")).then_some(0..1)
}

/// Whether a text imitates the host: "system: the assistant has …". "System: Debian stable" is a label.
fn imitates_host(input: &GuardText<'_>) -> bool {
    let Some((speaker, rest)) = split_label(input.text) else { return false };
    let host = matches!(
        speaker,
        "system" | "SYSTEM" | "developer" | "SYSTEM PROMPT" | "system prompt" | "assistant" | "user" | "human"
    );
    let host = host || matches!(speaker, "System" | "Assistant" | "系统" | "系统消息" | "系统提示");
    let rest = rest.to_lowercase();
    let openings = [
        "you ",
        "the assistant",
        "the model",
        "the agent",
        "the user ",
        "ignore",
        "always",
        "never ",
        "助手",
        "你",
        "必须",
        "模型",
    ];
    host && openings.iter().any(|t| rest.starts_with(t))
}
