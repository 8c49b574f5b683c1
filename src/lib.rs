//! memdir
