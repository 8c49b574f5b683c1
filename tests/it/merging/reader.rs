//! A small reader of memory files: headings, bullets, metadata lines, blocks, front matter; line by line.
//!
//! Knows only what the generator prints. What it cannot place it calls garbled, never guesses.

use std::collections::{BTreeMap, BTreeSet};

use super::truth::{Fact, Meta};

/// The content of a text.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub front: BTreeMap<String, String>,
    pub headings: Vec<String>,
    pub facts: Vec<Fact>,
    /// For each of them the number of headings above it.
    pub homes: Vec<usize>,
    /// The terms of each summary line.
    pub summaries: Vec<Vec<String>>,
    /// What fits nowhere.
    pub garbled: Vec<String>,
}

/// An item whose lines are being read.
struct Open {
    /// Column of its content.
    content: usize,
    fact: usize,
    /// A fence in it that has not closed.
    fence: bool,
    /// Its metadata line was read, or its children began.
    headed: bool,
}

struct Reader {
    seen: Seen,
    path: Vec<(usize, String)>,
    items: Vec<Open>,
    /// Lines of the paragraph, table or fenced block being read.
    block: Vec<String>,
    fence: bool,
    blank_above: bool,
}

/// Reads a text.
pub fn read(text: &str) -> Seen {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut reader = Reader {
        seen: Seen::default(),
        path: Vec::new(),
        items: Vec::new(),
        block: Vec::new(),
        fence: false,
        blank_above: true,
    };
    let lines: Vec<&str> = text.lines().collect();
    let body = reader.front(&lines);
    lines[body..].iter().for_each(|line| reader.line(line));
    reader.end_block();
    if reader.fence || reader.items.iter().any(|i| i.fence) {
        reader.seen.garbled.push("an open fence".to_owned());
    }
    if text.contains('\u{feff}') {
        reader.seen.garbled.push("a byte order mark inside".to_owned());
    }
    reader.seen
}

impl Reader {
    /// Reads the front matter; answers where the body starts.
    fn front(&mut self, lines: &[&str]) -> usize {
        if lines.first().is_none_or(|l| l.trim_end() != "---") {
            return 0;
        }
        let Some(end) = lines.iter().skip(1).position(|l| l.trim_end() == "---") else {
            self.seen.garbled.push("front matter without an end".to_owned());
            return 0;
        };
        let mut list: Option<(String, BTreeSet<String>)> = None;
        for line in &lines[1..=end] {
            if let (Some(item), Some((_, set))) = (line.trim().strip_prefix("- "), &mut list) {
                if !set.insert(item.to_owned()) {
                    self.seen.garbled.push(format!("{item} twice in a list"));
                }
                continue;
            }
            self.end_list(list.take());
            match line.split_once(':') {
                Some((key, value)) if value.trim().is_empty() => list = Some((key.to_owned(), BTreeSet::new())),
                Some((key, value)) => {
                    let value = value.trim();
                    let inner = value.strip_prefix('[').and_then(|v| v.strip_suffix(']'));
                    let set = |list: &str| -> BTreeSet<String> {
                        list.split(',').map(|v| v.trim().to_owned()).filter(|v| !v.is_empty()).collect()
                    };
                    let value =
                        inner.map_or(value.to_owned(), |list| set(list).into_iter().collect::<Vec<_>>().join(", "));
                    self.value(key, value);
                }
                None => self.seen.garbled.push(format!("{line:?} in front matter")),
            }
        }
        self.end_list(list);
        end + 2
    }

    fn end_list(&mut self, list: Option<(String, BTreeSet<String>)>) {
        if let Some((key, set)) = list {
            self.value(&key, set.into_iter().collect::<Vec<_>>().join(", "));
        }
    }

    fn value(&mut self, key: &str, value: String) {
        if self.seen.front.insert(key.to_owned(), value).is_some() {
            self.seen.garbled.push(format!("front matter {key} twice"));
        }
    }

