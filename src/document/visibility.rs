//! Computes which parts of a file one agent may see, from the allowlists of the policy.
//!
//! This is a filter by category names, not a security boundary: it never protects the files themselves, and everyone
//! who can open them can read them.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::bullet_marks::leading_category;
use super::{BlockKind, Document, front_matter, lines, memory_index, slug};
use crate::path::MemoryPath;
use crate::policy::{Policy, yaml};

/// The category names that are hidden from one agent: all names in the policy except those allowed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visibility {
    hidden_names: BTreeSet<String>,
}

/// How much of a file an agent may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisibleParts {
    All,
    /// Everything except these byte ranges: whole lines, sorted, disjoint.
    Except(Vec<Range<usize>>),
    /// Nothing. Listings do not mention the file either.
    Nothing,
}

impl Visibility {
    /// The visibility for an agent; `None` if it may see everything: no allowlist applies to it, or its allowlist
    /// contains all names.
    pub fn for_agent(policy: &Policy, agent: &str) -> Option<Visibility> {
        let allowed: BTreeSet<String> =
            policy.allowed_categories(agent)?.iter().map(|name| category_key(name)).collect();
        let listed = policy.allowlists.iter().flat_map(|(_, list)| list);
        let named = policy.categories.iter().map(|c| &c.name).chain(listed).map(|name| category_key(name));
        let hidden_names: BTreeSet<String> = named.filter(|name| !name.is_empty() && !allowed.contains(name)).collect();
        (!hidden_names.is_empty()).then_some(Visibility { hidden_names })
    }

    /// The visibilities of all agents that may not see everything: of those with an allowlist of their own, and of all
    /// others.
    pub fn of_agents(policy: &Policy) -> Vec<Visibility> {
        let named = policy.allowlists.iter().map(|(agent, _)| agent.as_str());
        let mut all: Vec<Visibility> = Vec::new();
        for visibility in named.chain([""]).filter_map(|agent| Visibility::for_agent(policy, agent)) {
            if !all.contains(&visibility) {
                all.push(visibility);
            }
        }
        all
    }

    /// The visibility of what every agent may see, with or without an allowlist of its own; `None` if all see
    /// everything.
    pub fn for_everyone(policy: &Policy) -> Option<Visibility> {
        Visibility::of_agents(policy).into_iter().reduce(|some, other| some.restrict_to(Some(other)))
    }

    /// Restricts the visibility to what both agents may see.
    pub fn restrict_to(mut self, other: Option<Visibility>) -> Visibility {
        self.hidden_names.extend(other.into_iter().flat_map(|visibility| visibility.hidden_names));
        self
    }

    /// Whether a category is hidden from the agent.
    pub fn hides_category(&self, category: &str) -> bool {
        self.hidden_names.contains(&category_key(category))
    }

    /// Whether the path allows a file to be seen. Files in `inbox/` are hidden: their proposals have no categories yet,
    /// so only agents that may see everything get them.
    pub fn shows_path(&self, path: &MemoryPath) -> bool {
        let home = path.below_archive().unwrap_or(path.as_str());
        let folder = match home.split_once('/').map(|(folder, _)| folder) {
            Some("inbox") => return false,
            Some("procedures") => ["procedures", "procedural"].iter().any(|name| self.hides_category(name)),
            _ => false,
        };
        // A file that is archived under a name that was there already has a number.
        let numbered = path.stem().trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('-');
        let plain = numbered.filter(|_| path.is_archived());
        !folder && !self.hides_category(path.stem()) && !plain.is_some_and(|stem| self.hides_category(stem))
    }

    /// Whether any part of a file, including its name, may be seen.
    #[cfg(test)]
    pub fn shows_file(&self, document: &Document, path: &MemoryPath) -> bool {
        self.visible_parts(document, path) != VisibleParts::Nothing
    }

