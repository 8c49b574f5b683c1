//! What an allowlist hides stays hidden where an item is archived or restored: categories of its file, of the sections
//! around it or of the bullets above it that the new place does not give it.
//!
//! Never shows an item to more agents than before; that it is hidden from more of them may be.

use crate::code::{Code, Rejection};
use crate::document::{
    Document, Visibility, add_tags, categories_around, categories_of_parents, category_key, front_matter_tags,
    split_category, tags_block, title_categories,
};
use crate::path::MemoryPath;
use crate::policy::Policy;
use crate::text::splice;

/// The categories by which something is hidden from an agent, of these names, each once.
pub fn hidden_categories(policy: &Policy, names: Vec<String>) -> Vec<String> {
    let agents = Visibility::of_agents(policy);
    let mut hidden: Vec<String> = Vec::new();
    for name in names {
        let is_known = hidden.iter().any(|known| category_key(known) == category_key(&name));
        if !is_known && agents.iter().any(|agent| agent.hides_category(&name)) {
            hidden.push(name);
        }
    }
    hidden
}

/// Those that a file, with its name, does not give to an item below headings of these titles.
pub fn missing_categories(
    hidden: &[String],
    (path, target): (&MemoryPath, &Document),
    titles: &[String],
) -> Vec<String> {
    if hidden.is_empty() {
        return Vec::new();
    }
    let given = categories_around(target, 0).into_iter().chain(titles.iter().flat_map(|title| title_categories(title)));
    let given = given.chain([path.stem().to_owned()]);
    let given: Vec<String> = given.map(|name| category_key(&name)).collect();
    hidden.iter().filter(|name| !given.contains(&category_key(name))).cloned().collect()
}

/// The text of a file with more tags.
pub fn with_tags(document: &Document, tags: &[String]) -> String {
    let added = splice(document.text(), &[add_tags(document, tags)]);
    added.unwrap_or_else(|_| document.text().to_owned())
}

/// What hides a bullet that leaves the bullets above it: its text, which takes the `[category]` along that hides it with
/// them, and the categories that its text has no room for, because it has one already or several would be needed.
pub fn with_category_of_parents(
    policy: &Policy,
    document: &Document,
    bullet: usize,
    text: String,
) -> (String, Vec<String>) {
    let marker = ["[ ] ", "[x] ", "[X] "].into_iter().find(|marker| text.starts_with(marker)).unwrap_or_default();
    let own = split_category(&text[marker.len()..]).0.map(category_key);
    let mut hidden = hidden_categories(policy, categories_of_parents(document, bullet));
    hidden.retain(|name| Some(category_key(name)) != own);
    match &hidden[..] {
        [category] if own.is_none() => (format!("{marker}[{category}] {}", &text[marker.len()..]), Vec::new()),
        _ => (text, hidden),
    }
}

/// The text of a bullet that goes back to the file `home`.
pub fn restored_text(
    policy: &Policy,
    (path, document): (&MemoryPath, &Document),
    bullet: usize,
    text: String,
    home: &MemoryPath,
) -> Result<String, Rejection> {
    let (text, hidden) = with_category_of_parents(policy, document, bullet, text);
    require_categories(&hidden, path, home)?;
    Ok(text)
}

/// The front matter of a file that is made for items of an archive file: its tags, and what hides it besides.
pub fn restored_front_matter(policy: &Policy, archived: &Document) -> String {
    let mut tags = front_matter_tags(archived).unwrap_or_default();
    let names = categories_around(archived, 0);
    let known: Vec<String> = tags.iter().map(|tag| category_key(tag)).collect();
    let more = hidden_categories(policy, names).into_iter().filter(|name| !known.contains(&category_key(name)));
    tags.extend(more);
    if tags.is_empty() { String::new() } else { tags_block(&tags, "\n") }
}

