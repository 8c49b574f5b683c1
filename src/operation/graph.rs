//! A memory as a knowledge graph: an entity is a fact file, an observation a bullet, a relation a relation bullet.
//!
//! Requests, answers and texts are those of the MCP server that agents know for graphs
//! (<https://www.npmjs.com/package/@modelcontextprotocol/server-memory>, 2026.8.31). Never reads or writes a file: a
//! change is a list of operations on the files as they were read.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::graph_files::{GraphFile, RELATIONS_FILE, bullet_line, entity_text, is_made_stem, new_entity_path};
use super::validation::check_bullet_size;
use super::{Action, Operation, Target};
use crate::code::{Code, Rejection, quote_short};
use crate::document::relation::{RelationText, escape_relation};
use crate::document::{bullet_from_text, trim_lines};
use crate::path::MemoryPath;
use crate::path::distinct_names::{distinct_names, name_with_path};

/// An entity of the graph, as its tools read and write it: a file of facts, whose bullets are the observations.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct GraphEntity {
    pub name: String,
    pub entity_type: String,
    pub observations: Vec<String>,
}

/// A relation between two entities, each of which may be missing.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, Hash)]
#[serde(rename_all = "camelCase")]
pub struct GraphRelation {
    pub from: String,
    pub to: String,
    pub relation_type: String,
}

/// What is observed about an entity.
#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub struct EntityObservations {
    entity_name: String,
    /// `contents` in a request to add, `observations` in one to delete.
    #[serde(alias = "observations")]
    contents: Vec<String>,
}

/// A request, as its tool and the arguments.
#[derive(Deserialize, Clone, Debug)]
#[serde(tag = "tool", content = "arguments", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum GraphRequest {
    CreateEntities { entities: Vec<GraphEntity> },
    CreateRelations { relations: Vec<GraphRelation> },
    AddObservations { observations: Vec<EntityObservations> },
    DeleteEntities { entity_names: Vec<String> },
    DeleteObservations { deletions: Vec<EntityObservations> },
    DeleteRelations { relations: Vec<GraphRelation> },
    ReadGraph {},
    SearchNodes { query: String },
    OpenNodes { names: Vec<String> },
}

/// What a tool answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphReply {
    /// The answer as JSON, for programs.
    pub structured: Value,
    /// The answer as a text, for the model.
    pub text: String,
}

/// The files of a memory as a graph.
pub struct MemoryGraph {
    files: Vec<GraphFile>,
    /// The file of each entity, by its name and by its title with the path.
    by_name: HashMap<String, usize>,
    /// The names of entities by those of their files, with which people write links. Without the files that have their
    /// names from entities: there a link has the name of the entity.
    by_stem: HashMap<String, String>,
}

impl MemoryGraph {
    /// The graph of these files.
    pub fn new(mut files: Vec<GraphFile>) -> MemoryGraph {
        let entities: Vec<usize> = (0..files.len()).filter(|index| files[*index].is_entity()).collect();
        let titled: Vec<_> = entities.iter().map(|index| (&*files[*index].title, &files[*index].path)).collect();
        for (index, name) in entities.iter().zip(distinct_names(&titled)) {
            files[*index].name = name;
        }
        let mut by_name: HashMap<String, usize> =
            entities.iter().map(|index| (files[*index].name.clone(), *index)).collect();
        // A name with the path stays valid when the other file of the title is gone.
        for index in entities {
            by_name.entry(name_with_path(&files[index].title, &files[index].path)).or_insert(index);
        }
        let mut by_stem = HashMap::new();
        for file in files.iter().filter(|file| !is_made_stem(file.path.stem(), &file.title)) {
            by_stem.entry(file.path.stem().to_owned()).or_insert_with(|| file.name.clone());
        }
        MemoryGraph { files, by_name, by_stem }
    }

    /// The files whose names have their paths because another file has the same title, each with its name.
    pub fn renamed(&self) -> impl Iterator<Item = (&MemoryPath, &str)> {
        self.files.iter().filter(|file| file.name != file.title).map(|file| (&file.path, &*file.name))
    }

