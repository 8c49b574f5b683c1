//! Integration tests, one program: each module looks at memdir from outside.

mod answers;
mod corpus;
mod document;
mod editing;
mod faults;
mod generated;
mod inputs;
mod paths;
mod sandbox;
mod store;
mod summary_merge;
