//! A placeholder for sync's network tests, filled below.
