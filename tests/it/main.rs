//! Black-box tests.

mod store;
