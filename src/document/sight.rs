//! What one agent may see of a text: the allowlists of the policy, laid over a file's sections and items.
//!
//! A filter by names that people wrote, never a wall: who can open the files can read them.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::{Document, Kind, front, lines, slug};
use crate::path::MemoryPath;
use crate::policy::{Policy, yaml};

/// The names that the policy knows, and those of them that one agent may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    forbidden: BTreeSet<String>,
}

/// How much of a text may be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// All of it.
    All,
    /// All but these bytes: whole lines, sorted, apart from each other.
    But(Vec<Range<usize>>),
    /// Nothing, not even that it is there.
    Nothing,
}

impl Sight {
    /// What an agent may see; `None` where that is everything: no allowlist holds for it, or its own leaves nothing out.
    pub fn of(policy: &Policy, agent: &str) -> Option<Sight> {
        let allowed: BTreeSet<String> = policy.allowed(agent)?.iter().map(|name| key(name)).collect();
        let listed = policy.allowlists.iter().flat_map(|(_, list)| list);
        let named = policy.categories.iter().map(|c| &c.name).chain(listed).map(|name| key(name));
        let forbidden: BTreeSet<String> = named.filter(|name| !name.is_empty() && !allowed.contains(name)).collect();
        (!forbidden.is_empty()).then_some(Sight { forbidden })
    }

    /// What both may see.
    pub fn and(mut self, other: Option<Sight>) -> Sight {
        self.forbidden.extend(other.into_iter().flat_map(|sight| sight.forbidden));
        self
    }

    /// Whether asking for a category is asking for too much.
    pub fn forbids(&self, category: &str) -> bool {
        self.forbidden.contains(&key(category))
    }

    /// Whether a file may be seen as far as its name tells. What waits in `inbox/` has no categories yet: it is for
    /// whoever may see everything.
    pub fn shows_path(&self, path: &MemoryPath) -> bool {
        let folder = match path.folder() {
            Some("inbox") => return false,
            Some("procedures") => ["procedures", "procedural"].iter().any(|name| self.forbids(name)),
            _ => false,
        };
        !folder && !self.forbids(path.stem())
    }

    /// Whether anything of a file may be seen, its name included.
    pub fn shows_file(&self, document: &Document, path: &MemoryPath) -> bool {
        self.shown(document, path) != Shown::Nothing
    }

    /// The bytes that must not be seen: whole lines, sorted, apart from each other.
    pub fn hidden(&self, document: &Document, path: &MemoryPath) -> Vec<Range<usize>> {
        match self.shown(document, path) {
            Shown::All => Vec::new(),
            Shown::But(hidden) => hidden,
            Shown::Nothing => std::iter::once(0..document.text().len()).collect(),
        }
    }

    /// Whether a bullet must not be seen.
    pub fn hides(&self, document: &Document, path: &MemoryPath, bullet: usize) -> bool {
        let at = document.bullets()[bullet].content as usize;
        self.hidden(document, path).iter().any(|range| range.contains(&at))
    }

    /// How much of a file may be seen. Where a part may not, the file's summary goes with it: it may name that part.
    pub fn shown(&self, document: &Document, path: &MemoryPath) -> Shown {
        if !self.shows_path(path) || self.forbids_front(document) {
            return Shown::Nothing;
        }
        let mut hidden = self.items(document);
        if hidden.is_empty() {
            return Shown::All;
        }
        hidden.extend(summaries(document));
        let hidden = united(hidden);
        let body = cut(document.text(), &hidden, document.body_start());
        if body.trim().is_empty() { Shown::Nothing } else { Shown::But(hidden) }
    }

