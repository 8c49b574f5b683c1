//! Splits a month of episodes into weeks: each entry with a day moves to the file of its ISO week, byte for byte, and
//! links to it follow.
//!
//! Never moves an entry without a full date, never loses a byte: what is left of the month stays in its file. Never
//! shows an entry to an agent that may not see it in its month.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::civil::Date;

use super::planner::initial_text;
use super::renamed_links::link_name;
use super::whole_file::append_splice;
use crate::document::fragments::fragment_range;
use crate::document::link_names::LinkNames;
use crate::document::links::{FileLink, find_links};
use crate::document::{Document, Visibility, section_range};
use crate::path::{MemoryPath, is_episode, week_file};
use crate::text::dates::find_dates;
use crate::text::{Splice, splice};

/// The texts of all files that a split changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SplitMonth {
    /// New texts by path; `None` for a month of which nothing is left.
    pub files: BTreeMap<MemoryPath, Option<String>>,
    /// How many entries moved.
    pub moved: usize,
    /// How many entries stay, because they have no full date.
    pub undated: usize,
}

/// An entry that moves.
struct MovedEntry {
    range: Range<usize>,
    to: MemoryPath,
}

/// Whether a file is a month of episodes.
pub fn is_month(path: &MemoryPath) -> bool {
    path.folder() == Some("episodes") && path.stem().len() == 7 && is_episode(path.stem())
}

/// Keys of the front matter that are about the month as a whole.
const KEYS_OF_MONTH: [&str; 5] = ["summary", "description", "resource_id", "title", "permalink"];

/// Splits a month. `others` are all files that may link to it, and the weeks that there are; `agents` is what is hidden
/// from agents. A week that does not exist gets the front matter of the month.
///
/// # Errors
/// A message if a week's text cannot take an entry (an unclosed code fence at its end), if a link would lead to another
/// entry of its title, or if an agent would see an entry in its week that is hidden from it in its month.
pub fn split_month(
    month: &MemoryPath,
    document: &Document,
    others: &BTreeMap<&MemoryPath, &Document>,
    agents: &[Visibility],
) -> Result<SplitMonth, String> {
    let entries: Vec<usize> = (0..document.sections().len()).filter(|at| document.sections()[*at].level == 2).collect();
    let moved: Vec<MovedEntry> = entries
        .iter()
        .filter_map(|&at| {
            Some(MovedEntry {
                range: section_range(document, at),
                to: MemoryPath::new(&week_file(entry_day(document, at)?)).ok()?,
            })
        })
        .collect();
    let mut split = SplitMonth { moved: moved.len(), undated: entries.len() - moved.len(), ..SplitMonth::default() };
    if moved.is_empty() {
        return Ok(split);
    }
    let mut targets = BTreeSet::new();
    let files = || others.keys().copied().chain([month]);
    let split_links = MonthLinks {
        month,
        document,
        moved: &moved,
        names: LinkNames::new(files()),
        names_after: LinkNames::new(files().chain(moved.iter().map(|entry| &entry.to))),
    };
    // Links in the month itself, by where they stand.
    let own = split_links.splices(month, document, &mut targets);
    for (path, other) in others {
        let splices = split_links.splices(path, other, &mut targets);
        if !splices.is_empty() {
            split.files.insert((*path).clone(), Some(spliced(other.text(), &splices)?));
        }
    }
    let weeks: BTreeSet<&MemoryPath> = moved.iter().map(|entry| &entry.to).collect();
    for week in weeks {
        let present = split.files.get(week).cloned().flatten();
        let known = present.or_else(|| others.get(week).map(|document| document.text().to_owned()));
        let mut text = match known {
            Some(text) => text,
            None => format!("{}{}", shared_front_matter(document)?, initial_text(week)),
        };
        let mut places = Vec::new();
        for entry in moved.iter().filter(|entry| entry.to == *week) {
            let block = moved_text(document, &entry.range, &own)?;
            let block = format!("{}\n", block.trim_end());
            let cut = append_splice(&Document::parse(text.as_str()), &block)
                .map_err(|error| format!("in {week}: {error}"))?;
            // Blank lines separate the entry from what is before it.
            let heading = cut.start + cut.new.len() - cut.new.trim_start_matches(['\r', '\n']).len();
            places.push((entry.range.start, heading));
            text = spliced(&text, &[cut])?;
        }
        let after = Document::parse(text.as_str());
        require_targets(document, week, &after, &targets, &own)?;
        require_hidden([(month, document), (week, &after)], &places, agents)?;
        split.files.insert(week.clone(), Some(text));
    }
    let cuts = moved.iter().map(|entry| Splice { start: entry.range.start, end: entry.range.end, new: String::new() });
    let is_moved = |at: usize| moved.iter().any(|entry| entry.range.contains(&at));
    let stays = own.iter().filter(|one| !is_moved(one.start)).cloned();
    let mut all: Vec<Splice> = cuts.chain(stays).collect();
    all.sort_by_key(|one| one.start);
    let left = spliced(document.text(), &all)?;
    let is_linked = |path: &MemoryPath, document: &Document| {
        let whole = |link: &FileLink| link.fragment.start == link.fragment.end;
        let text = document.text();
        find_links(document).iter().any(|link| {
            whole(link) && split_links.names.leads_to(&text[link.start..link.end], link.is_wiki, path, month)
        })
    };
    let is_needed = holds_content(&left) || others.iter().any(|(path, document)| is_linked(path, document));
    split.files.insert(month.clone(), is_needed.then_some(left));
    Ok(split)
}

