//! What may become memory, decided by code: how a text is written, what vouches for it, what must never be kept.
//!
//! Never asks a model and never mends a text. Each guard reads English and Chinese; its labelled texts, and how often
//! it errs on them, are in `fixtures/guards/`.
//!
//! * [`form`](mod@form): length, characters, markdown structure.
//! * [`person`](mod@person), [`tone`](mod@tone), [`tense`](mod@tense): how it is said.
//! * [`facts`], [`lasting`](mod@lasting): one fact; no lasting fact in an episode.
//! * [`orders`](mod@orders): instructions to agents.
//! * [`secrets`]: keys, tokens, passwords; also redacts them.
//! * [`canary`]: our own prompts' examples.
//! * [`evidence`](mod@evidence): a quote and the turn that it stands in.
//! * [`consent`]: sensitive fields, and whether the user agreed.
//! * [`twin`](mod@twin): the same thing said already.

pub mod canary;
pub mod consent;
pub mod evidence;
pub mod facts;
pub mod form;
pub mod lasting;
pub mod orders;
pub mod person;
pub mod secrets;
pub mod tense;
pub mod tone;
pub mod twin;

pub use consent::{agreed, agreed_to, is_sensitive};
pub use evidence::{Proof, evidence};
pub use twin::twin;

use crate::text::phrase::{Token, has_han, tokens};
use crate::text::{prose, relative, sentences};

macro_rules! flaws {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $rule:literal;)+) => {
        /// Why a proposed text is turned down.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Flaw { $($(#[doc = $doc])+ $variant,)+ }

        impl Flaw {
            /// All flaws.
            pub const ALL: &'static [Flaw] = &[$(Flaw::$variant,)+];

            /// The stable, snake_case name.
            pub fn name(self) -> &'static str { match self { $(Flaw::$variant => $name,)+ } }

            /// The rule and how to mend the text, one sentence, for a model as for a person.
            pub fn rule(self) -> &'static str { match self { $(Flaw::$variant => $rule,)+ } }
        }
    };
}

flaws! {
    /// The quote stands nowhere in the conversation.
    NoEvidence = "no_evidence", "Quote, word for word, the user's or assistant's words that this rests on; leave it out if there are none.";
    /// The quote stands only in what the host put there, or in memory that was recalled.
    InjectedEvidence = "injected_evidence", "Text that the host injected or that memory recalled is no evidence; quote what was newly said, or leave this out.";
    /// The quote stands only in a tool's output.
    ToolEvidence = "tool_evidence", "Only a tool said this, so it waits for a person; quote a user's or assistant's turn if one said it too.";
    /// More characters than the policy allows.
    TooLong = "too_long", "A memory has at most as many characters as the policy allows (280 by default); keep the one fact and drop the rest.";
    /// More than two sentences.
    TooManySentences = "too_many_sentences", "A memory is one or two sentences; keep those that carry the fact.";
    /// Several things in one text.
    ManyFacts = "many_facts", "One memory holds one fact; propose each fact as a memory of its own.";
    /// First or second person.
    NotThirdPerson = "not_third_person", "Write in the third person: \"User …\" or a name instead of I, we or you.";
    /// A pronoun whose noun is elsewhere.
    Pronoun = "pronoun", "A memory stands alone: put the noun or name in place of he, she, it or they.";
    /// Praise, blame, exclamation.
    NotNeutral = "not_neutral", "Write in a neutral tone: no praise, no blame, no exclamation, no emoji.";
    /// An episode in the present or future.
    NotPastTense = "not_past_tense", "An episode tells in the past tense what was discussed, decided or done.";
    /// A lasting fact in an episode.
    StableFact = "stable_fact", "An episode tells what happened; propose a lasting fact or preference as a fact instead.";
    /// A date that depends on when it is read.
    RelativeDate = "relative_date", "Write dates in full (2026-02-24) instead of relative to today.";
    /// Control, bidirectional or invisible characters.
    ControlCharacters = "control_characters", "Use visible characters in one line only: no line breaks, control, bidirectional or zero-width characters.";
    /// Markdown structure.
    Heading = "heading", "Write plain text: no heading, list, quote, table or code block.";
    /// Front matter or a comment.
    FrontMatter = "front_matter", "Write plain text: no front matter and no HTML comment.";
    /// Orders to an agent.
    Instruction = "instruction", "Memory states facts and never gives orders; state a preference as the user's (\"User prefers …\") or leave it out.";
    /// A key, token or password.
    Secret = "secret", "Never store keys, tokens, passwords or card numbers; say where the secret is kept, or leave it out.";
    /// The very same text is there.
    Duplicate = "duplicate", "Memory says this already; change nothing.";
    /// Nearly the same text is there.
    NearDuplicate = "near_duplicate", "Memory says nearly this already; update that bullet if something is new, else change nothing.";
    /// From an example in our own prompt.
    Canary = "canary", "This comes from an example in the instructions, not from the conversation; leave it out.";
    /// A field that changes only with the user's consent.
    Sensitive = "sensitive", "This field changes only when the user agrees to have it remembered; it waits in the inbox.";
    /// Over a limit.
    Limit = "limit", "A limit is reached; remove or merge something first, or leave this out.";
    /// Outside the allowlist.
    NotAllowed = "not_allowed", "The policy does not let this agent write here; leave it out.";
}

