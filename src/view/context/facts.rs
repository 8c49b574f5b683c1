//! Selects the plain facts of a context: whole bullets, paragraphs and table rows, most valuable first.
//!
//! Never cuts a text: what does not fit is found through the index.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::civil::Date;

use super::context_filter::ContextFilter;
use super::layered::overrules_mark;
use super::notes::{CategoryQuotas, ContextNote, LONG_BYTES, confidence_mark, is_low, note_reason, policy_categories};
use super::page::ContextOptions;
use super::remarks::{FindRemarks, ItemRemarks, ShownItem};
use super::{item_address, item_identity, item_line, item_text, place_in_file, sanitize, text_bytes, whole_text};
use crate::document::{DEFAULT_IMPORTANCE, Handle, MetaKey};
use crate::path::MemoryPath;
use crate::policy::{EffectiveConfidence, Policy};
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::text::rule_statements::{names_rules, states_rule};
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::{ItemDate, ItemFacts};
use crate::view::query::items::{ItemKind, label};

/// What a fact of a few words takes, in tokens, its marker and handle included.
const MIN_FACT_TOKENS: usize = 6;
/// The marker and the handle of a line, in tokens.
const MARK_TOKENS: usize = 2;
/// The bytes of long facts and of those of little importance after which no further files are read: formatting them
/// takes time.
const MAX_LOW_RANKED_BYTES: usize = 2 << 20;

/// A fact of a context.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainFact {
    /// The path of its file.
    pub path: String,
    pub address: String,
    /// Identity of a bullet's text: equal for bullets that say the same.
    pub identity: Option<Handle>,
    pub date: Option<ItemDate>,
    /// Its whole text as one sanitized line.
    pub text: String,
    /// The value of its metadata key `anchor`.
    pub anchor: Option<String>,
    /// What is known about it, once it was asked.
    pub remarks: OnceCell<ItemRemarks>,
    /// Its effective confidence, if it states one.
    pub confidence: Option<EffectiveConfidence>,
    /// Whether it was written today or yesterday. Both, because a date may be that of another time zone.
    pub is_new: bool,
    /// The addresses of items of farther layers that it contradicts.
    pub overrules: Vec<String>,
    key: FactKey,
}

/// Orders the more valuable fact first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FactKey {
    /// Too little of its confidence is left.
    is_doubtful: bool,
    /// Its importance is less than that of an item which states none.
    is_minor: bool,
    /// Not of the category `rule`, nor for paths (`when=`), unless rules for paths follow later.
    is_no_rule: bool,
    is_long: bool,
    /// `depends_on [[project]]` means little without the other file.
    is_relation: bool,
    /// Episodes are represented by their newest entries.
    is_episode: bool,
    /// The index of its first category in the policy.
    category: usize,
    /// Its words, its `when=`, or the title of its section or of its file, say that it is a rule.
    reads_as_rule: Reverse<bool>,
    /// It is for paths, and reaches the reader when one is touched.
    follows_later: bool,
    /// No answer has shown it lately.
    is_unused: bool,
    date: Reverse<Option<ItemDate>>,
    /// The position of its file among the files added, and its own in the file.
    position: (usize, usize),
}

/// A fact that is not formatted yet.
struct RankedFact {
    key: FactKey,
    /// The indexes of its categories in the policy.
    categories: Vec<usize>,
    confidence: Option<EffectiveConfidence>,
    /// The size of its text.
    bytes: usize,
}

impl PlainFact {
    /// What is known about it, asked once.
    pub fn remarks(&self, find: FindRemarks<'_>) -> &ItemRemarks {
        ShownItem::new(&self.address, &self.text, self.date, self.anchor.as_deref()).remarks(&self.remarks, find)
    }

    /// The file whose name stands above its line.
    pub fn file(&self) -> Option<&str> {
        place_in_file(&self.address, &self.path).map(|_| self.path.as_str())
    }

    /// Its line below the name of its file, with what is known about it: `- @acvh Prefers tabs (94d)`.
    pub fn line(&self, remarks: &ItemRemarks) -> String {
        let mark = remarks.to_text();
        let doubt = confidence_mark(self.confidence);
        let text = format!("{}{mark}{doubt}{}", self.text, overrules_mark(&self.overrules));
        item_line(&self.address, &self.path, &text)
    }

    /// What sorts it before its category and its date do.
    pub fn rank(&self) -> [bool; 6] {
        let key = &self.key;
        [key.is_doubtful, key.is_minor, key.is_no_rule, key.is_long, key.is_relation, key.is_episode]
    }

    /// Sorts facts by the time at which they were written, oldest first.
    pub fn age_order(&self) -> (Option<ItemDate>, (usize, usize)) {
        (self.date, self.key.position)
    }

    /// Sorts facts by file and position, episodes after others, then those of little importance, doubtful ones last.
    pub fn reading_order(&self) -> (bool, bool, bool, &str, usize) {
        (self.key.is_doubtful, self.key.is_minor, self.key.is_episode, &self.path, self.key.position.1)
    }
}

