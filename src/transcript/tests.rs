//! Every fixture reads as its kind.
