//! The memory during a reflection: the files on disk, with the operations accepted so far on top.
//!
//! Never writes, and never judges a proposal: it plans operations and answers the model's read tools.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

use crate::change::{Changeset, Effect, EffectSign};
use crate::code::{Code, Rejection};
use crate::commands::change::plan_in_context;
use crate::commands::list_and_read::resolve_address_in;
use crate::commands::query::query_with_overrides;
use crate::commands::results::QueryResult;
use crate::commands::{Error, Session};
use crate::document::related_edge::{related_edge, stating_bullets};
use crate::document::{Document, MAX_FILE_BYTES, section_range};
use crate::operation::effects::diff_effects;
use crate::operation::overlay::Overlay;
use crate::operation::{Operation, PlanContext};
use crate::path::MemoryPath;
use crate::policy::Policy;
use crate::reflect::metadata::{MetadataChanges, metadata_effects};
use crate::reflect::outcome::TouchedFile;
use crate::reflect::prompt::KnownMemory;
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::text::one_line::one_line;
use crate::view::outline::{self, OutlineDepth, outline};
use crate::view::query::filter::QueryOptions;
/// How much of the memory's facts a prompt contains where the options do not say, in estimated tokens.
const DEFAULT_FACTS_TOKENS: usize = 4000;
/// How much of the episodes a prompt contains, in estimated tokens.
const MAX_EPISODES_TOKENS: usize = 800;
/// Maximum length of a read tool's result, in estimated tokens.
const MAX_RESULT_TOKENS: usize = 2000;

/// The memory, with the accepted operations applied.
pub struct ReflectOverlay<'s> {
    session: &'s Session,
    files: Vec<(MemoryPath, Document)>,
    overlay: Overlay,
    bullet_texts: Vec<String>,
    /// How much of the memory's facts a prompt contains, in estimated tokens.
    facts_tokens: usize,
}

