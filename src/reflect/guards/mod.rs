//! Checks texts before they become memory: form and style, evidence, and content that must never be stored.
//!
//! Never calls a model and never corrects a text. Each guard covers English and Chinese; its labelled texts are in
//! `fixtures/guards/`, and a test measures its precision and recall on them.
//!
//! * [`form`](mod@form): length, characters, markdown structure.
//! * [`person`](mod@person), [`tone`](mod@tone), [`tense`](mod@tense): style.
//! * [`facts`], [`lasting`](mod@lasting): one fact per memory; no lasting facts in episodes.
//! * [`orders`](mod@orders): instructions to agents.
//! * [`advice`]: what the user or others ought to do, in texts without a quote.
//! * [`permission`]: rights for agents, and consent in advance.
//! * `text::secrets`: keys, tokens, passwords; also redacts them.
//! * [`canary`]: the examples of memdir's own prompts.
//! * [`evidence`](mod@evidence): the turn that contains a quote.
//! * [`grounding`](mod@grounding): what the quote's turn does not contain, or puts together in another way.
//! * [`sensitive`]: sensitive fields; [`consent`]: whether the user agreed to have one remembered, `removal_consent` to
//!   have one removed.
//! * [`corrections`]: what a user took back and what stands in its place.
//! * [`ending`]: whether the user says that a bullet ended.
//! * [`withheld`]: requests of the user not to keep what was said.
//! * [`duplicate`](mod@duplicate): texts that the memory contains already, or contradicts.

pub mod advice;
pub mod canary;
mod chinese_clause;
pub mod consent;
pub mod corrections;
pub mod duplicate;
pub mod ending;
pub mod evidence;
pub mod facts;
pub mod form;
pub mod grounding;
pub mod lasting;
mod memory_request;
pub mod orders;
pub mod permission;
pub mod person;
mod personal_numbers;
mod possible_contradiction;
pub mod relation;
mod removal_consent;
pub mod sensitive;
pub mod step;
pub mod tense;
pub mod tone;
pub mod withheld;

#[cfg(test)]
use consent::has_consent;
pub use consent::has_consent_for;
pub use duplicate::{RelatedText, find_related, find_related_or_exclusive, find_related_or_possible, is_repeated};
pub use evidence::{QuoteEvidence, find_evidence};
pub use grounding::{GroundingSources, agrees, check_agreement, check_grounding, check_last_day, check_particulars};
use possible_contradiction::opposite_states;
pub use removal_consent::{agrees_to_removal, asks_for_removal};
pub use sensitive::{benign_field, field_labels, sensitive_field};
pub use withheld::find_withheld;

use crate::text::phrase::{WordToken, has_unspaced_script, word_tokens};
use crate::text::secrets;
use crate::text::{prose_mask, relative_dates, sentences};

/// What happens to a proposal with a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It is refused; the model gets the rule and may correct it.
    Refuse,
    /// It waits in the inbox for a person's decision.
    Review,
    /// It is not needed: the memory contains it already.
    Known,
}

/// Texts that are no memories, which style rules do not concern: a violation counts there only if its row names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherText {
    /// A heading or the name of a file; a pronoun or a date is fine there.
    Name,
    /// The reason of an operation, which goes into the journal, and which agents read, too.
    Reason,
    /// What `compact` writes: it restates what people wrote.
    Compaction,
}

use OtherText::{Compaction, Name, Reason};
use Severity::{Known, Refuse, Review};

macro_rules! violations {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $severity:ident, [$($other:ident),*], $rule:literal;)+) => {
        /// Why a proposed text is refused or needs review.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Violation { $($(#[doc = $doc])+ $variant,)+ }

        impl Violation {
            #[cfg(test)]
            pub const ALL: &'static [Violation] = &[$(Violation::$variant,)+];

            /// The stable, snake_case name.
            pub fn name(self) -> &'static str { match self { $(Violation::$variant => $name,)+ } }

            /// The rule and how to correct the text: one sentence, for models and users.
            pub fn rule(self) -> &'static str { match self { $(Violation::$variant => $rule,)+ } }

            pub fn severity(self) -> Severity { match self { $(Violation::$variant => $severity,)+ } }

            /// Whether it counts in a text that is no memory.
            pub fn concerns(self, text: OtherText) -> bool {
                let others: &[OtherText] = match self { $(Violation::$variant => &[$($other),*],)+ };
                others.contains(&text)
            }
        }
    };
}

