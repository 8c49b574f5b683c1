//! The memory as a model works on it: what stands on the disk, and over it what was accepted so far. Nothing is
//! written.
//!
//! Never judges a wish; it plans what it is given and answers what it is asked.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

use crate::change::{Changeset, Effect, Sign};
use crate::code::Rejection;
use crate::commands::answer::{Answer, Found};
use crate::commands::change::plan_with;
use crate::commands::fetch::is_aside;
use crate::commands::look::named_in;
use crate::commands::query::query_over;
use crate::commands::{Failure, Session};
use crate::document::{Document, section_range};
use crate::operation::Context;
use crate::operation::Operation;
use crate::operation::effects::between;
use crate::operation::sequence::Sequence;
use crate::path::MemoryPath;
use crate::reflect::outcome::Touched;
use crate::reflect::prompt::Known;
use crate::view::outline::{self, Depth, outline};
use crate::view::query::answer::tokens;
use crate::view::query::filter::Ask;

/// The largest file that a model is shown, in bytes.
const WHOLE: usize = 64 << 20;
/// The most that is shown of the memory before the conversation, in tokens.
const FACTS: usize = 4000;
/// The most that is shown of the episodes, in tokens.
const EPISODES: usize = 800;
/// The most that a reading tool answers, in tokens.
const ANSWER: usize = 2000;

/// The memory, and what was accepted over it.
pub struct Desk<'s> {
    session: &'s Session,
    files: Vec<(MemoryPath, Document)>,
    sequence: Sequence,
    known: Vec<String>,
}

impl<'s> Desk<'s> {
    /// Reads the memory as it stands.
    ///
    /// # Errors
    /// `io`.
    pub fn open(session: &'s Session) -> Result<Desk<'s>, Rejection> {
        let store = &session.store;
        let files = store.consistent(|| -> Result<Vec<(MemoryPath, Document)>, Rejection> {
            let mut found = store.walk(None)?;
            found.retain(|f| !is_aside(&f.path) && f.refused.is_none());
            let read = store.each(&found, WHOLE, &|file, read| {
                let text = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok().map(str::to_owned))?;
                Some((file.path.clone(), Document::parse(text)))
            });
            Ok(read.into_iter().flatten().collect())
        })??;
        let texts = |(_, document): &(MemoryPath, Document)| {
            (0..document.bullets().len()).map(|i| document.bullet_text(i).into_owned()).collect::<Vec<_>>()
        };
        let known = files.iter().flat_map(texts).collect();
        Ok(Desk { session, files, sequence: Sequence::default(), known })
    }

    /// The texts of all bullets, those accepted so far included.
    pub fn known(&self) -> &[String] {
        &self.known
    }

    /// Plans one operation over what was accepted so far, without accepting it.
    ///
    /// # Errors
    /// What planning refuses.
    pub fn plan(&mut self, operation: &Operation) -> Result<Changeset, Rejection> {
        let session = self.session;
        let cx = context(session, false);
        let one = std::slice::from_ref(operation);
        plan_with(session, &mut self.sequence.now, one, &cx).map_err(first)
    }

    /// A file's text with what was accepted so far.
    pub fn text(&self, path: &MemoryPath) -> Option<String> {
        self.sequence.now.file(path).ok().flatten().map(|file| file.document.text().to_owned())
    }

    /// What a planned change comes to: its files, and the bullets and headings that come and go.
    pub fn outcome(&self, changeset: &Changeset) -> (Vec<Touched>, Vec<Effect>) {
        let (mut files, mut effects) = (Vec::new(), Vec::new());
        for file in &changeset.files {
            let before = self.text(&file.path).map(Document::parse);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let after = file.after.as_ref().map(|bytes| Document::parse(text(bytes)));
            effects.extend(between(before.as_ref(), after.as_ref(), &file.path, 0));
            files.push(Touched { path: file.path.clone(), before: before.is_some(), after: after.is_some() });
        }
        (files, effects)
    }

