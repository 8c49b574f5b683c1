//! `export --to html`: what the page contains, that it can do nothing, and that it ranks as `query` does. How it behaves
//! in a browser is tested by `.ci/page`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::corpus;
use crate::support::{Memory, handle};

/// Elements and attributes of the templates. A text that breaks out would bring another one.
const ELEMENTS: [&str; 71] = [
    "a",
    "article",
    "b",
    "blockquote",
    "body",
    "br",
    "button",
    "circle",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "form",
    "g",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "input",
    "kbd",
    "label",
    "li",
    "line",
    "main",
    "meta",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "rect",
    "script",
    "section",
    "select",
    "small",
    "span",
    "strong",
    "style",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "text",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "ul",
    "!doctype",
    "/a",
    "/p",
    "/li",
    "/ul",
    "/div",
    "/span",
];
const ATTRIBUTES: [&str; 56] = [
    "aria-hidden",
    "aria-keyshortcuts",
    "aria-label",
    "aria-labelledby",
    "autocapitalize",
    "autocomplete",
    "charset",
    "class",
    "content",
    "cx",
    "cy",
    "data-a",
    "data-at",
    "data-b",
    "data-by",
    "data-items",
    "data-level",
    "data-n",
    "data-near",
    "data-path",
    "data-zoom",
    "datetime",
    "for",
    "height",
    "hidden",
    "href",
    "html",
    "http-equiv",
    "id",
    "lang",
    "name",
    "placeholder",
    "preserveaspectratio",
    "r",
    "rel",
    "role",
    "scope",
    "spellcheck",
    "tabindex",
    "text-anchor",
    "transform",
    "type",
    "value",
    "viewbox",
    "width",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
    "/",
    "open",
    "start",
    "lang",
    "rel",
];

/// The HTML of a page without its styles, script and data, and those three.
struct PageParts {
    html: String,
    styles: String,
    script: String,
    data: Value,
}

fn export(memory: &Memory, options: &[&str]) -> String {
    memory.run([&["export", "--to", "html"], options].concat()).exit(0).stdout
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let from = text.find(start).unwrap_or_else(|| panic!("no {start}")) + start.len();
    &text[from..from + text[from..].find(end).unwrap()]
}

fn parts(page: &str) -> PageParts {
    let styles = between(page, "<style>", "</style>").to_owned();
    let script = between(page, "<script>", "</script>").to_owned();
    let element = between(page, "<script type=\"application/json\"", "</script>");
    let data = element.split_once('>').unwrap().1.to_owned();
    let html = page.replace(&styles, "").replace(&script, "").replace(&data, "");
    PageParts { html, styles, script, data: serde_json::from_str(&data).unwrap() }
}

/// The tags of a page, each with its attributes and their values.
fn tags(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let (mut attributes, mut in_value, mut end) = (Vec::new(), false, rest.len());
        for (n, c) in rest.char_indices() {
            match c {
                '"' => in_value = !in_value,
                '>' if !in_value => {
                    end = n;
                    break;
                }
                _ => {}
            }
        }
        let tag = &rest[..end];
        rest = &rest[end..];
        let (name, mut more) = tag.split_once([' ', '\n']).unwrap_or((tag, ""));
        while !more.trim().is_empty() {
            more = more.trim_start();
            let name_end = more.find(['=', ' ', '\n']).unwrap_or(more.len());
            let attribute = more[..name_end].to_lowercase();
            more = &more[name_end..];
            let mut value = String::new();
            if let Some(quoted) = more.strip_prefix("=\"") {
                let (inner, after) = quoted.split_once('"').expect("a quote that ends");
                value = inner.to_owned();
                more = after;
            }
            attributes.push((attribute, value));
        }
        tags.push((name.trim_end_matches('/').to_lowercase(), attributes));
    }
    tags
}

/// Asserts that a page has no element, attribute or address but those of the templates.
#[track_caller]
fn assert_inert(page: &str) {
    let parts = parts(page);
    let (elements, attributes) = (BTreeSet::from(ELEMENTS), BTreeSet::from(ATTRIBUTES));
    for (name, own) in tags(&parts.html) {
        let plain = name.strip_prefix('/').unwrap_or(&name);
        assert!(elements.contains(plain), "<{name}>");
        for (attribute, value) in own {
            assert!(attributes.contains(&*attribute), "<{name} {attribute}={value:?}>");
            if attribute == "href" {
                let is_allowed = ["#", "http://", "https://", "mailto:"]
                    .iter()
                    .any(|start| value.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start)));
                assert!(is_allowed, "href={value:?}");
            }
        }
    }
    assert_eq!(page.matches("<script").count(), 2, "the script, and its data");
    assert_eq!(page.matches("<style").count(), 1);
    let control = |c: &char| c.is_control() && *c != '\n' && *c != '\t' || ('\u{202a}'..='\u{202e}').contains(c);
    assert_eq!(page.chars().find(control), None);
}

