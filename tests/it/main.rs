//! Tests from outside: each module looks at memdir as its users do.

mod document;
mod summary_merge;
