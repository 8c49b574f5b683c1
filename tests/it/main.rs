//! Integration tests, one program: each module looks at memdir from outside.

mod answers;
mod corpus;
mod crowds;
mod document;
mod editing;
mod forget;
mod generated;
mod hands;
mod hostile;
mod inputs;
mod memory;
mod judge;
mod paths;
mod place;
mod planning;
mod readme;
mod real;
mod recovery;
mod rules;
mod sandbox;
mod store;
mod summary_merge;
mod support;
mod tidy;
mod tour;