fn base64(bytes: &[u8]) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let groups = bits.as_bytes().chunks(6).map(|six| {
        let six = format!("{:0<6}", std::str::from_utf8(six).unwrap());
        digits[usize::from_str_radix(&six, 2).unwrap()] as char
    });
    let text: String = groups.collect();
    format!("{text}{}", "=".repeat((4 - text.len() % 4) % 4))
}

fn example() -> Memory {
    corpus::example().into_iter().fold(Memory::new(), |memory, (path, text)| memory.file(&path, &text))
}

#[test]
fn a_page_has_the_files_their_bullets_and_every_view() {
    let memory = example();
    memory.done(["add", "user", "Prefers tea", "-m", "she said so"]);
    memory.done(["update", "user", "Prefers tea", "Prefers green tea"]);
    let page = export(&memory, &[]);
    assert_inert(&page);
    let parts = parts(&page);
    for view in ["files", "timeline", "inbox", "links", "figures", "review"] {
        assert!(parts.html.contains(&format!("<section id=\"{view}\"")), "{view}");
    }
    for (path, text) in corpus::example() {
        assert!(parts.html.contains(&format!("data-path=\"{path}\"")), "{path}");
        let document = memdir::document::Document::parse(text);
        for bullet in 0..document.bullets().len() {
            let reference = format!(">{}</a>", document.bullet_reference(bullet));
            assert!(parts.html.contains(&reference), "{path} {reference}");
        }
    }
    assert!(parts.html.contains("maintains <a href=\"#f"), "a link between files");
    // Who wrote it, why, and what it said before.
    let item = parts.html.split("Prefers green tea").next().unwrap().rsplit("<li id=\"i").next().unwrap();
    let life = &parts.data["lives"][item.split('"').next().unwrap()];
    assert_eq!(life[0][3], "Prefers tea", "{life}");
    let reasons = parts.data["revisions"].as_object().unwrap().values().map(|row| &row[2]);
    assert!(reasons.into_iter().any(|reason| reason == "she said so"));
    let timeline = between(&parts.html, "<section id=\"timeline\"", "<section id=\"inbox\"");
    assert!(timeline.contains("<b>tester</b>") && timeline.contains("Storm test"), "changes and episodes");
}

#[test]
fn only_its_own_script_and_styles_may_be_used_and_nothing_is_fetched() {
    let page = export(&example(), &[]);
    let policy = between(&page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"").replace("&#39;", "'");
    let parts = parts(&page);
    let hash = |text: &str| format!("'sha256-{}'", base64(&Sha256::digest(text)));
    let expected = format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        hash(&parts.script),
        hash(&parts.styles)
    );
    assert_eq!(policy, expected);
    // The policy comes before everything that it is about.
    assert!(page.find("Content-Security-Policy") < page.find("<style>"));
    let own = format!("{}{}", parts.styles, parts.script);
    for name in ["url(", "@import", "fetch(", "XMLHttpRequest", "innerHTML", "eval(", "import(", "http"] {
        assert!(!own.contains(name), "{name}");
    }
}

#[test]
fn hostile_texts_stay_texts_in_every_place() {
    let line = |text: &str| text.replace(['\r', '\n', '\0'], " ");
    let texts = corpus::texts();
    let bullets: String = texts.iter().map(|text| format!("- {}\n", line(text))).collect();
    let raw: String = texts.iter().map(|text| format!("{}\n\n", text.replace('\0', ""))).collect();
    let entries: String =
        texts.iter().map(|text| format!("## {}\n- Date: 2026-02-02\n- Summary: {0}\n\n", line(text))).collect();
    let memory = Memory::new()
        .policy("version: 1\nsensitive: [contact]\n")
        .file("facts/list.md", &format!("# <script>x</script>\n\n> Summary: <img src=x>, \"'\n\n{bullets}"))
        .file("notes/raw.md", &raw)
        .file("notes/table.md", &format!("| a | b |\n|---|---|\n{}", "| <b onclick=x> | \\| \"x' |\n".repeat(3)))
        .file("episodes/2026-02.md", &entries)
        .file("facts/links.md", "- [[<img src=x onerror=y>]] [x](javascript:alert(1)) [y](list.md) <javascript:z>\n");
    for text in ["<script>x()</script>", "\" onmouseover=\"x", "</script><script>y</script>"] {
        memory.run(["add", "user", "-m", text, "--", text]).exit(0);
        memory.run(["add", "user", "--", &format!("Phone: {text}")]).by("a<b>\"'").may_change().ends();
    }
    memory.put("inbox/p1234567.md", "# <script>x</script>\n\nProposed: \"<b>\"\n\n```diff\n+<img src=x>\n```\n");
    assert_inert(&export(&memory, &[]));
}