/// Refuses to put something into a file in which some agents would see what is hidden from them.
pub fn require_categories(missing: &[String], from: &MemoryPath, to: &MemoryPath) -> Result<(), Rejection> {
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(", ");
    let message = format!("in {to} some agents would see what is hidden from them in {from}");
    Err(Rejection::new(Code::CategoryNotAllowed, message)
        .hint(format!("give {to} the tag {names} first, or take it from {from} if it is outdated")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(hidden: &[String], target: &Document, titles: &[String]) -> Vec<String> {
        missing_categories(hidden, (&MemoryPath::new("facts/a.md").unwrap(), target), titles)
    }

    fn policy() -> Policy {
        crate::policy::load("allowlists:\n  planner: [work]\n  doctor: [work, health, pulse]\n").policy
    }

    #[test]
    fn only_what_is_hidden_and_not_given_anew_is_missing() {
        let check = |from: &str, section: usize, to: &str, titles: &[&str], expected: &[&str]| {
            let hidden = hidden_categories(&policy(), categories_around(&Document::parse(from), section));
            let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
            assert_eq!(missing(&hidden, &Document::parse(to), &titles), expected, "{from}");
        };
        let tagged = "---\ntags: [work, health]\n---\n# A\n\n- x\n";
        check(tagged, 1, "# A\n\n- y\n", &[], &["health"]);
        check(tagged, 1, tagged, &[], &[]);
        check(tagged, 1, "# Health\n\n- y\n", &[], &[]);
        check("# Health\n\n- x\n", 1, "# A\n\n- y\n", &[], &["Health"]);
        check("# A\n\n## Health\n\n- x\n", 2, "# A\n", &["Health"], &[]);
        check("# A\n\n## Sport\n\n- x\n", 2, "# A\n", &[], &[]);
        check("---\n tags: [&x\n- health\n---\n# A\n", 1, "# A\n", &[], &["health"]);
    }

    #[test]
    fn tags_are_added_to_any_front_matter() {
        for before in [
            "# A\n\n- x\n",
            "---\ntags: [work]\n---\n# A\n",
            "---\ntags: []\n---\n# A\n",
            "---\r\ntags:\r\n- work\r\n---\r\n# A\r\n",
            "---\ntags: work\ntag: [\"a\"]\n---\n# A\n",
            "---\ntitle: a\n---\n",
            "---\n---\n- x\n",
            "---\n tags: [&x\n---\n# A\n",
        ] {
            let document = Document::parse(before);
            let after = Document::parse(with_tags(&document, &["health".to_owned(), "My pulse".to_owned()]));
            let hidden = hidden_categories(&policy(), vec!["health".to_owned()]);
            assert_eq!(missing(&hidden, &after, &[]), Vec::<String>::new(), "{}", after.text());
            assert!(after.text().ends_with(document.text()[document.body_start()..].trim_start()), "{}", after.text());
            let tags =
                front_matter_tags(&document).map(|tags| [tags, vec!["health".into(), "my pulse".into()]].concat());
            let sorted = |tags: Option<Vec<String>>| {
                tags.map(|mut tags| {
                    tags.sort();
                    tags
                })
            };
            assert_eq!(sorted(front_matter_tags(&after)), sorted(tags), "{}", after.text());
        }
    }

    #[test]
    fn a_bullet_takes_the_category_of_those_above_it_along() {
        let document = Document::parse(
            "- [work] a\n  - b\n- [health] c\n  - d\n    - e\n- f\n- [pulse] g\n  - [health] h\n    - i\n",
        );
        for (bullet, text, expected, tags) in [
            (1, "t", "t", &[][..]),
            (3, "t", "[health] t", &[]),
            (4, "t", "[health] t", &[]),
            (5, "t", "t", &[]),
            (3, "[ ] t", "[ ] [health] t", &[]),
            (3, "[Health] t", "[Health] t", &[]),
            (3, "[ ] [health] t", "[ ] [health] t", &[]),
            // A text has one category; the others become tags of the archive file.
            (3, "[pulse] t", "[pulse] t", &["health"]),
            (7, "[health] h", "[health] h", &["pulse"]),
            (8, "i", "i", &["health", "pulse"]),
        ] {
            let (written, hidden) = with_category_of_parents(&policy(), &document, bullet, text.to_owned());
            assert_eq!(
                (written.as_str(), &hidden[..]),
                (expected, &tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>()[..]),
                "{bullet}"
            );
        }
    }
}
