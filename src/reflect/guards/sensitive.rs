//! Detects sensitive fields, which change only with the user's consent.
//!
//! Never decides whether the user agreed: see [`super::consent`]. A field is recognised by its label, by phrases about
//! the user, by the same phrases without their subject ("Lives in Hamburg", 住在汉堡), and a number by its form. Another
//! subject is another matter: the name of the user's cat is not sensitive, and neither is the region where a server
//! lives.

use super::WritingRules;
use super::personal_numbers::{has_document_number, has_phone_number};
use crate::path::MemoryPath;
use crate::text::phrase::{PhrasePatterns, WordToken, is_capitalized, is_number, match_at, named_words, word_tokens};
use crate::text::prose_mask::{mask_non_prose, mask_phrases, split_label};
use crate::text::sentences::sentences;
use crate::text::verbs::{is_past_verb, is_third_person};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// A sensitive field, with the labels and phrases that identify it.
struct SensitiveField {
    /// The name in the policy; its labels are other names of the same field.
    name: &'static str,
    labels: WordList,
    english_phrases: PhrasePatterns,
    /// Phrases that count only before a capitalised name.
    place_phrases: PhraseList,
    han_phrases: PhrasePatterns,
}

const fn field(
    name: &'static str,
    labels: WordList,
    english: PhraseList,
    place_phrases: PhraseList,
    han: PhraseList,
) -> SensitiveField {
    SensitiveField {
        name,
        labels,
        english_phrases: PhrasePatterns::new(english),
        place_phrases,
        han_phrases: PhrasePatterns::new(han),
    }
}

/// The fields of the default policy, and others that a policy may name.
static FIELDS: [SensitiveField; 14] = [
    field(
        "preferred_name",
        word_list!("guards/consent/preferred_name/labels.txt"),
        phrase_list!("guards/consent/preferred_name/phrases.en.txt"),
        phrase_list!("guards/consent/preferred_name/place_phrases.en.txt"),
        phrase_list!("guards/consent/preferred_name/phrases.zh.txt"),
    ),
    field(
        "pronouns",
        word_list!("guards/consent/pronouns/labels.txt"),
        phrase_list!("guards/consent/pronouns/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/pronouns/phrases.zh.txt"),
    ),
    field(
        "city",
        word_list!("guards/consent/city/labels.txt"),
        phrase_list!("guards/consent/city/phrases.en.txt"),
        phrase_list!("guards/consent/city/place_phrases.en.txt"),
        phrase_list!("guards/consent/city/phrases.zh.txt"),
    ),
    field(
        "language",
        word_list!("guards/consent/language/labels.txt"),
        phrase_list!("guards/consent/language/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/language/phrases.zh.txt"),
    ),
    field(
        "birthday",
        word_list!("guards/consent/birthday/labels.txt"),
        phrase_list!("guards/consent/birthday/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/birthday/phrases.zh.txt"),
    ),
    field(
        "contact",
        word_list!("guards/consent/contact/labels.txt"),
        phrase_list!("guards/consent/contact/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/contact/phrases.zh.txt"),
    ),
    field(
        "employer",
        word_list!("guards/consent/employer/labels.txt"),
        phrase_list!("guards/consent/employer/phrases.en.txt"),
        phrase_list!("guards/consent/employer/place_phrases.en.txt"),
        phrase_list!("guards/consent/employer/phrases.zh.txt"),
    ),
    field(
        "family",
        word_list!("guards/consent/family/labels.txt"),
        phrase_list!("guards/consent/family/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/family/phrases.zh.txt"),
    ),
    field(
        "finances",
        word_list!("guards/consent/finances/labels.txt"),
        phrase_list!("guards/consent/finances/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/finances/phrases.zh.txt"),
    ),
    field(
        "health",
        word_list!("guards/consent/health/labels.txt"),
        phrase_list!("guards/consent/health/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/health/phrases.zh.txt"),
    ),
    field(
        "identity_number",
        word_list!("guards/consent/identity_number/labels.txt"),
        phrase_list!("guards/consent/identity_number/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/identity_number/phrases.zh.txt"),
    ),
    field(
        "orientation",
        word_list!("guards/consent/orientation/labels.txt"),
        phrase_list!("guards/consent/orientation/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/orientation/phrases.zh.txt"),
    ),
    field(
        "politics",
        word_list!("guards/consent/politics/labels.txt"),
        phrase_list!("guards/consent/politics/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/politics/phrases.zh.txt"),
    ),
    field(
        "religion",
        word_list!("guards/consent/religion/labels.txt"),
        phrase_list!("guards/consent/religion/phrases.en.txt"),
        PhraseList::EMPTY,
        phrase_list!("guards/consent/religion/phrases.zh.txt"),
    ),
];
/// Phrases in German, Spanish and French: before a place, before a name, and with a language.
const OTHER_PLACE_PHRASES: PhraseList = phrase_list!("guards/consent/city/place_phrases.other.txt");
const OTHER_NAME_PHRASES: PhraseList = phrase_list!("guards/consent/preferred_name/phrases.other.txt");
const OTHER_LANGUAGE_PHRASES: PhraseList = phrase_list!("guards/consent/language/phrases.other.txt");
/// Words that contain the characters of a field's phrases but are unrelated.
const HAN_UNRELATED: PhraseList = phrase_list!("guards/consent/unrelated.zh.txt");