    /// Accepts what was planned last.
    pub fn accept(&mut self, changeset: Changeset) {
        for gone in changeset.effects.iter().filter(|e| e.sign == Sign::Removed && e.handle.is_some()) {
            if let Some(at) = self.known.iter().position(|known| *known == gone.text) {
                self.known.swap_remove(at);
            }
        }
        let new = changeset.effects.iter().filter(|e| e.sign == Sign::Added).map(|e| e.text.clone());
        self.known.extend(new);
        self.sequence.take(changeset);
    }

    /// What a model is shown of the memory beside a piece of conversation: all of it where it is small, else what fits
    /// the piece best.
    pub fn shown(&mut self, conversation: &str) -> Known {
        let mut facts = String::new();
        let mut left_out = 0;
        for (path, document) in self.files.iter().filter(|(p, _)| is_fact(p)) {
            bullets(&mut facts, path, document);
        }
        if tokens(&facts) > FACTS {
            facts.clear();
            let bullets: usize = self.files.iter().filter(|(p, _)| is_fact(p)).map(|(_, d)| d.bullets().len()).sum();
            let shown = self.fitting(conversation, &mut facts);
            left_out = bullets.saturating_sub(shown);
        }
        Known { facts, episodes: self.episodes(), left_out }
    }

    /// The facts that fit a conversation best, under the heads of their files; answers how many.
    fn fitting(&self, conversation: &str, out: &mut String) -> usize {
        // The words of a long piece say what it is about well before its end.
        let question: String = conversation.chars().take(4000).collect();
        let ask = Ask { question, budget: Some(FACTS), ..Ask::default() };
        let Ok(found) = self.found(&ask) else { return 0 };
        let mut last = String::new();
        let rows = found.items.iter().filter(|row| row.handle.is_some() && !row.path.starts_with("episodes/"));
        let mut shown = 0;
        for row in rows {
            if row.path != last {
                let _ = writeln!(out, "{}", row.path);
                last.clone_from(&row.path);
            }
            let _ = writeln!(out, "- @{} {}", row.handle.as_deref().unwrap_or_default(), row.text);
            shown += 1;
        }
        shown
    }

    /// The episodes' titles with dates, newest first.
    fn episodes(&self) -> String {
        let mut out = String::new();
        for (path, document) in self.files.iter().rev().filter(|(p, _)| !is_fact(p)) {
            let outline = outline(document, path, 0, Depth::One);
            for entry in outline.sections.iter().filter(|s| s.level == 2) {
                let date = entry.date.as_deref().map_or(String::new(), |d| format!(" ({d})"));
                let line = format!("- {}: {}{date}\n", path.stem(), entry.title);
                if tokens(&out) + tokens(&line) > EPISODES {
                    return out;
                }
                out.push_str(&line);
            }
        }
        out
    }

    /// Answers a tool that only looks.
    ///
    /// # Errors
    /// What reading refuses; `usage` for a tool that is none.
    pub fn look(&mut self, tool: &str, arguments: &Value) -> Result<String, Rejection> {
        let word = |key: &str| arguments.get(key).and_then(Value::as_str).map(str::trim).filter(|w| !w.is_empty());
        let text = match (tool, word("at").or_else(|| word("address"))) {
            ("read", Some(at)) => self.read(at)?,
            ("list", Some(at)) => self.list(at)?,
            ("list", None) => self.listed(),
            ("query", _) => self.queried(word("words").or_else(|| word("query")).unwrap_or_default())?,
            _ => return Err(Rejection::new(crate::code::Code::Usage, "there is no such tool, or it lacks an address")),
        };
        Ok(bounded(&text))
    }