/// A flaw and the words that show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Which.
    pub flaw: Flaw,
    /// The offending words, short; for secrets the kind of secret, never its text.
    pub what: String,
}

impl Found {
    fn new(flaw: Flaw, what: &str) -> Found {
        let mut short = String::new();
        for c in what.chars().filter(|c| !c.is_control()).take(60) {
            // Code and quoted words were blanked before the guards looked.
            match (c, short.chars().next_back()) {
                ('_', Some('_')) => short.replace_range(short.len() - 1.., "…"),
                ('_', Some('…')) => {}
                _ => short.push(c),
            }
        }
        Found { flaw, what: short }
    }
}

/// What a text is meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Something that holds.
    Fact,
    /// Something that happened.
    Episode,
}

/// What the policy says of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Most characters (Unicode scalar values).
    pub max_chars: usize,
    /// Fields that change only with consent.
    pub sensitive: Vec<String>,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            max_chars: 280,
            sensitive: ["preferred_name", "pronouns", "city", "language"].map(String::from).to_vec(),
        }
    }
}

/// A text as the guards read it.
pub struct Read<'a> {
    /// As it stands.
    text: &'a str,
    /// With code, quotes and addresses covered.
    prose: &'a str,
    /// The sentences of the prose, and their words.
    sentences: Vec<(&'a str, Vec<Token<'a>>)>,
    /// Whether there is anything to read for the Chinese rules.
    han: bool,
}

impl<'a> Read<'a> {
    fn new(text: &'a str, prose: &'a str) -> Read<'a> {
        let sentences = sentences::sentences(prose).into_iter().map(|s| (s, tokens(s))).collect();
        Read { text, prose, sentences, han: has_han(prose) }
    }

    /// Sentences and their words, for the English rules.
    fn english(&self) -> impl Iterator<Item = (&'a str, &[Token<'a>])> {
        self.sentences.iter().map(|(sentence, tokens)| (*sentence, tokens.as_slice()))
    }
}

/// Most sentences.
const SENTENCES: usize = 2;

/// Everything that a text alone tells; nothing where it may pass. Each flaw is told once.
pub fn writing(text: &str, kind: Kind, rules: &Rules) -> Vec<Found> {
    let mut found = form::form(text, rules.max_chars);
    // What the guards say of a text quotes it, and never a secret.
    let (text, secret) = (secrets::redact(text).0, secrets::find(text).first().map(|s| s.kind));
    let prose = prose::prose(&text);
    let read = Read::new(&text, &prose);
    if read.sentences.len() > SENTENCES {
        found.push(Found::new(Flaw::TooManySentences, &format!("{} sentences", read.sentences.len())));
    }
    found.extend(facts::several(&read, kind));
    found.extend(person::person(&read));
    found.extend(tone::tone(&read));
    if kind == Kind::Episode {
        found.extend(tense::tense(&read));
        found.extend(lasting::lasting(&read));
    }
    found.extend(relative::relative(&prose).map(|date| Found::new(Flaw::RelativeDate, date)));
    found.extend(orders::orders(&read));
    found.extend(secret.map(|kind| Found::new(Flaw::Secret, kind)));
    found.extend(canary::find(&text).map(|name| Found::new(Flaw::Canary, name)));
    found
}

#[cfg(test)]
mod tests;