/// The day of an entry: of its `Date:` bullet, else of its title.
fn entry_day(document: &Document, section: usize) -> Option<Date> {
    let range = section_range(document, section);
    let field = (0..document.bullets().len())
        .filter(|at| range.contains(&(document.bullets()[*at].text_start as usize)))
        .find_map(|at| document.bullet_raw(at).strip_prefix("Date:").map(str::to_owned));
    let title = document.section_title(section).into_owned();
    let day = |text: &str| find_dates(text, None).into_iter().find(|date| date.day.is_some())?.first_day();
    match field {
        Some(field) => day(&field),
        None => day(&title),
    }
}

/// The links to a month whose entries move.
struct MonthLinks<'a> {
    month: &'a MemoryPath,
    document: &'a Document,
    moved: &'a [MovedEntry],
    /// The names of all files.
    names: LinkNames<'a>,
    /// The same with the weeks.
    names_after: LinkNames<'a>,
}

impl MonthLinks<'_> {
    /// Changes the file names of links in a file to entries that move.
    fn splices(
        &self,
        holder: &MemoryPath,
        text: &Document,
        targets: &mut BTreeSet<(MemoryPath, String)>,
    ) -> Vec<Splice> {
        let MonthLinks { month, document, moved, names, names_after } = self;
        let file_of =
            |at: usize| moved.iter().find(|entry| entry.range.contains(&at)).map_or(*month, |entry| &entry.to);
        let mut splices = Vec::new();
        for link in find_links(text) {
            let (named, part) = (&text.text()[link.start..link.end], &text.text()[link.fragment.range()]);
            let is_own = holder == *month && named.trim().is_empty();
            if part.is_empty() || !(is_own || names.leads_to(named, link.is_wiki, holder, month)) {
                continue;
            }
            let Some(target) = fragment_range(document, part) else { continue };
            let to = file_of(target.start);
            targets.insert((to.clone(), part.to_owned()));
            // A link from one entry to another of the same week needs no name.
            if to == *month && !is_own || is_own && to == file_of(link.start) {
                continue;
            }
            let new = link_name(text, &link, holder, month, to, names_after);
            splices.push(Splice { start: link.start, end: link.end, new });
        }
        splices
    }
}

/// The front matter of a month that holds for its weeks, too: with the tags that hide it from some agents.
fn shared_front_matter(month: &Document) -> Result<String, String> {
    let Some(front) = month.front_matter() else { return Ok(String::new()) };
    let mut front = Document::parse(month.text()[front.range()].replace("\r\n", "\n"));
    for key in KEYS_OF_MONTH {
        if let Some(cut) = front.set_front_value(key, "") {
            front = Document::parse(spliced(front.text(), &[cut])?);
        }
    }
    let is_empty = front.text().lines().count() == 2;
    Ok(if is_empty { String::new() } else { front.text().to_owned() })
}

