//! A signature in front of bytes that only the holder of a key can make: HMAC-SHA-256 (RFC 2104) of their name and of
//! them.
//!
//! Hides nothing, and never makes a key: `host/machine_key.rs` does.

use sha2::{Digest, Sha256};

use super::hex::hex;

/// The block of SHA-256, in bytes.
const BLOCK: usize = 64;

/// A secret key.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey([u8; 32]);

impl SigningKey {
    pub const fn new(secret: [u8; 32]) -> SigningKey {
        SigningKey(secret)
    }

    /// The bytes below a line with their signature. They are what they are only under this name.
    pub fn sign(&self, name: &str, bytes: &[u8]) -> Vec<u8> {
        [self.line(name, bytes).as_bytes(), bytes].concat()
    }

    /// The bytes below their signature; `None` if it is another's, or there is none.
    pub fn open<'a>(&self, name: &str, signed: &'a [u8]) -> Option<&'a [u8]> {
        let (line, bytes) = signed.split_at(memchr::memchr(b'\n', signed)? + 1);
        (line == self.line(name, bytes).as_bytes()).then_some(bytes)
    }

    fn line(&self, name: &str, bytes: &[u8]) -> String {
        let padded = |pad: u8| {
            let mut block = [pad; BLOCK];
            block.iter_mut().zip(self.0).for_each(|(to, byte)| *to ^= byte);
            block
        };
        // No name has a byte 0, which therefore ends it.
        let inner = Sha256::new().chain_update(padded(0x36)).chain_update(name).chain_update([0]).chain_update(bytes);
        let outer = Sha256::new().chain_update(padded(0x5c)).chain_update(inner.finalize());
        format!("{}\n", hex(&outer.finalize()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_key_signed_under_a_name_opens() {
        let key = SigningKey::new([7; 32]);
        let signed = key.sign("a", b"text\nmore");
        assert_eq!(key.open("a", &signed), Some(&b"text\nmore"[..]));
        assert_eq!(key.open("b", &signed), None);
        assert_eq!(SigningKey::new([8; 32]).open("a", &signed), None);
        let mut changed = signed.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(key.open("a", &changed), None);
        for other in [&b""[..], b"\n", b"text", b"{\"transcript\":\"/etc/passwd\"}\n"] {
            assert_eq!(key.open("a", other), None);
        }
    }

    #[test]
    fn the_signature_is_an_hmac_of_the_name_and_the_bytes() {
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        // printf 'what do ya want\0for nothing?' | openssl dgst -sha256 -hmac Jefe
        let expected = "adf13648edae17564744ff0aef28b138a329fa4a8104ff63388d270cef395d2b\n";
        assert_eq!(SigningKey::new(key).line("what do ya want", b"for nothing?"), expected);
    }
}
