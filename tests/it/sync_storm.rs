//! A placeholder for sync's storm tests, filled below.