impl<'s> ReflectOverlay<'s> {
    /// The session whose memory it is.
    pub fn session(&self) -> &'s Session {
        self.session
    }

    /// Reads all files of the memory.
    ///
    /// # Errors
    /// `io`.
    pub fn open(session: &'s Session, facts_tokens: Option<usize>) -> Result<ReflectOverlay<'s>, Rejection> {
        let store = &session.store;
        let files = store.consistent(|| -> Result<Vec<(MemoryPath, Document)>, Rejection> {
            let mut files_found = store.walk(None)?;
            files_found.retain(|f| !f.path.is_set_aside() && f.unsafe_reason.is_none());
            let read = store.map_files(&files_found, MAX_FILE_BYTES, &|file, read| {
                let text = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok().map(str::to_owned))?;
                Some((file.path.clone(), Document::parse(text)))
            });
            Ok(read.into_iter().flatten().collect())
        })??;
        let texts = |(_, document): &(MemoryPath, Document)| {
            stating_bullets(document).map(|i| document.bullet_text(i).into_owned()).collect::<Vec<_>>()
        };
        let bullet_texts = files.iter().flat_map(texts).collect();
        Ok(ReflectOverlay {
            session,
            files,
            overlay: Overlay::default(),
            bullet_texts,
            facts_tokens: facts_tokens.unwrap_or(DEFAULT_FACTS_TOKENS),
        })
    }

    /// The texts of all bullets, including the accepted ones.
    pub fn bullet_texts(&self) -> &[String] {
        &self.bullet_texts
    }

    /// The files of facts, as they are on disk.
    pub fn fact_files(&self) -> impl Iterator<Item = (&MemoryPath, &Document)> {
        self.files.iter().filter(|(path, _)| is_fact_file(path)).map(|(path, document)| (path, document))
    }

    /// Plans one operation on top of the accepted ones, without accepting it. What a limit evicts is left out: it is no
    /// effect of the operation, and is decided when the accepted ones are committed.
    ///
    /// # Errors
    /// Errors of planning; `limit_reached` also if nothing could be evicted.
    pub fn plan(&mut self, operation: &Operation) -> Result<Changeset, Rejection> {
        let session = self.session;
        let operations = std::slice::from_ref(operation);
        let mut plan = |policy: &Policy| {
            let context = PlanContext { policy, ..session.plan_context() };
            plan_in_context(session, &mut self.overlay.current, operations, &context).map_err(first_rejection)
        };
        let policy = &session.policy.policy;
        let changeset = plan(policy)?;
        if !policy.evicts() {
            return Ok(changeset);
        }
        if evicts_itself(&changeset) {
            Err(Rejection::new(Code::LimitReached, "nothing can make room: all other items are pinned"))
        } else {
            plan(&policy.without_eviction())
        }
    }

    /// The text of a file, with the accepted operations applied.
    pub fn current_text(&self, path: &MemoryPath) -> Option<String> {
        self.overlay.current.file(path).ok().flatten().map(|file| file.document.text().to_owned())
    }

    /// Whether a bullet with this text is pinned, in its file as it is now.
    pub fn is_pinned(&self, path: &MemoryPath, text: &str) -> bool {
        let Some(document) = self.current_text(path).map(Document::parse) else { return false };
        let is_pinned = |i: usize| document.bullet_meta(i).is_some_and(|meta| meta.is_pinned());
        (0..document.bullets().len()).any(|i| document.bullet_text(i) == text && is_pinned(i))
    }

    /// What a planned change does: the files it touches, the bullets and headings it adds and removes, and the bullets
    /// whose metadata it changes.
    pub fn planned_effects(&self, changeset: &Changeset) -> (Vec<TouchedFile>, Vec<Effect>) {
        let (mut files, mut effects) = (Vec::new(), Vec::new());
        for file in &changeset.files {
            let before = self.current_text(&file.path).map(Document::parse);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let after = file.after.as_ref().map(|bytes| Document::parse(text(bytes)));
            effects.extend(diff_effects(before.as_ref(), after.as_ref(), &file.path, 0));
            let mut metadata = MetadataChanges::default();
            if !file.path.is_archived() {
                metadata = MetadataChanges::between(before.as_ref(), after.as_ref());
                effects.extend(metadata_effects(before.as_ref(), after.as_ref(), &file.path));
            }
            let (before, after) = (before.is_some(), after.is_some());
            files.push(TouchedFile { path: file.path.clone(), before, after, metadata });
        }
        (files, effects)
    }

    /// Accepts a planned change.
    pub fn accept(&mut self, changeset: Changeset) {
        for removed in changeset.effects.iter().filter(|e| e.sign == EffectSign::Removed && e.handle.is_some()) {
            if let Some(index) = self.bullet_texts.iter().position(|text| *text == removed.text) {
                self.bullet_texts.swap_remove(index);
            }
        }
        let added = changeset.effects.iter().filter(|e| e.sign == EffectSign::Added).map(|e| e.text.clone());
        self.bullet_texts.extend(added);
        self.overlay.push(changeset);
    }

    /// The memory as the prompt shows it for a chunk of conversation: all facts if they are short enough, else the most
    /// relevant ones.
    pub fn known_memory(&self, conversation: &str) -> KnownMemory {
        let mut facts = String::new();
        let mut left_out = 0;
        for (path, document) in self.files.iter().filter(|(p, _)| is_fact_file(p)) {
            write_bullets(&mut facts, path, document);
        }
        if estimate_llm_tokens(&facts) > self.facts_tokens {
            facts.clear();
            let total_bullets: usize =
                self.files.iter().filter(|(p, _)| is_fact_file(p)).map(|(_, d)| stating_bullets(d).count()).sum();
            let shown_bullets = self.relevant_facts(conversation, &mut facts);
            left_out = total_bullets.saturating_sub(shown_bullets);
        }
        KnownMemory { facts, episodes: self.episode_titles(), omitted: left_out }
    }

    /// Appends the facts most relevant to a conversation, grouped by file; returns their number.
    fn relevant_facts(&self, conversation: &str, out: &mut String) -> usize {
        // The first 4000 characters are enough to identify the topics of the chunk, and keep the query fast.
        let question: String = conversation.chars().take(4000).collect();
        let options = QueryOptions { query: question, budget: Some(self.facts_tokens), ..QueryOptions::default() };
        let Ok(result) = self.run_query(&options) else { return 0 };
        let mut last_path = String::new();
        let rows = result.items.iter().filter(|row| row.handle.is_some() && !row.path.starts_with("episodes/"));
        let mut shown = 0;
        for row in rows {
            if row.path != last_path {
                let _ = writeln!(out, "{}", one_line(&row.path));
                last_path.clone_from(&row.path);
            }
            let _ = writeln!(out, "- @{} {}", row.handle.as_deref().unwrap_or_default(), row.text);
            shown += 1;
        }
        shown
    }

    /// The titles and dates of the episodes, newest first.
    fn episode_titles(&self) -> String {
        let mut out = String::new();
        for (path, document) in self.files.iter().rev().filter(|(p, _)| !is_fact_file(p)) {
            let outline = outline(document, path, 0, OutlineDepth::OneLevel);
            for entry in outline.sections.iter().filter(|s| s.level == 2) {
                let date = entry.date.as_deref().map_or(String::new(), |d| format!(" ({d})"));
                let line = format!("- {}: {}{date}\n", one_line(path.stem()), entry.title);
                if estimate_llm_tokens(&out) + estimate_llm_tokens(&line) > MAX_EPISODES_TOKENS {
                    return out;
                }
                out.push_str(&line);
            }
        }
        out
    }

    /// Runs a read tool of the model.
    ///
    /// # Errors
    /// Errors of reading; `usage` for an unknown tool.
    pub fn run_read_tool(&mut self, tool: &str, arguments: &Value) -> Result<String, Rejection> {
        let string_argument =
            |key: &str| arguments.get(key).and_then(Value::as_str).map(str::trim).filter(|w| !w.is_empty());
        let text = match (tool, string_argument("at").or_else(|| string_argument("address"))) {
            ("read", Some(at)) => self.read_text(at)?,
            ("list", Some(at)) => self.list_bullets(at)?,
            ("list", None) => self.list_files(),
            ("query", _) => {
                self.query_text(string_argument("words").or_else(|| string_argument("query")).unwrap_or_default())?
            }
            _ => return Err(Rejection::new(crate::code::Code::Usage, "unknown tool, or its address is missing")),
        };
        Ok(truncate_result(&text))
    }

    fn read_text(&mut self, at: &str) -> Result<String, Rejection> {
        let named = resolve_address_in(self.session, at, &mut self.overlay.current)?;
        let range = match named.bullet {
            Some(i) => named.document.bullets()[i].line_start as usize..named.document.bullets()[i].end as usize,
            None => section_range(&named.document, named.section),
        };
        Ok(named.document.text()[range].to_owned())
    }

    fn list_bullets(&mut self, at: &str) -> Result<String, Rejection> {
        let named = resolve_address_in(self.session, at, &mut self.overlay.current)?;
        let mut out = String::new();
        for row in outline(&named.document, &named.path, named.section, OutlineDepth::Flat).bullets {
            let _ = writeln!(out, "- @{} {}", row.handle, row.text);
        }
        Ok(out)
    }

    fn list_files(&self) -> String {
        let mut out = String::new();
        for (path, document) in &self.files {
            let shown = one_line(path.as_str());
            match self.overlay.current_text(path) {
                None => _ = writeln!(out, "{shown}: {}", outline::summary_value(document)),
                Some(Some(text)) => _ = writeln!(out, "{shown}: {}", outline::summary_value(&Document::parse(text))),
                Some(None) => {}
            }
        }
        let new = self.overlay.changed_files().filter(|path| self.overlay.text_before(path).is_none());
        new.for_each(|path| _ = writeln!(out, "{path}"));
        out
    }

    fn query_text(&self, question: &str) -> Result<String, Rejection> {
        let options = QueryOptions {
            query: question.to_owned(),
            limit: Some(10),
            budget: Some(MAX_RESULT_TOKENS),
            ..QueryOptions::default()
        };
        let mut out = String::new();
        for row in self.run_query(&options)?.items {
            let handle = row.handle.as_deref().map_or(String::new(), |h| format!("@{h}"));
            let _ = writeln!(out, "- {}{handle} {}", one_line(&row.path), row.text);
        }
        if out.is_empty() {
            out.push_str("nothing found\n");
        }
        Ok(out)
    }

    fn run_query(&self, options: &QueryOptions) -> Result<QueryResult, Rejection> {
        let changed = self.overlay.changed_files().map(|path| {
            let text = self.overlay.current_text(path).flatten();
            (path.clone(), text.map(|t| t.as_bytes().to_vec()))
        });
        let overrides: HashMap<MemoryPath, Option<Vec<u8>>> = changed.collect();
        query_with_overrides(self.session, options, &overrides).map_err(first_rejection)
    }
}

