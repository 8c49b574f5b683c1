//! The tests that look at the house from outside.

mod summary_merge;