// A row: name, severity, the other texts that it concerns, rule.
violations! {
    /// The conversation does not contain the quote.
    NoEvidence = "no_evidence", Refuse, [], "Quote, word for word, what the user or the assistant wrote as evidence for this; leave it out if there is none.";
    /// Only injected turns or recalled memory contain the quote.
    InjectedEvidence = "injected_evidence", Refuse, [], "Text injected by the host or recalled from memory is not evidence; quote a new message, or leave this out.";
    /// Only tool output contains the quote.
    ToolEvidence = "tool_evidence", Review, [], "Only tool output contains this, so it needs review by the user; quote a turn of the user or the assistant if one contains it, too.";
    /// Only a passage that the user pasted contains the quote.
    PastedEvidence = "pasted_evidence", Review, [], "Only a passage that the user pasted (code, a quoted mail, a file, output) contains this, so it needs review by the user; quote the user's own sentence if there is one.";
    /// Names, numbers, dates or a negation that the evidence does not contain.
    Ungrounded = "ungrounded", Review, [], "The evidence does not contain these words; a person decides. Every name, number, date and negation must be in the quoted turn, or in the text that is updated.";
    /// The quote is not about the bullet that is removed or replaced.
    Unrelated = "unrelated", Review, [], "The quote says nothing of the bullet that it would remove or replace; a person decides. Quote the turn that names it.";
    /// More characters than the policy allows.
    TooLong = "too_long", Refuse, [Name, Reason], "A memory has at most as many characters as the policy allows (280 by default); keep the one fact and drop the rest.";
    /// More than two sentences.
    TooManySentences = "too_many_sentences", Refuse, [], "A memory is one or two sentences; keep those that carry the fact.";
    /// Several facts in one text.
    ManyFacts = "many_facts", Refuse, [], "One memory holds one fact; propose each fact as a memory of its own.";
    /// First or second person.
    NotThirdPerson = "not_third_person", Refuse, [], "Write in the third person: \"User …\" or a name instead of I, we or you.";
    /// A pronoun without its noun.
    Pronoun = "pronoun", Refuse, [], "A memory is read without context: replace he, she, it and they by the noun or name.";
    /// Praise, blame, exclamation.
    NotNeutral = "not_neutral", Refuse, [], "Write in a neutral tone: no praise, no blame, no exclamation, no emoji.";
    /// A step of a procedure that tells what was done.
    NotImperative = "not_imperative", Refuse, [], "A step says what to do, in the imperative: \"Run the tests\".";
    /// An episode in the present or future.
    NotPastTense = "not_past_tense", Refuse, [], "An episode describes in the past tense what was discussed, decided or done.";
    /// A lasting fact in an episode.
    StableFact = "stable_fact", Refuse, [], "An episode describes what happened; propose a lasting fact or preference as a fact instead.";
    /// A date relative to the day of writing.
    RelativeDate = "relative_date", Refuse, [], "Write dates in full (2026-02-24) instead of relative to today.";
    /// Control, bidirectional or invisible characters.
    ControlCharacters = "control_characters", Refuse, [Name, Reason, Compaction], "Use visible characters in one line only: no line breaks, control, bidirectional or zero-width characters.";
    /// Markdown structure.
    Heading = "heading", Refuse, [], "Write plain text: no heading, list, quote, table or code block.";
    /// Front matter, a comment, or a tag of the prompt.
    FrontMatter = "front_matter", Refuse, [Name, Reason, Compaction], "Write plain text: no front matter, no HTML comment, and no tag that stands around the memory or the conversation.";
    /// Instructions to an agent.
    Instruction = "instruction", Refuse, [Name, Reason, Compaction], "A memory states facts and never gives instructions; say what the user wants as a statement about the user, with the same quote (\"The user wants tests run before every commit\"), or leave it out.";
    /// Rights for agents, or consent in advance to what they do.
    Permission = "permission", Review, [Name, Reason, Compaction], "What gives agents rights, approves their actions in advance, runs something, skips a check or shows a secret is decided by a person; it waits in the inbox.";
    /// A key, token or password.
    Secret = "secret", Refuse, [Name, Reason, Compaction], "Never store keys, tokens, passwords or card numbers; state where the secret is kept, or leave it out.";
    /// The memory contains the same text.
    Duplicate = "duplicate", Known, [], "The memory contains this already; change nothing.";
    /// The memory contains a similar text.
    NearDuplicate = "near_duplicate", Known, [], "The memory contains nearly this already; update that bullet if something is new, otherwise change nothing.";
    /// The memory contains a text that excludes this one.
    Contradiction = "contradicts", Refuse, [], "The memory says otherwise: update that bullet by its handle, add a bullet that says when or where this holds, or change nothing.";
    /// The memory contains a text that may exclude this one.
    PossibleContradiction = "may_contradict", Refuse, [], "The memory has something that may exclude this: update that bullet by its handle, add this with the words that say when or where it holds, or change nothing. The same text again is kept beside it, unless one value or state of the same thing differs: then a person decides.";
    /// A name from an example in memdir's own prompt.
    Canary = "canary", Refuse, [Name, Compaction], "This is from an example in the instructions, not from the conversation; leave it out.";
    /// A sensitive field, without the user's consent.
    Sensitive = "sensitive", Review, [], "This field changes only if the user agreed to have it remembered; it waits in the inbox.";
    /// A removal of what the user did not say to have ended.
    NotEnded = "not_ended", Review, [], "A bullet is removed if the user says that it ended, is wrong or should be forgotten; it waits in the inbox.";
    /// A removal of a pinned bullet, or an expiry for it.
    Pinned = "pinned", Review, [], "What is pinned is removed, or given an expiry, by a person; it waits in the inbox.";
    /// An expiry that has passed.
    Expired = "expired", Review, [], "An expiry that has passed hides the bullet at once, so a person decides; give the last day on which it holds, or leave it out.";
    /// What the user asked not to keep.
    Withheld = "withheld", Refuse, [], "The user asked not to have this remembered; leave it out.";
    /// What a text that the user pasted asks not to keep.
    MaybeWithheld = "maybe_withheld", Review, [], "A text that the user pasted asks not to have this remembered; a person decides whether that is the user's wish.";
    /// A benign field that only one conversation states.
    Uncorroborated = "uncorroborated", Review, [], "This field changes once a second conversation states the same, or the user asks to have it remembered; until then it waits in the inbox.";
    /// Over a limit of the policy.
    Limit = "limit", Refuse, [], "A limit is reached; remove or merge something first, or leave this out.";
    /// Not permitted by the policy or to a model.
    NotAllowed = "not_allowed", Refuse, [], "The policy does not let this agent write here; leave it out.";
}

