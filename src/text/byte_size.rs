//! Formats sizes for people.
//!
//! Never reads a file.

/// Formats a number of bytes: `276B`, `1.2KB`. Units are powers of 1024.
pub fn format_size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes}B"),
        1024..1_048_576 => format_tenths(bytes, 1024, "KB"),
        _ => format_tenths(bytes, 1_048_576, "MB"),
    }
}

fn format_tenths(bytes: u64, unit: u64, name: &str) -> String {
    let n = (bytes * 10 + unit / 2) / unit;
    format!("{}.{}{name}", n / 10, n % 10)
}