    /// The operations that a request needs, and its answer once they are made.
    ///
    /// # Errors
    /// `too_large` for an observation above 8 KiB; `file_not_found` for one about no entity; `would_break_structure` for
    /// one that is no bullet; `ambiguous_text` for an entity to delete of whose title there are several.
    pub fn answer(&self, request: &GraphRequest) -> Result<(Vec<Operation>, GraphReply), Rejection> {
        match request {
            GraphRequest::CreateEntities { entities } => self.create_entities(entities),
            GraphRequest::CreateRelations { relations } => Ok(self.create_relations(relations)),
            GraphRequest::AddObservations { observations } => self.add_observations(observations),
            GraphRequest::DeleteEntities { entity_names } => {
                Ok((self.delete_entities(entity_names)?, deleted("Entities")))
            }
            GraphRequest::DeleteObservations { deletions } => {
                Ok((self.delete_observations(deletions), deleted("Observations")))
            }
            GraphRequest::DeleteRelations { relations } => Ok((self.delete_relations(relations), deleted("Relations"))),
            GraphRequest::ReadGraph {} => Ok((Vec::new(), self.nodes(|_| true, true))),
            GraphRequest::SearchNodes { query } => {
                let query = query.to_lowercase();
                let is_in = |text: &str| text.to_lowercase().contains(&query);
                let found = |entity: &GraphEntity| {
                    is_in(&entity.name)
                        || is_in(&entity.entity_type)
                        || entity.observations.iter().any(|observation| is_in(observation))
                };
                Ok((Vec::new(), self.nodes(found, false)))
            }
            GraphRequest::OpenNodes { names } => {
                let names = self.own_names(names);
                Ok((Vec::new(), self.nodes(|entity| names.contains(&*entity.name), false)))
            }
        }
    }

    /// The entities that are wanted, and the relations of each; with `all` also those between missing entities.
    fn nodes(&self, is_wanted: impl Fn(&GraphEntity) -> bool, all: bool) -> GraphReply {
        let entities: Vec<GraphEntity> =
            self.files.iter().filter_map(GraphFile::entity).filter(|entity| is_wanted(entity)).collect();
        let names: HashSet<&str> = entities.iter().map(|entity| entity.name.as_str()).collect();
        let relations: Vec<GraphRelation> = self
            .relations()
            .map(|(_, _, relation)| relation)
            .filter(|r| all || names.contains(r.from.as_str()) || names.contains(r.to.as_str()))
            .collect();
        let graph = json!({"entities": entities, "relations": relations});
        GraphReply { text: pretty(&graph), structured: graph }
    }

    /// The relations, each with its file and bullet.
    fn relations(&self) -> impl Iterator<Item = (&GraphFile, usize, GraphRelation)> {
        self.files.iter().flat_map(move |file| {
            file.relations.iter().map(move |(bullet, text)| {
                let from = text.from.as_deref().map_or(&*file.name, |from| self.entity_name(from));
                let to = self.entity_name(&text.to);
                (file, *bullet, graph_relation(from, to, &text.relation_type))
            })
        })
    }

    /// The name of the entity that a link names: its own, or that of its file.
    fn entity_name<'a>(&'a self, linked: &'a str) -> &'a str {
        match self.find(linked) {
            Some(file) => &file.name,
            None => self.by_stem.get(linked).map_or(linked, String::as_str),
        }
    }

    /// The names of entities as the graph has them; others stay.
    fn own_names<'a>(&'a self, names: &'a [String]) -> HashSet<&'a str> {
        names.iter().map(|name| self.find(name).map_or(&**name, |file| &file.name)).collect()
    }

    fn find(&self, name: &str) -> Option<&GraphFile> {
        self.by_name.get(name).map(|index| &self.files[*index])
    }

