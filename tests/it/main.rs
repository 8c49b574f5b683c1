//! Integration tests, one program: each module looks at memdir from outside.

mod batches;
mod changes;
mod corpus;
mod document;
mod fuzz;
mod generated;
mod inputs;
mod paths;
mod rules;
mod seeds;
mod store;
mod summary_merge;
mod support;
mod undo;