    /// The items that must not be seen, as they stand; of a file that must not be seen, its text. A change by an agent
    /// that may not see them leaves them so.
    pub fn kept<'d>(&self, document: &'d Document, path: &MemoryPath) -> Vec<&'d str> {
        match !self.shows_path(path) || self.forbids_front(document) {
            true => vec![document.text()],
            false => united(self.items(document)).into_iter().map(|range| document.text()[range].trim_end()).collect(),
        }
    }

    /// A text without what must not be seen; `None` where that is everything.
    pub fn text(&self, document: &Document, path: &MemoryPath) -> Option<String> {
        match self.shown(document, path) {
            Shown::All => Some(document.text().to_owned()),
            Shown::But(hidden) => Some(cut(document.text(), &hidden, 0)),
            Shown::Nothing => None,
        }
    }

    /// Sections, bullets and other blocks that belong to a forbidden category, with the metadata that an editor left
    /// behind them.
    fn items(&self, document: &Document) -> Vec<Range<usize>> {
        let text = document.text();
        let sections = document.sections().iter().skip(1).filter(|section| {
            let title = &text[section.title.range()];
            self.forbids(&section.slug) || self.forbids(title) || self.marks(title)
        });
        let mut all: Vec<_> = sections.map(|section| section.heading.start as usize..section.end as usize).collect();
        for (i, bullet) in document.bullets().iter().enumerate() {
            if self.marks(document.bullet_raw(i)) || self.marks(&document.bullet_text(i)) {
                all.push(bullet.line as usize..bullet.end as usize);
            }
        }
        for node in document.nodes() {
            let plain = !matches!(node.kind, Kind::Heading(_) | Kind::Bullet(_) | Kind::Rule);
            if plain && text[node.span.range()].lines().any(|line| self.marks(line)) {
                all.push(node.span.range());
            }
        }
        let mut all = united(all);
        for range in &mut all {
            let orphan = |at: usize| document.metas().iter().find(|m| m.line.start as usize == at);
            while let Some(meta) = orphan(lines::after_blanks(text.as_bytes(), range.end)) {
                range.end = meta.line.end as usize;
            }
        }
        all
    }

    /// Whether a line begins with a forbidden `[category]`, list markers and task marks left out.
    fn marks(&self, line: &str) -> bool {
        let line = line.trim_start_matches(|c: char| " \t>-*+|_~\\".contains(c) || c.is_ascii_digit() || c == '.');
        let task = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| line.strip_prefix(mark));
        let line = task.unwrap_or(line).trim_start_matches([' ', '\t', '*', '_', '\\']);
        line.starts_with('[') && category(line).0.is_some_and(|name| self.forbids(name))
    }

    /// Whether the front matter's tags forbid the file. Of one that is no YAML we know, every word counts.
    fn forbids_front(&self, document: &Document) -> bool {
        match tags(document) {
            Some(tags) => tags.iter().any(|tag| self.forbids(tag)),
            None => {
                let front = document.front_matter().map_or("", |front| &document.text()[front.range()]);
                let apart = |c: char| c.is_whitespace() || "[]{},:#\"'".contains(c);
                front.split(apart).any(|word| self.forbids(word.trim_start_matches('-')))
            }
        }
    }
}

/// A name as names are compared: by GitHub's slug, in one Unicode form.
fn key(name: &str) -> String {
    slug(&name.trim().nfc().collect::<String>())
}

/// `tags:` of the front matter, lower case, without `#`: a list, or words between commas or blanks. `None` for front
/// matter that is no YAML we know.
pub fn tags(document: &Document) -> Option<Vec<String>> {
    let Some(front) = document.front_matter() else { return Some(Vec::new()) };
    let text = &document.text()[front.range()];
    let inner = text.trim_start_matches('\u{feff}').trim_start_matches("---").trim_end().trim_end_matches(['-', '.']);
    let fields = match yaml::read(inner) {
        Ok(Value::Object(fields)) => fields,
        Ok(Value::Null) => return Some(Vec::new()),
        _ => return None,
    };
    let plain = |tag: &str| tag.trim().trim_start_matches('#').to_lowercase();
    Some(match fields.get("tags").or_else(|| fields.get("tag")) {
        Some(Value::Array(tags)) => tags.iter().filter_map(Value::as_str).map(plain).collect(),
        Some(Value::String(tags)) => tags.split([',', ' ']).map(plain).filter(|t| !t.is_empty()).collect(),
        _ => Vec::new(),
    })
}

/// The `[category]` at the start of a bullet, and what follows it. Task marks, links and timecodes are none.
pub fn category(text: &str) -> (Option<&str>, &str) {
    let inner = text.strip_prefix('[').and_then(|t| t.split_once(']'));
    let Some((name, rest)) = inner else { return (None, text) };
    let word = name.len() > 1 && name.len() <= 64 && name.chars().any(char::is_alphabetic);
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | ' '));
    match word && plain && !rest.starts_with(['(', '[', ':']) {
        true => (Some(name), rest.trim_start()),
        false => (None, text),
    }
}