/// The facts of some files.
#[derive(Clone, Debug, Default)]
pub struct PlainFacts {
    /// The facts, most valuable first.
    pub facts: Vec<PlainFact>,
    /// How many items a context must show of a file, by path, so that nothing of it is left.
    pub item_counts: HashMap<String, usize>,
}

/// The handles of a file's bullets that answers have shown lately, as they were printed.
pub type RecentlyUsed<'a> = &'a dyn Fn(&MemoryPath) -> Vec<String>;

/// Collects the facts of files, most valuable file first, until there is more than a budget can show.
pub struct FactCollector<'a> {
    policy: &'a Policy,
    origins: &'a BulletOrigins,
    filter: &'a ContextFilter,
    recently_used: RecentlyUsed<'a>,
    options: &'a ContextOptions,
    found: PlainFacts,
    categories: Vec<Vec<usize>>,
    /// The tokens of the facts that are neither new, long nor of little importance.
    tokens: usize,
    /// The tokens of the new facts that are not long.
    new_tokens: usize,
    low_ranked_bytes: usize,
    files: usize,
    /// What was written on this day or later is new.
    newest_day: Date,
}

impl<'a> FactCollector<'a> {
    /// `options` are those of the context.
    pub fn new(
        policy: &'a Policy,
        origins: &'a BulletOrigins,
        filter: &'a ContextFilter,
        recently_used: RecentlyUsed<'a>,
        options: &'a ContextOptions,
    ) -> Self {
        let (found, categories) = (PlainFacts::default(), Vec::new());
        let newest_day = filter.today.yesterday().unwrap_or(filter.today);
        FactCollector {
            policy,
            origins,
            filter,
            recently_used,
            options,
            found,
            categories,
            tokens: 0,
            new_tokens: 0,
            low_ranked_bytes: 0,
            files: 0,
            newest_day,
        }
    }

    /// Whether further files would add nothing that the budget could show: there is a choice of twice as much. New
    /// facts do not count, so that one more does not decide which of the older ones there are; nor do long
    /// ones, those of little importance and rules that follow later, which are ranked below those of further files.
    pub fn is_full(&self) -> bool {
        self.tokens > 2 * self.options.budget
            || self.new_tokens > 8 * self.options.budget
            || self.low_ranked_bytes > MAX_LOW_RANKED_BYTES
    }

    /// Adds the facts of a file that are not notes, and counts all items that a context may show of it.
    pub fn add_file(&mut self, file: &ItemizedFile) {
        let facts = ItemFacts::new(file, self.origins);
        let is_episode = file.path.folder() == Some("episodes");
        let used = (self.recently_used)(&file.path);
        let file_names_rules = names_rules(file.path.stem()) || names_rules(&file.document.section_title(0));
        let mut ranked = Vec::new();
        for item in 0..file.items.len() {
            if !is_shown_kind(file, item, is_episode) || !self.filter.allows_item(&facts, item) {
                continue;
            }
            *self.found.item_counts.entry(file.path.to_string()).or_default() += 1;
            let is_listed_elsewhere = matches!(file.items[item].kind, ItemKind::Entry | ItemKind::Code);
            if is_listed_elsewhere || note_reason(&facts, item, self.policy).is_some() {
                continue;
            }
            let categories = policy_categories(&facts, item, self.policy);
            let confidence = facts.confidence(item, self.policy.decay, self.filter.today);
            let bytes = text_bytes(file, item);
            let is_for_paths = facts.meta(item).when().next().is_some();
            let follows_later = is_for_paths && self.options.path_rules_follow;
            ranked.push(RankedFact {
                key: FactKey {
                    is_doubtful: is_low(confidence),
                    is_minor: facts.importance(item).is_some_and(|importance| importance < DEFAULT_IMPORTANCE),
                    is_no_rule: !(facts.category(item) == Some("rule") || is_for_paths && !follows_later),
                    is_long: bytes > LONG_BYTES,
                    is_relation: is_relation(file, item),
                    is_episode,
                    category: categories.first().copied().unwrap_or(usize::MAX),
                    reads_as_rule: Reverse(file_names_rules || is_for_paths || reads_as_rule(file, item)),
                    follows_later,
                    is_unused: !is_used(file, item, &used),
                    date: Reverse(facts.date(item)),
                    position: (self.files, item),
                },
                categories,
                confidence,
                bytes,
            });
        }
        self.files += 1;
        ranked.sort_by_key(|fact| fact.key);
        ranked.truncate(self.most_shown(ranked.iter().map(|fact| fact.bytes)));
        ranked.into_iter().for_each(|fact| self.add_fact(file, &facts, fact));
    }

