//! Finds single letters that name something: vitamin D, size L, plan B, C++, B座.

use crate::text::word_list::{WordList, word_list};
use crate::text::words::is_unspaced;

/// Nouns before a single letter.
const NOUNS: WordList = word_list!("exact_tokens/letter_nouns.txt");
/// Letters that stand for a word.
const WORDS: [(&str, &str); 3] = [("S", "small"), ("M", "medium"), ("L", "large")];

/// The letters of a text that no source has.
pub(super) fn missing_letters(text: &str, sources: &[&str]) -> Vec<String> {
    let own = single_letters(text, true);
    if own.is_empty() {
        return Vec::new();
    }
    let known: Vec<String> = sources.iter().flat_map(|source| single_letters(source, false)).collect();
    let low = sources.join(" ").to_lowercase();
    let stands = |letter: &str| {
        WORDS.iter().any(|(one, word)| *one == letter && low.split(|c: char| !c.is_alphanumeric()).any(|w| w == *word))
    };
    own.into_iter().filter(|letter| !known.contains(letter) && !stands(letter)).collect()
}

/// The single letters that name something in a text: `D` in "vitamin D", `C++`.
pub fn named_letters(text: &str) -> Vec<String> {
    single_letters(text, true)
}

/// The single letters of a text, in upper case, with their signs: `C`, `C++`, `B+`. With `is_strict` only those that
/// are no word, unit or initial; otherwise every one.
fn single_letters(text: &str, is_strict: bool) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let is_word = |c: char| c.is_alphanumeric() && !is_unspaced(c) || c == '_';
    let at = |i: usize| chars.get(i).copied().unwrap_or(' ');
    let mut found: Vec<String> = Vec::new();
    for (i, &c) in chars.iter().enumerate() {
        let before = if i == 0 { ' ' } else { chars[i - 1] };
        let joins = |c: char| matches!(c, '\'' | '’' | '&' | '@' | '\\');
        if !c.is_ascii_alphabetic() || is_word(before) || is_word(at(i + 1)) || joins(before) || joins(at(i + 1)) {
            continue;
        }
        let is_dotted = before == '.' && i > 1 && is_word(chars[i - 2]) || at(i + 1) == '.' && is_word(at(i + 2));
        let is_part = matches!(at(i + 1), '-' | '‑') && is_word(at(i + 2)) || is_address(&chars, i);
        if is_dotted || is_part {
            continue;
        }
        let rest: String = chars[i + 1..].iter().take(12).collect();
        if is_strict && !names_something(&chars, i, &rest) {
            continue;
        }
        let letter = format!("{}{}", c.to_ascii_uppercase(), sign_of(&rest));
        if !found.contains(&letter) {
            found.push(letter);
        }
    }
    found
}

/// What belongs to the letter before a rest: `++`, `#`, also in words.
fn sign_of(rest: &str) -> &'static str {
    let low = rest.to_lowercase();
    let ends = |sign: &str| low.strip_prefix(sign).is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric()));
    let signs = [("++", "++"), ("+", "+"), ("#", "#"), ("-", "-"), ("−", "-"), (" plus plus", "++"), (" plus", "+")];
    let words = [(" minus", "-"), (" sharp", "#")];
    signs.iter().chain(&words).find(|(text, _)| ends(text)).map_or("", |(_, sign)| sign)
}

/// Whether a letter stands in a path or a host.
fn is_address(chars: &[char], i: usize) -> bool {
    let is_end = |c: &char| c.is_whitespace() || is_unspaced(*c);
    let start = chars[..i].iter().rposition(is_end).map_or(0, |at| at + 1);
    let end = chars[i..].iter().position(is_end).map_or(chars.len(), |length| i + length);
    chars[start..end].iter().filter(|c| **c == '/').count() > 1 || chars[start..end].contains(&'@')
}

/// Whether the letter at `i` is no article, pronoun, unit, initial or word of another language.
fn names_something(chars: &[char], i: usize, rest: &str) -> bool {
    let (c, before): (char, String) = (chars[i], chars[..i].iter().collect());
    let previous = before.trim_end();
    let noun = previous.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let follows_noun = NOUNS.contains(&noun) || noun.strip_suffix('s').is_some_and(|noun| NOUNS.contains(noun));
    // "5 m" is a length, "x 3" a product.
    if previous.ends_with(|c: char| c.is_ascii_digit())
        || c == 'x' && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
    {
        return false;
    }
    let is_alone = before.trim().is_empty() && rest.trim_matches(|c: char| !c.is_alphanumeric()).is_empty();
    let is_listed = before.ends_with('(') && rest.starts_with(')');
    if c.is_ascii_lowercase() {
        let of_branch =
            before.strip_suffix('/').is_some_and(|b| b.len() > 3 && b.chars().rev().take(4).all(char::is_alphabetic));
        return is_alone || is_listed || follows_noun && c != 'a' && c != 'i' || of_branch;
    }
    if c == 'I' {
        return is_alone || is_listed;
    }
    let next = rest.trim_start_matches(['+', '#', '-']);
    let starts = previous.is_empty() || previous.ends_with(['.', '!', '?', ':']);
    // A. Smith
    let is_initial = next.starts_with(". ")
        && next[2..].starts_with(char::is_uppercase)
        && !follows_noun
        && next.len() == rest.len();
    if is_initial {
        return false;
    }
    // "A dog", "O meu", "Y luego"
    let has_sign = next.len() < rest.len();
    let opens_word = next.starts_with(' ') && next.trim_start().starts_with(char::is_lowercase);
    let is_article = matches!(c, 'A' | 'O' | 'Y' | 'E' | 'U' | 'W' | 'Z') && !has_sign && opens_word;
    !(is_article
        && (starts
            || !follows_noun
                && c == 'A'
                && !next.trim_start().starts_with("and ")
                && !next.trim_start().starts_with("or ")))
}
