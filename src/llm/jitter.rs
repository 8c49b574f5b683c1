//! Random numbers for the waits before another try, so that those who failed together do not try again together.
//!
//! Not for cryptography: `RandomState` is seeded randomly, which is enough for this.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A number of 64 random bits; not for keys.
pub fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A random number from 0 to 1.
pub fn random_share() -> f64 {
    random_number() as f64 / u64::MAX as f64
}