#[test]
fn a_page_in_a_file_is_private_and_the_same_every_time() {
    use std::os::unix::fs::PermissionsExt;
    let memory = example();
    let out = memory.dir().parent().unwrap().join("page.html");
    memory.run(["export", "--to", "html", "-o", out.to_str().unwrap()]).exit(0).stdout("");
    assert_eq!(fs_err::metadata(&out).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs_err::read_to_string(&out).unwrap(), export(&memory, &[]));
    memory.run(["export", "--to", "html", "-o", out.to_str().unwrap()]).exit(4);
}

#[test]
fn a_restricted_reader_gets_a_page_without_what_it_may_not_see() {
    let policy = "version: 1\ncategories:\n  custom:\n    - name: health\nallowlists:\n  planner: [work]\n";
    let memory = Memory::new()
        .policy(policy)
        .file(
            "facts/user.md",
            "# User\n\n## Work\n\n- Standup at ten, see [[health]]\n\n## Health\n\n- Zqsecret pill\n",
        )
        .file("facts/health.md", "# Zqhealth\n\n- Zqknee hurts, see [[user]]\n");
    memory.done(["add", "health", "Zqaspirin daily", "-m", "zqreason"]);
    memory.done(["add", "user#work", "Reviews on Monday", "-m", "zqreason"]);
    memory.done(["add", "user#health", "Zqvitamins", "-m", "zqreason"]);
    let whole = export(&memory, &[]);
    assert!(whole.contains("Zqknee") && whole.contains("zqreason") && whole.contains("id=\"inbox\""));
    let page = memory.run(["export", "--to", "html"]).by("planner").exit(0).stdout;
    assert!(page.contains("Standup at ten") && page.contains("It shows what planner may see."));
    // Whole words: two letters stand by chance in a random id of the page.
    for hidden in ["zqsecret", "zqhealth", "zqknee", "zqaspirin", "zqvitamins", "zqreason", "health.md", "#health"] {
        assert!(!page.to_lowercase().contains(hidden), "{hidden}");
    }
    assert!(!page.contains("id=\"inbox\""));
}

#[test]
fn a_page_of_a_scope_or_of_some_files_has_nothing_else() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Zqtabs\n").file("facts/plan.md", "- Zqplan\n");
    memory.done(["scope", "add", "app"]);
    memory.done(["-S", "app", "add", "user", "Likes tea"]);
    let page = export(&memory, &["-S", "app"]);
    assert!(page.contains("Likes tea") && page.contains("<title>app ") && page.contains("\"memdir -S app\""));
    assert!(!page.contains("Zqtabs"));
    assert!(!export(&memory, &[]).contains("Likes tea"));
    memory.done(["add", "plan", "Zqlater"]);
    let page = export(&memory, &["user"]);
    assert!(page.contains("Zqtabs") && !page.contains("Zqplan") && !page.contains("Zqlater"));
}

/// The items of a page by number: the address that its results show.
fn addresses(html: &str) -> BTreeMap<usize, String> {
    let mut path = String::new();
    let mut found = BTreeMap::new();
    let mut rest = html;
    for (_, attributes) in tags(html) {
        let value = |name: &str| attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        if let Some(own) = value("data-path") {
            path = own;
        }
        let number = value("id").and_then(|id| id.strip_prefix('i')?.parse::<usize>().ok());
        let Some(number) = number else { continue };
        let address = value("data-at").unwrap_or_else(|| {
            let start = format!("<a href=\"#i{number}\">");
            let at = rest.find(&start).unwrap() + start.len();
            rest = &rest[at..];
            format!("{path}{}", &rest[..rest.find('<').unwrap()])
        });
        found.insert(number, address);
    }
    found
}

