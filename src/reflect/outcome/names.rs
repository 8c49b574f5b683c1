//! Checks what a change creates beside its bullets: headings, names of files, titles of episodes, and the day of one.
//!
//! Never asks for a source of a topic that names nothing ("Food and drink"): a file has to be called something.

use super::{PlannedEffects, days_said};
use crate::change::EffectSign;
use crate::operation::Action;
use crate::reflect::guards::{self, GroundingSources, GuardFinding, Violation};
use crate::reflect::judge::JudgeContext;
use crate::reflect::proposal::Proposal;
use crate::text::verbs::{is_past_verb, is_third_person};
use crate::text::{stem, word_frequency};
use crate::transcript::{Role, Turn};

/// A heading of more words may state something.
const MAX_TOPIC_WORDS: usize = 2;
/// A bullet of more words is no bare value of its heading.
const MAX_VALUE_WORDS: usize = 3;

/// The first created heading, file name or title that states what the conversation does not, and a day of an episode
/// that is neither the conversation's nor named in it.
pub(super) fn ungrounded_name(
    proposal: &Proposal,
    planned: &PlannedEffects<'_>,
    context: &JudgeContext<'_>,
) -> Option<GuardFinding> {
    let own = |t: &&Turn| !t.injected && matches!(t.role, Role::User | Role::Assistant);
    let turns: Vec<&Turn> = context.turns.iter().filter(own).collect();
    let removed = planned.effects.iter().filter(|e| e.sign == EffectSign::Removed).map(|e| e.text.as_str());
    let kept = planned.files.iter().filter(|file| file.before).map(|file| file.path.as_str());
    let sources = GroundingSources {
        quote: proposal.quote.as_deref().unwrap_or_default(),
        texts: turns.iter().map(|t| t.text.as_str()).chain(removed).chain(kept).collect(),
        times: days_said(&turns, context),
        days: days_said(&turns, context),
        ..GroundingSources::default()
    };
    if let Action::Append { title, date, .. } = &proposal.operation.action {
        let of_title = title.as_deref().and_then(|title| guards::check_particulars(&as_topic(title), &sources));
        return of_title.or_else(|| foreign_day(date.as_deref()?, &turns, &sources, context.today));
    }
    created_names(planned).into_iter().find_map(|name| {
        if is_statement(&name) {
            guards::check_grounding(&name, &sources, &[])
        } else {
            guards::check_particulars(&as_topic(&name), &sources)
        }
    })
}

/// The sensitive field that a created heading or file name states, alone or with the value below it, and the statement.
pub(super) fn fields_of_names(planned: &PlannedEffects<'_>, context: &JudgeContext<'_>) -> Option<(String, String)> {
    let added = planned.effects.iter().filter(|e| e.sign == EffectSign::Added && e.handle.is_some());
    let with_label = added.flat_map(|e| {
        let is_value = e.text.split_whitespace().count() <= MAX_VALUE_WORDS && !e.text.contains([':', '：']);
        let heading = e.section.as_deref().filter(|_| is_value).unwrap_or_default();
        let fields: &[String] = if is_value { &context.rules.sensitive } else { &[] };
        guards::field_labels(heading, &e.path, fields).into_iter().map(|label| format!("{label}: {}", e.text))
    });
    let all = created_names(planned).into_iter().chain(with_label);
    all.into_iter().find_map(|text| Some((guards::sensitive_field(&text, context.rules)?, text)))
}

/// The headings that are added, and the names of the files that are created; not of episodes, which memdir names.
fn created_names(planned: &PlannedEffects<'_>) -> Vec<String> {
    let is_named = |folder: Option<&str>| !matches!(folder, Some("episodes" | "archive"));
    let headings = planned.effects.iter().filter(|e| {
        e.sign == EffectSign::Added
            && e.handle.is_none()
            && is_named(e.path.folder())
            && !e.text.starts_with("summary=")
    });
    let created = planned.files.iter().filter(|file| !file.before && is_named(file.path.folder()));
    let stems = created.filter_map(|file| file.path.as_str().trim_end_matches(".md").rsplit('/').next());
    let mut names: Vec<String> =
        headings.map(|e| e.text.trim_start_matches('#').trim_end_matches(':').trim().to_owned()).collect();
    for stem in stems.map(|stem| stem.replace(['-', '_'], " ")) {
        // A place is recognised by its capital letter.
        let capitalised: Vec<String> = stem.split(' ').map(capitalise).collect();
        // The title that memdir derives from the name.
        names.retain(|name| !name.eq_ignore_ascii_case(&stem));
        names.push(capitalised.join(" "));
    }
    names
}

/// Whether a name has a verb.
fn is_statement(name: &str) -> bool {
    let is_verb =
        |word: &str| is_third_person(word) || is_past_verb(word) || matches!(word, "is" | "has" | "are" | "was");
    let low = name.to_lowercase();
    let words: Vec<&str> = low.split_whitespace().collect();
    words.len() > MAX_TOPIC_WORDS && words.iter().any(|word| is_verb(word))
}

/// A name with its common words in lower case: those are no names in a title, either. A single letter names nothing.
fn as_topic(name: &str) -> String {
    let plain = |word: &str| {
        if word_frequency::per_mille(&stem(&word.to_lowercase())) > 0 { word.to_lowercase() } else { word.to_owned() }
    };
    let words = name.split_whitespace().filter(|word| word.chars().count() > 1);
    // The first word has a capital letter wherever it comes from.
    words
        .enumerate()
        .map(|(i, word)| if i == 0 { word.to_lowercase() } else { plain(word) })
        .collect::<Vec<_>>()
        .join(" ")
}

fn capitalise(word: &str) -> String {
    let mut chars = word.chars();
    match chars.next() {
        Some(first) if word.chars().count() > 3 => first.to_uppercase().chain(chars).collect(),
        _ => word.to_owned(),
    }
}

/// A day that is neither today, if the turns have no day, nor that of a turn, nor named in the sources.
fn foreign_day(day: &str, turns: &[&Turn], sources: &GroundingSources<'_>, today: &str) -> Option<GuardFinding> {
    let is_of_conversation = turns.iter().filter_map(|t| t.at.as_deref()).any(|at| at.starts_with(day));
    let has_days = turns.iter().any(|t| t.at.is_some());
    if is_of_conversation || day == today || !has_days && today.is_empty() {
        return None;
    }
    let statement = format!("It was on {day}");
    guards::check_particulars(&statement, sources)
        .map(|_| GuardFinding { violation: Violation::Ungrounded, excerpt: format!("date {day}") })
}