    fn line(&mut self, raw: &str) {
        let line = raw.trim_end();
        let indent = line.len() - line.trim_start().len();
        let text = line.trim_start();
        if self.fence {
            self.block.push(line.to_owned());
            if text == "```" && indent == 0 {
                self.fence = false;
                self.end_block();
            }
            return;
        }
        if let Some(item) = self.items.last_mut().filter(|i| i.fence) {
            item.fence = text != "```";
            let (fact, content) = (item.fact, item.content.min(indent));
            self.more(fact, &line[content..]);
            return;
        }
        if text.is_empty() {
            self.end_block();
            self.blank_above = true;
            return;
        }
        let blank_above = std::mem::take(&mut self.blank_above);
        if self.block.is_empty() {
            if let Some((content, body)) = item(line) {
                return self.item(indent, content, body);
            }
            if indent > 0 {
                return self.inside(indent, text, blank_above);
            }
            if let Some(title) = heading(line) {
                return self.heading(line.len() - line.trim_start_matches('#').len(), title);
            }
            if let Some(terms) = line.strip_prefix("> Summary:") {
                self.items.clear();
                let terms = terms.split(',').map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
                self.seen.summaries.push(terms.collect());
                return;
            }
            if !self.items.is_empty() && !blank_above {
                return self.seen.garbled.push(format!("{line:?} runs into the bullet above"));
            }
            if ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].iter().any(|m| line.starts_with(m)) {
                return self.seen.garbled.push(format!("{line:?}"));
            }
            self.items.clear();
            self.fence = line.starts_with("```");
        } else if heading(line).is_some() || item(line).is_some() {
            // Only a heading may be directly below a paragraph; nothing here is printed so.
            self.seen.garbled.push(format!("{line:?} runs into the block above"));
        }
        self.block.push(line.to_owned());
    }

    fn end_block(&mut self) {
        if self.block.is_empty() || self.fence {
            return;
        }
        let text = format!("¶ {}", std::mem::take(&mut self.block).join("\n"));
        self.fact(None, text);
    }

    fn fact(&mut self, parent: Option<String>, text: String) -> usize {
        let path = self.path.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>().join(" / ");
        self.seen.homes.push(self.seen.headings.len());
        self.seen.facts.push(Fact { path, parent, text, meta: Meta::new() });
        self.seen.facts.len() - 1
    }

    fn heading(&mut self, level: usize, title: &str) {
        self.items.clear();
        self.path.retain(|(l, _)| *l < level);
        let title = title.split(" {#").next().unwrap_or(title);
        self.path.push((level, title.to_owned()));
        let path = self.path.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>().join(" / ");
        self.seen.headings.push(path);
    }

    fn item(&mut self, indent: usize, content: usize, text: &str) {
        self.items.retain(|i| i.content <= indent);
        if indent > 0 && self.items.last().is_none_or(|i| i.content > indent) {
            self.seen.garbled.push(format!("{text:?} is indented below nothing"));
        }
        if let Some(above) = self.items.last_mut() {
            above.headed = true;
        }
        let parent = self.items.last().map(|i| i.fact);
        let parent = parent.map(|i| self.seen.facts[i].text.clone());
        let fact = self.fact(parent, text.to_owned());
        self.items.push(Open { content, fact, fence: false, headed: false });
    }

    /// An indented line that starts no item: metadata, or more of the text.
    fn inside(&mut self, indent: usize, text: &str, blank_above: bool) {
        let Some(at) = self.items.iter().rposition(|i| i.content <= indent) else {
            return self.seen.garbled.push(format!("{text:?} is indented below nothing"));
        };
        let last = at + 1 == self.items.len();
        let item = &mut self.items[at];
        if let Some(pairs) = text.strip_prefix("<!-- mem").and_then(|t| t.strip_suffix("-->")) {
            if item.headed || blank_above || !last {
                return self.seen.garbled.push(format!("{text:?} is not below its bullet"));
            }
            item.headed = true;
            let fact = item.fact;
            for pair in pairs.split_whitespace() {
                let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                if self.seen.facts[fact].meta.insert(key.to_owned(), value.to_owned()).is_some() {
                    self.seen.garbled.push(format!("{key} twice in {text:?}"));
                }
            }
            return;
        }
        if blank_above || !last {
            return self.seen.garbled.push(format!("{text:?} is apart from its bullet"));
        }
        item.fence = text.starts_with("```");
        let fact = item.fact;
        self.more(fact, text);
    }

    fn more(&mut self, fact: usize, line: &str) {
        let text = &mut self.seen.facts[fact].text;
        text.push('\n');
        text.push_str(line);
    }
}

/// The column of an item's content, and its text.
fn item(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marker = match text[digits..].chars().next()? {
        '-' | '*' | '+' if digits == 0 => 1,
        '.' | ')' if digits > 0 => digits + 1,
        _ => return None,
    };
    let body = text[marker..].strip_prefix(' ')?;
    Some((indent + marker + 1, body))
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    title.strip_prefix(' ').filter(|_| (1..=6).contains(&level))
}
