//! Where each requirement of the source documents is met: `docs/internals/requirements.md` is made from
//! `fixtures/sources.tsv`, and every command, page and test that it names exists.
//!
//! `MEMDIR_BLESS=1` rewrites the page. Whether a requirement is met is said by the named tests, not here.

mod blocks_and_items;
mod command_line;
mod literal_requests;
mod tool_seed;

use std::fmt::Write;
use std::fs;
use std::path::Path;

const TABLE: &str = "fixtures/sources.tsv";
const PAGE: &str = "docs/internals/requirements.md";
const STATES: [&str; 3] = ["met", "partly", "not"];

/// A document: the letter of its rows, the numbers of the first and the last, its title, and what it designs.
type Document = (char, usize, usize, &'static str, &'static str);

const DOCUMENTS: [Document; 6] = [
    (
        'B',
        1,
        37,
        "Bullets",
        "how a model and code change single bullets: block, text, index, and what if they disagree",
    ),
    ('M', 38, 99, "Markdown memory", "facts and episodes as plain files, five tools, and a reflector after each task"),
    (
        'S',
        100,
        206,
        "Memory system",
        "fifteen parts, from the header of changes, relations and insights to consent, history and checkpoints",
    ),
    ('J', 207, 260, "JSON memory", "items with metadata, changed by paths that one model finds and another edits"),
    ('F', 261, 347, "Memory feature", "ten short records for each app, made when a conversation ends, and compacted"),
    ('C', 348, 355, "The program", "what was asked of the program itself, beside the five documents"),
];

#[derive(Clone)]
struct Row {
    id: String,
    requirement: String,
    state: String,
    /// Commands with their options, and paths in the repository, separated by `; `.
    places: Vec<String>,
    /// `module::function` in `tests/it`, or `src::module::function`.
    tests: Vec<String>,
    remark: String,
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap_or_default()
}

fn rows() -> Vec<Row> {
    let list = |text: &str, separator: &str| -> Vec<String> {
        text.split(separator).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, requirement, state, places, tests, remark] = fields[..] else { panic!("six fields: {line}") };
        let [id, requirement, state, remark] = [id, requirement, state, remark].map(str::to_owned);
        Row { id, requirement, state, places: list(places, "; "), tests: list(tests, ", "), remark }
    };
    read(TABLE).lines().skip(1).map(row).collect()
}

fn is_path(place: &str) -> bool {
    place.contains(['.', '/']) && !place.contains(' ')
}

fn of_document(rows: &[Row], letter: char) -> impl Iterator<Item = &Row> {
    rows.iter().filter(move |row| row.id.starts_with(letter))
}

fn count<'r>(rows: impl Iterator<Item = &'r Row>) -> [usize; 3] {
    rows.fold([0; 3], |mut counts, row| {
        if let Some(n) = STATES.iter().position(|state| *state == row.state) {
            counts[n] += 1;
        }
        counts
    })
}

/// The page, from the rows.
fn page(rows: &[Row]) -> String {
    let mut out = String::from(
        "# Requirements\n\nmemdir grew from five designs of memories for agents. This page lists what each of them asks for, \
         numbered through, and where memdir does it.\n\n\
         * **State**: *met*, as written or in memdir's own words for it; *partly*; *not*. Whatever is not met has a reason, and \
         a remark says where memdir does something else than the design on purpose.\n\
         * **Where**: the command (`memdir` is left out) or the page. Requests of the designs, word for word, are answered by \
         [`memdir tool seed`](../agents.md#requests-of-earlier-memories).\n\
         * **Test**: what fails if it is no longer so, as `module::function` in `tests/it`, or in `src` if it starts so. The \
         tests also check that everything that is named here exists.\n\n| | met | partly | not | all |\n|---|---|---|---|---|\n",
    );
    for (letter, first, last, title, _) in DOCUMENTS {
        let [met, partly, not] = count(of_document(rows, letter));
        let anchor = title.to_lowercase().replace(' ', "-");
        let all = met + partly + not;
        writeln!(out, "| [{title}](#{anchor}) ({letter}{first}–{letter}{last}) | {met} | {partly} | {not} | {all} |")
            .unwrap();
    }
    let [met, partly, not] = count(rows.iter());
    writeln!(out, "| **all** | **{met}** | **{partly}** | **{not}** | **{}** |", met + partly + not).unwrap();
    for (letter, _, _, title, about) in DOCUMENTS {
        let head = "| | requirement | state | where | test | remark |\n|---|---|---|---|---|---|";
        writeln!(out, "\n## {title}\n\nIt describes {about}.\n\n{head}").unwrap();
        for row in of_document(rows, letter) {
            let places: Vec<String> = row.places.iter().map(|place| printed(place)).collect();
            let tests: Vec<String> = row.tests.iter().map(|test| format!("`{test}`")).collect();
            let cells = [&row.id, &row.requirement, &row.state, &places.join(", "), &tests.join(", "), &row.remark];
            writeln!(out, "| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | ")).unwrap();
        }
    }
    out
}

/// A command as code, a path as a link from the page.
fn printed(place: &str) -> String {
    if !is_path(place) {
        return format!("`{place}`");
    }
    let target = place.strip_prefix("docs/").map_or_else(|| format!("../../{place}"), |page| format!("../{page}"));
    format!("[{}]({target})", place.split('#').next().unwrap().trim_start_matches("docs/"))
}