/// A violation and an excerpt of the text that causes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardFinding {
    pub violation: Violation,
    /// The violating words, at most 60 characters; for a secret its kind, never its text.
    pub excerpt: String,
}

impl GuardFinding {
    fn new(violation: Violation, excerpt: &str) -> GuardFinding {
        let mut short = String::new();
        for c in excerpt.chars().filter(|c| !c.is_control()).take(60) {
            // Code and quoted words were replaced by `_` for the guards; shorten runs of it to `…`.
            match (c, short.chars().next_back()) {
                ('_', Some('_')) => short.replace_range(short.len() - 1.., "…"),
                ('_', Some('…')) => {}
                _ => short.push(c),
            }
        }
        GuardFinding { violation, excerpt: short }
    }
}

/// Findings by what they mean for a proposal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingsBySeverity {
    pub refuse: Vec<GuardFinding>,
    pub review: Vec<GuardFinding>,
    pub known: Vec<GuardFinding>,
}

impl FindingsBySeverity {
    pub fn of(findings: Vec<GuardFinding>) -> FindingsBySeverity {
        let mut all = FindingsBySeverity::default();
        for finding in without_parts_of_secrets(findings) {
            match finding.violation.severity() {
                Refuse => all.refuse.push(finding),
                Review => all.review.push(finding),
                Known => all.known.push(finding),
            }
        }
        all
    }
}