/// Lines that sum a text up: quotes anywhere, and the front matter's; all of it where one goes over several lines.
pub fn summaries(document: &Document) -> Vec<Range<usize>> {
    let text = document.text();
    let quotes = document.nodes().iter().filter(|n| n.kind == Kind::Quote).map(|n| n.span.range());
    let mut all: Vec<_> = quotes.filter(|quote| text[quote.clone()].contains("ummary:")).collect();
    let Some(whole) = document.front_matter() else { return all };
    for key in ["summary", "description"] {
        let said = text[whole.range()].lines().any(|line| line.trim_matches(['"', '\'', ' ']).starts_with(key));
        match front::line(document, key) {
            Some(line) if front::value(document, line).is_some() => all.push(line.range()),
            _ if said => all.push(whole.range()),
            _ => {}
        }
    }
    all
}

/// Sorted, and what touches or overlaps made one.
fn united(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
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

/// A text from an offset on without these bytes.
fn cut(text: &str, hidden: &[Range<usize>], from: usize) -> String {
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

    fn sight(agent: &str) -> Option<Sight> {
        Sight::of(&crate::policy::load(POLICY).policy, agent)
    }

    #[track_caller]
    fn check(path: &str, text: &str, seen: Option<&str>) {
        let (document, path) = (Document::parse(text), MemoryPath::found(path).unwrap());
        let planner = sight("planner").unwrap();
        assert_eq!(planner.text(&document, &path).as_deref(), seen, "{text}");
        assert_eq!(planner.shows_file(&document, &path), seen.is_some());
    }

    #[test]
    fn who_is_in_no_list_or_in_all_sees_everything() {
        assert_eq!((sight("somebody"), sight("doctor")), (None, None));
        assert!(sight("planner").unwrap().forbids("HEALTH") && sight("planner").unwrap().forbids("user-profile"));
        assert!(!sight("planner").unwrap().forbids("work") && !sight("planner").unwrap().forbids("sports"));
        let other = Sight::of(&crate::policy::load("allowlists:\n  a: [x]\n  b: [y]\n").policy, "a").unwrap();
        let both = other.and(sight("planner"));
        assert!(both.forbids("health") && both.forbids("y") && !both.forbids("x"));
    }

    #[test]
    fn a_file_is_hidden_by_its_name_and_its_tags() {
        check("facts/health.md", "- a\n", None);
        check("archive/facts/Health.md", "- a\n", None);
        check("facts/a.md", "---\ntags: [work, '#health']\n---\n- a\n", None);
        check("facts/a.md", "---\ntags: work, health\n---\n- a\n", None);
        check("facts/a.md", "---\ntags: work\n---\n- a\n", Some("---\ntags: work\n---\n- a\n"));
        check("facts/a.md", "---\n tags: [&x\n- health\n---\n- a\n", None);
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
        check("facts/a.md", "- [health](x) a link\n", Some("- [health](x) a link\n"));
    }

    #[test]
    fn a_summary_goes_with_what_it_may_name() {
        let text = "---\ntitle: A\nsummary: pulse\ndescription: 'pulse'\n---\n- a\n- [health] b\n";
        check("facts/a.md", text, Some("---\ntitle: A\n---\n- a\n"));
        check("facts/a.md", "---\ntitle: A\nsummary: >\n  pulse\n---\n- a\n- [health] b\n", Some("- a\n"));
        check("facts/a.md", "> Summary: b\n\n- b\n", Some("> Summary: b\n\n- b\n"));
    }

    #[test]
    fn what_is_hidden_is_what_a_change_must_leave() {
        let (document, path) = (Document::parse("> Summary: x\n\n- a\n- [health] b\n\n"), "facts/a.md");
        let path = MemoryPath::found(path).unwrap();
        let planner = sight("planner").unwrap();
        assert_eq!(planner.kept(&document, &path), ["- [health] b"]);
        assert!(planner.hides(&document, &path, 1) && !planner.hides(&document, &path, 0));
    }
}