/// Checks that no agent sees an entry in its week that is hidden from it in its month, the two files of `pair`. `places`
/// are the offsets of the entries in both.
fn require_hidden(
    pair: [(&MemoryPath, &Document); 2],
    places: &[(usize, usize)],
    agents: &[Visibility],
) -> Result<(), String> {
    let [(month, before), (week, after)] = pair;
    for agent in agents {
        let hides = |path: &MemoryPath, document: &Document| {
            let ranges = agent.hidden_ranges(document, path);
            move |at: usize| ranges.iter().any(|range| range.contains(&at))
        };
        let (is_hidden, stays_hidden) = (hides(month, before), hides(week, after));
        if places.iter().any(|(from, to)| is_hidden(*from) && !stays_hidden(*to)) {
            return Err(format!(
                "in {week} some agents would see what is hidden from them in {month}; give {week} the same tags and title"
            ));
        }
    }
    Ok(())
}

/// Checks that each link to a week leads to the text that it led to in the month: another entry may have its title.
fn require_targets(
    month: &Document,
    week: &MemoryPath,
    text: &Document,
    targets: &BTreeSet<(MemoryPath, String)>,
    own: &[Splice],
) -> Result<(), String> {
    for (_, part) in targets.iter().filter(|(to, _)| to == week) {
        let Some(before) = fragment_range(month, part) else { continue };
        let before = moved_text(month, &before, own)?;
        let after = fragment_range(text, part).map(|range| &text.text()[range]);
        // An entry takes the line ends of its week.
        let plain = |text: &str| text.trim_end().replace("\r\n", "\n");
        if after.map(plain) != Some(plain(&before)) {
            return Err(format!("in {week} a link to '#{part}' would lead to another entry; rename one of the two"));
        }
    }
    Ok(())
}

/// The text of a range with the splices in it.
fn moved_text(document: &Document, range: &Range<usize>, splices: &[Splice]) -> Result<String, String> {
    let inside: Vec<Splice> = splices
        .iter()
        .filter(|one| range.contains(&one.start))
        .map(|one| Splice { start: one.start - range.start, end: one.end - range.start, new: one.new.clone() })
        .collect();
    spliced(&document.text()[range.clone()], &inside)
}

fn spliced(text: &str, splices: &[Splice]) -> Result<String, String> {
    splice(text, splices).map_err(|_| "a change is outside the text".to_owned())
}