    fn create_entities(&self, entities: &[GraphEntity]) -> Result<(Vec<Operation>, GraphReply), Rejection> {
        let mut taken: HashSet<String> = self.files.iter().map(|file| file.path.case_folded()).collect();
        let mut created: Vec<&GraphEntity> = Vec::new();
        let mut operations = Vec::new();
        for entity in entities {
            if self.by_name.contains_key(&entity.name) || created.iter().any(|other| other.name == entity.name) {
                continue;
            }
            let path = new_entity_path(&entity.name, &taken);
            taken.insert(path.case_folded());
            let text = entity_text(entity)?;
            entity.observations.iter().try_for_each(|observation| check_bullet_size(observation, &[]))?;
            operations
                .push(operation(Action::Write { at: Target::Address(path.to_string()), text, create: true }, None));
            created.push(entity);
        }
        Ok((operations, listed("entities", &created)))
    }

    fn create_relations(&self, relations: &[GraphRelation]) -> (Vec<Operation>, GraphReply) {
        let mut known: HashSet<GraphRelation> = self.relations().map(|(_, _, relation)| relation).collect();
        let mut created = Vec::new();
        let mut operations = Vec::new();
        for relation in relations {
            if !known.insert(self.with_entity_names(relation)) {
                continue;
            }
            let file = self.find(&relation.from);
            let text = RelationText {
                from: file.is_none().then(|| relation.from.clone()),
                relation_type: relation.relation_type.clone(),
                to: relation.to.clone(),
            };
            // A relation that starts at a missing entity has no file.
            let at = file.map_or(RELATIONS_FILE, |file| file.path.as_str());
            let relations_file = || self.files.iter().find(|file| file.path.as_str() == RELATIONS_FILE);
            operations.push(add(at, text.to_text(), Vec::new(), file.or_else(relations_file)));
            created.push(relation);
        }
        (operations, listed("relations", &created))
    }

    fn with_entity_names(&self, relation: &GraphRelation) -> GraphRelation {
        graph_relation(self.entity_name(&relation.from), self.entity_name(&relation.to), &relation.relation_type)
    }

    fn add_observations(&self, observations: &[EntityObservations]) -> Result<(Vec<Operation>, GraphReply), Rejection> {
        let mut added: HashMap<&str, Vec<(String, Option<String>)>> = HashMap::new();
        let (mut operations, mut results) = (Vec::new(), Vec::new());
        for EntityObservations { entity_name, contents } in observations {
            let file = self.find(entity_name).ok_or_else(|| {
                Rejection::new(Code::FileNotFound, format!("Entity with name {entity_name} not found"))
            })?;
            let earlier = added.entry(file.path.as_str()).or_default();
            let mut added_here = Vec::new();
            for content in contents {
                let text = trim_lines(content);
                let bullet = bullet_from_text(&escape_relation(content)).ok_or_else(|| no_bullet(content))?;
                let line = bullet_line(&bullet);
                if file.has_observation(&text, line.as_deref())
                    || earlier.iter().any(|known| known.0 == text || line.is_some() && known.1 == line)
                {
                    continue;
                }
                operations.push(add(file.path.as_str(), bullet.text, bullet.children, Some(file)));
                earlier.push((text, line));
                added_here.push(content);
            }
            results.push(json!({"entityName": entity_name, "addedObservations": added_here}));
        }
        Ok((operations, listed("results", &results)))
    }

    /// The title alone deletes none of several entities that have it: once one is gone, it would name another, which a
    /// client that repeats its call would delete, too.
    fn delete_entities(&self, requested: &[String]) -> Result<Vec<Operation>, Rejection> {
        let names = self.own_names(requested);
        let is_deleted = |file: &GraphFile| file.is_entity() && names.contains(&*file.name);
        for file in requested.iter().filter_map(|name| self.find(name).filter(|file| file.title == *name)) {
            let titled: Vec<&GraphFile> =
                self.files.iter().filter(|other| other.is_entity() && other.title == file.title).collect();
            if titled.iter().any(|other| !is_deleted(other)) {
                return Err(ambiguous_title(&titled));
            }
        }
        let relations = self
            .relations()
            .filter(|(file, _, r)| !is_deleted(file) && (names.contains(&*r.from) || names.contains(&*r.to)))
            .map(|(file, bullet, _)| remove(file, Some(bullet)));
        let files = self.files.iter().filter(|file| is_deleted(file)).map(|file| remove(file, None));
        Ok(files.chain(relations).collect())
    }

