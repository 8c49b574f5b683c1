//! Sizes as people read them.
//!
//! Never reads a file.

/// Bytes as people read them: `276B`, `1.2KB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes}B"),
        1024..1_048_576 => tenths(bytes, 1024, "KB"),
        _ => tenths(bytes, 1_048_576, "MB"),
    }
}

fn tenths(bytes: u64, unit: u64, name: &str) -> String {
    let n = (bytes * 10 + unit / 2) / unit;
    format!("{}.{}{name}", n / 10, n % 10)
}