/// The sensitive field that a text states, by its label or by an English or Chinese phrase.
///
/// A field of the policy without phrases in memdir is recognised by its label (`shoe_size`: "Shoe size: 42", "Shoe size
/// is 42").
pub fn sensitive_field(text: &str, rules: &WritingRules) -> Option<String> {
    stated_field(text, &rules.sensitive)
}

/// What may be the label of a value, if it is called like one of these fields: the name of its file, and the heading
/// above it in a file about the user. `Language` is another matter in a file about a project.
pub fn field_labels(heading: &str, path: &MemoryPath, fields: &[String]) -> Vec<String> {
    let is_about_user = PERSON_FILES.iter().any(|list| list.contains(&path.stem().to_lowercase()));
    let as_field = |name: &str| name.replace(['-', ' '], "_");
    let field_of = |name: &str| fields.iter().find(|field| as_field(name).eq_ignore_ascii_case(field));
    let names = [path.stem()].into_iter().chain(is_about_user.then_some(heading));
    names.filter_map(field_of).map(|field| field.replace('_', " ")).collect()
}

/// Names of files about the user.
const PERSON_FILES: [WordList; 2] =
    [word_list!("guards/consent/person_files.en.txt"), word_list!("guards/consent/person_files.zh.txt")];

/// The benign field that a text states.
pub fn benign_field(text: &str, rules: &WritingRules) -> Option<String> {
    stated_field(text, &rules.benign)
}

/// The most words of a label: "Preferred form of address".
const MAX_LABEL_WORDS: usize = 5;

pub(super) fn stated_field(text: &str, fields: &[String]) -> Option<String> {
    if fields.is_empty() {
        return None;
    }
    // `preferred_name: Eve`
    let text = &text.replace('_', " ");
    // Quoted pronouns and names may be the value of such a field; only code is replaced.
    let prose = mask_non_prose(text);
    let trimmed = text.trim_start_matches(['-', '*', ' ']);
    let by_colon = || trimmed.split_once(": ").filter(|(label, _)| word_tokens(label).len() <= MAX_LABEL_WORDS);
    let label = split_label(trimmed).or_else(by_colon).map(|(label, _)| label.trim_matches('*').to_lowercase());
    // "City (current)", "shoe-size"
    let is_label_of = |field: &SoughtField, label: &str| {
        let qualified = label.strip_suffix(')').and_then(|label| label.split_once(" ("));
        let is_plain = |words: &str| words.split_whitespace().all(|word| BEFORE_LABEL.contains(word));
        let label = qualified.filter(|(_, words)| is_plain(words)).map_or(label, |(label, _)| label);
        field.has_label(label) || field.has_label(&label.replace('-', " "))
    };
    let sentences: Vec<UserSentence<'_>> = sentences(&prose).into_iter().map(UserSentence::new).collect();
    let states = |field: &&String| {
        let field = SoughtField::new(field);
        label.as_deref().is_some_and(|label| is_label_of(&field, label))
            || sentences.iter().any(|s| field.is_stated(s))
            || field.is_number_in(text)
    };
    fields.iter().find(states).cloned()
}

