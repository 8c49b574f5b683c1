//! Bytes as hexadecimal digits.
//!
//! Never parses them: `change::Etag` does, and knows how many there must be.

/// Two digits for each byte, in lower case: `[0, 0xaf]` is `00af`.
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(&[]), "");
        assert_eq!(hex(&[0, 0x0a, 0xaf, 0xff]), "000aafff");
    }
}