/// The first rejection of an error.
pub fn first_rejection(mut error: Error) -> Rejection {
    if error.rejections.is_empty() {
        Rejection::new(crate::code::Code::Internal, "an error without a cause")
    } else {
        error.rejections.remove(0)
    }
}

/// Whether a bullet that a change adds is at once evicted by it.
fn evicts_itself(changeset: &Changeset) -> bool {
    let is_evicted = |added: &Effect| {
        let is_same = |e: &Effect| (&e.path, &e.handle, &e.text) == (&added.path, &added.handle, &added.text);
        changeset.effects.iter().any(|e| e.sign == EffectSign::Removed && is_same(e))
    };
    changeset.effects.iter().any(|e| e.sign == EffectSign::Added && e.handle.is_some() && is_evicted(e))
}

fn is_fact_file(path: &MemoryPath) -> bool {
    !path.holds_episodes() && !path.is_procedure()
}

fn write_bullets(out: &mut String, path: &MemoryPath, document: &Document) {
    if document.bullets().is_empty() {
        return;
    }
    let _ = writeln!(out, "{}", one_line(path.as_str()));
    for row in outline(document, path, 0, OutlineDepth::Flat).bullets {
        if related_edge(document, row.number).is_some() {
            continue;
        }
        let is_subsection = document.sections()[document.bullets()[row.number].section as usize].level > 1;
        let section = row.section.filter(|_| is_subsection).map_or(String::new(), |s| format!(" [#{s}]"));
        let _ = writeln!(out, "- @{}{section} {}", row.handle, row.text);
    }
}

fn truncate_result(text: &str) -> String {
    if estimate_llm_tokens(text) <= MAX_RESULT_TOKENS {
        return text.to_owned();
    }
    let mut out = String::new();
    for line in text.lines() {
        if estimate_llm_tokens(&out) + estimate_llm_tokens(line) > MAX_RESULT_TOKENS {
            break;
        }
        out.push_str(line);
        out.push('\n');
    }
    out + "[… the rest is left out; ask for a section or a bullet …]\n"
}
