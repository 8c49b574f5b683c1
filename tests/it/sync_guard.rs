//! A placeholder for sync's guard tests, filled below.