    /// The hidden byte ranges: whole lines, sorted, disjoint.
    pub fn hidden_ranges(&self, document: &Document, path: &MemoryPath) -> Vec<Range<usize>> {
        match self.visible_parts(document, path) {
            VisibleParts::All => Vec::new(),
            VisibleParts::Except(hidden) => hidden,
            VisibleParts::Nothing => std::iter::once(0..document.text().len()).collect(),
        }
    }

    /// Whether a bullet is hidden.
    #[cfg(test)]
    pub fn hides_bullet(&self, document: &Document, path: &MemoryPath, bullet: usize) -> bool {
        let at = document.bullets()[bullet].text_start as usize;
        self.hidden_ranges(document, path).iter().any(|range| range.contains(&at))
    }

    /// How much of a file may be seen. If any part is hidden, the file's summary is hidden too, because it may mention
    /// that part.
    pub fn visible_parts(&self, document: &Document, path: &MemoryPath) -> VisibleParts {
        // An index of other files repeats what they say about themselves.
        let is_index = memory_index::is_memory_index(path, document.text());
        if is_index || !self.shows_path(path) || self.hidden_by_tags(document) {
            return VisibleParts::Nothing;
        }
        let mut hidden = self.hidden_items(document);
        if hidden.is_empty() {
            return VisibleParts::All;
        }
        hidden.extend(summary_ranges(document));
        let hidden = merge_ranges(hidden);
        let body = remove_ranges(document.text(), &hidden, document.body_start());
        if body.trim().is_empty() { VisibleParts::Nothing } else { VisibleParts::Except(hidden) }
    }

    /// The visible text; `None` if the file is hidden.
    pub fn visible_text(&self, document: &Document, path: &MemoryPath) -> Option<String> {
        match self.visible_parts(document, path) {
            VisibleParts::All => Some(document.text().to_owned()),
            VisibleParts::Except(hidden) => Some(remove_ranges(document.text(), &hidden, 0)),
            VisibleParts::Nothing => None,
        }
    }

    /// Ranges of sections, bullets and other blocks of a hidden category, each with the orphaned metadata lines below
    /// it.
    fn hidden_items(&self, document: &Document) -> Vec<Range<usize>> {
        let text = document.text();
        let sections = document.sections().iter().skip(1).filter(|section| {
            let title = &text[section.title.range()];
            self.hides_category(&section.slug) || self.hides_category(title) || self.starts_with_hidden_category(title)
        });
        let mut all: Vec<_> = sections.map(|section| section.heading.start as usize..section.end as usize).collect();
        for (i, bullet) in document.bullets().iter().enumerate() {
            if self.starts_with_hidden_category(document.bullet_raw(i))
                || self.starts_with_hidden_category(&document.bullet_text(i))
            {
                all.push(bullet.line_start as usize..bullet.end as usize);
            }
        }
        for node in document.blocks() {
            let plain = !matches!(node.kind, BlockKind::Heading(_) | BlockKind::Bullet(_) | BlockKind::ThematicBreak);
            if plain && text[node.span.range()].lines().any(|line| self.starts_with_hidden_category(line)) {
                all.push(node.span.range());
            }
        }
        let mut all = merge_ranges(all);
        for range in &mut all {
            let orphan = |at: usize| document.meta_lines().iter().find(|m| m.line.start as usize == at);
            while let Some(meta) = orphan(lines::after_blank_lines(text.as_bytes(), range.end)) {
                range.end = meta.line.end as usize;
            }
        }
        all
    }

    /// Whether a line begins with a hidden `[category]`. List markers and task markers are skipped.
    fn starts_with_hidden_category(&self, line: &str) -> bool {
        leading_category(line).is_some_and(|name| self.hides_category(name))
    }

    /// Whether the tags in the front matter hide the file. If the front matter is not valid YAML, every word in it
    /// counts as a tag.
    fn hidden_by_tags(&self, document: &Document) -> bool {
        match front_matter_tags(document) {
            Some(tags) => tags.iter().any(|tag| self.hides_category(tag)),
            None => front_words(document).any(|word| self.hides_category(word)),
        }
    }
}

