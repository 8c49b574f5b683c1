//! Integration tests, one program: each module looks at memdir from outside.

mod corpus;
mod document;
mod generated;
mod inputs;
mod paths;
mod rules;
mod store;
mod summary_merge;
mod support;
