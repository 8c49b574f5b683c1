//! Integration tests, one program: each module looks at memdir from outside.

mod corpus;
mod document;
mod generated;
mod inputs;
mod paths;
mod readme;
mod store;
mod summary_merge;
mod tidy;
mod tour;
