//! A placeholder for sync's crash tests, filled below.