/// What is wrong with the rows.
fn findings(rows: &[Row]) -> Vec<String> {
    let mut out = Vec::new();
    let ids: Vec<String> = DOCUMENTS
        .iter()
        .flat_map(|(letter, first, last, ..)| (*first..=*last).map(move |n| format!("{letter}{n}")))
        .collect();
    if rows.iter().map(|row| &row.id).ne(&ids) {
        out.push("the ids are not those of the documents, each once and in order".to_owned());
    }
    for row in rows {
        let mut wrong = |what: String| out.push(format!("{}: {what}", row.id));
        if row.requirement.is_empty() || !STATES.contains(&row.state.as_str()) {
            wrong(format!("no requirement, or the state '{}'", row.state));
        }
        if row.state != "met" && row.remark.is_empty() {
            wrong("no reason".to_owned());
        }
        if row.state != "not" && row.places.is_empty() {
            wrong("no command or page".to_owned());
        }
        if row.state != "not" && row.tests.is_empty() && row.remark.is_empty() {
            wrong("no test, and no word why".to_owned());
        }
        row.tests.iter().filter(|test| !is_test(test)).for_each(|test| wrong(format!("no test {test}")));
        row.places.iter().filter_map(|place| missing(place)).for_each(&mut wrong);
    }
    out
}

/// Whether a function with this name is a test of this module.
fn is_test(name: &str) -> bool {
    let Some((module, function)) = name.rsplit_once("::") else { return false };
    let path = module.replace("::", "/");
    let files = if path.starts_with("src/") {
        vec![format!("{path}.rs"), format!("{path}/mod.rs")]
    } else {
        vec![format!("tests/it/{path}.rs")]
    };
    // Above the function are its attributes and comments.
    files.iter().any(|file| {
        let text = read(file);
        let Some((above, _)) = text.split_once(&format!("fn {function}(")) else { return false };
        let lines = above.lines().rev().map(str::trim).skip_while(|line| line.is_empty());
        lines.take_while(|line| line.starts_with(['#', '/'])).any(|line| line == "#[test]")
    })
}

/// What of a place does not exist: the page and its heading, the command, or an option of it.
fn missing(place: &str) -> Option<String> {
    if is_path(place) {
        let file = place.split('#').next().unwrap();
        return (!Path::new(env!("CARGO_MANIFEST_DIR")).join(file).exists()).then(|| format!("no file {file}"));
    }
    let mut words = place.split(' ');
    let command = words.next().unwrap();
    // The manual pages are those of the grammar: `generated` compares them.
    let manual = read(&format!("man/memdir-{command}.1"));
    if manual.is_empty() {
        return Some(format!("no command {command}"));
    }
    let known: Vec<String> = (manual + &read("man/memdir.1"))
        .replace("\\-", "-")
        .replace("\\fB", " ")
        .replace("\\fR", " ")
        .replace("\\fI", " ")
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .map(str::to_owned)
        .collect();
    let mut unknown = words.filter(|word| !known.iter().any(|name| name == word));
    unknown.next().map(|word| format!("{command} knows no {word}"))
}

#[test]
fn the_page_is_made_from_the_table() {
    let made = page(&rows());
    if std::env::var_os("MEMDIR_BLESS").is_some() {
        fs_err::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE), &made).unwrap();
    }
    assert!(made == read(PAGE), "run this test with MEMDIR_BLESS=1");
}

#[test]
fn every_requirement_has_its_state_and_what_it_names_exists() {
    let found = findings(&rows());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The checks above find each kind of mistake.
#[test]
fn a_mistake_in_the_table_is_found() {
    let change = |spoil: fn(&mut Vec<Row>)| {
        let mut spoiled = rows();
        spoil(&mut spoiled);
        findings(&spoiled).join("\n")
    };
    assert_eq!(missing("reflect --insights"), None);
    for (wrong, part) in [
        (change(|rows| drop(rows.remove(7))), "the ids"),
        (change(|rows| rows.swap(0, 1)), "the ids"),
        (change(|rows| rows[0].state = "nearly".to_owned()), "B1: no requirement, or the state 'nearly'"),
        (change(|rows| rows[0].state = "partly".to_owned()), "B1: no reason"),
        (change(|rows| rows[0].places.clear()), "B1: no command or page"),
        (change(|rows| rows[0].tests.clear()), "B1: no test, and no word why"),
        (
            change(|rows| rows[0].tests.push("sources::command_line::nothing".to_owned())),
            "B1: no test sources::command_line::nothing",
        ),
        // A function that helps tests is no test.
        (
            change(|rows| rows[0].tests.push("sources::command_line::bullets".to_owned())),
            "B1: no test sources::command_line::bullets",
        ),
        (change(|rows| rows[0].places.push("docs/nothing.md".to_owned())), "B1: no file docs/nothing.md"),
        (change(|rows| rows[0].places.push("guess".to_owned())), "B1: no command guess"),
        (change(|rows| rows[0].places.push("query --guess".to_owned())), "B1: query knows no --guess"),
    ] {
        assert!(wrong.contains(part), "no '{part}' in '{wrong}'");
    }
    let mut all = rows();
    let before = page(&all);
    all[0].places.push("list".to_owned());
    assert_ne!(page(&all), before, "the page follows the table");
}