    fn read(&mut self, at: &str) -> Result<String, Rejection> {
        let named = named_in(self.session, at, &mut self.sequence.now)?;
        let range = match named.bullet {
            Some(i) => named.document.bullets()[i].line as usize..named.document.bullets()[i].end as usize,
            None => section_range(&named.document, named.section),
        };
        Ok(named.document.text()[range].to_owned())
    }

    fn list(&mut self, at: &str) -> Result<String, Rejection> {
        let named = named_in(self.session, at, &mut self.sequence.now)?;
        let mut out = String::new();
        for row in outline(&named.document, &named.path, named.section, Depth::Flat).bullets {
            let _ = writeln!(out, "- @{} {}", row.handle, row.text);
        }
        Ok(out)
    }

    fn listed(&self) -> String {
        let mut out = String::new();
        for (path, document) in &self.files {
            match self.sequence.text_now(path) {
                None => _ = writeln!(out, "{path}: {}", outline::summary(document)),
                Some(Some(text)) => _ = writeln!(out, "{path}: {}", outline::summary(&Document::parse(text))),
                Some(None) => {}
            }
        }
        let new = self.sequence.changed().filter(|path| self.sequence.text_before(path).is_none());
        new.for_each(|path| _ = writeln!(out, "{path}"));
        out
    }

    fn queried(&self, words: &str) -> Result<String, Rejection> {
        let ask = Ask { question: words.to_owned(), limit: Some(10), budget: Some(ANSWER), ..Ask::default() };
        let mut out = String::new();
        for row in self.found(&ask)?.items {
            let handle = row.handle.as_deref().map_or(String::new(), |h| format!("@{h}"));
            let _ = writeln!(out, "- {}{handle} {}", row.path, row.text);
        }
        if out.is_empty() {
            out.push_str("nothing found\n");
        }
        Ok(out)
    }

    fn found(&self, ask: &Ask) -> Result<Found, Rejection> {
        let changed = self.sequence.changed().map(|path| {
            let text = self.sequence.text_now(path).flatten();
            (path.clone(), text.map(|t| t.as_bytes().to_vec()))
        });
        let over: HashMap<MemoryPath, Option<Vec<u8>>> = changed.collect();
        match query_over(self.session, ask, &over).map_err(first)? {
            Answer::Found(found) => Ok(found),
            _ => Ok(Found::default()),
        }
    }
}

/// Planning on behalf of a model: nothing is forced, new names must not be slips.
pub fn context(session: &Session, own: bool) -> Context<'_> {
    Context {
        policy: &session.policy.policy,
        prefixes: &session.prefixes,
        now: &session.now,
        actor: &session.actor,
        force: false,
        create: false,
        own,
    }
}

/// The first refusal of a failure.
pub fn first(mut failure: Failure) -> Rejection {
    match failure.rejections.is_empty() {
        true => Rejection::new(crate::code::Code::Internal, "a failure without a reason"),
        false => failure.rejections.remove(0),
    }
}

fn is_fact(path: &MemoryPath) -> bool {
    !matches!(path.folder(), Some("episodes" | "procedures"))
}

fn bullets(out: &mut String, path: &MemoryPath, document: &Document) {
    if document.bullets().is_empty() {
        return;
    }
    let _ = writeln!(out, "{path}");
    for (i, row) in outline(document, path, 0, Depth::Flat).bullets.into_iter().enumerate() {
        let own = document.sections()[document.bullets()[i].section as usize].level > 1;
        let section = row.section.filter(|_| own).map_or(String::new(), |s| format!(" [#{s}]"));
        let _ = writeln!(out, "- @{}{section} {}", row.handle, row.text);
    }
}

fn bounded(text: &str) -> String {
    if tokens(text) <= ANSWER {
        return text.to_owned();
    }
    let mut out = String::new();
    for line in text.lines() {
        if tokens(&out) + tokens(line) > ANSWER {
            break;
        }
        out.push_str(line);
        out.push('\n');
    }
    out + "[… the rest is left out; ask for a section or a bullet …]\n"
}