/// A name of a category as it is looked for: in lower case, with `-` for spaces and `_`. C and C++ are two categories.
pub fn category_name(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '_'], "-")
}

/// A name of a category in one form: NFC, then GitHub's slug, with `-` for `_`, without the pictures and signs around it.
/// The headings `## Medical history` and `## 🏥 Medical history`, and `medical_history`, are the same category.
pub fn category_key(name: &str) -> String {
    let key = slug(&name.trim().nfc().collect::<String>()).replace('_', "-");
    let plain = key.trim_matches(|c: char| !c.is_alphanumeric());
    if plain.is_empty() { key } else { plain.to_owned() }
}

/// `tags:` and `tag:` of the front matter, lower case, without `#`: a YAML list, or words separated by commas or spaces.
/// `None` if the front matter is not supported YAML.
pub fn front_matter_tags(document: &Document) -> Option<Vec<String>> {
    let Some(front) = document.front_matter() else { return Some(Vec::new()) };
    let text = &document.text()[front.range()];
    let inner = text.trim_start_matches('\u{feff}').trim_start_matches("---").trim_end().trim_end_matches(['-', '.']);
    let fields = match yaml::parse(inner) {
        Ok(Value::Object(fields)) => fields,
        Ok(Value::Null) => return Some(Vec::new()),
        _ => return None,
    };
    let plain = |tag: &str| tag.trim().trim_start_matches('#').to_lowercase();
    let is_tags = |key: &str| ["tags", "tag"].iter().any(|name| key.eq_ignore_ascii_case(name));
    let mut tags: Vec<String> = Vec::new();
    for (_, value) in fields.iter().filter(|(key, _)| is_tags(key)) {
        match value {
            Value::Array(list) => tags.extend(list.iter().filter_map(Value::as_str).map(plain)),
            Value::String(list) => tags.extend(list.split([',', ' ']).map(plain).filter(|tag| !tag.is_empty())),
            _ => {}
        }
    }
    tags.extend(memory_index::memory_type_of(&fields));
    Some(tags)
}

/// The names of categories that an item has by its file and the sections around it, of which `section` is the innermost:
/// tags, titles, slugs. In front matter that is no valid YAML every word counts.
pub fn categories_around(document: &Document, section: usize) -> Vec<String> {
    let mut names = front_matter_tags(document).unwrap_or_else(|| front_words(document).map(str::to_owned).collect());
    let mut at = section;
    while at != 0 {
        let around = &document.sections()[at];
        names.extend(title_categories(&document.text()[around.title.range()]));
        names.push(around.slug.clone());
        at = around.parent as usize;
    }
    // The title is above all that stands in front of another first heading.
    let title = document.sections().iter().find(|section| section.level == 1);
    names.extend(title.into_iter().flat_map(|title| title_categories(&document.text()[title.title.range()])));
    names
}

/// The names of categories that a title gives to what is below it.
pub fn title_categories(title: &str) -> Vec<String> {
    let leading = leading_category(title).map(str::to_owned);
    [title.to_owned(), slug(title)].into_iter().chain(leading).collect()
}

/// The `[category]` of each bullet around another, the innermost first.
pub fn categories_of_parents(document: &Document, bullet: usize) -> Vec<String> {
    let own = &document.bullets()[bullet];
    if own.depth == 0 {
        return Vec::new();
    }
    let is_around = |at: &usize| document.bullets()[*at].depth < own.depth && document.bullets()[*at].end >= own.end;
    let category = |at| leading_category(document.bullet_raw(at)).map(str::to_owned);
    (0..bullet).rev().filter(is_around).filter_map(category).collect()
}

fn front_words(document: &Document) -> impl Iterator<Item = &str> {
    let front = document.front_matter().map_or("", |front| &document.text()[front.range()]);
    let apart = |c: char| c.is_whitespace() || "[]{},:#\"'".contains(c);
    front.split(apart).map(|word| word.trim_start_matches('-')).filter(|word| !word.is_empty())
}