#[test]
fn every_single_word_ranks_as_query_ranks_it() {
    let memory = example()
        .file("facts/more.md", "- 黑猫 likes tea\n- 白猫 likes tea, see [[user]]\n- Cafés in Lisbon\n- the tests?\n")
        // Words that only a name, a title or a tag has.
        .file("facts/gazebo.md", "---\ntags: [pergola]\n---\n# Pavilion\n\n- Painted green\n- Has six corners\n")
        .file("facts/tests.md", "# Tests\n\n| word | meaning |\n|---|---|\n| test | one |\n| tests | two |\n");
    memory.done(["add", "user", "Tests on Monday", "Runs the tests in March 2026"]);
    let page = parts(&export(&memory, &[]));
    let addresses = addresses(&page.html);
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digit = |c: char| digits.find(c).unwrap();
    let names = ["gazebo", "pavilion", "pergola", "release"];
    let (mut checked, mut checked_names) = (0, 0);
    for row in page.data["words"].as_array().unwrap() {
        let words: Vec<&str> = row[0].as_str().unwrap().split(' ').collect();
        // All of the vocabulary takes long; these have what differs: labels, dates, forms, scripts, questions.
        let is_checked = |word: &&str| {
            names.contains(word) || ["test", "tests", "tea", "2026", "march", "cafe", "cafes", "猫"].contains(word)
        };
        let word = match words.iter().copied().find(is_checked) {
            Some(word) => word,
            None if checked % 12 == 0 || words.len() > 2 => words[0],
            None => {
                checked += 1;
                continue;
            }
        };
        checked += 1;
        let hits: Vec<char> = row[2].as_str().unwrap().chars().collect();
        let number = |hit: &[char]| digit(hit[0]) << 12 | digit(hit[1]) << 6 | digit(hit[2]);
        let ranked: Vec<&str> = hits.chunks(4).map(|hit| addresses[&number(hit)].as_str()).collect();
        let answer = memory.run(["--json", "query", "-a", "-L", "0", word]).exit(0).json();
        let expected: Vec<&str> =
            answer["items"].as_array().unwrap().iter().map(|item| item["address"].as_str().unwrap()).collect();
        // A pair of characters is searched for as three terms by `query`, and looked up as three by the page.
        if word.chars().count() == 1 || word.is_ascii() {
            assert_eq!(ranked, expected, "{word}");
        }
        if names.contains(&word) {
            assert!(ranked.len() > 1, "{word}: {ranked:?}");
            checked_names += 1;
        }
    }
    assert_eq!(checked_names, names.len());
    assert!(checked > 200, "{checked}");
}

#[test]
fn other_spellings_are_found_as_query_finds_them() {
    let memory = Memory::new().file(
        "facts/f.md",
        "# F\n\n- parseConfigFile splits\n- bought a kayak\n- 1,250 euros\n- Müller lives here\n- We organise walks\n- a frontend\n",
    );
    let page = parts(&export(&memory, &[]));
    let rows = page.data["words"].as_array().unwrap();
    for word in ["config", "buy", "1250", "mueller", "organize", "kayak", "parseconfigfile"] {
        let row = rows.iter().find(|row| row[0].as_str().unwrap().split(' ').any(|known| known == word));
        let hits = row.unwrap_or_else(|| panic!("no {word}: {rows:?}"))[2].as_str().unwrap();
        let answer = memory.run(["--json", "query", "-a", "-L", "0", word]).exit(0).json();
        assert_eq!(hits.len() / 4, answer["items"].as_array().unwrap().len(), "{word}");
        assert!(!hits.is_empty(), "{word}");
    }
    // A stem that is the start of its word is found by that.
    assert!(rows.iter().all(|row| row[0].as_str().unwrap().split(' ').all(|word| word != "split")), "{rows:?}");
}

#[test]
fn a_page_is_small_and_grows_with_the_texts() {
    let empty = export(&Memory::new(), &[]);
    assert!(empty.len() < 100_000, "{}", empty.len());
    assert!(empty.contains("Nothing is in this memory yet."));
    let bullet = |n: usize| format!("- Fact number {n} about the {} harbour and its lamp\n", n % 7);
    let text: String = (0..1_000).map(bullet).collect();
    let full = export(&Memory::new().file("facts/many.md", &format!("# Many\n\n{text}")), &[]);
    let each = (full.len() - empty.len() - text.len()) / 1_000;
    assert!(each < 140, "{each} bytes more than its text for each bullet");
}

#[test]
fn what_waits_for_a_decision_is_shown_with_the_commands_that_decide() {
    let memory = Memory::new()
        .policy("version: 1\nsensitive: [contact]\n")
        .file("facts/user.md", "# User\n\n- Shell: fish\n- Shell: zsh\n");
    memory.run(["add", "user", "Phone: 12345"]).by("claude").may_change().exit(5);
    let html = parts(&export(&memory, &[])).html;
    let id = between(&html, "<code>memdir inbox --accept ", "</code>").to_owned();
    let inbox = between(&html, "<section id=\"inbox\"", "<section id=\"links\"");
    for part in [&format!("memdir inbox --reject {id}"), "class=\"added\">+- Phone: 12345"] {
        assert!(inbox.contains(part), "{part}: {inbox}");
    }
    let review = between(&html, "<section id=\"review\"", "</main>");
    for text in ["Shell: fish", "Shell: zsh"] {
        assert!(review.contains(&format!("memdir rm facts/user.md@{}", handle(text))), "{text}: {review}");
    }
    assert!(html.contains("<small>contradicted</small>"));
}
