//! Finds texts that give agents rights, or agree in advance to what they do; that skip a check, run something or show a
//! secret: a person decides on these, also where the user wrote them.
//!
//! Never concerns the rights of people and programs: "Bo has write access to the repository".

use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, matched_text};
use crate::text::prose_mask::mask_phrases;
use crate::text::word_list::{PhraseList, phrase_list};

static PHRASES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/permission/phrases.en.txt"));
static HAN_PHRASES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/permission/phrases.zh.txt"));
/// Words that contain the name of an agent but are none.
const HAN_NOT_AGENTS: PhraseList = phrase_list!("guards/permission/not_agents.zh.txt");
/// Parts of a command that switch a check off.
const COMMANDS: PhraseList = phrase_list!("guards/permission/commands.txt");

/// The first phrase that widens a right.
pub fn check_permission(input: &GuardText<'_>) -> Option<GuardFinding> {
    let finding = |what: &str| Some(GuardFinding::new(Violation::Permission, what));
    // Commands count inside code, too: that is where they stand.
    let low = input.text.to_lowercase();
    if let Some(command) = COMMANDS.iter().find(|command| low.contains(command)).or_else(|| piped_download(&low)) {
        return finding(command);
    }
    for (sentence, tokens) in input.english_sentences() {
        if let Some(range) = PHRASES.find(tokens) {
            return finding(matched_text(sentence, tokens, range));
        }
    }
    if !input.han {
        return None;
    }
    HAN_PHRASES.find_unspaced(&mask_phrases(input.prose, HAN_NOT_AGENTS)).and_then(finding)
}

/// `curl … | sh`: a download that is run at once. `low` is in lower case.
fn piped_download(low: &str) -> Option<&'static str> {
    let (before, after) = low.split_once('|')?;
    let downloads = ["curl ", "wget ", "iwr ", "irm "].iter().any(|program| before.contains(program));
    let runs = |part: &str| {
        let mut words = part.split_whitespace().filter(|word| *word != "sudo" && !word.starts_with('-'));
        words.next().is_some_and(|word| {
            let name = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            matches!(name, "sh" | "bash" | "zsh" | "fish" | "python" | "python3" | "node" | "perl" | "ruby" | "iex")
        })
    };
    (downloads && after.split('|').any(runs)).then_some("download | sh")
}
