//! memdir: memory for AI agents as a directory of markdown, changed by small, exact, undoable operations.
//!
//! The modules, from the lowest up. The first lines of each tell its purpose and what it never does. A module may use
//! those above it in this list, never those below (a test checks it); ARCHITECTURE.md explains how they work together.
//!
//! * [`code`]: every error and warning code, its exit status and whether a retry helps.
//! * [`path`]: paths that cannot leave the data directory, and addresses of files, sections and bullets.
//! * [`text`]: byte splices, words, stems, similarity, dates; knows no markdown.
//! * [`json_shape`]: tables of JSON objects from which readers and schemas are derived.
//! * [`policy`]: what a data directory allows (`memdir.yaml`).
//! * [`document`]: one markdown text: its parts, and edits that change nothing else.
//! * [`change`]: what is about to happen and what did: the type between planning and storing.
//! * [`operation`]: the operations, and `plan`, which turns them into a changeset. Pure.
//! * [`view`]: read-only answers: outline, search, context, diff, journal. Pure.
//! * [`transcript`]: conversations of other programs, read into turns. Pure.
//! * [`reflect`]: prompts for a model, and the checks on what it proposes. Pure.
//! * [`store`]: the only module that accesses the data directory: sandbox, lock, commit, journal, recovery.
//! * [`host`]: the rest of this machine: finding the data directory, the user config, the editor, git.
//! * [`llm`]: one request to a model, one reply; the only module that uses the network.
//! * [`commands`]: the use cases, where the modules meet. Results are values.
//! * [`cli`]: the command line: grammar, arguments to operations, output.

pub mod code;

pub mod path;

pub mod text;

pub mod json_shape;

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
