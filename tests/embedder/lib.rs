//! The tests of the library's front, compiled against its public names: `.ci/full features` runs them.

#[cfg(test)]
#[path = "../it/library.rs"]
mod library;