/// Findings that may be printed: beside a secret, no other one quotes the text, because words of it may be parts of the
/// secret that no longer look like one.
pub fn without_parts_of_secrets(findings: Vec<GuardFinding>) -> Vec<GuardFinding> {
    let has_secret = findings.iter().any(|finding| finding.violation == Violation::Secret);
    let printable = |finding: GuardFinding| {
        if has_secret && finding.violation != Violation::Secret {
            GuardFinding { excerpt: String::new(), ..finding }
        } else {
            GuardFinding { excerpt: secrets::redact(&finding.excerpt).0, ..finding }
        }
    };
    findings.into_iter().map(printable).collect()
}

/// The kind of memory that a text is intended as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Something that is true.
    Fact,
    /// Something that happened.
    Episode,
}

/// The policy's rules for texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WritingRules {
    /// The maximum length, in characters (Unicode scalar values).
    pub max_chars: usize,
    /// The fields that change only with the user's consent.
    pub sensitive: Vec<String>,
    /// The fields that change once two conversations state them.
    pub benign: Vec<String>,
}

impl Default for WritingRules {
    fn default() -> WritingRules {
        WritingRules {
            max_chars: 280,
            sensitive: ["preferred_name", "pronouns", "city", "language"].map(String::from).to_vec(),
            benign: Vec::new(),
        }
    }
}

/// A text, prepared for the guards.
pub struct GuardText<'a> {
    /// The text, with secrets redacted.
    text: &'a str,
    /// The text with code, quotes and addresses replaced by `_`; byte offsets are unchanged.
    prose: &'a str,
    /// The sentences of `prose`, with their words.
    sentences: Vec<(&'a str, Vec<WordToken<'a>>)>,
    /// Whether `prose` has Chinese characters.
    han: bool,
}

impl<'a> GuardText<'a> {
    fn new(text: &'a str, prose: &'a str) -> GuardText<'a> {
        let sentences = sentences::sentences(prose).into_iter().map(|s| (s, word_tokens(s))).collect();
        GuardText { text, prose, sentences, han: has_unspaced_script(prose) }
    }

    /// The sentences with their words, for the English rules.
    fn english_sentences(&self) -> impl Iterator<Item = (&'a str, &[WordToken<'a>])> {
        self.sentences.iter().map(|(sentence, tokens)| (*sentence, tokens.as_slice()))
    }
}

/// The maximum number of sentences in a memory.
const MAX_SENTENCES: usize = 2;

/// Up to how many times the length that is allowed, in bytes for characters, a text is checked by all rules.
const MAX_READ_LENGTHS: usize = 16;

/// All violations that the text alone shows; empty if it passes. Each guard reports at most one per violation.
pub fn check_text(text: &str, kind: MemoryKind, rules: &WritingRules) -> Vec<GuardFinding> {
    let mut found = form::check_form(text, rules.max_chars);
    // What is refused for its length is not read further: a reply may have megabytes.
    if text.len() > rules.max_chars.saturating_mul(MAX_READ_LENGTHS) {
        return found;
    }
    // Findings quote the text, so redact secrets first.
    let secrets = secrets::find_secrets(text);
    let (text, secret) = (secrets::redact_found(text, &secrets).0, secrets.first().map(|s| s.kind));
    let prose = prose_mask::mask_non_prose(&text);
    let input = GuardText::new(&text, &prose);
    if input.sentences.len() > MAX_SENTENCES {
        found.push(GuardFinding::new(Violation::TooManySentences, &format!("{} sentences", input.sentences.len())));
    }
    found.extend(facts::check_single_fact(&input, kind));
    found.extend(person::check_person(&input));
    found.extend(tone::check_tone(&input));
    if kind == MemoryKind::Episode {
        found.extend(tense::check_tense(&input));
        found.extend(lasting::check_lasting(&input));
    }
    found.extend(
        relative_dates::find_relative_date(&prose).map(|date| GuardFinding::new(Violation::RelativeDate, date)),
    );
    found.extend(orders::check_orders(&input, kind));
    found.extend(permission::check_permission(&input));
    found.extend(secret.map(|kind| GuardFinding::new(Violation::Secret, kind)));
    found.extend(canary::find_canary(&text).map(|name| GuardFinding::new(Violation::Canary, name)));
    found
}

#[cfg(test)]
mod other_author_tests;
#[cfg(test)]
mod tests;