/// Splits the `[category]` off the start of a bullet. Task markers, links and timecodes are not categories.
pub fn split_category(text: &str) -> (Option<&str>, &str) {
    let inner = text.strip_prefix('[').and_then(|t| t.split_once(']'));
    let Some((name, rest)) = inner else { return (None, text) };
    let word = name.len() > 1 && name.len() <= 64 && name.chars().any(char::is_alphabetic);
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | ' '));
    if word && plain && !rest.starts_with(['(', '[', ':']) { (Some(name), rest.trim_start()) } else { (None, text) }
}

/// Ranges of summary lines: quotes with a summary anywhere in the file, and the front matter's summary line. If the
/// front matter summary spans several lines, the range is the whole front matter.
pub fn summary_ranges(document: &Document) -> Vec<Range<usize>> {
    let text = document.text();
    let quotes = document.blocks().iter().filter(|n| n.kind == BlockKind::Quote).map(|n| n.span.range());
    let mut all: Vec<_> = quotes.filter(|quote| text[quote.clone()].contains("ummary:")).collect();
    let Some(front_matter) = document.front_matter() else { return all };
    for key in ["summary", "description"] {
        let has_key =
            text[front_matter.range()].lines().any(|line| line.trim_matches(['"', '\'', ' ']).starts_with(key));
        match front_matter::key_line(document, key) {
            Some(line) if front_matter::value_span(document, line).is_some() => all.push(line.range()),
            _ if has_key => all.push(front_matter.range()),
            _ => {}
        }
    }
    all
}