    fn add_fact(&mut self, file: &ItemizedFile, facts: &ItemFacts<'_>, ranked: RankedFact) {
        let RankedFact { key, categories, confidence, .. } = ranked;
        let item = key.position.1;
        let fact = PlainFact {
            path: file.path.to_string(),
            address: sanitize::sanitize_line(&item_address(file, item)),
            identity: item_identity(file, item),
            date: key.date.0,
            text: sanitize::sanitize_line(&whole_text(file, item)),
            anchor: facts.meta(item).valid(MetaKey::Anchor).map(str::to_owned),
            remarks: OnceCell::new(),
            confidence,
            // One of little importance displaces no older fact.
            is_new: !key.is_minor && key.date.0.is_some_and(|date| date.day >= self.newest_day),
            overrules: Vec::new(),
            key,
        };
        if fact.text.is_empty() {
            return;
        }
        let (count, size) = match (key.is_long || key.is_minor || key.follows_later, fact.is_new) {
            (true, _) => (&mut self.low_ranked_bytes, fact.text.len()),
            (false, true) => (&mut self.new_tokens, estimate_llm_tokens(&fact.text) + MIN_FACT_TOKENS),
            (false, false) => (&mut self.tokens, estimate_llm_tokens(&fact.text) + MIN_FACT_TOKENS),
        };
        *count += size;
        self.found.facts.push(fact);
        self.categories
            .push(categories.into_iter().filter(|n| self.policy.categories[*n].rag_length.is_some()).collect());
    }

    /// Of a large file only as many facts are formatted as could be shown: a choice of twice as much as the budget, even
    /// if each has two words. `sizes` are those of the facts in bytes, the most valuable first.
    fn most_shown(&self, sizes: impl Iterator<Item = usize>) -> usize {
        let mut tokens = 0;
        let within = sizes.take_while(|bytes| {
            tokens += bytes / 4 + MARK_TOKENS;
            tokens <= 2 * self.options.budget
        });
        within.count().max(self.options.budget / MIN_FACT_TOKENS)
    }

    /// The facts. A category with a `rag_length` gives at most that many items, the notes included.
    pub fn finish(mut self, notes: &[ContextNote]) -> PlainFacts {
        let mut quotas = CategoryQuotas::new(self.policy);
        for note in notes {
            quotas.take(note.limited_categories(), true);
        }
        let mut all: Vec<(PlainFact, Vec<usize>)> = self.found.facts.into_iter().zip(self.categories).collect();
        all.sort_by_key(|(fact, _)| fact.key);
        leave_out_repeated(&mut all, &mut self.found.item_counts);
        all.retain(|(_, limited)| quotas.take(limited, false));
        PlainFacts { facts: all.into_iter().map(|(fact, _)| fact).collect(), item_counts: self.found.item_counts }
    }
}

/// Leaves out bullets whose whole text another one has, in a file that was added before, thus of the nearest layer.
/// Their files are shown whole without them.
fn leave_out_repeated(all: &mut Vec<(PlainFact, Vec<usize>)>, item_counts: &mut HashMap<String, usize>) {
    let mut first: HashMap<(Handle, String), (bool, (usize, usize))> = HashMap::new();
    let key = |fact: &PlainFact| Some((fact.identity?, fact.text.clone()));
    let order = |fact: &PlainFact| (fact.key.is_no_rule, fact.key.position);
    for (fact, _) in all.iter() {
        if let Some(key) = key(fact) {
            let least = first.entry(key).or_insert_with(|| order(fact));
            *least = order(fact).min(*least);
        }
    }
    if first.len() == all.len() {
        return;
    }
    all.retain(|(fact, _)| {
        let is_repeated = key(fact).is_some_and(|key| first.get(&key).is_some_and(|least| *least != order(fact)));
        if is_repeated && let Some(count) = item_counts.get_mut(&fact.path) {
            *count -= 1;
        }
        !is_repeated
    });
}

/// Whether an item is part of what a context shows of a file. An entry's line contains its date and its summary.
fn is_shown_kind(file: &ItemizedFile, item: usize, is_episode: bool) -> bool {
    match file.items[item].kind {
        ItemKind::Heading => false,
        ItemKind::Bullet(b) => {
            !is_episode || !matches!(label(file.document.bullet_raw(b as usize)), "Date" | "Summary" | "Updated")
        }
        ItemKind::Entry | ItemKind::Paragraph | ItemKind::Row | ItemKind::Code => true,
    }
}

/// Whether an item is a bullet with one of these handles.
fn is_used(file: &ItemizedFile, item: usize, used: &[String]) -> bool {
    let ItemKind::Bullet(b) = file.items[item].kind else { return false };
    // Handles are hashes: of most files nothing was used.
    !used.is_empty() && used.iter().any(|shown| file.document.handles()[b as usize].prefix(shown.len()) == *shown)
}

/// Whether an item's own words, or the title of its section, say that it is a rule.
fn reads_as_rule(file: &ItemizedFile, item: usize) -> bool {
    let section = file.items[item].section as usize;
    names_rules(&file.document.section_title(section)) || states_rule(&item_text(file, item))
}

/// Whether an item is nothing but a relation to another file.
fn is_relation(file: &ItemizedFile, item: usize) -> bool {
    let text = item_text(file, item);
    let target = text.trim().strip_suffix("]]").and_then(|text| text.split_once("[["));
    target.is_some_and(|(name, _)| name.split_whitespace().count() <= 1)
}
