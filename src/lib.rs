//! memdir: memory for AI agents as a directory of markdown, changed by small, exact, undoable operations.
//!
//! Read the rooms in this order; the first lines of each say what it is for and what it never does. Arrows point down:
//! a room may use those above it in this list, never those below (a test holds the walls).
//!
//! * [`code`]: every error and warning by name, exit status and whether to retry.
//! * [`path`]: names that cannot leave the data dir, and addresses of files, sections and bullets.
//! * [`text`]: splices, words, stems, likeness; knows no markdown.
//! * [`shape`]: tables of JSON objects from which readers and schemas come.
//! * [`policy`]: what a data dir allows (`memdir.yaml`).
//! * [`document`]: one markdown text, what we understand in it, and edits that touch nothing else.
//! * [`change`]: what is about to happen and what did; the waist between planning and the disk.
//! * [`operation`]: what is wanted, and `plan`, which turns it into a changeset. Pure.
//! * [`view`]: outlines, diffs, the journal as people read it. Pure.
//! * [`transcript`]: conversations as programs leave them on disk, read into turns. Pure.
//! * [`reflect`]: what a model is asked, and what of its answer may pass. Pure.
//! * [`store`]: the only room that touches the data dir: sandbox, lock, commit, journal, recovery.
//! * [`host`]: the rest of this machine: finding the data dir, the user's config, the editor.
//! * [`llm`]: one question to a model, one reply; the only room that touches the network.
//! * [`commands`]: the use cases, where rooms meet. Answers are values.
//! * [`cli`]: the command line: grammar, what was meant, output.

pub mod code;

pub mod path;

pub mod text;

pub mod shape;

pub mod policy;

pub mod document;

pub mod change;

pub mod operation;

pub mod view;

pub mod transcript;

pub mod reflect;

pub mod store;

pub mod host;

pub mod llm;

pub mod commands;

pub mod cli;