/// Sorts ranges and merges those that touch or overlap.
fn merge_ranges(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// A text from offset `from` on, without the given ranges.
fn remove_ranges(text: &str, hidden: &[Range<usize>], from: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = from;
    for range in hidden {
        out.push_str(&text[at.min(range.start).max(from)..range.start.max(from)]);
        at = at.max(range.end);
    }
    out.push_str(&text[at.min(text.len())..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "version: 1\ncategories:\n  custom:\n    - name: Health\n    - name: work\n\
                          allowlists:\n  planner: [work]\n  doctor: [health, work, User Profile]\n";

    fn visibility(agent: &str) -> Option<Visibility> {
        Visibility::for_agent(&crate::policy::load(POLICY).policy, agent)
    }

    #[track_caller]
    fn check(path: &str, text: &str, expected: Option<&str>) {
        let (document, path) = (Document::parse(text), MemoryPath::from_disk_name(path).unwrap());
        let planner = visibility("planner").unwrap();
        assert_eq!(planner.visible_text(&document, &path).as_deref(), expected, "{text}");
        assert_eq!(planner.shows_file(&document, &path), expected.is_some());
    }

    #[test]
    fn the_name_of_an_agent_is_the_same_in_pieces() {
        let policy = crate::policy::load("allowlists:\n  r\u{e9}ne: [x]\n  b: [y]\n").policy;
        assert!(Visibility::for_agent(&policy, "re\u{301}ne").unwrap().hides_category("y"));
    }

    #[test]
    fn an_agent_in_no_list_or_with_all_names_sees_everything() {
        assert_eq!((visibility("somebody"), visibility("doctor")), (None, None));
        assert!(
            visibility("planner").unwrap().hides_category("HEALTH")
                && visibility("planner").unwrap().hides_category("user-profile")
        );
        assert!(
            !visibility("planner").unwrap().hides_category("work")
                && !visibility("planner").unwrap().hides_category("sports")
        );
        let other =
            Visibility::for_agent(&crate::policy::load("allowlists:\n  a: [x]\n  b: [y]\n").policy, "a").unwrap();
        let combined = other.restrict_to(visibility("planner"));
        assert!(combined.hides_category("health") && combined.hides_category("y") && !combined.hides_category("x"));
    }

    #[test]
    fn a_file_is_hidden_by_its_name_and_its_tags() {
        check("facts/health.md", "- a\n", None);
        check("archive/facts/Health.md", "- a\n", None);
        check("archive/facts/health-2.md", "- a\n", None);
        check("facts/health-2.md", "- a\n", Some("- a\n"));
        check("facts/a.md", "---\ntags: [work, '#health']\n---\n- a\n", None);
        check("facts/a.md", "---\ntags: work, health\n---\n- a\n", None);
        check("facts/a.md", "---\ntags: [work]\ntag: health\n---\n- a\n", None);
        check("facts/a.md", "---\ntags:\nTags: [health]\n---\n- a\n", None);
        check("facts/a.md", "---\ntags: work\n---\n- a\n", Some("---\ntags: work\n---\n- a\n"));
        check("facts/a.md", "---\n tags: [&x\n- health\n---\n- a\n", None);
        check("facts/🏥 health.md", "- a\n", None);
        check("inbox/rescued-r1-0.md", "- a\n", None);
    }

    #[test]
    fn a_section_is_hidden_with_all_below_it() {
        check(
            "facts/a.md",
            "# A\n\n> Summary: b, pulse\n\n- b\n\n## Health\n\ntext\n\n### Deep\n- c\n\n## Work\n- d\n\n## Health\n- e\n",
            Some("# A\n\n\n- b\n\n## Work\n- d\n\n"),
        );
        check("facts/a.md", "# Health\n\n- a\n", None);
        check("facts/a.md", "- a\n\n## 🏥 Health\n- b\n\n## Health 🫀\n- c\n\n## ❤️ health\n- d\n", Some("- a\n\n"));
        check("facts/a.md", "# A\n\n- b\n\n## 🏥 Health!\n- c\n", Some("# A\n\n- b\n\n"));
        check("facts/a.md", "User Profile: (ID: mem123)\n- a\n\n## Work\n- b\n", Some("## Work\n- b\n"));
    }

    #[test]
    fn a_bullet_is_hidden_with_its_metadata_and_children() {
        check(
            "facts/a.md",
            "- a\n- [health] b\n  more\n  <!-- mem id=x -->\n  - c\n- [work] d\n  - [Health] e\n  - f\n",
            Some("- a\n- [work] d\n  - f\n"),
        );
        check("facts/a.md", "- a\n\n- [ ] [health] b\n\n<!-- mem id=x -->\n\nEnd\n", Some("- a\n\n\nEnd\n"));
        check("facts/a.md", "- a\n\n> [health] b\n\n[health] c\n", Some("- a\n\n\n"));
        check("facts/a.md", "- a\n- [/] [health] b\n- [>] [health] c\n\n> 1) [health] d\n", Some("- a\n\n"));
        check("facts/a.md", "- [health](x) a link\n", Some("- [health](x) a link\n"));
    }

    #[test]
    fn a_summary_is_hidden_with_the_parts_it_may_mention() {
        let text = "---\ntitle: A\nsummary: pulse\ndescription: 'pulse'\n---\n- a\n- [health] b\n";
        check("facts/a.md", text, Some("---\ntitle: A\n---\n- a\n"));
        check("facts/a.md", "---\ntitle: A\nsummary: >\n  pulse\n---\n- a\n- [health] b\n", Some("- a\n"));
        check("facts/a.md", "> Summary: b\n\n- b\n", Some("> Summary: b\n\n- b\n"));
    }

    #[test]
    fn a_bullet_is_found_hidden_by_its_index() {
        let (document, path) = (Document::parse("> Summary: x\n\n- a\n- [health] b\n\n"), "facts/a.md");
        let path = MemoryPath::from_disk_name(path).unwrap();
        let planner = visibility("planner").unwrap();
        assert!(planner.hides_bullet(&document, &path, 1) && !planner.hides_bullet(&document, &path, 0));
    }
}