    fn delete_observations(&self, deletions: &[EntityObservations]) -> Vec<Operation> {
        let mut bullets: Vec<(&GraphFile, usize)> = Vec::new();
        for EntityObservations { entity_name, contents } in deletions {
            let Some(file) = self.find(entity_name) else { continue };
            let contents: Vec<String> = contents.iter().map(|content| trim_lines(content)).collect();
            let found = file.observations.iter().filter(|(_, text)| contents.contains(text));
            bullets.extend(found.map(|(bullet, _)| (file, *bullet)));
        }
        bullets.sort_by_key(|(file, bullet)| (&file.path, *bullet));
        bullets.dedup_by_key(|(file, bullet)| (&file.path, *bullet));
        bullets.into_iter().map(|(file, bullet)| remove(file, Some(bullet))).collect()
    }

    fn delete_relations(&self, relations: &[GraphRelation]) -> Vec<Operation> {
        let deleted: HashSet<GraphRelation> = relations.iter().map(|r| self.with_entity_names(r)).collect();
        let found = self.relations().filter(|(_, _, relation)| deleted.contains(relation));
        found.map(|(file, bullet, _)| remove(file, Some(bullet))).collect()
    }
}

/// The rejection of a title that several files have.
fn ambiguous_title(titled: &[&GraphFile]) -> Rejection {
    let title = &titled[0].title;
    let names: Vec<String> = titled.iter().map(|file| format!("'{}'", name_with_path(title, &file.path))).collect();
    Rejection::new(Code::AmbiguousText, format!("{} entities have the title '{title}'", names.len()))
        .hint(format!("name the one to delete with its path: {}", names.join(", ")))
}

fn graph_relation(from: &str, to: &str, relation_type: &str) -> GraphRelation {
    GraphRelation { from: from.to_owned(), to: to.to_owned(), relation_type: relation_type.to_owned() }
}

/// What the text of an observation must be that no bullet can hold.
pub(super) fn no_bullet(text: &str) -> Rejection {
    let start = quote_short(text);
    Rejection::new(Code::WouldBreakStructure, format!("the observation {start} cannot be kept as a bullet")).hint(
        "give it a first line of plain text, and below it no underline of a heading and no second blank line in a row",
    )
}

/// Planned only on the file as it was read: what is added twice, or was removed meanwhile, is seen on the next try.
fn operation(action: Action, file: Option<&GraphFile>) -> Operation {
    let if_match = file.map(|file| file.etag.clone());
    Operation { if_match, ..action.into() }
}

fn add(at: &str, text: String, children: Vec<String>, file: Option<&GraphFile>) -> Operation {
    operation(Action::Add { at: Target::Address(at.to_owned()), text, children, meta: Vec::new(), create: true }, file)
}

fn remove(file: &GraphFile, bullet: Option<usize>) -> Operation {
    let reference = bullet.map(|bullet| file.document.bullet_reference(bullet)).unwrap_or_default();
    let at = Target::Address(format!("{}{reference}", file.path));
    let remove = Action::remove(at);
    operation(remove, Some(file))
}

/// The answer with what is new: the text is the list alone.
fn listed(name: &str, rows: &[impl Serialize]) -> GraphReply {
    GraphReply { text: pretty(&rows), structured: json!({name: rows}) }
}

