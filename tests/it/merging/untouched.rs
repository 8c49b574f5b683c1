//! What neither side touched keeps its bytes: two changes far apart, in real files and in texts that are hard to parse.
//!
//! The expected text is made by changing lines, so it knows nothing of Markdown.

use memdir::operation::merge::{ConflictLabels, merge};

use super::random::Chance;
use crate::support::corpus;
use crate::support::memory::full;

/// Texts whose lines do not stand where their structure suggests.
const SHAPES: [&str; 22] = [
    "- item with code\n\n  ```sh\nexport A=1\n  run\n  ```\n",
    "1. Write the file:\n   ```sh\n   cat > x <<EOF\nhello: 1\n  nested: 2\nEOF\n   ```\n2. Run it\n",
    "- parent\n  - nested one\nlazy line\n",
    "Para.\n\n  ```sh\nexport A=1\n  ```\n",
    "<details>\n<summary>more</summary>\n\n- inside html\n\n</details>\n",
    "   <questions>\nwhat now\n     and then\n   </questions>\n",
    "Steps to follow:\n1. Open the door\n2. Feed the cat\n3. Water the plants\n",
    "- tab parent\n\t- tab child\n\t  deep text\n\t- tab sister\n",
    "- a line\n\n      indented code\n   \n      more code\n",
    "* star\n  * star child\n     * deep\nlazy again\n",
    "10. ten\n    continued\n    1. below ten\n11. eleven\n",
    "> quote\nlazy quote\n> - quoted item\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "Setext heading\n---\n\ntext below it\n",
    "- [ ] task\n      - not nested\n  <!-- mem imp=3 -->   \n",
    "-\ttab after dash\n\n\tchild paragraph\n\t- and a child\n",
    "- one\n<!-- comment at column 0 -->\n- two\n  - three\n<!-- again -->\n",
    "```\ncode at top\n- no bullet\n```\n",
    "[ref]: http://example.com\n[other]: <x>\n",
    "  - indented first\n    more of it\n  <!-- mem id=m{n} -->\n  - indented second\nnot indented\n",
    "- a\n  - b\n\n    paragraph of b\n\n      code of b\n column one\n",
    "1) one\n2) two\n\n   ~~~\ncolumn 0\n   ~~~\n3) three\n",
];

fn merged(base: &str, ours: &str, theirs: &str) -> Result<String, String> {
    let merged = merge(base, ours, theirs, &ConflictLabels::default());
    if merged.conflicts.is_empty() { Ok(merged.text) } else { Err(merged.text) }
}

/// The first lines that differ.
fn difference(expected: &str, got: &str) -> String {
    let pair = expected.lines().zip(got.lines()).find(|(x, y)| x != y);
    let lengths = (expected.lines().count(), got.lines().count());
    format!("{pair:?}, lines {lengths:?}")
}

#[test]
fn a_changed_heading_and_an_appended_section_are_both_there_and_all_else_is_the_same() {
    let (mut wrong, mut all) = (Vec::new(), 0);
    for (name, text) in corpus::real().into_iter().step_by(if full() { 1 } else { 4 }) {
        let forms = std::iter::once(("as it is", text.clone())).chain(corpus::variants(&text));
        for (form, text) in forms.take(if full() { usize::MAX } else { 2 }) {
            let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let mut lines: Vec<&str> = text.split(eol).collect();
            let Some(at) = lines.iter().position(|line| line.starts_with("# ")) else { continue };
            let heading = format!("{} changed", lines[at]);
            let base = format!("{}{eol}", lines.join(eol).trim_end_matches(eol));
            lines[at] = &heading;
            let ours = format!("{}{eol}", lines.join(eol).trim_end_matches(eol));
            let tail = format!("{eol}## Zebra{eol}{eol}- appended bullet{eol}");
            let (theirs, expected) = (base.clone() + &tail, ours.clone() + &tail);
            for (ours, theirs) in [(&ours, &theirs), (&theirs, &ours)] {
                all += 1;
                match merged(&base, ours, theirs) {
                    Ok(text) if text == expected => {}
                    Ok(text) => wrong.push(format!("{name} ({form}): {}", difference(&expected, &text))),
                    Err(_) => wrong.push(format!("{name} ({form}): conflict")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {all}: {wrong:#?}", wrong.len());
}

/// A text of some shapes with a bullet before and after each.
fn text_of_shapes(chance: &mut Chance) -> String {
    let mut text = "# T\n".to_owned();
    for n in 0..chance.between(2, 5) {
        let shape = chance.one(&SHAPES).replace("{n}", &n.to_string());
        text.push_str(&format!("\n- anchor {n} {}\n\n{shape}", chance.sentence().replace(['*', '_', '`', '<'], "")));
    }
    text.push_str("\n- anchor at the end\n");
    text
}

#[test]
fn texts_that_are_hard_to_parse_keep_every_line_that_was_not_changed() {
    let (mut wrong, mut conflicts) = (Vec::new(), 0);
    let count = if full() { 30_000 } else { 600 };
    for seed in 0..count {
        let mut chance = Chance::new(0x7E57 + seed);
        let base = text_of_shapes(&mut chance);
        let lines: Vec<&str> = base.lines().collect();
        // A line that is only a mark of structure does not take more words.
        let changeable: Vec<usize> = (0..lines.len())
            .filter(|at| {
                let last = lines[*at].trim_end().chars().last();
                last.is_some_and(char::is_alphanumeric) && !["EOF", "sh"].iter().any(|end| lines[*at].ends_with(end))
            })
            .collect();
        let (a, b) = (chance.one(&changeable), chance.one(&changeable));
        // Where git's merge is clean: lines between the two changes.
        if a.abs_diff(b) < 3 {
            continue;
        }
        let with = |changed: &[usize]| -> String {
            let line = |at: usize| {
                if changed.contains(&at) { format!("{} zebra{at}\n", lines[at]) } else { format!("{}\n", lines[at]) }
            };
            (0..lines.len()).map(line).collect()
        };
        let expected = with(&[a, b]);
        match merged(&base, &with(&[a]), &with(&[b])) {
            Ok(text) if text == expected => {}
            Ok(text) => wrong.push(format!("seed {seed}: {}\n{base}", difference(&expected, &text))),
            Err(_) => conflicts += 1,
        }
    }
    println!("{} wrong, {conflicts} conflicts of {count}", wrong.len());
    // Of two equal lines with equal neighbours, the other one may be changed.
    assert!(wrong.len() * 4000 <= count as usize, "{} of {count}: {}", wrong.len(), wrong[0]);
    // Two changes of one item that is one thing (text and code in one) are one change to the reader.
    assert!(conflicts * 50 <= count, "{conflicts} of {count}");
}
