//! Black-box tests.

mod sandbox;
mod store;