/// Whether a text has more than a title and a summary.
fn holds_content(text: &str) -> bool {
    let document = Document::parse(text);
    let summary = document.summary_line().map(|summary| summary.line.range());
    let blocks = document.blocks().iter().enumerate().filter(|(at, block)| {
        let mut headings = document.sections().iter();
        let is_title = *at == 0 && headings.any(|s| s.level == 1 && s.heading.start == block.span.start);
        let is_summary = summary.as_ref().is_some_and(|range| range.contains(&(block.span.start as usize)));
        !is_title && !is_summary
    });
    document.front_matter().is_some() || blocks.count() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const MONTH: &str = "# 2025-11 Episodes\n\n> Summary: x\n\n\
        ## Release\n- Date: 2025-11-03\n- See [[#cache]] and [[2025-11#fix|it]]\n\n\
        ## Fix\n- Date: 2025-11-05\n- Done, see [it](#release)\n  <!-- mem imp=3 -->\n\n\
        ## Cache\n- Date: 2025-11-20\n- Keys were cut\n\n### Why\n\nText.\n";

    fn path(text: &str) -> MemoryPath {
        MemoryPath::new(text).unwrap()
    }

    fn try_split(month: &str, others: &[(&str, &str)]) -> Result<SplitMonth, String> {
        let others: Vec<_> = others.iter().map(|(at, text)| (path(at), Document::parse(*text))).collect();
        let others = others.iter().map(|(path, document)| (path, document)).collect();
        split_month(&path("episodes/2025-11.md"), &Document::parse(month), &others, &agents())
    }

    /// What is hidden from agents with an allowlist that does not name `health`.
    fn agents() -> Vec<Visibility> {
        let policy = "version: 1\ncategories: {custom: [{name: health}]}\nallowlists: {planner: [work]}\n";
        Visibility::of_agents(&crate::policy::load(policy).policy)
    }

    fn split(month: &str, others: &[(&str, &str)]) -> BTreeMap<String, Option<String>> {
        let done = try_split(month, others).unwrap();
        done.files.into_iter().map(|(at, text)| (at.to_string(), text)).collect()
    }

    #[test]
    fn entries_move_to_their_weeks_and_links_follow() {
        let facts = "- a [[episodes/2025-11#cache]]\n- b [[2025-11#Why]] `[[2025-11#cache]]`\n- c [d](../episodes/2025-11.md#release)\n";
        let files = split(MONTH, &[("facts/a.md", facts)]);
        assert_eq!(
            files["episodes/2025-W45.md"].as_deref().unwrap(),
            "# 2025-W45 Episodes\n\n\
             ## Release\n- Date: 2025-11-03\n- See [[episodes/2025-W47#cache]] and [[2025-W45#fix|it]]\n\n\
             ## Fix\n- Date: 2025-11-05\n- Done, see [it](#release)\n  <!-- mem imp=3 -->\n"
        );
        assert_eq!(
            files["episodes/2025-W47.md"].as_deref().unwrap(),
            "# 2025-W47 Episodes\n\n## Cache\n- Date: 2025-11-20\n- Keys were cut\n\n### Why\n\nText.\n"
        );
        assert_eq!(
            files["facts/a.md"].as_deref().unwrap(),
            "- a [[episodes/2025-W47#cache]]\n- b [[2025-W47#Why]] `[[2025-11#cache]]`\n- c [d](../episodes/2025-W45.md#release)\n"
        );
        assert_eq!(files["episodes/2025-11.md"], None);
    }

    #[test]
    fn what_has_no_day_and_what_is_linked_as_a_whole_stays() {
        let undated =
            "# 2025-11 Episodes\n\n## Some day\n- Date: 2025-11\n- a\n\n## Fix (2025-11-05)\n- b\n\n## None\n- c\n";
        let files = split(undated, &[]);
        assert_eq!(
            files["episodes/2025-11.md"].as_deref(),
            Some("# 2025-11 Episodes\n\n## Some day\n- Date: 2025-11\n- a\n\n## None\n- c\n")
        );
        assert_eq!(files["episodes/2025-W45.md"].as_deref(), Some("# 2025-W45 Episodes\n\n## Fix (2025-11-05)\n- b\n"));
        let linked = split(MONTH, &[("facts/a.md", "- see [[2025-11]]\n")]);
        assert_eq!(linked["episodes/2025-11.md"].as_deref(), Some("# 2025-11 Episodes\n\n> Summary: x\n\n"));
        assert_eq!(split("# 2025-11 Episodes\n\n## A\n- b\n", &[]), BTreeMap::new());
    }

    #[test]
    fn a_week_that_there_is_keeps_its_entries() {
        let week = "# 2025-W45 Episodes\n\n> Summary: y\n\n## Release\n- Date: 2025-11-04\n- other\n";
        let month = "# 2025-11 Episodes\n\n## Release\n- Date: 2025-11-03\n- one\n";
        let files = split(month, &[("episodes/2025-W45.md", week)]);
        assert_eq!(
            files["episodes/2025-W45.md"].as_deref(),
            Some(
                "# 2025-W45 Episodes\n\n> Summary: y\n\n## Release\n- Date: 2025-11-04\n- other\n\n## Release\n- Date: 2025-11-03\n- one\n"
            )
        );
        let open = "# 2025-W45 Episodes\n\n```\nnever closed\n";
        assert!(try_split(month, &[("episodes/2025-W45.md", open)]).is_err());
    }

    #[test]
    fn what_the_front_matter_of_a_month_hides_stays_hidden_in_its_weeks() {
        let month = "---\nsummary: all of November\ntags: [health]\n---\n# 2025-11 Episodes\n\n## Fix\n- Date: 2025-11-03\n- one\n";
        let files = split(month, &[]);
        assert_eq!(
            files["episodes/2025-W45.md"].as_deref(),
            Some("---\ntags: [health]\n---\n# 2025-W45 Episodes\n\n## Fix\n- Date: 2025-11-03\n- one\n")
        );
        let week = "# 2025-W45 Episodes\n\n## Other\n- Date: 2025-11-04\n- x\n";
        let error = |month: &str, week: &str| try_split(month, &[("episodes/2025-W45.md", week)]).unwrap_err();
        assert!(error(month, week).contains("some agents would see"));
        assert_eq!(
            try_split(month, &[("episodes/2025-W45.md", &format!("---\ntag: health\n---\n{week}"))]).unwrap().moved,
            1
        );
        let titled = "# Health\n\n## Fix\n- Date: 2025-11-03\n- one\n";
        assert!(error(titled, week).contains("some agents would see"));
        assert!(try_split(titled, &[]).is_err());
        let crlf = split(&month.replace('\n', "\r\n"), &[]);
        assert!(crlf["episodes/2025-W45.md"].as_deref().unwrap().starts_with("---\ntags: [health]\n---\n# 2025-W45"));
    }

    proptest::proptest! {
        #[test]
        fn every_line_of_an_entry_is_in_one_file(
            entries in proptest::collection::vec(
                ("[a-z]{1,6}", 0..32_u8, proptest::collection::vec("(- |  - |> |)[a-z #*`-]{0,12}", 0..5)),
                0..8,
            ),
        ) {
            let text: String = entries.iter().fold("# 2025-11 Episodes\n".to_owned(), |text, (title, day, lines)| {
                let date = if *day > 0 { format!("- Date: 2025-11-{day:02}\n") } else { String::new() };
                format!("{text}\n## {title}\n{date}{}\n", lines.join("\n"))
            });
            let lines = |text: &str| -> Vec<String> {
                text.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
            };
            if let Ok(done) = try_split(&text, &[])
                && done.moved > 0
            {
                let mut after: Vec<String> = done.files.values().flatten().flat_map(|text| lines(text)).collect();
                after.retain(|line| !line.ends_with(" Episodes"));
                let mut before = lines(&text);
                before.retain(|line| !line.ends_with(" Episodes"));
                after.sort();
                before.sort();
                proptest::prop_assert_eq!(before, after);
            }
        }
    }

    #[test]
    fn a_link_that_would_lead_to_another_entry_is_an_error() {
        let month = "# 2025-11 Episodes\n\n## Fix\n- Date: 2025-11-03\n- one\n";
        let week = "# 2025-W45 Episodes\n\n## Fix\n- Date: 2025-11-04\n- other\n";
        let split = |link: &str| try_split(month, &[("episodes/2025-W45.md", week), ("facts/a.md", link)]);
        assert!(split("- see [[2025-11#fix]]\n").unwrap_err().contains("'#fix'"));
        assert_eq!(split("- no link\n").unwrap().moved, 1);
    }

    #[test]
    fn a_link_follows_an_entry_with_other_line_ends() {
        let month = "# 2025-11 Episodes\r\n\r\n## Fix\r\n- Date: 2025-11-03\r\n- one\r\n";
        for week in ["# 2025-W45 Episodes\n\n## Other\n- Date: 2025-11-04\n- x\n", "# 2025-W45 Episodes\r\n"] {
            let facts = "- see [[episodes/2025-11#fix]]\n";
            let files = split(month, &[("episodes/2025-W45.md", week), ("facts/a.md", facts)]);
            assert_eq!(files["facts/a.md"].as_deref(), Some("- see [[episodes/2025-W45#fix]]\n"));
        }
        assert_eq!(try_split(month, &[("facts/a.md", "- see [x](../episodes/2025-11.md#fix)\n")]).unwrap().moved, 1);
    }

    #[test]
    fn only_months_are_split() {
        let is = |text: &str| is_month(&path(text));
        assert!(is("episodes/2025-11.md"));
        assert!(!is("episodes/2025-W45.md") && !is("episodes/2025.md") && !is("facts/2025-11.md"));
    }
}