fn deleted(what: &str) -> GraphReply {
    let message = format!("{what} deleted successfully");
    GraphReply { structured: json!({"success": true, "message": message}), text: message }
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn graph(files: &[(&str, &str)]) -> MemoryGraph {
        let file = |(path, text): &(&str, &str)| {
            GraphFile::read(MemoryPath::new(path).unwrap(), "e".to_owned(), Document::parse(*text))
        };
        MemoryGraph::new(files.iter().map(file).collect())
    }

    fn request(tool: &str, arguments: Value) -> GraphRequest {
        serde_json::from_value(json!({"tool": tool, "arguments": arguments})).unwrap()
    }

    /// The operations of a request in memdir's own dialect, and what it answers.
    fn answer(graph: &MemoryGraph, tool: &str, arguments: Value) -> (Vec<Value>, Value) {
        let (operations, reply) = graph.answer(&request(tool, arguments)).unwrap();
        (operations.iter().map(super::super::dialects::to_json).collect(), reply.structured)
    }

    const ANA: &str = "---\ntype: person\n---\n# Ana\n\n- Likes tea\n- works_at [[Acme]]\n";
    const ACME: &str = "# Acme\n\n- Makes rockets\n  - and anvils\n- a \\[[b]]\n";

    #[test]
    fn files_are_read_as_entities() {
        let memory = graph(&[("facts/ana.md", ANA), ("facts/acme-inc.md", ACME)]);
        let (_, read) = answer(&memory, "read_graph", json!({}));
        assert_eq!(
            read,
            json!({
                "entities": [
                    {"name": "Ana", "entityType": "person", "observations": ["Likes tea"]},
                    {"name": "Acme", "entityType": "acme-inc", "observations": ["Makes rockets\n- and anvils", "a [[b]]"]},
                ],
                "relations": [{"from": "Ana", "to": "Acme", "relationType": "works_at"}],
            })
        );
        let (_, found) = answer(&memory, "search_nodes", json!({"query": "ANVIL"}));
        assert_eq!((found["entities"].as_array().unwrap().len(), found["relations"].as_array().unwrap().len()), (1, 1));
        assert_eq!(answer(&memory, "open_nodes", json!({"names": ["acme"]})).1["entities"], json!([]));
    }

    #[test]
    fn a_link_by_the_name_of_a_file_is_to_its_entity() {
        let memory = graph(&[("facts/acme-inc.md", ACME), ("facts/bob.md", "# Bob\n\n- owns [[acme-inc]]\n")]);
        let relation = json!({"from": "Bob", "to": "Acme", "relationType": "owns"});
        assert_eq!(answer(&memory, "read_graph", json!({})).1["relations"][0], relation);
        let (operations, created) = answer(&memory, "create_relations", json!({"relations": [relation]}));
        assert_eq!((operations.len(), created), (0, json!({"relations": []})));
        // The name of this file was made of the entity's; `x` is another entity, which is missing.
        let memory = graph(&[("facts/x.md", "---\ntitle: ../x\n---\n"), ("facts/bob.md", "# Bob\n\n- owns [[x]]\n")]);
        assert_eq!(answer(&memory, "read_graph", json!({})).1["relations"][0]["to"], "x");
    }

    #[test]
    fn what_is_new_is_an_operation() {
        let memory = graph(&[("facts/ana.md", ANA)]);
        let (operations, reply) = answer(
            &memory,
            "add_observations",
            json!({"observations": [{"entityName": "Ana", "contents": ["Likes tea", "Steps:\n- one", "knows [[Bob]]"]}]}),
        );
        assert_eq!(reply["results"][0]["addedObservations"], json!(["Steps:\n- one", "knows [[Bob]]"]));
        assert_eq!(operations.len(), 2);
        assert_eq!(operations[1]["text"], "knows \\[[Bob]]");
        assert_eq!((&operations[0]["at"], &operations[0]["if_match"]), (&json!("facts/ana.md"), &json!("e")));
        let relations = json!({"relations": [
            {"from": "Ana", "to": "Acme", "relationType": "works_at"},
            {"from": "Ana", "to": "Bob", "relationType": "works with"},
            {"from": "Nobody", "to": "Ana", "relationType": "knows"},
        ]});
        let (operations, _) = answer(&memory, "create_relations", relations);
        let texts: Vec<&Value> = operations.iter().map(|operation| &operation["text"]).collect();
        assert_eq!(texts, ["\"works with\" [[Bob]]", "[[Nobody]] knows [[Ana]]"]);
        assert_eq!(operations[1]["at"], RELATIONS_FILE);
    }

    #[test]
    fn what_goes_is_an_operation() {
        let memory = graph(&[("facts/ana.md", ANA), ("facts/acme.md", ACME)]);
        let (operations, _) = answer(&memory, "delete_entities", json!({"entityNames": ["Acme", "Nobody"]}));
        assert_eq!(operations.len(), 2);
        assert_eq!(operations[0]["at"], "facts/acme.md");
        assert!(operations[1]["at"].as_str().unwrap().starts_with("facts/ana.md@"), "{operations:?}");
        let deletions = json!({"deletions": [{"entityName": "Ana", "observations": ["Likes tea", "none"]}]});
        assert_eq!(answer(&memory, "delete_observations", deletions).0.len(), 1);
        let relation = json!({"relations": [{"from": "Ana", "to": "Acme", "relationType": "works_for"}]});
        assert_eq!(answer(&memory, "delete_relations", relation).0.len(), 0);
    }

    #[test]
    fn two_files_of_one_title_are_two_entities() {
        let user = ("facts/user.md", "# User\n\n- Bo hates tea\n- knows [[ana]]\n");
        let memory = graph(&[("facts/ana.md", "# User\n\n- Ana likes tea\n"), user]);
        let (_, read) = answer(&memory, "read_graph", json!({}));
        let names: Vec<&Value> = read["entities"].as_array().unwrap().iter().map(|entity| &entity["name"]).collect();
        assert_eq!(names, ["User", "User (facts/user.md)"]);
        assert_eq!(read["relations"], json!([{"from": "User (facts/user.md)", "to": "User", "relationType": "knows"}]));
        let delete = |name: &str| answer(&memory, "delete_entities", json!({"entityNames": [name]})).0;
        let first = delete("User (facts/ana.md)");
        assert_eq!(first.iter().filter(|operation| operation["at"] == "facts/ana.md").count(), 1);
        assert!(!first.iter().any(|operation| operation["at"] == "facts/user.md"));
        assert_eq!(delete("User (facts/user.md)")[0]["at"], "facts/user.md");
        assert_eq!(delete("User (facts/user.md)").len(), 1);
        let more = json!({"observations": [{"entityName": "User (facts/user.md)", "contents": ["Likes soup"]}]});
        assert_eq!(answer(&memory, "add_observations", more.clone()).0[0]["at"], "facts/user.md");
        // The name stays valid when the other file is gone.
        assert_eq!(answer(&graph(&[user]), "add_observations", more).0[0]["at"], "facts/user.md");
    }

    /// A client that had no answer repeats its call.
    #[test]
    fn a_repeated_deletion_deletes_no_other_entity_of_the_title() {
        let files = [("facts/ana.md", "# User\n\n- A\n"), ("facts/user.md", "# User\n\n- B\n")];
        let (both, one) = (graph(&files), graph(&files[1..]));
        let delete = |graph: &MemoryGraph, names: &[&str]| {
            graph
                .answer(&request("delete_entities", json!({"entityNames": names})))
                .map(|(operations, _)| operations.len())
        };
        let refused = delete(&both, &["User"]).unwrap_err();
        assert_eq!(refused.code, Code::AmbiguousText);
        assert!(refused.hint.unwrap().contains("'User (facts/ana.md)', 'User (facts/user.md)'"));
        assert_eq!(delete(&both, &["User (facts/ana.md)"]), Ok(1));
        assert_eq!(delete(&one, &["User (facts/ana.md)"]), Ok(0));
        // With the others by their paths, the title names the one that is left.
        assert_eq!(delete(&both, &["User", "User (facts/user.md)"]), Ok(2));
        assert_eq!(delete(&one, &["User"]), Ok(1));
    }

    #[test]
    fn an_unknown_entity_has_no_observations() {
        let asked = request("add_observations", json!({"observations": [{"entityName": "X", "contents": ["a"]}]}));
        let refused = graph(&[]).answer(&asked).unwrap_err();
        assert_eq!((refused.code, refused.message.as_str()), (Code::FileNotFound, "Entity with name X not found"));
    }
}