/// A sentence, read as a statement about the user where its subject is missing or "I".
pub(super) struct UserSentence<'a> {
    text: &'a str,
    pub(super) words: Vec<WordToken<'a>>,
    han: String,
}

/// Words that may open a sentence before its verb.
const OPENING_ADVERBS: WordList = word_list!("guards/consent/opening_adverbs.en.txt");
/// Verb forms and adjectives that open a sentence without its subject, besides those of the lists of verbs.
const PREDICATES: WordList = word_list!("guards/consent/predicates.en.txt");
/// Openings of Chinese sentences without their subject.
const HAN_PREDICATES: PhraseList = phrase_list!("guards/consent/predicates.zh.txt");

impl<'a> UserSentence<'a> {
    pub(super) fn new(text: &'a str) -> UserSentence<'a> {
        let text = text.trim_start_matches(['-', '*', ' ']);
        let mut words = Vec::new();
        for token in word_tokens(text) {
            let added = |word: &str| WordToken { text: word.to_owned(), surface: &token.surface[..0], at: token.at };
            let read: &[&str] = match token.text.as_str() {
                "i" => &["user"],
                "i'm" => &["user", "is"],
                "i've" => &["user", "has"],
                "i'd" | "i'll" => &["user", "would"],
                "my" => &["user", "'s"],
                _ => &[],
            };
            words.extend(read.iter().map(|word| added(word)));
            if read.is_empty() {
                let after_i = words.last().is_some_and(|w: &WordToken<'_>| w.text == "user" && w.surface.is_empty());
                let text = if after_i { third_person(&token.text) } else { token.text };
                words.push(WordToken { text, ..token });
            }
        }
        let first = words.iter().find(|w| !OPENING_ADVERBS.contains(&w.text));
        let opens =
            |w: &WordToken<'_>| is_third_person(&w.text) || is_past_verb(&w.text) || PREDICATES.contains(&w.text);
        if first.is_some_and(opens) && words.iter().take(3).all(|w| w.text != "user") {
            words.insert(0, WordToken { text: "user".into(), surface: &text[..0], at: 0 });
        }
        let han = mask_phrases(text, HAN_UNRELATED).replace("我们", "______").replace("自我", "自_");
        let han = han.replace("本人", "用户").replace('我', "用户");
        let opening = han.trim_start_matches(|c: char| c.is_ascii_digit() || "年月日前后起，初底 ".contains(c));
        let no_subject = HAN_PREDICATES.iter().any(|verb| opening.starts_with(verb)) && !han.starts_with("用户");
        let han = if no_subject { format!("用户{opening}") } else { han };
        UserSentence { text, words, han }
    }
}

/// The form of a verb after "user" instead of "I": live → lives. Unchanged without one.
fn third_person(word: &str) -> String {
    match word {
        "am" => "is".into(),
        "have" => "has".into(),
        "go" => "goes".into(),
        _ if is_third_person(&format!("{word}s")) => format!("{word}s"),
        _ => word.into(),
    }
}

/// A field of the policy, with what memdir knows about it.
pub(super) struct SoughtField {
    /// The name as a label: `blood_type` → "blood type", `goals_add` → "goals".
    spoken: String,
    known: Option<&'static SensitiveField>,
}

/// Words that may stand before a Chinese label.
const HAN_LABEL_OPENINGS: PhraseList = phrase_list!("guards/consent/label_openings.zh.txt");
/// Words that may stand before a label: "User's current city is".
const BEFORE_LABEL: WordList = word_list!("guards/consent/before_label.en.txt");

impl SoughtField {
    pub(super) fn new(field: &str) -> SoughtField {
        let name = field.to_lowercase();
        let spoken = name.strip_suffix("_add").unwrap_or(&name).replace(['_', '-'], " ");
        let known =
            FIELDS.iter().find(|f| f.name == name).or_else(|| FIELDS.iter().find(|f| f.labels.contains(&spoken)));
        SoughtField { spoken, known }
    }

    /// `label` is in lower case.
    pub(super) fn has_label(&self, label: &str) -> bool {
        let parts =
            || label.split([',', '/', '&', '、', '和', '或']).flat_map(|part| part.split(" and ")).map(str::trim);
        // "Handle among friends", 户籍所在地: a label with where, when or for whom it holds.
        let limited = [" among ", " for ", " in ", " with ", " at ", " on ", " to "]
            .iter()
            .find_map(|word| label.split_once(word));
        let mut whose = HAN_LABEL_OPENINGS.iter().filter_map(|word| label.strip_prefix(word));
        let is_limited =
            limited.is_some_and(|(label, _)| self.is_label(label)) || whose.any(|rest| self.is_label(rest));
        self.is_label(label) || is_limited || parts().any(|part| part != label && self.is_label(part))
    }

    fn is_label(&self, label: &str) -> bool {
        label == self.spoken
            || Some(label) == self.spoken.strip_suffix('s')
            || self.known.is_some_and(|known| known.labels.contains(label))
    }

    /// Whether a text contains a number of the field, recognised by its form; in code and quotes, too.
    fn is_number_in(&self, text: &str) -> bool {
        let has_number = match self.known.map(|known| known.name) {
            Some("contact") => has_phone_number,
            Some("identity_number") => has_document_number,
            _ => return false,
        };
        sentences(text).into_iter().any(has_number)
    }

    fn is_stated(&self, sentence: &UserSentence<'_>) -> bool {
        if self.is_stated_by_label(&sentence.words) {
            return true;
        }
        let (Some(known), words) = (self.known, &sentence.words) else { return false };
        // "Teaches a class about pronouns" is about words.
        let is_subject = |pair: &[WordToken<'_>]| {
            matches!(&*pair[0].text, "about" | "on" | "of" | "covers") && pair[1].text.starts_with("pronoun")
        };
        if known.name == "pronouns" && words.windows(2).any(is_subject) {
            return false;
        }
        // 用户的母亲搬到了海口: where a relative lives.
        let relative =
            sentence.han.strip_prefix("用户的").filter(|_| matches!(known.name, "city" | "employer" | "language"));
        if relative.is_some_and(super::grounding::chinese_words::starts_with_person) {
            return false;
        }
        let words = if known.name == "city" { &words[..relative_clause_start(words)] } else { &words[..] };
        let is_name = |at| known.name != "preferred_name" || is_named(words, at);
        known.english_phrases.find_where(words, |range| is_name(range.end)).is_some()
            || known.name == "preferred_name" && prefers_short_name(words)
            || !moves_something(words) && phrase_ends(words, known.place_phrases).any(|end| is_place(words, end))
            || known.name == "language"
                && phrase_ends(words, LANGUAGE_VERBS).any(|end| is_language(sentence.text, words, end))
            || known.han_phrases.find_unspaced(&sentence.han).is_some()
            || match known.name {
                "city" => is_home(words) || phrase_ends(words, OTHER_PLACE_PHRASES).any(|end| is_place(words, end)),
                "preferred_name" => phrase_ends(words, OTHER_NAME_PHRASES).any(|end| is_named(words, end)),
                "language" => phrase_ends(words, OTHER_LANGUAGE_PHRASES).next().is_some(),
                _ => false,
            }
    }

    /// "Preferred name is Ana", "User's home is Hamburg": a label before its value.
    fn is_stated_by_label(&self, words: &[WordToken<'_>]) -> bool {
        let start = words.iter().take_while(|w| BEFORE_LABEL.contains(&w.text)).count();
        let owned = words[..start].iter().any(|w| w.text == "'s");
        (start.saturating_sub(1)..=start).any(|start| {
            (1..=3).any(|length| {
                let Some(label) = words.get(start..start + length) else { return false };
                let label: Vec<&str> = label.iter().map(|w| w.text.as_str()).collect();
                let copula = words.get(start + length).is_some_and(|w| matches!(w.text.as_str(), "is" | "are" | "was"));
                copula && self.has_label(&label.join(" ")) && self.is_value(words, start + length + 1, owned)
            })
        })
    }

    /// Whether the words after a label are a value of the field, where the label alone may be about something else.
    fn is_value(&self, words: &[WordToken<'_>], at: usize, owned: bool) -> bool {
        match self.known.map(|known| known.name) {
            Some("city") => is_place(words, at + usize::from(words.get(at).is_some_and(|w| w.text == "in"))),
            Some("language") => words[at.min(words.len())..].iter().any(|w| named_words("languages").contains(&w.text)),
            Some("preferred_name") => is_named(words, at),
            Some(_) | None => owned || at < words.len(),
        }
    }
}

/// Where a clause about another person begins: "The user has a brother, Emil, | who lives in Bergen". The number of
/// words if there is none, as in "The user, who lives in Cork, has a brother".
fn relative_clause_start(words: &[WordToken<'_>]) -> usize {
    let tells_of_other = |who: usize| {
        let own = words[..who].iter().rposition(|w| w.text == "user").map_or(0, |user| user + 1);
        words[own..who].iter().any(|w| super::grounding::scope::is_person(&w.text))
    };
    let opens = |pair: &[WordToken<'_>]| pair[0].text == "who" && is_third_person(&pair[1].text);
    let mut clauses = words.windows(2).enumerate().filter(|(_, pair)| opens(pair)).map(|(at, _)| at);
    clauses.find(|at| tells_of_other(*at)).unwrap_or(words.len())
}

/// The token index after each match of a phrase.
fn phrase_ends<'a>(words: &'a [WordToken<'_>], patterns: PhraseList) -> impl Iterator<Item = usize> + 'a {
    let fit = move |at: usize| patterns.iter().filter_map(move |one| Some(at + match_at(words, at, &[one])?));
    (0..words.len()).flat_map(fit)
}

/// Phrases before a language that is spoken: "speaks", "replies in".
const LANGUAGE_VERBS: PhraseList = phrase_list!("guards/consent/language_verbs.en.txt");
/// Words that may occur between the verb and the language.
const LANGUAGE_MODIFIERS: WordList = word_list!("guards/consent/language_modifiers.en.txt");

/// Whether a language follows, and not an adjective of nationality: "a French novel".
fn is_language(prose: &str, words: &[WordToken<'_>], from: usize) -> bool {
    let skipped = words[from..]
        .iter()
        .take_while(|w| LANGUAGE_MODIFIERS.contains(&w.text) && !named_words("languages").contains(&w.text))
        .count();
    let Some(word) = words.get(from + skipped.min(4)) else { return false };
    if !named_words("languages").contains(&word.text) || !is_capitalized(word.surface) {
        return false;
    }
    let after = &prose[word.at + word.surface.len()..];
    let next = words.get(from + skipped.min(4) + 1);
    !after.starts_with(' ') || next.is_none_or(|w| is_capitalized(w.surface) || AFTER_LANGUAGE.contains(&w.text))
}

/// Words that may follow a spoken language.
const AFTER_LANGUAGE: WordList = word_list!("guards/consent/after_language.en.txt");
/// Capitalised words after "moved to" and the like that are not places: tools, months.
const NOT_PLACES: WordList = word_list!("guards/consent/not_places.en.txt");

/// "Prefers Theodora to Theo": two forms of one name.
fn prefers_short_name(words: &[WordToken<'_>]) -> bool {
    let is_form = |w: &WordToken<'_>| is_capitalized(w.surface) && w.text.chars().count() > 1;
    words.windows(4).any(|part| {
        let [verb, one, joint, other] = part else { return false };
        let same = one.text.chars().zip(other.text.chars()).take_while(|(a, b)| a == b).count();
        matches!(verb.text.as_str(), "prefers" | "likes" | "is" | "uses" | "says")
            && matches!(joint.text.as_str(), "to" | "over" | "not" | "instead" | "for")
            && is_form(one)
            && is_form(other)
            && same >= 2
            && one.text != other.text
    })
}

/// "Moved the repositories to Git": what moved is a thing, not the user.
fn moves_something(words: &[WordToken<'_>]) -> bool {
    let is_own =
        |w: &WordToken<'_>| matches!(w.text.as_str(), "family" | "household" | "home" | "house" | "parents" | "kids");
    words.windows(2).any(|pair| {
        matches!(pair[0].text.as_str(), "moved" | "moves" | "transferred" | "shifted" | "migrated")
            && (is_number(&pair[1].text)
                || matches!(
                    pair[1].text.as_str(),
                    "the" | "a" | "an" | "all" | "some" | "his" | "her" | "their" | "its" | "our" | "every"
                ))
    }) && !words.iter().any(is_own)
}

/// "User is called Nan"; not "User is called before each release".
fn is_named(words: &[WordToken<'_>], at: usize) -> bool {
    let at =
        at + usize::from(words.get(at).is_some_and(|w| matches!(w.text.as_str(), "to" | "simply" | "just" | "only")));
    // CVE, API: a name of a thing.
    let is_acronym = |w: &WordToken<'_>| w.surface.len() > 2 && w.surface.chars().all(char::is_uppercase);
    let is_name = |w: &WordToken<'_>| is_capitalized(w.surface) && !is_acronym(w);
    let is_part = |w: &WordToken<'_>| {
        matches!(w.text.as_str(), "surname" | "first" | "last" | "family" | "full" | "given" | "nickname" | "initials")
    };
    if words.get(at).is_some_and(|w| matches!(w.text.as_str(), "the" | "by"))
        && words[at + 1..].iter().take(2).any(is_part)
    {
        return true;
    }
    words.get(at).is_none_or(|w| is_name(w) || w.surface.starts_with(|c: char| !c.is_ascii()))
        || words.get(at).is_some_and(|w| matches!(w.text.as_str(), "by" | "as" | "dr"))
}

/// "Porto is home now": a name before the verb. Not "home again", "home since Friday": a person.
fn is_home(words: &[WordToken<'_>]) -> bool {
    let Some(home) = words.iter().position(|w| w.text == "home") else { return false };
    let is_verb = |w: &WordToken<'_>| matches!(w.text.as_str(), "is" | "became" | "remains" | "stays");
    let Some(verb) = words[..home].iter().rposition(is_verb) else { return false };
    let is_own = |w: &WordToken<'_>| matches!(w.text.as_str(), "now" | "still" | "currently" | "user" | "'s");
    let ends = |w: &WordToken<'_>| matches!(w.text.as_str(), "now" | "these");
    verb > 0
        && is_place(words, verb - 1)
        && words[verb + 1..home].iter().all(is_own)
        && words.get(home + 1).is_none_or(ends)
}

/// "lives in Cork", "moved to the Hague"; not "lives in a van", "moved to a four-day week".
fn is_place(words: &[WordToken<'_>], at: usize) -> bool {
    let at = at
        + usize::from(words.get(at).is_some_and(|w| {
            matches!(w.text.as_str(), "the" | "now" | "central" | "downtown" | "north" | "south" | "east" | "west")
        }));
    words.get(at).is_some_and(|w| is_capitalized(w.surface) && !NOT_PLACES.contains(&w.text))
}
