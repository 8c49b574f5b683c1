//! What the page's script looks up on demand, as JSON: the ranked words, and metadata and life of each item.
//!
//! Never printed as HTML: the script writes these texts as text.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::search_index::IndexedWord;

/// A change in the life of a bullet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LifeStep {
    /// `added`, `updated`, `moved`, `set`, `removed`.
    pub change: &'static str,
    /// The number of its revision; `None` for a change that memdir did not make.
    pub rev: Option<u64>,
    /// Who made it; empty where the revision says so.
    pub by: String,
    /// The text before, for `updated`.
    pub from: Option<String>,
    /// The file or section before, for `moved`.
    pub moved_from: Option<String>,
    /// The commit that brought it: `1a2b3c4 by Ana, 2026-02-24`.
    pub commit: Option<String>,
}

/// A revision that lives name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RevisionRow {
    /// Local time: `2026-02-24 10:00`.
    pub at: String,
    pub by: String,
    pub reason: Option<String>,
    pub source: Option<String>,
}

/// All that is looked up.
#[derive(Debug, Default)]
pub struct ItemData {
    /// How the commands of the page start: `memdir`, `memdir -S app`.
    pub command: String,
    pub words: Vec<IndexedWord>,
    pub revisions: BTreeMap<u64, RevisionRow>,
    /// Metadata, by the item's number in the page.
    pub meta: BTreeMap<usize, Vec<(String, String)>>,
    /// Lives, newest change first, by the item's number.
    pub lives: BTreeMap<usize, Vec<LifeStep>>,
}

impl ItemData {
    /// The JSON for a `<script>` element: what could end it is escaped.
    pub fn to_json(&self) -> String {
        let mut names = NameTable::default();
        let revisions: Map<String, Value> = self
            .revisions
            .iter()
            .map(|(rev, row)| {
                let row = [
                    json!(row.at),
                    json!(names.number_of(&row.by)),
                    json!(row.reason.as_deref().unwrap_or_default()),
                    json!(row.source.as_deref().unwrap_or_default()),
                ];
                (rev.to_string(), trimmed(row))
            })
            .collect();
        let lives: Map<String, Value> = self
            .lives
            .iter()
            .map(|(item, steps)| {
                (item.to_string(), steps.iter().map(|step| life_step(step, &mut names)).collect::<Value>())
            })
            .collect();
        let meta: Map<String, Value> = self
            .meta
            .iter()
            .map(|(item, pairs)| (item.to_string(), pairs.iter().map(|(k, v)| json!([k, v])).collect::<Value>()))
            .collect();
        let words: Value = self.words.iter().map(|word| json!([word.words, word.best, word.hits])).collect();
        let all = json!({
            "command": self.command, "names": names.names, "revisions": revisions, "lives": lives, "meta": meta,
            "words": words,
        });
        // `</script>` and `<!--` would end or change the element (HTML, "Restrictions for contents of script
        // elements").
        all.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
    }
}

fn life_step(step: &LifeStep, names: &mut NameTable) -> Value {
    trimmed([
        json!(names.number_of(step.change)),
        json!(step.rev.unwrap_or(0)),
        // The revision names who made it.
        json!(if step.rev.is_some() { 0 } else { names.number_of(&step.by) }),
        json!(step.from.as_deref().unwrap_or_default()),
        json!(step.moved_from.as_deref().unwrap_or_default()),
        json!(step.commit.as_deref().unwrap_or_default()),
    ])
}

/// A row without the empty fields at its end.
fn trimmed<const N: usize>(fields: [Value; N]) -> Value {
    let is_empty = |field: &Value| *field == json!("") || *field == json!(0);
    let count = fields.iter().rposition(|field| !is_empty(field)).map_or(0, |last| last + 1);
    fields.into_iter().take(count).collect()
}

/// Names that occur often, each once; number 0 is no name.
struct NameTable {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Default for NameTable {
    fn default() -> NameTable {
        NameTable { names: vec![String::new()], numbers: BTreeMap::new() }
    }
}

impl NameTable {
    fn number_of(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_short_and_cannot_end_their_element() {
        let step = LifeStep { change: "added", rev: Some(3), by: "ana".into(), ..LifeStep::default() };
        let outside = LifeStep {
            change: "updated",
            by: "outside".into(),
            from: Some("</script><!--".into()),
            ..LifeStep::default()
        };
        let data = ItemData {
            command: "memdir".into(),
            revisions: [(3, RevisionRow { at: "2026-02-24 10:00".into(), by: "ana".into(), ..RevisionRow::default() })]
                .into(),
            lives: [(7, vec![outside, step])].into(),
            ..ItemData::default()
        };
        let text = data.to_json();
        assert!(!text.contains(['<', '>', '&']), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["names"], json!(["", "ana", "updated", "outside", "added"]));
        assert_eq!(value["revisions"], json!({"3": ["2026-02-24 10:00", 1]}));
        assert_eq!(value["lives"], json!({"7": [[2, 0, 3, "</script><!--"], [4, 3]]}));
    }
}
